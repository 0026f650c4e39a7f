// See plugin_row.h.
#include "subjects/plugin/plugin_row.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "models/base/pack.h"
#include "subjects/plugin/hbm_child.h"
#include "subjects/plugin/plugin.h"

namespace oomph {
namespace {

absl::StatusOr<PluginDescription> Describe(const std::string& path) {
  const auto plugin = Plugin::Load(path);
  if (!plugin.ok()) return plugin.status();
  const oomph_info& info = (*plugin)->info();
  return PluginDescription{PluginTitle(info.name, info.version), (*plugin)->Variants()};
}

absl::StatusOr<std::unique_ptr<Subject>> StartPlugin(const PluginRowSpec& row,
                                                     const std::string& variant, bool in_child) {
  PluginSpec spec;
  spec.family = row.family;
  spec.name = row.name;
  spec.path = row.path;
  spec.variant = variant;
  spec.features = row.features;
  if (row.prepare) {
    spec.prepare = [prepare = row.prepare, variant](Case& c) { prepare(variant, c); };
  }
  if (in_child) return StartPluginInChild(spec);
  return PluginSubject::Make(spec);
}

}  // namespace

std::string PluginTitle(const char* name, const char* version) {
  return absl::StrCat(name, " ", version == nullptr ? "" : version);
}

absl::StatusOr<PluginDescription> DescribeInChild(
    const std::string& path, absl::StatusOr<PluginDescription> (*describe)(const std::string& path)) {
  const auto ask = [&]() -> absl::StatusOr<std::string> {
    const auto description = describe(path);
    if (!description.ok()) return description.status();
    Packer packer;
    packer.Text(description->title);
    packer.Texts(description->variants);
    return packer.bytes();
  };
  const absl::StatusOr<std::string> answer = AskInChild(path, ask);
  if (!answer.ok()) return answer.status();
  PluginDescription description;
  Unpacker unpacker(*answer);
  if (!unpacker.Text(description.title) || !unpacker.Texts(description.variants) ||
      !unpacker.AtEnd() || description.variants.empty()) {
    return absl::DataLossError(path + ": its description came back damaged");
  }
  return description;
}

std::string PluginPath(const std::string& name) {
  const std::string file = absl::StrCat("oomph_plugin_", name, ".so");
  if (const char* dir = std::getenv("OOMPH_PLUGIN_DIR"); dir != nullptr && *dir != '\0') {
    return absl::StrCat(dir, "/", file);
  }
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  return (program.parent_path() / "plugins" / file).string();
}

absl::StatusOr<std::unique_ptr<Subject>> StartPluginInChild(const PluginSpec& spec,
                                                            const ChildLimits& limits) {
  ChildSpec child = HbmChildSpec();
  child.name = spec.path;
  child.prepare = spec.prepare;
  child.limits = limits;
  child.make = [spec](Journal& journal) -> absl::StatusOr<std::unique_ptr<Subject>> {
    return PluginSubject::Make(spec, &journal);
  };
  return ChildSubject::Start(std::move(child));
}

SubjectRow PluginRow(const PluginRowSpec& spec) {
  SubjectRow row;
  row.family = spec.family;
  row.name = spec.name;
  row.spec = spec.spec;
  row.title = spec.title;
  row.reference = spec.reference;
  row.make = [spec](const std::string& variant, bool in_child) {
    return StartPlugin(spec, variant, in_child);
  };
  if (!spec.how_to_get.empty() && access(spec.path.c_str(), F_OK) != 0) {
    row.absent = absl::StrCat(spec.path, " is not there: ", spec.how_to_get);
    row.variants = {""};
    return row;
  }
  const auto description = DescribeInChild(spec.path, Describe);
  if (!description.ok()) {
    row.absent = std::string(description.status().message());
    row.variants = {""};
    return row;
  }
  if (row.title.empty()) row.title = description->title;
  row.variants = description->variants;
  return row;
}

}  // namespace oomph
