// oomph import: a trace made from what another tool wrote about memory. Not for: running it (oomph check,
// explain, draw).
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

absl::StatusOr<hbm::Imported> Import(const std::string& path, const hbm::ImportOptions& options) {
  if (IsPickle(path)) return hbm::RefusePickle(path);
  const auto text = ReadTextFile(path);
  if (!text.ok()) return text.status();
  const std::string name = path == "-" ? "<stdin>" : path;
  const size_t first = text->find_first_not_of(" \t\r\n");
  if (first != std::string::npos && ((*text)[first] == '{' || (*text)[first] == '[')) {
    return hbm::ImportPytorchSnapshot(name, *text, options);
  }
  if (hbm::LooksLikeRmmLog(*text)) return hbm::ImportRmmLog(name, *text, options);
  if (hbm::LooksLikeBfcDump(*text)) return hbm::ImportBfcDump(name, *text, options);
  return absl::InvalidArgumentError(absl::StrCat(
      name,
      ":1:1: expected a dump of the BFC allocator (\"InUse at ADDRESS of size BYTES\"), an rmm log "
      "(\"Thread,Time,Action,Pointer,Size,Stream\") or a PyTorch snapshot as JSON"));
}

int Run(const Options& options) {
  const auto imported = Import(options.file, options.import);
  if (!imported.ok()) return Fail(imported.status());
  std::string text = absl::StrCat("# imported from ", Printable(options.file), "\n");
  for (const std::string& note : imported->notes) absl::StrAppend(&text, "# ", Printable(note), "\n");
  return WriteOut(options.out, text + hbm::PrintTrace(imported->trace));
}

}  // namespace

Verb ImportVerb(CLI::App& root, const std::string&) {
  auto options = std::make_shared<Options>();
  CLI::App* app = root.add_subcommand(
      "import",
      "Make a trace from a BFC allocator's dump, an rmm log (CSV) or a PyTorch memory snapshot (JSON).");
  app->add_option("file", options->file, "What the other tool wrote, - for standard input")->required();
  app->add_option("-o", options->out, "Where to, - for standard output")->capture_default_str();
  app->add_option("--capacity", options->import.capacity,
                  "Bytes of the memory; default: a power of two that holds the peak")
      ->check(CLI::PositiveNumber);
  app->add_option("--part", options->import.part,
                  "Which region of a dump or device of a snapshot, from 1; default: the first")
      ->check(CLI::PositiveNumber);
  return {app, [options] { return Run(*options); }};
}

}  // namespace oomph
