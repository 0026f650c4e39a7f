// Tests of reductions by a command of the user, whatever that command does.
#include "fuzz/minimize/by_command.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "fuzz/minimize/minimize.h"
#include "fuzz/testing/scratch_folder.h"
#include "fuzz/testing/toy_family.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace oomph {
namespace {

using ::testing::HasSubstr;

const Family& family = toy::Toy();

class ByCommand : public testing::Test {
 protected:
  void Case(const std::string& text) { ASSERT_TRUE(family.Parse("t", text, case_).ok()); }
  std::string Path(const std::string& name) const { return scratch_.path() + "/" + name; }
  // A script of /bin/sh that gets the case as $1.
  std::string Script(const std::string& text) {
    std::ofstream(Path("script")) << text;
    return "sh " + Path("script") + " {}";
  }
  absl::Status Make(const std::string& command) {
    options_.command = command;
    auto made = CommandTest::Make(family, options_);
    if (!made.ok()) return made.status();
    test_ = *std::move(made);
    return test_->First(case_);
  }
  // The text of the smallest.
  std::string Shrink(const std::string& command) {
    const absl::Status status = Make(command);
    EXPECT_TRUE(status.ok()) << status;
    if (!status.ok()) return "";
    MinimizeOptions options;
    options.seconds = 1e9;
    options.tests = size_t{1} << 40;
    result_ = Minimize(family, case_, "", *test_, options);
    EXPECT_TRUE(result_.reproduced);
    return family.Print(*result_.smallest);
  }

