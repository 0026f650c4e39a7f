// See index_map.h.
#include "models/vmem/index_map.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "models/mlir/values.h"

namespace oomph::vmem {
namespace {

constexpr int64_t kFar = int64_t{1} << 40;  // beyond it nothing is computed: no grid is that large

// What is known of one value: terms and constant add up to it, unless it `varies` otherwise. low <= it <= high.
struct Known {
  std::map<uint32_t, int64_t> times;  // by grid dimension; no zeros
  std::vector<Term> others;           // each once
  int64_t constant = 0;
  std::vector<bool> axes;             // that it may depend on, where it varies otherwise
  bool varies = false;
  int64_t low = 0, high = 0;
  bool IsConstant() const { return !varies && times.empty() && others.empty(); }
  // The index of one grid dimension, bare.
  std::optional<uint32_t> Axis() const {
    if (varies || !others.empty() || constant != 0 || times.size() != 1 || times.begin()->second != 1) return std::nullopt;
    return times.begin()->first;
  }
};

Known Constant(int64_t value) {
  Known known;
  known.constant = known.low = known.high = value;
  return known;
}

bool Near(int64_t value) { return value > -kFar && value < kFar; }
bool Near(const Known& k) {
  const bool times = std::all_of(k.times.begin(), k.times.end(), [](const auto& entry) { return Near(entry.second); });
  return times && Near(k.low) && Near(k.high) && Near(k.constant);
}

class Evaluator {
 public:
  Evaluator(const mlir::Module& module, std::span<const GridDimension> grid)
      : module_(module), grid_(grid), known_(module.values.size()) {}

  IndexMap Run(const mlir::Operation& function) {
    IndexMap map;
    if (function.first_region == mlir::kNone) return Nothing();
    const mlir::Block& block = module_.blocks[module_.regions[function.first_region].first_block];
    DefineArguments(block);
    for (mlir::Index o = block.first_operation; o != mlir::kNone; o = module_.operations[o].next) {
      const mlir::Operation& operation = module_.operations[o];
      const std::string_view name = PlainName(operation);
      if (name == "func.return" || name == "return") {
        for (const mlir::Use& use : module_.Operands(operation)) map.places.push_back(PlaceOf(Of(use), map.exact));
        return map;
      }
      if (operation.results.count == 1) known_[operation.results.begin] = Evaluate(name, operation);
    }
    return Nothing();
  }

 private:
  static IndexMap Nothing() {
    IndexMap map;
    map.exact = false;
    return map;
  }

  void DefineArguments(const mlir::Block& block) {
    for (uint32_t i = 0; i < block.arguments.count; ++i) {
      Known known;
      if (i < grid_.size()) {
        known.times[i] = 1;
        known.high = grid_[i].dynamic ? kFar : static_cast<int64_t>(std::min<uint64_t>(grid_[i].size, kFar)) - 1;
        known.high = std::max<int64_t>(known.high, 0);
      } else {
        prefetched_[block.arguments.begin + i] = i - static_cast<uint32_t>(grid_.size());
        known = Varying({});
      }
      known_[block.arguments.begin + i] = known;
    }
  }

  Known Of(const mlir::Use& use) const {
    return use.value == mlir::kNone || !known_[use.value] ? Varying({}) : *known_[use.value];
  }

  std::vector<bool> AxesOf(const Known& known) const {
    std::vector<bool> axes = known.axes;
    axes.resize(grid_.size());
    for (const auto& [axis, times] : known.times) axes[axis] = true;
    for (const Term& term : known.others) axes[term.axis] = true;
    return axes;
  }

  // Of which no more is said than what it is made of.
  Known Varying(std::span<const Known> parts) const {
    Known known;
    known.varies = true;
    known.axes.resize(grid_.size());
    for (const Known& part : parts) {
      const std::vector<bool> axes = AxesOf(part);
      for (size_t i = 0; i < axes.size(); ++i) known.axes[i] = known.axes[i] || axes[i];
    }
    known.low = -kFar;
    known.high = kFar;
    return known;
  }

