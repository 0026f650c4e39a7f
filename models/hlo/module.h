// An HLO module as a plain value: computations of instructions, in the order of the text.
// Not for reading and printing it (text.h), nor for judging it: any value is a module, a wrong one too.
//
//   Module
//     strings, shapes, attributes     tables: what is equal stands there once, and everything refers by id
//     computations[c]
//       instructions[i]               name, shape, opcode, operands (indices i), attribute ids, root
//
// The lists of operands and attribute ids of all instructions stand in two vectors of the module, so a copy
// of a module is a few copies of memory. A list that is replaced stays behind until the module is printed and
// read again. Equality looks through all ids: two modules are equal if they say the same, whatever their
// tables hold.
//
//   for (const Instruction& instruction : computation.instructions) {
//     for (uint32_t operand : module.Operands(instruction)) ...computation.instructions[operand]...
//     if (auto id = module.Find(instruction, Key::kDimensions)) ...module.attributes.Numbers(*id)...
//   }
#ifndef OOMPH_MODELS_HLO_MODULE_H_
#define OOMPH_MODELS_HLO_MODULE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "models/hlo/attribute.h"
#include "models/hlo/opcode.h"
#include "models/hlo/shape.h"
#include "models/hlo/strings.h"

namespace oomph::hlo {

// A part of one of the module's lists.
struct ListRange {
  uint32_t begin = 0;
  uint32_t count = 0;
};

struct Instruction {
  StringId name = 0;
  ShapeId shape = 0;
  ListRange operands;    // of Module::operand_lists: indices of instructions of the same computation
  ListRange attributes;  // of Module::attribute_lists
  Opcode opcode = Opcode::kParameter;
  Opcode wrapped = Opcode::kParameter;  // see OpcodeName
  uint32_t payload = 0;                 // a parameter's number; the StringId of a constant's literal; else 0
};

struct Computation {
  StringId name = 0;
  uint32_t root = 0;     // index of an instruction
  ListRange attributes;  // what stands after the closing brace
  std::vector<Instruction> instructions;
};

// Where the source of an instruction is, as `metadata={stack_frame_id=…}` refers to it. Numbered from 1 in
// texts.
struct FileLocation {
  int64_t file_name = 0, function_name = 0, line = 0, end_line = 0, column = 0, end_column = 0;
  bool operator==(const FileLocation&) const = default;
};
struct StackFrame {
  int64_t file_location = 0, parent_frame = 0;
  bool operator==(const StackFrame&) const = default;
};

// How the text was written, so that it is printed alike. Says nothing about the module: equality leaves it
// out.
struct TextStyle {
  bool percent = true;          // %name rather than name
  bool operand_shapes = false;  // add(f32[] %a, f32[] %b)
  bool index_comments = true;   // /*index=5*/
  bool layout_blanks = true;    // entry_computation_layout={(f32[], f32[])->f32[]}: a blank after the comma
};

struct Module {
  StringId name = 0;
  ListRange attributes;  // of the header, in its order
  std::vector<StringId> file_names, function_names;
  std::vector<FileLocation> file_locations;
  std::vector<StackFrame> stack_frames;
  std::vector<Computation> computations;  // each after those that it calls
  uint32_t entry = 0;                     // index of a computation
  TextStyle style;

  StringTable strings;
  ShapeTable shapes;
  AttributeTable attribute_table;
  std::vector<uint32_t> operand_lists;
  std::vector<AttributeId> attribute_lists;

  std::span<const uint32_t> Operands(const Instruction& instruction) const {
    return std::span(operand_lists).subspan(instruction.operands.begin, instruction.operands.count);
  }
  std::span<const AttributeId> Attributes(ListRange attributes) const {
    return std::span(attribute_lists).subspan(attributes.begin, attributes.count);
  }
  std::span<const AttributeId> Attributes(const Instruction& instruction) const {
    return Attributes(instruction.attributes);
  }
  std::string_view Name(const Instruction& instruction) const { return strings[instruction.name]; }
  std::string_view Name(const Computation& computation) const { return strings[computation.name]; }

  // The first attribute with this key.
  std::optional<AttributeId> Find(ListRange attributes, Key key) const;
  std::optional<AttributeId> Find(const Instruction& instruction, Key key) const {
    return Find(instruction.attributes, key);
  }
  // The number of an attribute of the form kInt or kBool; `otherwise` where it is absent.
  int64_t Number(const Instruction& instruction, Key key, int64_t otherwise = 0) const;

  // New lists, for what builds or changes a module.
  ListRange AddOperands(std::span<const uint32_t> operands);
  ListRange AddAttributes(std::span<const AttributeId> attributes);
};

// Whether both say the same: names, order, shapes, operands, attributes, literals, debug tables.
bool operator==(const Module& a, const Module& b);

// The computations that an instruction calls, in the order of its attributes.
std::vector<uint32_t> Called(const Module& module, const Instruction& instruction);

// custom_call_target="..." of an instruction; empty: it has none.
std::string_view CustomCallTarget(const Module& module, const Instruction& instruction);

size_t InstructionCount(const Module& module);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_MODULE_H_
