// See compile_options.h.
#include "subjects/pjrt/compile_options.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace oomph::pjrt {
namespace {

// ---- The wire form of protocol buffers ----

void Varint(uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

void Number(unsigned field, uint64_t value, std::string& out) {
  Varint(field << 3, out);
  Varint(value, out);
}

void Bytes(unsigned field, std::string_view bytes, std::string& out) {
  Varint(field << 3 | 2, out);
  Varint(bytes.size(), out);
  out.append(bytes);
}

}  // namespace

std::string Serialize(const CompileOptions& options) {
  // The numbers of the fields are those of xla/pjrt/proto/compile_options.proto.
  constexpr unsigned kBuildOptions = 3, kReplicas = 4, kPartitions = 5, kOverrides = 7, kKey = 1, kValue = 2, kString = 1;
  std::string build;
  Number(kReplicas, options.replicas, build);
  Number(kPartitions, options.partitions, build);
  std::string out;
  Bytes(kBuildOptions, build, out);
  for (const Override& each : options.overrides) {
    std::string value, entry;
    Bytes(kString, each.value, value);
    Bytes(kKey, each.name, entry);
    Bytes(kValue, value, entry);
    Bytes(kOverrides, entry, out);
  }
  return out;
}

absl::StatusOr<Override> ParseOverride(std::string_view words) {
  const size_t equals = words.find('=');
  const std::string_view name = words.substr(0, equals);
  const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
  if (equals == words.npos || name.empty() || !plain) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected an option of the compiler, NAME=VALUE, found \"", std::string(words), "\""));
  }
  // A case file may name options too, and must not say what is read or written where.
  bool names_files = name.find("dump") != name.npos;
  for (const std::string_view end : {"_file", "_path", "_dir", "_prefix", "_to"}) names_files |= name.ends_with(end);
  if (names_files) {
    return absl::InvalidArgumentError(
        absl::StrCat(std::string(name), ": options that name files are not passed on; dumps are made and read by the harness"));
  }
  return Override{std::string(name), std::string(words.substr(equals + 1))};
}

}  // namespace oomph::pjrt
