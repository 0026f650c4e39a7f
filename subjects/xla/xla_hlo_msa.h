// XLA's memory-space assignment: what it makes of a module, and where it places what it moves into its memory. Only for
// xla_hlo_plugin.cc. Not for modules that its callers do not give it: see WhyNoAssignment.
#ifndef OOMPH_SUBJECTS_XLA_XLA_HLO_MSA_H_
#define OOMPH_SUBJECTS_XLA_XLA_HLO_MSA_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "subjects/xla/hlo_variants.h"
#include "subjects/xla/xla_hlo_peak.h"
#include "subjects/xla/xla_hlo_plan_writer.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_opcode.h"
#include "xla/hlo/utils/hlo_live_range.h"
#include "xla/service/cost_modelling/op_cost.h"
#include "xla/service/hlo_cost_analysis.h"
#include "xla/service/memory_space_assignment/buffer_interval_comparator.h"
#include "xla/service/memory_space_assignment/cost_analysis.h"
#include "xla/service/memory_space_assignment/memory_space_assignment.h"
#include "xla/service/memory_space_assignment/options.h"
#include "xla/service/memory_space_assignment/prefetch_interval_picker.h"

namespace oomph::xla_hlo {

inline constexpr int64_t kAssignedSpace = 1;

// The same for a module that is printed and read again, or has other names.
inline uint64_t HashOfOperations(const xla::HloComputation& computation) {
  uint64_t hash = 1469598103934665603u;  // FNV-1a
  for (const xla::HloInstruction* instruction : computation.instructions()) {
    hash = (hash ^ static_cast<uint64_t>(instruction->opcode())) * 1099511628211u;
  }
  return hash ^ (hash >> 29);
}

inline bool LiesThere(const xla::Shape& shape) {
  return shape.IsArray() && shape.has_layout() && shape.layout().memory_space() == kAssignedSpace;
}

// Why a module cannot be given to it, be it valid; empty: it can.
inline std::string WhyNoAssignment(const xla::HloModule& module) {
  bool aliased = false;
  module.input_output_alias_config().ForEachAlias([&aliased](const xla::ShapeIndex&, const auto&) { aliased = true; });
  if (aliased) return "an output is aliased with a parameter, and nobody has inserted the copies for that";
  for (const xla::HloComputation* computation : module.computations()) {
    if (!module.schedule().is_computation_scheduled(computation)) continue;
    const auto& order = module.schedule().sequence(computation).instructions();
    if (order.empty() || order.back() != computation->root_instruction()) {
      return absl::StrCat("the root of ", computation->name(), " is not its last instruction");
    }
    for (const xla::HloInstruction* instruction : order) {
      if (instruction->opcode() == xla::HloOpcode::kCopyStart) {
        return absl::StrCat(instruction->name(), " is an asynchronous copy already");
      }
      // Parameters of the entry may lie there; of others it takes any number, whether they fit or not.
      if (computation == module.entry_computation() && instruction->opcode() == xla::HloOpcode::kParameter) continue;
      bool there = false;
      xla::ShapeUtil::ForEachSubshape(instruction->shape(), [&there](const xla::Shape& shape, const xla::ShapeIndex&) {
        there |= LiesThere(shape);
      });
      if (there) return absl::StrCat(instruction->name(), " lies in its memory already");
    }
  }
  return "";
}

// What estimates cost, with all that it stands on.
struct Costs {
  explicit Costs(const xla::HloCostAnalysis::Options& options)
      : analysis(options),
        state(analysis),
        manager(xla::OpCostManager::Options{},
                xla::OpCostManager::CalculationNode::CreateLeaf(
                    "hlo", xla::CreateHloCostAnalysisCalculator(state), /*enable_cache=*/false)) {}

