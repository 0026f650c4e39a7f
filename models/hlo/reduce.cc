// The table of reductions. See reduce.h.
#include "models/hlo/reduce.h"

#include <utility>

#include "models/base/family.h"
#include "models/hlo/mutate_edit.h"
#include "models/hlo/reduce_draft.h"
#include "models/hlo/reduce_lists.h"

namespace oomph::hlo {
namespace {

struct Row {
  ReductionInfo info;
  reduce::List (*list)(const reduce::Base& base);
};

// In the order in which they are tried.
constexpr Row kRows[] = {
    {{"cut", "instruction; what it used stays alive", false}, reduce::Cut},
    {{"drop_unused", "computation that nobody calls", false}, reduce::DropUnused},
    {{"drop_outputs", "output", false}, reduce::DropOutputs},
    {{"choose_entry", "all computations but one and what it calls", true}, reduce::ChooseEntry},
    {{"choose_root", "root that says nothing", true}, reduce::ChooseRoot},
    {{"drop_results", "element of what a called computation gives", false}, reduce::DropResults},
    {{"drop_operands", "operand", false}, reduce::DropOperands},
    {{"bypass", "instruction with an operand of its shape", false}, reduce::Bypass},
    {{"merge", "instruction with an earlier value of its shape", false}, reduce::Merge},
    {{"open_loops", "loop or conditional", false}, reduce::OpenLoops},
    {{"open_calls", "call or fusion", false}, reduce::OpenCalls},
    {{"join_pairs", "asynchronous operation", false}, reduce::JoinPairs},
    {{"flatten_tuples", "tuple", false}, reduce::FlattenTuples},
    {{"shrink_sizes", "size, by halves", false}, reduce::ShrinkSizes},
    {{"drop_layouts", "part of all layouts", false}, reduce::DropLayouts},
    {{"drop_keys", "kind of attribute", false}, reduce::DropKeys},
    {{"drop_attributes", "attribute", false}, reduce::DropAttributes},
    {{"simple_literals", "literal", false}, reduce::SimpleLiterals},
    {{"plain_names", "kind of names", false}, reduce::PlainNames},
};

class DraftEdits final : public Edits {
 public:
  DraftEdits(std::unique_ptr<const reduce::Base> base, reduce::List list)
      : Edits(std::move(list.most)), base_(std::move(base)), make_(std::move(list.make)) {}

  bool Apply(std::span<const uint64_t> amounts, Case& into) const override {
    reduce::Draft draft(*base_, static_cast<CaseOf<Module>&>(into).value);
    make_(draft, amounts);
    return draft.Finish();
  }

 private:
  const std::unique_ptr<const reduce::Base> base_;
  const std::function<void(reduce::Draft&, std::span<const uint64_t>)> make_;
};

}  // namespace

std::span<const ReductionInfo> Reductions() {
  static const auto infos = [] {
    std::array<ReductionInfo, std::size(kRows)> all;
    for (size_t i = 0; i < all.size(); ++i) all[i] = kRows[i].info;
    return all;
  }();
  return infos;
}

std::unique_ptr<Edits> ReductionEdits(size_t reduction, const Module& module) {
  if (!IsWellFormed(module)) return nullptr;
  auto base = std::make_unique<const reduce::Base>(module);
  reduce::List list = kRows[reduction].list(*base);
  if (list.most.empty()) return nullptr;
  return std::make_unique<DraftEdits>(std::move(base), std::move(list));
}

}  // namespace oomph::hlo
