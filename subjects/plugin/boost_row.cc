// See boost_row.h.
#include "subjects/plugin/boost_row.h"

#include <algorithm>

#include "models/hbm/family.h"
#include "models/hbm/trace.h"
#include "subjects/plugin/plugin_row.h"

namespace oomph {
namespace {

// What the plugin takes; below the lower one there is hardly room for the header of a segment.
constexpr uint64_t kLeastCapacity = 256;
constexpr uint64_t kMaxCapacity = uint64_t{1} << 30;

}  // namespace

SubjectRow BoostRow() {
  PluginRowSpec spec;
  spec.family = &HbmFamily();
  spec.name = "boost";
  spec.path = PluginPath("boost");
  spec.title = "memory algorithms of Boost.Interprocess";
  spec.how_to_get = "apt-get install libboost-dev, then scripts/build builds it";
  spec.prepare = [](const std::string&, Case& c) {
    uint64_t& capacity = static_cast<CaseOf<hbm::Trace>&>(c).value.policy.capacity;
    capacity = std::clamp(capacity, kLeastCapacity, kMaxCapacity);
  };
  return PluginRow(spec);
}

}  // namespace oomph
