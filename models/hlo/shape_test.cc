// Shapes: their text form both ways, interning, and what is refused.
#include "models/hlo/shape.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "models/hlo/text.h"

namespace oomph::hlo {
namespace {

constexpr const char* kCanonical[] = {
    "f32[]",
    "pred[3]",
    "f32[2,3]{1,0}",
    "bf16[16,1280,40]{1,2,0:T(8,128)(2,1)}",
    "s32[<=4096]{0:T(8)M(1024)}",
    "f32[?,4]",
    "token[]",
    "opaque[]",
    "()",
    "(f32[], (s32[2]{0}, token[]), u8[])",
    "b(f32[4]{0})",
    "f32[]{:T(256)S(6)}",
    "s4[64,128]{1,0:T(64,128)(8,1)E(4)}",
    "f32[3]{0:T(*,8)L(2)#(u32)*(u8)E(4)S(1)SC(0:2)M(8)}",
    "f32[8,8]{1,0:SC(0:2,4)(1:3)}",
    "f32[8]{0:D(C)}",
    "f32[8,8]{1,0:D(D,C+~)T(2,2)}",
    "f32[8]{0:P(s8[4]{0})}",
    "f8e4m3b11fnuz[0]",
    "c128[9223372036854775807]",
    "(s8[], s8[], s8[], s8[], s8[], /*index=5*/s8[], s8[])",
};

TEST(ShapeTest, TextGoesThereAndBack) {
  ShapeTable shapes;
  for (const char* text : kCanonical) {
    const absl::StatusOr<ShapeId> shape = ParseShape(text, shapes);
    ASSERT_TRUE(shape.ok()) << shape.status();
    EXPECT_EQ(PrintShape(shapes, *shape), text);
  }
}

TEST(ShapeTest, EveryTypeHasItsName) {
  for (size_t i = 0; i < kTypes; ++i) {
    const Type type = static_cast<Type>(i);
    EXPECT_EQ(TypeNamed(RowOf(type).name) == type,
              IsArrayType(type) || type == Type::kToken || type == Type::kOpaque || type == Type::kNone);
  }
  EXPECT_EQ(RowOf(Type::kBf16).name, "bf16");
  EXPECT_EQ(RowOf(Type::kF8e8m0fnu).name, "f8e8m0fnu");
  EXPECT_EQ(RowOf(Type::kC128).bytes, 16);
  EXPECT_EQ(TypeNamed("tuple"), Type::kNone);
  EXPECT_EQ(TypeNamed("f31"), Type::kNone);
}

// Blanks, comments, and the order of properties do not matter.
TEST(ShapeTest, OtherWaysToWriteTheSame) {
  ShapeTable shapes;
  const auto id = [&](const char* text) { return ParseShape(text, shapes).value_or(UINT32_MAX); };
  EXPECT_EQ(id("f32[2, 3] {1, 0}"), id("f32[2,3]{1,0}"));
  EXPECT_EQ(id("f32[2,/* rows */3]{1,0}"), id("f32[2,3]{1,0}"));
  EXPECT_EQ(id("(f32[],/*index=9*/ s8[])"), id("(f32[], s8[])"));
  EXPECT_EQ(id("f32[2]{0:S(1)T(8)}"), id("f32[2]{0:T(8)S(1)}"));
  EXPECT_EQ(id("f32[2]{0:S(0)E(0)L(1)M(0)}"), id("f32[2]{0}"));
  EXPECT_EQ(id("f32[]{:}"), id("f32[]"));
}

TEST(ShapeTest, EachPartMakesAnotherShape) {
  ShapeTable shapes;
  std::vector<ShapeId> ids;
  for (const char* text : {"f32[8]",
                           "f32[<=8]",
                           "f32[?]",
                           "f32[9]",
                           "s32[8]",
                           "f32[8]{0}",
                           "f32[8]{0:T(8)}",
                           "f32[8]{0:T(4)}",
                           "f32[8]{0:T(8)(2)}",
                           "f32[8]{0:L(2)}",
                           "f32[8]{0:#(u32)}",
                           "f32[8]{0:*(u32)}",
                           "f32[8]{0:E(16)}",
                           "f32[8]{0:S(1)}",
                           "f32[8]{0:SC(0:4)}",
                           "f32[8]{0:SC(0:5)}",
                           "f32[8]{0:P(f32[4])}",
                           "f32[8]{0:M(8)}",
                           "f32[8]{0:D(C)}",
                           "(f32[8])",
                           "((f32[8]))",
                           "b(f32[8])",
                           "()",
                           "f32[]",
                           "f32[8,1]",
                           "f32[1,8]",
                           "f32[1,8]{1,0}",
                           "f32[1,8]{0,1}"}) {
    const absl::StatusOr<ShapeId> id = ParseShape(text, shapes);
    ASSERT_TRUE(id.ok()) << id.status();
    EXPECT_EQ(std::count(ids.begin(), ids.end(), *id), 0) << text;
    EXPECT_EQ(*ParseShape(text, shapes), *id);
    ids.push_back(*id);
  }
}

TEST(ShapeTest, WhatAShapeIsMadeOf) {
  ShapeTable shapes;
  const ShapeId id = *ParseShape("(f32[2,<=3]{0,1:T(8,128)E(4)S(1)}, s8[])", shapes);
  ASSERT_EQ(shapes.Elements(id).size(), 2u);
  const ShapeId array = shapes.Elements(id)[0];
  ASSERT_EQ(shapes.Dimensions(array).size(), 2u);
  EXPECT_EQ(shapes.Dimensions(array)[0], (Dimension{2, Extent::kStatic}));
  EXPECT_EQ(shapes.Dimensions(array)[1], (Dimension{3, Extent::kBounded}));
  const Layout* layout = shapes.LayoutOf(array);
  ASSERT_NE(layout, nullptr);
  EXPECT_EQ(layout->minor_to_major, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(layout->tiles, (std::vector<std::vector<int64_t>>{{8, 128}}));
  EXPECT_EQ(layout->element_bits, 4);
  EXPECT_EQ(layout->memory_space, 1);
  EXPECT_EQ(shapes.LayoutOf(shapes.Elements(id)[1]), nullptr);
  EXPECT_EQ(PrintShape(shapes, shapes.WithoutLayout(id)), "(f32[2,<=3], s8[])");
}

TEST(ShapeTest, ShapesOfTwoTablesAreMapped) {
  ShapeTable a, b;
  for (const char* text : kCanonical) ASSERT_TRUE(ParseShape(text, a).ok());
  for (size_t i = std::size(kCanonical); i-- > 0;) ASSERT_TRUE(ParseShape(kCanonical[i], b).ok());
  const ShapeId alone = *ParseShape("f32[77]", a);
  const std::vector<std::optional<ShapeId>> map = MapShapes(a, b);
  for (const char* text : kCanonical) EXPECT_EQ(map[*ParseShape(text, a)], *ParseShape(text, b)) << text;
  EXPECT_FALSE(map[alone].has_value());
}

struct Refused {
  const char* text;
  const char* message;
};
constexpr Refused kRefused[] = {
    {"", "shape:1:1: expected a shape, found the end of the text"},
    {"f31[2]", "shape:1:1: expected a shape, found 'f31'"},
    {"f32", "shape:1:4: expected '[', found the end of the text"},
    {"f32[2", "shape:1:6: expected ']'"},
    {"f32[-2]", "shape:1:5: expected an integer of at least 0, found '-2'"},
    {"f32[9223372036854775808]", "shape:1:5: expected an integer of 64 bits"},
    {"f32[2]{1,0}", "shape:1:8: the shape has 1 dimensions, its layout 2"},
    {"f32[2]{0:X(1)}", "shape:1:10: expected a property of a layout"},
    {"f32[2]{0:T}", "expected '('"},
    {"f32[2]{0:#(foo)}", "expected a type such as u32"},
    {"f32[2]{0:L(0)}", "expected an integer of at least 1"},
    {"token[2]", "token has no dimensions"},
    {"(f32[2]", "shape:1:1: expected a bracket that is closed"},
    {"(f32[2] s8[])", "shape:1:9: expected ')', found 's8'"},
    {"f32[2] /* x", "expected a comment that is closed"},
    {"f32[2]x", "shape:1:7: expected the end of the shape"},
};

TEST(ShapeTest, Refusals) {
  for (const Refused& row : kRefused) {
    ShapeTable shapes;
    const absl::StatusOr<ShapeId> shape = ParseShape(row.text, shapes);
    ASSERT_FALSE(shape.ok()) << row.text;
    EXPECT_NE(shape.status().message().find(row.message), absl::string_view::npos)
        << row.text << ": " << shape.status();
  }
}

TEST(ShapeTest, DepthHasALimit) {
  const auto nested = [](size_t levels) {
    return std::string(levels, '(') + "f32[]" + std::string(levels, ')');
  };
  ShapeTable shapes;
  EXPECT_TRUE(ParseShape(nested(kMaxShapeDepth), shapes).ok());
  const absl::StatusOr<ShapeId> deep = ParseShape(nested(100'000), shapes);
  ASSERT_FALSE(deep.ok());
  EXPECT_NE(deep.status().message().find("shape:1:102: shapes are nested deeper than 100"),
            absl::string_view::npos)
      << deep.status();
}

}  // namespace
}  // namespace oomph::hlo
