// What the harness and its PJRT worker say to each other: one request, one reply, as the bytes of frames
// (subjects/child/process.h). Not for: starting a worker (worker_process.h), nor what the words mean to a plugin
// (worker/plugin.h).
//
//   worker  ->  kReady: a description            or kNotMade: why not, and it ends
//   harness ->  a request
//   worker  ->  kStage: the stage that begins    as often as it likes
//   worker  ->  kReply: the reply
#ifndef OOMPH_SUBJECTS_PJRT_EXCHANGE_H_
#define OOMPH_SUBJECTS_PJRT_EXCHANGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/hlo/plan.h"

namespace oomph::pjrt {

// The number of a frame from the worker.
enum Kind : uint64_t { kReady = 0x50'4a01, kNotMade, kStage, kReply };

// What a worker is about to do.
enum class Stage : uint8_t { kCompile, kStats, kOptimized, kArguments, kRun, kResults, kCleanUp, kDone };
inline constexpr std::string_view kStageNames[] = {"compile",  "memory statistics", "optimized program", "arguments",
                                                   "execution", "results",           "clean-up",          "done"};
inline constexpr int kStages = 8;

struct Description {
  std::string platform, version;  // the plugin's words
  uint64_t api_major = 0, api_minor = 0;
  uint64_t devices = 0;
  bool runs = false;  // it has devices, not only a topology
  bool operator==(const Description&) const = default;
};

struct Request {
  std::string format;   // "hlo": a HloModuleProto; "mlir": StableHLO, as text too
  std::string code;
  std::string options;  // a CompileOptionsProto (compile_options.h)
  bool optimized = false;  // the optimized program, too
  bool run = false;        // on the arguments, where there is a device
  std::vector<hlo::ResultArray> arguments;
  bool operator==(const Request&) const = default;
};

struct Reply {
  bool compiled = false;
  uint64_t code = 0;     // of the plugin's error; 0: none
  std::string message;   // all of its text
  Stage stage = Stage::kDone;  // at which the error came
  std::optional<hlo::CompiledStats> stats;
  std::string optimized_format, optimized;
  std::optional<std::vector<hlo::ResultArray>> results;
  uint64_t resident_bytes = 0;  // of the worker
  bool operator==(const Reply&) const = default;
};

std::string Pack(const Description& description);
std::string Pack(const Request& request);
std::string Pack(const Reply& reply);
// False for everything that Pack does not make; what it takes of memory is bounded by the length of `bytes`.
bool Unpack(std::string_view bytes, Description& into);
bool Unpack(std::string_view bytes, Request& into);
bool Unpack(std::string_view bytes, Reply& into);

// The codes of PJRT_Error_Code, as in absl: "RESOURCE_EXHAUSTED"; of others "code N".
std::string CodeName(uint64_t code);

}  // namespace oomph::pjrt

#endif  // OOMPH_SUBJECTS_PJRT_EXCHANGE_H_
