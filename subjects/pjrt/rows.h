// The rows of PJRT plugins in the table of subjects: libtpu, XLA's CPU plugin, and a user's own by its path. Not for: what
// they do (pjrt_subject.h).
#ifndef OOMPH_SUBJECTS_PJRT_ROWS_H_
#define OOMPH_SUBJECTS_PJRT_ROWS_H_

#include <string>

#include "subjects/pjrt/worker_process.h"
#include "subjects/subject.h"

namespace oomph {

// The TPU compiler, ahead of time: no TPU is needed. Its variants are chips.
SubjectRow LibtpuRow(const Family& family);
// The same of kernels, family vmem.
SubjectRow LibtpuKernelRow(const Family& family);
// The same of SparseCore programs, family sparsecore.
SubjectRow LibtpuSparseCoreRow(const Family& family);
// XLA's CPU compiler, which also runs what it compiles.
SubjectRow XlaCpuRow(const Family& family);
// Any shared object that exports GetPjrtApi. Variants: "client", or a topology that it compiles for ahead of time.
SubjectRow PjrtRow(const Family& family, const std::string& name, const std::string& spec, const std::string& path,
                   const pjrt::WorkerLimits& limits = {});

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_PJRT_ROWS_H_
