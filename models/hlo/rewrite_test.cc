// Rewrites: each applies, leaves a module valid, and leaves what it computes as it is.
//
// What a module computes is told by a fingerprint that knows nothing of the rewrites: a hash of the root from
// the hashes of its operands, through calls, with names, order and dead code left out. Operations that change
// nothing hash as their operand, operands that may change places in any order.
#include "models/hlo/rewrite.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "absl/hash/hash.h"
#include "models/hlo/generate.h"
#include "models/hlo/text.h"
#include "models/hlo/verify.h"

namespace oomph::hlo {
namespace {

class Fingerprint {
 public:
  explicit Fingerprint(const Module& module) : module_(module) {}
  size_t Of(uint32_t computation, const std::vector<size_t>& parameters) {
    const Computation& c = module_.computations[computation];
    std::vector<size_t> values;
    for (const Instruction& instruction : c.instructions)
      values.push_back(OfInstruction(instruction, values, parameters));
    return values[c.root];
  }
  size_t Whole() {
    std::vector<size_t> parameters;
    for (size_t i = 0; i < 100; ++i) parameters.push_back(absl::HashOf(i, 17));
    return Of(module_.entry, parameters);
  }

 private:
  size_t OfShape(ShapeId id) const {
    const std::string text = PrintShape(module_.shapes, id);
    return absl::HashOf(text);
  }

  size_t OfAttributes(const Instruction& instruction) {
    size_t hash = 0;
    for (const AttributeId id : module_.Attributes(instruction)) {
      const Attribute& row = module_.attribute_table[id];
      hash = absl::HashOf(hash, static_cast<int>(row.key));
      for (const int64_t number : module_.attribute_table.Numbers(id)) hash = absl::HashOf(hash, number);
      for (const Reference& reference : module_.attribute_table.References(id)) {
        if (reference.kind == Reference::kString) {
          hash = absl::HashOf(hash, std::string(module_.strings[reference.id]));
        } else if (reference.kind == Reference::kShape) {
          hash = absl::HashOf(hash, OfShape(reference.id));
        } else if (reference.kind == Reference::kComputation) {
          hash = absl::HashOf(hash, Of(reference.id, {11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22}));
        }
      }
    }
    return hash;
  }

  bool ChangesNothing(const Instruction& instruction) const {
    const std::span<const uint32_t> operands = module_.Operands(instruction);
    if (operands.size() != 1) return false;
    const std::optional<AttributeId> dimensions = module_.Find(instruction, Key::kDimensions);
    switch (instruction.opcode) {
      case Opcode::kCopy:
      case Opcode::kReshape:
      case Opcode::kConvert:
      case Opcode::kBitcast:
      case Opcode::kOptBarrier:
      case Opcode::kSlice:
        return true;  // if the shape is the same, which the caller sees to
      case Opcode::kReverse:
        return module_.attribute_table.Numbers(*dimensions).empty();
      case Opcode::kTranspose: case Opcode::kBroadcast: {
        const std::span<const int64_t> numbers = module_.attribute_table.Numbers(*dimensions);
        return std::is_sorted(numbers.begin(), numbers.end());
      }
      default:
        return false;
    }
  }

  struct Told {
    ShapeId shape;
    std::vector<size_t> elements;  // of a tuple
  };

