// One module for each rule of what shares memory, with the peak that XLA's own heap has of it (tensorflow-cpu 2.21.0,
// HeapSimulator with what shares memory counted once, alignment 1), and what happens at the edges.
// Not for orders, live ranges and peaks in general (schedule_test.cc, liveness_test.cc).
#include "models/hlo/alias.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "models/hlo/alias_rules.h"
#include "models/hlo/interpreter.h"
#include "models/hlo/liveness.h"
#include "models/hlo/text.h"

namespace oomph::hlo {
namespace {

struct RuleCase {
  Opcode opcode;
  uint64_t peak;
  std::string_view computations, body;
};

// Without the rule each needs more.
constexpr RuleCase kRuleCases[] = {
    {Opcode::kTuple, 1204,
     R"hlo()hlo",
     R"hlo(
  %n = f32[100]{0} negate(%p)
  %t = (f32[100]{0}, f32[100]{0}) tuple(%n, %n)
  %g = f32[100]{0} get-tuple-element(%t), index=1
  ROOT %r = f32[100]{0} reverse(%g), dimensions={0}
)hlo"},
    {Opcode::kGetTupleElement, 1604,
     R"hlo()hlo",
     R"hlo(
  %n = f32[100]{0} negate(%p)
  %m = f32[100]{0} sine(%p)
  %t = (f32[100]{0}, f32[100]{0}) tuple(%n, %m)
  %g = f32[100]{0} get-tuple-element(%t), index=1
  %c = f32[100]{0} reverse(%p), dimensions={0}
  %d = f32[100]{0} reverse(%c), dimensions={0}
  ROOT %r = f32[100]{0} add(%g, %d)
)hlo"},
    {Opcode::kBitcast, 1220,
     R"hlo()hlo",
     R"hlo(
  %n = f32[100]{0} negate(%p)
  %b = f32[10,10]{1,0} bitcast(%n)
  %c = f32[100]{0} reverse(%p), dimensions={0}
  ROOT %r = (f32[10,10]{1,0}, f32[100]{0}) tuple(%b, %c)
)hlo"},
    {Opcode::kOptBarrier, 1204,
     R"hlo()hlo",
     R"hlo(
  %n = f32[100]{0} negate(%p)
  %t = (f32[100]{0}, f32[]) tuple(%n, %s)
  %b = (f32[100]{0}, f32[]) opt-barrier(%t)
  %g = f32[100]{0} get-tuple-element(%b), index=0
  ROOT %r = f32[100]{0} reverse(%g), dimensions={0}
)hlo"},
    {Opcode::kDomain, 1204,
     R"hlo()hlo",
     R"hlo(
  %n = f32[100]{0} negate(%p)
  %d = f32[100]{0} domain(%n), domain={kind="sharding", entry={replicated}, exit={maximal device=0}}
  ROOT %r = f32[100]{0} reverse(%d), dimensions={0}
)hlo"},
    {Opcode::kAddDependency, 1204,
     R"hlo()hlo",
     R"hlo(
  %n = f32[100]{0} negate(%p)
  %k = token[] after-all()
  %d = f32[100]{0} add-dependency(%n, %k)
  ROOT %r = f32[100]{0} reverse(%d), dimensions={0}
)hlo"},
    {Opcode::kCopy, 1204,
     R"hlo()hlo",
     R"hlo(
  %n = f32[100]{0} negate(%p)
  %t = (f32[100]{0}, f32[]) tuple(%n, %s)
  %c = (f32[100]{0}, f32[]) copy(%t)
  %g = f32[100]{0} get-tuple-element(%c), index=0
  %e = f32[100]{0} reverse(%g), dimensions={0}
  ROOT %r = f32[100]{0} copy(%e)
)hlo"},
    {Opcode::kCopyStart, 1632,
     R"hlo()hlo",
     R"hlo(
  %n = f32[100]{0} negate(%p)
  %c = (f32[100]{0:S(1)}, f32[100]{0}, u32[]) copy-start(%n)
  %m = f32[100]{0} reverse(%p), dimensions={0}
  %d = f32[100]{0:S(1)} copy-done(%c)
  ROOT %r = (f32[100]{0}, f32[100]{0:S(1)}) tuple(%m, %d)
)hlo"},
    {Opcode::kAllGatherStart, 2020,
     R"hlo(%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %c = f32[] add(%a, %b)
}
)hlo",
     R"hlo(
  %n = f32[100]{0} negate(%p)
  %c = (f32[100]{0}, f32[200]{0}) all-gather-start(%n), dimensions={0}, replica_groups={{0,1}}
  %m = f32[100]{0} reverse(%p), dimensions={0}
  %d = f32[200]{0} all-gather-done(%c)
  ROOT %r = (f32[100]{0}, f32[200]{0}) tuple(%m, %d)
)hlo"},
    {Opcode::kAllReduceStart, 1220,
     R"hlo(%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %c = f32[] add(%a, %b)
}
)hlo",
     R"hlo(
  %n = f32[100]{0} negate(%p)
  %c = f32[100]{0} all-reduce-start(%n), replica_groups={}, to_apply=%add
  %m = f32[100]{0} reverse(%p), dimensions={0}
  %d = f32[100]{0} all-reduce-done(%c)
  ROOT %r = (f32[100]{0}, f32[100]{0}) tuple(%m, %d)
)hlo"},
    {Opcode::kCollectivePermuteStart, 1644,
     R"hlo()hlo",
     R"hlo(
  %n = f32[100]{0} negate(%p)
  %c = (f32[100]{0}, f32[100]{0}, u32[], u32[]) collective-permute-start(%n), source_target_pairs={{0,1},{1,0}}
  %m = f32[100]{0} reverse(%p), dimensions={0}
  %d = f32[100]{0} collective-permute-done(%c)
  ROOT %r = (f32[100]{0}, f32[100]{0}) tuple(%m, %d)
)hlo"},
    {Opcode::kAsyncStart, 2040,
     R"hlo(%wrapped (q: f32[100]) -> f32[100] {
  %q = f32[100]{0} parameter(0)
  %q1 = f32[100]{0} reverse(%q), dimensions={0}
  ROOT %q2 = f32[100]{0} reverse(%q1), dimensions={0}
}
)hlo",
     R"hlo(
  %n = f32[100]{0} negate(%p)
  %c = ((f32[100]{0}), f32[100]{0}, u32[]) async-start(%n), calls=%wrapped
  %u = ((f32[100]{0}), f32[100]{0}, u32[]) async-update(%c)
  %m = f32[100]{0} reverse(%p), dimensions={0}
  %d = f32[100]{0} async-done(%u)
  ROOT %r = (f32[100]{0}, f32[100]{0}) tuple(%m, %d)
)hlo"},
    {Opcode::kSend, 1232,
     R"hlo()hlo",
     R"hlo(
  %n = f32[100]{0} negate(%p)
  %k = token[] after-all()
  %c = (f32[100]{0}, u32[], token[]) send(%n, %k), channel_id=1
  %m = f32[100]{0} reverse(%p), dimensions={0}
  %d = token[] send-done(%c), channel_id=1
  ROOT %r = f32[100]{0} reverse(%m), dimensions={0}
)hlo"},
    {Opcode::kRecvDone, 1204,
     R"hlo()hlo",
     R"hlo(
  %k = token[] after-all()
  %c = (f32[100]{0}, u32[], token[]) recv(%k), channel_id=2
  %d = (f32[100]{0}, token[]) recv-done(%c), channel_id=2
  %g = f32[100]{0} get-tuple-element(%d), index=0
  ROOT %r = f32[100]{0} reverse(%g), dimensions={0}
)hlo"},
    {Opcode::kCall, 1204,
     R"hlo(%callee (q: f32[100]) -> f32[100] {
  %q = f32[100]{0} parameter(0)
  %q1 = f32[100]{0} reverse(%q), dimensions={0}
  ROOT %q2 = f32[100]{0} reverse(%q1), dimensions={0}
}
)hlo",
     R"hlo(
  %n = f32[100]{0} negate(%p)
  %c = f32[100]{0} call(%n), to_apply=%callee
  ROOT %r = f32[100]{0} reverse(%c), dimensions={0}
)hlo"},
    {Opcode::kDynamicUpdateSlice, 812,
     R"hlo()hlo",
     R"hlo(
  %n = f32[100]{0} negate(%p)
  %u = f32[1]{0} slice(%p), slice={[0:1]}
  %i = s32[] convert(%s)
  ROOT %d = f32[100]{0} dynamic-update-slice(%n, %u, %i)
)hlo"},
    {Opcode::kScatter, 812,
     R"hlo(%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %c = f32[] add(%a, %b)
}
)hlo",
     R"hlo(
  %n = f32[100]{0} negate(%p)
  %u = f32[1]{0} slice(%p), slice={[0:1]}
  %i = s32[] convert(%s)
  ROOT %d = f32[100]{0} scatter(%n, %i, %u), update_window_dims={0}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=%add
)hlo"},
    {Opcode::kSetDimensionSize, 808,
     R"hlo()hlo",
     R"hlo(
  %n = f32[100]{0} negate(%p)
  %i = s32[] convert(%s)
  ROOT %d = f32[<=100]{0} set-dimension-size(%n, %i), dimensions={0}
)hlo"},
    {Opcode::kRaggedAllToAll, 1220,
     R"hlo()hlo",
     R"hlo(
  %n = f32[100]{0} negate(%p)
  %m = f32[100]{0} sine(%p)
  %i = s64[2]{0} iota(), iota_dimension=0
  ROOT %d = f32[100]{0} ragged-all-to-all(%n, %m, %i, %i, %i, %i), replica_groups={{0,1}}
)hlo"},
    {Opcode::kCustomCall, 1224,
     R"hlo()hlo",
     R"hlo(
  %n = f32[100]{0} negate(%p)
  %m = f32[100]{0} sine(%p)
  ROOT %d = (f32[100]{0}, f32[]) custom-call(%n, %m), custom_call_target="f", output_to_operand_aliasing={{0}: (1, {})}
)hlo"},
    {Opcode::kFusion, 832,
     R"hlo(%fused (q: f32[100], u: f32[1], i: s32[]) -> (f32[], f32[100]) {
  %q = f32[100]{0} parameter(0)
  %u = f32[1]{0} parameter(1)
  %i = s32[] parameter(2)
  %z = f32[] constant(0)
  %d = f32[100]{0} dynamic-update-slice(%q, %u, %i)
  ROOT %t = (f32[], f32[100]{0}) tuple(%z, %d)
}
)hlo",
     R"hlo(
  %n = f32[100]{0} negate(%p)
  %v = f32[1]{0} slice(%p), slice={[0:1]}
  %j = s32[] convert(%s)
  ROOT %f = (f32[], f32[100]{0}) fusion(%n, %v, %j), kind=kLoop, calls=%fused
)hlo"},
    {Opcode::kCollectivePermute, 1224,
     R"hlo()hlo",
     R"hlo(
  %n = f32[100]{0} negate(%p)
  %m = f32[100]{0} sine(%p)
  %i = s32[] convert(%s)
  %k = (s32[]) tuple(%i)
  %o = ((s32[])) tuple(%k)
  ROOT %d = f32[100]{0} collective-permute(%n, %m, %o, %o), source_target_pairs={{0,1},{1,0}}, slice_sizes={{100}}
)hlo"},
};

