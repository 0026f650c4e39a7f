// What stands around a picture of memory, the same for every family: where things are in pixels, the element itself,
// title, names of the axes, legend. Not for: what is in it (see draw.h of each family).
#ifndef OOMPH_MODELS_BASE_PICTURE_FRAME_H_
#define OOMPH_MODELS_BASE_PICTURE_FRAME_H_

#include <cstddef>
#include <string_view>

#include "models/base/svg.h"

namespace oomph {

class PictureFrame {
 public:
  static constexpr double kLeft = 84, kPlotWidth = 960, kRight = 24;
  static constexpr double kWidth = kLeft + kPlotWidth + kRight;
  static constexpr double kLetterWidth = 6.6;  // of the labels' font, about

  // In a page it is less high, and the page says signature and reason itself.
  explicit PictureFrame(bool in_page)
      : in_page_(in_page), top_(in_page ? 40 : 64), plot_height_(in_page ? 230 : 440) {}

  double top() const { return top_; }  // of the plot
  double plot_height() const { return plot_height_; }
  double bottom() const { return top_ + plot_height_; }

  // The element and its background. `css` is its class, `style` what it needs once in its page.
  void Begin(std::string_view css, std::string_view label, std::string_view title, std::string_view style, Svg& svg) const;
  // `note` says what the picture does not show; empty: nothing.
  void Title(std::string_view title, std::string_view line, std::string_view note, Svg& svg) const;
  // "address" at the left, `below` under the labels of the horizontal axis, which stand at LabelsY().
  void NameAxes(std::string_view below, Svg& svg) const;
  double LabelsY() const { return bottom() + 24; }

  // One entry after the other, below the plot.
  class Legend {
   public:
    explicit Legend(const PictureFrame& frame) : y_(frame.bottom() + kAxisHeight + 4) {}
    // A rectangle with `more` as it stands, another of the class `over` on it if that is not empty, and the text.
    void Add(std::string_view css, std::string_view more, std::string_view over, std::string_view text, Svg& svg);
    // For a mark that is no rectangle: where it stands; Skip() goes past it and its text.
    double x() const { return x_; }
    double y() const { return y_; }
    void Skip(double mark, size_t letters) { x_ += mark + kLetterWidth * static_cast<double>(letters) + kBetween; }

   private:
    static constexpr double kBetween = 22;
    double x_ = kLeft, y_;
  };

 private:
  static constexpr double kAxisHeight = 44, kLegendHeight = 28;

  bool in_page_;
  double top_, plot_height_;
};

}  // namespace oomph

#endif  // OOMPH_MODELS_BASE_PICTURE_FRAME_H_
