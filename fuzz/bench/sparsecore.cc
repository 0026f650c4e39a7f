// See sparsecore.h.
#include "fuzz/bench/sparsecore.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <tuple>
#include <vector>

#include "fuzz/bench/load.h"
#include "fuzz/subject_table.h"
#include "models/base/choices.h"
#include "models/sparsecore/compare.h"
#include "models/sparsecore/family.h"
#include "models/sparsecore/generate.h"
#include "models/sparsecore/planner.h"
#include "models/sparsecore/promises.h"
#include "models/sparsecore/specification.h"
#include "models/sparsecore/text.h"

namespace oomph {
namespace {

using sparsecore::Answer;
using sparsecore::Kind;
using sparsecore::Program;
using sparsecore::Space;

constexpr size_t kPrograms = 100;  // as many as a cache holds, so that the model is timed and not the memory
constexpr uint32_t kAllocations = 20;
constexpr size_t kCompiledPrograms = 200;

// Adds a buffer, allocated and used here.
void Allocate(Choices& choices, Kind kind, Program& program) {
  constexpr hlo::Type kTypes[] = {hlo::Type::kF32, hlo::Type::kBf16, hlo::Type::kS8};
  const uint32_t number = static_cast<uint32_t>(program.buffers.size());
  sparsecore::Buffer buffer;
  buffer.name = "b" + std::to_string(number);
  buffer.type = kTypes[choices.Below(3)];
  for (uint64_t rank = choices.Between(1, 3); rank > 0; --rank) {
    buffer.shape.push_back(choices.Between(1, rank == 1 ? 300 : 5));
  }
  program.buffers.push_back(std::move(buffer));
  program.statements.push_back({kind, number, 0});
  program.statements.push_back({Kind::kUse, number, 0});
}

// 20 allocations: a fifth kernel-level, the rest in scopes, loops and branches.
Program MakeProgram(Choices& choices) {
  constexpr Kind kRegions[] = {Kind::kScope, Kind::kScope, Kind::kFor, Kind::kIf, Kind::kWhile};
  Program program;
  for (uint32_t i = 0; i < kAllocations / 5; ++i) Allocate(choices, Kind::kScratch, program);
  uint32_t depth = 0;
  while (program.buffers.size() < kAllocations) {
    const uint64_t draw = choices.Below(4);
    if (draw == 0 && depth > 0) {
      program.statements.push_back({Kind::kEnd, sparsecore::kNoBuffer, 0});
      --depth;
    } else if (draw == 1 && depth < 6) {
      program.statements.push_back({kRegions[choices.Below(std::size(kRegions))], sparsecore::kNoBuffer, 7});
      ++depth;
    } else {
      Allocate(choices, Kind::kAllocate, program);
    }
  }
  sparsecore::Normalize(program);
  return program;
}

std::vector<Program> MakePrograms() {
  std::vector<Program> programs;
  for (size_t i = 0; i < kPrograms; ++i) {
    Choices choices = Choices::FromSeed(MixSeed(10, i), true);
    programs.push_back(MakeProgram(choices));
  }
  return programs;
}

// Rounds over the programs a second of this thread, times their number.
template <typename Run>
double ProgramsPerSecond(const std::vector<Program>& programs, double seconds, Run run) {
  const CpuStopwatch watch;
  double done = 0;
  do {
    for (const Program& program : programs) run(program);
    done += static_cast<double>(programs.size());
  } while (watch.seconds() < seconds);
  return done / watch.seconds();
}

void Differs(const Program& program) {
  std::fprintf(stderr, "the model answers other than its specification\n%s", sparsecore::PrintProgram(program).c_str());
  std::abort();
}

void BenchModel(BenchReport& report) {
  const std::vector<Program> programs = MakePrograms();
  sparsecore::Planner planner;
  const sparsecore::Specification specification;
  Answer answer, specified;
  size_t statements = 0, planned = 0;
  for (const Program& program : programs) {
    statements += program.statements.size();
    sparsecore::RunModel(program, answer);
    specification.Run(program, specified);
    if (answer != specified) Differs(program);
    planned += answer.status == sparsecore::Status::kPlanned;
  }
  uint64_t sum = 0;
  report.AtLeast("programs of 20 allocations",
                 ProgramsPerSecond(programs, report.seconds() / 2,
                                   [&](const Program& program) {
                                     planner.Plan(program, answer);
                                     sum += static_cast<uint64_t>(answer.status);
                                   }),
                 "programs/s", 1'000'000);
  report.Add("  statements of a program", static_cast<double>(statements) / static_cast<double>(programs.size()), "");
  report.Add("  that fit", 100.0 * static_cast<double>(planned) / static_cast<double>(programs.size()), "%");
  report.Add("whole answers, with places and message",
             ProgramsPerSecond(programs, report.seconds() / 4,
                               [&](const Program& program) {
                                 sparsecore::RunModel(program, answer);
                                 sum += answer.placed.size();
                               }),
             "programs/s");
  report.Add("answers of the specification",
             ProgramsPerSecond(programs, report.seconds() / 4,
                               [&](const Program& program) {
                                 specification.Run(program, specified);
                                 sum += specified.placed.size();
                               }),
             "programs/s");
  if (sum == 0) Differs(programs[0]);
}

// A program with one allocation in each of so many regions, in one another or one after the other.
Program Regions(size_t count, bool nested) {
  Program program;
  for (uint32_t i = 0; i < count; ++i) {
    program.buffers.push_back({"b" + std::to_string(i), Space::kTileSpmem, hlo::Type::kF32, {8}, {}, "", ""});
    program.statements.push_back({Kind::kScope, sparsecore::kNoBuffer, 0});
    program.statements.push_back({Kind::kAllocate, i, 0});
    program.statements.push_back({Kind::kUse, i, 0});
    if (!nested) program.statements.push_back({Kind::kEnd, sparsecore::kNoBuffer, 0});
  }
  program.limits.push_back({Space::kTileSpmem, 0, uint64_t{1} << 40});
  return program;
}

void BenchLarge(BenchReport& report) {
  sparsecore::Planner planner;
  Answer answer;
  using Row = std::tuple<size_t, bool, const char*>;
  for (const auto& [count, nested, name] : {Row{100'000, false, "100,000 scopes, one after the other"},
                                            Row{10'000, true, "10,000 scopes in one another"},
                                            Row{1'000'000, true, "1,000,000 scopes in one another"}}) {
    const Program program = Regions(count, nested);
    const CpuStopwatch watch;
    planner.Plan(program, answer);
    report.AtMost(name, watch.seconds() * 1e3, "ms", 1000);
  }
}

// Random programs of one chip as campaigns draw them, with the comparison.
void BenchCompiler(BenchReport& report) {
  const auto pairs = SubjectTable::All().Find("libtpu:v6e", &SparseCoreFamily());
  if (!pairs.ok()) return report.Skip(std::string(pairs.status().message()));
  auto loaded = SubjectTable::All().Load(pairs->front(), /*in_child=*/true);
  if (!loaded.ok()) return report.Skip(std::string(loaded.status().message()));
  Subject& subject = *loaded->subject;
  GenerateOptions options;
  options.features = subject.info().Drawn() & ~sparsecore::feature::Bit(sparsecore::feature::kLarge);
  std::vector<double> seconds;
  size_t answered = 0, same = 0;
  const Stopwatch total;
  for (uint64_t seed = 1; seconds.size() < kCompiledPrograms; ++seed) {
    CaseOf<Program> c;
    Choices choices = Choices::FromSeed(MixSeed(11, seed), true);
    sparsecore::GenerateProgram(choices, options, c.value);
    subject.Prepare(c);
    Answer model;
    sparsecore::RunModel(c.value, model);
    OutcomeOf<Answer> outcome;
    const Stopwatch watch;
    subject.Run(c, outcome);
    seconds.push_back(watch.seconds());
    Reasons reasons;
    sparsecore::CompareAnswers(c.value, model, outcome.value, reasons);
    const bool compiled = outcome.value.status != sparsecore::Status::kDeclined;
    answered += compiled;
    same += compiled && reasons.empty();
  }
  report.AtLeast("programs", static_cast<double>(seconds.size()) / total.seconds(), "programs/s", 5);
  std::sort(seconds.begin(), seconds.end());
  report.Add("  a program, median", Median(seconds) * 1e3, "ms");
  report.Add("  a program, slowest", seconds.back() * 1e3, "ms");
  report.Add("  answered", static_cast<double>(answered), "programs");
  report.AtLeast("  of these, equal", answered == 0 ? 0 : 100.0 * static_cast<double>(same) / static_cast<double>(answered), "%", 100);
}

constexpr std::array kBenches = {
    BenchRow{"sparsecore-compile-libtpu", "random programs by the TPU compiler, a second, and whether the model answers the same",
             &BenchCompiler},
    BenchRow{"sparsecore-large", "programs of many allocations and of many nested scopes, by the model", &BenchLarge},
    BenchRow{"sparsecore-model", "programs of 20 allocations planned, by the model and by its specification", &BenchModel},
};

}  // namespace

std::span<const BenchRow> SparseCoreBenches() { return kBenches; }

}  // namespace oomph
