// Claims about HBM traces that are more than one run of one trace: what they share. A claim is asked of the
// model and of the specification, and has a planted fault, beside it, that it sees and no oracle does. Does
// not cover: BFC traces, which the claims pass over.
#ifndef OOMPH_PROPS_HBM_CLAIMS_H_
#define OOMPH_PROPS_HBM_CLAIMS_H_

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "models/hbm/outcome.h"
#include "models/hbm/specification.h"
#include "models/hbm/trace.h"
#include "props/engine.h"

namespace oomph::hbm {

using RunTrace = std::function<TraceOutcome(const Trace&)>;

// Why it does not hold; empty where it holds. `applies` becomes true where it says something.
struct Claim {
  std::string_view name;
  std::string (*holds)(const Trace& trace, const RunTrace& run, bool& applies);
};

const Trace& In(const Case& c);
RunTrace Model();
RunTrace TheSpecification();
// The specification with a step replaced.
template <typename Fault>
RunTrace Planted() {
  return [](const Trace& trace) {
    TraceOutcome outcome;
    if (trace.policy.allocator == Allocator::kTpu) {
      Fault(trace).Run(outcome);
    } else {
      RunSpecification(trace, outcome);
    }
    return outcome;
  };
}

// The claim holds of the model and of the specification in `cases` cases, of which it says something in one
// of `one_in` at least.
void CheckClaim(const Claim& claim, int cases, int one_in);
// The claim sees the fault within `cases` cases, and no oracle does in as many, but for the one that says the
// same of the steps that a trace happens to have.
void CheckCatches(const Claim& claim, const RunTrace& fault, int cases, std::string_view but_for = "");

// ---- Traces and outcomes ----

std::span<const Event> EventsOf(const TraceOutcome& outcome, size_t step);
bool Has(const TraceOutcome& outcome, size_t step, EventKind kind);
// The step after a step and its outputs.
size_t After(const Trace& trace, size_t step);
// The steps up to and with `step` and its outputs.
Trace UpTo(const Trace& trace, size_t step);
// A name that the trace does not use, nor any above it.
uint32_t FreshName(const Trace& trace);
// "step 3 (allocate)".
std::string At(const Trace& trace, size_t step);
// The first step at which rows (result, place, free bytes) or events differ, `b` being `shift` rows late.
std::string FirstDifference(const Trace& trace, const TraceOutcome& a, const TraceOutcome& b, size_t shift);

}  // namespace oomph::hbm

#endif  // OOMPH_PROPS_HBM_CLAIMS_H_
