// Whether a text is well-formed markup, as far as the reports go: XML, and HTML that closes its elements.
// Not for: anything but tests.
#ifndef OOMPH_FUZZ_TESTING_MARKUP_H_
#define OOMPH_FUZZ_TESTING_MARKUP_H_

#include <string>
#include <string_view>
#include <vector>

#include "nlohmann/json.hpp"

namespace oomph {

inline size_t CountOf(std::string_view text, std::string_view what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + what.size())) ++count;
  return count;
}

inline bool Has(std::string_view text, std::string_view what) { return text.find(what) != text.npos; }

// Valid UTF-8 without control characters but line ends and tabs.
inline bool IsCleanText(const std::string& text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f) return false;
  }
  try {
    return !nlohmann::json(text).dump().empty();  // throws where it is not UTF-8
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

// The first place that is wrong, or nothing: each element is closed by its own name, attributes are quoted, '&'
// begins an entity.
inline std::string BrokenMarkup(std::string_view text) {
  std::vector<std::string_view> open;
  const auto from = [&](size_t at) { return std::string(text.substr(at, 120)); };
  for (size_t at = text.find('<'); at != text.npos; at = text.find('<', at + 1)) {
    const size_t end = text.find('>', at);
    if (end == text.npos) return from(at);
    std::string_view tag = text.substr(at + 1, end - at - 1);
    if (tag.starts_with('?') || tag.starts_with('!')) continue;
    const bool closes = tag.starts_with('/'), alone = tag.ends_with('/');
    if (closes) tag.remove_prefix(1);
    if (CountOf(tag, "\"") % 2 != 0 || Has(tag, "<")) return from(at);
    const std::string_view name = tag.substr(0, tag.find_first_of(" /\n"));
    if (name.empty() || (closes && (open.empty() || open.back() != name))) return from(at);
    if (closes) open.pop_back();
    if (!closes && !alone) open.push_back(name);
  }
  for (size_t at = text.find('&'); at != text.npos; at = text.find('&', at + 1)) {
    bool known = false;
    for (const char* entity : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"}) {
      known = known || text.substr(at).starts_with(entity);
    }
    if (!known) return from(at);
  }
  return open.empty() ? "" : "not closed: " + std::string(open.back());
}

}  // namespace oomph

#endif  // OOMPH_FUZZ_TESTING_MARKUP_H_
