// The specification of SparseCore's static planning: each rule a small step that says where it is known from. Believed at
// sight, slow. A planted fault (fuzz/faults/sparsecore.cc) overrides one step. Not for: speed (planner.h).
#ifndef OOMPH_MODELS_SPARSECORE_SPECIFICATION_H_
#define OOMPH_MODELS_SPARSECORE_SPECIFICATION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "models/sparsecore/answer.h"
#include "models/sparsecore/program.h"

namespace oomph::sparsecore {

// A program as the tree it means: what is closed, dropped and folded is so here. Children by index, no pointers.
struct Node {
  Kind kind = Kind::kWork;
  uint32_t buffer = kNoBuffer, statement = 0;
  uint64_t trips = 0;
  bool of_copy = false;  // a scope that is a copy, and the semaphore in it
  std::vector<std::vector<uint32_t>> regions;  // of nodes, in order: one; of a kIf two; none of what opens nothing
};
struct Tree {
  std::vector<Node> nodes;
  std::vector<uint32_t> scratch, body;  // nodes: kernel-level; the kernel's own region
};

class Specification {
 public:
  virtual ~Specification() = default;
  void Run(const Program& program, Answer& into) const;

  // The steps. Sizes in words of the space; what does not fit 64 bits is 2^64 - 1.

  // --- one buffer ---
  virtual uint64_t BitsOf(Type type) const;     // of an element: 32 of a pred
  virtual uint64_t Packing(Type type) const;    // elements in a word
  virtual uint64_t Sublanes(uint64_t rows, uint64_t packing) const;  // rows of a compact tile
  virtual uint64_t LinearGranule(uint64_t packing) const;            // elements, of the last dimension
  virtual std::vector<uint64_t> TileOf(const Program& program, const Buffer& buffer) const;
  virtual uint64_t PaddedElements(const Program& program, const Buffer& buffer) const;
  virtual uint64_t WordsOf(const Program& program, const Buffer& buffer) const;

  // --- canonical form ---
  virtual bool IsUsed(const Program& program, uint32_t buffer) const;
  virtual bool Folds(const Node& loop) const;    // one trip: its body stands in its place
  virtual bool IsEmpty(const Tree& tree, const Node& node) const;  // nothing in it stays
  virtual bool IsFrame(Kind kind) const;
  // Scopes that are the last of their region, and whose parents are, up to the frame, give it their allocations.
  virtual bool MayHoist(const Tree& tree, uint32_t frame, uint32_t scope) const;
  virtual bool HoistsInReverse(Kind frame) const;  // the groups; fitted, see docs/FACTS.md
  virtual void Hoist(Tree& tree) const;

  // --- planning ---
  virtual uint64_t ScratchWords(Space space, uint64_t words) const;  // of kernel-level scratch: 16 tiles, granule
  virtual Space PlannedSpace(Space space, bool scratch) const;       // tile_spmem of the kernel level is in spmem
  virtual uint64_t FirstWord(const Program& program, Space space) const;
  virtual uint64_t LastWord(const Program& program, Space space) const;
  virtual uint64_t TileBase(uint64_t spmem_top) const;  // where tile_spmem begins above spmem
  virtual uint64_t Align(Space space, uint64_t base) const;
  virtual uint64_t AfterFrame(uint64_t top_before, uint64_t top_inside) const;  // what a frame leaves behind
  virtual bool Exceeds(uint64_t bound, uint64_t limit) const;
  // The implicit words: of the kernel's start and end, above its semaphores; see docs/FACTS.md.
  virtual uint64_t ImplicitWords(const Program& program, Space space) const;
  virtual std::optional<uint64_t> HighWaterLimit(const Program& program, Space space) const;  // behind E3000
};

}  // namespace oomph::sparsecore

#endif  // OOMPH_MODELS_SPARSECORE_SPECIFICATION_H_
