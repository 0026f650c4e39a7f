// See module.h.
#include "models/mlir/module.h"

#include <algorithm>

namespace oomph::mlir {

std::optional<std::string_view> Module::Find(const Operation& operation, std::string_view name) const {
  for (const ListRange range : {operation.properties, operation.attributes}) {
    for (const Attribute& attribute : Part(attributes, range)) {
      if (attribute.name == name) return attribute.value;
    }
  }
  return std::nullopt;
}

std::string_view Module::Resolve(std::string_view text) const {
  // An alias may stand for another; in a circle each is passed once.
  for (size_t steps = 0; steps <= aliases.size() && !text.empty() && (text[0] == '#' || text[0] == '!'); ++steps) {
    const auto alias = std::find_if(aliases.begin(), aliases.end(), [&](const Alias& a) { return a.name == text; });
    if (alias == aliases.end()) break;
    text = alias->value;
  }
  return text;
}

size_t Module::LineOf(std::string_view view) const {
  return static_cast<size_t>(std::count(text->data(), view.data(), '\n')) + 1;
}

}  // namespace oomph::mlir
