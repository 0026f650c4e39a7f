// Scoped VMEM against the other models (relations 1, 7 and 16 of the design) and against its own specification: scoped buffers
// are nested lifetimes; padded bytes are those of tiled HLO layouts, but for known differences; a sweep of limits ends at the
// need. Each has a planted fault that it sees and no oracle does.
// Does not cover: SparseCore forms; relations 14 and 15, which every campaign asks (models/vmem/relations.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "models/base/units.h"
#include "models/hbm/family.h"
#include "models/hlo/bytes.h"
#include "models/hlo/text.h"
#include "models/placement/bounds.h"
#include "models/placement/planner.h"
#include "models/placement/witness.h"
#include "models/vmem/allocator.h"
#include "models/vmem/family.h"
#include "models/vmem/generate.h"
#include "models/vmem/kernel_testing.h"
#include "models/vmem/oracles.h"
#include "models/vmem/promises.h"
#include "models/vmem/specification.h"
#include "props/engine.h"
#include "props/hbm_claims.h"

namespace oomph::vmem {
namespace {

constexpr uint64_t kLarge = uint64_t{1} << 40;

const Kernel& In(const Case& c) { return static_cast<const CaseOf<Kernel>&>(c).value; }

Answer Ask(Subject& subject, const Kernel& kernel) {
  OutcomeOf<Answer> outcome;
  subject.Run(CaseOf<Kernel>(kernel), outcome);
  return outcome.value;
}

using Claim = std::string (*)(const Kernel& kernel, Subject& subject);

// It holds of the model, and not of a fault that no oracle sees.
void CheckClaim(std::string_view name, Claim claim, std::string_view fault) {
  const Family& family = VmemFamily();
  CheckParams params;
  params.cases = 3000;
  params.subject = "model";
  const auto of = [claim](Subject& subject) { return [claim, &subject](const Case& c) { return claim(In(c), subject); }; };
  const auto model = SubjectNamed(family, "model"), planted = SubjectNamed(family, absl::StrCat("fault:", std::string(fault)));
  CheckCases(family, name, params, of(*model));
  const auto found = FindCounterexample(family, absl::StrCat("planted_", std::string(name)), params, of(*planted));
  ASSERT_NE(found, nullptr) << name << " does not see " << fault;
  std::filesystem::remove(found->file);
  const auto oracles = FindCounterexample(family, "planted_oracles", params, [&](const Case& c) {
    Reasons reasons;
    JudgeAnswer(In(c), Ask(*planted, In(c)), promise::kAll, reasons);
    return reasons.empty() ? std::string() : reasons.list()[0].text;
  });
  if (oracles != nullptr) ADD_FAILURE() << "an oracle sees " << fault << " as well: " << oracles->text;
}

// ---- 1: nested lifetimes ----

// What one scoped buffer takes alone.
uint64_t BytesAlone(const ScopedBuffer& scoped, Subject& subject) {
  Kernel alone;
  alone.scoped = {{scoped.buffer, 0}};
  return Ask(subject, alone).used.value_or(0);
}

std::string ScopedBuffersAreNestedLifetimes(const Kernel& kernel, Subject& subject) {
  placement::Problem problem;
  hbm::Trace trace;
  trace.policy.capacity = kLarge, trace.policy.granule = 1024, trace.policy.fit = hbm::Fit::kFirst, trace.policy.ends = hbm::Ends::kLow;
  std::vector<uint32_t> open;
  int64_t now = 0;
  const auto close = [&] {
    problem.buffers[open.back()].end = ++now;
    trace.steps.push_back({.kind = hbm::StepKind::kFree, .name = open.back()});
    open.pop_back();
  };
  for (size_t i = 0; i < kernel.scoped.size(); ++i) {
    while (!open.empty() && kernel.scoped[open.back()].depth >= kernel.scoped[i].depth) close();
    placement::Buffer& buffer = problem.buffers.emplace_back();
    buffer.size = BytesAlone(kernel.scoped[i], subject);
    if (buffer.size == 0 || buffer.size >= kLarge / 64) return "";
    buffer.start = ++now;
    trace.steps.push_back({.kind = hbm::StepKind::kAllocate, .name = static_cast<uint32_t>(i), .size = buffer.size});
    open.push_back(static_cast<uint32_t>(i));
  }
  while (!open.empty()) close();
  Kernel stack;
  stack.scoped = kernel.scoped;
  const uint64_t needed = Ask(subject, stack).used.value_or(0), live = LiveBytesBound(problem).peak;
  if (needed != live) return absl::StrCat("the stack takes ", needed, ", where ", live, " are live");
  const hbm::TraceOutcome outcome = hbm::Model()(trace);
  uint64_t online = 0;
  for (const hbm::Row& row : outcome.rows) {
    if (row.result == hbm::Result::kOk) online = std::max(online, row.offset + row.reserved);
  }
  if (online != needed) return absl::StrCat("a heap needs ", online, ", the stack ", needed);
  for (const placement::Planner planner : {placement::Planner::kByStart, placement::Planner::kBranchAndBound}) {
    placement::Plan plan;
    placement::RunModel(problem, {.planner = planner}, plan);
    const uint64_t peak = PeakOf(problem, plan).value_or(0);
    if (!plan.budget_spent && peak != needed) return absl::StrCat("a planner needs ", peak, ", the stack ", needed);
  }
  return "";
}

TEST(VmemForms, ScopedBuffersAreNestedLifetimes) {
  CheckClaim("scoped_buffers_are_nested_lifetimes", ScopedBuffersAreNestedLifetimes, "siblings_add");
}

// ---- 7: padded bytes ----

// The tiled layout in HLO: "f32[9,128]{1,0:T(8,128)}", "bf16[2,128]{1,0:T(2,128)(2,1)}", "s8[5]{0:T(512)}".
uint64_t TiledBytes(Type type, const std::vector<uint64_t>& shape) {
  const Type stored = type == Type::kPred ? Type::kS32 : type;  // a truth value is a mask of 32 bits
  const uint64_t packing = 32 / hlo::RowOf(stored).bits;
  std::string order, tiles;
  for (size_t d = shape.size(); d-- > 0;) absl::StrAppend(&order, d + 1 == shape.size() ? "" : ",", d);
  if (shape.size() < 2) {
    tiles = absl::StrCat("T(", 128 * packing, ")");
  } else {
    uint64_t rows = packing;  // of 1, 2, 4 or 8: the least that holds all, at least one word
    for (const uint64_t more : {2, 4, 8}) {
      if (rows < more && shape[shape.size() - 2] > more / 2) rows = more;
    }
    tiles = absl::StrCat("T(", rows, ",128)");
    if (packing > 1) absl::StrAppend(&tiles, "(", packing, ",1)");
  }
  // In a tile types of 4 bits and less are packed only where the layout says so.
  if (hlo::RowOf(stored).bits < 8) absl::StrAppend(&tiles, "E(", hlo::RowOf(stored).bits, ")");
  hlo::ShapeTable shapes;
  const std::string text = absl::StrCat(std::string(hlo::RowOf(stored).name), "[", absl::StrJoin(shape, ","), "]{", order, ":", tiles, "}");
  const absl::StatusOr<hlo::ShapeId> id = hlo::ParseShape(text, shapes);
  if (!id.ok()) return 0;
  return hlo::PaddedBytes(shapes, *id).value_or(0);
}

bool IsModest(Type type, const std::vector<uint64_t>& shape) {
  uint64_t elements = 1;
  for (const uint64_t n : shape) elements = SaturatingMul(elements, n);
  return !shape.empty() && elements > 0 && elements < kLarge && hlo::RowOf(type).bits > 0 && hlo::RowOf(type).bits <= 32;
}

std::string PaddedBytesAreThoseOfTiles(const Kernel& kernel, Subject& subject) {
  const Answer answer = Ask(subject, kernel);
  for (const PartBytes& part : answer.parts) {
    std::vector<uint64_t> shape;
    Type type = Type::kF32;
    if (part.part == Part::kStack) continue;
    if (part.part == Part::kScratch) {
      type = kernel.scratch[part.index].type, shape = kernel.scratch[part.index].shape;
    } else {
      const Operand& operand = (part.part == Part::kInput ? kernel.inputs : kernel.outputs)[part.index];
      type = operand.type, shape = operand.array;
      if (!operand.block.empty()) shape.clear();
      for (const BlockDimension& d : operand.block) shape.push_back(d.kind == BlockKind::kSqueezed ? 1 : d.size);
    }
    if (!IsModest(type, shape)) continue;
    uint64_t tiled = TiledBytes(type, shape);
    // Scratch of less than 8 bits takes a byte for each element.
    if (part.part == Part::kScratch && hlo::RowOf(type).bits < 8 && type != Type::kPred) tiled = tiled * 8 / hlo::RowOf(type).bits;
    if (tiled == part.padded) continue;
    return absl::StrCat(std::string(hlo::RowOf(type).name), "[", absl::StrJoin(shape, ","), "]: ", part.padded, " bytes, in tiles of HLO ", tiled);
  }
  return "";
}

TEST(VmemForms, PaddedBytesAreThoseOfTiles) {
  CheckClaim("padded_bytes_are_those_of_tiles", PaddedBytesAreThoseOfTiles, "tiles_of_eight_rows");
}

// ---- 16: sweeps of limits ----

// Over all limits where a verdict can turn: refused below the need, accepted from it on, printed sizes that never fall.
std::string ASweepEndsAtTheNeed(const Kernel& kernel, Subject& subject) {
  Kernel swept = kernel;
  const Answer first = Ask(subject, kernel);
  if (!first.used || *first.used == 0 || *first.used >= RowOf(kernel.target).usable) return "";
  uint64_t printed = 0;
  for (const uint64_t limit : {*first.used / 4, *first.used / 2, *first.used - 1, *first.used, *first.used + 1}) {
    swept.limit_bytes = static_cast<int64_t>(limit);
    const Answer answer = Ask(subject, swept);
    if (answer.status == Status::kDeclined) return "";
    const bool fits = limit >= *first.used;
    if ((answer.status == Status::kAccepted) != fits) return absl::StrCat("a limit of ", limit, " decides otherwise");
    if (fits) continue;
    if (!answer.printed_size || answer.printed_size->lowest < printed) return absl::StrCat("at a limit of ", limit, " a lower size is printed");
    printed = answer.printed_size->lowest;
  }
  if (printed != *first.used) return absl::StrCat("the last step prints ", printed, ", the need is ", *first.used);
  return "";
}

TEST(VmemForms, ASweepEndsAtTheNeed) { CheckClaim("a_sweep_ends_at_the_need", ASweepEndsAtTheNeed, "prints_less_when_near"); }

// ---- The two models ----

void CheckModels(uint64_t kernels, uint64_t seed) {
  const Specification specification;
  AnyKernel any(seed);
  Answer expected, answer;
  Kernel drawn;
  for (uint64_t i = 0; i < kernels; ++i) {
    if (i % 2 == 0) {
      drawn = any();
    } else {
      Choices choices = Choices::FromSeed(MixSeed(seed, i), i % 4 == 1);
      GenerateKernel(choices, {}, drawn);
    }
    specification.Run(drawn, expected);
    RunModel(drawn, answer);
    const Need need = NeedOf(drawn);
    ASSERT_TRUE(answer == expected && need.total == *expected.used && need.at_least == expected.at_least && need.at_most == expected.at_most)
        << i << "\n" << VmemFamily().Print(CaseOf<Kernel>(drawn));
  }
}

TEST(VmemModels, AreEqual) { CheckModels(100'000, 3); }
TEST(SlowVmemModels, AreEqualOn2MillionKernels) { CheckModels(2'000'000, 4); }

}  // namespace
}  // namespace oomph::vmem
