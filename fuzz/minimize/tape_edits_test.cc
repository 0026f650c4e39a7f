// Tests of the edits of tapes: what each makes of the bytes.
#include "fuzz/minimize/tape_edits.h"

#include <gtest/gtest.h>

#include <vector>

#include "fuzz/testing/toy_family.h"

namespace oomph {
namespace {

const Tape kTape = {"abcdef", {{0, 2}, {2, 3}, {3, 6}}};

TEST(TapeEdits, StretchesGoOrAreZero) {
  EXPECT_EQ(EditTape(0, kTape, std::vector<uint64_t>{1, 0, 0}), "abc");  // last first
  EXPECT_EQ(EditTape(0, kTape, std::vector<uint64_t>{0, 1, 1}), "def");
  EXPECT_EQ(EditTape(1, kTape, std::vector<uint64_t>{0, 1, 0}), std::string("ab\0def", 6));
  EXPECT_EQ(EditTape(2, kTape, std::vector<uint64_t>{1, 0, 0, 0, 0, 'f'}), std::string("`bcde\0", 6));
}

TEST(TapeEdits, EveryEditOfARecordedTapeIsAnotherTape) {
  const Family& family = toy::Toy();
  const DecodeTape decode = [&](const std::string& bytes, Case& into) {
    return RecordTape(family, Choices::FromTape(bytes), {}, into);
  };
  CaseOf<toy::Program> c;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Tape tape = RecordTape(family, Choices::FromSeed(seed, true), {}, c);
    for (size_t r = 0; r < TapeReductions().size(); ++r) {
      const auto edits = TapeEditsOf(r, tape, decode);
      if (edits == nullptr) continue;
      for (size_t i = 0; i < edits->most().size(); ++i) {
        std::vector<uint64_t> amounts(edits->most().size());
        amounts[i] = edits->most()[i];
        ASSERT_GT(amounts[i], 0u);
        EXPECT_TRUE(edits->Apply(amounts, c));
        EXPECT_NE(EditTape(r, tape, amounts), tape.bytes);
      }
    }
  }
}

}  // namespace
}  // namespace oomph
