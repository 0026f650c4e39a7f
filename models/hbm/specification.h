// The runtime HBM allocator as a specification: naive, in small named steps, each citing the rule it
// rests on. It is meant to be believed at sight. Not for speed: see allocator.h, which must give the
// same outcome row by row.
//
// Sources: "E0100" and "E0101" are the error pages of openxla.org; "assumed" marks what nobody has
// published, all of which is a parameter in Policy (trace.h) unless said otherwise. docs/FACTS.md has
// the list.
//
//   0            top                                     capacity
//   |  programs  |  holes and buffers ...                |
//   +------------+---------------------------------------+
//   one block: programs, and holes that programs left.     Buffers come from the end that the policy says.
#ifndef OOMPH_MODELS_HBM_SPECIFICATION_H_
#define OOMPH_MODELS_HBM_SPECIFICATION_H_

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/base/range.h"
#include "models/base/step_times.h"
#include "models/hbm/outcome.h"
#include "models/hbm/trace.h"

namespace oomph::hbm {

// No request is retried more often than this: what does not end is out of fuel.
inline constexpr uint32_t kMostRetries = 1024;

// A planted fault derives from this and replaces one of the virtual steps (fuzz/faults/hbm.cc).
class Specification {
 public:
  explicit Specification(const Trace& trace);
  virtual ~Specification() = default;
  void Run(TraceOutcome& outcome, StepTimes* times = nullptr);

 protected:
  // A request for one block, after rounding.
  struct Request {
    uint32_t name = 0;
    uint64_t size = 0;       // bytes asked for
    uint64_t need = 0;       // bytes after rounding; 2^64 - 1 if that is not a number
    uint64_t alignment = 1;  // a power of two, at least the granule
    End end = End::kHigh;    // kLow or kHigh
    bool program = false;
    bool pinned = false;
  };
  struct Block {
    uint64_t serial = 0;  // unique in a run, from 1
    uint32_t name = 0;
    uint64_t offset = 0;
    uint64_t reserved = 0;
    uint64_t size = 0;
    uint64_t alignment = 1;
    End end = End::kHigh;
    bool program = false;
    bool pinned = false;
    uint32_t fence = 0;        // > 0: a queued free
    uint64_t loaded_at = 0;    // programs: clock of the load
    uint64_t used_at = 0;      // programs: clock of the last launch, or of the load
    uint64_t stop() const { return offset + reserved; }
    bool movable() const { return !pinned && fence == 0; }
  };
  // What a name stands for now.
  struct Entity {
    enum class Kind : uint8_t { kNothing, kBuffer, kProgram } kind = Kind::kNothing;
    uint64_t serial = 0;  // of its block; 0: an evicted program
    uint64_t size = 0;
    bool pinned = false;
  };
  // A free range, by index into holes_, and where in it the request would begin.
  struct Place {
    size_t hole = 0;
    uint64_t offset = 0;
  };
  struct Move {
    uint64_t serial = 0;
    uint64_t to = 0;
  };

  // ---- The steps. Each is one rule. ----

