// Judge: runs a case on a subject and says what the oracles, the reference and the relations think of it.
// Not for: finding cases (see campaign/) or shrinking them (see minimize/).
#ifndef OOMPH_FUZZ_JUDGE_H_
#define OOMPH_FUZZ_JUDGE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "models/base/family.h"
#include "models/base/verdict.h"
#include "subjects/subject.h"

namespace oomph {

class Judge {
 public:
  // `reference` may be null: then nothing is compared. All three must outlive this.
  Judge(const Family& family, Subject& subject, Subject* reference, bool relations = true);

  // The bytes that a case may need from here on; none: as many as it likes.
  void SetLimit(std::optional<uint64_t> bytes) { limit_ = bytes; }

  // The earliest step at which an oracle or the comparison says no; if neither does, whether the case
  // needs more than the limit; if it does not, what the relations say, of which bit i of `relations`
  // asks for the family's i-th. `c` is prepared for the subject already; what needs a feature that the
  // subject lacks is not run, and incomparable.
  // Allocates nothing once it is warm.
  Verdict Run(const Case& c, Bits64 relations = ~Bits64{0});
  // What the oracles that rest on promises nobody made say of the last outcome: properties, not faults.
  Verdict Measure(const Case& c);

  const Family& family() const { return family_; }
  Subject& subject() const { return subject_; }
  const Outcome& outcome() const { return *outcome_; }  // of the last case itself, not a related one
  bool ran() const { return ran_; }                     // false: the last case was not run, outcome() is of another
  // Whether an oracle said no to it, be it at a later step than the verdict's.
  bool broke() const { return broke_; }
  uint64_t cases() const { return cases_; }             // calls of Run
  uint64_t runs() const { return runs_; }               // of the subject, related cases included
  // How many cases could not be compared, by cause.
  const std::map<std::string, uint64_t, std::less<>>& incomparable() const { return incomparable_; }

 private:
  // The first feature that the case needs and the subject has not; empty: it has all.
  std::string_view Lacking(const Case& c) const;
  void Compare(const Case& c);
  // Whether `verdict` is now that the case needs more than the limit.
  bool NeedsTooMuch(const Case& c, Verdict& verdict) const;
  void AskRelations(const Case& c, Bits64 which);

  const Family& family_;
  Subject& subject_;
  Subject* const reference_;
  const bool relations_;
  const Bits64 promises_;
  std::optional<uint64_t> limit_;
  const std::unique_ptr<Outcome> outcome_;
  const std::unique_ptr<Outcome> other_outcome_;  // of the reference or the related case
  const std::unique_ptr<Case> related_;
  Reasons reasons_;
  Reasons more_;
  bool ran_ = false, broke_ = false;
  uint64_t cases_ = 0;
  uint64_t runs_ = 0;
  std::map<std::string, uint64_t, std::less<>> incomparable_;
};

}  // namespace oomph

#endif  // OOMPH_FUZZ_JUDGE_H_
