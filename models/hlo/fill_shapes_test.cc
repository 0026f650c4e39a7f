// The shapes that are filled in: which, from what, and where it cannot be done.
// Not for the rules of inference themselves (infer_test.cc).
#include "models/hlo/fill_shapes.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "models/base/choices.h"
#include "models/hlo/generate.h"
#include "models/hlo/liveness.h"
#include "models/hlo/text.h"
#include "models/hlo/verify.h"

namespace oomph::hlo {
namespace {

Module Read(std::string_view text) {
  absl::StatusOr<Module> module = Parse("test", text);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : Module();
}

std::string ShapeText(const Module& module, std::string_view name) {
  for (const Computation& computation : module.computations) {
    for (const Instruction& instruction : computation.instructions) {
      if (module.Name(instruction) == name) return PrintShape(module.shapes, instruction.shape);
    }
  }
  return "no such instruction";
}

constexpr std::string_view kBare = R"hlo(HloModule m, is_scheduled=true

%body {
  %b = (f32[10], s32[]) parameter(0)
  %b0 = get-tuple-element(%b), index=0
  %b1 = get-tuple-element(%b), index=1
  %q = sine(%b0)
  ROOT %t = tuple(%q, %b1)
}

%cond {
  %c = (f32[10], s32[]) parameter(0)
  %k = get-tuple-element(%c), index=1
  ROOT %l = compare(%k, %k), direction=LT
}

ENTRY %main {
  %p = f32[10] parameter(0)
  %i = s32[] parameter(1)
  %init = tuple(%p, %i)
  %w = while(%init), condition=%cond, body=%body
  %a = get-tuple-element(%w), index=0
  %o = token[] after-all()
  %d = add-dependency(%a, %o)
  ROOT %r = add(%d, %d)
}
)hlo";

TEST(FillShapesTest, InfersWhatIsNotWritten) {
  Module module = Read(kBare);
  EXPECT_TRUE(MayLackShapes(module));
  ASSERT_TRUE(FillShapes(module).ok());
  EXPECT_EQ(ShapeText(module, "q"), "f32[10]");
  EXPECT_EQ(ShapeText(module, "t"), "(f32[10], s32[])");
  EXPECT_EQ(ShapeText(module, "l"), "pred[]");
  EXPECT_EQ(ShapeText(module, "w"), "(f32[10], s32[])");
  EXPECT_EQ(ShapeText(module, "r"), "f32[10]");
  EXPECT_TRUE(Verify(module).empty());
}

// Liveness is that of the text that has all shapes; what was given is not changed.
TEST(FillShapesTest, LivenessNeedsNoWrittenShapes) {
  const Module bare = Read(kBare);
  Module full = bare;
  ASSERT_TRUE(FillShapes(full).ok());
  const absl::StatusOr<Liveness> of_bare = LivenessOf(bare), of_full = LivenessOf(Read(Print(full)));
  ASSERT_TRUE(of_bare.ok()) << of_bare.status();
  ASSERT_TRUE(of_full.ok()) << of_full.status();
  EXPECT_EQ(of_bare->total_peak, of_full->total_peak);
  EXPECT_GT(of_bare->total_peak, 0u);
  EXPECT_EQ(of_full->filled, nullptr);
  ASSERT_NE(of_bare->filled, nullptr);
  EXPECT_EQ(bare, Read(kBare));
}

TEST(FillShapesTest, ReplacesAShapeThatSaysNothing) {
  Module module = Read(R"hlo(HloModule m

ENTRY %main {
  %p = f32[10]{0:T(128)} parameter(0)
  %a = f32[1000] after-all(%p)
  %s = (f32[7], u32[]{:S(2)}, token[]) send(%p, %a), channel_id=1
  %s2 = (f32[10]{0:T(128)}, u32[]{:S(2)}, token[]) send(%p, %a), channel_id=2
  %e = f32[3] send-done(%s), channel_id=1
  ROOT %e2 = token[] send-done(%s2), channel_id=2
}
)hlo");
  ASSERT_TRUE(FillShapes(module).ok());
  EXPECT_EQ(ShapeText(module, "a"), "token[]");
  EXPECT_EQ(ShapeText(module, "s"), "(f32[10]{0:T(128)}, u32[], token[])");
  EXPECT_EQ(ShapeText(module, "s2"), "(f32[10]{0:T(128)}, u32[]{:S(2)}, token[])");  // fits: its layout stays
  EXPECT_EQ(ShapeText(module, "e"), "token[]");
}

TEST(FillShapesTest, SaysWhichShapeCannotBeInferred) {
  Module module = Read(R"hlo(HloModule m

ENTRY %main {
  %p = f32[10] parameter(0)
  %c = custom-call(%p), custom_call_target="f"
  ROOT %n = negate(%p)
}
)hlo");
  const absl::Status status = FillShapes(module);
  EXPECT_NE(std::string(status.message()).find("instruction c is not given"), std::string::npos) << status;
  EXPECT_EQ(ShapeText(module, "n"), "f32[10]");  // the others are there
  EXPECT_NE(std::string(LivenessOf(module).status().message()).find("instruction c"), std::string::npos);
}

// What each generated module says of its shapes is what its operations say, as far as they say it.
TEST(FillShapesTest, FindsTheShapesOfGeneratedModulesAgain) {
  size_t asked = 0, same = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Choices choices = Choices::FromSeed(seed, true);
    Module module;
    GenerateModule(choices, {}, module);
    Module bare = module;
    for (Computation& computation : bare.computations) {
      for (Instruction& instruction : computation.instructions) {
        if (instruction.opcode != Opcode::kParameter && instruction.opcode != Opcode::kConstant) instruction.shape = 0;
      }
    }
    (void)FillShapes(bare);
    for (size_t c = 0; c < module.computations.size(); ++c) {
      for (size_t i = 0; i < module.computations[c].instructions.size(); ++i) {
        const Type type = bare.shapes[bare.computations[c].instructions[i].shape].type;
        if (type == Type::kNone) continue;
        ++asked;
        same += type == module.shapes[module.computations[c].instructions[i].shape].type ? 1 : 0;
      }
    }
  }
  EXPECT_GT(asked, 1000u);
  EXPECT_GT(same, asked * 95 / 100);  // a floating type may be another, and so the result that follows
}

// Tuples of tuples of …: each level is inferred from the one before, and nobody may recurse through all.
TEST(FillShapesTest, DeepTuplesAreAnAnswer) {
  std::string text = "HloModule m\n\nENTRY %main {\n  %t0 = f32[] parameter(0)\n";
  for (int i = 1; i < 20000; ++i) absl::StrAppend(&text, "  %t", i, " = tuple(%t", i - 1, ")\n");
  text += "  ROOT %r = tuple(%t0)\n}\n";
  Module module = Read(text);
  const absl::Status status = FillShapes(module);
  EXPECT_NE(std::string(status.message()).find("nested too deep"), std::string::npos) << status;
  EXPECT_FALSE(LivenessOf(module).ok());
}

TEST(FillShapesTest, AWrongStructureIsLeftAlone) {
  Module module = Read("HloModule m\n\nENTRY %main {\n  %p = f32[3] parameter(0)\n  ROOT %n = negate(%p)\n}\n");
  const std::vector<uint32_t> nowhere = {77};
  module.computations[0].instructions[1].operands = module.AddOperands(nowhere);
  EXPECT_FALSE(FillShapes(module).ok());
}

}  // namespace
}  // namespace oomph::hlo
