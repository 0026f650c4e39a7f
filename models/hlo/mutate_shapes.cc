// Mutations of shapes all through a module: sizes, element types, layouts. See mutate.h.
#include <algorithm>
#include <array>
#include <string>

#include "models/hlo/generate_scope.h"
#include "models/hlo/mutate_steps.h"

namespace oomph::hlo::mutate {
namespace {

// The ids of the arrays that instructions have as results, each once, in the order of the text.
std::vector<ShapeId> ArraysOf(const Module& module) {
  std::vector<uint8_t> seen(module.shapes.size());
  std::vector<ShapeId> arrays;
  for (const Computation& computation : module.computations) {
    for (const Instruction& instruction : computation.instructions) {
      if (IsArrayType(module.shapes[instruction.shape].type) && seen[instruction.shape] == 0) {
        seen[instruction.shape] = 1;
        arrays.push_back(instruction.shape);
      }
    }
  }
  return arrays;
}

std::optional<LayoutId> LayoutIdOf(const ShapeTable& shapes, ShapeId id) {
  return shapes[id].has_layout ? std::optional(shapes[id].layout) : std::nullopt;
}

// Whether each bitcast has as many bits as its operand, padding left out.
bool BitcastsHold(const Module& module) {
  const auto bits = [&](ShapeId id) {
    int64_t product = RowOf(module.shapes[id].type).bits;
    for (const Dimension& dimension : module.shapes.Dimensions(id)) {
      if (__builtin_mul_overflow(product, dimension.size, &product)) return int64_t{-1};
    }
    return product;
  };
  for (const Computation& computation : module.computations) {
    for (const Instruction& instruction : computation.instructions) {
      if (instruction.opcode != Opcode::kBitcast || instruction.operands.count != 1) continue;
      const ShapeId operand = computation.instructions[module.Operands(instruction)[0]].shape;
      if (bits(operand) != bits(instruction.shape)) return false;
    }
  }
  return true;
}

// Whether what rests on the layout has arrays of this shape: a bitcast, a copy to another memory, or a
// stochastic-convert, whose operands XLA compares with their layouts.
bool LayoutMatters(const Module& module, ShapeId shape, bool memory_only) {
  for (const Computation& computation : module.computations) {
    for (const Instruction& instruction : computation.instructions) {
      const Opcode opcode = instruction.opcode;
      const bool order = opcode == Opcode::kBitcast || opcode == Opcode::kCopyStart;
      if (opcode != Opcode::kStochasticConvert && (memory_only || !order)) continue;
      if (instruction.shape == shape) return true;
      for (const uint32_t operand : module.Operands(instruction)) {
        if (computation.instructions[operand].shape == shape) return true;
      }
      const std::span<const ShapeId> elements = module.shapes.Elements(instruction.shape);
      if (std::find(elements.begin(), elements.end(), shape) != elements.end()) return true;
    }
  }
  return false;
}

// A layout that is not the default needs to be told of the entry, too. RefreshHeader fills it in.
void TellEntryLayout(Module& module) {
  if (module.Find(module.attributes, Key::kEntryComputationLayout).has_value()) return;
  std::vector<AttributeId> header(module.Attributes(module.attributes).begin(),
                                  module.Attributes(module.attributes).end());
  size_t place = 0;  // after what XLA prints before it
  for (size_t i = 0; i < header.size(); ++i) {
    const Key key = module.attribute_table[header[i]].key;
    if (key == Key::kIsScheduled || key == Key::kInputOutputAlias || key == Key::kBufferDonor) place = i + 1;
  }
  const AttributeId layout =
      module.attribute_table.Add(Key::kEntryComputationLayout, Form::kProgramShape, {}, {});
  header.insert(header.begin() + static_cast<std::ptrdiff_t>(place), layout);
  module.attributes = module.AddAttributes(header);
}

}  // namespace

void ChangeSize(Module& module, int64_t from, int64_t to) {
  ChangeShapes(module, [&](ShapeTable& shapes, ShapeId id) {
    std::vector<Dimension> dimensions(shapes.Dimensions(id).begin(), shapes.Dimensions(id).end());
    for (Dimension& dimension : dimensions) {
      if (dimension.size == from) dimension.size = to;
    }
    return shapes.AddArray(shapes[id].type, dimensions, LayoutIdOf(shapes, id));
  });
  ChangeNumbers(module, [&](const Attribute& row, std::vector<int64_t>& numbers) {
    // Other forms of these keys hold more than sizes.
    if (row.form != Form::kInt && row.form != Form::kInts && row.form != Form::kSlices) return;
    switch (row.key) {
      case Key::kDynamicSliceSizes: case Key::kSliceSizes: case Key::kFftLength: case Key::kK:
      case Key::kFeatureGroupCount:
        std::replace(numbers.begin(), numbers.end(), from, to);
        break;
      case Key::kSlice:  // a slice that went to the end goes to the end
        for (size_t i = 1; i < numbers.size(); i += 3) {
          if (numbers[i] == from) numbers[i] = to;
        }
        break;
      default:
        break;
    }
  });
}

bool Resize(Choices& choices, Module& module) {
  std::vector<int64_t> sizes;
  for (const ShapeId id : ArraysOf(module)) {
    for (const Dimension& dimension : module.shapes.Dimensions(id)) {
      if (std::find(sizes.begin(), sizes.end(), dimension.size) == sizes.end())
        sizes.push_back(dimension.size);
    }
  }
  if (sizes.empty()) return false;
  const int64_t from = sizes[choices.Below(sizes.size())];
  if (from < 0 || from > (int64_t{1} << 40)) return false;
  const std::array<int64_t, 12> to = {1, 2, 8, 128, from + 1, from - 1, 2 * from, from / 2, 7, 129, 1024, 0};
  const int64_t size = to[choices.Below(to.size())];
  if (size == from || size < 0) return false;
  for (const ShapeId id : ArraysOf(module)) {
    int64_t elements = 1;
    for (const Dimension& dimension : module.shapes.Dimensions(id)) {
      const int64_t now = dimension.size == from ? size : dimension.size;
      if (now > 0 && elements > generate::kMaxElements / now) return false;
      elements *= now;
    }
  }
  for (const Computation& computation : module.computations) {  // the text of a constant has its shape
    for (const Instruction& instruction : computation.instructions) {
      if (instruction.opcode != Opcode::kConstant) continue;
      for (const Dimension& dimension : module.shapes.Dimensions(instruction.shape)) {
        if (dimension.size == from) return false;
      }
    }
  }
  const bool held = BitcastsHold(module);
  ChangeSize(module, from, size);
  return BitcastsHold(module) || !held;
}

bool Retype(Choices& choices, Module& module) {
  static constexpr Type kFloats[] = {Type::kF32, Type::kBf16,     Type::kF16,
                                     Type::kF64, Type::kF8e4m3fn, Type::kF8e5m2};
  static constexpr Type kSigned[] = {Type::kS32, Type::kS8, Type::kS16, Type::kS64, Type::kS4};
  static constexpr Type kUnsigned[] = {Type::kU32, Type::kU8, Type::kU16, Type::kU64, Type::kU4};
  static constexpr Type kComplex[] = {Type::kC64, Type::kC128};
  const std::vector<ShapeId> arrays = ArraysOf(module);
  if (arrays.empty()) return false;
  const Type from = module.shapes[arrays[choices.Below(arrays.size())]].type;
  std::span<const Type> like = kFloats;
  if (generate::IsSigned(from)) like = kSigned;
  if (generate::IsUnsigned(from)) like = kUnsigned;
  if (generate::IsComplex(from)) like = kComplex;
  const Type to = like[choices.Below(like.size())];
  if (from == to || from == Type::kPred) return false;
  const bool held = BitcastsHold(module);
  ChangeShapes(module, [&](ShapeTable& shapes, ShapeId id) {
    if (shapes[id].type != from) return id;
    std::optional<LayoutId> layout = LayoutIdOf(shapes, id);
    if (layout.has_value() &&
        shapes.layout(*layout).element_bits != 0) {  // packed: not as a type of whole bytes
      Layout other = shapes.layout(*layout);
      other.element_bits = RowOf(to).bits < 8 ? RowOf(to).bits : 0;
      layout = shapes.AddLayout(other);
    }
    const std::vector<Dimension> dimensions(shapes.Dimensions(id).begin(), shapes.Dimensions(id).end());
    return shapes.AddArray(to, dimensions, layout);
  });
  return BitcastsHold(module) || !held;
}

bool Relayout(Choices& choices, Module& module) {
  std::vector<ShapeId> arrays = ArraysOf(module);
  std::erase_if(arrays, [&](ShapeId id) { return module.shapes.Dimensions(id).empty(); });
  if (arrays.empty()) return false;
  const ShapeId from = arrays[choices.Below(arrays.size())];
  Layout layout;
  if (const Layout* old = module.shapes.LayoutOf(from); old != nullptr) layout = *old;
  const size_t rank = module.shapes.Dimensions(from).size();
  if (layout.minor_to_major.size() != rank) {
    layout.minor_to_major.clear();
    for (size_t i = rank; i-- > 0;) layout.minor_to_major.push_back(static_cast<int64_t>(i));
  }
  const uint64_t which = choices.Below(3);
  if (LayoutMatters(module, from, /*memory_only=*/which == 1)) return false;
  switch (which) {
    case 0:
      for (size_t i = rank - 1; i > 0; --i) {
        std::swap(layout.minor_to_major[i], layout.minor_to_major[choices.Below(i + 1)]);
      }
      break;
    case 1:
      layout.memory_space = layout.memory_space == 0 ? 1 : 0;
      break;
    default:
      layout.tiles = layout.tiles.empty() ? std::vector<std::vector<int64_t>>{{8, 128}}
                                          : std::vector<std::vector<int64_t>>{};
      if (rank < 2 && !layout.tiles.empty()) layout.tiles = {{128}};
      break;
  }
  if (const Layout* old = module.shapes.LayoutOf(from); old != nullptr && *old == layout) return false;
  ChangeShapes(module, [&](ShapeTable& shapes, ShapeId id) {
    if (id != from) return id;
    const std::vector<Dimension> dimensions(shapes.Dimensions(id).begin(), shapes.Dimensions(id).end());
    return shapes.AddArray(shapes[id].type, dimensions, shapes.AddLayout(layout));
  });
  TellEntryLayout(module);
  return true;
}

}  // namespace oomph::hlo::mutate
