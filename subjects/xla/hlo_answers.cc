// See hlo_answers.h. What is asked of a module as a whole, and of shapes; of instructions: hlo_answers_instruction.cc.
#include "subjects/xla/hlo_answers.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "models/hlo/schedule.h"
#include "subjects/xla/hlo_answerer.h"

namespace oomph::hlo_questions {
namespace {

// Computations that may be written as one instruction: see hlo_questions.h.
std::vector<bool> Unspoken(const Module& module) {
  std::vector<bool> unspoken(module.computations.size(), false);
  for (const Computation& computation : module.computations) {
    for (const Instruction& instruction : computation.instructions) {
      // What the short form calls, its unspoken computation calls.
      if (instruction.opcode != Opcode::kAsyncStart || instruction.wrapped != Opcode::kAsyncStart) continue;
      for (const uint32_t called : hlo::Called(module, instruction)) {
        const Computation& body = module.computations[called];
        bool short_form = true;
        for (size_t i = 0; i < body.instructions.size(); ++i) {
          short_form &= i == body.root || body.instructions[i].opcode == Opcode::kParameter;
        }
        if (short_form) unspoken[called] = true;
      }
    }
  }
  return unspoken;
}

}  // namespace

Answerer::Answerer(const Module& module) : module_(module), unspoken_(Unspoken(module)) {
  size_t place = 0;
  for (const bool unspoken : unspoken_) places_.push_back(absl::StrCat("c", unspoken ? place : place++));
}

// --- of the module ---

void Answerer::Opcodes() {
  std::map<std::string, int64_t> counts;
  for (size_t c = 0; c < module_.computations.size(); ++c) {
    if (!Speaks(c)) continue;
    for (const Instruction& each : module_.computations[c].instructions) {
      ++counts[std::string(hlo::RowOf(each.opcode).name)];
    }
  }
  for (const auto& [opcode, count] : counts) lines_.Add(opcode, std::to_string(count));
}

void Answerer::Computations() {
  for (size_t c = 0; c < module_.computations.size(); ++c) {
    if (!Speaks(c)) continue;
    const Computation& computation = module_.computations[c];
    lines_.Add(places_[c],
               absl::StrCat(WithoutNumber(std::string(module_.Name(computation))), " ", computation.instructions.size(), " ", computation.root,
                            c == module_.entry ? " entry" : ""));
  }
}

void Answerer::EntryResult() {
  const Computation& entry = module_.computations[module_.entry];
  const ShapeId shape = entry.instructions[entry.root].shape;
  lines_.Add("entry", absl::StrCat(ShapeText(shape), shape == 0 ? "" : Layouts(shape)));
}

void Answerer::Aliases() {
  const auto id = module_.Find(module_.attributes, Key::kInputOutputAlias);
  if (!id) return;
  for (const hlo::Alias& alias : hlo::AliasesOf(module_.attribute_table.Numbers(*id))) {
    lines_.Add(Braced(alias.output), absl::StrCat(alias.parameter, Braced(alias.index),
                                                  alias.kind == hlo::kMustAlias ? " must" : " may"));
  }
}

void Answerer::Donors() {
  const auto id = module_.Find(module_.attributes, Key::kBufferDonor);
  if (!id) return;
  for (hlo::NumberReader reader(module_.attribute_table.Numbers(*id)); !reader.done();) {
    const int64_t parameter = reader.Next();
    lines_.Add(std::to_string(parameter), Braced(reader.List()));
  }
}

void Answerer::Schedule() {
  if (!hlo::IsScheduled(module_)) return lines_.Add("schedule", "none");
  std::vector<bool> fused(module_.computations.size(), false);
  for (const Computation& computation : module_.computations) {
    for (const Instruction& instruction : computation.instructions) {
      if (instruction.wrapped != Opcode::kFusion) continue;  // fusion-start, too
      for (const uint32_t called : hlo::Called(module_, instruction)) fused[called] = true;
    }
  }
  for (size_t c = 0; c < module_.computations.size(); ++c) {
    if (!Speaks(c) || fused[c]) continue;
    std::vector<uint32_t> order(module_.computations[c].instructions.size());
    std::iota(order.begin(), order.end(), 0u);
    lines_.Add(places_[c], PlacesOf(order, /*sorted=*/false));
  }
}

// --- of a shape ---

std::string Answerer::ShapeText(ShapeId shape) const {
  const ShapeTable& shapes = module_.shapes;
  const Type type = shapes[shape].type;
  if (type == Type::kNone) return "?";
  if (type == Type::kTuple || type == Type::kBuffer) {
    std::string text = type == Type::kTuple ? "(" : "b(";
    const size_t begin = text.size();
    for (const ShapeId element : shapes.Elements(shape)) {
      absl::StrAppend(&text, text.size() > begin ? "," : "", ShapeText(element));
    }
    return text + ")";
  }
  std::string text = std::string(hlo::RowOf(type).name) + "[";
  const auto dimensions = shapes.Dimensions(shape);
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (i > 0) text += ",";
    if (dimensions[i].extent == hlo::Extent::kUnbounded) {
      text += "?";
    } else {
      absl::StrAppend(&text, dimensions[i].extent == hlo::Extent::kBounded ? "<=" : "", dimensions[i].size);
    }
  }
  return text + "]";
}

