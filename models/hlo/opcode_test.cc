// The table of operations: order, names, short forms of async pairs.
#include "models/hlo/opcode.h"

#include <gtest/gtest.h>

#include <string>

namespace oomph::hlo {
namespace {

TEST(OpcodeTest, EachRowIsFoundByItsName) {
  for (size_t i = 0; i < kOpcodes; ++i) {
    const Opcode opcode = static_cast<Opcode>(i);
    EXPECT_EQ(OpcodeNamed(RowOf(opcode).name), (OpcodeName{opcode, opcode})) << RowOf(opcode).name;
    EXPECT_TRUE(i == 0 || RowOf(static_cast<Opcode>(i - 1)).name < RowOf(opcode).name);
  }
}

// A row out of place would give a neighbour's name.
TEST(OpcodeTest, TheTableIsInTheOrderOfTheEnum) {
  EXPECT_EQ(RowOf(Opcode::kAbs).name, "abs");
  EXPECT_EQ(RowOf(Opcode::kCopyStart).name, "copy-start");
  EXPECT_EQ(RowOf(Opcode::kExponentialMinusOne).name, "exponential-minus-one");
  EXPECT_EQ(RowOf(Opcode::kOptBarrier).name, "opt-barrier");
  EXPECT_EQ(RowOf(Opcode::kTopk).name, "topk");
  EXPECT_EQ(RowOf(Opcode::kXor).name, "xor");
  EXPECT_EQ(RowOf(Opcode::kClamp).operands, 3);
  EXPECT_EQ(RowOf(Opcode::kTuple).operands, -1);
}

TEST(OpcodeTest, ShortFormsOfAsyncPairs) {
  EXPECT_EQ(OpcodeNamed("slice-start"), (OpcodeName{Opcode::kAsyncStart, Opcode::kSlice}));
  EXPECT_EQ(OpcodeNamed("custom-call-update"), (OpcodeName{Opcode::kAsyncUpdate, Opcode::kCustomCall}));
  EXPECT_EQ(OpcodeNamed("reduce-scatter-done"), (OpcodeName{Opcode::kAsyncDone, Opcode::kReduceScatter}));
  EXPECT_EQ(OpcodeNamed("all-gather-done"), (OpcodeName{Opcode::kAllGatherDone, Opcode::kAllGatherDone}));
  EXPECT_EQ(OpcodeNamed("async-start"), (OpcodeName{Opcode::kAsyncStart, Opcode::kAsyncStart}));
}

TEST(OpcodeTest, WhatIsNoOperation) {
  for (const char* name : {"", "-start", "async-start-start", "adds", "Add", "add-", "slice-begin"}) {
    EXPECT_FALSE(OpcodeNamed(name).has_value()) << name;
  }
}

}  // namespace
}  // namespace oomph::hlo
