// See draw_parts.h. The order of draws is the format of tapes.
#include "models/sparsecore/draw_parts.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "models/base/units.h"
#include "models/sparsecore/answer.h"
#include "models/sparsecore/planner.h"
#include "models/sparsecore/structure.h"
#include "models/sparsecore/words.h"

namespace oomph::sparsecore {
namespace {

constexpr uint64_t kHbmUnits = 8;  // words of 4 bytes in one of HBM
constexpr uint64_t kRow = 128;
constexpr uint64_t kMostAimed = uint64_t{1} << 40;  // words: memories without end are not filled

template <size_t N>
uint64_t PickOf(Choices& choices, const uint64_t (&values)[N]) {
  return values[choices.Below(N)];
}

bool IsSemaphore(Space space) { return space == Space::kSflagTile || space == Space::kSflagScs; }
bool IsSmem(Space space) { return space == Space::kSmemTile || space == Space::kSmemScs; }

using SpaceShares = std::array<uint32_t, kSparseCoreSpaces>;  // spmem, tile_spmem, smem_tile, sflag_tile, smem_scs, sflag_scs, hbm
constexpr SpaceShares kVectorScratch = {5, 10, 3, 3, 0, 0, 2}, kVectorBody = {0, 12, 2, 2, 0, 0, 0};
constexpr SpaceShares kScalarScratch = {4, 0, 0, 0, 6, 4, 2}, kScalarBody = {4, 0, 0, 0, 6, 3, 1};
constexpr SpaceShares kAnySpace = {1, 1, 1, 1, 1, 1, 1};

struct TypeShare {
  Type type;
  uint32_t weight;
};
constexpr std::array kTypeShares = {
    TypeShare{Type::kF32, 10}, TypeShare{Type::kS32, 3},      TypeShare{Type::kBf16, 4}, TypeShare{Type::kS8, 2},
    TypeShare{Type::kS16, 2},  TypeShare{Type::kF8e4m3fn, 1}, TypeShare{Type::kU32, 1},  TypeShare{Type::kF16, 1},
    TypeShare{Type::kU8, 1},   TypeShare{Type::kS4, 1},       TypeShare{Type::kU4, 1},   TypeShare{Type::kPred, 1},
};
constexpr Type kOtherTypes[] = {Type::kF64, Type::kS64, Type::kC64, Type::kC128, Type::kS2, Type::kU1, Type::kBf16, Type::kS8, Type::kF32};

// Elements in a word of 4 bytes; a truth value is a word.
uint64_t PackingOf(Type type) {
  const uint64_t bits = type == Type::kPred ? 32 : hlo::RowOf(type).bits;
  return bits == 0 || bits > 32 ? 1 : 32 / bits;
}

uint64_t ElementsOf(const Buffer& buffer, uint64_t words) {
  return SaturatingMul(SaturatingMul(words, PackingOf(buffer.type)), buffer.space == Space::kHbm ? kHbmUnits : 1);
}

// The shape of exactly so many words, or of a tile less.
void SetWords(const Program& program, uint64_t words, Buffer& buffer) {
  buffer.tile.reset();
  const uint64_t elements = std::max<uint64_t>(ElementsOf(buffer, words), 1);
  if (buffer.space != Space::kHbm) {
    buffer.shape = {elements};
    return;
  }
  const uint64_t rows = program.tiling == Tiling::kCompact ? 8 : 1;
  buffer.shape = {std::max(RoundDown(elements / kRow, rows), rows), kRow};
}

uint64_t Jittered(Choices& choices, uint64_t n) {
  switch (choices.Below(5)) {
    case 1: return SaturatingAdd(n, 1);
    case 2: return std::max<uint64_t>(SaturatingSub(n, 1), 1);
    case 3: return std::max<uint64_t>(SaturatingSub(n, choices.Below(9)), 1);
    default: return std::max<uint64_t>(n, 1);
  }
}

void DrawTile(Choices& choices, Buffer& buffer) {
  static constexpr uint64_t kRows[] = {8, 16, 1, 2, 32, 3}, kColumns[] = {128, 8, 256, 16, 1, 100};
  buffer.tile.emplace();
  if (buffer.shape.size() >= 2 && choices.Below(3) != 0) buffer.tile->push_back(PickOf(choices, kRows));
  if (!buffer.shape.empty()) buffer.tile->push_back(PickOf(choices, kColumns));
  if (buffer.tile->empty()) buffer.tile.reset();
}

// A program's planner, kept for the next.
const Answer& PlanOf(const Program& program) {
  thread_local Planner planner;
  thread_local Answer answer;
  planner.Plan(program, answer);
  return answer;
}

}  // namespace

bool DrawSpace(Choices& choices, const GenerateOptions& options, const Program& program, bool scratch, Space& into) {
  const bool scalar = program.core == Core::kScalar;
  SpaceShares shares = scalar ? (scratch ? kScalarScratch : kScalarBody) : scratch ? kVectorScratch : kVectorBody;
  const bool shared = !scalar && !scratch && Can(options, feature::kSharedInTile);
  if (shared && choices.Chance(1, 64)) shares = {1, 0, 0, 0, 0, 0, 1};
  if (Can(options, feature::kOtherCore) && choices.Chance(1, 192)) {
    shares = kAnySpace;
    if (!shared && !scalar && !scratch) shares[0] = shares[6] = 0;
  }
  uint32_t sum = 0;
  for (size_t s = 0; s < shares.size(); ++s) {
    if (!Can(options, feature::kFirstSpace + static_cast<int>(s))) shares[s] = 0;
    sum += shares[s];
  }
  if (sum == 0) return false;
  into = static_cast<Space>(choices.Weighted(shares));
  return true;
}

Type DrawType(Choices& choices, const GenerateOptions& options, Space space) {
  if (Can(options, feature::kOtherTypes) && choices.Chance(1, 96)) {
    const Type type = kOtherTypes[choices.Below(std::size(kOtherTypes))];
    const bool packed = type == Type::kBf16 || type == Type::kS8;
    return packed && !Can(options, feature::kPacked) ? Type::kF64 : type;
  }
  if (IsSemaphore(space)) return Type::kS32;
  if (IsSmem(space)) return choices.Below(3) == 2 ? Type::kF32 : Type::kS32;
  std::array<uint32_t, kTypeShares.size()> weights;
  for (size_t i = 0; i < weights.size(); ++i) {
    const Type type = kTypeShares[i].type;
    const uint8_t bits = hlo::RowOf(type).bits;
    const int needs = type == Type::kPred ? feature::kPred : bits == 4 ? feature::kFourBits : bits < 32 ? feature::kPacked : -1;
    weights[i] = needs >= 0 && !Can(options, needs) ? 0 : kTypeShares[i].weight;
  }
  return kTypeShares[choices.Weighted(weights)].type;
}

uint64_t DrawWords(Choices& choices, const Program& program, Space space) {
  const uint64_t all = std::min(SaturatingAdd(LastWordOf(program, space), 1), kMostAimed);
  static constexpr std::array<uint32_t, 5> kShares = {6, 8, 3, 1, 1};
  switch (choices.Weighted(kShares)) {
    case 1: return std::max<uint64_t>(all / (3 + choices.Below(14)), 1);
    case 2: return std::max<uint64_t>(all / 2 - choices.Below(all / 4 + 1), 1);
    case 3: return all - choices.Below(all / 2 + 1);
    case 4: return SaturatingAdd(all, choices.Below(all / 8 + 2));
    default: return 1 + choices.Below(std::min<uint64_t>(all / 8 + 1, 2048));
  }
}

void DrawShape(Choices& choices, const GenerateOptions& options, const Program& program, uint64_t words, Buffer& buffer) {
  buffer.tile.reset();
  const uint64_t elements = std::max<uint64_t>(ElementsOf(buffer, words), 1);
  const bool semaphore = IsSemaphore(buffer.space);
  if (buffer.space == Space::kHbm) {
    const uint64_t columns = kRow * PickOf(choices, {1, 1, 2, 4});
    buffer.shape = {Jittered(choices, CeilDiv(elements, columns)), columns};
    if (choices.Chance(1, 24)) buffer.shape.back() -= 1 + choices.Below(127);
  } else {
    static constexpr std::array<uint32_t, 5> kRanks = {6, 6, 2, 1, 1};  // 1, 2, 3, 0, 4
    switch (choices.Weighted(kRanks)) {
      case 1: {
        const uint64_t columns = semaphore ? 1 + choices.Below(3) : choices.Chance(1, 4) ? 1 + choices.Below(300)
                                 : PickOf(choices, {128, 128, 256, 8, 1, 7, 129, 200, 384});
        const uint64_t unit = program.tiling == Tiling::kCompact ? kRow : 8 * PackingOf(buffer.type);
        const uint64_t padded = semaphore ? columns : SaturatingMul(CeilDiv(columns, unit), unit);
        buffer.shape = {Jittered(choices, CeilDiv(elements, padded)), columns};
        break;
      }
      case 2:
      case 4: {
        const uint64_t leading = 1 + choices.Below(4), columns = semaphore ? 1 : PickOf(choices, {128, 128, 256, 5, 130});
        const uint64_t rest = CeilDiv(elements, SaturatingMul(leading, std::max<uint64_t>(columns, semaphore ? 1 : kRow)));
        buffer.shape = {leading, Jittered(choices, rest), columns};
        if (choices.Below(6) == 5) buffer.shape.insert(buffer.shape.begin(), 1 + choices.Below(2));
        break;
      }
      case 3: buffer.shape.clear(); break;
      default: buffer.shape = {Jittered(choices, elements)}; break;
    }
  }
  if (!semaphore && Can(options, feature::kTiles) && choices.Chance(1, 24)) DrawTile(choices, buffer);
  if (Can(options, feature::kEmpty) && choices.Chance(1, 192) && !buffer.shape.empty()) {
    buffer.shape[choices.Below(buffer.shape.size())] = 0;
  }
}

Buffer DrawBuffer(Choices& choices, const GenerateOptions& options, const Program& program, Space space, size_t number) {
  Buffer buffer;
  buffer.name = absl::StrCat("b", number);
  buffer.space = space;
  buffer.type = DrawType(choices, options, space);
  const bool moves = !Can(options, feature::kUnmoved) && (space == Space::kHbm || space == Space::kSpmem);
  if (moves && space == Space::kHbm && program.tiling == Tiling::kCompact && PackingOf(buffer.type) > 1) buffer.type = Type::kF32;
  DrawShape(choices, options, program, DrawWords(choices, program, space), buffer);
  if (moves && buffer.shape.empty()) buffer.shape = {1};
  if (Can(options, feature::kPlaces) && choices.Chance(1, 64)) {
    buffer.place = absl::StrCat("result.", 1 + choices.Below(3), ":", 1 + choices.Below(400), ":", 1 + choices.Below(9));
    buffer.value = absl::StrCat("%", choices.Below(300));
  }
  return buffer;
}

uint64_t DrawTrips(Choices& choices, const GenerateOptions& options) {
  if (Can(options, feature::kFewTrips) && choices.Chance(1, 8)) return choices.Below(4) == 3 ? 0 : 1;
  if (Can(options, feature::kUntoldTrips) && choices.Chance(1, 6)) return kUnknownTrips;
  return 2 + choices.Below(8);
}

void SpoilProgram(Choices& choices, const GenerateOptions& options, Program& program) {
  for (uint64_t n = 1 + choices.Below(3); n > 0; --n) {
    static constexpr Kind kKindsThere[] = {Kind::kEnd, Kind::kElse, Kind::kUse, Kind::kAllocate, Kind::kScratch, Kind::kLoad, Kind::kScope, Kind::kCopy};
    Statement statement;
    statement.kind = kKindsThere[choices.Below(std::size(kKindsThere))];
    if (statement.kind == Kind::kScope && !Can(options, feature::kScopes)) statement.kind = Kind::kEnd;
    if (statement.kind == Kind::kCopy && !Can(options, feature::kCopies)) statement.kind = Kind::kUse;
    if (statement.kind == Kind::kScratch && !Can(options, feature::kScratch)) statement.kind = Kind::kUse;
    if (Names(statement.kind)) statement.buffer = static_cast<uint32_t>(choices.Below(program.buffers.size() + 1));
    const size_t at = choices.Below(program.statements.size() + 1);
    program.statements.insert(program.statements.begin() + static_cast<ptrdiff_t>(at), statement);
  }
}

void AimAtTheLimit(Choices& choices, Program& program) {
  const Answer& answer = PlanOf(program);
  uint32_t aimed = kNoBuffer;
  uint64_t words = 0, over = 0, room = 0;  // in words as planned
  if (answer.overrun && answer.overrun->buffer < program.buffers.size()) {
    aimed = answer.overrun->buffer;
    words = answer.overrun->words;
    over = SaturatingSub(answer.overrun->bound, answer.overrun->limit);
  } else {
    // What ends highest in a memory that is drawn.
    std::array<const Placed*, kSparseCoreSpaces> top = {};
    std::array<uint32_t, kSparseCoreSpaces> shares = {};
    for (const Placed& placed : answer.placed) {
      const size_t s = static_cast<size_t>(placed.space);
      if (placed.buffer >= program.buffers.size()) continue;
      shares[s] = placed.space == Space::kTileSpmem ? 6 : placed.space == Space::kHbm ? 1 : 4;
      if (top[s] == nullptr || placed.base + placed.words >= top[s]->base + top[s]->words) top[s] = &placed;
    }
    const Placed* placed = top[choices.Weighted(shares)];
    if (placed == nullptr) return;
    aimed = placed->buffer;
    words = placed->words;
    room = SaturatingSub(LastWordOf(program, placed->space), SaturatingAdd(placed->base, SaturatingSub(words, 1)));
  }
  Buffer& buffer = program.buffers[aimed];
  if (words >= kMostAimed || room >= kMostAimed || over >= words) return;
  Structure structure;
  FindStructure(program, structure);
  uint64_t exact = words + room - over;
  if (structure.IsScratch(program, aimed) && buffer.space == Space::kTileSpmem) exact /= kTilesOfSpmem;
  switch (choices.Below(IsSmem(buffer.space) || IsSemaphore(buffer.space) ? 8 : 6)) {
    case 1: exact += 1; break;
    case 2: exact = std::max<uint64_t>(exact, 2) - 1; break;
    case 3: exact += 1 + choices.Below(exact / 16 + 1); break;
    case 4: exact -= std::min(exact - 1, choices.Below(exact / 16 + 1)); break;
    case 6:
    case 7: {  // what is checked behind E3000: the last words of a memory
      const uint64_t last = IsSmem(buffer.space) ? 48 : buffer.space == Space::kSflagTile ? 3 : 10;
      exact -= std::min(exact - 1, choices.Below(last));
      break;
    }
    default: break;
  }
  SetWords(program, std::max<uint64_t>(exact, 1), buffer);
}

}  // namespace oomph::sparsecore
