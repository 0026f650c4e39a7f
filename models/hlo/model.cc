// See model.h.
#include "models/hlo/model.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "models/hlo/liveness.h"
#include "models/hlo/liveness_bytes.h"
#include "models/hlo/plan_module.h"
#include "models/hlo/text.h"

namespace oomph::hlo {
namespace {

void CountPeaks(const Module& module, Order order, Answer& answer) {
  LivenessOptions options = CountedOptions();
  options.order = order;
  const absl::StatusOr<Liveness> liveness = LivenessOf(module, options);
  if (!liveness.ok() || liveness->total_peak == kMostBytes) return;  // that and more
  answer.total_peak = liveness->total_peak;
  for (const Peak& peak : liveness->peaks) {
    if (peak.bytes > 0) answer.peaks.push_back({peak.space, peak.bytes});
  }
}

// The same attributes, with the instructions that they name at their new places.
ListRange Renumbered(Module& module, ListRange attributes, const std::vector<uint32_t>& place) {
  std::vector<AttributeId> ids(module.Attributes(attributes).begin(), module.Attributes(attributes).end());
  bool changed = false;
  for (AttributeId& id : ids) {
    const std::span<const Reference> references = module.attribute_table.References(id);
    std::vector<Reference> moved(references.begin(), references.end());
    for (Reference& reference : moved) {
      if (reference.kind == Reference::kInstruction) reference.id = place[reference.id];
    }
    if (std::equal(moved.begin(), moved.end(), references.begin())) continue;
    const Attribute row = module.attribute_table[id];
    const std::vector<int64_t> numbers(module.attribute_table.Numbers(id).begin(), module.attribute_table.Numbers(id).end());
    id = module.attribute_table.Add(row.key, row.form, numbers, moved);
    changed = true;
  }
  return changed ? module.AddAttributes(ids) : attributes;
}

void Permute(Module& module, uint32_t computation, const std::vector<uint32_t>& order) {
  std::vector<Instruction> before = std::move(module.computations[computation].instructions);
  std::vector<uint32_t> place(before.size());
  for (uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::vector<Instruction> after;
  after.reserve(before.size());
  for (const uint32_t old : order) {
    Instruction instruction = before[old];
    std::vector<uint32_t> operands(module.Operands(instruction).begin(), module.Operands(instruction).end());
    for (uint32_t& operand : operands) operand = place[operand];
    instruction.operands = module.AddOperands(operands);
    instruction.attributes = Renumbered(module, instruction.attributes, place);
    after.push_back(instruction);
  }
  module.computations[computation].instructions = std::move(after);
  module.computations[computation].root = place[module.computations[computation].root];
}

}  // namespace

void RunModel(const Module& module, Order order, Answer& answer) {
  answer = {};
  const absl::StatusOr<Module> read = Parse("module", Print(module));
  if (!read.ok()) {
    answer.status = Status::kUnread;
    answer.why = std::string(read.status().message());
    return;
  }
  const std::vector<Problem> problems = Verify(*read);
  if (!problems.empty()) {
    answer.status = Status::kInvalid;
    answer.rule = problems[0].rule;
    answer.why = Describe(*read, problems[0]);
    return;
  }
  answer.status = Status::kValid;
  answer.order = order;
  answer.text = Print(*read);
  CountPeaks(*read, order, answer);
  PlanModule(*read, order, PlaceFast, answer);
}

void GiveSchedule(Order order, Module& module) {
  if (IsScheduled(module)) return;
  const absl::StatusOr<Schedule> schedule = ScheduleOf(module, order);
  if (!schedule.ok()) return;
  for (uint32_t c = 0; c < module.computations.size(); ++c) {
    if (!std::is_sorted((*schedule)[c].begin(), (*schedule)[c].end())) Permute(module, c, (*schedule)[c]);
  }
  std::vector<AttributeId> header(module.Attributes(module.attributes).begin(), module.Attributes(module.attributes).end());
  const int64_t yes[] = {1};
  header.push_back(module.attribute_table.Add(Key::kIsScheduled, Form::kBool, yes, {}));
  module.attributes = module.AddAttributes(header);
}

}  // namespace oomph::hlo
