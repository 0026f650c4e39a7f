// What a table of rows tells of itself: the `info` of each row, which is what others may know of it.
// Not for: what a row does.
#ifndef OOMPH_MODELS_BASE_ROWS_H_
#define OOMPH_MODELS_BASE_ROWS_H_

#include <span>
#include <vector>

namespace oomph {

template <typename Row>
std::vector<decltype(Row::info)> InfosOf(std::span<const Row> rows) {
  std::vector<decltype(Row::info)> infos;
  for (const Row& row : rows) infos.push_back(row.info);
  return infos;
}

}  // namespace oomph

#endif  // OOMPH_MODELS_BASE_ROWS_H_