  Known Evaluate(std::string_view name, const mlir::Operation& operation) const {
    std::vector<Known> parts;
    for (const mlir::Use& use : module_.Operands(operation)) parts.push_back(Of(use));
    if (name == "arith.constant") {
      const auto value = mlir::Integer(module_.Find(operation, "value").value_or(""));
      return value && Near(*value) ? Constant(*value) : Varying({});
    }
    if (name == "memref.load" && !parts.empty()) return Load(operation, parts);
    std::optional<Known> made;
    if (parts.size() == 1) made = One(name, parts[0]);
    if (parts.size() == 2) made = Two(name, operation, parts[0], parts[1]);
    if (parts.size() == 3 && name == "arith.select") made = Select(parts[0], parts[1], parts[2]);
    return made && Near(*made) ? *made : Varying(parts);
  }

  Known Load(const mlir::Operation& operation, std::span<const Known> parts) const {
    const auto array = prefetched_.find(module_.Operands(operation)[0].value);
    const auto axis = parts.size() == 2 ? parts[1].Axis() : std::nullopt;
    if (array == prefetched_.end() || !axis) return Varying(parts);
    Known known;
    known.others.push_back({TermKind::kPrefetched, *axis, array->second});
    known.low = -kFar + 1;
    known.high = kFar - 1;
    return known;
  }

  static std::optional<Known> One(std::string_view name, const Known& a) {
    if (name == "arith.index_cast" || name == "arith.extsi" || name == "arith.extui" || name == "arith.trunci") return a;
    return std::nullopt;
  }

  std::optional<Known> Two(std::string_view name, const mlir::Operation& operation, const Known& a, const Known& b) const {
    if (name == "arith.addi") return Sum(a, b, 1);
    if (name == "arith.subi") return Sum(a, b, -1);
    if (name == "arith.muli") return b.IsConstant() ? Product(a, b.constant) : a.IsConstant() ? Product(b, a.constant) : std::nullopt;
    if (name == "arith.divsi" || name == "arith.divui" || name == "arith.floordivsi") return Divided(a, b);
    if (name == "arith.remsi" || name == "arith.remui") return Modulo(a, b);
    if (name == "arith.minsi" || name == "arith.minui") return AtMost(a, b);
    if (name == "arith.maxsi" || name == "arith.maxui") {
      if (a.low >= b.high) return a;
      if (b.low >= a.high) return b;
      return std::nullopt;
    }
    if (name == "arith.cmpi") {
      return Compare(mlir::Integer(module_.Find(operation, "predicate").value_or("")).value_or(-1), a, b);
    }
    return Logic(name, a, b);
  }

  static std::optional<Known> Sum(const Known& a, const Known& b, int64_t sign) {
    if (a.varies || b.varies || (sign < 0 && !b.others.empty())) return std::nullopt;
    Known sum = a;
    for (const auto& [axis, times] : b.times) {
      if ((sum.times[axis] += sign * times) == 0) sum.times.erase(axis);
    }
    sum.others.insert(sum.others.end(), b.others.begin(), b.others.end());
    sum.constant += sign * b.constant;
    sum.low += sign > 0 ? b.low : -b.high;
    sum.high += sign > 0 ? b.high : -b.low;
    if (sum.IsConstant()) return Constant(sum.constant);
    return sum;
  }

  static std::optional<Known> Product(const Known& a, int64_t factor) {
    if (factor == 0) return Constant(0);
    if (factor == 1) return a;
    if (a.varies || !a.others.empty()) return std::nullopt;
    Known product = a;
    for (int64_t* n : {&product.constant, &product.low, &product.high}) {
      if (__builtin_mul_overflow(*n, factor, n)) return std::nullopt;
    }
    for (auto& [axis, times] : product.times) {
      if (__builtin_mul_overflow(times, factor, &times)) return std::nullopt;
    }
    if (factor < 0) std::swap(product.low, product.high);
    return product;
  }

  static std::optional<Known> OfAxis(TermKind kind, const Known& a, int64_t amount, int64_t high) {
    const auto axis = a.Axis();
    if (!axis || amount < 0) return std::nullopt;
    Known known;
    known.others.push_back({kind, *axis, static_cast<uint64_t>(amount)});
    known.high = high;
    return known;
  }

