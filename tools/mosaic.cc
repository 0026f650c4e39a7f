// See mosaic.h.
#include "tools/mosaic.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "models/base/words.h"
#include "models/hlo/text.h"
#include "models/mlir/read.h"
#include "subjects/deps.h"

namespace oomph {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNeedsJax = "its body is MLIR bytecode, which only jax reads: scripts/setup --with-jax";

// The scripts of the source folder that this was built from.
fs::path Script() { return fs::path(OOMPH_SOURCE_DIR) / "scripts" / "mosaic-text"; }

bool HasJax() {
  std::error_code error;
  return fs::exists(DepsPath("jaxlib"), error) && fs::exists(Script(), error);
}

absl::StatusOr<std::string> NewFolder() {
  std::string folder = (fs::temp_directory_path() / "oomph-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) {
    return absl::InternalError(absl::StrCat("no folder for temporary files: ", std::strerror(errno)));
  }
  return folder;
}

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

// Runs a program without a shell between three files; its exit code, -1: it did not end by itself.
absl::StatusOr<int> RunBetween(const std::string& program, const std::string& in, const std::string& out, const std::string& err) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const absl::Cleanup destroy = [&] { posix_spawn_file_actions_destroy(&actions); };
  posix_spawn_file_actions_addopen(&actions, 0, in.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, 2, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  char* const arguments[] = {const_cast<char*>(program.c_str()), nullptr};
  pid_t child = 0;
  if (const int error = posix_spawn(&child, program.c_str(), &actions, nullptr, arguments, environ); error != 0) {
    return absl::UnavailableError(absl::StrCat(program, " cannot be started: ", std::strerror(error)));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

absl::StatusOr<std::string> MosaicText(std::string_view bytecode) {
  if (!HasJax()) return absl::UnavailableError(std::string(kNeedsJax));
  const absl::StatusOr<std::string> folder = NewFolder();
  if (!folder.ok()) return folder.status();
  const absl::Cleanup remove = [&] {
    std::error_code error;
    fs::remove_all(*folder, error);
  };
  const std::string in = *folder + "/body", out = *folder + "/text", err = *folder + "/errors";
  std::ofstream(in, std::ios::binary) << bytecode;
  const absl::StatusOr<int> code = RunBetween(Script().string(), in, out, err);
  if (!code.ok()) return code.status();
  if (*code != 0) return absl::InvalidArgumentError(absl::StrCat("scripts/mosaic-text: ", OneLine(ReadAll(err))));
  return ReadAll(out);
}

bool MayHaveKernels(std::string_view text) {
  return mlir::LooksLikeModule(text) || (hlo::LooksLikeModule(text) && text.find("tpu_custom_call") != text.npos);
}

absl::StatusOr<std::vector<vmem::ModuleKernel>> KernelsIn(const std::string& name, const std::string& text, vmem::Target target) {
  if (hlo::LooksLikeModule(text)) {
    const auto module = hlo::Parse(name, text);
    if (!module.ok()) return module.status();
    return vmem::KernelsOf(*module, target, MosaicText);
  }
  const auto module = mlir::Read(name, text);
  if (!module.ok()) return module.status();
  auto mosaic = vmem::ReadMosaic(*module, /*call=*/nullptr);
  if (!mosaic.ok()) return absl::InvalidArgumentError(absl::StrCat(name, ": ", std::string(mosaic.status().message())));
  mosaic->kernel.target = target;
  mosaic->notes.push_back("no HLO module tells the arrays: they are taken to be as large as the windows, and the last to be the only output");
  mosaic->at_least = false;
  std::vector<vmem::ModuleKernel> kernels(1);
  kernels[0].instruction = mosaic->name;
  kernels[0].mosaic = *std::move(mosaic);
  return kernels;
}

absl::StatusOr<vmem::Target> TargetOf(const std::string& chip) {
  const auto target = vmem::FindTarget(chip.empty() ? "v5e" : chip);
  if (target) return *target;
  return absl::InvalidArgumentError(absl::StrCat("--chip: kernels are for no ", chip));
}

}  // namespace oomph
