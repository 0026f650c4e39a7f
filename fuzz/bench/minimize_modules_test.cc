// The modules that do not fit and the minimum that is claimed of each: the construction, not a reduction.
#include "fuzz/bench/minimize_modules.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "fuzz/judge.h"
#include "fuzz/subject_table.h"
#include "gtest/gtest.h"
#include "models/hlo/answer.h"
#include "models/hlo/family.h"
#include "models/hlo/liveness.h"
#include "models/hlo/text.h"
#include "models/hlo/verify.h"

namespace oomph {
namespace {

const std::string kSignature = absl::StrCat("hlo/fits_the_limit/model/", std::string(kOomIdentity));

class MinimizeModules : public testing::Test {
 protected:
  MinimizeModules() : loaded_(SubjectTable::All().Load(SubjectTable::All().Find("model", &HloFamily())->front(), false).value()) {}

  Verdict Judged(const hlo::Module& module, uint64_t limit) {
    EXPECT_TRUE(hlo::Verify(module).empty()) << hlo::Print(module);
    const CaseOf<hlo::Module> c(module);
    Judge judge(HloFamily(), *loaded_.subject, loaded_.reference.get());
    judge.SetLimit(limit);
    return judge.Run(c);
  }
  Verdict Judged(const std::string& text, uint64_t limit) { return Judged(hlo::Parse("test", text).value(), limit); }

  void ExpectHolds(const OomModule& made) {
    EXPECT_EQ(made.text, hlo::Print(made.module));
    const Verdict verdict = Judged(made.module, made.limit);
    EXPECT_EQ(verdict.signature, kSignature) << verdict.text;
    EXPECT_GE(made.buffers.size(), 4u);
    EXPECT_EQ(std::set<uint64_t>(made.buffers.begin(), made.buffers.end()).size(), made.buffers.size()) << "unequal";
    // The minimum fails in the same way, and without any of its buffers it passes, even if everything small were there.
    const std::string minimum = MinimumOf(made);
    EXPECT_EQ(LinesOf(minimum), made.MinimumLines()) << minimum;
    EXPECT_EQ(Judged(minimum, made.limit).signature, kSignature) << minimum;
    for (size_t i = 0; i < made.buffers.size(); ++i) {
      EXPECT_EQ(Judged(MinimumOf(made, i), made.limit).kind, VerdictKind::kAgree);
      EXPECT_EQ(Judged(MinimumOf(made, i), made.limit - made.small).kind, VerdictKind::kAgree);
    }
    // Nor do fewer buffers fit the bill if each were of the largest shape.
    const uint64_t largest = *std::max_element(made.buffers.begin(), made.buffers.end());
    EXPECT_LE((made.buffers.size() - 1) * largest + made.result + made.small, made.limit);
    ExpectNoLarger(made, largest);
  }

  // No buffer of the module is larger than the largest big one, and what is small is counted right.
  static void ExpectNoLarger(const OomModule& made, uint64_t largest) {
    const hlo::Liveness liveness = hlo::LivenessOf(made.module, hlo::CountedOptions()).value();
    uint64_t small = 0;
    for (const hlo::LiveBuffer& buffer : liveness.buffers) {
      EXPECT_LE(buffer.bytes, largest);
      small += buffer.bytes < made.result ? buffer.bytes : 0;
    }
    EXPECT_EQ(small, made.small);
  }

  Loaded loaded_;
};

TEST_F(MinimizeModules, HaveTheMinimumThatIsClaimed) {
  size_t with_operands = 0;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    const OomModule made = MakeOomModule(seed, 60 + 40 * seed);
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    ExpectHolds(made);
    with_operands += made.text.find("custom-call(), custom_call_target=\"OomphAlloc\"") == std::string::npos;
    EXPECT_NE(made.text.find("\"OomphAllocate\""), std::string::npos) << "a trap";
  }
  EXPECT_GT(with_operands, 2u);
  EXPECT_LT(with_operands, 12u);
}

TEST_F(MinimizeModules, AreTheSameForTheSameSeedAndOfTheSizeAskedFor) {
  EXPECT_EQ(MakeOomModule(3, 500).text, MakeOomModule(3, 500).text);
  EXPECT_NE(MakeOomModule(3, 500).text, MakeOomModule(4, 500).text);
  const std::vector<OomModule> two = OomModules(2);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_NEAR(static_cast<double>(LinesOf(two[0].text)), 500, 100);
  EXPECT_NEAR(static_cast<double>(LinesOf(two[1].text)), 5000, 500);
}

}  // namespace
}  // namespace oomph
