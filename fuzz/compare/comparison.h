// What comparing two subjects found: signatures that came, went or moved to other cases, and metrics that
// changed. A plain value.
// Not for: finding it (see compare.h) or printing it (see show.h).
#ifndef OOMPH_FUZZ_COMPARE_COMPARISON_H_
#define OOMPH_FUZZ_COMPARE_COMPARISON_H_

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/family.h"

namespace oomph {

// A case that shows a difference, as small as it could be made.
struct Example {
  std::string origin;     // "case 17 of seed 1", or its file
  std::string case_text;  // with an `oomph subject` line; empty: none was kept
  size_t steps = 0;
  std::string base, head;  // what each of the two did with it, in a few words
  bool shrunk = false;     // false: the case as it was met, for a difference that cannot be shown each time
};

enum class Change : uint8_t { kNew, kFixed, kChanged };

// A signature without its subject, so that two subjects can have the same.
struct SignatureChange {
  Change change = Change::kNew;
  std::string key;        // "hbm/aligned/allocate"
  std::string signature;  // of head; of base if it is fixed
  std::string text;       // its sentence on the example
  uint64_t base_cases = 0, head_cases = 0;  // that show it
  uint64_t only_base = 0, only_head = 0;    // that show it in one of the two
  bool steady = true;  // false: run again, no case shows it in the one and not in the other; it does not count
  Example example;
  // Whether it is told as a difference. What was never seen in base and is not there each time in head counts from
  // ten cases on: were both alike, all ten would be head's by a chance of 2^-10.
  bool Counts() const { return steady || (change == Change::kNew && only_head >= 10); }
};

// What the differences of a metric add up to.
enum class Trend : uint8_t { kSame, kBetter, kWorse, kMixed };

struct Distribution {
  double mean = 0, p10 = 0, p50 = 0, p90 = 0, max = 0;
};

struct MetricChange {
  std::string name, unit, means;
  bool lower_is_better = true;
  Trend trend = Trend::kSame;
  uint64_t cases = 0;  // that both tell it of
  uint64_t better = 0, worse = 0;
  double p = 1;        // of the sign test over those that differ
  Distribution base, head;
  Distribution change;  // head - base, over the cases that differ
  Example example;      // worse if there is one, else better
  // What is compared for Worsening: sums; of bytes each case weighs the same, however large its numbers are.
  double base_weight = 0, head_weight = 0;
  // By how much head is worse, as a part of base; negative: better. Infinite from 0.
  double Worsening() const;
};

// Speed has noise, which the other metrics do not: see speed.h.
struct SpeedChange {
  bool measured = false;
  std::string why_not;
  double base = 0, head = 0;  // steps a second
  // Head's time over base's, less 1: the median over rounds, and the smallest and largest round.
  double change = 0, low = 0, high = 0;
  size_t rounds = 0, cases = 0;
  double confidence = 0, margin = 0;
  bool own_process = false;  // the way to a child process and back is in it
  Trend trend = Trend::kSame;
  std::vector<double> by_round;
};

struct Comparison {
  const Family* family = nullptr;
  std::string base, head;  // what they are called
  std::string base_version, head_version;
  std::vector<std::string> promises_dropped, promises_added;  // by head
  uint64_t seed = 0;
  uint64_t generated = 0, from_files = 0, steps = 0;
  uint64_t unmeasured = 0;  // cases that end early in one of the two: no metrics of them
  uint64_t unsound = 0;     // cases in which one of the two breaks an oracle: no metrics of them either
  uint64_t incomparable = 0;
  // Cases that both agree with where head answers otherwise than base; only where both get the same case.
  uint64_t answers_differ = 0;
  Example answers;
  std::string answers_text;
  std::vector<SignatureChange> signatures;
  std::vector<MetricChange> metrics;
  SpeedChange speed;
  uint64_t same_signatures = 0;  // that both show on just the same cases
  bool interrupted = false;

  bool AnythingNew() const;
  // Nothing came, went, moved or changed that repeats.
  bool Quiet() const;
};

}  // namespace oomph

#endif  // OOMPH_FUZZ_COMPARE_COMPARISON_H_
