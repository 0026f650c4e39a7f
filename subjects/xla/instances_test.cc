// XLA's own instances, on the planners that claim to be its heap and its repacker, and on the heap itself where the
// wheel is. Not for: random problems (see xla_test.cc).
#include "subjects/xla/instances.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "models/placement/family.h"
#include "models/placement/oracles.h"
#include "models/placement/planner.h"
#include "models/placement/promises.h"
#include "models/placement/specification.h"
#include "subjects/xla/xla_row.h"

namespace oomph {
namespace {

using placement::Buffer;
using placement::Plan;
using placement::Planner;
using placement::Problem;
using placement::Status;

uint64_t Number(const std::string& text, size_t at) { return std::strtoull(text.c_str() + at, nullptr, 10); }

// The buffers by their letters; those that lie at one place are a group.
Problem ProblemOf(const HeapInstance& instance) {
  Problem problem;
  std::map<char, size_t> by_letter;
  std::istringstream events((std::string(instance.events)));
  std::string event;
  for (int64_t time = 0; events >> event; ++time) {
    if (event[0] == '-') {
      problem.buffers[by_letter.at(event[1])].end = time + 1;
      continue;
    }
    Buffer buffer;
    buffer.id = event.substr(0, 1);
    buffer.alignment = instance.alignment;
    buffer.start = time;
    const bool shares = event[1] == '=';
    buffer.size = Number(event, shares ? 3 : 1);
    if (shares) problem.buffers[by_letter.at(event[2])].group = buffer.group = 1;
    by_letter[event[0]] = problem.buffers.size();
    problem.buffers.push_back(buffer);
  }
  return problem;
}

std::string OffsetsOf(const Problem& problem, const Plan& plan) {
  std::string text;
  for (size_t i = 0; i < plan.offsets.size(); ++i) {
    text += (i == 0 ? "" : " ") + problem.buffers[i].id;
    text += plan.offsets[i] ? std::to_string(*plan.offsets[i]) : "?";
  }
  return text;
}

Plan Model(Planner planner, const Problem& problem) {
  Plan plan;
  placement::RunModel(problem, {planner}, plan);
  return plan;
}

// Problem by problem on the library itself; null where it is not here.
std::unique_ptr<Subject> StartXla(const std::string& variant) {
  const SubjectRow row = XlaRow(PlacementFamily());
  if (!row.absent.empty()) return nullptr;
  auto subject = row.make(variant, true);
  EXPECT_TRUE(subject.ok()) << subject.status();
  return subject.ok() ? *std::move(subject) : nullptr;
}

Plan Ask(Subject& subject, const Problem& problem) {
  OutcomeOf<Plan> outcome;
  subject.Run(CaseOf<Problem>(problem), outcome);
  return outcome.value;
}

void ExpectPlain(const HeapInstance& instance, const Problem& problem, const Plan& plan) {
  ASSERT_TRUE(plan.status == Status::kFeasible || plan.status == Status::kOptimal) << plan.note;
  EXPECT_EQ(OffsetsOf(problem, plan), instance.offsets);
  EXPECT_EQ(plan.peak, instance.bytes);
}

TEST(XlaInstancesTest, PlainHeapsByOffsets) {
  const auto xla = StartXla("order=spatial");
  size_t run = 0;
  for (const HeapInstance& instance : kHeapInstances) {
    if (instance.limit != 0 || !instance.left_out.empty()) continue;
    SCOPED_TRACE(instance.name);
    const Problem problem = ProblemOf(instance);
    ExpectPlain(instance, problem, Model(Planner::kDecreasingSize, problem));
    if (xla != nullptr) ExpectPlain(instance, problem, Ask(*xla, problem));
    ++run;
  }
  EXPECT_EQ(run, 8u);
  if (xla == nullptr) GTEST_SKIP() << "on the model only: the wheel is not here";
}

struct Heaps {
  uint64_t count = 0, bytes = 0;
};

// The model of a heap with a limit: what ends above it when its turn comes goes to the next heap, unless it would be
// the first there. The offset of a buffer depends on those placed before it only.
Heaps ModelOfHeaps(const Problem& problem, uint64_t limit) {
  std::vector<std::vector<size_t>> rest;  // units, in the order in which they are placed
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const uint32_t group = problem.buffers[i].group;
    const auto same = [&](const auto& unit) { return group != 0 && problem.buffers[unit[0]].group == group; };
    const auto unit = std::find_if(rest.begin(), rest.end(), same);
    unit == rest.end() ? rest.push_back({i}) : unit->push_back(i);
  }
  std::sort(rest.begin(), rest.end(), [&](const auto& a, const auto& b) {
    const uint64_t of_a = problem.buffers[a[0]].size, of_b = problem.buffers[b[0]].size;
    return of_a != of_b ? of_a > of_b : a[0] < b[0];
  });
  Heaps heaps;
  while (!rest.empty()) {
    Problem heap;
    uint64_t peak = 0;
    std::vector<std::vector<size_t>> later;
    for (const auto& unit : rest) {
      Problem larger = heap;
      for (const size_t member : unit) larger.buffers.push_back(problem.buffers[member]);
      const uint64_t new_peak = *Model(Planner::kDecreasingSize, larger).peak;
      const bool stays = new_peak <= limit || heap.buffers.empty();
      if (stays) heap = larger, peak = new_peak;
      if (!stays) later.push_back(unit);
    }
    ++heaps.count;
    heaps.bytes += peak;
    rest = later;
  }
  return heaps;
}

TEST(XlaInstancesTest, ConstrainedHeapsByNumberAndBytes) {
  const auto xla = StartXla("order=spatial,heap=constrained");
  size_t run = 0;
  for (const HeapInstance& instance : kHeapInstances) {
    if (instance.limit == 0 || !instance.left_out.empty()) continue;
    SCOPED_TRACE(instance.name);
    Problem problem = ProblemOf(instance);
    const Heaps heaps = ModelOfHeaps(problem, instance.limit);
    EXPECT_EQ(heaps.count, instance.heaps);
    EXPECT_EQ(heaps.bytes, instance.bytes);
    ++run;
    if (xla == nullptr) continue;
    problem.capacity = instance.limit;
    const Plan plan = Ask(*xla, problem);
    EXPECT_EQ(plan.status, Status::kNotFound);  // not in one heap
    EXPECT_EQ(plan.note, "heaps " + std::to_string(instance.heaps) + ", bytes " + std::to_string(instance.bytes));
  }
  EXPECT_EQ(run, 3u);
  if (xla == nullptr) GTEST_SKIP() << "on the model only: the wheel is not here";
}

// "16-25:4[2@16 2@22]=3" of a list in which blanks in brackets do not part.
Buffer BlockOf(const std::string& text) {
  Buffer block;
  block.start = static_cast<int64_t>(Number(text, 0));
  block.end = static_cast<int64_t>(Number(text, text.find('-') + 1)) + 1;
  block.size = Number(text, text.find(':') + 1);
  for (size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at + 1)) {
    const size_t begin = text.find_last_of("[ ", at) + 1;
    block.slices.push_back({Number(text, begin), static_cast<int64_t>(Number(text, at + 1))});
  }
  return block;
}

