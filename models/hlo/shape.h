// The shapes of a module: element types, dimensions, layouts, tuples; each stored once in a flat table.
// Not for sizes in bytes (bytes.h) nor for the text form (text.h).
//
//   f32[16,<=8]{1,0:T(8,128)S(1)}   an array: type, dimensions, and a layout where the text gives one
//   (f32[2], (s32[], token[]))      a tuple: the ids of its elements; shapes are no trees of pointers
//
// Equal shapes have equal ids within one table, so shapes are compared as numbers.
#ifndef OOMPH_MODELS_HLO_SHAPE_H_
#define OOMPH_MODELS_HLO_SHAPE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/hlo/strings.h"

namespace oomph::hlo {

using ShapeId = uint32_t;
using LayoutId = uint32_t;

// The order is that of the table in shape.cc.
enum class Type : uint8_t {
  kPred,
  kS1,
  kS2,
  kS4,
  kS8,
  kS16,
  kS32,
  kS64,
  kU1,
  kU2,
  kU4,
  kU8,
  kU16,
  kU32,
  kU64,
  kF4e2m1fn,
  kF8e3m4,
  kF8e4m3,
  kF8e4m3fn,
  kF8e4m3b11fnuz,
  kF8e4m3fnuz,
  kF8e5m2,
  kF8e5m2fnuz,
  kF8e8m0fnu,
  kF16,
  kBf16,
  kF32,
  kF64,
  kC64,
  kC128,
  kToken,
  kOpaque,
  kTuple,   // elements
  kBuffer,  // b(shape): one element
  kNone,    // no type: an instruction whose text gives no shape
};
inline constexpr size_t kTypes = static_cast<size_t>(Type::kNone) + 1;

struct TypeRow {
  std::string_view name;
  uint8_t bits;   // what the number takes, tightly packed; 0 where there is none
  uint8_t bytes;  // what an element takes in memory where no layout says otherwise: at least 1
};
const TypeRow& RowOf(Type type);
// kNone where no type has this name. "tuple" is no name of a type in a text.
Type TypeNamed(std::string_view name);
// Whether values of this type are arrays: they have dimensions.
bool IsArrayType(Type type);

enum class Extent : uint8_t {
  kStatic,     // 8
  kBounded,    // <=8
  kUnbounded,  // ?  (size is 0)
};

struct Dimension {
  int64_t size = 0;
  Extent extent = Extent::kStatic;
  bool operator==(const Dimension&) const = default;
};

// How one dimension is split over cores: SC(1:5,9) splits dimension 1 at 5 and at 9.
struct Split {
  int64_t dimension = 0;
  std::vector<int64_t> indices;
  bool operator==(const Split&) const = default;
};

// In a tile, the dimension that is merged into the next: T(*,128).
inline constexpr int64_t kCombineDimension = INT64_MIN;

struct Layout {
  std::vector<int64_t> minor_to_major;
  std::string dim_levels;                   // the letters and marks of D(...), for sparse arrays
  std::vector<std::vector<int64_t>> tiles;  // T(8,128)(2,1): two tiles
  int64_t tail_alignment = 1;               // L(n), in elements
  Type index_type = Type::kNone;            // #(u32)
  Type pointer_type = Type::kNone;          // *(u32)
  int64_t element_bits = 0;                 // E(4); 0: as the type says
  int64_t memory_space = 0;                 // S(1)
  std::vector<Split> splits;                // SC(0:8)
  std::optional<ShapeId> physical;          // P(shape)
  int64_t metadata_bytes = 0;               // M(n): before a dynamic array
  bool operator==(const Layout&) const = default;
};

// One row of the table. What it holds is asked from the table.
struct Shape {
  Type type = Type::kNone;
  bool has_layout = false;
  uint32_t begin = 0;  // of the dimensions, or of the elements
  uint32_t count = 0;
  LayoutId layout = 0;  // meaningful where has_layout
};

class ShapeTable {
 public:
  // Id 0 is the shape that is not given: type kNone.
  ShapeTable();

  ShapeId AddArray(Type type, std::span<const Dimension> dimensions, std::optional<LayoutId> layout = {});
  // Static dimensions.
  ShapeId AddArray(Type type, std::span<const int64_t> sizes, std::optional<LayoutId> layout = {});
  ShapeId AddTuple(std::span<const ShapeId> elements);
  ShapeId AddBuffer(ShapeId element);
  LayoutId AddLayout(const Layout& layout);

  const Shape& operator[](ShapeId id) const { return shapes_[id]; }
  size_t size() const { return shapes_.size(); }
  size_t layouts() const { return layouts_.size(); }
  const Layout& layout(LayoutId id) const { return layouts_[id]; }

  // Empty for what is no array.
  std::span<const Dimension> Dimensions(ShapeId id) const;
  // Empty for what is neither tuple nor buffer.
  std::span<const ShapeId> Elements(ShapeId id) const;
  // Null where the shape is no array or its text gives no layout.
  const Layout* LayoutOf(ShapeId id) const;

  // The id of an equal shape that is there already.
  std::optional<ShapeId> Find(Type type, std::span<const Dimension> dimensions,
                              std::span<const ShapeId> elements, std::optional<LayoutId> layout) const;
  std::optional<LayoutId> FindLayout(const Layout& layout) const;

  // The same shape without layouts, all through a tuple.
  ShapeId WithoutLayout(ShapeId id);

 private:
  ShapeId Add(Type type, std::span<const Dimension> dimensions, std::span<const ShapeId> elements,
              std::optional<LayoutId> layout);
  size_t HashOf(ShapeId id) const;

  std::vector<Shape> shapes_;
  std::vector<Dimension> dimensions_;
  std::vector<ShapeId> elements_;
  std::vector<Layout> layouts_;
  IdIndex shape_index_;
  IdIndex layout_index_;
};

// For each shape of `from`, the equal one of `to`, layouts included; none where it has no such.
std::vector<std::optional<ShapeId>> MapShapes(const ShapeTable& from, const ShapeTable& to);

// Tuples, buffers and physical shapes may stand in one another this deep. The deepest real one seen has 4.
inline constexpr int kMaxShapeDepth = 100;

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_SHAPE_H_
