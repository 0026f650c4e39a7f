// The fast BFC model against the allocator that it models, tsl::BFCAllocator out of the tensorflow-cpu wheel:
// the same answers, statistics and free ranges on random calls with boundary sizes, over every setting; and
// each named deviation of the model shown on the shipped allocator by a few calls. Does not cover: several
// threads racing, contents, the two-ended setting (the wheel has none).
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "models/hbm/bfc_allocator.h"
#include "models/hbm/bfc_duel.h"
#include "models/hbm/bfc_specification.h"
#include "subjects/abi/oomph.h"

namespace oomph::bfc {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The plugin's calls. `error` says why they are not there.
struct Plugin {
  void* library = nullptr;
  std::string error;
  decltype(&oomph_query) query = nullptr;
  decltype(&oomph_create) create = nullptr;
  decltype(&oomph_destroy) destroy = nullptr;
  decltype(&oomph_alloc) alloc = nullptr;
  decltype(&oomph_free) free = nullptr;
  decltype(&oomph_free_after) free_after = nullptr;
  decltype(&oomph_fence) fence = nullptr;
  decltype(&oomph_get_stats) get_stats = nullptr;
  decltype(&oomph_enumerate_free) enumerate_free = nullptr;

  Plugin() {
    setenv("TF_ENABLE_ONEDNN_OPTS", "0", 0);  // else the library greets on stderr while it loads
    library = dlopen(OOMPH_BINARY_DIR "/plugins/oomph_plugin_bfc.so", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      error = dlerror();
      return;
    }
    Resolve("oomph_query", &query);
    Resolve("oomph_create", &create);
    Resolve("oomph_destroy", &destroy);
    Resolve("oomph_alloc", &alloc);
    Resolve("oomph_free", &free);
    Resolve("oomph_free_after", &free_after);
    Resolve("oomph_fence", &fence);
    Resolve("oomph_get_stats", &get_stats);
    Resolve("oomph_enumerate_free", &enumerate_free);
  }

  template <typename Function>
  void Resolve(const char* name, Function* function) {
    *function = reinterpret_cast<Function>(dlsym(library, name));
    if (*function == nullptr) error = std::string("no symbol ") + name;
  }
};

const Plugin& ThePlugin() {
  static const Plugin plugin;
  return plugin;
}

// The shipped allocator in the words of the models.
class Shipped {
 public:
  Shipped(const std::string& options, uint64_t capacity, uint64_t fuel = 1000) {
    const oomph_config config = {capacity, 0, fuel, options.c_str()};
    allocator_ = ThePlugin().create(&config);
  }
  ~Shipped() { ThePlugin().destroy(allocator_); }
  bool possible() const { return allocator_ != nullptr; }
  Shipped(const Shipped&) = delete;
  Shipped& operator=(const Shipped&) = delete;

  Result Allocate(uint64_t size, uint64_t alignment = 0, End end = End::kAny) {
    const oomph_request request = {size, alignment, static_cast<uint32_t>(end), 0};
    oomph_block block = {};
    const Status status = ToStatus(ThePlugin().alloc(allocator_, &request, &block));
    return {status, block.offset, block.reserved, 0};
  }
  Status Free(uint64_t offset) { return ToStatus(ThePlugin().free(allocator_, offset)); }
  Status FreeAfter(uint64_t offset, uint64_t fence) {
    return ToStatus(ThePlugin().free_after(allocator_, offset, fence));
  }
  Status Fence(uint64_t fence) { return ToStatus(ThePlugin().fence(allocator_, fence)); }

  Stats stats() const {
    oomph_stats s = {};
    ThePlugin().get_stats(allocator_, &s);
    return {s.bytes_in_use, s.peak_bytes_in_use, s.num_allocs, s.largest_alloc_size, s.pool_bytes};
  }

  template <typename Visit>
  void ForEachFree(Visit visit) const {
    const auto callback = [](void* context, uint64_t offset, uint64_t size) {
      (*static_cast<Visit*>(context))(offset, size);
      return 0;
    };
    ThePlugin().enumerate_free(allocator_, callback, &visit);
  }