template <typename Each>
void Answerer::ForEachArray(ShapeId shape, const Each& each) const {
  for (const ShapeId element : module_.shapes.Elements(shape)) ForEachArray(element, each);
  if (hlo::IsArrayType(module_.shapes[shape].type)) each(shape);
}

std::string Answerer::Layouts(ShapeId shape) const {
  std::string text;
  ForEachArray(shape, [&](ShapeId array) {
    if (const hlo::Layout* layout = module_.shapes.LayoutOf(array)) {
      text += Braced(layout->minor_to_major);
      return;
    }
    std::vector<int64_t> descending(module_.shapes.Dimensions(array).size());
    std::iota(descending.rbegin(), descending.rend(), int64_t{0});
    text += Braced(descending);
  });
  return text;
}

std::string Answerer::Tiles(ShapeId shape) const {
  std::string text;
  ForEachArray(shape, [&](ShapeId array) {
    const hlo::Layout* given = module_.shapes.LayoutOf(array);
    const hlo::Layout layout = given == nullptr ? hlo::Layout() : *given;
    for (const auto& tile : layout.tiles) absl::StrAppend(&text, "T", Braced(tile));
    absl::StrAppend(&text, "E", layout.element_bits, "S", layout.memory_space, "L", layout.tail_alignment, ";");
  });
  return text;
}

std::string Answerer::Bounds(ShapeId shape) const {
  std::string text;
  int64_t number = 0;
  ForEachArray(shape, [&](ShapeId array) {
    const auto dimensions = module_.shapes.Dimensions(array);
    for (size_t i = 0; i < dimensions.size(); ++i) {
      if (dimensions[i].extent == hlo::Extent::kStatic) continue;
      absl::StrAppend(&text, number, ".", i, dimensions[i].extent == hlo::Extent::kUnbounded ? "? " : " ");
    }
    ++number;
  });
  return text;
}

std::string Answerer::Answer(Question question) {
  switch (question) {
    case Question::kOpcodes:
      return Opcodes(), lines_.Text();
    case Question::kComputations:
      return Computations(), lines_.Text();
    case Question::kEntryResult:
      return EntryResult(), lines_.Text();
    case Question::kAliases:
      return Aliases(), lines_.Text();
    case Question::kDonors:
      return Donors(), lines_.Text();
    case Question::kSchedule:
      return Schedule(), lines_.Text();
    default:
      break;
  }
  for (size_t c = 0; c < module_.computations.size(); ++c) {
    if (!Speaks(c)) continue;
    const Computation& computation = module_.computations[c];
    std::vector<std::vector<uint32_t>> users(question == Question::kUsers ? computation.instructions.size() : 0);
    for (uint32_t i = 0; i < users.size(); ++i) {
      for (const uint32_t operand : module_.Operands(computation.instructions[i])) {
        if (users[operand].empty() || users[operand].back() != i) users[operand].push_back(i);
      }
    }
    for (size_t i = 0; i < computation.instructions.size(); ++i) {
      const Instruction& instruction = computation.instructions[i];
      lines_.Add(absl::StrCat(places_[c], "/", i),
                 question == Question::kUsers ? PlacesOf(users[i], /*sorted=*/true)
                                              : OfInstruction(instruction, question));
    }
  }
  return lines_.Text();
}

namespace {

// The line, without its end, that `text` begins with; takes it off.
std::string_view TakeLine(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

}  // namespace

std::string AnswerOf(const Module& module, Question question) { return Answerer(module).Answer(question); }

std::string Difference(const std::string& ours, const std::string& theirs) {
  std::string_view left = ours, right = theirs;
  constexpr std::string_view kAny = ": ?";
  while (!left.empty() || !right.empty()) {
    const std::string_view before = right;
    const std::string_view mine = TakeLine(left), his = TakeLine(right);
    if (mine == his) continue;
    if (mine.ends_with(kAny)) {
      const std::string_view name = mine.substr(0, mine.size() - kAny.size() + 2);
      if (!his.starts_with(name)) right = before;  // he has no such line
      continue;
    }
    return absl::StrCat("ours \"", std::string(mine), "\", not \"", std::string(his), "\"");
  }
  return "";
}

}  // namespace oomph::hlo_questions
