// Random kernels for tests of the models: every field, sizes at edges of tiles and of 64 bits, references that lead
// nowhere. Not for: campaigns, whose kernels a compiler takes (generate.h).
#ifndef OOMPH_MODELS_VMEM_KERNEL_TESTING_H_
#define OOMPH_MODELS_VMEM_KERNEL_TESTING_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "models/vmem/kernel.h"

namespace oomph::vmem {

class AnyKernel {
 public:
  explicit AnyKernel(uint64_t seed) : random_(seed) {}

  Kernel operator()() {
    Kernel kernel;
    wild_ = Chance(8);
    kernel.target = static_cast<Target>(Below(kTargets));
    for (size_t i = Below(4); i > 0; --i)
      kernel.grid.push_back({OneOf({0, 1, 1, 2, 2, 3, 8, Size()}), Chance(6), Semantics{}});
    const size_t semantics = Below(3);
    for (GridDimension& dimension : kernel.grid) {
      if (semantics > 0) dimension.semantics = static_cast<Semantics>(Below(semantics == 1 ? 3 : 4));
    }
    for (size_t i = Below(6) / 4; i > 0; --i) kernel.prefetched.push_back({Type::kS32, {8}});
    for (size_t i = Below(4); i > 0; --i) kernel.inputs.push_back(AnyOperand());
    for (size_t i = Below(3); i > 0; --i) kernel.outputs.push_back(AnyOperand());
    for (size_t i = Below(3); i > 0; --i) kernel.scratch.push_back(AnyBuffer());
    for (size_t i = Chance(3) ? Below(6) : 0; i > 0; --i)
      kernel.scoped.push_back({AnyBuffer(), static_cast<uint32_t>(Below(4))});
    kernel.body = Chance(4) ? static_cast<Body>(Below(kBodies)) : Body::kCopies;
    if (Chance(8)) kernel.internal_bytes = Size();
    if (Chance(3)) kernel.limit_bytes = AnyLimit();
    if (Chance(4))
      kernel.option_kib = static_cast<int64_t>(OneOf({0, ~uint64_t{0}, 16, 1024, 65536, ~uint64_t{6}, Size()}));
    return kernel;
  }
  Operand AnyOperand() {
    Operand operand;
    operand.type = AnyType();
    const size_t rank = Below(5);
    for (size_t i = 0; i < rank; ++i) operand.array.push_back(Size());
    const size_t blocks = Chance(5) ? 0 : Chance(30) ? Below(5) : rank;
    for (size_t i = 0; i < blocks; ++i) {
      const uint64_t whole = i < rank ? operand.array[i] : 1;
      operand.block.push_back({static_cast<BlockKind>(Below(4) / 2), OneOf({whole, whole, 1, Size()})});
      if (Chance(5)) operand.block.back().kind = BlockKind::kSqueezed;
    }
    for (size_t i = Chance(30) ? Below(5) : blocks; i > 0; --i) operand.map.push_back(AnyPlace());
    operand.buffers = static_cast<uint32_t>(OneOf({0, 0, 0, 1, 2, Below(5)}));
    if (Chance(8)) operand.space = static_cast<Space>(Below(4));
    operand.in_vmem = Chance(8);
    operand.fused = Chance(30);
    return operand;
  }
  Buffer AnyBuffer() {
    Buffer buffer;
    buffer.type = AnyType();
    for (size_t i = Below(5); i > 0; --i) buffer.shape.push_back(Size());
    return buffer;
  }
  Place AnyPlace() {
    Place place;
    for (size_t i = OneOf({0, 1, 1, 1, 2, 3}); i > 0; --i) {
      place.push_back(
          {static_cast<TermKind>(Below(6)), static_cast<uint32_t>(Below(4)), OneOf({0, 1, 1, 2, 3, Size()})});
    }
    return place;
  }
  uint64_t Size() {
    if (wild_ && Chance(4)) return Size64();
    return OneOf({0,  1,   2,   3,   4,   5,   7,   8,    9,    16,   17,   32,
                  64, 100, 127, 128, 129, 256, 512, 1000, 1024, 1025, 4096, 1 + Below(600)});
  }
  uint64_t Below(uint64_t n) { return random_() % n; }
  bool Chance(uint64_t n) { return Below(n) == 0; }

 private:
  uint64_t Size64() {
    const uint64_t power = uint64_t{1} << Below(64);
    return power - 2 + Below(4);
  }
  std::optional<int64_t> AnyLimit() {
    const TargetRow& row = Targets()[Below(kTargets)];
    return static_cast<int64_t>(
        OneOf({0, 1, ~uint64_t{0}, 16384, 1 << 20, row.default_limit, row.clamp - 1, row.clamp, row.clamp + 1,
               row.usable, row.memory, uint64_t{1} << 40, Size64(), 1024 * Below(1000)}));
  }
  Type AnyType() {
    constexpr Type kUsual[] = {Type::kF32, Type::kF32,  Type::kBf16, Type::kS8,
                               Type::kS4,  Type::kPred, Type::kS32,  Type::kF8e4m3fn};
    return Chance(4) ? static_cast<Type>(Below(static_cast<uint64_t>(Type::kToken))) : kUsual[Below(8)];
  }
  uint64_t OneOf(std::initializer_list<uint64_t> values) { return values.begin()[Below(values.size())]; }

  std::mt19937_64 random_;
  bool wild_ = false;
};

}  // namespace oomph::vmem

#endif  // OOMPH_MODELS_VMEM_KERNEL_TESTING_H_
