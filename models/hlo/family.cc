// The row of the HLO family. See family.h; each method is one call into the file that does the work.
#include "models/hlo/family.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "models/base/rows.h"
#include "models/hlo/answer.h"
#include "models/hlo/answer_text.h"
#include "models/hlo/compare.h"
#include "models/hlo/damage.h"
#include "models/hlo/draw.h"
#include "models/hlo/explain.h"
#include "models/hlo/fingerprint.h"
#include "models/hlo/from_problem.h"
#include "models/hlo/generate.h"
#include "models/hlo/limit.h"
#include "models/hlo/metrics.h"
#include "models/hlo/mutate.h"
#include "models/hlo/oracles.h"
#include "models/hlo/plan_text.h"
#include "models/hlo/promises.h"
#include "models/hlo/reach.h"
#include "models/hlo/reduce.h"
#include "models/hlo/relations.h"
#include "models/hlo/text.h"

namespace oomph {
namespace {

using hlo::Answer;
using hlo::Module;

const Module& In(const Case& c) { return static_cast<const CaseOf<Module>&>(c).value; }
Module& In(Case& c) { return static_cast<CaseOf<Module>&>(c).value; }
const Answer& In(const Outcome& o) { return static_cast<const OutcomeOf<Answer>&>(o).value; }
Answer& In(Outcome& o) { return static_cast<OutcomeOf<Answer>&>(o).value; }

class Hlo final : public Family {
 public:
  std::string_view name() const override { return "hlo"; }
  std::string_view title() const override { return "HLO modules: reading, verifying, printing, and the memory that they need"; }
  std::string_view extension() const override { return ".hlo"; }
  std::string_view comment() const override { return "//"; }

  std::span<const PromiseInfo> promises() const override { return hlo::kPromises; }
  std::span<const std::string_view> features() const override { return hlo::kFeatures; }
  std::span<const OracleInfo> oracles() const override {
    static const auto infos = InfosOf(hlo::Oracles());
    return infos;
  }
  std::span<const RelationInfo> relations() const override {
    static const auto infos = InfosOf(hlo::Relations());
    return infos;
  }
  std::span<const std::string_view> reach_names() const override { return hlo::ReachNames(); }
  Reach expected_reach() const override { return hlo::ExpectedReach(); }

  std::unique_ptr<Case> NewCase() const override { return std::make_unique<CaseOf<Module>>(); }
  std::unique_ptr<Outcome> NewOutcome() const override { return std::make_unique<OutcomeOf<Answer>>(); }
  std::unique_ptr<Case> Clone(const Case& c) const override { return std::make_unique<CaseOf<Module>>(In(c)); }

  void Generate(Choices& choices, const GenerateOptions& options, Case& into) const override {
    // Drawn first, so that the tape of the module may end anywhere.
    const uint64_t damages = (options.features >> hlo::feature::kInvalid & 1) != 0 && choices.Chance(1, 8) ? 1 + choices.Below(2) : 0;
    hlo::GenerateModule(choices, options, In(into));
    for (uint64_t i = 0; i < damages; ++i) hlo::Damage(choices, In(into));
    // Drawn last, so that tapes that end before it mean what they meant: a module of chosen live ranges in its place.
    if (hlo::MayBeOfProblem(options) && damages == 0 && choices.Chance(1, 16)) hlo::GenerateOfProblem(choices, options, In(into));
  }
  void Mutate(Choices& choices, const GenerateOptions& options, Case& c, const Case& other) const override {
    (void)other;  // two modules have nothing in common that could be exchanged
    hlo::MutateModule(choices, options, In(c));
  }
  std::span<const ReductionInfo> reductions() const override { return hlo::Reductions(); }
  std::unique_ptr<Edits> EditsOf(size_t reduction, const Case& base) const override {
    return hlo::ReductionEdits(reduction, In(base));
  }
  Fingerprint FingerprintOf(const Case& c) const override { return hlo::FingerprintOf(In(c)); }
  size_t Size(const Case& c) const override { return hlo::InstructionCount(In(c)); }
  std::string_view counted() const override { return "instruction"; }
  Bits64 FeaturesOf(const Case& c) const override { return hlo::FeaturesOf(In(c)); }

