// Plans of XLA's heap simulator with each of its algorithms, and of its buffer assigner. Only for xla_hlo_plugin.cc.
// Not for modules that XLA's verifier refuses, nor for memory-space assignment (xla_hlo_msa.h).
#ifndef OOMPH_SUBJECTS_XLA_XLA_HLO_HEAPS_H_
#define OOMPH_SUBJECTS_XLA_XLA_HLO_HEAPS_H_

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "subjects/xla/xla_hlo_peak.h"
#include "subjects/xla/xla_hlo_plan_writer.h"
#include "xla/hlo/analysis/hlo_ordering.h"
#include "xla/hlo/utils/hlo_live_range.h"
#include "xla/service/buffer_assignment.h"
#include "xla/service/heap_simulator/heap_simulator.h"
#include "xla/service/logical_buffer.h"

namespace oomph::xla_hlo {

using ValueHeap = xla::HeapAlgorithm<xla::HloValue>;

// Several heaps that are told of the same values, so that the simulator runs once for all of them.
class SideBySide : public ValueHeap {
 public:
  SideBySide(std::vector<std::unique_ptr<ValueHeap>> heaps, std::vector<absl::StatusOr<Result>>& results)
      : heaps_(std::move(heaps)), results_(results) {}
  void Alloc(const xla::HloValue* value, int64_t size) override {
    for (auto& heap : heaps_) heap->Alloc(value, size);
  }
  void ShareWith(const xla::HloValue* value, const xla::HloValue* with, int64_t size) override {
    for (auto& heap : heaps_) heap->ShareWith(value, with, size);
  }
  void Free(const xla::HloValue* value, int64_t size) override {
    for (auto& heap : heaps_) heap->Free(value, size);
  }
  absl::StatusOr<Result> Finish() override {
    for (auto& heap : heaps_) results_.push_back(heap->Finish());
    return Result();
  }

 private:
  std::vector<std::unique_ptr<ValueHeap>> heaps_;
  std::vector<absl::StatusOr<Result>>& results_;
};

// The values in an order that no table of hashes decides.
template <typename Map>
std::vector<std::pair<const xla::HloValue*, typename Map::mapped_type>> Sorted(const Map& map) {
  std::vector<std::pair<const xla::HloValue*, typename Map::mapped_type>> sorted(map.begin(), map.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first->id() < b.first->id(); });
  return sorted;
}

// XLA's live ranges have their last step in them; those that outlast the module end one step behind it.
inline void WriteValue(const xla::HloValue& value, int64_t offset, int64_t bytes, const xla::HloLiveRange& ranges,
                       PlanWriter& writer) {
  const auto range = ranges.buffer_live_ranges().find(&value);
  if (range == ranges.buffer_live_ranges().end()) return writer.Value(value.defining_position(), offset, bytes, 0, -1);
  const int64_t begin = range->second.start, end = std::min(range->second.end + 1, ranges.schedule_end_time());
  writer.Value(value.defining_position(), offset, bytes, begin, std::max(begin, end));
}

