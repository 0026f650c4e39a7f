// What the engine makes of traces and problems under tests that are no allocator: what stays, what becomes simple, that
// nothing is believed of smaller cases. Not for: faults (see props/reducer.cc), single edits (see models/*/reduce_test.cc).
#include <algorithm>
#include <functional>
#include <string>
#include <string_view>

#include "fuzz/minimize/minimize.h"
#include "gtest/gtest.h"
#include "models/base/choices.h"
#include "models/hbm/family.h"
#include "models/hbm/trace.h"
#include "models/placement/decorate.h"
#include "models/placement/family.h"
#include "models/placement/problem.h"

namespace oomph {
namespace {

// The smallest that the engine comes to, which still fails.
template <typename Value>
struct Reducing {
  using Fails = std::function<bool(const Value&)>;

  const Family& family;

  Value Parse(std::string_view text) const {
    CaseOf<Value> c;
    EXPECT_TRUE(family.Parse("test", text, c).ok()) << text;
    return c.value;
  }
  Value Generated(uint64_t seed, size_t steps, bool small) const {
    GenerateOptions options;
    options.steps = steps;
    CaseOf<Value> c;
    Choices choices = Choices::FromSeed(seed, small);
    family.Generate(choices, options, c);
    return c.value;
  }
  Minimized Run(const Value& start, const Fails& fails, size_t tests = 100'000) const {
    FunctionTest test([&](const Case& c) { return fails(static_cast<const CaseOf<Value>&>(c).value); });
    MinimizeOptions options;
    options.tests = tests;
    options.seconds = 1e9;
    return Minimize(family, CaseOf<Value>(start), "", test, options);
  }
  Value Smallest(const Value& start, const Fails& fails) const {
    const Minimized result = Run(start, fails);
    EXPECT_TRUE(result.finished && !result.flaky);
    const Value smallest = static_cast<const CaseOf<Value>&>(*result.smallest).value;
    EXPECT_TRUE(fails(smallest));
    return smallest;
  }
  std::string Print(const Value& value) const { return family.Print(CaseOf<Value>(value)); }
  std::string Text(std::string_view start, const Fails& fails) const { return Print(Smallest(Parse(start), fails)); }
};

// ---- Traces ----

using hbm::StepKind;
using hbm::Trace;
const Reducing<Trace> traces{HbmFamily()};

size_t CountOf(const Trace& trace, StepKind kind) {
  return std::count_if(trace.steps.begin(), trace.steps.end(), [&](const hbm::Step& s) { return s.kind == kind; });
}
std::string StepsOf(const std::string& text) { return text.substr(text.find('\n')); }

TEST(MinimizeTrace, NamesStayWhereTheTestLooksForOne) {
  constexpr std::string_view kStart = "memory hbm capacity 64\nallocate small 8\nallocate big 32\nfree small\n";
  const auto looks = [](const Trace& t) { return traces.Print(t).find("allocate big") != std::string::npos; };
  const std::string kept = traces.Text(kStart, looks);
  EXPECT_NE(kept.find("allocate big"), std::string::npos) << kept;
  EXPECT_EQ(kept.find("small"), std::string::npos) << kept;
  const auto does_not = [](const Trace& t) { return CountOf(t, StepKind::kAllocate) > 0; };
  EXPECT_EQ(traces.Text(kStart, does_not).find("big"), std::string::npos);
}

TEST(MinimizeTrace, WhatAlwaysFailsEndsEmptyAndPlain) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Trace trace = traces.Smallest(traces.Generated(seed, 80, true), [](const Trace&) { return true; });
    hbm::Policy plain;
    plain.allocator = trace.policy.allocator;
    plain.capacity = std::min<uint64_t>(trace.policy.capacity, 1);
    EXPECT_EQ(trace, (Trace{plain, {}, {}})) << traces.Print(trace);
  }
}

