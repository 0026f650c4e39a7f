// See results.h. Rules that concern many operations stand at the helpers, others at their case.
#include "models/hlo/results.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "models/hlo/float_format.h"
#include "models/hlo/inputs.h"
#include "models/hlo/text.h"

namespace oomph::hlo {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
using Leaves = std::vector<Trust>;

bool IsComplexType(Type type) { return type == Type::kC64 || type == Type::kC128; }
bool IsUnsignedType(Type type) { return type == Type::kPred || (type >= Type::kU1 && type <= Type::kU64); }
bool IsWholeType(Type type) { return type <= Type::kU64; }  // pred, and integers

const FloatFormat* FloatOf(Type type) {
  return FormatOf(type == Type::kC64 ? Type::kF32 : type == Type::kC128 ? Type::kF64 : type);
}

Trust Join(const Trust& a, const Trust& b) {
  Trust joined;
  joined.kind = std::max(a.kind, b.kind);
  joined.moved = a.moved && b.moved;
  joined.whole = a.whole && b.whole;
  joined.odd = a.odd || b.odd;
  joined.nan = a.nan || b.nan;
  joined.error = std::max(a.error, b.error);
  joined.low = std::min(a.low, b.low);
  joined.high = std::max(a.high, b.high);
  return joined;
}

Trust Exact(double low = -kInfinite, double high = kInfinite, bool whole = false) {
  Trust trust;
  trust.kind = TrustKind::kExact;
  trust.whole = whole;
  trust.low = low;
  trust.high = high;
  return trust;
}

bool IsExact(const Trust& trust) { return trust.kind == TrustKind::kExact; }

// Up to 2^(mantissa + 1) each whole number is one of the type. f8e8m0fnu has powers of two only.
bool HoldsWhole(Type type, double high) {
  const FloatFormat* format = FloatOf(type);
  return format != nullptr && format->sign && high <= format->mantissa + 1 && std::exp2(high) <= Largest(*format);
}

// After `steps` roundings to nearest of numbers in this range. Nothing is known of what may over- or underflow on the way
// more than once: some round after each step, some compute a chain in a wider type (XLA's excess precision), and flush
// denormals or not.
Trust Rounded(Type type, double error, double low, double high, bool first, bool nan) {
  const FloatFormat* format = FloatOf(type);
  if (format == nullptr) return {};
  const bool safe = low > std::log2(SmallestNormal(*format)) + 1 && high < std::log2(Largest(*format)) - 1;
  if (!first && !safe) return {};
  Trust trust = Exact(low, high);
  trust.nan = nan || !safe;
  trust.kind = TrustKind::kClose;
  trust.error = error;
  return trust;
}

double Rounding(Type type) {
  const FloatFormat* format = FloatOf(type);
  return format == nullptr ? kInfinite : HalfPlace(*format);
}

struct Combination {
  std::vector<Opcode> of;  // of each result; empty: another computation than element-wise ones
};

// ---- Following values ----

class Follower {
 public:
  Follower(const Module& module, InputKind kind) : module_(module), kind_(kind) {}

  Leaves OfEntry() {
    const Computation& entry = module_.computations[module_.entry];
    std::vector<Leaves> arguments;
    for (const Instruction& instruction : entry.instructions) {
      if (instruction.opcode != Opcode::kParameter) continue;
      if (arguments.size() <= instruction.payload) arguments.resize(instruction.payload + 1);
      for (const ShapeId leaf : LeavesOf(module_.shapes, instruction.shape))
        arguments[instruction.payload].push_back(OfArgument(leaf));
    }
    return Follow(module_.entry, arguments);
  }

 private:
  Type TypeOf(ShapeId leaf) const { return module_.shapes[leaf].type; }
  double Elements(ShapeId shape) const {
    double product = 1;
    for (const Dimension& dimension : module_.shapes.Dimensions(shape)) product *= static_cast<double>(dimension.size);
    return product;
  }

  Trust OfArgument(ShapeId leaf) const {
    Trust trust = Exact();
    trust.moved = true;
    if (kind_ == InputKind::kSmall) {
      trust.low = 0;
      trust.high = std::log2(kSmallInput);
      trust.whole = true;
    } else {
      trust.whole = IsWholeType(TypeOf(leaf));
      trust.nan = !trust.whole;
    }
    return trust;
  }

