// The reading of kernels: a cursor over the text, and a function for each form. See text.h.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "models/base/units.h"
#include "models/base/words.h"
#include "models/vmem/text.h"
#include "models/vmem/text_words.h"

namespace oomph::vmem {
namespace {

using std::string_view;

constexpr size_t kMaxTextBytes = 64 * kMiB;
constexpr size_t kMaxDimensions = 64;
constexpr size_t kMaxItems = 4096;  // of a kind
constexpr size_t kMaxDepth = 64;
constexpr size_t kMaxTerms = 64;
constexpr string_view kByteOrderMark = "\xef\xbb\xbf";

constexpr bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsWordChar(char c) { return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

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
  // Whether `next` follows the word that begins here at once.
  bool WordIsFollowedBy(char next) {
    const size_t end = at_ + PeekWord().size();
    return end < text_.size() && text_[end] == next;
  }
  void Pass(string_view token) { at_ += token.size(); }
  bool Try(string_view symbol) {
    if (AtEnd() || !text_.substr(at_).starts_with(symbol)) return false;
    at_ += symbol.size();
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
  // In units of `plain` bytes, which a number without a suffix such as MiB counts.
  uint64_t Bytes(uint64_t plain = 1) {
    const uint64_t value = Number();
    for (const auto& [suffix, unit] : {std::pair<string_view, uint64_t>{"KiB", kKiB}, {"MiB", kMiB}, {"GiB", kGiB}}) {
      if (!ok_ || !text_.substr(at_).starts_with(suffix)) continue;
      at_ += suffix.size();
      if (const std::optional<uint64_t> product = CheckedMul(value, unit / plain)) return *product;
      at_ -= suffix.size();
      Expected("a number of bytes below 2^64");
    }
    return value;
  }
  int64_t Signed(uint64_t plain = 1) {
    const size_t start = (Skip(), at_);
    const bool negative = Try("-");
    const uint64_t value = Bytes(plain);
    constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
    if (value > kMost + (negative ? 1 : 0)) {
      at_ = start;
      Expected("a number of 63 bits");
    }
    return static_cast<int64_t>(negative ? ~value + 1 : value);
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
  Reader(string_view name, string_view text, Kernel& into) : cursor_(name, text), kernel_(into) {}

  absl::Status Read() {
    while (!cursor_.AtEnd()) ReadStatement();
    for (size_t i = 0; i < std::min(semantics_.size(), kernel_.grid.size()); ++i) {
      kernel_.grid[i].semantics = semantics_[i];
    }
    Normalize(kernel_);
    return cursor_.status();
  }

 private:
  // Where an item of a list begins: a type and its bracket.
  bool AtItem() { return !cursor_.PeekWord().empty() && cursor_.WordIsFollowedBy('['); }
  template <typename List>
  bool HasRoom(const List& list, size_t most, string_view what) {
    return list.size() < most || cursor_.Expected(absl::StrCat("at most ", most, " ", std::string(what)));
  }
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
  void ReadKernelWords();
  void ReadGrid();
  void ReadSemantics();
  void ReadOperands(std::vector<Operand>& operands);
  void ReadBuffers(std::vector<Buffer>& buffers, string_view what);
  void ReadScoped();
  hlo::Type ReadType();
  void ReadSizes(std::vector<uint64_t>& sizes);
  Buffer ReadBuffer();
  Operand ReadOperand();
  void ReadBlock(std::vector<BlockDimension>& block);
  void ReadMap(std::vector<Place>& map);
  void ReadPlace(Place& place);
  Term ReadTerm();
  uint32_t ReadAxis();
  uint32_t Small(uint64_t most, string_view what);

  Cursor cursor_;
  Kernel& kernel_;
  std::vector<Semantics> semantics_;
};

void Reader::ReadStatement() {
  switch (OneOf<Statement>(kStatementWords)) {
    case Statement::kKernel:
      return cursor_.ok() ? ReadKernelWords() : void();
    case Statement::kGrid:
      return ReadGrid();
    case Statement::kSem:
      return ReadSemantics();
    case Statement::kPrefetch:
      return ReadBuffers(kernel_.prefetched, "prefetched arrays");
    case Statement::kIn:
      return ReadOperands(kernel_.inputs);
    case Statement::kOut:
      return ReadOperands(kernel_.outputs);
    case Statement::kScratch:
      return ReadBuffers(kernel_.scratch, "scratch buffers");
    case Statement::kScoped:
      return ReadScoped();
    case Statement::kBody:
      kernel_.body = OneOf<Body>(kBodyWords);
      return;
    case Statement::kInternal:
      kernel_.internal_bytes = SaturatingAdd(kernel_.internal_bytes, cursor_.Bytes());
  }
}

void Reader::ReadKernelWords() {
  for (size_t i = 0; i < kTargets; ++i) {
    const string_view name = Targets()[i].name;
    if (!cursor_.TryWord(name) && !(name == "7x" && cursor_.TryWord("v7x"))) continue;
    kernel_.target = static_cast<Target>(i);
    break;
  }
  while (cursor_.ok()) {
    if (cursor_.TryWord("option")) {
      kernel_.option_kib = cursor_.Signed(kKiB);
    } else if (cursor_.TryWord("limit")) {
      kernel_.limit_bytes = cursor_.Signed();
    } else {
      break;
    }
  }
  if (cursor_.AtEnd()) return;
  const string_view word = cursor_.PeekWord();
  if (std::find(std::begin(kStatementWords), std::end(kStatementWords), word) == std::end(kStatementWords)) {
    cursor_.Expected("v4, v4mega, v5e, v5p, v6e, 7x, option, limit or a statement");
  }
}

void Reader::ReadGrid() {
  if (!cursor_.Expect("(") || cursor_.Try(")")) return;
  do {
    if (!HasRoom(kernel_.grid, kMaxDimensions, "dimensions")) return;
    GridDimension dimension;
    dimension.dynamic = cursor_.Try("?");
    dimension.size = cursor_.Number();
    kernel_.grid.push_back(dimension);
  } while (cursor_.Try(","));
  cursor_.Expect(")");
}

void Reader::ReadSemantics() {
  if (!cursor_.Expect("(") || cursor_.Try(")")) return;
  do {
    if (!HasRoom(semantics_, kMaxDimensions, "dimensions")) return;
    const char letter = cursor_.Peek();
    const size_t index = letter == '\0' ? string_view::npos : kSemanticsLetters.find(letter);
    if (index == string_view::npos || cursor_.PeekWord().size() != 1) {
      cursor_.Expected("a, p, c or _ (arbitrary, parallel, core_parallel, none)");
      return;
    }
    cursor_.Pass(cursor_.PeekWord());
    semantics_.push_back(static_cast<Semantics>(index));
  } while (cursor_.Try(","));
  cursor_.Expect(")");
}

void Reader::ReadOperands(std::vector<Operand>& operands) {
  while (AtItem() && HasRoom(operands, kMaxItems, "operands")) operands.push_back(ReadOperand());
}

void Reader::ReadBuffers(std::vector<Buffer>& buffers, string_view what) {
  while (AtItem() && HasRoom(buffers, kMaxItems, what)) buffers.push_back(ReadBuffer());
}

void Reader::ReadScoped() {
  uint32_t depth = 0;
  bool after_buffer = false;  // a brace may follow
  while (cursor_.ok()) {
    if (AtItem()) {
      if (!HasRoom(kernel_.scoped, kMaxItems, "scoped buffers")) return;
      kernel_.scoped.push_back({ReadBuffer(), depth});
      after_buffer = true;
    } else if (after_buffer && cursor_.Try("{")) {
      if (++depth >= kMaxDepth) cursor_.Expected(absl::StrCat("at most ", kMaxDepth, " scopes in one another"));
      after_buffer = false;
    } else if (depth > 0 && cursor_.Try("}")) {
      --depth;
      after_buffer = false;
    } else if (depth > 0) {
      cursor_.Expected("a buffer such as f32[8,128], or '}'");
    } else {
      return;
    }
  }
}

hlo::Type Reader::ReadType() {
  const string_view word = cursor_.PeekWord();
  const hlo::Type type = hlo::TypeNamed(word);
  if (!hlo::IsArrayType(type)) {
    cursor_.Expected("a type such as f32");
    return hlo::Type::kF32;
  }
  cursor_.Pass(word);
  return type;
}

void Reader::ReadSizes(std::vector<uint64_t>& sizes) {
  if (!cursor_.Expect("[") || cursor_.Try("]")) return;
  do {
    if (!HasRoom(sizes, kMaxDimensions, "dimensions")) return;
    sizes.push_back(cursor_.Number());
  } while (cursor_.Try(","));
  cursor_.Expect("]");
}

Buffer Reader::ReadBuffer() {
  Buffer buffer;
  buffer.type = ReadType();
  ReadSizes(buffer.shape);
  return buffer;
}

Operand Reader::ReadOperand() {
  Operand operand;
  operand.type = ReadType();
  ReadSizes(operand.array);
  operand.in_vmem = cursor_.Try("S(1)");
  if (cursor_.Try("/")) ReadBlock(operand.block);
  while (cursor_.Try("@")) {
    if (cursor_.Peek() == '(') {
      ReadMap(operand.map);
    } else {
      operand.space = OneOf<Space>(kSpaceWords);
    }
  }
  if (cursor_.Try("*")) operand.buffers = Small(UINT32_MAX, "buffers");
  operand.fused = cursor_.TryWord("fused");
  return operand;
}

void Reader::ReadBlock(std::vector<BlockDimension>& block) {
  do {
    if (!HasRoom(block, kMaxDimensions, "dimensions")) return;
    BlockDimension dimension;
    if (cursor_.Try("_")) {
      dimension.kind = BlockKind::kSqueezed;
    } else {
      if (cursor_.Try("e")) dimension.kind = BlockKind::kElement;
      dimension.size = cursor_.Number();
    }
    block.push_back(dimension);
  } while (cursor_.Try("x"));
}

void Reader::ReadMap(std::vector<Place>& map) {
  map.clear();
  if (!cursor_.Expect("(") || cursor_.Try(")")) return;
  do {
    if (!HasRoom(map, kMaxDimensions, "places")) return;
    ReadPlace(map.emplace_back());
  } while (cursor_.Try(","));
  cursor_.Expect(")");
}

void Reader::ReadPlace(Place& place) {
  do {
    if (!HasRoom(place, kMaxTerms, "terms")) return;
    place.push_back(ReadTerm());
  } while (cursor_.Try("+"));
}

Term Reader::ReadTerm() {
  if (IsDigit(cursor_.Peek())) return {TermKind::kConstant, 0, cursor_.Number()};
  if (cursor_.Try("min(")) {
    const uint32_t axis = ReadAxis();
    cursor_.Expect(",");
    const uint64_t most = cursor_.Number();
    cursor_.Expect(")");
    return {TermKind::kAtMost, axis, most};
  }
  if (cursor_.Try("p")) {
    const uint64_t array = cursor_.Number();
    cursor_.Expect("[");
    const uint32_t axis = ReadAxis();
    cursor_.Expect("]");
    return {TermKind::kPrefetched, axis, array};
  }
  const uint32_t axis = ReadAxis();
  if (cursor_.Try("*")) return {TermKind::kTimes, axis, cursor_.Number()};
  if (cursor_.Try("%")) return {TermKind::kModulo, axis, cursor_.Number()};
  if (cursor_.Try("//")) return {TermKind::kDivided, axis, cursor_.Number()};
  return {TermKind::kTimes, axis, 1};
}

uint32_t Reader::ReadAxis() {
  const string_view word = cursor_.PeekWord();
  const size_t letter = word.size() == 1 ? kAxisLetters.find(word[0]) : string_view::npos;
  if (letter != string_view::npos) {
    cursor_.Pass(word);
    return static_cast<uint32_t>(letter);
  }
  if (word.size() < 2 || word[0] != 'i' || !IsDigit(word[1])) {
    cursor_.Expected("a grid index (i, j, k, l, m, n, i6, ...), a number, min(i,3) or p0[i]");
    return 0;
  }
  cursor_.Pass(word.substr(0, 1));
  return Small(UINT32_MAX, "grid indices");
}

uint32_t Reader::Small(uint64_t most, string_view what) {
  const uint64_t value = cursor_.Number();
  if (value > most) cursor_.Expected(absl::StrCat("fewer ", std::string(what)));
  return cursor_.ok() ? static_cast<uint32_t>(value) : 0;
}

}  // namespace

bool LooksLikeKernel(string_view text) {
  Cursor cursor("", text);
  const string_view word = cursor.PeekWord();
  const auto found = std::find(std::begin(kStatementWords), std::end(kStatementWords), word);
  if (found == std::end(kStatementWords)) return false;
  const char* const end = word.data() + word.size();
  const bool blank = end == text.data() + text.size() || IsBlank(*end);
  cursor.Pass(word);
  switch (static_cast<Statement>(found - std::begin(kStatementWords))) {
    case Statement::kGrid:
    case Statement::kSem:
      return cursor.Peek() == '(';
    case Statement::kKernel:
      return blank;
    case Statement::kBody:
      return blank && !cursor.PeekWord().empty();
    case Statement::kInternal:
      return blank && IsDigit(cursor.Peek());
    default:
      return blank && !cursor.PeekWord().empty() && cursor.WordIsFollowedBy('[');
  }
}

absl::Status ParseKernel(string_view name, string_view text, Kernel& into) {
  into = Kernel();
  if (text.size() > kMaxTextBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(std::string(name), ":1:1: expected at most ", kMaxTextBytes, " bytes, found ", text.size()));
  }
  return Reader(name, text, into).Read();
}

}  // namespace oomph::vmem
