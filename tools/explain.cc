// oomph explain: what a case or an out-of-memory message says, in words. Not for: judging (oomph check).
#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "fuzz/exit_code.h"
#include "fuzz/judge.h"
#include "fuzz/report/report.h"
#include "fuzz/report/show.h"
#include "fuzz/store/files.h"
#include "models/families.h"
#include "models/sparsecore/explain.h"
#include "models/vmem/explain.h"
#include "tools/explain_message.h"
#include "tools/mosaic.h"
#include "tools/sparsecore.h"
#include "tools/verb.h"

namespace oomph {
namespace {

struct Options {
  std::string file, subject, dump;
  CaseOptions instead;
};

// A case may quote a message in its comments, and is told by its name then.
absl::StatusOr<const Family*> FamilyOf(const Options& options, const std::string& text, bool has_message) {
  auto family = FamilyByName(options.instead.family);
  if (!family.ok() || *family != nullptr) return family;
  const auto is_named_so = [&](const Family* each) { return options.file.ends_with(each->extension()); };
  if (has_message && std::ranges::none_of(Families(), is_named_so)) return nullptr;
  return RecognizeFamily(options.file, text);
}

// The kernels of a module, in words; empty: it has none.
absl::StatusOr<std::string> KernelsText(const Options& options, const std::string& name, const std::string& text) {
  if (!MayHaveKernels(text)) return "";
  const auto target = TargetOf(options.instead.chip);
  if (!target.ok()) return target.status();
  const auto kernels = KernelsIn(name, text, *target);
  if (!kernels.ok()) return kernels.status();
  if (kernels->empty()) return "";
  return absl::StrCat(kernels->size() == 1 ? "Its kernel" : "Its kernels", ", compiled for ", std::string(vmem::RowOf(*target).name), " (another: --chip):\n\n",
                      vmem::ExplainKernels(*kernels));
}

int Run(const Options& options) {
  auto text = ReadTextFile(options.file);
  if (!text.ok()) return Fail(text.status());
  const auto of_sparse_core = ExplainSparseCoreMessagesIn(*text, options.dump);
  if (!of_sparse_core.ok()) return Fail(of_sparse_core.status());
  if (!options.dump.empty() && of_sparse_core->empty()) {
    return Fail(absl::InvalidArgumentError(options.file + ": no message of a SparseCore (E3000) that --dump could be searched for"));
  }
  const std::string explained = ExplainMessagesIn(*text) + *of_sparse_core;
  if (options.subject.empty() && options.instead.family.empty() && explained.empty() && sparsecore::LooksLikeMlir(*text)) {
    const auto programs = SparseCoreProgramsIn(options.file == "-" ? "<stdin>" : options.file, *text, options.instead.chip);
    return programs.ok() ? WriteOut("-", sparsecore::ExplainPrograms(*programs)) : Fail(programs.status());
  }
  if (IsDumpAfterPlanning(*text)) {
    return Fail(absl::InvalidArgumentError(
        options.file + ": the compiler wrote it after planning, without allocations; explain the _unoptimized.mlir beside it"));
  }
  const auto family = FamilyOf(options, *text, !explained.empty());
  if (!family.ok()) return Fail(family.status());
  const std::string name = options.file == "-" ? "<stdin>" : options.file;
  if (*family == nullptr && explained.empty() && MayHaveKernels(*text)) {
    const auto kernels = KernelsText(options, name, *text);
    return kernels.ok() ? WriteOut("-", *kernels) : Fail(kernels.status());
  }
  if (*family == nullptr) {
    if (!explained.empty()) return WriteOut("-", explained);
    return Fail(absl::InvalidArgumentError(
        name + ":1:1: expected an out-of-memory message or a case of a known family (oomph list families)"));
  }
  const auto kernels = KernelsText(options, name, *text);
  auto file = ParseCaseFile(name, *std::move(text), *family);
  if (!file.ok()) return Fail(file.status());
  CaseOptions instead = options.instead;
  if (kernels.ok() && !kernels->empty()) instead.chip.clear();  // it was for the kernels
  if (absl::Status status = Override(*file, instead); !status.ok()) return Fail(status);
  auto one = PrepareOne(*std::move(file), options.subject);
  if (!one.ok()) return Fail(one.status());
  Judge judge(**family, *one->loaded.subject, /*reference=*/nullptr, /*relations=*/false);
  const Verdict verdict = judge.Run(*one->file.value);
  if (!judge.ran()) return Fail(absl::InvalidArgumentError(one->pair.Spec() + ": " + verdict.text));
  const std::string whose = absl::StrCat("What ", WhoseAnswer(*one), " did:\n");
  const auto over = one->file.limit ? (*family)->ExceedsLimit(*one->file.value, judge.outcome(), *one->file.limit) : std::nullopt;
  const std::string too_much = over ? absl::StrCat(Printable(over->text), "\n\n") : "";
  const std::string more = kernels.ok() && !kernels->empty() ? "\n" + *kernels : "";
  return WriteOut("-", absl::StrCat(whose, too_much, (*family)->Explain(*one->file.value, judge.outcome()), more));
}

}  // namespace

Verb ExplainVerb(CLI::App& root, const std::string&) {
  auto options = std::make_shared<Options>();
  CLI::App* app = root.add_subcommand("explain", "Say what a case or an out-of-memory message means.");
  app->add_option("file", options->file, "A case, a log with messages, MLIR of a SparseCore or of Mosaic, or - for standard input")->required();
  app->add_option("--dump", options->dump, "A folder that the compiler wrote (--xla_sc_dump_mlir_to): the allocation that a SparseCore message is about");
  app->add_option("--subject", options->subject, "Whose answers to a case: instead of what the file says, NAME[:VARIANT]");
  AddCaseOptions(*app, options->instead);
  AddLimitOption(*app, options->instead);
  return {app, [options] { return Run(*options); }};
}

}  // namespace oomph
