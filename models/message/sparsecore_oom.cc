// See sparsecore_oom.h. The message is first made one line, every gap one blank; then it is a few literals in a row.
#include "models/message/sparsecore_oom.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "models/base/units.h"

namespace oomph {
namespace {

constexpr size_t kWindow = 64 * kKiB;  // how much of a message is looked at
constexpr size_t kLongestField = 4000;
constexpr std::string_view kCode = "E3000: CompileTimeSparseCoreAllocationFailure: ";
constexpr std::string_view kBound = "current allocation offset upper bound (";
constexpr std::string_view kLimit = " words) exceeds the legitimate user allocatable offset upper bound (";
constexpr std::string_view kSpace = " words) in memory space ";
constexpr std::string_view kWords = " when allocating ";
constexpr std::string_view kError = ": error: 'memref.alloca' op ";
constexpr std::string_view kNote = ": note: see current operation: ";
constexpr std::string_view kOperation = " = \"memref.alloca\"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> ";
constexpr std::string_view kTable = "No viable logical replica count for the embedding table with metadata: ";

bool IsSpace(char c) { return absl::ascii_isspace(static_cast<unsigned char>(c)); }
bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }

// Gaps are blanks, line ends, and "\n" of a text in quotes; of other escapes the backslash goes.
std::string OneLine(std::string_view text) {
  std::string line;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && text[end] == '\\') ++end;
    const bool escaped = end > at && end < text.size() && (text[end] == 'n' || text[end] == 't' || text[end] == 'r');
    if (escaped || IsSpace(text[at])) {
      if (!line.empty() && line.back() != ' ') line += ' ';
      at = escaped ? end + 1 : at + 1;
    } else if (end > at) {
      at = end;
    } else {
      line += text[at++];
    }
  }
  return line;
}

// A place in the line.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool Take(std::string_view literal) {
    if (!text_.substr(at_).starts_with(literal)) return false;
    at_ += literal.size();
    return true;
  }
  bool Seek(std::string_view literal) {
    const size_t found = text_.find(literal, at_);
    if (found == text_.npos) return false;
    at_ = found + literal.size();
    return true;
  }
  std::optional<int64_t> Signed() {
    size_t end = at_ + (text_.substr(at_).starts_with('-') ? 1 : 0);
    while (end < text_.size() && IsDigit(text_[end]) && end - at_ < 32) ++end;
    int64_t value = 0;
    const std::string_view digits = text_.substr(at_, end - at_);
    if (!absl::SimpleAtoi(absl::string_view(digits.data(), digits.size()), &value)) return std::nullopt;
    at_ = end;
    return value;
  }
  std::optional<uint64_t> Number() {
    size_t end = at_;
    while (end < text_.size() && IsDigit(text_[end]) && end - at_ < 32) ++end;
    uint64_t value = 0;
    const std::string_view digits = text_.substr(at_, end - at_);
    if (!absl::SimpleAtoi(absl::string_view(digits.data(), digits.size()), &value)) return std::nullopt;
    at_ = end;
    return value;
  }
  // Letters, digits and _.
  std::string_view Name() {
    size_t end = at_;
    while (end < text_.size() && (absl::ascii_isalnum(static_cast<unsigned char>(text_[end])) || text_[end] == '_')) ++end;
    return Pass(end);
  }
  std::string_view UntilBlank() { return Pass(std::min(text_.find(' ', at_), text_.size())); }
  // What ends where the bracket ends that it opens: "memref<313x128xf32, #sc_tpu.memory_space<spmem>>".
  std::string_view Bracketed() {
    size_t end = at_, depth = 0;
    for (; end < text_.size() && end - at_ < kLongestField; ++end) {
      if (text_[end] == '<') ++depth;
      if (text_[end] == '>' && (depth == 0 || --depth == 0)) return Pass(end + 1);
      if (text_[end] == ' ' && depth == 0) break;
    }
    return Pass(end);
  }

 private:
  std::string_view Pass(size_t end) {
    const std::string_view passed = text_.substr(at_, end - at_);
    at_ = end;
    return passed;
  }

  const std::string_view text_;
  size_t at_ = 0;
};

// "...: result.1:279:1: error: 'memref.alloca' op " before the bound. What precedes the file's name in a text without
// blanks ("pipeline.f.6:56:1") is no part of it.
std::string PlaceBefore(std::string_view before) {
  while (before.ends_with(' ')) before.remove_suffix(1);
  if (before.ends_with(kCode.substr(0, kCode.size() - 1))) before.remove_suffix(kCode.size() - 1);
  while (before.ends_with(' ')) before.remove_suffix(1);
  constexpr std::string_view kEnd = kError.substr(0, kError.size() - 1);
  if (!before.ends_with(kEnd)) return "";
  before.remove_suffix(kEnd.size());
  const size_t blank = before.rfind(' ');
  std::string_view place = before.substr(blank == before.npos ? 0 : blank + 1);
  constexpr std::string_view kGlued = "pipeline.";
  if (place.starts_with(kGlued)) place.remove_prefix(kGlued.size());
  return std::string(place.substr(0, kLongestField));
}

