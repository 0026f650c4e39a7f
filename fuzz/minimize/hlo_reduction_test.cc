// HLO modules under the engine: what is left of one that runs out of memory at a call, or that has an operation.
// Not for: the lists themselves (models/hlo/reduce_test.cc), how long it takes (fuzz/bench).
#include <algorithm>
#include <string>
#include <vector>

#include "fuzz/minimize/minimize.h"
#include "gtest/gtest.h"
#include "models/hlo/answer.h"
#include "models/hlo/builder.h"
#include "models/hlo/family.h"
#include "models/hlo/generate.h"
#include "models/hlo/liveness.h"
#include "models/hlo/mutate_edit.h"
#include "models/hlo/schedule.h"
#include "models/hlo/text.h"
#include "models/hlo/verify.h"

namespace oomph {
namespace {

using hlo::Instruction;
using hlo::Key;
using hlo::Module;
using hlo::Opcode;

const Module& In(const Case& c) { return static_cast<const CaseOf<Module>&>(c).value; }

Module Generated(uint64_t seed, size_t steps) {
  Module module;
  Choices choices = Choices::FromSeed(seed, true);
  GenerateOptions options;
  options.steps = steps;
  hlo::GenerateModule(choices, options, module);
  return module;
}

// ---- a peak above a limit ----

constexpr std::string_view kTarget = "needs_memory";
// Far above all that the generator makes there.
constexpr uint64_t kBigBytes = uint64_t{1} << 40;

bool IsTarget(const Module& module, const Instruction& instruction) {
  const auto id = module.Find(instruction, Key::kCustomCallTarget);
  return instruction.opcode == Opcode::kCustomCall && id.has_value() &&
         module.strings[module.attribute_table.References(*id)[0].id] == kTarget;
}

// `count` large values are made before the middle, are live at a custom call there that gives another one, and are read
// again at the end.
void AddPressure(Choices& choices, Module& module, uint64_t count) {
  hlo::Editor edit(module, module.entry);
  const auto shape_of = [&](uint64_t size) {
    return module.shapes.AddArray(hlo::Type::kF32, std::vector<int64_t>{static_cast<int64_t>(size), 1 << 20});
  };
  const auto scalar = module.shapes.AddArray(hlo::Type::kF32, std::vector<int64_t>());
  const size_t middle = edit.order().size() / 2;
  std::vector<uint32_t> values;
  const uint32_t one = edit.Insert(0, Opcode::kConstant, scalar, {}, {}, module.strings.Add("1"));
  const auto none = module.attribute_table.Add(Key::kDimensions, hlo::Form::kInts, {}, {});
  for (uint64_t k = 0; k < count; ++k) {
    const uint64_t size = (kBigBytes >> 22) + choices.Below(1000);
    values.push_back(edit.Insert(1 + choices.Below(middle), Opcode::kBroadcast, shape_of(size), std::vector{one}, std::vector{none}));
  }
  const hlo::Reference target = {.kind = hlo::Reference::kString, .id = module.strings.Add(kTarget)};
  const auto named = module.attribute_table.Add(Key::kCustomCallTarget, hlo::Form::kString, {}, std::span(&target, 1));
  const size_t at = middle + count + 2;
  const uint32_t call = edit.Insert(at, Opcode::kCustomCall, shape_of(kBigBytes >> 22), std::vector{values[0]}, std::vector{named});
  uint32_t sum = call;
  for (const uint32_t value : values) {
    const uint32_t part = edit.Insert(edit.order().size(), Opcode::kNegate, edit.at(value).shape, std::vector{value});
    const std::vector<uint32_t> both = {part, sum};
    sum = edit.Insert(edit.order().size(), Opcode::kTuple, module.shapes.AddTuple(std::vector{edit.at(part).shape, edit.at(sum).shape}), both);
  }
  const std::vector<uint32_t> all = {edit.root(), sum};
  edit.SetRoot(edit.Insert(edit.order().size(), Opcode::kTuple,
                           module.shapes.AddTuple(std::vector{edit.at(edit.root()).shape, edit.at(sum).shape}), all));
  edit.Commit();
  // What the header says of the old outputs is none of these.
  std::vector<hlo::AttributeId> header;
  for (const hlo::AttributeId id : module.Attributes(module.attributes)) {
    if (module.attribute_table[id].key != Key::kInputOutputAlias) header.push_back(id);
  }
  module.attributes = module.AddAttributes(header);
  RefreshHeader(module);
}

// Valid, and the first step with more bytes live than the limit is the call.
bool ExceedsAtTheCall(const Module& module, uint64_t limit) {
  if (!Verify(module).empty()) return false;
  const auto liveness = LivenessOf(module, hlo::CountedOptions());
  if (!liveness.ok()) return false;
  std::vector<std::pair<uint32_t, int64_t>> changes;
  for (const hlo::LiveBuffer& buffer : liveness->buffers) {
    for (const hlo::StepRange& range : buffer.ranges) {
      changes.emplace_back(range.begin, static_cast<int64_t>(buffer.bytes));
      changes.emplace_back(range.end, -static_cast<int64_t>(buffer.bytes));
    }
  }
  std::ranges::sort(changes);
  int64_t live = 0;
  for (size_t k = 0; k < changes.size();) {
    const uint32_t step = changes[k].first;
    for (; k < changes.size() && changes[k].first == step; ++k) live += changes[k].second;
    if (live <= static_cast<int64_t>(limit)) continue;
    return step < liveness->flat.steps.size() && IsTarget(module, InstructionOf(module, liveness->flat, step));
  }
  return false;
}

size_t Lines(const Module& module) {
  size_t lines = 1;
  for (const hlo::Computation& computation : module.computations) lines += 2 + computation.instructions.size();
  return lines;
}

TEST(HloReduction, OutOfMemoryEndsAtTheBuffersThatItNeeds) {
  std::vector<size_t> tests;
  for (uint64_t i = 0; i < 10; ++i) {
    const uint64_t needed = 4 + i % 3;
    CaseOf<Module> start(Generated(MixSeed(900, i), 500));
    Choices choices = Choices::FromSeed(MixSeed(901, i), false);
    AddPressure(choices, start.value, needed);
    // One with the call's result less, and what the generator's own values take, is not enough.
    const uint64_t limit = kBigBytes * needed + kBigBytes / 2;
    ASSERT_TRUE(Verify(start.value).empty()) << Describe(start.value, Verify(start.value)[0]);
    ASSERT_TRUE(ExceedsAtTheCall(start.value, limit)) << i;
    FunctionTest test([&](const Case& c) { return ExceedsAtTheCall(In(c), limit); });
    MinimizeOptions options;
    options.seconds = 60;
    const Minimized result = Minimize(HloFamily(), start, "", test, options);
    EXPECT_TRUE(result.finished);
    // HloModule, ENTRY, the buffers, the call, the root, the brace.
    const size_t minimum = 5 + needed;
    EXPECT_LE(Lines(In(*result.smallest)), minimum + 3) << Print(In(*result.smallest));
    tests.push_back(result.tests);
  }
  std::ranges::sort(tests);
  EXPECT_LE(tests[tests.size() / 2], 150u) << tests.front() << " to " << tests.back();
}

// ---- an operation ----

bool Has(const Module& module, Opcode opcode) {
  return std::ranges::any_of(module.computations, [&](const hlo::Computation& computation) {
    return std::ranges::find(computation.instructions, opcode, &Instruction::opcode) != computation.instructions.end();
  });
}

TEST(HloReduction, KeepsOnlyWhatTheFaultNeeds) {
  struct Row {
    Opcode opcode;
    size_t at_most;  // instructions: the operation, its operands, what it calls
  };
  for (const Row& row : {Row{Opcode::kDot, 3}, Row{Opcode::kReduce, 9 /* of two arrays at once */}, Row{Opcode::kTranspose, 2},
                         Row{Opcode::kWhile, 5}, Row{Opcode::kFusion, 3}, Row{Opcode::kTanh, 2}, Row{Opcode::kGather, 3},
                         Row{Opcode::kCopyDone, 3}}) {
    size_t met = 0;
    for (uint64_t i = 0; met < 8; ++i) {
      CaseOf<Module> start(Generated(MixSeed(200, i), 40));
      if (!Has(start.value, row.opcode)) continue;
      ++met;
      FunctionTest test([&](const Case& c) {
        EXPECT_TRUE(Verify(In(c)).empty()) << Print(In(c));
        return Has(In(c), row.opcode);
      });
      const Minimized result = Minimize(HloFamily(), start, "", test, {});
      EXPECT_TRUE(result.finished && Has(In(*result.smallest), row.opcode));
      EXPECT_LE(InstructionCount(In(*result.smallest)), row.at_most) << Print(In(*result.smallest));
      EXPECT_LE(result.tests, 200u);
    }
  }
}

TEST(HloReduction, LeavesNothingWhereAnythingFails) {
  CaseOf<Module> start(Generated(3, 40));
  FunctionTest test([](const Case&) { return true; });
  const Minimized result = Minimize(HloFamily(), start, "", test, {});
  EXPECT_EQ(InstructionCount(In(*result.smallest)), 1u) << Print(In(*result.smallest));
  EXPECT_EQ(In(*result.smallest).attributes.count, IsScheduled(In(*result.smallest)) ? 1u : 0u);
}

TEST(HloReduction, LeavesAModuleThatNothingMakesSmaller) {
  const CaseOf<Module> start(Generated(5, 40));
  FunctionTest test([&](const Case& c) { return In(c) == start.value; });
  const Minimized result = Minimize(HloFamily(), start, "", test, {});
  EXPECT_TRUE(result.finished && In(*result.smallest) == start.value);
}

TEST(HloReduction, IsTheSameEveryTime) {
  const auto reduced = [] {
    const CaseOf<Module> start(Generated(6, 40));
    FunctionTest test([](const Case& c) { return InstructionCount(In(c)) > 9; });
    return Print(In(*Minimize(HloFamily(), start, "", test, {}).smallest));
  };
  EXPECT_EQ(reduced(), reduced());
}

}  // namespace
}  // namespace oomph
