// The questions of a reduction: each content is asked about once, within a budget, and while the test answers now one
// way and now the other, by a vote.
// Not for: what to ask (see search.h), or how a test runs (see test.h, by_command.h).
#ifndef OOMPH_FUZZ_MINIMIZE_QUESTIONS_H_
#define OOMPH_FUZZ_MINIMIZE_QUESTIONS_H_

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "fuzz/minimize/minimize.h"
#include "fuzz/minimize/test.h"
#include "models/base/family.h"

namespace oomph {

class Questions {
 public:
  Questions(const Family& family, CaseTest& test, const MinimizeOptions& options)
      : family_(family), test_(test), options_(options), start_(std::chrono::steady_clock::now()), journal_(options.journal) {}

  // No once the budget is used up. For any number of cases.
  std::vector<bool> Ask(std::span<const Case* const> cases);
  bool Ask(const Case& c) {
    const Case* one = &c;
    return Ask(std::span(&one, 1))[0];
  }
  // How often of so many times, each from nothing, whatever is known. None once the budget is used up.
  std::optional<size_t> Count(const Case& c, size_t times);
  // From here on a case shows the fault if it does so about as often as one that does in `rate` (0 to 1) of all tries.
  void Vote(double rate);
  bool votes() const { return rate_.has_value(); }
  // Each case meets nothing that the ones before it left behind; what was known is not any more.
  void AfreshBeforeEach();

  bool used_up();
  bool ended() const { return ended_; }
  size_t tests() const { return tests_; }  // runs of the test; what was known already is not counted
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::vector<bool> Run(std::span<const Case* const> cases);
  bool Elected(const Case& c);
  bool Reaches(const Case& c, size_t need, size_t of);
  void Learn(const Fingerprint& of, bool shows);
  std::optional<bool> Known(const Fingerprint& of);

  const Family& family_;
  CaseTest& test_;
  const MinimizeOptions& options_;
  const std::chrono::steady_clock::time_point start_;
  size_t tests_ = 0;
  bool ended_ = false, afresh_ = false;
  MinimizeJournal* journal_ = nullptr;  // as long as answers are those of a plain question
  std::optional<double> rate_;
  absl::flat_hash_map<Fingerprint, bool> answers_;
};

}  // namespace oomph

#endif  // OOMPH_FUZZ_MINIMIZE_QUESTIONS_H_
