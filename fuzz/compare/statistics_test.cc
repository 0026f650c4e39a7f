// Tests of the statistics by known values.
#include "fuzz/compare/statistics.h"

#include "gtest/gtest.h"

namespace oomph {
namespace {

TEST(SignTest, KnowsTheBinomial) {
  EXPECT_DOUBLE_EQ(SignTest(0, 0), 1);
  EXPECT_DOUBLE_EQ(SignTest(1, 0), 1);
  EXPECT_NEAR(SignTest(5, 0), 2.0 / 32, 1e-12);
  EXPECT_NEAR(SignTest(8, 2), 2 * (1 + 10 + 45) / 1024.0, 1e-12);
  EXPECT_NEAR(SignTest(2, 8), SignTest(8, 2), 1e-12);
  EXPECT_DOUBLE_EQ(SignTest(5, 5), 1);
}

TEST(SignTest, SurvivesManyCases) {
  EXPECT_LT(SignTest(600'000, 400'000), 1e-300);
  EXPECT_GT(SignTest(500'100, 499'900), 0.8);
  EXPECT_NEAR(SignTest(5'100, 4'900), 0.0466, 0.001);  // 2 sigma less the continuity
}

TEST(Quantile, LiesBetweenNeighbours) {
  EXPECT_EQ(Quantile({}, 0.5), 0);
  EXPECT_EQ(Quantile({3}, 0.9), 3);
  EXPECT_EQ(Quantile({4, 1, 3, 2}, 0.5), 2.5);
  EXPECT_EQ(Quantile({4, 1, 3, 2}, 1), 4);
}

TEST(ConfidenceOfRange, IsThatOfCoins) {
  EXPECT_EQ(ConfidenceOfRange(0), 0);
  EXPECT_EQ(ConfidenceOfRange(1), 0);
  EXPECT_DOUBLE_EQ(ConfidenceOfRange(10), 1 - 1.0 / 512);
}

}  // namespace
}  // namespace oomph