TEST(MinimizeTrace, OnlyTheStepsThatMatterStay) {
  const std::string text = traces.Text(
      "memory hbm capacity 4096 granule 64 fit worst undo yes\nallocate a 100\nload p 64\nquery\n"
      "free a\nallocate b 200 align 128 pinned\nexecute p\noutput c 64 donating b\nquery\nfence 3\n",
      [](const Trace& t) { return CountOf(t, StepKind::kQuery) >= 2; });
  EXPECT_EQ(text, "memory hbm capacity 1\nquery\nquery\n");
}

TEST(MinimizeTrace, NumbersFallToTheLeastThatFails) {
  const auto fails = [](const Trace& t) {
    return std::any_of(t.steps.begin(), t.steps.end(), [](const hbm::Step& s) {
      return s.kind == StepKind::kAllocate && s.size >= 37 && s.alignment >= 16;
    });
  };
  EXPECT_EQ(StepsOf(traces.Text("memory hbm capacity 1MiB granule 1\nallocate a 70000 align 4096 pinned\n", fails)),
            "\nallocate b0 37 align 16\n");
}

TEST(MinimizeTrace, AWholeGranuleReadsBetterThanAByteInsideIt) {
  const auto granule_is_64 = [](const Trace& t) { return t.policy.granule == 64 && t.steps.size() == 1; };
  constexpr std::string_view kStart = "memory hbm capacity 4000 granule 64\nallocate a 1000\n";
  const auto above = [&](const Trace& t) { return granule_is_64(t) && t.steps[0].size > 70 && t.policy.capacity > 130; };
  EXPECT_EQ(traces.Text(kStart, above), "memory hbm capacity 192 granule 64\nallocate b0 128\n");
  const auto odd = [&](const Trace& t) { return above(t) && t.steps[0].size % 64 != 0; };
  EXPECT_EQ(traces.Text(kStart, odd), "memory hbm capacity 192 granule 64\nallocate b0 71\n");
}

TEST(MinimizeTrace, WhatIsTightStaysTight) {
  const auto tight = [](const Trace& t) {
    uint64_t sum = 0;
    for (const hbm::Step& s : t.steps) sum += s.size;
    return t.steps.size() >= 2 && sum == t.policy.capacity && t.policy.granule == 1;
  };
  EXPECT_EQ(traces.Text("memory hbm capacity 1000\nallocate a 501\nallocate b 300\nallocate c 199\n", tight),
            "memory hbm capacity 2\nallocate b0 1\nallocate b1 1\n");
}

TEST(MinimizeTrace, APolicyStaysWhereItMatters) {
  const auto fails = [](const Trace& t) { return t.policy.fit == hbm::Fit::kWorst && t.policy.retry_limit == 2; };
  EXPECT_EQ(traces.Text("memory hbm capacity 640 fit worst ends low retry_limit 2 undo yes\nquery\n", fails),
            "memory hbm capacity 1 fit worst retry_limit 2\n");
}

TEST(MinimizeTrace, NamesAndFencesBecomeDense) {
  const auto fails = [](const Trace& t) {
    const size_t n = t.steps.size();
    return n >= 3 && t.steps[n - 3].kind == StepKind::kFreeLater && t.steps[n - 2].kind == StepKind::kFreeLater &&
           t.steps[n - 3].fence < t.steps[n - 2].fence && t.steps[n - 3].name != t.steps[n - 2].name;
  };
  EXPECT_EQ(traces.Text("memory hbm capacity 1\nallocate b4 1\nfree b7 after fence 3\nfree b5 after fence 9\nquery\n", fails),
            "memory hbm capacity 1\nfree b0 after fence 1\nfree b1 after fence 2\nquery\n");
}

// Three fences fail, or six and more: dropping one of six never does.
TEST(MinimizeTrace, WhatOnlyFailsTogetherStaysTogether) {
  const auto fails = [](const Trace& t) {
    const size_t fences = CountOf(t, StepKind::kFence);
    return fences == 3 || fences >= 6;
  };
  const std::string text =
      traces.Text("memory hbm capacity 64\nfence 1\nfence 2\nquery\nfence 3\nfence 4\nfence 5\nfence 6\n", fails);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4) << text;
}

