// Small dumps in the form of the real ones: what they say, errors with their places, damage.
#include "subjects/pjrt/dump.h"

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/base/chips.h"
#include "models/hlo/plan_text.h"
#include "subjects/pjrt/dump_assignment.h"

namespace oomph {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A module of two elements of a tuple, a prefetch to VMEM and a result in the place of an operand.
constexpr char kModule[] =
    R"(HloModule small, is_scheduled=true, entry_computation_layout={(f32[256]{0:T(256)})->f32[256]{0:T(256)}}

ENTRY %e (p: f32[256]) -> f32[256] {
  %p = f32[256]{0:T(256)} parameter(0)
  %copy-start = (f32[256]{0:T(256)S(1)}, f32[256]{0:T(256)}, u32[]{:S(2)}) copy-start(%p)
  %two = (f32[256]{0:T(256)}, f32[256]{0:T(256)}) custom-call(%p), custom_call_target="two", backend_config={"scoped_memory_configs":[],"used_scoped_memory_configs":[{"memory_space":"1","offset":"0","size":"3072"}]}
  %copy-done = f32[256]{0:T(256)S(1)} copy-done(%copy-start)
  ROOT %sum = f32[256]{0:T(256)} add(%copy-done, %two#1)
}
)";

constexpr char kAssignment[] = R"(BufferAssignment:
allocation 0: size 1024, page 0, parameter 0, shape |f32[256]| at ShapeIndex {}:
 value: <0 p @0> (size=1024,offset=0): f32[256]{0:T(256)}
allocation 1: size 1024, page 0, output shape is |f32[256]|, maybe-live-out:
 value: <7 sum @0> (size=1024,offset=0): f32[256]{0:T(256)}
allocation 2: size 34816, page 0, preallocated-temp:
 value: <1 copy-start{} @0> (size=512,offset=0): (f32[256]{0:T(256)S(1)}, f32[256]{0:T(256)}, u32[]{:S(2)})
 value: <4 two{} @0> (size=512,offset=0): (f32[256]{0:T(256)}, f32[256]{0:T(256)})
 value: <5 two{0} @0> (size=1024,offset=16384): f32[256]{0:T(256)}
 value: <6 two{1} (phi) @0> (size=1024,offset=32768): f32[256]{0:T(256)}
allocation 3: size 1024, color 1, page 0, preallocated-temp:
 value: <2 copy-start{0} @1> (size=1024,offset=0): f32[256]{0:T(256)S(1)}
allocation 4: size 4, color 2, page 0, preallocated-temp:
 value: <3 copy-start{2} @2> (size=4,offset=0): u32[]{:S(2)}
)";

constexpr char kLive[] = R"(HloLiveRange (max 6):
  InstructionSequence:
    0:p
    1:copy-start
    2:two
    3:get-tuple-element.9
    4:copy-done
    5:sum
  BufferLiveRange:
    p{}:0-6
    copy-start{}:1-4
    copy-start{0}:1-5
    copy-start{2}:1-4
    two{}:2-3
    two{0}:2-2
    two{1}:2-5
    sum{}:5-6
  Live ranges at 5 (peak):
    p{}: 1024 bytes (cumulative: 1024 bytes)
    sum{}: 1024 bytes (cumulative: 2048 bytes)
  Stack trace breakdown for peak usage: 2 048 bytes
    e (100.0%, total: 2 048 bytes, current: 0 bytes, remaining: 2 048 bytes)
)";

constexpr char kUsage[] = R"(Memory Space: default (color=0)
Total bytes: 36864 (36.0KiB)
  cumulative_size;       size;       offset; used_by_n_values; shapes_list
  ------------------------------------------------------------
    1.0KiB(100%);    1.0KiB;            0;                1; f32[256]

Memory Space: vmem (color=1)
Total bytes: 1024 (1.0KiB)

Memory Space: smem (color=2)
Total bytes: 4 (4B)
)";

Dumps Small() { return {kAssignment, kLive, kUsage, kModule}; }

hlo::Answer Read(const Dumps& dumps, const DumpTarget& target) {
  hlo::Answer answer;
  const absl::Status status = ReadDumps(dumps, target, answer);
  EXPECT_TRUE(status.ok()) << status;
  return answer;
}

const hlo::PlacedValue& Find(const hlo::Plan& plan, const std::string& name) {
  static const hlo::PlacedValue none;
  for (const hlo::Allocation& allocation : plan.allocations) {
    for (const hlo::PlacedValue& value : allocation.values) {
      if (hlo::NameOf(value) == name) return value;
    }
  }
  ADD_FAILURE() << "no " << name;
  return none;
}

