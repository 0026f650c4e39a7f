// See dump.h.
#include "subjects/pjrt/dump.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "models/hlo/text.h"
#include "subjects/pjrt/dump_assignment.h"
#include "subjects/pjrt/dump_scoped.h"

namespace oomph {
namespace {

constexpr uint32_t kHbm = 0, kVmem = 1;

// Of every TPU from v4 on: offsets of values that share an allocation, by memory space. Measured; not known of others.
uint64_t TpuAlignment(uint32_t space) {
  switch (space) {
    case kHbm:
      return 16384;
    case kVmem:
    case 3:  // another part of HBM
    case 5:  // CMEM
      return 4096;
    case 2:  // sync flags
      return 4;
    case 4:  // of the host
    case 6:  // scalars
      return 512;
    default:
      return 1;
  }
}

std::string Scheduled(const std::string& text, const hlo::Module& module) {
  if (const auto id = module.Find(module.attributes, hlo::Key::kIsScheduled)) {
    if (module.attribute_table.Numbers(*id)[0] != 0) return text;
  }
  // A module's name ends before the first comma or line end.
  const size_t name = text.find("HloModule");
  const size_t end = name == text.npos ? name : text.find_first_of(",\n", name);
  if (end == text.npos) return text;
  return absl::StrCat(text.substr(0, end), ", is_scheduled=true", text.substr(end));
}

// The steps of the instructions that the module's text has, and where each step of the compiler's is among them.
struct Steps {
  std::vector<uint32_t> kept_before;  // by the compiler's step; one more at the end

