// See last_words.h.
#include "subjects/child/last_words.h"

#include <cctype>

namespace oomph {
namespace {

// What stands in a line that says why a process ends.
constexpr std::string_view kTelling[] = {"Check failed", "Assertion ", "AddressSanitizer: ", "runtime error: ", "terminate called"};

std::string_view Trimmed(std::string_view line) {
  const size_t begin = line.find_first_not_of(" \t\r"), end = line.find_last_not_of(" \t\r");
  return begin == line.npos ? "" : line.substr(begin, end - begin + 1);
}

// "I0000 00:00:1796039694.764829 ..." and what absl writes before the first such line.
bool IsChatter(std::string_view line) {
  const bool leveled = line.size() > 5 && (line[0] == 'I' || line[0] == 'W') && line[5] == ' ';
  for (size_t i = 1; leveled && i < 5; ++i) {
    if (std::isdigit(static_cast<unsigned char>(line[i])) == 0) return false;
  }
  return leveled || line.starts_with("WARNING: All log messages before absl::");
}

}  // namespace

std::string_view LastWords(std::string_view written) {
  std::string_view last;
  while (!written.empty()) {
    const size_t end = written.find('\n');
    const std::string_view line = Trimmed(written.substr(0, end));
    written.remove_prefix(end == written.npos ? written.size() : end + 1);
    for (const std::string_view telling : kTelling) {
      if (line.find(telling) != line.npos) return line;
    }
    if (!line.empty() && !IsChatter(line)) last = line;
  }
  return last;
}

}  // namespace oomph
