// See placement.h.
#include "subjects/builtin/placement.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "models/placement/family.h"
#include "models/placement/plan.h"
#include "models/placement/problem.h"
#include "models/placement/promises.h"
#include "subjects/planner/placement_child.h"

namespace oomph {
namespace {

using placement::Planner;
using RunPlanner = void (*)(const placement::Problem&, const placement::PlannerOptions&, placement::Plan&);

class PlannerSubject final : public Subject {
 public:
  PlannerSubject(const std::string& name, const placement::PlannerOptions& options, RunPlanner run)
      : options_(options), run_(run) {
    const Family& family = PlacementFamily();
    info_.family = &family;
    info_.name = name;
    info_.variant = placement::PlannerWord(options);
    info_.version = "built in";
    info_.promises = PlannerPromises(options.planner);
    info_.features = PlannerFeatures(options.planner);
    for (size_t i = 0; i < family.promises().size(); ++i) {
      if ((info_.promises >> i & 1) == 0) continue;
      info_.promise_sources.push_back(
          absl::StrCat(std::string(family.promises()[i].name), ": docs/FACTS.md, placement planners"));
    }
  }
  const SubjectInfo& info() const override { return info_; }
  void Run(const Case& c, Outcome& outcome) override {
    run_(static_cast<const CaseOf<placement::Problem>&>(c).value, options_,
         static_cast<OutcomeOf<placement::Plan>&>(outcome).value);
  }

 private:
  const placement::PlannerOptions options_;
  const RunPlanner run_;
  SubjectInfo info_;
};

SubjectRow PlannerRowOf(const std::string& name, RunPlanner run, std::string title, std::string reference) {
  SubjectRow row;
  row.family = &PlacementFamily();
  row.name = name;
  for (const std::string_view word : placement::PlannerWords()) row.variants.emplace_back(word);
  row.title = std::move(title);
  row.reference = std::move(reference);
  // Also of a variant that is not listed, such as one with a budget.
  row.reference_variant = [](const std::string& variant) { return variant; };
  row.make = [name, run](const std::string& variant, bool in_child) -> absl::StatusOr<std::unique_ptr<Subject>> {
    const absl::StatusOr<placement::PlannerOptions> options = placement::ParsePlanner(variant);
    if (!options.ok()) return options.status();
    const auto make = [name, run, options = *options] {
      return std::make_unique<PlannerSubject>(name, options, run);
    };
    if (!in_child) return make();
    ChildSpec child = PlacementChildSpec(PlacementFamily());
    child.name = name;
    child.make = [make](Journal&) -> absl::StatusOr<std::unique_ptr<Subject>> { return make(); };
    return ChildSubject::Start(std::move(child));
  };
  return row;
}

}  // namespace

Bits64 PlannerPromises(Planner planner) {
  namespace promise = placement::promise;
  // What each keeps, and what only those do that look at every placement.
  constexpr Bits64 kEach = promise::kOffsets | promise::kPeak | promise::kLowerBound | promise::kTotal |
                           promise::kDeterminism | promise::kUnits;
  switch (planner) {
    case Planner::kExhaustive:
    case Planner::kBranchAndBound:
      return promise::kAll;
    // Their keys do not know in which direction time runs.
    case Planner::kDecreasingSize:
    case Planner::kByArea:
    case Planner::kByDuration:
      return kEach | promise::kIndependence | promise::kReversal;
    case Planner::kBestOfAll:
      return kEach;  // one planner may be best for one part, another for the other
    default:
      return kEach | promise::kIndependence;
  }
}

Bits64 PlannerFeatures(Planner planner) {
  constexpr Bits64 kAll = (Bits64{1} << placement::feature::kNumFeatures) - 1;
  return planner == Planner::kExhaustive ? kAll & ~(Bits64{1} << placement::feature::kMany) : kAll;
}

std::vector<SubjectRow> BuiltinPlacementRows() {
  return {
      PlannerRowOf("model", &placement::RunModel, "planners: heuristics, exhaustive, branch and bound; fast",
                   "specification"),
      PlannerRowOf("specification", &placement::RunSpecification, "the same, naive and obviously right", ""),
  };
}

}  // namespace oomph
