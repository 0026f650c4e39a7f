// See hlo.h.
#include "subjects/builtin/hlo.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "models/hlo/family.h"
#include "models/hlo/generate.h"
#include "models/hlo/model.h"
#include "models/hlo/promises.h"
#include "models/hlo/specification.h"
#include "subjects/child/child.h"

namespace oomph {
namespace {

using RunModule = void (*)(const hlo::Module&, hlo::Order, hlo::Answer&);

// "order=text" and so on, by hlo::Order.
constexpr std::string_view kOrder = "order=";

class HloSubject final : public Subject {
 public:
  HloSubject(const std::string& name, const std::string& variant, hlo::Order order, RunModule run)
      : order_(order), run_(run) {
    const Family& family = HloFamily();
    info_.family = &family;
    info_.name = name;
    info_.variant = variant;
    info_.version = "built in";
    // An order that is chosen by what there is may turn on whatever a rewrite adds.
    info_.promises = order == hlo::Order::kText ? hlo::promise::kAll : hlo::promise::kAll & ~hlo::promise::kMeaning;
    for (size_t i = 0; i < family.promises().size(); ++i) {
      if ((info_.promises >> i & 1) == 0) continue;
      info_.promise_sources.push_back(absl::StrCat(std::string(family.promises()[i].name), ": docs/FACTS.md, HLO"));
    }
  }
  const SubjectInfo& info() const override { return info_; }
  void Run(const Case& c, Outcome& outcome) override {
    run_(static_cast<const CaseOf<hlo::Module>&>(c).value, order_, static_cast<OutcomeOf<hlo::Answer>&>(outcome).value);
  }

 private:
  const hlo::Order order_;
  const RunModule run_;
  SubjectInfo info_;
};

absl::StatusOr<hlo::Order> OrderOf(const std::string& variant) {
  if (variant.empty()) return hlo::Order::kText;
  const std::string_view word = std::string_view(variant).substr(std::min(variant.size(), kOrder.size()));
  const auto found = std::find(std::begin(hlo::kOrderNames), std::end(hlo::kOrderNames), word);
  if (variant.starts_with(kOrder) && found != std::end(hlo::kOrderNames)) {
    return static_cast<hlo::Order>(found - std::begin(hlo::kOrderNames));
  }
  std::vector<std::string> names(std::begin(hlo::kOrderNames), std::end(hlo::kOrderNames));
  return absl::InvalidArgumentError(absl::StrCat("no variant \"", variant, "\"; there are order=", absl::StrJoin(names, ", order=")));
}

SubjectRow RowOf(const std::string& name, RunModule run, std::string title, std::string reference) {
  SubjectRow row;
  row.family = &HloFamily();
  row.name = name;
  row.variants = {""};
  row.title = std::move(title);
  row.reference = std::move(reference);
  row.reference_variant = [](const std::string& variant) { return variant; };
  row.make = [name, run](const std::string& variant, bool in_child) -> absl::StatusOr<std::unique_ptr<Subject>> {
    const absl::StatusOr<hlo::Order> order = OrderOf(variant);
    if (!order.ok()) return order.status();
    const auto make = [=, order = *order] { return std::make_unique<HloSubject>(name, variant, order, run); };
    if (!in_child) return make();
    ChildSpec child;
    child.family = &HloFamily();
    child.name = name;
    child.make = [make](Journal&) -> absl::StatusOr<std::unique_ptr<Subject>> { return make(); };
    return ChildSubject::Start(std::move(child));
  };
  return row;
}

}  // namespace

std::vector<SubjectRow> BuiltinHloRows() {
  return {
      RowOf("model", hlo::RunModel, "reader, verifier, printer and live ranges, through the text; also order=breadth-first, order=least-memory", "specification"),
      RowOf("specification", hlo::RunSpecification, "the module as it is, its memory counted by an interpreter", ""),
  };
}

}  // namespace oomph
