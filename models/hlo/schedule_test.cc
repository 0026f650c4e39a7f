// Orders are legal and differ as they should; the flat sequence has each step once, in its place.
#include "models/hlo/schedule.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "models/base/choices.h"
#include "models/hlo/generate.h"
#include "models/hlo/text.h"

namespace oomph::hlo {
namespace {

Module Read(std::string_view text) {
  absl::StatusOr<Module> module = Parse("test", text);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : Module();
}

std::string NamesIn(const Module& module, const std::vector<uint32_t>& order) {
  std::string names;
  for (const uint32_t index : order) {
    names += std::string(module.Name(module.computations[module.entry].instructions[index])) + " ";
  }
  return names;
}

//   p -> large -> s1        p -> q1 -> q2
constexpr std::string_view kTwoChains = R"hlo(HloModule m

ENTRY %main {
  %p = f32[] parameter(0)
  %large = f32[1000]{0} broadcast(%p), dimensions={}
  %q1 = f32[] negate(%p)
  %wide = f32[2000]{0} broadcast(%q1), dimensions={}
  %s1 = f32[1]{0} slice(%large), slice={[0:1]}
  %s2 = f32[1]{0} slice(%wide), slice={[0:1]}
  ROOT %t = (f32[1]{0}, f32[1]{0}) tuple(%s1, %s2)
}
)hlo";

TEST(ScheduleTest, EachOrderIsItsOwn) {
  const Module module = Read(kTwoChains);
  EXPECT_EQ(NamesIn(module, ScheduleOf(module, Order::kText)->back()), "p large q1 wide s1 s2 t ");
  EXPECT_EQ(NamesIn(module, ScheduleOf(module, Order::kBreadthFirst)->back()), "p large q1 s1 wide s2 t ");
  // The large one is gone before the wide one comes.
  EXPECT_EQ(NamesIn(module, ScheduleOf(module, Order::kLeastMemory)->back()), "p q1 large s1 wide s2 t ");
}

TEST(ScheduleTest, AScheduledModuleKeepsItsOrder) {
  Module module = Read(kTwoChains);
  const std::vector<int64_t> yes = {1};
  const std::vector<AttributeId> ids = {module.attribute_table.Add(Key::kIsScheduled, Form::kBool, yes, {})};
  module.attributes = module.AddAttributes(ids);
  for (const Order order : {Order::kText, Order::kBreadthFirst, Order::kLeastMemory}) {
    EXPECT_EQ(NamesIn(module, ScheduleOf(module, order)->back()), "p large q1 wide s1 s2 t ");
  }
}

TEST(ScheduleTest, GeneratedModulesGetLegalOrders) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    Choices choices = Choices::FromSeed(seed, true);
    Module module;
    GenerateModule(choices, {}, module);
    for (const Order order : {Order::kText, Order::kBreadthFirst, Order::kLeastMemory}) {
      const absl::StatusOr<Schedule> schedule = ScheduleOf(module, order);
      ASSERT_TRUE(schedule.ok()) << schedule.status();
      EXPECT_TRUE(CheckSchedule(module, *schedule).ok()) << CheckSchedule(module, *schedule);
    }
  }
}

TEST(ScheduleTest, IllegalOrdersAreSeen) {
  const Module module = Read(kTwoChains);
  Schedule schedule = *ScheduleOf(module);
  std::swap(schedule.back()[0], schedule.back()[1]);
  EXPECT_FALSE(CheckSchedule(module, schedule).ok());
  schedule = *ScheduleOf(module);
  schedule.back().pop_back();
  EXPECT_FALSE(CheckSchedule(module, schedule).ok());
  schedule = *ScheduleOf(module);
  schedule.back().push_back(0);
  EXPECT_FALSE(CheckSchedule(module, schedule).ok());
}

TEST(ScheduleTest, WhatWaitsForItselfIsRefused) {
  Module module = Read(kTwoChains);
  Computation& entry = module.computations[module.entry];
  const std::vector<uint32_t> itself = {1};
  entry.instructions[1].operands = module.AddOperands(itself);
  EXPECT_FALSE(ScheduleOf(module).ok());
  const std::vector<uint32_t> nobody = {1000};
  entry.instructions[1].operands = module.AddOperands(nobody);
  EXPECT_FALSE(CheckStructure(module).ok());
}

TEST(ScheduleTest, ControlPredecessorsRunBefore) {
  const Module module = Read(R"hlo(HloModule m

ENTRY %main {
  %p = f32[] parameter(0)
  %a = f32[] negate(%p)
  %b = f32[] negate(%p), control-predecessors={%a}
  ROOT %t = (f32[], f32[]) tuple(%a, %b)
}
)hlo");
  Schedule schedule = *ScheduleOf(module);
  EXPECT_TRUE(CheckSchedule(module, schedule).ok());
  std::swap(schedule.back()[1], schedule.back()[2]);
  EXPECT_FALSE(CheckSchedule(module, schedule).ok());
}

