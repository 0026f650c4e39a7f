// oomph compare: what a change did to an allocator. Not for: looking for faults in one subject (oomph fuzz).
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "fuzz/compare/compare.h"
#include "fuzz/compare/show.h"
#include "fuzz/exit_code.h"
#include "fuzz/report/report.h"
#include "fuzz/report/show.h"
#include "fuzz/store/files.h"
#include "tools/interrupts.h"
#include "tools/verb.h"

namespace oomph {
namespace {

constexpr std::string_view kSpeed = "speed", kPromises = "promises";

struct Options {
  std::string base, head, base_name, head_name, markdown, out, fail_on;
  std::vector<std::string> cases;
  CaseOptions instead;
  CompareOptions compare;
  bool json = false;
};

// A metric and by how much head may be worse, as a part of base.
struct Limit {
  std::string metric;
  double part = 0;
};

// "peak,failed=2.5": NAME or NAME=PERCENT.
absl::StatusOr<std::vector<Limit>> ReadLimits(const std::string& text, const std::vector<PairOfPairs>& pairs,
                                             size_t speed_rounds) {
  std::vector<Limit> limits;
  for (const absl::string_view word : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    const std::vector<std::string> parts = absl::StrSplit(word, absl::MaxSplits('=', 1));
    double percent = 0;
    if (parts.size() == 2 && (!absl::SimpleAtod(parts[1], &percent) || !(percent >= 0 && percent <= 1e6))) {
      return absl::InvalidArgumentError(absl::StrCat("--fail-on ", word, ": expected a percentage after ="));
    }
    bool known = parts[0] == kSpeed || parts[0] == kPromises;
    std::string names = absl::StrCat(std::string(kPromises), ", ", std::string(kSpeed));
    for (const PairOfPairs& pair : pairs) {
      for (const MetricInfo& metric : pair.base.family().metrics()) {
        known = known || metric.name == parts[0];
        if (&pair == &pairs.front()) absl::StrAppend(&names, ", ", std::string(metric.name));
      }
    }
    if (!known) return absl::InvalidArgumentError(absl::StrCat("--fail-on ", word, ": no such metric; there are ", names));
    if (parts[0] == kSpeed && speed_rounds == 0) {
      return absl::InvalidArgumentError(absl::StrCat("--fail-on ", word, ": --speed-rounds 0 measures no speed"));
    }
    limits.push_back({parts[0], percent / 100});
  }
  return limits;
}

// What a limit says of a comparison; empty: it is kept.
std::string Exceeded(const Limit& limit, const Comparison& comparison) {
  const auto text = [&](double by) { return absl::StrCat(limit.metric, " is worse by more than ", 100 * limit.part, " % (", std::isinf(by) ? "from 0" : absl::StrCat(100 * by, " %"), ")"); };
  if (limit.metric == kPromises) {
    const auto& dropped = comparison.promises_dropped;
    return dropped.empty() ? "" : absl::StrCat("no longer promised: ", absl::StrJoin(dropped, ", "));
  }
  if (limit.metric == kSpeed) {
    const SpeedChange& speed = comparison.speed;
    return speed.trend == Trend::kWorse && speed.low > limit.part ? text(speed.change) : "";
  }
  for (const MetricChange& metric : comparison.metrics) {
    if (metric.name != limit.metric || metric.trend == Trend::kSame) continue;
    if (metric.Worsening() > limit.part) return text(metric.Worsening());
  }
  return "";
}

bool LooksLikeACase(const std::string& path) {
  const auto families = SubjectTable::All().families();
  return std::any_of(families.begin(), families.end(),
                     [&](const Family* family) { return std::string_view(path).ends_with(family->extension()); });
}

// Files as given, and all case files of the folders, in order of their names.
absl::StatusOr<std::vector<CaseFile>> ReadCases(const std::vector<std::string>& paths, const CaseOptions& instead) {
  std::vector<CaseFile> files;
  for (const std::string& path : paths) {
    std::error_code error;
    std::vector<std::string> found;
    const bool folder = std::filesystem::is_directory(path, error);
    if (!folder) found.push_back(path);
    if (folder) {
      for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
        if (entry.is_regular_file(error)) found.push_back(entry.path().string());
      }
      std::sort(found.begin(), found.end());
    }
    for (const std::string& each : found) {
      auto file = ReadCase(each, instead);
      if (file.ok()) files.push_back(*std::move(file));
      // A folder may hold other things, but not broken cases.
      else if (!folder || LooksLikeACase(each)) return file.status();
    }
    if (folder && error) return absl::NotFoundError(path + ": " + error.message());
  }
  return files;
}

// Each example in a file of its own, for `oomph check` and `oomph draw`.
int WriteExamples(const Options& options, const std::vector<Comparison>& comparisons) {
  size_t number = 0;
  for (const Comparison& c : comparisons) {
    std::vector<std::pair<std::string, const Example*>> examples;
    for (const SignatureChange& s : c.signatures) examples.emplace_back(absl::StrCat(SignatureHash(s.signature)), &s.example);
    for (const MetricChange& m : c.metrics) examples.emplace_back(m.name, &m.example);
    examples.emplace_back("answers", &c.answers);
    for (const auto& [name, example] : examples) {
      if (example->case_text.empty()) continue;
      const std::string prefix = comparisons.size() > 1 ? absl::StrCat(number, "-") : "";
      const std::string path = absl::StrCat(options.out, "/", prefix, name, std::string(c.family->extension()));
      if (const int code = WriteOut(path, example->case_text); code != kNothingFound) return code;
    }
    ++number;
  }
  return kNothingFound;
}

int Report(const Options& options, const std::vector<Limit>& limits, const std::vector<Comparison>& comparisons) {
  bool found = false, interrupted = false;
  nlohmann::json json = nlohmann::json::array();
  for (const Comparison& comparison : comparisons) {
    nlohmann::json exceeded = nlohmann::json::array();
    if (!options.json) std::fputs((ComparisonText(comparison)).c_str(), stdout);
    for (const Limit& limit : limits) {
      const std::string text = Exceeded(limit, comparison);
      if (text.empty()) continue;
      exceeded.push_back(text);
      if (!options.json) std::printf("%s\n", text.c_str());
    }
    if (!options.json && comparisons.size() > 1) std::printf("\n");
    found = found || comparison.AnythingNew() || !exceeded.empty();
    interrupted = interrupted || comparison.interrupted;
    json.push_back(ComparisonJson(comparison));
    json.back()["exceeded"] = exceeded;
  }
  int failure = kNothingFound;
  const auto keep = [&](int code) { failure = failure == kNothingFound ? code : failure; };
  if (options.json) keep(WriteOut("-", DumpJson(json)));
  if (!options.markdown.empty()) keep(WriteOut(options.markdown, ComparisonMarkdown(comparisons)));
  if (!options.out.empty()) keep(WriteExamples(options, comparisons));
  return found ? kFindings : failure != kNothingFound ? failure : interrupted ? kInterrupted : kNothingFound;
}

// What a side is called: as the user does, else as he gave it, with the variant at hand.
std::string NameOf(const std::string& name, const std::string& given, const Pair& pair) {
  const std::string variant = pair.variant.empty() ? "" : ":" + pair.variant;
  if (!name.empty()) return name + variant;
  return given.ends_with(variant) ? given : given + variant;
}

int Run(const Options& options) {
  const auto family = FamilyByName(options.instead.family);
  if (!family.ok()) return Fail(family.status());
  const auto base = SubjectTable::All().Find(options.base, *family);
  if (!base.ok()) return Fail(base.status());
  const auto head = SubjectTable::All().Find(options.head, *family);
  if (!head.ok()) return Fail(head.status());
  const auto pairs = MatchPairs(*base, *head);
  if (!pairs.ok()) return Fail(pairs.status());
  const auto limits = ReadLimits(options.fail_on, *pairs, options.compare.speed_rounds);
  if (!limits.ok()) return Fail(limits.status());
  const auto files = ReadCases(options.cases, options.instead);
  if (!files.ok()) return Fail(files.status());

  // Not after all the work.
  const std::filesystem::path folder = std::filesystem::path(options.markdown).parent_path();
  if (std::error_code error; !folder.empty() && !std::filesystem::is_directory(folder, error)) {
    return Fail(absl::NotFoundError(absl::StrCat("--markdown ", options.markdown, ": there is no folder ", folder.string())));
  }
  if (!options.out.empty()) {
    if (const absl::Status status = MakeWritableFolder(options.out); !status.ok()) return Fail(status);
  }
  const Interrupts interrupts;
  CompareOptions compare = options.compare;
  compare.stop = Interrupts::Pending;
  if (isatty(STDERR_FILENO) == 1) {
    compare.progress = [](const std::string& text) { std::fprintf(stderr, "\r\033[K%s", Printable(text).c_str()); };
  }
  std::vector<Comparison> comparisons;
  for (const PairOfPairs& pair : *pairs) {
    auto comparison = Compare(SubjectTable::All(), pair.base, pair.head, *files, compare);
    if (!comparison.ok()) return Fail(comparison.status());
    comparison->base = NameOf(options.base_name, options.base, pair.base);
    comparison->head = NameOf(options.head_name, options.head, pair.head);
    comparisons.push_back(*std::move(comparison));
    if (Interrupts::Pending()) break;
  }
  return Report(options, *limits, comparisons);
}

}  // namespace

