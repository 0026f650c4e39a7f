// Puts a module together, instruction by instruction: names, operand lists, attributes, nested computations.
// Not for choosing what to build (generate.h), nor for judging it: what is asked for is built.
//
//   Builder build(module);                       // empties the module and keeps its memory
//   build.Begin("main");
//   const uint32_t a = build.Add(Opcode::kParameter, shape, {}, {}, 0);
//   const uint32_t b = build.Add(Opcode::kNegate, shape, {a});
//   build.Finish(build.End(b));
//
// A computation that is begun while another is open is nested in it, and ends first: so it stands before its
// caller.
#ifndef OOMPH_MODELS_HLO_BUILDER_H_
#define OOMPH_MODELS_HLO_BUILDER_H_

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "models/hlo/module.h"

namespace oomph::hlo {

class Builder {
 public:
  explicit Builder(Module& module);

  void Begin(std::string_view name);
  // Ends the innermost open computation; its index.
  uint32_t End(uint32_t root);
  // Sets the entry and the header.
  void Finish(uint32_t entry, std::string_view name = "module", std::span<const AttributeId> header = {});

  uint32_t Add(Opcode opcode, ShapeId shape, std::span<const uint32_t> operands,
               std::span<const AttributeId> attributes = {}, uint32_t payload = 0);
  uint32_t Add(Opcode opcode, ShapeId shape, std::initializer_list<uint32_t> operands,
               std::initializer_list<AttributeId> attributes = {}, uint32_t payload = 0) {
    return Add(opcode, shape, std::span(operands.begin(), operands.size()),
               std::span(attributes.begin(), attributes.size()), payload);
  }
  // An asynchronous operation that is written short: `slice-start`.
  uint32_t AddWrapped(Opcode opcode, Opcode wrapped, ShapeId shape, std::initializer_list<uint32_t> operands,
                      std::initializer_list<AttributeId> attributes = {});
  uint32_t Constant(ShapeId shape, std::string_view literal) {
    return Add(Opcode::kConstant, shape, {}, {}, module_.strings.Add(literal));
  }

  AttributeId Numbers(Key key, std::span<const int64_t> numbers) {
    return module_.attribute_table.Add(key, RowOf(key).form, numbers, {});
  }
  AttributeId Numbers(Key key, std::initializer_list<int64_t> numbers) {
    return Numbers(key, std::span(numbers.begin(), numbers.size()));
  }
  AttributeId Text(Key key, std::string_view text) {
    return Refer(key, Reference::kString, module_.strings.Add(text));
  }
  AttributeId Calls(Key key, uint32_t computation) {
    return Refer(key, Reference::kComputation, computation);
  }
  AttributeId Calls(Key key, std::span<const uint32_t> computations);
  AttributeId Shapes(Key key, std::span<const ShapeId> shapes);
  AttributeId WindowOf(const Window& window) { return Numbers(Key::kWindow, NumbersOf(window)); }

  Module& module() { return module_; }
  // The instructions of the innermost open computation.
  const std::vector<Instruction>& instructions() const { return open_.back().instructions; }
  Instruction& instruction(uint32_t index) { return open_.back().instructions[index]; }
  ShapeId ShapeOf(uint32_t index) const { return open_.back().instructions[index].shape; }
  size_t total() const { return total_; }  // instructions so far, in all computations

 private:
  AttributeId Refer(Key key, Reference::Kind kind, uint32_t id);

  Module& module_;
  std::vector<Computation> open_;
  std::vector<Computation> spare_;  // emptied ones, for their memory
  size_t total_ = 0;
};

// `stem.number` in `buffer`, which holds at least 48 bytes; a longer stem is cut.
std::string_view NumberedName(std::string_view stem, uint64_t number, std::span<char> buffer);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_BUILDER_H_