Module Read(std::string_view text) {
  absl::StatusOr<Module> module = Parse("test", text);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : Module();
}

Module ModuleOf(const RuleCase& rule) {
  return Read(absl::StrCat("HloModule rule, is_scheduled=true\n\n", std::string(rule.computations),
                           "\nENTRY %main {\n  %p = f32[100]{0} parameter(0)\n  %s = f32[] parameter(1)\n",
                           std::string(rule.body), "}\n"));
}

std::set<Opcode> OpcodesOf(const Module& module) {
  std::set<Opcode> opcodes;
  for (const Computation& computation : module.computations) {
    for (const Instruction& instruction : computation.instructions) opcodes.insert(instruction.opcode);
  }
  return opcodes;
}

TEST(AliasTest, EachRuleGivesThePeakOfXla) {
  for (const InPlace in_place : {InPlace::kWhereDying, InPlace::kAlways}) {
    for (const RuleCase& rule : kRuleCases) {
      const Module module = ModuleOf(rule);
      LivenessOptions options;
      options.in_place = in_place;
      const absl::StatusOr<Liveness> liveness = LivenessOf(module, options);
      ASSERT_TRUE(liveness.ok()) << liveness.status();
      EXPECT_EQ(liveness->total_peak, rule.peak) << RowOf(rule.opcode).name;
    }
  }
}

