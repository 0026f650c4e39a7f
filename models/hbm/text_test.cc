// Tests of the text form of HBM traces: both ways, random traces, broken lines, and its errors word by word.
// Not for what the steps mean.

#include "models/hbm/text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gtest/gtest.h"
#include "models/hbm/trace.h"

namespace oomph::hbm {
namespace {

Trace Parse(std::string_view text) {
  Trace trace;
  const absl::Status status = ParseTrace("t.trace", text, trace);
  EXPECT_TRUE(status.ok()) << status.message();
  return trace;
}

std::string ErrorOf(std::string_view text) {
  Trace trace;
  return std::string(ParseTrace("t.trace", text, trace).message());
}

constexpr std::string_view kEveryStep =
    "memory hbm capacity 64 granule 8\n"
    "allocate a 48\n"
    "allocate b 48 align 64 end low pinned\n"
    "reallocate a 96 align 64\n"
    "free a\n"
    "free b after fence 3\n"
    "load p 100 pinned\n"
    "unload p\n"
    "execute p\n"
    "  output x 8 align 64 end high donating a\n"
    "  output y 8\n"
    "fence 3\n"
    "defragment\n"
    "evict p\n"
    "query\n";

TEST(HbmTextTest, PrintsEveryStepAsItWasWritten) { EXPECT_EQ(PrintTrace(Parse(kEveryStep)), kEveryStep); }

TEST(HbmTextTest, ReadsEveryField) {
  const Trace trace = Parse(kEveryStep);
  ASSERT_EQ(trace.steps.size(), 14u);
  EXPECT_EQ(trace.names, (std::vector<std::string>{"a", "b", "p", "x", "y"}));
  EXPECT_EQ(trace.steps[1], (Step{StepKind::kAllocate, End::kLow, true, 1, 48, 64, 0, kNobody}));
  EXPECT_EQ(trace.steps[4], (Step{StepKind::kFreeLater, End::kAny, false, 1, 0, 0, 3, kNobody}));
  EXPECT_EQ(trace.steps[8], (Step{StepKind::kOutput, End::kHigh, false, 3, 8, 64, 0, 0}));
  EXPECT_EQ(trace.steps[10], (Step{StepKind::kFence, End::kAny, false, 0, 0, 0, 3, kNobody}));
}

TEST(HbmTextTest, TheDefaultsHoldWithoutAMemoryLine) {
  EXPECT_EQ(Parse("allocate b0 1\n").policy, Policy());
  EXPECT_EQ(Parse("").steps.size(), 0u);
  EXPECT_EQ(PrintTrace(Trace()), "memory hbm capacity 1MiB\n");
}

TEST(HbmTextTest, ALaterMemoryLineOverridesKeyByKey) {
  const Trace trace =
      Parse("memory hbm capacity 64 fit first\nquery\nmemory bfc fit worst growth on # why\n");
  EXPECT_EQ(PrintTrace(trace), "memory bfc capacity 64 fit worst growth on\nquery\n");
}

TEST(HbmTextTest, EveryValueOfEveryKeyIsReadBack) {
  for (const PolicyKey& key : PolicyKeys()) {
    std::vector<uint64_t> values = {key.lowest, key.lowest + 1, key.highest};
    for (uint64_t i = 0; i < key.values.size(); ++i) values.push_back(i);
    for (const uint64_t value : values) {
      Trace trace;
      key.set(trace.policy, value);
      EXPECT_EQ(key.get(trace.policy), value) << key.name;
      EXPECT_EQ(Parse(PrintTrace(trace)), trace) << PrintTrace(trace);
    }
  }
}

// Does not compile when a field is added; it then needs a row in the table, and a name here.
constexpr size_t CountFields(const Policy& policy) {
  [[maybe_unused]] const auto& [allocator, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, bfc] = policy;
  [[maybe_unused]] const auto& [q, r, s, t, u, v, w, deviations] = bfc;
  [[maybe_unused]] const auto& [d1, d2, d3, d4, d5, d6] = deviations;
  return 15 + 7 + 6;
}

TEST(HbmTextTest, EveryFieldOfThePolicyHasAKey) {
  std::set<std::string> seen;
  for (const PolicyKey& key : PolicyKeys()) {
    Policy policy;
    key.set(policy, key.get(policy) == key.highest ? key.highest - 1 : key.highest);
    EXPECT_NE(policy, Policy()) << key.name;
    EXPECT_TRUE(seen.insert(PrintPolicy(policy)).second) << key.name;
  }
  EXPECT_EQ(seen.size(), CountFields(Policy()));
}

TEST(HbmTextTest, KeysHaveTheOrderOfTheEnums) {
  const Trace trace =
      Parse("memory bfc order defragment,evict,wait victims newest eviction never ends two zero refused");
  EXPECT_EQ(trace.policy.allocator, Allocator::kBfc);
  EXPECT_EQ(trace.policy.order, Order::kDefragmentEvictWait);
  EXPECT_EQ(trace.policy.victims, Victims::kNewest);
  EXPECT_EQ(trace.policy.eviction, Eviction::kNever);
  EXPECT_EQ(trace.policy.ends, Ends::kTwo);
  EXPECT_EQ(trace.policy.zero, Zero::kRefused);
}

TEST(HbmTextTest, SizesArePrintedForAPerson) {
  const std::vector<std::pair<uint64_t, std::string>> table = {{0, "0"},
                                                               {48, "48"},
                                                               {1024, "1024"},
                                                               {(1 << 20) - 1, "1048575"},
                                                               {1 << 20, "1MiB"},
                                                               {3u << 19, "1572864"},
                                                               {uint64_t{5} << 30, "5GiB"},
                                                               {UINT64_MAX, "18446744073709551615"}};
  for (const auto& [bytes, text] : table) {
    std::string printed;
    AppendSize(bytes, printed);
    EXPECT_EQ(printed, text);
    EXPECT_EQ(Parse("allocate b0 " + text).steps[0].size, bytes);
  }
  EXPECT_EQ(Parse("allocate b0 0x30").steps[0].size, 48u);
  EXPECT_EQ(Parse("allocate b0 2KiB align 0x100").steps[0].size, 2048u);
}

TEST(HbmTextTest, DefaultNamesAreNotKept) {
  EXPECT_TRUE(Parse("allocate b0 1\nexecute p1\n output b2 8 donating b0\n").names.empty());
  EXPECT_TRUE(Parse("free b0\n").names.empty());
  EXPECT_TRUE(Parse("output b0 8 donating b1\n").names.empty());
  // Numbers in another order, or the letter of the other kind.
  for (const char* text :
       {"allocate b1 1\n", "allocate p0 1\n", "load b0 1\n", "allocate b0 1\nevict b0\n"}) {
    EXPECT_FALSE(Parse(text).names.empty()) << text;
    EXPECT_TRUE(PrintTrace(Parse(text)).ends_with(text)) << PrintTrace(Parse(text));
  }
}

TEST(HbmTextTest, NamesThatCannotBeReadArePrintedAsDefaults) {
  Trace trace = Parse("allocate a 1\nload q 2\n");
  trace.names = {"two words", ""};
  EXPECT_EQ(PrintTrace(trace), "memory hbm capacity 1MiB\nallocate b0 1\nload p1 2\n");
  trace.names = {std::string(64, 'x'), std::string(65, 'x')};
  EXPECT_EQ(PrintTrace(trace),
            "memory hbm capacity 1MiB\nallocate " + std::string(64, 'x') + " 1\nload p1 2\n");
}

TEST(HbmTextTest, ErrorsSayWhereAndWhat) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"query\nalocate a 1\n",
       "t.trace:2:1: expected one of memory, allocate, reallocate, free, load, unload, execute, output, "
       "fence, "
       "defragment, evict, query, found 'alocate'"},
      {"allocate\n", "t.trace:1:9: expected a name, found the end of the line"},
      {"allocate 7 1\n", "t.trace:1:10: expected a name, found '7'"},
      {"allocate a\n", "t.trace:1:11: expected a number, found the end of the line"},
      {"allocate a -1\n", "t.trace:1:12: expected a number, found '-1'"},
      {"allocate a 18446744073709551616\n",
       "t.trace:1:12: expected a number below 2^64, found '18446744073709551616'"},
      {"allocate a 1 donating b\n",
       "t.trace:1:14: expected align, end, pinned or the end of the line, found 'donating'"},
      {"allocate a 1 end middle\n", "t.trace:1:18: expected low or high, found 'middle'"},
      {"free a after 3\n", "t.trace:1:14: expected 'fence', found '3'"},
      {"fence 0\n", "t.trace:1:7: expected a number from 1 to 4294967295, found '0'"},
      {"fence 4294967296\n", "t.trace:1:7: expected a number from 1 to 4294967295, found '4294967296'"},
      {"query a\n", "t.trace:1:7: expected the end of the line, found 'a'"},
      {"memory\n", "t.trace:1:7: expected hbm or bfc, found the end of the line"},
      {"memory hbm granule 0\n", "t.trace:1:20: expected a number from 1 to 18446744073709551615, found '0'"},
      {"memory hbm fit\n", "t.trace:1:15: expected best, first or worst, found the end of the line"},
      {"memory hbm fit tight\n", "t.trace:1:16: expected best, first or worst, found 'tight'"},
      {"memory hbm report maybe\n", "t.trace:1:19: expected off or on, found 'maybe'"},
      {"allocate " + std::string(65, 'x') + " 1\n",
       "t.trace:1:10: expected a name of at most 64 characters, found '" + std::string(40, 'x') + "...'"},
      {std::string("query\n\0\n", 8), "t.trace:2:1: expected text, found a NUL byte"},
  };
  for (const auto& [text, error] : table) EXPECT_EQ(ErrorOf(text), error);
}

