// The reading of SparseCore programs: a cursor over the text, and a function for each form. See text.h.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "models/base/units.h"
#include "models/base/words.h"
#include "models/sparsecore/text.h"
#include "models/sparsecore/text_words.h"

namespace oomph::sparsecore {
namespace {

using std::string_view;

constexpr size_t kMaxTextBytes = 256 * kMiB;
constexpr size_t kMaxStatements = 4'000'000;
constexpr size_t kMaxLimits = 1000;
constexpr size_t kMaxWordBytes = 4096;
constexpr string_view kByteOrderMark = "\xef\xbb\xbf";

constexpr bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsWordChar(char c) { return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

constexpr std::array<string_view, kTargets> kTargetWords = {"v5p", "v6e", "7x"};
constexpr std::array<string_view, kSparseCoreSpaces> kSpaceWords = {
    "spmem", "tile_spmem", "smem_tile", "sflag_tile", "smem_scs", "sflag_scs", "hbm"};

std::string ListOf(std::span<const string_view> words) {
  std::string list;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) list += i + 1 == words.size() ? " or " : ", ";
    list += words[i];
  }
  return list;
}

// A place in the text. The first error stays; after it every token is empty or 0, and Try finds nothing.
class Cursor {
 public:
  Cursor(string_view name, string_view text) : name_(name), text_(text) {
    if (text_.starts_with(kByteOrderMark)) text_.remove_prefix(kByteOrderMark.size());
  }

