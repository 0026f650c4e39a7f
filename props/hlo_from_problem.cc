// A placement problem that is made a module is the same problem: our live ranges of the module give back its sizes, what
// overlaps what, and its peak. Does not cover: compilers, which may move what is scheduled.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

#include "models/base/choices.h"
#include "models/hlo/from_problem.h"
#include "models/hlo/liveness.h"
#include "models/hlo/text.h"
#include "models/hlo/verify.h"
#include "models/placement/bounds.h"
#include "models/placement/generate.h"
#include "models/placement/text.h"

namespace oomph::hlo {
namespace {

constexpr uint64_t kCases = 600;

bool Overlap(const placement::Buffer& a, const placement::Buffer& b) { return a.space == b.space && a.start < b.end && b.start < a.end; }
bool TakesMemory(const placement::Buffer& buffer) { return buffer.size != 0 && buffer.start < buffer.end; }

// The buffer of the problem that the module's problem calls by its maker: "buffer.3".
std::map<size_t, placement::Buffer> ByNumber(const Module& module, const Liveness& liveness) {
  const placement::Problem problem = ProblemOf(module, liveness);
  const LivenessNames names(module, liveness);
  std::map<size_t, placement::Buffer> buffers;
  for (const placement::Buffer& buffer : problem.buffers) {
    if (buffer.id.starts_with("buffer.")) buffers[std::stoul(buffer.id.substr(7))] = buffer;
  }
  return buffers;
}

TEST(HloFromProblem, HasTheLiveRangesAndThePeak) {
  size_t made = 0, refused = 0;
  for (uint64_t seed = 0; seed < kCases; ++seed) {
    Choices choices = Choices::FromSeed(seed, true);
    placement::Problem problem;
    GenerateOptions options;
    if (seed % 4 != 0) options.features = 0;
    GenerateProblem(choices, options, problem);
    for (const bool for_tpu : {false, true}) {
      FromProblemOptions from;
      from.for_tpu = for_tpu;
      if (for_tpu) {
        for (placement::Buffer& buffer : problem.buffers) buffer.size = (buffer.size % 100) * 4096;
      }
      const auto module = ModuleFromProblem(problem, from);
      if (!module.ok()) {
        ++refused;
        continue;
      }
      ++made;
      ASSERT_TRUE(Verify(module->module).empty()) << Print(module->module);
      LivenessOptions counted;
      counted.pointer_bytes = 0;
      counted.reuse_operands = false;
      const auto liveness = LivenessOf(module->module, counted);
      ASSERT_TRUE(liveness.ok()) << liveness.status();
      const std::map<size_t, placement::Buffer> back = ByNumber(module->module, *liveness);
      const auto& buffers = problem.buffers;
      for (size_t i = 0; i < buffers.size(); ++i) {
        ASSERT_EQ(back.count(i), TakesMemory(buffers[i]) ? 1u : 0u) << seed << " " << i << "\n" << Print(module->module);
        if (!TakesMemory(buffers[i])) continue;
        EXPECT_EQ(back.at(i).size, buffers[i].size);
        EXPECT_EQ(back.at(i).space, buffers[i].space);
        for (size_t j = 0; j < i; ++j) {
          if (!TakesMemory(buffers[j])) continue;
          ASSERT_EQ(Overlap(back.at(i), back.at(j)), Overlap(buffers[i], buffers[j]))
              << seed << ": " << i << " and " << j << "\n" << PrintProblem(problem) << Print(module->module);
        }
      }
    }
  }
  EXPECT_GT(made, kCases / 2);
  EXPECT_GT(refused, 0u);
}

}  // namespace
}  // namespace oomph::hlo
