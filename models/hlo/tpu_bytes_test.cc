// The bytes of shapes against what the TPU compiler said of them.
#include "models/hlo/tpu_bytes.h"

#include <string>

#include "gtest/gtest.h"
#include "models/hlo/text.h"

namespace oomph::hlo {
namespace {

// Shapes and what libtpu 0.0.52 said of them in its buffer assignments.
TEST(TpuBytes, AreThoseOfTheCompiler) {
  struct Row {
    const char* shape;
    uint64_t bytes;
  };
  for (const Row& row :
       {Row{"f32[128,3]{1,0:T(8,128)}", 65536}, Row{"f32[137,115]{1,0}", 73728}, Row{"bf16[11,63]{1,0:S(1)}", 4096},
        Row{"bf16[1,128,2,128]{3,2,1,0}", 262144}, Row{"s8[19,17]{1,0}", 3072}, Row{"s32[32,1]{0,1}", 4096},
        Row{"f32[]", 4096}, Row{"pred[]{:S(6)}", 1024}, Row{"s32[150]{0}", 4096}, Row{"f64[]", 8192},
        Row{"f32[<=4194304]{0:T(1024)}", 16778240}, Row{"s32[2,<=2,2]{2,0,1}", 9216}, Row{"s32[]{:T(128)S(2)}", 4},
        Row{"u32[]{:S(2)}", 4}, Row{"u32[]{:S(8)}", 4}, Row{"s32[12]{0:S(8)}", 48}, Row{"s32[2]{0:S(10)}", 8},
        Row{"(f32[4]{0}, f32[4]{0})", 512}, Row{"()", 0}}) {
    ShapeTable shapes;
    const auto shape = ParseShape(row.shape, shapes);
    ASSERT_TRUE(shape.ok()) << row.shape;
    const auto bytes = TpuBytes(shapes, *shape);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    EXPECT_EQ(*bytes, row.bytes) << row.shape;
  }
  EXPECT_EQ(TpuTableBytes(128), 512u);
  EXPECT_EQ(TpuTableBytes(314), 1536u);
  EXPECT_EQ(TpuTableBytes(9, TableGranule(*FindChip("v6e"))), 64u);
  EXPECT_EQ(TpuTableBytes(9, TableGranule(*FindChip("v5e"))), 512u);
}

TEST(TpuBytes, WhatHasNoSizeTakesAllMemory) {
  ShapeTable shapes;
  const ShapeId shape = *ParseShape("f32[?]", shapes);
  EXPECT_FALSE(TpuBytes(shapes, shape).ok());
  EXPECT_EQ(TpuArrayBytes(shapes, shape), UINT64_MAX);
}

}  // namespace
}  // namespace oomph::hlo
