// See minimize.h.
#include "fuzz/minimize/minimize.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "fuzz/minimize/questions.h"
#include "fuzz/minimize/search.h"
#include "fuzz/minimize/tape_edits.h"
#include "fuzz/tape.h"

namespace oomph {
namespace {

// How often what was found smaller is run once more, so that a test that says now this and now that is met before it
// leads far astray.
constexpr size_t kRecheckSteps = 20;
constexpr double kRecheckSeconds = 30;
constexpr size_t kLastRechecks = 5;
// Fewer edits than this are tried singly from the second time on.
constexpr size_t kFew = 16;

// How a test is asked: each is tried where the one before has led astray.
enum class Way { kPlain, kAfresh, kVote };

class Reduction {
 public:
  Reduction(const Family& family, const Case& start, CaseTest& test, const MinimizeOptions& options)
      : family_(family), start_(start), test_(test), options_(options), questions_(family, test, options) {}

  Minimized Run(std::string_view tape) {
    best_ = family_.Clone(start_);
    if (options_.prepare) options_.prepare(*best_);
    size_ = family_.Size(*best_);
    bests_.insert(family_.FingerprintOf(*best_));
    Trust();
    result_.reproduced = questions_.Ask(*best_);
    if (result_.reproduced) {
      if (!tape.empty()) ByTape(tape);
      while (!ended_) {
        Rounds();
        if (questions_.ended() || HoldsAtLast()) break;
      }
      if (questions_.votes()) Rate();
    }
    result_.finished = result_.reproduced && !ended_ && !questions_.ended();
    if (result_.finished) CountLastEdits();
    result_.smallest = std::move(best_);
    result_.tests = questions_.tests();
    result_.seconds = questions_.seconds();
    return std::move(result_);
  }

 private:
  // ---- Steps ----

  // Until each reduction was tried on the same case, and none made an edit.
  void Rounds() {
    do {
      // In stretches at first, and once more at the end: what cannot go alone may go with others.
      tried_.assign(family_.reductions().size(), false);
      do {
        Settle(true);
      } while (Settle(false) && !Ends());
      tried_.assign(family_.reductions().size(), false);
    } while (Settle(true) && !Ends());
  }

  // Until each of those that are tried `again` before others are, or each of the others, was tried on the same case;
  // true if any made an edit.
  bool Settle(bool again) {
    const auto reductions = family_.reductions();
    bool changed = false;
    size_t idle = 0;
    for (size_t r = 0; idle < reductions.size() && !Ends(); r = (r + 1) % reductions.size()) {
      ++idle;
      if (reductions[r].again != again || !TryOne(reductions[r], r)) continue;
      changed = true;
      idle = 0;
      if (StillHolds()) continue;  // else from the last case that is sure
      tried_.assign(reductions.size(), false);
      return true;
    }
    return changed;
  }

  // Of alternatives as many as can be made one after the other.
  bool TryOne(const ReductionInfo& info, size_t r) {
    bool any = false;
    do {
      const auto edits = family_.EditsOf(r, *best_);
      const bool singly = tried_[r] && edits != nullptr && edits->most().size() <= kFew;
      tried_[r] = true;
      std::vector<uint64_t> made;
      if (edits == nullptr || !Step(info, *edits, OptionsOf(info, singly), made)) return any;
      any = true;
    } while (info.alternatives && !Ends());
    return any;
  }

  // Makes what edits it can, `made`; true if it made any.
  bool Step(const ReductionInfo& info, const Edits& edits, const SearchOptions& search, std::vector<uint64_t>& made) {
    const size_t before = questions_.tests();
    const Ask ask = [this](std::span<const Case* const> cases) { return questions_.Ask(cases); };
    auto smaller = SearchEdits(family_, edits, info.alternatives, search, ask, made);
    if (smaller == nullptr) return false;
    best_ = std::move(smaller);
    ++since_trusted_;
    auto sum = std::find_if(result_.sums.begin(), result_.sums.end(),
                            [&](const ReductionSum& each) { return each.info.name == info.name; });
    if (sum == result_.sums.end()) sum = result_.sums.insert(sum, {info, 0, 0});
    sum->edits += std::count_if(made.begin(), made.end(), [](uint64_t amount) { return amount > 0; });
    sum->tests += questions_.tests() - before;
    return true;
  }

  SearchOptions OptionsOf(const ReductionInfo& info, bool singly) {
    SearchOptions search;
    search.jobs = std::max<size_t>(test_.jobs(), 1);
    search.singly = singly;
    search.ended = [this, &info] {
      Tell(info.name);
      return Ends();
    };
    search.smaller = [this, &info](const Case& c) {
      size_ = family_.Size(c);
      if (options_.journal != nullptr) options_.journal->Smaller(c, StepNow(info.name));
      Tell(info.name);
      if (options_.prepare) bests_.insert(family_.FingerprintOf(c));
    };
    // What the subject makes of a case may be the case before the edit, or one that was there already: it would not end.
    search.prepare = options_.prepare;
    if (options_.prepare) search.refuse = [this](const Case& c) { return bests_.contains(family_.FingerprintOf(c)); };
    return search;
  }

  MinimizeStep StepNow(std::string_view name) const { return {name, size_, questions_.tests(), questions_.seconds()}; }
  void Tell(std::string_view name) const {
    if (options_.progress) options_.progress(StepNow(name));
  }
  bool Ends() { return ended_ || questions_.used_up(); }

