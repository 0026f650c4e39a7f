// Failing problems get small: what makes them fail stays, everything else goes; within the budget, the same
// each time.
#include "models/placement/reduce.h"

#include <algorithm>
#include <string>

#include "gtest/gtest.h"
#include "models/placement/decorate.h"
#include "models/placement/family.h"
#include "models/placement/generate.h"
#include "models/placement/text.h"

namespace oomph::placement {
namespace {

Problem Parse(std::string_view text) {
  Problem problem;
  EXPECT_TRUE(ParseProblem("p", text, problem).ok());
  return problem;
}

// A problem with much of everything.
Problem Large(uint64_t seed) {
  Choices choices = Choices::FromSeed(seed, true);
  Problem problem;
  GenerateProblem(choices, {.steps = 60}, problem);
  if (!problem.capacity) problem.capacity = LivePeak(problem);
  return problem;
}

std::string Reduced(Problem problem, const std::function<bool(const Problem&)>& fails,
                    size_t budget = 20000) {
  ReduceProblem(problem, fails, budget);
  EXPECT_TRUE(fails(problem));
  return PrintProblem(problem);
}

bool Overlap(const Buffer& a, const Buffer& b) { return std::max(a.start, b.start) < std::min(a.end, b.end); }

TEST(ReduceProblem, TwoThatOverlap) {
  const auto fails = [](const Problem& p) {
    for (const Buffer& a : p.buffers) {
      for (const Buffer& b : p.buffers) {
        if (&a != &b && a.size > 0 && b.size > 0 && Overlap(a, b)) return true;
      }
    }
    return false;
  };
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Problem problem = Large(seed);
    if (!fails(problem)) continue;
    ReduceProblem(problem, fails, 20000);
    ASSERT_EQ(problem.buffers.size(), 2u);
    for (Buffer& b : problem.buffers) b.id = "x";
    EXPECT_EQ(PrintProblem(problem), "id,lower,upper,size\nx,0,1,1\nx,0,1,1\n") << seed;
  }
}

// Who did not ask for buffers of 0 bytes cannot use a case with one.
TEST(ReduceProblem, AFamilyKeepsToTheFeaturesOfTheCase) {
  const Family& family = PlacementFamily();
  const auto has_one = [](const Case& c) { return !static_cast<const CaseOf<Problem>&>(c).value.buffers.empty(); };
  CaseOf<Problem> plain(Parse("# oomph capacity 64\nid,lower,upper,size,alignment,gaps\na,0,9,16,12,3-5@0:2\nb,3,9,4,,\n"));
  family.Reduce(plain, has_one, 2000);
  EXPECT_EQ(PrintProblem(plain.value), "id,lower,upper,size\na,0,1,1\n");
  CaseOf<Problem> odd(Parse("id,lower,upper,size\na,0,9,16\nb,3,9,0\n"));
  family.Reduce(odd, has_one, 2000);
  EXPECT_EQ(PrintProblem(odd.value), "id,lower,upper,size\na,0,1,0\n");
}

TEST(ReduceProblem, SizesThatMustAddUpAboveTheCapacity) {
  const auto fails = [](const Problem& p) { return p.capacity && LivePeak(p) > *p.capacity; };
  EXPECT_EQ(
      Reduced(Parse("# oomph capacity "
                    "3072\nid,lower,upper,size,alignment\na,0,90,2048,64\nb,40,99,2048,1\nc,91,99,1024,1\n"),
              fails),
      "# oomph capacity 0\nid,lower,upper,size\na,0,1,1\n");
}

TEST(ReduceProblem, ATightFitStaysTight) {
  const auto fails = [](const Problem& p) {
    return p.capacity && *p.capacity > 5 && LivePeak(p) == *p.capacity;
  };
  EXPECT_EQ(Reduced(Parse("# oomph capacity 4096\nid,lower,upper,size\na,0,90,2048\nb,40,99,2048\n"), fails),
            "# oomph capacity 6\nid,lower,upper,size\nb,0,1,6\n");
}

// Each feature stays where it is what makes it fail, and only there.
TEST(ReduceProblem, KeepsTheFeatureThatMatters) {
  const struct {
    const char* what;
    bool (*has)(const Buffer&);
    const char* expected;
  } kCases[] = {
      {"gap", [](const Buffer& b) { return !b.gaps.empty(); }, "id,lower,upper,size,gaps\n,0,1,0,0-1\n"},
      {"window",
       [](const Buffer& b) {
         return std::any_of(b.gaps.begin(), b.gaps.end(),
                            [](const Gap& g) { return g.window_lower < g.window_upper; });
       },
       "id,lower,upper,size,gaps\n,0,1,0,0-1@0:1\n"},
      {"slice", [](const Buffer& b) { return !b.slices.empty(); },
       "id,lower,upper,size,slices\n,0,1,0,1@0\n"},
      {"fixed", [](const Buffer& b) { return b.fixed.has_value(); },
       "id,lower,upper,size,offset\n,0,1,0,0\n"},
      {"hint", [](const Buffer& b) { return b.hint.has_value(); }, "id,lower,upper,size,hint\n,0,1,0,0\n"},
      {"group", [](const Buffer& b) { return b.group == 2; }, "id,lower,upper,size,group\n,0,1,0,2\n"},
      {"space", [](const Buffer& b) { return b.space == 1; }, "id,lower,upper,size,space\n,0,1,0,1\n"},
      {"alignment", [](const Buffer& b) { return b.alignment > 2; },
       "id,lower,upper,size,alignment\n,0,1,0,3\n"},
      {"size", [](const Buffer& b) { return b.size > 8; }, "id,lower,upper,size\n,0,1,9\n"},
  };
  for (const auto& c : kCases) {
    const auto fails = [&](const Problem& p) {
      return std::any_of(p.buffers.begin(), p.buffers.end(), c.has);
    };
    int asked = 0;
    for (uint64_t seed = 0; seed < 200; ++seed) {
      Choices choices = Choices::FromSeed(seed, false);
      Problem problem;
      GenerateProblem(choices, {}, problem);
      if (!fails(problem) || std::any_of(problem.buffers.begin(), problem.buffers.end(),
                                         [](const Buffer& b) { return b.end <= b.start; })) {
        continue;
      }
      ++asked;
      ReduceProblem(problem, fails, 20000);
      ASSERT_EQ(problem.buffers.size(), 1u) << c.what;
      problem.buffers[0].id.clear();
      const std::string text = PrintProblem(problem);
      if (std::string_view(c.what) == "gap" || std::string_view(c.what) == "window" ||
          std::string_view(c.what) == "slice") {
        EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2)
            << text;  // their times may stay within the range
        EXPECT_LE(text.size(), std::string(c.expected).size() + 2) << text;
      } else {
        EXPECT_EQ(text, c.expected) << seed;
      }
    }
    EXPECT_GE(asked, 4) << c.what;
  }
}

