// See oracles.h. Each is simpler than the models: it knows no rule of padding, canonical form or frames, only what follows from
// what memory is and from the text of the program.
#include "models/sparsecore/oracles.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "models/base/units.h"
#include "models/base/words.h"
#include "models/hlo/crash_site.h"
#include "models/message/sparsecore_oom.h"
#include "models/sparsecore/answer_text.h"
#include "models/sparsecore/compare.h"
#include "models/sparsecore/memory.h"
#include "models/sparsecore/promises.h"
#include "models/sparsecore/words.h"

namespace oomph::sparsecore {
namespace {

constexpr uint64_t kAddedUnchecked = 16;  // words

template <typename... Args>
void Say(Reasons& reasons, std::string_view oracle, std::string_view detail, const absl::FormatSpec<Args...>& text,
         const Args&... args) {
  reasons.Add(oracle, detail, 0, absl::StrFormat(text, args...));
}

std::string SpaceText(Space space) { return std::string(SparseCoreSpaceName(space)); }
size_t IndexOf(Space space) { return static_cast<size_t>(space); }
uint64_t LastOf(const Placed& placed) { return SaturatingAdd(placed.base, SaturatingSub(placed.words, 1)); }
bool IsOfBuffer(const Question& q, const Placed& placed) { return placed.buffer < q.program.buffers.size(); }

// ---- The answer as such ----

// Whoever is asked ends, by itself and in time. Where it says it died: crashes of two places are two faults.
void Ends(const Question& q, Reasons& reasons) {
  if (q.answer.status == Status::kDied) Say(reasons, "ends", hlo::DeathOf(q.answer.why), "it died: %s", OneLine(q.answer.why));
  if (q.answer.status == Status::kHung) Say(reasons, "ends", "hung", "it did not end: %s", OneLine(q.answer.why));
}

// What it answers can be read, and refuses or plans, not both.
void AnswerIsReadable(const Question& q, Reasons& reasons) {
  if (q.answer.status == Status::kRubbish) {
    Say(reasons, "answer_is_readable", "rubbish", "the answer cannot be read: %s", OneLine(q.answer.why));
  } else if (q.answer.status == Status::kPlanned && (q.answer.overrun || !q.answer.message.empty())) {
    Say(reasons, "answer_is_readable", "both", "it plans the program, and prints a refusal");
  }
}

void TakesWhatItPromised(const Question& q, Reasons& reasons) {
  // No kernel of the scalar core has a tile's memories.
  if (q.answer.status != Status::kDeclined || (FeaturesOf(q.program) & feature::Bit(feature::kOtherCore)) != 0) return;
  Say(reasons, "takes_what_it_promised", "declined", "a program that it promised to answer is declined: %s", OneLine(q.answer.why));
}

// It says which words of which memory there are not.
void OverrunIsTold(const Question& q, Reasons& reasons) {
  if (q.answer.status != Status::kOverBound || q.answer.overrun) return;
  Say(reasons, "overrun_is_told", "missing", "it refuses the program, and does not tell for which allocation");
}

// Of each memory that has a buffer.
void HighWaterIsTold(const Question& q, Reasons& reasons) {
  if (q.answer.status != Status::kPlanned) return;
  for (uint32_t b = 0; b < q.program.buffers.size(); ++b) {
    const Space memory = MemoryOf(q.program, q.structure, b);
    if (!q.written[b] || q.answer.high_water[IndexOf(memory)]) continue;
    Say(reasons, "high_water_is_told", "missing", "how much of %s is used is not told", SpaceText(memory));
    return;
  }
}

// ---- Each buffer ----

// No word belongs to two buffers that are live at once. The tiles' memory is spmem: what lies there for all of a kernel is not
// handed out a second time.
class LiveWords {
 public:
  // The answer's place that has a word of `placed` already; null: none.
  const Placed* Begin(const Placed& placed, uint64_t base, uint64_t end) {
    const auto after = at_.lower_bound(base);
    if (after != at_.end() && after->first < end) return after->second.placed;
    if (after != at_.begin() && std::prev(after)->second.end > base) return std::prev(after)->second.placed;
    at_[base] = {end, &placed};
    return nullptr;
  }
  void End(uint64_t base) { at_.erase(base); }

