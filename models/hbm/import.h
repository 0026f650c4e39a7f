// Traces made from what other tools write about memory: what is common to all of them.
// Not for: a format (see import_bfc.h, import_rmm.h, and tools/import_pytorch.h for what comes as JSON).
#ifndef OOMPH_MODELS_HBM_IMPORT_H_
#define OOMPH_MODELS_HBM_IMPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "models/hbm/trace.h"

namespace oomph::hbm {

struct ImportOptions {
  uint64_t capacity = 0;  // bytes; 0: chosen by the importer
  size_t part = 0;        // which region or device, from 1; 0: the first with something in it
};

struct Imported {
  Trace trace;
  std::vector<std::string> notes;  // what was chosen, and what the trace does not say; a sentence each
};

// One entry of a log of calls.
enum class LoggedCall : uint8_t { kAllocated, kFreed, kFreeBegun, kFreeEnded, kRefused };
struct LoggedEvent {
  LoggedCall call;
  uint64_t pointer = 0;  // not of kRefused
  uint64_t size = 0;     // of kAllocated and kRefused
};

inline constexpr size_t kMaxLoggedEvents = size_t{1} << 21;

// The trace of a log, in its order. An address that is given while it is live was freed unseen before; a free
// of what was never given is left out. What kFreeBegun began is free after the fence at its kFreeEnded. A
// refused request is asked, and freed at once if it is served here. Without a capacity: the smallest power of
// two that holds the peak, sizes rounded up to `granule`.
Imported TraceOfLog(const std::vector<LoggedEvent>& log, uint64_t granule, const ImportOptions& options);

// The number in hexadecimal, with or without 0x.
std::optional<uint64_t> ReadHex(std::string_view digits);

}  // namespace oomph::hbm

#endif  // OOMPH_MODELS_HBM_IMPORT_H_
