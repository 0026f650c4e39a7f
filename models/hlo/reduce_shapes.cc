// Reductions of shapes all through a module: sizes and layouts.
#include <algorithm>
#include <bit>
#include <functional>
#include <map>

#include "models/hlo/reduce_lists.h"

namespace oomph::hlo::reduce {
namespace {

using ArrayMap = std::function<ShapeId(ShapeTable& shapes, ShapeId array)>;
using NumbersMap = std::function<void(const Attribute& row, std::vector<int64_t>& numbers)>;

// What each shape of the base becomes; parts of a shape have smaller numbers.
std::vector<ShapeId> MapShapes(ShapeTable& shapes, const ArrayMap& map) {
  std::vector<ShapeId> now(shapes.size());
  for (ShapeId id = 0; id < now.size(); ++id) {
    const Shape shape = shapes[id];
    now[id] = id;
    if (IsArrayType(shape.type)) now[id] = map(shapes, id);
    if (shape.type != Type::kTuple && shape.type != Type::kBuffer) continue;
    std::vector<ShapeId> elements;
    for (const ShapeId element : shapes.Elements(id)) elements.push_back(now[element]);
    now[id] = shape.type == Type::kTuple ? shapes.AddTuple(elements) : shapes.AddBuffer(elements[0]);
  }
  return now;
}

// A constant of another shape has another text: something else takes its place.
void ReplaceConstant(Draft& draft, Place place, ShapeId shape) {
  if (draft.base().IsEntry(place.computation)) {
    draft.at(place) = Plain(draft.base().at(place), Opcode::kParameter, draft.NextParameter(place.computation));
    draft.at(place).shape = shape;
    return;
  }
  const std::optional<uint32_t> zero = draft.AddZero(place.computation, place.node, shape);
  if (zero.has_value()) draft.Replace(place, *zero);
}

void ChangeShapes(Draft& draft, const ArrayMap& map, const NumbersMap& numbers_map) {
  Module& module = draft.module();
  const std::vector<ShapeId> now = MapShapes(module.shapes, map);
  const auto sizes_differ = [&](ShapeId a, ShapeId b) {
    return !std::ranges::equal(module.shapes.Dimensions(a), module.shapes.Dimensions(b));
  };
  for (uint32_t c = 0; c < module.computations.size(); ++c) {
    for (uint32_t i = 0; i < module.computations[c].instructions.size(); ++i) {
      Instruction& instruction = module.computations[c].instructions[i];
      const ShapeId shape = now[instruction.shape];
      if (instruction.opcode == Opcode::kConstant && sizes_differ(shape, instruction.shape)) {
        ReplaceConstant(draft, {c, i}, shape);
      } else {
        instruction.shape = shape;
      }
    }
  }
  std::vector<AttributeId> attributes(module.attribute_table.size());
  for (AttributeId id = 0; id < attributes.size(); ++id) {
    attributes[id] = id;
    const Attribute row = module.attribute_table[id];
    const std::span<const int64_t> n = module.attribute_table.Numbers(id);
    const std::span<const Reference> r = module.attribute_table.References(id);
    std::vector<Reference> references(r.begin(), r.end());
    bool differs = false;
    for (Reference& reference : references) {
      if (reference.kind != Reference::kShape || now[reference.id] == reference.id) continue;
      reference.id = now[reference.id];
      differs = true;
    }
    std::vector<int64_t> numbers(n.begin(), n.end());
    if (numbers_map) numbers_map(row, numbers);
    if (differs || !std::ranges::equal(numbers, n)) {
      attributes[id] = module.attribute_table.Add(row.key, row.form, numbers, references);
    }
  }
  for (AttributeId& id : module.attribute_lists) {
    if (id < attributes.size()) id = attributes[id];
  }
}

std::optional<LayoutId> LayoutIdOf(const ShapeTable& shapes, ShapeId id) {
  return shapes[id].has_layout ? std::optional(shapes[id].layout) : std::nullopt;
}

// Attributes that repeat sizes, as mutate::ChangeSize has them.
void ChangeSizes(const Attribute& row, std::vector<int64_t>& numbers, const std::map<int64_t, int64_t>& sizes) {
  if (row.form != Form::kInt && row.form != Form::kInts && row.form != Form::kSlices) return;
  size_t first = 0, step = 1;
  switch (row.key) {
    case Key::kDynamicSliceSizes:
    case Key::kSliceSizes:
    case Key::kFftLength:
    case Key::kK:
    case Key::kFeatureGroupCount:
      break;
    case Key::kSlice:  // one that went to the end goes to the end
      first = 1, step = 3;
      break;
    default:
      return;
  }
  for (size_t i = first; i < numbers.size(); i += step) {
    if (const auto size = sizes.find(numbers[i]); size != sizes.end()) numbers[i] = size->second;
  }
}

}  // namespace

// Each size of dimensions, wherever it stands, is halved as often as can be; the largest first.
List ShrinkSizes(const Base& base) {
  const ShapeTable& shapes = base.module().shapes;
  std::vector<int64_t> sizes;
  for (ShapeId id = 0; id < shapes.size(); ++id) {
    for (const Dimension& each : shapes.Dimensions(id)) {
      if (each.size > 1) sizes.push_back(each.size);
    }
  }
  std::ranges::sort(sizes, std::greater<>());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  List list;
  for (const int64_t size : sizes) list.most.push_back(static_cast<uint64_t>(std::bit_width(static_cast<uint64_t>(size)) - 1));
  list.make = [sizes](Draft& draft, std::span<const uint64_t> amounts) {
    std::map<int64_t, int64_t> now;
    for (size_t k = 0; k < sizes.size(); ++k) {
      if (amounts[k] > 0) now[sizes[k]] = sizes[k] >> amounts[k];
    }
    const auto smaller = [&](ShapeTable& table, ShapeId id) {
      std::vector<Dimension> dimensions(table.Dimensions(id).begin(), table.Dimensions(id).end());
      bool differs = false;
      for (Dimension& each : dimensions) {
        const auto size = now.find(each.size);
        if (size != now.end()) each.size = size->second, differs = true;
      }
      return differs ? table.AddArray(table[id].type, dimensions, LayoutIdOf(table, id)) : id;
    };
    ChangeShapes(draft, smaller, [&](const Attribute& row, std::vector<int64_t>& numbers) { ChangeSizes(row, numbers, now); });
  };
  return list;
}

// ---- layouts ----

Layout WithoutTiles(const Layout& layout) {
  Layout plain;
  plain.minor_to_major = layout.minor_to_major;
  plain.memory_space = layout.memory_space;
  return plain;
}

namespace {

Layout InDefaultOrder(Layout layout) {
  std::ranges::sort(layout.minor_to_major, std::greater<>());
  return layout;
}
Layout InDefaultSpace(Layout layout) {
  layout.memory_space = 0;
  return layout;
}
Layout Untiled(Layout layout) { return WithoutTiles(layout); }

constexpr Layout (*kParts[])(Layout) = {Untiled, InDefaultSpace, InDefaultOrder};

}  // namespace

// All of every layout, or a part of it.
List DropLayouts(const Base& base) {
  const ShapeTable& shapes = base.module().shapes;
  std::vector<Layout (*)(Layout)> parts;
  bool any = false;
  for (const auto part : kParts) {
    bool differs = false;
    for (ShapeId id = 0; id < shapes.size(); ++id) {
      const Layout* layout = shapes.LayoutOf(id);
      any |= layout != nullptr;
      differs |= layout != nullptr && part(*layout) != *layout;
    }
    if (differs) parts.push_back(part);
  }
  List list;
  list.most.assign(any ? parts.size() + 1 : 0, 1);
  list.make = [parts](Draft& draft, std::span<const uint64_t> amounts) {
    const auto simpler = [&](ShapeTable& table, ShapeId id) {
      const Layout* old = table.LayoutOf(id);
      if (old == nullptr) return id;
      if (amounts[0] > 0) return table.WithoutLayout(id);
      Layout layout = *old;
      for (size_t k = 0; k < parts.size(); ++k) {
        if (amounts[k + 1] > 0) layout = parts[k](layout);
      }
      if (layout == *old) return id;
      const std::vector<Dimension> dimensions(table.Dimensions(id).begin(), table.Dimensions(id).end());
      return table.AddArray(table[id].type, dimensions, table.AddLayout(layout));
    };
    ChangeShapes(draft, simpler, {});
  };
  return list;
}

}  // namespace oomph::hlo::reduce
