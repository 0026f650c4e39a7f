// Reads fuzz bytes as MLIR; the programs that are in it are planned, and printed again they are planned the same.
// Does not cover: Mosaic kernels (models/vmem/read_mosaic.h).
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "models/mlir/read.h"
#include "models/sparsecore/answer_text.h"
#include "models/sparsecore/mlir.h"
#include "models/sparsecore/planner.h"
#include "models/sparsecore/structure.h"
#include "models/sparsecore/text.h"
#include "models/sparsecore/words.h"

namespace oomph::sparsecore {
namespace {

std::string Planned(const Program& program) {
  Answer answer;
  RunModel(program, answer);
  answer.message.clear();
  answer.why.clear();
  return Summary(answer);
}

// MLIR writes sizes of 63 bits only.
bool CanBeWritten(const Program& program) {
  return std::all_of(program.buffers.begin(), program.buffers.end(), [&](const Buffer& buffer) {
    for (const bool scratch : {false, true}) {
      const auto shape = PhysicalShape(program, buffer, scratch);
      if (std::any_of(shape.begin(), shape.end(), [](uint64_t size) { return size > static_cast<uint64_t>(INT64_MAX); })) return false;
    }
    return true;
  });
}

void Check(Program program) {
  Normalize(program);
  if (program.buffers.empty() || !CanBeWritten(program)) return;
  Program back;
  const absl::Status status = ReadFirstProgram("again", PrintMlir(program), Target::kV6e, back);
  if (!status.ok() || Planned(program) != Planned(back)) std::abort();
}

}  // namespace
}  // namespace oomph::sparsecore

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace oomph;
  const std::string text(reinterpret_cast<const char*>(data), size);
  (void)mlir::LooksLikeModule(text);
  const auto module = mlir::Read("fuzz", text);
  if (!module.ok()) return 0;
  const auto programs = sparsecore::ReadPrograms("fuzz", *module, sparsecore::Target::kV6e);
  if (!programs.ok()) return 0;
  for (const sparsecore::FromMlir& made : *programs) sparsecore::Check(made.program);
  return 0;
}
