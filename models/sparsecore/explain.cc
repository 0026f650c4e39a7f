// See explain.h.
#include "models/sparsecore/explain.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "models/base/words.h"
#include "models/sparsecore/answer_text.h"
#include "models/sparsecore/fit.h"
#include "models/sparsecore/memory.h"
#include "models/sparsecore/planner.h"
#include "models/sparsecore/text.h"
#include "models/sparsecore/words.h"

namespace oomph::sparsecore {
namespace {

constexpr size_t kMostRows = 24;
constexpr size_t kMostNotes = 10;

std::string NameOfSpace(Space space) { return std::string(SparseCoreSpaceName(space)); }
std::string CoreWords(Core core) { return core == Core::kVector ? "a kernel of the vector subcores" : "a kernel of the scalar core"; }

// "b: tile_spmem f32[9,128]/8x128 at result.1:279:1 (%232)"
std::string WhatIs(const Program& program, uint32_t buffer) {
  std::string text = NameOf(program, buffer);
  if (buffer >= program.buffers.size()) return text;
  const Buffer& b = program.buffers[buffer];
  if (!b.place.empty()) absl::StrAppend(&text, " at ", OneLine(b.place));
  if (!b.value.empty()) absl::StrAppend(&text, " (", OneLine(b.value), ")");
  return text;
}

std::string Words(uint64_t words) { return words == 1 ? "1 word" : absl::StrCat(words, " words"); }

class Explanation {
 public:
  explicit Explanation(const Program& program) : program_(program) { RunModel(program, model_); }

  std::string Write(const Answer& answer) && {
    WriteEnd();
    if (model_.overrun) WriteLive();
    if (model_.status == Status::kPlanned) WriteMemories();
    WriteOther(answer);
    WriteWays();
    return std::move(text_);
  }

 private:
  template <typename... Pieces>
  void Line(const Pieces&... pieces) {
    absl::StrAppend(&text_, pieces..., "\n");
  }

  void WriteEnd() {
    const std::string on = absl::StrCat("On ", std::string(TargetName(program_.target)), ", ", CoreWords(program_.core), ": ");
    if (model_.status == Status::kPlanned) return Line(on, "all of its buffers fit.");
    if (!model_.overrun) {
      Line(on, "it does not fit, though each allocation is within its memory (", std::string(StatusWord(static_cast<int>(model_.status))), ").");
      if (!model_.message.empty()) Line("The compiler says: ", OneLine(model_.message));
      return;
    }
    const Overrun& over = *model_.overrun;
    Line(on, "the first allocation that does not fit is");
    Line("  ", WhatIs(program_, over.buffer));
    const bool has_base = over.bound != UINT64_MAX && over.bound >= over.words - (over.words > 0 ? 1 : 0);
    Line("It takes ", Words(over.words), " of ", NameOfSpace(over.space), " (a word has ", SparseCoreWordBytes(over.space), " bytes)",
         has_base ? absl::StrCat(" from word ", over.bound - over.words + 1, " on and ends at word ", over.bound) : std::string(),
         "; the last one there is ", over.limit, ": ",
         over.bound == UINT64_MAX ? std::string("the numbers do not even hold it") : absl::StrCat(Words(over.bound - over.limit), " too much"), ".");
    Line("The compiler says E3000.");
  }

  void Row(const Placed& placed) { Line(absl::StrFormat("%12d %12d  ", placed.base, placed.words), WhatIs(program_, placed.buffer)); }

  void WriteLive() {
    const Overrun& over = *model_.overrun;
    std::vector<Placed> live = LiveAtFailure(model_);
    std::vector<Placed> below;
    if (over.space == Space::kTileSpmem) {
      for (const Placed& placed : model_.placed) {
        if (placed.space == Space::kSpmem) below.push_back(placed);
      }
    }
    if (live.empty() && below.empty()) return Line("Nothing else is live in ", NameOfSpace(over.space), " then.");
    Line("");
    if (!live.empty()) WriteRows(absl::StrCat("Live in ", NameOfSpace(over.space), " then:"), std::move(live));
    if (!below.empty()) {
      WriteRows(absl::StrCat("Below them, in spmem, which is the same memory: each ", kTilesOfSpmem, " of its words take one of a tile:"),
                std::move(below));
    }
  }

