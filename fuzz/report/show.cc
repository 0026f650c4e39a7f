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
  if (lead >= 0xe0 && lead < 0xf0 && follows(1) && follows(2) && (lead != 0xe0 || byte(1) >= 0xa0)) return 3;
  if (lead >= 0xf0 && lead < 0xf5 && follows(1) && follows(2) && follows(3)) return 4;
  return 0;
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto c = static_cast<unsigned char>(text[0]);
    const size_t length = Utf8Length(text);
    if (length == 0 || c < 0x20 || c == 0x7f) {
      absl::StrAppendFormat(&out, "\\x%02x", c);
      text.remove_prefix(1);
      continue;
    }
    out.append(text.substr(0, length));
    text.remove_prefix(length);
  }
  return out;
}

std::string ErrorLine(const absl::Status& status) { return Printable(std::string(status.message())); }

std::string VerdictLine(std::string_view signature, std::string_view text) {
  return absl::StrFormat("%s: %s", Printable(signature), Printable(text));
}

std::string ShellWord(std::string_view text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("%+,-./:=@_").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return std::string(text);
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') word += "'\\'";
    word += c;
  }
  return word + "'";
}

std::string NextCommands(std::string_view program, std::string_view path, std::string_view subject) {
  const std::string command = ShellWord(program);
  std::string arguments = Printable(ShellWord(path));
  if (NamesForeignCode(subject)) absl::StrAppend(&arguments, " --subject ", Printable(ShellWord(subject)));
  return absl::StrFormat("  %s minimize %s     %s draw %s", command, arguments, command, arguments);
}

std::string WithThousands(uint64_t n) {
  std::string digits = std::to_string(n);
  for (size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
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
