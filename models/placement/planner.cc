// See planner.h. Here: the planners' names, and who answers for which.
#include "models/placement/planner.h"

#include <array>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "models/placement/exact.h"
#include "models/placement/heaps.h"

namespace oomph::placement {
namespace {

constexpr std::array<std::string_view, kNumPlanners> kWords = {
    "decreasing_size", "temporal", "by_start",   "by_area",         "by_duration",
    "best_of_all",     "repacker", "exhaustive", "branch_and_bound"};

absl::Status Unknown(const std::string& word) {
  std::vector<std::string> words(kWords.begin(), kWords.end());
  return absl::InvalidArgumentError(absl::StrCat("no planner is called \"", word, "\"; there are ",
                                                 absl::StrJoin(words, ", "),
                                                 "; the last two also take nodes=N, a budget of at least 1"));
}

}  // namespace

absl::StatusOr<PlannerOptions> ParsePlanner(std::string_view variant) {
  PlannerOptions options;
  const std::vector<std::string> parts = absl::StrSplit(std::string(variant), ',');
  for (size_t i = 0; i < kWords.size(); ++i) {
    if (kWords[i] != parts[0]) continue;
    options.planner = static_cast<Planner>(i);
    if (parts.size() == 1) return options;
    const bool exact = options.planner == Planner::kExhaustive || options.planner == Planner::kBranchAndBound;
    constexpr std::string_view kNodes = "nodes=";
    if (!exact || parts.size() > 2 || parts[1].compare(0, kNodes.size(), kNodes) != 0 ||
        !absl::SimpleAtoi(parts[1].substr(kNodes.size()), &options.nodes) || options.nodes == 0) {
      break;
    }
    return options;
  }
  return Unknown(std::string(variant));
}

std::string PlannerWord(const PlannerOptions& options) {
  const std::string word(kWords[static_cast<size_t>(options.planner)]);
  return options.nodes == 0 ? word : absl::StrCat(word, ",nodes=", options.nodes);
}

std::span<const std::string_view> PlannerWords() { return kWords; }

void RunModel(const Problem& problem, const PlannerOptions& options, Plan& plan) {
  const bool exact = options.planner == Planner::kExhaustive || options.planner == Planner::kBranchAndBound;
  exact ? RunExactPlanner(problem, options, plan) : RunHeuristic(problem, options, plan);
}

}  // namespace oomph::placement
