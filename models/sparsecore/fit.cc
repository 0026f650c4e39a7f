// See fit.h.
#include "models/sparsecore/fit.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "models/sparsecore/planner.h"
#include "models/sparsecore/structure.h"
#include "models/sparsecore/text.h"

namespace oomph::sparsecore {
namespace {

class Search {
 public:
  Search(const Program& program, const FitOptions& options) : program_(program), options_(options) {
    Normalize(program_);
    RunModel(program_, answer_);
    FindStructure(program_, structure_);
  }

  std::vector<Way> Run() {
    if (answer_.status != Status::kOverBound && answer_.status != Status::kOverHighWater) return {};
    if (program_.statements.size() > options_.most_statements) return {};
    FindBuffers();
    for (const uint32_t buffer : buffers_) Smaller(buffer);
    Linear();
    for (const uint32_t buffer : buffers_) Scope(buffer);
    Work();
    Chips();
    return std::move(ways_);
  }

 private:
  bool Fits(const Program& program) {
    planner_.Plan(program, scratch_);
    return scratch_.status == Status::kPlanned;
  }
  void Add(WayKind kind, uint32_t buffer, Program program) {
    if (Fits(program)) ways_.push_back({kind, buffer, std::move(program)});
  }

  // The one that fails and those below it, the largest first.
  void FindBuffers() {
    std::vector<Placed> all = LiveAtFailure(answer_);
    const std::optional<Overrun>& over = answer_.overrun;
    if (over && over->buffer != kNoBuffer) all.push_back({over->buffer, 0, over->space, 0, over->words});
    for (const Placed& placed : answer_.placed) {
      const bool is_below = over && over->space == Space::kTileSpmem && placed.space == Space::kSpmem;
      if (is_below || !over) all.push_back(placed);
    }
    std::sort(all.begin(), all.end(), [](const Placed& a, const Placed& b) { return a.words != b.words ? a.words > b.words : a.buffer < b.buffer; });
    for (const Placed& placed : all) {
      const bool is_new = std::find(buffers_.begin(), buffers_.end(), placed.buffer) == buffers_.end();
      if (placed.buffer != kNoBuffer && is_new && buffers_.size() < options_.most_buffers) buffers_.push_back(placed.buffer);
    }
  }

  // Below 2^58 words a smaller size in the same structure turns no fit into a failure (measured), so the largest that fits is
  // found by halves.
  void Smaller(uint32_t buffer) {
    Program program = program_;
    std::vector<uint64_t>& shape = program.buffers[buffer].shape;
    if (shape.empty()) return;
    uint64_t& size = *std::max_element(shape.begin(), shape.end());
    uint64_t fits = 0, fails = size;
    while (fails - fits > 1) {
      size = fits + (fails - fits) / 2;
      (Fits(program) ? fits : fails) = size;
    }
    if (fits == 0) return;
    size = fits;
    Add(WayKind::kSmaller, buffer, std::move(program));
  }

  void Linear() {
    if (program_.tiling != Tiling::kCompact) return;
    Program program = program_;
    program.tiling = Tiling::kLinear;
    Add(WayKind::kLinear, kNoBuffer, std::move(program));
  }

  // The statements of the region in which it is allocated that use it, or have a use in them: first, behind the last.
  std::optional<std::pair<size_t, size_t>> UsesOf(uint32_t buffer, uint32_t region) const {
    size_t begin = SIZE_MAX, end = 0;
    for (size_t i = 0; i < program_.statements.size(); ++i) {
      const Statement& s = program_.statements[i];
      if (s.buffer != buffer || s.kind < Kind::kUse || s.kind > Kind::kCopy) continue;
      size_t outer = i;
      while (structure_.parent[outer] != region && structure_.parent[outer] != kNowhere) outer = structure_.parent[outer];
      if (structure_.parent[outer] != region) return std::nullopt;
      begin = std::min(begin, outer);
      end = std::max(end, Opens(program_.statements[outer].kind) ? size_t{structure_.partner[outer]} + 1 : outer + 1);
    }
    if (end == 0) return std::nullopt;
    return std::pair(begin, std::min(end, program_.statements.size()));
  }

