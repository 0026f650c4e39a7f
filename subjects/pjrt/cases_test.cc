// All modules of the folder OOMPH_HLO_CASES that compile for a TPU v5e, judged by every oracle: each disagreement stands here
// with its explanation. Not for: what the compiler dies of (corpus/trophies), nor random modules (campaigns).
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "models/hlo/answer.h"
#include "models/hlo/family.h"
#include "models/hlo/plan_oracles.h"
#include "subjects/registry.h"

namespace oomph {
namespace {

// By the file and the oracle.
const std::map<std::string, std::string>& Explained() {
  static const std::map<std::string, std::string> explained = {
      {"299.hlo plan_keeps_live_values_apart",
       "theirs: VMEM of a running asynchronous call is given to others (corpus/trophies); the module is then declined"},
      {"299.hlo plan_keeps_its_own_ranges_apart", "the same by their own ranges"},
      {"307.hlo plan_keeps_live_values_apart", "theirs: as 299.hlo"},
      {"307.hlo plan_keeps_its_own_ranges_apart", "the same by their own ranges"},
      {"518.hlo plan_keeps_live_values_apart",
       "set-up: a scheduled module skips the insertion of copies, so a fusion that works in place does so on a parameter"},
      {"518.hlo plan_keeps_its_own_ranges_apart", "the same by their own ranges"},
      {"491.hlo scoped_memory_is_kept_apart",
       "what a collective states as scoped memory is not its own alone: values that live across it lie there"},
      {"035.hlo scoped_memory_is_kept_apart", "as 491.hlo: its own result lies there"},
      {"706.hlo scoped_memory_is_kept_apart", "as 491.hlo: its own result lies there"},
  };
  return explained;
}

std::vector<std::filesystem::path> Files(const char* folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".hlo") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(SlowPjrtCases, EveryDisagreementIsExplained) {
  const char* folder = std::getenv("OOMPH_HLO_CASES");
  if (folder == nullptr) GTEST_SKIP() << "OOMPH_HLO_CASES names no folder";
  const SubjectRow* row = FindSubjectRow(HloFamily(), "libtpu");
  ASSERT_NE(row, nullptr);
  if (!row->absent.empty()) GTEST_SKIP() << row->absent;
  const auto subject = row->make("v5e", true);
  ASSERT_TRUE(subject.ok()) << subject.status();
  size_t compiled = 0, values = 0;
  std::map<std::string, std::string> found;
  for (const std::filesystem::path& path : Files(folder)) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    CaseOf<hlo::Module> c;
    if (!HloFamily().Parse("case", text.str(), c).ok()) continue;
    OutcomeOf<hlo::Answer> outcome;
    (*subject)->Run(c, outcome);
    const hlo::Answer& answer = outcome.value;
    compiled += answer.status == hlo::Status::kValid;
    if (answer.plans.empty()) continue;
    hlo::PlanLooks looks(answer, 0);
    for (const hlo::PlanLook& look : looks.looks()) values += look.placed.size();
    Reasons reasons;
    HloFamily().Judge(c, outcome, (*subject)->info().promises, reasons);
    for (const Reason& reason : reasons.list()) {
      found[path.filename().string() + " " + std::string(reason.oracle)] = reason.text;
    }
  }
  EXPECT_GE(compiled, 200u);
  EXPECT_GE(values, 9'000u);
  for (const auto& [what, text] : found) EXPECT_TRUE(Explained().contains(what)) << what << ": " << text;
  for (const auto& [what, because] : Explained()) EXPECT_TRUE(found.contains(what)) << what << " is no more: " << because;
}

}  // namespace
}  // namespace oomph
