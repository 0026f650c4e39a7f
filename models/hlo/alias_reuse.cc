// Goes through all values in the order of their steps and moves those that may lie over a dying operand.
#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "models/hlo/alias_reuse.h"
#include "models/hlo/alias_rules.h"

namespace oomph::hlo {
namespace {

class Reusing {
 public:
  Reusing(const Module& module, const Flat& flat, const ShapeNodes& nodes, Aliases& aliases)
      : module_(module), flat_(flat), aliases_(aliases), rules_(module, nodes) {}

  void Run() {
    values_of_.assign(aliases_.buffers, 0);
    for (const Value& value : aliases_.values) ++values_of_[value.buffer];
    taken_.assign(aliases_.values.size(), false);
    CountUsers();
    uint32_t step = UINT32_MAX;
    for (const Value& value : aliases_.values) {
      if (value.step != step) {
        step = value.step;
        FindDying(step);
      }
      if (!dying_.empty()) Reuse(value);
    }
    Move();
  }

 private:
  // An operand of the step at hand that dies with it.
  struct Dying {
    size_t operand = 0;
    uint32_t value = 0;
    OperandReuse::Uses uses;
  };
  // Those of one form, ascending; the first `done` of them are taken.
  struct Alike {
    std::vector<uint32_t> dying;
    size_t done = 0;
  };

  const Instruction& At(uint32_t step) const { return InstructionOf(module_, flat_, step); }

  // Equal for shapes that may be in one buffer; for others seldom.
  uint64_t FormOf(ShapeId shape) const {
    uint64_t hash = static_cast<uint64_t>(module_.shapes[shape].type) + 1;
    for (const Dimension& dimension : module_.shapes.Dimensions(shape)) {
      hash = (hash ^ static_cast<uint64_t>(dimension.size)) * 0x9e3779b97f4a7c15;
      hash ^= hash >> 29;
    }
    return hash;
  }

  void FindDying(uint32_t step) {
    dying_.clear();
    alike_.clear();
    by_source_.clear();
    if (!rules_.OfAny(At(step))) return;
    const Step& at = flat_.steps[step];
    const std::span<const uint32_t> operands = module_.Operands(At(step));
    for (size_t k = 0; k < operands.size(); ++k) {
      const uint32_t operand_step = flat_.StepOf(at.frame, operands[k]);
      const uint32_t v = aliases_.ValueAt(operand_step, 0);
      const Value& operand = aliases_.values[v];
      if (operand.last != step || values_of_[operand.buffer] != 1) continue;
      // What was passed on from elsewhere is not looked at: the rules are about the operation that computed it.
      if (operand.step != operand_step || operand.node != 0) continue;
      const uint32_t index = static_cast<uint32_t>(dying_.size());
      dying_.push_back({k, v, {users_[flat_.frames[at.frame].point + operands[k]], 0}});
      alike_[FormOf(operand.shape)].dying.push_back(index);
      by_source_.emplace(operands[k], index);
    }
    absl::flat_hash_map<uint32_t, size_t> times;
    for (const uint32_t operand : operands) ++times[operand];
    for (Dying& dying : dying_) dying.uses.here = times[operands[dying.operand]];
  }

  void Reuse(const Value& value) {
    if (values_of_[value.buffer] != 1 || value.parameter || value.constant) return;
    const Computation& computation = module_.computations[flat_.FrameOf(flat_.steps[value.step]).computation];
    const Instruction& instruction = At(value.step);
    size_t first = dying_.size();
    const auto look = [&](uint32_t index) {
      const Dying& dying = dying_[index];
      if (index >= first || taken_[dying.value]) return;
      if (rules_.Of(computation, instruction, dying.operand, value.node, dying.uses)) first = index;
    };
    if (const auto alike = alike_.find(FormOf(value.shape)); alike != alike_.end()) {
      auto& [list, done] = alike->second;
      while (done < list.size() && taken_[dying_[list[done]].value]) ++done;
      for (size_t i = done; i < list.size() && first == dying_.size(); ++i) look(list[i]);
    }
    for (const uint32_t source : rules_.InPlaceSources(computation, instruction, value.node)) {
      if (const auto found = by_source_.find(source); found != by_source_.end()) look(found->second);
    }
    if (first == dying_.size()) return;
    reused_.emplace_back(dying_[first].value, value.buffer);
    taken_[dying_[first].value] = true;
  }

  // From the first to the last, so that a chain ends in one buffer.
  void Move() {
    std::vector<uint32_t> buffer_of(aliases_.buffers);
    for (uint32_t b = 0; b < buffer_of.size(); ++b) buffer_of[b] = b;
    for (const auto& [operand, buffer] : reused_) buffer_of[buffer] = buffer_of[aliases_.values[operand].buffer];
    for (Value& value : aliases_.values) value.buffer = buffer_of[value.buffer];
  }

  // How many instructions use each, counted once for each computation as it runs.
  void CountUsers() {
    users_.assign(flat_.step_of_point.size(), 0);
    for (const Step& step : flat_.steps) {
      const Frame& frame = flat_.frames[step.frame];
      const std::span<const uint32_t> operands =
          module_.Operands(module_.computations[frame.computation].instructions[step.instruction]);
      for (size_t k = 0; k < operands.size(); ++k) {
        const auto before = operands.first(k);
        const bool again = k < 64 && std::find(before.begin(), before.end(), operands[k]) != before.end();
        if (!again) ++users_[frame.point + operands[k]];
      }
    }
  }

  const Module& module_;
  const Flat& flat_;
  Aliases& aliases_;
  OperandReuse rules_;
  std::vector<uint32_t> values_of_;  // how many values a buffer has
  std::vector<uint32_t> users_;
  std::vector<bool> taken_;          // by value: a result lies over it
  std::vector<Dying> dying_;
  absl::flat_hash_map<uint64_t, Alike> alike_;          // by form
  absl::flat_hash_map<uint32_t, uint32_t> by_source_;   // by instruction: the first of it
  std::vector<std::pair<uint32_t, uint32_t>> reused_;  // an operand's value, and the buffer that moves to it
};

}  // namespace

void ReuseDyingOperands(const Module& module, const Flat& flat, const ShapeNodes& nodes, Aliases& aliases) {
  Reusing(module, flat, nodes, aliases).Run();
}

}  // namespace oomph::hlo
