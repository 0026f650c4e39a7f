// See scoped_use.h.
#include "subjects/pjrt/scoped_use.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "models/base/units.h"

namespace oomph::pjrt {
namespace {

// ---- The wire form of protocol buffers ----

struct Field {
  uint64_t number = 0;
  uint64_t value = 0;       // of a varint
  std::string_view bytes;   // of what has a length
};

std::optional<uint64_t> TakeVarint(std::string_view& wire) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64 && !wire.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(wire.front());
    wire.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

// False at the end, and where it is no message: then `wire` is not empty.
bool TakeField(std::string_view& wire, Field& field) {
  std::string_view rest = wire;
  const std::optional<uint64_t> key = rest.empty() ? std::nullopt : TakeVarint(rest);
  if (!key || *key >> 3 == 0) return false;
  field = {*key >> 3, 0, {}};
  const unsigned kind = *key & 7;
  uint64_t length = kind == 1 ? 8 : kind == 5 ? 4 : 0;
  if (kind == 0 || kind == 2) {
    const std::optional<uint64_t> number = TakeVarint(rest);
    if (!number) return false;
    (kind == 0 ? field.value : length) = *number;
  } else if (length == 0) {
    return false;
  }
  if (length > rest.size()) return false;
  field.bytes = rest.substr(0, length);
  rest.remove_prefix(length);
  wire = rest;
  return true;
}

// ---- HLO ----

// The numbers of the fields are those of xla/service/hlo.proto.
constexpr uint64_t kModuleOfBoth = 1;                                // HloModuleProtoWithConfig
constexpr uint64_t kComputations = 3;                                // HloModuleProto
constexpr uint64_t kInstructions = 2, kComputationId = 5;            // HloComputationProto
constexpr uint64_t kTarget = 28, kCalled = 38, kConfiguration = 43;  // HloInstructionProto

struct Instruction {
  uint64_t computation = 0;  // that it is in
  bool calls_target = false;
  std::vector<uint64_t> called;
  std::string_view configuration;  // JSON
};

absl::Status Damaged() { return absl::InvalidArgumentError("expected a serialized HLO module"); }

absl::Status ReadInstruction(std::string_view wire, std::string_view target, Instruction& into) {
  Field field;
  while (TakeField(wire, field)) {
    if (field.number == kTarget) into.calls_target = field.bytes == target;
    if (field.number == kConfiguration) into.configuration = field.bytes;
    if (field.number != kCalled) continue;
    if (field.bytes.empty()) into.called.push_back(field.value);
    for (std::string_view packed = field.bytes; !packed.empty();) {
      const std::optional<uint64_t> id = TakeVarint(packed);
      if (!id) return Damaged();
      into.called.push_back(*id);
    }
  }
  return wire.empty() ? absl::OkStatus() : Damaged();
}

absl::Status ReadComputation(std::string_view wire, std::string_view target, std::vector<Instruction>& into) {
  const size_t begin = into.size();
  uint64_t id = 0;
  Field field;
  while (TakeField(wire, field)) {
    if (field.number == kComputationId) id = field.value;
    if (field.number != kInstructions) continue;
    if (absl::Status status = ReadInstruction(field.bytes, target, into.emplace_back()); !status.ok()) return status;
  }
  for (size_t i = begin; i < into.size(); ++i) into[i].computation = id;
  return wire.empty() ? absl::OkStatus() : Damaged();
}

absl::StatusOr<std::vector<Instruction>> ReadModule(std::string_view wire, std::string_view target) {
  std::vector<Instruction> all;
  Field field;
  while (TakeField(wire, field)) {
    if (field.number != kComputations) continue;
    if (absl::Status status = ReadComputation(field.bytes, target, all); !status.ok()) return status;
  }
  if (!wire.empty()) return Damaged();
  return all;
}

// ---- Its configuration ----

// The sum of the sizes of memory space 1 in a list of that name: [{"memory_space":"1","offset":"0","size":"4096"}].
// The configuration holds the kernel's whole body, so it is searched and not parsed.
absl::Status SizeIn(std::string_view configuration, std::string_view name, std::optional<uint64_t>& into) {
  const std::string begin = absl::StrCat("\"", std::string(name), "\":[");
  const size_t at = configuration.find(begin);
  if (at == configuration.npos) return absl::OkStatus();
  std::string_view list = configuration.substr(at + begin.size());
  list = list.substr(0, list.find(']'));
  uint64_t sum = 0;
  bool any = false;
  while (!list.empty()) {
    const std::string_view entry = list.substr(0, list.find('}'));
    list.remove_prefix(std::min(list.size(), entry.size() + 1));
    if (entry.find("\"memory_space\":\"1\"") == entry.npos) continue;
    constexpr std::string_view kSize = "\"size\":\"";
    const size_t size = entry.find(kSize);
    if (size == entry.npos) {  // a 0 may be missing
      any = true;
      continue;
    }
    const std::string_view digits = entry.substr(size + kSize.size(), entry.find('"', size + kSize.size()) - size - kSize.size());
    if (digits.empty() || digits.find_first_not_of("-0123456789") != digits.npos) {
      return absl::InvalidArgumentError(absl::StrCat("expected a size in ", std::string(name)));
    }
    any = true;
    if (digits[0] == '-') return absl::OkStatus();  // a limit that nothing fits
    const ScannedNumber number = ScanNumber(digits);
    if (number.too_large) return absl::InvalidArgumentError(absl::StrCat("expected a size in ", std::string(name)));
    sum = SaturatingAdd(sum, number.value);
  }
  if (any) into = sum;
  return absl::OkStatus();
}

absl::Status UseOf(std::string_view configuration, ScopedUse& use) {
  if (absl::Status status = SizeIn(configuration, "scoped_memory_configs", use.limit); !status.ok()) return status;
  return SizeIn(configuration, "used_scoped_memory_configs", use.used);
}

}  // namespace

absl::StatusOr<std::vector<ScopedUse>> ReadScopedUse(std::string_view program, std::string_view target) {
  // Both begin with field 1: the module, or the module's name.
  absl::StatusOr<std::vector<Instruction>> all = Damaged();
  Field first;
  std::string_view wire = program;
  if (TakeField(wire, first) && first.number == kModuleOfBoth) all = ReadModule(first.bytes, target);
  if (!all.ok() || all->empty()) all = ReadModule(program, target);
  if (!all.ok()) return all.status();
  std::vector<ScopedUse> uses;
  for (const Instruction& kernel : *all) {
    if (!kernel.calls_target) continue;
    ScopedUse use;
    if (absl::Status status = UseOf(kernel.configuration, use); !status.ok()) return status;
    for (const Instruction& caller : *all) {
      if (use.used || std::find(caller.called.begin(), caller.called.end(), kernel.computation) == caller.called.end()) continue;
      if (absl::Status status = UseOf(caller.configuration, use); !status.ok()) return status;
    }
    uses.push_back(use);
  }
  return uses;
}

}  // namespace oomph::pjrt
