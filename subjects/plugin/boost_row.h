// The row of the subject boost: the memory algorithms of Boost.Interprocess (see subjects/boost).
#ifndef OOMPH_SUBJECTS_PLUGIN_BOOST_ROW_H_
#define OOMPH_SUBJECTS_PLUGIN_BOOST_ROW_H_

#include "subjects/subject.h"

namespace oomph {

SubjectRow BoostRow();

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_PLUGIN_BOOST_ROW_H_
