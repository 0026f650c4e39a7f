// What the oracles ask of a plan as a whole, answered twice: pair by pair, believed at sight; and in O(n log n).
// Not for: what one buffer can tell (see oracles.cc) or whether a better placement exists (see witness.h).
#ifndef OOMPH_MODELS_PLACEMENT_SURVEY_H_
#define OOMPH_MODELS_PLACEMENT_SURVEY_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "models/placement/footprint.h"
#include "models/placement/plan.h"
#include "models/placement/problem.h"

namespace oomph::placement {

// What two rectangles that collide have to do with. A window counts before a slice.
enum class Clash : uint8_t { kWhole, kSlice, kWindow };
inline constexpr size_t kNumClashes = 3;

// The lowest buffer that has something with an earlier one, and the lowest such one.
struct Pair {
  size_t earlier = 0, later = 0;
  bool operator==(const Pair&) const = default;
};

class Survey {
 public:
  virtual ~Survey() = default;
  // Of the buffers that are placed (PlacedAt) in one space and not of one group: two that use a byte at one time.
  virtual std::optional<Pair> FirstClash(Clash clash) = 0;
  // Two of one group with different offsets.
  virtual std::optional<Pair> FirstApart() = 0;
  // The most bytes in use at one time, over all spaces, saturated; of a group only its first buffer counts.
  virtual uint64_t LiveBytes() = 0;
};

// The offset of a buffer that has one whose end is below 2^64.
std::optional<uint64_t> PlacedAt(const Problem& problem, const Plan& plan, size_t buffer);
// What it takes of an address range: none of it where it occupies nothing.
inline uint64_t SizeInUse(const Buffer& buffer) { return OccupiesNothing(buffer) ? 0 : buffer.size; }
inline bool SameGroup(const Buffer& a, const Buffer& b) {
  return a.group > 0 && a.group == b.group && a.space == b.space;
}

class NaiveSurvey final : public Survey {
 public:
  NaiveSurvey(const Problem& problem, const Plan& plan) : problem_(problem), plan_(plan) {}
  std::optional<Pair> FirstClash(Clash clash) override;
  std::optional<Pair> FirstApart() override;
  uint64_t LiveBytes() override;

 private:
  const Problem& problem_;
  const Plan& plan_;
};

}  // namespace oomph::placement

#endif  // OOMPH_MODELS_PLACEMENT_SURVEY_H_