  void WriteRows(const std::string& title, std::vector<Placed> rows) {
    Line(title);
    Line("   from word        words");
    if (rows.size() > kMostRows) {
      std::sort(rows.begin(), rows.end(), [](const Placed& a, const Placed& b) { return a.words != b.words ? a.words > b.words : a.base < b.base; });
      rest_ = 0;
      for (size_t i = kMostRows; i < rows.size(); ++i) rest_ += rows[i].words;
      const size_t more = rows.size() - kMostRows;
      rows.resize(kMostRows);
      for (const Placed& placed : rows) Row(placed);
      return Line("  and ", more, " smaller ones of ", Words(rest_), " together");
    }
    for (const Placed& placed : rows) Row(placed);
  }

  void WriteMemories() {
    Line("");
    Line("  memory            used      of words");
    for (size_t i = 0; i < kSparseCoreSpaces; ++i) {
      const auto& used = model_.high_water[i];
      if (!used || *used == 0) continue;
      const Space space = static_cast<Space>(i);
      Line(absl::StrFormat("  %-10s %11d  %12d", NameOfSpace(space), *used, LastWordOf(program_, space) + 1));
    }
  }

  void WriteOther(const Answer& answer) {
    const bool differs = answer.status != Status::kNotRun &&
                         (answer.status != model_.status || (answer.overrun && model_.overrun && !IsSame(*answer.overrun, *model_.overrun)));
    if (!differs) return;
    Line("");
    Line("Who was asked says otherwise: ", OneLine(Summary(answer)), ".");
  }
  static bool IsSame(const Overrun& a, const Overrun& b) {
    return a.space == b.space && a.bound == b.bound && a.limit == b.limit && a.words == b.words;
  }

  void WriteWays() {
    if (model_.status != Status::kOverBound && model_.status != Status::kOverHighWater) return;
    const std::vector<Way> ways = WaysToFit(program_);
    Line("");
    if (ways.empty()) {
      return Line("Nothing that was tried fits: one buffer smaller, other tiles, scopes, another chip. More than one of them has to change.");
    }
    Line("What would fit (each was planned; whether the kernel still computes what it should is yours to see):");
    for (const Way& way : ways) WriteWay(way);
  }

  void WriteWay(const Way& way) {
    switch (way.kind) {
      case WayKind::kSmaller:
        return Line("* at most ", PrintBuffer(way.program.buffers[way.buffer]), " for ", WhatIs(program_, way.buffer));
      case WayKind::kLinear:
        return Line("* use_tc_tiling_on_sc=False: only the last dimension of a buffer is padded");
      case WayKind::kScope:
        return Line("* run_scoped around what uses it, instead of for longer: ", WhatIs(program_, way.buffer));
      case WayKind::kWork:
        return Line("* an operation (a sync_copy, say) behind each run_scoped that is the last of its region: else the compiler takes its "
                    "buffers out of it, and they are live together");
      case WayKind::kChip:
        return Line("* ", std::string(TargetName(way.program.target)), " instead of ", std::string(TargetName(program_.target)));
    }
  }

