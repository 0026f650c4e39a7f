// See relations.h.
#include "models/hlo/relations.h"

#include <array>
#include <string>

#include "absl/strings/str_cat.h"
#include "models/base/words.h"
#include "models/hlo/answer_text.h"
#include "models/hlo/promises.h"
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

// What was valid is.
void JudgeValid(std::string_view name, const Module& module, const Answer& answer, const Module&, const Answer& related,
                Reasons& reasons) {
  if (answer.status != Status::kValid || related.status == Status::kValid || related.status == Status::kNotRun) return;
  reasons.Add(name, "status", Last(module), absl::StrCat("valid; rewritten ", Summary(related)));
}

// And needs as much memory.
void JudgeMemory(std::string_view name, const Module& module, const Answer& answer, const Module& related_module,
                 const Answer& related, Reasons& reasons) {
  JudgeValid(name, module, answer, related_module, related, reasons);
  if (!answer.total_peak || !related.total_peak || *answer.total_peak == *related.total_peak) return;
  reasons.Add(name, "peak", Last(module),
              absl::StrCat("a peak of ", *answer.total_peak, " bytes; rewritten ", *related.total_peak));
}

constexpr Bits64 kMeaning = promise::kMeaning;
constexpr std::array<RelationRow, 1 + kRewrites> kRows = {{
    {{"the_same_twice", "promise determinism", promise::kDeterminism}, Same, JudgeRepeated},
    {{"names_mean_nothing", "rewrite.h: rename keeps the memory", kMeaning}, Rewritten<Rewrite::kRename>, JudgeMemory},
    {{"legal_orders_are_valid", "rewrite.h: reorder", kMeaning}, Rewritten<Rewrite::kReorder>, JudgeValid},
    {{"dead_code_is_valid", "rewrite.h: add_dead_code", kMeaning}, Rewritten<Rewrite::kAddDeadCode>, JudgeValid},
    {{"calls_can_be_inlined", "rewrite.h: inline", kMeaning}, Rewritten<Rewrite::kInline>, JudgeValid},
    {{"parts_can_be_outlined", "rewrite.h: outline", kMeaning}, Rewritten<Rewrite::kOutline>, JudgeValid},
    {{"identities_can_be_added", "rewrite.h: add_identity", kMeaning}, Rewritten<Rewrite::kAddIdentity>, JudgeValid},
    {{"identities_can_be_removed", "rewrite.h: remove_identity", kMeaning}, Rewritten<Rewrite::kRemoveIdentity>, JudgeValid},
    {{"operands_can_be_swapped", "rewrite.h: commute keeps the memory", kMeaning}, Rewritten<Rewrite::kCommute>, JudgeMemory},
}};

}  // namespace

std::span<const RelationRow> Relations() { return kRows; }

}  // namespace oomph::hlo