// Of the numbers 0 and 204 each stands for two memories; those of the scalar core are far larger.
std::optional<SparseCoreSpace> MemoryOf(std::string_view space, int64_t limit) {
  for (size_t i = 0; i < kSparseCoreSpaces; ++i) {
    if (SparseCoreSpaceName(static_cast<SparseCoreSpace>(i)) == space) return static_cast<SparseCoreSpace>(i);
  }
  if (space == "201") return SparseCoreSpace::kTileSpmem;
  if (space == "202") return SparseCoreSpace::kSpmem;
  if (space == "203") return SparseCoreSpace::kHbm;
  if (space == "0") return limit > 2047 ? SparseCoreSpace::kSmemScs : SparseCoreSpace::kSmemTile;
  if (space == "204") return limit > 255 ? SparseCoreSpace::kSflagScs : SparseCoreSpace::kSflagTile;
  return std::nullopt;
}

// The numbers, from behind kBound on.
bool ReadNumbers(Reader& reader, SparseCoreOom& oom) {
  const auto bound = reader.Signed();
  if (!bound || !reader.Take(kLimit)) return false;
  const auto limit = reader.Signed();
  if (!limit || !reader.Take(kSpace)) return false;
  oom.space = std::string(reader.Name());
  if (oom.space.empty() || oom.space.size() > 100 || !reader.Take(kWords)) return false;
  const auto words = reader.Signed();
  if (!words || !reader.Take(" words")) return false;
  oom.bound = *bound;
  oom.limit = *limit;
  oom.words = *words;
  return true;
}

void ReadOperation(Reader& reader, SparseCoreOom& oom) {
  if (!reader.Seek(kNote)) return;
  oom.value = std::string(reader.UntilBlank().substr(0, kLongestField));
  if (reader.Seek("() -> ")) oom.type = std::string(reader.Bracketed());
}

}  // namespace

absl::StatusOr<SparseCoreOom> ReadSparseCoreOom(std::string_view text) {
  // Blanks can stand for line ends: the first word of the literal finds it, the rest is held against one line.
  constexpr std::string_view kFirst = "current";
  for (size_t at = text.find(kFirst); at != text.npos; at = text.find(kFirst, at + 1)) {
    const size_t begin = at > kLongestField ? at - kLongestField : 0;
    const std::string after = OneLine(text.substr(at, kBound.size() + 64));
    if (!std::string_view(after).starts_with(kBound)) continue;
    const std::string line = OneLine(text.substr(at, kWindow));
    Reader reader(line);
    SparseCoreOom oom;
    if (!reader.Take(kBound) || !ReadNumbers(reader, oom)) continue;
    const std::string before = OneLine(text.substr(begin, at - begin));
    oom.memory = MemoryOf(oom.space, oom.limit);
    oom.numbered = !oom.space.empty() && IsDigit(oom.space[0]);
    oom.place = PlaceBefore(before);
    ReadOperation(reader, oom);
    return oom;
  }
  return absl::NotFoundError("no SparseCore allocation that does not fit (E3000)");
}

// Of the numbered form the text of the published page; of the named one that of libtpu 0.0.52.
std::string PrintSparseCoreOom(const SparseCoreOom& oom) {
  const std::string numbers = absl::StrCat(std::string(kBound), oom.bound, std::string(kLimit), oom.limit,
                                           std::string(kSpace), oom.space, std::string(kWords), oom.words, " words");
  const std::string operation = absl::StrCat(oom.place, std::string(kNote), oom.value, std::string(kOperation), oom.type);
  if (oom.numbered) {
    return absl::StrCat("INTERNAL:Failed to run pass pipeline. Hlo-Op: ", oom.place, std::string(kError), numbers, ". ",
                        operation);
  }
  return absl::StrCat("INTERNAL: Failed to run MLO pass pipeline.", oom.place, std::string(kError), std::string(kCode),
                      numbers, "\nSee https://openxla.org/xla/errors/error_3000 for more details.\n", operation,
                      "\nmain.1:1:1: error: NOTE: Failed in pass AllocationAssignment\n");
}

absl::StatusOr<EmbeddingTable> ReadEmbeddingTable(std::string_view text) {
  constexpr std::string_view kFirst = "No viable";
  const size_t at = text.find(kFirst);
  if (at == text.npos) return absl::NotFoundError("no embedding table that does not fit (E3001)");
  const std::string line = OneLine(text.substr(at, kWindow));
  Reader reader(line);
  if (!reader.Take(kTable)) return absl::NotFoundError("no embedding table that does not fit (E3001)");
  EmbeddingTable table;
  const std::pair<std::string_view, uint64_t*> fields[] = {
      {"max_nz_per_row = ", &table.max_nz_per_row},
      {"max_unique_nz_per_row = ", &table.max_unique_nz_per_row},
      {"feature_width = ", &table.feature_width},
      {"sample_count = ", &table.sample_count},
      {"fixed_size_allocation_bytes = ", &table.fixed_bytes},
      {"row_dependent_size_allocation_bytes = ", &table.row_dependent_bytes},
      {"total_spmem_size_bytes = ", &table.spmem_bytes},
  };
  for (const auto& [name, into] : fields) {
    const auto value = reader.Seek(name) ? reader.Number() : std::nullopt;
    if (!value) {
      const std::string field(name.substr(0, name.size() - 3));
      return absl::InvalidArgumentError(absl::StrCat("E3001 without a number of ", field));
    }
    *into = *value;
  }
  return table;
}

}  // namespace oomph
