// From values to buffers with live ranges, and from these to peaks and placement problems.
#include "models/hlo/liveness.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "models/hlo/alias_rules.h"

namespace oomph::hlo {
namespace {

class Ranges {
 public:
  Ranges(const Module& module, const Flat& flat, const ShapeNodes& nodes, const LivenessOptions& options,
         Aliases& aliases)
      : module_(module), flat_(flat), nodes_(nodes), options_(options), aliases_(aliases) {}

  std::vector<LiveBuffer> Run() {
    if (options_.reuse_operands) ReuseOperands();
    std::vector<LiveBuffer> buffers(aliases_.buffers);
    std::vector<bool> seen(aliases_.buffers, false);
    for (uint32_t v = 0; v < aliases_.values.size(); ++v) {
      const Value& value = aliases_.values[v];
      LiveBuffer& buffer = buffers[value.buffer];
      if (!seen[value.buffer]) {
        seen[value.buffer] = true;
        buffer.value = v;
        buffer.constant = true;
        buffer.space = SpaceOf(module_.shapes, value.shape);
      }
      buffer.bytes = std::max(buffer.bytes, BytesOf(value.shape));
      buffer.parameter = buffer.parameter || value.parameter;
      buffer.output = buffer.output || value.output;
      buffer.constant = buffer.constant && value.constant;
      buffer.ranges.push_back({value.first, value.last + 1});
    }
    if (options_.constants == Constants::kLeftOut) LeaveOutConstants(buffers);
    for (LiveBuffer& buffer : buffers) Unite(buffer.ranges);
    return buffers;
  }

 private:
  uint64_t BytesOf(ShapeId shape) const {
    if (options_.array_bytes && IsArrayType(module_.shapes[shape].type)) {
      return options_.array_bytes(module_.shapes, shape);
    }
    return PlainBytes(module_.shapes, shape, options_.pointer_bytes);
  }

  // A constant that a loop begins with is copied to the loop's buffer: that is needed from the loop on.
  void LeaveOutConstants(std::vector<LiveBuffer>& buffers) const {
    std::vector<uint32_t> from(buffers.size(), UINT32_MAX);
    for (const Value& value : aliases_.values) {
      if (!value.constant) from[value.buffer] = std::min(from[value.buffer], value.first);
    }
    for (uint32_t b = 0; b < buffers.size(); ++b) {
      for (StepRange& range : buffers[b].ranges) range.begin = std::max(range.begin, from[b]);
      std::erase_if(buffers[b].ranges, [](const StepRange& range) { return range.begin >= range.end; });
    }
  }

