// See hbm_claims.h. Not for: the claims themselves.
#include "props/hbm_claims.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "models/hbm/allocator.h"
#include "models/hbm/family.h"
#include "models/hbm/promises.h"
#include "models/hbm/text.h"

namespace oomph::hbm {
namespace {

Property PropertyOf(const Claim& claim, RunTrace run, size_t& applied) {
  return [&claim, run = std::move(run), &applied](const Case& c) -> std::string {
    if (In(c).policy.allocator != Allocator::kTpu) return "";
    bool applies = false;
    std::string reason = claim.holds(In(c), run, applies);
    applied += applies;
    return reason;
  };
}

}  // namespace

const Trace& In(const Case& c) { return static_cast<const CaseOf<Trace>&>(c).value; }

RunTrace Model() {
  return [](const Trace& trace) {
    TraceOutcome outcome;
    RunModel(trace, outcome);
    return outcome;
  };
}

RunTrace TheSpecification() {
  return [](const Trace& trace) {
    TraceOutcome outcome;
    RunSpecification(trace, outcome);
    return outcome;
  };
}

void CheckClaim(const Claim& claim, int cases, int one_in) {
  const struct {
    std::string_view name;
    RunTrace run;
    int cases;
  } subjects[] = {{"model", Model(), cases}, {"specification", TheSpecification(), cases / 4}};
  for (const auto& subject : subjects) {
    size_t applied = 0;
    const std::string name = absl::StrCat(std::string(claim.name), "_", std::string(subject.name));
    CheckParams params;
    params.cases = subject.cases;
    params.subject = subject.name;
    CheckCases(HbmFamily(), name, params, PropertyOf(claim, subject.run, applied));
    if (std::getenv("OOMPH_REPLAY") != nullptr) continue;
    EXPECT_GE(applied * one_in, static_cast<size_t>(subject.cases))
        << name << " says something in " << applied;
  }
}

void CheckCatches(const Claim& claim, const RunTrace& fault, int cases, std::string_view but_for) {
  size_t applied = 0;
  CheckParams params;
  params.cases = cases;
  const auto found = FindCounterexample(HbmFamily(), absl::StrCat("planted_", std::string(claim.name)),
                                        params, PropertyOf(claim, fault, applied));
  ASSERT_NE(found, nullptr) << claim.name << " does not see its planted fault";
  EXPECT_LE(HbmFamily().Size(*found->smallest), 12u) << found->text;
  std::filesystem::remove(found->file);
  const auto oracles = FindCounterexample(HbmFamily(), "planted_oracles", params, [&](const Case& c) {
    OutcomeOf<TraceOutcome> outcome;
    outcome.value = fault(In(c));
    Reasons reasons;
    HbmFamily().Judge(c, outcome, promise::kAll, reasons);
    return reasons.empty() || reasons.list()[0].oracle == but_for
               ? ""
               : absl::StrCat(std::string(reasons.list()[0].oracle), ": ", reasons.list()[0].text);
  });
  if (oracles != nullptr) ADD_FAILURE() << "an oracle sees the fault as well: " << oracles->text;
}

std::span<const Event> EventsOf(const TraceOutcome& outcome, size_t step) {
  const Row& row = outcome.rows[step];
  return std::span(outcome.events).subspan(row.first_event, row.num_events);
}

bool Has(const TraceOutcome& outcome, size_t step, EventKind kind) {
  const auto events = EventsOf(outcome, step);
  return std::any_of(events.begin(), events.end(), [&](const Event& event) { return event.kind == kind; });
}

size_t After(const Trace& trace, size_t step) {
  const bool launch = trace.steps[step].kind == StepKind::kExecute;
  for (++step; launch && step < trace.steps.size() && trace.steps[step].kind == StepKind::kOutput;) ++step;
  return step;
}

Trace UpTo(const Trace& trace, size_t step) {
  Trace cut = trace;
  cut.names.clear();
  cut.steps.resize(After(trace, step));
  return cut;
}

uint32_t FreshName(const Trace& trace) {
  uint32_t name = 0;
  for (const Step& step : trace.steps) {
    name = std::max(name, step.name + 1);
    if (step.donor != kNobody) name = std::max(name, step.donor + 1);
  }
  return name;
}

std::string At(const Trace& trace, size_t step) {
  return absl::StrCat("step ", step, " (", std::string(StepWord(trace.steps[step].kind)), ")");
}

std::string FirstDifference(const Trace& trace, const TraceOutcome& a, const TraceOutcome& b, size_t shift) {
  if (a.rows.size() + shift != b.rows.size()) return "one run ends before the other";
  for (size_t i = 0; i < a.rows.size(); ++i) {
    const Row &one = a.rows[i], &two = b.rows[i + shift];
    const bool same = one.result == two.result && one.offset == two.offset && one.reserved == two.reserved &&
                      one.free_bytes == two.free_bytes && one.largest_free == two.largest_free &&
                      one.reservable == two.reservable;
    if (!same) return absl::StrCat(At(trace, i), " ends otherwise");
    const auto first = EventsOf(a, i), second = EventsOf(b, i + shift);
    if (!std::equal(first.begin(), first.end(), second.begin(), second.end())) {
      return absl::StrCat(At(trace, i), " has other events");
    }
  }
  return "";
}

}  // namespace oomph::hbm
