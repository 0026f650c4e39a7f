// See draw.h. Where an answer tells no places, high-water marks are lines alone.
#include "models/sparsecore/draw.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "models/base/picture_frame.h"
#include "models/base/svg.h"
#include "models/base/units.h"
#include "models/sparsecore/answer_text.h"
#include "models/sparsecore/memory.h"
#include "models/sparsecore/structure.h"
#include "models/sparsecore/text.h"

namespace oomph::sparsecore {
namespace {

using std::string_view;

constexpr double kLeft = PictureFrame::kLeft, kPlotWidth = PictureFrame::kPlotWidth;
constexpr double kBetween = 34, kLetterHeight = 13;
constexpr size_t kMostLetters = 100, kMostPanels = 4, kMostFrames = 400;

// Each rule says .sparsecore, so that in a page it touches nothing else.
constexpr string_view kStyle = R"svg(<style>
  .sparsecore .paper { fill: #ffffff } .sparsecore .free { fill: #f1f3f5 }
  .sparsecore .grid { stroke: #d5d9de; stroke-width: 1 }
  .sparsecore text { font: 11px ui-monospace, Menlo, Consolas, monospace; fill: #1f2328 }
  .sparsecore .title { font-size: 14px; font-weight: bold } .sparsecore .soft { fill: #57606a }
  .sparsecore .memory { font-weight: bold }
  .sparsecore .block { stroke: #1f2328; stroke-opacity: .55; stroke-width: .6 } .sparsecore .thin { stroke: none }
  .sparsecore .scratch { fill: #f2b866 } .sparsecore .scoped { fill: #8fb8de } .sparsecore .implicit { fill: #c9a6d8 }
  .sparsecore .failing { fill: #f0a0a0; stroke: #cf222e; stroke-opacity: 1; stroke-width: 1.6; stroke-dasharray: 5 3 }
  .sparsecore .frame { fill: none; stroke: #57606a; stroke-opacity: .35; stroke-dasharray: 2 3 }
  .sparsecore .name { fill: #101418; text-anchor: middle; pointer-events: none }
  .sparsecore .level { stroke: #ffffff; stroke-width: 3; paint-order: stroke }
  .sparsecore .limit { stroke: #d1242f; stroke-width: 1.8 }
  .sparsecore .high { stroke: #1a7f37; stroke-width: 1.4; stroke-dasharray: 6 3 }
  .sparsecore .break { fill: none; stroke: #57606a; stroke-width: 1 }
  .sparsecore .badtext { fill: #cf222e; font-weight: bold }
  @media (prefers-color-scheme: dark) {
    .sparsecore .paper { fill: #0d1117 } .sparsecore .free { fill: #1b222b } .sparsecore .grid { stroke: #30363d }
    .sparsecore text { fill: #e6edf3 } .sparsecore .soft { fill: #9aa4af } .sparsecore .name { fill: #101418 }
    .sparsecore .block { stroke: #e6edf3 } .sparsecore .thin { stroke: none } .sparsecore .break { stroke: #9aa4af }
    .sparsecore .level { stroke: #0d1117 } .sparsecore .badtext { fill: #ff7b72 }
    .sparsecore .limit { stroke: #ff7b72 } .sparsecore .high { stroke: #3fb950 } .sparsecore .frame { stroke: #9aa4af }
  }
</style>
)svg";

// A buffer in one memory: statements and words, ends exclusive.
struct Block {
  string_view css;
  std::string name, title;
  size_t memory;
  uint32_t from, to;
  uint64_t lower, upper;
};

class Picture {
 public:
  Picture(const Program& program, const Answer& answer, const Verdict& verdict, const DrawOptions& options)
      : frame_(options.in_page), program_(program), answer_(answer), verdict_(verdict), most_(options.max_blocks) {
    FindStructure(program, structure_);
    count_ = static_cast<uint32_t>(std::max<size_t>(program.statements.size(), 1));
    for (const Placed& placed : answer.placed) AddPlaced(placed);
    AddFailing();
    ChooseMemories();
  }

  std::string Draw() && {
    frame_.Begin("sparsecore", "memories of a SparseCore program", Title(), kStyle, svg_);
    DrawTitle();
    const double panels = static_cast<double>(std::max<size_t>(memories_.size(), 1));
    const double height = (frame_.plot_height() - kBetween * (panels - 1)) / panels;
    for (size_t i = 0; i < memories_.size(); ++i) {
      DrawPanel(memories_[i], frame_.top() + static_cast<double>(i) * (height + kBetween), height);
    }
    frame_.NameAxes("statements, in their order", svg_);
    DrawLegend();
    svg_.text += "</svg>\n";
    return std::move(svg_.text);
  }

 private:
  void Add(Block block) {
    if (blocks_.size() < most_) {
      blocks_.push_back(std::move(block));
    } else {
      ++left_out_;
    }
  }

  void AddPlaced(const Placed& placed) {
    if (placed.words == 0) return;
    const bool implicit = placed.buffer >= program_.buffers.size();
    const bool scratch = !implicit && structure_.IsScratch(program_, placed.buffer);
    Block block;
    block.css = implicit ? "implicit" : scratch ? "scratch" : "scoped";
    block.name = implicit ? "copy" : program_.buffers[placed.buffer].name;
    block.title = absl::StrCat(NameOf(program_, placed.buffer), ", ", placed.words, " words at ", placed.base);
    block.memory = static_cast<size_t>(placed.space);
    block.from = implicit ? placed.statement : scratch ? 0 : structure_.allocated[placed.buffer];
    block.to = implicit ? placed.statement + 1 : structure_.lives_to[placed.buffer];
    block.lower = placed.base, block.upper = SaturatingAdd(placed.base, placed.words);
    if (block.from == kNowhere || block.from >= count_) return;
    Add(block);
    // The tiles lie in spmem.
    if (placed.space != Space::kSpmem || program_.core != Core::kVector) return;
    block.memory = static_cast<size_t>(Space::kTileSpmem);
    block.lower /= kTilesOfSpmem, block.upper = CeilDiv(block.upper, kTilesOfSpmem);
    Add(std::move(block));
  }

  void AddFailing() {
    if (!answer_.overrun) return;
    const Overrun& over = *answer_.overrun;
    const bool known = over.buffer < program_.buffers.size() && structure_.allocated[over.buffer] != kNowhere;
    Block block;
    block.css = "failing";
    block.name = known ? program_.buffers[over.buffer].name : "does not fit";
    block.title = absl::StrCat(known ? NameOf(program_, over.buffer) : "an allocation", ": ", over.words, " words up to ", over.bound,
                               ", the last is ", over.limit);
    block.memory = static_cast<size_t>(over.space);
    const bool scratch = known && structure_.IsScratch(program_, over.buffer);
    block.from = known && !scratch ? structure_.allocated[over.buffer] : 0;
    block.to = known ? structure_.lives_to[over.buffer] : count_;
    block.lower = over.words > over.bound ? 0 : over.bound - over.words + 1;
    block.upper = SaturatingAdd(over.bound, 1);
    blocks_.push_back(std::move(block));
  }

  // Those that have something, the one that is full first.
  void ChooseMemories() {
    std::vector<size_t> order;
    if (answer_.overrun) order.push_back(static_cast<size_t>(answer_.overrun->space));
    for (const Space space : {Space::kTileSpmem, Space::kSpmem, Space::kSmemTile, Space::kSflagTile, Space::kSmemScs, Space::kSflagScs, Space::kHbm}) {
      order.push_back(static_cast<size_t>(space));
    }
    for (const size_t memory : order) {
      const bool has = std::any_of(blocks_.begin(), blocks_.end(), [&](const Block& b) { return b.memory == memory; });
      const bool told = answer_.placed.empty() && answer_.high_water[memory].value_or(0) > 0;
      if (!has && !told) continue;
      if (std::find(memories_.begin(), memories_.end(), memory) != memories_.end()) continue;
      memories_.size() < kMostPanels ? memories_.push_back(memory) : void(++panels_left_out_);
    }
  }

  double X(uint32_t statement) const { return kLeft + kPlotWidth * static_cast<double>(statement) / static_cast<double>(count_); }

  void DrawPanel(size_t memory, double top, double height) {
    const Space space = static_cast<Space>(memory);
    const uint64_t last = LastWordOf(program_, space), end = SaturatingAdd(last, 1);
    std::vector<Range> used;
    uint64_t highest = answer_.high_water[memory].value_or(0);
    for (const Block& block : blocks_) {
      if (block.memory == memory && block.css != "failing") highest = std::max(highest, block.upper);
    }
    // What ends far behind the last word is cut there.
    const bool full = answer_.overrun && static_cast<size_t>(answer_.overrun->space) == memory;
    uint64_t extent = std::max<uint64_t>(highest, 1);
    if (full || highest > end / 8) extent = std::max(extent, end);
    if (full) extent = SaturatingAdd(std::min(std::max(extent, SaturatingAdd(answer_.overrun->bound, 1)), SaturatingMul(extent, 2)), 0);
    extent = SaturatingAdd(extent, extent / 16 + 1);
    for (const Block& block : blocks_) {
      if (block.memory == memory && block.lower < extent) used.push_back({block.lower, std::min(block.upper, extent)});
    }
    const AddressAxis axis(std::move(used), extent, top, height);
    svg_.Rect("free", kLeft, top, kPlotWidth, height);
    for (const uint64_t tick : axis.Ticks()) {
      svg_.Line("grid", kLeft, axis.Y(tick), kLeft + kPlotWidth, axis.Y(tick));
      svg_.Text("soft", kLeft - 8, axis.Y(tick) + 4, "end", absl::StrCat(tick));
    }
    DrawFrames(top, height);
    for (const Block& block : blocks_) {
      if (block.memory == memory && block.lower < extent) DrawBlock(block, axis, extent);
    }
    DrawBreaks(axis, kLeft, kPlotWidth, "at all times", svg_);
    if (end <= extent) DrawLevel("limit", absl::StrCat("last word ", last), axis.Y(end), 4);
    if (answer_.high_water[memory] && answer_.placed.empty()) {
      DrawLevel("high", absl::StrCat("used ", *answer_.high_water[memory]), axis.Y(std::min(*answer_.high_water[memory], extent)), kPlotWidth / 2);
    }
    const uint64_t bytes = SparseCoreWordBytes(space);
    svg_.Text("memory", kLeft, top - 5, "start", absl::StrCat(std::string(SparseCoreSpaceName(space)), ", words of ", bytes, " bytes"));
  }

  // Scopes, loops and copies, over all words: where they begin and end.
  void DrawFrames(double top, double height) {
    size_t drawn = 0;
    for (uint32_t i = 0; i < program_.statements.size() && drawn < kMostFrames; ++i) {
      const Kind kind = program_.statements[i].kind;
      if (kind != Kind::kScope && kind != Kind::kFor) continue;
      svg_.Rect("frame", X(i), top, X(std::min(structure_.partner[i], count_)) - X(i), height, {}, KindWord(kind));
      ++drawn;
    }
  }

  void DrawBlock(const Block& block, const AddressAxis& axis, uint64_t extent) {
    const double upper = axis.Y(std::min(block.upper, extent)), height = std::max(1.0, axis.Y(block.lower) - upper);
    const double left = X(block.from), width = std::max(2.0, X(std::min(block.to, count_)) - left);
    svg_.Rect(absl::StrCat("block ", std::string(block.css), height < 3 ? " thin" : ""), left, upper, width, height, {},
              Shortened(block.title, kMostLetters));
    const bool room = height >= kLetterHeight && width >= PictureFrame::kLetterWidth * static_cast<double>(block.name.size());
    if (room) svg_.Text("name", left + width / 2, upper + height / 2 + 4, "middle", Shortened(block.name, kMostLetters));
  }

  // Named below the line: above the first panel stands its title.
  void DrawLevel(string_view css, string_view label, double y, double from_right) {
    svg_.Line(css, kLeft, y, kLeft + kPlotWidth, y);
    svg_.Text("level", kLeft + kPlotWidth - from_right, y + 13, "end", label);
  }
  static std::string Counted(size_t count, string_view one, string_view many) {
    return absl::StrCat(count, " ", std::string(count == 1 ? one : many));
  }

  std::string Title() const {
    if (verdict_.found()) return verdict_.signature;
    return absl::StrCat("SparseCore: ", std::string(StatusWord(static_cast<int>(answer_.status))));
  }
  void DrawTitle() {
    std::string note;
    if (answer_.placed.empty() && !answer_.overrun) note = "where the buffers lie is not told";
    if (left_out_ > 0) note = absl::StrCat("without ", Counted(left_out_, "buffer", "buffers"));
    if (panels_left_out_ > 0) absl::StrAppend(&note, note.empty() ? "" : ", ", "without ", Counted(panels_left_out_, "memory", "memories"));
    frame_.Title(Title(), verdict_.found() ? verdict_.text : Summary(answer_), note, svg_);
  }
  void DrawLegend() {
    PictureFrame::Legend legend(frame_);
    const auto entry = [&](string_view css, string_view text) { legend.Add(absl::StrCat("block ", std::string(css)), "", "", text, svg_); };
    entry("scratch", "kernel-level scratch"), entry("scoped", "allocated in the body"), entry("implicit", "semaphore of a copy");
    if (answer_.overrun) entry("failing", "does not fit");
  }

  const PictureFrame frame_;
  const Program& program_;
  const Answer& answer_;
  const Verdict& verdict_;
  const size_t most_;
  Structure structure_;
  uint32_t count_ = 1;
  std::vector<Block> blocks_;
  std::vector<size_t> memories_;
  size_t left_out_ = 0, panels_left_out_ = 0;
  Svg svg_;
};

}  // namespace

std::string DrawSvg(const Program& program, const Answer& answer, const Verdict& verdict, const DrawOptions& options) {
  return Picture(program, answer, verdict, options).Draw();
}

std::string DrawSvgStyle() { return std::string(kStyle); }

}  // namespace oomph::sparsecore
