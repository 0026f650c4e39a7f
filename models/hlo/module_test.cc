// Equality of modules: one change anywhere makes another module; how the tables are filled does not.
#include "models/hlo/module.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "models/hlo/text.h"
#include "models/hlo/text_test_modules.h"

namespace oomph::hlo {
namespace {

Module Read(const std::string& text) {
  absl::StatusOr<Module> module = Parse("t", text);
  EXPECT_TRUE(module.ok()) << module.status();
  return module.ok() ? *std::move(module) : Module();
}

constexpr const char* kBase =
    "HloModule m, replica_count=2\nFileNames\n1 \"f\"\nFunctionNames\n1 \"g\"\nFileLocations\n1 {line=1 "
    "column=2}\n"
    "StackFrames\n1 {file_location_id=1}\n"
    "c { x = f32[] parameter(0)\n y = f32[] negate(x) }, execution_thread=\"t\"\n"
    "d { x = f32[] parameter(0) }\n"
    "ENTRY e { a = f32[8]{0} parameter(0)\n b = f32[8] parameter(1)\n k = f32[] constant(1)\n"
    "  ROOT r = f32[8] custom-call(a, b), to_apply=c, custom_call_target=\"T\", control-predecessors={a},"
    " metadata={op_name=\"n\" source_line=3}, unheard=1, window={size=2}, backend_config={}, "
    "sharding={manual},"
    " operand_layout_constraints={f32[8]}\n}\n";

struct Change {
  const char* from;
  const char* to;
};
constexpr Change kChanges[] = {
    {"HloModule m", "HloModule n"},
    {"replica_count=2", "replica_count=3"},
    {"replica_count=2", "num_partitions=2"},
    {"1 \"f\"", "1 \"F\""},
    {"1 \"g\"", "1 \"g\" 2 \"h\""},
    {"{line=1 column=2}", "{line=1 column=3}"},
    {"{line=1 column=2}", "{line=1 column=2 file_name_id=1}"},
    {"{line=1 column=2}", "{line=1 column=2 function_name_id=1}"},
    {"{line=1 column=2}", "{line=2 column=2}"},
    {"{line=1 column=2}", "{line=1 column=2 end_line=1}"},
    {"{line=1 column=2}", "{line=1 column=2 end_column=1}"},
    {"{file_location_id=1}", "{file_location_id=0}"},
    {"{file_location_id=1}", "{file_location_id=1 parent_frame_id=1}"},
    {"d { x", "dd { x"},
    {", execution_thread=\"t\"", ""},
    {"execution_thread=\"t\"", "execution_thread=\"u\""},
    {"y = f32[] negate(x)", "z = f32[] negate(x)"},
    {"y = f32[] negate(x)", "y = f32[] abs(x)"},
    {"y = f32[] negate(x)", "y = f16[] negate(x)"},
    {"y = f32[] negate(x)", "y = negate(x)"},
    {"y = f32[] negate(x)", "y = f32[] negate-start(x)"},
    {"y = f32[] negate(x) }", "y = f32[] negate(x)\n w = f32[] negate(x) }"},
    {"\n y = f32[] negate(x)", "\n ROOT y = f32[] negate(x)\n w = f32[] negate(x)"},
    {"ENTRY e", "ENTRY f"},
    {"ENTRY e {", "e {"},  // as the last it is the entry all the same: see below
    {"c { x", "ENTRY c { x"},
    {"a = f32[8]{0} parameter(0)", "a = f32[8] parameter(0)"},
    {"a = f32[8]{0} parameter(0)", "a = f32[8]{0:S(1)} parameter(0)"},
    {"a = f32[8]{0} parameter(0)", "a = f32[8]{0} parameter(2)"},
    {"constant(1)", "constant(2)"},
    {"ROOT r", "r"},
    {"custom-call(a, b)", "custom-call(b, a)"},
    {"custom-call(a, b)", "custom-call(a)"},
    {"custom-call(a, b)", "custom-call(a, b, b)"},
    {"to_apply=c", "to_apply=d"},
    {"to_apply=c, ", ""},
    {"to_apply=c", "calls=c"},
    {"target=\"T\"", "target=\"U\""},
    {"predecessors={a}", "predecessors={b}"},
    {"op_name=\"n\"", "op_name=\"o\""},
    {"op_name=\"n\"", "op_type=\"n\""},
    {"source_line=3", "source_line=4"},
    {"unheard=1", "unheard=2"},
    {"unheard=1", "unseen=1"},
    {"size=2", "size=3"},
    {"size=2", "size=2 stride=2"},
    {"backend_config={}", "backend_config={ }"},
    {"sharding={manual}", "sharding={replicated}"},
    {"constraints={f32[8]}", "constraints={f32[8]{0}}"},
};

TEST(ModuleTest, OneChangeMakesAnotherModule) {
  const Module base = Read(kBase);
  EXPECT_TRUE(base == base);
  for (const Change& change : kChanges) {
    std::string text = kBase;
    const size_t at = text.find(change.from);
    ASSERT_NE(at, std::string::npos) << change.from;
    text.replace(at, std::string_view(change.from).size(), change.to);
    const bool same = change.to == std::string_view("e {") || change.to == std::string_view("r");
    if (change.to == std::string_view("ENTRY c { x")) text.replace(text.rfind("ENTRY "), 6, "");
    const Module other = Read(text);
    EXPECT_EQ(base == other, same) << change.from << " -> " << change.to;
    EXPECT_EQ(other == base, same) << change.from << " -> " << change.to;
  }
}

// Rows that nobody refers to, and rows in another order, are no part of what a module says.
TEST(ModuleTest, TablesAreNotCompared) {
  for (const std::string_view text : kCanonicalModules) {
    const Module module = Read(std::string(text));
    Module other = module;
    other.strings.Add("a string that the module has not");
    other.shapes.AddTuple({});
    other.attribute_table.Add(Key::kIndex, Form::kInt, {}, {});
    for (Computation& computation : other.computations) {
      for (Instruction& instruction : computation.instructions) {
        instruction.operands = other.AddOperands(module.Operands(instruction));
        instruction.attributes = other.AddAttributes(other.Attributes(instruction));
      }
    }
    other.style.percent = !other.style.percent;
    EXPECT_TRUE(module == other);
    EXPECT_TRUE(other == module);
    EXPECT_EQ(Print(other, module.style), text);
  }
}

// A module may be built by hand, in any order of its tables.
TEST(ModuleTest, AModuleBuiltByHandEqualsTheOneRead) {
  Module module;
  module.strings.Add("unused");
  const int64_t sizes[] = {4};
  const ShapeId array = module.shapes.AddArray(Type::kF32, sizes);
  module.name = module.strings.Add("m");
  Computation computation;
  computation.name = module.strings.Add("e");
  Instruction instruction;
  instruction.name = module.strings.Add("p");
  instruction.shape = array;
  computation.instructions.push_back(instruction);
  instruction.name = module.strings.Add("r");
  instruction.opcode = instruction.wrapped = Opcode::kReverse;
  const uint32_t operands[] = {0};
  instruction.operands = module.AddOperands(operands);
  const int64_t dimensions[] = {0};
  const AttributeId attributes[] = {
      module.attribute_table.Add(Key::kDimensions, Form::kInts, dimensions, {})};
  instruction.attributes = module.AddAttributes(attributes);
  computation.instructions.push_back(instruction);
  computation.root = 1;
  module.computations.push_back(computation);
  EXPECT_TRUE(module ==
              Read("HloModule m e { p = f32[4] parameter(0)\n r = f32[4] reverse(p), dimensions={0} }"));
}

TEST(ModuleTest, StringsAreStoredOnce) {
  StringTable strings;
  std::vector<StringId> ids;
  for (int i = 0; i < 1000; ++i) ids.push_back(strings.Add("s" + std::to_string(i)));
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(strings.Add("s" + std::to_string(i)), ids[static_cast<size_t>(i)]);
    EXPECT_EQ(strings[ids[static_cast<size_t>(i)]], "s" + std::to_string(i));
  }
  EXPECT_EQ(strings.size(), 1001u);  // the empty one
  EXPECT_EQ(strings.Add(""), 0u);
  EXPECT_FALSE(strings.Find("t").has_value());
  for (int i = 0; i < 1000; ++i) {  // parts of the table itself
    const StringId part = strings.Add(strings[ids[static_cast<size_t>(i)]].substr(1));
    EXPECT_EQ(strings[part], std::to_string(i));
  }
  const StringTable copy = strings;
  EXPECT_EQ(copy.Find("s7"), ids[7]);
}

// A row may be made of another row of the same table.
TEST(ModuleTest, AttributesAreMadeOfOthers) {
  AttributeTable table;
  const int64_t numbers[] = {1, 2, 3};
  const Reference references[] = {{Reference::kShape, 4}, {Reference::kString, 5}};
  AttributeId id = table.Add(Key::kWindow, Form::kVerbatim, numbers, references);
  for (int i = 0; i < 1000; ++i)
    id = table.Add(Key::kWindow, Form::kVerbatim, table.Numbers(id), table.References(id));
  const AttributeTable copy = table;
  EXPECT_TRUE(std::ranges::equal(copy.Numbers(id), numbers));
  EXPECT_TRUE(std::ranges::equal(copy.References(id), references));
}

}  // namespace
}  // namespace oomph::hlo
