// See relations.h.
#include "models/hlo/relations.h"

#include <array>
#include <string>

#include "absl/strings/str_cat.h"
#include "models/base/words.h"
#include "models/hlo/answer_text.h"
#include "models/hlo/promises.h"
#include "models/hlo/results.h"
#include "models/hlo/rewrite.h"
#include "models/hlo/text.h"

namespace oomph::hlo {
namespace {

size_t Last(const Module& module) {
  const size_t count = InstructionCount(module);
  return count == 0 ? 0 : count - 1;
}

bool Same(const Module& module, Module& into) {
  into = module;
  return true;
}

// Where a rewrite takes place depends on the module alone.
template <Rewrite rewrite>
bool Rewritten(const Module& module, Module& into) {
  into = module;
  Choices choices = Choices::FromSeed(MixSeed(StableHash(Print(module)), static_cast<uint64_t>(rewrite)), /*swarm=*/false);
  return Apply(rewrite, choices, into);
}

// ---- What two answers must have in common ----

void JudgeRepeated(std::string_view name, const Module& module, const Answer& answer, const Module&, const Answer& related,
                   Reasons& reasons) {
  if (answer.status == Status::kNotRun || related.status == Status::kNotRun || answer == related) return;
  const std::string_view detail = answer.status != related.status ? "status" : answer.text != related.text ? "text" : "answer";
  reasons.Add(name, detail, Last(module), absl::StrCat(Summary(answer), "; the second time ", Summary(related)));
}

// What was valid is, and needs no more and no less memory than the rewrite may cause.
template <Rewrite rewrite>
void JudgeRewritten(std::string_view name, const Module& module, const Answer& answer, const Module& rewritten, const Answer& related,
                    Reasons& reasons) {
  if (answer.status != Status::kValid || related.status == Status::kNotRun) return;
  if (related.status != Status::kValid) {
    reasons.Add(name, "status", Last(module), absl::StrCat("valid; rewritten ", Summary(related)));
    return;
  }
  CompareResults(name, module, answer, rewritten, related, reasons);
  if (!answer.total_peak || !related.total_peak) return;
  const uint64_t before = *answer.total_peak, after = *related.total_peak;
  constexpr RewriteRow row = kRewriteRows[static_cast<size_t>(rewrite)];
  if ((after >= before || row.may_lower) && (after <= before || row.may_raise)) return;
  reasons.Add(name, "peak", Last(module), absl::StrCat("a peak of ", before, " bytes; rewritten ", after));
}

template <Rewrite rewrite>
constexpr RelationRow RowOf(std::string_view name, std::string_view because) {
  return {{name, because, promise::kMeaning}, Rewritten<rewrite>, JudgeRewritten<rewrite>};
}

constexpr std::array<RelationRow, 1 + kRewrites> kRows = {{
    {{"the_same_twice", "promise determinism", promise::kDeterminism}, Same, JudgeRepeated},
    RowOf<Rewrite::kRename>("names_mean_nothing", "renaming keeps meaning and memory"),
    RowOf<Rewrite::kReorder>("legal_orders_are_valid", "operands and control predecessors come first, and nothing else is asked"),
    RowOf<Rewrite::kAddDeadCode>("dead_code_is_valid", "what nobody uses changes no result and frees no memory"),
    RowOf<Rewrite::kInline>("calls_can_be_inlined", "a call computes what its body computes; parameters need no table"),
    RowOf<Rewrite::kOutline>("parts_can_be_outlined", "a call computes what its body computes"),
    RowOf<Rewrite::kAddIdentity>("identities_can_be_added", "it changes no result and frees no memory"),
    RowOf<Rewrite::kRemoveIdentity>("identities_can_be_removed", "it changed no result and made no room"),
    RowOf<Rewrite::kCommute>("operands_can_be_swapped", "both are read at the same step"),
}};

}  // namespace

std::span<const RelationRow> Relations() { return kRows; }

}  // namespace oomph::hlo
