// See draw.h. What is drawn is what footprint.h says is in use; a buffer that is not in use all its life, or
// not whole, has its outline dashed around what is.
#include "models/placement/draw.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "models/base/picture_frame.h"
#include "models/base/svg.h"
#include "models/base/units.h"
#include "models/message/number.h"
#include "models/placement/bounds.h"
#include "models/placement/footprint.h"
#include "models/placement/text.h"
#include "models/placement/time_axis.h"

namespace oomph::placement {
namespace {

using std::string_view;

constexpr double kLeft = PictureFrame::kLeft, kPlotWidth = PictureFrame::kPlotWidth;
constexpr double kLetterWidth = PictureFrame::kLetterWidth;
constexpr double kBetweenSpaces = 22;  // pixels
constexpr size_t kMaxIdLetters = 60;
constexpr size_t kMaxSpaces = 4;
constexpr size_t kMaxCollisions = 500;  // of the bad buffer that are marked

// Each rule says .placement, so that in a page it touches nothing else.
constexpr string_view kStyle = R"svg(<style>
  .placement .paper { fill: #ffffff } .placement .free { fill: #f1f3f5 }
  .placement .grid { stroke: #d5d9de; stroke-width: 1 }
  .placement text { font: 11px ui-monospace, Menlo, Consolas, monospace; fill: #1f2328 }
  .placement .title { font-size: 14px; font-weight: bold } .placement .soft { fill: #57606a }
  .placement .block { stroke: #1f2328; stroke-opacity: .55; stroke-width: .6 }
  .placement .thin { stroke: none } .placement .fixed { stroke-opacity: 1; stroke-width: 1.6 }
  .placement .part { fill: url(#placement-part); pointer-events: none }
  .placement .whole { fill: none; stroke: #57606a; stroke-width: .7; stroke-dasharray: 3 2; pointer-events: none }
  .placement .live { fill: #8c959f; fill-opacity: .55 }
  .placement .name { fill: #101418; text-anchor: middle; pointer-events: none }
  .placement .clear { stroke: #ffffff; stroke-opacity: .7; stroke-width: 3; paint-order: stroke }
  .placement .bad { fill: none; stroke: #d1242f; stroke-width: 2; pointer-events: none }
  .placement .collisions, .placement .in-legend { opacity: .6 }
  .placement .collision { fill: #d1242f; pointer-events: none }
  .placement .badtext { fill: #cf222e; font-weight: bold }
  .placement .level { stroke: #ffffff; stroke-width: 3; paint-order: stroke }
  .placement .capacity { stroke: #1f2328; stroke-width: 1.6; stroke-dasharray: 6 3 }
  .placement .peak { stroke: #0969da; stroke-width: 1.4 }
  .placement .bound { stroke: #1a7f37; stroke-width: 1.4; stroke-dasharray: 2 2 }
  .placement .break { fill: none; stroke: #57606a; stroke-width: 1 }
  .placement-hatch { stroke: #101418; stroke-width: 1.1 }
  @media (prefers-color-scheme: dark) {
    .placement .paper { fill: #0d1117 } .placement .free { fill: #1b222b } .placement .grid { stroke: #30363d }
    .placement text { fill: #e6edf3 } .placement .soft { fill: #9aa4af } .placement .name { fill: #101418 }
    .placement .block { stroke: #e6edf3 } .placement .thin { stroke: none }
    .placement .whole, .placement .break { stroke: #9aa4af }
    .placement .level { stroke: #0d1117 } .placement .bad { stroke: #ff7b72 } .placement .collision { fill: #ff7b72 }
    .placement .badtext { fill: #ff7b72 } .placement .capacity { stroke: #e6edf3 }
    .placement .peak { stroke: #58a6ff } .placement .bound { stroke: #56d364 }
  }
</style>
)svg";

constexpr string_view kPatterns = R"svg(<defs>
<pattern id="placement-part" width="9" height="9" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)">
<line class="placement-hatch" x1="0" y1="0" x2="0" y2="9" stroke-opacity=".28"/></pattern>
</defs>
)svg";

// A rectangle of a buffer where it was placed.
struct Piece {
  size_t buffer = 0;
  int64_t start = 0, end = 0;
  uint64_t lower = 0, upper = 0;  // addresses; saturated
  Cut cut = Cut::kNone;
  double Area() const { return static_cast<double>(Length(start, end)) * static_cast<double>(upper - lower); }
};

struct Level {
  const char* css;
  std::string label;
  uint64_t address;
};

// One memory space, with its own axis of addresses.
struct Panel {
  uint32_t space = 0;
  std::vector<Level> levels;
  std::optional<AddressAxis> axis;
  double top = 0, height = 0;
};

// The bytes of one space that are in use in [start, end).
struct InUse {
  int64_t start, end;
  uint64_t bytes;
};

// ---- What there is to draw ----

std::optional<uint64_t> OffsetOf(const Plan& plan, size_t i) {
  return i < plan.offsets.size() ? plan.offsets[i] : std::nullopt;
}

bool HasOffsets(const Plan& plan) {
  return std::any_of(plan.offsets.begin(), plan.offsets.end(),
                     [](const auto& offset) { return offset.has_value(); });
}

std::vector<Piece> PiecesOf(const Problem& problem, const Plan& plan) {
  std::vector<Piece> pieces;
  std::vector<Rectangle> rectangles;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const std::optional<uint64_t> offset = OffsetOf(plan, i);
    if (!offset) continue;
    Footprint(problem.buffers[i], rectangles);
    for (const Rectangle& r : rectangles) {
      const uint64_t lower = SaturatingAdd(*offset, r.lower), upper = SaturatingAdd(*offset, r.upper);
      pieces.push_back({i, r.start, r.end, lower, upper, r.cut});
    }
  }
  return pieces;
}

std::vector<InUse> InUseOf(const Problem& problem, uint32_t space) {
  struct Event {
    int64_t time;
    uint64_t bytes;  // modulo 2^64, as their sums
  };
  std::vector<Event> events;
  std::vector<Rectangle> rectangles;
  for (const Buffer& buffer : problem.buffers) {
    if (buffer.space != space) continue;
    Footprint(buffer, rectangles);
    for (const Rectangle& r : rectangles) {
      events.push_back({r.start, r.upper - r.lower});
      events.push_back({r.end, r.lower - r.upper});
    }
  }
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.time < b.time; });
  std::vector<InUse> list;
  uint64_t bytes = 0;
  for (size_t i = 0; i + 1 < events.size(); ++i) {
    bytes += events[i].bytes;
    if (events[i].time < events[i + 1].time && bytes > 0)
      list.push_back({events[i].time, events[i + 1].time, bytes});
  }
  return list;
}

// Keeps the largest; how many went.
template <typename Part, typename Size>
size_t KeepLargest(std::vector<Part>& parts, size_t most, Size size) {
  if (parts.size() <= most) return 0;
  const size_t left_out = parts.size() - most;
  std::vector<std::pair<double, size_t>> order;  // the largest first, of equal ones the first
  for (size_t i = 0; i < parts.size(); ++i) order.emplace_back(-static_cast<double>(size(parts[i])), i);
  std::sort(order.begin(), order.end());
  std::vector<Part> kept;
  for (size_t k = 0; k < most; ++k) kept.push_back(std::move(parts[order[k].second]));
  parts = std::move(kept);
  return left_out;
}

// From green to purple.
std::string Fill(string_view id) { return FillOf(id, 35, 290); }

// ---- The picture ----

class Picture {
 public:
  Picture(const Problem& problem, const Plan& plan, const Verdict& verdict, const DrawOptions& options)
      : frame_(options.in_page),
        problem_(problem),
        plan_(plan),
        verdict_(verdict),
        placed_(HasOffsets(plan)),
        pieces_(PiecesOf(problem, plan)),
        time_(TimesOf(problem), kLeft, kPlotWidth) {
    if (verdict.found() && verdict.step < problem.buffers.size()) bad_ = verdict.step;
    MakePanels(options.max_blocks);
    KeepPieces(options.max_blocks);
  }

  std::string Draw() && {
    frame_.Begin("placement", "placement", Title(), std::string(kStyle).append(kPatterns), svg_);
    DrawTitle();
    for (const Panel& panel : panels_) DrawPanel(panel);
    DrawTimeAxis();
    DrawLegend();
    svg_.text += "</svg>\n";
    return std::move(svg_.text);
  }

 private:
  static std::vector<int64_t> TimesOf(const Problem& problem) {
    std::vector<int64_t> times;
    std::vector<Rectangle> rectangles;
    for (const Buffer& buffer : problem.buffers) {
      Footprint(buffer, rectangles);
      for (const Rectangle& r : rectangles) times.insert(times.end(), {r.start, r.end});
      if (!rectangles.empty()) times.insert(times.end(), {buffer.start, buffer.end});
    }
    return times;
  }

  // The largest, and before them the bad buffer and what lies in it.
  void KeepPieces(size_t max_blocks) {
    std::vector<Piece> bad;
    for (const Piece& piece : pieces_) {
      if (bad_ && piece.buffer == *bad_) bad.push_back(piece);
    }
    const auto matters = [&](const Piece& piece) {
      const auto collides = [&](const Piece& other) { return Collide(piece, other); };
      return (bad_ && piece.buffer == *bad_) || std::any_of(bad.begin(), bad.end(), collides);
    };
    std::vector<Piece> kept, others;
    for (const Piece& piece : pieces_) {
      (kept.size() < max_blocks && matters(piece) ? kept : others).push_back(piece);
    }
    left_out_ += KeepLargest(others, max_blocks - kept.size(), [](const Piece& p) { return p.Area(); });
    kept.insert(kept.end(), others.begin(), others.end());
    pieces_ = std::move(kept);
  }

  // ---- Panels ----

  void MakePanels(size_t max_blocks) {
    std::vector<uint32_t> spaces;
    for (const Buffer& buffer : problem_.buffers) {
      if (!OccupiesNothing(buffer)) spaces.push_back(buffer.space);
    }
    std::sort(spaces.begin(), spaces.end());
    spaces.erase(std::unique(spaces.begin(), spaces.end()), spaces.end());
    if (spaces.empty()) spaces.push_back(0);
    num_spaces_ = spaces.size();
    spaces.resize(std::min(spaces.size(), kMaxSpaces));
    const double count = static_cast<double>(spaces.size());
    const double height = (frame_.plot_height() - kBetweenSpaces * (count - 1)) / count;
    double top = frame_.top();
    for (uint32_t space : spaces) {
      Panel& panel = panels_.emplace_back();
      panel.space = space;
      panel.top = top;
      panel.height = height;
      FillPanel(max_blocks, panel);
      top += height + kBetweenSpaces;
    }
  }

  void FillPanel(size_t max_blocks, Panel& panel) {
    std::vector<Range> used;
    uint64_t extent = 0;
    if (placed_) {
      for (const Piece& piece : pieces_) {
        if (problem_.buffers[piece.buffer].space == panel.space) used.push_back({piece.lower, piece.upper});
      }
    } else {
      std::vector<InUse>& list = in_use_.emplace_back(InUseOf(problem_, panel.space));
      left_out_ += KeepLargest(list, max_blocks, [](const InUse& u) { return Length(u.start, u.end); });
      for (const InUse& part : list) used.push_back({0, part.bytes});
    }
    for (const Range& range : used) extent = std::max(extent, range.end);
    AddLevels(panel, extent);
    for (const Level& level : panel.levels) extent = std::max(extent, level.address);
    panel.axis.emplace(std::move(used), extent, panel.top, panel.height);
  }

  // Lines across the panel; those at one height are one line.
  void AddLevels(Panel& panel, uint64_t top_of_blocks) {
    const auto add = [&](const char* css, const char* label, uint64_t address) {
      for (Level& level : panel.levels) {
        if (level.address != address) continue;
        level.label = absl::StrCat(level.label, " = ", label);
        return;
      }
      panel.levels.push_back({css, label, address});
    };
    if (problem_.capacity) add("capacity", "capacity", *problem_.capacity);
    if (placed_) add("peak", "peak", Top(panel.space).value_or(top_of_blocks));
    if (placed_ && plan_.peak && *plan_.peak != Peak()) add("peak", "the peak it tells", *plan_.peak);
    const Certificate certificate = LowerBound(problem_);
    if (certificate.space == panel.space) add("bound", "lower bound", certificate.peak);
  }

  // The end of the highest buffer of a space that occupies something.
  std::optional<uint64_t> Top(uint32_t space) const {
    std::optional<uint64_t> top;
    for (size_t i = 0; i < problem_.buffers.size(); ++i) {
      const Buffer& buffer = problem_.buffers[i];
      const std::optional<uint64_t> offset = OffsetOf(plan_, i);
      if (buffer.space != space || OccupiesNothing(buffer) || !offset) continue;
      top = std::max(top.value_or(0), SaturatingAdd(*offset, buffer.size));
    }
    return top;
  }
  uint64_t Peak() const {
    uint64_t peak = 0;
    for (size_t i = 0; i < problem_.buffers.size(); ++i) {
      const std::optional<uint64_t> offset = OffsetOf(plan_, i);
      if (offset && !OccupiesNothing(problem_.buffers[i])) {
        peak = std::max(peak, SaturatingAdd(*offset, problem_.buffers[i].size));
      }
    }
    return peak;
  }

  void DrawPanel(const Panel& panel) {
    const AddressAxis& axis = *panel.axis;
    svg_.Rect("free", kLeft, panel.top, kPlotWidth, panel.height);
    if (panels_.size() > 1) {
      svg_.Text("soft", kLeft + kPlotWidth, panel.top - 6, "end", absl::StrCat("space ", panel.space));
    }
    for (const uint64_t tick : axis.Ticks()) {
      svg_.Line("grid", kLeft, axis.Y(tick), kLeft + kPlotWidth, axis.Y(tick));
      svg_.Text("soft", kLeft - 8, axis.Y(tick) + 4, "end", FormatBytes(tick));
    }
    if (placed_) {
      DrawWholes(panel);
      for (const Piece& piece : pieces_) {
        if (problem_.buffers[piece.buffer].space == panel.space) DrawPiece(piece, axis);
      }
      DrawBad(panel);
      DrawNames(panel);
    } else {
      for (const InUse& part : in_use_[static_cast<size_t>(&panel - panels_.data())]) DrawInUse(part, axis);
    }
    DrawBreaks(axis, kLeft, kPlotWidth, "at all times", svg_);
    DrawLevels(panel);
  }

  void DrawLevels(const Panel& panel) {
    for (const Level& level : panel.levels) {
      const double y = panel.axis->Y(level.address);
      svg_.Line(level.css, kLeft, y, kLeft + kPlotWidth, y);
    }
    // Their words stand beside one another, each above its line, or below where another line is just above.
    double x = kLeft + 4;
    for (const Level& level : panel.levels) {
      const double y = panel.axis->Y(level.address);
      const bool crowded = std::any_of(panel.levels.begin(), panel.levels.end(), [&](const Level& other) {
        const double above = y - panel.axis->Y(other.address);
        return above > 0 && above < 16;
      });
      const std::string text = absl::StrCat(level.label, " ", level.address,
                                            level.address < kKiB ? "" : absl::StrCat(" (", FormatBytes(level.address), ")"));
      svg_.Text("level", x, crowded ? y + 12 : y - 4, "start", text);
      x += kLetterWidth * static_cast<double>(text.size()) + 16;
    }
  }

  void DrawInUse(const InUse& part, const AddressAxis& axis) {
    const double x = time_.X(part.start), y = axis.Y(part.bytes);
    svg_.Rect("live", x, y, time_.X(part.end) - x, axis.Y(0) - y, {},
              absl::StrCat(part.bytes, " bytes in use in [", part.start, ",", part.end, ")"));
  }

  // ---- Buffers ----

  std::string Id(size_t i) const { return Shortened(problem_.buffers[i].id, kMaxIdLetters); }

  std::string Describe(const Piece& piece) const {
    const Buffer& b = problem_.buffers[piece.buffer];
    std::string text =
        absl::StrCat(Id(piece.buffer), ": ", b.size, " bytes at ", plan_.offsets[piece.buffer].value_or(0),
                     ", live in [", b.start, ",", b.end, ")");
    if (b.alignment > 1) absl::StrAppend(&text, ", aligned to ", b.alignment);
    if (b.fixed) absl::StrAppend(&text, ", fixed at ", *b.fixed);
    if (b.group != 0) absl::StrAppend(&text, ", group ", b.group);
    if (piece.cut != Cut::kNone) {
      absl::StrAppend(&text, "; here [", piece.lower, ",", piece.upper, ") in [", piece.start, ",", piece.end,
                      ")");
    }
    return text;
  }

  // A dashed outline around each buffer that is in pieces.
  void DrawWholes(const Panel& panel) {
    size_t last = SIZE_MAX;
    for (const Piece& piece : pieces_) {
      const Buffer& b = problem_.buffers[piece.buffer];
      if (piece.cut == Cut::kNone || piece.buffer == last || b.space != panel.space) continue;
      last = piece.buffer;
      const uint64_t offset = plan_.offsets[piece.buffer].value_or(0);
      const double x = time_.X(b.start), y = panel.axis->Y(SaturatingAdd(offset, b.size));
      svg_.Rect("whole", x, y, time_.X(b.end) - x, panel.axis->Y(offset) - y);
    }
  }

  void DrawPiece(const Piece& piece, const AddressAxis& axis) {
    const double x = time_.X(piece.start), width = time_.X(piece.end) - x;
    const double top = axis.Y(piece.upper), height = std::max(1.0, axis.Y(piece.lower) - top);
    const bool thin = height < 3 || width < 3;  // its border would hide it
    const bool fixed = problem_.buffers[piece.buffer].fixed.has_value();
    svg_.Rect(absl::StrCat("block", thin ? " thin" : "", fixed ? " fixed" : ""), x, top, width, height,
              Fill(problem_.buffers[piece.buffer].id), Describe(piece));
    if (piece.cut != Cut::kNone && !thin) svg_.Rect("part", x, top, width, height);
  }

  struct Box {
    double x, y, width, height;
    bool Meets(const Box& o) const {
      return x < o.x + o.width && o.x < x + width && y < o.y + o.height && o.y < y + height;
    }
  };

  // In the largest piece of each buffer, where it has room that no other name has taken. Of one group: with its number.
  void DrawNames(const Panel& panel) {
    std::vector<const Piece*> largest;
    for (const Piece& piece : pieces_) {
      if (problem_.buffers[piece.buffer].space == panel.space) largest.push_back(&piece);
    }
    std::sort(largest.begin(), largest.end(), [](const Piece* a, const Piece* b) {
      return std::tuple(a->buffer, -a->Area(), a->start) < std::tuple(b->buffer, -b->Area(), b->start);
    });
    size_t last = SIZE_MAX;
    std::vector<Box> taken;
    for (const Piece* piece : largest) {
      if (piece->buffer == last) continue;
      last = piece->buffer;
      const std::string id = Id(piece->buffer);
      const uint32_t group = problem_.buffers[piece->buffer].group;
      if (group == 0 || !DrawName(absl::StrCat(id, " (group ", group, ")"), *piece, panel, taken)) {
        (void)DrawName(id, *piece, panel, taken);
      }
    }
  }
  // In the middle of the piece, or above or below it.
  bool DrawName(const std::string& name, const Piece& piece, const Panel& panel, std::vector<Box>& taken) {
    constexpr double kLine = 12;
    constexpr size_t kMostNames = 1000;  // each is held against those before
    const double x = time_.X(piece.start), width = time_.X(piece.end) - x;
    const double top = panel.axis->Y(piece.upper), height = panel.axis->Y(piece.lower) - top;
    const double letters = kLetterWidth * static_cast<double>(name.size());
    if (height < kLine || width < letters + 4 || taken.size() >= kMostNames) return false;
    const double middle = x + width / 2, room = (height - kLine) / 2;
    for (const double by : {0.0, -room, room}) {
      const Box box = {middle - letters / 2, top + room + by, letters, kLine};
      if (std::any_of(taken.begin(), taken.end(), [&](const Box& other) { return box.Meets(other); })) continue;
      taken.push_back(box);
      svg_.Text(collides_ ? "name clear" : "name", middle, box.y + 10, "middle", name);
      return true;
    }
    return false;
  }

  bool Collide(const Piece& a, const Piece& b) const {
    const Buffer &x = problem_.buffers[a.buffer], &y = problem_.buffers[b.buffer];
    const bool together = x.group != 0 && x.group == y.group;
    return a.buffer != b.buffer && x.space == y.space && !together &&
           std::max(a.start, b.start) < std::min(a.end, b.end) &&
           std::max(a.lower, b.lower) < std::min(a.upper, b.upper);
  }

  // The verdict's buffer, and where others lie in it.
  void DrawBad(const Panel& panel) {
    if (!bad_ || problem_.buffers[*bad_].space != panel.space) return;
    size_t marked = 0;
    svg_.text += "<g class=\"collisions\">\n";  // as one, so that what lies three deep is no darker
    for (const Piece& piece : pieces_) {
      if (piece.buffer != *bad_) continue;
      for (const Piece& other : pieces_) {
        if (!Collide(piece, other) || ++marked > kMaxCollisions) continue;
        Piece both = piece;
        both.start = std::max(piece.start, other.start);
        both.end = std::min(piece.end, other.end);
        both.lower = std::max(piece.lower, other.lower);
        both.upper = std::min(piece.upper, other.upper);
        Mark("collision", both, panel);
        collides_ = true;
      }
    }
    svg_.text += "</g>\n";
    for (const Piece& piece : pieces_) {
      if (piece.buffer == *bad_) Mark("bad", piece, panel);
    }
  }

  void Mark(string_view css, const Piece& piece, const Panel& panel) {
    const double x = time_.X(piece.start), y = panel.axis->Y(piece.upper);
    svg_.Rect(css, x, y, std::max(2.0, time_.X(piece.end) - x),
              std::max(2.0, panel.axis->Y(piece.lower) - y));
  }

  // ---- Around the panels ----

  void DrawTitle() {
    std::string line = absl::StrCat(problem_.buffers.size(), problem_.buffers.size() == 1 ? " buffer" : " buffers");
    if (problem_.capacity) absl::StrAppend(&line, ", capacity ", *problem_.capacity);
    if (!plan_.note.empty()) absl::StrAppend(&line, ": ", plan_.note);
    frame_.Title(Title(), verdict_.found() ? verdict_.text : line, Note(), svg_);
  }

  // The fault, or what the planner answered; whose answer it is, only a fault says.
  std::string Title() const {
    if (verdict_.found()) return verdict_.signature;
    std::string title = absl::StrCat("Placement: ", std::string(StatusWord(plan_.status)));
    if (placed_) absl::StrAppend(&title, ", peak ", Peak());
    return title;
  }

  // What the picture does not show.
  std::string Note() const {
    std::string note;
    const auto say = [&](std::string what) { absl::StrAppend(&note, note.empty() ? "" : ", ", what); };
    if (!placed_) say("no offsets: the bytes in use at each time");
    if (left_out_ > 0)
      say(absl::StrCat("without the ", left_out_, left_out_ == 1 ? " smallest piece" : " smallest pieces"));
    const auto nothing = std::count_if(problem_.buffers.begin(), problem_.buffers.end(), OccupiesNothing);
    if (nothing > 0) say(absl::StrCat("without ", nothing, nothing == 1 ? " buffer" : " buffers", " of no bytes or no time"));
    if (num_spaces_ > kMaxSpaces) say(absl::StrCat("only ", kMaxSpaces, " of ", num_spaces_, " spaces"));
    return note;
  }

  void DrawTimeAxis() {
    for (const int64_t tick : time_.Ticks(kLetterWidth)) {
      svg_.Text("soft", time_.X(tick), frame_.LabelsY(), "middle", absl::StrCat(tick));
    }
    frame_.NameAxes(time_.by_rank() ? "time (each change as wide as the others)" : "time", svg_);
  }

  void DrawLegend() {
    PictureFrame::Legend legend(frame_);
    const auto entry = [&](string_view css, string_view more, string_view over, string_view text) {
      legend.Add(css, more, over, text, svg_);
    };
    constexpr string_view kFill = "fill=\"hsl(205,60%,68%)\"";
    if (!placed_) return entry("live", "", "", "bytes in use");
    entry("block", kFill, "", "buffer");
    if (HasAny([](const Piece& piece) { return piece.cut != Cut::kNone; })) {
      entry("block", kFill, "part", "part of a buffer");
      entry("whole", "", "", "a buffer with gaps, windows or slices");
    }
    if (HasAny([&](const Piece& piece) { return problem_.buffers[piece.buffer].fixed.has_value(); })) {
      entry("block fixed", kFill, "", "fixed");
    }
    entry("free", "stroke=\"#8b949e\"", "", "free");
    if (bad_) entry("bad", "", "", "the bad buffer");
    if (collides_) entry("block", kFill, "collision in-legend", "in use twice");
  }

  template <typename Has>
  bool HasAny(Has has) const {
    return std::any_of(pieces_.begin(), pieces_.end(), has);
  }

  const PictureFrame frame_;
  const Problem& problem_;
  const Plan& plan_;
  const Verdict& verdict_;
  const bool placed_;
  std::vector<Piece> pieces_;
  const TimeAxis time_;
  std::optional<size_t> bad_;  // index of a buffer
  std::vector<Panel> panels_;
  std::vector<std::vector<InUse>> in_use_;  // of each panel, where nothing is placed
  size_t left_out_ = 0, num_spaces_ = 0;
  bool collides_ = false;
  Svg svg_;
};

}  // namespace

std::string DrawSvg(const Problem& problem, const Plan& plan, const Verdict& verdict,
                    const DrawOptions& options) {
  return Picture(problem, plan, verdict, options).Draw();
}

std::string DrawSvgStyle() { return std::string(kStyle).append(kPatterns); }

}  // namespace oomph::placement
