// See text_source.h.
#include "fuzz/minimize/text_source.h"

#include <algorithm>
#include <utility>

namespace oomph {
namespace {

constexpr ReductionInfo kReductions[] = {{"drop_blocks", "block", "a block goes, or its braces"}, {"drop_lines", "line", "a line goes"}};

const TextLines& Of(const Case& c) { return static_cast<const CaseOf<TextLines>&>(c).value; }
TextLines& Of(Case& c) { return static_cast<CaseOf<TextLines>&>(c).value; }

// Lines [begin, end).
struct Stretch {
  size_t begin = 0, end = 0;
};

// Braces in quotes and comments count as any others: what that makes of them is only one more thing to try.
std::vector<Stretch> BlocksOf(const TextLines& lines) {
  std::vector<Stretch> blocks;
  std::vector<size_t> open;  // the lines of braces that are not closed yet
  for (size_t i = 0; i < lines.size(); ++i) {
    for (const char c : lines[i]) {
      if (c == '{') open.push_back(i);
      if (c != '}' || open.empty()) continue;
      if (open.back() < i) blocks.push_back({open.back(), i + 1});
      open.pop_back();
    }
  }
  std::sort(blocks.begin(), blocks.end(), [](const Stretch& a, const Stretch& b) {
    return std::pair(b.end - b.begin, b.begin) < std::pair(a.end - a.begin, a.begin);
  });
  return blocks;
}

// From the last line to the first: what is defined is used below it.
std::vector<Stretch> SinglesOf(const TextLines& lines) {
  std::vector<Stretch> singles;
  for (size_t i = lines.size(); i-- > 0;) singles.push_back({i, i + 1});
  return singles;
}

}  // namespace

std::unique_ptr<Case> TextFamily::Clone(const Case& c) const { return std::make_unique<CaseOf<TextLines>>(Of(c)); }

std::span<const ReductionInfo> TextFamily::reductions() const { return kReductions; }

std::unique_ptr<Edits> TextFamily::EditsOf(size_t reduction, const Case& base) const {
  std::vector<Stretch> gone = reduction == 0 ? BlocksOf(Of(base)) : SinglesOf(Of(base));
  std::vector<uint64_t> most(gone.size(), 1);
  return EditsOn(Of(base), std::move(most),
                 [gone = std::move(gone)](const TextLines& from, std::span<const uint64_t> amounts, TextLines& into) {
                   // How many stretches begin, less those that end, at each line.
                   std::vector<int64_t> change(from.size() + 1);
                   for (size_t i = 0; i < gone.size(); ++i) {
                     if (amounts[i] == 0) continue;
                     ++change[gone[i].begin];
                     --change[gone[i].end];
                   }
                   into.clear();
                   int64_t in = 0;
                   for (size_t i = 0; i < from.size(); ++i) {
                     in += change[i];
                     if (in == 0) into.push_back(from[i]);
                   }
                   return into.size() < from.size();
                 });
}

size_t TextFamily::Size(const Case& c) const { return Of(c).size(); }

absl::Status TextFamily::Parse(std::string_view, std::string_view text, Case& into) const {
  Of(into).clear();
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    Of(into).emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return absl::OkStatus();
}

std::string TextFamily::Print(const Case& c) const {
  std::string text;
  for (const std::string& line : Of(c)) text += line;
  return text;
}

}  // namespace oomph
