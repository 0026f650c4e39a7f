// See metrics.h.
#include "models/hbm/metrics.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "absl/container/btree_map.h"
#include "models/base/range.h"
#include "models/base/units.h"
#include "models/hbm/history.h"

namespace oomph::hbm {
namespace {

enum Metric : size_t { kPeak, kExternal, kInternal, kFailed, kFeasible, kRetries, kEvictions, kMoved, kNumMetrics };

// In the order of Metric.
constexpr std::array<MetricInfo, kNumMetrics> kMetrics = {{
    {"peak", "bytes", "highest end of a live block; of a heap with two ends, what both have reached together"},
    {"external", "share", "(free - largest free) / free, mean over the steps; nothing free counts as 0"},
    {"internal", "share", "(reserved - requested) / reserved, mean over the steps"},
    {"failed", "share", "requests that were refused for want of memory"},
    {"feasible", "share", "requests that were refused although some hole had the room, aligned"},
    {"retries", "count", "num_alloc_retries: attempts after the first"},
    {"evictions", "count", "programs pushed out of memory"},
    {"moved", "bytes", "moved by defragmentations and by reallocations that left their place"},
}};

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr size_t kMoments = 256;

struct Live {
  uint64_t stop = 0;
  uint64_t reserved = 0;
  uint64_t size = 0;
};

bool IsRequest(StepKind kind) {
  return kind == StepKind::kAllocate || kind == StepKind::kReallocate || kind == StepKind::kLoad ||
         kind == StepKind::kExecute;
}

// Goes through the steps with what is in memory after each.
class Walk {
 public:
  Walk(const Trace& trace, const TraceOutcome& outcome)
      : trace_(trace), outcome_(outcome), history_(MakeHistory(trace, outcome)) {}

  void Run(std::span<double> values) {
    SortEvents();
    const size_t stride = 1 + history_.num_steps / kMoments;
    for (size_t step = 0; step < history_.num_steps; ++step) {
      while (next_end_ < ends_.size() && history_.pieces[ends_[next_end_]].steps.end <= step) Leave(ends_[next_end_++]);
      while (next_begin_ < begins_.size() && history_.pieces[begins_[next_begin_]].steps.begin <= step) {
        Enter(begins_[next_begin_++]);
      }
      Count(step);
      if (step % stride == stride - 1 || step + 1 == history_.num_steps) Look();
    }
    Tell(values);
  }

 private:
  // Pieces in the order in which they come and in which they go.
  void SortEvents() {
    for (size_t i = 0; i < history_.pieces.size(); ++i) begins_.push_back(i);
    ends_ = begins_;
    const auto& pieces = history_.pieces;
    std::sort(begins_.begin(), begins_.end(), [&](size_t a, size_t b) {
      return std::pair(pieces[a].steps.begin, a) < std::pair(pieces[b].steps.begin, b);
    });
    std::sort(ends_.begin(), ends_.end(), [&](size_t a, size_t b) {
      return std::pair(pieces[a].steps.end, a) < std::pair(pieces[b].steps.end, b);
    });
  }

  void Enter(size_t index) {
    const HistoryPiece& piece = history_.pieces[index];
    const uint64_t stop = SaturatingAdd(piece.offset, piece.reserved);
    live_.emplace(std::pair(piece.offset, index), Live{stop, piece.reserved, piece.size});
    reserved_ += static_cast<double>(piece.reserved);
    wasted_ += static_cast<double>(SaturatingSub(piece.reserved, piece.size));
    touched_.push_back({piece.offset, stop});
    // Long lists of what was touched are merged now and then.
    if (touched_.size() > 2 * merged_ + 1024) Merge();
  }

  void Leave(size_t index) {
    const HistoryPiece& piece = history_.pieces[index];
    if (live_.erase(std::pair(piece.offset, index)) == 0) return;
    reserved_ -= static_cast<double>(piece.reserved);
    wasted_ -= static_cast<double>(SaturatingSub(piece.reserved, piece.size));
  }

