// Arguments on which a module is run: drawn from the types and dimensions of its parameters alone, so that a module and its
// rewrites get the same. And whether it is run at all: nothing that is not determined, too large, or may not end.
// Not for: running it (a subject does), nor whether its results are right (results.h).
#ifndef OOMPH_MODELS_HLO_INPUTS_H_
#define OOMPH_MODELS_HLO_INPUTS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "models/hlo/module.h"
#include "models/hlo/plan.h"

namespace oomph::hlo {

enum class InputKind : uint8_t {
  kSmall,    // whole numbers up to 8: sums and products of a few stay exact, whatever their order
  kSpecial,  // random, and what is special: nan, inf, -0, the largest, the smallest, 0, 1, -1, extreme integers
};
inline constexpr int64_t kSmallInput = 8;

struct RunLimits {
  uint64_t argument_bytes = uint64_t{1} << 20;
  uint64_t all_bytes = uint64_t{16} << 20;  // of all that it makes, side by side
  uint64_t work = 4'000'000;                // elements that are computed, those of contractions each
};

// Of the parameters of the entry, which decide it with the seed.
InputKind InputKindOf(const Module& module, uint64_t seed = 0);

// The leaves of the parameters in their order. An error says why the module is not run: random numbers, other devices, the
// host, custom calls, dynamic sizes, a loop whose end is not sure, or too much work. Of a valid module.
//
// Denormal numbers are drawn only where no operation computes with a floating-point number: elsewhere they may be taken
// for 0 or not.
absl::StatusOr<std::vector<ResultArray>> ArgumentsOf(const Module& module, uint64_t seed = 0,
                                                     const RunLimits& limits = {});

// The arrays of a shape in their order.
std::vector<ShapeId> LeavesOf(const ShapeTable& shapes, ShapeId shape);

// How often the body of this loop of the computation runs, where that can be seen: a counter, a constant limit.
std::optional<uint64_t> TripsOf(const Module& module, const Computation& computation, const Instruction& loop);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_INPUTS_H_
