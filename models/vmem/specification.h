// The specification of scoped VMEM: each rule a small step that says where it is known from. Believed at sight, slow.
// A planted fault (fuzz/faults/vmem.cc) overrides one step. Not for: speed (allocator.h).
#ifndef OOMPH_MODELS_VMEM_SPECIFICATION_H_
#define OOMPH_MODELS_VMEM_SPECIFICATION_H_

#include <cstdint>
#include <vector>

#include "models/vmem/answer.h"
#include "models/vmem/kernel.h"

namespace oomph::vmem {

class Specification {
 public:
  virtual ~Specification() = default;
  void Run(const Kernel& kernel, Answer& into) const;

  // The steps. The author of specification.cc may split them further; every one is virtual. Shapes are in elements, sizes
  // in bytes, and what does not fit 64 bits is 2^64 - 1.
  virtual uint64_t BitsOf(Type type) const;                        // of an element in a tile: 32 of a pred
  virtual uint64_t Sublanes(uint64_t second_minor, uint64_t packing) const;  // the tile's rows
  virtual uint64_t PaddedElements(const std::vector<uint64_t>& shape, uint64_t bits) const;
  virtual uint64_t WindowBlock(const Operand& operand) const;      // one block, padded
  virtual bool TermVaries(const Kernel& kernel, const Term& term) const;
  virtual bool PlaceVaries(const Kernel& kernel, const Place& place) const;
  virtual uint64_t Levels(const Kernel& kernel, const Operand& operand) const;
  virtual bool IsThereAlready(const Operand& operand) const;       // a window of an array in VMEM
  virtual uint64_t RoundWindow(uint64_t bytes) const;
  virtual uint64_t ScratchBytes(const Buffer& buffer) const;       // padded and rounded
  virtual uint64_t ScopedBytes(const Buffer& buffer) const;
  virtual uint64_t StackBytes(const Kernel& kernel) const;         // of the tree, and internal
  virtual int64_t Limit(const Kernel& kernel) const;
  virtual bool IsAtLeast(const Kernel& kernel) const;
  virtual bool IsAtMost(const Kernel& kernel) const;
  // The order of the checks: fills in status, printed sizes and message.
  virtual void Check(const Kernel& kernel, Answer& answer) const;
};

}  // namespace oomph::vmem

#endif  // OOMPH_MODELS_VMEM_SPECIFICATION_H_
