// See vmem.h.
#include "fuzz/bench/vmem.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "fuzz/bench/load.h"
#include "models/vmem/allocator.h"
#include "models/vmem/generate.h"
#include "models/vmem/specification.h"
#include "models/vmem/text.h"

namespace oomph {
namespace {

using vmem::Answer;
using vmem::Kernel;

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

constexpr std::array kBenches = {
    BenchRow{"vmem-model", "what kernels need of scoped VMEM, by the model and by its specification", &BenchModel},
};

}  // namespace

std::span<const BenchRow> VmemBenches() { return kBenches; }

}  // namespace oomph
