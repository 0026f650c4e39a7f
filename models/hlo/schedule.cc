// Choosing an order, and laying out all steps in one sequence.
#include "models/hlo/schedule.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <optional>
#include <queue>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "models/hlo/liveness_bytes.h"
#include "models/hlo/verify.h"

namespace oomph::hlo {
namespace {

absl::Status Wrong(const Module& module, const Computation& computation, const Instruction* instruction,
                   std::string_view what) {
  std::string text = absl::StrCat("computation ", std::string(module.Name(computation)));
  if (instruction != nullptr) absl::StrAppend(&text, ", instruction ", std::string(module.Name(*instruction)));
  return absl::InvalidArgumentError(absl::StrCat(text, ": ", std::string(what)));
}

// The instructions that must have run before `instruction`: f(index).
template <typename F>
void ForEachPredecessor(const Module& module, const Instruction& instruction, const F& f) {
  for (const uint32_t operand : module.Operands(instruction)) f(operand);
  const std::optional<AttributeId> control = module.Find(instruction, Key::kControlPredecessors);
  if (!control.has_value()) return;
  for (const Reference& reference : module.attribute_table.References(*control)) {
    if (reference.kind == Reference::kInstruction) f(uint32_t{reference.id});
  }
}

absl::Status CheckComputation(const Module& module, const Computation& computation) {
  const size_t count = computation.instructions.size();
  if (count == 0) return Wrong(module, computation, nullptr, "has no instructions");
  if (computation.root >= count) return Wrong(module, computation, nullptr, "has no such root");
  for (const Instruction& instruction : computation.instructions) {
    bool inside = true;
    ForEachPredecessor(module, instruction, [&](uint32_t index) { inside = inside && index < count; });
    if (!inside) return Wrong(module, computation, &instruction, "an operand is no instruction of its computation");
    for (const uint32_t called : Called(module, instruction)) {
      if (called >= module.computations.size()) {
        return Wrong(module, computation, &instruction, "calls what is no computation of the module");
      }
    }
  }
  return absl::OkStatus();
}

// The computations, each after those that it calls. An error where one is called from within itself. Depth first
// without recursion.
absl::StatusOr<std::vector<uint32_t>> CalleesFirst(const Module& module) {
  enum : uint8_t { kNew, kOpen, kDone };
  std::vector<uint8_t> state(module.computations.size(), kNew);
  std::vector<std::vector<uint32_t>> called(module.computations.size());
  for (size_t c = 0; c < called.size(); ++c) {
    for (const Instruction& instruction : module.computations[c].instructions) {
      for (const FrameCall& call : FrameCalls(module, instruction)) called[c].push_back(call.computation);
    }
  }
  std::vector<uint32_t> order;
  std::vector<std::pair<uint32_t, size_t>> stack;  // a computation, and which of its calls is next
  for (uint32_t from = 0; from < module.computations.size(); ++from) {
    if (state[from] != kNew) continue;
    stack.emplace_back(from, 0);
    state[from] = kOpen;
    while (!stack.empty()) {
      auto& [computation, next] = stack.back();
      if (next == called[computation].size()) {
        state[computation] = kDone;
        order.push_back(computation);
        stack.pop_back();
        continue;
      }
      const uint32_t callee = called[computation][next++];
      if (state[callee] == kOpen) return Wrong(module, module.computations[callee], nullptr, "calls itself");
      if (state[callee] == kNew) {
        state[callee] = kOpen;
        stack.emplace_back(callee, 0);
      }
    }
  }
  return order;
}

// Who waits for whom within one computation, as flat lists.
class Waiting {
 public:
  Waiting(const Module& module, const Computation& computation) : waits_for_(computation.instructions.size(), 0) {
    const auto& instructions = computation.instructions;
    begin_.assign(instructions.size() + 1, 0);
    for (const Instruction& instruction : instructions) {
      ForEachPredecessor(module, instruction, [&](uint32_t index) { ++begin_[index + 1]; });
    }
    for (size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
    users_.resize(begin_.back());
    std::vector<uint32_t> at(begin_.begin(), begin_.end() - 1);
    for (uint32_t i = 0; i < instructions.size(); ++i) {
      ForEachPredecessor(module, instructions[i], [&](uint32_t index) {
        users_[at[index]++] = i;
        ++waits_for_[i];
      });
    }
  }

  // Who waits for `index`, once for each time that it does.
  std::span<const uint32_t> Users(uint32_t index) const {
    return std::span(users_).subspan(begin_[index], begin_[index + 1] - begin_[index]);
  }
  // For how many an instruction still waits.
  std::vector<uint32_t>& waits_for() { return waits_for_; }

 private:
  std::vector<uint32_t> begin_, users_, waits_for_;
};

// All that can run, taken in the order of the text.
class TextOrder {
 public:
  void Add(uint32_t index) { ready_.push(index); }
  bool empty() const { return ready_.empty(); }
  uint32_t Take() {
    const uint32_t index = ready_.top();
    ready_.pop();
    return index;
  }
  void Ran(uint32_t) {}

