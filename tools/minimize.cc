// oomph minimize: shrinks a case that shows a fault, in a subject or under a command of the user.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "fuzz/exit_code.h"
#include "fuzz/judge.h"
#include "fuzz/minimize/by_command.h"
#include "fuzz/minimize/by_subject.h"
#include "fuzz/minimize/journal.h"
#include "fuzz/minimize/minimize.h"
#include "fuzz/minimize/text_source.h"
#include "fuzz/report/show.h"
#include "fuzz/store/files.h"
#include "models/base/limit.h"
#include "models/base/scanner.h"
#include "tools/interrupts.h"
#include "tools/minimize_told.h"
#include "tools/verb.h"

namespace oomph {
namespace {

struct Options {
  std::string file, subject, test, expect, out, steps, program, again;
  size_t jobs = 1;
  double timeout = 0;
  uint64_t memory_bytes = 0;
  bool restart = false, json = false;
  CaseOptions instead;
  MinimizeOptions minimize;
};

// x.trace -> x.min.trace; and "x.min" of it with another ending.
std::string DefaultOut(const std::string& file) {
  if (file == "-") return "-";
  const std::filesystem::path path(file);
  return (path.parent_path() / (path.stem().string() + ".min" + path.extension().string())).string();
}
std::string OthersBeside(const std::string& out) {
  if (out == "-") return "case.other";
  const std::filesystem::path path(out);
  return (path.parent_path() / (path.stem().string() + ".other")).string();
}

bool IsNoPlainFile(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error);
}

// One reduction: its case, its journal, and what is told at its end.
class Reducer {
 public:
  // `subject` is whom the file says it is for, `expect` the line of it.
  Reducer(const Options& options, const CaseFile& file, std::string subject)
      : options_(options), file_(file), family_(*file.family), subject_(std::move(subject)), progress_(family_.counted()) {
    summary_.counted = family_.counted();
    summary_.file = file.path;
    summary_.out = options.out;
    summary_.subject = subject_;
    summary_.test = options.test;
    summary_.size_before = family_.Size(*file.value);
  }

  absl::Status OpenJournal(const std::string& test, const std::string& expect, const std::string& expect_line) {
    expect_line_ = expect_line;
    JournalOptions journal;
    journal.out = options_.out == "-" ? "" : options_.out;
    journal.keep = options_.file != "-" && !IsNoPlainFile(options_.out);
    journal.restart = options_.restart;
    journal.steps = options_.steps;
    journal.extension = std::string(family_.extension());
    journal.text = [this](const Case& c) { return Text(c); };
    resumable_ = !journal.out.empty() && journal.keep;
    const JournalKey key{std::string(family_.name()), test, expect, FingerprintOfText(family_.Print(*file_.value))};
    auto opened = FileJournal::Open(family_, key, journal);
    if (!opened.ok()) return opened.status();
    journal_ = *std::move(opened);
    return absl::OkStatus();
  }
  FileJournal& journal() { return *journal_; }
  MinimizeSummary& summary() { return summary_; }

  // `prepare` may be empty, see MinimizeOptions.
  Minimized Run(CaseTest& test, const std::string& expected, const std::function<void(Case&)>& prepare) {
    summary_.expected = expected;
    summary_.known = journal_->known();
    if (summary_.known > 0) {
      std::fprintf(stderr, "%s: going on with %s of an earlier run\n", Printable(file_.path).c_str(),
                   Counted(summary_.known, "answer").c_str());
    }
    MinimizeOptions minimize = options_.minimize;
    minimize.journal = journal_.get();
    minimize.prepare = prepare;
    minimize.progress = [this](const MinimizeStep& step) {
      progress_.Tell(step);
      journal_->Poll();
    };
    Minimized result = Minimize(family_, *file_.value, "", test, minimize);
    progress_.Clear();
    return result;
  }

