// See reduce.h. Each reduction is tried alone and kept if the module still fails; the whole is repeated until
// nothing helps. Chunks of instructions go first, so that a long module loses most of its length in few
// questions.
#include "models/hlo/reduce.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "models/hlo/generate_scope.h"
#include "models/hlo/mutate_edit.h"
#include "models/hlo/mutate_steps.h"
#include "models/hlo/verify.h"

namespace oomph::hlo {
namespace {

// For mutate::Instead: no other value, a constant.
constexpr std::string_view kAConstant = "\3";

bool IsStaticArray(const Module& module, ShapeId shape) {
  if (!IsArrayType(module.shapes[shape].type)) return false;
  const std::span<const Dimension> dimensions = module.shapes.Dimensions(shape);
  return std::all_of(dimensions.begin(), dimensions.end(),
                     [](const Dimension& d) { return d.extent == Extent::kStatic; });
}

// Takes out an instruction that has no users, and the effects that have none without it: a send without its
// end.
void EraseWithCause(const Module& module, Editor& edit, uint32_t node) {
  std::vector<uint32_t> ask = {node};
  const std::vector<uint8_t> effects = EffectsOf(module);
  while (!ask.empty()) {
    const uint32_t at = ask.back();
    ask.pop_back();
    const OperandList operands = edit.operands(at);
    edit.Erase(at);
    for (const uint32_t operand : operands) {
      const bool there = edit.PositionOf(operand) < edit.order().size();
      const bool useless =
          operand != edit.root() && HasEffect(module, effects, edit.at(operand)) && !edit.IsUsed(operand);
      if (there && useless && std::find(ask.begin(), ask.end(), operand) == ask.end()) ask.push_back(operand);
    }
  }
}

class Reducer {
 public:
  Reducer(Module& module, const std::function<bool(const Module&)>& still_fails, size_t budget,
          const std::function<bool()>& ended)
      : module_(module), still_fails_(still_fails), ended_(ended), budget_(budget), problems_(Verify(module).size()) {}

  void Run() {
    if (!IsWellFormed(module_)) return;
    for (bool again = true; again && budget_ > 0;) {
      again = Root();
      again |= Chunks();
      again |= Open();
      again |= Signatures();
      again |= Parameters();
      again |= Sizes();
      again |= Attributes();
      again |= Layouts();
    }
  }

 private:
  // Keeps `candidate` if it is well enough and still fails.
  bool Try(Module candidate) {
    if (ended_ && ended_()) budget_ = 0;
    if (budget_ == 0) return false;
    RefreshHeader(candidate);
    Tidy(candidate);
    if (Verify(candidate).size() > problems_ || candidate == module_) return false;
    --budget_;
    if (!still_fails_(candidate)) return false;
    module_ = std::move(candidate);
    return true;
  }

  bool Root();
  bool Chunks();
  bool Chunk(uint32_t computation, size_t begin, size_t end);
  bool Open();
  bool Signatures();
  bool Parameters();
  bool Sizes();
  bool Attributes();
  bool Layouts();

