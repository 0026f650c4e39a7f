// See bounds.h.
//
// Why the rule kAlignment holds. Let S be buffers of one space that are all in use at a time t, no two of one group;
// bytes(b) what b has in use then, top(b) where that ends, both counted from its offset. What they use is disjoint.
//   - Any S: the topmost byte in use belongs to some b, at or above the sum of all bytes(.). The peak counts b up to its
//     size, so it is at least the sum plus size(b) - top(b), whichever b that is: take the least.
//   - If each uses all bytes from its offset up (bytes = top) and all alignments are multiples of g: in the order of
//     their offsets, the next offset is a multiple of g at or above the end of the one before, so each but the
//     topmost takes bytes(.) rounded up to g. The topmost b adds its size: again the least over all b.
//   - One buffer alone: its offset is at least 0.
#include "models/placement/bounds.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "models/base/units.h"
#include "models/placement/footprint.h"

namespace oomph::placement {
namespace {

using Wide = unsigned __int128;

// Alignments whose waste is looked at, the most frequent first: a bound may be missed, not wrong.
constexpr size_t kMaxGranules = 8;

uint64_t Saturated(Wide value) { return value > kMaxBytes ? kMaxBytes : static_cast<uint64_t>(value); }

// What a buffer has in use in [start, end).
struct Column {
  int64_t start = 0, end = 0;
  uint64_t bytes = 0, top = 0;
  size_t buffer = 0;
  bool stands() const { return bytes == top; }  // from its offset up, without a hole
};

// Adds the columns of a buffer, by time.
void AddColumns(const Problem& problem, size_t index, std::vector<Column>& into) {
  std::vector<Rectangle> rectangles;
  Footprint(problem.buffers[index], rectangles);
  if (rectangles.size() == 1) {
    const Rectangle& r = rectangles.front();
    into.push_back({r.start, r.end, r.upper - r.lower, r.upper, index});
    return;
  }
  std::map<int64_t, std::vector<std::pair<bool, const Rectangle*>>> edges;
  for (const Rectangle& r : rectangles) {
    edges[r.start].emplace_back(true, &r);
    edges[r.end].emplace_back(false, &r);
  }
  std::multiset<uint64_t> tops;
  uint64_t bytes = 0;
  for (auto edge = edges.begin(); edge != edges.end(); ++edge) {
    for (const auto& [begins, r] : edge->second) {
      bytes += begins ? r->upper - r->lower : r->lower - r->upper;
      if (begins) tops.insert(r->upper);
      if (!begins) tops.erase(tops.find(r->upper));
    }
    if (tops.empty()) continue;
    into.push_back({edge->first, std::next(edge)->first, bytes, *tops.rbegin(), index});
  }
}

// For any buffers, see above.
constexpr uint64_t kAny = 0;

// What a column takes where all offsets are multiples of `granule`; 0: the rule does not speak of it.
Wide Weight(const Problem& problem, const Column& column, uint64_t granule) {
  if (granule == kAny) return column.bytes;
  if (!column.stands() || AlignmentOf(problem.buffers[column.buffer]) % granule != 0) return 0;
  return (Wide{column.bytes} + granule - 1) / granule * granule;
}

// The columns of one space, and what happens to them in the order of time.
struct Space {
  std::vector<Column> columns;
  struct Event {
    int64_t time = 0;
    uint32_t column = 0;
    bool begins = false;
    // Ends first: live ranges are half-open.
    bool operator<(const Event& o) const { return time != o.time ? time < o.time : begins < o.begins; }
  };
  std::vector<Event> events;
};

Space MakeSpace(const Problem& problem, const std::vector<size_t>& buffers) {
  Space space;
  for (const size_t index : buffers) AddColumns(problem, index, space.columns);
  space.events.reserve(2 * space.columns.size());
  for (size_t i = 0; i < space.columns.size(); ++i) {
    space.events.push_back({space.columns[i].start, static_cast<uint32_t>(i), true});
    space.events.push_back({space.columns[i].end, static_cast<uint32_t>(i), false});
  }
  std::sort(space.events.begin(), space.events.end());
  return space;
}

// The time at which the weights that are live add up to most; of a group only the largest counts.
int64_t HeaviestTime(const Problem& problem, const Space& space, uint64_t granule) {
  absl::flat_hash_map<uint32_t, std::multiset<Wide>> groups;
  Wide sum = 0, most = 0;
  int64_t time = 0;
  for (const Space::Event& event : space.events) {
    const Column& column = space.columns[event.column];
    const Wide weight = Weight(problem, column, granule);
    if (weight == 0) continue;
    const uint32_t group = problem.buffers[column.buffer].group;
    if (group == 0) {
      sum = event.begins ? sum + weight : sum - weight;
    } else {
      std::multiset<Wide>& members = groups[group];
      const Wide before = members.empty() ? 0 : *members.rbegin();
      if (event.begins) members.insert(weight);
      if (!event.begins) members.erase(members.find(weight));
      sum = sum - before + (members.empty() ? 0 : *members.rbegin());
    }
    if (event.begins && sum > most) {
      most = sum;
      time = event.time;
    }
  }
  return time;
}

// The columns that are live at `time` and have a weight, of a group the heaviest.
std::vector<Column> LiveAt(const Problem& problem, const Space& space, uint64_t granule, int64_t time) {
  std::vector<Column> live;
  absl::flat_hash_map<uint32_t, size_t> groups;
  for (const Column& column : space.columns) {
    if (column.start > time || column.end <= time || Weight(problem, column, granule) == 0) continue;
    const uint32_t group = problem.buffers[column.buffer].group;
    const size_t at = group == 0 ? live.size() : groups.emplace(group, live.size()).first->second;
    if (at == live.size()) {
      live.push_back(column);
    } else if (Weight(problem, live[at], granule) < Weight(problem, column, granule)) {
      live[at] = column;
    }
  }
  return live;
}

Wide SumOf(const std::vector<Column>& live) {
  Wide sum = 0;
  for (const Column& column : live) sum += column.bytes;
  return sum;
}

// The rule kAlignment, by whichever of its sentences says most.
Wide StackedPeak(const Problem& problem, const std::vector<Column>& live) {
  if (live.empty()) return 0;
  if (live.size() == 1) return problem.buffers[live.front().buffer].size;
  uint64_t granule = 0;
  bool all_stand = true;
  for (const Column& column : live) {
    granule = std::gcd(granule, AlignmentOf(problem.buffers[column.buffer]));
    all_stand = all_stand && column.stands();
  }
  Wide best = 0;
  for (const uint64_t g : {kAny, all_stand ? granule : kAny}) {
    Wide sum = 0;
    for (const Column& column : live) sum += Weight(problem, column, g);
    Wide peak = ~Wide{0};
    for (const Column& column : live) {
      const uint64_t size = problem.buffers[column.buffer].size;
      peak = std::min(peak, g == kAny ? sum + (size - column.top) : sum - Weight(problem, column, g) + size);
    }
    best = std::max(best, peak);
  }
  return best;
}

Certificate Name(Certificate::Rule rule, Wide peak, int64_t time, uint32_t space, const std::vector<Column>& live) {
  Certificate named = {rule, Saturated(peak), time, space, {}};
  if (peak == 0) return {};
  for (const Column& column : live) named.buffers.push_back(column.buffer);
  std::sort(named.buffers.begin(), named.buffers.end());
  return named;
}

Certificate LiveBytes(const Problem& problem, uint32_t number, const Space& space) {
  const int64_t time = HeaviestTime(problem, space, kAny);
  const std::vector<Column> live = LiveAt(problem, space, kAny, time);
  return Name(Certificate::Rule::kLiveBytes, SumOf(live), time, number, live);
}

// Keeps the higher of two; the first of equals.
void KeepHigher(Certificate& best, Certificate other) {
  if (other.peak > best.peak) best = std::move(other);
}

// Any, then the most frequent alignments of those that occupy something; the choice does not depend on the unit in
// which bytes are counted.
std::vector<uint64_t> Granules(const Problem& problem, const std::vector<size_t>& buffers) {
  absl::flat_hash_map<uint64_t, size_t> count;
  for (const size_t index : buffers) {
    if (!OccupiesNothing(problem.buffers[index])) ++count[AlignmentOf(problem.buffers[index])];
  }
  std::vector<uint64_t> granules = {kAny};
  std::vector<std::pair<size_t, uint64_t>> by_count;
  for (const auto& [alignment, times] : count) by_count.emplace_back(times, alignment);
  std::sort(by_count.rbegin(), by_count.rend());
  if (by_count.size() > kMaxGranules) by_count.resize(kMaxGranules);
  for (const auto& [times, alignment] : by_count) granules.push_back(alignment);
  return granules;
}

// Where a fixed offset reaches, and the largest size.
Certificate Alone(const Problem& problem, const std::vector<size_t>& buffers, uint32_t space) {
  Certificate best;
  absl::flat_hash_map<uint32_t, size_t> fixed;  // by group
  for (const size_t i : buffers) {
    const Buffer& buffer = problem.buffers[i];
    if (buffer.fixed && buffer.group != 0) fixed.emplace(buffer.group, i);
  }
  for (const size_t i : buffers) {
    const Buffer& buffer = problem.buffers[i];
    if (OccupiesNothing(buffer)) continue;
    if (buffer.size > best.peak) best = {Certificate::Rule::kAlignment, buffer.size, buffer.start, space, {i}};
    size_t by = i;
    if (!buffer.fixed && buffer.group != 0) {
      const auto found = fixed.find(buffer.group);
      if (found != fixed.end()) by = found->second;
    }
    if (!problem.buffers[by].fixed) continue;
    const uint64_t peak = SaturatingAdd(*problem.buffers[by].fixed, buffer.size);
    if (peak <= best.peak) continue;
    best = {Certificate::Rule::kFixed, peak, buffer.start, space, {std::min(i, by)}};
    if (by != i) best.buffers.push_back(std::max(i, by));
  }
  return best;
}

std::map<uint32_t, std::vector<size_t>> BySpace(const Problem& problem) {
  std::map<uint32_t, std::vector<size_t>> spaces;
  for (size_t i = 0; i < problem.buffers.size(); ++i) spaces[problem.buffers[i].space].push_back(i);
  return spaces;
}

}  // namespace

Certificate LiveBytesBound(const Problem& problem) {
  Certificate best;
  for (const auto& [number, buffers] : BySpace(problem)) {
    KeepHigher(best, LiveBytes(problem, number, MakeSpace(problem, buffers)));
  }
  return best;
}

std::vector<Certificate> LowerBounds(const Problem& problem) {
  std::vector<Certificate> bounds;
  for (const auto& [number, buffers] : BySpace(problem)) {
    const Space space = MakeSpace(problem, buffers);
    Certificate best = LiveBytes(problem, number, space);
    const bool all_stand =
        std::all_of(space.columns.begin(), space.columns.end(), [](const Column& column) { return column.stands(); });
    for (const uint64_t granule : Granules(problem, buffers)) {
      if (granule == 1 && all_stand) continue;  // the same as any
      const int64_t time = HeaviestTime(problem, space, granule);
      const std::vector<Column> live = LiveAt(problem, space, granule, time);
      KeepHigher(best, Name(Certificate::Rule::kAlignment, StackedPeak(problem, live), time, number, live));
    }
    KeepHigher(best, Alone(problem, buffers, number));
    best.space = number;
    bounds.push_back(std::move(best));
  }
  return bounds;
}

Certificate LowerBound(const Problem& problem) {
  Certificate best;
  for (Certificate& bound : LowerBounds(problem)) KeepHigher(best, std::move(bound));
  return best;
}

namespace {

// What of the named buffers is in use at the time; false: one is not.
bool LiveAsNamed(const Problem& problem, const Certificate& certificate, std::vector<Column>& live) {
  for (const size_t index : certificate.buffers) {
    std::vector<Column> columns;
    AddColumns(problem, index, columns);
    const size_t before = live.size();
    for (const Column& column : columns) {
      if (column.start <= certificate.time && certificate.time < column.end) live.push_back(column);
    }
    if (live.size() != before + 1) return false;
  }
  return true;
}

bool ProvesFixed(const Problem& problem, const Certificate& certificate) {
  for (const size_t by : certificate.buffers) {
    for (const size_t i : certificate.buffers) {
      const Buffer &fixed = problem.buffers[by], &reaching = problem.buffers[i];
      const bool one_offset = by == i || (fixed.group != 0 && fixed.group == reaching.group);
      if (!one_offset || !fixed.fixed || OccupiesNothing(reaching)) continue;
      if (SaturatingAdd(*fixed.fixed, reaching.size) >= certificate.peak) return true;
    }
  }
  return false;
}

bool ProvesLive(const Problem& problem, const Certificate& certificate, std::string* why) {
  std::set<uint32_t> groups;
  for (const size_t i : certificate.buffers) {
    const uint32_t group = problem.buffers[i].group;
    if (group != 0 && !groups.insert(group).second) {
      *why = absl::StrCat("two buffers of group ", group);
      return false;
    }
  }
  std::vector<Column> live;
  if (certificate.buffers.size() == 1 && certificate.rule == Certificate::Rule::kAlignment) {
    const Buffer& buffer = problem.buffers[certificate.buffers.front()];
    if (!OccupiesNothing(buffer) && buffer.size >= certificate.peak) return true;
    *why = "the buffer is smaller";
    return false;
  }
  if (!LiveAsNamed(problem, certificate, live)) {
    *why = absl::StrCat("not all of them are in use at ", certificate.time);
    return false;
  }
  const Wide proved =
      certificate.rule == Certificate::Rule::kLiveBytes ? SumOf(live) : StackedPeak(problem, live);
  if (proved >= certificate.peak) return true;
  *why = absl::StrCat("they need only ", static_cast<uint64_t>(proved));
  return false;
}

}  // namespace

bool Check(const Problem& problem, const Certificate& certificate, std::string* why) {
  for (size_t i = 0; i < certificate.buffers.size(); ++i) {
    const size_t index = certificate.buffers[i];
    if (index >= problem.buffers.size() || (i > 0 && certificate.buffers[i - 1] >= index)) {
      *why = "its buffers are not those of the problem in their order";
      return false;
    }
    if (problem.buffers[index].space != certificate.space) {
      *why = absl::StrCat("buffer ", index, " is in another space");
      return false;
    }
  }
  switch (certificate.rule) {
    case Certificate::Rule::kNothing:
      if (certificate.peak == 0) return true;
      *why = "nothing needs no memory";
      return false;
    case Certificate::Rule::kLiveBytes:
    case Certificate::Rule::kAlignment:
      return ProvesLive(problem, certificate, why);
    case Certificate::Rule::kFixed:
      if (ProvesFixed(problem, certificate)) return true;
      *why = "no fixed offset reaches there";
      return false;
  }
  *why = "no such rule";
  return false;
}

}  // namespace oomph::placement
