// See memory.h.
#include "models/sparsecore/memory.h"

#include <algorithm>
#include <utility>

#include "models/base/units.h"

namespace oomph::sparsecore {

uint64_t LeastWords(const Buffer& buffer) {
  uint64_t elements = 1;
  for (const uint64_t n : buffer.shape) elements = SaturatingMul(elements, n);
  if (std::find(buffer.shape.begin(), buffer.shape.end(), 0) != buffer.shape.end()) return 0;
  const bool semaphore = buffer.space == Space::kSflagTile || buffer.space == Space::kSflagScs;  // one word each, whatever it is
  const uint64_t bits = semaphore ? 32 : hlo::RowOf(buffer.type).bits, word = 8 * SparseCoreWordBytes(buffer.space);
  const unsigned __int128 all = static_cast<unsigned __int128>(elements) * bits;
  const unsigned __int128 words = (all + word - 1) / word;
  return words > kMaxBytes ? kMaxBytes : static_cast<uint64_t>(words);
}

Space MemoryOf(const Program& program, const Structure& structure, uint32_t buffer) {
  const Space space = program.buffers[buffer].space;
  return space == Space::kTileSpmem && structure.IsScratch(program, buffer) ? Space::kSpmem : space;
}

MostLive MostLiveWords(const Program& program, const Structure& structure, const std::vector<bool>& counts,
                       const std::vector<uint64_t>& words) {
  const size_t count = program.statements.size();
  MostLive live = {}, most = {};
  const auto add = [&](Space memory, uint64_t n) {
    uint64_t& now = live[static_cast<size_t>(memory)];
    now = SaturatingAdd(now, n);
    most[static_cast<size_t>(memory)] = std::max(most[static_cast<size_t>(memory)], now);
  };
  // Buffers by where they begin; regions nest, so what ends first began last.
  std::vector<std::pair<uint32_t, uint32_t>> begins;  // statement, buffer
  uint64_t spmem = 0;
  for (uint32_t b = 0; b < program.buffers.size(); ++b) {
    if (!counts[b] || structure.allocated[b] == kNowhere) continue;
    if (!structure.IsScratch(program, b)) {
      begins.push_back({structure.allocated[b], b});
      continue;
    }
    const Space memory = MemoryOf(program, structure, b);
    const bool of_tiles = program.buffers[b].space == Space::kTileSpmem;
    const uint64_t taken = of_tiles ? SaturatingMul(words[b], kTilesOfSpmem) : words[b];
    add(memory, taken);
    if (memory == Space::kSpmem) spmem = SaturatingAdd(spmem, taken);
  }
  if (program.core == Core::kVector) add(Space::kTileSpmem, spmem / kTilesOfSpmem);
  std::sort(begins.begin(), begins.end());
  std::vector<std::pair<uint32_t, MostLive>> ends;  // where; what was live before
  size_t next = 0;
  for (uint32_t i = 0; i <= count; ++i) {
    while (!ends.empty() && ends.back().first <= i) live = ends.back().second, ends.pop_back();
    for (; next < begins.size() && begins[next].first == i; ++next) {
      const uint32_t b = begins[next].second;
      ends.push_back({structure.lives_to[b], live});
      add(program.buffers[b].space, words[b]);
    }
  }
  return most;
}

uint64_t LastWordOf(const Program& program, Space space) {
  uint64_t last = LimitOf(program.target, space).last_word;
  for (const SpaceLimit& limit : program.limits) {
    if (limit.space == space) last = limit.last_word.value_or(LimitOf(program.target, space).last_word);
  }
  return last;
}

uint64_t FirstWordOf(const Program& program, Space space) {
  uint64_t first = LimitOf(program.target, space).first_word.value_or(0);
  for (const SpaceLimit& limit : program.limits) {
    if (limit.space == space) first = limit.first_word.value_or(LimitOf(program.target, space).first_word.value_or(0));
  }
  return first;
}

}  // namespace oomph::sparsecore