  bool Recognizes(std::string_view text) const override { return hlo::LooksLikeModule(text); }
  absl::Status Parse(std::string_view name, std::string_view text, Case& into) const override {
    absl::StatusOr<Module> module = hlo::Parse(name, text);
    if (!module.ok()) return module.status();
    In(into) = *std::move(module);
    return absl::OkStatus();
  }
  LineRule line_rule() const override { return LineRule::kNeedOneAnother; }
  std::string Print(const Case& c) const override { return hlo::Print(In(c)); }
  std::string PrintOutcome(const Case&, const Outcome& outcome) const override { return hlo::PrintAnswer(In(outcome)); }
  std::string Remark(const Case&, const Outcome& outcome) const override {
    return In(outcome).status == hlo::Status::kValid ? "" : hlo::Summary(In(outcome));
  }
  std::string Figures(const Case&, const Outcome& outcome) const override {
    return In(outcome).stats ? hlo::DescribePlans(In(outcome), 40) : "";
  }
  std::string PackOutcome(const Outcome& outcome) const override { return hlo::PackAnswer(In(outcome)); }
  bool UnpackOutcome(std::string_view bytes, Outcome& into) const override { return hlo::UnpackAnswer(bytes, In(into)); }
  void MarkEnded(Outcome& outcome, size_t step, Ending how, std::string_view note) const override {
    (void)step;
    Answer& answer = In(outcome);
    answer = {};
    answer.status = how == Ending::kDied       ? hlo::Status::kDied
                    : how == Ending::kTimedOut ? hlo::Status::kHung
                                               : hlo::Status::kNotRun;
    answer.why = note;
  }

  void Judge(const Case& c, const Outcome& outcome, Bits64 promises, Reasons& reasons) const override {
    hlo::JudgeAnswer(In(c), In(outcome), promises, reasons);
  }
  void Compare(const Case& c, const Outcome& reference, const Outcome& outcome, Reasons& reasons) const override {
    hlo::CompareAnswers(In(c), In(reference), In(outcome), reasons);
  }
  bool Relate(size_t relation, const Case& c, Case& into) const override {
    return hlo::Relations()[relation].relate(In(c), In(into));
  }
  void JudgeRelation(size_t relation, const Case& c, const Outcome& outcome, const Case& related,
                     const Outcome& related_outcome, Reasons& reasons) const override {
    const hlo::RelationRow& row = hlo::Relations()[relation];
    row.judge(row.info.name, In(c), In(outcome), In(related), In(related_outcome), reasons);
  }
  void Reached(const Case& c, const Outcome& outcome, Reach& reach) const override {
    hlo::Reached(In(c), In(outcome), reach);
  }
  std::span<const MetricInfo> metrics() const override { return hlo::Metrics(); }
  bool Measure(const Case&, const Outcome& outcome, std::span<double> values) const override {
    return hlo::MeasureAnswer(In(outcome), values);
  }

  bool CountsMemory() const override { return true; }
  std::optional<OverLimit> ExceedsLimit(const Case& c, const Outcome& outcome, uint64_t limit) const override {
    return hlo::ExceedsLimit(In(c), In(outcome), limit);
  }

  using Family::Draw;
  std::string Draw(const Case& c, const Outcome& outcome, const Verdict&, const DrawOptions& options) const override {
    return hlo::DrawSvg(In(c), options, In(outcome).order);
  }
  std::string DrawStyle() const override { return hlo::DrawSvgStyle(); }
  std::string Explain(const Case& c, const Outcome& outcome) const override {
    return absl::StrCat(hlo::Summary(In(outcome)), "\n\nBy the count of the models, ", hlo::Explain(In(c), In(outcome).order));
  }
};

}  // namespace

const Family& HloFamily() {
  static const Hlo family;
  return family;
}

}  // namespace oomph
