// How answers to the questions of hlo_questions.h are put into words, for both who answer. Standard C++17 alone: the two
// have different versions of everything else. Not for what is asked.
#ifndef OOMPH_SUBJECTS_XLA_HLO_ANSWER_TEXT_H_
#define OOMPH_SUBJECTS_XLA_HLO_ANSWER_TEXT_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace oomph::hlo_questions {

// Of a constant, so many elements are compared.
inline constexpr size_t kConstantElements = 64;

class Lines {
 public:
  // Nothing to say is no line.
  void Add(std::string_view of, std::string_view what) {
    if (what.empty()) return;
    std::string line(of);
    line += ": ";
    for (const char c : what) {
      if (c == '\n') {
        line += "\\n";
      } else {
        line += c;
      }
    }
    lines_.push_back(std::move(line));
  }
  std::string Text() {
    std::sort(lines_.begin(), lines_.end());
    std::string text;
    for (const std::string& line : lines_) text += line + "\n";
    return text;
  }

 private:
  std::vector<std::string> lines_;
};

// "{1,0}"; any list of whole numbers.
template <typename List>
std::string Braced(const List& numbers) {
  std::string text = "{";
  for (const auto& number : numbers) {
    if (text.size() > 1) text += ',';
    text += std::to_string(static_cast<int64_t>(number));
  }
  return text + "}";
}

inline std::string Joined(std::vector<std::string> words, bool sorted) {
  if (sorted) std::sort(words.begin(), words.end());
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    text += word;
  }
  return text;
}

// "add" of "add.3": the number is what makes a name unique.
inline std::string WithoutNumber(std::string name) {
  name.resize(name.find_last_not_of("0123456789.") + 1);
  return name;
}

inline std::string OfNumber(double number) {
  if (std::isnan(number)) return "nan";
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", number);
  return text;
}

// One dimension of a window, or of the padding of a pad.
inline std::string OfWindow(int64_t size, int64_t stride, int64_t low, int64_t high, int64_t base, int64_t window,
                            bool reversed) {
  const int64_t numbers[] = {size, stride, low, high, base, window, reversed ? 1 : 0};
  return Braced(numbers);
}

}  // namespace oomph::hlo_questions

#endif  // OOMPH_SUBJECTS_XLA_HLO_ANSWER_TEXT_H_
