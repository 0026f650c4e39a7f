// Words about a module's memory.
#include "models/hlo/explain.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "models/hlo/bytes.h"
#include "models/hlo/text.h"
#include "models/message/number.h"

namespace oomph::hlo {
namespace {

struct SpaceRow {
  uint32_t space;
  std::string_view name;
};
// The layouts' S(n), by XLA's docs/shapes.md and layout.h.
constexpr SpaceRow kSpaces[] = {{0, "HBM, or the default"}, {1, "VMEM"}, {5, "host"}};

constexpr size_t kMaxShapeLetters = 60;

std::string Bytes(uint64_t bytes) {
  const std::string exact = absl::StrCat(bytes, bytes == 1 ? " byte" : " bytes");
  return bytes < 1024 ? exact : absl::StrCat(FormatBytes(bytes), " (", exact, ")");
}

std::string ShortShape(const Module& module, ShapeId shape) {
  std::string text = PrintShape(module.shapes, shape);
  if (text.size() > kMaxShapeLetters) text = text.substr(0, kMaxShapeLetters - 3) + "...";
  return text;
}

std::string OpcodeOf(const Instruction& instruction) {
  std::string name(RowOf(instruction.wrapped).name);
  if (instruction.wrapped == instruction.opcode) return name;
  return name + std::string(AsyncSuffix(instruction.opcode));
}

void AddBuffer(const Module& module, const Liveness& liveness, const LivenessNames& names, uint32_t b,
               std::string& text) {
  const LiveBuffer& buffer = liveness.buffers[b];
  const Value& value = liveness.aliases.values[buffer.value];
  absl::StrAppend(&text, "  ", Bytes(buffer.bytes), "  ", names.OfBuffer(b), " = ",
                  ShortShape(module, value.shape), " ", OpcodeOf(names.Maker(b)), ", ", RoleOf(buffer),
                  ", live in steps ");
  for (size_t i = 0; i < buffer.ranges.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ", ", buffer.ranges[i].begin, " to ", buffer.ranges[i].end - 1);
    if (i == 2 && buffer.ranges.size() > 4) {
      absl::StrAppend(&text, ", ...");
      break;
    }
  }
  absl::StrAppend(&text, "\n");
}

void AddPeak(const Module& module, const Liveness& liveness, const LivenessNames& names, const Peak& peak,
             size_t most, std::string& text) {
  const size_t steps = liveness.flat.steps.size();
  absl::StrAppend(&text, SpaceName(peak.space), ": at most ", Bytes(peak.bytes), " live");
  if (peak.bytes == 0) {
    absl::StrAppend(&text, "\n");
    return;
  }
  absl::StrAppend(&text, ", first at step ", peak.step, " of ", steps, ", ", names.OfStep(peak.step));
  if (peak.step < steps) {
    const Instruction& instruction = InstructionOf(module, liveness.flat, peak.step);
    absl::StrAppend(&text, " = ", ShortShape(module, instruction.shape), " ", OpcodeOf(instruction));
  }
  absl::StrAppend(&text, "\n");
  const size_t shown = std::min(most, peak.buffers.size());
  for (size_t i = 0; i < shown; ++i) AddBuffer(module, liveness, names, peak.buffers[i], text);
  if (shown == peak.buffers.size()) return;
  uint64_t rest = 0;
  for (size_t i = shown; i < peak.buffers.size(); ++i) {
    rest = AddSaturated(rest, liveness.buffers[peak.buffers[i]].bytes);
  }
  absl::StrAppend(&text, "  ", Bytes(rest), "  ", peak.buffers.size() - shown, " smaller buffers\n");
}

}  // namespace

std::string SpaceName(uint32_t space) {
  for (const SpaceRow& row : kSpaces) {
    if (row.space == space) return absl::StrCat("memory space ", space, " (", std::string(row.name), ")");
  }
  return absl::StrCat("memory space ", space);
}

std::string RoleOf(const LiveBuffer& buffer) {
  if (buffer.parameter && buffer.output) return "parameter and output";
  if (buffer.parameter) return "parameter";
  if (buffer.output) return "output";
  return buffer.constant ? "constant" : "temporary";
}

uint64_t PaddedArrayBytes(const ShapeTable& shapes, ShapeId shape) {
  const absl::StatusOr<uint64_t> bytes = PaddedBytes(shapes, shape);
  return bytes.ok() ? *bytes : kMostBytes;
}

std::string Explain(const Module& module, const Liveness& liveness, size_t most_buffers) {
  const LivenessNames names(module, liveness);
  std::string text = absl::StrCat("module ", std::string(module.strings[module.name]), ": ",
                                  liveness.flat.steps.size(), " steps, ",
                                  IsScheduled(module) ? "in its own order" : "not scheduled: in the order of its text",
                                  "\n");
  for (const Peak& peak : liveness.peaks) AddPeak(module, liveness, names, peak, most_buffers, text);
  if (liveness.peaks.empty()) absl::StrAppend(&text, "nothing takes memory\n");
  return text;
}

std::string Explain(const Module& module) {
  LivenessOptions options;
  options.array_bytes = PaddedArrayBytes;
  const absl::StatusOr<Liveness> liveness = LivenessOf(module, options);
  if (!liveness.ok()) return absl::StrCat("no memory can be counted: ", liveness.status().message(), "\n");
  return Explain(module, *liveness);
}

}  // namespace oomph::hlo
