// Random calls on two BFC allocators side by side, and the first call after which they differ. For tests: the
// fast model against its specification, and against the shipped allocator.
// Not for: cases of the HBM family, which are generated and shrunk elsewhere.
#ifndef OOMPH_MODELS_HBM_BFC_DUEL_H_
#define OOMPH_MODELS_HBM_BFC_DUEL_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "models/hbm/bfc_options.h"
#include "models/hbm/bfc_types.h"

namespace oomph::bfc {

// One random life of an allocator: how it is set up, and how many blocks of which sizes.
struct Life {
  std::string options;
  uint64_t capacity = 0;
  uint64_t max_size = 0;    // of the usual requests
  size_t live = 64;         // about how many blocks
  bool boundaries = false;  // sizes and alignments from the edge of what there is
  uint64_t fuel = 1000;
  uint64_t steps = 1000;
  uint64_t steps_between_maps = 16;  // how often the free ranges are compared
};

// A life of many possible ones. Capacities stay below 2^28: the shipped allocator has a table as long as its
// memory.
inline Life DrawLife(const std::string& options, uint64_t seed) {
  std::mt19937_64 random(seed);
  constexpr uint64_t kCapacities[] = {0,       1,       255,     256,      1000,     4096,      65536,
                                      1000000, 1 << 20, 4 << 20, 16777215, 50000000, 100000000, 1 << 28};
  Life life;
  life.options = options;
  const size_t few = random() % 16 == 0 ? 14 : 12;  // the largest cost the most time
  life.capacity = kCapacities[random() % 4 == 0 ? random() % few : 6 + random() % (few - 6)];
  life.live = random() % 4 == 0 ? 4 : 64;
  life.max_size = life.capacity / (1 + random() % (2 * life.live));
  life.boundaries = random() % 2 == 0;
  return life;
}

struct Call {
  enum class Kind : uint8_t { kAllocate, kFree, kFreeAfter, kFence };
  Kind kind = Kind::kAllocate;
  End end = End::kAny;
  uint64_t subject = 0;  // a size, an offset or a fence
  uint64_t detail = 0;   // an alignment or a fence
};

inline std::string ToString(const Call& call) {
  constexpr const char* kNames[] = {"allocate", "free", "free after", "fence"};
  constexpr const char* kEnds[] = {"", " low", " high"};
  return std::string(kNames[static_cast<int>(call.kind)]) + " " + std::to_string(call.subject) + " " +
         std::to_string(call.detail) + kEnds[static_cast<int>(call.end)];
}

// What the calls of several lives went through.
struct Tally {
  uint64_t steps = 0;
  uint64_t statuses[kNumStatuses] = {};
  uint64_t paths[path::kNumPaths] = {};
};

// Draws calls that are legal for what is live.
class Calls {
 public:
  Calls(const Life& life, uint64_t seed) : life_(life), random_(seed) {}

  void Allocated(uint64_t offset) { live_.push_back(offset); }

  Call Next() {
    const uint64_t kind = random_() % 64;
    if (live_.size() > random_() % (2 * life_.live + 1)) return Free(kind % 2 == 0);
    if (kind < 2) return {Call::Kind::kFence, End::kAny, fence_++, 0};
    const End end = static_cast<End>(random_() % 3);
    return {Call::Kind::kAllocate, end, Size(), Alignment()};
  }

 private:
  Call Free(bool later) {
    const size_t i = random_() % live_.size();
    const uint64_t offset = std::exchange(live_[i], live_.back());
    live_.pop_back();
    if (!later) return {Call::Kind::kFree, End::kAny, offset, 0};
    return {Call::Kind::kFreeAfter, End::kAny, offset, fence_ + random_() % 3};
  }

  uint64_t Size() {
    if (life_.boundaries && random_() % 16 == 0) {
      const uint64_t near = random_() % 5 - 2;  // -2 to 2, modulo 2^64
      switch (random_() % 5) {
        case 0:
          return (uint64_t{1} << random_() % 64) + near;
        case 1:
          return life_.capacity / (1 + random_() % 4) + near;
        case 2:
          return 256 * (random_() % 20) + near;
        case 3:
          return 256 * (random_() % 20);
        default:
          return random_() % 8 == 0 ? 0 - random_() % 600 : near;
      }
    }
    if (random_() % 32 == 0) return 1 + random_() % (1 + life_.capacity);
    return 1 + random_() % (1 + (life_.max_size >> random_() % 12));
  }

  uint64_t Alignment() {
    if (!life_.boundaries || random_() % 4 != 0) return 0;
    if (random_() % 64 == 0) return random_();
    return uint64_t{1} << random_() % (random_() % 8 == 0 ? 42 : 16);
  }

