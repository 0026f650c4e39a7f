// See planned.h.
#include "models/hlo/planned.h"

#include <algorithm>
#include <span>

#include "models/hlo/liveness_bytes.h"
#include "models/hlo/text.h"
#include "models/hlo/tpu_bytes.h"

namespace oomph::hlo {
namespace {

LivenessOptions OwnOptions() {
  LivenessOptions options;
  options.in_place = InPlace::kAlways;
  options.reuse_operands = false;
  return options;
}

}  // namespace

PlannedModule::PlannedModule(std::string_view text, uint64_t granule)
    : granule_(granule),
      module_(Parse("planned", text)),
      liveness_(absl::FailedPreconditionError("the module cannot be read")) {
  if (!module_.ok()) return;
  for (uint32_t c = 0; c < module_->computations.size(); ++c) {
    const std::vector<Instruction>& instructions = module_->computations[c].instructions;
    for (uint32_t i = 0; i < instructions.size(); ++i) {
      const auto [place, is_new] = places_.emplace(module_->Name(instructions[i]), Place{c, i});
      place->second.twice = place->second.twice || !is_new;
    }
  }
  liveness_ = LivenessOf(*module_, OwnOptions());
  counted_ = liveness_.ok() ? &liveness_->Counted(*module_) : &*module_;
  nodes_ = std::make_unique<ShapeNodes>(counted_->shapes);
  if (!liveness_.ok()) return;
  reuse_ = std::make_unique<OperandReuse>(*counted_, *nodes_, /*wherever_right=*/true);
  frames_of_.resize(module_->computations.size());
  for (uint32_t f = 0; f < liveness_->flat.frames.size(); ++f)
    frames_of_[liveness_->flat.frames[f].computation].push_back(f);
}

PlannedModule::Meaning PlannedModule::Of(std::string_view name, const std::vector<int64_t>& index) const {
  Meaning meaning;
  if (!liveness_.ok()) return meaning;
  const auto found = places_.find(name);
  if (found == places_.end()) return meaning;
  if (found->second.twice) return meaning.found = Found::kSeveral, meaning;
  const Place place = found->second;
  const Instruction& instruction = counted_->computations[place.computation].instructions[place.instruction];
  meaning.computation = place.computation;
  meaning.instruction = place.instruction;
  meaning.node = nodes_->NodeAt(instruction.shape, index);
  if (meaning.node == UINT64_MAX) return meaning;
  meaning.shape = nodes_->At(instruction.shape, meaning.node);
  const std::vector<uint32_t>& frames = frames_of_[place.computation];
  meaning.found = frames.empty() ? Found::kNotRun : frames.size() > 1 ? Found::kSeveral : Found::kValue;
  if (meaning.found == Found::kValue) {
    meaning.value = liveness_->aliases.ValueAt(liveness_->flat.StepOf(frames[0], place.instruction), meaning.node);
  }
  return meaning;
}

std::optional<uint32_t> PlannedModule::StepOf(std::string_view name) const {
  const Meaning meaning = Of(name, {});
  if (meaning.found != Found::kValue) return std::nullopt;
  return liveness_->flat.StepOf(frames_of_[meaning.computation][0], meaning.instruction);
}

bool PlannedModule::IsMadeByCustomCall(uint32_t value, std::string_view target) const {
  const std::vector<Value>& values = liveness_->aliases.values;
  for (const Value& other : values) {
    if (other.buffer != values[value].buffer) continue;
    if (CustomCallTarget(*counted_, InstructionOf(*counted_, liveness_->flat, other.step)) == target) return true;
  }
  return false;
}

bool PlannedModule::IsOfBranch(uint32_t value) const {
  return !BranchesOf(liveness_->aliases.values[value].step).empty();
}

bool PlannedModule::OneBuffer(uint32_t value, uint32_t other) const {
  return liveness_->aliases.values[value].buffer == liveness_->aliases.values[other].buffer;
}

// Whether some part of an operand of the step is a value that `is` says.
template <typename Is>
bool PlannedModule::ReadsAny(uint32_t step, Is is) const {
  const Flat& flat = liveness_->flat;
  const Aliases& aliases = liveness_->aliases;
  for (const uint32_t operand : counted_->Operands(InstructionOf(*counted_, flat, step))) {
    const uint32_t made = flat.StepOf(flat.steps[step].frame, operand);
    for (uint64_t at = aliases.first_node_of_step[made]; at < aliases.first_node_of_step[made + 1]; ++at) {
      if (is(aliases.value_of_node[at])) return true;
    }
  }
  return false;
}

bool PlannedModule::Reads(uint32_t step, uint32_t buffer) const {
  return ReadsAny(step, [&](uint32_t value) { return liveness_->aliases.values[value].buffer == buffer; });
}

std::vector<uint32_t> PlannedModule::BranchesOf(uint32_t step) const {
  const Flat& flat = liveness_->flat;
  std::vector<uint32_t> branches;
  for (uint32_t f = flat.steps[step].frame; flat.frames[f].kind != FrameKind::kEntry; f = flat.frames[f].caller) {
    if (flat.frames[f].kind == FrameKind::kBranch) branches.push_back(f);
  }
  return branches;
}

// The step lies in a branch that no longer reads the buffer, which only other branches and the conditionals themselves do:
// laid out one after the other they seem to need it here.
bool PlannedModule::DoneWithInBranch(uint32_t buffer, uint32_t made_buffer, uint32_t step, TakesOver takes_over) const {
  const Flat& flat = liveness_->flat;
  if (step >= flat.steps.size() || liveness_->buffers[buffer].ranges.empty()) return false;
  const std::vector<uint32_t> mine = BranchesOf(step);
  if (mine.empty()) return false;
  const auto conditional_of = [&](uint32_t f) { return flat.StepOf(flat.frames[f].caller, flat.frames[f].call); };
  // After the outermost conditional nobody may need it.
  const uint32_t end = liveness_->buffers[buffer].ranges.back().end;
  if (end > conditional_of(mine.back()) + 1) return false;
  for (uint32_t later = step + 1; later < std::min<uint32_t>(end, static_cast<uint32_t>(flat.steps.size())); ++later) {
    if (!Reads(later, buffer)) continue;
    const std::vector<uint32_t> others = BranchesOf(later);
    const bool apart = std::any_of(mine.begin(), mine.end(), [&](uint32_t f) {
      if (conditional_of(f) == later) return true;
      return std::any_of(others.begin(), others.end(), [&](uint32_t g) { return g != f && conditional_of(g) == conditional_of(f); });
    });
    if (!apart) return false;
  }
  return !Reads(step, buffer) || MayTakeOver(buffer, made_buffer, step, takes_over);
}

bool PlannedModule::NeededAt(uint32_t value, uint32_t step) const {
  const uint32_t buffer = liveness_->aliases.values[value].buffer;
  const std::vector<StepRange>& ranges = liveness_->buffers[buffer].ranges;
  const bool live = std::any_of(ranges.begin(), ranges.end(),
                                [step](const StepRange& range) { return range.begin <= step && step < range.end; });
  return live && !DoneWithInBranch(buffer, UINT32_MAX, step, TakesOver::kNone);
}

uint32_t PlannedModule::FirstStep(uint32_t value) const {
  const Flat& flat = liveness_->flat;
  uint32_t step = liveness_->aliases.values[value].step;
  for (uint32_t f = flat.steps[step].frame; flat.frames[f].kind != FrameKind::kEntry; f = flat.frames[f].caller) {
    if (flat.frames[f].kind == FrameKind::kAsync) step = flat.StepOf(flat.frames[f].caller, flat.frames[f].call);
  }
  return std::max(step, liveness_->aliases.values[value].first);
}

// A value of one buffer is made at this step over an operand that lies in the other.
bool PlannedModule::MayTakeOver(uint32_t dying_buffer, uint32_t made_buffer, uint32_t step,
                                TakesOver takes_over) const {
  if (takes_over == TakesOver::kNone) return false;
  const Flat& flat = liveness_->flat;
  const Aliases& aliases = liveness_->aliases;
  if (step >= flat.steps.size()) return false;
  const Frame& frame = flat.FrameOf(flat.steps[step]);
  const Computation& computation = counted_->computations[frame.computation];
  const Instruction& instruction = computation.instructions[flat.steps[step].instruction];
  const bool any = takes_over == TakesOver::kAnyResult;
  if (!any && !reuse_->OfAny(instruction)) return false;
  const std::span<const uint32_t> operands = counted_->Operands(instruction);
  const uint64_t nodes = aliases.first_node_of_step[step + 1] - aliases.first_node_of_step[step];
  for (uint64_t node = 0; node < nodes; ++node) {
    const Value& result = aliases.values[aliases.ValueAt(step, node)];
    if (result.step != step || result.buffer != made_buffer || result.parameter || result.constant) continue;
    for (size_t k = 0; k < operands.size(); ++k) {
      const Value& operand = aliases.values[aliases.ValueAt(flat.StepOf(flat.steps[step].frame, operands[k]), 0)];
      if (operand.buffer != dying_buffer) continue;
      if (any) return true;
      OperandReuse::Uses uses;
      uses.here = static_cast<size_t>(std::count(operands.begin(), operands.end(), operands[k]));
      for (const Instruction& user : computation.instructions) {
        const std::span<const uint32_t> used = counted_->Operands(user);
        if (std::find(used.begin(), used.end(), operands[k]) != used.end()) ++uses.instructions;
      }
      if (reuse_->Of(computation, instruction, k, node, uses)) return true;
    }
  }
  return false;
}

// The buffer's ranges. A parameter that an output is aliased with may be written over after its last use, before the output is
// made; any other one is the caller's to the end.
std::vector<StepRange> PlannedModule::NeededOf(uint32_t buffer) const {
  const LiveBuffer& live = liveness_->buffers[buffer];
  const std::vector<Value>& values = liveness_->aliases.values;
  if (!live.parameter) return live.ranges;
  bool made = false;
  for (const Value& value : values) made = made || (value.buffer == buffer && value.output && !value.parameter);
  if (!made) return live.ranges;
  std::vector<StepRange> ranges;
  for (uint32_t v = 0; v < values.size(); ++v) {
    if (values[v].buffer != buffer) continue;
    uint32_t last = values[v].last;
    if (values[v].parameter) {
      last = values[v].first;
      for (uint32_t step = 0; step < liveness_->flat.steps.size(); ++step) {
        // What calls has read it before what it called began.
        const bool calls = liveness_->flat.calls_of_step[step].count > 0;
        if (!calls && ReadsAny(step, [v](uint32_t value) { return value == v; })) last = step;
      }
    }
    ranges.push_back({values[v].first, last + 1});
  }
  std::sort(ranges.begin(), ranges.end(), [](const StepRange& a, const StepRange& b) { return a.begin < b.begin; });
  return ranges;
}

std::optional<uint32_t> PlannedModule::Clash(uint32_t value, uint32_t other, TakesOver takes_over) const {
  if (OneBuffer(value, other)) return std::nullopt;
  const std::vector<Value>& values = liveness_->aliases.values;
  const uint32_t one = values[value].buffer, two = values[other].buffer;
  const std::vector<StepRange> a = NeededOf(one), b = NeededOf(two);
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    const uint32_t begin = std::max(a[i].begin, b[j].begin), end = std::min(a[i].end, b[j].end);
    (a[i].end < b[j].end ? i : j) += 1;
    if (begin >= end) continue;
    if (end - begin == 1 && (MayTakeOver(one, two, begin, takes_over) || MayTakeOver(two, one, begin, takes_over)))
      continue;
    if (DoneWithInBranch(one, two, begin, takes_over) || DoneWithInBranch(two, one, begin, takes_over)) continue;
    return begin;
  }
  return std::nullopt;
}

std::optional<uint64_t> PlannedModule::BytesOf(ShapeId shape, ByteRule rule) const {
  if (rule == ByteRule::kPlain) return PlainBytes(counted_->shapes, shape);
  const absl::StatusOr<uint64_t> bytes = TpuBytes(counted_->shapes, shape, granule_);
  if (!bytes.ok()) return std::nullopt;
  return *bytes;
}

}  // namespace oomph::hlo