  void Scope(uint32_t buffer) {
    const uint32_t at = structure_.allocated[buffer];
    if (at == kNowhere) return;
    const uint32_t region = structure_.IsScratch(program_, buffer) ? kNowhere : structure_.parent[at];
    const auto uses = UsesOf(buffer, region);
    if (!uses) return;
    const auto [begin, end] = *uses;
    Program program = program_;
    program.statements.clear();
    const std::vector<Statement>& all = program_.statements;
    size_t behind_scope = 0;
    for (size_t i = 0; i < all.size(); ++i) {
      if (i == begin) {
        program.statements.push_back({Kind::kScope, kNoBuffer, 0});
        program.statements.push_back({Kind::kAllocate, buffer, 0});
      }
      if (i != at) program.statements.push_back(all[i]);
      if (i + 1 == end) {
        program.statements.push_back({Kind::kEnd, kNoBuffer, 0});
        behind_scope = program.statements.size();
      }
      // What is allocated there would be gone behind it.
      const bool is_inside = i >= begin && i < end && all[i].kind == Kind::kAllocate && i != at && structure_.parent[i] == region;
      if (is_inside) return;
    }
    // What is last would be hoisted.
    if (end == all.size() || all[end].kind == Kind::kEnd || all[end].kind == Kind::kElse) {
      Program behind = program;
      behind.statements.insert(behind.statements.begin() + static_cast<std::ptrdiff_t>(behind_scope), Statement{Kind::kWork, kNoBuffer, 0});
      if (!Fits(program)) program = std::move(behind);
    }
    Add(WayKind::kScope, buffer, std::move(program));
  }

  void Work() {
    Program program = program_;
    program.statements.clear();
    const std::vector<Statement>& all = program_.statements;
    for (size_t i = 0; i < all.size(); ++i) {
      program.statements.push_back(all[i]);
      const bool ends_scope = all[i].kind == Kind::kEnd && structure_.partner[i] != kNowhere &&
                              all[structure_.partner[i]].kind == Kind::kScope;
      const bool is_last = i + 1 == all.size() || all[i + 1].kind == Kind::kEnd || all[i + 1].kind == Kind::kElse;
      if (ends_scope && is_last) program.statements.push_back({Kind::kWork, kNoBuffer, 0});
    }
    if (program.statements.size() != all.size()) Add(WayKind::kWork, kNoBuffer, std::move(program));
  }

  void Chips() {
    if (!program_.limits.empty()) return;
    for (int i = 0; i < kTargets; ++i) {
      if (static_cast<Target>(i) == program_.target) continue;
      Program program = program_;
      program.target = static_cast<Target>(i);
      Add(WayKind::kChip, kNoBuffer, std::move(program));
    }
  }

  Program program_;
  const FitOptions options_;
  Answer answer_, scratch_;
  Structure structure_;
  Planner planner_;
  std::vector<uint32_t> buffers_;
  std::vector<Way> ways_;
};

}  // namespace

std::vector<Placed> LiveAtFailure(const Answer& answer) {
  if (!answer.overrun) return {};
  // Frames are a stack: what begins at or above the base of a later one was free by then.
  std::vector<Placed> live;
  const auto leave_above = [&](uint64_t base) {
    while (!live.empty() && live.back().base >= base && live.back().words > 0) live.pop_back();
  };
  for (const Placed& placed : answer.placed) {
    if (placed.space != answer.overrun->space) continue;
    leave_above(placed.base);
    live.push_back(placed);
  }
  const Overrun& over = *answer.overrun;
  if (over.bound >= over.words && over.bound != UINT64_MAX) leave_above(over.bound - over.words + 1);
  return live;
}

std::vector<Way> WaysToFit(const Program& program, const FitOptions& options) { return Search(program, options).Run(); }

}  // namespace oomph::sparsecore
