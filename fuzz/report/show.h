// How verdicts, counts and foreign text look to a person.
#ifndef OOMPH_FUZZ_REPORT_SHOW_H_
#define OOMPH_FUZZ_REPORT_SHOW_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "models/base/family.h"
#include "models/base/verdict.h"

namespace oomph {

// One line that is safe on a terminal: control characters and invalid UTF-8 become \xNN.
std::string Printable(std::string_view text);

// As Printable, and as text or attribute of XML and HTML.
std::string XmlText(std::string_view text);
// The same with its line ends.
std::string XmlLines(std::string_view text);
// One word for a shell, in quotes where it needs them.
std::string ShellWord(std::string_view text);

// The message of an error as one line.
std::string ErrorLine(const absl::Status& status);

// What, where and who: "signature: step 4 ...".
std::string VerdictLine(std::string_view signature, std::string_view text);
// What to type next with the case in `path`, which says that it was found in `subject`, as --subject takes it; a line each.
// The subject is told where the file alone does not do: code named by where it lies is started from a command line only.
// `options` are what else the case needs besides its file, as one types them.
std::string NextCommands(std::string_view program, std::string_view path, std::string_view subject,
                         std::string_view first = "minimize", std::string_view options = "");

// The names of promises, in the order of their bits.
std::vector<std::string> PromiseNames(const Family& family, Bits64 promises);

// A table with its columns under each other; those in `left` begin at the left, the others (and those that it does not
// name) end at the right.
std::string TextTable(const std::vector<std::vector<std::string>>& rows, const std::vector<bool>& left,
                  std::string_view indent = "");

std::string WithThousands(uint64_t n);
// "1 step", "1,200 steps".
std::string Counted(uint64_t n, std::string_view noun);
// "1.2 M", "840", "3.4 k".
std::string Short(double n);
std::string LocalTime(int64_t seconds_since_1970);

}  // namespace oomph

#endif  // OOMPH_FUZZ_REPORT_SHOW_H_
