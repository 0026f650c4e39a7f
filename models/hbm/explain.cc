// Explains a failure of an HBM trace. Not for judging it.

#include "models/hbm/explain.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "models/base/range.h"
#include "models/base/units.h"
#include "models/hbm/history.h"
#include "models/hbm/outcome.h"
#include "models/hbm/outcome_text.h"
#include "models/hbm/text.h"
#include "models/hbm/trace.h"
#include "models/message/number.h"
#include "models/message/oom.h"

namespace oomph::hbm {
namespace {

constexpr size_t kMaxTableRows = 20;
constexpr size_t kMaxListed = 8;
constexpr uint64_t kBfcGranule = 256;  // tsl::BFCAllocator rounds every size to it.

// --- the request ---

uint64_t Granule(const Policy& policy) {
  return policy.allocator == Allocator::kBfc ? kBfcGranule : std::max<uint64_t>(1, policy.granule);
}

uint64_t Need(const Policy& policy, uint64_t size) {
  return CheckedRoundUp(std::max<uint64_t>(1, size), Granule(policy)).value_or(kMaxBytes);
}

size_t NumOutputs(const Trace& trace, size_t execute) {
  size_t end = execute + 1;
  while (end < trace.steps.size() && trace.steps[end].kind == StepKind::kOutput) ++end;
  return end - execute - 1;
}

// The last load of a program before a step; the step itself if there is none.
size_t LoadOf(const Trace& trace, const TraceOutcome& outcome, size_t step) {
  for (size_t i = step; i-- > 0;) {
    const Step& load = trace.steps[i];
    if (load.kind == StepKind::kLoad && load.name == trace.steps[step].name &&
        outcome.rows[i].result == Result::kOk) {
      return i;
    }
  }
  return step;
}

// The step that says what a failed launch could not get. Its row has the index of the output, 0 for the
// program, and the bytes needed; a subject that does not say so failed, we take it, for its largest output.
size_t AskedIn(const Trace& trace, const TraceOutcome& outcome, size_t step) {
  const Row& row = outcome.rows[step];
  const size_t outputs = NumOutputs(trace, step);
  if (row.reserved != 0 && row.offset == 0) return LoadOf(trace, outcome, step);
  if (row.reserved != 0 && row.offset <= outputs) return step + row.offset;
  size_t largest = step;
  for (size_t i = step + 1; i <= step + outputs; ++i) {
    if (trace.steps[i].size > trace.steps[largest].size) largest = i;
  }
  return largest;
}

std::span<const Event> EventsOf(const TraceOutcome& outcome, size_t step) {
  const std::span<const Event> all = outcome.events;
  const Row& row = outcome.rows[step];
  const size_t first = std::min<size_t>(row.first_event, all.size());
  return all.subspan(first, std::min<size_t>(row.num_events, all.size() - first));
}

void AddUpLastAttempt(std::span<const Event> events, FailedRequest& request) {
  for (const Event& event : events) {
    if (event.kind == EventKind::kRetry) request.beside = 0;
    if (event.kind == EventKind::kGaveBack) request.beside = SaturatingAdd(request.beside, event.size);
    if (event.kind == EventKind::kLost) request.lost = SaturatingAdd(request.lost, event.size);
  }
}

// The block that a reallocate names keeps its end, and its alignment unless another is asked for.
void TakeFromBlock(const Trace& trace, const History& history, FailedRequest& request) {
  for (const HistoryPiece& piece : history.After(request.step)) {
    const HistoryBlock& block = history.blocks[piece.block];
    if (block.name != request.name || block.program || piece.queued() || block.shadowed <= request.step)
      continue;
    request.block = piece.block;
    request.end = block.end;
    if (trace.steps[request.step].alignment == 0) {
      request.alignment = std::max(request.alignment, piece.alignment);
    }
  }
}

FailedRequest RequestOf(const Trace& trace, const TraceOutcome& outcome, const History& history,
                        size_t step) {
  FailedRequest request;
  request.step = step;
  const bool launch = trace.steps[step].kind == StepKind::kExecute;
  request.asked_in = launch ? AskedIn(trace, outcome, step) : step;
  const Step& asked = trace.steps[request.asked_in];
  request.name = asked.name;
  request.program = asked.kind == StepKind::kLoad || asked.kind == StepKind::kExecute;
  request.end = asked.end;
  request.size = asked.size;
  request.need = Need(trace.policy, asked.size);
  const bool aligned = !request.program && trace.policy.allocator == Allocator::kTpu;
  request.alignment = std::max(Granule(trace.policy), aligned ? asked.alignment : 1);
  if (asked.kind == StepKind::kReallocate) TakeFromBlock(trace, history, request);
  AddUpLastAttempt(EventsOf(outcome, step), request);
  return request;
}

// --- memory at a step ---

struct Memory {
  size_t step = 0;
  uint64_t capacity = 0;
  std::vector<HistoryPiece> pieces;  // in address order
  uint64_t buffers = 0, queued = 0, programs = 0;
  uint64_t free = 0, largest = 0, reservable = 0;  // by the pieces
};

bool IsProgram(const History& history, const HistoryPiece& piece) {
  return history.blocks[piece.block].program;
}

uint64_t Stop(const HistoryPiece& piece) { return SaturatingAdd(piece.offset, piece.reserved); }

// The end of the programs' block at the bottom.
uint64_t TopOfPrograms(const History& history, std::span<const HistoryPiece> pieces) {
  uint64_t top = 0;
  for (const HistoryPiece& piece : pieces) {
    if (IsProgram(history, piece)) top = std::max(top, Stop(piece));
  }
  return top;
}

uint64_t LowestBuffer(const History& history, std::span<const HistoryPiece> pieces, uint64_t capacity) {
  for (const HistoryPiece& piece : pieces) {
    if (!IsProgram(history, piece)) return std::min(capacity, piece.offset);
  }
  return capacity;
}

std::vector<Range> HolesBetween(std::span<const HistoryPiece> pieces, uint64_t capacity) {
  std::vector<Range> holes;
  uint64_t begin = 0;
  for (const HistoryPiece& piece : pieces) {
    const uint64_t end = std::min(capacity, piece.offset);
    if (end > begin) holes.push_back({begin, end});
    begin = std::max(begin, Stop(piece));
  }
  if (capacity > begin) holes.push_back({begin, capacity});
  return holes;
}

Memory MemoryAfter(const Trace& trace, const History& history, size_t step) {
  Memory memory;
  memory.step = step;
  memory.capacity = RoundDown(trace.policy.capacity, Granule(trace.policy));
  memory.pieces = history.After(step);
  for (const HistoryPiece& piece : memory.pieces) {
    uint64_t& sum = IsProgram(history, piece) ? memory.programs
                    : piece.queued()          ? memory.queued
                                              : memory.buffers;
    sum = SaturatingAdd(sum, piece.reserved);
  }
  const uint64_t top = TopOfPrograms(history, memory.pieces);
  const uint64_t lowest = LowestBuffer(history, memory.pieces, memory.capacity);
  for (const Range& hole : HolesBetween(memory.pieces, memory.capacity)) {
    memory.free += hole.size();
    if (hole.begin >= top) memory.largest = std::max(memory.largest, hole.size());
    if (hole.begin < lowest) memory.reservable = std::max(memory.reservable, hole.size());
  }
  return memory;
}

// What the subject said of free memory, or the same by the pieces.
struct Free {
  uint64_t bytes = 0, largest = 0, reservable = 0;
};

Free FreeOf(const TraceOutcome& outcome, size_t step, const Memory& memory) {
  const Row& row = outcome.rows[step];
  if (outcome.tells_free) return {row.free_bytes, row.largest_free, row.reservable};
  return {memory.free, memory.largest, memory.reservable};
}

// --- what would fit ---

// Where buffers of an end may lie, given what stays: above the programs and, with two ends, not beyond a
// buffer of the other end.
Range UsableByBuffers(const Policy& policy, const History& history, std::span<const HistoryPiece> stay,
                      End end, uint64_t capacity) {
  Range usable = {TopOfPrograms(history, stay), capacity};
  if (policy.ends != Ends::kTwo) return usable;
  for (const HistoryPiece& piece : stay) {
    if (IsProgram(history, piece)) continue;
    const bool low = history.blocks[piece.block].end == End::kLow;
    if (low == (end == End::kLow)) continue;
    if (low) usable.begin = std::max(usable.begin, Stop(piece));
    if (!low) usable.end = std::min(usable.end, piece.offset);
  }
  return usable;
}

Range Usable(const Policy& policy, const History& history, std::span<const HistoryPiece> stay,
             const FailedRequest& request, uint64_t capacity) {
  if (request.program) return {0, LowestBuffer(history, stay, capacity)};
  return UsableByBuffers(policy, history, stay, request.end, capacity);
}

// The largest need that fits in a hole: from the first aligned place on, in whole granules.
uint64_t LargestIn(const Range& hole, uint64_t alignment, uint64_t granule) {
  const std::optional<uint64_t> begin = CheckedRoundUp(hole.begin, alignment);
  if (!begin.has_value() || *begin >= hole.end) return 0;
  return RoundDown(hole.end - *begin, granule);
}

uint64_t LargestAtOnce(const Trace& trace, const History& history, std::span<const HistoryPiece> stay,
                       const FailedRequest& request, uint64_t capacity) {
  const Range usable = Usable(trace.policy, history, stay, request, capacity);
  uint64_t largest = 0;
  for (const Range& hole : HolesBetween(stay, capacity)) {
    if (!Contains(usable, hole.begin)) continue;
    largest = std::max(largest, LargestIn(hole, request.alignment, Granule(trace.policy)));
  }
  return largest;
}

// What it costs to free what must stay: more than all memory that is in use.
constexpr uint64_t kCannotGo = kMaxBytes / 2;

// Buffers [first, last) go; everything else stays.
struct Choice {
  size_t first = 0, last = 0;
  uint64_t bytes = kMaxBytes;
};

// `buffers` are indices in order.
std::vector<HistoryPiece> Without(std::span<const HistoryPiece> pieces, std::span<const size_t> buffers) {
  std::vector<HistoryPiece> stay;
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (!std::binary_search(buffers.begin(), buffers.end(), i)) stay.push_back(pieces[i]);
  }
  return stay;
}

// The cheapest run of neighbouring buffers whose place takes the request. Every cheapest choice is a run:
// what is freed beside the hole in use does not help.
Choice CheapestRun(std::span<const HistoryPiece> pieces, std::span<const size_t> buffers, uint64_t bottom,
                   uint64_t capacity, const FailedRequest& request, bool from_the_lowest) {
  const auto cost = [&](size_t buffer) {
    const HistoryPiece& piece = pieces[buffers[buffer]];
    return piece.block == request.block ? kCannotGo : piece.reserved;
  };
  Choice best;
  uint64_t bytes = 0;
  size_t last = 0;
  for (size_t first = 0; first < buffers.size(); ++first) {
    if (from_the_lowest && first > 0) break;  // Programs need all buffers below their end gone.
    const uint64_t begin = first == 0 ? bottom : std::max(bottom, Stop(pieces[buffers[first - 1]]));
    const auto fits = [&] {
      const uint64_t end = last < buffers.size() ? pieces[buffers[last]].offset : capacity;
      return last > first && LargestIn({begin, end}, request.alignment, 1) >= request.need;
    };
    while (!fits() && last < buffers.size()) bytes = SaturatingAdd(bytes, cost(last++));
    if (!fits()) break;
    if (bytes < best.bytes) best = {first, last, bytes};
    bytes = SaturatingSub(bytes, cost(first));
  }
  return best;
}

}  // namespace

