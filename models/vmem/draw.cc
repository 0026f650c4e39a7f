// See draw.h. Where an answer tells no parts, all that is used is one block.
#include "models/vmem/draw.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "models/base/picture_frame.h"
#include "models/base/svg.h"
#include "models/base/units.h"
#include "models/message/number.h"
#include "models/vmem/answer_text.h"
#include "models/vmem/target.h"

namespace oomph::vmem {
namespace {

using std::string_view;

constexpr double kLeft = PictureFrame::kLeft, kPlotWidth = PictureFrame::kPlotWidth;
constexpr size_t kMostLetters = 100;
constexpr double kLetterHeight = 13;

// Each rule says .kernel, so that in a page it touches nothing else.
constexpr string_view kStyle = R"svg(<style>
  .kernel .paper { fill: #ffffff } .kernel .free { fill: #f1f3f5 }
  .kernel .grid { stroke: #d5d9de; stroke-width: 1 }
  .kernel text { font: 11px ui-monospace, Menlo, Consolas, monospace; fill: #1f2328 }
  .kernel .title { font-size: 14px; font-weight: bold } .kernel .soft { fill: #57606a }
  .kernel .block { stroke: #1f2328; stroke-opacity: .55; stroke-width: .6 } .kernel .thin { stroke: none }
  .kernel .scratch { fill: #f2b866 } .kernel .in { fill: #8fb8de } .kernel .out { fill: #9ccf9c }
  .kernel .stack { fill: #c9a6d8 } .kernel .used { fill: #8c959f }
  .kernel .name { fill: #101418; text-anchor: middle; pointer-events: none }
  .kernel .level { stroke: #ffffff; stroke-width: 3; paint-order: stroke }
  .kernel .limit { stroke: #d1242f; stroke-width: 1.8 }
  .kernel .capacity { stroke: #1f2328; stroke-width: 1.6; stroke-dasharray: 6 3 }
  .kernel .break { fill: none; stroke: #57606a; stroke-width: 1 }
  .kernel .badtext { fill: #cf222e; font-weight: bold }
  @media (prefers-color-scheme: dark) {
    .kernel .paper { fill: #0d1117 } .kernel .free { fill: #1b222b } .kernel .grid { stroke: #30363d }
    .kernel text { fill: #e6edf3 } .kernel .soft { fill: #9aa4af } .kernel .name { fill: #101418 }
    .kernel .block { stroke: #e6edf3 } .kernel .thin { stroke: none } .kernel .break { stroke: #9aa4af }
    .kernel .level { stroke: #0d1117 } .kernel .badtext { fill: #ff7b72 }
    .kernel .limit { stroke: #ff7b72 } .kernel .capacity { stroke: #e6edf3 }
  }
</style>
)svg";

// One buffer of one level, where it lies if each follows the one before.
struct Block {
  string_view css;
  std::string name, title;
  uint64_t lower = 0, upper = 0;
};

class Picture {
 public:
  Picture(const Kernel& kernel, const Answer& answer, const Verdict& verdict, const DrawOptions& options)
      : frame_(options.in_page), kernel_(kernel), answer_(answer), verdict_(verdict) {
    MakeBlocks(options.max_blocks);
    const uint64_t limit = static_cast<uint64_t>(std::max<int64_t>(answer.limit.value_or(0), 0));
    // Of a limit far above only the number is of interest: the axis cuts what is empty.
    extent_ = std::max<uint64_t>({blocks_.empty() ? 0 : blocks_.back().upper, limit, 1});
    if (answer.status == Status::kOverCapacity) extent_ = std::max(extent_, RowOf(kernel.target).usable);
    std::vector<Range> used;
    for (const Block& block : blocks_) used.push_back({block.lower, block.upper});
    axis_.emplace(std::move(used), SaturatingAdd(extent_, extent_ / 16), frame_.top(), frame_.plot_height());
  }

  std::string Draw() && {
    frame_.Begin("kernel", "scoped VMEM of a kernel", Title(), kStyle, svg_);
    DrawTitle();
    svg_.Rect("free", kLeft, frame_.top(), kPlotWidth, frame_.plot_height());
    for (const uint64_t tick : axis_->Ticks()) {
      svg_.Line("grid", kLeft, axis_->Y(tick), kLeft + kPlotWidth, axis_->Y(tick));
      svg_.Text("soft", kLeft - 8, axis_->Y(tick) + 4, "end", FormatBytes(tick));
    }
    for (const Block& block : blocks_) DrawBlock(block);
    DrawBreaks(*axis_, kLeft, kPlotWidth, "at all times", svg_);
    if (answer_.limit && *answer_.limit >= 0) DrawLevel("limit", "limit", static_cast<uint64_t>(*answer_.limit));
    DrawLevel("capacity", "VMEM", RowOf(kernel_.target).usable);
    frame_.NameAxes("scratch, windows and stack are live together", svg_);
    DrawLegend();
    svg_.text += "</svg>\n";
    return std::move(svg_.text);
  }

 private:
  void MakeBlocks(size_t max_blocks) {
    uint64_t at = 0;
    const auto add = [&](string_view css, std::string name, std::string title, uint64_t bytes) {
      const uint64_t upper = SaturatingAdd(at, bytes);
      if (bytes > 0 && blocks_.size() < max_blocks) blocks_.push_back({css, std::move(name), std::move(title), at, upper});
      left_out_ += bytes > 0 && blocks_.size() == max_blocks;
      at = upper;
    };
    for (const PartBytes& part : answer_.parts) {
      const std::string name = NameOf(kernel_, part);
      const uint64_t levels = std::clamp<uint64_t>(part.levels, 1, 8);
      for (uint64_t level = 0; level < levels; ++level) {
        const uint64_t each = part.bytes / levels, rest = level + 1 == levels ? part.bytes % levels : 0;
        add(PartWord(part.part), levels == 1 ? name : absl::StrCat(name, ", buffer ", level + 1),
            absl::StrCat(name, ": ", part.bytes, " bytes, ", part.levels, " x ", part.padded), each + rest);
      }
    }
    if (answer_.parts.empty() && answer_.used) add("used", "used", absl::StrCat(*answer_.used, " bytes used"), *answer_.used);
  }

  void DrawBlock(const Block& block) {
    const double top = axis_->Y(block.upper), height = std::max(1.0, axis_->Y(block.lower) - top);
    svg_.Rect(absl::StrCat("block ", std::string(block.css), height < 3 ? " thin" : ""), kLeft, top, kPlotWidth, height, {},
              Shortened(block.title, kMostLetters));
    if (height >= kLetterHeight) {
      svg_.Text("name", kLeft + kPlotWidth / 2, top + height / 2 + 4, "middle", Shortened(block.name, kMostLetters));
    }
  }

  void DrawLevel(string_view css, string_view label, uint64_t bytes) {
    if (bytes > axis_end()) return;
    const double y = axis_->Y(bytes);
    svg_.Line(css, kLeft, y, kLeft + kPlotWidth, y);
    svg_.Text("level", css == "limit" ? kLeft + 4 : kLeft + kPlotWidth / 2, y - 4, "start",
              absl::StrCat(std::string(label), " ", bytes, bytes < kKiB ? "" : absl::StrCat(" (", FormatBytes(bytes), ")")));
  }
  uint64_t axis_end() const { return SaturatingAdd(extent_, extent_ / 16); }

  std::string Title() const {
    if (verdict_.found()) return verdict_.signature;
    return absl::StrCat("Scoped VMEM: ", std::string(StatusWord(answer_.status)));
  }
  void DrawTitle() {
    std::string note;
    if (answer_.parts.empty()) note = "which buffers is not told";
    if (left_out_ > 0) note = absl::StrCat("without ", left_out_, " buffers");
    frame_.Title(Title(), verdict_.found() ? verdict_.text : Summary(answer_), note, svg_);
  }
  void DrawLegend() {
    PictureFrame::Legend legend(frame_);
    const auto entry = [&](string_view css, string_view text) { legend.Add(absl::StrCat("block ", std::string(css)), "", "", text, svg_); };
    if (answer_.parts.empty()) return entry("used", "used");
    entry("scratch", "scratch"), entry("in", "input windows"), entry("out", "output windows");
    entry("stack", "scoped buffers and internal scratch");
  }

  const PictureFrame frame_;
  const Kernel& kernel_;
  const Answer& answer_;
  const Verdict& verdict_;
  std::vector<Block> blocks_;
  size_t left_out_ = 0;
  uint64_t extent_ = 1;
  std::optional<AddressAxis> axis_;
  Svg svg_;
};

}  // namespace

std::string DrawSvg(const Kernel& kernel, const Answer& answer, const Verdict& verdict, const DrawOptions& options) {
  return Picture(kernel, answer, verdict, options).Draw();
}

std::string DrawSvgStyle() { return std::string(kStyle); }

}  // namespace oomph::vmem