TEST(HbmTextTest, RecognizesItsOwn) {
  EXPECT_TRUE(LooksLikeTrace("# a comment\n# oomph subject bfc\n\n  memory hbm\n"));
  EXPECT_TRUE(LooksLikeTrace("fence 1"));
  EXPECT_TRUE(LooksLikeTrace("allocate !"));  // Ours, with an error in it.
  for (const char* text : {"", "# memory\n", "HloModule m\n", "id,lower,upper\n", "freeze a\n",
                           "\x7f"
                           "ELF"}) {
    EXPECT_FALSE(LooksLikeTrace(text)) << text;
  }
}

// --- random traces ---

using Random = std::mt19937_64;

uint64_t RandomNumber(Random& random) { return random() >> (random() % 64); }

Step RandomStep(Random& random, uint32_t& names) {
  Step step;
  step.kind = static_cast<StepKind>(random() % kNumStepKinds);
  const auto name = [&] {
    const uint32_t i = random() % (names + 1);
    if (i == names) ++names;
    return i;
  };
  const bool named =
      step.kind != StepKind::kFence && step.kind != StepKind::kDefragment && step.kind != StepKind::kQuery;
  const bool sized = step.kind == StepKind::kAllocate || step.kind == StepKind::kReallocate ||
                     step.kind == StepKind::kLoad || step.kind == StepKind::kOutput;
  const bool placed = step.kind == StepKind::kAllocate || step.kind == StepKind::kOutput;
  if (named) step.name = name();
  if (sized) step.size = RandomNumber(random);
  if (sized && step.kind != StepKind::kLoad && random() % 2) step.alignment = RandomNumber(random);
  if (placed) step.end = static_cast<End>(random() % 3);
  if (step.kind == StepKind::kAllocate || step.kind == StepKind::kLoad) step.pinned = random() % 2;
  if (step.kind == StepKind::kOutput && random() % 2) step.donor = name();
  if (step.kind == StepKind::kFreeLater || step.kind == StepKind::kFence) {
    step.fence = 1 + random() % (random() % 2 ? 9 : UINT32_MAX);
  }
  return step;
}

