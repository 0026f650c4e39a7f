// See specification.h. Everything is a linear scan over two short vectors.
#include "models/hbm/specification.h"

#include <algorithm>
#include <tuple>

#include "models/base/units.h"
#include "models/hbm/bfc_run.h"
#include "models/hbm/bfc_specification.h"
#include "models/hbm/state_hash.h"

namespace oomph::hbm {

Specification::Specification(const Trace& trace)
    : trace_(trace),
      policy_(trace.policy),
      capacity_(IsPowerOfTwo(trace.policy.granule)  // else there are no granules
                    ? RoundDown(trace.policy.capacity, trace.policy.granule)
                    : 0) {
  constexpr size_t kMostlyEnough = 64;  // a short trace asks for memory once
  blocks_.reserve(kMostlyEnough);
  holes_.reserve(kMostlyEnough);
  entities_.reserve(kMostlyEnough);
  if (capacity_ > 0) holes_.push_back({0, capacity_});
}

// ---- Rules ----

uint64_t Specification::RoundUp(uint64_t size) const {
  return CheckedRoundUp(std::max<uint64_t>(size, 1), policy_.granule).value_or(kMaxBytes);
}

uint64_t Specification::EffectiveAlignment(uint64_t asked) const {
  return std::max(asked, policy_.granule);
}

Range Specification::Usable(const Request& request) const {
  if (request.program) return {0, LowestBuffer()};
  Range usable = {Top(), capacity_};
  if (policy_.ends != Ends::kTwo) return usable;
  for (const Block& block : blocks_) {
    if (block.program || block.end == request.end) continue;
    if (request.end == End::kLow) usable.end = std::min(usable.end, block.offset);
    if (request.end == End::kHigh) usable.begin = std::max(usable.begin, block.stop());
  }
  return usable;
}

std::optional<uint64_t> Specification::PlaceIn(const Range& hole, const Request& request) const {
  if (request.need > hole.size()) return std::nullopt;
  if (request.end == End::kHigh) {
    const uint64_t offset = RoundDown(hole.end - request.need, request.alignment);
    return offset >= hole.begin ? std::optional(offset) : std::nullopt;
  }
  const std::optional<uint64_t> offset = CheckedAlignUp(hole.begin, request.alignment);
  if (!offset || *offset > hole.end || hole.end - *offset < request.need) return std::nullopt;
  return offset;
}

std::optional<Specification::Place> Specification::PickHole(const Request& request) const {
  using Rank = std::tuple<bool, uint64_t, uint64_t>;  // the central gap last, the fit, the distance
  std::optional<Rank> best;
  Place place;
  const Range usable = Usable(request);
  Range others;  // Ends::kTwo: what the other end may use; the central gap is in both
  if (policy_.ends == Ends::kTwo && !request.program) {
    others = Usable({.end = request.end == End::kLow ? End::kHigh : End::kLow});
  }
  for (size_t i = 0; i < holes_.size(); ++i) {
    const Range& hole = holes_[i];
    if (!Contains(usable, hole.begin)) continue;
    const bool gap = Contains(others, hole.begin);
    const std::optional<uint64_t> offset = PlaceIn(hole, request);
    if (!offset) continue;
    const Fit fit = request.program ? Fit::kFirst : policy_.fit;
    const uint64_t size = fit == Fit::kFirst ? 0 : fit == Fit::kBest ? hole.size() : ~hole.size();
    const uint64_t distance = request.end == End::kHigh ? ~hole.begin : hole.begin;
    const Rank rank = {gap, size, distance};
    if (!best || rank < *best) {
      best = rank;
      place = {i, *offset};
    }
  }
  if (!best) return std::nullopt;
  return place;
}

void Specification::Split(size_t hole, const Range& taken) {
  const Range before = {holes_[hole].begin, taken.begin};
  const Range after = {taken.end, holes_[hole].end};
  holes_.erase(holes_.begin() + hole);
  if (!after.empty()) holes_.insert(holes_.begin() + hole, after);
  if (!before.empty()) holes_.insert(holes_.begin() + hole, before);
}

void Specification::Merge(const Range& freed) {
  const auto after = std::lower_bound(holes_.begin(), holes_.end(), freed);
  const size_t i = after - holes_.begin();
  holes_.insert(after, freed);
  if (i + 1 < holes_.size() && holes_[i + 1].begin == freed.end) {
    holes_[i].end = holes_[i + 1].end;
    holes_.erase(holes_.begin() + i + 1);
  }
  if (i > 0 && holes_[i - 1].end == freed.begin) {
    holes_[i - 1].end = holes_[i].end;
    holes_.erase(holes_.begin() + i);
  }
}

bool Specification::MayRetry(uint32_t retries) const {
  return policy_.retry_limit == 0 || retries < policy_.retry_limit;
}

std::vector<uint64_t> Specification::LandByWaiting() const {
  std::vector<uint64_t> landing;
  if (policy_.waiting == Waiting::kNever) return landing;
  uint32_t oldest = UINT32_MAX;
  for (const Block& block : blocks_) {
    if (block.fence > 0) oldest = std::min(oldest, block.fence);
  }
  for (const Block& block : blocks_) {
    if (block.fence == 0) continue;
    if (policy_.waiting == Waiting::kAll || block.fence == oldest) landing.push_back(block.serial);
  }
  return landing;
}

bool Specification::CausedByFragmentation(const Request& request) const {
  return FreeBytes() >= request.need;
}

std::vector<Specification::Move> Specification::PlanMoves() const {
  std::vector<Move> moves;
  const auto move = [&](const Block& block, uint64_t to) {
    if (to != block.offset) moves.push_back({block.serial, to});
    return to;
  };
  uint64_t floor = 0;  // everything below is settled
  for (const Block& block : blocks_) {
    if (!block.program) continue;
    const bool moves_down = policy_.programs == Programs::kMovable && block.movable();
    floor = (moves_down ? move(block, floor) : block.offset) + block.reserved;
  }
  for (const Block& block : blocks_) {
    if (block.program || block.end != End::kLow || policy_.ends != Ends::kTwo) continue;
    const uint64_t to = block.movable() ? *CheckedAlignUp(floor, block.alignment) : block.offset;
    floor = move(block, to) + block.reserved;
  }
  uint64_t ceiling = capacity_;  // everything above is settled
  for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
    if (block->program || (block->end == End::kLow && policy_.ends == Ends::kTwo)) continue;
    const uint64_t to = block->movable() ? RoundDown(ceiling - block->reserved, block->alignment)
                                         : block->offset;
    ceiling = move(*block, to);
  }
  return moves;
}

