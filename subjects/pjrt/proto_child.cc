// See proto_child.h.
#include "subjects/pjrt/proto_child.h"

#include <dlfcn.h>
#include <unistd.h>

#include <chrono>
#include <utility>

#include "absl/status/status.h"
#include "subjects/plugin/plugin.h"

namespace oomph::pjrt {
namespace {

using Convert = int (*)(const char* text, size_t text_bytes, const char** bytes, size_t* num_bytes);

// The first byte of what comes back.
constexpr char kRead = 'p', kUnread = 'u';

absl::StatusOr<TextChild::Function> Load(const std::string& plugin) {
  const absl::StatusOr<void*> library = LoadLibrary(plugin);
  if (!library.ok()) return library.status();
  const auto convert = reinterpret_cast<Convert>(dlsym(*library, "oomph_xla_proto"));
  if (convert == nullptr) return RefusePlugin(plugin, "does not define oomph_xla_proto");
  return [convert](std::string_view text) {
    const char* bytes = nullptr;
    size_t num_bytes = 0;
    const int code = convert(text.data(), text.size(), &bytes, &num_bytes);
    std::string answer(1, code == 0 ? kRead : kUnread);
    answer.append(bytes, num_bytes);
    return answer;
  };
}

}  // namespace

ProtoChild::ProtoChild(const std::string& plugin)
    : child_(plugin, [plugin] { return Load(plugin); }, {.case_time = std::chrono::minutes(1)}) {}

absl::StatusOr<std::string> ProtoChild::Ask(std::string_view text) {
  absl::StatusOr<std::string> answer = child_.Ask(text);
  if (!answer.ok()) return answer;
  if (answer->empty() || (answer->front() != kRead && answer->front() != kUnread)) {
    return absl::UnavailableError("its answer is damaged");
  }
  const bool read = answer->front() == kRead;
  answer->erase(0, 1);
  if (!read) return absl::InvalidArgumentError(*answer);
  return answer;
}

std::shared_ptr<ProtoChild> SharedProtoChild::Get() {
  std::shared_ptr<ProtoChild> child = owner_ == getpid() ? child_.lock() : nullptr;
  if (child != nullptr) return child;
  child = std::make_shared<ProtoChild>(plugin_);
  owner_ = getpid();
  child_ = child;
  return child;
}

}  // namespace oomph::pjrt