Trace RandomTrace(Random& random, size_t steps) {
  Trace trace;
  for (const PolicyKey& key : PolicyKeys()) {
    if (random() % 3) continue;
    const uint64_t value = RandomNumber(random);
    key.set(trace.policy, key.lowest + value % std::max<uint64_t>(1, key.highest - key.lowest + 1));
  }
  trace.policy.granule = std::max<uint64_t>(1, trace.policy.granule);
  uint32_t names = 0;
  for (size_t i = 0; i < steps; ++i) trace.steps.push_back(RandomStep(random, names));
  if (random() % 2) {
    for (uint32_t i = 0; i < names; ++i) trace.names.push_back("n." + std::to_string(i * 7));
  }
  return trace;
}

TEST(HbmTextTest, RandomTracesAreReadBack) {
  Random random(1);
  Trace read;
  for (int i = 0; i < 20'000; ++i) {
    const Trace trace = RandomTrace(random, random() % 40);
    const std::string text = PrintTrace(trace);
    ASSERT_TRUE(ParseTrace("t", text, read).ok()) << ParseTrace("t", text, read).message();
    ASSERT_EQ(read.steps, trace.steps) << text;
    ASSERT_EQ(read.policy, trace.policy) << text;
    ASSERT_EQ(read.names, trace.names) << text;
  }
}

TEST(HbmTextTest, PrintingIsStableForSparseNames) {
  Random random(2);
  for (int i = 0; i < 2'000; ++i) {
    Trace trace = RandomTrace(random, 30);
    std::erase_if(trace.steps, [&](const Step&) { return random() % 3 == 0; });
    if (random() % 2 && !trace.names.empty()) trace.names.resize(random() % trace.names.size());
    const std::string text = PrintTrace(trace);
    EXPECT_EQ(PrintTrace(Parse(text)), text);
  }
}

TEST(HbmTextTest, AnyLineCanBeDeleted) {
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    const std::string text = PrintTrace(RandomTrace(random, 20));
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = text.find('\n', begin) + 1;
      EXPECT_EQ(ErrorOf(text.substr(0, begin) + text.substr(end)), "");
      begin = end;
    }
  }
}

TEST(HbmTextTest, DamagedTextIsRefusedOrStable) {
  Random random(4);
  for (int i = 0; i < 20'000; ++i) {
    std::string text = PrintTrace(RandomTrace(random, 10));
    for (int edits = 1 + random() % 4; edits > 0 && !text.empty(); --edits) {
      const size_t at = random() % text.size();
      if (random() % 2) {
        text.erase(at, 1 + random() % 5);
      } else {
        text[at] = static_cast<char>(random());
      }
    }
    Trace trace;
    const absl::Status status = ParseTrace("t", text, trace);
    if (!status.ok()) {
      EXPECT_EQ(status.message().find('\n'), std::string::npos);
      continue;
    }
    const std::string printed = PrintTrace(trace);
    EXPECT_EQ(PrintTrace(Parse(printed)), printed);
  }
}

}  // namespace
}  // namespace oomph::hbm
