// See store.h.
#include "fuzz/store/store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "fuzz/store/case_file.h"
#include "fuzz/store/files.h"

namespace oomph {
namespace {

constexpr int kVersion = 3;

constexpr char kSchema[] = R"sql(
CREATE TABLE campaigns(id INTEGER PRIMARY KEY, arguments TEXT NOT NULL, seed INTEGER NOT NULL,
  state TEXT NOT NULL, started INTEGER NOT NULL, ended INTEGER NOT NULL, seconds REAL NOT NULL);
CREATE TABLE pairs(campaign INTEGER, family TEXT, subject TEXT, variant TEXT, version TEXT,
  next_case INTEGER, cases INTEGER, steps INTEGER, seconds REAL, found INTEGER, incomparable INTEGER,
  deaths INTEGER, PRIMARY KEY(campaign, family, subject, variant));
CREATE TABLE findings(signature TEXT PRIMARY KEY, family TEXT, oracle TEXT, subject TEXT, detail TEXT,
  variant TEXT, version TEXT, first_seen INTEGER, last_seen INTEGER, count INTEGER, known INTEGER,
  owner TEXT, upstream TEXT, reason TEXT, case_text TEXT, steps INTEGER, tape TEXT, file TEXT,
  minimized INTEGER, runs INTEGER, seconds REAL, steady INTEGER NOT NULL DEFAULT 1);
CREATE TABLE campaign_findings(campaign INTEGER, family TEXT, subject TEXT, variant TEXT, name TEXT,
  count INTEGER, PRIMARY KEY(campaign, family, subject, variant, name));
CREATE TABLE properties(campaign INTEGER, family TEXT, subject TEXT, variant TEXT, signature TEXT,
  count INTEGER, reason TEXT, case_text TEXT,
  PRIMARY KEY(campaign, family, subject, variant, signature));
CREATE TABLE corpus(family TEXT, subject TEXT, variant TEXT, hash TEXT, text TEXT, reach TEXT,
  PRIMARY KEY(family, subject, variant, hash));
CREATE TABLE reach(campaign INTEGER, family TEXT, subject TEXT, variant TEXT, name TEXT, count INTEGER,
  PRIMARY KEY(campaign, family, subject, variant, name));
CREATE TABLE incomparable(campaign INTEGER, family TEXT, subject TEXT, variant TEXT, name TEXT,
  count INTEGER, PRIMARY KEY(campaign, family, subject, variant, name));
CREATE TABLE answers(family TEXT, subject TEXT, variant TEXT, version TEXT, hash TEXT, text TEXT, answer TEXT,
  PRIMARY KEY(family, subject, variant, version, hash));
CREATE TABLE skipped(campaign INTEGER, family TEXT, subject TEXT, reason TEXT,
  PRIMARY KEY(campaign, family, subject));
)sql";

// There, whether a case fails each time was the end of the reason.
constexpr char kFromVersion1[] = R"sql(
ALTER TABLE findings ADD COLUMN steady INTEGER NOT NULL DEFAULT 1;
UPDATE findings SET steady = 0, reason = substr(reason, 1, length(reason) - length(' (not each time)'))
  WHERE reason LIKE '% (not each time)';
)sql";

// There, no answers were kept.
constexpr char kFromVersion2[] = R"sql(
CREATE TABLE IF NOT EXISTS answers(family TEXT, subject TEXT, variant TEXT, version TEXT, hash TEXT, text TEXT, answer TEXT,
  PRIMARY KEY(family, subject, variant, version, hash));
)sql";

int64_t Now() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