TEST(Dump, IsReadIntoAPlan) {
  const hlo::Answer answer = Read(Small(), {FindChip("v5e"), {}});
  ASSERT_EQ(answer.plans.size(), 1u);
  ASSERT_THAT(answer.planned, ElementsAre(kModule));
  const hlo::Plan& plan = answer.plans[0];
  EXPECT_EQ(plan.planner, "buffer_assignment");
  EXPECT_EQ(plan.rule, hlo::ByteRule::kPadded);
  ASSERT_EQ(plan.allocations.size(), 5u);
  EXPECT_EQ(plan.allocations[0].parameter, 0u);
  EXPECT_FALSE(plan.allocations[0].output);
  EXPECT_TRUE(plan.allocations[1].output);
  EXPECT_EQ(plan.allocations[2].bytes, 34816u);
  EXPECT_EQ(plan.allocations[3].space, 1u);
  EXPECT_EQ(Find(plan, "two{1}").offset, 32768u);
  EXPECT_EQ(Find(plan, "two{1}").bytes, 1024u);
  EXPECT_EQ(plan.memories.size(), 3u);
  EXPECT_EQ(plan.memories[0].capacity, 17179869184u - (258u << 20));
}

TEST(Dump, StepsAreThoseOfTheText) {
  const hlo::Plan plan = Read(Small(), {FindChip("v5e"), {}}).plans[0];
  EXPECT_THAT(plan.sequence, ElementsAre("p", "copy-start", "two", "copy-done", "sum"));
  EXPECT_EQ(Find(plan, "p").live, (hlo::StepRange{0, 5}));
  EXPECT_EQ(Find(plan, "copy-start{0}").live, (hlo::StepRange{1, 5}));
  // Until the step that is left out.
  EXPECT_EQ(Find(plan, "two").live, (hlo::StepRange{2, 3}));
  EXPECT_EQ(Find(plan, "two{0}").live, (hlo::StepRange{2, 3}));
  EXPECT_EQ(Find(plan, "two{1}").live, (hlo::StepRange{2, 5}));
  EXPECT_EQ(Find(plan, "sum").live, (hlo::StepRange{4, 5}));
}

TEST(Dump, AddressesInVmemAreAbsolute) {
  // No instruction states a limit: they count from the default one on.
  hlo::Plan plan = Read(Small(), {FindChip("v5e"), {}}).plans[0];
  EXPECT_EQ(Find(plan, "copy-start{0}").offset, 16u << 20);
  EXPECT_EQ(plan.allocations[3].bytes, (16u << 20) + 1024);
  ASSERT_EQ(plan.scoped.size(), 1u);
  EXPECT_EQ(plan.scoped[0], (hlo::ScopedMemory{"two", 1, 0, 16u << 20, 3072, {}}));
  plan = Read(Small(), {FindChip("v5e"), 64 << 20}).plans[0];
  EXPECT_EQ(Find(plan, "copy-start{0}").offset, 64u << 20);
  // One does.
  Dumps dumps = Small();
  const std::string none = "\"scoped_memory_configs\":[]";
  dumps.optimized.replace(dumps.optimized.find(none), none.size(),
                          "\"scoped_memory_configs\":[{\"memory_space\":\"1\",\"offset\":\"0\",\"size\":\"8192\"}]");
  plan = Read(dumps, {FindChip("v5e"), {}}).plans[0];
  EXPECT_EQ(Find(plan, "copy-start{0}").offset, 0u);
  EXPECT_EQ(plan.scoped[0], (hlo::ScopedMemory{"two", 1, 0, 8192, 3072, {}}));
}

TEST(Dump, OfTheCpuCompilerIsReadToo) {
  Dumps dumps;
  dumps.buffer_assignment = R"(BufferAssignment:
allocation 0: size 16, parameter 0, shape |f32[2,2]| at ShapeIndex {0}, output shape is |f32[2,2]|, maybe-live-out:
 value: <1 p{0} @0> (size=16,offset=0): f32[2,2]{1,0}
allocation 1: size 4, constant:
 value: <2 c @0> (size=4,offset=0): f32[]
allocation 2: size 4, thread-local:
 value: <3 x @0> (size=4,offset=0): f32[]

Total bytes used: 24 (24B)

Used values:
<1 p @0>
 positions:
  p

HloLiveRange (max 1):
  InstructionSequence:
    0:p
  BufferLiveRange:
    p{0}:0-1
  Live ranges at 0 (peak):
    p{}: 16 bytes (cumulative: 16 bytes)
)";
  dumps.memory_usage = "Total bytes used: 24 (24B)\n\nAllocations sorted by size:\n";
  dumps.optimized = "HloModule cpu\n\nENTRY e {\n  ROOT p = (f32[2,2]{1,0}) parameter(0)\n}\n";
  const hlo::Answer answer = Read(dumps, {});
  const hlo::Plan& plan = answer.plans[0];
  EXPECT_EQ(plan.rule, hlo::ByteRule::kPlain);
  EXPECT_THAT(plan.allocations[0].parameter_index, ElementsAre(0));
  EXPECT_TRUE(plan.allocations[0].output);
  EXPECT_TRUE(plan.allocations[1].constant);
  EXPECT_TRUE(plan.allocations[2].thread_local_);
  EXPECT_EQ(plan.allocations[0].values[0].live, (hlo::StepRange{0, 1}));
  EXPECT_THAT(answer.planned[0], HasSubstr("HloModule cpu, is_scheduled=true\n"));
}

