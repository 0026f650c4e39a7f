// Index maps of Mosaic modules: simple terms, and what stays of others.
#include "models/vmem/index_map.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "models/mlir/read.h"
#include "models/vmem/text.h"

namespace oomph::vmem {
namespace {

// `lines` compute %r from %arg0 (a grid of 4), %arg1 (of 1) and %c0 .. %c3, the constants 0 to 3.
std::string MapOf(const std::string& lines, bool exact = true) {
  std::string text = "\"func.func\"() ({\n^bb0(%arg0: i32, %arg1: i32):\n";
  for (int i = 0; i < 4; ++i) absl::StrAppend(&text, "%c", i, " = \"arith.constant\"() {value = ", i, " : i32} : () -> i32\n");
  absl::StrAppend(&text, lines, "\"func.return\"(%r) : (i32) -> ()\n}) {sym_name = \"t\"} : () -> ()\n");
  const auto module = mlir::Read("t", text);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return "";
  const GridDimension grid[] = {{4, false, Semantics::kNone}, {1, false, Semantics::kNone}};
  const IndexMap map = ReadIndexMap(*module, module->operations[0], grid);
  EXPECT_EQ(map.exact, exact) << lines;
  return PrintMap(map.places);
}

std::string Op(const std::string& result, const std::string& name, const std::string& operands, const std::string& more = "") {
  std::string types;
  for (size_t at = 0; (at = operands.find('%', at)) != operands.npos; ++at) absl::StrAppend(&types, types.empty() ? "" : ", ", "i32");
  return absl::StrCat("%", result, " = \"stable_mosaic.arith.", name, "\"(", operands, ") ", more, " : (", types, ") -> i32\n");
}

TEST(IndexMapTest, SimpleTerms) {
  EXPECT_EQ(MapOf(Op("r", "muli", "%arg0, %c3")), "(i*3)");
  EXPECT_EQ(MapOf(Op("r", "muli", "%arg0, %c0")), "(0)");
  EXPECT_EQ(MapOf(Op("r", "addi", "%arg0, %arg1")), "(i+j)");
  EXPECT_EQ(MapOf(Op("r", "subi", "%arg0, %arg0")), "(0)");
  EXPECT_EQ(MapOf(Op("r", "remsi", "%arg0, %c2")), "(i%2)");
  EXPECT_EQ(MapOf(Op("r", "remsi", "%arg0, %c1")), "(0)");
  EXPECT_EQ(MapOf(Op("r", "minsi", "%arg0, %c2")), "(min(i,2))");
  EXPECT_EQ(MapOf(Op("r", "maxsi", "%arg0, %c0")), "(i)");
  EXPECT_EQ(MapOf(Op("a", "muli", "%arg0, %c2") + Op("r", "addi", "%a, %c1")), "(i*2+1)");
  EXPECT_EQ(MapOf(Op("r", "divsi", "%arg0, %c2")), "(i//2)");
}

// jax writes x // 2 with the signs of both sides, x % 2 with a test for 0: neither matters for a grid index.
TEST(IndexMapTest, TheDivisionsOfJax) {
  const std::string quotient =
      Op("q", "divsi", "%arg0, %c2") + Op("p", "cmpi", "%arg0, %c0", "{predicate = 4 : i64}") + Op("n", "cmpi", "%arg0, %c0", "{predicate = 2 : i64}") +
      Op("s", "subi", "%p, %n") + Op("u", "cmpi", "%s, %c1", "{predicate = 1 : i64}") + Op("m", "remsi", "%arg0, %c2") +
      Op("v", "cmpi", "%m, %c0", "{predicate = 1 : i64}") + Op("w", "andi", "%u, %v") + Op("l", "subi", "%q, %c1") +
      Op("r", "select", "%w, %l, %q");
  EXPECT_EQ(MapOf(quotient), "(i//2)");
  const std::string rest =
      Op("z", "cmpi", "%c2, %c0", "{predicate = 0 : i64}") + Op("d", "select", "%z, %c1, %c2") + Op("m", "remsi", "%arg0, %d") +
      Op("n", "cmpi", "%m, %c0", "{predicate = 1 : i64}") + Op("b", "cmpi", "%m, %c0", "{predicate = 2 : i64}") +
      Op("e", "cmpi", "%d, %c0", "{predicate = 2 : i64}") + Op("x", "xori", "%b, %e") + Op("y", "andi", "%x, %n") +
      Op("f", "addi", "%m, %d") + Op("r", "select", "%y, %f, %m");
  EXPECT_EQ(MapOf(rest), "(i%2)");
}

TEST(IndexMapTest, OfOthersWhatTheyDependOn) {
  EXPECT_EQ(MapOf(Op("r", "shli", "%arg0, %c1"), false), "(i)");
  EXPECT_EQ(MapOf(Op("r", "muli", "%arg0, %arg1"), false), "(i+j)");
  EXPECT_EQ(MapOf(Op("r", "subi", "%c3, %arg0"), false), "(i)");
  EXPECT_EQ(MapOf(Op("a", "remsi", "%arg0, %c2") + Op("r", "muli", "%a, %c2"), false), "(i)");
  EXPECT_EQ(MapOf(Op("r", "unknown", "%c1"), false), "(0)");
  EXPECT_EQ(MapOf("%r = \"arith.constant\"() {value = dense<1> : vector<2xi32>} : () -> i32\n", false), "(0)");
}

TEST(IndexMapTest, AFunctionThatEndsElsewhereSaysNothing) {
  const auto module = mlir::Read("t", "\"func.func\"() ({\n^bb0(%arg0: i32):\n\"cf.br\"()[^bb1] : () -> ()\n^bb1:\n\"func.return\"(%arg0) : (i32) -> ()\n}) : () -> ()");
  ASSERT_TRUE(module.ok()) << module.status();
  const GridDimension grid[] = {{4, false, Semantics::kNone}};
  const IndexMap map = ReadIndexMap(*module, module->operations[0], grid);
  EXPECT_FALSE(map.exact);
  EXPECT_TRUE(map.places.empty());
}

}  // namespace
}  // namespace oomph::vmem
