// The table of subjects: what is in it, and what a person's words choose.
// Not for: running them.
#include "subjects/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "models/hbm/family.h"
#include "models/hbm/trace.h"
#include "models/placement/family.h"
#include "subjects/plugin/bfc_row.h"
#include "subjects/plugin/plugin_row.h"

namespace oomph {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string ErrorOf(const std::string& words) {
  const auto found = FindSubjects(HbmFamily(), words);
  return found.ok() ? "found" : std::string(found.status().message());
}

TEST(RegistryTest, RowsAreCompleteAndTheirNamesUnique) {
  std::set<std::pair<const Family*, std::string>> names;
  for (const SubjectRow& row : SubjectRows()) {
    EXPECT_NE(row.family, nullptr);
    EXPECT_NE(row.make, nullptr) << row.name;
    EXPECT_FALSE(row.title.empty()) << row.name;
    EXPECT_FALSE(row.variants.empty()) << row.name;
    EXPECT_TRUE(names.emplace(row.family, row.name).second) << row.name;
  }
  for (const SubjectRow& row : SubjectRows()) {
    EXPECT_TRUE(row.reference.empty() || names.contains({row.family, row.reference})) << row.name;
  }
}

TEST(RegistryTest, EverySubjectThatIsHereStarts) {
  for (const SubjectRow& row : SubjectRows()) {
    if (!row.absent.empty()) continue;
    for (const std::string& variant : row.variants) {
      const absl::StatusOr<std::unique_ptr<Subject>> subject = row.make(variant, true);
      ASSERT_TRUE(subject.ok()) << row.name << ": " << subject.status();
      EXPECT_EQ((*subject)->info().name, row.name);
      EXPECT_EQ((*subject)->info().variant, variant);
      EXPECT_FALSE((*subject)->info().version.empty()) << row.name;
    }
  }
}

TEST(RegistryTest, ModelIsComparedWithSpecification) {
  const auto found = FindSubjects(HbmFamily(), "model");
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ(found->front().row.reference, "specification");
  const auto subject = found->front().row.make(found->front().variant, false);
  ASSERT_TRUE(subject.ok()) << subject.status();
  EXPECT_EQ((*subject)->info().name, "model");
}

TEST(RegistryTest, AnUnknownNameListsTheNames) {
  EXPECT_THAT(ErrorOf("modle"), AllOf(HasSubstr("\"modle\""), HasSubstr("model"),
                                      HasSubstr("specification"), HasSubstr("bfc")));
}

TEST(RegistryTest, APluginIsNamedByItsPath) {
  const std::string path = PluginPath("faulty");
  const auto all = FindSubjects(HbmFamily(), "plugin:" + path);
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_GT(all->size(), 10u);
  EXPECT_EQ(all->front().row.name, "faulty");
  const auto one = FindSubjects(HbmFamily(), "plugin:" + path + ":none=1");
  ASSERT_TRUE(one.ok()) << one.status();
  ASSERT_EQ(one->size(), 1u);
  EXPECT_EQ(one->front().variant, "none=1");
  EXPECT_THAT(ErrorOf("plugin:" + PluginPath("wrong_abi")), HasSubstr("interface version 2"));
  EXPECT_THAT(ErrorOf("plugin:/no/such.so"), HasSubstr("/no/such.so: No such file"));
}

// One text names an allocator of one family or a planner of the other; each refuses what is the other's.
TEST(RegistryTest, ForeignCodeIsOfOneFamily) {
  const auto of = [](const Family& family, const std::string& words) { return FindSubjects(family, words).status(); };
  const std::string planner = "plugin:" + PluginPath("faulty_planner"), allocator = "plugin:" + PluginPath("first_fit");
  EXPECT_TRUE(of(PlacementFamily(), planner).ok()) << of(PlacementFamily(), planner);
  EXPECT_TRUE(absl::IsUnimplemented(of(PlacementFamily(), allocator))) << of(PlacementFamily(), allocator);
  EXPECT_FALSE(of(HbmFamily(), planner).ok());
  EXPECT_TRUE(of(HbmFamily(), allocator).ok());
  const auto one = FindSubjects(PlacementFamily(), planner + ":misses");
  ASSERT_TRUE(one.ok()) << one.status();
  ASSERT_EQ(one->size(), 1u);
  EXPECT_EQ(one->front().variant, "misses");
  EXPECT_EQ(one->front().row.name, "faulty_planner");
  EXPECT_TRUE(absl::IsUnimplemented(of(HbmFamily(), "cmd:true {in} {out}")));
  EXPECT_TRUE(absl::IsUnimplemented(of(PlacementFamily(), "cmd:true")));
  EXPECT_TRUE(of(PlacementFamily(), "cmd:true {in} {out}").ok());
}

TEST(BfcRowTest, PreparesTheTraceForItsReference) {
  hbm::Trace trace;
  trace.policy.capacity = uint64_t{1} << 40;
  trace.policy.fit = hbm::Fit::kWorst;
  PrepareForBfc("growth=on,gc=on,backing=4096", trace);
  EXPECT_EQ(trace.policy.allocator, hbm::Allocator::kBfc);
  EXPECT_EQ(trace.policy.capacity, uint64_t{1} << 33);
  EXPECT_EQ(trace.policy.fit, hbm::Policy().fit);
  EXPECT_TRUE(trace.policy.bfc.growth);
  EXPECT_TRUE(trace.policy.bfc.garbage_collection);
  EXPECT_FALSE(trace.policy.bfc.coalescing);
  EXPECT_EQ(trace.policy.bfc.backing, 4096u);
  EXPECT_EQ(trace.policy.bfc.deviations, bfc::kAsShipped);
  const hbm::Trace once = trace;
  PrepareForBfc("growth=on,gc=on,backing=4096", trace);
  EXPECT_EQ(trace, once);
}

}  // namespace
}  // namespace oomph
