// Where a program that died of a module says that it died: the place in its source as one word, so that crashes with one
// cause have one name and others have others. Not for: how it ended (process.h), nor which of its lines tells
// (subjects/child/last_words.h).
#ifndef OOMPH_MODELS_HLO_CRASH_SITE_H_
#define OOMPH_MODELS_HLO_CRASH_SITE_H_

#include <string>
#include <string_view>

namespace oomph::hlo {

// "shape_util_cc_lhs_rhs" of "F0000 00:00:17.2 9 shape_util.cc:1201] Check failed: lhs == rhs (3 vs. 4) of %a": the name of the
// file and the beginning of the condition or message, without line numbers, values and names; at most 72 letters. Of the
// first line of `why` that a log, an assertion, a sanitizer or an uncaught exception wrote. Empty: there is none.
std::string CrashSite(std::string_view why);

// The site, else how it ended as far as whoever watched it says so: "aborted", "wild_access", "trapped", "was_killed", "died".
// Two crashes of one place may be one fault, of two places they are two. Lives as long as the program, as details of
// signatures do.
std::string_view DeathOf(std::string_view why);

// A word for as long as the program runs. Beyond some thousands, when somebody else's texts are at work, it is "died".
std::string_view KeptWord(std::string word);

// The beginning of a message as one word, in the same way; at most 40 letters.
std::string MessageWord(std::string_view message);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_CRASH_SITE_H_
