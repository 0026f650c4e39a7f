// See search.h; why it is complete stands in exact.h.
#include "models/placement/search.h"

#include <algorithm>
#include <array>

#include "models/base/units.h"
#include "models/placement/exact.h"

namespace oomph::placement {
namespace {

using Int = __int128;

bool Meet(const Rectangle& a, const Rectangle& b) { return a.start < b.end && b.start < a.end; }

// The units of a space that occupy something: the free ones by rank, then the fixed ones.
struct Members {
  std::vector<uint32_t> units;
  size_t free = 0;
};

Members MembersOf(const Units& units, std::span<const uint32_t> own) {
  Members members;
  std::vector<uint32_t> fixed;
  for (const uint32_t i : own) {
    const Unit& unit = units.list[i];
    if (unit.height > 0) (unit.is_fixed ? fixed : members.units).push_back(i);
  }
  members.free = members.units.size();
  std::sort(members.units.begin(), members.units.end(), [&](uint32_t a, uint32_t b) {
    const Unit &x = units.list[a], &y = units.list[b];
    if (x.size != y.size) return x.size > y.size;
    return x.stretch != y.stretch ? x.stretch > y.stretch : a < b;
  });
  members.units.insert(members.units.end(), fixed.begin(), fixed.end());
  return members;
}

// Where a column of a unit begins, ends and is broken is decided at the ends of its rectangles.
bool StandsOnItsBottom(std::span<const Rectangle> rectangles) {
  if (rectangles.size() == 1) return rectangles[0].lower == 0;
  std::vector<std::pair<uint64_t, uint64_t>> column;
  for (const Rectangle& when : rectangles) {
    for (const int64_t time : {when.start, when.end}) {
      column.clear();
      for (const Rectangle& r : rectangles) {
        if (r.start <= time && time < r.end) column.emplace_back(r.lower, r.upper);
      }
      std::sort(column.begin(), column.end());
      uint64_t top = 0;
      for (const auto& [lower, upper] : column) {
        if (lower > top) return false;
        top = std::max(top, upper);
      }
    }
  }
  return true;
}

// Search 1: by rising offsets. Units are called by rank.
class ByOffset {
 public:
  ByOffset(const Units& units, const Members& members, Nodes& nodes, SpaceSearch& known, std::vector<uint64_t>& found,
           uint64_t limit)
      : units_(units),
        members_(members),
        nodes_(nodes),
        known_(known),
        found_(found),
        limit_(limit),
        count_(members.free) {
    MakeDistances();
    MakeTimes();
    for (size_t r = 0; r < count_; ++r) {
      // A fixed unit may be of any shape: its rectangles block one by one.
      for (size_t f = count_; f < members_.units.size(); ++f) AddFixed(r, f);
    }
  }

  void Run() {
    std::array<uint64_t, kMaxSearched> lowest = {};
    for (size_t r = 0; r < count_; ++r) {
      if (!NextFree(r, 0, lowest[r])) return;
    }
    Descend(0, 0, lowest);
  }

 private:
  struct Choice {
    uint64_t offset = 0;
    size_t rank = 0;
    bool operator<(const Choice& o) const { return offset != o.offset ? offset < o.offset : rank < o.rank; }
  };
  struct Blocked {
    uint64_t from = 0, to = 0;  // offsets [from, to)
  };

  const Unit& UnitOf(size_t rank) const { return units_.list[members_.units[rank]]; }
  std::span<const Rectangle> RectanglesOf(size_t rank) const { return units_.RectanglesOf(UnitOf(rank)); }

  // above_[a][b]: how far above b's offset a's must at least be, if it is above. They stand on their bottoms, so
  // that is b's tallest column while a is in use. 0: they never meet.
  void MakeDistances() {
    above_.assign(count_ * count_, 0);
    twins_.assign(count_, 0);
    for (size_t a = 0; a < count_; ++a) {
      for (size_t b = 0; b < count_; ++b) {
        if (a == b) continue;
        for (const Rectangle& r : RectanglesOf(a)) {
          for (const Rectangle& s : RectanglesOf(b)) {
            if (Meet(r, s)) above_[a * count_ + b] = std::max(above_[a * count_ + b], s.upper);
          }
        }
        if (b < a && Alike(a, b)) twins_[a] |= uint64_t{1} << b;
      }
    }
  }

  bool Alike(size_t a, size_t b) const {
    const Unit &x = UnitOf(a), &y = UnitOf(b);
    const auto rs = RectanglesOf(a), ss = RectanglesOf(b);
    return x.alignment == y.alignment && x.height == y.height &&
           std::equal(rs.begin(), rs.end(), ss.begin(), ss.end(), [](const Rectangle& r, const Rectangle& s) {
             return r.start == s.start && r.end == s.end && r.lower == s.lower && r.upper == s.upper;
           });
  }

