// Shrinks a case to a small one that still shows the same fault: first the tape it was generated from,
// if there is one, then the case itself by its family's reducer.
// Not for: deciding what a fault is (see judge.h and SameSignature below).
#ifndef OOMPH_FUZZ_MINIMIZE_MINIMIZE_H_
#define OOMPH_FUZZ_MINIMIZE_MINIMIZE_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "fuzz/judge.h"
#include "models/base/family.h"

namespace oomph {

struct MinimizeOptions {
  size_t runs = 20000;    // of the test
  double seconds = 20;
  size_t tape_runs = 300;  // of which at most so many on the tape
  GenerateOptions generate;  // what decodes the tape
  // Asked when the runs or seconds are not used up; true ends it early (an interrupt).
  std::function<bool()> stop;
  // See Subject::StartAfresh; empty: the test remembers nothing. Called before the last tries; and before every one
  // if the fault then turns out to need what earlier tries left behind.
  std::function<void()> afresh;
};

struct Minimized {
  std::unique_ptr<Case> smallest;  // the given case if nothing smaller fails
  size_t runs = 0;                 // of the test; cached answers are not counted
  double seconds = 0;
  bool reproduced = false;  // the given case failed the test at all
  bool flaky = false;       // the smallest case did not fail each time it was tried again
  bool finished = false;    // false: the budget ended it, a smaller case may exist
};

// Whether a case shows the fault. Not to be cached here; that is done by Minimize.
using Test = std::function<bool(const Case&)>;

// `tape` may be empty. `prepare` rewrites a case decoded from a tape to what the subject honours.
Minimized Minimize(const Family& family, const Case& start, std::string_view tape,
                   const std::function<void(Case&)>& prepare, const Test& test,
                   const MinimizeOptions& options);

// True for cases whose verdict has exactly this signature. The judge must outlive the test.
Test SameSignature(Judge& judge, std::string signature);

}  // namespace oomph

#endif  // OOMPH_FUZZ_MINIMIZE_MINIMIZE_H_