// With the simulator's default options, but that constants have places, too. The bound is told where it is asked for: it is
// above what is needed in every module that changes a value in place (corpus/trophies), which would hide all else.
inline absl::Status WriteHeaps(const xla::HloModule& module, const Ready& ready, const xla::HloLiveRange& ranges,
                               int64_t alignment, int64_t limit, bool tell_minimum, PlanWriter& writer) {
  using Global = xla::GlobalDecreasingSizeBestFitHeap<xla::HloValue>;
  const auto global = [&](Global::Type type) { return std::make_unique<Global>(alignment, type); };
  auto both = std::make_unique<std::vector<std::unique_ptr<ValueHeap>>>();
  both->push_back(global(Global::kSpatial));
  both->push_back(global(Global::kTemporal));
  std::vector<std::unique_ptr<ValueHeap>> heaps;
  heaps.push_back(global(Global::kSpatial));
  heaps.push_back(global(Global::kTemporal));
  heaps.push_back(std::make_unique<xla::ConstrainedGlobalDecreasingSizeBestFitHeap>(limit, alignment));
  heaps.push_back(std::make_unique<xla::ChooseBestHeapAlgorithm<xla::HloValue>>(std::move(both)));
  constexpr absl::string_view kNames[] = {"heap_spatial", "heap_temporal", "heap_constrained", "heap_best"};

  std::vector<absl::StatusOr<ValueHeap::Result>> results;
  xla::HeapSimulator::Options options;
  options.alloc_constants = true;
  const auto simulated =
      xla::HeapSimulator::Run(std::make_unique<SideBySide>(std::move(heaps), results), module, module.schedule(),
                              *ready.aliases, &ready.alias_info, &ready.bytes, options);
  if (!simulated.ok()) return simulated.status();
  // Of a heap without fragmentation, which the simulator keeps beside ours.
  const int64_t minimum = simulated->heap_size - simulated->fragmentation_size;
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i].ok()) return results[i].status();
    PlanWriter::Head head;
    head.planner = kNames[i];
    head.reuses_operands = head.complete = true;
    head.peak = results[i]->heap_size;
    if (tell_minimum) head.minimum = minimum;
    writer.Plan(head, 0);
    writer.Memory(0, std::nullopt, alignment);
    writer.Steps(ranges.flattened_instruction_sequence().instructions());
    for (const auto& heap : results[i]->heap_results) {
      writer.Allocation(heap.heap_size, 0, {});
      for (const auto& [value, chunk] : Sorted(heap.chunk_map)) {
        WriteValue(*value, chunk.offset, chunk.size, ranges, writer);
      }
    }
  }
  return absl::OkStatus();
}

// As XLA's CPU compiler calls it, with constants.
inline absl::Status WriteBufferAssignment(const xla::HloModule& module, const Ready& ready, int64_t alignment,
                                          PlanWriter& writer) {
  xla::BufferAssigner::Options options;
  options.allocate_buffers_for_constants = true;
  const auto run = xla::BufferAssigner::Run(
      &module, std::make_unique<xla::SequentialHloOrdering>(module.schedule()), BytesOf, &ready.alias_info,
      [alignment](xla::LogicalBuffer::Color) { return alignment; }, std::move(options));
  if (!run.ok()) return run.status();
  const xla::BufferAssignment& assignment = **run;
  PlanWriter::Head head;
  head.planner = "buffer_assignment";
  head.reuses_operands = head.complete = true;
  head.peak = assignment.GetStats().total_allocation_bytes;
  writer.Plan(head, 0);
  std::vector<int64_t> spaces;
  for (const xla::BufferAllocation& allocation : assignment.Allocations()) spaces.push_back(allocation.color());
  std::sort(spaces.begin(), spaces.end());
  spaces.erase(std::unique(spaces.begin(), spaces.end()), spaces.end());
  for (const int64_t space : spaces) writer.Memory(space, std::nullopt, alignment);
  const xla::HloLiveRange& ranges = assignment.hlo_live_range();
  writer.Steps(ranges.flattened_instruction_sequence().instructions());
  for (const xla::BufferAllocation& allocation : assignment.Allocations()) {
    PlanWriter::Kind kind;
    if (allocation.is_entry_computation_parameter()) {
      kind.parameter = allocation.parameter_number();
      kind.parameter_index = &allocation.param_shape_index();
    }
    kind.constant = allocation.is_constant();
    kind.output = allocation.maybe_live_out();
    kind.thread_local_ = allocation.is_thread_local();
    writer.Allocation(allocation.size(), allocation.color(), kind);
    for (const auto& [value, place] : Sorted(allocation.assigned_buffers())) {
      WriteValue(*value, place.offset, place.size, ranges, writer);
    }
  }
  return absl::OkStatus();
}

}  // namespace oomph::xla_hlo

#endif  // OOMPH_SUBJECTS_XLA_XLA_HLO_HEAPS_H_
