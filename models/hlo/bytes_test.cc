// Sizes of shapes against every worked number that documents, messages and compilers give, and the edges.
#include "models/hlo/bytes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <string>

#include "models/hlo/text.h"
#include "models/message/number.h"

namespace oomph::hlo {
namespace {

uint64_t Padded(const std::string& text) {
  ShapeTable shapes;
  const absl::StatusOr<ShapeId> shape = ParseShape(text, shapes);
  EXPECT_TRUE(shape.ok()) << shape.status();
  if (!shape.ok()) return UINT64_MAX;
  const absl::StatusOr<uint64_t> bytes = PaddedBytes(shapes, *shape);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return bytes.value_or(UINT64_MAX);
}

uint64_t Unpadded(const std::string& text) {
  ShapeTable shapes;
  const absl::StatusOr<ShapeId> shape = ParseShape(text, shapes);
  EXPECT_TRUE(shape.ok()) << shape.status();
  if (!shape.ok()) return UINT64_MAX;
  return UnpaddedBytes(shapes, *shape).value_or(UINT64_MAX);
}

std::string WhyNoSize(const std::string& text) {
  ShapeTable shapes;
  const absl::StatusOr<ShapeId> shape = ParseShape(text, shapes);
  EXPECT_TRUE(shape.ok()) << shape.status();
  if (!shape.ok()) return "";
  return std::string(PaddedBytes(shapes, *shape).status().message());
}

// Sizes that a source gives in bytes.
struct Exact {
  const char* shape;
  uint64_t bytes;
};
constexpr Exact kExact[] = {
    // E0102: the size that the executable expected, and that of the buffer it got.
    {"bf16[16,1280,40]{2,1,0:T(8,128)(2,1)}", 5242880},
    {"bf16[16,1280,40]{1,2,0:T(8,128)(2,1)}", 1638400},
    // Scalars and short rows take whole tiles; the tiles that real dumps give to scalars and vectors.
    {"f32[]{:T(128)}", 512},
    {"f32[]{:T(256)}", 1024},
    {"bf16[]{:T(512)}", 1024},
    {"bf16[]{:T(256)}", 512},
    {"pred[]{:T(512)}", 512},
    {"pred[]{:T(1024)}", 1024},
    {"f32[1024]{0:T(1024)}", 4096},
    {"f32[128,3]{1,0:T(8,128)}", 65536},
    // "Allocation (size=…) would exceed memory" with the shape beside it.
    {"u8[327680,327680]{1,0:T(8,128)(4,1)}", 107374182400},
    {"f32[320,4096,4096]{1,2,0:T(8,128)}", 21474836480},
    {"f32[4,32,8192,8192]", 34359738368},
    {"u8[3758096384]{0}", 3758096384},
    {"bf16[64,7168,4096]", 3758096384},  // the window that those bytes are for
    {"u8[134217728]{0}", 134217728},
    // "allocation_size_words <= int32_max", in words of 64 bytes.
    {"bf16[58,64,4096,7168]", 3405774848 * 64},
    {"f32[37,64,4096,3840]", 2327838720 * 64},
    // Compiled for v5e: the default layout and the forced one, a dynamic array, a small layout.
    {"f32[16777216,2]{0,1:T(2,128)}", 134217728},
    {"f32[16777216,2]{1,0:T(8,128)}", 8589934592},
    {"f32[100,200]{0,1:T(8,128)}", 102400},
    {"f32[<=128,256]{1,0:T(8,128)M(1024)}", 132096},
    {"pred[9,128]{1,0:T(8,128)(4,1)}", 2048},
};
static_assert(std::size(kExact) == 23);

TEST(BytesTest, ExactSizes) {
  for (const Exact& row : kExact) EXPECT_EQ(Padded(row.shape), row.bytes) << row.shape;
}

// Sizes as messages print them: the padded and the unpadded one of the same buffer. Null where the message has only
// one. Where a message leaves the tiles out of the shape though it counts them, or cuts the layout off, they stand
// here as other messages of the same chip have them: f32[256,512,128,2], f32[32,128,32,64], f32[128,6] and
// bf16[3072,24576].
struct Printed {
  const char* shape;
  const char* padded;
  const char* unpadded;
};
constexpr Printed kPrinted[] = {
    {"f32[128,3]{1,0:T(8,128)}", "64.0K", "1.5K"},
    {"s32[8388608,8,4]{2,1,0:T(8,128)}", "32.00G", "1.00G"},
    {"f32[256,512,128,2]{3,2,1,0:T(8,128)}", "8.00G", "128.00M"},
    {"f32[32,128,32,64]{3,0,2,1:T(8,128)}", "64.00M", "32.00M"},
    {"bf16[2048,1,2048,128]{0,1,3,2:T(4,128)(2,1)}", "4.00G", "1.00G"},
    {"u32[12582912,1]{1,0:T(8,128)}", "6.00G", "48.00M"},
    {"f32[512,100,30000]{2,1,0:T(8,128)}", "5.97G", "5.72G"},
    {"bf16[256000,3072]{1,0:T(8,128)(2,1)}", "1.46G", "1.46G"},
    {"bf16[3072,24576]{1,0:T(8,128)(2,1)}", "144.00M", nullptr},
    {"f32[128,6]{1,0:T(8,128)}", "64.0K", "3.0K"},
    {"u8[4096]{0}", "4.0K", "4.0K"},
    {"bf16[8,2048,128]{2,1,0:T(16,128)(2,1)}", "4.00M", "4.00M"},
    {"bf16[8,2048,75968]", "2.32G", nullptr},
    {"f8e4m3fn[2,2048,9,4,256]", "36.00M", nullptr},
    {"f32[1024,245,64]{1,2,0:T(8,128)}", "64.00M", "61.25M"},
    {"bf16[2,32,32,1,2,128]{5,4,3,2,1,0:T(2,128)(2,1)}", "1.00M", "1.00M"},
    {"f32[32,4096,4096]{1,2,0:T(8,128)}", "2.00G", "2.00G"},
    {"s32[29360128,10]{1,0:T(8,128)}", "14.00G", "1.09G"},
    {"f32[128,256,896,18]{0,3,2,1:T(8,128)}", "2.62G", "1.97G"},
    {"f32[512,245,256]{2,1,0:T(8,128)}", "124.00M", "122.50M"},
};
static_assert(std::size(kPrinted) == 20);

TEST(BytesTest, SizesAsMessagesPrintThem) {
  for (const Printed& row : kPrinted) {
    EXPECT_EQ(FormatBytes(Padded(row.shape)), row.padded) << row.shape;
    if (row.unpadded != nullptr) {
      EXPECT_EQ(FormatBytes(Unpadded(row.shape)), row.unpadded) << row.shape;
    }
  }
}

// Not met, for the size in the message is not that of the shape beside it: what a kernel or a fusion allocates on the
// stack of its memory is named by the shape of its result.
struct OtherSize {
  const char* shape;
  const char* printed;
};
constexpr OtherSize kOtherSizes[] = {{"bf16[1,16,25344,80]", "37.22M"}};

TEST(BytesTest, AScopedAllocationIsNotItsResult) {
  for (const OtherSize& row : kOtherSizes) EXPECT_NE(FormatBytes(Padded(row.shape)), row.printed) << row.shape;
}

TEST(BytesTest, OnlyTheFirstTilePads) {
  EXPECT_EQ(Padded("bf16[9,128]{1,0:T(8,128)(2,1)}"), 16u * 128 * 2);
  EXPECT_EQ(Padded("bf16[9,128]{1,0:T(8,128)(5,7)}"), 16u * 128 * 2);
  EXPECT_EQ(Padded("f32[3]{0:T(8,128)}"), 8u * 128 * 4);  // one dimension under a tile of two
  EXPECT_EQ(Padded("f32[7,9,130]{2,1,0:T(8,128)}"), 7u * 16 * 256 * 4);
}

TEST(BytesTest, BitsAreCountedWhereTheLayoutSaysSo) {
  EXPECT_EQ(Padded("s4[3]"), 3u);
  EXPECT_EQ(Padded("s4[3]{0:E(4)}"), 2u);
  EXPECT_EQ(Padded("s4[64,128]{1,0:T(64,128)(8,1)E(4)}"), 4096u);
  EXPECT_EQ(Padded("u2[16,128]{1,0:T(16,128)(16,1)E(2)}"), 512u);
  EXPECT_EQ(Padded("pred[8]{0:E(1)}"), 1u);
  EXPECT_EQ(Padded("c128[2]"), 32u);
  EXPECT_EQ(Unpadded("s4[64,128]{1,0:T(64,128)(8,1)E(4)}"), 4096u);
}

TEST(BytesTest, TailAlignmentCountsElementsOfTiledArrays) {
  EXPECT_EQ(Padded("f32[100]{0:T(8)L(128)}"), 512u);
  EXPECT_EQ(Padded("f32[100]{0:L(128)}"), 400u);
}

TEST(BytesTest, ASplitDimensionCountsItsLargestPart) {
  EXPECT_EQ(Padded("f32[10,8]{1,0:SC(0:6)}"), 10u * 8 * 4);  // not tiled: the plain size
  EXPECT_EQ(Padded("f32[10,8]{1,0:T(8)SC(0:6)}"), 6u * 8 * 4);
  EXPECT_EQ(Padded("f32[10,8]{1,0:T(8)SC(0:2,5)}"), 5u * 8 * 4);
  EXPECT_EQ(Padded("f32[10,8]{1,0:T(8)SC(0:99)}"), 10u * 8 * 4);
}

TEST(BytesTest, TuplesAreSumsAndSpacesAreKeptApart) {
  EXPECT_EQ(Padded("(f32[2], (s8[3], token[]), opaque[])"), 11u);
  EXPECT_EQ(Padded("()"), 0u);
  EXPECT_EQ(Padded("b(f32[2])"), 8u);
  ShapeTable shapes;
  const ShapeId shape = *ParseShape("(f32[2]{0:S(1)}, (s8[3], f32[4]{0:S(1)}), u32[]{:S(2)})", shapes);
  const std::map<int64_t, uint64_t> expected = {{0, 3}, {1, 24}, {2, 4}};
  EXPECT_EQ(*PaddedBytesBySpace(shapes, shape), expected);
}

TEST(BytesTest, EmptyArraysTakeNothing) {
  EXPECT_EQ(Padded("f32[0]"), 0u);
  EXPECT_EQ(Padded("f32[0,5]{1,0:T(8,128)}"), 0u);
  EXPECT_EQ(Padded("f32[9223372036854775807,9223372036854775807,0]"), 0u);
}

TEST(BytesTest, WhatHasNoSizeSaysWhy) {
  EXPECT_EQ(Padded("u8[9223372036854775807]"), uint64_t{INT64_MAX});
  EXPECT_EQ(Padded("u16[9223372036854775807]"), uint64_t{INT64_MAX} * 2);
  EXPECT_NE(WhyNoSize("f32[9223372036854775807]").find("2^64 bytes"), std::string::npos);
  EXPECT_NE(WhyNoSize("s8[4294967296,4294967296]").find("2^64 bytes"), std::string::npos);
  EXPECT_NE(WhyNoSize("s4[9223372036854775807,2]{1,0:E(9223372036854775807)}").find("2^64"),
            std::string::npos);
  EXPECT_NE(WhyNoSize("s8[3]{0:T(9223372036854775807,9223372036854775807)}").find("2^64"), std::string::npos);
  EXPECT_NE(WhyNoSize("(u8[9223372036854775807], u16[9223372036854775807])").find("2^64"), std::string::npos);
  EXPECT_NE(WhyNoSize("f32[?,2]").find("without a bound"), std::string::npos);
  EXPECT_NE(WhyNoSize("f32[2,2]{0,0}").find("each dimension once"), std::string::npos);
  EXPECT_NE(WhyNoSize("f32[2,2]{5,0}").find("each dimension once"), std::string::npos);
  EXPECT_NE(WhyNoSize("f32[8]{0:T(0)}").find("tile of no elements"), std::string::npos);
  EXPECT_NE(WhyNoSize("f32[8,8]{1,0:T(*,8)}").find("not published"), std::string::npos);
}

// Eighty tuples, each twice the one before: 2^80 arrays, which nobody may visit one by one.
TEST(BytesTest, SharedTuplesAreSummedOnce) {
  ShapeTable shapes;
  const int64_t none[] = {0};
  ShapeId shape = shapes.AddArray(Type::kF32, none);
  for (int i = 0; i < 80; ++i) {
    const ShapeId twice[] = {shape, shape};
    shape = shapes.AddTuple(twice);
  }
  EXPECT_EQ(PaddedBytes(shapes, shape).value_or(1), 0u);
}

}  // namespace
}  // namespace oomph::hlo
