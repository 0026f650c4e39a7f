// What a person names of a PJRT plugin: the chip or topology that is compiled for, and options of the compiler.
//
//   v5e                                        a word that the subject knows
//   v5e-all                                    the same chip, and generated modules of every kind
//   v5e-options                                the same chip, and options of the compiler drawn for each module
//   v5e:4x4                                    a topology, as the plugin names it
//   v5e,xla_tpu_scoped_vmem_limit_kib=4096     with options of the compiler, each after a comma
//   client                                     the devices of this machine
//
// Not for: the plugin itself (rows.h).
#ifndef OOMPH_SUBJECTS_PJRT_TARGET_H_
#define OOMPH_SUBJECTS_PJRT_TARGET_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "subjects/pjrt/compile_options.h"

namespace oomph::pjrt {

struct NamedTarget {
  std::string_view word;      // "v4mega"
  std::string_view topology;  // "v4:2x2x1"
  std::string_view option;    // of the topology: "chip_config_name=megacore"; empty: none
  std::string_view chip;      // in models/base/chips.h; empty: none
  bool everything = false;    // modules are generated for it that a compiler often refuses, or dies of
  bool draws_options = false;  // drawn_options.h
};
// The words of libtpu.
std::span<const NamedTarget> TpuTargets();

struct Target {
  std::string topology;
  std::vector<std::string> options;  // of the topology
  std::string chip;
  bool everything = false, draws_options = false;
  std::vector<Override> overrides;
};

// `known`: the words; without any word `otherwise` is the topology.
absl::StatusOr<Target> ParseTarget(std::string_view words, std::span<const NamedTarget> known, std::string_view otherwise);

}  // namespace oomph::pjrt

#endif  // OOMPH_SUBJECTS_PJRT_TARGET_H_
