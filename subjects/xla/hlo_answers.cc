// See hlo_answers.h.
#include "subjects/xla/hlo_answers.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "models/hlo/schedule.h"
#include "models/hlo/shape.h"
#include "subjects/xla/hlo_answer_text.h"

namespace oomph::hlo_questions {
namespace {

using hlo::AttributeId;
using hlo::Computation;
using hlo::Form;
using hlo::Instruction;
using hlo::Key;
using hlo::Module;
using hlo::Opcode;
using hlo::Reference;
using hlo::ShapeId;
using hlo::ShapeTable;
using hlo::Type;

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

class Answerer {
 public:
  explicit Answerer(const Module& module) : module_(module), unspoken_(Unspoken(module)) {
    size_t place = 0;
    for (const bool unspoken : unspoken_) places_.push_back(absl::StrCat("c", unspoken ? place : place++));
  }

  std::string Answer(Question question);

 private:
  bool Speaks(size_t computation) const { return !unspoken_[computation]; }

  void Opcodes();
  void Computations();
  void EntryResult();
  void Aliases();
  void Donors();
  void Schedule();

  std::string OfInstruction(const Instruction& instruction, Question question) const;

  std::string ShapeText(ShapeId shape) const;
  template <typename Each>
  void ForEachArray(ShapeId shape, const Each& each) const;
  std::string Layouts(ShapeId shape) const;
  std::string Tiles(ShapeId shape) const;
  std::string Bounds(ShapeId shape) const;

  std::string Called(const Instruction& instruction) const;
  std::string ControlPredecessors(const Instruction& instruction) const;
  std::string Dimensions(const Instruction& instruction) const;
  std::string Groups(const Instruction& instruction) const;
  std::string Channels(const Instruction& instruction) const;
  std::string Constant(const Instruction& instruction) const;
  std::string FrontendAttributes(const Instruction& instruction) const;
  std::string Metadata(const Instruction& instruction) const;
  std::string CustomCall(const Instruction& instruction) const;
  std::string OutputAliases(const Instruction& instruction) const;
  std::string Slices(const Instruction& instruction) const;
  std::string Padding(const Instruction& instruction) const;
  std::string Windows(const Instruction& instruction) const;
  std::string Dot(const Instruction& instruction) const;
  std::string Words(const Instruction& instruction) const;
  std::string Sharding(const Instruction& instruction) const;

  std::span<const int64_t> Ints(const Instruction& instruction, Key key) const {
    const auto id = module_.Find(instruction, key);
    return id ? module_.attribute_table.Numbers(*id) : std::span<const int64_t>();
  }
  std::string Text(const Reference& reference) const { return std::string(module_.strings[reference.id]); }
  std::string Text(const Instruction& instruction, Key key) const {
    const auto id = module_.Find(instruction, key);
    if (!id || module_.attribute_table.References(*id).empty()) return "";
    return Text(module_.attribute_table.References(*id).front());
  }

