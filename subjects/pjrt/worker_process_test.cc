// A plugin that crashes, hangs, floods, lies or grows costs one request, and the next one finds a worker.
#include "subjects/pjrt/worker_process.h"

#include <unistd.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "subjects/child/sanitized.h"
#include "subjects/plugin/plugin_row.h"

namespace oomph::pjrt {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using End = WorkerProcess::End;

WorkerSpec SpecOf(const std::string& at_start = "") {
  WorkerSpec spec;
  spec.program = WorkerProgram();
  spec.plugin = PluginPath("made_up_pjrt");
  spec.target = "client";
  if (!at_start.empty()) spec.environment = {{"OOMPH_MADE_UP", at_start}};
  spec.limits.request_time = std::chrono::seconds(30);
  spec.limits.memory_bytes = uint64_t{1} << 30;
  return spec;
}

// The plugin needs the header of the wheel.
bool Missing() {
  return access(PluginPath("made_up_pjrt").c_str(), R_OK) != 0 || access(WorkerProgram().c_str(), X_OK) != 0;
}

#define OOMPH_SKIP_WITHOUT_THE_WHEEL() \
  if (Missing()) GTEST_SKIP() << "no PJRT worker: the tensorflow-cpu wheel is not in .deps"

Request Program(const std::string& behaviour) {
  Request request;
  request.format = "hlo";
  request.code = "a program that behaves_" + behaviour;
  return request;
}

void ExpectFine(const WorkerProcess::Told& told) {
  EXPECT_EQ(told.end, End::kReplied) << told.why;
  EXPECT_TRUE(told.reply.compiled);
  EXPECT_EQ(told.reply.code, 0u) << told.reply.message;
  EXPECT_EQ(told.reply.stage, Stage::kDone);
  EXPECT_EQ(told.reply.stats, (hlo::CompiledStats{1, 2, 3, 4, 5, 6}));
}

TEST(WorkerProcessTest, ServesOneRequestAfterTheOther) {
  OOMPH_SKIP_WITHOUT_THE_WHEEL();
  WorkerProcess worker(SpecOf());
  const auto description = worker.Describe();
  ASSERT_TRUE(description.ok()) << description.status();
  EXPECT_EQ(description->api_minor, 1000u);
  EXPECT_EQ(description->devices, 1u);
  EXPECT_TRUE(description->runs);
  for (int i = 0; i < 20; ++i) ExpectFine(worker.Ask(Program("well")));
  EXPECT_EQ(worker.starts(), 1u);
}

TEST(WorkerProcessTest, CompilesForATopologyWithoutDevices) {
  OOMPH_SKIP_WITHOUT_THE_WHEEL();
  WorkerSpec spec = SpecOf();
  spec.target = "made";
  WorkerProcess worker(spec);
  ASSERT_TRUE(worker.Describe().ok());
  EXPECT_FALSE(worker.Describe()->runs);
  ExpectFine(worker.Ask(Program("well")));
  spec.target = "unmade";
  EXPECT_THAT(std::string(WorkerProcess(spec).Describe().status().message()),
              HasSubstr("target unmade: no such topology"));
}

TEST(WorkerProcessTest, AnErrorOfThePluginIsAReply) {
  OOMPH_SKIP_WITHOUT_THE_WHEEL();
  WorkerProcess worker(SpecOf());
  WorkerProcess::Told told = worker.Ask(Program("refuse"));
  EXPECT_EQ(told.end, End::kReplied);
  EXPECT_FALSE(told.reply.compiled);
  EXPECT_EQ(told.reply.code, 8u);
  EXPECT_EQ(told.reply.stage, Stage::kCompile);
  EXPECT_EQ(told.reply.message, "E1000: CompileTimeHbmOom: Ran out of memory\nand a second line\n");
  told = worker.Ask(Program("wordless"));
  EXPECT_EQ(told.reply.code, 2u);  // no code and no text is an error all the same
  told = worker.Ask(Program("nothing"));
  EXPECT_FALSE(told.reply.compiled);
  EXPECT_THAT(told.reply.message, HasSubstr("gives no executable"));
  ExpectFine(worker.Ask(Program("well")));
  EXPECT_EQ(worker.starts(), 1u);
}

TEST(WorkerProcessTest, MisbehaviourCostsOneRequest) {
  OOMPH_SKIP_WITHOUT_THE_WHEEL();
  const struct {
    const char *behaviour, *why;
    End end;
  } kCases[] = {
      {"abort", "compile: signal 6 (SIGABRT), after writing: F1130 10:00:00.1 7 made_up.cc:12] Check failed: size > 0",
       End::kDied},
      {"segfault", "compile: signal 11 (SIGSEGV)", End::kDied},
      {"exit", "compile: exit 3", End::kDied},
      {"floods_and_dies", "compile: signal 6 (SIGABRT), after writing: xxx", End::kDied},
      {"half", "compile: exit 0", End::kDied},
      {"garbage", "its reply is damaged", End::kDamaged},
  };
  WorkerProcess worker(SpecOf());
  for (const auto& each : kCases) {
    SCOPED_TRACE(each.behaviour);
    const uint64_t starts = worker.starts();
    const WorkerProcess::Told told = worker.Ask(Program(each.behaviour));
    EXPECT_EQ(told.end, each.end) << told.why;
    if (!kSanitized) {  // whose reports come before a signal
      EXPECT_THAT(told.why, HasSubstr(each.why));
    }
    EXPECT_EQ(told.reply, Reply{});
    ExpectFine(worker.Ask(Program("well")));
    EXPECT_EQ(worker.starts(), starts + (starts == 0 ? 2 : 1));
  }
}

TEST(WorkerProcessTest, AFloodOfWordsIsNoHarm) {
  OOMPH_SKIP_WITHOUT_THE_WHEEL();
  WorkerProcess worker(SpecOf());
  ExpectFine(worker.Ask(Program("flood")));
  EXPECT_EQ(worker.starts(), 1u);
  // And is not blamed for what comes after it.
  const WorkerProcess::Told told = worker.Ask(Program("exit"));
  EXPECT_THAT(told.why, AllOf(HasSubstr("exit 3"), Not(HasSubstr("xxx"))));
}

TEST(WorkerProcessTest, AHangEndsInTime) {
  OOMPH_SKIP_WITHOUT_THE_WHEEL();
  WorkerSpec spec = SpecOf();
  spec.limits.request_time = std::chrono::milliseconds(500);
  WorkerProcess worker(spec);
  ASSERT_TRUE(worker.Describe().ok());
  const WorkerProcess::Told told = worker.Ask(Program("hang"));
  EXPECT_EQ(told.end, End::kHung);
  EXPECT_EQ(told.why, "compile: no answer within 500 ms");
  EXPECT_EQ(worker.pid(), -1);
}

TEST(WorkerProcessTest, EightGibibytesAreNotToBeHad) {
  OOMPH_SKIP_WITHOUT_THE_WHEEL();
  if (kSanitized) GTEST_SKIP() << "memory is not limited under sanitizers";
  WorkerProcess worker(SpecOf());
  const WorkerProcess::Told told = worker.Ask(Program("grow_8_gib"));
  EXPECT_EQ(told.end, End::kDied);
  EXPECT_THAT(told.why, HasSubstr("std::bad_alloc"));
  ExpectFine(worker.Ask(Program("well")));
}

TEST(WorkerProcessTest, OneThatHasGrownOrIsOldIsStartedAgain) {
  OOMPH_SKIP_WITHOUT_THE_WHEEL();
  WorkerSpec spec = SpecOf();
  spec.limits.resident_bytes = uint64_t{64} << 20;
  WorkerProcess grown(spec);
  if (!kSanitized) {
    ExpectFine(grown.Ask(Program("well")));
    EXPECT_EQ(grown.starts(), 1u);
    ExpectFine(grown.Ask(Program("grow_a_bit")));
    EXPECT_EQ(grown.pid(), -1);
    ExpectFine(grown.Ask(Program("well")));
    EXPECT_EQ(grown.starts(), 2u);
  }
  spec = SpecOf();
  spec.limits.requests = 3;
  WorkerProcess old(spec);
  for (int i = 0; i < 7; ++i) ExpectFine(old.Ask(Program("well")));
  EXPECT_EQ(old.starts(), 3u);
}

TEST(WorkerProcessTest, WhatCannotBeUsedSaysWhy) {
  OOMPH_SKIP_WITHOUT_THE_WHEEL();
  const struct {
    const char *at_start, *why;
  } kCases[] = {
      {"null_table", "GetPjrtApi gives no table"},
      {"empty_table", "the plugin has no PJRT_Client_Create"},
      {"short_table", "its table has 4 bytes"},
      {"old_table", "the plugin has no PJRT_Client_AddressableDevices"},
      {"other_major", "its PJRT API has the major version 1"},
      {"refuses_to_start", "no licence"},
      {"dies_at_start", "died when it was started: signal 6 (SIGABRT)"},
  };
  for (const auto& each : kCases) {
    SCOPED_TRACE(each.at_start);
    WorkerProcess worker(SpecOf(each.at_start));
    EXPECT_THAT(std::string(worker.Describe().status().message()), HasSubstr(each.why));
    const WorkerProcess::Told told = worker.Ask(Program("well"));
    EXPECT_EQ(told.end, End::kNotStarted);
    EXPECT_THAT(told.why, HasSubstr(each.why));
  }
  WorkerSpec spec = SpecOf();
  spec.plugin = PluginPath("bump");
  EXPECT_THAT(std::string(WorkerProcess(spec).Describe().status().message()), HasSubstr("does not export GetPjrtApi"));
  spec.plugin = "/nowhere.so";
  EXPECT_THAT(std::string(WorkerProcess(spec).Describe().status().message()), HasSubstr("cannot open shared object"));
  spec = SpecOf();
  spec.program = "/nowhere/worker";
  EXPECT_THAT(std::string(WorkerProcess(spec).Describe().status().message()),
              HasSubstr("cannot execute /nowhere/worker"));
}

}  // namespace
}  // namespace oomph::pjrt
