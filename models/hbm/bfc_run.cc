// See bfc_run.h.
#include "models/hbm/bfc_run.h"

namespace oomph::hbm {

bfc::Options BfcOptionsOf(const Policy& policy) {
  bfc::Options options;
  options.growth = policy.bfc.growth;
  options.coalescing = policy.bfc.coalescing;
  options.garbage_collection = policy.bfc.garbage_collection;
  options.timestamps = policy.bfc.timestamps;
  options.ends = policy.bfc.ends;
  options.fragmentation = std::min<uint32_t>(policy.bfc.waste_percent, 100) / 100.0;
  options.backing = policy.bfc.backing == 0 ? UINT64_MAX : policy.bfc.backing;
  return options;
}

Result ResultOf(bfc::Status status) {
  switch (status) {
    case bfc::Status::kOk:
      return Result::kOk;
    case bfc::Status::kNoMemory:
      return Result::kFailed;
    case bfc::Status::kInvalid:
      return Result::kInvalid;
    case bfc::Status::kUnsupported:
      return Result::kUnsupported;
    case bfc::Status::kOutOfFuel:
      return Result::kOutOfFuel;
    case bfc::Status::kDied:
      return Result::kDied;
  }
  return Result::kUnknown;
}

}  // namespace oomph::hbm