std::optional<FailedRequest> FirstFailure(const Trace& trace, const TraceOutcome& outcome,
                                          const History& history) {
  const size_t steps = std::min(trace.steps.size(), outcome.rows.size());
  for (size_t i = 0; i < steps; ++i) {
    if (outcome.rows[i].result == Result::kFailed) return RequestOf(trace, outcome, history, i);
  }
  return std::nullopt;
}

WouldFit FindWouldFit(const Trace& trace, const History& history, const FailedRequest& request) {
  WouldFit fit;
  fit.known = trace.policy.allocator == Allocator::kTpu;
  if (!fit.known) return fit;
  const uint64_t capacity = RoundDown(trace.policy.capacity, Granule(trace.policy));
  const std::vector<HistoryPiece> pieces = history.After(request.step);
  fit.largest = LargestAtOnce(trace, history, pieces, request, capacity);
  if (request.beside > 0) return fit;
  if (fit.largest >= request.need) {
    fit.possible = true;
    return fit;
  }
  std::vector<size_t> buffers;
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (!IsProgram(history, pieces[i])) buffers.push_back(i);
  }
  const Choice choice =
      CheapestRun(pieces, buffers, TopOfPrograms(history, pieces), capacity, request, request.program);
  if (choice.bytes >= kCannotGo) return fit;
  const std::span<const size_t> gone = std::span(buffers).subspan(choice.first, choice.last - choice.first);
  // With two ends a buffer of the other end may still be in the way: then nothing is promised.
  const std::vector<HistoryPiece> stay = Without(pieces, gone);
  fit.possible = LargestAtOnce(trace, history, stay, request, capacity) >= request.need;
  if (!fit.possible) return fit;
  for (const size_t i : gone) fit.to_free.push_back(pieces[i]);
  fit.bytes_to_free = choice.bytes;
  return fit;
}

