// The prediction of E1000 (models/hlo/program_memory.h) against the TPU compiler itself: scheduled modules whose values have
// chosen sizes and live ranges, drawn near the limit of the chip.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "models/base/choices.h"
#include "models/base/chips.h"
#include "models/hlo/answer.h"
#include "models/hlo/family.h"
#include "models/hlo/program_memory.h"
#include "models/hlo/text.h"
#include "models/message/compile_oom.h"
#include "subjects/pjrt/rows.h"

namespace oomph {
namespace {

constexpr char kTile[] = "{0:T(1024)(128)(4,1)}";

std::string Bytes(uint64_t bytes) { return absl::StrCat("s8[", bytes, "]", kTile); }

// A value is made by a broadcast and lasts until its last slice; slices are added up. Some parameters, perhaps a result.
class NearTheLimit {
 public:
  NearTheLimit(uint64_t seed, uint64_t limit) : choices_(Choices::FromSeed(seed, false)), limit_(limit) {}

  std::string Text() {
    const uint64_t count = choices_.Between(2, 14);
    for (uint64_t i = 0; i < count; ++i)
      values_.push_back({i, std::min(count, i + choices_.Between(1, std::max<uint64_t>(1, count / 2))), Parts()});
    for (uint64_t i = choices_.Between(1, 3); i > 0; --i)
      parameters_.push_back(Parts() / (choices_.Below(3) == 0 ? 40 : 1));
    const bool big_result = choices_.Below(2) == 0;
    const uint64_t result = big_result ? Parts() / (choices_.Below(3) == 0 ? 100 : 1) : 0;
    uint64_t most = 0, total = result;
    for (uint64_t at = 0; at < count; ++at) {
      uint64_t live = 0;
      for (const auto& value : values_) live += value.first <= at && at <= value.last ? value.parts : 0;
      most = std::max(most, live);
    }
    total += most;
    for (const uint64_t parts : parameters_) total += parts;
    // Within a tenth of the limit.
    part_ = static_cast<double>(limit_) * static_cast<double>(900 + choices_.Below(201)) / 1000 /
            static_cast<double>(total);
    constexpr uint64_t kSteps[] = {1024, 1024, 16384, 1 << 20};
    step_ = kSteps[choices_.Below(4)];

    std::string body, header;
    for (size_t i = 0; i < parameters_.size(); ++i) {
      absl::StrAppend(&body, "  p", i, " = ", Bytes(Size(parameters_[i])), " parameter(", i, ")\n");
      absl::StrAppend(&header, i == 0 ? "" : ", ", Bytes(Size(parameters_[i])));
    }
    absl::StrAppend(&body, "  s = s8[]{:T(512)} constant(3)\n  sum0 = ", Bytes(1024), " slice(p0), slice={[0:1024]}\n");
    uint64_t sums = 0;
    for (uint64_t at = 0; at <= count; ++at) {
      for (uint64_t i = 0; i < count; ++i) {
        if (values_[i].first == at)
          absl::StrAppend(&body, "  v", i, " = ", Bytes(Size(values_[i].parts)), " broadcast(s), dimensions={}\n");
      }
      for (uint64_t i = 0; i < count; ++i) {
        const bool between = values_[i].first < at && at < values_[i].last && choices_.Below(3) == 0;
        if (!between && values_[i].last != at) continue;
        absl::StrAppend(&body, "  w", sums, " = ", Bytes(1024), " slice(v", i, "), slice={[0:1024]}\n");
        absl::StrAppend(&body, "  ", !big_result && at == count && Last(i) ? "ROOT " : "", "sum", sums + 1, " = ",
                        Bytes(1024), " add(sum", sums, ", w", sums, ")\n");
        ++sums;
      }
    }
    std::string shape = Bytes(1024);
    if (big_result) {
      shape = absl::StrCat("(", Bytes(1024), ", ", Bytes(Size(result)), ")");
      absl::StrAppend(&body, "  o = ", Bytes(Size(result)), " broadcast(s), dimensions={}\n  ROOT r = ", shape,
                      " tuple(sum", sums, ", o)\n");
    }
    return absl::StrCat("HloModule near, is_scheduled=true, entry_computation_layout={(", header, ")->", shape,
                        "}\n\nENTRY e {\n", body, "}\n");
  }

 private:
  struct Drawn {
    uint64_t first, last, parts;
  };
  uint64_t Parts() {
    constexpr uint64_t kScales[] = {1, 1, 2, 4, 8};
    return kScales[choices_.Below(5)] * choices_.Between(500, 1000);
  }
  uint64_t Size(uint64_t parts) const {
    const uint64_t bytes = static_cast<uint64_t>(static_cast<double>(parts) * part_);
    return std::max<uint64_t>(4096, bytes / step_ * step_);
  }
  // Whether no later value ends with it.
  bool Last(uint64_t i) const {
    for (uint64_t j = i + 1; j < values_.size(); ++j) {
      if (values_[j].last == values_[i].last) return false;
    }
    return true;
  }

