// Relation 6: kernels with scoped VMEM among values that live in VMEM, planned by XLA's open-source memory-space assignment.
// At every kernel its limit lies at 0, and each value that lives across it lies above; so the exact planner, given the same
// values and the limits as buffers fixed at 0, finds a placement, too. Does not cover: the compiler's own assignment (dumps of
// family hlo), kernels that share the memory of others at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "fuzz/judge.h"
#include "fuzz/subject_table.h"
#include "models/base/choices.h"
#include "models/families.h"
#include "models/hlo/answer.h"
#include "models/hlo/from_problem.h"
#include "models/hlo/planned.h"
#include "models/hlo/text.h"
#include "models/placement/generate.h"
#include "models/placement/planner.h"
#include "models/vmem/allocator.h"
#include "models/vmem/generate.h"

namespace oomph {
namespace {

constexpr uint64_t kModules = 150;
constexpr uint64_t kVmem = uint64_t{128} << 20;

// Kernels by the name of their instruction.
using Limits = std::map<std::string, uint64_t>;

uint64_t DrawLimit(Choices& choices) {
  vmem::Kernel kernel;
  vmem::GenerateKernel(choices, {}, kernel);
  kernel.target = vmem::Target::kV5e;
  const int64_t limit = vmem::LimitOf(kernel);
  return limit <= 0 ? 0 : std::min(static_cast<uint64_t>(limit), kVmem);
}

// The name of the instruction that a line defines; empty: it defines none.
std::string NameIn(std::string_view line) {
  const size_t begin = line.find_first_not_of(" %"), end = line.find(" = ");
  if (begin == line.npos || end == line.npos || end < begin) return "";
  std::string_view name = line.substr(begin, end - begin);
  if (name.starts_with("ROOT ")) name.remove_prefix(5);
  if (name.starts_with('%')) name.remove_prefix(1);
  return std::string(name);
}

// A placement problem as a scheduled module whose readers are kernels with limits of their own. Empty: there is none.
std::string ModuleOfKernels(uint64_t seed, Limits& limits) {
  Choices choices = Choices::FromSeed(seed, true);
  placement::Problem problem;
  GenerateOptions options;
  options.features = 0;
  placement::GenerateProblem(choices, options, problem);
  for (placement::Buffer& buffer : problem.buffers) buffer.size = (buffer.size % 48 + 1) << 20;  // some fit beside a kernel
  const auto made = hlo::ModuleFromProblem(problem);
  if (!made.ok()) return "";
  std::string text;
  const std::string printed = hlo::Print(made->module);
  for (const absl::string_view each : absl::StrSplit(printed, '\n')) {
    const std::string_view line(each.data(), each.size());
    absl::StrAppend(&text, each);
    if (line.find(" custom-call(") != line.npos) {
      const uint64_t limit = DrawLimit(choices);
      limits[NameIn(line)] = limit;
      absl::StrAppend(&text, ", backend_config={\"scoped_memory_configs\":[{\"memory_space\":\"1\",\"offset\":\"0\",\"size\":\"",
                      limit, "\"}]}");
    }
    text.push_back('\n');
  }
  return text;
}

// What the plan has in VMEM, with the limit of each kernel fixed at 0: a problem that has at least the plan's placement.
placement::Problem ProblemOfPlan(const hlo::Plan& plan, const hlo::PlannedModule& planned) {
  placement::Problem problem;
  problem.capacity = kVmem;
  for (const hlo::Allocation& allocation : plan.allocations) {
    for (const hlo::PlacedValue& value : allocation.values) {
      const auto meaning = planned.Of(value);
      if (meaning.found != hlo::PlannedModule::Found::kValue) continue;
      const hlo::Value& live = planned.liveness()->aliases.values[meaning.value];
      placement::Buffer buffer;
      buffer.id = value.name;
      buffer.size = value.bytes;
      buffer.start = live.first;
      buffer.end = int64_t{live.last} + 1;
      problem.buffers.push_back(buffer);
    }
  }
  for (const hlo::ScopedMemory& scoped : plan.scoped) {
    const auto step = planned.StepOf(scoped.name);
    if (!step) continue;
    placement::Buffer buffer;
    buffer.id = scoped.name;
    buffer.size = scoped.asked.value_or(0);
    buffer.start = *step;
    buffer.end = int64_t{*step} + 1;
    buffer.fixed = 0;
    problem.buffers.push_back(buffer);
  }
  return problem;
}

const hlo::Plan* AssignmentIn(const hlo::Answer& answer) {
  for (const hlo::Plan& plan : answer.plans) {
    if (plan.planner == "memory_space_assignment") return &plan;
  }
  return nullptr;
}

TEST(VmemBesideValues, TheLimitOfAKernelIsReservedAndWhatLivesAcrossItLiesAbove) {
  const Family& family = *FindFamily("hlo");
  const auto pairs = SubjectTable::All().Find("xla:msa=vmem", &family);
  if (!pairs.ok()) GTEST_SKIP() << pairs.status();
  auto loaded = SubjectTable::All().Load(pairs->front());
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  Judge judge(family, *loaded->subject, loaded->reference.get(), /*relations=*/false);
  size_t kernels = 0, beside = 0, planned_modules = 0;
  for (uint64_t seed = 0; seed < kModules; ++seed) {
    Limits limits;
    const std::string text = ModuleOfKernels(seed, limits);
    if (text.empty()) continue;
    SCOPED_TRACE(text);
    CaseOf<hlo::Module> c;
    ASSERT_TRUE(family.Parse("kernels", text, c).ok());
    const Verdict verdict = judge.Run(c);
    ASSERT_FALSE(verdict.found()) << verdict.text;
    const auto& answer = static_cast<const OutcomeOf<hlo::Answer>&>(judge.outcome()).value;
    const hlo::Plan* plan = AssignmentIn(answer);
    if (plan == nullptr) continue;
    ++planned_modules;
    const hlo::PlannedModule planned(answer.planned.at(plan->module));
    ASSERT_TRUE(planned.liveness().ok()) << planned.liveness().status();
    for (const hlo::ScopedMemory& scoped : plan->scoped) {
      ++kernels;
      EXPECT_EQ(scoped.asked, limits.at(scoped.name)) << scoped.name;
      EXPECT_EQ(scoped.offset, 0u) << scoped.name;
    }
    const placement::Problem problem = ProblemOfPlan(*plan, planned);
    beside += problem.buffers.size() > plan->scoped.size();
    placement::PlannerOptions exact;
    exact.planner = placement::Planner::kBranchAndBound;
    placement::Plan decided;
    placement::RunModel(problem, exact, decided);
    EXPECT_NE(decided.status, placement::Status::kInfeasible) << "the exact planner says that there is no such placement";
  }
  EXPECT_GE(planned_modules, kModules / 2);
  EXPECT_GE(kernels, kModules);
  EXPECT_GE(beside, kModules / 5) << "where nothing lives beside a kernel nothing is tested";
}

// The sums alone do not decide: at no step is there more than 2, and there is no placement in 2.
//
//   2 +----+----+----+
//     |  a    a | b  |  b wants the place that a has, or the one that the kernel of step 1 does not leave
//     +    +----+    +
//     | k0 | b  | k2 |  a lives in [0,2) and b in [1,3), both of size 1; k0 and k2 reserve 1, k1 nothing
//   0 +----+----+----+
TEST(VmemBesideValues, WhatFitsAtEachKernelNeedNotFit) {
  placement::Problem problem;
  problem.capacity = 2;
  const auto add = [&](const char* id, int64_t start, int64_t end, std::optional<uint64_t> fixed) {
    placement::Buffer buffer;
    buffer.id = id;
    buffer.size = 1;
    buffer.start = start;
    buffer.end = end;
    buffer.fixed = fixed;
    problem.buffers.push_back(buffer);
  };
  add("a", 0, 2, std::nullopt);
  add("b", 1, 3, std::nullopt);
  add("k0", 0, 1, 0);
  add("k2", 2, 3, 0);
  placement::PlannerOptions exact;
  exact.planner = placement::Planner::kBranchAndBound;
  placement::Plan plan;
  placement::RunModel(problem, exact, plan);
  EXPECT_EQ(plan.status, placement::Status::kInfeasible);
  problem.capacity = 3;
  placement::RunModel(problem, exact, plan);
  EXPECT_EQ(plan.status, placement::Status::kOptimal);
}

}  // namespace
}  // namespace oomph
