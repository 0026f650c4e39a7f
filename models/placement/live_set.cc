// See live_set.h.
#include "models/placement/live_set.h"

#include <algorithm>

#include "models/base/choices.h"

namespace oomph::placement {

// Both halves know their best and the best of all other owners; what is below a half's second place is below its best.
void LiveSet::Join(Highest& into, const Highest& other) {
  if (other.owner == into.owner) {
    into.best = std::max(into.best, other.best);
    into.second = std::max(into.second, other.second);
  } else if (other.best > into.best) {
    into = {other.best, other.owner, std::max(into.best, other.second)};
  } else {
    into.second = std::max(into.second, other.best);
  }
}

void LiveSet::Pull(uint32_t index) {
  Node& node = nodes_[index];
  node.highest = {node.upper, node.owner, 0};
  if (node.left != kNone) Join(node.highest, nodes_[node.left].highest);
  if (node.right != kNone) Join(node.highest, nodes_[node.right].highest);
}

uint32_t LiveSet::NewNode() {
  uint32_t node = static_cast<uint32_t>(nodes_.size());
  if (unused_.empty()) {
    nodes_.emplace_back();
  } else {
    node = unused_.back();
    unused_.pop_back();
  }
  return node;
}

void LiveSet::Split(uint32_t tree, uint64_t lower, uint32_t id, uint32_t& before, uint32_t& after) {
  if (tree == kNone) {
    before = after = kNone;
  } else if (Before(nodes_[tree], lower, id)) {
    uint32_t rest = kNone;
    Split(nodes_[tree].right, lower, id, rest, after);
    nodes_[tree].right = rest;
    before = tree;
    Pull(tree);
  } else {
    uint32_t rest = kNone;
    Split(nodes_[tree].left, lower, id, before, rest);
    nodes_[tree].left = rest;
    after = tree;
    Pull(tree);
  }
}

uint32_t LiveSet::Merge(uint32_t before, uint32_t after) {
  if (before == kNone) return after;
  if (after == kNone) return before;
  if (nodes_[before].priority > nodes_[after].priority) {
    nodes_[before].right = Merge(nodes_[before].right, after);
    Pull(before);
    return before;
  }
  nodes_[after].left = Merge(before, nodes_[after].left);
  Pull(after);
  return after;
}

uint32_t LiveSet::InsertInto(uint32_t tree, uint32_t node) {
  if (tree != kNone && nodes_[tree].priority >= nodes_[node].priority) {
    const bool right = Before(nodes_[tree], nodes_[node].lower, nodes_[node].id);
    uint32_t& child = right ? nodes_[tree].right : nodes_[tree].left;
    child = InsertInto(child, node);
    Pull(tree);
    return tree;
  }
  Split(tree, nodes_[node].lower, nodes_[node].id, nodes_[node].left, nodes_[node].right);
  Pull(node);
  return node;
}

uint32_t LiveSet::EraseFrom(uint32_t tree, uint64_t lower, uint32_t id) {
  if (tree == kNone) return kNone;
  Node& node = nodes_[tree];
  if (node.lower == lower && node.id == id) {
    unused_.push_back(tree);
    return Merge(node.left, node.right);
  }
  uint32_t& child = Before(node, lower, id) ? node.right : node.left;
  child = EraseFrom(child, lower, id);
  Pull(tree);
  return tree;
}

void LiveSet::Insert(uint64_t lower, uint64_t upper, uint64_t owner, uint32_t id) {
  const uint32_t node = NewNode();
  nodes_[node] = {.lower = lower, .upper = upper, .owner = owner, .id = id};
  nodes_[node].priority = static_cast<uint32_t>(MixSeed(id, ++drawn_));
  root_ = InsertInto(root_, node);
}

void LiveSet::Erase(uint64_t lower, uint32_t id) { root_ = EraseFrom(root_, lower, id); }

}  // namespace oomph::placement
