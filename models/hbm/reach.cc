// See reach.h. The names and their numbers come from the tables of words, so there is no second list.
#include "models/hbm/reach.h"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "models/base/reach_table.h"
#include "models/hbm/bfc_types.h"
#include "models/hbm/outcome_text.h"
#include "models/hbm/text.h"

namespace oomph::hbm {
namespace {

constexpr int kFullness = 9, kLive = 8, kRetries = 4, kFragmentation = 5;

struct Table : ReachTable {
  // First numbers of each group.
  size_t step, result, event, cause, allocator, path, limit, backing, full, live, retries, fragmentation;
  std::vector<size_t> policy;  // one a key

  Table() {
    step = names.size();
    for (int i = 0; i < kNumStepKinds; ++i) Add("step", StepWord(static_cast<StepKind>(i)), true);
    result = names.size();
    for (int i = 0; i < kNumResults; ++i) {
      const Result r = static_cast<Result>(i);
      Add("result", ResultWord(r),
          r == Result::kOk || r == Result::kFailed || r == Result::kInvalid || r == Result::kNoOp);
    }
    event = names.size();
    for (int i = 0; i < kNumEventKinds; ++i) Add("event", EventWord(static_cast<EventKind>(i)), true);
    cause = names.size();
    for (Cause c : {Cause::kNone, Cause::kWait, Cause::kDefragment, Cause::kEvict}) {
      Add("retry", CauseWord(c), c != Cause::kNone);
    }
    allocator = names.size();
    for (std::string_view word : AllocatorWords()) Add("memory", word, true);
    for (const PolicyKey& key : PolicyKeys()) {
      policy.push_back(names.size());
      // The deviations of the shipped BFC are never drawn for a model.
      for (size_t i = 0; i < key.values.size(); ++i) Add(key.name, key.values[i], !IsDeviation(key) || i == 0);
    }
    limit = Add("retry_limit", "some", true);
    backing = Add("backing", "some", true);
    path = names.size();
    for (uint32_t i = 0; i < bfc::path::kNumPaths; ++i) {
      const uint32_t bit = 1u << i;
      const bool rare = bit == bfc::path::kWrapped || bit == bfc::path::kEndless || bit == bfc::path::kForced ||
                        bit == bfc::path::kCollected;
      Add("bfc", PathWord(i), !rare);
    }
    full = names.size();
    for (int i = 0; i < kFullness; ++i) Add("full_eighths", absl::StrCat(i), false);
    live = names.size();
    for (int i = 0; i < kLive; ++i) Add("live_log2", absl::StrCat(i), false);
    retries = names.size();
    for (int i = 0; i < kRetries; ++i) Add("retries", absl::StrCat(i), false);
    fragmentation = names.size();
    for (int i = 0; i < kFragmentation; ++i) Add("fragmented_quarters", absl::StrCat(i), false);
  }

  static bool IsDeviation(const PolicyKey& key) {
    Policy policy;
    key.set(policy, 0);
    return key.of == KeyOf::kBfc && !(policy.bfc.deviations == bfc::kAsShipped);
  }
};

const Table& TheTable() {
  static const Table table;
  return table;
}

}  // namespace

std::span<const std::string_view> ReachNames() { return TheTable().names; }
Reach ExpectedReach() { return TheTable().expected; }

void Reached(const Trace& trace, const TraceOutcome& outcome, Reach& reach) {
  const Table& table = TheTable();
  reach.set(table.allocator + static_cast<size_t>(trace.policy.allocator));
  const auto keys = PolicyKeys();
  const bool bfc = trace.policy.allocator == Allocator::kBfc;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].values.empty() || (keys[i].of == KeyOf::kBfc) != bfc) continue;
    reach.set(table.policy[i] + std::min<uint64_t>(keys[i].get(trace.policy), keys[i].values.size() - 1));
  }
  if (!bfc && trace.policy.retry_limit != 0) reach.set(table.limit);
  if (bfc && trace.policy.bfc.backing != 0) reach.set(table.backing);

  uint64_t most = 0;
  uint32_t most_live = 0;
  const size_t rows = std::min(trace.steps.size(), outcome.rows.size());
  for (size_t i = 0; i < rows; ++i) {
    const Row& row = outcome.rows[i];
    reach.set(table.step + static_cast<size_t>(trace.steps[i].kind));
    reach.set(table.result + static_cast<size_t>(row.result));
    most = std::max(most, row.stats.bytes_in_use + row.stats.bytes_reserved);
    most_live = std::max(most_live, row.stats.num_live);
    int retries = 0;
    for (uint64_t k = 0; k < row.num_events && row.first_event + k < outcome.events.size(); ++k) {
      const Event& event = outcome.events[row.first_event + k];
      reach.set(table.event + static_cast<size_t>(event.kind));
      if (event.kind == EventKind::kRetry) {
        ++retries;
        reach.set(table.cause + static_cast<size_t>(event.cause));
      }
      if (event.kind == EventKind::kFallback && event.name < bfc::path::kNumPaths) {
        reach.set(table.path + event.name);
      }
    }
    reach.set(table.retries + std::min(retries, kRetries - 1));
    if (row.result == Result::kFailed && row.free_bytes > 0) {
      reach.set(table.fragmentation + 4 - std::min<uint64_t>(row.largest_free / (row.free_bytes / 4 + 1), 4));
    }
  }
  if (trace.policy.capacity > 0) {
    reach.set(table.full + std::min<uint64_t>(most / (trace.policy.capacity / 8 + 1), kFullness - 1));
  }
  reach.set(table.live + std::min<int>(std::bit_width(most_live), kLive - 1));
}

}  // namespace oomph::hbm
