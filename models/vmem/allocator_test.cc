// Each rule of the model by an example that was measured (docs/FACTS.md, scoped VMEM); sizes in bytes.
#include "models/vmem/allocator.h"

#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/message/compile_oom.h"
#include "models/vmem/kernel_testing.h"
#include "models/vmem/text.h"

namespace oomph::vmem {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Kernel Parsed(std::string_view text) {
  Kernel kernel;
  const absl::Status status = ParseKernel("a.kernel", text, kernel);
  EXPECT_TRUE(status.ok()) << status;
  return kernel;
}
uint64_t TotalOf(std::string_view text) { return NeedOf(Parsed(text)).total; }
Answer AnswerTo(std::string_view text) {
  Answer answer;
  RunModel(Parsed(text), answer);
  return answer;
}

struct Row {
  std::string_view text;
  uint64_t bytes;
};

TEST(Model, PadsToTilesThatGrow) {
  constexpr Row kRows[] = {
      {"in f32[1,1]", 1024},         {"in f32[2,128]", 1024},   {"in f32[3,128]", 2048},
      {"in f32[5,128]", 4096},       {"in f32[9,129]", 16384},  {"in bf16[3,128]", 1024},
      {"in bf16[5,128]", 2048},      {"in bf16[12,128]", 4096}, {"in bf16[33,128]", 10240},
      {"in s8[9,129]", 4096},        {"in s8[33,128]", 5120},   {"in s4[9,129]", 2048},
      {"in s4[64,300]", 12288},      {"in f32[3,5,7]", 12288},  {"in f32[2,3,4,128]", 12288},
      {"in f8e4m3fn[17,128]", 3072}, {"in pred[8,128]", 4096},  {"in s16[64,300]", 49152},
      {"in f32[1,1000]", 4096},      {"in s8[1,1000]", 4096},
  };
  for (const Row& row : kRows) EXPECT_EQ(TotalOf(row.text), row.bytes) << row.text;
}

TEST(Model, RankOneIsPaddedToWordsOfLanes) {
  constexpr Row kRows[] = {{"in f32[1025]", 5120}, {"in bf16[1025]", 3072}, {"in s8[1025]", 2048},
                           {"in s4[1025]", 1024},  {"in f32[4097]", 17408}, {"in s4[4097]", 3072}};
  for (const Row& row : kRows) EXPECT_EQ(TotalOf(row.text), row.bytes) << row.text;
}

TEST(Model, DoublesTheBuffersOfBlocksThatChange) {
  const std::string array = "in f32[131072,8,128]/_x8x128@";
  constexpr Row kRows[] = {
      {"grid(4) (i)", 8192},      {"grid(1) (i)", 4096},
      {"grid(4) (0)", 4096},      {"grid(4,1) (j)", 4096},
      {"grid(4,4) (i*0)", 4096},  {"grid(4,4) (i%1)", 4096},
      {"grid(4,4) (i//8)", 8192}, {"grid(4,4) (min(i,0))", 8192},
      {"grid(4) (i)*1", 4096},    {"grid(4) (0)*2", 4096},
      {"grid(4) (i)*2", 8192},    {"grid(?1) (i)", 8192},
      {"grid(4) (j)", 4096},      {"(i)", 4096},
      {"grid(4) (p0[i])", 4096},  {"grid(4) prefetch s32[8] (p0[i])", 8192},
      {"grid(4) (i)@smem", 0},    {"grid(4) (i)@any", 0},
      {"grid(4) (i)@hbm", 0},     {"grid(4) (0,0,0,i)", 4096},
      {"grid(4) (3,i)", 8192},
  };
  for (const Row& row : kRows) {
    std::string text(row.text);
    text.insert(text.find('('), text.starts_with("grid") ? "" : array);
    if (text.starts_with("grid")) text.insert(text.rfind(" ") + 1, array);
    EXPECT_EQ(TotalOf(text), row.bytes) << text;
  }
}

TEST(Model, RoundsEachBufferByItsKind) {
  EXPECT_EQ(TotalOf("in f32[1,128] in f32[1,128]"), 2048u);
  EXPECT_EQ(TotalOf("grid(4) in f32[9999,1,128]/_x1x128@(i)"), 1024u);  // both levels together
  EXPECT_EQ(TotalOf("grid(4) in f32[9999,5,1,128]/_x5x1x128@(i)"), 5120u);
  EXPECT_EQ(TotalOf("scratch f32[1,128] f32[1,128]"), 1024u);
  EXPECT_EQ(TotalOf("scoped f32[1,128]{f32[1,128]}"), 2048u);
}

TEST(Model, ScratchTakesAByteForFourBits) {
  EXPECT_EQ(TotalOf("scratch s4[8,128]"), 1024u);
  EXPECT_EQ(TotalOf("scratch s4[9,128]"), 2048u);
  EXPECT_EQ(TotalOf("scratch s4[1025]"), 2048u);
  EXPECT_EQ(TotalOf("scratch s8[9,128]"), 2048u);
  EXPECT_EQ(TotalOf("scoped s4[9,128]"), 1024u);  // a scoped buffer does not
}

TEST(Model, ScopedBuffersOfOneLaneTileKeepTheirRows) {
  constexpr Row kRows[] = {{"scoped f32[9,128]", 5120},   {"scoped f32[13,100]", 7168}, {"scoped f32[3,9,128]", 14336},
                           {"scoped f32[13,256]", 16384}, {"scoped f32[9,129]", 16384}, {"scoped bf16[9,128]", 4096},
                           {"scoped s8[9,128]", 2048},    {"scoped f32[5120]", 20480},  {"scratch f32[9,128]", 8192}};
  for (const Row& row : kRows) EXPECT_EQ(TotalOf(row.text), row.bytes) << row.text;
}

TEST(Model, ScopesAreAStack) {
  EXPECT_EQ(TotalOf("scoped f32[64,128] f32[64,128]"), 32768u);
  EXPECT_EQ(TotalOf("scoped f32[64,128]{f32[64,128]{f32[64,128]}}"), 98304u);
  EXPECT_EQ(TotalOf("scoped f32[64,128]{f32[8,128] f32[16,128]} f32[64,128]"), 32768u + 8192);
  EXPECT_EQ(TotalOf("scoped f32[8,128] internal 100"), 4196u);
}

TEST(Model, WindowsOfArraysInVmemTakeNothingWhereTheyAreOnePiece) {
  constexpr Row kRows[] = {{"grid(4) in f32[256,256]S(1)", 0},
                           {"grid(4) in f32[256,256]S(1)/64x256@(i,0)", 0},
                           {"grid(4) in f32[256,512]S(1)/256x128@(0,i)", 262144},
                           {"grid(4) in f32[4,256,256]S(1)/_x64x256@(0,i,0)", 0},
                           {"grid(4) in f32[4,256,256]S(1)/2x64x256@(0,i,0)", 262144},
                           {"grid(4) in f32[4096]S(1)/1024@(i)", 0},
                           {"grid(4) in f32[4,256]S(1)/256@(i)", 2048}};
  for (const Row& row : kRows) EXPECT_EQ(TotalOf(row.text), row.bytes) << row.text;
}

TEST(Model, TwoCoresSplitAGridOfTwo) {
  const std::string in = " in f32[131072,8,128]/_x8x128@(i+j)";
  for (const char* chip : {"v5p", "v4mega"}) {
    const std::string kernel = std::string("kernel ") + chip + " limit 1099511627776 ";
    EXPECT_EQ(TotalOf(kernel + "grid(2) sem(p)" + in), 4096u);
    EXPECT_EQ(TotalOf(kernel + "grid(2) sem(c)" + in), 4096u);
    EXPECT_EQ(TotalOf(kernel + "grid(1,2) sem(p,p)" + in), 4096u);
    EXPECT_EQ(TotalOf(kernel + "grid(2) sem(a)" + in), 8192u);
    EXPECT_EQ(TotalOf(kernel + "grid(2)" + in), 8192u);
    EXPECT_EQ(TotalOf(kernel + "grid(3) sem(p)" + in), 8192u);
    EXPECT_EQ(TotalOf(kernel + "grid(2,1) sem(a,p)" + in), 8192u);
    EXPECT_EQ(TotalOf(kernel + "grid(2,2) sem(p,p)" + in), 8192u);
    EXPECT_EQ(TotalOf(kernel + "grid(2,4) sem(p,a) in f32[131072,8,128]/_x8x128@(i)"), 8192u);
    EXPECT_EQ(TotalOf(kernel + "grid(?2) sem(p)" + in), 8192u);
    EXPECT_EQ(TotalOf(kernel + "grid(2,?1) sem(p,p)" + in), 8192u);
    EXPECT_TRUE(NeedOf(Parsed(kernel + "grid(2,2) sem(p,p)" + in)).at_least);
  }
  EXPECT_EQ(TotalOf("kernel v5e grid(2) sem(p)" + in), 8192u);
  EXPECT_EQ(TotalOf("kernel 7x grid(2) sem(p)" + in), 8192u);
}

TEST(Model, TheLimitOfTheKernelWinsOverTheOption) {
  EXPECT_EQ(LimitOf(Parsed("kernel v5e")), 16777216);
  EXPECT_EQ(LimitOf(Parsed("kernel v6e")), 33554432);
  EXPECT_EQ(LimitOf(Parsed("kernel v5e option 1024")), 1048576);
  EXPECT_EQ(LimitOf(Parsed("kernel v5e option -1")), 16777216);
  EXPECT_EQ(LimitOf(Parsed("kernel v5e option -2")), -2048);
  EXPECT_EQ(LimitOf(Parsed("kernel v5e option 0")), 0);
  EXPECT_EQ(LimitOf(Parsed("kernel v5e option 1024 limit 4194304")), 4194304);
  EXPECT_EQ(LimitOf(Parsed("kernel v5e option 4096 limit 1048576")), 1048576);
  EXPECT_EQ(LimitOf(Parsed("kernel v6e limit 134217727")), 134152192);
  EXPECT_EQ(LimitOf(Parsed("kernel 7x limit 1099511627776")), 67043328);
  EXPECT_EQ(LimitOf(Parsed("kernel v4 limit -1")), -1);
  EXPECT_EQ(LimitOf(Parsed("kernel v5e option 9223372036854775807")), INT64_MAX);
  EXPECT_EQ(LimitOf(Parsed("kernel v5e option -9223372036854775808")), INT64_MIN);
}

constexpr std::string_view kThreeKinds =
    "grid(4) in f32[131072,48,128]/_x48x128@(i) out f32[131072,8,128]/_x8x128@(i) scratch f32[64,128] f32[64,128] "
    "scoped f32[64,128]";

TEST(Model, ChecksScratchThenWindowsThenTheStack) {
  constexpr struct {
    int64_t limit;
    uint64_t printed;  // 0: accepted
  } kRows[] = {{0, 65536},       {65535, 65536},   {65536, 122880}, {122879, 122880},
               {122880, 155648}, {155647, 155648}, {155648, 0},     {-1, 65536}};
  for (const auto& row : kRows) {
    Kernel kernel = Parsed(kThreeKinds);
    kernel.limit_bytes = row.limit;
    Answer answer;
    RunModel(kernel, answer);
    EXPECT_EQ(answer.used, 155648u);
    EXPECT_EQ(answer.limit, row.limit);
    EXPECT_EQ(answer.status, row.printed == 0 ? Status::kAccepted : Status::kOverLimit) << row.limit;
    EXPECT_EQ(answer.printed_size, row.printed == 0 ? std::nullopt : std::optional(ExactlyBytes(row.printed)))
        << row.limit;
    EXPECT_EQ(answer.message.empty(), row.printed == 0);
  }
  EXPECT_EQ(AnswerTo("kernel v5e limit -1 in f32[8,128]").printed_size, ExactlyBytes(0));
  EXPECT_EQ(AnswerTo("kernel v5e limit -1 scratch f32[8,128]").printed_size, ExactlyBytes(4096));
  EXPECT_EQ(AnswerTo("kernel v5p limit -1 scratch f32[8,128]").printed_size, ExactlyBytes(0));  // two cores
  EXPECT_EQ(AnswerTo("kernel v5e limit -1 in f32[8,128]").printed_limit, (PrintedBytes{1, 1, true}));
}

TEST(Model, OfScopesThatFollowOneAnotherTheLastIsCheckedFirst) {
  const std::string windows = "kernel v5e limit 24576 grid(4) in f32[131072,24,128]/_x24x128@(i) ";
  EXPECT_EQ(AnswerTo(windows + "scoped f32[64,256] f32[8,256]").printed_size, ExactlyBytes(32768));
  EXPECT_EQ(AnswerTo(windows + "scoped f32[8,256] f32[64,256]").printed_size, ExactlyBytes(90112));
  EXPECT_EQ(AnswerTo(windows + "scoped f32[64,256]{f32[8,256]}").printed_size, ExactlyBytes(90112));
  EXPECT_EQ(AnswerTo(windows + "internal 100").printed_size, ExactlyBytes(24676));
}

TEST(Model, TellsItsParts) {
  const Answer answer = AnswerTo(
      "grid(4) in f32[99999,128]/16x128@(i,0) in f32[99999,128]/8x128@(0,0)*2 in s32[8]@smem "
      "out s4[99999,128]/8x128@(i,0) scratch s4[9,128] scoped s8[8,128] internal 7");
  const std::vector<PartBytes> expected = {{Part::kScratch, 0, 2048, 1, 2048}, {Part::kInput, 0, 8192, 2, 16384},
                                           {Part::kInput, 1, 4096, 1, 4096},   {Part::kInput, 2, 512, 0, 0},
                                           {Part::kOutput, 0, 512, 2, 1024},   {Part::kStack, 0, 1031, 1, 1031}};
  EXPECT_EQ(answer.parts, expected);
  EXPECT_EQ(answer.used, 2048u + 16384 + 4096 + 1024 + 1031);
}

TEST(Model, CapacityComesBeforeTheLimit) {
  const std::string windows = "grid(2) in f32[999999,1024]/8192x1024@(i,0) out f32[999999,1024]/8192x1024@(i,0)";
  EXPECT_EQ(AnswerTo("kernel v5e " + windows).status, Status::kOverLimit);  // 128 MiB of 128
  Answer answer = AnswerTo("kernel v6e limit -1 " + windows);               // of 127.94
  EXPECT_EQ(answer.status, Status::kOverCapacity);
  EXPECT_EQ(answer.printed_size, ExactlyBytes(134217728));
  EXPECT_EQ(answer.printed_limit, ExactlyBytes(134152192));
  EXPECT_THAT(answer.message,
              StartsWith("XLA:TPU compile permanent error. Ran out of memory in memory space vmem. Used "
                         "128.00M of 127.94M vmem. Exceeded vmem capacity by 64.0K.\n\nProgram vmem "
                         "requirement 128.00M:\n    scoped          128.00M\n"));
  answer = AnswerTo("kernel 7x " + windows + " scratch f32[1,128] f32[33000,1024]");  // each alone is larger
  EXPECT_EQ(answer.printed_size, ExactlyBytes(33000 * 4096));
  EXPECT_EQ(answer.printed_limit, ExactlyBytes(67108864));
  EXPECT_EQ(
      answer.message,
      "Allocation (size=135168000) would exceed memory (size=67108864) :: #allocation4 [shape = "
      "'f32[33000,1024]{1,0:T(8,128)}', space=vmem, size = 0x80e8000, scoped, tag = 'scratch operand'] :: kernel.1");
  answer = AnswerTo("kernel 7x " + windows);
  EXPECT_EQ(answer.status, Status::kOverCapacity);
  EXPECT_EQ(answer.printed_size, ExactlyBytes(134217728));  // 64 MiB each are not larger than 64 MiB
  EXPECT_EQ(answer.printed_limit, ExactlyBytes(67043328));
}

TEST(Model, ItsMessagesReadBackToItsNumbers) {
  AnyKernel any(5);
  size_t read_back[2] = {0, 0};
  for (int i = 0; i < 20'000; ++i) {
    const Kernel kernel = any();
    Answer answer;
    RunModel(kernel, answer);
    const bool over_limit = answer.status == Status::kOverLimit;
    if (!over_limit && answer.status != Status::kOverCapacity) continue;
    const auto oom = ReadCompileOom(answer.message);
    ASSERT_TRUE(oom.ok()) << answer.message;
    ASSERT_TRUE(oom->needed && oom->available) << answer.message;
    EXPECT_TRUE(Contains(*oom->needed, answer.printed_size->lowest)) << answer.message;
    EXPECT_EQ(oom->available->negative, answer.printed_limit->negative) << answer.message;
    EXPECT_LE(oom->available->lowest, answer.printed_limit->lowest) << answer.message;
    EXPECT_GE(oom->available->highest, answer.printed_limit->lowest) << answer.message;
    EXPECT_TRUE(SumsUp(*oom)) << answer.message;
    EXPECT_EQ(oom->form == CompileOomForm::kStack, over_limit);
    ++read_back[over_limit];
  }
  EXPECT_GT(read_back[0], 1000u);
  EXPECT_GT(read_back[1], 1000u);
}

TEST(Model, SaysWhatIsOnlyABound) {
  const std::string big = "grid(4) in f32[131072,8,128]/_x8x128@(i) ";
  EXPECT_TRUE(AnswerTo("kernel v5e limit 1048576 in f32[8,128]").at_most);
  EXPECT_FALSE(AnswerTo("kernel v5e limit 1048576 in f32[8,128]").at_least);           // may be moved to VMEM
  EXPECT_TRUE(AnswerTo("kernel v5e limit 1099511627776 in f32[8,128]").exact());       // no room
  EXPECT_TRUE(AnswerTo("kernel v5e limit 1048576 in f32[8,128]@any").exact());         // no window
  EXPECT_TRUE(AnswerTo("kernel v5e limit 1048576 in f32[8,128]S(1)").exact());         // there already
  EXPECT_TRUE(AnswerTo("kernel v5e limit 1048576 " + big).exact());                    // 512 MiB
  EXPECT_FALSE(AnswerTo("kernel v5e limit 1048576 " + big + "body softmax").at_most);  // spills
  EXPECT_TRUE(AnswerTo("kernel v5e limit 1048576 " + big + "body softmax").at_least);
  EXPECT_TRUE(AnswerTo("kernel v5e limit 1048576 " + big + "body softmax internal 5").exact());
  EXPECT_TRUE(AnswerTo("kernel v5e limit 1048576 " + big + "body exp").exact());
  EXPECT_FALSE(AnswerTo("kernel v5e limit 1048576 grid(4) in f32[131072,8,128]/_x8x128@(i) fused").at_most);
  const Answer pipeline = AnswerTo("kernel v5e limit 1048576 grid(4) in f32[131072,8,128]/_x8x128@(i)*3");
  EXPECT_EQ(pipeline.used, 12288u);
  EXPECT_FALSE(pipeline.at_least || pipeline.at_most);
}

TEST(Model, OneCoreParallelDimensionHasAStepForEachCore) {
  const Answer answer = AnswerTo("kernel v5p grid(2,4) sem(a,c) in f32[8,128]");
  EXPECT_EQ(answer.status, Status::kDeclined);
  EXPECT_THAT(answer.why,
              HasSubstr("dimension 1 has iteration bound: 4, which is greater than the number of active cores: 2"));
  EXPECT_EQ(AnswerTo("kernel v5p grid(4,2) sem(a,c) in f32[8,128]").status, Status::kAccepted);
  EXPECT_EQ(AnswerTo("kernel v5e grid(4,1) sem(a,c) in f32[8,128]").status, Status::kAccepted);
  for (const std::string_view text : {"kernel v5e grid(2) sem(c)", "kernel v5p grid(1) sem(c)", "kernel v5p grid(?2) sem(c)",
                                      "kernel v5p grid(2,2) sem(c,c)"}) {
    EXPECT_EQ(AnswerTo(text).status, Status::kDeclined) << text;
  }
}

TEST(Model, SizesBeyond64BitsStayAtTheMost) {
  EXPECT_EQ(TotalOf("in f32[18446744073709551615,18446744073709551615]"), UINT64_MAX);
  EXPECT_EQ(TotalOf("in f32[18446744073709551615,0]"), 0u);
  EXPECT_EQ(TotalOf("scratch s4[4611686018427387904,1]"), UINT64_MAX);
  EXPECT_EQ(TotalOf("in s4[4611686018427387904]"), uint64_t{1} << 61);
  EXPECT_EQ(AnswerTo("internal 18446744073709551615 in f32[8,128]").status, Status::kOverCapacity);
}

}  // namespace
}  // namespace oomph::vmem
