// See generate.h. The order of draws is the format of tapes: a change here makes old tapes mean something else, which
// is why stored cases are text.
#include "models/sparsecore/generate.h"

#include <algorithm>
#include <array>
#include <vector>

#include "absl/strings/str_cat.h"
#include "models/base/units.h"
#include "models/sparsecore/draw_parts.h"
#include "models/sparsecore/promises.h"
#include "models/sparsecore/text.h"

namespace oomph::sparsecore {
namespace {

constexpr std::array<uint32_t, kTargets> kTargetShares = {2, 4, 3};
constexpr uint32_t kDeepest = 4;
constexpr uint64_t kMostHeld = uint64_t{1} << 40;  // words: memories without end are not filled

class Generator {
 public:
  Generator(Choices& choices, const GenerateOptions& options, Program& into) : choices_(choices), options_(options), program_(into) {}

  void Run() {
    program_ = Program();
    DrawHeader();
    left_ = options_.steps != 0 ? options_.steps : 2 + choices_.Below(choices_.Chance(1, 4) ? 14 : 7);
    const bool full = Can(feature::kScratch) && choices_.Chance(1, 10) && DrawFull();
    DrawScratch();
    DrawRegion(0, false);
    if (program_.buffers.empty()) AddBuffers(Kind::kAllocate, 1);
    if (Can(feature::kLarge) && choices_.Chance(1, 64)) MakeLarge();
    if (!full && choices_.Chance(3, 5)) AimAtTheLimit(choices_, program_);
    if (choices_.Chance(1, 32)) {
      SpoilProgram(choices_, options_, program_);
      Normalize(program_);
    }
  }

 private:
  bool Can(int index) const { return sparsecore::Can(options_, index); }
  void DrawHeader();
  void DrawLimits();
  bool DrawFull();
  void DrawScratch();
  void DrawRegion(uint32_t depth, bool fresh);
  void DrawItem(uint32_t depth);
  void DrawBlock(Kind kind, uint32_t depth, uint64_t trips = 0);
  void DrawTail(uint32_t depth);
  void DrawPair(uint32_t depth);
  void DrawEmpty();
  void AddBuffers(Kind kind, uint64_t count);
  void AddUse(uint32_t buffer);
  void AddCopy();
  void MakeLarge();
  Space BodySpace() const;
  void Add(Kind kind, uint32_t buffer = kNoBuffer, uint64_t trips = 0) { program_.statements.push_back({kind, buffer, trips}); }