  Choices choices_;
  const uint64_t limit_;
  std::vector<Drawn> values_;
  std::vector<uint64_t> parameters_;
  double part_ = 1;
  uint64_t step_ = 1024;
};

struct Tally {
  int modules = 0, refused = 0, wrong = 0, zone = 0;
  int outside = 0;  // of the bracket
  int messages = 0, not_the_sum = 0, not_the_total = 0;
  int near = 0;  // our total is within 1 MiB of the dump's sum
};

// HBM by the dump.
uint64_t HbmOf(const hlo::Plan& plan) {
  uint64_t sum = 0;
  for (const hlo::Allocation& allocation : plan.allocations)
    sum += allocation.space == 0 && !allocation.thread_local_ ? allocation.bytes : 0;
  return sum;
}

void Judge(const hlo::ProgramMemory& memory, const hlo::Answer& answer, const std::string& text, Tally& tally) {
  ASSERT_TRUE(answer.status == hlo::Status::kValid || answer.status == hlo::Status::kDeclined) << answer.why << "\n"
                                                                                               << text;
  ASSERT_EQ(answer.plans.size(), 1u) << answer.why;
  const bool refused = answer.status == hlo::Status::kDeclined;
  const uint64_t sum = HbmOf(answer.plans[0]);
  ++tally.modules;
  tally.refused += refused;
  const uint64_t need = sum + memory.program;
  const bool zone = memory.verdict == hlo::MemoryVerdict::kZone ||
                    (need + hlo::kMemoryZone > memory.available && need < memory.available + hlo::kMemoryZone);
  tally.zone += zone;
  tally.wrong += !zone && (memory.verdict == hlo::MemoryVerdict::kRefuse) != refused;
  tally.outside += sum < memory.lower || sum > memory.upper;
  ASSERT_TRUE(memory.total.has_value()) << text;
  tally.near += std::max(*memory.total, sum) - std::min(*memory.total, sum) < (uint64_t{1} << 20);
  if (!refused) return;
  const auto oom = ReadCompileOom(answer.why);
  ASSERT_TRUE(oom.ok()) << answer.why;
  EXPECT_EQ(oom->words.code, "E1000") << answer.why;
  EXPECT_TRUE(SumsUp(*oom)) << answer.why;
  if (oom->form != CompileOomForm::kTemporaries || !oom->needed) return;
  ++tally.messages;
  tally.not_the_sum += !Contains(*oom->needed, sum);
  tally.not_the_total += !Contains(*oom->needed, *memory.total);
}

Tally Measure(Subject& subject, const std::string& chip, const hlo::ProgramMemoryOptions& options, uint64_t seed,
              int count) {
  Tally tally;
  for (int i = 0; i < count; ++i) {
    const Chip& known = *FindChip(chip);
    const std::string text =
        NearTheLimit(seed + static_cast<uint64_t>(i), known.hbm.e1000_capacity_bytes->value).Text();
    auto module = hlo::Parse("near", text);
    EXPECT_TRUE(module.ok()) << module.status() << text;
    if (!module.ok()) return tally;
    const auto memory = hlo::PredictProgramMemory(*module, known, options);
    EXPECT_TRUE(memory.ok()) << memory.status();
    if (!memory.ok()) return tally;
    const CaseOf<hlo::Module> c(*std::move(module));
    OutcomeOf<hlo::Answer> outcome;
    subject.Run(c, outcome);
    Judge(*memory, outcome.value, text, tally);
  }
  return tally;
}

std::string Words(const Tally& t) {
  return absl::StrCat(t.modules, " modules, ", t.refused, " refused, ", t.wrong, " predicted wrong, ", t.zone,
                      " in the zone, ", t.outside, " outside of the bracket, ", t.near, " totals within 1 MiB; ",
                      t.messages, " messages, ", t.not_the_sum, " other than the dump's sum, ", t.not_the_total,
                      " other than our total");
}

class SlowE1000 : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    row_ = LibtpuRow(HloFamily());
    if (!row_.absent.empty()) GTEST_SKIP() << row_.absent;
  }
  std::unique_ptr<Subject> Make(const std::string& options) {
    auto subject = row_.make(absl::StrCat(GetParam(), options), true);
    EXPECT_TRUE(subject.ok()) << subject.status();
    return subject.ok() ? *std::move(subject) : nullptr;
  }
  SubjectRow row_;
};

TEST_P(SlowE1000, IsPredictedOfScheduledModules) {
  const auto subject = Make("");
  ASSERT_NE(subject, nullptr);
  const Tally tally = Measure(*subject, GetParam(), {}, 1000, 100);
  RecordProperty("tally", Words(tally));
  EXPECT_EQ(tally.modules, 100);
  EXPECT_GT(tally.refused, 20) << Words(tally);
  EXPECT_LE(tally.wrong, 1) << Words(tally);
  EXPECT_EQ(tally.outside, 0) << Words(tally);
  EXPECT_EQ(tally.not_the_sum, 0) << Words(tally);
  EXPECT_GE(tally.near, 97) << Words(tally);
}

// Without VMEM the compiler adds nothing, and what it prints is our total.
TEST_P(SlowE1000, IsThePrintedTotalWithoutVmem) {
  const auto subject = Make(",xla_vf_vmem_memory_space_assignment=False,xla_gf_vmem_memory_space_assignment=False");
  ASSERT_NE(subject, nullptr);
  const Tally tally = Measure(*subject, GetParam(), {.assigns_vmem = false}, 5000, 50);
  EXPECT_EQ(tally.modules, 50);
  EXPECT_EQ(tally.wrong, 0) << Words(tally);
  EXPECT_EQ(tally.outside, 0) << Words(tally);
  EXPECT_EQ(tally.not_the_sum, 0) << Words(tally);
  EXPECT_EQ(tally.not_the_total, 0) << Words(tally);
  EXPECT_GE(tally.near, 49) << Words(tally);
}

INSTANTIATE_TEST_SUITE_P(Chips, SlowE1000, testing::Values("v5e", "v6e"));

}  // namespace
}  // namespace oomph