  const ScratchFolder scratch_;
  CaseOf<toy::Program> case_;
  CommandTestOptions options_;
  std::unique_ptr<CommandTest> test_;
  Minimized result_;
};

TEST_F(ByCommand, Greps) {
  Case("push 3\npop\npush 250\nadd\npush 7\n");
  EXPECT_EQ(Shrink("grep -q add {}"), "add\n");
  EXPECT_TRUE(result_.finished);
  EXPECT_FALSE(result_.flaky);
}

TEST_F(ByCommand, SideBySideIsMinimalToo) {
  std::string text;
  for (int i = 0; i < 30; ++i) absl::StrAppend(&text, "push ", i, "\npop\n", i % 10 == 3 ? "add\n" : "");
  Case(text);
  options_.jobs = 3;
  const std::string smallest = Shrink("[ $(grep -c add {}) -ge 2 ] && grep -q pop {}");
  EXPECT_EQ(std::count(smallest.begin(), smallest.end(), '\n'), 3) << smallest;
  EXPECT_TRUE(result_.finished);
}

TEST_F(ByCommand, AsksAgainWhereTheFirstRunSaysNo) {
  Case("push 3\npop\nadd\n");
  const std::string count = scratch_.path() + "/count";
  const std::string third = "echo >> " + count + "; [ $(wc -l < " + count + ") -ge 3 ] && grep -q add {}";
  EXPECT_EQ(Shrink(third), "add\n");
  EXPECT_NE(std::string(Make("exit 1; : {}").message()).find("broken test"), std::string::npos);
}

TEST_F(ByCommand, ATestMayRemoveItsFolder) {
  Case("push 3\npop\nadd\n");
  EXPECT_EQ(Shrink("grep -q add {} && rm -rf $(dirname {})"), "add\n");
}

TEST_F(ByCommand, KeepsAnExitStatusAndASignal) {
  Case("push 3\npop\nadd\n");
  EXPECT_EQ(Shrink("if grep -q add {}; then exit 77; elif grep -q pop {}; then exit 3; fi"), "add\n");
  EXPECT_EQ(Shrink("if grep -q add {}; then kill -ABRT $$; fi; exit 1"), "add\n");
  EXPECT_EQ(test_->crashed(), 0u) << "that is what is kept";
}

// With each push the message is of another operation; the first one's is about add.
TEST_F(ByCommand, DoesNotSlipToAnotherMessage) {
  Case("push 1\nadd\npop\npush 2\n");
  const std::string script = Script(R"(
    if grep -q add $1; then op=custom-call; elif grep -q pop $1; then op=fusion; else op=copy; fi
    echo "E1001: Ran out of memory in memory space vmem for %x.$$ = f32[$$] $op(%y), custom_call_target=\"mine\", $$ over"
    exit 1)");
  EXPECT_EQ(Shrink(script), "add\n");
  EXPECT_EQ(test_->expectation().Words(),
            "exit status 1, code E1001, memory vmem, operation custom-call, target mine");
}

TEST_F(ByCommand, ExpectsAWordWhateverTheStatus) {
  Case("push 1\nadd\npop\n");
  options_.expect = "bad (add|sub)";
  EXPECT_EQ(Shrink("if grep -q add {}; then echo bad add; exit $(wc -l < {}); fi; echo bad pop"), "add\n");
  options_.expect = "worse";
  EXPECT_THAT(std::string(Make("echo bad {}").message()), HasSubstr("has no worse in it"));
}

TEST_F(ByCommand, KeepsOtherFindingsAside) {
  Case("pop\npush 1\npush 2\nadd\n");  // the last half goes first
  options_.others = Path("x.other");
  const std::string script = Script("grep -q add $1 || { grep -q pop $1 && exit 101; exit 1; }");
  EXPECT_EQ(Shrink(script), "add\n");
  ASSERT_GE(test_->others_found(), 1u);
  ASSERT_EQ(test_->others().size(), test_->others_found());
  std::set<std::string> contents;
  for (const std::string& path : test_->others()) {
    std::ifstream in(path);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    EXPECT_THAT(text, HasSubstr("pop"));
    EXPECT_EQ(text.find("add"), text.npos);
    EXPECT_TRUE(contents.insert(text).second);
  }
  EXPECT_EQ(test_->others()[0], Path("x.other-1.toy"));

  options_.most_others = 0;
  EXPECT_EQ(Shrink(script), "add\n");
  EXPECT_TRUE(test_->others().empty());
  EXPECT_EQ(test_->others_found(), contents.size());
}

TEST_F(ByCommand, RefusesWhatItCannotUse) {
  Case("push 1\n");
  EXPECT_THAT(std::string(Make("true").message()), HasSubstr("expected {}"));
  EXPECT_THAT(std::string(Make("exit 101; {}").message()), HasSubstr("another reason"));
  EXPECT_THAT(std::string(Make("/no/such {}").message()), HasSubstr("cannot be run"));
}

TEST_F(ByCommand, GoesOnWithWhatAnEarlierOneExpected) {
  Case("push 1\nadd\n");
  ASSERT_TRUE(Make("grep -q add {}; exit 77").ok());
  const std::string fixed = test_->Fixed();
  auto other = CommandTest::Make(family, options_);
  ASSERT_TRUE((*other)->GoOnWith(fixed).ok());
  EXPECT_EQ((*other)->expectation().Words(), "exit status 77");
  const oomph::Case* one = &case_;
  EXPECT_TRUE((*other)->Ask(std::span(&one, 1))[0]);
  for (const char* damaged : {"", "[]", "{}", "{\"expectation\":\"\",\"timeout\":1}"}) {
    EXPECT_FALSE((*other)->GoOnWith(damaged).ok()) << damaged;
  }
}

TEST_F(ByCommand, TheCaseIsWrittenAnewWhateverTheCommandMadeOfIt) {
  Case("push 3\nadd\npop\n");
  EXPECT_EQ(Shrink("grep -q add {} && rm {} && mkdir {} && touch {}/x"), "add\n");
}

using SlowByCommand = ByCommand;

TEST_F(SlowByCommand, SurvivesCrashesHangsAndFloods) {
  Case("push 1\npop\npush 2\nadd\npush 3\npop\n");
  options_.timeout = 1;
  options_.jobs = 2;
  // Without a pop it crashes, without a push it hangs, and it always floods.
  const std::string script = Script(R"(
    head -c 8388608 /dev/zero | tr '\0' x
    grep -q pop $1 || kill -SEGV $$
    grep -q push $1 || { sleep 1000 & wait; }
    grep -q add $1)");
  const std::string smallest = Shrink(script);
  EXPECT_EQ(std::count(smallest.begin(), smallest.end(), '\n'), 3) << smallest;
  EXPECT_GT(test_->timed_out(), 0u);
  EXPECT_GT(test_->crashed(), 0u);
}

// A die that counts its throws in a file; one answer in five is a lie, the first is none.
TEST_F(SlowByCommand, ALiarStillEndsAtACaseThatFails) {
  Case("push 1\npop\npush 2\nadd\npush 3\npop\npush 4\npop\npush 5\n");
  const std::string script = Script("n=$(cat " + Path("n") + "); echo $((n + 1)) > " + Path("n") + R"(
    lie=0
    case $((n * n * 48271 % 65537 * 75 % 65537 % 5)) in 0) lie=1;; esac
    if grep -q add $1 && grep -q pop $1; then truth=0; else truth=1; fi
    exit $((truth ^ lie)))");
  size_t noticed = 0;
  for (const int begin : {3, 4, 9, 14, 28, 44}) {
    std::ofstream(Path("n")) << begin;
    const std::string smallest = Shrink(script);
    noticed += result_.flaky;
    EXPECT_GT(result_.rate, 0.5);
    EXPECT_THAT(smallest, HasSubstr("add"));
    EXPECT_THAT(smallest, HasSubstr("pop"));
  }
  EXPECT_GE(noticed, 2u);  // a few lucky answers at the end are no proof
}

}  // namespace
}  // namespace oomph
