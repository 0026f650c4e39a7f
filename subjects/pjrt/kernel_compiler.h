// KernelCompiler: the TPU compiler behind PJRT, asked about one kernel at a time. The kernel goes over as an HLO module with
// its body as text (models/vmem/mosaic.h); what comes back is whether it fits, with the compiler's own figures.
// Not for: the subject and its row (kernel_subject.h).
//
//   kernel --print--> HLO text --XLA of the wheel, in a child--> proto --worker--> libtpu --> optimized program --> `used`
//                                                                                        \--> message --> printed sizes
#ifndef OOMPH_SUBJECTS_PJRT_KERNEL_COMPILER_H_
#define OOMPH_SUBJECTS_PJRT_KERNEL_COMPILER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "models/vmem/answer.h"
#include "models/vmem/kernel.h"
#include "subjects/pjrt/compile_options.h"
#include "subjects/pjrt/proto_child.h"
#include "subjects/pjrt/worker_process.h"

namespace oomph::pjrt {

class KernelCompiler {
 public:
  KernelCompiler(WorkerSpec worker, std::shared_ptr<ProtoChild> proto, std::vector<Override> overrides)
      : proto_(std::move(proto)), overrides_(std::move(overrides)), worker_(std::move(worker)) {}

  absl::StatusOr<Description> Describe() { return worker_.Describe(); }
  // The kernel's own chip is not looked at: the compiler has its own.
  vmem::Answer Ask(const vmem::Kernel& kernel);
  // The same of an HLO text with a kernel in it.
  vmem::Answer AskText(const std::string& text, std::vector<Override> overrides);
  void Stop() { worker_.Stop(); }
  uint64_t starts() const { return worker_.starts(); }

 private:
  const std::shared_ptr<ProtoChild> proto_;
  const std::vector<Override> overrides_;
  WorkerProcess worker_;
};

// What a refusal says, or an error of another kind.
vmem::Answer AnswerOfMessage(const std::string& message);

}  // namespace oomph::pjrt

#endif  // OOMPH_SUBJECTS_PJRT_KERNEL_COMPILER_H_
