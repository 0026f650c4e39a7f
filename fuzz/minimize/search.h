// Which of a list of edits can be made together so that the case still shows the fault: all at once, else halves of the
// list, all halves of halves after that, down to single edits, and those as far as they go: by half of it, a quarter, ...
// What was made stays made while the rest is tried. A long stretch is tried wherever it is before any shorter one: to
// settle one end of a trace down to single steps first was measured to leave more of them.
// Not for: making edits (see models/base/reduction.h), answering (see questions.h).
#ifndef OOMPH_FUZZ_MINIMIZE_SEARCH_H_
#define OOMPH_FUZZ_MINIMIZE_SEARCH_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "models/base/family.h"

namespace oomph {

// Of each case whether it still shows the fault.
using Ask = std::function<std::vector<bool>(std::span<const Case* const>)>;

struct SearchOptions {
  size_t jobs = 1;      // cases that are asked about together; of those that show the fault all edits are tried together
  // Begin with single edits: few are likely to be made. One is tried all the way, then by 1, and by more only if by 1 goes.
  bool singly = false;
  // Asked before each question; true ends the search with what it has. Empty: never.
  std::function<bool()> ended;
  // Rewrites each candidate to what the subject honours. Empty: it is as the edits make it.
  std::function<void(Case&)> prepare;
  // True for a candidate that is none: the best one there was before, once it is prepared. Empty: all are.
  std::function<bool(const Case&)> refuse;
  // Told of each case that shows the fault and is the smallest then. Empty: nobody is.
  std::function<void(const Case&)> smaller;
};

// The case with the edits that can be made; null if that is none. Deterministic for a deterministic test and one job.
// `made` becomes the edits of it, as Edits::Apply takes them.
std::unique_ptr<Case> SearchEdits(const Family& family, const Edits& edits, bool alternatives,
                                  const SearchOptions& options, const Ask& ask, std::vector<uint64_t>& made);

}  // namespace oomph

#endif  // OOMPH_FUZZ_MINIMIZE_SEARCH_H_
