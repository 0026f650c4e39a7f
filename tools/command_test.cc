// Tests of the command as a user meets it: exit codes, one line for each failure, the next command to type.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "fuzz/exit_code.h"
#include "fuzz/testing/scratch_folder.h"
#include "gtest/gtest.h"
#include "models/base/choices.h"
#include "models/families.h"
#include "tools/testing/run.h"

namespace oomph {
namespace {

class CommandTest : public testing::Test {
 protected:
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
    const Ran ran = RunOomph(arguments);
    EXPECT_EQ(ran.code, kBadUsage) << arguments << "\n" << ran.out;
    EXPECT_NE(ran.out.find(text), std::string::npos) << arguments << "\n" << ran.out;
    EXPECT_EQ(ran.out.find('\n'), ran.out.size() - 1) << ran.out;
  }
  const ScratchFolder scratch_;
  const std::string folder_ = scratch_.path();
};

TEST_F(CommandTest, EveryVerbHelps) {
  for (const char* verb :
       {"", "fuzz", "check", "minimize", "explain", "compare", "report", "generate", "import", "draw", "list", "bench"}) {
    const Ran ran = RunOomph(std::string(verb) + " --help");
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

TEST_F(CommandTest, ACapacityIsForFamiliesThatHaveOne) {
  for (const Family* family : Families()) {
    const std::string file = Generated(*family);
    const bool has_one = family->SetCapacity(*family->NewCase(), 4096);
    for (const char* verb : {"check --capacity 4KiB ", "draw -o - --capacity 4096 ", "explain --capacity 4096 "}) {
      if (!has_one) {
        ExpectRefused(verb + file, "--capacity: family " + std::string(family->name()) + " has none");
        continue;
      }
      const Ran ran = RunOomph(verb + file);
      EXPECT_NE(ran.code, kBadUsage) << verb << file << ran.out;
    }
    for (const char* wrong : {"-1", "99999999999999999999", "4x", "much"}) {
      ExpectRefused(std::string("check --capacity ") + wrong + " " + file, "--capacity");
    }
  }
}

TEST_F(CommandTest, ALimitIsForFamiliesThatCountMemory) {
  for (const Family* family : Families()) {
    const std::string file = Generated(*family);
    for (const std::string verb : {"check ", "draw -o - ", "explain ", "minimize -o - "}) {
      if (!family->CountsMemory()) {
        ExpectRefused(verb + "--limit 4GiB " + file, "--limit: outcomes of family " + std::string(family->name()));
        continue;
      }
      ExpectRefused(verb + "--limit 4x " + file, "--limit");
      EXPECT_NE(RunOomph(verb + "--limit 1TiB " + file).out.find(verb == "check " ? "agree" : ""), std::string::npos);
    }
  }
  ExpectRefused("check --as tape --family hlo --limit 4 x", "no --json, --outcome, --capacity and --limit");
}

TEST_F(CommandTest, WhatNeedsMoreThanTheLimitIsAFinding) {
  const std::string text =
      "HloModule m, is_scheduled=true\nENTRY %e {\n  %a = f32[256]{0} parameter(0)\n  %b = f32[256]{0} negate(%a)\n"
      "  ROOT %c = f32[256]{0} custom-call(%a, %b), custom_call_target=\"OomphAlloc\"\n}\n";
  const std::string file = File("big.hlo", text), signature = "hlo/fits_the_limit/model/custom-call:OomphAlloc";
  EXPECT_EQ(RunOomph("check --limit 3KiB " + file).code, kNothingFound);
  const Ran over = RunOomph("check --limit 2KiB " + file);
  EXPECT_EQ(over.code, kFindings) << over.out;
  EXPECT_NE(over.out.find(signature + ": 3.0 KiB are live at c (custom-call \"OomphAlloc\"), 1.0 KiB more than the limit of 2.0 KiB"),
            std::string::npos) << over.out;
  EXPECT_NE(over.out.find("/oomph minimize " + file + " --limit 2KiB\n"), std::string::npos) << over.out;
  EXPECT_NE(RunOomph("explain --limit 2KiB " + file).out.find("1.0 KiB more than the limit"), std::string::npos);
  EXPECT_NE(RunOomph("draw --limit 2KiB " + file + " -o " + folder_ + "/m.svg").out.find("1.0 KiB more than the limit"), std::string::npos);
  // The file's own limit holds where the command line gives none.
  const std::string limited = File("limited.hlo", "// oomph limit 2KiB\n// oomph expect " + signature + "\n" + text);
  const Ran met = RunOomph("check " + limited);
  EXPECT_EQ(met.code, kFindings) << met.out;
  EXPECT_NE(met.out.find(signature + ": met"), std::string::npos) << met.out;
  EXPECT_EQ(RunOomph("check --limit 3KiB " + limited).code, kNothingFound);
  // A reduction keeps the limit beside the case, so that the next command needs none.
  const Ran small = RunOomph("minimize " + limited + " --limit 2500 -o " + folder_ + "/small.hlo");
  EXPECT_EQ(small.code, 0) << small.out;
  const Ran again = RunOomph("check " + folder_ + "/small.hlo");
  EXPECT_EQ(again.code, kFindings) << again.out;
  EXPECT_NE(again.out.find(signature), std::string::npos) << again.out;
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
    const Ran ran = RunOomph("check " + file);
    EXPECT_EQ(ran.code, kNothingFound) << ran.out;
    EXPECT_NE(ran.out.find("agree"), std::string::npos);
    EXPECT_EQ(RunOomph("draw " + file + " -o " + folder_ + "/map.svg").code, 0);
    EXPECT_TRUE(std::filesystem::exists(folder_ + "/map.svg"));
    EXPECT_EQ(RunOomph("explain " + file).code, 0);
    const Ran fuzz = RunOomph("fuzz --family " + std::string(family->name()) +
                           " --subject model --cases 200 --seed 1 --jobs 2 --store " + folder_ + "/store");
    EXPECT_EQ(fuzz.code, kNothingFound) << fuzz.out;
    EXPECT_EQ(fuzz.out.find("trophy left out"), std::string::npos) << "of another family\n" << fuzz.out;
    EXPECT_EQ(RunOomph("report " + folder_ + "/store --json -").code, 0);
  }
}

TEST_F(CommandTest, ReportWritesWhatItIsAskedFor) {
  const std::string store = folder_ + "/store";
  const Ran fuzz = RunOomph("fuzz --subject model --cases 50 --seed 1 --jobs 1 --page --store " + store);
  EXPECT_EQ(fuzz.code, kNothingFound) << fuzz.out;
  EXPECT_TRUE(fuzz.out.ends_with("report: " + store + "/report.html\n")) << fuzz.out;
  EXPECT_TRUE(std::filesystem::remove(store + "/report.html"));
  const Ran ran = RunOomph("report " + store + "/ --json " + folder_ + "/r.json --junit " + folder_ + "/r.xml --sarif " +
                        folder_ + "/r.sarif");
  EXPECT_EQ(ran.code, 0) << ran.out;
  EXPECT_TRUE(ran.out.ends_with("report: " + store + "/report.html\n")) << ran.out;
  for (const std::string& file : {store + "/report.html", folder_ + "/r.json", folder_ + "/r.xml", folder_ + "/r.sarif"}) {
    EXPECT_GT(std::filesystem::file_size(file), 100u) << file;
  }
  EXPECT_EQ(RunOomph("report " + store + " --junit -").out[0], '<');
  EXPECT_EQ(RunOomph("report " + store + " -o -").out.substr(0, 15), "<!DOCTYPE html>");
  ExpectRefused("report " + store + " -o -  --json -", "one of");
  ExpectRefused("report " + folder_ + "/nowhere", "no store here");
}

TEST_F(CommandTest, InputsOfAnotherEngineAreJudged) {
  for (const Family* family : Families()) {
    const std::string name(family->name());
    std::filesystem::create_directory(folder_ + "/inputs");
    File("inputs/a", std::string("\0\xff\1", 3));
    File("inputs/b", std::string(3000, 'x'));
    const Ran tapes = RunOomph("check --as tape --family " + name + " --store " + folder_ + "/kept " + folder_ + "/inputs");
    EXPECT_EQ(tapes.code, kNothingFound) << tapes.out;
    EXPECT_NE(tapes.out.find("2 inputs, 0 with a finding"), std::string::npos) << tapes.out;
    EXPECT_EQ(RunOomph("check --as text --family " + name + " " + folder_ + "/inputs/b").code, kNothingFound);
    ExpectRefused("check --as tape --family " + name + " --json " + folder_ + "/inputs", "no --json");
    ExpectRefused("check --as tape --family " + name + " " + folder_ + "/none", "cannot be read");
  }
  ExpectRefused("check --as film x", "--as");
  ExpectRefused("check --store s x", "--as");
}

TEST_F(CommandTest, GeneratedCasesAreTheSameForTheSameSeed) {
  for (const Family* family : Families()) {
    const std::string arguments = "generate --family " + std::string(family->name()) + " --seed 5 --count 3";
    const Ran once = RunOomph(arguments);
    EXPECT_EQ(once.code, 0);
    EXPECT_EQ(once.out, RunOomph(arguments).out);
    EXPECT_EQ(RunOomph(arguments + " -o " + folder_ + "/cases").code, 0);
  }
}

TEST_F(CommandTest, MinimizeKeepsWhatTheTestAsksFor) {
  for (const Family* family : Families()) {
    const std::string file = Generated(*family);
    const std::string out = folder_ + "/small" + std::string(family->extension());
    const Ran ran = RunOomph("minimize " + file + " --test 'test -s {}' --tests 200 -o " + out);
    EXPECT_EQ(ran.code, 0) << ran.out;
    EXPECT_TRUE(std::filesystem::exists(out));
    ExpectRefused("minimize " + file + " --test false", "expected {}");
    ExpectRefused("minimize " + file + " --test 'exit 101; {}'", "nothing to minimize");
    ExpectRefused("minimize " + file + " --subject model", "shows no fault");
  }
}

// What a finding says to type next finds it again, though the file names no subject.
TEST_F(CommandTest, NextCommandsNameTheSubjectThatTheFileDoesNot) {
  const std::string file = File("mine.20.csv", "id,lower,upper,size\na,0,9,12\nb,0,9,12\nc,30,50,4\n");
  const Ran check = RunOomph("check " + file + " --subject fault:twice_the_memory --family placement");
  EXPECT_EQ(check.code, kFindings) << check.out;
  EXPECT_EQ(check.out.substr(0, check.out.find('\n')), file + ": fault:twice_the_memory: finding");
  for (const std::string verb : {"minimize", "explain", "draw"}) {
    const size_t at = check.out.find("/oomph " + verb + " ");
    ASSERT_NE(at, std::string::npos) << verb << "\n" << check.out;
    const std::string command = check.out.substr(at + 7, check.out.find('\n', at) - at - 7);
    EXPECT_EQ(command, verb + " " + file + " --subject fault:twice_the_memory --family placement");
    const Ran ran = RunShell("cd " + folder_ + " && " OOMPH_BINARY_DIR "/oomph " + command);
    EXPECT_EQ(ran.code, 0) << ran.out;
  }
  // One that says whom it is for needs no more, and minimize tells the verdict of what it wrote.
  const std::string small = folder_ + "/mine.20.min.csv";
  const Ran minimized = RunOomph("minimize " + file + " --subject fault:twice_the_memory");
  const Ran again = RunOomph("check " + small);
  EXPECT_EQ(again.code, kFindings) << again.out;
  EXPECT_NE(again.out.find("/oomph minimize " + small + "\n"), std::string::npos) << again.out;
  const size_t verdict = again.out.find("\nplacement/") + 1;
  const std::string line = again.out.substr(verdict, again.out.find('\n', verdict) + 1 - verdict);
  EXPECT_NE(minimized.out.find(line), std::string::npos) << minimized.out << again.out;
}

TEST_F(CommandTest, WhatASubjectDidIsTold) {
  const std::string file = File("two.csv", "id,lower,upper,size\na,0,9,16\nb,3,5,32\n");
  const Ran text = RunOomph("check --outcome " + file + " --subject model:temporal --subject model:by_area");
  EXPECT_EQ(text.code, kNothingFound) << text.out;
  const size_t first = text.out.find(": model:temporal: agree"), second = text.out.find(": model:by_area: agree");
  ASSERT_TRUE(first < second && second != std::string::npos) << text.out;
  EXPECT_NE(text.out.substr(first, second - first).find("48"), std::string::npos) << "the peak\n" << text.out;
  EXPECT_NE(RunOomph("check --json --outcome " + file).out.find("\"outcome\": \""), std::string::npos);
  EXPECT_EQ(RunOomph("check --json " + file).out.find("\"outcome\""), std::string::npos);
  // The first variant of several is not just anybody.
  const std::string whose = "hat model:decreasing_size (the first of ";
  EXPECT_EQ(RunOomph("explain " + file).out.find(whose), 1u);
  EXPECT_NE(RunOomph("draw " + file + " -o " + folder_ + "/m.svg").out.find(whose), std::string::npos);
  EXPECT_EQ(RunOomph("explain " + file + " --subject model:temporal").out.find("What model:temporal did:\n"), 0u);
}

TEST_F(CommandTest, NoCaseIsWrittenOver) {
  const std::string file = File("t.trace", "memory hbm capacity 64 granule 8\nallocate a 9\n");
  for (const std::string verb : {"minimize ", "draw ", "import "}) {
    ExpectRefused(verb + file + " -o " + folder_ + "/./t.trace", "is the file that is read");
  }
  for (const char* size : {"--steps 0", "--steps 100000000", "--live 100000000"}) {
    ExpectRefused(std::string("generate --family hbm ") + size, "not in range 1 to 1000000");
  }
}

TEST_F(CommandTest, ListsAreTablesAndJson) {
  for (const char* what : {"families", "subjects", "oracles", "faults", "chips"}) {
    EXPECT_EQ(RunOomph(std::string("list ") + what).code, 0) << what;
    EXPECT_EQ(RunOomph(std::string("list --json ") + what).out[0], '[') << what;
  }
}

TEST_F(CommandTest, ExplainsAMessage) {
  const Ran ran = RunOomph("explain " + File("log.txt",
                        "RESOURCE_EXHAUSTED: Error allocating device buffer: Attempting to allocate 8.00M. That was "
                        "not possible. There are 4.00M free.; (0x0x0_HBM0)\n"));
  EXPECT_EQ(ran.code, 0) << ran.out;
  EXPECT_NE(ran.out.find("E0100"), std::string::npos);
  const Ran scoped = RunOomph("explain " + File("scoped.log",
      "E1001: CompileTimeScopedVmemOom: Ran out of memory in memory space vmem while allocating on stack for %k.1 = f32[8,128]{1,0} "
      "custom-call(%a), custom_call_target=\"tpu_custom_call\". Scoped allocation with size 18.00M and limit 16.00M exceeded scoped vmem "
      "limit by 2.00M.\n"));
  EXPECT_NE(scoped.out.find("E1001 CompileTimeScopedVmemOom"), std::string::npos) << scoped.out;
  EXPECT_NE(scoped.out.find("limit          16,77"), std::string::npos) << scoped.out;
  EXPECT_NE(scoped.out.find("vmem_limit_bytes"), std::string::npos) << scoped.out;
  ExpectRefused("explain " + File("b.log", "nothing here\n"), "expected an out-of-memory message");
}

}  // namespace
}  // namespace oomph
