// Replays an outcome into blocks and pieces. Not for judging.

#include "models/hbm/history.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "models/base/range.h"
#include "models/hbm/outcome.h"
#include "models/hbm/trace.h"

namespace oomph::hbm {
namespace {

constexpr size_t kNone = SIZE_MAX;

class Replay {
 public:
  Replay(const Trace& trace, const TraceOutcome& outcome) : trace_(trace), outcome_(outcome) {}

  History Run() && {
    history_.num_steps = std::min(trace_.steps.size(), outcome_.rows.size());
    while (history_.num_steps > 0 && outcome_.rows[history_.num_steps - 1].result == Result::kUnknown) {
      --history_.num_steps;
    }
    for (step_ = 0; step_ < history_.num_steps; ++step_) RunStep();
    now_ = history_.num_steps;
    for (size_t block = 0; block < open_.size(); ++block) Close(block);
    std::erase_if(history_.pieces, [](const HistoryPiece& piece) { return piece.steps.empty(); });
    return std::move(history_);
  }

 private:
  using Key = std::pair<uint64_t, uint32_t>;  // Offset and name.

  void RunStep() {
    const Step& step = trace_.steps[step_];
    const Row& row = outcome_.rows[step_];
    evicted_.clear();
    if (step.kind != StepKind::kOutput) {
      donors_.clear();
      now_ = step_;  // Outputs come into being with their launch.
    }
    Touch(step.name, HasName(step.kind));
    Touch(step.donor, step.donor != kNobody);
    for (const Event& event : EventsOf(row)) Apply(event);
    const bool places = step.kind == StepKind::kAllocate || step.kind == StepKind::kLoad ||
                        step.kind == StepKind::kOutput || step.kind == StepKind::kReallocate;
    const bool damaged = row.result == Result::kCorrupt || row.result == Result::kInconsistent;
    if (row.result == Result::kOk || (damaged && !places)) Apply(step, row);
  }

  static bool HasName(StepKind kind) {
    return kind != StepKind::kFence && kind != StepKind::kDefragment && kind != StepKind::kQuery;
  }

  std::span<const Event> EventsOf(const Row& row) const {
    const std::span<const Event> all = outcome_.events;
    const size_t first = std::min<size_t>(row.first_event, all.size());
    return all.subspan(first, std::min<size_t>(row.num_events, all.size() - first));
  }

  // --- steps ---

  void Apply(const Step& step, const Row& row) {
    switch (step.kind) {
      case StepKind::kAllocate:
      case StepKind::kOutput:
      case StepKind::kLoad:
        if (step.kind == StepKind::kLoad) program_sizes_[step.name] = step.size;
        return Create(step, step.kind == StepKind::kLoad, row.offset, row.reserved);
      case StepKind::kReallocate:
        return Reallocate(step, row);
      case StepKind::kFree:
      case StepKind::kUnload:
        return End(Unbind(step.name));
      case StepKind::kFreeLater:
        return Queue(Unbind(step.name), step.fence);
      case StepKind::kFence:
        return Pass(step.fence);
      case StepKind::kEvict:
        return End(Bound(step.name));
      case StepKind::kExecute:
      case StepKind::kDefragment:
      case StepKind::kQuery:
        return;
    }
  }

  void Create(const Step& step, bool program, uint64_t offset, uint64_t reserved) {
    const size_t block = history_.blocks.size();
    history_.blocks.push_back({.name = step.name,
                               .program = program,
                               .pinned = step.pinned,
                               .end = step.end,
                               .created = step_,
                               .last_named = step_});
    // An output lies where its donor lay, and is bound to that end and place as it was.
    if (const auto donor = donors_.find(step.name); donor != donors_.end()) {
      history_.blocks[block].end = history_.blocks[donor->second].end;
      history_.blocks[block].pinned = history_.blocks[donor->second].pinned;
    }
    open_.push_back(kNone);
    Bind(step.name, block);
    Open({block, {}, offset, reserved, step.size, step.alignment});
  }

  void Reallocate(const Step& step, const Row& row) {
    const size_t block = Bound(step.name);
    if (block == kNone || open_[block] == kNone) return;
    const uint64_t before = history_.pieces[open_[block]].alignment;
    Close(block);
    Open({block, {}, row.offset, row.reserved, step.size, step.alignment == 0 ? before : step.alignment});
  }

  void Queue(size_t block, uint32_t fence) {
    if (block == kNone || open_[block] == kNone) return;  // It has landed already.
    if (fence <= passed_) return End(block);
    HistoryPiece piece = history_.pieces[open_[block]];
    piece.fence = fence;
    Close(block);
    Open(piece);
    queued_.push_back(block);
  }

  // For subjects that do not tell what lands.
  void Pass(uint32_t fence) {
    passed_ = std::max(passed_, fence);
    std::erase_if(queued_, [&](size_t block) {
      if (open_[block] != kNone && history_.pieces[open_[block]].fence > passed_) return false;
      End(block);
      return true;
    });
  }

  // --- events ---