  // The times at which something begins; what each unit has in use then.
  void MakeTimes() {
    for (size_t m = 0; m < members_.units.size(); ++m) {
      for (const Rectangle& r : RectanglesOf(m)) times_.push_back(r.start);
    }
    std::sort(times_.begin(), times_.end());
    times_.erase(std::unique(times_.begin(), times_.end()), times_.end());
    columns_.assign(times_.size() * count_, 0);
    for (size_t t = 0; t < times_.size(); ++t) {
      for (size_t m = 0; m < members_.units.size(); ++m) {
        for (const Rectangle& r : RectanglesOf(m)) {
          if (r.start > times_[t] || times_[t] >= r.end) continue;
          if (m < count_) {
            columns_[t * count_ + m] = std::max(columns_[t * count_ + m], r.upper);
          } else {
            fixed_columns_.push_back({t, m, UnitOf(m).fixed + r.lower, UnitOf(m).fixed + r.upper});
          }
        }
      }
    }
  }

  void AddFixed(size_t rank, size_t fixed) {
    const uint64_t at = UnitOf(fixed).fixed;
    for (const Rectangle& r : RectanglesOf(rank)) {
      for (const Rectangle& s : RectanglesOf(fixed)) {
        const uint64_t lower = at + s.lower, upper = at + s.upper;
        if (!Meet(r, s) || upper <= r.lower) continue;
        if (obstacles_.size() <= rank) obstacles_.resize(rank + 1);
        obstacles_[rank].push_back({lower < r.upper ? 0 : lower - r.upper + 1, upper - r.lower});
      }
    }
  }

  // The lowest offset at or above `from` at which the unit meets nothing that is placed; false: there is none.
  bool NextFree(size_t rank, uint64_t from, uint64_t& offset) const {
    const Unit& unit = UnitOf(rank);
    if (!AlignUp(from, unit.alignment, offset)) return false;
    for (bool moved = true; moved;) {
      moved = false;
      const auto past = [&](uint64_t to) {
        moved = true;
        return AlignUp(to, unit.alignment, offset);
      };
      for (uint64_t left = placed_; left != 0; left &= left - 1) {
        const auto v = static_cast<size_t>(__builtin_ctzll(left));
        const uint64_t over = above_[rank * count_ + v], under = above_[v * count_ + rank];
        if (over == 0) continue;
        const bool meets = offset >= offsets_[v] ? offset - offsets_[v] < over : offsets_[v] - offset < under;
        if (meets && !past(offsets_[v] + over)) return false;
      }
      if (rank >= obstacles_.size()) continue;
      for (const Blocked& blocked : obstacles_[rank]) {
        if (blocked.from <= offset && offset < blocked.to && !past(blocked.to)) return false;
      }
    }
    return offset <= kMaxBytes - unit.height;
  }

  bool IsHopeless(uint64_t level, const std::array<uint64_t, kMaxSearched>& lowest) const {
    if (level > limit_) return true;
    const uint64_t all = count_ == 64 ? ~uint64_t{0} : (uint64_t{1} << count_) - 1;
    for (uint64_t left = all & ~placed_; left != 0; left &= left - 1) {
      const auto r = static_cast<size_t>(__builtin_ctzll(left));
      uint64_t offset = lowest[r];
      if (offset < level && !NextFree(r, level, offset)) return true;
      const uint64_t height = UnitOf(r).height;
      if (height > limit_ || offset > limit_ - height) return true;
    }
    const uint64_t room = limit_ - level;
    size_t fixed = 0;
    for (size_t t = 0; t < times_.size(); ++t) {
      uint64_t needed = 0;
      for (size_t r = 0; r < count_; ++r) {
        uint64_t column = columns_[t * count_ + r];
        if (column == 0) continue;
        if (placed_ >> r & 1) {
          const uint64_t top = offsets_[r] + column;
          column = top > level ? top - level : 0;
        }
        if (__builtin_add_overflow(needed, column, &needed) || needed > room) return true;
      }
      while (fixed < fixed_columns_.size() && fixed_columns_[fixed].time == t) {
        uint64_t most = 0;
        const size_t unit = fixed_columns_[fixed].unit;
        for (; fixed < fixed_columns_.size() && fixed_columns_[fixed].time == t && fixed_columns_[fixed].unit == unit;
             ++fixed) {
          const FixedColumn& c = fixed_columns_[fixed];
          const uint64_t bottom = std::max(level, c.lower);
          if (c.upper > bottom) most = std::max(most, c.upper - bottom);
        }
        if (__builtin_add_overflow(needed, most, &needed) || needed > room) return true;
      }
    }
    return false;
  }

