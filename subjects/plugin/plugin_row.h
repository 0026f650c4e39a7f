// Rows of the table of subjects for plugins: where they lie, what their variants are, how to start
// them in a child or in this process.
// Not for: loading (see plugin.h).
#ifndef OOMPH_SUBJECTS_PLUGIN_PLUGIN_ROW_H_
#define OOMPH_SUBJECTS_PLUGIN_PLUGIN_ROW_H_

#include <functional>
#include <string>
#include <vector>

#include "subjects/child/child.h"
#include "subjects/plugin/plugin_subject.h"
#include "subjects/subject.h"

namespace oomph {

// Where the build puts oomph_plugin_NAME.so: in OOMPH_PLUGIN_DIR if that is set, else in plugins/
// beside this program.
std::string PluginPath(const std::string& name);

struct PluginDescription {
  std::string title;
  std::vector<std::string> variants;  // at least one
};
std::string PluginTitle(const char* name, const char* version);
// What `describe` answers in a short-lived child: this process does not load the plugin.
absl::StatusOr<PluginDescription> DescribeInChild(
    const std::string& path, absl::StatusOr<PluginDescription> (*describe)(const std::string& path));

// A child around the plugin. It is loaded only there.
absl::StatusOr<std::unique_ptr<Subject>> StartPluginInChild(const PluginSpec& spec,
                                                            const ChildLimits& limits = {});

struct PluginRowSpec {
  const Family* family = nullptr;
  std::string name;
  std::string spec;  // see SubjectRow
  std::string path;
  std::string title;      // empty: the plugin's own words
  std::string reference;
  std::string how_to_get; // said if the file is not there
  std::vector<std::string> features;  // see PluginSpec
  // See Subject::Prepare; empty: nothing to do.
  std::function<void(const std::string& variant, Case& c)> prepare;
};

// Asks the plugin for its variants in a short-lived child; one that is not there or does not load
// gives a row that says so in `absent`.
SubjectRow PluginRow(const PluginRowSpec& spec);

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_PLUGIN_PLUGIN_ROW_H_