  Trust OfConstant(const Instruction& instruction) const {
    Trust trust = Exact();
    trust.moved = true;
    const Type type = TypeOf(instruction.shape);
    trust.whole = IsWholeType(type);
    if (trust.whole && type == Type::kPred) return trust.high = 0, trust.low = 0, trust;
    const std::string text(module_.strings[instruction.payload]);
    double low = kInfinite, high = -kInfinite;
    bool whole = true;
    for (size_t i = 0; i < text.size();) {
      if (std::strchr("{}(), \t\n", text[i]) != nullptr) {
        ++i;
        continue;
      }
      if (text[i] == '/') {  // a comment: where in the array
        i = std::min(text.find("*/", i), text.size() - 2) + 2;
        continue;
      }
      char* end = nullptr;
      const double value = std::strtod(text.c_str() + i, &end);
      if (end == text.c_str() + i) return trust.odd = trust.nan = !trust.whole, trust;  // nan and such
      i = static_cast<size_t>(end - text.c_str());
      if (i < text.size() && std::strchr("{}(), \t\n/", text[i]) == nullptr)
        return trust.odd = trust.nan = !trust.whole, trust;
      if (value == 0) continue;
      if (!std::isfinite(value)) return trust.odd = trust.nan = !trust.whole, trust;
      whole = whole && value == std::floor(value);
      low = std::min(low, std::log2(std::fabs(value)));
      high = std::max(high, std::log2(std::fabs(value)));
    }
    if (high == -kInfinite) low = high = 0;  // zeros alone
    const FloatFormat* format = FloatOf(type);
    if (format != nullptr && low < std::log2(SmallestNormal(*format))) trust.odd = true;
    trust.whole = trust.whole || (whole && HoldsWhole(type, high));
    trust.low = low;
    trust.high = high;
    return trust;
  }

  Leaves Follow(uint32_t computation_id, const std::vector<Leaves>& arguments) {
    const Computation& computation = module_.computations[computation_id];
    std::vector<Leaves> trusts(computation.instructions.size());
    for (size_t i = 0; i < computation.instructions.size(); ++i) {
      const Instruction& instruction = computation.instructions[i];
      std::vector<const Leaves*> operands;
      for (const uint32_t operand : module_.Operands(instruction)) operands.push_back(&trusts[operand]);
      const std::vector<ShapeId> leaves = LeavesOf(module_.shapes, instruction.shape);
      if (instruction.opcode == Opcode::kParameter) {
        if (instruction.payload < arguments.size()) trusts[i] = arguments[instruction.payload];
      } else {
        trusts[i] = Of(computation, instruction, operands);
      }
      trusts[i].resize(leaves.size());
    }
    return trusts[computation.root];
  }

  // ---- What one operation makes of it ----

