// See program_memory.h.
#include "models/hlo/program_memory.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "models/base/units.h"
#include "models/hlo/bytes.h"
#include "models/hlo/liveness.h"
#include "models/hlo/tpu_bytes.h"
#include "models/placement/planner.h"

namespace oomph::hlo {
namespace {

constexpr uint64_t kAlignment = 16 * kKiB;               // of all that shares the allocation of temporaries
constexpr uint64_t kSmall = kMiB;                        // what is not larger goes to VMEM
constexpr uint64_t kTablesOfSlice = 2;                   // on average; measured
constexpr size_t kMostResults = 1000, kMostHeld = 1000;  // bounds of the time
constexpr uint64_t kProgramOfCore = kMiB;
constexpr uint64_t kProgramMore = 2 * kKiB;
// What the compiler adds to a scheduled module: tables and small copies of asynchronous operations.
constexpr uint64_t kAdded = 16 * kMiB;
// An unscheduled module's values may be there in several layouts, and operations that it expands have values of their own.
constexpr uint64_t kWorstCopies = 16;
constexpr uint64_t kWorstOfValue = 64 * kKiB;

uint64_t Rounded(uint64_t bytes) { return CheckedRoundUp(bytes, kAlignment).value_or(kMaxBytes); }

bool IsTable(const Module& module, const Liveness& liveness, const LiveBuffer& buffer) {
  return module.shapes[liveness.aliases.values[buffer.value].shape].type == Type::kTuple;
}

// XLA's heap counts time by the events of its simulation: at each step first what begins, then what ends.
placement::Problem HeapOf(const std::vector<const LiveBuffer*>& buffers) {
  std::map<uint32_t, std::pair<std::vector<size_t>, std::vector<size_t>>> events;  // by step: begin, end
  for (size_t i = 0; i < buffers.size(); ++i) {
    events[buffers[i]->ranges.front().begin].first.push_back(i);
    events[buffers[i]->ranges.back().end - 1].second.push_back(i);
  }
  placement::Problem problem;
  problem.buffers.resize(buffers.size());
  int64_t now = 0;
  for (const auto& [step, at] : events) {
    for (const size_t i : at.first) problem.buffers[i].start = now++;
    for (const size_t i : at.second) problem.buffers[i].end = ++now;
  }
  for (size_t i = 0; i < buffers.size(); ++i) {
    problem.buffers[i].size = buffers[i]->bytes;
    problem.buffers[i].alignment = kAlignment;
  }
  return problem;
}

// Best fit in the order in which the buffers begin: the compiler's other way, which leaves the results' allocations alone.
uint64_t PeakByStart(const placement::Problem& problem) {
  struct Placed {
    int64_t end;
    uint64_t lower, upper;
  };
  std::vector<const placement::Buffer*> order;
  for (const placement::Buffer& buffer : problem.buffers) order.push_back(&buffer);
  std::sort(order.begin(), order.end(), [](const auto* a, const auto* b) { return a->start < b->start; });
  std::vector<Placed> live;  // by address
  uint64_t peak = 0;
  for (const placement::Buffer* buffer : order) {
    std::erase_if(live, [&](const Placed& each) { return each.end <= buffer->start; });
    uint64_t top = 0, best = kMaxBytes, offset = 0;
    for (const Placed& each : live) {
      const uint64_t hole = SaturatingSub(each.lower, top);
      if (hole >= buffer->size && hole < best) best = hole, offset = top;
      top = std::max(top, Rounded(each.upper));
    }
    if (best == kMaxBytes) offset = top;
    const uint64_t upper = SaturatingAdd(offset, buffer->size);
    peak = std::max(peak, upper);
    const auto at = std::lower_bound(live.begin(), live.end(), offset,
                                     [](const Placed& each, uint64_t value) { return each.lower < value; });
    live.insert(at, {buffer->end, offset, upper});
  }
  return peak;
}

uint64_t PlacedBytes(const std::vector<const LiveBuffer*>& buffers) {
  if (buffers.empty()) return 0;
  const placement::Problem problem = HeapOf(buffers);
  uint64_t best = kMaxBytes;
  for (const placement::Planner planner : {placement::Planner::kDecreasingSize, placement::Planner::kTemporal}) {
    placement::Plan plan;
    placement::RunModel(problem, {planner}, plan);
    if (plan.peak) best = std::min(best, *plan.peak);
  }
  return best;
}

bool Meet(const LiveBuffer& a, const LiveBuffer& b) {
  for (const StepRange& x : a.ranges) {
    for (const StepRange& y : b.ranges) {
      if (x.begin < y.end && y.begin < x.end) return true;
    }
  }
  return false;
}

// XLA gives buffers their allocations from the largest to the smallest. What is no result goes into the smallest allocation
// of a result that is there already and that it does not meet; only what finds none is left for the heap.
void FillResults(std::vector<const LiveBuffer*> results, std::vector<const LiveBuffer*>& temporaries) {
  const auto larger = [](const LiveBuffer* a, const LiveBuffer* b) {
    return a->bytes != b->bytes ? a->bytes > b->bytes : a->value < b->value;
  };
  std::sort(results.begin(), results.end(), larger);
  if (results.size() > kMostResults) results.resize(kMostResults);
  std::vector<std::vector<const LiveBuffer*>> held;
  for (const LiveBuffer* result : results) held.push_back({result});
  std::vector<const LiveBuffer*> order = temporaries;
  std::sort(order.begin(), order.end(), larger);
  std::set<const LiveBuffer*> placed;
  for (const LiveBuffer* buffer : order) {
    for (size_t i = held.size(); i > 0; --i) {
      auto& holders = held[i - 1];
      if (holders.front()->bytes < buffer->bytes || holders.size() > kMostHeld) continue;
      if (std::any_of(holders.begin(), holders.end(), [&](const LiveBuffer* each) { return Meet(*each, *buffer); }))
        continue;
      holders.push_back(buffer);
      placed.insert(buffer);
      break;
    }
  }
  std::erase_if(temporaries, [&](const LiveBuffer* each) { return placed.contains(each); });
}

// The most bytes of the buffers that are live at once.
uint64_t MostLive(const std::vector<const LiveBuffer*>& buffers) {
  std::map<uint32_t, std::pair<uint64_t, uint64_t>> steps;  // bytes that begin, that end
  for (const LiveBuffer* buffer : buffers) {
    for (const StepRange& range : buffer->ranges) {
      steps[range.begin].first = SaturatingAdd(steps[range.begin].first, buffer->bytes);
      steps[range.end].second = SaturatingAdd(steps[range.end].second, buffer->bytes);
    }
  }
  uint64_t live = 0, most = 0;
  for (const auto& [step, bytes] : steps) {
    live = SaturatingAdd(SaturatingSub(live, bytes.second), bytes.first);
    most = std::max(most, live);
  }
  return most;
}

absl::StatusOr<Liveness> Count(const Module& module, InPlace in_place, bool reuse) {
  LivenessOptions options;
  options.in_place = in_place;
  options.reuse_operands = reuse;
  options.array_bytes = TpuArrayBytes;
  options.pointer_bytes = 0;
  return LivenessOf(module, options);
}

// Small slices of large values: the compiler lets most of them run beside other instructions.
uint64_t SlicesToVmem(const Module& module) {
  uint64_t slices = 0;
  for (const Computation& computation : module.computations) {
    for (const Instruction& instruction : computation.instructions) {
      if (instruction.opcode != Opcode::kSlice || instruction.operands.count == 0) continue;
      const Instruction& from = computation.instructions[module.Operands(instruction)[0]];
      slices += TpuArrayBytes(module.shapes, from.shape) > kSmall &&
                TpuArrayBytes(module.shapes, instruction.shape) <= kSmall;
    }
  }
  return slices;
}

// The modules that the compiler takes as they stand.
absl::Status OfScheduled(const Module& module, const Chip& chip, const ProgramMemoryOptions& options,
                         ProgramMemory& memory) {
  const absl::StatusOr<Liveness> shared = Count(module, InPlace::kAlways, true);
  if (!shared.ok()) return shared.status();
  std::vector<const LiveBuffer*> temporaries, results;
  for (const LiveBuffer& buffer : shared->buffers) {
    if (buffer.space != 0 || buffer.ranges.empty()) continue;
    if (IsTable(shared->Counted(module), *shared, buffer)) {
      const uint64_t bytes = TpuTableBytes(
          shared->Counted(module).shapes[shared->aliases.values[buffer.value].shape].count, TableGranule(chip));
      uint64_t& sum = buffer.parameter ? memory.arguments : buffer.output ? memory.results : memory.tables;
      sum = SaturatingAdd(sum, &sum == &memory.tables ? Rounded(bytes) : bytes);
    } else if (buffer.bytes > 0) {
      if (buffer.parameter)
        memory.arguments = SaturatingAdd(memory.arguments, buffer.bytes);
      else if (buffer.output)
        memory.results = SaturatingAdd(memory.results, buffer.bytes), results.push_back(&buffer);
      else if (buffer.constant)
        memory.constants = SaturatingAdd(memory.constants, buffer.bytes);
      else if (buffer.bytes > (options.assigns_vmem ? kSmall : 0))
        temporaries.push_back(&buffer);
    }
  }
  if (options.assigns_vmem)
    memory.tables = SaturatingAdd(memory.tables, SlicesToVmem(shared->Counted(module)) * kTablesOfSlice * kAlignment);
  const std::vector<const LiveBuffer*> all = temporaries;
  FillResults(results, temporaries);
  memory.temporaries = std::min(PlacedBytes(temporaries), PeakByStart(HeapOf(all)));
  const uint64_t apart = SaturatingAdd(memory.arguments, memory.results);
  memory.total =
      SaturatingAdd(SaturatingAdd(apart, memory.constants), SaturatingAdd(memory.tables, memory.temporaries));
  // Values may go to VMEM instead, and what the last table is rounded up by is not there.
  std::vector<const LiveBuffer*> live = all;
  live.insert(live.end(), results.begin(), results.end());
  memory.lower =
      SaturatingAdd(memory.arguments, std::max(memory.results, SaturatingSub(MostLive(live), chip.vmem.bytes.value)));

  const absl::StatusOr<Liveness> alone = Count(module, InPlace::kWhereDying, false);
  if (!alone.ok()) return alone.status();
  memory.upper = kAdded;
  for (const Value& value : alone->aliases.values) {
    const ShapeTable& shapes = alone->Counted(module).shapes;
    memory.upper =
        SaturatingAdd(memory.upper, Rounded(TpuBytes(shapes, value.shape, TableGranule(chip)).value_or(kMaxBytes)));
  }
  memory.upper = std::max(memory.upper, *memory.total);
  return absl::OkStatus();
}

// --- other modules ---

// Of each shape the bytes of all arrays in it by the rule, and its tables.
template <typename Rule>
std::vector<uint64_t> TreeSums(const ShapeTable& shapes, const Rule& rule) {
  std::vector<uint64_t> sums(shapes.size());
  for (ShapeId id = 0; id < shapes.size(); ++id) {
    if (shapes[id].type != Type::kTuple) {
      sums[id] = rule(shapes, id);
      continue;
    }
    sums[id] = SaturatingMul(shapes[id].count, 4);  // its table
    for (const ShapeId element : shapes.Elements(id))
      sums[id] = SaturatingAdd(sums[id], sums[element]);  // has a smaller id
  }
  return sums;
}

// Whatever two dimensions come last, and with the widest element that it may be computed in.
uint64_t WorstBytes(const ShapeTable& shapes, ShapeId shape) {
  if (!IsArrayType(shapes[shape].type)) return 0;
  constexpr uint64_t kWidest = 16;
  uint64_t elements = 1, smallest = kMaxBytes, second = kMaxBytes;
  for (const Dimension& dimension : shapes.Dimensions(shape)) {
    const uint64_t size = static_cast<uint64_t>(std::max<int64_t>(dimension.size, 0));
    elements = SaturatingMul(elements, size);
    if (size < smallest)
      second = std::exchange(smallest, size);
    else
      second = std::min(second, size);
  }
  if (elements == 0) return kWorstOfValue;
  const auto blown = [&elements](uint64_t size, uint64_t tile) {
    if (size == kMaxBytes) return;  // no such dimension
    elements = SaturatingMul(CeilDiv(elements, size), CheckedRoundUp(size, tile).value_or(kMaxBytes));
  };
  blown(smallest, 128);
  blown(second, 128);
  return SaturatingAdd(SaturatingMul(elements, kWidest), kWorstOfValue);
}

// Numbers of fewer bits than 8 may be packed; predicates are not.
uint64_t Unpadded(const ShapeTable& shapes, ShapeId shape) {
  if (!IsArrayType(shapes[shape].type)) return 0;
  const uint64_t bytes = UnpaddedBytes(shapes, shape).value_or(kMaxBytes);
  const uint8_t bits = RowOf(shapes[shape].type).bits;
  return bits >= 8 || shapes[shape].type == Type::kPred ? bytes : bytes / 8 * bits;
}

// The results that an alias in the header gives the memory of a parameter, or may give.
bool HasAliases(const Module& module) { return module.Find(module.attributes, Key::kInputOutputAlias).has_value(); }

absl::Status OfOther(const Module& module, ProgramMemory& memory) {
  const ShapeTable& shapes = module.shapes;
  const std::vector<uint64_t> plain = TreeSums(shapes, Unpadded), worst = TreeSums(shapes, WorstBytes);
  const Computation& entry = module.computations[module.entry];
  for (const Instruction& instruction : entry.instructions) {
    if (instruction.opcode == Opcode::kParameter) memory.lower = SaturatingAdd(memory.lower, plain[instruction.shape]);
  }
  uint64_t results = plain[entry.instructions[entry.root].shape];
  if (HasAliases(module)) results = 0;
  memory.lower = SaturatingAdd(memory.lower, results);
  for (const Computation& computation : module.computations) {
    for (const Instruction& instruction : computation.instructions) {
      memory.upper = SaturatingAdd(memory.upper, SaturatingMul(worst[instruction.shape], kWorstCopies));
    }
  }
  memory.upper = std::max(SaturatingAdd(memory.upper, kAdded), memory.lower);
  return absl::OkStatus();
}

// Whether all arrays of the shapes have tiles.
bool AllTiled(const ShapeTable& shapes, std::vector<ShapeId> pending) {
  std::set<ShapeId> seen;
  while (!pending.empty()) {
    const ShapeId shape = pending.back();
    pending.pop_back();
    if (!seen.insert(shape).second) continue;
    const Layout* layout = shapes.LayoutOf(shape);
    if (IsArrayType(shapes[shape].type) && (layout == nullptr || layout->tiles.empty())) return false;
    pending.insert(pending.end(), shapes.Elements(shape).begin(), shapes.Elements(shape).end());
  }
  return true;
}

// What nobody reads goes, in a scheduled module too. Only the root and parameters are needed for themselves.
bool AllNeeded(const Module& module, const Computation& computation) {
  std::vector<bool> read(computation.instructions.size(), false);
  read[computation.root] = true;
  for (const Instruction& instruction : computation.instructions) {
    for (const uint32_t operand : module.Operands(instruction)) read[operand] = true;
  }
  for (size_t i = 0; i < read.size(); ++i) {
    if (!read[i] && computation.instructions[i].opcode != Opcode::kParameter) return false;
  }
  return true;
}

// Otherwise the compiler chooses layouts of its own, and with them copies.
bool IsTakenAsItStands(const Module& module) {
  if (!IsScheduled(module)) return false;
  std::vector<ShapeId> shapes;
  const Computation& entry = module.computations[module.entry];
  for (const Instruction& instruction : entry.instructions) {
    if (instruction.opcode == Opcode::kParameter) shapes.push_back(instruction.shape);
  }
  shapes.push_back(entry.instructions[entry.root].shape);
  return AllTiled(module.shapes, shapes) &&
         std::all_of(module.computations.begin(), module.computations.end(),
                     [&](const Computation& each) { return AllNeeded(module, each); });
}

MemoryVerdict VerdictOf(const ProgramMemory& memory) {
  const auto above = [&](uint64_t sum) {
    return SaturatingAdd(sum, memory.program) > SaturatingAdd(memory.available, kMemoryZone);
  };
  const auto below = [&](uint64_t sum) {
    return SaturatingAdd(SaturatingAdd(sum, memory.program), kMemoryZone) < memory.available;
  };
  if (memory.total)
    return above(*memory.total)   ? MemoryVerdict::kRefuse
           : below(*memory.total) ? MemoryVerdict::kAccept
                                  : MemoryVerdict::kZone;
  return above(memory.lower)   ? MemoryVerdict::kRefuse
         : below(memory.upper) ? MemoryVerdict::kAccept
                               : MemoryVerdict::kOpen;
}

}  // namespace

absl::StatusOr<ProgramMemory> PredictProgramMemory(const Module& module, const Chip& chip,
                                                   const ProgramMemoryOptions& options) {
  if (!chip.hbm.e1000_capacity_bytes) {
    return absl::NotFoundError(
        absl::StrCat("how much HBM the compiler gives a program of ", std::string(chip.name), " is not known"));
  }
  if (absl::Status status = CheckStructure(module); !status.ok()) return status;
  ProgramMemory memory;
  memory.available = chip.hbm.e1000_capacity_bytes->value;
  // v5p compiles for both cores as one; 7x and the single-core chips for one.
  memory.program = (chip.name == "v5p" ? 2 : 1) * kProgramOfCore + kProgramMore;
  const absl::Status status =
      IsTakenAsItStands(module) ? OfScheduled(module, chip, options, memory) : OfOther(module, memory);
  if (!status.ok()) return status;
  memory.verdict = VerdictOf(memory);
  return memory;
}

}  // namespace oomph::hlo