std::string ErrorOf(const Dumps& dumps) {
  hlo::Answer answer;
  const absl::Status status = ReadDumps(dumps, {FindChip("v5e"), {}}, answer);
  EXPECT_TRUE(answer.plans.empty() || status.ok());
  EXPECT_EQ(answer.plans.size(), answer.planned.size());
  return std::string(status.message());
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Dump, ErrorsSayWhere) {
  Dumps dumps = Small();
  dumps.buffer_assignment = Replaced(kAssignment, "<7 sum @0>", "<7 sum 0>");
  EXPECT_THAT(ErrorOf(dumps), HasSubstr("buffer_assignment:5:16: expected '@', found '0>'"));
  dumps.buffer_assignment = Replaced(kAssignment, "allocation 1: size 1024, page 0", "allocation 1: size 1024, book 0");
  EXPECT_THAT(ErrorOf(dumps), HasSubstr("buffer_assignment:4:26: expected one of color, page"));
  dumps.buffer_assignment = Replaced(kAssignment, "allocation 1:", "allocation 7:");
  EXPECT_THAT(ErrorOf(dumps), HasSubstr("buffer_assignment:4:12: expected allocation 1, found '7'"));
  dumps.buffer_assignment = "";
  EXPECT_THAT(ErrorOf(dumps), HasSubstr("expected BufferAssignment:"));
  dumps = Small();
  dumps.live_range = Replaced(kLive, "two{1}:2-5", "two{1}:5-2");
  EXPECT_THAT(ErrorOf(dumps), HasSubstr("live_range:16:5: expected a value and the steps"));
  dumps = Small();
  dumps.memory_usage = Replaced(kUsage, "36864", "36865");
  EXPECT_THAT(ErrorOf(dumps), HasSubstr("memory_usage:2:1: expected 36864 bytes"));
  dumps = Small();
  dumps.optimized = Replaced(kModule, "parameter(0)", "parameter(");
  EXPECT_THAT(ErrorOf(dumps), HasSubstr("optimized:5:3: expected an integer"));
  dumps = Small();
  dumps.optimized = Replaced(kModule, "\"size\":\"3072\"", "\"size\":\"-3\"");
  EXPECT_THAT(ErrorOf(dumps), HasSubstr("%two: expected memory spaces"));
}

// Whatever is cut or put in, it is read or refused.
TEST(Dump, DamageIsNoTrouble) {
  for (const std::string Dumps::* part :
       {&Dumps::buffer_assignment, &Dumps::live_range, &Dumps::memory_usage, &Dumps::optimized}) {
    const Dumps whole = Small();
    const std::string text = whole.*part;
    for (size_t i = 0; i < text.size(); i += 3) {
      for (const std::string& damaged : {text.substr(0, i), text.substr(0, i) + "{" + text.substr(i + 1),
                                         text.substr(0, i) + "99999999999999999999" + text.substr(i)}) {
        Dumps dumps = whole;
        (part == &Dumps::buffer_assignment ? dumps.buffer_assignment
         : part == &Dumps::live_range      ? dumps.live_range
         : part == &Dumps::memory_usage    ? dumps.memory_usage
                                           : dumps.optimized) = damaged;
        ErrorOf(dumps);
      }
    }
  }
}

TEST(Dump, FilesAreFoundByTheEndsOfTheirNames) {
  std::string folder = testing::TempDir() + "/oomph-dump-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  EXPECT_EQ(FindDumps(folder).status().code(), absl::StatusCode::kNotFound);
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder + "/" + name) << text;
  };
  const std::string stem = "module_0007.main.cl_1.after_";
  write("module_0001.small.cl_1.after_optimizations-buffer-assignment.txt", "small");
  write(stem + "optimizations-buffer-assignment.txt", "the largest");
  write(stem + "optimizations-buffer-assignment-values.txt", "much larger than the largest");
  write(stem + "optimizations-live-range.txt", "live");
  write(stem + "optimizations.txt", "module");
  auto dumps = FindDumps(folder);
  ASSERT_TRUE(dumps.ok()) << dumps.status();
  EXPECT_EQ(dumps->buffer_assignment, "the largest");
  EXPECT_EQ(dumps->live_range, "live");
  EXPECT_EQ(dumps->memory_usage, "");
  EXPECT_EQ(dumps->optimized, "module");
  write(stem + "codegen.txt", "last");
  EXPECT_EQ(FindDumps(folder)->optimized, "last");
  // What is no file is not read.
  std::filesystem::remove(folder + "/" + stem + "optimizations-live-range.txt");
  std::filesystem::create_symlink("/dev/zero", folder + "/" + stem + "optimizations-live-range.txt");
  EXPECT_FALSE(FindDumps(folder).ok());
  std::filesystem::remove_all(folder);
  EXPECT_EQ(FindDumps(folder).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace oomph
