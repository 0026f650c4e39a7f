// Small things about texts: a note in one line, and a number that stands for a text.
// Not for: reading (scanner.h), or numbers with their units (units.h).
#ifndef OOMPH_MODELS_BASE_WORDS_H_
#define OOMPH_MODELS_BASE_WORDS_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace oomph {

// A note in one line for people: what is no plain character as \xNN (a terminal would obey some), at most 300 bytes.
std::string OneLine(std::string_view note);

// FNV-1a: the same on every machine and in every version; anybody can make two texts with one hash.
constexpr uint64_t StableHash(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace oomph

#endif  // OOMPH_MODELS_BASE_WORDS_H_
