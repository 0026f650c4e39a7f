// The oracles of plans: sentences that a plan can break, each a pure function of the plan and of the module that it speaks of.
// Not for: the table in which they stand, and the oracles of all else in an answer (oracles.h).
#ifndef OOMPH_MODELS_HLO_PLAN_ORACLES_H_
#define OOMPH_MODELS_HLO_PLAN_ORACLES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/verdict.h"
#include "models/hlo/answer.h"
#include "models/hlo/planned.h"

namespace oomph::hlo {

// A plan, its module, what its values are there, and what several oracles ask of them.
struct PlanLook {
  struct Placed {
    uint32_t allocation = 0;
    const PlacedValue* value = nullptr;
    PlannedModule::Meaning meaning;
  };
  const Plan& plan;
  const PlannedModule& planned;
  std::vector<Placed> placed;  // all values of the plan in their order
  bool first = true;           // of the plans of its module: what is said of the module alone is said with it
  bool accepted = true;        // the module was; a plan may come with a refusal, too

  Reasons* reasons = nullptr;
  size_t step = 0;  // that reasons speak of
  void Say(std::string_view oracle, std::string_view detail, std::string text) const;
  bool Judged(const Placed& one) const { return one.meaning.found == PlannedModule::Found::kValue; }
};

// The plans of an answer; what they share is read once.
class PlanLooks {
 public:
  PlanLooks(const Answer& answer, size_t step);
  std::vector<PlanLook>& looks() { return looks_; }

 private:
  std::vector<std::unique_ptr<PlannedModule>> modules_;  // by Answer::planned
  std::vector<PlanLook> looks_;
};

// Each says its reasons into look.reasons.
void PlannedModuleIsRead(PlanLook& look);
void PlannedModuleIsValid(PlanLook& look);
void PlanNamesWhatIsThere(PlanLook& look);
void PlanStaysInside(PlanLook& look);
void PlanIsAligned(PlanLook& look);
void PlanHasTheBytes(PlanLook& look);
void PlanKeepsLiveValuesApart(PlanLook& look);
void PlanKeepsItsOwnRangesApart(PlanLook& look);
void PlanRangesCoverTheUses(PlanLook& look);
void PlanIsWhole(PlanLook& look);
void PlanPeakIsItsSum(PlanLook& look);
void PlanMinimumIsABound(PlanLook& look);
void PlanMinimumIsTheLivePeak(PlanLook& look);
void ScopedMemoryIsKeptApart(PlanLook& look);
void ReservationIsWhole(PlanLook& look);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_PLAN_ORACLES_H_