 private:
  struct Taken {
    uint64_t end;
    const Placed* placed;
  };
  std::map<uint64_t, Taken> at_;
};

void LiveBuffersAreApart(const Question& q, Reasons& reasons) {
  struct Event {
    uint32_t at, until;
    const Placed* placed;
  };
  std::vector<Event> events;
  for (const Placed& placed : q.answer.placed) {
    if (placed.words == 0) continue;
    const bool scratch = IsOfBuffer(q, placed) && q.structure.IsScratch(q.program, placed.buffer);
    if (IsOfBuffer(q, placed)) {
      const uint32_t at = q.structure.allocated[placed.buffer];
      if (at != kNowhere) events.push_back({scratch ? 0 : at, q.structure.lives_to[placed.buffer], &placed});
    } else if (placed.statement < q.program.statements.size()) {
      events.push_back({placed.statement, placed.statement + 1, &placed});
    }
  }
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return a.at != b.at ? a.at < b.at : a.placed < b.placed;
  });
  std::array<LiveWords, kSparseCoreSpaces> live;
  struct Open {
    uint32_t until;
    size_t memory;
    uint64_t base;
  };
  std::vector<Open> open;  // nested: what ends first began last
  for (const Event& event : events) {
    while (!open.empty() && open.back().until <= event.at) live[open.back().memory].End(open.back().base), open.pop_back();
    const Placed& placed = *event.placed;
    const auto begin = [&](Space memory, uint64_t base, uint64_t end) {
      const Placed* other = live[IndexOf(memory)].Begin(placed, base, end);
      if (other == nullptr) return open.push_back({event.until, IndexOf(memory), base});
      Say(reasons, "live_buffers_are_apart", SparseCoreSpaceName(memory), "%s at %u and %s at %u live at once and share words of %s",
          NameOf(q.program, placed.buffer), placed.base, NameOf(q.program, other->buffer), other->base, SpaceText(memory));
    };
    begin(placed.space, placed.base, SaturatingAdd(placed.base, placed.words));
    if (!reasons.empty()) return;
    // Whole words of the tiles; what shares one with its neighbour is apart in spmem.
    const uint64_t lower = CeilDiv(placed.base, kTilesOfSpmem), upper = SaturatingAdd(placed.base, placed.words) / kTilesOfSpmem;
    if (placed.space == Space::kSpmem && q.program.core == Core::kVector && lower < upper) begin(Space::kTileSpmem, lower, upper);
    if (!reasons.empty()) return;
  }
}

// All that is planned lies where the memory is, its last word included.
void PlacesAreInTheirMemory(const Question& q, Reasons& reasons) {
  for (const Placed& placed : q.answer.placed) {
    const uint64_t first = FirstWordOf(q.program, placed.space), last = LastWordOf(q.program, placed.space);
    if (placed.words == 0) continue;
    if (placed.base >= first && LastOf(placed) <= last) continue;
    Say(reasons, "places_are_in_their_memory", placed.base < first ? "below" : "above", "%s lies at %u to %u of %s, which has %u to %u",
        NameOf(q.program, placed.buffer), placed.base, LastOf(placed), SpaceText(placed.space), first, last);
    return;
  }
}

// A buffer has room for all of its elements; what lies in spmem for the tiles, for each of them.
void ABufferHasRoom(const Question& q, Reasons& reasons) {
  for (const Placed& placed : q.answer.placed) {
    if (!IsOfBuffer(q, placed)) continue;
    const Buffer& buffer = q.program.buffers[placed.buffer];
    const bool of_tiles = buffer.space == Space::kTileSpmem && placed.space == Space::kSpmem;
    const uint64_t least = of_tiles ? SaturatingMul(LeastWords(buffer), kTilesOfSpmem) : LeastWords(buffer);
    if (placed.words >= least) continue;
    Say(reasons, "a_buffer_has_room", SparseCoreSpaceName(placed.space), "%s takes %u words, its elements %u",
        NameOf(q.program, placed.buffer), placed.words, least);
    return;
  }
}

// Where all fits, each buffer that is written has a place, in its memory, and no buffer has two.
void WrittenBuffersArePlaced(const Question& q, Reasons& reasons) {
  std::vector<uint32_t> times(q.program.buffers.size(), 0);
  for (const Placed& placed : q.answer.placed) {
    if (!IsOfBuffer(q, placed)) continue;
    const Space memory = MemoryOf(q.program, q.structure, placed.buffer);
    if (++times[placed.buffer] > 1) {
      return Say(reasons, "written_buffers_are_placed", "twice", "%s is planned twice", NameOf(q.program, placed.buffer));
    }
    if (placed.space != memory) {
      return Say(reasons, "written_buffers_are_placed", "memory", "%s is planned in %s", NameOf(q.program, placed.buffer), SpaceText(placed.space));
    }
  }
  if (q.answer.status != Status::kPlanned) return;
  for (uint32_t b = 0; b < times.size(); ++b) {
    if (!q.written[b] || times[b] == 1) continue;
    return Say(reasons, "written_buffers_are_placed", "missing", "%s is written, and has no place", NameOf(q.program, b));
  }
}

