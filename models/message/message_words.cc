// WordsOfMessage of compile_oom.h.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/ascii.h"
#include "models/message/compile_oom.h"

namespace oomph {
namespace {

// How far behind its beginning a message is searched for what it names, and how long a name may be.
constexpr size_t kMessageBytes = size_t{16} << 10;
constexpr size_t kLongestName = 200;

bool IsWord(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool IsSpace(char c) { return absl::ascii_isspace(static_cast<unsigned char>(c)); }
bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }

std::string_view TokenAt(std::string_view text, size_t at, std::string_view more) {
  size_t end = at;
  while (end < text.size() && (IsWord(text[end]) || more.find(text[end]) != more.npos)) ++end;
  return text.substr(at, std::min(end - at, kLongestName));
}

// "E0530 12:00:00.1" begins a line of a log.
bool IsLogPrefix(std::string_view after) {
  return after.size() > 3 && IsDigit(after[1]) && IsDigit(after[2]) && after[3] == ':';
}

// The place of the first "E1001:" or "E1001 ".
size_t FindCode(std::string_view text) {
  for (size_t at = text.find('E'); at != text.npos; at = text.find('E', at + 1)) {
    if (at + 5 >= text.size()) return text.npos;
    if (at > 0 && IsWord(text[at - 1])) continue;
    if (!std::all_of(text.begin() + at + 1, text.begin() + at + 5, IsDigit)) continue;
    const std::string_view after = text.substr(at + 5);
    if (after[0] == ':' || (after[0] == ' ' && !IsLogPrefix(after))) return at;
  }
  return text.npos;
}

// Skips blanks and the "\n" of a text in quotes.
size_t SkipBlanks(std::string_view text, size_t at) {
  while (at < text.size()) {
    if (IsSpace(text[at])) {
      ++at;
    } else if (text.substr(at, 2) == "\\n") {
      at += 2;
    } else {
      break;
    }
  }
  return at;
}

// "Ran out of memory in memory space vmem", "Ran out of memory on HBM".
std::string MemoryOf(std::string_view message) {
  for (const std::string_view before : {"Ran out of memory in memory space", "Ran out of memory on"}) {
    const size_t at = message.find(before);
    if (at == message.npos) continue;
    const size_t begin = SkipBlanks(message, at + before.size());
    if (begin == at + before.size()) continue;
    const std::string_view name = TokenAt(message, begin, "");
    return absl::AsciiStrToLower(absl::string_view(name.data(), name.size()));
  }
  return "";
}

struct Operation {
  std::string_view name, opcode;
  size_t at = 0;
};

// "name = shape opcode(" that begins here, perhaps with a "%".
std::optional<Operation> OperationAt(std::string_view text, size_t begin) {
  size_t at = begin;
  if (at < text.size() && text[at] == '%') ++at;
  const std::string_view name = TokenAt(text, at, ".-");
  at += name.size();
  if (name.empty() || text.substr(at, 3) != " = ") return std::nullopt;
  at += 3;
  // The shape: up to a blank outside of the parentheses of a tuple.
  for (size_t depth = 0; at < text.size() && (depth > 0 || !IsSpace(text[at])); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && depth-- == 0) return std::nullopt;
  }
  while (at < text.size() && IsSpace(text[at])) ++at;
  const std::string_view opcode = TokenAt(text, at, "-");
  const size_t end = at + opcode.size();
  if (opcode.empty() || end >= text.size() || text[end] != '(') return std::nullopt;
  return Operation{name, opcode, begin};
}

// What the message says it was "for", else an instruction on its first line. Lists of the largest buffers name others,
// and those go away one by one.
std::optional<Operation> FindOperation(std::string_view message) {
  for (size_t at = message.find("for"); at != message.npos; at = message.find("for", at + 3)) {
    const size_t begin = SkipBlanks(message, at + 3);
    if (begin == at + 3) continue;
    if (const auto found = OperationAt(message, begin)) return found;
  }
  const std::string_view line = message.substr(0, message.find('\n'));
  for (size_t at = line.find('%'); at != line.npos; at = line.find('%', at + 1)) {
    if (const auto found = OperationAt(line, at)) return found;
  }
  return std::nullopt;
}

// What stands in custom_call_target="...", the quotes perhaps escaped.
std::string TargetIn(std::string_view text) {
  constexpr std::string_view kBefore = "custom_call_target=";
  size_t at = text.find(kBefore);
  if (at == text.npos) return "";
  at += kBefore.size();
  if (at < text.size() && text[at] == '\\') ++at;
  if (at >= text.size() || text[at] != '"') return "";
  const size_t end = text.find_first_of("\"\\\n", at + 1);
  return std::string(text.substr(at + 1, std::min(end == text.npos ? end : end - at - 1, kLongestName)));
}

}  // namespace

MessageWords WordsOfMessage(std::string_view output) {
  MessageWords words;
  const size_t code = FindCode(output);
  if (code != output.npos) words.code = output.substr(code, 5);
  words.begin = std::min(code, output.find("Ran out of memory"));
  if (words.begin == output.npos) return words;
  const std::string_view message = output.substr(words.begin, kMessageBytes);
  words.memory = MemoryOf(message);
  const auto operation = FindOperation(message);
  if (operation) {
    words.opcode = operation->opcode;
    words.name = operation->name;
  }
  if (!operation || operation->opcode == "custom-call") {
    words.target = TargetIn(operation ? message.substr(operation->at) : message.substr(0, message.find('\n')));
  }
  return words;
}

}  // namespace oomph
