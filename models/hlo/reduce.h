// The ways to make a module smaller, each a list of edits (see models/base/reduction.h): instructions go and what they
// used stays alive, outputs and operands go, values stand for one another, calls are opened, tuples are taken apart,
// sizes, layouts, attributes and names become simple.
// Not for choosing among the edits (see fuzz/minimize), nor for reductions that need to know why a module fails.
#ifndef OOMPH_MODELS_HLO_REDUCE_H_
#define OOMPH_MODELS_HLO_REDUCE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "models/base/reduction.h"
#include "models/hlo/module.h"

namespace oomph::hlo {

std::span<const ReductionInfo> Reductions();

// The edits of Reductions()[reduction]; null where there are none, and for modules whose indices point nowhere. The
// base need not be valid. Whatever Apply gives has no more problems (verify.h) than the base, and a smaller measure.
std::unique_ptr<Edits> ReductionEdits(size_t reduction, const Module& base);

// What every edit makes smaller: of the first of these numbers that it changes, the new one is below the old. So
// reducing ends.
//   calls      references to computations, those of loops and conditionals twice
//   work       instructions but the simplest: parameters and a tuple as root; elsewhere than in the entry constants,
//              broadcast or not
//   tuples     tuples in the shapes of the entry's parameters
//   lines      computations and instructions
//   operands   of all instructions
//   sizes      of all dimensions of the results, in bits
//   layouts    layouts of the results, and what each has beside a default order
//   texts      attributes; literals that are not the simplest; rows of the tables of files and frames
//   names      that are not those of the last reduction
struct Measure {
  uint64_t calls = 0, work = 0, tuples = 0, lines = 0, operands = 0, sizes = 0, layouts = 0, texts = 0, names = 0;
  auto operator<=>(const Measure&) const = default;
};
Measure MeasureOf(const Module& module);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_REDUCE_H_
