// What a model or a compiler may promise of its answers, and what a kernel may ask of it: the bits of
// SubjectInfo::promises and ::features, by name. Not for: the oracles that rest on the promises (oracles.h).
#ifndef OOMPH_MODELS_VMEM_PROMISES_H_
#define OOMPH_MODELS_VMEM_PROMISES_H_

#include <array>
#include <string_view>

#include "models/base/family.h"
#include "models/vmem/target.h"

namespace oomph::vmem {

namespace promise {
enum Index {
  kTotalIndex, kSizesIndex, kPartsIndex, kTextIndex, kDeterminismIndex, kSymmetryIndex, kSweepIndex, kMonotonyIndex,
  kLinearIndex, kNumPromises
};
inline constexpr Bits64 kTotal = 1 << kTotalIndex, kSizes = 1 << kSizesIndex, kParts = 1 << kPartsIndex,
                        kText = 1 << kTextIndex, kDeterminism = 1 << kDeterminismIndex, kSymmetry = 1 << kSymmetryIndex,
                        kSweep = 1 << kSweepIndex, kMonotony = 1 << kMonotonyIndex,
                        kLinear = 1 << kLinearIndex, kAll = (Bits64{1} << kNumPromises) - 1;
}  // namespace promise

inline constexpr std::array<PromiseInfo, promise::kNumPromises> kPromises = {{
    {"total", "it answers every kernel of the features it has"},
    {"sizes", "it tells the bytes that a kernel needs and the limit that it is held to, whether it fits or not"},
    {"parts", "it tells each buffer that is live, with its bytes"},
    {"text", "a refusal has a text of a known form"},
    {"determinism", "the same kernel gets the same answer"},
    // What follows is asked by relations (relations.h), where its answer is exact.
    {"symmetry", "no size depends on the order of operands or grid dimensions, on dimensions of one step, on what else a type is than its bits"},
    {"sweep", "a higher limit turns no fit into a failure and lowers no printed size"},
    {"monotony", "what is taken away from a kernel raises no size"},
    {"linear", "blocks of twice as many tiles take twice the bytes, but for rounding"},
}};

// What a kernel may ask of a subject, one bit each. The first are the targets, in the order of target.h: a subject of one
// chip has one of them.
namespace feature {
enum Index {
  kFirstTarget,
  kOption = static_cast<int>(kTargets),
  kLimit, kOddLimit, kOptionZero, kDynamicGrid, kSemantics, kCoreParallel, kPrefetch, kElements, kMemories, kInVmem, kFused, kBuffered,
  kScratch, kScoped, kFourBits, kTwoBits, kSmallArrays, kOverCapacity, kHeavyBody, kInternal, kUncompiled, kLarge, kNumFeatures
};
constexpr Bits64 Bit(int index) { return Bits64{1} << index; }
constexpr Bits64 BitOf(Target target) { return Bit(kFirstTarget + static_cast<int>(target)); }
inline constexpr Bits64 kAll = Bit(kNumFeatures) - 1, kEveryTarget = Bit(kTargets) - 1;
}  // namespace feature
inline constexpr std::array<std::string_view, feature::kNumFeatures> kFeatures = {
    "v4", "v4mega", "v5e", "v5p", "v6e", "7x",
    "option",          // xla_tpu_scoped_vmem_limit_kib
    "limit",           // vmem_limit_bytes
    "odd_limit",       // of 0 or less, by either
    "option_zero",     // an option of 0 beside a limit: compilers abort
    "dynamic_grid",    // a grid dimension that is not known
    "semantics",       // dimension_semantics
    "core_parallel",
    "prefetch",        // scalars that index maps read
    "element_blocks",  // pl.Element
    "memory_spaces",   // any, hbm, smem
    "in_vmem",         // arrays that are in VMEM already
    "fused",           // producers fused into inputs
    "buffered",        // pl.Buffered
    "scratch", "scoped",
    "int4",
    "int2",            // and 1
    "small_arrays",    // arrays that may be moved to VMEM: less than they need is right
    "over_capacity",   // more than VMEM
    "heavy_body",
    "internal",        // bytes that the compiler is said to add: nobody can ask it for them
    "uncompiled",      // what a compiler refuses for other reasons: empty dimensions, blocks that tiles do not divide
    "large",           // sizes near 2^63
};

}  // namespace oomph::vmem

#endif  // OOMPH_MODELS_VMEM_PROMISES_H_
