// What out-of-memory texts say, in words: of run time (E0100, E0101) and of compilation (E1000, E1001). Not for: cases.
#ifndef OOMPH_TOOLS_EXPLAIN_MESSAGE_H_
#define OOMPH_TOOLS_EXPLAIN_MESSAGE_H_

#include <string>
#include <string_view>

namespace oomph {

// Of a text of any kind, a log too; empty where there is no message in it.
std::string ExplainMessagesIn(std::string_view text);

}  // namespace oomph

#endif  // OOMPH_TOOLS_EXPLAIN_MESSAGE_H_
