// Follows values through the flat sequence, step by step, and joins those that share a buffer.
#include "models/hlo/alias.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "models/hlo/alias_join.h"
#include "models/hlo/alias_rules.h"

namespace oomph::hlo {
namespace {

// The nodes from `begin` on, of a result: a tree or a part of one.
struct Nodes {
  uint64_t begin = 0, count = 0;
};

class Dataflow {
 public:
  Dataflow(const Module& module, const Flat& flat, const ShapeNodes& nodes, InPlace in_place)
      : module_(module),
        flat_(flat),
        nodes_(nodes),
        in_place_(in_place),
        in_place_pairs_(module, nodes),
        tree_needed_(flat.steps.size(), 0),
        loop_parameter_(flat.frames.size(), kAnyStep) {}

  absl::StatusOr<Aliases> Run(uint64_t max_nodes) {
    if (!LayOut(max_nodes)) {
      return absl::ResourceExhaustedError(absl::StrCat("the results have more than ", max_nodes, " parts"));
    }
    for (uint32_t step = 0; step < flat_.steps.size(); ++step) Follow(step);
    ReturnFromEntry();
    KeepAsyncFrames();
    JoinAliasedOutputs();
    NeedTrees();
    if (in_place_pairs_.exhausted()) return absl::ResourceExhaustedError("the fusions are too large to be looked into");
    joins_.Finish(in_place_ == InPlace::kWhereDying, static_cast<uint32_t>(flat_.steps.size()), result_);
    return std::move(result_);
  }

 private:
  bool LayOut(uint64_t max_nodes) {
    uint64_t total = 0;
    result_.first_node_of_step.reserve(flat_.steps.size() + 1);
    for (uint32_t step = 0; step < flat_.steps.size(); ++step) {
      result_.first_node_of_step.push_back(total);
      total += nodes_.Count(InstructionOf(module_, flat_, step).shape);
      if (total > max_nodes) return false;
    }
    result_.first_node_of_step.push_back(total);
    result_.value_of_node.assign(total, UINT32_MAX);
    return true;
  }

  // --- places ---

  const Instruction& At(uint32_t step) const { return InstructionOf(module_, flat_, step); }
  uint32_t StepOfOperand(uint32_t step, size_t operand) const {
    return flat_.StepOf(flat_.steps[step].frame, module_.Operands(At(step))[operand]);
  }
  Nodes All(uint32_t step) const {
    return {result_.first_node_of_step[step],
            result_.first_node_of_step[step + 1] - result_.first_node_of_step[step]};
  }
  // The part of a result below one of its elements, or all of it. Nothing where there is no such element.
  Nodes Part(uint32_t step, int element) const {
    if (element == kAll) return All(step);
    const ShapeId shape = At(step).shape;
    const size_t index = static_cast<size_t>(element);
    if (module_.shapes[shape].type != Type::kTuple || index >= module_.shapes[shape].count) return {};
    return {result_.first_node_of_step[step] + nodes_.ElementNode(shape, index),
            nodes_.Count(module_.shapes.Elements(shape)[index])};
  }
  Nodes Below(Nodes tree) const { return tree.count == 0 ? tree : Nodes{tree.begin + 1, tree.count - 1}; }
  uint32_t RootStep(uint32_t frame) const {
    return flat_.StepOf(frame, module_.computations[flat_.frames[frame].computation].root);
  }
  uint32_t& ValueAt(uint64_t node) { return result_.value_of_node[node]; }
  uint32_t Same(uint64_t node) { return joins_.Same(ValueAt(node)); }

  // --- what a step does ---

