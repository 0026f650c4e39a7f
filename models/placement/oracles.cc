// See oracles.h. Each oracle is one sentence, put once; what it asks of the plan as a whole is answered twice
// (survey.h), naively for JudgePlanNaively and for whoever asks one oracle alone, fast for JudgePlan.
#include "models/placement/oracles.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "models/base/units.h"
#include "models/base/words.h"
#include "models/placement/fast_survey.h"
#include "models/placement/footprint.h"
#include "models/placement/promises.h"
#include "models/placement/survey.h"
#include "models/placement/text.h"
#include "models/placement/witness.h"

namespace oomph::placement {
namespace {

// A problem, its plan, and the questions that several oracles share.
struct Look {
  const Problem& problem;
  const Plan& plan;
  Survey& survey;
  Reasons& reasons;
  std::optional<std::optional<uint64_t>> peak = {}, refuted = {};
  std::optional<uint64_t> bound = {};

  size_t size() const { return problem.buffers.size(); }
  size_t last() const { return size() == 0 ? 0 : size() - 1; }
  bool Placed() const { return plan.status == Status::kOptimal || plan.status == Status::kFeasible; }
  bool TellsOffsets() const { return Placed() && plan.offsets.size() == size(); }
  bool SaysNothingFits() const { return plan.status == Status::kInfeasible || plan.status == Status::kNotFound; }
  // The peak by its offsets.
  std::optional<uint64_t> Peak() {
    if (!peak) peak = TellsOffsets() ? PeakOf(problem, plan) : std::nullopt;
    return *peak;
  }
  uint64_t Bound();
  std::optional<uint64_t> Refuted();
};

template <typename... Args>
void Say(Look& look, std::string_view oracle, std::string_view detail, size_t step, const absl::FormatSpec<Args...>& text,
         const Args&... args) {
  look.reasons.Add(oracle, detail, step, absl::StrFormat(text, args...));
}

// For people: ids need not be unique.
std::string Name(const Look& look, size_t buffer) {
  return absl::StrFormat("buffer %u (%s)", buffer, look.problem.buffers[buffer].id);
}

// What the planner or its watcher said of it, to end a sentence with.
std::string Note(const Look& look) { return look.plan.note.empty() ? "" : ": " + OneLine(look.plan.note); }

// What every placement needs at sight: the bytes in use at a time, the largest buffer, where a fixed one ends.
uint64_t Look::Bound() {
  if (bound) return *bound;
  bound = survey.LiveBytes();
  for (const Buffer& buffer : problem.buffers) {
    if (OccupiesNothing(buffer)) continue;
    bound = std::max(*bound, SaturatingAdd(buffer.size, buffer.fixed.value_or(0)));
  }
  return *bound;
}

// The peak of a placement that shows what the plan claims to be wrong: below its optimum or its bound, or there at all
// where it says that nothing fits. Searched for only where the plain bound leaves room for one.
std::optional<uint64_t> Look::Refuted() {
  if (refuted) return *refuted;
  refuted.emplace();
  std::optional<uint64_t> claim;  // no placement is below it, so it says
  const auto claims = [&](uint64_t peak) { claim = std::max(claim.value_or(0), peak); };
  const uint64_t most = problem.capacity.value_or(kMaxBytes);
  if (SaysNothingFits()) claims(SaturatingAdd(most, 1));
  if (plan.status == Status::kOptimal && (plan.peak || Peak())) claims(Peak() ? *Peak() : *plan.peak);
  if (plan.lower_bound) claims(*plan.lower_bound);
  if (!claim || *claim == 0) return *refuted;
  const uint64_t below = SaysNothingFits() ? most : std::min(most, *claim - 1);
  if (Bound() > below) return *refuted;
  if (const std::optional<Plan> witness = FindWitness(problem, below)) refuted = PeakOf(problem, *witness);
  return *refuted;
}

// ---- The answer as such ----

// The planner ends, by itself and in time.
void Ends(Look& look) {
  if (look.plan.status == Status::kDied) Say(look, "ends", "died", look.last(), "the planner died%s", Note(look));
  if (look.plan.status == Status::kHung) Say(look, "ends", "hung", look.last(), "the planner did not end%s", Note(look));
}

// What it answers can be read: a status, and an offset for each buffer or none at all.
void AnswerIsReadable(Look& look) {
  if (look.plan.status == Status::kRubbish) {
    Say(look, "answer_is_readable", "rubbish", look.last(), "the answer cannot be read%s", Note(look));
  } else if (!look.plan.offsets.empty() && look.plan.offsets.size() != look.size()) {
    Say(look, "answer_is_readable", "count", look.last(), "%u offsets for %u buffers", look.plan.offsets.size(),
        look.size());
  }
}

// It takes every problem of the features it has.
void TakesWhatItPromised(Look& look) {
  if (look.plan.status != Status::kInvalid) return;
  Say(look, "takes_what_it_promised", "invalid", look.last(), "a problem that it promised to take is refused%s",
      Note(look));
}

// What ended for want of budget proves nothing, but for a peak that meets the bound.
void SpentBudgetIsTold(Look& look) {
  const Plan& plan = look.plan;
  if (!plan.budget_spent) return;
  const bool met = plan.lower_bound && (plan.peak ? *plan.peak : look.Peak().value_or(0)) <= *plan.lower_bound;
  const std::string_view detail = plan.status == Status::kInfeasible         ? "infeasible"
                                  : plan.status == Status::kNotFound         ? "not_found"
                                  : plan.status == Status::kOptimal && !met ? "optimal"
                                                                            : "";
  if (detail.empty()) return;
  Say(look, "spent_budget_is_told", detail, look.last(), "the budget was used up, and the answer claims to know");
}

// ---- Each buffer ----

// A placement that is found has an offset for every buffer, those of no bytes too.
void AllPlaced(Look& look) {
  if (!look.Placed() || (!look.plan.offsets.empty() && !look.TellsOffsets())) return;
  for (size_t i = 0; i < look.size(); ++i) {
    if (!look.plan.offsets.empty() && look.plan.offsets[i]) continue;
    Say(look, "all_placed", OccupiesNothing(look.problem.buffers[i]) ? "empty" : "buffer", i, "%s has no offset",
        Name(look, i));
    return;
  }
}

// Calls `f(buffer, offset)` until it gives false.
template <typename F>
void ForEachTold(const Look& look, F f) {
  if (!look.TellsOffsets()) return;
  for (size_t i = 0; i < look.size(); ++i) {
    if (look.plan.offsets[i] && !f(i, *look.plan.offsets[i])) return;
  }
}

// Every buffer lies within the capacity, and below 2^64.
void WithinCapacity(Look& look) {
  ForEachTold(look, [&](size_t i, uint64_t offset) {
    const uint64_t size = SizeInUse(look.problem.buffers[i]);
    const std::optional<uint64_t> end = CheckedAdd(offset, size);
    if (end && *end <= look.problem.capacity.value_or(kMaxBytes)) return true;
    Say(look, "within_capacity", end ? "capacity" : "wraps", i, "%s of %u bytes lies at %u and ends above %u",
        Name(look, i), size, offset, look.problem.capacity.value_or(kMaxBytes));
    return false;
  });
}

// Every offset is a multiple of its buffer's alignment.
void Aligned(Look& look) {
  ForEachTold(look, [&](size_t i, uint64_t offset) {
    const uint64_t alignment = AlignmentOf(look.problem.buffers[i]);
    if (IsMultipleOf(offset, alignment)) return true;
    Say(look, "aligned", IsPowerOfTwo(alignment) ? "power_of_two" : "odd", i, "%s lies at %u, aligned to %u",
        Name(look, i), offset, alignment);
    return false;
  });
}

// A buffer with a fixed offset lies there.
void FixedOffsetsKept(Look& look) {
  ForEachTold(look, [&](size_t i, uint64_t offset) {
    const auto& fixed = look.problem.buffers[i].fixed;
    if (!fixed || *fixed == offset) return true;
    Say(look, "fixed_offsets_kept", "offset", i, "%s lies at %u, fixed to %u", Name(look, i), offset, *fixed);
    return false;
  });
}

// Buffers of one group have the same offset.
void ColocatedTogether(Look& look) {
  if (!look.TellsOffsets()) return;
  const std::optional<Pair> pair = look.survey.FirstApart();
  if (!pair) return;
  Say(look, "colocated_together", "offset", pair->later, "%s lies at %u, and %s of its group at %u",
      Name(look, pair->later), *look.plan.offsets[pair->later], Name(look, pair->earlier),
      *look.plan.offsets[pair->earlier]);
}

// ---- Two buffers ----

void NoClash(Look& look, std::string_view oracle, Clash clash) {
  if (!look.TellsOffsets()) return;
  const std::optional<Pair> pair = look.survey.FirstClash(clash);
  if (!pair) return;
  Say(look, oracle, "collision", pair->later, "%s at %u and %s at %u use a byte at one time", Name(look, pair->later),
      *look.plan.offsets[pair->later], Name(look, pair->earlier), *look.plan.offsets[pair->earlier]);
}
// No two buffers use a byte at the same time.
void NoLiveOverlap(Look& look) { NoClash(look, "no_live_overlap", Clash::kWhole); }
// Nobody uses what a buffer keeps in a gap with a window.
void GapWindowsKept(Look& look) { NoClash(look, "gap_windows_kept", Clash::kWindow); }
// Nobody uses a slice from its start on.
void SlicesKept(Look& look) { NoClash(look, "slices_kept", Clash::kSlice); }

// ---- The whole ----

// The rules of the problem that its own offsets can break.
bool Keeps(const Problem& problem, const Plan& plan, Survey& survey) {
  Reasons broken;
  Look look{problem, plan, survey, broken};
  for (auto* rule : {AllPlaced, WithinCapacity, Aligned, FixedOffsetsKept, ColocatedTogether, NoLiveOverlap,
                     GapWindowsKept, SlicesKept}) {
    rule(look);
  }
  return broken.empty() && plan.offsets.size() == problem.buffers.size();
}

// The peak that is told is the highest end of a buffer.
void PeakExact(Look& look) {
  if (!look.plan.peak || !look.Peak() || *look.plan.peak == *look.Peak()) return;
  Say(look, "peak_exact", *look.plan.peak < *look.Peak() ? "low" : "high", look.last(), "the peak is %u, told as %u",
      *look.Peak(), *look.plan.peak);
}

// No peak is below the bytes that are in use at one time. With offsets at hand those decide, buffer by buffer.
void PeakNotBelowBound(Look& look) {
  if (!look.Placed() || look.Peak() || !look.plan.peak || *look.plan.peak >= look.Bound()) return;
  Say(look, "peak_not_below_bound", "peak", look.last(), "a peak of %u, where %u bytes are needed", *look.plan.peak,
      look.Bound());
}

// No placement is below the lower bound that is told.
void LowerBoundHolds(Look& look) {
  if (!look.plan.lower_bound) return;
  std::optional<uint64_t> peak = look.Peak();  // its own placement is one, if it keeps the rules
  const bool refutes = peak && *peak < *look.plan.lower_bound && Keeps(look.problem, look.plan, look.survey);
  if (!refutes) peak = look.Refuted();
  if (!peak || *peak >= *look.plan.lower_bound) return;
  Say(look, "lower_bound_holds", "bound", look.last(), "the bound is told as %u, and there is a placement with a peak of %u",
      *look.plan.lower_bound, *peak);
}

// What is claimed to fit nowhere fits nowhere.
void InfeasibleIsNotRefuted(Look& look) {
  if (look.plan.status != Status::kInfeasible || !look.Refuted()) return;
  Say(look, "infeasible_is_not_refuted", "placement", look.last(), "there is a placement with a peak of %u",
      *look.Refuted());
}

// What is claimed to be optimal is not beaten.
void OptimalIsNotBeaten(Look& look) {
  if (look.plan.status != Status::kOptimal || !look.Refuted()) return;
  const std::optional<uint64_t> peak = look.Peak() ? look.Peak() : look.plan.peak;
  if (!peak || *look.Refuted() >= *peak) return;
  Say(look, "optimal_is_not_beaten", "placement", look.last(), "the optimum is told as %u, and there is a placement with a peak of %u",
      *peak, *look.Refuted());
}

// A complete planner gives up only where nothing fits.
void GivesUpOnlyIfNothingFits(Look& look) {
  if (look.plan.status != Status::kNotFound || !look.Refuted()) return;
  Say(look, "gives_up_only_if_nothing_fits", "placement", look.last(), "there is a placement with a peak of %u",
      *look.Refuted());
}

struct Row {
  OracleInfo info;
  void (*look)(Look&);
};
constexpr std::array kRows = {
    Row{{"ends", "every planner's contract; a budget ends in a status"}, Ends},
    Row{{"answer_is_readable", "a status, and offsets for all or none (plan.h)"}, AnswerIsReadable},
    Row{{"takes_what_it_promised", "promise total: every problem of the features that it has", promise::kTotal}, TakesWhatItPromised},
    Row{{"spent_budget_is_told", "a search that was cut short proves nothing"}, SpentBudgetIsTold},
    Row{{"all_placed", "promise offsets: an offset for every buffer of a placement", promise::kOffsets}, AllPlaced},
    Row{{"within_capacity", "the memory ends there"}, WithinCapacity},
    Row{{"aligned", "the problem demands it; an alignment of 0 is 1"}, Aligned},
    Row{{"fixed_offsets_kept", "the problem demands it: somebody else knows the address"}, FixedOffsetsKept},
    Row{{"colocated_together", "the problem demands it: they are names of one memory"}, ColocatedTogether},
    Row{{"no_live_overlap", "a caller may write to all of a buffer as long as it lives"}, NoLiveOverlap},
    Row{{"gap_windows_kept", "what lies in every window is in use in a gap too"}, GapWindowsKept},
    Row{{"slices_kept", "a slice is in use from its start on"}, SlicesKept},
    Row{{"peak_exact", "promise peak: it is that of the placement", promise::kPeak}, PeakExact},
    Row{{"peak_not_below_bound", "what is in use at one time lies side by side", promise::kPeak}, PeakNotBelowBound},
    Row{{"lower_bound_holds", "promise lower_bound: no placement is below it", promise::kLowerBound}, LowerBoundHolds},
    Row{{"infeasible_is_not_refuted", "it claims a proof that nothing fits, and one placement refutes it"}, InfeasibleIsNotRefuted},
    Row{{"optimal_is_not_beaten", "it claims a proof that none is lower, and one placement refutes it"}, OptimalIsNotBeaten},
    Row{{"gives_up_only_if_nothing_fits", "promise completeness: it looks everywhere", promise::kCompleteness}, GivesUpOnlyIfNothingFits},
};

// One oracle alone, answered naively.
template <size_t I>
void Ask(const Problem& problem, const Plan& plan, Reasons& reasons) {
  NaiveSurvey survey(problem, plan);
  Look look{problem, plan, survey, reasons};
  kRows[I].look(look);
}
template <size_t... I>
std::array<OracleRow, sizeof...(I)> MakeOracles(std::index_sequence<I...>) {
  return {OracleRow{kRows[I].info, Ask<I>}...};
}

void Judge(const Problem& problem, const Plan& plan, Bits64 promises, Survey& survey, Reasons& reasons) {
  if (plan.status == Status::kNotRun) return;
  Look look{problem, plan, survey, reasons};
  for (const Row& row : kRows) {
    if (row.info.promise == 0 || (row.info.promise & promises) != 0) row.look(look);
  }
}

}  // namespace

std::span<const OracleRow> Oracles() {
  static const auto oracles = MakeOracles(std::make_index_sequence<kRows.size()>());
  return oracles;
}

void JudgePlan(const Problem& problem, const Plan& plan, Bits64 promises, Reasons& reasons) {
  FastSurvey survey(problem, plan);
  Judge(problem, plan, promises, survey, reasons);
}

void JudgePlanNaively(const Problem& problem, const Plan& plan, Bits64 promises, Reasons& reasons) {
  NaiveSurvey survey(problem, plan);
  Judge(problem, plan, promises, survey, reasons);
}

bool KeepsTheRules(const Problem& problem, const Plan& plan) {
  NaiveSurvey survey(problem, plan);
  return Keeps(problem, plan, survey);
}

}  // namespace oomph::placement