void Specification::ApplyMoves(const std::vector<Move>& moves, std::vector<Block>& blocks,
                               std::vector<Range>& holes) const {
  blocks = blocks_;
  for (const Move& m : moves) {
    for (Block& block : blocks) {
      if (block.serial == m.serial) block.offset = m.to;
    }
  }
  std::sort(blocks.begin(), blocks.end(),
            [](const Block& a, const Block& b) { return a.offset < b.offset; });
  holes.clear();
  uint64_t begin = 0;
  for (const Block& block : blocks) {
    if (block.offset > begin) holes.push_back({begin, block.offset});
    begin = block.stop();
  }
  if (capacity_ > begin) holes.push_back({begin, capacity_});
}

bool Specification::MovesHelp(const std::vector<Move>& moves, const Request* request) const {
  if (moves.empty()) return false;
  const bool program = request != nullptr && request->program;
  const uint64_t before = program ? Reservable() : LargestHole();
  Specification after(trace_);
  ApplyMoves(moves, after.blocks_, after.holes_);
  if ((program ? after.Reservable() : after.LargestHole()) > before) return true;
  return request != nullptr && after.PickHole(*request).has_value();
}

uint64_t Specification::PickVictim(const Request& request, uint64_t launching) const {
  if (policy_.eviction == Eviction::kNever) return 0;
  if (request.program && policy_.eviction != Eviction::kAll) return 0;
  const auto rank = [&](const Block& block) -> std::tuple<uint64_t, uint64_t> {
    switch (policy_.victims) {
      case Victims::kLeastRecentlyUsed: return {block.used_at, 0};
      case Victims::kOldest: return {block.loaded_at, 0};
      case Victims::kNewest: return {~block.loaded_at, 0};
      case Victims::kLargest: return {~block.reserved, block.loaded_at};
      case Victims::kSmallest: return {block.reserved, block.loaded_at};
    }
    return {0, 0};
  };
  const Block* victim = nullptr;
  for (const Block& block : blocks_) {
    if (!block.program || block.pinned || block.serial == launching) continue;
    if (victim == nullptr || rank(block) < rank(*victim)) victim = &block;
  }
  return victim == nullptr ? 0 : victim->serial;
}

