// See reduce.h. Every edit makes a kernel simpler in this order: fewer buffers, fewer features, fewer grid dimensions, terms and
// dimensions, smaller blocks, buffers and numbers, then smaller arrays and limits; an array may grow when its block shrinks.
#include "models/vmem/reduce.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "models/base/family.h"
#include "models/base/rows.h"
#include "models/base/units.h"
#include "models/vmem/allocator.h"
#include "models/vmem/compilable.h"
#include "models/vmem/promises.h"

namespace oomph::vmem {
namespace {

using Amounts = std::span<const uint64_t>;
using List = std::unique_ptr<Edits> (*)(const Kernel&);

// Edits that are each a place in the kernel and what to do there, by an amount.
template <typename Place>
struct Places {
  std::vector<Place> places;
  std::vector<uint64_t> most;
  void Add(Place place, uint64_t amount = 1) {
    if (amount > 0) places.push_back(std::move(place)), most.push_back(amount);
  }
};

// What needs a feature that the base does not have is no edit: its subject may not have it. `change` sees the places in order.
template <typename Place, typename Change>
std::unique_ptr<Edits> AtPlaces(const Kernel& base, Places<Place> list, Change change) {
  const Bits64 allowed = FeaturesOf(base);
  return EditsOn(base, std::move(list.most),
                 [places = std::move(list.places), change, allowed](const Kernel& from, Amounts amounts, Kernel& into) {
                   into = from;
                   for (size_t i = 0; i < places.size(); ++i) {
                     if (amounts[i] > 0 && !change(places[i], amounts[i], into)) return false;
                   }
                   return !(into == from) && (FeaturesOf(into) & ~allowed) == 0;
                 });
}

// And the limit goes down by what the kernel needs less: what was just over it stays so.
template <typename Change>
auto WithLimit(Change change) {
  return [change](const auto& place, uint64_t amount, Kernel& into) {
    const uint64_t before = NeedOf(into).total;
    if (!into.limit_bytes || !change(place, amount, into)) return false;
    const std::optional<uint64_t> less = CheckedSub(before, NeedOf(into).total);
    if (!less || *less == 0 || *into.limit_bytes < 0 || *less > static_cast<uint64_t>(*into.limit_bytes)) return false;
    *into.limit_bytes -= static_cast<int64_t>(*less);
    return true;
  };
}

enum class Kind : uint8_t { kInput, kOutput, kScratch, kScoped, kPrefetched };
struct Spot {
  Kind kind = Kind::kInput;
  size_t index = 0;
};

// Last first, so that those before keep their numbers.
Places<Spot> EachSpot(const Kernel& kernel) {
  Places<Spot> list;
  const auto add = [&](Kind kind, size_t count) {
    for (size_t i = count; i-- > 0;) list.Add({kind, i});
  };
  add(Kind::kScoped, kernel.scoped.size());
  add(Kind::kScratch, kernel.scratch.size());
  add(Kind::kOutput, kernel.outputs.size());
  add(Kind::kInput, kernel.inputs.size());
  add(Kind::kPrefetched, kernel.prefetched.size());
  return list;
}

bool IsOperand(Kind kind) { return kind == Kind::kInput || kind == Kind::kOutput; }
Operand& OperandAt(Spot spot, Kernel& kernel) {
  return (spot.kind == Kind::kInput ? kernel.inputs : kernel.outputs)[spot.index];
}
const Operand& OperandAt(Spot spot, const Kernel& kernel) {
  return (spot.kind == Kind::kInput ? kernel.inputs : kernel.outputs)[spot.index];
}
Buffer& BufferAt(Spot spot, Kernel& kernel) {
  if (spot.kind == Kind::kScoped) return kernel.scoped[spot.index].buffer;
  return (spot.kind == Kind::kScratch ? kernel.scratch : kernel.prefetched)[spot.index];
}
const Buffer& BufferAt(Spot spot, const Kernel& kernel) { return BufferAt(spot, const_cast<Kernel&>(kernel)); }

// ---- Buffers ----

bool DropAt(const Spot& spot, uint64_t, Kernel& kernel) {
  const auto erase = [&](auto& list) {
    list.erase(list.begin() + static_cast<ptrdiff_t>(spot.index));
    return true;
  };
  switch (spot.kind) {
    case Kind::kInput: return erase(kernel.inputs);
    case Kind::kOutput: return erase(kernel.outputs);
    case Kind::kScratch: return erase(kernel.scratch);
    case Kind::kPrefetched: return erase(kernel.prefetched);
    case Kind::kScoped: break;
  }
  // What was inside it comes up.
  const uint32_t depth = kernel.scoped[spot.index].depth;
  erase(kernel.scoped);
  for (size_t i = spot.index; i < kernel.scoped.size() && kernel.scoped[i].depth > depth; ++i) --kernel.scoped[i].depth;
  return true;
}
std::unique_ptr<Edits> DropBuffers(const Kernel& base) { return AtPlaces(base, EachSpot(base), DropAt); }
std::unique_ptr<Edits> DropWithLimit(const Kernel& base) { return AtPlaces(base, EachSpot(base), WithLimit(DropAt)); }

// ---- Features ----

enum class Feature : uint8_t {
  kOption, kLimit, kSemantics, kDynamic, kPrefetched, kInternal, kBody, kBuffers, kInVmem, kFused, kSpace, kElements, kSqueezed
};

bool IsOneOf(Feature feature, const Kernel& kernel) {
  switch (feature) {
    case Feature::kOption: return kernel.option_kib.has_value();
    case Feature::kLimit: return kernel.limit_bytes.has_value();
    case Feature::kInternal: return kernel.internal_bytes != 0;
    case Feature::kBody: return kernel.body != Body::kCopies;
    case Feature::kSemantics:
      return std::any_of(kernel.grid.begin(), kernel.grid.end(), [](const auto& d) { return d.semantics != Semantics::kNone; });
    case Feature::kDynamic: return std::any_of(kernel.grid.begin(), kernel.grid.end(), [](const auto& d) { return d.dynamic; });
    default: return false;
  }
}
bool HasKind(const Operand& operand, BlockKind kind) {
  return std::any_of(operand.block.begin(), operand.block.end(), [kind](const auto& d) { return d.kind == kind; });
}
bool Has(Feature feature, const Operand& operand) {
  switch (feature) {
    case Feature::kBuffers: return operand.buffers != 0;
    case Feature::kInVmem: return operand.in_vmem;
    case Feature::kFused: return operand.fused;
    case Feature::kSpace: return operand.space != Space::kVmem;
    case Feature::kElements: return HasKind(operand, BlockKind::kElement);
    case Feature::kSqueezed: return HasKind(operand, BlockKind::kSqueezed);
    default: return false;
  }
}
void DropFeature(Feature feature, Kernel& kernel) {
  switch (feature) {
    case Feature::kOption: return kernel.option_kib.reset();
    case Feature::kLimit: return kernel.limit_bytes.reset();
    case Feature::kInternal: kernel.internal_bytes = 0; return;
    case Feature::kBody: kernel.body = Body::kCopies; return;
    case Feature::kSemantics:
      for (GridDimension& dimension : kernel.grid) dimension.semantics = Semantics::kNone;
      return;
    case Feature::kDynamic:
      for (GridDimension& dimension : kernel.grid) dimension.dynamic = false;
      return;
    default: return;
  }
}
void DropFeature(Feature feature, Operand& operand) {
  const auto to_blocked = [&](BlockKind kind) {
    for (BlockDimension& dimension : operand.block) {
      if (dimension.kind == kind) dimension = {BlockKind::kBlocked, kind == BlockKind::kSqueezed ? 1 : dimension.size};
    }
  };
  switch (feature) {
    case Feature::kBuffers: operand.buffers = 0; return;
    case Feature::kInVmem: operand.in_vmem = false; return;
    case Feature::kFused: operand.fused = false; return;
    case Feature::kSpace: operand.space = Space::kVmem; return;
    case Feature::kElements: return to_blocked(BlockKind::kElement);
    case Feature::kSqueezed: return to_blocked(BlockKind::kSqueezed);
    default: return;
  }
}

struct FeatureSpot {
  Feature feature;
  std::optional<Spot> operand;
};
std::unique_ptr<Edits> DropFeatures(const Kernel& base) {
  Places<FeatureSpot> list;
  for (const Feature feature : {Feature::kOption, Feature::kLimit, Feature::kSemantics, Feature::kDynamic, Feature::kInternal, Feature::kBody}) {
    if (IsOneOf(feature, base)) list.Add({feature, std::nullopt});
  }
  for (const Spot& spot : EachSpot(base).places) {
    if (!IsOperand(spot.kind)) continue;
    for (const Feature feature : {Feature::kBuffers, Feature::kInVmem, Feature::kFused, Feature::kSpace, Feature::kElements, Feature::kSqueezed}) {
      if (Has(feature, OperandAt(spot, base))) list.Add({feature, spot});
    }
  }
  return AtPlaces(base, std::move(list), [](const FeatureSpot& spot, uint64_t, Kernel& into) {
    if (spot.operand) {
      DropFeature(spot.feature, OperandAt(*spot.operand, into));
    } else {
      DropFeature(spot.feature, into);
    }
    return true;
  });
}

// Single words of the grid.
std::unique_ptr<Edits> SimplifyGrid(const Kernel& base) {
  struct Place {
    size_t dimension;
    bool dynamic;
  };
  Places<Place> list;
  for (size_t i = base.grid.size(); i-- > 0;) {
    if (base.grid[i].dynamic) list.Add({i, true});
    if (base.grid[i].semantics > Semantics::kArbitrary) list.Add({i, false});
  }
  return AtPlaces(base, std::move(list), [](const Place& place, uint64_t, Kernel& into) {
    GridDimension& dimension = into.grid[place.dimension];
    place.dynamic ? void(dimension.dynamic = false) : void(dimension.semantics = Semantics::kArbitrary);
    return true;
  });
}

// The simplest of as many bits.
Type SimplerType(Type type) {
  switch (hlo::RowOf(type).bits) {
    case 32: return Type::kF32;
    case 16: return Type::kBf16;
    case 8: return type == Type::kPred ? type : Type::kS8;
    case 4: return Type::kS4;
    case 2: return Type::kS2;
    default: return type;
  }
}
std::unique_ptr<Edits> SimplifyTypes(const Kernel& base) {
  struct Place {
    Spot spot;
    Type type;
  };
  Places<Place> list;
  for (const Spot& spot : EachSpot(base).places) {
    const Type type = IsOperand(spot.kind) ? OperandAt(spot, base).type : BufferAt(spot, base).type;
    if (type == Type::kF32 || spot.kind == Kind::kPrefetched) continue;
    if (SimplerType(type) != type) list.Add({spot, SimplerType(type)});
    list.Add({spot, Type::kF32});
  }
  return AtPlaces(base, std::move(list), [](const Place& place, uint64_t, Kernel& into) {
    Type& type = IsOperand(place.spot.kind) ? OperandAt(place.spot, into).type : BufferAt(place.spot, into).type;
    const bool simpler = type != Type::kF32 && (place.type == Type::kF32 || SimplerType(type) == place.type);
    type = place.type;
    return simpler;
  });
}

// ---- Dimensions ----

template <typename F>
void EachTerm(Kernel& kernel, F f) {
  for (std::vector<Operand>* operands : {&kernel.inputs, &kernel.outputs}) {
    for (Operand& operand : *operands) {
      for (Place& place : operand.map) f(place);
    }
  }
}

// A grid dimension goes, with the terms that name it.
std::unique_ptr<Edits> DropGridDimensions(const Kernel& base) {
  Places<size_t> list;
  for (size_t i = base.grid.size(); i-- > 0;) list.Add(i);
  return AtPlaces(base, std::move(list), [](size_t dimension, uint64_t, Kernel& into) {
    into.grid.erase(into.grid.begin() + static_cast<ptrdiff_t>(dimension));
    EachTerm(into, [&](Place& place) {
      std::erase_if(place, [&](const Term& term) { return term.kind != TermKind::kConstant && term.axis == dimension; });
      for (Term& term : place) term.axis -= term.axis > dimension;
    });
    return true;
  });
}

struct TermSpot {
  Spot operand;
  size_t place, term;
};
Places<TermSpot> EachTermSpot(const Kernel& base) {
  Places<TermSpot> list;
  for (const Spot& spot : EachSpot(base).places) {
    if (!IsOperand(spot.kind)) continue;
    const Operand& operand = OperandAt(spot, base);
    for (size_t p = operand.map.size(); p-- > 0;) {
      for (size_t t = operand.map[p].size(); t-- > 0;) list.Add({spot, p, t});
    }
  }
  return list;
}
bool DropTermAt(const TermSpot& spot, uint64_t, Kernel& into) {
  Place& place = OperandAt(spot.operand, into).map[spot.place];
  place.erase(place.begin() + static_cast<ptrdiff_t>(spot.term));
  return true;
}
std::unique_ptr<Edits> DropTerms(const Kernel& base) { return AtPlaces(base, EachTermSpot(base), DropTermAt); }
std::unique_ptr<Edits> DropTermsWithLimit(const Kernel& base) { return AtPlaces(base, EachTermSpot(base), WithLimit(DropTermAt)); }

// i for i*3, i//2 and the like.
std::unique_ptr<Edits> SimplifyTerms(const Kernel& base) {
  Places<TermSpot> list;
  for (const TermSpot& spot : EachTermSpot(base).places) {
    const Term& term = OperandAt(spot.operand, base).map[spot.place][spot.term];
    if (term.kind > TermKind::kTimes) list.Add(spot);
  }
  return AtPlaces(base, std::move(list), [](const TermSpot& spot, uint64_t, Kernel& into) {
    Term& term = OperandAt(spot.operand, into).map[spot.place][spot.term];
    term = {TermKind::kTimes, term.axis, 1};
    return true;
  });
}

struct DimensionSpot {
  Spot spot;
  size_t dimension;
};
// The leading ones; last first.
Places<DimensionSpot> EachLeading(const Kernel& base) {
  Places<DimensionSpot> list;
  for (const Spot& spot : EachSpot(base).places) {
    const size_t rank = IsOperand(spot.kind) ? OperandAt(spot, base).array.size() : BufferAt(spot, base).shape.size();
    for (size_t d = rank > 1 ? rank - 1 : 0; d-- > 0;) list.Add({spot, d});
  }
  return list;
}
// An array keeps its elements, so that what VMEM could not hold it still cannot.
bool DropDimensionAt(const DimensionSpot& spot, uint64_t, Kernel& into) {
  const auto erase = [&](auto& list) {
    if (spot.dimension < list.size()) list.erase(list.begin() + static_cast<ptrdiff_t>(spot.dimension));
  };
  if (!IsOperand(spot.spot.kind)) {
    erase(BufferAt(spot.spot, into).shape);
    return true;
  }
  Operand& operand = OperandAt(spot.spot, into);
  const bool compilable = IsCompilable(into), moved = MayBeMoved(into, operand);
  const size_t rank = operand.array.size();
  erase(operand.array), erase(operand.block), erase(operand.map);
  if (compilable && !moved && operand.space == Space::kVmem && !operand.block.empty()) {
    MakeCompilable(into.grid, ArraySize::kLarge, operand);
    return operand.array.size() < rank;
  }
  return true;
}
std::unique_ptr<Edits> DropDimensions(const Kernel& base) { return AtPlaces(base, EachLeading(base), DropDimensionAt); }
std::unique_ptr<Edits> DropDimensionsWithLimit(const Kernel& base) {
  return AtPlaces(base, EachLeading(base), WithLimit(DropDimensionAt));
}

// ---- Numbers ----

enum class Number : uint8_t { kGrid, kBlock, kShape, kTerm, kInternal };
struct NumberSpot {
  Number number;
  Spot spot = {};
  size_t dimension = 0, term = 0;
};
Places<NumberSpot> EachNumber(const Kernel& base) {
  Places<NumberSpot> list;
  for (const Spot& spot : EachSpot(base).places) {
    if (!IsOperand(spot.kind)) {
      const std::vector<uint64_t>& shape = BufferAt(spot, base).shape;
      for (size_t d = 0; d < shape.size(); ++d) list.Add({Number::kShape, spot, d}, SaturatingSub(shape[d], 1));
      continue;
    }
    const Operand& operand = OperandAt(spot, base);
    for (size_t d = 0; d < operand.block.size(); ++d) {
      if (operand.block[d].kind != BlockKind::kSqueezed) {
        list.Add({Number::kBlock, spot, d}, SaturatingSub(operand.block[d].size, 1));
      }
    }
  }
  for (const TermSpot& spot : EachTermSpot(base).places) {
    const uint64_t amount = OperandAt(spot.operand, base).map[spot.place][spot.term].amount;
    list.Add({Number::kTerm, spot.operand, spot.place, spot.term}, amount);
  }
  for (size_t i = base.grid.size(); i-- > 0;) list.Add({Number::kGrid, {}, i}, SaturatingSub(base.grid[i].size, 1));
  list.Add({Number::kInternal}, base.internal_bytes);
  return list;
}

bool LowerBlock(Operand& operand, size_t dimension, uint64_t by, Kernel& into) {
  const bool compilable = IsCompilable(into), moved = MayBeMoved(into, operand);
  const size_t rank = operand.block.size();
  uint64_t& size = operand.block[dimension].size;
  const uint64_t before = size;
  const uint64_t unit = rank == 1 ? 1024 : dimension + 1 == rank ? 128 : dimension + 2 == rank ? 8 : 1;
  if (compilable && size % unit == 0 && size - by > unit) {
    size = std::max(unit, RoundDown(size - by, unit));
  } else {
    size -= by;
  }
  if (!compilable) return size < before;
  MakeCompilable(into.grid, moved ? ArraySize::kSmall : ArraySize::kLarge, operand);
  return operand.block.size() == rank && operand.block[dimension].size < before;
}
bool LowerAt(const NumberSpot& spot, uint64_t by, Kernel& into) {
  switch (spot.number) {
    case Number::kGrid:
      into.grid[spot.dimension].size -= by;
      return true;
    case Number::kInternal:
      into.internal_bytes -= by;
      return true;
    case Number::kTerm: {  // a smaller block, made before, may have taken it along
      Operand& operand = OperandAt(spot.spot, into);
      if (spot.dimension >= operand.map.size() || spot.term >= operand.map[spot.dimension].size()) return false;
      uint64_t& amount = operand.map[spot.dimension][spot.term].amount;
      if (amount < by) return false;
      amount -= by;
      return true;
    }
    case Number::kShape:
      BufferAt(spot.spot, into).shape[spot.dimension] -= by;
      return true;
    case Number::kBlock: return LowerBlock(OperandAt(spot.spot, into), spot.dimension, by, into);
  }
  return false;
}
std::unique_ptr<Edits> LowerNumbers(const Kernel& base) { return AtPlaces(base, EachNumber(base), LowerAt); }
std::unique_ptr<Edits> LowerWithLimit(const Kernel& base) { return AtPlaces(base, EachNumber(base), WithLimit(LowerAt)); }

// Arrays of other forms: as small as their map allows, or just too large for VMEM.
std::unique_ptr<Edits> FitArrays(const Kernel& base) {
  Places<Spot> list;
  for (const Spot& spot : EachSpot(base).places) {
    if (IsOperand(spot.kind) && !OperandAt(spot, base).block.empty()) list.Add(spot);
  }
  return AtPlaces(base, std::move(list), [](const Spot& spot, uint64_t, Kernel& into) {
    Operand& operand = OperandAt(spot, into);
    const bool moved = MayBeMoved(into, operand);
    const Operand before = operand;
    MakeCompilable(into.grid, moved ? ArraySize::kSmall : ArraySize::kLarge, operand);
    const auto sum = [](const std::vector<uint64_t>& array) {
      uint64_t total = 0;
      for (const uint64_t n : array) total = SaturatingAdd(total, n);
      return total;
    };
    return operand.block == before.block && operand.map == before.map && sum(operand.array) < sum(before.array);
  });
}

// Single dimensions of arrays; limits.
std::unique_ptr<Edits> LowerSizes(const Kernel& base) {
  enum class What : uint8_t { kArray, kLimit, kOption };
  struct Place {
    What what;
    Spot spot;
    size_t dimension;
  };
  Places<Place> list;
  for (const Spot& spot : EachSpot(base).places) {
    if (!IsOperand(spot.kind)) continue;
    const std::vector<uint64_t>& array = OperandAt(spot, base).array;
    for (size_t d = 0; d < array.size(); ++d) list.Add({What::kArray, spot, d}, SaturatingSub(array[d], 1));
  }
  const auto above_zero = [](int64_t n) { return static_cast<uint64_t>(std::max<int64_t>(n, 0)); };
  if (base.limit_bytes) list.Add({What::kLimit, {}, 0}, above_zero(*base.limit_bytes));
  if (base.option_kib) list.Add({What::kOption, {}, 0}, above_zero(*base.option_kib));
  return AtPlaces(base, std::move(list), [](const Place& place, uint64_t by, Kernel& into) {
    if (place.what == What::kArray) OperandAt(place.spot, into).array[place.dimension] -= by;
    if (place.what == What::kLimit) *into.limit_bytes -= static_cast<int64_t>(by);
    if (place.what == What::kOption) *into.option_kib -= static_cast<int64_t>(by);
    return true;
  });
}

// ---- The table ----

struct Row {
  ReductionInfo info;
  List list;
};
// Those that take buffers away are settled first.
constexpr Row kRows[] = {
    {{"drop_buffers", "buffer", "operands, scratch and scoped buffers go, the last first", false, true}, DropBuffers},
    {{"drop_with_limit", "buffer", "a buffer goes, and the limit is lower by it", false, true}, DropWithLimit},
    {{"drop_features", "feature", "no option, limit, semantics, buffering, ..."}, DropFeatures},
    {{"drop_grid_dimensions", "grid dimension", "a grid has fewer dimensions"}, DropGridDimensions},
    {{"drop_terms", "term", "index maps have fewer terms"}, DropTerms},
    {{"drop_terms_with_limit", "term", "a term goes, and the limit is lower by what it took"}, DropTermsWithLimit},
    {{"drop_dimensions", "dimension", "blocks and buffers have fewer leading dimensions"}, DropDimensions},
    {{"drop_dimensions_with_limit", "dimension", "a dimension goes, and the limit is lower by what it took"}, DropDimensionsWithLimit},
    {{"simplify_grid", "word", "a grid dimension is neither dynamic nor parallel"}, SimplifyGrid},
    {{"simplify_types", "type", "another type of as many bits, or f32"}, SimplifyTypes},
    {{"simplify_terms", "term", "the grid index in place of what is computed from it"}, SimplifyTerms},
    {{"lower_numbers", "number", "blocks, buffers and grids are smaller"}, LowerNumbers},
    {{"lower_with_limit", "number", "a block or buffer is smaller, and the limit by as many bytes"}, LowerWithLimit},
    {{"fit_arrays", "array", "arrays are no larger than they must be"}, FitArrays},
    {{"lower_sizes", "size", "arrays and limits are smaller"}, LowerSizes},
};

}  // namespace

std::span<const ReductionInfo> KernelReductions() {
  static const auto infos = InfosOf(std::span<const Row>(kRows));
  return infos;
}

std::unique_ptr<Edits> KernelEditsOf(size_t reduction, const Kernel& base) { return kRows[reduction].list(base); }

Fingerprint FingerprintOfKernel(const Kernel& kernel) {
  Fingerprinter print;
  const auto add = [&](const std::optional<int64_t>& number) {
    print.Add(uint64_t{number.has_value()});
    print.Add(static_cast<uint64_t>(number.value_or(0)));
  };
  const auto add_shape = [&](Type type, const std::vector<uint64_t>& shape) {
    print.Add(static_cast<uint64_t>(type) << 32 | shape.size());
    for (const uint64_t n : shape) print.Add(n);
  };
  const auto add_buffers = [&](const std::vector<Buffer>& buffers) {
    print.Add(buffers.size());
    for (const Buffer& buffer : buffers) add_shape(buffer.type, buffer.shape);
  };
  print.Add(static_cast<uint64_t>(kernel.target) << 8 | static_cast<uint64_t>(kernel.body));
  add(kernel.option_kib);
  add(kernel.limit_bytes);
  print.Add(kernel.internal_bytes);
  print.Add(kernel.grid.size());
  for (const GridDimension& d : kernel.grid) {
    print.Add(d.size);
    print.Add(uint64_t{d.dynamic} << 8 | static_cast<uint64_t>(d.semantics));
  }
  for (const std::vector<Operand>* operands : {&kernel.inputs, &kernel.outputs}) {
    print.Add(operands->size());
    for (const Operand& operand : *operands) {
      add_shape(operand.type, operand.array);
      print.Add(uint64_t{operand.buffers} << 8 | static_cast<uint64_t>(operand.space) << 2 | uint64_t{operand.in_vmem} << 1 |
                uint64_t{operand.fused});
      print.Add(operand.block.size());
      for (const BlockDimension& d : operand.block) print.Add(static_cast<uint64_t>(d.kind)), print.Add(d.size);
      print.Add(operand.map.size());
      for (const Place& place : operand.map) {
        print.Add(place.size());
        for (const Term& term : place) print.Add(static_cast<uint64_t>(term.kind) << 32 | term.axis), print.Add(term.amount);
      }
    }
  }
  add_buffers(kernel.prefetched);
  add_buffers(kernel.scratch);
  print.Add(kernel.scoped.size());
  for (const ScopedBuffer& scoped : kernel.scoped) print.Add(scoped.depth), add_shape(scoped.buffer.type, scoped.buffer.shape);
  return print.Get();
}

}  // namespace oomph::vmem
