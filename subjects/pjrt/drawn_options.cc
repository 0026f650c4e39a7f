// See drawn_options.h.
#include "subjects/pjrt/drawn_options.h"

#include <cstddef>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

#include "models/base/words.h"

namespace oomph::pjrt {
namespace {

constexpr std::string_view kScopedLimit = "xla_tpu_scoped_vmem_limit_kib";
// From less than one buffer to more than a kernel asks for. Each is taken by every chip (docs/FACTS.md); 0 is not among
// them: nothing fits it.
constexpr std::string_view kScopedLimits[] = {"16", "64", "1024", "8192", "65536"};

}  // namespace

std::vector<Override> DrawnOptions(const hlo::Module& module) {
  std::set<hlo::Opcode> opcodes;
  for (const hlo::Computation& computation : module.computations) {
    for (const hlo::Instruction& instruction : computation.instructions) opcodes.insert(instruction.opcode);
  }
  std::string operations;
  for (const hlo::Opcode opcode : opcodes) operations.push_back(static_cast<char>(opcode));
  const size_t drawn = StableHash(operations) % std::size(kScopedLimits);
  return {{std::string(kScopedLimit), std::string(kScopedLimits[drawn])}};
}

}  // namespace oomph::pjrt