  void Follow(uint32_t step) {
    const Instruction& instruction = At(step);
    const std::span<const uint32_t> callees = CalleesOf(step);
    switch (instruction.opcode) {
      case Opcode::kParameter:
        FollowParameter(step);
        break;
      case Opcode::kTuple:
        FollowTuple(step);
        break;
      case Opcode::kGetTupleElement:
        if (Has(step, 1)) {
          const int64_t index = module_.Number(instruction, Key::kIndex, -1);
          if (index >= 0 && index < INT32_MAX) PassOn(All(step), Part(StepOfOperand(step, 0), static_cast<int>(index)));
        }
        break;
      case Opcode::kCopy:
        if (Has(step, 1)) PassOn(Below(All(step)), Below(All(StepOfOperand(step, 0))));
        break;
      case Opcode::kAllGatherStart:
      case Opcode::kCollectivePermuteStart:
        FollowStart(step);
        break;
      case Opcode::kAsyncStart:
        FollowOperandTuple(step);
        if (!callees.empty()) PassOnArrays(step, Part(step, 1), All(RootStep(callees[0])));
        break;
      case Opcode::kCall:
        if (!callees.empty()) PassOn(All(step), All(RootStep(callees[0])));
        break;
      case Opcode::kConditional:
        FollowConditional(step, callees);
        break;
      case Opcode::kWhile:
        FollowWhile(step, callees);
        break;
      default:
        FollowRow(step, FlowOf(instruction.opcode));
    }
    DefineRest(step);
    NeedTree(step, step);  // wherever a value lies, it is there
    Read(step);
    JoinInPlace(step);
    LeaveFrames(callees);
    FollowAsync(step);
  }

  // An update or a done belongs to the start of what it takes: the last one is the end of the computation.
  void FollowAsync(uint32_t step) {
    const Opcode opcode = At(step).opcode;
    if (opcode == Opcode::kAsyncStart) {
      async_start_[step] = step;
      async_last_[step] = step;
    } else if ((opcode == Opcode::kAsyncUpdate || opcode == Opcode::kAsyncDone) && Has(step, 1)) {
      const auto found = async_start_.find(StepOfOperand(step, 0));
      if (found == async_start_.end()) return;
      const uint32_t start = found->second;
      async_start_[step] = start;
      async_last_[start] = step;
    }
  }

  std::span<const uint32_t> CalleesOf(uint32_t step) const {
    const Flat::Calls calls = flat_.calls_of_step[step];
    return std::span(flat_.callees).subspan(calls.begin, calls.count);
  }

  bool Has(uint32_t step, size_t operands) const { return module_.Operands(At(step)).size() >= operands; }

  // Every node of `to` is what the same node of `from` is. Nothing where the trees are not alike.
  void PassOn(Nodes to, Nodes from) {
    if (to.count != from.count) return;
    for (uint64_t i = 0; i < to.count; ++i) ValueAt(to.begin + i) = ValueAt(from.begin + i);
  }

  // The arrays only: each table of pointers is a new one.
  void PassOnArrays(uint32_t step, Nodes to, Nodes from) {
    if (to.count != from.count || to.count == 0) return;
    shapes_.clear();
    nodes_.List(nodes_.At(At(step).shape, to.begin - result_.first_node_of_step[step]), shapes_);
    for (uint64_t i = 0; i < to.count; ++i) {
      if (module_.shapes[shapes_[i]].type != Type::kTuple) ValueAt(to.begin + i) = ValueAt(from.begin + i);
    }
    shapes_.clear();
  }

  void FollowRow(uint32_t step, const FlowRow& row) {
    const PassedOn& passed = row.passed;
    if (passed.result == kNowhere || !Has(step, static_cast<size_t>(passed.operand) + 1)) return;
    const Nodes to = Part(step, passed.result);
    const Nodes from = Part(StepOfOperand(step, static_cast<size_t>(passed.operand)), passed.from);
    if (row.tables == Tables::kNew) {
      PassOnArrays(step, to, from);
    } else {
      PassOn(to, from);
    }
  }

  void FollowTuple(uint32_t step) {
    const size_t operands = module_.Operands(At(step)).size();
    for (size_t i = 0; i < operands && i < INT32_MAX; ++i) {
      PassOn(Part(step, static_cast<int>(i)), All(StepOfOperand(step, i)));
    }
  }

  // (operand, result), or ((operands), (results)).
  void FollowStart(uint32_t step) {
    if (Has(step, 1) && Part(step, 0).count == All(StepOfOperand(step, 0)).count) {
      FollowRow(step, FlowOf(At(step).opcode));
    } else {
      FollowOperandTuple(step);
    }
  }

  // Element {0} of the result is a new table of pointers to the operands.
  void FollowOperandTuple(uint32_t step) {
    const ShapeId shape = At(step).shape;
    if (module_.shapes[shape].type != Type::kTuple || module_.shapes[shape].count == 0) return;
    const ShapeId tuple = module_.shapes.Elements(shape)[0];
    if (module_.shapes[tuple].type != Type::kTuple) return;
    const uint64_t begin = Part(step, 0).begin;
    const size_t count = std::min<size_t>(module_.shapes[tuple].count, module_.Operands(At(step)).size());
    for (size_t i = 0; i < count; ++i) {
      PassOn({begin + nodes_.ElementNode(tuple, i), nodes_.Count(module_.shapes.Elements(tuple)[i])},
             All(StepOfOperand(step, i)));
    }
  }

