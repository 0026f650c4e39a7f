// What a planner may promise and what a generator may ask of it: the bits of SubjectInfo::promises and
// ::features, by name. Not for: the oracles that rest on the promises (see oracles.h).
#ifndef OOMPH_MODELS_PLACEMENT_PROMISES_H_
#define OOMPH_MODELS_PLACEMENT_PROMISES_H_

#include <array>
#include <string_view>

#include "models/base/family.h"

namespace oomph::placement {

namespace promise {
enum Index {
  kOffsetsIndex, kPeakIndex, kLowerBoundIndex, kCompletenessIndex, kTotalIndex, kDeterminismIndex, kUnitsIndex,
  kOrderIndex, kReversalIndex, kMonotonyIndex, kIndependenceIndex, kNumPromises
};
inline constexpr Bits64 kOffsets = 1 << kOffsetsIndex, kPeak = 1 << kPeakIndex, kLowerBound = 1 << kLowerBoundIndex,
                        kCompleteness = 1 << kCompletenessIndex, kTotal = 1 << kTotalIndex,
                        kDeterminism = 1 << kDeterminismIndex, kUnits = 1 << kUnitsIndex, kOrder = 1 << kOrderIndex,
                        kReversal = 1 << kReversalIndex, kMonotony = 1 << kMonotonyIndex,
                        kIndependence = 1 << kIndependenceIndex, kAll = (Bits64{1} << kNumPromises) - 1;
}  // namespace promise

inline constexpr std::array<PromiseInfo, promise::kNumPromises> kPromises = {{
    {"offsets", "a placement that is found is told, an offset for every buffer"},
    {"peak", "the peak that is told is that of the placement"},
    {"lower_bound", "no placement has a peak below the bound that is told"},
    {"completeness", "it gives up only where nothing fits", true},
    {"total", "it takes every problem of the features it has"},
    {"determinism", "the same problem gives the same plan"},
    // What follows is asked by relations (see relations.h), where no budget was used up.
    {"units", "bytes counted in other units, and times from another origin, change nothing else"},
    {"order", "the order of the buffers changes neither verdict nor peak: an exact planner"},
    {"reversal", "time run backwards changes neither verdict nor peak: an exact planner, or sizes that all differ"},
    {"monotony", "an easier problem has no worse answer: an exact planner"},
    {"independence", "what is never live at the same time does not matter to one another"},
}};

// What a generator may ask of a subject, one bit each.
namespace feature {
enum Index {
  kCapacity, kMinimize, kAlign, kOddAlign, kFixed, kHint, kSpaces, kGroups, kGaps, kWindows, kSlices, kSizeZero,
  kEmptyRange, kCapacityZero, kLarge, kMany, kNumFeatures
};
}
inline constexpr std::array<std::string_view, feature::kNumFeatures> kFeatures = {
    "capacity",   // a capacity is given
    "minimize",   // none is given
    "align",      // alignments that are powers of two
    "odd_align",  // alignments that are not
    "fixed", "hint", "spaces", "groups", "gaps", "windows", "slices", "size_zero", "empty_range", "capacity_zero",
    "large",      // sizes and times near 2^63
    "over_8_buffers",
};

}  // namespace oomph::placement

#endif  // OOMPH_MODELS_PLACEMENT_PROMISES_H_