  const Life& life_;
  std::mt19937_64 random_;
  std::vector<uint64_t> live_;
  uint64_t fence_ = 1;
};

using Ranges = std::vector<std::pair<uint64_t, uint64_t>>;

template <typename Bfc>
Ranges FreeRanges(const Bfc& bfc) {
  Ranges ranges;
  bfc.ForEachFree([&](uint64_t offset, uint64_t size) { ranges.push_back({offset, size}); });
  return ranges;
}

// Runs one life. `first` goes first and, where it dies or finds an endless loop, alone: the shipped allocator
// as `second` would take the process with it. The answer is empty, or how they differ and the calls that lead
// there.
template <typename First, typename Second>
class Duel {
 public:
  Duel(const Life& life, uint64_t seed, First& first, Second& second, Tally& tally)
      : life_(life), calls_(life, seed), first_(first), second_(second), tally_(tally) {}

  // Whether one of them has died or run out of fuel: what they hold then means nothing.
  bool over() const { return over_; }

  std::string Run() {
    for (uint64_t step = 0; step < life_.steps && !over_; ++step) {
      const Call call = calls_.Next();
      made_.push_back(call);
      ++tally_.steps;
      std::string difference = Make(call);
      if (difference.empty() && !over_ && first_.stats() != second_.stats()) difference = "statistics";
      if (difference.empty() && !over_ && step % life_.steps_between_maps == 0 &&
          FreeRanges(first_) != FreeRanges(second_)) {
        difference = "free ranges";
      }
      if (!difference.empty()) return Explain(difference);
    }
    return "";
  }

 private:
  std::string Make(const Call& call) {
    switch (call.kind) {
      case Call::Kind::kAllocate:
        return Allocate(call);
      case Call::Kind::kFree:
        return Same(first_.Free(call.subject), [&] { return second_.Free(call.subject); });
      case Call::Kind::kFreeAfter:
        return FreeAfter(call);
      case Call::Kind::kFence:
        return Same(first_.Fence(call.subject), [&] { return second_.Fence(call.subject); });
    }
    return "";
  }

  std::string Allocate(const Call& call) {
    const Result a = first_.Allocate(call.subject, call.detail, call.end);
    for (int bit = 0; bit < path::kNumPaths; ++bit) tally_.paths[bit] += a.paths >> bit & 1;
    if (a.status == Status::kOk) calls_.Allocated(a.offset);
    Result b;
    const auto second = [&] {
      b = second_.Allocate(call.subject, call.detail, call.end);
      return b.status;
    };
    if ((a.paths & path::kEndless) != 0) {  // not to be tried
      ++tally_.statuses[static_cast<int>(a.status)];
      over_ = true;
      return "";
    }
    std::string difference = Same(a.status, second);
    if (!difference.empty() || a.status != Status::kOk) return difference;
    if (b.paths != 0 && a.paths != b.paths) {  // the shipped allocator does not tell
      return "paths " + std::to_string(a.paths) + ", " + std::to_string(b.paths);
    }
    if (a.offset != b.offset) return "offset " + std::to_string(a.offset) + ", " + std::to_string(b.offset);
    if (a.reserved != b.reserved) {
      return "reserved " + std::to_string(a.reserved) + ", " + std::to_string(b.reserved);
    }
    return "";
  }

  std::string FreeAfter(const Call& call) {
    const Status a = first_.FreeAfter(call.subject, call.detail);
    std::string difference = Same(a, [&] { return second_.FreeAfter(call.subject, call.detail); });
    if (a != Status::kUnsupported || !difference.empty()) return difference;
    return Same(first_.Free(call.subject), [&] { return second_.Free(call.subject); });
  }

  template <typename Ask>
  std::string Same(Status a, Ask&& second) {
    ++tally_.statuses[static_cast<int>(a)];
    over_ = a == Status::kDied || a == Status::kOutOfFuel;
    if (a == Status::kDied) return "";
    const Status b = second();
    if (a == b) return "";
    return "status " + std::to_string(static_cast<int>(a)) + ", " + std::to_string(static_cast<int>(b));
  }

  std::string Explain(const std::string& difference) const {
    std::string text = "differ in " + difference + " after call " + std::to_string(made_.size()) + " with " +
                       life_.options + " capacity " + std::to_string(life_.capacity) + ":\n";
    const size_t shown = std::min<size_t>(made_.size(), 1000);
    for (size_t i = made_.size() - shown; i < made_.size(); ++i) text += ToString(made_[i]) + "\n";
    return text;
  }

  const Life& life_;
  Calls calls_;
  First& first_;
  Second& second_;
  Tally& tally_;
  std::vector<Call> made_;
  bool over_ = false;
};

}  // namespace oomph::bfc

#endif  // OOMPH_MODELS_HBM_BFC_DUEL_H_
