// Reading and printing of kernels: every form, every error with its place, and what is printed reads back.
#include "models/vmem/text.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

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

std::string ErrorOf(std::string_view text) {
  Kernel kernel;
  return std::string(ParseKernel("a.kernel", text, kernel).message());
}

constexpr std::string_view kEverything =
    "kernel v6e option 16384 limit 1048576\n"
    "grid(4,?8,2) sem(a,p)\n"
    "prefetch s32[16]\n"
    "in f32[1024,1024]/128x256@(i,j%2)\n"
    "in bf16[8,128,512]/_xe16x128@(i+2,0,j+k*3)*1\n"
    "in f32[64,128]S(1)/8x128@(i//2,min(j,3)) fused\n"
    "in f32[64,128]\n"
    "in s8[8,128]@any\n"
    "in s32[64]/8@(p0[i])@smem\n"
    "out f32[1024,1024]/128x256@(i*0,i7%0)\n"
    "scratch f32[8,257]\n"
    "scratch f32[]\n"
    "scoped f32[8,128]{s8[32,128]{f32[8,128]} f32[16,128]}\n"
    "scoped pred[8,128]\n"
    "body softmax\n"
    "internal 36864\n";

TEST(KernelText, EveryFormReadsAndPrintsAsItStands) {
  const Kernel kernel = Parsed(kEverything);
  EXPECT_EQ(PrintKernel(kernel), kEverything);
  EXPECT_EQ(kernel.target, Target::kV6e);
  EXPECT_EQ(kernel.option_kib, 16384);
  EXPECT_EQ(kernel.limit_bytes, 1048576);
  EXPECT_EQ(kernel.grid[1], (GridDimension{8, true, Semantics::kParallel}));
  EXPECT_EQ(kernel.grid[2], (GridDimension{2, false, Semantics::kNone}));
  Operand operand;
  operand.type = Type::kBf16;
  operand.array = {8, 128, 512};
  operand.block = {{BlockKind::kSqueezed, 1}, {BlockKind::kElement, 16}, {BlockKind::kBlocked, 128}};
  operand.map = {{{TermKind::kTimes, 0, 1}, {TermKind::kConstant, 0, 2}},
                 {},
                 {{TermKind::kTimes, 1, 1}, {TermKind::kTimes, 2, 3}}};
  operand.buffers = 1;
  EXPECT_EQ(kernel.inputs[1], operand);
  EXPECT_TRUE(kernel.inputs[2].in_vmem && kernel.inputs[2].fused);
  EXPECT_EQ(kernel.inputs[2].map, (std::vector<Place>{{{TermKind::kDivided, 0, 2}}, {{TermKind::kAtMost, 1, 3}}}));
  EXPECT_TRUE(kernel.inputs[3].block.empty() && kernel.inputs[3].map.empty());
  EXPECT_EQ(kernel.inputs[4].space, Space::kAny);
  EXPECT_EQ(kernel.inputs[5].map, (std::vector<Place>{{{TermKind::kPrefetched, 0, 0}}}));
  EXPECT_EQ(kernel.inputs[5].space, Space::kSmem);
  EXPECT_EQ(kernel.outputs[0].map, (std::vector<Place>{{{TermKind::kTimes, 0, 0}}, {{TermKind::kModulo, 7, 0}}}));
  std::vector<uint32_t> depths;
  for (const ScopedBuffer& scoped : kernel.scoped) depths.push_back(scoped.depth);
  EXPECT_EQ(depths, (std::vector<uint32_t>{0, 1, 2, 1, 0}));
  EXPECT_EQ(kernel.body, Body::kSoftmax);
  EXPECT_EQ(kernel.internal_bytes, 36864u);
}

TEST(KernelText, OneLineIsTheSameKernel) {
  Kernel kernel = Parsed(kEverything);
  const std::string line = PrintKernelShort(kernel);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  kernel.target = Target::kV5e;
  kernel.option_kib.reset();
  kernel.limit_bytes.reset();
  EXPECT_EQ(Parsed(line), kernel);
}

