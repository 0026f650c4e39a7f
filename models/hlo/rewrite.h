// Rewrites that leave what a module computes as it is: for relations between a module and its like.
// Not for changes of meaning (mutate.h).
#ifndef OOMPH_MODELS_HLO_REWRITE_H_
#define OOMPH_MODELS_HLO_REWRITE_H_

#include <array>
#include <cstdint>
#include <string_view>

#include "models/base/choices.h"
#include "models/hlo/module.h"

namespace oomph::hlo {

enum class Rewrite : uint8_t {
  kRename, kReorder, kAddDeadCode, kInline, kOutline, kAddIdentity, kRemoveIdentity, kCommute
};
inline constexpr size_t kRewrites = static_cast<size_t>(Rewrite::kCommute) + 1;

struct RewriteRow {
  std::string_view name;
  std::string_view does;
  // What may become of the peak, in total and of each memory space, as CountedOptions() counts (answer.h); measured
  // over 400,000 modules a rewrite, see docs/FACTS.md.
  bool may_lower, may_raise;
};
inline constexpr std::array<RewriteRow, kRewrites> kRewriteRows = {{
    {"rename", "every instruction and computation has another name, in the same order", false, false},
    {"reorder", "one instruction stands elsewhere between its operands and its users", true, true},
    {"add_dead_code", "an instruction more that nobody uses", false, true},
    {"inline", "the body of a call stands in its place", true, false},
    {"outline", "some instructions stand in a computation that is called", true, true},
    {"add_identity", "users of a value use a copy or another operation that changes nothing", false, true},
    {"remove_identity", "users of an operation that changes nothing use its operand", true, false},
    {"commute", "an operation whose operands may change places has them changed", false, false},
}};

// False, and nothing changed, where there is nothing to rewrite, or where the result would have more problems
// than the module has (verify.h).
bool Apply(Rewrite rewrite, Choices& choices, Module& module);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_REWRITE_H_
