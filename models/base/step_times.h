// How long each step of a run took, for benchmarks. What runs cases takes it as a pointer, null in all other runs.
// Not for: judging; no verdict rests on time.
#ifndef OOMPH_MODELS_BASE_STEP_TIMES_H_
#define OOMPH_MODELS_BASE_STEP_TIMES_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace oomph {

class StepTimes {
 public:
  void Start(size_t steps) {
    nanoseconds.clear();
    nanoseconds.reserve(steps);
    step_ = Clock::duration::zero();
  }
  // The allocator is at work from here to there; a step may do so more than once. A look at the clock is in it, some
  // 25 ns.
  void Enter() { entered_ = Clock::now(); }
  void Leave() { step_ += Clock::now() - entered_; }
  // The step is over.
  void Next() {
    nanoseconds.push_back(static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(step_).count()));
    step_ = Clock::duration::zero();
  }
  std::vector<double> nanoseconds;

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point entered_;
  Clock::duration step_ = Clock::duration::zero();
};

}  // namespace oomph

#endif  // OOMPH_MODELS_BASE_STEP_TIMES_H_