absl::StatusOr<int> Lock(const std::string& folder) {
  const int fd = open((folder + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) return absl::PermissionDeniedError(folder + ": cannot be written to; name another with --store");
  if (flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
  close(fd);
  return absl::UnavailableError(folder + ": another campaign writes to it; wait, or name another with --store");
}

#define OOMPH_RETURN_IF_ERROR(expression)                     \
  do {                                                        \
    if (absl::Status status_ = (expression); !status_.ok()) { \
      return status_;                                         \
    }                                                         \
  } while (false)

}  // namespace

Store::Store(std::string folder, int lock, Database db)
    : folder_(std::move(folder)), lock_(lock), db_(std::move(db)) {}

Store::Store(Store&& other) noexcept
    : folder_(std::move(other.folder_)), lock_(std::exchange(other.lock_, -1)), db_(std::move(other.db_)) {}

Store::~Store() {
  if (lock_ >= 0) close(lock_);
}

absl::StatusOr<Store> Store::OpenForWriting(const std::string& folder) {
  OOMPH_RETURN_IF_ERROR(MakeWritableFolder(folder));
  const auto lock = Lock(folder);
  if (!lock.ok()) return lock.status();
  auto db = Database::Open(folder + "/store.db", Database::Mode::kReadWrite);
  if (!db.ok()) {
    close(*lock);
    return db.status();
  }
  Store store(folder, *lock, *std::move(db));
  OOMPH_RETURN_IF_ERROR(store.Migrate(true));
  return store;
}

absl::StatusOr<Store> Store::OpenForReading(const std::string& folder) {
  if (!std::filesystem::exists(folder + "/store.db")) {
    return absl::NotFoundError(absl::StrCat(folder, ": no store here; oomph fuzz --store ", folder, " makes one"));
  }
  auto db = Database::Open(folder + "/store.db", Database::Mode::kReadWrite);
  if (!db.ok()) return db.status();
  Store store(folder, -1, *std::move(db));
  OOMPH_RETURN_IF_ERROR(store.Migrate(false));
  return store;
}

absl::Status Store::Migrate(bool writing) {
  int64_t version = 0;
  {
    Statement s(db_, "PRAGMA user_version");
    if (s.Step()) version = s.Int(0);
    OOMPH_RETURN_IF_ERROR(s.status());
  }
  if (version > kVersion) {
    return absl::FailedPreconditionError(
        absl::StrFormat("%s: store of version %d, this oomph reads up to %d; use a newer oomph or another --store",
                        folder_, version, kVersion));
  }
  if (!writing) {
    if (version == 0) return absl::NotFoundError(folder_ + ": the store is empty");
    if (version == kVersion) return absl::OkStatus();
    return absl::FailedPreconditionError(absl::StrFormat(
        "%s: store of version %d; a campaign on it (oomph fuzz --store %s) brings it to version %d", folder_, version,
        folder_, kVersion));
  }
  OOMPH_RETURN_IF_ERROR(db_.Execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL"));
  if (version == kVersion) return absl::OkStatus();
  Transaction transaction(db_);
  OOMPH_RETURN_IF_ERROR(transaction.status());
  if (version == 0) OOMPH_RETURN_IF_ERROR(db_.Execute(kSchema));
  if (version == 1) OOMPH_RETURN_IF_ERROR(db_.Execute(kFromVersion1));
  if (version == 1 || version == 2) OOMPH_RETURN_IF_ERROR(db_.Execute(kFromVersion2));
  OOMPH_RETURN_IF_ERROR(db_.Execute(absl::StrCat("PRAGMA user_version=", kVersion)));
  return transaction.Commit();
}

absl::StatusOr<CampaignRecord> Store::BeginOrResume(const std::string& arguments, uint64_t new_seed) {
  CampaignRecord record;
  record.arguments = arguments;
  Statement last(db_,
                 "SELECT id, seed, state, started, seconds FROM campaigns WHERE arguments = ? ORDER BY id DESC LIMIT 1");
  if (last.Bind(arguments).Step() && last.Text(2) != "finished") {
    record.id = last.Int(0);
    record.seed = static_cast<uint64_t>(last.Int(1));
    record.state = last.Text(2) == "running" ? "killed" : last.Text(2);
    record.started = last.Int(3);
    record.seconds = last.Double(4);
    OOMPH_RETURN_IF_ERROR(SetState(record.id, "running", record.seconds));
    return record;
  }
  OOMPH_RETURN_IF_ERROR(last.status());
  record.seed = new_seed;
  record.state = "running";
  record.started = Now();
  Statement insert(db_, "INSERT INTO campaigns(arguments, seed, state, started, ended, seconds) "
                        "VALUES(?, ?, 'running', ?, ?, 0) RETURNING id");
  if (insert.Bind(arguments, new_seed, record.started, record.started).Step()) record.id = insert.Int(0);
  OOMPH_RETURN_IF_ERROR(insert.Run());
  return record;
}

absl::Status Store::SetState(int64_t campaign, std::string_view state, double seconds) {
  return Statement(db_, "UPDATE campaigns SET state = ?, seconds = ?, ended = ? WHERE id = ?")
      .Bind(state, seconds, Now(), campaign)
      .Run();
}

absl::Status Store::SetSkipped(int64_t campaign, const std::vector<SkippedRecord>& skipped) {
  Transaction transaction(db_);
  OOMPH_RETURN_IF_ERROR(transaction.status());
  OOMPH_RETURN_IF_ERROR(Statement(db_, "DELETE FROM skipped WHERE campaign = ?").Bind(campaign).Run());
  OOMPH_RETURN_IF_ERROR(InsertSkipped(campaign, skipped));
  return transaction.Commit();
}

absl::Status Store::AddSkipped(int64_t campaign, const std::vector<SkippedRecord>& skipped) {
  Transaction transaction(db_);
  OOMPH_RETURN_IF_ERROR(transaction.status());
  OOMPH_RETURN_IF_ERROR(InsertSkipped(campaign, skipped));
  return transaction.Commit();
}

// Within a transaction of the caller.
absl::Status Store::InsertSkipped(int64_t campaign, const std::vector<SkippedRecord>& skipped) {
  for (const SkippedRecord& each : skipped) {
    OOMPH_RETURN_IF_ERROR(Statement(db_, "INSERT OR REPLACE INTO skipped VALUES(?, ?, ?, ?)")
                              .Bind(campaign, each.family, each.subject, each.reason)
                              .Run());
  }
  return absl::OkStatus();
}

absl::Status Store::AddCounts(std::string_view table, int64_t campaign, const PairKey& key,
                              const std::map<std::string, uint64_t>& counts) {
  const std::string sql = absl::StrCat(
      "INSERT INTO ", std::string(table),
      " VALUES(?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count");
  for (const auto& [name, count] : counts) {
    OOMPH_RETURN_IF_ERROR(
        Statement(db_, sql).Bind(campaign, key.family, key.subject, key.variant, name, count).Run());
  }
  return absl::OkStatus();
}

absl::Status Store::Commit(int64_t campaign, const ChunkRecord& chunk) {
  const PairKey& key = chunk.key;
  uint64_t incomparable = 0;
  for (const auto& [cause, count] : chunk.incomparable) incomparable += count;
  Transaction transaction(db_);
  OOMPH_RETURN_IF_ERROR(transaction.status());
  OOMPH_RETURN_IF_ERROR(
      Statement(db_,
                "INSERT INTO pairs VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
                "version = excluded.version, next_case = excluded.next_case, cases = cases + excluded.cases, "
                "steps = steps + excluded.steps, seconds = seconds + excluded.seconds, "
                "found = found + excluded.found, incomparable = incomparable + excluded.incomparable, "
                "deaths = deaths + excluded.deaths")
          .Bind(campaign, key.family, key.subject, key.variant, chunk.version, chunk.first + chunk.count, chunk.count,
                chunk.steps, chunk.seconds, chunk.found, incomparable, chunk.deaths)
          .Run());
  OOMPH_RETURN_IF_ERROR(AddCounts("reach", campaign, key, chunk.reach));
  OOMPH_RETURN_IF_ERROR(AddCounts("incomparable", campaign, key, chunk.incomparable));
  OOMPH_RETURN_IF_ERROR(AddCounts("campaign_findings", campaign, key, chunk.findings));
  for (const auto& [signature, count] : chunk.findings) {
    OOMPH_RETURN_IF_ERROR(
        Statement(db_, "UPDATE findings SET count = count + ?, last_seen = ? WHERE signature = ?")
            .Bind(count, Now(), signature)
            .Run());
  }
  for (const PropertyRecord& property : chunk.properties) {
    OOMPH_RETURN_IF_ERROR(Statement(db_, "INSERT INTO properties VALUES(?, ?, ?, ?, ?, ?, ?, ?) "
                                         "ON CONFLICT DO UPDATE SET count = count + excluded.count")
                              .Bind(campaign, key.family, key.subject, key.variant, property.signature,
                                    property.count, property.reason, property.case_text)
                              .Run());
  }
  for (const CorpusEntry& entry : chunk.corpus) {
    OOMPH_RETURN_IF_ERROR(Statement(db_, "INSERT OR IGNORE INTO corpus VALUES(?, ?, ?, ?, ?, ?)")
                              .Bind(key.family, key.subject, key.variant, entry.hash, entry.text, entry.reach)
                              .Run());
  }
  for (const AnswerRecord& each : chunk.answers) {
    OOMPH_RETURN_IF_ERROR(Statement(db_, "INSERT OR REPLACE INTO answers VALUES(?, ?, ?, ?, ?, ?, ?)")
                              .Bind(key.family, key.subject, key.variant, chunk.version, each.hash, each.text, each.answer)
                              .Run());
  }
  return transaction.Commit();
}

absl::Status Store::NoteFinding(int64_t campaign, const PairKey& key, const std::string& signature) {
  return AddCounts("campaign_findings", campaign, key, {{signature, 0}});
}

absl::StatusOr<std::string> Store::FileFor(std::string_view signature, std::string_view extension) {
  const std::string base = SignatureHash(signature);
  for (int i = 1;; ++i) {
    const std::string file = absl::StrCat(base, i == 1 ? "" : absl::StrCat("-", i), std::string(extension));
    Statement s(db_, "SELECT 1 FROM findings WHERE file = ? AND signature <> ?");
    const bool taken = s.Bind(file, signature).Step();
    OOMPH_RETURN_IF_ERROR(s.status());
    if (!taken) return file;
  }
}

absl::Status Store::SaveFinding(Finding finding, std::string_view extension) {
  auto file = FileFor(finding.signature, extension);
  if (!file.ok()) return file.status();
  finding.file = *std::move(file);
  OOMPH_RETURN_IF_ERROR(WriteFileAtomically(absl::StrCat(folder_, "/", finding.file), finding.case_text));
  return Statement(db_,
                   "INSERT INTO findings VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
                   "ON CONFLICT DO UPDATE SET variant = excluded.variant, version = excluded.version, "
                   "last_seen = excluded.last_seen, "
                   "known = excluded.known, owner = excluded.owner, upstream = excluded.upstream, "
                   "reason = excluded.reason, case_text = excluded.case_text, steps = excluded.steps, "
                   "tape = excluded.tape, file = excluded.file, minimized = excluded.minimized, "
                   "runs = excluded.runs, seconds = excluded.seconds, steady = excluded.steady")
      .Bind(finding.signature, finding.family, finding.oracle, finding.subject, finding.detail, finding.variant,
            finding.version, Now(), Now(), finding.count, finding.known, finding.owner, finding.upstream,
            finding.reason, finding.case_text, finding.steps, finding.tape, finding.file, finding.minimized,
            finding.runs, finding.seconds, finding.steady)
      .Run();
}

}  // namespace oomph