// ---- The whole ----

// What is refused ends behind the last word.
void OverrunIsOver(const Question& q, Reasons& reasons) {
  if (!q.answer.overrun) return;
  const Overrun& over = *q.answer.overrun;
  if (over.bound <= over.limit) {
    Say(reasons, "overrun_is_over", "fits", "refused is what ends at %u, the last word is %u", over.bound, over.limit);
  } else if (over.bound != kMaxBytes && over.words > over.bound + 1) {
    Say(reasons, "overrun_is_over", "words", "%u words end at %u", over.words, over.bound);
  }
}

// The limit is the last word of the memory.
void LimitIsTheMemorys(const Question& q, Reasons& reasons) {
  if (!q.answer.overrun) return;
  const Overrun& over = *q.answer.overrun;
  const uint64_t last = LastWordOf(q.program, over.space);
  if (over.limit == last) return;
  Say(reasons, "limit_is_the_memorys", SparseCoreSpaceName(over.space), "the last word of %s is told to be %u, it is %u",
      SpaceText(over.space), over.limit, last);
}

// The high-water mark is above all that is planned, and not above the memory.
void HighWaterIsTheHighest(const Question& q, Reasons& reasons) {
  for (const Placed& placed : q.answer.placed) {
    const auto& high = q.answer.high_water[IndexOf(placed.space)];
    if (!high || placed.words == 0 || *high > LastOf(placed)) continue;
    return Say(reasons, "high_water_is_the_highest", "low", "%u words of %s are told to be used, %s ends at %u", *high, SpaceText(placed.space),
               NameOf(q.program, placed.buffer), LastOf(placed));
  }
  for (size_t s = 0; s < kSparseCoreSpaces; ++s) {
    const auto& high = q.answer.high_water[s];
    const uint64_t all = SaturatingAdd(LastWordOf(q.program, static_cast<Space>(s)), 1);
    // The first words are used where nothing else is; the compiler adds a few that no bound is checked of.
    const uint64_t most = SaturatingAdd(std::max(all, FirstWordOf(q.program, static_cast<Space>(s))), kAddedUnchecked);
    if (!high || *high <= most || q.answer.placed.empty()) continue;
    const bool any = std::any_of(q.answer.placed.begin(), q.answer.placed.end(), [&](const Placed& p) { return IndexOf(p.space) == s; });
    if (any) return Say(reasons, "high_water_is_the_highest", "high", "%u words of %s are used, there are %u", *high, SpaceText(static_cast<Space>(s)), all);
  }
}

// Where all fits, what lives at once fits, too, if it were packed without a gap; and no fewer words are told to be used.
void WhatLivesFits(const Question& q, Reasons& reasons) {
  if (q.answer.status != Status::kPlanned) return;
  std::vector<uint64_t> words;
  for (const Buffer& buffer : q.program.buffers) words.push_back(LeastWords(buffer));
  const MostLive most = MostLiveWords(q.program, q.structure, q.written, words);
  const bool huge = (FeaturesOf(q.program) & feature::Bit(feature::kLarge)) != 0;
  std::array<bool, kSparseCoreSpaces> has = {};  // of a tile its own: what is in spmem alone has that limit
  for (uint32_t b = 0; b < words.size(); ++b) {
    if (q.written[b] && words[b] > 0) has[IndexOf(MemoryOf(q.program, q.structure, b))] = true;
  }
  for (size_t s = 0; s < kSparseCoreSpaces; ++s) {
    const Space space = static_cast<Space>(s);
    const auto& high = q.answer.high_water[s];
    if (has[s] && most[s] - 1 > LastWordOf(q.program, space)) {
      return Say(reasons, "what_lives_fits", huge ? "huge" : SparseCoreSpaceName(space), "%u words of %s live at once, there are %u", most[s], SpaceText(space),
                 SaturatingAdd(LastWordOf(q.program, space), 1));
    }
    if (high && *high < most[s]) {
      return Say(reasons, "what_lives_fits", "high_water", "%u words of %s live at once, %u are told to be used", most[s], SpaceText(space), *high);
    }
  }
}