void Specification::UndoEvictions() {
  if (policy_.undo == Undo::kNo) return;
  for (auto evicted = evicted_.rbegin(); evicted != evicted_.rend(); ++evicted) {
    const Block& block = evicted->block;
    const Range old = {block.offset, block.stop()};
    const auto hole = std::find_if(holes_.begin(), holes_.end(),
                                   [&](const Range& h) { return Contains(h, old); });
    if (hole == holes_.end()) continue;  // its place is taken: it stays evicted
    if (LowestBuffer() < old.begin) continue;  // a buffer moved below it: no place for a program
    Split(hole - holes_.begin(), old);
    Insert(block);
    stats_.bytes_reserved += block.reserved;
    ++stats_.num_live;
    if (evicted->named) Named(block.name).serial = block.serial;
    Emit({.kind = EventKind::kRestored, .name = block.name, .offset = block.offset,
          .size = block.reserved});
  }
}

bool Specification::TakesOver(const Step& output, const Request& request) const {
  if (output.donor == kNobody || output.donor >= entities_.size()) return false;
  const Entity& donor = entities_[output.donor];
  if (donor.kind != Entity::Kind::kBuffer) return false;
  const Block* block = Find(donor.serial);
  return block->reserved >= request.need && IsMultipleOf(block->offset, request.alignment);
}

void Specification::GiveBack(std::vector<uint64_t>& placed) {
  for (auto serial = placed.rbegin(); serial != placed.rend(); ++serial) {
    if (*serial == 0) continue;  // took over a donor: nothing was placed
    const Block block = *Find(*serial);
    Emit({.kind = EventKind::kGaveBack, .name = block.name, .other = block.program ? 1u : 0u,
          .offset = block.offset, .size = block.reserved});
    stats_.bytes_given_back += block.reserved;
    Release(*serial);
  }
  placed.clear();
}

void Specification::CountPlaced(const Block& block) {
  if (block.program) {
    stats_.bytes_reserved += block.reserved;
  } else {
    stats_.bytes_in_use += block.reserved;
    stats_.peak_bytes_in_use = std::max(stats_.peak_bytes_in_use, stats_.bytes_in_use);
  }
}

void Specification::CountReleased(const Block& block) {
  (block.program ? stats_.bytes_reserved : stats_.bytes_in_use) -= block.reserved;
}

void Specification::TellFailure(Row& row) { AnswerQuery(row); }

void Specification::AnswerQuery(Row& row) {
  row.free_bytes = FreeBytes();
  row.largest_free = LargestHole();
  row.reservable = Reservable();
}

void Specification::ListFree() {
  for (const Range& hole : holes_) {
    Emit({.kind = EventKind::kFreeRange, .offset = hole.begin, .size = hole.size()});
  }
}

void Specification::WriteReport() {
  for (const Block& block : blocks_) {
    Emit({.kind = EventKind::kReported, .name = block.name, .offset = block.offset,
          .size = block.reserved});
  }
}

// ---- Blocks ----

void Specification::Insert(Block block) {
  const auto at = std::upper_bound(
      blocks_.begin(), blocks_.end(), block.offset,
      [](uint64_t offset, const Block& other) { return offset < other.offset; });
  blocks_.insert(at, block);
}

