// See speed.h.
#include "fuzz/compare/speed.h"

#include <time.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "fuzz/compare/duel.h"
#include "fuzz/compare/statistics.h"

namespace oomph {
namespace {

constexpr size_t kCases = 16, kTries = 200, kSteps = 512, kLive = 64;
constexpr int kTurns = 4;            // of both, for each case in a round
constexpr double kSlowCase = 0.05;   // seconds; slower ones would take all the time
constexpr size_t kFewestCases = 4;

double Now(clockid_t clock) {
  timespec now = {};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Timed {
  std::unique_ptr<Case> base, head;  // as prepared for each
};

// Cases that both go through in reasonable time.
std::vector<Timed> ChooseCases(Duel& duel, uint64_t seed, const std::function<bool()>& stop, uint64_t& steps) {
  const Family& family = duel.family();
  GenerateOptions options = duel.options();
  options.steps = kSteps;
  options.live = kLive;
  const auto c = family.NewCase();
  std::vector<Timed> cases;
  for (size_t i = 0; i < kTries && cases.size() < kCases && !stop(); ++i) {
    Choices choices = Choices::FromSeed(MixSeed(seed, ~uint64_t{i}), /*swarm=*/false);
    family.Generate(choices, options, *c);
    const double start = Now(CLOCK_MONOTONIC);
    const Duel::Answer& answer = duel.Measure(*c);
    if (!answer.base.complete || !answer.head.complete || Now(CLOCK_MONOTONIC) - start > kSlowCase) continue;
    steps += family.Size(*c);
    cases.push_back({family.Clone(duel.base_case()), family.Clone(duel.head_case())});
  }
  return cases;
}

class Round {
 public:
  Round(Duel& duel, clockid_t clock) : duel_(duel), clock_(clock), outcome_(duel.family().NewOutcome()) {}

  // The median of head over base; adds up the seconds of each.
  double Run(const std::vector<Timed>& cases, double& base_seconds, double& head_seconds) {
    std::vector<double> ratios;
    for (const Timed& timed : cases) {
      Time(duel_.base(), *timed.base);  // warm
      Time(duel_.head(), *timed.head);
      double base = 1e9, head = 1e9;
      for (int turn = 0; turn < kTurns; ++turn) {
        if (turn % 2 == 0) base = std::min(base, Time(duel_.base(), *timed.base));
        head = std::min(head, Time(duel_.head(), *timed.head));
        if (turn % 2 != 0) base = std::min(base, Time(duel_.base(), *timed.base));
      }
      base_seconds += base;
      head_seconds += head;
      ratios.push_back(head / std::max(base, 1e-9));
    }
    return Quantile(std::move(ratios), 0.5);
  }

 private:
  double Time(Subject& subject, const Case& c) {
    const double start = Now(clock_);
    subject.Run(c, *outcome_);
    return Now(clock_) - start;
  }

  Duel& duel_;
  const clockid_t clock_;
  const std::unique_ptr<Outcome> outcome_;
};

}  // namespace

void JudgeRounds(SpeedChange& speed) {
  speed.rounds = speed.by_round.size();
  speed.confidence = ConfidenceOfRange(speed.rounds);
  speed.margin = kSpeedMargin;
  if (speed.by_round.empty()) return;
  speed.change = Quantile(speed.by_round, 0.5) - 1;
  speed.low = *std::min_element(speed.by_round.begin(), speed.by_round.end()) - 1;
  speed.high = *std::max_element(speed.by_round.begin(), speed.by_round.end()) - 1;
  speed.trend = speed.low > kSpeedMargin                  ? Trend::kWorse
                : 1 + speed.high < 1 / (1 + kSpeedMargin) ? Trend::kBetter
                                                          : Trend::kSame;
}

SpeedChange MeasureSpeed(const SubjectTable& table, const Pair& base, const Pair& head, uint64_t seed, size_t rounds,
                         const std::function<bool()>& stop) {
  SpeedChange speed;
  speed.why_not = rounds == 0 ? "not asked for" : "";
  std::vector<Timed> cases;
  double base_seconds = 0, head_seconds = 0;
  uint64_t steps = 0;
  for (size_t round = 0; round < rounds && speed.why_not.empty(); ++round) {
    const auto duel = Duel::Make(table, base, head);
    if (!duel.ok()) {
      speed.why_not = std::string(duel.status().message());
      break;
    }
    if (cases.empty()) cases = ChooseCases(**duel, seed, stop, steps);
    if (stop()) speed.why_not = "interrupted";
    if (speed.why_not.empty() && cases.size() < kFewestCases) speed.why_not = "too few long cases that both go through to the end";
    if (!speed.why_not.empty()) break;
    speed.own_process = (*duel)->base().info().in_child || (*duel)->head().info().in_child;
    Round one(**duel, speed.own_process ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID);
    speed.by_round.push_back(one.Run(cases, base_seconds, head_seconds));
  }
  if (!speed.why_not.empty()) {
    speed.by_round.clear();
    return speed;
  }
  speed.measured = true;
  speed.cases = cases.size();
  const double all = static_cast<double>(steps) * static_cast<double>(rounds);
  speed.base = all / std::max(base_seconds, 1e-9);
  speed.head = all / std::max(head_seconds, 1e-9);
  JudgeRounds(speed);
  return speed;
}

}  // namespace oomph
