// Runs a trace on one of the BFC models, so that its outcome is row by row that of the plugin over the
// shipped allocator. Not for: the TPU runtime's policies (see allocator.h).
#ifndef OOMPH_MODELS_HBM_BFC_RUN_H_
#define OOMPH_MODELS_HBM_BFC_RUN_H_

#include <algorithm>
#include <vector>

#include "models/hbm/bfc_options.h"
#include "models/hbm/bfc_types.h"
#include "models/hbm/outcome.h"
#include "models/hbm/trace.h"

namespace oomph::hbm {

bfc::Options BfcOptionsOf(const Policy& policy);
Result ResultOf(bfc::Status status);

// `Model` is bfc::Allocator or bfc::Specification, or a planted fault of the latter.
template <typename Model>
class BfcRunner {
 public:
  BfcRunner(Model& model, const Trace& trace, TraceOutcome& outcome)
      : model_(model), trace_(trace), outcome_(outcome) {}

  void Run() {
    outcome_.clear();
    outcome_.lists_free = outcome_.grows = true;
    outcome_.stats_known =
        stat::kBytesInUse | stat::kPeakBytesInUse | stat::kNumAllocs | stat::kLargestAllocSize;
    for (const Step& step : trace_.steps) {
      Row& row = outcome_.rows.emplace_back();
      row.first_event = outcome_.events.size();
      row.result = Do(step, row);
      const bfc::Stats& stats = model_.stats();
      row.stats.bytes_in_use = stats.bytes_in_use;
      row.stats.peak_bytes_in_use = stats.peak_bytes_in_use;
      row.stats.num_allocs = stats.num_allocs;
      row.stats.largest_alloc_size = stats.largest_alloc_size;
      row.num_events = outcome_.events.size() - row.first_event;
      if (row.result == Result::kOutOfFuel || row.result == Result::kDied) return;
    }
  }

 private:
  struct Block {
    uint64_t offset = 0;
    uint64_t reserved = 0;
    bool live = false;
  };
  struct Queued {
    uint32_t fence = 0;
    uint32_t name = 0;
    Block block;
  };

  Block& Named(uint32_t name) {
    if (name >= blocks_.size()) blocks_.resize(name + 1);
    return blocks_[name];
  }
  void Landed(uint32_t name, const Block& block) {
    outcome_.events.push_back(
        {.kind = EventKind::kLanded, .name = name, .offset = block.offset, .size = block.reserved});
  }

  Result Allocate(const Step& step, Row& row) {
    const bfc::End end = step.end == End::kLow    ? bfc::End::kLow
                         : step.end == End::kHigh ? bfc::End::kHigh
                                                  : bfc::End::kAny;
    const bfc::Result result = model_.Allocate(step.size, step.alignment, end);
    for (uint32_t i = 0; i < bfc::path::kNumPaths; ++i) {
      if (result.paths >> i & 1) outcome_.events.push_back({.kind = EventKind::kFallback, .name = i});
    }
    if (result.status != bfc::Status::kOk) return ResultOf(result.status);
    row.offset = result.offset;
    row.reserved = result.reserved;
    Named(step.name) = {result.offset, result.reserved, true};
    return Result::kOk;
  }

  Result FreeLater(const Step& step) {
    if (trace_.policy.bfc.timestamps == bfc::Timestamps::kOff) return Result::kUnsupported;
    Block& block = Named(step.name);
    if (!block.live) return Result::kNoOp;
    if (step.fence <= passed_) {
      const Result result = ResultOf(model_.Free(block.offset));
      block.live = false;
      Landed(step.name, block);
      return result;
    }
    if (trace_.policy.bfc.timestamps == bfc::Timestamps::kLoose) return Result::kUnsupported;
    const Result result = ResultOf(model_.FreeAfter(block.offset, step.fence));
    block.live = false;
    // By fence, and of one fence in the order of the frees.
    const auto after = std::upper_bound(queue_.begin(), queue_.end(), step.fence,
                                        [](uint32_t fence, const Queued& queued) { return fence < queued.fence; });
    queue_.insert(after, {step.fence, step.name, block});
    return result;
  }

  Result Fence(const Step& step) {
    if (trace_.policy.bfc.timestamps == bfc::Timestamps::kOff) return Result::kUnsupported;
    if (step.fence <= passed_) return Result::kOk;
    const Result result = ResultOf(model_.Fence(step.fence));
    passed_ = step.fence;
    size_t landed = 0;
    for (; landed < queue_.size() && queue_[landed].fence <= passed_; ++landed) {
      Landed(queue_[landed].name, queue_[landed].block);
    }
    queue_.erase(queue_.begin(), queue_.begin() + landed);
    return result;
  }

  Result Do(const Step& step, Row& row) {
    switch (step.kind) {
      case StepKind::kAllocate:
        return Allocate(step, row);
      case StepKind::kFree: {
        Block& block = Named(step.name);
        if (!block.live) return Result::kNoOp;
        block.live = false;
        return ResultOf(model_.Free(block.offset));
      }
      case StepKind::kFreeLater:
        return FreeLater(step);
      case StepKind::kFence:
        return Fence(step);
      case StepKind::kQuery:
        model_.ForEachFree([&](uint64_t offset, uint64_t size) {
          outcome_.events.push_back({.kind = EventKind::kFreeRange, .offset = offset, .size = size});
          row.free_bytes += size;
          row.largest_free = std::max(row.largest_free, size);
        });
        return Result::kOk;
      default:
        return Result::kUnsupported;
    }
  }

  Model& model_;
  const Trace& trace_;
  TraceOutcome& outcome_;
  std::vector<Block> blocks_;
  std::vector<Queued> queue_;
  uint32_t passed_ = 0;
};

}  // namespace oomph::hbm

#endif  // OOMPH_MODELS_HBM_BFC_RUN_H_