TEST(AliasTest, EveryRowHasACase) {
  std::set<Opcode> seen;
  for (const RuleCase& rule : kRuleCases) {
    const std::set<Opcode> opcodes = OpcodesOf(ModuleOf(rule));
    EXPECT_TRUE(opcodes.count(rule.opcode)) << RowOf(rule.opcode).name;
    seen.insert(opcodes.begin(), opcodes.end());
  }
  for (const FlowRow& row : FlowRows()) EXPECT_TRUE(seen.count(row.opcode)) << RowOf(row.opcode).name;
  for (const InPlaceRow& row : InPlaceRows()) EXPECT_TRUE(seen.count(row.opcode)) << RowOf(row.opcode).name;
}

uint64_t PeakOfText(std::string_view text, const LivenessOptions& options = {}) {
  const Module module = Read(text);
  const absl::StatusOr<Liveness> liveness = LivenessOf(module, options);
  EXPECT_TRUE(liveness.ok()) << liveness.status();
  return liveness.ok() ? liveness->total_peak : 0;
}

// An update of what is still needed is made in a copy; XLA's analysis trusts that the copy is there.
TEST(AliasTest, AnUpdateOfWhatIsStillNeededIsNoneInPlace) {
  constexpr std::string_view kText = R"hlo(HloModule m, is_scheduled=true

ENTRY %main {
  %p = f32[100]{0} parameter(0)
  %u = f32[1]{0} parameter(1)
  %i = s32[] parameter(2)
  %n = f32[100]{0} negate(%p)
  %d = f32[100]{0} dynamic-update-slice(%n, %u, %i)
  ROOT %t = (f32[100]{0}, f32[100]{0}) tuple(%n, %d)
}
)hlo";
  LivenessOptions always;
  always.in_place = InPlace::kAlways;
  EXPECT_EQ(PeakOfText(kText), 400 + 4 + 4 + 800 + 16);
  EXPECT_EQ(PeakOfText(kText, always), 400 + 4 + 4 + 400 + 16);
}

