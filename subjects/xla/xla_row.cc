// See xla_row.h.
#include "subjects/xla/xla_row.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>

#include "subjects/planner/planner_row.h"
#include "subjects/plugin/plugin_row.h"
#include "subjects/xla/variants.h"

namespace oomph {

void PrepareForXla(placement::Problem& problem) {
  uint64_t alignment = 1;
  for (const placement::Buffer& buffer : problem.buffers) alignment = std::max(alignment, buffer.alignment);
  for (placement::Buffer& buffer : problem.buffers) buffer.alignment = alignment;
}

std::string ModelOfXla(const std::string& variant) {
  return variant.find("order=temporal") == std::string::npos ? "decreasing_size" : "temporal";
}

SubjectRow XlaRow(const Family& family) {
  PlannerRowSpec spec;
  spec.family = &family;
  spec.name = "xla";
  spec.path = PluginPath("xla");
  spec.title = "XLA's GlobalDecreasingSizeBestFitHeap of the tensorflow-cpu wheel";
  spec.variants.assign(std::begin(xla_heap::kVariants), std::end(xla_heap::kVariants));
  spec.reference = "model";
  spec.reference_variant = ModelOfXla;
  spec.how_to_get = "scripts/setup fetches the tensorflow-cpu wheel, scripts/build builds it";
  spec.prepare = [](const std::string&, Case& c) {
    PrepareForXla(static_cast<CaseOf<placement::Problem>&>(c).value);
  };
  // It looks at all that is live with a buffer, so a large dense problem takes it minutes; it has no loop without an end.
  spec.limits.case_time = std::chrono::minutes(10);
  return PlannerRow(spec);
}

}  // namespace oomph