 private:
  std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready_;
};

class BreadthFirst {
 public:
  void Add(uint32_t index) { ready_.push_back(index); }
  bool empty() const { return ready_.empty(); }
  uint32_t Take() {
    const uint32_t index = ready_.front();
    ready_.pop_front();
    return index;
  }
  void Ran(uint32_t) {}

 private:
  std::deque<uint32_t> ready_;
};

// Takes what adds the fewest bytes: its result, less the operands of which it is the last user. Greedy: the order
// that needs least memory in all is hard to find. Aliases are not looked at.
class LeastMemory {
 public:
  LeastMemory(const Module& module, const Computation& computation, const Waiting& waiting,
              const std::vector<uint64_t>& bytes_of_shape)
      : module_(module), computation_(computation), waiting_(waiting), state_(computation.instructions.size()) {
    for (uint32_t i = 0; i < state_.size(); ++i) {
      state_[i].users_left = static_cast<uint32_t>(waiting.Users(i).size());
      state_[i].bytes = static_cast<double>(bytes_of_shape[computation.instructions[i].shape]);
    }
  }

  void Add(uint32_t index) {
    State& state = state_[index];
    state.ready = true;
    state.cost = state.bytes;
    for (const uint32_t operand : module_.Operands(computation_.instructions[index])) {
      if (state_[operand].users_left == 1) state.cost -= state_[operand].bytes;
    }
    ready_.emplace(state.cost, index);
  }
  bool empty() const { return Skip(), ready_.empty(); }
  uint32_t Take() {
    Skip();
    const uint32_t index = ready_.top().second;
    ready_.pop();
    state_[index].ready = false;
    return index;
  }
  // What has one user left now is freed by that user. Each list of users is looked through once in all.
  void Ran(uint32_t index) {
    for (const uint32_t operand : module_.Operands(computation_.instructions[index])) {
      State& state = state_[operand];
      if (state.users_left == 0 || --state.users_left != 1) continue;
      for (const uint32_t user : waiting_.Users(operand)) {
        if (!state_[user].ready) continue;
        state_[user].cost -= state.bytes;
        ready_.emplace(state_[user].cost, user);
      }
    }
  }

 private:
  struct State {
    double bytes = 0, cost = 0;
    uint32_t users_left = 0;
    bool ready = false;
  };
  using Entry = std::pair<double, uint32_t>;  // cost, index

  // Drops entries that a later one of the same instruction has replaced.
  void Skip() const {
    while (!ready_.empty()) {
      const auto& [cost, index] = ready_.top();
      if (state_[index].ready && state_[index].cost == cost) return;
      ready_.pop();
    }
  }

  const Module& module_;
  const Computation& computation_;
  const Waiting& waiting_;
  std::vector<State> state_;
  mutable std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready_;
};

template <typename Ready>
absl::StatusOr<std::vector<uint32_t>> RunAll(const Module& module, const Computation& computation, Waiting& waiting,
                                             Ready ready) {
  std::vector<uint32_t> order;
  order.reserve(computation.instructions.size());
  std::vector<uint32_t>& waits_for = waiting.waits_for();
  for (uint32_t i = 0; i < waits_for.size(); ++i) {
    if (waits_for[i] == 0) ready.Add(i);
  }
  while (!ready.empty()) {
    const uint32_t index = ready.Take();
    order.push_back(index);
    ready.Ran(index);
    for (const uint32_t user : waiting.Users(index)) {
      if (--waits_for[user] == 0) ready.Add(user);
    }
  }
  if (order.size() != computation.instructions.size()) {
    return Wrong(module, computation, nullptr, "instructions wait for one another in a circle");
  }
  return order;
}

absl::StatusOr<std::vector<uint32_t>> OrderOf(const Module& module, const Computation& computation, Order order,
                                              const std::vector<uint64_t>& bytes_of_shape) {
  Waiting waiting(module, computation);
  switch (order) {
    case Order::kBreadthFirst:
      return RunAll(module, computation, waiting, BreadthFirst());
    case Order::kLeastMemory:
      return RunAll(module, computation, waiting, LeastMemory(module, computation, waiting, bytes_of_shape));
    case Order::kText:
      break;
  }
  return RunAll(module, computation, waiting, TextOrder());
}

// --- the flat sequence -------------------------------------------------------------------------------------------

class Flattening {
 public:
  Flattening(const Module& module, const Schedule& schedule, size_t steps) : module_(module), schedule_(schedule) {
    flat_.steps.reserve(steps);
    flat_.step_of_point.reserve(steps);
    flat_.calls_of_step.reserve(steps);
  }