  const Module& module_;
  const std::vector<bool> unspoken_;
  std::vector<std::string> places_;  // of computations, among those that are spoken of
  Lines lines_;
};

// Without the quotes and escapes that a text has it in.
std::string Unquoted(std::string text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  std::string plain;
  return absl::CUnescape(text, &plain) ? plain : text;
}

// Instructions by their places.
std::string PlacesOf(std::span<const uint32_t> instructions, bool sorted) {
  std::vector<std::string> places;
  for (const uint32_t each : instructions) places.push_back(std::to_string(each));
  return Joined(std::move(places), sorted);
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

// --- of an instruction ---

std::string Answerer::Called(const Instruction& instruction) const {
  if (instruction.opcode == Opcode::kAsyncUpdate || instruction.opcode == Opcode::kAsyncDone) return "";
  if (instruction.opcode != instruction.wrapped) return "";  // what it calls, its unspoken computation calls
  std::vector<std::string> names;
  for (const uint32_t called : hlo::Called(module_, instruction)) {
    if (Speaks(called)) names.push_back(places_[called]);
  }
  return Joined(std::move(names), /*sorted=*/true);
}

std::string Answerer::ControlPredecessors(const Instruction& instruction) const {
  std::vector<uint32_t> predecessors;
  if (const auto id = module_.Find(instruction, Key::kControlPredecessors)) {
    for (const Reference& each : module_.attribute_table.References(*id)) predecessors.push_back(each.id);
  }
  return PlacesOf(predecessors, /*sorted=*/true);
}

std::string Answerer::Dimensions(const Instruction& instruction) const {
  switch (instruction.opcode) {
    case Opcode::kBroadcast:
    case Opcode::kConcatenate:
    case Opcode::kReduce:
    case Opcode::kReverse:
    case Opcode::kSort:
    case Opcode::kTranspose:
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
    case Opcode::kReduceScatter:
    case Opcode::kGetDimensionSize:
    case Opcode::kSetDimensionSize:
      return Braced(Ints(instruction, Key::kDimensions));
    case Opcode::kMap: {  // all of them, whether it says so or not
      std::vector<int64_t> all(module_.shapes.Dimensions(instruction.shape).size());
      std::iota(all.begin(), all.end(), int64_t{0});
      return Braced(module_.Find(instruction, Key::kDimensions) ? Ints(instruction, Key::kDimensions) : all);
    }
    case Opcode::kAllToAll:
      return Ints(instruction, Key::kDimensions).empty() ? "" : Braced(Ints(instruction, Key::kDimensions));
    case Opcode::kIota:
      return Braced(Ints(instruction, Key::kIotaDimension));
    default:
      return "";
  }
}

std::string Answerer::Groups(const Instruction& instruction) const {
  const bool permutes = instruction.opcode == Opcode::kCollectivePermute ||
                        instruction.opcode == Opcode::kCollectivePermuteStart;
  const auto id = module_.Find(instruction, permutes ? Key::kSourceTargetPairs : Key::kReplicaGroups);
  if (!id) return "";
  const auto groups = hlo::GroupsOf(module_.attribute_table[*id].form, module_.attribute_table.Numbers(*id));
  if (!groups) return "?";
  std::string text;
  for (const std::vector<int64_t>& group : *groups) text += Braced(group);
  return text;
}

std::string Answerer::Channels(const Instruction& instruction) const {
  const auto id = module_.Find(instruction, Key::kChannelId);
  return absl::StrCat(id ? std::to_string(module_.attribute_table.Numbers(*id).front()) : "",
                      module_.Number(instruction, Key::kUseGlobalDeviceIds) != 0 ? " global" : "");
}

// How a floating type rounds: bits of the fraction, and the least exponent of a normal number.
struct Rounding {
  Type type;
  int fraction, least_exponent;
};
constexpr Rounding kRoundings[] = {
    {Type::kF4e2m1fn, 1, 0},      {Type::kF8e3m4, 4, -2},        {Type::kF8e4m3, 3, -6},
    {Type::kF8e4m3fn, 3, -6},     {Type::kF8e4m3b11fnuz, 3, -10}, {Type::kF8e4m3fnuz, 3, -7},
    {Type::kF8e5m2, 2, -14},      {Type::kF8e5m2fnuz, 2, -15},   {Type::kF8e8m0fnu, 0, -127},
    {Type::kF16, 10, -14},        {Type::kBf16, 7, -126},        {Type::kF32, 23, -126},
    {Type::kC64, 23, -126},
};

double Rounded(double number, Type type) {
  for (const Rounding& row : kRoundings) {
    if (row.type != type || number == 0 || !std::isfinite(number)) continue;
    const int exponent = std::max(std::ilogb(number), row.least_exponent) - row.fraction;
    return std::ldexp(std::nearbyint(std::ldexp(number, -exponent)), exponent);
  }
  return number;
}

std::string NumberText(const std::string& token, Type type) {
  if (token == "true") return "1";
  if (token == "false") return "0";
  const std::string_view name = hlo::RowOf(type).name;
  if (!name.starts_with("f") && !name.starts_with("bf") && !name.starts_with("c")) {
    if (!token.starts_with("-")) return std::to_string(static_cast<int64_t>(std::strtoull(token.c_str(), nullptr, 10)));
    return std::to_string(std::strtoll(token.c_str(), nullptr, 10));
  }
  if (token.find("nan") != token.npos) return "nan";
  return OfNumber(Rounded(std::strtod(token.c_str(), nullptr), type));
}

// The numbers of a literal, with everything between them left out.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : text_(text) {}
  bool Next(std::string& token) {
    while (at_ < text_.size() && kBetween.find(text_[at_]) != kBetween.npos) {
      const size_t close = text_.substr(at_, 2) == "/*" ? text_.find("*/", at_) : text_.npos;
      at_ = close == text_.npos ? at_ + 1 : close + 2;
    }
    const size_t begin = at_;
    while (at_ < text_.size() && kBetween.find(text_[at_]) == kBetween.npos) ++at_;
    token = std::string(text_.substr(begin, at_ - begin));
    if (token.ends_with("nan") && at_ < text_.size() && text_[at_] == '(') at_ = std::min(text_.find(')', at_), text_.size());
    return !token.empty();
  }

 private:
  static constexpr std::string_view kBetween = " ,(){}\t\n\r/";
  const std::string_view text_;
  size_t at_ = 0;
};

std::string Answerer::Constant(const Instruction& instruction) const {
  if (instruction.opcode != Opcode::kConstant || !hlo::IsArrayType(module_.shapes[instruction.shape].type)) return "";
  const Type type = module_.shapes[instruction.shape].type;
  const bool complex = type == Type::kC64 || type == Type::kC128;
  size_t elements = 1;
  for (const hlo::Dimension& d : module_.shapes.Dimensions(instruction.shape)) elements *= static_cast<size_t>(d.size);
  std::string text = std::to_string(elements);
  Tokens tokens(module_.strings[instruction.payload]);
  std::string token, imaginary;
  size_t seen = 0;
  while (seen < std::min(elements, kConstantElements) && tokens.Next(token)) {
    if (token == "...") return "?";
    if (complex && !tokens.Next(imaginary)) break;
    absl::StrAppend(&text, " ", NumberText(token, type), complex ? "_" + NumberText(imaginary, type) : "");
    ++seen;
  }
  // One number stands for all.
  const std::string one = text.substr(std::min(text.find(' '), text.size()));
  for (; seen == 1 && elements > 1 && seen < std::min(elements, kConstantElements); seen = kConstantElements) {
    for (size_t i = 1; i < std::min(elements, kConstantElements); ++i) text += one;
  }
  return text;
}

std::string Answerer::FrontendAttributes(const Instruction& instruction) const {
  const auto id = module_.Find(instruction, Key::kFrontendAttributes);
  if (!id) return "";
  const auto references = module_.attribute_table.References(*id);
  std::vector<std::string> words;
  for (size_t i = 0; i + 1 < references.size(); i += 2) {
    words.push_back(absl::StrCat(Unquoted(Text(references[i])), "=", Unquoted(Text(references[i + 1]))));
  }
  return Joined(std::move(words), /*sorted=*/true);
}

std::string Answerer::Metadata(const Instruction& instruction) const {
  const auto id = module_.Find(instruction, Key::kMetadata);
  if (!id) return "";
  // For each field its key; then the number, or another reference.
  std::map<std::string, std::string> fields;
  const auto references = module_.attribute_table.References(*id);
  hlo::NumberReader numbers(module_.attribute_table.Numbers(*id));
  for (size_t i = 0; i < references.size() && !numbers.done(); ++i) {
    const std::string key = Text(references[i]);
    const int64_t kind = numbers.Next();
    if (kind == hlo::kFieldNumber) {
      fields[key] = std::to_string(numbers.Next());
    } else if (++i < references.size()) {
      fields[key] = Unquoted(Text(references[i]));
    }
  }
  const auto& file = fields["source_file"];
  const auto& line = fields["source_line"];
  return absl::StrCat(fields["op_name"], file.empty() ? "" : " " + file,
                      line.empty() || line == "0" ? "" : ":" + line);
}

std::string Answerer::CustomCall(const Instruction& instruction) const {
  std::string text = instruction.opcode == Opcode::kCustomCall ? Unquoted(Text(instruction, Key::kCustomCallTarget)) : "";
  const std::string config = Unquoted(Text(instruction, Key::kBackendConfig));
  return config.empty() ? text : absl::StrCat(text, " ", config);
}

std::string Answerer::OutputAliases(const Instruction& instruction) const {
  if (instruction.opcode != Opcode::kCustomCall && instruction.opcode != Opcode::kFusion) return "";
  std::string text;
  for (const hlo::Alias& alias : hlo::AliasesOf(Ints(instruction, Key::kOutputToOperandAliasing))) {
    absl::StrAppend(&text, Braced(alias.output), alias.parameter, Braced(alias.index), " ");
  }
  return text;
}

std::string Answerer::Slices(const Instruction& instruction) const {
  if (instruction.opcode == Opcode::kDynamicSlice) return Braced(Ints(instruction, Key::kDynamicSliceSizes));
  if (instruction.opcode != Opcode::kSlice) return "";
  const auto numbers = Ints(instruction, Key::kSlice);
  std::vector<int64_t> columns[3];
  for (size_t i = 0; i < numbers.size(); ++i) columns[i % 3].push_back(numbers[i]);
  return absl::StrCat(Braced(columns[0]), Braced(columns[1]), Braced(columns[2]));
}

std::string Answerer::Padding(const Instruction& instruction) const {
  std::string text;
  if (instruction.opcode != Opcode::kPad) return text;
  const auto numbers = Ints(instruction, Key::kPadding);
  for (size_t i = 0; i + 2 < numbers.size(); i += 3) text += Braced(numbers.subspan(i, 3));
  return text;
}

std::string Answerer::Windows(const Instruction& instruction) const {
  if (instruction.opcode != Opcode::kConvolution && instruction.opcode != Opcode::kReduceWindow &&
      instruction.opcode != Opcode::kSelectAndScatter) {
    return "";
  }
  const auto id = module_.Find(instruction, Key::kWindow);
  if (!id) return "";
  const hlo::Window window = hlo::WindowOf(module_.attribute_table.Numbers(*id));
  const auto at = [](const std::vector<int64_t>& list, size_t i, int64_t otherwise) {
    return i < list.size() ? list[i] : otherwise;
  };
  std::string text;
  for (size_t i = 0; i < window.size.size(); ++i) {
    text += OfWindow(window.size[i], at(window.stride, i, 1), at(window.pad_low, i, 0), at(window.pad_high, i, 0),
                     at(window.lhs_dilate, i, 1), at(window.rhs_dilate, i, 1), at(window.rhs_reversal, i, 0) != 0);
  }
  return text;
}

std::string Answerer::Dot(const Instruction& instruction) const {
  if (instruction.opcode != Opcode::kDot) return "";
  return absl::StrCat(Braced(Ints(instruction, Key::kLhsContractingDims)), Braced(Ints(instruction, Key::kRhsContractingDims)),
                      Braced(Ints(instruction, Key::kLhsBatchDims)), Braced(Ints(instruction, Key::kRhsBatchDims)));
}

std::string Answerer::Words(const Instruction& instruction) const {
  switch (instruction.opcode) {
    case Opcode::kCompare:
      return Text(instruction, Key::kDirection);
    case Opcode::kFusion:
      return Text(instruction, Key::kKind);
    case Opcode::kGetTupleElement:
      return std::to_string(module_.Number(instruction, Key::kIndex));
    default:
      return "";
  }
}

std::string ShardingText(const hlo::Sharding& sharding) {
  if (sharding.kind == hlo::Sharding::kTuple) {
    std::string text = "(";
    for (const hlo::Sharding& element : sharding.elements) absl::StrAppend(&text, ShardingText(element), ";");
    return text + ")";
  }
  std::vector<int64_t> devices = sharding.devices;
  if (sharding.kind == hlo::Sharding::kTiled && !sharding.iota.empty()) {
    // As one group of all: the numbers are laid out alike.
    std::vector<int64_t> numbers = {2, 1, 1, static_cast<int64_t>(sharding.iota.size())};
    for (const int64_t size : sharding.iota) numbers[2] *= size, numbers.push_back(size);
    numbers.push_back(static_cast<int64_t>(sharding.order.size()));
    numbers.insert(numbers.end(), sharding.order.begin(), sharding.order.end());
    const auto groups = hlo::GroupsOf(Form::kIotaGroups, numbers);
    if (!groups || groups->size() != 1) return "?";
    devices = groups->front();
  }
  const std::string_view word = hlo::WordOf(sharding.kind);
  if (sharding.kind != hlo::Sharding::kTiled && sharding.kind != hlo::Sharding::kMaximal) return std::string(word);
  return absl::StrCat(sharding.kind == hlo::Sharding::kMaximal ? "maximal" : Braced(sharding.dimensions),
                      Braced(devices), sharding.last_replicated ? " last replicated" : "");
}

std::string Answerer::Sharding(const Instruction& instruction) const {
  const auto id = module_.Find(instruction, Key::kSharding);
  if (!id) return "";
  if (module_.attribute_table[*id].form != Form::kSharding) return "?";
  return ShardingText(hlo::ShardingOf(module_.attribute_table.Numbers(*id)));
}

std::string Answerer::OfInstruction(const Instruction& instruction, Question question) const {
  // Where it is written in short, the attributes are those of what it wraps.
  const bool own = instruction.opcode == instruction.wrapped;
  const bool shaped = instruction.shape != 0;
  switch (question) {
    case Question::kNames:
      return WithoutNumber(std::string(module_.Name(instruction)));
    case Question::kShapes:
      return ShapeText(instruction.shape);
    case Question::kOperands:
      return PlacesOf(module_.Operands(instruction), /*sorted=*/false);
    case Question::kCalled:
      return Called(instruction);
    case Question::kControlPredecessors:
      return ControlPredecessors(instruction);
    case Question::kParameters:
      return instruction.opcode == Opcode::kParameter ? std::to_string(instruction.payload) : "";
    case Question::kLayouts:
      return shaped ? Layouts(instruction.shape) : "?";
    case Question::kTiles:
      // XLA's reader makes the shape of a send or recv anew, and its context gets no tiles.
      if (instruction.opcode == Opcode::kSend || instruction.opcode == Opcode::kRecv) return "?";
      return shaped ? Tiles(instruction.shape) : "?";
    case Question::kBounds:
      return shaped ? Bounds(instruction.shape) : "?";
    case Question::kDimensions:
      return Dimensions(instruction);
    case Question::kGroups:
      return own ? Groups(instruction) : "";
    case Question::kChannels:
      return own ? Channels(instruction) : "";
    case Question::kConstants:
      return Constant(instruction);
    case Question::kFrontendAttributes:
      return FrontendAttributes(instruction);
    case Question::kMetadata:
      return Metadata(instruction);
    case Question::kCustomCalls:
      return CustomCall(instruction);
    case Question::kOutputAliases:
      return OutputAliases(instruction);
    case Question::kSlices:
      return Slices(instruction);
    case Question::kPaddings:
      return Padding(instruction);
    case Question::kWindows:
      return Windows(instruction);
    case Question::kDots:
      return Dot(instruction);
    case Question::kWords:
      return Words(instruction);
    case Question::kShardings:
      return Sharding(instruction);
    default:
      return "";
  }
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
