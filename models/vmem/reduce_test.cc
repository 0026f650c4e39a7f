// The lists of edits of kernels: every edit and every choice of them gives a simpler kernel, by the measure of reduce.h, that
// needs no feature more. Not for: which are made (see fuzz/minimize).
#include "models/vmem/reduce.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "models/base/choices.h"
#include "models/base/family.h"
#include "models/vmem/compilable.h"
#include "models/vmem/generate.h"
#include "models/vmem/text.h"

namespace oomph::vmem {
namespace {

using Wide = unsigned __int128;

Wide TypeFigure(Type type) { return type == Type::kF32 ? 0 : type == Type::kBf16 || type == Type::kS8 || type == Type::kS4 || type == Type::kS2 ? 1 : 2; }

// The figures of reduce.h, in their order.
std::vector<Wide> MeasureOf(const Kernel& k) {
  Wide buffers = k.inputs.size() + k.outputs.size() + k.scratch.size() + k.scoped.size() + k.prefetched.size();
  Wide features = k.option_kib.has_value() + k.limit_bytes.has_value() + (k.internal_bytes != 0) + (k.body != Body::kCopies);
  Wide dimensions = k.grid.size(), terms = 0, types = 0, numbers = k.internal_bytes, arrays = 0, kinds = 0;
  for (const GridDimension& d : k.grid) features += static_cast<Wide>(d.dynamic) + static_cast<Wide>(d.semantics), numbers += d.size;
  const auto operands = [&](const std::vector<Operand>& list) {
    for (const Operand& o : list) {
      features += (o.buffers != 0) + o.in_vmem + o.fused + (o.space != Space::kVmem);
      for (const BlockDimension& d : o.block) features += d.kind != BlockKind::kBlocked, numbers += d.size;
      for (const Place& place : o.map) {
        terms += place.size();
        for (const Term& term : place) kinds += term.kind > TermKind::kTimes, numbers += term.amount;
      }
      dimensions += o.array.size() + o.block.size();
      types += TypeFigure(o.type);
      for (const uint64_t n : o.array) arrays += n;
    }
  };
  operands(k.inputs), operands(k.outputs);
  const auto buffer = [&](const Buffer& b) {
    dimensions += b.shape.size(), types += TypeFigure(b.type);
    for (const uint64_t n : b.shape) numbers += n;
  };
  for (const Buffer& b : k.scratch) buffer(b);
  for (const Buffer& b : k.prefetched) buffer(b);
  for (const ScopedBuffer& s : k.scoped) buffer(s.buffer);
  const auto limit = [](const std::optional<int64_t>& n) { return static_cast<Wide>(std::max<int64_t>(n.value_or(0), 0)); };
  return {buffers, features, dimensions + terms, types + kinds, numbers, arrays, limit(k.option_kib) + limit(k.limit_bytes)};
}

size_t Check(const Edits& edits, const std::vector<uint64_t>& amounts, const Kernel& base, std::string_view name) {
  CaseOf<Kernel> into;
  if (!edits.Apply(amounts, into)) return 0;
  EXPECT_LT(MeasureOf(into.value), MeasureOf(base)) << name << "\n" << PrintKernel(base) << "to\n" << PrintKernel(into.value);
  EXPECT_EQ(FeaturesOf(into.value) & ~FeaturesOf(base), 0u) << name << "\n" << PrintKernel(base) << "to\n" << PrintKernel(into.value);
  return 1;
}

TEST(KernelReductions, EveryEditMakesItSimpler) {
  std::vector<size_t> made(KernelReductions().size());
  for (uint64_t seed = 0; seed < 1'500; ++seed) {
    Choices choices = Choices::FromSeed(seed, seed % 2 == 1);
    Kernel base;
    GenerateKernel(choices, {}, base);
    for (size_t r = 0; r < KernelReductions().size(); ++r) {
      const auto edits = KernelEditsOf(r, base);
      if (edits == nullptr) continue;
      const std::vector<uint64_t>& most = edits->most();
      for (const uint64_t amount : most) EXPECT_GT(amount, 0u);
      std::vector<uint64_t> amounts(most.size());
      EXPECT_EQ(Check(*edits, amounts, base, KernelReductions()[r].name), 0u);  // nothing is no edit
      for (size_t i = 0; i < most.size(); ++i) {
        std::fill(amounts.begin(), amounts.end(), 0);
        amounts[i] = choices.Chance(1, 2) ? most[i] : 1 + choices.Below(most[i]);
        made[r] += Check(*edits, amounts, base, KernelReductions()[r].name);
      }
      for (int some = 0; some < 3; ++some) {
        for (size_t i = 0; i < most.size(); ++i) amounts[i] = choices.Below(2) == 0 ? 0 : 1 + choices.Below(most[i]);
        made[r] += Check(*edits, amounts, base, KernelReductions()[r].name);
      }
      made[r] += Check(*edits, most, base, KernelReductions()[r].name);
    }
  }
  for (size_t r = 0; r < made.size(); ++r) EXPECT_GT(made[r], 0u) << KernelReductions()[r].name;
}

TEST(KernelReductions, FingerprintsAreOfWhatIsSaid) {
  std::set<Fingerprint> prints;
  std::set<std::string> texts;
  for (uint64_t seed = 0; seed < 5'000; ++seed) {
    Choices choices = Choices::FromSeed(seed, false);
    Kernel kernel;
    GenerateKernel(choices, {}, kernel);
    prints.insert(FingerprintOfKernel(kernel));
    texts.insert(PrintKernel(kernel));
  }
  EXPECT_EQ(prints.size(), texts.size());
}

TEST(KernelReductions, WhatGoesTakesItsBytesFromTheLimit) {
  Kernel base;
  ASSERT_TRUE(ParseKernel("k", "kernel v5e limit 8191\ngrid(2)\nin f32[600000,128]/8x128@(i,0)\nout f32[600000,128]/8x128@(i,0)\n"
                               "scratch f32[8,128]\n", base).ok());
  for (size_t r = 0; r < KernelReductions().size(); ++r) {
    if (KernelReductions()[r].name != "drop_with_limit") continue;
    const auto edits = KernelEditsOf(r, base);
    ASSERT_NE(edits, nullptr);
    CaseOf<Kernel> into;
    std::vector<uint64_t> amounts(edits->most().size());
    amounts[0] = 1;  // the scratch
    ASSERT_TRUE(edits->Apply(amounts, into));
    EXPECT_TRUE(into.value.scratch.empty());
    EXPECT_EQ(into.value.limit_bytes, 8191 - 4096);
  }
}

}  // namespace
}  // namespace oomph::vmem
