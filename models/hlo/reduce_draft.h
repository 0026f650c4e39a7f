// What the reductions are made of: what is looked up once for a base, and a module in the making in which instructions
// go, come and stand for one another, each in constant time, and which is put in order at the end.
// Not for users of the reductions (reduce.h); nor for mutations, which take one computation apart (mutate_edit.h).
//
//   Draft draft(base, into);                 a copy
//   draft.Replace({c, i}, j);                who uses i uses j
//   draft.Drop({c, k});                      gone, unless somebody uses it
//   return draft.Finish();                   what is useless by now is gone as well; false: no better than the base
#ifndef OOMPH_MODELS_HLO_REDUCE_DRAFT_H_
#define OOMPH_MODELS_HLO_REDUCE_DRAFT_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "models/hlo/module.h"
#include "models/hlo/reduce.h"

namespace oomph::hlo::reduce {

inline constexpr uint32_t kNone = UINT32_MAX;

// An instruction by its computation and its number in there.
struct Place {
  uint32_t computation = 0, node = 0;
};

// Where a computation is called.
struct CallSites {
  uint32_t count = 0;  // references to it
  bool simple = true;  // all are a call's or fusion's, with an operand for each parameter
};

// A module and what all edits of a list ask of it.
class Base {
 public:
  explicit Base(const Module& from);

  const Module& module() const { return module_; }
  const Measure& measure() const { return measure_; }
  size_t problems() const { return problems_; }
  const Computation& entry() const { return module_.computations[module_.entry]; }
  const Instruction& at(Place place) const { return module_.computations[place.computation].instructions[place.node]; }

  bool IsEntry(uint32_t computation) const { return computation == module_.entry; }
  bool HasEffect(Place place) const { return effects_[place.computation][place.node] != 0; }
  // Nobody uses it, and it is no root.
  bool IsIdle(Place place) const { return idle_[place.computation][place.node] != 0; }
  bool IsReached(uint32_t computation) const { return reached_[computation] != 0; }
  const CallSites& SitesOf(uint32_t computation) const { return sites_[computation]; }
  // There are control predecessors.
  bool HasControl() const { return has_control_; }
  // See Known in verify.h.
  bool IsKnown(Place place) const { return !known_.empty() && known_[place.computation][place.node] != 0; }
  // The entry's root is an operand as well.
  bool RootIsUsed() const { return root_used_; }
  // An array, or a tuple all of arrays.
  bool IsAllArrays(ShapeId shape) const { return all_arrays_[shape] != 0; }
  // Without padding; 0 where it cannot be told.
  uint64_t BytesOf(ShapeId shape) const { return bytes_[shape]; }

 private:
  const Module module_;  // with tables of what it uses only
  size_t problems_ = 0;
  const Measure measure_;
  std::vector<std::vector<uint8_t>> known_;  // empty where nothing is
  std::vector<std::vector<uint8_t>> effects_, idle_;
  bool root_used_ = false, has_control_ = false;
  std::vector<uint8_t> reached_;
  std::vector<CallSites> sites_;
  std::vector<uint64_t> bytes_;  // by shape
  std::vector<uint8_t> all_arrays_;
};

// The module with tables that hold only what it uses.
Module Compact(const Module& module);

bool IsStaticArray(const ShapeTable& shapes, ShapeId shape);
// The text of the simplest scalar of a type: what replaces a value.
std::string_view SimplestLiteral(Type type);
// A constant, or one broadcast.
bool IsConstant(const Module& module, const Computation& computation, const Instruction& instruction);
// The instruction without all that says more than its name and shape, as another operation.
Instruction Plain(const Instruction& of, Opcode opcode, uint32_t payload = 0);

class Draft {
 public:
  Draft(const Base& base, Module& into);

  const Base& base() const { return base_; }
  Module& module() { return module_; }

  // Numbers of instructions are those of the base until their computation is swept; added ones come after these.
  Instruction& at(Place place);
  // Stands before `before`; its operands are a list of this module. `stem` is for the name.
  uint32_t Add(uint32_t computation, uint32_t before, Instruction instruction, std::string_view stem);
  // The simplest value of an array of static sizes; none where there is none.
  std::optional<uint32_t> AddZero(uint32_t computation, uint32_t before, ShapeId shape);
  // The same, and tuples of such.
  std::optional<uint32_t> AddZeros(uint32_t computation, uint32_t before, ShapeId shape);
  // The number of a parameter more.
  uint32_t NextParameter(uint32_t computation);

  void Drop(Place place);
  void Replace(Place place, uint32_t by);
  void SetOperands(Place place, std::span<const uint32_t> operands);
  void SetRoot(uint32_t computation, uint32_t node);
  uint32_t RootOf(uint32_t computation) const;
  // The entry gives these, a tuple if they are not one alone or `tuple` says so. `was` tells of each the element of the
  // old root tuple that it was, or kNone.
  void SetOutputs(std::span<const uint32_t> nodes, std::span<const uint32_t> was, bool tuple);
  // Parameters of the entry stay though nothing reads them any more: they are the caller's and live all the time.
  void KeepParameters() { keeps_parameters_ = true; }
  // The root tuple of the entry has the shapes of what it holds again.
  void RefreshOutputs();
  // Of a get-tuple-element.
  void SetIndex(Place place, int64_t index);
  void SetEntry(uint32_t computation) { module_.entry = computation, other_entry_ = true; }
  void DropComputation(uint32_t computation) { dropped_.push_back(computation); }
  // Attributes with this key go from the instruction.
  void DropAttribute(Place place, Key key);

  // What called computations take no more is not given to them any more; once for a computation.
  void DropCallOperands(uint32_t computation);
  // Puts the computation in order: what became useless goes. Computations are swept callees first.
  void Sweep(uint32_t computation);
  // Sweeps what is left to sweep, drops computations that are not called any more, and says whether the module is
  // simpler than the base and no worse.
  bool Finish();

 private:
  struct Part {
    bool changed = false, swept = false, calls_mended = false;
    std::vector<Instruction> added;
    std::vector<uint32_t> before;  // of each added one
    std::vector<uint32_t> instead;
    std::vector<uint8_t> gone;
    uint32_t root = 0;
    uint32_t next_parameter = kNone;
    std::vector<std::pair<Type, uint32_t>> constants;
    std::vector<uint32_t> removed;  // numbers of parameters, ascending
    std::vector<uint32_t> origin;   // once it is swept, of each instruction its number before
  };
  Part& Changed(uint32_t computation);
  uint32_t Resolved(const Part& part, uint32_t node) const;
  std::vector<uint8_t> Needed(uint32_t computation, const Part& part);
  void Renumber(uint32_t computation, std::vector<Instruction>& instructions);
  void DropComputations();
  void MendHeader();
  bool IsSmaller() const;
  bool IsNoWorse() const;

  const Base& base_;
  Module& module_;
  std::vector<Part> parts_;
  std::vector<uint32_t> dropped_;
  std::vector<uint32_t> origins_;  // of each computation that is left its number before
  bool outputs_changed_ = false, other_entry_ = false;
  std::vector<uint32_t> outputs_were_;
  bool parameters_removed_ = false, keeps_parameters_ = false;
};

}  // namespace oomph::hlo::reduce

#endif  // OOMPH_MODELS_HLO_REDUCE_DRAFT_H_
