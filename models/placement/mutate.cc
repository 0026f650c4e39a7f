// Changes a problem by a few edits that a planner may trip over. See generate.h.
#include <algorithm>
#include <vector>

#include "models/base/units.h"
#include "models/placement/decorate.h"
#include "models/placement/generate.h"
#include "models/placement/promises.h"

namespace oomph::placement {
namespace {

constexpr size_t kMost = 4096;  // buffers that a mutation still adds to

class Mutator {
 public:
  Mutator(Choices& choices, const GenerateOptions& options, Problem& problem, const Problem& other)
      : choices_(choices), options_(options), problem_(problem), buffers_(problem.buffers), other_(other) {}

  void Run() {
    for (uint64_t edits = 1 + choices_.Below(4); edits > 0; --edits) {
      switch (choices_.Below(4)) {
        case 0:
          EditList();
          break;
        case 1:
          EditSize();
          break;
        case 2:
          EditTime();
          break;
        default:
          EditFeature();
          break;
      }
    }
    Restrict(options_, problem_);
  }

 private:
  void EditList();
  void EditSize();
  void EditTime();
  void EditFeature();
  void EditParts(Buffer& buffer);
  void Splice();
  void DropStretch(size_t from) {
    const size_t to = std::min(buffers_.size(), from + 1 + choices_.Below(8));
    buffers_.erase(buffers_.begin() + from, buffers_.begin() + to);
  }
  void RepeatStretch(size_t from, size_t at) {
    const size_t to = std::min(buffers_.size(), from + 1 + choices_.Below(8));
    const std::vector<Buffer> copy(buffers_.begin() + from, buffers_.begin() + to);
    buffers_.insert(buffers_.begin() + at, copy.begin(), copy.end());
  }
  Buffer& Any() { return buffers_[choices_.Below(buffers_.size())]; }
  uint64_t Nudged(uint64_t number);
  int64_t Nudged(int64_t time);