Problem ProblemOf(const RepackerInstance& instance) {
  Problem problem;
  problem.capacity = 100;
  std::istringstream words((std::string(instance.blocks)));
  std::vector<std::string> blocks;
  for (std::string word; words >> word;) {
    const bool goes_on = !blocks.empty() && blocks.back().find('[') != std::string::npos &&
                         blocks.back().find(']') == std::string::npos;
    goes_on ? void(blocks.back() += " " + word) : blocks.push_back(word);
  }
  for (const std::string& block : blocks) problem.buffers.push_back(BlockOf(block));
  for (size_t i = 0; i < blocks.size(); ++i) {
    const size_t same = blocks[i].find('=');
    if (same == std::string::npos) continue;
    problem.buffers[i].group = problem.buffers[Number(blocks[i], same + 1)].group = 1;
  }
  return problem;
}

// The repacker with an order of the test's own.
class ByNumber : public placement::Specification {
 public:
  using Specification::Specification;

 private:
  bool Before(const Unit&, const Unit&) const override { return false; }
};

Plan Repacked(const RepackerInstance& instance, const Problem& problem) {
  if (!instance.by_number) return Model(Planner::kRepacker, problem);
  Plan plan;
  ByNumber(problem, {Planner::kRepacker}).Run(plan);
  return plan;
}

TEST(XlaInstancesTest, RepackerByOffsets) {
  for (const RepackerInstance& instance : kRepackerInstances) {
    SCOPED_TRACE(instance.name);
    const Problem problem = ProblemOf(instance);
    const Plan plan = Repacked(instance, problem);
    const bool placed = plan.status == Status::kFeasible || plan.status == Status::kOptimal;
    EXPECT_EQ(placed, instance.fits) << static_cast<int>(plan.status) << plan.note;
    Reasons reasons;
    placement::JudgePlan(problem, plan, placement::promise::kAll, reasons);
    for (const Reason& reason : reasons.list()) ADD_FAILURE() << reason.oracle << ": " << reason.text;
    std::string offsets;
    for (const auto& offset : plan.offsets) {
      offsets += (offsets.empty() ? "" : " ") + (offset ? std::to_string(*offset) : "?");
    }
    const std::string expected(instance.offsets);
    EXPECT_TRUE(expected.empty() || offsets == expected) << offsets << " instead of " << expected;
  }
}

// Of 13 and 9: none has gone without a reason.
TEST(XlaInstancesTest, AllAreHereAndThoseLeftOutSayWhy) {
  EXPECT_EQ(std::size(kHeapInstances), 13u);
  EXPECT_EQ(std::size(kRepackerInstances), 9u);
  size_t left_out = 0;
  for (const HeapInstance& instance : kHeapInstances) {
    if (instance.left_out.empty()) continue;
    ++left_out;
    std::printf("left out: %s: %s\n", std::string(instance.name).c_str(), std::string(instance.left_out).c_str());
  }
  EXPECT_EQ(left_out, 2u);
}

}  // namespace
}  // namespace oomph
