// The large modules that do not fit: they are read and valid, long, and those that need too much HBM do by our own count.
#include "models/hlo/oom_modules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "models/hlo/liveness.h"
#include "models/hlo/text.h"
#include "models/hlo/verify.h"

namespace oomph::hlo {
namespace {

constexpr uint64_t kV5eBytes = (uint64_t{63} << 30) / 4;  // 15.75 GiB

TEST(OomModules, AreValidAndLongAndTooLarge) {
  ASSERT_GE(OomModules().size(), 5u);
  for (const OomModuleRow& row : OomModules()) {
    const std::string text = row.text(row.layers);
    EXPECT_GT(std::count(text.begin(), text.end(), '\n'), 500) << row.name;
    const auto module = Parse(row.name, text);
    ASSERT_TRUE(module.ok()) << module.status();
    const auto problems = Verify(*module);
    EXPECT_TRUE(problems.empty()) << row.name << ": " << Describe(*module, problems[0]);
    const auto liveness = LivenessOf(*module);
    ASSERT_TRUE(liveness.ok()) << liveness.status();
    EXPECT_EQ(liveness->total_peak > kV5eBytes, row.error == "E1000") << row.name << " " << liveness->total_peak;
    // Of few layers it fits.
    const auto small = Parse(row.name, row.text(2));
    ASSERT_TRUE(small.ok()) << small.status();
    EXPECT_LT(LivenessOf(*small)->total_peak, kV5eBytes / 2) << row.name;
  }
}

}  // namespace
}  // namespace oomph::hlo
