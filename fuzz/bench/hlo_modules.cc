// See hlo_modules.h.
#include "fuzz/bench/hlo_modules.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "models/hlo/text.h"

namespace oomph {
namespace {

constexpr size_t kLeastBytes = 1024;

// One layer $0: a fusion, a loop of four steps over a tuple, and some operations around them. $1 is the layer before,
// $2 the one whose value is used again. $3 is a line of source.
constexpr char kCalled[] = R"(%fused_computation.$0 (param_0.$0: f32[256,128], param_1.$0: f32[256,128]) -> f32[256,128] {
  %param_0.$0 = f32[256,128]{1,0} parameter(0)
  %param_1.$0 = f32[256,128]{1,0} parameter(1)
  %multiply.$0 = f32[256,128]{1,0} multiply(%param_0.$0, %param_1.$0), metadata={op_name="jit(step)/layer_$0/mul" source_file="step.py" source_line=$3}
  ROOT %tanh.$0 = f32[256,128]{1,0} tanh(%multiply.$0), metadata={op_name="jit(step)/layer_$0/tanh" source_file="step.py" source_line=$3}
}

%body.$0 (state.$0: (s32[], f32[256,128], f32[4,256,128])) -> (s32[], f32[256,128], f32[4,256,128]) {
  %state.$0 = (s32[], f32[256,128]{1,0}, f32[4,256,128]{2,1,0}) parameter(0)
  %i.$0 = s32[] get-tuple-element(%state.$0), index=0
  %carried.$0 = f32[256,128]{1,0} get-tuple-element(%state.$0), index=1
  %stacked.$0 = f32[4,256,128]{2,1,0} get-tuple-element(%state.$0), index=2
  %one.$0 = s32[] constant(1)
  %next.$0 = s32[] add(%i.$0, %one.$0)
  %sine.$0 = f32[256,128]{1,0} sine(%carried.$0), metadata={op_name="jit(step)/layer_$0/while/sin" source_file="step.py" source_line=$3}
  %row.$0 = f32[1,256,128]{2,1,0} bitcast(%sine.$0)
  %zero.$0 = s32[] constant(0)
  %update.$0 = f32[4,256,128]{2,1,0} dynamic-update-slice(%stacked.$0, %row.$0, %i.$0, %zero.$0, %zero.$0)
  ROOT %tuple_body.$0 = (s32[], f32[256,128]{1,0}, f32[4,256,128]{2,1,0}) tuple(%next.$0, %sine.$0, %update.$0)
}

%condition.$0 (state_of.$0: (s32[], f32[256,128], f32[4,256,128])) -> pred[] {
  %state_of.$0 = (s32[], f32[256,128]{1,0}, f32[4,256,128]{2,1,0}) parameter(0)
  %i_of.$0 = s32[] get-tuple-element(%state_of.$0), index=0
  %four.$0 = s32[] constant(4)
  ROOT %less.$0 = pred[] compare(%i_of.$0, %four.$0), direction=LT
}

)";

constexpr char kLayer[] = R"(  %fusion.$0 = f32[256,128]{1,0} fusion(%out.$1, %out.$2), kind=kLoop, calls=%fused_computation.$0, metadata={op_name="jit(step)/layer_$0/tanh" source_file="step.py" source_line=$3}
  %start.$0 = s32[] constant(0)
  %nothing.$0 = f32[] constant(0)
  %empty.$0 = f32[4,256,128]{2,1,0} broadcast(%nothing.$0), dimensions={}
  %tuple.$0 = (s32[], f32[256,128]{1,0}, f32[4,256,128]{2,1,0}) tuple(%start.$0, %fusion.$0, %empty.$0)
  %while.$0 = (s32[], f32[256,128]{1,0}, f32[4,256,128]{2,1,0}) while(%tuple.$0), condition=%condition.$0, body=%body.$0, metadata={op_name="jit(step)/layer_$0/while" source_file="step.py" source_line=$3}
  %last.$0 = f32[256,128]{1,0} get-tuple-element(%while.$0), index=1
  %all.$0 = f32[4,256,128]{2,1,0} get-tuple-element(%while.$0), index=2
  %third.$0 = f32[1,256,128]{2,1,0} slice(%all.$0), slice={[2:3], [0:256], [0:128]}
  %flat.$0 = f32[256,128]{1,0} reshape(%third.$0)
  %add.$0 = f32[256,128]{1,0} add(%last.$0, %flat.$0), metadata={op_name="jit(step)/layer_$0/add" source_file="step.py" source_line=$3}
  %negate.$0 = f32[256,128]{1,0} negate(%out.$2)
  %out.$0 = f32[256,128]{1,0} maximum(%add.$0, %negate.$0), metadata={op_name="jit(step)/layer_$0/max" source_file="step.py" source_line=$3}
)";

constexpr size_t LinesOf(std::string_view text, std::string_view word) {
  size_t lines = 0;
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) ++lines;
  return lines;
}
constexpr size_t kInstructionsOfALayer = LinesOf(kCalled, " = ") + LinesOf(kLayer, " = ");

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<std::string> Texts(BenchReport& report) {
  const char* folder = std::getenv("OOMPH_HLO_CASES");
  if (folder == nullptr) {
    report.Skip("real modules: OOMPH_HLO_CASES names no folder of .hlo files; one made here stands for them");
    return {MadeHloText(80'000)};
  }
  std::vector<std::string> texts;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".hlo") texts.push_back(ReadFile(entry.path()));
  }
  if (error) report.Skip(absl::StrCat(folder, ": ", error.message()));
  return texts;
}

}  // namespace

std::string MadeHloText(size_t instructions) {
  const size_t layers = std::max<size_t>(instructions / kInstructionsOfALayer, 1);
  std::string text = "HloModule step, is_scheduled=true\n\n", entry;
  const auto add = [](std::string& to, const char* form, size_t layer, size_t used) {
    absl::SubstituteAndAppend(&to, form, layer, layer - 1, used, layer % 997);
  };
  for (size_t i = 1; i <= layers; ++i) {
    // Forward, what the layer before gave; back, what the layer gave that is as far from the other end.
    const size_t used = i <= layers / 2 ? i - 1 : layers - i;
    add(text, kCalled, i, used);
    add(entry, kLayer, i, used);
  }
  absl::StrAppend(&text, "ENTRY %main (out.0: f32[256,128]) -> f32[256,128] {\n", "  %out.0 = f32[256,128]{1,0} parameter(0)\n",
                  entry, "  ROOT %result = f32[256,128]{1,0} negate(%out.", layers, ")\n}\n\n");
  return text;
}

std::vector<HloCase> HloCases(BenchReport& report) {
  std::vector<HloCase> cases;
  for (std::string& text : Texts(report)) {
    if (text.size() < kLeastBytes) continue;
    absl::StatusOr<hlo::Module> module = hlo::Parse("bench", text);
    if (module.ok()) cases.push_back({std::move(text), *std::move(module)});
  }
  std::sort(cases.begin(), cases.end(),
            [](const HloCase& a, const HloCase& b) { return a.text.size() > b.text.size(); });
  return cases;
}

}  // namespace oomph
