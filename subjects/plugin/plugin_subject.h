// PluginSubject: one variant of a plugin as a subject of the HBM family, in this process.
// Not for: campaigns, where it must not take the harness with it (see plugin_row.h).
#ifndef OOMPH_SUBJECTS_PLUGIN_PLUGIN_SUBJECT_H_
#define OOMPH_SUBJECTS_PLUGIN_PLUGIN_SUBJECT_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "subjects/child/journal.h"
#include "subjects/plugin/driver.h"
#include "subjects/plugin/plugin.h"
#include "subjects/step_timer.h"
#include "subjects/subject.h"

namespace oomph {

struct PluginSpec {
  const Family* family = nullptr;
  std::string name;                      // of the subject, in signatures
  std::string path;                      // of the shared object
  std::string variant;                   // options for oomph_create
  std::function<void(Case&)> prepare;    // see Subject::Prepare; empty: nothing to do
  std::shared_ptr<const Plugin> plugin;  // instead of one loaded from `path`
  std::function<void*(const oomph_config&)> create;  // see DriverOptions
  std::vector<std::string> features;     // of the family, besides those that the capabilities give
};

class PluginSubject final : public Subject, public StepTimer {
 public:
  // Writes each row also to `journal` unless it is null.
  static absl::StatusOr<std::unique_ptr<PluginSubject>> Make(const PluginSpec& spec,
                                                             Journal* journal = nullptr);

  const SubjectInfo& info() const override { return info_; }
  void Prepare(Case& c) const override;
  void Run(const Case& c, Outcome& outcome) override;
  void TimeSteps(StepTimes* into) override { driver_.TimeSteps(into); }

 private:
  PluginSubject(const PluginSpec& spec, std::shared_ptr<const Plugin> plugin, Journal* journal);

  const PluginSpec spec_;
  SubjectInfo info_;
  hbm::Driver driver_;
};

// The bits of family.features() that an online plugin with these capabilities has.
Bits64 FeaturesOf(const Family& family, uint64_t caps, bool has_stats);

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_PLUGIN_PLUGIN_SUBJECT_H_