  Module& module_;
  const std::function<bool(const Module&)>& still_fails_;
  const std::function<bool()>& ended_;
  size_t budget_;
  size_t problems_;
};

// The result becomes another value, the earliest that will do, with all effects gone or without; or it loses an element.
bool Reducer::Root() {
  bool helped = false;
  for (uint32_t i = 0; i < module_.computations[module_.entry].instructions.size() && !helped && budget_ > 0; ++i) {
    for (const bool effects_too : {true, false}) {
      if (helped) break;  // the numbers are others now
      Module candidate = module_;
      Editor edit(candidate, candidate.entry);
      edit.SetRoot(i);
      edit.EraseDead(effects_too);
      if (edit.order().size() >= edit.numbers()) continue;
      edit.Commit();
      DropUnusedComputations(candidate);
      helped = Try(std::move(candidate));
    }
  }
  for (bool again = true; again;) {
    again = false;
    const Computation& entry = module_.computations[module_.entry];
    const std::span<const uint32_t> span = module_.Operands(entry.instructions[entry.root]);
    const std::vector<uint32_t> operands(span.begin(), span.end());
    const bool tuple = entry.instructions[entry.root].opcode == Opcode::kTuple;
    for (size_t i = 0; tuple && operands.size() > 1 && i < operands.size() && !again; ++i) {
      Module candidate = module_;
      Editor edit(candidate, candidate.entry);
      OperandList& kept = edit.operands(edit.root());
      kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(i));
      std::vector<ShapeId> shapes;
      for (const uint32_t operand : kept) shapes.push_back(edit.at(operand).shape);
      edit.at(edit.root()).shape = candidate.shapes.AddTuple(shapes);
      edit.EraseDead();
      edit.Commit();
      DropUnusedComputations(candidate);
      again = Try(std::move(candidate));
    }
    helped |= again;
  }
  return helped;
}

// The instructions at [begin, end) of the order, last first, give way to an operand of their shape, to an
// earlier value of it, or to a constant. Effects go too.
bool Reducer::Chunk(uint32_t computation, size_t begin, size_t end) {
  Module candidate = module_;
  Editor edit(candidate, computation);
  const std::vector<uint32_t> nodes(edit.order().begin() + static_cast<std::ptrdiff_t>(begin),
                                    edit.order().begin() + static_cast<std::ptrdiff_t>(end));
  bool changed = false;
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    const Opcode opcode = edit.at(*node).opcode;
    const bool gone = edit.PositionOf(*node) == edit.order().size();  // with what followed from it
    if (gone || opcode == Opcode::kParameter) continue;
    const bool used = *node == edit.root() || edit.IsUsed(*node);
    if (used) {
      const ShapeId shape = edit.at(*node).shape;
      std::optional<uint32_t> instead;
      for (const uint32_t operand : edit.operands(*node)) {
        if (!instead.has_value() && edit.at(operand).shape == shape) instead = operand;
      }
      if (!IsStaticArray(candidate, shape)) {  // no constant will do: any earlier value
        for (const uint32_t earlier : edit.order()) {
          if (earlier == *node || instead.has_value()) break;
          if (edit.at(earlier).shape == shape) instead = earlier;
        }
      }
      if (!instead.has_value() && opcode == Opcode::kConstant) continue;
      // A broadcast constant is what it would become again.
      if (!instead.has_value() && opcode == Opcode::kBroadcast &&
          edit.at(edit.operands(*node)[0]).opcode == Opcode::kConstant) {
        continue;
      }
      Choices simplest = Choices::FromTape("");
      if (!instead.has_value() && IsStaticArray(candidate, shape))
        instead = mutate::Instead(simplest, candidate, edit, *node);
      if (!instead.has_value()) continue;
      edit.ReplaceUses(*node, *instead);
    }
    EraseWithCause(candidate, edit, *node);
    changed = true;
  }
  if (!changed) return false;
  edit.EraseDead();
  edit.Commit();
  DropUnusedComputations(candidate);
  return Try(std::move(candidate));
}

bool Reducer::Chunks() {
  bool helped = false;
  for (uint32_t c = static_cast<uint32_t>(module_.computations.size()); c-- > 0;) {
    if (c >= module_.computations.size()) continue;
    for (size_t width = module_.computations[c].instructions.size(); width > 0 && budget_ > 0; width /= 2) {
      for (size_t end = module_.computations[c].instructions.size(); end > 0 && budget_ > 0;) {
        const size_t begin = end - std::min(width, end);
        const size_t before = module_.computations.size();
        if (Chunk(c, begin, end)) helped = true;
        if (module_.computations.size() != before) return true;  // the numbers are others now
        end = std::min(begin, module_.computations[c].instructions.size());
      }
    }
  }
  return helped;
}

// Makes an instruction the call of one of its computations with one of its operands.
void MakeCall(Module& module, Instruction& instruction, uint32_t computation, uint32_t operand) {
  const Reference to = {.kind = Reference::kComputation, .id = computation};
  const AttributeId call =
      module.attribute_table.Add(Key::kToApply, Form::kComputation, {}, std::span(&to, 1));
  instruction.opcode = instruction.wrapped = Opcode::kCall;
  instruction.attributes = module.AddAttributes(std::array{call});
  instruction.operands = module.AddOperands(std::array{operand});
  DropUnusedComputations(module);
}

