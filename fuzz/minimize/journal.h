// What a reduction has come to, on disk: the best case so far, and a journal of all answers, so that a reduction that
// was killed goes on where it ended.
//
//   OUT           the smallest case so far; replaced as a whole
//   OUT.journal   lines of JSON. First whose reduction it is and what it expects, then one line for each
//                 answer  {"a":"<fingerprint>","y":true}    step  {"step":"drop_steps",...}
//   STEPS/0001.x  each smaller case, if asked for
//
// The engine asks the same questions again, and those that have a line are answered from it. A last line that was cut off
// is dropped. Removed once the reduction has finished.
// Not for: findings (see the store).
#ifndef OOMPH_FUZZ_MINIMIZE_JOURNAL_H_
#define OOMPH_FUZZ_MINIMIZE_JOURNAL_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "fuzz/minimize/minimize.h"

namespace oomph {

// Whose reduction it is: all in which another would ask or answer otherwise.
struct JournalKey {
  std::string family, test, expect;
  Fingerprint input;
};

struct JournalOptions {
  std::string out;    // empty: the best is not written, and there is no journal
  bool keep = true;   // false: no journal
  bool restart = false;
  std::string steps;  // folder; empty: none
  std::string extension;
  std::function<std::string(const Case&)> text;  // what is in a file
};

class FileJournal final : public MinimizeJournal {
 public:
  // Reads the journal of an earlier run. An error if it is of another reduction, or is no journal, or cannot be written.
  static absl::StatusOr<std::unique_ptr<FileJournal>> Open(const Family& family, const JournalKey& key,
                                                           const JournalOptions& options);
  ~FileJournal() override;

  size_t known() const { return known_.size(); }  // answers of an earlier run
  const std::string& fixed() const { return fixed_; }  // what it said in Begin; empty: there was none
  // Before the reduction: what the test has been found to expect.
  absl::Status Begin(const std::string& fixed);

  std::optional<bool> Known(const Fingerprint& of) override;
  void Answered(const Fingerprint& of, bool shows) override;
  void Smaller(const Case& c, const MinimizeStep& step) override;
  void TakenBack(const Case& c) override;

  void Poll();   // writes what has waited for 50 ms
  void Flush();  // writes what waits
  void Remove();  // it has finished
  // False: an earlier run had come further, and the best on disk is its own.
  bool caught_up() const { return caught_up_; }
  // The first thing that could not be written: what is on disk is older then.
  const absl::Status& status() const { return status_; }
  std::string path() const { return options_.out + ".journal"; }

 private:
  using Clock = std::chrono::steady_clock;
  FileJournal(const Family& family, const JournalOptions& options) : family_(family), options_(options) {}
  absl::Status Read(const JournalKey& key);
  void Line(const std::string& line);
  void WriteLines();
  void WriteBest(bool now);
  void Note(const absl::Status& status);

  const Family& family_;
  const JournalOptions options_;
  int fd_ = -1;
  std::string header_, fixed_, lines_;
  absl::flat_hash_map<Fingerprint, bool> known_;
  // While all answers are known ones, what is on disk is smaller than what the engine has.
  bool caught_up_ = true;
  std::unique_ptr<Case> best_;  // not written yet
  size_t steps_ = 0;
  Clock::time_point lines_written_ = Clock::now(), best_written_ = Clock::now();
  Clock::duration pause_ = std::chrono::milliseconds(50);
  absl::Status status_;
};

}  // namespace oomph

#endif  // OOMPH_FUZZ_MINIMIZE_JOURNAL_H_
