// The text of shapes and layouts.
#include <charconv>

#include "models/hlo/print.h"
#include "models/hlo/text.h"

namespace oomph::hlo {
namespace {

void AppendNumbers(const std::vector<int64_t>& numbers, std::string& out) {
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) out.push_back(',');
    if (numbers[i] == kCombineDimension) {
      out.push_back('*');
    } else {
      AppendInteger(numbers[i], out);
    }
  }
}

void AppendProperty(std::string_view letter, int64_t value, std::string& out) {
  out.append(letter);
  out.push_back('(');
  AppendInteger(value, out);
  out.push_back(')');
}

void AppendTypeProperty(char letter, Type type, std::string& out) {
  if (type == Type::kNone) return;
  out.push_back(letter);
  out.push_back('(');
  out.append(RowOf(type).name);
  out.push_back(')');
}

// What follows the colon, in XLA's order. Nothing where all is as usual.
void AppendProperties(const ShapeTable& shapes, const Layout& layout, std::string& out) {
  if (!layout.dim_levels.empty()) {
    out.append("D(");
    out.append(layout.dim_levels);
    out.push_back(')');
  }
  if (!layout.tiles.empty()) out.push_back('T');
  for (const std::vector<int64_t>& tile : layout.tiles) {
    out.push_back('(');
    AppendNumbers(tile, out);
    out.push_back(')');
  }
  if (layout.tail_alignment != 1) AppendProperty("L", layout.tail_alignment, out);
  AppendTypeProperty('#', layout.index_type, out);
  AppendTypeProperty('*', layout.pointer_type, out);
  if (layout.element_bits != 0) AppendProperty("E", layout.element_bits, out);
  if (layout.memory_space != 0) AppendProperty("S", layout.memory_space, out);
  if (!layout.splits.empty()) out.append("SC");
  for (const Split& split : layout.splits) {
    out.push_back('(');
    AppendInteger(split.dimension, out);
    out.push_back(':');
    AppendNumbers(split.indices, out);
    out.push_back(')');
  }
  if (layout.physical.has_value()) {
    out.append("P(");
    AppendShape(shapes, *layout.physical, {}, out);
    out.push_back(')');
  }
  if (layout.metadata_bytes != 0) AppendProperty("M", layout.metadata_bytes, out);
}

void AppendLayout(const ShapeTable& shapes, const Layout& layout, std::string& out) {
  out.push_back('{');
  AppendNumbers(layout.minor_to_major, out);
  out.push_back(':');
  const size_t colon_end = out.size();
  AppendProperties(shapes, layout, out);
  if (out.size() == colon_end) out.pop_back();
  out.push_back('}');
}

}  // namespace

void AppendInteger(int64_t value, std::string& out) {
  char digits[24];
  const std::to_chars_result end = std::to_chars(digits, digits + sizeof(digits), value);
  out.append(digits, static_cast<size_t>(end.ptr - digits));
}

void AppendListComma(size_t index, bool index_comments, std::string& out) {
  if (index == 0) return;
  out.append(", ");
  if (!index_comments || index % 5 != 0) return;
  out.append("/*index=");
  AppendInteger(static_cast<int64_t>(index), out);
  out.append("*/");
}

void AppendShape(const ShapeTable& shapes, ShapeId id, ShapePrinting how, std::string& out) {
  const Type type = shapes[id].type;
  if (type == Type::kTuple || type == Type::kBuffer) {
    out.append(type == Type::kTuple ? "(" : "b(");
    const std::span<const ShapeId> elements = shapes.Elements(id);
    for (size_t i = 0; i < elements.size(); ++i) {
      AppendListComma(i, how.index_comments, out);
      AppendShape(shapes, elements[i], how, out);
    }
    out.push_back(')');
    return;
  }
  out.append(RowOf(type).name);
  out.push_back('[');
  bool first = true;
  for (const Dimension& dimension : shapes.Dimensions(id)) {
    if (!first) out.push_back(',');
    first = false;
    if (dimension.extent == Extent::kUnbounded) {
      out.push_back('?');
      continue;
    }
    if (dimension.extent == Extent::kBounded) out.append("<=");
    AppendInteger(dimension.size, out);
  }
  out.push_back(']');
  const Layout* layout = shapes.LayoutOf(id);
  if (how.layouts && layout != nullptr) AppendLayout(shapes, *layout, out);
}

std::string PrintShape(const ShapeTable& shapes, ShapeId shape) {
  std::string out;
  AppendShape(shapes, shape, {}, out);
  return out;
}

}  // namespace oomph::hlo
