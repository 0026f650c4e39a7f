// The worked examples as a reader of docs/HOWTO.md types them, and the faults of the example plugin, through
// the command. Not for: what the parts do on their own (see subjects/plugin, subjects/command).
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "fuzz/exit_code.h"
#include "fuzz/testing/scratch_folder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/testing/run.h"

namespace oomph {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// In a folder of its own in which build/ and subjects/ are those of the project.
class WorkedExample : public testing::Test {
 protected:
  WorkedExample() {
    std::filesystem::create_directory_symlink(OOMPH_BINARY_DIR, folder_ + "/build");
    std::filesystem::create_directory_symlink(OOMPH_SOURCE_DIR "/subjects", folder_ + "/subjects");
  }
  Ran Shell(const std::string& script) {
    std::ofstream(folder_ + "/script") << script;
    return RunShell("cd '" + folder_ + "' && sh ./script");
  }
  // What it prints, without quotes of the shell, one signature each.
  static std::set<std::string> Signatures(const std::string& out) {
    std::set<std::string> signatures;
    std::istringstream lines(out);
    for (std::string line; std::getline(lines, line);) {
      const bool signature = line.starts_with("hbm/") || line.starts_with("placement/");
      if (signature && line.find(": ") != line.npos) signatures.insert(line.substr(0, line.find(": ")));
    }
    return signatures;
  }
  const ScratchFolder scratch_;
  const std::string folder_ = scratch_.path();
};

// The indented lines under a heading of docs/HOWTO.md, block by block.
std::vector<std::string> BlocksUnder(const std::string& heading) {
  std::ifstream file(OOMPH_SOURCE_DIR "/docs/HOWTO.md");
  std::vector<std::string> blocks;
  bool here = false, in_block = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) here = line == "## " + heading;
    if (!here) continue;
    const bool indented = line.starts_with("    ");
    if (!indented && !line.empty()) in_block = false;
    if (indented && !in_block) blocks.emplace_back();
    if (indented) in_block = true;
    if (in_block) blocks.back() += (indented ? line.substr(4) : line) + "\n";
  }
  return blocks;
}

// The lines of a script that begin with `prefix`, and before them the others.
std::pair<std::string, std::vector<std::string>> SplitOff(const std::string& script,
                                                          const std::string& prefix) {
  std::string before;
  std::vector<std::string> commands;
  std::istringstream lines(script);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(prefix)) {
      commands.push_back(line);
    } else {
      before += line + "\n";
    }
  }
  return {before, commands};
}

TEST_F(WorkedExample, ThePluginOfTheHowToIsSoundAndItsFaultyTwinIsFound) {
  const auto blocks = BlocksUnder("Test a plugin by its path");
  ASSERT_EQ(blocks.size(), 1u);
  const auto [build, commands] = SplitOff(blocks[0], "build/oomph ");
  ASSERT_EQ(commands.size(), 2u);
  const Ran built = Shell("set -e\n" + build);
  ASSERT_EQ(built.code, 0) << built.out;
  EXPECT_EQ(built.out, "") << "warnings";

  const Ran sound = Shell(commands[0]);
  EXPECT_EQ(sound.code, kNothingFound) << sound.out;
  EXPECT_THAT(sound.out, HasSubstr("no findings"));

  const Ran faulty = Shell(commands[1]);
  EXPECT_EQ(faulty.code, kFindings) << faulty.out;
  EXPECT_THAT(Signatures(faulty.out), ::testing::Contains("hbm/no_live_overlap/faulty_slots/allocate"));
  EXPECT_THAT(faulty.out, HasSubstr(".trace --subject plugin:faulty_slots.so\n"));
}

// What a finding says to type next is typed next.
void ExpectNextCommandsToWork(const std::string& out, const std::function<Ran(const std::string&)>& shell) {
  for (const std::string verb : {"minimize", "explain", "draw"}) {
    const size_t at = out.find("  build/oomph " + verb + " ");
    ASSERT_NE(at, out.npos) << verb << "\n" << out;
    const std::string line = out.substr(at, out.find('\n', at) - at);
    const Ran ran = shell(line);
    EXPECT_EQ(ran.code, 0) << line << "\n" << ran.out;
    if (verb == "minimize") {
      EXPECT_THAT(ran.out, HasSubstr(" -> ")) << line;
    }
  }
}

TEST_F(WorkedExample, TheProgramOverJsonLinesIsSoundAndItsOverlapIsFound) {
  const auto blocks = BlocksUnder("Test a program over JSON lines");
  ASSERT_EQ(blocks.size(), 1u);
  const auto [nothing, commands] = SplitOff(blocks[0], "build/oomph ");
  ASSERT_EQ(commands.size(), 2u);
  const Ran sound = Shell(commands[0]);
  EXPECT_EQ(sound.code, kNothingFound) << sound.out;

  const Ran faulty = Shell(commands[1]);
  EXPECT_EQ(faulty.code, kFindings) << faulty.out;
  EXPECT_THAT(Signatures(faulty.out), ::testing::ElementsAre("hbm/no_live_overlap/cmd:first_fit/allocate"));
  EXPECT_THAT(faulty.out, HasSubstr("--subject 'cmd:python3 subjects/example/json_lines.py --overlap'"));
  ExpectNextCommandsToWork(faulty.out, [this](const std::string& line) { return Shell(line); });

  // The file says whom it is for, and alone it starts nobody.
  const Ran refused = Shell("build/oomph check overlap-findings/*.trace");
  EXPECT_EQ(refused.code, kBadUsage);
  EXPECT_THAT(refused.out, HasSubstr("which is never started from a file"));
}

// A line that ends in a backslash goes on.
std::string Joined(std::string script) {
  for (size_t at = script.find("\\\n"); at != script.npos; at = script.find("\\\n", at)) script.erase(at, 2);
  return script;
}

