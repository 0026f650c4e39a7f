// Reading MLIR text: its structure, damaged texts, errors, depth. Not for: what a dialect means.
#include "models/mlir/read.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "models/base/choices.h"
#include "models/mlir/values.h"

namespace oomph::mlir {
namespace {

constexpr const char* kKernel = R"(#map = affine_map<(d0) -> (d0)>
!t = memref<8x128xf32, #tpu.memory_space<vmem>>
// a comment with { and "
module @outer attributes {version = 15 : i64, flag} {
  "x.func"() <{sym_name = "k", "odd key" = [1, 2]}> ({
  ^bb0(%arg0: i32, %arg1: !t loc("here":1:2)):
    %0:2 = "x.pair"(%arg0) : (i32) -> (i32, index)
    "x.if"(%0#1)[^bb1] ({
      %1 = "x.one"() {value = dense<[1, -2]> : vector<2xi32>} : () -> vector<2xi32>
    }, {
    }) {s = "quoted } \" text", m = #map} : (index) -> () loc(#loc1)
    "x.use"(%1, %0#7) : (i32, i32) -> ()
  ^bb1:
    "x.end"() : () -> ()
  }) {a = {b = (i32) -> i32, c = affine_map<(d0) -> (d0 * 2)>}} : () -> ()
}
{-#  dialect_resources: { builtin: { a: "0x00" } } #-}
module {
}
)";

std::vector<std::string> NamesIn(const Module& module, Index first) {
  std::vector<std::string> names;
  for (Index o = first; o != kNone; o = module.operations[o].next) names.emplace_back(module.operations[o].name);
  return names;
}

TEST(MlirReadTest, TheStructureOfAText) {
  const auto module = Read("k.mlir", kKernel);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(NamesIn(*module, module->first_operation), (std::vector<std::string>{"builtin.module", "builtin.module"}));
  ASSERT_EQ(module->aliases.size(), 2u);
  EXPECT_EQ(module->Resolve("!t"), "memref<8x128xf32, #tpu.memory_space<vmem>>");
  EXPECT_EQ(module->Resolve("!u"), "!u");
  const Operation& outer = module->operations[0];
  EXPECT_EQ(module->Find(outer, "version"), "15 : i64");
  EXPECT_EQ(module->Find(outer, "flag"), "");
  EXPECT_EQ(module->Find(outer, "no"), std::nullopt);

  const Operation& func = module->operations[1];
  EXPECT_EQ(func.name, "x.func");
  EXPECT_EQ(module->Find(func, "sym_name"), "\"k\"");
  EXPECT_EQ(module->Find(func, "odd key"), "[1, 2]");
  EXPECT_EQ(Entry(*module->Find(func, "a"), "b"), "(i32) -> i32");
  EXPECT_EQ(module->LineOf(func.name), 5u);
  const Block& entry = module->blocks[module->regions[func.first_region].first_block];
  EXPECT_EQ(entry.label, "^bb0");
  ASSERT_EQ(module->Arguments(entry).size(), 2u);
  EXPECT_EQ(module->Arguments(entry)[1].type, "!t");
  EXPECT_EQ(NamesIn(*module, entry.first_operation), (std::vector<std::string>{"x.pair", "x.if", "x.use"}));
  ASSERT_NE(entry.next, kNone);
  EXPECT_EQ(NamesIn(*module, module->blocks[entry.next].first_operation), (std::vector<std::string>{"x.end"}));

  const Operation& pair = module->operations[2];
  EXPECT_EQ(module->Operands(pair)[0].value, module->blocks[1].arguments.begin);
  ASSERT_EQ(module->Results(pair).size(), 2u);
  EXPECT_EQ(module->Results(pair)[1].type, "index");
  const Operation& branch = module->operations[3];
  EXPECT_EQ(module->Operands(branch)[0].value, pair.results.begin + 1);
  EXPECT_EQ(branch.location, "loc(#loc1)");
  EXPECT_EQ(module->Find(branch, "s"), R"("quoted } \" text")");
  const Region& then = module->regions[branch.first_region];
  ASSERT_NE(then.next, kNone);
  EXPECT_EQ(module->regions[then.next].next, kNone);
  EXPECT_EQ(module->regions[then.next].operation, 3u);
  // What a region defined is not seen behind it; a result that is not there is none.
  const Operation& use = module->operations[5];
  EXPECT_EQ(use.name, "x.use");
  EXPECT_EQ(module->Operands(use)[0].value, kNone);
  EXPECT_EQ(module->Operands(use)[1].value, kNone);
}

TEST(MlirReadTest, ACopyOutlivesWhatItIsACopyOf) {
  Module copy;
  {
    const auto module = Read("k", "\"a\"() : () -> ()");
    ASSERT_TRUE(module.ok()) << module.status();
    copy = *module;
  }
  EXPECT_EQ(copy.operations[0].name, "a");
}

TEST(MlirReadTest, ErrorsSayWhereAndWhat) {
  const auto message = [](const char* text) { return std::string(Read("x", text).status().message()); };
  EXPECT_EQ(message("module {\n  \"a\"(%x : () -> ()\n}").substr(0, 7), "x:2:6: ");
  EXPECT_NE(message("module {\n  foo.bar %x\n}").find("x:2:3: expected an operation in generic form"), std::string::npos);
  EXPECT_NE(message("module {").find("x:1:9: expected '}' of a region"), std::string::npos);
  EXPECT_NE(message("}").find("x:1:1: "), std::string::npos);
  EXPECT_NE(message("^a:").find("x:1:1: "), std::string::npos);
  EXPECT_NE(message("\"a\"() : i32").find("the type of a function"), std::string::npos);
  EXPECT_NE(message("%0 = \"a\"() : () -> ()").find("as many results"), std::string::npos);
  EXPECT_NE(message("\"a").find("a quote that is closed"), std::string::npos);
}

TEST(MlirReadTest, DepthIsNoDepthOfCalls) {
  constexpr size_t kDeep = 100'000;
  std::string text;
  for (size_t i = 0; i < kDeep; ++i) text += "\"a\"() ({";
  for (size_t i = 0; i < kDeep; ++i) text += "}) : () -> ()";
  const auto module = Read("deep", text);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->operations.size(), kDeep);
  // Brackets in a value as well.
  EXPECT_TRUE(Read("deep", "\"a\"() {v = " + std::string(kDeep, '[') + std::string(kDeep, ']') + "} : () -> ()").ok());
  EXPECT_FALSE(Read("deep", "\"a\"() {v = " + std::string(kDeep, '[')).ok());
}

TEST(MlirReadTest, WhatLooksLikeAModule) {
  EXPECT_TRUE(LooksLikeModule(kKernel));
  EXPECT_TRUE(LooksLikeModule("// c\nmodule {"));
  EXPECT_TRUE(LooksLikeModule("\"func.func\"() ({"));
  EXPECT_FALSE(LooksLikeModule("# a comment of another form\nmodule {"));
  EXPECT_FALSE(LooksLikeModule("HloModule m"));
  EXPECT_FALSE(LooksLikeModule("module m"));
  EXPECT_FALSE(LooksLikeModule("\"quoted\" text"));
  EXPECT_FALSE(LooksLikeModule(""));
  EXPECT_TRUE(LooksLikeBytecode("ML\xEFR\x01"));
  EXPECT_FALSE(LooksLikeBytecode("MLIR"));
}

// A damaged text is read or refused with its place; nothing else happens.
TEST(MlirReadTest, DamagedTextsEndWell) {
  const std::string whole = kKernel;
  size_t refused = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    Choices choices = Choices::FromSeed(seed, false);
    std::string text = whole;
    for (uint64_t edits = 1 + choices.Below(3); edits > 0; --edits) {
      const size_t at = choices.Below(text.size());
      constexpr std::string_view kLetters = "(){}[]<>\"%#^!:,=-> \nax0/";
      if (choices.Below(2) == 0) {
        text.erase(at, 1 + choices.Below(8));
      } else {
        text.insert(at, 1, kLetters[choices.Below(kLetters.size())]);
      }
    }
    const auto module = Read("damaged", text);
    if (module.ok()) continue;
    ++refused;
    EXPECT_TRUE(module.status().message().find("damaged:") == 0) << module.status();
  }
  EXPECT_GT(refused, 100u);
}

// The files of the folder that OOMPH_MLIR_CASES names, as far as they are in generic form.
TEST(MlirReadTest, PublicFilesAreReadOrRefusedWithAPlace) {
  const char* folder = std::getenv("OOMPH_MLIR_CASES");
  if (folder == nullptr) GTEST_SKIP() << "OOMPH_MLIR_CASES names no folder of MLIR files";
  size_t files = 0, read = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".mlir") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const auto module = Read(entry.path().filename().string(), std::string(std::istreambuf_iterator<char>(file), {}));
    ++files;
    read += module.ok();
    if (module.ok()) continue;
    EXPECT_NE(module.status().message().find(".mlir:"), absl::string_view::npos) << module.status();
  }
  EXPECT_GT(files, 0u);
  std::printf("%zu of %zu files are in generic form\n", read, files);
}

}  // namespace
}  // namespace oomph::mlir