uint64_t Specification::Occupy(const Request& request, const Place& place) {
  Split(place.hole, {place.offset, place.offset + request.need});
  Block block = {.serial = ++last_serial_, .name = request.name, .offset = place.offset,
                 .reserved = request.need, .size = request.size, .alignment = request.alignment,
                 .end = request.end, .program = request.program, .pinned = request.pinned};
  if (block.program) block.loaded_at = block.used_at = ++clock_;
  Insert(block);
  CountPlaced(block);
  return block.serial;
}

void Specification::Release(uint64_t serial) {
  const auto block = std::find_if(blocks_.begin(), blocks_.end(),
                                  [&](const Block& b) { return b.serial == serial; });
  const Block gone = *block;
  blocks_.erase(block);
  CountReleased(gone);
  Merge({gone.offset, gone.stop()});
}

Specification::Block* Specification::Find(uint64_t serial) {
  for (Block& block : blocks_) {
    if (block.serial == serial) return &block;
  }
  return nullptr;
}
const Specification::Block* Specification::Find(uint64_t serial) const {
  return const_cast<Specification*>(this)->Find(serial);
}

Specification::Entity& Specification::Named(uint32_t name) {
  if (name >= entities_.size()) entities_.resize(name + 1);
  return entities_[name];
}

uint64_t Specification::Top() const {
  uint64_t top = 0;
  for (const Block& block : blocks_) {
    if (block.program) top = std::max(top, block.stop());
  }
  return top;
}

uint64_t Specification::LowestBuffer() const {
  for (const Block& block : blocks_) {
    if (!block.program) return block.offset;
  }
  return capacity_;
}

uint64_t Specification::FreeBytes() const {
  return capacity_ - stats_.bytes_in_use - stats_.bytes_reserved;
}

uint64_t Specification::LargestHole() const {
  const uint64_t top = Top();
  uint64_t largest = 0;
  for (const Range& hole : holes_) {
    if (hole.begin >= top) largest = std::max(largest, hole.size());
  }
  return largest;
}

uint64_t Specification::Reservable() const {
  const uint64_t lowest = LowestBuffer();
  uint64_t largest = 0;
  for (const Range& hole : holes_) {
    if (hole.begin < lowest) largest = std::max(largest, hole.size());
  }
  return largest;
}

uint64_t Specification::StateHash() const {
  uint64_t hash = HashFence(passed_);
  for (const Block& block : blocks_) {
    const uint64_t tag = block.program ? 1 : block.fence > 0 ? 2 + uint64_t{block.fence} : 0;
    hash += HashBlock(block.offset, block.reserved, block.name, tag);
  }
  for (const Range& hole : holes_) hash += HashHole(hole.begin, hole.end);
  if (stats_.num_evictions == 0) return hash;
  for (uint32_t name = 0; name < entities_.size(); ++name) {
    const Entity& entity = entities_[name];
    if (entity.kind == Entity::Kind::kProgram && entity.serial == 0) {
      hash += HashEvicted(name, entity.size);
    }
  }
  return hash;
}

// ---- Requests ----

Specification::Request Specification::MakeRequest(const Step& step, bool program) const {
  Request request = {.name = step.name, .size = step.size, .need = RoundUp(step.size),
                     .alignment = program ? policy_.granule : EffectiveAlignment(step.alignment),
                     .program = program, .pinned = step.pinned};
  const bool low = program || policy_.ends == Ends::kLow ||
                   (policy_.ends == Ends::kTwo && step.end == End::kLow);
  request.end = low ? End::kLow : End::kHigh;
  return request;
}

bool Specification::Refused(const Step& step) const {
  if (step.size == 0 && policy_.zero == Zero::kRefused) return true;
  return step.alignment != 0 && !IsPowerOfTwo(step.alignment);
}

bool Specification::Attempt(const Request& request) {
  const std::optional<Place> place = PickHole(request);
  if (!place) return false;
  placed_ = Occupy(request, *place);
  return true;
}