  // A parameter of a call, a branch or an async computation is what the caller gives it.
  void FollowParameter(uint32_t step) {
    const Frame& frame = flat_.FrameOf(flat_.steps[step]);
    const uint32_t number = At(step).payload;
    const Instruction& call = module_.computations[flat_.frames[frame.caller].computation].instructions[frame.call];
    const std::span<const uint32_t> operands = module_.Operands(call);
    size_t operand = number;
    switch (frame.kind) {
      case FrameKind::kEntry:
        return;
      case FrameKind::kBranch:
        operand = size_t{1} + frame.branch;
        break;
      case FrameKind::kCondition:
      case FrameKind::kBody:
        EnterLoop(step, frame, operands);
        return;
      case FrameKind::kCall:
      case FrameKind::kAsync:
        break;
    }
    if (operand < operands.size()) PassOn(All(step), All(flat_.StepOf(frame.caller, operands[operand])));
  }

  // The parameter of a loop's body or condition holds new values: in later rounds they are the body's results. What
  // the loop begins with is read here.
  void EnterLoop(uint32_t step, const Frame& frame, std::span<const uint32_t> operands) {
    DefineRest(step);
    if (operands.empty()) return;
    NeedTree(flat_.StepOf(frame.caller, operands[0]), step);
    loop_parameter_[flat_.steps[step].frame] = step;
  }

  // Where all branches return the same value, that is the result; else a new one, in the buffer of each.
  void FollowConditional(uint32_t step, std::span<const uint32_t> callees) {
    const Nodes result = All(step);
    std::vector<Nodes> roots;
    for (const uint32_t callee : callees) {
      if (const Nodes root = All(RootStep(callee)); root.count == result.count) roots.push_back(root);
    }
    for (uint64_t i = 0; i < result.count && !roots.empty(); ++i) {
      const auto same = [&](Nodes root) { return Same(root.begin + i) == Same(roots[0].begin + i); };
      if (std::all_of(roots.begin(), roots.end(), same)) ValueAt(result.begin + i) = ValueAt(roots[0].begin + i);
    }
    DefineRest(step);
    for (const Nodes root : roots) {
      for (uint64_t i = 0; i < result.count; ++i) Join(ValueAt(root.begin + i), ValueAt(result.begin + i));
    }
  }

  // What the body returns as it got it, is what the loop began with. All else is carried in one buffer, which the
  // condition only looks at: it holds the same until the body begins.
  void FollowWhile(uint32_t step, std::span<const uint32_t> callees) {
    const Nodes result = All(step);
    uint32_t condition = kAnyStep, body = kAnyStep, root = kAnyStep;
    for (const uint32_t callee : callees) {
      const bool is_body = flat_.frames[callee].kind == FrameKind::kBody;
      if (is_body) root = RootStep(callee);
      (is_body ? body : condition) = loop_parameter_[callee];
    }
    if (!Has(step, 1) || body == kAnyStep || root == kAnyStep) return;
    const Nodes init = All(StepOfOperand(step, 0)), parameter = All(body), returned = All(root);
    const Nodes asked = condition == kAnyStep ? Nodes{} : All(condition);
    if (init.count != result.count || parameter.count != result.count || returned.count != result.count) return;
    const bool with_condition = asked.count == result.count;
    std::vector<bool> kept(result.count);
    for (uint64_t i = 0; i < result.count; ++i) {
      kept[i] = Same(returned.begin + i) == Same(parameter.begin + i);
    }
    for (uint64_t i = 0; i < result.count; ++i) {
      if (!kept[i]) continue;
      JoinSame(parameter.begin + i, init.begin + i);
      if (with_condition) JoinSame(asked.begin + i, init.begin + i);
      ValueAt(result.begin + i) = ValueAt(init.begin + i);
    }
    DefineRest(step);
    for (uint64_t i = 0; with_condition && i < result.count; ++i) Need(asked.begin + i, body);
    for (uint64_t i = 0; i < result.count; ++i) {
      if (kept[i]) continue;
      const uint32_t carried = ValueAt(parameter.begin + i);
      JoinUntil(ValueAt(init.begin + i), carried, body);
      if (with_condition) Join(ValueAt(asked.begin + i), carried);
      Join(ValueAt(returned.begin + i), carried);
      Join(ValueAt(result.begin + i), carried);
    }
  }

