// See planner.h. The statements are read twice: first what stays and what is the last of its region, then each
// allocation goes into the list of its frame; the frames are planned in the order in which they open. All of it in
// memory that is kept.
// The rules and their sources stand in specification.cc.
#include "models/sparsecore/planner.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "models/base/units.h"
#include "models/sparsecore/refusal.h"
#include "models/sparsecore/target.h"
#include "models/sparsecore/words.h"

namespace oomph::sparsecore {
namespace {

constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
constexpr uint32_t kNone = UINT32_MAX;
constexpr uint64_t kTiles = 16, kSpmemGranule = 128, kHbmGranule = 16;

constexpr size_t IndexOf(Space space) { return static_cast<size_t>(space); }
constexpr bool IsSemaphore(Space space) { return space == Space::kSflagTile || space == Space::kSflagScs; }
constexpr bool IsOfTile(Space space) {
  return space == Space::kTileSpmem || space == Space::kSmemTile || space == Space::kSflagTile;
}

uint64_t RoundUpPower(uint64_t n, uint64_t multiple) {
  uint64_t sum = 0;
  if (__builtin_add_overflow(n, multiple - 1, &sum)) return kMost;
  return sum & ~(multiple - 1);
}

constexpr uint64_t GranuleOf(Space space) {
  return space == Space::kSpmem ? kSpmemGranule : space == Space::kHbm ? kHbmGranule : 1;
}

using Tops = std::array<uint64_t, kSparseCoreSpaces>;  // by Space: one past the last word

struct Bounds {
  Tops first = {}, last = {};
  std::array<bool, kSparseCoreSpaces> own = {};  // last is the program's
};

Bounds BoundsOf(Target target) {
  Bounds bounds;
  for (size_t i = 0; i < kSparseCoreSpaces; ++i) {
    const SparseCoreLimit& limit = LimitOf(target, static_cast<Space>(i));
    bounds.first[i] = limit.first_word.value_or(0);
    bounds.last[i] = limit.last_word;
  }
  return bounds;
}

Bounds BoundsOf(const Program& program) {
  static const std::array<Bounds, kTargets> kOfTargets = {BoundsOf(Target::kV5p), BoundsOf(Target::kV6e),
                                                          BoundsOf(Target::kV7x)};
  const Bounds& chip = kOfTargets[static_cast<size_t>(program.target)];
  Bounds bounds = chip;
  for (const SpaceLimit& limit : program.limits) {
    const size_t i = IndexOf(limit.space);
    bounds.first[i] = limit.first_word.value_or(chip.first[i]);
    bounds.last[i] = limit.last_word.value_or(chip.last[i]);
    bounds.own[i] = limit.last_word.has_value();
  }
  return bounds;
}

// What the first reading finds of a statement.
enum Flag : uint8_t {
  kStays = 1,      // of what opens a region: something in it stays
  kLast = 2,       // nothing that stays follows in its region
  kToScope = 4,    // the last in it, of ifs and whiles the last in those, is a scope
  kElseStays = 8,  // of an if
};

// Where the second reading is. What is moved to a frame from one scope stays in one piece; in the scope it was moved before
// is what stands behind it ("branch").
enum class In : uint8_t {
  kFrame,        // directly in a frame, which gets what is allocated
  kBranch,       // in a branch of a frame that is not its last operation
  kTail,         // in the last branch of a frame, or the last of that: a scope that is the last here is moved
  kOff,          // elsewhere in the last branch of a frame
  kSpine,        // in a scope that is moved; what is last in here is the last of that scope
  kMoved,        // elsewhere in that scope
  kSpineBranch,  // as kSpine, in a branch whose last scope is moved in front of it first
  kMovedBranch,  // elsewhere in such a branch
};

}  // namespace

struct Planner::Work {
  struct BufferState {
    uint32_t statement = kNone;  // the first that allocates it
    bool scratch = false, visible = false, used = false;
  };
  // A region, while the statements in it are read.
  struct Region {
    uint32_t statement = kNone, last = kNone;
    uint32_t shown = 0;          // of shown_, where it began
    uint32_t owner = 0;          // the region that gets its operations: itself, or that around a folded loop
    bool last_to_scope = false, then_stays = false, then_to_scope = false;
    bool is_if = false, has_else = false, vanishes = false;
  };
  // Allocations of a frame, as a list.
  struct Frame {
    uint32_t parent = kNone;
    uint32_t head = kNone, tail = kNone;
    uint32_t before = kNone;  // the last one in front of the last branch: what is moved goes behind it
  };
  struct Allocation {
    uint64_t words = 0;
    uint32_t next = kNone, buffer = kNoBuffer, statement = kNone;
    Space space = Space::kTileSpmem;
  };
  struct Place {
    In in = In::kFrame;
    uint32_t frame = 0;
    uint32_t statement = kNone;  // of an if that stays
  };

