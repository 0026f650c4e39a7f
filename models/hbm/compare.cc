// See compare.h.
#include "models/hbm/compare.h"

#include <algorithm>
#include <span>
#include <string>

#include "absl/strings/str_format.h"

namespace oomph::hbm {
namespace {

// Those that there are.
std::span<const Event> EventsOf(const TraceOutcome& outcome, const Row& row) {
  const size_t first = std::min<size_t>(row.first_event, outcome.events.size());
  return std::span(outcome.events).subspan(first, std::min<size_t>(row.num_events, outcome.events.size() - first));
}

// Events that only one side can tell are passed over.
bool Counts(const Event& event, bool lists_free) {
  return event.kind != EventKind::kFallback && (event.kind != EventKind::kFreeRange || lists_free);
}

bool SameEvents(std::span<const Event> a, std::span<const Event> b, bool lists_free) {
  size_t i = 0, j = 0;
  while (true) {
    while (i < a.size() && !Counts(a[i], lists_free)) ++i;
    while (j < b.size() && !Counts(b[j], lists_free)) ++j;
    if (i == a.size() || j == b.size()) return i == a.size() && j == b.size();
    if (!(a[i++] == b[j++])) return false;
  }
}

bool SameStats(uint32_t known, const Stats& a, const Stats& b) {
  const auto same = [&](uint32_t bit, const auto& x, const auto& y) { return (known & bit) == 0 || x == y; };
  return same(stat::kBytesInUse, a.bytes_in_use, b.bytes_in_use) &&
         same(stat::kPeakBytesInUse, a.peak_bytes_in_use, b.peak_bytes_in_use) &&
         same(stat::kBytesReserved, a.bytes_reserved, b.bytes_reserved) &&
         same(stat::kNumLive, a.num_live, b.num_live) &&
         same(stat::kNumEvictions, a.num_evictions, b.num_evictions) &&
         same(stat::kNumAllocs, a.num_allocs, b.num_allocs) &&
         same(stat::kLargestAllocSize, a.largest_alloc_size, b.largest_alloc_size) &&
         same(stat::kBytesMoved, a.bytes_moved, b.bytes_moved) &&
         same(stat::kBytesGivenBack, a.bytes_given_back, b.bytes_given_back) &&
         same(stat::kBuffers, a.buffers, b.buffers) && same(stat::kLaunches, a.launches, b.launches);
}

}  // namespace

void CompareOutcomes(const Trace& trace, const TraceOutcome& reference, const TraceOutcome& outcome,
                     Reasons& reasons) {
  const auto say = [&](size_t step, std::string_view detail, std::string text) {
    reasons.Add(kEqualsReference, detail, step, std::move(text));
  };
  const uint32_t known = reference.stats_known & outcome.stats_known;
  const bool lists_free = reference.lists_free && outcome.lists_free;
  const bool tells_free = reference.tells_free && outcome.tells_free;
  const bool tells_hash = reference.tells_hash && outcome.tells_hash;
  const size_t rows = std::min({trace.steps.size(), reference.rows.size(), outcome.rows.size()});
  for (size_t i = 0; i < rows; ++i) {
    const Row& a = reference.rows[i];
    const Row& b = outcome.rows[i];
    if (a.result != b.result) {
      return say(i, "result", absl::StrFormat("the result is %d, the reference has %d", static_cast<int>(b.result),
                                              static_cast<int>(a.result)));
    }
    if (a.result >= Result::kOutOfFuel) return;  // both end here; the dead tell no more
    if (a.offset != b.offset) {
      return say(i, "offset", absl::StrFormat("the offset is %u, the reference has %u", b.offset, a.offset));
    }
    if (a.reserved != b.reserved) {
      return say(i, "reserved", absl::StrFormat("%u bytes are reserved, the reference has %u", b.reserved, a.reserved));
    }
    if (!SameEvents(EventsOf(reference, a), EventsOf(outcome, b), lists_free)) {
      return say(i, "events", "other events than the reference");
    }
    if (!SameStats(known, a.stats, b.stats)) return say(i, "stats", "other statistics than the reference");
    if (tells_free && (a.free_bytes != b.free_bytes || a.largest_free != b.largest_free ||
                       a.reservable != b.reservable)) {
      return say(i, "free", "other free bytes than the reference");
    }
    if (tells_hash && a.state_hash != b.state_hash) return say(i, "state", "another state than the reference");
  }
  if (reference.rows.size() != outcome.rows.size()) {
    say(rows == 0 ? 0 : rows - 1, "rows",
        absl::StrFormat("%u rows, the reference has %u", outcome.rows.size(), reference.rows.size()));
  }
}

}  // namespace oomph::hbm
