// See families.h. A new family adds its header and its row.
#include "models/families.h"

#include <array>

#include "models/hbm/family.h"
#include "models/hlo/family.h"
#include "models/placement/family.h"
#include "models/sparsecore/family.h"
#include "models/vmem/family.h"

namespace oomph {

std::span<const Family* const> Families() {
  static const std::array<const Family*, 5> table = {&HbmFamily(), &PlacementFamily(), &HloFamily(), &VmemFamily(), &SparseCoreFamily()};
  return table;
}

const Family* FindFamily(std::string_view name) {
  for (const Family* family : Families()) {
    if (family->name() == name) return family;
  }
  return nullptr;
}

const Family* RecognizeFamily(std::string_view file_name, std::string_view text) {
  for (const Family* family : Families()) {
    if (family->Recognizes(text)) return family;
  }
  for (const Family* family : Families()) {
    if (file_name.ends_with(family->extension())) return family;
  }
  return nullptr;
}

}  // namespace oomph
