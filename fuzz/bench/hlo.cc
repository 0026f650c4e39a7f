// See hlo.h. The modules are those of the folder that OOMPH_HLO_CASES names, or else a long one made here.
#include "fuzz/bench/hlo.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "models/hlo/text.h"

namespace oomph {
namespace {

// Modules below it are mostly headers of tests; the largest are most of the bytes.
constexpr size_t kLeastBytes = 1024;
constexpr size_t kLargest = 5;

struct Case {
  std::string text;
  hlo::Module module;
};

// The text of a computation of additions, about as long as asked for.
std::string LongText(size_t bytes) {
  std::string text =
      "HloModule long\n\nENTRY %main (p: f32[128]) -> f32[128] {\n  %add.0 = f32[128]{0} parameter(0)\n";
  for (size_t i = 1; text.size() < bytes; ++i) {
    absl::StrAppend(&text, "  %add.", i, " = f32[128]{0} add(%add.", i - 1, ", %add.", i / 2,
                    "), metadata={op_name=\"jit(f)/add\" source_file=\"f.py\" source_line=", i % 500, "}\n");
  }
  return text + "}\n\n";
}

// What can be read of the folder, the largest first.
std::vector<Case> Cases(BenchReport& report) {
  std::vector<std::string> texts;
  std::error_code error;
  const char* folder = std::getenv("OOMPH_HLO_CASES");
  if (folder == nullptr) {
    report.Skip("real modules: OOMPH_HLO_CASES names no folder of .hlo files; one made here stands for them");
    texts.push_back(LongText(10'000'000));
  } else {
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      std::ifstream file(entry.path(), std::ios::binary);
      if (entry.path().extension() == ".hlo")
        texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    if (error) report.Skip(absl::StrCat(folder, ": ", error.message()));
  }
  std::vector<Case> cases;
  for (std::string& text : texts) {
    if (text.size() < kLeastBytes) continue;
    absl::StatusOr<hlo::Module> module = hlo::Parse("bench", text);
    if (module.ok()) cases.push_back({std::move(text), *std::move(module)});
  }
  std::sort(cases.begin(), cases.end(),
            [](const Case& a, const Case& b) { return a.text.size() > b.text.size(); });
  return cases;
}

// The fastest of several rounds over all cases, in MB/s. `run` gives the bytes it dealt with.
template <typename Run>
double BestRate(BenchReport& report, std::span<const Case> cases, const Run& run) {
  double best = 0;
  const Stopwatch total;
  do {
    size_t bytes = 0;
    const CpuStopwatch watch;
    for (const Case& each : cases) bytes += run(each);
    best = std::max(best, static_cast<double>(bytes) * 1e-6 / std::max(watch.seconds(), 1e-9));
  } while (total.seconds() < report.seconds());
  return best;
}

void Measure(BenchReport& report, std::string_view which, std::span<const Case> cases) {
  if (cases.empty()) return;
  const std::string name(which);
  const double parse = BestRate(report, cases, [](const Case& each) {
    const bool read = hlo::Parse("bench", each.text).ok();
    if (!read) std::abort();  // it was read a moment ago: no figure, a fault
    return each.text.size();
  });
  report.AtLeast(absl::StrCat("parse, ", name), parse, "MB/s", 200);
  const double print =
      BestRate(report, cases, [](const Case& each) { return hlo::Print(each.module).size(); });
  report.AtLeast(absl::StrCat("print, ", name), print, "MB/s", 500);
}

void BenchHloText(BenchReport& report) {
  const std::vector<Case> cases = Cases(report);
  Measure(report, absl::StrCat("all ", cases.size(), " modules of 1 KiB and more"), cases);
  if (cases.size() <= kLargest) return;
  Measure(report, absl::StrCat("without the ", kLargest, " largest"), std::span(cases).subspan(kLargest));
}

// How many attributes are kept as they stand because their form is not understood, and which.
void BenchHloAttributes(BenchReport& report) {
  std::map<std::string, size_t> verbatim;
  size_t attributes = 0, kept = 0;
  for (const Case& each : Cases(report)) {
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
    {"hlo-attributes", "attributes of real modules, and those whose form is not understood",
     BenchHloAttributes},
};

}  // namespace

std::span<const BenchRow> HloBenches() { return kRows; }

}  // namespace oomph