  Choices& choices_;
  GenerateOptions options_;
  Program& program_;
  uint64_t left_ = 0;               // buffers and copies that may still come
  std::vector<uint32_t> visible_;  // buffers
};

void Generator::DrawHeader() {
  std::array<uint32_t, kTargets> shares = kTargetShares;
  for (size_t t = 0; t < kTargets; ++t) {
    if (!Can(feature::kFirstTarget + static_cast<int>(t))) shares[t] = 0;
  }
  program_.target = static_cast<Target>(choices_.Weighted(shares));
  if (Can(feature::kScalarCore) && choices_.Chance(1, 6)) program_.core = Core::kScalar;
  if (Can(feature::kLinear) && choices_.Chance(1, 3)) program_.tiling = Tiling::kLinear;
  if (Can(feature::kPhysical) && choices_.Chance(1, 12)) program_.tiling = Tiling::kNone;
  if (Can(feature::kNumbered) && choices_.Chance(1, 12)) program_.wording = Wording::kNumbered;
  if (Can(feature::kOwnLimits) && choices_.Chance(1, 8)) DrawLimits();
}

void Generator::DrawLimits() {
  for (uint64_t n = 1 + choices_.Below(2); n > 0; --n) {
    SpaceLimit& limit = program_.limits.emplace_back();
    static constexpr Space kSpaces[] = {Space::kTileSpmem, Space::kSpmem, Space::kSmemTile, Space::kSflagTile,
                                        Space::kSmemScs,   Space::kSflagScs, Space::kHbm};
    limit.space = kSpaces[choices_.Below(std::size(kSpaces))];
    if (program_.limits.size() == 2 && program_.limits[0].space == limit.space) return program_.limits.pop_back();
    static constexpr uint64_t kLast[] = {1023, 4095, 65535, 255, 0, UINT64_MAX};
    if (choices_.Below(4) != 3) limit.last_word = choices_.Chance(1, 3) ? choices_.Below(5000) : kLast[choices_.Below(choices_.Chance(1, 6) ? 6 : 4)];
    if (!limit.last_word || choices_.Below(3) == 2) limit.first_word = choices_.Below(70);
  }
}

void Generator::AddUse(uint32_t buffer) {
  const bool unused = Can(feature::kUnused) && choices_.Chance(1, 24), loaded = Can(feature::kLoads) && choices_.Chance(1, 24);
  if (unused) return;
  const Space space = program_.buffers[buffer].space;
  const bool copied = Can(feature::kCopies) && space == Space::kTileSpmem && choices_.Chance(1, 5);
  Add(loaded ? Kind::kLoad : copied ? Kind::kCopy : Kind::kUse, buffer);
}

// One after the other, as a scope has them; then each is used.
void Generator::AddBuffers(Kind kind, uint64_t count) {
  const size_t first = program_.buffers.size();
  for (uint64_t n = 0; n < count; ++n) {
    Space space = Space::kTileSpmem;
    if (!DrawSpace(choices_, options_, program_, kind == Kind::kScratch, space)) return;
    choices_.BeginSpan();
    program_.buffers.push_back(DrawBuffer(choices_, options_, program_, space, program_.buffers.size()));
    Add(kind, static_cast<uint32_t>(program_.buffers.size() - 1));
    choices_.EndSpan();
    left_ = SaturatingSub(left_, 1);
  }
  for (size_t b = first; b < program_.buffers.size(); ++b) {
    visible_.push_back(static_cast<uint32_t>(b));
    if (kind != Kind::kScratch) AddUse(static_cast<uint32_t>(b));
  }
}

// A memory of few words that is full but for the last, which more is checked of than bounds.
bool Generator::DrawFull() {
  const bool scalar = program_.core == Core::kScalar, semaphores = choices_.Below(2) == 0;
  const Space space = semaphores ? (scalar ? Space::kSflagScs : Space::kSflagTile) : scalar ? Space::kSmemScs : Space::kSmemTile;
  if (!Can(feature::kFirstSpace + static_cast<int>(space)) || LastWordOf(program_, space) > kMostHeld) return false;
  if (!semaphores && Can(feature::kLinear)) program_.tiling = Tiling::kLinear;  // to the word
  const uint64_t window = semaphores ? (scalar ? 10 : 3) : scalar ? 48 : 2;
  const uint64_t words = SaturatingSub(SaturatingAdd(LastWordOf(program_, space), 1), FirstWordOf(program_, space));
  const uint64_t left = words - std::min(words, semaphores && !scalar ? (1 + choices_.Below(window)) % window : choices_.Below(window));
  // Nobody else takes of it.
  options_.features &= ~feature::BitOf(space) & ~feature::Bit(feature::kCopies) & ~feature::Bit(feature::kHbmCopies);
  const auto add = [&](std::vector<uint64_t> shape) {
    Buffer& buffer = program_.buffers.emplace_back();
    buffer.name = absl::StrCat("b", program_.buffers.size() - 1);
    buffer.space = space;
    buffer.type = Type::kS32;
    buffer.shape = std::move(shape);
    visible_.push_back(static_cast<uint32_t>(program_.buffers.size() - 1));
    Add(Kind::kScratch, visible_.back());
  };
  // Of Smem by tiles, and a few scalars.
  const uint64_t granule = semaphores || program_.tiling == Tiling::kNone ? 1 : program_.tiling == Tiling::kLinear ? 8 : 128;
  if (left >= granule) add({RoundDown(left, granule)});
  for (uint64_t n = std::min<uint64_t>(left % granule, 8); n > 0; --n) add({});
  return true;
}

// Used in the body at once, that is first of all.
void Generator::DrawScratch() {
  if (!Can(feature::kScratch)) return;
  static constexpr uint64_t kCounts[] = {0, 0, 0, 1, 1, 2, 2, 3, 4};
  AddBuffers(Kind::kScratch, kCounts[choices_.Below(std::size(kCounts))]);
  for (const uint32_t buffer : std::vector<uint32_t>(visible_)) AddUse(buffer);
}

void Generator::AddCopy() {
  std::vector<uint32_t> tile;
  for (const uint32_t b : visible_) {
    if (program_.buffers[b].space == Space::kTileSpmem) tile.push_back(b);
  }
  const bool none = Can(feature::kHbmCopies) && (tile.empty() || choices_.Below(3) == 2);
  if (none) return Add(Kind::kCopy);
  if (!tile.empty()) Add(Kind::kCopy, tile[choices_.Below(tile.size())]);
}

void Generator::DrawBlock(Kind kind, uint32_t depth, uint64_t trips) {
  choices_.BeginSpan();
  const size_t outer = visible_.size();
  Add(kind, kNoBuffer, trips);
  DrawRegion(depth + 1, kind == Kind::kScope || (Can(feature::kFlat) && left_ > 0 && choices_.Chance(1, 3)));
  visible_.resize(outer);
  if (kind == Kind::kIf && choices_.Chance(2, 5)) {
    Add(Kind::kElse);
    DrawRegion(depth + 1, false);
    visible_.resize(outer);
  }
  Add(Kind::kEnd);
  choices_.EndSpan();
}

void Generator::DrawItem(uint32_t depth) {
  const bool deeper = depth < kDeepest && left_ > 0;
  const auto weight = [&](int index, uint32_t n) { return deeper && Can(index) ? n : 0u; };
  const std::array<uint32_t, 8> shares = {weight(feature::kScopes, 10), weight(feature::kIf, 5), weight(feature::kFor, 4), weight(feature::kWhile, 3),
                                          Can(feature::kCopies) ? 2u : 0, 2, Can(feature::kFlat) && left_ > 0 ? 2u : 0, visible_.empty() ? 0u : 2};
  switch (choices_.Weighted(shares)) {
    case 0: return deeper && Can(feature::kScopes) ? DrawBlock(Kind::kScope, depth) : Add(Kind::kWork);
    case 1: return DrawBlock(Kind::kIf, depth);
    case 2: return DrawBlock(Kind::kFor, depth, DrawTrips(choices_, options_));
    case 3: return DrawBlock(Kind::kWhile, depth);
    case 4: return AddCopy();
    case 6: return AddBuffers(Kind::kAllocate, 1 + choices_.Below(2));
    case 7: return AddUse(visible_[choices_.Below(visible_.size())]);
    default: return Add(Kind::kWork);
  }
}

// What is last in a region decides what is hoisted: often a block.
void Generator::DrawRegion(uint32_t depth, bool fresh) {
  if (fresh) AddBuffers(Kind::kAllocate, 1 + choices_.Below(3) / 2);
  const uint64_t items = fresh ? choices_.Below(4) : 1 + choices_.Below(depth == 0 ? 4 : 3);
  for (uint64_t n = 0; n < items && !(choices_.exhausted() && n > 0); ++n) DrawItem(depth);
  if (depth == 0) {
    while (left_ > 0 && Can(feature::kScopes) && !choices_.exhausted()) {
      const uint64_t before = left_;
      DrawBlock(Kind::kScope, 0);
      if (left_ == before) break;
    }
  }
  static constexpr std::array<uint32_t, 3> kEnds = {5, 4, 4};  // nothing more, work, what decides whether something is last
  switch (choices_.Weighted(kEnds)) {
    case 1: return Add(Kind::kWork);
    case 2: return DrawTail(depth);
    default: return;
  }
}

// Of which a canonical form may leave nothing, or what is in it: what stood before it is the last then, or what it has.
void Generator::DrawTail(uint32_t depth) {
  const bool scopes = Can(feature::kScopes) && depth < kDeepest;
  if (!scopes) return DrawEmpty();
  static constexpr std::array<uint32_t, 4> kShares = {3, 3, 3, 2};
  switch (choices_.Weighted(kShares)) {
    case 0: return Can(feature::kIf) ? DrawPair(depth) : DrawEmpty();
    case 1:
      DrawBlock(Kind::kScope, depth);
      return DrawEmpty();
    case 2:
      if (!Can(feature::kFor) || !Can(feature::kFewTrips)) return DrawBlock(Kind::kScope, depth);
      DrawBlock(Kind::kScope, depth);
      Add(Kind::kFor, kNoBuffer, choices_.Below(3) == 2 ? 0 : 1);
      DrawBlock(Kind::kScope, depth + 1);
      return Add(Kind::kEnd);
    default: return DrawBlock(Kind::kScope, depth);
  }
}

// Two branches that end in scopes, or branches of branches: too large for both to be hoisted.
void Generator::DrawPair(uint32_t depth) {
  const auto branch = [&] {
    const size_t outer = visible_.size();
    Add(Kind::kScope);
    program_.buffers.push_back(DrawBuffer(choices_, options_, program_, BodySpace(), program_.buffers.size()));
    Buffer& buffer = program_.buffers.back();
    const uint64_t all = LastWordOf(program_, buffer.space);
    DrawShape(choices_, options_, program_, all < kMostHeld ? all / 4 + choices_.Below(all / 2 + 1) : 1024, buffer);
    Add(Kind::kAllocate, static_cast<uint32_t>(program_.buffers.size() - 1));
    Add(Kind::kUse, static_cast<uint32_t>(program_.buffers.size() - 1));
    visible_.resize(outer);
    Add(Kind::kEnd);
  };
  Add(Kind::kIf);
  if (depth + 1 < kDeepest && choices_.Chance(1, 3)) {
    DrawPair(depth + 1);
  } else {
    branch();
  }
  Add(Kind::kElse);
  branch();
  Add(Kind::kEnd);
}

void Generator::DrawEmpty() {
  static constexpr Kind kBlocks[] = {Kind::kIf, Kind::kFor, Kind::kWhile, Kind::kScope};
  static constexpr int kNeeds[] = {feature::kIf, feature::kFor, feature::kWhile, feature::kScopes};
  const size_t which = choices_.Below(4);
  if (!Can(kNeeds[which])) return;
  const bool never = kBlocks[which] == Kind::kFor && Can(feature::kFewTrips) && choices_.Below(2) == 1;
  Add(kBlocks[which], kNoBuffer, never || kBlocks[which] != Kind::kFor ? 0 : 2 + choices_.Below(3));
  if (never && visible_.empty()) Add(Kind::kWork);
  if (never && !visible_.empty()) AddUse(visible_[choices_.Below(visible_.size())]);
  Add(Kind::kEnd);
}

// Where allocations of the body go for the most part.
Space Generator::BodySpace() const {
  const bool scalar = program_.core == Core::kScalar;
  for (const Space space : {scalar ? Space::kSpmem : Space::kTileSpmem, scalar ? Space::kSmemScs : Space::kSmemTile,
                            scalar ? Space::kSflagScs : Space::kSflagTile}) {
    if (Can(feature::kFirstSpace + static_cast<int>(space))) return space;
  }
  return Space::kTileSpmem;
}

// One that no memory holds, up to where 64 bits end.
void Generator::MakeLarge() {
  if (program_.buffers.empty()) return;
  Buffer& buffer = program_.buffers[choices_.Below(program_.buffers.size())];
  const bool last = buffer.space == Space::kHbm;
  if (last) {
    buffer.shape = {uint64_t{1} << (51 + choices_.Below(4)), 128};
    return;
  }
  const uint64_t words = uint64_t{1} << (58 + choices_.Below(4));
  buffer.shape = {SaturatingAdd(words, choices_.Below(3) == 0 ? 0 : choices_.Below(1 << 20))};
  buffer.tile.reset();
}

}  // namespace

void GenerateProgram(Choices& choices, const GenerateOptions& options, Program& into) {
  Generator(choices, options, into).Run();
  if ((FeaturesOf(into) & ~options.features) == 0) return;
  // A mixture that nothing above foresaw: the plainest program of what is allowed.
  const Target target = into.target;
  into = Program();
  into.target = target;
  Buffer buffer;
  buffer.name = "b0";
  buffer.shape = {1024};
  into.buffers.push_back(buffer);
  into.statements = {{Kind::kAllocate, 0}, {Kind::kUse, 0}};
  if (Can(options, feature::kScopes)) into.statements.insert(into.statements.begin(), {Kind::kScope}), into.statements.push_back({Kind::kEnd});
}

}  // namespace oomph::sparsecore
