// What comes back of a compiled program and of a refusal; and the TPU compiler against the model, where it was asked for.
#include "subjects/pjrt/kernel_subject.h"

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/base/choices.h"
#include "models/vmem/allocator.h"
#include "models/vmem/compare.h"
#include "models/vmem/family.h"
#include "models/vmem/generate.h"
#include "models/vmem/promises.h"
#include "models/vmem/text.h"
#include "subjects/pjrt/rows.h"
#include "subjects/pjrt/scoped_use.h"

namespace oomph::pjrt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using vmem::Answer;
using vmem::Kernel;
using vmem::Status;

// ---- Programs ----

std::string Bytes(unsigned field, std::string_view bytes) {
  std::string out;
  for (uint64_t key = field << 3 | 2; ; key >>= 7) {
    out.push_back(static_cast<char>(key < 0x80 ? key : key | 0x80));
    if (key < 0x80) break;
  }
  EXPECT_LT(bytes.size(), 16384u);
  out.push_back(static_cast<char>(bytes.size() | 0x80));
  out.push_back(static_cast<char>(bytes.size() >> 7));
  out.append(bytes);
  return out;
}
std::string Instruction(std::string_view target, std::string_view configuration, std::string_view called = "") {
  return Bytes(2, Bytes(2, "custom-call") + Bytes(28, target) + Bytes(43, configuration) + Bytes(38, called));
}
std::string Program(const std::string& computations) { return Bytes(1, Bytes(1, "name") + computations); }

constexpr std::string_view kUsed =
    R"({"custom_call_config":{"body":"AA=="},"scoped_memory_configs":[{"memory_space":"1","offset":"0","size":"2097152"}],)"
    R"("used_scoped_memory_configs":[{"memory_space":"1","offset":"0","size":"16384"}]})";

TEST(ScopedUseTest, IsThatOfTheKernel) {
  const std::string program = Program(Bytes(3, Instruction("other", "{}") + Instruction("k", kUsed)));
  const auto uses = ReadScopedUse(program, "k");
  ASSERT_TRUE(uses.ok()) << uses.status();
  EXPECT_THAT(*uses, ElementsAre(ScopedUse{2097152, 16384}));
  EXPECT_THAT(*ReadScopedUse(program, "nobody"), testing::IsEmpty());
}

TEST(ScopedUseTest, IsThatOfTheFusionItWentInto) {
  const std::string inner = Bytes(3, Instruction("k", R"({"custom_call_config":{}})") + std::string("\x28\x07", 2));
  const auto uses = ReadScopedUse(Program(inner + Bytes(3, Instruction("", kUsed, "\x07"))), "k");
  ASSERT_TRUE(uses.ok()) << uses.status();
  EXPECT_THAT(*uses, ElementsAre(ScopedUse{2097152, 16384}));
}

TEST(ScopedUseTest, DamageIsAnError) {
  EXPECT_FALSE(ReadScopedUse("\x0a\xff", "k").ok());
  EXPECT_FALSE(ReadScopedUse(Program(Bytes(3, Instruction("k", R"("used_scoped_memory_configs":[{"memory_space":"1","size":"x"}])"))), "k").ok());
  const std::string whole = Program(Bytes(3, Instruction("k", kUsed)));
  for (size_t i = 0; i < whole.size(); ++i) ReadScopedUse(whole.substr(0, i), "k").IgnoreError();
}

TEST(KernelAnswerTest, RefusalsAreRead) {
  const Answer limit = AnswerOfMessage(
      "RESOURCE_EXHAUSTED: E1001: CompileTimeScopedVmemOom: Ran out of memory in memory space vmem while allocating on stack for "
      "%k.1 = f32[8,128]{1,0:T(8,128)} custom-call(%p0), custom_call_target=\"tpu_custom_call\". Scoped allocation with size 8.0K and "
      "limit 4.0K exceeded scoped vmem limit by 4.0K.");
  EXPECT_EQ(limit.status, Status::kOverLimit);
  ASSERT_TRUE(limit.printed_size && limit.printed_limit);
  EXPECT_TRUE(Contains(*limit.printed_size, 8192));
  EXPECT_TRUE(Contains(*limit.printed_limit, 4096));
  const Answer other = AnswerOfMessage(
      "RESOURCE_EXHAUSTED: E1001: CompileTimeScopedVmemOom: Ran out of memory in memory space vmem while allocating on stack for "
      "%c0 = pred[8,128]{1,0} compare(%a, %b), direction=NE. Scoped allocation with size 8.0K and limit 4.0K exceeded scoped vmem limit by 4.0K.");
  EXPECT_EQ(other.status, Status::kDeclined);
  EXPECT_EQ(AnswerOfMessage("INTERNAL: Mosaic failed").status, Status::kDeclined);
}

// ---- The TPU compiler's ----