namespace {

// --- words ---

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

// "48 bytes", "8388608 bytes (8.00M)".
std::string Bytes(uint64_t bytes) {
  if (bytes == 1) return "1 byte";
  if (bytes < 10 * kKiB) return absl::StrCat(bytes, " bytes");
  return absl::StrCat(bytes, " bytes (", FormatBytes(bytes), ")");
}

std::string Counted(size_t count, std::string_view noun) {
  return absl::StrCat(count, " ", View(noun), count == 1 ? "" : "s");
}

class Page {
 public:
  Page(const Trace& trace, const TraceOutcome& outcome)
      : trace_(trace), outcome_(outcome), names_(trace), history_(MakeHistory(trace, outcome)) {}

  std::string Write() && {
    const std::optional<FailedRequest> request = FirstFailure(trace_, outcome_, history_);
    if (request.has_value()) {
      WriteFailure(*request);
    } else {
      WriteEnd();
      WritePeak();
      WriteLeaks();
    }
    if (!outcome_.note.empty()) Line("Note of the subject: ", absl::CHexEscape(outcome_.note));
    Line("(Steps count from 0; comments and memory lines are no steps.)");
    return std::move(text_);
  }

 private:
  template <typename... Parts>
  void Line(const Parts&... parts) {
    absl::StrAppend(&text_, parts..., "\n");
  }

