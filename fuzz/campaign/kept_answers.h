// KeptAnswers: a subject that is slow to ask and always answers the same, with what it answered before. A campaign keeps its
// answers in the store, by case, variant and version, so that the next one asks only what is new.
// Not for: subjects whose answers may differ (SubjectInfo::keeps_answers), nor for deaths, which show themselves each time.
#ifndef OOMPH_FUZZ_CAMPAIGN_KEPT_ANSWERS_H_
#define OOMPH_FUZZ_CAMPAIGN_KEPT_ANSWERS_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/store/records.h"
#include "subjects/subject.h"

namespace oomph {

class KeptAnswers final : public Subject {
 public:
  // Of `known` only what has the subject's version counts.
  KeptAnswers(std::unique_ptr<Subject> subject, const std::vector<AnswerRecord>& known);

  const SubjectInfo& info() const override { return subject_->info(); }
  void Prepare(Case& c) const override { subject_->Prepare(c); }
  void Run(const Case& c, Outcome& outcome) override;
  void StartAfresh() override { subject_->StartAfresh(); }

  // What it was asked since the last call of this.
  std::vector<AnswerRecord> TakeNew() { return std::exchange(new_, {}); }

 private:
  const std::unique_ptr<Subject> subject_;
  std::map<std::string, std::string> known_;  // bytes of outcomes by the case's fingerprint
  std::vector<AnswerRecord> new_;
};

}  // namespace oomph

#endif  // OOMPH_FUZZ_CAMPAIGN_KEPT_ANSWERS_H_