  // Writes and tells; an exit code. `no_fault` is the error if the case did not show it at all.
  int Finish(const Minimized& result, const std::string& no_fault) {
    summary_.interrupted = !result.finished && Interrupts::Pending();
    if (!result.reproduced && !summary_.interrupted) {
      journal_->Remove();
      return Fail(absl::InvalidArgumentError(file_.path + ": " + no_fault));
    }
    if (result.flaky && result.rate == 0) {
      journal_->Remove();
      return Fail(absl::FailedPreconditionError(file_.path + ": does not fail each time, and did not once more in 20 tries; "
                                                             "nothing can be shrunk safely"));
    }
    journal_->Flush();
    // What ended before it was where an earlier run had been has nothing better.
    const bool keep = !result.finished && !journal_->caught_up() && std::filesystem::exists(options_.out);
    const int code = keep ? kNothingFound : WriteOut(options_.out, Text(*result.smallest));
    if (code != kNothingFound) return code;
    if (!journal_->status().ok()) return Fail(journal_->status());
    if (result.finished) journal_->Remove();
    Tell(result);
    return summary_.interrupted ? kInterrupted : kNothingFound;
  }

 private:
  std::string Text(const Case& c) const {
    return CaseText(family_, subject_, expect_line_, family_.Print(c), file_.limit);
  }

  void Tell(const Minimized& result) {
    summary_.result = &result;
    summary_.size = family_.Size(*result.smallest);
    summary_.unchanged = family_.Print(*result.smallest) == family_.Print(*file_.value);
    if (resumable_) summary_.again = options_.again;
    const bool in_table = FamilyByName(std::string(family_.name())).ok(), has_next = options_.out != "-" && (in_table || !options_.test.empty());
    std::string next = in_table ? NextCommands(options_.program, options_.out, subject_, "explain") : "";
    if (!options_.test.empty()) {
      const std::string again = absl::StrReplaceAll(options_.test, {{"{}", ShellWord(options_.out)}});
      next = absl::StrCat("  ", Printable(again), next.empty() ? "" : "\n", next);
    }
    if (has_next) {
      for (const auto line : absl::StrSplit(next, '\n')) summary_.next.emplace_back(absl::StripAsciiWhitespace(line));
    }
    if (options_.json && options_.out != "-") {
      std::fputs(SummaryJson(summary_).c_str(), stdout);
      return;
    }
    std::fputs(SummaryText(summary_).c_str(), stderr);
    if (has_next) std::printf("%s\n", next.c_str());
  }

