// Placement instances as JSON lines, and XLA's tables, through the verb as a user meets it.
// Not for: the tables themselves (see models/placement/import_test.cc).
#include "tools/import_instances.h"

#include <fstream>
#include <string>

#include "fuzz/exit_code.h"
#include "fuzz/testing/scratch_folder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/placement/text.h"
#include "tools/testing/run.h"

namespace oomph::placement {
namespace {

using ::testing::HasSubstr;

std::string Import(const std::string& text, size_t part = 0) {
  const auto imported = ImportInstance("i.jsonl", text, {.capacity = {}, .part = part});
  return imported.ok() ? PrintProblem(imported->problem) : std::string(imported.status().message());
}

std::string NotesOf(const std::string& text) {
  const auto imported = ImportInstance("i.jsonl", text, {});
  std::string notes;
  if (imported.ok()) {
    for (const std::string& note : imported->notes) notes += note + "\n";
  }
  return notes;
}

constexpr char kBuffers[] =
    R"({"name": "n", "time": "inclusive", "buffers": [[10, 1, 5], [5, 2, 6]], "fields": ["size", "start", "end"], "optimum": 15})";
constexpr char kBlocks[] =
    R"({"test": "r", "memory_size": 100, "alignment": 8, "blocks": [{"start": 0, "end": 2, "size": 5, "initial_offset": -1},
  {"start": 10, "end": 20, "size": 10, "initial_offset": 3, "slices": [[4, 9, 15], [6, 3, 10]]}], "next_colocated": [[0, 1], [1, 0]], "expect_offset": {"0": 0}})";
constexpr char kEvents[] =
    R"({"test": "h", "alignment": 1, "size_limit_per_heap": 50, "events": [["alloc", "a", 40], ["free", "a", 40], ["share", "c", "a", 30], ["free", "c", 30]], "expect": {"heap_size": [40], "offset": {"a": 0}}})";
constexpr char kOperands[] =
    R"({"name": "k", "operands": [{"block": [4, 8], "n": 1, "buffers": 2}], "elem_bytes": 4, "fits_limit": 1024})";

std::string OneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

TEST(ImportInstance, EachForm) {
  EXPECT_EQ(Import(kBuffers), "id,lower,upper,size\nb0,1,6,10\nb1,2,7,5\n");
  EXPECT_EQ(Import(OneLine(kBlocks)),
            "# oomph capacity 100\nid,lower,upper,size,alignment,hint,group,slices,expected\n"
            "block 0,0,3,5,8,,2,,0\nblock 1,10,21,10,8,3,2,6@10 4@15,\n");
  EXPECT_EQ(Import(kEvents),
            "# oomph capacity 50\nid,lower,upper,size,group,expected\na,0,2,40,1,0\nc,2,4,30,1,\n");
  EXPECT_EQ(Import(kOperands), "# oomph capacity 1024\nid,lower,upper,size\nb0,0,1,128\nb1,0,1,128\n");
  EXPECT_THAT(NotesOf(kBuffers), HasSubstr("n, instance 1 of 1\n"));
  EXPECT_THAT(NotesOf(kBuffers), HasSubstr("optimum: 15\n"));
  EXPECT_THAT(NotesOf(kEvents), HasSubstr("expected heap size: [40]\n"));
}

TEST(ImportInstance, WhichLine) {
  const std::string text = std::string(kBuffers) + "\n\n" + kEvents + "\n";
  EXPECT_THAT(Import(text, 2), HasSubstr("a,0,2,40,1"));
  EXPECT_EQ(Import(text, 3), "i.jsonl: has 2 instances, no instance 3 (from 1)");
  EXPECT_THAT(Import(text + "{]", 3), HasSubstr("i.jsonl:4:1: expected a JSON object"));
}

