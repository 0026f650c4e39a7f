// Tokens that are too rare to be inlined, and the text of errors.
#include "models/hlo/cursor.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace oomph::hlo {
namespace {

// A line of a dump can have megabytes: what is shown is a part of it around the place.
constexpr size_t kShownBefore = 60;
constexpr size_t kShownAfter = 40;

// As the place stands in the text, but on one line and without control characters.
std::string Shown(std::string_view text) {
  std::string shown(text);
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; },
      ' ');
  return shown;
}

std::string Found(std::string_view rest) {
  if (rest.empty()) return "the end of the text";
  if (rest.front() == '\n' || rest.front() == '\r') return "the end of the line";
  size_t length = 1;
  if (Is(rest.front(), kNameChar) || rest.front() == '%') {
    while (length < rest.size() && length < 40 && Is(rest[length], kNameChar)) ++length;
  }
  return absl::StrCat("'", Shown(rest.substr(0, length)), "'");
}

}  // namespace

bool Cursor::Try(std::string_view word) {
  SkipBlanks();
  const size_t left = static_cast<size_t>(end_ - at_);
  if (left < word.size() || std::memcmp(at_, word.data(), word.size()) != 0) return false;
  if (left > word.size() && Is(word.back(), kNameChar) && Is(at_[word.size()], kNameChar)) return false;
  at_ += word.size();
  return true;
}

bool Cursor::Expect(char c) {
  if (Try(c)) return true;
  return Fail(at_,
              std::string_view(&c, 1) == "\n" ? "a new line" : absl::StrCat("'", std::string(1, c), "'"));
}

bool Cursor::Name(std::string_view& name, std::string_view what) {
  name = TryName();
  return name.empty() ? Fail(at_, what) : true;
}

bool Cursor::Integer(int64_t& value) {
  SkipBlanks();
  const char* start = at_;
  const char* p = at_;
  const bool negative = p < end_ && *p == '-';
  if (negative) ++p;
  if (p == end_ || !Is(*p, kDigit)) return Fail(start, "an integer");
  uint64_t digits = 0;
  for (; p < end_ && Is(*p, kDigit); ++p) {
    if (__builtin_mul_overflow(digits, 10u, &digits) ||
        __builtin_add_overflow(digits, static_cast<uint64_t>(*p - '0'), &digits)) {
      return Fail(start, "an integer of 64 bits");
    }
  }
  const uint64_t limit = static_cast<uint64_t>(INT64_MAX) + (negative ? 1 : 0);
  if (digits > limit) return Fail(start, "an integer of 64 bits");
  value = static_cast<int64_t>(negative ? uint64_t{0} - digits : digits);
  at_ = p;
  return true;
}

bool Cursor::Boolean(bool& value) {
  value = Try(std::string_view("true"));
  return value || Try(std::string_view("false")) ? true : Expected("'true' or 'false'");
}

bool Cursor::Quoted(std::string& text) {
  const char quote = Peek();
  if (quote != '"' && quote != '\'') return Fail(at_, "a quoted text");
  const char* start = at_ + 1;
  const char* end = EndOfQuoted(at_);
  if (end == nullptr) return false;
  at_ = end;
  text.assign(start, end - 1);
  if (quote == '"') return true;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      text.insert(i++, 1, '\\');
    }
  }
  return true;
}

const char* Cursor::EndOfQuoted(const char* start) {
  const char quote = *start;
  for (const char* p = start + 1; p < end_;) {
    p = static_cast<const char*>(std::memchr(p, quote, static_cast<size_t>(end_ - p)));
    if (p == nullptr) break;
    const char* escape = p;
    while (escape - 1 > start && escape[-1] == '\\') --escape;
    if ((p - escape) % 2 == 0) return p + 1;
    ++p;
  }
  Fail(start, "a quote that is closed");
  return nullptr;
}

const char* Cursor::EndOfBrackets(const char* start) {
  size_t depth = 0;
  for (const char* p = start; p < end_;) {
    const char c = *p;
    if (!Is(c, kBreak) || Is(c, kBlank)) {
      ++p;
    } else if (c == '{' || c == '(' || c == '[') {
      ++depth;
      ++p;
    } else if (c == '}' || c == ')' || c == ']') {
      ++p;
      if (--depth == 0) return p;
    } else if (c == '"') {
      p = EndOfQuoted(p);
      if (p == nullptr) return nullptr;
    } else if (c == '\'') {
      // An apostrophe where no other follows on the line is no quote.
      const char* other = p + 1;
      while (other < end_ && *other != '\'' && *other != '\n') ++other;
      p = other == end_ || *other == '\n' ? other : EndOfQuoted(p);
      if (p == nullptr) return nullptr;
    } else if (c == '/' && p + 1 < end_ && (p[1] == '*' || p[1] == '/')) {
      const char* before = at_;
      at_ = p;
      SkipComments();
      p = at_ > p ? at_ : p + 1;
      at_ = before;
      if (!ok()) return nullptr;
    } else {
      ++p;
    }
  }
  Fail(start, "a bracket that is closed");
  return nullptr;
}

void Cursor::SkipComments() {
  while (end_ - at_ >= 2 && at_[0] == '/') {
    const std::string_view rest(at_, static_cast<size_t>(end_ - at_));
    if (at_[1] == '/') {
      const size_t line_end = rest.find('\n');
      at_ = line_end == std::string_view::npos ? end_ : at_ + line_end;
    } else if (at_[1] == '*') {
      const size_t close = rest.find("*/", 2);
      if (close == std::string_view::npos) {
        Fail(at_, "a comment that is closed");
        return;
      }
      saw_index_comment_ |= rest.starts_with("/*index=");
      at_ += close + 2;
    } else {
      return;
    }
    while (at_ < end_ && Is(*at_, kBlank)) ++at_;
  }
}

bool Cursor::Fail(const char* at, std::string_view expected) {
  if (ok()) {
    error_at_ = at;
    refused_ = false;
    error_ = std::string(expected);
  }
  return false;
}

bool Cursor::Refuse(const char* at, std::string_view reason) {
  if (ok()) {
    Fail(at, reason);
    refused_ = true;
  }
  return false;
}

absl::Status Cursor::status(std::string_view name) const {
  if (ok()) return absl::OkStatus();
  const std::string_view before(begin_, static_cast<size_t>(error_at_ - begin_));
  const std::string_view after(error_at_, static_cast<size_t>(end_ - error_at_));
  const size_t last_break = before.rfind('\n');
  const std::string_view start =
      last_break == std::string_view::npos ? before : before.substr(last_break + 1);
  const size_t line = static_cast<size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  const std::string_view left = start.substr(start.size() - std::min(start.size(), kShownBefore));
  const std::string_view right = after.substr(0, std::min(after.find('\n'), kShownAfter));
  const std::string what = refused_ ? error_ : absl::StrCat("expected ", error_, ", found ", Found(after));
  return absl::InvalidArgumentError(absl::StrCat(std::string(name), ":", line, ":", start.size() + 1, ": ",
                                                 what, "\n  ", Shown(left), Shown(right), "\n  ",
                                                 std::string(left.size(), ' '), "^"));
}

}  // namespace oomph::hlo
