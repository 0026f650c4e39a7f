// See witness.h. First fit in some orders, then every order of few buffers.
#include "models/placement/witness.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "absl/numeric/int128.h"
#include "models/base/units.h"
#include "models/placement/footprint.h"
#include "models/placement/oracles.h"
#include "models/placement/survey.h"

namespace oomph::placement {
namespace {

constexpr size_t kMostBuffers = 64;  // more are not searched for

// Buffers that get one offset: a group, or one alone.
struct Unit {
  std::vector<size_t> buffers;
  std::vector<Rectangle> rectangles;
  uint64_t size = 0;       // the largest that counts
  uint64_t alignment = 1;  // of all of them; saturated: then only 0 is a multiple of it
  std::optional<uint64_t> fixed;
  uint32_t space = 0;
  absl::uint128 area = 0;
  int64_t start = 0;
  uint64_t length = 0;
};

uint64_t CommonAlignment(uint64_t a, uint64_t b) {
  b = std::max<uint64_t>(b, 1);
  return SaturatingMul(a, b / std::gcd(a, b));
}

class Search {
 public:
  Search(const Problem& problem, uint64_t peak, int effort) : problem_(problem), peak_(peak), effort_(effort) {}

  std::optional<Plan> Run() {
    if (problem_.buffers.size() > kMostBuffers || !MakeUnits()) return std::nullopt;
    using Key = std::tuple<bool, absl::uint128, uint64_t, size_t>;
    const auto by = [&](auto key) {
      std::sort(units_.begin(), units_.end(), [&](const Unit& a, const Unit& b) {
        return Key(!a.fixed, key(a), a.size, a.buffers[0]) < Key(!b.fixed, key(b), b.size, b.buffers[0]);
      });
      return InOrder();
    };
    // As numbers, so that the largest come first where it says "less".
    const bool found = by([](const Unit& u) { return ~absl::uint128(u.size); }) ||
                       by([](const Unit& u) { return ~u.area; }) ||
                       by([](const Unit& u) { return ~absl::uint128(u.length); }) ||
                       by([](const Unit& u) { return absl::uint128(static_cast<uint64_t>(u.start) ^ (uint64_t{1} << 63)); }) ||
                       by([](const Unit& u) { return ~absl::uint128(u.size); }) || EveryOrder(0);
    if (!found) return std::nullopt;
    Plan plan;
    plan.status = Status::kFeasible;
    plan.offsets.resize(problem_.buffers.size());
    for (size_t i = 0; i < units_.size(); ++i) {
      for (size_t buffer : units_[i].buffers) plan.offsets[buffer] = offsets_[i];
    }
    return plan;
  }

 private:
  // False where two fixed offsets of a group differ.
  bool MakeUnits() {
    std::vector<Rectangle> rectangles;
    for (size_t i = 0; i < problem_.buffers.size(); ++i) {
      const Buffer& buffer = problem_.buffers[i];
      Unit* unit = nullptr;
      for (Unit& other : units_) {
        if (SameGroup(problem_.buffers[other.buffers[0]], buffer)) unit = &other;
      }
      if (unit == nullptr) {
        units_.emplace_back();
        unit = &units_.back();
        unit->space = buffer.space;
        unit->start = buffer.start;
      }
      unit->buffers.push_back(i);
      unit->size = std::max(unit->size, SizeInUse(buffer));
      unit->alignment = CommonAlignment(unit->alignment, buffer.alignment);
      if (buffer.fixed && unit->fixed && *unit->fixed != *buffer.fixed) return false;
      if (buffer.fixed) unit->fixed = buffer.fixed;
      Footprint(buffer, rectangles);
      for (const Rectangle& r : rectangles) {
        unit->area += absl::uint128(r.upper - r.lower) * Length(r.start, r.end);
        unit->length = std::max(unit->length, Length(r.start, r.end));
        unit->start = std::min(unit->start, r.start);
        unit->rectangles.push_back(r);
      }
    }
    offsets_.resize(units_.size());
    return true;
  }

  bool Fits(const Unit& unit, uint64_t offset) const {
    return IsMultipleOf(offset, unit.alignment) && SaturatingAdd(offset, unit.size) <= peak_;
  }

  // One placed before `count` in which `unit` would lie at `offset`: the lowest offset that leaves it behind.
  std::optional<uint64_t> Obstacle(const Unit& unit, uint64_t offset, size_t count) const {
    for (size_t i = 0; i < count; ++i) {
      if (units_[i].space != unit.space) continue;
      for (const Rectangle& b : units_[i].rectangles) {
        for (const Rectangle& a : unit.rectangles) {
          if (a.start >= b.end || b.start >= a.end) continue;
          const uint64_t lower = offsets_[i] + b.lower, upper = offsets_[i] + b.upper;
          if (offset + a.lower < upper && lower < offset + a.upper) return upper - a.lower;
        }
      }
    }
    return std::nullopt;
  }

  // The lowest place of the unit at `index` among those before it: every offset from here to where it leaves an
  // obstacle behind meets that obstacle.
  bool Place(size_t index) {
    const Unit& unit = units_[index];
    uint64_t offset = unit.fixed.value_or(0);
    while (effort_-- > 0) {
      if (!Fits(unit, offset)) return false;
      const std::optional<uint64_t> next = Obstacle(unit, offset, index);
      if (!next) {
        offsets_[index] = offset;
        return true;
      }
      const std::optional<uint64_t> aligned = CheckedRoundUp(*next, unit.alignment);
      if (unit.fixed || !aligned) return false;
      offset = *aligned;
    }
    return false;
  }

  bool InOrder() {
    for (size_t i = 0; i < units_.size(); ++i) {
      if (!Place(i)) return false;
    }
    return true;
  }

  bool EveryOrder(size_t index) {
    if (index == units_.size()) return true;
    for (size_t i = index; i < units_.size() && effort_ > 0; ++i) {
      if (units_[index].fixed && i > index) break;  // those come first, in any order
      std::swap(units_[index], units_[i]);
      if (Place(index) && EveryOrder(index + 1)) return true;
      std::swap(units_[index], units_[i]);
    }
    return false;
  }

  const Problem& problem_;
  const uint64_t peak_;
  int effort_;
  std::vector<Unit> units_;
  std::vector<uint64_t> offsets_;  // of the units
};

}  // namespace

std::optional<uint64_t> PeakOf(const Problem& problem, const Plan& plan) {
  uint64_t peak = 0;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const uint64_t size = SizeInUse(problem.buffers[i]);
    const std::optional<uint64_t> offset = PlacedAt(problem, plan, i);
    if (OccupiesNothing(problem.buffers[i])) continue;
    if (!offset) return std::nullopt;
    peak = std::max(peak, *offset + size);
  }
  return peak;
}

std::optional<Plan> FindWitness(const Problem& problem, uint64_t peak, int effort) {
  std::optional<Plan> plan = Search(problem, peak, effort).Run();
  if (!plan || !KeepsTheRules(problem, *plan)) return std::nullopt;
  const std::optional<uint64_t> reached = PeakOf(problem, *plan);
  return reached && *reached <= peak ? plan : std::nullopt;
}

}  // namespace oomph::placement
