// Tests of reductions by a subject in several processes.
#include "fuzz/minimize/by_subject.h"

#include <unistd.h>

#include <string>

#include "fuzz/minimize/minimize.h"
#include "fuzz/testing/toy_family.h"
#include "gtest/gtest.h"

namespace oomph {
namespace {

const Family& family = toy::Toy();

// Hangs at a push of 66, dies at one of 13.
class Stubborn final : public Subject {
 public:
  Stubborn() : inner_("real", "a", {.adds_wrong = true, .dies = true}) {}
  const SubjectInfo& info() const override { return inner_.info(); }
  void Run(const Case& c, Outcome& outcome) override {
    for (const toy::Step& step : toy::ToyFamily::Of(c)) {
      while (step.value == 66) pause();
    }
    inner_.Run(c, outcome);
  }

 private:
  toy::ToySubject inner_;
};

SubjectTestOptions Options(size_t jobs) {
  SubjectTestOptions options;
  options.signature = "toy/equals_reference/real/step";
  options.jobs = jobs;
  options.load = []() -> absl::StatusOr<Loaded> {
    return Loaded{std::make_unique<Stubborn>(), std::make_unique<toy::ToySubject>("model", "", toy::Faults{})};
  };
  return options;
}

CaseOf<toy::Program> Parsed(const std::string& text) {
  CaseOf<toy::Program> c;
  EXPECT_TRUE(family.Parse("t", text, c).ok());
  return c;
}

TEST(SubjectTest, ReducesSideBySide) {
  std::string text;
  for (int i = 0; i < 20; ++i) absl::StrAppend(&text, "push ", 20 + i, "\npop\n");
  const auto c = Parsed(text + "push 150\npush 160\nadd\npop\n");
  SubjectTest test(family, Options(2));
  MinimizeOptions options;
  options.seconds = 1e9;
  const Minimized result = Minimize(family, c, "", test, options);
  EXPECT_TRUE(result.finished);
  EXPECT_EQ(family.Print(*result.smallest), "push 101\npush 101\nadd\n");
  EXPECT_EQ(test.crashed() + test.timed_out(), 0u);
}

TEST(SubjectTest, SurvivesDeathAndHanging) {
  const auto good = Parsed("push 150\npush 160\nadd\n"), dies = Parsed("push 13\n"), hangs = Parsed("push 66\n");
  SubjectTestOptions options = Options(3);
  options.timeout = 0.5;
  SubjectTest test(family, options);
  const Case* all[] = {&dies, &good, &hangs};
  EXPECT_EQ(test.Ask(all), (std::vector<bool>{false, true, false}));
  EXPECT_EQ(test.crashed(), 1u);
  EXPECT_EQ(test.timed_out(), 1u);
  const Case* again[] = {&good, &good, &good};
  EXPECT_EQ(test.Ask(again), (std::vector<bool>{true, true, true})) << "others are in their places";
  EXPECT_TRUE(test.StartAfresh());
  EXPECT_EQ(test.Ask(again), (std::vector<bool>{true, true, true}));
}

TEST(SubjectTest, StopsWhenToldTo) {
  SubjectTestOptions options = Options(1);
  options.timeout = 1000;
  options.stop = [] { return true; };
  SubjectTest test(family, options);
  const auto hangs = Parsed("push 66\n");
  const Case* one = &hangs;
  EXPECT_EQ(test.Ask(std::span(&one, 1)), std::vector<bool>{false});
  EXPECT_EQ(test.timed_out(), 0u);
}

}  // namespace
}  // namespace oomph
