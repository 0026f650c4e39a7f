// What a store holds, as plain values.
// Not for: how it is kept (see store.h) or shown (see report/).
#ifndef OOMPH_FUZZ_STORE_RECORDS_H_
#define OOMPH_FUZZ_STORE_RECORDS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/verdict.h"

namespace oomph {

struct PairKey {
  std::string family;
  std::string subject;
  std::string variant;
  auto operator<=>(const PairKey&) const = default;
};

struct CampaignRecord {
  int64_t id = 0;
  std::string arguments;  // what decides which cases are run; the same arguments go on
  uint64_t seed = 0;
  std::string state;      // "running" (or killed), "interrupted", "finished"
  int64_t started = 0;    // seconds since 1970
  int64_t ended = 0;
  double seconds = 0;     // of all its runs together
};

// A campaign among those before it.
struct CampaignTotals {
  CampaignRecord campaign;
  uint64_t cases = 0;
  uint64_t steps = 0;
  uint64_t findings = 0;    // signatures seen in it
  uint64_t first_seen = 0;  // those of them that no earlier campaign saw
};

struct PairRecord {
  PairKey key;
  std::string version;    // of the subject
  uint64_t next_case = 0; // all below are done
  uint64_t cases = 0;
  uint64_t steps = 0;
  double seconds = 0;     // of one worker
  uint64_t found = 0;     // cases with a finding
  uint64_t incomparable = 0;
  uint64_t deaths = 0;    // of workers
};

struct Finding {
  std::string signature;
  std::string family, oracle, subject, detail;  // the parts of the signature
  std::string variant;
  std::string version;     // of the subject when it was first seen
  int64_t first_seen = 0;
  int64_t last_seen = 0;
  uint64_t count = 0;
  bool known = false;      // one of corpus/trophies
  std::string owner, upstream;
  std::string reason;      // the verdict's sentence, on the smallest case
  std::string case_text;   // smallest, with its header lines
  uint64_t steps = 0;      // of the smallest
  std::string tape;        // of the case as it was found, in hex; empty if it had none
  std::string file;        // name in the store's folder
  bool minimized = false;
  uint64_t runs = 0;       // that shrinking took
  double seconds = 0;
  bool steady = true;      // the case fails each time that it is run from the start
};

// The reason as a person reads it.
inline std::string ReasonOf(const Finding& f) { return f.steady ? f.reason : f.reason + " (not each time)"; }

inline std::string SignatureOf(const Finding& f) { return Signature(f.family, f.subject, {f.oracle, f.detail, 0, ""}); }

// An oracle that says no but rests on a promise that the subject does not make.
struct PropertyRecord {
  PairKey key;
  std::string signature;
  uint64_t count = 0;
  std::string reason;     // of the first
  std::string case_text;
};

struct CorpusEntry {
  std::string hash;       // of the text
  std::string text;
  std::string reach;      // the rows it met, as std::bitset prints them
};

// What a subject answered to a case, where asking is dear: a compiler's answers add up over campaigns, one a case and version.
struct AnswerRecord {
  std::string hash;    // of the text
  std::string text;    // of the case
  std::string answer;  // as its family prints it
};

// What a stretch of cases of one pair brought. Committed whole or not at all.
struct ChunkRecord {
  PairKey key;
  std::string version;
  uint64_t first = 0;
  uint64_t count = 0;
  uint64_t steps = 0;
  double seconds = 0;
  uint64_t found = 0;
  uint64_t deaths = 0;
  std::map<std::string, uint64_t> findings;      // by signature
  std::map<std::string, uint64_t> incomparable;  // by cause
  std::map<std::string, uint64_t> reach;         // cases by row
  std::vector<PropertyRecord> properties;
  std::vector<CorpusEntry> corpus;
  std::vector<AnswerRecord> answers;
};

struct SkippedRecord {
  std::string family;
  std::string subject;
  std::string reason;
};

struct NamedCount {
  PairKey key;
  std::string name;
  uint64_t count = 0;
};

}  // namespace oomph

#endif  // OOMPH_FUZZ_STORE_RECORDS_H_
