// Each key of the table read and printed, with the typed values that come of it; and what is refused.
#include "models/hlo/attribute.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "models/hlo/text.h"

namespace oomph::hlo {
namespace {

// A module whose second instruction has the attribute, and whose first computation is called c.
std::string With(const std::string& attribute) {
  return "HloModule m\n\n%c () -> f32[] {\n  ROOT %z = f32[] constant(0)\n}\n\nENTRY %e (a: f32[8]) -> "
         "f32[8] {\n"
         "  %a = f32[8] parameter(0)\n  ROOT %r = f32[8] custom-call(%a), " +
         attribute + "\n}\n\n";
}

struct Sample {
  const char* text;
  Form form;
  std::vector<int64_t> numbers;
  size_t references;
};

// In the order of the table's forms; each key at least once.
const std::vector<Sample>& Samples() {
  static const std::vector<Sample> samples = {
      {"dimensions={}", Form::kInts, {}, 0},
      {"dimensions={0,-1,9223372036854775807}", Form::kInts, {0, -1, INT64_MAX}, 0},
      {"slice_sizes={{4},{8,128}}", Form::kGroups, {1, 4, 2, 8, 128}, 0},
      {"operand_precision={highest,default}", Form::kWords, {}, 2},
      {"called_computations={%c, %c}", Form::kComputations, {}, 2},
      {"branch_computations={%c}", Form::kComputations, {}, 1},
      {"control-predecessors={%a}", Form::kInstructions, {}, 1},
      {"outfeed_shape=(f32[2,3]{1,0})", Form::kShape, {}, 1},
      {"shape=f32[]", Form::kShape, {}, 1},
      {"operand_layout_constraints={f32[8]{0}, (s8[], u8[])}", Form::kShapes, {}, 2},
      {"entry_computation_layout={(f32[8]{0}, s8[])->f32[]}", Form::kProgramShape, {}, 3},
      {"entry_computation_layout={()->f32[]}", Form::kProgramShape, {}, 1},
      {"window={}", Form::kWindow, {0, 0, 0, 0, 0, 0, 0}, 0},
      {"window={size=3x3 stride=2x1 pad=0_1x-2_3 lhs_dilate=1x2 rhs_dilate=3x1 rhs_reversal=0x1}",
       Form::kWindow,
       {2, 3, 3, 2, 2, 1, 2, 0, -2, 2, 1, 3, 2, 1, 2, 2, 3, 1, 2, 0, 1},
       0},
      {"padding=0_1x-2_3", Form::kPadding, {0, 1, 0, -2, 3, 0}, 0},
      {"padding=0_1_0x2_3_1", Form::kPadding, {0, 1, 0, 2, 3, 1}, 0},
      {"slice={}", Form::kSlices, {}, 0},
      {"slice={[0:8], [1:3]}", Form::kSlices, {0, 8, 1, 1, 3, 1}, 0},
      {"slice={[0:8:2], [1:3:1]}", Form::kSlices, {0, 8, 2, 1, 3, 1}, 0},
      {"replica_groups={}", Form::kGroups, {}, 0},
      {"replica_groups={{0,1},{2},{}}", Form::kGroups, {2, 0, 1, 1, 2, 0}, 0},
      {"replica_groups=[2,4]<=[8]", Form::kIotaGroups, {2, 2, 4, 1, 8, 0}, 0},
      {"replica_groups=[2,4]<=[4,2]T(1,0)", Form::kIotaGroups, {2, 2, 4, 2, 4, 2, 2, 1, 0}, 0},
      {"source_target_pairs={{0,1},{1,0}}", Form::kGroups, {2, 0, 1, 2, 1, 0}, 0},
      {"output_to_operand_aliasing={{}: (0, {}), {1,2}: (3, {4}, must-alias)}",
       Form::kAliases,
       {0, 0, 0, 0, 2, 1, 2, 3, 1, 4, 2},
       0},
      {"input_output_alias={ {0}: (1, {2}, may-alias), {}: (3, {}, must-alias) }",
       Form::kAliases,
       {1, 0, 1, 1, 2, 1, 0, 3, 0, 2},
       0},
      {"buffer_donor={ (0, {}), (1, {2,3}) }", Form::kDonors, {0, 0, 1, 2, 2, 3}, 0},
      {"metadata={}", Form::kMetadata, {}, 0},
      {"metadata={op_type=\"a\" op_name=\"b \\\" }\" source_line=-7 profile_type={1} kind=Word}",
       Form::kMetadata,
       {kFieldText, kFieldText, kFieldNumber, -7, kFieldRaw, kFieldRaw},
       9},
      {"frontend_attributes={}", Form::kMap, {}, 0},
      {"frontend_attributes={a=\"x,y\",b.c={n = 1 : i32, t = {}},d=true}", Form::kMap, {}, 6},
      {"backend_config={\"a\":[1,{\"b\":\"}\"}]}", Form::kJson, {}, 1},
      {"backend_config=\"opaque \\\" text\"", Form::kJson, {}, 1},
      {"literal=s32[2] {1, 2}", Form::kLiteral, {}, 1},
      {"sharding={replicated}", Form::kSharding, {0, 0, 0, 0, 0, 0, 0, 0, 0}, 0},
      {"sharding={maximal device=3}", Form::kSharding, {1, 0, 1, 3, 0, 0, 0, 0, 0, 0}, 0},
      {"sharding={manual}", Form::kSharding, {2, 0, 0, 0, 0, 0, 0, 0, 0}, 0},
      {"sharding={unknown}", Form::kSharding, {3, 0, 0, 0, 0, 0, 0, 0, 0}, 0},
      {"sharding={unreduced}", Form::kSharding, {4, 0, 0, 0, 0, 0, 0, 0, 0}, 0},
      {"sharding={devices=[2,1]0,1}", Form::kSharding, {5, 2, 2, 1, 2, 0, 1, 0, 0, 0, 0, 0, 0}, 0},
      {"sharding={devices=[2,2]<=[2,2]T(1,0) last_tile_dim_replicate}",
       Form::kSharding,
       {5, 2, 2, 2, 0, 2, 2, 2, 2, 1, 0, 0, 1, 0, 0},
       0},
      {"sharding={devices=[2,1]<=[2] last_tile_dims={manual, replicated} shard_as 4}",
       Form::kSharding,
       {5, 2, 2, 1, 0, 1, 2, 0, 2, 2, 0, 0, 1, 4},
       0},
      {"sharding={replicated shard_like 9}", Form::kSharding, {0, 0, 0, 0, 0, 0, 0, 2, 9}, 0},
      {"sharding={{replicated}, {manual}}",
       Form::kSharding,
       {6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0},
       0},
      {"sharding={}", Form::kSharding, {6, 0, 0, 0, 0, 0, 0, 0, 0}, 0},
      {"statistics={visualizing_index=0}", Form::kVerbatim, {}, 1},
      // A form that is newer than this reader, and keys that it does not know, are kept as they stand.
      {"sharding={mesh['x'=2], [{'x'}]}", Form::kVerbatim, {}, 1},
      {"replica_groups=mesh['a'=2,'b'=4]{b}", Form::kVerbatim, {}, 1},
      {"metadata={[1,2]}", Form::kVerbatim, {}, 1},
      {"never_heard_of={a, (b), [c \"}\"]}", Form::kVerbatim, {}, 2},
      {"never_heard_of=12", Form::kVerbatim, {}, 2},
  };
  return samples;
}

// The values of the simple forms, for keys that no sample above has.
std::string SimpleValue(Form form) {
  switch (form) {
    case Form::kInt:
      return "-5";
    case Form::kBool:
      return "true";
    case Form::kWord:
      return "b01f_01io->b01f";
    case Form::kString:
      return "\"text \\\" with { brackets\"";
    case Form::kInts:
      return "{1,0}";
    case Form::kBools:
      return "{true,false}";
    case Form::kComputation:
      return "%c";
    case Form::kVerbatim:
      return "{a={b=1}}";
    default:
      return "";
  }
}

TEST(AttributeTest, SamplesHaveTheirTypedValuesAndComeBack) {
  for (const Sample& sample : Samples()) {
    const std::string text = With(sample.text);
    const absl::StatusOr<Module> module = Parse("t", text);
    ASSERT_TRUE(module.ok()) << module.status();
    EXPECT_EQ(Print(*module), text);
    const AttributeId id = module->Attributes(module->computations[1].instructions[1])[0];
    const std::span<const int64_t> numbers = module->attribute_table.Numbers(id);
    EXPECT_EQ(module->attribute_table[id].form, sample.form) << sample.text;
    EXPECT_EQ(std::vector<int64_t>(numbers.begin(), numbers.end()), sample.numbers) << sample.text;
    EXPECT_EQ(module->attribute_table.References(id).size(), sample.references) << sample.text;
  }
}

TEST(AttributeTest, EachKeyIsReadAndPrinted) {
  std::set<Key> sampled;
  for (const Sample& sample : Samples()) {
    const std::string text = sample.text;
    sampled.insert(KeyNamed(text.substr(0, text.find('='))));
  }
  for (size_t i = 0; i < kKeys; ++i) {
    const Key key = static_cast<Key>(i);
    if (key == Key::kUnknown) continue;
    const KeyRow& row = RowOf(key);
    EXPECT_EQ(KeyNamed(row.name), key) << row.name;
    if (sampled.contains(key)) continue;
    const std::string value = SimpleValue(row.form);
    ASSERT_NE(value, "") << "no sample for " << row.name;
    const std::string text = With(std::string(row.name) + "=" + value);
    const absl::StatusOr<Module> module = Parse("t", text);
    ASSERT_TRUE(module.ok()) << module.status();
    EXPECT_EQ(Print(*module), text);
    const AttributeId id = module->Attributes(module->computations[1].instructions[1])[0];
    EXPECT_EQ(module->attribute_table[id].key, key);
    EXPECT_EQ(module->attribute_table[id].form, row.form);
  }
}

// Blanks, line breaks, comments, quotes and defaults that XLA writes otherwise.
TEST(AttributeTest, OtherWaysToWriteTheSame) {
  const std::pair<const char*, const char*> pairs[] = {
      {"dimensions = { 0,\n 1 }", "dimensions={0,1}"},
      {"to_apply=c", "to_apply=%c"},
      {"padding=0_1_0x2_3_0", "padding=0_1x2_3"},
      {"slice={[0:8:1]}", "slice={[0:8]}"},
      {"slice={[0:8], [0:8:2]}", "slice={[0:8:1], [0:8:2]}"},
      {"input_output_alias={{0}:(1,{})}", "input_output_alias={ {0}: (1, {}, may-alias) }"},
      {"metadata={op_name='a\"b\\'c'}", "metadata={op_name=\"a\\\"b\\'c\"}"},
      {"metadata={op_name=\"a\", source_line=1}", "metadata={op_name=\"a\" source_line=1}"},
      {"literal=s32[2]  {1, // one\n 2}", "literal=s32[2] {1, 2}"},
      {"called_computations={%c,/*index=1*/c}", "called_computations={%c, %c}"},
  };
  for (const auto& [text, canonical] : pairs) {
    const absl::StatusOr<Module> module = Parse("t", With(text));
    ASSERT_TRUE(module.ok()) << module.status();
    EXPECT_EQ(Print(*module), With(canonical));
  }
}

struct Refused {
  const char* text;
  const char* message;
};
constexpr Refused kRefused[] = {
    {"index=x", "expected an integer, found 'x'"},
    {"index=1x", "expected the end of the attribute, found 'x'"},
    {"index=", "expected the value of the attribute"},
    {"index", "expected '='"},
    {"=1", "expected the name of an attribute"},
    {"dimensions={0", "expected an instruction or '}'"},  // the brace that closes the computation closes it
    {"dimensions={0,}", "expected an integer, found '}'"},
    {"is_stable=yes", "expected 'true' or 'false'"},
    {"custom_call_target=foo", "expected a quoted text"},
    {"custom_call_target=\"foo", "expected a quote that is closed"},
    {"to_apply=%d", "no computation named 'd' stands above"},
    {"to_apply=%e", "no computation named 'e' stands above"},
    {"control-predecessors={%r}", "no instruction named 'r' stands above"},
    {"control-predecessors={%z}", "no instruction named 'z' stands above"},
    {"window={size=3 stride=1x1}", "have not as many dimensions"},
    {"window={size=3 size=3}", "given twice"},
    {"window={pad=3}", "expected '_'"},
    {"window={bad=3}", "expected size, stride, pad"},
    {"padding=1", "expected '_'"},
    {"slice={[1]}", "expected ':'"},
    {"output_to_operand_aliasing={{}: 0}", "expected '('"},
    {"output_to_operand_aliasing={{}: (0, {}, maybe)}", "expected may-alias or must-alias"},
    {"entry_computation_layout={f32[]}", "expected '('"},
    {"operand_layout_constraints={f33[]}", "expected a shape"},
};

TEST(AttributeTest, Refusals) {
  for (const Refused& row : kRefused) {
    const absl::StatusOr<Module> module = Parse("t", With(row.text));
    ASSERT_FALSE(module.ok()) << row.text;
    EXPECT_NE(module.status().message().find(row.message), absl::string_view::npos)
        << row.text << ": " << module.status();
    // On the line of the attribute, or where the next token is missed.
    EXPECT_TRUE(absl::StartsWith(module.status().message(), "t:9:") ||
                absl::StartsWith(module.status().message(), "t:1"))
        << module.status();
  }
}

TEST(AttributeTest, GroupsAreWrittenOut) {
  const auto groups = [](const std::string& text) {
    const absl::StatusOr<Module> module = Parse("t", With("replica_groups=" + text));
    const AttributeId id = module->Attributes(module->computations[1].instructions[1])[0];
    return GroupsOf(module->attribute_table[id].form, module->attribute_table.Numbers(id));
  };
  using Lists = std::vector<std::vector<int64_t>>;
  EXPECT_EQ(groups("{{0,3},{1}}"), (Lists{{0, 3}, {1}}));
  EXPECT_EQ(groups("[2,3]<=[6]"), (Lists{{0, 1, 2}, {3, 4, 5}}));
  EXPECT_EQ(groups("[2,3]<=[3,2]T(1,0)"), (Lists{{0, 2, 4}, {1, 3, 5}}));
  EXPECT_EQ(groups("[1,8]<=[2,2,2]T(2,0,1)"), (Lists{{0, 2, 4, 6, 1, 3, 5, 7}}));
  EXPECT_FALSE(groups("[2,3]<=[7]").has_value());
  EXPECT_FALSE(groups("[2,3]<=[3,2]T(1)").has_value());
  EXPECT_FALSE(groups("[2,3]<=[3,2]T(1,2)").has_value());
  EXPECT_FALSE(groups("[1,9223372036854775807]<=[9223372036854775807]").has_value());
  EXPECT_FALSE(groups("[1,0]<=[0]").has_value());
  EXPECT_FALSE(groups("mesh['a'=2]").has_value());
}

TEST(AttributeTest, StructuresKeepTheirValues) {
  const Window window = {{3}, {2}, {0}, {1}, {1}, {4}, {1}};
  EXPECT_EQ(WindowOf(NumbersOf(window)), window);
  const std::vector<Alias> aliases = {{{0, 1}, 2, {}, kMustAlias}, {{}, 0, {3}, kPlainAlias}};
  EXPECT_EQ(AliasesOf(NumbersOf(aliases)), aliases);
  Sharding sharding;
  sharding.kind = Sharding::kTuple;
  sharding.elements.resize(2);
  sharding.elements[1] = {Sharding::kTiled, {2, 2}, {}, {4}, {0}, {2}, true, 1, 7, {}};
  EXPECT_EQ(ShardingOf(NumbersOf(sharding)), sharding);
}

// Lists whose lengths lie end where the numbers end.
TEST(AttributeTest, AnyNumbersAreRead) {
  const std::vector<int64_t> wild = {INT64_MAX, 3, -1, INT64_MIN, 2, 2, 5};
  EXPECT_EQ(WindowOf(wild).size.size(), 6u);
  EXPECT_EQ(AliasesOf(wild).size(), 1u);
  EXPECT_EQ(ShardingOf(wild).kind, INT64_MAX);
  EXPECT_EQ(WordOf(-1), "");
  EXPECT_EQ(WordOf(99), "");
}

}  // namespace
}  // namespace oomph::hlo
