// How a family says what can be made smaller in a case: reductions, each a list of edits.
// Nothing here assumes that a smaller case fails more easily: which edits are kept, a test says (see fuzz/minimize).
// Not for: asking that test, or choosing what to try next.
//
//   family.reductions()[r]        "drop_steps", the one that takes most away first
//   family.EditsOf(r, base)       edit 0, edit 1, ... of this case; any of them can be made together
//   edits->Apply({0, 1, 1}, c)    c becomes the base without its second and third ...
#ifndef OOMPH_MODELS_BASE_REDUCTION_H_
#define OOMPH_MODELS_BASE_REDUCTION_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace oomph {

class Case;

struct ReductionInfo {
  std::string_view name;   // snake_case: "drop_steps"
  std::string_view takes;  // what one edit takes away or makes simpler; a noun that takes an s in the plural: "step"
  std::string_view does;   // what its edits do, one line for people
  // Its edits exclude one another, the best first: one is made, then they are listed anew.
  bool alternatives = false;
  // Of those that say so, no edit is left before the others are tried, again and again: what is there at all is settled
  // before what it is like.
  bool again = false;
};

// The edits that one reduction offers on one case, the base, which must outlive them unchanged.
class Edits {
 public:
  // One for each edit, in the order in which they are tried: how far it can go. 1 for what is done or not; more for
  // numbers, which go down by up to so much. Never 0.
  explicit Edits(std::vector<uint64_t> most) : most_(std::move(most)) {}
  virtual ~Edits() = default;
  const std::vector<uint64_t>& most() const { return most_; }

  // `into` becomes the base with each edit made as far as amounts[i] says (0: not at all). False: that is no case, or
  // it is the base. Every other result is simpler than the base in a measure of the family's that no reduction ever
  // raises, so that reducing ends. May be called by several threads at once.
  virtual bool Apply(std::span<const uint64_t> amounts, Case& into) const = 0;

 private:
  const std::vector<uint64_t> most_;
};

}  // namespace oomph

#endif  // OOMPH_MODELS_BASE_REDUCTION_H_
