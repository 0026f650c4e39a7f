// See command_row.h.
#include "subjects/command/command_row.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "subjects/command/command.h"
#include "subjects/plugin/hbm_child.h"
#include "subjects/plugin/plugin_subject.h"

namespace oomph {
namespace {

absl::StatusOr<std::unique_ptr<Subject>> StartCommand(const Family& family, const std::string& name,
                                                      const std::string& command_line,
                                                      const ChildLimits& limits) {
  ChildSpec child = HbmChildSpec();
  child.name = absl::StrCat("cmd:", command_line);
  child.limits = limits;
  child.make = [&family, name, command_line](Journal& journal) -> absl::StatusOr<std::unique_ptr<Subject>> {
    auto command = Command::Start(command_line);
    if (!command.ok()) return command.status();
    PluginSpec spec;
    spec.family = &family;
    spec.name = name;
    spec.plugin = (*command)->AsPlugin();
    spec.create = [command = *command](const oomph_config& config) { return command->Reset(config); };
    return PluginSubject::Make(spec, &journal);
  };
  return ChildSubject::Start(std::move(child));
}

}  // namespace

SubjectRow CommandRow(const Family& family, const std::string& command_line, const ChildLimits& limits) {
  SubjectRow row;
  row.family = &family;
  row.name = "cmd";
  row.spec = absl::StrCat("cmd:", command_line);
  row.title = "an allocator over JSON lines";
  row.variants = {""};
  const auto name = AskInChild(
      row.spec,
      [&command_line]() -> absl::StatusOr<std::string> {
        const auto command = Command::Start(command_line);
        if (!command.ok()) return command.status();
        return (*command)->name();
      },
      limits);
  if (!name.ok()) {
    row.absent = std::string(name.status().message());
    return row;
  }
  row.name = absl::StrCat("cmd:", *name);
  row.make = [&family, name = row.name, command_line, limits](const std::string&, bool) {
    return StartCommand(family, name, command_line, limits);
  };
  return row;
}

}  // namespace oomph
