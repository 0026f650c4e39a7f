// The plugin over tsl::BFCAllocator as the tensorflow-cpu wheel ships it. Its sub-allocator hands out
// addresses that nothing lies behind, so a capacity of gigabytes costs no memory but the allocator's own
// tables.
// Not for: several threads (the retry path, which needs one, is behind retry=on and used by tests only).
//
// An illegal call, or a legal one that the allocator answers with a failed CHECK, ends the process: run it in
// a child.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "models/hbm/bfc_options.h"
#include "models/hbm/bfc_suballocator.h"
#pragma GCC visibility push(default)
#include "subjects/abi/oomph.h"
#pragma GCC visibility pop
#include "absl/base/log_severity.h"
#include "absl/log/globals.h"
#include "xla/tsl/framework/bfc_allocator.h"
#include "xla/tsl/protobuf/bfc_memory_map.pb.h"

namespace {

using oomph::bfc::Backing;
using oomph::bfc::Options;
using oomph::bfc::Timestamps;

constexpr uint64_t kBase = uint64_t{1} << 46;  // offset 0; a multiple of every alignment that is taken
// The allocator keeps 8 bytes for each 256 of a region: 256 MiB at this capacity.
constexpr uint64_t kMaxCapacity = uint64_t{1} << 33;

// Only what holds for every variant. bfc_allocator.h also says, at Chunk, that adjacent free chunks are
// always merged; with growth that is within a region, with timestamps only after frees have landed, so no
// promise is made of it.
constexpr oomph_promise kPromises[] = {
    {"alignment",
     "xla/tsl/framework/allocator.h, Allocator::AllocateRaw: the pointer is guaranteed to be a multiple of "
     "the alignment, which must be a power of two"},
    {"stats",
     "xla/tsl/framework/allocator.h, AllocatorStats: how many allocations there were, the bytes in use now "
     "and at the peak, the largest single allocation, the bytes held in the pool"},
    {"fences",
     "xla/tsl/framework/allocator.h, AllocationAttributes::freed_by_func: only a chunk freed at or before "
     "the count that it gives may be returned"},
};

constexpr const char* kVariants[] = {
    "growth=off",
    "growth=on",
    "growth=on,coalescing=on",
    "growth=on,backing=16384",
    "growth=on,gc=on",
    "growth=on,gc=on,coalescing=on",
    "growth=off,timestamps=on",
    "growth=off,timestamps=loose",
    "growth=on,gc=on,timestamps=on",
    "growth=on,coalescing=on,timestamps=on",
    "growth=off,fragmentation=0.1",
};

// Thrown through the allocator by its sub-allocator: there is no other way out of a loop that never ends.
struct OutOfFuel {};

class CountingSubAllocator : public tsl::SubAllocator {
 public:
  CountingSubAllocator(const Options& options, uint64_t fuel)
      : tsl::SubAllocator({}, {}),
        backing_(options.backing, options.coalescing),
        coalescing_(options.coalescing),
        fuel_(fuel) {}

  void BeginCall() { used_ = 0; }

  void* Alloc(size_t alignment, size_t bytes, size_t* bytes_received) override {
    if (used_++ >= fuel_) throw OutOfFuel();
    const std::optional<uint64_t> offset = backing_.Take(alignment, bytes);
    if (!offset.has_value()) return nullptr;
    *bytes_received = bytes;
    return reinterpret_cast<void*>(kBase + *offset);
  }
  void Free(void* address, size_t bytes) override {
    backing_.GiveBack(reinterpret_cast<uint64_t>(address) - kBase, bytes);
  }
  bool SupportsCoalescing() const override { return coalescing_; }
  tsl::AllocatorMemoryType GetMemoryType() const override { return tsl::AllocatorMemoryType::kDevice; }

 private:
  Backing backing_;
  bool coalescing_;
  uint64_t fuel_;
  uint64_t used_ = 0;
};

// The allocator's clock is a counter that each free advances: frees have times in the order in which they
// were made, whatever fences they wait for. A fence lands the longest run of the oldest frees whose fences
// have all passed, so a free never lands too early but may land late, behind an older one:
//
//     free a after 2 (time 2), free b after 1 (time 3), free c (time 4)     fence 1: none landed
//                                                                           fence 2: a, b, c landed
//
// kOn: a request passes the time up to which all frees have landed, so it gets only chunks freed by then.
// Time 1 is taken before the first free, because 0 would stand for "any chunk". kLoose: requests pass
// nothing, and a fence of any number makes safe all that was freed before it.
class Clock {
 public:
  explicit Clock(Timestamps timestamps) : timestamps_(timestamps) { landed_ = counter_.next(); }

