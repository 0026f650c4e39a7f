// oomph generate: cases as a campaign would make them. Not for: running them.
#include <filesystem>
#include <memory>

#include "absl/strings/str_format.h"
#include "fuzz/exit_code.h"
#include "fuzz/store/files.h"
#include "tools/verb.h"

namespace oomph {
namespace {

// A longer case would not be read again (64 MiB), and does not fit into memory at some point.
constexpr size_t kMostSteps = 1'000'000;

struct Options {
  std::string family, out;
  uint64_t seed = 0, count = 1;
  size_t steps = 0, live = 0;
};

int Run(const Options& options) {
  const auto family = FamilyByName(options.family);
  if (!family.ok()) return Fail(family.status());
  if (!options.out.empty()) {
    const absl::Status status = MakeWritableFolder(options.out);
    if (!status.ok()) return Fail(status);
  }
  GenerateOptions generate;
  generate.steps = options.steps;
  generate.live = options.live;
  const auto value = (*family)->NewCase();
  for (uint64_t i = 0; i < options.count; ++i) {
    Choices choices = Choices::FromSeed(MixSeed(options.seed, i), /*swarm=*/true);
    (*family)->Generate(choices, generate, *value);
    const std::string text = absl::StrFormat("%s %s, seed %d, case %d\n%s", (*family)->comment(), (*family)->name(),
                                             options.seed, i, (*family)->Print(*value));
    const std::string path = options.out.empty() ? "-"
                                                 : absl::StrFormat("%s/%s-%d-%d%s", options.out, (*family)->name(),
                                                                   options.seed, i, (*family)->extension());
    if (const int code = WriteOut(path, text); code != kNothingFound) return code;
  }
  return kNothingFound;
}

}  // namespace

Verb GenerateVerb(CLI::App& root, const std::string&) {
  auto options = std::make_shared<Options>();
  CLI::App* app = root.add_subcommand("generate", "Print random cases.");
  app->add_option("--family", options->family, "Of which family")->required();
  app->add_option("--seed", options->seed, "Same seed, same cases")->capture_default_str();
  app->add_option("--count", options->count, "How many")->capture_default_str();
  app->add_option("--steps", options->steps, "How long; default: drawn")->check(CLI::Range(size_t{1}, kMostSteps));
  app->add_option("--live", options->live, "How many buffers live at a time; default: drawn")
      ->check(CLI::Range(size_t{1}, kMostSteps));
  app->add_option("-o", options->out, "Folder for a file each; default: standard output");
  return {app, [options] { return Run(*options); }};
}

}  // namespace oomph
