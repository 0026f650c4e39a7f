// oomph generate: cases as a campaign would make them. Not for: running them.
#include <filesystem>
#include <memory>

#include "absl/strings/str_format.h"
#include "fuzz/exit_code.h"
#include "fuzz/store/files.h"
#include "models/hlo/from_problem.h"
#include "models/hlo/oom_modules.h"
#include "models/hlo/text.h"
#include "models/placement/text.h"
#include "tools/verb.h"

namespace oomph {
namespace {

// A longer case would not be read again (64 MiB), and does not fit into memory at some point.
constexpr size_t kMostSteps = 1'000'000;

struct Options {
  std::string family, out, problem, oom;
  bool for_tpu = false;
  uint64_t seed = 0, count = 1;
  size_t steps = 0, live = 0;
};

int Write(const Options& options, const std::string& stem, const std::string& text) {
  return WriteOut(options.out.empty() ? "-" : absl::StrFormat("%s/%s.hlo", options.out, stem), text);
}

// The problem of a file as a module.
int RunProblem(const Options& options) {
  const auto text = ReadTextFile(options.problem);
  if (!text.ok()) return Fail(text.status());
  placement::Problem problem;
  if (const absl::Status status = placement::ParseProblem(options.problem, *text, problem); !status.ok()) return Fail(status);
  hlo::FromProblemOptions from;
  from.for_tpu = from.round_up = options.for_tpu;
  const auto made = hlo::ModuleFromProblem(problem, from);
  if (!made.ok()) return Fail(absl::InvalidArgumentError(absl::StrFormat("%s: %s", options.problem, made.status().message())));
  std::string notes;
  for (const std::string& note : made->notes) notes += "// " + note + "\n";
  return Write(options, std::filesystem::path(options.problem).stem().string(), notes + hlo::Print(made->module));
}

// A large module that runs out of memory.
int RunOom(const Options& options) {
  std::string names;
  for (const hlo::OomModuleRow& row : hlo::OomModules()) {
    names += absl::StrFormat("%s%s", names.empty() ? "" : ", ", std::string(row.name));
    if (row.name != options.oom) continue;
    const std::string option = row.option.empty() ? "" : absl::StrFormat(", under %s", std::string(row.option));
    const size_t layers = options.steps == 0 ? row.layers : options.steps;
    return Write(options, options.oom, absl::StrFormat("// oomph subject libtpu:v5e%s%s\n// oomph limit own\n// %s\n// %s of a v5e%s\n%s",
                                                       row.option.empty() ? "" : ",", std::string(row.option), std::string(row.what),
                                                       std::string(row.error), option, row.text(static_cast<uint32_t>(layers))));
  }
  return Fail(absl::InvalidArgumentError(absl::StrFormat("--oom: there are %s", names)));
}

int Run(const Options& options) {
  if (!options.problem.empty() || !options.oom.empty()) {
    if (options.family != "hlo") return Fail(absl::InvalidArgumentError("--problem and --oom make modules: --family hlo"));
    if (!options.out.empty()) {
      if (const absl::Status status = MakeWritableFolder(options.out); !status.ok()) return Fail(status);
    }
    return options.problem.empty() ? RunOom(options) : RunProblem(options);
  }
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
  CLI::Option* problem = app->add_option("--problem", options->problem, "A placement problem (CSV) as a scheduled module with its live ranges");
  app->add_flag("--for-tpu", options->for_tpu, "With --problem: of operations that the TPU's compiler keeps; sizes rounded up to 4 KiB")
      ->needs(problem);
  app->add_option("--oom", options->oom, "A large module that a TPU's compiler refuses for lack of memory: mlp, optimizer, ...; --steps: layers")
      ->excludes(problem);
  app->add_option("-o", options->out, "Folder for a file each; default: standard output");
  return {app, [options] { return Run(*options); }};
}

}  // namespace oomph
