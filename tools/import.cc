// oomph import: a trace, a placement problem, a kernel or a SparseCore program made from what another tool wrote about memory. Not for: running it (oomph
// check, explain, draw).
#include <fstream>
#include <memory>

#include "absl/strings/str_cat.h"
#include "fuzz/exit_code.h"
#include "fuzz/report/show.h"
#include "fuzz/store/files.h"
#include "models/hbm/family.h"
#include "models/hbm/import_bfc.h"
#include "models/hbm/import_rmm.h"
#include "models/hbm/text.h"
#include "models/placement/import.h"
#include "models/placement/text.h"
#include "tools/import_instances.h"
#include "tools/import_pytorch.h"
#include "models/sparsecore/text.h"
#include "models/vmem/text.h"
#include "tools/mosaic.h"
#include "tools/sparsecore.h"
#include "tools/verb.h"

namespace oomph {
namespace {

struct Options {
  std::string file, out = "-", chip = "v5e";
  hbm::ImportOptions import;
};

// Before the file is read as text, which a pickle is not.
bool IsPickle(const std::string& path) {
  char head[4] = {};
  if (path == "-") return false;
  std::ifstream file(path, std::ios::binary);
  file.read(head, sizeof head);
  return hbm::LooksLikePickle({head, static_cast<size_t>(file.gcount())});
}

// The text of a case, and what is to be said of it.
struct Made {
  std::string text;
  std::vector<std::string> notes;
};

absl::StatusOr<Made> TraceOf(const absl::StatusOr<hbm::Imported>& imported) {
  if (!imported.ok()) return imported.status();
  return Made{hbm::PrintTrace(imported->trace), imported->notes};
}
absl::StatusOr<Made> ProblemOf(const absl::StatusOr<placement::Imported>& imported) {
  if (!imported.ok()) return imported.status();
  return Made{placement::PrintProblem(imported->problem), imported->notes};
}

placement::ImportOptions ForPlacement(const hbm::ImportOptions& options) {
  placement::ImportOptions same;
  if (options.capacity != 0) same.capacity = options.capacity;
  same.part = options.part;
  return same;
}

// The `part`-th kernel of a module, the first where none is named.
absl::StatusOr<Made> KernelOf(const std::string& name, const std::string& text, size_t part, const std::string& chip) {
  const auto kernels = KernelsIn(name, text, TargetOf(chip));
  if (!kernels.ok()) return kernels.status();
  const size_t index = part == 0 ? 0 : part - 1;
  if (index >= kernels->size()) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": it has ", kernels->size(), " kernels (tpu_custom_call), not ", index + 1));
  }
  const vmem::ModuleKernel& kernel = (*kernels)[index];
  if (!kernel.mosaic) return absl::InvalidArgumentError(absl::StrCat(name, ": kernel ", kernel.instruction, ": ", kernel.missing));
  Made made{vmem::PrintKernel(kernel.mosaic->kernel), kernel.mosaic->notes};
  made.notes.insert(made.notes.begin(), absl::StrCat("kernel ", kernel.instruction, ", for ", chip));
  const bool is_bound = !kernel.mosaic->at_least || (!kernel.mosaic->at_most && !vmem::IsHeavy(kernel.mosaic->kernel.body));
  if (is_bound) made.notes.push_back("not all of it was understood: what this kernel needs is not sure to be what that one does");
  return made;
}

// The `part`-th function with buffers, the first where none is named.
absl::StatusOr<Made> ProgramOf(const std::string& name, const std::string& text, size_t part, const std::string& chip) {
  auto programs = SparseCoreProgramsIn(name, text, chip);
  if (!programs.ok()) return programs.status();
  std::erase_if(*programs, [](const sparsecore::FromMlir& made) { return made.program.buffers.empty(); });
  const size_t index = part == 0 ? 0 : part - 1;
  if (index >= programs->size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": it has ", programs->size(), " functions with buffers in a memory of a SparseCore, not ", index + 1));
  }
  sparsecore::FromMlir& made = (*programs)[index];
  std::vector<std::string> notes = {absl::StrCat("function ", made.function.empty() ? "without a name" : made.function, ", for ",
                                                 std::string(TargetName(made.program.target)))};
  for (const std::string& left_out : made.left_out) notes.push_back("left out: " + left_out);
  sparsecore::Normalize(made.program);
  return Made{sparsecore::PrintProgram(made.program), std::move(notes)};
}

