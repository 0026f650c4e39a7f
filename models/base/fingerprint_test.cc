// Tests of fingerprints: stable figures, and that the cut of the pieces counts.
#include "models/base/fingerprint.h"

#include <gtest/gtest.h>

namespace oomph {
namespace {

Fingerprint OfPieces(std::initializer_list<std::string_view> pieces) {
  Fingerprinter f;
  for (const std::string_view piece : pieces) f.Add(piece);
  return f.Get();
}

TEST(Fingerprint, OfATextIsThatOfXxh3) {
  EXPECT_EQ(FingerprintOfText(""), Fingerprint(0x6001c324468d497f, 0x99aa06d3014798d8));  // its published test vector
  EXPECT_NE(FingerprintOfText("a"), FingerprintOfText("b"));
}

TEST(Fingerprint, TheCutOfThePiecesCounts) {
  EXPECT_EQ(OfPieces({"ab", "c"}), OfPieces({"ab", "c"}));
  EXPECT_NE(OfPieces({"ab", "c"}), OfPieces({"a", "bc"}));
  EXPECT_NE(OfPieces({""}), OfPieces({}));
}

TEST(Fingerprint, NumbersCount) {
  Fingerprinter a, b, c;
  a.Add(1), a.Add(2);
  b.Add(2), b.Add(1);
  c.Add(1), c.Add(2);
  EXPECT_EQ(a.Get(), c.Get());
  EXPECT_NE(a.Get(), b.Get());
}

}  // namespace
}  // namespace oomph