  tsl::SharedCounter* counter() { return &counter_; }
  uint64_t landed() const { return landed_; }

  // Just after a free of the allocator, which took the next time.
  void Freed(uint64_t fence) {
    if (timestamps_ != Timestamps::kOff) waiting_.push_back(fence);
    Land();
  }
  void Pass(uint64_t fence) {
    if (fence > passed_) passed_ = fence;
    Land();
  }

 private:
  void Land() {
    while (!waiting_.empty() && waiting_.front() <= passed_) {
      waiting_.pop_front();
      ++landed_;
    }
  }

  Timestamps timestamps_;
  tsl::SharedCounter counter_;
  uint64_t landed_ = 0;
  uint64_t passed_ = 0;
  std::deque<uint64_t> waiting_;  // the fences of the frees at times landed_ + 1, landed_ + 2, ...
};

class Instance {
 public:
  Instance(const Options& options, uint64_t capacity, uint64_t fuel)
      : options_(options), clock_(options.timestamps), freed_by_([this] { return clock_.landed(); }) {
    auto memory = std::make_unique<CountingSubAllocator>(options, fuel);
    memory_ = memory.get();
    tsl::BFCAllocator::Options shipped;
    shipped.allow_growth = options.growth;
    shipped.allow_retry_on_failure = options.retry;
    shipped.garbage_collection = options.garbage_collection;
    shipped.fragmentation_fraction = options.fragmentation;
    allocator_ = std::make_unique<tsl::BFCAllocator>(std::move(memory), capacity, "oomph", shipped);
    if (options.timestamps != Timestamps::kOff) allocator_->SetTimingCounter(clock_.counter());
  }

  int Allocate(const oomph_request& request, oomph_block* block) {
    if (dead_) return OOMPH_FUEL;
    const uint64_t alignment =
        request.alignment == 0 ? tsl::Allocator::kAllocatorAlignment : request.alignment;
    if ((alignment & (alignment - 1)) != 0 || alignment > Backing::kMaxAlignment) return OOMPH_INVALID;
    // With retry_on_failure the allocator would write a dump of its state for each failure.
    const tsl::AllocationAttributes attributes(options_.retry, true,
                                               options_.timestamps == Timestamps::kOn ? &freed_by_ : nullptr);
    memory_->BeginCall();
    void* address = nullptr;
    try {
      address = allocator_->AllocateRaw(alignment, request.size, attributes);
    } catch (const OutOfFuel&) {
      dead_ = true;
      return OOMPH_FUEL;
    }
    if (address == nullptr) return request.size == 0 ? OOMPH_INVALID : OOMPH_NOMEM;
    block->offset = reinterpret_cast<uint64_t>(address) - kBase;
    block->handle = block->offset;
    block->reserved = allocator_->AllocatedSize(address);
    return OOMPH_OK;
  }

  int Free(uint64_t handle, uint64_t fence) {
    if (dead_) return OOMPH_FUEL;
    allocator_->DeallocateRaw(reinterpret_cast<void*>(kBase + handle));
    clock_.Freed(fence);
    TellFrontier();
    return OOMPH_OK;
  }

  int FreeAfter(uint64_t handle, uint64_t fence) {
    return options_.timestamps == Timestamps::kOn ? Free(handle, fence) : OOMPH_UNSUPPORTED;
  }

  int FreeNow(uint64_t handle) {
    return Free(handle, options_.timestamps == Timestamps::kLoose ? next_fence_ : 0);
  }

  int Fence(uint64_t fence) {
    if (dead_) return OOMPH_FUEL;
    if (options_.timestamps == Timestamps::kOff) return OOMPH_UNSUPPORTED;
    clock_.Pass(options_.timestamps == Timestamps::kLoose ? next_fence_++ : fence);
    TellFrontier();
    return OOMPH_OK;
  }

