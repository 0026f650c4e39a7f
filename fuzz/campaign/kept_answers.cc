// See kept_answers.h.
#include "fuzz/campaign/kept_answers.h"

#include "absl/strings/str_cat.h"

namespace oomph {
namespace {

std::string Word(const Fingerprint& fingerprint) {
  return absl::StrCat(absl::Hex(fingerprint.first, absl::kZeroPad16), absl::Hex(fingerprint.second, absl::kZeroPad16));
}

}  // namespace

KeptAnswers::KeptAnswers(std::unique_ptr<Subject> subject, const std::vector<AnswerRecord>& known)
    : subject_(std::move(subject)) {
  for (const AnswerRecord& record : known) {
    if (record.version == info().version) known_[record.key] = record.bytes;
  }
}

void KeptAnswers::Run(const Case& c, Outcome& outcome) {
  const std::string key = Word(info().family->FingerprintOf(c));
  const auto found = known_.find(key);
  // Bytes of another build may mean nothing to this one.
  if (found != known_.end() && info().family->UnpackOutcome(found->second, outcome)) return;
  subject_->Run(c, outcome);
  if (!subject_->IsAnswer(outcome)) return;
  std::string bytes = info().family->PackOutcome(outcome);
  new_.push_back({info().version, key, bytes});
  known_[key] = std::move(bytes);
}

}  // namespace oomph
