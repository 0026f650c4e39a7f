// See builder.h.
#include "models/hlo/builder.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace oomph::hlo {
namespace {

// An empty module: assigning it empties another one and keeps that one's memory.
const Module& Blank() {
  static const Module* const blank = [] {
    auto* module = new Module;
    module->strings.Add("module");
    return module;
  }();
  return *blank;
}

constexpr size_t kBufferBytes = 48;
constexpr size_t kLongestStem = 26;

}  // namespace

std::string_view NumberedName(std::string_view stem, uint64_t number, std::span<char> buffer) {
  const size_t stem_size = std::min(stem.size(), kLongestStem);
  char* at = std::copy_n(stem.data(), stem_size, buffer.data());
  *at++ = '.';
  at = std::to_chars(at, buffer.data() + buffer.size(), number).ptr;
  return {buffer.data(), static_cast<size_t>(at - buffer.data())};
}

Builder::Builder(Module& module) : module_(module) {
  spare_.swap(module.computations);
  for (Computation& computation : spare_) computation.instructions.clear();
  module = Blank();
  open_.reserve(4);
}

void Builder::Begin(std::string_view name) {
  Computation& computation = open_.emplace_back();
  if (!spare_.empty()) {
    computation.instructions.swap(spare_.back().instructions);
    spare_.pop_back();
  }
  std::array<char, kBufferBytes> buffer;
  const size_t number = module_.computations.size() + open_.size() - 1;
  computation.name = module_.strings.Add(number == 0 ? name : NumberedName(name, number + total_, buffer));
}

uint32_t Builder::End(uint32_t root) {
  open_.back().root = root;
  module_.computations.push_back(std::move(open_.back()));
  open_.pop_back();
  return static_cast<uint32_t>(module_.computations.size() - 1);
}

void Builder::Finish(uint32_t entry, std::string_view name, std::span<const AttributeId> header) {
  module_.entry = entry;
  module_.name = module_.strings.Add(name);
  module_.attributes = module_.AddAttributes(header);
}

uint32_t Builder::Add(Opcode opcode, ShapeId shape, std::span<const uint32_t> operands,
                      std::span<const AttributeId> attributes, uint32_t payload) {
  std::array<char, kBufferBytes> buffer;
  Instruction instruction;
  instruction.shape = shape;
  instruction.opcode = instruction.wrapped = opcode;
  instruction.payload = payload;
  instruction.name = module_.strings.Add(NumberedName(RowOf(opcode).name, total_++, buffer));
  if (!operands.empty()) instruction.operands = module_.AddOperands(operands);
  if (!attributes.empty()) instruction.attributes = module_.AddAttributes(attributes);
  std::vector<Instruction>& instructions = open_.back().instructions;
  instructions.push_back(instruction);
  return static_cast<uint32_t>(instructions.size() - 1);
}

uint32_t Builder::AddWrapped(Opcode opcode, Opcode wrapped, ShapeId shape,
                             std::initializer_list<uint32_t> operands,
                             std::initializer_list<AttributeId> attributes) {
  const uint32_t index = Add(opcode, shape, operands, attributes);
  open_.back().instructions[index].wrapped = wrapped;
  return index;
}

AttributeId Builder::Refer(Key key, Reference::Kind kind, uint32_t id) {
  const Reference reference = {.kind = kind, .id = id};
  return module_.attribute_table.Add(key, RowOf(key).form, {}, std::span(&reference, 1));
}

AttributeId Builder::Calls(Key key, std::span<const uint32_t> computations) {
  std::vector<Reference> references;
  for (const uint32_t computation : computations) {
    references.push_back({.kind = Reference::kComputation, .id = computation});
  }
  return module_.attribute_table.Add(key, RowOf(key).form, {}, references);
}

AttributeId Builder::Shapes(Key key, std::span<const ShapeId> shapes) {
  std::vector<Reference> references;
  for (const ShapeId shape : shapes) references.push_back({.kind = Reference::kShape, .id = shape});
  return module_.attribute_table.Add(key, RowOf(key).form, {}, references);
}

}  // namespace oomph::hlo
