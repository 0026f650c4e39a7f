// See compare.h.
#include "models/vmem/compare.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "models/base/units.h"
#include "models/vmem/answer_text.h"
#include "models/vmem/compilable.h"
#include "models/vmem/target.h"

namespace oomph::vmem {
namespace {


bool Decides(const Answer& answer) {
  return answer.status == Status::kAccepted || answer.status == Status::kOverLimit || answer.status == Status::kOverCapacity;
}
bool Accepts(const Answer& answer) { return answer.status == Status::kAccepted; }

template <typename Holds>
bool AnyOperand(const Kernel& kernel, Holds holds) {
  return std::any_of(kernel.inputs.begin(), kernel.inputs.end(), holds) ||
         std::any_of(kernel.outputs.begin(), kernel.outputs.end(), holds);
}

// One size can be printed as both.
bool CanBeOne(const PrintedBytes& a, const PrintedBytes& b) {
  const auto sign_of = [](const PrintedBytes& p) { return p.negative && p.highest > 0; };
  if (sign_of(a) != sign_of(b)) return false;
  return a.lowest <= b.highest && b.lowest <= a.highest;
}

class Comparison {
 public:
  Comparison(const Answer& reference, const Answer& answer, Reasons& reasons)
      : reference_(reference), answer_(answer), reasons_(reasons) {}

  void Exactly() {
    if (!SameVerdict()) return;
    if (reference_.at_least != answer_.at_least || reference_.at_most != answer_.at_most) return Differ("bound");
    if (reference_.used && answer_.used && *reference_.used != *answer_.used) return Differ("used");
    if (reference_.limit && answer_.limit && *reference_.limit != *answer_.limit) return Differ("limit");
    const auto differ = [](const auto& a, const auto& b) { return a && b && !CanBeOne(*a, *b); };
    if (differ(reference_.printed_size, answer_.printed_size)) return Differ("printed_size");
    if (differ(reference_.printed_limit, answer_.printed_limit)) return Differ("printed_limit");
    if (!reference_.parts.empty() && !answer_.parts.empty() && reference_.parts != answer_.parts) return Differ("parts");
  }

  // What a bound leaves open is no fault.
  void ByBound(std::string_view cause) {
    const bool told = reference_.used.has_value();
    const uint64_t lowest = told && reference_.at_least ? *reference_.used : 0;
    const uint64_t highest = told && reference_.at_most ? *reference_.used : kMaxBytes;
    const uint64_t limit = static_cast<uint64_t>(std::max<int64_t>(reference_.limit.value_or(0), 0));
    // Where an input is fused, a limit of nothing may be unheard (docs/FACTS.md).
    const bool limited = reference_.limit && *reference_.limit > 0;
    if (answer_.used && *answer_.used < lowest) return Differ("below_bound");
    if (answer_.used && *answer_.used > highest) return Differ("above_bound");
    if (Accepts(answer_) && limited && lowest > limit) return Differ("below_bound");
    if (!Accepts(answer_) && limited && highest <= limit && Accepts(reference_)) return Differ("above_bound");
    reasons_.Add(kIncomparable, cause, 0, Both());
  }

 private:
  bool SameVerdict() {
    if (reference_.status == answer_.status) return true;
    Differ(Accepts(answer_) ? "accepts" : Accepts(reference_) ? "refuses" : "refuses_otherwise");
    return false;
  }
  std::string Both() const { return absl::StrCat(Summary(answer_), "; the reference: ", Summary(reference_)); }
  void Differ(std::string_view detail) { reasons_.Add(kEqualsReference, detail, 0, Both()); }

  const Answer& reference_;
  const Answer& answer_;
  Reasons& reasons_;
};

}  // namespace

std::string_view InexactCause(const Kernel& kernel) {
  if (IsHeavy(kernel.body)) return "heavy_body";
  if (AnyOperand(kernel, [](const Operand& o) { return o.in_vmem; })) return "in_vmem";
  if (AnyOperand(kernel, [&](const Operand& o) { return MayBeMoved(kernel, o); })) return "small_arrays";
  if (AnyOperand(kernel, [](const Operand& o) { return o.fused; })) return "fused";
  const auto is_scalar = [](const Operand& o) {
    return std::all_of(o.array.begin(), o.array.end(), [](uint64_t size) { return size == 1; });
  };
  if (AnyOperand(kernel, is_scalar)) return "one_element";
  return "unknown_rule";
}

void CompareAnswers(const Kernel& kernel, const Answer& reference, const Answer& answer, Reasons& reasons) {
  if (answer.status == Status::kDeclined && Decides(reference)) {
    reasons.Add(kIncomparable, "not_compiled", 0, Summary(answer));
    return;
  }
  if (!Decides(reference) || !Decides(answer)) return;
  Comparison comparison(reference, answer, reasons);
  // Who tells each buffer knows the rules, and where they end as well.
  if (!reference.exact() && answer.exact() && answer.parts.empty()) return comparison.ByBound(InexactCause(kernel));
  comparison.Exactly();
}

}  // namespace oomph::vmem
