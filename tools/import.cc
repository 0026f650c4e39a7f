// oomph import: a trace or a placement problem made from what another tool wrote about memory. Not for: running it (oomph
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
#include "tools/verb.h"

namespace oomph {
namespace {

struct Options {
  std::string file, out = "-";
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

absl::StatusOr<Made> Import(const std::string& path, const hbm::ImportOptions& options) {
  if (IsPickle(path)) return hbm::RefusePickle(path);
  const auto text = ReadTextFile(path);
  if (!text.ok()) return text.status();
  const std::string name = path == "-" ? "<stdin>" : path;
  if (placement::LooksLikeInstances(*text)) {
    return ProblemOf(placement::ImportInstance(name, *text, ForPlacement(options)));
  }
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
      "(\"allocation N: size BYTES\") or placement instances as JSON lines"));
}

int Run(const Options& options) {
  if (const absl::Status status = NotTheInput(options.out, options.file); !status.ok()) return Fail(status);
  const auto imported = Import(options.file, options.import);
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
      "from XLA's buffer assignment with its live ranges or from instances (JSON lines).");
  app->add_option("file", options->file, "What the other tool wrote, - for standard input")->required();
  app->add_option("-o", options->out, "Where to, - for standard output")->capture_default_str();
  app->add_option("--capacity", options->import.capacity,
                  "Bytes of the memory; default of a trace: a power of two that holds the peak")
      ->check(CLI::PositiveNumber);
  app->add_option("--part", options->import.part,
                  "Which region of a dump, device of a snapshot, allocation or instance, from 1; default: the first, of "
                  "allocations the one of most values")
      ->check(CLI::PositiveNumber);
  return {app, [options] { return Run(*options); }};
}

}  // namespace oomph
