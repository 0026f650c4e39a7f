// oomph-pjrt-worker PLUGIN.so TARGET [NAME=VALUE...]: loads a PJRT plugin and serves requests on descriptor 3, one at a
// time, as exchange.h has them. Started by the harness alone (worker_process.h). Not for: anything by hand.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "subjects/child/process.h"
#include "subjects/pjrt/exchange.h"
#include "subjects/pjrt/worker/plugin.h"

namespace oomph::pjrt {
namespace {

constexpr int kSocket = 3;

uint64_t ResidentBytes() {
  uint64_t pages = 0;
  if (FILE* file = std::fopen("/proc/self/statm", "r")) {
    unsigned long long resident = 0;
    if (std::fscanf(file, "%*u %llu", &resident) == 1) pages = resident;
    std::fclose(file);
  }
  return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

int Main(const std::vector<std::string>& words) {
  fcntl(kSocket, F_SETFD, FD_CLOEXEC);  // what a plugin starts does not get it
  ChildSocket socket(kSocket);
  std::unique_ptr<Plugin> plugin;
  const std::vector<std::string> options(words.begin() + 2, words.end());
  if (const Error error = Plugin::Open(words[0], words[1], options, plugin)) {
    socket.Send(kNotMade, error.message);
    return 0;
  }
  const Announce announce = [&](Stage stage) { socket.Send(kStage, std::string(1, static_cast<char>(stage))); };
  Frame frame;
  bool alive = socket.Send(kReady, Pack(plugin->description()));
  while (alive && socket.Receive(frame)) {
    Request request;
    if (!Unpack(frame.bytes, request)) return 1;
    Reply reply;
    plugin->Serve(request, announce, reply);
    reply.resident_bytes = ResidentBytes();
    alive = socket.Send(kReply, Pack(reply));
  }
  return 0;
}

}  // namespace
}  // namespace oomph::pjrt

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: oomph-pjrt-worker PLUGIN.so TARGET [NAME=VALUE...]; started by oomph\n");
    return 64;
  }
  const int code = oomph::pjrt::Main(std::vector<std::string>(argv + 1, argv + argc));
  _exit(code);  // how a plugin leaves is not under test
}