  void Run(const Program& program, bool texts, Answer& into);

 private:
  void FindAllocations(const Program& program, size_t end);
  void Read(const Program& program);
  bool ReadFrom(const Program& program, size_t first, bool found);
  bool IsVisible(uint32_t buffer) const {
    return buffer < buffers_.size() && (buffers_[buffer].visible || buffers_[buffer].scratch);
  }
  void Operation(uint32_t statement, bool to_scope) {
    Region& region = regions_[regions_.back().owner];
    region.last = statement;
    region.last_to_scope = to_scope;
  }
  void OpenRegion(const Statement& statement, uint32_t at);
  bool ElseOf(Region& region);
  void CloseBranch(Region& region, bool has_last = true);
  void CloseRegion(const Program& program);
  void Hide(uint32_t from);

  void Gather(const Program& program);
  bool Is(uint32_t statement, Flag flag) const { return (flags_[statement] & flag) != 0; }
  Place PlaceIn(const Place& around, const Program& program, uint32_t at);
  Place ScopeIn(const Place& around, uint32_t at);
  Place LoopIn(const Place& around, uint32_t at);
  Place BranchIn(const Place& around, uint32_t at, bool is_else);
  Place NewFrame(const Place& around);
  void Insert(Frame& frame, uint32_t& after, uint32_t allocation);
  void Add(const Place& place, const Allocation& allocation);

  uint32_t Declined(const Program& program) const;
  bool Take(const Program& program, const Allocation& allocation, Tops& tops, Answer& into);
  bool PlanScratch(const Program& program, Tops& tops, Answer& into);
  bool PlanFrames(const Program& program, Answer& into);
  bool CheckHighWater(const Program& program, Answer& into) const;

  std::vector<BufferState> buffers_;
  std::vector<uint8_t> flags_;  // by statement
  std::vector<Region> regions_;
  std::vector<uint32_t> shown_;
  std::vector<uint32_t> scratch_;  // statements
  uint32_t vanishing_ = 0;         // regions that are open and vanish
  std::vector<uint32_t> places_at_;  // statements of the second reading

  std::vector<Frame> frames_;
  std::vector<Tops> tops_;  // of frames, behind what is directly in them
  std::vector<Allocation> allocations_;
  std::vector<Place> places_;
  // Of the scope that is moved: behind which its next allocation goes, and the next one of a branch in it.
  uint32_t moved_after_ = kNone, branch_after_ = kNone;