TEST(ReduceProblem, MergesWhatFollowsOneAnother) {
  const auto fails = [](const Problem& p) {
    int64_t covered = 0;
    for (const Buffer& b : p.buffers) covered = std::max(covered, b.start == covered ? b.end : 0);
    return covered >= 3;
  };
  EXPECT_EQ(Reduced(Parse("id,lower,upper,size\na,0,1,4\nb,1,2,4\nc,2,3,4\n"), fails),
            "id,lower,upper,size\na,0,3,0\n");
}

TEST(ReduceProblem, NoSingleBufferCanBeDropped) {
  // Fails while it has at least 3 of even size, and not 5: no monotony.
  const auto fails = [](const Problem& p) {
    const auto even =
        std::count_if(p.buffers.begin(), p.buffers.end(), [](const Buffer& b) { return b.size % 2 == 0; });
    return even >= 3 && even != 5;
  };
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Problem problem = Large(seed);
    if (!fails(problem)) continue;
    ReduceProblem(problem, fails, 20000);
    for (size_t i = 0; i < problem.buffers.size(); ++i) {
      Problem without = problem;
      without.buffers.erase(without.buffers.begin() + i);
      EXPECT_FALSE(fails(without));
    }
  }
}

TEST(ReduceProblem, AsksNoMoreThanTheBudgetAndEndsFailing) {
  for (size_t budget : {0, 1, 7, 100}) {
    size_t asked = 0;
    Problem problem = Large(4);
    const auto fails = [&](const Problem& p) { return ++asked, p.buffers.size() >= 2; };
    ReduceProblem(problem, fails, budget);
    EXPECT_LE(asked, budget);
    EXPECT_GE(problem.buffers.size(), 2u);
  }
}

TEST(ReduceProblem, IsTheSameEachTimeAndEndsOnEverything) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const auto fails = [&](const Problem& p) {
      return p.buffers.size() >= 2 && (LivePeak(p) + p.buffers.size()) % 3 == seed % 3;
    };
    Problem one = Large(seed);
    if (!fails(one)) continue;
    Problem two = one;
    ReduceProblem(one, fails, 5000);
    ReduceProblem(two, fails, 5000);
    EXPECT_EQ(one, two);
  }
}

}  // namespace
}  // namespace oomph::placement
