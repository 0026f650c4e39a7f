// The row of the HBM family. See family.h; each method is one call into the file that does the work.
#include "models/hbm/family.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/hbm/compare.h"
#include "models/hbm/draw.h"
#include "models/hbm/explain.h"
#include "models/hbm/generate.h"
#include "models/hbm/metrics.h"
#include "models/hbm/oracles.h"
#include "models/hbm/outcome_text.h"
#include "models/hbm/promises.h"
#include "models/hbm/reach.h"
#include "models/hbm/reduce.h"
#include "models/hbm/relations.h"
#include "models/hbm/text.h"

namespace oomph {
namespace {

using hbm::Trace;
using hbm::TraceOutcome;

const Trace& In(const Case& c) { return static_cast<const CaseOf<Trace>&>(c).value; }
Trace& In(Case& c) { return static_cast<CaseOf<Trace>&>(c).value; }
const TraceOutcome& In(const Outcome& o) { return static_cast<const OutcomeOf<TraceOutcome>&>(o).value; }
TraceOutcome& In(Outcome& o) { return static_cast<OutcomeOf<TraceOutcome>&>(o).value; }

// A subject that follows the memory line promises less where that says BFC.
Bits64 PromisedFor(const Trace& trace, Bits64 promises) {
  if ((promises & hbm::promise::kPolicy) == 0 || trace.policy.allocator == hbm::Allocator::kTpu) return promises;
  using namespace hbm::promise;
  const Bits64 ignored = trace.policy.bfc.deviations.alignment_ignored ? 0 : kAlignment;
  return promises & (kStats | kDeterminism | kFences | ignored);
}

class Hbm final : public Family {
 public:
  std::string_view name() const override { return "hbm"; }
  std::string_view title() const override { return "run-time HBM allocation: traces of buffers, programs, launches"; }
  std::string_view extension() const override { return ".trace"; }
  std::string_view comment() const override { return "#"; }

  std::span<const PromiseInfo> promises() const override { return hbm::kPromises; }
  std::span<const std::string_view> features() const override { return hbm::kFeatures; }
  std::span<const OracleInfo> oracles() const override {
    static const std::vector<OracleInfo> infos = [] {
      std::vector<OracleInfo> list;
      for (const hbm::OracleRow& row : hbm::Oracles()) list.push_back(row.info);
      return list;
    }();
    return infos;
  }
  std::span<const RelationInfo> relations() const override {
    static const std::vector<RelationInfo> infos = [] {
      std::vector<RelationInfo> list;
      for (const hbm::RelationRow& row : hbm::Relations()) list.push_back(row.info);
      return list;
    }();
    return infos;
  }
  std::span<const std::string_view> reach_names() const override { return hbm::ReachNames(); }
  Reach expected_reach() const override { return hbm::ExpectedReach(); }

  std::unique_ptr<Case> NewCase() const override { return std::make_unique<CaseOf<Trace>>(); }
  std::unique_ptr<Outcome> NewOutcome() const override { return std::make_unique<OutcomeOf<TraceOutcome>>(); }
  std::unique_ptr<Case> Clone(const Case& c) const override { return std::make_unique<CaseOf<Trace>>(In(c)); }

  void Generate(Choices& choices, const GenerateOptions& options, Case& into) const override {
    hbm::GenerateTrace(choices, options, In(into));
  }
  void Mutate(Choices& choices, const GenerateOptions& options, Case& c, const Case& other) const override {
    hbm::MutateTrace(choices, options, In(c), In(other));
  }
  std::span<const ReductionInfo> reductions() const override { return hbm::TraceReductions(); }
  std::unique_ptr<Edits> EditsOf(size_t reduction, const Case& base) const override {
    return hbm::TraceEditsOf(reduction, In(base));
  }
  Fingerprint FingerprintOf(const Case& c) const override { return hbm::FingerprintOfTrace(In(c)); }
  size_t Size(const Case& c) const override { return In(c).steps.size(); }

  bool Recognizes(std::string_view text) const override { return hbm::LooksLikeTrace(text); }
  absl::Status Parse(std::string_view name, std::string_view text, Case& into) const override {
    return hbm::ParseTrace(name, text, In(into));
  }
  std::string Print(const Case& c) const override { return hbm::PrintTrace(In(c)); }
  std::string PrintOutcome(const Case& c, const Outcome& outcome) const override {
    return hbm::PrintOutcome(In(c), In(outcome));
  }
  std::string PackOutcome(const Outcome& outcome) const override { return hbm::PackOutcome(In(outcome)); }
  bool UnpackOutcome(std::string_view bytes, Outcome& into) const override {
    return hbm::UnpackOutcome(bytes, In(into));
  }
  void MarkEnded(Outcome& outcome, size_t step, Ending how, std::string_view note) const override {
    TraceOutcome& o = In(outcome);
    o.rows.resize(step + 1);
    hbm::Row& row = o.rows[step];
    row = {};
    row.result = how == Ending::kDied       ? hbm::Result::kDied
                 : how == Ending::kTimedOut ? hbm::Result::kTimedOut
                                            : hbm::Result::kUnknown;
    o.note = note;
  }

  void Judge(const Case& c, const Outcome& outcome, Bits64 promises, Reasons& reasons) const override {
    hbm::JudgeTrace(In(c), In(outcome), PromisedFor(In(c), promises), reasons);
  }
  void Compare(const Case& c, const Outcome& reference, const Outcome& outcome, Reasons& reasons) const override {
    hbm::CompareOutcomes(In(c), In(reference), In(outcome), reasons);
  }
  bool Relate(size_t relation, const Case& c, Case& into) const override {
    return hbm::Relations()[relation].relate(In(c), In(into));
  }
  void JudgeRelation(size_t relation, const Case& c, const Outcome& outcome, const Case& related,
                     const Outcome& related_outcome, Reasons& reasons) const override {
    const hbm::RelationRow& row = hbm::Relations()[relation];
    row.judge(row.info.name, In(c), In(outcome), In(related), In(related_outcome), reasons);
  }
  void Reached(const Case& c, const Outcome& outcome, Reach& reach) const override {
    hbm::Reached(In(c), In(outcome), reach);
  }
  std::span<const MetricInfo> metrics() const override { return hbm::Metrics(); }
  bool Measure(const Case& c, const Outcome& outcome, std::span<double> values) const override {
    return hbm::MeasureOutcome(In(c), In(outcome), values);
  }

  using Family::Draw;
  std::string Draw(const Case& c, const Outcome& outcome, const Verdict& verdict,
                   const DrawOptions& options) const override {
    return hbm::DrawSvg(In(c), In(outcome), verdict, options);
  }
  std::string DrawStyle() const override { return hbm::DrawSvgStyle(); }
  std::string Explain(const Case& c, const Outcome& outcome) const override {
    return hbm::Explain(In(c), In(outcome));
  }
};

}  // namespace

const Family& HbmFamily() {
  static const Hbm family;
  return family;
}

}  // namespace oomph
