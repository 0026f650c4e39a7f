// Choices: the only source of randomness. Everything that a generator or mutator decides, it asks here.
// Behind it stands a pseudo-random generator (with or without swarm), a tape of bytes (a fuzzer's
// input or a recording), or an odometer that tries every combination.
// Not for: cryptography, or statistics that need more than a good 64-bit generator.
//
// Every byte string is a valid tape: a draw reads as many bytes as its bound needs, missing bytes are
// zero, and a value is taken modulo the bound. Zero is always the simplest answer, so a shorter or
// smaller tape is a simpler case.
#ifndef OOMPH_MODELS_BASE_CHOICES_H_
#define OOMPH_MODELS_BASE_CHOICES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace oomph {

// A stretch of a tape that belongs together (one step), so that a shrinker can delete it whole.
struct TapeSpan {
  size_t begin = 0;  // bytes
  size_t end = 0;
  bool operator==(const TapeSpan&) const = default;
};

// Weights of up to 16 alternatives, summed up once for many draws (Choices::Weighted). Their sum is below 2^32.
class Weights {
 public:
  static constexpr size_t kMost = 16;
  Weights() : Weights(std::span<const uint32_t>()) {}
  explicit Weights(std::span<const uint32_t> weights);

 private:
  friend class Choices;
  uint32_t total_ = 0;
  std::array<uint32_t, kMost> up_to_;  // up_to_[i] = the weights of 0..i; UINT32_MAX past the last
};

class Choices {
 public:
  // Pseudo-random, the same for the same seed on every machine. `swarm`: generators also draw a
  // subset and weights of their alternatives for each case.
  static Choices FromSeed(uint64_t seed, bool swarm);
  // Replays `tape`, which must outlive this. Swarm is drawn from the tape as well.
  static Choices FromTape(std::string_view tape);
  // For ExhaustiveChoices only.
  struct Digit {
    uint64_t value;
    uint64_t bound;
  };
  static Choices FromOdometer(std::vector<Digit>* odometer);

  // In [0, bound). A bound of 0 or 1 draws nothing and gives 0.
  uint64_t Below(uint64_t bound) {
    if (bound <= 1) return 0;
    if (feed_ == Feed::kRandom && recording_ == nullptr) return Scale(Next(), bound);
    return BelowSlow(bound);
  }
  // In [low, high], both inclusive; low if high < low.
  uint64_t Between(uint64_t low, uint64_t high) {
    if (high <= low) return low;
    return high - low == UINT64_MAX ? Bits() : low + Below(high - low + 1);
  }
  // Any 64-bit value.
  uint64_t Bits();
  // True in `numerator` of `denominator` cases; false is the simple answer.
  bool Chance(uint64_t numerator, uint64_t denominator) {
    return Below(denominator) >= denominator - numerator;
  }
  // An index, drawn with the given weights; weights of zero are never drawn. 0 if all are zero.
  size_t Weighted(std::span<const uint32_t> weights);
  // The same draw with sums made before.
  size_t Weighted(const Weights& weights) {
    if (weights.total_ == 0) return 0;
    const uint32_t draw = static_cast<uint32_t>(Below(weights.total_));
    uint32_t index = 0;  // counted, not searched for: nothing to mispredict
    for (uint32_t sum : weights.up_to_) index += sum <= draw;
    return index;
  }
  template <typename T>
  const T& Pick(std::span<const T> alternatives) {
    return alternatives[Below(alternatives.size())];
  }

  // Whether this case is a swarm case. Without swarm the answer is no, and a tape records it as such.
  bool SwarmCase();
  // A tape that has been read to its end: what follows are zeros. Always false for random feeds.
  bool exhausted() const { return feed_ == Feed::kTape && position_ >= tape_.size(); }
  size_t bytes_left() const { return feed_ == Feed::kTape ? tape_.size() - position_ : SIZE_MAX; }

  // From here on, every draw is also written to `tape` such that FromTape repeats it, and the
  // stretches between BeginSpan and EndSpan to `spans`. Both must outlive this. What is drawn past the end of a
  // tape is not: the recording ends there too, so that exhausted() says the same.
  void Record(std::string* tape, std::vector<TapeSpan>* spans);
  void BeginSpan() {
    if (recording_ != nullptr) span_begin_ = recording_->size();
  }
  void EndSpan() {
    if (recording_ != nullptr) spans_->push_back({span_begin_, recording_->size()});
  }

 private:
  enum class Feed : uint8_t { kRandom, kTape, kOdometer };
  explicit Choices(Feed feed) : feed_(feed) {}

  // xoshiro256++ (Blackman and Vigna, 2019).
  uint64_t Next() {
    const auto rotate = [](uint64_t x, int k) { return (x << k) | (x >> (64 - k)); };
    const uint64_t result = rotate(state_[0] + state_[3], 23) + state_[0];
    const uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotate(state_[3], 45);
    return result;
  }
  // Maps 64 random bits to [0, bound) by multiplication; the bias is below bound / 2^64.
  static uint64_t Scale(uint64_t bits, uint64_t bound) {
    return static_cast<uint64_t>((static_cast<unsigned __int128>(bits) * bound) >> 64);
  }
  uint64_t BelowSlow(uint64_t bound);
  uint64_t ReadTape(int bytes);

  Feed feed_;
  bool swarm_ = true;
  uint64_t state_[4] = {};
  std::string_view tape_;
  size_t position_ = 0;
  std::vector<Digit>* odometer_ = nullptr;
  std::string* recording_ = nullptr;
  std::vector<TapeSpan>* spans_ = nullptr;
  size_t span_begin_ = 0;
};

// Walks through every combination of draws that a generator can make, in lexicographic order:
//   ExhaustiveChoices all;
//   do { Choices choices = all.Start(); Generate(choices); } while (all.Next());
// Only for generators whose draws are few and small: a draw with a bound above 2^32 gives only 0.
class ExhaustiveChoices {
 public:
  Choices Start() { return Choices::FromOdometer(&digits_); }
  // False when every combination has been tried.
  bool Next();

 private:
  std::vector<Choices::Digit> digits_;
};

// Turns fixed weights into those of one swarm case: with swarm on, each weight is dropped, kept or
// raised by chance (at least one stays). Without swarm the weights stay as they are.
void SwarmWeights(Choices& choices, std::span<uint32_t> weights);

// A seed for the `index`th case of a campaign with the given seed, independent of its neighbours.
uint64_t MixSeed(uint64_t seed, uint64_t index);

}  // namespace oomph

#endif  // OOMPH_MODELS_BASE_CHOICES_H_
