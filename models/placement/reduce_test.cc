// The lists of edits of placement problems: every edit and every choice of them gives a simpler problem, by the measure
// of reduce.h, that needs no feature more. Not for: which are made (see fuzz/minimize).
#include "models/placement/reduce.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "models/base/choices.h"
#include "models/base/family.h"
#include "models/base/units.h"
#include "models/placement/footprint.h"
#include "models/placement/generate.h"
#include "models/placement/promises.h"
#include "models/placement/reach.h"
#include "models/placement/text.h"

namespace oomph::placement {
namespace {

using Wide = unsigned __int128;

// The figures of reduce.h, in their order.
std::vector<Wide> MeasureOf(const Problem& p) {
  Wide features = p.capacity.has_value() + !p.extra_columns.empty(), lengths = 0, bytes = p.capacity.value_or(0);
  int64_t first = INT64_MAX, last = INT64_MIN;
  const auto time = [&](int64_t t) { first = std::min(first, t), last = std::max(last, t); };
  for (const Buffer& b : p.buffers) {
    features += b.fixed.has_value() + b.hint.has_value() + (b.group != 0) + (b.space != 0) + (b.alignment != 1);
    features += !b.extra.empty() + b.gaps.size() + b.slices.size();
    lengths += Length(b.start, b.end);
    bytes += Wide{b.size} + b.alignment + b.fixed.value_or(0) + b.hint.value_or(0);
    time(b.start), time(b.end);
    for (const Gap& gap : b.gaps) {
      features += gap.window_lower != 0 || gap.window_upper != 0;
      bytes += Wide{gap.window_lower} + gap.window_upper;
      time(gap.lower), time(gap.upper);
    }
    for (const Slice& slice : b.slices) bytes += slice.size, time(slice.start);
  }
  if (p.buffers.empty()) first = last = 0;
  const Wide from_0 = first < 0 ? -static_cast<Wide>(first) : static_cast<Wide>(first);
  return {p.buffers.size(), features, lengths, static_cast<Wide>(last) - static_cast<Wide>(first), from_0, bytes};
}

// Windows may give way to gaps without, odd alignments to powers of two, a capacity to none.
Bits64 Allowed(const Problem& base) {
  const auto bit = [](int index) { return Bits64{1} << index; };
  Bits64 allowed = FeaturesOf(base) | bit(feature::kMinimize);
  if (allowed & bit(feature::kWindows)) allowed |= bit(feature::kGaps);
  if (allowed & bit(feature::kOddAlign)) allowed |= bit(feature::kAlign);
  return allowed;
}

size_t Check(const Edits& edits, const std::vector<uint64_t>& amounts, const Problem& base, std::string_view name) {
  CaseOf<Problem> into;
  if (!edits.Apply(amounts, into)) return 0;
  EXPECT_LT(MeasureOf(into.value), MeasureOf(base)) << name << "\n" << PrintProblem(base) << "to\n"
                                                    << PrintProblem(into.value);
  EXPECT_EQ(FeaturesOf(into.value) & ~Allowed(base), 0u) << name << "\n" << PrintProblem(base) << "to\n"
                                                         << PrintProblem(into.value);
  return 1;
}

void CheckAllLists(const Problem& base, Choices& choices, std::multiset<std::string_view>& made) {
  for (size_t r = 0; r < ProblemReductions().size(); ++r) {
    const std::string_view name = ProblemReductions()[r].name;
    const auto edits = ProblemEditsOf(r, base);
    if (edits == nullptr) continue;
    const std::vector<uint64_t>& most = edits->most();
    std::vector<uint64_t> amounts(most.size());
    for (size_t i = 0; i < most.size() && !testing::Test::HasFailure(); ++i) {
      ASSERT_GT(most[i], 0u) << name;
      for (const uint64_t amount : {uint64_t{1}, most[i] / 2 + 1, most[i]}) {
        amounts[i] = amount;
        if (Check(*edits, amounts, base, name) > 0) made.insert(name);
      }
      amounts[i] = 0;
    }
    Check(*edits, most, base, name);
    if (ProblemReductions()[r].alternatives) continue;
    for (int draw = 0; draw < 10; ++draw) {
      uint64_t sum = 0;
      for (size_t i = 0; i < most.size(); ++i) sum |= amounts[i] = choices.Chance(1, 2) ? 0 : choices.Between(0, most[i]);
      if (sum > 0) Check(*edits, amounts, base, name);
    }
  }
}

Problem Generated(uint64_t seed) {
  Choices choices = Choices::FromSeed(seed, seed % 2 == 0);
  Problem problem;
  GenerateOptions options;
  options.steps = 1 + seed % 12;
  GenerateProblem(choices, options, problem);
  return problem;
}

TEST(ProblemEdits, MakeEveryProblemSimpler) {
  std::multiset<std::string_view> made;
  Choices choices = Choices::FromSeed(1, false);
  for (uint64_t seed = 0; seed < 200 && !testing::Test::HasFailure(); ++seed) {
    Problem problem = Generated(seed);
    if (seed % 9 == 0) problem.extra_columns = "note", problem.buffers[0].extra = "x";
    CheckAllLists(problem, choices, made);
  }
  for (const ReductionInfo& info : ProblemReductions()) EXPECT_GT(made.count(info.name), 0u) << info.name;
}

TEST(ProblemEdits, OfTheEndsOfTheNumbersToo) {
  std::multiset<std::string_view> made;
  Choices choices = Choices::FromSeed(2, false);
  for (const uint64_t size : {uint64_t{0}, uint64_t{1}, kMaxBytes}) {
    for (const int64_t start : {INT64_MIN, int64_t{-1}, int64_t{0}, INT64_MAX}) {
      for (const int64_t end : {INT64_MIN, int64_t{1}, INT64_MAX}) {
        Buffer b;
        b.size = b.alignment = size;
        b.fixed = b.hint = kMaxBytes;
        b.start = start, b.end = end;
        b.gaps = {{start, end, kMaxBytes, size}, {end, start, size, kMaxBytes}};
        b.slices = {{kMaxBytes, end}, {size, start}};
        Problem problem{kMaxBytes, {b, b}, ""};
        CheckAllLists(problem, choices, made);
      }
    }
  }
}

TEST(ProblemEdits, OfAnEmptyProblemThereAreNone) {
  for (size_t r = 0; r < ProblemReductions().size(); ++r) {
    const Problem empty;
    const auto edits = ProblemEditsOf(r, empty);
    CaseOf<Problem> into;
    EXPECT_TRUE(edits == nullptr || !edits->Apply(edits->most(), into)) << ProblemReductions()[r].name;
  }
}

// Whatever makes two problems unequal makes their fingerprints so.
TEST(FingerprintOfProblem, IsThatOfEqualProblemsOnly) {
  Buffer b;
  b.id = "a";
  b.size = 8;
  b.end = 9;
  b.fixed = 0;
  b.gaps = {{1, 2, 3, 4}};
  b.slices = {{1, 2}};
  const Problem problem{64, {b, b}, "note"};
  EXPECT_EQ(FingerprintOfProblem(problem), FingerprintOfProblem(Problem(problem)));
  std::set<Fingerprint> seen = {FingerprintOfProblem(problem)};
  size_t count = 1;
  const auto add = [&](auto change) {
    Problem other = problem;
    change(other, other.buffers[1]);
    ASSERT_NE(other, problem);
    ++count;
    seen.insert(FingerprintOfProblem(other));
  };
  add([](Problem& p, Buffer&) { p.capacity.reset(); });
  add([](Problem& p, Buffer&) { p.capacity = 0; });
  add([](Problem& p, Buffer&) { p.extra_columns.clear(); });
  add([](Problem& p, Buffer&) { p.buffers.pop_back(); });
  add([](Problem&, Buffer& o) { o.id = "b"; });
  add([](Problem&, Buffer& o) { o.extra = "b"; });
  add([](Problem&, Buffer& o) { o.size = 9; });
  add([](Problem&, Buffer& o) { o.alignment = 2; });
  add([](Problem&, Buffer& o) { o.start = 1; });
  add([](Problem&, Buffer& o) { o.end = 8; });
  add([](Problem&, Buffer& o) { o.fixed.reset(); });
  add([](Problem&, Buffer& o) { o.fixed = 1; });
  add([](Problem&, Buffer& o) { o.hint = 0; });
  add([](Problem&, Buffer& o) { o.hint = 0, o.fixed.reset(); });
  add([](Problem&, Buffer& o) { o.space = 1; });
  add([](Problem&, Buffer& o) { o.group = 1; });
  add([](Problem&, Buffer& o) { o.gaps.clear(); });
  add([](Problem&, Buffer& o) { o.gaps[0].lower = 0; });
  add([](Problem&, Buffer& o) { o.gaps[0].upper = 3; });
  add([](Problem&, Buffer& o) { o.gaps[0].window_lower = 0; });
  add([](Problem&, Buffer& o) { o.gaps[0].window_upper = 5; });
  add([](Problem&, Buffer& o) { o.slices.clear(); });
  add([](Problem&, Buffer& o) { o.slices[0].size = 2; });
  add([](Problem&, Buffer& o) { o.slices[0].start = 3; });
  EXPECT_EQ(seen.size(), count);
}

}  // namespace
}  // namespace oomph::placement