absl::StatusOr<Made> Import(const std::string& path, const hbm::ImportOptions& options, const std::string& chip) {
  if (IsPickle(path)) return hbm::RefusePickle(path);
  const auto text = ReadTextFile(path);
  if (!text.ok()) return text.status();
  const std::string name = path == "-" ? "<stdin>" : path;
  if (placement::LooksLikeInstances(*text)) {
    return ProblemOf(placement::ImportInstance(name, *text, ForPlacement(options)));
  }
  if (sparsecore::LooksLikeMlir(*text)) return ProgramOf(name, *text, options.part, chip);
  if (MayHaveKernels(*text)) return KernelOf(name, *text, options.part, chip);
  const size_t first = text->find_first_not_of(" \t\r\n");
  if (first != std::string::npos && ((*text)[first] == '{' || (*text)[first] == '[')) {
    return TraceOf(hbm::ImportPytorchSnapshot(name, *text, options));
  }
  if (hbm::LooksLikeRmmLog(*text)) return TraceOf(hbm::ImportRmmLog(name, *text, options));
  if (hbm::LooksLikeBfcDump(*text)) return TraceOf(hbm::ImportBfcDump(name, *text, options));
  if (placement::LooksLikeBufferAssignment(*text)) {
    return ProblemOf(placement::ImportBufferAssignment(name, *text, ForPlacement(options)));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      name,
      ":1:1: expected a dump of the BFC allocator (\"InUse at ADDRESS of size BYTES\"), an rmm log "
      "(\"Thread,Time,Action,Pointer,Size,Stream\"), a PyTorch snapshot as JSON, XLA's buffer assignment "
      "(\"allocation N: size BYTES\"), placement instances as JSON lines, an HLO or Mosaic module with a kernel, or MLIR that "
      "allocates in the memories of a SparseCore"));
}

int Run(const Options& options) {
  if (const absl::Status status = NotTheInput(options.out, options.file); !status.ok()) return Fail(status);
  const auto imported = Import(options.file, options.import, options.chip);
  if (!imported.ok()) return Fail(imported.status());
  std::string text = absl::StrCat("# imported from ", Printable(options.file), "\n");
  for (const std::string& note : imported->notes) absl::StrAppend(&text, "# ", Printable(note), "\n");
  return WriteOut(options.out, text + imported->text);
}

}  // namespace

Verb ImportVerb(CLI::App& root, const std::string&) {
  auto options = std::make_shared<Options>();
  CLI::App* app = root.add_subcommand(
      "import",
      "Make a trace from a BFC allocator's dump, an rmm log (CSV) or a PyTorch memory snapshot (JSON); a placement problem "
      "from XLA's buffer assignment with its live ranges or from instances (JSON lines); a kernel from an HLO module with a "
      "tpu_custom_call or from a Mosaic module; a SparseCore program from MLIR.");
  app->add_option("file", options->file, "What the other tool wrote, - for standard input")->required();
  app->add_option("-o", options->out, "Where to, - for standard output")->capture_default_str();
  app->add_option("--capacity", options->import.capacity,
                  "Bytes of the memory; default of a trace: a power of two that holds the peak")
      ->check(CLI::PositiveNumber);
  app->add_option("--part", options->import.part,
                  "Which region of a dump, device of a snapshot, allocation, instance, kernel or function, from 1; default: the first, of "
                  "allocations the one of most values")
      ->check(CLI::PositiveNumber);
  AddChipOption(*app, options->chip);
  return {app, [options] { return Run(*options); }};
}

}  // namespace oomph
