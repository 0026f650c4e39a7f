// The layouts that a person gave, in the words of PJRT.
#include "subjects/pjrt/layout_modes.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/hlo/text.h"

namespace oomph::pjrt {
namespace {

using testing::HasSubstr;
using testing::Not;

hlo::Module Read(const std::string& header, const std::string& p, const std::string& q, const std::string& root) {
  auto module = hlo::Parse("m", absl::StrCat("HloModule m", header, "\n\nENTRY e {\n  q = ", q,
                                             " parameter(1)\n  p = ", p, " parameter(0)\n  ROOT r = ", root, "\n}\n"));
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : hlo::Module();
}

TEST(LayoutModesTest, AreThoseOfTheParametersInTheirOrder) {
  const hlo::Module module = Read("", "f32[2,3]{0,1}", "f32[4]", "f32[2,3]{1,0} sine(p)");
  EXPECT_EQ(LayoutModesOf(module), (LayoutModes{"{0,1};default", "default"}));
}

TEST(LayoutModesTest, AreThoseOfTheHeaderWhereItHasSome) {
  const hlo::Module module =
      Read(", entry_computation_layout={(f32[2,3]{1,0:T(8,128)}, f32[4]{0})->(f32[2,3]{0,1}, f32[4]{0})}", "f32[2,3]",
           "f32[4]", "(f32[2,3], f32[4]) tuple(p, q)");
  EXPECT_EQ(LayoutModesOf(module), (LayoutModes{"{1,0:T(8,128)};default", "{0,1};default"}));
}

TEST(LayoutModesTest, OfAScheduledModuleAllCount) {
  const hlo::Module module = Read(", is_scheduled=true", "f32[2,3]{1,0}", "f32[4]", "f32[2,3]{1,0} sine(p)");
  EXPECT_EQ(LayoutModesOf(module), (LayoutModes{"{1,0};default", "{1,0}"}));
}

TEST(LayoutModesTest, NothingGivenIsNothingSaid) {
  EXPECT_EQ(LayoutModesOf(Read("", "f32[2,3]", "f32[4]{0}", "f32[2,3] sine(p)")), std::nullopt);
  EXPECT_EQ(LayoutModesOf(Read("", "(f32[2,3]{0,1})", "f32[4]", "f32[4]{0:T(128)} sine(q)")), std::nullopt);
  EXPECT_EQ(LayoutModesOf(hlo::Module()), std::nullopt);
  hlo::Module module = Read("", "f32[2,3]", "f32[4]", "f32[2,3] sine(p)");
  const std::string before = hlo::Print(module);
  AddLayoutModes(module);
  EXPECT_EQ(hlo::Print(module), before);
}

TEST(LayoutModesTest, GoIntoTheHeaderBesideWhatIsThere) {
  hlo::Module module = Read(", frontend_attributes={a=\"b\"}", "f32[2,3]{0,1}", "f32[4]", "f32[2,3] sine(p)");
  AddLayoutModes(module);
  const std::string text = hlo::Print(module);
  EXPECT_THAT(
      text, HasSubstr("frontend_attributes={a=\"b\",arg_layout_modes=\"{0,1};default\",out_layout_modes=\"default\"}"));
  const auto again = hlo::Parse("again", text);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(*again, module);
  // A person's own words stay.
  hlo::Module own = Read(", frontend_attributes={arg_layout_modes=\"default;default\"}", "f32[2,3]{0,1}", "f32[4]",
                         "f32[2,3] sine(p)");
  AddLayoutModes(own);
  EXPECT_THAT(hlo::Print(own), Not(HasSubstr("{0,1};")));
}

}  // namespace
}  // namespace oomph::pjrt
