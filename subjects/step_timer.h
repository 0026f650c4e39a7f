// What a subject that can tell how long its steps take offers besides subject.h.
// Not for: subjects in another process, whose steps nobody here sees.
#ifndef OOMPH_SUBJECTS_STEP_TIMER_H_
#define OOMPH_SUBJECTS_STEP_TIMER_H_

#include "models/base/step_times.h"

namespace oomph {

class StepTimer {
 public:
  virtual ~StepTimer() = default;
  // Where the runs from now on write to; null: nowhere.
  virtual void TimeSteps(StepTimes* into) = 0;
};

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_STEP_TIMER_H_