  Leaves Of(const Computation& computation, const Instruction& instruction,
            const std::vector<const Leaves*>& operands) {
    const Type type = TypeOf(instruction.shape);
    const auto first = [&](size_t i) {
      return i < operands.size() && !operands[i]->empty() ? (*operands[i])[0] : Trust();
    };
    const auto shape = [&](size_t i) { return computation.instructions[module_.Operands(instruction)[i]].shape; };
    // From this operand on all are exact: indices.
    const auto exact_from = [&](size_t i) {
      for (; i < operands.size(); ++i) {
        for (const Trust& trust : *operands[i]) {
          if (!IsExact(trust)) return false;
        }
      }
      return true;
    };
    switch (instruction.opcode) {
      // -- data as it is --
      case Opcode::kBroadcast:
      case Opcode::kReshape:
      case Opcode::kTranspose:
      case Opcode::kReverse:
      case Opcode::kCopy:
      case Opcode::kSlice:
      case Opcode::kCopyDone:
      case Opcode::kDomain:
      case Opcode::kOptBarrier:
        return *operands[0];
      case Opcode::kBitcast:
        // Another order of the same bytes: what that is depends on layouts, which compilers choose anew.
        if (TypeOf(shape(0)) != type || !IsPlain(shape(0)) || !IsPlain(instruction.shape)) return {};
        return *operands[0];
      case Opcode::kConstant:
        return {OfConstant(instruction)};
      case Opcode::kIota: {
        const double high = std::log2(std::max(1.0, Elements(instruction.shape)));
        if (!IsWholeType(type) && !HoldsWhole(type, high)) return {};
        return {Exact(0, high, true)};
      }
      case Opcode::kConcatenate: {
        Trust all = first(0);
        for (size_t i = 1; i < operands.size(); ++i) all = Join(all, first(i));
        return {all};
      }
      case Opcode::kPad:
        return {Join(first(0), first(1))};
      case Opcode::kDynamicSlice:
      case Opcode::kGather:  // indices are brought into the bounds: defined
        return exact_from(1) ? *operands[0] : Leaves();
      case Opcode::kDynamicUpdateSlice:
        return exact_from(2) ? Leaves{Join(first(0), first(1))} : Leaves();
      case Opcode::kTuple:
      case Opcode::kAfterAll: {
        Leaves all;
        if (instruction.opcode == Opcode::kAfterAll) return all;
        for (const Leaves* operand : operands) all.insert(all.end(), operand->begin(), operand->end());
        return all;
      }
      case Opcode::kGetTupleElement: {
        const auto elements = module_.shapes.Elements(shape(0));
        const auto which = static_cast<size_t>(module_.Number(instruction, Key::kIndex));
        size_t begin = 0;
        for (size_t i = 0; i < which && i < elements.size(); ++i) begin += LeavesOf(module_.shapes, elements[i]).size();
        const size_t count = LeavesOf(module_.shapes, instruction.shape).size();
        if (begin + count > operands[0]->size()) return {};
        return {operands[0]->begin() + static_cast<std::ptrdiff_t>(begin),
                operands[0]->begin() + static_cast<std::ptrdiff_t>(begin + count)};
      }
      case Opcode::kCopyStart:  // the copy, the source, and what nobody may look at
        return {first(0), first(0), Trust()};
      case Opcode::kSelect:
        return IsExact(first(0)) ? Leaves{Join(first(1), first(2))} : Leaves();
      case Opcode::kReal:
      case Opcode::kImag:
        return *operands[0];
      case Opcode::kComplex:
        return {Join(first(0), first(1))};
      case Opcode::kGetDimensionSize:
        return {Exact(-kInfinite, kInfinite, true)};
      // -- computations --
      case Opcode::kCall:
      case Opcode::kFusion:
      case Opcode::kMap: {
        const auto called = Called(module_, instruction);
        if (called.size() != 1) return {};
        std::vector<Leaves> arguments;
        for (const Leaves* operand : operands) arguments.push_back(*operand);
        return Follow(called[0], arguments);
      }
      case Opcode::kConditional: {
        // Branches that compare what is nearly equal go one way here and another there.
        if (!IsExact(first(0))) return {};
        const auto called = Called(module_, instruction);
        Leaves all;
        for (size_t i = 0; i < called.size() && i + 1 < operands.size(); ++i) {
          const Leaves branch = Follow(called[i], {*operands[i + 1]});
          if (i == 0) all = branch;
          for (size_t leaf = 0; leaf < all.size() && leaf < branch.size(); ++leaf)
            all[leaf] = Join(all[leaf], branch[leaf]);
        }
        return all;
      }
      case Opcode::kWhile:
        return Loop(computation, instruction, *operands[0]);
      // -- combinations --
      case Opcode::kReduce: {
        const Combination combination = CombinationOf(instruction, Key::kToApply);
        const size_t n = operands.size() / 2;
        if (combination.of.size() != n) return {};
        const std::vector<ShapeId> results = LeavesOf(module_.shapes, instruction.shape);
        Leaves all;
        for (size_t i = 0; i < n; ++i) {
          const double count = Elements(shape(i)) / std::max(1.0, Elements(results[i]));
          if (!IsIdentity(computation, instruction, i + n, combination.of[i])) return {};
          all.push_back(Combined(combination.of[i], TypeOf(results[i]), first(i), first(i + n), count));
        }
        return all;
      }
      case Opcode::kReduceWindow: {
        const Combination combination = CombinationOf(instruction, Key::kToApply);
        if (combination.of.size() != 1 || operands.size() != 2 ||
            !IsIdentity(computation, instruction, 1, combination.of[0]))
          return {};
        double count = 1;
        if (const auto window = module_.Find(instruction, Key::kWindow)) {
          for (const int64_t size : WindowOf(module_.attribute_table.Numbers(*window)).size)
            count *= static_cast<double>(size);
        }
        return {Combined(combination.of[0], type, first(0), first(1), count)};
      }
      case Opcode::kScatter: {
        // Several updates of one place come in any order; what lies outside is left out: defined.
        const Combination combination = CombinationOf(instruction, Key::kToApply);
        const size_t n = operands.size() / 2;
        if (combination.of.size() != n || !IsExact(first(n))) return {};
        Leaves all;
        for (size_t i = 0; i < n; ++i) {
          const Trust each = Join(first(i), first(n + 1 + i));
          all.push_back(Combined(combination.of[i], TypeOf(LeavesOf(module_.shapes, instruction.shape)[i]), each, each,
                                 Elements(shape(n + 1 + i))));
        }
        return all;
      }
      case Opcode::kSort: {
        // Equal keys stay in their order only where that is asked. NaN has no order under LT and GT, and -0 equals 0.
        const Computation& comparator = module_.computations[Called(module_, instruction)[0]];
        const Instruction& test = comparator.instructions[comparator.root];
        const auto direction = module_.Find(test, Key::kDirection);
        if (test.opcode != Opcode::kCompare || !direction) return {};
        const std::string_view word = module_.strings[module_.attribute_table.References(*direction)[0].id];
        if (word != "LT" && word != "GT") return {};
        for (size_t i = 0; i < 2; ++i) {
          const Instruction& side = comparator.instructions[module_.Operands(test)[i]];
          if (side.opcode != Opcode::kParameter || side.payload != i) return {};
        }
        const Trust key = first(0);
        if (!IsExact(key) || (!IsWholeType(TypeOf(shape(0))) && !(key.whole && key.high < kInfinite))) return {};
        const bool stable = module_.Number(instruction, Key::kIsStable) != 0;
        Leaves all = {key};
        for (size_t i = 1; i < operands.size(); ++i) all.push_back(stable ? first(i) : Trust());
        return all;
      }
      case Opcode::kTopk: {
        const Trust key = first(0);
        if (!IsExact(key) || (!IsWholeType(TypeOf(shape(0))) && !(key.whole && key.high < kInfinite))) return {};
        return {key, Trust()};  // which of two equal ones: not said
      }
      case Opcode::kDot:
      case Opcode::kConvolution: {
        double count = 1;
        if (instruction.opcode == Opcode::kConvolution) {
          count = Elements(shape(1));
        } else if (const auto id = module_.Find(instruction, Key::kLhsContractingDims)) {
          const auto dimensions = module_.shapes.Dimensions(shape(0));
          for (const int64_t d : module_.attribute_table.Numbers(*id))
            count *= static_cast<double>(dimensions[static_cast<size_t>(d)].size);
        }
        const Trust product = Binary(Opcode::kMultiply, type, first(0), first(1));
        Trust sum = Combined(Opcode::kAdd, type, product, Exact(0, 0, true), count);
        // XLA's evaluator clamps what does not fit.
        sum.odd = instruction.opcode == Opcode::kConvolution && IsWholeType(type) && sum.high >= RowOf(type).bits - 1;
        return {sum};
      }
      // -- elements --
      case Opcode::kConvert:
        return {Converted(TypeOf(shape(0)), type, first(0))};
      case Opcode::kBitcastConvert: {
        // A NaN and the sign of a zero are what they were only where nobody computed them.
        const Trust from = first(0);
        if (!IsExact(from) || (!IsWholeType(TypeOf(shape(0))) && !from.moved)) return {};
        Trust to = Exact(-kInfinite, kInfinite, IsWholeType(type));
        to.odd = to.nan = !to.whole;
        to.moved = from.moved;
        return {to};
      }
      case Opcode::kReducePrecision: {
        const int mantissa = static_cast<int>(module_.Number(instruction, Key::kMantissaBits));
        if (!IsExact(first(0)) || first(0).odd || !(first(0).high < 4 && first(0).low > -4) ||
            module_.Number(instruction, Key::kExponentBits) < 5)
          return {};
        return {Rounded(type, std::exp2(-mantissa - 1), first(0).low - 1, first(0).high + 1, true, first(0).nan)};
      }
      case Opcode::kCompare:
        if (!IsExact(first(0)) || !IsExact(first(1)) || first(0).odd || first(1).odd) return {};
        return {Exact(0, 0, true)};
      case Opcode::kClamp:
        return {Binary(Opcode::kMinimum, type, Binary(Opcode::kMaximum, type, first(0), first(1)), first(2))};
      case Opcode::kIsFinite:
        if (!IsExact(first(0)) || first(0).odd) return {};
        return {Exact(0, 0, true)};
      default:
        break;
    }
    if (operands.size() == 1 && IsArrayType(type)) return {Unary(instruction.opcode, type, TypeOf(shape(0)), first(0))};
    if (operands.size() == 2 && IsArrayType(type)) return {Binary(instruction.opcode, type, first(0), first(1))};
    return {};
  }

