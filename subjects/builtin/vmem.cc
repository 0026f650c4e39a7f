// See vmem.h.
#include "subjects/builtin/vmem.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "models/vmem/allocator.h"
#include "models/vmem/family.h"
#include "models/vmem/promises.h"
#include "models/vmem/specification.h"
#include "subjects/child/child.h"

namespace oomph {
namespace {

using RunKernel = void (*)(const vmem::Kernel&, vmem::Answer&);

class VmemSubject final : public Subject {
 public:
  VmemSubject(const std::string& name, RunKernel run) : run_(run) {
    const Family& family = VmemFamily();
    info_.family = &family;
    info_.name = name;
    info_.version = "built in";
    info_.promises = vmem::promise::kAll;
    for (const PromiseInfo& promise : family.promises()) {
      info_.promise_sources.push_back(absl::StrCat(std::string(promise.name), ": docs/FACTS.md, scoped VMEM"));
    }
  }
  const SubjectInfo& info() const override { return info_; }
  void Run(const Case& c, Outcome& outcome) override {
    run_(static_cast<const CaseOf<vmem::Kernel>&>(c).value, static_cast<OutcomeOf<vmem::Answer>&>(outcome).value);
  }

 private:
  const RunKernel run_;
  SubjectInfo info_;
};

SubjectRow RowOf(const std::string& name, RunKernel run, std::string title, std::string reference) {
  SubjectRow row;
  row.family = &VmemFamily();
  row.name = name;
  row.variants = {""};
  row.title = std::move(title);
  row.reference = std::move(reference);
  row.make = [name, run](const std::string& variant, bool in_child) -> absl::StatusOr<std::unique_ptr<Subject>> {
    if (!variant.empty()) return absl::InvalidArgumentError(absl::StrCat("no variant \"", variant, "\"; there are none"));
    const auto make = [=] { return std::make_unique<VmemSubject>(name, run); };
    if (!in_child) return make();
    ChildSpec child;
    child.family = &VmemFamily();
    child.name = name;
    child.make = [make](Journal&) -> absl::StatusOr<std::unique_ptr<Subject>> { return make(); };
    return ChildSubject::Start(std::move(child));
  };
  return row;
}

void RunSpecification(const vmem::Kernel& kernel, vmem::Answer& into) { vmem::Specification().Run(kernel, into); }

}  // namespace

std::vector<SubjectRow> BuiltinVmemRows() {
  return {
      RowOf("model", &vmem::RunModel, "padding, windows, scratch, stack, limits: what a kernel needs, fast", "specification"),
      RowOf("specification", &RunSpecification, "the same, naive and obviously right", ""),
  };
}

}  // namespace oomph
