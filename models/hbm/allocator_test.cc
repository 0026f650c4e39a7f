// The fast HBM model against its specification: random traces under all policies, the same outcome
// bit by bit.
// Not for: whether the rules are the right ones (see specification_test.cc), nor speed
// (see allocator_bench.cc).

#include "models/hbm/allocator.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <random>
#include <string>

#include "gtest/gtest.h"
#include "models/hbm/outcome.h"
#include "models/hbm/specification.h"
#include "models/hbm/trace.h"

namespace oomph::hbm {
namespace {

// Traces without taste: any step, any name, sizes that are small, about as large as memory, or
// absurd.
class TraceMaker {
 public:
  explicit TraceMaker(uint64_t seed) : random_(seed) {}

  // Many buffers live at once: more holes than one node of a hole index has room for.
  const Trace& NextLarge() {
    Next();
    num_names_ = 1500;
    frees_ = 2 + Below(4);
    trace_.policy.granule = 1 + Below(2);
    trace_.policy.capacity = 20'000 + Below(20'000);
    max_size_ = OneIn(2) ? 20 : 70;
    trace_.steps.clear();
    while (trace_.steps.size() < 6'000) AddStep();
    return trace_;
  }

  // The same trace object again and again, so that its memory is reused.
  const Trace& Next() {
    trace_.policy = {};
    MakePolicy(trace_.policy);
    num_names_ = 1 + Below(OneIn(3) ? 4 : OneIn(3) ? 90 : 24);
    max_size_ = 1 + Below(OneIn(4) ? trace_.policy.capacity | 1
                                   : trace_.policy.capacity / (1 + Below(40)) | 1);
    aligned_ = OneIn(2);
    frees_ = Below(10);
    programs_ = Below(8);
    trace_.steps.clear();
    const size_t num_steps = Below(OneIn(10) ? 600 : 90);
    while (trace_.steps.size() < num_steps) AddStep();
    return trace_;
  }

 private:
  uint64_t Below(uint64_t n) { return random_() % n; }
  bool OneIn(uint64_t n) { return Below(n) == 0; }
  template <typename Enum>
  Enum Any(int count) {
    return static_cast<Enum>(Below(count));
  }

  void MakePolicy(Policy& policy) {
    policy.granule = uint64_t{1} << (OneIn(20) ? Below(64) : Below(5));
    if (OneIn(200)) policy.granule = Below(20);
    switch (Below(8)) {
      case 0:
        policy.capacity = Below(20);
        break;
      case 1:
        policy.capacity = ~uint64_t{0} - Below(3);
        break;
      case 2:
        policy.capacity = (uint64_t{1} << 63) + Below(5) - 2;
        break;
      case 3:
        policy.capacity = uint64_t{1} << Below(64);
        break;
      default:
        policy.capacity = policy.granule * (1 + Below(300)) + Below(3);
        break;
    }
    policy.fit = Any<Fit>(3);
    policy.ends = Any<Ends>(3);
    policy.order = Any<Order>(6);
    policy.waiting = Any<Waiting>(3);
    policy.retry_limit = OneIn(2) ? 0 : Below(4);
    policy.defragmentation = Any<Defragmentation>(2);
    policy.programs = Any<Programs>(2);
    policy.eviction = Any<Eviction>(3);
    policy.victims = Any<Victims>(5);
    policy.undo = Any<Undo>(2);
    policy.donated = Any<Donated>(2);
    policy.zero = Any<Zero>(2);
    policy.report = OneIn(4);
  }

  uint64_t Size() {
    const uint64_t capacity = trace_.policy.capacity;
    switch (Below(60)) {
      case 0:
        return 0;
      case 1:
        return 1;
      case 2:
        return capacity + Below(3) - 1;
      case 3:
        return uint64_t{1} << 63;
      case 4:
        return ~uint64_t{0} - Below(3);
      case 5:
        return capacity / 2 + Below(3) - 1;
      case 6:
        return random_();
      case 7:
        return trace_.policy.granule + Below(3) - 1;
      default:
        return 1 + Below(max_size_);
    }
  }

  uint64_t Alignment() {
    if (!aligned_ || OneIn(2)) return 0;
    if (OneIn(30)) return Below(50);
    if (OneIn(30)) return uint64_t{1} << Below(64);
    const uint64_t alignment = trace_.policy.granule << Below(5);
    return alignment == 0 ? 1 : alignment;
  }

  // A third of the names is meant for programs, but nothing enforces it.
  uint32_t Buffer() { return Below(num_names_ + 1); }
  uint32_t Program() { return OneIn(20) ? Buffer() : num_names_ + Below(1 + num_names_ / 3); }

  void AddStep() {
    using enum StepKind;
    const auto add = [&](Step step) { trace_.steps.push_back(step); };
    const uint64_t kind = Below(20 + frees_ + programs_);
    if (kind >= 20 + programs_) return add({.kind = kFree, .name = Buffer()});
    if (kind >= 20) return AddProgramStep();
    if (kind < 9) {
      return add({.kind = kAllocate,
                  .end = Any<End>(3),
                  .pinned = OneIn(12),
                  .name = Buffer(),
                  .size = Size(),
                  .alignment = Alignment()});
    }
    if (kind < 11) {
      return add({.kind = kReallocate, .name = Buffer(), .size = Size(), .alignment = Alignment()});
    }
    if (kind < 14) {
      return add({.kind = kFreeLater, .name = Buffer(), .fence = static_cast<uint32_t>(Below(40))});
    }
    if (kind < 15) return add({.kind = kFence, .fence = static_cast<uint32_t>(Below(42))});
    if (kind < 16) return add({.kind = OneIn(3) ? kDefragment : kQuery});
    if (kind < 17 && OneIn(10)) return AddOutput();
    add({.kind = kFree, .name = Buffer()});
  }

