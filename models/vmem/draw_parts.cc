// See draw_parts.h. The order of draws is the format of tapes.
#include "models/vmem/draw_parts.h"

#include <algorithm>
#include <array>
#include <span>

#include "models/base/units.h"
#include "models/vmem/allocator.h"
#include "models/vmem/promises.h"
#include "models/vmem/target.h"

namespace oomph::vmem {
namespace {

struct TypeShare {
  Type type;
  uint32_t weight;
};
// What Pallas kernels are made of, the ordinary first.
constexpr std::array kTypeShares = {
    TypeShare{Type::kF32, 8},    TypeShare{Type::kBf16, 6}, TypeShare{Type::kS32, 2}, TypeShare{Type::kS8, 3},
    TypeShare{Type::kS16, 2},    TypeShare{Type::kU8, 1},   TypeShare{Type::kPred, 2}, TypeShare{Type::kF8e4m3fn, 2},
    TypeShare{Type::kF8e5m2, 1}, TypeShare{Type::kU32, 1},  TypeShare{Type::kU16, 1}, TypeShare{Type::kS4, 3},
    TypeShare{Type::kU4, 1},     TypeShare{Type::kS2, 1},
};

template <size_t N>
uint64_t PickOf(Choices& choices, const uint64_t (&values)[N]) {
  return values[choices.Below(N)];
}

uint32_t Axis(Choices& choices, const Kernel& kernel) { return static_cast<uint32_t>(choices.Below(kernel.grid.size())); }

Place DrawTerms(Choices& choices, const Kernel& kernel) {
  const uint32_t axis = Axis(choices, kernel);
  static constexpr std::array<uint32_t, 9> kShares = {12, 2, 2, 2, 2, 2, 2, 2, 2};
  switch (choices.Weighted(kShares)) {
    case 1: return {{TermKind::kTimes, axis, 0}};
    case 2: return {{TermKind::kModulo, axis, 1}};
    case 3: return {{TermKind::kModulo, axis, 2 + choices.Below(2)}};
    case 4: return {{TermKind::kDivided, axis, PickOf(choices, {2, 3, 8, 1})}};
    case 5: return {{TermKind::kTimes, axis, 1}, {TermKind::kTimes, Axis(choices, kernel), 1 + choices.Below(2)}};
    case 6: return {{TermKind::kAtMost, axis, choices.Below(3)}};
    case 7: return {{TermKind::kTimes, axis, 2 + choices.Below(2)}};
    case 8:
      if (!kernel.prefetched.empty()) return {{TermKind::kPrefetched, axis, choices.Below(kernel.prefetched.size())}};
      return {{TermKind::kTimes, axis, 1}, {TermKind::kConstant, 0, 1}};
    default: return {{TermKind::kTimes, axis, 1}};
  }
}

// A size that the limit is held against: all of it, or what is checked before; or any near it.
int64_t DrawLimit(Choices& choices, const Kernel& kernel) {
  const Need need = NeedOf(kernel);
  const uint64_t windows = SaturatingAdd(need.scratch, need.windows);
  static constexpr std::array<uint32_t, 9> kShares = {8, 8, 4, 2, 2, 2, 2, 2, 1};
  const auto signed_of = [](uint64_t bytes) { return static_cast<int64_t>(std::min<uint64_t>(bytes, INT64_MAX)); };
  const int64_t total = signed_of(need.total);
  switch (choices.Weighted(kShares)) {
    case 1: return total - 1;
    case 2: return signed_of(SaturatingAdd(need.total, 1));
    case 3: return signed_of(windows) - static_cast<int64_t>(choices.Below(2));
    case 4: return signed_of(need.scratch) - static_cast<int64_t>(choices.Below(2));
    case 5: return static_cast<int64_t>(choices.Below(static_cast<uint64_t>(total)));
    case 6: return signed_of(SaturatingAdd(need.total, choices.Below(std::max<uint64_t>(need.total, kMiB))));
    case 7: return kAboveEveryClamp;
    case 8: return signed_of(RowOf(kernel.target).clamp) + static_cast<int64_t>(choices.Below(3)) - 1;
    default: return total;
  }
}

// In KiB, up or down.
int64_t DrawOption(Choices& choices, const Kernel& kernel) {
  const int64_t bytes = std::max<int64_t>(DrawLimit(choices, kernel), 0);
  return (bytes + (choices.Below(2) == 0 ? 1023 : 0)) / 1024;
}

void DrawScopedAt(Choices& choices, const GenerateOptions& options, bool tiny, uint32_t depth, std::vector<ScopedBuffer>& into) {
  for (uint64_t n = 1 + choices.Below(3) / 2; n > 0; --n) {
    into.push_back({DrawBuffer(choices, options, tiny), depth});
    if (depth < 3 && choices.Chance(2, 5)) DrawScopedAt(choices, options, tiny, depth + 1, into);
  }
}

}  // namespace

Type DrawType(Choices& choices, const GenerateOptions& options) {
  std::array<uint32_t, kTypeShares.size()> weights;
  for (size_t i = 0; i < weights.size(); ++i) {
    const Type type = kTypeShares[i].type;
    const bool four = type == Type::kS4 || type == Type::kU4, two = type == Type::kS2;
    weights[i] = (four && !Can(options, feature::kFourBits)) || (two && !Can(options, feature::kTwoBits))
                     ? 0
                     : kTypeShares[i].weight;
  }
  return kTypeShares[choices.Weighted(weights)].type;
}

uint64_t DrawMinor(Choices& choices, bool tiny) {
  if (tiny) return choices.Chance(1, 4) ? 1 + choices.Below(260) : PickOf(choices, {128, 128, 256, 127, 129, 1});
  return choices.Chance(1, 5) ? 1 + choices.Below(600) : PickOf(choices, {128, 256, 384, 512, 1024, 128, 257, 383});
}
uint64_t DrawSecondMinor(Choices& choices, bool tiny) {
  if (choices.Chance(1, 4)) return 1 + choices.Below(tiny ? 40 : 70);
  if (choices.Chance(1, 4)) return 1 + choices.Below(9);
  return tiny ? PickOf(choices, {8, 16, 32, 24, 33, 17}) : PickOf(choices, {8, 16, 32, 64, 128, 256, 72, 129});
}
uint64_t DrawLeading(Choices& choices, bool tiny) {
  return tiny ? 1 + choices.Below(2) : PickOf(choices, {1, 1, 2, 3, 4, 7});
}

Place DrawPlace(Choices& choices, const Kernel& kernel) {
  if (kernel.grid.empty()) return {};
  if (choices.Chance(2, 5)) {
    if (!choices.Chance(1, 4)) return {};
    return {{TermKind::kConstant, 0, 1}};
  }
  return DrawTerms(choices, kernel);
}

Operand DrawOperand(Choices& choices, const GenerateOptions& options, const Kernel& kernel, bool tiny) {
  Operand operand;
  operand.type = DrawType(choices, options);
  static constexpr uint64_t kRanks[] = {2, 2, 3, 3, 1, 4};
  const uint64_t rank = PickOf(choices, kRanks);
  operand.block.resize(rank);
  if (rank == 1) {
    operand.block[0].size = kernel.grid.empty() ? 1 + choices.Below(5000) : 1024 * PickOf(choices, {1, 2, 3, 4, 8});
  } else {
    operand.block[rank - 1].size = DrawMinor(choices, tiny);
    operand.block[rank - 2].size = DrawSecondMinor(choices, tiny);
    for (uint64_t d = 0; d + 2 < rank; ++d) {
      operand.block[d].size = DrawLeading(choices, tiny);
      if (!kernel.grid.empty() && choices.Chance(1, 2)) operand.block[d] = {BlockKind::kSqueezed, 1};
    }
  }
  for (uint64_t d = 0; d < rank; ++d) operand.map.push_back(DrawPlace(choices, kernel));
  if (Can(options, feature::kElements) && !kernel.grid.empty() && choices.Chance(1, 32)) {
    for (BlockDimension& dimension : operand.block) dimension.kind = BlockKind::kElement;
  }
  if (Can(options, feature::kBuffered) && !kernel.grid.empty() && choices.Chance(2, 9)) {
    operand.buffers = 1 + static_cast<uint32_t>(choices.Below(2));
  }
  return operand;
}

Buffer DrawBuffer(Choices& choices, const GenerateOptions& options, bool tiny) {
  Buffer buffer;
  buffer.type = DrawType(choices, options);
  if (buffer.type == Type::kPred) buffer.type = Type::kF32;  // no DMA moves it
  if (choices.Chance(1, 7)) {
    buffer.shape = {1024 * (1 + choices.Below(8))};
    return buffer;
  }
  buffer.shape = {DrawSecondMinor(choices, tiny), DrawMinor(choices, tiny)};
  if (!tiny && choices.Chance(1, 8)) buffer.shape[0] = 1 + choices.Below(300);
  if (choices.Chance(1, 4)) buffer.shape.insert(buffer.shape.begin(), 1 + choices.Below(4));
  return buffer;
}

void DrawScoped(Choices& choices, const GenerateOptions& options, bool tiny, std::vector<ScopedBuffer>& into) {
  DrawScopedAt(choices, options, tiny, 0, into);
}

void DrawLimits(Choices& choices, const GenerateOptions& options, Kernel& kernel) {
  const bool option = Can(options, feature::kOption), limit = Can(options, feature::kLimit);
  // Neither, the option, the kernel's, both.
  const std::array<uint32_t, 4> shares = {4, option ? 4u : 0, limit ? 12u : 0, option && limit ? 4u : 0};
  const size_t which = choices.Weighted(shares);
  if (which & 1) kernel.option_kib = DrawOption(choices, kernel);
  if (which & 2) kernel.limit_bytes = DrawLimit(choices, kernel);
  if (which & 1 && choices.Chance(1, 8)) kernel.option_kib = -1;  // as if not given
  if (!Can(options, feature::kOddLimit)) {
    if (kernel.option_kib && *kernel.option_kib == 0) kernel.option_kib = 1;
    if (kernel.limit_bytes && *kernel.limit_bytes <= 0) kernel.limit_bytes = 1;
    if (kernel.option_kib == -1) kernel.option_kib.reset();
  } else if (choices.Chance(1, 32)) {
    if (kernel.option_kib && choices.Below(2) == 0) kernel.option_kib = 0;
    if (kernel.limit_bytes && choices.Below(2) == 0) kernel.limit_bytes = -static_cast<int64_t>(choices.Below(2));
  }
  if (kernel.option_kib == 0 && kernel.limit_bytes && !Can(options, feature::kOptionZero)) kernel.option_kib.reset();
  if (Can(options, feature::kOptionZero) && choices.Chance(1, 128)) {
    kernel.option_kib = 0;
    if (!kernel.limit_bytes || *kernel.limit_bytes <= 0) kernel.limit_bytes = 2 * kMiB;
  }
}

}  // namespace oomph::vmem
