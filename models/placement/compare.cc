// See compare.h.
#include "models/placement/compare.h"

#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/str_format.h"
#include "models/placement/text.h"

namespace oomph::placement {
namespace {

bool IsPlaced(Status status) { return status == Status::kOptimal || status == Status::kFeasible; }
bool SaysNo(Status status) { return status == Status::kInfeasible || status == Status::kNotFound; }

// A planner that tells no bound claims no proof: it says "feasible" and "not found" for what another has proved.
bool SameStatus(const Plan& a, const Plan& b) {
  if (a.status == b.status) return true;
  if (a.lower_bound && b.lower_bound) return false;
  return (IsPlaced(a.status) && IsPlaced(b.status)) || (SaysNo(a.status) && SaysNo(b.status));
}

// What went another way: a placement on one side only, two kinds of it, or an end that is no answer.
std::string_view StatusDetail(Status reference, Status status) {
  if (IsPlaced(reference) && SaysNo(status)) return "status_refused";
  if (SaysNo(reference) && IsPlaced(status)) return "status_placed";
  if (IsPlaced(reference) && IsPlaced(status)) return "status_proof";
  if (SaysNo(reference) && SaysNo(status)) return "status_proof";
  return "status";
}

}  // namespace

void ComparePlans(const Problem& problem, const Plan& reference, const Plan& plan, Reasons& reasons) {
  if (reference.status == Status::kNotRun || plan.status == Status::kNotRun) return;
  const size_t last = problem.buffers.empty() ? 0 : problem.buffers.size() - 1;
  if (!SameStatus(reference, plan)) {
    reasons.Add(kEqualsReference, StatusDetail(reference.status, plan.status), 0,
                absl::StrFormat("the status is %s, the reference has %s", std::string(StatusWord(plan.status)),
                                std::string(StatusWord(reference.status))));
    return;
  }
  const size_t told = std::min({reference.offsets.size(), plan.offsets.size(), problem.buffers.size()});
  for (size_t i = 0; i < told; ++i) {
    const auto &a = reference.offsets[i], &b = plan.offsets[i];
    if (a == b) continue;
    const auto text = [](const auto& offset) { return offset ? absl::StrFormat("%u", *offset) : std::string("none"); };
    reasons.Add(kEqualsReference, "offset", i,
                absl::StrFormat("the offset is %s, the reference has %s", text(b), text(a)));
    return;
  }
  const auto same = [&](std::string_view what, std::optional<uint64_t> a, std::optional<uint64_t> b) {
    if (!a || !b || *a == *b) return true;
    reasons.Add(kEqualsReference, what, last, absl::StrFormat("the %s is %u, the reference has %u", what, *b, *a));
    return false;
  };
  if (same("peak", reference.peak, plan.peak) && same("lower_bound", reference.lower_bound, plan.lower_bound)) {
    (void)same("nodes", reference.nodes, plan.nodes);
  }
}

}  // namespace oomph::placement
