// Prints attributes and shapes from their typed fields. Only for print.cc and its tests; others take text.h.
#ifndef OOMPH_MODELS_HLO_PRINT_H_
#define OOMPH_MODELS_HLO_PRINT_H_

#include <string>

#include "models/hlo/module.h"

namespace oomph::hlo {

struct ShapePrinting {
  bool layouts = true;
  bool index_comments = true;
};

void AppendShape(const ShapeTable& shapes, ShapeId shape, ShapePrinting how, std::string& out);
void AppendInteger(int64_t value, std::string& out);

// `computation` is the one that holds the instruction: some attributes name its instructions.
void AppendAttribute(const Module& module, AttributeId attribute, const Computation* computation,
                     const TextStyle& style, std::string& out);

// Before element `index` of a list: a comma, and XLA's count before each fifth.
void AppendListComma(size_t index, bool index_comments, std::string& out);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_PRINT_H_