TEST(MinimizeTrace, TheBudgetIsKeptAndWhatComesOutStillFails) {
  const Trace trace = traces.Generated(3, 400, true);
  for (const size_t budget : {1, 2, 7, 50, 300}) {
    size_t asked = 0;
    const Minimized result = traces.Run(
        trace, [&](const Trace& t) { return ++asked, CountOf(t, StepKind::kAllocate) >= 10; }, budget);
    EXPECT_EQ(asked, result.tests);
    EXPECT_LE(asked, budget);
    EXPECT_GE(CountOf(static_cast<const CaseOf<Trace>&>(*result.smallest).value, StepKind::kAllocate), 10u);
  }
}

TEST(MinimizeTrace, EndsWhateverTheAnswersAre) {
  const Trace trace = traces.Generated(11, 120, true);
  for (uint64_t seed = 0; seed < 5; ++seed) {
    Choices choices = Choices::FromSeed(seed, false);
    size_t asked = 0;
    const Minimized result = traces.Run(trace, [&](const Trace&) { return ++asked == 1 || choices.Chance(1, 3); });
    EXPECT_LT(result.tests, 20'000u);
  }
}

// ---- Problems ----

using placement::Buffer;
using placement::Problem;
const Reducing<Problem> problems{PlacementFamily()};

// With much of everything.
Problem Large(uint64_t seed) {
  Problem problem = problems.Generated(seed, 60, true);
  if (!problem.capacity) problem.capacity = placement::LivePeak(problem);
  return problem;
}

bool Overlap(const Buffer& a, const Buffer& b) { return std::max(a.start, b.start) < std::min(a.end, b.end); }

TEST(MinimizeProblem, TwoThatOverlap) {
  const auto fails = [](const Problem& p) {
    for (const Buffer& a : p.buffers) {
      for (const Buffer& b : p.buffers) {
        if (&a != &b && a.size > 0 && b.size > 0 && Overlap(a, b)) return true;
      }
    }
    return false;
  };
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Problem start = Large(seed);
    if (!fails(start)) continue;
    Problem problem = problems.Smallest(start, fails);
    for (Buffer& b : problem.buffers) b.id = "x";
    EXPECT_EQ(problems.Print(problem), "id,lower,upper,size\nx,0,1,1\nx,0,1,1\n") << seed;
  }
}

// Who did not ask for buffers of 0 bytes cannot use a case with one.
TEST(MinimizeProblem, KeepsToTheFeaturesOfTheCase) {
  const auto has_one = [](const Problem& p) { return !p.buffers.empty(); };
  EXPECT_EQ(problems.Text("# oomph capacity 64\nid,lower,upper,size,alignment,gaps\na,0,9,16,12,3-5@0:2\n", has_one),
            "id,lower,upper,size\na,0,1,1\n");
  const auto has_none = [](const Problem& p) { return !p.buffers.empty() && p.buffers.back().size == 0; };
  EXPECT_EQ(problems.Text("id,lower,upper,size\na,0,9,16\nb,3,9,0\n", has_none), "id,lower,upper,size\nb,0,1,0\n");
  const auto has_capacity = [](const Problem& p) { return p.capacity.has_value(); };
  EXPECT_EQ(problems.Text("# oomph capacity 64\nid,lower,upper,size\na,0,9,16\n", has_capacity),
            "# oomph capacity 1\nid,lower,upper,size\n");
}

TEST(MinimizeProblem, SizesThatMustAddUpAboveTheCapacity) {
  const auto fails = [](const Problem& p) { return p.capacity && placement::LivePeak(p) > *p.capacity; };
  EXPECT_EQ(problems.Text("# oomph capacity 3072\nid,lower,upper,size,alignment\n"
                          "a,0,90,2048,64\nb,40,99,2048,1\nc,91,99,1024,1\n",
                          fails),
            "# oomph capacity 1\nid,lower,upper,size\na,0,1,2\n");
}

