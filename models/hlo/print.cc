// Prints a module. What many instructions share, their shapes and attributes, is rendered once and then
// copied.
#include "models/hlo/print.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "models/hlo/text.h"

namespace oomph::hlo {
namespace {

// Texts by id, each rendered when it is first asked for.
class RenderedTexts {
 public:
  explicit RenderedTexts(size_t ids) : places_(ids) {}

  template <typename Render>
  std::string_view Get(uint32_t id, const Render& render) {
    Place& place = places_[id];
    if (!place.rendered) {
      place = {texts_.size(), 0, true};
      render(texts_);
      place.size = texts_.size() - place.begin;
    }
    return std::string_view(texts_).substr(place.begin, place.size);
  }

 private:
  struct Place {
    size_t begin = 0, size = 0;
    bool rendered = false;
  };
  std::vector<Place> places_;
  std::string texts_;
};

class ModulePrinter {
 public:
  ModulePrinter(const Module& module, const TextStyle& style)
      : module_(module),
        style_(style),
        shapes_(module.shapes.size()),
        bare_shapes_(module.shapes.size()),
        attributes_(module.attribute_table.size()) {}

  std::string Print() {
    out_.reserve(64 * InstructionCount(module_));
    out_.append("HloModule ");
    out_.append(module_.strings[module_.name]);
    PrintAttributes(module_.attributes, nullptr);
    out_.append("\n\n");
    PrintTables();
    for (size_t i = 0; i < module_.computations.size(); ++i) PrintComputation(i);
    return std::move(out_);
  }

 private:
  void PrintTables();
  void PrintTexts(std::string_view title, const std::vector<StringId>& texts);
  void PrintComputation(size_t index);
  void PrintSignature(const Computation& computation);
  void PrintInstruction(const Computation& computation, const Instruction& instruction, bool is_root);
  void PrintOperands(const Computation& computation, const Instruction& instruction);
  void PrintAttributes(ListRange attributes, const Computation* computation);

  void PrintName(StringId name) {
    if (style_.percent) out_.push_back('%');
    out_.append(module_.strings[name]);
  }
  void PrintShape(ShapeId shape) {
    out_.append(shapes_.Get(shape, [&](std::string& out) {
      AppendShape(module_.shapes, shape, {.layouts = true, .index_comments = style_.index_comments}, out);
    }));
  }
  void PrintBareShape(ShapeId shape) {
    out_.append(bare_shapes_.Get(shape, [&](std::string& out) {
      AppendShape(module_.shapes, shape, {.layouts = false, .index_comments = style_.index_comments}, out);
    }));
  }
  void PrintField(std::string_view before, int64_t value) {
    out_.append(before);
    AppendInteger(value, out_);
  }

