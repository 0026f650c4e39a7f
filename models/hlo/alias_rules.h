// Where the memory of a result comes from, operation by operation: a table of what is passed on without a new
// buffer, of what is written in place, and of what may take the buffer of an operand that dies.
// Not for following values through a module (alias.h).
#ifndef OOMPH_MODELS_HLO_ALIAS_RULES_H_
#define OOMPH_MODELS_HLO_ALIAS_RULES_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "models/hlo/liveness_bytes.h"
#include "models/hlo/module.h"

namespace oomph::hlo {

// What of the result is a part of an operand, the very same memory. kAll: the whole tree.
inline constexpr int kAll = -1;
inline constexpr int kNowhere = -2;
struct PassedOn {
  int result = kNowhere;  // an element of the result, or kAll
  int operand = 0;
  int from = kAll;        // an element of the operand, or kAll
};

// Which nodes of an operand an operation reads.
enum class Reads : uint8_t {
  kTree,  // all of a tuple
  kTop,   // the table of pointers only
  kNone,  // it only passes it on
};

// What becomes of the tables of pointers in what is passed on.
enum class Tables : uint8_t { kSame, kNew };

struct FlowRow {
  Opcode opcode;
  PassedOn passed;
  Reads reads;
  Tables tables;
  std::string_view because;
};
// The rows of all operations that pass something on; of tuple, get-tuple-element, copy, the starts that take several
// operands, while, conditional and call more is known than a row can say: see alias.cc.
std::span<const FlowRow> FlowRows();
// The row of an operation; one that passes nothing on and reads all where it has none.
const FlowRow& FlowOf(Opcode opcode);

// A node of an operand and a node of the result that are one buffer: the operation changes it in place.
struct InPlacePair {
  uint32_t operand = 0;
  uint64_t operand_node = 0;
  uint64_t result_node = 0;
};
struct InPlaceRow {
  Opcode opcode;
  std::string_view because;
};
std::span<const InPlaceRow> InPlaceRows();

// Remembers what it has found: a fusion in a fusion in … would be looked into once for each of its parts.
class InPlaceFinder {
 public:
  InPlaceFinder(const Module& module, const ShapeNodes& nodes);

  // Ascending by the result's node.
  std::span<const InPlacePair> Of(const Computation& computation, const Instruction& instruction);
  bool MayHave(Opcode opcode) const { return works_in_place_[static_cast<size_t>(opcode)]; }
  // The fusions were too many and too large to be looked into: what was found is not all.
  bool exhausted() const;

 private:
  // An instruction of a computation, and a node of its result.
  struct Place {
    uint32_t instruction = 0;
    uint64_t node = 0;
  };

  const std::vector<InPlacePair>& Find(const Computation& computation, const Instruction& instruction, int depth);
  void Add(const Computation& computation, const Instruction& instruction, int depth, std::vector<InPlacePair>& pairs);
  void AddOfFusion(const Computation& computation, const Instruction& fusion, int depth,
                   std::vector<InPlacePair>& pairs);
  Place Source(const Computation& computation, Place place);

  const Module& module_;
  const ShapeNodes& nodes_;
  std::array<bool, kOpcodes> works_in_place_{};
  const std::vector<InPlacePair> none_;
  std::map<std::pair<const Instruction*, int>, std::vector<InPlacePair>> known_;  // by depth of fusions
  uint64_t looks_ = 0;
};

bool IsElementwiseOpcode(Opcode opcode);

// Whether an operation computes each element of its result from the element at the same place of that operand.
bool IsElementwise(const Module& module, const Computation& computation, const Instruction& instruction,
                   size_t operand);

// Whether a result may be written over an operand that nobody needs after this.
class OperandReuse {
 public:
  // As XLA does it; or wherever it would be right, which XLA leaves out of custom fusions that compute.
  OperandReuse(const Module& module, const ShapeNodes& nodes, bool wherever_right = false);

  // A quick look: whether it is worth asking at all.
  bool OfAny(const Instruction& instruction) const;
  // How often the operand is used: by how many instructions, and how often by this one.
  struct Uses {
    size_t instructions = 0, here = 0;
  };
  // For a node of the result.
  bool Of(const Computation& computation, const Instruction& instruction, size_t operand, uint64_t result_node,
          Uses uses);
  // The instructions that a node of the result is written over in place.
  std::vector<uint32_t> InPlaceSources(const Computation& computation, const Instruction& instruction,
                                       uint64_t result_node);

 private:
  bool OfFusion(const Instruction& fusion, size_t operand);

  const Module& module_;
  const ShapeNodes& nodes_;
  const bool wherever_right_;
  InPlaceFinder in_place_;
  std::map<const Computation*, std::vector<bool>> not_elementwise_;  // of fused computations, by parameter
};

// Equal types and dimensions, and layouts that are equal; a layout that is not given is the usual one.
bool SameArray(const ShapeTable& shapes, ShapeId a, ShapeId b);

// The fused computation of a fusion; null for other operations, and where there is none.
const Computation* FusedComputation(const Module& module, const Instruction& instruction);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_ALIAS_RULES_H_