  Flat Run() {
    Enter({module_.entry, FrameKind::kEntry, 0}, 0, 0);
    while (!open_.empty()) Advance();
    return std::move(flat_);
  }

 private:
  // A frame that runs, how far it has come, and what the instruction that is next still has to call.
  struct Open {
    uint32_t frame = 0;
    uint32_t next = 0;
    std::vector<FrameCall> calls;
    std::vector<uint32_t> called;  // the frames of the calls that have run
    bool asked = false;
  };

  void Enter(const FrameCall& call, uint32_t caller, uint32_t instruction) {
    const size_t count = module_.computations[call.computation].instructions.size();
    Frame frame = {.computation = call.computation, .kind = call.kind, .branch = call.branch, .caller = caller,
                   .call = instruction};
    frame.begin_step = static_cast<uint32_t>(flat_.steps.size());
    frame.point = static_cast<uint32_t>(flat_.step_of_point.size());
    flat_.step_of_point.resize(flat_.step_of_point.size() + count, 0);
    Open open;
    open.frame = static_cast<uint32_t>(flat_.frames.size());
    flat_.frames.push_back(frame);
    open_.push_back(std::move(open));
  }

  // Enters the next frame that the next instruction calls, or runs the instruction, or leaves the frame.
  void Advance() {
    Open& open = open_.back();
    const uint32_t frame = open.frame;
    const std::vector<uint32_t>& order = schedule_[flat_.frames[frame].computation];
    if (open.next == order.size()) {
      flat_.frames[frame].end_step = static_cast<uint32_t>(flat_.steps.size());
      open_.pop_back();
      if (!open_.empty()) open_.back().called.push_back(frame);
      return;
    }
    const uint32_t index = order[open.next];
    const Instruction& instruction = module_.computations[flat_.frames[frame].computation].instructions[index];
    if (!open.asked) {
      open.asked = true;
      open.calls = FrameCalls(module_, instruction);
      open.called.clear();
    }
    if (open.called.size() < open.calls.size()) {
      Enter(open.calls[open.called.size()], frame, index);
    } else {
      Run(open, index);
    }
  }

  void Run(Open& open, uint32_t index) {
    flat_.step_of_point[flat_.frames[open.frame].point + index] = static_cast<uint32_t>(flat_.steps.size());
    flat_.steps.push_back({open.frame, index});
    flat_.calls_of_step.push_back(
        {static_cast<uint32_t>(flat_.callees.size()), static_cast<uint32_t>(open.called.size())});
    flat_.callees.insert(flat_.callees.end(), open.called.begin(), open.called.end());
    ++open.next;
    open.asked = false;
  }

