// See refusal.h.
#include "models/vmem/refusal.h"

#include "absl/strings/str_cat.h"
#include "models/message/compile_oom.h"

namespace oomph::vmem {

PrintedBytes PrintedLimit(int64_t limit) {
  const uint64_t bytes = static_cast<uint64_t>(limit);
  return limit < 0 ? PrintedBytes{~bytes + 1, ~bytes + 1, true} : ExactlyBytes(bytes);
}

std::string DeclinedForCores(size_t axis, uint64_t bound, uint64_t cores) {
  return absl::StrCat("Core-parallel dimension ", axis, " has iteration bound: ", bound,
                      ", which is greater than the number of active cores: ", cores, ".");
}

std::string PrintRefusal(const Kernel& kernel, const Answer& answer) {
  if (answer.status != Status::kOverLimit || !answer.printed_size || !answer.limit) return "";
  (void)kernel;
  StackOom oom;
  oom.instruction = "%kernel";
  oom.needed = answer.printed_size->lowest;
  return PrintStackOom(oom, OomEnvelope::kNone);
}

}  // namespace oomph::vmem