  int GetStats(oomph_stats* stats) {
    const auto shipped = allocator_->GetStats();
    if (!shipped.has_value()) return OOMPH_UNSUPPORTED;
    *stats = {};
    stats->valid = OOMPH_STAT_BYTES_IN_USE | OOMPH_STAT_PEAK_BYTES_IN_USE | OOMPH_STAT_NUM_ALLOCS |
                   OOMPH_STAT_LARGEST_ALLOC_SIZE;
    stats->bytes_in_use = shipped->bytes_in_use;
    stats->peak_bytes_in_use = shipped->peak_bytes_in_use;
    stats->num_allocs = shipped->num_allocs;
    stats->largest_alloc_size = shipped->largest_alloc_size;
    if (shipped->pool_bytes.has_value()) {
      stats->valid |= OOMPH_STAT_POOL_BYTES;
      stats->pool_bytes = *shipped->pool_bytes;
    }
    return OOMPH_OK;
  }

  int EnumerateFree(int (*callback)(void*, uint64_t, uint64_t), void* context) {
    const tensorflow::MemoryDump map = allocator_->RecordMemoryMap();
    for (const tensorflow::MemChunk& chunk : map.chunk()) {
      if (chunk.in_use()) continue;
      if (callback(context, chunk.address() - kBase, chunk.size()) != 0) break;
    }
    return OOMPH_OK;
  }

 private:
  // Chunks freed before the frontier may be merged.
  void TellFrontier() {
    if (options_.timestamps != Timestamps::kOff) allocator_->SetSafeFrontier(clock_.landed() + 1);
  }

  Options options_;
  Clock clock_;
  std::function<uint64_t()> freed_by_;
  CountingSubAllocator* memory_ = nullptr;
  std::unique_ptr<tsl::BFCAllocator> allocator_;
  uint64_t next_fence_ = 1;  // kLoose: every fence makes safe all that was freed before it
  bool dead_ = false;
};

Instance* Self(void* allocator) { return static_cast<Instance*>(allocator); }

}  // namespace

int oomph_query(oomph_info* info) {
  *info = {};
  info->abi = OOMPH_ABI_VERSION;
  info->struct_bytes = sizeof(oomph_info);
  info->caps = OOMPH_CAP_ALIGN | OOMPH_CAP_FREE_LATER | OOMPH_CAP_ENUM_FREE | OOMPH_CAP_GROWS;
  info->name = "tsl::BFCAllocator";
  info->version = OOMPH_XLA_VERSION;
  info->granularity = 256;
  info->max_align = Backing::kMaxAlignment;
  info->promises = kPromises;
  info->num_promises = std::size(kPromises);
  info->variants = kVariants;
  info->num_variants = std::size(kVariants);
  return OOMPH_OK;
}

void* oomph_create(const oomph_config* config) {
  // The library would write a paragraph for each of the first failures. What it says when it dies is kept.
  absl::SetMinLogLevel(absl::LogSeverityAtLeast::kFatal);
  Options options;
  if (!oomph::bfc::ParseOptions(config->options, &options)) return nullptr;
  if (config->capacity > kMaxCapacity || options.ends == oomph::bfc::Ends::kTwo) return nullptr;
  // A limit of waste below one byte makes the allocator split off chunks of nothing and die.
  if (options.fragmentation > 0 && options.fragmentation * config->capacity < 1) return nullptr;
  return new Instance(options, config->capacity, config->fuel);
}

void oomph_destroy(void* allocator) { delete Self(allocator); }

int oomph_alloc(void* allocator, const oomph_request* request, oomph_block* block) {
  return Self(allocator)->Allocate(*request, block);
}

int oomph_free(void* allocator, uint64_t handle) { return Self(allocator)->FreeNow(handle); }

int oomph_free_after(void* allocator, uint64_t handle, uint64_t fence) {
  return Self(allocator)->FreeAfter(handle, fence);
}

int oomph_fence(void* allocator, uint64_t fence) { return Self(allocator)->Fence(fence); }

int oomph_get_stats(void* allocator, oomph_stats* stats) { return Self(allocator)->GetStats(stats); }

int oomph_enumerate_free(void* allocator, int (*callback)(void*, uint64_t offset, uint64_t size),
                         void* context) {
  return Self(allocator)->EnumerateFree(callback, context);
}
