// The horizontal axis of a placement's picture: times to pixels. Where the true scale would leave most
// changes narrower than a pixel, each stretch between two changes is as wide as the others. Not for:
// addresses (see models/base/svg.h).
#ifndef OOMPH_MODELS_PLACEMENT_TIME_AXIS_H_
#define OOMPH_MODELS_PLACEMENT_TIME_AXIS_H_

#include <cstdint>
#include <vector>

namespace oomph::placement {

class TimeAxis {
 public:
  // `times`: all at which something begins or ends, in any order. Pixels [left, left + width].
  TimeAxis(std::vector<int64_t> times, double left, double width);

  double X(int64_t time) const;
  bool by_rank() const { return by_rank_; }
  // Round numbers, or changes: as many as fit with letters that wide.
  std::vector<int64_t> Ticks(double letter_width) const;

 private:
  std::vector<int64_t> times_;  // ascending, each once; never empty
  double left_, width_;
  bool by_rank_ = false;
};

}  // namespace oomph::placement

#endif  // OOMPH_MODELS_PLACEMENT_TIME_AXIS_H_
