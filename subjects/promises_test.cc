// The promises of all subjects in one golden table, so that none disappears unseen and none is made without a
// source. Not for: whether they are kept (that is what campaigns find out).
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "models/families.h"
#include "subjects/registry.h"

namespace oomph {
namespace {

struct Promised {
  std::string_view family, subject;
  std::string_view promises;  // of every variant, in the order of the family's bits
};

// Change a row only together with the documentation or header that the promise rests on.
constexpr Promised kTable[] = {
    {"hbm", "model",
     "alignment stats completeness whole_after_drain freed_hole_serves_again failure_atomic free_list "
     "coalescing "
     "ledger policy determinism fences"},
    {"hbm", "specification",
     "alignment stats completeness whole_after_drain freed_hole_serves_again failure_atomic free_list "
     "coalescing "
     "ledger policy determinism fences"},
    // tsl::BFCAllocator, by its headers: nothing is said of completeness or of what a refusal leaves
    // unchanged.
    {"hbm", "bfc", "alignment stats fences"},
    // The malloc family, by the C standard and the manuals: nothing is said of when memory suffices.
    {"hbm", "jemalloc", "alignment"},
    {"hbm", "mimalloc", "alignment"},
    {"hbm", "gperftools", "alignment"},
    {"hbm", "glibc", "alignment"},
    // Boost.Interprocess, by its headers: of completeness or of merging nothing is said there.
    {"hbm", "boost", "alignment"},
};

std::string Names(const Family& family, Bits64 promises) {
  std::string names;
  for (size_t i = 0; i < family.promises().size(); ++i) {
    if ((promises >> i & 1) == 0) continue;
    names += (names.empty() ? "" : " ") + std::string(family.promises()[i].name);
  }
  return names;
}

const Promised* RowOf(const SubjectRow& row) {
  for (const Promised& promised : kTable) {
    if (promised.family == row.family->name() && promised.subject == row.name) return &promised;
  }
  return nullptr;
}

// One source for each promise, "name: where it says so", in their order.
void CheckSources(const SubjectInfo& info, const std::string& names) {
  std::istringstream words(names);
  std::string name;
  for (size_t i = 0; words >> name; ++i) {
    ASSERT_LT(i, info.promise_sources.size()) << name << " has no source";
    const std::string& source = info.promise_sources[i];
    EXPECT_TRUE(source.starts_with(name + ": ") && source.size() > name.size() + 10) << source;
  }
}

void CheckSubject(std::string_view name) {
  for (const SubjectRow& row : SubjectRows()) {
    if (row.name != name) continue;
    const Promised* promised = RowOf(row);
    ASSERT_NE(promised, nullptr) << row.name << " is not in the table of promises";
    if (!row.absent.empty()) GTEST_SKIP() << row.name << ": " << row.absent;
    for (const std::string& variant : row.variants) {
      SCOPED_TRACE(row.name + ":" + variant);
      const auto subject = row.make(variant, /*in_child=*/true);
      ASSERT_TRUE(subject.ok()) << subject.status();
      const SubjectInfo& info = (*subject)->info();
      EXPECT_EQ(Names(*row.family, info.promises), promised->promises);
      CheckSources(info, std::string(promised->promises));
    }
  }
}

class PromisesTest : public ::testing::TestWithParam<Promised> {};

TEST_P(PromisesTest, AreThoseOfTheTable) { CheckSubject(GetParam().subject); }

INSTANTIATE_TEST_SUITE_P(Subjects, PromisesTest, ::testing::ValuesIn(kTable), [](const auto& info) {
  return std::string(info.param.family) + "_" + std::string(info.param.subject);
});

TEST(PromisesTableTest, EverySubjectHasARowAndEveryRowASubject) {
  size_t rows = 0;
  for (const SubjectRow& row : SubjectRows()) {
    EXPECT_NE(RowOf(row), nullptr) << row.name << " is not in the table of promises";
    rows += RowOf(row) != nullptr;
  }
  EXPECT_EQ(rows, std::size(kTable)) << "a row of the table has no subject";
}

// An oracle that rests on a promise that nobody makes is never asked.
TEST(PromisesTableTest, EachPromiseIsMadeAndEachOracleRestsOnOneThatExists) {
  for (const Family* family : Families()) {
    ASSERT_LE(family->promises().size(), 64u);
    std::string made;
    for (const Promised& promised : kTable) {
      if (promised.family == family->name()) made += " " + std::string(promised.promises);
    }
    made += " ";
    for (const PromiseInfo& promise : family->promises()) {
      EXPECT_NE(made.find(" " + std::string(promise.name) + " "), std::string::npos) << promise.name;
      EXPECT_FALSE(promise.means.empty()) << promise.name;
    }
    const Bits64 all =
        family->promises().size() == 64 ? ~Bits64{0} : (Bits64{1} << family->promises().size()) - 1;
    for (const OracleInfo& oracle : family->oracles()) EXPECT_EQ(oracle.promise & ~all, 0u) << oracle.name;
    for (const RelationInfo& relation : family->relations())
      EXPECT_EQ(relation.promise & ~all, 0u) << relation.name;
  }
}

}  // namespace
}  // namespace oomph
