// What pictures of memory share: elements of an SVG text, and an axis of addresses that cuts long empty ranges short.
// Not for: what a picture shows (see draw.h of each family).
#ifndef OOMPH_MODELS_BASE_SVG_H_
#define OOMPH_MODELS_BASE_SVG_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/range.h"

namespace oomph {

// Text for an element or an attribute. What may be no XML becomes '?'.
std::string EscapeXml(std::string_view text);
// With dots at its end if it has more letters than `most` (at least 3).
std::string Shortened(std::string_view text, size_t most);
// As an attribute of an element: the same for a name in every picture, of `hues` degrees from `hue` on.
std::string FillOf(std::string_view name, uint64_t hue, uint64_t hues);
// Elements, each a line. Coordinates are pixels; texts and titles are escaped, `more` stands as it is.
struct Svg {
  void Rect(std::string_view css, double x, double y, double width, double height, std::string_view more = {},
            std::string_view title = {});
  void Text(std::string_view css, double x, double y, std::string_view anchor, std::string_view what);
  void Line(std::string_view css, double x1, double y1, double x2, double y2);

  std::string text;
};

// The vertical axis: addresses to pixels, with long empty ranges cut short.
class AddressAxis {
 public:
  static constexpr double kBreakHeight = 18;  // of an empty range that is cut short

  // `used`: what of [0, extent) has something in it.
  AddressAxis(std::vector<Range> used, uint64_t extent, double top, double height);

  // Pixels from the top.
  double Y(uint64_t address) const;
  // In the order of addresses.
  const std::vector<Range>& cuts() const { return cuts_; }
  // Multiples of the smallest power of two that leaves room between them, and both sides of each cut.
  std::vector<uint64_t> Ticks() const;

 private:
  void CutEmptyRanges();
  std::vector<uint64_t> Apart(std::vector<uint64_t> ticks) const;

  uint64_t extent_;
  double top_, height_;  // pixels
  double scale_ = 1;     // pixels a byte
  std::vector<Range> used_, cuts_;
};

// A zigzag over each range that the axis cuts short, from `left` over `width`. `when` ends the sentence about it.
void DrawBreaks(const AddressAxis& axis, double left, double width, std::string_view when, Svg& svg);

}  // namespace oomph

#endif  // OOMPH_MODELS_BASE_SVG_H_