  void Apply(const Event& event) {
    switch (event.kind) {
      case EventKind::kLanded:
        return End(At(event.offset, event.name, true));
      case EventKind::kMoved:
        return Move(At(event.from, event.name, false), event.offset);
      case EventKind::kEvicted:
        return Evict(At(event.offset, event.name, false));
      case EventKind::kRestored:
        return Restore(event);
      case EventKind::kLoaded:
        return Load(event);
      case EventKind::kTookOver:
        return TakeOver(event);
      case EventKind::kLost:
        return Lose(At(event.offset, event.name, false));
      default:
        return;  // Nothing came or went; what was given back did both within the step.
    }
  }

  void Move(size_t block, uint64_t offset) {
    if (block == kNone) return;
    HistoryPiece piece = history_.pieces[open_[block]];
    piece.offset = offset;
    Close(block);
    Open(piece);
  }

  void Evict(size_t block) {
    if (block == kNone) return;
    End(block);
    evicted_.push_back(block);
  }

  void Restore(const Event& event) {
    for (const size_t block : evicted_) {
      if (history_.blocks[block].name != event.name || open_[block] != kNone) continue;
      history_.blocks[block].ended = kNever;
      Open({block, {}, event.offset, event.size, SizeOf(event)});
      return;
    }
  }

  void Load(const Event& event) {
    Step load;
    load.kind = StepKind::kLoad;
    load.name = event.name;
    load.size = SizeOf(event);
    Create(load, true, event.offset, event.size);
  }

  // The bytes that a program's load asked for; those reserved where there was none.
  uint64_t SizeOf(const Event& event) const {
    const auto size = program_sizes_.find(event.name);
    return size == program_sizes_.end() ? event.size : size->second;
  }

  void TakeOver(const Event& event) {
    const size_t donor = Unbind(event.other);
    End(donor);
    if (donor != kNone) donors_[event.name] = donor;
  }

  void Lose(size_t block) {
    if (block == kNone) return;
    if (Bound(history_.blocks[block].name) == block) Unbind(history_.blocks[block].name);
    End(block);
  }

  // --- names and places ---

  size_t Bound(uint32_t name) const {
    const auto found = bound_.find(name);
    return found == bound_.end() ? kNone : found->second;
  }

  size_t Unbind(uint32_t name) {
    const size_t block = Bound(name);
    bound_.erase(name);
    return block;
  }

  void Bind(uint32_t name, size_t block) {
    const size_t before = Bound(name);
    if (before != kNone && open_[before] != kNone) history_.blocks[before].shadowed = now_;
    bound_[name] = block;
  }

  void Touch(uint32_t name, bool is_named) {
    if (!is_named || Bound(name) == kNone) return;
    history_.blocks[Bound(name)].last_named = step_;
  }

  // The block of that name at that offset, a queued one first if wanted.
  size_t At(uint64_t offset, uint32_t name, bool prefer_queued) const {
    const auto [begin, end] = places_.equal_range(Key{offset, name});
    size_t found = kNone;
    for (auto it = begin; it != end; ++it) {
      const bool queued = history_.pieces[open_[it->second]].queued();
      if (found == kNone || queued == prefer_queued) found = it->second;
    }
    return found;
  }

  void Open(HistoryPiece piece) {
    piece.steps = {now_, now_};
    open_[piece.block] = history_.pieces.size();
    places_.emplace(Key{piece.offset, history_.blocks[piece.block].name}, piece.block);
    history_.pieces.push_back(piece);
  }

  void Close(size_t block) {
    if (block == kNone || open_[block] == kNone) return;
    HistoryPiece& piece = history_.pieces[open_[block]];
    piece.steps.end = now_;
    const auto [begin, end] = places_.equal_range(Key{piece.offset, history_.blocks[block].name});
    const auto place = std::find_if(begin, end, [&](const auto& entry) { return entry.second == block; });
    if (place != end) places_.erase(place);
    open_[block] = kNone;
  }

  void End(size_t block) {
    if (block == kNone || open_[block] == kNone) return;
    Close(block);
    history_.blocks[block].ended = step_;
  }

  const Trace& trace_;
  const TraceOutcome& outcome_;
  History history_;
  size_t step_ = 0;
  size_t now_ = 0;            // The step; of an output, its launch.
  uint32_t passed_ = 0;       // The highest fence.
  std::vector<size_t> open_;  // Of each block: its last piece, kNone when not in memory.
  std::vector<size_t> queued_;
  std::vector<size_t> evicted_;                   // In this step.
  absl::flat_hash_map<uint32_t, size_t> donors_;  // Of this launch, by the output's name.
  std::multimap<Key, size_t> places_;             // Of the blocks in memory.
  absl::flat_hash_map<uint32_t, size_t> bound_;   // What a name stands for.
  absl::flat_hash_map<uint32_t, uint64_t> program_sizes_;
};

}  // namespace

std::vector<HistoryPiece> History::After(size_t step) const {
  std::vector<HistoryPiece> found;
  for (const HistoryPiece& piece : pieces) {
    if (Contains(piece.steps, step)) found.push_back(piece);
  }
  std::sort(found.begin(), found.end(), [](const HistoryPiece& a, const HistoryPiece& b) {
    return std::pair(a.offset, a.block) < std::pair(b.offset, b.block);
  });
  return found;
}

History MakeHistory(const Trace& trace, const TraceOutcome& outcome) { return Replay(trace, outcome).Run(); }

}  // namespace oomph::hbm
