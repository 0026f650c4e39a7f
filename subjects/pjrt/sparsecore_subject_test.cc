// What comes back of a refusal and of a dump; and the TPU compiler against the model, where it was asked for.
#include "subjects/pjrt/sparsecore_subject.h"

#include <stdlib.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/base/choices.h"
#include "models/sparsecore/compare.h"
#include "models/sparsecore/family.h"
#include "models/sparsecore/generate.h"
#include "models/sparsecore/planner.h"
#include "models/sparsecore/promises.h"
#include "models/sparsecore/specification.h"
#include "models/sparsecore/text.h"
#include "subjects/pjrt/rows.h"

namespace oomph::pjrt {
namespace {

using sparsecore::Answer;
using sparsecore::Core;
using sparsecore::Program;
using sparsecore::Space;
using sparsecore::Status;

std::optional<uint64_t> Used(const Answer& answer, Space space) { return answer.high_water[static_cast<size_t>(space)]; }

TEST(SparseCoreMessage, RefusalsAreRead) {
  const Answer bound = AnswerOfSparseCoreMessage(
      "INTERNAL: Failed to run MLO pass pipeline.f.6:56:1: error: 'memref.alloca' op E3000: CompileTimeSparseCoreAllocationFailure: "
      "current allocation offset upper bound (80127 words) exceeds the legitimate user allocatable offset upper bound (65535 words) in "
      "memory space tile_spmem when allocating 40064 words\nf.6:56:1: note: see current operation: %49 = \"memref.alloca\"() "
      "<{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<313x128xf32, #sc_tpu.memory_space<tile_spmem>>\n");
  EXPECT_EQ(bound.status, Status::kOverBound) << bound.why;
  ASSERT_TRUE(bound.overrun);
  EXPECT_EQ(*bound.overrun, (sparsecore::Overrun{Space::kTileSpmem, 80127, 65535, 40064, sparsecore::kNoBuffer}));
  const auto status = [](const std::string& text) { return AnswerOfSparseCoreMessage(text).status; };
  EXPECT_EQ(status("INTERNAL: 'llvm.func' op Smem high-water mark exceeds memory capacity"), Status::kOverHighWater);
  EXPECT_EQ(status("INTERNAL: 'llvm.func' op SCS Smem usage (16289) exceeds the user allocatable high limit (16282)"),
            Status::kOverHighWater);
  EXPECT_EQ(status("RESOURCE_EXHAUSTED: Ran out of memory in memory space sparse_core_tile_sflag. Used 132B of 128B"),
            Status::kOverHighWater);
  EXPECT_EQ(status("INTERNAL: 'memref.alloca' op execute core allocation doesn't refer to a core or tile-view memory space: spmem"),
            Status::kNotHere);
  const Answer other = AnswerOfSparseCoreMessage("INTERNAL: something\nelse");
  EXPECT_EQ(other.status, Status::kDeclined);
  EXPECT_EQ(other.why, "INTERNAL: something else");
}

TEST(SparseCoreDump, UsedWordsStandInItsHead) {
  const std::string dump =
      "module attributes {sc.alloc_high_water_mark = #sc.alloc_high_water_mark<hbm_words=2048, tilespmem_words=2816, scs_smem_words=25, "
      "scs_sflag_words=12, tec_sflag_words=2>} {";
  Answer answer;
  ReadHighWater(dump, Core::kVector, answer);
  EXPECT_EQ(Used(answer, Space::kHbm), 2048u);
  EXPECT_EQ(Used(answer, Space::kTileSpmem), 2816u);
  EXPECT_EQ(Used(answer, Space::kSmemTile), 0u);  // left out: none
  EXPECT_EQ(Used(answer, Space::kSflagTile), 2u);
  EXPECT_EQ(Used(answer, Space::kSmemScs), 25u);
  EXPECT_EQ(Used(answer, Space::kSflagScs), 12u);
  EXPECT_EQ(Used(answer, Space::kSpmem), std::nullopt);
}

TEST(SparseCoreDump, DamageTellsNothing) {
  for (const char* text : {"", "alloc_high_water_mark<", "alloc_high_water_mark<hbm_words=", "alloc_high_water_mark<hbm_words=x>",
                           "alloc_high_water_mark<xhbm_words=7>", "alloc_high_water_mark<hbm_words=99999999999999999999999>"}) {
    Answer answer;
    ReadHighWater(text, Core::kScalar, answer);
    EXPECT_EQ(Used(answer, Space::kHbm), std::nullopt) << text;
  }
}

// ---- The TPU compiler's ----

#define OOMPH_START_SPARSECORES_OR_SKIP(subject, variant)                        \
  const SubjectRow row_of_##subject = LibtpuSparseCoreRow(SparseCoreFamily());   \
  if (!row_of_##subject.absent.empty()) GTEST_SKIP() << row_of_##subject.absent; \
  const auto owner_of_##subject = row_of_##subject.make(variant, true);          \
  ASSERT_TRUE(owner_of_##subject.ok()) << owner_of_##subject.status();           \
  Subject& subject = **owner_of_##subject

Answer Ask(Subject& subject, const std::string& text) {
  CaseOf<Program> c;
  EXPECT_TRUE(sparsecore::ParseProgram("test", text, c.value).ok()) << text;
  subject.Prepare(c);
  OutcomeOf<Answer> outcome;
  subject.Run(c, outcome);
  return outcome.value;
}

TEST(SlowLibtpuSparseCores, TheLastWordOfEachChip) {
  const SubjectRow row = LibtpuSparseCoreRow(SparseCoreFamily());
  EXPECT_THAT(row.variants, testing::UnorderedElementsAre("v6e", "v5p", "v7x"));
  for (const std::string& variant : row.variants) {
    SCOPED_TRACE(variant);
    OOMPH_START_SPARSECORES_OR_SKIP(subject, variant);
    const uint64_t words = variant == "v6e" ? 65536 : 131072;
    const auto scope = [](uint64_t n) { return "scope allocate a tile_spmem f32[" + std::to_string(n) + "] use a end work"; };
    const Answer fits = Ask(subject, scope(words)), misses = Ask(subject, scope(words + 1));
    EXPECT_EQ(fits.status, Status::kPlanned) << fits.why;
    EXPECT_EQ(Used(fits, Space::kTileSpmem), words);
    ASSERT_EQ(misses.status, Status::kOverBound) << misses.why;
    EXPECT_EQ(misses.overrun->bound, words + 127);
    EXPECT_EQ(misses.overrun->limit, words - 1);
    EXPECT_THAT(misses.message, testing::HasSubstr("E3000"));
  }
}

// A user's own words for the compiler are kept, and it still tells what is used.
TEST(SlowLibtpuSparseCores, KeepsAUsersWordsForTheCompiler) {
  ASSERT_EQ(setenv("LIBTPU_INIT_ARGS", "--no_such_flag_of_anybody=1", 1), 0);
  {
    const SubjectRow row = LibtpuSparseCoreRow(SparseCoreFamily());
    if (row.absent.empty()) {
      const auto subject = row.make("v6e", true);
      const bool refused = !subject.ok() || Ask(**subject, "work").status != Status::kPlanned;
      EXPECT_TRUE(refused) << "a flag that it does not know was not handed on";
    }
  }
  unsetenv("LIBTPU_INIT_ARGS");
}

TEST(SlowLibtpuSparseCores, EqualsModelAndSpecificationWhereRulesMeet) {
  OOMPH_START_SPARSECORES_OR_SKIP(subject, "v6e");
  for (const char* text : {
           "scope allocate a tile_spmem f32[40000] use a end scope allocate b tile_spmem f32[40000] use b end",
           "scope allocate a tile_spmem f32[9,128] use a end work",
           "scratch a tile_spmem f32[9,128] use a work",
           "sparsecore v6e tiling linear scratch a hbm f32[3] scratch b hbm f32[5,3] copy a copy b copy",
           "sparsecore v6e core scalar if scope allocate a spmem f32[1024] copy a end else scope allocate b spmem f32[2048] copy b end end",
           "while scope allocate a tile_spmem f32[40000] use a end scope allocate b tile_spmem f32[40000] use b end end",
           "scratch s sflag_tile s32[3] load s work",
       }) {
    CaseOf<Program> c;
    ASSERT_TRUE(sparsecore::ParseProgram("test", text, c.value).ok()) << text;
    subject.Prepare(c);
    Answer model, specified;
    sparsecore::RunModel(c.value, model);
    sparsecore::Specification().Run(c.value, specified);
    EXPECT_EQ(model, specified) << text;
    Reasons reasons;
    sparsecore::CompareAnswers(c.value, model, Ask(subject, text), reasons);
    for (const Reason& reason : reasons.list()) ADD_FAILURE() << text << ": " << reason.text;
  }
}

// Two minutes of fresh programs over all chips, so that the model cannot drift from the compiler unseen. OOMPH_SPARSECORE_SEED
// draws others, OOMPH_SPARSECORE_SECONDS more.
TEST(SlowLibtpuSparseCores, ASampleAgreesWithTheModel) {
  const SubjectRow row = LibtpuSparseCoreRow(SparseCoreFamily());
  if (!row.absent.empty()) GTEST_SKIP() << row.absent;
  const auto number = [](const char* name, uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
  };
  const uint64_t seed = number("OOMPH_SPARSECORE_SEED", 1);
  const auto share = std::chrono::milliseconds(number("OOMPH_SPARSECORE_SECONDS", 120) * 1000 / row.variants.size());
  size_t exact = 0, not_compiled = 0;
  for (size_t v = 0; v < row.variants.size(); ++v) {
    const auto subject = row.make(row.variants[v], true);
    ASSERT_TRUE(subject.ok()) << subject.status();
    GenerateOptions options;
    options.features = (*subject)->info().Drawn() & ~sparsecore::feature::Bit(sparsecore::feature::kLarge);
    const auto end = std::chrono::steady_clock::now() + share;
    for (uint64_t i = 0; std::chrono::steady_clock::now() < end; ++i) {
      CaseOf<Program> c;
      Choices choices = Choices::FromSeed(MixSeed(seed * 16 + v, i), true);
      sparsecore::GenerateProgram(choices, options, c.value);
      (*subject)->Prepare(c);
      OutcomeOf<Answer> outcome;
      (*subject)->Run(c, outcome);
      Answer model;
      sparsecore::RunModel(c.value, model);
      Reasons reasons;
      sparsecore::CompareAnswers(c.value, model, outcome.value, reasons);
      for (const Reason& reason : reasons.list()) {
        EXPECT_EQ(reason.oracle, kIncomparable) << row.variants[v] << ": " << reason.text << "\n" << sparsecore::PrintProgram(c.value);
      }
      ++(outcome.value.status == Status::kDeclined ? not_compiled : exact);
    }
  }
  RecordProperty("exact", static_cast<int>(exact));
  std::cout << exact << " exact, " << not_compiled << " not compiled\n";
  EXPECT_GE(static_cast<double>(exact), 0.95 * static_cast<double>(exact + not_compiled));
}

}  // namespace
}  // namespace oomph::pjrt
