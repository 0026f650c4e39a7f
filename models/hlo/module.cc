// Looking through a module's lists, and the equality of modules.
#include "models/hlo/module.h"

#include <algorithm>

namespace oomph::hlo {
namespace {

// Compares two modules through their tables. What two ids stand for is compared once for each pair met.
class Comparison {
 public:
  Comparison(const Module& a, const Module& b)
      : a_(a),
        b_(b),
        shapes_(MapShapes(a.shapes, b.shapes)),
        strings_(a.strings.size(), kUnseen),
        attributes_(a.attribute_table.size(), kUnseen) {}

  bool Equal() {
    // A field more in these types does not compile here, so that none is forgotten.
    const auto& [name, attributes, files, functions, locations, frames, computations, entry, style, strings,
                 shapes, table, operands, lists] = a_;
    return String(name, b_.name) && List(attributes, b_.attributes) && Strings(files, b_.file_names) &&
           Strings(functions, b_.function_names) && locations == b_.file_locations &&
           frames == b_.stack_frames && entry == b_.entry && computations.size() == b_.computations.size() &&
           std::ranges::equal(computations, b_.computations,
                              [this](const auto& x, const auto& y) { return SameComputation(x, y); });
  }

 private:
  static constexpr uint32_t kUnseen = UINT32_MAX;

  bool String(StringId x, StringId y) {
    if (strings_[x] == y) return true;
    if (a_.strings[x] != b_.strings[y]) return false;
    strings_[x] = y;
    return true;
  }

  bool Strings(const std::vector<StringId>& x, const std::vector<StringId>& y) {
    return std::ranges::equal(x, y, [this](StringId s, StringId t) { return String(s, t); });
  }

  bool Shape(ShapeId x, ShapeId y) const { return shapes_[x] == y; }

  bool SameReference(const Reference& x, const Reference& y) {
    if (x.kind != y.kind) return false;
    switch (x.kind) {
      case Reference::kString:
        return String(x.id, y.id);
      case Reference::kShape:
        return Shape(x.id, y.id);
      default:
        return x.id == y.id;
    }
  }

  bool SameAttribute(AttributeId x, AttributeId y) {
    if (attributes_[x] == y) return true;
    const auto& [key, form, numbers_chunk, numbers_begin, numbers_count, references_begin, references_count] =
        a_.attribute_table[x];
    const Attribute& other = b_.attribute_table[y];
    if (key != other.key || form != other.form) return false;
    if (!std::ranges::equal(a_.attribute_table.Numbers(x), b_.attribute_table.Numbers(y))) return false;
    if (!std::ranges::equal(a_.attribute_table.References(x), b_.attribute_table.References(y),
                            [this](const auto& r, const auto& s) { return SameReference(r, s); })) {
      return false;
    }
    attributes_[x] = y;
    return true;
  }

  bool List(ListRange x, ListRange y) {
    return std::ranges::equal(a_.Attributes(x), b_.Attributes(y),
                              [this](AttributeId i, AttributeId j) { return SameAttribute(i, j); });
  }

  bool SameInstruction(const Instruction& x, const Instruction& y) {
    const auto& [name, shape, operands, attributes, opcode, wrapped, payload] = x;
    if (opcode != y.opcode || wrapped != y.wrapped || !Shape(shape, y.shape) || !String(name, y.name))
      return false;
    if (opcode == Opcode::kConstant ? !String(payload, y.payload) : payload != y.payload) return false;
    return std::ranges::equal(a_.Operands(x), b_.Operands(y)) && List(attributes, y.attributes);
  }

  bool SameComputation(const Computation& x, const Computation& y) {
    const auto& [name, root, attributes, instructions] = x;
    return String(name, y.name) && root == y.root && List(attributes, y.attributes) &&
           std::ranges::equal(instructions, y.instructions,
                              [this](const auto& i, const auto& j) { return SameInstruction(i, j); });
  }

  const Module& a_;
  const Module& b_;
  const std::vector<std::optional<ShapeId>> shapes_;
  std::vector<StringId> strings_;
  std::vector<AttributeId> attributes_;
};

// `more` may be a part of `list`.
ListRange AppendTo(std::vector<uint32_t>& list, std::span<const uint32_t> more) {
  const ListRange range = {static_cast<uint32_t>(list.size()), static_cast<uint32_t>(more.size())};
  if (list.capacity() - list.size() >= more.size()) {
    list.insert(list.end(), more.begin(), more.end());
    return range;
  }
  std::vector<uint32_t> grown;
  grown.reserve(list.size() + list.size() / 2 + more.size());
  grown.insert(grown.end(), list.begin(), list.end());
  grown.insert(grown.end(), more.begin(), more.end());
  list.swap(grown);
  return range;
}

}  // namespace

bool operator==(const Module& a, const Module& b) { return Comparison(a, b).Equal(); }

std::optional<AttributeId> Module::Find(ListRange list, Key key) const {
  for (const AttributeId id : Attributes(list)) {
    if (attribute_table[id].key == key) return id;
  }
  return std::nullopt;
}

int64_t Module::Number(const Instruction& instruction, Key key, int64_t otherwise) const {
  const std::optional<AttributeId> id = Find(instruction, key);
  if (!id.has_value() || attribute_table.Numbers(*id).empty()) return otherwise;
  return attribute_table.Numbers(*id).front();
}

ListRange Module::AddOperands(std::span<const uint32_t> operands) {
  return AppendTo(operand_lists, operands);
}

ListRange Module::AddAttributes(std::span<const AttributeId> attributes_to_add) {
  return AppendTo(attribute_lists, attributes_to_add);
}

std::vector<uint32_t> Called(const Module& module, const Instruction& instruction) {
  std::vector<uint32_t> called;
  for (const AttributeId id : module.Attributes(instruction)) {
    for (const Reference& reference : module.attribute_table.References(id)) {
      if (reference.kind == Reference::kComputation) called.push_back(reference.id);
    }
  }
  return called;
}

std::string_view CustomCallTarget(const Module& module, const Instruction& instruction) {
  const std::optional<AttributeId> id = module.Find(instruction, Key::kCustomCallTarget);
  if (!id || module.attribute_table.References(*id).empty()) return "";
  return module.strings[module.attribute_table.References(*id)[0].id];
}

size_t InstructionCount(const Module& module) {
  size_t count = 0;
  for (const Computation& computation : module.computations) count += computation.instructions.size();
  return count;
}

}  // namespace oomph::hlo
