// How much memory a module needs while it runs: its buffers with their live ranges, the peak of each memory space and
// what makes it, and the placement problem that this is.
// Not for offsets (placement), nor for the rules of what shares a buffer (alias_rules.h).
//
//   bytes ^            peak: the step with the most bytes live
//         |        +---+
//         |    +---+   +--+          a buffer is live in one or several half-open ranges of steps; between them
//         |  +-+          +----+     (a loop's state while the body has read it and not yet written it) its
//         +--+--+---+--+--+---+-> step    memory serves others
//
// One convention: at a step the results come into being while all operands are still there; a buffer that is last
// read at step i is live in [.., i + 1). So an operand and the result of one step need memory side by side, unless
// the result may take the operand's buffer. This is how XLA's heap simulator counts, see docs/FACTS.md.
#ifndef OOMPH_MODELS_HLO_LIVENESS_H_
#define OOMPH_MODELS_HLO_LIVENESS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "models/hlo/alias.h"
#include "models/hlo/module.h"
#include "models/hlo/schedule.h"
#include "models/placement/problem.h"

namespace oomph::hlo {

enum class Constants : uint8_t {
  kWhileUsed,  // like any value
  kLeftOut,    // they are part of the program
};

struct LivenessOptions {
  Order order = Order::kText;          // of a module that has no schedule
  InPlace in_place = InPlace::kWhereDying;
  bool reuse_operands = true;          // an elementwise result takes the buffer of an operand that dies
  Constants constants = Constants::kWhileUsed;
  uint64_t pointer_bytes = 8;          // of each entry of a tuple's table; 0: tables are not counted
  // The bytes of an array; none: without any padding.
  std::function<uint64_t(const ShapeTable&, ShapeId)> array_bytes;
};

struct StepRange {
  uint32_t begin = 0, end = 0;
  bool operator==(const StepRange&) const = default;
};

struct LiveBuffer {
  uint32_t value = 0;            // the first that it holds
  uint64_t bytes = 0;            // of the largest
  uint32_t space = 0;
  std::vector<StepRange> ranges;  // apart from one another, ascending; empty: never live
  bool parameter = false, output = false, constant = false;
};

struct Peak {
  uint32_t space = 0;
  uint64_t bytes = 0;
  uint32_t step = 0;              // the first with that many
  std::vector<uint32_t> buffers;  // live then, with any bytes at all; the largest first
};

struct Liveness {
  Flat flat;
  Aliases aliases;
  std::vector<LiveBuffer> buffers;
  std::vector<Peak> peaks;   // one for each memory space that has buffers, ascending
  uint64_t total_peak = 0;   // of all memory spaces together
  Order order = Order::kText;              // that was chosen, of a module without a schedule
  bool padded = false;                     // somebody said what arrays take, see LivenessOptions::array_bytes
  std::shared_ptr<const Module> filled;    // the module with its shapes filled in; null where none was missing

  // The module whose shapes the values have.
  const Module& Counted(const Module& module) const { return filled != nullptr ? *filled : module; }
};

// Shapes that the text leaves out are filled in (fill_shapes.h). An error where the structure is wrong, a shape
// cannot be inferred, or the module is too large laid out.
absl::StatusOr<Liveness> LivenessOf(const Module& module, const LivenessOptions& options = {});

// The peak of a memory space; none where it has no buffers.
const Peak* PeakOf(const Liveness& liveness, uint32_t space);

// Time is the step. One memory space, or all, each buffer with its own. What lies between two ranges is a gap.
placement::Problem ProblemOf(const Module& module, const Liveness& liveness, std::optional<uint32_t> space = {},
                             uint64_t alignment = 1);

// The names of steps and buffers, for people.
class LivenessNames {
 public:
  LivenessNames(const Module& module, const Liveness& liveness)
      : module_(liveness.Counted(module)), liveness_(liveness), nodes_(module_.shapes) {}

  // "add.5"; in a computation other than the entry "body/add.5".
  std::string OfStep(uint32_t step) const;
  // The instruction that first holds the buffer, and where in its result: "fusion.3{1}".
  std::string OfBuffer(uint32_t buffer) const;
  const Instruction& Maker(uint32_t buffer) const;

 private:
  const Module& module_;
  const Liveness& liveness_;
  const ShapeNodes nodes_;
};

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_LIVENESS_H_
