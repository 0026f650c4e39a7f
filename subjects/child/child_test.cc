// Children around subjects that are not plugins: what the generic code alone must withstand.
// Not for: plugins (see subjects/plugin/plugin_row_test.cc).
#include "subjects/child/child.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>

#include "absl/status/status.h"
#include "models/hbm/family.h"
#include "models/hbm/outcome.h"
#include "models/hbm/trace.h"

namespace oomph {
namespace {

using hbm::Result;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Scripted final : public Subject {
 public:
  Scripted(Journal& journal, std::function<void(Journal&, hbm::TraceOutcome&)> script)
      : journal_(journal), script_(std::move(script)) {
    info_.family = &HbmFamily();
    info_.name = "scripted";
  }
  const SubjectInfo& info() const override { return info_; }
  void Run(const Case&, Outcome& outcome) override {
    auto& value = static_cast<OutcomeOf<hbm::TraceOutcome>&>(outcome).value;
    value.clear();
    script_(journal_, value);
  }

 private:
  Journal& journal_;
  const std::function<void(Journal&, hbm::TraceOutcome&)> script_;
  SubjectInfo info_;
};

std::unique_ptr<ChildSubject> Start(std::function<void(Journal&, hbm::TraceOutcome&)> script,
                                    const ChildLimits& limits = {}) {
  ChildSpec spec;
  spec.family = &HbmFamily();
  spec.name = "scripted";
  spec.limits = limits;
  spec.make = [script](Journal& journal) -> absl::StatusOr<std::unique_ptr<Subject>> {
    return std::make_unique<Scripted>(journal, script);
  };
  absl::StatusOr<std::unique_ptr<ChildSubject>> subject = ChildSubject::Start(std::move(spec));
  EXPECT_TRUE(subject.ok()) << subject.status();
  return *std::move(subject);
}

CaseOf<hbm::Trace> ThreeSteps() {
  CaseOf<hbm::Trace> c;
  c.value.steps.assign(3, {.kind = hbm::StepKind::kQuery});
  return c;
}

hbm::TraceOutcome RunOnce(Subject& subject) {
  OutcomeOf<hbm::TraceOutcome> outcome;
  outcome.value.note = "left over";
  outcome.value.rows.resize(100);
  subject.Run(ThreeSteps(), outcome);
  return outcome.value;
}

void AnswerThreeRows(Journal&, hbm::TraceOutcome& outcome) { outcome.rows.resize(3); }

TEST(ChildTest, OutcomeComesBack) {
  const auto subject = Start(AnswerThreeRows);
  const hbm::TraceOutcome outcome = RunOnce(*subject);
  EXPECT_EQ(outcome.rows.size(), 3u);
  EXPECT_EQ(outcome.note, "");
  EXPECT_EQ(subject->info().name, "scripted");
  EXPECT_TRUE(subject->info().in_child);
}

TEST(ChildTest, AnExceptionIsADeath) {
  const auto subject = Start([](Journal& journal, hbm::TraceOutcome&) {
    journal.Step(1);
    throw std::runtime_error("no more");
  });
  const hbm::TraceOutcome outcome = RunOnce(*subject);
  ASSERT_EQ(outcome.rows.size(), 2u);
  EXPECT_EQ(outcome.rows[0].result, Result::kUnknown);
  EXPECT_EQ(outcome.rows[1].result, Result::kDied);
  EXPECT_THAT(outcome.note, HasSubstr("uncaught exception: no more"));
}

TEST(ChildTest, AStepBeyondTheCaseIsTheLast) {
  const auto subject = Start([](Journal& journal, hbm::TraceOutcome&) {
    journal.Step(size_t{1} << 60);
    abort();
  });
  const hbm::TraceOutcome outcome = RunOnce(*subject);
  ASSERT_EQ(outcome.rows.size(), 3u);
  EXPECT_EQ(outcome.rows[2].result, Result::kDied);
}

TEST(ChildTest, ADamagedReplyIsADeath) {
  const auto subject = Start([](Journal&, hbm::TraceOutcome&) {
    const uint64_t frame[] = {0, 8, 0xBADBADBADBAD};
    send(3, frame, sizeof frame, MSG_NOSIGNAL);
    pause();
  });
  const hbm::TraceOutcome outcome = RunOnce(*subject);
  ASSERT_EQ(outcome.rows.size(), 1u);
  EXPECT_EQ(outcome.rows[0].result, Result::kDied);
  EXPECT_THAT(outcome.note, StartsWith("the outcome came back damaged"));
}

TEST(ChildTest, AHugeReplyIsRefused) {
  const auto subject = Start([](Journal&, hbm::TraceOutcome&) {
    const uint64_t frame[] = {0, uint64_t{1} << 62};
    send(3, frame, sizeof frame, MSG_NOSIGNAL);
    pause();
  });
  EXPECT_EQ(RunOnce(*subject).rows.at(0).result, Result::kDied);
}

TEST(ChildTest, AClosedSocketIsADeath) {
  const auto subject = Start([](Journal&, hbm::TraceOutcome&) {
    close(3);
    pause();
  });
  EXPECT_EQ(RunOnce(*subject).rows.at(0).result, Result::kDied);
}

ChildLimits Forking() {
  ChildLimits limits;
  limits.forks = true;
  return limits;
}

// How often the subject was made must not change: the copies have it.
TEST(ChildTest, OneThatForksItselfIsLoadedOnce) {
  int cases = 0;
  const auto subject = Start(
      [cases](Journal& journal, hbm::TraceOutcome& outcome) mutable {
        journal.Step(2);
        std::fprintf(stderr, "F0000 00:00:17 a.cc:7] case %d of this copy\n", ++cases);
        if (cases == 2) abort();
        outcome.rows.resize(3);
      },
      Forking());
  for (int round = 0; round < 5; ++round) {
    EXPECT_EQ(RunOnce(*subject).note, "");
    const hbm::TraceOutcome outcome = RunOnce(*subject);
    ASSERT_EQ(outcome.rows.size(), 3u);
    EXPECT_EQ(outcome.rows[2].result, Result::kDied);
    EXPECT_THAT(outcome.note, HasSubstr("signal 6 (SIGABRT), after writing: F0000 00:00:17 a.cc:7] case"));
  }
  EXPECT_EQ(subject->starts(), 1u);
}

TEST(ChildTest, WhatOneCopyWroteIsNotTheNextOnes) {
  const auto subject = Start(
      [](Journal& journal, hbm::TraceOutcome&) {
        if (journal.number() == 1) std::fprintf(stderr, "the first\n");
        abort();
      },
      Forking());
  EXPECT_THAT(RunOnce(*subject).note, HasSubstr("the first"));
  EXPECT_THAT(RunOnce(*subject).note, Not(HasSubstr("the first")));
}

TEST(ChildTest, ACopyThatExitsOrHangsIsOverToo) {
  ChildLimits limits = Forking();
  limits.case_time = std::chrono::milliseconds(300);
  const auto subject = Start(
      [](Journal& journal, hbm::TraceOutcome& outcome) {
        if (journal.number() == 1) std::exit(3);
        if (journal.number() == 2) std::exit(0);
        if (journal.number() == 3) pause();
        outcome.rows.resize(3);
      },
      limits);
  EXPECT_THAT(RunOnce(*subject).note, HasSubstr("exit 3"));
  EXPECT_EQ(subject->starts(), 1u);
  EXPECT_EQ(RunOnce(*subject).rows.at(0).result, Result::kDied);
  EXPECT_THAT(RunOnce(*subject).note, HasSubstr("no answer within 300 ms"));
  EXPECT_EQ(RunOnce(*subject).rows.size(), 3u);
}

TEST(ChildTest, ADeathBetweenTwoCasesIsNotTheNextOnesFault) {
  const auto subject = Start(AnswerThreeRows);
  RunOnce(*subject);
  kill(subject->pid(), SIGKILL);
  const hbm::TraceOutcome outcome = RunOnce(*subject);
  EXPECT_EQ(outcome.rows.size(), 3u);
  EXPECT_EQ(outcome.note, "");
  EXPECT_EQ(subject->starts(), 2u);
}

TEST(ChildTest, ManyCasesGetANewChild) {
  ChildLimits limits;
  limits.cases = 10;
  const auto subject = Start(AnswerThreeRows, limits);
  for (int i = 0; i < 25; ++i) EXPECT_EQ(RunOnce(*subject).rows.size(), 3u);
  EXPECT_EQ(subject->starts(), 3u);
}

// Gone, or ended and not yet reaped by whoever inherited it.
bool HasEnded(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string number, name, state;
  return !(stat >> number >> name >> state) || state == "Z" || state == "X";
}

TEST(ChildTest, ChildrenOfTheChildGoWithIt) {
  const auto subject = Start([](Journal&, hbm::TraceOutcome&) {
    const pid_t pid = fork();
    while (pid == 0) pause();
    dprintf(2, "%d", pid);
    abort();
  });
  const hbm::TraceOutcome outcome = RunOnce(*subject);
  ASSERT_EQ(outcome.rows.at(0).result, Result::kDied) << outcome.note;
  const pid_t pid = std::stoi(outcome.note.substr(outcome.note.rfind('\n') + 1));
  for (int i = 0; i < 1000 && !HasEnded(pid); ++i) usleep(1000);
  EXPECT_TRUE(HasEnded(pid));
}

TEST(ChildTest, TheChildSeesNoFileOfTheParent) {
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  const int fd = pipes[1];
  const auto subject = Start([fd](Journal&, hbm::TraceOutcome& outcome) {
    outcome.note = write(fd, "x", 1) < 0 ? "closed" : "open";
  });
  EXPECT_EQ(RunOnce(*subject).note, "closed");
  close(pipes[0]);
  close(pipes[1]);
}

TEST(ChildTest, WhatMakeSaysIsTheError) {
  ChildSpec spec;
  spec.family = &HbmFamily();
  spec.name = "scripted";
  spec.make = [](Journal&) -> absl::StatusOr<std::unique_ptr<Subject>> {
    return absl::UnavailableError("not today");
  };
  const absl::Status status = ChildSubject::Start(std::move(spec)).status();
  EXPECT_EQ(status, absl::UnavailableError("not today"));
}

TEST(AskInChildTest, AnswersOrSaysWhyNot) {
  EXPECT_EQ(*AskInChild("it", [] { return std::string("42"); }), "42");
  EXPECT_EQ(AskInChild("it", []() -> absl::StatusOr<std::string> {
              return absl::NotFoundError("none");
            }).status(),
            absl::NotFoundError("none"));
  const absl::Status died =
      AskInChild("it", []() -> absl::StatusOr<std::string> { _exit(9); }).status();
  EXPECT_EQ(died.message(), "it: died when it was loaded: exit 9");
}

}  // namespace
}  // namespace oomph
