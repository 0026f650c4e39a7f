// oomph bench: the figures that the project promises, measured here and now.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "fuzz/bench/bench.h"
#include "fuzz/exit_code.h"
#include "fuzz/report/report.h"
#include "fuzz/report/show.h"
#include "tools/verb.h"

namespace oomph {
namespace {

struct Options {
  std::vector<std::string> names;
  double seconds = 2;
  bool json = false, list = false;
};

std::string Number(double value) {
  return value >= 1000 ? WithThousands(static_cast<uint64_t>(value)) : absl::StrFormat("%.3g", value);
}

std::string AgainstTarget(const BenchReport::Figure& figure) {
  if (figure.target == 0) return "";
  const double ratio = figure.at_least ? figure.value / figure.target
                       : figure.value > 0 ? figure.target / figure.value : 0;
  const bool met = figure.at_least ? figure.value >= figure.target : figure.value <= figure.target;
  return absl::StrFormat("   %s %s: %s, %.2f x", figure.at_least ? "at least" : "at most", Number(figure.target),
                         met ? "met" : "MISSED", ratio);
}

// The figures that stand in a table; "-" where a row has none.
void PrintTable(const BenchReport& report) {
  std::vector<std::vector<std::string>> rows = {{""}};
  const auto place = [](std::vector<std::string>& names, const std::string& name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<size_t>(found - names.begin());
    names.push_back(name);
    return names.size() - 1;
  };
  std::vector<std::string> names = {""};
  for (const BenchReport::Figure& figure : report.figures()) {
    if (figure.row.empty()) continue;
    const std::string unit = figure.unit.empty() ? "" : " " + figure.unit;
    const size_t column = place(rows[0], figure.column + unit), row = place(names, figure.row);
    if (row == rows.size()) rows.push_back({Printable(figure.row)});
    rows[row].resize(std::max(rows[row].size(), column + 1), "-");
    rows[row][column] = Number(figure.value);
  }
  if (rows.size() > 1) std::fputs(TextTable(rows, {true}, "  ").c_str(), stdout);
}

// "hlo" names every benchmark that begins with "hlo-".
bool Names(std::string_view name, std::string_view bench) {
  return bench == name || (bench.starts_with(name) && bench.substr(name.size()).starts_with('-'));
}

bool Wanted(const Options& options, const BenchRow& row) {
  const auto names = [&](const std::string& name) { return row.only_named ? row.name == name : Names(name, row.name); };
  if (options.names.empty()) return !row.only_named || options.list;
  return std::any_of(options.names.begin(), options.names.end(), names);
}

int Run(const Options& options) {
  nlohmann::json results = nlohmann::json::array();
  for (const std::string& name : options.names) {
    const auto benches = Benches();
    if (std::none_of(benches.begin(), benches.end(), [&](const BenchRow& row) { return Names(name, row.name); })) {
      return Fail(absl::NotFoundError(absl::StrCat("no benchmark \"", name, "\"; oomph bench --list shows all")));
    }
  }
  for (const BenchRow& row : Benches()) {
    if (!Wanted(options, row)) continue;
    if (!options.json) {
      std::printf("%s: %s%s\n", std::string(row.name).c_str(), std::string(row.what).c_str(),
                  options.list && row.only_named ? "; only where it is named" : "");
    }
    if (options.list) continue;
    std::fflush(stdout);
    BenchReport report(options.seconds);
    row.run(report);
    for (const std::string& why : report.skipped()) {
      results.push_back({{"bench", row.name}, {"skipped", why}});
      if (!options.json) std::printf("  skipped: %s\n", Printable(why).c_str());
    }
    if (!options.json) PrintTable(report);
    for (const BenchReport::Figure& figure : report.figures()) {
      results.push_back({{"bench", row.name}, {"name", figure.name}, {"value", figure.value}, {"unit", figure.unit},
                         {"target", figure.target}, {"at_least", figure.at_least}, {"row", figure.row}, {"column", figure.column}});
      if (options.json || !figure.row.empty()) continue;
      std::printf("  %-60s %14s %s%s\n", figure.name.c_str(), Number(figure.value).c_str(), figure.unit.c_str(),
                  AgainstTarget(figure).c_str());
    }
  }
  return options.json ? WriteOut("-", DumpJson(results)) : static_cast<int>(kNothingFound);
}

}  // namespace

Verb BenchVerb(CLI::App& root, const std::string&) {
  auto options = std::make_shared<Options>();
  CLI::App* app = root.add_subcommand("bench", "Measure the figures that the project promises.");
  app->add_option("names", options->names, "Which; default: all");
  app->add_option("--seconds", options->seconds, "For each figure")->capture_default_str();
  app->add_flag("--list", options->list, "Only list them");
  app->add_flag("--json", options->json, "As JSON");
  return {app, [options] { return Run(*options); }};
}

}  // namespace oomph
