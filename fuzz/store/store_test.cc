// Tests of the store: what is kept, what is refused, and that a kill at any moment loses nothing.
#include "fuzz/store/store.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "fuzz/exit_code.h"
#include "fuzz/store/case_file.h"
#include "fuzz/store/files.h"
#include "fuzz/testing/scratch_folder.h"
#include "fuzz/testing/toy_family.h"
#include "gtest/gtest.h"
#include "models/base/limit.h"
#include "models/base/units.h"
#include "models/hbm/family.h"
#include "models/hlo/family.h"
#include "models/placement/family.h"

namespace oomph {
namespace {

class StoreTest : public testing::Test {
 protected:
  static ChunkRecord Chunk(uint64_t first, uint64_t count) {
    ChunkRecord chunk;
    chunk.key = {"toy", "real", "a"};
    chunk.version = "1";
    chunk.first = first;
    chunk.count = count;
    chunk.steps = 10 * count;
    chunk.found = 1;
    chunk.findings["toy/o/real/d"] = 1;
    chunk.reach["step:push"] = count;
    chunk.corpus.push_back({"h" + std::to_string(first), "push 1\n", std::string(256, '0')});
    return chunk;
  }
  static Finding Found(uint64_t steps) {
    Finding finding;
    finding.signature = "toy/o/real/d";
    finding.family = "toy";
    finding.steps = steps;
    finding.case_text = "push " + std::to_string(steps) + "\n";
    return finding;
  }
  const ScratchFolder scratch_;
  const std::string folder_ = scratch_.path();
};

TEST_F(StoreTest, KeepsWhatIsCommitted) {
  int64_t id = 0;
  {
    auto store = Store::OpenForWriting(folder_);
    ASSERT_TRUE(store.ok()) << store.status();
    id = store->BeginOrResume("a", 7)->id;
    ASSERT_TRUE(store->SaveFinding(Found(9), ".toy").ok());
    ASSERT_TRUE(store->Commit(id, Chunk(0, 10)).ok());
    ASSERT_TRUE(store->Commit(id, Chunk(10, 5)).ok());
    ASSERT_TRUE(store->SaveFinding(Found(3), ".toy").ok());
  }
  auto store = Store::OpenForReading(folder_);
  ASSERT_TRUE(store.ok());
  const auto pairs = store->Pairs(id);
  ASSERT_EQ(pairs->size(), 1u);
  EXPECT_EQ(pairs->front().next_case, 15u);
  EXPECT_EQ(pairs->front().cases, 15u);
  EXPECT_EQ(pairs->front().steps, 150u);
  const auto finding = store->FindFinding("toy/o/real/d");
  ASSERT_TRUE(finding.ok() && finding->has_value());
  EXPECT_EQ((*finding)->count, 2u);
  EXPECT_EQ((*finding)->steps, 3u);
  EXPECT_EQ(*ReadTextFile(folder_ + "/" + (*finding)->file), "push 3\n");
  EXPECT_EQ(store->Corpus({"toy", "real", "a"})->size(), 2u);
  EXPECT_EQ(store->Reached(id)->front().count, 15u);
}

// Of two campaigns and two versions: one a case and version.
TEST_F(StoreTest, AnswersAddUp) {
  auto store = Store::OpenForWriting(folder_);
  ASSERT_TRUE(store.ok()) << store.status();
  for (const char* version : {"1", "1", "2"}) {
    ChunkRecord chunk = Chunk(0, 2);
    chunk.version = version;
    chunk.answers = {{"h", "push 1\n", "1"}, {"i", "push 2\n", "2"}};
    ASSERT_TRUE(store->Commit(store->BeginOrResume(version, 7)->id, chunk).ok());
  }
  const auto kept = store->AnswersKept();
  ASSERT_TRUE(kept.ok()) << kept.status();
  ASSERT_EQ(kept->size(), 2u);
  EXPECT_EQ(kept->front().name, "1");
  EXPECT_EQ(kept->front().count, 2u);
  const auto answers = store->Answers({"toy", "real", "a"}, "2");
  ASSERT_TRUE(answers.ok()) << answers.status();
  ASSERT_EQ(answers->size(), 2u);
  EXPECT_EQ(answers->back().answer, "2");
}

TEST_F(StoreTest, SameArgumentsGoOnUntilFinished) {
  auto store = Store::OpenForWriting(folder_);
  ASSERT_TRUE(store.ok());
  const auto first = store->BeginOrResume("a", 7);
  EXPECT_EQ(first->state, "running");
  EXPECT_EQ(store->BeginOrResume("b", 8)->seed, 8u);
  ASSERT_TRUE(store->SetState(first->id, "interrupted", 2.5).ok());
  const auto again = store->BeginOrResume("a", 9);
  EXPECT_EQ(again->id, first->id);
  EXPECT_EQ(again->seed, 7u);
  EXPECT_EQ(again->state, "interrupted");
  EXPECT_EQ(again->seconds, 2.5);
  EXPECT_EQ(store->BeginOrResume("a", 9)->state, "killed");
  ASSERT_TRUE(store->SetState(first->id, "finished", 5).ok());
  EXPECT_NE(store->BeginOrResume("a", 9)->id, first->id);
}

TEST_F(StoreTest, RefusesASecondWriterANewerVersionAndWhatIsNoStore) {
  {
    auto store = Store::OpenForWriting(folder_);
    ASSERT_TRUE(store.ok());
    EXPECT_EQ(ExitCodeOf(Store::OpenForWriting(folder_).status()), kBadUsage);
    auto db = Database::Open(folder_ + "/store.db", Database::Mode::kReadWrite);
    ASSERT_TRUE(db->Execute("PRAGMA user_version=99").ok());
  }
  for (const auto& status : {Store::OpenForWriting(folder_).status(), Store::OpenForReading(folder_).status()}) {
    EXPECT_EQ(ExitCodeOf(status), kBadUsage);
    EXPECT_NE(status.message().find("version 99"), absl::string_view::npos) << status;
  }
  std::filesystem::remove(folder_ + "/store.db");
  std::ofstream(folder_ + "/store.db") << std::string(5000, 'x');
  EXPECT_EQ(ExitCodeOf(Store::OpenForWriting(folder_).status()), kBadUsage);
  EXPECT_EQ(ExitCodeOf(Store::OpenForReading(folder_ + "/none").status()), kBadUsage);
  EXPECT_EQ(ExitCodeOf(Store::OpenForWriting("/proc/none").status()), kBadUsage);
}

TEST_F(StoreTest, AStoreOfVersion1IsBroughtUpToDateByItsNextCampaign) {
  Finding finding;
  finding.signature = "f/o/s/d";
  finding.reason = "now and then (not each time)";
  {
    auto store = Store::OpenForWriting(folder_);
    ASSERT_TRUE(store.ok());
    ASSERT_TRUE(store->SaveFinding(finding, ".txt").ok());
    auto db = Database::Open(folder_ + "/store.db", Database::Mode::kReadWrite);
    ASSERT_TRUE(db->Execute("ALTER TABLE findings DROP COLUMN steady; PRAGMA user_version=1").ok());
  }
  const absl::Status reading = Store::OpenForReading(folder_).status();
  EXPECT_EQ(ExitCodeOf(reading), kBadUsage);
  EXPECT_NE(reading.message().find("oomph fuzz --store"), absl::string_view::npos) << reading;
  auto store = Store::OpenForWriting(folder_);
  ASSERT_TRUE(store.ok()) << store.status();
  const auto found = store->FindFinding(finding.signature);
  ASSERT_TRUE(found.ok() && found->has_value());
  EXPECT_FALSE((*found)->steady);
  EXPECT_EQ((*found)->reason, "now and then");
  EXPECT_EQ(ReasonOf(**found), finding.reason);
}

TEST_F(StoreTest, WhatIsNoFileIsWrittenToAndStaysWhatItIs) {
  std::filesystem::create_directories(folder_);
  const std::string pipe = folder_ + "/pipe", file = folder_ + "/file", link = folder_ + "/link";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int fd = open(pipe.c_str(), O_RDWR | O_CLOEXEC);
  ASSERT_TRUE(WriteFileAtomically(pipe, "text").ok());
  char read_back[5] = {};
  EXPECT_EQ(read(fd, read_back, 4), 4);
  EXPECT_STREQ(read_back, "text");
  close(fd);
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));