TEST(KernelText, AnyLineCanBeDeleted) {
  for (size_t begin = 0; begin < kEverything.size();) {
    const size_t end = kEverything.find('\n', begin) + 1;
    const std::string rest = std::string(kEverything.substr(0, begin)) + std::string(kEverything.substr(end));
    const Kernel kernel = Parsed(rest);
    EXPECT_EQ(Parsed(PrintKernel(kernel)), kernel) << rest;
    begin = end;
  }
  EXPECT_EQ(Parsed(""), Kernel());
  EXPECT_EQ(PrintKernel(Kernel()), "kernel v5e\n");
}

TEST(KernelText, CommentsBlanksAndTheByteOrderMark) {
  EXPECT_EQ(Parsed("\xef\xbb\xbf# oomph subject model\r\nkernel\t7x limit -1 # a word\r\ngrid( 3 , 2 )\n"
                   "in f32[8,\n 128] /8x128 @( i , 0 ) s8[8]\n"),
            Parsed("kernel 7x limit -1 grid(3,2) in f32[8,128]/8x128@(i,0) in s8[8]"));
  EXPECT_EQ(Parsed("kernel v7x"), Parsed("kernel 7x"));
  EXPECT_EQ(Parsed("kernel limit 16MiB internal 3KiB"), Parsed("kernel v5e limit 16777216 internal 3072"));
  EXPECT_EQ(Parsed("kernel option 64KiB"), Parsed("kernel option 64"));  // the option counts KiB itself
  EXPECT_EQ(Parsed("kernel option -2MiB"), Parsed("kernel option -2048"));
}

TEST(KernelText, StatementsOfOneKindAddUpAndTheLastWordCounts) {
  EXPECT_EQ(
      Parsed("sem(p) grid(2) grid(3) sem(a,c) body exp body dot internal 1 internal 2 kernel v4 kernel option -1"),
      Parsed("kernel v4 option -1 grid(2,3) sem(p,a) body dot internal 3"));
}

TEST(KernelText, ErrorsSayWhereAndWhat) {
  struct Row {
    std::string_view text, error;
  };
  constexpr Row kRows[] = {
      {"grid(2)\nins f32[8]",
       "a.kernel:2:1: expected kernel, grid, sem, prefetch, in, out, scratch, scoped, body or internal, found 'ins'"},
      {"kernel v3", "a.kernel:1:8: expected v4, v4mega, v5e, v5p, v6e, 7x, option, limit or a statement, found 'v3'"},
      {"kernel option x", "a.kernel:1:15: expected a number, found 'x'"},
      {"kernel limit 9223372036854775808", "a.kernel:1:14: expected a number of 63 bits, found '9223372036854775808'"},
      {"grid 2", "a.kernel:1:6: expected '(', found '2'"},
      {"grid(2", "a.kernel:1:7: expected ')', found the end"},
      {"grid(18446744073709551616)", "a.kernel:1:6: expected a number below 2^64, found '18446744073709551616'"},
      {"sem(x)", "a.kernel:1:5: expected a, p, c or _ (arbitrary, parallel, core_parallel, none), found 'x'"},
      {"in f33[8]", "a.kernel:1:4: expected a type such as f32, found 'f33'"},
      {"in token[8]", "a.kernel:1:4: expected a type such as f32, found 'token'"},
      {"in f32[8,]", "a.kernel:1:10: expected a number, found ']'"},
      {"in f32[8]/x", "a.kernel:1:11: expected a number, found 'x'"},
      {"in f32[8]/8@(q)",
       "a.kernel:1:14: expected a grid index (i, j, k, l, m, n, i6, ...), a number, min(i,3) or p0[i], found 'q'"},
      {"in f32[8]/8@(min(i))", "a.kernel:1:19: expected ',', found ')'"},
      {"in f32[8]/8@(p0)", "a.kernel:1:16: expected '[', found ')'"},
      {"in f32[8]@vram", "a.kernel:1:11: expected vmem, any, hbm or smem, found 'vram'"},
      {"in f32[8] fusing", "a.kernel:1:11: expected kernel, grid"},
      {"scoped f32[8]{", "a.kernel:1:15: expected a buffer such as f32[8,128], or '}', found the end"},
      {"scoped {", "a.kernel:1:8: expected kernel, grid"},
      {"scoped f32[8]}", "a.kernel:1:14: expected kernel, grid"},
      {"body soft", "a.kernel:1:6: expected copies, exp, softmax, transpose, dot or chain, found 'soft'"},
      {"internal 99999999999GiB", "a.kernel:1:21: expected a number of bytes below 2^64, found 'GiB'"},
      {"grid(1)\n  \x01", "a.kernel:2:3: expected kernel, grid"},
  };
  for (const Row& row : kRows) EXPECT_THAT(ErrorOf(row.text), StartsWith(std::string(row.error))) << row.text;
}

