// See fast_survey.h.
#include "models/placement/fast_survey.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/numeric/int128.h"
#include "models/base/units.h"
#include "models/placement/live_set.h"

namespace oomph::placement {
namespace {

Clash ClashOf(Cut cut) {
  return cut == Cut::kWindow ? Clash::kWindow : cut == Cut::kSlice ? Clash::kSlice : Clash::kWhole;
}

// The lowest of [0, high] for which `holds`; it holds of `high`, and of all above one of which it holds. Asks low ones
// first: they are cheap.
template <typename Holds>
size_t Lowest(size_t high, Holds holds) {
  size_t low = 0;
  for (size_t step = 1; low < high && step < high; step *= 2) {
    if (holds(step)) {
      high = step;
      break;
    }
    low = step + 1;
  }
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    holds(middle) ? void(high = middle) : void(low = middle + 1);
  }
  return high;
}

}  // namespace

void FastSurvey::Collect() {
  if (std::exchange(collected_, true)) return;
  std::vector<Rectangle> rectangles;
  absl::flat_hash_set<std::pair<uint32_t, uint32_t>> groups;
  uses_.reserve(problem_.buffers.size());
  for (size_t i = 0; i < problem_.buffers.size(); ++i) {
    const Buffer& buffer = problem_.buffers[i];
    const auto offset = PlacedAt(problem_, plan_, i);
    const bool counts = buffer.group == 0 || groups.insert({buffer.space, buffer.group}).second;
    Footprint(buffer, rectangles);
    for (const Rectangle& r : rectangles) {
      uses_.push_back({r.start, r.end, offset.value_or(0) + r.lower, offset.value_or(0) + r.upper, buffer.space,
                       buffer.group, static_cast<uint32_t>(i), ClashOf(r.cut), offset.has_value(), counts});
    }
  }
  std::sort(uses_.begin(), uses_.end(), [](const Use& a, const Use& b) {
    return std::tie(a.space, a.start, a.buffer, a.lower) < std::tie(b.space, b.start, b.buffer, b.lower);
  });
  ends_.reserve(uses_.size());
  for (const Use& use : uses_) ends_.push_back({use.end, use.space, static_cast<uint32_t>(ends_.size())});
  std::sort(ends_.begin(), ends_.end(), [](const End& a, const End& b) {
    return std::tie(a.space, a.time, a.use) < std::tie(b.space, b.time, b.use);
  });
}

// enter(index) in order of time, leave(index) before all that begins when it ends, or in another space. Ends where
// enter gives false.
template <typename Enter, typename Leave>
void FastSurvey::Sweep(Enter enter, Leave leave) const {
  size_t end = 0;
  for (uint32_t i = 0; i < uses_.size(); ++i) {
    const Use& use = uses_[i];
    for (; end < ends_.size() && std::tie(ends_[end].space, ends_[end].time) <= std::tie(use.space, use.start); ++end) {
      leave(ends_[end].use);
    }
    // Ends of this space only: those of the spaces before come first in the order.
    if (!enter(i)) return;
  }
}

// One sweep that looks at every pair that collides; gives up where they are more than the rectangles.
void FastSurvey::FindAll() {
  Collect();
  looked_ = true;
  LiveSet live;
  size_t left = uses_.size() + 1;
  Sweep(
      [&](uint32_t i) {
        const Use& use = uses_[i];
        if (!use.placed) return true;
        const auto note = [&](uint32_t k) {
          const Use& other = uses_[k];
          const Pair pair = {std::min(use.buffer, other.buffer), std::max(use.buffer, other.buffer)};
          std::optional<Pair>& first = first_[static_cast<size_t>(std::max(use.clash, other.clash))];
          if (!first || std::tie(pair.later, pair.earlier) < std::tie(first->later, first->earlier)) first = pair;
          return --left > 0;
        };
        too_many_ = !live.ForEachMet(use.lower, use.upper, Owner(use), note);
        live.Insert(use.lower, use.upper, Owner(use), i);
        return !too_many_;
      },
      [&](uint32_t i) {
        if (uses_[i].placed) live.Erase(uses_[i].lower, i);
      });
}

bool FastSurvey::Clashes(Clash clash, size_t last, size_t alone) const {
  // Two that clash do so by the higher of their kinds. So those of the kind itself ask all up to it, and those
  // below it ask those of the kind.
  LiveSet live, of_kind;
  bool found = false;
  const auto takes_part = [&](const Use& use) {
    return use.placed && (use.buffer <= last || use.buffer == alone) && use.clash <= clash;
  };
  Sweep(
      [&](uint32_t i) {
        const Use& use = uses_[i];
        if (!takes_part(use)) return true;
        const bool is_of_kind = use.clash == clash;
        found = !(is_of_kind ? live : of_kind).ForEachMet(use.lower, use.upper, Owner(use), [](uint32_t) { return false; });
        live.Insert(use.lower, use.upper, Owner(use), i);
        if (is_of_kind) of_kind.Insert(use.lower, use.upper, Owner(use), i);
        return !found;
      },
      [&](uint32_t i) {
        const Use& use = uses_[i];
        if (!takes_part(use)) return;
        live.Erase(use.lower, i);
        if (use.clash == clash) of_kind.Erase(use.lower, i);
      });
  return found;
}

std::optional<Pair> FastSurvey::FirstClash(Clash clash) {
  if (!looked_) FindAll();
  if (!too_many_) return first_[static_cast<size_t>(clash)];
  const size_t all = problem_.buffers.size() - 1;
  if (!Clashes(clash, all, all)) return std::nullopt;
  const size_t later = Lowest(all, [&](size_t last) { return Clashes(clash, last, last); });
  // No two before it clash so: what clashes now clashes with it.
  const size_t earlier = Lowest(later, [&](size_t last) { return Clashes(clash, last, later); });
  return Pair{earlier, later};
}

std::optional<Pair> FastSurvey::FirstApart() {
  if (plan_.offsets.size() != problem_.buffers.size()) return std::nullopt;
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, size_t> firsts;
  for (size_t i = 0; i < problem_.buffers.size(); ++i) {
    const Buffer& buffer = problem_.buffers[i];
    if (buffer.group == 0 || !plan_.offsets[i]) continue;
    const size_t first = firsts.try_emplace({buffer.space, buffer.group}, i).first->second;
    if (*plan_.offsets[first] != *plan_.offsets[i]) return Pair{first, i};
  }
  return std::nullopt;
}

uint64_t FastSurvey::LiveBytes() {
  Collect();
  absl::uint128 now = 0, most = 0;
  const auto size = [&](uint32_t i) { return uses_[i].counts ? uses_[i].upper - uses_[i].lower : 0; };
  Sweep(
      [&](uint32_t i) {
        now += size(i);
        most = std::max(most, now);
        return true;
      },
      [&](uint32_t i) { now -= size(i); });
  return most > kMaxBytes ? kMaxBytes : absl::Uint128Low64(most);
}

}  // namespace oomph::placement
