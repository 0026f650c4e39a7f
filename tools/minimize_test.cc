// Tests of oomph minimize as a user meets it.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "fuzz/exit_code.h"
#include "fuzz/testing/scratch_folder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tools/testing/run.h"

namespace oomph {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class MinimizeVerbTest : public testing::Test {
 protected:
  std::string Path(const std::string& name) const { return scratch_.path() + "/" + name; }
  std::string File(const std::string& name, const std::string& text) {
    std::ofstream(Path(name), std::ios::binary) << text;
    return Path(name);
  }
  std::string Read(const std::string& path) const {
    std::ifstream in(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
  // 60 steps of which a test may want some.
  std::string Trace() {
    std::string text = "memory hbm capacity 4096 granule 8\n";
    for (int i = 0; i < 20; ++i) absl::StrAppend(&text, "allocate a", i, " 64\nfree a", i, "\n");
    return File("x.trace", text + "allocate last 1024\n");
  }
  // What lies below the folder for temporary files, which is ours.
  std::vector<std::string> Left() const {
    std::vector<std::string> left;
    for (const auto& entry : std::filesystem::directory_iterator(Path("tmp"))) left.push_back(entry.path().string());
    return left;
  }
  Ran Minimize(const std::string& arguments) {
    std::filesystem::create_directory(Path("tmp"));
    return RunShell("TMPDIR=" + Path("tmp") + " " + OOMPH_BINARY_DIR + "/oomph minimize " + arguments);
  }

  const ScratchFolder scratch_;
};

TEST_F(MinimizeVerbTest, ByACommand) {
  const std::string file = Trace();
  const Ran ran = Minimize(file + " --test 'grep -q last {}'");
  EXPECT_EQ(ran.code, kNothingFound) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("x.min.trace: 41 steps -> 1 (minimal: "));
  EXPECT_THAT(ran.out, HasSubstr("explain"));
  EXPECT_THAT(Read(Path("x.min.trace")), HasSubstr("allocate last "));
  EXPECT_FALSE(std::filesystem::exists(Path("x.min.trace.journal")));
  EXPECT_THAT(Left(), testing::IsEmpty());
}

TEST_F(MinimizeVerbTest, TellsAsJson) {
  const std::string file = Trace();
  const Ran ran = Minimize(file + " --json --jobs 2 --test 'grep -q last {}; exit 3' -o " + Path("y.trace") + " 2>/dev/null");
  const auto json = nlohmann::json::parse(ran.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << ran.out;
  EXPECT_EQ(json["expected"], "exit status 3");
  EXPECT_EQ(json["minimal"], true);
  EXPECT_EQ(json["steps_before"], 41);
  EXPECT_EQ(json["steps"], 0) << "each case ends so";
}

TEST_F(MinimizeVerbTest, TheBudgetEndsItAndTheSameCommandGoesOn) {
  const std::string file = Trace();
  const std::string test = " --test 'grep -q last {}'";
  const Ran whole = Minimize(file + test + " -o " + Path("whole.trace"));
  ASSERT_EQ(whole.code, kNothingFound) << whole.out;
  Ran ran = Minimize(file + test + " --tests 2");
  EXPECT_EQ(ran.code, kNothingFound);
  EXPECT_THAT(ran.out, HasSubstr("the budget ended first"));
  EXPECT_THAT(ran.out, HasSubstr("goes on with: "));
  EXPECT_TRUE(std::filesystem::exists(Path("x.min.trace.journal")));
  const Ran other = Minimize(file + " --test 'grep -q a1 {}'");
  EXPECT_EQ(other.code, kBadUsage);
  EXPECT_THAT(other.out, HasSubstr("another test; --restart"));
  for (int i = 0; i < 100 && ran.out.find("(minimal") == std::string::npos; ++i) {
    const size_t at = ran.out.find("goes on with: ");
    ASSERT_NE(at, std::string::npos) << ran.out;
    const std::string line = ran.out.substr(at + 14, ran.out.find('\n', at) - at - 14);
    ran = RunShell(line);
    EXPECT_THAT(ran.out, HasSubstr("of an earlier run"));
  }
  EXPECT_THAT(ran.out, HasSubstr("(minimal"));
  EXPECT_EQ(Read(Path("x.min.trace")), Read(Path("whole.trace")));
  EXPECT_FALSE(std::filesystem::exists(Path("x.min.trace.journal")));
}

TEST_F(MinimizeVerbTest, ReadsAndWritesStreams) {
  const std::string file = Trace();
  const Ran ran = Minimize("- --test 'grep -q last {}' 2>/dev/null < " + file);
  EXPECT_EQ(ran.code, kNothingFound);
  EXPECT_THAT(ran.out, HasSubstr("allocate last "));
  EXPECT_THAT(ran.out, Not(HasSubstr("explain")));
  EXPECT_FALSE(std::filesystem::exists("-.journal"));
}

TEST_F(MinimizeVerbTest, RefusesInOneLine) {
  const std::string file = Trace();
  for (const auto& [arguments, words] : std::vector<std::pair<std::string, std::string>>{
           {" --test 'exit 101; {}'", "another reason"},
           {" --test 'true'", "expected {}"},
           {" --test 'echo hm; {}' --expect E1001", "has no E1001 in it"},
           {" --test '/no/such {}'", "cannot be run"},
           {" --test 'true {}' --memory much", "--memory"},
           {" --test 'true {}' --jobs 0", "--jobs"},
           {" --test 'sleep 9; {}' --timeout 0.1", "--timeout"},
           {" --subject model", "shows no fault"}}) {
    const Ran ran = Minimize(file + arguments);
    EXPECT_EQ(ran.code, kBadUsage) << arguments << ran.out;
    EXPECT_THAT(ran.out, HasSubstr(words)) << arguments;
    EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 1) << ran.out;
    EXPECT_FALSE(std::filesystem::exists(Path("x.min.trace.journal"))) << arguments;
  }
  EXPECT_THAT(Left(), testing::IsEmpty());
}

TEST_F(MinimizeVerbTest, TakesAnyTextUnderACommand) {
  const std::string file = File("x.py", "import os\n# oomph subject bfc\ndef f():\n  print(1)\n");
  const Ran ran = Minimize(file + " --test 'case {} in *.py) grep -q print {};; esac'");
  EXPECT_EQ(ran.code, kNothingFound) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("taken for lines of text"));
  EXPECT_THAT(ran.out, HasSubstr("x.min.py: 4 steps -> 1 (minimal"));
  EXPECT_THAT(ran.out, Not(HasSubstr("explain")));
  EXPECT_EQ(Read(Path("x.min.py")), "  print(1)\n");
  EXPECT_EQ(Minimize(file).code, kBadUsage) << "no subject has it";
  EXPECT_EQ(Minimize(file + " --family hbm --test 'true {}'").code, kBadUsage);
}

using SlowMinimizeVerbTest = MinimizeVerbTest;

// Two signals that end it early, one politely, one not.
TEST_F(SlowMinimizeVerbTest, InterruptedOrKilledNothingIsLost) {
  const std::string file = Trace();
  const std::string test = "sleep 0.02; echo >> " + Path("runs") + "; grep -q last {} && grep -q a7 {}";
  const Ran whole = Minimize(file + " --test '" + test + "' -o " + Path("whole.trace"));
  ASSERT_EQ(whole.code, kNothingFound) << whole.out;
  const size_t all = std::filesystem::file_size(Path("runs"));
  std::filesystem::remove(Path("runs"));
  for (const int number : {SIGINT, SIGKILL, SIGTERM}) {
    const size_t before = std::filesystem::exists(Path("runs")) ? std::filesystem::file_size(Path("runs")) : 0;
    const pid_t child = fork();
    if (child == 0) {
      setenv("TMPDIR", Path("tmp").c_str(), 1);
      const std::string program = std::string(OOMPH_BINARY_DIR) + "/oomph";
      execl(program.c_str(), "oomph", "minimize", file.c_str(), "--test", test.c_str(), nullptr);
      _exit(127);
    }
    while (!std::filesystem::exists(Path("runs")) || std::filesystem::file_size(Path("runs")) < before + 5) usleep(2000);
    kill(child, number);
    int status = 0;
    waitpid(child, &status, 0);
    if (number == SIGKILL) {
      EXPECT_TRUE(WIFSIGNALED(status));
    } else {
      EXPECT_EQ(WEXITSTATUS(status), kInterrupted);
    }
    EXPECT_TRUE(std::filesystem::exists(Path("x.min.trace.journal")));
    for (int tries = 0; tries < 5000 && !Left().empty(); ++tries) usleep(1000);
    EXPECT_THAT(Left(), testing::IsEmpty());
  }
  const Ran rest = Minimize(file + " --test '" + test + "'");
  EXPECT_EQ(rest.code, kNothingFound);
  EXPECT_THAT(rest.out, HasSubstr("of an earlier run"));
  EXPECT_EQ(Read(Path("x.min.trace")), Read(Path("whole.trace")));
  // What ran when it was ended, and the few answers that were not written yet, were asked again.
  EXPECT_LT(std::filesystem::file_size(Path("runs")), 2 * all);
}

}  // namespace
}  // namespace oomph
