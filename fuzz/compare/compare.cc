// See compare.h.
#include "fuzz/compare/compare.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "fuzz/compare/speed.h"
#include "fuzz/compare/tally.h"
#include "fuzz/minimize/minimize.h"
#include "fuzz/report/show.h"
#include "fuzz/tape.h"

namespace oomph {
namespace {

using Clock = std::chrono::steady_clock;
constexpr size_t kShrinkRuns = 20'000;
constexpr size_t kMostExamples = 40;  // shrunk
constexpr int kRepeats = 12;          // of a case whose signature differs
// One case in so many is long traffic at a level, of 64 to 512 live buffers: what short cases are too small for.
constexpr uint64_t kLongEvery = 16;
constexpr size_t kLeastLive = 64, kLevels = 4, kStepsPerLive = 3;

double SecondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

class Comparer {
 public:
  Comparer(const SubjectTable& table, const Pair& base, const Pair& head, const std::vector<CaseFile>& files,
           const CompareOptions& options, std::unique_ptr<Duel> duel)
      : table_(table),
        base_(base),
        head_(head),
        files_(files),
        options_(options),
        family_(base.family()),
        duel_(std::move(duel)) {
    for (const MetricInfo& metric : family_.metrics()) metrics_.emplace_back(metric);
  }

  absl::StatusOr<Comparison> Run() {
    Introduce();
    for (size_t i = 0; i < files_.size() && !options_.stop(); ++i) {
      if (files_[i].family != &family_) continue;
      if (const absl::Status status = RunCase({i, true}); !status.ok()) return status;
      ++result_.from_files;
    }
    const auto start = Clock::now();
    for (uint64_t i = 0; options_.seconds > 0 || i < options_.cases; ++i) {
      if (options_.stop() || (options_.seconds > 0 && SecondsSince(start) >= options_.seconds)) break;
      if (const absl::Status status = RunCase({i, false}); !status.ok()) return status;
      ++result_.generated;
      if (i % 64 == 0) options_.progress(absl::StrCat(i, " cases"));
    }
    if (const absl::Status status = Finish(); !status.ok()) return status;
    result_.interrupted = options_.stop();
    return std::move(result_);
  }

 private:
  void Introduce() {
    const SubjectInfo& base = duel_->base().info();
    const SubjectInfo& head = duel_->head().info();
    result_.family = &family_;
    result_.base = base_.Spec();
    result_.head = head_.Spec();
    result_.base_version = base.version;
    result_.head_version = head.version;
    result_.seed = options_.seed;
    result_.promises_dropped = PromiseNames(family_, base.promises & ~head.promises);
    result_.promises_added = PromiseNames(family_, head.promises & ~base.promises);
  }

  Choices ChoicesOf(uint64_t number) const {
    return Choices::FromSeed(MixSeed(options_.seed, number), /*swarm=*/number % 2 == 1);
  }

  GenerateOptions OptionsOf(uint64_t number) const {
    GenerateOptions options = duel_->options();
    if (number % kLongEvery != kLongEvery - 1) return options;
    options.live = kLeastLive << (number / kLongEvery % kLevels);
    options.steps = kStepsPerLive * options.live;
    return options;
  }

  std::unique_ptr<Case> Make(const CaseId& id) const {
    if (id.file) return family_.Clone(*files_[id.number].value);
    auto made = family_.NewCase();
    Choices choices = ChoicesOf(id.number);
    family_.Generate(choices, OptionsOf(id.number), *made);
    return made;
  }

  std::string OriginOf(const CaseId& id) const {
    if (id.file) return files_[id.number].path;
    return absl::StrCat("case ", id.number, " of seed ", options_.seed);
  }

  // Fresh instances of both: what they do not repeat is no difference.
  absl::StatusOr<Duel*> Control() {
    if (control_ == nullptr) {
      auto made = Duel::Make(table_, base_, head_);
      if (!made.ok()) return made.status();
      control_ = *std::move(made);
    }
    return control_.get();
  }

  absl::Status RunCase(const CaseId& id) {
    const auto c = Make(id);
    const Duel::Answer& answer = duel_->Run(*c);
    const Candidate candidate = {id, family_.Size(*c)};
    result_.steps += candidate.size;
    result_.incomparable += answer.base.verdict.kind == VerdictKind::kIncomparable ||
                            answer.head.verdict.kind == VerdictKind::kIncomparable;
    AddSignatures(answer, candidate, signatures_);
    bool differ = !answer.otherwise.empty();
    const bool measured = answer.Comparable();
    result_.unmeasured += !answer.base.complete || !answer.head.complete;
    result_.unsound += answer.base.breaks || answer.head.breaks;
    for (size_t m = 0; m < metrics_.size() && measured; ++m) {
      differ = differ || Differ(answer.base.values[m], answer.head.values[m]);
    }
    const Duel::Answer* again = nullptr;
    if (differ) {
      const auto control = Control();
      if (!control.ok()) return control.status();
      again = &(*control)->Run(*c);
      NoteOtherwise(answer, *again, candidate);
    }
    for (size_t m = 0; m < metrics_.size() && measured; ++m) {
      const double base = answer.base.values[m], head = answer.head.values[m];
      const bool steady = again == nullptr || (again->Comparable() &&
                                               !Differ(base, again->base.values[m]) && !Differ(head, again->head.values[m]));
      metrics_[m].Add(base, head, steady, candidate);
    }
    return absl::OkStatus();
  }

