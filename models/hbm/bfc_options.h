// The settings of a BFC allocator, as one text ("growth=on,gc=on") for the plugin over the shipped allocator
// and for its two models. C++17 and no library, because the plugin is built like the wheel that it opens.
// Not for: what each setting does (see bfc_allocator.h).
#ifndef OOMPH_MODELS_HBM_BFC_OPTIONS_H_
#define OOMPH_MODELS_HBM_BFC_OPTIONS_H_

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace oomph::bfc {

// What becomes of a block between its free and the fence that makes the free safe.
enum class Timestamps : uint8_t {
  kOff,    // there are no fences: a free counts at once
  kOn,     // frees carry a time; a request gets only memory whose frees have landed
  kLoose,  // frees carry a time that delays merging only; a request may get any freed memory
};

enum class Ends : uint8_t { kOne, kTwo };

struct Options {
  bool growth = true;       // memory comes from the sub-allocator in growing regions, not all at first use
  bool coalescing = false;  // regions adjoin and may be merged
  bool garbage_collection = false;  // wholly free regions go back when a request would fail
  Timestamps timestamps = Timestamps::kOff;
  double fragmentation = 0;  // share of the capacity that a block may waste; 0 stands for 128 MiB
  uint64_t backing =
      UINT64_MAX;          // bytes that the sub-allocator has; at most the capacity is ever asked of it
  bool retry = false;      // a request that fails waits for a free of another thread (plugin only)
  Ends ends = Ends::kOne;  // kTwo: the newer version, which honours alignment and takes an end (models only)
};

namespace internal {

inline bool ParseSwitch(std::string_view text, bool* value) {
  if (text != "on" && text != "off") return false;
  *value = text == "on";
  return true;
}

inline bool ParseBytes(std::string_view text, uint64_t* value) {
  if (text.empty() || text.find_first_not_of("0123456789") != text.npos) return false;
  uint64_t sum = 0;
  for (char digit : text) {
    if (__builtin_mul_overflow(sum, uint64_t{10}, &sum)) return false;
    if (__builtin_add_overflow(sum, uint64_t(digit - '0'), &sum)) return false;
  }
  *value = sum;
  return true;
}

inline bool ParseShare(std::string_view text, double* value) {
  const std::string copy(text);
  char* end = nullptr;
  *value = std::strtod(copy.c_str(), &end);
  return !copy.empty() && *end == '\0' && *value >= 0 && *value <= 1;
}

inline bool ParseTimestamps(std::string_view text, Timestamps* value) {
  if (text == "off") return *value = Timestamps::kOff, true;
  if (text == "on") return *value = Timestamps::kOn, true;
  if (text == "loose") return *value = Timestamps::kLoose, true;
  return false;
}

inline bool ParseEnds(std::string_view text, Ends* value) {
  if (text == "one") return *value = Ends::kOne, true;
  if (text == "two") return *value = Ends::kTwo, true;
  return false;
}

inline bool ParseOption(std::string_view key, std::string_view value, Options* options) {
  if (key == "growth") return ParseSwitch(value, &options->growth);
  if (key == "coalescing") return ParseSwitch(value, &options->coalescing);
  if (key == "gc") return ParseSwitch(value, &options->garbage_collection);
  if (key == "timestamps") return ParseTimestamps(value, &options->timestamps);
  if (key == "fragmentation") return ParseShare(value, &options->fragmentation);
  if (key == "backing") return ParseBytes(value, &options->backing);
  if (key == "retry") return ParseSwitch(value, &options->retry);
  if (key == "ends") return ParseEnds(value, &options->ends);
  return false;
}

}  // namespace internal

// Reads "key=value,key=value" over what *options holds. False, and *options is half read, where a key is
// unknown or a value is not one of its key's.
inline bool ParseOptions(std::string_view text, Options* options) {
  while (!text.empty()) {
    const std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(item.size() < text.size() ? item.size() + 1 : item.size());
    const size_t equals = item.find('=');
    if (equals == item.npos) return false;
    if (!internal::ParseOption(item.substr(0, equals), item.substr(equals + 1), options)) return false;
  }
  return true;
}

}  // namespace oomph::bfc

#endif  // OOMPH_MODELS_HBM_BFC_OPTIONS_H_
