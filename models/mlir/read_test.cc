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
  EXPECT_NE(message("module {\n  $foo\n}").find("x:2:3: expected an operation"), std::string::npos);
  EXPECT_NE(message("HloModule m\n").find("x:1:1: expected an operation"), std::string::npos);
  EXPECT_NE(message("a.b ; c\n").find("x:1:5: expected what belongs to an operation"), std::string::npos);
  EXPECT_NE(message("a.b (%x").find("x:1:8: expected ')'"), std::string::npos);
  EXPECT_NE(message("a.b %x) : i32").find("x:1:7: expected the end of the operation"), std::string::npos);
  EXPECT_NE(message("a.b @\"c").find("a quote that is closed"), std::string::npos);
  EXPECT_NE(message("module {").find("x:1:9: expected '}' of a region"), std::string::npos);
  EXPECT_NE(message("}").find("x:1:1: "), std::string::npos);
  EXPECT_NE(message("^a:").find("x:1:1: "), std::string::npos);
  EXPECT_NE(message("\"a\"() : i32").find("the type of a function"), std::string::npos);
  EXPECT_NE(message("%0 = \"a\"() : () -> ()").find("as many results"), std::string::npos);
  EXPECT_NE(message("\"a").find("a quote that is closed"), std::string::npos);
}

