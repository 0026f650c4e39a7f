// oomph list: the tables that everything else is driven by.
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>

#include "fuzz/exit_code.h"
#include "fuzz/faults/faults.h"
#include "fuzz/report/report.h"
#include "fuzz/report/show.h"
#include "models/base/chips.h"
#include "models/base/units.h"
#include "models/families.h"
#include "tools/verb.h"

namespace oomph {
namespace {

using nlohmann::json;

std::string Join(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

json ListFamilies() {
  json rows = json::array();
  for (const Family* family : Families()) {
    rows.push_back({{"name", family->name()}, {"extension", family->extension()}, {"title", family->title()}});
  }
  return rows;
}

json ListSubjects() {
  json rows = json::array();
  for (const SubjectRow& row : SubjectTable::All().rows()) {
    if (IsFault(row)) continue;
    std::vector<std::string> variants;
    for (const std::string& variant : row.variants) {
      if (!variant.empty()) variants.push_back(variant);
    }
    rows.push_back({{"family", row.family->name()}, {"name", row.name}, {"variants", Join(variants)},
                    {"here", row.absent.empty() ? "yes" : "no: " + row.absent}, {"title", row.title}});
  }
  return rows;
}

json ListOracles() {
  json rows = json::array();
  for (const Family* family : Families()) {
    for (const OracleInfo& oracle : family->oracles()) {
      rows.push_back({{"family", family->name()}, {"name", oracle.name}, {"kind", "oracle"},
                      {"promise", Join(PromiseNames(*family, oracle.promise))}, {"because", oracle.because}});
    }
    for (const RelationInfo& relation : family->relations()) {
      rows.push_back({{"family", family->name()}, {"name", relation.name}, {"kind", "relation"},
                      {"promise", Join(PromiseNames(*family, relation.promise))}, {"because", relation.because}});
    }
  }
  return rows;
}

json ListFaults() {
  json rows = json::array();
  for (const FaultRow& fault : Faults()) {
    rows.push_back({{"family", fault.family->name()}, {"name", "fault:" + std::string(fault.name)},
                    {"oracle", fault.oracle}, {"what", fault.what}});
  }
  return rows;
}

json ListReductions() {
  json rows = json::array();
  for (const Family* family : Families()) {
    for (const ReductionInfo& info : family->reductions()) {
      rows.push_back({{"family", family->name()}, {"name", info.name}, {"takes", info.takes}, {"does", info.does}});
    }
  }
  return rows;
}

std::string Show(const MaybeFigure& figure) { return figure.has_value() ? ExactBytes(figure->value) : "unknown"; }

json ListChips() {
  json rows = json::array();
  for (const Chip& chip : Chips()) {
    rows.push_back({{"name", chip.name}, {"tensor cores", std::to_string(chip.tensor_cores.value)},
                    {"vmem", ExactBytes(chip.vmem.bytes.value)},
                    {"scoped limit", Show(chip.vmem.default_scoped_limit_bytes)},
                    {"hbm capacity", Show(chip.hbm.capacity_bytes)},
                    // Of the compile-time check, for scripts/remeasure.
                    {"compiler accepts", Show(chip.hbm.e1000_largest_accepted_bytes)},
                    {"compiler has", chip.hbm.e1000_available},
                    {"sparse cores", chip.sparse_core ? std::to_string(chip.sparse_core->cores.value) : "none"}});
  }
  return rows;
}

// A line of names, then a line a row.
void Print(const json& rows, const std::vector<std::string>& columns) {
  std::vector<std::vector<std::string>> lines = {columns};
  for (const json& row : rows) {
    auto& line = lines.emplace_back();
    for (const std::string& column : columns) line.push_back(Printable(row[column].get<std::string>()));
  }
  std::fputs(TextTable(lines, std::vector<bool>(columns.size(), true)).c_str(), stdout);
}

struct Listing {
  json (*rows)();
  std::vector<std::string> columns;
};

const std::map<std::string, Listing>& Tables() {
  static const std::map<std::string, Listing> tables = {
      {"families", {ListFamilies, {"name", "extension", "title"}}},
      {"subjects", {ListSubjects, {"family", "name", "variants", "here", "title"}}},
      {"oracles", {ListOracles, {"family", "name", "kind", "promise", "because"}}},
      {"faults", {ListFaults, {"family", "name", "oracle", "what"}}},
      {"reductions", {ListReductions, {"family", "name", "takes", "does"}}},
      {"chips", {ListChips, {"name", "tensor cores", "vmem", "scoped limit", "hbm capacity", "sparse cores"}}}};
  return tables;
}

}  // namespace

Verb ListVerb(CLI::App& root, const std::string&) {
  struct Options {
    std::string what;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  std::vector<std::string> names;
  for (const auto& [name, table] : Tables()) names.push_back(name);
  CLI::App* app = root.add_subcommand("list", "List families, subjects, oracles, reductions, faults or chips.");
  app->add_option("what", options->what, "Which table")->required()->check(CLI::IsMember(names));
  app->add_flag("--json", options->json, "As JSON");
  return {app, [options] {
            const Listing& table = Tables().at(options->what);
            const json rows = table.rows();
            if (options->json) return WriteOut("-", DumpJson(rows));
            Print(rows, table.columns);
            return static_cast<int>(kNothingFound);
          }};
}

}  // namespace oomph