  // The order of dimensions that is the default, no tiles.
  bool IsPlain(ShapeId shape) const {
    const Layout* layout = module_.shapes.LayoutOf(shape);
    if (layout == nullptr) return true;
    const auto& order = layout->minor_to_major;
    return layout->tiles.empty() && layout->element_bits == 0 && std::is_sorted(order.rbegin(), order.rend());
  }

  Combination CombinationOf(const Instruction& instruction, Key key) const {
    const auto id = module_.Find(instruction, key);
    if (!id) return {};
    const Computation& computation = module_.computations[module_.attribute_table.References(*id)[0].id];
    const Instruction& root = computation.instructions[computation.root];
    std::vector<uint32_t> results = {computation.root};
    if (root.opcode == Opcode::kTuple) results.assign(module_.Operands(root).begin(), module_.Operands(root).end());
    Combination combination;
    for (size_t i = 0; i < results.size(); ++i) {
      const Instruction& result = computation.instructions[results[i]];
      const auto operands = module_.Operands(result);
      if (operands.size() != 2) return {};
      std::set<uint32_t> sides;
      for (const uint32_t operand : operands) {
        const Instruction& side = computation.instructions[operand];
        if (side.opcode != Opcode::kParameter) return {};
        sides.insert(side.payload);
      }
      if (sides != std::set<uint32_t>{static_cast<uint32_t>(i), static_cast<uint32_t>(i + results.size())}) return {};
      combination.of.push_back(result.opcode);
    }
    return combination;
  }

