// See values.h.
#include "models/mlir/values.h"

#include <charconv>
#include <string>

#include "models/hlo/cursor.h"

namespace oomph::mlir {
namespace {

using hlo::Is;
using hlo::kBlank;
using hlo::kDigit;
using hlo::kNameChar;

char ClosingOf(char c) {
  switch (c) {
    case '(':
      return ')';
    case '[':
      return ']';
    case '{':
      return '}';
    case '<':
      return '>';
    default:
      return '\0';
  }
}
bool IsClosing(char c) { return c == ')' || c == ']' || c == '}' || c == '>'; }

// Behind the quote that closes; size(): none does.
size_t EndOfQuoted(std::string_view text, size_t at) {
  for (size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return text.size() + 1;
}

// Behind what is one sign though it has a bracket in it: "->", ">=", "<=". 0: none of them.
size_t EndOfArrow(std::string_view text, size_t at) {
  const std::string_view two = text.substr(at, 2);
  return two == "->" || two == ">=" || two == "<=" ? at + 2 : 0;
}

size_t EndOfComment(std::string_view text, size_t at) {
  if (text.substr(at, 2) != "//") return 0;
  const size_t end = text.find('\n', at);
  return end == text.npos ? text.size() : end;
}

// Behind what is not to be looked into, or `at`.
size_t SkipAtom(std::string_view text, size_t at) {
  const char c = text[at];
  if (c == '"') return EndOfQuoted(text, at);
  if (c == '/') {
    if (const size_t end = EndOfComment(text, at)) return end;
  }
  if (c == '-' || c == '>' || c == '<') {
    if (const size_t end = EndOfArrow(text, at)) return end;
  }
  return at;
}

}  // namespace

size_t EndOfBrackets(std::string_view text, size_t at) {
  if (at >= text.size() || ClosingOf(text[at]) == '\0') return 0;
  std::string open(1, ClosingOf(text[at]));
  for (size_t i = at + 1; i < text.size();) {
    if (const size_t end = SkipAtom(text, i); end != i) {
      i = end;
      continue;
    }
    const char c = text[i++];
    if (ClosingOf(c) != '\0') {
      open.push_back(ClosingOf(c));
    } else if (IsClosing(c)) {
      if (c != open.back()) return 0;
      open.pop_back();
      if (open.empty()) return i;
    }
  }
  return 0;
}

size_t FindOutside(std::string_view text, std::string_view stops, size_t at) {
  while (at < text.size()) {
    if (stops.find(text[at]) != stops.npos) return at;
    if (const size_t end = SkipAtom(text, at); end != at) {
      at = end;
    } else if (ClosingOf(text[at]) != '\0') {
      const size_t close = EndOfBrackets(text, at);
      if (close == 0) break;  // all that follows is inside
      at = close;
    } else {
      ++at;
    }
  }
  return text.size();
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && Is(text.front(), kBlank)) text.remove_prefix(1);
  while (!text.empty() && Is(text.back(), kBlank)) text.remove_suffix(1);
  return text;
}

std::optional<std::vector<std::string_view>> Elements(std::string_view list) {
  list = Trimmed(list);
  if (list.size() < 2 || EndOfBrackets(list, 0) != list.size()) return std::nullopt;
  list = list.substr(1, list.size() - 2);
  std::vector<std::string_view> parts;
  if (Trimmed(list).empty()) return parts;
  for (size_t at = 0; at <= list.size();) {
    const size_t end = FindOutside(list, ",", at);
    parts.push_back(Trimmed(list.substr(at, end - at)));
    at = end + 1;
  }
  return parts;
}

std::optional<std::string_view> Entry(std::string_view dictionary, std::string_view key) {
  const auto parts = Elements(dictionary);
  if (!parts) return std::nullopt;
  for (const std::string_view part : *parts) {
    const size_t equals = FindOutside(part, "=");
    std::string_view name = Trimmed(part.substr(0, equals));
    if (const auto quoted = Quoted(name)) name = *quoted;
    if (name == key) return equals < part.size() ? Trimmed(part.substr(equals + 1)) : std::string_view();
  }
  return std::nullopt;
}

std::optional<int64_t> Integer(std::string_view text) {
  text = Trimmed(text);
  const size_t end = FindOutside(text, ":");
  text = Trimmed(text.substr(0, end));
  if (text == "true") return 1;
  if (text == "false") return 0;
  const bool negative = text.starts_with('-');
  std::string_view digits = negative ? text.substr(1) : text;
  const int base = digits.starts_with("0x") ? 16 : 10;
  if (base == 16) digits.remove_prefix(2);
  uint64_t value = 0;
  const auto [at, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (digits.empty() || error != std::errc() || at != digits.data() + digits.size()) return std::nullopt;
  if (value > static_cast<uint64_t>(INT64_MAX) + (negative ? 1 : 0)) return std::nullopt;
  return static_cast<int64_t>(negative ? uint64_t{0} - value : value);
}

std::optional<std::vector<int64_t>> Integers(std::string_view text) {
  text = Trimmed(text);
  std::vector<int64_t> values;
  std::optional<std::vector<std::string_view>> parts;
  if (text.starts_with("array<")) {
    const size_t colon = FindOutside(text.substr(6), ":>");
    if (6 + colon >= text.size()) return std::nullopt;
    if (text[6 + colon] == '>') return values;
    const size_t end = EndOfBrackets(text, 5);
    if (end == 0) return std::nullopt;
    std::string_view rest = Trimmed(text.substr(6 + colon + 1, end - 1 - (6 + colon + 1)));
    parts.emplace();
    while (!rest.empty()) {
      const size_t comma = FindOutside(rest, ",");
      parts->push_back(rest.substr(0, comma));
      rest = comma < rest.size() ? rest.substr(comma + 1) : std::string_view();
    }
  } else if (text.starts_with("dense<")) {
    const size_t end = EndOfBrackets(text, 5);
    if (end == 0) return std::nullopt;
    return Integers(text.substr(6, end - 7));
  } else if (text.starts_with('[')) {
    parts = Elements(text);
  }
  if (!parts) return std::nullopt;
  for (const std::string_view part : *parts) {
    const std::optional<int64_t> value = Integer(part);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

std::optional<std::string_view> Symbol(std::string_view text) {
  text = Trimmed(text);
  if (!text.starts_with('@') || text.size() < 2) return std::nullopt;
  text.remove_prefix(1);
  if (text.front() == '"') return Quoted(text);
  return text;
}

std::optional<std::string_view> Quoted(std::string_view text) {
  text = Trimmed(text);
  if (text.size() < 2 || text.front() != '"' || EndOfQuoted(text, 0) != text.size()) return std::nullopt;
  return text.substr(1, text.size() - 2);
}

std::optional<Named> ReadNamed(std::string_view text) {
  text = Trimmed(text);
  if (text.empty() || (text[0] != '#' && text[0] != '!')) return std::nullopt;
  size_t end = 1;
  while (end < text.size() && (Is(text[end], kNameChar) || text[end] == '$')) ++end;
  const std::string_view name = text.substr(1, end - 1), body = text.substr(end);
  if (name.empty()) return std::nullopt;
  if (body.empty()) return Named{name, body};
  if (body[0] != '<' || EndOfBrackets(body, 0) != body.size()) return std::nullopt;
  return Named{name, Trimmed(body.substr(1, body.size() - 2))};
}

std::optional<ShapedType> ReadShaped(std::string_view type) {
  type = Trimmed(type);
  const size_t open = type.find('<');
  if (open == type.npos || EndOfBrackets(type, open) != type.size()) return std::nullopt;
  ShapedType shaped;
  shaped.kind = type.substr(0, open);
  if (shaped.kind != "memref" && shaped.kind != "vector" && shaped.kind != "tensor") return std::nullopt;
  const auto parts = Elements(type.substr(open));
  if (!parts || parts->empty()) return std::nullopt;
  shaped.rest.assign(parts->begin() + 1, parts->end());
  std::string_view rest = parts->front();
  while (true) {  // 8x, ?x, [8]x
    size_t end = 0;
    const bool scalable = rest.starts_with('[');
    if (scalable) end = 1;
    const size_t digits = end;
    while (end < rest.size() && Is(rest[end], kDigit)) ++end;
    int64_t size = -1;
    if (end == digits) {
      if (!rest.starts_with("?x")) break;
      end = 1;
    } else {
      const auto [at, error] = std::from_chars(rest.data() + digits, rest.data() + end, size);
      if (error != std::errc()) return std::nullopt;
      (void)at;
      if (scalable && end < rest.size() && rest[end] == ']') ++end;
    }
    if (end >= rest.size() || rest[end] != 'x') return std::nullopt;
    shaped.sizes.push_back(size);
    rest.remove_prefix(end + 1);
  }
  if (rest.empty()) return std::nullopt;
  shaped.element = rest;
  return shaped;
}

std::optional<FunctionType> ReadFunction(std::string_view type) {
  type = Trimmed(type);
  const size_t end = EndOfBrackets(type, 0);
  if (end == 0 || type[0] != '(') return std::nullopt;
  const std::string_view rest = Trimmed(type.substr(end));
  if (!rest.starts_with("->")) return std::nullopt;
  const std::string_view result = Trimmed(rest.substr(2));
  const auto operands = Elements(type.substr(0, end));
  if (!operands || result.empty()) return std::nullopt;
  FunctionType function{*operands, {result}};
  if (result[0] == '(' && EndOfBrackets(result, 0) == result.size()) {
    const auto results = Elements(result);
    if (!results) return std::nullopt;
    function.results = *results;
  }
  return function;
}

}  // namespace oomph::mlir
