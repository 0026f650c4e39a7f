// Tests of the command as a user meets it: exit codes, one line for each failure, the next command to type.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "fuzz/exit_code.h"
#include "gtest/gtest.h"
#include "models/base/choices.h"
#include "models/families.h"

namespace oomph {
namespace {

struct Ran {
  int code = 0;
  std::string out;  // both streams
};

class CommandTest : public testing::Test {
 protected:
  CommandTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "oomph-command-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~CommandTest() override {
    std::error_code error;
    std::filesystem::remove_all(folder_, error);
  }
  Ran Oomph(const std::string& arguments) {
    Ran ran;
    const std::string command = std::string(OOMPH_BINARY_DIR) + "/oomph " + arguments + " 2>&1";
    std::FILE* pipe = popen(command.c_str(), "r");
    char buffer[4096];
    while (const size_t n = std::fread(buffer, 1, sizeof(buffer), pipe)) ran.out.append(buffer, n);
    const int status = pclose(pipe);
    ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return ran;
  }
  std::string File(const std::string& name, const std::string& text) {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  // A small valid case of a family as a file.
  std::string Generated(const Family& family) {
    const auto value = family.NewCase();
    Choices choices = Choices::FromSeed(1, false);
    family.Generate(choices, {}, *value);
    return File("generated" + std::string(family.extension()), family.Print(*value));
  }
  // One line with this text in it, and exit code 64.
  void ExpectRefused(const std::string& arguments, const std::string& text) {
    const Ran ran = Oomph(arguments);
    EXPECT_EQ(ran.code, kBadUsage) << arguments << "\n" << ran.out;
    EXPECT_NE(ran.out.find(text), std::string::npos) << arguments << "\n" << ran.out;
    EXPECT_EQ(ran.out.find('\n'), ran.out.size() - 1) << ran.out;
  }
  std::string folder_;
};

TEST_F(CommandTest, EveryVerbHelps) {
  for (const char* verb : {"", "fuzz", "check", "minimize", "explain", "report", "generate", "import", "draw",
                           "list", "bench"}) {
    const Ran ran = Oomph(std::string(verb) + " --help");
    EXPECT_EQ(ran.code, 0) << verb;
    EXPECT_NE(ran.out.find("Usage"), std::string::npos) << verb;
  }
}

TEST_F(CommandTest, BadUsageIsOneLineAndSaysWhereToRead) {
  ExpectRefused("", "--help");
  ExpectRefused("fly", "no verb \"fly\"");
  ExpectRefused("fuzz --bogus", "fuzz --help");
  ExpectRefused("fuzz --seconds -1", "--seconds");
  ExpectRefused("fuzz --subject nobody --store " + folder_, "no subject \"nobody\"");
  ExpectRefused("fuzz --family nothing --store " + folder_, "no such family");
  ExpectRefused("list colours", "colours");
  ExpectRefused("report " + folder_ + "/none", "no store here");
}

TEST_F(CommandTest, BadCaseFilesAreRefusedWithTheirPlace) {
  const std::string extension(Families()[0]->extension());
  ExpectRefused("check " + folder_ + "/none", "cannot be read");
  ExpectRefused("check " + folder_, "found a folder");
  ExpectRefused("check " + File("a" + extension, "]]]\n"), extension + ":1:1: expected");
  ExpectRefused("check " + File("b" + extension, std::string("ab\nc\0d\n", 7)), extension + ":2:2: expected text");
  const std::string huge = File("c" + extension, "");
  std::filesystem::resize_file(huge, uint64_t{1} << 30);
  ExpectRefused("check " + huge, "expected at most 64 MiB");
}

TEST_F(CommandTest, AFileStartsNoCommandAndNoPlugin) {
  for (const Family* family : Families()) {
    std::ifstream generated(Generated(*family));
    const std::string text(std::istreambuf_iterator<char>(generated), {});
    for (const std::string& subject : {"cmd:touch " + folder_ + "/pwned", "plugin:" + folder_ + "/x.so"}) {
      const std::string file = File("d" + std::string(family->extension()),
                                    std::string(family->comment()) + " oomph subject " + subject + "\n" + text);
      ExpectRefused("check " + file, "never started from a file");
      ExpectRefused("minimize " + file, "never started from a file");
    }
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/pwned"));
}

TEST_F(CommandTest, ModelAgreesWithItsSpecification) {
  for (const Family* family : Families()) {
    const std::string file = Generated(*family);
    const Ran ran = Oomph("check " + file);
    EXPECT_EQ(ran.code, kNothingFound) << ran.out;
    EXPECT_NE(ran.out.find("agree"), std::string::npos);
    EXPECT_EQ(Oomph("draw " + file + " -o " + folder_ + "/map.svg").code, 0);
    EXPECT_TRUE(std::filesystem::exists(folder_ + "/map.svg"));
    EXPECT_EQ(Oomph("explain " + file).code, 0);
    const Ran fuzz = Oomph("fuzz --family " + std::string(family->name()) +
                           " --subject model --cases 200 --seed 1 --jobs 2 --store " + folder_ + "/store");
    EXPECT_EQ(fuzz.code, kNothingFound) << fuzz.out;
    EXPECT_EQ(Oomph("report " + folder_ + "/store --json -").code, 0);
  }
}

TEST_F(CommandTest, GeneratedCasesAreTheSameForTheSameSeed) {
  for (const Family* family : Families()) {
    const std::string arguments = "generate --family " + std::string(family->name()) + " --seed 5 --count 3";
    const Ran once = Oomph(arguments);
    EXPECT_EQ(once.code, 0);
    EXPECT_EQ(once.out, Oomph(arguments).out);
    EXPECT_EQ(Oomph(arguments + " -o " + folder_ + "/cases").code, 0);
  }
}

TEST_F(CommandTest, MinimizeKeepsWhatTheTestAsksFor) {
  for (const Family* family : Families()) {
    const std::string file = Generated(*family);
    const std::string out = folder_ + "/small";
    const Ran ran = Oomph("minimize " + file + " --test 'test -s {}' --runs 200 -o " + out);
    EXPECT_EQ(ran.code, 0) << ran.out;
    EXPECT_TRUE(std::filesystem::exists(out));
    ExpectRefused("minimize " + file + " --test false", "expected {}");
    ExpectRefused("minimize " + file + " --test 'false {}'", "nothing to minimize");
    ExpectRefused("minimize " + file + " --subject model", "shows no fault");
  }
}

TEST_F(CommandTest, ListsAreTablesAndJson) {
  for (const char* what : {"families", "subjects", "oracles", "faults", "chips"}) {
    EXPECT_EQ(Oomph(std::string("list ") + what).code, 0) << what;
    EXPECT_EQ(Oomph(std::string("list --json ") + what).out[0], '[') << what;
  }
}

TEST_F(CommandTest, ExplainsAMessage) {
  const Ran ran = Oomph("explain " + File("log.txt",
                        "RESOURCE_EXHAUSTED: Error allocating device buffer: Attempting to allocate 8.00M. That was "
                        "not possible. There are 4.00M free.; (0x0x0_HBM0)\n"));
  EXPECT_EQ(ran.code, 0) << ran.out;
  EXPECT_NE(ran.out.find("E0100"), std::string::npos);
  ExpectRefused("explain " + File("b.log", "nothing here\n"), "expected an out-of-memory message");
}

}  // namespace
}  // namespace oomph