  static absl::StatusOr<std::unique_ptr<Costs>> Of(xla::HloModule& module, const xla::AliasInfo& alias_info) {
    namespace msa = xla::memory_space_assignment;
    const auto bytes = [](const xla::Shape& shape) { return xla::ShapeUtil::ByteSizeOf(shape, 8); };
    constexpr double kSlow = 32e6, kFast = 128e6;  // bytes a second
    xla::HloCostAnalysis::Options options;
    options.shape_size = bytes;
    options.set_flops_per_second(1e9);
    options.set_bytes_per_second(kSlow);
    options.set_transcendentals_per_second(16e6);
    auto costs = std::make_unique<Costs>(options);
    for (xla::HloComputation* computation : module.MakeNonfusionComputations()) {
      if (const absl::Status status = computation->Accept(&costs->analysis); !status.ok()) return status;
    }
    msa::CostAnalysisOptions copies;
    copies.alternate_mem_read_bandwidth_bytes_per_second = kFast;
    copies.alternate_mem_write_bandwidth_bytes_per_second = kFast;
    copies.default_mem_bandwidth_bytes_per_second = kSlow;
    copies.shape_size_bytes_fn = bytes;
    auto of_copies = msa::CostAnalysis::Create(costs->manager, copies, &alias_info, module);
    if (!of_copies.ok()) return of_copies.status();
    costs->of_copies = *std::move(of_copies);
    return costs;
  }

