// Runs the cases of one pair by number: makes each with its engine, judges it, and counts.
// Not for: processes (see worker.h) or keeping results (see store/).
#ifndef OOMPH_FUZZ_CAMPAIGN_PAIR_RUNNER_H_
#define OOMPH_FUZZ_CAMPAIGN_PAIR_RUNNER_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "fuzz/campaign/pool_of_cases.h"
#include "fuzz/judge.h"
#include "fuzz/store/records.h"
#include "fuzz/subject_table.h"

namespace oomph {

// How a case is made. The first two depend on nothing but seed, pair and number.
enum class Engine : uint8_t { kRandom, kSwarm, kMutation };
Engine EngineOf(uint64_t number);

PairKey KeyOf(const Pair& pair);

class PairRunner {
 public:
  // What a chunk asks of its surroundings.
  struct Hooks {
    std::function<bool()> stop;                  // asked after each case
    std::function<void(uint64_t)> begin;         // a case number, before it runs
    std::function<void(const Finding&)> found;   // first or much smaller case of a signature
  };

  static absl::StatusOr<std::unique_ptr<PairRunner>> Make(const SubjectTable& table, const Pair& pair,
                                                          uint64_t seed, const std::vector<CorpusEntry>& corpus);

  // Cases [first, first + count), or fewer if stopped: the record's `count` tells.
  ChunkRecord Run(uint64_t first, uint64_t count, const Hooks& hooks);
  // The case that the generator reads from `tape`; a finding if it shows one.
  std::optional<Finding> RunTape(const std::string& tape);
  uint64_t steps() const { return family_.Size(*case_); }  // of the last case
  // The text of a case, without running it; empty for a mutation, which depends on what is stored.
  std::string TextOf(uint64_t number);
  // Shrinks the finding's case; what cannot be shrunk or shown again keeps its case.
  Finding Shrink(Finding finding, const std::function<bool()>& stop);

 private:
  PairRunner(const Pair& pair, uint64_t seed, Loaded loaded);
  void MakeCase(uint64_t number);
  Choices ChoicesOf(uint64_t number) const;
  GenerateOptions Options() const;
  void Note(const Verdict& verdict, uint64_t number, const Hooks& hooks, ChunkRecord& chunk);
  // The answer to this case, for those who come later.
  void KeepAnswer(ChunkRecord& chunk) const;
  void MeasureProperties(ChunkRecord& chunk);
  Finding FindingOf(const Verdict& verdict);

  const Pair& pair_;
  const Family& family_;
  const uint64_t seed_;
  Loaded loaded_;
  Judge judge_;
  PoolOfCases pool_;
  std::unique_ptr<Case> case_;
  std::map<std::string, size_t> smallest_;  // steps of what was reported, by signature
};

}  // namespace oomph

#endif  // OOMPH_FUZZ_CAMPAIGN_PAIR_RUNNER_H_
