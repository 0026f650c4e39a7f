// What the tests of XLA's reader and verifier of HLO share: where their modules come from, and whether XLA is there.
#ifndef OOMPH_SUBJECTS_XLA_XLA_HLO_TESTING_H_
#define OOMPH_SUBJECTS_XLA_XLA_HLO_TESTING_H_

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "models/base/choices.h"
#include "models/hlo/family.h"
#include "models/hlo/generate.h"
#include "subjects/child/child.h"
#include "subjects/xla/xla_hlo_row.h"

namespace oomph {

class XlaHloTest : public ::testing::Test {
 public:
  // The largest modules take it seconds, and a machine may be busy.
  static ChildLimits Limits() {
    ChildLimits limits;
    limits.case_time = std::chrono::minutes(5);
    return limits;
  }

 protected:
  void SetUp() override {
    const SubjectRow row = XlaHloRow(HloFamily());
    if (!row.absent.empty()) GTEST_SKIP() << row.absent;
  }

  static hlo::Module Generated(uint64_t seed) {
    hlo::Module module;
    Choices choices = Choices::FromSeed(seed, false);
    hlo::GenerateModule(choices, {}, module);
    return module;
  }
};

// The modules of the folder that OOMPH_HLO_CASES names.
class XlaHloCasesTest : public XlaHloTest {
 protected:
  void SetUp() override {
    XlaHloTest::SetUp();
    const char* folder = std::getenv("OOMPH_HLO_CASES");
    if (folder == nullptr) GTEST_SKIP() << "OOMPH_HLO_CASES names no folder of modules";
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().extension() != ".hlo") continue;
      std::ifstream file(entry.path(), std::ios::binary);
      texts_[entry.path().filename().string()] = std::string(std::istreambuf_iterator<char>(file), {});
    }
    ASSERT_FALSE(texts_.empty());
  }

  std::map<std::string, std::string> texts_;  // by the name of the file
};

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_XLA_XLA_HLO_TESTING_H_
