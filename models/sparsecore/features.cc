// What a program asks for: see promises.h.
#include <algorithm>
#include <optional>

#include "models/base/units.h"
#include "models/sparsecore/promises.h"
#include "models/sparsecore/structure.h"

namespace oomph::sparsecore {
namespace {

constexpr uint64_t kLargeFrom = uint64_t{1} << 58;

bool IsSemaphore(Space space) { return space == Space::kSflagTile || space == Space::kSflagScs; }
bool IsSmem(Space space) { return space == Space::kSmemTile || space == Space::kSmemScs; }
bool IsOf(Core core, Space space) {
  if (space == Space::kSpmem || space == Space::kHbm) return true;
  const bool of_scalar = space == Space::kSmemScs || space == Space::kSflagScs;
  return of_scalar == (core == Core::kScalar);
}

Bits64 OfType(const Buffer& buffer) {
  using namespace feature;
  const uint8_t bits = hlo::RowOf(buffer.type).bits;
  if (IsSemaphore(buffer.space)) return buffer.type == Type::kS32 ? 0 : Bit(kOtherTypes);
  const bool whole = buffer.type == Type::kF32 || buffer.type == Type::kS32;
  if (whole) return 0;
  if (IsSmem(buffer.space) || !hlo::IsArrayType(buffer.type)) return Bit(kOtherTypes);
  if (buffer.type == Type::kPred) return Bit(kPred);
  switch (bits) {
    case 32: return 0;
    case 16:
    case 8: return Bit(kPacked);
    case 4: return Bit(kFourBits);
    default: return Bit(kOtherTypes);
  }
}

// By the compiler: "memref is not padded correctly", "DMA transfer sizes must be multiples of granule size (32)".
bool IsUnmoved(const Program& program, const Buffer& buffer) {
  if (buffer.space != Space::kHbm && buffer.space != Space::kSpmem) return false;
  const bool packed = buffer.type != Type::kPred && hlo::RowOf(buffer.type).bits < 32;
  return buffer.shape.empty() || (packed && buffer.space == Space::kHbm && program.tiling == Tiling::kCompact);
}

Bits64 OfBuffer(const Program& program, const Buffer& buffer) {
  using namespace feature;
  Bits64 bits = BitOf(buffer.space) | OfType(buffer);
  if (buffer.tile) bits |= Bit(kTiles);
  if (!IsOf(program.core, buffer.space)) bits |= Bit(kOtherCore);
  if (!buffer.place.empty() || !buffer.value.empty()) bits |= Bit(kPlaces);
  uint64_t elements = 1;
  for (const uint64_t n : buffer.shape) elements = SaturatingMul(elements, n);
  if (std::find(buffer.shape.begin(), buffer.shape.end(), 0) != buffer.shape.end()) bits |= Bit(kEmpty);
  // Packed ones too: what is large in elements is too large for every compiler's arithmetic of bits.
  if (elements >= kLargeFrom) bits |= Bit(kLarge);
  if (IsUnmoved(program, buffer)) bits |= Bit(kUnmoved);
  return bits;
}

Bits64 OfTrips(uint64_t trips) {
  using namespace feature;
  if (trips == kUnknownTrips) return Bit(kUntoldTrips);
  return trips < 2 ? Bit(kFewTrips) : 0;
}

// Statements that say nothing, as program.h has them.
bool MeansNothing(const Program& program, const Structure& structure, uint32_t i) {
  const Statement& statement = program.statements[i];
  switch (statement.kind) {
    case Kind::kScratch:
    case Kind::kAllocate: return statement.buffer >= structure.allocated.size() || structure.allocated[statement.buffer] != i;
    case Kind::kUse:
    case Kind::kLoad: return !structure.IsVisible(program, statement.buffer, i);
    case Kind::kCopy: return statement.buffer != kNoBuffer && !structure.IsVisible(program, statement.buffer, i);
    case Kind::kElse:
    case Kind::kEnd: return structure.partner[i] == kNowhere;
    default: return Opens(statement.kind) && structure.partner[i] == program.statements.size();
  }
}

// Of a memory that a later one speaks of, or of nothing.
bool HasIdleLimit(const std::vector<SpaceLimit>& limits) {
  for (size_t i = 0; i < limits.size(); ++i) {
    if (!limits[i].first_word && !limits[i].last_word) return true;
    for (size_t j = i + 1; j < limits.size(); ++j) {
      if (limits[i].space == limits[j].space) return true;
    }
  }
  return false;
}

Bits64 OfStatement(Kind kind) {
  using namespace feature;
  switch (kind) {
    case Kind::kScratch: return Bit(kScratch);
    case Kind::kScope: return Bit(kScopes);
    case Kind::kFor: return Bit(kFor);
    case Kind::kWhile: return Bit(kWhile);
    case Kind::kIf: return Bit(kIf);
    case Kind::kCopy: return Bit(kCopies);
    default: return 0;
  }
}

Bits64 OfStatements(const Program& program, const Structure& structure) {
  using namespace feature;
  Bits64 bits = 0;
  bool fresh = false;  // of a scope nothing but allocations stands before
  for (uint32_t i = 0; i < program.statements.size(); ++i) {
    const Statement& statement = program.statements[i];
    if (MeansNothing(program, structure, i)) {
      bits |= Bit(kOdd);
      if (statement.kind != Kind::kCopy && !Opens(statement.kind)) continue;
    }
    bits |= OfStatement(statement.kind);
    if (statement.kind == Kind::kFor) bits |= OfTrips(statement.trips);
    if (statement.kind == Kind::kCopy && !structure.IsVisible(program, statement.buffer, i)) bits |= Bit(kHbmCopies);
    if (statement.kind == Kind::kAllocate) {
      if (!fresh) bits |= Bit(kFlat);
      const Space space = program.buffers[statement.buffer].space;
      const bool shared = space == Space::kSpmem || space == Space::kHbm;
      if (program.core == Core::kVector && shared) bits |= Bit(kSharedInTile);
    } else {
      fresh = statement.kind == Kind::kScope;
    }
  }
  return bits;
}

}  // namespace

Bits64 FeaturesOf(const Program& program) {
  using namespace feature;
  Structure structure;
  FindStructure(program, structure);
  Bits64 bits = BitOf(program.target) | OfStatements(program, structure);
  if (program.core == Core::kScalar) bits |= Bit(kScalarCore);
  if (program.tiling == Tiling::kLinear) bits |= Bit(kLinear);
  if (program.tiling == Tiling::kNone) bits |= Bit(kPhysical);
  if (program.wording == Wording::kNumbered) bits |= Bit(kNumbered);
  if (!program.limits.empty()) bits |= Bit(kOwnLimits);
  if (HasIdleLimit(program.limits)) bits |= Bit(kOdd);
  std::vector<bool> touched(program.buffers.size(), false), loaded = touched;
  for (uint32_t i = 0; i < program.statements.size(); ++i) {
    const Statement& statement = program.statements[i];
    if (!structure.IsVisible(program, statement.buffer, i)) continue;
    if (statement.kind == Kind::kLoad) loaded[statement.buffer] = true;
    if (statement.kind == Kind::kUse || statement.kind == Kind::kCopy) touched[statement.buffer] = true;
  }
  for (size_t b = 0; b < program.buffers.size(); ++b) {
    if (structure.allocated[b] == kNowhere) {
      bits |= Bit(kOdd);
      continue;
    }
    bits |= OfBuffer(program, program.buffers[b]);
    if (!touched[b]) bits |= loaded[b] ? Bit(kLoads) : Bit(kUnused);
  }
  return bits;
}

}  // namespace oomph::sparsecore
