// The BFC model by hand: what each rule does on a few calls, with the shipped deviations and without.
// That it equals its specification and the shipped allocator is tested in bfc_specification_test and
// props/bfc_plugin.
#include "models/hbm/bfc_allocator.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "models/hbm/bfc_duel.h"

namespace oomph::bfc {
namespace {

constexpr uint64_t kK = 1024;
constexpr uint64_t kM = kK * kK;

Allocator Make(const std::string& text, const Deviations& deviations, uint64_t capacity,
               uint64_t fuel = 1000) {
  Options options;
  EXPECT_TRUE(ParseOptions(text, &options)) << text;
  return Allocator(options, deviations, capacity, fuel);
}

TEST(BfcOptions, ReadWhatTheyHoldAndRefuseTheRest) {
  Options options;
  EXPECT_TRUE(ParseOptions("", &options));
  EXPECT_TRUE(
      ParseOptions("growth=off,gc=on,timestamps=loose,fragmentation=0.25,backing=4096,ends=two", &options));
  EXPECT_FALSE(options.growth);
  EXPECT_TRUE(options.garbage_collection);
  EXPECT_EQ(options.timestamps, Timestamps::kLoose);
  EXPECT_EQ(options.fragmentation, 0.25);
  EXPECT_EQ(options.backing, 4096u);
  EXPECT_EQ(options.ends, Ends::kTwo);
  for (const char* bad : {"growth", "growth=", "growth=yes", "grow=on", "backing=-1",
                          "backing=99999999999999999999", "fragmentation=2", "fragmentation=x", ",", "=on"}) {
    EXPECT_FALSE(ParseOptions(bad, &options)) << bad;
  }
}

TEST(BfcBacking, RegionsAdjoinOrKeepApartAndComeBackMerged) {
  Backing adjoining(10 * kK, true);
  EXPECT_EQ(adjoining.Take(64, 4 * kK), 0u);
  EXPECT_EQ(adjoining.Take(64, 4 * kK), 4 * kK);
  EXPECT_EQ(adjoining.Take(64, 4 * kK), std::nullopt) << "2 KiB are left";
  EXPECT_FALSE(adjoining.GiveBack(0, kK));
  EXPECT_TRUE(adjoining.GiveBack(0, 8 * kK)) << "two regions as one";
  EXPECT_EQ(adjoining.Take(64, 10 * kK), 0u);

  Backing apart(64 * kK, false);
  EXPECT_EQ(apart.Take(64, 256), 0u);
  EXPECT_EQ(apart.Take(64, 256), 256 + Backing::kGuard);
  EXPECT_EQ(apart.Take(16 * kK, 256), 16 * kK);
  EXPECT_EQ(apart.Take(64, 0), std::nullopt);
  EXPECT_EQ(apart.Take(64, UINT64_MAX), std::nullopt);
}

//     0     256         1024        1536                4096
//     |  a  |     b     |     c     |       free        |
//     |  a  |   free    |     c     |  d (1500 bytes)   |      the rest of 1024 is not worth a split
TEST(BfcAllocator, TakesTheSmallestChunkThatFits) {
  Allocator bfc = Make("growth=off", kAsShipped, 4096);
  EXPECT_EQ(bfc.Allocate(1, 0).offset, 0u);
  const Result b = bfc.Allocate(700, 0);
  EXPECT_EQ(b.reserved, 768u);
  EXPECT_EQ(bfc.Allocate(512, 0).offset, 1024u);
  EXPECT_EQ(bfc.Free(b.offset), Status::kOk);
  const Result d = bfc.Allocate(1500, 0);
  EXPECT_EQ(d.offset, 1536u);
  EXPECT_EQ(d.reserved, 2560u);
  EXPECT_EQ(bfc.Allocate(769, 0).status, Status::kNoMemory);
  EXPECT_EQ(FreeRanges(bfc), (Ranges{{256, 768}}));
  EXPECT_EQ(bfc.largest_free(), 768u);
  EXPECT_EQ(bfc.stats(), (Stats{3328, 3328, 4, 2560, 4096}));
}

TEST(BfcAllocator, HonoursAlignmentOnlyWithoutTheDeviation) {
  Allocator shipped = Make("growth=off", kAsShipped, kM);
  Allocator right = Make("growth=off", kRight, kM);
  for (Allocator* bfc : {&shipped, &right}) ASSERT_EQ(bfc->Allocate(256, 0).status, Status::kOk);
  EXPECT_EQ(shipped.Allocate(256, 4096).offset, 256u);
  EXPECT_EQ(right.Allocate(256, 4096).offset, 4096u);
  EXPECT_EQ(right.Allocate(256, 0).offset, 256u) << "the gap in front stays free";
  EXPECT_EQ(right.Allocate(256, 3).status, Status::kInvalid);
}

TEST(BfcAllocator, WrapsSizesOnlyWithTheDeviation) {
  Allocator shipped = Make("growth=off", kAsShipped, kM);
  Allocator right = Make("growth=off", kRight, kM);
  const Result block = shipped.Allocate(UINT64_MAX, 0);
  EXPECT_EQ(block.status, Status::kOk);
  EXPECT_EQ(block.paths & path::kWrapped, path::kWrapped);
  EXPECT_EQ(shipped.Free(block.offset), Status::kDied);
  EXPECT_EQ(shipped.Allocate(1, 0).status, Status::kDied) << "for ever";
  EXPECT_EQ(right.Allocate(UINT64_MAX, 0).status, Status::kNoMemory);
}

// 2048 bytes of a MiB are left: the shipped allocator asks for 2304 again and again, the right one goes on
// down.
TEST(BfcAllocator, BacksOffWithoutEndOnlyWithTheDeviation) {
  Allocator shipped = Make("growth=on,backing=2048", kAsShipped, kM);
  Allocator right = Make("growth=on,backing=2048", kRight, kM);
  EXPECT_EQ(shipped.Allocate(256, 0).status, Status::kOutOfFuel);
  EXPECT_EQ(shipped.Free(0), Status::kOutOfFuel) << "for ever";
  EXPECT_EQ(right.Allocate(256, 0).status, Status::kOk);
  EXPECT_EQ(right.stats().pool_bytes, 2048u);
  EXPECT_EQ(right.Allocate(4096, 0).status, Status::kNoMemory);
}

TEST(BfcAllocator, KeepsMemoryUntilItsFence) {
  Allocator bfc = Make("growth=off,timestamps=on", kAsShipped, kM);
  const Result a = bfc.Allocate(512 * kK, 0);
  const Result b = bfc.Allocate(512 * kK, 0);
  EXPECT_EQ(bfc.FreeAfter(a.offset, 2), Status::kOk);
  EXPECT_EQ(bfc.FreeAfter(b.offset, 1), Status::kOk);
  EXPECT_EQ(bfc.Fence(1), Status::kOk);
  EXPECT_EQ(bfc.Allocate(256, 0).status, Status::kNoMemory) << "b waits for a, which was freed before it";
  EXPECT_EQ(bfc.Fence(2), Status::kOk);
  EXPECT_EQ(bfc.Allocate(kM, 0).status, Status::kOk);
}

TEST(BfcAllocator, CollectsUnlandedMemoryOnlyWithTheDeviation) {
  Allocator shipped = Make("growth=on,gc=on,timestamps=on", kAsShipped, kM);
  Allocator right = Make("growth=on,gc=on,timestamps=on", kRight, kM);
  for (Allocator* bfc : {&shipped, &right}) {
    ASSERT_EQ(bfc->FreeAfter(bfc->Allocate(kM, 0).offset, 1), Status::kOk);
  }
  EXPECT_EQ(shipped.Allocate(kM, 0).status, Status::kOk);
  EXPECT_EQ(right.Allocate(kM, 0).status, Status::kNoMemory);
  EXPECT_EQ(right.Fence(1), Status::kOk);
  EXPECT_EQ(right.Allocate(kM, 0).status, Status::kOk);
}

TEST(BfcAllocator, ForgetsTheRemainderOnlyWithTheDeviation) {
  Allocator shipped = Make("growth=off,timestamps=loose", kAsShipped, kM);
  Allocator right = Make("growth=off,timestamps=loose", kRight, kM);
  for (Allocator* bfc : {&shipped, &right}) {
    bfc->Free(bfc->Allocate(kM, 0).offset);
    bfc->Free(bfc->Allocate(256, 0).offset);
    bfc->Fence(1);
  }
  EXPECT_EQ(shipped.Allocate(kM, 0).status, Status::kNoMemory);
  EXPECT_EQ(right.Allocate(kM, 0).status, Status::kOk);
}

//     0      256           8192-512   8192
//     | low  |     free    |   high   |
TEST(BfcAllocator, AllocatesFromBothEnds) {
  Allocator bfc = Make("growth=off,ends=two", kRight, 8 * kK);
  EXPECT_EQ(bfc.Allocate(256, 0, End::kLow).offset, 0u);
  EXPECT_EQ(bfc.Allocate(512, 0, End::kHigh).offset, 8 * kK - 512);
  EXPECT_EQ(bfc.Allocate(256, 4096, End::kHigh).offset, 4096u);
  EXPECT_EQ(FreeRanges(bfc), (Ranges{{256, 3840}, {4352, 3328}}));
}

TEST(BfcAllocator, RefusesWhatIsOutsideOfItsContract) {
  Allocator bfc = Make("growth=off", kAsShipped, kM);
  EXPECT_EQ(bfc.Allocate(0, 0).status, Status::kInvalid);
  EXPECT_EQ(bfc.Allocate(1, 3).status, Status::kInvalid);
  EXPECT_EQ(bfc.Allocate(1, 2 * Backing::kMaxAlignment).status, Status::kInvalid);
  EXPECT_EQ(bfc.Fence(1), Status::kUnsupported);
  EXPECT_EQ(bfc.FreeAfter(0, 1), Status::kUnsupported);
}

}  // namespace
}  // namespace oomph::bfc
