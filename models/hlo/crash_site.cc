// See crash_site.h.
#include "models/hlo/crash_site.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

namespace oomph::hlo {
namespace {

constexpr size_t kMostOfTheFile = 32, kMostOfTheText = 40;

bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool IsAlpha(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

// The letters of a word, in small letters, with _ for what stands between them.
std::string Plain(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    if (IsAlpha(c)) {
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (IsDigit(c)) {
      if (!plain.ends_with('N')) plain += 'N';
    } else if (!plain.empty() && plain.back() != '_') {
      plain += '_';
    }
  }
  while (plain.ends_with('_')) plain.pop_back();
  return plain;
}

// Whether a word is a value or somebody's name: letters and digits mixed, %name, 'quoted', {1,0}, f32[2].
bool IsOfTheCase(std::string_view word) {
  const bool digits = std::any_of(word.begin(), word.end(), IsDigit);
  const bool letters = std::any_of(word.begin(), word.end(), IsAlpha);
  return (digits && letters) || word.find_first_of("%'\"`[{") != word.npos;
}

// What a name follows, and what follows it where there is no name.
bool IsNoun(std::string_view word) {
  constexpr std::string_view kNouns[] = {"Instruction", "instruction", "Value", "value", "Computation", "computation"};
  return std::find(std::begin(kNouns), std::end(kNouns), word) != std::end(kNouns);
}
bool IsVerb(std::string_view word) {
  constexpr std::string_view kVerbs[] = {
      "must", "is",  "has", "have", "does", "do",      "can",  "cannot", "should", "was", "at", "of", "in", "with",
      "to",   "for", "not", "and",  "or",   "instead", "from", "that",   "==",     "!=",  "<",  ">",  "<=", ">="};
  return std::find(std::begin(kVerbs), std::end(kVerbs), word) != std::end(kVerbs);
}

std::string WordOf(std::string_view file, std::string_view message) {
  file.remove_prefix(std::min(file.find_last_of("/ \t") + 1, file.size()));
  std::string word = Plain(file.substr(0, kMostOfTheFile));
  const std::string words = MessageWord(message);
  if (!word.empty() && !words.empty()) word += '_';
  return word + words;
}

// "F0000 00:00:1796066251.852642   20474 shape_util.cc:1201] Check failed: lhs == rhs"; older logs have no more than that.
std::optional<std::string> OfLog(std::string_view line) {
  const auto begins = [line](size_t i) {
    if (line[i] != 'F' || (i > 0 && line[i - 1] != ' ') || line.size() < i + 6 || line[i + 5] != ' ') return false;
    return std::all_of(line.begin() + i + 1, line.begin() + i + 5, IsDigit);
  };
  for (size_t i = 0; i < line.size(); ++i) {
    if (!begins(i)) continue;
    line.remove_prefix(i);
    break;
  }
  const size_t end = line.find("] ");
  if (end == line.npos || line[0] != 'F' || !IsDigit(line[1])) return std::nullopt;
  const std::string_view head = line.substr(0, end);
  const size_t colon = head.rfind(':');
  if (colon == head.npos || colon + 1 == head.size()) return std::nullopt;
  if (!std::all_of(head.begin() + colon + 1, head.end(), IsDigit)) return std::nullopt;
  std::string_view message = line.substr(end + 2);
  if (message.find("Raising signal") != message.npos) return std::nullopt;  // a handler that passes on what it caught
  constexpr std::string_view kCheck = "Check failed: ";
  if (message.starts_with(kCheck)) message.remove_prefix(kCheck.size());
  return WordOf(head.substr(0, colon), message);
}

// "prog: a.c:7: f: Assertion `x > 0' failed.", and that of libstdc++ with 'x'.
std::optional<std::string> OfAssertion(std::string_view line) {
  constexpr std::string_view kAssertion = "Assertion ";
  const size_t at = line.find(kAssertion);
  if (at == line.npos) return std::nullopt;
  std::string_view condition = line.substr(at + kAssertion.size());
  condition.remove_prefix(condition.find_first_of("`'") == 0 ? 1 : 0);
  condition = condition.substr(0, condition.find('\''));
  // The file is what ":LINE: " follows.
  std::string_view file;
  for (size_t colon = line.find(':'); colon < at; colon = line.find(':', colon + 1)) {
    if (!IsDigit(line[colon + 1])) continue;
    file = line.substr(0, colon);
    break;
  }
  return WordOf(file, condition);
}

// "==9==ERROR: AddressSanitizer: heap-use-after-free on address", "a.cc:7:3: runtime error: signed integer overflow: 2 + 3".
std::optional<std::string> OfSanitizer(std::string_view line) {
  constexpr std::string_view kRuntime = ": runtime error: ", kSanitizer = "Sanitizer: ";
  if (const size_t at = line.find(kRuntime); at != line.npos) {
    std::string_view message = line.substr(at + kRuntime.size());
    return WordOf(line.substr(0, line.find(':')), message.substr(0, message.find(':')));
  }
  const size_t at = line.find(kSanitizer);
  if (at == line.npos) return std::nullopt;
  std::string_view message = line.substr(at + kSanitizer.size());
  return WordOf("sanitizer", message.substr(0, message.find(' ')));
}

// "terminate called after throwing an instance of 'absl::lts_20250814::BadStatusOrAccess'".
std::optional<std::string> OfException(std::string_view line) {
  constexpr std::string_view kTerminate = "terminate called";
  const size_t at = line.find(kTerminate);
  if (at == line.npos) return std::nullopt;
  const size_t open = line.find('\'', at);
  const std::string_view type = open == line.npos ? "" : line.substr(open + 1, line.find('\'', open + 1) - open - 1);
  const std::string plain = Plain(type.substr(0, 2 * kMostOfTheText));
  return plain.empty() ? "uncaught" : ("uncaught_" + plain).substr(0, kMostOfTheFile + kMostOfTheText);
}

}  // namespace

std::string MessageWord(std::string_view text) {
  if (const size_t values = text.find(" vs. "); values != text.npos) {
    const size_t open = text.rfind('(', values);
    text = text.substr(0, open == text.npos ? values : open);  // what follows is said of the case
  }
  std::string words;
  std::string_view last;
  while (!text.empty() && words.size() < kMostOfTheText) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    const bool named = IsNoun(last) && !IsVerb(word);  // instruction a must have a parent
    const std::string plain = named || IsOfTheCase(word) ? "x" : Plain(word);
    last = word;
    if (plain.empty() || (plain == "x" && (words == "x" || words.ends_with("_x")))) continue;
    if (!words.empty()) words += '_';
    words += plain;
  }
  words.resize(std::min(words.size(), kMostOfTheText));
  while (words.ends_with('_')) words.pop_back();
  return words;
}

std::string CrashSite(std::string_view why) {
  constexpr std::string_view kAfter = ", after writing: ";
  if (const size_t after = why.find(kAfter); after != why.npos) why.remove_prefix(after + kAfter.size());
  if (constexpr std::string_view kDied = "died: "; why.starts_with(kDied)) why.remove_prefix(kDied.size());
  while (!why.empty()) {
    const std::string_view line = why.substr(0, why.find('\n'));
    why.remove_prefix(std::min(line.size() + 1, why.size()));
    for (const auto read : {OfLog, OfAssertion, OfSanitizer, OfException}) {
      if (std::optional<std::string> site = read(line); site && !site->empty()) return *std::move(site);
    }
  }
  return "";
}

std::string_view KeptWord(std::string word) {
  constexpr size_t kMost = 4096;
  static std::mutex& mutex = *new std::mutex;
  static std::set<std::string>& words = *new std::set<std::string>;
  const std::lock_guard lock(mutex);
  if (words.size() >= kMost && !words.contains(word)) return "died";
  return *words.insert(std::move(word)).first;
}

std::string_view DeathOf(std::string_view why) {
  if (std::string site = CrashSite(why); !site.empty()) return KeptWord(std::move(site));
  constexpr std::pair<std::string_view, std::string_view> kDeaths[] = {
      {"(SIGABRT)", "aborted"}, {"(SIGFPE)", "divided_by_zero"}, {"(SIGSEGV)", "wild_access"},   {"(SIGBUS)", "wild_access"},
      {"(SIGILL)", "trapped"},  {"(SIGTRAP)", "trapped"},        {"(SIGKILL)", "was_killed"}};
  for (const auto& [signal, death] : kDeaths) {
    if (why.find(signal) != why.npos) return death;
  }
  return "died";
}

}  // namespace oomph::hlo
