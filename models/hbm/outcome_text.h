// The outcome of an HBM trace for a person, beside its steps, and as bytes for another process; the words of
// results, events and causes.
// Not for judging it (see oracles.h) nor for saying why a request failed (see explain.h).

#ifndef OOMPH_MODELS_HBM_OUTCOME_TEXT_H_
#define OOMPH_MODELS_HBM_OUTCOME_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "models/hbm/outcome.h"
#include "models/hbm/text.h"
#include "models/hbm/trace.h"

namespace oomph::hbm {

// One word each, as in reach names and details of signatures: "out_of_fuel", "took_over", "defragment".
std::string_view ResultWord(Result result);
std::string_view EventWord(EventKind kind);
std::string_view CauseWord(Cause cause);
// Of a bit of bfc::path, by its number, as in the name of an Event of kFallback: "backed_off".
std::string_view PathWord(uint32_t path);

// "moved c 48: 128 -> 512", "retried: waited".
std::string PrintEvent(const Event& event, const Names& names);

// One line a step with its result, place and what was known after it; then its events, one a line.
//
//   step                 result  offset  reserved  in use
//      0  allocate a 48  ok           0        48      48
//      1  allocate b 32  failed                        48  free 16, largest 16, reservable 16
//           retried: waited
std::string PrintOutcome(const Trace& trace, const TraceOutcome& outcome);

// For another process of the same build. Unpack gives false for everything that Pack does not make; `into`
// then holds nothing of use. What it takes of memory is bounded by the length of `bytes`.
std::string PackOutcome(const TraceOutcome& outcome);
bool UnpackOutcome(std::string_view bytes, TraceOutcome& into);

}  // namespace oomph::hbm

#endif  // OOMPH_MODELS_HBM_OUTCOME_TEXT_H_