  size_t OfInstruction(const Instruction& instruction, const std::vector<size_t>& values,
                       const std::vector<size_t>& parameters) {
    std::vector<size_t> operands;
    for (const uint32_t operand : module_.Operands(instruction)) operands.push_back(values[operand]);
    if (instruction.opcode == Opcode::kParameter)
      return Note(parameters.at(instruction.payload), instruction.shape);
    if (instruction.opcode == Opcode::kCall) {
      return Of(Called(module_, instruction)[0], operands);
    }
    if (ChangesNothing(instruction) && shape_of_[operands[0]].shape == instruction.shape) return operands[0];
    if (instruction.opcode == Opcode::kGetTupleElement) {
      const std::vector<size_t>& elements = shape_of_[operands[0]].elements;
      if (!elements.empty()) return elements[static_cast<size_t>(module_.Number(instruction, Key::kIndex))];
    }
    const std::vector<size_t> in_order = operands;
    switch (instruction.opcode) {
      case Opcode::kAdd: case Opcode::kMultiply: case Opcode::kAnd: case Opcode::kOr: case Opcode::kXor:
      case Opcode::kMaximum: case Opcode::kMinimum:
        std::sort(operands.begin(), operands.end());
        break;
      default:
        break;
    }
    size_t hash = absl::HashOf(static_cast<int>(instruction.opcode), static_cast<int>(instruction.wrapped),
                               operands, OfShape(instruction.shape), OfAttributes(instruction));
    if (instruction.opcode == Opcode::kConstant)
      hash = absl::HashOf(hash, std::string(module_.strings[instruction.payload]));
    Note(hash, instruction.shape);
    if (instruction.opcode == Opcode::kTuple) shape_of_[hash].elements = in_order;
    return hash;
  }

  size_t Note(size_t hash, ShapeId shape) {
    shape_of_[hash].shape = shape;
    return hash;
  }

