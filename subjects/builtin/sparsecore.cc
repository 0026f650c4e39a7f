// See sparsecore.h.
#include "subjects/builtin/sparsecore.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "models/sparsecore/family.h"
#include "models/sparsecore/planner.h"
#include "models/sparsecore/promises.h"
#include "models/sparsecore/specification.h"
#include "subjects/child/child.h"

namespace oomph {
namespace {

using RunProgram = void (*)(const sparsecore::Program&, sparsecore::Answer&);

class SparseCoreSubject final : public Subject {
 public:
  SparseCoreSubject(const std::string& name, RunProgram run) : run_(run) {
    const Family& family = SparseCoreFamily();
    info_.family = &family;
    info_.name = name;
    info_.version = "built in";
    info_.promises = sparsecore::promise::kAll;
    for (const PromiseInfo& promise : family.promises()) {
      info_.promise_sources.push_back(absl::StrCat(std::string(promise.name), ": docs/FACTS.md, SparseCore"));
    }
  }
  const SubjectInfo& info() const override { return info_; }
  void Run(const Case& c, Outcome& outcome) override {
    run_(static_cast<const CaseOf<sparsecore::Program>&>(c).value, static_cast<OutcomeOf<sparsecore::Answer>&>(outcome).value);
  }

 private:
  const RunProgram run_;
  SubjectInfo info_;
};

SubjectRow RowOf(const std::string& name, RunProgram run, std::string title, std::string reference) {
  SubjectRow row;
  row.family = &SparseCoreFamily();
  row.name = name;
  row.variants = {""};
  row.title = std::move(title);
  row.reference = std::move(reference);
  row.make = [name, run](const std::string& variant, bool in_child) -> absl::StatusOr<std::unique_ptr<Subject>> {
    if (!variant.empty()) return absl::InvalidArgumentError(absl::StrCat("no variant \"", variant, "\"; there are none"));
    const auto make = [=] { return std::make_unique<SparseCoreSubject>(name, run); };
    if (!in_child) return make();
    ChildSpec child;
    child.family = &SparseCoreFamily();
    child.name = name;
    child.make = [make](Journal&) -> absl::StatusOr<std::unique_ptr<Subject>> { return make(); };
    return ChildSubject::Start(std::move(child));
  };
  return row;
}

void RunSpecification(const sparsecore::Program& program, sparsecore::Answer& into) { sparsecore::Specification().Run(program, into); }

}  // namespace

std::vector<SubjectRow> BuiltinSparseCoreRows() {
  return {
      RowOf("model", &sparsecore::RunModel, "padding, hoisting, frames, limits: where each buffer of a SparseCore goes, fast", "specification"),
      RowOf("specification", &RunSpecification, "the same, naive and obviously right", ""),
  };
}

}  // namespace oomph
