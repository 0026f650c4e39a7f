// See campaign.h.
#include "fuzz/campaign/campaign.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>
#include <random>
#include <set>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "fuzz/campaign/crew.h"
#include "fuzz/campaign/pair_runner.h"
#include "fuzz/campaign/progress.h"
#include "fuzz/campaign/trophies.h"
#include "fuzz/exit_code.h"
#include "fuzz/report/report.h"
#include "fuzz/report/show.h"
#include "fuzz/store/case_file.h"
#include "fuzz/store/store.h"

namespace oomph {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr double kChunkDeadline = 1.0;  // seconds
constexpr double kShrinkGrace = 15.0;   // seconds, or a tenth of the campaign
constexpr uint64_t kMostAsked = 20;     // times that a case is shrunk for want of one that fails each time
constexpr int kDeathsInARow = 100;      // of workers without one finished chunk: the harness is broken

// SIGINT and SIGTERM as something to poll, and no death by a closed pipe or a full disk.
class Signals {
 public:
  Signals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, &before_);
    fd_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    pipe_ = signal(SIGPIPE, SIG_IGN);
    size_ = signal(SIGXFSZ, SIG_IGN);
  }
  ~Signals() {
    while (Take()) {
    }
    close(fd_);
    signal(SIGPIPE, pipe_);
    signal(SIGXFSZ, size_);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
  }
  int fd() const { return fd_; }
  bool Take() {
    signalfd_siginfo info;
    return read(fd_, &info, sizeof(info)) == sizeof(info);
  }

 private:
  int fd_ = -1;
  sigset_t before_;
  sighandler_t pipe_;
  sighandler_t size_;
};

class Campaign {
 public:
  Campaign(const SubjectTable& table, const CampaignOptions& options, std::vector<const Family*> families,
           std::vector<Pair> pairs, Store store)
      : table_(table),
        options_(options),
        families_(std::move(families)),
        pairs_(std::move(pairs)),
        store_(std::move(store)),
        out_(options.json ? stderr : stdout) {}

  int Run();

 private:
  absl::Status Begin();
  absl::Status Loop(Crew& crew, Signals& signals);
  json NextCommand();
  json NextChunk();
  void OnMessage(const json& command, json message);
  void OnDeath(const json& command, uint64_t number, bool hung, const std::string& how);
  void OnChunk(const json& command, ChunkRecord chunk);
  void CommitReady(size_t pair);
  void CommitRest();
  void OnFound(size_t pair, Finding finding);
  void OnShrunk(Finding finding);
  void OnText(const json& command, const std::string& text);
  void Drop(size_t pair, const std::string& error);
  void Save(Finding& finding);
  void ShowFinding(const Finding& finding);
  void ShowProgress(bool last);
  double elapsed() const { return before_ + std::chrono::duration<double>(Clock::now() - start_).count(); }
  bool TimeIsUp() const { return options_.seconds > 0 && elapsed() >= options_.seconds; }
  void Keep(const absl::Status& status) {
    if (error_.ok()) error_ = status;
  }
  std::string Arguments() const;
  void TellTheUntried();
  int Finish();

  const SubjectTable& table_;
  const CampaignOptions& options_;
  const std::vector<const Family*> families_;
  const std::vector<Pair> pairs_;
  Store store_;
  std::FILE* const out_;

  CampaignRecord record_;
  WorkerContext context_;
  std::map<std::string, Trophy> trophies_;
  std::vector<PairProgress> progress_;
  std::vector<bool> dropped_;
  std::deque<json> urgent_;           // shrink and text commands
  std::map<std::string, uint64_t> asked_;  // how often in this run a signature's shrinking was asked for
  std::set<std::string> shown_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_shown_ = Clock::now();
  double before_ = 0;                 // seconds of earlier runs of this campaign
  uint64_t cases_ = 0;
  uint64_t steps_ = 0;
  int deaths_in_a_row_ = 0;
  bool interrupted_ = false;
  absl::Status error_;
};

