// See reduce.h.
#include "models/placement/reduce.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "models/base/family.h"
#include "models/base/rows.h"
#include "models/base/units.h"
#include "models/placement/decorate.h"
#include "models/placement/footprint.h"
#include "models/placement/promises.h"
#include "models/placement/reach.h"

namespace oomph::placement {
namespace {

using Amounts = std::span<const uint64_t>;
using List = std::unique_ptr<Edits> (*)(const Problem&);

// No list of pairs is longer.
constexpr size_t kMostPairs = 4096;

Bits64 FeaturesOfSimpler(Bits64 features) {
  const auto bit = [](feature::Index index) { return Bits64{1} << index; };
  if (features & bit(feature::kWindows)) features |= bit(feature::kGaps);
  if (features & bit(feature::kOddAlign)) features |= bit(feature::kAlign);
  return features | bit(feature::kMinimize);
}

// EditsOn, of which those that need what the base does not are none.
template <typename Make>
std::unique_ptr<Edits> SimplerOn(const Problem& base, std::vector<uint64_t> most, Make make) {
  const Bits64 allowed = FeaturesOfSimpler(FeaturesOf(base));
  return EditsOn(base, std::move(most), [make, allowed](const Problem& from, Amounts amounts, Problem& into) {
    return make(from, amounts, into) && (FeaturesOf(into) & ~allowed) == 0 && !(into == from);
  });
}

// Edits that are each a place in the problem and what to do there, by an amount.
template <typename Place>
struct Places {
  std::vector<Place> places;
  std::vector<uint64_t> most;
  void Add(Place place, uint64_t amount = 1) {
    if (amount > 0) places.push_back(std::move(place)), most.push_back(amount);
  }
};
template <typename Place, typename Change>
std::unique_ptr<Edits> AtPlaces(const Problem& base, Places<Place> list, Change change) {
  return SimplerOn(base, std::move(list.most),
                   [places = std::move(list.places), change](const Problem& from, Amounts amounts, Problem& into) {
                     into = from;
                     for (size_t i = 0; i < places.size(); ++i) {
                       if (amounts[i] > 0 && !change(places[i], amounts[i], into)) return false;
                     }
                     return true;
                   });
}

// Calls `change` with every time in the problem.
template <typename AnyProblem, typename Change>
void EachTime(AnyProblem& problem, Change change) {
  for (auto& buffer : problem.buffers) {
    change(buffer.start);
    change(buffer.end);
    for (auto& gap : buffer.gaps) {
      change(gap.lower);
      change(gap.upper);
    }
    for (auto& slice : buffer.slices) change(slice.start);
  }
}

// And with every number of bytes but alignments.
template <typename AnyProblem, typename Change>
void EachSize(AnyProblem& problem, Change change) {
  if (problem.capacity) change(*problem.capacity);
  for (auto& buffer : problem.buffers) {
    change(buffer.size);
    if (buffer.fixed) change(*buffer.fixed);
    if (buffer.hint) change(*buffer.hint);
    for (auto& gap : buffer.gaps) {
      change(gap.window_lower);
      change(gap.window_upper);
    }
    for (auto& slice : buffer.slices) change(slice.size);
  }
}

// ---- Buffers ----

// The order of all lists. Smallest first was measured, and ended at larger problems more often.
std::vector<size_t> LastFirst(const Problem& problem) {
  std::vector<size_t> order(problem.buffers.size());
  std::iota(order.rbegin(), order.rend(), size_t{0});
  return order;
}

// All but those whose edit is made.
bool CopyOthers(const Problem& from, const std::vector<size_t>& buffers, Amounts amounts, Problem& into) {
  std::vector<bool> gone(from.buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) gone[buffers[i]] = amounts[i] > 0;
  into.capacity = from.capacity;
  into.extra_columns = from.extra_columns;
  into.buffers.clear();
  for (size_t i = 0; i < gone.size(); ++i) {
    if (!gone[i]) into.buffers.push_back(from.buffers[i]);
  }
  return true;
}

std::unique_ptr<Edits> DropBuffers(const Problem& base) {
  return SimplerOn(base, std::vector<uint64_t>(base.buffers.size(), 1),
                   [order = LastFirst(base)](const Problem& from, Amounts amounts, Problem& into) {
                     return CopyOthers(from, order, amounts, into);
                   });
}

// What was live together with all the others took its room with it.
std::unique_ptr<Edits> DropWithCapacity(const Problem& base) {
  if (!base.capacity) return nullptr;
  std::vector<size_t> buffers;
  for (const size_t i : LastFirst(base)) {
    if (base.buffers[i].size > 0 && base.buffers[i].size <= *base.capacity) buffers.push_back(i);
  }
  std::vector<uint64_t> most(buffers.size(), 1);
  return SimplerOn(base, std::move(most), [buffers](const Problem& from, Amounts amounts, Problem& into) {
    CopyOthers(from, buffers, amounts, into);
    for (size_t i = 0; i < buffers.size(); ++i) {
      const uint64_t size = amounts[i] > 0 ? from.buffers[buffers[i]].size : 0;
      if (size > *into.capacity) return false;
      *into.capacity -= size;
    }
    return true;
  });
}

// Two as one: of one size, one beginning where the other ends; or live together all the time, one above the other.
bool Merge(Buffer& one, const Buffer& other) {
  const bool follows = one.end == other.start && one.size == other.size && Length(one.start, other.end) > 0;
  const bool beside = one.start == other.start && one.end == other.end;
  const auto sum = CheckedAdd(one.size, other.size);
  if (one.space != other.space || !(follows || (beside && sum))) return false;
  if (follows) {
    one.end = other.end;
  } else {
    one.size = *sum;
  }
  return true;
}

std::unique_ptr<Edits> MergeBuffers(const Problem& base) {
  struct Pair {
    size_t one, other;
  };
  std::vector<Pair> pairs;
  for (size_t i = base.buffers.size(); i-- > 0 && pairs.size() < kMostPairs;) {
    for (size_t j = base.buffers.size(); j-- > 0 && pairs.size() < kMostPairs;) {
      Buffer merged = base.buffers[i];
      if (i != j && Merge(merged, base.buffers[j])) pairs.push_back({i, j});
    }
  }
  std::vector<uint64_t> most(pairs.size(), 1);
  return SimplerOn(base, std::move(most), [pairs](const Problem& from, Amounts amounts, Problem& into) {
    std::vector<size_t> all(from.buffers.size());
    std::iota(all.begin(), all.end(), size_t{0});
    std::vector<uint64_t> gone(all.size());
    Problem merged = from;
    for (size_t i = 0; i < pairs.size(); ++i) {
      const auto [one, other] = pairs[i];
      if (amounts[i] == 0) continue;
      if (gone[one] || gone[other] || !Merge(merged.buffers[one], merged.buffers[other])) return false;
      gone[other] = 1;
    }
    return CopyOthers(merged, all, gone, into);
  });
}

// ---- Features ----

// What a buffer can do without.
enum class Feature : uint8_t { kExtra, kHint, kFixed, kGaps, kSlices, kGroup, kSpace, kAlignment };
constexpr Feature kFeaturesOfBuffers[] = {Feature::kExtra,  Feature::kHint,  Feature::kFixed, Feature::kGaps,
                                          Feature::kSlices, Feature::kGroup, Feature::kSpace, Feature::kAlignment};

bool Has(const Buffer& b, Feature feature) {
  switch (feature) {
    case Feature::kExtra: return !b.extra.empty();
    case Feature::kHint: return b.hint.has_value();
    case Feature::kFixed: return b.fixed.has_value();
    case Feature::kGaps: return !b.gaps.empty();
    case Feature::kSlices: return !b.slices.empty();
    case Feature::kGroup: return b.group != 0;
    case Feature::kSpace: return b.space != 0;
    case Feature::kAlignment: return b.alignment != 1;
  }
  return false;
}

void Drop(Feature feature, Buffer& b) {
  switch (feature) {
    case Feature::kExtra: b.extra.clear(); break;
    case Feature::kHint: b.hint.reset(); break;
    case Feature::kFixed: b.fixed.reset(); break;
    case Feature::kGaps: b.gaps.clear(); break;
    case Feature::kSlices: b.slices.clear(); break;
    case Feature::kGroup: b.group = 0; break;
    case Feature::kSpace: b.space = 0; break;
    case Feature::kAlignment: b.alignment = 1; break;
  }
}

// Of all buffers together; and the capacity.
std::unique_ptr<Edits> DropFeatures(const Problem& base) {
  Places<std::optional<Feature>> list;
  for (const Feature feature : kFeaturesOfBuffers) {
    bool any = feature == Feature::kExtra && !base.extra_columns.empty();
    for (const Buffer& b : base.buffers) any |= Has(b, feature);
    if (any) list.Add(feature);
  }
  if (base.capacity) list.Add(std::nullopt);
  return AtPlaces(base, std::move(list), [](const std::optional<Feature>& feature, uint64_t, Problem& into) {
    if (!feature) into.capacity.reset();
    if (feature == Feature::kExtra) into.extra_columns.clear();
    for (Buffer& b : into.buffers) {
      if (feature) Drop(*feature, b);
    }
    return true;
  });
}

std::unique_ptr<Edits> SimplifyBuffers(const Problem& base) {
  struct Place {
    size_t buffer;
    Feature feature;
  };
  Places<Place> list;
  for (const size_t i : LastFirst(base)) {
    for (const Feature feature : kFeaturesOfBuffers) {
      if (feature != Feature::kExtra && Has(base.buffers[i], feature)) list.Add({i, feature});
    }
  }
  return AtPlaces(base, std::move(list), [](const Place& place, uint64_t, Problem& into) {
    Drop(place.feature, into.buffers[place.buffer]);
    return true;
  });
}

// Single gaps, windows and slices; those of a buffer last first, so that places stay what they are.
std::unique_ptr<Edits> DropParts(const Problem& base) {
  enum class What : uint8_t { kGap, kWindow, kSlice };
  struct Place {
    size_t buffer, part;
    What what;
  };
  std::vector<Place> places;
  for (const size_t i : LastFirst(base)) {
    const Buffer& b = base.buffers[i];
    for (size_t g = b.gaps.size(); g-- > 0;) {
      if (b.gaps.size() > 1) places.push_back({i, g, What::kGap});
      if (b.gaps[g].window_lower != 0 || b.gaps[g].window_upper != 0) places.push_back({i, g, What::kWindow});
    }
    for (size_t s = b.slices.size(); s-- > 0;) {
      if (b.slices.size() > 1) places.push_back({i, s, What::kSlice});
    }
  }
  std::vector<uint64_t> most(places.size(), 1);
  return SimplerOn(base, std::move(most), [places](const Problem& from, Amounts amounts, Problem& into) {
    into = from;
    for (size_t i = 0; i < places.size(); ++i) {
      if (amounts[i] == 0 || places[i].what != What::kWindow) continue;
      Gap& gap = into.buffers[places[i].buffer].gaps[places[i].part];
      gap.window_lower = gap.window_upper = 0;
    }
    for (size_t i = 0; i < places.size(); ++i) {
      if (amounts[i] == 0) continue;
      Buffer& b = into.buffers[places[i].buffer];
      if (places[i].what == What::kGap) b.gaps.erase(b.gaps.begin() + places[i].part);
      if (places[i].what == What::kSlice) b.slices.erase(b.slices.begin() + places[i].part);
    }
    return true;
  });
}

// ---- Times ----

// Times in their order, from 0 on, without those at which nothing happens.
std::unique_ptr<Edits> RankTimes(const Problem& base) {
  std::vector<int64_t> times;
  EachTime(base, [&](int64_t time) { times.push_back(time); });
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  if (times.empty() || (times[0] == 0 && times.back() == static_cast<int64_t>(times.size() - 1))) return nullptr;
  return SimplerOn(base, {1}, [times](const Problem& from, Amounts, Problem& into) {
    into = from;
    EachTime(into, [&](int64_t& time) { time = std::lower_bound(times.begin(), times.end(), time) - times.begin(); });
    return true;
  });
}

// A later start or an earlier end.
std::unique_ptr<Edits> Shorten(const Problem& base) {
  struct Place {
    size_t buffer;
    bool at_start;
  };
  Places<Place> list;
  for (const size_t i : LastFirst(base)) {
    const uint64_t length = Length(base.buffers[i].start, base.buffers[i].end);
    if (length < 2) continue;
    list.Add({i, true}, length - 1);
    list.Add({i, false}, length - 1);
  }
  return AtPlaces(base, std::move(list), [](const Place& place, uint64_t by, Problem& into) {
    Buffer& b = into.buffers[place.buffer];
    const uint64_t length = Length(b.start, b.end);
    if (by >= length) return false;
    if (place.at_start) {
      b.start = Later(b.start, by);
    } else {
      b.end = Later(b.start, length - by);
    }
    return true;
  });
}

// ---- Bytes ----

// All numbers of bytes together, so that what fits goes on fitting: by what divides them all, by large and by small
// numbers.
std::unique_ptr<Edits> DivideSizes(const Problem& base) {
  uint64_t divisor = 0;
  EachSize(base, [&](uint64_t size) { divisor = std::gcd(divisor, size); });
  Places<uint64_t> list;
  if (divisor > 1) list.Add(divisor);
  for (const uint64_t factor : {1024, 64, 8, 2}) {
    if (factor != divisor) list.Add(factor);
  }
  return AtPlaces(base, std::move(list), [](uint64_t by, uint64_t, Problem& into) {
    EachSize(into, [&](uint64_t& size) { size = size == 0 ? 0 : std::max<uint64_t>(size / by, 1); });
    for (Buffer& b : into.buffers) b.alignment = b.alignment <= 1 ? b.alignment : CeilDiv(b.alignment, by);
    return true;
  });
}

// A size and the capacity by the same amount: a tight problem stays tight.
std::unique_ptr<Edits> LowerWithCapacity(const Problem& base) {
  if (!base.capacity) return nullptr;
  Places<size_t> list;
  for (const size_t i : LastFirst(base)) {
    const uint64_t size = base.buffers[i].size;
    if (size > 1) list.Add(i, std::min(size - 1, *base.capacity));
  }
  return AtPlaces(base, std::move(list), [](size_t buffer, uint64_t by, Problem& into) {
    if (by > *into.capacity) return false;
    *into.capacity -= by;
    into.buffers[buffer].size -= by;
    return true;
  });
}

enum class Number : uint8_t { kSize, kAlignment, kFixed, kHint, kSlice, kWindowLower, kWindowUpper, kCapacity };
struct NumberPlace {
  Number number;
  size_t buffer = 0, part = 0;
};

uint64_t& NumberAt(const NumberPlace& place, Problem& problem) {
  if (place.number == Number::kCapacity) return *problem.capacity;
  Buffer& b = problem.buffers[place.buffer];
  switch (place.number) {
    case Number::kFixed: return *b.fixed;
    case Number::kHint: return *b.hint;
    case Number::kAlignment: return b.alignment;
    case Number::kSlice: return b.slices[place.part].size;
    case Number::kWindowLower: return b.gaps[place.part].window_lower;
    case Number::kWindowUpper: return b.gaps[place.part].window_upper;
    default: return b.size;
  }
}

// Single numbers. A size goes to 0 only where the base has one of 0.
std::unique_ptr<Edits> LowerNumbers(const Problem& base) {
  const uint64_t floor = FeaturesOf(base) >> feature::kSizeZero & 1 ? 0 : 1;
  Places<NumberPlace> list;
  for (const size_t i : LastFirst(base)) {
    const Buffer& b = base.buffers[i];
    list.Add({Number::kSize, i}, SaturatingSub(b.size, floor));
    list.Add({Number::kAlignment, i}, SaturatingSub(b.alignment, 1));
    list.Add({Number::kFixed, i}, b.fixed.value_or(0));
    list.Add({Number::kHint, i}, b.hint.value_or(0));
    for (size_t s = 0; s < b.slices.size(); ++s) list.Add({Number::kSlice, i, s}, SaturatingSub(b.slices[s].size, 1));
    for (size_t g = 0; g < b.gaps.size(); ++g) {
      list.Add({Number::kWindowLower, i, g}, b.gaps[g].window_lower);
      list.Add({Number::kWindowUpper, i, g}, SaturatingSub(b.gaps[g].window_upper, 1));
    }
  }
  if (base.capacity) list.Add({Number::kCapacity}, *base.capacity);
  return AtPlaces(base, std::move(list), [](const NumberPlace& place, uint64_t by, Problem& into) {
    NumberAt(place, into) -= by;
    return true;
  });
}

// ---- The table ----

struct Row {
  ReductionInfo info;
  List list;
};
// Those that take buffers away are settled first.
constexpr Row kRows[] = {
    {{"drop_buffers", "buffer", "buffers go, the last first", false, true}, DropBuffers},
    {{"drop_features", "feature", "no buffer has a hint, gaps, an alignment, ..."}, DropFeatures},
    {{"rank_times", "time order", "times at which nothing happens go"}, RankTimes},
    {{"divide_sizes", "divisor", "all numbers of bytes are divided together", true}, DivideSizes},
    {{"merge_buffers", "neighbour", "one buffer in place of two"}, MergeBuffers},
    {{"drop_with_capacity", "buffer", "a buffer goes, and the memory is smaller by it", false, true}, DropWithCapacity},
    {{"simplify_buffers", "feature", "a buffer has no hint, group, alignment, ..."}, SimplifyBuffers},
    {{"drop_parts", "part", "a gap, window or slice goes"}, DropParts},
    {{"shorten", "end", "a buffer begins later or ends earlier"}, Shorten},
    {{"lower_with_capacity", "size", "a buffer and the memory are smaller by the same"}, LowerWithCapacity},
    {{"lower_numbers", "number", "numbers of bytes are smaller"}, LowerNumbers},
};

}  // namespace

std::span<const ReductionInfo> ProblemReductions() {
  static const auto infos = InfosOf(std::span<const Row>(kRows));
  return infos;
}

std::unique_ptr<Edits> ProblemEditsOf(size_t reduction, const Problem& base) { return kRows[reduction].list(base); }

Fingerprint FingerprintOfProblem(const Problem& problem) {
  Fingerprinter print;
  const auto add = [&](const std::optional<uint64_t>& number) {
    print.Add(uint64_t{number.has_value()});
    print.Add(number.value_or(0));
  };
  add(problem.capacity);
  print.Add(problem.extra_columns);
  print.Add(problem.buffers.size());
  for (const Buffer& b : problem.buffers) {
    print.Add(b.id);
    print.Add(b.extra);
    print.Add(b.alignment);
    print.Add(uint64_t{b.fixed.has_value()} << 1 | uint64_t{b.hint.has_value()});
    print.Add(uint64_t{b.space} << 32 | b.group);
    print.Add(b.gaps.size());
    print.Add(b.slices.size());
  }
  EachTime(problem, [&](int64_t time) { print.Add(static_cast<uint64_t>(time)); });
  EachSize(problem, [&](uint64_t size) { print.Add(size); });
  return print.Get();
}

}  // namespace oomph::placement
