// See minimize.h.
#include "fuzz/minimize/minimize.h"

#include <chrono>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "fuzz/minimize/tape_shrink.h"
#include "fuzz/tape.h"

namespace oomph {
namespace {

using Clock = std::chrono::steady_clock;

// The test within its budget, with answers kept by the content of the case.
class Budgeted {
 public:
  Budgeted(const Family& family, const Test& test, const MinimizeOptions& options)
      : family_(family), test_(test), options_(options), start_(Clock::now()) {}

  bool operator()(const Case& c) {
    // Two hashes of the text: a false match would need 2^32 cases to be likely.
    const std::string text = family_.Print(c);
    const std::string_view half = std::string_view(text).substr(text.size() / 2);
    const auto key = std::pair(absl::HashOf(text), absl::HashOf(text.size(), half));
    const auto known = answers_.find(key);
    if (known != answers_.end()) return known->second;
    if (used_up()) return false;
    ++runs_;
    const bool fails = test_(c);
    answers_.emplace(key, fails);
    return fails;
  }

  bool used_up() {
    if (runs_ >= options_.runs || seconds() >= options_.seconds) return ended_ = true;
    if (options_.stop && options_.stop()) return ended_ = true;
    return ended_;
  }
  size_t runs() const { return runs_; }
  size_t left() const { return options_.runs > runs_ ? options_.runs - runs_ : 0; }
  bool ended() const { return ended_; }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  const Family& family_;
  const Test& test_;
  const MinimizeOptions& options_;
  const Clock::time_point start_;
  size_t runs_ = 0;
  bool ended_ = false;
  absl::flat_hash_map<std::pair<size_t, size_t>, bool> answers_;
};

// The smallest case that the tape leads to, or null if the tape does not show the fault.
std::unique_ptr<Case> ByTape(const Family& family, std::string_view bytes,
                             const std::function<void(Case&)>& prepare, Budgeted& test,
                             const MinimizeOptions& options) {
  auto candidate = family.NewCase();
  std::unique_ptr<Case> best;
  const TapeTest tape_test = [&](const std::string& tape, Tape& canonical) {
    canonical = RecordTape(family, Choices::FromTape(tape), options.generate, *candidate);
    if (prepare) prepare(*candidate);
    if (!test(*candidate)) return false;
    best = family.Clone(*candidate);
    return true;
  };
  Tape tape;
  if (tape_test(std::string(bytes), tape)) ShrinkTape(tape, tape_test, options.tape_runs);
  return best;
}

// A case that fails only now and then must not be passed off as a reproducer.
bool FailsEachTime(const Test& test, const Case& c, const std::function<void()>& afresh) {
  for (int i = 0; i < 3; ++i) {
    if (afresh) afresh();
    if (!test(c)) return false;
  }
  return true;
}

Minimized MinimizeOnce(const Family& family, const Case& start, std::string_view tape,
                       const std::function<void(Case&)>& prepare, const Test& test, const MinimizeOptions& options) {
  Minimized result;
  Budgeted budgeted(family, test, options);
  result.smallest = family.Clone(start);
  result.reproduced = budgeted(*result.smallest);
  if (result.reproduced) {
    if (!tape.empty()) {
      auto by_tape = ByTape(family, tape, prepare, budgeted, options);
      if (by_tape != nullptr && family.Size(*by_tape) <= family.Size(start)) {
        result.smallest = std::move(by_tape);
      }
    }
    StillFails still_fails = [&](const Case& c) { return budgeted(c); };
    still_fails.ended = [&] { return budgeted.used_up(); };
    family.Reduce(*result.smallest, still_fails, options.runs);
    result.flaky = !FailsEachTime(test, *result.smallest, options.afresh);
    if (result.flaky) result.smallest = family.Clone(start);
  }
  result.finished = result.reproduced && !budgeted.ended();
  result.runs = budgeted.runs();
  result.seconds = budgeted.seconds();
  return result;
}

}  // namespace

Minimized Minimize(const Family& family, const Case& start, std::string_view tape,
                   const std::function<void(Case&)>& prepare, const Test& test,
                   const MinimizeOptions& options) {
  Minimized result = MinimizeOnce(family, start, tape, prepare, test, options);
  if (!result.flaky || !options.afresh) return result;
  const Test from_nothing = [&](const Case& c) {
    options.afresh();
    return test(c);
  };
  Minimized again = MinimizeOnce(family, start, tape, prepare, from_nothing, options);
  again.runs += result.runs;
  again.seconds += result.seconds;
  if (!again.reproduced) again.reproduced = again.flaky = true;  // it was, with what others had left behind
  return again;
}

Test SameSignature(Judge& judge, std::string signature) {
  return [&judge, signature = std::move(signature)](const Case& c) {
    const auto prepared = judge.family().Clone(c);
    judge.subject().Prepare(*prepared);
    return judge.Run(*prepared).signature == signature;
  };
}

}  // namespace oomph
