// What is asked of every case in a campaign, as properties: no oracle objects to the model or the
// specification, both give the same outcome, and each relation of models/hbm/relations.cc holds of both. Does
// not cover: that oracles and relations see faults (see fuzz/faults/faults_test.cc).
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "models/families.h"
#include "props/engine.h"

namespace oomph {
namespace {

constexpr std::string_view kSubjects[] = {"model", "specification"};

// The first reason in a sentence; empty if there is none.
std::string First(const Reasons& reasons) {
  if (reasons.empty()) return "";
  const Reason& reason = reasons.list().front();
  return std::string(reason.oracle) + " at step " + std::to_string(reason.step) + ": " + reason.text;
}

struct Runner {
  Runner(const Family& f, std::string_view name)
      : family(f),
        subject(SubjectNamed(f, name)),
        outcome(f.NewOutcome()),
        other(f.NewOutcome()),
        related(f.NewCase()) {
    params.generate.features = subject->info().features;
    params.subject = name;
  }
  const Family& family;
  std::unique_ptr<Subject> subject;
  std::unique_ptr<Outcome> outcome, other;
  std::unique_ptr<Case> related;
  CheckParams params;
};

TEST(HbmRows, NoOracleObjects) {
  for (const Family* family : Families()) {
    for (std::string_view name : kSubjects) {
      Runner run(*family, name);
      run.params.cases = name == "model" ? 10'000 : 3'000;
      CheckCases(*family, "no_oracle_objects_" + std::string(name), run.params, [&](const Case& c) {
        Reasons reasons;
        run.subject->Run(c, *run.outcome);
        family->Judge(c, *run.outcome, run.subject->info().promises, reasons);
        return First(reasons);
      });
    }
  }
}

TEST(HbmRows, ModelEqualsSpecification) {
  for (const Family* family : Families()) {
    Runner run(*family, "model");
    const auto specification = SubjectNamed(*family, "specification");
    run.params.cases = 5'000;
    CheckCases(*family, "model_equals_specification", run.params, [&](const Case& c) {
      Reasons reasons;
      run.subject->Run(c, *run.outcome);
      specification->Run(c, *run.other);
      family->Compare(c, *run.other, *run.outcome, reasons);
      return First(reasons);
    });
  }
}

class HbmRelations : public ::testing::TestWithParam<size_t> {};

TEST_P(HbmRelations, Holds) {
  const Family& family = *FindFamily("hbm");
  const RelationInfo& relation = family.relations()[GetParam()];
  for (std::string_view name : kSubjects) {
    Runner run(family, name);
    run.params.cases = name == "model" ? 6'000 : 1'500;
    int applied = 0;
    const std::string file = std::string(relation.name) + "_" + std::string(name);
    CheckCases(family, file, run.params, [&](const Case& c) -> std::string {
      if (!family.Relate(GetParam(), c, *run.related)) return "";
      ++applied;
      Reasons reasons;
      run.subject->Run(c, *run.outcome);
      run.subject->Run(*run.related, *run.other);
      family.JudgeRelation(GetParam(), c, *run.outcome, *run.related, *run.other, reasons);
      return First(reasons);
    });
    if (std::getenv("OOMPH_REPLAY") == nullptr) {
      EXPECT_GE(applied * 100, run.params.cases)
          << relation.name << " says something of " << applied << " cases";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, HbmRelations,
                         ::testing::Range(size_t{0}, FindFamily("hbm")->relations().size()),
                         [](const auto& info) {
                           return std::string(FindFamily("hbm")->relations()[info.param].name);
                         });

}  // namespace
}  // namespace oomph
