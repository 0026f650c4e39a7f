// The answers of survey.h in O(n log n), by one sweep over time. Memory: about 64 bytes a rectangle.
// Not for: being believed at sight; a test holds it against NaiveSurvey on random problems and plans.
#ifndef OOMPH_MODELS_PLACEMENT_FAST_SURVEY_H_
#define OOMPH_MODELS_PLACEMENT_FAST_SURVEY_H_

#include <array>
#include <optional>
#include <vector>

#include "models/placement/survey.h"

namespace oomph::placement {

class FastSurvey final : public Survey {
 public:
  FastSurvey(const Problem& problem, const Plan& plan) : problem_(problem), plan_(plan) {}
  std::optional<Pair> FirstClash(Clash clash) override;
  std::optional<Pair> FirstApart() override;
  uint64_t LiveBytes() override;

 private:
  struct Use {
    int64_t start, end;
    uint64_t lower, upper;  // addresses if it is placed, else from its offset
    uint32_t space, group, buffer;
    Clash clash;   // what it makes of a collision with a whole one
    bool placed;
    bool counts;   // for LiveBytes
  };
  struct End {
    int64_t time;
    uint32_t space, use;
  };
  void Collect();
  template <typename Enter, typename Leave>
  void Sweep(Enter enter, Leave leave) const;
  static uint64_t Owner(const Use& use) { return use.group > 0 ? (uint64_t{1} << 63 | use.group) : use.buffer; }
  void FindAll();
  // Whether buffers up to `last`, and `alone`, clash in this way.
  bool Clashes(Clash clash, size_t last, size_t alone) const;

  const Problem& problem_;
  const Plan& plan_;
  bool collected_ = false;
  // The first of each kind, where there are not too many to look at each.
  bool looked_ = false, too_many_ = false;
  std::array<std::optional<Pair>, kNumClashes> first_;
  std::vector<Use> uses_;     // by space, then start
  std::vector<End> ends_;     // by space, then time
};

}  // namespace oomph::placement

#endif  // OOMPH_MODELS_PLACEMENT_FAST_SURVEY_H_
