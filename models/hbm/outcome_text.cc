// The outcome of an HBM trace as text and as bytes. Not for judging it.

#include "models/hbm/outcome_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "models/hbm/bfc_types.h"
#include "models/hbm/outcome.h"
#include "models/hbm/text.h"
#include "models/hbm/trace.h"

namespace oomph::hbm {
namespace {

using std::string_view;

// In the order of the enums in outcome.h.
constexpr string_view kResultWords[kNumResults] = {"ok",          "failed",       "invalid", "no_op",
                                                   "unsupported", "out_of_fuel",  "died",    "timed_out",
                                                   "corrupt",     "inconsistent", "unknown"};
constexpr string_view kEventWords[] = {"retry",      "landed",   "moved",     "evicted",
                                       "restored",   "loaded",   "took_over", "gave_back",
                                       "free_range", "reported", "lost",      "fallback"};
constexpr string_view kCauseWords[] = {"none", "wait", "defragment", "evict"};
constexpr string_view kCauseDeeds[] = {"for no reason told", "waited", "defragmented", "evicted a program"};

// Bits of bfc::path, in their order.
constexpr string_view kPathWords[] = {"reused", "split",     "extended", "backed_off", "landed",
                                      "forced", "collected", "wrapped",  "endless"};

constexpr size_t kNumCauses = std::size(kCauseWords);
static_assert(std::size(kEventWords) == kNumEventKinds);
static_assert(std::size(kPathWords) == bfc::path::kNumPaths);
static_assert(kNumCauses == static_cast<size_t>(Cause::kEvict) + 1);

absl::string_view View(string_view text) { return {text.data(), text.size()}; }

template <size_t kSize, typename Enum>
string_view WordOf(const string_view (&words)[kSize], Enum value) {
  const size_t i = static_cast<size_t>(value);
  return i < kSize ? words[i] : "?";
}

// --- for a person ---

// The row of a step. Nothing, with the result unknown, beyond the last.
Row RowOf(const TraceOutcome& outcome, size_t step) {
  return step < outcome.rows.size() ? outcome.rows[step] : Row();
}

bool TellsPlace(const Step& step, const Row& row) {
  const bool places = step.kind == StepKind::kAllocate || step.kind == StepKind::kReallocate ||
                      step.kind == StepKind::kLoad || step.kind == StepKind::kOutput;
  return places && row.result == Result::kOk;
}

bool TellsFree(const TraceOutcome& outcome, const Step& step, const Row& row) {
  return outcome.tells_free && step.kind != StepKind::kOutput &&
         (row.result == Result::kFailed || (step.kind == StepKind::kQuery && row.result == Result::kOk));
}

constexpr size_t kNumColumns = 6;
using Cells = std::array<std::string, kNumColumns>;

Cells HeaderCells() { return {"step", "", "result", "offset", "reserved", "in use"}; }

Cells StepCells(const Trace& trace, const TraceOutcome& outcome, const Names& names, size_t i) {
  const Step& step = trace.steps[i];
  const Row row = RowOf(outcome, i);
  Cells cells;
  cells[0] = absl::StrCat(i);
  if (step.kind == StepKind::kOutput) cells[1] = "  ";
  AppendStep(step, names, cells[1]);
  cells[2] = std::string(ResultWord(row.result));
  if (TellsPlace(step, row)) {
    cells[3] = absl::StrCat(row.offset);
    cells[4] = absl::StrCat(row.reserved);
  }
  if (row.result != Result::kUnknown && (outcome.stats_known & stat::kBytesInUse)) {
    cells[5] = absl::StrCat(row.stats.bytes_in_use);
  }
  return cells;
}

// What only some rows have, at the end of the line.
std::string Remarks(const TraceOutcome& outcome, const Step& step, const Row& row) {
  std::string text;
  if (row.result != Result::kUnknown && (outcome.stats_known & stat::kBytesReserved) &&
      row.stats.bytes_reserved > 0) {
    absl::StrAppend(&text, "  programs ", row.stats.bytes_reserved);
  }
  if (TellsFree(outcome, step, row)) {
    absl::StrAppend(&text, "  free ", row.free_bytes, ", largest ", row.largest_free, ", reservable ",
                    row.reservable);
  }
  return text;
}

using Widths = std::array<size_t, kNumColumns>;

void Widen(const Cells& cells, Widths& widths) {
  for (size_t c = 0; c < kNumColumns; ++c) widths[c] = std::max(widths[c], cells[c].size());
}

// Words to the left, numbers to the right.
void AppendCells(const Cells& cells, const Widths& widths, std::string& into) {
  for (size_t c = 0; c < kNumColumns; ++c) {
    const std::string padding(widths[c] - std::min(widths[c], cells[c].size()), ' ');
    const bool left = c == 1 || c == 2;
    if (c > 0) into += "  ";
    into += left ? cells[c] + padding : padding + cells[c];
  }
}

void EndLine(std::string& text) {
  text.erase(text.find_last_not_of(' ') + 1);
  text += '\n';
}

void AppendEvents(const TraceOutcome& outcome, const Row& row, const Names& names, std::string& into) {
  const size_t begin = std::min<size_t>(row.first_event, outcome.events.size());
  const size_t count = std::min<size_t>(row.num_events, outcome.events.size() - begin);
  for (size_t i = begin; i < begin + count; ++i) {
    into.append("          ").append(PrintEvent(outcome.events[i], names)).append("\n");
  }
}

// --- as bytes ---

// Every field, in one list for both ways. `f` gets a field and how many values it may have; 0 = all.
template <typename EventType, typename F>
void EachField(EventType& event, F f)
  requires std::is_same_v<std::remove_const_t<EventType>, Event>
{
  f(event.kind, size_t{kNumEventKinds});
  f(event.cause, kNumCauses);
  f(event.name, 0);
  f(event.other, 0);
  f(event.offset, 0);
  f(event.size, 0);
  f(event.from, 0);
}

template <typename LedgerType, typename F>
void EachLedgerField(LedgerType& ledger, F f) {
  f(ledger.attempts, 0);
  f(ledger.successes, 0);
  f(ledger.failures, 0);
  f(ledger.retries, 0);
}

template <typename RowType, typename F>
void EachField(RowType& row, F f)
  requires std::is_same_v<std::remove_const_t<RowType>, Row>
{
  f(row.result, kNumResults);
  f(row.first_event, 0);
  f(row.num_events, 0);
  f(row.offset, 0);
  f(row.reserved, 0);
  f(row.free_bytes, 0);
  f(row.largest_free, 0);
  f(row.reservable, 0);
  f(row.state_hash, 0);
  f(row.stats.bytes_in_use, 0);
  f(row.stats.peak_bytes_in_use, 0);
  f(row.stats.bytes_reserved, 0);
  f(row.stats.num_live, 0);
  f(row.stats.num_evictions, 0);
  f(row.stats.num_allocs, 0);
  f(row.stats.largest_alloc_size, 0);
  f(row.stats.bytes_moved, 0);
  f(row.stats.bytes_given_back, 0);
  EachLedgerField(row.stats.buffers, f);
  EachLedgerField(row.stats.launches, f);
}

// What stands before the rows.
struct Header {
  uint64_t magic = 0;
  uint64_t num_rows = 0, num_events = 0, note_bytes = 0;
  uint32_t stats_known = 0;
  uint8_t tells_free = 0, lists_free = 0, tells_hash = 0, grows = 0;
  Damaged damaged = Damaged::kContents;
};
constexpr uint64_t kMagic = 0x3243'4f68'706d'6f6f;  // "oomphOC2": to be changed with any field.

template <typename HeaderType, typename F>
void EachField(HeaderType& header, F f)
  requires std::is_same_v<std::remove_const_t<HeaderType>, Header>
{
  f(header.magic, 0);
  f(header.num_rows, 0);
  f(header.num_events, 0);
  f(header.note_bytes, 0);
  f(header.stats_known, stat::kAll + size_t{1});
  f(header.tells_free, 2);
  f(header.lists_free, 2);
  f(header.tells_hash, 2);
  f(header.grows, 2);
  f(header.damaged, kNumDamaged);
}

template <typename Value>
constexpr size_t BytesOf() {
  size_t bytes = 0;
  Value value{};
  EachField(value, [&](auto& field, size_t) { bytes += sizeof field; });
  return bytes;
}

template <typename Value>
char* Write(const Value& value, char* to) {
  EachField(value, [&](const auto& field, size_t) {
    std::memcpy(to, &field, sizeof field);
    to += sizeof field;
  });
  return to;
}

// False if a field has a value that it may not have. Reads BytesOf<Value>() bytes.
template <typename Value>
bool Read(const char*& from, Value& value) {
  bool valid = true;
  EachField(value, [&](auto& field, size_t values) {
    std::memcpy(&field, from, sizeof field);
    from += sizeof field;
    if (values != 0 && static_cast<uint64_t>(field) >= values) valid = false;
  });
  return valid;
}

// Whether the counts add up to what is there; no sum can wrap.
bool CountsMatch(const Header& header, size_t rest) {
  if (header.num_rows > rest / BytesOf<Row>()) return false;
  rest -= header.num_rows * BytesOf<Row>();
  if (header.num_events > rest / BytesOf<Event>()) return false;
  rest -= header.num_events * BytesOf<Event>();
  return header.note_bytes == rest;
}

bool EventsExist(const Row& row, size_t num_events) {
  return row.first_event <= num_events && row.num_events <= num_events - row.first_event;
}

}  // namespace

string_view ResultWord(Result result) { return WordOf(kResultWords, result); }
string_view EventWord(EventKind kind) { return WordOf(kEventWords, kind); }
string_view CauseWord(Cause cause) { return WordOf(kCauseWords, cause); }
string_view PathWord(uint32_t path) { return WordOf(kPathWords, path); }

std::string PrintEvent(const Event& event, const Names& names) {
  const auto block = [&](const char* verb) {
    return absl::StrCat(verb, " ", names(event.name), " ", event.size);
  };
  const auto block_at = [&](const char* verb) { return absl::StrCat(block(verb), " at ", event.offset); };
  switch (event.kind) {
    case EventKind::kRetry:
      return absl::StrCat("retried: ", View(WordOf(kCauseDeeds, event.cause)));
    case EventKind::kLanded:
      return block_at("landed");
    case EventKind::kMoved:
      return absl::StrCat(block("moved"), ": ", event.from, " -> ", event.offset);
    case EventKind::kEvicted:
      return block_at("evicted");
    case EventKind::kRestored:
      return block_at("restored");
    case EventKind::kLoaded:
      return block_at("loaded");
    case EventKind::kTookOver:
      return absl::StrCat(block_at("took over:"), " from ", names(event.other));
    case EventKind::kGaveBack:
      return block_at("gave back");
    case EventKind::kFreeRange:
      return absl::StrCat("free ", event.size, " at ", event.offset);
    case EventKind::kReported:
      return block_at("reported");
    case EventKind::kLost:
      return block_at("lost");
    case EventKind::kFallback:
      return absl::StrCat("path: ", View(PathWord(event.name)));
  }
  return "?";
}

std::string PrintOutcome(const Trace& trace, const TraceOutcome& outcome) {
  const Names names(trace);
  std::vector<Cells> lines = {HeaderCells()};
  for (size_t i = 0; i < trace.steps.size(); ++i) lines.push_back(StepCells(trace, outcome, names, i));
  Widths widths{};
  for (const Cells& cells : lines) Widen(cells, widths);

  std::string text;
  AppendCells(lines[0], widths, text);
  EndLine(text);
  for (size_t i = 0; i < trace.steps.size(); ++i) {
    const Row row = RowOf(outcome, i);
    AppendCells(lines[i + 1], widths, text);
    text += Remarks(outcome, trace.steps[i], row);
    EndLine(text);
    AppendEvents(outcome, row, names, text);
  }
  if (!outcome.note.empty()) absl::StrAppend(&text, "note: ", absl::CHexEscape(outcome.note), "\n");
  return text;
}

std::string PackOutcome(const TraceOutcome& outcome) {
  const Header header = {kMagic,
                         outcome.rows.size(),
                         outcome.events.size(),
                         outcome.note.size(),
                         outcome.stats_known,
                         outcome.tells_free,
                         outcome.lists_free,
                         outcome.tells_hash,
                         outcome.grows,
                         outcome.damaged};
  std::string bytes(BytesOf<Header>() + header.num_rows * BytesOf<Row>() +
                        header.num_events * BytesOf<Event>() + header.note_bytes,
                    '\0');
  char* to = Write(header, bytes.data());
  for (const Row& row : outcome.rows) to = Write(row, to);
  for (const Event& event : outcome.events) to = Write(event, to);
  std::copy(outcome.note.begin(), outcome.note.end(), to);
  return bytes;
}

bool UnpackOutcome(string_view bytes, TraceOutcome& into) {
  into.clear();
  Header header;
  if (bytes.size() < BytesOf<Header>()) return false;
  const char* from = bytes.data();
  if (!Read(from, header) || header.magic != kMagic) return false;
  if (!CountsMatch(header, bytes.size() - BytesOf<Header>())) return false;
  into.stats_known = header.stats_known;
  into.tells_free = header.tells_free != 0;
  into.lists_free = header.lists_free != 0;
  into.tells_hash = header.tells_hash != 0;
  into.grows = header.grows != 0;
  into.damaged = header.damaged;
  into.rows.resize(header.num_rows);
  for (Row& row : into.rows) {
    if (!Read(from, row) || !EventsExist(row, header.num_events)) return false;
  }
  into.events.resize(header.num_events);
  for (Event& event : into.events) {
    if (!Read(from, event)) return false;
  }
  into.note.assign(from, header.note_bytes);
  return true;
}

}  // namespace oomph::hbm
