// oomph report: what a store holds, as text, HTML, JSON, JUnit and SARIF. Not for: a running view of a campaign.
#include <cstdio>
#include <memory>

#include "absl/strings/str_cat.h"
#include "fuzz/exit_code.h"
#include "fuzz/report/html.h"
#include "fuzz/report/junit.h"
#include "fuzz/report/report.h"
#include "fuzz/report/sarif.h"
#include "fuzz/report/show.h"
#include "tools/verb.h"

namespace oomph {
namespace {

struct Options {
  std::string store = "findings", out, json, junit, sarif, program;
  bool reach = false, new_only = false;
  PictureOptions pictures;

  // Somebody reads standard output as a file: nothing else goes there.
  bool Piped() const { return out == "-" || json == "-" || junit == "-" || sarif == "-"; }
};

std::string PageIn(const std::string& store) { return store + "/report.html"; }

int WriteHtml(const Options& options, const nlohmann::json& report) {
  const SubjectTable& table = SubjectTable::All();
  const auto pictures = DrawPictures(report, table, options.pictures);
  return WriteOut(options.out.empty() ? PageIn(options.store) : options.out,
                  ReportHtml(report, pictures, table.families(), {.program = options.program}));
}

int Report(const Options& options) {
  int piped = 0;
  for (const std::string* path : {&options.out, &options.json, &options.junit, &options.sarif}) piped += *path == "-";
  if (piped > 1) return Fail(absl::InvalidArgumentError("standard output is for one of -o, --json, --junit, --sarif"));
  auto store = Store::OpenForReading(options.store);
  if (!store.ok()) return Fail(store.status());
  const auto families = SubjectTable::All().families();
  const auto report = ReportJson(*store, families);
  if (!report.ok()) return Fail(report.status());
  if (!options.Piped()) {
    const int code = WriteOut("-", ReportText(*report, {options.program, options.reach, false}));
    if (code != kNothingFound) return code;
  }
  const struct {
    const std::string& path;
    std::function<std::string()> make;
  } files[] = {{options.json, [&] { return DumpJson(*report); }},
               {options.junit, [&] { return ReportJunit(*report, options.new_only); }},
               {options.sarif, [&] { return DumpJson(ReportSarif(*report, families)); }}};
  for (const auto& file : files) {
    if (file.path.empty()) continue;
    if (const int code = WriteOut(file.path, file.make()); code != kNothingFound) return code;
  }
  if (options.Piped() && options.out.empty()) return kNothingFound;
  if (const int code = WriteHtml(options, *report); code != kNothingFound) return code;
  if (!options.Piped()) {
    std::printf("report: %s\n", Printable(options.out.empty() ? PageIn(options.store) : options.out).c_str());
  }
  return kNothingFound;
}

}  // namespace

int WritePage(const std::string& folder, const std::string& program, std::FILE* say_where) {
  auto store = Store::OpenForReading(folder);
  if (!store.ok()) return Fail(store.status());
  const auto report = ReportJson(*store, SubjectTable::All().families());
  if (!report.ok()) return Fail(report.status());
  Options options;
  options.store = folder;
  options.program = program;
  const int code = WriteHtml(options, *report);
  if (code == kNothingFound) std::fprintf(say_where, "report: %s\n", Printable(PageIn(folder)).c_str());
  return code;
}

Verb ReportVerb(CLI::App& root, const std::string& program) {
  auto options = std::make_shared<Options>();
  options->program = program;
  CLI::App* app = root.add_subcommand("report", "Show the findings and the last campaign of a store.");
  app->add_option("store", options->store, "The folder")->capture_default_str();
  app->add_option("-o", options->out, "Where the page goes, - for standard output; default: report.html in the store");
  app->add_option("--json", options->json, "Write JSON to this file, - for standard output (then no page without -o)");
  app->add_option("--junit", options->junit, "Write JUnit XML of the last campaign to this file");
  app->add_option("--sarif", options->sarif, "Write SARIF 2.1.0 to this file");
  app->add_flag("--new-only", options->new_only, "JUnit: only findings that are not in corpus/trophies fail");
  app->add_flag("--reach", options->reach, "Text: all that was reached, not only what was reached rarely");
  app->add_option("--seconds", options->pictures.seconds, "For running cases again to draw them; 0: none is run")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  return {app, [options] {
            while (options->store.size() > 1 && options->store.back() == '/') options->store.pop_back();
            return Report(*options);
          }};
}

}  // namespace oomph