TEST(ImportInstance, WhatIsWrongIsSaidInOneLine) {
  const struct {
    const char *text, *error;
  } kCases[] = {
      {"[1]", "i.jsonl:1:1: expected a JSON object"},
      {"{}", "i.jsonl:1:1: expected an object with a list of buffers, blocks, events or operands"},
      {R"({"buffers": [[1, 2]]})", "i.jsonl:1:1: expected a list \"fields\" of names"},
      {R"({"buffers": [[1, 2]], "fields": ["size", "start"]})",
       "i.jsonl:1:1: expected \"end\" among the fields"},
      {R"({"buffers": [[1, 2]], "fields": ["size", "start", "end"]})",
       "i.jsonl:1:1: expected a list of numbers for each buffer"},
      {R"({"buffers": [[-1, 2, 3]], "fields": ["size", "start", "end"]})",
       "i.jsonl:1:1: expected a whole number of bytes as size"},
      {R"({"buffers": [[1, 2, 9223372036854775807]], "fields": ["size", "start", "end"], "time": "inclusive"})",
       "i.jsonl:1:1: expected a whole number below 2^63 - 1 as end"},
      {R"({"blocks": [{"start": 0, "end": 1, "size": 1}], "next_colocated": [[0, 1]]})",
       "i.jsonl:1:1: expected blocks that are there in \"next_colocated\""},
      {R"({"blocks": [7]})", "i.jsonl:1:1: expected a whole number of bytes as \"size\""},
      {R"({"events": [["grow", "a", 1]]})", "i.jsonl:1:1: expected alloc, share or free as an event"},
      {R"({"events": [["alloc", "a"]]})", "i.jsonl:1:1: expected a size in each alloc and share"},
      {R"({"elem_bytes": 4, "operands": [{"block": [4294967296, 4294967296], "n": 1, "buffers": 1}]})",
       "i.jsonl:1:1: expected a block below 2^64 bytes"},
      {R"({"elem_bytes": 4, "operands": [{"block": [1], "n": 100000, "buffers": 100000}]})",
       "i.jsonl:1:1: expected at most 10000 buffers of an operand"},
  };
  for (const auto& c : kCases) EXPECT_EQ(Import(c.text), c.error);
  EXPECT_EQ(Import("{\"buffers\":" + std::string(100000, '[')), "i.jsonl:1:1: expected a JSON object");
}

TEST(LooksLikeInstances, ByTheListsOfTheFirstLine) {
  for (const char* text : {kBuffers, kEvents, kOperands}) EXPECT_TRUE(LooksLikeInstances(text));
  for (const char* text :
       {"", "{", "[]", "{\"device_traces\": [[]]}", "{\"segments\": [{\"blocks\": []}]}", "buffers"}) {
    EXPECT_FALSE(LooksLikeInstances(text)) << text;
  }
}

TEST(ImportVerb, ProblemsReadBackAndSayWhereTheyCameFrom) {
  const ScratchFolder scratch;
  const std::string table = scratch.path() + "/t", instances = scratch.path() + "/i";
  std::ofstream(table)
      << "allocation 1: size 192, preallocated-temp:\n value: <2 f @0> (size=64,offset=0): f32[16]\n"
         "  BufferLiveRange:\n    f{}:1-3\n";
  std::ofstream(instances) << kBuffers << "\n" << kEvents << "\n";
  const struct {
    std::string arguments, row;
  } kCases[] = {{table, "f,1,4,64,0\n"},
                {instances, "b0,1,6,10\n"},
                {instances + " --part 2", "a,0,2,40,1,0\n"},
                {instances + " --capacity 77", "# oomph capacity 77\n"}};
  for (const auto& c : kCases) {
    const Ran ran = RunOomph("import " + c.arguments);
    EXPECT_EQ(ran.code, kNothingFound) << ran.out;
    EXPECT_THAT(ran.out, HasSubstr("# imported from "));
    EXPECT_THAT(ran.out, HasSubstr(c.row));
    Problem problem;
    EXPECT_TRUE(ParseProblem("made", ran.out, problem).ok()) << ran.out;
    EXPECT_FALSE(problem.buffers.empty());
  }
}

}  // namespace
}  // namespace oomph::placement
