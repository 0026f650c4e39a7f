// Modules read and printed: canonical ones byte for byte, hand-written ones as canonical ones; limits and
// refusals.
#include "models/hlo/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "models/hlo/text_test_modules.h"

namespace oomph::hlo {
namespace {

Module Read(std::string_view text) {
  absl::StatusOr<Module> module = Parse("t", text);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : Module();
}

TEST(TextTest, CanonicalModulesComeBackByteForByte) {
  for (const std::string_view text : kCanonicalModules) {
    const Module module = Read(text);
    EXPECT_EQ(Print(module), text);
    EXPECT_TRUE(Read(Print(module)) == module);
  }
}

// The module says the same in any style.
TEST(TextTest, StylesDoNotChangeTheModule) {
  for (const std::string_view text : kCanonicalModules) {
    const Module module = Read(text);
    for (int bits = 0; bits < 16; ++bits) {
      const TextStyle style = {(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0};
      EXPECT_TRUE(Read(Print(module, style)) == module) << Print(module, style);
    }
  }
}

// The text may go away: what is compared and printed are the typed fields.
TEST(TextTest, NothingOfTheTextIsKept) {
  for (const std::string_view canonical : kCanonicalModules) {
    std::string text(canonical);
    const Module module = Read(text);
    std::fill(text.begin(), text.end(), '#');
    EXPECT_EQ(Print(module), canonical);
  }
}

struct Rewrite {
  const char* name;
  const char* text;
  const char* canonical;
};
constexpr Rewrite kRewrites[] = {
    {"no header, no ENTRY, no ROOT, no signature", "e { a = f32[] parameter(0)\n b = f32[] negate(a) }",
     "HloModule module_e\n\nENTRY e (a: f32[]) -> f32[] {\n  a = f32[] parameter(0)\n  ROOT b = f32[] "
     "negate(a)\n}\n\n"},
    {"the entry need not be last, nor the root",
     "HloModule m ENTRY e { ROOT a = f32[] parameter(0)\n b = f32[] negate(a) } f { a = s8[] parameter(0) }",
     "HloModule m\n\nENTRY e (a: f32[]) -> f32[] {\n  ROOT a = f32[] parameter(0)\n  b = f32[] "
     "negate(a)\n}\n\n"
     "f (a: s8[]) -> s8[] {\n  ROOT a = s8[] parameter(0)\n}\n\n"},
    {"comments and blanks",
     "// RUN: x\n/* HloModule y */ HloModule /*z*/ m // w\nENTRY e{ROOT a=f32[] /*b*/ constant( 1 )}// v",
     "HloModule m\n\nENTRY e () -> f32[] {\n  ROOT a = f32[] constant(1)\n}\n\n"},
    {"a literal over lines", "HloModule m\ne { a = f32[2,2] constant({\n  {1,  2}, // row\n  {3, 4}\n}) }",
     "HloModule m\n\nENTRY e () -> f32[2,2] {\n  ROOT a = f32[2,2] constant({ {1, 2}, {3, 4} })\n}\n\n"},
    {"instructions as operands",
     "HloModule m\ne { a = f32[] add(f32[] parameter(0), f32[] negate(f32[] parameter(1))) }",
     "HloModule m\n\nENTRY e (parameter.anon: f32[], parameter.anon1: f32[]) -> f32[] {\n"
     "  parameter.anon = f32[] parameter(0)\n  parameter.anon1 = f32[] parameter(1)\n"
     "  negate.anon = f32[] negate(parameter.anon1)\n  ROOT a = f32[] add(parameter.anon, "
     "negate.anon)\n}\n\n"},
    {"elements as operands",
     "HloModule m\ne { a = (s8[], (f32[], u8[])) parameter(0)\n b = f32[] negate(a#1#0) }",
     "HloModule m\n\nENTRY e (a: (s8[], (f32[], u8[]))) -> f32[] {\n  a = (s8[], (f32[], u8[])) "
     "parameter(0)\n"
     "  get-tuple-element.anon = (f32[], u8[]) get-tuple-element(a), index=1\n"
     "  get-tuple-element.anon1 = f32[] get-tuple-element(get-tuple-element.anon), index=0\n"
     "  ROOT b = f32[] negate(get-tuple-element.anon1)\n}\n\n"},
    {"computations in braces, with the names of the outer one",
     "HloModule m\ne { a = f32[] parameter(0)\n"
     "  b = f32[] call(a), to_apply={ a = f32[] parameter(0)\n b = f32[] call(a), to_apply={ a = f32[] "
     "parameter(0) } },"
     " index=3\n  c = f32[] add(a, b), control-predecessors={a} }",
     "HloModule m\n\n_ (a: f32[]) -> f32[] {\n  ROOT a = f32[] parameter(0)\n}\n\n"
     "_.1 (a: f32[]) -> f32[] {\n  a = f32[] parameter(0)\n  ROOT b = f32[] call(a), to_apply=_\n}\n\n"
     "ENTRY e (a: f32[]) -> f32[] {\n  a = f32[] parameter(0)\n  b = f32[] call(a), to_apply=_.1, index=3\n"
     "  ROOT c = f32[] add(a, b), control-predecessors={a}\n}\n\n"},
    {"the entry, with a computation in braces",
     "HloModule m\nENTRY e { a = f32[] parameter(0)\n b = f32[] call(a), to_apply={ a = f32[] parameter(0) } }",
     "HloModule m\n\n_ (a: f32[]) -> f32[] {\n  ROOT a = f32[] parameter(0)\n}\n\n"
     "ENTRY e (a: f32[]) -> f32[] {\n  a = f32[] parameter(0)\n  ROOT b = f32[] call(a), to_apply=_\n}\n\n"},
    {"shapes that are not given", "HloModule m\ne { a = f32[] parameter(0)\n b = negate(a) }",
     "HloModule m\n\nENTRY e {\n  a = f32[] parameter(0)\n  ROOT b = negate(a)\n}\n\n"},
    {"attributes over lines",
     "HloModule m,\n is_scheduled=true\ne { a = s32[4] iota(),\n   iota_dimension=\n  0 }",
     "HloModule m, is_scheduled=true\n\nENTRY e () -> s32[4] {\n  ROOT a = s32[4] iota(), "
     "iota_dimension=0\n}\n\n"},
    {"a byte order mark, and carriage returns",
     "\xEF\xBB\xBFHloModule m\r\ne {\r\n  a = f32[] constant(1)\r\n}\r\n",
     "HloModule m\n\nENTRY e () -> f32[] {\n  ROOT a = f32[] constant(1)\n}\n\n"},
};

TEST(TextTest, HandWrittenModulesArePrintedAsCanonicalOnes) {
  for (const Rewrite& row : kRewrites) {
    const Module module = Read(row.text);
    EXPECT_EQ(Print(module), row.canonical) << row.name;
    EXPECT_TRUE(Read(row.canonical) == module) << row.name;
  }
}

TEST(TextTest, WhatIsReadStandsInTheFields) {
  const Module module = Read(kCanonicalModules[2]);
  ASSERT_EQ(module.computations.size(), 3u);
  EXPECT_EQ(module.strings[module.name], "async");
  EXPECT_EQ(module.entry, 2u);
  EXPECT_TRUE(module.Find(module.attributes, Key::kIsScheduled).has_value());
  EXPECT_FALSE(module.Find(module.attributes, Key::kIndex).has_value());
  EXPECT_EQ(module.Attributes(module.computations[0].attributes).size(), 1u);
  const Computation& main = module.computations[2];
  ASSERT_EQ(main.instructions.size(), 14u);
  EXPECT_EQ(InstructionCount(module), 17u);
  EXPECT_EQ(main.root, 13u);
  EXPECT_EQ(main.instructions[1].payload, 1u);
  const Instruction& slice = main.instructions[5];
  EXPECT_EQ(module.Name(slice), "s");
  EXPECT_EQ(slice.opcode, Opcode::kAsyncStart);
  EXPECT_EQ(slice.wrapped, Opcode::kSlice);
  EXPECT_EQ(PrintShape(module.shapes, slice.shape), "((f32[16]{0}), f32[8]{0}, s32[])");
  const std::vector<uint32_t> operand = {4};
  EXPECT_TRUE(std::ranges::equal(module.Operands(slice), operand));
  EXPECT_EQ(Called(module, main.instructions[10]), (std::vector<uint32_t>{1, 1}));
  EXPECT_EQ(module.Number(main.instructions[12], Key::kChannelId), 1);
  EXPECT_EQ(module.Number(main.instructions[12], Key::kIndex, -9), -9);
}

struct Refused {
  const char* text;
  const char* message;
};
constexpr Refused kRefused[] = {
    {"", "t:1:1: expected 'HloModule' or a computation, found the end of the text"},
    {"HloModule", "t:1:10: expected the name of the module, found the end of the text"},
    {"HloModule m", "t:1:12: expected a computation, found the end of the text"},
    {"HloModule m, x", "t:1:15: expected '=', found the end of the text"},
    {"// only a comment", "found the end of the text"},
    {"HloModule m\n$x {", "t:2:1: expected a computation, found '$'\n  $x {\n  ^"},
    {"HloModule m\ne {\n}", "t:2:3: a computation without instructions"},
    {"HloModule m\ne {\n  a = f32[] constant(1)\n",
     "expected an instruction or '}', found the end of the text"},
    {"HloModule m\ne {\n  a = f32[] constant(1)\n}\ne {\n}", "t:5:1: a computation named 'e' stands above"},
    {"HloModule m\nENTRY e { a = f32[] constant(1) }\nENTRY f {", "t:3:1: a second ENTRY"},
    {"HloModule m\ne { a = f32[] constant(1) }\nHloModule n", "t:3:1: a second module begins here"},
    {"HloModule m\ne { ROOT a = f32[] constant(1)\n  ROOT b = f32[] constant(1) }", "t:3:3: a second ROOT"},
    {"HloModule m\ne { a = f32[] constant(1)\n  a = f32[] constant(1) }",
     "t:3:3: an instruction named 'a' stands"},
    {"HloModule m\ne { a f32[] constant(1) }", "t:2:7: expected '=', found 'f32'"},
    {"HloModule m\ne { a = f32 constant(1) }",
     "t:2:9: expected a shape or the name of an operation, found 'f32'"},
    {"HloModule m\ne { a = f32[] konstant(1) }",
     "t:2:15: expected the name of an operation, found 'konstant'"},
    {"HloModule m\ne { a = f32[] constant{1} }", "t:2:23: expected '(', found '{'"},
    {"HloModule m\ne { a = f32[] constant({1) }", "t:2:28: expected ')', found '}'"},
    {"HloModule m\ne { a = f32[] constant({1", "t:2:24: expected a literal that is closed by ')'"},
    {"HloModule m\ne { a = f32[] parameter(-1) }", "t:2:25: expected the number of a parameter"},
    {"HloModule m\ne { a = f32[] parameter(x) }", "t:2:25: expected an integer, found 'x'"},
    {"HloModule m\ne { a = f32[] negate(b) }",
     "t:2:22: no instruction named 'b' stands above in this computation"},
    {"HloModule m\ne { a = f32[] negate(a) }",
     "t:2:22: no instruction named 'a' stands above in this computation"},
    {"HloModule m\ne { a = f32[] constant(1) }\nf { b = f32[] negate(a) }",
     "t:3:22: no instruction named 'a'"},
    {"HloModule m\ne { a = f32[] constant(1)\n b = f32[] add(a a) }", "t:3:18: expected ')', found 'a'"},
    {"HloModule m\ne { a = f32[] constant(1)\n b = f32[] add(a,) }",
     "t:3:18: expected an operand or ')', found ')'"},
    {"HloModule m\ne { a = f32[] constant(1)\n b = f32[] negate(a#0) }",
     "t:3:20: the operand has no such element"},
    {"HloModule m\ne (a: f32[]) f32[] {", "t:2:14: expected '->', found 'f32'"},
    {"HloModule m\ne (a f32[]) -> f32[] {", "t:2:6: expected ':', found 'f32'"},
    {"HloModule m\ne { a = f32[] constant(1) }, control-predecessors={a}",
     "t:2:52: no instruction named 'a'"},
    {"HloModule m\nFileNames\n2 \"x\"", "t:3:1: the rows are numbered from 1: expected 1"},
    {"HloModule m\nStackFrames\n1 {line=3}", "t:3:4: expected a field of this table or '}'"},
    {"HloModule m\ne { a = f32[] constant(1), b={ }", "expected an instruction or '}'"},
};

TEST(TextTest, Refusals) {
  for (const Refused& row : kRefused) {
    const absl::StatusOr<Module> module = Parse("t", row.text);
    ASSERT_FALSE(module.ok()) << row.text;
    EXPECT_NE(module.status().message().find(row.message), absl::string_view::npos)
        << row.text << ": " << module.status();
  }
}

// The line of an error is shown in part where it is long, without what a terminal would take for a command.
TEST(TextTest, ErrorsShowTheLine) {
  const std::string text =
      "HloModule m\ne { " + std::string(5000, ' ') + "a = \x1b[31m" + std::string(5000, 'x');
  const std::string message(Parse("t", text).status().message());
  EXPECT_LT(message.size(), 400u);
  EXPECT_EQ(message.find('\x1b'), std::string::npos);
  EXPECT_TRUE(message.starts_with("t:2:5009: expected a shape or the name of an operation")) << message;
}

std::string Repeated(std::string_view text, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i) all += text;
  return all;
}

// Each deep text is answered with place and reason: nothing here calls itself without a limit.
TEST(TextTest, DeepTextsAreAnswered) {
  constexpr size_t kLevels = 100'000;
  const std::pair<std::string, const char*> rows[] = {
      {"HloModule m\ne { a = " + Repeated("(", kLevels) + "f32[]" + Repeated(")", kLevels) + " constant(0) }",
       "shapes are nested deeper than 100"},
      {"HloModule m\ne { a = " + Repeated("b(", kLevels) + "f32[]" + Repeated(")", kLevels) +
           " constant(0) }",
       "shapes are nested deeper than 100"},
      {"HloModule m\ne { a = f32[]{:" + Repeated("P(f32[]{:", kLevels) + Repeated("})", kLevels) +
           "} constant(0) }",
       "shapes are nested deeper than 100"},
      {"HloModule m\ne { a = f32[] " + Repeated("negate(", kLevels) + "f32[] parameter(0)" +
           Repeated(")", kLevels) + "}",
       "instructions are nested deeper than 100"},
      {"HloModule m\n e " + Repeated("{ a = f32[] call(), to_apply=", kLevels),
       "computations are nested deeper than 100"},
      {"HloModule m\ne { a = " + Repeated("(", kLevels), "expected a bracket that is closed"},
  };
  for (const auto& [text, reason] : rows) {
    const absl::StatusOr<Module> module = Parse("t", text);
    ASSERT_FALSE(module.ok());
    EXPECT_NE(module.status().message().find(reason), absl::string_view::npos) << module.status();
    EXPECT_TRUE(absl::StartsWith(module.status().message(), "t:2:")) << module.status();
  }
}

// Deep in values that are only looked through, and deep by calling: no level of ours.
TEST(TextTest, DeepValuesAndLongChainsOfCallsAreRead) {
  constexpr size_t kLevels = 100'000;
  std::string text = "HloModule m\n\nc0 {\n  p = f32[] parameter(0)\n}\n";
  for (size_t i = 1; i < kLevels; ++i) {
    text += "c" + std::to_string(i) + " {\n  p = f32[] parameter(0)\n  q = f32[] call(p), to_apply=c" +
            std::to_string(i - 1) + "\n}\n";
  }
  text += "last {\n  a = f32[] constant(" + Repeated("{", kLevels) + Repeated("}", kLevels) +
          "), backend_config=" + Repeated("{\"a\":[", kLevels) + Repeated("]}", kLevels) + "\n}\n";
  const Module module = Read(text);
  EXPECT_EQ(module.computations.size(), kLevels + 1);
  EXPECT_TRUE(Read(Print(module)) == module);
}

// Texts that take quadratic time where a search is begun anew at each of them.
TEST(TextTest, LongTextsTakeLinearTime) {
  constexpr size_t kTimes = 200'000;
  const std::string begin = "HloModule m\nENTRY e { z = f32[] parameter(0) }\n";
  const std::string rows[] = {
      begin + "f { a = f32[] constant(1), x={" + Repeated("'", kTimes) + "} }",
      begin + "f { a = f32[] constant(1), x={" + Repeated("/", kTimes) + "} }",
      begin + "f { a = f32[] constant(1), x={" + Repeated("\\\"", kTimes) + "} }",
      begin + "f { a = f32[] constant(1)" + Repeated(", index=1", kTimes) + " }",
      begin + "f { a = f32[] constant(1)\n b = f32[] tuple(a" + Repeated(", a", kTimes) + ") }",
      begin + "f { a = f32[] constant({" + Repeated(" /* */ ", kTimes) + "}) }",
      begin + "f { a = f32[] constant(1)\n b = f32[] tuple(f32[] parameter(0)" +
          Repeated(", f32[] parameter(0)", kTimes / 4) + ") }",
      begin + "f { a = f32[] parameter(0)\n" +
          [] {
            std::string calls;
            for (size_t i = 0; i < kTimes / 4; ++i) {
              calls += "b" + std::to_string(i) + " = f32[] call(a), to_apply={ a = f32[] parameter(0) }\n";
            }
            return calls;
          }() +
          "}",
      [] {
        std::string indented = "HloModule m\n";
        for (size_t i = 0; i < kTimes / 4; ++i) {
          indented += "  c" + std::to_string(i) + " {\n    a = f32[] constant(1)\n  }\n";
        }
        return indented;
      }(),
  };
  for (const std::string& text : rows) {
    const absl::StatusOr<Module> module = Parse("t", text);
    if (module.ok()) {
      EXPECT_TRUE(Read(Print(*module)) == *module);
    } else {
      EXPECT_TRUE(absl::StartsWith(module.status().message(), "t:")) << module.status();
    }
  }
}

}  // namespace
}  // namespace oomph::hlo
