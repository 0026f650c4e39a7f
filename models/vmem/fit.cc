// See fit.h.
#include "models/vmem/fit.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "models/base/units.h"
#include "models/hlo/shape.h"
#include "models/hlo/tpu_bytes.h"
#include "models/vmem/answer.h"

namespace oomph::vmem {
namespace {

// What Pallas wants of a block that is smaller than its array (jax's documentation of block shapes).
constexpr uint64_t kMinorStep = 128, kSecondMinorStep = 8, kOnlyStep = 1024;

uint64_t StepOf(const Operand& operand, size_t dimension) {
  const size_t rank = operand.block.size();
  if (rank == 1) return kOnlyStep;
  if (dimension + 1 == rank) return kMinorStep;
  return dimension + 2 == rank ? kSecondMinorStep : 1;
}

bool Names(const Place& place, uint32_t axis) {
  return std::any_of(place.begin(), place.end(), [&](const Term& t) { return t.kind != TermKind::kConstant && t.axis == axis; });
}

// Blocks one by one in the order of the axis: its index, and nothing else.
bool IsStepped(const Operand& operand, size_t dimension, uint32_t axis) {
  const Place& place = operand.map[dimension];
  const BlockDimension& block = operand.block[dimension];
  return block.kind == BlockKind::kBlocked && place.size() == 1 && place[0] == Term{TermKind::kTimes, axis, 1};
}

// Adds the operand's places along an axis; false: it depends on the axis in another way.
bool AddPlaces(const Operand& operand, bool is_output, uint32_t index, uint32_t axis, CutDimension& into) {
  for (uint32_t d = 0; d < operand.block.size() && d < operand.map.size(); ++d) {
    if (!Names(operand.map[d], axis)) continue;
    if (!IsStepped(operand, d, axis)) return false;
    into.places.push_back({is_output, index, d, operand.block[d].size, StepOf(operand, d)});
  }
  return true;
}

Operand& OperandOf(const CutDimension::Place& place, Kernel& kernel) {
  return (place.is_output ? kernel.outputs : kernel.inputs)[place.operand];
}

// A kernel that differs in blocks, and how.
struct Candidate {
  std::vector<uint64_t> parts;  // by CutDimension, of its unit
  uint64_t steps = 1;           // of the whole grid
  bool even = true;             // the blocks divide what they cover
};

// The largest number that divides every size of the dimension into whole steps: sizes are size * part / unit.
uint64_t UnitOf(const CutDimension& dimension) {
  uint64_t unit = 0;
  for (const CutDimension::Place& place : dimension.places) unit = std::gcd(unit, std::max<uint64_t>(1, place.size));
  return std::max<uint64_t>(1, unit);
}

class BlockSearch {
 public:
  BlockSearch(const Kernel& kernel, const FitOptions& options)
      : kernel_(kernel), options_(options), dimensions_(CutDimensions(kernel)) {}

  std::vector<Way> Run() {
    if (dimensions_.empty()) return {};
    for (const CutDimension& dimension : dimensions_) parts_.push_back(PartsOf(dimension));
    Thin();
    Candidate candidate;
    Try(0, kernel_, candidate);
    std::sort(found_.begin(), found_.end(), [](const Candidate& a, const Candidate& b) {
      return a.steps != b.steps ? a.steps < b.steps : a.parts > b.parts;
    });
    std::vector<Way> ways = Best(/*even=*/true, options_.most_even, kMaxBytes);
    const uint64_t fewest = ways.empty() ? kMaxBytes : StepsOf(ways.front().kernel);
    for (Way& way : Best(/*even=*/false, options_.most_ragged, fewest)) ways.push_back(std::move(way));
    return ways;
  }

 private:
  // Every part that leaves all sizes in whole steps, the whole as well.
  std::vector<uint64_t> PartsOf(const CutDimension& dimension) const {
    std::vector<uint64_t> parts;
    const uint64_t unit = UnitOf(dimension);
    // From the step of the place with the largest step on: below it nothing is whole.
    uint64_t stride = 1;
    for (const CutDimension::Place& place : dimension.places) {
      const uint64_t times = std::max<uint64_t>(1, place.size) / unit;  // size = unit * times
      stride = std::lcm(stride, place.step / std::gcd(place.step, times));
      if (stride > unit) break;
    }
    const uint64_t count = stride > unit ? 0 : unit / stride;
    const uint64_t every = 1 + count / kMostParts;
    for (uint64_t i = count; i > 0; i = i > every ? i - every : 0) {
      if (stride * i != unit) parts.push_back(stride * i);
    }
    parts.insert(parts.begin(), unit);
    return parts;
  }

