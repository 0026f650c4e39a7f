// See relations.h.
#include "models/placement/relations.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "models/base/units.h"
#include "models/placement/footprint.h"
#include "models/placement/promises.h"
#include "models/placement/survey.h"
#include "models/placement/text.h"
#include "models/placement/witness.h"

namespace oomph::placement {
namespace {

constexpr int64_t kFar = int64_t{1} << 62;
constexpr uint64_t kLarge = uint64_t{1} << 40;

bool IsPlaced(const Plan& plan) { return plan.status == Status::kOptimal || plan.status == Status::kFeasible; }

// It answers, and not for want of budget: only then do two answers have to agree.
bool Answers(const Plan& plan) {
  return !plan.budget_spent &&
         (IsPlaced(plan) || plan.status == Status::kNotFound || plan.status == Status::kInfeasible);
}

std::optional<uint64_t> Peak(const Problem& problem, const Plan& plan) {
  return plan.peak ? plan.peak : PeakOf(problem, plan);
}

size_t Last(const Problem& problem) { return problem.buffers.empty() ? 0 : problem.buffers.size() - 1; }

// f(time) of every time there is.
template <typename F>
void ForEachTime(Problem& problem, F f) {
  for (Buffer& buffer : problem.buffers) {
    f(buffer.start), f(buffer.end);
    for (Gap& gap : buffer.gaps) f(gap.lower), f(gap.upper);
    for (Slice& slice : buffer.slices) f(slice.start);
  }
}

// Whether all times lie within 2^62 of 0, so that they can be moved.
bool TimesAreNear(Problem& problem) {
  bool near = true;
  ForEachTime(problem, [&](int64_t time) { near = near && time > -kFar && time < kFar; });
  return near;
}

// ---- What two answers must have in common ----

// Everything, but that bytes are counted in units of 1 / scale.
void JudgeSame(std::string_view name, const Problem& problem, const Plan& plan, const Plan& related, uint64_t scale,
               Reasons& reasons) {
  if (plan.status == Status::kNotRun || related.status == Status::kNotRun) return;
  if (plan.status != related.status || plan.budget_spent != related.budget_spent) {
    reasons.Add(name, "status", Last(problem),
                absl::StrFormat("status %s; of the changed problem %s", std::string(StatusWord(plan.status)),
                                std::string(StatusWord(related.status))));
    return;
  }
  for (size_t i = 0; i < std::min({problem.buffers.size(), plan.offsets.size(), related.offsets.size()}); ++i) {
    const auto &a = plan.offsets[i], &b = related.offsets[i];
    if (a.has_value() == b.has_value() && (!a || SaturatingMul(*a, scale) == *b)) continue;
    reasons.Add(name, "offset", i,
                absl::StrFormat("offset %u; in the changed problem %u", a.value_or(0), b.value_or(0)));
    return;
  }
  const auto same = [](std::optional<uint64_t> a, std::optional<uint64_t> b, uint64_t by) {
    return a.has_value() == b.has_value() && (!a || SaturatingMul(*a, by) == *b);
  };
  if (same(plan.peak, related.peak, scale) && same(plan.lower_bound, related.lower_bound, scale) &&
      same(plan.nodes, related.nodes, 1)) {
    return;
  }
  reasons.Add(name, "numbers", Last(problem), "another peak, bound or number of nodes for the changed problem");
}

// A verdict, and a peak where it is placed. `may_gain`: the changed problem is easier.
void JudgeAnswers(std::string_view name, const Problem& problem, const Plan& plan, const Problem& related_problem,
                  const Plan& related, bool may_gain, Reasons& reasons) {
  if (!Answers(plan) || !Answers(related)) return;
  if (IsPlaced(plan) != IsPlaced(related)) {
    if (may_gain && IsPlaced(related)) return;
    reasons.Add(name, "status", Last(problem),
                absl::StrFormat("status %s; of the changed problem %s", std::string(StatusWord(plan.status)),
                                std::string(StatusWord(related.status))));
    return;
  }
  const std::optional<uint64_t> before = Peak(problem, plan), after = Peak(related_problem, related);
  if (!IsPlaced(plan) || !before || !after || *before == *after || (may_gain && *after < *before)) return;
  reasons.Add(name, "peak", Last(problem),
              absl::StrFormat("a peak of %u; of the changed problem %u", *before, *after));
}

void JudgeRepeated(std::string_view name, const Problem& problem, const Plan& plan, const Problem&,
                   const Plan& related, Reasons& reasons) {
  JudgeSame(name, problem, plan, related, 1, reasons);
}
void JudgeScaled(std::string_view name, const Problem& problem, const Plan& plan, const Problem&, const Plan& related,
                 Reasons& reasons) {
  JudgeSame(name, problem, plan, related, 2, reasons);
}
void JudgeEqual(std::string_view name, const Problem& problem, const Plan& plan, const Problem& related_problem,
                const Plan& related, Reasons& reasons) {
  JudgeAnswers(name, problem, plan, related_problem, related, false, reasons);
}
void JudgeEasier(std::string_view name, const Problem& problem, const Plan& plan, const Problem& related_problem,
                 const Plan& related, Reasons& reasons) {
  JudgeAnswers(name, problem, plan, related_problem, related, true, reasons);
}

// ---- How a problem is changed ----

bool Same(const Problem& problem, Problem& into) {
  into = problem;
  return true;
}

// Ids are for people. They fall where they rose.
bool Rename(const Problem& problem, Problem& into) {
  into = problem;
  for (size_t i = 0; i < into.buffers.size(); ++i) {
    into.buffers[i].id = absl::StrFormat("n%08d", into.buffers.size() - i);
  }
  return true;
}

// All bytes twice.
bool Scale(const Problem& problem, Problem& into) {
  into = problem;
  if (into.capacity.value_or(0) > kLarge) return false;
  if (into.capacity) *into.capacity *= 2;
  for (Buffer& buffer : into.buffers) {
    buffer.alignment = AlignmentOf(buffer);
    // The common multiple of a group may be anything.
    if (buffer.group > 0 && !IsPowerOfTwo(buffer.alignment)) return false;
    for (const uint64_t number : {buffer.size, buffer.alignment, buffer.fixed.value_or(0), buffer.hint.value_or(0)}) {
      if (number > kLarge) return false;
    }
    buffer.size *= 2;
    buffer.alignment *= 2;
    if (buffer.fixed) *buffer.fixed *= 2;
    if (buffer.hint) *buffer.hint *= 2;
    for (Gap& gap : buffer.gaps) {
      gap.window_lower = SaturatingMul(gap.window_lower, 2);
      gap.window_upper = SaturatingMul(gap.window_upper, 2);
    }
    for (Slice& slice : buffer.slices) slice.size = SaturatingMul(slice.size, 2);
  }
  return true;
}

// An odd number later.
bool Shift(const Problem& problem, Problem& into) {
  into = problem;
  if (!TimesAreNear(into)) return false;
  ForEachTime(into, [](int64_t& time) { time += 1001; });
  return true;
}

// The last first.
bool Permute(const Problem& problem, Problem& into) {
  into = problem;
  std::reverse(into.buffers.begin(), into.buffers.end());
  return into.buffers.size() > 1;
}

// From the end to the beginning. Slices begin one after the other and end together: they have no reverse. Where two
// buffers are equal in size and length, their order is a choice that may look at the start.
bool Reverse(const Problem& problem, Problem& into) {
  into = problem;
  if (!TimesAreNear(into)) return false;
  std::set<std::pair<uint64_t, int64_t>> kinds;
  for (Buffer& buffer : into.buffers) {
    if (!buffer.slices.empty()) return false;
    if (!OccupiesNothing(buffer) && !kinds.insert({buffer.size, buffer.end - buffer.start}).second) return false;
    std::tie(buffer.start, buffer.end) = std::pair(-buffer.end, -buffer.start);
    for (Gap& gap : buffer.gaps) std::tie(gap.lower, gap.upper) = std::pair(-gap.upper, -gap.lower);
  }
  return true;
}

// All the room that there is.
bool GiveRoom(const Problem& problem, Problem& into) {
  into = problem;
  if (!problem.capacity || *problem.capacity == kMaxBytes) return false;
  into.capacity = kMaxBytes;
  return true;
}

// The largest by a byte.
bool Shrink(const Problem& problem, Problem& into) {
  into = problem;
  const auto largest = std::max_element(into.buffers.begin(), into.buffers.end(),
                                        [](const Buffer& a, const Buffer& b) { return SizeInUse(a) < SizeInUse(b); });
  if (largest == into.buffers.end() || SizeInUse(*largest) < 2) return false;
  --largest->size;
  return true;
}

// Without the last.
bool Drop(const Problem& problem, Problem& into) {
  if (problem.buffers.empty()) return false;
  into = problem;
  into.buffers.pop_back();
  return true;
}

// One buffer more, as large as any and never live.
bool AddNeverLive(const Problem& problem, Problem& into) {
  if (problem.buffers.empty()) return false;
  into = problem;
  Buffer never;
  never.id = into.buffers.back().id;
  never.size = into.buffers.front().size;
  never.start = never.end = into.buffers.front().start;
  never.space = into.buffers.front().space;
  into.buffers.push_back(std::move(never));
  return true;
}

// Splitting, the other way round: the problem, and after its end the problem once more.
bool Repeat(const Problem& problem, Problem& into) {
  constexpr size_t kMost = 12;  // twice as many are still few
  into = problem;
  if (problem.buffers.empty() || problem.buffers.size() > kMost || !TimesAreNear(into)) return false;
  int64_t first = kFar, last = -kFar;
  ForEachTime(into, [&](int64_t time) { first = std::min(first, time), last = std::max(last, time); });
  uint32_t groups = 0;
  for (const Buffer& buffer : problem.buffers) groups = std::max(groups, buffer.group);
  if (last - first > kFar / 2 || last > kFar / 2 || groups > std::numeric_limits<uint32_t>::max() / 2) return false;
  Problem again = problem;
  ForEachTime(again, [&](int64_t& time) { time += last - first; });
  for (Buffer& buffer : again.buffers) {
    if (buffer.group > 0) buffer.group += groups;
    into.buffers.push_back(std::move(buffer));
  }
  return true;
}

constexpr std::array kRelations = {
    RelationRow{{"the_same_twice", "promise determinism: nothing but the problem may decide",
                 promise::kDeterminism}, Same, JudgeRepeated},
    RelationRow{{"names_mean_nothing", "promise determinism: an id is for people",
                 promise::kDeterminism}, Rename, JudgeRepeated},
    RelationRow{{"scaling_scales", "promise units: twice as many bytes of half the size are the same",
                 promise::kUnits}, Scale, JudgeScaled},
    RelationRow{{"time_has_no_origin", "promise units: only the order of times and what lies between them counts",
                 promise::kUnits}, Shift, JudgeRepeated},
    RelationRow{{"order_means_nothing", "promise order: a list of buffers is a set",
                 promise::kOrder}, Permute, JudgeEqual},
    RelationRow{{"time_has_no_direction", "promise reversal: a placement is legal whichever way time runs",
                 promise::kReversal}, Reverse, JudgeEqual},
    RelationRow{{"more_capacity_is_no_worse", "promise monotony: each placement that fits fits in more room too",
                 promise::kMonotony}, GiveRoom, JudgeEasier},
    RelationRow{{"a_smaller_buffer_is_no_worse", "promise monotony: a smaller buffer fits where the larger one lay",
                 promise::kMonotony}, Shrink, JudgeEasier},
    RelationRow{{"fewer_buffers_are_no_worse", "promise monotony: what is left of a placement is one",
                 promise::kMonotony}, Drop, JudgeEasier},
    RelationRow{{"what_never_lives_needs_nothing", "promise independence: a buffer that is never live is in nobody's way",
                 promise::kIndependence}, AddNeverLive, JudgeEqual},
    RelationRow{{"what_follows_needs_no_more", "promise independence: what begins when all else has ended may use the same memory",
                 promise::kIndependence}, Repeat, JudgeEqual},
};

}  // namespace

std::span<const RelationRow> Relations() { return kRelations; }

}  // namespace oomph::placement
