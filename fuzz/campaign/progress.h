// How far one pair is: which cases are dealt next, and what can be committed. Results are committed in
// the order of their numbers, so that "all below next_case are done" is true at any moment.
// Not for: choosing between pairs (see campaign.cc).
#ifndef OOMPH_FUZZ_CAMPAIGN_PROGRESS_H_
#define OOMPH_FUZZ_CAMPAIGN_PROGRESS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "fuzz/store/records.h"

namespace oomph {

struct CaseRange {
  uint64_t first = 0;
  uint64_t count = 0;
};

class PairProgress {
 public:
  // Cases [next, limit); limit 0: no end.
  PairProgress(uint64_t next, uint64_t limit) : dealt_(next), committed_(next), limit_(limit) {}

  // The next cases, about a second's worth; nothing if all are dealt.
  std::optional<CaseRange> Deal();
  // Dealt cases that were not run after all.
  void Return(CaseRange range);
  void Done(ChunkRecord chunk);
  // The next result in order of numbers, if it is there.
  std::optional<ChunkRecord> Next();

  // Results that wait for a gap to be filled, when nothing will fill it.
  std::vector<ChunkRecord> TakeRest();

  double seconds() const { return seconds_; }
  uint64_t dealt() const { return dealt_; }

 private:
  uint64_t dealt_;
  uint64_t committed_;
  const uint64_t limit_;
  std::vector<CaseRange> returned_;
  std::map<uint64_t, ChunkRecord> waiting_;
  double seconds_ = 0;
  double per_second_ = 0;
};

}  // namespace oomph

#endif  // OOMPH_FUZZ_CAMPAIGN_PROGRESS_H_
