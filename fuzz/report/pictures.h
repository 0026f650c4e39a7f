// Pictures: what the findings of a report did, run once more on their subjects and drawn.
// Not for: judging again (oomph check): a finding stays one whatever its case does today.
#ifndef OOMPH_FUZZ_REPORT_PICTURES_H_
#define OOMPH_FUZZ_REPORT_PICTURES_H_

#include <cstddef>
#include <map>
#include <string>

#include "fuzz/subject_table.h"
#include "nlohmann/json.hpp"

namespace oomph {

struct Picture {
  std::string svg;   // empty: there is none
  std::string note;  // what to know of it: why it is missing, what it leaves out, what is different today
};

struct PictureOptions {
  double seconds = 20;             // for all; what is then left has no picture
  double seconds_each = 5;
  size_t bytes = size_t{3} << 20;  // of all pictures together, about; large ones lose blocks
  size_t bytes_each = size_t{160} << 10;
};

// By signature. Each case runs in a process of its own, where its subject is not here on the model. Cases are
// data: a command or a plugin that is named by its path is not started for one.
std::map<std::string, Picture> DrawPictures(const nlohmann::json& report, const SubjectTable& table,
                                            const PictureOptions& options = {});

}  // namespace oomph

#endif  // OOMPH_FUZZ_REPORT_PICTURES_H_
