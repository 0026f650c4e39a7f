// The verifier on whole modules: structure, what is started and finished, fusions, shardings, the header; and
// the real modules of a folder that OOMPH_HLO_CASES names. Not for the rules of single operations
// (infer_test.cc).
#include "models/hlo/verify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <span>

#include "absl/strings/str_cat.h"
#include "models/hlo/text.h"

namespace oomph::hlo {
namespace {

struct Case {
  std::string_view what;
  std::string_view text;
  std::string_view rule;  // the one that refuses it; empty: it is valid
};

std::string RulesOf(const Module& module) {
  std::string rules;
  for (const Problem& problem : Verify(module))
    absl::StrAppend(&rules, std::string(RowOf(problem.rule).name), " ");
  if (!rules.empty()) rules.pop_back();
  return rules;
}

constexpr std::string_view kSum =
    "HloModule m\nsum { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT z = f32[] add(x, y) }\n";

constexpr Case kStructure[] = {
    {"an unreachable computation",
     "HloModule m\nc { ROOT p = f32[] parameter(0) }\nENTRY e { ROOT p = f32[] parameter(0) }", ""},
    {"a gap between parameters",
     "HloModule m\nENTRY e { p = f32[] parameter(0)  ROOT q = f32[] parameter(2) }", "parameters"},
    {"a parameter twice", "HloModule m\nENTRY e { p = f32[] parameter(0)  ROOT q = f32[] parameter(0) }",
     "parameters"},
    {"an operand too few", "HloModule m\nENTRY e { p = f32[] parameter(0)  ROOT q = f32[] add(p) }",
     "operand_count"},
    {"no layout", "HloModule m\nENTRY e { ROOT p = f32[2,3]{1,1} parameter(0) }", "layout"},
    {"another layout",
     "HloModule m\nENTRY e { p = f32[2,3]{0,1} parameter(0)  ROOT q = f32[2,3]{1,0} negate(p) }", ""},
    {"a bound is a size", "HloModule m\nENTRY e { p = f32[<=3] parameter(0)  ROOT q = f32[3] negate(p) }",
     ""},
    {"no bound", "HloModule m\nENTRY e { ROOT p = f32[?] parameter(0) }", "unbounded"},
    {"the largest array", "HloModule m\nENTRY e { ROOT p = f32[2305843009213693951] parameter(0) }", ""},
    {"none before many", "HloModule m\nENTRY e { ROOT p = f32[0,9223372036854775807,2] parameter(0) }", ""},
    {"too many bytes", "HloModule m\nENTRY e { ROOT p = f32[2305843009213693952] parameter(0) }", "unbounded"},
    {"too many elements", "HloModule m\nENTRY e { ROOT p = (u8[], u8[9223372036854775807,2,0]) parameter(0) }", "unbounded"},
};

constexpr Case kFusions[] = {
    {"shared",
     "HloModule m\nf { p = f32[] parameter(0)  ROOT n = f32[] negate(p) }\nENTRY e { a = f32[] parameter(0)\n"
     "b = f32[] fusion(a), kind=kLoop, calls=f  ROOT c = f32[] fusion(b), kind=kLoop, calls=f }",
     "fusion"},
    {"a parameter for nobody",
     "HloModule m\nf { p = f32[] parameter(0)  q = f32[] parameter(1)  ROOT n = f32[] negate(p) }\n"
     "ENTRY e { a = f32[] parameter(0)  ROOT b = f32[] fusion(a, a), kind=kLoop, calls=f }",
     "fusion"},
    {"a root with a user",
     "HloModule m\nf { p = f32[] parameter(0)  ROOT n = f32[] negate(p)  q = f32[] negate(n) }\n"
     "ENTRY e { a = f32[] parameter(0)  ROOT b = f32[] fusion(a), kind=kLoop, calls=f }",
     "fusion fusion"},
    {"of the entry",
     "HloModule m\nENTRY e { p = f32[] parameter(0)  ROOT n = f32[] negate(p) }\n"
     "f { a = f32[] parameter(0)  ROOT b = f32[] fusion(a), kind=kLoop, calls=e }",
     "entry"},
    {"on another thread",
     "HloModule m\nf { p = f32[] parameter(0)  ROOT n = f32[] negate(p) }, execution_thread=\"x\"\n"
     "ENTRY e { a = f32[] parameter(0)  ROOT b = f32[] fusion(a), kind=kLoop, calls=f }",
     "thread"},
};

constexpr Case kPairs[] = {
    {"copy",
     "HloModule m\nENTRY e { a = f32[2] parameter(0)  s = (f32[2], f32[2], u32[]) copy-start(a)\nROOT d = "
     "f32[2] copy-done(s) }",
     ""},
    {"copy of another shape",
     "HloModule m\nENTRY e { a = f32[2] parameter(0)  s = (f32[2], f32[2], s32[]) copy-start(a)\nROOT d = "
     "f32[2] copy-done(s) }",
     "result_shape"},
    {"copied twice",
     "HloModule m\nENTRY e { a = f32[2] parameter(0)  s = (f32[2], f32[2], u32[]) copy-start(a)\n"
     "d = f32[2] copy-done(s)  f = f32[2] copy-done(s)  ROOT r = f32[2] add(d, f) }",
     "pair"},
    {"all-gather",
     "HloModule m\nENTRY e { a = f32[2] parameter(0)\ns = (f32[2], f32[4]) all-gather-start(a), "
     "replica_groups={{0,1}}, dimensions={0}\n"
     "ROOT d = f32[4] all-gather-done(s) }",
     ""},
    {"all-gather of too much",
     "HloModule m\nENTRY e { a = f32[2] parameter(0)\ns = (f32[2], f32[6]) all-gather-start(a), "
     "replica_groups={{0,1}}, dimensions={0}\n"
     "ROOT d = f32[6] all-gather-done(s) }",
     "result_shape"},
    {"collective-permute",
     "HloModule m\nENTRY e { a = f32[2] parameter(0)\ns = (f32[2], f32[2], u32[], u32[]) "
     "collective-permute-start(a), source_target_pairs={{0,1}}\n"
     "ROOT d = f32[2] collective-permute-done(s) }",
     ""},
    {"collective-permute without a tuple",
     "HloModule m\nENTRY e { a = f32[2] parameter(0)\ns = f32[2] collective-permute-start(a), "
     "source_target_pairs={{0,1}}\n"
     "ROOT d = f32[2] collective-permute-done(s) }",
     "result_shape operand_type"},
    {"send",
     "HloModule m\nENTRY e { a = f32[2] parameter(0)  t = token[] after-all()\ns = (f32[2], u32[], token[]) "
     "send(a, t), channel_id=1\n"
     "ROOT d = token[] send-done(s), channel_id=1 }",
     ""},
    {"send on two channels",
     "HloModule m\nENTRY e { a = f32[2] parameter(0)  t = token[] after-all()\ns = (f32[2], u32[], token[]) "
     "send(a, t), channel_id=1\n"
     "ROOT d = token[] send-done(s), channel_id=2 }",
     "channel"},
    {"send and nobody waits",
     "HloModule m\nENTRY e { a = f32[2] parameter(0)  t = token[] after-all()\nROOT s = (f32[2], u32[], "
     "token[]) send(a, t), channel_id=1 }",
     "pair"},
    {"recv",
     "HloModule m\nENTRY e { t = token[] after-all()  r = (f32[2], u32[], token[]) recv(t), channel_id=1, "
     "is_host_transfer=true\n"
     "ROOT d = (f32[2], token[]) recv-done(r), channel_id=1, is_host_transfer=true }",
     ""},
    {"recv from elsewhere",
     "HloModule m\nENTRY e { t = token[] after-all()  r = (f32[2], u32[], token[]) recv(t), channel_id=1, "
     "is_host_transfer=true\n"
     "ROOT d = (f32[2], token[]) recv-done(r), channel_id=1 }",
     "channel"},
};

constexpr Case kAsync[] = {
    {"long form",
     "HloModule m\nw { p = f32[2] parameter(0)  ROOT n = f32[2] negate(p) }\nENTRY e { a = f32[2] "
     "parameter(0)\n"
     "s = ((f32[2]), f32[2], s32[]) async-start(a), calls=w\nu = ((f32[2]), f32[2], s32[]) async-update(s)  "
     "ROOT d = f32[2] async-done(u) }",
     ""},
    {"short form",
     "HloModule m\nENTRY e { a = f32[4] parameter(0)\ns = ((f32[4]), f32[2], s32[]) slice-start(a), "
     "slice={[0:2]}\nROOT d = f32[2] slice-done(s) }",
     ""},
    {"short form of what is wrong",
     "HloModule m\nENTRY e { a = f32[4] parameter(0)\ns = ((f32[4]), f32[3], s32[]) slice-start(a), "
     "slice={[0:2]}\nROOT d = f32[3] slice-done(s) }",
     "result_shape"},
    {"another name",
     "HloModule m\nENTRY e { a = f32[4] parameter(0)\ns = ((f32[4]), f32[2], s32[]) slice-start(a), "
     "slice={[0:2]}\nROOT d = f32[2] negate-done(s) }",
     "async"},
    {"another operand",
     "HloModule m\nw { p = f32[2] parameter(0)  ROOT n = f32[2] negate(p) }\nENTRY e { a = f32[3] "
     "parameter(0)\n"
     "s = ((f32[2]), f32[2], s32[]) async-start(a), calls=w\nROOT d = f32[2] async-done(s) }",
     "async"},
    {"two callers",
     "HloModule m\nw { p = f32[2] parameter(0)  ROOT n = f32[2] negate(p) }\nENTRY e { a = f32[2] "
     "parameter(0)\n"
     "s = ((f32[2]), f32[2], s32[]) async-start(a), calls=w  d = f32[2] async-done(s)\n"
     "r = ((f32[2]), f32[2], s32[]) async-start(d), calls=w  ROOT f = f32[2] async-done(r) }",
     "async"},
    {"several operations",
     "HloModule m\nw { p = f32[2] parameter(0)  n = f32[2] negate(p)  ROOT o = f32[2] negate(n) }\nENTRY e { "
     "a = f32[2] parameter(0)\n"
     "s = ((f32[2]), f32[2], s32[]) async-start(a), calls=w  ROOT d = f32[2] async-done(s) }",
     "async"},
    {"another thread",
     "HloModule m\nw { p = f32[2] parameter(0)  ROOT n = f32[2] negate(p) }\nENTRY e { a = f32[2] "
     "parameter(0)\n"
     "s = ((f32[2]), f32[2], s32[]) async-start(a), async_execution_thread=\"x\", calls=w  ROOT d = f32[2] "
     "async-done(s) }",
     ""},
    {"without its start", "HloModule m\nENTRY e { a = f32[2] parameter(0)  ROOT d = f32[2] negate-done(a) }",
     "async pair"},
};

constexpr Case kHeader[] = {
    {"layout",
     "HloModule m, entry_computation_layout={(f32[2]{0})->f32[2]{0}}\nENTRY e { p = f32[2] parameter(0)  "
     "ROOT n = f32[2] negate(p) }",
     ""},
    {"layout of another result",
     "HloModule m, entry_computation_layout={(f32[2]{0})->f32[3]{0}}\nENTRY e { p = f32[2] parameter(0)  "
     "ROOT n = f32[2] negate(p) }",
     "entry_layout"},
    {"layout for more parameters",
     "HloModule m, entry_computation_layout={(f32[2], f32[2])->f32[2]}\nENTRY e { ROOT p = f32[2] "
     "parameter(0) }",
     "entry_layout"},
    {"alias",
     "HloModule m, input_output_alias={ {0}: (0, {1}, may-alias) }\nENTRY e { p = (f32[], f32[2]) "
     "parameter(0)\n"
     "q = f32[2] get-tuple-element(p), index=1  ROOT t = (f32[2], f32[2]) tuple(q, q) }",
     ""},
    {"alias of a tuple",
     "HloModule m, input_output_alias={ {}: (0, {}) }\nENTRY e { ROOT p = (f32[], f32[2]) parameter(0) }",
     "alias"},
    {"alias of nothing",
     "HloModule m, input_output_alias={ {}: (1, {}) }\nENTRY e { ROOT p = f32[2] parameter(0) }", "alias"},
    {"alias twice",
     "HloModule m, input_output_alias={ {0}: (0, {}), {1}: (0, {}) }\nENTRY e { p = f32[2] parameter(0)  "
     "ROOT t = (f32[2], f32[2]) tuple(p, p) }",
     "alias"},
    {"must alias",
     "HloModule m, input_output_alias={ {}: (0, {}, must-alias) }\nENTRY e { p = f32[2] parameter(0)  ROOT s "
     "= f32[1] slice(p), slice={[0:1]} }",
     "alias"},
    {"may alias",
     "HloModule m, input_output_alias={ {}: (0, {}) }\nENTRY e { p = f32[2] parameter(0)  ROOT s = f32[1] "
     "slice(p), slice={[0:1]} }",
     ""},
    {"donor", "HloModule m, buffer_donor={ (0, {}) }\nENTRY e { ROOT p = f32[2] parameter(0) }", ""},
    {"no donor", "HloModule m, buffer_donor={ (0, {0}) }\nENTRY e { ROOT p = f32[2] parameter(0) }", "alias"},
    {"donor and alias",
     "HloModule m, buffer_donor={ (0, {}) }, input_output_alias={ {}: (0, {}) }\nENTRY e { ROOT p = f32[2] "
     "parameter(0) }",
     "alias"},
};

constexpr Case kShardings[] = {
    {"tiles",
     "HloModule m, num_partitions=2\nENTRY e { ROOT p = f32[2] parameter(0), sharding={devices=[2]0,1} }",
     ""},
    {"without a number of devices",
     "HloModule m\nENTRY e { ROOT p = f32[2] parameter(0), sharding={devices=[2]0,1} }", ""},
    {"too few tiles",
     "HloModule m, num_partitions=4\nENTRY e { ROOT p = f32[2] parameter(0), sharding={devices=[2]0,1} }",
     "sharding"},
    {"a device twice", "HloModule m\nENTRY e { ROOT p = f32[2] parameter(0), sharding={devices=[2]0,0} }",
     "sharding"},
    {"another rank", "HloModule m\nENTRY e { ROOT p = f32[2] parameter(0), sharding={devices=[2,1]<=[2]} }",
     "sharding"},
    {"equal parts",
     "HloModule m\nENTRY e { ROOT p = f32[2] parameter(0), sharding={devices=[2,2]<=[4] "
     "last_tile_dim_replicate} }",
     ""},
    {"one for a tuple",
     "HloModule m\nENTRY e { ROOT p = (f32[2], f32[]) parameter(0), sharding={replicated} }", ""},
    {"too few for a tuple",
     "HloModule m\nENTRY e { ROOT p = (f32[2], f32[]) parameter(0), sharding={{replicated}} }", "sharding"},
    {"a loop",
     "HloModule m\nc { p = f32[2] parameter(0)  ROOT r = pred[] constant(true) }\n"
     "b { ROOT p = f32[2] parameter(0), sharding={devices=[2]0,1} }\n"
     "ENTRY e { p = f32[2] parameter(0)  ROOT w = f32[2] while(p), condition=c, body=b, "
     "sharding={devices=[2]<=[2]} }",
     ""},
    {"a loop of two minds",
     "HloModule m\nc { p = f32[2] parameter(0)  ROOT r = pred[] constant(true) }\n"
     "b { ROOT p = f32[2] parameter(0), sharding={devices=[2]0,1} }\n"
     "ENTRY e { p = f32[2] parameter(0)  ROOT w = f32[2] while(p), condition=c, body=b, "
     "sharding={replicated} }",
     "sharding"},
};

void Judge(std::span<const Case> cases) {
  for (const Case& one : cases) {
    const absl::StatusOr<Module> module = Parse("case", one.text);
    ASSERT_TRUE(module.ok()) << one.what << ": " << module.status();
    EXPECT_EQ(RulesOf(*module), one.rule) << one.what;
  }
}

TEST(VerifyTest, Structure) { Judge(kStructure); }
TEST(VerifyTest, Fusions) { Judge(kFusions); }
TEST(VerifyTest, WhatIsStartedIsFinished) { Judge(kPairs); }
TEST(VerifyTest, Async) { Judge(kAsync); }
TEST(VerifyTest, Header) { Judge(kHeader); }
TEST(VerifyTest, Shardings) { Judge(kShardings); }

TEST(VerifyTest, AllReducesConstrainTheirLayoutTogether) {
  const auto rules = [](std::string_view first) {
    const auto module =
        Parse("m", absl::StrCat(std::string(kSum), "ENTRY e { a = f32[2] parameter(0)\n",
                                "b = f32[2] all-reduce(a), ", std::string(first), "to_apply=sum\n",
                                "ROOT c = f32[2] all-reduce(b), constrain_layout=true, to_apply=sum }"));
    EXPECT_TRUE(module.ok()) << module.status();
    return module.ok() ? RulesOf(*module) : "unread";
  };
  EXPECT_EQ(rules("constrain_layout=true, "), "");
  EXPECT_EQ(rules(""), "constrain_layout");
}

constexpr Case kBuffers[] = {
    {"pinned",
     "HloModule m\nENTRY e { a = f32[2] parameter(0)\n"
     "b = b(f32[2]) custom-call(a), custom_call_target=\"Pin\", output_to_operand_aliasing={{}: (0, {})}\n"
     "c = b(f32[2]) custom-call(b), custom_call_target=\"x\", output_to_operand_aliasing={{}: (0, {})}\n"
     "ROOT d = f32[2] custom-call(c), custom_call_target=\"Unpin\", output_to_operand_aliasing={{}: (0, {})} "
     "}",
     ""},
    {"pinned twice",
     "HloModule m\nENTRY e { a = f32[2] parameter(0)\n"
     "ROOT b = b(f32[2]) custom-call(a, a), custom_call_target=\"Pin\", output_to_operand_aliasing={{}: (0, "
     "{})} }",
     "buffer"},
    {"from nothing", "HloModule m\nENTRY e { ROOT b = b(f32[2]) custom-call(), custom_call_target=\"x\" }",
     "buffer"},
    {"created",
     "HloModule m\nENTRY e { ROOT b = b(f32[2]) custom-call(), custom_call_target=\"CreateBuffer\" }", ""},
    {"as a parameter", "HloModule m\nENTRY e { ROOT b = b(f32[2]) parameter(0) }", "buffer"},
};

TEST(VerifyTest, Buffers) { Judge(kBuffers); }

TEST(VerifyTest, ABufferHasNoPlaceInACopy) {
  const auto module = Parse(
      "m",
      "HloModule m\nENTRY e { a = f32[2] parameter(0)\n"
      "b = b(f32[2]) custom-call(a), custom_call_target=\"Pin\", output_to_operand_aliasing={{}: (0, {})}\n"
      "ROOT c = b(f32[2]) copy(b) }");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(RulesOf(*module), "buffer");
}

// A module that no text can say: indices that point nowhere. Each is an answer, none a crash.
TEST(VerifyTest, IndicesThatPointNowhere) {
  const auto module = Parse("m", absl::StrCat(std::string(kSum), "ENTRY e { a = f32[2] parameter(0)\n",
                                              "ROOT b = f32[2] negate(a) }"));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(RulesOf(*module), "");
  EXPECT_FALSE(Verify(Module()).empty());
  const auto spoiled = [&](auto spoil) {
    Module bad = *module;
    spoil(bad, bad.computations.back().instructions.back());
    return RulesOf(bad);
  };
  EXPECT_EQ(spoiled([](Module& m, Instruction&) { m.entry = 9; }), "entry");
  EXPECT_EQ(spoiled([](Module& m, Instruction&) { m.computations[0].root = 9; }), "root");
  EXPECT_EQ(spoiled([](Module& m, Instruction&) { m.computations[0].instructions.clear(); }), "root");
  EXPECT_EQ(spoiled([](Module&, Instruction& i) { i.shape = 999; }), "entry");
  EXPECT_EQ(spoiled([](Module&, Instruction& i) { i.operands = {7, UINT32_MAX}; }), "entry");
  EXPECT_EQ(spoiled([](Module& m, Instruction& i) { i.operands = m.AddOperands(std::vector<uint32_t>{1}); }),
            "operand_order");
  EXPECT_EQ(spoiled([](Module& m, Instruction&) { m.computations[1].name = m.computations[0].name; }),
            "names");
  EXPECT_EQ(spoiled([](Module& m, Instruction& i) { i.name = m.computations[1].instructions[0].name; }),
            "names");
  EXPECT_EQ(spoiled([](Module& m, Instruction& i) {
              const Reference self = {Reference::kComputation, 1};
              i.opcode = i.wrapped = Opcode::kCall;
              i.attributes = m.AddAttributes(std::vector<AttributeId>{
                  m.attribute_table.Add(Key::kToApply, Form::kComputation, {}, {&self, 1})});
            }),
            "call_order");
}

// A tuple of itself 60 levels deep has 2^60 leaves and 60 shapes. 100,000 levels are an answer, no overflow.
TEST(VerifyTest, ManyLeavesAreCountedNotVisited) {
  auto module = Parse("m", "HloModule m\nENTRY e { ROOT a = f32[2] parameter(0) }");
  ASSERT_TRUE(module.ok()) << module.status();
  ShapeId& shape = module->computations[0].instructions[0].shape;
  for (int i = 0; i < 60; ++i) shape = module->shapes.AddTuple(std::vector<ShapeId>{shape, shape});
  EXPECT_EQ(RulesOf(*module), "");
  for (int i = 0; i < 100000; ++i) shape = module->shapes.AddTuple(std::vector<ShapeId>{shape});
  EXPECT_EQ(RulesOf(*module), "entry");
}

TEST(VerifyTest, TheListOfProblemsIsBounded) {
  std::string text = "HloModule m\nENTRY e { a = f32[2] parameter(0)\n";
  for (int i = 0; i < 300; ++i) absl::StrAppend(&text, "b", i, " = f32[3] negate(a)\n");
  const auto module = Parse("m", absl::StrCat(text, "ROOT r = f32[2] negate(a) }"));
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(Verify(*module).size(), kMaxProblems);
}

TEST(VerifyTest, EachRuleHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (size_t i = 0; i < kRules; ++i) {
    names.insert(RowOf(static_cast<Rule>(i)).name);
    EXPECT_FALSE(RowOf(static_cast<Rule>(i)).meaning.empty());
  }
  EXPECT_EQ(names.size(), kRules);
}

// The real modules: XLA's verifier refuses these nine of the 478 that its reader takes, for the reasons here.
constexpr Case kRefused[] = {
    {"017", "", "operand_shape"},
    {"041", "", "result_shape"},
    {"302", "", "operand_type"},
    {"458", "", "result_shape"},
    {"460", "", "pair"},
    {"722", "", "attribute_value"},
    {"748", "", "constrain_layout"},
    {"749", "", "constrain_layout"},
    {"751", "", "attribute_value"},
};
// Its reader refuses these, which can be read: their custom calls have the version API_VERSION_UNSPECIFIED.
constexpr std::string_view kOfOtherVersions[] = {"709", "713", "715", "716", "718", "719", "724", "725",
                                                 "727", "728", "730", "731", "733", "734", "736", "737",
                                                 "739", "740", "742", "743", "745", "746"};

TEST(SlowVerifyTest, RealModules) {
  const char* folder = std::getenv("OOMPH_HLO_CASES");
  if (folder == nullptr) GTEST_SKIP() << "OOMPH_HLO_CASES names no folder of modules";
  size_t valid = 0, refused = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".hlo") continue;
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::string name = entry.path().stem().string();
    const absl::StatusOr<Module> module = Parse(name, text);
    if (!module.ok()) continue;  // the reader's tests say which and why
    const auto* expected = std::ranges::find(kRefused, std::string_view(name), &Case::what);
    const std::vector<Problem> problems = Verify(*module);
    if (expected != std::end(kRefused)) {
      ++refused;
      ASSERT_FALSE(problems.empty()) << name;
      EXPECT_EQ(RowOf(problems.front().rule).name, expected->rule)
          << name << ": " << Describe(*module, problems.front());
    } else if (std::ranges::find(kOfOtherVersions, name) != std::end(kOfOtherVersions)) {
      EXPECT_FALSE(problems.empty()) << name;
    } else {
      valid += problems.empty() ? 1 : 0;
      EXPECT_TRUE(problems.empty()) << name << ": " << Describe(*module, problems.front());
    }
  }
  EXPECT_EQ(valid, 469u);
  EXPECT_EQ(refused, 9u);
}

}  // namespace
}  // namespace oomph::hlo
