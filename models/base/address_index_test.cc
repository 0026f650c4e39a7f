// The address index against std::map. Not for: speed (see oomph bench).
#include "models/base/address_index.h"

#include <map>
#include <vector>

#include "gtest/gtest.h"
#include "models/base/choices.h"

namespace oomph {
namespace {

void Agree(const AddressIndex& index, const std::map<uint64_t, uint32_t>& map) {
  ASSERT_EQ(index.size(), map.size());
  std::vector<std::pair<uint64_t, uint32_t>> listed;
  index.ForEach([&](const AddressIndex::Entry& entry) { listed.emplace_back(entry.offset, entry.slot); });
  ASSERT_EQ(listed, (std::vector<std::pair<uint64_t, uint32_t>>(map.begin(), map.end())));
}

TEST(AddressIndexTest, BehavesAsAMap) {
  for (uint64_t range : {16, 300, 20'000}) {
    Choices choices = Choices::FromSeed(range, false);
    AddressIndex index;
    index.clear();
    std::map<uint64_t, uint32_t> map;
    for (int i = 0; i < 20'000; ++i) {
      const uint64_t offset = choices.Below(range);
      const AddressIndex::Position p = index.LowerBound(offset);
      const auto it = map.lower_bound(offset);
      ASSERT_EQ(index.AtEnd(p), it == map.end());
      if (it != map.end()) {
        ASSERT_EQ(index.at(p).offset, it->first);
        ASSERT_EQ(index.AtEnd(index.Next(p)), std::next(it) == map.end());
      }
      ASSERT_EQ(index.AtBegin(p), it == map.begin());
      if (it != map.begin()) {
        ASSERT_EQ(index.at(index.Previous(p)).offset, std::prev(it)->first);
      }
      if (it != map.end() && it->first == offset) {
        index.Erase(p);
        map.erase(it);
      } else if (map.size() < range / 2 + 4) {
        index.Insert({offset, offset + 1, static_cast<uint32_t>(i)});
        map[offset] = static_cast<uint32_t>(i);
      }
    }
    Agree(index, map);
  }
}

TEST(AddressIndexTest, AnEntryMayMoveBetweenItsNeighbours) {
  AddressIndex index;
  index.clear();
  for (uint32_t i = 0; i < 1000; ++i) index.Insert({i * 10, i * 10 + 4, i});
  index.Update(index.LowerBound(5000), 5003, 5007);
  EXPECT_EQ(index.at(index.LowerBound(5001)).slot, 500u);
  EXPECT_EQ(index.at(index.LowerBound(5004)).slot, 501u);
}

}  // namespace
}  // namespace oomph
