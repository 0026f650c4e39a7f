// See malloc_rows.h.
#include "subjects/malloc/malloc_rows.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "models/hbm/family.h"
#include "subjects/plugin/plugin_row.h"

namespace oomph {
namespace {

// A malloc has none of its own. This is what a case may have live at once, so that a campaign with a child on each
// core stays within the memory of a small machine; above the sizes at which these allocators turn to the system.
constexpr uint64_t kCapacity = uint64_t{64} << 20;

struct Malloc {
  const char* name;
  const char* package;  // of Debian; empty: part of the system
};
constexpr Malloc kMallocs[] = {
    {"jemalloc", "libjemalloc2"},
    {"mimalloc", "libmimalloc2.0"},
    {"gperftools", "libtcmalloc-minimal4"},
    {"glibc", ""},
};

SubjectRow RowOf(const Malloc& malloc) {
  PluginRowSpec spec;
  spec.family = &HbmFamily();
  spec.name = malloc.name;
  spec.path = PluginPath(malloc.name);
  spec.how_to_get = "scripts/build builds it";
  spec.prepare = [](const std::string&, Case& c) { PrepareForMalloc(static_cast<CaseOf<hbm::Trace>&>(c).value); };
  SubjectRow row = PluginRow(spec);
  if (!row.absent.empty() && *malloc.package != '\0') {
    absl::StrAppend(&row.absent, "; it comes with Debian's package ", malloc.package, " (scripts/setup)");
  }
  return row;
}

}  // namespace

std::vector<SubjectRow> MallocRows() {
  std::vector<SubjectRow> rows;
  for (const Malloc& malloc : kMallocs) rows.push_back(RowOf(malloc));
  return rows;
}

void PrepareForMalloc(hbm::Trace& trace) {
  trace.policy = {};
  trace.policy.capacity = kCapacity;
}

}  // namespace oomph