TEST(KernelText, WhatIsTooMuchIsRefused) {
  std::string dimensions = "1";
  for (int i = 0; i < 64; ++i) dimensions += ",1";
  EXPECT_THAT(ErrorOf("grid(" + dimensions + ")"), HasSubstr("at most 64 dimensions"));
  EXPECT_THAT(ErrorOf("in f32[" + dimensions + "]"), HasSubstr("at most 64 dimensions"));
  std::string operands, scopes = "scoped f32[8]";
  for (int i = 0; i < 4097; ++i) operands += " f32[8]";
  for (int i = 0; i < 64; ++i) scopes += "{f32[8]";
  EXPECT_THAT(ErrorOf("in" + operands), HasSubstr("at most 4096 operands"));
  EXPECT_THAT(ErrorOf("scoped" + operands), HasSubstr("at most 4096 scoped buffers"));
  EXPECT_THAT(ErrorOf(scopes), HasSubstr("at most 64 scopes in one another"));
  EXPECT_THAT(ErrorOf(std::string((64u << 20) + 1, ' ')), StartsWith("a.kernel:1:1: expected at most 67108864 bytes"));
}

TEST(KernelText, IsKnownByItsFirstWord) {
  for (const std::string_view text :
       {"kernel v5e", "# a\n\ngrid(2)", "in f32[8]", "out  s8[8]/8", "scoped f32[1]", "body exp", "kernel",
        "scratch f32[8]", "sem (a)", "internal 5", "prefetch s32[3]"}) {
    EXPECT_TRUE(LooksLikeKernel(text)) << text;
  }
  for (const std::string_view text :
       {"", "HloModule m", "memory hbm", "id,lower,upper,size", "in,out", "in the end", "inputs", "kernels", "grid, of",
        "body,head", "internal error", "module {", "ENTRY %main {"}) {
    EXPECT_FALSE(LooksLikeKernel(text)) << text;
  }
}

TEST(Normalize, GivesOneForm) {
  Kernel kernel;
  Operand& operand = kernel.inputs.emplace_back();
  operand.array = {8};
  operand.block = {{BlockKind::kSqueezed, 7}};
  operand.map = {{{TermKind::kConstant, 3, 0}}, {{TermKind::kConstant, 0, 0}, {TermKind::kTimes, 0, 1}}};
  for (const uint32_t depth : {5, 3, 7, 9, 8, 3}) kernel.scoped.push_back({{}, depth});
  Kernel same = kernel;
  Normalize(same);
  EXPECT_EQ(same.inputs[0].map[0], Place());
  EXPECT_EQ(PrintKernel(same), PrintKernel(kernel));
  EXPECT_EQ(Parsed(PrintKernel(kernel)), same);
  std::vector<uint32_t> depths;
  for (const ScopedBuffer& scoped : same.scoped) depths.push_back(scoped.depth);
  EXPECT_EQ(depths, (std::vector<uint32_t>{0, 0, 1, 2, 2, 0}));
}

TEST(KernelText, PiecesForPeople) {
  const Kernel kernel = Parsed(kEverything);
  EXPECT_EQ(PrintOperand(kernel.inputs[0]), "f32[1024,1024]/128x256@(i,j%2)");
  EXPECT_EQ(PrintMap(kernel.inputs[0].map), "(i,j%2)");
  EXPECT_EQ(PrintBuffer(kernel.scratch[0]), "f32[8,257]");
  EXPECT_EQ(BodyWord(Body::kChain), "chain");
  EXPECT_EQ(SpaceWord(Space::kHbm), "hbm");
}

}  // namespace
}  // namespace oomph::vmem
