// A scanner for case files of one statement a line: words, names, numbers, and where they stand. Its errors
// read `file:line:column: expected X, found Y`.
// Not for nested texts such as HLO or MLIR (they have readers of their own), nor for messages.
//
// A parser is a loop, without a test after each token:
//
//   Scanner scanner("a.trace", text);
//   while (scanner.NextLine()) {
//     scanner.Keyword("free");
//     const std::string_view name = scanner.Name();
//     if (scanner.TryKeyword("after")) fence = scanner.Number();
//     scanner.ExpectEndOfLine();
//   }
//   return scanner.status();
//
// The first error stays: after it every token is empty or 0, NextLine is false, and status() tells it.
// Nothing is copied or allocated for a token: views point into the text, which must outlive them.

#ifndef OOMPH_MODELS_BASE_SCANNER_H_
#define OOMPH_MODELS_BASE_SCANNER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "models/base/units.h"

namespace oomph {

// What a comment line tells the tool: `# oomph subject bfc growth=on` has the key `subject` and the value
// `bfc growth=on`. Which keys mean something is for the reader of the directives to say.
struct Directive {
  std::string_view key;
  std::string_view value;  // The rest of the line without blanks at its ends. May be empty.
  size_t line = 0;         // From 1.

  bool operator==(const Directive&) const = default;
};

struct ScannerOptions {
  std::string_view comment = "#";    // Begins a comment at a line's start or after a blank. Empty: none.
  size_t max_bytes = 64 * kMiB;      // Of the whole text.
  size_t max_line_bytes = 1 * kMiB;  // Of one line.
};

class Scanner {
 public:
  // `name` is what errors call the text, usually the path as the user gave it. A text with a NUL byte or over
  // the limit fails at once. Skips a UTF-8 byte order mark.
  Scanner(std::string_view name, std::string_view text, ScannerOptions options = {});

  // Goes to the next line that holds more than blanks and a comment; collects the directives passed on the
  // way. False at the end of the text and after an error.
  bool NextLine();

  // Whether the rest of the line holds nothing but blanks and a comment.
  bool AtEndOfLine();
  void ExpectEndOfLine();

  // Everything up to the next blank. Expected, as all below that have no "Try".
  std::string_view Word();
  // [A-Za-z_][A-Za-z0-9_.-]*
  std::string_view Name();
  // Decimal or 0x hex, with KiB, MiB, GiB or TiB if wanted, below 2^64.
  uint64_t Number();

  // The given name, whole: Keyword("free") does not take "freeze".
  bool Keyword(std::string_view keyword);
  bool TryKeyword(std::string_view keyword);

  // The given characters, whatever follows them: for "," "=" "[" and the like.
  bool Symbol(std::string_view symbol);
  bool TrySymbol(std::string_view symbol);

  // The index of the next name in the table; 0 after an error. The error lists the table.
  size_t OneOf(std::span<const std::string_view> table);

  // The rest of the line without its comment and without blanks at its ends. May be empty.
  std::string_view RestOfLine();

  // For what only the parser knows. Expected() reports the next token, Refuse() the one just read:
  // Refuse("a power of two") -> "a.trace:3:12: expected a power of two, found '24'".
  void Expected(std::string_view what);
  void Refuse(std::string_view what);

  bool ok() const { return status_.ok(); }
  // absl::InvalidArgumentError with the text of the first error; a single line.
  const absl::Status& status() const { return status_; }
  // Of the current line, from 1; 0 before the first NextLine.
  size_t line() const { return line_number_; }
  // All directives in lines passed so far, in their order.
  const std::vector<Directive>& directives() const { return directives_; }

 private:
  void SkipBlanks();
  bool StartsComment() const;
  void CollectDirective();
  std::string_view PeekWord() const;
  std::string_view Take(size_t length);
  void Fail(size_t position, std::string_view what, std::string_view found);

  const std::string_view name_;
  const ScannerOptions options_;
  std::string_view rest_;    // What lies after the current line.
  std::string_view line_;    // The current line without its end.
  size_t position_ = 0;      // In line_.
  size_t token_ = 0;         // Where in line_ the last token began,
  size_t token_length_ = 0;  // and its length.
  size_t line_number_ = 0;
  std::vector<Directive> directives_;
  absl::Status status_;
};

// All directives of a text, read without parsing it: for choosing what parses it.
std::vector<Directive> FindDirectives(std::string_view text, ScannerOptions options = {});

}  // namespace oomph

#endif  // OOMPH_MODELS_BASE_SCANNER_H_
