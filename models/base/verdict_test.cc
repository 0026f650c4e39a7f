// Verdicts: which of several reasons is told, and what a signature is made of.
// Not for: who collects reasons (see fuzz/judge_test.cc).
#include "models/base/verdict.h"

#include <set>
#include <string>

#include "gtest/gtest.h"

namespace oomph {
namespace {

TEST(VerdictTest, ASignatureNamesFamilyOracleSubjectAndDetail) {
  EXPECT_EQ(Signature("hbm", "bfc", {"aligned", "allocate", 7, "offset 8 at step 7"}),
            "hbm/aligned/bfc/allocate");
}

TEST(VerdictTest, NoReasonIsAgreement) {
  const Verdict verdict = MakeVerdict("hbm", "model", Reasons());
  EXPECT_EQ(verdict.kind, VerdictKind::kAgree);
  EXPECT_FALSE(verdict.found());
  EXPECT_EQ(verdict.signature, "");
  EXPECT_TRUE(verdict.all.empty());
}

TEST(VerdictTest, TheEarliestStepIsTold) {
  Reasons reasons;
  reasons.Add("late", "x", 5, "at five");
  reasons.Add("early", "y", 2, "at two");
  reasons.Add("later", "z", 5, "at five too");
  const Verdict verdict = MakeVerdict("hbm", "model", reasons);
  EXPECT_TRUE(verdict.found());
  EXPECT_EQ(verdict.signature, "hbm/early/model/y");
  EXPECT_EQ(verdict.text, "at two");
  EXPECT_EQ(verdict.step, 2u);
  ASSERT_EQ(verdict.all.size(), 1u);
}

TEST(VerdictTest, OfOneStepTheFirstReasonSignsAndAllAreKept) {
  Reasons reasons;
  reasons.Add("first", "x", 3, "one");
  reasons.Add("second", "y", 3, "two");
  const Verdict verdict = MakeVerdict("hbm", "model", reasons);
  EXPECT_EQ(verdict.signature, "hbm/first/model/x");
  ASSERT_EQ(verdict.all.size(), 2u);
  EXPECT_EQ(verdict.all[1].oracle, "second");
}

TEST(VerdictTest, IncomparableIsNoFindingAndGivesItsCause) {
  Reasons reasons;
  reasons.Add(kIncomparable, "unpublished_fit", 1, "two holes would do");
  const Verdict verdict = MakeVerdict("hbm", "bfc", reasons);
  EXPECT_EQ(verdict.kind, VerdictKind::kIncomparable);
  EXPECT_FALSE(verdict.found());
  EXPECT_EQ(verdict.text, "unpublished_fit");
  EXPECT_EQ(verdict.signature, "");
}

TEST(VerdictTest, AFindingBeforeIsStillOne) {
  Reasons reasons;
  reasons.Add(kIncomparable, "unpublished_fit", 4, "");
  reasons.Add("aligned", "allocate", 3, "odd");
  EXPECT_EQ(MakeVerdict("hbm", "bfc", reasons).signature, "hbm/aligned/bfc/allocate");
}

TEST(VerdictTest, ReasonsCanBeUsedAgain) {
  Reasons reasons;
  EXPECT_TRUE(reasons.empty());
  reasons.Add("aligned", "allocate", 3, "odd");
  EXPECT_FALSE(reasons.empty());
  reasons.clear();
  EXPECT_TRUE(reasons.empty());
  EXPECT_EQ(reasons.list().size(), 0u);
}

TEST(SignatureWord, KeepsPlainOnesAndDoesNotMakeTwoOne) {
  EXPECT_EQ(SignatureWord("custom-call:OomphAlloc"), "custom-call:OomphAlloc");
  std::set<std::string> words;
  const std::string longest(80, 'a'), longer(81, 'a'), longer_still(82, 'a');
  for (const std::string& text : {std::string("a b"), std::string("a/b"), std::string("a_b"), std::string("a\nb"),
                                  std::string("a\xff\0b", 4), longest, longer, longer_still, std::string(1 << 20, '/')}) {
    const std::string word = SignatureWord(text);
    EXPECT_LE(word.size(), 80u);
    for (const char c : word) EXPECT_TRUE(c > ' ' && c <= '~' && c != '/') << word;
    EXPECT_TRUE(words.insert(word).second) << word;
  }
  EXPECT_EQ(SignatureWord(longest), longest);
}

}  // namespace
}  // namespace oomph