// What decides which cases are run.
std::string Campaign::Arguments() const {
  return absl::StrFormat("families=%s subjects=%s seconds=%g cases=%d seed=%s",
                         absl::StrJoin(options_.families, ","), absl::StrJoin(options_.subjects, ","),
                         options_.seconds, options_.cases,
                         options_.seed.has_value() ? std::to_string(*options_.seed) : "any");
}

absl::Status Campaign::Begin() {
  std::vector<std::string> unread;
  // Of all families, not only of those at work: a trophy of another is none of ours, and no mistake.
  trophies_ = ReadTrophies(options_.trophies, table_.families(), &unread);
  for (const std::string& line : unread) std::fprintf(stderr, "trophy left out: %s\n", Printable(line).c_str());
  std::random_device device;
  const uint64_t drawn = (uint64_t{device()} << 32 | device()) >> 1;
  auto record = store_.BeginOrResume(Arguments(), options_.seed.value_or(drawn));
  if (!record.ok()) return record.status();
  record_ = *std::move(record);
  before_ = record_.seconds;
  if (record_.state != "running") {
    std::fprintf(stderr, "going on with campaign %lld, which was %s after %.1f s\n",
                 static_cast<long long>(record_.id), record_.state.c_str(), record_.seconds);
  }
  std::fprintf(stderr, "seed %llu, %s, store %s\n", static_cast<unsigned long long>(record_.seed),
               Counted(pairs_.size(), "pair").c_str(), options_.store.c_str());
  std::vector<SkippedRecord> skipped;
  if (options_.subjects.empty()) {
    for (const SubjectRow* row : table_.Absent(families_)) {
      skipped.push_back({std::string(row->family->name()), row->name, row->absent});
    }
  }
  if (absl::Status status = store_.SetSkipped(record_.id, skipped); !status.ok()) return status;
  const auto done = store_.Pairs(record_.id);
  if (!done.ok()) return done.status();
  for (const Pair& pair : pairs_) {
    uint64_t next = 0;
    for (const PairRecord& each : *done) {
      if (each.key == KeyOf(pair)) next = each.next_case;
    }
    progress_.emplace_back(next, options_.cases);
    auto corpus = store_.Corpus(KeyOf(pair));
    if (!corpus.ok()) return corpus.status();
    context_.corpus[KeyOf(pair)] = *std::move(corpus);
  }
  dropped_.resize(pairs_.size());
  context_.table = &table_;
  context_.pairs = pairs_;
  context_.seed = record_.seed;
  return absl::OkStatus();
}

int Campaign::Run() {
  Signals signals;
  error_ = Begin();
  if (!error_.ok()) return Finish();
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  Crew crew(context_, std::clamp(options_.jobs > 0 ? options_.jobs : cores, 1, 256),
            {[this](const json& command, json message) { OnMessage(command, std::move(message)); },
             [this](const json& command, uint64_t number, bool hung, const std::string& how) {
               OnDeath(command, number, hung, how);
             }});
  Keep(Loop(crew, signals));
  if (!interrupted_) CommitRest();
  ShowProgress(true);
  return Finish();
}

absl::Status Campaign::Loop(Crew& crew, Signals& signals) {
  if (absl::Status status = crew.Start(); !status.ok()) return status;
  auto killed_at = Clock::time_point::max();
  while (error_.ok()) {
    if (!interrupted_) {
      if (absl::Status status = crew.Assign([this] { return NextCommand(); }); !status.ok()) return status;
    }
    if (crew.idle()) break;
    if (crew.Wait(200, signals.fd()) && signals.Take()) {
      if (interrupted_) crew.Kill();  // asked twice
      interrupted_ = true;
      crew.Stop();
      killed_at = Clock::now() + std::chrono::seconds(20);
    }
    if (Clock::now() > killed_at) crew.Kill();
    ShowProgress(false);
  }
  return absl::OkStatus();
}

json Campaign::NextCommand() {
  if (!urgent_.empty()) {
    json command = std::move(urgent_.front());
    urgent_.pop_front();
    // What was found last is still shrunk when the time is up, but many slow findings do not double it.
    const double until = options_.seconds + std::max(kShrinkGrace, options_.seconds / 10);
    if (options_.seconds > 0 && command["do"] == "shrink") command["seconds"] = std::max(0.0, until - elapsed());
    return command;
  }
  return TimeIsUp() ? json() : NextChunk();
}

