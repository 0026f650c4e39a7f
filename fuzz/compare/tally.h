// Adds up the answers of two subjects, case by case, and keeps the smallest cases that show each difference.
// Not for: running them (see duel.h) or shrinking what it keeps (see compare.cc).
#ifndef OOMPH_FUZZ_COMPARE_TALLY_H_
#define OOMPH_FUZZ_COMPARE_TALLY_H_

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "fuzz/compare/comparison.h"
#include "fuzz/compare/duel.h"

namespace oomph {

// Where a case is from, to have it again.
struct CaseId {
  uint64_t number = 0;  // of the generated ones, or of the files
  bool file = false;
};

struct Candidate {
  CaseId id;
  size_t size = 0;
};
inline constexpr size_t kCandidates = 5;  // the smallest are kept
void Offer(std::vector<Candidate>& kept, const Candidate& candidate);

// Whether two numbers differ by more than the way in which they were added up.
inline bool Differ(double a, double b) {
  return std::abs(a - b) > 1e-12 * std::max(std::abs(a), std::abs(b));
}

// What is known of a metric.
struct MetricTally {
  explicit MetricTally(const MetricInfo& metric) : info(metric) {}
  // `steady`: fresh instances gave the same two numbers.
  void Add(double base, double head, bool steady, const Candidate& candidate);
  MetricChange Finish() const;

  MetricInfo info;
  uint64_t cases = 0, better = 0, worse = 0, unsteady = 0;
  double base_sum = 0, head_sum = 0, change_sum = 0;
  // Of each case as parts of its larger number, so that no case of 2^60 bytes outweighs all others.
  double base_parts = 0, head_parts = 0;
  std::vector<double> base, head, change;  // of the first cases only
  std::vector<Candidate> better_cases, worse_cases;
};

struct SignatureTally {
  struct Side {
    std::string signature;
    uint64_t cases = 0, only = 0;  // that show it; that the other side does not
    std::vector<Candidate> only_cases;
  };
  Side base, head;
};

// By key; an answer that finds nothing counts nowhere.
using SignatureTallies = std::map<std::string, SignatureTally>;
void AddSignatures(const Duel::Answer& answer, const Candidate& candidate, SignatureTallies& tallies);

}  // namespace oomph

#endif  // OOMPH_FUZZ_COMPARE_TALLY_H_
