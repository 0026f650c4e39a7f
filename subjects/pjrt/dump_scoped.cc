// See dump_scoped.h.
#include "subjects/pjrt/dump_scoped.h"

#include <algorithm>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "models/base/units.h"
#include "nlohmann/json.hpp"

namespace oomph {
namespace {

// 64-bit numbers stand in quotes, as protobuf's JSON has them; a field that is 0 may be missing.
std::optional<uint64_t> NumberIn(const nlohmann::json& config, const char* key) {
  const auto field = config.find(key);
  if (field == config.end()) return 0;
  if (field->is_number_unsigned()) return field->get<uint64_t>();
  if (!field->is_string()) return std::nullopt;
  const std::string& digits = field->get_ref<const std::string&>();
  if (digits.empty() || digits.find_first_not_of("0123456789") != digits.npos) return std::nullopt;
  const ScannedNumber number = ScanNumber(digits);
  return number.too_large ? std::nullopt : std::optional(number.value);
}

std::optional<std::vector<ScopedConfig>> ListIn(const nlohmann::json& backend, const char* key) {
  std::vector<ScopedConfig> configs;
  const auto list = backend.find(key);
  if (list == backend.end()) return configs;
  if (!list->is_array()) return std::nullopt;
  for (const nlohmann::json& config : *list) {
    if (!config.is_object()) return std::nullopt;
    const auto space = NumberIn(config, "memory_space"), offset = NumberIn(config, "offset"),
               size = NumberIn(config, "size");
    if (!space || !offset || !size || *space > std::numeric_limits<uint32_t>::max()) return std::nullopt;
    configs.push_back({static_cast<uint32_t>(*space), *offset, *size});
  }
  return configs;
}

}  // namespace

absl::StatusOr<std::vector<ScopedOfInstruction>> ReadScoped(const hlo::Module& module) {
  std::vector<ScopedOfInstruction> all;
  for (const hlo::Computation& computation : module.computations) {
    for (const hlo::Instruction& instruction : computation.instructions) {
      const auto id = module.Find(instruction, hlo::Key::kBackendConfig);
      if (!id || module.attribute_table.References(*id).empty()) continue;
      const std::string_view text = module.strings[module.attribute_table.References(*id)[0].id];
      if (text.find("scoped_memory_configs") == text.npos) continue;
      const nlohmann::json backend = nlohmann::json::parse(text, nullptr, false);
      if (!backend.is_object()) continue;  // of somebody else
      auto limits = ListIn(backend, "scoped_memory_configs"), used = ListIn(backend, "used_scoped_memory_configs");
      if (!limits || !used) {
        return absl::InvalidArgumentError(
            absl::StrCat("%", std::string(module.Name(instruction)).substr(0, 200),
                         ": expected memory spaces, offsets and sizes in its scoped memory"));
      }
      if (!limits->empty() || !used->empty())
        all.push_back({module.Name(instruction), *std::move(limits), *std::move(used)});
    }
  }
  return all;
}

}  // namespace oomph
