// The heap over a malloc of one's own making: what it asks for, where it refuses, what it sees that nobody else can.
// Not for: sound use from several threads (see threads_test.cc).
#include "subjects/malloc/heap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace oomph::malloc_family {
namespace {

constexpr uint64_t kCapacity = uint64_t{1} << 20;

std::vector<std::string> asked;  // the calls in their order, with what they were given

std::string Show(const char* call, size_t a, size_t b) {
  return std::string(call) + " " + std::to_string(a) + " " + std::to_string(b);
}

Calls Recording() {
  Calls calls;
  calls.malloc = [](size_t size) { return asked.push_back(Show("malloc", size, 0)), std::malloc(size); };
  calls.calloc = [](size_t n, size_t size) { return asked.push_back(Show("calloc", n, size)), std::calloc(n, size); };
  calls.realloc = [](void* p, size_t size) { return asked.push_back(Show("realloc", size, 0)), std::realloc(p, size); };
  calls.free = [](void* p) { std::free(p); };
  calls.aligned_alloc = [](size_t a, size_t size) {
    asked.push_back(Show("aligned_alloc", a, size));
    return size > kCapacity ? nullptr : std::aligned_alloc(a, size);
  };
  calls.posix_memalign = [](void** p, size_t a, size_t size) {
    asked.push_back(Show("posix_memalign", a, size));
    return ::posix_memalign(p, a, size);
  };
  calls.memalign = [](size_t a, size_t size) {
    asked.push_back(Show("memalign", a, size));
    return ::memalign(a, size);
  };
  calls.malloc_usable_size = [](void* p) { return ::malloc_usable_size(p); };
  calls.free_sized = [](void* p, size_t size, size_t a) { asked.push_back(Show("free_sized", size, a)), std::free(p); };
  return calls;
}

// Under a sanitizer nobody else calls this malloc: what it has from the system then is from the first call alone.
TEST(OpenTest, MakesTheFirstCallSoThatNoThreadOfACaseDoes) {
  constexpr System kSystem = {"glibc malloc", "libc.so.6", nullptr, 0, [](void*) { return std::string(); }, nullptr};
  ASSERT_EQ(Open(kSystem).error, "");
  void* const library = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(library, nullptr);
  struct mallinfo2 (*state)() = nullptr;
  ASSERT_TRUE(Find(library, "mallinfo2", state));
  EXPECT_GT(state().arena, 0u);
}

Options Parsed(std::string_view text) {
  Options options;
  EXPECT_TRUE(ParseOptions(text, &options)) << text;
  return options;
}

// The one call that a request becomes.
std::string CallOf(std::string_view options, uint64_t size, uint64_t alignment) {
  Heap heap(Recording(), Parsed(options), kCapacity, 1);
  asked.clear();
  oomph_block block = {};
  const oomph_request request = {size, alignment, 0, 0};
  EXPECT_EQ(heap.Allocate(request, &block), OOMPH_OK);
  EXPECT_EQ(asked.size(), 1u);
  EXPECT_EQ(block.offset % std::max<uint64_t>(alignment, 1), 0u);
  EXPECT_GE(block.reserved, size);
  return asked.empty() ? "" : asked.front();
}

TEST(MallocHeapTest, EachVariantMakesItsCalls) {
  EXPECT_EQ(CallOf("calls=c", 100, 0), "malloc 100 0");
  EXPECT_EQ(CallOf("calls=c", 100, 64), "aligned_alloc 64 128");  // a multiple of the alignment
  EXPECT_EQ(CallOf("calls=calloc", 100, 0), "calloc 1 100");
  EXPECT_EQ(CallOf("calls=aligned_alloc", 100, 0), "aligned_alloc 16 112");
  EXPECT_EQ(CallOf("calls=posix_memalign", 100, 4), "posix_memalign 8 100");
  EXPECT_EQ(CallOf("calls=memalign", 100, 256), "memalign 256 100");
  EXPECT_EQ(CallOf("", 0, 0), "malloc 0 0");
}

TEST(MallocHeapTest, OptionsAreReadOrRefused) {
  const Options options = Parsed("threads=12,free=sized,calls=memalign");
  EXPECT_EQ(options.threads, 12u);
  EXPECT_TRUE(options.free_sized);
  EXPECT_EQ(options.asking, Asking::kMemalign);
  Options refused;
  for (const char* text : {"threads=0", "threads=17", "threads=", "threads=99999999999999999999", "threads=-1",
                           "calls=", "calls=mmap", "free=twice", ",", "colour=red"}) {
    EXPECT_FALSE(ParseOptions(text, &refused)) << text;
  }
}

TEST(MallocHeapTest, SizedFreesTellWhatWasAskedFor) {
  Heap heap(Recording(), Parsed("calls=c,free=sized"), kCapacity, 1);
  asked.clear();
  oomph_block plain = {}, aligned = {}, grown = {};
  const oomph_request requests[] = {{100, 0, 0, 0}, {100, 64, 0, 0}, {50, 0, 0, 0}};
  heap.Allocate(requests[0], &plain);
  heap.Allocate(requests[1], &aligned);
  heap.Allocate(requests[2], &grown);
  heap.Reallocate(grown.handle, requests[0], &grown);
  asked.clear();
  heap.Free(plain.handle);
  heap.Free(aligned.handle);
  heap.Free(grown.handle);  // a plain free: not every system says which size holds after realloc
  EXPECT_EQ(asked, (std::vector<std::string>{"free_sized 100 0", "free_sized 128 64"}));
}

TEST(MallocHeapTest, ReallocKeepsContentsAndTheAlignmentOfBefore) {
  Heap heap(Recording(), Parsed("calls=c"), kCapacity, 1);
  oomph_block block = {};
  const oomph_request first = {100, 256, 0, 0}, larger = {5000, 0, 0, 0}, smaller = {10, 0, 0, 0};
  ASSERT_EQ(heap.Allocate(first, &block), OOMPH_OK);
  std::memset(heap.Address(block.handle), 42, 100);
  for (const oomph_request& request : {larger, smaller}) {
    ASSERT_EQ(heap.Reallocate(block.handle, request, &block), OOMPH_OK);
    EXPECT_EQ(block.offset % 256, 0u);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(static_cast<char*>(heap.Address(block.handle))[i], 42);
  }
}

TEST(MallocHeapTest, LimitsAreItsOwnAndTheImpossibleIsTheAllocators) {
  Heap heap(Recording(), Parsed("calls=c"), kCapacity, 1);
  const auto answer = [&](uint64_t size, uint64_t alignment) {
    asked.clear();
    oomph_block block = {};
    const oomph_request request = {size, alignment, 0, 0};
    return heap.Allocate(request, &block);
  };
  EXPECT_EQ(answer(kCapacity + 1, 0), OOMPH_NOMEM);
  EXPECT_EQ(answer(1, 2 * kCapacity), OOMPH_INVALID);
  EXPECT_EQ(answer(8, 24), OOMPH_INVALID);
  EXPECT_TRUE(asked.empty());
  EXPECT_EQ(answer(UINT64_MAX - 7, 64), OOMPH_NOMEM);
  EXPECT_EQ(asked, std::vector<std::string>{Show("aligned_alloc", 64, UINT64_MAX - 63)});
  EXPECT_EQ(answer(kCapacity - 100, 0), OOMPH_OK);
  EXPECT_EQ(answer(4096, 0), OOMPH_NOMEM);
}

// 64 bytes each from an arena, and a fault of choice.
struct Arena {
  alignas(64) std::array<char, 1 << 20> bytes;
  size_t used = 0;
} arena;
void* TakeFromArena(size_t) { return arena.bytes.data() + 64 * arena.used++; }

Calls OfArena() {
  arena.used = 0;
  Calls calls = Recording();
  calls.malloc = TakeFromArena;
  calls.calloc = [](size_t, size_t size) { return std::memset(TakeFromArena(size), 0, size); };
  calls.free = [](void*) {};
  calls.malloc_usable_size = [](void*) { return size_t{64}; };
  return calls;
}

struct Told {
  int code;
  std::string message;
};
Told Validate(Heap& heap) {
  char message[256] = "";
  const int code = heap.Validate(message, sizeof message);
  return {code, message};
}

TEST(MallocHeapTest, TellsOfMemoryThatIsNotZero) {
  Calls calls = OfArena();
  calls.calloc = [](size_t, size_t size) {
    char* const block = static_cast<char*>(std::memset(TakeFromArena(size), 0, size));
    block[size / 2] = 1;
    return static_cast<void*>(block);
  };
  Heap heap(calls, Parsed("calls=calloc"), kCapacity, 1);
  oomph_block block = {};
  const oomph_request request = {40, 0, 0, 0};
  ASSERT_EQ(heap.Allocate(request, &block), OOMPH_OK);
  const Told told = Validate(heap);
  EXPECT_EQ(told.code, OOMPH_NOT_ZEROED);
  EXPECT_EQ(told.message, "byte 20 of 40 from calloc is not 0");
}

TEST(MallocHeapTest, TellsOfUsableBytesThatAreNotItsOwn) {
  Calls calls = OfArena();
  calls.malloc_usable_size = [](void*) { return size_t{72}; };  // reaches into the next
  Heap heap(calls, Parsed("calls=c"), kCapacity, 1);
  oomph_block block = {};
  const oomph_request request = {40, 0, 0, 0};
  ASSERT_EQ(heap.Allocate(request, &block), OOMPH_OK);
  EXPECT_EQ(Validate(heap).code, OOMPH_OK);
  ASSERT_EQ(heap.Allocate(request, &block), OOMPH_OK);
  std::memset(heap.Address(block.handle), 1, 40);
  const Told told = Validate(heap);
  EXPECT_EQ(told.code, OOMPH_SLACK_DAMAGED);
  // Which byte: what was written follows from the address, so the first may be what it was by chance.
  EXPECT_THAT(told.message, testing::EndsWith(" of a block of 40 bytes, 72 usable, is not what was written there"));
}

TEST(MallocHeapTest, NothingIsWrittenWhereLessWasGiven) {
  Calls calls = OfArena();
  Heap heap(calls, Parsed("calls=c"), kCapacity, 1);
  oomph_block block = {};
  const oomph_request request = {UINT64_MAX, 0, 0, 0};
  ASSERT_EQ(heap.Allocate(request, &block), OOMPH_OK);
  EXPECT_EQ(block.reserved, 64u);  // for an oracle to see
  EXPECT_EQ(heap.Address(block.handle), nullptr);
}

#if !defined(__SANITIZE_THREAD__)  // which would see the race that is planted here
TEST(MallocHeapTest, TellsOfABlockThatTwoThreadsHave) {
  Calls calls = OfArena();
  calls.malloc = [](size_t) -> void* { return arena.bytes.data(); };  // always the same
  calls.calloc = [](size_t n, size_t size) { return std::calloc(n, size); };
  calls.aligned_alloc = std::aligned_alloc;
  calls.realloc = [](void* p, size_t size) { return p == arena.bytes.data() ? p : std::realloc(p, size); };
  calls.free = [](void* p) {
    if (p != arena.bytes.data()) std::free(p);
  };
  Heap heap(calls, Parsed("threads=4"), kCapacity, 1);
  Told told = {};
  for (int i = 0; i < 100 && told.code == OOMPH_OK; ++i) {
    oomph_block block = {};
    const oomph_request request = {40, 64, 0, 0};
    ASSERT_EQ(heap.Allocate(request, &block), OOMPH_OK);
    told = Validate(heap);
    heap.Free(block.handle);
  }
  EXPECT_EQ(told.code, OOMPH_THREAD_DAMAGED);
  EXPECT_NE(told.message.find("a block of another thread"), std::string::npos) << told.message;
}
#endif

}  // namespace
}  // namespace oomph::malloc_family