// Calls and fusions are opened; a loop gives way to a call of its body, a conditional to that of a branch.
bool Reducer::Open() {
  for (uint32_t c = 0; c < module_.computations.size(); ++c) {
    for (uint32_t i = 0; i < module_.computations[c].instructions.size(); ++i) {
      const Instruction& instruction = module_.computations[c].instructions[i];
      if (instruction.opcode == Opcode::kCall || instruction.opcode == Opcode::kFusion) {
        Module candidate = module_;
        if (Inline(candidate, c, i) && Try(std::move(candidate))) return true;
      }
      const bool loop = instruction.opcode == Opcode::kWhile;
      if (!loop && instruction.opcode != Opcode::kConditional) continue;
      const std::vector<uint32_t> called = Called(module_, instruction);
      const std::vector<uint32_t> operands(module_.Operands(instruction).begin(),
                                           module_.Operands(instruction).end());
      for (size_t k = 0; k < called.size(); ++k) {
        const size_t operand = loop ? 0 : k + 1;
        if (operand >= operands.size()) break;
        Module candidate = module_;
        MakeCall(candidate, candidate.computations[c].instructions[i], called[k], operands[operand]);
        if (Try(std::move(candidate))) return true;
      }
    }
  }
  return false;
}

// The one call or fusion of a computation; none where there are more, or others.
struct Caller {
  uint32_t computation = 0, node = 0;
};
std::optional<Caller> CallerOf(const Module& module, uint32_t callee) {
  std::optional<Caller> caller;
  for (uint32_t c = 0; c < module.computations.size(); ++c) {
    const std::vector<Instruction>& instructions = module.computations[c].instructions;
    for (uint32_t i = 0; i < instructions.size(); ++i) {
      const std::vector<uint32_t> called = Called(module, instructions[i]);
      if (std::find(called.begin(), called.end(), callee) == called.end()) continue;
      const bool simple =
          instructions[i].opcode == Opcode::kCall || instructions[i].opcode == Opcode::kFusion;
      if (caller.has_value() || !simple) return std::nullopt;
      caller = Caller{c, i};
    }
  }
  return caller;
}

// The parameters of `callee` that nobody needs go, and their operands in the caller.
void DropUnusedParameters(Module& module, uint32_t callee, const Caller& caller) {
  Editor edit(module, callee), outside(module, caller.computation);
  const std::vector<OperandList> users = edit.Users();
  OperandList& operands = outside.operands(caller.node);
  OperandList kept;
  const std::vector<uint32_t> order = edit.order();
  std::vector<std::optional<uint32_t>> renumbered(operands.size());
  for (size_t number = 0; number < operands.size(); ++number) {
    for (const uint32_t node : order) {
      if (edit.at(node).opcode != Opcode::kParameter || edit.at(node).payload != number) continue;
      if (users[node].empty() && node != edit.root()) {
        edit.Erase(node);
      } else {
        renumbered[number] = static_cast<uint32_t>(kept.size());
        kept.push_back(operands[number]);
      }
    }
  }
  for (const uint32_t node : edit.order()) {
    Instruction& instruction = edit.at(node);
    if (instruction.opcode == Opcode::kParameter && instruction.payload < renumbered.size()) {
      instruction.payload = renumbered[instruction.payload].value_or(0);
    }
  }
  operands = kept;
  edit.Commit();
  outside.EraseDead();
  outside.Commit();
}

// Where the entry ends with a call or fusion, that gives another value, the earliest that will do. And of
// every call and fusion a parameter goes: its users use a constant.
bool Reducer::Signatures() {
  for (uint32_t callee = 0; callee < module_.computations.size(); ++callee) {
    const std::optional<Caller> caller = CallerOf(module_, callee);
    if (!caller.has_value()) continue;
    const bool last =
        caller->computation == module_.entry && caller->node == module_.computations[module_.entry].root;
    for (uint32_t i = 0; i < module_.computations[callee].instructions.size() && budget_ > 0; ++i) {
      const Instruction& instruction = module_.computations[callee].instructions[i];
      Module candidate = module_;
      Editor edit(candidate, callee);
      if (instruction.opcode == Opcode::kParameter && IsStaticArray(candidate, instruction.shape)) {
        Choices constant = Choices::FromTape(kAConstant);
        const std::optional<uint32_t> instead = mutate::Instead(constant, candidate, edit, i);
        edit.ReplaceUses(i, *instead);
      } else if (last && i != module_.computations[callee].root) {
        edit.SetRoot(i);
        candidate.computations[caller->computation].instructions[caller->node].shape = instruction.shape;
      } else {
        continue;
      }
      edit.EraseDead();
      edit.Commit();
      DropUnusedParameters(candidate, callee, *caller);
      DropUnusedComputations(candidate);
      if (Try(std::move(candidate))) return true;
    }
  }
  return false;
}

