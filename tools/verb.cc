// See verb.h.
#include "tools/verb.h"

#include <signal.h>

#include <cstdio>
#include <filesystem>

#include "absl/strings/numbers.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "fuzz/exit_code.h"
#include "fuzz/report/show.h"
#include "fuzz/store/files.h"
#include "models/base/chips.h"
#include "models/base/limit.h"
#include "models/base/scanner.h"
#include "models/families.h"
#include "models/vmem/target.h"
#include "subjects/registry.h"

namespace oomph {

int Fail(const absl::Status& status) {
  // Some show the line that they speak of below. What is no first line is set in, whoever wrote it.
  const std::string message(status.message());
  const std::vector<std::string> lines = absl::StrSplit(message, '\n');
  for (size_t i = 0; i < lines.size(); ++i) {
    const bool set_in = i == 0 || absl::StartsWith(lines[i], "  ");
    std::fprintf(stderr, "%s%s\n", set_in ? "" : "  ", Printable(lines[i]).c_str());
  }
  return ExitCodeOf(status);
}

absl::StatusOr<const Family*> FamilyByName(const std::string& name) {
  if (name.empty()) return nullptr;
  const Family* family = FindFamily(name);
  if (family != nullptr) return family;
  return absl::NotFoundError(absl::StrCat("no family \"", name, "\"; oomph list families shows all"));
}

absl::StatusOr<std::vector<Pair>> SubjectsFor(const CaseFile& file, const std::vector<std::string>& asked) {
  std::vector<std::string> specs = asked;
  if (specs.empty() && !file.subject.empty()) {
    if (NamesForeignCode(file.subject)) {
      return absl::PermissionDeniedError(absl::StrCat(
          file.path, ": names the subject ", file.subject, ", which is never started from a file; give it with --subject"));
    }
    specs.push_back(file.subject);
  }
  if (specs.empty()) specs.push_back("model");
  std::vector<Pair> pairs;
  for (const std::string& spec : specs) {
    const auto found = SubjectTable::All().Find(spec, file.family);
    if (!found.ok()) return found.status();
    pairs.insert(pairs.end(), found->begin(), found->end());
  }
  return pairs;
}

namespace {

void AddBytes(CLI::App& app, const std::string& name, std::optional<uint64_t>& bytes, const std::string& example,
              const std::string& what) {
  const auto take = [name, example, &bytes](const std::string& text) {
    const ScannedNumber number = ScanNumber(text);
    const bool whole = number.length != 0 && number.length == text.size() && !number.too_large;
    if (!whole) throw CLI::ValidationError(name, "expected bytes below 2^64, or " + example + ", found " + text);
    bytes = number.value;
  };
  app.add_option_function<std::string>(name, take, what);
}

}  // namespace

void AddChipOption(CLI::App& app, std::string& chip) {
  app.add_option("--chip", chip, "Instead of what the case says; of a module, which says none: default v5e for its kernels, v6e for a SparseCore")
      ->check([](const std::string& word) {
        const bool known = FindChip(word) != nullptr || vmem::FindTarget(word).has_value();
        return known ? std::string() : "expected a chip (oomph list chips), found " + word;
      });
}

void AddCaseOptions(CLI::App& app, CaseOptions& options) {
  app.add_option("--family", options.family, "Instead of what the file looks like");
  AddChipOption(app, options.chip);
  AddBytes(app, "--capacity", options.capacity, "4KiB", "Bytes, or 4KiB; instead of what the file says");
}

void AddLimitOption(CLI::App& app, CaseOptions& options) {
  const auto take = [&options](const std::string& text) {
    options.limit = ReadLimitWord(text);
    if (!options.limit) throw CLI::ValidationError("--limit", absl::StrCat("expected ", std::string(kLimitForm), ", found ", text));
  };
  app.add_option_function<std::string>("--limit", take,
                                       "Bytes, or 4GiB: a case that needs more is a finding; own: one that the subject refuses "
                                       "for lack of memory; instead of what the file says");
}

absl::Status Override(CaseFile& file, const CaseOptions& options) {
  if (options.limit) {
    if (absl::Status status = CanBeLimited(*file.family); !status.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("--", std::string(status.message())));
    }
    file.limit = options.limit;
  }
  if (!options.chip.empty() && !file.family->SetChip(*file.value, options.chip)) {
    return absl::InvalidArgumentError(absl::StrCat("--chip: cases of family ", std::string(file.family->name()), " are for no ", options.chip));
  }
  if (!options.capacity || file.family->SetCapacity(*file.value, *options.capacity)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("--capacity: family ", std::string(file.family->name()),
                                                 " has none beside what its cases say"));
}

absl::StatusOr<CaseFile> ReadCase(const std::string& path, const CaseOptions& options) {
  const auto family = FamilyByName(options.family);
  if (!family.ok()) return family.status();
  auto file = ReadCaseFile(path, *family);
  if (!file.ok()) return file.status();
  if (absl::Status status = Override(*file, options); !status.ok()) return status;
  return file;
}