  ASSERT_TRUE(WriteFileAtomically(file, "old").ok());
  std::filesystem::create_symlink("file", link);
  ASSERT_TRUE(WriteFileAtomically(link, "new").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(*ReadTextFile(file), "new");
  EXPECT_FALSE(WriteFileAtomically(folder_, "text").ok());
}

// In a child whose files may not grow: as on a full disk, all before the failure is kept.
TEST_F(StoreTest, FullDiskIsAnErrorAndLosesNothing) {
  int64_t id = 0;
  {
    auto store = Store::OpenForWriting(folder_);
    id = store->BeginOrResume("a", 1)->id;
    ASSERT_TRUE(store->Commit(id, Chunk(0, 10)).ok());
  }
  const pid_t pid = fork();
  if (pid == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{300000, 300000};
    setrlimit(RLIMIT_FSIZE, &limit);
    auto store = Store::OpenForWriting(folder_);
    absl::Status status = store.status();
    uint64_t next = 10;
    for (; status.ok() && next < 10000000; next += 10) {
      ChunkRecord chunk = Chunk(next, 10);
      chunk.corpus[0].text = std::string(2000, 'a');
      status = store->Commit(id, chunk);
    }
    _exit(ExitCodeOf(status));
  }
  int status = 0;
  waitpid(pid, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), kBroken);
  auto store = Store::OpenForWriting(folder_);
  ASSERT_TRUE(store.ok()) << store.status();
  const auto pair = store->Pairs(id)->front();
  EXPECT_GE(pair.cases, 10u);
  EXPECT_EQ(pair.next_case, pair.cases);
  EXPECT_TRUE(store->Commit(id, Chunk(pair.next_case, 10)).ok());
}

