// The table of families. Everything that works on any family asks it.
#ifndef OOMPH_MODELS_FAMILIES_H_
#define OOMPH_MODELS_FAMILIES_H_

#include <span>
#include <string_view>

#include "models/base/family.h"

namespace oomph {

std::span<const Family* const> Families();
const Family* FindFamily(std::string_view name);  // nullptr: there is none
// By the content of the text, then by the extension of the file name; nullptr: neither.
const Family* RecognizeFamily(std::string_view file_name, std::string_view text);

}  // namespace oomph

#endif  // OOMPH_MODELS_FAMILIES_H_
