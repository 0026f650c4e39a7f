// See planner_row.h.
#include "subjects/planner/planner_row.h"

#include <memory>
#include <utility>

#include "subjects/planner/placement_child.h"
#include "subjects/planner/planner_library.h"
#include "subjects/plugin/description.h"

namespace oomph {
namespace {

using LibraryPtr = std::shared_ptr<const PlannerLibrary>;

// One variant of a planner, in this process.
class PlannerSubject final : public Subject {
 public:
  PlannerSubject(LibraryPtr library, const PlannerRowSpec& spec, const std::string& variant)
      : library_(std::move(library)), prepare_(spec.prepare) {
    info_.family = spec.family;
    info_.name = spec.name;
    info_.variant = variant;
    const char* version = library_->info().version;
    info_.version = version == nullptr ? "" : version;
  }
  absl::Status TakeDescription() { return oomph::TakeDescription(library_->path(), library_->info(), info_); }

  const SubjectInfo& info() const override { return info_; }
  void Prepare(Case& c) const override {
    if (prepare_) prepare_(info_.variant, c);
  }
  void Run(const Case& c, Outcome& outcome) override {
    library_->Plan(static_cast<const CaseOf<placement::Problem>&>(c).value, info_.variant,
                   static_cast<OutcomeOf<placement::Plan>&>(outcome).value);
  }

 private:
  const LibraryPtr library_;
  const std::function<void(const std::string&, Case&)> prepare_;
  SubjectInfo info_;
};

absl::StatusOr<std::unique_ptr<Subject>> Make(const PlannerRowSpec& spec, const std::string& variant) {
  const auto library = PlannerLibrary::Load(spec.path);
  if (!library.ok()) return library.status();
  const auto refuses = [&] {  // no buffers at all
    placement::Plan plan;
    (*library)->Plan(placement::Problem(), variant, plan);
    return plan.status == placement::Status::kInvalid;
  };
  absl::Status status = CheckForeignVariant(spec.path, (*library)->Variants(), variant, refuses);
  if (!status.ok()) return status;
  auto subject = std::make_unique<PlannerSubject>(*library, spec, variant);
  if (status = subject->TakeDescription(); !status.ok()) return status;
  return subject;
}

absl::StatusOr<PluginDescription> Describe(const std::string& path) {
  const auto library = PlannerLibrary::Load(path);
  if (!library.ok()) return library.status();
  const oomph_planner_info& info = (*library)->info();
  return PluginDescription{PluginTitle(info.name, info.version), (*library)->Variants()};
}

constexpr ForeignKind kPlanner = {Describe, Make, PlacementChildSpec};

}  // namespace

absl::StatusOr<SubjectRow> FindPlanner(const PlannerRowSpec& spec) { return FindForeign(spec, kPlanner); }
SubjectRow PlannerRow(const PlannerRowSpec& spec) { return ForeignRow(spec, kPlanner); }

}  // namespace oomph