// The caller's arguments are not ours to write to, but those that it gives away.
TEST(AliasTest, ParametersAreKeptUnlessTheyAreGivenAway) {
  const auto text = [](std::string_view header) {
    return absl::StrCat("HloModule m, is_scheduled=true", std::string(header), R"hlo(

ENTRY %main {
  %p = f32[100]{0} parameter(0)
  %u = f32[1]{0} parameter(1)
  %i = s32[] parameter(2)
  ROOT %d = f32[100]{0} dynamic-update-slice(%p, %u, %i)
}
)hlo");
  };
  EXPECT_EQ(PeakOfText(text("")), 408 + 400);
  EXPECT_EQ(PeakOfText(text(", input_output_alias={ {}: (0, {}, may-alias) }")), 408);
  EXPECT_EQ(PeakOfText(text(", buffer_donor={ (0, {}) }")), 408);
}

TEST(AliasTest, NvshmemReducesInABufferOfItsOwn) {
  for (const bool own : {false, true}) {
    const std::string text = absl::StrCat(R"hlo(HloModule m, is_scheduled=true

%add {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %c = f32[] add(%a, %b)
}

ENTRY %main {
  %n = f32[100]{0} iota(), iota_dimension=0
  %c = f32[100]{0} all-reduce-start(%n), replica_groups={}, to_apply=%add)hlo",
                                          own ? R"hlo(, backend_config={"collective_backend_config":{"backend":"NVSHMEM"}})hlo" : "", R"hlo(
  ROOT %d = f32[100]{0} all-reduce-done(%c)
}
)hlo");
    EXPECT_EQ(PeakOfText(text), own ? 800 : 400);
  }
}

