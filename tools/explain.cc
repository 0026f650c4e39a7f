// oomph explain: what a case or an out-of-memory message says, in words. Not for: judging (oomph check).
#include <cstdio>
#include <memory>

#include "absl/strings/str_cat.h"
#include "fuzz/exit_code.h"
#include "fuzz/judge.h"
#include "fuzz/report/report.h"
#include "fuzz/report/show.h"
#include "fuzz/store/files.h"
#include "models/families.h"
#include "models/message/oom.h"
#include "models/vmem/explain.h"
#include "tools/mosaic.h"
#include "tools/verb.h"

namespace oomph {
namespace {

struct Options {
  std::string file, subject, chip = "v5e";
  CaseOptions instead;
};

std::string Bytes(const PrintedBytes& bytes) {
  const std::string sign = bytes.negative ? "-" : "";
  if (bytes.lowest == bytes.highest) return absl::StrCat(sign, WithThousands(bytes.lowest), " bytes");
  return absl::StrCat(sign, WithThousands(bytes.lowest), " to ", WithThousands(bytes.highest), " bytes");
}

std::string_view CauseText(OomCause cause) {
  switch (cause) {
    case OomCause::kTooLarge:
      return "more was asked for than was free";
    case OomCause::kFragmentation:
      return "enough was free, but no block of it was large enough: fragmentation";
    case OomCause::kUnknown:
      return "the numbers in the message do not decide it";
  }
  return "";
}

void ExplainMessage(const OomMessage& m) {
  std::printf("%s %s\n", std::string(OomCode(m.kind)).c_str(), std::string(OomName(m.kind)).c_str());
  const auto line = [](const char* what, const std::string& value) { std::printf("  %-14s %s\n", what, value.c_str()); };
  if (!m.program.empty()) line("program", Printable(m.program));
  if (!m.location.empty()) line("location", Printable(m.location));
  line("requested", Bytes(m.requested) + (m.at_bottom ? " at the bottom of memory" : ""));
  if (m.free) line("free", Bytes(*m.free));
  if (m.largest_free) line("largest free", Bytes(*m.largest_free));
  if (m.reserved) line("reserved", Bytes(*m.reserved));
  if (m.reservable) line("reservable", Bytes(*m.reservable));
  line("cause", std::string(CauseText(CauseOf(m))));
}

absl::StatusOr<const Family*> FamilyOf(const Options& options, const std::string& text, bool has_message) {
  auto family = FamilyByName(options.instead.family);
  if (!family.ok() || *family != nullptr || has_message) return family;
  return RecognizeFamily(options.file, text);
}

// The kernels of a module, in words; empty: it has none.
absl::StatusOr<std::string> KernelsText(const Options& options, const std::string& name, const std::string& text) {
  if (!MayHaveKernels(text)) return "";
  const auto kernels = KernelsIn(name, text, TargetOf(options.chip));
  if (!kernels.ok()) return kernels.status();
  if (kernels->empty()) return "";
  return absl::StrCat(kernels->size() == 1 ? "Its kernel" : "Its kernels", ", compiled for ", options.chip, " (another: --chip):\n\n",
                      vmem::ExplainKernels(*kernels));
}

int Run(const Options& options) {
  auto text = ReadTextFile(options.file);
  if (!text.ok()) return Fail(text.status());
  const auto messages = ReadAllOoms(*text, 100);
  const bool has_message = messages.ok() && !messages->empty();
  const auto family = FamilyOf(options, *text, has_message);
  if (!family.ok()) return Fail(family.status());
  const std::string name = options.file == "-" ? "<stdin>" : options.file;
  if (*family == nullptr && !has_message && MayHaveKernels(*text)) {
    const auto kernels = KernelsText(options, name, *text);
    return kernels.ok() ? WriteOut("-", *kernels) : Fail(kernels.status());
  }
  if (*family == nullptr) {
    if (has_message) {
      for (const OomMessage& message : *messages) ExplainMessage(message);
      return kNothingFound;
    }
    return Fail(absl::InvalidArgumentError(
        name + ":1:1: expected an out-of-memory message or a case of a known family (oomph list families)"));
  }
  const auto kernels = KernelsText(options, name, *text);
  auto file = ParseCaseFile(name, *std::move(text), *family);
  if (!file.ok()) return Fail(file.status());
  if (absl::Status status = Override(*file, options.instead); !status.ok()) return Fail(status);
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
  app->add_option("file", options->file, "A case, a log with messages, a Mosaic module, or - for standard input")->required();
  app->add_option("--subject", options->subject, "Whose answers to a case: instead of what the file says, NAME[:VARIANT]");
  AddChipOption(*app, options->chip);
  AddCaseOptions(*app, options->instead);
  AddLimitOption(*app, options->instead);
  return {app, [options] { return Run(*options); }};
}

}  // namespace oomph
