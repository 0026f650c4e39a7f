// Problems from XLA's tables and heap calls.
#include "models/placement/import.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/placement/text.h"

namespace oomph::placement {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kTable[] =
    "BufferAssignment:\n"
    "allocation 0: size 64, parameter 0, shape |f32[16]| at ShapeIndex {}:\n"
    " value: <1 p @0> (size=64,offset=0): f32[16]{0}\n"
    "allocation 1: size 192, preallocated-temp:\n"
    " value: <2 fusion.1 @0> (size=64,offset=0): f32[16]{0}\n"
    " value: <3 tuple{0} @0> (size=64, offset=64): f32[16]{0}\n"
    "   value: in_place                 (size=64,  offset=64)   <- same buffer\n"
    " value: <5 later @0> (size=64,offset=64): f32[16]{0}\n"
    " value: <6 unseen @0> (size=64,offset=128): f32[16]{0}\n"
    "\nTotal bytes used: 256 (256B)\n";
constexpr char kLives[] =
    "HloLiveRange (max 9):\n"
    "  InstructionSequence:\n"
    "    0:p\n"
    "  BufferLiveRange:\n"
    "    p{}:0-9\n"
    "    fusion.1{}:1-3\n"
    "    tuple{0}:2-4\n"
    "    in_place{}:4-6\n"
    "    later{}:7-8\n"
    "  Live ranges at 2 (peak):\n"
    "    fusion.1{}: 64 bytes (cumulative: 64 bytes)\n";

Imported Import(const std::string& text, const ImportOptions& options = {}) {
  const auto imported = ImportBufferAssignment("b.txt", text, options);
  EXPECT_TRUE(imported.ok()) << imported.status();
  return imported.value_or(Imported());
}

TEST(ImportBufferAssignment, ValuesWithTheirLives) {
  const Imported imported = Import(std::string(kTable) + kLives);
  EXPECT_EQ(PrintProblem(imported.problem),
            "id,lower,upper,size,group,planned\n"
            "fusion.1,1,4,64,0,0\n"
            "tuple{0},2,5,64,1,64\n"
            "in_place,4,7,64,1,64\n"
            "later,7,9,64,0,64\n");
  EXPECT_THAT(imported.notes, ElementsAre(HasSubstr("allocation 1 (2 of 2): 192 bytes"),
                                          "1 of its values have no live range and are left out"));
}

TEST(ImportBufferAssignment, TheOrderOfTheTwoTextsIsNoMatterAndPartsAreChosen) {
  EXPECT_EQ(Import(std::string(kLives) + kTable).problem, Import(std::string(kTable) + kLives).problem);
  const Imported first = Import(std::string(kTable) + kLives, {.capacity = 100, .part = 1});
  EXPECT_EQ(PrintProblem(first.problem), "# oomph capacity 100\nid,lower,upper,size,planned\np,0,10,64,0\n");
  EXPECT_THAT(
      std::string(ImportBufferAssignment("b.txt", kTable, {.capacity = {}, .part = 3}).status().message()),
      HasSubstr("b.txt: has 2 allocations, no allocation 3 (from 1)"));
}

TEST(ImportBufferAssignment, WithoutLivesTheAllocationsAtOnceAndItIsSaid) {
  const Imported imported = Import(kTable);
  EXPECT_EQ(PrintProblem(imported.problem),
            "id,lower,upper,size\nallocation 0,0,1,64\nallocation 1,0,1,192\n");
  EXPECT_THAT(imported.notes, ElementsAre(HasSubstr("no BufferLiveRange")));
}

TEST(ImportBufferAssignment, WhatIsNoTable) {
  EXPECT_TRUE(LooksLikeBufferAssignment(kTable));
  for (const char* text : {"", "allocation", "allocation x: size 3",
                           "allocation 1: size 3.88MiB, parameter 0", "id,lower,upper,size\n"}) {
    EXPECT_FALSE(LooksLikeBufferAssignment(text)) << text;
    EXPECT_FALSE(ImportBufferAssignment("b", text, {}).ok()) << text;
  }
}

// Any piece of it, and each of its characters changed, is read without a fault.
TEST(ImportBufferAssignment, DamageIsSurvived) {
  const std::string text = std::string(kTable) + kLives;
  for (size_t i = 0; i < text.size(); ++i) {
    (void)ImportBufferAssignment("b", std::string_view(text).substr(i), {});
    std::string damaged = text;
    damaged[i] = '-';
    const auto imported = ImportBufferAssignment("b", damaged, {});
    if (imported.ok()) {
      EXPECT_LE(imported->problem.buffers.size(), 5u);
    }
  }
}

TEST(ProblemOfHeapCalls, LivesAreFromCallToCallInclusive) {
  const HeapCall calls[] = {{HeapCall::kAlloc, "a", "", 40}, {HeapCall::kFree, "a", "", 0},
                            {HeapCall::kAlloc, "b", "", 20}, {HeapCall::kShare, "c", "a", 50},
                            {HeapCall::kFree, "c", "", 0},   {HeapCall::kFree, "x", "", 0}};
  const Imported imported = ProblemOfHeapCalls(calls, 16);
  EXPECT_EQ(PrintProblem(imported.problem),
            "id,lower,upper,size,alignment,group\na,0,2,40,16,1\nb,2,6,20,16,0\nc,3,5,50,16,1\n");
  EXPECT_THAT(imported.notes, ElementsAre("1 calls name a buffer that was not made, and are left out"));
}

}  // namespace
}  // namespace oomph::placement
