// See import.h.
#include "models/hbm/import.h"

#include <algorithm>
#include <bit>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "models/base/units.h"

namespace oomph::hbm {
namespace {

class LogReplay {
 public:
  LogReplay(const std::vector<LoggedEvent>& log, uint64_t granule) : log_(log), granule_(granule) {
    NumberTheFences();
  }

  Imported Run(const ImportOptions& options) {
    imported_.trace.policy.granule = granule_;
    for (at_ = 0; at_ < log_.size(); ++at_) Replay(log_[at_]);
    const uint64_t capacity = std::bit_ceil(std::clamp<uint64_t>(peak_, granule_, uint64_t{1} << 62));
    imported_.trace.policy.capacity = options.capacity != 0 ? options.capacity : capacity;
    if (options.capacity == 0) Note("the capacity is not in the log: here it is the power of two above the peak");
    Note("the peak is ", peak_, " bytes, sizes rounded up to ", granule_);
    if (unseen_ > 0) Note(unseen_, " addresses were given while live: freed before, unseen");
    if (unknown_ > 0) Note(unknown_, " frees of what the log does not give are left out");
    if (refused_ > 0)
      Note(refused_, " requests were refused; they are asked here, and freed at once if served");
    return std::move(imported_);
  }

 private:
  struct Live {
    uint32_t name;
    uint64_t bytes;
  };

  template <typename... Args>
  void Note(const Args&... args) {
    imported_.notes.push_back(absl::StrCat(args...));
  }

  // Fences pass in the order of their numbers, so a free has the number of its end. What does not end has the
  // last.
  void NumberTheFences() {
    absl::flat_hash_map<uint64_t, size_t> begun;  // address -> event
    for (size_t i = 0; i < log_.size(); ++i) {
      if (log_[i].call == LoggedCall::kFreeBegun) begun[log_[i].pointer] = i;
      if (log_[i].call != LoggedCall::kFreeEnded) continue;
      const auto it = begun.find(log_[i].pointer);
      if (it == begun.end()) continue;
      if (it->second + 1 != i) fences_[it->second] = fences_[i] = ++last_fence_;
      ends_.insert({it->second, i});
      begun.erase(it);
    }
  }

  Step& Add(StepKind kind, uint32_t name) {
    Step& step = imported_.trace.steps.emplace_back();
    step.kind = kind;
    step.name = name;
    return step;
  }

  void Replay(const LoggedEvent& event) {
    switch (event.call) {
      case LoggedCall::kAllocated:
        return Allocate(event);
      case LoggedCall::kFreed:
        return Free(event.pointer);
      case LoggedCall::kFreeBegun:
        return BeginFree(event.pointer);
      case LoggedCall::kFreeEnded:
        return EndFree(event.pointer);
      case LoggedCall::kRefused:
        break;
    }
    ++refused_;
    Add(StepKind::kAllocate, next_name_).size = event.size;
    Add(StepKind::kFree, next_name_++);
  }

  void Allocate(const LoggedEvent& event) {
    if (live_.contains(event.pointer)) {
      ++unseen_;
      Free(event.pointer);
    }
    const uint64_t bytes = CheckedRoundUp(std::max<uint64_t>(event.size, 1), granule_).value_or(kMaxBytes);
    live_[event.pointer] = {next_name_, bytes};
    Add(StepKind::kAllocate, next_name_++).size = event.size;
    in_use_ = SaturatingAdd(in_use_, bytes);
    peak_ = std::max(peak_, in_use_);
  }

  std::optional<Live> Take(uint64_t pointer) {
    const auto it = live_.find(pointer);
    if (it == live_.end()) {
      ++unknown_;
      return std::nullopt;
    }
    const Live live = it->second;
    live_.erase(it);
    return live;
  }

  void Free(uint64_t pointer) {
    const std::optional<Live> live = Take(pointer);
    if (!live) return;
    in_use_ -= std::min(in_use_, live->bytes);
    Add(StepKind::kFree, live->name);
  }

  void BeginFree(uint64_t pointer) {
    if (ends_.contains(at_) && !fences_.contains(at_)) return Free(pointer);  // it ends at once
    const std::optional<Live> live = Take(pointer);
    if (!live) return;
    const auto fence = fences_.find(at_);
    Add(StepKind::kFreeLater, live->name).fence = fence == fences_.end() ? last_fence_ + 1 : fence->second;
    queued_[pointer] = live->bytes;
  }

  void EndFree(uint64_t pointer) {
    const auto fence = fences_.find(at_);
    if (fence == fences_.end()) {  // ended at once, or begun before the log
      if (live_.contains(pointer)) Free(pointer);
      return;
    }
    const auto queued = queued_.find(pointer);
    if (queued == queued_.end()) return;
    in_use_ -= std::min(in_use_, queued->second);
    queued_.erase(queued);
    Add(StepKind::kFence, 0).fence = fence->second;
  }

  const std::vector<LoggedEvent>& log_;
  const uint64_t granule_;
  size_t at_ = 0;
  Imported imported_;
  absl::flat_hash_map<size_t, uint32_t> fences_;  // of the events that begin and end a queued free
  absl::flat_hash_map<size_t, size_t> ends_;      // from the beginning of a free to its end
  absl::flat_hash_map<uint64_t, Live> live_;
  absl::flat_hash_map<uint64_t, uint64_t> queued_;  // bytes by address
  uint32_t last_fence_ = 0, next_name_ = 0;
  uint64_t in_use_ = 0, peak_ = 0, unseen_ = 0, unknown_ = 0, refused_ = 0;
};

}  // namespace

Imported TraceOfLog(const std::vector<LoggedEvent>& log, uint64_t granule, const ImportOptions& options) {
  return LogReplay(log, granule).Run(options);
}

std::optional<uint64_t> ReadHex(std::string_view digits) {
  if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
  if (digits.empty() || digits.size() > 16) return std::nullopt;
  uint64_t value = 0;
  for (const char c : digits) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return std::nullopt;
    value = value << 4 | static_cast<uint64_t>(digit);
  }
  return value;
}

}  // namespace oomph::hbm
