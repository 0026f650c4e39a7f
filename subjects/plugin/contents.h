// What the driver writes into a block, and whether it is still there.
// Not for: subjects without memory behind their offsets.
//
// A block that is larger than kWholeBytes is written only at its two ends, half of that at each.
#ifndef OOMPH_SUBJECTS_PLUGIN_CONTENTS_H_
#define OOMPH_SUBJECTS_PLUGIN_CONTENTS_H_

#include <cstdint>
#include <optional>

namespace oomph::hbm {

inline constexpr uint64_t kWholeBytes = uint64_t{1} << 20;

// Differs for every name and offset, so that a block cannot pass for another one.
uint64_t ContentsSeed(uint32_t name, uint64_t offset);

void WriteContents(void* block, uint64_t size, uint64_t seed);

// The first of the first `kept` bytes that is not what WriteContents(block, size, seed) wrote there.
std::optional<uint64_t> FirstChangedByte(const void* block, uint64_t size, uint64_t kept,
                                         uint64_t seed);

}  // namespace oomph::hbm

#endif  // OOMPH_SUBJECTS_PLUGIN_CONTENTS_H_
