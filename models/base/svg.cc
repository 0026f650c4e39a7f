// See svg.h.
#include "models/base/svg.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "models/base/units.h"
#include "models/base/words.h"

namespace oomph {
namespace {

constexpr size_t kMaxBreaks = 8;
constexpr double kMinTickPixels = 48;

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

// The ranges in their order, those that touch made one.
std::vector<Range> Joined(std::vector<Range> ranges) {
  std::sort(ranges.begin(), ranges.end());
  std::vector<Range> joined;
  for (const Range& range : ranges) {
    if (!joined.empty() && range.begin <= joined.back().end) {
      joined.back().end = std::max(joined.back().end, range.end);
    } else if (!range.empty()) {
      joined.push_back(range);
    }
  }
  return joined;
}

}  // namespace

std::string EscapeXml(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c >= ' ' && c <= '~' ? c : '?';
    }
  }
  return escaped;
}

std::string Shortened(std::string_view text, size_t most) {
  return text.size() <= most ? std::string(text) : std::string(text.substr(0, most - 3)).append("...");
}

std::string FillOf(std::string_view name, uint64_t hue, uint64_t hues) {
  uint64_t hash = StableHash(name);
  hash ^= hash >> 29;
  return absl::StrCat("fill=\"hsl(", hue + hash % hues, ",", 50 + hash / 512 % 21, "%,", 62 + hash / 65536 % 14, "%)\"");
}

void Svg::Rect(std::string_view css, double x, double y, double width, double height, std::string_view more,
               std::string_view title) {
  absl::StrAppendFormat(&text, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"",
                        View(css), x, y, std::max(0.5, width), std::max(0.5, height));
  if (!more.empty()) text.append(" ").append(more);
  if (title.empty()) {
    text += "/>\n";
  } else {
    text.append("><title>").append(EscapeXml(title)).append("</title></rect>\n");
  }
}

void Svg::Text(std::string_view css, double x, double y, std::string_view anchor, std::string_view what) {
  absl::StrAppendFormat(&text, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", View(css), x,
                        y, View(anchor));
  text.append(EscapeXml(what)).append("</text>\n");
}

void Svg::Line(std::string_view css, double x1, double y1, double x2, double y2) {
  absl::StrAppendFormat(&text, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
                        View(css), x1, y1, x2, y2);
}

AddressAxis::AddressAxis(std::vector<Range> used, uint64_t extent, double top, double height)
    : extent_(std::max<uint64_t>(1, extent)), top_(top), height_(height), used_(Joined(std::move(used))) {
  CutEmptyRanges();
  uint64_t cut = 0;
  for (const Range& range : cuts_) cut += range.size();
  scale_ = (height_ - kBreakHeight * static_cast<double>(cuts_.size())) /
           static_cast<double>(std::max<uint64_t>(1, extent_ - cut));
}

double AddressAxis::Y(uint64_t address) const {
  double pixels = 0;
  uint64_t from = 0;
  for (const Range& cut : cuts_) {
    if (address <= cut.begin) break;
    pixels += scale_ * static_cast<double>(cut.begin - from);
    const uint64_t inside = std::min(address, cut.end) - cut.begin;
    pixels += kBreakHeight * static_cast<double>(inside) / static_cast<double>(cut.size());
    from = cut.end;
  }
  if (address > from) pixels += scale_ * static_cast<double>(address - from);
  return top_ + height_ - std::min(pixels, height_);
}

std::vector<uint64_t> AddressAxis::Ticks() const {
  std::vector<uint64_t> ticks = {0, extent_};
  for (const Range& cut : cuts_) ticks.insert(ticks.end(), {cut.begin, cut.end});
  uint64_t step = 1;
  while (step < kMaxBytes / 2 && scale_ * static_cast<double>(step) < kMinTickPixels) step *= 2;
  for (size_t i = 1; cuts_.empty() && i * step < extent_ && i < 32; ++i) ticks.push_back(i * step);
  return Apart(std::move(ticks));
}

// Cuts the longest empty ranges while little of what is left is in use.
void AddressAxis::CutEmptyRanges() {
  std::vector<Range> gaps;
  uint64_t begin = 0, in_use = 0;
  for (const Range& range : used_) {
    if (range.begin > begin) gaps.push_back({begin, range.begin});
    begin = range.end;
    in_use += range.size();
  }
  if (extent_ > begin) gaps.push_back({begin, extent_});
  std::sort(gaps.begin(), gaps.end(), [](const Range& a, const Range& b) { return a.size() > b.size(); });
  uint64_t left = extent_;
  for (const Range& gap : gaps) {
    if (in_use == 0 || in_use >= left / 4 || gap.size() < left / 8 || cuts_.size() == kMaxBreaks) break;
    left -= gap.size();
    cuts_.push_back(gap);
  }
  std::sort(cuts_.begin(), cuts_.end());
}

// Keeps 0 and the top, and of the others those that are not too near to one that is kept.
std::vector<uint64_t> AddressAxis::Apart(std::vector<uint64_t> ticks) const {
  std::vector<uint64_t> kept;
  for (const uint64_t tick : ticks) {
    const auto near = [&](uint64_t other) { return std::abs(Y(other) - Y(tick)) < 11; };
    if (std::none_of(kept.begin(), kept.end(), near)) kept.push_back(tick);
  }
  return kept;
}

void DrawBreaks(const AddressAxis& axis, double left, double width, std::string_view when, Svg& svg) {
  for (const Range& cut : axis.cuts()) {
    const double middle = (axis.Y(cut.end) + axis.Y(cut.begin)) / 2;
    svg.Rect("paper", left, middle - 3, width, 6, {},
             absl::StrCat("cut short: ", ExactBytes(cut.size()), " that are free ", View(when)));
    for (const double y : {middle - 3, middle + 3}) {
      absl::StrAppendFormat(&svg.text, "<path class=\"break\" d=\"M%.1f %.1f", left, y);
      for (int i = 0; i < 48; ++i)
        absl::StrAppendFormat(&svg.text, "l%.1f %s", width / 48, i % 2 ? "3" : "-3");
      svg.text += "\"/>\n";
    }
  }
}

}  // namespace oomph