// A fusion works in place behind one bitcast of its parameter, not behind two, nor where the result is cast.
TEST(AliasTest, AFusionWorksInPlaceBehindOneBitcast) {
  const struct {
    std::string_view body;
    uint64_t peak;  // XLA's
  } cases[] = {
      {"  ROOT %d = f32[300]{0} dynamic-update-slice(%a, %u, %i)", 3604},
      {"  %b = s32[300]{0} bitcast(%a)\n  %v = s32[300]{0} bitcast(%u)\n"
       "  ROOT %d = s32[300]{0} dynamic-update-slice(%b, %v, %i)", 3604},
      {"  %b = s32[300]{0} bitcast(%a)\n  %c = f32[300]{0} bitcast(%b)\n"
       "  ROOT %d = f32[300]{0} dynamic-update-slice(%c, %u, %i)", 4804},
      {"  %d = f32[300]{0} dynamic-update-slice(%a, %u, %i)\n  ROOT %b = s32[300]{0} bitcast(%d)", 4804},
      {"  %b = f32[300]{0} copy(%a)\n  ROOT %d = f32[300]{0} dynamic-update-slice(%b, %u, %i)", 4804},
  };
  for (const auto& each : cases) {
    const std::string type = each.body.find("ROOT %d = f32") == std::string_view::npos ? "s32[300]{0}" : "f32[300]{0}";
    const std::string text = absl::StrCat(R"hlo(HloModule m, is_scheduled=true

%f {
  %a = f32[300]{0} parameter(0)
  %i = s32[] parameter(1)
  %u = f32[300]{0} parameter(2)
)hlo",
                                          std::string(each.body), R"hlo(
}

ENTRY %main {
  %p = f32[300]{0} parameter(0)
  %i = s32[] parameter(1)
  %n = f32[300]{0} negate(%p)
  %m = f32[300]{0} negate(%p)
  %x = )hlo",
                                          type, R"hlo( fusion(%n, %i, %m), kind=kLoop, calls=%f
  ROOT %c = f32[] constant(1)
}
)hlo");
    LivenessOptions options;
    options.in_place = InPlace::kAlways;
    options.reuse_operands = false;
    EXPECT_EQ(PeakOfText(text, options), each.peak) << each.body;
    const absl::StatusOr<InterpretedPeak> interpreted = InterpretPeak(Read(text));
    ASSERT_TRUE(interpreted.ok());
    EXPECT_EQ(interpreted->total, each.peak) << each.body;
  }
}

// Two tuples of two of what stands above, forty times: 2^40 parts.
TEST(AliasTest, TreesThatAreTooLargeAreRefused) {
  Module module;
  module.computations.resize(1);
  const std::vector<int64_t> sizes = {1};
  ShapeId shape = module.shapes.AddArray(Type::kF32, sizes);
  for (int i = 0; i < 40; ++i) {
    const std::vector<ShapeId> both = {shape, shape};
    shape = module.shapes.AddTuple(both);
  }
  Instruction parameter;
  parameter.shape = shape;
  module.computations[0].instructions = {parameter};
  EXPECT_EQ(LivenessOf(module).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_FALSE(InterpretPeak(module).ok());
}

// What does not fit one another gives new values, not a crash.
TEST(AliasTest, ShapesThatDoNotFitAreNotPassedOn) {
  const Module module = Read(R"hlo(HloModule m, is_scheduled=true

ENTRY %main {
  %p = f32[10]{0} parameter(0)
  %b = (f32[10]{0}, f32[10]{0}) opt-barrier(%p)
  %g = f32[10]{0} get-tuple-element(%p), index=7
  ROOT %d = (f32[10]{0}, f32[10]{0}) collective-permute-done(%g)
}
)hlo");
  LivenessOptions options;
  options.pointer_bytes = 0;
  const absl::StatusOr<Liveness> liveness = LivenessOf(module, options);
  ASSERT_TRUE(liveness.ok());
  EXPECT_EQ(liveness->total_peak, 40 + 40 + 80);
}

}  // namespace
}  // namespace oomph::hlo
