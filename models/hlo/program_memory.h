// E1000 before the compiler says it: how much HBM a module needs on a TPU, and whether the compiler takes it.
// Measured with libtpu 0.0.52 (docs/FACTS.md). Not for VMEM, nor for what a program needs at run time (models/hbm).
//
//   of a scheduled module whose entry has layouts with tiles and nothing that nobody needs: the TPU compiler takes it as it
//   stands
//
//     need = arguments + results + constants       each an allocation of its own; what is aliased counts once
//          + tables                                of tuples: 16 KiB each
//          + temporaries                           16 KiB aligned, by the better of two ways: what fits into the memory of
//                                                  results goes there and the rest into XLA's heap; or all of it best fit
//                                                  by start
//          + program                               1 MiB a core and some KiB
//
//   of another one, which it rewrites before it plans: a bracket
//
//     below   what nothing can save: arguments and results without padding; of the former also all that is live at once
//     above   every value for itself, in its worst layout
#ifndef OOMPH_MODELS_HLO_PROGRAM_MEMORY_H_
#define OOMPH_MODELS_HLO_PROGRAM_MEMORY_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "models/base/chips.h"
#include "models/hlo/module.h"

namespace oomph::hlo {

enum class MemoryVerdict : uint8_t {
  kAccept,
  kRefuse,
  kZone,  // too near to the limit, see kMemoryZone
  kOpen,  // the bracket has the limit in it
};
inline constexpr std::string_view kMemoryVerdictNames[] = {"accept", "refuse", "zone", "open"};

// The program's own size is not known better.
inline constexpr uint64_t kMemoryZone = uint64_t{16} << 20;

// Bytes of HBM.
struct ProgramMemory {
  uint64_t arguments = 0, results = 0, constants = 0, tables = 0, temporaries = 0;  // of a scheduled module
  // Their sum: what E1000 prints, to some tables of asynchronous operations that the compiler adds, 16 KiB each; their
  // number is guessed from the slices of large values. Only of a module that is taken as it stands.
  std::optional<uint64_t> total;
  uint64_t lower = 0, upper = 0;  // the sum that the compiler comes to lies between them, both included
  uint64_t available = 0;         // for all of it and the program
  uint64_t program = 0;           // the least that it takes
  MemoryVerdict verdict = MemoryVerdict::kOpen;
};

struct ProgramMemoryOptions {
  // Small values go to VMEM, with copies that run beside other instructions: so unless the compiler is given
  // xla_vf_vmem_memory_space_assignment=False and xla_gf_vmem_memory_space_assignment=False.
  bool assigns_vmem = true;
};

// An error where the module's structure is wrong, it is too large laid out, or the chip's limit is not known.
absl::StatusOr<ProgramMemory> PredictProgramMemory(const Module& module, const Chip& chip,
                                                   const ProgramMemoryOptions& options = {});

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_PROGRAM_MEMORY_H_
