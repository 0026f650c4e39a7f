// Rows of the table of subjects for plugins behind an interface of their own (planner.h, hlo.h): where they lie, what
// their variants are, how to start them. Not for loading them, nor for allocators (see plugin_row.h).
#ifndef OOMPH_SUBJECTS_PLUGIN_FOREIGN_ROW_H_
#define OOMPH_SUBJECTS_PLUGIN_FOREIGN_ROW_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "subjects/child/child.h"
#include "subjects/plugin/plugin_row.h"
#include "subjects/subject.h"

namespace oomph {

struct ForeignRowSpec {
  const Family* family = nullptr;
  std::string name;
  std::string spec;  // see SubjectRow
  std::string path;
  std::string title;  // empty: the plugin's own words
  // Given: the plugin is not loaded to ask it for them; what keeps it from loading is told when it is started.
  std::vector<std::string> variants;
  std::string reference;
  std::function<std::string(const std::string& variant)> reference_variant;  // see SubjectRow
  std::string how_to_get;  // said if the file is not there
  // See Subject::Prepare; empty: nothing to do.
  std::function<void(const std::string& variant, Case& c)> prepare;
  ChildLimits limits;
};

// What differs between the interfaces.
struct ForeignKind {
  absl::StatusOr<PluginDescription> (*describe)(const std::string& path);
  // A subject in this process.
  absl::StatusOr<std::unique_ptr<Subject>> (*make)(const ForeignRowSpec& spec, const std::string& variant);
  // How cases go to a child; its name, limits, `make` and `prepare` are filled in here.
  ChildSpec (*child)(const Family& family);
};

// Asks the plugin for its variants in a short-lived child. An error if it is not there or does not load;
// Unimplemented: it is none of that kind.
absl::StatusOr<SubjectRow> FindForeign(const ForeignRowSpec& spec, const ForeignKind& kind);
// The same for a row of the table: what is wrong stands in `absent`.
SubjectRow ForeignRow(const ForeignRowSpec& spec, const ForeignKind& kind);

// Variants that a plugin does not list are taken too, as long as it does not refuse them: `refuses` asks it.
absl::Status CheckForeignVariant(const std::string& path, const std::vector<std::string>& listed,
                                 const std::string& variant, const std::function<bool()>& refuses);

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_PLUGIN_FOREIGN_ROW_H_
