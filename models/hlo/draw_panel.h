// What a picture shows of one memory space: which buffers, at which heights, and all bytes live over the steps.
// For draw.cc only; not for pixels. The heights only keep what is live apart: no planner has chosen them.
#ifndef OOMPH_MODELS_HLO_DRAW_PANEL_H_
#define OOMPH_MODELS_HLO_DRAW_PANEL_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/hlo/liveness.h"

namespace oomph::hlo {

struct Block {
  uint32_t buffer = 0;
  double offset = 0;  // bytes
  bool at_peak = false;
  std::vector<StepRange> ranges;  // without gaps that nobody could see
};

struct Panel {
  const Peak* peak = nullptr;
  std::vector<Block> blocks;      // ascending by offset
  std::vector<double> live;       // the most bytes live in each of equal parts of the schedule
  size_t buffers = 0;             // with any bytes, in this memory space
  uint64_t drawn_at_peak = 0;     // bytes of the blocks that are live at the peak
  double extent = 1;              // bytes: what has to fit
};

// The largest buffers, at most `most` and not many more ranges. `columns`: into how many parts the schedule is split.
Panel PanelOf(const Liveness& liveness, const Peak& peak, size_t most, size_t columns);

// Round numbers from 0 to `end`, about five: 1, 2 or 5 times a power of ten, or a power of two for bytes.
std::vector<double> RoundSteps(double end);
std::vector<double> RoundBytes(double end);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_DRAW_PANEL_H_
