// See plan_oracles.h.
#include "models/hlo/plan_oracles.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "models/base/chips.h"
#include "models/base/units.h"
#include "models/base/words.h"
#include "models/hlo/plan_text.h"
#include "models/hlo/verify.h"

namespace oomph::hlo {
namespace {

using Found = PlannedModule::Found;
using Placed = PlanLook::Placed;

bool Overlap(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes) {
  return a_bytes > 0 && b_bytes > 0 && a < SaturatingAdd(b, b_bytes) && b < SaturatingAdd(a, a_bytes);
}
std::string Range(uint64_t offset, uint64_t bytes) {
  return absl::StrCat("[", offset, ", ", SaturatingAdd(offset, bytes), ")");
}
std::string Where(const PlacedValue& value) {
  return absl::StrCat(OneLine(NameOf(value)), " in ", Range(value.offset, value.bytes));
}

// visit(a, b) for each two values of one allocation that share a byte, until it gives false. The earlier offset first.
template <typename Visit>
void ForEachSharedByte(const PlanLook& look, Visit visit) {
  std::vector<std::vector<const Placed*>> by_allocation(look.plan.allocations.size());
  for (const Placed& one : look.placed) {
    if (one.value->bytes > 0) by_allocation[one.allocation].push_back(&one);
  }
  for (std::vector<const Placed*>& values : by_allocation) {
    std::sort(values.begin(), values.end(), [](const Placed* a, const Placed* b) {
      return std::pair(a->value->offset, a) < std::pair(b->value->offset, b);
    });
    std::vector<const Placed*> open;  // that may reach beyond where the next begins
    for (const Placed* one : values) {
      std::erase_if(open, [&](const Placed* other) {
        return SaturatingAdd(other->value->offset, other->value->bytes) <= one->value->offset;
      });
      for (const Placed* other : open) {
        if (!visit(*other, *one)) return;
      }
      open.push_back(one);
    }
  }
}

// The compiler of a TPU lets results take an operand's place by rules of its emitters, which nobody has published: what lies
// at the same place, and the pieces that a ConcatBitcast joins.
PlannedModule::TakesOver TakesOverOf(const PlanLook& look, const Placed& a, const Placed& b) {
  if (!look.plan.reuses_operands) return PlannedModule::TakesOver::kNone;
  if (look.plan.rule != ByteRule::kPadded) return PlannedModule::TakesOver::kOwnRules;
  const bool same = a.value->offset == b.value->offset && a.value->bytes == b.value->bytes;
  const auto joins = [&](const Placed& result) { return look.planned.IsMadeByCustomCall(result.meaning.value, "ConcatBitcast"); };
  return same || joins(a) || joins(b) ? PlannedModule::TakesOver::kAnyResult : PlannedModule::TakesOver::kOwnRules;
}

const PlanMemory* MemoryOf(const Plan& plan, uint32_t space) {
  for (const PlanMemory& memory : plan.memories) {
    if (memory.space == space) return &memory;
  }
  return nullptr;
}

}  // namespace

void PlanLook::Say(std::string_view oracle, std::string_view detail, std::string text) const {
  reasons->Add(oracle, detail, step, absl::StrCat("the plan of ", OneLine(plan.planner), ": ", text));
}

PlanLooks::PlanLooks(const Answer& answer, size_t step) {
  const Chip* chip = answer.chip.empty() ? nullptr : FindChip(answer.chip);
  const uint64_t granule = chip == nullptr ? kUsualGranule : TableGranule(*chip);
  for (const std::string& text : answer.planned) modules_.push_back(std::make_unique<PlannedModule>(text, granule));
  std::vector<bool> spoken_of(modules_.size());
  for (const Plan& plan : answer.plans) {
    if (plan.module >= modules_.size()) continue;
    PlanLook& look = looks_.emplace_back(PlanLook{plan, *modules_[plan.module], {}});
    look.step = step;
    look.first = !spoken_of[plan.module];
    spoken_of[plan.module] = true;
    look.accepted = answer.status == Status::kValid;
    for (uint32_t a = 0; a < plan.allocations.size(); ++a) {
      for (const PlacedValue& value : plan.allocations[a].values)
        look.placed.push_back({a, &value, look.planned.Of(value)});
    }
  }
}

// A plan speaks of a module that can be read.
void PlannedModuleIsRead(PlanLook& look) {
  if (!look.first || look.planned.module().ok()) return;
  look.Say("planned_module_is_read", "refused", std::string(look.planned.module().status().message()));
}

// Who plans memory leaves a valid module.
void PlannedModuleIsValid(PlanLook& look) {
  if (!look.first || !look.planned.module().ok()) return;
  const std::vector<Problem> problems = Verify(*look.planned.module());
  if (problems.empty()) return;
  look.Say("planned_module_is_valid", RowOf(problems[0].rule).name,
           absl::StrCat("its module is invalid: ", Describe(*look.planned.module(), problems[0])));
}

// Each value is one of the module's.
void PlanNamesWhatIsThere(PlanLook& look) {
  if (!look.planned.liveness().ok()) return;
  for (const Placed& one : look.placed) {
    if (one.meaning.found != Found::kUnknown) continue;
    return look.Say("plan_names_what_is_there", "unknown",
                    absl::StrCat(Where(*one.value), ": its module has no such value"));
  }
  for (const ScopedMemory& scoped : look.plan.scoped) {
    if (look.planned.Of(scoped.name, {}).found != Found::kUnknown) continue;
    return look.Say("plan_names_what_is_there", "scoped",
                    absl::StrCat("memory for ", OneLine(scoped.name), ", which its module does not have"));
  }
}

// A value lies in its allocation, an allocation and scoped memory in the memory.
void PlanStaysInside(PlanLook& look) {
  for (const Placed& one : look.placed) {
    const Allocation& allocation = look.plan.allocations[one.allocation];
    const std::optional<uint64_t> end = CheckedAdd(one.value->offset, one.value->bytes);
    if (end && *end <= allocation.bytes) continue;
    return look.Say("plan_stays_inside", "allocation",
                    absl::StrCat(Where(*one.value), " of an allocation of ", allocation.bytes, " bytes"));
  }
  for (const PlanMemory& memory : look.plan.memories) {
    if (!memory.capacity || !look.accepted) continue;  // a plan that does not fit is told to show why
    uint64_t sum = 0;
    for (const Allocation& allocation : look.plan.allocations) {
      if (allocation.space == memory.space && !allocation.thread_local_) sum = SaturatingAdd(sum, allocation.bytes);
    }
    if (sum > *memory.capacity) {
      return look.Say("plan_stays_inside", "memory",
                      absl::StrCat("allocations of ", sum, " bytes in memory space ", memory.space, ", which holds ",
                                   *memory.capacity));
    }
    for (const ScopedMemory& scoped : look.plan.scoped) {
      const std::optional<uint64_t> end = CheckedAdd(scoped.offset, scoped.reserved);
      if (scoped.space != memory.space || (end && *end <= *memory.capacity)) continue;
      return look.Say("plan_stays_inside", "scoped",
                      absl::StrCat(Range(scoped.offset, scoped.reserved), " for ", OneLine(scoped.name),
                                   " in a memory of ", *memory.capacity, " bytes"));
    }
  }
}

// An offset is a multiple of its memory's alignment.
void PlanIsAligned(PlanLook& look) {
  for (const Placed& one : look.placed) {
    const PlanMemory* memory = MemoryOf(look.plan, look.plan.allocations[one.allocation].space);
    if (memory == nullptr || memory->alignment == 0 || one.value->offset % memory->alignment == 0) continue;
    return look.Say("plan_is_aligned", "offset",
                    absl::StrCat(Where(*one.value), ", which is no multiple of ", memory->alignment));
  }
}

// A value has the bytes that its shape takes.
void PlanHasTheBytes(PlanLook& look) {
  for (const Placed& one : look.placed) {
    if (one.meaning.found == Found::kUnknown || (one.meaning.found == Found::kSeveral)) continue;
    const std::optional<uint64_t> bytes = look.planned.BytesOf(one.meaning.shape, look.plan.rule);
    if (!bytes || *bytes == one.value->bytes) continue;
    // Values that share a buffer may each have all of it.
    if (look.Judged(one) && one.value->bytes > *bytes &&
        one.value->bytes == look.planned.BufferBytes(one.meaning.value))
      continue;
    return look.Say("plan_has_the_bytes", *bytes > one.value->bytes ? "too_few" : "too_many",
                    absl::StrCat(OneLine(NameOf(*one.value)), " gets ", one.value->bytes, " bytes and takes ", *bytes));
  }
}

// What is needed at one time by our rules shares no byte, but with what it may lie over.
void PlanKeepsLiveValuesApart(PlanLook& look) {
  ForEachSharedByte(look, [&](const Placed& a, const Placed& b) {
    if (look.plan.allocations[a.allocation].thread_local_ || !look.Judged(a) || !look.Judged(b)) return true;
    const std::optional<uint32_t> step = look.planned.Clash(a.meaning.value, b.meaning.value, TakesOverOf(look, a, b));
    if (!step) return true;
    const LivenessNames names(*look.planned.module(), *look.planned.liveness());
    look.Say("plan_keeps_live_values_apart", "overlap",
             absl::StrCat(Where(*a.value), " and ", Where(*b.value), " are both needed at ", names.OfStep(*step)));
    return false;
  });
}

// What is live at one time by the plan's own ranges shares no byte, but with what it is or may lie over.
void PlanKeepsItsOwnRangesApart(PlanLook& look) {
  ForEachSharedByte(look, [&](const Placed& a, const Placed& b) {
    const auto &one = a.value->live, &two = b.value->live;
    if (!one || !two || one->begin >= two->end || two->begin >= one->end) return true;
    const bool judged = look.Judged(a) && look.Judged(b);
    if (!judged) return true;
    if (look.planned.OneBuffer(a.meaning.value, b.meaning.value)) return true;
    const uint32_t common = std::min(one->end, two->end) - std::max(one->begin, two->begin);
    // A range may be told longer than it is, as of branches that stand one after the other; then ours decides.
    const bool branches = look.planned.IsOfBranch(a.meaning.value) || look.planned.IsOfBranch(b.meaning.value);
    if ((common <= 1 || branches) && !look.planned.Clash(a.meaning.value, b.meaning.value, TakesOverOf(look, a, b))) return true;
    look.Say("plan_keeps_its_own_ranges_apart", "overlap",
             absl::StrCat(Where(*a.value), " and ", Where(*b.value), " are live together by its own account"));
    return false;
  });
}

// The ranges of a buffer's values, as the plan has them, cover every use of it.
void PlanRangesCoverTheUses(PlanLook& look) {
  const absl::StatusOr<Liveness>& liveness = look.planned.liveness();
  if (!liveness.ok() || look.plan.sequence.size() != liveness->flat.steps.size()) return;
  const uint32_t end = static_cast<uint32_t>(look.plan.sequence.size());
  for (uint32_t step = 0; step < end; ++step) {
    const std::optional<uint32_t> ours = look.planned.StepOf(look.plan.sequence[step]);
    if (!ours || *ours != step)
      return;  // another order, or another way to lay it out: the ranges cannot be held against each other
  }
  // The values of a buffer share one place, and the plan may let one range end where the next begins.
  std::vector<std::vector<StepRange>> told(liveness->buffers.size());
  std::vector<const Placed*> one_of(liveness->buffers.size());
  std::vector<uint8_t> placed(liveness->aliases.values.size()), silent(liveness->buffers.size());
  for (const Placed& one : look.placed) {
    if (!look.Judged(one) || look.plan.allocations[one.allocation].thread_local_) continue;
    const uint32_t buffer = liveness->aliases.values[one.meaning.value].buffer;
    if (!one.value->live) silent[buffer] = 1;
    if (one.value->live) told[buffer].push_back(*one.value->live);
    one_of[buffer] = &one;
    placed[one.meaning.value] = 1;
  }
  for (uint32_t v = 0; v < placed.size(); ++v) {
    const Value& value = liveness->aliases.values[v];
    if (placed[v] == 0 || silent[value.buffer] != 0) continue;
    // Ours end after the end where the module gives the value out; a parameter of ours is there to the end, whoever reads it.
    const uint32_t last = value.parameter ? value.first + 1 : std::min(value.last + 1, end);
    const uint32_t first = look.planned.FirstStep(v);
    uint32_t covered = first;
    for (bool more = true; more && covered < last;) {
      more = false;
      for (const StepRange& range : told[value.buffer]) {
        if (range.begin <= covered && covered < range.end) covered = range.end, more = true;
      }
    }
    if (covered >= last) continue;
    const LivenessNames names(*look.planned.module(), *liveness);
    return look.Say("plan_ranges_cover_the_uses", covered == first ? "late" : "short",
                    absl::StrCat(Where(*one_of[value.buffer]->value), " and what shares its buffer are not live at ",
                                 names.OfStep(covered), ", where it is needed"));
  }
}

// A plan that is whole has a place for each buffer.
void PlanIsWhole(PlanLook& look) {
  const absl::StatusOr<Liveness>& liveness = look.planned.liveness();
  if (!look.plan.complete || !liveness.ok()) return;
  // By buffer: of values that are one memory the plan may name any.
  std::vector<uint8_t> has_place(liveness->buffers.size());
  for (const Placed& one : look.placed) {
    if (one.meaning.found == Found::kSeveral) return;
    if (look.Judged(one)) has_place[liveness->aliases.values[one.meaning.value].buffer] = 1;
  }
  const Module& counted = liveness->Counted(*look.planned.module());
  const ShapeNodes nodes(counted.shapes);
  for (const Value& value : liveness->aliases.values) {
    const std::optional<uint64_t> bytes = look.planned.BytesOf(value.shape, look.plan.rule);
    if (has_place[value.buffer] != 0 || !bytes || *bytes == 0 || (value.constant && !look.plan.places_constants))
      continue;
    const Instruction& maker = InstructionOf(counted, liveness->flat, value.step);
    const PlacedValue missing{std::string(counted.Name(maker)), nodes.PathOf(maker.shape, value.node), 0, *bytes, {}};
    return look.Say("plan_is_whole", "missing",
                    absl::StrCat("there is no place for ", OneLine(NameOf(missing)), " of ", *bytes, " bytes"));
  }
}

// The peak is what its allocations take together.
void PlanPeakIsItsSum(PlanLook& look) {
  if (!look.plan.peak) return;
  uint64_t sum = 0;
  for (const Allocation& allocation : look.plan.allocations) sum = SaturatingAdd(sum, allocation.bytes);
  if (sum == *look.plan.peak) return;
  look.Say("plan_peak_is_its_sum", "sum",
           absl::StrCat("a peak of ", *look.plan.peak, " bytes, and allocations of ", sum));
}

// No plan is below what it says every plan needs.
void PlanMinimumIsABound(PlanLook& look) {
  if (!look.plan.peak || !look.plan.minimum || *look.plan.peak >= *look.plan.minimum) return;
  look.Say("plan_minimum_is_a_bound", "below",
           absl::StrCat("a plan of ", *look.plan.peak, " bytes, and at least ", *look.plan.minimum,
                        " are said to be needed"));
}

// The bytes that it says are needed are those that are live at the peak.
void PlanMinimumIsTheLivePeak(PlanLook& look) {
  const absl::StatusOr<Liveness>& liveness = look.planned.liveness();
  if (!look.plan.minimum || !liveness.ok() || look.plan.rule != ByteRule::kPlain || look.plan.reuses_operands) return;
  if (!look.plan.places_constants || *look.plan.minimum == liveness->total_peak) return;
  look.Say("plan_minimum_is_the_live_peak", *look.plan.minimum > liveness->total_peak ? "above" : "below",
           absl::StrCat(*look.plan.minimum, " bytes are said to be needed, and ", liveness->total_peak,
                        " are live at the peak"));
}

// Nothing else lies in the memory of an instruction while it runs.
void ScopedMemoryIsKeptApart(PlanLook& look) {
  const absl::StatusOr<Liveness>& liveness = look.planned.liveness();
  if (!liveness.ok()) return;
  for (const ScopedMemory& scoped : look.plan.scoped) {
    const std::optional<uint32_t> step = look.planned.StepOf(scoped.name);
    if (!step || scoped.reserved == 0) continue;
    for (const Placed& one : look.placed) {
      const Allocation& allocation = look.plan.allocations[one.allocation];
      if (!look.Judged(one) || allocation.space != scoped.space || allocation.thread_local_) continue;
      if (allocation.parameter || allocation.output || allocation.constant)
        continue;  // where such a one begins is not told
      const Value& value = liveness->aliases.values[one.meaning.value];
      const bool live = value.first <= *step && *step <= value.last && look.planned.NeededAt(one.meaning.value, *step);
      if (!live || !Overlap(one.value->offset, one.value->bytes, scoped.offset, scoped.reserved)) continue;
      return look.Say("scoped_memory_is_kept_apart", "overlap",
                      absl::StrCat(Where(*one.value), " lies in ", Range(scoped.offset, scoped.reserved),
                                   ", the memory of ", OneLine(scoped.name)));
    }
  }
}

// An instruction gets all of the memory that it was to have, and needs no more than it gets.
void ReservationIsWhole(PlanLook& look) {
  for (const ScopedMemory& scoped : look.plan.scoped) {
    const bool cut = scoped.asked && *scoped.asked > scoped.reserved;
    if (!cut && (!scoped.used || *scoped.used <= scoped.reserved)) continue;
    return look.Say("reservation_is_whole", cut ? "cut" : "exceeded",
                    absl::StrCat(scoped.reserved, " bytes are reserved for ", OneLine(scoped.name), ", which ",
                                 cut ? "asked for " : "uses ", cut ? *scoped.asked : *scoped.used));
  }
}

}  // namespace oomph::hlo
