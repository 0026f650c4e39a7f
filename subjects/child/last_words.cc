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

// The level of a line of a log, "I0000 00:00:1796039694.764829 ..."; 0 for other lines.
char LevelOf(std::string_view line) {
  if (line.size() <= 5 || line[5] != ' ') return 0;
  for (size_t i = 1; i < 5; ++i) {
    if (std::isdigit(static_cast<unsigned char>(line[i])) == 0) return 0;
  }
  return line[0];
}

// And what absl writes before the first such line.
bool IsChatter(std::string_view line) {
  const char level = LevelOf(line);
  return level == 'I' || level == 'W' || line.starts_with("WARNING: All log messages before absl::");
}

}  // namespace

std::string_view LastWords(std::string_view written) {
  std::string_view last;
  while (!written.empty()) {
    const size_t end = written.find('\n');
    const std::string_view line = Trimmed(written.substr(0, end));
    written.remove_prefix(end == written.npos ? written.size() : end + 1);
    if (LevelOf(line) == 'F') return line;
    for (const std::string_view telling : kTelling) {
      if (line.find(telling) != line.npos) return line;
    }
    if (!line.empty() && !IsChatter(line)) last = line;
  }
  return last;
}

}  // namespace oomph