// Round robin by the time that each pair had, so that slow subjects get their share.
json Campaign::NextChunk() {
  std::vector<size_t> order;
  for (size_t i = 0; i < pairs_.size(); ++i) {
    if (!dropped_[i]) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::pair(progress_[a].seconds(), progress_[a].dealt()) <
           std::pair(progress_[b].seconds(), progress_[b].dealt());
  });
  for (const size_t pair : order) {
    const auto range = progress_[pair].Deal();
    if (!range.has_value()) continue;
    double seconds = kChunkDeadline;
    if (options_.seconds > 0) seconds = std::clamp(options_.seconds - elapsed(), 0.01, seconds);
    return {{"do", "run"}, {"pair", pair}, {"first", range->first}, {"count", range->count}, {"seconds", seconds}};
  }
  return {};
}

void Campaign::OnMessage(const json& command, json message) {
  const std::string what = message["do"];
  if (message.contains("error")) return Drop(command["pair"], message["error"]);
  if (what == "found") return OnFound(message["pair"], FindingFromJson(message["finding"]));
  if (what == "run") return OnChunk(command, ChunkFromJson(message["chunk"]));
  if (what == "shrink") return OnShrunk(FindingFromJson(message["finding"]));
  if (what == "text") OnText(command, message["text"]);
}

void Campaign::OnChunk(const json& command, ChunkRecord chunk) {
  const size_t pair = command["pair"];
  deaths_in_a_row_ = 0;
  const uint64_t first = command["first"], count = command["count"];
  progress_[pair].Return({first + chunk.count, count - chunk.count});
  cases_ += chunk.count;
  steps_ += chunk.steps;
  auto& corpus = context_.corpus[chunk.key];  // for workers that replace dead ones
  if (corpus.size() < 2 * PoolOfCases::kMaxCases) {
    corpus.insert(corpus.end(), chunk.corpus.begin(), chunk.corpus.end());
  } else {
    chunk.corpus.clear();
  }
  progress_[pair].Done(std::move(chunk));
  CommitReady(pair);
}

void Campaign::CommitReady(size_t pair) {
  while (const auto chunk = progress_[pair].Next()) {
    Keep(store_.Commit(record_.id, *chunk));
    if (error_.ok()) Keep(store_.SetState(record_.id, "running", elapsed()));
  }
}

// At the end of a campaign there may be gaps where time ran out; what lies behind them counts too.
void Campaign::CommitRest() {
  for (PairProgress& progress : progress_) {
    for (const ChunkRecord& chunk : progress.TakeRest()) Keep(store_.Commit(record_.id, chunk));
  }
}

void Campaign::Save(Finding& finding) {
  NoteTrophy(trophies_, finding);
  std::string extension = ".txt";
  for (const Family* family : families_) {
    if (family->name() == finding.family) extension = std::string(family->extension());
  }
  Keep(store_.SaveFinding(finding, extension));
}

// A new signature is kept at once and shrunk as soon as a worker is free; a known one only if it was
// never shrunk or the new case is much smaller.
void Campaign::OnFound(size_t pair, Finding finding) {
  Keep(store_.NoteFinding(record_.id, KeyOf(pairs_[pair]), finding.signature));
  const auto stored = store_.FindFinding(finding.signature);
  if (!stored.ok()) return Keep(stored.status());
  const bool is_new = !stored->has_value();
  const bool smaller = !is_new && finding.steps * 2 < (*stored)->steps;
  uint64_t& asked = asked_[finding.signature];
  const bool again = !is_new && !(*stored)->steady && asked < kMostAsked;  // this one may
  if (!is_new && (*stored)->minimized && !smaller && !again) {
    Finding known = **stored;
    Save(known);  // whether it is a trophy may have changed
    return ShowFinding(known);
  }
  if (is_new || (smaller && !(*stored)->minimized)) Save(finding);
  if (asked++ == 0 || smaller || again) {
    urgent_.push_back({{"do", "shrink"}, {"pair", pair}, {"finding", ToJson(finding)}});
  }
}

