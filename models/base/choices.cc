// The feeds behind Choices. See choices.h.
#include "models/base/choices.h"

#include <algorithm>

namespace oomph {
namespace {

// SplitMix64 (Steele, Lea, Flood 2014): one step.
uint64_t SplitMix(uint64_t& state) {
  uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// How many bytes of tape a draw below `bound` takes.
int BytesFor(uint64_t bound) {
  if (bound <= (1u << 8)) return 1;
  if (bound <= (1u << 16)) return 2;
  if (bound <= (uint64_t{1} << 32)) return 4;
  return 8;
}

void AppendLittleEndian(std::string& tape, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) tape.push_back(static_cast<char>(value >> (8 * i)));
}

}  // namespace

uint64_t MixSeed(uint64_t seed, uint64_t index) {
  uint64_t state = seed ^ (index * 0xd1342543de82ef95u);
  SplitMix(state);
  return SplitMix(state);
}

Choices Choices::FromSeed(uint64_t seed, bool swarm) {
  Choices choices(Feed::kRandom);
  choices.swarm_ = swarm;
  for (uint64_t& word : choices.state_) word = SplitMix(seed);
  return choices;
}

Choices Choices::FromTape(std::string_view tape) {
  Choices choices(Feed::kTape);
  choices.tape_ = tape;
  return choices;
}

Choices Choices::FromOdometer(std::vector<Digit>* odometer) {
  Choices choices(Feed::kOdometer);
  choices.swarm_ = false;
  choices.odometer_ = odometer;
  return choices;
}

void Choices::Record(std::string* tape, std::vector<TapeSpan>* spans) {
  recording_ = tape;
  spans_ = spans;
}

uint64_t Choices::ReadTape(int bytes) {
  uint64_t value = 0;
  for (int i = 0; i < bytes && position_ < tape_.size(); ++i, ++position_) {
    value |= static_cast<uint64_t>(static_cast<unsigned char>(tape_[position_])) << (8 * i);
  }
  return value;
}

uint64_t Choices::BelowSlow(uint64_t bound) {
  // What follows the end of a tape is not recorded: a generator that asks whether it is there finds it there again.
  if (exhausted()) return 0;
  uint64_t value = 0;
  switch (feed_) {
    case Feed::kRandom:
      value = Scale(Next(), bound);
      break;
    case Feed::kTape:
      value = ReadTape(BytesFor(bound)) % bound;
      break;
    case Feed::kOdometer:
      if (bound > (uint64_t{1} << 32)) break;
      if (position_ == odometer_->size()) odometer_->push_back({0, bound});
      value = (*odometer_)[position_++].value;
      break;
  }
  if (recording_ != nullptr) AppendLittleEndian(*recording_, value, BytesFor(bound));
  return value;
}

bool Choices::SwarmCase() {
  if (swarm_) return Below(2) == 1;
  if (recording_ != nullptr && !exhausted()) recording_->push_back(0);
  return false;
}

uint64_t Choices::Bits() {
  if (feed_ == Feed::kOdometer || exhausted()) return 0;
  const uint64_t value = feed_ == Feed::kTape ? ReadTape(8) : Next();
  if (recording_ != nullptr) AppendLittleEndian(*recording_, value, 8);
  return value;
}

Weights::Weights(std::span<const uint32_t> weights) {
  up_to_.fill(UINT32_MAX);
  for (size_t i = 0; i < std::min(weights.size(), kMost); ++i) up_to_[i] = total_ += weights[i];
}

size_t Choices::Weighted(std::span<const uint32_t> weights) {
  uint64_t total = 0;
  for (uint32_t weight : weights) total += weight;
  uint64_t draw = Below(total);
  for (size_t i = 0; i < weights.size(); ++i) {
    if (draw < weights[i]) return i;
    draw -= weights[i];
  }
  return 0;
}

bool ExhaustiveChoices::Next() {
  while (!digits_.empty()) {
    if (++digits_.back().value < digits_.back().bound) return true;
    digits_.pop_back();
  }
  return false;
}

void SwarmWeights(Choices& choices, std::span<uint32_t> weights) {
  if (!choices.SwarmCase()) return;
  static constexpr uint32_t kFactors[] = {0, 1, 1, 8};
  bool any = false;
  for (uint32_t& weight : weights) {
    const uint32_t factor = kFactors[choices.Below(4)];
    // The last positive weight may not be dropped when all before it were.
    const bool last = &weight == &weights.back();
    weight *= (factor == 0 && last && !any) ? 1 : factor;
    any = any || weight > 0;
  }
}

}  // namespace oomph