  bool texts_ = false;
  Bounds bounds_;
  Tops high_water_ = {};
};

// --- first reading ---

// Kernel-level scratch up to a statement, and who allocates a buffer: the first that does.
void Planner::Work::FindAllocations(const Program& program, size_t end) {
  buffers_.assign(program.buffers.size(), {});
  scratch_.clear();
  for (uint32_t at = 0; at < end; ++at) {
    const Statement& statement = program.statements[at];
    if (statement.kind > Kind::kAllocate || statement.buffer >= buffers_.size()) continue;
    BufferState& buffer = buffers_[statement.buffer];
    if (buffer.statement != kNone) continue;
    buffer.statement = at;
    buffer.scratch = statement.kind == Kind::kScratch;
    if (buffer.scratch) scratch_.push_back(at);
  }
}

void Planner::Work::Hide(uint32_t from) {
  for (size_t i = from; i < shown_.size(); ++i) buffers_[shown_[i]].visible = false;
  shown_.resize(from);
}

void Planner::Work::OpenRegion(const Statement& statement, uint32_t at) {
  const uint32_t number = static_cast<uint32_t>(regions_.size());
  const uint32_t around = regions_.back().owner;
  Region& region = regions_.emplace_back();
  region.statement = at;
  region.shown = static_cast<uint32_t>(shown_.size());
  region.is_if = statement.kind == Kind::kIf;
  const bool loop = statement.kind == Kind::kFor;
  region.vanishes = loop && statement.trips == 0;
  region.owner = loop && statement.trips == 1 ? around : number;
  if (region.vanishes) ++vanishing_;
}

void Planner::Work::CloseBranch(Region& region, bool has_last) {
  if (has_last && region.last != kNone) flags_[region.last] |= kLast;
  Hide(region.shown);
}

bool Planner::Work::ElseOf(Region& region) {
  if (!region.is_if || region.has_else) return false;
  CloseBranch(region);
  region.has_else = true;
  region.then_stays = region.last != kNone;
  region.then_to_scope = region.last_to_scope;
  region.last = kNone;
  region.last_to_scope = false;
  return true;
}

void Planner::Work::CloseRegion(const Program& program) {
  const Region region = regions_.back();
  if (region.owner + 1 != regions_.size()) {  // a folded loop
    Hide(region.shown);
    regions_.pop_back();
    return;
  }
  // What counts a while stands at its end.
  const Kind kind = program.statements[region.statement].kind;
  CloseBranch(regions_.back(), kind != Kind::kWhile);
  regions_.pop_back();
  if (region.vanishes) --vanishing_;
  const bool stays = region.last != kNone;
  if (!stays && !region.then_stays) return;
  uint8_t& flags = flags_[region.statement];
  flags |= kStays;
  if (region.has_else && stays) flags |= kElseStays;
  const bool last_to_scope = stays ? region.last_to_scope : region.then_to_scope;
  const bool to_scope = kind == Kind::kScope || (kind == Kind::kIf && last_to_scope);
  if (to_scope) flags |= kToScope;
  Operation(region.statement, to_scope);
}

// Kernel-level scratch is there from the beginning. Where it comes first, allocations are found while the rest is read.
void Planner::Work::Read(const Program& program) {
  const std::vector<Statement>& all = program.statements;
  size_t first = 0;
  while (first < all.size() && all[first].kind == Kind::kScratch) ++first;
  FindAllocations(program, first);
  if (ReadFrom(program, first, /*found=*/false)) return;
  FindAllocations(program, all.size());
  ReadFrom(program, 0, /*found=*/true);
}

// `found`: all allocations are. False: there is scratch yet.
bool Planner::Work::ReadFrom(const Program& program, size_t first, bool found) {
  flags_.assign(program.statements.size(), 0);
  regions_.clear();
  shown_.clear();
  places_at_.clear();
  vanishing_ = 0;
  regions_.emplace_back();
  const uint32_t count = static_cast<uint32_t>(program.statements.size());
  for (uint32_t at = static_cast<uint32_t>(first); at < count; ++at) {
    const Statement& statement = program.statements[at];
    switch (statement.kind) {
      case Kind::kScratch:
        if (!found) return false;
        break;
      case Kind::kAllocate: {
        if (statement.buffer >= buffers_.size()) break;
        BufferState& buffer = buffers_[statement.buffer];
        if (buffer.statement == kNone) buffer.statement = at;
        if (buffer.statement != at) break;
        buffer.visible = true;
        shown_.push_back(statement.buffer);
        places_at_.push_back(at);
        break;
      }
      case Kind::kLoad:
        if (!IsVisible(statement.buffer) || !IsSemaphore(program.buffers[statement.buffer].space)) break;
        [[fallthrough]];
      case Kind::kUse:
        if (vanishing_ > 0 || !IsVisible(statement.buffer)) break;
        buffers_[statement.buffer].used = true;
        Operation(at, false);
        break;
      case Kind::kCopy:
        if (vanishing_ > 0) break;
        if (IsVisible(statement.buffer)) buffers_[statement.buffer].used = true;
        Operation(at, true);
        places_at_.push_back(at);
        break;
      case Kind::kWork:
        if (vanishing_ == 0) Operation(at, false);
        break;
      case Kind::kScope:
      case Kind::kFor:
      case Kind::kWhile:
      case Kind::kIf:
        OpenRegion(statement, at);
        places_at_.push_back(at);
        break;
      case Kind::kElse:
        if (ElseOf(regions_.back())) places_at_.push_back(at);
        break;
      case Kind::kEnd:
        if (regions_.size() == 1) break;
        CloseRegion(program);
        places_at_.push_back(at);
        break;
    }
  }
  while (regions_.size() > 1) CloseRegion(program);
  CloseBranch(regions_.back());
  return true;
}

// --- second reading ---

// Behind `after`, which becomes the new one.
void Planner::Work::Insert(Frame& frame, uint32_t& after, uint32_t allocation) {
  uint32_t& link = after == kNone ? frame.head : allocations_[after].next;
  allocations_[allocation].next = link;
  if (link == kNone) frame.tail = allocation;
  link = allocation;
  after = allocation;
}

void Planner::Work::Add(const Place& place, const Allocation& allocation) {
  const uint32_t number = static_cast<uint32_t>(allocations_.size());
  allocations_.push_back(allocation);
  Frame& frame = frames_[place.frame];
  switch (place.in) {
    case In::kFrame:
    case In::kBranch:
    case In::kTail:
    case In::kOff: {
      uint32_t after = frame.tail;
      Insert(frame, after, number);
      return;
    }
    case In::kSpine:
    case In::kMoved:
      Insert(frame, moved_after_, number);
      return;
    case In::kSpineBranch:
    case In::kMovedBranch:
      Insert(frame, branch_after_, number);
      return;
  }
}

Planner::Work::Place Planner::Work::NewFrame(const Place& around) {
  frames_.emplace_back();
  frames_.back().parent = around.frame;
  return {In::kFrame, static_cast<uint32_t>(frames_.size() - 1), kNone};
}

Planner::Work::Place Planner::Work::ScopeIn(const Place& around, uint32_t at) {
  const bool last = Is(at, kLast);
  switch (around.in) {
    case In::kFrame:
    case In::kBranch:
    case In::kOff:
      return NewFrame(around);
    case In::kTail:
      if (!last) return NewFrame(around);
      moved_after_ = frames_[around.frame].before;
      return {In::kSpine, around.frame, kNone};
    case In::kSpine:
      return {last ? In::kSpine : In::kMoved, around.frame, kNone};
    case In::kSpineBranch:
      return {last ? In::kSpine : In::kMovedBranch, around.frame, kNone};
    case In::kMoved:
    case In::kMovedBranch:
      break;
  }
  return {around.in, around.frame, kNone};
}

Planner::Work::Place Planner::Work::LoopIn(const Place& around, uint32_t at) {
  switch (around.in) {
    case In::kFrame:
    case In::kBranch:
    case In::kTail:
    case In::kOff:
      return NewFrame(around);
    case In::kSpine:
      return {Is(at, kLast) ? In::kSpine : In::kMoved, around.frame, kNone};
    case In::kSpineBranch:
      return {In::kMovedBranch, around.frame, kNone};
    case In::kMoved:
    case In::kMovedBranch:
      break;
  }
  return {around.in, around.frame, kNone};
}

// Of a branch: its first, or its else.
Planner::Work::Place Planner::Work::BranchIn(const Place& around, uint32_t at, bool is_else) {
  const bool last = Is(at, kLast);
  const bool ends_it = last && (is_else || !Is(at, kElseStays));  // the last of the if is in here
  const auto in = [&](In where) { return Place{where, around.frame, at}; };
  switch (around.in) {
    case In::kFrame:
      if (!last) return in(In::kBranch);
      if (!is_else) frames_[around.frame].before = frames_[around.frame].tail;
      return in(In::kTail);
    case In::kTail:
      return in(last ? In::kTail : In::kOff);
    case In::kSpine:
      if (!last || !Is(at, kToScope)) return in(ends_it ? In::kSpine : In::kMoved);
      if (!is_else) branch_after_ = moved_after_;
      return in(ends_it ? In::kSpineBranch : In::kMovedBranch);
    case In::kSpineBranch:
      return in(ends_it ? In::kSpineBranch : In::kMovedBranch);
    case In::kBranch:
    case In::kOff:
    case In::kMoved:
    case In::kMovedBranch:
      break;
  }
  return in(around.in);
}

Planner::Work::Place Planner::Work::PlaceIn(const Place& around, const Program& program, uint32_t at) {
  const Kind kind = program.statements[at].kind;
  if (!Is(at, kStays)) return {around.in, around.frame, kNone};  // nothing is in it, or it is folded
  if (kind == Kind::kScope) return ScopeIn(around, at);
  if (kind == Kind::kFor) return LoopIn(around, at);
  return BranchIn(around, at, false);
}

void Planner::Work::Gather(const Program& program) {
  frames_.clear();
  allocations_.clear();
  places_.clear();
  frames_.emplace_back();
  // A vector subcore's kernel stands in an scf.if that is the last of an scf.for.
  places_.push_back({program.core == Core::kVector ? In::kTail : In::kFrame, 0, kNone});
  const Space semaphores = program.core == Core::kVector ? Space::kSflagTile : Space::kSflagScs;
  for (const uint32_t at : places_at_) {
    const Statement& statement = program.statements[at];
    switch (statement.kind) {
      case Kind::kAllocate: {
        if (!buffers_[statement.buffer].used) break;
        const Buffer& buffer = program.buffers[statement.buffer];
        const uint64_t words = RoundUpPower(WordsOf(program, buffer, false), GranuleOf(buffer.space));
        Add(places_.back(), {words, kNone, statement.buffer, at, buffer.space});
        break;
      }
      case Kind::kCopy:
        Add(ScopeIn(places_.back(), at), {1, kNone, kNoBuffer, at, semaphores});
        break;
      case Kind::kScope:
      case Kind::kFor:
      case Kind::kWhile:
      case Kind::kIf:
        places_.push_back(PlaceIn(places_.back(), program, at));
        break;
      case Kind::kElse: {
        const uint32_t opened = places_.back().statement;
        if (opened != kNone) places_.back() = BranchIn(places_[places_.size() - 2], opened, true);
        break;
      }
      case Kind::kEnd:
        places_.pop_back();
        break;
      case Kind::kScratch:
      case Kind::kUse:
      case Kind::kLoad:
      case Kind::kWork:
        break;
    }
  }
}

// --- planning ---

// The tile's memories are none of the scalar core's. Which buffer is in one: kernel-level ones first.
uint32_t Planner::Work::Declined(const Program& program) const {
  if (program.core != Core::kScalar) return kNone;
  const auto declined = [&](uint32_t at) {
    const uint32_t buffer = program.statements[at].buffer;
    return buffers_[buffer].used && IsOfTile(program.buffers[buffer].space);
  };
  for (const uint32_t at : scratch_) {
    if (declined(at)) return program.statements[at].buffer;
  }
  for (uint32_t at = 0; at < program.statements.size(); ++at) {
    const Statement& statement = program.statements[at];
    if (statement.kind != Kind::kAllocate || statement.buffer >= buffers_.size()) continue;
    if (buffers_[statement.buffer].statement == at && declined(at)) return statement.buffer;
  }
  return kNone;
}

bool Planner::Work::Take(const Program& program, const Allocation& allocation, Tops& tops, Answer& into) {
  const size_t i = IndexOf(allocation.space);
  const uint64_t base = tops[i];
  const uint64_t end = SaturatingAdd(base, allocation.words);
  const uint64_t bound = end == kMost ? kMost : SaturatingSub(end, 1);
  if (bound > bounds_.last[i]) [[unlikely]] {
    into.status = Status::kOverBound;
    into.overrun = Overrun{allocation.space, bound, bounds_.last[i], allocation.words, allocation.buffer};
    if (texts_) into.message = PrintOverBound(program, *into.overrun, allocation.statement);
    return false;
  }
  if (texts_ && allocation.statement != kNone) {
    into.placed.push_back({allocation.buffer, allocation.statement, allocation.space, base, allocation.words});
  }
  tops[i] = end;
  high_water_[i] = std::max(high_water_[i], end);
  return true;
}

bool Planner::Work::PlanScratch(const Program& program, Tops& tops, Answer& into) {
  for (const uint32_t at : scratch_) {
    const uint32_t number = program.statements[at].buffer;
    if (!buffers_[number].used) continue;
    const Buffer& buffer = program.buffers[number];
    Allocation allocation = {WordsOf(program, buffer, true), kNone, number, at, buffer.space};
    if (buffer.space == Space::kTileSpmem) {
      allocation.space = Space::kSpmem;
      allocation.words = SaturatingMul(allocation.words, kTiles);
    }
    allocation.words = RoundUpPower(allocation.words, GranuleOf(allocation.space));
    if (!Take(program, allocation, tops, into)) return false;
  }
  const uint64_t spmem = tops[IndexOf(Space::kSpmem)];
  uint64_t& tile = tops[IndexOf(Space::kTileSpmem)];
  tile = std::max(tile, spmem / kTiles + (spmem % kTiles == 0 ? 0 : 1));
  high_water_[IndexOf(Space::kTileSpmem)] = tile;
  if (program.core != Core::kVector) return true;
  Tops own = tops;  // the compiler's semaphore, of a function of its own
  return Take(program, {1, kNone, kNoBuffer, kNone, Space::kSflagTile}, own, into);
}

bool Planner::Work::PlanFrames(const Program& program, Answer& into) {
  Tops tops = bounds_.first;
  high_water_ = tops;
  if (!PlanScratch(program, tops, into)) return false;
  const bool is_core = program.core == Core::kScalar;
  tops_.resize(std::max(tops_.size(), frames_.size()));
  for (size_t i = 0; i < frames_.size(); ++i) {
    if (i > 0) tops = tops_[frames_[i].parent];
    for (uint32_t at = frames_[i].head; at != kNone; at = allocations_[at].next) {
      const Allocation& allocation = allocations_[at];
      if (!is_core && (allocation.space == Space::kSpmem || allocation.space == Space::kHbm)) [[unlikely]] {
        into.status = Status::kNotHere;
        if (texts_) into.message = PrintNotHere(program, allocation.statement);
        return false;
      }
      if (!Take(program, allocation, tops, into)) return false;
    }
    tops_[i] = tops;
  }
  return true;
}

bool Planner::Work::CheckHighWater(const Program& program, Answer& into) const {
  constexpr Space kChecked[] = {Space::kSmemTile, Space::kSmemScs, Space::kSflagTile, Space::kSflagScs};
  for (const Space space : kChecked) {
    const size_t i = IndexOf(space);
    if (bounds_.own[i]) continue;
    const uint64_t limit = space == Space::kSmemTile    ? 2046
                           : space == Space::kSmemScs   ? 16282
                           : space == Space::kSflagTile ? bounds_.last[i]
                                                        : bounds_.last[i] - 8;
    if (high_water_[i] <= limit) continue;
    into.status = Status::kOverHighWater;
    if (texts_) into.message = PrintOverHighWater(program, space, high_water_[i], limit);
    return false;
  }
  return true;
}

void Planner::Work::Run(const Program& program, bool texts, Answer& into) {
  texts_ = texts;
  into.status = Status::kNotRun;
  into.overrun.reset();
  into.high_water = {};
  into.placed.clear();
  into.message.clear();
  into.why.clear();
  bounds_ = BoundsOf(program);
  Read(program);
  if (const uint32_t buffer = Declined(program); buffer != kNone) {
    into.status = Status::kDeclined;
    if (texts_) into.why = WhyDeclined(program, buffer);
    return;
  }
  Gather(program);
  if (!PlanFrames(program, into)) return;
  const bool vector = program.core == Core::kVector;
  uint64_t& smem = high_water_[IndexOf(Space::kSmemScs)];
  uint64_t& sflag = high_water_[IndexOf(Space::kSflagScs)];
  smem = SaturatingAdd(smem, 8);
  sflag = SaturatingAdd(sflag, vector ? 3 : 2);
  if (!CheckHighWater(program, into)) return;
  into.status = Status::kPlanned;
  for (size_t i = 0; i < kSparseCoreSpaces; ++i) {
    into.high_water[i] = vector || !IsOfTile(static_cast<Space>(i)) ? high_water_[i] : 0;
  }
}

Planner::Planner() : work_(std::make_unique<Work>()) {}
Planner::~Planner() = default;
void Planner::Plan(const Program& program, Answer& into) { work_->Run(program, false, into); }

// The same with places and texts.
class Teller : public Planner {
 public:
  void Tell(const Program& program, Answer& into) { work_->Run(program, true, into); }
};

void RunModel(const Program& program, Answer& into) { Teller().Tell(program, into); }

}  // namespace oomph::sparsecore