void Campaign::OnShrunk(Finding finding) {
  const auto stored = store_.FindFinding(finding.signature);
  if (!stored.ok()) return Keep(stored.status());
  // What fails each time is not given up for what is smaller and does not.
  const bool good = stored->has_value() && (*stored)->minimized && (*stored)->steady;
  if (good && (!finding.steady || (*stored)->steps < finding.steps)) return;
  Save(finding);
  const auto saved = store_.FindFinding(finding.signature);
  if (saved.ok() && saved->has_value()) ShowFinding(**saved);
}

// The worker itself died: the subject runs in it and took it along, or the harness is at fault.
void Campaign::OnDeath(const json& command, uint64_t number, bool hung, const std::string& how) {
  const size_t pair = command["pair"];
  if (++deaths_in_a_row_ > kDeathsInARow) {
    return Keep(absl::InternalError(absl::StrCat("workers die one after the other, the last with ", how)));
  }
  std::fprintf(stderr, "a worker died with %s in %s\n", how.c_str(), pairs_[pair].Spec().c_str());
  if (command["do"] == "shrink") {
    Finding finding = FindingFromJson(command["finding"]);
    finding.minimized = true;
    finding.reason += " (shrinking it killed the worker)";
    return OnShrunk(finding);
  }
  if (command["do"] != "run") return;
  const uint64_t first = command["first"], count = command["count"];
  if (number < first || number >= first + count) number = first;  // before its first case
  Finding finding;
  finding.family = std::string(pairs_[pair].family().name());
  finding.oracle = "harness_survives";
  finding.subject = pairs_[pair].row->name;
  finding.detail = hung ? "hung" : "died";
  finding.signature = SignatureOf(finding);
  finding.variant = pairs_[pair].variant;
  finding.reason = absl::StrFormat("the process ended with %s in case %d of seed %d", how, number, record_.seed);
  finding.minimized = true;  // shrinking would kill the shrinker
  progress_[pair].Return({first, number - first});
  progress_[pair].Return({number + 1, first + count - number - 1});
  ChunkRecord chunk;
  chunk.key = KeyOf(pairs_[pair]);
  chunk.first = number;
  chunk.count = chunk.found = chunk.deaths = 1;
  chunk.findings[finding.signature] = 1;
  const auto stored = store_.FindFinding(finding.signature);
  if (stored.ok() && !stored->has_value()) {
    finding.case_text = CaseText(pairs_[pair].family(), pairs_[pair].Spec(), finding.signature, "");
    Save(finding);
    urgent_.push_back({{"do", "text"}, {"pair", pair}, {"number", number}, {"finding", ToJson(finding)}});
  }
  progress_[pair].Done(std::move(chunk));
  CommitReady(pair);
}

void Campaign::OnText(const json& command, const std::string& text) {
  Finding finding = FindingFromJson(command["finding"]);
  const Pair& pair = pairs_[command["pair"].get<size_t>()];
  finding.case_text = CaseText(pair.family(), pair.Spec(), finding.signature, text);
  OnShrunk(std::move(finding));
}

void Campaign::Drop(size_t pair, const std::string& error) {
  if (dropped_[pair]) return;
  dropped_[pair] = true;
  std::fprintf(stderr, "%s: left out: %s\n", pairs_[pair].Spec().c_str(), Printable(error).c_str());
  Keep(store_.AddSkipped(record_.id, {{std::string(pairs_[pair].family().name()), pairs_[pair].Spec(), error}}));
  if (std::all_of(dropped_.begin(), dropped_.end(), [](bool each) { return each; })) {
    Keep(absl::InternalError("no subject could be started"));
  }
}

void Campaign::ShowFinding(const Finding& finding) {
  if (!shown_.insert(finding.signature).second) return;
  std::string where;
  if (finding.known) where = absl::StrCat("  known: ", finding.owner, "; ", finding.upstream, "\n");
  const auto pair = std::find_if(pairs_.begin(), pairs_.end(), [&](const Pair& p) {
    return p.row->name == finding.subject && p.variant == finding.variant;
  });
  const std::string subject = pair == pairs_.end() ? "" : pair->Spec();
  std::fprintf(
      out_, "%s\n%s%s\n", VerdictLine(finding.signature, ReasonOf(finding)).c_str(), where.c_str(),
      NextCommands(options_.program, absl::StrCat(options_.store, "/", finding.file), subject).c_str());
  std::fflush(out_);
}