bool Specification::Wait() {
  const std::vector<uint64_t> landing = LandByWaiting();
  for (uint64_t serial : landing) {
    passed_ = std::max(passed_, Find(serial)->fence);
    Land(serial);
  }
  return !landing.empty();
}

void Specification::Land(uint64_t serial) {
  const Block block = *Find(serial);
  Emit({.kind = EventKind::kLanded, .name = block.name, .offset = block.offset,
        .size = block.reserved});
  Release(serial);
}

bool Specification::Defragment(const Request* request) {
  const std::vector<Move> moves = PlanMoves();
  if (!MovesHelp(moves, request)) return false;
  for (const Move& m : moves) {
    const Block& block = *Find(m.serial);
    stats_.bytes_moved += block.reserved;
    Emit({.kind = EventKind::kMoved, .name = block.name, .offset = m.to, .size = block.reserved,
          .from = block.offset});
  }
  std::vector<Block> blocks;
  ApplyMoves(moves, blocks, holes_);
  blocks_ = blocks;
  return true;
}

void Specification::EvictProgram(uint64_t serial) {
  const Block block = *Find(serial);
  Emit({.kind = EventKind::kEvicted, .name = block.name, .offset = block.offset,
        .size = block.reserved});
  ++stats_.num_evictions;
  --stats_.num_live;
  Entity& entity = Named(block.name);
  if (entity.kind == Entity::Kind::kProgram && entity.serial == serial) entity.serial = 0;
  Release(serial);
}

bool Specification::Evict(const Request& request, uint64_t launching) {
  const uint64_t victim = PickVictim(request, launching);
  if (victim == 0) return false;
  const Block block = *Find(victim);
  evicted_.push_back({block, Named(block.name).serial == victim});
  EvictProgram(victim);
  return true;
}

Cause Specification::ApplyMeasure(const Request& request, uint64_t launching) {
  for (Measure measure : MeasuresOf(policy_.order)) {
    switch (measure) {
      case Measure::kWait:
        if (Wait()) return Cause::kWait;
        break;
      case Measure::kDefragment:
        if (policy_.defragmentation == Defragmentation::kAuto && CausedByFragmentation(request) &&
            Defragment(&request)) {
          return Cause::kDefragment;
        }
        break;
      case Measure::kEvict:
        if (Evict(request, launching)) return Cause::kEvict;
        break;
    }
  }
  return Cause::kNone;
}

void Specification::FailForGood(Row& row, Ledger& ledger) {
  CountFailure(ledger);
  UndoEvictions();
  TellFailure(row);
  if (policy_.report) WriteReport();
}

Result Specification::Serve(const Request& request, Row& row) {
  evicted_.clear();
  for (uint32_t retries = 0;; ++retries) {
    if (retries == kMostRetries) return Result::kOutOfFuel;
    CountAttempt(stats_.buffers);
    if (Attempt(request)) break;
    const Cause cause = MayRetry(retries) ? ApplyMeasure(request, 0) : Cause::kNone;
    if (cause == Cause::kNone) {
      FailForGood(row, stats_.buffers);
      AfterFailure(request);
      return Result::kFailed;
    }
    CountRetry(stats_.buffers);
    Emit({.kind = EventKind::kRetry, .cause = cause});
  }
  CountSuccess(stats_.buffers);
  const Block& block = *Find(placed_);
  row.offset = block.offset;
  row.reserved = block.reserved;
  if (!block.program) {
    ++stats_.num_allocs;
    stats_.largest_alloc_size = std::max(stats_.largest_alloc_size, block.reserved);
  }
  return Result::kOk;
}

Result Specification::Allocate(const Step& step, Row& row) {
  if (Refused(step)) return Result::kInvalid;
  const Result result = Serve(MakeRequest(step, false), row);
  if (result != Result::kOk) return result;
  ++stats_.num_live;
  Define(step.name, {Entity::Kind::kBuffer, placed_, step.size, step.pinned});
  return result;
}

