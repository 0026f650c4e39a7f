// A test that is a shell command of the user. What of it is of interest the first run says, or --expect (see
// expectation.h); exit status 101 says: of interest for another reason, and that case is kept aside.
// Not for: commands named in files; only the command line may give one.
#ifndef OOMPH_FUZZ_MINIMIZE_BY_COMMAND_H_
#define OOMPH_FUZZ_MINIMIZE_BY_COMMAND_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "fuzz/minimize/command_run.h"
#include "fuzz/minimize/expectation.h"
#include "fuzz/minimize/test.h"
#include "models/base/family.h"

namespace oomph {

struct CommandTestOptions {
  std::string command;             // names the case file as {}
  std::string expect;              // see Expectation::Of
  size_t jobs = 1;                 // commands side by side
  double timeout = 0;              // seconds; 0: ten times the first run, and at least kLeastTimeout
  uint64_t memory_bytes = 0;       // of address space for each process of the command; 0: no limit
  std::function<bool()> stop;      // asked while commands run; true kills them
  std::function<std::string(const Case&)> text;  // of the file of a case; empty: as its family prints it
  // Where cases of interest for another reason go: `others` + "-1" + extension, ... Empty: nowhere.
  std::string others;
  size_t most_others = 100;
};

class CommandTest final : public CaseTest {
 public:
  static constexpr double kLeastTimeout = 5;
  static constexpr int kFirstTries = 5;

  static absl::StatusOr<std::unique_ptr<CommandTest>> Make(const Family& family, const CommandTestOptions& options);

  // Runs the command on the case to be reduced, and takes from it what to expect; a few times if it says no. Before
  // anything is asked.
  absl::Status First(const Case& c);
  // The same without running it, from Fixed() of an earlier run.
  absl::Status GoOnWith(const std::string& fixed);
  std::string Fixed() const;

  size_t jobs() const override { return options_.jobs; }
  std::vector<bool> Ask(std::span<const Case* const> cases) override;

  const Expectation& expectation() const { return *expectation_; }
  size_t timed_out() const { return timed_out_; }
  size_t crashed() const { return crashed_; }              // ended by a signal that is not what is expected
  size_t others_found() const { return others_.size(); }   // of different contents
  const std::vector<std::string>& others() const { return other_files_; }

 private:
  CommandTest(const Family& family, const CommandTestOptions& options, std::unique_ptr<CommandSlots> slots);
  std::string Text(const Case& c) const { return options_.text ? options_.text(c) : family_.Print(c); }
  std::vector<CommandRan> Run(std::span<const std::string> texts);
  void KeepAside(const std::string& text);

  const Family& family_;
  const CommandTestOptions options_;
  const std::unique_ptr<CommandSlots> slots_;
  std::vector<std::string> commands_;  // of each slot, with its path in place
  std::string case_name_;
  CommandLimits limits_;
  std::optional<Expectation> expectation_;
  std::optional<std::string> first_;  // what was asked first, until it is asked again
  size_t timed_out_ = 0, crashed_ = 0;
  std::set<Fingerprint> others_;
  std::vector<std::string> other_files_;
};

}  // namespace oomph

#endif  // OOMPH_FUZZ_MINIMIZE_BY_COMMAND_H_
