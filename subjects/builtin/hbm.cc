// See hbm.h.
#include "subjects/builtin/hbm.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "models/hbm/allocator.h"
#include "models/hbm/family.h"
#include "models/hbm/outcome.h"
#include "models/hbm/specification.h"
#include "models/hbm/trace.h"
#include "subjects/plugin/hbm_child.h"
#include "subjects/step_timer.h"

namespace oomph {
namespace {

using RunTrace = void (*)(const hbm::Trace& trace, hbm::TraceOutcome& outcome, StepTimes* times);

// All bits that stand for a row.
Bits64 AllOf(size_t rows) { return rows >= 64 ? ~Bits64{0} : (Bits64{1} << rows) - 1; }

class ModelSubject final : public Subject, public StepTimer {
 public:
  ModelSubject(std::string name, RunTrace run) : run_(run) {
    const Family& family = HbmFamily();
    info_.family = &family;
    info_.name = std::move(name);
    info_.version = "built in";
    info_.promises = AllOf(family.promises().size());
    info_.features = AllOf(family.features().size());
    for (const PromiseInfo& promise : family.promises()) {
      info_.promise_sources.push_back(
          absl::StrCat(std::string(promise.name), ": docs/FACTS.md, rules of the HBM models"));
    }
  }
  const SubjectInfo& info() const override { return info_; }
  void Run(const Case& c, Outcome& outcome) override {
    run_(static_cast<const CaseOf<hbm::Trace>&>(c).value,
         static_cast<OutcomeOf<hbm::TraceOutcome>&>(outcome).value, times_);
  }
  void TimeSteps(StepTimes* into) override { times_ = into; }

 private:
  const RunTrace run_;
  StepTimes* times_ = nullptr;
  SubjectInfo info_;
};

SubjectRow ModelRow(const std::string& name, RunTrace run, std::string title,
                    std::string reference) {
  SubjectRow row;
  row.family = &HbmFamily();
  row.name = name;
  row.variants = {""};
  row.title = std::move(title);
  row.reference = std::move(reference);
  row.make = [name, run](const std::string& variant,
                         bool in_child) -> absl::StatusOr<std::unique_ptr<Subject>> {
    if (!variant.empty()) {
      return absl::InvalidArgumentError(absl::StrCat("subject ", name, " has no variants"));
    }
    if (!in_child) return std::make_unique<ModelSubject>(name, run);
    ChildSpec child = HbmChildSpec();
    child.name = name;
    child.make = [name, run](Journal&) -> absl::StatusOr<std::unique_ptr<Subject>> {
      return std::make_unique<ModelSubject>(name, run);
    };
    return ChildSubject::Start(std::move(child));
  };
  return row;
}

}  // namespace

std::vector<SubjectRow> BuiltinHbmRows() {
  return {
      ModelRow("model", &hbm::RunModel, "the HBM runtime allocator, fast model", "specification"),
      ModelRow("specification", &hbm::RunSpecification,
               "the HBM runtime allocator, naive and obviously right", ""),
  };
}

}  // namespace oomph
