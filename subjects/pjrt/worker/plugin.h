// Plugin: a shared object that exports GetPjrtApi, in the process that dies with it. Calls of the C API with their
// structs filled in, errors as values. Not for: the harness itself, which never loads such a plugin.
#ifndef OOMPH_SUBJECTS_PJRT_WORKER_PLUGIN_H_
#define OOMPH_SUBJECTS_PJRT_WORKER_PLUGIN_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pjrt_c_api.h"
#include "subjects/pjrt/exchange.h"

namespace oomph::pjrt {

struct Error {
  uint64_t code = 0;  // 0: none
  std::string message;
  explicit operator bool() const { return code != 0; }
};

// Structs of arguments grow with each version of the API, and a plugin refuses one that is shorter than its own: this
// one is longer than any, and what is beyond the fields of our header is zero.
template <typename T>
struct Roomy {
  T args = {};
  int64_t more[32] = {};
  Roomy() { args.struct_size = sizeof *this; }
  T* operator->() { return &args; }
};

// Tells that a stage begins.
using Announce = std::function<void(Stage)>;

class Plugin {
 public:
  // An error: it is no plugin, or has no such target. `target` is "client", which is the devices of this machine, or
  // the name of a topology, "v5e:2x2", to be compiled for without devices; `options` are of the target, "name=value".
  static Error Open(const std::string& path, const std::string& target, const std::vector<std::string>& options,
                    std::unique_ptr<Plugin>& into);

  const Description& description() const { return description_; }
  void Serve(const Request& request, const Announce& announce, Reply& reply);

 private:
  explicit Plugin(const PJRT_Api* api) : api_(api) {}

  Error Check(PJRT_Error* error) const;
  Error MakeClient();
  Error MakeTopology(const std::string& name, const std::vector<std::string>& options);
  Error Compile(const Request& request);
  Error ReadStats(Reply& reply);
  Error ReadOptimized(Reply& reply);
  Error Send(const hlo::ResultArray& array, PJRT_Buffer*& buffer);
  Error Fetch(PJRT_Buffer* buffer, hlo::ResultArray& array);
  Error Execute(const std::vector<PJRT_Buffer*>& arguments, std::vector<PJRT_Buffer*>& results);
  Error Run(const Request& request, const Announce& announce, Reply& reply);
  Error Wait(PJRT_Event* event);
  void CleanUp();
  void Destroy(PJRT_Buffer* buffer);

  const PJRT_Api* const api_;
  Description description_;
  PJRT_Client* client_ = nullptr;
  PJRT_Device* device_ = nullptr;
  PJRT_TopologyDescription* topology_ = nullptr;
  // Of the request at hand. What is loaded outlives the executable that is asked: else XLA's CPU plugin crashes.
  PJRT_LoadedExecutable* loaded_ = nullptr;
  PJRT_Executable* executable_ = nullptr;
  std::vector<PJRT_Buffer*> buffers_;
};

}  // namespace oomph::pjrt

#endif  // OOMPH_SUBJECTS_PJRT_WORKER_PLUGIN_H_
