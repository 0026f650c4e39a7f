// Kernels as text (.kernel), both ways. Not for: Mosaic modules (from_module.h).
//
//   kernel v6e option 16384 limit 1048576      each word may be missing; option in KiB, limit in bytes, also negative
//   grid(4,?8,2) sem(a,p,_)                    ?8: dynamic, 8 when run; a arbitrary, p parallel, c core_parallel, _ none
//   prefetch s32[16]
//   in f32[1024,1024]/128x256@(i,j%2)          type[array]/block@(index map); block dimensions joined by x
//   in bf16[8,128,512]/_xe16x128@(i,0,j)*1     _ squeezed, e16 of pl.Element; *n for pl.Buffered(n)
//   in f32[64,128] s8[8,128]@any               no block: the whole array; @any @hbm @smem: memory
//   in f32[64,128]S(1)/8x128@(i,0) fused       already in VMEM; its producer is fused into it
//   out f32[1024,1024]/128x256@(i,j)
//   scratch f32[8,257]
//   scoped f32[8,128]{s8[32,128] f32[8,128]}   inside braces: live while the outer is
//   body softmax
//   internal 36864
//
// In a map: i j k l m n are grid indices (further ones i6, i7, ...); a place is terms joined by +: 3, i, i*2, i%3,
// i//3, min(i,3), p0[i] (the element of prefetched array 0). A word opens a statement that goes on until the next word,
// over ends of lines too: the one-line form `grid(3) in ... out ...` is the same kernel. Statements of one kind add up.
// `#` begins a comment. A line can be deleted. Without a `kernel` line it is v5e with its default limit. Of a limit, an
// option or a body that is stated twice the last counts; semantics beyond the dimensions of the grid mean nothing.
#ifndef OOMPH_MODELS_VMEM_TEXT_H_
#define OOMPH_MODELS_VMEM_TEXT_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "models/vmem/kernel.h"

namespace oomph::vmem {

bool LooksLikeKernel(std::string_view text);
// Errors read `name:line:column: expected X, found Y`. At most 64 MiB, 64 dimensions, 4,096 operands of a kind,
// 64 scopes in one another.
absl::Status ParseKernel(std::string_view name, std::string_view text, Kernel& into);
// One statement a line. Of every kernel that Normalize leaves as it is, and whose types are those of arrays, the text
// reads back to an equal value.
std::string PrintKernel(const Kernel& kernel);
// Gives one form to what means the same: places that are 0 without terms, no axis of a constant, no size of a squeezed
// dimension, depths of scoped buffers without jumps.
void Normalize(Kernel& kernel);
// On one line, without the `kernel` statement.
std::string PrintKernelShort(const Kernel& kernel);

// One operand, buffer, index map as in the forms above.
std::string PrintOperand(const Operand& operand);
std::string PrintBuffer(const Buffer& buffer);
std::string PrintMap(const std::vector<Place>& map);

// Names for people and details: "copies", "exp", "softmax", ...
std::string_view BodyWord(Body body);
std::string_view SpaceWord(Space space);  // "vmem", "any", ...

}  // namespace oomph::vmem

#endif  // OOMPH_MODELS_VMEM_TEXT_H_
