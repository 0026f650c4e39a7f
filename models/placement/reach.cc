// See reach.h. The names and their numbers come from the tables of words, so there is no second list.
#include "models/placement/reach.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <vector>

#include "models/base/reach_table.h"
#include "models/base/units.h"
#include "models/placement/fast_survey.h"
#include "models/placement/footprint.h"
#include "models/placement/promises.h"
#include "models/placement/text.h"
#include "models/placement/witness.h"

namespace oomph::placement {
namespace {

constexpr int kBuffers = 12, kEighths = 9, kNodes = 16;
constexpr uint64_t kLargeFrom = uint64_t{1} << 60;

bool IsExpected(Status status) {
  switch (status) {
    case Status::kOptimal:
    case Status::kFeasible:
    case Status::kNotFound:
    case Status::kInfeasible:
    case Status::kTimeout: return true;
    case Status::kInvalid:  // a planner of ours is asked only for what it takes
    case Status::kNotRun:
    case Status::kDied:
    case Status::kHung:
    case Status::kRubbish: return false;
  }
  return false;
}

struct Table : ReachTable {
  // First numbers of each group.
  size_t feature, status, buffers, full, over, nodes, spent;

  Table() {
    feature = names.size();
    for (std::string_view word : kFeatures) Add("feature", word, true);
    status = names.size();
    for (int i = 0; i < kNumStatuses; ++i) {
      Add("status", StatusWord(static_cast<Status>(i)), IsExpected(static_cast<Status>(i)));
    }
    spent = Add("budget", "spent", true);
    buffers = AddNumbers("buffers_log2", kBuffers);
    full = AddNumbers("needed_eighths", kEighths);
    over = AddNumbers("over_bound_eighths", kEighths);
    nodes = AddNumbers("nodes_log2", kNodes);
  }
};

const Table& TheTable() {
  static const Table table;
  return table;
}

// part / whole in eighths, rounded up: 0 is nothing at all, 8 is the whole and more.
size_t Eighths(uint64_t part, uint64_t whole) {
  if (part == 0) return 0;
  return static_cast<size_t>(std::min<uint64_t>((part - 1) / (whole / 8 + 1) + 1, kEighths - 1));
}

bool IsLarge(int64_t time) { return time >= int64_t{1} << 60 || time <= -(int64_t{1} << 60); }

}  // namespace

Bits64 FeaturesOf(const Problem& problem) {
  Bits64 features = 0;
  const auto set = [&](feature::Index index, bool has) { features |= Bits64{has} << index; };
  set(problem.capacity ? feature::kCapacity : feature::kMinimize, true);
  set(feature::kCapacityZero, problem.capacity == 0);
  set(feature::kMany, problem.buffers.size() > 8);
  for (const Buffer& buffer : problem.buffers) {
    set(feature::kAlign, buffer.alignment > 1 && IsPowerOfTwo(buffer.alignment));
    set(feature::kOddAlign, buffer.alignment > 1 && !IsPowerOfTwo(buffer.alignment));
    set(feature::kFixed, buffer.fixed.has_value());
    set(feature::kSpaces, buffer.space != problem.buffers[0].space);
    set(feature::kGroups, buffer.group > 0);
    for (const Gap& gap : buffer.gaps) {
      set(gap.window_lower < gap.window_upper ? feature::kWindows : feature::kGaps, true);
    }
    set(feature::kSlices, !buffer.slices.empty());
    set(feature::kSizeZero, buffer.size == 0);
    set(feature::kEmptyRange, buffer.end <= buffer.start);
    set(feature::kLarge, buffer.size >= kLargeFrom || IsLarge(buffer.start) || IsLarge(buffer.end));
  }
  return features;
}

std::span<const std::string_view> ReachNames() { return TheTable().names; }
Reach ExpectedReach() { return TheTable().expected; }

void Reached(const Problem& problem, const Plan& plan, Reach& reach) {
  const Table& table = TheTable();
  const Bits64 features = FeaturesOf(problem);
  for (size_t i = 0; i < feature::kNumFeatures; ++i) {
    if (features >> i & 1) reach.set(table.feature + i);
  }
  const auto hinted = [](const Buffer& buffer) { return buffer.hint.has_value(); };
  if (std::any_of(problem.buffers.begin(), problem.buffers.end(), hinted)) reach.set(table.feature + feature::kHint);
  reach.set(table.status + static_cast<size_t>(plan.status));
  if (plan.budget_spent) reach.set(table.spent);
  reach.set(table.buffers + std::min<size_t>(std::bit_width(problem.buffers.size()), kBuffers - 1));
  if (plan.nodes) reach.set(table.nodes + std::min<int>(std::bit_width(*plan.nodes), kNodes - 1));
  const uint64_t bound = FastSurvey(problem, plan).LiveBytes();
  if (problem.capacity) reach.set(table.full + Eighths(bound, *problem.capacity));
  const std::optional<uint64_t> peak = plan.peak ? plan.peak : PeakOf(problem, plan);
  if (peak && *peak >= bound) reach.set(table.over + Eighths(*peak - bound, bound));
}

}  // namespace oomph::placement