  void NoteOtherwise(const Duel::Answer& answer, const Duel::Answer& again, const Candidate& candidate) {
    if (answer.otherwise.empty() || again.otherwise.empty() || !control_->BaseAnswersAs(*duel_)) return;
    ++result_.answers_differ;
    Offer(otherwise_, candidate);
  }

  // --- examples ---

  // The first candidate that shows the difference on fresh instances, shrunk while it does. False: none does.
  bool MakeExample(const std::vector<Candidate>& candidates, const Shows& shows, Example& example) {
    for (const Candidate& candidate : candidates) {
      const auto start = Make(candidate.id);
      if (!shows(*start)) continue;
      example.origin = OriginOf(candidate.id);
      auto smallest = family_.Clone(*start);
      if (options_.shrink_seconds > 0 && shrunk_++ < kMostExamples && !options_.stop()) {
        options_.progress(absl::StrCat("shrinking ", example.origin));
        MinimizeOptions minimize;
        minimize.tests = kShrinkRuns;
        minimize.vote = false;
        minimize.seconds = options_.shrink_seconds;
        minimize.stop = options_.stop;
        std::string tape;
        if (!candidate.id.file) {
          minimize.generate = OptionsOf(candidate.id.number);
          const auto recorded = family_.NewCase();
          tape = RecordTape(family_, ChoicesOf(candidate.id.number), minimize.generate, *recorded).bytes;
        }
        FunctionTest test(shows);
        Minimized minimized = Minimize(family_, *start, tape, test, minimize);
        example.shrunk = minimized.reproduced && !minimized.flaky;
        if (example.shrunk) smallest = std::move(minimized.smallest);
      }
      if (!shows(*smallest)) continue;  // leaves what it saw in the control's last answer
      example.steps = family_.Size(*smallest);
      smallest_ = std::move(smallest);
      return true;
    }
    return false;
  }

  // As head gets it, for who types the next command.
  std::string CaseOfHead(std::string_view signature) {
    return CaseText(family_, head_.Spec(), signature, family_.Print(control_->head_case()));
  }
  std::string CaseOfBase(std::string_view signature) {
    return CaseText(family_, base_.Spec(), signature, family_.Print(control_->base_case()));
  }

  // Of many runs on fresh instances one side shows the key in half of them and the other in none. For two that are alike and
  // show it by chance, that happens in fewer than 1 of 500, whatever the chance is.
  bool Repeats(const Case& c, const std::string& key, bool in_head) {
    int shown = 0;
    const auto outcome = family_.NewOutcome();
    for (int i = 0; i < kRepeats; ++i) {
      // What alternates must not do so in step with us.
      if (i % 3 == 2) control_->base().Run(control_->base_case(), *outcome);
      const Duel::Answer& answer = control_->Run(c);
      if ((in_head ? answer.base : answer.head).key == key) return false;
      shown += (in_head ? answer.head : answer.base).key == key;
    }
    return 2 * shown >= kRepeats;
  }

  static std::string Says(const Verdict& verdict) { return verdict.found() ? verdict.signature : "agrees"; }

  static Change KindOf(const SignatureTally& tally) {
    return tally.base.cases == 0 ? Change::kNew : tally.head.cases == 0 ? Change::kFixed : Change::kChanged;
  }

  void FinishSignature(const std::string& key, const SignatureTally& tally) {
    if (tally.base.only + tally.head.only == 0) return void(++result_.same_signatures);
    SignatureChange change;
    change.change = KindOf(tally);
    change.key = key;
    change.base_cases = tally.base.cases;
    change.head_cases = tally.head.cases;
    change.only_base = tally.base.only;
    change.only_head = tally.head.only;
    // What head shows and base does not is told first, if there is such a case.
    const bool in_head = tally.head.only > 0;
    const SignatureTally::Side& side = in_head ? tally.head : tally.base;
    change.signature = side.signature;
    const Shows shows = [&](const Case& c) {
      const Duel::Answer& answer = control_->Run(c);
      return answer.base.key != answer.head.key && (in_head ? answer.head : answer.base).key == key;
    };
    std::vector<Candidate> candidates = side.only_cases;
    std::erase_if(candidates, [&](const Candidate& candidate) { return !Repeats(*Make(candidate.id), key, in_head); });
    change.steady = !candidates.empty();
    if (MakeExample(candidates, shows, change.example)) {
      const Duel::Answer& answer = control_->Run(*smallest_);
      change.text = (in_head ? answer.head : answer.base).verdict.text;
      change.example.base = Says(answer.base.verdict);
      change.example.head = Says(answer.head.verdict);
      change.example.case_text = in_head ? CaseOfHead(change.signature) : CaseOfBase(change.signature);
    }
    // What comes and goes by itself is not the change's doing, unless it was never seen before.
    if (change.steady || change.change == Change::kNew) result_.signatures.push_back(std::move(change));
  }

