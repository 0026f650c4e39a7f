// See compare.h.
#include "models/placement/compare.h"

#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/str_format.h"

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

}  // namespace

void ComparePlans(const Problem& problem, const Plan& reference, const Plan& plan, Reasons& reasons) {
  if (reference.status == Status::kNotRun || plan.status == Status::kNotRun) return;
  const size_t last = problem.buffers.empty() ? 0 : problem.buffers.size() - 1;
  if (!SameStatus(reference, plan)) {
    reasons.Add(kEqualsReference, "status", 0,
                absl::StrFormat("the status is %d, the reference has %d", static_cast<int>(plan.status),
                                static_cast<int>(reference.status)));
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