 private:
  static Status ToStatus(int code) {
    switch (code) {
      case OOMPH_OK:
        return Status::kOk;
      case OOMPH_NOMEM:
        return Status::kNoMemory;
      case OOMPH_INVALID:
        return Status::kInvalid;
      case OOMPH_UNSUPPORTED:
        return Status::kUnsupported;
      case OOMPH_FUEL:
        return Status::kOutOfFuel;
      default:
        return Status::kDied;
    }
  }
  void* allocator_;
};

Allocator Model(const std::string& text, uint64_t capacity, uint64_t fuel = 1000) {
  Options options;
  EXPECT_TRUE(ParseOptions(text, &options)) << text;
  return Allocator(options, kAsShipped, capacity, fuel);
}

class BfcPlugin : public testing::Test {
 protected:
  void SetUp() override {
    if (!ThePlugin().error.empty()) {
      GTEST_SKIP() << "the shipped BFC allocator is not here: " << ThePlugin().error;
    }
  }
};
using SlowBfcPlugin = BfcPlugin;

constexpr const char* kSettings[] = {
    "growth=off",
    "growth=on",
    "growth=on,coalescing=on",
    "growth=on,gc=on",
    "growth=on,gc=on,coalescing=on",
    "growth=on,backing=1048576",
    "growth=on,gc=on,backing=3000000",
    "growth=on,coalescing=on,backing=3000000",
    "growth=on,gc=on,coalescing=on,backing=20000000",
    "growth=off,fragmentation=0.1",
    "growth=on,fragmentation=0.001",
    "growth=off,timestamps=on",
    "growth=off,timestamps=loose",
    "growth=on,coalescing=on,timestamps=on",
    "growth=on,coalescing=on,timestamps=loose",
    "growth=on,gc=on,timestamps=on",
    "growth=on,gc=on,timestamps=loose,backing=3000000",
    "growth=on,gc=on,coalescing=on,timestamps=on,backing=20000000",
};

std::string RunLife(const char* setting, uint64_t seed, uint64_t steps, uint64_t steps_between_maps,
                    Tally* tally) {
  Life life = DrawLife(setting, seed);
  life.steps = steps;
  life.steps_between_maps = steps_between_maps;
  Allocator model = Model(setting, life.capacity, life.fuel);
  Shipped shipped(setting, life.capacity, life.fuel);
  if (!shipped.possible()) return "";
  Duel duel(life, seed, model, shipped, *tally);
  std::string difference = duel.Run();
  if (difference.empty() && !duel.over() && FreeRanges(model) != FreeRanges(shipped)) {
    difference = "differ in free ranges at the end";
  }
  return difference;
}

TEST_F(BfcPlugin, EqualsTheModel) {
  Tally tally;
  for (const char* setting : kSettings) {
    for (uint64_t seed = 0; seed < 150; ++seed) {
      ASSERT_EQ(RunLife(setting, seed, 1000, 16, &tally), "");
    }
  }
  for (int bit = 0; bit < path::kNumPaths; ++bit)
    EXPECT_GT(tally.paths[bit], 0u) << "no call took path " << bit;
  for (int i = 0; i < kNumStatuses; ++i) EXPECT_GT(tally.statuses[i], 0u) << "no call had status " << i;
}

TEST_F(SlowBfcPlugin, EqualsTheModelOver100MillionSteps) {
#ifdef NDEBUG
  constexpr uint64_t kSteps = 100'000'000;
#else
  constexpr uint64_t kSteps = 2'000'000;
#endif
  Tally tally;
  const Clock::time_point start = Clock::now();
  for (uint64_t seed = 1000; tally.steps < kSteps; ++seed) {
    for (const char* setting : kSettings) ASSERT_EQ(RunLife(setting, seed, 10'000, 256, &tally), "");
  }
  printf("%llu steps equal in %.1f s\n", static_cast<unsigned long long>(tally.steps), SecondsSince(start));
}

// --- speed ---

template <typename Bfc>
double StepsPerSecond(Bfc& bfc, size_t live, uint64_t steps) {
  std::mt19937_64 random(1);
  std::vector<uint64_t> blocks(2 * live, UINT64_MAX);
  uint64_t failures = 0;
  const Clock::time_point start = Clock::now();
  for (uint64_t step = 0; step < steps; ++step) {
    const uint64_t draw = random();
    uint64_t& block = blocks[draw % blocks.size()];
    if (block == UINT64_MAX) {
      const Result result = bfc.Allocate(1 + (draw >> 32) % 65536, 0);
      if (result.status == Status::kOk) block = result.offset;
      failures += result.status != Status::kOk;
    } else {
      bfc.Free(block);
      block = UINT64_MAX;
    }
  }
  const double seconds = SecondsSince(start);
  EXPECT_EQ(failures, 0u);
  return static_cast<double>(steps) / seconds;
}

TEST_F(SlowBfcPlugin, Speed) {
  for (const size_t live : {64, 1000}) {
    const uint64_t capacity = live * (uint64_t{1} << 20);
    Shipped shipped("growth=off", capacity);
    Allocator model = Model("growth=off", capacity);
    Specification specification(Options{}, kAsShipped, capacity, 1000);
    printf("%zu live: shipped %.2f, model %.2f, specification %.3f million steps a second\n", live,
           StepsPerSecond(shipped, live, 2'000'000) / 1e6, StepsPerSecond(model, live, 2'000'000) / 1e6,
           StepsPerSecond(specification, live, 20'000) / 1e6);
  }
}

// --- the deviations, each shown on the shipped allocator ---

enum class Fate { kReturned, kDied, kHung };

// What becomes of a process that makes these calls; hung: it takes more than two seconds.
Fate FateOf(const std::function<void()>& calls) {
  fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    if (freopen("/dev/null", "w", stderr) == nullptr) _exit(1);
    alarm(2);
    calls();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return Fate::kReturned;
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? Fate::kHung : Fate::kDied;
}

TEST_F(BfcPlugin, IgnoresAlignmentAbove256) {
  Shipped shipped("growth=off", 1 << 20);
  ASSERT_EQ(shipped.Allocate(256).status, Status::kOk);
  EXPECT_EQ(shipped.Allocate(256, 4096).offset, 256u);
}

TEST_F(BfcPlugin, WrapsSizesNear2To64AndDiesOfTheBlock) {
  Shipped shipped("growth=off", 1 << 20);
  ASSERT_EQ(shipped.Allocate(256).status, Status::kOk);
  const Result block = shipped.Allocate(UINT64_MAX);
  EXPECT_EQ(block.status, Status::kOk);
  EXPECT_EQ(block.reserved, (1u << 20) - 256);
  EXPECT_EQ(shipped.Allocate(UINT64_MAX - 255).status, Status::kNoMemory);
  EXPECT_EQ(shipped.Allocate(256).offset, block.offset) << "handed out twice";
  const auto free_alone = [] {
    Shipped fresh("growth=off", 1 << 20);
    fresh.Free(fresh.Allocate(UINT64_MAX).offset);
  };
  EXPECT_EQ(FateOf(free_alone), Fate::kDied);
}

// The exception that the plugin throws through the allocator leaves nothing locked and nothing behind.
TEST_F(BfcPlugin, GrowsWithoutEndUntilItIsOutOfFuel) {
  for (int i = 0; i < 20'000; ++i) {
    Shipped shipped("growth=on,backing=2048", 1 << 20, 100);
    ASSERT_EQ(shipped.Allocate(4096).status, Status::kNoMemory);
    ASSERT_EQ(shipped.Allocate(256).status, Status::kOutOfFuel);
    ASSERT_EQ(shipped.stats().pool_bytes, 0u);
    ASSERT_EQ(shipped.Allocate(256).status, Status::kOutOfFuel) << "and stays so";
  }
}

// Each collection doubles the size of the next region, whatever was asked for; it wraps to 0, and the
// allocator then doubles 0 until it is large enough.
TEST_F(BfcPlugin, HangsAfterSome40Collections) {
  // The round that a call does not end in, or 0.
  const auto run = [](auto& bfc, int rounds) {
    for (int round = 1; round <= rounds; ++round) {
      const Result block = bfc.Allocate(1 << 20, 0);
      bfc.Free(block.offset);
      const Result refused =
          bfc.Allocate(6 << 20, 0);  // more than there is, less than the capacity: collects
      if (refused.status != Status::kNoMemory) return round;
    }
    return 0;
  };
  const std::string setting = "growth=on,gc=on,backing=4194304";
  Allocator model = Model(setting, 8 << 20);
  EXPECT_EQ(run(model, 60), 42);
  Shipped shipped(setting, 8 << 20);
  EXPECT_EQ(run(shipped, 41), 0);
  const auto one_more = [&] { run(shipped, 1); };
  EXPECT_EQ(FateOf(one_more), Fate::kHung);
}

TEST_F(BfcPlugin, CollectsMemoryWhoseFreeHasNotLanded) {
  Shipped shipped("growth=on,gc=on,timestamps=on", 1 << 20);
  const Result block = shipped.Allocate(1 << 20);
  ASSERT_EQ(block.status, Status::kOk);
  ASSERT_EQ(shipped.FreeAfter(block.offset, 1), Status::kOk);
  const Result again = shipped.Allocate(1 << 20);
  EXPECT_EQ(again.status, Status::kOk) << "before the fence";
  EXPECT_EQ(again.offset, block.offset);
}

TEST_F(BfcPlugin, DiesOfWhatItCollected) {
  const auto run = [](auto& bfc) {
    bfc.Allocate(2 << 20, 0);
    bfc.FreeAfter(bfc.Allocate(2 << 20, 0).offset, 1);
    bfc.Allocate(4 << 20, 0);  // collects the region of the second block, then fails
    return bfc.Allocate(256, 0).status;
  };
  const std::string setting = "growth=on,gc=on,timestamps=on,backing=5242880";
  Allocator model = Model(setting, 8 << 20);
  EXPECT_EQ(run(model), Status::kDied);
  const auto die = [&] {
    Shipped shipped(setting, 8 << 20);
    run(shipped);
  };
  EXPECT_EQ(FateOf(die), Fate::kDied);
}

TEST_F(BfcPlugin, ForgetsTheRemainderOfAnUnlandedChunk) {
  Shipped shipped("growth=off,timestamps=loose", 1 << 20);
  shipped.Free(shipped.Allocate(1 << 20).offset);
  const Result a = shipped.Allocate(256);
  const Result b = shipped.Allocate(256);
  shipped.Fence(1);
  shipped.Free(a.offset);
  shipped.Free(b.offset);
  shipped.Fence(2);
  EXPECT_EQ(shipped.Allocate(1 << 20).status, Status::kNoMemory) << "nothing is live";
  EXPECT_EQ(FreeRanges(shipped).size(), 2u);
}

// --- waiting for another thread ---

TEST_F(BfcPlugin, RetryWaitsForAFree) {
  Shipped shipped("growth=off,retry=on", 1 << 20);
  const Result block = shipped.Allocate(1 << 20);
  ASSERT_EQ(block.status, Status::kOk);
  std::thread waker([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    shipped.Free(block.offset);
  });
  const Clock::time_point start = Clock::now();
  EXPECT_EQ(shipped.Allocate(256).status, Status::kOk);
  EXPECT_LT(SecondsSince(start), 9);
  waker.join();
}

TEST_F(SlowBfcPlugin, RetryGivesUpAfterTenSeconds) {
  Shipped shipped("growth=off,retry=on", 1 << 20);
  ASSERT_EQ(shipped.Allocate(1 << 20).status, Status::kOk);
  const Clock::time_point start = Clock::now();
  EXPECT_EQ(shipped.Allocate(256).status, Status::kNoMemory);
  EXPECT_GT(SecondsSince(start), 9.9);
  EXPECT_LT(SecondsSince(start), 30);
}

}  // namespace
}  // namespace oomph::bfc