TEST_F(StoreTest, KillAtAnyMomentLosesNothing) {
  int64_t id = 0;
  {
    auto store = Store::OpenForWriting(folder_);
    id = store->BeginOrResume("a", 1)->id;
  }
  std::mt19937 random(1);
  uint64_t before = 0;
  for (int round = 0; round < 50; ++round) {
    int told[2];
    ASSERT_EQ(pipe(told), 0);
    const pid_t pid = fork();
    if (pid == 0) {
      close(told[0]);
      auto store = Store::OpenForWriting(folder_);
      if (!store.ok()) _exit(1);
      for (uint64_t next = before;; next += 3) {
        if (!store->Commit(id, Chunk(next, 3)).ok() || !store->SaveFinding(Found(next + 3), ".toy").ok()) _exit(2);
        const uint64_t done = next + 3;
        if (write(told[1], &done, sizeof(done)) != sizeof(done)) _exit(3);
      }
    }
    close(told[1]);
    usleep(random() % 20000);
    kill(pid, SIGKILL);
    int status = 0;
    waitpid(pid, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
    uint64_t acknowledged = before, done = 0;
    while (read(told[0], &done, sizeof(done)) == sizeof(done)) acknowledged = done;
    close(told[0]);

    auto store = Store::OpenForWriting(folder_);
    ASSERT_TRUE(store.ok()) << store.status();
    const auto pairs = store->Pairs(id);
    const uint64_t kept = pairs->empty() ? 0 : pairs->front().next_case;
    EXPECT_GE(kept, acknowledged);
    EXPECT_EQ(pairs->empty() ? 0 : pairs->front().cases, kept);
    const auto finding = store->FindFinding("toy/o/real/d");
    if (finding.ok() && finding->has_value()) {
      const auto text = ReadTextFile(folder_ + "/" + (*finding)->file);
      ASSERT_TRUE(text.ok()) << text.status();
      EXPECT_TRUE(text->starts_with("push ") && text->ends_with("\n"));
    }
    auto db = Database::Open(folder_ + "/store.db", Database::Mode::kReadWrite);
    Statement check(*db, "PRAGMA integrity_check");
    ASSERT_TRUE(check.Step());
    EXPECT_EQ(check.Text(0), "ok");
    before = kept;
  }
  EXPECT_GT(before, 0u);
}

TEST(CaseFile, ReadsItsDirectives) {
  const std::string text = CaseText(toy::Toy(), "bfc:growth=on", "toy/o/bfc/d", "push 1\n");
  EXPECT_EQ(text, "# oomph subject bfc:growth=on\n# oomph expect toy/o/bfc/d\npush 1\n");
  const auto file = ParseCaseFile("x.toy", text + "# oomph owner someone\n", &toy::Toy());
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->subject, "bfc:growth=on");
  EXPECT_EQ(file->expect, "toy/o/bfc/d");
  EXPECT_EQ(file->owner, "someone");
  EXPECT_EQ(ParseCaseFile("x.toy", "# oomph subject bfc growth=on\n", &toy::Toy())->subject, "bfc:growth=on");
}

