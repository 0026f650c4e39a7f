// See words.h.
#include "models/base/words.h"

namespace oomph {

std::string OneLine(std::string_view note) {
  constexpr size_t kMost = 300;
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string line;
  for (const char c : note.substr(0, kMost)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      line += c;
    } else {
      ((line += "\\x") += kHex[byte / 16]) += kHex[byte % 16];
    }
  }
  return note.size() > kMost ? line + "..." : line;
}

}  // namespace oomph
