// The rectangles that are live at one moment of a sweep over time, by address: does somebody else use one of these
// bytes? Any of them may overlap; each question is O(log n) even so.
// Not for: what they are (see fast_survey.h).
#ifndef OOMPH_MODELS_PLACEMENT_LIVE_SET_H_
#define OOMPH_MODELS_PLACEMENT_LIVE_SET_H_

#include <cstdint>
#include <vector>

namespace oomph::placement {

// A treap by (lower, id). Each node knows the highest upper end below it and the highest of another owner, so that
// "of another owner than mine" costs no search.
class LiveSet {
 public:
  void Insert(uint64_t lower, uint64_t upper, uint64_t owner, uint32_t id);
  void Erase(uint64_t lower, uint32_t id);
  // f(id) of each rectangle of another owner that shares an address with [lower, upper), until it gives false; then
  // this does. O(log n) for each.
  template <typename F>
  bool ForEachMet(uint64_t lower, uint64_t upper, uint64_t owner, F f) const {
    return Visit(root_, lower, upper, owner, f);
  }

 private:
  static constexpr uint32_t kNone = 0;  // nodes_[0] stands for it
  // The highest upper end of some rectangles, whose it is, and the highest of all other owners.
  struct Highest {
    uint64_t best = 0, owner = 0, second = 0;
  };
  struct Node {
    uint64_t lower = 0, upper = 0, owner = 0;
    Highest highest = {};  // of the subtree
    uint32_t id = 0, priority = 0, left = kNone, right = kNone;
  };
  template <typename F>
  bool Visit(uint32_t tree, uint64_t lower, uint64_t upper, uint64_t owner, F& f) const {
    while (tree != kNone) {
      const Node& node = nodes_[tree];
      const Highest& highest = node.highest;
      if ((highest.owner != owner ? highest.best : highest.second) <= lower) return true;
      if (node.lower < upper) {
        if (!Visit(node.left, lower, upper, owner, f)) return false;
        if (node.owner != owner && node.upper > lower && !f(node.id)) return false;
        tree = node.right;
      } else {
        tree = node.left;
      }
    }
    return true;
  }
  static void Join(Highest& into, const Highest& other);
  static bool Before(const Node& node, uint64_t lower, uint32_t id) {
    return node.lower != lower ? node.lower < lower : node.id < id;
  }
  uint32_t NewNode();
  void Pull(uint32_t node);
  uint32_t InsertInto(uint32_t tree, uint32_t node);
  uint32_t EraseFrom(uint32_t tree, uint64_t lower, uint32_t id);
  void Split(uint32_t tree, uint64_t lower, uint32_t id, uint32_t& before, uint32_t& after);
  uint32_t Merge(uint32_t before, uint32_t after);

  std::vector<Node> nodes_ = std::vector<Node>(1);
  std::vector<uint32_t> unused_;
  uint32_t root_ = kNone;
  uint64_t drawn_ = 0;
};

}  // namespace oomph::placement

#endif  // OOMPH_MODELS_PLACEMENT_LIVE_SET_H_
