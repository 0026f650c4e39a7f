// The module that a plan speaks of, read and laid out in time by our own rules: what a plan's words mean, when each value
// is needed, and which results may lie over an operand.
// Not for: judging (plan_oracles.h).
#ifndef OOMPH_MODELS_HLO_PLANNED_H_
#define OOMPH_MODELS_HLO_PLANNED_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "models/hlo/alias_rules.h"
#include "models/hlo/liveness.h"
#include "models/hlo/module.h"
#include "models/hlo/plan.h"
#include "models/hlo/tpu_bytes.h"

namespace oomph::hlo {

class PlannedModule {
 public:
  // `text` must outlive it. `granule`: in what steps tables of pointers are counted by kPadded, see tpu_bytes.h.
  explicit PlannedModule(std::string_view text, uint64_t granule = kUsualGranule);

  // The text as it is read; an error where it is not.
  const absl::StatusOr<Module>& module() const { return module_; }
  // Its live ranges: nothing lies over an operand but what works in place, constants are like other values. An error
  // where they cannot be told.
  const absl::StatusOr<Liveness>& liveness() const { return liveness_; }

  enum class Found : uint8_t {
    kValue,    // here it is
    kNotRun,   // an instruction of a computation that has no buffers: fused, or applied to single elements
    kSeveral,  // its computation runs at several places, or the name stands there twice
    kUnknown,  // nothing in the module is called so, or its result has no such element
  };
  struct Meaning {
    Found found = Found::kUnknown;
    uint32_t computation = 0, instruction = 0;
    uint64_t node = 0;   // of the result
    ShapeId shape = 0;   // there
    uint32_t value = 0;  // of Liveness::aliases, if found
  };
  Meaning Of(std::string_view name, const std::vector<int64_t>& index) const;
  Meaning Of(const PlacedValue& value) const { return Of(value.name, value.index); }

  // Which results may lie over an operand that ends with them.
  enum class TakesOver : uint8_t {
    kNone,       // none, but what works in place
    kOwnRules,   // those that alias_rules.h allows
    kAnyResult,  // any: the compiler knows its own code
  };
  // The step of an instruction that runs at one place.
  std::optional<uint32_t> StepOf(std::string_view name) const;
  // Whether the value's buffer is made by a custom call with that target.
  bool IsMadeByCustomCall(uint32_t value, std::string_view target) const;
  // Whether the value is made in a branch of a conditional.
  bool IsOfBranch(uint32_t value) const;
  // Whether both are the same memory by our rules.
  bool OneBuffer(uint32_t value, uint32_t other) const;
  // The first step at which both are needed by our rules, though the module could not run if they shared a byte; none if
  // they never meet, if one may lie over the other, or if they meet only in another branch than the one that made the
  // later.
  std::optional<uint32_t> Clash(uint32_t value, uint32_t other, TakesOver takes_over) const;

  // Whether the value's buffer is needed at a step, where branches are no longer in need of what only others read.
  bool NeededAt(uint32_t value, uint32_t step) const;
  // The step from which a value is there as compilers count it: what an asynchronous computation gives is made at its start.
  uint32_t FirstStep(uint32_t value) const;
  // The bytes of the buffer that a value lies in, by kPlain: the largest of those that share it.
  uint64_t BufferBytes(uint32_t value) const { return liveness_->buffers[liveness_->aliases.values[value].buffer].bytes; }
  // The bytes of a shape by a rule; none where they cannot be told.
  std::optional<uint64_t> BytesOf(ShapeId shape, ByteRule rule) const;

 private:
  struct Place {
    uint32_t computation = 0, instruction = 0;
    bool twice = false;  // the name stands there twice
  };
  bool MayTakeOver(uint32_t dying_buffer, uint32_t made_buffer, uint32_t step, TakesOver takes_over) const;
  bool DoneWithInBranch(uint32_t buffer, uint32_t made_buffer, uint32_t step, TakesOver takes_over) const;
  template <typename Is>
  bool ReadsAny(uint32_t step, Is is) const;
  bool Reads(uint32_t step, uint32_t buffer) const;
  std::vector<uint32_t> BranchesOf(uint32_t step) const;  // the frames of branches that it lies in, the innermost first
  std::vector<StepRange> NeededOf(uint32_t buffer) const;

  const uint64_t granule_;
  absl::StatusOr<Module> module_;
  absl::StatusOr<Liveness> liveness_;
  const Module* counted_ = nullptr;  // the module whose shapes the values have
  absl::flat_hash_map<std::string_view, Place> places_;
  std::vector<std::vector<uint32_t>> frames_of_;  // by computation
  std::unique_ptr<ShapeNodes> nodes_;
  std::unique_ptr<OperandReuse> reuse_;
};

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_PLANNED_H_
