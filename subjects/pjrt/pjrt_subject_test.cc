// Compilers behind the PJRT C API as subjects: XLA's for CPUs, and the TPU's where it was fetched.
#include "subjects/pjrt/pjrt_subject.h"

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/hlo/family.h"
#include "models/hlo/text.h"
#include "subjects/pjrt/rows.h"
#include "subjects/plugin/plugin_row.h"

namespace oomph::pjrt {
namespace {

using hlo::Answer;
using hlo::Status;
using testing::HasSubstr;
using testing::SizeIs;

#define OOMPH_START_OR_SKIP(subject, row, variant)            \
  if (!(row).absent.empty()) GTEST_SKIP() << (row).absent;     \
  auto subject##_made = (row).make(variant, true);            \
  ASSERT_TRUE(subject##_made.ok()) << subject##_made.status(); \
  Subject& subject = **subject##_made

Answer Ask(Subject& subject, const std::string& text) {
  auto module = hlo::Parse("m", text);
  EXPECT_TRUE(module.ok()) << module.status();
  OutcomeOf<Answer> outcome;
  if (module.ok()) subject.Run(CaseOf<hlo::Module>(*std::move(module)), outcome);
  return outcome.value;
}

constexpr const char* kDouble = R"(HloModule m

ENTRY e {
  p = f32[2,2] parameter(0)
  ROOT a = f32[2,2] add(p, p)
}
)";

TEST(XlaCpuTest, CompilesPlansAndRuns) {
  OOMPH_START_OR_SKIP(subject, XlaCpuRow(HloFamily()), "");
  const Answer answer = Ask(subject, kDouble);
  EXPECT_EQ(answer.status, Status::kValid) << answer.why;
  ASSERT_TRUE(answer.stats.has_value());
  EXPECT_EQ(answer.stats->arguments, 16u);
  EXPECT_EQ(answer.stats->outputs, 16u);
  EXPECT_THAT(answer.plans, SizeIs(1));
  EXPECT_THAT(answer.planned, SizeIs(1));
  ASSERT_TRUE(answer.results.has_value());
  ASSERT_THAT(*answer.results, SizeIs(1));
  EXPECT_EQ(answer.results->front().type, "f32");
  EXPECT_EQ(answer.results->front().dimensions, (std::vector<int64_t>{2, 2}));
  EXPECT_THAT(answer.results->front().bytes, SizeIs(16));
}

// Row by row, in the order of the parameters, however the module lays them out.
TEST(XlaCpuTest, ArgumentsAndResultsAreRowByRow) {
  const SubjectRow row = XlaCpuRow(HloFamily());
  OOMPH_START_OR_SKIP(subject, row, "");
  auto* pjrt = dynamic_cast<PjrtSubject*>(&subject);
  ASSERT_NE(pjrt, nullptr);
  ProtoChild proto(PluginPath("xla_proto"));
  const auto code = proto.Ask(R"(HloModule m, entry_computation_layout={(s32[2,3]{0,1})->(s32[2,3]{0,1}, s32[3,2]{1,0}, pred[])}

ENTRY e {
  p = s32[2,3]{0,1} parameter(0)
  n = s32[2,3]{0,1} negate(p)
  t = s32[3,2]{1,0} transpose(p), dimensions={1,0}
  c = pred[] constant(true)
  ROOT r = (s32[2,3]{0,1}, s32[3,2]{1,0}, pred[]) tuple(n, t, c)
}
)");
  ASSERT_TRUE(code.ok()) << code.status();
  const int32_t numbers[] = {1, 2, 3, 4, 5, 6};
  std::string bytes(sizeof numbers, '\0');
  std::memcpy(bytes.data(), numbers, sizeof numbers);
  const Answer answer = pjrt->Ask("hlo", *code, {}, std::vector<hlo::ResultArray>{{"s32", {2, 3}, bytes}});
  ASSERT_EQ(answer.status, Status::kValid) << answer.why;
  ASSERT_TRUE(answer.results.has_value());
  ASSERT_THAT(*answer.results, SizeIs(3));
  const auto at = [&](size_t array, size_t index) {
    int32_t number = 0;
    std::memcpy(&number, (*answer.results)[array].bytes.data() + 4 * index, 4);
    return number;
  };
  EXPECT_EQ(at(0, 1), -2);
  EXPECT_EQ(at(0, 3), -4);
  EXPECT_EQ(at(1, 1), 4);
  EXPECT_EQ(at(1, 2), 2);
  EXPECT_EQ((*answer.results)[2].bytes, std::string(1, '\1'));
  // What does not fit is an answer, and the next one is right again.
  const Answer wrong = pjrt->Ask("hlo", *code, {}, std::vector<hlo::ResultArray>{{"s32", {2, 3}, "short"}});
  EXPECT_EQ(wrong.status, Status::kDeclined);
  EXPECT_THAT(wrong.why, HasSubstr("arguments: INVALID_ARGUMENT"));
  EXPECT_EQ(Ask(subject, kDouble).status, Status::kValid);
}

TEST(XlaCpuTest, TakesStableHloText) {
  OOMPH_START_OR_SKIP(subject, XlaCpuRow(HloFamily()), "");
  const Answer answer = dynamic_cast<PjrtSubject&>(subject).Ask("mlir", R"(
module @m {
  func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %a, %a : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
})", {});
  EXPECT_EQ(answer.status, Status::kValid) << answer.why;
  EXPECT_EQ(dynamic_cast<PjrtSubject&>(subject).Ask("mlir", "no program", {}).status, Status::kDeclined);
}

TEST(XlaCpuTest, WhatIsRefusedSaysWhyAndLeavesNoFilesBehind) {
  OOMPH_START_OR_SKIP(subject, XlaCpuRow(HloFamily()), "");
  const Answer answer = Ask(subject, R"(HloModule m

ENTRY e {
  p = f32[10] parameter(0)
  q = f32[11] parameter(1)
  ROOT a = f32[10] add(p, q)
}
)");
  EXPECT_EQ(answer.status, Status::kDeclined);
  EXPECT_NE(answer.why, "");
  EXPECT_EQ(Ask(subject, kDouble).status, Status::kValid);
  EXPECT_FALSE(XlaCpuRow(HloFamily()).make("v5e,nothing", true).ok());
}

TEST(XlaCpuTest, AnOptionThatTheCompilerDoesNotKnowIsRefusedAtOnce) {
  const SubjectRow row = XlaCpuRow(HloFamily());
  if (!row.absent.empty()) GTEST_SKIP() << row.absent;
  const auto subject = row.make("client,there_is_no_such_option=1", true);
  ASSERT_FALSE(subject.ok());
  EXPECT_THAT(std::string(subject.status().message()), HasSubstr("there_is_no_such_option"));
}

TEST(ScratchFolderTest, IsGoneWithItsOwnerAndSoAreThoseOfTheDead) {
  const std::string root = testing::TempDir() + "/scratch_" + std::to_string(getpid());
  std::filesystem::create_directories(root + "/oomph-dumps-2147483646-old");
  std::filesystem::create_directories(root + "/oomph-dumps-1-of-another");
  std::filesystem::create_directories(root + "/something else");
  std::string path;
  {
    const auto folder = ScratchFolder::Make(root);
    ASSERT_TRUE(folder.ok()) << folder.status();
    path = (*folder)->path();
    std::ofstream(path + "/file") << "x";
    std::filesystem::create_directories(path + "/a/b");
    (*folder)->Empty();
    EXPECT_TRUE(std::filesystem::is_empty(path));
    std::ofstream(path + "/file") << "x";
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(std::filesystem::exists(root + "/oomph-dumps-2147483646-old"));
  EXPECT_TRUE(std::filesystem::exists(root + "/oomph-dumps-1-of-another"));
  EXPECT_TRUE(std::filesystem::exists(root + "/something else"));
  std::filesystem::remove_all(root);
  EXPECT_FALSE(ScratchFolder::Make(root + "/not there").ok());
}

TEST(ProtoChildTest, ReadsOrSaysWhy) {
  if (access(PluginPath("xla_proto").c_str(), R_OK) != 0) GTEST_SKIP() << "the tensorflow-cpu wheel is not in .deps";
  ProtoChild proto(PluginPath("xla_proto"));
  const auto bytes = proto.Ask(kDouble);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_THAT(*bytes, HasSubstr("parameter"));
  EXPECT_TRUE(absl::IsInvalidArgument(proto.Ask("HloModule m\nENTRY e { no }").status()));
  EXPECT_TRUE(proto.Ask(kDouble).ok());
  EXPECT_TRUE(absl::IsUnavailable(ProtoChild("/nowhere.so").Ask(kDouble).status()));
}

// ---- The TPU's, where it was asked for ----

TEST(SlowLibtpuTest, CompilesForEachChip) {
  const SubjectRow row = LibtpuRow(HloFamily());
  if (!row.absent.empty()) GTEST_SKIP() << row.absent;
  for (const std::string& variant : row.variants) {
    SCOPED_TRACE(variant);
    OOMPH_START_OR_SKIP(subject, row, variant);
    const Answer answer = Ask(subject, kDouble);
    EXPECT_EQ(answer.status, Status::kValid) << answer.why;
    EXPECT_THAT(answer.plans, SizeIs(1));
    EXPECT_FALSE(answer.results.has_value());
  }
}

TEST(SlowLibtpuTest, TooMuchMemoryIsDeclinedInTheCompilersOwnWords) {
  OOMPH_START_OR_SKIP(subject, LibtpuRow(HloFamily()), "v5e");
  const Answer answer = Ask(subject, R"(HloModule m

ENTRY e {
  p = s8[10000000000] parameter(0)
  ROOT n = s8[10000000000] negate(p)
}
)");
  EXPECT_EQ(answer.status, Status::kDeclined);
  EXPECT_THAT(answer.why, HasSubstr("RESOURCE_EXHAUSTED: E1000: CompileTimeHbmOom"));
}

// Given layouts arrive: the padding tells.
TEST(SlowLibtpuTest, LayoutsOfAPersonAreHonoured) {
  OOMPH_START_OR_SKIP(subject, LibtpuRow(HloFamily()), "v5e");
  const auto bytes = [&](const std::string& layout) {
    const std::string shape = "f32[1024,2]" + layout;
    const Answer answer = Ask(subject, "HloModule m\n\nENTRY e {\n  p = " + shape + " parameter(0)\n  ROOT n = " + shape + " negate(p)\n}\n");
    EXPECT_EQ(answer.status, Status::kValid) << answer.why;
    return answer.stats ? answer.stats->arguments : 0;
  };
  EXPECT_EQ(bytes(""), 1024u * 2 * 4);
  EXPECT_EQ(bytes("{1,0:T(8,128)}"), 1024u * 128 * 4);
}

TEST(SlowLibtpuTest, OptionsReachTheCompiler) {
  const SubjectRow row = LibtpuRow(HloFamily());
  OOMPH_START_OR_SKIP(subject, row, "v5e,xla_tpu_scoped_vmem_limit_kib=4");
  const Answer answer = Ask(subject, R"(HloModule m

ENTRY e {
  p = f32[256,512] parameter(0)
  q = s32[] parameter(1)
  ROOT d = f32[8,512] dynamic-slice(p, q, q), dynamic_slice_sizes={8,512}
}
)");
  EXPECT_NE(answer.status, Status::kNotRun) << answer.why;
  OOMPH_START_OR_SKIP(unknown, row, "v5e,there_is_none=1");
  EXPECT_THAT(Ask(unknown, kDouble).why, HasSubstr("No such compile option"));
}

}  // namespace
}  // namespace oomph::pjrt