  // "step 3: allocate b 32"
  std::string StepText(size_t step) const {
    std::string text = absl::StrCat("step ", step, ": ");
    if (step < trace_.steps.size()) AppendStep(trace_.steps[step], names_, text);
    return text;
  }

  // --- a failure ---

  void WriteFailure(const FailedRequest& request) {
    const Memory memory = MemoryAfter(trace_, history_, request.step);
    Line("First failure: ", StepText(request.step));
    Line("  ", ErrorText(request, memory));
    WriteAsked(request);
    WriteMemory(request, memory);
    WriteTried(request);
    WriteFits(request, memory);
    Line("");
    WriteTable("In memory after the failure, largest first", memory);
    WriteQueued(memory);
    WriteUnused(request, memory);
  }

  std::string ErrorText(const FailedRequest& request, const Memory& memory) const {
    const Free free = FreeOf(outcome_, request.step, memory);
    if (trace_.policy.allocator == Allocator::kBfc) {
      return absl::StrCat("Allocator (bfc) ran out of memory trying to allocate ", FormatBytes(request.size),
                          "iB (rounded to ", request.need, ")");
    }
    if (!request.program) {
      return absl::StrCat(
          View(kResourceExhausted),
          PrintBufferOom({.requested = request.need, .free = free.bytes, .largest_free = free.largest}));
    }
    const std::string program = names_(request.name);
    return absl::StrCat(View(kResourceExhausted), PrintProgramOom({.program = program,
                                                                   .requested = request.need,
                                                                   .free = free.bytes,
                                                                   .reserved = memory.programs,
                                                                   .reservable = free.reservable}));
  }

  void WriteAsked(const FailedRequest& request) {
    std::string text = absl::StrCat("Asked:   ", Bytes(request.size));
    if (request.need != request.size) absl::StrAppend(&text, ", with padding ", Bytes(request.need));
    if (request.alignment > 1) absl::StrAppend(&text, ", at a multiple of ", request.alignment);
    if (request.asked_in != request.step) absl::StrAppend(&text, ", by ", StepText(request.asked_in));
    Line(text);
    if (request.beside > 0) {
      Line("         beside ", Bytes(request.beside),
           " of its launch's other outputs, which were given back");
    }
  }