  // Sizes round up to the granule. (E0100: memory is allocated in chunks and padded; granule assumed.)
  virtual uint64_t RoundUp(uint64_t size) const;
  // The alignment that a request is served with. (Assumed: a power of two, at least the granule.)
  virtual uint64_t EffectiveAlignment(uint64_t asked) const;
  // Where the holes begin that a request may use. Programs lie in one block at the bottom (E0101:
  // "reserve at the bottom of memory"), so they take holes below the lowest buffer and buffers those
  // above the block. Under Ends::kTwo each end has its own holes and shares only the central gap.
  virtual Range Usable(const Request& request) const;
  // Where a request begins in a hole: at the end that it comes from, aligned; nothing if it does not fit.
  virtual std::optional<uint64_t> PlaceIn(const Range& hole, const Request& request) const;
  // The hole that serves a request: own holes before the central gap, then by the fit, then the one
  // nearest to the end. (E0100: "a single contiguous block"; the fit is assumed.)
  virtual std::optional<Place> PickHole(const Request& request) const;
  // Cuts [offset, offset + need) out of a hole; what is left on either side stays free.
  virtual void Split(size_t hole, const Range& taken);
  // A range becomes free and joins the holes beside it. (E0100 knows fragmentation only between live blocks.)
  virtual void Merge(const Range& freed);
  // Whether another attempt is allowed. (Assumed: retry_limit.)
  virtual bool MayRetry(uint32_t retries) const;
  // The queued frees that land when a request waits: the indices in blocks_, oldest fence first.
  // (E0100: "if there are queued deallocations, the runtime retries failed allocations".)
  virtual std::vector<uint64_t> LandByWaiting() const;
  // Whether a failed request calls for defragmentation. (E0100: on OOMs caused by fragmentation, that
  // is when the free bytes suffice.)
  virtual bool CausedByFragmentation(const Request& request) const;
  // Where everything movable goes: programs down (if they may move), low buffers down onto them, high
  // buffers up, in their order. In an order in which no move overwrites another. (Assumed.)
  virtual std::vector<Move> PlanMoves() const;
  // Whether the planned moves are worth making: the largest hole grows, or the request fits. (Assumed.)
  virtual bool MovesHelp(const std::vector<Move>& moves, const Request* request) const;
  // The loaded program to evict next for a request; serial, 0 = none. `launching` is never a victim, nor is
  // what is pinned. (E0100: "evict loaded programs until enough memory is available"; order assumed.)
  virtual uint64_t PickVictim(const Request& request, uint64_t launching) const;
  // Puts programs back that were evicted for a request that failed anyway. (Assumed: Undo.)
  virtual void UndoEvictions();
  // Whether an output takes over the memory of its donor. (jax donate_argnums: reuse for an output.)
  virtual bool TakesOver(const Step& output, const Request& request) const;
  // A launch that failed gives back every output that it got, and starts again (XLA's
  // ExecutePrepareWithOomRetries: the whole preparation is repeated).
  virtual void GiveBack(std::vector<uint64_t>& placed);
  // Bookkeeping.
  virtual void CountAttempt(Ledger& ledger) { ++ledger.attempts; }
  virtual void CountSuccess(Ledger& ledger) { ++ledger.successes; }
  virtual void CountFailure(Ledger& ledger) { ++ledger.failures; }
  virtual void CountRetry(Ledger& ledger) { ++ledger.retries; }
  virtual void CountPlaced(const Block& block);
  virtual void CountReleased(const Block& block);
  // The last word on a failed request: what the error message and the report say.
  virtual void TellFailure(Row& row);
  virtual void WriteReport();
  virtual void AnswerQuery(Row& row);
  virtual void ListFree();
  // What happens after a request has failed for good, before the next step. Nothing.
  virtual void AfterFailure(const Request& /*request*/) {}
  // What serves a block, once its place is known. Returns the new block's serial.
  virtual uint64_t Occupy(const Request& request, const Place& place);
  virtual void Release(uint64_t serial);
  virtual Result Free(const Step& step);
  virtual Result Reallocate(const Step& step, Row& row);
  virtual void Fence(uint32_t fence);
  virtual Result FreeLater(const Step& step);
  // One attempt at a request, and the order of measures between attempts.
  virtual bool Attempt(const Request& request);
  virtual Cause ApplyMeasure(const Request& request, uint64_t launching);
  virtual bool Defragment(const Request* request);
  virtual bool Evict(const Request& request, uint64_t launching);
  virtual bool Wait();
  virtual void EvictProgram(uint64_t serial);

  // ---- What the steps work on. ----

  Block* Find(uint64_t serial);
  const Block* Find(uint64_t serial) const;
  Entity& Named(uint32_t name);
  uint64_t Top() const;           // end of the programs' block
  uint64_t LowestBuffer() const;  // its offset, or the capacity
  uint64_t FreeBytes() const;
  uint64_t LargestHole() const;   // that a buffer may use
  uint64_t Reservable() const;    // the largest hole that a program may use
  Request MakeRequest(const Step& step, bool program) const;
  void Land(uint64_t serial);
  void Emit(Event event) { outcome_->events.push_back(event); }

  const Trace& trace_;
  const Policy& policy_;
  uint64_t capacity_;           // whole granules
  std::vector<Block> blocks_;   // in address order
  std::vector<Range> holes_;    // in address order
  std::vector<Entity> entities_;
  struct Evicted {
    Block block;
    bool named = false;  // its name still stood for it
  };
  std::vector<Evicted> evicted_;  // for the request at hand
  uint64_t last_serial_ = 0;
  uint64_t clock_ = 0;
  uint32_t passed_ = 0;         // the highest fence that has passed
  Stats stats_;
  TraceOutcome* outcome_ = nullptr;
  uint64_t placed_ = 0;         // serial of the block that the last successful attempt got
  size_t step_ = 0;             // the step at hand

 private:
  Result Serve(const Request& request, Row& row);
  Result Allocate(const Step& step, Row& row);
  Result Load(const Step& step, Row& row);
  Result Unload(const Step& step);
  Result EvictOnDemand(const Step& step);
  Result Execute(size_t step, size_t num_outputs, Row& row);
  bool AttemptLaunch(size_t step, size_t num_outputs, std::vector<uint64_t>& placed, Request& failing,
                     uint64_t& failing_index);
  void CommitLaunch(size_t step, const std::vector<uint64_t>& placed);
  void Define(uint32_t name, Entity entity) { Named(name) = entity; }
  void FailForGood(Row& row, Ledger& ledger);
  uint64_t StateHash() const;
  Result RunStep(size_t step, Row& row);
  bool Refused(const Step& step) const;
  void Insert(Block block);
  // blocks_ and holes_ as they would be after the moves.
  void ApplyMoves(const std::vector<Move>& moves, std::vector<Block>& blocks,
                  std::vector<Range>& holes) const;
};

void RunSpecification(const Trace& trace, TraceOutcome& outcome, StepTimes* times = nullptr);

}  // namespace oomph::hbm

#endif  // OOMPH_MODELS_HBM_SPECIFICATION_H_
