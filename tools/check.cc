// oomph check: runs saved cases and prints their verdicts. Not for: looking for more (oomph fuzz).
#include <cstdio>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "fuzz/exit_code.h"
#include "fuzz/judge.h"
#include "fuzz/report/report.h"
#include "fuzz/report/show.h"
#include "models/base/limit.h"
#include "models/base/units.h"
#include "tools/verb.h"

namespace oomph {
namespace {

struct Options {
  std::vector<std::string> files;
  std::vector<std::string> subjects;
  CaseOptions instead;
  std::string program;
  std::string as = "case", store;
  bool json = false, outcome = false;
};

int CheckAsInputs(const Options& options) {
  if (options.json || options.outcome || options.subjects.size() > 1 || options.instead.capacity ||
      options.instead.limit) {
    return Fail(absl::InvalidArgumentError(
        "--as tape and text: expected at most one --subject, no --json, --outcome, --capacity and --limit"));
  }
  CheckInputsOptions inputs{.paths = options.files, .text = options.as == "text", .family = options.instead.family,
                            .store = options.store, .program = options.program};
  if (!options.subjects.empty()) inputs.subject = options.subjects.front();
  return CheckInputs(inputs);
}

std::string_view KindName(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::kAgree:
      return "agree";
    case VerdictKind::kFinding:
      return "finding";
    case VerdictKind::kIncomparable:
      return "incomparable";
  }
  return "";
}

// What the case needs besides its file to be judged as it was.
std::string Needed(const CaseFile& file, const Pair& pair, const Options& options) {
  std::vector<std::string> words;
  const auto alone = SubjectsFor(file, {});
  if (!alone.ok() || alone->front().Spec() != pair.Spec()) words.push_back("--subject " + Printable(ShellWord(pair.Spec())));
  if (!options.instead.family.empty()) words.push_back("--family " + ShellWord(options.instead.family));
  if (options.instead.capacity) words.push_back(absl::StrCat("--capacity ", *options.instead.capacity));
  if (options.instead.limit) words.push_back("--limit " + LimitWord(*options.instead.limit));
  return absl::StrJoin(words, " ");
}

void Show(const CaseFile& file, const Pair& pair, const Verdict& verdict, const std::string& remark, const Options& options) {
  if (verdict.found()) {
    std::printf("%s: %s: finding\n%s\n%s\n", Printable(file.path).c_str(), Printable(pair.Spec()).c_str(),
                VerdictLine(verdict.signature, verdict.text).c_str(),
                NextCommands(options.program, file.path, "", "minimize", Needed(file, pair, options)).c_str());
    return;
  }
  const std::string because = verdict.text.empty() ? "" : ", " + Printable(verdict.text);
  // What nobody complains of is told by what is worth a word of it, if anything is.
  const bool told = verdict.kind == VerdictKind::kAgree && !remark.empty();
  std::printf("%s: %s: %s%s\n", Printable(file.path).c_str(), pair.Spec().c_str(),
              told ? Printable(remark).c_str() : std::string(KindName(verdict.kind)).c_str(), because.c_str());
}

class Checker {
 public:
  explicit Checker(const Options& options) : options_(options) {}

  void Check(const std::string& path) {
    const auto file = ReadCase(path, options_.instead);
    if (!file.ok()) return Refuse(file.status());
    const auto pairs = SubjectsFor(*file, options_.subjects);
    if (!pairs.ok()) return Refuse(pairs.status());
    bool met = false;
    for (const Pair& pair : *pairs) met = CheckOn(*file, pair) || met;
    if (!options_.subjects.empty() || file->expect.empty() || options_.json) return;
    std::printf("%s: expected %s: %s\n", Printable(path).c_str(), Printable(file->expect).c_str(),
                met ? "met" : "NOT MET");
  }

  int Finish() const {
    if (options_.json) std::fputs(DumpJson(results_).c_str(), stdout);
    return failure_ != kNothingFound ? failure_ : found_ ? kFindings : kNothingFound;
  }

 private:
  void Refuse(const absl::Status& status) { failure_ = Fail(status); }

  // Whether the file's expectation is met.
  bool CheckOn(const CaseFile& file, const Pair& pair) {
    const auto loaded = SubjectTable::All().Load(pair);
    if (!loaded.ok()) return Refuse(loaded.status()), false;
    const auto value = file.family->Clone(*file.value);
    loaded->subject->Prepare(*value);
    Judge judge(*file.family, *loaded->subject, ReferenceFor(*loaded, *file.family, *value));
    judge.SetLimit(file.limit);
    const Verdict verdict = judge.Run(*value);
    found_ = found_ || verdict.found();
    const std::string outcome(verdict.found() ? verdict.signature : KindName(verdict.kind));
    const std::string remark = judge.ran() ? file.family->Remark(*value, judge.outcome()) : "";
    if (!options_.json) Show(file, pair, verdict, remark, options_);
    std::string did;
    if (judge.ran() && options_.outcome) did = file.family->PrintOutcome(*value, judge.outcome());
    if (judge.ran() && !options_.outcome && !options_.json && !options_.subjects.empty() && options_.files.size() == 1) {
      did = file.family->Figures(*value, judge.outcome());
    }
    if (!options_.json) std::fputs(did.c_str(), stdout);
    results_.push_back({{"file", file.path}, {"family", file.family->name()}, {"subject", pair.row->name},
                        {"variant", pair.variant}, {"version", loaded->subject->info().version},
                        {"verdict", KindName(verdict.kind)}, {"signature", verdict.signature},
                        {"step", verdict.step}, {"text", verdict.text}, {"remark", remark}, {"expect", file.expect},
                        {"met", file.expect.empty() || file.expect == outcome}});
    if (options_.outcome) results_.back()["outcome"] = did;
    return file.expect == outcome;
  }

  const Options& options_;
  nlohmann::json results_ = nlohmann::json::array();
  int failure_ = kNothingFound;
  bool found_ = false;
};

}  // namespace

Verb CheckVerb(CLI::App& root, const std::string& program) {
  auto options = std::make_shared<Options>();
  options->program = program;
  CLI::App* app = root.add_subcommand("check", "Judge saved cases and print the verdicts.");
  app->add_option("files", options->files, "Case files")->required();
  app->add_option("--subject", options->subjects, "Instead of what the file says, NAME[:VARIANT]; again for more")
      ->allow_extra_args(false);
  AddCaseOptions(*app, options->instead);
  AddLimitOption(*app, options->instead);
  auto* as = app->add_option("--as", options->as,
                             "What the files are: case; or what fuzz targets crash on: tape (X_fuzz), text (X_text_fuzz)")
                 ->check(CLI::IsMember({"case", "tape", "text"}))
                 ->capture_default_str();
  app->add_option("--store", options->store, "With --as tape or text: shrink what is found and keep it in this folder")
      ->needs(as);
  app->add_flag("--json", options->json, "Verdicts as JSON");
  app->add_flag("--outcome", options->outcome, "After each verdict what the subject did; in JSON \"outcome\"");
  return {app, [options] {
            if (options->as != "case") return CheckAsInputs(*options);
            Checker checker(*options);
            for (const std::string& file : options->files) checker.Check(file);
            return checker.Finish();
          }};
}

}  // namespace oomph