  xla::HloCostAnalysis analysis;
  xla::HloCostAnalysisWithAcceptState state;
  xla::OpCostManager manager;
  std::unique_ptr<xla::memory_space_assignment::CostAnalysis> of_copies;
  xla::memory_space_assignment::CostAnalysis::Cache cache;
};

inline std::unique_ptr<xla::memory_space_assignment::PrefetchIntervalPicker> PickerOf(const Setting& setting,
                                                                                      const Costs& costs, int64_t limit) {
  namespace msa = xla::memory_space_assignment;
  if (!setting.by_cost) return std::make_unique<msa::InstructionCountPrefetchIntervalPicker>(2, 10);
  return std::make_unique<msa::CostAnalysisPrefetchIntervalPicker>(
      *costs.of_copies, /*min_overlap_to_async_copy_ratio=*/0.5, /*preferred_overlap_to_async_copy_ratio=*/1.0,
      /*max_overlap_to_mem_size_async_copy_ratio=*/10.0, limit);
}

// Bytes of everything that has a place, by which the limit of the memory is chosen.
// Negative: more than 2^60, of which sums and alignments leave 64 bits with a sign.
inline int64_t BytesOfValues(const Ready& ready) {
  __int128 sum = 0;
  for (const xla::HloValue* value : ready.aliases->dataflow_analysis().values()) sum += std::max<int64_t>(BytesOf(*value), 0);
  return sum > (int64_t{1} << 60) ? -1 : static_cast<int64_t>(sum);
}

struct Assigned {
  std::unique_ptr<xla::memory_space_assignment::PresetAssignments> places;
  std::map<std::string, int64_t> asked;  // by the name of the instruction
  int64_t limit = 0;
};

// The scoped memory that an instruction has as a limit: the size in "scoped_memory_configs":[{...,"size":"1048576"}] of its
// backend_config. 0: it says nothing of it.
inline int64_t StatedScopedBytes(const xla::HloInstruction& instruction) {
  absl::string_view config = instruction.raw_backend_config_string();
  constexpr absl::string_view kConfigs = "\"scoped_memory_configs\":[{", kSize = "\"size\":\"";
  const size_t configs = config.find(kConfigs);
  if (configs == config.npos) return 0;
  config = config.substr(configs + kConfigs.size());
  config = config.substr(0, config.find('}'));
  const size_t size = config.find(kSize);
  if (size == config.npos) return 0;
  config = config.substr(size + kSize.size());
  int64_t bytes = 0;
  return absl::SimpleAtoi(config.substr(0, config.find('"')), &bytes) && bytes > 0 ? bytes : 0;
}

// Changes the module.
inline absl::StatusOr<Assigned> AssignMemorySpaces(xla::HloModule& module, const Ready& ready,
                                                   const xla::HloLiveRange& ranges, const Setting& setting) {
  auto costs = Costs::Of(module, ready.alias_info);
  if (!costs.ok()) return costs.status();
  Assigned assigned;
  assigned.limit = setting.bytes != 0 ? setting.bytes : BytesOfValues(ready) * setting.limit / 16;
  const int64_t reserve = assigned.limit * setting.reserve / 16 / setting.alignment * setting.alignment;
  xla::memory_space_assignment::MemoryBoundednessBufferIntervalComparator comparator(*(*costs)->of_copies,
                                                                                     &(*costs)->cache);
  const auto picker = PickerOf(setting, **costs, assigned.limit);

  xla::memory_space_assignment::Options options;
  options.default_memory_space = 0;
  options.alternate_memory_space = kAssignedSpace;
  options.max_size_in_bytes = assigned.limit;
  options.alignment_in_bytes = setting.alignment;
  options.buffer_interval_comparator = &comparator;
  options.prefetch_interval_picker = picker.get();
  options.cost_analysis = (*costs)->of_copies.get();
  options.size_fn = BytesOf;
  options.shape_size_fn = [](const xla::Shape& shape) { return xla::ShapeUtil::ByteSizeOf(shape, 8); };
  // As in XLA's own tests: parameters stay where they are, in that memory if the module says so.
  options.is_allowed_in_alternate_mem_fn = [&module](const xla::HloValue& value) {
    const xla::HloInstruction* instruction = value.instruction();
    if (instruction->parent() != module.entry_computation()) return true;
    return instruction->opcode() != xla::HloOpcode::kParameter || LiesThere(value.shape());
  };
  options.reserved_scoped_memory_fn = [&](const xla::HloInstruction* instruction, const auto&, const auto&) -> int64_t {
    if (setting.bytes != 0) {
      const int64_t stated = StatedScopedBytes(*instruction);
      if (stated > 0) assigned.asked[std::string(instruction->name())] = stated;
      return stated;
    }
    if (reserve == 0 || static_cast<int>(instruction->opcode()) % 3 != 0) return 0;
    switch (instruction->opcode()) {  // what only names memory runs nowhere, and is put elsewhere; what calls runs nothing itself
      case xla::HloOpcode::kBitcast:
      case xla::HloOpcode::kCall:
      case xla::HloOpcode::kConditional:
      case xla::HloOpcode::kWhile:
      case xla::HloOpcode::kConstant:
      case xla::HloOpcode::kGetTupleElement:
      case xla::HloOpcode::kParameter:
      case xla::HloOpcode::kTuple:
        return 0;
      default:
        break;
    }
    assigned.asked[std::string(instruction->name())] = reserve;
    return reserve;
  };
  options.max_outstanding_prefetches = options.max_outstanding_evictions = setting.outstanding;
  options.allocate_reserved_scoped_memory_at_same_offset = setting.one_offset;
  options.verify = setting.verify;
  auto places = xla::memory_space_assignment::MemorySpaceAssignment::Run(&module, ranges, *ready.aliases,
                                                                         &ready.alias_info, options);
  if (!places.ok()) return places.status();
  assigned.places = *std::move(places);
  return assigned;
}

// Its plan, of the module that it made, which the writer has as its second.
inline void WriteAssigned(const xla::HloModule& module, Assigned& assigned, const Setting& setting, PlanWriter& writer) {
  const int64_t used = assigned.places->assignment_information_for_space(kAssignedSpace)->size;
  PlanWriter::Head head;
  head.planner = "memory_space_assignment";
  head.reuses_operands = true;
  head.peak = used;
  writer.Plan(head, 1);
  writer.Memory(kAssignedSpace, assigned.limit, setting.alignment);
  writer.Allocation(used, kAssignedSpace, {});
  // XLA's order is that of a table of hashes.
  std::map<std::pair<absl::string_view, xla::ShapeIndex>, std::pair<xla::HloPosition, xla::HeapSimulator::Chunk>> chunks;
  for (const auto& [position, chunk] : assigned.places->chunks()) {
    chunks.insert({{position.instruction->name(), position.index}, {position, chunk}});
  }
  for (const auto& [name, placed] : chunks) writer.Value(placed.first, placed.second.offset, placed.second.size, 0, -1);
  std::map<absl::string_view, std::pair<const xla::HloInstruction*, xla::HeapSimulator::Chunk>> reserved;
  for (const auto& [instruction, chunk] : assigned.places->scoped_allocation_chunks()) {
    reserved.insert({instruction->name(), {instruction, chunk}});
  }
  for (const auto& [name, placed] : reserved) {
    const auto& [instruction, chunk] = placed;
    const auto asked = assigned.asked.extract(std::string(instruction->name()));
    writer.Scoped(instruction->name(), kAssignedSpace, chunk.offset, chunk.size, asked ? asked.mapped() : 0);
  }
  // What was asked for and not given.
  for (const xla::HloComputation* computation : module.computations()) {
    for (const xla::HloInstruction* instruction : computation->instructions()) {
      const auto asked = assigned.asked.extract(std::string(instruction->name()));
      if (asked) writer.Scoped(instruction->name(), kAssignedSpace, 0, 0, asked.mapped());
    }
  }
}

}  // namespace oomph::xla_hlo

#endif  // OOMPH_SUBJECTS_XLA_XLA_HLO_MSA_H_
