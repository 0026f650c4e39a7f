// The inside of the reductions: one function for each list of edits, and what several of them need.
// Not for users of the reductions (reduce.h).
#ifndef OOMPH_MODELS_HLO_REDUCE_LISTS_H_
#define OOMPH_MODELS_HLO_REDUCE_LISTS_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "models/hlo/reduce_draft.h"

namespace oomph::hlo::reduce {

// What Edits is made of: see models/base/reduction.h. `make` refers to the base.
struct List {
  std::vector<uint64_t> most;
  std::function<void(Draft& draft, std::span<const uint64_t> amounts)> make;
};

// One edit for each of `things`, done or not.
template <typename Thing, typename Make>
List ListOf(std::vector<Thing> things, Make make) {
  List list;
  list.most.assign(things.size(), 1);
  list.make = [things = std::move(things), make](Draft& draft, std::span<const uint64_t> amounts) {
    for (size_t i = 0; i < things.size(); ++i) {
      if (amounts[i] > 0) make(draft, things[i]);
    }
  };
  return list;
}

// reduce_cut.cc
List CutAfter(const Base& base);
List CutBefore(const Base& base);
List Cut(const Base& base);
// reduce_values.cc
List DropOutputs(const Base& base);
List ChooseRoot(const Base& base);
List DropResults(const Base& base);
List DropOperands(const Base& base);
List Bypass(const Base& base);
List Merge(const Base& base);
List FlattenTuples(const Base& base);
// reduce_calls.cc
List ChooseEntry(const Base& base);
List DropUnused(const Base& base);
List OpenLoops(const Base& base);
List OpenCalls(const Base& base);
List JoinPairs(const Base& base);
// reduce_shapes.cc
List ShrinkSizes(const Base& base);
List DropLayouts(const Base& base);
// reduce_texts.cc
List DropKeys(const Base& base);
List DropAttributes(const Base& base);
List SimpleLiterals(const Base& base);
List PlainNames(const Base& base);

// --- for the measure

// The layout without what is neither the order of dimensions nor the memory space.
Layout WithoutTiles(const Layout& layout);
bool HasSimplerLiteral(const Module& module, const Instruction& instruction);
Measure MeasureWithoutNames(const Module& module);
// How many names are not those that PlainNames gives.
uint64_t OtherNames(const Module& module);

}  // namespace oomph::hlo::reduce

#endif  // OOMPH_MODELS_HLO_REDUCE_LISTS_H_
