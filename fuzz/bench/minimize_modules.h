// HLO modules that need more memory than they may have, and of which it is known how small they can be made.
// Not for tests of reductions on other faults, nor for modules that run (nothing here computes anything of use).
//
// A module of the generator gets, at drawn places of its entry computation,
//   - k big buffers (4 to 8) of unequal sizes between B and M < B + B / (k - 1): parameters, broadcasts, counts, slices and
//     negations of such. All are there before the operation and read after it;
//   - the operation, a custom call with the target "OomphAlloc", whose result of r bytes (B / 4 <= r <= B) is what does
//     not fit any more. It has values of the generator and big buffers as operands, or none;
//   - traps: custom calls with other targets, some with results as large as the operation's; medium buffers; and big
//     ones that nobody needs, after the operation.
//
//   bytes ^          limit - - - - - - - - - - - - +--+ - - -     big.1 ... big.k are live at OomphAlloc, and so is its
//         |                                 +------+  +---        result
//         |                   +-------------+      :
//         |        +----------+                    OomphAlloc
//         +--------+-------------------------------> step
//
// With T, the bytes of all other buffers that the module has, the limit L holds
//   L >= (k - 1) M + r + T    k - 1 buffers of the largest shape, the result and everything small together fit
//   L >= b1 + ... + bk + T    everything before the operation fits, so that it is the first that does not
//   L <  b1 + ... + bk + r    the big buffers and the result do not fit
// So a module with the same signature that has no shape larger than this one's, and no more small buffers, has at least
// k big ones live at the operation. As reductions neither enlarge a shape nor put arrays together into tuples, each of
// them is made by a line of its own. And k parameters and the operation, the root, are enough: entry parameters
// belong to the caller and are live all the time. So the minimum is
//   HloModule, ENTRY, k parameters, the operation, }    k + 4 lines, blank ones not counted
#ifndef OOMPH_FUZZ_BENCH_MINIMIZE_MODULES_H_
#define OOMPH_FUZZ_BENCH_MINIMIZE_MODULES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/hlo/module.h"

namespace oomph {

struct OomModule {
  std::string text;  // as the project prints it
  hlo::Module module;
  uint64_t limit = 0;
  std::vector<uint64_t> buffers;  // the bytes of the big ones
  uint64_t result = 0;            // of the operation
  uint64_t small = 0;             // of all others together
  size_t MinimumLines() const { return buffers.size() + 4; }
};

inline constexpr std::string_view kOomIdentity = "custom-call:OomphAlloc";

// The number of lines that are not blank.
size_t LinesOf(std::string_view text);

// About so many instructions. The same for the same seed; some seeds are no good, and the next one is taken.
OomModule MakeOomModule(uint64_t seed, size_t instructions);

// The 30 of the benchmarks: about 500 to 5,000 lines. `count`: only so many of them, from all sizes.
inline constexpr size_t kOomModules = 30;
std::vector<OomModule> OomModules(size_t count = kOomModules);

// The module of the minimum's lines; without the buffer `without`, if that is given.
std::string MinimumOf(const OomModule& module, std::optional<size_t> without = {});

}  // namespace oomph

#endif  // OOMPH_FUZZ_BENCH_MINIMIZE_MODULES_H_
