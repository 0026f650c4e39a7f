// See decorate.h.
#include "models/placement/decorate.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "models/base/units.h"
#include "models/placement/footprint.h"
#include "models/placement/promises.h"

namespace oomph::placement {
namespace {

constexpr uint64_t kSmall = uint64_t{1} << 40;  // without `large`, sizes and times stay below

uint64_t Fold(uint64_t bytes) { return bytes <= kSmall ? bytes : bytes % (1 << 20); }
int64_t FoldTime(int64_t time) {
  const int64_t bound = static_cast<int64_t>(kSmall);
  return time >= -bound && time <= bound ? time : time % (1 << 20);
}

void FoldNumbers(Buffer& buffer) {
  buffer.size = Fold(buffer.size);
  buffer.alignment = Fold(buffer.alignment);
  buffer.start = FoldTime(buffer.start);
  buffer.end = FoldTime(buffer.end);
  if (buffer.fixed) buffer.fixed = Fold(*buffer.fixed);
  if (buffer.hint) buffer.hint = Fold(*buffer.hint);
  for (Gap& gap : buffer.gaps) {
    gap = {FoldTime(gap.lower), FoldTime(gap.upper), Fold(gap.window_lower), Fold(gap.window_upper)};
  }
  for (Slice& slice : buffer.slices) slice = {Fold(slice.size), FoldTime(slice.start)};
}

// Gaps and slices that stand for nothing, which only who takes empty ranges is asked for.
void DropEmptyParts(Buffer& buffer) {
  std::erase_if(buffer.gaps, [&](Gap& gap) {
    gap.lower = std::max(gap.lower, buffer.start);
    gap.upper = std::min(gap.upper, buffer.end);
    gap.window_upper = std::min(gap.window_upper, buffer.size);
    if (gap.window_upper <= gap.window_lower) gap.window_lower = gap.window_upper = 0;
    return gap.upper <= gap.lower;
  });
  uint64_t left = buffer.size;
  std::erase_if(buffer.slices, [&](Slice& slice) {
    slice.start = std::clamp(slice.start, buffer.start, buffer.end - 1);
    slice.size = std::min(slice.size, left);
    left -= slice.size;
    return slice.size == 0;
  });
}

void RestrictAlignment(const GenerateOptions& options, Buffer& buffer) {
  const uint64_t a = buffer.alignment;
  if (a == 1) return;
  if (!Can(options, IsPowerOfTwo(a) ? feature::kAlign : feature::kOddAlign)) buffer.alignment = 1;
}

void RestrictBuffer(const GenerateOptions& options, Buffer& buffer) {
  if (!Can(options, feature::kLarge)) FoldNumbers(buffer);
  RestrictAlignment(options, buffer);
  if (!Can(options, feature::kFixed)) buffer.fixed.reset();
  if (!Can(options, feature::kHint)) buffer.hint.reset();
  if (!Can(options, feature::kSpaces)) buffer.space = 0;
  if (!Can(options, feature::kGroups)) buffer.group = 0;
  if (!Can(options, feature::kGaps)) buffer.gaps.clear();
  if (!Can(options, feature::kSlices)) buffer.slices.clear();
  if (!Can(options, feature::kWindows)) {
    for (Gap& gap : buffer.gaps) gap.window_lower = gap.window_upper = 0;
  }
  if (!Can(options, feature::kSizeZero) && buffer.size == 0) buffer.size = 1;
  if (!Can(options, feature::kEmptyRange)) {
    if (buffer.start == INT64_MAX) --buffer.start;
    if (buffer.end <= buffer.start) buffer.end = buffer.start + 1;
    DropEmptyParts(buffer);
  }
}

}  // namespace

uint64_t DrawPowerOfTwo(Choices& choices, const GenerateOptions& options) {
  if (Can(options, feature::kLarge) && choices.Chance(1, 64)) return uint64_t{1} << choices.Below(64);
  return uint64_t{2} << choices.Below(6);
}

uint64_t DrawOddAlignment(Choices& choices) { return choices.Chance(1, 16) ? 0 : 3 + 2 * choices.Below(6); }

void DrawGap(Choices& choices, const GenerateOptions& options, Buffer& buffer) {
  const uint64_t length = Length(buffer.start, buffer.end);
  if (length == 0) return;
  Gap gap;
  gap.lower = Later(buffer.start, choices.Below(length));
  gap.upper = Later(gap.lower, 1 + choices.Below(Length(gap.lower, buffer.end)));
  if (buffer.size > 0 && Can(options, feature::kWindows) && choices.Chance(1, 2)) {
    gap.window_lower = choices.Below(buffer.size);
    gap.window_upper = gap.window_lower + 1 + choices.Below(buffer.size - gap.window_lower);
  }
  buffer.gaps.push_back(gap);
}

void DrawSlices(Choices& choices, Buffer& buffer) {
  const uint64_t length = Length(buffer.start, buffer.end);
  uint64_t left = buffer.size;
  for (uint64_t pieces = 1 + choices.Below(3); pieces > 0 && left > 0; --pieces) {
    Slice slice;
    slice.size = 1 + choices.Below(left);
    slice.start = Later(buffer.start, choices.Below(length));
    left -= slice.size;
    buffer.slices.push_back(slice);
  }
}

uint64_t DrawEdgeSize(Choices& choices) {
  constexpr uint64_t kHalf = uint64_t{1} << 63;
  switch (choices.Below(4)) {
    case 0:
      return kHalf - choices.Below(4);
    case 1:
      return kHalf / 2 + choices.Below(3);
    case 2:
      return kHalf + choices.Below(3);
    default:
      return kMaxBytes - choices.Below(4);
  }
}

int64_t DrawEdgeTime(Choices& choices) {
  const int64_t by = static_cast<int64_t>(choices.Below(4));
  return choices.Below(2) == 0 ? INT64_MAX - by : INT64_MIN + by;
}

uint64_t LivePeak(const Problem& problem) {
  struct Event {
    uint32_t space;
    int64_t time;
    bool begins;
    uint64_t size;
  };
  std::vector<Event> events;
  events.reserve(2 * problem.buffers.size());
  for (const Buffer& buffer : problem.buffers) {
    if (buffer.end <= buffer.start || buffer.size == 0) continue;
    events.push_back({buffer.space, buffer.start, true, buffer.size});
    events.push_back({buffer.space, buffer.end, false, buffer.size});
  }
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return std::tie(a.space, a.time, a.begins) < std::tie(b.space, b.time, b.begins);
  });
  unsigned __int128 live = 0, peak = 0;
  for (const Event& event : events) {
    live += event.begins ? event.size : -static_cast<unsigned __int128>(event.size);
    peak = std::max(peak, live);
  }
  return peak > kMaxBytes ? kMaxBytes : static_cast<uint64_t>(peak);
}

uint64_t SumOfSizes(const Problem& problem) {
  uint64_t sum = 0;
  for (const Buffer& buffer : problem.buffers) sum = SaturatingAdd(sum, buffer.size);
  return sum;
}

void Restrict(const GenerateOptions& options, Problem& problem) {
  if (!Can(options, feature::kMany) && options.steps == 0 && problem.buffers.size() > 8)
    problem.buffers.resize(8);
  for (Buffer& buffer : problem.buffers) RestrictBuffer(options, buffer);
  if (!Can(options, feature::kCapacity)) problem.capacity.reset();
  if (!problem.capacity && !Can(options, feature::kMinimize)) problem.capacity = SumOfSizes(problem);
  if (!problem.capacity) return;
  if (!Can(options, feature::kLarge)) problem.capacity = Fold(*problem.capacity);
  if (!Can(options, feature::kCapacityZero) && problem.capacity == 0) problem.capacity = 1;
}

}  // namespace oomph::placement
