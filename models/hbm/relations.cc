// See relations.h. The numbers are those of the relations in DESIGN.md, P those of the property list.
#include "models/hbm/relations.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "absl/strings/str_format.h"
#include "models/base/units.h"
#include "models/hbm/promises.h"

namespace oomph::hbm {
namespace {

std::string_view Word(const Step& step) { return kFeatures[static_cast<size_t>(step.kind)]; }

bool IsTpu(const Trace& trace) { return trace.policy.allocator == Allocator::kTpu; }

bool HasKind(const Trace& trace, std::initializer_list<StepKind> kinds) {
  return std::any_of(trace.steps.begin(), trace.steps.end(), [&](const Step& step) {
    return std::find(kinds.begin(), kinds.end(), step.kind) != kinds.end();
  });
}

// Nothing but allocations and frees of buffers, none of which fails for another reason than memory.
bool OnlyBuffers(const Trace& trace) {
  return !HasKind(trace, {StepKind::kLoad, StepKind::kExecute, StepKind::kReallocate, StepKind::kDefragment});
}

// A name given twice means another buffer once one of the two is gone.
bool ReusesAName(const Trace& trace) {
  std::vector<uint32_t> names;
  for (const Step& step : trace.steps) {
    if (step.kind == StepKind::kAllocate) names.push_back(step.name);
  }
  std::sort(names.begin(), names.end());
  return std::adjacent_find(names.begin(), names.end()) != names.end();
}

bool OnlyGranuleAlignments(const Trace& trace) {
  return std::all_of(trace.steps.begin(), trace.steps.end(),
                     [&](const Step& step) { return step.alignment <= trace.policy.granule; });
}

bool MovedOrRetried(const TraceOutcome& outcome) {
  return std::any_of(outcome.events.begin(), outcome.events.end(), [](const Event& event) {
    return event.kind == EventKind::kMoved || event.kind == EventKind::kRetry;
  });
}

// Results, offsets and reserved bytes, row by row; offsets after `map`.
template <typename Map>
void SameRows(std::string_view name, const Trace& trace, const TraceOutcome& outcome, const TraceOutcome& related,
              Reasons& reasons, uint64_t scale, Map map) {
  const size_t rows = std::min({trace.steps.size(), outcome.rows.size(), related.rows.size()});
  for (size_t i = 0; i < rows; ++i) {
    const Row& a = outcome.rows[i];
    const Row& b = related.rows[i];
    const bool placed = a.result == Result::kOk && a.reserved > 0;
    if (a.result == b.result && (!placed || (a.reserved * scale == b.reserved && map(a) == b.offset))) continue;
    reasons.Add(name, Word(trace.steps[i]), i,
                absl::StrFormat("result %d, %u bytes at %u; in the changed trace %d, %u bytes at %u",
                                static_cast<int>(a.result), a.reserved, a.offset, static_cast<int>(b.result),
                                b.reserved, b.offset));
    return;
  }
}

// P11: the same trace gives the same outcome.
bool Same(const Trace& trace, Trace& into) {
  into = trace;
  return true;
}
void JudgeSame(std::string_view name, const Trace& trace, const TraceOutcome& outcome, const Trace&,
               const TraceOutcome& related, Reasons& reasons) {
  SameRows(name, trace, outcome, related, reasons, 1, [](const Row& row) { return row.offset; });
  if (!reasons.empty() || outcome.rows == related.rows) return;
  reasons.Add(name, "rows", 0, "the same trace gave other rows");
}

// 14: names that keep their order change nothing.
bool Rename(const Trace& trace, Trace& into) {
  into = trace;
  into.names.clear();
  for (Step& step : into.steps) {
    step.name = 2 * step.name + 3;
    if (step.donor != kNobody) step.donor = 2 * step.donor + 3;
  }
  return IsTpu(trace);
}
void JudgeRows(std::string_view name, const Trace& trace, const TraceOutcome& outcome, const Trace&,
               const TraceOutcome& related, Reasons& reasons) {
  SameRows(name, trace, outcome, related, reasons, 1, [](const Row& row) { return row.offset; });
}

// 14: twice the capacity, granule, sizes and alignments give twice the offsets.
bool Scale(const Trace& trace, Trace& into) {
  into = trace;
  into.policy.granule *= 2;
  into.policy.capacity *= 2;
  if (trace.policy.capacity > kTiB || trace.policy.granule > kTiB) return false;
  for (Step& step : into.steps) {
    if (step.size > kTiB || step.alignment > kTiB) return false;
    step.size *= 2;
    step.alignment *= 2;
  }
  return IsTpu(trace);
}
void JudgeScale(std::string_view name, const Trace& trace, const TraceOutcome& outcome, const Trace&,
                const TraceOutcome& related, Reasons& reasons) {
  SameRows(name, trace, outcome, related, reasons, 2, [](const Row& row) { return 2 * row.offset; });
}

// Asking changes nothing.
bool Ask(const Trace& trace, Trace& into) {
  into.policy = trace.policy;
  into.names = trace.names;
  into.steps.clear();
  for (size_t i = 0; i < trace.steps.size(); ++i) {
    if (trace.steps[i].kind != StepKind::kOutput) into.steps.push_back({});
    into.steps.push_back(trace.steps[i]);
  }
  return true;
}
void JudgeAsk(std::string_view name, const Trace& trace, const TraceOutcome& outcome, const Trace& related_trace,
              const TraceOutcome& related, Reasons& reasons) {
  TraceOutcome without;
  for (size_t i = 0, k = 0; i < trace.steps.size(); ++i, ++k) {
    if (trace.steps[i].kind != StepKind::kOutput) ++k;  // the query before it
    if (k >= related.rows.size() || k >= related_trace.steps.size()) break;
    without.rows.push_back(related.rows[k]);
  }
  JudgeRows(name, trace, outcome, trace, without, reasons);
}

// P10: under two ends, what the low end does moves no high buffer, as long as nothing fails or moves.
bool DropLow(const Trace& trace, Trace& into) {
  if (!IsTpu(trace) || trace.policy.ends != Ends::kTwo || !OnlyBuffers(trace) || ReusesAName(trace)) return false;
  into = trace;
  bool any = false;
  for (Step& step : into.steps) {
    if (step.kind != StepKind::kAllocate || step.end != End::kLow) continue;
    step = {};  // a query keeps the step's place
    any = true;
  }
  return any;
}
void JudgeDropLow(std::string_view name, const Trace& trace, const TraceOutcome& outcome, const Trace&,
                  const TraceOutcome& related, Reasons& reasons) {
  if (MovedOrRetried(outcome)) return;
  const size_t rows = std::min({trace.steps.size(), outcome.rows.size(), related.rows.size()});
  for (size_t i = 0; i < rows; ++i) {
    const Row& a = outcome.rows[i];
    const Row& b = related.rows[i];
    if (a.result == Result::kFailed) return;
    if (trace.steps[i].kind != StepKind::kAllocate || trace.steps[i].end == End::kLow) continue;
    if (a.result == b.result && a.offset == b.offset) continue;
    reasons.Add(name, "allocate", i,
                absl::StrFormat("a high buffer lies at %u, and at %u without the low buffers", a.offset, b.offset));
    return;
  }
}

// P10: exchanging the ends mirrors every offset. With nothing but granule alignments there is no
// rounding that knows which way is up.
bool Mirror(const Trace& trace, Trace& into) {
  if (!IsTpu(trace) || !OnlyBuffers(trace) || !OnlyGranuleAlignments(trace)) return false;
  into = trace;
  switch (trace.policy.ends) {
    case Ends::kLow: into.policy.ends = Ends::kHigh; return true;
    case Ends::kHigh: into.policy.ends = Ends::kLow; return true;
    case Ends::kTwo: break;
  }
  for (Step& step : into.steps) {
    if (step.kind == StepKind::kAllocate) step.end = step.end == End::kLow ? End::kHigh : End::kLow;
  }
  return true;
}
void JudgeMirror(std::string_view name, const Trace& trace, const TraceOutcome& outcome, const Trace&,
                 const TraceOutcome& related, Reasons& reasons) {
  // A defragmentation moves towards the top, whichever end is used.
  if (MovedOrRetried(outcome) && trace.policy.ends != Ends::kTwo) return;
  const uint64_t capacity = RoundDown(trace.policy.capacity, trace.policy.granule);
  SameRows(name, trace, outcome, related, reasons, 1,
           [&](const Row& row) { return capacity - row.offset - row.reserved; });
}

// 10: with no eviction and no defragmentation, the first request that waited fails where the queue never
// lands.
bool NeverLand(const Trace& trace, Trace& into) {
  into = trace;
  into.policy.waiting = Waiting::kNever;
  return IsTpu(trace) && trace.policy.eviction == Eviction::kNever &&
         trace.policy.defragmentation == Defragmentation::kNever && trace.policy.waiting != Waiting::kNever;
}
void JudgeNeverLand(std::string_view name, const Trace& trace, const TraceOutcome& outcome, const Trace&,
                    const TraceOutcome& related, Reasons& reasons) {
  for (size_t i = 0; i < std::min({trace.steps.size(), outcome.rows.size(), related.rows.size()}); ++i) {
    const Row& row = outcome.rows[i];
    if (uint64_t{row.first_event} + row.num_events > outcome.events.size()) return;
    const bool waited = std::any_of(outcome.events.begin() + row.first_event,
                                    outcome.events.begin() + row.first_event + row.num_events,
                                    [](const Event& event) { return event.kind == EventKind::kRetry; });
    if (!waited) continue;
    if (related.rows[i].result != Result::kFailed) {
      reasons.Add(name, Word(trace.steps[i]), i, "waited for the queue, and is served where it never lands");
    }
    return;  // from here on the two differ
  }
}

// 12: a program that was evicted and is loaded again by a launch sees the verdict of a first load: the
// launch becomes a load under a new name and a launch of that.
bool LoadAfresh(const Trace& trace, Trace& into) {
  if (!IsTpu(trace) || trace.policy.zero == Zero::kRefused || trace.policy.eviction == Eviction::kAll) return false;
  // Only the first eviction on demand and the launch straight after it, with no outputs.
  for (size_t i = 0; i + 1 < trace.steps.size(); ++i) {
    if (trace.steps[i].kind != StepKind::kEvict || trace.steps[i + 1].kind != StepKind::kExecute ||
        trace.steps[i].name != trace.steps[i + 1].name) {
      continue;
    }
    if (i + 2 < trace.steps.size() && trace.steps[i + 2].kind == StepKind::kOutput) continue;
    std::optional<Step> load;
    size_t definitions = 0;  // one, so that it is known which it is, whatever failed
    for (size_t k = 0; k < i; ++k) {
      const bool defines = trace.steps[k].kind == StepKind::kLoad || trace.steps[k].kind == StepKind::kAllocate ||
                           trace.steps[k].kind == StepKind::kOutput;
      if (!defines || trace.steps[k].name != trace.steps[i].name) continue;
      load = trace.steps[k];
      ++definitions;
    }
    if (definitions != 1 || load->kind != StepKind::kLoad) continue;
    into = {trace.policy, {trace.steps.begin(), trace.steps.begin() + i + 2}, {}};
    into.steps[i + 1] = *load;
    return true;
  }
  return false;
}
void JudgeLoadAfresh(std::string_view name, const Trace&, const TraceOutcome& outcome, const Trace& related_trace,
                     const TraceOutcome& related, Reasons& reasons) {
  const size_t last = related_trace.steps.size() - 1;
  if (last >= outcome.rows.size() || last >= related.rows.size()) return;
  if (outcome.rows[last - 1].result != Result::kOk || outcome.rows[last].result == Result::kNoOp) return;
  if (outcome.rows[last].result == related.rows[last].result) return;
  reasons.Add(name, "execute", last, "a launch that loads its program again differs from a first load");
}

const std::array kRelations = {
    RelationRow{{"the_same_twice", "P11", promise::kDeterminism}, Same, JudgeSame},
    RelationRow{{"names_mean_nothing", "relation 14", promise::kDeterminism}, Rename, JudgeRows},
    RelationRow{{"scaling_scales", "relation 14", promise::kPolicy}, Scale, JudgeScale},
    RelationRow{{"asking_changes_nothing", "a query is no request", promise::kDeterminism}, Ask, JudgeAsk},
    RelationRow{{"the_ends_are_independent", "P10", promise::kPolicy}, DropLow, JudgeDropLow},
    RelationRow{{"the_ends_mirror", "P10", promise::kPolicy}, Mirror, JudgeMirror},
    RelationRow{{"waiting_needs_the_queue", "relation 10", promise::kPolicy}, NeverLand, JudgeNeverLand},
    RelationRow{{"loading_again_is_loading", "relation 12", promise::kPolicy}, LoadAfresh, JudgeLoadAfresh},
};

}  // namespace

std::span<const RelationRow> Relations() { return kRelations; }

}  // namespace oomph::hbm
