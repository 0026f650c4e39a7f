// The table of reductions. See reduce.h.
#include "models/hlo/reduce.h"

#include <utility>

#include "models/base/family.h"
#include "models/base/rows.h"
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
    {{"cut_after", "end", "the last instructions of the entry go, and what they used stays alive", false}, reduce::CutAfter},
    {{"cut_before", "beginning", "the first instructions of the entry go, and what they gave stays alive", false}, reduce::CutBefore},
    {{"cut", "instruction", "instructions go, and what they used stays alive", false}, reduce::Cut},
    {{"drop_unused", "computation", "computations that nobody calls go", false}, reduce::DropUnused},
    {{"drop_outputs", "output", "elements of the root tuple go, the smallest first", false}, reduce::DropOutputs},
    {{"choose_entry", "entry", "a computation becomes the entry", true}, reduce::ChooseEntry},
    {{"choose_root", "root", "a value becomes the root in place of one that says nothing, or of a tuple", true}, reduce::ChooseRoot},
    {{"drop_results", "result", "elements of what a called computation gives go", false}, reduce::DropResults},
    {{"drop_operands", "operand", "operands go where there may be any number", false}, reduce::DropOperands},
    {{"bypass", "instruction", "an operand of the same shape takes the place of an instruction", false}, reduce::Bypass},
    {{"merge", "instruction", "an earlier value of the same shape takes the place of an instruction", false}, reduce::Merge},
    {{"open_loops", "loop", "a loop gives way to its body, a conditional to a branch", false}, reduce::OpenLoops},
    {{"open_calls", "call", "the body of a call or fusion takes its place", false}, reduce::OpenCalls},
    {{"join_pairs", "pair", "an asynchronous pair becomes the plain operation", false}, reduce::JoinPairs},
    {{"flatten_tuples", "tuple", "tuples are taken apart", false}, reduce::FlattenTuples},
    {{"shrink_sizes", "size", "a size is halved wherever it stands", false}, reduce::ShrinkSizes},
    {{"drop_layouts", "layout part", "tiles, orders of dimensions and the like go, of all layouts", false}, reduce::DropLayouts},
    {{"drop_keys", "attribute kind", "a kind of attribute goes everywhere", false}, reduce::DropKeys},
    {{"drop_attributes", "attribute", "an attribute goes", false}, reduce::DropAttributes},
    {{"simple_literals", "literal", "constants are 0", false}, reduce::SimpleLiterals},
    {{"plain_names", "name kind", "names are short", false}, reduce::PlainNames},
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
  static const auto infos = InfosOf(std::span<const Row>(kRows));
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
