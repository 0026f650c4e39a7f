// See questions.h.
#include "fuzz/minimize/questions.h"

#include <algorithm>
#include <cmath>

namespace oomph {
namespace {

// How a vote goes: first a few tries, which sort out what rarely shows the fault, then more. Of a test that says yes to a
// fifth of what does not show it and to four fifths of what does, it elects one of 100,000 of the first, and seven of ten
// of the second.
struct Stage {
  size_t tries;
  double share;  // of the rate of a case that shows it
};
constexpr Stage kStages[] = {{5, 0.9}, {15, 0.7}};

}  // namespace

bool Questions::used_up() {
  if (tests_ >= options_.tests || seconds() >= options_.seconds) return ended_ = true;
  if (options_.stop && options_.stop()) return ended_ = true;
  return ended_;
}

std::optional<bool> Questions::Known(const Fingerprint& of) {
  const auto known = answers_.find(of);
  if (known != answers_.end()) return known->second;
  return journal_ == nullptr ? std::nullopt : journal_->Known(of);
}

void Questions::Learn(const Fingerprint& of, bool shows) {
  // What lost a vote may win the next one: only luck is against it.
  if (rate_.has_value() && !shows) return;
  answers_.insert_or_assign(of, shows);
  if (journal_ != nullptr) journal_->Answered(of, shows);
}

std::vector<bool> Questions::Run(std::span<const Case* const> cases) {
  std::vector<bool> answers;
  const size_t jobs = std::max<size_t>(test_.jobs(), 1);
  for (size_t begin = 0; begin < cases.size(); begin += jobs) {
    const auto some = cases.subspan(begin, std::min(jobs, cases.size() - begin));
    if (used_up()) {
      answers.resize(cases.size(), false);
      return answers;
    }
    if (afresh_) test_.StartAfresh();
    tests_ += some.size();
    for (const bool shows : test_.Ask(some)) answers.push_back(shows);
    if (options_.stop && options_.stop()) ended_ = true;  // these may be no answers: a test ends early then
  }
  return answers;
}

std::vector<bool> Questions::Ask(std::span<const Case* const> cases) {
  std::vector<bool> answers(cases.size());
  std::vector<size_t> open;
  std::vector<Fingerprint> prints;
  std::vector<const Case*> asked;
  for (size_t i = 0; i < cases.size(); ++i) {
    const Fingerprint print = family_.FingerprintOf(*cases[i]);
    if (const auto known = Known(print)) {
      answers[i] = *known;
      continue;
    }
    open.push_back(i), prints.push_back(print), asked.push_back(cases[i]);
  }
  if (asked.empty()) return answers;
  std::vector<bool> now;
  if (rate_.has_value()) {
    for (const Case* c : asked) now.push_back(Elected(*c));
  } else {
    now = Run(asked);
  }
  for (size_t i = 0; i < open.size(); ++i) {
    answers[open[i]] = now[i];
    if (!ended_) Learn(prints[i], now[i]);
  }
  return answers;
}

std::optional<size_t> Questions::Count(const Case& c, size_t times) {
  size_t yes = 0;
  const Case* one = &c;
  for (size_t i = 0; i < times; ++i) {
    test_.StartAfresh();
    yes += Run(std::span(&one, 1))[0];
    if (ended_) return std::nullopt;
  }
  return yes;
}

void Questions::Vote(double rate) {
  rate_ = rate;
  answers_.clear();
  journal_ = nullptr;
}

void Questions::AfreshBeforeEach() {
  afresh_ = true;
  answers_.clear();
  journal_ = nullptr;
}

// Ends as soon as the rest of the tries cannot change it.
bool Questions::Reaches(const Case& c, size_t need, size_t of) {
  size_t yes = 0;
  const size_t jobs = std::max<size_t>(test_.jobs(), 1);
  for (size_t left = of; yes < need;) {
    if (left < need - yes) return false;
    const std::vector<const Case*> same(std::min(jobs, left), &c);
    const std::vector<bool> answers = Run(same);
    if (ended_) return false;
    yes += std::count(answers.begin(), answers.end(), true);
    left -= same.size();
  }
  return true;
}

bool Questions::Elected(const Case& c) {
  for (const Stage& stage : kStages) {
    const double need = std::ceil(static_cast<double>(stage.tries) * stage.share * *rate_);
    if (!Reaches(c, std::max<size_t>(static_cast<size_t>(need), 1), stage.tries)) return false;
  }
  return true;
}

}  // namespace oomph
