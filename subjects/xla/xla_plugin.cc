// XLA's own heap as a planner: GlobalDecreasingSizeBestFitHeap of the tensorflow-cpu wheel, given live ranges as they
// are. Options: order=spatial | temporal, and heap=constrained, which is ConstrainedGlobalDecreasingSizeBestFitHeap
// with the capacity as the size limit of a heap. Not for: XLA's other planners, nor any host but a child of ours.
//
// What XLA counts otherwise: ends are inclusive, sizes and offsets have a sign, one alignment holds for all
// buffers. Buffers that occupy nothing never reach it and lie at 0, as its header says of sizes of 0.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "subjects/abi/planner.h"
#include "subjects/xla/variants.h"
#include "xla/hlo/ir/hlo_instruction.h"
#include "xla/service/heap_simulator/allocation_block.h"
#include "xla/service/heap_simulator/heap_simulator.h"
#include "xla/shape_util.h"

namespace {

using BlockHeap = xla::GlobalDecreasingSizeBestFitHeap<xla::AllocationBlock>;
using ValueHeap = xla::ConstrainedGlobalDecreasingSizeBestFitHeap;

// Sums of what is below it do not leave 64 bits with a sign.
constexpr int64_t kMost = int64_t{1} << 61;

struct Options {
  bool temporal = false, constrained = false;
};

bool ParseOptions(std::string_view text, Options& options) {
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (word == "order=temporal") {
      options.temporal = true;
    } else if (word == "heap=constrained") {
      options.constrained = true;
    } else if (word != "order=spatial") {
      return false;
    }
  }
  return true;
}

// One buffer, or the buffers of a group; the first of them is the one that XLA sorts by.
struct Unit {
  std::vector<size_t> members;
};

bool OccupiesNothing(const oomph_buffer& buffer) { return buffer.size == 0 || buffer.end <= buffer.start; }

std::vector<Unit> UnitsOf(const oomph_problem& problem) {
  std::vector<Unit> units;
  std::map<uint32_t, size_t> unit_of_group;
  for (size_t i = 0; i < problem.num_buffers; ++i) {
    const oomph_buffer& buffer = problem.buffers[i];
    if (OccupiesNothing(buffer)) continue;
    const auto [at, is_new] = buffer.group == 0 ? std::pair(unit_of_group.end(), true)
                                                : unit_of_group.emplace(buffer.group, units.size());
    if (is_new) units.emplace_back();
    units[buffer.group == 0 ? units.size() - 1 : at->second].members.push_back(i);
  }
  return units;
}

// Why XLA cannot be given this; empty: it can.
std::string WhyNot(const oomph_problem& problem) {
  uint64_t total = 0;
  for (size_t i = 0; i < problem.num_buffers; ++i) {
    const oomph_buffer& buffer = problem.buffers[i];
    if ((buffer.has & OOMPH_BUFFER_HAS_FIXED) != 0) return "fixed offsets";
    if (buffer.space != problem.buffers[0].space) return "several memory spaces";
    if (buffer.num_gaps != 0) return "gaps";
    if (buffer.num_slices != 0) return "slices";
    if (buffer.alignment != problem.buffers[0].alignment) return "several alignments";
    if (buffer.start < -kMost || buffer.start > kMost || buffer.end < -kMost || buffer.end > kMost) {
      return "times beyond 2^61";
    }
    if (buffer.size >= kMost || buffer.alignment >= kMost) return "sizes beyond 2^61";
    total += std::max(buffer.size, buffer.alignment);
    if (total >= kMost) return "sizes that add up to more than 2^61";
  }
  return "";
}

// Gives a heap its live ranges as they are, instead of by calls in the order of time.
template <typename Heap, typename Value>
class Placer : public Heap {
 public:
  using Heap::Heap;
  void Add(const Value* value, const oomph_buffer& buffer, const Value* first) {
    auto& interval = this->buffer_intervals_[value];
    interval.buffer = value;
    interval.size = static_cast<int64_t>(buffer.size);
    interval.start = buffer.start;
    interval.end = buffer.end - 1;
    interval.need_allocation = value == first;
    if (value != first) this->buffer_intervals_[first].colocations.push_back(value);
  }
};

struct Answer {
  bool placed = false;  // in one heap
  size_t heaps = 0;
  int64_t bytes = 0;
  std::vector<std::pair<size_t, int64_t>> offsets;
};

template <typename Heap, typename Value>
Answer Place(Placer<Heap, Value>& placer, const std::vector<std::unique_ptr<Value>>& values,
             const oomph_problem& problem) {
  for (const Unit& unit : UnitsOf(problem)) {
    for (const size_t member : unit.members) {
      placer.Add(values[member].get(), problem.buffers[member], values[unit.members.front()].get());
    }
  }
  Answer answer;
  const auto result = placer.Finish();
  if (!result.ok()) return answer;
  answer.heaps = result->heap_results.size();
  answer.bytes = result->heap_size;
  answer.placed = answer.heaps <= 1;
  if (!answer.placed || answer.heaps == 0) return answer;
  const auto& chunks = result->heap_results.front().chunk_map;
  for (size_t i = 0; i < problem.num_buffers; ++i) {
    const auto chunk = chunks.find(values[i].get());
    if (chunk != chunks.end()) answer.offsets.emplace_back(i, chunk->second.offset);
  }
  return answer;
}

