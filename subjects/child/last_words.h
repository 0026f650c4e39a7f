// What a process that died said of it on its standard error. Not for: its exit code or signal (process.h).
#ifndef OOMPH_SUBJECTS_CHILD_LAST_WORDS_H_
#define OOMPH_SUBJECTS_CHILD_LAST_WORDS_H_

#include <string_view>

namespace oomph {

// The line that tells why, of all that was written: that of a fatal log, a failed check, an assertion, a sanitizer or an uncaught
// exception; else the last that is no note or warning of a log. Empty: there is none.
std::string_view LastWords(std::string_view written);

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_CHILD_LAST_WORDS_H_
