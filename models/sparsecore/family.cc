// The row of the family sparsecore. See family.h; each method is one call into the file that does the work.
#include "models/sparsecore/family.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "models/base/rows.h"
#include "models/base/units.h"
#include "models/sparsecore/answer_text.h"
#include "models/sparsecore/compare.h"
#include "models/sparsecore/draw.h"
#include "models/sparsecore/explain.h"
#include "models/sparsecore/generate.h"
#include "models/sparsecore/metrics.h"
#include "models/sparsecore/mlir.h"
#include "models/sparsecore/oracles.h"
#include "models/sparsecore/promises.h"
#include "models/sparsecore/reach.h"
#include "models/sparsecore/reduce.h"
#include "models/sparsecore/relations.h"
#include "models/sparsecore/text.h"

namespace oomph {
namespace {

using sparsecore::Answer;
using sparsecore::Program;

const Program& In(const Case& c) { return static_cast<const CaseOf<Program>&>(c).value; }
Program& In(Case& c) { return static_cast<CaseOf<Program>&>(c).value; }
const Answer& In(const Outcome& o) { return static_cast<const OutcomeOf<Answer>&>(o).value; }
Answer& In(Outcome& o) { return static_cast<OutcomeOf<Answer>&>(o).value; }

class SparseCore final : public Family {
 public:
  std::string_view name() const override { return "sparsecore"; }
  std::string_view title() const override { return "SparseCore programs: where the planner puts each buffer, and which is the first that does not fit (E3000)"; }
  std::string_view extension() const override { return ".sc"; }
  std::string_view comment() const override { return "#"; }

  std::span<const PromiseInfo> promises() const override { return sparsecore::kPromises; }
  std::span<const std::string_view> features() const override { return sparsecore::kFeatures; }
  std::span<const OracleInfo> oracles() const override {
    static const auto infos = InfosOf(sparsecore::Oracles());
    return infos;
  }
  std::span<const RelationInfo> relations() const override {
    static const auto infos = InfosOf(sparsecore::Relations());
    return infos;
  }
  std::span<const std::string_view> reach_names() const override { return sparsecore::ReachNames(); }
  Reach expected_reach() const override { return sparsecore::ExpectedReach(); }

  std::unique_ptr<Case> NewCase() const override { return std::make_unique<CaseOf<Program>>(); }
  std::unique_ptr<Outcome> NewOutcome() const override { return std::make_unique<OutcomeOf<Answer>>(); }
  std::unique_ptr<Case> Clone(const Case& c) const override { return std::make_unique<CaseOf<Program>>(In(c)); }

  void Generate(Choices& choices, const GenerateOptions& options, Case& into) const override {
    sparsecore::GenerateProgram(choices, options, In(into));
  }
  void Mutate(Choices& choices, const GenerateOptions& options, Case& c, const Case& other) const override {
    sparsecore::MutateProgram(choices, options, In(c), In(other));
  }
  std::span<const ReductionInfo> reductions() const override { return sparsecore::ProgramReductions(); }
  std::unique_ptr<Edits> EditsOf(size_t reduction, const Case& base) const override {
    return sparsecore::ProgramEditsOf(reduction, In(base));
  }
  Fingerprint FingerprintOf(const Case& c) const override { return sparsecore::FingerprintOfProgram(In(c)); }
  // Without what only closes others.
  size_t Size(const Case& c) const override {
    const auto closes = [](const sparsecore::Statement& s) { return s.kind == sparsecore::Kind::kEnd || s.kind == sparsecore::Kind::kElse; };
    const auto& statements = In(c).statements;
    return statements.size() - static_cast<size_t>(std::count_if(statements.begin(), statements.end(), closes));
  }
  std::string_view counted() const override { return "statement"; }
  Bits64 FeaturesOf(const Case& c) const override { return sparsecore::FeaturesOf(In(c)); }