absl::StatusOr<OneCase> PrepareOne(CaseFile file, const std::string& subject) {
  const auto pairs = SubjectsFor(file, subject.empty() ? std::vector<std::string>{} : std::vector{subject});
  if (!pairs.ok()) return pairs.status();
  auto loaded = SubjectTable::All().Load(pairs->front());
  if (!loaded.ok()) return loaded.status();
  OneCase one{std::move(file), pairs->front(), *std::move(loaded), pairs->size()};
  one.loaded.subject->Prepare(*one.file.value);
  return one;
}

absl::StatusOr<OneCase> ReadOneCase(const std::string& path, const CaseOptions& options, const std::string& subject) {
  auto file = ReadCase(path, options);
  if (!file.ok()) return file.status();
  return PrepareOne(*std::move(file), subject);
}

std::string WhoseAnswer(const OneCase& one) {
  const std::string spec = Printable(one.pair.Spec());
  if (one.choices == 1) return spec;
  const std::string& name = one.pair.row->spec.empty() ? one.pair.row->name : one.pair.row->spec;
  return absl::StrCat(spec, " (the first of ", one.choices, "; another: --subject ", Printable(ShellWord(name)), ":VARIANT)");
}

absl::Status NotTheInput(const std::string& out, const std::string& input) {
  std::error_code error;
  if (out == "-" || input == "-" || !std::filesystem::equivalent(out, input, error)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("-o ", out, ": is the file that is read; name another"));
}

std::string TrophiesFolder() {
  std::error_code error;
  const auto executable = std::filesystem::read_symlink("/proc/self/exe", error);
  for (const auto& base : {executable.parent_path().parent_path(), std::filesystem::current_path(error)}) {
    const auto folder = base / "corpus" / "trophies";
    if (std::filesystem::is_directory(folder, error)) return folder.string();
  }
  return "";
}

int WriteOut(const std::string& path, const std::string& text) {
  if (path == "-") {
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
    return written ? kNothingFound : Fail(absl::ResourceExhaustedError("standard output cannot be written"));
  }
  const absl::Status status = WriteFileAtomically(path, text);
  return status.ok() ? kNothingFound : Fail(status);
}

Subject* ReferenceFor(const Loaded& loaded, const Family& family, const Case& c) {
  constexpr size_t kLongest = 20'000;  // steps; the time grows with their square
  if (loaded.reference == nullptr || family.Size(c) <= kLongest) return loaded.reference.get();
  std::fprintf(stderr, "%s: judged by the oracles alone, not compared with %s\n", Counted(family.Size(c), "step").c_str(),
               loaded.reference->info().name.c_str());
  return nullptr;
}

std::string Positive(const std::string& text) {
  double number = 0;
  const bool good = absl::SimpleAtod(text, &number) && number > 0 && number <= 1e9;
  return good ? "" : "expected a number above 0, found " + text;
}

int RunCommand(int argc, const char* const* argv) {
  signal(SIGXFSZ, SIG_IGN);
  const std::string program = argc > 0 ? argv[0] : "oomph";
  CLI::App root("Finds faults in memory allocators and shrinks them to readable reproducers.", "oomph");
  root.require_subcommand(1);
  const std::vector<Verb> verbs = {
      FuzzVerb(root, program),     CheckVerb(root, program),   MinimizeVerb(root, program),
      ExplainVerb(root, program),  CompareVerb(root, program), ReportVerb(root, program),
      GenerateVerb(root, program), ImportVerb(root, program),  DrawVerb(root, program),
      ListVerb(root, program),     BenchVerb(root, program)};
  root.footer("Exit codes: 0 nothing found, 77 findings, 64 bad usage or input, 75 interrupted, 70 broken.");
  try {
    root.parse(argc, argv);
  } catch (const CLI::Success& help) {
    return root.exit(help);
  } catch (const CLI::ParseError& error) {
    std::string verb;
    for (const Verb& each : verbs) {
      if (each.app->parsed()) verb = " " + each.app->get_name();
    }
    const std::string first = argc > 1 ? argv[1] : "-";
    const std::string what = verb.empty() && first[0] != '-' ? "no verb \"" + first + "\"" : error.what();
    std::fprintf(stderr, "%s; see: %s%s --help\n", Printable(what).c_str(), program.c_str(), verb.c_str());
    return kBadUsage;
  }
  for (const Verb& verb : verbs) {
    if (!verb.app->parsed()) continue;
    const int code = verb.run();
    // What could not be written was not told.
    const bool told = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
    if (!told) std::fprintf(stderr, "standard output cannot be written\n");
    return told || code != kNothingFound ? code : kBroken;
  }
  return kBadUsage;
}

}  // namespace oomph
