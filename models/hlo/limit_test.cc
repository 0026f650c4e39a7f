// Whether a module needs more than a limit, and which operation it is that does not fit.
// Not for the counting itself (liveness_test.cc).
#include "models/hlo/limit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "models/base/choices.h"
#include "models/base/limit.h"
#include "models/hlo/generate.h"
#include "models/hlo/liveness_testing.h"
#include "models/hlo/model.h"

namespace oomph::hlo {
namespace {

Answer AnswerTo(const Module& module, Order order = Order::kText) {
  Answer answer;
  RunModel(module, order, answer);
  return answer;
}

constexpr std::string_view kModule = R"hlo(HloModule m, is_scheduled=true

ENTRY %main {
  %p = f32[256] parameter(0)
  %q = f32[512] parameter(1)
  %n = f32[256] negate(%p)
  %trap = f32[256] custom-call(%n), custom_call_target="Other"
  %over = f32[1024] custom-call(%trap, %q), custom_call_target="Oomph/Alloc"
  %s = f32[1024] sine(%over)
  ROOT %t = f32[1024] add(%s, %over)
}
)hlo";

// p and q 3072 all the time, from the first step on (of the caller), n 1024 to trap, trap 1024 to over, over 4096 to t, s 4096, t 4096.
TEST(LimitTest, NamesTheFirstOperationThatDoesNotFit) {
  const Module module = Read(kModule);
  const Answer answer = AnswerTo(module);
  ASSERT_EQ(answer.total_peak, 3072u + 3 * 4096);
  EXPECT_FALSE(ExceedsLimit(module, answer, 3072 + 3 * 4096).has_value());
  struct Row {
    uint64_t limit;
    std::string_view identity;
    size_t step;
  };
  for (const Row& row : {Row{3072 + 3 * 4096 - 1, "add", 6}, {3072 + 2 * 4096, "add", 6}, {3072 + 2 * 4096 - 1, "sine", 5},
                         {3072 + 1024 + 4096, "sine", 5}, {3072 + 1024 + 4095, "custom-call:Oomph/Alloc", 4},
                         {3072 + 2048, "custom-call:Oomph/Alloc", 4}, {3072 + 2047, "custom-call:Other", 3},
                         {3071, "parameter", 0}, {0, "parameter", 0}}) {
    const auto over = ExceedsLimit(module, answer, row.limit);
    ASSERT_TRUE(over.has_value()) << row.limit;
    EXPECT_EQ(over->identity, row.identity) << row.limit;
    EXPECT_EQ(over->step, row.step) << row.limit;
  }
  EXPECT_EQ(ExceedsLimit(module, answer, 3072 + 2048)->text,
            "8.0 KiB are live at over (custom-call \"Oomph/Alloc\"), 3.0 KiB more than the limit of 5.0 KiB");
}

// Somebody else's peak: it counts, and the operation is not known.
TEST(LimitTest, ACountThatIsNotOursNamesNoOperation) {
  const Module module = Read(kModule);
  Answer answer = AnswerTo(module);
  ++*answer.total_peak;
  const auto over = ExceedsLimit(module, answer, *answer.total_peak - 1);
  ASSERT_TRUE(over.has_value());
  EXPECT_EQ(over->identity, "");
  EXPECT_EQ(over->text, "15.0 KiB are live at the peak, 1 byte more than the limit of 15.0 KiB");
  answer.total_peak.reset();
  EXPECT_FALSE(ExceedsLimit(module, answer, 0).has_value());
}

// The number of the error is what tells it from others.
TEST(LimitTest, ARefusalIsNamedAfterTheErrorAndItsMemory) {
  const Module module = Read(kModule);
  Answer answer;
  answer.status = Status::kDeclined;
  answer.why =
      "RESOURCE_EXHAUSTED: E1000: CompileTimeHbmOom: Ran out of memory on HBM, the total memory required for HLO temporaries "
      "(16.00G) exceeds available HBM (15.75G). HLO module: m.";
  const auto over = ExceedsLimit(module, answer, kOwnLimit);
  ASSERT_TRUE(over.has_value());
  EXPECT_EQ(over->identity, "e1000:hbm:temporaries");
  answer.why = "UNIMPLEMENTED: something else";
  EXPECT_FALSE(ExceedsLimit(module, answer, kOwnLimit).has_value());
}

TEST(LimitTest, AStepWithinACalledComputationIsNamed) {
  const Module module = Read(kLoop);
  const Answer answer = AnswerTo(module);
  const auto over = ExceedsLimit(module, answer, *answer.total_peak - 1);
  ASSERT_TRUE(over.has_value());
  const uint32_t step = *FirstStepOver(Live(module, CountedOptions()), *answer.total_peak - 1);
  EXPECT_EQ(over->step, step);
  EXPECT_NE(over->text.find(" are live at body/"), std::string::npos) << over->text;
}

// Against a count of its own at every step, in every order, for limits around everything that occurs.
TEST(LimitTest, TheStepIsTheFirstOfTheOnesThatAreOver) {
  for (uint64_t seed = 0; seed < 150; ++seed) {
    Choices choices = Choices::FromSeed(seed, true);
    Module module;
    GenerateModule(choices, {}, module);
    for (const Order order : {Order::kText, Order::kBreadthFirst, Order::kLeastMemory}) {
      const Answer answer = AnswerTo(module, order);
      if (!answer.total_peak) continue;
      EXPECT_FALSE(ExceedsLimit(module, answer, *answer.total_peak).has_value());
      LivenessOptions options = CountedOptions();
      options.order = order;
      const Liveness liveness = Live(module, options);
      for (const uint64_t limit : {*answer.total_peak - 1, *answer.total_peak / 2, *answer.total_peak / 7}) {
        if (limit >= *answer.total_peak) continue;
        const auto live = [&](uint32_t step) {
          uint64_t bytes = 0;
          for (const LiveBuffer& buffer : liveness.buffers) {
            for (const StepRange& range : buffer.ranges) bytes += range.begin <= step && step < range.end ? buffer.bytes : 0;
          }
          return bytes;
        };
        uint32_t first = 0;
        while (first < liveness.flat.steps.size() && live(first) <= limit) ++first;
        const auto over = ExceedsLimit(module, answer, limit);
        ASSERT_TRUE(over.has_value()) << seed;
        EXPECT_EQ(over->step, first) << seed;
        EXPECT_FALSE(over->identity.empty()) << seed;
      }
    }
  }
}

}  // namespace
}  // namespace oomph::hlo