Verb CompareVerb(CLI::App& root, const std::string&) {
  auto options = std::make_shared<Options>();
  CompareOptions& compare = options->compare;
  CLI::App* app = root.add_subcommand("compare", "Judge a change: the same cases on two subjects, what is new, fixed, worse.");
  app->add_option("cases", options->cases, "Case files, or folders of them, besides the generated ones");
  app->add_option("--base", options->base, "The subject before, NAME[:VARIANT] or plugin:PATH")->required();
  app->add_option("--head", options->head, "The subject after")->required();
  app->add_option("--base-name", options->base_name, "What to call the base in reports");
  app->add_option("--head-name", options->head_name, "What to call the head");
  AddCaseOptions(*app, options->instead);
  auto* cases = app->add_option("--cases", compare.cases, "How many to generate; 0: the files only")->capture_default_str();
  app->add_option("--seconds", compare.seconds, "Generate so long instead")->check(Positive)->excludes(cases);
  app->add_option("--seed", compare.seed, "Same seed, same cases")->capture_default_str();
  app->add_option("--fail-on", options->fail_on,
                  "NAME[=PERCENT],...: end with 77 also if the mean of a metric is worse by more (speed: certainly), or if head\n"
                  "promises less (promises)");
  app->add_option("--speed-rounds", compare.speed_rounds, "Rounds of the measurement of speed; 0: none")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  app->add_option("--shrink-seconds", compare.shrink_seconds, "For each example; 0: as they were met")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app->add_option("-o", options->out, "Folder for the smallest cases, a file each");
  app->add_option("--markdown", options->markdown, "Markdown for a pull request to this file, - for standard output");
  app->add_flag("--json", options->json, "As JSON");
  app->footer(
      "Metrics come from the answers, which have no noise: each difference is seen again on fresh instances, and a trend needs a\n"
      "sign test below 1 % over the cases that differ, or that none goes the other way. Speed is measured in turns, in rounds with\n"
      "fresh instances; a difference is told if all rounds (10: 99.8 % certain) agree that it is above 5 %.\n"
      "Exit codes: 77 a signature is new in head or --fail-on says so; 75 interrupted, what was seen until then is told; else 0.");
  return {app, [options] { return Run(*options); }};
}

}  // namespace oomph
