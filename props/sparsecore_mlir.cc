// SparseCore programs as MLIR: what is printed is read back to a program that is planned the same, by our reader from our form and
// from the one that mlir-opt prints of it. Does not cover: dumps of the compiler (models/sparsecore/mlir_test.cc).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "fuzz/testing/scratch_folder.h"
#include "models/base/words.h"
#include "models/mlir/read.h"
#include "models/sparsecore/answer_text.h"
#include "models/sparsecore/generate.h"
#include "models/sparsecore/mlir.h"
#include "models/sparsecore/planner.h"
#include "models/sparsecore/promises.h"
#include "models/sparsecore/text.h"
#include "models/sparsecore/words.h"

namespace oomph::sparsecore {
namespace {

// Whose buffers and physical sizes MLIR can write: a size is a positive number of 63 bits there.
bool CanBeWritten(const Program& program) {
  return std::all_of(program.buffers.begin(), program.buffers.end(), [&](const Buffer& buffer) {
    const std::vector<uint64_t> shape = PhysicalShape(program, buffer, true);
    return std::all_of(shape.begin(), shape.end(), [](uint64_t size) { return size <= static_cast<uint64_t>(INT64_MAX); });
  });
}

Program Drawn(uint64_t seed) {
  GenerateOptions options;
  options.features = ~Bits64{0};
  Program program;
  Choices choices = Choices::FromSeed(seed, true);
  GenerateProgram(choices, options, program);
  Normalize(program);
  return program;
}

// What is planned: without names and places, which the text has of its own.
std::string Planned(const Program& program, bool whole) {
  Answer answer;
  RunModel(program, answer);
  answer.message.clear();
  answer.why.clear();
  return whole || answer.status == Status::kPlanned ? Summary(answer) : std::string(StatusWord(static_cast<int>(answer.status)));
}

std::string FirstOf(std::string_view text, Program& into) {
  const absl::Status status = ReadFirstProgram("p.mlir", text, Target::kV5p, into);
  return status.ok() ? "" : std::string(status.message());
}

bool PlansNothing(const Program& program) {
  Answer answer;
  RunModel(program, answer);
  return answer.placed.empty() && answer.status == Status::kPlanned;
}

// `whole`: which one does not fit, too, where one does not.
void ExpectSamePlan(const Program& program, std::string_view text, bool whole = true) {
  if (program.buffers.empty()) return;
  Program back;
  const std::string error = FirstOf(text, back);
  if (error.find("it allocates nothing") != error.npos && PlansNothing(program)) return;  // loops of no trips are gone
  if (!error.empty()) {
    ADD_FAILURE() << error << "\n" << PrintProgram(program) << text;
    return;
  }
  const std::string planned = Planned(program, whole), again = Planned(back, whole);
  if (planned != again) ADD_FAILURE() << planned << "\nand read back\n" << again << "\n" << PrintProgram(program) << text;
}

TEST(SparseCoreMlirProps, PrintedProgramsArePlannedTheSame) {
  size_t asked = 0;
  for (uint64_t seed = 0; seed < 20'000 && !testing::Test::HasFailure(); ++seed) {
    const Program program = Drawn(seed);
    if (!CanBeWritten(program)) continue;
    ++asked;
    ExpectSamePlan(program, PrintMlir(program));
  }
  EXPECT_GT(asked, 15'000u);
}

// The parts of what mlir-opt prints of an input that is split.
std::vector<std::string> Split(const std::string& text) {
  constexpr std::string_view kBetween = "// -----";
  std::vector<std::string> parts;
  for (size_t at = 0; at != std::string::npos;) {
    const size_t end = text.find(kBetween, at);
    parts.push_back(text.substr(at, end == std::string::npos ? end : end - at));
    at = end == std::string::npos ? end : end + kBetween.size();
  }
  return parts;
}

constexpr const char* kMlirOpt = "/usr/bin/mlir-opt-19";

// For open-source MLIR's canonicalization, which does more than the compiler's: it dissolves a scope that is the last of a scope
// or loop, so each has an operation behind it here; and it hoists out of a branch that is the last of a loop of
// one trip before that folds away, so there is none. What is only loaded goes away there only where it knows the operation.
void Adapt(Program& program) {
  std::erase_if(program.statements, [](const Statement& s) { return s.kind == Kind::kLoad; });
  const std::vector<Statement> all = std::exchange(program.statements, {});
  std::vector<Kind> open;
  for (size_t i = 0; i < all.size(); ++i) {
    bool is_scope = all[i].kind == Kind::kCopy;
    program.statements.push_back(all[i]);
    if (all[i].kind == Kind::kFor && all[i].trips == 1) program.statements.back().trips = 2;
    if (Opens(all[i].kind)) open.push_back(all[i].kind);
    if (all[i].kind == Kind::kEnd && !open.empty()) {
      is_scope = open.back() == Kind::kScope;
      open.pop_back();
    }
    const bool in_frame = open.empty() ? program.core == Core::kScalar : open.back() == Kind::kScope || open.back() == Kind::kFor;
    if (is_scope && in_frame) program.statements.push_back({Kind::kWork, kNoBuffer, 0});
  }
}

// What mlir-opt makes of programs, which must be planned as they are.
void CheckMlirOpt(std::string_view options, uint64_t seeds, bool adapt) {
  if (!std::filesystem::exists(kMlirOpt)) GTEST_SKIP() << kMlirOpt << " is not there: scripts/setup --checks";
  const ScratchFolder folder;
  const std::string in = folder.path() + "/in.mlir", out = folder.path() + "/out.mlir", errors = folder.path() + "/errors";
  constexpr uint64_t kRounds = 40, kInRound = 100;
  for (uint64_t round = 0; round < kRounds && !testing::Test::HasFailure(); ++round) {
    std::vector<Program> programs;
    std::vector<std::string> texts;
    for (uint64_t seed = 0; seed < kInRound; ++seed) {
      Program drawn = Drawn(MixSeed(seeds, round * kInRound + seed));
      if (adapt) Adapt(drawn);
      if (!CanBeWritten(drawn)) continue;
      texts.push_back(PrintMlir(drawn));
      programs.push_back(std::move(drawn));
    }
    std::ofstream(in) << absl::StrJoin(texts, "// -----\n");
    const std::string command = absl::StrCat(kMlirOpt, " --allow-unregistered-dialect --split-input-file ", std::string(options), " ", in, " -o ",
                                             out, " 2>", errors);
    const int code = std::system(command.c_str());
    std::ifstream said(errors), printed(out);
    if (code != 0) {
      ADD_FAILURE() << std::string(std::istreambuf_iterator<char>(said), {}).substr(0, 2000);
      return;
    }
    const std::vector<std::string> parts = Split(std::string(std::istreambuf_iterator<char>(printed), {}));
    ASSERT_EQ(parts.size(), programs.size());
    for (size_t i = 0; i < parts.size(); ++i) ExpectSamePlan(programs[i], parts[i], /*whole=*/!adapt);
  }
}

TEST(SlowSparseCoreMlir, MlirOptReadsWhatIsPrinted) { CheckMlirOpt("", 23, /*adapt=*/false); }

// Open-source MLIR takes away what is not used and hoists scopes itself: then nothing is left for the model to do, and the plan is
// the same. In which order it hoists is another matter: mlir-opt's order is not the compiler's, so which one is the first that does
// not fit is not asked.
TEST(SlowSparseCoreMlir, MlirOptHoistsTheSame) { CheckMlirOpt("--canonicalize", 29, /*adapt=*/true); }

}  // namespace
}  // namespace oomph::sparsecore