// What takes seconds: programs that are started for each case, hangs.
class SlowWorkedExample : public WorkedExample {};

TEST_F(SlowWorkedExample, ThePlannersOfTheHowToAreSoundAndAnOverlapIsFound) {
  const auto blocks = BlocksUnder("Try your planner");
  ASSERT_EQ(blocks.size(), 2u);
  const auto [nothing, programs] = SplitOff(Joined(blocks[0]), "build/oomph ");
  ASSERT_EQ(programs.size(), 2u);
  const Ran sound = Shell(programs[0]);
  EXPECT_EQ(sound.code, kNothingFound) << sound.out;

  const Ran faulty = Shell(programs[1]);
  EXPECT_EQ(faulty.code, kFindings) << faulty.out;
  EXPECT_THAT(Signatures(faulty.out), ::testing::Contains("placement/no_live_overlap/cmd:stack_planner.py/collision"));
  ExpectNextCommandsToWork(faulty.out, [this](const std::string& line) { return Shell(line); });

  const Ran plugin = Shell(Joined(blocks[1]));
  EXPECT_EQ(plugin.code, kNothingFound) << plugin.out;
  EXPECT_THAT(plugin.out, HasSubstr("no findings"));
}

TEST_F(WorkedExample, TheModuleOfTheHowToDoesNotFitAndIsShrunk) {
  const auto blocks = BlocksUnder("Shrink an out-of-memory module");
  ASSERT_EQ(blocks.size(), 1u);
  const auto [module, commands] = SplitOff(blocks[0], "build/oomph ");
  ASSERT_EQ(commands.size(), 2u);
  const Ran checked = Shell(module + commands[0]);
  EXPECT_EQ(checked.code, kFindings) << checked.out;
  const std::string signature = "hlo/fits_the_limit/model/custom-call:OomphAlloc";
  EXPECT_THAT(commands[0], HasSubstr(signature)) << "what the text promises";
  EXPECT_THAT(checked.out, HasSubstr("\n" + signature + ": "));
  const Ran shrunk = Shell(commands[1]);
  EXPECT_EQ(shrunk.code, kNothingFound) << shrunk.out;
  EXPECT_THAT(Shell("build/oomph check oom.min.hlo").out, HasSubstr(signature + ": met"));
}

// What holds at the capacity of the file does not at that of the command line, and the next commands say so.
TEST_F(WorkedExample, ACapacityOfTheCommandLineWins) {
  const std::string check =
      "printf 'id,lower,upper,size\\na,0,2,10\\nb,1,3,10\\n' > p.20.csv; build/oomph check p.20.csv --subject "
      "plugin:build/plugins/oomph_plugin_faulty_planner.so:refuses ";
  const Ran of_file = Shell(check);  // claims that nothing fits, and 20 bytes do
  EXPECT_EQ(of_file.code, kFindings) << of_file.out;
  EXPECT_THAT(of_file.out, HasSubstr("infeasible_is_not_refuted"));
  const Ran too_small = Shell(check + "--capacity 19");
  EXPECT_EQ(too_small.code, kNothingFound) << too_small.out;
  const Ran larger = Shell(check + "--capacity 1KiB");
  EXPECT_EQ(larger.code, kFindings) << larger.out;
  EXPECT_THAT(larger.out, HasSubstr("--capacity 1024"));
}

TEST_F(WorkedExample, ACampaignOverAProgramThatCannotBeStartedSaysWhy) {
  const Ran ran = Shell("build/oomph fuzz --subject cmd:/no/such/program --cases 1 --store s");
  EXPECT_EQ(ran.code, kBadUsage) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("cmd:/no/such/program: died when it was loaded: exit 127"));
}

std::string FaultyPlugin(const std::string& variant) {
  return " --subject plugin:build/plugins/oomph_plugin_faulty.so:" + variant;
}

TEST_F(WorkedExample, EachFaultOfThePluginHasItsOwnSignatureAndTheCampaignGoesOn) {
  const Ran ran = Shell("build/oomph fuzz --seed 1 --cases 60 --store s" + FaultyPlugin("wild_write=3") +
                        FaultyPlugin("overlap=3") + FaultyPlugin("crash=3") + FaultyPlugin("leak=1"));
  EXPECT_EQ(ran.code, kFindings) << ran.out;
  const std::set<std::string> found = Signatures(ran.out);
  EXPECT_THAT(found, ::testing::IsSupersetOf({"hbm/no_live_overlap/faulty/allocate",
                                              "hbm/the_subject_survives/faulty/allocate",
                                              "hbm/live_and_free_are_all/faulty/lost"}))
      << ran.out;
  EXPECT_THAT(found, ::testing::Contains(HasSubstr("hbm/contents_are_kept/faulty/"))) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("crash=3\n")) << "the next command";
  EXPECT_THAT(ran.out, HasSubstr("240 cases")) << "every case was run";
  ExpectNextCommandsToWork(ran.out, [this](const std::string& line) { return Shell(line); });
}

// Each hang takes the time limit of a case, and so does each try to shrink it.
TEST_F(SlowWorkedExample, AHangIsFoundAndTheCampaignGoesOn) {
  const Ran ran = Shell("build/oomph fuzz --seed 1 --cases 3 --store s" + FaultyPlugin("hang=3") +
                        FaultyPlugin("crash=3"));
  EXPECT_EQ(ran.code, kFindings) << ran.out;
  EXPECT_THAT(Signatures(ran.out), ::testing::IsSupersetOf({"hbm/the_call_ends/faulty/out_of_time",
                                                            "hbm/the_subject_survives/faulty/allocate"}))
      << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("6 cases"));
}

}  // namespace
}  // namespace oomph