  // The tape leads to a case first; what is left of it the family's reductions take.
  void ByTape(std::string_view bytes) {
    const DecodeTape decode = [&](const std::string& tape, Case& into) {
      Tape canonical = RecordTape(family_, Choices::FromTape(tape), options_.generate, into);
      if (options_.prepare) options_.prepare(into);
      return canonical;
    };
    auto decoded = family_.NewCase();
    Tape tape = decode(std::string(bytes), *decoded);
    if (family_.Size(*decoded) > family_.Size(start_) || !questions_.Ask(*decoded)) return;
    best_ = std::move(decoded);
    const size_t most = questions_.tests() + options_.tape_tests;
    const auto reductions = TapeReductions();
    for (size_t r = 0; r < reductions.size(); ++r) {
      const auto edits = TapeEditsOf(r, tape, decode);
      if (edits == nullptr) continue;
      SearchOptions search = OptionsOf(reductions[r], false);
      search.ended = [&] { return Ends() || questions_.tests() >= most; };
      search.prepare = nullptr;  // decoding does
      search.refuse = nullptr;
      std::vector<uint64_t> made;
      if (Step(reductions[r], *edits, search, made)) tape = decode(EditTape(r, tape, made), *best_);
    }
  }

  // ---- Trust ----

  void Trust() {
    trusted_ = family_.Clone(*best_);
    since_trusted_ = 0;
    trusted_at_ = questions_.seconds();
  }

  // Whether the best case shows the fault once more, if it is time to ask. False: the best is another now.
  bool StillHolds() {
    const bool due = since_trusted_ >= kRecheckSteps || questions_.seconds() - trusted_at_ > kRecheckSeconds;
    return !due || since_trusted_ == 0 || Confirm(1);
  }
  bool HoldsAtLast() { return Confirm(kLastRechecks); }

  bool Confirm(size_t times) {
    if (questions_.votes()) {  // it was elected
      Trust();
      return true;
    }
    const auto yes = questions_.Count(*best_, times);
    if (!yes.has_value() || *yes == times) {
      if (yes.has_value()) Trust();
      return true;
    }
    GoBack();
    return false;
  }

  // From the last case that was sure, another way. If it does not show the fault that way, the first case has to.
  void GoBack() {
    best_ = std::move(trusted_);
    if (way_ == Way::kPlain && test_.StartAfresh()) {
      way_ = Way::kAfresh;
      questions_.AfreshBeforeEach();
      if (questions_.Count(*best_, kLastRechecks) != kLastRechecks) best_ = family_.Clone(start_);
      if (questions_.Count(*best_, kLastRechecks) == kLastRechecks) return TakenBack();
    }
    way_ = Way::kVote;
    result_.flaky = true;
    if (!options_.vote) {
      best_ = family_.Clone(start_);
      ended_ = true;
      return TakenBack();
    }
    const double rate = RateOf(*best_), first = RateOf(start_);
    result_.first_rate = first;
    if (rate < first / 2) best_ = family_.Clone(start_);
    if (questions_.ended()) return;
    if (first == 0) {  // it did, with what others had left behind
      result_.rate = 0;
      ended_ = true;
    }
    questions_.Vote(std::max(first, rate));
    TakenBack();
  }
  void TakenBack() {
    Trust();
    size_ = family_.Size(*best_);
    if (options_.journal != nullptr) options_.journal->TakenBack(*best_);
  }

  double RateOf(const Case& c) {
    const auto yes = questions_.Count(c, kRateTries);
    return static_cast<double>(yes.value_or(0)) / kRateTries;
  }
  void Rate() {
    if (!ended_ && !questions_.ended()) result_.rate = RateOf(*best_);
  }

  void CountLastEdits() {
    for (size_t r = 0; r < family_.reductions().size(); ++r) {
      const auto edits = family_.EditsOf(r, *best_);
      if (edits != nullptr) result_.last_edits += edits->most().size();
    }
  }

  const Family& family_;
  const Case& start_;
  CaseTest& test_;
  const MinimizeOptions& options_;
  Questions questions_;
  Minimized result_;
  std::unique_ptr<Case> best_, trusted_;
  size_t size_ = 0;  // of the best there is, also while a search goes on
  absl::flat_hash_set<Fingerprint> bests_;  // all there were, of a subject that has its own way with cases
  std::vector<bool> tried_;  // by reduction: it was, since the case was last sure
  size_t since_trusted_ = 0;
  double trusted_at_ = 0;
  Way way_ = Way::kPlain;
  bool ended_ = false;
};

// The relations up to the one that the signature tells of; none if it tells of something else. They are asked last, in
// their order, and only of what nothing else is wrong with: so the others say nothing about this signature.
Bits64 RelationsFor(const Family& family, std::string_view signature) {
  const auto relations = family.relations();
  for (size_t i = 0; i < relations.size(); ++i) {
    const std::string start = absl::StrCat(std::string(family.name()), "/", std::string(relations[i].name), "/");
    if (signature.substr(0, start.size()) == start) return i >= 63 ? ~Bits64{0} : (Bits64{2} << i) - 1;
  }
  return 0;
}

}  // namespace

Shows SameSignature(Judge& judge, std::string signature) {
  const Bits64 relations = RelationsFor(judge.family(), signature);
  return [&judge, relations, signature = std::move(signature)](const Case& c) {
    const auto prepared = judge.family().Clone(c);
    judge.subject().Prepare(*prepared);
    return judge.Run(*prepared, relations).signature == signature;
  };
}

Minimized Minimize(const Family& family, const Case& start, std::string_view tape, CaseTest& test,
                   const MinimizeOptions& options) {
  return Reduction(family, start, test, options).Run(tape);
}

}  // namespace oomph
