// See layout_modes.h.
#include "subjects/pjrt/layout_modes.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "models/hlo/text.h"

namespace oomph::pjrt {
namespace {

using hlo::Key;
using hlo::ShapeId;

constexpr const char* kDefault = "default";
constexpr std::string_view kArguments = "arg_layout_modes", kResults = "out_layout_modes";

// The shapes of the entry's parameters, then that of its result.
std::vector<ShapeId> SignatureOf(const hlo::Module& module) {
  std::vector<ShapeId> shapes;
  if (const auto id = module.Find(module.attributes, Key::kEntryComputationLayout)) {
    for (const hlo::Reference& reference : module.attribute_table.References(*id)) {
      if (reference.kind == hlo::Reference::kShape) shapes.push_back(reference.id);
    }
    return shapes;
  }
  if (module.entry >= module.computations.size()) return shapes;
  const hlo::Computation& entry = module.computations[module.entry];
  for (const hlo::Instruction& instruction : entry.instructions) {
    if (instruction.opcode != hlo::Opcode::kParameter) continue;
    if (instruction.payload >= entry.instructions.size()) return {};
    if (shapes.size() <= instruction.payload) shapes.resize(instruction.payload + 1);
    shapes[instruction.payload] = instruction.shape;
  }
  if (entry.root >= entry.instructions.size()) return {};
  shapes.push_back(entry.instructions[entry.root].shape);
  return shapes;
}

bool SaysNothing(const hlo::Layout& layout) {
  hlo::Layout plain;
  plain.minor_to_major = layout.minor_to_major;
  return layout == plain && std::is_sorted(layout.minor_to_major.rbegin(), layout.minor_to_major.rend());
}

// False: a shape that has no mode.
bool AddMode(const hlo::Module& module, ShapeId shape, bool scheduled, std::vector<std::string>& modes, bool& given) {
  if (!hlo::IsArrayType(module.shapes[shape].type)) return false;
  const hlo::Layout* layout = module.shapes.LayoutOf(shape);
  modes.push_back(kDefault);
  if (layout == nullptr || layout->minor_to_major.empty() || (!scheduled && SaysNothing(*layout))) return true;
  const std::string text = hlo::PrintShape(module.shapes, shape);
  const size_t brace = text.find('{');
  if (brace == text.npos) return true;
  modes.back() = text.substr(brace);
  given = true;
  return true;
}

bool IsScheduled(const hlo::Module& module) {
  const auto id = module.Find(module.attributes, Key::kIsScheduled);
  return id && !module.attribute_table.Numbers(*id).empty() && module.attribute_table.Numbers(*id)[0] != 0;
}

hlo::Reference StringReference(hlo::Module& module, std::string_view text) {
  return {hlo::Reference::kString, module.strings.Add(text)};
}

}  // namespace

std::optional<LayoutModes> LayoutModesOf(const hlo::Module& module) {
  std::vector<ShapeId> shapes = SignatureOf(module);
  if (shapes.empty()) return std::nullopt;
  const ShapeId result = shapes.back();
  shapes.pop_back();
  const bool scheduled = IsScheduled(module);
  std::vector<std::string> arguments, results;
  bool given = false;
  for (const ShapeId shape : shapes) {
    if (!AddMode(module, shape, scheduled, arguments, given)) return std::nullopt;
  }
  std::vector<ShapeId> parts = {result};
  if (module.shapes[result].type == hlo::Type::kTuple) {
    const auto elements = module.shapes.Elements(result);
    parts.assign(elements.begin(), elements.end());
  }
  for (const ShapeId shape : parts) {
    if (!AddMode(module, shape, scheduled, results, given)) return std::nullopt;
  }
  if (!given) return std::nullopt;
  return LayoutModes{absl::StrJoin(arguments, ";"), absl::StrJoin(results, ";")};
}

void AddLayoutModes(hlo::Module& module) {
  const std::optional<LayoutModes> modes = LayoutModesOf(module);
  if (!modes) return;
  const std::span<const hlo::AttributeId> header = module.Attributes(module.attributes);
  std::vector<hlo::AttributeId> attributes(header.begin(), header.end());
  std::vector<hlo::Reference> map;
  const auto old = std::find_if(attributes.begin(), attributes.end(), [&](hlo::AttributeId id) {
    return module.attribute_table[id].key == Key::kFrontendAttributes;
  });
  if (old != attributes.end()) {
    const auto references = module.attribute_table.References(*old);
    map.assign(references.begin(), references.end());
    for (const hlo::Reference& each : map) {
      if (each.kind == hlo::Reference::kString && module.strings[each.id] == kArguments) return;
    }
    attributes.erase(old);
  }
  for (const auto& [key, value] : {std::pair(kArguments, modes->arguments), std::pair(kResults, modes->results)}) {
    map.push_back(StringReference(module, key));
    map.push_back(StringReference(module, absl::StrCat("\"", value, "\"")));
  }
  attributes.push_back(module.attribute_table.Add(Key::kFrontendAttributes, hlo::Form::kMap, {}, map));
  module.attributes = module.AddAttributes(attributes);
}

}  // namespace oomph::pjrt
