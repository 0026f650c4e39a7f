// How far results are trusted, rule by rule, and which differences are told. And the arguments: what is drawn, what is not run.
#include "models/hlo/results.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>

#include "models/hlo/compare.h"
#include "models/hlo/float_format.h"
#include "models/hlo/inputs.h"
#include "models/hlo/text.h"

namespace oomph::hlo {
namespace {

Module Read(const std::string& text) {
  auto module = Parse("test", text);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : Module();
}

// An entry of these lines; the parameters are p and q of the given shapes.
Module Entry(const std::string& p, const std::string& q, const std::string& lines, const std::string& before = "") {
  return Read("HloModule m\n" + before + "ENTRY e {\n  p = " + p + " parameter(0)\n  q = " + q + " parameter(1)\n" +
              lines + "}\n");
}

// With arguments of this kind, as the number of elements decides it.
Trust TrustOf(InputKind kind, const std::string& type, const std::string& operation, const std::string& result = "") {
  for (int n = 2; n < 40; ++n) {
    const auto sized = [&](std::string text) {
      for (size_t at; (at = text.find('N')) != std::string::npos;) text.replace(at, 1, std::to_string(n));
      return text;
    };
    const std::string shape = type + "[N]";
    const Module module = Entry(sized(shape), sized(shape),
                                sized("  ROOT r = " + (result.empty() ? shape : result) + " " + operation + "\n"));
    if (InputKindOf(module) != kind) continue;
    const std::vector<Trust> trusts = TrustInResults(module);
    EXPECT_EQ(trusts.size(), 1u) << ArgumentsOf(module).status();
    return trusts.empty() ? Trust() : trusts[0];
  }
  ADD_FAILURE();
  return {};
}
TrustKind KindOf(InputKind kind, const std::string& type, const std::string& operation,
                 const std::string& result = "") {
  return TrustOf(kind, type, operation, result).kind;
}

constexpr InputKind kSmall = InputKind::kSmall, kSpecial = InputKind::kSpecial;

TEST(FloatFormats, EveryNumberOfASmallTypeComesBack) {
  for (size_t i = 0; i < kTypes; ++i) {
    const FloatFormat* format = FormatOf(static_cast<Type>(i));
    if (format == nullptr || RowOf(static_cast<Type>(i)).bits > 16) continue;
    for (uint64_t bits = 0; bits < (uint64_t{1} << RowOf(static_cast<Type>(i)).bits); ++bits) {
      const double value = Decode(*format, bits);
      if (std::isnan(value)) continue;
      ASSERT_EQ(Encode(*format, value), bits) << RowOf(static_cast<Type>(i)).name << " " << bits;
    }
  }
  for (const float value : {1.0f, -0.0f, 3.5f, 1e-40f, 3.4e38f, INFINITY}) {
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    EXPECT_EQ(Encode(*FormatOf(Type::kF32), value), bits);
    EXPECT_EQ(Decode(*FormatOf(Type::kF32), bits), value);
  }
}

TEST(Inputs, DependOnTypesAndDimensionsAlone) {
  const Module a = Entry("f32[5]", "s8[3]", "  ROOT r = f32[5] negate(p)\n");
  const Module b = Entry("f32[5]{0}", "s8[3]", "  x = s8[3] negate(q)\n  ROOT r = f32[5] abs(p)\n");
  const auto first = ArgumentsOf(a), second = ArgumentsOf(b);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(*first, *second);
  ASSERT_EQ(first->size(), 2u);
  EXPECT_EQ((*first)[0].type, "f32");
  EXPECT_EQ((*first)[0].dimensions, std::vector<int64_t>{5});
  EXPECT_EQ((*first)[0].bytes.size(), 20u);
  EXPECT_NE(*first, *ArgumentsOf(a, 1));
}

TEST(Inputs, LeavesOfTuplesComeInTheirOrder) {
  const auto arguments =
      ArgumentsOf(Read("HloModule m\nENTRY e {\n  b = s32[] parameter(1)\n  a = (f32[2], (pred[3], u8[])) "
                       "parameter(0)\n  ROOT r = s32[] negate(b)\n}\n"));
  ASSERT_TRUE(arguments.ok()) << arguments.status();
  std::string types;
  for (const ResultArray& argument : *arguments) types += argument.type + " ";
  EXPECT_EQ(types, "f32 pred u8 s32 ");
}

TEST(Inputs, NothingIsRunThatMayNotEndOrIsNotDetermined) {
  const auto why = [](const std::string& lines, const std::string& before = "") {
    return std::string(ArgumentsOf(Entry("s32[]", "f32[4]", lines, before)).status().message());
  };
  EXPECT_EQ(why("  ROOT r = s32[] negate(p)\n"), "");
  EXPECT_EQ(why("  ROOT r = f32[4] custom-call(q), custom_call_target=\"x\"\n"), "not run: a custom call");
  EXPECT_EQ(why("  ROOT r = s32[] negate(q)\n"), "not run: it is not valid");
  EXPECT_EQ(
      why("  z = f32[] constant(0)\n  o = f32[] constant(1)\n  ROOT r = f32[4] rng(z, o), distribution=rng_uniform\n"),
      "not run: random numbers");
  EXPECT_EQ(why("  z = f32[] constant(0)\n  ROOT r = f32[9000000] broadcast(z), dimensions={}\n"),
            "not run: too much work");
  const std::string loop =
      "c { s = (s32[]) parameter(0)\n g = s32[] get-tuple-element(s), index=0\n l = s32[] constant(10)\n ROOT t = "
      "pred[] compare(g, l), direction=LT }\n";
  const std::string counts = loop +
                             "b { s = (s32[]) parameter(0)\n g = s32[] get-tuple-element(s), index=0\n o = s32[] "
                             "constant(1)\n n = s32[] add(g, o)\n ROOT t = (s32[]) tuple(n) }\n";
  const std::string stays = loop + "b { ROOT s = (s32[]) parameter(0) }\n";
  const std::string use =
      "  z = s32[] constant(0)\n  i = (s32[]) tuple(z)\n  ROOT r = (s32[]) while(i), condition=c, body=b\n";
  EXPECT_EQ(why(use, counts), "");
  EXPECT_EQ(why(use, stays), "not run: a loop that may not end");
}

TEST(Trust, IsExactWhereNothingIsRounded) {
  EXPECT_EQ(KindOf(kSpecial, "s32", "multiply(p, q)"), TrustKind::kExact);
  EXPECT_TRUE(TrustOf(kSpecial, "f32", "reverse(p), dimensions={0}").moved);
  EXPECT_FALSE(TrustOf(kSpecial, "f32", "negate(p)").moved);
  EXPECT_EQ(KindOf(kSpecial, "f32", "negate(p)"), TrustKind::kExact);
  EXPECT_EQ(KindOf(kSpecial, "f32", "compare(p, q), direction=LT", "pred[N]"), TrustKind::kExact);
  // Small whole numbers: sums of products in any order.
  const std::string dot = "dot(p, q), lhs_contracting_dims={0}, rhs_contracting_dims={0}";
  EXPECT_EQ(KindOf(kSmall, "f32", dot, "f32[]"), TrustKind::kExact);
  EXPECT_EQ(KindOf(kSpecial, "f32", dot, "f32[]"), TrustKind::kNothing);
  EXPECT_EQ(KindOf(kSpecial, "u16", dot, "u16[]"), TrustKind::kExact);
  // bf16 has 8 bits: 2 products of up to 64 fit, but not many.
  EXPECT_EQ(KindOf(kSmall, "bf16", "multiply(p, q)"), TrustKind::kExact);
  EXPECT_EQ(KindOf(kSmall, "f8e4m3fn", "multiply(p, q)"), TrustKind::kClose);
}

TEST(Trust, IsCloseAfterRoundings) {
  EXPECT_EQ(KindOf(kSpecial, "f32", "multiply(p, q)"), TrustKind::kClose);
  EXPECT_EQ(KindOf(kSmall, "f32", "tanh(p)"), TrustKind::kClose);
  EXPECT_LT(TrustOf(kSmall, "f64", "divide(p, q)").error, 1e-15);
  EXPECT_GT(TrustOf(kSmall, "bf16", "divide(p, q)").error, 1e-3);
}

TEST(Trust, IsNothingWhereNobodyPromisesAnything) {
  EXPECT_EQ(KindOf(kSpecial, "f32", "convert(p)", "s32[N]"), TrustKind::kNothing);  // what does not fit
  EXPECT_EQ(KindOf(kSmall, "f32", "convert(p)", "s32[N]"), TrustKind::kExact);
  EXPECT_EQ(KindOf(kSpecial, "f32", "sine(p)"), TrustKind::kNothing);  // of large arguments
  // A difference of rounded numbers.
  const auto chain = [](const std::string& second) {
    const Module module = Entry("f32[3]", "f32[3]", "  d = f32[3] divide(p, q)\n  ROOT r = " + second + "\n");
    return TrustInResults(module)[0].kind;
  };
  EXPECT_EQ(chain("f32[3] subtract(d, p)"), TrustKind::kNothing);
  EXPECT_EQ(chain("pred[3] compare(d, p), direction=LT"), TrustKind::kNothing);
}

// ---- differences ----

ResultArray Floats(std::initializer_list<float> values) {
  ResultArray array{"f32", {static_cast<int64_t>(values.size())}, {}};
  for (const float value : values) array.bytes.append(reinterpret_cast<const char*>(&value), 4);
  return array;
}

TEST(Differences, FollowTheTrust) {
  Trust exact;
  exact.kind = TrustKind::kExact;
  Trust moved = exact;
  moved.moved = true;
  Trust close = exact;
  close.kind = TrustKind::kClose;
  close.error = 1e-6;
  const auto differ = [](const Trust& trust, float a, float b) {
    return !DifferenceOf(trust, Floats({1, a}), Floats({1, b})).empty();
  };
  EXPECT_FALSE(differ(exact, NAN, -NAN));
  EXPECT_FALSE(differ(exact, 0, -0.0f));
  EXPECT_TRUE(differ(moved, 0, -0.0f));
  EXPECT_TRUE(differ(moved, 1e-40f, 0));
  EXPECT_TRUE(differ(exact, 1, 1.0000001f));
  EXPECT_FALSE(differ(close, 1, 1.0000001f));
  EXPECT_TRUE(differ(close, 1, 1.0001f));
  EXPECT_FALSE(differ(close, 1e-40f, 0));
  EXPECT_TRUE(differ(close, 1, NAN));
  EXPECT_TRUE(differ(close, 1, INFINITY));
  EXPECT_FALSE(differ(close, 3.4028235e38f, INFINITY));
  EXPECT_FALSE(differ(Trust(), 1, 2));
  EXPECT_EQ(DifferenceOf(exact, Floats({1, 2}), Floats({1, 3})), "element 1 is 3 (0x40400000), not 2 (0x40000000)");
}

TEST(Differences, AreToldOfTheOperationThatMadeThem) {
  const Module module = Entry(
      "s32[1]", "s32[1]",
      "  n = s32[1] not(q)\n  x = (s32[1], s32[1]) tuple(p, n)\n  ROOT r = ((s32[1], s32[1]), s32[1]) tuple(x, p)\n");
  Answer reference, answer;
  reference.status = answer.status = Status::kValid;
  const ResultArray one{"s32", {1}, std::string("\1\0\0\0", 4)}, two{"s32", {1}, std::string("\2\0\0\0", 4)};
  reference.results = {one, one, one};
  answer.results = {one, two, one};
  Reasons reasons;
  CompareAnswers(module, reference, answer, reasons);
  ASSERT_EQ(reasons.list().size(), 1u);
  EXPECT_EQ(reasons.list()[0].oracle, kResultsAgree);
  EXPECT_EQ(reasons.list()[0].detail, "not");
  EXPECT_EQ(reasons.list()[0].text, "result 1, s32: element 0 is 0x2, not 0x1");
  answer.results = {one, one};
  reasons.clear();
  CompareAnswers(module, reference, answer, reasons);
  ASSERT_EQ(reasons.list().size(), 1u);
  EXPECT_EQ(reasons.list()[0].detail, "shape");
}

}  // namespace
}  // namespace oomph::hlo
