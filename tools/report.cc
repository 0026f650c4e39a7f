// oomph report: what a store holds. Not for: a running view of a campaign.
#include <memory>

#include "fuzz/exit_code.h"
#include "fuzz/report/report.h"
#include "tools/verb.h"

namespace oomph {

Verb ReportVerb(CLI::App& root, const std::string& program) {
  struct Options {
    std::string store = "findings", json;
    bool reach = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* app = root.add_subcommand("report", "Show the findings and the last campaign of a store.");
  app->add_option("store", options->store, "The folder")->capture_default_str();
  app->add_option("--json", options->json, "Write JSON to this file, - for standard output");
  app->add_flag("--reach", options->reach, "All that was reached, not only what was reached rarely");
  return {app, [options, program] {
            auto store = Store::OpenForReading(options->store);
            if (!store.ok()) return Fail(store.status());
            const auto report = ReportJson(*store, SubjectTable::All().families());
            if (!report.ok()) return Fail(report.status());
            if (!options->json.empty()) return WriteOut(options->json, DumpJson(*report));
            return WriteOut("-", ReportText(*report, {program, options->reach, false}));
          }};
}

}  // namespace oomph
