// The specification of SparseCore's static planning: each rule a small step that says where it is known from. Believed at
// sight, slow. A planted fault (fuzz/faults/sparsecore.cc) overrides one step. Not for: speed (planner.h).
#ifndef OOMPH_MODELS_SPARSECORE_SPECIFICATION_H_
#define OOMPH_MODELS_SPARSECORE_SPECIFICATION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/sparsecore/answer.h"
#include "models/sparsecore/program.h"

namespace oomph::sparsecore {

inline constexpr uint32_t kNoNode = UINT32_MAX;

// A program as the tree it means: what is closed, dropped and folded is so here. Children by index, no pointers; a node
// comes before its children.
struct Node {
  Kind kind = Kind::kWork;  // of a kCopy: the scope that it is
  uint32_t buffer = kNoBuffer, statement = 0;
  uint64_t trips = 0;
  bool of_copy = false;  // a scope that is a copy, and the semaphore in it
  std::vector<std::vector<uint32_t>> regions;  // of nodes, in order: one; of a kIf two; none of what opens nothing
  // Where it stands: a region of a node, or `body` of the tree (kNoNode).
  uint32_t parent = kNoNode, region = 0;
};
struct Tree {
  std::vector<Node> nodes;
  std::vector<uint32_t> scratch, body;  // nodes: kernel-level; the region of the outermost frame
};

class Specification {
 public:
  virtual ~Specification() = default;
  // With placed and message. Programs that nest deeper than kDeepest are not run.
  void Run(const Program& program, Answer& into) const;
  static constexpr size_t kDeepest = 2000;

  // The steps. Sizes in words of the space; what does not fit 64 bits is 2^64 - 1.

  // --- one buffer ---
  virtual uint64_t BitsOf(Type type) const;     // of an element: 32 of a pred
  virtual uint64_t Packing(Type type) const;    // elements in a word
  virtual bool KeepsRows(const Buffer& buffer, bool scratch) const;  // one row a compact tile
  virtual uint64_t Sublanes(uint64_t rows, uint64_t packing) const;  // rows of a compact tile
  virtual uint64_t LinearGranule(uint64_t packing) const;            // elements, of the last dimension
  virtual std::vector<uint64_t> TileOf(const Program& program, const Buffer& buffer, bool scratch) const;
  virtual uint64_t PaddedElements(const Program& program, const Buffer& buffer, bool scratch) const;
  virtual uint64_t WordsOf(const Program& program, const Buffer& buffer, bool scratch) const;

  // --- canonical form ---
  virtual bool IsUsed(const Tree& tree, uint32_t buffer) const;
  virtual bool LoadStays(const Buffer& buffer) const;
  virtual bool EndsInItsCounter(Kind kind) const;  // of what nothing else is the last in
  virtual bool Vanishes(const Node& loop) const;  // no trip: nothing in it is ever done
  virtual bool Folds(const Node& loop) const;     // one trip: its body stands in its place
  virtual bool IsEmpty(const Tree& tree, const Node& node) const;  // nothing in it stays
  virtual bool IsFrame(Kind kind) const;
  // Whether the kernel stands in an scf.if that is the last of an scf.for, as a vector subcore's does.
  virtual bool BodyIsInIf(const Program& program) const;
  // Scopes that are the last of their region, and whose parents are, up to the frame, give it their allocations.
  virtual bool MayHoist(const Tree& tree, uint32_t scope) const;
  virtual bool MovesNested(const Node& scope) const;  // also those of frames inside of it
  // In which order scopes are tried: that of their last operations, the last first; of one, the inner scope first.
  virtual std::vector<uint32_t> HoistingOrder(const Tree& tree) const;
  virtual void Hoist(Tree& tree) const;

  // --- planning ---
  virtual Space PlannedSpace(Space space, bool scratch) const;       // tile_spmem of the kernel level is in spmem
  virtual uint64_t ScratchWords(Space space, uint64_t words) const;  // of kernel-level scratch: for 16 tiles
  virtual uint64_t Granule(Space planned) const;                     // what sizes are rounded up to
  virtual uint64_t FirstWord(const Program& program, Space space) const;
  virtual uint64_t LastWord(const Program& program, Space space) const;
  virtual uint64_t TileBase(uint64_t spmem_top) const;  // where tile_spmem begins above spmem
  virtual uint64_t Align(Space space, uint64_t base) const;
  virtual uint64_t AfterFrame(uint64_t top_before, uint64_t top_inside) const;  // what a frame leaves behind
  virtual bool DirectFirst() const;  // all of a frame before the frames in it
  virtual bool Exceeds(uint64_t bound, uint64_t limit) const;
  virtual bool IsHere(const Program& program, Space space) const;  // whether a kernel of this core may allocate in it
  // Words that the compiler adds. Those of a tile's sync flags are planned above the kernel-level ones, before the kernel;
  // those of the scalar core come on top of all, and no bound is checked of them.
  virtual uint64_t ImplicitWords(const Program& program, Space space) const;
  virtual std::optional<uint64_t> HighWaterLimit(const Program& program, Space space) const;  // behind E3000
};

}  // namespace oomph::sparsecore

#endif  // OOMPH_MODELS_SPARSECORE_SPECIFICATION_H_
