// See registry.h. A new subject adds its header and its row, a new family a line in kFamilies.
#include "subjects/registry.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "models/hbm/family.h"
#include "models/hlo/family.h"
#include "models/placement/family.h"
#include "models/sparsecore/family.h"
#include "models/vmem/family.h"
#include "subjects/builtin/hbm.h"
#include "subjects/builtin/hlo.h"
#include "subjects/builtin/placement.h"
#include "subjects/builtin/sparsecore.h"
#include "subjects/builtin/vmem.h"
#include "subjects/command/command_row.h"
#include "subjects/command/planner_command.h"
#include "subjects/hlo/verifier_row.h"
#include "subjects/malloc/malloc_rows.h"
#include "subjects/pjrt/rows.h"
#include "subjects/planner/planner_row.h"
#include "subjects/plugin/bfc_row.h"
#include "subjects/plugin/boost_row.h"
#include "subjects/plugin/plugin_row.h"
#include "subjects/xla/xla_hlo_row.h"
#include "subjects/xla/xla_row.h"

namespace oomph {
namespace {

constexpr std::string_view kPlugin = "plugin:";
constexpr std::string_view kPluginEnd = ".so";
constexpr std::string_view kPjrt = "pjrt:";
constexpr std::string_view kCommand = "cmd:";

// Foreign code that a command line names by where it lies.
struct ForeignPlugin {
  std::string name, spec, path;
};

template <typename Spec>
Spec SpecOf(const Family& family, const ForeignPlugin& plugin) {
  Spec spec;
  spec.family = &family;
  spec.name = plugin.name;
  spec.spec = plugin.spec;
  spec.path = plugin.path;
  return spec;
}

// What a family has under test. A function that a family does not have is null: it takes none of that kind.
// Unimplemented: that code is of another family's kind.
struct FamilySubjects {
  const Family& (*family)();
  std::vector<SubjectRow> (*rows)();
  absl::StatusOr<SubjectRow> (*plugin)(const Family& family, const ForeignPlugin& plugin);
  absl::StatusOr<SubjectRow> (*command)(const Family& family, const std::string& command_line);
  // A plugin behind the PJRT C API, which has no part in interfaces of ours.
  absl::StatusOr<SubjectRow> (*pjrt)(const Family& family, const ForeignPlugin& plugin);
};

std::vector<SubjectRow> HbmRows() {
  std::vector<SubjectRow> rows = BuiltinHbmRows();
  rows.push_back(BfcRow());
  for (SubjectRow& row : MallocRows()) rows.push_back(std::move(row));
  rows.push_back(BoostRow());
  return rows;
}

absl::StatusOr<SubjectRow> HbmPlugin(const Family& family, const ForeignPlugin& plugin) {
  return PluginRow(SpecOf<PluginRowSpec>(family, plugin));
}

absl::StatusOr<SubjectRow> HbmCommand(const Family& family, const std::string& command_line) {
  if (IsPlannerCommand(command_line)) {
    return absl::UnimplementedError(absl::StrCat("cmd:", command_line, ": the command of a planner, of family placement"));
  }
  return CommandRow(family, command_line);
}

std::vector<SubjectRow> PlacementRows() {
  std::vector<SubjectRow> rows = BuiltinPlacementRows();
  rows.push_back(XlaRow(PlacementFamily()));
  return rows;
}

absl::StatusOr<SubjectRow> PlacementPlugin(const Family& family, const ForeignPlugin& plugin) {
  return FindPlanner(SpecOf<PlannerRowSpec>(family, plugin));
}

absl::StatusOr<SubjectRow> PlacementCommand(const Family& family, const std::string& command_line) {
  return PlannerCommandRow(family, command_line);
}

std::vector<SubjectRow> HloRows() {
  std::vector<SubjectRow> rows = BuiltinHloRows();
  rows.push_back(XlaHloRow(HloFamily()));
  rows.push_back(XlaCpuRow(HloFamily()));
  rows.push_back(LibtpuRow(HloFamily()));
  return rows;
}

absl::StatusOr<SubjectRow> HloPlugin(const Family& family, const ForeignPlugin& plugin) {
  VerifierRowSpec spec = SpecOf<VerifierRowSpec>(family, plugin);
  spec.reference = "model";  // any two verifiers can be compared
  return FindVerifier(spec);
}

absl::StatusOr<SubjectRow> HloPjrt(const Family& family, const ForeignPlugin& plugin) {
  return PjrtRow(family, plugin.name, plugin.spec, plugin.path);
}

std::vector<SubjectRow> VmemRows() {
  std::vector<SubjectRow> rows = BuiltinVmemRows();
  rows.push_back(LibtpuKernelRow(VmemFamily()));
  return rows;
}

std::vector<SubjectRow> SparseCoreRows() {
  std::vector<SubjectRow> rows = BuiltinSparseCoreRows();
  rows.push_back(LibtpuSparseCoreRow(SparseCoreFamily()));
  return rows;
}

constexpr FamilySubjects kFamilies[] = {
    {HbmFamily, HbmRows, HbmPlugin, HbmCommand, nullptr},
    {PlacementFamily, PlacementRows, PlacementPlugin, PlacementCommand, nullptr},
    {HloFamily, HloRows, HloPlugin, nullptr, HloPjrt},
    {VmemFamily, VmemRows, nullptr, nullptr, nullptr},
    {SparseCoreFamily, SparseCoreRows, nullptr, nullptr, nullptr},
};

// All null for a family that has no line there: one of a test.
FamilySubjects SubjectsOf(const Family& family) {
  for (const FamilySubjects& subjects : kFamilies) {
    if (&subjects.family() == &family) return subjects;
  }
  return {};
}

std::vector<SubjectRow> MakeRows() {
  std::vector<SubjectRow> rows;
  for (const FamilySubjects& subjects : kFamilies) {
    for (SubjectRow& row : subjects.rows()) rows.push_back(std::move(row));
  }
  return rows;
}

absl::Status NoSuchSubject(const Family& family, std::string_view name) {
  std::vector<std::string> names;
  for (const SubjectRow& row : SubjectRows()) {
    if (row.family == &family) names.push_back(row.name);
  }
  if (SubjectsOf(family).plugin != nullptr) names.push_back("plugin:PATH");
  if (SubjectsOf(family).command != nullptr) names.push_back("cmd:TEMPLATE");
  if (SubjectsOf(family).pjrt != nullptr) names.push_back("pjrt:PATH");
  return absl::NotFoundError(absl::StrCat("no subject \"", std::string(name), "\" of family ",
                                          std::string(family.name()), "; there are ",
                                          absl::StrJoin(names, ", ")));
}

absl::StatusOr<std::vector<SubjectChoice>> Choose(const SubjectRow& row,
                                                  std::string_view variant, bool all) {
  if (!row.absent.empty()) {
    return absl::UnavailableError(absl::StrCat("subject ", row.name, ": ", row.absent));
  }
  std::vector<SubjectChoice> choices;
  if (!all) {
    choices.push_back({row, std::string(variant)});
    return choices;
  }
  for (const std::string& each : row.variants) choices.push_back({row, each});
  return choices;
}

// "bump" of ".../oomph_plugin_bump.so".
std::string NameOfPlugin(const std::string& path) {
  std::string name = std::filesystem::path(path).stem().string();
  constexpr std::string_view kPrefix = "oomph_plugin_";
  if (name.starts_with(kPrefix)) name.erase(0, kPrefix.size());
  return name;
}

absl::Status TakesNo(const Family& family, const char* what) {
  return absl::UnimplementedError(absl::StrCat("family ", std::string(family.name()), " takes no ", what));
}

// `words` is PATH or PATH:VARIANT, and the path may have colons before its ".so"; `begin` names the kind of plugin.
absl::StatusOr<std::vector<SubjectChoice>> ChoosePlugin(const Family& family, std::string_view begin, std::string_view words) {
  const FamilySubjects subjects = SubjectsOf(family);
  const auto find = begin == kPjrt ? subjects.pjrt : subjects.plugin;
  if (find == nullptr) return TakesNo(family, begin == kPjrt ? "PJRT plugins" : "plugins");
  const size_t end = words.find(std::string(kPluginEnd) + ":");
  const bool all = end == words.npos;
  const size_t path_size = all ? words.size() : end + kPluginEnd.size();
  ForeignPlugin plugin;
  plugin.path = std::string(words.substr(0, path_size));
  plugin.name = NameOfPlugin(plugin.path);
  plugin.spec = absl::StrCat(std::string(begin), plugin.path);
  const absl::StatusOr<SubjectRow> row = find(family, plugin);
  if (!row.ok()) return row.status();
  return Choose(*row, all ? "" : words.substr(path_size + 1), all);
}

absl::StatusOr<std::vector<SubjectChoice>> ChooseCommand(const Family& family, std::string_view words) {
  const FamilySubjects subjects = SubjectsOf(family);
  if (subjects.command == nullptr) return TakesNo(family, "commands");
  const absl::StatusOr<SubjectRow> row = subjects.command(family, std::string(words));
  if (!row.ok()) return row.status();
  return Choose(*row, "", true);
}

// It is written into case files, a line each.
bool IsOneLine(std::string_view words) {
  return std::none_of(words.begin(), words.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

}  // namespace

bool NamesForeignCode(std::string_view words) {
  return words.starts_with(kPlugin) || words.starts_with(kPjrt) || words.starts_with(kCommand);
}

std::span<const SubjectRow> SubjectRows() {
  static const std::vector<SubjectRow> rows = MakeRows();
  return rows;
}

const SubjectRow* FindSubjectRow(const Family& family, std::string_view name) {
  for (const SubjectRow& row : SubjectRows()) {
    if (row.family == &family && row.name == name) return &row;
  }
  return nullptr;
}

absl::StatusOr<std::vector<SubjectChoice>> FindSubjects(const Family& family,
                                                        std::string_view words) {
  if (!IsOneLine(words))
    return absl::InvalidArgumentError("the name of a subject is one line of plain characters");
  if (words == kPlugin) return absl::InvalidArgumentError("plugin: expected a path after it");
  if (words == kPjrt) return absl::InvalidArgumentError("pjrt: expected a path after it");
  if (words == kCommand) return absl::InvalidArgumentError("cmd: expected a command after it");
  if (words.starts_with(kCommand)) return ChooseCommand(family, words.substr(kCommand.size()));
  for (const std::string_view begin : {kPlugin, kPjrt}) {
    if (words.starts_with(begin)) return ChoosePlugin(family, begin, words.substr(begin.size()));
  }
  const size_t colon = words.find(':');
  const bool all = colon == words.npos;
  const SubjectRow* row = FindSubjectRow(family, words.substr(0, colon));
  if (row == nullptr) return NoSuchSubject(family, words);
  return Choose(*row, all ? "" : words.substr(colon + 1), all);
}

}  // namespace oomph
