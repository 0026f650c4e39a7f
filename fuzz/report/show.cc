// See show.h.
#include "fuzz/report/show.h"

#include <algorithm>
#include <ctime>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "subjects/registry.h"

namespace oomph {
namespace {

// The length of the well-formed UTF-8 sequence at the head of `text`; 0 if there is none.
size_t Utf8Length(std::string_view text) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto follows = [&](size_t i) { return (byte(i) & 0xc0u) == 0x80u; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xc3 && lead < 0xe0 && follows(1)) return 2;  // 0xc2 begins the C1 control characters
  if (lead == 0xc2 && follows(1) && byte(1) >= 0xa0) return 2;
  // No shorter form of the same number, no half of a surrogate pair, nothing above the last code point.
  if (lead >= 0xe0 && lead < 0xf0 && follows(1) && follows(2)) {
    return (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) >= 0xa0) ? 0 : 3;
  }
  if (lead >= 0xf0 && lead < 0xf5 && follows(1) && follows(2) && follows(3)) {
    return (lead == 0xf0 && byte(1) < 0x90) || (lead == 0xf4 && byte(1) >= 0x90) ? 0 : 4;
  }
  return 0;
}

// U+FFFE and U+FFFF, which XML does not allow.
bool IsNoCharacter(std::string_view text) {
  return text.starts_with("\xef\xbf") && text.size() > 2 && static_cast<unsigned char>(text[2]) >= 0xbe;
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto c = static_cast<unsigned char>(text[0]);
    const size_t length = Utf8Length(text);
    if (length == 0 || c < 0x20 || c == 0x7f || IsNoCharacter(text)) {
      absl::StrAppendFormat(&out, "\\x%02x", c);
      text.remove_prefix(1);
      continue;
    }
    out.append(text.substr(0, length));
    text.remove_prefix(length);
  }
  return out;
}

std::string XmlText(std::string_view text) {
  std::string out;
  for (const char c : Printable(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string XmlLines(std::string_view text) {
  std::string out;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    absl::StrAppend(&out, begin == 0 ? "" : "\n", XmlText(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return out;
}

std::string ShellWord(std::string_view text) {
  constexpr std::string_view kSafe =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,@%+-";
  if (!text.empty() && text[0] != '-' && text.find_first_not_of(kSafe) == text.npos) return std::string(text);
  std::string out = "'";
  for (const char c : text) c == '\'' ? out += "'\\''" : out += c;
  return out + "'";
}

std::string ErrorLine(const absl::Status& status) { return Printable(std::string(status.message())); }

std::string VerdictLine(std::string_view signature, std::string_view text) {
  return absl::StrFormat("%s: %s", Printable(signature), Printable(text));
}

std::string NextCommands(std::string_view program, std::string_view path, std::string_view subject,
                         std::string_view first, std::string_view options) {
  const std::string command = ShellWord(program);
  std::string arguments = Printable(ShellWord(path));
  if (NamesForeignCode(subject)) absl::StrAppend(&arguments, " --subject ", Printable(ShellWord(subject)));
  if (!options.empty()) absl::StrAppend(&arguments, " ", std::string(options));
  std::string lines;
  for (const std::string_view verb : {first, std::string_view("explain"), std::string_view("draw")}) {
    if (verb == "explain" && first == "explain" && !lines.empty()) continue;
    absl::StrAppend(&lines, lines.empty() ? "" : "\n", "  ", command, " ", std::string(verb), " ", arguments);
  }
  return lines;
}

std::vector<std::string> PromiseNames(const Family& family, Bits64 promises) {
  std::vector<std::string> names;
  for (size_t i = 0; i < family.promises().size(); ++i) {
    if ((promises >> i & 1) != 0) names.emplace_back(family.promises()[i].name);
  }
  return names;
}

std::string TextTable(const std::vector<std::vector<std::string>>& rows, const std::vector<bool>& left,
                  std::string_view indent) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line(indent);
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - row[i].size(), ' ');
      absl::StrAppend(&line, i == 0 ? "" : "  ", i < left.size() && left[i] ? row[i] + padding : padding + row[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    absl::StrAppend(&text, line, "\n");
  }
  return text;
}

std::string WithThousands(uint64_t n) {
  std::string digits = std::to_string(n);
  for (size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string Counted(uint64_t n, std::string_view noun) {
  return absl::StrCat(WithThousands(n), " ", std::string(noun), n == 1 ? "" : "s");
}

std::string Short(double n) {
  if (n >= 1e9) return absl::StrFormat("%.1f G", n / 1e9);
  if (n >= 1e6) return absl::StrFormat("%.1f M", n / 1e6);
  if (n >= 1e4) return absl::StrFormat("%.0f k", n / 1e3);
  return absl::StrFormat("%.0f", n);
}

std::string LocalTime(int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts = {};
  localtime_r(&time, &parts);
  char buffer[32];
  std::strftime(buffer, sizeof(buffer), "%Y-%m-%d %H:%M:%S", &parts);
  return buffer;
}

}  // namespace oomph
