// Tests of the search for edits on the toy family: what is found, in how many questions, and that several at once find it
// as well.
#include "fuzz/minimize/search.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "fuzz/testing/toy_family.h"

namespace oomph {
namespace {

const Family& family = toy::Toy();

CaseOf<toy::Program> Pushes(size_t count) {
  CaseOf<toy::Program> c;
  for (size_t i = 0; i < count; ++i) c.value.push_back({toy::Kind::kPush, i});
  return c;
}

// Whether the pushes of all these numbers are there.
bool HasAll(const Case& c, const std::set<uint64_t>& needed) {
  size_t found = 0;
  for (const toy::Step& step : toy::ToyFamily::Of(c)) found += needed.contains(step.value);
  return found == needed.size();
}

struct Found {
  std::unique_ptr<Case> smallest;
  size_t questions = 0, rounds = 0;
};

Found SearchDrops(const Case& base, size_t jobs, bool singly, const std::function<bool(const Case&)>& shows) {
  Found found;
  const auto edits = family.EditsOf(0, base);
  SearchOptions options;
  options.jobs = jobs;
  options.singly = singly;
  std::vector<uint64_t> made;
  const Ask ask = [&](std::span<const Case* const> cases) {
    EXPECT_LE(cases.size(), jobs);
    ++found.rounds;
    std::vector<bool> answers;
    for (const Case* c : cases) answers.push_back(shows(*c)), ++found.questions;
    return answers;
  };
  found.smallest = SearchEdits(family, *edits, false, options, ask, made);
  return found;
}

TEST(SearchEdits, KeepsWhatIsNeededInFewQuestions) {
  const auto base = Pushes(1024);
  for (const size_t jobs : {1, 2, 8}) {
    const Found found = SearchDrops(base, jobs, false, [](const Case& c) { return HasAll(c, {3, 500, 501, 1023}); });
    ASSERT_NE(found.smallest, nullptr);
    EXPECT_EQ(family.Size(*found.smallest), 4u);
    EXPECT_LE(found.questions, 4 * 2 * 10u * (jobs > 1 ? 2 : 1)) << jobs;
    EXPECT_TRUE(jobs == 1 || found.rounds < found.questions) << jobs;
  }
}

TEST(SearchEdits, FindsAPrefixAsQuicklyAsHalvingWould) {
  const auto base = Pushes(1024);
  const Found found = SearchDrops(base, 1, false, [](const Case& c) { return HasAll(c, {700}); });
  EXPECT_EQ(family.Size(*found.smallest), 1u);
  EXPECT_LE(found.questions, 22u);
}

TEST(SearchEdits, OfCandidatesThatShowItApartButNotTogetherOneIsTaken) {
  const auto base = Pushes(8);
  // At most four may go.
  const Found found = SearchDrops(base, 4, true, [](const Case& c) { return family.Size(c) >= 4; });
  ASSERT_NE(found.smallest, nullptr);
  EXPECT_EQ(family.Size(*found.smallest), 4u);
}

TEST(SearchEdits, NothingIsNothing) {
  const auto base = Pushes(20);
  EXPECT_EQ(SearchDrops(base, 1, false, [](const Case&) { return false; }).smallest, nullptr);
}

TEST(SearchEdits, NumbersGoDownAsFarAsTheyCan) {
  CaseOf<toy::Program> base;
  base.value = {{toy::Kind::kPush, 1000}, {toy::Kind::kPush, 77}, {toy::Kind::kPush, 1u << 30}};
  const auto edits = family.EditsOf(1, base);
  std::vector<uint64_t> made;
  size_t questions = 0;
  const Ask ask = [&](std::span<const Case* const> cases) {
    std::vector<bool> answers;
    for (const Case* c : cases) {
      ++questions;
      const toy::Program& p = toy::ToyFamily::Of(*c);
      answers.push_back(p[0].value >= 123 && p[2].value >= 456789);
    }
    return answers;
  };
  std::unique_ptr<Case> smallest;
  CaseOf<toy::Program> from = base;
  for (bool again = true; again;) {
    auto next = SearchEdits(family, *family.EditsOf(1, from), false, {}, ask, made);
    again = next != nullptr;
    if (again) from.value = toy::ToyFamily::Of(*next);
  }
  EXPECT_EQ(from.value[0].value, 123u);
  EXPECT_EQ(from.value[1].value, 0u);
  EXPECT_EQ(from.value[2].value, 456789u);
  EXPECT_LE(questions, 120u);
}

}  // namespace
}  // namespace oomph
