// See pair_runner.h.
#include "fuzz/campaign/pair_runner.h"

#include <array>
#include <chrono>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "fuzz/minimize/minimize.h"
#include "fuzz/store/case_file.h"
#include "fuzz/tape.h"

namespace oomph {
namespace {

constexpr uint64_t kMeasureEvery = 16;   // cases
constexpr size_t kMaxStoredText = 1 << 16;
// An answer of another process that took so long is kept: asking again costs more than a row of the store.
constexpr std::chrono::milliseconds kDear{10};
constexpr size_t kMostKeptBytes = 1 << 13;
constexpr size_t kShrinkRuns = 8000;
constexpr double kShrinkSeconds = 15;

uint64_t PairSeed(uint64_t seed, const Pair& pair) {
  uint64_t hash = 14695981039346656037u;  // FNV-1a
  const std::string text = absl::StrCat(std::string(pair.family().name()), "/", pair.Spec());
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return MixSeed(seed, hash);
}

std::string TextHash(std::string_view text) {
  uint64_t hash = 14695981039346656037u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return absl::StrCat(absl::Hex(hash, absl::kZeroPad16));
}

}  // namespace

Engine EngineOf(uint64_t number) {
  static constexpr std::array<Engine, 4> kTurns = {Engine::kRandom, Engine::kSwarm, Engine::kSwarm,
                                                   Engine::kMutation};
  return kTurns[number % kTurns.size()];
}

PairKey KeyOf(const Pair& pair) {
  return {std::string(pair.family().name()), pair.row->name, pair.variant};
}

PairRunner::PairRunner(const Pair& pair, uint64_t seed, Loaded loaded)
    : pair_(pair),
      family_(pair.family()),
      seed_(PairSeed(seed, pair)),
      loaded_(std::move(loaded)),
      judge_(family_, *loaded_.subject, loaded_.reference.get()),
      pool_(family_),
      case_(family_.NewCase()) {}

absl::StatusOr<std::unique_ptr<PairRunner>> PairRunner::Make(const SubjectTable& table, const Pair& pair,
                                                             uint64_t seed,
                                                             const std::vector<CorpusEntry>& corpus) {
  auto loaded = table.Load(pair);
  if (!loaded.ok()) return loaded.status();
  std::unique_ptr<PairRunner> runner(new PairRunner(pair, seed, *std::move(loaded)));
  for (const CorpusEntry& entry : corpus) {
    if (entry.reach.size() != kMaxReach || entry.reach.find_first_not_of("01") != std::string::npos) continue;
    if (!runner->family_.Parse("corpus", entry.text, *runner->case_).ok()) continue;
    runner->pool_.Offer(*runner->case_, Reach(entry.reach));
  }
  return runner;
}

GenerateOptions PairRunner::Options() const {
  GenerateOptions options;
  options.features = loaded_.subject->info().Drawn();
  return options;
}

Choices PairRunner::ChoicesOf(uint64_t number) const {
  return Choices::FromSeed(MixSeed(seed_, number), EngineOf(number) != Engine::kRandom);
}

void PairRunner::MakeCase(uint64_t number) {
  Choices choices = ChoicesOf(number);
  if (EngineOf(number) == Engine::kMutation && !pool_.empty()) {
    case_ = family_.Clone(pool_.Pick(choices));
    family_.Mutate(choices, Options(), *case_, pool_.Pick(choices));
  } else {
    family_.Generate(choices, Options(), *case_);
  }
  loaded_.subject->Prepare(*case_);
}

std::string PairRunner::TextOf(uint64_t number) {
  if (EngineOf(number) == Engine::kMutation) return "";
  MakeCase(number);
  return family_.Print(*case_);
}

ChunkRecord PairRunner::Run(uint64_t first, uint64_t count, const Hooks& hooks) {
  const auto start = std::chrono::steady_clock::now();
  ChunkRecord chunk;
  chunk.key = KeyOf(pair_);
  chunk.version = loaded_.subject->info().version;
  chunk.first = first;
  std::vector<uint64_t> met(kMaxReach);
  for (uint64_t number = first; number < first + count; ++number) {
    hooks.begin(number);
    MakeCase(number);
    const auto asked = std::chrono::steady_clock::now();
    const Verdict verdict = judge_.Run(*case_);
    if (std::chrono::steady_clock::now() - asked >= kDear) KeepAnswer(chunk);
    ++chunk.count;
    chunk.steps += family_.Size(*case_);
    Reach reach;
    if (judge_.ran()) family_.Reached(*case_, judge_.outcome(), reach);
    for (size_t i = reach._Find_first(); i < kMaxReach; i = reach._Find_next(i)) ++met[i];
    if (verdict.kind == VerdictKind::kAgree && pool_.Offer(*case_, reach)) {
      std::string text = family_.Print(*case_);
      if (text.size() <= kMaxStoredText) chunk.corpus.push_back({TextHash(text), text, reach.to_string()});
    }
    Note(verdict, number, hooks, chunk);
    if (hooks.stop()) break;
  }
  const auto names = family_.reach_names();
  for (size_t i = 0; i < names.size() && i < kMaxReach; ++i) {
    if (met[i] > 0) chunk.reach.emplace(std::string(names[i]), met[i]);
  }
  chunk.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return chunk;
}

void PairRunner::KeepAnswer(ChunkRecord& chunk) const {
  if (!judge_.ran() || !loaded_.subject->info().in_child) return;
  std::string text = family_.Print(*case_), answer = family_.PrintOutcome(*case_, judge_.outcome());
  if (text.size() > kMostKeptBytes || answer.size() > kMostKeptBytes) return;
  std::string hash = TextHash(text);
  chunk.answers.push_back({std::move(hash), std::move(text), std::move(answer)});
}

void PairRunner::Note(const Verdict& verdict, uint64_t number, const Hooks& hooks, ChunkRecord& chunk) {
  switch (verdict.kind) {
    case VerdictKind::kAgree:
      if (number % kMeasureEvery == 0) MeasureProperties(chunk);
      break;
    case VerdictKind::kIncomparable:
      ++chunk.incomparable[verdict.text];
      break;
    case VerdictKind::kFinding: {
      ++chunk.found;
      ++chunk.findings[verdict.signature];
      const size_t steps = family_.Size(*case_);
      const auto known = smallest_.find(verdict.signature);
      if (known != smallest_.end() && steps * 2 >= known->second) break;
      smallest_[verdict.signature] = steps;
      Finding finding = FindingOf(verdict);
      if (EngineOf(number) != Engine::kMutation || pool_.empty()) {
        const auto again = family_.NewCase();
        finding.tape = absl::BytesToHexString(RecordTape(family_, ChoicesOf(number), Options(), *again).bytes);
      }
      hooks.found(finding);
      loaded_.subject->StartAfresh();  // what it did may have damaged it for the cases that follow
      break;
    }
  }
}

void PairRunner::MeasureProperties(ChunkRecord& chunk) {
  const Verdict verdict = judge_.Measure(*case_);
  if (!verdict.found()) return;
  for (PropertyRecord& property : chunk.properties) {
    if (property.signature == verdict.signature) return void(++property.count);
  }
  chunk.properties.push_back({chunk.key, verdict.signature, 1, verdict.text,
                              CaseText(family_, pair_.Spec(), "", family_.Print(*case_))});
}

std::optional<Finding> PairRunner::RunTape(const std::string& tape) {
  Choices choices = Choices::FromTape(tape);
  family_.Generate(choices, Options(), *case_);
  loaded_.subject->Prepare(*case_);
  const Verdict verdict = judge_.Run(*case_);
  if (!verdict.found()) return std::nullopt;
  Finding finding = FindingOf(verdict);
  finding.tape = absl::BytesToHexString(tape);
  return finding;
}

Finding PairRunner::FindingOf(const Verdict& verdict) {
  Finding finding;
  finding.signature = verdict.signature;
  finding.family = std::string(family_.name());
  finding.oracle = std::string(verdict.all.front().oracle);
  finding.detail = std::string(verdict.all.front().detail);
  finding.subject = loaded_.subject->info().name;
  finding.variant = pair_.variant;
  finding.version = loaded_.subject->info().version;
  finding.reason = verdict.text;
  finding.steps = family_.Size(*case_);
  finding.case_text = CaseText(family_, pair_.Spec(), verdict.signature, family_.Print(*case_));
  return finding;
}

Finding PairRunner::Shrink(Finding finding, const std::function<bool()>& stop) {
  const auto start = family_.NewCase();
  if (!family_.Parse("finding", finding.case_text, *start).ok()) return finding;
  MinimizeOptions options;
  options.tests = kShrinkRuns;
  options.seconds = kShrinkSeconds;
  options.generate = Options();
  options.stop = stop;
  options.vote = false;
  options.prepare = [&](Case& c) { loaded_.subject->Prepare(c); };
  FunctionTest test(SameSignature(judge_, finding.signature), [&] { loaded_.subject->StartAfresh(); });
  const Minimized result = Minimize(family_, *start, absl::HexStringToBytes(finding.tape), test, options);
  finding.minimized = !stop();
  finding.runs = result.tests;
  finding.seconds = result.seconds;
  if (!result.reproduced || result.flaky) {
    finding.steady = stop();
    return finding;
  }
  loaded_.subject->Prepare(*result.smallest);
  const Verdict verdict = judge_.Run(*result.smallest);
  if (verdict.signature != finding.signature) return finding;
  finding.reason = verdict.text;
  finding.steps = family_.Size(*result.smallest);
  finding.case_text = CaseText(family_, pair_.Spec(), finding.signature, family_.Print(*result.smallest));
  smallest_[finding.signature] = finding.steps;
  return finding;
}

}  // namespace oomph
