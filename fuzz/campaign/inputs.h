// Inputs that another engine (libFuzzer, AFL++) kept: judged, shrunk and stored as a campaign's own findings are.
// Not for: case files (oomph check) or running such an engine (scripts/afl).
#ifndef OOMPH_FUZZ_CAMPAIGN_INPUTS_H_
#define OOMPH_FUZZ_CAMPAIGN_INPUTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "fuzz/campaign/trophies.h"
#include "fuzz/store/store.h"
#include "fuzz/subject_table.h"

namespace oomph {

// What the bytes of an input are.
enum class InputKind : uint8_t {
  kTape,  // of X_fuzz: what the family's generator reads
  kText,  // of X_text_fuzz: what the family's parser reads
};

class InputJudge {
 public:
  // Texts are judged by no subject: of `pair` only the family counts then. Both must outlive this.
  InputJudge(const SubjectTable& table, const Pair& pair, InputKind kind);

  // In a process of its own: a crash or a hang is a finding too. The same signature comes with each input that
  // shows it.
  absl::StatusOr<std::optional<Finding>> Judge(const std::string& input);
  // The smallest finding of each signature so far, shrunk.
  std::vector<Finding> Shrunk();

  // Keeps what was found as one more campaign of the store.
  absl::Status Keep(Store& store, const std::vector<Finding>& findings,
                    const std::map<std::string, Trophy>& trophies) const;

 private:
  absl::StatusOr<std::optional<Finding>> InChild(const std::string& input, bool shrink);
  Finding Ended(const std::string& input, const absl::Status& how) const;
  PairKey Key() const;

  const SubjectTable& table_;
  const Pair& pair_;
  const InputKind kind_;
  struct Smallest {
    Finding finding;
    std::string input;
  };
  std::map<std::string, Smallest> smallest_;  // by signature
  std::map<std::string, uint64_t> counts_;
  uint64_t inputs_ = 0, steps_ = 0;
  double seconds_ = 0;
};

}  // namespace oomph

#endif  // OOMPH_FUZZ_CAMPAIGN_INPUTS_H_
