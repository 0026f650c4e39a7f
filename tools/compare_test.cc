// Tests of `oomph compare` and scripts/compare as a user meets them: a plugin of his own, two revisions of it.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "fuzz/exit_code.h"
#include "fuzz/testing/scratch_folder.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tools/testing/run.h"

namespace oomph {
namespace {

namespace fs = std::filesystem;

class CompareCommandTest : public testing::Test {
 protected:
  // No setting of the user's for git.
  static Ran Shell(const std::string& command) {
    return RunShell("unset GIT_DIR; export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1; " + command);
  }
  static std::string Read(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void ExpectRefused(const std::string& arguments, const std::string& text) {
    const Ran ran = RunOomph("compare " + arguments);
    EXPECT_EQ(ran.code, kBadUsage) << arguments << "\n" << ran.out;
    EXPECT_NE(ran.out.find(text), std::string::npos) << arguments << "\n" << ran.out;
    EXPECT_EQ(ran.out.find('\n'), ran.out.size() - 1) << ran.out;
  }
  const ScratchFolder scratch_;
  const std::string folder_ = scratch_.path();
};

TEST_F(CompareCommandTest, ANewSignatureIs77InEveryForm) {
  const std::string arguments = "compare --base specification --head fault:rounds_down --cases 200 --speed-rounds 0";
  const Ran text = RunOomph(arguments + " --markdown " + folder_ + "/c.md -o " + folder_ + "/cases");
  EXPECT_EQ(text.code, kFindings) << text.out;
  EXPECT_NE(text.out.find("new  hbm/at_least_the_size/fault:rounds_down/allocate"), std::string::npos) << text.out;
  EXPECT_NE(Read(folder_ + "/c.md").find("**new**"), std::string::npos);
  size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder_ + "/cases")) {
    ++files;
    if (Read(entry.path()).find("oomph expect") == std::string::npos) continue;  // of a metric
    EXPECT_EQ(RunOomph("check " + entry.path().string()).code, kFindings) << entry.path();
  }
  EXPECT_GT(files, 0u);
  const Ran json = RunOomph(arguments + " --json");
  EXPECT_EQ(json.code, kFindings);
  EXPECT_EQ(nlohmann::json::parse(json.out)[0]["signatures"][0]["change"], "new");
}

TEST_F(CompareCommandTest, AWorseMetricIs77OnlyWhereAskedFor) {
  const std::string arguments =
      "compare --base plugin:" OOMPH_BINARY_DIR "/plugins/oomph_plugin_first_fit.so --head "
      "plugin:" OOMPH_BINARY_DIR "/plugins/oomph_plugin_bump.so --cases 200 --speed-rounds 0 --shrink-seconds 0.5";
  const Ran without = RunOomph(arguments);
  EXPECT_EQ(without.code, kNothingFound) << without.out;
  EXPECT_EQ(without.out.find("more than"), std::string::npos) << without.out;
  const Ran limit = RunOomph(arguments + " --fail-on peak=1,failed");
  EXPECT_EQ(limit.code, kFindings) << limit.out;
  EXPECT_NE(limit.out.find("failed is worse by more than"), std::string::npos) << limit.out;
}

// The same subject, speed and all.
TEST_F(CompareCommandTest, TheSameTwiceIsQuiet) {
  for (const std::string subject : {"model:temporal", "plugin:" OOMPH_BINARY_DIR "/plugins/oomph_plugin_first_fit.so"}) {
    const Ran ran = RunOomph("compare --base " + subject + " --head " + subject + " --cases 200 --fail-on speed,peak");
    EXPECT_EQ(ran.code, kNothingFound) << ran.out;
    EXPECT_NE(ran.out.find("\nnothing differs\n"), std::string::npos) << ran.out;
  }
}

TEST_F(CompareCommandTest, BadUsageIsOneLine) {
  ExpectRefused("--base model", "--head");
  ExpectRefused("--base model --head nobody", "no subject \"nobody\"");
  ExpectRefused("--base model --head model --fail-on colour", "no such metric");
  ExpectRefused("--base model --head model --fail-on peak=x", "expected a percentage");
  ExpectRefused("--base model --head model --fail-on peak=nan", "expected a percentage");
  ExpectRefused("--base model --head model --seconds nan", "expected a number above 0");
  ExpectRefused("--base model --head model --fail-on speed --speed-rounds 0", "measures no speed");
  ExpectRefused("--base model --head model --markdown " + folder_ + "/none/x.md", "there is no folder");
  ExpectRefused("--base model --head model --cases 10 --seconds 1", "--cases");
  ExpectRefused("--base model --head model " + folder_ + "/none", "cannot be read");
}

// A repository of a user: his allocator, then a change after which it takes memory from the top gap only.
class CompareRevisionsTest : public CompareCommandTest {
 protected:
  void SetUp() override {
    const std::string example = Read(fs::path(OOMPH_SOURCE_DIR) / "subjects/example/first_fit_plugin.c");
    ASSERT_FALSE(example.empty());
    fs::create_directories(folder_ + "/mine/src");
    fs::create_directories(folder_ + "/tmp");
    Write(example);
    const Ran init = Shell("cd " + folder_ + "/mine && git init -q . && git config user.name t && git config user.email t@t && "
                           "git add . && git commit -qm one && git tag one");
    ASSERT_EQ(init.code, 0) << init.out;
    Write(Worse(example));
    const Ran second = Shell("cd " + folder_ + "/mine && git commit -qam two && git tag two && echo dirty >> src/mine.c");
    ASSERT_EQ(second.code, 0) << second.out;
  }
  void Write(const std::string& text) { std::ofstream(folder_ + "/mine/src/mine.c", std::ios::binary) << text; }
  static std::string Worse(std::string text);
  Ran Script(const std::string& arguments) {
    return Shell("cd " + folder_ + "/mine/src && TMPDIR=" + folder_ + "/tmp OOMPH=" OOMPH_BINARY_DIR "/oomph " OOMPH_SOURCE_DIR
                 "/scripts/compare " + arguments);
  }
  std::string Worktrees() { return Shell("cd " + folder_ + "/mine && git worktree list | wc -l; ls " + folder_ + "/tmp").out; }
};

std::string CompareRevisionsTest::Worse(std::string text) {
  const std::string before = "if (pad <= end - begin && ";
  const size_t at = text.find(before);
  EXPECT_NE(at, std::string::npos) << "the example has changed";
  if (at != std::string::npos) text.insert(at + 4, "*at == NULL && ");
  return text;
}

constexpr const char* kBuild =
    " --build 'mkdir -p out && cc -shared -fPIC -I\"$OOMPH_INCLUDE\" -o out/mine.so src/mine.c' --plugin out/mine.so";

TEST_F(CompareRevisionsTest, WhatTheChangeBrokeAndMadeWorseIsTold) {
  const Ran ran = Script(std::string("one two") + kBuild + " -- --cases 300 --speed-rounds 0 --shrink-seconds 1");
  EXPECT_EQ(ran.code, kFindings) << ran.out;
  EXPECT_NE(ran.out.find("new  hbm/complete_when_it_fits/mine/allocate"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("head  mine.so at two ("), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("\npeak "), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find(" worse +"), std::string::npos) << ran.out;
  EXPECT_EQ(Worktrees(), "1\n") << "checkouts are left";
  // The other way round it is fixed; a revision and itself do not differ.
  EXPECT_EQ(Script(std::string("two one") + kBuild + " -- --cases 100 --speed-rounds 0").code, kNothingFound);
  const Ran same = Script(std::string("two HEAD") + kBuild + " -- --cases 100 --speed-rounds 0");
  EXPECT_EQ(same.code, kNothingFound);
  EXPECT_NE(same.out.find("nothing differs"), std::string::npos) << same.out;
  EXPECT_NE(Read(folder_ + "/mine/src/mine.c").find("dirty"), std::string::npos) << "the working tree was touched";
}

TEST_F(CompareRevisionsTest, WhatCannotBeBuiltIsRefusedAndCleanedUp) {
  const auto refused = [&](const std::string& arguments, const std::string& text) {
    const Ran ran = Script(arguments);
    EXPECT_EQ(ran.code, kBadUsage) << ran.out;
    EXPECT_NE(ran.out.find(text), std::string::npos) << ran.out;
    EXPECT_EQ(Worktrees(), "1\n") << arguments;
  };
  refused(std::string("one three") + kBuild, "no revision three");
  refused("one two --build false --plugin out/mine.so", "does not build");
  refused("one two --build true --plugin out/mine.so", "made no out/mine.so");
  refused("one two --build true --plugin ../mine.so", "inside the checkout");
  refused("one --build true --plugin x.so", "two revisions");
}

TEST_F(CompareRevisionsTest, InterruptedItLeavesNothing) {
  const Ran ran = Shell("cd " + folder_ + "/mine && TMPDIR=" + folder_ + "/tmp OOMPH=" OOMPH_BINARY_DIR "/oomph " OOMPH_SOURCE_DIR
                        "/scripts/compare one two --build 'touch ../../started; exec sleep 300' --plugin x.so & pid=$!; "
                        "for i in $(seq 300); do [ -e " + folder_ + "/tmp/started ] && break; sleep 0.1; done; "
                        "rm -f " + folder_ + "/tmp/started; kill -TERM $pid; wait $pid");
  EXPECT_EQ(ran.code, kInterrupted) << ran.out;
  EXPECT_EQ(Worktrees(), "1\n");
}

}  // namespace
}  // namespace oomph
