// Which operations work in place on which of their operands.
// Not for what may overwrite an operand that dies (alias_overwrite.cc).
#include <algorithm>
#include <tuple>

#include "models/hlo/alias_rules.h"

namespace oomph::hlo {
namespace {

// A fusion in a fusion in a fusion …: looked into so far.
constexpr int kMaxFusionDepth = 100;
// Steps back from a root of a fusion through tuples, and all of them of a module: beyond is no real module.
constexpr int kMaxSteps = 1000;
constexpr uint64_t kMaxLooks = uint64_t{1} << 26;
// Parts of a result that are looked at one by one.
constexpr uint64_t kMaxParts = uint64_t{1} << 16;

ShapeId ShapeOfOperand(const Module& module, const Computation& computation, const Instruction& instruction,
                       size_t operand) {
  return computation.instructions[module.Operands(instruction)[operand]].shape;
}

void AddDeclared(const Module& module, const ShapeNodes& nodes, const Computation& computation,
                 const Instruction& instruction, std::vector<InPlacePair>& pairs) {
  const std::optional<AttributeId> id = module.Find(instruction, Key::kOutputToOperandAliasing);
  if (!id.has_value() || module.attribute_table[*id].form != Form::kAliases) return;
  // Of `slice-start` it speaks of the result of the slice, which is element 1.
  const bool short_form = instruction.opcode == Opcode::kAsyncStart && instruction.wrapped != instruction.opcode;
  for (Alias& alias : AliasesOf(module.attribute_table.Numbers(*id))) {
    if (short_form) alias.output.insert(alias.output.begin(), 1);
    const size_t count = module.Operands(instruction).size();
    if (alias.parameter < 0 || static_cast<uint64_t>(alias.parameter) >= count) continue;
    const uint32_t operand = static_cast<uint32_t>(alias.parameter);
    const uint64_t result = nodes.NodeAt(instruction.shape, alias.output);
    const uint64_t node =
        nodes.NodeAt(ShapeOfOperand(module, computation, instruction, operand), alias.index);
    if (result != UINT64_MAX && node != UINT64_MAX) pairs.push_back({operand, node, result});
  }
}

// A collective over NVSHMEM has buffers of its own (measured).
bool UsesNvshmem(const Module& module, const Instruction& instruction) {
  const std::optional<AttributeId> id = module.Find(instruction, Key::kBackendConfig);
  if (!id.has_value()) return false;
  for (const Reference& reference : module.attribute_table.References(*id)) {
    if (reference.kind != Reference::kString) continue;
    if (module.strings[reference.id].find("\"NVSHMEM\"") != std::string_view::npos) return true;
  }
  return false;
}

bool WorksInPlace(Opcode opcode) {
  return std::ranges::any_of(InPlaceRows(), [&](const InPlaceRow& row) { return row.opcode == opcode; });
}

}  // namespace

InPlaceFinder::InPlaceFinder(const Module& module, const ShapeNodes& nodes) : module_(module), nodes_(nodes) {
  for (size_t i = 0; i < kOpcodes; ++i) works_in_place_[i] = WorksInPlace(static_cast<Opcode>(i));
}

std::span<const InPlacePair> InPlaceFinder::Of(const Computation& computation, const Instruction& instruction) {
  return Find(computation, instruction, 0);
}

const std::vector<InPlacePair>& InPlaceFinder::Find(const Computation& computation, const Instruction& instruction,
                                                    int depth) {
  if (!works_in_place_[static_cast<size_t>(instruction.opcode)]) return none_;
  const auto key = std::pair(&instruction, depth);
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  std::vector<InPlacePair> pairs;
  Add(computation, instruction, depth, pairs);
  std::sort(pairs.begin(), pairs.end(), [](const InPlacePair& a, const InPlacePair& b) {
    return std::tuple(a.result_node, a.operand, a.operand_node) < std::tuple(b.result_node, b.operand, b.operand_node);
  });
  return known_.emplace(key, std::move(pairs)).first->second;
}

// Where what stands at a place comes from: back through tuples and their elements. Not through bitcasts.
InPlaceFinder::Place InPlaceFinder::Source(const Computation& computation, Place place) {
  for (int steps = 0; steps < kMaxSteps && !exhausted(); ++steps, ++looks_) {
    const Instruction& instruction = computation.instructions[place.instruction];
    const std::span<const uint32_t> operands = module_.Operands(instruction);
    if (instruction.opcode == Opcode::kTuple && place.node != 0) {
      const std::vector<int64_t> path = nodes_.PathOf(instruction.shape, place.node);
      if (path.empty() || static_cast<size_t>(path[0]) >= operands.size()) return place;
      const size_t element = static_cast<size_t>(path[0]);
      place = {operands[element], place.node - nodes_.ElementNode(instruction.shape, element)};
    } else if (instruction.opcode == Opcode::kGetTupleElement && operands.size() == 1) {
      const int64_t index = module_.Number(instruction, Key::kIndex, -1);
      const uint64_t node = nodes_.NodeAt(computation.instructions[operands[0]].shape, std::span(&index, 1));
      if (node == UINT64_MAX) return place;
      place = {operands[0], node + place.node};
    } else {
      return place;
    }
  }
  return place;
}

bool InPlaceFinder::exhausted() const { return looks_ >= kMaxLooks; }

// A part of the fusion's root that works in place on a parameter makes the fusion work in place on its operand.
void InPlaceFinder::AddOfFusion(const Computation& computation, const Instruction& fusion, int depth,
                                std::vector<InPlacePair>& pairs) {
  const Computation* fused = FusedComputation(module_, fusion);
  if (fused == nullptr || fused->root >= fused->instructions.size() || depth == kMaxFusionDepth) return;
  const uint64_t count = nodes_.Count(fusion.shape);
  if (count > kMaxParts || nodes_.Count(fused->instructions[fused->root].shape) != count) return;
  for (uint64_t node = 0; node < count && !exhausted(); ++node) {
    const Place written = Source(*fused, {fused->root, node});
    const Instruction& writer = fused->instructions[written.instruction];
    const std::vector<InPlacePair>& inner = Find(*fused, writer, depth + 1);
    auto pair = std::ranges::lower_bound(inner, written.node, {}, &InPlacePair::result_node);
    for (; pair != inner.end() && pair->result_node == written.node; ++pair) {
      Place source = Source(*fused, {module_.Operands(writer)[pair->operand], pair->operand_node});
      // One bitcast of the parameter is passed over; a second one, or one of the result, is not (measured).
      if (const Instruction& at = fused->instructions[source.instruction]; at.opcode == Opcode::kBitcast) {
        const std::span<const uint32_t> viewed = module_.Operands(at);
        if (viewed.size() == 1) source = Source(*fused, {viewed[0], 0});
      }
      const Instruction& parameter = fused->instructions[source.instruction];
      if (parameter.opcode != Opcode::kParameter || parameter.payload >= module_.Operands(fusion).size()) continue;
      if (source.node >= nodes_.Count(ShapeOfOperand(module_, computation, fusion, parameter.payload))) continue;
      pairs.push_back({parameter.payload, source.node, node});
    }
  }
}

void InPlaceFinder::Add(const Computation& computation, const Instruction& instruction, int depth,
                        std::vector<InPlacePair>& pairs) {
  const size_t operands = module_.Operands(instruction).size();
  const bool tuple = module_.shapes[instruction.shape].type == Type::kTuple;
  const auto add_elements = [&](uint32_t first, size_t count) {
    for (uint32_t i = 0; i < count && first + i < operands; ++i) {
      if (!tuple) {
        pairs.push_back({first + i, 0, 0});
      } else if (i < module_.shapes[instruction.shape].count) {
        pairs.push_back({first + i, 0, nodes_.ElementNode(instruction.shape, i)});
      }
    }
  };
  switch (instruction.opcode) {
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kSetDimensionSize:
      add_elements(0, 1);
      break;
    case Opcode::kScatter:  // operands, indices, updates
      add_elements(0, operands / 2);
      break;
    case Opcode::kAllReduceStart:
      if (!UsesNvshmem(module_, instruction)) add_elements(0, operands);
      break;
    case Opcode::kRaggedAllToAll:
      add_elements(1, 1);
      break;
    case Opcode::kCollectivePermute:
      if (operands == 4 && !tuple) add_elements(1, 1);
      break;
    case Opcode::kCollectivePermuteStart:
      if (operands == 4 && tuple && module_.shapes[instruction.shape].count > 1) {
        const ShapeId from = ShapeOfOperand(module_, computation, instruction, 1);
        const uint64_t to = nodes_.ElementNode(instruction.shape, 1);
        const uint64_t count = nodes_.Count(from);
        if (nodes_.Count(nodes_.At(instruction.shape, to)) != count || count > kMaxParts) break;
        for (uint64_t i = 0; i < count; ++i) pairs.push_back({1, i, to + i});
      }
      break;
    case Opcode::kCustomCall:
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
      AddDeclared(module_, nodes_, computation, instruction, pairs);
      break;
    case Opcode::kFusion:
      AddDeclared(module_, nodes_, computation, instruction, pairs);
      AddOfFusion(computation, instruction, depth, pairs);
      break;
    default:
      break;
  }
}

const Computation* FusedComputation(const Module& module, const Instruction& instruction) {
  if (instruction.opcode != Opcode::kFusion) return nullptr;
  const std::optional<AttributeId> id = module.Find(instruction, Key::kCalls);
  if (!id.has_value()) return nullptr;
  const std::span<const Reference> references = module.attribute_table.References(*id);
  if (references.empty() || references[0].kind != Reference::kComputation ||
      references[0].id >= module.computations.size()) {
    return nullptr;
  }
  return &module.computations[references[0].id];
}

}  // namespace oomph::hlo
