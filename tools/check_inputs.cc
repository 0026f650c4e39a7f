// oomph check --as tape|text: inputs that a fuzzing engine kept, judged and, with --store, kept as findings.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "absl/strings/str_cat.h"
#include "fuzz/campaign/inputs.h"
#include "fuzz/exit_code.h"
#include "fuzz/report/show.h"
#include "fuzz/store/files.h"
#include "tools/verb.h"

namespace oomph {
namespace {

// The files themselves, and those of folders; not the notes that AFL++ lays beside its inputs.
absl::StatusOr<std::vector<std::string>> InputFiles(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
      if (entry.is_regular_file() && entry.path().filename() != "README.txt") files.push_back(entry.path().string());
    }
    if (error) return absl::PermissionDeniedError(path + ": cannot be read");
  }
  std::sort(files.begin(), files.end());
  return files;
}

absl::StatusOr<Pair> OnePair(const CheckInputsOptions& options) {
  const auto family = FamilyByName(options.family);
  if (!family.ok()) return family.status();
  const auto pairs = SubjectTable::All().Find(options.subject, *family);
  if (!pairs.ok()) return pairs.status();
  if (*family == nullptr && pairs->front().row->family != pairs->back().row->family) {
    return absl::InvalidArgumentError(absl::StrCat(options.subject, ": expected --family, several have this subject"));
  }
  return pairs->front();
}

int Show(const std::vector<Finding>& findings, const CheckInputsOptions& options, Store* store) {
  for (const Finding& finding : findings) {
    std::printf("%s\n", VerdictLine(finding.signature, ReasonOf(finding)).c_str());
    if (store == nullptr) continue;
    const auto stored = store->FindFinding(finding.signature);
    if (!stored.ok() || !stored->has_value()) continue;
    const std::string file = absl::StrCat(options.store, "/", (*stored)->file);
    std::printf("%s\n", NextCommands(options.program, file, options.subject).c_str());
  }
  return findings.empty() ? kNothingFound : kFindings;
}

}  // namespace

int CheckInputs(const CheckInputsOptions& options) {
  const auto pair = OnePair(options);
  if (!pair.ok()) return Fail(pair.status());
  const auto files = InputFiles(options.paths);
  if (!files.ok()) return Fail(files.status());
  InputJudge judge(SubjectTable::All(), *pair, options.text ? InputKind::kText : InputKind::kTape);
  size_t found = 0;
  for (const std::string& path : *files) {
    const auto input = ReadBytes(path);
    if (!input.ok()) return Fail(input.status());
    const auto finding = judge.Judge(*input);
    if (!finding.ok()) return Fail(finding.status());
    found += finding->has_value() ? 1 : 0;
  }
  const std::vector<Finding> findings = judge.Shrunk();
  std::optional<Store> store;
  if (!options.store.empty()) {
    auto opened = Store::OpenForWriting(options.store);
    if (!opened.ok()) return Fail(opened.status());
    store.emplace(*std::move(opened));
    const auto trophies = ReadTrophies(TrophiesFolder(), SubjectTable::All().families());
    if (absl::Status status = judge.Keep(*store, findings, trophies); !status.ok()) return Fail(status);
  }
  const int code = Show(findings, options, store ? &*store : nullptr);
  std::printf("%s, %s with a finding, %s\n", Counted(files->size(), "input").c_str(), WithThousands(found).c_str(),
              Counted(findings.size(), "signature").c_str());
  return code;
}

}  // namespace oomph
