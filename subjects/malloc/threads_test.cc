// Threads: the crew that takes steps in turn, bystanders beside it, and a heap over both, under the sanitizer of
// threads too. Not for: faults that are races themselves (see heap_test.cc).
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

#include "subjects/malloc/heap.h"

namespace oomph::malloc_family {
namespace {

Calls OfThisProcess() {
  Calls calls;
  calls.malloc = std::malloc;
  calls.calloc = std::calloc;
  calls.realloc = std::realloc;
  calls.free = std::free;
  calls.aligned_alloc = std::aligned_alloc;
  calls.posix_memalign = ::posix_memalign;
  calls.memalign = ::memalign;
  calls.malloc_usable_size = ::malloc_usable_size;
  return calls;
}

TEST(ThreadsCrewTest, StepsAreTakenInTurn) {
  Crew crew(2, {});
  std::vector<std::thread::id> takers;
  for (int i = 0; i < 100; ++i) crew.Do(0, [&] { takers.push_back(std::this_thread::get_id()); });
  ASSERT_EQ(takers.size(), 100u);
  EXPECT_EQ(std::set(takers.begin(), takers.end()).size(), 2u);
  for (size_t i = 2; i < takers.size(); ++i) EXPECT_EQ(takers[i], takers[i - 2]);
  EXPECT_NE(takers[0], std::this_thread::get_id());
}

TEST(ThreadsCrewTest, EachBystanderDoesEachShareOnce) {
  std::vector<uint64_t> seen[2];
  Crew crew(2, {[&](uint64_t word) { seen[0].push_back(word); }, [&](uint64_t word) { seen[1].push_back(word); }});
  std::vector<uint64_t> words;
  for (uint64_t i = 0; i < 50; ++i) {
    words.push_back(i * i);
    crew.Do(words.back(), [] {});
    if (i % 10 != 9) continue;
    crew.Rest();
    EXPECT_EQ(seen[0], words);
    EXPECT_EQ(seen[1], words);
  }
}

TEST(ThreadsCrewTest, WithoutSteppersTheCallerTakesTheSteps) {
  uint64_t sum = 0;
  {
    Crew crew(0, {[&](uint64_t word) { sum += word; }});
    const auto caller = std::this_thread::get_id();
    for (int i = 0; i < 10; ++i) crew.Do(3, [&] { EXPECT_EQ(std::this_thread::get_id(), caller); });
  }  // the shares are done before it goes
  EXPECT_EQ(sum, 30u);
  Crew nobody(0, {});
  bool called = false;
  nobody.Do(1, [&] { called = true; });
  EXPECT_TRUE(called);
  nobody.Rest();
}

// Two that hand blocks to one another, as the threads of a heap do.
std::string WhatBystandersSay(const Calls& calls, int steps) {
  FirstWord damage;
  Bystander a(calls, 1, damage), b(calls, 2, damage);
  a.HandsOnTo(&b);
  b.HandsOnTo(&a);
  {
    Crew crew(2, {[&](uint64_t word) { a.Work(word); }, [&](uint64_t word) { b.Work(word); }});
    for (int i = 0; i < steps; ++i) crew.Do(static_cast<uint64_t>(i), [] {});
  }
  return damage.text();
}

TEST(ThreadsBystanderTest, HasNothingToSayOfASoundMalloc) { EXPECT_EQ(WhatBystandersSay(OfThisProcess(), 2000), ""); }

TEST(ThreadsBystanderTest, SeesContentsThatAReallocLost) {
  Calls calls = OfThisProcess();
  calls.realloc = [](void* block, size_t size) {
    std::free(block);
    return std::calloc(1, size);
  };
  EXPECT_NE(WhatBystandersSay(calls, 2000).find("was reallocated and lost"), std::string::npos);
}

TEST(ThreadsBystanderTest, SeesMemoryThatIsNotZero) {
  Calls calls = OfThisProcess();
  calls.calloc = [](size_t count, size_t size) {
    void* const block = std::malloc(count * size);
    std::memset(block, 7, count * size);
    return block;
  };
  EXPECT_NE(WhatBystandersSay(calls, 2000).find("from calloc is not 0"), std::string::npos);
}

// A few hundred steps on a heap; every answer of Validate.
std::vector<int> Play(Heap& heap, int steps) {
  std::vector<int> answers;
  std::vector<uint64_t> live;
  uint64_t state = 1;
  for (int i = 0; i < steps; ++i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    const uint64_t draw = state >> 33;
    // Not 0: the sanitizer says that such a block has a byte and takes that byte for freed.
    const oomph_request request = {1 + draw % 3000, draw % 5 == 0 ? uint64_t{64} : 0, 0, 0};
    oomph_block block = {};
    if (live.size() < 20 || draw % 3 == 0) {
      if (heap.Allocate(request, &block) == OOMPH_OK) live.push_back(block.handle);
    } else if (draw % 3 == 1) {
      uint64_t& handle = live[draw % live.size()];
      if (heap.Reallocate(handle, request, &block) == OOMPH_OK) handle = block.handle;
    } else {
      std::swap(live[draw % live.size()], live.back());
      EXPECT_EQ(heap.Free(live.back()), OOMPH_OK);
      live.pop_back();
    }
    char message[200];
    answers.push_back(heap.Validate(message, sizeof message));
  }
  return answers;
}

TEST(ThreadsHeapTest, ASoundMallocIsSoundFromSeveralThreads) {
  for (const char* text : {"threads=2", "threads=4,calls=calloc", "threads=5,calls=posix_memalign", "threads=1"}) {
    Options options;
    ASSERT_TRUE(ParseOptions(text, &options));
    Heap heap(OfThisProcess(), options, uint64_t{1} << 20, 1);
    for (const int answer : Play(heap, 500)) EXPECT_EQ(answer, OOMPH_OK) << text;
  }
}

TEST(ThreadsHeapTest, WhatABystanderSeesComesOut) {
  Calls calls = OfThisProcess();
  calls.realloc = [](void* block, size_t size) {
    std::free(block);
    return std::calloc(1, size);
  };
  Heap heap(calls, {.threads = 4}, uint64_t{1} << 20, 1);
  EXPECT_EQ(Play(heap, 1000).back(), OOMPH_THREAD_DAMAGED);
}

}  // namespace
}  // namespace oomph::malloc_family