TEST(MinimizeProblem, ATightFitStaysTight) {
  const auto fails = [](const Problem& p) {
    return p.capacity && *p.capacity > 5 && placement::LivePeak(p) == *p.capacity;
  };
  const Problem problem = problems.Smallest(
      problems.Parse("# oomph capacity 4096\nid,lower,upper,size\na,0,90,2048\nb,40,99,2048\n"), fails);
  EXPECT_EQ(problem.capacity, 6u) << problems.Print(problem);
  EXPECT_EQ(problem.buffers.size(), 1u) << problems.Print(problem);
}

// Each feature stays where it is what makes it fail, and only there.
TEST(MinimizeProblem, KeepsTheFeatureThatMatters) {
  const struct {
    const char* what;
    bool (*has)(const Buffer&);
    const char* columns;
  } kCases[] = {
      {"gap", [](const Buffer& b) { return !b.gaps.empty(); }, "id,lower,upper,size,gaps\n"},
      {"slice", [](const Buffer& b) { return !b.slices.empty(); }, "id,lower,upper,size,slices\n"},
      {"fixed", [](const Buffer& b) { return b.fixed.has_value(); }, "id,lower,upper,size,offset\n,0,1,S,0\n"},
      {"hint", [](const Buffer& b) { return b.hint.has_value(); }, "id,lower,upper,size,hint\n,0,1,S,0\n"},
      {"group", [](const Buffer& b) { return b.group == 2; }, "id,lower,upper,size,group\n,0,1,S,2\n"},
      {"alignment", [](const Buffer& b) { return b.alignment == 4; }, "id,lower,upper,size,alignment\n,0,1,S,4\n"},
      {"size", [](const Buffer& b) { return b.size > 8; }, "id,lower,upper,size\n,0,1,9\n"},
  };
  for (const auto& c : kCases) {
    const auto fails = [&](const Problem& p) { return std::any_of(p.buffers.begin(), p.buffers.end(), c.has); };
    int asked = 0;
    for (uint64_t seed = 0; seed < 200; ++seed) {
      const Problem start = problems.Generated(seed, 0, false);
      const auto is_empty = [](const Buffer& b) { return b.end <= b.start; };
      if (!fails(start) || std::any_of(start.buffers.begin(), start.buffers.end(), is_empty)) continue;
      ++asked;
      Problem problem = problems.Smallest(start, fails);
      ASSERT_EQ(problem.buffers.size(), 1u) << c.what;
      problem.buffers[0].id.clear();
      const std::string text = problems.Print(problem);
      std::string expected = c.columns;
      const size_t size = expected.find('S');
      if (size != expected.npos) expected.replace(size, 1, std::to_string(std::min<uint64_t>(problem.buffers[0].size, 1)));
      EXPECT_EQ(text.substr(0, expected.size()), expected) << seed;  // times of gaps and slices may stay within the range
      EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;
    }
    EXPECT_GE(asked, 4) << c.what;
  }
}

TEST(MinimizeProblem, MergesWhatFollowsOneAnother) {
  const auto fails = [](const Problem& p) {
    int64_t covered = 0;
    for (const Buffer& b : p.buffers) covered = std::max(covered, b.start == covered ? b.end : 0);
    return covered >= 3;
  };
  EXPECT_EQ(problems.Text("id,lower,upper,size\na,0,1,4\nb,1,2,4\nc,2,3,4\n", fails), "id,lower,upper,size\na,0,3,1\n");
}

// Fails while it has at least 3 of even size, and not 5.
TEST(MinimizeProblem, NoSingleBufferCanBeDropped) {
  const auto fails = [](const Problem& p) {
    const auto even = std::count_if(p.buffers.begin(), p.buffers.end(), [](const Buffer& b) { return b.size % 2 == 0; });
    return even >= 3 && even != 5;
  };
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Problem start = Large(seed);
    if (!fails(start)) continue;
    const Problem problem = problems.Smallest(start, fails);
    EXPECT_EQ(problem, problems.Smallest(start, fails));
    for (size_t i = 0; i < problem.buffers.size(); ++i) {
      Problem without = problem;
      without.buffers.erase(without.buffers.begin() + i);
      EXPECT_FALSE(fails(without)) << problems.Print(problem);
    }
  }
}

}  // namespace
}  // namespace oomph
