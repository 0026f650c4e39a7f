// See judge.h.
#include "fuzz/judge.h"

#include <bit>
#include <utility>

#include "absl/strings/str_cat.h"
#include "models/base/limit.h"

namespace oomph {

Judge::Judge(const Family& family, Subject& subject, Subject* reference, bool relations)
    : family_(family),
      subject_(subject),
      reference_(reference),
      relations_(relations),
      promises_(subject.info().promises),
      outcome_(family.NewOutcome()),
      other_outcome_(family.NewOutcome()),
      related_(family.NewCase()) {}

std::string_view Judge::Lacking(const Case& c) const {
  const Bits64 lacking = family_.FeaturesOf(c) & ~subject_.info().features;
  return lacking == 0 ? "" : family_.features()[static_cast<size_t>(std::countr_zero(lacking))];
}

Verdict Judge::Run(const Case& c, Bits64 relations) {
  ++cases_;
  ++runs_;
  reasons_.clear();
  broke_ = false;
  const std::string_view lacking = Lacking(c);
  ran_ = lacking.empty();
  if (!ran_) {
    Verdict verdict;
    verdict.kind = VerdictKind::kIncomparable;
    verdict.text = absl::StrCat("not run: it does not offer ", std::string(lacking));
    return verdict;
  }
  subject_.Run(c, *outcome_);
  // Who asks for a refusal wants that one, whatever else the compiler left behind when it gave up.
  if (Verdict refused; limit_ == kOwnLimit && NeedsTooMuch(c, refused)) return refused;
  family_.Judge(c, *outcome_, promises_, reasons_);
  broke_ = !reasons_.empty();
  if (reference_ != nullptr) Compare(c);
  Verdict verdict = MakeVerdict(family_.name(), subject_.info().name, reasons_);
  if (limit_ && !verdict.found() && NeedsTooMuch(c, verdict)) return verdict;
  if (relations_ && reasons_.empty()) {
    AskRelations(c, relations);
    verdict = MakeVerdict(family_.name(), subject_.info().name, reasons_);
  }
  if (verdict.kind == VerdictKind::kIncomparable) {
    const auto known = incomparable_.find(verdict.text);
    known != incomparable_.end() ? void(++known->second) : void(incomparable_.emplace(verdict.text, 1));
  }
  return verdict;
}

// A reason's detail is of a closed list; what does not fit is of the case. So the signature is made here.
bool Judge::NeedsTooMuch(const Case& c, Verdict& verdict) const {
  std::optional<OverLimit> over = family_.ExceedsLimit(c, *outcome_, *limit_);
  if (!over) return false;
  constexpr std::string_view kPeak = "peak";
  const std::string what = over->identity.empty() ? std::string(kPeak) : SignatureWord(over->identity);
  verdict = {};
  verdict.kind = VerdictKind::kFinding;
  verdict.signature = absl::StrCat(std::string(family_.name()), "/", std::string(kFitsTheLimit), "/",
                                   subject_.info().name, "/", what);
  verdict.text = over->text;
  verdict.step = over->step;
  verdict.all.push_back({kFitsTheLimit, kPeak, over->step, std::move(over->text)});
  return true;
}

// What the comparison says counts only before the first step that an oracle complains of: MakeVerdict
// takes the earliest step, and of the same step the oracles, who come first in the list.
void Judge::Compare(const Case& c) {
  more_.clear();
  reference_->Run(c, *other_outcome_);
  family_.Compare(c, *other_outcome_, *outcome_, more_);
  const bool clean = reasons_.empty();
  for (const Reason& reason : more_.list()) {
    if (!clean && reason.oracle == kIncomparable) continue;
    reasons_.Add(reason.oracle, reason.detail, reason.step, reason.text);
  }
}

void Judge::AskRelations(const Case& c, Bits64 which) {
  const auto relations = family_.relations();
  for (size_t i = 0; i < relations.size() && reasons_.empty(); ++i) {
    if ((which >> i & 1) == 0) continue;
    if (relations[i].promise != 0 && (relations[i].promise & promises_) == 0) continue;
    if (!family_.Relate(i, c, *related_) || !Lacking(*related_).empty()) continue;
    ++runs_;
    subject_.Run(*related_, *other_outcome_);
    family_.JudgeRelation(i, c, *outcome_, *related_, *other_outcome_, reasons_);
  }
}

Verdict Judge::Measure(const Case& c) {
  more_.clear();
  reasons_.clear();
  Bits64 measured = 0;
  for (size_t i = 0; i < family_.promises().size(); ++i) {
    if (family_.promises()[i].measured) measured |= Bits64{1} << i;
  }
  family_.Judge(c, *outcome_, measured, more_);
  for (const Reason& reason : more_.list()) {
    for (const OracleInfo& oracle : family_.oracles()) {
      if (oracle.name != reason.oracle || oracle.promise == 0 || (oracle.promise & promises_) != 0) continue;
      reasons_.Add(reason.oracle, reason.detail, reason.step, reason.text);
    }
  }
  return MakeVerdict(family_.name(), subject_.info().name, reasons_);
}

}  // namespace oomph
