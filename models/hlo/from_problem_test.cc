// A problem as a module: what it reads like, whose live ranges it has, and what is refused.
#include "models/hlo/from_problem.h"

#include <gtest/gtest.h>

#include <string>

#include "models/hlo/liveness.h"
#include "models/hlo/text.h"
#include "models/hlo/verify.h"

namespace oomph::hlo {
namespace {

placement::Buffer Made(uint64_t size, int64_t start, int64_t end) {
  placement::Buffer buffer;
  buffer.size = size;
  buffer.start = start;
  buffer.end = end;
  return buffer;
}

TEST(FromProblem, ReadsLikeItsPicture) {
  placement::Problem problem;
  problem.buffers = {Made(16, 0, 4), Made(8, 1, 7), Made(24, 4, 7), Made(0, 0, 9)};
  const auto made = ModuleFromProblem(problem);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(Print(made->module), R"(HloModule problem, is_scheduled=true

ENTRY %main () -> () {
  %buffer.0 = u8[16] iota(), iota_dimension=0
  %buffer.1 = u8[8] iota(), iota_dimension=0
  %reads.0 = () custom-call(%buffer.0), custom_call_target="OomphReads", custom_call_has_side_effect=true
  %buffer.2 = u8[24] iota(), iota_dimension=0
  %reads.1 = () custom-call(%buffer.1, %buffer.2), custom_call_target="OomphReads", custom_call_has_side_effect=true
  ROOT %nothing = () tuple()
}

)");
  ASSERT_EQ(made->notes.size(), 1u);
  EXPECT_EQ(made->notes[0], "1 buffers without bytes or time are left out");
  EXPECT_TRUE(Verify(made->module).empty());
  const auto liveness = LivenessOf(made->module);
  ASSERT_TRUE(liveness.ok());
  EXPECT_EQ(liveness->total_peak, 32u);
}

TEST(FromProblem, IsMadeOfRealOperationsAndWholeTiles) {
  placement::Problem problem;
  problem.buffers = {Made(4096, 0, 2), Made(5000, 1, 2)};
  FromProblemOptions options;
  options.for_tpu = true;
  EXPECT_EQ(ModuleFromProblem(problem, options).status().message(), "buffer 1 (): 5000 bytes are no multiple of 4096, a tile");
  options.round_up = true;
  const auto made = ModuleFromProblem(problem, options);
  ASSERT_TRUE(made.ok()) << made.status();
  ASSERT_EQ(made->notes.size(), 2u);
  EXPECT_EQ(made->notes[1], "buffer.1 takes 8192 bytes, not 5000");
  EXPECT_EQ(Print(made->module), R"(HloModule problem, is_scheduled=true

ENTRY %main (sum: f32[1024]) -> f32[1024] {
  %sum = f32[1024] parameter(0)
  %buffer.0 = f32[1024] iota(), iota_dimension=0
  %buffer.1 = f32[2048] iota(), iota_dimension=0
  %sum.0 = f32[1024] add(%sum, %buffer.0)
  %slice.1 = f32[1024] slice(%buffer.1), slice={[0:1024]}
  %sum.1 = f32[1024] add(%sum.0, %slice.1)
  ROOT %result = f32[1024] negate(%sum.1)
}

)");
  EXPECT_TRUE(Verify(made->module).empty());
}

TEST(FromProblem, RefusesWhatAModuleHasNot) {
  const auto refused = [](placement::Buffer buffer) {
    placement::Problem problem;
    problem.buffers = {Made(8, 0, 1), buffer};
    return std::string(ModuleFromProblem(problem).status().message());
  };
  placement::Buffer buffer = Made(8, 0, 4);
  buffer.id = "x";
  EXPECT_EQ(refused(buffer), "");
  buffer.gaps = {{1, 2, 0, 0}};
  EXPECT_EQ(refused(buffer), "buffer 1 (x): a module has no gaps in the life of a value");
  buffer.gaps.clear();
  buffer.fixed = 8;
  EXPECT_EQ(refused(buffer), "buffer 1 (x): a module has no fixed offsets");
  buffer.fixed.reset();
  buffer.group = 1;
  EXPECT_EQ(refused(buffer), "buffer 1 (x): a module has no groups of values at one offset");
  buffer.group = 0;
  buffer.alignment = 64;
  EXPECT_EQ(refused(buffer), "buffer 1 (x): a module has no alignment of its own for each value");
  buffer.alignment = 1;
  buffer.size = ~uint64_t{0};
  EXPECT_EQ(refused(buffer), "buffer 1 (x): a module has no array of 2^63 bytes");
}

}  // namespace
}  // namespace oomph::hlo