  // Nodes that nobody has passed anything on to hold new values.
  void DefineRest(uint32_t step) {
    const Nodes all = All(step);
    shapes_.clear();
    for (uint64_t i = 0; i < all.count; ++i) {
      if (ValueAt(all.begin + i) != UINT32_MAX) continue;
      if (shapes_.empty()) nodes_.List(At(step).shape, shapes_);
      Value value;
      value.step = value.first = value.last = step;
      value.node = i;
      value.shape = shapes_[i];
      value.constant = At(step).opcode == Opcode::kConstant;
      value.parameter = flat_.steps[step].frame == 0 && At(step).opcode == Opcode::kParameter;
      if (value.parameter) value.first = 0;
      ValueAt(all.begin + i) = joins_.Add();
      result_.values.push_back(value);
    }
  }

  // --- reading ---

  void Need(uint64_t node, uint32_t step) {
    uint32_t& last = result_.values[ValueAt(node)].last;
    last = std::max(last, step);
  }
  // All of a result. Many may read one large tree, so its parts are gone through once, at the end.
  void NeedTree(uint32_t of, uint32_t step) { tree_needed_[of] = std::max(tree_needed_[of], step); }
  void NeedTrees() {
    for (uint32_t step = 0; step < flat_.steps.size(); ++step) {
      const Nodes all = All(step);
      for (uint64_t i = 0; i < all.count; ++i) Need(all.begin + i, tree_needed_[step]);
    }
  }

  void Read(uint32_t step) {
    const Instruction& instruction = At(step);
    const Reads reads = FlowOf(instruction.opcode).reads;
    // A loop has read at the parameter of its body, if it has one.
    if (reads == Reads::kNone || (instruction.opcode == Opcode::kWhile && !CalleesOf(step).empty())) return;
    for (size_t k = 0; k < module_.Operands(instruction).size(); ++k) {
      const uint32_t operand = StepOfOperand(step, k);
      if (reads == Reads::kTop) {
        Need(result_.first_node_of_step[operand], step);
      } else {
        NeedTree(operand, step);
      }
    }
  }

  // What a computation returns is needed at the step after its last.
  void LeaveFrames(std::span<const uint32_t> callees) {
    for (const uint32_t callee : callees) NeedTree(RootStep(callee), flat_.frames[callee].end_step);
  }

  void ReturnFromEntry() {
    NeedTree(RootStep(0), static_cast<uint32_t>(flat_.steps.size()));
    const Nodes root = All(RootStep(0));
    for (uint64_t i = 0; i < root.count; ++i) result_.values[ValueAt(root.begin + i)].output = true;
  }

  // An async computation runs beside what is scheduled between its start and its done: until then all that it makes
  // or reads stays, wherever in its order that is.
  void KeepAsyncFrames() {
    std::vector<uint32_t> until(flat_.frames.size(), 0);
    bool any = false;
    for (uint32_t f = 0; f < flat_.frames.size(); ++f) {
      const Frame& frame = flat_.frames[f];
      if (f != 0) until[f] = until[frame.caller];  // a caller begins before what it calls
      if (frame.kind == FrameKind::kAsync) {
        until[f] = std::max(until[f], async_last_[flat_.StepOf(frame.caller, frame.call)]);
        any = true;
      }
    }
    for (uint32_t step = 0; any && step < flat_.steps.size(); ++step) {
      NeedTree(step, until[flat_.steps[step].frame]);
    }
  }

  // --- joining ---

  void JoinSame(uint64_t node, uint64_t with) { joins_.AreSame(ValueAt(node), ValueAt(with)); }
  void Join(uint32_t value, uint32_t other) { joins_.ShareBuffer(value, other, kAnyStep); }
  void JoinUntil(uint32_t value, uint32_t other, uint32_t step) {
    joins_.ShareBuffer(value, other, in_place_ == InPlace::kAlways ? kAnyStep : step);
  }

