// See case_file.h.
#include "fuzz/store/case_file.h"

#include "models/base/limit.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "fuzz/store/files.h"
#include "models/base/scanner.h"
#include "models/families.h"
#include "subjects/registry.h"

namespace oomph {
namespace {

const Family* Recognize(const std::string& path, std::string_view text,
                        const std::vector<const Family*>& families) {
  for (const Family* family : families) {
    if (family->Recognizes(text)) return family;
  }
  for (const Family* family : families) {
    if (std::string_view(path).ends_with(family->extension())) return family;
  }
  return nullptr;
}

// `bfc growth=on` and `bfc:growth=on` mean the same.
std::string SubjectSpec(std::string_view value) {
  std::string spec(value);
  if (NamesForeignCode(spec)) return spec;  // a path or a command may have blanks
  const size_t blank = spec.find_first_of(" \t");
  if (blank == std::string::npos) return spec;
  const size_t rest = spec.find_first_not_of(" \t", blank);
  return absl::StrCat(spec.substr(0, blank), ":", spec.substr(rest));
}

absl::Status ReadLimit(const Directive& directive, CaseFile& file) {
  const std::optional<uint64_t> limit = ReadLimitWord(directive.value);
  absl::Status status = CanBeLimited(*file.family);
  if (status.ok() && !limit) status = absl::InvalidArgumentError(absl::StrCat("limit: expected ", std::string(kLimitForm)));
  if (status.ok()) file.limit = limit;
  return status.ok() ? status : absl::InvalidArgumentError(absl::StrCat(file.path, ":", directive.line, ":1: ", std::string(status.message())));
}

absl::Status ReadDirectives(CaseFile& file) {
  for (const Directive& directive : FindDirectives(file.text, {.comment = file.family->comment()})) {
    if (directive.key == "subject") file.subject = SubjectSpec(directive.value);
    if (directive.key == "expect") file.expect = std::string(directive.value);
    if (directive.key == "owner") file.owner = std::string(directive.value);
    if (directive.key == "upstream") file.upstream = std::string(directive.value);
    if (directive.key != "limit") continue;
    if (absl::Status status = ReadLimit(directive, file); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CaseFile> ReadCaseFile(const std::string& path, const Family* family) {
  auto text = ReadTextFile(path);
  if (!text.ok()) return text.status();
  return ParseCaseFile(path == "-" ? "<stdin>" : path, *std::move(text), family);
}

absl::StatusOr<CaseFile> ParseCaseFile(const std::string& path, std::string text, const Family* family) {
  if (family != nullptr) return ParseCaseFile(path, std::move(text), std::vector<const Family*>{family});
  const auto all = Families();
  return ParseCaseFile(path, std::move(text), std::vector<const Family*>(all.begin(), all.end()));
}

absl::StatusOr<CaseFile> ParseCaseFile(const std::string& path, std::string text,
                                       const std::vector<const Family*>& families) {
  CaseFile file;
  file.path = path;
  file.text = std::move(text);
  file.family = families.size() == 1 ? families[0] : Recognize(path, file.text, families);
  if (file.family == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ":1:1: expected a case of a known family; name it with --family (oomph list families)"));
  }
  file.value = file.family->NewCase();
  if (absl::Status status = file.family->Parse(path, file.text, *file.value); !status.ok()) return status;
  if (absl::Status status = ReadDirectives(file); !status.ok()) return status;
  return file;
}

std::string CaseText(const Family& family, std::string_view subject, std::string_view expect,
                     std::string_view printed, std::optional<uint64_t> limit) {
  const std::string comment(family.comment());
  const auto line = [&](std::string_view key, std::string_view value) {
    return value.empty() ? "" : absl::StrFormat("%s oomph %s %s\n", comment, key, value);
  };
  const std::string bytes = limit ? LimitWord(*limit) : "";
  return absl::StrFormat("%s%s%s%s", line("subject", subject), line("expect", expect), line("limit", bytes), printed);
}

absl::Status CanBeLimited(const Family& family) {
  if (family.CountsMemory()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("limit: outcomes of family ", std::string(family.name()), " do not say how much memory a case needs"));
}

std::string SignatureHash(std::string_view signature) {
  uint32_t hash = 2166136261u;  // FNV-1a
  for (const char c : signature) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return absl::StrFormat("%08x", hash);
}

}  // namespace oomph