  const Program& program_;
  Answer model_;
  std::string text_;
  uint64_t rest_ = 0;
};

bool IsOf(const SparseCoreOom& oom, Space space) {
  if (oom.memory) return *oom.memory == space;
  return oom.space == NameOfSpace(space) || oom.space == std::to_string(NumberOf(space));
}

// What a message says of an overrun.
bool Says(const SparseCoreOom& oom, const Overrun& over) {
  return IsOf(oom, over.space) && static_cast<int64_t>(over.bound) == oom.bound && static_cast<int64_t>(over.words) == oom.words;
}

std::vector<bool> ScratchOf(const Program& program) {
  std::vector<bool> is_scratch(program.buffers.size());
  for (const Statement& s : program.statements) {
    if (s.kind == Kind::kScratch && s.buffer < is_scratch.size()) is_scratch[s.buffer] = true;
  }
  return is_scratch;
}

// Words as they are printed: of kernel-level scratch in tile_spmem those of spmem.
bool HasWords(const SparseCoreOom& oom, const Program& program, uint32_t buffer, bool is_scratch) {
  const Buffer& b = program.buffers[buffer];
  const uint64_t words = WordsOf(program, b, is_scratch);
  if (IsOf(oom, b.space) && static_cast<int64_t>(words) == oom.words) return true;
  const uint64_t in_spmem = words > UINT64_MAX / kTilesOfSpmem / 2 ? 0 : (words * kTilesOfSpmem + 127) / 128 * 128;
  return b.space == Space::kTileSpmem && IsOf(oom, Space::kSpmem) && static_cast<int64_t>(in_spmem) == oom.words;
}

}  // namespace

std::string Explain(const Program& program, const Answer& answer) { return Explanation(program).Write(answer); }

std::string ExplainPrograms(std::span<const FromMlir> programs) {
  std::string text;
  for (const FromMlir& made : programs) {
    if (!text.empty()) text += "\n";
    absl::StrAppend(&text, "Function ", made.function.empty() ? "without a name" : OneLine(made.function), ". ");
    text += made.program.buffers.empty() ? std::string("It allocates nothing in a memory of a SparseCore.\n") : Explain(made.program, Answer());
    for (size_t i = 0; i < std::min(made.left_out.size(), kMostNotes); ++i) absl::StrAppend(&text, "Left out: ", OneLine(made.left_out[i]), ".\n");
    if (made.left_out.size() > kMostNotes) absl::StrAppend(&text, "and ", made.left_out.size() - kMostNotes, " more.\n");
  }
  return text;
}

std::optional<Found> FindInDump(const SparseCoreOom& oom, std::span<const FromMlir> programs) {
  for (size_t p = 0; p < programs.size(); ++p) {
    const std::vector<Buffer>& buffers = programs[p].program.buffers;
    const std::vector<bool> is_scratch = ScratchOf(programs[p].program);
    for (uint32_t b = 0; b < buffers.size(); ++b) {
      const bool is_there = !buffers[b].place.empty() && buffers[b].place == oom.place && HasWords(oom, programs[p].program, b, is_scratch[b]);
      if (is_there) return Found{Found::By::kPlace, p, b, 0};
    }
  }
  for (size_t p = 0; p < programs.size(); ++p) {
    Answer answer;
    RunModel(programs[p].program, answer);
    if (answer.overrun && Says(oom, *answer.overrun)) return Found{Found::By::kPlan, p, answer.overrun->buffer, 0};
  }
  std::optional<Found> found;
  for (size_t p = 0; p < programs.size(); ++p) {
    const std::vector<bool> is_scratch = ScratchOf(programs[p].program);
    for (uint32_t b = 0; b < is_scratch.size(); ++b) {
      if (!HasWords(oom, programs[p].program, b, is_scratch[b])) continue;
      if (found) {
        ++found->others;
      } else {
        found = Found{Found::By::kWords, p, b, 0};
      }
    }
  }
  return found;
}

std::string ExplainFound(const SparseCoreOom& oom, std::string_view name, std::span<const FromMlir> programs, const Found& found) {
  const FromMlir& made = programs[found.program];
  std::string text = absl::StrCat("In ", OneLine(std::string(name)), ", function ", OneLine(made.function), ", it is\n  ", WhatIs(made.program, found.buffer), "\n");
  switch (found.by) {
    case Found::By::kPlace:
      text += "by the place that the message names.\n";
      break;
    case Found::By::kPlan:
      text += "by planning it anew: memory, words and last word are those of the message.\n";
      break;
    case Found::By::kWords:
      absl::StrAppend(&text, "by its memory and its ", oom.words, " words, which ", found.others, " more have; planned anew for this chip another one fails first, or none.\n");
      break;
  }
  return absl::StrCat(text, "\n", Explain(made.program, Answer()));
}

}  // namespace oomph::sparsecore