  hlo::StepRange Half(uint64_t first, uint64_t last) const {
    const size_t end = std::min<size_t>(last + 1, kept_before.size() - 1);
    const uint32_t begin = kept_before[std::min<size_t>(first, kept_before.size() - 1)];
    return {begin, std::max(kept_before[end], begin)};
  }
};

Steps KeepSteps(const DumpedLiveRanges& live, const std::unordered_set<std::string_view>& names, hlo::Plan& plan) {
  Steps steps;
  for (const std::string& name : live.sequence) {
    steps.kept_before.push_back(static_cast<uint32_t>(plan.sequence.size()));
    if (names.contains(name)) plan.sequence.push_back(name);
  }
  steps.kept_before.push_back(static_cast<uint32_t>(plan.sequence.size()));
  return steps;
}

std::string Key(const std::string& name, const std::vector<int64_t>& index) {
  std::string key = name;
  for (const int64_t each : index) absl::StrAppend(&key, ",", each);
  return key;
}

void PlaceInTime(const DumpedLiveRanges& live, const std::unordered_set<std::string_view>& names, hlo::Plan& plan) {
  const Steps steps = KeepSteps(live, names, plan);
  std::unordered_map<std::string, hlo::StepRange> ranges;
  for (const DumpedRange& range : live.ranges)
    ranges.emplace(Key(range.name, range.index), steps.Half(range.first, range.last));
  for (hlo::Allocation& allocation : plan.allocations) {
    for (hlo::PlacedValue& value : allocation.values) {
      if (const auto found = ranges.find(Key(value.name, value.index)); found != ranges.end())
        value.live = found->second;
    }
  }
}

// VMEM: what instructions reserve, and the address from which the offsets of its allocations count.
void PlaceScoped(const std::vector<ScopedOfInstruction>& scoped, const DumpTarget& target, hlo::Plan& plan) {
  std::optional<uint64_t> standard = target.scoped_vmem_limit;
  if (!standard && target.chip != nullptr && target.chip->vmem.default_scoped_limit_bytes) {
    standard = target.chip->vmem.default_scoped_limit_bytes->value;
  }
  const bool stated = std::any_of(scoped.begin(), scoped.end(), [](const ScopedOfInstruction& each) {
    return std::any_of(each.limits.begin(), each.limits.end(),
                       [](const ScopedConfig& limit) { return limit.space == kVmem; });
  });
  const uint64_t base = stated ? 0 : standard.value_or(0);
  for (hlo::Allocation& allocation : plan.allocations) {
    if (allocation.space != kVmem || allocation.values.empty()) continue;
    allocation.bytes = SaturatingAdd(allocation.bytes, base);
    for (hlo::PlacedValue& value : allocation.values) value.offset = SaturatingAdd(value.offset, base);
  }
  for (const ScopedOfInstruction& each : scoped) {
    std::map<uint32_t, hlo::ScopedMemory> by_space;
    for (const ScopedConfig& limit : each.limits) {
      by_space[limit.space] = {std::string(each.name), limit.space, limit.offset, limit.bytes,
                               std::nullopt,           std::nullopt};
    }
    for (const ScopedConfig& used : each.used) {
      auto [at, fresh] = by_space.try_emplace(used.space);
      if (fresh) {
        const uint64_t reserved = used.space == kVmem && !stated ? std::max(base, used.bytes) : used.bytes;
        at->second = {std::string(each.name), used.space, used.offset, reserved, std::nullopt, std::nullopt};
      }
      at->second.used = SaturatingAdd(at->second.used.value_or(0), used.bytes);
    }
    for (auto& [space, memory] : by_space) plan.scoped.push_back(std::move(memory));
  }
}

void ListMemories(const DumpTarget& target, hlo::Plan& plan) {
  std::map<uint32_t, hlo::PlanMemory> memories;
  for (const hlo::Allocation& allocation : plan.allocations) memories[allocation.space].space = allocation.space;
  for (const hlo::ScopedMemory& scoped : plan.scoped) memories[scoped.space].space = scoped.space;
  for (auto& [space, memory] : memories) {
    if (target.chip != nullptr) memory.alignment = TpuAlignment(space);
    // Offsets in VMEM are aligned from the end of the default scoped limit on; a limit that is no multiple moves them all.
    if (space == 1 && target.scoped_vmem_limit && *target.scoped_vmem_limit % memory.alignment != 0)
      memory.alignment = 1;
    if (target.chip != nullptr && space == kHbm) {
      if (target.chip->hbm.e1000_capacity_bytes) memory.capacity = target.chip->hbm.e1000_capacity_bytes->value;
    } else if (target.chip != nullptr && space == kVmem) {
      memory.capacity = target.chip->vmem.usable_bytes.value_or(target.chip->vmem.bytes).value;
    }
    plan.memories.push_back(memory);
  }
}

// The report against the assignment: both are the same compiler's.
absl::Status CheckUsage(const std::vector<DumpedUsage>& usages, const hlo::Plan& plan) {
  for (const DumpedUsage& usage : usages) {
    uint64_t sum = 0;
    for (const hlo::Allocation& allocation : plan.allocations) {
      if (allocation.space == usage.space) sum = SaturatingAdd(sum, allocation.bytes);
    }
    if (sum == usage.bytes) continue;
    return absl::InvalidArgumentError(absl::StrCat("memory_usage:", usage.line, ":1: expected ", sum,
                                                   " bytes, the sum of the allocations of color ", usage.space,
                                                   " in the buffer assignment, found '", usage.bytes, "'"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadDumps(const Dumps& files, const DumpTarget& target, hlo::Answer& into) {
  absl::StatusOr<DumpedAssignment> assignment = ReadBufferAssignment("buffer_assignment", files.buffer_assignment);
  if (!assignment.ok()) return assignment.status();
  std::optional<DumpedLiveRanges> live = std::move(assignment->live);
  if (!live && !files.live_range.empty()) {
    absl::StatusOr<DumpedLiveRanges> read = ReadLiveRanges("live_range", files.live_range);
    if (!read.ok()) return read.status();
    live = *std::move(read);
  }
  const absl::StatusOr<std::vector<DumpedUsage>> usages = ReadMemoryUsage("memory_usage", files.memory_usage);
  if (!usages.ok()) return usages.status();
  const absl::StatusOr<hlo::Module> module = hlo::Parse("optimized", files.optimized);
  if (!module.ok()) return module.status();
  const absl::StatusOr<std::vector<ScopedOfInstruction>> scoped = ReadScoped(*module);
  if (!scoped.ok()) return scoped.status();

  hlo::Plan plan;
  plan.planner = "buffer_assignment";
  plan.module = static_cast<uint32_t>(into.planned.size());
  plan.rule = target.chip != nullptr ? hlo::ByteRule::kPadded : hlo::ByteRule::kPlain;
  plan.reuses_operands = true;
  plan.complete = true;
  plan.allocations = std::move(assignment->allocations);
  if (absl::Status checked = CheckUsage(*usages, plan); !checked.ok()) return checked;
  std::unordered_set<std::string_view> names;
  for (const hlo::Computation& computation : module->computations) {
    for (const hlo::Instruction& instruction : computation.instructions) names.insert(module->Name(instruction));
  }
  if (live) PlaceInTime(*live, names, plan);
  PlaceScoped(*scoped, target, plan);
  ListMemories(target, plan);
  into.planned.push_back(Scheduled(files.optimized, *module));
  into.plans.push_back(std::move(plan));
  return absl::OkStatus();
}

}  // namespace oomph