Result Specification::Reallocate(const Step& step, Row& row) {
  const Entity entity = Named(step.name);
  if (entity.kind != Entity::Kind::kBuffer) return Result::kNoOp;
  if (Refused(step)) return Result::kInvalid;
  Block& block = *Find(entity.serial);
  Request request = MakeRequest(step, false);
  request.end = block.end;
  request.pinned = block.pinned;
  if (step.alignment == 0) request.alignment = block.alignment;

  // In place where the alignment holds: a smaller one gives back its tail, a larger one takes from the
  // hole right behind it.
  const Range tail = {block.offset + std::min(request.need, block.reserved), block.stop()};
  const auto behind = std::find_if(holes_.begin(), holes_.end(),
                                   [&](const Range& h) { return h.begin == block.stop(); });
  const bool grows = request.need > block.reserved;
  const bool has_room =
      !grows || (behind != holes_.end() && behind->size() >= request.need - block.reserved);
  if (IsMultipleOf(block.offset, request.alignment) && has_room) {
    CountAttempt(stats_.buffers);
    CountSuccess(stats_.buffers);
    CountReleased(block);
    if (grows) Split(behind - holes_.begin(), {block.stop(), block.offset + request.need});
    block.reserved = request.need;
    block.size = request.size;
    block.alignment = request.alignment;
    CountPlaced(block);
    if (!tail.empty()) Merge(tail);
    row.offset = block.offset;
    row.reserved = block.reserved;
    return Result::kOk;
  }
  // Otherwise it moves: the old memory is given back only when the new is there.
  const uint64_t old = entity.serial;
  const Result result = Serve(request, row);
  if (result != Result::kOk) return result;
  stats_.bytes_moved += std::min(Find(old)->reserved, request.need);
  Release(old);
  Define(step.name, {Entity::Kind::kBuffer, placed_, step.size, entity.pinned});
  return result;
}

Result Specification::Free(const Step& step) {
  Entity& entity = Named(step.name);
  if (entity.kind != Entity::Kind::kBuffer) return Result::kNoOp;
  const uint64_t serial = entity.serial;
  entity = {};
  --stats_.num_live;
  Release(serial);
  return Result::kOk;
}

Result Specification::FreeLater(const Step& step) {
  Entity& entity = Named(step.name);
  if (entity.kind != Entity::Kind::kBuffer) return Result::kNoOp;
  const uint64_t serial = entity.serial;
  entity = {};
  --stats_.num_live;
  if (step.fence <= passed_) {
    Land(serial);
  } else {
    Find(serial)->fence = step.fence;
  }
  return Result::kOk;
}

void Specification::Fence(uint32_t fence) {
  passed_ = std::max(passed_, fence);
  std::vector<uint64_t> landing;
  for (const Block& block : blocks_) {
    if (block.fence > 0 && block.fence <= passed_) landing.push_back(block.serial);
  }
  for (uint64_t serial : landing) Land(serial);
}

Result Specification::Load(const Step& step, Row& row) {
  if (Refused(step)) return Result::kInvalid;
  const Result result = Serve(MakeRequest(step, true), row);
  if (result != Result::kOk) return result;
  ++stats_.num_live;
  Define(step.name, {Entity::Kind::kProgram, placed_, step.size, step.pinned});
  return result;
}

Result Specification::Unload(const Step& step) {
  Entity& entity = Named(step.name);
  if (entity.kind != Entity::Kind::kProgram) return Result::kNoOp;
  const uint64_t serial = entity.serial;
  entity = {};
  if (serial == 0) return Result::kOk;
  --stats_.num_live;
  Release(serial);
  return Result::kOk;
}

Result Specification::EvictOnDemand(const Step& step) {
  const Entity entity = Named(step.name);
  if (entity.kind != Entity::Kind::kProgram || entity.serial == 0 || entity.pinned) {
    return Result::kNoOp;
  }
  EvictProgram(entity.serial);
  return Result::kOk;
}

// ---- Launches ----

