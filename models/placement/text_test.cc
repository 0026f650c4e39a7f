// Reading and printing of placement problems: every column, every error with its place, and what is printed
// reads back.
#include "models/placement/text.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/base/choices.h"
#include "models/placement/csv.h"
#include "models/placement/generate.h"

namespace oomph::placement {
namespace {

using ::testing::HasSubstr;

Problem Parsed(std::string_view text, std::string_view name = "p.csv") {
  Problem problem;
  const absl::Status status = ParseProblem(name, text, problem);
  EXPECT_TRUE(status.ok()) << status;
  return problem;
}

std::string ErrorOf(std::string_view text) {
  Problem problem;
  return std::string(ParseProblem("p.csv", text, problem).message());
}

Buffer Plain(std::string id, uint64_t size, int64_t start, int64_t end) {
  Buffer buffer;
  buffer.id = std::move(id);
  buffer.size = size;
  buffer.start = start;
  buffer.end = end;
  return buffer;
}

TEST(ProblemText, ASlipOfThePenIsNotKeptInSilence) {
  EXPECT_THAT(ErrorOf("id,lower,upper,size,aligment\na,0,1,2,4\n"),
              HasSubstr("p.csv:1:21: expected the column alignment"));
  for (const char* slip : {"alignmant", "alignmnet", "alignments", "gap", "ofset", "sizes", "Hnit"}) {
    EXPECT_THAT(ErrorOf("id,lower,upper,size," + std::string(slip) + "\n"), HasSubstr("or a name less like it")) << slip;
  }
  for (const char* other : {"planned", "expected", "x", "en", "align", "comment"}) {
    EXPECT_EQ(Parsed("id,lower,upper,size," + std::string(other) + "\n").extra_columns, other);
  }
  EXPECT_THAT(ErrorOf("id;lower;upper;size\na;0;1;2\n"), HasSubstr("p.csv:1:1: expected commas between the columns"));
  EXPECT_THAT(ErrorOf("# oomph capcity 12\nid,lower,upper,size\na,0,1,2\n"),
              HasSubstr("p.csv:1:9: expected oomph capacity, subject"));
  EXPECT_EQ(Parsed("ID,Lower,UPPER,Size\na,0,1,2\n"), Parsed("id,lower,upper,size\na,0,1,2\n"));
}

TEST(ParseProblem, TheFourColumns) {
  const Problem problem = Parsed("id,lower,upper,size\nb1,0,3,4\nb2,3,9,5\n");
  Problem expected;
  expected.buffers = {Plain("b1", 4, 0, 3), Plain("b2", 5, 3, 9)};
  EXPECT_EQ(problem, expected);
}

TEST(ParseProblem, EveryColumnInAnyOrder) {
  const Problem problem = Parsed(
      "slices,offset,size,group,gaps,upper,space,lower,hint,alignment,id\n"
      "8@1 4@-2,64,16,2,3-5 6-7@0:4,9,1,-2,128,32,a\n"
      ",,0x10,,,2,,1,,,\n");
  Buffer a = Plain("a", 16, -2, 9);
  a.slices = {{8, 1}, {4, -2}};
  a.fixed = 64;
  a.group = 2;
  a.gaps = {{3, 5, 0, 0}, {6, 7, 0, 4}};
  a.space = 1;
  a.hint = 128;
  a.alignment = 32;
  ASSERT_EQ(problem.buffers.size(), 2u);
  EXPECT_EQ(problem.buffers[0], a);
  EXPECT_EQ(problem.buffers[1], Plain("", 16, 1, 2));
}

TEST(ParseProblem, AColumnNamedEndIsTheLastTimeInUseOfGapsToo) {
  const Problem problem = Parsed("buffer_id,start,end,size,gaps\na,0,9,4,3-4\nb,5,4,4,\n");
  EXPECT_EQ(problem.buffers[0].end, 10);
  EXPECT_EQ(problem.buffers[0].gaps, (std::vector<Gap>{{3, 5, 0, 0}}));
  EXPECT_EQ(problem.buffers[1].end, 5);  // empty: [5,5)
  EXPECT_THAT(ErrorOf("id,start,end,size\na,0,9223372036854775807,4\n"),
              HasSubstr("p.csv:2:5: expected a whole number"));
  EXPECT_EQ(Parsed("id,begin,end,size\na,0,9223372036854775806,4\n").buffers[0].end, INT64_MAX);
}

TEST(ParseProblem, CapacityOfTheCommentThenOfTheName) {
  const std::string rows = "id,lower,upper,size\na,0,1,1\n";
  EXPECT_EQ(Parsed(rows).capacity, std::nullopt);
  EXPECT_EQ(Parsed(rows, "dir/A.1048576.csv").capacity, 1048576u);
  EXPECT_EQ(Parsed("# oomph capacity 4KiB\n" + rows, "A.12.csv").capacity, 4096u);
  EXPECT_EQ(Parsed("#oomph capacity 0\n" + rows).capacity, 0u);
  EXPECT_EQ(Parsed("# oomph subject model\n" + rows, "12.csv").capacity, std::nullopt);
  EXPECT_EQ(Parsed(rows, "A.x1.csv").capacity, std::nullopt);
  EXPECT_EQ(Parsed(rows, "A.99999999999999999999.csv").capacity, std::nullopt);
  EXPECT_THAT(ErrorOf(rows + "# oomph capacity much\n"), HasSubstr("p.csv:3:18: expected a number of bytes"));
}

TEST(ParseProblem, ToleratesWhatSpreadsheetsMake) {
  const Problem problem =
      Parsed("\xef\xbb\xbf# a comment, with commas\r\n\r\n id , lower,\tupper,size\r\n a ,0, 3,4\r\n");
  EXPECT_EQ(problem.buffers, (std::vector<Buffer>{Plain("a", 4, 0, 3)}));
  EXPECT_EQ(Parsed("id,lower,upper,size\n\"a, \"\"b\"\"\",\"0\",3,4").buffers[0].id, "a, \"b\"");
}

TEST(ParseProblem, WithoutIdsTheyAreNumbered) {
  const Problem problem = Parsed("lower,upper,size\n0,1,2\n0,1,3\n");
  EXPECT_EQ(problem.buffers[1].id, "1");
}

TEST(ParseProblem, UnknownColumnsStayAsTheyStood) {
  const std::string text = "id,color,lower,upper,size,\"a, note\"\na,red,0,1,2,\"x, \"\"y\"\"\"\nb,,0,1,2,\n";
  const Problem problem = Parsed(text);
  EXPECT_EQ(problem.extra_columns, "color,\"a, note\"");
  EXPECT_EQ(problem.buffers[0].extra, "red,\"x, \"\"y\"\"\"");
  EXPECT_EQ(problem.buffers[1].extra, ",");
  const std::string printed = PrintProblem(problem);
  EXPECT_THAT(printed,
              HasSubstr("id,lower,upper,size,color,\"a, note\"\na,0,1,2,red,\"x, \"\"y\"\"\"\nb,0,1,2,,\n"));
  EXPECT_EQ(Parsed(printed), problem);
}

TEST(ParseProblem, ErrorsSayWhereAndWhatWasExpected) {
  const std::string header = "id,lower,upper,size,alignment,gaps,slices,space\n";
  const struct {
    std::string text, error;
  } kCases[] = {
      {"", "p.csv:0:1: expected a header with lower, upper and size, found nothing"},
      {"id,lower,size\n", "p.csv:1:14: expected a column upper, found nothing"},
      {"id,lower,upper,size,id\n", "p.csv:1:21: expected a column once, found 'id'"},
      {"id,lower,start,upper,size\n", "p.csv:1:10: expected a column once, found 'start'"},
      {"id,lower,upper,end,size\n", "p.csv:1:16: expected a column once, found 'end'"},
      {"x,lower,upper,size,x\n", "p.csv:1:20: expected a column once, found 'x'"},
      {"lower,upper,size,\n", "p.csv:1:18: expected the name of a column, found nothing"},
      {header + "a,0,1,2,1,,\n", "p.csv:2:12: expected 8 cells, as the header has, found nothing"},
      {header + "a,0,1,2,1,,,0,x\n", "p.csv:2:15: expected 8 cells, as the header has, found 'x'"},
      {header + "a,0,1,,1,,,\n", "p.csv:2:7: expected a number of bytes below 2^64, found nothing"},
      {header + "a,0,1,-2,1,,,\n", "p.csv:2:7: expected a number of bytes below 2^64, found '-2'"},
      {header + "a,0,1,18446744073709551616,1,,,\n",
       "p.csv:2:7: expected a number of bytes below 2^64, found '18446744073709551616'"},
      {header + "a,0,9223372036854775808,1,1,,,\n",
       "p.csv:2:5: expected a whole number from -2^63 to 2^63 - 1, found '9223372036854775808'"},
      {header + "a,1.5,2,1,1,,,\n", "p.csv:2:3: expected a whole number from -2^63 to 2^63 - 1, found '1.5'"},
      {header + "a,0,9,1,1,1-2 3,,\n",
       "p.csv:2:15: expected gaps as 3-5 or 3-5@0:16, with a blank between them, found '3'"},
      {header + "a,0,9,1,1,1-2@4,,\n",
       "p.csv:2:11: expected gaps as 3-5 or 3-5@0:16, with a blank between them, found '1-2@4'"},
      {header + "a,0,9,1,1,,5,\n",
       "p.csv:2:12: expected slices as 16@3, with a blank between them, found '5'"},
      {header + "a,0,9,1,1,,,4294967296\n", "p.csv:2:13: expected a number below 2^32, found '4294967296'"},
      {header + "\"a,0,9,1,1,,,\n",
       "p.csv:2:1: expected a cell that ends with its quote, found '\\\"a,0,9,1,1,,,'"},
      {header + "\"a\"b,0,9,1,1,,,\n",
       "p.csv:2:1: expected a cell that ends with its quote, found '\\\"a\\\"b,0,9,1,1,,,'"},
      {header + std::string("a\0b,0,9,1,1,,,\n", 15), "p.csv:2:2: expected text, found a NUL byte"},
  };
  for (const auto& c : kCases) EXPECT_EQ(ErrorOf(c.text), c.error);
}

TEST(ParseProblem, RefusesWhatIsTooMuch) {
  EXPECT_THAT(ErrorOf("lower,upper,size\n" + std::string(kMaxCsvLineBytes + 1, 'x')),
              HasSubstr("a line of at most"));
  std::string wide = "lower,upper,size";
  for (size_t i = 0; i < kMaxCsvColumns; ++i) wide += ",c" + std::to_string(i);
  EXPECT_THAT(ErrorOf(wide), HasSubstr("at most 1000 columns"));
}

TEST(ParseProblem, ReplacesWhatWasThere) {
  Problem problem = Parsed("# oomph capacity 3\nid,lower,upper,size,x\na,0,1,2,y\n");
  ASSERT_TRUE(ParseProblem("p", "lower,upper,size\n0,1,2\n", problem).ok());
  EXPECT_EQ(problem, Parsed("lower,upper,size\n0,1,2\n"));
}

TEST(PrintProblem, OnlyTheColumnsThatAreNeeded) {
  Problem problem;
  EXPECT_EQ(PrintProblem(problem), "id,lower,upper,size\n");
  problem.capacity = 9;
  problem.buffers = {Plain("a", 1, 0, 2), Plain("#b", 3, 1, 4)};
  EXPECT_EQ(PrintProblem(problem), "# oomph capacity 9\nid,lower,upper,size\na,0,2,1\n\"#b\",1,4,3\n");
  problem.buffers[1].gaps = {{2, 3, 0, 0}, {3, 4, 1, 2}};
  EXPECT_EQ(PrintProblem(problem),
            "# oomph capacity 9\nid,lower,upper,size,gaps\na,0,2,1,\n\"#b\",1,4,3,2-3 3-4@1:2\n");
}

TEST(ParseProblem, GapsTimesSlicesAreBounded) {
  std::string gaps, slices;
  for (int i = 0; i < 3000; ++i) {
    absl::StrAppend(&gaps, i == 0 ? "" : " ", 3 * i, "-", 3 * i + 1, "@1:90000");
    absl::StrAppend(&slices, i == 0 ? "" : " ", "1@", i);
  }
  Problem problem;
  const std::string head = "id,lower,upper,size,gaps,slices\n";
  const absl::Status both = ParseProblem("p.csv", head + "a,0,9999,100000," + gaps + "," + slices + "\n", problem);
  ASSERT_FALSE(both.ok());
  EXPECT_EQ(both.message().substr(0, 8), "p.csv:2:") << both;
  EXPECT_TRUE(ParseProblem("p.csv", head + "a,0,9999,100000," + gaps + ",\n", problem).ok());
  EXPECT_TRUE(ParseProblem("p.csv", head + "a,0,9999,100000,,1@0 2@3\n", problem).ok());
}

TEST(PrintPlanned, OffsetsInPlaceOfTheFixedOnes) {
  Problem problem;
  problem.buffers = {Plain("a", 1, 0, 2), Plain("b", 3, 1, 4)};
  problem.buffers[0].fixed = 7;
  Plan plan;
  plan.offsets = {8, std::nullopt};
  EXPECT_EQ(PrintPlanned(problem, plan), "id,lower,upper,size,offset\na,0,2,1,8\nb,1,4,3,\n");
}

TEST(PrintProblem, WhatIsPrintedReadsBack) {
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    Choices choices = Choices::FromSeed(seed, seed % 2 == 0);
    Problem problem, other;
    GenerateProblem(choices, {}, problem);
    GenerateProblem(choices, {}, other);
    MutateProblem(choices, {}, problem, other);
    const std::string text = PrintProblem(problem);
    Problem again;
    const absl::Status status = ParseProblem("p", text, again);
    ASSERT_TRUE(status.ok()) << status << "\n" << text;
    ASSERT_EQ(again, problem) << text;
  }
}

TEST(PrintProblem, OddNamesReadBack) {
  for (const char* id : {"", " a", "a ", "a,b", "\"", "\"\"", "a\"b", "#", "# oomph capacity 4", "\r", "a\rb",
                         "\t", "\xef\xbb\xbf"}) {
    Problem problem;
    problem.buffers = {Plain(id, 1, INT64_MIN, INT64_MAX)};
    problem.buffers[0].gaps = {{INT64_MIN, -1, 3, 1}, {5, -5, 0, UINT64_MAX}};
    problem.buffers[0].slices = {{UINT64_MAX, INT64_MIN}};
    EXPECT_EQ(Parsed(PrintProblem(problem)), problem) << PrintProblem(problem);
  }
}

TEST(LooksLikeProblem, ByItsHeader) {
  EXPECT_TRUE(LooksLikeProblem("id,lower,upper,size\n"));
  EXPECT_TRUE(LooksLikeProblem("# oomph capacity 3\n\nsize,end,start"));
  EXPECT_FALSE(LooksLikeProblem(""));
  EXPECT_FALSE(LooksLikeProblem("Thread,Time,Action,Pointer,Size,Stream\n1,2,allocate,0x1,3,0\n"));
  EXPECT_FALSE(LooksLikeProblem("memory hbm capacity 64\nallocate a 8\n"));
  EXPECT_FALSE(LooksLikeProblem("id,lower,size\n"));
  EXPECT_FALSE(LooksLikeProblem(std::string("id,lower,upper,size\0", 20)));
}

TEST(StatusWord, OneEach) {
  EXPECT_EQ(StatusWord(Status::kNotRun), "not_run");
  EXPECT_EQ(StatusWord(Status::kOptimal), "optimal");
  EXPECT_EQ(StatusWord(Status::kInfeasible), "infeasible");
  EXPECT_EQ(StatusWord(Status::kRubbish), "rubbish");
}

}  // namespace
}  // namespace oomph::placement
