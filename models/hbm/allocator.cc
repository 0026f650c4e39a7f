// See allocator.h.
#include "models/hbm/allocator.h"

#include <algorithm>
#include <array>
#include <utility>

#include "models/base/units.h"
#include "models/hbm/bfc_allocator.h"
#include "models/hbm/bfc_run.h"
#include "models/hbm/state_hash.h"

namespace oomph::hbm {
namespace {

// Everything but the statistics, which are written anyway.
void Blank(Row& row, size_t first_event) {
  row.result = Result::kUnknown;
  row.first_event = first_event;
  row.num_events = 0;
  row.offset = row.reserved = 0;
  row.free_bytes = row.largest_free = row.reservable = 0;
}

// The alignments above the granule, one bit each. Few steps do not have many holes: it would not
// matter.
uint64_t AlignmentsIn(const Trace& trace) {
  uint64_t alignments = 0;
  if (trace.steps.size() < 500) return alignments;
  for (const Step& step : trace.steps) {
    if (IsPowerOfTwo(step.alignment)) alignments |= step.alignment;
  }
  return alignments & ~(trace.policy.granule | (trace.policy.granule - 1));
}

}  // namespace

void FastAllocator::Reset(const Trace& trace, TraceOutcome& outcome) {
  policy_ = trace.policy;
  const bool has_granules = IsPowerOfTwo(policy_.granule);
  capacity_ = has_granules ? RoundDown(policy_.capacity, policy_.granule) : 0;
  map_.Reset(policy_, capacity_, AlignmentsIn(trace));
  entities_.clear();
  queue_.clear();
  evicted_.clear();
  evicted_hash_ = 0;
  clock_ = 0;
  passed_ = 0;
  launch_attempts_ = 0;
  stats_ = {};

  std::vector<Row> rows = std::move(outcome.rows);
  outcome.rows.clear();
  outcome.clear();
  outcome.rows = std::move(rows);
  outcome.stats_known = stat::kAll;
  outcome.tells_free = outcome.lists_free = outcome.tells_hash = true;
  outcome.rows.resize(trace.steps.size());  // each is written over
  outcome_ = &outcome;
}

void FastAllocator::EmitBlock(EventKind kind, const Block& block) {
  Emit({.kind = kind, .name = block.name, .offset = block.offset, .size = block.reserved});
}

// ---- Names ----

const FastAllocator::Entity& FastAllocator::Named(uint32_t name) const {
  static constexpr Entity kNothing;
  return name < entities_.size() ? entities_[name] : kNothing;
}

void FastAllocator::Define(uint32_t name, const Entity& entity) {
  if (name >= entities_.size()) entities_.resize(size_t{name} + 1);
  Entity& old = entities_[name];
  if (old.evicted()) evicted_hash_ -= HashEvicted(name, old.size);
  old = entity;
}

void FastAllocator::Place(uint32_t program, uint32_t block) {
  evicted_hash_ -= HashEvicted(program, entities_[program].size);
  entities_[program].block = block;
}

uint32_t FastAllocator::Forget(uint32_t name) {
  const uint32_t block = entities_[name].block;
  Define(name, {});
  if (block != kNoBlock) --stats_.num_live;
  return block;
}

// ---- Requests ----

bool FastAllocator::Refused(const Step& step) const {
  if (step.size == 0 && policy_.zero == Zero::kRefused) return true;
  return step.alignment != 0 && !IsPowerOfTwo(step.alignment);
}

BlockRequest FastAllocator::MakeRequest(const Step& step) const {
  const uint64_t mask = policy_.granule - 1;
  const uint64_t padded = std::max<uint64_t>(step.size, 1) + mask;
  const bool low =
      policy_.ends == Ends::kLow || (policy_.ends == Ends::kTwo && step.end == End::kLow);
  return {.name = step.name,
          .need = padded < mask ? kMaxBytes : padded & ~mask,
          .alignment = std::max(step.alignment, policy_.granule),
          .low = low,
          .pinned = step.pinned};
}

BlockRequest FastAllocator::MakeProgramRequest(uint32_t name, uint64_t size, bool pinned) const {
  BlockRequest request = MakeRequest({.name = name, .size = size});
  request.low = request.program = true;
  request.pinned = pinned;
  return request;
}

uint32_t FastAllocator::Attempt(const BlockRequest& request) {
  const uint32_t hole = map_.Pick(request);
  if (hole == MemoryMap::kEdge) return kNoBlock;
  const uint32_t number = map_.Occupy(hole, map_.PlaceIn(hole, request), request);
  if (request.program) {
    Block& block = map_[number];
    block.loaded_at = block.used_at = ++clock_;
    stats_.bytes_reserved += request.need;
  } else {
    stats_.bytes_in_use += request.need;
    stats_.peak_bytes_in_use = std::max(stats_.peak_bytes_in_use, stats_.bytes_in_use);
  }
  return number;
}

void FastAllocator::Release(uint32_t number) {
  const Block& block = map_[number];
  (block.buffer() ? stats_.bytes_in_use : stats_.bytes_reserved) -= block.reserved;
  map_.Release(number);
}

Cause FastAllocator::ApplyMeasure(const BlockRequest& request, uint32_t launching) {
  for (const Measure measure : MeasuresOf(policy_.order)) {
    if (measure == Measure::kWait && Wait()) return Cause::kWait;
    if (measure == Measure::kDefragment && policy_.defragmentation == Defragmentation::kAuto &&
        request.need <= FreeBytes() && Defragment(&request)) {
      return Cause::kDefragment;
    }
    if (measure == Measure::kEvict && Evict(request, launching)) return Cause::kEvict;
  }
  return Cause::kNone;
}

void FastAllocator::TellFree(Row& row) const {
  row.free_bytes = FreeBytes();
  row.largest_free = map_.Largest();
  row.reservable = map_.Reservable();
}

void FastAllocator::FailForGood(Row& row, Ledger& ledger) {
  ++ledger.failures;
  UndoEvictions();
  TellFree(row);
  if (!policy_.report) return;
  for (uint32_t at = map_.first(); at != MemoryMap::kEdge; at = map_[at].next) {
    if (map_[at].kind != MemoryMap::Kind::kHole) EmitBlock(EventKind::kReported, map_[at]);
  }
}

// The last one evicted first, each only to the very place that it had.
void FastAllocator::UndoEvictions() {
  if (policy_.undo == Undo::kNo) return;
  for (auto evicted = evicted_.rbegin(); evicted != evicted_.rend(); ++evicted) {
    const Block& old = evicted->block;
    uint32_t hole = map_.first();
    while (hole != MemoryMap::kEdge && map_[hole].stop() <= old.offset) hole = map_[hole].next;
    if (hole == MemoryMap::kEdge || map_[hole].kind != MemoryMap::Kind::kHole) continue;
    if (old.offset < map_[hole].offset || map_[hole].stop() < old.stop()) continue;
    if (map_.LowestBuffer() < old.offset) continue;
    const BlockRequest request = {.name = old.name,
                                  .need = old.reserved,
                                  .alignment = policy_.granule,
                                  .low = true,
                                  .program = true};
    const uint32_t number = map_.Occupy(hole, old.offset, request);
    map_[number].loaded_at = old.loaded_at;
    map_[number].used_at = old.used_at;
    stats_.bytes_reserved += old.reserved;
    ++stats_.num_live;
    if (evicted->named) Place(old.name, number);
    EmitBlock(EventKind::kRestored, old);
  }
}

uint32_t FastAllocator::Serve(const BlockRequest& request, Row& row) {
  evicted_.clear();
  uint32_t number = kNoBlock;
  for (uint32_t retries = 0;; ++retries) {
    ++stats_.buffers.attempts;
    number = Attempt(request);
    if (number != kNoBlock) break;
    const Cause cause = MayRetry(retries) ? ApplyMeasure(request, kNoBlock) : Cause::kNone;
    if (cause == Cause::kNone) {
      FailForGood(row, stats_.buffers);
      return kNoBlock;
    }
    ++stats_.buffers.retries;
    Emit({.kind = EventKind::kRetry, .cause = cause});
  }
  ++stats_.buffers.successes;
  const Block& block = map_[number];
  row.offset = block.offset;
  row.reserved = block.reserved;
  if (!request.program) CountAllocated(block);
  return number;
}

void FastAllocator::CountAllocated(const Block& block) {
  ++stats_.num_allocs;
  stats_.largest_alloc_size = std::max(stats_.largest_alloc_size, block.reserved);
}

// ---- Measures ----

namespace {

// For a heap with the lowest fence on top.
constexpr auto kLaterFence = [](const auto& a, const auto& b) { return a.fence > b.fence; };

}  // namespace

void FastAllocator::PopQueued(uint32_t fence) {
  landing_.clear();
  while (!queue_.empty() && queue_.front().fence <= fence) {
    landing_.push_back(queue_.front());
    std::pop_heap(queue_.begin(), queue_.end(), kLaterFence);
    queue_.pop_back();
  }
}

void FastAllocator::LandAll() {
  std::sort(landing_.begin(), landing_.end(),
            [](const Queued& a, const Queued& b) { return a.offset < b.offset; });
  for (const Queued& queued : landing_) {
    EmitBlock(EventKind::kLanded, map_[queued.block]);
    Release(queued.block);
  }
}

bool FastAllocator::Wait() {
  if (policy_.waiting == Waiting::kNever || queue_.empty()) return false;
  PopQueued(policy_.waiting == Waiting::kAll ? UINT32_MAX : queue_.front().fence);
  passed_ = std::max(passed_, landing_.back().fence);
  LandAll();
  return true;
}

bool FastAllocator::Defragment(const BlockRequest* request) {
  if (!map_.MovesHelp(request)) return false;
  stats_.bytes_moved += map_.Move(outcome_->events);
  return true;
}

bool FastAllocator::Evict(const BlockRequest& request, uint32_t launching) {
  if (policy_.eviction == Eviction::kNever) return false;
  if (request.program && policy_.eviction == Eviction::kBuffers) return false;
  const auto rank = [&](const Block& block) -> std::pair<uint64_t, uint64_t> {
    switch (policy_.victims) {
      case Victims::kLeastRecentlyUsed:
        return {block.used_at, 0};
      case Victims::kOldest:
        return {block.loaded_at, 0};
      case Victims::kNewest:
        return {~block.loaded_at, 0};
      case Victims::kLargest:
        return {~block.reserved, block.loaded_at};
      case Victims::kSmallest:
        return {block.reserved, block.loaded_at};
    }
    return {0, 0};
  };
  uint32_t victim = kNoBlock;
  for (uint32_t at = map_.first_program(); at != MemoryMap::kEdge; at = map_.next_program(at)) {
    if (map_[at].pinned || at == launching) continue;
    if (victim == kNoBlock || rank(map_[at]) < rank(map_[victim])) victim = at;
  }
  if (victim == kNoBlock) return false;
  const Block& block = map_[victim];
  const Entity& entity = Named(block.name);
  evicted_.push_back({block, entity.kind == Entity::Kind::kProgram && entity.block == victim});
  EvictProgram(victim);
  return true;
}

void FastAllocator::EvictProgram(uint32_t number) {
  const Block& block = map_[number];
  EmitBlock(EventKind::kEvicted, block);
  ++stats_.num_evictions;
  --stats_.num_live;
  Entity& entity = entities_[block.name];
  if (entity.kind == Entity::Kind::kProgram && entity.block == number) {
    entity.block = kNoBlock;
    evicted_hash_ += HashEvicted(block.name, entity.size);
  }
  Release(number);
}

// ---- Steps ----

Result FastAllocator::Allocate(const Step& step, Row& row) {
  if (Refused(step)) return Result::kInvalid;
  const uint32_t block = Serve(MakeRequest(step), row);
  if (block == kNoBlock) return Result::kFailed;
  ++stats_.num_live;
  Define(step.name, {.block = block, .kind = Entity::Kind::kBuffer});
  return Result::kOk;
}

Result FastAllocator::Reallocate(const Step& step, Row& row) {
  const Entity entity = Named(step.name);
  if (entity.kind != Entity::Kind::kBuffer) return Result::kNoOp;
  if (Refused(step)) return Result::kInvalid;
  BlockRequest request = MakeRequest(step);
  {
    const Block& block = map_[entity.block];
    if (map_.two_ends()) request.low = block.kind == MemoryMap::Kind::kLow;
    request.pinned = block.pinned;
    if (step.alignment == 0) request.alignment = uint64_t{1} << block.alignment_log2;
    const bool aligned = (block.offset & (request.alignment - 1)) == 0;
    if (aligned && map_.CanResize(entity.block, request.need)) {
      ++stats_.buffers.attempts;
      ++stats_.buffers.successes;
      stats_.bytes_in_use += request.need - block.reserved;
      stats_.peak_bytes_in_use = std::max(stats_.peak_bytes_in_use, stats_.bytes_in_use);
      row.offset = block.offset;
      row.reserved = request.need;
      map_.Resize(entity.block, request.need);
      map_.Realign(entity.block, request.alignment);
      return Result::kOk;
    }
  }
  const uint32_t moved = Serve(request, row);
  if (moved == kNoBlock) return Result::kFailed;
  stats_.bytes_moved += std::min(map_[entity.block].reserved, request.need);
  Release(entity.block);
  Define(step.name, {.block = moved, .kind = Entity::Kind::kBuffer});
  return Result::kOk;
}

Result FastAllocator::Free(const Step& step) {
  if (Named(step.name).kind != Entity::Kind::kBuffer) return Result::kNoOp;
  Release(Forget(step.name));
  return Result::kOk;
}

Result FastAllocator::FreeLater(const Step& step) {
  if (Named(step.name).kind != Entity::Kind::kBuffer) return Result::kNoOp;
  const uint32_t block = Forget(step.name);
  if (step.fence <= passed_) {
    EmitBlock(EventKind::kLanded, map_[block]);
    Release(block);
    return Result::kOk;
  }
  map_.Queue(block, step.fence);
  queue_.push_back({step.fence, block, map_[block].offset});
  std::push_heap(queue_.begin(), queue_.end(), kLaterFence);
  return Result::kOk;
}

void FastAllocator::Fence(uint32_t fence) {
  passed_ = std::max(passed_, fence);
  PopQueued(passed_);
  LandAll();
}

Result FastAllocator::Load(const Step& step, Row& row) {
  if (Refused(step)) return Result::kInvalid;
  const uint32_t block = Serve(MakeProgramRequest(step.name, step.size, step.pinned), row);
  if (block == kNoBlock) return Result::kFailed;
  ++stats_.num_live;
  Define(step.name, {step.size, block, Entity::Kind::kProgram});
  return Result::kOk;
}

Result FastAllocator::Unload(const Step& step) {
  if (Named(step.name).kind != Entity::Kind::kProgram) return Result::kNoOp;
  const uint32_t block = Forget(step.name);
  if (block != kNoBlock) Release(block);
  return Result::kOk;
}

Result FastAllocator::EvictOnDemand(const Step& step) {
  const Entity& entity = Named(step.name);
  const bool loaded = entity.kind == Entity::Kind::kProgram && entity.block != kNoBlock;
  if (!loaded || map_[entity.block].pinned) return Result::kNoOp;
  EvictProgram(entity.block);
  return Result::kOk;
}

Result FastAllocator::Query(Row& row) {
  TellFree(row);
  for (uint32_t at = map_.first(); at != MemoryMap::kEdge; at = map_[at].next) {
    const Block& hole = map_[at];
    if (hole.kind != MemoryMap::Kind::kHole) continue;
    Emit({.kind = EventKind::kFreeRange, .offset = hole.offset, .size = hole.reserved});
  }
  return Result::kOk;
}

// ---- Launches ----

bool FastAllocator::AttemptLaunch(const Step* execute, size_t num_outputs, Failing& failing) {
  ++launch_attempts_;
  placed_.assign(1, kNoBlock);
  const Entity& program = Named(execute->name);
  if (program.evicted()) {
    const BlockRequest request = MakeProgramRequest(execute->name, program.size, false);
    placed_[0] = Attempt(request);
    if (placed_[0] == kNoBlock) {
      failing = {request, 0};
      return false;
    }
  }
  for (size_t i = 1; i <= num_outputs; ++i) {
    const Step& output = execute[i];
    const BlockRequest request = MakeRequest(output);
    const Entity& donor = Named(output.donor);
    if (donor.kind == Entity::Kind::kBuffer) {
      Block& block = map_[donor.block];
      const bool fits =
          block.reserved >= request.need && (block.offset & (request.alignment - 1)) == 0;
      if (fits && block.donated != launch_attempts_) {
        block.donated = launch_attempts_;
        placed_.push_back(kNoBlock);
        continue;
      }
    }
    const uint32_t block = Attempt(request);
    if (block == kNoBlock) {
      failing = {request, static_cast<uint32_t>(i)};
      return false;
    }
    placed_.push_back(block);
  }
  return true;
}

void FastAllocator::GiveBack() {
  for (auto block = placed_.rbegin(); block != placed_.rend(); ++block) {
    if (*block == kNoBlock) continue;
    EmitBlock(EventKind::kGaveBack, map_[*block]);
    outcome_->events.back().other = map_[*block].kind == MemoryMap::Kind::kProgram ? 1 : 0;
    stats_.bytes_given_back += map_[*block].reserved;
    Release(*block);
  }
}

void FastAllocator::LoseDonated(const Step* outputs, size_t num_outputs) {
  for (size_t i = 0; i < num_outputs; ++i) {
    if (Named(outputs[i].donor).kind != Entity::Kind::kBuffer) continue;
    const uint32_t block = Forget(outputs[i].donor);
    EmitBlock(EventKind::kLost, map_[block]);
    Release(block);
  }
}

void FastAllocator::CommitLaunch(const Step* execute, size_t num_outputs, Row* rows) {
  if (placed_[0] != kNoBlock) {
    Place(execute->name, placed_[0]);
    ++stats_.num_live;
    EmitBlock(EventKind::kLoaded, map_[placed_[0]]);
  }
  map_[Named(execute->name).block].used_at = ++clock_;
  // Donors first: an output may bear the name of another output's donor.
  for (size_t i = 1; i <= num_outputs; ++i) {
    if (placed_[i] != kNoBlock) {
      CountAllocated(map_[placed_[i]]);
      continue;
    }
    const Step& output = execute[i];
    const uint32_t block = placed_[i] = Forget(output.donor);
    map_.Rename(block, output.name, std::max(output.alignment, policy_.granule));
    Emit({.kind = EventKind::kTookOver,
          .name = output.name,
          .other = output.donor,
          .offset = map_[block].offset,
          .size = map_[block].reserved});
  }
  for (size_t i = 1; i <= num_outputs; ++i) {
    const Block& block = map_[placed_[i]];
    ++stats_.num_live;
    Define(execute[i].name, {.block = placed_[i], .kind = Entity::Kind::kBuffer});
    rows[i].offset = block.offset;
    rows[i].reserved = block.reserved;
  }
}

// `rows[0]` is that of the execute, those of the outputs follow.
Result FastAllocator::Execute(const Step* execute, size_t num_outputs, Row* rows) {
  if (Named(execute->name).kind != Entity::Kind::kProgram) return Result::kNoOp;
  for (size_t i = 1; i <= num_outputs; ++i) {
    if (Refused(execute[i])) return Result::kInvalid;
  }
  evicted_.clear();
  Failing failing;
  for (uint32_t retries = 0;; ++retries) {
    ++stats_.launches.attempts;
    if (AttemptLaunch(execute, num_outputs, failing)) break;
    GiveBack();
    const uint32_t launching = Named(execute->name).block;
    const Cause cause = MayRetry(retries) ? ApplyMeasure(failing.request, launching) : Cause::kNone;
    if (cause == Cause::kNone) {
      FailForGood(rows[0], stats_.launches);
      rows[0].offset = failing.index;
      rows[0].reserved = failing.request.need;
      if (policy_.donated == Donated::kLost) LoseDonated(execute + 1, num_outputs);
      return Result::kFailed;
    }
    ++stats_.launches.retries;
    Emit({.kind = EventKind::kRetry, .cause = cause});
  }
  ++stats_.launches.successes;
  CommitLaunch(execute, num_outputs, rows);
  return Result::kOk;
}

// ---- The trace ----

Result FastAllocator::RunStep(const Step& step, Row& row) {
  switch (step.kind) {
    case StepKind::kAllocate:
      return Allocate(step, row);
    case StepKind::kReallocate:
      return Reallocate(step, row);
    case StepKind::kFree:
      return Free(step);
    case StepKind::kFreeLater:
      return FreeLater(step);
    case StepKind::kLoad:
      return Load(step, row);
    case StepKind::kUnload:
      return Unload(step);
    case StepKind::kEvict:
      return EvictOnDemand(step);
    case StepKind::kQuery:
      return Query(row);
    case StepKind::kFence:
      Fence(step.fence);
      return Result::kOk;
    case StepKind::kDefragment:
      Defragment(nullptr);
      return Result::kOk;
    case StepKind::kExecute:
      return Execute(&step, 0, &row);
    case StepKind::kOutput:
      return Result::kNoOp;  // with no execute before it
  }
  return Result::kUnsupported;
}

void FastAllocator::Run(const Trace& trace, TraceOutcome& outcome, StepTimes* times) {
  Reset(trace, outcome);
  if (times != nullptr) times->Start(trace.steps.size());
  const Step* const steps = trace.steps.data();
  Row* const rows = outcome.rows.data();
  const size_t num_steps = trace.steps.size();
  for (size_t i = 0; i < num_steps;) {
    if (times != nullptr) times->Enter();
    size_t end = i + 1;
    if (steps[i].kind == StepKind::kExecute) {
      while (end < num_steps && steps[end].kind == StepKind::kOutput) ++end;
    }
    const size_t first_event = outcome.events.size();
    for (size_t k = i; k < end; ++k) Blank(rows[k], first_event);
    const Result result =
        end > i + 1 ? Execute(steps + i, end - i - 1, rows + i) : RunStep(steps[i], rows[i]);
    const size_t last_event = outcome.events.size();
    rows[i].num_events = last_event - first_event;
    const uint64_t hash = map_.hash() + evicted_hash_ + HashFence(passed_);
    for (size_t k = i; k < end; ++k) {
      rows[k].result = result;
      if (k > i) rows[k].first_event = last_event;
      rows[k].stats = stats_;
      rows[k].state_hash = hash;
    }
    i = end;
    if (times != nullptr) times->Leave(), times->Next();
  }
}

void RunModel(const Trace& trace, TraceOutcome& outcome, StepTimes* times) {
  if (trace.policy.allocator == Allocator::kBfc) {
    bfc::Allocator model(BfcOptionsOf(trace.policy), trace.policy.bfc.deviations,
                         trace.policy.capacity, kFuel);
    BfcRunner(model, trace, outcome).Run();
    return;
  }
  static thread_local FastAllocator allocator;  // its buffers serve from case to case
  allocator.Run(trace, outcome, times);
}

}  // namespace oomph::hbm
