// Reductions of what an instruction says beside its shape and operands: attributes, literals, names.
#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "models/hlo/infer.h"
#include "models/hlo/reduce_lists.h"

namespace oomph::hlo::reduce {
namespace {

// Whether the operation is none without it.
bool IsRequired(const Instruction& instruction, Key key) {
  return RuleOf(instruction.opcode).required.Has(key) || RuleOf(instruction.wrapped).required.Has(key);
}

// Says nothing of what is computed: the first to go.
bool IsRemark(Key key) {
  switch (key) {
    case Key::kMetadata:
    case Key::kFrontendAttributes:
    case Key::kBackendConfig:
    case Key::kSharding:
    case Key::kControlPredecessors:
    case Key::kStatistics:
    case Key::kOrigin:
    case Key::kResultAccuracy:
    case Key::kOriginRecoveryTable:
    case Key::kDebugAttributes:
    case Key::kUnknown:
      return true;
    default:
      return false;
  }
}

ListRange Without(Module& module, ListRange list, const std::function<bool(Key)>& goes) {
  std::vector<AttributeId> kept;
  for (const AttributeId id : module.Attributes(list)) {
    if (!goes(module.attribute_table[id].key)) kept.push_back(id);
  }
  return kept.size() == list.count ? list : module.AddAttributes(kept);
}

// How often each key stands where it need not.
std::array<size_t, kKeys> CountKeys(const Module& module) {
  std::array<size_t, kKeys> counts = {};
  const auto count = [&](ListRange list, const Instruction* of) {
    for (const AttributeId id : module.Attributes(list)) {
      const Key key = module.attribute_table[id].key;
      if (of == nullptr || !IsRequired(*of, key)) ++counts[static_cast<size_t>(key)];
    }
  };
  count(module.attributes, nullptr);
  for (const Computation& computation : module.computations) {
    count(computation.attributes, nullptr);
    for (const Instruction& instruction : computation.instructions) count(instruction.attributes, &instruction);
  }
  return counts;
}

void DropTables(Module& module) {
  module.file_names.clear();
  module.function_names.clear();
  module.file_locations.clear();
  module.stack_frames.clear();
}

}  // namespace

// All attributes with one key, the header's included; and the tables of files and frames. That the order of the text is
// that of the steps is no remark: who reads the smallest module needs to know it.
List DropKeys(const Base& base) {
  const Module& module = base.module();
  const std::array<size_t, kKeys> counts = CountKeys(module);
  std::vector<Key> keys;
  for (size_t k = 0; k < kKeys; ++k) {
    if (counts[k] > 0 && static_cast<Key>(k) != Key::kIsScheduled) keys.push_back(static_cast<Key>(k));
  }
  std::ranges::sort(keys, {}, [](Key key) { return std::pair(!IsRemark(key), key); });
  const bool tables = !module.file_names.empty() || !module.function_names.empty() || !module.file_locations.empty() ||
                      !module.stack_frames.empty();
  List list;
  list.most.assign(keys.size() + (tables ? 1 : 0), 1);
  list.make = [keys](Draft& draft, std::span<const uint64_t> amounts) {
    KeySet gone;
    for (size_t k = 0; k < keys.size(); ++k) {
      if (amounts[k] > 0) gone.Add(keys[k]);
    }
    Module& to = draft.module();
    if (amounts.size() > keys.size() && amounts.back() > 0) DropTables(to);
    const auto goes = [&](Key key) { return gone.Has(key); };
    to.attributes = Without(to, to.attributes, goes);
    for (Computation& computation : to.computations) {
      computation.attributes = Without(to, computation.attributes, goes);
      for (Instruction& each : computation.instructions) {
        if (each.attributes.count == 0) continue;
        each.attributes = Without(to, each.attributes, [&](Key key) { return gone.Has(key) && !IsRequired(each, key); });
      }
    }
  };
  return list;
}

// One attribute of one instruction, where others have it as well: those that cannot all go.
List DropAttributes(const Base& base) {
  struct Item {
    Place place;
    Key key = Key::kUnknown;
  };
  const Module& module = base.module();
  const std::array<size_t, kKeys> counts = CountKeys(module);
  std::vector<Item> items;
  for (uint32_t c = 0; c < module.computations.size(); ++c) {
    for (uint32_t i = 0; i < module.computations[c].instructions.size(); ++i) {
      const Instruction& instruction = base.at({c, i});
      for (const AttributeId id : module.Attributes(instruction)) {
        const Key key = module.attribute_table[id].key;
        if (counts[static_cast<size_t>(key)] > 1 && !IsRequired(instruction, key)) items.push_back({{c, i}, key});
      }
    }
  }
  std::ranges::sort(items, {}, [](const Item& each) {
    return std::tuple(!IsRemark(each.key), each.key, each.place.computation, each.place.node);
  });
  items.erase(std::unique(items.begin(), items.end(),
                          [](const Item& a, const Item& b) {
                            return a.key == b.key && a.place.computation == b.place.computation && a.place.node == b.place.node;
                          }),
              items.end());
  return ListOf(std::move(items), [](Draft& draft, const Item& item) {
    Instruction& instruction = draft.at(item.place);
    instruction.attributes = Without(draft.module(), instruction.attributes, [&](Key key) { return key == item.key; });
  });
}

bool HasSimplerLiteral(const Module& module, const Instruction& instruction) {
  if (instruction.opcode != Opcode::kConstant || !IsArrayType(module.shapes[instruction.shape].type)) return false;
  return module.shapes.Dimensions(instruction.shape).empty() &&
         module.strings[instruction.payload] != SimplestLiteral(module.shapes[instruction.shape].type);
}

List SimpleLiterals(const Base& base) {
  std::vector<Place> places;
  for (uint32_t c = 0; c < base.module().computations.size(); ++c) {
    for (uint32_t i = 0; i < base.module().computations[c].instructions.size(); ++i) {
      if (HasSimplerLiteral(base.module(), base.at({c, i}))) places.push_back({c, i});
    }
  }
  return ListOf(std::move(places), [](Draft& draft, Place place) {
    Instruction& constant = draft.at(place);
    constant.payload = draft.module().strings.Add(SimplestLiteral(draft.module().shapes[constant.shape].type));
  });
}

// ---- names ----

namespace {

// p0, p1, ... for parameters; a, b, ..., z, a1, b1, ... without p for others; main, f0, f1, ...; m.
class PlainName {
 public:
  std::string_view OfInstruction(const Instruction& instruction, size_t& others) {
    if (instruction.opcode == Opcode::kParameter) return With('p', instruction.payload);
    constexpr std::string_view kLetters = "abcdefghijklmnoqrstuvwxyz";
    const size_t k = others++;
    const char letter = kLetters[k % kLetters.size()];
    if (k >= kLetters.size()) return With(letter, k / kLetters.size());
    buffer_[0] = letter;
    return {buffer_.data(), 1};
  }
  std::string_view OfComputation(const Module& module, uint32_t c) {
    return c == module.entry ? "main" : With('f', c);
  }
  static std::string_view OfModule() { return "m"; }

