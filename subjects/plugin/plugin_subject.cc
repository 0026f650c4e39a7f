// See plugin_subject.h.
#include "subjects/plugin/plugin_subject.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace oomph {
namespace {

struct FeatureRow {
  std::string_view feature;
  uint64_t caps;  // all of them are needed
};
constexpr FeatureRow kFeatureRows[] = {
    {"allocate", 0},
    {"free", 0},
    {"reallocate", OOMPH_CAP_REALLOC},
    {"free_later", OOMPH_CAP_FREE_LATER},
    {"fence", OOMPH_CAP_FREE_LATER},
    {"align", OOMPH_CAP_ALIGN},
    {"end", OOMPH_CAP_TWO_ENDED},
};

// Bit i for the i-th feature of that name; 0 where the family has none.
Bits64 FeatureBit(const Family& family, std::string_view name) {
  const auto features = family.features();
  const auto found = std::find(features.begin(), features.end(), name);
  return found == features.end() ? 0 : Bits64{1} << (found - features.begin());
}

std::optional<size_t> PromiseIndex(const Family& family, std::string_view name) {
  const auto promises = family.promises();
  for (size_t i = 0; i < promises.size(); ++i) {
    if (promises[i].name == name) return i;
  }
  return std::nullopt;
}

absl::Status UnknownPromise(const Plugin& plugin, const Family& family, const char* name) {
  std::vector<std::string> known;
  for (const PromiseInfo& promise : family.promises()) known.emplace_back(promise.name);
  return absl::InvalidArgumentError(absl::StrCat(
      plugin.path(), ": promises \"", name, "\", which is none of the promises of family ",
      std::string(family.name()), " (", absl::StrJoin(known, ", "), ")"));
}

absl::Status TakePromises(const Plugin& plugin, const Family& family, SubjectInfo& info) {
  std::vector<std::string> sources(family.promises().size());
  for (size_t i = 0; i < plugin.info().num_promises; ++i) {
    const oomph_promise& promise = plugin.info().promises[i];
    const char* name = promise.name == nullptr ? "" : promise.name;
    const std::optional<size_t> index = PromiseIndex(family, name);
    if (!index) return UnknownPromise(plugin, family, name);
    info.promises |= Bits64{1} << *index;
    sources[*index] =
        absl::StrCat(name, ": ", promise.source == nullptr ? "no source given" : promise.source);
  }
  for (std::string& source : sources) {
    if (!source.empty()) info.promise_sources.push_back(std::move(source));
  }
  return absl::OkStatus();
}

// Variants that the plugin does not list are taken too, as long as it understands them.
absl::Status CheckVariant(const Plugin& plugin, const std::string& variant) {
  const std::vector<std::string> listed = plugin.Variants();
  if (!plugin.online() || std::find(listed.begin(), listed.end(), variant) != listed.end()) {
    return absl::OkStatus();
  }
  const oomph_config config = {uint64_t{1} << 20, 1, 1, variant.c_str()};
  if (void* self = plugin.calls().create(&config)) {
    plugin.calls().destroy(self);
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(plugin.path(), ": does not take the options \"", variant, "\"; its variants are ",
                   absl::StrJoin(listed, " ")));
}

}  // namespace

Bits64 FeaturesOf(const Family& family, uint64_t caps, bool has_stats) {
  Bits64 features = 0;
  for (const FeatureRow& row : kFeatureRows) {
    if ((caps & row.caps) == row.caps) features |= FeatureBit(family, row.feature);
  }
  if ((caps & OOMPH_CAP_ENUM_FREE) != 0 || has_stats) features |= FeatureBit(family, "query");
  return features;
}

absl::StatusOr<std::unique_ptr<PluginSubject>> PluginSubject::Make(const PluginSpec& spec,
                                                                   Journal* journal) {
  absl::StatusOr<std::shared_ptr<const Plugin>> plugin = spec.plugin;
  if (spec.plugin == nullptr) plugin = Plugin::Load(spec.path);
  if (!plugin.ok()) return plugin.status();
  if (absl::Status status = CheckVariant(**plugin, spec.variant); !status.ok()) return status;
  std::unique_ptr<PluginSubject> subject(new PluginSubject(spec, *plugin, journal));
  absl::Status status = TakePromises(**plugin, *spec.family, subject->info_);
  if (!status.ok()) return status;
  return subject;
}

PluginSubject::PluginSubject(const PluginSpec& spec, std::shared_ptr<const Plugin> plugin, Journal* journal)
    : spec_(spec), driver_(plugin, {.options = spec.variant, .create = spec.create}, journal) {
  info_.family = spec.family;
  info_.name = spec.name;
  info_.variant = spec.variant;
  const char* version = plugin->info().version;
  info_.version = version == nullptr ? "" : version;
  info_.features =
      FeaturesOf(*spec.family, driver_.caps(), plugin->calls().get_stats != nullptr);
  for (const std::string& feature : spec.features) {
    info_.features |= FeatureBit(*spec.family, feature);
  }
}

void PluginSubject::Prepare(Case& c) const {
  if (spec_.prepare) spec_.prepare(c);
}

void PluginSubject::Run(const Case& c, Outcome& outcome) {
  driver_.Run(static_cast<const CaseOf<hbm::Trace>&>(c).value,
              static_cast<OutcomeOf<hbm::TraceOutcome>&>(outcome).value);
}

}  // namespace oomph
