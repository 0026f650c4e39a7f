// A case in a file: its text and the comment lines that say whom it was found in and what is expected.
// Not for: the text form of a case (see Family::Parse) or finding files (see the store).
#ifndef OOMPH_FUZZ_STORE_CASE_FILE_H_
#define OOMPH_FUZZ_STORE_CASE_FILE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "models/base/family.h"

namespace oomph {

struct CaseFile {
  std::string path;
  std::string text;
  const Family* family = nullptr;
  std::unique_ptr<Case> value;
  // From `oomph KEY ...` comment lines; empty if there is none.
  std::string subject;  // as --subject takes it: NAME[:VARIANT]
  std::string expect;   // a signature, or "agree"
  std::string owner;    // of a trophy
  std::string upstream;
  std::optional<uint64_t> limit;  // bytes that the case may need, see Judge::SetLimit
};

// Reads and parses. `family`, if not null, wins over content and name.
absl::StatusOr<CaseFile> ReadCaseFile(const std::string& path, const Family* family);
absl::StatusOr<CaseFile> ParseCaseFile(const std::string& path, std::string text, const Family* family);
// As above, the family chosen from these alone: for families that are in no table.
absl::StatusOr<CaseFile> ParseCaseFile(const std::string& path, std::string text,
                                       const std::vector<const Family*>& families);

// `# oomph subject S`, `# oomph expect SIGNATURE`, `# oomph limit 4GiB`, then the case as its family prints it.
std::string CaseText(const Family& family, std::string_view subject, std::string_view expect,
                     std::string_view printed, std::optional<uint64_t> limit = {});

// For those who take a limit from elsewhere: an error if outcomes of the family do not say what a case needs.
absl::Status CanBeLimited(const Family& family);

// 8 hex digits that name the files of a signature.
std::string SignatureHash(std::string_view signature);

}  // namespace oomph

#endif  // OOMPH_FUZZ_STORE_CASE_FILE_H_
