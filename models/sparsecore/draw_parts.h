// Pieces of SparseCore programs, drawn: what generation and mutation share. Not for: whole programs (generate.h).
#ifndef OOMPH_MODELS_SPARSECORE_DRAW_PARTS_H_
#define OOMPH_MODELS_SPARSECORE_DRAW_PARTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "models/base/choices.h"
#include "models/base/family.h"
#include "models/sparsecore/memory.h"
#include "models/sparsecore/program.h"
#include "models/sparsecore/promises.h"

namespace oomph::sparsecore {

inline bool Can(const GenerateOptions& options, int index) { return (options.features & feature::Bit(index)) != 0; }

// Of the kernel level or of its body. False: none is allowed there.
bool DrawSpace(Choices& choices, const GenerateOptions& options, const Program& program, bool scratch, Space& into);
Type DrawType(Choices& choices, const GenerateOptions& options, Space space);
// How many words a buffer may have there: few, a share of the limit, rarely all.
uint64_t DrawWords(Choices& choices, const Program& program, Space space);
// About so many words, at the edges of tiles and beside them.
void DrawShape(Choices& choices, const GenerateOptions& options, const Program& program, uint64_t words, Buffer& buffer);
// All of it; the name is its number.
Buffer DrawBuffer(Choices& choices, const GenerateOptions& options, const Program& program, Space space, size_t number);
uint64_t DrawTrips(Choices& choices, const GenerateOptions& options);
// Makes what is on top of a memory larger or smaller, such that it ends at the limit, one beside it, or near it.
void AimAtTheLimit(Choices& choices, Program& program);
// A few statements that mean nothing, or not what they look like. Normalize gives what is meant.
void SpoilProgram(Choices& choices, const GenerateOptions& options, Program& program);

}  // namespace oomph::sparsecore

#endif  // OOMPH_MODELS_SPARSECORE_DRAW_PARTS_H_
