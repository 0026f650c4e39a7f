// See reach.h. The names come from the tables of words, so there is no second list.
#include "models/vmem/reach.h"

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "models/base/reach_table.h"
#include "models/base/units.h"
#include "models/vmem/answer_text.h"
#include "models/vmem/compilable.h"
#include "models/vmem/promises.h"
#include "models/vmem/text.h"

namespace oomph::vmem {
namespace {

constexpr int kRanks = 6, kSizes = 32, kLevels = 3, kDistances = 9;
constexpr std::string_view kDistanceWords[kDistances] = {"far_below", "half",  "below", "one_below", "at",
                                                         "one_above", "above", "twice", "far_above"};
constexpr std::string_view kBoundWords[] = {"none", "at_most", "at_least", "exact"};

bool IsRare(int index) {
  using namespace feature;
  for (const int rare : {kOddLimit, kOptionZero, kInVmem, kFused, kCoreParallel, kDynamicGrid, kSmallArrays, kHeavyBody, kUncompiled,
                         kLarge}) {
    if (index == rare) return true;
  }
  return false;
}

struct Table : ReachTable {
  size_t feature, status, rank, size, level, distance, bound, part, type;

  Table() {
    feature = names.size();
    for (size_t i = 0; i < kFeatures.size(); ++i) Add("feature", kFeatures[i], !IsRare(static_cast<int>(i)));
    status = names.size();
    for (int i = 0; i < kStatuses; ++i) {
      const Status s = static_cast<Status>(i);
      const bool of_models = s == Status::kAccepted || s == Status::kOverLimit || s == Status::kOverCapacity;
      Add("status", StatusWord(s), of_models);
    }
    rank = AddNumbers("grid_rank", kRanks);
    size = AddNumbers("used_log2", kSizes);
    level = names.size();
    for (int i = 0; i < kLevels; ++i) Add("levels", absl::StrCat(i), i > 0);
    distance = names.size();
    for (const std::string_view word : kDistanceWords) Add("limit", word, word == "at" || word == "one_below");
    bound = names.size();
    for (const std::string_view word : kBoundWords) Add("bound", word, word == "exact");
    part = names.size();
    for (int i = 0; i <= static_cast<int>(Part::kStack); ++i) Add("part", PartWord(static_cast<Part>(i)), true);
    type = names.size();
    for (size_t i = 0; i < hlo::kTypes; ++i) Add("type", hlo::RowOf(static_cast<hlo::Type>(i)).name, false);
  }
};

const Table& TheTable() {
  static const Table table;
  return table;
}

// Where the limit is, seen from the need.
int DistanceOf(uint64_t used, int64_t limit) {
  const uint64_t l = static_cast<uint64_t>(std::max<int64_t>(limit, 0));
  if (limit >= 0 && l == used) return 4;
  if (SaturatingAdd(l, 1) == used) return 3;
  if (l == SaturatingAdd(used, 1)) return 5;
  if (l < used) return l < used / 4 ? 0 : l < used / 2 ? 1 : 2;
  return l / 4 > used ? 8 : l / 2 > used ? 7 : 6;
}

}  // namespace

std::span<const std::string_view> ReachNames() { return TheTable().names; }
Reach ExpectedReach() { return TheTable().expected; }

void Reached(const Kernel& kernel, const Answer& answer, Reach& reach) {
  const Table& table = TheTable();
  const Bits64 features = FeaturesOf(kernel);
  for (size_t i = 0; i < feature::kNumFeatures; ++i) {
    if (features >> i & 1) reach.set(table.feature + i);
  }
  reach.set(table.status + static_cast<size_t>(answer.status));
  reach.set(table.rank + std::min<size_t>(kernel.grid.size(), kRanks - 1));
  reach.set(table.bound + (size_t{answer.at_least} << 1 | size_t{answer.at_most}));
  if (answer.used) {
    reach.set(table.size + std::min<size_t>(std::bit_width(*answer.used), kSizes - 1));
    if (answer.limit) reach.set(table.distance + DistanceOf(*answer.used, *answer.limit));
  }
  for (const PartBytes& part : answer.parts) {
    reach.set(table.part + static_cast<size_t>(part.part));
    reach.set(table.level + std::min<uint64_t>(part.levels, kLevels - 1));
  }
  const auto types = [&](const auto& holders) {
    for (const auto& holder : holders) reach.set(table.type + static_cast<size_t>(holder.type));
  };
  types(kernel.inputs), types(kernel.outputs), types(kernel.scratch);
  for (const ScopedBuffer& scoped : kernel.scoped) reach.set(table.type + static_cast<size_t>(scoped.buffer.type));
}

}  // namespace oomph::vmem
