// SparseCoreCompiler: the TPU compiler behind PJRT, asked about one SparseCore program at a time. It goes over as an HLO module
// with its body as text (models/sparsecore/mosaic.h). Not for: the subject (sparsecore_subject.h), nor its row (rows.h).
//
//   program --print--> HLO text --XLA of the wheel, in a child--> proto --worker--> libtpu --> message --> bound, limit, words
//                                                                                        \--> *_optimized.mlir --> used words
#ifndef OOMPH_SUBJECTS_PJRT_SPARSECORE_COMPILER_H_
#define OOMPH_SUBJECTS_PJRT_SPARSECORE_COMPILER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "models/sparsecore/answer.h"
#include "models/sparsecore/program.h"
#include "subjects/pjrt/compile_options.h"
#include "subjects/pjrt/proto_child.h"
#include "subjects/pjrt/scratch_folder.h"
#include "subjects/pjrt/worker_process.h"

namespace oomph::pjrt {

class SparseCoreCompiler {
 public:
  // The worker of `spec` writes its dumps to `dumps`, which is emptied after each request; null: used words are not told.
  SparseCoreCompiler(WorkerSpec spec, std::shared_ptr<ProtoChild> proto, std::vector<Override> overrides,
                     std::unique_ptr<ScratchFolder> dumps);

  absl::StatusOr<Description> Describe() { return worker_.Describe(); }
  // The program's own chip is that of the mesh it is written for.
  sparsecore::Answer Ask(const sparsecore::Program& program);
  void Stop() { worker_.Stop(); }
  uint64_t starts() const { return worker_.starts(); }

 private:
  sparsecore::Answer AnswerOfDumps(sparsecore::Core core) const;

  const std::shared_ptr<ProtoChild> proto_;
  const std::vector<Override> overrides_;
  const std::unique_ptr<ScratchFolder> dumps_;
  WorkerProcess worker_;
};

// What a refusal says.
sparsecore::Answer AnswerOfSparseCoreMessage(const std::string& message);
// The used words that a dump after planning has in its first line; where that has none of a memory of this core, none are used.
// Untrusted text: what it does not say is absent.
void ReadHighWater(std::string_view dump, sparsecore::Core core, sparsecore::Answer& into);

}  // namespace oomph::pjrt

#endif  // OOMPH_SUBJECTS_PJRT_SPARSECORE_COMPILER_H_
