// Relation 9 of the design for HBM: what is printed for a failing row reads back to the row's numbers, and
// what is said to fit, the model serves at once. Does not cover: texts of real runtimes (see
// models/message/oom_test.cc).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "models/base/units.h"
#include "models/hbm/explain.h"
#include "models/hbm/family.h"
#include "models/hbm/history.h"
#include "models/message/oom.h"
#include "props/hbm_claims.h"

namespace oomph::hbm {
namespace {

// ---- Texts ----

using PrintBuffer = std::string (*)(const BufferOom& oom, OomEnvelope envelope);

// What does not hold what it should; empty if all does.
std::string Missing(const char* what, const std::optional<PrintedBytes>& printed, uint64_t bytes) {
  if (printed.has_value() && Contains(*printed, bytes)) return "";
  return absl::StrCat("the text does not say that ", what, " is ", bytes, "\n");
}

std::string ReadsBack(const std::string& text, OomKind kind, uint64_t need, const Row& row) {
  const auto read = ReadOom(text);
  if (!read.ok()) return absl::StrCat(std::string(read.status().message()), "\n", text);
  std::string missing = read->kind == kind ? "" : "another kind of error\n";
  missing += Missing("the request", read->requested, need);
  missing += Missing("what is free", read->free, row.free_bytes);
  if (kind == OomKind::kBuffer && row.free_bytes >= need) {
    missing += Missing("the largest hole", read->largest_free, row.largest_free);
  }
  if (kind == OomKind::kProgram) {
    missing += Missing("what is reserved", read->reserved, row.stats.bytes_reserved);
    missing += Missing("what is reservable", read->reservable, row.reservable);
  }
  // By exact numbers the cause is known; a text may hide it, but never says the other.
  const OomCause cause = row.free_bytes < need ? OomCause::kTooLarge : OomCause::kFragmentation;
  const OomCause told = CauseOf(*read);
  const bool fits = need <= (kind == OomKind::kBuffer ? row.largest_free : row.reservable);
  if (told != OomCause::kUnknown && told != cause && !fits) missing += "the text tells another cause\n";
  return missing.empty() ? "" : missing + text;
}

// The failing rows with what each asked for.
template <typename Visit>
void ForEachFailure(const Trace& trace, const TraceOutcome& outcome, Visit visit) {
  for (size_t i = 0; i < outcome.rows.size(); ++i) {
    const StepKind kind = trace.steps[i].kind;
    if (outcome.rows[i].result != Result::kFailed || kind == StepKind::kOutput || kind == StepKind::kExecute)
      continue;
    const uint64_t size = std::max<uint64_t>(trace.steps[i].size, 1);
    visit(i, kind == StepKind::kLoad, CheckedRoundUp(size, trace.policy.granule).value_or(kMaxBytes));
  }
}

template <PrintBuffer print>
std::string MessagesReadBack(const Trace& trace, const RunTrace& run, bool& applies) {
  const TraceOutcome outcome = run(trace);
  std::string wrong;
  ForEachFailure(trace, outcome, [&](size_t i, bool program, uint64_t need) {
    const Row& row = outcome.rows[i];
    for (OomEnvelope envelope : {OomEnvelope::kNone, OomEnvelope::kFactory, OomEnvelope::kAnnotated}) {
      if (!wrong.empty()) return;
      applies = true;
      const BufferOom buffer = {.requested = need, .free = row.free_bytes, .largest_free = row.largest_free};
      const ProgramOom load = {.program = "jit_step",
                               .requested = need,
                               .free = row.free_bytes,
                               .reserved = row.stats.bytes_reserved,
                               .reservable = row.reservable};
      wrong = ReadsBack(program ? PrintProgramOom(load, envelope) : print(buffer, envelope),
                        program ? OomKind::kProgram : OomKind::kBuffer, need, row);
    }
  });
  return wrong;
}
constexpr Claim kMessages = {"messages_read_back", MessagesReadBack<PrintBufferOom>};

// The planted fault: what is free and what is in one block stand in each other's place.
std::string PrintsTheOtherNumber(const BufferOom& oom, OomEnvelope envelope) {
  BufferOom other = oom;
  std::swap(other.free, other.largest_free);
  return PrintBufferOom(other, envelope);
}
constexpr Claim kFaultyMessages = {"faulty_messages", MessagesReadBack<PrintsTheOtherNumber>};

TEST(HbmTexts, MessagesReadBack) { CheckClaim(kMessages, 4'000, 5); }
TEST(HbmTexts, MessagesReadBackSeesItsFault) { CheckCatches(kFaultyMessages, Model(), 4'000); }

// What `oomph explain` says of the first failure has the numbers of its row.
std::string ExplanationsReadBack(const Trace& trace, const RunTrace& run, bool& applies) {
  const TraceOutcome outcome = run(trace);
  const History history = MakeHistory(trace, outcome);
  const std::optional<FailedRequest> request = FirstFailure(trace, outcome, history);
  if (!request.has_value()) return "";
  applies = true;
  return ReadsBack(Explain(trace, outcome), request->program ? OomKind::kProgram : OomKind::kBuffer,
                   request->need, outcome.rows[request->step]);
}
constexpr Claim kExplanations = {"explanations_read_back", ExplanationsReadBack};

TEST(HbmTexts, ExplanationsReadBack) { CheckClaim(kExplanations, 4'000, 5); }

// ---- What would fit ----

bool ServedAtOnce(Trace trace, const Step& request, const RunTrace& run) {
  trace.steps.push_back(request);
  const TraceOutcome outcome = run(trace);
  const size_t last = trace.steps.size() - 1;
  return outcome.rows[last].result == Result::kOk && !Has(outcome, last, EventKind::kRetry);
}

Step Again(const Trace& trace, const FailedRequest& request, uint64_t size) {
  Step step = {.kind = request.program ? StepKind::kLoad : StepKind::kAllocate,
               .name = FreshName(trace),
               .size = size};
  if (!request.program) step.end = request.end;
  if (!request.program) step.alignment = request.alignment;
  return step;
}

// Frees what is in the way; false where nothing names it any more.
bool FreeAll(const History& history, const WouldFit& fit, size_t step, Trace& trace) {
  uint32_t fence = 0;
  for (const HistoryPiece& piece : fit.to_free) {
    const HistoryBlock& block = history.blocks[piece.block];
    fence = std::max(fence, piece.fence);
    if (piece.queued()) continue;
    if (block.shadowed <= step) return false;
    trace.steps.push_back({.kind = StepKind::kFree, .name = block.name});
  }
  if (fence > 0) trace.steps.push_back({.kind = StepKind::kFence, .fence = fence});
  return true;
}

std::string WhatWouldFitFits(const Trace& trace, const RunTrace& run, bool& applies) {
  const TraceOutcome outcome = run(trace);
  const History history = MakeHistory(trace, outcome);
  const std::optional<FailedRequest> request = FirstFailure(trace, outcome, history);
  if (!request.has_value() || !IsPowerOfTwo(request->alignment)) return "";
  const WouldFit fit = FindWouldFit(trace, history, *request);
  Trace after = UpTo(trace, request->step);
  if (fit.largest > 0) {
    applies = true;
    const Step largest = Again(trace, *request, fit.largest);
    if (!ServedAtOnce(after, largest, run))
      return absl::StrCat(fit.largest, " bytes are said to fit at once");
    const Step more = Again(trace, *request, fit.largest + 1);
    if (ServedAtOnce(after, more, run)) return absl::StrCat("more than ", fit.largest, " bytes fit at once");
  }
  if (!fit.possible || fit.to_free.empty() || !FreeAll(history, fit, request->step, after)) return "";
  applies = true;
  if (ServedAtOnce(after, Again(trace, *request, request->size), run)) return "";
  return absl::StrCat("it does not fit with ", fit.bytes_to_free, " bytes gone, as is said");
}
constexpr Claim kWouldFit = {"what_would_fit_fits", WhatWouldFitFits};

// The planted fault: moves what can be moved before it looks for a hole.
struct MovesBeforeLooking : Specification {
  using Specification::Specification;
  bool Attempt(const Request& request) override {
    const bool first = step_ != looked_;
    looked_ = step_;
    const bool may_move = policy_.defragmentation == Defragmentation::kAuto && policy_.retry_limit == 0 &&
                          MeasuresOf(policy_.order)[0] == Measure::kDefragment &&
                          CausedByFragmentation(request);
    if (first && may_move && MovesHelp(PlanMoves(), &request) && PickHole(request)) return false;
    return Specification::Attempt(request);
  }
  size_t looked_ = SIZE_MAX;
};

TEST(HbmTexts, WhatWouldFitFits) { CheckClaim(kWouldFit, 6'000, 5); }
TEST(HbmTexts, WhatWouldFitFitsSeesItsFault) {
  CheckCatches(kWouldFit, Planted<MovesBeforeLooking>(), 20'000);
}

}  // namespace
}  // namespace oomph::hbm
