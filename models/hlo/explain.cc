// Words about a module's memory.
#include "models/hlo/explain.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

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
// The layouts' S(n): 0, 1 and 5 by XLA's docs/shapes.md and layout.h; 2 and 4 by the colours of JAX's
// tpu_custom_call.py.
constexpr SpaceRow kSpaces[] = {
    {0, "HBM, or the default"}, {1, "VMEM"}, {2, "semaphores"}, {4, "SMEM"}, {5, "host"}};

constexpr size_t kMaxShapeLetters = 80, kMaxGroups = 5;
// A layout with longer lists is left out of a brief text.
constexpr size_t kMaxList = 32;

bool IsBrief(const ShapeTable& shapes, ShapeId id) {
  if (shapes[id].count > kMaxList) return false;
  const Layout* layout = shapes.LayoutOf(id);
  if (layout == nullptr) return true;
  const bool short_tiles = std::ranges::all_of(layout->tiles, [](const auto& tile) { return tile.size() <= kMaxList; });
  return layout->minor_to_major.size() <= kMaxList && layout->tiles.size() <= kMaxList && short_tiles &&
         layout->splits.empty() && !layout->physical.has_value() && layout->dim_levels.size() <= kMaxList;
}

void AddShape(const ShapeTable& shapes, ShapeId id, size_t most, std::string& text) {
  if (text.size() > most) return;
  if (shapes[id].type != Type::kTuple && shapes[id].type != Type::kBuffer) {
    text += IsBrief(shapes, id) ? PrintShape(shapes, id)
                                : absl::StrCat(std::string(RowOf(shapes[id].type).name), "[", shapes[id].count,
                                               " dimensions]");
    return;
  }
  text += shapes[id].type == Type::kTuple ? "(" : "b(";
  bool first = true;
  for (const ShapeId element : shapes.Elements(id)) {
    if (text.size() > most) return;
    if (!std::exchange(first, false)) text += ", ";
    AddShape(shapes, element, most, text);
  }
  text += ")";
}

void AddBuffer(const Module& module, const Liveness& liveness, const LivenessNames& names, uint32_t b,
               std::string& text) {
  const LiveBuffer& buffer = liveness.buffers[b];
  const Value& value = liveness.aliases.values[buffer.value];
  absl::StrAppend(&text, "  ", BytesText(buffer.bytes));
  if (const std::optional<uint64_t> plain = UnpaddedBytesOf(module, liveness, buffer)) {
    absl::StrAppend(&text, ", padded from ", BytesText(*plain));
  }
  absl::StrAppend(&text, "  ", BriefName(names.OfBuffer(b)), " = ",
                  BriefShape(module.shapes, value.shape, kMaxShapeLetters), " ", OpcodeText(names.Maker(b)), ", ",
                  std::string(RoleOf(buffer)), ", live in steps ");
  for (size_t i = 0; i < buffer.ranges.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ", ", buffer.ranges[i].begin, " to ", buffer.ranges[i].end - 1);
    if (i == 2 && buffer.ranges.size() > 4) {
      absl::StrAppend(&text, ", ...");
      break;
    }
  }
  absl::StrAppend(&text, "\n");
}

struct Group {
  uint64_t count = 0, bytes = 0;
};

// Of many buffers it is their kinds that say something: the same operation on the same shape.
void AddGroups(const Module& module, const Liveness& liveness, const LivenessNames& names, const Peak& peak,
               std::string& text) {
  std::map<std::pair<ShapeId, std::string>, Group> groups;
  for (const uint32_t b : peak.buffers) {
    const ShapeId shape = liveness.aliases.values[liveness.buffers[b].value].shape;
    Group& group = groups[{shape, OpcodeText(names.Maker(b))}];
    ++group.count;
    group.bytes = SaturatingAdd(group.bytes, liveness.buffers[b].bytes);
  }
  std::vector<std::pair<std::pair<ShapeId, std::string>, Group>> sorted(groups.begin(), groups.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second.bytes != b.second.bytes ? a.second.bytes > b.second.bytes : a.first < b.first;
  });
  absl::StrAppend(&text, "  by operation and shape:\n");
  for (size_t i = 0; i < sorted.size() && i < kMaxGroups; ++i) {
    const auto& [kind, group] = sorted[i];
    absl::StrAppend(&text, "    ", BytesText(group.bytes), "  in ", group.count, " of ", kind.second, " ",
                    BriefShape(module.shapes, kind.first, kMaxShapeLetters), "\n");
  }
}

