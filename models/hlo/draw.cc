// Draws a module's memory over its schedule.
#include "models/hlo/draw.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "models/hlo/explain.h"
#include "models/hlo/text.h"
#include "models/message/number.h"

namespace oomph::hlo {
namespace {

using std::string_view;

// Where things stand, in pixels.
constexpr double kLeft = 84, kPlotWidth = 960, kRight = 24, kTop = 56, kTopInPage = 12;
constexpr double kPlotHeight = 380, kPlotHeightInPage = 170, kPanelHead = 22, kAxisHeight = 40, kLine = 15;
constexpr double kWidth = kLeft + kPlotWidth + kRight;
constexpr double kLetterWidth = 6.6;
constexpr size_t kMaxPanels = 4, kMaxNamed = 12, kMaxLetters = 150;

// Each rule says .hlo, so that in a page it touches nothing else.
constexpr string_view kStyle = R"svg(<style>
  .hlo .paper { fill: #ffffff } .hlo .free { fill: #f1f3f5 } .hlo .grid { stroke: #d5d9de; stroke-width: 1 }
  .hlo text { font: 11px ui-monospace, Menlo, Consolas, monospace; fill: #1f2328 }
  .hlo .title { font-size: 14px; font-weight: bold } .hlo .soft { fill: #57606a }
  .hlo .block { stroke: #1f2328; stroke-opacity: .55; stroke-width: .6; fill-opacity: .45 }
  .hlo .peak { fill-opacity: 1 } .hlo .thin { stroke: none }
  .hlo .name { fill: #101418; text-anchor: middle; pointer-events: none }
  .hlo .at { stroke: #d1242f; stroke-width: 1.4 } .hlo .limit { stroke: #57606a; stroke-dasharray: 6 3 }
  .hlo .badtext { fill: #cf222e; font-weight: bold }
  @media (prefers-color-scheme: dark) {
    .hlo .paper { fill: #0d1117 } .hlo .free { fill: #1b222b } .hlo .grid { stroke: #30363d }
    .hlo text { fill: #e6edf3 } .hlo .soft { fill: #9aa4af } .hlo .name { fill: #101418 }
    .hlo .block { stroke: #e6edf3 } .hlo .thin { stroke: none }
    .hlo .at { stroke: #ff7b72 } .hlo .badtext { fill: #ff7b72 } .hlo .limit { stroke: #9aa4af }
  }
</style>
)svg";

absl::string_view View(string_view text) { return {text.data(), text.size()}; }

// Text for an element. What may be no XML becomes '?'.
std::string Escape(string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '"') {
      escaped += "&quot;";
    } else {
      escaped += c >= ' ' && c <= '~' ? c : '?';
    }
  }
  return escaped;
}

std::string Shortened(string_view text, size_t most) {
  return text.size() <= most ? std::string(text) : std::string(text.substr(0, most - 3)).append("...");
}

struct Block {
  uint32_t buffer = 0;
  double offset = 0;  // bytes
  bool at_peak = false;
};

bool Meet(const std::vector<StepRange>& a, const std::vector<StepRange>& b) {
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i].end <= b[j].begin) {
      ++i;
    } else if (b[j].end <= a[i].begin) {
      ++j;
    } else {
      return true;
    }
  }
  return false;
}

// Each in turn at the lowest offset that is free as long as it lives. In doubles: a picture needs no more.
std::vector<Block> Stack(const Liveness& liveness, const std::vector<uint32_t>& buffers) {
  std::vector<Block> blocks;  // ascending by offset
  for (const uint32_t b : buffers) {
    const double bytes = static_cast<double>(liveness.buffers[b].bytes);
    double offset = 0;
    for (const Block& other : blocks) {
      if (!Meet(liveness.buffers[b].ranges, liveness.buffers[other.buffer].ranges)) continue;
      if (other.offset >= offset + bytes) break;
      offset = std::max(offset, other.offset + static_cast<double>(liveness.buffers[other.buffer].bytes));
    }
    const Block block = {.buffer = b, .offset = offset};
    blocks.insert(std::upper_bound(blocks.begin(), blocks.end(), block,
                                   [](const Block& x, const Block& y) { return x.offset < y.offset; }),
                  block);
  }
  return blocks;
}

// What of one memory space is drawn.
struct Panel {
  const Peak* peak = nullptr;
  std::vector<Block> blocks;
  size_t left_out = 0;
  double extent = 1;  // bytes
};

class Picture {
 public:
  Picture(const Module& module, const Liveness& liveness, const DrawOptions& options)
      : module_(module),
        liveness_(liveness),
        names_(module, liveness),
        in_page_(options.in_page),
        plot_height_(in_page_ ? kPlotHeightInPage : kPlotHeight),
        steps_(static_cast<double>(liveness.flat.steps.size() + 1)) {
    std::vector<const Peak*> peaks;
    for (const Peak& peak : liveness.peaks) peaks.push_back(&peak);
    std::sort(peaks.begin(), peaks.end(), [](const Peak* a, const Peak* b) {
      return a->bytes != b->bytes ? a->bytes > b->bytes : a->space < b->space;
    });
    const size_t count = std::min(peaks.size(), in_page_ ? size_t{1} : kMaxPanels);
    for (size_t i = 0; i < count; ++i) panels_.push_back(MakePanel(*peaks[i], options.max_blocks / count));
    more_spaces_ = peaks.size() - count;
  }

  std::string Draw() && {
    Begin();
    double top = in_page_ ? kTopInPage : kTop;
    for (const Panel& panel : panels_) {
      DrawPanel(panel, top);
      top += PanelHeight(panel);
    }
    svg_ += "</svg>\n";
    return std::move(svg_);
  }

 private:
  Panel MakePanel(const Peak& peak, size_t most) const {
    Panel panel;
    panel.peak = &peak;
    std::vector<uint32_t> buffers;
    for (uint32_t b = 0; b < liveness_.buffers.size(); ++b) {
      const LiveBuffer& buffer = liveness_.buffers[b];
      if (buffer.space == peak.space && buffer.bytes > 0 && !buffer.ranges.empty()) buffers.push_back(b);
    }
    std::sort(buffers.begin(), buffers.end(), [&](uint32_t a, uint32_t b) {
      const uint64_t x = liveness_.buffers[a].bytes, y = liveness_.buffers[b].bytes;
      return x != y ? x > y : a < b;
    });
    most = std::clamp<size_t>(most, 1, 4000);
    if (buffers.size() > most) panel.left_out = buffers.size() - most, buffers.resize(most);
    panel.blocks = Stack(liveness_, buffers);
    std::vector<bool> at_peak(liveness_.buffers.size(), false);
    for (const uint32_t b : peak.buffers) at_peak[b] = true;
    for (Block& block : panel.blocks) {
      block.at_peak = at_peak[block.buffer];
      panel.extent = std::max(panel.extent, block.offset + static_cast<double>(liveness_.buffers[block.buffer].bytes));
    }
    return panel;
  }

  size_t Named(const Panel& panel) const { return in_page_ ? 0 : std::min(kMaxNamed, panel.peak->buffers.size()); }
  double PanelHeight(const Panel& panel) const {
    return kPanelHead + plot_height_ + kAxisHeight + kLine * static_cast<double>(Named(panel) + 1);
  }

  double X(double step) const { return kLeft + kPlotWidth * step / steps_; }

  void Text(string_view css, double x, double y, string_view anchor, string_view text) {
    absl::StrAppendFormat(&svg_, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", View(css),
                          x, y, View(anchor), Escape(text));
  }
  void Rect(string_view css, double x, double y, double width, double height) {
    absl::StrAppendFormat(&svg_, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
                          View(css), x, y, width, height);
  }
  void Line(string_view css, double x1, double y1, double x2, double y2) {
    absl::StrAppendFormat(&svg_, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", View(css),
                          x1, y1, x2, y2);
  }

  void Begin() {
    double height = in_page_ ? kTopInPage : kTop;
    for (const Panel& panel : panels_) height += PanelHeight(panel);
    if (panels_.empty()) height += 40;
    absl::StrAppendFormat(&svg_,
                          "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"hlo\" width=\"%.0f\" height=\"%.0f\" "
                          "viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"memory over the schedule\">\n",
                          kWidth, height, kWidth, height);
    if (!in_page_) svg_.append("<title>Memory over the schedule</title>\n").append(kStyle);
    Rect("paper", 0, 0, kWidth, height);
    if (in_page_) return;
    Text("title", 16, 22, "start", Shortened(absl::StrCat("module ", std::string(module_.strings[module_.name])), 100));
    std::string line = absl::StrCat(liveness_.flat.steps.size(), " steps, ",
                                    IsScheduled(module_) ? "in its own order" : "not scheduled: in the order of its text");
    if (more_spaces_ > 0) absl::StrAppend(&line, "; ", more_spaces_, " memory spaces with less are not drawn");
    Text("soft", 16, 39, "start", line);
    if (panels_.empty()) Text("soft", 16, kTop + 20, "start", "nothing takes memory");
  }

  void DrawPanel(const Panel& panel, double top) {
    const Peak& peak = *panel.peak;
    std::string head = absl::StrCat(SpaceName(peak.space), ": peak ", FormatBytes(peak.bytes), " at step ", peak.step,
                                    ", ", names_.OfStep(peak.step));
    if (panel.left_out > 0) absl::StrAppend(&head, "; ", panel.left_out, " smaller buffers are not drawn");
    Text("badtext", kLeft, top + 15, "start", Shortened(head, kMaxLetters));
    top += kPanelHead;
    Rect("free", kLeft, top, kPlotWidth, plot_height_);
    const double scale = plot_height_ / panel.extent;
    for (const Block& block : panel.blocks) DrawBlock(block, top, scale);
    DrawScale(panel, top);
    const double x = X(static_cast<double>(peak.step) + 0.5);
    Line("at", x, top - 3, x, top + plot_height_ + 3);
    DrawList(panel, top + plot_height_ + kAxisHeight);
  }

  // Steps below, bytes at the left.
  void DrawScale(const Panel& panel, double top) {
    const double bottom = top + plot_height_;
    for (int i = 0; i <= 4; ++i) {
      const double y = bottom - plot_height_ * i / 4;
      Line("grid", kLeft - 4, y, kLeft, y);
      Text("soft", kLeft - 6, y + 4, "end", FormatBytes(static_cast<uint64_t>(std::min(panel.extent * i / 4, 1.8e19))));
      const double step = (steps_ - 1) * i / 4;
      Line("grid", X(step), bottom, X(step), bottom + 4);
      Text("soft", X(step), bottom + 16, "middle", absl::StrCat(static_cast<uint64_t>(step)));
    }
    Text("soft", kLeft + kPlotWidth / 2, bottom + 30, "middle", "step of the schedule");
  }

  std::string Colour(uint32_t buffer) const {
    uint64_t hash = 0xcbf29ce484222325;
    for (const char c : names_.OfBuffer(buffer)) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    hash ^= hash >> 29;
    return absl::StrCat("hsl(", 95 + hash % 230, ",", 50 + hash / 512 % 21, "%,", 62 + hash / 65536 % 14, "%)");
  }

  std::string Describe(uint32_t b) const {
    const LiveBuffer& buffer = liveness_.buffers[b];
    const Value& value = liveness_.aliases.values[buffer.value];
    return absl::StrCat(names_.OfBuffer(b), ": ", buffer.bytes, " bytes, ",
                        Shortened(PrintShape(module_.shapes, value.shape), 60), " ",
                        std::string(RowOf(names_.Maker(b).opcode).name), ", ", RoleOf(buffer));
  }

  void DrawBlock(const Block& block, double top, double scale) {
    const LiveBuffer& buffer = liveness_.buffers[block.buffer];
    const double height = static_cast<double>(buffer.bytes) * scale;
    const double y = top + plot_height_ - block.offset * scale - height;
    const std::string name = names_.OfBuffer(block.buffer);
    const std::string title = Escape(Describe(block.buffer)), colour = Colour(block.buffer);
    for (const StepRange& range : buffer.ranges) {
      const double x = X(range.begin), width = X(range.end) - x;
      const bool thin = height < 3 || width < 3;  // Its border would hide it.
      absl::StrAppendFormat(&svg_,
                            "<rect class=\"block%s%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
                            "fill=\"%s\"><title>%s</title></rect>\n",
                            block.at_peak ? " peak" : "", thin ? " thin" : "", x, y, std::max(width, 0.2),
                            std::max(height, 0.2), colour, title);
      if (height >= 12 && width > kLetterWidth * static_cast<double>(name.size() + 1)) {
        Text("name", x + width / 2, y + height / 2 + 4, "middle", name);
      }
    }
  }

  // The buffers that make the peak, the largest first.
  void DrawList(const Panel& panel, double y) {
    const size_t count = Named(panel);
    for (size_t i = 0; i < count; ++i, y += kLine) {
      const uint32_t b = panel.peak->buffers[i];
      Text("", kLeft, y + 8, "start",
           Shortened(absl::StrCat(FormatBytes(liveness_.buffers[b].bytes), "  ", Describe(b)), kMaxLetters));
    }
    if (count > 0 && panel.peak->buffers.size() > count) {
      Text("soft", kLeft, y + 8, "start", absl::StrCat("and ", panel.peak->buffers.size() - count, " smaller ones"));
    }
  }

  const Module& module_;
  const Liveness& liveness_;
  const LivenessNames names_;
  const bool in_page_;
  const double plot_height_, steps_;
  std::vector<Panel> panels_;
  size_t more_spaces_ = 0;
  std::string svg_;
};

}  // namespace

std::string DrawSvg(const Module& module, const Liveness& liveness, const DrawOptions& options) {
  return Picture(module, liveness, options).Draw();
}

std::string DrawSvg(const Module& module, const DrawOptions& options) {
  LivenessOptions counting;
  counting.array_bytes = PaddedArrayBytes;
  const absl::StatusOr<Liveness> liveness = LivenessOf(module, counting);
  if (liveness.ok()) return DrawSvg(module, *liveness, options);
  return absl::StrCat("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"hlo\" width=\"1068\" height=\"40\">",
                      options.in_page ? "" : std::string(kStyle), "<text class=\"badtext\" x=\"16\" y=\"24\">",
                      Escape(Shortened("no memory can be counted: " + std::string(liveness.status().message()),
                                       kMaxLetters)),
                      "</text></svg>\n");
}

std::string DrawSvgStyle() { return std::string(kStyle); }

}  // namespace oomph::hlo
