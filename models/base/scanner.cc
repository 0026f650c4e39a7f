// The line scanner. Not for nested texts.

#include "models/base/scanner.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "models/base/units.h"

namespace oomph {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::string_view kDirective = "oomph";
constexpr size_t kMaxFoundBytes = 40;

constexpr bool IsBlank(char c) { return c == ' ' || c == '\t'; }

constexpr bool IsNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

constexpr bool IsNameCharacter(char c) {
  return IsNameStart(c) || (c >= '0' && c <= '9') || c == '.' || c == '-';
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

// The name at the start of `text`, or nothing.
std::string_view LeadingName(std::string_view text) {
  if (text.empty() || !IsNameStart(text.front())) return {};
  size_t length = 1;
  while (length < text.size() && IsNameCharacter(text[length])) ++length;
  return text.substr(0, length);
}

// What was found, in quotes, short, and free of bytes that would break the line or the terminal.
std::string Found(std::string_view text) {
  if (text.empty()) return "the end of the line";
  const std::string_view shown = text.substr(0, kMaxFoundBytes);
  return absl::StrCat("'", absl::CHexEscape({shown.data(), shown.size()}),
                      shown.size() < text.size() ? "...'" : "'");
}

}  // namespace

Scanner::Scanner(std::string_view name, std::string_view text, ScannerOptions options)
    : name_(name), options_(options), rest_(text) {
  if (text.size() > options_.max_bytes) {
    line_number_ = 1;
    Fail(0, absl::StrCat("at most ", options_.max_bytes, " bytes"), absl::StrCat(text.size()));
    return;
  }
  if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
}

bool Scanner::NextLine() {
  while (ok() && !rest_.empty()) {
    const size_t end = rest_.find('\n');
    line_ = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    position_ = token_ = token_length_ = 0;
    ++line_number_;
    if (line_.size() > options_.max_line_bytes) {
      Fail(0, absl::StrCat("a line of at most ", options_.max_line_bytes, " bytes"),
           absl::StrCat(line_.size()));
    } else if (const size_t nul = line_.find('\0'); nul != std::string_view::npos) {
      Fail(nul, "text", "a NUL byte");
    } else if (!AtEndOfLine()) {
      return true;
    } else {
      CollectDirective();
    }
  }
  return false;
}

void Scanner::SkipBlanks() {
  while (position_ < line_.size() && IsBlank(line_[position_])) ++position_;
}

bool Scanner::StartsComment() const {
  return !options_.comment.empty() && line_.substr(position_).starts_with(options_.comment) &&
         (position_ == 0 || IsBlank(line_[position_ - 1]));
}

bool Scanner::AtEndOfLine() {
  SkipBlanks();
  return position_ == line_.size() || StartsComment();
}

void Scanner::ExpectEndOfLine() {
  if (!AtEndOfLine()) Expected("the end of the line");
}

// Called on a line that is only a comment, with position_ at its start.
void Scanner::CollectDirective() {
  if (position_ == line_.size()) return;
  std::string_view rest = Trim(line_.substr(position_ + options_.comment.size()));
  if (LeadingName(rest) != kDirective) return;
  rest = Trim(rest.substr(kDirective.size()));
  const std::string_view key = LeadingName(rest);
  if (key.empty()) return;
  directives_.push_back({key, Trim(rest.substr(key.size())), line_number_});
}

std::string_view Scanner::PeekWord() const {
  size_t end = position_;
  while (end < line_.size() && !IsBlank(line_[end])) ++end;
  return line_.substr(position_, end - position_);
}

std::string_view Scanner::Take(size_t length) {
  token_ = position_;
  token_length_ = length;
  position_ += length;
  return line_.substr(token_, length);
}

std::string_view Scanner::Word() {
  if (AtEndOfLine()) {
    Expected("a word");
    return {};
  }
  return Take(PeekWord().size());
}

std::string_view Scanner::Name() {
  if (!AtEndOfLine()) {
    const std::string_view name = LeadingName(line_.substr(position_));
    if (!name.empty()) return Take(name.size());
  }
  Expected("a name");
  return {};
}

uint64_t Scanner::Number() {
  if (!AtEndOfLine()) {
    const ScannedNumber number = ScanNumber(line_.substr(position_));
    const size_t end = position_ + number.length;
    if (number.length > 0 && (end == line_.size() || !IsNameCharacter(line_[end]))) {
      if (!number.too_large) {
        Take(number.length);
        return number.value;
      }
      Expected("a number below 2^64");
      return 0;
    }
  }
  Expected("a number");
  return 0;
}

bool Scanner::TryKeyword(std::string_view keyword) {
  if (AtEndOfLine() || LeadingName(line_.substr(position_)) != keyword) return false;
  Take(keyword.size());
  return true;
}

bool Scanner::Keyword(std::string_view keyword) {
  if (TryKeyword(keyword)) return true;
  Expected(absl::StrCat("'", absl::string_view(keyword.data(), keyword.size()), "'"));
  return false;
}

bool Scanner::TrySymbol(std::string_view symbol) {
  if (AtEndOfLine() || !line_.substr(position_).starts_with(symbol)) return false;
  Take(symbol.size());
  return true;
}

bool Scanner::Symbol(std::string_view symbol) {
  if (TrySymbol(symbol)) return true;
  Expected(absl::StrCat("'", absl::string_view(symbol.data(), symbol.size()), "'"));
  return false;
}

size_t Scanner::OneOf(std::span<const std::string_view> table) {
  if (!AtEndOfLine()) {
    const std::string_view name = LeadingName(line_.substr(position_));
    for (size_t i = 0; i < table.size(); ++i) {
      if (table[i] != name) continue;
      Take(name.size());
      return i;
    }
  }
  std::string list = table.size() == 1 ? "" : "one of ";
  for (size_t i = 0; i < table.size(); ++i) {
    if (i > 0) list.append(", ");
    list.append(table[i]);
  }
  Expected(list);
  return 0;
}

std::string_view Scanner::RestOfLine() {
  SkipBlanks();
  const size_t begin = position_;
  while (!AtEndOfLine()) position_ += PeekWord().size();
  const size_t length = Trim(line_.substr(begin, position_ - begin)).size();
  position_ = begin;
  return Take(length);
}

void Scanner::Expected(std::string_view what) {
  if (!ok()) return;
  const bool end = AtEndOfLine();
  Fail(position_, what, Found(end ? std::string_view() : PeekWord()));
}

void Scanner::Refuse(std::string_view what) {
  Fail(token_, what, Found(line_.substr(token_, token_length_)));
}

void Scanner::Fail(size_t position, std::string_view what, std::string_view found) {
  if (!ok()) return;
  std::string text(name_);
  absl::StrAppend(&text, ":", line_number_, ":", position + 1, ": expected ");
  text.append(what).append(", found ").append(found);
  status_ = absl::InvalidArgumentError(text);
  rest_ = line_ = {};
  position_ = token_ = token_length_ = 0;
}

std::vector<Directive> FindDirectives(std::string_view text, ScannerOptions options) {
  Scanner scanner("", text, options);
  while (scanner.NextLine()) {
  }
  return scanner.directives();
}

}  // namespace oomph