  static void Unite(std::vector<StepRange>& ranges) {
    std::sort(ranges.begin(), ranges.end(),
              [](const StepRange& a, const StepRange& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
    size_t kept = 0;
    for (const StepRange& range : ranges) {
      if (kept > 0 && range.begin <= ranges[kept - 1].end) {
        ranges[kept - 1].end = std::max(ranges[kept - 1].end, range.end);
      } else {
        ranges[kept++] = range;
      }
    }
    ranges.resize(kept);
  }

  // In the order of the steps, a result takes the buffer of the first operand that dies with this step and may be
  // overwritten. Only between buffers of one value: a buffer that several share is not looked at, as in XLA.
  void ReuseOperands() {
    std::vector<uint32_t> values_of(aliases_.buffers, 0);
    for (const Value& value : aliases_.values) ++values_of[value.buffer];
    std::vector<bool> taken(aliases_.values.size(), false);
    CountUsers();
    for (Value& value : aliases_.values) {
      if (values_of[value.buffer] != 1 || value.parameter || value.constant) continue;
      for (size_t k = 0; k < module_.Operands(At(value.step)).size(); ++k) {
        const std::optional<uint32_t> operand = Reusable(value, k, values_of, taken);
        if (!operand.has_value()) continue;
        taken[*operand] = true;
        reused_.emplace_back(*operand, value.buffer);
        break;
      }
    }
    // From the last to the first, so that a chain ends in one buffer.
    std::vector<uint32_t> buffer_of(aliases_.buffers);
    for (uint32_t b = 0; b < buffer_of.size(); ++b) buffer_of[b] = b;
    for (const auto& [operand, buffer] : reused_) buffer_of[buffer] = buffer_of[aliases_.values[operand].buffer];
    for (Value& value : aliases_.values) value.buffer = buffer_of[value.buffer];
  }

  const Instruction& At(uint32_t step) const { return InstructionOf(module_, flat_, step); }

  // The value of the k-th operand, if `value` may be written over it.
  std::optional<uint32_t> Reusable(const Value& value, size_t k, const std::vector<uint32_t>& values_of,
                                   const std::vector<bool>& taken) const {
    const Step& step = flat_.steps[value.step];
    const uint32_t index = module_.Operands(At(value.step))[k];
    const uint32_t operand_step = flat_.StepOf(step.frame, index);
    const uint32_t v = aliases_.ValueAt(operand_step, 0);
    const Value& operand = aliases_.values[v];
    if (operand.last != value.step || taken[v] || values_of[operand.buffer] != 1) return std::nullopt;
    // What was passed on from elsewhere is not looked at: the rules are about the operation that computed it.
    if (operand.step != operand_step || operand.node != 0) return std::nullopt;
    const Computation& computation = module_.computations[flat_.frames[step.frame].computation];
    const size_t users = users_[flat_.frames[step.frame].point + index];
    if (!MayReuseOperand(module_, nodes_, computation, At(value.step), k, value.node, users)) return std::nullopt;
    return v;
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
  const ShapeNodes& nodes_;
  const LivenessOptions& options_;
  Aliases& aliases_;
  std::vector<uint32_t> users_;
  std::vector<std::pair<uint32_t, uint32_t>> reused_;  // an operand's value, and the buffer that moves to it
};

// --- peaks -------------------------------------------------------------------------------------------------------

// How the bytes change at each step, of the buffers that `takes` says.
template <typename Takes>
std::pair<uint64_t, uint32_t> HighestStep(const std::vector<LiveBuffer>& buffers, size_t steps, const Takes& takes) {
  std::vector<uint64_t> more(steps + 1, 0), less(steps + 1, 0);
  bool saturated = false;
  uint64_t all = 0;
  for (const LiveBuffer& buffer : buffers) {
    if (!takes(buffer)) continue;
    all = AddSaturated(all, buffer.bytes);
    for (const StepRange& range : buffer.ranges) {
      more[range.begin] = AddSaturated(more[range.begin], buffer.bytes);
      less[range.end] = AddSaturated(less[range.end], buffer.bytes);
    }
  }
  saturated = all == kMostBytes;
  uint64_t live = 0, most = 0;
  uint32_t at = 0;
  for (uint32_t step = 0; step <= steps; ++step) {
    // Where the sums do not fit 64 bits nothing is taken off again: the peak is saturated.
    live = saturated ? AddSaturated(live, more[step]) : live + more[step] - less[step];
    if (live > most) most = live, at = step;
  }
  return {most, at};
}

bool LiveAt(const LiveBuffer& buffer, uint32_t step) {
  for (const StepRange& range : buffer.ranges) {
    if (range.begin <= step && step < range.end) return true;
  }
  return false;
}

std::vector<Peak> PeaksOf(const std::vector<LiveBuffer>& buffers, size_t steps) {
  std::map<uint32_t, Peak> peaks;
  for (const LiveBuffer& buffer : buffers) {
    if (!buffer.ranges.empty()) peaks[buffer.space].space = buffer.space;
  }
  std::vector<Peak> list;
  for (auto& [space, peak] : peaks) {
    if (list.size() == 64) break;  // real modules have a handful; the rest has no peak of its own
    const uint32_t wanted = space;
    std::tie(peak.bytes, peak.step) =
        HighestStep(buffers, steps, [wanted](const LiveBuffer& buffer) { return buffer.space == wanted; });
    for (uint32_t b = 0; b < buffers.size(); ++b) {
      if (buffers[b].space == space && buffers[b].bytes > 0 && LiveAt(buffers[b], peak.step)) peak.buffers.push_back(b);
    }
    std::sort(peak.buffers.begin(), peak.buffers.end(), [&](uint32_t a, uint32_t b) {
      return buffers[a].bytes != buffers[b].bytes ? buffers[a].bytes > buffers[b].bytes : a < b;
    });
    list.push_back(std::move(peak));
  }
  return list;
}

// The texts of people leave shapes out: bytes cannot be counted of what has none.
absl::Status CheckShapes(const Module& module, const Flat& flat) {
  for (uint32_t step = 0; step < flat.steps.size(); ++step) {
    const Instruction& instruction = InstructionOf(module, flat, step);
    if (module.shapes[instruction.shape].type != Type::kNone) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("the shape of instruction ", std::string(module.Name(instruction)), " is not given"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Liveness> LivenessOf(const Module& module, const LivenessOptions& options) {
  absl::StatusOr<Schedule> schedule = ScheduleOf(module, options.order);
  if (!schedule.ok()) return schedule.status();
  absl::StatusOr<Flat> flat = Flatten(module, *schedule);
  if (!flat.ok()) return flat.status();
  if (const absl::Status status = CheckShapes(module, *flat); !status.ok()) return status;
  const ShapeNodes nodes(module.shapes);
  absl::StatusOr<Aliases> aliases = AliasesOfModule(module, *flat, nodes, options.in_place);
  if (!aliases.ok()) return aliases.status();
  Liveness liveness;
  liveness.flat = *std::move(flat);
  liveness.aliases = *std::move(aliases);
  liveness.buffers = Ranges(module, liveness.flat, nodes, options, liveness.aliases).Run();
  const size_t steps = liveness.flat.steps.size() + 1;  // the last is after the end
  liveness.peaks = PeaksOf(liveness.buffers, steps);
  liveness.total_peak = HighestStep(liveness.buffers, steps, [](const LiveBuffer&) { return true; }).first;
  return liveness;
}

const Peak* PeakOf(const Liveness& liveness, uint32_t space) {
  for (const Peak& peak : liveness.peaks) {
    if (peak.space == space) return &peak;
  }
  return nullptr;
}

placement::Problem ProblemOf(const Module& module, const Liveness& liveness, std::optional<uint32_t> space,
                             uint64_t alignment) {
  placement::Problem problem;
  const LivenessNames names(module, liveness);
  for (uint32_t b = 0; b < liveness.buffers.size(); ++b) {
    const LiveBuffer& from = liveness.buffers[b];
    if (from.ranges.empty() || from.bytes == 0 || (space.has_value() && from.space != *space)) continue;
    placement::Buffer buffer;
    buffer.id = names.OfBuffer(b);
    buffer.size = from.bytes;
    buffer.alignment = alignment;
    buffer.space = space.has_value() ? 0 : from.space;
    buffer.start = from.ranges.front().begin;
    buffer.end = from.ranges.back().end;
    for (size_t i = 1; i < from.ranges.size(); ++i) {
      buffer.gaps.push_back({.lower = from.ranges[i - 1].end, .upper = from.ranges[i].begin});
    }
    problem.buffers.push_back(std::move(buffer));
  }
  return problem;
}

const Instruction& LivenessNames::Maker(uint32_t buffer) const {
  const Value& value = liveness_.aliases.values[liveness_.buffers[buffer].value];
  return InstructionOf(module_, liveness_.flat, value.step);
}

std::string LivenessNames::OfStep(uint32_t step) const {
  const Flat& flat = liveness_.flat;
  if (step >= flat.steps.size()) return "the end";
  const Step& at = flat.steps[step];
  const std::string name(module_.Name(InstructionOf(module_, flat, step)));
  if (at.frame == 0) return name;
  return absl::StrCat(std::string(module_.Name(module_.computations[flat.frames[at.frame].computation])), "/", name);
}

std::string LivenessNames::OfBuffer(uint32_t buffer) const {
  const Value& value = liveness_.aliases.values[liveness_.buffers[buffer].value];
  std::string name = OfStep(value.step);
  if (value.node == 0) return name;
  const char* between = "{";
  for (const int64_t index : nodes_.PathOf(Maker(buffer).shape, value.node)) {
    absl::StrAppend(&name, between, index);
    between = ",";
  }
  return name + "}";
}

}  // namespace oomph::hlo