  // How often the initial value takes part is the compiler's choice: it changes nothing, or nothing is promised.
  bool IsIdentity(const Computation& computation, const Instruction& instruction, size_t operand,
                  Opcode combination) const {
    const Instruction& initial = computation.instructions[module_.Operands(instruction)[operand]];
    if (initial.opcode != Opcode::kConstant) return false;
    const std::string_view text = module_.strings[initial.payload];
    const bool zero = text == "0" || text == "false";
    switch (combination) {
      case Opcode::kAdd:
      case Opcode::kOr:
      case Opcode::kXor:
        return zero;
      case Opcode::kMultiply:
        return text == "1" || text == "true";
      case Opcode::kAnd:
        return text == "true";
      case Opcode::kMaximum:
        return text == "-inf" || (zero && IsUnsignedType(TypeOf(initial.shape)));
      case Opcode::kMinimum:
        return text == "inf";
      default:
        return false;
    }
  }

  Leaves Loop(const Computation& computation, const Instruction& loop, Leaves state) {
    if (TripsOf(module_, computation, loop) == 0) return state;
    const auto body_id = module_.Find(loop, Key::kBody);
    if (!body_id) return {};
    const uint32_t body = module_.attribute_table.References(*body_id)[0].id;
    for (int round = 0; round < 4; ++round) {
      Leaves next = Follow(body, {state});
      bool same = next.size() == state.size();
      for (size_t i = 0; i < state.size() && i < next.size(); ++i) {
        next[i] = Join(state[i], next[i]);
        if (next[i] == state[i]) continue;
        same = false;
        if (round == 0) continue;
        // It grows: of what stays exact the range is lost, of the rest everything.
        if (IsExact(next[i]) && next[i].whole)
          next[i].high = kInfinite;
        else
          next[i] = Trust();
      }
      state = std::move(next);
      if (same) return state;
    }
    return Leaves(state.size());
  }

  // `count` times from an initial value, the identity, on, in any order: sums and products wrap alike in any order; so do bits, maximum and
  // minimum. Sums of floating-point numbers only where all partial ones are whole numbers of the type.
  static Trust Combined(Opcode opcode, Type type, const Trust& each, const Trust& initial, double count) {
    const bool picks = opcode == Opcode::kMaximum || opcode == Opcode::kMinimum;
    Trust both = picks ? each : Join(each, initial);  // infinity, where it is one, is not picked
    both.moved = false;
    if (!IsExact(both) || both.odd) return {};
    if (picks) return IsComplexType(type) || both.nan ? Trust() : both;
    if (opcode == Opcode::kAdd) both.high += std::log2(count + 1);
    if (opcode == Opcode::kMultiply) both.high *= count + 1;
    const bool bits = opcode == Opcode::kAnd || opcode == Opcode::kOr || opcode == Opcode::kXor;
    if (!bits && opcode != Opcode::kAdd && opcode != Opcode::kMultiply) return {};
    if (IsWholeType(type)) return Exact(0, bits ? kInfinite : both.high, true);
    if (bits || IsComplexType(type) || !both.whole || both.low < 0 || !HoldsWhole(type, both.high)) return {};
    return Exact(0, both.high, true);
  }

