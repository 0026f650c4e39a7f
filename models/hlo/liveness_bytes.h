// How many bytes a buffer of a value takes, for schedules and live ranges.
// Not for the layout rules themselves (bytes.h).
#ifndef OOMPH_MODELS_HLO_LIVENESS_BYTES_H_
#define OOMPH_MODELS_HLO_LIVENESS_BYTES_H_

#include <cstdint>
#include <vector>

#include "models/base/units.h"
#include "models/hlo/module.h"
#include "models/hlo/shape.h"

namespace oomph::hlo {

// Sums above this are this (units.h).
inline constexpr uint64_t kMostBytes = UINT64_MAX;

// An array's elements without any padding: dimensions times the element (as E(n) says, else at least a byte). A
// bounded dimension counts with its bound, an unbounded one with 0. Tokens take nothing. What is no array takes a
// pointer (an opaque value) or one for each element (a tuple): XLA keeps a table of pointers for each tuple.
uint64_t PlainBytes(const ShapeTable& shapes, ShapeId shape, uint64_t pointer_bytes = 8);

// By shape: all of it, the elements of a tuple too. What a shape is made of must stand before it in the table.
std::vector<uint64_t> PlainTreeBytes(const ShapeTable& shapes);

// The layout's memory space S(n), of b(array) that of the array; 0 where it says nothing.
uint32_t SpaceOf(const ShapeTable& shapes, ShapeId shape);

// The tree of a shape as a list: itself, then the list of each element. A node is an index of that list.
//
//   (f32[2], (s32[], token[]))     0 the tuple  1 f32[2]  2 the inner tuple  3 s32[]  4 token[]
class ShapeNodes {
 public:
  explicit ShapeNodes(const ShapeTable& shapes);

  // How many nodes; at most kMany, which means as many or more.
  uint64_t Count(ShapeId shape) const { return count_[shape]; }
  static constexpr uint64_t kMany = uint64_t{1} << 40;

  // The first node of an element; there must be such an element.
  uint64_t ElementNode(ShapeId tuple, size_t element) const { return offsets_[begin_[tuple] + element]; }
  // The shape at a node; the first and all of its element's nodes are those from `node` on.
  ShapeId At(ShapeId shape, uint64_t node) const;
  // The way to a node: {1, 0} is node 3 above.
  std::vector<int64_t> PathOf(ShapeId shape, uint64_t node) const;
  // The node at the end of a way; UINT64_MAX where there is none.
  uint64_t NodeAt(ShapeId shape, std::span<const int64_t> path) const;
  // The shapes of all nodes, in their order. Count must be small enough to list.
  void List(ShapeId shape, std::vector<ShapeId>& into) const;

 private:
  size_t ElementOf(ShapeId tuple, uint64_t node) const;

  const ShapeTable& shapes_;
  std::vector<uint64_t> count_;
  std::vector<uint64_t> offsets_;
  std::vector<uint32_t> begin_;
};

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_LIVENESS_BYTES_H_
