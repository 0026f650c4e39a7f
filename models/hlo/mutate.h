// Changes a module by a few edits that keep it valid: what a mutational campaign does with stored and real
// modules. Not for rewrites that keep the meaning (rewrite.h), nor for making it smaller (reduce.h).
#ifndef OOMPH_MODELS_HLO_MUTATE_H_
#define OOMPH_MODELS_HLO_MUTATE_H_

#include <array>
#include <cstdint>
#include <string_view>

#include "models/base/choices.h"
#include "models/base/family.h"
#include "models/hlo/module.h"

namespace oomph::hlo {

enum class Mutation : uint8_t {
  kReplace,
  kInsert,
  kDelete,
  kRewire,
  kResize,
  kRetype,
  kRelayout,
  kMergeFusion,
  kSplitFusion,
  kOutline,
  kInline,
  kReorder
};
inline constexpr size_t kMutations = static_cast<size_t>(Mutation::kReorder) + 1;

struct MutationRow {
  std::string_view name;
  std::string_view does;
};
inline constexpr std::array<MutationRow, kMutations> kMutationRows = {{
    {"replace", "another operation of the same operands and result, another comparison or another constant"},
    {"insert", "one operation more on the way from a value to its users"},
    {"delete", "a value goes, and its users use another of its shape, or a constant"},
    {"rewire", "an operand becomes another value of the same shape"},
    {"resize", "one size of dimensions becomes another, all through the module"},
    {"retype", "one element type becomes another, all through the module"},
    {"relayout", "one shape gets another layout or memory, all through the module"},
    {"merge_fusion", "an operation and one that it needs, or their fusions, become one fusion"},
    {"split_fusion", "a fusion becomes two, or is opened"},
    {"outline", "some instructions stand in a computation that is called"},
    {"inline", "the body of a call stands in its place"},
    {"reorder", "an instruction stands elsewhere between its operands and its users"},
}};

// False, and nothing changed, where it does not apply at the drawn place or the result would have more
// problems than the module has (verify.h).
bool Mutate(Mutation mutation, Choices& choices, Module& module);

// One to four of them.
void MutateModule(Choices& choices, const GenerateOptions& options, Module& module);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_MUTATE_H_
