// See specification.h.
#include "models/hlo/specification.h"

#include "models/hlo/interpreter.h"
#include "models/hlo/liveness_bytes.h"
#include "models/hlo/model.h"
#include "models/hlo/plan_module.h"
#include "models/hlo/text.h"

namespace oomph::hlo {

Answer Specification::Run() const {
  Answer answer;
  const std::vector<Problem> problems = Problems();
  if (!problems.empty()) {
    answer.status = Status::kInvalid;
    answer.rule = problems[0].rule;
    answer.why = Describe(module_, problems[0]);
    return answer;
  }
  answer.status = Status::kValid;
  answer.order = order_;
  answer.text = Text();
  Count(answer);
  Place(answer);
  return answer;
}

std::vector<Problem> Specification::Problems() const { return Verify(module_); }

std::string Specification::Text() const { return Print(module_); }

void Specification::Count(Answer& answer) const {
  Module ordered;
  if (order_ != Order::kText) GiveSchedule(order_, ordered = module_);
  const absl::StatusOr<InterpretedPeak> counted = InterpretPeak(order_ == Order::kText ? module_ : ordered);
  if (!counted.ok() || counted->total == kMostBytes) return;  // that and more
  answer.total_peak = counted->total;
  for (const auto& [space, bytes] : counted->by_space) {
    if (bytes > 0) answer.peaks.push_back({space, bytes});
  }
}

void Specification::Place(Answer& answer) const { PlanModule(module_, order_, PlaceNaively, answer); }

void RunSpecification(const Module& module, Order order, Answer& answer) { answer = Specification(module, order).Run(); }

}  // namespace oomph::hlo
