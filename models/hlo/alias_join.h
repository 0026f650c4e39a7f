// Which values are the same and which share a buffer, gathered while a module is followed and settled at its end.
// For alias.cc only; not for finding out what shares what.
#ifndef OOMPH_MODELS_HLO_ALIAS_JOIN_H_
#define OOMPH_MODELS_HLO_ALIAS_JOIN_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/hlo/alias.h"

namespace oomph::hlo {

class UnionFind {
 public:
  uint32_t Add() {
    parent_.push_back(static_cast<uint32_t>(parent_.size()));
    return parent_.back();
  }
  void AddAll(size_t count) {
    while (parent_.size() < count) Add();
  }
  uint32_t Find(uint32_t x) {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  }
  // The smaller one stands for both.
  void Join(uint32_t x, uint32_t y) {
    x = Find(x), y = Find(y);
    if (x != y) parent_[std::max(x, y)] = std::min(x, y);
  }

 private:
  std::vector<uint32_t> parent_;
};

inline constexpr uint32_t kAnyStep = UINT32_MAX;

class Joins {
 public:
  // One value more; its number.
  uint32_t Add() { return same_.Add(); }
  // The first of all values that are the same one.
  uint32_t Same(uint32_t value) { return same_.Find(value); }

  void AreSame(uint32_t value, uint32_t other) { same_.Join(value, other); }
  // In any case, or only if the first is not needed after a step.
  void ShareBuffer(uint32_t value, uint32_t other, uint32_t until) { together_.push_back({value, other, until}); }
  // A parameter of the entry that the caller does not keep.
  void GiveAway(uint32_t value) { given_.push_back(value); }

  // Drops values that another one stands for, and numbers buffers from 0 on. `copies`: constants are copied before
  // they are written over.
  void Finish(bool copies, uint32_t end, Aliases& aliases);

 private:
  struct Together {
    uint32_t value = 0, other = 0;
    uint32_t until = kAnyStep;
  };

  void UniteSameValues(Aliases& aliases);
  void Compact(UnionFind& buffers, Aliases& aliases);

  UnionFind same_;
  std::vector<Together> together_;
  std::vector<uint32_t> given_;
};

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_ALIAS_JOIN_H_
