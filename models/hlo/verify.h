// Says whether a module is valid: structure, attributes, and the types and shapes of all results.
// Not for reading texts (text.h), nor for what no text can say; a module that a pass of some compiler would
// still refuse (layouts it cannot assign, types its target has not) is valid here.
//
// The rules are those of XLA's verifier with mixed precision allowed and layouts not compared, which is how
// modules are checked before layouts are assigned; docs/FACTS.md tells source and difference of each.
#ifndef OOMPH_MODELS_HLO_VERIFY_H_
#define OOMPH_MODELS_HLO_VERIFY_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/hlo/module.h"

namespace oomph::hlo {

// The order is that of the table in verify.cc.
enum class Rule : uint8_t {
  kEntry,
  kCallOrder,
  kParameters,
  kRoot,
  kNames,
  kOperandOrder,
  kOperandCount,
  kOperandType,
  kOperandShape,
  kResultShape,
  kAttributeMissing,
  kAttributeUnexpected,
  kAttributeValue,
  kSignature,
  kLiteral,
  kLayout,
  kUnbounded,
  kFusion,
  kAsync,
  kPair,
  kChannel,
  kReplicaGroups,
  kSharding,
  kThread,
  kAlias,
  kEntryLayout,
  kBuffer,
  kConstrainLayout,
  kCustomCall,
};
inline constexpr size_t kRules = static_cast<size_t>(Rule::kCustomCall) + 1;

struct RuleRow {
  std::string_view name;
  std::string_view meaning;
};
const RuleRow& RowOf(Rule rule);

inline constexpr uint32_t kNoIndex = UINT32_MAX;

struct Problem {
  Rule rule = Rule::kEntry;
  uint32_t computation = kNoIndex;  // kNoIndex: the module as a whole
  uint32_t instruction = kNoIndex;  // kNoIndex: the computation as a whole
  std::string text;                 // one sentence
  bool operator==(const Problem&) const = default;
};

// A module with more problems than this has no need of the others.
inline constexpr size_t kMaxProblems = 100;

// Empty for a valid module. At most one problem an instruction. Ends for every value, one whose indices point
// nowhere included.
std::vector<Problem> Verify(const Module& module);

// Of each computation and instruction whether it is known to break no rule that looks at one instruction alone: one
// that calls nothing, has a written shape and is neither asynchronous nor of an operation whose shape is not compared;
// and that had no problem in another module with the same operation, shape, attributes, literal and shapes of operands,
// and the same numbers of replicas and partitions.
using Known = std::vector<std::vector<uint8_t>>;
// The same, without asking again about these.
std::vector<Problem> Verify(const Module& module, const Known& known);
// Whether an instruction can be known at all.
bool CanBeKnown(const Module& module, const Instruction& instruction);

// Whether every id and range of the module points into its tables, each computation has its root, and no shape is nested
// too deep. What was read from a text is so; all that looks at a module may stumble over what is not.
bool IsSound(const Module& module);

// "main/add.3: the operands have the types f32 and s32 (operand_type)"
std::string Describe(const Module& module, const Problem& problem);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_VERIFY_H_
