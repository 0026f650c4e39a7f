// What judging ends in: reasons, a verdict, and a signature that names the fault and nothing else.
// Not for: printing to a person (see fuzz/report) or deciding which oracles to ask (see family.h).
#ifndef OOMPH_MODELS_BASE_VERDICT_H_
#define OOMPH_MODELS_BASE_VERDICT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace oomph {

// Why an oracle says no.
struct Reason {
  std::string_view oracle;  // the oracle's name; static storage
  std::string_view detail;  // from the oracle's closed list, never a number or a name; static storage
  size_t step = 0;          // index of the step in the case, from 0
  std::string text;         // one sentence with the numbers
  bool operator==(const Reason&) const = default;
};

// The oracle name of a reason that is no fault: from its step on nothing can be compared. Its detail is
// the cause, which the subject's row names. Only Family::Compare gives it.
inline constexpr std::string_view kIncomparable = "incomparable";

// The oracle name of the comparison with a reference. Only Family::Compare gives it.
inline constexpr std::string_view kEqualsReference = "equals_reference";

// The oracle name of a finding that nobody complains of but who set a limit: the case needs more memory than that. Not
// in any family's list: a limit is the user's. See OverLimit in family.h.
inline constexpr std::string_view kFitsTheLimit = "fits_the_limit";

// Collects reasons. Judging stops at the first bad step: what follows it may be its consequence.
class Reasons {
 public:
  void Add(std::string_view oracle, std::string_view detail, size_t step, std::string text) {
    reasons_.push_back({oracle, detail, step, std::move(text)});
  }
  bool empty() const { return reasons_.empty(); }
  const std::vector<Reason>& list() const { return reasons_; }
  void clear() { reasons_.clear(); }

 private:
  std::vector<Reason> reasons_;
};

// Names a fault: the same for every case that shows it.
// family/oracle/subject/detail, e.g. "hbm/aligned/bfc/allocate".
std::string Signature(std::string_view family, std::string_view subject, const Reason& reason);
// Whatever stands in a case as the detail of a signature: at most 80 plain letters without blank and slash. What had
// to be changed for that ends in a hash of it, so that two hardly become one.
std::string SignatureWord(std::string_view text);

enum class VerdictKind : uint8_t { kAgree, kFinding, kIncomparable };

struct [[nodiscard]] Verdict {
  VerdictKind kind = VerdictKind::kAgree;
  std::string signature;    // of the first reason; empty unless kFinding
  std::string text;         // the first reason in a sentence, or the cause of kIncomparable
  size_t step = 0;          // index of the first bad step
  std::vector<Reason> all;  // every reason at the first bad step
  bool found() const { return kind == VerdictKind::kFinding; }
};

// The verdict for the collected reasons: the earliest step, then the order in which oracles ran.
Verdict MakeVerdict(std::string_view family, std::string_view subject, const Reasons& reasons);

}  // namespace oomph

#endif  // OOMPH_MODELS_BASE_VERDICT_H_
