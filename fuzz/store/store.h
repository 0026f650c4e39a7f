// Store: what campaigns found and how far they are, in DIR/store.db with a case file beside it for each
// finding. Survives being killed at any moment: what a call has returned from is kept.
// Not for: several writing campaigns at once (the second is refused).
#ifndef OOMPH_FUZZ_STORE_STORE_H_
#define OOMPH_FUZZ_STORE_STORE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "fuzz/store/records.h"
#include "fuzz/store/sqlite.h"

namespace oomph {

class Store {
 public:
  // Makes the folder and the database if they are missing, and locks them against another writer.
  static absl::StatusOr<Store> OpenForWriting(const std::string& folder);
  static absl::StatusOr<Store> OpenForReading(const std::string& folder);
  Store(Store&& other) noexcept;
  ~Store();

  const std::string& folder() const { return folder_; }

  // Goes on with the last campaign of these arguments if it did not finish, else begins one with
  // `new_seed`. The result tells which: `state` is "running" if begun, what it was if resumed.
  absl::StatusOr<CampaignRecord> BeginOrResume(const std::string& arguments, uint64_t new_seed);
  absl::Status SetState(int64_t campaign, std::string_view state, double seconds);
  // In place of what was said before, and beside it.
  absl::Status SetSkipped(int64_t campaign, const std::vector<SkippedRecord>& skipped);
  absl::Status AddSkipped(int64_t campaign, const std::vector<SkippedRecord>& skipped);
  absl::Status Commit(int64_t campaign, const ChunkRecord& chunk);

  // A signature was seen in a campaign; how often comes with the chunk.
  absl::Status NoteFinding(int64_t campaign, const PairKey& key, const std::string& signature);

  // Writes the case file, then the row. Keeps first_seen and count of a row that is there.
  absl::Status SaveFinding(Finding finding, std::string_view extension);
  absl::StatusOr<std::optional<Finding>> FindFinding(std::string_view signature);

  absl::StatusOr<std::vector<CampaignRecord>> Campaigns();  // newest first
  absl::StatusOr<std::vector<CampaignTotals>> History();    // oldest first
  absl::StatusOr<std::map<std::string, int64_t>> FirstCampaigns();  // by signature
  absl::StatusOr<std::vector<PairRecord>> Pairs(int64_t campaign);
  absl::StatusOr<std::vector<Finding>> Findings();
  // Signatures seen in one campaign, with their counts in it.
  absl::StatusOr<std::vector<NamedCount>> FindingsOf(int64_t campaign);
  absl::StatusOr<std::vector<PropertyRecord>> Properties(int64_t campaign);
  absl::StatusOr<std::vector<NamedCount>> Reached(int64_t campaign);
  absl::StatusOr<std::vector<NamedCount>> Incomparable(int64_t campaign);
  // Of all campaigns: how many answers are kept of each pair, `name` being the subject's version.
  absl::StatusOr<std::vector<NamedCount>> AnswersKept();
  absl::StatusOr<std::vector<AnswerRecord>> Answers(const PairKey& key, std::string_view version);
  absl::StatusOr<std::vector<SkippedRecord>> Skipped(int64_t campaign);
  absl::StatusOr<std::vector<CorpusEntry>> Corpus(const PairKey& key);

 private:
  Store(std::string folder, int lock, Database db);
  absl::Status Migrate(bool writing);
  absl::Status InsertSkipped(int64_t campaign, const std::vector<SkippedRecord>& skipped);
  absl::StatusOr<std::string> FileFor(std::string_view signature, std::string_view extension);
  absl::StatusOr<std::vector<NamedCount>> Counts(std::string_view table, int64_t campaign);
  absl::Status AddCounts(std::string_view table, int64_t campaign, const PairKey& key,
                         const std::map<std::string, uint64_t>& counts);

  std::string folder_;
  int lock_ = -1;
  Database db_;
};

}  // namespace oomph

#endif  // OOMPH_FUZZ_STORE_STORE_H_