  void WriteMemory(const FailedRequest& request, const Memory& memory) {
    const Free free = FreeOf(outcome_, request.step, memory);
    Line("Memory:  ", Bytes(memory.capacity), ": ", memory.buffers, " in buffers, ", memory.queued,
         " in queued frees, ", memory.programs, " in programs, ", free.bytes, " free");
    Line("Free:    the largest block for a buffer has ", Bytes(free.largest),
         "; reservable for a program: ", Bytes(free.reservable));
    if (request.lost > 0) {
      Line("         then the failed launch freed ", request.lost, " bytes of donated buffers");
    } else if (free.bytes != memory.free && trace_.policy.allocator == Allocator::kTpu) {
      Line("         (by the blocks that the outcome tells of, ", memory.free, " would be free)");
    }
    Line("Cause:   ", CauseText(request, memory, free));
  }

  static std::string CauseText(const FailedRequest& request, const Memory& memory, const Free& free) {
    if (request.need > memory.capacity) return "the request is larger than the whole memory";
    const uint64_t left = SaturatingSub(free.bytes, request.beside);
    if (request.need > left) {
      return absl::StrCat("too little is free",
                          request.beside > 0 ? " beside the launch's other outputs" : "", ": ",
                          Bytes(request.need - left), " are missing");
    }
    if (request.beside > 0) {
      return "enough is free, but not in one block beside the launch's other outputs: fragmentation";
    }
    const uint64_t largest = request.program ? free.reservable : free.largest;
    if (request.need > largest) return "enough is free, but not in one block: fragmentation";
    return "a large enough block is free, but not where the alignment or the end allows it";
  }

  // --- what was tried ---

  void WriteTried(const FailedRequest& request) {
    std::vector<std::string> deeds;
    size_t retries = 0;
    for (const Event& event : EventsOf(outcome_, request.step)) {
      if (event.kind == EventKind::kReported || event.kind == EventKind::kFreeRange) continue;
      if (event.kind != EventKind::kRetry) {
        deeds.push_back(PrintEvent(event, names_));
        continue;
      }
      Line(retries == 0 ? "Tried:   " : "         ", "retry ", retries + 1, ", ",
           View(CauseWord(event.cause)), Deeds(deeds));
      ++retries;
      deeds.clear();
    }
    if (retries == 0) Line("Tried:   one attempt, no retry");
    if (!deeds.empty()) Line("         after the last attempt", Deeds(deeds));
    if (trace_.policy.retry_limit != 0 && retries >= trace_.policy.retry_limit) {
      Line("         the policy allows no more than ", trace_.policy.retry_limit, " retries");
    }
  }

  static std::string Deeds(std::span<const std::string> deeds) {
    if (deeds.empty()) return "";
    const size_t shown = std::min(deeds.size(), kMaxListed);
    std::string text = absl::StrCat(": ", absl::StrJoin(deeds.begin(), deeds.begin() + shown, "; "));
    if (shown < deeds.size()) absl::StrAppend(&text, "; and ", deeds.size() - shown, " more");
    return text;
  }

  // --- what would fit ---

  void WriteFits(const FailedRequest& request, const Memory& memory) {
    const WouldFit fit = FindWouldFit(trace_, history_, request);
    const char* kind = request.program ? "program" : "buffer";
    if (!fit.known) {
      Line("Fits:    not told for this allocator, whose chunks and regions decide");
      return;
    }
    if (fit.largest == 0) Line("Fits:    no ", kind, " of this alignment fits at once");
    if (fit.largest > 0) {
      Line("Fits:    a ", kind, " of at most ", Bytes(fit.largest), " with this alignment fits at once");
    }
    if (request.beside > 0) {
      Line("         the launch needs ", Bytes(SaturatingAdd(request.need, request.beside)),
           " in its blocks together");
    } else if (fit.possible && fit.to_free.empty() && request.lost > 0) {
      Line("         so this one fits now, in what the launch freed");
    } else if (fit.possible && fit.to_free.empty()) {
      Line("         so this one should have fitted: the outcome contradicts the policy's rules");
    } else if (fit.possible) {
      Line("         this one fits at once when ", Bytes(fit.bytes_to_free),
           " are gone: ", List(fit.to_free));
    } else if (request.need > memory.capacity) {
      Line("         this one can never fit");
    } else {
      Line("         this one does not fit before programs are unloaded, evicted or moved, or buffers moved");
    }
  }