TEST(CaseFile, NamesPlaceAndExpectationOfWhatIsBad) {
  const auto refused = [](std::string text) {
    return std::string(ParseCaseFile("x.toy", std::move(text), &toy::Toy()).status().message());
  };
  EXPECT_TRUE(refused("push 1\nbad\n").starts_with("x.toy:2:1: expected one of push, pop, add")) << refused("bad");
  EXPECT_TRUE(refused(std::string("pu\0sh", 5)).starts_with("x.toy:1:3: "));
}

TEST(CaseFile, HasALimitWhereTheFamilyCountsMemory) {
  const std::string text = CaseText(toy::Toy(), "", "agree", "push 1\n", 3 * kGiB);
  EXPECT_EQ(text, "# oomph expect agree\n# oomph limit 3GiB\npush 1\n");
  EXPECT_EQ(ParseCaseFile("x.toy", text, &toy::Toy())->limit, 3 * kGiB);
  EXPECT_EQ(ParseCaseFile("x.toy", "push 1\n", &toy::Toy())->limit, std::nullopt);
  EXPECT_EQ(ParseCaseFile("x.toy", "# oomph limit 0\npush 1\n", &toy::Toy())->limit, 0u);
  EXPECT_EQ(ParseCaseFile("x.toy", "# oomph limit own\npush 1\n", &toy::Toy())->limit, kOwnLimit);
  EXPECT_EQ(CaseText(toy::Toy(), "", "", "push 1\n", kOwnLimit), "# oomph limit own\npush 1\n");
  for (const char* bad : {"", "-1", "4G", "much", "4GiB 5", "99999999999999999999"}) {
    const auto file = ParseCaseFile("x.toy", absl::StrCat("push 1\n# oomph limit ", bad, "\n"), &toy::Toy());
    EXPECT_EQ(file.status().message(), "x.toy:2:1: limit: expected bytes below 2^64 - 1, 4GiB, or own for what the subject refuses for lack of memory") << bad;
  }
  EXPECT_EQ(ParseCaseFile("x.trace", "# oomph limit 4\nallocate a 1\n", &HbmFamily()).status().message(),
            "x.trace:1:1: limit: outcomes of family hbm do not say how much memory a case needs");
  // Every family that counts reads the line, wherever its own reader looks at comments.
  EXPECT_EQ(ParseCaseFile("x.csv", "# oomph limit 4\nid,lower,upper,size\n", &PlacementFamily())->limit, 4u);
  EXPECT_EQ(ParseCaseFile("x.hlo", "// oomph limit 4\nHloModule m\nENTRY e {\n  ROOT c = f32[] constant(0)\n}\n", &HloFamily())->limit, 4u);
}

}  // namespace
}  // namespace oomph