// Parameters of the entry that nobody uses go, and the numbers close up. A used one becomes a constant.
bool Reducer::Parameters() {
  bool helped = false;
  for (uint32_t number = 0; number < module_.computations[module_.entry].instructions.size();) {
    Module candidate = module_;
    Editor edit(candidate, candidate.entry);
    const std::vector<uint32_t> order = edit.order();
    const auto found = std::find_if(order.begin(), order.end(), [&](uint32_t node) {
      return edit.at(node).opcode == Opcode::kParameter && edit.at(node).payload == number;
    });
    if (found == order.end()) break;
    bool unused = *found != edit.root() && !edit.IsUsed(*found);
    if (!unused && IsStaticArray(candidate, edit.at(*found).shape)) {
      Choices constant = Choices::FromTape(kAConstant);
      const std::optional<uint32_t> instead = mutate::Instead(constant, candidate, edit, *found);
      if (instead.has_value()) edit.ReplaceUses(*found, *instead);
      unused = instead.has_value();
    }
    if (unused) {
      edit.Erase(*found);
      for (const uint32_t node : edit.order()) {
        if (edit.at(node).opcode == Opcode::kParameter && edit.at(node).payload > number)
          --edit.at(node).payload;
      }
      edit.EraseDead();
      edit.Commit();
    }
    if (unused && Try(std::move(candidate))) {
      helped = true;
    } else {
      ++number;
    }
  }
  return helped;
}

bool Reducer::Sizes() {
  bool helped = false;
  std::vector<int64_t> sizes;
  for (ShapeId id = 0; id < module_.shapes.size(); ++id) {
    for (const Dimension& dimension : module_.shapes.Dimensions(id)) sizes.push_back(dimension.size);
  }
  std::sort(sizes.rbegin(), sizes.rend());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  for (const int64_t size : sizes) {
    for (const int64_t smaller : {int64_t{1}, int64_t{2}, int64_t{8}, size / 2}) {
      if (smaller >= size || smaller < 1) continue;
      Module candidate = module_;
      mutate::ChangeSize(candidate, size, smaller);
      if (!Try(std::move(candidate))) continue;
      helped = true;
      break;
    }
  }
  return helped;
}

// Of the header, the computations and the instructions, one attribute after the other.
bool Reducer::Attributes() {
  bool helped = false;
  const auto drop = [&](auto&& list_of) {
    for (uint32_t i = 0; i < list_of(module_).count && budget_ > 0;) {
      Module candidate = module_;
      ListRange& list = list_of(candidate);
      std::vector<AttributeId> kept(candidate.Attributes(list).begin(), candidate.Attributes(list).end());
      kept.erase(kept.begin() + i);
      list = candidate.AddAttributes(kept);
      if (Try(std::move(candidate))) {
        helped = true;
      } else {
        ++i;
      }
    }
  };
  drop([](Module& module) -> ListRange& { return module.attributes; });
  for (size_t c = 0; c < module_.computations.size(); ++c) {
    drop([c](Module& module) -> ListRange& { return module.computations[c].attributes; });
    for (size_t i = 0; i < module_.computations[c].instructions.size(); ++i) {
      drop(
          [c, i](Module& module) -> ListRange& { return module.computations[c].instructions[i].attributes; });
    }
  }
  return helped;
}

// All at once: layouts that differ belong together.
bool Reducer::Layouts() {
  Module candidate = module_;
  ChangeShapes(candidate, [](ShapeTable& shapes, ShapeId id) { return shapes.WithoutLayout(id); });
  return Try(std::move(candidate));
}

}  // namespace

void ReduceModule(Module& module, const std::function<bool(const Module&)>& still_fails, size_t budget,
                  const std::function<bool()>& ended) {
  Reducer(module, still_fails, budget, ended).Run();
}

}  // namespace oomph::hlo
