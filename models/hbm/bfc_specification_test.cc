// The fast BFC model and its specification answer the same, call by call, over every setting.
#include "models/hbm/bfc_specification.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "models/hbm/bfc_allocator.h"
#include "models/hbm/bfc_duel.h"

namespace oomph::bfc {
namespace {

Options DrawOptions(std::mt19937_64& random, uint64_t capacity) {
  Options options;
  options.growth = random() % 4 != 0;
  options.coalescing = random() % 2 == 0;
  options.garbage_collection = random() % 2 == 0;
  options.timestamps = static_cast<Timestamps>(random() % 3);
  options.ends = random() % 3 == 0 ? Ends::kTwo : Ends::kOne;
  if (random() % 3 == 0) options.fragmentation = static_cast<double>(random() % 100) / 100;
  if (random() % 3 == 0) options.backing = random() % (capacity + 1);
  return options;
}

Deviations DrawDeviations(std::mt19937_64& random) {
  if (random() % 3 == 0) return kAsShipped;
  if (random() % 3 == 0) return kRight;
  const auto coin = [&] { return random() % 2 == 0; };
  return {coin(), coin(), coin(), coin(), coin(), coin()};
}

void RunLives(uint64_t first_seed, uint64_t lives, Tally* tally) {
  for (uint64_t seed = first_seed; seed < first_seed + lives; ++seed) {
    std::mt19937_64 random(seed);
    const Life life = DrawLife("drawn from seed " + std::to_string(seed), seed);
    const Options options = DrawOptions(random, life.capacity);
    const Deviations deviations = DrawDeviations(random);
    Allocator model(options, deviations, life.capacity, life.fuel);
    Specification specification(options, deviations, life.capacity, life.fuel);
    Duel duel(life, seed, specification, model, *tally);
    ASSERT_EQ(duel.Run(), "");
    if (duel.over()) continue;
    ASSERT_EQ(FreeRanges(specification), FreeRanges(model));
    ASSERT_EQ(specification.largest_free(), model.largest_free());
    ASSERT_EQ(specification.free_bytes(), model.free_bytes());
    ASSERT_EQ(specification.num_free(), model.num_free());
    ASSERT_EQ(specification.num_live(), model.num_live());
    ASSERT_EQ(specification.num_regions(), model.num_regions());
  }
}

TEST(BfcSpecification, EqualsTheFastModel) {
  Tally tally;
  RunLives(1, 2000, &tally);
  for (int bit = 0; bit < path::kNumPaths; ++bit)
    EXPECT_GT(tally.paths[bit], 0u) << "no call took path " << bit;
  for (int i = 0; i < kNumStatuses; ++i) EXPECT_GT(tally.statuses[i], 0u) << "no call had status " << i;
}

}  // namespace
}  // namespace oomph::bfc