  // Blanks, ends of lines, and comments: from # at the start of a line or after a blank.
  void Skip() {
    while (at_ < text_.size()) {
      if (IsBlank(text_[at_])) {
        ++at_;
      } else if (text_[at_] == '#' && (at_ == 0 || IsBlank(text_[at_ - 1]))) {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        return;
      }
    }
  }
  bool AtEnd() {
    Skip();
    return !ok_ || at_ == text_.size();
  }
  char Peek() { return AtEnd() ? '\0' : text_[at_]; }
  // The word that begins here, which is not passed.
  string_view PeekWord() {
    if (AtEnd()) return {};
    size_t end = at_;
    while (end < text_.size() && IsWordChar(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }
  // Up to the next blank.
  string_view PeekUntilBlank() {
    if (AtEnd()) return {};
    size_t end = at_;
    while (end < text_.size() && !IsBlank(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }
  void Pass(string_view token) { at_ += token.size(); }
  bool Try(string_view symbol) {
    if (AtEnd() || !text_.substr(at_).starts_with(symbol)) return false;
    at_ += symbol.size();
    return true;
  }
  // What follows without a blank.
  bool TryHere(char symbol) {
    if (!ok_ || at_ == text_.size() || text_[at_] != symbol) return false;
    ++at_;
    return true;
  }
  bool TryWord(string_view word) {
    if (PeekWord() != word || word.empty()) return false;
    Pass(word);
    return true;
  }
  bool Expect(string_view symbol) { return Try(symbol) || Expected(absl::StrCat("'", std::string(symbol), "'")); }

  // Decimal digits, below 2^64.
  uint64_t Number() {
    Skip();
    const size_t start = at_;
    uint64_t value = 0;
    bool fits = true;
    while (ok_ && at_ < text_.size() && IsDigit(text_[at_])) {
      fits = fits && !__builtin_mul_overflow(value, uint64_t{10}, &value) &&
             !__builtin_add_overflow(value, static_cast<uint64_t>(text_[at_] - '0'), &value);
      ++at_;
    }
    if (ok_ && at_ == start) Expected("a number");
    if (!fits) {
      at_ = start;
      Expected("a number below 2^64");
    }
    return ok_ ? value : 0;
  }

  // Reports what stands here. False.
  bool Expected(string_view what) {
    if (!ok_) return false;
    Skip();
    ok_ = false;
    const string_view before = text_.substr(0, at_);
    const size_t line = 1 + static_cast<size_t>(std::count(before.begin(), before.end(), '\n'));
    const size_t column = at_ - (before.rfind('\n') == string_view::npos ? 0 : before.rfind('\n') + 1) + 1;
    error_ =
        absl::StrCat(std::string(name_), ":", line, ":", column, ": expected ", std::string(what), ", found ", Found());
    return false;
  }
  size_t at() const { return at_; }
  void MoveTo(size_t at) { at_ = at; }
  bool ok() const { return ok_; }
  absl::Status status() const { return ok_ ? absl::OkStatus() : absl::InvalidArgumentError(error_); }

 private:
  std::string Found() const {
    if (at_ == text_.size()) return "the end";
    size_t end = at_;
    while (end < text_.size() && IsWordChar(text_[end])) ++end;
    return absl::StrCat("'", OneLine(text_.substr(at_, std::clamp<size_t>(end - at_, 1, 40))), "'");
  }

  const string_view name_;
  string_view text_;
  size_t at_ = 0;
  bool ok_ = true;
  std::string error_;
};

class Reader {
 public:
  Reader(string_view name, string_view text, Program& into) : cursor_(name, text), program_(into) {}

  absl::Status Read() {
    while (!cursor_.AtEnd()) ReadStatement();
    for (const auto& [statement, name] : early_) program_.statements[statement].buffer = Named(name);
    if (cursor_.ok()) Normalize(program_);
    return cursor_.status();
  }
  // Whether a statement stands here, and after it another or nothing.
  bool ReadFirst() {
    if (cursor_.AtEnd()) return false;
    ReadStatement();
    return cursor_.ok() && (cursor_.AtEnd() || IsStatementWord(cursor_.PeekWord()));
  }

 private:
  template <typename Enum>
  Enum OneOf(std::span<const string_view> words) {
    const string_view word = cursor_.PeekWord();
    const auto found = std::find(words.begin(), words.end(), word);
    if (found == words.end()) {
      cursor_.Expected(ListOf(words));
      return Enum{};
    }
    cursor_.Pass(word);
    return static_cast<Enum>(found - words.begin());
  }

  void ReadStatement();
  void ReadHead();
  void ReadLimit();
  void ReadAllocation(Statement& statement);
  void ReadBuffer(Buffer& buffer);
  void ReadSizes(std::vector<uint64_t>& sizes);
  void ReadTile(std::vector<uint64_t>& tile);
  void ReadPlace(Buffer& buffer);
  string_view ReadName();
  uint32_t Named(string_view name) const {
    const auto found = numbers_.find(absl::string_view(name.data(), name.size()));
    return found == numbers_.end() ? kNoBuffer : found->second;
  }
  std::string Word(string_view what);

  Cursor cursor_;
  Program& program_;
  absl::flat_hash_map<std::string, uint32_t> numbers_;
  std::vector<std::pair<size_t, string_view>> early_;  // statements that name what is not there yet
};

void Reader::ReadStatement() {
  if (cursor_.TryWord(kHeadWord)) return ReadHead();
  if (cursor_.TryWord(kLimitWord)) return ReadLimit();
  const string_view word = cursor_.PeekWord();
  const auto found = std::find(std::begin(kKindWords), std::end(kKindWords), word);
  if (found == std::end(kKindWords)) {
    cursor_.Expected(absl::StrCat("sparsecore, limit, ", ListOf(kKindWords)));
    return;
  }
  if (program_.statements.size() >= kMaxStatements) {
    cursor_.Expected(absl::StrCat("at most ", kMaxStatements, " statements"));
    return;
  }
  cursor_.Pass(word);
  Statement statement;
  statement.kind = static_cast<Kind>(found - std::begin(kKindWords));
  if (statement.kind == Kind::kScratch || statement.kind == Kind::kAllocate) {
    ReadAllocation(statement);
  } else if (Names(statement.kind)) {
    const string_view name = ReadName();
    statement.buffer = Named(name);
    if (!name.empty() && statement.buffer == kNoBuffer) early_.emplace_back(program_.statements.size(), name);
  } else if (statement.kind == Kind::kFor) {
    statement.trips = cursor_.Try("?") ? kUnknownTrips : cursor_.Number();
  }
  program_.statements.push_back(statement);
}

void Reader::ReadHead() {
  while (!cursor_.AtEnd()) {
    const string_view word = cursor_.PeekWord();
    const auto target = std::find(kTargetWords.begin(), kTargetWords.end(), word == "v7x" ? "7x" : word);
    if (target != kTargetWords.end()) {
      cursor_.Pass(word);
      program_.target = static_cast<Target>(target - kTargetWords.begin());
    } else if (cursor_.TryWord("core")) {
      program_.core = OneOf<Core>(kCoreWords);
    } else if (cursor_.TryWord("tiling")) {
      program_.tiling = OneOf<Tiling>(kTilingWords);
    } else if (cursor_.TryWord("wording")) {
      program_.wording = OneOf<Wording>(kWordingWords);
    } else if (IsStatementWord(word)) {
      return;
    } else {
      cursor_.Expected("v5p, v6e, 7x, core, tiling, wording or a statement");
    }
  }
}

void Reader::ReadLimit() {
  SpaceLimit limit;
  limit.space = OneOf<Space>(kSpaceWords);
  if (IsDigit(cursor_.Peek())) limit.last_word = cursor_.Number();
  if (cursor_.TryWord("first")) limit.first_word = cursor_.Number();
  if (program_.limits.size() >= kMaxLimits) {
    cursor_.Expected(absl::StrCat("at most ", kMaxLimits, " limits"));
    return;
  }
  program_.limits.push_back(limit);
}

// Empty where a statement follows, or nothing.
string_view Reader::ReadName() {
  const string_view word = cursor_.PeekWord();
  if (word.empty() || IsStatementWord(word)) return {};
  const bool fits = !IsDigit(word[0]) && word.size() <= kMaxWordBytes &&
                    std::all_of(word.begin(), word.end(), [](char c) { return c < 'A' || c > 'Z'; });
  if (!fits) {
    cursor_.Expected("a name of a-z, 0-9 and _");
    return {};
  }
  cursor_.Pass(word);
  return word;
}

void Reader::ReadAllocation(Statement& statement) {
  const size_t before = (cursor_.Skip(), cursor_.at());
  const string_view name = ReadName();
  if (name.empty()) {
    cursor_.Expected("a name");
    return;
  }
  statement.buffer = static_cast<uint32_t>(program_.buffers.size());
  if (!numbers_.emplace(name, statement.buffer).second) {
    cursor_.MoveTo(before);
    cursor_.Expected("a name that is not there yet");
    return;
  }
  program_.buffers.emplace_back();
  program_.buffers.back().name = std::string(name);
  ReadBuffer(program_.buffers.back());
}

void Reader::ReadBuffer(Buffer& buffer) {
  buffer.space = OneOf<Space>(kSpaceWords);
  const string_view type = cursor_.PeekWord();
  buffer.type = hlo::TypeNamed(type);
  if (!hlo::IsArrayType(buffer.type)) {
    cursor_.Expected("a type such as f32");
    return;
  }
  cursor_.Pass(type);
  ReadSizes(buffer.shape);
  if (cursor_.TryHere('/')) ReadTile(buffer.tile.emplace());
  if (cursor_.TryWord("at")) ReadPlace(buffer);
}

void Reader::ReadSizes(std::vector<uint64_t>& sizes) {
  if (!cursor_.Expect("[") || cursor_.Try("]")) return;
  do {
    if (sizes.size() >= kMaxDimensions) {
      cursor_.Expected(absl::StrCat("at most ", kMaxDimensions, " dimensions"));
      return;
    }
    sizes.push_back(cursor_.Number());
  } while (cursor_.Try(","));
  cursor_.Expect("]");
}

void Reader::ReadTile(std::vector<uint64_t>& tile) {
  do {
    if (tile.size() >= kMaxDimensions) {
      cursor_.Expected(absl::StrCat("at most ", kMaxDimensions, " dimensions"));
      return;
    }
    tile.push_back(cursor_.Number());
  } while (cursor_.TryHere('x'));
}

std::string Reader::Word(string_view what) {
  const string_view word = cursor_.PeekUntilBlank();
  if (word.empty() || word.size() > kMaxWordBytes) {
    cursor_.Expected(what);
    return "";
  }
  cursor_.Pass(word);
  return std::string(word);
}

void Reader::ReadPlace(Buffer& buffer) {
  buffer.place = Word("a place such as f.mlir:3:5");
  if (cursor_.Peek() == '%') buffer.value = Word("a value such as %3");
}

}  // namespace

bool LooksLikeProgram(string_view text) {
  Program program;
  return Reader("", text, program).ReadFirst();
}

absl::Status ParseProgram(string_view name, string_view text, Program& into) {
  into = Program();
  if (text.size() > kMaxTextBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(std::string(name), ":1:1: expected at most ", kMaxTextBytes, " bytes, found ", text.size()));
  }
  return Reader(name, text, into).Read();
}

}  // namespace oomph::sparsecore