  static Trust Converted(Type from, Type to, Trust trust) {
    trust.moved = false;
    if (trust.kind == TrustKind::kNothing) return {};
    const bool exact = IsExact(trust);
    if (IsComplexType(from) || (IsComplexType(to) && FloatOf(to)->type != from)) return {};
    if (IsComplexType(to)) return trust;
    if (to == Type::kPred) return exact && !trust.odd ? Exact(0, 0, true) : Trust();
    if (IsWholeType(to)) {
      if (!exact || trust.odd) return {};
      if (IsWholeType(from))
        return Exact(0, trust.high < RowOf(to).bits - 1 ? trust.high : kInfinite, true);  // else it may wrap
      // What does not fit, and NaN: not determined.
      const bool is_signed = to <= Type::kS64;
      if (trust.odd || trust.nan || !is_signed || trust.high >= RowOf(to).bits - 1) return {};
      return Exact(0, std::max(0.0, trust.high), true);
    }
    const double half = Rounding(to);
    if (IsWholeType(from)) {
      const double high = std::min<double>(trust.high, RowOf(from).bits);
      if (!exact || trust.odd) return {};
      if (HoldsWhole(to, high)) return Exact(0, high, true);
      return Rounded(to, 2 * half, 0, high, true, false);
    }
    const FloatFormat& narrow = *FloatOf(to);
    const FloatFormat& wide = *FloatOf(from);
    if (trust.odd) return {};
    const bool widens = narrow.mantissa >= wide.mantissa && SmallestNormal(narrow) <= SmallestNormal(wide) &&
                        Largest(narrow) >= Largest(wide) && narrow.sign;
    if (widens && (narrow.infinity || wide.type == to)) return trust;
    if (exact && trust.whole && HoldsWhole(to, trust.high)) return trust;
    if (!narrow.sign || (!narrow.infinity && trust.high == kInfinite)) return {};
    return Rounded(to, trust.error + half, trust.low, trust.high, exact && trust.high < kInfinite, trust.nan);
  }

  static Trust Unary(Opcode opcode, Type type, Type from, Trust trust) {
    trust.moved = false;
    if (trust.kind == TrustKind::kNothing) return {};
    const bool exact = IsExact(trust);
    if (IsWholeType(type)) {
      if (!exact || trust.odd || !IsWholeType(from)) return {};
      Trust whole = Exact(0, opcode == Opcode::kNegate || opcode == Opcode::kAbs ? trust.high : kInfinite, true);
      // XLA's evaluator gives negative numbers for negative ones: seen once, not in all that follows.
      whole.odd = opcode == Opcode::kCountLeadingZeros && !IsUnsignedType(type);
      return whole;
    }
    if (trust.odd || FloatOf(type) == nullptr || !FloatOf(type)->sign) return {};
    const double half = Rounding(type);
    if (IsComplexType(type)) return opcode == Opcode::kNegate ? trust : Trust();
    if (IsComplexType(from)) return {};  // the magnitude: over- and underflow on the way
    const double reach = std::exp2(std::min(trust.high, 20.0)) * 1.4427;  // of the exponent of e^x
    // Of library functions: so many places wrong at most, and near their zeros absolutely.
    const double rough = 64 * half;
    switch (opcode) {
      case Opcode::kNegate:
      case Opcode::kAbs:
        return trust;
      case Opcode::kSign:
        return exact && !trust.nan ? Exact(0, 0, true) : Trust();
      case Opcode::kFloor:
      case Opcode::kCeil:
      case Opcode::kRoundNearestEven:
      case Opcode::kRoundNearestAfz:
        return exact && !trust.nan ? Exact(0, std::max(0.0, trust.high + (trust.whole ? 0 : 1)), true) : Trust();
      case Opcode::kSqrt:
      case Opcode::kRsqrt: {
        const double sign = opcode == Opcode::kSqrt ? 0.5 : -0.5;
        return Rounded(type, trust.error + 8 * half, std::min(sign * trust.low, sign * trust.high),
                       std::max(sign * trust.low, sign * trust.high), exact, true);
      }
      case Opcode::kCbrt:
        return Rounded(type, trust.error + rough, trust.low / 3, trust.high / 3, exact, trust.nan);
      case Opcode::kTanh:
        return Rounded(type, trust.error + rough, std::min(trust.low - 1, -1.0), 0, exact, trust.nan);
      case Opcode::kExponential:
        if (exact) return Rounded(type, rough * std::max(1.0, std::min(reach, 16.0)), -reach, reach, true, trust.nan);
        if (trust.high > 6) return {};
        return Rounded(type, trust.error * reach + rough, -reach, reach, false, trust.nan);
      case Opcode::kLogistic:
        if (exact) return Rounded(type, rough * std::max(1.0, std::min(reach, 16.0)), -reach - 1, 0, true, trust.nan);
        if (trust.high > 6) return {};
        return Rounded(type, trust.error * reach + rough, -reach - 1, 0, false, trust.nan);
      case Opcode::kExponentialMinusOne:
      case Opcode::kLogPlusOne:
      case Opcode::kErf:
        return exact ? Rounded(type, rough, -kInfinite, kInfinite, true, true) : Trust();
      case Opcode::kLog:
      case Opcode::kSine:
      case Opcode::kCosine:
      case Opcode::kTan:
      case Opcode::kAsin:
      case Opcode::kAcos:
      case Opcode::kAsinh:
      case Opcode::kAcosh:
      case Opcode::kAtanh:
      case Opcode::kSinh:
      case Opcode::kCosh:
        // Only of small whole numbers: the arguments that are large are reduced this way or that.
        return exact && trust.high < 4 ? Rounded(type, rough * 16, -kInfinite, kInfinite, true, true) : Trust();
      default:
        return {};
    }
  }