  bool Recognizes(std::string_view text) const override {
    return sparsecore::LooksLikeProgram(text) || sparsecore::LooksLikeMlir(text);
  }
  // Of MLIR the first program that has buffers, on the chip that it names or v6e.
  absl::Status Parse(std::string_view name, std::string_view text, Case& into) const override {
    if (!sparsecore::LooksLikeMlir(text)) return sparsecore::ParseProgram(name, text, In(into));
    return sparsecore::ReadFirstProgram(name, text, sparsecore::Target::kV6e, In(into));
  }
  std::string Print(const Case& c) const override { return sparsecore::PrintProgram(In(c)); }
  // Bytes of a tile's memory; its last word stands in place of the chip's.
  bool SetCapacity(Case& c, uint64_t capacity) const override {
    Program& program = In(c);
    const auto of_tiles = [](const sparsecore::SpaceLimit& limit) { return limit.space == SparseCoreSpace::kTileSpmem; };
    std::erase_if(program.limits, of_tiles);
    program.limits.push_back({SparseCoreSpace::kTileSpmem, std::nullopt, std::max(capacity / kWordBytes, uint64_t{1}) - 1});
    return true;
  }
  std::string PrintOutcome(const Case& c, const Outcome& outcome) const override {
    return sparsecore::PrintAnswer(In(c), In(outcome));
  }
  // What is agreed upon is the answer, as it is wanted in each case.
  std::string Remark(const Case&, const Outcome& outcome) const override { return "agree, " + sparsecore::Summary(In(outcome)); }
  std::string PackOutcome(const Outcome& outcome) const override { return sparsecore::PackAnswer(In(outcome)); }
  bool UnpackOutcome(std::string_view bytes, Outcome& into) const override { return sparsecore::UnpackAnswer(bytes, In(into)); }
  void MarkEnded(Outcome& outcome, size_t, Ending how, std::string_view note) const override {
    Answer& answer = In(outcome);
    answer = {};
    answer.status = how == Ending::kDied       ? sparsecore::Status::kDied
                    : how == Ending::kTimedOut ? sparsecore::Status::kHung
                                               : sparsecore::Status::kNotRun;
    answer.why = note;
  }

  void Judge(const Case& c, const Outcome& outcome, Bits64 promises, Reasons& reasons) const override {
    sparsecore::JudgeAnswer(In(c), In(outcome), promises, reasons);
  }
  void Compare(const Case& c, const Outcome& reference, const Outcome& outcome, Reasons& reasons) const override {
    sparsecore::CompareAnswers(In(c), In(reference), In(outcome), reasons);
  }
  bool Relate(size_t relation, const Case& c, Case& into) const override {
    return sparsecore::Relations()[relation].relate(In(c), In(into));
  }
  void JudgeRelation(size_t relation, const Case& c, const Outcome& outcome, const Case&, const Outcome& related_outcome,
                     Reasons& reasons) const override {
    const sparsecore::RelationRow& row = sparsecore::Relations()[relation];
    row.judge(row.info.name, In(c), In(outcome), In(related_outcome), reasons);
  }
  void Reached(const Case& c, const Outcome& outcome, Reach& reach) const override {
    sparsecore::Reached(In(c), In(outcome), reach);
  }
  std::span<const MetricInfo> metrics() const override { return sparsecore::Metrics(); }
  bool Measure(const Case& c, const Outcome& outcome, std::span<double> values) const override {
    return sparsecore::MeasureAnswer(In(c), In(outcome), values);
  }
  bool CountsMemory() const override { return true; }
  std::optional<OverLimit> ExceedsLimit(const Case& c, const Outcome& outcome, uint64_t limit) const override {
    return sparsecore::ExceedsLimit(In(c), In(outcome), limit);
  }

  using Family::Draw;
  std::string Draw(const Case& c, const Outcome& outcome, const Verdict& verdict, const DrawOptions& options) const override {
    return sparsecore::DrawSvg(In(c), In(outcome), verdict, options);
  }
  std::string DrawStyle() const override { return sparsecore::DrawSvgStyle(); }
  std::string Explain(const Case& c, const Outcome& outcome) const override { return sparsecore::Explain(In(c), In(outcome)); }
};

}  // namespace

const Family& SparseCoreFamily() {
  static const SparseCore family;
  return family;
}

}  // namespace oomph