  size_t MakeChoices(uint64_t level, size_t last, const std::array<uint64_t, kMaxSearched>& lowest,
                     std::array<Choice, kMaxSearched>& choices) const {
    uint64_t roof = kMaxBytes;
    for (size_t r = 0; r < count_; ++r) {
      if (!(placed_ >> r & 1)) roof = std::min(roof, lowest[r] + UnitOf(r).height);
    }
    size_t n = 0;
    for (size_t r = 0; r < count_; ++r) {
      if ((placed_ >> r & 1) || lowest[r] >= roof) continue;
      if (placed_ != 0 && (lowest[r] < level || (lowest[r] == level && r < last))) continue;
      if ((twins_[r] & ~placed_) != 0) continue;
      choices[n++] = {lowest[r], r};
    }
    std::sort(choices.begin(), choices.begin() + static_cast<ptrdiff_t>(n));
    return n;
  }

  void Keep() {
    known_.placed = true;
    known_.peak = 0;
    for (size_t m = 0; m < members_.units.size(); ++m) {
      const uint64_t offset = m < count_ ? offsets_[m] : UnitOf(m).fixed;
      found_[members_.units[m]] = offset;
      known_.peak = std::max(known_.peak, offset + UnitOf(m).height);
    }
    limit_ = known_.peak - (known_.peak > 0);
  }

  // `level` and `last`: the offset and the rank of what was placed last. lowest[r]: the lowest free offset of each
  // that is not placed.
  void Descend(uint64_t level, size_t last, const std::array<uint64_t, kMaxSearched>& lowest) {
    if (static_cast<size_t>(__builtin_popcountll(placed_)) == count_) {
      Keep();
      return;
    }
    if (IsHopeless(level, lowest)) return;
    std::array<Choice, kMaxSearched> choices;
    const size_t n = MakeChoices(level, last, lowest, choices);
    std::array<uint64_t, kMaxSearched> next;
    for (size_t c = 0; c < n; ++c) {
      if (nodes_.spent || known_.IsLeast()) return;
      const auto [offset, rank] = choices[c];
      const uint64_t height = UnitOf(rank).height;
      if (height > limit_ || offset > limit_ - height) continue;
      if (!nodes_.Spend()) return;
      placed_ |= uint64_t{1} << rank;
      offsets_[rank] = offset;
      bool all_have_room = true;
      for (size_t r = 0; r < count_ && all_have_room; ++r) {
        if (placed_ >> r & 1) continue;
        next[r] = lowest[r];
        if (above_[r * count_ + rank] != 0) all_have_room = NextFree(r, lowest[r], next[r]);
      }
      if (all_have_room) Descend(offset, rank, next);
      placed_ &= ~(uint64_t{1} << rank);
    }
  }

  struct FixedColumn {
    size_t time = 0, unit = 0;
    uint64_t lower = 0, upper = 0;
  };

  const Units& units_;
  const Members& members_;
  Nodes& nodes_;
  SpaceSearch& known_;
  std::vector<uint64_t>& found_;  // the best so far, of all units
  uint64_t limit_;
  const size_t count_;
  std::vector<uint64_t> above_, twins_;
  std::vector<int64_t> times_;
  std::vector<uint64_t> columns_;  // by time, then rank
  std::vector<FixedColumn> fixed_columns_;
  std::vector<std::vector<Blocked>> obstacles_;
  uint64_t placed_ = 0;  // a bit for each rank
  std::array<uint64_t, kMaxSearched> offsets_ = {};
};

// Search 2: by constraints. Units are called by their place in the space, in the order of the problem.
class ByConstraint {
 public:
  ByConstraint(const Units& units, std::span<const uint32_t> own, Nodes& nodes, SpaceSearch& known,
               std::vector<uint64_t>& found, uint64_t limit)
      : units_(units), nodes_(nodes), known_(known), found_(found), limit_(limit), members_(own.begin(), own.end()) {
    offsets_.resize(members_.size());
    for (size_t a = 0; a < members_.size(); ++a) {
      for (size_t b = a + 1; b < members_.size(); ++b) {
        for (const Rectangle& r : units.RectanglesOf(UnitOf(a))) {
          for (const Rectangle& s : units.RectanglesOf(UnitOf(b))) {
            if (Meet(r, s)) pairs_.push_back({a, b, r.lower, r.upper, s.lower, s.upper});
          }
        }
      }
    }
  }

