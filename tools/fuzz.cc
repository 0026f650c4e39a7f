// oomph fuzz: a campaign. Not for: running one case (oomph check).
#include <filesystem>
#include <memory>

#include "fuzz/campaign/campaign.h"
#include "tools/verb.h"

namespace oomph {
namespace {

// corpus/trophies of the source tree: beside the build folder of this program, else of where we are.
std::string TrophiesFolder() {
  std::error_code error;
  const auto executable = std::filesystem::read_symlink("/proc/self/exe", error);
  for (const auto& base : {executable.parent_path().parent_path(), std::filesystem::current_path(error)}) {
    const auto folder = base / "corpus" / "trophies";
    if (std::filesystem::is_directory(folder, error)) return folder.string();
  }
  return "";
}

}  // namespace

Verb FuzzVerb(CLI::App& root, const std::string& program) {
  auto options = std::make_shared<CampaignOptions>();
  auto seed = std::make_shared<uint64_t>(0);
  options->program = program;
  CLI::App* app = root.add_subcommand("fuzz", "Look for faults; Ctrl-C ends it, the same command goes on.");
  app->add_option("--family", options->families, "Only these families")->allow_extra_args(false);
  app->add_option(
         "--subject", options->subjects,
         "Only these, NAME[:VARIANT], plugin:PATH[:VARIANT] or cmd:TEMPLATE; default: all but planted faults")
      ->allow_extra_args(false);
  auto* seconds = app->add_option("--seconds", options->seconds, "How long")->check(CLI::PositiveNumber);
  app->add_option("--cases", options->cases, "How many cases of each subject")
      ->check(CLI::PositiveNumber)
      ->excludes(seconds);
  auto* seed_option = app->add_option("--seed", *seed, "Same seed, same cases; default: drawn and printed");
  app->add_option("--jobs", options->jobs, "Worker processes; default: the number of cores")->check(CLI::Range(1, 256));
  app->add_option("--store", options->store, "Folder for findings and progress")->capture_default_str();
  app->add_flag("--new-only", options->new_only, "End with 77 only for findings that are not in corpus/trophies");
  app->add_flag("--reach", options->reach, "Print all that was reached, not only what was reached rarely");
  app->add_flag("--json", options->json, "The report as JSON on standard output");
  return {app, [options, seed, seed_option] {
            if (seed_option->count() > 0) options->seed = *seed;
            while (options->store.size() > 1 && options->store.back() == '/') options->store.pop_back();
            options->trophies = TrophiesFolder();
            return RunCampaign(SubjectTable::All(), *options);
          }};
}

}  // namespace oomph
