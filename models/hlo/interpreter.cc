// The machine runs: each instruction, loops, branches, and what runs beside the schedule.
#include "models/hlo/interpreter.h"

#include <algorithm>
#include <set>

#include "models/hlo/fill_shapes.h"
#include "models/hlo/interpreter_machine.h"
#include "models/hlo/verify.h"

namespace oomph::hlo {

absl::StatusOr<InterpretedPeak> Machine::Run() {
  std::vector<Tree> arguments;
  for (const Instruction& instruction : module_.computations[module_.entry].instructions) {
    if (instruction.opcode != Opcode::kParameter) continue;
    if (instruction.payload > 10000) return absl::InvalidArgumentError("a parameter's number is too large");
    if (arguments.size() <= instruction.payload) arguments.resize(instruction.payload + 1);
    arguments[instruction.payload] = Make(instruction.shape);
  }
  arguments_ = versions_.size();
  const Tree result = Call(module_.entry, arguments, 0);
  if (!why_.empty()) return absl::ResourceExhaustedError(why_);
  Touch(result, now_);
  KeepArguments(arguments, result);
  return Count();
}

// Runs a computation; what it returns is still there at the next step, whoever runs that.
Tree Machine::Call(uint32_t computation, const std::vector<Tree>& arguments, int depth) {
  if (depth > kMaxDepth) why_ = "calls are nested too deeply";
  std::vector<Tree> values(module_.computations[computation].instructions.size());
  for (uint32_t i = 0; i < values.size() && why_.empty(); ++i) {
    values[i] = Execute(computation, i, values, arguments, depth);
    if (!Spend(1 + values[i].size() * (1 + running_.size()))) break;
    DropUnused(values[i]);
    Touch(values[i], now_);
    Read(computation, i, values);
    for (auto& [start, seen] : running_) seen.insert(seen.end(), values[i].begin(), values[i].end());
    ++now_;
  }
  if (!why_.empty()) return {};
  const Tree result = values[module_.computations[computation].root];
  Touch(result, now_);
  return result;
}

// What was made at this step and then replaced by what is there already, has never been.
void Machine::DropUnused(const Tree& result) {
  const std::set<uint32_t> used(result.begin(), result.end());
  for (size_t v = versions_.size(); v-- > 0 && versions_[v].made == now_;) {
    const bool argument = now_ == 0 && v < arguments_;
    if (!argument && used.count(static_cast<uint32_t>(v)) == 0) versions_[v].bytes = 0;
  }
}

void Machine::Read(uint32_t computation, uint32_t index, const std::vector<Tree>& values) {
  const Instruction& instruction = At(computation, index);
  for (const uint32_t operand : module_.Operands(instruction)) {
    switch (instruction.opcode) {
      case Opcode::kTuple:
      case Opcode::kCall:
      case Opcode::kWhile:  // it has read what it began with when its body began
        break;
      case Opcode::kGetTupleElement:
      case Opcode::kCopy:
        if (!values[operand].empty()) Touch({values[operand][0]}, now_);
        break;
      default:
        Touch(values[operand], now_);
    }
  }
}

std::vector<uint32_t> Machine::Calls(const Instruction& instruction, std::initializer_list<Key> keys) const {
  std::vector<uint32_t> calls;
  for (const Key key : keys) {
    const std::optional<AttributeId> id = module_.Find(instruction, key);
    if (!id.has_value()) continue;
    for (const Reference& reference : module_.attribute_table.References(*id)) {
      if (reference.kind == Reference::kComputation) calls.push_back(reference.id);
    }
  }
  return calls;
}

Tree Machine::Execute(uint32_t computation, uint32_t index, const std::vector<Tree>& values,
                      const std::vector<Tree>& arguments, int depth) {
  const Instruction& instruction = At(computation, index);
  Operands operands;
  for (const uint32_t operand : module_.Operands(instruction)) {
    if (!Spend(1 + values[operand].size())) return {};
    operands.trees.push_back(values[operand]);
    operands.shapes.push_back(At(computation, operand).shape);
  }
  switch (instruction.opcode) {
    case Opcode::kParameter:
      if (instruction.payload < arguments.size() && !arguments[instruction.payload].empty()) {
        return arguments[instruction.payload];
      }
      return Make(instruction.shape);
    case Opcode::kWhile:
      if (operands.size() > 0) return Loop(instruction, operands.trees[0], depth);
      break;
    case Opcode::kConditional:
      return Branch(instruction, operands, depth);
    case Opcode::kCall:
      if (const auto calls = Calls(instruction, {Key::kToApply}); !calls.empty()) {
        return Call(calls[0], operands.trees, depth + 1);
      }
      break;
    case Opcode::kAsyncStart:
      return Start(instruction, operands, depth);
    default:
      break;
  }
  return Compute(computation, instruction, operands);
}

// What runs no computation: it passes an operand on, or makes a result.
Tree Machine::Compute(uint32_t computation, const Instruction& instruction, const Operands& operands) {
  if (operands.size() > 0) {
    switch (instruction.opcode) {
      case Opcode::kGetTupleElement: {
        const int64_t element = module_.Number(instruction, Key::kIndex, -1);
        Tree part = Element(operands.shapes[0], operands.trees[0], element);
        if (part.size() == Size(instruction.shape)) return part;
        break;
      }
      case Opcode::kBitcast:
      case Opcode::kOptBarrier:
      case Opcode::kDomain:
      case Opcode::kAddDependency:
      case Opcode::kAllReduceDone:
        if (operands.trees[0].size() == Size(instruction.shape)) return operands.trees[0];
        break;
      default:
        break;
    }
  }
  Tree result = Make(instruction.shape);
  if (why_.empty() && operands.size() > 0) {
    Fill(instruction, operands, result);
    InPlace(instruction, operands, result, links_, 0);
  }
  if (instruction.opcode == Opcode::kAsyncDone || instruction.opcode == Opcode::kAsyncUpdate) {
    GoOn(computation, instruction);
  }
  return result;
}

// What of a new result is not new.
void Machine::Fill(const Instruction& instruction, const Operands& operands, Tree& result) {
  const ShapeId shape = instruction.shape;
  const Tree& first = operands.trees[0];
  switch (instruction.opcode) {
    case Opcode::kTuple:
      for (size_t i = 0; i < operands.size(); ++i) {
        PutFitting(shape, result, static_cast<int64_t>(i), operands.trees[i]);
      }
      break;
    case Opcode::kCopy:  // the elements of a tuple stay where they are
      for (size_t i = 1; i < result.size() && result.size() == first.size(); ++i) result[i] = first[i];
      break;
    case Opcode::kCopyStart:
      PutFitting(shape, result, 1, first);
      break;
    case Opcode::kSend:
      PutFitting(shape, result, 0, first);
      break;
    case Opcode::kCopyDone:
    case Opcode::kRecvDone: {
      const Tree part = Element(operands.shapes[0], first, 0);
      if (instruction.opcode == Opcode::kRecvDone) {
        PutFitting(shape, result, 0, part);
      } else if (part.size() == result.size()) {
        result = part;
      }
      break;
    }
    case Opcode::kAllGatherStart:
    case Opcode::kCollectivePermuteStart:
      PutOperands(shape, operands, result);
      break;
    case Opcode::kAllGatherDone:
    case Opcode::kCollectivePermuteDone:
    case Opcode::kAsyncDone:
      TakeArrays(shape, result, Element(operands.shapes[0], first, 1));
      break;
    case Opcode::kAsyncUpdate:
      TakeArrays(shape, result, first);
      break;
    default:
      break;
  }
}

// Element 0 of a start: its operand, or a new table with all operands.
void Machine::PutOperands(ShapeId shape, const Operands& operands, Tree& result) {
  if (ElementCount(shape) == 0) return;
  const ShapeId first = ElementShape(shape, 0);
  if (operands.size() > 0 && operands.trees[0].size() == Size(first)) {
    Put(shape, result, 0, operands.trees[0]);
    return;
  }
  Tree part = Element(shape, result, 0);
  for (size_t i = 0; i < operands.size(); ++i) PutFitting(first, part, static_cast<int64_t>(i), operands.trees[i]);
  Put(shape, result, 0, part);
}

// Twice round, so that the second round finds what the first has left.
Tree Machine::Loop(const Instruction& instruction, const Tree& init, int depth) {
  const std::vector<uint32_t> condition = Calls(instruction, {Key::kCondition});
  const std::vector<uint32_t> body = Calls(instruction, {Key::kBody});
  Tree state = init;
  for (int round = 0; round < 2 && why_.empty(); ++round) {
    if (!condition.empty()) Call(condition[0], {state}, depth + 1);
    if (body.empty()) break;
    const Tree next = Call(body[0], {state}, depth + 1);
    OneMemory(state, next, links_);
    if (next.size() != state.size()) break;
    state = next;
  }
  return state;
}

// Nobody knows which branch runs: memory must be there for each, one after another.
Tree Machine::Branch(const Instruction& instruction, const Operands& operands, int depth) {
  std::vector<Tree> results;
  size_t branch = 0;
  for (const uint32_t call :
       Calls(instruction, {Key::kTrueComputation, Key::kFalseComputation, Key::kBranchComputations})) {
    ++branch;
    results.push_back(Call(call, {branch < operands.size() ? operands.trees[branch] : Tree()}, depth + 1));
  }
  Tree result = Make(instruction.shape);
  for (size_t i = 0; i < result.size() && !results.empty() && why_.empty(); ++i) {
    bool same = true;
    for (const Tree& other : results) {
      if (other.size() != result.size() || !Spend(1)) return result;
      same = same && other[i] == results[0][i];
    }
    if (same) {
      result[i] = results[0][i];
    } else {
      for (const Tree& other : results) OneMemory(other[i], result[i], links_);
    }
  }
  return result;
}

// --- what runs beside the schedule ---

Tree Machine::Start(const Instruction& instruction, const Operands& operands, int depth) {
  const Key key = instruction.wrapped == Opcode::kCall ? Key::kToApply : Key::kCalls;  // call-start, too
  const std::vector<uint32_t> calls = Calls(instruction, {key});
  std::vector<uint32_t> seen;
  Tree computed;
  if (!calls.empty()) {
    running_.emplace_back(&instruction, std::vector<uint32_t>());
    computed = Call(calls[0], operands.trees, depth + 1);
    seen = std::move(running_.back().second);
    running_.pop_back();
  }
  Tree result = Make(instruction.shape);
  if (!why_.empty()) return result;
  const ShapeId shape = instruction.shape;
  if (ElementCount(shape) > 0) {
    Tree part = Element(shape, result, 0);
    for (size_t i = 0; i < operands.size(); ++i) {
      PutFitting(ElementShape(shape, 0), part, static_cast<int64_t>(i), operands.trees[i]);
    }
    Put(shape, result, 0, part);
  }
  if (ElementCount(shape) > 1) {
    Tree part = Element(shape, result, 1);
    TakeArrays(ElementShape(shape, 1), part, computed);
    Put(shape, result, 1, part);
  }
  Declared(instruction, operands, result, links_);
  Touch(seen, now_);
  beside_[&instruction] = std::move(seen);  // what was there is of another round
  return result;
}

// An update or a done: what its start runs is still running until now.
void Machine::GoOn(uint32_t computation, const Instruction& instruction) {
  const Instruction* start = &instruction;
  for (int steps = 0; steps < 1000 && Spend(1) && start->opcode != Opcode::kAsyncStart; ++steps) {
    if ((start->opcode != Opcode::kAsyncUpdate && start->opcode != Opcode::kAsyncDone) ||
        module_.Operands(*start).empty()) {
      return;
    }
    start = &At(computation, module_.Operands(*start)[0]);
  }
  if (const auto seen = beside_.find(start); seen != beside_.end() && Spend(seen->second.size())) {
    Touch(seen->second, now_);
  }
}

absl::StatusOr<InterpretedPeak> InterpretPeak(const Module& module, const InterpreterOptions& options) {
  if (!IsSound(module)) return absl::InvalidArgumentError("the module has no entry, or points at what is not there");
  for (const Computation& computation : module.computations) {
    for (uint32_t i = 0; i < computation.instructions.size(); ++i) {
      for (const uint32_t operand : module.Operands(computation.instructions[i])) {
        if (operand >= i) return absl::InvalidArgumentError("an operand stands after its user");
      }
    }
  }
  std::shared_ptr<const Module> filled;
  (void)FillShapes(module, filled);  // what is still missing is seen where it is made
  return Machine(filled != nullptr ? *filled : module, options).Run();
}

}  // namespace oomph::hlo
