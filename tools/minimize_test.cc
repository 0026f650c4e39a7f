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
  // Lines of which a test may want some; of no family, so that nothing here rests on how one shrinks.
  std::string Lines() {
    std::string text;
    for (int i = 0; i < 20; ++i) absl::StrAppend(&text, "take a", i, "\ngive a", i, "\n");
    return File("x.txt", text + "take last\n");
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
  const std::string file = Lines();
  const Ran ran = Minimize(file + " --test 'grep -q last {}'");
  EXPECT_EQ(ran.code, kNothingFound) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("x.min.txt: 41 lines -> 1 (minimal: "));
  EXPECT_THAT(ran.out, HasSubstr("  drop_lines  40 lines  in "));
  EXPECT_EQ(Read(Path("x.min.txt")), "take last\n");
  EXPECT_FALSE(std::filesystem::exists(Path("x.min.txt.journal")));
  EXPECT_THAT(Left(), testing::IsEmpty());
}

TEST_F(MinimizeVerbTest, TellsAsJson) {
  const std::string file = Lines();
  const Ran ran = Minimize(file + " --json --jobs 2 --test 'grep -q last {}; exit 77' -o " + Path("y.txt") + " 2>/dev/null");
  const auto json = nlohmann::json::parse(ran.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << ran.out;
  EXPECT_EQ(json["expected"], "exit status 77");
  EXPECT_EQ(json["minimal"], true);
  EXPECT_EQ(json["size_before"], 41);
  EXPECT_EQ(json["size"], 0) << "each case ends so";
}

TEST_F(MinimizeVerbTest, TheBudgetEndsItAndTheSameCommandGoesOn) {
  const std::string file = Lines();
  const std::string test = " --test 'grep -q last {}'";
  const Ran whole = Minimize(file + test + " -o " + Path("whole.txt"));
  ASSERT_EQ(whole.code, kNothingFound) << whole.out;
  Ran ran = Minimize(file + test + " --tests 8");
  EXPECT_EQ(ran.code, kNothingFound);
  EXPECT_THAT(ran.out, HasSubstr("the budget ended first"));
  EXPECT_THAT(ran.out, HasSubstr("goes on with: "));
  EXPECT_TRUE(std::filesystem::exists(Path("x.min.txt.journal")));
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
  EXPECT_EQ(Read(Path("x.min.txt")), Read(Path("whole.txt")));
  EXPECT_FALSE(std::filesystem::exists(Path("x.min.txt.journal")));
}

TEST_F(MinimizeVerbTest, BySubjectInOneProcessAndInSeveral) {
  std::string text = "memory hbm capacity 65536 granule 8\n";
  for (int i = 0; i < 20; ++i) absl::StrAppend(&text, "allocate a", i, " ", 61 + 8 * i, "\nfree a", i, "\n");
  const std::string file = File("x.trace", text);
  const std::string fault = " --subject fault:rounds_down";
  for (const std::string jobs : {"1", "2"}) {
    const std::string out = Path("out" + jobs + ".trace");
    const Ran ran = Minimize(file + fault + " --jobs " + jobs + " -o " + out);
    EXPECT_EQ(ran.code, kNothingFound) << ran.out;
    EXPECT_THAT(ran.out, HasSubstr("(minimal: "));
    EXPECT_THAT(ran.out, Not(HasSubstr("crashed")));
    EXPECT_THAT(ran.out, HasSubstr("explain"));
    EXPECT_FALSE(std::filesystem::exists(out + ".journal"));
    const Ran shows = RunOomph("check " + out);
    EXPECT_EQ(shows.code, kFindings) << shows.out;
    EXPECT_THAT(shows.out, HasSubstr("expected hbm/at_least_the_size/fault:rounds_down/allocate: met"));
    // The signature may be told beforehand, and is the first run's then.
    const std::string signature = " --expect hbm/at_least_the_size/fault:rounds_down/allocate";
    EXPECT_EQ(Minimize(file + fault + signature + " -o " + out).code, kNothingFound);
  }
  const Ran refused = Minimize(file + " --subject model");
  EXPECT_EQ(refused.code, kBadUsage);
  EXPECT_THAT(refused.out, HasSubstr("shows no fault"));
  EXPECT_EQ(Minimize(file + fault + " --expect hbm/no/such/one").code, kBadUsage);
}

TEST_F(MinimizeVerbTest, ReadsAndWritesStreams) {
  const std::string file = Lines();
  const Ran ran = Minimize("- --test 'grep -q last {}' 2>/dev/null < " + file);
  EXPECT_EQ(ran.code, kNothingFound);
  EXPECT_THAT(ran.out, HasSubstr("take last"));
  EXPECT_THAT(ran.out, Not(HasSubstr("explain")));
  EXPECT_FALSE(std::filesystem::exists("-.journal"));
}

TEST_F(MinimizeVerbTest, RefusesInOneLine) {
  const std::string file = Lines();
  for (const auto& [arguments, words] : std::vector<std::pair<std::string, std::string>>{
           {" --test 'exit 101; {}'", "another reason"},
           {" --test 'true'", "expected {}"},
           {" --test 'echo hm {}' --expect E1001", "has no E1001 in it"},
           {" --test '/no/such {}'", "cannot be run"},
           {" --test 'true {}' --memory much", "--memory"},
           {" --test 'true {}' --jobs 0", "--jobs"},
           {" --test 'sleep 9; : {}' --timeout 0.1", "--timeout"},
           {" --test 'true {}' --subject model", "--subject"},
           {" --family hbm --test 'true {}'", "x.txt:1:1: expected"},
           {"", "known family"}}) {
    const Ran ran = Minimize(file + arguments);
    EXPECT_EQ(ran.code, kBadUsage) << arguments << ran.out;
    EXPECT_THAT(ran.out, HasSubstr(words)) << arguments;
    const auto lines = std::count(ran.out.begin(), ran.out.end(), '\n');
    EXPECT_EQ(lines, ran.out.find("taken for lines") == std::string::npos ? 1 : 2) << ran.out;
    EXPECT_FALSE(std::filesystem::exists(Path("x.min.txt.journal"))) << arguments;
  }
  EXPECT_THAT(Left(), testing::IsEmpty());
}

TEST_F(MinimizeVerbTest, TakesAnyTextUnderACommand) {
  const std::string file = File("x.py", "import os\n# oomph subject bfc\ndef f():\n  print(1)\n");
  const Ran ran = Minimize(file + " --test 'case {} in *.py) grep -q print {};; esac'");
  EXPECT_EQ(ran.code, kNothingFound) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("taken for lines of text"));
  EXPECT_THAT(ran.out, HasSubstr("x.min.py: 4 lines -> 1 (minimal"));
  EXPECT_THAT(ran.out, Not(HasSubstr("explain")));
  EXPECT_EQ(Read(Path("x.min.py")), "  print(1)\n");
  EXPECT_EQ(Minimize(file).code, kBadUsage) << "no subject has it";
  EXPECT_EQ(Minimize(file + " --family hbm --test 'true {}'").code, kBadUsage);
}

using SlowMinimizeVerbTest = MinimizeVerbTest;

// Two signals that end it early, one politely, one not.
TEST_F(SlowMinimizeVerbTest, InterruptedOrKilledNothingIsLost) {
  const std::string file = Lines();
  const std::string test = "sleep 0.02; echo >> " + Path("runs") + "; grep -q last {} && grep -q a7 {}";
  const Ran whole = Minimize(file + " --test '" + test + "' -o " + Path("whole.txt"));
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
    EXPECT_TRUE(std::filesystem::exists(Path("x.min.txt.journal")));
    for (int tries = 0; tries < 5000 && !Left().empty(); ++tries) usleep(1000);
    EXPECT_THAT(Left(), testing::IsEmpty());
  }
  const Ran rest = Minimize(file + " --test '" + test + "'");
  EXPECT_EQ(rest.code, kNothingFound);
  EXPECT_THAT(rest.out, HasSubstr("of an earlier run"));
  EXPECT_EQ(Read(Path("x.min.txt")), Read(Path("whole.txt")));
  // What ran when it was ended, and the few answers that were not written yet, were asked again.
  EXPECT_LT(std::filesystem::file_size(Path("runs")), 2 * all);
}

}  // namespace
}  // namespace oomph
