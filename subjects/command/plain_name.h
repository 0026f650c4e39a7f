// What a program is called in signatures and tables. Not for: what it is started with.
#ifndef OOMPH_SUBJECTS_COMMAND_PLAIN_NAME_H_
#define OOMPH_SUBJECTS_COMMAND_PLAIN_NAME_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace oomph {

inline constexpr size_t kMaxName = 40;

// Short, and of plain characters.
inline std::string PlainName(std::string_view name) {
  std::string plain;
  for (const char c : name.substr(0, kMaxName)) {
    const bool word =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
    plain += word ? c : '_';
  }
  return plain;
}

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_COMMAND_PLAIN_NAME_H_
