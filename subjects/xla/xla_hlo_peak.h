// The bytes that XLA's heap simulator has live at the peak of a module. Only for xla_hlo_plugin.cc.
// Not for modules that XLA's verifier refuses: on those the analyses abort.
#ifndef OOMPH_SUBJECTS_XLA_XLA_HLO_PEAK_H_
#define OOMPH_SUBJECTS_XLA_XLA_HLO_PEAK_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "xla/hlo/analysis/alias_info.h"
#include "xla/hlo/analysis/hlo_alias_analysis.h"
#include "xla/hlo/ir/hlo_instructions.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_schedule.h"
#include "xla/hlo/transforms/simplifiers/flatten_call_graph.h"
#include "xla/service/buffer_value.h"
#include "xla/service/heap_simulator/heap_simulator.h"
#include "xla/shape_util.h"

namespace oomph::xla_hlo {

// A heap without fragmentation in which values that share memory count once. XLA's own NoFragmentationStatsHeap adds
// a value that is changed in place to what it was, at the step where one becomes the other.
class SharingHeap : public xla::HeapAlgorithm<xla::HloValue> {
 public:
  void Alloc(const xla::HloValue* value, int64_t size) override {
    memory_of_[value] = memories_.size();
    memories_.push_back({size, 0});
    Use(memories_.size() - 1);
  }
  void ShareWith(const xla::HloValue* value, const xla::HloValue* with, int64_t) override {
    const size_t memory = memory_of_.at(with);
    memory_of_[value] = memory;
    Use(memory);
  }
  void Free(const xla::HloValue* value, int64_t) override {
    Memory& memory = memories_[memory_of_.at(value)];
    if (--memory.values == 0) live_ -= memory.size;
  }
  absl::StatusOr<Result> Finish() override {
    Result result;
    result.heap_size = peak_;
    return result;
  }

 private:
  struct Memory {
    int64_t size;
    int64_t values;  // that live in it now
  };
  void Use(size_t memory) {
    if (memories_[memory].values++ == 0) live_ += memories_[memory].size;
    peak_ = std::max(peak_, live_);
  }

  absl::flat_hash_map<const xla::HloValue*, size_t> memory_of_;
  std::vector<Memory> memories_;
  int64_t live_ = 0, peak_ = 0;
};

// Of two or more arrays XLA's analysis lets the first stand where the table of pointers to all of them is, and the
// others nowhere.
inline bool PermutesSeveral(const xla::HloModule& module) {
  for (const xla::HloComputation* computation : module.computations()) {
    for (const xla::HloInstruction* instruction : computation->instructions()) {
      if (instruction->opcode() != xla::HloOpcode::kCollectivePermuteStart) continue;
      if (instruction->operand_count() > 1 && instruction->operand_count() != 4) return true;
    }
  }
  return false;
}

// The order of the text for every computation that has none.
inline absl::Status ScheduleAsWritten(xla::HloModule& module) {
  xla::HloSchedule schedule(&module);
  if (module.has_schedule()) schedule = module.schedule();
  for (xla::HloComputation* computation : module.computations()) {
    if (computation->IsFusionComputation() || schedule.is_computation_scheduled(computation)) continue;
    std::vector<xla::HloInstruction*> order;
    for (xla::HloInstruction* instruction : computation->instructions()) order.push_back(instruction);
    schedule.set_sequence(computation, xla::HloInstructionSequence(order));
  }
  return module.set_schedule(std::move(schedule));
}

inline int64_t BytesOf(const xla::BufferValue& value) {
  return xla::ShapeUtil::ByteSizeOf(value.shape(), /*pointer_size=*/8);
}

// A module as XLA's pipelines have it before they look at memory: each place that calls a computation has its own (not
// flattened, one that is called twice would count once), and all are in an order. With what all planners ask of it.
struct Ready {
  xla::AliasInfo alias_info;
  std::unique_ptr<xla::HloAliasAnalysis> aliases;
  xla::BufferValue::SizeFunction bytes = BytesOf;
};

// Changes the module.
inline absl::StatusOr<std::unique_ptr<Ready>> MakeReady(xla::HloModule& module) {
  if (PermutesSeveral(module)) {
    return absl::UnimplementedError("no peak: collective-permute-start of several arrays, which XLA takes for one");
  }
  if (const absl::Status status = xla::FlattenCallGraph().Run(&module).status(); !status.ok()) return status;
  if (const absl::Status status = ScheduleAsWritten(module); !status.ok()) return status;
  auto ready = std::make_unique<Ready>();
  auto aliases = xla::HloAliasAnalysis::Run(&module, &ready->alias_info);
  if (!aliases.ok()) return aliases.status();
  ready->aliases = *std::move(aliases);
  return ready;
}

inline absl::StatusOr<int64_t> PeakOf(const xla::HloModule& module, const Ready& ready) {
  xla::HeapSimulator::Options options;
  options.may_reuse_operand_buffers = false;
  options.alloc_constants = true;
  const auto result = xla::HeapSimulator::Run(std::make_unique<SharingHeap>(), module, module.schedule(), *ready.aliases,
                                              &ready.alias_info, &ready.bytes, options);
  if (!result.ok()) return result.status();
  return result->heap_size;
}

}  // namespace oomph::xla_hlo

#endif  // OOMPH_SUBJECTS_XLA_XLA_HLO_PEAK_H_
