// See reach.h. The names come from the tables of words, so there is no second list.
#include "models/sparsecore/reach.h"

#include <algorithm>
#include <bit>
#include <string>

#include "absl/strings/str_cat.h"
#include "models/base/reach_table.h"
#include "models/base/units.h"
#include "models/sparsecore/promises.h"
#include "models/sparsecore/structure.h"
#include "models/sparsecore/text.h"

namespace oomph::sparsecore {
namespace {

constexpr int kDepths = 7, kSizes = 24, kCounts = 6;
constexpr std::string_view kDistanceWords[] = {"far_below", "below", "one_below", "at", "one_above", "above", "far_above"};
enum Planned { kShared, kMoved, kImplicit, kPlannedWords };
constexpr std::string_view kPlannedNames[kPlannedWords] = {"shared", "moved", "implicit"};

bool IsRare(int index) {
  using namespace feature;
  for (const int rare : {kOtherTypes, kFourBits, kPred, kUnmoved, kSharedInTile, kOtherCore, kPlaces, kOdd, kEmpty, kLarge, kTiles}) {
    if (index == rare) return true;
  }
  return false;
}

struct Table : ReachTable {
  size_t feature, status, full, distance, depth, size, count, planned;

  Table() {
    feature = names.size();
    for (size_t i = 0; i < kFeatures.size(); ++i) Add("feature", kFeatures[i], !IsRare(static_cast<int>(i)));
    status = names.size();
    for (int i = 0; i < kStatuses; ++i) {
      const Status s = static_cast<Status>(i);
      Add("status", StatusWord(i), s == Status::kPlanned || s == Status::kOverBound);
    }
    full = names.size();
    for (size_t i = 0; i < kSparseCoreSpaces; ++i) {
      const Space s = static_cast<Space>(i);
      Add("full", SparseCoreSpaceName(s), s == Space::kSpmem || s == Space::kTileSpmem);
    }
    distance = names.size();
    for (const std::string_view word : kDistanceWords) Add("limit", word, word == "at");
    depth = AddNumbers("depth", kDepths);
    size = AddNumbers("tile_log2", kSizes);
    count = AddNumbers("buffers_log2", kCounts);
    planned = names.size();
    for (const std::string_view word : kPlannedNames) Add("planned", word, true);
  }
};

const Table& TheTable() {
  static const Table table;
  return table;
}

// Where the end of what is planned is, seen from the last word.
size_t DistanceOf(uint64_t bound, uint64_t last) {
  if (bound == last) return 3;
  if (bound < last) return last - bound == 1 ? 2 : bound < last / 2 ? 0 : 1;
  return bound - last == 1 ? 4 : bound / 2 > last ? 6 : 5;
}

void ReachedPlan(const Program& program, const Answer& answer, const Table& table, Reach& reach) {
  uint32_t before = 0;
  for (const Placed& placed : answer.placed) {
    if (placed.buffer == kNoBuffer) reach.set(table.planned + kImplicit);
    if (placed.statement < program.statements.size() && program.statements[placed.statement].kind != Kind::kScratch) {
      if (placed.statement < before) reach.set(table.planned + kMoved);
      before = placed.statement;
    }
  }
  // Of the same first word, in one memory.
  std::vector<std::pair<size_t, uint64_t>> bases;
  for (const Placed& placed : answer.placed) bases.push_back({static_cast<size_t>(placed.space), placed.base});
  std::sort(bases.begin(), bases.end());
  if (std::adjacent_find(bases.begin(), bases.end()) != bases.end()) reach.set(table.planned + kShared);
}

}  // namespace

std::span<const std::string_view> ReachNames() { return TheTable().names; }
Reach ExpectedReach() { return TheTable().expected; }

void Reached(const Program& program, const Answer& answer, Reach& reach) {
  const Table& table = TheTable();
  const Bits64 features = FeaturesOf(program);
  for (size_t i = 0; i < feature::kNumFeatures; ++i) {
    if (features >> i & 1) reach.set(table.feature + i);
  }
  reach.set(table.status + static_cast<size_t>(answer.status));
  int depth = 0, deepest = 0;
  for (const Statement& statement : program.statements) {
    if (Opens(statement.kind)) deepest = std::max(deepest, ++depth);
    if (statement.kind == Kind::kEnd) depth = std::max(depth - 1, 0);
  }
  reach.set(table.depth + static_cast<size_t>(std::min(deepest, kDepths - 1)));
  reach.set(table.count + static_cast<size_t>(std::min<int>(std::bit_width(program.buffers.size()), kCounts - 1)));
  if (answer.overrun) {
    reach.set(table.full + static_cast<size_t>(answer.overrun->space));
    reach.set(table.distance + DistanceOf(answer.overrun->bound, answer.overrun->limit));
  }
  if (const auto& high = answer.high_water[static_cast<size_t>(Space::kTileSpmem)]; high && *high > 0) {
    reach.set(table.size + static_cast<size_t>(std::min<int>(std::bit_width(*high), kSizes - 1)));
    reach.set(table.distance + DistanceOf(*high - 1, LimitOf(program.target, Space::kTileSpmem).last_word));
  }
  ReachedPlan(program, answer, table, reach);
}

}  // namespace oomph::sparsecore
