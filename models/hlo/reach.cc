// See reach.h. The names and their numbers come from the tables of words, so there is no second list.
#include "models/hlo/reach.h"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "models/base/reach_table.h"
#include "models/hlo/answer_text.h"
#include "models/hlo/generate.h"
#include "models/hlo/promises.h"
#include "models/hlo/schedule.h"

namespace oomph::hlo {
namespace {

constexpr int kSizes = 10;
constexpr int kPeaks = 16;  // bytes, in steps of 16

bool IsBuilt(Opcode opcode) {
  const std::span<const Omission> omitted = Omissions();
  return std::none_of(omitted.begin(), omitted.end(), [&](const Omission& each) { return each.opcode == opcode; });
}

struct Table : ReachTable {
  // First numbers of each group.
  size_t feature, status, opcode, type, rule, instructions, peak;

  Table() {
    feature = names.size();
    for (const std::string_view word : kFeatures) Add("feature", word, true);
    status = names.size();
    for (int i = 0; i < kStatuses; ++i) {
      const Status each = static_cast<Status>(i);
      Add("status", StatusWord(each), each == Status::kValid || each == Status::kInvalid);
    }
    opcode = names.size();
    for (size_t i = 0; i < kOpcodes; ++i) {
      const Opcode each = static_cast<Opcode>(i);
      Add("operation", RowOf(each).name, IsBuilt(each));
    }
    type = names.size();
    for (size_t i = 0; i < kTypes; ++i) {
      const Type each = static_cast<Type>(i);
      Add("type", i == static_cast<size_t>(Type::kTuple) ? "tuple" : RowOf(each).name, IsArrayType(each));
    }
    rule = names.size();
    for (size_t i = 0; i < kRules; ++i) Add("rule", RowOf(static_cast<Rule>(i)).name, false);
    instructions = AddNumbers("instructions_log2", kSizes);
    peak = AddNumbers("peak_log16", kPeaks);
  }
};

const Table& TheTable() {
  static const Table table;
  return table;
}

struct FeatureOfOpcodes {
  feature::Index feature;
  std::vector<Opcode> opcodes;
};
const std::vector<FeatureOfOpcodes>& OpcodeFeatures() {
  using O = Opcode;
  static const std::vector<FeatureOfOpcodes> table = {
      {feature::kControlFlow, {O::kCall, O::kWhile, O::kConditional, O::kMap}},
      {feature::kFusions, {O::kFusion}},
      {feature::kAsync, {O::kAsyncStart, O::kAsyncUpdate, O::kAsyncDone, O::kCopyStart, O::kCopyDone}},
      {feature::kCollectives,
       {O::kAllGather, O::kAllGatherStart, O::kAllGatherDone, O::kAllReduce, O::kAllReduceStart, O::kAllReduceDone, O::kAllToAll,
        O::kCollectiveBroadcast, O::kCollectivePermute, O::kCollectivePermuteStart, O::kCollectivePermuteDone, O::kReduceScatter,
        O::kRaggedAllToAll, O::kPartitionId, O::kReplicaId, O::kDomain}},
      {feature::kTransfers,
       {O::kAfterAll, O::kAddDependency, O::kSend, O::kSendDone, O::kRecv, O::kRecvDone, O::kInfeed, O::kOutfeed}},
      {feature::kCustomCalls, {O::kCustomCall}},
      {feature::kRandomNumbers, {O::kRng, O::kRngBitGenerator, O::kRngGetAndUpdateState}},
      {feature::kLinearAlgebra,
       {O::kCholesky, O::kTriangularSolve, O::kFft, O::kBatchNormGrad, O::kBatchNormInference, O::kBatchNormTraining}},
      {feature::kDynamicShapes, {O::kSetDimensionSize, O::kDynamicReshape}},
  };
  return table;
}

Bits64 FeaturesOfShape(const ShapeTable& shapes, ShapeId id) {
  const Shape& shape = shapes[id];
  if (!IsArrayType(shape.type)) return 0;
  Bits64 features = 0;
  const auto set = [&](feature::Index index, bool has) { features |= Bits64{has} << index; };
  set(feature::kWideTypes, RowOf(shape.type).bits > 32);
  set(feature::kNarrowTypes, RowOf(shape.type).bits <= 8 && shape.type != Type::kPred);
  for (const Dimension& dimension : shapes.Dimensions(id)) {
    set(feature::kZeroSized, dimension.extent == Extent::kStatic && dimension.size == 0);
    set(feature::kDynamicShapes, dimension.extent != Extent::kStatic);
  }
  const Layout* layout = shapes.LayoutOf(id);
  if (layout == nullptr) return features;
  set(feature::kLayouts, !std::is_sorted(layout->minor_to_major.rbegin(), layout->minor_to_major.rend()));
  set(feature::kTiles, !layout->tiles.empty() || layout->element_bits != 0 || layout->memory_space != 0);
  return features;
}

template <typename F>
void ForEachInstruction(const Module& module, F f) {
  for (const Computation& computation : module.computations) {
    for (const Instruction& instruction : computation.instructions) f(instruction);
  }
}

}  // namespace

Bits64 FeaturesOf(const Module& module) {
  Bits64 features = 0;
  for (ShapeId shape = 0; shape < module.shapes.size(); ++shape) features |= FeaturesOfShape(module.shapes, shape);
  ForEachInstruction(module, [&](const Instruction& instruction) {
    for (const FeatureOfOpcodes& row : OpcodeFeatures()) {
      const bool has = std::find(row.opcodes.begin(), row.opcodes.end(), instruction.opcode) != row.opcodes.end();
      features |= Bits64{has} << row.feature;
    }
  });
  features |= Bits64{IsScheduled(module)} << feature::kSchedule;
  features |= Bits64{!Verify(module).empty()} << feature::kInvalid;
  return features;
}

std::span<const std::string_view> ReachNames() { return TheTable().names; }
Reach ExpectedReach() { return TheTable().expected; }

void Reached(const Module& module, const Answer& answer, Reach& reach) {
  const Table& table = TheTable();
  const Bits64 features = FeaturesOf(module);
  for (size_t i = 0; i < feature::kNumFeatures; ++i) {
    if (features >> i & 1) reach.set(table.feature + i);
  }
  reach.set(table.status + static_cast<size_t>(answer.status));
  ForEachInstruction(module, [&](const Instruction& instruction) {
    reach.set(table.opcode + static_cast<size_t>(instruction.opcode));
    reach.set(table.opcode + static_cast<size_t>(instruction.wrapped));
    reach.set(table.type + static_cast<size_t>(module.shapes[instruction.shape].type));
  });
  if (answer.rule) reach.set(table.rule + static_cast<size_t>(*answer.rule));
  reach.set(table.instructions + std::min<size_t>(std::bit_width(InstructionCount(module)), kSizes - 1));
  if (answer.total_peak) reach.set(table.peak + std::min<size_t>(std::bit_width(*answer.total_peak) / 4, kPeaks - 1));
}

}  // namespace oomph::hlo
