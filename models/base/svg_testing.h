// Questions that tests ask of a picture. Not for: pages (see fuzz/testing/markup.h), which may say more.
#ifndef OOMPH_MODELS_BASE_SVG_TESTING_H_
#define OOMPH_MODELS_BASE_SVG_TESTING_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace oomph {

inline size_t Count(std::string_view text, std::string_view what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + what.size())) ++count;
  return count;
}

inline bool Has(std::string_view text, std::string_view what) { return text.find(what) != text.npos; }

// What is wrong with it first; empty: nothing. Every element is closed by its own name, attributes stand in quotes,
// every '&' begins one of the known entities, all is plain text, and every number is one.
inline std::string Unwell(std::string_view text) {
  std::vector<std::string_view> open;
  for (size_t at = text.find('<'); at != text.npos; at = text.find('<', at + 1)) {
    const size_t end = text.find('>', at);
    if (end == text.npos) return "an element without an end";
    std::string_view tag = text.substr(at + 1, end - at - 1);
    const bool closes = tag.starts_with('/'), alone = tag.ends_with('/');
    if (closes) tag.remove_prefix(1);
    const std::string_view name = tag.substr(0, tag.find_first_of(" /\n"));
    if (Count(tag, "\"") % 2 != 0 || Has(tag, "<")) return std::string(tag);
    if (closes && (open.empty() || open.back() != name)) return std::string(name);
    if (closes) open.pop_back();
    if (!closes && !alone) open.push_back(name);
  }
  if (!open.empty()) return std::string(open.back());
  const size_t entities = Count(text, "&amp;") + Count(text, "&lt;") + Count(text, "&gt;") + Count(text, "&quot;");
  if (Count(text, "&") != entities) return "a '&' that begins no entity";
  for (const char c : text) {
    if (c != '\n' && (c < ' ' || c > '~')) return "a byte that is no text";
  }
  return Has(text, "nan") || Has(text, "inf\"") ? "no number" : "";
}

}  // namespace oomph

#endif  // OOMPH_MODELS_BASE_SVG_TESTING_H_
