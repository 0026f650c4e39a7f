// The rows of a family's reach by name: "group:word", numbered in the order in which they are added, as its table of words has
// them. A family derives its table from this and keeps the first number of each group.
// Not for: what a case reached (Family::Reached).
#ifndef OOMPH_MODELS_BASE_REACH_TABLE_H_
#define OOMPH_MODELS_BASE_REACH_TABLE_H_

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "models/base/family.h"

namespace oomph {

struct ReachTable {
  std::deque<std::string> texts;
  std::vector<std::string_view> names;
  Reach expected;

  size_t Add(std::string_view group, std::string_view word, bool is_expected) {
    texts.push_back(absl::StrCat(std::string(group), ":", std::string(word)));
    names.push_back(texts.back());
    expected[names.size() - 1] = is_expected;
    return names.size() - 1;
  }
  // 0, 1, ... count - 1, none of them expected.
  size_t AddNumbers(std::string_view group, int count) {
    const size_t first = names.size();
    for (int i = 0; i < count; ++i) Add(group, absl::StrCat(i), false);
    return first;
  }
};

}  // namespace oomph

#endif  // OOMPH_MODELS_BASE_REACH_TABLE_H_
