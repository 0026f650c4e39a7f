// See xla_hlo_row.h.
#include "subjects/xla/xla_hlo_row.h"

#include <chrono>

#include "subjects/hlo/verifier_row.h"
#include "subjects/plugin/plugin_row.h"
#include "subjects/xla/hlo_variants.h"

namespace oomph {

SubjectRow XlaHloRow(const Family& family) {
  VerifierRowSpec spec;
  spec.family = &family;
  spec.name = "xla";
  spec.path = PluginPath("xla_hlo");
  spec.title = "XLA's parser, HloVerifier, printer and memory planners and evaluator of the tensorflow-cpu wheel";
  // Given, so that no command loads XLA (some 300 ms and 300 MB) to ask for them.
  for (const xla_hlo::Setting& setting : xla_hlo::kSettings) spec.variants.emplace_back(setting.name);
  spec.reference = "model";
  spec.how_to_get = "scripts/setup fetches the tensorflow-cpu wheel, scripts/build builds it";
  // It reads some 20 MB a second, and its analyses of live ranges take longer.
  spec.limits.case_time = std::chrono::minutes(2);
  // Some modules abort it, and loading it takes longer than hundreds of them.
  spec.limits.forks = true;
  return VerifierRow(spec);
}

}  // namespace oomph
