// The texts of attributes and types, taken apart.
#include "models/mlir/values.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace oomph::mlir {
namespace {

using Parts = std::vector<std::string_view>;
using Numbers = std::vector<int64_t>;

TEST(MlirValuesTest, Lists) {
  EXPECT_EQ(Elements("[a, [b, c], \"d,]\"]"), (Parts{"a", "[b, c]", "\"d,]\""}));
  EXPECT_EQ(Elements("{f = (i32) -> i32, g}"), (Parts{"f = (i32) -> i32", "g"}));
  EXPECT_EQ(Elements("()"), Parts());
  EXPECT_EQ(Elements("(a"), std::nullopt);
  EXPECT_EQ(Elements("[a}"), std::nullopt);
  EXPECT_EQ(Elements(""), std::nullopt);
  EXPECT_EQ(Elements("[a] b"), std::nullopt);
  EXPECT_EQ(Entry("{a = 1, b = @f, \"c d\" = [2], e}", "b"), "@f");
  EXPECT_EQ(Entry("{a = 1, \"c d\" = [2], e}", "c d"), "[2]");
  EXPECT_EQ(Entry("{a = 1, e}", "e"), "");
  EXPECT_EQ(Entry("{a = 1}", "b"), std::nullopt);
}

TEST(MlirValuesTest, Numbers) {
  EXPECT_EQ(Integer("12"), 12);
  EXPECT_EQ(Integer("-3 : i64"), -3);
  EXPECT_EQ(Integer("-9223372036854775808 : i64"), INT64_MIN);
  EXPECT_EQ(Integer("0x10 : index"), 16);
  EXPECT_EQ(Integer("true"), 1);
  EXPECT_EQ(Integer("9223372036854775808"), std::nullopt);
  EXPECT_EQ(Integer("1.5"), std::nullopt);
  EXPECT_EQ(Integer(""), std::nullopt);
  EXPECT_EQ(Integers("array<i64: 32, -16>"), (Numbers{32, -16}));
  EXPECT_EQ(Integers("array<i64>"), Numbers());
  EXPECT_EQ(Integers("[1 : i64, 2]"), (Numbers{1, 2}));
  EXPECT_EQ(Integers("dense<[1, 2]> : tensor<2xi64>"), (Numbers{1, 2}));
  EXPECT_EQ(Integers("array<i64: x>"), std::nullopt);
  EXPECT_EQ(Integers("array<"), std::nullopt);
  EXPECT_EQ(Integers("7"), std::nullopt);
}

TEST(MlirValuesTest, NamesAndTypes) {
  EXPECT_EQ(Symbol("@transform_0"), "transform_0");
  EXPECT_EQ(Symbol("@\"a b\""), "a b");
  EXPECT_EQ(Symbol("transform_0"), std::nullopt);
  const auto space = ReadNamed("#tpu.memory_space<vmem>");
  ASSERT_TRUE(space.has_value());
  EXPECT_EQ(space->name, "tpu.memory_space");
  EXPECT_EQ(space->body, "vmem");
  EXPECT_EQ(ReadNamed("#tpu.memory_space<vmem"), std::nullopt);
  EXPECT_EQ(ReadNamed("vmem"), std::nullopt);
  const auto shaped = ReadShaped("memref<8x?x4xf32, strided<[1, ?], offset: ?>, #tpu.memory_space<vmem>>");
  ASSERT_TRUE(shaped.has_value());
  EXPECT_EQ(shaped->kind, "memref");
  EXPECT_EQ(shaped->sizes, (Numbers{8, -1, 4}));
  EXPECT_EQ(shaped->element, "f32");
  EXPECT_EQ(shaped->rest, (Parts{"strided<[1, ?], offset: ?>", "#tpu.memory_space<vmem>"}));
  EXPECT_EQ(ReadShaped("vector<[4]xi1>")->sizes, Numbers{4});
  EXPECT_EQ(ReadShaped("memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>")->element, "!tpu.dma_semaphore");
  EXPECT_EQ(ReadShaped("memref<index>")->element, "index");
  EXPECT_EQ(ReadShaped("i32"), std::nullopt);
  EXPECT_EQ(ReadShaped("memref<8x>"), std::nullopt);
  EXPECT_EQ(ReadShaped("memref<*xf32>")->element, "*xf32");
  const auto function = ReadFunction("(i32, (i32) -> i32) -> (f32, f32)");
  ASSERT_TRUE(function.has_value());
  EXPECT_EQ(function->operands, (Parts{"i32", "(i32) -> i32"}));
  EXPECT_EQ(function->results, (Parts{"f32", "f32"}));
  EXPECT_EQ(ReadFunction("() -> !a.b<c>")->results, Parts{"!a.b<c>"});
  EXPECT_EQ(ReadFunction("i32"), std::nullopt);
}

TEST(MlirValuesTest, BracketsThatAreNot) {
  EXPECT_EQ(EndOfBrackets("<(d0) -> (d0 >= 1)> x", 0), 19u);
  EXPECT_EQ(EndOfBrackets("(a]", 0), 0u);
  EXPECT_EQ(FindOutside("a(b,c),d", ","), 6u);
  EXPECT_EQ(FindOutside("a(b,c", ","), 5u);
  EXPECT_EQ(FindOutside("\"a,\",b", ","), 4u);
}

}  // namespace
}  // namespace oomph::mlir
