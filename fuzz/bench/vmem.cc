// See vmem.h.
#include "fuzz/bench/vmem.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "fuzz/bench/load.h"
#include "fuzz/subject_table.h"
#include "models/vmem/allocator.h"
#include "models/vmem/compare.h"
#include "models/vmem/family.h"
#include "models/vmem/generate.h"
#include "models/vmem/promises.h"
#include "models/vmem/specification.h"
#include "models/vmem/text.h"

namespace oomph {
namespace {

using vmem::Answer;
using vmem::Kernel;

constexpr size_t kCompiledKernels = 100;

// Kernels as campaigns draw them: as many as a cache holds, so that the model is timed and not the memory.
std::vector<Kernel> DrawnKernels(size_t count) {
  GenerateOptions options;
  options.features = ~Bits64{0};
  std::vector<Kernel> kernels(count);
  for (size_t i = 0; i < count; ++i) {
    Choices choices = Choices::FromSeed(MixSeed(9, i), true);
    vmem::GenerateKernel(choices, options, kernels[i]);
  }
  return kernels;
}

// Rounds over the kernels a second of this thread, times their number.
template <typename Run>
double KernelsPerSecond(const std::vector<Kernel>& kernels, double seconds, Run run) {
  const CpuStopwatch watch;
  double done = 0;
  do {
    for (const Kernel& kernel : kernels) run(kernel);
    done += static_cast<double>(kernels.size());
  } while (watch.seconds() < seconds);
  return done / watch.seconds();
}

void BenchModel(BenchReport& report) {
  const CpuStopwatch drawing;
  const std::vector<Kernel> kernels = DrawnKernels(1000);
  const double drawn = static_cast<double>(kernels.size()) / drawing.seconds();
  size_t operands = 0;
  for (const Kernel& kernel : kernels) {
    operands += kernel.inputs.size() + kernel.outputs.size() + kernel.scratch.size() + kernel.scoped.size();
  }
  uint64_t sum = 0;
  const double needs =
      KernelsPerSecond(kernels, report.seconds() / 2, [&](const Kernel& kernel) { sum += vmem::NeedOf(kernel).total; });
  report.AtLeast("what a kernel needs", needs, "kernels/s", 2'000'000);
  report.Add("  buffers of a kernel", static_cast<double>(operands) / static_cast<double>(kernels.size()), "");
  Answer fast, slow;
  report.Add("whole answers, with parts and message",
             KernelsPerSecond(kernels, report.seconds() / 4,
                              [&](const Kernel& kernel) {
                                vmem::RunModel(kernel, fast);
                                sum += fast.parts.size();
                              }),
             "kernels/s");
  const vmem::Specification specification;
  report.Add("answers of the specification",
             KernelsPerSecond(kernels, report.seconds() / 4,
                              [&](const Kernel& kernel) {
                                specification.Run(kernel, slow);
                                sum += slow.parts.size();
                              }),
             "kernels/s");
  report.Add("drawing kernels beside it", drawn, "kernels/s");
  for (const Kernel& kernel : kernels) {
    vmem::RunModel(kernel, fast);
    specification.Run(kernel, slow);
    if (sum != 0 && fast == slow) continue;
    std::fprintf(stderr, "the model answers other than its specification\n%s", vmem::PrintKernel(kernel).c_str());
    std::abort();
  }
}

// Random kernels of one chip as campaigns draw them, with the comparison: blocks of any size, or of at most 64 KiB.
void Compile(Subject& subject, uint64_t most_block, const char* name, double kernels_a_second, BenchReport& report) {
  GenerateOptions options;
  options.features = subject.info().Drawn() & ~vmem::feature::Bit(vmem::feature::kOptionZero);
  std::vector<double> seconds;
  size_t exact = 0, same = 0, answered = 0;
  const Stopwatch total;
  for (uint64_t seed = 1; seconds.size() < kCompiledKernels; ++seed) {
    CaseOf<Kernel> c;
    Choices choices = Choices::FromSeed(MixSeed(11, seed), true);
    vmem::GenerateKernel(choices, options, c.value);
    subject.Prepare(c);
    Answer model;
    vmem::RunModel(c.value, model);
    const bool fits = std::all_of(model.parts.begin(), model.parts.end(),
                                  [&](const vmem::PartBytes& part) { return part.padded <= most_block; });
    if (!fits) continue;
    OutcomeOf<Answer> outcome;
    const Stopwatch watch;
    subject.Run(c, outcome);
    seconds.push_back(watch.seconds());
    Reasons reasons;
    vmem::CompareAnswers(c.value, model, outcome.value, reasons);
    const bool compiled = outcome.value.status == vmem::Status::kAccepted || outcome.value.status == vmem::Status::kOverLimit ||
                          outcome.value.status == vmem::Status::kOverCapacity;
    answered += compiled;
    exact += compiled && model.exact();
    same += compiled && model.exact() && reasons.empty();
  }
  report.AtLeast(name, static_cast<double>(seconds.size()) / total.seconds(), "kernels/s", kernels_a_second);
  std::sort(seconds.begin(), seconds.end());
  report.Add("  a kernel, median", Median(seconds) * 1e3, "ms");
  report.Add("  a kernel, slowest", seconds.back() * 1e3, "ms");
  report.Add("  answered", static_cast<double>(answered), "kernels");
  report.Add("  where the model is exact", static_cast<double>(exact), "kernels");
  report.AtLeast("  of these, equal", exact == 0 ? 0 : 100.0 * static_cast<double>(same) / static_cast<double>(exact), "%", 99.5);
}

void BenchCompiler(BenchReport& report) {
  const auto pairs = SubjectTable::All().Find("libtpu:v5e", &VmemFamily());
  if (!pairs.ok()) return report.Skip(std::string(pairs.status().message()));
  auto loaded = SubjectTable::All().Load(pairs->front(), /*in_child=*/true);
  if (!loaded.ok()) return report.Skip(std::string(loaded.status().message()));
  Compile(*loaded->subject, ~uint64_t{0}, "kernels", 1.5, report);
  Compile(*loaded->subject, uint64_t{64} << 10, "kernels of blocks of at most 64 KiB", 5, report);
}

constexpr std::array kBenches = {
    BenchRow{"vmem-compile-libtpu", "random kernels by the TPU compiler, a second, and whether the model answers the same", &BenchCompiler},
    BenchRow{"vmem-model", "what kernels need of scoped VMEM, by the model and by its specification", &BenchModel},
};

}  // namespace

std::span<const BenchRow> VmemBenches() { return kBenches; }

}  // namespace oomph
