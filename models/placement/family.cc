// The row of the placement family. See family.h; each method is one call into the file that does the work.
#include "models/placement/family.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/placement/compare.h"
#include "models/placement/draw.h"
#include "models/placement/explain.h"
#include "models/placement/generate.h"
#include "models/placement/metrics.h"
#include "models/placement/oracles.h"
#include "models/placement/plan_text.h"
#include "models/placement/promises.h"
#include "models/placement/reach.h"
#include "models/placement/reduce.h"
#include "models/placement/relations.h"
#include "models/placement/text.h"

namespace oomph {
namespace {

using placement::Problem;
using placement::Plan;

const Problem& In(const Case& c) { return static_cast<const CaseOf<Problem>&>(c).value; }
Problem& In(Case& c) { return static_cast<CaseOf<Problem>&>(c).value; }
const Plan& In(const Outcome& o) { return static_cast<const OutcomeOf<Plan>&>(o).value; }
Plan& In(Outcome& o) { return static_cast<OutcomeOf<Plan>&>(o).value; }

class Placement final : public Family {
 public:
  std::string_view name() const override { return "placement"; }
  std::string_view title() const override { return "offline placement: buffers with known live ranges get fixed offsets"; }
  std::string_view extension() const override { return ".csv"; }
  std::string_view comment() const override { return "#"; }

  std::span<const PromiseInfo> promises() const override { return placement::kPromises; }
  std::span<const std::string_view> features() const override { return placement::kFeatures; }
  std::span<const OracleInfo> oracles() const override {
    static const std::vector<OracleInfo> infos = [] {
      std::vector<OracleInfo> list;
      for (const placement::OracleRow& row : placement::Oracles()) list.push_back(row.info);
      return list;
    }();
    return infos;
  }
  std::span<const RelationInfo> relations() const override {
    static const std::vector<RelationInfo> infos = [] {
      std::vector<RelationInfo> list;
      for (const placement::RelationRow& row : placement::Relations()) list.push_back(row.info);
      return list;
    }();
    return infos;
  }
  std::span<const std::string_view> reach_names() const override { return placement::ReachNames(); }
  Reach expected_reach() const override { return placement::ExpectedReach(); }

  std::unique_ptr<Case> NewCase() const override { return std::make_unique<CaseOf<Problem>>(); }
  std::unique_ptr<Outcome> NewOutcome() const override { return std::make_unique<OutcomeOf<Plan>>(); }
  std::unique_ptr<Case> Clone(const Case& c) const override { return std::make_unique<CaseOf<Problem>>(In(c)); }

  void Generate(Choices& choices, const GenerateOptions& options, Case& into) const override {
    placement::GenerateProblem(choices, options, In(into));
  }
  void Mutate(Choices& choices, const GenerateOptions& options, Case& c, const Case& other) const override {
    placement::MutateProblem(choices, options, In(c), In(other));
  }
  std::span<const ReductionInfo> reductions() const override { return placement::ProblemReductions(); }
  std::unique_ptr<Edits> EditsOf(size_t reduction, const Case& base) const override {
    return placement::ProblemEditsOf(reduction, In(base));
  }
  Fingerprint FingerprintOf(const Case& c) const override { return placement::FingerprintOfProblem(In(c)); }
  size_t Size(const Case& c) const override { return In(c).buffers.size(); }
  std::string_view counted() const override { return "buffer"; }

  Bits64 FeaturesOf(const Case& c) const override { return placement::FeaturesOf(In(c)); }

  bool Recognizes(std::string_view text) const override { return placement::LooksLikeProblem(text); }
  absl::Status Parse(std::string_view name, std::string_view text, Case& into) const override {
    return placement::ParseProblem(name, text, In(into));
  }
  LineRule line_rule() const override { return LineRule::kAllButTheHeader; }
  std::string Print(const Case& c) const override { return placement::PrintProblem(In(c)); }
  bool SetCapacity(Case& c, uint64_t capacity) const override {
    In(c).capacity = capacity;
    return true;
  }
  std::string PrintOutcome(const Case& c, const Outcome& outcome) const override {
    return placement::PrintPlan(In(c), In(outcome));
  }
  std::string PackOutcome(const Outcome& outcome) const override { return placement::PackPlan(In(outcome)); }
  bool UnpackOutcome(std::string_view bytes, Outcome& into) const override {
    return placement::UnpackPlan(bytes, In(into));
  }
  void MarkEnded(Outcome& outcome, size_t step, Ending how, std::string_view note) const override {
    (void)step;
    Plan& o = In(outcome);
    o = {};
    o.status = how == Ending::kDied       ? placement::Status::kDied
               : how == Ending::kTimedOut ? placement::Status::kHung
                                          : placement::Status::kNotRun;
    o.note = note;
  }

  void Judge(const Case& c, const Outcome& outcome, Bits64 promises, Reasons& reasons) const override {
    placement::JudgePlan(In(c), In(outcome), promises, reasons);
  }
  void Compare(const Case& c, const Outcome& reference, const Outcome& outcome, Reasons& reasons) const override {
    placement::ComparePlans(In(c), In(reference), In(outcome), reasons);
  }
  bool Relate(size_t relation, const Case& c, Case& into) const override {
    return placement::Relations()[relation].relate(In(c), In(into));
  }
  void JudgeRelation(size_t relation, const Case& c, const Outcome& outcome, const Case& related,
                     const Outcome& related_outcome, Reasons& reasons) const override {
    const placement::RelationRow& row = placement::Relations()[relation];
    row.judge(row.info.name, In(c), In(outcome), In(related), In(related_outcome), reasons);
  }
  void Reached(const Case& c, const Outcome& outcome, Reach& reach) const override {
    placement::Reached(In(c), In(outcome), reach);
  }
  std::span<const MetricInfo> metrics() const override { return placement::Metrics(); }
  bool Measure(const Case& c, const Outcome& outcome, std::span<double> values) const override {
    return placement::MeasurePlan(In(c), In(outcome), values);
  }

  bool CountsMemory() const override { return true; }
  std::optional<OverLimit> ExceedsLimit(const Case& c, const Outcome& outcome, uint64_t limit) const override {
    return placement::ExceedsLimit(In(c), In(outcome), limit);
  }

  using Family::Draw;
  std::string Draw(const Case& c, const Outcome& outcome, const Verdict& verdict,
                   const DrawOptions& options) const override {
    return placement::DrawSvg(In(c), In(outcome), verdict, options);
  }
  std::string DrawStyle() const override { return placement::DrawSvgStyle(); }
  std::string Explain(const Case& c, const Outcome& outcome) const override {
    return placement::Explain(In(c), In(outcome));
  }
};

}  // namespace

const Family& PlacementFamily() {
  static const Placement family;
  return family;
}

}  // namespace oomph
