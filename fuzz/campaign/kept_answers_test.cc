// What is kept of a subject's answers, and when it is asked again. Not for: the store (store_test.cc).
#include "fuzz/campaign/kept_answers.h"

#include <memory>
#include <string>

#include "fuzz/testing/toy_family.h"
#include "gtest/gtest.h"

namespace oomph {
namespace {

using toy::ToyFamily;

// Answers with as many rows as it was asked before; on an empty program it dies.
class Counting final : public Subject {
 public:
  Counting(const Family& family, const std::string& version, int& asked) : asked_(asked) {
    info_.family = &family;
    info_.version = version;
    info_.keeps_answers = true;
  }
  const SubjectInfo& info() const override { return info_; }
  void Run(const Case& c, Outcome& outcome) override {
    ++asked_;
    dead_ = ToyFamily::Of(c).empty();
    ToyFamily::Of(outcome).assign(static_cast<size_t>(asked_), toy::Row{});
  }
  bool IsAnswer(const Outcome&) const override { return !dead_; }

 private:
  SubjectInfo info_;
  int& asked_;
  bool dead_ = false;
};

class KeptAnswersTest : public testing::Test {
 protected:
  size_t Ask(KeptAnswers& subject, const std::string& text) {
    const auto c = family_.NewCase();
    EXPECT_TRUE(family_.Parse("case", text, *c).ok());
    const auto outcome = family_.NewOutcome();
    subject.Run(*c, *outcome);
    return ToyFamily::Of(*outcome).size();
  }
  KeptAnswers Of(const std::string& version, const std::vector<AnswerRecord>& known = {}) {
    return KeptAnswers(std::make_unique<Counting>(family_, version, asked_), known);
  }
  const ToyFamily family_;
  int asked_ = 0;
};

TEST_F(KeptAnswersTest, EachCaseIsAskedOnce) {
  KeptAnswers subject = Of("1");
  EXPECT_EQ(Ask(subject, "push 1\n"), 1u);
  EXPECT_EQ(Ask(subject, "push 2\n"), 2u);
  EXPECT_EQ(Ask(subject, "push 1\n"), 1u);
  EXPECT_EQ(asked_, 2);
  const auto taken = subject.TakeNew();
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_EQ(taken[0].version, "1");
  EXPECT_NE(taken[0].key, taken[1].key);
  EXPECT_TRUE(subject.TakeNew().empty());

  KeptAnswers later = Of("1", taken);
  EXPECT_EQ(Ask(later, "push 2\n"), 2u);
  EXPECT_EQ(asked_, 2);
  EXPECT_TRUE(later.TakeNew().empty());
}

TEST_F(KeptAnswersTest, AnotherVersionIsAskedAgain) {
  KeptAnswers subject = Of("1");
  Ask(subject, "push 1\n");
  KeptAnswers newer = Of("2", subject.TakeNew());
  Ask(newer, "push 1\n");
  EXPECT_EQ(asked_, 2);
}

TEST_F(KeptAnswersTest, ADeathIsNoAnswer) {
  KeptAnswers subject = Of("1");
  Ask(subject, "");
  Ask(subject, "");
  EXPECT_EQ(asked_, 2);
  EXPECT_TRUE(subject.TakeNew().empty());
}

TEST_F(KeptAnswersTest, BytesThatMeanNothingAreAskedAgain) {
  KeptAnswers subject = Of("1");
  Ask(subject, "push 1\n");
  auto taken = subject.TakeNew();
  taken[0].bytes = "x";
  KeptAnswers later = Of("1", taken);
  Ask(later, "push 1\n");
  EXPECT_EQ(asked_, 2);
}

}  // namespace
}  // namespace oomph
