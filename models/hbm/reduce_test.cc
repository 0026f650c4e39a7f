// The lists of edits of HBM traces: every edit and every choice of them gives a simpler trace, by the measure of
// reduce.h. Not for: which are made (see fuzz/minimize), faults of allocators (see props/reducer.cc).
#include "models/hbm/reduce.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "models/base/choices.h"
#include "models/base/family.h"
#include "models/base/units.h"
#include "models/hbm/generate.h"
#include "models/hbm/text.h"

namespace oomph::hbm {
namespace {

using Wide = unsigned __int128;

// The figures of reduce.h, in their order.
std::vector<Wide> MeasureOf(const Trace& trace) {
  const Policy simplest;
  const Policy& policy = trace.policy;
  Wide settings = 0, parts = 0, granules = 0, odd = 0, sizes = 0, alignments = 0, fences = 0;
  for (const PolicyKey& key : PolicyKeys()) {
    if (key.name != "capacity" && key.name != "granule") settings += key.get(policy) != key.get(simplest);
  }
  std::vector<Wide> names;
  for (const Step& step : trace.steps) {
    parts += step.pinned + (step.end != End::kAny) + (step.donor != kNobody);
    parts += step.kind == StepKind::kFreeLater || step.kind == StepKind::kReallocate;
    granules += CeilDiv(step.size, policy.granule);
    odd += step.size % policy.granule != 0;
    sizes += step.size;
    alignments += step.alignment;
    fences += step.fence;
    names.push_back(step.name);
    names.push_back(step.donor);
  }
  std::vector<Wide> measure = {trace.steps.size(), trace.names.size(), settings, parts,      policy.granule, policy.capacity,
                               granules,           odd,                sizes,    alignments, fences};
  measure.insert(measure.end(), names.begin(), names.end());
  return measure;
}

Trace Generated(uint64_t seed, size_t steps) {
  GenerateOptions options;
  options.steps = steps;
  Trace trace;
  Choices choices = Choices::FromSeed(seed, seed % 2 == 0);
  GenerateTrace(choices, options, trace);
  return trace;
}

// A result is simpler and can be written and read.
void Check(const Edits& edits, const std::vector<uint64_t>& amounts, const Trace& base, std::string_view name) {
  CaseOf<Trace> into;
  if (!edits.Apply(amounts, into)) return;
  ASSERT_LT(MeasureOf(into.value), MeasureOf(base)) << name << "\n" << PrintTrace(base) << "to\n" << PrintTrace(into.value);
  Trace read;
  ASSERT_TRUE(ParseTrace("edited", PrintTrace(into.value), read).ok()) << PrintTrace(into.value);
  ASSERT_EQ(read.steps.size(), into.value.steps.size());
}

void CheckAllLists(const Trace& base, Choices& choices, std::set<std::string_view>& seen) {
  for (size_t r = 0; r < TraceReductions().size(); ++r) {
    const std::string_view name = TraceReductions()[r].name;
    const auto edits = TraceEditsOf(r, base);
    if (edits == nullptr) continue;
    seen.insert(name);
    const std::vector<uint64_t>& most = edits->most();
    std::vector<uint64_t> amounts(most.size());
    for (size_t i = 0; i < most.size(); ++i) {
      ASSERT_GT(most[i], 0u) << name;
      for (const uint64_t amount : {uint64_t{1}, most[i] / 2 + 1, most[i]}) {
        amounts[i] = amount;
        Check(*edits, amounts, base, name);
      }
      amounts[i] = 0;
    }
    Check(*edits, most, base, name);
    for (int draw = 0; draw < 10; ++draw) {
      uint64_t sum = 0;
      for (size_t i = 0; i < most.size(); ++i) sum |= amounts[i] = choices.Chance(1, 2) ? 0 : choices.Between(0, most[i]);
      if (sum > 0) Check(*edits, amounts, base, name);
    }
  }
}

TEST(TraceEdits, MakeEveryTraceSimpler) {
  std::set<std::string_view> seen;
  Choices choices = Choices::FromSeed(1, false);
  for (uint64_t seed = 0; seed < 150 && !testing::Test::HasFailure(); ++seed) {
    Trace trace = Generated(seed, 5 + seed % 30);
    if (seed % 5 == 0) trace.names.assign(3, "x");
    if (seed % 3 == 0) trace.policy.granule = uint64_t{1} << seed % 7;
    CheckAllLists(trace, choices, seen);
  }
  EXPECT_EQ(seen.size(), TraceReductions().size());
}

TEST(TraceEdits, OfTheEndsOfTheNumbersToo) {
  std::set<std::string_view> seen;
  Choices choices = Choices::FromSeed(2, false);
  for (const uint64_t size : {uint64_t{0}, uint64_t{1}, kMaxBytes - 1, kMaxBytes}) {
    for (const uint64_t granule : {uint64_t{1}, uint64_t{2}, uint64_t{1} << 63}) {
      for (const uint64_t capacity : {uint64_t{0}, uint64_t{1}, kMaxBytes}) {
        Trace trace;
        trace.policy.capacity = capacity;
        trace.policy.granule = granule;
        for (int i = 0; i < 3; ++i) {
          Step step;
          step.kind = StepKind::kAllocate;
          step.size = size;
          step.alignment = kMaxBytes;
          trace.steps.push_back(step);
        }
        CheckAllLists(trace, choices, seen);
      }
    }
  }
}

TEST(TraceEdits, OfAnEmptyTraceThereAreOnlyThoseOfItsPolicy) {
  Trace empty;
  empty.policy.capacity = 1;
  for (size_t r = 0; r < TraceReductions().size(); ++r) EXPECT_EQ(TraceEditsOf(r, empty), nullptr);
}

TEST(TraceEdits, AreListedAlikeEachTime) {
  const Trace trace = Generated(7, 60);
  for (size_t r = 0; r < TraceReductions().size(); ++r) {
    const auto one = TraceEditsOf(r, trace), two = TraceEditsOf(r, trace);
    ASSERT_EQ(one == nullptr, two == nullptr);
    if (one == nullptr) continue;
    ASSERT_EQ(one->most(), two->most());
    CaseOf<Trace> a, b;
    std::vector<uint64_t> amounts = one->most();
    if (amounts.size() > 1) amounts[0] = 0;
    ASSERT_EQ(one->Apply(amounts, a), two->Apply(amounts, b));
    EXPECT_EQ(a.value, b.value);
  }
}

// Whatever makes two traces unequal makes their fingerprints so.
TEST(FingerprintOfTrace, IsThatOfEqualTracesOnly) {
  const Trace trace = Generated(3, 20);
  EXPECT_EQ(FingerprintOfTrace(trace), FingerprintOfTrace(Trace(trace)));
  std::set<Fingerprint> seen = {FingerprintOfTrace(trace)};
  size_t count = 1;
  const auto add = [&](auto change) {
    Trace other = trace;
    change(other);
    if (other == trace) return;
    ++count;
    seen.insert(FingerprintOfTrace(other));
  };
  for (const PolicyKey& key : PolicyKeys()) {
    add([&](Trace& t) { key.set(t.policy, key.get(t.policy) == 1 ? 0 : 1); });
  }
  add([](Trace& t) { t.policy.allocator = t.policy.allocator == Allocator::kTpu ? Allocator::kBfc : Allocator::kTpu; });
  add([](Trace& t) { t.steps.pop_back(); });
  add([](Trace& t) { t.names = {"a", "b"}; });
  add([](Trace& t) { t.names = {"ab"}; });
  add([](Trace& t) { t.steps[5].kind = t.steps[5].kind == StepKind::kQuery ? StepKind::kFence : StepKind::kQuery; });
  add([](Trace& t) { t.steps[5].end = t.steps[5].end == End::kHigh ? End::kLow : End::kHigh; });
  add([](Trace& t) { t.steps[5].pinned = !t.steps[5].pinned; });
  add([](Trace& t) { ++t.steps[5].name; });
  add([](Trace& t) { ++t.steps[5].size; });
  add([](Trace& t) { ++t.steps[5].alignment; });
  add([](Trace& t) { ++t.steps[5].fence; });
  add([](Trace& t) { ++t.steps[5].donor; });
  EXPECT_EQ(seen.size(), count);
}

}  // namespace
}  // namespace oomph::hbm
