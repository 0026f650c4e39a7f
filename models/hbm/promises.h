// What a subject of the HBM family may promise and be able to do: the bits of SubjectInfo::promises and
// ::features, by name. Not for: the oracles that rest on the promises (see oracles.h).
#ifndef OOMPH_MODELS_HBM_PROMISES_H_
#define OOMPH_MODELS_HBM_PROMISES_H_

#include <array>
#include <string_view>

#include "models/base/family.h"

namespace oomph::hbm {

namespace promise {
enum Index {
  kAlignmentIndex, kStatsIndex, kCompletenessIndex, kWholeAfterDrainIndex, kFreedHoleIndex,
  kFailureAtomicIndex, kFreeListIndex, kCoalescingIndex, kLedgerIndex, kPolicyIndex,
  kDeterminismIndex, kFencesIndex, kNumPromises
};
inline constexpr Bits64 kAlignment = 1 << kAlignmentIndex, kStats = 1 << kStatsIndex,
                        kCompleteness = 1 << kCompletenessIndex,
                        kWholeAfterDrain = 1 << kWholeAfterDrainIndex,
                        kFreedHole = 1 << kFreedHoleIndex, kFailureAtomic = 1 << kFailureAtomicIndex,
                        kFreeList = 1 << kFreeListIndex, kCoalescing = 1 << kCoalescingIndex,
                        kLedger = 1 << kLedgerIndex, kPolicy = 1 << kPolicyIndex,
                        kDeterminism = 1 << kDeterminismIndex, kFences = 1 << kFencesIndex,
                        kAll = (Bits64{1} << kNumPromises) - 1;
}  // namespace promise

inline constexpr std::array<PromiseInfo, promise::kNumPromises> kPromises = {{
    {"alignment", "an offset is a multiple of the alignment asked for"},
    {"stats", "the statistics that are told are exact after every step"},
    {"completeness", "a request is refused only if no hole fits it", true},
    {"whole_after_drain", "with nothing live, every request up to the capacity is served", true},
    {"freed_hole_serves_again", "what was just freed serves a request of the same size", true},
    {"failure_atomic", "a refused request changes nothing but what its ledger lists"},
    {"free_list", "the free list and the free bytes that are told cover all that is not live"},
    {"coalescing", "no two free ranges touch"},
    {"ledger", "attempts, retries and failures are counted, and each retry has a cause"},
    {"policy", "the policy in the trace's memory line is followed"},
    {"determinism", "the same trace gives the same outcome"},
    {"fences", "what is freed later is not used again before its fence"},
}};

// What a generator may ask of a subject. One bit a step kind in the order of StepKind, then these.
namespace feature {
inline constexpr int kAlign = 12, kEnd = 13, kPinned = 14, kPolicy = 15, kBfc = 16, kNumFeatures = 17;
}
inline constexpr std::array<std::string_view, feature::kNumFeatures> kFeatures = {
    "allocate", "reallocate", "free",       "free_later", "load",  "unload",
    "execute",  "output",     "fence",      "defragment", "evict", "query",
    "align",    "end",        "pinned",     "policy",     "bfc"};

}  // namespace oomph::hbm

#endif  // OOMPH_MODELS_HBM_PROMISES_H_
