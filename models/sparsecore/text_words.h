// The words of SparseCore programs as text, in the order of their enums. Only for text.cc and text_read.cc.
#ifndef OOMPH_MODELS_SPARSECORE_TEXT_WORDS_H_
#define OOMPH_MODELS_SPARSECORE_TEXT_WORDS_H_

#include <cstddef>
#include <string_view>

#include "models/sparsecore/program.h"

namespace oomph::sparsecore {

inline constexpr std::string_view kKindWords[kKinds] = {"scratch", "allocate", "use",   "load", "copy", "work",
                                                        "scope",   "for",      "while", "if",   "else", "end"};
inline constexpr std::string_view kHeadWord = "sparsecore", kLimitWord = "limit";
inline constexpr std::string_view kCoreWords[] = {"vector", "scalar"};
inline constexpr std::string_view kTilingWords[] = {"compact", "linear", "none"};
inline constexpr std::string_view kWordingWords[] = {"named", "numbered"};
inline constexpr size_t kMaxDimensions = 16;

// Words that begin a statement: no buffer has such a name.
constexpr bool IsStatementWord(std::string_view word) {
  for (const std::string_view kind : kKindWords) {
    if (kind == word) return true;
  }
  return word == kHeadWord || word == kLimitWord;
}

}  // namespace oomph::sparsecore

#endif  // OOMPH_MODELS_SPARSECORE_TEXT_WORDS_H_
