// See time_axis.h.
#include "models/placement/time_axis.h"

#include <algorithm>
#include <string>

#include "models/placement/decorate.h"
#include "models/placement/footprint.h"

namespace oomph::placement {
namespace {

constexpr double kMinRankPixels = 4;
using Wide = __int128;

}  // namespace

TimeAxis::TimeAxis(std::vector<int64_t> times, double left, double width)
    : times_(std::move(times)), left_(left), width_(width) {
  std::sort(times_.begin(), times_.end());
  times_.erase(std::unique(times_.begin(), times_.end()), times_.end());
  if (times_.empty()) times_ = {0, 1};
  if (static_cast<double>(times_.size()) * kMinRankPixels > width_) return;
  size_t narrow = 0;
  for (size_t i = 0; i + 1 < times_.size(); ++i) narrow += X(times_[i + 1]) - X(times_[i]) < 1;
  by_rank_ = 2 * narrow > times_.size();
}

double TimeAxis::X(int64_t time) const {
  if (time <= times_.front()) return left_;
  if (time >= times_.back()) return left_ + width_;
  if (!by_rank_) {
    const double inside = static_cast<double>(Length(times_.front(), time));
    return left_ + width_ * inside / static_cast<double>(Length(times_.front(), times_.back()));
  }
  const size_t i = std::upper_bound(times_.begin(), times_.end(), time) - times_.begin() - 1;
  const double between =
      static_cast<double>(Length(times_[i], time)) / static_cast<double>(Length(times_[i], times_[i + 1]));
  return left_ + width_ * (static_cast<double>(i) + between) / static_cast<double>(times_.size() - 1);
}

std::vector<int64_t> TimeAxis::Ticks(double letter_width) const {
  const auto width_of = [&](int64_t time) {
    return letter_width * static_cast<double>(std::to_string(time).size()) + 8;
  };
  std::vector<int64_t> candidates = times_, ticks;
  if (!by_rank_) {
    candidates.clear();
    const Wide first = times_.front(), last = times_.back();
    const double widest = std::max(width_of(times_.front()), width_of(times_.back()));
    const double pixels = width_ / std::max(1.0, static_cast<double>(Length(times_.front(), times_.back())));
    Wide step = 1;  // 1 2 5 10 20 50 ...
    for (int i = 0; static_cast<double>(step) * pixels < widest && step < last - first; ++i) {
      step = i % 3 == 1 ? step / 2 * 5 : step * 2;
    }
    Wide tick = first / step * step;
    if (tick < first) tick += step;
    for (; tick <= last; tick += step) candidates.push_back(static_cast<int64_t>(tick));
  }
  double free_from = -1e9;  // pixels
  for (const int64_t time : candidates) {
    const double half = width_of(time) / 2;
    if (X(time) - half < free_from) continue;
    free_from = X(time) + half;
    ticks.push_back(time);
  }
  return ticks;
}

}  // namespace oomph::placement
