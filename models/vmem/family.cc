// The row of the family vmem. See family.h; each method is one call into the file that does the work.
#include "models/vmem/family.h"

#include <memory>
#include <string>
#include <vector>

#include "models/base/rows.h"
#include "models/vmem/answer_text.h"
#include "models/vmem/compare.h"
#include "models/vmem/compilable.h"
#include "models/vmem/draw.h"
#include "models/vmem/explain.h"
#include "models/vmem/generate.h"
#include "models/vmem/metrics.h"
#include "models/vmem/oracles.h"
#include "models/vmem/promises.h"
#include "models/vmem/reach.h"
#include "models/vmem/reduce.h"
#include "models/vmem/relations.h"
#include "models/vmem/target.h"
#include "models/vmem/text.h"

namespace oomph {
namespace {

using vmem::Answer;
using vmem::Kernel;

const Kernel& In(const Case& c) { return static_cast<const CaseOf<Kernel>&>(c).value; }
Kernel& In(Case& c) { return static_cast<CaseOf<Kernel>&>(c).value; }
const Answer& In(const Outcome& o) { return static_cast<const OutcomeOf<Answer>&>(o).value; }
Answer& In(Outcome& o) { return static_cast<OutcomeOf<Answer>&>(o).value; }

class Vmem final : public Family {
 public:
  std::string_view name() const override { return "vmem"; }
  std::string_view title() const override { return "scoped VMEM: what a Pallas kernel needs, and whether it gets it (E1001)"; }
  std::string_view extension() const override { return ".kernel"; }
  std::string_view comment() const override { return "#"; }

  std::span<const PromiseInfo> promises() const override { return vmem::kPromises; }
  std::span<const std::string_view> features() const override { return vmem::kFeatures; }
  std::span<const OracleInfo> oracles() const override {
    static const auto infos = InfosOf(vmem::Oracles());
    return infos;
  }
  std::span<const RelationInfo> relations() const override {
    static const auto infos = InfosOf(vmem::Relations());
    return infos;
  }
  std::span<const std::string_view> reach_names() const override { return vmem::ReachNames(); }
  Reach expected_reach() const override { return vmem::ExpectedReach(); }

  std::unique_ptr<Case> NewCase() const override { return std::make_unique<CaseOf<Kernel>>(); }
  std::unique_ptr<Outcome> NewOutcome() const override { return std::make_unique<OutcomeOf<Answer>>(); }
  std::unique_ptr<Case> Clone(const Case& c) const override { return std::make_unique<CaseOf<Kernel>>(In(c)); }

  void Generate(Choices& choices, const GenerateOptions& options, Case& into) const override {
    vmem::GenerateKernel(choices, options, In(into));
  }
  void Mutate(Choices& choices, const GenerateOptions& options, Case& c, const Case& other) const override {
    vmem::MutateKernel(choices, options, In(c), In(other));
  }
  std::span<const ReductionInfo> reductions() const override { return vmem::KernelReductions(); }
  std::unique_ptr<Edits> EditsOf(size_t reduction, const Case& base) const override {
    return vmem::KernelEditsOf(reduction, In(base));
  }
  Fingerprint FingerprintOf(const Case& c) const override { return vmem::FingerprintOfKernel(In(c)); }
  size_t Size(const Case& c) const override {
    const Kernel& kernel = In(c);
    return kernel.inputs.size() + kernel.outputs.size() + kernel.scratch.size() + kernel.scoped.size() + kernel.prefetched.size();
  }
  std::string_view counted() const override { return "buffer"; }
  Bits64 FeaturesOf(const Case& c) const override { return vmem::FeaturesOf(In(c)); }

  bool Recognizes(std::string_view text) const override { return vmem::LooksLikeKernel(text); }
  absl::Status Parse(std::string_view name, std::string_view text, Case& into) const override {
    return vmem::ParseKernel(name, text, In(into));
  }
  std::string Print(const Case& c) const override { return vmem::PrintKernel(In(c)); }
  bool SetCapacity(Case& c, uint64_t capacity) const override {
    In(c).limit_bytes = static_cast<int64_t>(std::min<uint64_t>(capacity, INT64_MAX));
    return true;
  }
  bool SetChip(Case& c, std::string_view chip) const override {
    const auto target = vmem::FindTarget(chip);
    if (target) In(c).target = *target;
    return target.has_value();
  }
  std::string PrintOutcome(const Case& c, const Outcome& outcome) const override {
    return vmem::PrintAnswer(In(c), In(outcome));
  }
  // What is agreed upon is the answer, as it is wanted in each case.
  std::string Remark(const Case&, const Outcome& outcome) const override { return "agree, " + vmem::Summary(In(outcome)); }
  std::string PackOutcome(const Outcome& outcome) const override { return vmem::PackAnswer(In(outcome)); }
  bool UnpackOutcome(std::string_view bytes, Outcome& into) const override { return vmem::UnpackAnswer(bytes, In(into)); }
  void MarkEnded(Outcome& outcome, size_t, Ending how, std::string_view note) const override {
    Answer& answer = In(outcome);
    answer = {};
    answer.status = how == Ending::kDied       ? vmem::Status::kDied
                    : how == Ending::kTimedOut ? vmem::Status::kHung
                                               : vmem::Status::kNotRun;
    answer.why = note;
  }

  void Judge(const Case& c, const Outcome& outcome, Bits64 promises, Reasons& reasons) const override {
    vmem::JudgeAnswer(In(c), In(outcome), promises, reasons);
  }
  void Compare(const Case& c, const Outcome& reference, const Outcome& outcome, Reasons& reasons) const override {
    vmem::CompareAnswers(In(c), In(reference), In(outcome), reasons);
  }
  bool Relate(size_t relation, const Case& c, Case& into) const override {
    return vmem::Relations()[relation].relate(In(c), In(into));
  }
  void JudgeRelation(size_t relation, const Case& c, const Outcome& outcome, const Case&, const Outcome& related_outcome,
                     Reasons& reasons) const override {
    const vmem::RelationRow& row = vmem::Relations()[relation];
    row.judge(row.info.name, In(c), In(outcome), In(related_outcome), reasons);
  }
  void Reached(const Case& c, const Outcome& outcome, Reach& reach) const override {
    vmem::Reached(In(c), In(outcome), reach);
  }
  std::span<const MetricInfo> metrics() const override { return vmem::Metrics(); }
  bool Measure(const Case& c, const Outcome& outcome, std::span<double> values) const override {
    return vmem::MeasureAnswer(In(c), In(outcome), values);
  }
  bool CountsMemory() const override { return true; }
  std::optional<OverLimit> ExceedsLimit(const Case& c, const Outcome& outcome, uint64_t limit) const override {
    return vmem::ExceedsLimit(In(c), In(outcome), limit);
  }

  using Family::Draw;
  std::string Draw(const Case& c, const Outcome& outcome, const Verdict& verdict, const DrawOptions& options) const override {
    return vmem::DrawSvg(In(c), In(outcome), verdict, options);
  }
  std::string DrawStyle() const override { return vmem::DrawSvgStyle(); }
  std::string Explain(const Case& c, const Outcome& outcome) const override { return vmem::Explain(In(c), In(outcome)); }
};

}  // namespace

const Family& VmemFamily() {
  static const Vmem family;
  return family;
}

}  // namespace oomph