bool Specification::AttemptLaunch(size_t step, size_t num_outputs, std::vector<uint64_t>& placed,
                                  Request& failing, uint64_t& failing_index) {
  const uint32_t program = trace_.steps[step].name;
  const Entity entity = Named(program);
  placed.assign(1, 0);
  if (entity.serial == 0) {
    failing = MakeRequest({.name = program, .size = entity.size}, true);
    failing.pinned = entity.pinned;
    failing_index = 0;
    if (!Attempt(failing)) {
      placed.clear();
      return false;
    }
    placed[0] = placed_;
  }
  std::vector<uint32_t> donors;
  for (size_t i = 1; i <= num_outputs; ++i) {
    const Step& output = trace_.steps[step + i];
    const Request request = MakeRequest(output, false);
    const bool donor_free = std::find(donors.begin(), donors.end(), output.donor) == donors.end();
    if (donor_free && TakesOver(output, request)) {
      donors.push_back(output.donor);
      placed.push_back(0);
      continue;
    }
    if (!Attempt(request)) {
      failing = request;
      failing_index = i;
      return false;
    }
    placed.push_back(placed_);
  }
  return true;
}

void Specification::CommitLaunch(size_t step, const std::vector<uint64_t>& placed) {
  const uint32_t program = trace_.steps[step].name;
  if (placed[0] != 0) {
    const Block& block = *Find(placed[0]);
    Named(program).serial = placed[0];
    ++stats_.num_live;
    Emit({.kind = EventKind::kLoaded, .name = program, .offset = block.offset,
          .size = block.reserved});
  }
  Find(Named(program).serial)->used_at = ++clock_;
  // Donors first: an output may bear the name of another output's donor.
  std::vector<uint64_t> serials(placed);
  for (size_t i = 1; i < placed.size(); ++i) {
    if (placed[i] != 0) continue;
    Entity& donor = Named(trace_.steps[step + i].donor);
    serials[i] = donor.serial;
    donor = {};
    --stats_.num_live;
    Emit({.kind = EventKind::kTookOver, .name = trace_.steps[step + i].name,
          .other = trace_.steps[step + i].donor, .offset = Find(serials[i])->offset,
          .size = Find(serials[i])->reserved});
  }
  for (size_t i = 1; i < placed.size(); ++i) {
    const Step& output = trace_.steps[step + i];
    Block& block = *Find(serials[i]);
    block.name = output.name;
    block.size = output.size;
    if (placed[i] == 0) {
      block.alignment = EffectiveAlignment(output.alignment);
    } else {
      ++stats_.num_allocs;
      stats_.largest_alloc_size = std::max(stats_.largest_alloc_size, block.reserved);
    }
    ++stats_.num_live;
    Define(output.name, {Entity::Kind::kBuffer, serials[i], output.size, block.pinned});
    Row& row = outcome_->rows[step + i];
    row.result = Result::kOk;
    row.offset = block.offset;
    row.reserved = block.reserved;
  }
}

Result Specification::Execute(size_t step, size_t num_outputs, Row& row) {
  const auto all = [&](Result result) {
    for (size_t i = 1; i <= num_outputs; ++i) outcome_->rows[step + i].result = result;
    return result;
  };
  const uint32_t program = trace_.steps[step].name;
  if (Named(program).kind != Entity::Kind::kProgram) return all(Result::kNoOp);
  for (size_t i = 1; i <= num_outputs; ++i) {
    if (Refused(trace_.steps[step + i])) return all(Result::kInvalid);
  }
  evicted_.clear();
  std::vector<uint64_t> placed;
  for (uint32_t retries = 0;; ++retries) {
    if (retries == kMostRetries) return Result::kOutOfFuel;
    CountAttempt(stats_.launches);
    Request failing;
    uint64_t failing_index = 0;
    if (AttemptLaunch(step, num_outputs, placed, failing, failing_index)) break;
    GiveBack(placed);
    const uint64_t launching = Named(program).serial;
    const Cause cause = MayRetry(retries) ? ApplyMeasure(failing, launching) : Cause::kNone;
    if (cause == Cause::kNone) {
      FailForGood(row, stats_.launches);
      row.offset = failing_index;
      row.reserved = failing.need;
      for (size_t i = 1; i <= num_outputs && policy_.donated == Donated::kLost; ++i) {
        const uint32_t donor = trace_.steps[step + i].donor;
        if (donor == kNobody || Named(donor).kind != Entity::Kind::kBuffer) continue;
        const Block block = *Find(Named(donor).serial);
        Emit({.kind = EventKind::kLost, .name = donor, .offset = block.offset,
              .size = block.reserved});
        Named(donor) = {};
        --stats_.num_live;
        Release(block.serial);
      }
      all(Result::kFailed);
      AfterFailure(failing);
      return Result::kFailed;
    }
    CountRetry(stats_.launches);
    Emit({.kind = EventKind::kRetry, .cause = cause});
  }
  CountSuccess(stats_.launches);
  CommitLaunch(step, placed);
  return Result::kOk;
}

