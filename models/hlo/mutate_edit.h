// Takes modules apart and puts them together again: what mutations, rewrites and the reducer are made of.
// Not for deciding what to change (mutate.h, rewrite.h, reduce.h), nor for seeing whether it was right
// (verify.h).
//
//   Editor edit(module, computation);
//   const uint32_t copy = edit.InsertAfter(value, Opcode::kCopy, shape, {value});
//   edit.ReplaceUses(value, copy);
//   edit.Commit();
//
// While a computation is taken apart, its instructions go by numbers that do not change when others come or
// go. References to other computations (Find, Called, ...) are asked from the module as ever.
#ifndef OOMPH_MODELS_HLO_MUTATE_EDIT_H_
#define OOMPH_MODELS_HLO_MUTATE_EDIT_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "models/hlo/module.h"

namespace oomph::hlo {

using OperandList = absl::InlinedVector<uint32_t, 4>;

class Editor {
 public:
  Editor(Module& module, uint32_t computation);

  // The numbers of the instructions, in their order.
  const std::vector<uint32_t>& order() const { return order_; }
  size_t PositionOf(uint32_t node) const;  // in the order; linear
  Instruction& at(uint32_t node) { return nodes_[node].instruction; }
  OperandList& operands(uint32_t node) { return nodes_[node].operands; }
  uint32_t root() const { return root_; }
  void SetRoot(uint32_t node) { root_ = node; }
  size_t numbers() const { return nodes_.size(); }  // all numbers are below
  // The users of every number, each named once.
  std::vector<OperandList> Users() const;

  bool IsUsed(uint32_t node) const;  // as an operand; linear

  // At a position of the order.
  uint32_t Insert(size_t position, Opcode opcode, ShapeId shape, std::span<const uint32_t> operands,
                  std::span<const AttributeId> attributes = {}, uint32_t payload = 0);
  // A copy of an instruction of any computation of this module, with other operands and a name of its own.
  uint32_t InsertCopy(size_t position, const Instruction& of, std::span<const uint32_t> operands);
  // Everyone who used `old`, the root included, uses `now`; but for `except`.
  void ReplaceUses(uint32_t old, uint32_t now, uint32_t except = UINT32_MAX);
  // `node` has no users.
  void Erase(uint32_t node);
  // Takes out what neither the root nor an effect needs, or not the root alone. Parameters stay.
  void EraseDead(bool effects_too = false);
  void Move(size_t from, size_t to);  // no check
  // The first and the last position that the instruction at `position` can move to.
  std::pair<size_t, size_t> RoomOf(size_t position) const;
  // Puts the computation back. The editor is of no use afterwards.
  void Commit();

 private:
  struct Node {
    Instruction instruction;
    OperandList operands;
    OperandList after;  // control predecessors
  };
  Node Taken(const Instruction& instruction) const;

  Module& module_;
  const uint32_t computation_;
  std::vector<Node> nodes_;
  std::vector<uint32_t> order_;
  uint32_t root_ = 0;
};

// The computation with this name.
std::optional<uint32_t> ComputationNamed(const Module& module, StringId name);

// A name that no instruction or computation has: `stem.number`.
StringId FreshName(Module& module, std::string_view stem);

// Which computations hold an instruction that cannot be taken out for want of users (sends, outfeeds, calls
// of side effects and the like), itself or in what they call.
std::vector<uint8_t> EffectsOf(const Module& module);
bool HasEffect(const Module& module, std::span<const uint8_t> effects, const Instruction& instruction);

// What calls a computation, as far as it matters for changing it.
enum class Role : uint8_t {
  kPlain,    // the entry, and what call, while and conditional call: instructions of any kind
  kFused,    // of a fusion: no dead code
  kApplied,  // of reductions and the like: scalars
  kWrapped,  // of asynchronous operations: one instruction beside the parameters
  kUnused,
};
std::vector<Role> RolesOf(const Module& module);

// Of each computation whether the entry is it or reaches it by calls.
std::vector<uint8_t> ReachedFromEntry(const Module& module);

// Puts a computation before the one at `position`; all references to later ones move by one.
void InsertComputation(Module& module, uint32_t position, Computation computation);
// Takes out the computations that the entry does not reach.
void DropUnusedComputations(Module& module);

// Gives every array shape, those within tuples and attributes too, what `change` makes of it.
using ArrayChange = std::function<ShapeId(ShapeTable& shapes, ShapeId array)>;
void ChangeShapes(Module& module, const ArrayChange& change);
// The same for the numbers of attributes and the texts of constants.
using NumbersChange = std::function<void(const Attribute& row, std::vector<int64_t>& numbers)>;
void ChangeNumbers(Module& module, const NumbersChange& change);

// Whether all ids and indices point somewhere, callees stand before callers, and there is an entry: what the
// edits here rest on. A module that was read from a text is; that it is valid is not needed.
bool IsWellFormed(const Module& module);

// The header's layout of the entry, where there is one, says again what the entry's parameters and root say.
void RefreshHeader(Module& module);
// Drops the lists and attributes that nobody refers to any more.
void Tidy(Module& module);

// Puts the body of the call or fusion `node` in its place. False, and nothing changed, where its operands are
// not those of its body.
bool Inline(Module& module, uint32_t computation, uint32_t node);
// Moves the instructions at these indices, of which others need one result only, into a computation of their
// own. False, and nothing changed, where they cannot stand there.
bool Outline(Module& module, uint32_t computation, std::span<const uint32_t> indices, Opcode caller,
             std::string_view fusion_kind = "kLoop");

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_MUTATE_EDIT_H_
