// Two subjects of one family, given the same cases.
// Not for: adding up what they did (see compare.h) or how fast they are (see speed.h).
#ifndef OOMPH_FUZZ_COMPARE_DUEL_H_
#define OOMPH_FUZZ_COMPARE_DUEL_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "fuzz/judge.h"
#include "fuzz/subject_table.h"
#include "models/base/family.h"

namespace oomph {

class Duel {
 public:
  static absl::StatusOr<std::unique_ptr<Duel>> Make(const SubjectTable& table, const Pair& base, const Pair& head);

  // What one of the two did with a case.
  struct Did {
    Verdict verdict;
    std::string key;             // of its finding, without the subject: "hbm/aligned/allocate"; empty: none
    bool complete = false;       // else it ended early or was not run, and `values` say nothing
    bool breaks = false;         // an oracle: what no planner may do can look good in `values`
    std::vector<double> values;  // of the family's metrics
  };
  struct Answer {
    Did base, head;
    // Where both got the same case and went through it with the same verdict: what head answers otherwise.
    std::string otherwise;
    // Both went through it as they may: their values can be compared.
    bool Comparable() const { return base.complete && head.complete && !base.breaks && !head.breaks; }
  };

  // The case as a generator or a file gives it. Each side gets it prepared by the other, then by itself, so that
  // both get the same as far as they can.
  const Answer& Run(const Case& c);
  // As Run, but nobody is judged: only `complete` and `values` are set.
  const Answer& Measure(const Case& c);
  // As the two got it in the last run.
  const Case& base_case() const { return *base_.prepared; }
  const Case& head_case() const { return *head_.prepared; }
  Subject& base() const { return *base_.loaded.subject; }
  Subject& head() const { return *head_.loaded.subject; }
  const Outcome& base_outcome() const { return base_.judge->outcome(); }
  const Family& family() const { return family_; }
  // What both can do.
  GenerateOptions options() const;
  // Whether the last answers of `other`'s base were those of this base, on the same case.
  bool BaseAnswersAs(const Duel& other) const;

 private:
  struct Side {
    Loaded loaded;
    std::unique_ptr<Judge> judge;
    std::unique_ptr<Case> prepared;
    std::unique_ptr<Outcome> outcome;
  };
  Duel(const Family& family, Loaded base, Loaded head);
  void Take(Side& side, Loaded loaded);
  void Prepare(const Case& c);
  void RunSide(Side& side, Did& did);
  void MeasureSide(Side& side, Did& did);

  const Family& family_;
  Side base_, head_;
  Answer answer_;
};

}  // namespace oomph

#endif  // OOMPH_FUZZ_COMPARE_DUEL_H_
