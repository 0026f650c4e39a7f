// See survey.h. Each answer is its definition, written down.
#include "models/placement/survey.h"

#include <algorithm>
#include <vector>

#include "models/base/units.h"

namespace oomph::placement {
namespace {

bool MeetInTime(const Rectangle& a, const Rectangle& b) { return a.start < b.end && b.start < a.end; }

bool Collide(const Rectangle& a, uint64_t a_offset, const Rectangle& b, uint64_t b_offset) {
  return MeetInTime(a, b) && a_offset + a.lower < b_offset + b.upper && b_offset + b.lower < a_offset + a.upper;
}

Clash ClashOf(const Rectangle& a, const Rectangle& b) {
  if (a.cut == Cut::kWindow || b.cut == Cut::kWindow) return Clash::kWindow;
  if (a.cut == Cut::kSlice || b.cut == Cut::kSlice) return Clash::kSlice;
  return Clash::kWhole;
}

bool IsFirstOfItsGroup(const Problem& problem, size_t buffer) {
  for (size_t i = 0; i < buffer; ++i) {
    if (SameGroup(problem.buffers[i], problem.buffers[buffer])) return false;
  }
  return true;
}

}  // namespace

std::optional<uint64_t> PlacedAt(const Problem& problem, const Plan& plan, size_t buffer) {
  if (plan.offsets.size() != problem.buffers.size() || !plan.offsets[buffer]) return std::nullopt;
  if (!CheckedAdd(*plan.offsets[buffer], SizeInUse(problem.buffers[buffer]))) return std::nullopt;
  return plan.offsets[buffer];
}

std::optional<Pair> NaiveSurvey::FirstClash(Clash clash) {
  std::vector<Rectangle> mine, others;
  for (size_t later = 0; later < problem_.buffers.size(); ++later) {
    const auto offset = PlacedAt(problem_, plan_, later);
    if (!offset) continue;
    Footprint(problem_.buffers[later], mine);
    for (size_t earlier = 0; earlier < later; ++earlier) {
      const Buffer &a = problem_.buffers[earlier], &b = problem_.buffers[later];
      const auto other_offset = PlacedAt(problem_, plan_, earlier);
      if (!other_offset || a.space != b.space || SameGroup(a, b)) continue;
      Footprint(a, others);
      for (const Rectangle& x : others) {
        for (const Rectangle& y : mine) {
          if (Collide(x, *other_offset, y, *offset) && ClashOf(x, y) == clash) return Pair{earlier, later};
        }
      }
    }
  }
  return std::nullopt;
}

std::optional<Pair> NaiveSurvey::FirstApart() {
  if (plan_.offsets.size() != problem_.buffers.size()) return std::nullopt;
  for (size_t later = 0; later < problem_.buffers.size(); ++later) {
    for (size_t earlier = 0; earlier < later; ++earlier) {
      if (!SameGroup(problem_.buffers[earlier], problem_.buffers[later])) continue;
      const auto &a = plan_.offsets[earlier], &b = plan_.offsets[later];
      if (a && b && *a != *b) return Pair{earlier, later};
    }
  }
  return std::nullopt;
}

uint64_t NaiveSurvey::LiveBytes() {
  struct Use {
    Rectangle rectangle;
    uint32_t space;
  };
  std::vector<Use> uses;
  std::vector<Rectangle> rectangles;
  for (size_t i = 0; i < problem_.buffers.size(); ++i) {
    if (!IsFirstOfItsGroup(problem_, i)) continue;
    Footprint(problem_.buffers[i], rectangles);
    for (const Rectangle& rectangle : rectangles) uses.push_back({rectangle, problem_.buffers[i].space});
  }
  uint64_t most = 0;  // use only grows where something starts
  for (const Use& at : uses) {
    const int64_t time = at.rectangle.start;
    uint64_t sum = 0;
    for (const Use& use : uses) {
      if (use.space != at.space || time < use.rectangle.start || use.rectangle.end <= time) continue;
      sum = SaturatingAdd(sum, use.rectangle.upper - use.rectangle.lower);
    }
    most = std::max(most, sum);
  }
  return most;
}

}  // namespace oomph::placement
