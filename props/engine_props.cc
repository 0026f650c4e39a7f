// The engine of the properties measured by planted faults: what it prints when a claim is false.
// Does not cover: claims that hold.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "fuzz/faults/faults.h"
#include "fuzz/judge.h"
#include "fuzz/store/case_file.h"
#include "models/families.h"
#include "props/engine.h"

namespace oomph {
namespace {

// No oracle objects to what the subject does.
Property NoOracleObjects(Judge& judge) {
  return [&judge](const Case& c) {
    const Verdict verdict = judge.Run(c);
    return verdict.found() ? verdict.text : "";
  };
}

TEST(EngineTest, AFalseClaimEndsInAReproducerOfFewSteps) {
  size_t longest = 0;
  for (const FaultRow& fault : Faults()) {
    if (fault.oracle == "equals_reference") continue;
    const auto subject = fault.make();
    Judge judge(*fault.family, *subject, nullptr);
    CheckParams params;
    params.cases = 20'000;
    params.subject = subject->info().name;
    params.generate.features = subject->info().features;
    const std::string name = "engine_" + std::string(fault.name);
    const auto found = FindCounterexample(*fault.family, name, params, NoOracleObjects(judge));
    ASSERT_NE(found, nullptr) << fault.name;
    EXPECT_FALSE(found->reason.empty());
    EXPECT_LE(fault.family->Size(*found->smallest), 12u) << found->text;
    longest = std::max(longest, fault.family->Size(*found->smallest));

    // The text has the case and both commands, and the file replays to the same.
    EXPECT_NE(found->text.find(fault.family->Print(*found->smallest)), std::string::npos) << found->text;
    EXPECT_NE(found->text.find("/oomph check "), std::string::npos) << found->text;
    EXPECT_NE(found->text.find("OOMPH_REPLAY="), std::string::npos) << found->text;
    const auto file = ReadCaseFile(found->file, nullptr);
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ(file->subject, params.subject);
    // One of the faults shows itself only every other time; one depends on the numbers of names, which
    // reading a text gives anew.
    EXPECT_TRUE(fault.name == "looks_at_the_name" || judge.Run(*file->value).found() ||
                judge.Run(*file->value).found())
        << found->text;
    std::filesystem::remove(found->file);
  }
  std::printf("longest reproducer: %zu steps\n", longest);
}

TEST(EngineTest, AClaimThatThrowsIsFalse) {
  for (const Family* family : Families()) {
    const auto found =
        FindCounterexample(*family, "engine_throws", {.generate = {}, .subject = ""}, [&](const Case& c) {
          if (family->Size(c) >= 3) throw std::runtime_error("three steps");
          return std::string();
        });
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(family->Size(*found->smallest), 3u);
    EXPECT_EQ(found->reason, "exception: three steps");
    std::filesystem::remove(found->file);
  }
}

TEST(EngineTest, ATrueClaimIsAskedOfAllCasesAndThoseAreTheSameEachTime) {
  for (const Family* family : Families()) {
    std::vector<std::string> first, second;
    for (auto* cases : {&first, &second}) {
      const auto found = FindCounterexample(
          *family, "engine_true", {.cases = 300, .generate = {}, .subject = ""}, [&](const Case& c) {
            cases->push_back(family->Print(c));
            return std::string();
          });
      EXPECT_EQ(found, nullptr);
    }
    EXPECT_EQ(first.size(), 300u);
    EXPECT_EQ(first, second);
    std::sort(first.begin(), first.end());
    EXPECT_GT(std::unique(first.begin(), first.end()) - first.begin(), 200);
  }
}

}  // namespace
}  // namespace oomph
