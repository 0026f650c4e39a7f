// See picture_frame.h.
#include "models/base/picture_frame.h"

#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"

namespace oomph {
namespace {

constexpr size_t kMaxTitleLetters = 150;

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

void PictureFrame::Begin(std::string_view css, std::string_view label, std::string_view title, std::string_view style,
                         Svg& svg) const {
  const double height = bottom() + kAxisHeight + kLegendHeight;
  absl::StrAppendFormat(&svg.text,
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"%s\" width=\"%.0f\" height=\"%.0f\" "
                        "viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"%s\">\n",
                        View(css), kWidth, height, kWidth, height, View(label));
  if (!in_page_) svg.text.append("<title>").append(EscapeXml(title)).append("</title>\n").append(style);
  svg.Rect("paper", 0, 0, kWidth, height);
}

void PictureFrame::Title(std::string_view title, std::string_view line, std::string_view note, Svg& svg) const {
  if (in_page_) {
    if (!note.empty()) svg.Text("badtext", kLeft, 14, "start", note);
    return;
  }
  svg.Text("title", 16, 22, "start", Shortened(title, kMaxTitleLetters - 30));
  svg.Text("soft", 16, 39, "start", Shortened(line, kMaxTitleLetters));
  if (!note.empty()) svg.Text("badtext", kWidth - kRight, 22, "end", note);
}

void PictureFrame::NameAxes(std::string_view below, Svg& svg) const {
  svg.Text("soft", kLeft + kPlotWidth / 2, LabelsY() + 16, "middle", below);
  absl::StrAppendFormat(&svg.text,
                        "<text class=\"soft\" text-anchor=\"middle\" transform=\"translate(14 %.1f) "
                        "rotate(-90)\">address</text>\n",
                        top_ + plot_height_ / 2);
}

void PictureFrame::Legend::Add(std::string_view css, std::string_view more, std::string_view over, std::string_view text,
                               Svg& svg) {
  svg.Rect(css, x_, y_, 22, 12, more);
  if (!over.empty()) svg.Rect(over, x_, y_, 22, 12);
  svg.Text("soft", x_ + 28, y_ + 10, "start", text);
  Skip(28, text.size());
}

}  // namespace oomph
