// The HLO modules that benchmarks read: real ones where a folder is named, and made ones of any length.
// Not for tests, nor for modules from choices (models/hlo/generate.h).
#ifndef OOMPH_FUZZ_BENCH_HLO_MODULES_H_
#define OOMPH_FUZZ_BENCH_HLO_MODULES_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "fuzz/bench/bench.h"
#include "models/hlo/module.h"

namespace oomph {

struct HloCase {
  std::string text;
  hlo::Module module;
};

// What can be read of the folder that OOMPH_HLO_CASES names, of at least 1 KiB, the largest first: modules below are
// mostly headers of tests. Without such a folder a made one of 10 MB; the report then says so.
std::vector<HloCase> HloCases(BenchReport& report);

// Two of the files are nearly half of the bytes, so figures are given with and without the largest.
inline constexpr size_t kLargestHloCases = 5;

// The text of a module of about so many instructions, as a training step has them: layers of fusions, loops and
// tuples on the way forward, and as many on the way back that use the values of the way forward. Scheduled.
std::string MadeHloText(size_t instructions);

}  // namespace oomph

#endif  // OOMPH_FUZZ_BENCH_HLO_MODULES_H_
