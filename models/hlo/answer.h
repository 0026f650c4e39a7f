// What a reader, verifier, planner or compiler of HLO answers to a module: whether it is valid, how it prints it, the
// memory that it counts, where it places each value, and what the module computes. Not for: the module (module.h), nor whether the answer is right (oracles.h).
#ifndef OOMPH_MODELS_HLO_ANSWER_H_
#define OOMPH_MODELS_HLO_ANSWER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/hlo/liveness.h"
#include "models/hlo/plan.h"
#include "models/hlo/verify.h"

namespace oomph::hlo {

enum class Status : uint8_t {
  kNotRun,   // the harness could not ask; nobody is to blame
  kValid,
  kInvalid,  // its verifier refuses the module, and says why
  kUnread,   // its reader refuses the text, and says why
  kDied,     // crashed or exited
  kHung,     // did not end within the harness's time limit
  kRubbish,  // its answer cannot be read
  // It takes the module for valid, or does not say, but does not plan, compile or run it, and says why: too much memory,
  // not implemented.
  kDeclined,
};
inline constexpr int kStatuses = 8;

// How Answer::why of a valid module begins where somebody's own checks find his work on it wrong.
inline constexpr std::string_view kBroken = "broken: ";

struct SpacePeak {
  uint32_t space = 0;
  uint64_t bytes = 0;
  bool operator==(const SpacePeak&) const = default;
};

struct Answer {
  Status status = Status::kNotRun;
  std::optional<Rule> rule;  // that an invalid module breaks, of one who speaks of rules
  std::string why;           // one line: what its verifier, its reader or its watcher said
  std::string text;          // the module as it prints it; empty: it does not
  // The bytes live at the peak of all memory spaces together, and of each that holds any, ascending; as
  // CountedOptions() has it. Empty: it does not count them.
  std::optional<uint64_t> total_peak;
  std::vector<SpacePeak> peaks;
  Order order = Order::kText;  // in which it was counted, of a module without a schedule
  // Of one who plans memory: the modules that its plans speak of, as texts, and the plans.
  std::vector<std::string> planned;
  std::vector<Plan> plans;
  std::optional<CompiledStats> stats;  // of one who compiles
  std::string chip;                    // that it compiles for, as models/base/chips.h names it; empty: none of these
  // Of one who runs the module, on the arguments of inputs.h: its result, the leaves of a tuple in their order.
  std::optional<std::vector<ResultArray>> results;
  bool operator==(const Answer&) const = default;
};

// How memory is counted wherever two are compared: the bytes of arrays without padding, tables of pointers of 8 bytes
// an element, constants like other values, nothing reused but by what works in place. So XLA's heap simulator
// counts with may_reuse_operand_buffers=false and alloc_constants=true (docs/FACTS.md).
inline LivenessOptions CountedOptions() {
  LivenessOptions options;
  options.in_place = InPlace::kAlways;
  options.reuse_operands = false;
  return options;
}

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_ANSWER_H_
