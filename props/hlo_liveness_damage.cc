// Counting memory ends with an answer for every value of type Module: real and generated ones after random edits of
// their ids, ranges, opcodes and lists, and small texts that mean very much. To be run under sanitizers.
// Does not cover: reading damaged texts (models/hlo/text_damage_test.cc), whether the counts of valid modules are right
// (hlo_liveness.cc).
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "models/base/choices.h"
#include "models/base/svg_testing.h"
#include "models/hlo/answer.h"
#include "models/hlo/draw.h"
#include "models/hlo/explain.h"
#include "models/hlo/fill_shapes.h"
#include "models/hlo/generate.h"
#include "models/hlo/interpreter.h"
#include "models/hlo/liveness.h"
#include "models/hlo/text.h"
#include "models/hlo/verify.h"

namespace oomph::hlo {
namespace {

// ---- damage ----

// Shapes that are hard to count.
void AddStrangeShapes(Choices& choices, Module& module) {
  constexpr int64_t kSizes[] = {0, 1, 7, int64_t{1} << 31, int64_t{1} << 62, INT64_MAX, -1, INT64_MIN};
  std::vector<Dimension> dimensions;
  for (uint64_t i = choices.Below(4); i > 0; --i) {
    constexpr Extent kExtents[] = {Extent::kStatic, Extent::kBounded, Extent::kUnbounded};
    dimensions.push_back({choices.Pick<int64_t>(kSizes), choices.Pick<Extent>(kExtents)});
  }
  Layout layout;
  for (size_t i = dimensions.size(); i-- > 0;) layout.minor_to_major.push_back(static_cast<int64_t>(i));
  if (choices.Chance(1, 4)) layout.minor_to_major.push_back(choices.Pick<int64_t>(kSizes));
  if (choices.Chance(1, 2)) layout.tiles = {{8, 128}, {choices.Pick<int64_t>(kSizes)}};
  if (choices.Chance(1, 3)) layout.memory_space = choices.Pick<int64_t>(kSizes);
  if (choices.Chance(1, 3)) layout.element_bits = choices.Pick<int64_t>(kSizes);
  if (choices.Chance(1, 3)) layout.metadata_bytes = choices.Pick<int64_t>(kSizes);
  const Type type = static_cast<Type>(choices.Below(static_cast<uint64_t>(Type::kToken)));
  ShapeId shape = module.shapes.AddArray(type, dimensions, module.shapes.AddLayout(layout));
  for (uint64_t i = choices.Below(3); i > 0; --i) {
    const ShapeId other = static_cast<ShapeId>(choices.Below(module.shapes.size()));
    const ShapeId elements[] = {shape, other, shape};
    shape = choices.Chance(1, 8) ? module.shapes.AddBuffer(shape) : module.shapes.AddTuple(elements);
  }
}

uint32_t AnyIndex(Choices& choices, size_t size) {
  return static_cast<uint32_t>(choices.Chance(1, 40) ? choices.Bits() : choices.Below(size + (choices.Chance(1, 40) ? 1 : 0)));
}

void DamageInstruction(Choices& choices, Module& module, Computation& computation, Instruction& instruction) {
  const size_t count = computation.instructions.size();
  const Instruction& other = computation.instructions[choices.Below(count)];
  switch (choices.Below(9)) {
    case 0:
      instruction.shape = AnyIndex(choices, module.shapes.size());
      break;
    case 1:
      instruction.shape = other.shape;
      break;
    case 2: {
      std::vector<uint32_t> operands;
      for (uint64_t i = choices.Below(4); i > 0; --i) operands.push_back(AnyIndex(choices, count));
      instruction.operands = module.AddOperands(operands);
      break;
    }
    case 3:
      instruction.operands = other.operands;
      break;
    case 4:
      instruction.attributes = other.attributes;
      break;
    case 5: {
      std::vector<AttributeId> attributes(module.Attributes(other).begin(), module.Attributes(other).end());
      if (module.attribute_table.size() > 0) attributes.push_back(AnyIndex(choices, module.attribute_table.size()));
      instruction.attributes = module.AddAttributes(attributes);
      break;
    }
    case 6:
      instruction.opcode = instruction.wrapped = static_cast<Opcode>(choices.Below(kOpcodes));
      break;
    case 7:
      instruction.payload = AnyIndex(choices, 4);
      break;
    default:
      if (choices.Chance(1, 10)) {
        instruction.operands.begin = static_cast<uint32_t>(choices.Bits());
      } else {
        std::swap(instruction, computation.instructions[choices.Below(count)]);
      }
  }
}

// A module may lose its soundness altogether; most keep it.
void DamageModule(Choices& choices, Module& module) {
  AddStrangeShapes(choices, module);
  for (uint64_t i = choices.Between(1, 6); i > 0 && !module.computations.empty(); --i) {
    Computation& computation = module.computations[choices.Below(module.computations.size())];
    if (choices.Chance(1, 40)) computation.root = AnyIndex(choices, computation.instructions.size());
    if (choices.Chance(1, 40)) module.entry = AnyIndex(choices, module.computations.size());
    if (computation.instructions.empty()) continue;
    Instruction& instruction = computation.instructions[choices.Below(computation.instructions.size())];
    DamageInstruction(choices, module, computation, instruction);
  }
}

// ---- what is asked ----

struct Tally {
  size_t asked = 0, sound = 0, counted = 0, interpreted = 0, valid = 0, equal = 0;
};

// All that counts memory, once. What is said of a module that the verifier takes must agree.
void Ask(const Module& module, Tally& tally) {
  ++tally.asked;
  const bool sound = CheckStructure(module).ok();
  tally.sound += sound ? 1 : 0;
  for (const Order order : {Order::kText, Order::kBreadthFirst, Order::kLeastMemory}) {
    const absl::StatusOr<Schedule> schedule = ScheduleOf(module, order);
    if (schedule.ok()) {
      EXPECT_TRUE(CheckSchedule(module, *schedule).ok());
    }
    EXPECT_TRUE(sound || !schedule.ok());
  }
  Module filled = module;
  (void)FillShapes(filled);
  const absl::StatusOr<Liveness> usual = LivenessOf(module), counted = LivenessOf(module, CountedOptions());
  const absl::StatusOr<InterpretedPeak> interpreted = InterpretPeak(module);
  EXPECT_EQ(usual.ok(), counted.ok());
  if (usual.ok()) {
    ++tally.counted;
    (void)ProblemOf(module, *usual, 0);
  }
  tally.interpreted += interpreted.ok() ? 1 : 0;
  const std::string svg = DrawSvg(module), words = Explain(module);
  EXPECT_EQ(Unwell(svg), "");
  EXPECT_LT(svg.size(), size_t{8} << 20);
  EXPECT_LT(words.size(), size_t{1} << 18);
  if (!counted.ok() || !interpreted.ok() || !Verify(module).empty()) return;
  ++tally.valid;
  EXPECT_EQ(counted->total_peak, interpreted->total) << Print(module);
  tally.equal += counted->total_peak == interpreted->total ? 1 : 0;
}

void AskDamaged(const Module& module, uint64_t seed, size_t times, Tally& tally) {
  for (size_t i = 0; i < times; ++i) {
    Choices choices = Choices::FromSeed(seed * 1000 + i, false);
    Module damaged = module;
    DamageModule(choices, damaged);
    Ask(damaged, tally);
  }
}

Tally AskGenerated(uint64_t first, uint64_t last) {
  Tally tally;
  for (uint64_t seed = first; seed < last; ++seed) {
    Choices choices = Choices::FromSeed(seed, true);
    Module module;
    GenerateModule(choices, {}, module);
    AskDamaged(module, seed, 4, tally);
  }
  return tally;
}

void Say(const Tally& tally) {
  std::cout << tally.asked << " damaged modules: " << tally.sound << " of sound structure, " << tally.counted << " counted, "
            << tally.interpreted << " interpreted; " << tally.equal << " equal of " << tally.valid << " that are valid\n";
}

TEST(HloLivenessDamageProps, EveryModuleHasAnAnswer) {
  const Tally tally = AskGenerated(0, 60);
  EXPECT_GT(tally.counted, tally.asked / 4);  // enough is left of them to be counted
  EXPECT_LT(tally.sound, tally.asked);        // and some are beyond that
}

TEST(SlowHloLivenessDamageProps, EveryModuleHasAnAnswer) {
  const Tally tally = AskGenerated(1000, 6000);
  Say(tally);
  EXPECT_GT(tally.valid, 0u);
}

TEST(SlowHloLivenessDamageProps, EveryModuleOfAFolderHasAnAnswer) {
  const char* folder = std::getenv("OOMPH_HLO_CASES");
  if (folder == nullptr) GTEST_SKIP() << "OOMPH_HLO_CASES is not set";
  Tally tally;
  uint64_t seed = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".hlo") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const absl::StatusOr<Module> module = Parse(entry.path().filename().string(), text);
    if (!module.ok()) continue;
    Ask(*module, tally);
    AskDamaged(*module, ++seed, text.size() > (1 << 20) ? 1 : 10, tally);
  }
  Say(tally);
  EXPECT_GT(tally.valid, 0u);
}

