// Tests of the table of chips: that its figures agree with each other and that names are found. They cannot
// say whether a figure is true.

#include "models/base/chips.h"

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "gtest/gtest.h"
#include "models/base/units.h"

namespace oomph {
namespace {

const Chip& Named(std::string_view name) {
  const Chip* chip = FindChip(name);
  EXPECT_NE(chip, nullptr) << name;
  return chip == nullptr ? Chips().front() : *chip;
}

TEST(Chips, EveryNameOfEveryRowFindsThatRow) {
  std::set<std::string_view> names;
  for (const Chip& chip : Chips()) {
    EXPECT_EQ(FindChip(chip.name), &chip);
    EXPECT_TRUE(names.insert(chip.name).second) << chip.name;
    for (const std::string_view alias : chip.aliases) {
      EXPECT_EQ(FindChip(alias), &chip);
      EXPECT_TRUE(names.insert(alias).second) << alias;
    }
  }
  EXPECT_EQ(Chips().size(), 10u);
}

// Device kinds of jax/_src/tpu_info.py, accelerator types, topologies.
TEST(Chips, FindsTheNamesPeopleUse) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 22> kNames = {{
      {"TPU v2", "v2"},       {"TPU v3", "v3"},      {"TPU v4", "v4"},   {"TPU v4 lite", "v4i"},
      {"TPU v5 lite", "v5e"}, {"TPU v5e", "v5e"},    {"v5 lite", "v5e"}, {"v5litepod-4", "v5e"},
      {"v5e:2x2", "v5e"},     {"TPU v5", "v5p"},     {"TPU v5p", "v5p"}, {"v5p-64", "v5p"},
      {"TPU v6 lite", "v6e"}, {"TPU v6e", "v6e"},    {"V6E", "v6e"},     {"TPU7", "7x"},
      {"TPU7x", "7x"},        {"tpu7x:2x2x1", "7x"}, {"v7x", "7x"},      {"TPU8i", "8i"},
      {"TPU8t", "8t"},        {"tpu-v4", "v4"},
  }};
  for (const auto& [name, expected] : kNames) EXPECT_EQ(Named(name).name, expected) << name;
}

TEST(Chips, OtherNamesFindNothing) {
  for (const std::string_view name :
       {"", "v", "tpu", "TPU v", "v1", "v6", "v9", "H100", "5x", "v5e-", ":", "-4", "tpu-"}) {
    EXPECT_EQ(FindChip(name), nullptr) << name;
  }
}

TEST(Chips, VmemLimitsFitVmem) {
  for (const Chip& chip : Chips()) {
    for (const MaybeFigure& figure :
         {chip.vmem.usable_bytes, chip.vmem.default_scoped_limit_bytes, chip.vmem.vmem_limit_clamp_bytes}) {
      if (figure.has_value()) {
        EXPECT_LE(figure->value, chip.vmem.bytes.value) << chip.name;
      }
    }
  }
  EXPECT_EQ(Named("v5e").vmem.default_scoped_limit_bytes, (Figure{16 * kMiB, Grade::kMeasured}));
  EXPECT_EQ(Named("v6e").vmem.default_scoped_limit_bytes, (Figure{32 * kMiB, Grade::kMeasured}));
}

TEST(Chips, HbmFiguresAddUp) {
  for (const Chip& chip : Chips()) {
    const HbmFigures& hbm = chip.hbm;
    if (hbm.capacity_bytes.has_value()) {
      ASSERT_TRUE(hbm.raw_bytes.has_value() && hbm.reserved_bytes.has_value()) << chip.name;
      EXPECT_EQ(hbm.capacity_bytes->value + hbm.reserved_bytes->value, hbm.raw_bytes->value) << chip.name;
    }
    if (hbm.e1000_capacity_bytes.has_value()) {
      ASSERT_TRUE(hbm.e1000_reserved_bytes.has_value() && hbm.e1000_largest_accepted_bytes.has_value());
      EXPECT_EQ(hbm.e1000_capacity_bytes->value + hbm.e1000_reserved_bytes->value, hbm.raw_bytes->value);
      // What passed leaves at least the 1 MiB that a small program takes.
      EXPECT_LE(hbm.e1000_largest_accepted_bytes->value + kMiB, hbm.e1000_capacity_bytes->value) << chip.name;
    }
  }
}

TEST(Chips, SparseCoreLimitsAreThoseOfItsMemory) {
  int measured = 0;
  for (const Chip& chip : Chips()) {
    if (!chip.sparse_core.has_value() || !chip.sparse_core->limits.has_value()) continue;
    ++measured;
    const SparseCoreFigures& core = *chip.sparse_core;
    const uint64_t tile_words = core.tile_spmem_words->value;
    EXPECT_EQ(core.limit(SparseCoreSpace::kTileSpmem)->last_word, tile_words - 1) << chip.name;
    EXPECT_EQ(core.limit(SparseCoreSpace::kSpmem)->last_word, tile_words * core.tiles.value - 1) << chip.name;
    const uint64_t hbm_words = core.limit(SparseCoreSpace::kHbm)->last_word + 1;
    EXPECT_EQ(hbm_words * SparseCoreWordBytes(SparseCoreSpace::kHbm), chip.hbm.raw_bytes->value) << chip.name;
    EXPECT_EQ(core.limit(SparseCoreSpace::kHbm)->first_word, 1024 * core.cores.value) << chip.name;
  }
  EXPECT_EQ(measured, 3);
  EXPECT_EQ(Named("v4").sparse_core->limit(SparseCoreSpace::kSpmem), std::nullopt);
}

TEST(Chips, NamesOfGradesAndSpaces) {
  EXPECT_EQ(GradeName(Grade::kSeenInMessages), "seen in messages");
  EXPECT_EQ(SparseCoreSpaceName(SparseCoreSpace::kTileSpmem), "tile_spmem");
  EXPECT_EQ(SparseCoreSpaceName(SparseCoreSpace::kHbm), "hbm");
}

}  // namespace
}  // namespace oomph
