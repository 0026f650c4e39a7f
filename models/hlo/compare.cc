// See compare.h.
#include "models/hlo/compare.h"

#include <deque>
#include <string>

#include "absl/strings/str_cat.h"
#include "models/hlo/answer_text.h"
#include "models/hlo/results.h"

namespace oomph::hlo {
namespace {


bool Speaks(const Answer& answer) {
  return answer.status == Status::kValid || answer.status == Status::kInvalid || answer.status == Status::kUnread;
}

// "accepts_operand_type": for as long as the program runs.
std::string_view AcceptsDespite(const Answer& reference) {
  static const std::deque<std::string> names = [] {
    std::deque<std::string> all;
    for (size_t i = 0; i < kRules; ++i) all.push_back(absl::StrCat("accepts_", std::string(RowOf(static_cast<Rule>(i)).name)));
    return all;
  }();
  return reference.rule ? std::string_view(names[static_cast<size_t>(*reference.rule)]) : "accepts";
}

void ComparePeaks(size_t step, const Answer& reference, const Answer& answer, Reasons& reasons) {
  if (reference.total_peak && answer.total_peak && *reference.total_peak != *answer.total_peak) {
    reasons.Add(kEqualsReference, "peak", step,
                absl::StrCat("a peak of ", *answer.total_peak, " bytes; the reference counts ", *reference.total_peak));
  } else if (!reference.peaks.empty() && !answer.peaks.empty() && reference.peaks != answer.peaks) {
    reasons.Add(kEqualsReference, "space", step, "the peaks of the memory spaces differ from those of the reference");
  }
}

}  // namespace

void CompareAnswers(const Module& module, const Answer& reference, const Answer& answer, Reasons& reasons) {
  if (!Speaks(reference) || !Speaks(answer)) return;
  const size_t count = InstructionCount(module), step = count == 0 ? 0 : count - 1;
  const bool accepted = reference.status == Status::kValid, accepts = answer.status == Status::kValid;
  if (accepted && accepts) {
    CompareResults(kResultsAgree, module, reference, module, answer, reasons);
    return ComparePeaks(step, reference, answer, reasons);
  }
  if (accepted) {
    reasons.Add(kEqualsReference, "refuses", step, absl::StrCat(Summary(answer), "; the reference accepts it"));
  } else if (accepts) {
    reasons.Add(kEqualsReference, AcceptsDespite(reference), step, absl::StrCat("accepted; the reference says ", Summary(reference)));
  } else if (reference.rule && answer.rule && *reference.rule != *answer.rule) {
    reasons.Add(kEqualsReference, "rule", step, absl::StrCat(Summary(answer), "; the reference says ", Summary(reference)));
  }
}

}  // namespace oomph::hlo
