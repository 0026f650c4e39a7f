// What explain says would fit, the real TPU compiler takes; one tile step more than that it refuses, where the model says so.
// Does not cover: other ways to change a kernel, nor whether it computes the same.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "models/vmem/allocator.h"
#include "models/vmem/answer.h"
#include "models/vmem/family.h"
#include "models/vmem/fit.h"
#include "models/vmem/text.h"
#include "subjects/registry.h"

namespace oomph {
namespace {

using vmem::Kernel;
using vmem::Status;
using vmem::Way;

// Of arrays that no VMEM holds, so that nothing is moved there. 48 MiB of windows under 16 MiB, and odder ones.
constexpr const char* kTooLarge[] = {
    "grid(8,4) in f32[8192,8192]/1024x2048@(i,j) f32[8192,8192]/1024x2048@(i,j) out f32[8192,8192]/1024x2048@(i,j)",
    "grid(4,8) in bf16[65536,4096]/2048x4096@(i,0) bf16[65536,4096]/2048x512@(i,j) out bf16[65536,4096]/2048x512@(i,j)",
    "kernel v5e limit 3000000 grid(8) in s8[1048576,512]/4096x512@(i,0) out s8[1048576,512]/4096x512@(i,0) scratch f32[64,512]",
};

class SlowLibtpuAdvice : public testing::Test {
 protected:
  void SetUp() override {
    const SubjectRow* row = FindSubjectRow(VmemFamily(), "libtpu");
    if (row == nullptr || !row->absent.empty()) GTEST_SKIP() << (row == nullptr ? "no such subject" : row->absent);
    auto subject = row->make("v5e", false);
    ASSERT_TRUE(subject.ok()) << subject.status();
    subject_ = *std::move(subject);
  }

  Status Ask(const Kernel& kernel) {
    CaseOf<Kernel> c(kernel);
    OutcomeOf<vmem::Answer> outcome;
    subject_->Run(c, outcome);
    why_ = outcome.value.why + outcome.value.message;
    return outcome.value.status;
  }

  std::unique_ptr<Subject> subject_;
  std::string why_;
};

TEST_F(SlowLibtpuAdvice, WhatWouldFitFits) {
  size_t asked = 0, refused = 0;
  for (const char* text : kTooLarge) {
    Kernel kernel;
    ASSERT_TRUE(ParseKernel("k", text, kernel).ok());
    ASSERT_EQ(Ask(kernel), Status::kOverLimit) << why_;
    const auto cuts = CutDimensions(kernel);
    for (const Way& way : WaysToFit(kernel)) {
      EXPECT_EQ(Ask(way.kernel), Status::kAccepted) << PrintKernel(way.kernel) << why_;
      ++asked;
      if (way.kind != vmem::WayKind::kBlocks && way.kind != vmem::WayKind::kRagged) continue;
      for (const auto& cut : CutDimensions(way.kernel)) {
        Kernel larger = way.kernel;
        bool is_cut = true;
        for (const auto& place : cut.places) {
          auto& operand = (place.is_output ? larger.outputs : larger.inputs)[place.operand];
          const auto& before = (place.is_output ? kernel.outputs : kernel.inputs)[place.operand];
          operand.block[place.dimension].size += place.step;
          is_cut = is_cut && operand.block[place.dimension].size <= before.block[place.dimension].size;
        }
        if (!is_cut || IsWithin(larger, NeedOf(larger))) continue;
        EXPECT_EQ(Ask(larger), Status::kOverLimit) << PrintKernel(larger) << why_;
        ++refused;
      }
    }
    EXPECT_FALSE(cuts.empty());
  }
  EXPECT_GE(asked, 10u);
  EXPECT_GE(refused, 4u);
}

}  // namespace
}  // namespace oomph
