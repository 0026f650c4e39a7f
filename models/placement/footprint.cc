// See footprint.h.
#include "models/placement/footprint.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "models/base/units.h"

namespace oomph::placement {
namespace {

// A stretch of the buffer's life in which the same bytes [lower, upper) may be in use.
struct Stretch {
  int64_t start, end;
  uint64_t lower, upper;
};

// The bytes [lower, upper) that are in use from `start` on.
struct Piece {
  int64_t start;
  uint64_t lower, upper;
};

// A gap that begins (opens) or ends at `time`.
struct Edge {
  int64_t time;
  bool opens;
  uint64_t lower, upper;
};

// The buffer's life, cut where a gap begins or ends. Two ordered sets hold the windows that are open: where many gaps
// meet, the highest lower end and the lowest upper end count.
std::vector<Stretch> Stretches(const Buffer& buffer) {
  std::vector<Edge> edges;
  for (const Gap& gap : buffer.gaps) {
    const int64_t lower = std::max(gap.lower, buffer.start), upper = std::min(gap.upper, buffer.end);
    if (lower >= upper) continue;
    edges.push_back({lower, true, gap.window_lower, gap.window_upper});
    edges.push_back({upper, false, gap.window_lower, gap.window_upper});
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.time < b.time; });
  std::multiset<uint64_t> lowers, uppers;
  std::vector<Stretch> stretches;
  int64_t now = buffer.start;
  const auto stretch_to = [&](int64_t time) {
    if (time <= now) return;
    const uint64_t lower = lowers.empty() ? 0 : *lowers.rbegin();
    const uint64_t upper = uppers.empty() ? buffer.size : std::min(*uppers.begin(), buffer.size);
    if (!stretches.empty() && stretches.back().end == now && stretches.back().lower == lower &&
        stretches.back().upper == upper) {
      stretches.back().end = time;
    } else if (lower < upper) {
      stretches.push_back({now, time, lower, upper});
    }
    now = time;
  };
  for (const Edge& edge : edges) {
    stretch_to(edge.time);
    if (edge.opens) {
      lowers.insert(edge.lower), uppers.insert(edge.upper);
    } else {
      lowers.erase(lowers.find(edge.lower)), uppers.erase(uppers.find(edge.upper));
    }
  }
  stretch_to(buffer.end);
  return stretches;
}

// The buffer from its lowest byte up, cut where what lies above begins at another time.
std::vector<Piece> Pieces(const Buffer& buffer) {
  std::vector<Piece> pieces;
  uint64_t lower = 0;
  const auto add = [&](int64_t start, uint64_t size) {
    const uint64_t upper = std::min(SaturatingAdd(lower, size), buffer.size);
    if (upper == lower) return;
    if (!pieces.empty() && pieces.back().start == start) {
      pieces.back().upper = upper;
    } else {
      pieces.push_back({start, lower, upper});
    }
    lower = upper;
  };
  for (const Slice& slice : buffer.slices) add(std::max(slice.start, buffer.start), slice.size);
  add(buffer.start, buffer.size);
  return pieces;
}

}  // namespace

void Footprint(const Buffer& buffer, std::vector<Rectangle>& into) {
  into.clear();
  if (OccupiesNothing(buffer)) return;
  if (buffer.gaps.empty() && buffer.slices.empty()) {
    into.push_back({buffer.start, buffer.end, 0, buffer.size, Cut::kNone});
    return;
  }
  const std::vector<Stretch> stretches = Stretches(buffer);
  for (const Piece& piece : Pieces(buffer)) {
    const bool sliced = piece.start != buffer.start || piece.lower != 0 || piece.upper != buffer.size;
    for (const Stretch& stretch : stretches) {
      const Rectangle rectangle = {std::max(stretch.start, piece.start), stretch.end,
                                   std::max(stretch.lower, piece.lower), std::min(stretch.upper, piece.upper)};
      if (rectangle.start >= rectangle.end || rectangle.lower >= rectangle.upper) continue;
      const bool windowed = stretch.lower != 0 || stretch.upper != buffer.size;
      const bool shorter = stretch.start != buffer.start || stretch.end != buffer.end;
      into.push_back(rectangle);
      into.back().cut = windowed ? Cut::kWindow : sliced ? Cut::kSlice : shorter ? Cut::kGap : Cut::kNone;
    }
  }
  std::sort(into.begin(), into.end(), [](const Rectangle& a, const Rectangle& b) {
    return std::tie(a.start, a.lower) < std::tie(b.start, b.lower);
  });
}

}  // namespace oomph::placement