  Choices& choices_;
  const GenerateOptions& options_;
  Problem& problem_;
  std::vector<Buffer>& buffers_;
  const Problem& other_;
};

uint64_t Mutator::Nudged(uint64_t number) {
  switch (choices_.Below(6)) {
    case 0:
      return SaturatingAdd(number, 1);
    case 1:
      return SaturatingSub(number, 1);
    case 2:
      return SaturatingMul(number, 2);
    case 3:
      return number / 2;
    case 4:
      return choices_.Below(16);
    default:
      return choices_.Chance(1, 8) ? DrawEdgeSize(choices_) : SaturatingAdd(number, choices_.Below(64));
  }
}

int64_t Mutator::Nudged(int64_t time) {
  const int64_t by = 1 + static_cast<int64_t>(choices_.Below(3));
  if (choices_.Chance(1, 64)) return DrawEdgeTime(choices_);
  if (choices_.Below(2) == 0) return Later(time, static_cast<uint64_t>(by));
  return time < INT64_MIN + by ? time : time - by;
}

// What the other has that this has not: its tail, some of it among ours, or the room it had.
void Mutator::Splice() {
  if (other_.buffers.empty()) return;
  const size_t from = choices_.Below(other_.buffers.size());
  const size_t to = std::min(other_.buffers.size(), from + 1 + choices_.Below(16));
  const size_t at = choices_.Below(buffers_.size() + 1);
  std::vector<Buffer> taken(other_.buffers.begin() + from, other_.buffers.begin() + to);
  if (problem_.extra_columns != other_.extra_columns) {  // cells under other names say nothing here
    for (Buffer& buffer : taken) buffer.extra.clear();
  }
  buffers_.insert(buffers_.begin() + at, taken.begin(), taken.end());
  if (choices_.Chance(1, 2)) problem_.capacity = other_.capacity;
}

void Mutator::EditList() {
  const size_t n = buffers_.size();
  const uint64_t kind = choices_.Below(5);
  if (n == 0 || kind == 4) {
    if (n < kMost) Splice();
    return;
  }
  const size_t i = choices_.Below(n), j = choices_.Below(n);
  if (kind == 0) return DropStretch(i);
  if (kind == 1 && n < kMost) return RepeatStretch(i, j);
  if (kind == 2) return std::swap(buffers_[i], buffers_[j]);
  buffers_.erase(buffers_.begin() + (choices_.Below(2) == 0 ? 0 : n - 1));  // the first or the last
}

// Sizes and the capacity: off by one, equal, exactly what is left over.
void Mutator::EditSize() {
  const uint64_t kind = choices_.Below(6);
  if (kind == 0 || buffers_.empty()) {
    problem_.capacity = problem_.capacity ? Nudged(*problem_.capacity) : LivePeak(problem_);
    return;
  }
  Buffer& buffer = Any();
  const Buffer& model = Any();
  switch (kind) {
    case 1:
      buffer.size = Nudged(buffer.size);
      break;
    case 2:
      buffer.size = model.size;
      break;
    case 3:
      if (problem_.capacity) buffer.size = SaturatingSub(*problem_.capacity, model.size);
      break;
    case 4:
      if (choices_.Below(2) == 0) {
        problem_.capacity = LivePeak(problem_);
      } else {
        problem_.capacity.reset();
      }
      break;
    default:
      buffer.size = 0;
      break;
  }
}

// Times: off by one, touching, the same, empty.
void Mutator::EditTime() {
  if (buffers_.empty()) return;
  Buffer& buffer = Any();
  const Buffer& model = Any();
  switch (choices_.Below(6)) {
    case 0:
      buffer.start = Nudged(buffer.start);
      break;
    case 1:
      buffer.end = Nudged(buffer.end);
      break;
    case 2:
      buffer.start = model.end;
      break;
    case 3:
      buffer.end = model.start;
      break;
    case 4:
      buffer.start = model.start;
      buffer.end = model.end;
      break;
    default:
      buffer.end = buffer.start;
      break;
  }
}

void Mutator::EditFeature() {
  if (buffers_.empty()) return;
  Buffer& buffer = Any();
  switch (choices_.Below(8)) {
    case 0:
      buffer.alignment = choices_.Below(2) == 0 ? 1 : DrawPowerOfTwo(choices_, options_);
      break;
    case 1:
      buffer.alignment = DrawOddAlignment(choices_);
      break;
    case 2:
      if (buffer.fixed) {
        buffer.fixed.reset();
      } else {
        buffer.fixed = choices_.Below(SaturatingAdd(LivePeak(problem_), 1));
      }
      break;
    case 3:
      if (buffer.hint) {
        buffer.hint.reset();
      } else {
        buffer.hint = choices_.Below(SaturatingAdd(LivePeak(problem_), 1));
      }
      break;
    case 4:
      buffer.space = static_cast<uint32_t>(choices_.Below(3));
      break;
    case 5:
      buffer.group = static_cast<uint32_t>(choices_.Below(3));
      break;
    default:
      EditParts(buffer);
      break;
  }
}

// Gaps and slices: one more, none, a bound moved (also out of its order).
void Mutator::EditParts(Buffer& buffer) {
  switch (choices_.Below(6)) {
    case 0:
      return DrawGap(choices_, options_, buffer);
    case 1:
      return buffer.gaps.clear();
    case 2:
      return DrawSlices(choices_, buffer);
    case 3:
      return buffer.slices.clear();
    default:
      break;
  }
  if (!buffer.gaps.empty()) {
    Gap& gap = buffer.gaps[choices_.Below(buffer.gaps.size())];
    switch (choices_.Below(4)) {
      case 0:
        gap.lower = Nudged(gap.lower);
        break;
      case 1:
        gap.upper = Nudged(gap.upper);
        break;
      case 2:
        gap.window_lower = Nudged(gap.window_lower);
        break;
      default:
        gap.window_upper = Nudged(gap.window_upper);
        break;
    }
  } else if (!buffer.slices.empty()) {
    Slice& slice = buffer.slices[choices_.Below(buffer.slices.size())];
    slice.size = Nudged(slice.size);
    slice.start = Nudged(slice.start);
  }
}

}  // namespace

void MutateProblem(Choices& choices, const GenerateOptions& options, Problem& problem, const Problem& other) {
  Mutator(choices, options, problem, other).Run();
}

}  // namespace oomph::placement