// What is refused would not fit where nothing is shared, either: with twice the padded words of every buffer, for what is rounded
// and what the compiler adds.
void ARefusalHasAReason(const Question& q, Reasons& reasons) {
  if (!q.answer.overrun) return;
  constexpr uint64_t kAdded = 4096, kGranule = 128;
  const Overrun& over = *q.answer.overrun;
  uint64_t sum = SaturatingAdd(FirstWordOf(q.program, over.space), kAdded);
  for (uint32_t b = 0; b < q.program.buffers.size(); ++b) {
    if (q.structure.allocated[b] == kNowhere) continue;
    uint64_t words = WordsOf(q.program, q.program.buffers[b], q.structure.IsScratch(q.program, b));
    const Space memory = MemoryOf(q.program, q.structure, b);
    const bool of_tiles = memory != q.program.buffers[b].space;
    if (of_tiles && over.space == Space::kSpmem) words = SaturatingMul(words, kTilesOfSpmem);
    if (memory == over.space || (memory == Space::kSpmem && over.space == Space::kTileSpmem)) {
      sum = SaturatingAdd(sum, SaturatingMul(2, SaturatingAdd(words, kGranule)));
    }
  }
  for (const Statement& statement : q.program.statements) sum = SaturatingAdd(sum, statement.kind == Kind::kCopy);
  if (over.bound <= sum || over.bound == kMaxBytes) return;
  Say(reasons, "a_refusal_has_a_reason", SparseCoreSpaceName(over.space), "what ends at %u of %s is refused; all buffers together take less than %u",
      over.bound, SpaceText(over.space), sum);
}

// The text of a refusal is read back to its numbers.
void TextReadsBack(const Question& q, Reasons& reasons) {
  if (q.answer.status != Status::kOverBound || !q.answer.overrun) return;
  const Overrun& over = *q.answer.overrun;
  const absl::StatusOr<SparseCoreOom> oom = ReadSparseCoreOom(q.answer.message);
  if (!oom.ok()) return Say(reasons, "text_reads_back", "unknown", "no known form of a refusal: %s", OneLine(q.answer.message));
  // A model's number that is too large for the text stands as the largest there; a compiler's may be wrapped in both.
  const auto is = [](int64_t printed, uint64_t words) {
    return static_cast<uint64_t>(printed) == words || printed == static_cast<int64_t>(std::min<uint64_t>(words, INT64_MAX));
  };
  const bool equal = is(oom->bound, over.bound) && is(oom->limit, over.limit) && is(oom->words, over.words);
  if (!equal) Say(reasons, "text_reads_back", "numbers", "other numbers stand in the text: %s", OneLine(q.answer.message));
}

constexpr std::array kRows = {
    OracleRow{{"ends", "every compiler's contract"}, Ends},
    OracleRow{{"answer_is_readable", "a status, and a refusal only with one (answer.h)"}, AnswerIsReadable},
    OracleRow{{"takes_what_it_promised", "promise total: every program of the features that it has", promise::kTotal}, TakesWhatItPromised},
    OracleRow{{"overrun_is_told", "promise overrun", promise::kOverrun}, OverrunIsTold},
    OracleRow{{"high_water_is_told", "promise high_water", promise::kHighWater}, HighWaterIsTold},
    OracleRow{{"live_buffers_are_apart", "no word holds two values"}, LiveBuffersAreApart},
    OracleRow{{"places_are_in_their_memory", "bounds are inclusive, exactly as E3000 prints them (docs/FACTS.md)"}, PlacesAreInTheirMemory},
    OracleRow{{"a_buffer_has_room", "every element lies somewhere"}, ABufferHasRoom},
    OracleRow{{"written_buffers_are_placed", "promise placed: one place for each", promise::kPlaced}, WrittenBuffersArePlaced},
    OracleRow{{"overrun_is_over", "what E3000 says"}, OverrunIsOver},
    OracleRow{{"limit_is_the_memorys", "the limits of E3000 are those of the chip, or the program's own (docs/FACTS.md)"}, LimitIsTheMemorys},
    OracleRow{{"high_water_is_the_highest", "what a high-water mark is"}, HighWaterIsTheHighest},
    OracleRow{{"what_lives_fits", "no plan is better than the most words that live at once"}, WhatLivesFits},
    OracleRow{{"a_refusal_has_a_reason", "sharing nothing is a plan, too"}, ARefusalHasAReason},
    OracleRow{{"text_reads_back", "promise text: people read the numbers from it", promise::kText}, TextReadsBack},
};

}  // namespace

std::span<const OracleRow> Oracles() { return kRows; }

void JudgeAnswer(const Program& program, const Answer& answer, Bits64 promises, Reasons& reasons) {
  if (answer.status == Status::kNotRun) return;
  Structure structure;
  FindStructure(program, structure);
  const std::vector<bool> written = WrittenBuffers(program, structure);
  const Question question = {program, structure, written, answer};
  Reasons one;  // oracles look only at their own
  for (const OracleRow& row : kRows) {
    if (row.info.promise != 0 && (row.info.promise & promises) == 0) continue;
    one.clear();
    row.ask(question, one);
    for (const Reason& reason : one.list()) reasons.Add(reason.oracle, reason.detail, reason.step, reason.text);
  }
}

}  // namespace oomph::sparsecore