  static Trust Binary(Opcode opcode, Type type, const Trust& a, const Trust& b) {
    Trust both = Join(a, b);
    both.moved = false;
    if (both.kind == TrustKind::kNothing) return {};
    const bool exact = IsExact(both);
    if (IsWholeType(type)) {
      if (!exact || both.odd) return {};
      double high = kInfinite;
      if (opcode == Opcode::kAdd || opcode == Opcode::kSubtract) high = both.high + 1;
      if (opcode == Opcode::kMultiply) high = a.high + b.high;
      if (opcode == Opcode::kMaximum || opcode == Opcode::kMinimum) high = both.high;
      Trust result = Exact(0, high, true);
      // Of exponents below 0, or above all of the signed type, implementations of XLA differ: not followed.
      result.odd = opcode == Opcode::kPower && b.high > RowOf(type).bits - 1;
      result.odd = result.odd || (opcode == Opcode::kPower && !IsUnsignedType(type));
      return result;
    }
    if (both.odd || FloatOf(type) == nullptr || !FloatOf(type)->sign) return {};
    const double half = Rounding(type);
    const bool whole = exact && both.whole && both.low >= 0;
    switch (opcode) {
      case Opcode::kMaximum:
      case Opcode::kMinimum:
        if (IsComplexType(type)) return {};
        // A NaN is passed on; but compilers have options (XLA's CPU: fast min and max) under which it may not be.
        both.odd = both.odd || both.nan;
        return both;
      case Opcode::kAdd:
      case Opcode::kSubtract:
        if (whole && HoldsWhole(type, both.high + 1)) return Exact(0, both.high + 1, true);
        // What is left of a difference of rounded numbers may be nothing but their errors.
        if (!exact) return {};
        return Rounded(type, half, whole ? 0 : -kInfinite, both.high + 1, true, both.nan);
      case Opcode::kMultiply:
        if (IsComplexType(type)) return {};
        if (whole && HoldsWhole(type, a.high + b.high)) return Exact(0, a.high + b.high, true);
        return Rounded(type, a.error + b.error + half, a.low + b.low, a.high + b.high, exact, both.nan);
      case Opcode::kDivide:
        if (IsComplexType(type)) return {};
        // By a constant: perhaps times its inverse.
        return Rounded(type, a.error + b.error + 4 * half, a.low - b.high, a.high - b.low, exact, true);
      case Opcode::kRemainder:
        return whole && HoldsWhole(type, both.high) && !IsComplexType(type) ? Exact(0, both.high, true) : Trust();
      case Opcode::kPower:
        if (!exact || IsComplexType(type) || both.high > 4 || both.low < -4) return {};
        return Rounded(type, 64 * 16 * half, -kInfinite, kInfinite, true, true);
      case Opcode::kAtan2:
        return exact && both.high < 4 && !IsComplexType(type)
                   ? Rounded(type, 64 * half, -kInfinite, kInfinite, true, true)
                   : Trust();
      default:
        return {};
    }
  }

  const Module& module_;
  const InputKind kind_;
};

// ---- Comparing ----

uint64_t BitsAt(const ResultArray& array, size_t element, size_t bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, array.bytes.data() + element * bytes, bytes);
  return bits;
}

bool Agree(const Trust& trust, const FloatFormat& format, uint64_t a_bits, uint64_t b_bits) {
  if (a_bits == b_bits) return true;
  const double a = Decode(format, a_bits), b = Decode(format, b_bits);
  if (std::isnan(a) && std::isnan(b)) return true;
  if (trust.kind == TrustKind::kExact) return !trust.moved && a == b;
  if (a == b) return true;
  const double allowed = 2 * trust.error + 2 * HalfPlace(format);
  // At the upper end: infinite, or NaN where there is no infinity, for one and just not for the other.
  const double edge = Largest(format) * (1 - 2 * allowed);
  const auto out = [&](double x) { return std::isinf(x) || (!format.infinity && std::isnan(x)); };
  if (out(a) && std::fabs(b) >= edge) return std::isnan(a) || std::signbit(a) == std::signbit(b);
  if (out(b) && std::fabs(a) >= edge) return std::isnan(b) || std::signbit(a) == std::signbit(b);
  if (std::isnan(a) || std::isnan(b) || std::isinf(a) || std::isinf(b)) return false;
  const double difference = std::fabs(a - b);
  // Near 0: denormals may be flushed, and functions are right absolutely only.
  return difference <= allowed * std::max(std::fabs(a), std::fabs(b)) || difference <= 2 * SmallestNormal(format) ||
         (trust.low == -kInfinite && trust.error > 8 * HalfPlace(format) && difference <= trust.error);
}

