// See reduce.h.
#include "models/hbm/reduce.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "models/base/old_reduction.h"
#include "models/base/units.h"
#include "models/hbm/text.h"

namespace oomph::hbm {
namespace {

class Reducer : Reduction<Trace> {
 public:
  using Reduction::Reduction;

  void Run() {
    ForgetNames();
    CutTail();
    DropSteps();
    for (bool progress = true; progress && left_ > 0;) {
      progress = false;
      progress |= SimplifyPolicy();
      progress |= ScaleDown();
      progress |= SimplifySteps();
      progress |= MergeSteps();
      progress |= DropSteps();
    }
    if (failing_.names.empty()) Rename();
  }

 private:
  // Texts of names carry no meaning, but a test of the user's may look for one: then they stay.
  void ForgetNames() {
    if (failing_.names.empty()) return;
    Trace candidate{failing_.policy, failing_.steps, {}};
    if (still_fails_(candidate)) failing_ = std::move(candidate);
  }

  // A trace fails at one step: what comes after it goes first.
  void CutTail() {
    size_t low = 1, high = failing_.steps.size();  // `high` steps fail
    while (low < high && left_ > 0) {
      const size_t middle = (low + high) / 2;
      Trace candidate{failing_.policy, {failing_.steps.begin(), failing_.steps.begin() + middle}, failing_.names};
      if (Try(candidate)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
  }

  bool DropRange(size_t begin, size_t count) {
    Trace candidate{failing_.policy, {}, failing_.names};
    candidate.steps.reserve(failing_.steps.size());
    candidate.steps.assign(failing_.steps.begin(), failing_.steps.begin() + begin);
    candidate.steps.insert(candidate.steps.end(), failing_.steps.begin() + begin + count, failing_.steps.end());
    return Try(candidate);
  }

  bool DropName(uint32_t name) {
    Trace candidate{failing_.policy, {}, failing_.names};
    for (const Step& step : failing_.steps) {
      const bool named = step.kind != StepKind::kFence && step.kind != StepKind::kDefragment &&
                         step.kind != StepKind::kQuery;
      if (!named || step.name != name) candidate.steps.push_back(step);
    }
    return candidate.steps.size() < failing_.steps.size() && Try(candidate);
  }

  // Drops stretches from the end backwards, half as long each time nothing goes; ends with no single
  // step that can be dropped.
  bool DropSteps() {
    bool any = false;
    for (size_t count = std::max<size_t>(failing_.steps.size() / 2, 1); count > 0;) {
      bool dropped = false;
      for (size_t end = failing_.steps.size(); end > 0 && left_ > 0;) {
        const size_t begin = end > count ? end - count : 0;
        if (DropRange(begin, end - begin)) dropped = true;
        end = std::min(begin, failing_.steps.size());
      }
      any |= dropped;
      if (count == 1 && dropped) {
        DropNames();
        continue;  // once more: what stayed may go now
      }
      if (left_ == 0) break;
      count /= 2;
      count = std::min(count, failing_.steps.size());
    }
    return any;
  }

  void DropNames() {
    for (size_t i = failing_.steps.size(); i-- > 0 && left_ > 0;) {
      if (i < failing_.steps.size()) DropName(failing_.steps[i].name);
    }
  }

  bool SimplifyPolicy() {
    bool any = false;
    const Policy simplest;
    for (const PolicyKey& key : PolicyKeys()) {
      if (key.is_bytes) continue;  // capacity and granule: see ScaleDown
      const uint64_t old = key.get(failing_.policy), value = key.get(simplest);
      if (old == value) continue;
      Trace candidate = failing_;
      key.set(candidate.policy, value);
      any |= Try(candidate);
    }
    any |= TrySet<uint64_t>(failing_.policy.bfc.backing, 0);
    return any;
  }

  // All numbers together, so that what fits goes on fitting.
  bool ScaleDown() {
    bool any = false;
    for (uint64_t factor : {1024, 64, 8, 2}) {
      while (left_ > 0) {
        Trace candidate = failing_;
        candidate.policy.capacity /= factor;
        candidate.policy.granule = std::max<uint64_t>(candidate.policy.granule / factor, 1);
        for (Step& step : candidate.steps) {
          step.size = step.size == 0 ? 0 : std::max<uint64_t>(step.size / factor, 1);
          if (step.alignment != 0) step.alignment = std::max<uint64_t>(step.alignment / factor, 1);
        }
        if (candidate == failing_ || candidate.policy.capacity == 0 || !Try(candidate)) break;
        any = true;
      }
    }
    any |= TrySet<uint64_t>(failing_.policy.granule, 1);
    any |= Lower(failing_.policy.capacity, 1);
    return any;
  }

  bool SimplifySteps() {
    bool any = false;
    for (size_t i = failing_.steps.size(); i-- > 0;) {
      Step& step = failing_.steps[i];
      any |= TrySet(step.pinned, false);
      any |= TrySet(step.end, End::kAny);
      any |= TrySet(step.donor, kNobody);
      if (step.alignment != 0 && !TrySet<uint64_t>(step.alignment, 0)) {
        while (step.alignment > 1 && TrySet(step.alignment, step.alignment / 2)) any = true;
      }
      any |= TrySet<uint32_t>(step.fence, step.fence == 0 ? 0 : 1);
      if (step.size > 0) {
        const uint64_t rounded = CheckedRoundUp(step.size, failing_.policy.granule).value_or(step.size);
        any |= Lower(step.size, 1);
        // A whole granule reads better than some byte inside it.
        if (step.size != rounded && step.size % failing_.policy.granule != 0) {
          const uint64_t whole = CheckedRoundUp(step.size, failing_.policy.granule).value_or(step.size);
          TrySet(step.size, whole);  // larger, so no progress
        }
      }
    }
    return any;
  }

  // A simpler kind for a step, and one step for two neighbours of a kind.
  bool MergeSteps() {
    bool any = false;
    for (size_t i = failing_.steps.size(); i-- > 0;) {
      Step& step = failing_.steps[i];
      Step simpler = step;
      if (step.kind == StepKind::kFreeLater) simpler.kind = StepKind::kFree, simpler.fence = 0;
      if (step.kind == StepKind::kReallocate) simpler.kind = StepKind::kAllocate;
      any |= TrySet(step, simpler);
      if (i + 1 >= failing_.steps.size()) continue;
      const Step& next = failing_.steps[i + 1];
      if (step.kind != StepKind::kAllocate || next.kind != StepKind::kAllocate) continue;
      const auto sum = CheckedAdd(step.size, next.size);
      if (!sum) continue;
      Trace candidate = failing_;
      candidate.steps[i + 1].size = *sum;
      candidate.steps.erase(candidate.steps.begin() + i);
      any |= Try(candidate);
    }
    return any;
  }

  // Dense names in the order of their appearance. Names carry no meaning, so this is not asked; but if it
  // should matter, the old names stay.
  void Rename() {
    std::vector<uint32_t> old_names;
    const auto rename = [&](uint32_t& name) {
      const auto it = std::find(old_names.begin(), old_names.end(), name);
      const uint32_t dense = it - old_names.begin();
      if (it == old_names.end()) old_names.push_back(name);
      name = dense;
    };
    Trace candidate = failing_;
    for (Step& step : candidate.steps) {
      const bool named = step.kind != StepKind::kFence && step.kind != StepKind::kDefragment &&
                         step.kind != StepKind::kQuery;
      if (named) rename(step.name);
      if (step.donor != kNobody) rename(step.donor);
    }
    if (still_fails_(candidate)) failing_ = candidate;
  }
};

}  // namespace

void ReduceTrace(Trace& trace, const std::function<bool(const Trace&)>& still_fails, size_t budget) {
  Reducer(trace, still_fails, budget).Run();
}

}  // namespace oomph::hbm
