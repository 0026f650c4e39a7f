// Draws memory maps. Not for judging.

#include "models/hbm/draw.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "models/base/range.h"
#include "models/base/picture_frame.h"
#include "models/base/svg.h"
#include "models/base/units.h"
#include "models/base/verdict.h"
#include "models/hbm/history.h"
#include "models/hbm/outcome.h"
#include "models/hbm/text.h"
#include "models/hbm/trace.h"
#include "models/message/number.h"

namespace oomph::hbm {
namespace {

using std::string_view;

constexpr double kLeft = PictureFrame::kLeft, kPlotWidth = PictureFrame::kPlotWidth;
constexpr double kLetterWidth = PictureFrame::kLetterWidth;
constexpr size_t kMaxMarkedFailures = 200;
constexpr double kMinTickPixels = 48;

// Each rule says .hbm, so that in a page it touches nothing else.
constexpr string_view kStyle = R"svg(<style>
  .hbm .paper { fill: #ffffff } .hbm .free { fill: #f1f3f5 } .hbm .grid { stroke: #d5d9de; stroke-width: 1 }
  .hbm text { font: 11px ui-monospace, Menlo, Consolas, monospace; fill: #1f2328 }
  .hbm .title { font-size: 14px; font-weight: bold } .hbm .soft { fill: #57606a }
  .hbm .block { stroke: #1f2328; stroke-opacity: .55; stroke-width: .6 }
  .hbm .thin { stroke: none }
  .hbm .freed { fill-opacity: .3; stroke-dasharray: 3 2 }
  .hbm .padding { fill: url(#hbm-padding); pointer-events: none }
  .hbm .program { fill: url(#hbm-program); pointer-events: none }
  .hbm .name { fill: #101418; text-anchor: middle; pointer-events: none }
  .hbm .bad { fill: #d1242f; fill-opacity: .16; stroke: #d1242f; stroke-width: 1.2; pointer-events: none }
  .hbm .badtext { fill: #cf222e; font-weight: bold } .hbm .failed { fill: #d1242f }
  .hbm .limit { stroke: #57606a; stroke-width: 1.2; stroke-dasharray: 6 3 }
  .hbm .break { fill: none; stroke: #57606a; stroke-width: 1 }
  .hbm-hatch { stroke: #101418; stroke-width: 1.1 }
  @media (prefers-color-scheme: dark) {
    .hbm .paper { fill: #0d1117 } .hbm .free { fill: #1b222b } .hbm .grid { stroke: #30363d }
    .hbm text { fill: #e6edf3 } .hbm .soft { fill: #9aa4af } .hbm .name { fill: #101418 }
    .hbm .block { stroke: #e6edf3 } .hbm .thin { stroke: none }
    .hbm .bad { fill: #ff7b72; stroke: #ff7b72 } .hbm .badtext { fill: #ff7b72 }
    .hbm .failed { fill: #ff7b72 } .hbm .limit, .hbm .break { stroke: #9aa4af }
  }
</style>
)svg";

constexpr string_view kPatterns = R"svg(<defs>
<pattern id="hbm-padding" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
<line class="hbm-hatch" x1="0" y1="0" x2="0" y2="5" stroke-opacity=".7"/></pattern>
<pattern id="hbm-program" width="9" height="9" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">
<line class="hbm-hatch" x1="0" y1="0" x2="0" y2="9" stroke-opacity=".25"/></pattern>
</defs>
)svg";

// --- what is drawn ---

struct Window {
  Range steps;
  std::vector<HistoryPiece> pieces;
  size_t left_out = 0;  // pieces in these steps that are not drawn
};

std::vector<HistoryPiece> PiecesIn(const History& history, const Range& steps) {
  std::vector<HistoryPiece> pieces;
  for (const HistoryPiece& piece : history.pieces) {
    if (Overlaps(piece.steps, steps)) pieces.push_back(piece);
  }
  return pieces;
}

size_t CountIn(const History& history, const Range& steps) {
  return static_cast<size_t>(std::count_if(history.pieces.begin(), history.pieces.end(),
                                           [&](const HistoryPiece& p) { return Overlaps(p.steps, steps); }));
}

Range Around(size_t step, size_t radius, size_t num_steps) {
  return {SaturatingSub(step, radius), std::min<uint64_t>(num_steps, SaturatingAdd(step, radius + 1))};
}

// The widest range of steps around `step` with few enough blocks; at least a few steps.
Window ChooseWindow(const History& history, size_t step, size_t num_steps, size_t max_blocks) {
  size_t low = 8, high = std::max<size_t>(low, num_steps);  // radius
  if (CountIn(history, Around(step, high, num_steps)) <= max_blocks) low = high;
  while (low + 1 < high) {
    const size_t middle = low + (high - low) / 2;
    (CountIn(history, Around(step, middle, num_steps)) <= max_blocks ? low : high) = middle;
  }
  Window window{Around(step, low, num_steps), {}, 0};
  window.pieces = PiecesIn(history, window.steps);
  if (window.pieces.size() <= max_blocks) return window;
  const auto larger = [](const HistoryPiece& a, const HistoryPiece& b) {
    return std::tuple(b.reserved, a.block, a.steps.begin) < std::tuple(a.reserved, b.block, b.steps.begin);
  };
  std::sort(window.pieces.begin(), window.pieces.end(), larger);
  window.left_out = window.pieces.size() - max_blocks;
  window.pieces.resize(max_blocks);
  return window;
}

std::optional<size_t> FirstFailedStep(const TraceOutcome& outcome, size_t num_steps) {
  for (size_t i = 0; i < std::min(num_steps, outcome.rows.size()); ++i) {
    if (outcome.rows[i].result == Result::kFailed) return i;
  }
  return std::nullopt;
}

size_t StepOfPeak(const History& history) {
  std::vector<uint64_t> change(history.num_steps + 1);  // Modulo 2^64, as its sums.
  for (const HistoryPiece& piece : history.pieces) {
    change[piece.steps.begin] += piece.reserved;
    change[piece.steps.end] -= piece.reserved;
  }
  uint64_t bytes = 0, most = 0;
  size_t peak = 0;
  for (size_t step = 0; step < history.num_steps; ++step) {
    bytes += change[step];
    if (bytes > most) most = bytes, peak = step;
  }
  return peak;
}

uint64_t Stop(const HistoryPiece& piece) { return SaturatingAdd(piece.offset, piece.reserved); }

// --- the picture ---

class Picture {
 public:
  Picture(const Trace& trace, const TraceOutcome& outcome, const Verdict& verdict, const DrawOptions& options)
      : frame_(options.in_page),
        trace_(trace),
        outcome_(outcome),
        verdict_(verdict),
        names_(trace),
        history_(MakeHistory(trace, outcome)),
        num_steps_(std::max<size_t>(1, trace.steps.size())),
        bad_(verdict.found() ? std::optional(std::min(verdict.step, num_steps_ - 1)) : std::nullopt),
        window_(ChooseWindow(history_, Center(), num_steps_, options.max_blocks)),
        axis_(UsedRanges(), Extent(), frame_.top(), frame_.plot_height()) {}

  std::string Draw() && {
    frame_.Begin("hbm", "memory map", "Memory map", std::string(kStyle).append(kPatterns), svg_);
    DrawTitle();
    DrawBackground();
    for (const HistoryPiece& piece : window_.pieces) DrawBlock(piece);
    DrawBreaks(axis_, kLeft, kPlotWidth, "in all these steps", svg_);
    DrawFailures();
    DrawBadStep();
    DrawStepAxis();
    DrawLegend();
    svg_.text += "</svg>\n";
    return std::move(svg_.text);
  }

 private:
  size_t Center() const {
    if (bad_.has_value()) return *bad_;
    return FirstFailedStep(outcome_, num_steps_).value_or(StepOfPeak(history_));
  }

  std::vector<Range> UsedRanges() const {
    std::vector<Range> used;
    for (const HistoryPiece& piece : window_.pieces) used.push_back({piece.offset, Stop(piece)});
    return used;
  }

  uint64_t Extent() const {
    uint64_t extent = trace_.policy.capacity;
    for (const HistoryPiece& piece : window_.pieces) extent = std::max(extent, Stop(piece));
    return extent;
  }

  double X(size_t step) const {
    const uint64_t inside = SaturatingSub(std::min<uint64_t>(step, window_.steps.end), window_.steps.begin);
    return kLeft + kPlotWidth * static_cast<double>(inside) / static_cast<double>(window_.steps.size());
  }

  void HorizontalLine(string_view css, double y) { svg_.Line(css, kLeft, y, kLeft + kPlotWidth, y); }

  // --- around the blocks ---

  void DrawTitle() {
    const bool bad = bad_.has_value();
    frame_.Title(bad ? string_view(verdict_.signature) : "Memory map", bad ? verdict_.text : PrintPolicy(trace_.policy),
                 WindowNote(), svg_);
  }

  // What the picture does not show.
  std::string WindowNote() const {
    std::string note;
    if (window_.steps.size() < num_steps_) {
      absl::StrAppend(&note, "only steps ", window_.steps.begin, " to ", window_.steps.end - 1, " of ",
                      num_steps_);
    }
    if (window_.left_out > 0) {
      absl::StrAppend(&note, note.empty() ? "" : ", ", "without the ", window_.left_out, " smallest blocks");
    }
    return note;
  }

  void DrawBackground() {
    svg_.Rect("free", kLeft, frame_.top(), kPlotWidth, frame_.plot_height());
    for (const uint64_t tick : axis_.Ticks()) {
      const double y = axis_.Y(tick);
      HorizontalLine("grid", y);
      svg_.Text("soft", kLeft - 8, y + 4, "end", FormatBytes(tick));
    }
    if (trace_.policy.capacity < Extent()) HorizontalLine("limit", axis_.Y(trace_.policy.capacity));
  }

  void DrawStepAxis() {
    size_t step = 1;
    while (kPlotWidth * static_cast<double>(step) / static_cast<double>(window_.steps.size()) <
           kMinTickPixels) {
      step *= step % 3 == 2 ? 5 : 2;  // 1 2 10 20 100 ...
      if (step > window_.steps.size()) break;
    }
    for (size_t i = CeilDiv(window_.steps.begin, step) * step; i < window_.steps.end; i += step) {
      svg_.Text("soft", (X(i) + X(i + 1)) / 2, frame_.LabelsY(), "middle", absl::StrCat(i));
    }
    frame_.NameAxes("step", svg_);
  }

  // A mark below each step whose request failed.
  void DrawFailures() {
    size_t marked = 0;
    for (size_t i = window_.steps.begin; i < std::min<size_t>(window_.steps.end, outcome_.rows.size()); ++i) {
      if (outcome_.rows[i].result != Result::kFailed || i >= trace_.steps.size()) continue;
      if (++marked > kMaxMarkedFailures) return;
      const double x = (X(i) + X(i + 1)) / 2, y = frame_.bottom() + 2;
      absl::StrAppendFormat(&svg_.text,
                            "<path class=\"failed\" d=\"M%.1f %.1fl4 8h-8z\"><title>%s</title></path>\n", x,
                            y, EscapeXml("failed: " + StepText(i)));
    }
  }

  void DrawBadStep() {
    if (!bad_.has_value()) return;
    const double x = X(*bad_), width = std::max(3.0, X(*bad_ + 1) - X(*bad_));
    svg_.Rect("bad", x, frame_.top() - 4, width, frame_.plot_height() + 8);
    const bool left = x < kLeft + kPlotWidth / 2;
    svg_.Text("badtext", left ? x : x + width, frame_.top() - 9, left ? "start" : "end", StepText(*bad_));
  }

  std::string StepText(size_t step) const {
    std::string text = absl::StrCat("step ", step, ": ");
    if (step < trace_.steps.size()) AppendStep(trace_.steps[step], names_, text);
    return text;
  }

  // --- blocks ---

  // Buffers are green to purple, programs orange.
  std::string Fill(const HistoryBlock& block) const {
    return block.program ? FillOf(names_(block.name), 20, 26) : FillOf(names_(block.name), 95, 230);
  }

  std::string Describe(const HistoryPiece& piece) const {
    const HistoryBlock& block = history_.blocks[piece.block];
    std::string text = absl::StrCat(block.program ? "program " : "", names_(block.name), ": ", piece.size,
                                    " bytes at ", piece.offset, ", reserves ", piece.reserved, ", steps ",
                                    piece.steps.begin, " to ", piece.steps.end - 1);
    if (piece.queued()) absl::StrAppend(&text, ", freed, waits for fence ", piece.fence);
    if (block.pinned) absl::StrAppend(&text, ", pinned");
    if (block.shadowed != kNever) absl::StrAppend(&text, ", its name was given away");
    if (block.created < trace_.steps.size()) absl::StrAppend(&text, "; ", StepText(block.created));
    return text;
  }

  void DrawBlock(const HistoryPiece& piece) {
    const HistoryBlock& block = history_.blocks[piece.block];
    const double x = X(std::max<size_t>(piece.steps.begin, window_.steps.begin)),
                 width = X(piece.steps.end) - x;
    const double top = axis_.Y(Stop(piece)), height = std::max(1.0, axis_.Y(piece.offset) - top);
    const std::string title = Describe(piece);
    const bool thin = height < 3 || width < 3;  // Its border would hide it.
    svg_.Rect(absl::StrCat("block", thin ? " thin" : "", piece.queued() ? " freed" : ""), x, top, width, height,
              Fill(block), title);
    if (block.program && !thin) svg_.Rect("program", x, top, width, height);
    if (piece.reserved > piece.size) {
      const double end = axis_.Y(SaturatingAdd(piece.offset, piece.size));
      if (end - top >= 1 && !block.program && !thin) svg_.Rect("padding", x, top, width, end - top);
    }
    const std::string name = names_(block.name);
    if (height >= 12 && width >= kLetterWidth * static_cast<double>(name.size()) + 4) {
      svg_.Text(piece.queued() ? "soft" : "name", x + width / 2, top + height / 2 + 4, "middle", name);
    }
  }

  void DrawLegend() {
    PictureFrame::Legend legend(frame_);
    const auto entry = [&](string_view css, string_view more, string_view hatch, string_view text) {
      legend.Add(css, more, hatch, text, svg_);
    };
    entry("block", "fill=\"hsl(205,60%,68%)\"", "", "buffer");
    entry("block", "fill=\"hsl(205,60%,68%)\"", "padding", "padding");
    entry("block freed", "fill=\"hsl(205,60%,68%)\"", "", "freed, not landed");
    entry("block", "fill=\"hsl(32,60%,68%)\"", "program", "program");
    entry("free", "stroke=\"#8b949e\"", "", "free");
    absl::StrAppendFormat(&svg_.text, "<path class=\"failed\" d=\"M%.1f %.1fl5 10h-10z\"/>\n", legend.x() + 6,
                          legend.y() + 1);
    constexpr string_view kFailed = "request failed";
    svg_.Text("soft", legend.x() + 18, legend.y() + 10, "start", kFailed);
    legend.Skip(18, kFailed.size());
    if (bad_.has_value()) entry("bad", "", "", "first bad step");
  }

  const PictureFrame frame_;
  const Trace& trace_;
  const TraceOutcome& outcome_;
  const Verdict& verdict_;
  const Names names_;
  const History history_;
  const size_t num_steps_;
  const std::optional<size_t> bad_;
  const Window window_;
  const AddressAxis axis_;
  Svg svg_;
};

}  // namespace

std::string DrawSvg(const Trace& trace, const TraceOutcome& outcome, const Verdict& verdict,
                    const DrawOptions& options) {
  return Picture(trace, outcome, verdict, options).Draw();
}

std::string DrawSvgStyle() { return std::string(kStyle).append(kPatterns); }

}  // namespace oomph::hbm