  void Merge() {
    std::sort(touched_.begin(), touched_.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
    size_t kept = 0;
    for (const Range& range : touched_) {
      if (kept > 0 && range.begin <= touched_[kept - 1].end) {
        touched_[kept - 1].end = std::max(touched_[kept - 1].end, range.end);
      } else {
        touched_[kept++] = range;
      }
    }
    touched_.resize(kept);
    merged_ = kept;
  }

  void Count(size_t step) {
    const Step& s = trace_.steps[step];
    const Row& row = outcome_.rows[step];
    for (size_t i = row.first_event, n = 0; n < row.num_events && i < outcome_.events.size(); ++i, ++n) {
      const Event& event = outcome_.events[i];
      retries_ += event.kind == EventKind::kRetry;
      evictions_ += event.kind == EventKind::kEvicted;
      if (event.kind == EventKind::kMoved) moved_ += static_cast<double>(event.size);
    }
    if (!IsRequest(s.kind)) return;
    requests_ += row.result == Result::kOk || row.result == Result::kFailed;
    if (s.kind == StepKind::kReallocate && row.result == Result::kOk) CountMove(step, row);
    if (row.result != Result::kFailed) return;
    ++failed_;
    if (s.kind != StepKind::kExecute && SomeHoleFits(s)) ++feasible_;
  }

  // The block of a reallocation before it: the piece that ended here.
  void CountMove(size_t step, const Row& row) {
    for (size_t i = next_end_; i-- > 0 && history_.pieces[ends_[i]].steps.end == step;) {
      const HistoryPiece& piece = history_.pieces[ends_[i]];
      if (history_.blocks[piece.block].name != trace_.steps[step].name || piece.offset == row.offset) continue;
      moved_ += static_cast<double>(std::min(piece.reserved, row.reserved));
      return;
    }
  }

  // Calls f(range) for each range that nothing lives in.
  template <typename F>
  void ForEachHole(F f) const {
    uint64_t begin = 0;
    for (const auto& [at, block] : live_) {
      if (at.first > begin) f(Range{begin, std::min(at.first, capacity())});
      begin = std::max(begin, block.stop);
      if (begin >= capacity()) return;
    }
    if (capacity() > begin) f(Range{begin, capacity()});
  }
  uint64_t capacity() const { return trace_.policy.capacity; }

  bool SomeHoleFits(const Step& step) const {
    const uint64_t alignment = std::max<uint64_t>(step.alignment, 1), need = std::max<uint64_t>(step.size, 1);
    bool fits = false;
    ForEachHole([&](const Range& hole) {
      const auto begin = CheckedRoundUp(hole.begin, alignment);
      fits = fits || (begin && *begin < hole.end && hole.end - *begin >= need);
    });
    return fits;
  }

  void Look() {
    ++moments_;
    uint64_t free = 0, largest = 0;
    ForEachHole([&](const Range& hole) {
      free += hole.size();
      largest = std::max(largest, hole.size());
    });
    if (free > 0) external_ += static_cast<double>(free - largest) / static_cast<double>(free);
    if (reserved_ > 0) internal_ += wasted_ / reserved_;
  }

  // All of memory but the largest stretch that nothing ever lay in, which for a heap that grows from 0 is what
  // lies above its highest block. Where memory itself grew there is no end to count from.
  double Peak() {
    if (touched_.empty()) return 0;
    if (Grew()) return static_cast<double>(touched_.back().end);
    uint64_t largest = 0, begin = 0;
    for (const Range& range : touched_) {
      largest = std::max(largest, SaturatingSub(range.begin, begin));
      begin = std::max(begin, range.end);
    }
    largest = std::max(largest, SaturatingSub(capacity(), begin));
    return static_cast<double>(std::max(capacity(), begin) - largest);
  }

  // Memory came in regions that lie above the capacity. Not before Merge.
  bool Grew() const { return outcome_.grows && !touched_.empty() && touched_.back().end > capacity(); }

  void Tell(std::span<double> values) {
    Merge();
    const auto share = [](double part, double whole) { return whole > 0 ? part / whole : 0; };
    // Regions lie anywhere: what is free between them is nobody's.
    const bool bounded = !Grew();
    values[kPeak] = Peak();
    values[kExternal] = bounded ? share(external_, moments_) : kUnknown;
    values[kInternal] = share(internal_, moments_);
    values[kFailed] = share(failed_, requests_);
    values[kFeasible] = bounded ? share(feasible_, requests_) : kUnknown;
    values[kRetries] = retries_;
    values[kEvictions] = evictions_;
    values[kMoved] = moved_;
  }

  const Trace& trace_;
  const TraceOutcome& outcome_;
  const History history_;
  std::vector<size_t> begins_, ends_;
  size_t next_begin_ = 0, next_end_ = 0;
  absl::btree_map<std::pair<uint64_t, size_t>, Live> live_;  // by offset; two may overlap
  std::vector<Range> touched_;
  size_t merged_ = 0;
  double reserved_ = 0, wasted_ = 0;
  double external_ = 0, internal_ = 0, moments_ = 0;
  double requests_ = 0, failed_ = 0, feasible_ = 0, retries_ = 0, evictions_ = 0, moved_ = 0;
};

}  // namespace

std::span<const MetricInfo> Metrics() { return kMetrics; }

bool MeasureOutcome(const Trace& trace, const TraceOutcome& outcome, std::span<double> values) {
  if (outcome.rows.size() < trace.steps.size()) return false;
  for (size_t i = 0; i < trace.steps.size(); ++i) {
    if (outcome.rows[i].result >= Result::kOutOfFuel) return false;
  }
  Walk(trace, outcome).Run(values);
  return true;
}

}  // namespace oomph::hbm
