// The specification of scoped VMEM: each rule a small step that says where it is known from. Believed at sight, slow.
// A planted fault (fuzz/faults/vmem.cc) overrides one step. Not for: speed (allocator.h).
#ifndef OOMPH_MODELS_VMEM_SPECIFICATION_H_
#define OOMPH_MODELS_VMEM_SPECIFICATION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/vmem/answer.h"
#include "models/vmem/kernel.h"

namespace oomph::vmem {

class Specification {
 public:
  virtual ~Specification() = default;
  void Run(const Kernel& kernel, Answer& into) const;

  // The steps. Shapes are in elements, sizes in bytes, and what does not fit 64 bits is 2^64 - 1.

  // --- one buffer ---
  virtual uint64_t BitsOf(Type type) const;                                  // of an element in a tile: 32 of a pred
  virtual uint64_t Packing(Type type) const;                                 // elements in 32 bits: at least 1
  virtual uint64_t Sublanes(uint64_t second_minor, uint64_t packing) const;  // the rows of a tile
  virtual uint64_t RankOneGranule(uint64_t packing) const;                   // elements
  virtual uint64_t PaddedElements(const std::vector<uint64_t>& shape, uint64_t packing) const;
  virtual uint64_t BytesOf(uint64_t elements, uint64_t bits) const;

  // --- windows ---
  virtual std::vector<uint64_t> WindowShape(const Operand& operand) const;
  virtual uint64_t WindowBlock(const Operand& operand) const;  // one block, padded
  // The steps of a grid dimension that one core takes, as far as the compiler knows them; 0: it does not.
  virtual uint64_t StepsOf(const Kernel& kernel, uint32_t axis) const;
  virtual bool IsSplit(const Kernel& kernel, uint32_t axis) const;  // surely, to one step for each core
  virtual bool TermVaries(const Kernel& kernel, const Term& term) const;
  virtual bool PlaceVaries(const Kernel& kernel, const Place& place) const;
  virtual bool BlockVaries(const Kernel& kernel, const Operand& operand) const;
  virtual uint64_t Levels(const Kernel& kernel, const Operand& operand) const;
  virtual bool TakesWindow(const Operand& operand) const;     // not an operand that stays in another memory
  virtual bool IsContiguous(const Operand& operand) const;    // whether its block is one piece of the array
  virtual bool IsThereAlready(const Operand& operand) const;  // a window of an array in VMEM
  virtual uint64_t RoundWindow(uint64_t bytes) const;
  virtual PartBytes WindowOf(const Kernel& kernel, const Operand& operand) const;

  // --- scratch and stack ---
  virtual uint64_t ScratchBits(Type type) const;              // 4-bit elements take a byte
  virtual uint64_t ScratchBlock(const Buffer& buffer) const;  // padded
  virtual uint64_t RoundScratch(uint64_t bytes) const;
  virtual bool KeepsRows(const Buffer& buffer) const;  // of a scoped buffer: its rows are not padded
  virtual uint64_t ScopedBlock(const Buffer& buffer) const;
  virtual uint64_t RoundScoped(uint64_t bytes) const;
  // The most that is live at once of the buffers [begin, end), all of them inside one scope.
  virtual uint64_t ScopeBytes(const Kernel& kernel, size_t begin, size_t end) const;
  virtual uint64_t Together(uint64_t sibling, uint64_t other) const;  // of two that follow one another
  virtual uint64_t Nested(uint64_t outer, uint64_t inner) const;
  virtual uint64_t StackBytes(const Kernel& kernel) const;  // of the tree, and internal

  // --- verdict ---
  virtual int64_t DefaultLimit(const Kernel& kernel) const;
  virtual std::optional<int64_t> OptionLimit(const Kernel& kernel) const;  // bytes
  virtual int64_t Clamp(const Kernel& kernel, int64_t limit) const;
  virtual int64_t Limit(const Kernel& kernel) const;
  virtual bool MayBePromoted(const Kernel& kernel, const Operand& operand) const;
  virtual bool IsScalar(const Operand& input) const;  // an array of one element
  virtual bool MayBeInLargerTiles(const Operand& operand) const;  // an array in VMEM, so that its windows take bytes
  virtual bool IsAtLeast(const Kernel& kernel) const;
  virtual bool IsAtMost(const Kernel& kernel) const;
  // Empty, or why no compiler takes it.
  virtual std::string Declined(const Kernel& kernel) const;
  virtual std::optional<PartBytes> TooLargeAlone(const Kernel& kernel, const Answer& answer) const;
  virtual bool IsOverCapacity(const Kernel& kernel, const Answer& answer) const;
  // What is held against the limit, one after the other: scratch, with windows, with each scoped buffer, with all.
  virtual std::vector<uint64_t> RunningTotals(const Kernel& kernel, const Answer& answer) const;
  // Appends what the stack holds after each of the scoped buffers from `begin` on, on top of `around`.
  virtual void AddStackTotals(const Kernel& kernel, size_t begin, size_t end, uint64_t around, std::vector<uint64_t>& totals) const;
  // The order of the checks: fills in status and printed sizes.
  virtual void Check(const Kernel& kernel, Answer& answer) const;
};

}  // namespace oomph::vmem

#endif  // OOMPH_MODELS_VMEM_SPECIFICATION_H_