  void JoinInPlace(uint32_t step) {
    const Step& at = flat_.steps[step];
    const Computation& computation = module_.computations[flat_.frames[at.frame].computation];
    for (const InPlacePair& pair : in_place_pairs_.Of(computation, At(step))) {
      const Nodes operand = All(StepOfOperand(step, pair.operand)), result = All(step);
      if (pair.operand_node >= operand.count || pair.result_node >= result.count) continue;
      JoinUntil(ValueAt(operand.begin + pair.operand_node), ValueAt(result.begin + pair.result_node), step);
    }
  }

  // input_output_alias: the output lies where the parameter lay.
  void JoinAliasedOutputs() {
    for (const auto& [parameter_node, output_node] : AliasedOutputs()) {
      Value& parameter = result_.values[ValueAt(parameter_node)];
      joins_.GiveAway(ValueAt(parameter_node));
      if (parameter.parameter) Join(ValueAt(parameter_node), ValueAt(output_node));
    }
    for (const uint64_t node : DonatedNodes()) joins_.GiveAway(ValueAt(node));
  }

  // The first instruction that is this parameter of the entry, by number.
  std::map<int64_t, uint32_t> EntryParameters() const {
    std::map<int64_t, uint32_t> parameters;
    const Computation& entry = module_.computations[module_.entry];
    for (uint32_t i = 0; i < entry.instructions.size(); ++i) {
      if (entry.instructions[i].opcode == Opcode::kParameter) parameters.emplace(entry.instructions[i].payload, i);
    }
    return parameters;
  }

  std::optional<uint64_t> NodeOfParameter(const std::map<int64_t, uint32_t>& parameters, int64_t number,
                                          std::span<const int64_t> index) const {
    const auto found = parameters.find(number);
    if (found == parameters.end()) return std::nullopt;
    const uint32_t step = flat_.StepOf(0, found->second);
    const uint64_t node = nodes_.NodeAt(At(step).shape, index);
    if (node == UINT64_MAX) return std::nullopt;
    return result_.first_node_of_step[step] + node;
  }

  std::vector<std::pair<uint64_t, uint64_t>> AliasedOutputs() const {
    std::vector<std::pair<uint64_t, uint64_t>> pairs;
    const std::optional<AttributeId> id = module_.Find(module_.attributes, Key::kInputOutputAlias);
    if (!id.has_value() || module_.attribute_table[*id].form != Form::kAliases) return pairs;
    const uint32_t root = RootStep(0);
    const std::map<int64_t, uint32_t> parameters = EntryParameters();
    for (const Alias& alias : AliasesOf(module_.attribute_table.Numbers(*id))) {
      const std::optional<uint64_t> parameter = NodeOfParameter(parameters, alias.parameter, alias.index);
      const uint64_t node = nodes_.NodeAt(At(root).shape, alias.output);
      if (parameter.has_value() && node != UINT64_MAX) {
        pairs.emplace_back(*parameter, result_.first_node_of_step[root] + node);
      }
    }
    return pairs;
  }

  std::vector<uint64_t> DonatedNodes() const {
    std::vector<uint64_t> donated;
    const std::optional<AttributeId> id = module_.Find(module_.attributes, Key::kBufferDonor);
    if (!id.has_value() || module_.attribute_table[*id].form != Form::kDonors) return donated;
    const std::map<int64_t, uint32_t> parameters = EntryParameters();
    for (NumberReader reader(module_.attribute_table.Numbers(*id)); !reader.done();) {
      const int64_t parameter = reader.Next();
      const std::span<const int64_t> index = reader.List();
      if (const std::optional<uint64_t> node = NodeOfParameter(parameters, parameter, index)) donated.push_back(*node);
    }
    return donated;
  }

  const Module& module_;
  const Flat& flat_;
  const ShapeNodes& nodes_;
  const InPlace in_place_;
  InPlaceFinder in_place_pairs_;
  Aliases result_;
  Joins joins_;
  std::vector<uint32_t> tree_needed_;     // by step: until when all of its result is
  std::vector<uint32_t> loop_parameter_;  // by frame: the step of it
  std::vector<ShapeId> shapes_;
  std::map<uint32_t, uint32_t> async_start_, async_last_;  // by step
};

}  // namespace

absl::StatusOr<Aliases> AliasesOfModule(const Module& module, const Flat& flat, const ShapeNodes& nodes,
                                        InPlace in_place, uint64_t max_nodes) {
  return Dataflow(module, flat, nodes, in_place).Run(max_nodes);
}

}  // namespace oomph::hlo
