// See compare.h.
#include "models/sparsecore/compare.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "models/sparsecore/answer_text.h"
#include "models/sparsecore/promises.h"

namespace oomph::sparsecore {
namespace {

bool Accepts(const Answer& answer) { return answer.status == Status::kPlanned; }

// The detail of the first difference; empty: none.
std::string_view Difference(const Overrun& reference, const Overrun& overrun) {
  if (reference.space != overrun.space) return "space";
  if (reference.limit != overrun.limit) return "limit";
  if (reference.words != overrun.words) return "words";
  if (reference.bound != overrun.bound) return "bound";
  const bool both = reference.buffer != kNoBuffer && overrun.buffer != kNoBuffer;
  return both && reference.buffer != overrun.buffer ? "buffer" : "";
}

std::string_view Difference(const Answer& reference, const Answer& answer) {
  if (reference.status != answer.status) return Accepts(answer) ? "accepts" : Accepts(reference) ? "refuses" : "refuses_otherwise";
  if (reference.overrun && answer.overrun) {
    const std::string_view detail = Difference(*reference.overrun, *answer.overrun);
    if (!detail.empty()) return detail;
  }
  for (size_t s = 0; s < kSparseCoreSpaces; ++s) {
    const auto &a = reference.high_water[s], &b = answer.high_water[s];
    if (a && b && *a != *b) return "high_water";
  }
  return !reference.placed.empty() && !answer.placed.empty() && reference.placed != answer.placed ? "placed" : "";
}

bool IsHuge(const Program& program) { return (FeaturesOf(program) & feature::Bit(feature::kLarge)) != 0; }

}  // namespace

bool Decides(const Answer& answer) {
  return answer.status == Status::kPlanned || answer.status == Status::kOverBound || answer.status == Status::kOverHighWater ||
         answer.status == Status::kNotHere;
}

void CompareAnswers(const Program& program, const Answer& reference, const Answer& answer, Reasons& reasons) {
  if (answer.status == Status::kDeclined && Decides(reference)) {
    reasons.Add(kIncomparable, "not_compiled", 0, absl::StrCat("not compiled for another reason: ", Summary(answer)));
    return;
  }
  if (!Decides(reference) || !Decides(answer)) return;
  std::string_view detail = Difference(reference, answer);
  if (!detail.empty() && IsHuge(program)) detail = detail == "accepts" ? "accepts_huge" : "differs_huge";
  if (!detail.empty()) reasons.Add(kEqualsReference, detail, 0, absl::StrCat(Summary(answer), "; the reference: ", Summary(reference)));
}

}  // namespace oomph::sparsecore