 private:
  std::string_view With(char letter, uint64_t number) {
    buffer_[0] = letter;
    const auto end = std::to_chars(buffer_.data() + 1, buffer_.data() + buffer_.size(), number).ptr;
    return {buffer_.data(), static_cast<size_t>(end - buffer_.data())};
  }
  std::array<char, 24> buffer_ = {};
};

constexpr size_t kKindsOfNames = 3;

}  // namespace

uint64_t OtherNames(const Module& module) {
  PlainName plain;
  uint64_t others = module.strings[module.name] != PlainName::OfModule();
  for (uint32_t c = 0; c < module.computations.size(); ++c) {
    const Computation& computation = module.computations[c];
    others += module.Name(computation) != plain.OfComputation(module, c);
    size_t so_far = 0;
    for (const Instruction& each : computation.instructions) others += module.Name(each) != plain.OfInstruction(each, so_far);
  }
  return others;
}

// All names of a kind at once: of instructions, of computations, of the module.
List PlainNames(const Base& base) {
  List list;
  if (OtherNames(base.module()) > 0) list.most.assign(kKindsOfNames, 1);
  list.make = [](Draft& draft, std::span<const uint64_t> amounts) {
    Module& module = draft.module();
    PlainName plain;
    if (amounts[2] > 0) module.name = module.strings.Add(PlainName::OfModule());
    for (uint32_t c = 0; c < module.computations.size(); ++c) {
      Computation& computation = module.computations[c];
      if (amounts[1] > 0) computation.name = module.strings.Add(plain.OfComputation(module, c));
      size_t so_far = 0;
      for (Instruction& each : computation.instructions) {
        const std::string_view name = plain.OfInstruction(each, so_far);
        if (amounts[0] > 0) each.name = module.strings.Add(name);
      }
    }
  };
  return list;
}

}  // namespace oomph::hlo::reduce
