// The plugin over the memory algorithms of Boost.Interprocess, each at the head of a buffer of its own as a
// managed segment has it: rbtree_best_fit and simple_seq_fit. After each step the algorithm's own checks are
// asked. Not for: the named objects, mutexes and processes around them.
//
//     offset 0                                                                 capacity
//     [ algorithm's header ][ ctrl | block ][ ctrl | block ][ free ...               ]  nothing may be
//     touched behind
//
// Assertions are off, as programs ship: what goes wrong is seen by what it does. Not for several threads: a
// loop without end is left by a jump out of a signal.
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>

#include <algorithm>
#include <boost/interprocess/mem_algo/rbtree_best_fit.hpp>
#include <boost/interprocess/mem_algo/simple_seq_fit.hpp>
#include <boost/interprocess/offset_ptr.hpp>
#include <boost/interprocess/sync/mutex_family.hpp>
#include <boost/version.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

#pragma GCC visibility push(default)
#include "subjects/abi/oomph.h"
#pragma GCC visibility pop

namespace {

namespace ipc = boost::interprocess;
using BestFit = ipc::rbtree_best_fit<ipc::null_mutex_family>;
using SequentialFit = ipc::simple_seq_fit<ipc::null_mutex_family>;

// Offset 0 is a multiple of this, and no buffer is longer: an aligned address is an aligned offset.
constexpr uint64_t kMaxCapacity = uint64_t{1} << 30;

constexpr oomph_promise kPromises[] = {
    {"alignment",
     "boost/interprocess/mem_algo/rbtree_best_fit.hpp and detail/simple_seq_fit_impl.hpp, allocate_aligned: "
     "gives "
     "bytes that are aligned, for an alignment that is a power of two"},
};

constexpr const char* kVariants[] = {"algorithm=rbtree_best_fit", "algorithm=simple_seq_fit"};

// Fresh memory in which every page that was not asked for ends the process.
class Buffer {
 public:
  explicit Buffer(uint64_t bytes) {
    void* const reserved =
        mmap(nullptr, kReserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (reserved == MAP_FAILED) return;
    reserved_ = static_cast<char*>(reserved);
    char* const base = reserved_ + (kMaxCapacity - reinterpret_cast<uintptr_t>(reserved_) % kMaxCapacity);
    if (mprotect(base, bytes, PROT_READ | PROT_WRITE) == 0) base_ = base;
  }
  ~Buffer() {
    if (reserved_ != nullptr) munmap(reserved_, kReserved);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  char* base() const { return base_; }

 private:
  static constexpr uint64_t kReserved = 3 * kMaxCapacity;  // addresses, not memory
  char* reserved_ = nullptr;
  char* base_ = nullptr;
};

// Loops in headers cannot count their steps: a unit of fuel is a microsecond of this process's own time.
class Fuel {
 public:
  explicit Fuel(uint64_t units)
      : seconds_{static_cast<time_t>(units / 1'000'000), static_cast<suseconds_t>(units % 1'000'000)} {
    signal(SIGVTALRM, [](int) { siglongjmp(out_, 1); });
  }
  // False: it did not end.
  template <typename Work>
  bool Suffices(const Work& work) const {
    if (sigsetjmp(out_, /*savemask=*/1) != 0) return false;
    Set(seconds_);
    work();
    Set({0, 0});
    return true;
  }

 private:
  static void Set(timeval time) {
    const itimerval timer = {{0, 0}, time};
    setitimer(ITIMER_VIRTUAL, &timer, nullptr);
  }
  static inline sigjmp_buf out_;
  const timeval seconds_;
};

class Instance {
 public:
  virtual ~Instance() = default;
  virtual int Allocate(const oomph_request& request, oomph_block* given) = 0;
  virtual int Free(uint64_t handle) = 0;
  virtual int Reallocate(uint64_t handle, const oomph_request& request, oomph_block* given) = 0;
  virtual int Validate(char* message, size_t message_bytes) = 0;
  virtual void* Address(uint64_t handle) = 0;
};

template <typename Algorithm>
class InstanceOf final : public Instance {
 public:
  explicit InstanceOf(uint64_t capacity) : buffer_(capacity) {
    if (buffer_.base() != nullptr) heap_ = ::new (buffer_.base()) Algorithm(capacity, 0);
  }
  ~InstanceOf() override {
    if (heap_ != nullptr) heap_->~Algorithm();
  }
  static std::unique_ptr<Instance> Make(uint64_t capacity) {
    if (capacity > kMaxCapacity || capacity < Algorithm::get_min_size(0)) return nullptr;
    auto made = std::make_unique<InstanceOf>(capacity);
    if (made->heap_ == nullptr) return nullptr;
    return made;
  }

  int Allocate(const oomph_request& request, oomph_block* given) override {
    if ((request.alignment & (request.alignment - 1)) != 0) return OOMPH_INVALID;
    void* const block = New(request);
    if (block == nullptr) return OOMPH_NOMEM;
    ++live_;
    *given = BlockAt(block);
    return OOMPH_OK;
  }

  int Free(uint64_t handle) override {
    heap_->deallocate(At(handle));
    --live_;
    return OOMPH_OK;
  }

  // Grows or shrinks where the block lies if the algorithm can, else moves it, as its containers do.
  int Reallocate(uint64_t handle, const oomph_request& request, oomph_block* given) override {
    if ((request.alignment & (request.alignment - 1)) != 0) return OOMPH_INVALID;
    char* const old = At(handle);
    const size_t had = heap_->size(old);
    char* now = nullptr;
    if (request.alignment > 1 && reinterpret_cast<uintptr_t>(old) % request.alignment != 0) {
      now = Moved(old, had, request);
    } else if (request.size <= had) {
      size_t received = request.size;
      char* reuse = old;
      heap_->template allocation_command<char>(ipc::shrink_in_place | ipc::nothrow_allocation, had, received,
                                               reuse);
      now = old;  // one that does not shrink is large enough
    } else {
      now = Grown(old, had, request);
    }
    if (now == nullptr) return OOMPH_NOMEM;
    *given = BlockAt(now);
    return OOMPH_OK;
  }

  int Validate(char* message, size_t message_bytes) override {
    const char* wrong = nullptr;
    if (!heap_->check_sanity()) wrong = "check_sanity() is false";
    if (heap_->all_memory_deallocated() != (live_ == 0)) wrong = "all_memory_deallocated() says otherwise";
    if (wrong == nullptr) return OOMPH_OK;
    std::snprintf(message, message_bytes, "%s with %llu blocks allocated", wrong,
                  static_cast<unsigned long long>(live_));
    return OOMPH_CORRUPT;
  }

  void* Address(uint64_t handle) override { return At(handle); }

 private:
  char* At(uint64_t handle) const { return buffer_.base() + handle; }
  oomph_block BlockAt(void* block) const {
    const uint64_t offset = static_cast<uint64_t>(static_cast<char*>(block) - buffer_.base());
    return {offset, offset, heap_->size(block)};
  }
  void* New(const oomph_request& request) {
    return request.alignment > 1 ? heap_->allocate_aligned(request.size, request.alignment)
                                 : heap_->allocate(request.size);
  }
  char* Moved(char* old, size_t had, const oomph_request& request) {
    char* const now = static_cast<char*>(New(request));
    if (now == nullptr) return nullptr;
    std::memcpy(now, old, std::min<size_t>(had, request.size));
    heap_->deallocate(old);
    return now;
  }
  char* Grown(char* old, size_t had, const oomph_request& request) {
    // Backwards, or at a new place, it has the algorithm's own alignment only.
    const bool anywhere = request.alignment <= Algorithm::Alignment;
    const ipc::allocation_type where = anywhere ? ipc::expand_bwd | ipc::allocate_new : 0;
    size_t received = request.size;
    char* reuse = old;
    char* const now = heap_->template allocation_command<char>(
        ipc::expand_fwd | where | ipc::nothrow_allocation, request.size, received, reuse);
    if (now == nullptr) return anywhere ? nullptr : Moved(old, had, request);
    if (now != old) std::memmove(now, old, had);
    if (reuse == nullptr) heap_->deallocate(old);
    return now;
  }

  const Buffer buffer_;
  Algorithm* heap_ = nullptr;
  uint64_t live_ = 0;
};

struct Subject {
  std::unique_ptr<Instance> instance;
  Fuel fuel;
};
Subject& Self(void* allocator) { return *static_cast<Subject*>(allocator); }

template <typename Call>
int WithinFuel(void* allocator, const Call& call) {
  int result = OOMPH_FUEL;
  Self(allocator).fuel.Suffices([&] { result = call(*Self(allocator).instance); });
  return result;
}

}  // namespace

int oomph_query(oomph_info* info) {
  *info = {};
  info->abi = OOMPH_ABI_VERSION;
  info->struct_bytes = sizeof(oomph_info);
  info->caps = OOMPH_CAP_ALIGN | OOMPH_CAP_REALLOC | OOMPH_CAP_VALIDATE | OOMPH_CAP_INBAND;
  info->name = "Boost.Interprocess";
  info->version = BOOST_LIB_VERSION;
  info->granularity = BestFit::Alignment;
  info->max_align = kMaxCapacity;
  info->max_size = kMaxCapacity;
  info->header_overhead = BestFit::PayloadPerAllocation;
  info->promises = kPromises;
  info->num_promises = std::size(kPromises);
  info->variants = kVariants;
  info->num_variants = std::size(kVariants);
  return OOMPH_OK;
}

void* oomph_create(const oomph_config* config) {
  const std::string_view options = config->options;
  std::unique_ptr<Instance> made;
  if (options == kVariants[0]) made = InstanceOf<BestFit>::Make(config->capacity);
  if (options == kVariants[1]) made = InstanceOf<SequentialFit>::Make(config->capacity);
  if (made == nullptr) return nullptr;
  return new Subject{std::move(made), Fuel(config->fuel)};
}

void oomph_destroy(void* allocator) { delete &Self(allocator); }

int oomph_alloc(void* allocator, const oomph_request* request, oomph_block* block) {
  return WithinFuel(allocator, [&](Instance& self) { return self.Allocate(*request, block); });
}

int oomph_free(void* allocator, uint64_t handle) {
  return WithinFuel(allocator, [&](Instance& self) { return self.Free(handle); });
}

int oomph_realloc(void* allocator, uint64_t handle, const oomph_request* request, oomph_block* block) {
  return WithinFuel(allocator, [&](Instance& self) { return self.Reallocate(handle, *request, block); });
}

int oomph_validate(void* allocator, char* message, size_t message_bytes) {
  const int result =
      WithinFuel(allocator, [&](Instance& self) { return self.Validate(message, message_bytes); });
  if (result != OOMPH_FUEL) return result;
  std::snprintf(message, message_bytes, "it does not end");
  return OOMPH_CORRUPT;
}

void* oomph_address(void* allocator, uint64_t handle) { return Self(allocator).instance->Address(handle); }