  void FinishMetric(size_t m) {
    const MetricTally& tally = metrics_[m];
    MetricChange change = tally.Finish();
    if (change.trend != Trend::kSame) {
      const bool worse = !tally.worse_cases.empty() && change.trend != Trend::kBetter;
      const Shows shows = [&](const Case& c) {
        const Duel::Answer& answer = control_->Run(c);
        if (!answer.Comparable()) return false;
        const double base = answer.base.values[m], head = answer.head.values[m];
        return std::isfinite(base) && std::isfinite(head) && Differ(base, head) &&
               worse == ((head > base) == tally.info.lower_is_better);
      };
      if (MakeExample(worse ? tally.worse_cases : tally.better_cases, shows, change.example)) {
        const Duel::Answer& answer = control_->Run(*smallest_);
        change.example.base = absl::StrFormat("%.6g", answer.base.values[m]);
        change.example.head = absl::StrFormat("%.6g", answer.head.values[m]);
        change.example.case_text = CaseOfHead("");
      }
    }
    result_.metrics.push_back(std::move(change));
  }

  void FinishAnswers() {
    if (result_.answers_differ == 0) return;
    const Shows shows = [&](const Case& c) { return !control_->Run(c).otherwise.empty(); };
    if (!MakeExample(otherwise_, shows, result_.answers)) return;
    result_.answers_text = control_->Run(*smallest_).otherwise;
    result_.answers.case_text = CaseOfHead("");
  }

  absl::Status Finish() {
    if (const auto control = Control(); !control.ok()) return control.status();
    for (const Change kind : {Change::kNew, Change::kFixed, Change::kChanged}) {
      for (const auto& [key, tally] : signatures_) {
        if (KindOf(tally) == kind) FinishSignature(key, tally);
      }
    }
    FinishAnswers();
    for (size_t m = 0; m < metrics_.size(); ++m) FinishMetric(m);
    options_.progress("measuring speed");
    result_.speed = MeasureSpeed(table_, base_, head_, options_.seed, options_.speed_rounds, options_.stop);
    options_.progress("");
    return absl::OkStatus();
  }

  const SubjectTable& table_;
  const Pair& base_;
  const Pair& head_;
  const std::vector<CaseFile>& files_;
  const CompareOptions& options_;
  const Family& family_;
  std::unique_ptr<Duel> duel_, control_;
  std::unique_ptr<Case> smallest_;  // of the last example
  std::vector<MetricTally> metrics_;
  SignatureTallies signatures_;
  std::vector<Candidate> otherwise_;
  size_t shrunk_ = 0;
  Comparison result_;
};

}  // namespace

absl::StatusOr<Comparison> Compare(const SubjectTable& table, const Pair& base, const Pair& head,
                                   const std::vector<CaseFile>& files, const CompareOptions& options) {
  auto duel = Duel::Make(table, base, head);
  if (!duel.ok()) return duel.status();
  return Comparer(table, base, head, files, options, *std::move(duel)).Run();
}

absl::StatusOr<std::vector<PairOfPairs>> MatchPairs(const std::vector<Pair>& base, const std::vector<Pair>& head) {
  std::vector<PairOfPairs> matched;
  const auto of_family = [](const std::vector<Pair>& pairs, const Family& family) {
    return std::count_if(pairs.begin(), pairs.end(), [&](const Pair& p) { return &p.family() == &family; });
  };
  for (const Pair& b : base) {
    for (const Pair& h : head) {
      if (&b.family() != &h.family()) continue;
      const bool single = of_family(base, b.family()) == 1 || of_family(head, b.family()) == 1;
      if (single || b.variant == h.variant) matched.push_back({b, h});
    }
  }
  if (!matched.empty()) return matched;
  return absl::InvalidArgumentError(
      absl::StrCat(base.front().Spec(), " and ", head.front().Spec(),
                   ": no variants of one name in one family; name one of each, NAME:VARIANT (oomph list subjects)"));
}

}  // namespace oomph