// ---- The trace ----

Result Specification::RunStep(size_t index, Row& row) {
  const Step& step = trace_.steps[index];
  switch (step.kind) {
    case StepKind::kAllocate: return Allocate(step, row);
    case StepKind::kReallocate: return Reallocate(step, row);
    case StepKind::kFree: return Free(step);
    case StepKind::kFreeLater: return FreeLater(step);
    case StepKind::kLoad: return Load(step, row);
    case StepKind::kUnload: return Unload(step);
    case StepKind::kFence: Fence(step.fence); return Result::kOk;
    case StepKind::kDefragment: Defragment(nullptr); return Result::kOk;
    case StepKind::kEvict: return EvictOnDemand(step);
    case StepKind::kOutput: return Result::kNoOp;  // with no execute before it
    case StepKind::kExecute: return Result::kOk;   // see Run
    case StepKind::kQuery:
      AnswerQuery(row);
      ListFree();
      return Result::kOk;
  }
  return Result::kUnsupported;
}

void Specification::Run(TraceOutcome& outcome, StepTimes* times) {
  if (times != nullptr) times->Start(trace_.steps.size());
  outcome.clear();
  outcome.stats_known = stat::kAll;
  outcome.tells_free = outcome.lists_free = outcome.tells_hash = true;
  outcome.rows.resize(trace_.steps.size());
  outcome_ = &outcome;
  for (size_t i = 0; i < trace_.steps.size();) {
    if (times != nullptr) times->Enter();
    step_ = i;
    Row row;
    row.first_event = outcome.events.size();
    size_t num_outputs = 0;
    if (trace_.steps[i].kind == StepKind::kExecute) {
      while (i + num_outputs + 1 < trace_.steps.size() &&
             trace_.steps[i + num_outputs + 1].kind == StepKind::kOutput) {
        ++num_outputs;
      }
      row.result = Execute(i, num_outputs, row);
    } else {
      row.result = RunStep(i, row);
    }
    row.num_events = outcome.events.size() - row.first_event;
    row.stats = stats_;
    row.state_hash = StateHash();
    outcome.rows[i] = row;
    for (size_t k = 1; k <= num_outputs; ++k) {
      outcome.rows[i + k].first_event = outcome.events.size();
      outcome.rows[i + k].stats = stats_;
      outcome.rows[i + k].state_hash = row.state_hash;
    }
    i += 1 + num_outputs;
    if (times != nullptr) times->Leave(), times->Next();
    if (row.result >= Result::kOutOfFuel) {
      outcome.rows.resize(i);  // nothing follows
      return;
    }
  }
}

void RunSpecification(const Trace& trace, TraceOutcome& outcome, StepTimes* times) {
  if (trace.policy.allocator == Allocator::kBfc) {
    bfc::Specification model(BfcOptionsOf(trace.policy), trace.policy.bfc.deviations, trace.policy.capacity,
                             kFuel);
    BfcRunner(model, trace, outcome).Run();
    return;
  }
  Specification(trace).Run(outcome, times);
}

}  // namespace oomph::hbm
