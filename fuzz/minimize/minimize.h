// Shrinks a case to a small one that still shows the same fault: first the tape it was generated from, if there is one,
// then the case itself by its family's reductions, again and again until no single edit of any is left that shows it.
// Not for: deciding what a fault is (see test.h and judge.h), running commands (by_command.h), keeping what a reduction
// has come to (journal.h).
#ifndef OOMPH_FUZZ_MINIMIZE_MINIMIZE_H_
#define OOMPH_FUZZ_MINIMIZE_MINIMIZE_H_

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/minimize/test.h"
#include "models/base/family.h"

namespace oomph {

// So many tries tell how often a case shows a fault that it shows now and then.
inline constexpr size_t kRateTries = 20;

// How far a reduction is.
struct MinimizeStep {
  std::string_view reduction;  // its name
  size_t size = 0;             // of the smallest case so far, in steps
  size_t tests = 0;            // so far
  double seconds = 0;
};

// Hears what a reduction learns, so that nothing is lost and it can go on where it ended.
class MinimizeJournal {
 public:
  virtual ~MinimizeJournal() = default;
  // What an earlier run of the same reduction was told of a case with this fingerprint.
  virtual std::optional<bool> Known(const Fingerprint& of) = 0;
  virtual void Answered(const Fingerprint& of, bool shows) = 0;
  // A smaller case that shows the fault.
  virtual void Smaller(const Case& c, const MinimizeStep& step) = 0;
  // The case that counts is this one again: what was called smaller shows the fault only now and then.
  virtual void TakenBack(const Case& c) = 0;
};

struct MinimizeOptions {
  size_t tests = 20000;     // runs of the test at most
  double seconds = 20;
  size_t tape_tests = 300;  // of which at most so many on the tape
  GenerateOptions generate;  // what decodes the tape
  std::function<void(Case&)> prepare;  // rewrites a case to what the subject honours, before it is asked about
  // Whether to go on by vote once the test has turned out to say now this and now that; else that is the end, and the
  // given case stays.
  bool vote = true;
  // Asked while tests and seconds are not used up; true ends it early (an interrupt).
  std::function<bool()> stop;
  // Told now and then, and at each smaller case.
  std::function<void(const MinimizeStep&)> progress;
  MinimizeJournal* journal = nullptr;
};

// What one reduction brought.
struct ReductionSum {
  ReductionInfo info;
  size_t edits = 0;  // that were made
  size_t tests = 0;
};

struct Minimized {
  std::unique_ptr<Case> smallest;  // the given case if nothing smaller fails
  size_t tests = 0;                // runs of the test; what was known from an equal case is not counted
  double seconds = 0;
  bool reproduced = false;  // the given case failed the test at all
  // The test answered now one way, now the other: cases were elected by vote, and `rate` is the share of tries in which
  // the smallest shows the fault. 0 if it could not be shown again at all; then it is the given one.
  bool flaky = false;
  double rate = 1;
  double first_rate = 1;  // and the given case
  // Every single edit of every reduction was tried on the smallest, and none shows the fault; of a flaky test: none was
  // elected. False: the budget ended it, a smaller case may exist.
  bool finished = false;
  size_t last_edits = 0;  // so many edits that was
  std::vector<ReductionSum> sums;  // of the reductions that made an edit, in the order of their first
};

// `tape` may be empty.
Minimized Minimize(const Family& family, const Case& start, std::string_view tape, CaseTest& test,
                   const MinimizeOptions& options);

}  // namespace oomph

#endif  // OOMPH_FUZZ_MINIMIZE_MINIMIZE_H_
