// Makes HLO modules from choices: typed random graphs that are valid by construction. Every tape gives a
// module. Not for: changing a module (mutate.h, rewrite.h) or making a failing one smaller (reduce.h).
#ifndef OOMPH_MODELS_HLO_GENERATE_H_
#define OOMPH_MODELS_HLO_GENERATE_H_

#include <array>
#include <span>
#include <string_view>

#include "models/base/choices.h"
#include "models/base/family.h"
#include "models/hlo/module.h"

namespace oomph::hlo {

// What a generator may ask of a subject, one bit each.
namespace feature {
enum Index {
  kLayouts,
  kTiles,
  kSchedule,
  kWideTypes,
  kNarrowTypes,
  kZeroSized,
  kDynamicShapes,
  kControlFlow,
  kFusions,
  kAsync,
  kCollectives,
  kTransfers,
  kCustomCalls,
  kRandomNumbers,
  kLinearAlgebra,
  kInvalid,
  kNumFeatures
};
}
inline constexpr std::array<std::string_view, feature::kNumFeatures> kFeatures = {
    "layouts",         // orders of dimensions other than the default
    "tiles",           // T(8,128), E(4), S(1)
    "schedule",        // is_scheduled=true
    "wide_types",      // types of more than 32 bits
    "narrow_types",    // types of 8 bits and fewer, but pred
    "zero_sized",      // arrays without elements
    "dynamic_shapes",  // set-dimension-size and what follows
    "control_flow",    // call, while, conditional, map
    "fusions",
    "async",           // copy-start and all other pairs
    "collectives",     // two replicas
    "transfers",       // send, recv, infeed, outfeed
    "custom_calls", "random_numbers",
    "linear_algebra",  // cholesky, triangular-solve, fft, batch-norm
    "invalid",         // wrong somewhere: the generator itself makes none, see damage.h
};

// Two bits more that no module has, for what is drawn only. Arrays of at most kSmallElements, but in one module of 32: for a
// compiler whose time grows with the elements (it folds constants, and tiles what is not aligned one row at a time). All bits
// at once, the default, ask for arrays of any size.
inline constexpr int kSmallArrays = 62, kAnyArrays = 63;
inline constexpr int64_t kSmallElements = int64_t{1} << 17;

// Replaces what is in `into`, whose memory it uses again. Asks only for what `options.features` allows. With
// options.steps given, about that many instructions; at most 64 where the generator draws them.
void GenerateModule(Choices& choices, const GenerateOptions& options, Module& into);

// Operations that it never builds, each with the reason.
struct Omission {
  Opcode opcode;
  std::string_view because;
};
std::span<const Omission> Omissions();

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_GENERATE_H_
