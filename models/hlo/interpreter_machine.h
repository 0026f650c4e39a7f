// The machine of interpreter.h. For the files interpreter*.cc only.
// Written to be compared with liveness.cc: nothing of that, of alias.cc or of their rules is used here.
#ifndef OOMPH_MODELS_HLO_INTERPRETER_MACHINE_H_
#define OOMPH_MODELS_HLO_INTERPRETER_MACHINE_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/hlo/interpreter.h"

namespace oomph::hlo {

// What was written at a time into some memory, and when it was last there to be read.
struct Version {
  uint64_t bytes = 0;
  uint32_t space = 0;
  uint32_t made = 0, last = 0;
};

// The versions of a value: of a tuple its table of pointers, then the trees of its elements.
using Tree = std::vector<uint32_t>;

// Two versions in one memory: what was there, and what was written over it.
using Links = std::vector<std::pair<uint32_t, uint32_t>>;

constexpr int kMaxDepth = 100;  // of calls, and of fusions

struct Operands {
  std::vector<Tree> trees;
  std::vector<ShapeId> shapes;
  size_t size() const { return trees.size(); }
};

class Machine {
 public:
  Machine(const Module& module, const InterpreterOptions& options);

  absl::StatusOr<InterpretedPeak> Run();

 private:
  const Instruction& At(uint32_t computation, uint32_t index) const {
    return module_.computations[computation].instructions[index];
  }
  // Every visit of anything is paid for. False, and why_ is set, when there were too many.
  bool Spend(size_t visits);
  bool IsTuple(ShapeId shape) const { return module_.shapes[shape].type == Type::kTuple; }
  size_t ElementCount(ShapeId shape) const { return IsTuple(shape) ? module_.shapes[shape].count : 0; }
  ShapeId ElementShape(ShapeId shape, size_t element) const { return module_.shapes.Elements(shape)[element]; }

  // interpreter_values.cc: trees
  size_t Size(ShapeId shape) const { return sizes_[shape]; }
  size_t Offset(ShapeId tuple, size_t element);
  uint64_t Bytes(ShapeId shape) const;
  void MakeInto(ShapeId shape, Tree& tree);
  Tree Make(ShapeId shape);
  // The part of a tree that is its element; empty where there is none.
  Tree Element(ShapeId shape, const Tree& tree, int64_t element);
  Tree Walk(ShapeId shape, Tree tree, std::span<const int64_t> path);
  // Replaces the element of a tuple, if `part` is as large; Put in any case.
  void PutFitting(ShapeId shape, Tree& tree, int64_t element, const Tree& part);
  void Put(ShapeId shape, Tree& tree, int64_t element, const Tree& part);
  // `tree` with the arrays of `from` in the places of its own, where they have the same form.
  void TakeArrays(ShapeId shape, Tree& tree, const Tree& from);
  void TakeArraysFrom(ShapeId shape, Tree& tree, const Tree& from, size_t& at);
  void Touch(const Tree& tree, uint32_t when);
  void OneMemory(uint32_t from, uint32_t to, Links& links);
  void OneMemory(const Tree& from, const Tree& to, Links& links);

  // interpreter.cc: running
  Tree Call(uint32_t computation, const std::vector<Tree>& arguments, int depth);
  void DropUnused(const Tree& result);
  void Read(uint32_t computation, uint32_t index, const std::vector<Tree>& values);
  std::vector<uint32_t> Calls(const Instruction& instruction, std::initializer_list<Key> keys) const;
  Tree Execute(uint32_t computation, uint32_t index, const std::vector<Tree>& values,
               const std::vector<Tree>& arguments, int depth);
  Tree Compute(uint32_t computation, const Instruction& instruction, const Operands& operands);
  void Fill(const Instruction& instruction, const Operands& operands, Tree& result);
  void PutOperands(ShapeId shape, const Operands& operands, Tree& result);
  Tree Loop(const Instruction& instruction, const Tree& init, int depth);
  Tree Branch(const Instruction& instruction, const Operands& operands, int depth);
  Tree Start(const Instruction& instruction, const Operands& operands, int depth);
  void GoOn(uint32_t computation, const Instruction& instruction);

  // interpreter_in_place.cc: what is written over what
  void InPlace(const Instruction& instruction, const Operands& operands, const Tree& result, Links& links, int depth);
  void Declared(const Instruction& instruction, const Operands& operands, const Tree& result, Links& links);
  bool HasBuffersOfItsOwn(const Instruction& instruction) const;
  void InPlaceFusion(const Instruction& fusion, const Operands& operands, const Tree& result, Links& links, int depth);
  Tree ValueInFusion(const Instruction& instruction, const Operands& outer, const Operands& given);

  // interpreter_count.cc: the end
  void KeepArguments(const std::vector<Tree>& arguments, const Tree& result);
  std::vector<uint32_t> Memories() const;
  InterpretedPeak Count() const;

  const Module& module_;
  const InterpreterOptions& options_;
  uint32_t now_ = 0;
  size_t spent_ = 0;
  size_t arguments_ = 0;  // the first versions are those of the entry's arguments
  std::string why_;
  std::vector<size_t> sizes_;                   // by shape
  std::map<ShapeId, std::vector<size_t>> offsets_;
  std::vector<Version> versions_;
  Links links_;
  uint32_t inner_version_ = uint32_t{1} << 31;  // next of those that only stand for something within a fusion
  // Async computations: that are being run, and that run beside the schedule, with all that they have seen.
  std::vector<std::pair<const Instruction*, std::vector<uint32_t>>> running_;
  std::map<const Instruction*, std::vector<uint32_t>> beside_;
};

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_INTERPRETER_MACHINE_H_
