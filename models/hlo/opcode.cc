// The table of operations, and finding one by its name.
#include "models/hlo/opcode.h"

#include <array>

namespace oomph::hlo {
namespace {

constexpr int kAny = -1;

// Names and arities as XLA's parser takes them; the order is that of the enum.
constexpr std::array<OpcodeRow, kOpcodes> kRows = {{
    {"abs", 1},
    {"acos", 1},
    {"acosh", 1},
    {"add", 2},
    {"add-dependency", 2},
    {"after-all", kAny},
    {"all-gather", kAny},
    {"all-gather-done", 1},
    {"all-gather-start", kAny},
    {"all-reduce", kAny},
    {"all-reduce-done", 1},
    {"all-reduce-start", kAny},
    {"all-to-all", kAny},
    {"and", 2},
    {"asin", 1},
    {"asinh", 1},
    {"async-done", 1},
    {"async-start", kAny},
    {"async-update", 1},
    {"atan2", 2},
    {"atanh", 1},
    {"batch-norm-grad", 5},
    {"batch-norm-inference", 5},
    {"batch-norm-training", 3},
    {"bitcast", 1},
    {"bitcast-convert", 1},
    {"broadcast", 1},
    {"call", kAny},
    {"cbrt", 1},
    {"ceil", 1},
    {"cholesky", 1},
    {"clamp", 3},
    {"collective-broadcast", kAny},
    {"collective-permute", kAny},
    {"collective-permute-done", 1},
    {"collective-permute-start", kAny},
    {"compare", 2},
    {"complex", 2},
    {"concatenate", kAny},
    {"conditional", kAny},
    {"constant", 0},
    {"convert", 1},
    {"convolution", 2},
    {"copy", 1},
    {"copy-done", 1},
    {"copy-start", 1},
    {"cosh", 1},
    {"cosine", 1},
    {"count-leading-zeros", 1},
    {"custom-call", kAny},
    {"divide", 2},
    {"domain", 1},
    {"dot", kAny},
    {"dynamic-reshape", kAny},
    {"dynamic-slice", kAny},
    {"dynamic-update-slice", kAny},
    {"erf", 1},
    {"exponential", 1},
    {"exponential-minus-one", 1},
    {"fft", 1},
    {"floor", 1},
    {"fusion", kAny},
    {"gather", 2},
    {"get-dimension-size", 1},
    {"get-tuple-element", 1},
    {"imag", 1},
    {"infeed", 1},
    {"iota", 0},
    {"is-finite", 1},
    {"log", 1},
    {"log-plus-one", 1},
    {"logistic", 1},
    {"map", kAny},
    {"maximum", 2},
    {"minimum", 2},
    {"mulhi", 2},
    {"multiply", 2},
    {"negate", 1},
    {"not", 1},
    {"opt-barrier", 1},
    {"or", 2},
    {"outfeed", 2},
    {"pad", 2},
    {"parameter", 0},
    {"partition-id", 0},
    {"popcnt", 1},
    {"power", 2},
    {"ragged-all-to-all", 6},
    {"ragged-dot", 3},
    {"real", 1},
    {"recv", 1},
    {"recv-done", 1},
    {"reduce", kAny},
    {"reduce-precision", 1},
    {"reduce-scatter", kAny},
    {"reduce-window", kAny},
    {"remainder", 2},
    {"replica-id", 0},
    {"reshape", 1},
    {"reverse", 1},
    {"rng", kAny},
    {"rng-bit-generator", 1},
    {"rng-get-and-update-state", 0},
    {"round-nearest-afz", 1},
    {"round-nearest-even", 1},
    {"rsqrt", 1},
    {"scaled-dot", kAny},
    {"scan", kAny},
    {"scatter", kAny},
    {"select", 3},
    {"select-and-scatter", 3},
    {"send", 2},
    {"send-done", 1},
    {"set-dimension-size", 2},
    {"shift-left", 2},
    {"shift-right-arithmetic", 2},
    {"shift-right-logical", 2},
    {"sign", 1},
    {"sine", 1},
    {"sinh", 1},
    {"slice", 1},
    {"sort", kAny},
    {"sqrt", 1},
    {"stochastic-convert", 2},
    {"subtract", 2},
    {"tan", 1},
    {"tanh", 1},
    {"topk", 1},
    {"transpose", 1},
    {"triangular-solve", 2},
    {"tuple", kAny},
    {"while", 1},
    {"xor", 2},
}};

// Names are found by a hash that a table of a power of two takes at compile time.
constexpr size_t kSlots = 512;
constexpr size_t HashOf(std::string_view name) {
  uint32_t hash = 2166136261u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return (hash ^ (hash >> 15)) % kSlots;
}

constexpr std::array<uint8_t, kSlots> MakeSlots() {
  std::array<uint8_t, kSlots> slots{};  // 0 is free, else the opcode + 1
  for (size_t i = 0; i < kRows.size(); ++i) {
    size_t at = HashOf(kRows[i].name);
    while (slots[at] != 0) at = (at + 1) % kSlots;
    slots[at] = static_cast<uint8_t>(i + 1);
  }
  return slots;
}
constexpr std::array<uint8_t, kSlots> kSlotOf = MakeSlots();
static_assert(kOpcodes < 255);

std::optional<Opcode> Plain(std::string_view name) {
  for (size_t at = HashOf(name); kSlotOf[at] != 0; at = (at + 1) % kSlots) {
    const size_t i = kSlotOf[at] - 1;
    if (kRows[i].name == name) return static_cast<Opcode>(i);
  }
  return std::nullopt;
}

}  // namespace

const OpcodeRow& RowOf(Opcode opcode) { return kRows[static_cast<size_t>(opcode)]; }

std::optional<OpcodeName> OpcodeNamed(std::string_view name) {
  if (const std::optional<Opcode> plain = Plain(name)) return OpcodeName{*plain, *plain};
  for (const Opcode async : {Opcode::kAsyncStart, Opcode::kAsyncUpdate, Opcode::kAsyncDone}) {
    const std::string_view suffix = AsyncSuffix(async);
    if (!name.ends_with(suffix)) continue;  // `async-start-start` would read as `async-start`: no such name
    const std::optional<Opcode> wrapped = Plain(name.substr(0, name.size() - suffix.size()));
    if (wrapped.has_value() && AsyncSuffix(*wrapped).empty()) return OpcodeName{async, *wrapped};
  }
  return std::nullopt;
}

std::string_view AsyncSuffix(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAsyncStart:
      return "-start";
    case Opcode::kAsyncUpdate:
      return "-update";
    case Opcode::kAsyncDone:
      return "-done";
    default:
      return "";
  }
}

}  // namespace oomph::hlo
