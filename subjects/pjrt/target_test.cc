// What a person writes of targets and options, and the bytes that they become.
#include "subjects/pjrt/target.h"

#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/hlo/text.h"
#include "subjects/pjrt/drawn_options.h"

namespace oomph::pjrt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(TargetTest, WordsAreChipsTopologiesAndOptions) {
  const auto of = [](std::string_view words) { return ParseTarget(words, TpuTargets(), "v5e:2x2"); };
  EXPECT_EQ(of("v6e")->topology, "v6e:2x2");
  EXPECT_EQ(of("v6e")->chip, "v6e");
  EXPECT_EQ(of("v7x")->topology, "tpu7x:2x2x1");
  EXPECT_EQ(of("")->topology, "v5e:2x2");
  EXPECT_EQ(of("v5e:4x4")->topology, "v5e:4x4");
  EXPECT_THAT(of("v4")->options, IsEmpty());
  EXPECT_THAT(of("v4mega")->options, ElementsAre("chip_config_name=megacore"));
  const auto target = of("v5p,xla_tpu_scoped_vmem_limit_kib=4096,other=a b");
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ(target->topology, "v5p:2x2x1");
  EXPECT_THAT(target->overrides, ElementsAre(Override{"xla_tpu_scoped_vmem_limit_kib", "4096"}, Override{"other", "a b"}));
  EXPECT_THAT(of("only=1")->overrides, ElementsAre(Override{"only", "1"}));
  EXPECT_EQ(of("only=1")->topology, "v5e:2x2");
  EXPECT_EQ(ParseTarget("", {}, "client")->topology, "client");
  EXPECT_EQ(ParseTarget("anything", {}, "client")->topology, "anything");
}

// By what a module does, not by how long it is or what it calls itself.
TEST(TargetTest, OptionsAreDrawnByTheOperationsOfAModule) {
  EXPECT_TRUE(ParseTarget("v5e-options", TpuTargets(), "")->draws_options);
  EXPECT_FALSE(ParseTarget("v5e", TpuTargets(), "")->draws_options);
  const auto drawn = [](const std::string& name, const std::string& lines) {
    const auto module = hlo::Parse("m", "HloModule " + name + "\n\nENTRY e {\n  p = f32[8] parameter(0)\n" + lines + "}\n");
    EXPECT_TRUE(module.ok()) << module.status();
    return module.ok() ? DrawnOptions(*module) : std::vector<Override>();
  };
  const auto once = drawn("m", "  ROOT a = f32[8] negate(p)\n");
  ASSERT_EQ(once.size(), 1u);
  EXPECT_EQ(once[0].name, "xla_tpu_scoped_vmem_limit_kib");
  EXPECT_EQ(drawn("n", "  b = f32[8] negate(p)\n  ROOT a = f32[8] negate(b)\n"), once);
  std::set<std::string> values;
  for (const std::string opcode : {"negate", "exponential", "abs", "sine", "cosine", "tanh", "ceil", "floor", "sign", "sqrt"}) {
    values.insert(drawn("m", "  ROOT a = f32[8] " + opcode + "(p)\n")[0].value);
  }
  EXPECT_GE(values.size(), 3u);
}

TEST(TargetTest, WhatIsNoTargetSaysWhatThereIs) {
  const auto said = [](std::string_view words) {
    return std::string(ParseTarget(words, TpuTargets(), "v5e:2x2").status().message());
  };
  EXPECT_THAT(said("v9"), HasSubstr("no target \"v9\"; there are v5e, v6e"));
  EXPECT_THAT(said("v5e,nothing"), HasSubstr("expected an option of the compiler, NAME=VALUE, found \"nothing\""));
  EXPECT_THAT(said("v5e,=1"), HasSubstr("NAME=VALUE"));
  EXPECT_THAT(said("v5e,a b=1"), HasSubstr("NAME=VALUE"));
  // A case file must not name where a compiler writes.
  EXPECT_THAT(said("v5e,xla_dump_to=/somewhere"), HasSubstr("dumps are made and read by the harness"));
}

TEST(CompileOptionsTest, AreAProto) {
  EXPECT_EQ(Serialize({}), std::string("\x1a\x04\x20\x01\x28\x01", 6));
  CompileOptions options;
  options.replicas = 300;
  options.overrides = {{"k", "v"}};
  // 3: {4: 300, 5: 1}, 7: {1: "k", 2: {1: "v"}}
  EXPECT_EQ(Serialize(options), std::string("\x1a\x05\x20\xac\x02\x28\x01\x3a\x08\x0a\x01k\x12\x03\x0a\x01v", 17));
}

}  // namespace
}  // namespace oomph::pjrt
