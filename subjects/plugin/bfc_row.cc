// See bfc_row.h.
#include "subjects/plugin/bfc_row.h"

#include <algorithm>
#include <cmath>

#include "models/base/units.h"
#include "models/hbm/bfc_options.h"
#include "models/hbm/family.h"
#include "subjects/plugin/plugin_row.h"

namespace oomph {
namespace {

// The largest that the plugin takes.
constexpr uint64_t kMaxCapacity = uint64_t{1} << 33;
constexpr uint64_t kLeastForWaste = 256;

bfc::Options OptionsOf(const std::string& variant) {
  bfc::Options options;
  bfc::ParseOptions(variant, &options);
  return options;
}

}  // namespace

void PrepareForBfc(const std::string& variant, hbm::Trace& trace) {
  const bfc::Options options = OptionsOf(variant);
  hbm::Policy policy;
  policy.allocator = hbm::Allocator::kBfc;
  policy.capacity = std::min(trace.policy.capacity, kMaxCapacity);
  // The plugin takes no limit of waste below one byte.
  if (options.fragmentation > 0) policy.capacity = std::max(policy.capacity, kLeastForWaste);
  // A backing is there to be used up: the limit lies well above it.
  if (options.backing != UINT64_MAX) {
    policy.capacity = std::max(policy.capacity, std::min(SaturatingMul(options.backing, 4), kMaxCapacity));
  }
  policy.bfc.growth = options.growth;
  policy.bfc.coalescing = options.coalescing;
  policy.bfc.garbage_collection = options.garbage_collection;
  policy.bfc.timestamps = options.timestamps;
  policy.bfc.ends = options.ends;
  policy.bfc.waste_percent = static_cast<uint32_t>(std::lround(options.fragmentation * 100));
  policy.bfc.backing = options.backing == UINT64_MAX ? 0 : options.backing;
  policy.bfc.deviations = bfc::kAsShipped;
  trace.policy = policy;
}

SubjectRow BfcRow() {
  PluginRowSpec spec;
  spec.family = &HbmFamily();
  spec.name = "bfc";
  spec.path = PluginPath("bfc");
  spec.title = "tsl::BFCAllocator of the tensorflow-cpu wheel";
  spec.reference = "model";
  spec.how_to_get = "scripts/setup fetches the tensorflow-cpu wheel, scripts/build builds it";
  spec.features = {"bfc"};
  spec.prepare = [](const std::string& variant, Case& c) {
    PrepareForBfc(variant, static_cast<CaseOf<hbm::Trace>&>(c).value);
  };
  return PluginRow(spec);
}

}  // namespace oomph
