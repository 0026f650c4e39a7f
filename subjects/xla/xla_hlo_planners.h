// All of XLA's planners on one module, as a setting has it. Only for xla_hlo_plugin.cc. Not for what any of them is told
// (xla_hlo_heaps.h, xla_hlo_msa.h).
#ifndef OOMPH_SUBJECTS_XLA_XLA_HLO_PLANNERS_H_
#define OOMPH_SUBJECTS_XLA_XLA_HLO_PLANNERS_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "subjects/xla/hlo_variants.h"
#include "subjects/xla/xla_hlo_heaps.h"
#include "subjects/xla/xla_hlo_msa.h"
#include "subjects/xla/xla_hlo_peak.h"
#include "subjects/xla/xla_hlo_plan_writer.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_schedule.h"
#include "xla/hlo/transforms/simplifiers/hlo_memory_scheduler.h"
#include "xla/hlo/utils/hlo_live_range.h"
#include "xla/service/hlo_verifier.h"

namespace oomph::xla_hlo {

inline std::unique_ptr<xla::ModuleSchedulerAlgorithm> SchedulerOf(const Setting& setting, const Ready& ready) {
  switch (setting.scheduler) {
    case Scheduler::kAsWritten:
      return nullptr;
    case Scheduler::kList:
      return std::make_unique<xla::ListMemoryScheduler>(&ready.alias_info, &ready.bytes);
    case Scheduler::kDepthFirst:
      return std::make_unique<xla::DFSMemoryScheduler>(&ready.alias_info, &ready.bytes);
    case Scheduler::kPostOrder:
      return std::make_unique<xla::PostOrderScheduler>(&ready.alias_info, &ready.bytes);
    case Scheduler::kBreadthFirst:
      return std::make_unique<xla::BFScheduler>(&ready.alias_info, &ready.bytes);
    case Scheduler::kBest:
      return std::make_unique<xla::DefaultMemoryScheduler>(&ready.alias_info, &ready.bytes);
  }
  return nullptr;
}

inline absl::Status Reschedule(xla::HloModule& module, const Ready& ready, const Setting& setting) {
  const auto scheduler = SchedulerOf(setting, ready);
  if (scheduler == nullptr) return absl::OkStatus();
  auto schedule = xla::ScheduleModule(&module, *scheduler);
  if (!schedule.ok()) return schedule.status();
  return module.set_schedule(*std::move(schedule));
}

// Changes the module. `note` tells what was left out and why, and what XLA's verifier says of a module that
// memory-space assignment made.
inline absl::Status WritePlans(xla::HloModule& module, const Ready& ready, const Setting& asked, PlanWriter& writer,
                               std::string& note) {
  const Setting& setting =
      asked.name == kDrawn ? Draw(HashOfOperations(*module.entry_computation())) : asked;
  if (const absl::Status status = Reschedule(module, ready, setting); !status.ok()) return status;
  const auto ranges = xla::HloLiveRange::Run(module.schedule(), *ready.aliases, module.entry_computation());
  if (!ranges.ok()) return ranges.status();
  if (!(*ranges)->total_order_scheduled()) return absl::UnimplementedError("parts of the module are in no order");

  const std::string planned = module.ToString();
  PlanWriter heaps;
  const int64_t bytes = BytesOfValues(ready);
  if (bytes < 0) return absl::UnimplementedError("its values have more than 2^60 bytes");
  const int64_t limit = std::max<int64_t>(bytes / 4, 1);
  if (const absl::Status status = WriteHeaps(module, ready, **ranges, setting.alignment, limit, setting.tells_minimum, heaps); !status.ok()) {
    return status;
  }
  if (const absl::Status status = WriteBufferAssignment(module, ready, setting.alignment, heaps); !status.ok()) {
    note = absl::StrCat("no buffer assignment: ", status.message());
  }
  writer.Module(planned);
  const std::string why_not = Assigns(setting) ? WhyNoAssignment(module) : "";
  if (!Assigns(setting) || !why_not.empty()) {
    if (!why_not.empty()) note = absl::StrCat("no memory-space assignment: ", why_not);
    writer.Append(heaps);
    return absl::OkStatus();
  }
  auto assigned = AssignMemorySpaces(module, ready, **ranges, setting);
  if (!assigned.ok()) {
    // It says so of values that it put onto each other itself.
    const bool broken = absl::StrContains(assigned.status().message(), "overlaps with another chunk");
    note = absl::StrCat(broken ? "broken: " : "no memory-space assignment: ", assigned.status().message());
    writer.Append(heaps);
    return absl::OkStatus();
  }
  writer.Module(module.ToString());
  writer.Append(heaps);
  WriteAssigned(module, *assigned, setting, writer);
  xla::HloVerifier verifier(/*layout_sensitive=*/false, /*allow_mixed_precision=*/true);
  if (const absl::Status status = verifier.Run(&module).status(); !status.ok()) {
    note = absl::StrCat("broken: ", absl::StripPrefix(status.message(), "during context [Unknown]: "));
  }
  return absl::OkStatus();
}

}  // namespace oomph::xla_hlo

#endif  // OOMPH_SUBJECTS_XLA_XLA_HLO_PLANNERS_H_
