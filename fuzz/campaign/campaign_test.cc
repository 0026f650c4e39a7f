// Tests of campaigns on the toy family: what they find, that they go on where they stopped, and how they
// end. Each runs in a child process, as the command does.
#include "fuzz/campaign/campaign.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "fuzz/campaign/pool_of_cases.h"
#include "fuzz/campaign/progress.h"
#include "fuzz/exit_code.h"
#include "fuzz/report/report.h"
#include "fuzz/testing/scratch_folder.h"
#include "fuzz/testing/toy_family.h"
#include "gtest/gtest.h"

namespace oomph {
namespace {

class CampaignTest : public testing::Test {
 protected:
  CampaignTest() {
    options_.store = folder_ + "/store";
    options_.seed = 1;
    options_.jobs = 2;
  }
  pid_t Start() {
    const pid_t pid = fork();
    if (pid != 0) return pid;
    const int null = open("/dev/null", O_WRONLY);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    const SubjectTable table(toy::ToyRows());
    _exit(RunCampaign(table, options_));
  }
  static int End(pid_t pid) {
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  int Run() { return End(Start()); }
  nlohmann::json Report() {
    auto store = Store::OpenForReading(options_.store);
    EXPECT_TRUE(store.ok()) << store.status();
    return *ReportJson(*store, {&toy::Toy()});
  }
  const ScratchFolder scratch_;
  const std::string folder_ = scratch_.path();
  CampaignOptions options_;
};

TEST_F(CampaignTest, FindsNothingInTheModelAndSaysWhatItSkipped) {
  options_.cases = 500;
  EXPECT_EQ(Run(), kNothingFound);
  const auto report = Report();
  EXPECT_EQ(report["totals"]["cases"], 1500);
  EXPECT_EQ(report["campaign"]["state"], "finished");
  ASSERT_EQ(report["skipped"].size(), 1u);
  EXPECT_EQ(report["skipped"][0]["subject"], "gone");
  EXPECT_EQ(report["properties"][0]["signature"], "toy/top_is_even/model/step");
  bool never = false;
  for (const auto& row : report["reach"]) never = never || (row["name"] == "never" && row["count"] == 0);
  EXPECT_TRUE(never);
  EXPECT_NE(ReportText(report, {}).find("1,500 cases"), std::string::npos);
}

TEST_F(CampaignTest, FindsEachFaultOnceAndShrinksIt) {
  options_.cases = 3000;
  options_.subjects = {"fault:adds_wrong", "fault:leaps", "fault:sees_future", "fault:breaks_promise"};
  EXPECT_EQ(Run(), kFindings);
  const auto report = Report();
  ASSERT_EQ(report["findings"].size(), 4u);
  for (const auto& finding : report["findings"]) {
    EXPECT_EQ(finding["minimized"], true);
    EXPECT_LE(finding["steps"], 6);
    EXPECT_EQ(finding["version"], "1");
    std::ifstream file(finding["file"].get<std::string>());
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), finding["case"].get<std::string>());
  }
}

TEST_F(CampaignTest, TrophiesAreKnown) {
  options_.cases = 200;
  options_.subjects = {"fault:leaps"};
  options_.new_only = true;
  EXPECT_EQ(Run(), kFindings);
  options_.trophies = folder_ + "/trophies";
  std::filesystem::create_directory(options_.trophies);
  std::ofstream(options_.trophies + "/a.toy")
      << "# oomph expect toy/depth_is_bounded/fault:leaps/step\n# oomph owner toys\n# oomph upstream none\npush 0\n";
  EXPECT_EQ(Run(), kNothingFound);
  const auto report = Report();
  EXPECT_EQ(report["findings"][0]["known"], true);
  EXPECT_EQ(report["findings"][0]["owner"], "toys");
  options_.new_only = false;
  EXPECT_EQ(Run(), kFindings);
}

TEST_F(CampaignTest, GoesOnAfterInterruptsAndKills) {
  options_.cases = uint64_t{1} << 40;  // more than it can do: it is always interrupted
  options_.subjects = {"real:a"};
  int interrupted = 0;
  uint64_t before = 0;
  for (int round = 0; round < 6; ++round) {
    const pid_t pid = Start();
    usleep(300000);
    kill(pid, round % 2 == 0 ? SIGTERM : SIGKILL);
    const int code = End(pid);
    if (code == kInterrupted) ++interrupted;
    // On a busy machine it may not listen yet.
    EXPECT_TRUE(code == kInterrupted || code == -SIGKILL || code == -SIGTERM) << code;
    const auto report = Report();
    const uint64_t cases = report["totals"]["cases"];
    EXPECT_GE(cases, before);
    EXPECT_EQ(report["campaigns"], 1);
    before = cases;
  }
  EXPECT_GT(interrupted, 0);
  EXPECT_GT(before, 0u);
}

TEST_F(CampaignTest, FinishesWhatWasKilledWithTheSameCases) {
  options_.cases = 400000;
  options_.subjects = {"real:a"};
  const pid_t pid = Start();
  usleep(100000);
  kill(pid, SIGKILL);
  (void)End(pid);
  EXPECT_EQ(Run(), kNothingFound);
  const auto report = Report();
  // Two only if the first was done before it was killed.
  if (report["campaigns"] != 1) GTEST_SKIP() << "too fast to be killed in time";
  EXPECT_EQ(report["totals"]["cases"], 400000);
}

using SlowCampaignTest = CampaignTest;

TEST_F(SlowCampaignTest, LosesNothingWhenKilledFiftyTimes) {
  options_.subjects = {"real:a", "fault:adds_wrong"};
  options_.cases = 1 << 30;
  uint64_t cases = 0, count = 0;
  for (int round = 0; round < 50; ++round) {
    const pid_t pid = Start();
    usleep(static_cast<useconds_t>((round * 7919 + 13) % 300) * 1000);
    kill(pid, SIGKILL);
    EXPECT_EQ(End(pid), -SIGKILL);
    if (!std::filesystem::exists(options_.store + "/store.db")) continue;
    auto store = Store::OpenForReading(options_.store);
    if (!store.ok()) continue;  // killed before its first commit
    const auto report = *ReportJson(*store, {&toy::Toy()});
    EXPECT_GE(report["totals"]["cases"], cases);
    cases = report["totals"]["cases"];
    if (report["findings"].empty()) continue;
    EXPECT_GE(report["findings"][0]["count"], count);
    count = report["findings"][0]["count"];
    EXPECT_TRUE(std::filesystem::exists(report["findings"][0]["file"].get<std::string>()));
  }
  EXPECT_GT(cases, 0u);
  EXPECT_GT(count, 0u);
  EXPECT_EQ(Report()["campaigns"], 1);
}

TEST_F(CampaignTest, ADyingWorkerIsAFindingAndTheRestGoesOn) {
  options_.cases = 500;
  options_.subjects = {"fault:dies", "model"};
  EXPECT_EQ(Run(), kFindings);
  const auto report = Report();
  EXPECT_EQ(report["totals"]["cases"], 1000);
  ASSERT_EQ(report["findings"].size(), 1u);
  EXPECT_EQ(report["findings"][0]["signature"], "toy/harness_survives/fault:dies/died");
}

TEST_F(CampaignTest, SameSeedSameCasesWhateverTheJobs) {
  options_.cases = 2000;
  options_.subjects = {"fault:sees_future"};
  Run();
  const auto one = Report();
  options_.jobs = 1;
  options_.store = folder_ + "/other";
  Run();
  const auto other = Report();
  EXPECT_EQ(other["findings"][0]["signature"], one["findings"][0]["signature"]);
  EXPECT_EQ(other["pairs"][0]["cases"], one["pairs"][0]["cases"]);
  EXPECT_EQ(other["pairs"][0]["found"], one["pairs"][0]["found"]);
}

TEST_F(CampaignTest, RefusesWhatItDoesNotKnow) {
  options_.cases = 1;
  options_.subjects = {"nobody"};
  EXPECT_EQ(Run(), kBadUsage);
  options_.subjects = {"gone"};
  EXPECT_EQ(Run(), kBadUsage);
  options_.subjects = {"real:bad"};
  EXPECT_EQ(Run(), kBadUsage);
  options_.subjects = {};
  options_.families = {"nothing"};
  EXPECT_EQ(Run(), kBadUsage);
}

TEST(PairProgress, CommitsInOrderAndFillsGaps) {
  PairProgress progress(10, 200);
  const auto a = progress.Deal(), b = progress.Deal();
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->first, 10u);
  EXPECT_EQ(b->first, a->first + a->count);
  const auto chunk = [](uint64_t first, uint64_t count) {
    ChunkRecord c;
    c.first = first;
    c.count = count;
    return c;
  };
  progress.Done(chunk(b->first, b->count));
  EXPECT_FALSE(progress.Next());
  progress.Done(chunk(a->first, 5));
  progress.Return({a->first + 5, a->count - 5});
  EXPECT_EQ(progress.Next()->first, 10u);
  EXPECT_FALSE(progress.Next());
  const auto gap = progress.Deal();
  EXPECT_EQ(gap->first, 15u);
  progress.Done(chunk(gap->first, gap->count));
  EXPECT_EQ(progress.Next()->first, 15u);
  EXPECT_EQ(progress.Next()->first, b->first);
  uint64_t last = 0;
  while (const auto range = progress.Deal()) last = range->first + range->count;
  EXPECT_EQ(last, 200u);
}

TEST(PoolOfCases, TakesOnlyWhatIsNew) {
  PoolOfCases pool(toy::Toy());
  CaseOf<toy::Program> c;
  EXPECT_TRUE(pool.Offer(c, Reach(0b011)));
  EXPECT_FALSE(pool.Offer(c, Reach(0b011)));
  EXPECT_FALSE(pool.Offer(c, Reach(0b001)));
  EXPECT_TRUE(pool.Offer(c, Reach(0b100)));
  EXPECT_TRUE(pool.Offer(c, Reach(0b110)));  // 1 and 2 together
  EXPECT_FALSE(pool.Offer(c, Reach(0)));
}

}  // namespace
}  // namespace oomph
