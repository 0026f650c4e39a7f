// Answers questions about a module: what hlo_answers.cc (the module and its shapes) and hlo_answers_instruction.cc share.
// Not for others: they take hlo_answers.h.
#ifndef OOMPH_SUBJECTS_XLA_HLO_ANSWERER_H_
#define OOMPH_SUBJECTS_XLA_HLO_ANSWERER_H_

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/hlo/module.h"
#include "models/hlo/shape.h"
#include "subjects/xla/hlo_answer_text.h"
#include "subjects/xla/hlo_questions.h"

namespace oomph::hlo_questions {

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

// Instructions by their places.
inline std::string PlacesOf(std::span<const uint32_t> instructions, bool sorted) {
  std::vector<std::string> places;
  for (const uint32_t each : instructions) places.push_back(std::to_string(each));
  return Joined(std::move(places), sorted);
}

class Answerer {
 public:
  explicit Answerer(const Module& module);

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

}  // namespace oomph::hlo_questions

#endif  // OOMPH_SUBJECTS_XLA_HLO_ANSWERER_H_