bool Moves(Opcode opcode) {
  switch (opcode) {
    case Opcode::kBroadcast:
    case Opcode::kReshape:
    case Opcode::kTranspose:
    case Opcode::kReverse:
    case Opcode::kCopy:
    case Opcode::kSlice:
    case Opcode::kDynamicSlice:
    case Opcode::kGather:
    case Opcode::kPad:
    case Opcode::kBitcast:
    case Opcode::kConcatenate:
      return true;
    default:
      return false;
  }
}

// The operation that made a leaf of the entry's result, not one that only moved it there.
Opcode MakerOf(const Module& module, size_t leaf) {
  const Computation& entry = module.computations[module.entry];
  const Instruction* maker = &entry.instructions[entry.root];
  while (maker->opcode == Opcode::kTuple) {
    const Instruction* next = nullptr;
    for (const uint32_t operand : module.Operands(*maker)) {
      const size_t leaves = LeavesOf(module.shapes, entry.instructions[operand].shape).size();
      if (leaf < leaves) {
        next = &entry.instructions[operand];
        break;
      }
      leaf -= leaves;
    }
    if (next == nullptr) break;
    maker = next;
  }
  // A constant or an argument cannot differ: then it is what moved it.
  for (const Instruction* from = maker; Moves(from->opcode);) {
    from = &entry.instructions[module.Operands(*from)[0]];
    if (from->opcode != Opcode::kParameter && from->opcode != Opcode::kConstant && !Moves(from->opcode)) maker = from;
  }
  return maker->opcode;
}

}  // namespace

std::vector<Trust> TrustInResults(const Module& module, uint64_t seed) {
  if (!ArgumentsOf(module, seed).ok()) return {};
  return Follower(module, InputKindOf(module, seed)).OfEntry();
}

std::string DifferenceOf(const Trust& trust, const ResultArray& reference, const ResultArray& result) {
  if (reference.type != result.type || reference.dimensions != result.dimensions ||
      reference.bytes.size() != result.bytes.size()) {
    return "another type or other dimensions";
  }
  if (trust.kind == TrustKind::kNothing) return "";
  const Type type = TypeNamed(reference.type);
  const FloatFormat* format = FloatOf(type);
  const bool complex = IsComplexType(type);
  const size_t bytes = complex ? RowOf(type).bytes / 2 : RowOf(type).bytes;
  if (bytes == 0 || bytes > 8) return "";
  const int bits = complex ? 64 : RowOf(type).bits;
  const uint64_t mask = type == Type::kPred || bits >= 8 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  const size_t count = reference.bytes.size() / bytes;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t a = BitsAt(reference, i, bytes) & mask, b = BitsAt(result, i, bytes) & mask;
    if (format == nullptr ? a == b : Agree(trust, *format, a, b)) continue;
    if (format == nullptr) return absl::StrFormat("element %d is %#x, not %#x", i, b, a);
    return absl::StrFormat("element %d is %.9g (%#x), not %.9g (%#x)", complex ? i / 2 : i, Decode(*format, b), b,
                           Decode(*format, a), a);
  }
  return "";
}

void CompareResults(std::string_view name, const Module& module, const Answer& reference, const Module& other,
                    const Answer& answer, Reasons& reasons) {
  if (!reference.results || !answer.results) return;
  const size_t count = InstructionCount(module), step = count == 0 ? 0 : count - 1;
  const std::vector<Trust> trusts = TrustInResults(module), others = &other == &module ? trusts : TrustInResults(other);
  if (trusts.size() != others.size()) return;
  if (reference.results->size() != answer.results->size() || trusts.size() != reference.results->size()) {
    reasons.Add(name, "shape", step, absl::StrCat(answer.results->size(), " arrays, not ", reference.results->size()));
    return;
  }
  for (size_t i = 0; i < trusts.size(); ++i) {
    const Trust trust = Join(trusts[i], others[i]);
    const ResultArray &expected = (*reference.results)[i], &given = (*answer.results)[i];
    const std::string difference = DifferenceOf(trust, expected, given);
    if (difference.empty()) continue;
    const bool shape = expected.type != given.type || expected.dimensions != given.dimensions;
    reasons.Add(name, shape ? "shape" : RowOf(MakerOf(module, i)).name, step,
                absl::StrCat("result ", i, ", ", expected.type, ": ", difference));
    return;
  }
}

}  // namespace oomph::hlo