  const Module& module_;
  const Schedule& schedule_;
  Flat flat_;
  std::vector<Open> open_;
};

}  // namespace

bool IsScheduled(const Module& module) {
  const std::optional<AttributeId> id = module.Find(module.attributes, Key::kIsScheduled);
  return id.has_value() && !module.attribute_table.Numbers(*id).empty() &&
         module.attribute_table.Numbers(*id).front() != 0;
}

absl::Status CheckStructure(const Module& module) {
  if (module.entry >= module.computations.size()) return absl::InvalidArgumentError("the module has no entry");
  for (const Computation& computation : module.computations) {
    if (computation.root < computation.instructions.size()) continue;
    return absl::InvalidArgumentError("a computation has no root");
  }
  if (!IsSound(module)) {
    return absl::InvalidArgumentError("an index points outside of the module, or a shape is nested too deep");
  }
  for (const Computation& computation : module.computations) {
    if (const absl::Status status = CheckComputation(module, computation); !status.ok()) return status;
  }
  return CalleesFirst(module).status();
}

absl::StatusOr<Schedule> ScheduleOf(const Module& module, Order order) {
  if (const absl::Status status = CheckStructure(module); !status.ok()) return status;
  if (IsScheduled(module)) order = Order::kText;
  std::vector<uint64_t> bytes_of_shape;
  if (order == Order::kLeastMemory) bytes_of_shape = PlainTreeBytes(module.shapes);
  Schedule schedule;
  schedule.reserve(module.computations.size());
  for (const Computation& computation : module.computations) {
    absl::StatusOr<std::vector<uint32_t>> one = OrderOf(module, computation, order, bytes_of_shape);
    if (!one.ok()) return one.status();
    schedule.push_back(*std::move(one));
  }
  return schedule;
}

absl::Status CheckSchedule(const Module& module, const Schedule& schedule) {
  if (const absl::Status status = CheckStructure(module); !status.ok()) return status;
  if (schedule.size() != module.computations.size()) {
    return absl::InvalidArgumentError("the schedule has not one order for each computation");
  }
  for (size_t c = 0; c < schedule.size(); ++c) {
    const Computation& computation = module.computations[c];
    std::vector<bool> ran(computation.instructions.size(), false);
    for (const uint32_t index : schedule[c]) {
      if (index >= ran.size()) return Wrong(module, computation, nullptr, "the order has an instruction too many");
      const Instruction& instruction = computation.instructions[index];
      bool ready = !ran[index];
      ForEachPredecessor(module, instruction, [&](uint32_t before) { ready = ready && ran[before]; });
      if (!ready) return Wrong(module, computation, &instruction, "runs twice, or before what it needs");
      ran[index] = true;
    }
    if (std::count(ran.begin(), ran.end(), true) != static_cast<std::ptrdiff_t>(ran.size())) {
      return Wrong(module, computation, nullptr, "an instruction does not run");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Flat> Flatten(const Module& module, const Schedule& schedule, size_t max_steps) {
  const absl::StatusOr<std::vector<uint32_t>> order = CalleesFirst(module);
  if (!order.ok()) return order.status();
  std::vector<size_t> steps(module.computations.size(), 0);  // with all that is called; one more than the most is too many
  max_steps = std::min(max_steps, size_t{1} << 30);
  for (const uint32_t c : *order) {
    steps[c] = std::min(max_steps + 1, module.computations[c].instructions.size());
    for (const Instruction& instruction : module.computations[c].instructions) {
      for (const FrameCall& call : FrameCalls(module, instruction)) {
        steps[c] = std::min(max_steps + 1, steps[c] + steps[call.computation]);
      }
    }
  }
  if (steps[module.entry] > max_steps) {
    return absl::ResourceExhaustedError(
        absl::StrCat("laid out with all that they call, the computations have more than ", max_steps, " steps"));
  }
  return Flattening(module, schedule, steps[module.entry]).Run();
}

const Instruction& InstructionOf(const Module& module, const Flat& flat, uint32_t step) {
  const Step& at = flat.steps[step];
  return module.computations[flat.frames[at.frame].computation].instructions[at.instruction];
}

std::vector<FrameCall> FrameCalls(const Module& module, const Instruction& instruction) {
  std::vector<FrameCall> calls;
  const auto add = [&](Key key, FrameKind kind) {
    const std::optional<AttributeId> id = module.Find(instruction, key);
    if (!id.has_value()) return;
    for (const Reference& reference : module.attribute_table.References(*id)) {
      if (reference.kind != Reference::kComputation) continue;
      calls.push_back({reference.id, kind, static_cast<uint32_t>(calls.size())});
    }
  };
  switch (instruction.opcode) {
    case Opcode::kWhile:
      add(Key::kCondition, FrameKind::kCondition);
      add(Key::kBody, FrameKind::kBody);
      break;
    case Opcode::kConditional:
      add(Key::kTrueComputation, FrameKind::kBranch);
      add(Key::kFalseComputation, FrameKind::kBranch);
      add(Key::kBranchComputations, FrameKind::kBranch);
      break;
    case Opcode::kCall:
      add(Key::kToApply, FrameKind::kCall);
      break;
    case Opcode::kAsyncStart:
      // call-start(...), to_apply=%f calls it as well.
      add(instruction.wrapped == Opcode::kCall ? Key::kToApply : Key::kCalls, FrameKind::kAsync);
      break;
    default:
      break;
  }
  return calls;
}

}  // namespace oomph::hlo
