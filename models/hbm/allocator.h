// The runtime HBM allocator, fast: for every trace the same outcome as RunSpecification, row by
// row, event by event.
// Not for: being believed at sight (see specification.h, which says what the rules are and where
// they come from).
//
// A step costs a few searches in short sorted arrays; nothing is allocated once the buffers have
// grown. Linear are what lists (queries, reports), the planning of a defragmentation, and programs,
// which are few.
#ifndef OOMPH_MODELS_HBM_ALLOCATOR_H_
#define OOMPH_MODELS_HBM_ALLOCATOR_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/base/step_times.h"
#include "models/hbm/memory_map.h"
#include "models/hbm/outcome.h"
#include "models/hbm/trace.h"

namespace oomph::hbm {

// Runs any number of traces, one after the other, in the same buffers.
class FastAllocator {
 public:
  void Run(const Trace& trace, TraceOutcome& outcome, StepTimes* times = nullptr);

 private:
  using Block = MemoryMap::Node;
  static constexpr uint32_t kNoBlock = MemoryMap::kEdge;

  // What a name stands for now.
  struct Entity {
    enum class Kind : uint32_t { kNothing, kBuffer, kProgram };
    uint64_t size = 0;          // programs: bytes asked for
    uint32_t block = kNoBlock;  // kNoBlock: an evicted program, which is never a pinned one
    Kind kind = Kind::kNothing;

    bool evicted() const { return kind == Kind::kProgram && block == kNoBlock; }
  };
  struct Queued {
    uint32_t fence;
    uint32_t block;
    uint64_t offset;
  };
  struct Evicted {
    Block block;
    bool named;  // its name still stood for it
  };
  // What a launch that did not get all its outputs was asking for.
  struct Failing {
    BlockRequest request;
    uint32_t index;  // 0: the program itself
  };

  void Reset(const Trace& trace, TraceOutcome& outcome);
  void Emit(const Event& event) { outcome_->events.push_back(event); }
  void EmitBlock(EventKind kind, const Block& block);
  uint64_t FreeBytes() const { return capacity_ - stats_.bytes_in_use - stats_.bytes_reserved; }

  // Names.
  const Entity& Named(uint32_t name) const;
  void Define(uint32_t name, const Entity& entity);
  void Place(uint32_t program, uint32_t block);  // an evicted program is loaded
  uint32_t Forget(uint32_t name);                // gives the block

  // Requests.
  bool Refused(const Step& step) const;
  BlockRequest MakeRequest(const Step& step) const;
  BlockRequest MakeProgramRequest(uint32_t name, uint64_t size, bool pinned) const;
  uint32_t Attempt(const BlockRequest& request);
  Cause ApplyMeasure(const BlockRequest& request, uint32_t launching);
  bool MayRetry(uint32_t retries) const {
    return policy_.retry_limit == 0 || retries < policy_.retry_limit;
  }
  void FailForGood(Row& row, Ledger& ledger);
  uint32_t Serve(const BlockRequest& request, Row& row);  // kNoBlock: it failed
  void TellFree(Row& row) const;
  void UndoEvictions();
  void CountAllocated(const Block& block);
  void Release(uint32_t block);

  // Measures.
  bool Wait();
  bool Defragment(const BlockRequest* request);
  bool Evict(const BlockRequest& request, uint32_t launching);
  void EvictProgram(uint32_t block);
  void PopQueued(uint32_t fence);  // those up to it, to landing_
  void LandAll();                  // what is in landing_, in address order

  // Steps.
  Result RunStep(const Step& step, Row& row);
  Result Allocate(const Step& step, Row& row);
  Result Reallocate(const Step& step, Row& row);
  Result Free(const Step& step);
  Result FreeLater(const Step& step);
  Result Load(const Step& step, Row& row);
  Result Unload(const Step& step);
  Result EvictOnDemand(const Step& step);
  Result Query(Row& row);
  void Fence(uint32_t fence);
  Result Execute(const Step* execute, size_t num_outputs, Row* rows);
  bool AttemptLaunch(const Step* execute, size_t num_outputs, Failing& failing);
  void GiveBack();
  void LoseDonated(const Step* outputs, size_t num_outputs);
  void CommitLaunch(const Step* execute, size_t num_outputs, Row* rows);

  Policy policy_;
  uint64_t capacity_ = 0;  // whole granules
  MemoryMap map_;
  std::vector<Entity> entities_;
  std::vector<Queued> queue_;  // a heap, the lowest fence on top
  std::vector<Queued> landing_;
  std::vector<Evicted> evicted_;  // for the request at hand
  std::vector<uint32_t>
      placed_;  // by the launch attempt at hand; kNoBlock: loaded before, or took over
  uint64_t evicted_hash_ = 0;
  uint64_t clock_ = 0;
  uint32_t passed_ = 0;           // the highest fence that has passed
  uint32_t launch_attempts_ = 0;  // of the whole trace
  Stats stats_;
  TraceOutcome* outcome_ = nullptr;
};

// The built-in model that a trace's policy names.
void RunModel(const Trace& trace, TraceOutcome& outcome, StepTimes* times = nullptr);

}  // namespace oomph::hbm

#endif  // OOMPH_MODELS_HBM_ALLOCATOR_H_