int64_t AlignmentOf(const oomph_problem& problem) {
  return problem.num_buffers == 0 ? 1 : static_cast<int64_t>(problem.buffers[0].alignment);
}

Answer PlaceBlocks(const oomph_problem& problem, const Options& options) {
  std::vector<std::unique_ptr<xla::AllocationBlock>> blocks(problem.num_buffers);
  for (size_t i = 0; i < problem.num_buffers; ++i) {
    const oomph_buffer& buffer = problem.buffers[i];
    if (OccupiesNothing(buffer)) continue;
    blocks[i] = std::make_unique<xla::AllocationBlock>(
        xla::AllocationBlock{buffer.start, buffer.end - 1, static_cast<int64_t>(buffer.size), -1, -1,
                             static_cast<int64_t>(i), nullptr});
  }
  Placer<BlockHeap, xla::AllocationBlock> placer(AlignmentOf(problem),
                                                 options.temporal ? BlockHeap::kTemporal : BlockHeap::kSpatial);
  return Place(placer, blocks, problem);
}

// The constrained heap knows HloValues only; of those it looks at the number.
Answer PlaceValues(const oomph_problem& problem, const Options& options) {
  const auto instruction =
      xla::HloInstruction::CreateParameter(0, xla::ShapeUtil::MakeShape(xla::F32, {}), "buffer");
  std::vector<std::unique_ptr<xla::HloValue>> values(problem.num_buffers);
  for (size_t i = 0; i < problem.num_buffers; ++i) {
    if (OccupiesNothing(problem.buffers[i])) continue;
    values[i] = std::make_unique<xla::HloValue>(static_cast<int64_t>(i), instruction.get(), xla::ShapeIndex{});
  }
  Placer<ValueHeap, xla::HloValue> placer(problem.has_capacity ? problem.capacity : uint64_t{INT64_MAX},
                                          AlignmentOf(problem),
                                          options.temporal ? ValueHeap::kTemporal : ValueHeap::kSpatial);
  return Place(placer, values, problem);
}

void Fill(const oomph_problem& problem, const Answer& answer, oomph_plan& plan) {
  // XLA gives what occupies nothing the offset 0; where it belongs to a group, that of the group.
  std::map<uint32_t, uint64_t> offset_of_group;
  for (const auto& [index, offset] : answer.offsets) {
    plan.offsets[index] = static_cast<uint64_t>(offset);
    offset_of_group[problem.buffers[index].group] = plan.offsets[index];
  }
  for (size_t i = 0; i < problem.num_buffers; ++i) {
    const oomph_buffer& buffer = problem.buffers[i];
    if (!OccupiesNothing(buffer)) continue;
    const auto group = offset_of_group.find(buffer.group);
    plan.offsets[i] = buffer.group == 0 || group == offset_of_group.end() ? 0 : group->second;
  }
  plan.peak = static_cast<uint64_t>(answer.bytes);
  plan.valid = OOMPH_PLAN_HAS_OFFSETS | OOMPH_PLAN_HAS_PEAK;
}

constexpr oomph_planner_promise kPromises[] = {
    {"offsets", "heap_simulator.h, HeapResult: chunk_map is the assignment of buffers to chunks"},
    {"peak", "heap_simulator.h, HeapResult: heap_size is the size of the heap that contains all assigned chunks"},
    {"determinism", "allocation_block.h: the id is unique and there for ties, so that the order is deterministic"},
};
constexpr const char* kFeatures[] = {"capacity", "minimize", "align", "odd_align", "groups", "over_8_buffers", "hint"};
using oomph::xla_heap::kVariants;

}  // namespace

extern "C" int oomph_planner_query(oomph_planner_info* info) {
  info->abi = OOMPH_PLANNER_ABI_VERSION;
  info->struct_bytes = sizeof *info;
  info->name = "xla::GlobalDecreasingSizeBestFitHeap";
  info->version = OOMPH_XLA_VERSION;
  info->features = kFeatures;
  info->num_features = std::size(kFeatures);
  info->promises = kPromises;
  info->num_promises = std::size(kPromises);
  info->variants = kVariants;
  info->num_variants = std::size(kVariants);
  return 0;
}

extern "C" int oomph_planner_plan(const oomph_problem* problem, oomph_plan* plan) {
  Options options;
  std::string why = ParseOptions(problem->options, options) ? WhyNot(*problem) : "these options";
  if (!why.empty()) {
    std::snprintf(plan->note, sizeof plan->note, "XLA's heap does not take %s", why.c_str());
    return OOMPH_PLAN_INVALID;
  }
  const Answer answer = options.constrained ? PlaceValues(*problem, options) : PlaceBlocks(*problem, options);
  const bool fits = !problem->has_capacity || static_cast<uint64_t>(answer.bytes) <= problem->capacity;
  if (answer.placed && fits) {
    Fill(*problem, answer, *plan);
    return OOMPH_PLAN_FEASIBLE;
  }
  std::snprintf(plan->note, sizeof plan->note, "heaps %zu, bytes %lld", answer.heaps,
                static_cast<long long>(answer.bytes));
  return OOMPH_PLAN_NOT_FOUND;
}
