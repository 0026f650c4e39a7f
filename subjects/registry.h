// The table of subjects, and how a person's words ("bfc:growth=on") choose from it.
// Not for: planted faults and commands, whose names ("fault:X", "cmd:X") mean something to fuzz/ only.
#ifndef OOMPH_SUBJECTS_REGISTRY_H_
#define OOMPH_SUBJECTS_REGISTRY_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "subjects/subject.h"

namespace oomph {

// Every subject of every family, those that cannot be used here too (see SubjectRow::absent). The
// first call loads each plugin once in a short-lived child. Rows live until the program ends.
std::span<const SubjectRow> SubjectRows();

// The row of that name; nullptr: there is none.
const SubjectRow* FindSubjectRow(const Family& family, std::string_view name);

struct SubjectChoice {
  SubjectRow row;
  std::string variant;
};

// Whether `words` names code by where it lies: plugin:PATH, pjrt:PATH, cmd:TEMPLATE. Only a command line may.
bool NamesForeignCode(std::string_view words);

// The subjects that `words` name: NAME, which is all variants of it, NAME:VARIANT, or what has no row:
// a plugin, plugin:PATH or plugin:PATH:VARIANT, one behind the PJRT C API, pjrt:PATH or pjrt:PATH:TARGET, or a program,
// cmd:TEMPLATE: an allocator over JSON lines, or a planner over CSV files. An unknown name is an error that lists the names, an absent one an error that says how to
// get it. Unimplemented: such code is of another family's kind.
absl::StatusOr<std::vector<SubjectChoice>> FindSubjects(const Family& family,
                                                        std::string_view words);

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_REGISTRY_H_
