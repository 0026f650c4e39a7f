// Importers: what they make, that a BFC dump's state is built exactly, and one line for each thing that is
// wrong. Not for: PyTorch snapshots (see tools/import_test.cc).
#include <algorithm>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/hbm/import_bfc.h"
#include "models/hbm/import_rmm.h"
#include "models/hbm/outcome.h"
#include "models/hbm/specification.h"
#include "models/hbm/text.h"

namespace oomph::hbm {

static void PrintTo(const BfcRegion::Chunk& c, std::ostream* out) {
  *out << (c.in_use ? "used " : "free ") << c.offset << "+" << c.size;
}

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Chunk = BfcRegion::Chunk;

constexpr uint64_t kBase = 0x7f0000000000;

std::string Dump(const std::vector<Chunk>& chunks, uint64_t base = kBase) {
  std::string text = "2026-01-01 00:00:00.0: I tsl/bfc_allocator.cc:1] Next region of size 1\n";
  for (const Chunk& chunk : chunks) {
    absl::StrAppend(&text, "2026-01-01 00:00:00.0: I tsl/bfc_allocator.cc:1] ",
                    chunk.in_use ? "InUse at " : "Free  at ", absl::Hex(base + chunk.offset), " of size ",
                    chunk.size, " next 7\n");
  }
  return text;
}

// What the model of BFC has after the trace: in use as the rows say, free as the query lists.
std::vector<Chunk> Built(const Trace& trace) {
  TraceOutcome outcome;
  RunSpecification(trace, outcome);
  EXPECT_EQ(outcome.rows.size(), trace.steps.size());
  std::vector<Chunk> chunks;
  std::vector<uint32_t> names;
  for (size_t i = 0; i < outcome.rows.size(); ++i) {
    const Step& step = trace.steps[i];
    const Row& row = outcome.rows[i];
    EXPECT_EQ(row.result, Result::kOk) << i;
    if (step.kind == StepKind::kAllocate) {
      chunks.push_back({row.offset, row.reserved, true});
      names.push_back(step.name);
    } else if (step.kind == StepKind::kFree) {
      const auto freed = std::find(names.begin(), names.end(), step.name) - names.begin();
      names.erase(names.begin() + freed);
      chunks.erase(chunks.begin() + freed);
    }
  }
  for (const Event& event : outcome.events) {
    if (event.kind == EventKind::kFreeRange) chunks.push_back({event.offset, event.size, false});
  }
  std::sort(chunks.begin(), chunks.end(), [](const Chunk& a, const Chunk& b) { return a.offset < b.offset; });
  return chunks;
}

void ExpectBuilt(const std::vector<Chunk>& chunks) {
  const auto imported = ImportBfcDump("dump", Dump(chunks), {});
  ASSERT_TRUE(imported.ok()) << imported.status();
  EXPECT_EQ(Built(imported->trace), chunks) << PrintTrace(imported->trace);
}

TEST(ImportBfcTest, TheStateIsBuiltThoughItsRestsAreTooSmallToBeSplitOff) {
  ExpectBuilt({{0, 256, true}});
  ExpectBuilt({{0, 256, false}});
  ExpectBuilt({{0, 256, true}, {256, 256, false}, {512, 1024, true}, {1536, 256, true}});
  ExpectBuilt({{0, 102400, true}, {102400, 256, false}});  // 256 of 102,656 are never split off
  ExpectBuilt({{0, 102400, false}, {102400, 256, true}});
  ExpectBuilt({{0, 7348420608, true}, {7348420608, 1241513984, false}});
}

TEST(ImportBfcTest, AnyStateIsBuilt) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    std::vector<Chunk> chunks;
    uint64_t end = 0;
    for (uint64_t count = 1 + random() % 12; count > 0; --count) {
      const bool free = random() % 2 == 0 && (chunks.empty() || chunks.back().in_use);
      chunks.push_back({end, 256 * (1 + random() % (uint64_t{1} << random() % 22)), !free});
      end += chunks.back().size;
    }
    ExpectBuilt(chunks);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(ImportBfcTest, OldLinesRegionsAndTheRequestThatFailed) {
  const std::string text =
      "W bfc.cc:1] Allocator ran out of memory trying to allocate 1.0KiB (rounded to 1024)requested by op x\n"
      "I bfc.cc:2] Bin (256): Total Chunks: 2\n"
      "I bfc.cc:2] Chunk at 0x1000 of size 512\nI bfc.cc:2] Free at 0x1200 of size 256\r\n"
      "I bfc.cc:2] Chunk at 0x5000 of size 256\n90 Chunks of size 256 totalling 22.5KiB\n";
  EXPECT_TRUE(LooksLikeBfcDump(text));
  const auto first = ImportBfcDump("dump", text, {});
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_THAT(PrintTrace(first->trace), HasSubstr("capacity 768"));
  EXPECT_EQ(first->trace.steps.back().size, 1024u);
  EXPECT_THAT(first->notes, ElementsAre(HasSubstr("region 1 of 2, 2 chunks"), HasSubstr("refused")));
  const auto second = ImportBfcDump("dump", text, {.part = 2});
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(second->trace.policy.capacity, 256u);
  const auto third = ImportBfcDump("dump", text, {.part = 3});
  EXPECT_THAT(std::string(third.status().message()), HasSubstr("has 2 regions, no region 3"));
}

TEST(ImportBfcTest, WhatIsWrongIsSaidWithItsPlace) {
  const auto error = [](const std::string& text) {
    return std::string(ImportBfcDump("dump", text, {}).status().message());
  };
  EXPECT_THAT(error("no chunk\n"), HasSubstr("dump:1:1: expected a line"));
  EXPECT_THAT(error("\nInUse at zzz of size 256\n"), HasSubstr("dump:2:10: expected an address"));
  EXPECT_THAT(error("InUse at 11112222333344445 of size 256\n"), HasSubstr("an address"));
  EXPECT_THAT(error("InUse at 10 of size 99999999999999999999\n"),
              HasSubstr("dump:1:21: expected the bytes"));
  EXPECT_THAT(error("InUse at ffffffffffffff00 of size 512\n"), HasSubstr("within 2^64"));
  EXPECT_THAT(error("InUse at 10 of size 0\n"), HasSubstr("the bytes of a chunk"));
  EXPECT_THAT(error("InUse at 10 of size \n"), HasSubstr("the bytes of a chunk"));
  EXPECT_FALSE(LooksLikeBfcDump("90 Chunks of size 256 totalling 22.5KiB\nmemory hbm\n"));
}

constexpr std::string_view kHeader = "Thread,Time,Action,Pointer,Size,Stream\n";

std::string Rmm(std::string_view lines, const ImportOptions& options = {}) {
  const auto imported = ImportRmmLog("log", absl::StrCat(std::string(kHeader), std::string(lines)), options);
  return imported.ok() ? PrintTrace(imported->trace) : std::string(imported.status().message());
}

TEST(ImportRmmTest, CallsBecomeSteps) {
  EXPECT_EQ(
      Rmm("1,10:00:00:000001,allocate,0x7f00,1000,0x0\n"
          "2,10:00:00:000002,allocate,0x8f00,256,0x2\n"
          "1,10:00:00:000003,allocate failure,0x0,99999,0x0\n"
          "1,10:00:00:000004,free,0x7f00,1000,0x0\n"
          "1,10:00:00:000005,free,0x1234,8,0x0\n"
          "1,10:00:00:000006,allocate,0x8f00,512,0x0\n"),
      "memory hbm capacity 2048 granule 256\n"
      "allocate b0 1000\nallocate b1 256\nallocate b2 99999\nfree b2\nfree b0\nfree b1\nallocate b3 512\n");
  EXPECT_THAT(Rmm("1,t,allocate,0x1,8,0\n", {.capacity = 4096}), HasSubstr("capacity 4096"));
  EXPECT_EQ(Rmm(""), "memory hbm capacity 256 granule 256\n");
}

TEST(ImportRmmTest, WhatIsWrongIsSaidWithItsPlace) {
  EXPECT_THAT(Rmm("1,t,allocate,0x1\n"), HasSubstr("log:2:1: expected 6 columns"));
  EXPECT_THAT(Rmm("1,t,allocate,0x1,8,0\n1,t,grow,0x1,8,0\n"), HasSubstr("log:3:5: expected allocate, free"));
  EXPECT_THAT(Rmm("1,t,allocate,0x1,-8,0\n"), HasSubstr("log:2:18: expected a size"));
  EXPECT_THAT(Rmm("1,t,allocate,0x1,18446744073709551616,0\n"), HasSubstr("below 2^64"));
  EXPECT_THAT(Rmm("1,t,allocate,nowhere,8,0\n"), HasSubstr("log:2:14: expected an address"));
  EXPECT_THAT(Rmm("1,t,allocate,0x1,8,"), HasSubstr("allocate b0 8")) << "the last line without its end";
  EXPECT_THAT(std::string(ImportRmmLog("log", "Thread,Time\n", {}).status().message()),
              HasSubstr("log:1:1: expected a column Action"));
  EXPECT_TRUE(LooksLikeRmmLog(kHeader));
  EXPECT_FALSE(LooksLikeRmmLog("memory hbm\n"));
}

TEST(ImportLogTest, QueuedFreesEndInTheOrderOfTheirFences) {
  using enum LoggedCall;
  const Imported imported = TraceOfLog({{kAllocated, 1, 8},
                                        {kAllocated, 2, 8},
                                        {kAllocated, 3, 8},
                                        {kFreeBegun, 2},
                                        {kFreeBegun, 1},
                                        {kFreeEnded, 2},
                                        {kFreeEnded, 1},
                                        {kFreeBegun, 3},
                                        {kFreeEnded, 3},
                                        {kAllocated, 1, 8},
                                        {kFreeBegun, 1},
                                        {kFreeEnded, 9}},
                                       8, {});
  EXPECT_EQ(
      PrintTrace(imported.trace),
      "memory hbm capacity 32 granule 8\nallocate b0 8\nallocate b1 8\nallocate b2 8\nfree b1 after fence 1\n"
      "free b0 after fence 2\nfence 1\nfence 2\nfree b2\nallocate b3 8\nfree b3 after fence 3\n");
}

}  // namespace
}  // namespace oomph::hbm
