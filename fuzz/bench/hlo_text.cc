// How fast modules are read and printed, beside XLA's own reader and printer where they are here.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "fuzz/bench/hlo.h"
#include "fuzz/bench/hlo_modules.h"
#include "models/hlo/text.h"
#include "subjects/hlo/text_child.h"
#include "subjects/hlo/verifier_library.h"
#include "subjects/plugin/plugin_row.h"

namespace oomph {
namespace {

// The fastest of several rounds over all cases, in MB/s. `run` gives the bytes it dealt with.
template <typename Run>
double BestRate(BenchReport& report, std::span<const HloCase> cases, const Run& run) {
  double best = 0;
  const Stopwatch total;
  do {
    size_t bytes = 0;
    const CpuStopwatch watch;
    for (const HloCase& each : cases) bytes += run(each);
    best = std::max(best, static_cast<double>(bytes) * 1e-6 / std::max(watch.seconds(), 1e-9));
  } while (total.seconds() < report.seconds());
  return best;
}

void Measure(BenchReport& report, const std::string& which, std::span<const HloCase> cases) {
  const double parse = BestRate(report, cases, [](const HloCase& each) {
    const bool read = hlo::Parse("bench", each.text).ok();
    if (!read) std::abort();  // it was read a moment ago: no figure, a fault
    return each.text.size();
  });
  report.AtLeast(absl::StrCat("parse, ", which), parse, "MB/s", 200);
  const double print =
      BestRate(report, cases, [](const HloCase& each) { return hlo::Print(each.module).size(); });
  report.AtLeast(absl::StrCat("print, ", which), print, "MB/s", 500);
}

void BenchHloText(BenchReport& report) {
  const std::vector<HloCase> cases = HloCases(report);
  if (cases.empty()) return report.Skip("no module was read");
  Measure(report, absl::StrCat("all ", cases.size(), " modules of 1 KiB and more"), cases);
  if (cases.size() <= kLargestHloCases) return;
  Measure(report, absl::StrCat("without the ", kLargestHloCases, " largest"), std::span(cases).subspan(kLargestHloCases));
}

constexpr char kXla[] = "XLA's reader and printer beside ours";

// What XLA reads of `cases`. Asked in a child first: it may die of what it does not like.
std::vector<HloCase> ReadByXla(std::vector<HloCase> cases, const std::string& path, BenchReport& report) {
  VerifierChild child(path, /*wanted=*/0);
  const size_t before = cases.size();
  std::erase_if(cases, [&](const HloCase& each) { return child.Ask(each.text).status != hlo::Status::kValid; });
  if (cases.size() < before) {
    report.Skip(absl::StrCat(kXla, ": of ", before, " modules XLA does not read ", before - cases.size()));
  }
  return cases;
}

// Ours and XLA's in turn, so that both meet the same machine.
void MeasureBesideXla(BenchReport& report, const std::string& which, std::span<const HloCase> cases,
                      const VerifierLibrary& xla) {
  constexpr uint32_t kPrints = 4;
  size_t bytes = 0, printed = 0;
  for (const HloCase& each : cases) bytes += each.text.size(), printed += hlo::Print(each.module).size();
  double parse = 1e9, print = 1e9, xla_parse = 1e9, xla_both = 1e9;
  const auto time = [&](double& best, const auto& run) {
    const CpuStopwatch watch;
    for (const HloCase& each : cases) {
      if (!run(each)) std::abort();  // it was read a moment ago: no figure, a fault
    }
    best = std::min(best, watch.seconds());
  };
  const Stopwatch total;
  do {
    time(parse, [](const HloCase& each) { return hlo::Parse("bench", each.text).ok(); });
    time(print, [](const HloCase& each) { return !hlo::Print(each.module).empty(); });
    time(xla_parse, [&](const HloCase& each) { return xla.ReadAndPrint(each.text, 0); });
    time(xla_both, [&](const HloCase& each) { return xla.ReadAndPrint(each.text, kPrints); });
  } while (total.seconds() < 2 * report.seconds());
  const double xla_print = std::max(xla_both - xla_parse, 1e-9) / kPrints;
  report.Add(absl::StrCat("parse, ", which), static_cast<double>(bytes) * 1e-6 / parse, "MB/s");
  report.Add("  XLA's reader", static_cast<double>(bytes) * 1e-6 / xla_parse, "MB/s");
  report.Add("  ours over XLA's", xla_parse / parse, "x");
  report.Add(absl::StrCat("print, ", which), static_cast<double>(printed) * 1e-6 / print, "MB/s");
  report.Add("  XLA's printer", static_cast<double>(printed) * 1e-6 / xla_print, "MB/s");
  report.Add("  ours over XLA's", xla_print / print, "x");
}

void BenchHloXla(BenchReport& report) {
  const std::string path = PluginPath("xla_hlo");
  if (std::error_code error; !std::filesystem::exists(path, error)) {
    return report.Skip(absl::StrCat(kXla, ": the plugin xla_hlo is not built (scripts/setup fetches the tensorflow-cpu wheel)"));
  }
  // Before it is loaded here as well: with its threads nothing should be forked.
  const std::vector<HloCase> cases = ReadByXla(HloCases(report), path, report);
  const auto xla = VerifierLibrary::Load(path);
  if (!xla.ok()) return report.Skip(absl::StrCat(kXla, ": ", std::string(xla.status().message())));
  if (cases.empty()) return report.Skip("no module was read");
  MeasureBesideXla(report, absl::StrCat("all ", cases.size(), " modules of 1 KiB and more that both read"), cases, **xla);
  if (cases.size() <= kLargestHloCases) return;
  MeasureBesideXla(report, absl::StrCat("without the ", kLargestHloCases, " largest"),
                   std::span(cases).subspan(kLargestHloCases), **xla);
}

// How many attributes are kept as they stand because their form is not understood, and which.
void BenchHloAttributes(BenchReport& report) {
  std::map<std::string, size_t> verbatim;
  size_t attributes = 0, kept = 0;
  for (const HloCase& each : HloCases(report)) {
    const hlo::Module& module = each.module;
    for (const hlo::Computation& computation : module.computations) {
      for (const hlo::Instruction& instruction : computation.instructions) {
        for (const hlo::AttributeId id : module.Attributes(instruction)) {
          ++attributes;
          const hlo::Attribute& attribute = module.attribute_table[id];
          if (attribute.form != hlo::Form::kVerbatim) continue;
          ++kept;
          const bool known = attribute.key != hlo::Key::kUnknown;
          const hlo::Reference& first = module.attribute_table.References(id).front();
          ++verbatim[std::string(known ? hlo::RowOf(attribute.key).name : module.strings[first.id])];
        }
      }
    }
  }
  if (attributes == 0) return report.Skip("no module was read");
  report.Add("attributes", static_cast<double>(attributes), "");
  report.AtMost("kept verbatim", 100.0 * static_cast<double>(kept) / static_cast<double>(attributes), "%", 1);
  for (const auto& [key, count] : verbatim)
    report.Add(absl::StrCat("of these ", key), static_cast<double>(count), "");
}

constexpr BenchRow kRows[] = {
    {"hlo-text", "megabytes of HLO text read and printed a second", BenchHloText},
    {"hlo-xla", "the same beside XLA's own reader and printer", BenchHloXla},
    {"hlo-attributes", "attributes of real modules, and those whose form is not understood",
     BenchHloAttributes},
};

}  // namespace

std::span<const BenchRow> HloTextBenches() { return kRows; }

}  // namespace oomph