// ---- small texts that mean very much ----

Module Read(const std::string& text) {
  absl::StatusOr<Module> module = Parse("test", text);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : Module();
}

void AskText(const std::string& text) {
  Tally tally;
  Ask(Read(text), tally);
}

// Each computation calls the one before twice: 2^60 steps.
TEST(HloLivenessDamageProps, CallsOfCallsEnd) {
  std::string text = "HloModule m\n\nc0 {\n  ROOT p = f32[] parameter(0)\n}\n\n";
  for (int i = 1; i < 60; ++i) {
    absl::StrAppend(&text, "c", i, " {\n  p = f32[] parameter(0)\n  a = f32[] call(p), to_apply=c", i - 1,
                    "\n  ROOT b = f32[] call(a), to_apply=c", i - 1, "\n}\n\n");
  }
  text += "ENTRY e {\n  p = f32[] parameter(0)\n  ROOT r = f32[] call(p), to_apply=c59\n}\n";
  const Module module = Read(text);
  EXPECT_EQ(LivenessOf(module).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(InterpretPeak(module).status().code(), absl::StatusCode::kResourceExhausted);
  AskText(text);
}

// Loops in loops: the interpreter goes round each twice.
TEST(HloLivenessDamageProps, LoopsInLoopsEnd) {
  std::string text = "HloModule m\n\nk {\n  p = pred[] parameter(0)\n  ROOT q = pred[] negate(p)\n}\n\n"
                     "b0 {\n  ROOT p = pred[] parameter(0)\n}\n\n";
  for (int i = 1; i < 40; ++i) {
    absl::StrAppend(&text, "b", i, " {\n  p = pred[] parameter(0)\n  ROOT w = pred[] while(p), condition=k, body=b", i - 1,
                    "\n}\n\n");
  }
  text += "ENTRY e {\n  p = pred[] parameter(0)\n  ROOT w = pred[] while(p), condition=k, body=b39\n}\n";
  EXPECT_TRUE(LivenessOf(Read(text)).ok());
  EXPECT_FALSE(InterpretPeak(Read(text)).ok());
  AskText(text);
}

// Each tuple holds the one before twice: 2^50 parts. With the shapes left out, and read again and again.
TEST(HloLivenessDamageProps, TuplesOfTuplesEnd) {
  for (const int levels : {18, 50}) {
    std::string text = "HloModule m\n\nENTRY e {\n  t0 = f32[] parameter(0)\n";
    for (int i = 1; i <= levels; ++i) absl::StrAppend(&text, "  t", i, " = tuple(t", i - 1, ", t", i - 1, ")\n");
    for (int i = 0; i < 2000; ++i) {
      absl::StrAppend(&text, "  r", i, " = f32[] custom-call(t", levels, "), custom_call_target=\"f\"\n");
    }
    text += "  ROOT z = f32[] negate(t0)\n}\n";
    const Module module = Read(text);
    EXPECT_EQ(LivenessOf(module).ok(), levels == 18);
    EXPECT_FALSE(InterpretPeak(module).ok());
    AskText(text);
  }
}

// A fusion whose parts are those of a fusion in it, and so on: each level must be looked into once.
TEST(HloLivenessDamageProps, FusionsInFusionsEnd) {
  constexpr int kParts = 20, kLevels = 15;
  std::string shape = "(";
  for (int i = 0; i < kParts; ++i) absl::StrAppend(&shape, i == 0 ? "" : ", ", "f32[4]");
  shape += ")";
  const auto parts_of = [&](std::string_view of) {
    std::string text, list;
    for (int i = 0; i < kParts; ++i) {
      absl::StrAppend(&text, "  g", i, " = f32[4] get-tuple-element(", std::string(of), "), index=", i, "\n");
      absl::StrAppend(&list, i == 0 ? "" : ", ", "g", i);
    }
    return absl::StrCat(text, "  ROOT t = ", shape, " tuple(", list, ")\n}\n\n");
  };
  std::string text = "HloModule m\n\nf0 {\n  p = f32[4] parameter(0)\n  u = f32[1] parameter(1)\n  i = s32[] parameter(2)\n";
  std::string list;
  for (int i = 0; i < kParts; ++i) {
    absl::StrAppend(&text, "  d", i, " = f32[4] dynamic-update-slice(p, u, i)\n");
    absl::StrAppend(&list, i == 0 ? "" : ", ", "d", i);
  }
  absl::StrAppend(&text, "  ROOT t = ", shape, " tuple(", list, ")\n}\n\n");
  for (int level = 1; level <= kLevels; ++level) {
    absl::StrAppend(&text, "f", level,
                    " {\n  p = f32[4] parameter(0)\n  u = f32[1] parameter(1)\n  i = s32[] parameter(2)\n  x = ", shape,
                    " fusion(p, u, i), kind=kLoop, calls=f", level - 1, "\n", parts_of("x"));
  }
  absl::StrAppend(&text, "ENTRY e {\n  p = f32[4] parameter(0)\n  u = f32[1] parameter(1)\n  i = s32[] parameter(2)\n",
                  "  ROOT x = ", shape, " fusion(p, u, i), kind=kLoop, calls=f", kLevels, "\n}\n");
  EXPECT_TRUE(LivenessOf(Read(text)).ok());
  AskText(text);
}

// Names of any length, once for each of many buffers.
TEST(HloLivenessDamageProps, LongNamesMakeNoLongPicture) {
  const std::string name(1 << 20, 'n');
  std::string shape = "(";
  for (int i = 0; i < 1500; ++i) absl::StrAppend(&shape, i == 0 ? "" : ", ", "f32[", i + 1, "]");
  shape += ")";
  AskText(absl::StrCat("HloModule ", name, "\n\nENTRY e {\n  p = f32[] parameter(0)\n  ROOT ", name, " = ", shape,
                       " custom-call(p), custom_call_target=\"f\"\n}\n"));
}

}  // namespace
}  // namespace oomph::hlo
