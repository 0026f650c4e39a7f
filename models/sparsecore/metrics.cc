// See metrics.h.
#include "models/sparsecore/metrics.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "models/base/limit.h"
#include "models/base/units.h"
#include "models/message/number.h"
#include "models/sparsecore/answer_text.h"
#include "models/sparsecore/compare.h"
#include "models/sparsecore/memory.h"

namespace oomph::sparsecore {
namespace {

enum Metric : size_t { kUsed, kRefused, kWaste, kNumMetrics };

constexpr std::array<MetricInfo, kNumMetrics> kMetrics = {{
    {"used", "words", "high-water mark of a tile's memory, where all fits"},
    {"refused", "share", "programs that do not fit"},
    {"waste", "share", "of a tile's memory above what the best placement takes: used / most words live at once - 1"},
}};

constexpr size_t kTile = static_cast<size_t>(Space::kTileSpmem);

// Of those that are placed, with the words that they have: an upper bound of no plan, the optimum of nested lifetimes.
uint64_t BestOf(const Program& program, const Answer& answer) {
  Structure structure;
  FindStructure(program, structure);
  std::vector<bool> counts(program.buffers.size(), false);
  std::vector<uint64_t> words(program.buffers.size(), 0);
  for (const Placed& placed : answer.placed) {
    if (placed.buffer >= words.size()) continue;
    counts[placed.buffer] = true;
    const bool of_tiles = placed.space == Space::kSpmem && program.buffers[placed.buffer].space == Space::kTileSpmem;
    words[placed.buffer] = of_tiles ? placed.words / kTilesOfSpmem : placed.words;
  }
  return MostLiveWords(program, structure, counts, words)[kTile];
}

}  // namespace

std::span<const MetricInfo> Metrics() { return kMetrics; }

bool MeasureAnswer(const Program& program, const Answer& answer, std::span<double> values) {
  std::fill(values.begin(), values.end(), std::numeric_limits<double>::quiet_NaN());
  if (!Decides(answer)) return false;
  values[kRefused] = answer.status == Status::kPlanned ? 0 : 1;
  if (answer.status != Status::kPlanned || !answer.high_water[kTile]) return true;
  const uint64_t used = *answer.high_water[kTile];
  values[kUsed] = static_cast<double>(used);
  const uint64_t best = answer.placed.empty() ? 0 : BestOf(program, answer);
  if (best > 0) values[kWaste] = static_cast<double>(used) / static_cast<double>(best) - 1;
  return true;
}

std::optional<OverLimit> ExceedsLimit(const Program&, const Answer& answer, uint64_t limit) {
  OverLimit over;
  if (limit == kOwnLimit) {
    if (answer.status != Status::kOverBound && answer.status != Status::kOverHighWater) return std::nullopt;
    const std::string_view space = answer.overrun ? SparseCoreSpaceName(answer.overrun->space) : "sparse_core";
    over.identity = absl::StrCat("e3000:", std::string(space));
    over.text = Summary(answer);
    return over;
  }
  if (!answer.high_water[kTile]) return std::nullopt;
  const uint64_t used = SaturatingMul(*answer.high_water[kTile], kWordBytes);
  if (used <= limit) return std::nullopt;
  over.text = absl::StrCat("the program needs ", AmountOfBytes(used), " of a tile, ", AmountOfBytes(used - limit), " more than the limit of ",
                           AmountOfBytes(limit));
  return over;
}

}  // namespace oomph::sparsecore
