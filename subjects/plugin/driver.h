// Driver: plays an HBM trace through the online calls of a plugin and writes down what it answers.
// Not for: judging the answers, or surviving a plugin that crashes (see subjects/child).
//
// How a trace maps onto the calls:
//   - a step whose capability is absent is kUnsupported; one that names nothing live is a kNoOp;
//   - a name given twice shadows the first block, which then stays allocated until the end;
//   - a block freed later stays occupied until its fence, whose row has a kLanded event for it; if
//     the fence has passed already it is freed at once, with the event in its own row;
//   - programs, executes, evictions and defragmentations are kUnsupported;
//   - the trace's policy is ignored but for the capacity, and `end` under Ends::kTwo;
//   - a reallocation that asks for no alignment asks for the one that the block was given with;
//   - where there is memory behind the offsets, each block is filled (see contents.h) and checked
//     when it is freed, moved, or still there at the end.
// The outcome ends with the first row that is kOutOfFuel, kCorrupt or kInconsistent.
#ifndef OOMPH_SUBJECTS_PLUGIN_DRIVER_H_
#define OOMPH_SUBJECTS_PLUGIN_DRIVER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/step_times.h"
#include "models/hbm/outcome.h"
#include "models/hbm/trace.h"
#include "subjects/child/journal.h"
#include "subjects/plugin/plugin.h"

namespace oomph::hbm {

struct DriverOptions {
  std::string options;            // of the variant, as oomph_create takes them
  uint64_t fuel = kFuel;  // as the models have it
  uint64_t seed = 1;
  std::function<void*(const oomph_config&)> create =
      {};  // instead of oomph_create, for what needs more than a config
};

class Driver {
 public:
  // Each row is also written to `journal` unless it is null.
  Driver(std::shared_ptr<const Plugin> plugin, DriverOptions options, Journal* journal = nullptr);

  // Allocates nothing once it has seen cases of this length.
  void Run(const Trace& trace, TraceOutcome& outcome);

  // Where the steps of the runs from now on write how long the plugin's own calls took; null: nowhere.
  void TimeSteps(StepTimes* into) { times_ = into; }

  // The capabilities of this variant, which may lack what the plugin can do with other options.
  uint64_t caps() const { return caps_; }

 private:
  struct Block {
    uint64_t handle = 0;
    uint64_t offset = 0;
    uint64_t size = 0;
    uint64_t reserved = 0;
    uint64_t alignment = 0;
    void* contents = nullptr;  // nullptr: not filled
    uint32_t name = 0;
    bool occupied = false;
  };
  // A block that waits for its fence; a heap with the lowest fence, then the oldest, on top.
  struct Queued {
    uint32_t fence;
    uint32_t block;
    uint64_t order;
    bool operator<(const Queued& other) const {
      return fence != other.fence ? fence > other.fence : order > other.order;
    }
  };

  void* Create(uint64_t capacity) const;
  uint64_t Probe() const;
  bool Begin(const Trace& trace);
  void RunSteps();
  void RunWholeCase();
  void End();

  Result Do(const Step& step, Row& row);
  Result Allocate(const Step& step, Row& row);
  Result Reallocate(const Step& step, Row& row);
  Result Free(const Step& step);
  Result FreeLater(const Step& step);
  Result Fence(const Step& step);
  Result Query(Row& row);
  void Observe(Row& row);  // statistics, hash, the plugin's own check

  // A call of the plugin that does the step's work; what the harness does around it is not timed.
  template <typename Call>
  int Timed(Call call) {
    if (times_ == nullptr) return call();
    times_->Enter();
    const int code = call();
    times_->Leave();
    return code;
  }

  void FetchStats(Row& row);
  Result FreeBlock(uint32_t block);  // now, through oomph_free
  Result Answer(int code, const char* call);
  Result Damage(std::string note, Result result = Result::kCorrupt);
  bool Can(uint64_t caps) const { return (caps_ & caps) == caps; }
  uint32_t& Named(const Step& step) { return by_name_[step.name]; }
  uint32_t NewBlock(uint32_t name);
  void ReleaseBlock(uint32_t block);
  void Landed(const Block& block);
  void FillBlock(Block& block);
  // kOk, or kCorrupt where the first `kept` bytes at `contents` are not what was written.
  Result CheckBlock(const Block& block, const void* contents, uint64_t kept);
  void RefuseAll(std::string_view note);

  const std::shared_ptr<const Plugin> plugin_;
  const Plugin::Calls calls_;
  const DriverOptions options_;
  const uint64_t caps_;
  Journal* const journal_;
  StepTimes* times_ = nullptr;

  // Of the case that runs.
  const Trace* trace_ = nullptr;
  TraceOutcome* outcome_ = nullptr;
  void* self_ = nullptr;
  uint32_t passed_fence_ = 0;
  uint64_t queue_order_ = 0;
  std::vector<uint32_t> by_name_;  // into blocks_, kNobody where the name is not live
  std::vector<Block> blocks_;
  std::vector<uint32_t> unused_blocks_;
  std::vector<Queued> queue_;
};

}  // namespace oomph::hbm

#endif  // OOMPH_SUBJECTS_PLUGIN_DRIVER_H_
