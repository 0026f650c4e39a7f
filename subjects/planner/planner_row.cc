// See planner_row.h.
#include "subjects/planner/planner_row.h"

#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "subjects/planner/placement_child.h"
#include "subjects/planner/planner_library.h"
#include "subjects/plugin/plugin_row.h"

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
  absl::Status TakePromises();
  absl::Status TakeFeatures();

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

// The position of `name` among the names that a family has for it; an error that lists them.
absl::StatusOr<size_t> Find(const std::string& path, const char* what, const char* name,
                            const std::vector<std::string>& known) {
  const std::string word = name == nullptr ? "" : name;
  const auto found = std::find(known.begin(), known.end(), word);
  if (found != known.end()) return static_cast<size_t>(found - known.begin());
  return absl::InvalidArgumentError(absl::StrCat(path, ": names the ", what, " \"", word,
                                                 "\", which is none of ", absl::StrJoin(known, ", ")));
}

absl::Status PlannerSubject::TakePromises() {
  std::vector<std::string> known;
  for (const PromiseInfo& promise : info_.family->promises()) known.emplace_back(promise.name);
  std::vector<std::string> sources(known.size());
  for (size_t i = 0; i < library_->info().num_promises; ++i) {
    const oomph_planner_promise& promise = library_->info().promises[i];
    const auto index = Find(library_->path(), "promise", promise.name, known);
    if (!index.ok()) return index.status();
    info_.promises |= Bits64{1} << *index;
    sources[*index] =
        absl::StrCat(promise.name, ": ", promise.source == nullptr ? "no source given" : promise.source);
  }
  for (std::string& source : sources) {
    if (!source.empty()) info_.promise_sources.push_back(std::move(source));
  }
  return absl::OkStatus();
}

absl::Status PlannerSubject::TakeFeatures() {
  std::vector<std::string> known;
  for (const std::string_view feature : info_.family->features()) known.emplace_back(feature);
  info_.features = 0;
  for (size_t i = 0; i < library_->info().num_features; ++i) {
    const auto index = Find(library_->path(), "feature", library_->info().features[i], known);
    if (!index.ok()) return index.status();
    info_.features |= Bits64{1} << *index;
  }
  return absl::OkStatus();
}

// Variants that the plugin does not list are taken too, as long as it does not refuse them for no buffers at all.
absl::Status CheckVariant(const PlannerLibrary& library, const std::string& variant) {
  const std::vector<std::string> listed = library.Variants();
  if (std::find(listed.begin(), listed.end(), variant) != listed.end()) return absl::OkStatus();
  placement::Plan plan;
  library.Plan(placement::Problem(), variant, plan);
  if (plan.status != placement::Status::kInvalid) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(library.path(), ": does not take the options \"", variant,
                                                 "\"; its variants are ", absl::StrJoin(listed, " ")));
}

absl::StatusOr<std::unique_ptr<Subject>> Make(const PlannerRowSpec& spec, const std::string& variant) {
  const auto library = PlannerLibrary::Load(spec.path);
  if (!library.ok()) return library.status();
  if (absl::Status status = CheckVariant(**library, variant); !status.ok()) return status;
  auto subject = std::make_unique<PlannerSubject>(*library, spec, variant);
  if (absl::Status status = subject->TakePromises(); !status.ok()) return status;
  if (absl::Status status = subject->TakeFeatures(); !status.ok()) return status;
  return subject;
}

absl::StatusOr<std::unique_ptr<Subject>> Start(const PlannerRowSpec& spec, const std::string& variant,
                                               bool in_child) {
  if (!in_child) return Make(spec, variant);
  ChildSpec child = PlacementChildSpec(*spec.family);
  child.name = spec.path;
  child.limits = spec.limits;
  if (spec.prepare) {
    child.prepare = [prepare = spec.prepare, variant](Case& c) { prepare(variant, c); };
  }
  child.make = [spec, variant](Journal&) { return Make(spec, variant); };
  return ChildSubject::Start(std::move(child));
}

absl::StatusOr<PluginDescription> Describe(const std::string& path) {
  const auto library = PlannerLibrary::Load(path);
  if (!library.ok()) return library.status();
  const oomph_planner_info& info = (*library)->info();
  return PluginDescription{PluginTitle(info.name, info.version), (*library)->Variants()};
}

SubjectRow RowFor(const PlannerRowSpec& spec) {
  SubjectRow row;
  row.family = spec.family;
  row.name = spec.name;
  row.spec = spec.spec;
  row.title = spec.title;
  row.reference = spec.reference;
  row.reference_variant = spec.reference_variant;
  row.make = [spec](const std::string& variant, bool in_child) { return Start(spec, variant, in_child); };
  row.variants = {""};
  return row;
}

}  // namespace

absl::StatusOr<SubjectRow> FindPlanner(const PlannerRowSpec& spec) {
  SubjectRow row = RowFor(spec);
  if (!spec.how_to_get.empty() && access(spec.path.c_str(), F_OK) != 0) {
    return absl::NotFoundError(absl::StrCat(spec.path, " is not there: ", spec.how_to_get));
  }
  if (!spec.variants.empty()) {
    row.variants = spec.variants;
    return row;
  }
  const auto description = DescribeInChild(spec.path, Describe);
  if (!description.ok()) return description.status();
  if (row.title.empty()) row.title = description->title;
  row.variants = description->variants;
  return row;
}

SubjectRow PlannerRow(const PlannerRowSpec& spec) {
  const auto found = FindPlanner(spec);
  if (found.ok()) return *found;
  SubjectRow row = RowFor(spec);
  row.absent = std::string(found.status().message());
  return row;
}

}  // namespace oomph
