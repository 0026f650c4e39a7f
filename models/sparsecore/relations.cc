// See relations.h.
#include "models/sparsecore/relations.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "models/base/units.h"
#include "models/sparsecore/answer_text.h"
#include "models/sparsecore/compare.h"
#include "models/sparsecore/memory.h"
#include "models/sparsecore/promises.h"
#include "models/sparsecore/structure.h"
#include "models/sparsecore/words.h"

namespace oomph::sparsecore {
namespace {

constexpr uint64_t kTileRounding = 8;  // words of a tile: 128 of spmem
constexpr size_t kTile = static_cast<size_t>(Space::kTileSpmem);

void Differ(std::string_view name, std::string_view detail, const Answer& answer, const Answer& related, Reasons& reasons) {
  reasons.Add(name, detail, 0, absl::StrCat(Summary(answer), "; of the changed program ", Summary(related)));
}

// Of 2^58 words and more nobody who computes in bits is right, and that is a finding of its own.
bool IsLarge(const Program& program) { return (FeaturesOf(program) & feature::Bit(feature::kLarge)) != 0; }
bool IsRefused(const Answer& answer) { return Decides(answer) && answer.status != Status::kPlanned; }

// ---- What two answers must have in common ----

void JudgeRepeated(std::string_view name, const Program&, const Answer& answer, const Answer& related, Reasons& reasons) {
  if (!Decides(answer) || !Decides(related) || answer == related) return;
  Differ(name, "answer", answer, related, reasons);
}

// Everything but which statement and buffer it is.
void JudgeEqual(std::string_view name, const Program&, const Answer& answer, const Answer& related, Reasons& reasons) {
  if (!Decides(answer) || !Decides(related)) return;
  if (answer.status != related.status) return Differ(name, "status", answer, related, reasons);
  if (answer.overrun && related.overrun) {
    const Overrun &a = *answer.overrun, &b = *related.overrun;
    if (a.space != b.space || a.bound != b.bound || a.limit != b.limit || a.words != b.words) return Differ(name, "overrun", answer, related, reasons);
  }
  for (size_t s = 0; s < kSparseCoreSpaces; ++s) {
    const auto &a = answer.high_water[s], &b = related.high_water[s];
    if (a && b && *a != *b) return Differ(name, "high_water", answer, related, reasons);
  }
}

// An easier program: no failure in place of a fit, and no more words where both fit.
void JudgeEasier(std::string_view name, const Program&, const Answer& answer, const Answer& related, Reasons& reasons) {
  if (!Decides(answer) || !Decides(related)) return;
  if (answer.status == Status::kPlanned && IsRefused(related)) return Differ(name, "status", answer, related, reasons);
  for (size_t s = 0; s < kSparseCoreSpaces; ++s) {
    const auto &a = answer.high_water[s], &b = related.high_water[s];
    if (a && b && *b > *a) return Differ(name, "high_water", answer, related, reasons);
  }
}

// A higher limit: no failure in place of a fit, and what was planned stays where it is.
void JudgeHigherLimit(std::string_view name, const Program&, const Answer& answer, const Answer& related, Reasons& reasons) {
  if (!Decides(answer) || !Decides(related)) return;
  if (answer.status == Status::kPlanned && IsRefused(related)) return Differ(name, "status", answer, related, reasons);
  for (size_t i = 0; i < std::min(answer.placed.size(), related.placed.size()); ++i) {
    if (!(answer.placed[i] == related.placed[i])) return Differ(name, "placed", answer, related, reasons);
  }
}

// The tiles' words differ by what a buffer of spmem is rounded, and so does the verdict.
void JudgeScoped(std::string_view name, const Program& program, const Answer& answer, const Answer& related, Reasons& reasons) {
  if (!Decides(answer) || !Decides(related)) return;
  const auto &a = answer.high_water[kTile], &b = related.high_water[kTile];
  if (a && b && (*a > SaturatingAdd(*b, kTileRounding) || *b > SaturatingAdd(*a, kTileRounding))) {
    return Differ(name, "high_water", answer, related, reasons);
  }
  if ((answer.status == Status::kPlanned) == (related.status == Status::kPlanned)) return;
  const Answer &fits = answer.status == Status::kPlanned ? answer : related, &refused = answer.status == Status::kPlanned ? related : answer;
  const auto& high = fits.high_water[kTile];
  if (!high || !refused.overrun) return;
  const bool of_tiles = refused.overrun->space == Space::kTileSpmem || refused.overrun->space == Space::kSpmem;
  if (!of_tiles) return Differ(name, "space", answer, related, reasons);
  const uint64_t last = LastWordOf(program, refused.overrun->space) / (refused.overrun->space == Space::kSpmem ? kTilesOfSpmem : 1);
  if (SaturatingAdd(*high, kTileRounding) <= last) Differ(name, "status", answer, related, reasons);
}

// ---- How a program is changed ----

bool Same(const Program& program, Program& into) {
  into = program;
  return true;
}

// A type of as many bits. A truth value is not what it looks like.
Type OtherOf(Type type) {
  switch (type) {
    case Type::kF32: return Type::kU32;
    case Type::kS32: return Type::kF32;
    case Type::kU32: return Type::kS32;
    case Type::kBf16: return Type::kS16;
    case Type::kS16: return Type::kU16;
    case Type::kU16: return Type::kF16;
    case Type::kF16: return Type::kBf16;
    case Type::kS8: return Type::kF8e4m3fn;
    case Type::kU8: return Type::kS8;
    case Type::kF8e4m3fn: return Type::kU8;
    case Type::kS4: return Type::kU4;
    case Type::kU4: return Type::kS4;
    default: return type;
  }
}
bool ChangeTypes(const Program& program, Program& into) {
  into = program;
  for (Buffer& buffer : into.buffers) {
    const bool tiles = buffer.space == Space::kTileSpmem || buffer.space == Space::kSpmem;
    if (tiles) buffer.type = OtherOf(buffer.type);
  }
  return !(into == program);
}

void Insert(Program& program, size_t at, const Statement& statement) {
  program.statements.insert(program.statements.begin() + static_cast<ptrdiff_t>(at), statement);
}

// Work in front of all others. What is last where stays so.
bool AddWork(const Program& program, Program& into) {
  if (program.statements.empty() || program.statements[0].kind == Kind::kEnd || program.statements[0].kind == Kind::kElse) return false;
  into = program;
  Insert(into, 0, {Kind::kWork});
  const auto is_scratch = [](const Statement& statement) { return statement.kind == Kind::kScratch; };
  return !std::all_of(program.statements.begin(), program.statements.end(), is_scratch);
}

bool IsPlain(const Program& program) { return (FeaturesOf(program) & feature::Bit(feature::kOdd)) == 0; }

// Statements first .. last of the body, once more behind them, with buffers of their own.
void Repeat(const Program& program, size_t first, size_t last, Program& into) {
  into = program;
  std::map<uint32_t, uint32_t> copies;
  std::vector<Statement> again(program.statements.begin() + static_cast<ptrdiff_t>(first), program.statements.begin() + static_cast<ptrdiff_t>(last) + 1);
  for (const Statement& statement : again) {
    if (statement.kind != Kind::kAllocate) continue;
    copies[statement.buffer] = static_cast<uint32_t>(into.buffers.size());
    Buffer copy = program.buffers[statement.buffer];
    absl::StrAppend(&copy.name, "_again");
    into.buffers.push_back(std::move(copy));
  }
  for (Statement& statement : again) {
    const auto copy = copies.find(statement.buffer);
    if (Names(statement.kind) && copy != copies.end()) statement.buffer = copy->second;
  }
  into.statements.insert(into.statements.begin() + static_cast<ptrdiff_t>(last) + 1, again.begin(), again.end());
}

// A scope of the body that something follows stands there twice.
bool RepeatScope(const Program& program, Program& into) {
  if (!IsPlain(program) || program.statements.size() > 2000) return false;
  Structure structure;
  FindStructure(program, structure);
  for (size_t i = 0; i < program.statements.size(); ++i) {
    const Statement& statement = program.statements[i];
    if (statement.kind != Kind::kScope || structure.parent[i] != kNowhere) continue;
    const size_t end = structure.partner[i];
    // What follows stays: work, or a use of what must be there anyway.
    const bool followed = end + 1 < program.statements.size() && program.statements[end + 1].kind == Kind::kWork;
    const bool scratch = std::any_of(program.statements.begin() + static_cast<ptrdiff_t>(i), program.statements.begin() + static_cast<ptrdiff_t>(end),
                                     [](const Statement& s) { return s.kind == Kind::kScratch; });
    if (!followed || scratch) continue;
    Repeat(program, i, end, into);
    return true;
  }
  return false;
}

// All loops of two trips and more have one more, or as many as nobody knows.
bool ChangeTrips(const Program& program, Program& into) {
  into = program;
  for (Statement& statement : into.statements) {
    if (statement.kind != Kind::kFor || statement.trips < 2) continue;
    statement.trips = statement.trips == kUnknownTrips ? 3 : statement.trips < 100 ? statement.trips + 1 : 2;
  }
  return !(into == program);
}

// The largest dimension of a buffer is shorter by one: of the largest of those that are chosen by the count of statements.
bool Shrink(const Program& program, Program& into) {
  if (IsLarge(program) || program.buffers.empty()) return false;
  into = program;
  Buffer& buffer = into.buffers[program.statements.size() % program.buffers.size()];
  const auto largest = std::max_element(buffer.shape.begin(), buffer.shape.end());
  if (largest == buffer.shape.end() || *largest < 2) return false;
  --*largest;
  return true;
}

// Half as much again.
bool RaiseLimit(const Program& program, Program& into) {
  into = program;
  bool raised = false;
  for (SpaceLimit& limit : into.limits) {
    if (!limit.last_word || *limit.last_word >= kMaxBytes / 4) continue;
    *limit.last_word += *limit.last_word / 2 + 1;
    raised = true;
  }
  return raised;
}

// The last kernel-level scratch of the tiles is that of a scope around the body instead. Where the body does not end in what could
// be hoisted that changes nothing else.
bool ScopeScratch(const Program& program, Program& into) {
  constexpr Bits64 kNot = feature::Bit(feature::kOdd) | feature::Bit(feature::kLarge) | feature::Bit(feature::kSharedInTile) |
                          feature::Bit(feature::kOtherCore) | feature::Bit(feature::kOwnLimits);
  if ((FeaturesOf(program) & kNot) != 0 || program.core != Core::kVector) return false;
  size_t last = program.statements.size();
  for (size_t i = 0; i < program.statements.size(); ++i) {
    if (program.statements[i].kind == Kind::kScratch && program.buffers[program.statements[i].buffer].space == Space::kTileSpmem) last = i;
  }
  if (last == program.statements.size() || program.statements.back().kind != Kind::kWork) return false;
  Structure structure;
  FindStructure(program, structure);
  const uint32_t buffer = program.statements[last].buffer;
  if (!WrittenBuffers(program, structure)[buffer] || structure.parent.back() != kNowhere) return false;
  // Of some shapes rows are padded at the kernel's level only.
  if (WordsOf(program, program.buffers[buffer], true) != WordsOf(program, program.buffers[buffer], false)) return false;
  into = program;
  into.statements.erase(into.statements.begin() + static_cast<ptrdiff_t>(last));
  Insert(into, 0, {Kind::kAllocate, buffer});
  Insert(into, 0, {Kind::kScope});
  into.statements.push_back({Kind::kEnd});
  into.statements.push_back({Kind::kWork});
  return true;
}

constexpr std::array kRelations = {
    RelationRow{{"the_same_twice", "promise determinism: nothing but the program may decide", promise::kDeterminism}, Same, JudgeRepeated},
    RelationRow{{"a_type_is_its_bits", "promise words: memory does not know what it holds", promise::kWords}, ChangeTypes, JudgeEqual},
    RelationRow{{"work_takes_nothing", "promise frames: it allocates nothing", promise::kFrames}, AddWork, JudgeEqual},
    RelationRow{{"a_scope_leaves_nothing", "promise frames: siblings share", promise::kFrames}, RepeatScope, JudgeEqual},
    RelationRow{{"trips_do_not_count", "promise frames: every trip has the same words", promise::kFrames}, ChangeTrips, JudgeEqual},
    RelationRow{{"scratch_can_be_scoped", "promise frames: a tile's memory is one, whoever hands it out", promise::kFrames}, ScopeScratch, JudgeScoped},
    RelationRow{{"a_smaller_buffer_is_no_worse", "promise monotony: a bump grows with what is under it", promise::kMonotony}, Shrink, JudgeEasier},
    RelationRow{{"a_higher_limit_is_no_worse", "promise sweep: no place depends on the limit", promise::kSweep}, RaiseLimit, JudgeHigherLimit},
};

}  // namespace

std::span<const RelationRow> Relations() { return kRelations; }

}  // namespace oomph::sparsecore
