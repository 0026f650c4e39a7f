// Each oracle by an answer that it accepts and one that it does not; relations by what they change; comparisons by bounds.
// Not for: whether they find faults (fuzz/faults/faults_test.cc).
#include "models/vmem/oracles.h"

#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "models/vmem/allocator.h"
#include "models/vmem/answer_text.h"
#include "models/vmem/compare.h"
#include "models/vmem/compilable.h"
#include "models/vmem/promises.h"
#include "models/vmem/relations.h"
#include "models/vmem/text.h"

namespace oomph::vmem {
namespace {

Kernel Read(std::string_view text) {
  Kernel kernel;
  const absl::Status status = ParseKernel("k", text, kernel);
  EXPECT_TRUE(status.ok()) << status;
  return kernel;
}
// 512 of scratch, two windows of 8192, 2 of 1024 on the stack.
constexpr std::string_view kPlain =
    "kernel v5e limit 20000 grid(2) in f32[600000,128]/8x128@(i,0) f32[16]@any out f32[600000,128]/8x128@(i,0) "
    "scratch f32[1,128] scoped f32[2,128]";

Answer ModelOf(const Kernel& kernel) {
  Answer answer;
  RunModel(kernel, answer);
  return answer;
}

std::string First(const Kernel& kernel, const Answer& answer) {
  Reasons reasons;
  JudgeAnswer(kernel, answer, promise::kAll, reasons);
  if (reasons.empty()) return "";
  return std::string(reasons.list()[0].oracle) + "/" + std::string(reasons.list()[0].detail);
}

TEST(VmemOracles, EachSeesWhatItIsFor) {
  const Kernel fits = Read(kPlain), refused = Read("kernel v5e limit 4096 grid(2) out f32[600000,128]/8x128@(i,0)");
  const Answer good = ModelOf(fits), over = ModelOf(refused);
  ASSERT_EQ(good.status, Status::kAccepted);
  ASSERT_EQ(over.status, Status::kOverLimit);
  EXPECT_EQ(First(fits, good), "");
  EXPECT_EQ(First(refused, over), "");
  struct Example {
    std::string_view reason;
    const Kernel& kernel;
    std::function<void(Answer&)> spoil;
  };
  const std::vector<Example> examples = {
      {"ends/died", fits, [](Answer& a) { a = {}, a.status = Status::kDied; }},
      {"ends/hung", fits, [](Answer& a) { a = {}, a.status = Status::kHung; }},
      {"answer_is_readable/rubbish", fits, [](Answer& a) { a = {}, a.status = Status::kRubbish; }},
      {"answer_is_readable/both", fits, [](Answer& a) { a.message = "Ran out of memory"; }},
      {"takes_what_it_promised/declined", fits, [](Answer& a) { a = {}, a.status = Status::kDeclined; }},
      {"sizes_are_told/used", fits, [](Answer& a) { a.used.reset(); }},
      {"sizes_are_told/limit", fits, [](Answer& a) { a.limit.reset(); }},
      {"parts_are_the_kernels/in", fits, [](Answer& a) { a.parts.erase(a.parts.begin() + 2); }},
      {"parts_are_the_kernels/more", fits, [](Answer& a) { a.parts.push_back({Part::kInput, 2, 0, 0, 0}); }},
      {"a_part_holds_its_block/block", fits, [](Answer& a) { a.parts[1].padded = 2048; }},
      {"a_part_holds_its_block/levels", fits, [](Answer& a) { a.parts[1].bytes = 4096, *a.used -= 4096; }},
      {"a_part_is_whole_rows/in", fits, [](Answer& a) { a.parts[1].padded = 4097, a.parts[1].bytes += 1024, *a.used += 1024; }},
      {"bytes_are_granules/scratch", fits, [](Answer& a) { a.parts[0].bytes += 256, *a.used += 256; }},
      {"bytes_are_granules/more", fits, [](Answer& a) { a.parts[1].bytes += 1024, *a.used += 1024; }},
      {"levels_have_a_reason/in", fits, [](Answer& a) { a.parts[1].levels = 3, a.parts[1].bytes = 12288, *a.used += 4096, *a.limit = 1 << 20; }},
      {"other_memories_take_nothing/bytes", fits, [](Answer& a) { a.parts[2].levels = 1, a.parts[2].bytes = 1024, *a.used += 1024; }},
      {"used_is_the_sum/low", fits, [](Answer& a) { *a.used -= 512; }},
      {"used_is_the_sum/high", fits, [](Answer& a) { *a.used += 512; }},
      {"limit_is_what_is_asked/kernel", fits, [](Answer& a) { a.limit = 19999; }},
      {"limit_decides/refused", fits, [](Answer& a) { a.status = Status::kOverLimit; }},
      {"limit_decides/accepted", refused, [](Answer& a) { a.status = Status::kAccepted, a.message = "", a.printed_size.reset(); }},
      {"capacity_is_the_reason/fits", refused, [](Answer& a) { a.status = Status::kOverCapacity; }},
      {"prints_what_is_over/fits", refused, [](Answer& a) { a.printed_size = ExactlyBytes(4096); }},
      {"prints_what_is_over/more", refused, [](Answer& a) { a.printed_size = ExactlyBytes(9000); }},
      {"text_reads_back/unknown", refused, [](Answer& a) { a.message = "no"; }},
      {"text_reads_back/size", refused, [](Answer& a) { a.printed_size = ExactlyBytes(4608), a.printed_size->highest = 5000; }},
  };
  std::set<std::string_view> seen;
  for (const Example& example : examples) {
    Answer answer = &example.kernel == &fits ? good : over;
    example.spoil(answer);
    EXPECT_EQ(First(example.kernel, answer), example.reason) << PrintAnswer(example.kernel, answer);
    seen.insert(example.reason.substr(0, example.reason.find('/')));
  }
  for (const OracleRow& row : Oracles()) EXPECT_TRUE(seen.contains(row.info.name)) << row.info.name;
}

TEST(VmemOracles, OfTheOptionAndTheDefault) {
  const Kernel option = Read("kernel v6e option 16 out f32[600000,128]/8x128@(0,0)"), none = Read("kernel v6e out f32[600000,128]/8x128@(0,0)");
  for (const Kernel* kernel : {&option, &none}) {
    Answer answer = ModelOf(*kernel);
    EXPECT_EQ(First(*kernel, answer), "");
    answer.limit = *answer.limit + 1;
    EXPECT_EQ(First(*kernel, answer), kernel == &option ? "limit_is_what_is_asked/option" : "limit_is_what_is_asked/default");
  }
}

TEST(VmemOracles, WhatWasNotRunIsNotJudged) { EXPECT_EQ(First(Read(kPlain), Answer()), ""); }

// ---- Comparison ----

std::string Compared(const Kernel& kernel, const Answer& reference, const Answer& answer) {
  Reasons reasons;
  CompareAnswers(kernel, reference, answer, reasons);
  return reasons.empty() ? "" : std::string(reasons.list()[0].oracle) + "/" + std::string(reasons.list()[0].detail);
}

TEST(VmemCompare, ExactlyWhereBothAreExact) {
  const Kernel kernel = Read(kPlain);
  const Answer reference = ModelOf(kernel);
  EXPECT_EQ(Compared(kernel, reference, reference), "");
  const auto changed = [&](auto change) {
    Answer answer = reference;
    change(answer);
    return Compared(kernel, reference, answer);
  };
  EXPECT_EQ(changed([](Answer& a) { *a.used += 1; }), "equals_reference/used");
  EXPECT_EQ(changed([](Answer& a) { *a.limit += 1; }), "equals_reference/limit");
  EXPECT_EQ(changed([](Answer& a) { a.parts.pop_back(); }), "equals_reference/parts");
  EXPECT_EQ(changed([](Answer& a) { a.at_most = false; }), "equals_reference/bound");
  EXPECT_EQ(changed([](Answer& a) { a.status = Status::kOverLimit; }), "equals_reference/refuses");
  EXPECT_EQ(changed([](Answer& a) { a = {}, a.status = Status::kDeclined; }), "incomparable/not_compiled");
  EXPECT_EQ(changed([](Answer& a) { a.parts.clear(), a.used.reset(); }), "");  // what is not told is not compared
}

TEST(VmemCompare, ByItsBoundWhereTheReferenceHasOne) {
  Kernel kernel = Read(kPlain);
  kernel.body = Body::kDot;
  const Answer reference = ModelOf(kernel);  // at least
  ASSERT_TRUE(reference.at_least && !reference.at_most);
  Answer answer = reference;
  answer.at_most = true;
  EXPECT_EQ(Compared(kernel, reference, answer), "equals_reference/bound");  // of a model
  answer.parts.clear();
  EXPECT_EQ(Compared(kernel, reference, answer), "incomparable/heavy_body");
  *answer.used += 4096;
  EXPECT_EQ(Compared(kernel, reference, answer), "incomparable/heavy_body");
  *answer.used = *reference.used - 512;
  EXPECT_EQ(Compared(kernel, reference, answer), "equals_reference/below_bound");
  Answer most = reference;  // at most
  most.at_least = false, most.at_most = true;
  *answer.used = *reference.used + 512;
  EXPECT_EQ(Compared(kernel, most, answer), "equals_reference/above_bound");
  answer.used.reset();
  answer.status = Status::kOverLimit;
  EXPECT_EQ(Compared(kernel, most, answer), "equals_reference/above_bound");
}

TEST(VmemCompare, PrintedSizesMustBeOne) {
  const Kernel kernel = Read("kernel v5e limit 4096 grid(2) out f32[600000,128]/8x128@(i,0)");
  const Answer reference = ModelOf(kernel);
  Answer answer = reference;
  answer.printed_size = PrintedBytes{8151, 8245, false};  // "8.0K"
  EXPECT_EQ(Compared(kernel, reference, answer), "");
  answer.printed_size = PrintedBytes{8246, 8300, false};
  EXPECT_EQ(Compared(kernel, reference, answer), "equals_reference/printed_size");
}

// ---- Relations ----

TEST(VmemRelations, EachHoldsOfTheModel) {
  const Kernel kernel = Read("kernel v5e limit 40000 grid(2,3) in f32[300,2000,128]/2x8x128@(i,j,0) bf16[600,2000,128]/_x16x128@(i,0,0) "
                             "out s32[300,2000,128]/2x8x128@(i,j,0) scratch f32[9,128] s8[8,128]");
  const Answer answer = ModelOf(kernel);
  for (const RelationRow& row : Relations()) {
    Kernel related;
    ASSERT_TRUE(row.relate(kernel, related)) << row.info.name;
    Reasons reasons;
    const Answer other = ModelOf(related);
    row.judge(row.info.name, kernel, answer, other, reasons);
    EXPECT_TRUE(reasons.empty()) << row.info.name << ": " << reasons.list()[0].text;
    Answer wrong = other;
    *wrong.used += uint64_t{1} << 20;
    wrong.status = Status::kOverLimit;
    row.judge(row.info.name, kernel, answer, wrong, reasons);
    EXPECT_FALSE(reasons.empty()) << row.info.name;
    Answer unknown = wrong;  // nobody is held to a bound
    unknown.at_most = false;
    reasons.clear();
    if (row.info.name != "the_same_twice") row.judge(row.info.name, kernel, answer, unknown, reasons);
    EXPECT_TRUE(reasons.empty()) << row.info.name;
  }
}

// ---- Text ----

TEST(VmemAnswer, PacksAndUnpacks) {
  for (const std::string_view text : {kPlain, std::string_view("kernel v5e limit -1 out f32[600000,128]/8x128@(0,0)")}) {
    const Kernel kernel = Read(text);
    const Answer answer = ModelOf(kernel);
    const std::string bytes = PackAnswer(answer);
    Answer read;
    ASSERT_TRUE(UnpackAnswer(bytes, read));
    EXPECT_EQ(read, answer);
    for (size_t cut = 0; cut < bytes.size(); ++cut) EXPECT_FALSE(UnpackAnswer(std::string_view(bytes).substr(0, cut), read));
  }
}

TEST(VmemAnswer, IsTold) {
  const Kernel kernel = Read(kPlain);
  const std::string text = PrintAnswer(kernel, ModelOf(kernel));
  EXPECT_NE(text.find("accepted: 17920 (17.5K) under a limit of 20000"), std::string::npos) << text;
  EXPECT_NE(text.find("in 0: f32[8,128]"), std::string::npos) << text;
  EXPECT_NE(text.find("8192 = 2 x 4096"), std::string::npos) << text;
}

}  // namespace
}  // namespace oomph::vmem
