// The grammar of shapes: types, dimensions, tuples, and all that a layout may say.
#include "models/hlo/read_shape.h"

#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace oomph::hlo {

bool ShapeReader::Read(ShapeId& shape) {
  cursor_.SkipBlanks();
  const char* start = cursor_.at();
  const char* end = End();
  if (end != nullptr) {
    const auto known = known_.find(std::string_view(start, static_cast<size_t>(end - start)));
    if (known != known_.end()) {
      cursor_.MoveTo(end);
      shape = known->second;
      return true;
    }
  }
  cursor_.MoveTo(start);
  if (!cursor_.ok() || !ReadAny(shape, 0)) return false;
  known_.emplace(cursor_.From(start), shape);
  return true;
}

// Where the shape here ends, judged by its brackets alone. Null where that cannot be said.
const char* ShapeReader::End() {
  const char* p = cursor_.at();
  const char* end = cursor_.end();
  if (p < end && *p == '(') return cursor_.EndOfBrackets(p);
  while (p < end && Is(*p, kNameChar)) ++p;
  if (p == end) return nullptr;
  if (*p == '(') return cursor_.EndOfBrackets(p);
  if (*p != '[') return nullptr;
  p = static_cast<const char*>(std::memchr(p, ']', static_cast<size_t>(end - p)));
  if (p == nullptr) return nullptr;
  ++p;
  if (p < end && *p == '{') {
    if (end - p >= 2 && (p[1] == ':' || Is(p[1], kDigit))) return cursor_.EndOfBrackets(p);
    return p;  // A computation begins, or the end of a list of shapes.
  }
  // A layout after a blank would belong to the shape: the slow way finds out.
  if (p < end && (Is(*p, kBlank) || *p == '/')) {
    const char* after = p;
    while (after < end && Is(*after, kBlank)) ++after;
    if (after < end && (*after == '{' || *after == '/')) return nullptr;
  }
  return p;
}

bool ShapeReader::AtShape() {
  cursor_.SkipBlanks();
  const char* p = cursor_.at();
  const char* end = cursor_.end();
  if (p < end && *p == '(') return true;
  const char* start = p;
  while (p < end && Is(*p, kNameChar)) ++p;
  if (p == end || p == start) return false;
  return *p == '[' || (*p == '(' && p - start == 1 && *start == 'b');
}

bool ShapeReader::ReadAny(ShapeId& shape, int depth) {
  const char* start = cursor_.at();
  if (depth > kMaxShapeDepth) {
    return cursor_.Refuse(start, absl::StrCat("shapes are nested deeper than ", kMaxShapeDepth,
                                              ", which is more than this reader follows"));
  }
  if (cursor_.Peek() == '(') return ReadTuple(shape, depth);
  start = cursor_.at();
  const std::string_view name = cursor_.Word(start);
  if (name == "b" && cursor_.Try('(')) {
    ShapeId element = 0;
    if (!ReadAny(element, depth + 1) || !cursor_.Expect(')')) return false;
    shape = shapes_.AddBuffer(element);
    return true;
  }
  const Type type = TypeNamed(name);
  if (type == Type::kNone) return cursor_.Fail(start, "a shape");
  return ReadArray(type, shape, depth);
}

bool ShapeReader::ReadTuple(ShapeId& shape, int depth) {
  std::vector<ShapeId> elements;
  if (!cursor_.Expect('(')) return false;
  if (!cursor_.Try(')')) {
    do {
      ShapeId element = 0;
      if (!ReadAny(element, depth + 1)) return false;
      elements.push_back(element);
    } while (cursor_.Try(','));
    if (!cursor_.Expect(')')) return false;
  }
  saw_long_tuple_ |= elements.size() > 5;
  shape = shapes_.AddTuple(elements);
  return true;
}

bool ShapeReader::ReadArray(Type type, ShapeId& shape, int depth) {
  std::vector<Dimension> dimensions;
  if (!cursor_.Expect('[')) return false;
  const char* inside = cursor_.at();
  if (!cursor_.Try(']')) {
    do {
      Dimension dimension;
      if (cursor_.Try('?')) {
        dimension.extent = Extent::kUnbounded;
      } else {
        if (cursor_.Try(std::string_view("<="))) dimension.extent = Extent::kBounded;
        if (!ReadNumber(dimension.size, 0)) return false;
      }
      dimensions.push_back(dimension);
    } while (cursor_.Try(','));
    if (!cursor_.Expect(']')) return false;
  }
  if (!IsArrayType(type) && !dimensions.empty()) {
    return cursor_.Refuse(inside, absl::StrCat(std::string(RowOf(type).name), " has no dimensions"));
  }
  std::optional<LayoutId> layout;
  const char* end_of_dimensions = cursor_.at();
  if (IsArrayType(type) && AtLayout()) {
    if (!ReadLayout(dimensions.size(), layout.emplace(), depth)) return false;
  } else {
    cursor_.MoveTo(end_of_dimensions);
  }
  shape = shapes_.AddArray(type, dimensions, layout);
  return true;
}

