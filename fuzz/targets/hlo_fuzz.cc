// Feeds the generator of HLO modules, the rewrites and the mutator from fuzz bytes: every module on the way
// is valid, and is read again as it was printed. Does not cover: foreign texts (hlo_text_fuzz), liveness, the
// verifiers of others.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/choices.h"
#include "models/hlo/generate.h"
#include "models/hlo/mutate.h"
#include "models/hlo/rewrite.h"
#include "models/hlo/text.h"
#include "models/hlo/verify.h"

namespace {

using oomph::hlo::Module;

void Fail(std::string_view detail, const Module& module, std::string_view why) {
  fprintf(stderr, "%s\n%.*s\nSIG hlo/%.*s/model/module\n", oomph::hlo::Print(module).c_str(),
          static_cast<int>(why.size()), why.data(), static_cast<int>(detail.size()), detail.data());
  abort();
}

void Check(const Module& module) {
  const std::vector<oomph::hlo::Problem> problems = oomph::hlo::Verify(module);
  if (!problems.empty()) Fail("is_valid", module, Describe(module, problems[0]));
  const absl::StatusOr<Module> again = oomph::hlo::Parse("module", oomph::hlo::Print(module));
  if (!again.ok()) Fail("is_read_again", module, std::string(again.status().message()));
  if (!(*again == module)) Fail("is_read_again", module, "read as another module");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  oomph::Choices choices = oomph::Choices::FromTape({reinterpret_cast<const char*>(data), size});
  // How often it is changed is drawn first, so that the tape of the module may end anywhere.
  const uint64_t rewrites = choices.Below(4), mutations = choices.Below(3);
  Module module;
  GenerateModule(choices, {}, module);
  Check(module);
  for (uint64_t i = 0; i < rewrites; ++i) {
    Apply(static_cast<oomph::hlo::Rewrite>(choices.Below(oomph::hlo::kRewrites)), choices, module);
    Check(module);
  }
  for (uint64_t i = 0; i < mutations; ++i) {
    MutateModule(choices, {}, module);
    Check(module);
  }
  return 0;
}
