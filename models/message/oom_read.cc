// Reading E0100 and E0101 out of any text. Printing them is in oom.cc.
//
// A message is a few sentences in a row, and all sentences are one table of patterns. In a pattern a blank
// stands for any gap, wrapped lines with their margins included, and {name} for a value of the table kHoles.
// There is no backtracking: each sentence is tried once at a place, and every gap and value is of bounded
// length.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "models/base/units.h"
#include "models/message/number.h"
#include "models/message/oom.h"

namespace oomph {
namespace {

constexpr size_t kMaxGap = 512;
constexpr size_t kMaxLogPrefix = 200;
constexpr size_t kMaxName = 1024;
constexpr size_t kMaxLocation = 64;
constexpr size_t kMaxDigits = 32;
constexpr size_t kMaxBlockDistance = 2048;
constexpr std::string_view kDigits = "0123456789";

bool IsIn(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

// A place in the text. Its methods step over something, and stay where they are if it is not there.
struct Cursor {
  std::string_view text;
  size_t at = 0;

  std::string_view rest() const { return text.substr(at); }
  bool AtAny(std::string_view set) const { return at < text.size() && IsIn(text[at], set); }

  bool Take(std::string_view literal) {
    if (!rest().starts_with(literal)) return false;
    at += literal.size();
    return true;
  }

  // "\n" as two or more characters, as in a string that was printed with its escapes.
  bool TakeEscapedBlank() {
    size_t end = at;
    while (end < text.size() && end - at < 8 && text[end] == '\\') ++end;
    if (end == at || end == text.size() || !IsIn(text[end], "nrt")) return false;
    at = end + 1;
    return true;
  }

  // A quote before a line's end, as between the parts of a string in a source file.
  bool TakeQuoteBeforeNewline() {
    if (!AtAny("\"'")) return false;
    const size_t next = text.find_first_not_of(" \t\r", at + 1);
    if (next == std::string_view::npos || next - at > kMaxLogPrefix || text[next] != '\n') return false;
    at = next;
    return true;
  }

  // What a log puts in front of each line, up to its "file.cc:88] ".
  bool TakeLogPrefix() {
    const std::string_view line = rest().substr(0, kMaxLogPrefix);
    const size_t end = line.substr(0, line.find('\n')).find("] ");
    if (end == std::string_view::npos) return false;
    const size_t colon = line.find_last_not_of(kDigits, end == 0 ? 0 : end - 1);
    if (colon == std::string_view::npos || colon + 1 >= end || line[colon] != ':') return false;
    at += end + 2;
    return true;
  }

  // Blanks and line ends; after a line end also a log's prefix and the marks of quotations and comments. With
  // `marks`, the punctuation between sentences too. Ends before `keep`. Whether it stepped.
  bool SkipGap(std::string_view marks = {}, char keep = '\0') {
    const size_t begin = at;
    bool wrapped = false;
    while (at < text.size() && at - begin < kMaxGap && text[at] != keep) {
      if (text[at] == '\n') {
        wrapped = true;
        ++at;
        TakeLogPrefix();
      } else if (AtAny(" \t\r\v\f") || AtAny(marks) || (wrapped && AtAny(">#|*+/\"'"))) {
        ++at;
      } else if (!TakeEscapedBlank() && !TakeQuoteBeforeNewline()) {
        break;
      }
    }
    return at > begin;
  }

  // A terminal's line end in the middle of a word or number.
  void SkipWrap() {
    if (Take("\r\n") || Take("\n")) return;
  }
};

// ---- Values -----------------------------------------------------------------------------------------------

// Up to kMaxDigits characters of `set`, over wraps. A wrap at their end is left.
std::string ReadRun(Cursor& cursor, std::string_view set, size_t most) {
  std::string run;
  while (run.size() < most) {
    Cursor next = cursor;
    next.SkipWrap();
    if (!next.AtAny(set)) break;
    run.push_back(next.text[next.at++]);
    cursor = next;
  }
  return run;
}

// "8.00M", "-2.55G", "8.00MiB".
std::optional<PrintedBytes> ReadSize(Cursor& cursor) {
  std::string text = ReadRun(cursor, "-", 1);
  text += ReadRun(cursor, "0123456789.", kMaxDigits);
  text += ReadRun(cursor, "BKMGTPE", 1);
  if (cursor.rest().starts_with("iB")) text += ReadRun(cursor, "iB", 2);
  const absl::StatusOr<PrintedBytes> size = ParseBytes(text);
  if (!size.ok()) return std::nullopt;
  return *size;
}

// "10485760", "-2,735,391,744".
std::optional<PrintedBytes> ReadExactBytes(Cursor& cursor) {
  const bool negative = cursor.Take("-");
  std::string digits = ReadRun(cursor, "0123456789,", kMaxDigits);
  std::erase(digits, ',');
  const ScannedNumber number = ScanNumber(digits);
  if (number.length == 0 || number.too_large) return std::nullopt;
  return PrintedBytes{number.value, number.value, negative && number.value != 0};
}

std::optional<uint64_t> ReadIndex(Cursor& cursor) {
  const ScannedNumber number = ScanNumber(ReadRun(cursor, kDigits, kMaxDigits));
  if (number.length == 0 || number.too_large) return std::nullopt;
  return number.value;
}

std::optional<std::string> ReadLocation(Cursor& cursor) {
  constexpr std::string_view kLocation = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
  std::string location = ReadRun(cursor, kLocation, kMaxLocation);
  if (location.find("HBM") == std::string::npos) return std::nullopt;
  return location;
}

// Up to the closing quote, which may be escaped. Line ends inside are wraps.
std::optional<std::string> ReadProgram(Cursor& cursor) {
  const std::string_view window = cursor.rest().substr(0, kMaxName);
  const size_t quote = window.find('\'');
  if (quote == std::string_view::npos) return std::nullopt;
  std::string name(window.substr(0, quote));
  cursor.at += quote;
  while (name.ends_with('\\')) name.pop_back();
  std::erase_if(name, [](char c) { return c == '\n' || c == '\r'; });
  return name;
}

// ---- Patterns ---------------------------------------------------------------------------------------------

// Reads a value at the cursor into the message; without a message it only steps over it.
using ReadHole = bool (*)(Cursor&, OomMessage*);

template <auto kRead, auto kMember>
bool Into(Cursor& cursor, OomMessage* message) {
  auto value = kRead(cursor);
  if (!value.has_value()) return false;
  if (message != nullptr) message->*kMember = *std::move(value);
  return true;
}

template <auto kRead, auto kMember>
bool IntoLedger(Cursor& cursor, OomMessage* message) {
  auto value = kRead(cursor);
  if (!value.has_value()) return false;
  if (message != nullptr) message->ledger.*kMember = *value;
  return true;
}

// A size that another one beside it says better.
bool IgnoreSize(Cursor& cursor, OomMessage*) { return ReadSize(cursor).has_value(); }

struct Hole {
  std::string_view name;
  ReadHole read;
};

constexpr auto kHoles = std::to_array<Hole>({
    {"program", Into<ReadProgram, &OomMessage::program>},
    {"location", Into<ReadLocation, &OomMessage::location>},
    {"requested", Into<ReadSize, &OomMessage::requested>},
    {"requested bytes", Into<ReadExactBytes, &OomMessage::requested>},
    {"free", Into<ReadSize, &OomMessage::free>},
    {"free bytes", Into<ReadExactBytes, &OomMessage::free>},
    {"largest", Into<ReadSize, &OomMessage::largest_free>},
    {"largest bytes", Into<ReadExactBytes, &OomMessage::largest_free>},
    {"reserved", Into<ReadSize, &OomMessage::reserved>},
    {"reservable", Into<ReadSize, &OomMessage::reservable>},
    {"replica", Into<ReadIndex, &OomMessage::replica>},
    {"partition", Into<ReadIndex, &OomMessage::partition>},
    {"size", IgnoreSize},
    {"ledger capacity", IntoLedger<ReadSize, &HbmLedger::capacity>},
    {"ledger reserved bytes", IntoLedger<ReadExactBytes, &HbmLedger::reserved>},
    {"ledger allocated bytes", IntoLedger<ReadExactBytes, &HbmLedger::allocated>},
    {"ledger requirement bytes", IntoLedger<ReadExactBytes, &HbmLedger::requirement>},
    {"ledger available bytes", IntoLedger<ReadExactBytes, &HbmLedger::available_after>},
    {"ledger largest", IntoLedger<ReadSize, &HbmLedger::largest_free>},
});

ReadHole ReaderOf(std::string_view name) {
  for (const Hole& hole : kHoles) {
    if (hole.name == name) return hole.read;
  }
  return nullptr;
}

// One character of a pattern, and the one after it.
bool MatchCharacter(char c, char following, Cursor& cursor) {
  if (c == ' ') return cursor.SkipGap({}, following);
  Cursor next = cursor;
  if (c == '\'') {
    while (next.Take("\\")) {
    }
  }
  if (!next.AtAny({&c, 1})) next.SkipWrap();
  if (!next.AtAny({&c, 1})) return false;
  ++next.at;
  cursor = next;
  return true;
}

// Steps over the pattern, or stays. The message, where given, is written even if it stays.
bool Match(std::string_view pattern, Cursor& cursor, OomMessage* message) {
  Cursor next = cursor;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '{') {
      const char following = i + 1 < pattern.size() ? pattern[i + 1] : '\0';
      if (!MatchCharacter(pattern[i], following, next)) return false;
      continue;
    }
    const size_t end = pattern.find('}', i);
    const ReadHole read = ReaderOf(pattern.substr(i + 1, end - i - 1));
    if (read == nullptr || !read(next, message)) return false;
    i = end;
  }
  cursor = next;
  return true;
}

enum class Part { kHead, kRequest, kTail };

// What a sentence says of the message beside its values.
enum class Says { kNothing, kBuffer, kCodedBuffer, kProgram, kCodedProgram, kProgramAtBottom };

struct Sentence {
  Part part;
  Says says;
  std::string_view pattern;
};

// Of two that begin alike the longer one stands first. Full stops are punctuation between sentences.
constexpr auto kSentences = std::to_array<Sentence>({
    {Part::kHead, Says::kCodedBuffer, "E0100: RuntimeBufferAllocationFailure"},
    {Part::kHead, Says::kCodedProgram, "E0101: RuntimeProgramAllocationFailure"},
    {Part::kHead, Says::kBuffer, "RuntimeBufferAllocationFailure"},
    {Part::kHead, Says::kProgram, "RuntimeProgramAllocationFailure"},
    {Part::kHead, Says::kBuffer, "Error allocating device buffer"},
    {Part::kHead, Says::kProgram, "Error loading program '{program}'"},
    {Part::kHead, Says::kProgram, "Error loading program"},
    {Part::kRequest, Says::kProgramAtBottom, "Attempting to reserve {requested} at the bottom of memory"},
    {Part::kRequest, Says::kNothing, "Attempting to allocate {requested}"},
    {Part::kRequest, Says::kBuffer,
     "Could not allocate {requested bytes} bytes in memory {location}; {largest bytes} bytes allocatable, "
     "{free bytes} bytes available"},
    {Part::kTail, Says::kNothing, "That was not possible"},
    {Part::kTail, Says::kNothing, "There are {free} free, {reserved} reserved, and {reservable} reservable"},
    {Part::kTail, Says::kNothing, "There are {free} free"},
    {Part::kTail, Says::kNothing,
     "Due to fragmentation, the largest contiguous region of free memory is {largest}"},
    {Part::kTail, Says::kNothing, "({location})"},
    {Part::kTail, Says::kNothing, "Scope: unknown"},
    {Part::kTail, Says::kNothing,
     "while running replica {replica} and partition {partition} of a replicated computation (other replicas "
     "may "
     "have failed as well)"},
    {Part::kTail, Says::kNothing, "HBM capacity {ledger capacity}"},
    {Part::kTail, Says::kNothing, "Top-of-Memory reserved: {size} ( {ledger reserved bytes} bytes)"},
    {Part::kTail, Says::kNothing, "Currently allocated: {size} ( {ledger allocated bytes} bytes)"},
    {Part::kTail, Says::kNothing, "Program requirement: {size} ( {ledger requirement bytes} bytes)"},
    {Part::kTail, Says::kNothing, "------------"},
    {Part::kTail, Says::kNothing, "Available after request: {size} ( {ledger available bytes} bytes)"},
    {Part::kTail, Says::kNothing, "attempting reservation for program memory"},
});

// Stands apart from the other sentences of the 2020 form.
constexpr std::string_view kHeapStatus = "Heap allocator status: Max free chunk {ledger largest}";

// Every message begins with one of these, and goes on with one of those or with a wrap.
constexpr std::string_view kFirstLetters = "ERAC";
constexpr std::string_view kSecondLetters = "0ruto\r\n";

void Apply(Says says, OomMessage& message) {
  switch (says) {
    case Says::kNothing:
      return;
    case Says::kCodedBuffer:
    case Says::kBuffer:
      message.kind = OomKind::kBuffer;
      break;
    case Says::kCodedProgram:
    case Says::kProgram:
    case Says::kProgramAtBottom:
      message.kind = OomKind::kProgram;
      break;
  }
  message.coded = message.coded || says == Says::kCodedBuffer || says == Says::kCodedProgram;
  message.at_bottom = message.at_bottom || says == Says::kProgramAtBottom;
}

// Takes the sentence of one part that stands at the cursor. Nothing is written unless all of it is there.
bool TakeSentence(Part part, Cursor& cursor, OomMessage& message) {
  for (const Sentence& sentence : kSentences) {
    if (sentence.part != part) continue;
    Cursor end = cursor;
    if (!Match(sentence.pattern, end, nullptr)) continue;
    Match(sentence.pattern, cursor, &message);
    Apply(sentence.says, message);
    return true;
  }
  return false;
}

constexpr std::string_view kPunctuation = ".;:,";

// Takes all sentences of one part in a row, at most as many as there are. The cursor ends after the last.
void TakeSentences(Part part, Cursor& cursor, OomMessage& message) {
  Cursor next = cursor;
  for (size_t i = 0; i < kSentences.size(); ++i) {
    next.SkipGap(kPunctuation);
    if (!TakeSentence(part, next, message)) return;
    cursor = next;
  }
}

void ReadHeapStatus(Cursor end, OomMessage& message) {
  const size_t last = end.at + kMaxBlockDistance;
  for (; end.at < last && end.at < end.text.size(); ++end.at) {
    Cursor dry = end;
    if (!Match(kHeapStatus, dry, nullptr)) continue;
    Match(kHeapStatus, end, &message);
    return;
  }
}

// The message that begins at the cursor, if one does. Steps over it.
std::optional<OomMessage> TakeMessage(Cursor& cursor) {
  if (!Cursor{cursor.text, cursor.at + 1}.AtAny(kSecondLetters)) return std::nullopt;
  OomMessage message;
  Cursor next = cursor;
  for (size_t heads = 0; !TakeSentence(Part::kRequest, next, message); ++heads) {
    if (heads > 2 || !TakeSentence(Part::kHead, next, message)) return std::nullopt;
    next.SkipGap(kPunctuation);
  }
  TakeSentences(Part::kTail, next, message);
  if (message.ledger.capacity.has_value()) ReadHeapStatus(next, message);
  message.offset = cursor.at;
  message.length = next.at - cursor.at;
  cursor = next;
  return message;
}

}  // namespace

