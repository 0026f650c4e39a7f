// What a reader, verifier and planner of HLO may promise: the bits of SubjectInfo::promises, by name. What a generator may ask of
// it is in generate.h. Not for: the oracles that rest on the promises (oracles.h).
#ifndef OOMPH_MODELS_HLO_PROMISES_H_
#define OOMPH_MODELS_HLO_PROMISES_H_

#include <array>

#include "models/base/family.h"
#include "models/hlo/module.h"

namespace oomph::hlo {

namespace promise {
enum Index { kReadingIndex, kReasonsIndex, kPrintingIndex, kFaithfulnessIndex, kPeaksIndex, kDeterminismIndex, kMeaningIndex, kPlanningIndex, kNumPromises };
inline constexpr Bits64 kReading = 1 << kReadingIndex, kReasons = 1 << kReasonsIndex, kPrinting = 1 << kPrintingIndex,
                        kFaithfulness = 1 << kFaithfulnessIndex, kPeaks = 1 << kPeaksIndex,
                        kDeterminism = 1 << kDeterminismIndex, kMeaning = 1 << kMeaningIndex, kPlanning = 1 << kPlanningIndex,
                        kAll = (Bits64{1} << kNumPromises) - 1;
}  // namespace promise

inline constexpr std::array<PromiseInfo, promise::kNumPromises> kPromises = {{
    {"reading", "it reads the text of every module, an invalid one too"},
    {"reasons", "what it refuses it gives a reason for"},
    {"printing", "it prints a valid module in the canonical form, as a text of one module that is as valid"},
    {"faithfulness", "the module that it prints is the one that it was given"},
    {"peaks", "it counts the memory of every valid module that is not large"},
    {"determinism", "the same module gives the same answer"},
    {"meaning", "a rewrite that keeps what a module computes keeps it valid, and its peak moves only as it may"},
    {"planning", "its plans place all values of a module that is still valid"},
}};

// The bits of generate.h that a module uses.
Bits64 FeaturesOf(const Module& module);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_PROMISES_H_
