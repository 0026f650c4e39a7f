// Tests of commands side by side: that none does harm, whatever it does.
#include "fuzz/minimize/command_run.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "fuzz/testing/scratch_folder.h"
#include "gtest/gtest.h"

namespace oomph {
namespace {

CommandRan RunOne(CommandSlots& slots, const std::string& command, const CommandLimits& limits = {},
                  const std::function<bool()>& stop = {}) {
  return slots.Run(std::span(&command, 1), "case", limits, stop)[0];
}

// Whether a process whose number a command wrote to this file is gone, or about to go.
bool IsGone(const std::string& file) {
  std::ifstream in(file);
  pid_t pid = 0;
  in >> pid;
  if (pid <= 1) return false;
  for (int tries = 0; tries < 5000; ++tries) {
    std::ifstream status("/proc/" + std::to_string(pid) + "/stat");
    std::string number, name, state;
    if (!(status >> number >> name >> state) || state == "Z" || state == "X") return true;
    usleep(1000);
  }
  return false;
}

TEST(CommandSlots, TellsHowACommandEnded) {
  auto slots = *CommandSlots::Make(1);
  const CommandRan good = RunOne(*slots, "echo out; echo err >&2");
  EXPECT_EQ(good.status, 0);
  EXPECT_EQ(good.output, "out\nerr\n");
  EXPECT_EQ(RunOne(*slots, "exit 7").status, 7);
  EXPECT_EQ(RunOne(*slots, "kill -SEGV $$").status, 128 + SIGSEGV);
  EXPECT_EQ(RunOne(*slots, "/no/such/program").status, 127);
  EXPECT_EQ(RunOne(*slots, "cat").status, 0) << "reads nothing";
  EXPECT_EQ(RunOne(*slots, "ulimit -c").output, "0\n") << "leaves no core";
  EXPECT_EQ(RunOne(*slots, "exec >&- 2>&-; sleep 0.1; exit 3").status, 3) << "ends after its output";
}

TEST(CommandSlots, RunsSideBySide) {
  auto slots = *CommandSlots::Make(2);
  const ScratchFolder scratch;
  // Each waits for the other.
  const std::string a = scratch.path() + "/a", b = scratch.path() + "/b";
  const std::vector<std::string> commands = {"touch " + a + "; until [ -e " + b + " ]; do sleep 0.01; done",
                                             "touch " + b + "; until [ -e " + a + " ]; do sleep 0.01; done; exit 5"};
  const auto ran = slots->Run(commands, "case", {.seconds = 60, .memory_bytes = 0}, {});
  EXPECT_EQ(ran[0].status, 0);
  EXPECT_EQ(ran[1].status, 5);
}

TEST(CommandSlots, KillsWhatHangsWithAllItsProcesses) {
  auto slots = *CommandSlots::Make(1);
  const ScratchFolder scratch;
  const std::string pid = scratch.path() + "/pid";
  const CommandRan ran = RunOne(*slots, "sleep 1000 & echo $! > " + pid + "; wait", {.seconds = 0.3, .memory_bytes = 0});
  EXPECT_TRUE(ran.timed_out);
  EXPECT_TRUE(IsGone(pid));
  // One that ends, and leaves something behind that holds its output.
  const CommandRan left = RunOne(*slots, "sleep 1000 & echo $! > " + pid);
  EXPECT_EQ(left.status, 0);
  EXPECT_FALSE(left.timed_out);
  EXPECT_TRUE(IsGone(pid));
}

TEST(CommandSlots, StopsWhenToldTo) {
  auto slots = *CommandSlots::Make(1);
  const CommandRan ran = RunOne(*slots, "sleep 1000", {}, [] { return true; });
  EXPECT_TRUE(ran.stopped);
  EXPECT_FALSE(ran.timed_out);
}

TEST(CommandSlots, KeepsTheFirstAndTheLastOfAFlood) {
  auto slots = *CommandSlots::Make(1);
  const CommandRan ran = RunOne(*slots, "echo first; head -c 67108864 /dev/zero | tr '\\0' x; echo; echo last");
  EXPECT_EQ(ran.status, 0);
  EXPECT_LE(ran.output.size(), kOutputHead + kOutputTail + 100);
  EXPECT_TRUE(ran.output.starts_with("first\n"));
  EXPECT_TRUE(ran.output.ends_with("x\nlast\n"));
  EXPECT_NE(ran.output.find("(cut)"), std::string::npos);
}

TEST(BoundedOutput, CutsNothingThatFits) {
  BoundedOutput output;
  const std::string text(kOutputHead + kOutputTail, 'x');
  output.Add(text);
  EXPECT_EQ(output.Take(), text);
  BoundedOutput longer;
  for (size_t i = 0; i < text.size(); ++i) longer.Add("y");
  longer.Add("z");
  const std::string cut = longer.Take();
  EXPECT_TRUE(cut.ends_with("yz"));
  EXPECT_NE(cut.find("(cut)"), std::string::npos);
}

TEST(CommandSlots, LimitsMemory) {
  auto slots = *CommandSlots::Make(1);
  const std::string command = "ulimit -v";
  EXPECT_EQ(RunOne(*slots, command, {.seconds = 0, .memory_bytes = uint64_t{1} << 30}).output, "1048576\n");
  EXPECT_EQ(RunOne(*slots, command).output, "unlimited\n");
}

TEST(CommandSlots, LeavesNoFolders) {
  std::string folder;
  {
    auto slots = *CommandSlots::Make(2);
    folder = slots->Folder(1);
    std::ofstream(folder + "/case") << "kept";
    std::ofstream(slots->Folder(0) + "/case") << "kept";
    RunOne(*slots, "mkdir $TMPDIR/deep; touch $TMPDIR/deep/x $TMPDIR/y");
    EXPECT_FALSE(std::filesystem::exists(slots->Folder(0) + "/deep"));
    EXPECT_FALSE(std::filesystem::exists(slots->Folder(0) + "/y"));
    EXPECT_TRUE(std::filesystem::exists(slots->Folder(0) + "/case"));
  }
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(folder).parent_path()));
}

// Killed as nothing can be that could still tidy up.
TEST(CommandSlots, EvenWhenKilledLeavesNothing) {
  const ScratchFolder scratch;
  const std::string pid = scratch.path() + "/pid", where = scratch.path() + "/where";
  const pid_t child = fork();
  if (child == 0) {
    auto slots = CommandSlots::Make(1);
    RunOne(**slots, "sleep 1000 & echo $TMPDIR > " + where + "; echo $! > " + pid + ".new; mv " + pid + ".new " + pid + "; wait");
    _exit(0);
  }
  while (!std::filesystem::exists(pid)) usleep(1000);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_TRUE(IsGone(pid));
  std::string folder;
  std::ifstream(where) >> folder;
  ASSERT_FALSE(folder.empty());
  const auto above = std::filesystem::path(folder).parent_path();
  for (int tries = 0; tries < 5000 && std::filesystem::exists(above); ++tries) usleep(1000);
  EXPECT_FALSE(std::filesystem::exists(above));
}

}  // namespace
}  // namespace oomph
