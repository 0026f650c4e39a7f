// A place in an HLO text, and the tokens at it: blanks and comments, names, numbers, quoted strings,
// bracketed stretches. The first error stays. Only for the readers of this folder.
#ifndef OOMPH_MODELS_HLO_CURSOR_H_
#define OOMPH_MODELS_HLO_CURSOR_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/hash/hash.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace oomph::hlo {

enum CharClass : uint8_t {
  kBlank = 1,     // between tokens
  kNameChar = 2,  // in a name: [A-Za-z0-9_.-]
  kDigit = 4,
  kBreak = 8,       // where a stretch of an attribute's value may begin, end or turn
  kNameStart = 16,  // [A-Za-z_]
};

constexpr std::array<uint8_t, 256> MakeCharClasses() {
  std::array<uint8_t, 256> classes{};
  for (const char c : {' ', '\t', '\n', '\r', '\f', '\v'})
    classes[static_cast<uint8_t>(c)] |= kBlank | kBreak;
  for (int c = 'a'; c <= 'z'; ++c) classes[static_cast<size_t>(c)] |= kNameChar | kNameStart;
  for (int c = 'A'; c <= 'Z'; ++c) classes[static_cast<size_t>(c)] |= kNameChar | kNameStart;
  for (int c = '0'; c <= '9'; ++c) classes[static_cast<size_t>(c)] |= kNameChar | kDigit;
  classes['_'] |= kNameChar | kNameStart;
  classes['.'] |= kNameChar;
  classes['-'] |= kNameChar;
  for (const char c : {',', '{', '}', '(', ')', '[', ']', '"', '\'', '/'})
    classes[static_cast<uint8_t>(c)] |= kBreak;
  return classes;
}
inline constexpr std::array<uint8_t, 256> kCharClasses = MakeCharClasses();
inline bool Is(char c, uint8_t classes) { return (kCharClasses[static_cast<uint8_t>(c)] & classes) != 0; }

// Seeded, so that no text can be made whose stretches all fall into one slot; std::hash, which a map of
// std::string_view would take, is not.
struct TextHash {
  size_t operator()(std::string_view text) const {
    return absl::HashOf(absl::string_view(text.data(), text.size()));
  }
};

class Cursor {
 public:
  explicit Cursor(std::string_view text) : begin_(text.data()), end_(begin_ + text.size()), at_(begin_) {}

  const char* at() const { return at_; }
  const char* end() const { return end_; }
  void MoveTo(const char* at) { at_ = at; }
  // The text ends here for now. Returns the end before.
  const char* Narrow(const char* end) {
    const char* before = end_;
    end_ = end;
    return before;
  }
  std::string_view From(const char* start) const {
    return std::string_view(start, static_cast<size_t>(at_ - start));
  }

  void SkipBlanks() {
    while (at_ < end_ && Is(*at_, kBlank)) ++at_;
    if (at_ < end_ && *at_ == '/') SkipComments();
  }

  // All below skip blanks and comments first, and nothing afterwards.
  bool AtEnd() {
    SkipBlanks();
    return at_ == end_;
  }
  // The next character; 0 at the end.
  char Peek() {
    SkipBlanks();
    return at_ < end_ ? *at_ : '\0';
  }
  bool Try(char c) {
    if (Peek() != c || at_ == end_) return false;
    ++at_;
    return true;
  }
  bool Try(std::string_view word);
  bool Expect(char c);
  // A name without its %; empty where none stands here, which is no error.
  std::string_view TryName() {
    SkipBlanks();
    const char* start = at_;
    if (at_ < end_ && *at_ == '%') ++start;
    if (start == end_ || !Is(*start, kNameStart)) return {};
    return Word(start);
  }
  // Letters, digits and _ . - from `start` on.
  std::string_view Word(const char* start) {
    at_ = start;
    while (at_ < end_ && Is(*at_, kNameChar)) ++at_;
    return From(start);
  }
  bool Name(std::string_view& name, std::string_view what);
  bool Integer(int64_t& value);
  bool Boolean(bool& value);
  // {1,2,3} with the given brackets.
  template <typename List>
  bool Integers(char open, char close, List& list) {
    if (!Expect(open)) return false;
    if (Try(close)) return true;
    do {
      int64_t value = 0;
      if (!Integer(value)) return false;
      list.push_back(value);
    } while (Try(','));
    return Expect(close);
  }
  // What stands between quotes, escapes as written, but as in double quotes.
  bool Quoted(std::string& text);

  // The end of a stretch that begins here with an opening bracket or a quote: behind the closing one. Null
  // and an error where it does not close.
  const char* EndOfBrackets(const char* start);
  const char* EndOfQuoted(const char* start);

  // Whether /*index=5*/ was passed.
  bool saw_index_comment() const { return saw_index_comment_; }

  bool Fail(const char* at, std::string_view expected);
  bool Expected(std::string_view what) {
    SkipBlanks();
    return Fail(at_, what);
  }
  // For what is forbidden rather than missing: the reason alone.
  bool Refuse(const char* at, std::string_view reason);
  bool ok() const { return error_at_ == nullptr; }
  void ForgetError() { error_at_ = nullptr; }
  // The error with its place, the line and a mark; the whole text is needed for the number of the line.
  absl::Status status(std::string_view name) const;

 private:
  void SkipComments();

  const char* const begin_;
  const char* end_;
  const char* at_;
  const char* error_at_ = nullptr;
  bool refused_ = false;
  bool saw_index_comment_ = false;
  std::string error_;
};

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_CURSOR_H_