constexpr std::string_view kLoop = R"hlo(HloModule m, is_scheduled=true

%cond {
  %c = (s32[]) parameter(0)
  %k = s32[] get-tuple-element(%c), index=0
  %z = s32[] constant(5)
  ROOT %l = pred[] compare(%k, %z), direction=LT
}

%body {
  %b = (s32[]) parameter(0)
  %i = s32[] get-tuple-element(%b), index=0
  %j = s32[] add(%i, %i)
  ROOT %t = (s32[]) tuple(%j)
}

ENTRY %main {
  %p = (s32[]) parameter(0)
  %w = (s32[]) while(%p), condition=%cond, body=%body
  ROOT %x = (s32[]) while(%w), condition=%cond, body=%body
}
)hlo";

TEST(FlattenTest, WhatIsCalledStandsBeforeItsCall) {
  const Module module = Read(kLoop);
  const absl::StatusOr<Flat> flat = Flatten(module, *ScheduleOf(module));
  ASSERT_TRUE(flat.ok());
  std::string names;
  for (uint32_t step = 0; step < flat->steps.size(); ++step) {
    names += std::string(module.Name(InstructionOf(module, *flat, step))) + " ";
    EXPECT_EQ(flat->StepOf(flat->steps[step].frame, flat->steps[step].instruction), step);
  }
  EXPECT_EQ(names, "p c k z l b i j t w c k z l b i j t x ");
  ASSERT_EQ(flat->frames.size(), 5u);
  EXPECT_EQ(flat->frames[2].kind, FrameKind::kBody);
  EXPECT_EQ(flat->frames[2].begin_step, 5u);
  EXPECT_EQ(flat->frames[2].end_step, 9u);
}

TEST(FlattenTest, WhatACallStartsIsLaidOut) {
  const Module module = Read(R"hlo(HloModule m
%f {
  %q = f32[] parameter(0)
  ROOT %n = f32[] negate(%q)
}
ENTRY %e {
  %p = f32[] parameter(0)
  %s = ((f32[]), f32[], s32[]) call-start(%p), to_apply=%f
  ROOT %d = f32[] call-done(%s)
}
)hlo");
  const absl::StatusOr<Flat> flat = Flatten(module, *ScheduleOf(module));
  ASSERT_TRUE(flat.ok());
  EXPECT_EQ(flat->steps.size(), 5u);
}

// Each computation calls the one above twice: 2^60 steps.
TEST(FlattenTest, DoublingHasAnEnd) {
  std::string text = "HloModule m\n%f0 {\n  ROOT %p = f32[] parameter(0)\n}\n";
  for (int i = 1; i <= 60; ++i) {
    const std::string below = "%f" + std::to_string(i - 1);
    text += (i == 60 ? "ENTRY %f" : "%f") + std::to_string(i) + " {\n  %p = f32[] parameter(0)\n";
    text += "  %a = f32[] call(%p), to_apply=" + below + "\n  ROOT %b = f32[] call(%a), to_apply=" + below + "\n}\n";
  }
  const Module module = Read(text);
  EXPECT_EQ(Flatten(module, *ScheduleOf(module), 10000).status().code(), absl::StatusCode::kResourceExhausted);
}

TEST(FlattenTest, DeepCallsAreNoDeepStack) {
  std::string text = "HloModule m\n%f0 {\n  ROOT %p = f32[] parameter(0)\n}\n";
  for (int i = 1; i <= 20000; ++i) {
    text += (i == 20000 ? "ENTRY %f" : "%f") + std::to_string(i) + " {\n  %p = f32[] parameter(0)\n";
    text += "  ROOT %a = f32[] call(%p), to_apply=%f" + std::to_string(i - 1) + "\n}\n";
  }
  const Module module = Read(text);
  const absl::StatusOr<Flat> flat = Flatten(module, *ScheduleOf(module));
  ASSERT_TRUE(flat.ok());
  EXPECT_EQ(flat->steps.size(), 40001u);
}

TEST(FlattenTest, WhatCallsItselfIsRefused) {
  Module module = Read(kLoop);
  for (Computation& computation : module.computations) {
    for (Instruction& instruction : computation.instructions) {
      if (instruction.opcode != Opcode::kAdd) continue;
      const std::vector<Reference> to = {{.kind = Reference::kComputation, .id = 1}};
      const std::vector<AttributeId> ids = {module.attribute_table.Add(Key::kToApply, Form::kComputation, {}, to)};
      instruction.opcode = instruction.wrapped = Opcode::kCall;
      instruction.attributes = module.AddAttributes(ids);
    }
  }
  EXPECT_FALSE(CheckStructure(module).ok());
}

}  // namespace
}  // namespace oomph::hlo
