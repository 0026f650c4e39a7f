// See search.h.
#include "fuzz/minimize/search.h"

#include <deque>
#include <utility>

#include "models/base/units.h"

namespace oomph {
namespace {

class Search {
 public:
  Search(const Family& family, const Edits& edits, bool alternatives, const SearchOptions& options, const Ask& ask)
      : family_(family), edits_(edits), alternatives_(alternatives), options_(options), ask_(ask), made_(edits.most().size()) {}

  // Of alternatives one is made.
  void Run() {
    if (options_.singly || alternatives_ || made_.size() <= 2) {
      PushSingles(0, made_.size());
    } else {
      queue_.push_back({0, made_.size()});
    }
    while (!queue_.empty() && !ended() && !(alternatives_ && best_ != nullptr)) Round();
  }

  std::unique_ptr<Case> TakeBest() { return std::move(best_); }
  std::vector<uint64_t> TakeMade() { return std::move(made_); }

 private:
  // The edits [begin, end) as far as they go, or, if `by` is not 0, the one at begin so much further.
  struct Item {
    size_t begin = 0, end = 0;
    uint64_t by = 0;
    bool grows = false;  // as long as it can be made: twice as far
    bool probes = false;  // if it cannot be made: by the smallest amount
    // Where the first half of what this is the second half of begins; as `begin` if it is none.
    size_t first_half = begin;
  };
  struct Candidate {
    Item item;
    std::vector<uint64_t> amounts;
    std::unique_ptr<Case> value;
  };

  bool ended() const { return options_.ended && options_.ended(); }

  // To the front, in their order.
  void PushSingles(size_t begin, size_t end) {
    for (size_t i = end; i-- > begin;) queue_.push_front({i, i + 1});
  }

  void Add(const Item& item, std::vector<uint64_t>& amounts) const {
    if (item.by > 0) {
      amounts[item.begin] += item.by;
      return;
    }
    for (size_t i = item.begin; i < item.end; ++i) amounts[i] = edits_.most()[i];
  }

  // Null if the edits cannot be made.
  std::unique_ptr<Case> Made(const std::vector<uint64_t>& amounts) const {
    auto value = family_.NewCase();
    if (amounts == made_ || !edits_.Apply(amounts, *value)) return nullptr;
    if (options_.prepare) options_.prepare(*value);
    return options_.refuse && options_.refuse(*value) ? nullptr : std::move(value);
  }

  // What is left to try of an item that cannot be made as a whole goes to the front.
  void Split(const Item& item) {
    if (item.by > 0) return Further(item);
    const size_t count = item.end - item.begin;
    if (count == 1) return Less(item.begin);
    const size_t middle = item.begin + count / 2;
    queue_.push_back({item.begin, middle});
    queue_.push_back({middle, item.end, 0, false, false, item.begin});
  }
  // What cannot go all the way is tried by ever smaller amounts; what was found before to go no further is tried by half and
  // by the smallest, and only if that does go, by ever larger ones.
  void Less(size_t edit) {
    const uint64_t left = edits_.most()[edit] - made_[edit];
    if (left <= 1) return;
    Item item{edit, edit + 1, left / 2};
    item.grows = options_.singly && item.by == 1;
    item.probes = options_.singly && item.by > 1;
    queue_.push_front(item);
  }
  void Further(const Item& item, bool made = false) {
    if (made && item.grows && item.by <= kMaxBytes / 2) return queue_.push_front({item.begin, item.end, item.by * 2, true});
    if (!made && item.probes) return queue_.push_front({item.begin, item.end, 1, true});
    if (item.by > 1) queue_.push_front({item.begin, item.end, item.by / 2, false});
  }

  bool FitsYet(const Item& item) const {
    return item.by <= edits_.most()[item.begin] - made_[item.begin];
  }

  // What could not be made together, and of which the first half could, needs something of the second: no question.
  bool IsNeeded(const Item& item) const {
    for (size_t i = item.first_half; i < item.begin; ++i) {
      if (made_[i] < edits_.most()[i]) return false;
    }
    return item.first_half < item.begin;
  }

  // Takes as many items as can be asked about together.
  std::vector<Candidate> NextCandidates() {
    std::vector<Candidate> candidates;
    while (!queue_.empty() && candidates.size() < options_.jobs && !ended()) {
      Candidate candidate{queue_.front(), made_, nullptr};
      queue_.pop_front();
      if (FitsYet(candidate.item) && !IsNeeded(candidate.item)) {
        Add(candidate.item, candidate.amounts);
        candidate.value = Made(candidate.amounts);
      }
      if (candidate.value != nullptr) {
        candidates.push_back(std::move(candidate));
      } else {
        Split(candidate.item);
      }
    }
    return candidates;
  }

  void Round() {
    std::vector<Candidate> candidates = NextCandidates();
    if (candidates.empty()) return;
    std::vector<const Case*> cases;
    for (const Candidate& candidate : candidates) cases.push_back(candidate.value.get());
    const std::vector<bool> shows = ask_(cases);
    std::vector<Candidate> good;
    // Last first, as each goes to the front.
    for (size_t i = candidates.size(); i-- > 0;) {
      if (!shows[i]) Split(candidates[i].item);
    }
    for (size_t i = 0; i < candidates.size(); ++i) {
      if (shows[i]) good.push_back(std::move(candidates[i]));
    }
    if (!good.empty()) TakeGood(std::move(good));
  }

  // All together if that still shows it; else the first, and the others are tried again after it.
  void TakeGood(std::vector<Candidate> good) {
    if (good.size() > 1 && !alternatives_) {
      Candidate all{{}, made_, nullptr};
      for (const Candidate& each : good) Add(each.item, all.amounts);
      all.value = Made(all.amounts);
      const Case* one = all.value.get();
      if (one != nullptr && ask_(std::span(&one, 1))[0]) {
        for (size_t i = good.size(); i-- > 0;) Further(good[i].item, true);
        return Take(std::move(all));
      }
      for (size_t i = good.size(); i-- > 1;) queue_.push_front(good[i].item);
    }
    Further(good[0].item, true);
    Take(std::move(good[0]));
  }
  void Take(Candidate candidate) {
    made_ = std::move(candidate.amounts);
    best_ = std::move(candidate.value);
    if (options_.smaller) options_.smaller(*best_);
  }

  const Family& family_;
  const Edits& edits_;
  const bool alternatives_;
  const SearchOptions& options_;
  const Ask& ask_;
  std::deque<Item> queue_;
  std::vector<uint64_t> made_;
  std::unique_ptr<Case> best_;
};

}  // namespace

std::unique_ptr<Case> SearchEdits(const Family& family, const Edits& edits, bool alternatives,
                                  const SearchOptions& options, const Ask& ask, std::vector<uint64_t>& made) {
  Search search(family, edits, alternatives, options, ask);
  search.Run();
  made = search.TakeMade();
  return search.TakeBest();
}

}  // namespace oomph
