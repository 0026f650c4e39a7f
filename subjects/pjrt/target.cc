// See target.h.
#include "subjects/pjrt/target.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace oomph::pjrt {
namespace {

constexpr NamedTarget kTpuTargets[] = {
    {"v5e", "v5e:2x2", "", "v5e", false, false},
    {"v6e", "v6e:2x2", "", "v6e", false, false},
    {"v5p", "v5p:2x2x1", "", "v5p", false, false},
    {"v4", "v4:2x2x1", "", "v4", false, false},  // each TensorCore a device
    {"v4mega", "v4:2x2x1", "chip_config_name=megacore", "v4", false, false},
    {"v7x", "tpu7x:2x2x1", "", "7x", false, false},
    {"v5e-all", "v5e:2x2", "", "v5e", true, false},
    {"v5e-options", "v5e:2x2", "", "v5e", false, true},
};

absl::Status NoSuchTarget(std::string_view word, std::span<const NamedTarget> known) {
  std::string words;
  for (const NamedTarget& target : known) absl::StrAppend(&words, words.empty() ? "" : ", ", std::string(target.word));
  return absl::InvalidArgumentError(
      absl::StrCat("no target \"", std::string(word), "\"; there are ", words, " and topologies such as v5e:4x4"));
}

absl::Status SetTopology(std::string_view word, std::span<const NamedTarget> known, std::string_view otherwise, Target& target) {
  for (const NamedTarget& each : known) {
    if (each.word != word) continue;
    target.topology = std::string(each.topology);
    target.chip = std::string(each.chip);
    target.everything = each.everything;
    target.draws_options = each.draws_options;
    if (!each.option.empty()) target.options.emplace_back(each.option);
    return absl::OkStatus();
  }
  if (!known.empty() && !word.empty() && word.find(':') == word.npos) return NoSuchTarget(word, known);
  target.topology = std::string(word.empty() ? otherwise : word);
  target.chip = target.topology;
  return absl::OkStatus();
}

}  // namespace

std::span<const NamedTarget> TpuTargets() { return kTpuTargets; }

absl::StatusOr<Target> ParseTarget(std::string_view words, std::span<const NamedTarget> known, std::string_view otherwise) {
  Target target;
  // Options alone have no word before them.
  const std::string_view begin = words.substr(0, words.find(','));
  const std::string_view word = begin.find('=') == begin.npos ? begin : "";
  if (const absl::Status status = SetTopology(word, known, otherwise, target); !status.ok()) return status;
  std::string_view rest = words.substr(word.size());
  if (rest.starts_with(',')) rest.remove_prefix(1);
  while (!rest.empty()) {
    const std::string_view option = rest.substr(0, rest.find(','));
    absl::StatusOr<Override> parsed = ParseOverride(option);
    if (!parsed.ok()) return parsed.status();
    target.overrides.push_back(*std::move(parsed));
    rest.remove_prefix(std::min(rest.size(), option.size() + 1));
  }
  return target;
}

}  // namespace oomph::pjrt