// A brace opens a layout where an integer or a colon follows, else the body of a computation.
bool ShapeReader::AtLayout() {
  if (!cursor_.Try('{')) return false;
  const char* brace = cursor_.at() - 1;
  const char next = cursor_.Peek();
  cursor_.MoveTo(brace);
  return next == ':' || Is(next, kDigit);
}

bool ShapeReader::ReadLayout(size_t rank, LayoutId& id, int depth) {
  Layout layout;
  if (!cursor_.Expect('{')) return false;
  const char* start = cursor_.at();
  if (cursor_.Peek() != ':') {
    do {
      int64_t dimension = 0;
      if (!ReadNumber(dimension, 0)) return false;
      layout.minor_to_major.push_back(dimension);
    } while (cursor_.Try(','));
  }
  if (layout.minor_to_major.size() != rank) {
    return cursor_.Refuse(start, absl::StrCat("the shape has ", rank, " dimensions, its layout ",
                                              layout.minor_to_major.size()));
  }
  if (cursor_.Try(':')) {
    while (cursor_.Peek() != '}') {
      if (!ReadProperty(layout, depth)) return false;
    }
  }
  if (!cursor_.Expect('}')) return false;
  id = shapes_.AddLayout(layout);
  return true;
}

bool ShapeReader::ReadProperty(Layout& layout, int depth) {
  const char* start = cursor_.at();
  if (cursor_.Try(std::string_view("SC("))) {
    cursor_.MoveTo(cursor_.at() - 1);
    return ReadSplits(layout);
  }
  const char kind = cursor_.Peek();
  if (kind == 'T') return ReadTiles(layout);
  if (std::string_view("DL#*ESPM").find(kind) == std::string_view::npos || kind == '\0') {
    return cursor_.Fail(start, "a property of a layout (D T L # * E S SC P M) or '}'");
  }
  cursor_.MoveTo(cursor_.at() + 1);
  if (!cursor_.Expect('(')) return false;
  bool good = true;
  switch (kind) {
    case 'D': {
      const char* levels = cursor_.at();
      const char* close = levels;
      while (close < cursor_.end() && std::strchr("DCSH+~, ", *close) != nullptr && *close != '\0') ++close;
      layout.dim_levels = std::string(levels, close);
      std::erase(layout.dim_levels, ' ');
      cursor_.MoveTo(close);
      break;
    }
    case 'L':
      good = ReadNumber(layout.tail_alignment, 1);
      break;
    case '#':
      good = ReadType(layout.index_type);
      break;
    case '*':
      good = ReadType(layout.pointer_type);
      break;
    case 'E':
      good = ReadNumber(layout.element_bits, 0);
      break;
    case 'S':
      good = ReadNumber(layout.memory_space, 0);
      break;
    case 'M':
      good = ReadNumber(layout.metadata_bytes, 0);
      break;
    default: {
      ShapeId physical = 0;
      good = ReadAny(physical, depth + 1);
      layout.physical = physical;
    }
  }
  return good && cursor_.Expect(')');
}

bool ShapeReader::ReadTiles(Layout& layout) {
  cursor_.MoveTo(cursor_.at() + 1);
  if (cursor_.Peek() != '(') return cursor_.Expect('(');
  while (cursor_.Try('(')) {
    std::vector<int64_t> tile;
    do {
      int64_t size = kCombineDimension;
      if (!cursor_.Try('*') && !ReadNumber(size, 0)) return false;
      tile.push_back(size);
    } while (cursor_.Try(','));
    if (!cursor_.Expect(')')) return false;
    layout.tiles.push_back(std::move(tile));
  }
  return true;
}

bool ShapeReader::ReadSplits(Layout& layout) {
  while (cursor_.Try('(')) {
    Split split;
    if (!ReadNumber(split.dimension, 0) || !cursor_.Expect(':')) return false;
    do {
      int64_t index = 0;
      if (!ReadNumber(index, 0)) return false;
      split.indices.push_back(index);
    } while (cursor_.Try(','));
    if (!cursor_.Expect(')')) return false;
    layout.splits.push_back(std::move(split));
  }
  return true;
}

bool ShapeReader::ReadNumber(int64_t& value, int64_t least) {
  cursor_.SkipBlanks();
  const char* start = cursor_.at();
  if (!cursor_.Integer(value)) return false;
  return value >= least || cursor_.Fail(start, absl::StrCat("an integer of at least ", least));
}

bool ShapeReader::ReadType(Type& type) {
  cursor_.SkipBlanks();
  const char* start = cursor_.at();
  type = TypeNamed(cursor_.Word(start));
  return IsArrayType(type) || cursor_.Fail(start, "a type such as u32");
}

}  // namespace oomph::hlo
