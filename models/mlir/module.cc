// See module.h.
#include "models/mlir/module.h"

#include <algorithm>

#include "models/mlir/values.h"

namespace oomph::mlir {

std::optional<std::string_view> Module::Find(const Operation& operation, std::string_view name) const {
  for (const ListRange range : {operation.properties, operation.attributes}) {
    for (const Attribute& attribute : Part(attributes, range)) {
      if (attribute.name == name) return attribute.value;
    }
  }
  return std::nullopt;
}

std::string_view Module::Resolve(std::string_view use) const {
  const auto at = reinterpret_cast<uintptr_t>(use.data()), begin = reinterpret_cast<uintptr_t>(text->data());
  const bool is_inside = at >= begin && at < begin + text->size();
  // An alias may stand for another; in a circle each is passed once.
  for (size_t steps = 0; steps <= aliases.size() && !use.empty() && (use[0] == '#' || use[0] == '!'); ++steps) {
    const auto less = [&](Index a, std::string_view name) { return aliases[a].name < name; };
    auto found = std::lower_bound(aliases_by_name.begin(), aliases_by_name.end(), use, less);
    if (found == aliases_by_name.end() || aliases[*found].name != use) break;
    const auto last = std::upper_bound(found, aliases_by_name.end(), at, [&](uintptr_t place, Index a) {
      return aliases[a].name != use || reinterpret_cast<uintptr_t>(aliases[a].name.data()) > place;
    });
    if (is_inside && last != found) found = last - 1;
    use = aliases[*found].value;
  }
  return use;
}

std::string_view Module::SymbolOf(const Operation& operation) const {
  if (!operation.symbol.empty()) return mlir::Symbol(operation.symbol).value_or(std::string_view());
  const auto name = Find(operation, "sym_name");
  return name ? Quoted(*name).value_or(std::string_view()) : std::string_view();
}

size_t Module::LineOf(std::string_view view) const {
  return static_cast<size_t>(std::count(text->data(), view.data(), '\n')) + 1;
}

}  // namespace oomph::mlir