void Campaign::ShowProgress(bool last) {
  const bool terminal = isatty(STDERR_FILENO) == 1;
  const auto now = Clock::now();
  const double since = std::chrono::duration<double>(now - last_shown_).count();
  if (!last && since < (terminal ? 0.5 : 10)) return;
  if (last && !terminal) return;
  last_shown_ = now;
  const double here = elapsed() - before_;
  std::fprintf(stderr, "%s%.0f s  %s  %s steps/s  %s%s", terminal ? "\r\x1b[K" : "", elapsed(),
               Counted(cases_, "case").c_str(), Short(here > 0 ? static_cast<double>(steps_) / here : 0).c_str(),
               Counted(shown_.size(), "finding").c_str(), terminal && !last ? "" : "\n");
  std::fflush(stderr);
}

// A pair without a case was not tested.
void Campaign::TellTheUntried() {
  const auto records = store_.Pairs(record_.id);
  if (!records.ok()) return Keep(records.status());
  std::set<PairKey> tried;
  for (const PairRecord& record : *records) {
    if (record.cases > 0) tried.insert(record.key);
  }
  std::vector<SkippedRecord> untried;
  for (size_t i = 0; i < pairs_.size(); ++i) {
    if (dropped_[i] || tried.contains(KeyOf(pairs_[i]))) continue;
    untried.push_back({std::string(pairs_[i].family().name()), pairs_[i].Spec(), "no time was left for it"});
  }
  Keep(store_.AddSkipped(record_.id, untried));
}

int Campaign::Finish() {
  if (record_.id != 0) {
    const bool finished = error_.ok() && !interrupted_;
    if (finished) TellTheUntried();
    Keep(store_.SetState(record_.id, finished ? "finished" : "interrupted", elapsed()));
  }
  if (!error_.ok()) {
    std::fprintf(stderr, "%s\n", ErrorLine(error_).c_str());
    return ExitCodeOf(error_);
  }
  const auto report = ReportJson(store_, families_, record_.id);
  if (!report.ok()) {
    std::fprintf(stderr, "%s\n", ErrorLine(report.status()).c_str());
    return ExitCodeOf(report.status());
  }
  const std::string text = ReportText(*report, {options_.program, options_.reach, true});
  std::fputs(options_.json ? DumpJson(*report).c_str() : text.c_str(), stdout);
  std::fflush(stdout);
  if (interrupted_) {
    std::fprintf(stderr, "interrupted; the same command goes on\n");
    return kInterrupted;
  }
  const char* counted = options_.new_only ? "new_findings" : "findings";
  return (*report)["totals"][counted] == 0 ? kNothingFound : kFindings;
}

}  // namespace

int RunCampaign(const SubjectTable& table, const CampaignOptions& options) {
  const auto refuse = [](const absl::Status& status) {
    std::fprintf(stderr, "%s\n", ErrorLine(status).c_str());
    return ExitCodeOf(status);
  };
  std::vector<const Family*> families;
  for (const Family* family : table.families()) {
    const auto& names = options.families;
    if (names.empty() || std::find(names.begin(), names.end(), family->name()) != names.end()) {
      families.push_back(family);
    }
  }
  if (families.empty()) return refuse(absl::NotFoundError("no such family; oomph list families shows all"));
  auto pairs = table.Select(options.subjects, families);
  if (!pairs.ok()) return refuse(pairs.status());
  if (!options.reference.empty()) {
    const absl::Status compared = table.CompareWith(options.reference, *pairs);
    if (!compared.ok()) return refuse(compared);
  }
  signal(SIGXFSZ, SIG_IGN);  // a full disk is an error, not a death
  auto store = Store::OpenForWriting(options.store);
  if (!store.ok()) return refuse(store.status());
  return Campaign(table, options, std::move(families), *std::move(pairs), *std::move(store)).Run();
}

}  // namespace oomph
