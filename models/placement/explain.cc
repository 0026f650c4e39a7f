// See explain.h. What is said of a bound is its certificate's; nothing is claimed that nobody proved.
#include "models/placement/explain.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "models/base/units.h"
#include "models/base/words.h"
#include "models/message/number.h"
#include "models/placement/bounds.h"
#include "models/placement/footprint.h"
#include "models/placement/oracles.h"
#include "models/placement/text.h"

namespace oomph::placement {
namespace {

constexpr size_t kMostNamed = 12;  // buffers

// "1352704 (1.29M)"; below a KiB the number alone.
std::string Bytes(uint64_t bytes) {
  return bytes < kKiB ? absl::StrCat(bytes) : absl::StrCat(bytes, " (", FormatBytes(bytes), ")");
}

std::string Count(size_t count, const char* one, const char* many) {
  return absl::StrCat(count, " ", count == 1 ? one : many);
}

// The highest end of a buffer that occupies something, and whose.
struct Top {
  uint64_t end = 0;
  size_t buffer = 0;
};

class Explanation {
 public:
  Explanation(const Problem& problem, const Plan& plan)
      : problem_(problem), plan_(plan), bound_(LowerBound(problem)), top_(FindTop()) {
    JudgePlan(problem, plan, 0, broken_);
    const auto is_too_high = [](const Reason& r) { return r.oracle == "within_capacity" && r.detail == "capacity"; };
    is_placement_ = std::all_of(broken_.list().begin(), broken_.list().end(), is_too_high);
  }

  std::string Write() && {
    WriteAnswer();
    WriteBound();
    WriteRoom();
    WriteOddities();
    return std::move(text_);
  }

 private:
  std::optional<Top> FindTop() const {
    std::optional<Top> top;
    for (size_t i = 0; i < std::min(problem_.buffers.size(), plan_.offsets.size()); ++i) {
      if (OccupiesNothing(problem_.buffers[i]) || !plan_.offsets[i]) continue;
      const uint64_t end = SaturatingAdd(*plan_.offsets[i], problem_.buffers[i].size);
      if (!top || end > top->end) top = Top{end, i};
    }
    return top;
  }

  void Say(const std::string& line) { absl::StrAppend(&text_, line, "\n"); }

  std::string Name(size_t i) const {
    const std::string& id = problem_.buffers[i].id;
    return id.empty() ? absl::StrCat("buffer ", i) : OneLine(id);
  }
  // "  a: 16 bytes, live in [0,4), aligned to 8".
  std::string Describe(size_t i) const {
    const Buffer& b = problem_.buffers[i];
    std::string text = absl::StrCat("  ", Name(i), ": ", Bytes(b.size), b.size == 1 ? " byte" : " bytes",
                                    ", live in [", b.start, ",", b.end, ")");
    if (b.alignment > 1) absl::StrAppend(&text, ", aligned to ", b.alignment);
    if (b.fixed) absl::StrAppend(&text, ", fixed at ", *b.fixed);
    if (!b.gaps.empty()) absl::StrAppend(&text, ", with ", Count(b.gaps.size(), "gap", "gaps"));
    if (!b.slices.empty()) absl::StrAppend(&text, ", in ", Count(b.slices.size(), "slice", "slices"));
    if (b.group != 0) absl::StrAppend(&text, ", group ", b.group);
    return text;
  }

  // What the planner said, and how high it built.
  void WriteAnswer() {
    std::string line(StatusWord(plan_.status));
    const bool claims = plan_.status == Status::kOptimal || plan_.status == Status::kFeasible ||
                        plan_.status == Status::kInfeasible || plan_.status == Status::kNotFound;
    absl::StrAppend(&line, broken_.empty() || !claims ? ": " : ", it says: ", Count(problem_.buffers.size(), "buffer", "buffers"));
    if (problem_.capacity) absl::StrAppend(&line, ", capacity ", Bytes(*problem_.capacity));
    if (plan_.budget_spent) line += ", the budget was spent";
    Say(line);
    if (!plan_.note.empty() && (broken_.empty() || claims)) Say("The planner says: " + OneLine(plan_.note));
    for (const Reason& reason : broken_.list()) {
      Say(absl::StrCat("Broken: ", std::string(reason.oracle), ": ", OneLine(reason.text), "."));
    }
    if (!top_) return;
    line = absl::StrCat("The highest buffer, ", Name(top_->buffer), ", ends at ", Bytes(top_->end));
    if (broken_.empty() && top_->end == bound_.peak) line += ", and no placement can be lower";
    if (is_placement_ && bound_.peak > 0 && top_->end > bound_.peak) {
      const double bound = static_cast<double>(bound_.peak);
      absl::StrAppendFormat(&line, ": %.1f %% above the lower bound",
                            100 * (static_cast<double>(top_->end) - bound) / bound);
    }
    Say(line + ".");
  }

