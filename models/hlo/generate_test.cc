// The generator: what it reaches, what it leaves out, and that every tape gives a module.
// Not for XLA's opinion of its modules, which takes the wheel.
#include "models/hlo/generate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <set>
#include <string>

#include "models/hlo/generate_scope.h"
#include "models/hlo/text.h"
#include "models/hlo/verify.h"

namespace oomph::hlo {
namespace {

Module Generated(uint64_t seed, bool swarm, const GenerateOptions& options = {}) {
  Module module;
  Choices choices = Choices::FromSeed(seed, swarm);
  GenerateModule(choices, options, module);
  return module;
}

std::string Told(const Module& module) {
  const std::vector<Problem> problems = Verify(module);
  return problems.empty() ? "" : Describe(module, problems[0]) + "\n" + Print(module);
}

// What a set of modules holds.
struct Seen {
  std::bitset<kOpcodes> opcodes;
  std::bitset<kTypes> types;
  std::set<std::string> forms;
  void Add(const Module& module);
};

void Seen::Add(const Module& module) {
  if (module.Find(module.attributes, Key::kIsScheduled).has_value()) forms.insert("scheduled");
  if (module.Find(module.attributes, Key::kInputOutputAlias).has_value()) forms.insert("alias");
  for (const Computation& computation : module.computations) {
    for (const Instruction& instruction : computation.instructions) {
      opcodes.set(static_cast<size_t>(instruction.opcode));
      const Shape& shape = module.shapes[instruction.shape];
      types.set(static_cast<size_t>(shape.type));
      int64_t elements = 1;
      for (const Dimension& dimension : module.shapes.Dimensions(instruction.shape)) {
        elements = dimension.size == 0 ? 0 : elements == 0 ? 0 : std::max<int64_t>(elements, dimension.size);
        if (dimension.extent == Extent::kBounded) forms.insert("dynamic");
        if (dimension.size > 1 && dimension.size % 128 == 0) forms.insert("whole lanes");
        if (dimension.size > 128 && dimension.size % 128 == 1) forms.insert("past a lane");
      }
      if (elements == 0) forms.insert("zero-sized");
      if (elements == 1 && shape.count > 0) forms.insert("one element");
      if (instruction.wrapped != instruction.opcode) forms.insert("written short");
      if (const Layout* layout = module.shapes.LayoutOf(instruction.shape); layout != nullptr) {
        forms.insert("layout");
        if (!layout->tiles.empty()) forms.insert("tiles");
        if (layout->tiles.size() > 1) forms.insert("two tiles");
        if (layout->memory_space == 1) forms.insert("fast memory");
        if (layout->element_bits == 4) forms.insert("packed");
        if (!std::is_sorted(layout->minor_to_major.rbegin(), layout->minor_to_major.rend()))
          forms.insert("permuted");
      }
      for (const Key key :
           {Key::kTrueComputation, Key::kBranchComputations, Key::kBody, Key::kToApply, Key::kCalls,
            Key::kSelect, Key::kOutputToOperandAliasing, Key::kOperandLayoutConstraints}) {
        if (module.Find(instruction, key).has_value()) forms.insert(std::string(RowOf(key).name));
      }
    }
  }
}

TEST(GenerateModule, ReachesEveryOpcodeTypeAndForm) {
  Seen seen;
  for (uint64_t i = 0; i < 6000; ++i) seen.Add(Generated(MixSeed(1, i), i % 2 == 1));
  std::set<Opcode> omitted;
  for (const Omission& omission : Omissions()) omitted.insert(omission.opcode);
  for (size_t i = 0; i < kOpcodes; ++i) {
    const Opcode opcode = static_cast<Opcode>(i);
    EXPECT_EQ(seen.opcodes[i], !omitted.contains(opcode)) << std::string(RowOf(opcode).name);
  }
  for (size_t i = 0; i < kTypes; ++i) {
    const Type type = static_cast<Type>(i);
    const bool wanted = IsArrayType(type) || type == Type::kToken || type == Type::kTuple;
    EXPECT_EQ(seen.types[i], wanted) << std::string(RowOf(type).name);
  }
  const std::set<std::string> forms = {"scheduled",
                                       "alias",
                                       "dynamic",
                                       "whole lanes",
                                       "past a lane",
                                       "zero-sized",
                                       "one element",
                                       "written short",
                                       "layout",
                                       "tiles",
                                       "two tiles",
                                       "fast memory",
                                       "packed",
                                       "permuted",
                                       "true_computation",
                                       "branch_computations",
                                       "body",
                                       "to_apply",
                                       "calls",
                                       "select",
                                       "output_to_operand_aliasing",
                                       "operand_layout_constraints"};
  EXPECT_EQ(seen.forms, forms);
}

TEST(GenerateModule, MakesOnlyValidModules) {
  for (uint64_t i = 0; i < 5000; ++i) {
    const Module module = Generated(MixSeed(2, i), i % 2 == 1);
    ASSERT_EQ(Told(module), "") << i;
  }
}

// In a build for speed: the whole count that the project promises.
TEST(SlowGenerateModule, MakesOnlyValidModules) {
  for (uint64_t i = 0; i < 100000; ++i) {
    const Module module = Generated(MixSeed(3, i), i % 2 == 1);
    ASSERT_EQ(Told(module), "") << i;
  }
}

TEST(GenerateModule, TakesEveryTape) {
  Choices random = Choices::FromSeed(5, false);
  for (int i = 0; i < 2000; ++i) {
    std::string tape(random.Below(200), '\0');
    const uint64_t mask = random.Pick(std::span<const uint64_t>(std::array<uint64_t, 3>{0xff, 0x3, 0xf0}));
    for (char& c : tape) c = static_cast<char>(random.Below(256) & mask);
    Choices choices = Choices::FromTape(tape);
    Module module;
    GenerateModule(choices, {}, module);
    ASSERT_EQ(Told(module), "");
  }
}

TEST(GenerateModule, MakesOneScalarOfNoTape) {
  Choices choices = Choices::FromTape("");
  Module module;
  GenerateModule(choices, {}, module);
  EXPECT_EQ(Print(module),
            "HloModule module\n\nENTRY %main (parameter.0: f32[]) -> f32[] {\n"
            "  ROOT %parameter.0 = f32[] parameter(0)\n}\n\n");
}

TEST(GenerateModule, GivesTheSameModuleForARecordedTape) {
  for (uint64_t i = 0; i < 300; ++i) {
    Choices choices = Choices::FromSeed(MixSeed(6, i), i % 2 == 1);
    std::string tape;
    std::vector<TapeSpan> spans;
    choices.Record(&tape, &spans);
    Module first, second;
    GenerateModule(choices, {}, first);
    Choices again = Choices::FromTape(tape);
    GenerateModule(again, {}, second);
    ASSERT_TRUE(first == second) << Print(first) << Print(second);
  }
}

TEST(GenerateModule, LeavesNothingOfTheModuleBefore) {
  Module used;
  for (uint64_t i = 0; i < 500; ++i) {
    Choices choices = Choices::FromSeed(MixSeed(7, i), true);
    GenerateModule(choices, {}, used);
    ASSERT_TRUE(used == Generated(MixSeed(7, i), true));
  }
}

TEST(GenerateModule, IsReadAgainAsItWasPrinted) {
  for (uint64_t i = 0; i < 2000; ++i) {
    const Module module = Generated(MixSeed(8, i), i % 2 == 1);
    const absl::StatusOr<Module> again = Parse("module", Print(module));
    ASSERT_TRUE(again.ok()) << again.status() << Print(module);
    ASSERT_EQ(Print(*again), Print(module));
    ASSERT_TRUE(*again == module) << Print(module);
  }
}

TEST(GenerateModule, AsksOnlyForFeaturesThatAreThere) {
  GenerateOptions options;
  options.features = 0;
  Seen seen;
  for (uint64_t i = 0; i < 1500; ++i) {
    const Module module = Generated(MixSeed(9, i), i % 2 == 1, options);
    ASSERT_EQ(Told(module), "");
    seen.Add(module);
  }
  for (const Opcode opcode : {Opcode::kCall, Opcode::kWhile, Opcode::kConditional, Opcode::kMap,
                              Opcode::kFusion, Opcode::kCopyStart, Opcode::kAsyncStart, Opcode::kAllReduce,
                              Opcode::kSend, Opcode::kInfeed, Opcode::kCustomCall, Opcode::kRng,
                              Opcode::kCholesky, Opcode::kSetDimensionSize, Opcode::kPartitionId}) {
    EXPECT_FALSE(seen.opcodes[static_cast<size_t>(opcode)]) << std::string(RowOf(opcode).name);
  }
  for (const std::string form : {"scheduled", "tiles", "permuted", "zero-sized", "dynamic", "packed"}) {
    EXPECT_FALSE(seen.forms.contains(form)) << form;
  }
  for (const Type type : {Type::kS4, Type::kU8, Type::kF64, Type::kC64, Type::kF8e5m2}) {
    EXPECT_FALSE(seen.types[static_cast<size_t>(type)]) << std::string(RowOf(type).name);
  }
}

// All bits ask for arrays of any size, and so does none.
TEST(GenerateModule, LargeArraysAreRareWhereSmallOnesAreAskedFor) {
  constexpr Bits64 kNoBits = ~(Bits64{1} << kSmallArrays | Bits64{1} << kAnyArrays);
  constexpr int kModules = 600;
  const auto large = [](Bits64 features) {
    GenerateOptions options;
    options.features = features;
    int count = 0;
    for (uint64_t i = 0; i < kModules; ++i) {
      const Module module = Generated(MixSeed(11, i), false, options);
      bool any = false;
      for (const Computation& computation : module.computations) {
        for (const Instruction& instruction : computation.instructions) {
          int64_t elements = 1;
          for (const Dimension& dimension : module.shapes.Dimensions(instruction.shape)) elements *= std::max<int64_t>(dimension.size, 1);
          any = any || elements > 8 * kSmallElements;  // pads and joins add to what is small
        }
      }
      count += any ? 1 : 0;
    }
    return count;
  };
  const int of_any = large(~Bits64{0});
  EXPECT_EQ(large(kNoBits), of_any);
  EXPECT_GT(of_any, kModules / 5);
  const int of_small = large(kNoBits | Bits64{1} << kSmallArrays);
  EXPECT_GT(of_small, 0);
  EXPECT_LT(of_small, kModules / 20);
}

TEST(GenerateModule, KeepsToTheStepsAskedFor) {
  GenerateOptions options;
  options.steps = 10;
  size_t instructions = 0;
  for (uint64_t i = 0; i < 500; ++i) {
    const size_t count = InstructionCount(Generated(MixSeed(10, i), false, options));
    EXPECT_LE(count, 60u);  // the last form and the root may add some
    instructions += count;
  }
  EXPECT_GE(instructions, 500u * 9);
  EXPECT_LE(instructions, 500u * 15);
}

}  // namespace
}  // namespace oomph::hlo
