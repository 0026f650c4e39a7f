// See rows.h.
#include "subjects/plugin/rows.h"

#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

namespace oomph::hbm {
namespace {

struct RecordHead {
  uint32_t stats_known;
  uint32_t num_events;
  uint64_t flags;
};
constexpr uint64_t kTellsFree = 1, kListsFree = 2, kTellsHash = 4, kGrows = 8;

static_assert(std::is_trivially_copyable_v<Row> && std::is_trivially_copyable_v<Event>);

uint64_t Flags(const TraceOutcome& outcome) {
  return (outcome.tells_free ? kTellsFree : 0) | (outcome.lists_free ? kListsFree : 0) |
         (outcome.tells_hash ? kTellsHash : 0) | (outcome.grows ? kGrows : 0);
}

// Takes a value off the front of `records`.
template <typename Value>
bool Take(std::string_view& records, Value& value) {
  if (records.size() < sizeof(Value)) return false;
  std::memcpy(static_cast<void*>(&value), records.data(), sizeof(Value));
  records.remove_prefix(sizeof(Value));
  return true;
}

// An enumerator that another process wrote, read without being one yet.
template <typename Enum>
uint8_t Raw(const Enum& value) {
  static_assert(sizeof(Enum) == 1);
  uint8_t raw;
  std::memcpy(&raw, &value, 1);
  return raw;
}

bool Sane(const Event& event) {
  return Raw(event.kind) < kNumEventKinds &&
         Raw(event.cause) <= static_cast<uint8_t>(Cause::kEvict);
}

bool TakeEvents(std::string_view& records, uint32_t count, TraceOutcome& outcome) {
  if (count > records.size() / sizeof(Event)) return false;
  for (uint32_t i = 0; i < count; ++i) {
    Event event;
    if (!Take(records, event) || !Sane(event)) return false;
    outcome.events.push_back(event);
  }
  return true;
}

bool TakeRow(std::string_view& records, TraceOutcome& outcome) {
  RecordHead head;
  Row row;
  if (!Take(records, head) || !Take(records, row)) return false;
  if (Raw(row.result) >= kNumResults) return false;
  const size_t first_event = outcome.events.size();
  if (!TakeEvents(records, head.num_events, outcome)) {
    outcome.events.resize(first_event, Event{EventKind::kRetry});
    return false;
  }
  row.first_event = static_cast<uint32_t>(first_event);
  row.num_events = head.num_events;
  outcome.rows.push_back(row);
  outcome.stats_known = head.stats_known & stat::kAll;
  outcome.tells_free = (head.flags & kTellsFree) != 0;
  outcome.lists_free = (head.flags & kListsFree) != 0;
  outcome.tells_hash = (head.flags & kTellsHash) != 0;
  outcome.grows = (head.flags & kGrows) != 0;
  return true;
}

}  // namespace

void RecordLastRow(const TraceOutcome& outcome, Journal& journal) {
  const Row& row = outcome.rows.back();
  const std::span<const Event> events =
      std::span(outcome.events).subspan(row.first_event, row.num_events);
  const size_t bytes = sizeof(RecordHead) + sizeof(Row) + events.size_bytes();
  char* to = journal.Reserve(bytes);
  if (to == nullptr) return;
  const RecordHead head = {outcome.stats_known, row.num_events, Flags(outcome)};
  std::memcpy(to, &head, sizeof head);
  std::memcpy(to + sizeof head, &row, sizeof row);
  if (!events.empty()) std::memcpy(to + sizeof head + sizeof row, events.data(), events.size_bytes());
  journal.Commit(bytes);
}

void ReadRows(std::string_view records, TraceOutcome& outcome) {
  outcome.clear();
  while (!records.empty() && TakeRow(records, outcome)) {
  }
}

}  // namespace oomph::hbm