  const Options& options_;
  const CaseFile& file_;
  const Family& family_;
  const std::string subject_;
  std::string expect_line_;
  bool resumable_ = false;
  std::unique_ptr<FileJournal> journal_;
  MinimizeProgress progress_;
  MinimizeSummary summary_;
};

int FailUnlessInterrupted(const absl::Status& status) {
  const int code = Fail(status);
  return Interrupts::Pending() ? kInterrupted : code;
}

// A case of a family, or else, unless one was asked for, lines of text.
absl::StatusOr<CaseFile> ReadCaseOrText(const Options& options, const TextFamily& lines) {
  const auto family = FamilyByName(options.instead.family);
  if (!family.ok()) return family.status();
  auto text = ReadTextFile(options.file);
  if (!text.ok()) return text.status();
  const std::string path = options.file == "-" ? "<stdin>" : options.file;
  auto file = ParseCaseFile(path, *text, *family);
  if (!file.ok() && *family == nullptr) {
    const std::string why(file.status().message());
    std::fprintf(stderr, "%s: no family reads it, so it is taken for lines of text: %s\n", Printable(path).c_str(),
                 Printable(why.substr(0, why.find('\n'))).c_str());
    CaseFile plain;  // nothing in it is a directive
    plain.path = path;
    plain.family = &lines;
    plain.value = lines.NewCase();
    if (absl::Status status = lines.Parse(path, *text, *plain.value); !status.ok()) return status;
    file = std::move(plain);
  }
  if (!file.ok()) return file.status();
  if (absl::Status status = Override(*file, options.instead); !status.ok()) return status;
  return file;
}

int ByCommand(const Options& options) {
  const TextFamily lines(options.file == "-" ? "" : std::filesystem::path(options.file).extension().string());
  const auto file = ReadCaseOrText(options, lines);
  if (!file.ok()) return Fail(file.status());
  CommandTestOptions command;
  command.command = options.test;
  command.expect = options.expect;
  command.jobs = options.jobs;
  command.timeout = options.timeout;
  command.memory_bytes = options.memory_bytes;
  command.stop = Interrupts::Pending;
  command.others = OthersBeside(options.out);
  command.text = [&file](const Case& c) {
    return CaseText(*file->family, file->subject, file->expect, file->family->Print(c), file->limit);
  };
  auto test = CommandTest::Make(*file->family, command);
  if (!test.ok()) return Fail(test.status());

  Reducer reducer(options, *file, file->subject);
  absl::Status status = reducer.OpenJournal("command: " + options.test, options.expect, file->expect);
  if (!status.ok()) return Fail(status);
  const bool goes_on = !reducer.journal().fixed().empty();
  status = goes_on ? (*test)->GoOnWith(reducer.journal().fixed()) : (*test)->First(*file->value);
  if (!status.ok()) {
    if (!goes_on) reducer.journal().Remove();
    return FailUnlessInterrupted(absl::Status(status.code(), absl::StrCat(file->path, ": ", std::string(status.message()))));
  }
  status = reducer.journal().Begin((*test)->Fixed());
  if (!status.ok()) return Fail(status);
  const Expectation& expectation = (*test)->expectation();
  if (expectation.status() != 0 || !expectation.identity().empty()) {
    std::fprintf(stderr, "%s: looking for %s\n", Printable(file->path).c_str(), expectation.Words().c_str());
  }
  const Minimized result = reducer.Run(**test, expectation.Words(), nullptr);
  reducer.summary().timed_out = (*test)->timed_out();
  reducer.summary().crashed = (*test)->crashed();
  reducer.summary().others = (*test)->others_found();
  reducer.summary().other_files = (*test)->others();
  return reducer.Finish(result, "the test did not say of it again what it said first; nothing to minimize");
}

// What the first run on this case shows, and how long it took.
struct FirstVerdict {
  Verdict verdict;
  double seconds = 0;
};

absl::StatusOr<FirstVerdict> Expected(const Options& options, const OneCase& one, Judge& judge) {
  const auto start = std::chrono::steady_clock::now();
  FirstVerdict first{judge.Run(*one.file.value), 0};
  first.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (!first.verdict.found()) {
    const Family& family = judge.family();
    const std::string remark = judge.ran() ? family.Remark(*one.file.value, judge.outcome()) : first.verdict.text;
    std::string text = absl::StrCat(one.file.path, ": shows no fault in ", one.pair.Spec(), remark.empty() ? "" : " (" + remark + ")");
    if (one.file.limit) absl::StrAppend(&text, ", and nothing of it is over the limit, ", LimitWord(*one.file.limit));
    absl::StrAppend(&text, "; another subject: --subject; a program of yours: --test 'PROGRAM {}'");
    if (family.CountsMemory() && !one.file.limit) absl::StrAppend(&text, "; out of memory: --limit BYTES, or --limit own if it is refused for that");
    return absl::InvalidArgumentError(text);
  }
  if (!options.expect.empty() && first.verdict.signature != options.expect) {
    return absl::InvalidArgumentError(
        absl::StrCat(one.file.path, ": shows ", first.verdict.signature, ", not ", options.expect));
  }
  return first;
}

SubjectTestOptions InProcesses(const Options& options, const OneCase& one, const FirstVerdict& first) {
  SubjectTestOptions test;
  test.signature = first.verdict.signature;
  test.jobs = options.jobs;
  test.timeout = options.timeout > 0 ? options.timeout : std::max(CommandTest::kLeastTimeout, 10 * first.seconds);
  if (options.memory_bytes > 0) test.memory_bytes = options.memory_bytes;
  test.stop = Interrupts::Pending;
  test.instruct = [&one](Judge& judge) { judge.SetLimit(one.file.limit); };
  test.load = [&one] { return SubjectTable::All().Load(one.pair); };
  return test;
}

int BySubject(const Options& options) {
  auto one = ReadOneCase(options.file, options.instead, options.subject);
  if (!one.ok()) return Fail(one.status());
  const Family& family = *one->file.family;
  Judge judge(family, *one->loaded.subject, one->loaded.reference.get());
  judge.SetLimit(one->file.limit);
  const auto first = Expected(options, *one, judge);
  if (!first.ok()) return Fail(first.status());
  const std::string& signature = first->verdict.signature;

  Reducer reducer(options, one->file, one->pair.Spec());
  const std::string limit = one->file.limit ? absl::StrCat(" limit ", LimitWord(*one->file.limit)) : "";
  absl::Status status = reducer.OpenJournal("subject: " + one->pair.Spec() + limit, signature, signature);
  if (status.ok()) status = reducer.journal().Begin("subject");
  if (!status.ok()) return Fail(status);
  Minimized result;
  const auto prepare = [&](Case& c) { one->loaded.subject->Prepare(c); };
  if (options.jobs > 1) {
    SubjectTest test(family, InProcesses(options, *one, *first));
    result = reducer.Run(test, signature, prepare);
    reducer.summary().timed_out = test.timed_out();
    reducer.summary().crashed = test.crashed();
    if (!test.status().ok()) return Fail(test.status());
  } else {
    FunctionTest test(SameSignature(judge, signature), [&] { one->loaded.subject->StartAfresh(); });
    result = reducer.Run(test, signature, prepare);
  }
  if (result.reproduced) {
    // Its own numbers, not those of the case that it was made of. Standard output may be for the case itself.
    const Verdict last = judge.Run(*result.smallest);
    const Verdict& told = last.signature == signature ? last : first->verdict;
    std::fprintf(options.out == "-" || options.json ? stderr : stdout, "%s\n", VerdictLine(told.signature, told.text).c_str());
    std::fflush(stdout);
  }
  return reducer.Finish(result, "did not show it again; nothing to minimize");
}

// What to type to run the verb once more; a reduction is begun anew only once.
std::string Again(const CLI::App& app, const std::string& program) {
  std::vector<std::string> words = {ShellWord(program), app.get_name()};
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() == 0 || option->get_name() == "--restart") continue;
    if (!option->get_positional()) words.push_back(option->get_name());
    if (option->get_expected_max() == 0) continue;
    for (const std::string& value : option->results()) words.push_back(ShellWord(value));
  }
  return absl::StrJoin(words, " ");
}

