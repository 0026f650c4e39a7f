// Contents: what is written is found again, and one changed byte is seen.
// Not for: when the driver looks (see driver_test.cc).
#include "subjects/plugin/contents.h"

#include <gtest/gtest.h>

#include <vector>

namespace oomph::hbm {
namespace {

TEST(ContentsTest, EveryChangedByteIsSeen) {
  for (uint64_t size : {0, 1, 7, 8, 9, 63, 64, 65}) {
    std::vector<unsigned char> block(size + 1, 0x5A);
    WriteContents(block.data(), size, ContentsSeed(3, 64));
    EXPECT_EQ(block[size], 0x5A) << "written beyond the end of " << size;
    EXPECT_EQ(FirstChangedByte(block.data(), size, size, ContentsSeed(3, 64)), std::nullopt);
    for (uint64_t at = 0; at < size; ++at) {
      block[at] ^= 0x80;
      EXPECT_EQ(FirstChangedByte(block.data(), size, size, ContentsSeed(3, 64)), at);
      EXPECT_EQ(FirstChangedByte(block.data(), size, at, ContentsSeed(3, 64)), std::nullopt);
      block[at] ^= 0x80;
    }
  }
}

TEST(ContentsTest, DiffersByNameAndOffset) {
  EXPECT_NE(ContentsSeed(1, 0), ContentsSeed(2, 0));
  EXPECT_NE(ContentsSeed(1, 0), ContentsSeed(1, 64));
}

TEST(ContentsTest, LargeBlockIsWrittenAtBothEnds) {
  const uint64_t size = 3 * kWholeBytes + 5;
  std::vector<unsigned char> block(size, 0);
  WriteContents(block.data(), size, 42);
  EXPECT_EQ(block[size / 2], 0);
  EXPECT_EQ(FirstChangedByte(block.data(), size, size, 42), std::nullopt);
  block[size - 1] ^= 1;
  EXPECT_EQ(FirstChangedByte(block.data(), size, size, 42), size - 1);
  EXPECT_EQ(FirstChangedByte(block.data(), size, size - 1, 42), std::nullopt);
  block[0] ^= 1;
  EXPECT_EQ(FirstChangedByte(block.data(), size, size, 42), 0u);
}

}  // namespace
}  // namespace oomph::hbm
