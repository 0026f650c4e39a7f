// What the table says of subjects by themselves. Not for: choosing among real ones (see fuzz/campaign/campaign_test.cc).
#include "fuzz/subject_table.h"

#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "models/families.h"

namespace oomph {
namespace {

TEST(SubjectTable, APluginCalledModelIsForeignAllTheSame) {
  SubjectRow row;
  row.name = "model";
  EXPECT_TRUE(IsBuiltIn(row));
  row.spec = "plugin:/somewhere/oomph_plugin_model.so";
  EXPECT_FALSE(IsBuiltIn(row));
}

// A row may say that its variant has another name in what it is compared with.
TEST(SubjectTable, TheReferenceIsAskedForTheVariantThatTheRowNames) {
  const SubjectTable& table = SubjectTable::All();
  const auto pairs = table.Find("model:temporal", FindFamily("placement"));
  ASSERT_TRUE(pairs.ok()) << pairs.status();
  SubjectRow row = *pairs->front().row;
  row.reference = "model";
  const auto reference = [&](const std::string& variant) {
    const auto loaded = table.Load({std::make_shared<SubjectRow>(row), variant});
    return loaded.ok() ? loaded->reference->info().variant : std::string(loaded.status().message());
  };
  row.reference_variant = nullptr;
  EXPECT_EQ(reference("temporal"), "temporal");
  EXPECT_EQ(reference("branch_and_bound,nodes=1"), "decreasing_size");
  row.reference_variant = [](const std::string&) { return std::string("by_area"); };
  EXPECT_EQ(reference("temporal"), "by_area");
}

// With a wrong reference the comparison itself is what is tested.
TEST(SubjectTable, AnotherReferenceIsNamedAfterTheSubject) {
  const SubjectTable& table = SubjectTable::All();
  const Family* const family = FindFamily("placement");
  const auto reference = [&](const std::string& spec) {
    const auto pairs = table.Find(spec, family);
    if (!pairs.ok()) return std::string(pairs.status().message());
    EXPECT_EQ(pairs->front().Spec(), spec);
    const auto loaded = table.Load(pairs->front());
    if (!loaded.ok() || loaded->reference == nullptr) return std::string("none");
    return loaded->reference->info().name;
  };
  EXPECT_EQ(reference("model:temporal"), "specification");
  EXPECT_EQ(reference("model:temporal@model"), "model");
  EXPECT_EQ(reference("model:temporal@specification"), "specification");
  const SubjectRow* fault = nullptr;
  for (const SubjectRow& row : table.rows()) {
    if (row.family == family && IsFault(row)) fault = &row;
  }
  ASSERT_NE(fault, nullptr);
  EXPECT_EQ(reference("model:temporal@" + fault->name), fault->name);
  EXPECT_NE(reference("model:temporal@nobody").find("no subject \"nobody\" to compare model:temporal with"), std::string::npos);
  EXPECT_NE(reference("nobody@model").find("no subject \"nobody\""), std::string::npos);
}

// Which of the two did it could not be told from a finding.
TEST(SubjectTable, TwoOfOneNameAreNotSelectedTogether) {
  const std::vector<const Family*> families = {FindFamily("placement")};
  const auto selected = [&](const std::vector<std::string>& specs) { return SubjectTable::All().Select(specs, families); };
  const std::string one = "cmd:python3 plan.py one {in} {out}", two = "cmd:python3 plan.py two {in} {out}";
  const auto both = selected({one, two});
  ASSERT_FALSE(both.ok());
  EXPECT_TRUE(absl::IsInvalidArgument(both.status())) << both.status();
  EXPECT_NE(both.status().message().find("both are called cmd:plan.py"), absl::string_view::npos) << both.status();
  EXPECT_EQ(selected({one, one})->size(), 1u);
  EXPECT_EQ(selected({one, "model:temporal", "model:temporal"})->size(), 2u);
}

}  // namespace
}  // namespace oomph
