// See generate.h. The order of draws is the format of tapes: a change here makes old tapes mean something
// else, which is why stored cases are text.
#include "models/placement/generate.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "models/base/units.h"
#include "models/placement/decorate.h"
#include "models/placement/footprint.h"
#include "models/placement/promises.h"

namespace oomph::placement {
namespace {

// What a problem looks like before it gets features.
enum Shape : uint8_t {
  kRandom,    // any ranges, any sizes
  kPacking,   // a rectangle cut into pieces: its height is the optimum, and the live bytes everywhere
  kTouching,  // few points in time, where many ranges meet
  kEqual,     // one size, or nearly
  kChain,     // each meets the next only; small beside large
  kStack,     // each within the one before
  kComb,      // what goes leaves a hole in which the next ones, each larger, do not fit
  kKnot,      // no placement meets the live bytes: only a proof can say so
  kNumShapes
};
constexpr std::array<uint32_t, kNumShapes> kShapeWeights = {8, 8, 4, 3, 3, 3, 3, 3};

// Small problems whose optimum is above the bytes live at a time (4 and 5: the optimum is one more). They
// were found among 2,000,000 drawn ones, of which 11 were such, and reduced.
struct KnotBuffer {
  int64_t start, end;
  uint64_t size;
};
constexpr KnotBuffer kFourLive[] = {{0, 1, 2}, {0, 3, 2}, {2, 4, 1}, {2, 5, 1},
                                    {3, 5, 1}, {4, 7, 2}, {6, 7, 2}};
constexpr KnotBuffer kFiveLive[] = {{6, 7, 3}, {0, 5, 1}, {8, 9, 4}, {0, 1, 4},
                                    {2, 7, 1}, {4, 9, 1}, {2, 3, 3}};

// How the capacity stands to the bytes that are live at a time.
enum Room : uint8_t { kMinimum, kTight, kClose, kShort, kAmple, kAnything, kNone, kNumRooms };
constexpr std::array<uint32_t, kNumRooms> kRoomWeights = {24, 16, 10, 8, 4, 2, 2};

// A feature and in how many of 24 cases it is drawn.
struct Share {
  feature::Index feature;
  uint32_t of_24;
};
constexpr Share kShares[] = {
    {feature::kAlign, 6},    {feature::kOddAlign, 2},   {feature::kFixed, 2}, {feature::kHint, 2},
    {feature::kSpaces, 2},   {feature::kGroups, 3},     {feature::kGaps, 4},  {feature::kSlices, 3},
    {feature::kSizeZero, 2}, {feature::kEmptyRange, 2}, {feature::kLarge, 1},
};

constexpr size_t kFew = 8;  // without the feature `many`, no more

class Generator {
 public:
  Generator(Choices& choices, const GenerateOptions& options, Problem& into)
      : choices_(choices), options_(options), problem_(into), buffers_(into.buffers) {}

  void Run() {
    problem_.capacity.reset();
    problem_.extra_columns.clear();
    buffers_.clear();
    if (options_.live != 0) return DrawTraffic();
    DrawProfile();
    DrawShape();
    // A tape that ends among the buffers ends the problem: what were drawn from here on would be part of a recording,
    // which would then go on with more buffers.
    if (!choices_.exhausted()) DrawFeatures();
    DrawCapacity();
  }

 private:
  void DrawTraffic();
  void DrawProfile();
  void DrawShape();
  void DrawPacking();
  void CutRectangle();
  void Disturb();
  void Shuffle();
  void DrawOne(Shape shape, size_t i);
  void DrawKnot();
  uint64_t DrawSize() { return unit_ * (1 + choices_.Below(most_units_)); }
  void DrawFeatures();
  void DrawFeaturesOf(size_t i);
  void DrawFixed();
  void DrawLarge();
  void DrawCapacity();
  bool Active(int feature) const { return (active_ >> feature & 1) != 0; }
  Buffer& Add() {
    Buffer& buffer = buffers_.emplace_back();
    buffer.id = "b" + std::to_string(buffers_.size() - 1);
    return buffer;
  }