  // Fewer parts of the longest lists, until all combinations can be tried.
  void Thin() {
    const auto product = [&] {
      uint64_t n = 1;
      for (const auto& parts : parts_) n = SaturatingMul(n, parts.size());
      return n;
    };
    while (product() > options_.most_candidates) {
      auto& longest = *std::max_element(parts_.begin(), parts_.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
      if (longest.size() <= 2) return;
      std::vector<uint64_t> every_other;
      for (size_t i = 0; i < longest.size(); i += 2) every_other.push_back(longest[i]);
      longest = std::move(every_other);
    }
  }

  void Try(size_t depth, const Kernel& kernel, Candidate& candidate) {
    if (depth == dimensions_.size()) {
      if (!IsWithin(kernel, NeedOf(kernel))) return;
      candidate.steps = StepsOf(kernel);
      candidate.even = true;
      for (size_t i = 0; i < dimensions_.size(); ++i) {
        candidate.even = candidate.even && SaturatingMul(dimensions_[i].steps, UnitOf(dimensions_[i])) % candidate.parts[i] == 0;
      }
      found_.push_back(candidate);
      return;
    }
    const uint64_t unit = UnitOf(dimensions_[depth]);
    Kernel cut = kernel;
    for (const uint64_t part : parts_[depth]) {
      if (part != unit && !Cut(dimensions_[depth], part, unit, cut)) continue;
      candidate.parts.push_back(part);
      Try(depth + 1, part == unit ? kernel : cut, candidate);
      candidate.parts.pop_back();
    }
  }

  static uint64_t StepsOf(const Kernel& kernel) {
    uint64_t steps = 1;
    for (const GridDimension& dimension : kernel.grid) steps = SaturatingMul(steps, dimension.size);
    return steps;
  }

  // The first of a kind that are not another one of it but smaller, with fewer steps than so many.
  std::vector<Way> Best(bool even, size_t most, uint64_t steps) const {
    std::vector<Way> ways;
    std::vector<const Candidate*> taken;
    for (const Candidate& candidate : found_) {
      if (ways.size() >= most || candidate.steps >= steps) break;
      if (candidate.even != even) continue;
      const bool is_smaller = std::any_of(taken.begin(), taken.end(), [&](const Candidate* other) {
        for (size_t i = 0; i < candidate.parts.size(); ++i) {
          if (candidate.parts[i] > other->parts[i]) return false;
        }
        return true;
      });
      if (is_smaller) continue;
      taken.push_back(&candidate);
      Way way{even ? WayKind::kBlocks : WayKind::kRagged, kernel_, {}, 0};
      for (size_t i = 0; i < dimensions_.size(); ++i) {
        const uint64_t unit = UnitOf(dimensions_[i]);
        if (candidate.parts[i] != unit) Cut(dimensions_[i], candidate.parts[i], unit, way.kernel);
      }
      way.need = NeedOf(way.kernel);
      ways.push_back(std::move(way));
    }
    return ways;
  }

  static constexpr uint64_t kMostParts = 4096;

  const Kernel& kernel_;
  const FitOptions options_;
  const std::vector<CutDimension> dimensions_;
  std::vector<std::vector<uint64_t>> parts_;
  std::vector<Candidate> found_;
};

Operand& OperandAt(const PartBytes& part, Kernel& kernel) {
  return (part.part == Part::kInput ? kernel.inputs : kernel.outputs)[part.index];
}

bool IsWindow(const PartBytes& part) { return part.part == Part::kInput || part.part == Part::kOutput; }

// Each operand whose second buffer is too much; where none alone is, the largest of them together.
std::vector<Way> OneBuffer(const Kernel& kernel, const Answer& answer) {
  std::vector<PartBytes> doubled;
  for (const PartBytes& part : answer.parts) {
    if (IsWindow(part) && part.levels > 1) doubled.push_back(part);
  }
  std::vector<Way> ways;
  for (const PartBytes& part : doubled) {
    Way way{WayKind::kOneBuffer, kernel, {}, 0};
    OperandAt(part, way.kernel).buffers = 1;
    way.need = NeedOf(way.kernel);
    if (IsWithin(way.kernel, way.need)) ways.push_back(std::move(way));
  }
  if (!ways.empty()) return ways;
  std::sort(doubled.begin(), doubled.end(), [](const PartBytes& a, const PartBytes& b) {
    if (a.bytes != b.bytes) return a.bytes > b.bytes;
    return a.part != b.part ? a.part < b.part : a.index < b.index;
  });
  Way all{WayKind::kOneBuffer, kernel, {}, 0};
  for (const PartBytes& part : doubled) {
    OperandAt(part, all.kernel).buffers = 1;
    all.need = NeedOf(all.kernel);
    if (!IsWithin(all.kernel, all.need)) continue;
    ways.push_back(std::move(all));
    break;
  }
  return ways;
}

uint64_t ArrayBytes(const Operand& operand) {
  hlo::ShapeTable shapes;
  std::vector<int64_t> sizes;
  for (const uint64_t size : operand.array) {
    if (size > static_cast<uint64_t>(INT64_MAX)) return kMaxBytes;
    sizes.push_back(static_cast<int64_t>(size));
  }
  return hlo::TpuArrayBytes(shapes, shapes.AddArray(operand.type, sizes));
}

// The limit is reserved beside the array.
std::vector<Way> InVmem(const Kernel& kernel, const Answer& answer) {
  std::vector<Way> ways;
  const TargetRow& row = RowOf(kernel.target);
  if (row.chip == "v4") return ways;  // the compiler refuses it there (measured)
  for (const PartBytes& part : answer.parts) {
    if (!IsWindow(part) || part.bytes == 0) continue;
    Way way{WayKind::kInVmem, kernel, {}, 0};
    Operand& operand = OperandAt(part, way.kernel);
    operand.in_vmem = true;
    way.taken = ArrayBytes(operand);
    way.need = NeedOf(way.kernel);
    const uint64_t limit = static_cast<uint64_t>(std::max<int64_t>(0, LimitOf(kernel)));
    const bool has_room = SaturatingAdd(limit, way.taken) <= row.usable;
    if (has_room && IsWithin(way.kernel, way.need)) ways.push_back(std::move(way));
  }
  return ways;
}

std::optional<Way> HigherLimit(const Kernel& kernel, const Need& need) {
  const TargetRow& row = RowOf(kernel.target);
  if (need.total > row.clamp || need.total > static_cast<uint64_t>(INT64_MAX)) return std::nullopt;
  Way way{WayKind::kLimit, kernel, need, 0};
  way.kernel.limit_bytes = static_cast<int64_t>(need.total);
  way.need = NeedOf(way.kernel);
  if (!IsWithin(way.kernel, way.need)) return std::nullopt;
  way.taken = need.total - static_cast<uint64_t>(std::max<int64_t>(0, LimitOf(kernel)));
  return way;
}

}  // namespace

bool IsWithin(const Kernel& kernel, const Need& need) {
  const TargetRow& row = RowOf(kernel.target);
  const int64_t limit = LimitOf(kernel);
  return limit >= 0 && need.total <= static_cast<uint64_t>(limit) && need.total <= row.usable && need.largest <= row.memory;
}

std::vector<CutDimension> CutDimensions(const Kernel& kernel) {
  std::vector<CutDimension> dimensions;
  for (uint32_t axis = 0; axis < kernel.grid.size(); ++axis) {
    CutDimension dimension;
    dimension.axis = axis;
    dimension.steps = kernel.grid[axis].size;
    bool can = !kernel.grid[axis].dynamic;
    for (uint32_t i = 0; can && i < kernel.inputs.size(); ++i) can = AddPlaces(kernel.inputs[i], false, i, axis, dimension);
    for (uint32_t i = 0; can && i < kernel.outputs.size(); ++i) can = AddPlaces(kernel.outputs[i], true, i, axis, dimension);
    if (can && !dimension.places.empty()) dimensions.push_back(std::move(dimension));
  }
  return dimensions;
}

bool Cut(const CutDimension& dimension, uint64_t part, uint64_t of, Kernel& kernel) {
  if (part == 0 || of == 0) return false;
  for (const CutDimension::Place& place : dimension.places) {
    const std::optional<uint64_t> product = CheckedMul(place.size, part);
    if (!product || *product % of != 0 || *product / of % place.step != 0) return false;
  }
  for (const CutDimension::Place& place : dimension.places) {
    OperandOf(place, kernel).block[place.dimension].size = place.size * part / of;
  }
  const CutDimension::Place& first = dimension.places.front();
  kernel.grid[dimension.axis].size = CeilDiv(SaturatingMul(dimension.steps, first.size), first.size * part / of);
  return true;
}

std::vector<Way> WaysToFit(const Kernel& kernel, const FitOptions& options) {
  const Need need = NeedOf(kernel);
  if (IsWithin(kernel, need)) return {};
  Answer answer;
  RunModel(kernel, answer);
  std::vector<Way> ways = BlockSearch(kernel, options).Run();
  const auto add = [&](std::vector<Way> more) {
    for (Way& way : more) ways.push_back(std::move(way));
  };
  add(OneBuffer(kernel, answer));
  add(InVmem(kernel, answer));
  if (std::optional<Way> way = HigherLimit(kernel, need)) ways.push_back(*std::move(way));
  return ways;
}

}  // namespace oomph::vmem
