// See hlo_answerer.h: what is asked of an instruction.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "subjects/xla/hlo_answerer.h"

namespace oomph::hlo_questions {
namespace {

// Without the quotes and escapes that a text has it in.
std::string Unquoted(std::string text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  std::string plain;
  return absl::CUnescape(text, &plain) ? plain : text;
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

}  // namespace

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

}  // namespace oomph::hlo_questions