absl::StatusOr<std::vector<OomMessage>> ReadAllOoms(std::string_view text, size_t most) {
  if (text.size() > kMaxMessageTextBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a text of at most ", kMaxMessageTextBytes, " bytes, found ", text.size()));
  }
  std::vector<OomMessage> messages;
  Cursor cursor{text};
  while (messages.size() < most) {
    cursor.at = text.find_first_of(kFirstLetters, cursor.at);
    if (cursor.at == std::string_view::npos) break;
    std::optional<OomMessage> message = TakeMessage(cursor);
    if (message.has_value()) {
      messages.push_back(*std::move(message));
    } else {
      ++cursor.at;
    }
  }
  return messages;
}

absl::StatusOr<OomMessage> ReadOom(std::string_view text) {
  absl::StatusOr<std::vector<OomMessage>> messages = ReadAllOoms(text, 1);
  if (!messages.ok()) return messages.status();
  if (messages->empty()) return absl::NotFoundError("expected an E0100 or E0101 message, found none");
  return std::move(messages->front());
}

OomCause CauseOf(const OomMessage& message) {
  if (!message.free.has_value()) return OomCause::kUnknown;
  if (message.requested.lowest > message.free->highest) return OomCause::kTooLarge;
  // A rounded size can hide which is larger, but then the sentence on fragmentation tells.
  const bool enough = message.requested.highest <= message.free->lowest;
  return enough || message.largest_free.has_value() ? OomCause::kFragmentation : OomCause::kUnknown;
}

}  // namespace oomph
