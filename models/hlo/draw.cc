// Draws a module's memory over its schedule.
#include "models/hlo/draw.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "models/base/picture_frame.h"
#include "models/base/svg.h"
#include "models/hlo/draw_panel.h"
#include "models/hlo/explain.h"
#include "models/message/number.h"

namespace oomph::hlo {
namespace {

using std::string_view;

// Where things stand, in pixels.
constexpr double kLeft = PictureFrame::kLeft, kPlotWidth = PictureFrame::kPlotWidth, kWidth = PictureFrame::kWidth;
constexpr double kLetterWidth = PictureFrame::kLetterWidth;
constexpr double kTop = 78, kTopInPage = 12, kPlotHeight = 380, kLessHeight = 190, kPlotHeightInPage = 170;
constexpr double kPanelHead = 38, kAxisHeight = 42, kLine = 15, kBelowPanel = 14;
constexpr size_t kMaxPanels = 4, kMaxNamed = 12, kMaxLetters = 144;

// The columns of the list of buffers: where each begins and how many letters it has.
struct Column {
  double x;
  size_t letters;
};
constexpr Column kSize = {kLeft + 50, 8}, kPlain = {kLeft + 58, 9}, kName = {kLeft + 122, 50},
                 kShape = {kLeft + 462, 44}, kWhat = {kLeft + 758, 32};

// Each rule says .hlo, so that in a page it touches nothing else.
constexpr string_view kStyle = R"svg(<style>
  .hlo .paper { fill: #ffffff } .hlo .free { fill: #f1f3f5 } .hlo .grid { stroke: #d5d9de; stroke-width: 1 }
  .hlo text { font: 11px ui-monospace, Menlo, Consolas, monospace; fill: #1f2328 }
  .hlo .title { font-size: 14px; font-weight: bold } .hlo .soft { fill: #57606a }
  .hlo .head { font-weight: bold } .hlo .all { fill: none; stroke: #57606a; stroke-width: 1.5 }
  .hlo .block { stroke: #1f2328; stroke-opacity: .55; stroke-width: .6; fill-opacity: .4 }
  .hlo .peak { fill-opacity: 1 } .hlo .thin { stroke: none }
  .hlo .name { fill: #101418; text-anchor: middle; pointer-events: none }
  .hlo .at { stroke: #d1242f; stroke-width: 1.4 } .hlo .highest { stroke: #d1242f; stroke-dasharray: 6 3 }
  .hlo .badtext { fill: #cf222e; font-weight: bold }
  @media (prefers-color-scheme: dark) {
    .hlo .paper { fill: #0d1117 } .hlo .free { fill: #1b222b } .hlo .grid { stroke: #30363d }
    .hlo text { fill: #e6edf3 } .hlo .soft { fill: #9aa4af } .hlo .name { fill: #101418 }
    .hlo .all { stroke: #c9d1d9 } .hlo .block { stroke: #e6edf3 } .hlo .thin { stroke: none }
    .hlo .at { stroke: #ff7b72 } .hlo .highest { stroke: #ff7b72 } .hlo .badtext { fill: #ff7b72 }
  }
</style>
)svg";

// Of names in computations of long names it is the end that tells them apart.
std::string LastLetters(const std::string& text, size_t most) {
  return text.size() <= most ? text : "..." + text.substr(text.size() - most + 3);
}

class Picture {
 public:
  Picture(const Module& module, const Liveness& liveness, const DrawOptions& options)
      : module_(liveness.Counted(module)),
        liveness_(liveness),
        names_(module, liveness),
        in_page_(options.in_page),
        steps_(static_cast<double>(liveness.flat.steps.size() + 1)) {
    std::vector<const Peak*> peaks;
    for (const Peak& peak : liveness.peaks) {
      if (peak.bytes > 0) peaks.push_back(&peak);
    }
    std::sort(peaks.begin(), peaks.end(), [](const Peak* a, const Peak* b) {
      return a->bytes != b->bytes ? a->bytes > b->bytes : a->space < b->space;
    });
    const size_t count = std::min(peaks.size(), in_page_ ? size_t{1} : kMaxPanels);
    more_spaces_ = peaks.size() - count;
    peaks.resize(count);
    std::sort(peaks.begin(), peaks.end(), [](const Peak* a, const Peak* b) { return a->space < b->space; });
    for (const Peak* peak : peaks) {
      panels_.push_back(PanelOf(liveness, *peak, options.max_blocks / count, static_cast<size_t>(kPlotWidth)));
    }
  }

  std::string Draw() && {
    Begin();
    double top = in_page_ ? kTopInPage : kTop;
    for (const Panel& panel : panels_) {
      DrawPanel(panel, top);
      top += PanelHeight(panel);
    }
    svg_.text += "</svg>\n";
    return std::move(svg_.text);
  }

 private:
  size_t Named(const Panel& panel) const { return in_page_ ? 0 : std::min(kMaxNamed, panel.peak->buffers.size()); }
  double PanelHeight(const Panel& panel) const {
    const double list = in_page_ ? 0 : kLine * static_cast<double>(Named(panel) + 2) + kBelowPanel;
    return kPanelHead + PlotHeight(panel) + kAxisHeight + list;
  }
  // The memory space with the most bytes is what people look for.
  double PlotHeight(const Panel& panel) const {
    if (in_page_) return kPlotHeightInPage;
    for (const Panel& other : panels_) {
      if (other.peak->bytes > panel.peak->bytes) return kLessHeight;
    }
    return kPlotHeight;
  }
  double X(double step) const { return kLeft + kPlotWidth * step / steps_; }

  // --- around the panels ---

  void Begin() {
    double height = in_page_ ? kTopInPage : kTop;
    for (const Panel& panel : panels_) height += PanelHeight(panel);
    if (panels_.empty()) height += 40;
    absl::StrAppendFormat(&svg_.text,
                          "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"hlo\" width=\"%.0f\" height=\"%.0f\" "
                          "viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"memory over the schedule\">\n",
                          kWidth, height, kWidth, height);
    if (!in_page_) svg_.text.append("<title>Memory over the schedule</title>\n").append(kStyle);
    svg_.Rect("paper", 0, 0, kWidth, height);
    if (panels_.empty()) svg_.Text("soft", 16, (in_page_ ? kTopInPage : kTop) + 20, "start", "nothing takes memory");
    if (in_page_) return;
    svg_.Text("title", 16, 22, "start",
              Shortened(absl::StrCat("Memory of module ", BriefName(module_.strings[module_.name]),
                                     " over its schedule"), 110));
    std::string line = OrderText(module_, liveness_);
    absl::StrAppend(&line, liveness_.padded ? "; arrays with the padding of their layouts" : "; arrays without padding");
    if (more_spaces_ > 0) absl::StrAppend(&line, "; ", more_spaces_, " memory spaces with less are not drawn");
    svg_.Text("soft", 16, 39, "start", line);
    if (!panels_.empty()) Legend();
  }

  void Legend() {
    double x = 16;
    const auto entry = [&](string_view css, string_view more, string_view text) {
      svg_.Rect(css, x, 50, 18, 10, more);
      svg_.Text("soft", x + 24, 59, "start", text);
      x += 24 + kLetterWidth * static_cast<double>(text.size()) + 20;
    };
    entry("block peak", "fill=\"hsl(210,60%,68%)\"", "a buffer that is live at the peak");
    entry("block", "fill=\"hsl(210,60%,68%)\"", "another buffer");
    svg_.Line("all", x, 55, x + 18, 55);
    svg_.Text("soft", x + 24, 59, "start", "all bytes that are live");
    x += 24 + kLetterWidth * 23 + 20;
    svg_.Line("at", x + 9, 48, x + 9, 62);
    svg_.Text("soft", x + 24, 59, "start", "the peak. Heights keep buffers apart; they are no addresses");
  }

  // --- a panel ---

  void DrawPanel(const Panel& panel, double top) {
    const Peak& peak = *panel.peak;
    const std::string head =
        absl::StrCat(SpaceName(peak.space), ": peak ", FormatBytes(peak.bytes), " at step ", peak.step, ", ",
                     BriefName(names_.OfStep(peak.step), 60));
    svg_.Text("badtext", kLeft, top + 14, "start", Shortened(head, kMaxLetters));
    svg_.Text("soft", kLeft, top + 30, "start", Shortened(Counted(panel), kMaxLetters));
    top += kPanelHead;
    const double height = PlotHeight(panel), bottom = top + height, scale = height / panel.extent;
    svg_.Rect("free", kLeft, top, kPlotWidth, height);
    for (const Block& block : panel.blocks) DrawBlock(block, bottom, scale);
    DrawLive(panel, bottom, scale);
    DrawScale(panel, bottom, scale);
    const double x = X(static_cast<double>(peak.step) + 0.5), y = bottom - static_cast<double>(peak.bytes) * scale;
    svg_.Line("highest", kLeft, y, kLeft + kPlotWidth, y);
    svg_.Line("at", x, top - 3, x, bottom + 3);
    for (const Block& block : panel.blocks) NameBlock(block, bottom, scale);
    if (!in_page_) DrawList(panel, bottom + kAxisHeight);
  }

  std::string Counted(const Panel& panel) const {
    const Peak& peak = *panel.peak;
    const size_t drawn = panel.blocks.size(), all = panel.buffers;
    std::string text = absl::StrCat(all, all == 1 ? " buffer, " : " buffers, ", peak.buffers.size(), " live at the peak");
    if (const uint64_t padding = PaddingOf(module_, liveness_, peak); padding > 0) {
      absl::StrAppend(&text, ", ", FormatBytes(padding), " of it padding");
    }
    if (drawn < all) {
      absl::StrAppend(&text, "; the ", all - drawn, " smaller buffers are not drawn, ",
                      FormatBytes(peak.bytes - std::min(peak.bytes, panel.drawn_at_peak)), " of the peak");
    }
    return text;
  }

  void DrawLive(const Panel& panel, double bottom, double scale) {
    const double width = kPlotWidth / static_cast<double>(panel.live.size());
    absl::StrAppendFormat(&svg_.text, "<path class=\"all\" d=\"M%.1f %.1f", kLeft, bottom);
    for (size_t i = 0; i < panel.live.size(); ++i) {
      const double y = bottom - panel.live[i] * scale;
      absl::StrAppendFormat(&svg_.text, "V%.1fH%.1f", y, kLeft + width * static_cast<double>(i + 1));
    }
    absl::StrAppendFormat(&svg_.text, "V%.1f\"/>\n", bottom);
  }

  // Steps below, bytes at the left.
  void DrawScale(const Panel& panel, double bottom, double scale) {
    for (const double bytes : RoundBytes(panel.extent)) {
      const double y = bottom - bytes * scale;
      svg_.Line("grid", kLeft - 4, y, kLeft, y);
      svg_.Text("soft", kLeft - 6, y + 4, "end", FormatBytes(static_cast<uint64_t>(std::min(bytes, 1.8e19))));
    }
    for (const double step : RoundSteps(steps_ - 1)) {
      svg_.Line("grid", X(step), bottom, X(step), bottom + 4);
      svg_.Text("soft", X(step), bottom + 16, "middle", absl::StrCat(static_cast<uint64_t>(step)));
    }
    svg_.Text("soft", kLeft + kPlotWidth / 2, bottom + 30, "middle", "step of the schedule");
    absl::StrAppendFormat(&svg_.text,
                          "<text class=\"soft\" text-anchor=\"middle\" transform=\"translate(14 %.1f) rotate(-90)\">"
                          "bytes live</text>\n",
                          bottom - PlotHeight(panel) / 2);
  }

  std::string Describe(uint32_t b) const {
    const LiveBuffer& buffer = liveness_.buffers[b];
    const Value& value = liveness_.aliases.values[buffer.value];
    std::string text = absl::StrCat(BriefName(names_.OfBuffer(b)), ": ", buffer.bytes, " bytes, ");
    if (const std::optional<uint64_t> plain = UnpaddedBytesOf(module_, liveness_, buffer)) {
      absl::StrAppend(&text, *plain, " without padding, ");
    }
    absl::StrAppend(&text, BriefShape(module_.shapes, value.shape, 60), " ", OpcodeText(names_.Maker(b)), ", ",
                    std::string(RoleOf(buffer)));
    return text;
  }

  void DrawBlock(const Block& block, double bottom, double scale) {
    const double height = static_cast<double>(liveness_.buffers[block.buffer].bytes) * scale;
    const std::string colour = FillOf(names_.OfBuffer(block.buffer), 95, 230), title = Describe(block.buffer);
    for (const StepRange& range : block.ranges) {
      const double x = X(range.begin), width = X(range.end) - x;
      const bool thin = height < 3 || width < 3;  // Its border would hide it.
      const std::string css = absl::StrCat("block", block.at_peak ? " peak" : "", thin ? " thin" : "");
      svg_.Rect(css, x, bottom - block.offset * scale - height, width, height, colour, title);
    }
  }

  // Over the lines, in its first range that has room for it.
  void NameBlock(const Block& block, double bottom, double scale) {
    const double height = static_cast<double>(liveness_.buffers[block.buffer].bytes) * scale;
    if (height < 13) return;
    const std::string name = BriefName(names_.OfBuffer(block.buffer));
    for (const StepRange& range : block.ranges) {
      const double x = X(range.begin), width = X(range.end) - x;
      if (width <= kLetterWidth * static_cast<double>(name.size() + 1)) continue;
      svg_.Text("name", x + width / 2, bottom - block.offset * scale - height / 2 + 4, "middle", name);
      return;
    }
  }

  // The buffers that make the peak, the largest first.
  void DrawList(const Panel& panel, double y) {
    const size_t count = Named(panel);
    const auto cell = [&](string_view css, Column column, string_view anchor, string_view text) {
      svg_.Text(css, column.x, y + 8, anchor, Shortened(text, column.letters));
    };
    cell("head", kSize, "end", "bytes");
    cell("head", kPlain, "start", "unpadded");
    cell("head", kName, "start", "largest buffers at the peak");
    cell("head", kShape, "start", "shape");
    cell("head", kWhat, "start", "made by, used as");
    y += kLine;
    for (size_t i = 0; i < count; ++i, y += kLine) {
      const uint32_t b = panel.peak->buffers[i];
      const LiveBuffer& buffer = liveness_.buffers[b];
      const std::optional<uint64_t> plain = UnpaddedBytesOf(module_, liveness_, buffer);
      cell("", kSize, "end", FormatBytes(buffer.bytes));
      if (plain.has_value()) cell("badtext", kPlain, "start", FormatBytes(*plain));
      cell("", kName, "start", LastLetters(BriefName(names_.OfBuffer(b), 400), kName.letters));
      cell("", kShape, "start",
           BriefShape(module_.shapes, liveness_.aliases.values[buffer.value].shape, kShape.letters));
      cell("", kWhat, "start", absl::StrCat(OpcodeText(names_.Maker(b)), ", ", std::string(RoleOf(buffer))));
    }
    if (panel.peak->buffers.size() > count) {
      uint64_t rest = 0;
      for (size_t i = count; i < panel.peak->buffers.size(); ++i) {
        rest = SaturatingAdd(rest, liveness_.buffers[panel.peak->buffers[i]].bytes);
      }
      cell("soft", kSize, "end", FormatBytes(rest));
      cell("soft", kName, "start", absl::StrCat("in ", panel.peak->buffers.size() - count, " smaller"));
    }
  }

  const Module& module_;
  const Liveness& liveness_;
  const LivenessNames names_;
  const bool in_page_;
  const double steps_;
  std::vector<Panel> panels_;
  size_t more_spaces_ = 0;
  Svg svg_;
};

}  // namespace

std::string DrawSvg(const Module& module, const Liveness& liveness, const DrawOptions& options) {
  return Picture(module, liveness, options).Draw();
}

std::string DrawSvg(const Module& module, const DrawOptions& options, Order order) {
  LivenessOptions counting;
  counting.order = order;
  counting.array_bytes = PaddedArrayBytes;
  const absl::StatusOr<Liveness> liveness = LivenessOf(module, counting);
  if (liveness.ok()) return DrawSvg(module, *liveness, options);
  const std::string why = BriefName("no memory can be counted: " + std::string(liveness.status().message()), kMaxLetters);
  return absl::StrCat("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"hlo\" width=\"1068\" height=\"40\">",
                      options.in_page ? "" : std::string(kStyle), "<text class=\"badtext\" x=\"16\" y=\"24\">",
                      EscapeXml(why), "</text></svg>\n");
}

std::string DrawSvgStyle() { return std::string(kStyle); }

}  // namespace oomph::hlo