constexpr const char* kPretty = R"(// RUN: mlir-opt %s
#map = affine_map<(d0) -> (d0)>
!t = memref<8xf32, 201>
air.channel @c [1, 1] {flag, tall = "}"}
func.func private @before(i32) -> i32
func.func @main(%arg0: memref<4x?xf32, strided<[1, ?], offset: ?>, #sc_tpu.memory_space<hbm>> {sc.in = true},
                %arg1: index) -> (i32 {r = "x"}, !t) attributes {sc.sequencer = "scs"} {
  %c0 = arith.constant 0 : index loc("a.py":1:2)
  %0:2 = foo.pair %arg1#0, %c0
    : (index, index) -> (i32, index)
  %alloca = memref.alloca() {alignment = 64 : i64} : !t
  memref.store %c0, %alloca[%0#1] : memref<8xf32, 201>
  %1 = scf.for %i = %c0 to %arg1 step %c0 iter_args(%acc = %0#0) -> (i32) : i32 {
    sc.task mask(%c0) execute({
      %2 = memref.alloca_scope -> (i32) {
        memref.alloca_scope.return %acc : i32
      }
      func.return
    }) done(%alloca : memref<8xf32, 201>) {last}
    scf.yield %acc : i32
  } {loop = #map}
  scf.if %c0 { scf.yield } else { a.b %i }
  scf.index_switch %c0
  case 0 {
    call @before(%0#0) : (i32) -> i32
  }
  default {
  }
  cf.cond_br %c0, ^bb1(%c0 : index), ^bb2
^bb1(%x: index):
  "a.generic"(%x) ({
    gpu.barrier
    scf.while (%w = %x) : (index) -> index {
      scf.condition(%c0) %w : index
    } do {
    ^bb0(%y: index):
      scf.yield %y : index
    }
  }) : (index) -> ()
 ^bb2() :
  %view = hal.subspan layout(#map) binding(0) : memref<?xf32>{%c0, %x}
  return %1, %alloca : i32, !t
} loc(unknown)
// -----
#map = affine_map<(d0) -> (0)>
module @second attributes {m = #map} { llvm.func @f() }
)";

TEST(MlirReadTest, FormsOfTheirOwn) {
  const auto module = Read("p.mlir", kPretty);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(NamesIn(*module, module->first_operation),
            (std::vector<std::string>{"air.channel", "func.func", "func.func", "builtin.module"}));
  const Operation& channel = module->operations[0];
  EXPECT_EQ(module->Find(channel, "tall"), "\"}\"");
  const Operation& main = module->operations[2];
  EXPECT_EQ(module->SymbolOf(main), "main");
  EXPECT_EQ(module->Find(main, "sc.sequencer"), "\"scs\"");
  EXPECT_EQ(main.location, "loc(unknown)");
  const Block& body = module->blocks[module->regions[main.first_region].first_block];
  ASSERT_EQ(module->Arguments(body).size(), 2u);
  EXPECT_EQ(module->Arguments(body)[0].type, "memref<4x?xf32, strided<[1, ?], offset: ?>, #sc_tpu.memory_space<hbm>>");
  EXPECT_EQ(module->Arguments(body)[1].name, "%arg1");
  EXPECT_EQ(NamesIn(*module, body.first_operation),
            (std::vector<std::string>{"arith.constant", "foo.pair", "memref.alloca", "memref.store", "scf.for", "scf.if", "scf.index_switch",
                                      "cf.cond_br"}));
  const auto find = [&](std::string_view name) {
    return *std::find_if(module->operations.begin(), module->operations.end(), [&](const Operation& o) { return o.name == name; });
  };
  const Operation alloca = find("memref.alloca"), store = find("memref.store"), loop = find("scf.for"), task = find("sc.task");
  EXPECT_EQ(module->Resolve(module->Results(alloca)[0].type), "memref<8xf32, 201>");
  EXPECT_EQ(module->Find(alloca, "alignment"), "64 : i64");
  ASSERT_EQ(module->Operands(store).size(), 3u);
  EXPECT_EQ(module->Operands(store)[1].value, alloca.results.begin);
  EXPECT_EQ(module->Operands(store)[2].value, find("foo.pair").results.begin + 1);
  EXPECT_EQ(module->Find(loop, "loop"), "#map");
  ASSERT_EQ(module->Operands(loop).size(), 4u);  // what %i and %acc are set to, not they
  EXPECT_EQ(module->Operands(loop)[1].name, "%arg1");
  EXPECT_EQ(module->Operands(loop)[3].name, "%0#0");
  EXPECT_EQ(module->Arguments(module->blocks[module->regions[loop.first_region].first_block]).size(), 2u);
  EXPECT_EQ(module->Find(task, "last"), "");
  EXPECT_EQ(module->Operands(task).back().value, alloca.results.begin);
  const Block& in_task = module->blocks[module->regions[task.first_region].first_block];
  EXPECT_EQ(NamesIn(*module, in_task.first_operation), (std::vector<std::string>{"memref.alloca_scope", "func.return"}));
  const Operation branch = find("scf.if"), choice = find("scf.index_switch");
  for (const Operation& two : {branch, choice, find("scf.while")}) {
    ASSERT_NE(module->regions[two.first_region].next, kNone) << two.name;
    EXPECT_EQ(module->regions[module->regions[two.first_region].next].next, kNone) << two.name;
  }
  const Block& first = module->blocks[body.next];
  EXPECT_EQ(first.label, "^bb1");
  EXPECT_EQ(module->blocks[first.next].label, "^bb2");
  EXPECT_EQ(NamesIn(*module, module->blocks[first.next].first_operation), (std::vector<std::string>{"hal.subspan", "return"}));
  // Each text sees its own aliases.
  EXPECT_EQ(module->Resolve(*module->Find(loop, "loop")), "affine_map<(d0) -> (d0)>");
  EXPECT_EQ(module->Resolve(*module->Find(find("builtin.module"), "m")), "affine_map<(d0) -> (0)>");
}

TEST(MlirReadTest, DepthIsNoDepthOfCalls) {
  constexpr size_t kDeep = 100'000;
  std::string text;
  for (size_t i = 0; i < kDeep; ++i) text += "\"a\"() ({";
  for (size_t i = 0; i < kDeep; ++i) text += "}) : () -> ()";
  const auto module = Read("deep", text);
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(module->operations.size(), kDeep);
  std::string own;
  for (size_t i = 0; i < kDeep; ++i) own += "a.b ({\n";
  for (size_t i = 0; i < kDeep; ++i) own += "})\n";
  EXPECT_TRUE(Read("deep", own).ok());
  EXPECT_FALSE(Read("deep", own.substr(0, own.size() / 2)).ok());
  // Brackets in a value as well.
  EXPECT_TRUE(Read("deep", "\"a\"() {v = " + std::string(kDeep, '[') + std::string(kDeep, ']') + "} : () -> ()").ok());
  EXPECT_FALSE(Read("deep", "\"a\"() {v = " + std::string(kDeep, '[')).ok());
}

TEST(MlirReadTest, WhatLooksLikeAModule) {
  EXPECT_TRUE(LooksLikeModule(kKernel));
  EXPECT_TRUE(LooksLikeModule("// c\nmodule {"));
  EXPECT_TRUE(LooksLikeModule("\"func.func\"() ({"));
  EXPECT_TRUE(LooksLikeModule("#a = b<[\n1]>\nfunc.func @f() {"));
  EXPECT_FALSE(LooksLikeModule("func.functor"));
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
  size_t refused = 0;
  for (uint64_t seed = 0; seed < 6000; ++seed) {
    const std::string whole = seed % 2 == 0 ? kKernel : kPretty;
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

}  // namespace
}  // namespace oomph::mlir
