// The specification and the fast model give equal answers; what rests on one rule each stands in allocator_test.cc.
#include "models/vmem/specification.h"

#include "gtest/gtest.h"
#include "models/vmem/allocator.h"
#include "models/vmem/kernel_testing.h"
#include "models/vmem/text.h"

namespace oomph::vmem {
namespace {

TEST(Specification, AnswersAsTheModelOfAnyKernel) {
  AnyKernel any(1);
  const Specification specification;
  size_t exact = 0, refused = 0, bounds = 0;
  for (int i = 0; i < 100'000; ++i) {
    const Kernel kernel = any();
    Answer slow, fast;
    specification.Run(kernel, slow);
    RunModel(kernel, fast);
    ASSERT_EQ(slow, fast) << i << "\n" << PrintKernel(kernel);
    exact += slow.exact();
    bounds += slow.at_least != slow.at_most;
    refused += slow.status == Status::kOverLimit || slow.status == Status::kOverCapacity;
  }
  EXPECT_GT(exact, 10'000u);
  EXPECT_GT(bounds, 10'000u);
  EXPECT_GT(refused, 10'000u);
}

TEST(Specification, TheSumsAreThoseOfTheParts) {
  AnyKernel any(2);
  for (int i = 0; i < 20'000; ++i) {
    const Kernel kernel = any();
    const Need need = NeedOf(kernel);
    Answer answer;
    RunModel(kernel, answer);
    EXPECT_EQ(need.total, answer.used);
    EXPECT_EQ(need.at_least, answer.at_least);
    EXPECT_EQ(need.at_most, answer.at_most);
    EXPECT_EQ(LimitOf(kernel), answer.limit);
  }
}

TEST(KernelText, WhatIsPrintedReadsBackOfAnyKernel) {
  AnyKernel any(3);
  for (int i = 0; i < 20'000; ++i) {
    Kernel kernel = any(), back;
    Normalize(kernel);
    const absl::Status status = ParseKernel("k", PrintKernel(kernel), back);
    ASSERT_TRUE(status.ok()) << status << PrintKernel(kernel);
    ASSERT_EQ(back, kernel) << PrintKernel(kernel);
    ASSERT_TRUE(ParseKernel("k", PrintKernelShort(kernel), back).ok());
    back.target = kernel.target;
    back.option_kib = kernel.option_kib;
    back.limit_bytes = kernel.limit_bytes;
    ASSERT_EQ(back, kernel) << PrintKernelShort(kernel);
    EXPECT_TRUE(LooksLikeKernel(PrintKernel(kernel)));
  }
}

}  // namespace
}  // namespace oomph::vmem