  const Module& module_;
  std::map<size_t, Told> shape_of_;
};

size_t FingerprintOf(const Module& module) { return Fingerprint(module).Whole(); }

Module Generated(uint64_t seed) {
  Module module;
  Choices choices = Choices::FromSeed(seed, true);
  GenerateModule(choices, {}, module);
  return module;
}

std::string Told(const Module& module) {
  const std::vector<Problem> problems = Verify(module);
  return problems.empty() ? "" : Describe(module, problems[0]) + "\n" + Print(module);
}

TEST(Apply, KeepsWhatIsComputed) {
  for (size_t r = 0; r < kRewrites; ++r) {
    size_t applied = 0;
    for (uint64_t i = 0; i < 400; ++i) {
      const Module before = Generated(MixSeed(20 + r, i));
      Module after = before;
      Choices choices = Choices::FromSeed(MixSeed(40 + r, i), false);
      const bool done = Apply(static_cast<Rewrite>(r), choices, after);
      applied += done ? 1 : 0;
      ASSERT_EQ(after == before, !done) << std::string(kRewriteRows[r].name) << "\n" << Print(before);
      ASSERT_EQ(Told(after), "") << std::string(kRewriteRows[r].name) << "\n" << Print(before);
      ASSERT_EQ(FingerprintOf(after), FingerprintOf(before))
          << std::string(kRewriteRows[r].name) << "\n" << Print(before) << Print(after);
    }
    EXPECT_GE(applied, 20u) << std::string(kRewriteRows[r].name);
  }
}

TEST(Apply, KeepsItThroughManyRewrites) {
  for (uint64_t i = 0; i < 100; ++i) {
    const Module before = Generated(MixSeed(60, i));
    Module after = before;
    Choices choices = Choices::FromSeed(MixSeed(61, i), false);
    for (int step = 0; step < 30; ++step)
      Apply(static_cast<Rewrite>(choices.Below(kRewrites)), choices, after);
    ASSERT_EQ(Told(after), "");
    ASSERT_EQ(FingerprintOf(after), FingerprintOf(before)) << Print(before) << Print(after);
    const absl::StatusOr<Module> again = Parse("module", Print(after));
    ASSERT_TRUE(again.ok()) << again.status();
    ASSERT_TRUE(*again == after);
  }
}

// The fingerprint itself can tell modules apart.
TEST(Fingerprint, SeesAnotherOperationOperandAndConstant) {
  const auto of = [](const std::string& body) {
    const absl::StatusOr<Module> module =
        Parse("module", "HloModule m\nENTRY e {\n  p = f32[8] parameter(0)\n  q = f32[8] parameter(1)\n" +
                            body + "}\n");
    EXPECT_TRUE(module.ok()) << module.status();
    return module.ok() ? FingerprintOf(*module) : 0;
  };
  const size_t subtract = of("  ROOT r = f32[8] subtract(p, q)\n");
  EXPECT_NE(subtract, of("  ROOT r = f32[8] divide(p, q)\n"));
  EXPECT_NE(subtract, of("  ROOT r = f32[8] subtract(q, p)\n"));
  EXPECT_EQ(subtract, of("  d = f32[8] negate(p)\n  ROOT other = f32[8] subtract(p, q)\n"));
  EXPECT_EQ(of("  ROOT r = f32[8] add(p, q)\n"), of("  c = f32[8] copy(q)\n  ROOT r = f32[8] add(c, p)\n"));
  EXPECT_NE(of("  ROOT r = f32[] constant(1)\n"), of("  ROOT r = f32[] constant(2)\n"));
}

Module Read(const std::string& text) {
  absl::StatusOr<Module> module = Parse("module", text);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : Module();
}

constexpr char kAdd[] =
    "HloModule m\n\nENTRY %e (p: f32[8], q: f32[8]) -> f32[8] {\n  %p = f32[8] parameter(0)\n  %q = f32[8] "
    "parameter(1)\n"
    "  ROOT %r = f32[8] add(%p, %q)\n}\n\n";

TEST(Apply, CommutesOneAddition) {
  Module module = Read(kAdd);
  Choices choices = Choices::FromTape("");
  ASSERT_TRUE(Apply(Rewrite::kCommute, choices, module));
  EXPECT_NE(Print(module).find("add(%q, %p)"), std::string::npos) << Print(module);
  ASSERT_TRUE(Apply(Rewrite::kCommute, choices, module));
  EXPECT_EQ(Print(module), kAdd);
}

TEST(Apply, MovesAParameterOnly) {
  // The two parameters may change places; the root may not move.
  Module module = Read(kAdd);
  Choices choices = Choices::FromTape("");
  ASSERT_TRUE(Apply(Rewrite::kReorder, choices, module));
  EXPECT_LT(Print(module).find("%q = "), Print(module).find("%p = ")) << Print(module);
}

TEST(Apply, TakesTheIdentityOutThatItPutIn) {
  for (uint64_t i = 0; i < 200; ++i) {
    Module module = Read(kAdd);
    Choices choices = Choices::FromSeed(MixSeed(70, i), false);
    ASSERT_TRUE(Apply(Rewrite::kAddIdentity, choices, module));
    ASSERT_NE(Print(module), kAdd);
    ASSERT_TRUE(Apply(Rewrite::kRemoveIdentity, choices, module)) << Print(module);
    ASSERT_EQ(Print(module), kAdd);
  }
}

TEST(Apply, OutlinesAndInlines) {
  Module module = Read(kAdd);
  Choices choices = Choices::FromTape("");
  ASSERT_FALSE(Apply(Rewrite::kInline, choices, module));
  ASSERT_TRUE(Apply(Rewrite::kOutline, choices, module));
  EXPECT_EQ(module.computations.size(), 2u);
  EXPECT_NE(Print(module).find(" call("), std::string::npos) << Print(module);
  ASSERT_TRUE(Apply(Rewrite::kInline, choices, module));
  EXPECT_EQ(module.computations.size(), 1u);
  EXPECT_NE(Print(module).find(" add(%p, %q)"), std::string::npos) << Print(module);
}

TEST(Apply, LeavesAModuleAloneWhoseIndicesPointNowhere) {
  Module module = Read(kAdd);
  module.computations[0].root = 77;
  const Module before = module;
  for (size_t r = 0; r < kRewrites; ++r) {
    Choices choices = Choices::FromSeed(r, false);
    EXPECT_FALSE(Apply(static_cast<Rewrite>(r), choices, module));
  }
}

}  // namespace
}  // namespace oomph::hlo