  static std::optional<Known> Divided(const Known& a, const Known& b) {
    if (!b.IsConstant() || b.constant <= 0) return std::nullopt;
    if (b.constant == 1) return a;
    if (a.IsConstant() && a.constant >= 0) return Constant(a.constant / b.constant);
    return OfAxis(TermKind::kDivided, a, b.constant, a.high / b.constant);
  }
  static std::optional<Known> Modulo(const Known& a, const Known& b) {
    if (!b.IsConstant() || b.constant <= 0) return std::nullopt;
    if (b.constant == 1) return Constant(0);
    if (a.IsConstant() && a.constant >= 0) return Constant(a.constant % b.constant);
    return OfAxis(TermKind::kModulo, a, b.constant, std::min(a.high, b.constant - 1));
  }
  static std::optional<Known> AtMost(const Known& a, const Known& b) {
    if (a.IsConstant() && b.IsConstant()) return Constant(std::min(a.constant, b.constant));
    if (a.IsConstant()) return AtMost(b, a);
    if (!b.IsConstant()) return std::nullopt;
    return OfAxis(TermKind::kAtMost, a, b.constant, std::min(a.high, b.constant));
  }

  // The predicates of arith.cmpi: eq ne slt sle sgt sge.
  static std::optional<Known> Compare(int64_t predicate, const Known& a, const Known& b) {
    const bool below = a.high < b.low, above = a.low > b.high, equal = a.IsConstant() && b.IsConstant() && a.low == b.low;
    const bool at_most = a.high <= b.low, at_least = a.low >= b.high;
    switch (predicate) {
      case 0:
        return Decide(equal, below || above);
      case 1:
        return Decide(below || above, equal);
      case 2:
        return Decide(below, at_least);
      case 3:
        return Decide(at_most, above);
      case 4:
        return Decide(above, at_most);
      case 5:
        return Decide(at_least, below);
      default:
        return std::nullopt;
    }
  }
  static std::optional<Known> Decide(bool yes, bool no) {
    return yes ? std::optional(Constant(1)) : no ? std::optional(Constant(0)) : std::nullopt;
  }

  static std::optional<Known> Logic(std::string_view name, const Known& a, const Known& b) {
    const bool both = a.IsConstant() && b.IsConstant();
    if (name == "arith.andi" && ((a.IsConstant() && a.constant == 0) || (b.IsConstant() && b.constant == 0))) return Constant(0);
    if (name == "arith.andi" && both) return Constant(a.constant & b.constant);
    if (name == "arith.ori" && both) return Constant(a.constant | b.constant);
    if (name == "arith.xori" && both) return Constant(a.constant ^ b.constant);
    return std::nullopt;
  }

  std::optional<Known> Select(const Known& condition, const Known& yes, const Known& no) const {
    if (condition.IsConstant()) return condition.constant != 0 ? yes : no;
    // x // n rounds down: where x is below 0 and n does not divide it the quotient is one less. A grid index never is.
    const bool quotient = no.others.size() == 1 && no.others[0].kind == TermKind::kDivided && no.times.empty();
    if (!yes.varies && !no.varies && quotient && yes.others == no.others && yes.times == no.times &&
        yes.constant == no.constant - 1) {
      return no;
    }
    return std::nullopt;
  }

  Place PlaceOf(const Known& known, bool& exact) const {
    Place place;
    bool simple = !known.varies && known.constant >= 0;
    for (const auto& [axis, times] : known.times) simple = simple && times > 0;
    if (!simple) {
      exact = false;
      const std::vector<bool> axes = AxesOf(known);
      for (uint32_t i = 0; i < axes.size(); ++i) {
        if (axes[i]) place.push_back({TermKind::kTimes, i, 1});
      }
      return place;
    }
    for (const auto& [axis, times] : known.times) place.push_back({TermKind::kTimes, axis, static_cast<uint64_t>(times)});
    place.insert(place.end(), known.others.begin(), known.others.end());
    if (known.constant > 0) place.push_back({TermKind::kConstant, 0, static_cast<uint64_t>(known.constant)});
    return place;
  }

  const mlir::Module& module_;
  const std::span<const GridDimension> grid_;
  std::vector<std::optional<Known>> known_;        // by value
  std::map<mlir::Index, uint32_t> prefetched_;     // by value: which array
};

}  // namespace

std::string_view PlainName(const mlir::Operation& operation) {
  constexpr std::string_view kStable = "stable_mosaic.";
  std::string_view name = operation.name;
  if (name.starts_with(kStable)) name.remove_prefix(kStable.size());
  return name;
}

IndexMap ReadIndexMap(const mlir::Module& module, const mlir::Operation& function, std::span<const GridDimension> grid) {
  return Evaluator(module, grid).Run(function);
}

}  // namespace oomph::vmem
