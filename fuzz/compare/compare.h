// Judges a change: the same seeds and the same case files on two subjects, what came, went and changed, and the
// smallest case that shows each.
//
//     cases --> base, head --> differ? --> again on fresh instances of both --> counted --> smallest shrunk
//
// The metrics of an outcome have no noise: what differs, differs. Where a fresh instance answers otherwise than the first
// one, the case does not count; a metric with many such cases counts only what the sign test calls certain.
// Not for: finding faults in one subject (see campaign/).
#ifndef OOMPH_FUZZ_COMPARE_COMPARE_H_
#define OOMPH_FUZZ_COMPARE_COMPARE_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "fuzz/compare/comparison.h"
#include "fuzz/compare/duel.h"
#include "fuzz/store/case_file.h"
#include "fuzz/subject_table.h"

namespace oomph {

struct CompareOptions {
  uint64_t seed = 1;
  uint64_t cases = 2000;  // generated; 0 with `seconds`: until they are over
  double seconds = 0;     // for generated cases; 0: no limit
  size_t speed_rounds = 10;     // 0: speed is not measured
  double shrink_seconds = 3;    // for each example; 0: cases as they were met
  std::function<bool()> stop = [] { return false; };
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};

// One base and one head of the same family. Files of other families are passed over.
absl::StatusOr<Comparison> Compare(const SubjectTable& table, const Pair& base, const Pair& head,
                                   const std::vector<CaseFile>& files, const CompareOptions& options);

// Which pairs two specs give: variants of the same name with each other, or a single one with each of the other side.
struct PairOfPairs {
  Pair base, head;
};
absl::StatusOr<std::vector<PairOfPairs>> MatchPairs(const std::vector<Pair>& base, const std::vector<Pair>& head);

}  // namespace oomph

#endif  // OOMPH_FUZZ_COMPARE_COMPARE_H_
