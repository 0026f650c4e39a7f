// Large modules that a TPU's compiler refuses for lack of memory, made as models of well-known shape: what a person brings who
// has a program of a thousand lines and an error. Not for: random modules (generate.h), nor small ones.
#ifndef OOMPH_MODELS_HLO_OOM_MODULES_H_
#define OOMPH_MODELS_HLO_OOM_MODULES_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace oomph::hlo {

struct OomModuleRow {
  std::string_view name;
  std::string_view what;    // it is, and why it does not fit
  std::string_view error;   // "E1000": more than the 15.75 GiB of a v5e; "E1001": more scoped VMEM than its limit
  std::string_view option;  // under which it does: "xla_tpu_scoped_vmem_limit_kib=16"; empty: none
  uint32_t layers;          // so many make it too large, and its text longer than 500 lines
  std::string (*text)(uint32_t layers);
};

std::span<const OomModuleRow> OomModules();

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_OOM_MODULES_H_
