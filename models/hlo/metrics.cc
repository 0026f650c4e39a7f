// See metrics.h.
#include "models/hlo/metrics.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "models/hlo/liveness_bytes.h"
#include "models/hlo/text.h"
#include "models/hlo/tpu_bytes.h"

namespace oomph::hlo {
namespace {

enum Metric : size_t { kPeak, kRefused, kDeclined, kCompiledPeak, kTemporaries, kCode, kScoped, kMoved, kNumMetrics };

// In the order of Metric.
constexpr std::array<MetricInfo, kNumMetrics> kMetrics = {{
    {"peak", "bytes", "bytes live at the peak of all memory spaces together, unpadded"},
    {"refused", "share", "modules that the reader or the verifier refuses"},
    {"declined", "share", "modules that are not planned, compiled or run"},
    {"compiled_peak", "bytes", "the peak that a compiler tells of the module that it made"},
    {"temporaries", "bytes", "the temporaries that a compiler tells"},
    {"code", "bytes", "the program itself"},
    {"scoped", "bytes", "the memory that instructions use for themselves, one after the other"},
    {"moved", "bytes", "what is copied from one memory space into another"},
}};

// Copies between memory spaces in the entries of the modules that the plans speak of.
double MovedBytes(const Answer& answer) {
  double moved = 0;
  for (const std::string& text : answer.planned) {
    const absl::StatusOr<Module> module = Parse("planned", text);
    if (!module.ok()) continue;
    for (const Computation& computation : module->computations) {
      for (const Instruction& instruction : computation.instructions) {
        if (instruction.opcode != Opcode::kCopyStart && instruction.opcode != Opcode::kCopy) continue;
        const std::span<const uint32_t> operands = module->Operands(instruction);
        if (operands.empty()) continue;
        const ShapeId from = computation.instructions[operands[0]].shape;
        const std::span<const ShapeId> elements = module->shapes.Elements(instruction.shape);
        const ShapeId to = instruction.opcode == Opcode::kCopy || elements.empty() ? instruction.shape : elements[0];
        if (SpaceOf(module->shapes, from) == SpaceOf(module->shapes, to)) continue;
        if (const absl::StatusOr<uint64_t> bytes = TpuBytes(module->shapes, to); bytes.ok()) moved += static_cast<double>(*bytes);
      }
    }
  }
  return moved;
}

}  // namespace

std::span<const MetricInfo> Metrics() { return kMetrics; }

bool MeasureAnswer(const Answer& answer, std::span<double> values) {
  std::fill(values.begin(), values.end(), std::numeric_limits<double>::quiet_NaN());
  const bool valid = answer.status == Status::kValid, declined = answer.status == Status::kDeclined;
  if (!valid && !declined && answer.status != Status::kInvalid && answer.status != Status::kUnread) return false;
  values[kRefused] = valid || declined ? 0 : 1;
  values[kDeclined] = declined ? 1 : 0;
  if (valid && answer.total_peak) values[kPeak] = static_cast<double>(*answer.total_peak);
  if (!valid || !answer.stats) return true;
  values[kCompiledPeak] = static_cast<double>(answer.stats->peak);
  values[kTemporaries] = static_cast<double>(answer.stats->temporaries);
  values[kCode] = static_cast<double>(answer.stats->code);
  values[kMoved] = MovedBytes(answer);
  values[kScoped] = 0;
  for (const Plan& plan : answer.plans) {
    for (const ScopedMemory& scoped : plan.scoped) values[kScoped] += static_cast<double>(scoped.used.value_or(0));
  }
  return true;
}

}  // namespace oomph::hlo