  Choices& choices_;
  const GenerateOptions& options_;
  Problem& problem_;
  std::vector<Buffer>& buffers_;
  size_t count_ = 1;
  uint64_t unit_ = 1;             // every size is a multiple, before features
  uint64_t most_units_ = 1;       // of one buffer
  uint64_t horizon_ = 1;          // starts lie below
  Bits64 active_ = 0;             // the features of this case
  std::vector<uint64_t> places_;  // an offset for each buffer with which all fit, where one is known
};

// ---- Shapes ----

// As many as are asked for, about options.live of them live at a time. Easy, and made in one pass: for
// measuring.
void Generator::DrawTraffic() {
  const size_t count = options_.steps != 0 ? options_.steps : 16 * options_.live;
  buffers_.reserve(std::min<size_t>(count, size_t{1} << 20));
  while (buffers_.size() < count && !choices_.exhausted()) {
    Buffer& buffer = Add();
    buffer.start = static_cast<int64_t>(buffers_.size() - 1);
    buffer.end = Later(buffer.start, 1 + choices_.Below(2 * std::min<uint64_t>(options_.live, 1 << 30) - 1));
    buffer.size = 16 * (1 + choices_.Below(512));
  }
  if (!Can(options_, feature::kMinimize)) problem_.capacity = SumOfSizes(problem_);
}

void Generator::DrawProfile() {
  const bool many = Can(options_, feature::kMany) && choices_.Chance(1, 2);
  count_ = 1 + choices_.Below(kFew);
  if (many) count_ = kFew + 1 + choices_.Below(choices_.Chance(1, 8) ? 120 : 22);
  if (options_.steps != 0) count_ = options_.steps;
  unit_ = uint64_t{1} << choices_.Below(11);
  static constexpr uint64_t kMost[] = {3, 12, 1000};
  most_units_ = kMost[choices_.Below(3)];
  horizon_ = 1 + choices_.Below(4 * count_);
  for (const Share& share : kShares) {
    if (Can(options_, share.feature) && choices_.Chance(share.of_24, 24))
      active_ |= Bits64{1} << share.feature;
  }
}

void Generator::DrawShape() {
  std::array<uint32_t, kNumShapes> weights = kShapeWeights;
  SwarmWeights(choices_, weights);
  const Shape shape = static_cast<Shape>(choices_.Weighted(weights));
  buffers_.reserve(std::min<size_t>(count_, size_t{1} << 20));
  if (shape == kPacking) return DrawPacking();
  if (shape == kKnot) DrawKnot();
  while (buffers_.size() < count_ && (buffers_.empty() || !choices_.exhausted())) {
    choices_.BeginSpan();
    DrawOne(shape, buffers_.size());
    choices_.EndSpan();
  }
}

void Generator::DrawOne(Shape shape, size_t i) {
  const int64_t at = static_cast<int64_t>(i), count = static_cast<int64_t>(count_);
  Buffer& buffer = Add();
  buffer.size = DrawSize();
  switch (shape) {
    case kTouching: {
      const uint64_t points = 2 + horizon_ % 5;
      buffer.start = static_cast<int64_t>(choices_.Below(points));
      buffer.end = Later(buffer.start, 1 + choices_.Below(points - buffer.start));
      return;
    }
    case kChain:
      buffer.start = at;
      buffer.end = at + 2 + static_cast<int64_t>(choices_.Below(2));
      if (i % 2 == 1) buffer.size *= most_units_;
      return;
    case kStack:
      buffer.start = at;
      buffer.end = 2 * count - at - static_cast<int64_t>(choices_.Below(2));
      return;
    case kComb:  // a tooth that goes, then a bristle that stays
      buffer.start = at / 2;
      buffer.end = i % 2 == 0 ? at / 2 + 1 : count + 1;
      buffer.size = unit_ * (2 + i / 2 + choices_.Below(2));
      return;
    case kEqual:
      if (i > 0 && !choices_.Chance(1, 16)) buffer.size = buffers_.front().size;
      [[fallthrough]];
    default:
      buffer.start = static_cast<int64_t>(choices_.Below(horizon_));
      buffer.end = Later(buffer.start, 1 + choices_.Below(choices_.Chance(1, 2) ? horizon_ : 4));
      return;
  }
}

// A knot, to which other buffers may come (it is then one no more, or one in disguise).
void Generator::DrawKnot() {
  const std::span<const KnotBuffer> knot =
      choices_.Below(2) == 0 ? std::span(kFourLive) : std::span(kFiveLive);
  const bool backwards = choices_.Below(2) == 1;
  const int64_t stretch = 1 + static_cast<int64_t>(choices_.Below(3));
  for (const KnotBuffer& one : knot) {
    Buffer& buffer = Add();
    buffer.start = stretch * (backwards ? -one.end : one.start);
    buffer.end = stretch * (backwards ? -one.start : one.end);
    buffer.size = one.size * unit_;
  }
  horizon_ = 9 * static_cast<uint64_t>(stretch);
  const bool alone = choices_.Below(2) == 0;
  if (options_.steps == 0) count_ = alone ? knot.size() : std::max(count_, knot.size());
  if (buffers_.size() > count_) buffers_.resize(count_);
}

// Cuts [0, width) x [0, height) from side to side, then one of the pieces, until there are enough.
void Generator::CutRectangle() {
  const uint64_t count = count_;
  Buffer& whole = Add();
  whole.end = static_cast<int64_t>(2 + choices_.Below(4 * count));
  whole.size = count + choices_.Below(8 * count);
  places_.push_back(0);
  for (size_t tries = 4 * count_; tries > 0 && buffers_.size() < count_ && !choices_.exhausted(); --tries) {
    choices_.BeginSpan();
    const size_t i = choices_.Below(buffers_.size());
    const uint64_t width = Length(buffers_[i].start, buffers_[i].end), height = buffers_[i].size;
    const bool across = width > 1 && (height <= 1 || choices_.Below(2) == 0);
    if (across || height > 1) {
      const uint64_t cut = 1 + choices_.Below((across ? width : height) - 1);
      Buffer& other = Add();
      Buffer& one = buffers_[i];
      other.start = one.start;
      other.end = one.end;
      other.size = one.size;
      places_.push_back(places_[i] + (across ? 0 : cut));
      if (across) {
        one.end = other.start = Later(one.start, cut);
      } else {
        one.size = cut;
        other.size -= cut;
      }
    }
    choices_.EndSpan();
  }
}

void Generator::DrawPacking() {
  CutRectangle();
  for (size_t i = 0; i < buffers_.size(); ++i) {
    buffers_[i].size *= unit_;
    places_[i] *= unit_;
  }
  if (choices_.exhausted()) return;
  Shuffle();
  if (choices_.Chance(1, 2)) Disturb();
}

void Generator::Shuffle() {
  for (size_t i = 0; i + 1 < buffers_.size(); ++i) {
    const size_t j = i + choices_.Below(buffers_.size() - i);
    std::swap(buffers_[i].size, buffers_[j].size);
    std::swap(buffers_[i].start, buffers_[j].start);
    std::swap(buffers_[i].end, buffers_[j].end);
    std::swap(places_[i], places_[j]);
  }
}

void Generator::Disturb() {
  for (uint64_t edits = 1 + choices_.Below(3); edits > 0; --edits) {
    Buffer& buffer = buffers_[choices_.Below(buffers_.size())];
    switch (choices_.Below(5)) {
      case 0:
        buffer.size += 1;
        break;
      case 1:
        buffer.size = std::max<uint64_t>(buffer.size - 1, 1);
        break;
      case 2:
        buffer.end += 1;
        break;
      case 3:
        buffer.start -= 1;
        break;
      default:
        buffer.size += unit_;
        break;
    }
  }
}

// ---- Features ----

void Generator::DrawFeatures() {
  if (active_ == 0) return;
  if (Active(feature::kGaps) || Active(feature::kSlices)) {  // room in time for them
    for (Buffer& buffer : buffers_) {
      buffer.start *= 4;
      buffer.end *= 4;
    }
  }
  for (size_t i = 0; i < buffers_.size(); ++i) DrawFeaturesOf(i);
  if (Active(feature::kFixed)) DrawFixed();
  if (Active(feature::kLarge)) DrawLarge();
}

void Generator::DrawFeaturesOf(size_t i) {
  Buffer& buffer = buffers_[i];
  if (Active(feature::kSizeZero) && choices_.Chance(1, 4)) buffer.size = 0;
  if (Active(feature::kEmptyRange) && choices_.Chance(1, 4)) {
    buffer.end = buffer.start - (choices_.Chance(1, 8) ? static_cast<int64_t>(choices_.Below(3)) : 0);
  }
  if (Active(feature::kAlign) && choices_.Chance(1, 2)) {
    buffer.alignment = choices_.Chance(1, 2) ? unit_ : DrawPowerOfTwo(choices_, options_);
  }
  if (Active(feature::kOddAlign) && choices_.Chance(1, 3)) buffer.alignment = DrawOddAlignment(choices_);
  if (Active(feature::kSpaces)) buffer.space = static_cast<uint32_t>(choices_.Below(3));
  if (Active(feature::kGroups)) buffer.group = static_cast<uint32_t>(choices_.Below(3));
  if (Active(feature::kGaps)) {
    for (uint64_t gaps = choices_.Below(3); gaps > 0; --gaps) DrawGap(choices_, options_, buffer);
  }
  if (Active(feature::kSlices) && choices_.Chance(1, 2)) DrawSlices(choices_, buffer);
  if (Active(feature::kHint) && choices_.Chance(1, 2)) {
    buffer.hint = places_.empty() ? choices_.Below(4 * most_units_) * unit_ : places_[i];
  }
}

// One or two: more of them hardly ever fit together.
void Generator::DrawFixed() {
  const uint64_t peak = LivePeak(problem_);
  for (uint64_t more = 1 + choices_.Below(2); more > 0; --more) {
    const size_t i = choices_.Below(buffers_.size());
    Buffer& buffer = buffers_[i];
    const bool known = !places_.empty() && !choices_.Chance(1, 4);
    uint64_t offset = known ? places_[i] : choices_.Below(SaturatingSub(peak, buffer.size) + 1);
    if (!choices_.Chance(1, 16)) offset = RoundDown(offset, AlignmentOf(buffer));
    buffer.fixed = offset;
  }
}

// Near the ends of the types: sizes of some, or the times of all.
void Generator::DrawLarge() {
  int64_t first = INT64_MAX, last = INT64_MIN;
  for (const Buffer& buffer : buffers_) {
    first = std::min({first, buffer.start, buffer.end});
    last = std::max({last, buffer.start, buffer.end});
  }
  const uint64_t kind = choices_.Below(4);
  if (kind == 2) {  // one of them lives from an end of time
    Buffer& buffer = buffers_[choices_.Below(buffers_.size())];
    (choices_.Below(2) == 0 ? buffer.end = INT64_MAX : buffer.start = INT64_MIN);
  } else if (kind == 3) {
    const int64_t shift = choices_.Below(2) == 0 ? INT64_MAX - std::max<int64_t>(last, 0)
                                                 : INT64_MIN - std::min<int64_t>(first, 0);
    for (Buffer& buffer : buffers_) {
      buffer.start += shift;
      buffer.end += shift;
      for (Gap& gap : buffer.gaps) gap.lower += shift, gap.upper += shift;
      for (Slice& slice : buffer.slices) slice.start += shift;
    }
  } else {
    for (uint64_t more = 1 + choices_.Below(3); more > 0; --more) {
      buffers_[choices_.Below(buffers_.size())].size = DrawEdgeSize(choices_);
    }
  }
}

// ---- Capacity ----

void Generator::DrawCapacity() {
  if (choices_.exhausted()) {
    if (!Can(options_, feature::kMinimize)) problem_.capacity = std::max<uint64_t>(SumOfSizes(problem_), 1);
    return;
  }
  std::array<uint32_t, kNumRooms> weights = kRoomWeights;
  if (!Can(options_, feature::kMinimize)) weights[kMinimum] = 0;
  if (!Can(options_, feature::kCapacityZero)) weights[kNone] = 0;
  if (!Can(options_, feature::kCapacity)) weights = {1};
  const Room room = static_cast<Room>(choices_.Weighted(weights));
  if (room == kMinimum) return;
  const uint64_t peak = LivePeak(problem_);
  uint64_t capacity = peak;
  switch (room) {
    case kClose:
      capacity = SaturatingAdd(peak, choices_.Below(peak / 4 + 1));
      break;
    case kShort:
      capacity = peak - std::min(peak, 1 + choices_.Below(peak / 4 + 1));
      break;
    case kAmple:
      capacity = SumOfSizes(problem_);
      break;
    case kAnything:
      capacity = choices_.Below(SaturatingAdd(SumOfSizes(problem_), 1));
      break;
    case kNone:
      capacity = 0;
      if (Can(options_, feature::kSizeZero) && choices_.Chance(1, 2)) {
        for (Buffer& buffer : buffers_) {
          buffer.size = 0;
          buffer.gaps.clear();
          buffer.slices.clear();
        }
      }
      break;
    default:
      break;
  }
  if (!Can(options_, feature::kCapacityZero)) capacity = std::max<uint64_t>(capacity, 1);
  problem_.capacity = capacity;
}

}  // namespace

void GenerateProblem(Choices& choices, const GenerateOptions& options, Problem& into) {
  Generator(choices, options, into).Run();
}

}  // namespace oomph::placement