  void AddOutput() {
    trace_.steps.push_back({.kind = StepKind::kOutput,
                            .end = Any<End>(3),
                            .name = Buffer(),
                            .size = Size(),
                            .alignment = Alignment(),
                            .donor = OneIn(2) ? Buffer() : kNobody});
  }

  void AddProgramStep() {
    using enum StepKind;
    switch (Below(7)) {
      case 0:
      case 1:
      case 2:
        trace_.steps.push_back(
            {.kind = kLoad, .pinned = OneIn(9), .name = Program(), .size = Size()});
        return;
      case 3:
        trace_.steps.push_back({.kind = kUnload, .name = Program()});
        return;
      case 4:
        trace_.steps.push_back({.kind = kEvict, .name = Program()});
        return;
      default:
        trace_.steps.push_back({.kind = kExecute, .name = Program()});
        for (uint64_t outputs = Below(5); outputs > 0; --outputs) AddOutput();
    }
  }

  std::mt19937_64 random_;
  Trace trace_;
  uint32_t num_names_ = 1;
  uint64_t max_size_ = 1;
  uint64_t frees_ = 0;
  uint64_t programs_ = 0;
  bool aligned_ = false;
};

std::string Show(const Row& row) {
  std::string text;
  for (const uint64_t field :
       {uint64_t(row.result), uint64_t{row.first_event}, uint64_t{row.num_events}, row.offset,
        row.reserved, row.free_bytes, row.largest_free, row.reservable, row.state_hash,
        row.stats.bytes_in_use, row.stats.peak_bytes_in_use, row.stats.bytes_reserved,
        uint64_t{row.stats.num_live}}) {
    text += std::to_string(field) + " ";
  }
  return text;
}

std::string Show(const Step& step) {
  return "kind " + std::to_string(int(step.kind)) + " name " + std::to_string(step.name) +
         " size " + std::to_string(step.size) + " align " + std::to_string(step.alignment) +
         " fence " + std::to_string(step.fence) + " donor " + std::to_string(step.donor) + " end " +
         std::to_string(int(step.end)) + (step.pinned ? " pinned" : "");
}

std::string FirstDifference(const Trace& trace, const TraceOutcome& model,
                            const TraceOutcome& specification) {
  const size_t num_rows = std::min(model.rows.size(), specification.rows.size());
  for (size_t i = 0; i < num_rows; ++i) {
    if (model.rows[i] == specification.rows[i]) continue;
    std::string text = "step " + std::to_string(i) + "\n";
    for (size_t k = i < 12 ? 0 : i - 12; k <= i; ++k) text += "  " + Show(trace.steps[k]) + "\n";
    return text + "model         " + Show(model.rows[i]) + "\nspecification " +
           Show(specification.rows[i]);
  }
  return "events or flags";
}

// What the traces reached, so that a test that no longer reaches it fails.
struct Reached {
  uint64_t steps = 0;
  uint64_t results[kNumResults] = {};
  uint64_t events[int(EventKind::kLost) + 1] = {};  // later kinds are not this model's

  void Count(const TraceOutcome& outcome) {
    steps += outcome.rows.size();
    for (const Row& row : outcome.rows) ++results[int(row.result)];
    for (const Event& event : outcome.events) ++events[int(event.kind)];
  }
};

void CompareRandomTraces(uint64_t seed, uint64_t num_steps, bool large) {
  TraceMaker maker(seed);
  FastAllocator allocator;
  TraceOutcome model, specification;
  Reached reached;
  for (uint64_t cases = 0; reached.steps < num_steps; ++cases) {
    const Trace& trace = large ? maker.NextLarge() : maker.Next();
    RunSpecification(trace, specification);
    allocator.Run(trace, model);
    ASSERT_TRUE(model == specification) << "case " << cases << " of seed " << seed << ": "
                                        << FirstDifference(trace, model, specification);
    reached.Count(model);
  }
  for (const Result result : {Result::kOk, Result::kFailed, Result::kInvalid, Result::kNoOp}) {
    EXPECT_GT(reached.results[int(result)], num_steps / 200) << int(result);
  }
  for (size_t kind = 0; kind < std::size(reached.events); ++kind) {
    EXPECT_GT(reached.events[kind], num_steps / 20'000) << kind;
  }
}

TEST(HbmAllocatorTest, GivesTheOutcomeOfTheSpecification) {
  CompareRandomTraces(1, 5'000'000, false);
}

TEST(HbmAllocatorTest, GivesTheOutcomeOfTheSpecificationWithManyBuffers) {
  CompareRandomTraces(2, 500'000, true);
}

TEST(SlowHbmAllocatorTest, GivesTheOutcomeOfTheSpecification) {
  for (uint64_t seed = 100; seed < 108 && !HasFailure(); ++seed)
    CompareRandomTraces(seed, 10'000'000, false);
}

TEST(SlowHbmAllocatorTest, GivesTheOutcomeOfTheSpecificationWithManyBuffers) {
  for (uint64_t seed = 200; seed < 202 && !HasFailure(); ++seed)
    CompareRandomTraces(seed, 2'500'000, true);
}

}  // namespace
}  // namespace oomph::hbm