void AddPeak(const Module& module, const Liveness& liveness, const LivenessNames& names, const Peak& peak,
             size_t most, std::string& text) {
  const size_t steps = liveness.flat.steps.size();
  absl::StrAppend(&text, SpaceName(peak.space), ": at most ", BytesText(peak.bytes), " live");
  if (peak.bytes == 0) {
    absl::StrAppend(&text, "\n");
    return;
  }
  absl::StrAppend(&text, ", first at step ", peak.step, " of ", steps, ", ", BriefName(names.OfStep(peak.step)));
  if (peak.step < steps) {
    const Instruction& instruction = InstructionOf(module, liveness.flat, peak.step);
    absl::StrAppend(&text, " = ", BriefShape(module.shapes, instruction.shape, kMaxShapeLetters), " ",
                    OpcodeText(instruction));
  }
  absl::StrAppend(&text, "\n");
  if (const uint64_t padding = PaddingOf(module, liveness, peak); padding > 0) {
    absl::StrAppend(&text, "  of these ", BytesText(padding), " are padding\n");
  }
  const size_t shown = std::min(most, peak.buffers.size());
  for (size_t i = 0; i < shown; ++i) AddBuffer(module, liveness, names, peak.buffers[i], text);
  if (shown == peak.buffers.size()) return;
  uint64_t rest = 0;
  for (size_t i = shown; i < peak.buffers.size(); ++i) {
    rest = SaturatingAdd(rest, liveness.buffers[peak.buffers[i]].bytes);
  }
  absl::StrAppend(&text, "  ", BytesText(rest), "  ", peak.buffers.size() - shown, " smaller buffers\n");
  AddGroups(module, liveness, names, peak, text);
}

}  // namespace

std::string SpaceName(uint32_t space) {
  for (const SpaceRow& row : kSpaces) {
    if (row.space == space) return absl::StrCat("memory space ", space, " (", std::string(row.name), ")");
  }
  return absl::StrCat("memory space ", space);
}

std::string_view RoleOf(const LiveBuffer& buffer) {
  if (buffer.parameter && buffer.output) return "parameter and output";
  if (buffer.parameter) return "parameter";
  if (buffer.output) return "output";
  return buffer.constant ? "constant" : "temporary";
}

std::string BytesText(uint64_t bytes) {
  if (bytes == kMostBytes) return "2^64 bytes or more";
  const std::string exact = absl::StrCat(bytes, bytes == 1 ? " byte" : " bytes");
  return bytes < 1024 ? exact : absl::StrCat(FormatBytes(bytes), " (", exact, ")");
}

std::string OrderText(const Module& module, const Liveness& liveness) {
  const size_t steps = liveness.flat.steps.size();
  std::string text = absl::StrCat(steps, steps == 1 ? " step, " : " steps, ");
  if (IsScheduled(module)) return text + "in its own order";
  absl::StrAppend(&text, "not scheduled: the ");
  return liveness.order == Order::kText
             ? text + "order of its text was chosen"
             : text + std::string(kOrderNames[static_cast<size_t>(liveness.order)]) + " order was chosen";
}

std::string OpcodeText(const Instruction& instruction) {
  std::string name(RowOf(instruction.wrapped).name);
  if (instruction.wrapped == instruction.opcode) return name;
  return name + std::string(AsyncSuffix(instruction.opcode));
}

std::string BriefShape(const ShapeTable& shapes, ShapeId shape, size_t most) {
  std::string text;
  AddShape(shapes, shape, most, text);
  return BriefName(text, most);
}

std::string BriefName(std::string_view name, size_t most) {
  std::string text(name.substr(0, most + 1));
  for (char& c : text) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text.size() <= most ? text : text.substr(0, most - 3) + "...";
}

uint64_t PaddedArrayBytes(const ShapeTable& shapes, ShapeId shape) {
  const absl::StatusOr<uint64_t> bytes = PaddedBytes(shapes, shape);
  return bytes.ok() ? *bytes : kMostBytes;
}

std::optional<uint64_t> UnpaddedBytesOf(const Module& module, const Liveness& liveness, const LiveBuffer& buffer) {
  const ShapeTable& shapes = liveness.Counted(module).shapes;
  const ShapeId shape = liveness.aliases.values[buffer.value].shape;
  if (!IsArrayType(shapes[shape].type)) return std::nullopt;
  const absl::StatusOr<uint64_t> padded = PaddedBytes(shapes, shape), plain = UnpaddedBytes(shapes, shape);
  if (!padded.ok() || !plain.ok() || *padded != buffer.bytes || *plain >= *padded) return std::nullopt;
  return *plain;
}

uint64_t PaddingOf(const Module& module, const Liveness& liveness, const Peak& peak) {
  uint64_t padding = 0;
  for (const uint32_t b : peak.buffers) {
    const LiveBuffer& buffer = liveness.buffers[b];
    const std::optional<uint64_t> plain = UnpaddedBytesOf(module, liveness, buffer);
    if (plain.has_value()) padding = SaturatingAdd(padding, buffer.bytes - *plain);
  }
  return padding;
}

std::string Explain(const Module& module, const Liveness& liveness, size_t most_buffers) {
  const LivenessNames names(module, liveness);
  std::string text = absl::StrCat("module ", BriefName(module.strings[module.name]), ": ",
                                  OrderText(module, liveness), "\n");
  for (const Peak& peak : liveness.peaks) {
    AddPeak(liveness.Counted(module), liveness, names, peak, most_buffers, text);
  }
  if (liveness.peaks.empty()) absl::StrAppend(&text, "nothing takes memory\n");
  return text;
}

std::string Explain(const Module& module, Order order) {
  LivenessOptions options;
  options.order = order;
  options.array_bytes = PaddedArrayBytes;
  const absl::StatusOr<Liveness> liveness = LivenessOf(module, options);
  if (!liveness.ok()) {
    return absl::StrCat("no memory can be counted: ", BriefName(std::string(liveness.status().message()), 300), "\n");
  }
  return Explain(module, *liveness);
}

}  // namespace oomph::hlo