  void Run() {
    if (constraints_.size() > kMaxConstraints) nodes_.spent = true;
    if (nodes_.spent || !Raise()) return;
    const auto meets = [&](const Pair& p) {
      return Int{offsets_[p.a]} + p.a_upper > Int{offsets_[p.b]} + p.b_lower &&
             Int{offsets_[p.b]} + p.b_upper > Int{offsets_[p.a]} + p.a_lower;
    };
    const auto pair = std::find_if(pairs_.begin(), pairs_.end(), meets);
    if (pair == pairs_.end()) {
      Keep();
      return;
    }
    for (const Constraint& c : {Constraint{pair->b, pair->a, Int{pair->a_upper} - pair->b_lower},
                                Constraint{pair->a, pair->b, Int{pair->b_upper} - pair->a_lower}}) {
      if (nodes_.spent || known_.IsLeast() || !nodes_.Spend()) return;
      constraints_.push_back(c);
      Run();
      constraints_.pop_back();
    }
  }

 private:
  // o(above) >= o(below) + distance.
  struct Constraint {
    size_t above = 0, below = 0;
    Int distance = 0;
  };
  // Two rectangles that are in use together.
  struct Pair {
    size_t a = 0, b = 0;
    uint64_t a_lower = 0, a_upper = 0, b_lower = 0, b_upper = 0;
  };

  const Unit& UnitOf(size_t member) const { return units_.list[members_[member]]; }

  bool TurnsInCircles() const {
    std::vector<Int> lowest(members_.size(), 0);
    bool changed = true;
    for (size_t round = 0; changed && round <= members_.size(); ++round) {
      changed = false;
      for (const Constraint& c : constraints_) {
        if (lowest[c.above] >= lowest[c.below] + c.distance) continue;
        lowest[c.above] = lowest[c.below] + c.distance;
        changed = true;
      }
    }
    return changed;
  }

  // The least offsets that satisfy all constraints within the limit, if there are any.
  bool Raise() {
    if (TurnsInCircles()) return false;
    for (size_t m = 0; m < members_.size(); ++m) {
      const Unit& unit = UnitOf(m);
      offsets_[m] = unit.is_fixed ? unit.fixed : 0;
      if (unit.height == 0) continue;
      if (unit.height > limit_ || offsets_[m] > limit_ - unit.height) return false;
    }
    bool changed = true;
    for (size_t round = 0; changed; ++round) {
      if (round > members_.size() && !nodes_.Spend()) return false;
      changed = false;
      for (const Constraint& c : constraints_) {
        const Unit& unit = UnitOf(c.above);
        const Int least = Int{offsets_[c.below]} + c.distance;
        if (Int{offsets_[c.above]} >= least) continue;
        if (unit.is_fixed || least > Int{limit_ - unit.height}) return false;
        uint64_t offset = 0;
        if (!AlignUp(static_cast<uint64_t>(least), unit.alignment, offset) || offset > limit_ - unit.height) return false;
        offsets_[c.above] = offset;
        changed = true;
      }
    }
    return true;
  }

  void Keep() {
    known_.placed = true;
    known_.peak = 0;
    for (size_t m = 0; m < members_.size(); ++m) {
      found_[members_[m]] = offsets_[m];
      if (UnitOf(m).height > 0) known_.peak = std::max(known_.peak, offsets_[m] + UnitOf(m).height);
    }
    limit_ = known_.peak - (known_.peak > 0);
  }

  const Units& units_;
  Nodes& nodes_;
  SpaceSearch& known_;
  std::vector<uint64_t>& found_;
  uint64_t limit_;
  std::vector<uint32_t> members_;
  std::vector<Pair> pairs_;
  std::vector<Constraint> constraints_;
  std::vector<uint64_t> offsets_;
};

}  // namespace

void Search(const Units& units, std::span<const uint32_t> own, uint64_t end, Nodes& nodes, SpaceSearch& known,
            std::vector<uint64_t>& offsets) {
  known.proved = true;
  if (known.IsLeast()) return;
  const Members members = MembersOf(units, own);
  const uint64_t limit = known.placed ? known.peak - (known.peak > 0) : end;
  size_t rectangles = 0;
  bool all_stand = true;
  for (size_t m = 0; m < members.units.size(); ++m) {
    const auto own = units.RectanglesOf(units.list[members.units[m]]);
    rectangles += own.size();
    all_stand = all_stand && (m >= members.free || rectangles > kMaxSearchedRectangles || StandsOnItsBottom(own));
  }
  if (members.free > kMaxSearched || rectangles > kMaxSearchedRectangles) {
    nodes.spent = true;
  } else if (all_stand) {
    ByOffset(units, members, nodes, known, offsets, limit).Run();
  } else {
    ByConstraint(units, own, nodes, known, offsets, limit).Run();
  }
  known.proved = !nodes.spent || known.IsLeast();
}

}  // namespace oomph::placement