  const Module& module_;
  const TextStyle style_;
  RenderedTexts shapes_, bare_shapes_, attributes_;
  std::string out_;
};

void ModulePrinter::PrintTexts(std::string_view title, const std::vector<StringId>& texts) {
  if (texts.empty()) return;
  out_.append(title);
  for (size_t i = 0; i < texts.size(); ++i) {
    PrintField("\n", static_cast<int64_t>(i + 1));
    out_.append(" \"");
    out_.append(module_.strings[texts[i]]);
    out_.push_back('"');
  }
  out_.append("\n\n");
}

void ModulePrinter::PrintTables() {
  PrintTexts("FileNames", module_.file_names);
  PrintTexts("FunctionNames", module_.function_names);
  if (!module_.file_locations.empty()) out_.append("FileLocations");
  int64_t row = 0;
  for (const FileLocation& location : module_.file_locations) {
    PrintField("\n", ++row);
    PrintField(" {file_name_id=", location.file_name);
    PrintField(" function_name_id=", location.function_name);
    PrintField(" line=", location.line);
    PrintField(" end_line=", location.end_line);
    PrintField(" column=", location.column);
    PrintField(" end_column=", location.end_column);
    out_.push_back('}');
  }
  if (!module_.file_locations.empty()) out_.append("\n\n");
  if (!module_.stack_frames.empty()) out_.append("StackFrames");
  row = 0;
  for (const StackFrame& frame : module_.stack_frames) {
    PrintField("\n", ++row);
    PrintField(" {file_location_id=", frame.file_location);
    PrintField(" parent_frame_id=", frame.parent_frame);
    out_.push_back('}');
  }
  if (!module_.stack_frames.empty()) out_.append("\n\n\n");
}

void ModulePrinter::PrintComputation(size_t index) {
  const Computation& computation = module_.computations[index];
  if (index == module_.entry) out_.append("ENTRY ");
  PrintName(computation.name);
  out_.push_back(' ');
  PrintSignature(computation);
  out_.append("{\n");
  for (size_t i = 0; i < computation.instructions.size(); ++i) {
    PrintInstruction(computation, computation.instructions[i], i == computation.root);
  }
  out_.push_back('}');
  PrintAttributes(computation.attributes, nullptr);
  out_.append("\n\n");
}

// (p0: f32[2], p1: s32[]) -> f32[2]. Left out where a shape is not known.
void ModulePrinter::PrintSignature(const Computation& computation) {
  std::vector<const Instruction*> parameters;
  bool known = computation.root < computation.instructions.size() &&
               computation.instructions[computation.root].shape != 0;
  for (const Instruction& instruction : computation.instructions) {
    if (instruction.opcode != Opcode::kParameter) continue;
    parameters.push_back(&instruction);
    known &= instruction.shape != 0;
  }
  if (!known) return;
  // By number; of those with the same number, which only a wrong module has, the first in the text first.
  std::ranges::sort(parameters, {}, [](const Instruction* each) { return std::pair(each->payload, each); });
  out_.push_back('(');
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (i > 0) out_.append(", ");
    out_.append(module_.strings[parameters[i]->name]);
    out_.append(": ");
    PrintBareShape(parameters[i]->shape);
  }
  out_.append(") -> ");
  PrintBareShape(computation.instructions[computation.root].shape);
  out_.push_back(' ');
}

void ModulePrinter::PrintInstruction(const Computation& computation, const Instruction& instruction,
                                     bool is_root) {
  out_.append(is_root ? "  ROOT " : "  ");
  PrintName(instruction.name);
  out_.append(" = ");
  if (instruction.shape != 0) {
    PrintShape(instruction.shape);
    out_.push_back(' ');
  }
  out_.append(RowOf(instruction.wrapped).name);
  if (instruction.wrapped != instruction.opcode) out_.append(AsyncSuffix(instruction.opcode));
  out_.push_back('(');
  if (instruction.opcode == Opcode::kConstant) {
    out_.append(module_.strings[instruction.payload]);
  } else if (instruction.opcode == Opcode::kParameter) {
    AppendInteger(instruction.payload, out_);
  } else {
    PrintOperands(computation, instruction);
  }
  out_.push_back(')');
  PrintAttributes(instruction.attributes, &computation);
  out_.push_back('\n');
}

void ModulePrinter::PrintOperands(const Computation& computation, const Instruction& instruction) {
  const std::span<const uint32_t> operands = module_.Operands(instruction);
  for (size_t i = 0; i < operands.size(); ++i) {
    AppendListComma(i, style_.index_comments, out_);
    if (operands[i] >= computation.instructions.size()) continue;  // A wrong module; it has no name to print.
    const Instruction& operand = computation.instructions[operands[i]];
    if (style_.operand_shapes && operand.shape != 0) {
      PrintShape(operand.shape);
      out_.push_back(' ');
    }
    PrintName(operand.name);
  }
}

void ModulePrinter::PrintAttributes(ListRange attributes, const Computation* computation) {
  for (const AttributeId id : module_.Attributes(attributes)) {
    out_.append(", ");
    if (module_.attribute_table[id].form == Form::kInstructions) {
      AppendAttribute(module_, id, computation, style_, out_);
      continue;
    }
    out_.append(
        attributes_.Get(id, [&](std::string& out) { AppendAttribute(module_, id, nullptr, style_, out); }));
  }
}

}  // namespace

std::string Print(const Module& module) { return Print(module, module.style); }

std::string Print(const Module& module, const TextStyle& style) {
  return ModulePrinter(module, style).Print();
}

}  // namespace oomph::hlo
