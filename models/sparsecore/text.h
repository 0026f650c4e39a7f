// SparseCore programs as text (.sc), both ways. Not for: MLIR (mlir.h).
//
//   sparsecore v6e core vector tiling compact     each word may be missing; core vector, scalar; tiling compact, linear,
//                                                 none; wording named, numbered
//   limit tile_spmem 65535 first 0                instead of the chip's: last word, first word
//   scratch a tile_spmem f32[256]                 kernel-level (scratch_types)
//   scratch b spmem bf16[8,128]
//   allocate c smem_tile s32[]                    memref.alloca just here; semaphores: sflag_tile s32[3]
//   allocate r tile_spmem f32[9,128]/8x128 at result.1:279:1 %232     a tile of its own; where it stood
//   use a        load a        copy a        copy        work
//   scope  for 7  for ?  while  if  else  end           one a line, or several; indentation means nothing
//
// `#` begins a comment. Any line can be deleted: what is open is closed at the end, an end too many means nothing, a use of a
// buffer that is not there is one of no buffer.
#ifndef OOMPH_MODELS_SPARSECORE_TEXT_H_
#define OOMPH_MODELS_SPARSECORE_TEXT_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "models/sparsecore/program.h"

namespace oomph::sparsecore {

bool LooksLikeProgram(std::string_view text);
// Errors read `name:line:column: expected X, found Y`. At most 256 MiB, 16 dimensions, 4 million statements. Of two buffers
// of one name the second is refused.
absl::Status ParseProgram(std::string_view name, std::string_view text, Program& into);
// One statement a line, indented. Of every program that Normalize leaves as it is the text reads back to an equal value.
std::string PrintProgram(const Program& program);
// Gives one form to what means the same: kernel-level scratch first, no end that closes nothing, all closed, no buffer
// without its statement, names that are unique, no buffer named where it is not visible.
void Normalize(Program& program);

std::string_view KindWord(Kind kind);      // "allocate"
std::string_view StatusWord(int status);   // of answer.h: "planned", "over_bound"
std::string PrintBuffer(const Buffer& buffer);  // "tile_spmem f32[9,128]/8x128"

}  // namespace oomph::sparsecore

#endif  // OOMPH_MODELS_SPARSECORE_TEXT_H_
