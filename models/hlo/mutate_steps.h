// The inside of the mutator: one function a mutation. Each may leave what is not valid, which Mutate takes
// back. Not for users of the mutator (mutate.h).
#ifndef OOMPH_MODELS_HLO_MUTATE_STEPS_H_
#define OOMPH_MODELS_HLO_MUTATE_STEPS_H_

#include <cstdint>
#include <initializer_list>
#include <optional>

#include "models/base/choices.h"
#include "models/hlo/mutate_edit.h"

namespace oomph::hlo::mutate {

bool Replace(Choices& choices, Module& module);
bool Insert(Choices& choices, Module& module);
bool Delete(Choices& choices, Module& module);
bool Rewire(Choices& choices, Module& module);
bool Resize(Choices& choices, Module& module);
bool Retype(Choices& choices, Module& module);
bool Relayout(Choices& choices, Module& module);
bool MergeFusion(Choices& choices, Module& module);
bool SplitFusion(Choices& choices, Module& module);

std::optional<uint32_t> DrawComputation(Choices& choices, const Module& module,
                                        std::initializer_list<Role> roles);

// From a drawn place on, the first node for which `predicate` holds.
template <typename Predicate>
std::optional<uint32_t> DrawNode(Choices& choices, const Editor& edit, const Predicate& predicate) {
  const size_t n = edit.order().size();
  const size_t first = choices.Below(n);
  for (size_t i = 0; i < n; ++i) {
    const uint32_t node = edit.order()[(first + i) % n];
    if (predicate(node)) return node;
  }
  return std::nullopt;
}
// An array of static sizes.
std::optional<uint32_t> DrawArray(Choices& choices, const Module& module, Editor& edit);

// A value before `node` that may stand for it: one of its shape, or a constant that is made for it.
std::optional<uint32_t> Instead(Choices& choices, Module& module, Editor& edit, uint32_t node);

// Every size `from` of a dimension becomes `to`, in shapes and in the attributes that repeat them.
void ChangeSize(Module& module, int64_t from, int64_t to);

}  // namespace oomph::hlo::mutate

#endif  // OOMPH_MODELS_HLO_MUTATE_STEPS_H_
