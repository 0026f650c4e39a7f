// The table of targets against the table of chips.
#include "models/vmem/target.h"

#include <string>

#include "gtest/gtest.h"
#include "models/base/chips.h"

namespace oomph::vmem {
namespace {

TEST(Targets, HaveTheFiguresOfTheirChips) {
  for (const TargetRow& row : Targets()) {
    const Chip* chip = FindChip(row.chip);
    ASSERT_NE(chip, nullptr) << row.chip;
    EXPECT_EQ(chip->name, row.chip);
    EXPECT_EQ(row.default_limit, chip->vmem.default_scoped_limit_bytes->value) << row.name;
    EXPECT_EQ(row.clamp, chip->vmem.vmem_limit_clamp_bytes->value) << row.name;
    EXPECT_EQ(row.usable, chip->vmem.usable_bytes ? chip->vmem.usable_bytes->value : row.memory) << row.name;
    EXPECT_LE(row.usable, row.memory) << row.name;
    EXPECT_LE(row.default_limit, row.clamp) << row.name;
  }
}

TEST(Targets, AreFoundByTheirPlace) {
  EXPECT_EQ(Targets().size(), kTargets);
  EXPECT_EQ(RowOf(Target::kV4).name, "v4");
  EXPECT_EQ(RowOf(Target::kV4Mega).name, "v4mega");
  EXPECT_EQ(RowOf(Target::kV5e).name, "v5e");
  EXPECT_EQ(RowOf(Target::kV5p).name, "v5p");
  EXPECT_EQ(RowOf(Target::kV6e).name, "v6e");
  EXPECT_EQ(RowOf(Target::k7x).name, "7x");
  EXPECT_EQ(RowOf(Target::kV5p).cores, 2u);
  EXPECT_EQ(RowOf(Target::k7x).cores, 1u);
}

TEST(Targets, AreFoundByEveryNameOfTheirChip) {
  EXPECT_EQ(FindTarget("v4mega"), Target::kV4Mega);
  EXPECT_EQ(FindTarget("7x"), Target::k7x);
  EXPECT_EQ(FindTarget("v7x"), Target::k7x);
  EXPECT_EQ(FindTarget("TPU v5 lite"), Target::kV5e);
  EXPECT_EQ(FindTarget("v3"), std::nullopt);
  EXPECT_EQ(FindTarget(""), std::nullopt);
}

}  // namespace
}  // namespace oomph::vmem
