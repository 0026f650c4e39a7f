// What a planner or a compiler may promise of its answers, and what a program may ask of it: the bits of
// SubjectInfo::promises and ::features, by name. Not for: the oracles that rest on the promises (oracles.h).
#ifndef OOMPH_MODELS_SPARSECORE_PROMISES_H_
#define OOMPH_MODELS_SPARSECORE_PROMISES_H_

#include <array>
#include <string_view>

#include "models/base/family.h"
#include "models/sparsecore/program.h"
#include "models/sparsecore/target.h"

namespace oomph::sparsecore {

namespace promise {
enum Index {
  kTotalIndex, kOverrunIndex, kPlacedIndex, kHighWaterIndex, kTextIndex, kDeterminismIndex, kWordsIndex, kFramesIndex,
  kMonotonyIndex, kSweepIndex, kNumPromises
};
inline constexpr Bits64 kTotal = 1 << kTotalIndex, kOverrun = 1 << kOverrunIndex, kPlaced = 1 << kPlacedIndex,
                        kHighWater = 1 << kHighWaterIndex, kText = 1 << kTextIndex, kDeterminism = 1 << kDeterminismIndex,
                        kWords = 1 << kWordsIndex, kFrames = 1 << kFramesIndex, kMonotony = 1 << kMonotonyIndex,
                        kSweep = 1 << kSweepIndex, kAll = (Bits64{1} << kNumPromises) - 1;
}  // namespace promise

inline constexpr std::array<PromiseInfo, promise::kNumPromises> kPromises = {{
    {"total", "it answers every program of the features it has"},
    {"overrun", "it tells memory, bound, limit and words of the allocation that does not fit"},
    {"placed", "it tells each buffer that it planned, with its place, in planning order"},
    {"high_water", "it tells the words that are used of each memory where all fits"},
    {"text", "a refusal has a text of a known form"},
    {"determinism", "the same program gets the same answer"},
    // What follows is asked by relations (relations.h).
    {"words", "the words of a buffer depend on the bits of its type, its shape and its tiles only"},
    {"frames", "what a scope, a loop or a copy took is free behind it"},
    {"monotony", "a smaller size in the same structure, below 2^58 words, turns no fit into a failure"},
    {"sweep", "a higher limit turns no fit into a failure and moves nothing"},
}};

// What a program may ask of a subject, one bit each. The first are the targets, in the order of target.h: a subject of one
// chip has one of them. Then the memories, in the order of SparseCoreSpace.
namespace feature {
enum Index {
  kFirstTarget,
  kFirstSpace = static_cast<int>(kTargets),
  kScalarCore = kFirstSpace + static_cast<int>(kSparseCoreSpaces),
  kLinear, kPhysical, kTiles, kPacked, kFourBits, kPred, kOtherTypes, kScratch, kScopes, kFor, kUntoldTrips, kFewTrips, kWhile, kIf, kCopies,
  kHbmCopies, kFlat, kUnused, kLoads, kUnmoved, kSharedInTile, kOtherCore, kOwnLimits, kNumbered, kPlaces, kOdd, kEmpty, kLarge, kNumFeatures
};
constexpr Bits64 Bit(int index) { return Bits64{1} << index; }
constexpr Bits64 BitOf(Target target) { return Bit(kFirstTarget + static_cast<int>(target)); }
constexpr Bits64 BitOf(Space space) { return Bit(kFirstSpace + static_cast<int>(space)); }
inline constexpr Bits64 kAll = Bit(kNumFeatures) - 1, kEveryTarget = Bit(kTargets) - 1;
inline constexpr Bits64 kEverySpace = (Bit(static_cast<int>(kSparseCoreSpaces)) - 1) << kFirstSpace;
}  // namespace feature
inline constexpr std::array<std::string_view, feature::kNumFeatures> kFeatures = {
    "v5p", "v6e", "7x",
    "spmem", "tile_spmem", "smem_tile", "sflag_tile", "smem_scs", "sflag_scs", "hbm",  // a buffer there
    "scalar_core",
    "linear",         // the last dimension alone is padded
    "physical",       // shapes are what is allocated
    "tiles",          // buffers with tiles of their own
    "packed",         // types of 8 and 16 bits
    "int4",
    "pred",
    "other_types",    // what no kernel can hold there: 64 bits and more, 1 and 2, packed ones in smem, other semaphores than s32
    "scratch",        // kernel-level
    "scopes",
    "for",
    "unknown_trips",
    "few_trips",      // loops of one trip, of none
    "while",
    "if",
    "copies",
    "hbm_copies",     // that no buffer takes part in
    "flat",           // allocations that stand in no scope of their own: not the first of one
    "unused",         // buffers that nothing touches
    "loads",          // buffers that are read only
    "unmoved",        // what no copy of a kernel moves: packed types in HBM in compact tiles, scalars there and in spmem
    "shared_in_tile", // spmem or HBM in the body of a vector kernel
    "other_core",     // memories of the other core
    "own_limits",     // first or last words that are not the chip's
    "numbered",       // spaces by number in the texts of refusals
    "places",         // where a text had it
    "odd",            // statements that mean nothing
    "empty",          // sizes of 0
    "large",          // 2^58 words and more
};

// What the program asks for.
Bits64 FeaturesOf(const Program& program);

}  // namespace oomph::sparsecore

#endif  // OOMPH_MODELS_SPARSECORE_PROMISES_H_