  // Why no placement is lower, and by whom.
  void WriteBound() {
    if (bound_.rule == Certificate::Rule::kNothing || bound_.buffers.empty()) {
      return Say("No placement can be shown to need any memory.");
    }
    Say(absl::StrCat("No placement has a peak below ", Bytes(bound_.peak), ", since ", Because(), ":"));
    std::vector<size_t> witnesses;
    for (size_t i : bound_.buffers) {
      if (i < problem_.buffers.size()) witnesses.push_back(i);
    }
    std::sort(witnesses.begin(), witnesses.end(), [this](size_t a, size_t b) {
      const uint64_t x = problem_.buffers[a].size, y = problem_.buffers[b].size;
      return x != y ? x > y : a < b;
    });
    for (size_t k = 0; k < std::min(witnesses.size(), kMostNamed); ++k) Say(Describe(witnesses[k]));
    if (witnesses.size() <= kMostNamed) return;
    uint64_t rest = 0;
    for (size_t k = kMostNamed; k < witnesses.size(); ++k)
      rest = SaturatingAdd(rest, problem_.buffers[witnesses[k]].size);
    Say(absl::StrCat("  and ", witnesses.size() - kMostNamed, " more of together ", Bytes(rest), " bytes"));
  }

  std::string Because() const {
    const std::string where = bound_.space == 0 ? "" : absl::StrCat(" in space ", bound_.space);
    switch (bound_.rule) {
      case Certificate::Rule::kAlignment:
        return absl::StrCat("of what is in use at time ", bound_.time, where,
                            " sizes and alignments waste some in any order");
      case Certificate::Rule::kFixed:
        return absl::StrCat("a fixed offset reaches there", where);
      default:
        return absl::StrCat("so many bytes are in use at time ", bound_.time, where);
    }
  }

  // What would fit.
  void WriteRoom() {
    if (!problem_.capacity) return;
    const uint64_t capacity = *problem_.capacity;
    if (capacity < bound_.peak) return WriteShortage(bound_.peak - capacity);
    if (top_ && !is_placement_) return;
    if (top_ && top_->end <= capacity) {
      return Say(absl::StrCat(Bytes(capacity - top_->end), " bytes of the capacity are left above it."));
    }
    if (top_) return Say(absl::StrCat("It would fit a capacity of ", Bytes(top_->end), "."));
    if (plan_.status == Status::kInfeasible) {
      return Say("The lower bound fits the capacity; the planner claims a proof that no placement does.");
    }
    Say("The lower bound fits the capacity: whether a placement does is for an exact planner to say "
        "(--subject model:branch_and_bound).");
    const std::optional<uint64_t> enough = SideBySide();
    if (enough)
      Say(absl::StrCat("A capacity of ", Bytes(*enough), " surely fits: nothing needs to share memory."));
  }

  void WriteShortage(uint64_t missing) {
    Say(absl::StrCat("Nothing fits: the capacity is ", Bytes(missing), " bytes short of the lower bound."));
    if (bound_.rule == Certificate::Rule::kFixed) return Say("A lower fixed offset would help.");
    // The smallest of them that alone is large enough.
    std::optional<size_t> one;
    for (size_t i : bound_.buffers) {
      if (i >= problem_.buffers.size() || problem_.buffers[i].size < missing) continue;
      const Buffer& b = problem_.buffers[i];  // one of those without which that much less would be in use for sure
      if (b.group != 0 || !b.gaps.empty() || !b.slices.empty()) continue;
      if (!one || problem_.buffers[i].size < problem_.buffers[*one].size) one = i;
    }
    std::string line =
        absl::StrCat("At time ", bound_.time, " at least ", Bytes(missing), " bytes less must be in use");
    if (one) absl::StrAppend(&line, ", such as by ", Name(*one), " not being live then");
    Say(line + ".");
  }

  // Legal, and rarely meant.
  void WriteOddities() {
    std::set<std::string_view> ids;
    std::optional<size_t> twice, gap, slices;
    for (size_t i = 0; i < problem_.buffers.size(); ++i) {
      const Buffer& b = problem_.buffers[i];
      uint64_t sum = 0;
      for (const Slice& slice : b.slices) sum = SaturatingAdd(sum, slice.size);
      const auto does_nothing = [&](const Gap& g) { return std::max(g.lower, b.start) >= std::min(g.upper, b.end); };
      if (!twice && !ids.insert(b.id).second) twice = i;
      if (!gap && std::any_of(b.gaps.begin(), b.gaps.end(), does_nothing)) gap = i;
      if (!slices && sum > b.size) slices = i;
    }
    if (twice) Say(absl::StrCat("Note: more than one buffer has the id ", Name(*twice), "."));
    if (gap) Say(absl::StrCat("Note: a gap of ", Name(*gap), " has no time of its life in it, so it does nothing."));
    if (slices) Say(absl::StrCat("Note: the slices of ", Name(*slices), " are more than its size; the rest does not count."));
  }

  // A capacity that holds all buffers one above the other; nothing where a fixed offset forbids to say so.
  std::optional<uint64_t> SideBySide() const {
    uint64_t end = 0;
    for (const Buffer& b : problem_.buffers) {
      if (b.fixed || b.group != 0) return std::nullopt;
      const std::optional<uint64_t> at = CheckedRoundUp(end, AlignmentOf(b));
      if (!at || !CheckedAdd(*at, b.size)) return std::nullopt;
      end = *at + b.size;
    }
    return end;
  }

  const Problem& problem_;
  const Plan& plan_;
  const Certificate bound_;
  const std::optional<Top> top_;
  Reasons broken_;             // of what every plan must keep, whatever its planner promised
  bool is_placement_ = false;  // but for a capacity that it may not keep
  std::string text_;
};

}  // namespace

std::string Explain(const Problem& problem, const Plan& plan) { return Explanation(problem, plan).Write(); }

}  // namespace oomph::placement
