// Where scripts/setup unpacks wheels. Not for: what is in them.
#ifndef OOMPH_SUBJECTS_DEPS_H_
#define OOMPH_SUBJECTS_DEPS_H_

#include <string>

namespace oomph {

// What has this name below OOMPH_DEPS_DIR if that is set, else below .deps of the source folder that this was built from.
std::string DepsPath(const std::string& name);

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_DEPS_H_