  std::string List(std::span<const HistoryPiece> pieces) const {
    std::string text;
    for (const HistoryPiece& piece : pieces.first(std::min(pieces.size(), kMaxListed))) {
      const HistoryBlock& block = history_.blocks[piece.block];
      absl::StrAppend(&text, text.empty() ? "" : ", ", names_(block.name), " (",
                      piece.queued() ? absl::StrCat("freed, waits for fence ", piece.fence)
                                     : absl::StrCat("step ", block.created),
                      ")");
    }
    if (pieces.size() > kMaxListed) absl::StrAppend(&text, " and ", pieces.size() - kMaxListed, " more");
    return text;
  }

  // --- tables ---

  std::string StateOf(const HistoryPiece& piece, size_t step) const {
    const HistoryBlock& block = history_.blocks[piece.block];
    if (piece.queued()) return "freed";
    if (block.shadowed <= step) return "no name";
    if (block.program) return "program";
    return block.pinned ? "pinned" : "live";
  }

  std::vector<HistoryPiece> LargestFirst(std::span<const HistoryPiece> pieces) const {
    std::vector<HistoryPiece> sorted(pieces.begin(), pieces.end());
    std::sort(sorted.begin(), sorted.end(), [&](const HistoryPiece& a, const HistoryPiece& b) {
      return std::pair(b.reserved, a.block) < std::pair(a.reserved, b.block);
    });
    return sorted;
  }

  void WriteTable(std::string_view title, const Memory& memory) {
    if (memory.pieces.empty()) {
      Line(View(title), ": nothing");
      return;
    }
    Line(View(title), ":");
    WriteByCreator(memory.pieces);
    WriteRows(memory);
  }

  // "3 of allocate (144), 1 of load (64)"
  void WriteByCreator(std::span<const HistoryPiece> pieces) {
    size_t counts[kNumStepKinds] = {};
    uint64_t bytes[kNumStepKinds] = {};
    for (const HistoryPiece& piece : pieces) {
      const size_t kind = static_cast<size_t>(trace_.steps[history_.blocks[piece.block].created].kind);
      ++counts[kind];
      bytes[kind] = SaturatingAdd(bytes[kind], piece.reserved);
    }
    std::vector<std::string> parts;
    for (size_t kind = 0; kind < kNumStepKinds; ++kind) {
      if (counts[kind] == 0) continue;
      parts.push_back(absl::StrCat(counts[kind], " by ", View(StepWord(static_cast<StepKind>(kind))), " (",
                                   bytes[kind], " bytes)"));
    }
    Line("  ", absl::StrJoin(parts, ", "));
  }

  void WriteRows(const Memory& memory) {
    const std::vector<HistoryPiece> sorted = LargestFirst(memory.pieces);
    const size_t shown = std::min(sorted.size(), kMaxTableRows);
    int digits = 5, width = 4;
    for (const HistoryPiece& piece : std::span(sorted).first(shown)) {
      digits = std::max<int>(
          digits, std::max(absl::StrCat(piece.offset).size(), absl::StrCat(piece.reserved).size()));
      width = std::max<int>(width, names_(history_.blocks[piece.block].name).size());
    }
    Line(absl::StrFormat("  %*s   share  %-*s  %-7s  %*s  made by", digits, "bytes", width, "name", "state",
                         digits, "at"));
    for (const HistoryPiece& piece : std::span(sorted).first(shown)) {
      const HistoryBlock& block = history_.blocks[piece.block];
      const double share = 100.0 * static_cast<double>(piece.reserved) /
                           static_cast<double>(std::max<uint64_t>(1, memory.capacity));
      Line(absl::StrFormat("  %*d  %5.1f%%  %-*s  %-7s  %*d  %s", digits, piece.reserved, share, width,
                           names_(block.name), StateOf(piece, memory.step), digits, piece.offset,
                           StepText(block.created)));
    }
    uint64_t rest = 0;
    for (const HistoryPiece& piece : std::span(sorted).subspan(shown))
      rest = SaturatingAdd(rest, piece.reserved);
    if (shown < sorted.size())
      Line("  and ", Counted(sorted.size() - shown, "smaller block"), ", ", Bytes(rest));
  }

  void WriteQueued(const Memory& memory) {
    std::vector<HistoryPiece> queued;
    for (const HistoryPiece& piece : memory.pieces) {
      if (piece.queued()) queued.push_back(piece);
    }
    if (queued.empty()) return;
    Line("");
    Line("Freed, but not landed: ", Counted(queued.size(), "block"), ", ", Bytes(memory.queued));
    const std::vector<HistoryPiece> sorted = LargestFirst(queued);
    for (const HistoryPiece& piece : std::span(sorted).first(std::min(sorted.size(), kMaxListed))) {
      const HistoryBlock& block = history_.blocks[piece.block];
      Line("  ", piece.reserved, "  ", names_(block.name), " waits for fence ", piece.fence, ", ",
           StepText(block.last_named));
    }
    if (sorted.size() > kMaxListed) Line("  and ", sorted.size() - kMaxListed, " more");
  }

