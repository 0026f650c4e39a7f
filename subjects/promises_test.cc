// The promises of all subjects in one golden table, so that none disappears unseen and none is made without a
// source. Not for: whether they are kept (that is what campaigns find out).
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/families.h"
#include "subjects/registry.h"

namespace oomph {
namespace {

struct Promised {
  std::string_view family, subject;
  std::string_view promises;      // in the order of the family's bits
  std::string_view variant = "";  // of this one; empty: of all that have no row of their own
};

// Of planners: those whose order does not know in which direction time runs, and those that look at every placement.
constexpr std::string_view kTimeless = "offsets peak lower_bound total determinism units reversal independence";
constexpr std::string_view kExact =
    "offsets peak lower_bound completeness total determinism units order reversal monotony independence";

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
    // The planners of the models, by docs/FACTS.md.
    {"placement", "model", "offsets peak lower_bound total determinism units independence"},
    {"placement", "model", kTimeless, "decreasing_size"},
    {"placement", "model", kTimeless, "by_area"},
    {"placement", "model", kTimeless, "by_duration"},
    {"placement", "model", "offsets peak lower_bound total determinism units", "best_of_all"},
    {"placement", "model", kExact, "exhaustive"},
    {"placement", "model", kExact, "branch_and_bound"},
    {"placement", "specification", "offsets peak lower_bound total determinism units independence"},
    {"placement", "specification", kTimeless, "decreasing_size"},
    {"placement", "specification", kTimeless, "by_area"},
    {"placement", "specification", kTimeless, "by_duration"},
    {"placement", "specification", "offsets peak lower_bound total determinism units", "best_of_all"},
    {"placement", "specification", kExact, "exhaustive"},
    {"placement", "specification", kExact, "branch_and_bound"},
    // XLA's heap, by its headers: it claims no proof, and counts in 64 bits with a sign.
    {"placement", "xla", "offsets peak determinism"},
    // The reader and verifier of the models, by docs/FACTS.md.
    {"hlo", "model", "reading reasons printing faithfulness peaks determinism meaning planning"},
    {"hlo", "specification", "reading reasons printing faithfulness peaks determinism meaning planning"},
    // XLA's, by its headers: its reader refuses what its shape inference does not take, fills in layouts, and words vary.
    {"hlo", "xla", "reasons printing planning"},
    {"hlo", "xla-cpu", "reasons"},
    {"hlo", "libtpu", "reasons"},
    // The models of scoped VMEM, by docs/FACTS.md.
    {"vmem", "model", "total sizes parts text determinism symmetry sweep monotony linear"},
    {"vmem", "specification", "total sizes parts text determinism symmetry sweep monotony linear"},
    {"vmem", "libtpu", "text sweep"},
    // The models of SparseCore's planning, by docs/FACTS.md.
    {"sparsecore", "model", "total overrun placed high_water text determinism words frames monotony sweep"},
    {"sparsecore", "specification", "total overrun placed high_water text determinism words frames monotony sweep"},
    {"sparsecore", "libtpu", "overrun text"},
};

std::string Names(const Family& family, Bits64 promises) {
  std::string names;
  for (size_t i = 0; i < family.promises().size(); ++i) {
    if ((promises >> i & 1) == 0) continue;
    names += (names.empty() ? "" : " ") + std::string(family.promises()[i].name);
  }
  return names;
}

const Promised* RowOf(const SubjectRow& row, std::string_view variant) {
  const Promised* of_all = nullptr;
  for (const Promised& promised : kTable) {
    if (promised.family != row.family->name() || promised.subject != row.name) continue;
    if (promised.variant == variant) return &promised;
    if (promised.variant.empty()) of_all = &promised;
  }
  return of_all;
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

void CheckSubject(const SubjectRow& row) {
  if (!row.absent.empty()) GTEST_SKIP() << row.name << ": " << row.absent;
  for (const std::string& variant : row.variants) {
    SCOPED_TRACE(row.name + ":" + variant);
    const Promised* promised = RowOf(row, variant);
    ASSERT_NE(promised, nullptr) << row.name << " is not in the table of promises";
    const auto subject = row.make(variant, /*in_child=*/true);
    ASSERT_TRUE(subject.ok()) << subject.status();
    const SubjectInfo& info = (*subject)->info();
    EXPECT_EQ(Names(*row.family, info.promises), promised->promises);
    CheckSources(info, std::string(promised->promises));
  }
}

class PromisesTest : public ::testing::TestWithParam<std::pair<std::string_view, std::string_view>> {};

TEST_P(PromisesTest, AreThoseOfTheTable) {
  for (const SubjectRow& row : SubjectRows()) {
    if (GetParam() == std::pair(row.family->name(), std::string_view(row.name))) CheckSubject(row);
  }
}

// Subjects once, whatever rows their variants have.
std::set<std::pair<std::string_view, std::string_view>> SubjectsOfTable() {
  std::set<std::pair<std::string_view, std::string_view>> subjects;
  for (const Promised& promised : kTable) subjects.emplace(promised.family, promised.subject);
  return subjects;
}

INSTANTIATE_TEST_SUITE_P(Subjects, PromisesTest, ::testing::ValuesIn(SubjectsOfTable()), [](const auto& info) {
  std::string name = std::string(info.param.first) + "_" + std::string(info.param.second);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// A variant named in the table is one of its subject, where that is here.
TEST(PromisesTableTest, EverySubjectHasARowAndEveryRowASubject) {
  std::set<const Promised*> used;
  std::set<std::pair<std::string_view, std::string_view>> absent;
  for (const SubjectRow& row : SubjectRows()) {
    if (!row.absent.empty()) absent.emplace(row.family->name(), row.name);
    for (const std::string& variant : row.variants) {
      const Promised* promised = RowOf(row, variant);
      EXPECT_TRUE(promised != nullptr || !row.absent.empty()) << row.name << " is not in the table of promises";
      used.insert(promised);
    }
  }
  for (const Promised& promised : kTable) {
    EXPECT_TRUE(used.contains(&promised) || absent.contains({promised.family, promised.subject}))
        << promised.subject << ":" << promised.variant << " is in the table and is no subject";
  }
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
