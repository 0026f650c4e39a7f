// From values to buffers with live ranges, and from these to peaks and placement problems.
#include "models/hlo/liveness.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "models/hlo/alias_reuse.h"
#include "models/hlo/fill_shapes.h"

namespace oomph::hlo {
namespace {

class Ranges {
 public:
  Ranges(const Module& module, const LivenessOptions& options, const Aliases& aliases)
      : module_(module), options_(options), aliases_(aliases), bytes_(module.shapes.size()) {}

  std::vector<LiveBuffer> Run() {
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
  uint64_t BytesOf(ShapeId shape) {
    if (!bytes_[shape].has_value()) {
      const bool buffer = module_.shapes[shape].type == Type::kBuffer && module_.shapes[shape].count > 0;
      const ShapeId array = buffer ? module_.shapes.Elements(shape)[0] : shape;  // b(array) is as large as it
      const bool given = options_.array_bytes && IsArrayType(module_.shapes[array].type);
      bytes_[shape] = given ? options_.array_bytes(module_.shapes, array)
                            : PlainBytes(module_.shapes, shape, options_.pointer_bytes);
    }
    return *bytes_[shape];
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

  const Module& module_;
  const LivenessOptions& options_;
  const Aliases& aliases_;
  std::vector<std::optional<uint64_t>> bytes_;  // by shape
};

// --- peaks -------------------------------------------------------------------------------------------------------

// Sums of any buffers are exact in 128 bits; what does not fit 64 is the most.
using Sum = unsigned __int128;

// The step with the most bytes of the buffers that `takes` says, and how many.
template <typename Takes>
std::pair<uint64_t, uint32_t> HighestStep(const std::vector<LiveBuffer>& buffers, size_t steps, const Takes& takes) {
  std::vector<Sum> more(steps + 1, 0), less(steps + 1, 0);
  for (const LiveBuffer& buffer : buffers) {
    if (!takes(buffer)) continue;
    for (const StepRange& range : buffer.ranges) {
      more[range.begin] += buffer.bytes;
      less[range.end] += buffer.bytes;
    }
  }
  Sum live = 0, most = 0;
  uint32_t at = 0;
  for (uint32_t step = 0; step <= steps; ++step) {
    live = live + more[step] - less[step];
    if (live > most) most = live, at = step;
  }
  return {most > kMostBytes ? kMostBytes : static_cast<uint64_t>(most), at};
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

// Bytes cannot be counted of what has no shape; what nobody runs needs none.
absl::Status CheckShapes(const Module& module, const Flat& flat, const absl::Status& filled) {
  for (uint32_t step = 0; step < flat.steps.size(); ++step) {
    const Instruction& instruction = InstructionOf(module, flat, step);
    if (module.shapes[instruction.shape].type != Type::kNone) continue;
    if (!filled.ok()) return filled;
    return absl::InvalidArgumentError(
        absl::StrCat("the shape of instruction ", std::string(module.Name(instruction)), " is not given"));
  }
  return absl::OkStatus();
}

// All shapes are there.
absl::StatusOr<Liveness> Count(const Module& module, const LivenessOptions& options, const absl::Status& filled) {
  absl::StatusOr<Schedule> schedule = ScheduleOf(module, options.order);
  if (!schedule.ok()) return schedule.status();
  absl::StatusOr<Flat> flat = Flatten(module, *schedule);
  if (!flat.ok()) return flat.status();
  if (const absl::Status status = CheckShapes(module, *flat, filled); !status.ok()) return status;
  const ShapeNodes nodes(module.shapes);
  absl::StatusOr<Aliases> aliases = AliasesOfModule(module, *flat, nodes, options.in_place);
  if (!aliases.ok()) return aliases.status();
  Liveness liveness;
  liveness.order = options.order;
  liveness.padded = options.array_bytes != nullptr;
  liveness.flat = *std::move(flat);
  liveness.aliases = *std::move(aliases);
  if (options.reuse_operands) ReuseDyingOperands(module, liveness.flat, nodes, liveness.aliases);
  liveness.buffers = Ranges(module, options, liveness.aliases).Run();
  const size_t steps = liveness.flat.steps.size() + 1;  // the last is after the end
  liveness.peaks = PeaksOf(liveness.buffers, steps);
  liveness.total_peak = HighestStep(liveness.buffers, steps, [](const LiveBuffer&) { return true; }).first;
  return liveness;
}

}  // namespace

absl::StatusOr<Liveness> LivenessOf(const Module& module, const LivenessOptions& options) {
  std::shared_ptr<const Module> filled;
  const absl::Status status = FillShapes(module, filled);
  absl::StatusOr<Liveness> liveness = Count(filled != nullptr ? *filled : module, options, status);
  if (liveness.ok()) liveness->filled = std::move(filled);
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
  std::map<std::string, uint32_t> seen;  // a computation that is called twice makes all its buffers twice
  for (uint32_t b = 0; b < liveness.buffers.size(); ++b) {
    const LiveBuffer& from = liveness.buffers[b];
    if (from.ranges.empty() || from.bytes == 0 || (space.has_value() && from.space != *space)) continue;
    placement::Buffer buffer;
    buffer.id = names.OfBuffer(b);
    if (const uint32_t times = seen[buffer.id]++; times > 0) absl::StrAppend(&buffer.id, "#", times + 1);
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

namespace {

// Texts may have names of any length, and many buffers of one instruction.
std::string Short(std::string_view name) {
  constexpr size_t kMostLetters = 200;
  return name.size() <= kMostLetters ? std::string(name) : std::string(name.substr(0, kMostLetters)) + "...";
}

}  // namespace

const Instruction& LivenessNames::Maker(uint32_t buffer) const {
  const Value& value = liveness_.aliases.values[liveness_.buffers[buffer].value];
  return InstructionOf(module_, liveness_.flat, value.step);
}

std::string LivenessNames::OfStep(uint32_t step) const {
  const Flat& flat = liveness_.flat;
  if (step >= flat.steps.size()) return "the end";
  const Step& at = flat.steps[step];
  const std::string name = Short(module_.Name(InstructionOf(module_, flat, step)));
  if (at.frame == 0) return name;
  return absl::StrCat(Short(module_.Name(module_.computations[flat.frames[at.frame].computation])), "/", name);
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
