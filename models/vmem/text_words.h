// The words and letters of kernels as text, in the order of their enums. Only for text.cc and text_read.cc.
#ifndef OOMPH_MODELS_VMEM_TEXT_WORDS_H_
#define OOMPH_MODELS_VMEM_TEXT_WORDS_H_

#include <cstdint>
#include <string_view>

#include "models/vmem/kernel.h"

namespace oomph::vmem {

enum class Statement : uint8_t { kKernel, kGrid, kSem, kPrefetch, kIn, kOut, kScratch, kScoped, kBody, kInternal };
inline constexpr std::string_view kStatementWords[] = {"kernel", "grid",    "sem",    "prefetch", "in",
                                                       "out",    "scratch", "scoped", "body",     "internal"};
inline constexpr std::string_view kBodyWords[kBodies] = {"copies", "exp", "softmax", "transpose", "dot", "chain"};
inline constexpr std::string_view kSpaceWords[] = {"vmem", "any", "hbm", "smem"};
inline constexpr std::string_view kSemanticsLetters = "_apc";
inline constexpr std::string_view kAxisLetters = "ijklmn";

}  // namespace oomph::vmem

#endif  // OOMPH_MODELS_VMEM_TEXT_WORDS_H_