#define OOMPH_START_KERNELS_OR_SKIP(subject, variant)                           \
  const SubjectRow row_of_##subject = LibtpuKernelRow(VmemFamily());            \
  if (!row_of_##subject.absent.empty()) GTEST_SKIP() << row_of_##subject.absent; \
  const auto owner_of_##subject = row_of_##subject.make(variant, true);         \
  ASSERT_TRUE(owner_of_##subject.ok()) << owner_of_##subject.status();          \
  Subject& subject = **owner_of_##subject

Answer Ask(Subject& subject, const std::string& text) {
  CaseOf<Kernel> c;
  EXPECT_TRUE(vmem::ParseKernel("test", text, c.value).ok()) << text;
  subject.Prepare(c);
  OutcomeOf<Answer> outcome;
  subject.Run(c, outcome);
  return outcome.value;
}

TEST(SlowLibtpuKernels, NeedAndLimitOfEachChip) {
  for (const std::string& variant : LibtpuKernelRow(VmemFamily()).variants) {
    SCOPED_TRACE(variant);
    OOMPH_START_KERNELS_OR_SKIP(subject, variant);
    const std::string kernel = " grid(4) in f32[1048576,128]/8x128@(i,0) out f32[1048576,128]/8x128@(i,0)";
    const Answer fits = Ask(subject, "kernel v5e limit 16384" + kernel), misses = Ask(subject, "kernel v5e limit 16383" + kernel);
    EXPECT_EQ(fits.status, Status::kAccepted) << fits.why;
    EXPECT_EQ(fits.used, 16384u);
    EXPECT_EQ(fits.limit, 16384);
    EXPECT_EQ(misses.status, Status::kOverLimit) << misses.why;
    EXPECT_THAT(misses.message, HasSubstr("E1001"));
  }
}

// A person's kernel may have what is not drawn.
TEST(SlowLibtpuKernels, WhatIsNotDrawnCanBeAsked) {
  OOMPH_START_KERNELS_OR_SKIP(subject, "v5e");
  const Bits64 uncompiled = vmem::feature::Bit(vmem::feature::kUncompiled);
  EXPECT_NE(subject.info().features & uncompiled, 0u);
  EXPECT_EQ(subject.info().Drawn() & uncompiled, 0u);
}

// Two minutes of fresh kernels over all chips, so that the model cannot drift from the compiler unseen. OOMPH_KERNEL_SEED
// draws others, OOMPH_KERNEL_SECONDS more. Every verdict and figure that is exact is the model's, and no bound is broken.
TEST(SlowLibtpuKernels, ASampleAgreesWithTheModel) {
  const SubjectRow row = LibtpuKernelRow(VmemFamily());
  if (!row.absent.empty()) GTEST_SKIP() << row.absent;
  const auto number = [](const char* name, uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
  };
  const uint64_t seed = number("OOMPH_KERNEL_SEED", 1);
  const auto share = std::chrono::milliseconds(number("OOMPH_KERNEL_SECONDS", 120) * 1000 / row.variants.size());
  size_t exact = 0, bounds = 0, not_compiled = 0;
  for (size_t v = 0; v < row.variants.size(); ++v) {
    const auto subject = row.make(row.variants[v], true);
    ASSERT_TRUE(subject.ok()) << subject.status();
    GenerateOptions options;
    options.features = (*subject)->info().Drawn() & ~vmem::feature::Bit(vmem::feature::kOptionZero) & ~vmem::feature::Bit(vmem::feature::kFused);
    const auto end = std::chrono::steady_clock::now() + share;
    for (uint64_t i = 0; std::chrono::steady_clock::now() < end; ++i) {
      CaseOf<Kernel> c;
      Choices choices = Choices::FromSeed(MixSeed(seed * 16 + v, i), true);
      vmem::GenerateKernel(choices, options, c.value);
      (*subject)->Prepare(c);
      OutcomeOf<Answer> outcome;
      (*subject)->Run(c, outcome);
      Answer model;
      vmem::RunModel(c.value, model);
      Reasons reasons;
      vmem::CompareAnswers(c.value, model, outcome.value, reasons);
      for (const Reason& reason : reasons.list()) {
        EXPECT_EQ(reason.oracle, kIncomparable) << row.variants[v] << ": " << reason.text << "\n" << vmem::PrintKernel(c.value);
      }
      const bool compiled = outcome.value.status == Status::kAccepted || outcome.value.status == Status::kOverLimit ||
                            outcome.value.status == Status::kOverCapacity;
      ++(!compiled ? not_compiled : model.exact() ? exact : bounds);
    }
  }
  RecordProperty("exact", static_cast<int>(exact));
  std::cout << exact << " exact, " << bounds << " by a bound, " << not_compiled << " not compiled\n";
  EXPECT_GE(static_cast<double>(exact), 0.9 * static_cast<double>(exact + bounds + not_compiled));
}

}  // namespace
}  // namespace oomph::pjrt