void TakeMemory(const std::string& text, Options& options) {
  const ScannedNumber number = ScanNumber(text);
  const bool whole = number.length != 0 && number.length == text.size() && !number.too_large && number.value > 0;
  if (!whole) throw CLI::ValidationError("--memory", "expected bytes, or 4GiB, found " + text);
  options.memory_bytes = number.value;
}

void AddOptions(CLI::App& app, const std::shared_ptr<Options>& options) {
  app.add_option("file", options->file, "The case")->required();
  auto* subject = app.add_option("--subject", options->subject, "Instead of what the file says, NAME[:VARIANT]");
  app.add_option("--test", options->test, "Command that is asked of each case, {} being its file; it ends as for the first one if the fault is still there")
      ->excludes(subject);
  app.add_option("--expect", options->expect,
                 "What the command must print, a word or a regular expression, in place of its exit status; or the signature that the "
                 "subject must show; default: as the first run");
  app.add_option("-o", options->out, "Where to, another file or - for standard output; default: FILE.min.EXT");
  AddCaseOptions(app, options->instead);
  AddLimitOption(app, options->instead);
  app.add_option("--jobs", options->jobs, "Tests side by side")->check(CLI::Range(1, 256))->capture_default_str();
  app.add_option("--tests", options->minimize.tests, "At most so many in this run; default: until it is minimal")->check(CLI::PositiveNumber);
  app.add_option("--seconds", options->minimize.seconds, "At most so long in this run; default: until it is minimal")->check(Positive);
  app.add_option("--timeout", options->timeout, "Seconds of one test; default: ten times the first, at least 5")->check(Positive);
  app.add_option_function<std::string>("--memory", [options](const std::string& text) { TakeMemory(text, *options); },
                                       "Bytes that a process of a test may take, or 4GiB; default: no limit");
  app.add_option("--steps", options->steps, "Folder for each smaller case: 0001.EXT, ...");
  app.add_flag("--restart", options->restart, "Begin anew where an earlier run could go on");
  app.add_flag("--json", options->json, "Print the result as JSON");
}

}  // namespace

Verb MinimizeVerb(CLI::App& root, const std::string& program) {
  auto options = std::make_shared<Options>();
  options->program = program;
  options->minimize.tests = std::numeric_limits<size_t>::max();
  options->minimize.seconds = std::numeric_limits<double>::infinity();
  CLI::App* app = root.add_subcommand("minimize", "Shrink a case to a smallest one that still shows the same fault.");
  AddOptions(*app, options);
  return {app, [app, options] {
            if (options->out.empty()) options->out = DefaultOut(options->file);
            const absl::Status status = NotTheInput(options->out, options->file);
            if (!status.ok()) return Fail(status);
            options->again = Again(*app, options->program);
            const Interrupts interrupts;
            options->minimize.stop = Interrupts::Pending;
            return options->test.empty() ? BySubject(*options) : ByCommand(*options);
          }};
}

}  // namespace oomph
