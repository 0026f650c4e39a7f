// oomph fuzz: a campaign. Not for: running one case (oomph check).
#include <memory>

#include "fuzz/campaign/campaign.h"
#include "fuzz/exit_code.h"
#include "tools/verb.h"

namespace oomph {
Verb FuzzVerb(CLI::App& root, const std::string& program) {
  auto options = std::make_shared<CampaignOptions>();
  auto seed = std::make_shared<uint64_t>(0);
  auto page = std::make_shared<bool>(false);
  options->program = program;
  CLI::App* app = root.add_subcommand("fuzz", "Look for faults; Ctrl-C ends it, the same command goes on.");
  app->add_option("--family", options->families, "Only this family; again for more")->allow_extra_args(false);
  app->add_option(
         "--subject", options->subjects,
         "Only this, NAME[:VARIANT], plugin:PATH[:VARIANT] or cmd:TEMPLATE; again for more; default: all but planted faults")
      ->allow_extra_args(false);
  app->add_option("--reference", options->reference,
                  "Compare with this subject, NAME, such as fault:NAME, in place of that of each; with a --store of its own");
  auto* seconds = app->add_option("--seconds", options->seconds, "How long")->check(Positive);
  app->add_option("--cases", options->cases, "How many cases of each subject")
      ->check(CLI::PositiveNumber)
      ->excludes(seconds);
  auto* seed_option = app->add_option("--seed", *seed, "Same seed, same cases with --jobs 1 (else those made of earlier ones differ); default: drawn and printed");
  app->add_option("--jobs", options->jobs, "Worker processes; default: the number of cores")->check(CLI::Range(1, 256));
  app->add_option("--store", options->store, "Folder for findings and progress")->capture_default_str();
  app->add_flag("--new-only", options->new_only, "End with 77 only for findings that are not in corpus/trophies");
  app->add_flag("--reach", options->reach, "Print all that was reached, not only what was reached rarely");
  app->add_flag("--json", options->json, "The report as JSON on standard output");
  app->add_flag("--page", *page, "At the end write report.html into the store and print its path");
  return {app, [options, seed, seed_option, page] {
            if (seed_option->count() > 0) options->seed = *seed;
            while (options->store.size() > 1 && options->store.back() == '/') options->store.pop_back();
            options->trophies = TrophiesFolder();
            const int code = RunCampaign(SubjectTable::All(), *options);
            if (!*page || (code != kNothingFound && code != kFindings && code != kInterrupted)) return code;
            const int written = WritePage(options->store, options->program, options->json ? stderr : stdout);
            return written == kNothingFound ? code : written;
          }};
}

}  // namespace oomph