  // What is still held although no later step names it.
  void WriteUnused(const FailedRequest& request, const Memory& memory) {
    std::vector<HistoryPiece> unused;
    for (const HistoryPiece& piece : memory.pieces) {
      const HistoryBlock& block = history_.blocks[piece.block];
      if (!piece.queued() && block.last_named <= request.step) unused.push_back(piece);
    }
    if (unused.empty()) return;
    Line("");
    const bool at_end = request.step + NumOutputs(trace_, request.step) + 1 >= trace_.steps.size();
    WriteIdle(at_end ? "Held to the end (the trace ends with this failure)" : "Never used again (leaks)",
              unused);
  }

  void WriteIdle(std::string_view title, std::span<const HistoryPiece> pieces) {
    uint64_t bytes = 0;
    for (const HistoryPiece& piece : pieces) bytes = SaturatingAdd(bytes, piece.reserved);
    Line(View(title), ": ", Counted(pieces.size(), "block"), ", ", Bytes(bytes));
    const std::vector<HistoryPiece> sorted = LargestFirst(pieces);
    for (const HistoryPiece& piece : std::span(sorted).first(std::min(sorted.size(), kMaxListed))) {
      const HistoryBlock& block = history_.blocks[piece.block];
      Line("  ", piece.reserved, "  ", names_(block.name), ": last named by ", StepText(block.last_named),
           block.shadowed != kNever ? absl::StrCat(", its name was given away by ", StepText(block.shadowed))
                                    : "",
           piece.queued() ? " (not landed)" : "");
    }
    if (sorted.size() > kMaxListed) Line("  and ", sorted.size() - kMaxListed, " more");
  }

  // --- nothing failed ---

  void WriteEnd() {
    const size_t steps = history_.num_steps;
    if (steps < trace_.steps.size()) {
      Line("No request failed in the ", Counted(steps, "step"), " that the outcome reaches, of ",
           trace_.steps.size(), ".");
    } else {
      Line("No request failed in ", Counted(steps, "step"), ".");
    }
    if (steps == 0) return;
    const Result last = outcome_.rows[steps - 1].result;
    if (last >= Result::kOutOfFuel && last != Result::kUnknown) {
      Line("It ended with '", View(ResultWord(last)), "' in ", StepText(steps - 1));
    }
  }

  // The first step after which most is in memory.
  std::pair<size_t, uint64_t> Peak() const {
    std::vector<uint64_t> begin(history_.num_steps + 1), end(history_.num_steps + 1);
    for (const HistoryPiece& piece : history_.pieces) {
      begin[piece.steps.begin] += piece.reserved;
      end[piece.steps.end] += piece.reserved;
    }
    std::pair<size_t, uint64_t> peak = {0, 0};
    uint64_t bytes = 0;
    for (size_t step = 0; step < history_.num_steps; ++step) {
      bytes += begin[step] - end[step];
      if (bytes > peak.second) peak = {step, bytes};
    }
    return peak;
  }

  void WritePeak() {
    const auto [step, bytes] = Peak();
    if (bytes == 0) return;
    const Memory memory = MemoryAfter(trace_, history_, step);
    Line("Peak:    ", Bytes(bytes), " of ", Bytes(memory.capacity), ", buffers and programs, after ",
         StepText(step));
    Line("");
    WriteTable("In memory at the peak, largest first", memory);
  }

  void WriteLeaks() {
    if (history_.num_steps == 0) return;
    const std::vector<HistoryPiece> left = history_.After(history_.num_steps - 1);
    Line("");
    if (left.empty()) {
      Line("At the end: nothing is left.");
    } else {
      WriteIdle("Left at the end (leaks)", left);
    }
  }

  const Trace& trace_;
  const TraceOutcome& outcome_;
  const Names names_;
  const History history_;
  std::string text_;
};

}  // namespace

std::string Explain(const Trace& trace, const TraceOutcome& outcome) { return Page(trace, outcome).Write(); }

}  // namespace oomph::hbm
