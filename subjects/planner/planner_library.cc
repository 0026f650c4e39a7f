// See planner_library.h.
#include "subjects/planner/planner_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "models/placement/footprint.h"
#include "subjects/plugin/description.h"
#include "subjects/plugin/plugin.h"

namespace oomph {
namespace {

// The problem as the plugin sees it; all of it points into `problem` or into this.
class Request {
 public:
  Request(const placement::Problem& problem, const std::string& options) {
    ReserveLists(problem);
    buffers_.reserve(problem.buffers.size());
    for (const placement::Buffer& buffer : problem.buffers) buffers_.push_back(BufferFor(buffer));
    problem_.struct_bytes = sizeof problem_;
    problem_.has_capacity = problem.capacity ? 1 : 0;
    problem_.capacity = problem.capacity.value_or(0);
    problem_.buffers = buffers_.data();
    problem_.num_buffers = buffers_.size();
    problem_.options = options.c_str();
  }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;
  const oomph_problem* get() const { return &problem_; }

 private:
  // So that no pointer into them moves.
  void ReserveLists(const placement::Problem& problem) {
    size_t gaps = 0, slices = 0;
    for (const placement::Buffer& buffer : problem.buffers) {
      gaps += buffer.gaps.size();
      slices += buffer.slices.size();
    }
    gaps_.reserve(gaps);
    slices_.reserve(slices);
  }

  oomph_buffer BufferFor(const placement::Buffer& buffer) {
    oomph_buffer to = {};
    to.id = buffer.id.c_str();
    to.size = buffer.size;
    to.alignment = placement::AlignmentOf(buffer);
    to.start = buffer.start;
    to.end = buffer.end;
    to.fixed = buffer.fixed.value_or(0);
    to.hint = buffer.hint.value_or(0);
    to.has = (buffer.fixed ? OOMPH_BUFFER_HAS_FIXED : 0) | (buffer.hint ? OOMPH_BUFFER_HAS_HINT : 0);
    to.space = buffer.space;
    to.group = buffer.group;
    to.gaps = gaps_.data() + gaps_.size();
    to.num_gaps = buffer.gaps.size();
    for (const placement::Gap& gap : buffer.gaps) {
      gaps_.push_back({gap.lower, gap.upper, gap.window_lower, gap.window_upper});
    }
    to.slices = slices_.data() + slices_.size();
    to.num_slices = buffer.slices.size();
    for (const placement::Slice& slice : buffer.slices) slices_.push_back({slice.size, slice.start});
    return to;
  }

  std::vector<oomph_buffer> buffers_;
  std::vector<oomph_gap> gaps_;
  std::vector<oomph_slice> slices_;
  oomph_problem problem_ = {};
};

placement::Status StatusOf(int code) {
  switch (code) {
    case OOMPH_PLAN_OPTIMAL:
      return placement::Status::kOptimal;
    case OOMPH_PLAN_FEASIBLE:
      return placement::Status::kFeasible;
    case OOMPH_PLAN_NOT_FOUND:
      return placement::Status::kNotFound;
    case OOMPH_PLAN_INFEASIBLE:
      return placement::Status::kInfeasible;
    case OOMPH_PLAN_TIMEOUT:
      return placement::Status::kTimeout;
    case OOMPH_PLAN_INVALID:
      return placement::Status::kInvalid;
    default:
      return placement::Status::kRubbish;
  }
}

void TakeAnswer(int code, const oomph_plan& answer, const std::vector<uint64_t>& offsets, placement::Plan& plan) {
  plan.status = StatusOf(code);
  plan.note = std::string(answer.note, strnlen(answer.note, sizeof answer.note));
  std::replace_if(plan.note.begin(), plan.note.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  if (plan.status == placement::Status::kRubbish) {
    plan.note = absl::StrCat("oomph_planner_plan gave ", code, ", which is no status");
    return;
  }
  plan.budget_spent = answer.budget_spent != 0;
  if ((answer.valid & OOMPH_PLAN_HAS_PEAK) != 0) plan.peak = answer.peak;
  if ((answer.valid & OOMPH_PLAN_HAS_LOWER_BOUND) != 0) plan.lower_bound = answer.lower_bound;
  if ((answer.valid & OOMPH_PLAN_HAS_NODES) != 0) plan.nodes = answer.nodes;
  if ((answer.valid & OOMPH_PLAN_HAS_OFFSETS) == 0) return;
  plan.offsets.reserve(offsets.size());
  for (const uint64_t offset : offsets) {
    plan.offsets.push_back(offset == OOMPH_NO_OFFSET ? std::nullopt : std::optional(offset));
  }
}

}  // namespace

absl::StatusOr<std::shared_ptr<const PlannerLibrary>> PlannerLibrary::Load(const std::string& path) {
  const auto library = LoadLibrary(path);
  if (!library.ok()) return library.status();
  Calls calls;
  calls.query = reinterpret_cast<decltype(calls.query)>(dlsym(*library, "oomph_planner_query"));
  calls.plan = reinterpret_cast<decltype(calls.plan)>(dlsym(*library, "oomph_planner_plan"));
  auto loaded = Of(path, calls);
  if (!loaded.ok()) dlclose(*library);
  return loaded;
}

absl::StatusOr<std::shared_ptr<const PlannerLibrary>> PlannerLibrary::Of(const std::string& name, const Calls& calls) {
  if (calls.query == nullptr) {
    return absl::UnimplementedError(absl::StrCat(name, ": not a planner: does not define oomph_planner_query"));
  }
  if (calls.plan == nullptr) return RefusePlugin(name, "does not define oomph_planner_plan");
  const auto info = QueryDescription<oomph_planner_info>(name, "planner", OOMPH_PLANNER_ABI_VERSION, calls.query);
  if (!info.ok()) return info.status();
  return std::shared_ptr<const PlannerLibrary>(new PlannerLibrary(name, calls, *info));
}

std::vector<std::string> PlannerLibrary::Variants() const {
  return ListedVariants(info_.variants, info_.num_variants);
}

void PlannerLibrary::Plan(const placement::Problem& problem, const std::string& options,
                          placement::Plan& plan) const {
  plan = {};
  const Request request(problem, options);
  std::vector<uint64_t> offsets(problem.buffers.size(), OOMPH_NO_OFFSET);
  oomph_plan answer = {};
  answer.offsets = offsets.data();
  const int code = calls_.plan(request.get(), &answer);
  TakeAnswer(code, answer, offsets, plan);
}

}  // namespace oomph
