// What each planner answers, said as plainly as possible: a list of units, every question answered by looking at all
// of them. Each step is a small virtual function, so that a planted fault can put a wrong one there.
// Not for: speed (see heaps.h and exact.h, which answer the same), or what makes a plan right (see oracles.h).
//
// The rules, of all planners:
//   - buffers of one space and one group are one unit, which is placed as a whole: its offset suits all their
//     alignments, it needs the room of them all;
//   - units with a fixed offset are placed before all others, wherever they belong in the order;
//   - a unit that occupies nothing lies at its fixed offset, else at 0, and is in nobody's way;
//   - XLA's planners search a hole for the tallest member of a unit wherever a member is in use, and the heap (not the
//     repacker) also takes as much;
//   - hints are not heeded;
//   - memory ends at 2^64 - 1, and at the capacity; a heuristic places without looking at the capacity, as XLA's heap
//     does, and gives up if the peak is above it.
// What is XLA's in them is in docs/FACTS.md, "Placement planners".
#ifndef OOMPH_MODELS_PLACEMENT_SPECIFICATION_H_
#define OOMPH_MODELS_PLACEMENT_SPECIFICATION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/placement/footprint.h"
#include "models/placement/plan.h"
#include "models/placement/planner.h"
#include "models/placement/problem.h"

namespace oomph::placement {

class Specification {
 public:
  Specification(const Problem& problem, const PlannerOptions& options);
  virtual ~Specification() = default;
  void Run(Plan& plan);

 protected:
  // What gets one offset: a buffer, or all buffers of one space and group.
  struct Unit {
    std::vector<size_t> members;      // by index, ascending
    std::vector<Rectangle> used;      // what all of them occupy
    std::vector<Rectangle> searched;  // what must be free for it in the hole that it is placed in
    std::vector<Rectangle> taken;     // what it keeps from others
    uint32_t space = 0;
    uint64_t height = 0;  // the largest size of those that occupy something; 0: none does
    uint64_t alignment = 1;
    std::optional<uint64_t> fixed;
    // Of the first member that occupies something:
    uint64_t size = 0;
    uint64_t stretch = 0;  // the longest time for which it is in use without a gap
    int64_t start = 0;
    // Of all that do:
    int64_t earliest = 0, latest = 0;

    std::optional<uint64_t> offset;  // once it is placed
  };
  // Offsets, both ends included, that are multiples of a unit's alignment.
  struct Range {
    uint64_t first = 0, last = 0;
  };
  // A unit of a search, and where it would lie.
  struct Choice {
    size_t unit = 0;
    uint64_t offset = 0;
  };

  // --- the units

  // In the order of their first members.
  virtual std::vector<Unit> Units() const;
  // Adds a buffer to a unit: the larger height, the common multiple of the alignments.
  virtual void Join(Unit& unit, size_t buffer) const;
  // What the planner searches for a unit and takes for it.
  virtual void Claim(Unit& unit) const;
  // Members that want different offsets, an offset that is not aligned, or beyond the end: no placement does that.
  virtual bool Contradicts(const Unit& unit) const;

  // --- the steps of a heuristic

  // Whether `a` is placed before `b`, by the planner's key; for equal ones the order of the problem decides.
  virtual bool Before(const Unit& a, const Unit& b) const;
  virtual std::vector<size_t> Order() const;
  // Whether a placed unit and one that is being placed are ever in use at the same time in one space.
  virtual bool MayMeet(const Rectangle& a, const Rectangle& b) const;
  // The lowest multiple of the alignment that is not below, if there is one.
  virtual std::optional<uint64_t> Align(uint64_t offset, uint64_t alignment) const;
  // The offsets at which `rectangles` of the unit touch nothing that is placed, ascending.
  virtual std::vector<Range> FreeRanges(const Unit& unit, const std::vector<Rectangle>& rectangles) const;
  // Which of the free offsets: the least hole that holds it and in it the lowest, or the lowest of all.
  virtual std::optional<uint64_t> ChooseOffset(const Unit& unit) const;
  virtual void Place(Unit& unit, uint64_t offset);
  // Places all units; false: one has no place below 2^64.
  virtual bool PlaceAll();

  // --- the answer

  virtual uint64_t Peak() const;
  virtual uint64_t LowestPeak() const;  // see bounds.h
  // Of a heuristic: a proof is claimed only where the bound is one.
  virtual Status Judge(bool placed, uint64_t peak, uint64_t bound) const;
  virtual void Tell(Status status, uint64_t bound, Plan& plan) const;

  // --- the exact planners: one space after the other, each to its least peak

  // The budget of nodes where none is given.
  virtual uint64_t OwnBudget() const;
  // Whether a unit has, at any time, all bytes from its offset up to some height in use: then units can be placed
  // by rising offsets.
  virtual bool StandsOnItsBottom(const Unit& unit) const;
  // Where a unit can go next, the lowest first; see exact.h for why these suffice.
  virtual std::vector<Choice> Choices() const;
  // Whether what is not placed cannot all end at or below limit_.
  virtual bool IsHopeless() const;
  // The bytes at or above the level that are or will be in use at a time.
  virtual unsigned __int128 NeededAt(uint32_t space, int64_t time, uint64_t level) const;
  // Whether there is one more node to spend; it is then spent.
  virtual bool SpendNode();

  const Problem& problem_;
  const PlannerOptions options_;
  Planner planner_;  // whose steps are being taken: that of the options, or one of those that it asks
  uint64_t end_ = 0;  // of memory: the capacity, or 2^64 - 1
  std::vector<Unit> units_;

  // Of the search in one space:
  std::vector<size_t> free_;           // its units without a fixed offset, by rank: in the order of decreasing size
  uint64_t limit_ = 0;                 // the highest peak that is still good enough
  std::optional<Choice> last_placed_;  // `unit` is a rank
  uint64_t nodes_ = 0;
  bool budget_spent_ = false;

 private:
  // The least peak found in one space, and whether that is all that can be said.
  struct SpaceResult {
    uint32_t space = 0;
    uint64_t bound = 0;
    bool placed = false, proved = false;
    uint64_t peak = 0;
    std::vector<std::optional<uint64_t>> offsets;  // of all units; those of other spaces are not looked at
  };
  // o(above) >= o(below) + distance, of two units.
  struct Constraint {
    size_t above = 0, below = 0;
    __int128 distance = 0;
  };

  void RunHeuristic(Plan& plan);
  void RunBestOfAll(Plan& plan);
  void RunExact(Plan& plan);
  std::vector<SpaceResult> AskHeuristics();
  void SearchSpace(SpaceResult& space);
  void Descend(SpaceResult& space);
  void Orient(SpaceResult& space, std::vector<Constraint>& constraints);
  bool LeastOffsets(uint32_t space, const std::vector<Constraint>& constraints);
  bool TurnsInCircles(const std::vector<Constraint>& constraints) const;
  void Keep(SpaceResult& space);
  bool IsDone(const SpaceResult& space) const;
  uint64_t PeakOf(uint32_t space) const;
  bool FixedCollide() const;
  std::vector<std::optional<uint64_t>> Offsets() const;
  void SetOffsets(const std::vector<std::optional<uint64_t>>& offsets);
};

}  // namespace oomph::placement

#endif  // OOMPH_MODELS_PLACEMENT_SPECIFICATION_H_
