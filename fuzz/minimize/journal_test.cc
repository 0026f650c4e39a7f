// Tests of what is on disk while a case is reduced, and of going on after a kill.
#include "fuzz/minimize/journal.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "fuzz/testing/scratch_folder.h"
#include "fuzz/testing/toy_family.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace oomph {
namespace {

using ::testing::HasSubstr;

const Family& family = toy::Toy();

std::string Read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

class Journal : public testing::Test {
 protected:
  Journal() {
    std::string text;
    for (int i = 0; i < 60; ++i) {
      absl::StrAppend(&text, "push ", i * 3 % 256, "\n", i % 7 == 0 ? "pop\n" : "", i % 20 == 5 ? "add\n" : "");
    }
    EXPECT_TRUE(family.Parse("t", text, case_).ok());
    key_ = {std::string(family.name()), "command: x", "", FingerprintOfText(text)};
    options_.out = scratch_.path() + "/out.toy";
    options_.text = [](const Case& c) { return family.Print(c); };
  }
  absl::StatusOr<std::unique_ptr<FileJournal>> Open() { return FileJournal::Open(family, key_, options_); }
  std::string path() const { return options_.out + ".journal"; }

  // Asks the truth; `die_at` questions later the process is killed, -1: never.
  Minimized Reduce(FileJournal& journal, int die_at) {
    FunctionTest test([&](const Case& c) {
      if (die_at-- == 0) kill(getpid(), SIGKILL);
      if (slow_) usleep(10'000);
      const std::string text = family.Print(c);
      const size_t add = text.find("add");
      return add != text.npos && text.find("pop", add) != text.npos && text.find("push 1", 0) != text.npos;
    });
    MinimizeOptions options;
    options.seconds = 1e9;
    options.journal = &journal;
    return Minimize(family, case_, "", test, options);
  }

  const ScratchFolder scratch_;
  CaseOf<toy::Program> case_;
  JournalKey key_;
  JournalOptions options_;
  bool slow_ = false;
};

TEST_F(Journal, AfterAKillGoesOnToTheSameFile) {
  options_.keep = false;
  const Minimized whole = Reduce(**Open(), -1);
  options_.keep = true;
  const std::string wanted = family.Print(*whole.smallest);
  ASSERT_TRUE(whole.finished);
  ASSERT_GT(whole.tests, 30u);
  slow_ = true;

  size_t known = 0;
  for (int kills = 0; kills < 3; ++kills) {
    const pid_t child = fork();
    if (child == 0) {
      auto journal = *Open();
      if (!journal->Begin("\"fixed\" words").ok()) _exit(1);
      Reduce(*journal, 9);
      _exit(2);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status)) << WEXITSTATUS(status);
    // What was answered in the last 50 ms may be lost.
    auto journal = Open();
    ASSERT_TRUE(journal.ok()) << journal.status();
    EXPECT_EQ((*journal)->fixed(), "\"fixed\" words");
    EXPECT_GE((*journal)->known(), known);
    known = (*journal)->known();
  }
  EXPECT_GT(known, 5u);
  slow_ = false;
  auto journal = *Open();
  const Minimized rest = Reduce(*journal, -1);
  EXPECT_EQ(family.Print(*rest.smallest), wanted);
  EXPECT_EQ(rest.tests + known, whole.tests);
  journal->Flush();
  EXPECT_EQ(Read(options_.out), wanted);
  journal->Remove();
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(Journal, AnswersAreThereOnceFlushed) {
  const Fingerprint a{1, 2}, b{~uint64_t{0}, 0};
  {
    auto journal = *Open();
    ASSERT_TRUE(journal->Begin("x").ok());
    EXPECT_EQ(journal->Known(a), std::nullopt);
    journal->Answered(a, true);
    journal->Answered(b, false);
  }
  auto journal = *Open();
  EXPECT_EQ(journal->known(), 2u);
  EXPECT_EQ(journal->Known(a), true);
  EXPECT_EQ(journal->Known(b), false);
}

TEST_F(Journal, DropsADamagedEnd) {
  const Fingerprint a{1, 2}, b{3, 4};
  {
    auto journal = *Open();
    ASSERT_TRUE(journal->Begin("x").ok());
    journal->Answered(a, true);
  }
  for (const std::string damage : {"{\"a\":\"0000", "{\"a\":\"00000000000000030000000000000004\",\"y\":true}",
                                   "]]\n", "{\"a\":\"zz\",\"y\":true}\n"}) {
    std::ofstream(path(), std::ios::app) << damage;
    {
      auto journal = Open();
      ASSERT_TRUE(journal.ok()) << damage;
      EXPECT_EQ((*journal)->known(), 1u) << damage;
      (*journal)->Answered(b, false);
    }
    auto journal = *Open();
    EXPECT_EQ(journal->Known(b), false) << "after " << damage;
    const std::string text = Read(path());
    std::ofstream(path()) << text.substr(0, text.rfind("{\"a\""));
  }
}

TEST_F(Journal, IsOfOneReduction) {
  { ASSERT_TRUE((*Open())->Begin("x").ok()); }
  const JournalKey mine = key_;
  const auto refused = [&](const std::string& word) {
    const auto opened = Open();
    ASSERT_FALSE(opened.ok()) << word;
    EXPECT_THAT(std::string(opened.status().message()), HasSubstr(word));
    EXPECT_THAT(std::string(opened.status().message()), HasSubstr("--restart"));
    key_ = mine;
  };
  key_.test = "command: y", refused("another test");
  key_.expect = "E1001", refused("another expectation");
  key_.input.second ^= 1, refused("another case");
  key_.family = "hbm", refused("another family");
  EXPECT_TRUE(Open().ok());
  key_.test = "command: y";
  options_.restart = true;
  auto anew = Open();
  ASSERT_TRUE(anew.ok()) << anew.status();
  EXPECT_EQ((*anew)->fixed(), "");
  EXPECT_EQ((*anew)->known(), 0u);
  EXPECT_EQ(Read(path()), "");
}

TEST_F(Journal, TouchesNoFileOfAnybodyElse) {
  for (const std::string text : {"my notes", "my notes\nmore\n", "{\"mine\": 1}\n"}) {
    std::ofstream(path()) << text;
    for (const bool restart : {false, true}) {
      options_.restart = restart;
      EXPECT_FALSE(Open().ok());
      EXPECT_EQ(Read(path()), text);
    }
  }
}

TEST_F(Journal, IsForOneAtATime) {
  auto first = Open();
  const auto second = Open();
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(std::string(second.status().message()), HasSubstr("a reduction is at it"));
}

TEST_F(Journal, KeepsEachStep) {
  options_.steps = scratch_.path() + "/steps";
  options_.extension = ".toy";
  options_.out = "";
  auto journal = *Open();
  const Minimized result = Reduce(*journal, -1);
  size_t count = 0, last = SIZE_MAX;
  for (;; ++count) {
    const std::string file = absl::StrFormat("%s/%04d.toy", options_.steps, count + 1);
    if (!std::filesystem::exists(file)) break;
    CaseOf<toy::Program> step;
    ASSERT_TRUE(family.Parse("t", Read(file), step).ok());
    EXPECT_LE(family.Size(step), last);
    last = family.Size(step);
  }
  EXPECT_GT(count, 1u);
  EXPECT_EQ(last, family.Size(*result.smallest));
}

// The best of the earlier run stays while the engine is on its way there again.
TEST_F(Journal, WhatIsOnDiskNeverGrows) {
  {
    auto journal = *Open();
    ASSERT_TRUE(journal->Begin("x").ok());
    Reduce(*journal, -1);
  }
  const std::string best = Read(options_.out);
  ASSERT_FALSE(best.empty());
  auto journal = *Open();
  journal->Smaller(case_, {});
  journal->Flush();
  EXPECT_EQ(Read(options_.out), best);
  journal->Answered({5, 6}, true);
  journal->Flush();
  EXPECT_EQ(Read(options_.out), family.Print(case_));
}

TEST_F(Journal, SaysWhatCannotBeWritten) {
  options_.out = scratch_.path() + "/none/out.toy";
  EXPECT_FALSE(Open().ok());
}

}  // namespace
}  // namespace oomph
