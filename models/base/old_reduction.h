// What the reducers of the families share: a value that fails is changed as long as it still does, within a budget of
// runs. Nothing here assumes that a smaller value fails more easily: every candidate is asked.
// Not for: which changes to try (see reduce.cc of each family).
#ifndef OOMPH_MODELS_BASE_OLD_REDUCTION_H_
#define OOMPH_MODELS_BASE_OLD_REDUCTION_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

namespace oomph {

template <typename Value>
class Reduction {
 public:
  Reduction(Value& failing, const std::function<bool(const Value&)>& still_fails, size_t budget)
      : failing_(failing), still_fails_(still_fails), left_(budget) {}

 protected:
  // Takes the candidate if it still fails.
  bool Try(const Value& candidate) {
    if (left_ == 0) return false;
    --left_;
    if (!still_fails_(candidate)) return false;
    if (&candidate != &failing_) failing_ = candidate;
    return true;
  }
  // Changes a field of failing_ in place; undone if it does not fail any more.
  template <typename Field>
  bool TrySet(Field& field, Field value) {
    if (field == value || left_ == 0) return false;
    std::swap(field, value);
    if (Try(failing_)) return true;
    std::swap(field, value);
    return false;
  }
  // Lowers a number: to the floor, else by ever smaller amounts.
  bool Lower(uint64_t& number, uint64_t floor) {
    if (number <= floor) return false;
    if (TrySet(number, floor)) return true;
    bool any = false;
    for (uint64_t by = (number - floor) / 2; by > 0 && left_ > 0; by /= 2) {
      if (number - floor > by && TrySet(number, number - by)) any = true;
    }
    return any;
  }

  Value& failing_;
  const std::function<bool(const Value&)>& still_fails_;
  size_t left_;  // runs
};

}  // namespace oomph

#endif  // OOMPH_MODELS_BASE_OLD_REDUCTION_H_
