// See reduce.h. Every edit makes a program simpler in this order: fewer statements, fewer features, plainer types, fewer dimensions,
// smaller sizes; the size of a buffer may grow when another goes.
#include "models/sparsecore/reduce.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "models/base/family.h"
#include "models/base/rows.h"
#include "models/base/units.h"
#include "models/sparsecore/memory.h"
#include "models/sparsecore/promises.h"
#include "models/sparsecore/structure.h"
#include "models/sparsecore/words.h"

namespace oomph::sparsecore {
namespace {

using Amounts = std::span<const uint64_t>;
using List = std::unique_ptr<Edits> (*)(const Program&);

// Edits that are each a place in the program and what to do there, by an amount.
template <typename Place>
struct Places {
  std::vector<Place> places;
  std::vector<uint64_t> most;
  void Add(Place place, uint64_t amount = 1) {
    if (amount > 0) places.push_back(std::move(place)), most.push_back(amount);
  }
};

bool MayBecome(const Program& base, const Program& into, Bits64 allowed) {
  return !(into == base) && (FeaturesOf(into) & ~allowed) == 0;
}

// What needs a feature that the base does not have is no edit: its subject may not have it.
template <typename Place, typename Change>
std::unique_ptr<Edits> AtPlaces(const Program& base, Places<Place> list, Change change) {
  const Bits64 allowed = FeaturesOf(base);
  return EditsOn(base, std::move(list.most),
                 [places = std::move(list.places), change, allowed](const Program& from, Amounts amounts, Program& into) {
                   into = from;
                   for (size_t i = 0; i < places.size(); ++i) {
                     if (amounts[i] > 0 && !change(places[i], amounts[i], into)) return false;
                   }
                   return MayBecome(from, into, allowed);
                 });
}

// ---- Statements ----

// Takes away statements; buffers go with what allocates them, and what names them.
void Erase(const std::vector<bool>& goes, Program& into) {
  std::vector<bool> buffer_goes(into.buffers.size(), false);
  for (size_t i = 0; i < goes.size(); ++i) {
    const Statement& statement = into.statements[i];
    const bool allocates = statement.kind == Kind::kScratch || statement.kind == Kind::kAllocate;
    if (goes[i] && allocates && statement.buffer < buffer_goes.size()) buffer_goes[statement.buffer] = true;
  }
  std::vector<uint32_t> renamed(into.buffers.size(), kNoBuffer);
  std::vector<Buffer> buffers;
  for (size_t b = 0; b < into.buffers.size(); ++b) {
    if (buffer_goes[b]) continue;
    renamed[b] = static_cast<uint32_t>(buffers.size());
    buffers.push_back(std::move(into.buffers[b]));
  }
  std::vector<Statement> statements;
  for (size_t i = 0; i < goes.size(); ++i) {
    Statement statement = into.statements[i];
    if (goes[i]) continue;
    if (Names(statement.kind) && statement.buffer < renamed.size()) {
      if (buffer_goes[statement.buffer]) continue;
      statement.buffer = renamed[statement.buffer];
    }
    statements.push_back(statement);
  }
  into.buffers = std::move(buffers);
  into.statements = std::move(statements);
}

// Statements from first to last, both included.
struct Stretch {
  size_t first, last;
  bool inside;  // what is between goes as well; else those two alone
};

std::unique_ptr<Edits> EraseStretches(const Program& base, Places<Stretch> list) {
  const Bits64 allowed = FeaturesOf(base);
  return EditsOn(base, std::move(list.most), [places = std::move(list.places), allowed](const Program& from, Amounts amounts, Program& into) {
    into = from;
    std::vector<bool> goes(from.statements.size(), false);
    for (size_t i = 0; i < places.size(); ++i) {
      if (amounts[i] == 0) continue;
      const Stretch& stretch = places[i];
      for (size_t at = stretch.first; at <= stretch.last; ++at) {
        if (stretch.inside || at == stretch.first || at == stretch.last) goes[at] = true;
      }
    }
    // The else of an if that is unwrapped goes along.
    Structure structure;
    FindStructure(from, structure);
    for (size_t at = 0; at < goes.size(); ++at) {
      if (from.statements[at].kind == Kind::kElse && structure.partner[at] != kNowhere && goes[structure.partner[at]]) goes[at] = true;
    }
    Erase(goes, into);
    return MayBecome(from, into, allowed);
  });
}

// Largest first, last first.
std::unique_ptr<Edits> DropBlocks(const Program& base) {
  Structure structure;
  FindStructure(base, structure);
  Places<Stretch> list;
  std::vector<Stretch> blocks;
  for (size_t i = base.statements.size(); i-- > 0;) {
    if (Opens(base.statements[i].kind)) blocks.push_back({i, std::min<size_t>(structure.partner[i], base.statements.size() - 1), true});
    // Of an if with two branches one may go.
    if (base.statements[i].kind == Kind::kElse && structure.partner[i] != kNowhere) {
      const size_t end = structure.partner[structure.partner[i]];
      if (end < base.statements.size()) blocks.push_back({i, end - 1, true});
    }
  }
  std::sort(blocks.begin(), blocks.end(), [](const Stretch& a, const Stretch& b) {
    return a.last - a.first != b.last - b.first ? a.last - a.first > b.last - b.first : a.first > b.first;
  });
  for (const Stretch& block : blocks) list.Add(block);
  return EraseStretches(base, std::move(list));
}

std::unique_ptr<Edits> DropStatements(const Program& base) {
  Structure structure;
  FindStructure(base, structure);
  Places<Stretch> list;
  for (size_t i = base.statements.size(); i-- > 0;) {
    const Kind kind = base.statements[i].kind;
    const bool closes = (kind == Kind::kEnd || kind == Kind::kElse) && structure.partner[i] != kNowhere;
    if (!Opens(kind) && !closes) list.Add({i, i, true});
  }
  return EraseStretches(base, std::move(list));
}

std::unique_ptr<Edits> Unwrap(const Program& base) {
  Structure structure;
  FindStructure(base, structure);
  Places<Stretch> list;
  for (size_t i = base.statements.size(); i-- > 0;) {
    if (!Opens(base.statements[i].kind)) continue;
    const size_t end = structure.partner[i];
    list.Add({i, end < base.statements.size() ? end : i, false});
  }
  return EraseStretches(base, std::move(list));
}

// A buffer goes, and what it took another one of its memory takes: what was just over the limit stays so.
std::unique_ptr<Edits> DropIntoAnother(const Program& base) {
  constexpr uint64_t kMost = uint64_t{1} << 40;
  struct Pair {
    uint32_t goes, grows;
  };
  Structure structure;
  FindStructure(base, structure);
  Places<Pair> list;
  for (uint32_t b = static_cast<uint32_t>(base.buffers.size()); b-- > 0;) {
    if (structure.allocated[b] == kNowhere || WordsOf(base, base.buffers[b], structure.IsScratch(base, b)) > kMost) continue;
    for (uint32_t other = static_cast<uint32_t>(base.buffers.size()); other-- > 0;) {
      const bool same = other != b && structure.allocated[other] != kNowhere && MemoryOf(base, structure, b) == MemoryOf(base, structure, other);
      if (!same || base.buffers[other].space != base.buffers[b].space || WordsOf(base, base.buffers[other], structure.IsScratch(base, other)) > kMost) continue;
      list.Add({b, other});
      break;
    }
  }
  return AtPlaces(base, std::move(list), [](const Pair& pair, uint64_t, Program& into) {
    Structure now;
    FindStructure(into, now);
    if (pair.goes >= into.buffers.size() || pair.grows >= into.buffers.size() || now.allocated[pair.goes] == kNowhere) return false;
    Buffer& grows = into.buffers[pair.grows];
    const uint64_t words = WordsOf(into, into.buffers[pair.goes], now.IsScratch(into, pair.goes)) + WordsOf(into, grows, now.IsScratch(into, pair.grows));
    const uint64_t per_word = SparseCoreWordBytes(grows.space) / kWordBytes;
    grows.type = Type::kF32;
    if (grows.space != Space::kTileSpmem && grows.space != Space::kSpmem && grows.space != Space::kHbm) grows.type = Type::kS32;
    grows.shape = {words * per_word};
    if (grows.space == Space::kHbm) grows.shape = {CeilDiv(words * per_word, 128), 128};
    grows.tile.reset();
    std::vector<bool> goes(into.statements.size(), false);
    goes[now.allocated[pair.goes]] = true;
    Erase(goes, into);
    return true;
  });
}

// ---- Features ----

enum class Word : uint8_t { kLimit, kWording, kTiling, kPlace, kTile, kLoop, kWhile, kIf, kScratch, kTrips, kTarget };
struct WordSpot {
  Word word;
  size_t index = 0;
};
bool Plain(const WordSpot& spot, uint64_t, Program& into) {
  const size_t at = spot.index;
  switch (spot.word) {
    case Word::kLimit:
      if (at >= into.limits.size()) return false;
      into.limits.erase(into.limits.begin() + static_cast<ptrdiff_t>(at));
      return true;
    case Word::kWording: into.wording = Wording::kNamed; return true;
    case Word::kTiling: into.tiling = Tiling::kCompact; return true;
    case Word::kTarget: into.target = Target::kV6e; return true;
    case Word::kPlace: into.buffers[at].place.clear(), into.buffers[at].value.clear(); return true;
    case Word::kTile: into.buffers[at].tile.reset(); return true;
    case Word::kLoop: into.statements[at] = {Kind::kScope}; return true;
    case Word::kWhile: into.statements[at].kind = Kind::kIf; return true;
    case Word::kIf: into.statements[at].kind = Kind::kScope; return true;
    case Word::kScratch: into.statements[at].kind = Kind::kAllocate; return true;
    case Word::kTrips: into.statements[at].trips = 2; return true;
  }
  return false;
}
std::unique_ptr<Edits> Simplify(const Program& base) {
  Places<WordSpot> list;
  for (size_t i = base.limits.size(); i-- > 0;) list.Add({Word::kLimit, i});
  if (base.wording != Wording::kNamed) list.Add({Word::kWording});
  if (base.tiling != Tiling::kCompact) list.Add({Word::kTiling});
  if (base.target != Target::kV6e) list.Add({Word::kTarget});
  for (size_t b = 0; b < base.buffers.size(); ++b) {
    if (!base.buffers[b].place.empty() || !base.buffers[b].value.empty()) list.Add({Word::kPlace, b});
    if (base.buffers[b].tile) list.Add({Word::kTile, b});
  }
  Structure structure;
  FindStructure(base, structure);
  std::vector<bool> has_else(base.statements.size(), false);
  for (size_t i = 0; i < base.statements.size(); ++i) {
    if (base.statements[i].kind == Kind::kElse && structure.partner[i] != kNowhere) has_else[structure.partner[i]] = true;
  }
  for (size_t i = 0; i < base.statements.size(); ++i) {
    const Statement& statement = base.statements[i];
    if (statement.kind == Kind::kFor) list.Add({Word::kLoop, i});
    const bool odd_trips = statement.trips < 2 || statement.trips == kUnknownTrips;
    if (statement.kind == Kind::kFor && odd_trips) list.Add({Word::kTrips, i});
    if (statement.kind == Kind::kWhile) list.Add({Word::kWhile, i});
    if (statement.kind == Kind::kIf && !has_else[i]) list.Add({Word::kIf, i});
  }
  return AtPlaces(base, std::move(list), [](const WordSpot& spot, uint64_t amount, Program& into) {
    // A loop that is a scope already has no trips.
    if (spot.word == Word::kTrips && into.statements[spot.index].kind != Kind::kFor) return false;
    return Plain(spot, amount, into);
  });
}

Type SimplerType(const Buffer& buffer) {
  const bool of_words = buffer.space == Space::kSmemTile || buffer.space == Space::kSmemScs || buffer.space == Space::kSflagTile ||
                        buffer.space == Space::kSflagScs;
  return of_words ? Type::kS32 : Type::kF32;
}
std::unique_ptr<Edits> SimplifyTypes(const Program& base) {
  Places<size_t> list;
  for (size_t b = 0; b < base.buffers.size(); ++b) {
    if (base.buffers[b].type != SimplerType(base.buffers[b])) list.Add(b);
  }
  return AtPlaces(base, std::move(list), [](size_t b, uint64_t, Program& into) {
    into.buffers[b].type = SimplerType(into.buffers[b]);
    return true;
  });
}

// ---- Sizes ----

struct SizeSpot {
  size_t buffer, dimension;
};
std::unique_ptr<Edits> DropDimensions(const Program& base) {
  Places<SizeSpot> list;
  for (size_t b = 0; b < base.buffers.size(); ++b) {
    const Buffer& buffer = base.buffers[b];
    for (size_t d = buffer.shape.size(); d-- > 0;) list.Add({b, d});
  }
  return AtPlaces(base, std::move(list), [](const SizeSpot& spot, uint64_t, Program& into) {
    Buffer& buffer = into.buffers[spot.buffer];
    buffer.shape.erase(buffer.shape.begin() + static_cast<ptrdiff_t>(spot.dimension));
    return !buffer.tile || buffer.tile->size() <= buffer.shape.size();
  });
}

// One dimension of as many elements.
std::unique_ptr<Edits> Flatten(const Program& base) {
  Places<size_t> list;
  for (size_t b = 0; b < base.buffers.size(); ++b) {
    if (base.buffers[b].shape.size() > 1) list.Add(b);
  }
  return AtPlaces(base, std::move(list), [](size_t b, uint64_t, Program& into) {
    Buffer& buffer = into.buffers[b];
    uint64_t elements = 1;
    for (const uint64_t n : buffer.shape) elements = SaturatingMul(elements, n);
    buffer.shape = {elements};
    buffer.tile.reset();
    return elements < kMaxBytes;
  });
}

std::unique_ptr<Edits> LowerSizes(const Program& base) {
  Places<SizeSpot> list;
  for (size_t b = 0; b < base.buffers.size(); ++b) {
    for (size_t d = 0; d < base.buffers[b].shape.size(); ++d) list.Add({b, d}, SaturatingSub(base.buffers[b].shape[d], 1));
  }
  return AtPlaces(base, std::move(list), [](const SizeSpot& spot, uint64_t by, Program& into) {
    into.buffers[spot.buffer].shape[spot.dimension] -= by;
    return true;
  });
}

std::unique_ptr<Edits> LowerTrips(const Program& base) {
  Places<size_t> list;
  for (size_t i = 0; i < base.statements.size(); ++i) {
    const Statement& statement = base.statements[i];
    if (statement.kind == Kind::kFor && statement.trips != kUnknownTrips) list.Add(i, SaturatingSub(statement.trips, 2));
  }
  return AtPlaces(base, std::move(list), [](size_t i, uint64_t by, Program& into) {
    Statement& statement = into.statements[i];
    if (statement.trips < by) return false;
    statement.trips -= by;
    return true;
  });
}

// ---- The table ----

struct Row {
  ReductionInfo info;
  List list;
};
// Those that take statements away are settled first.
constexpr Row kRows[] = {
    {{"drop_blocks", "block", "scopes, loops and branches go, with all in them", false, true}, DropBlocks},
    {{"drop_statements", "statement", "statements go; a buffer with what allocates it", false, true}, DropStatements},
    {{"unwrap", "block", "what is in a scope, loop or branch stands in its place", false, true}, Unwrap},
    {{"drop_into_another", "buffer", "a buffer goes, and another takes its words"}, DropIntoAnother},
    {{"simplify", "word", "no limits, places, tiles of its own; scopes for loops and branches; compact tiles; v6e"}, Simplify},
    {{"simplify_types", "type", "f32 and s32"}, SimplifyTypes},
    {{"drop_dimensions", "dimension", "buffers have fewer dimensions"}, DropDimensions},
    {{"flatten", "buffer", "a buffer has one dimension of as many elements"}, Flatten},
    {{"lower_trips", "loop", "loops have fewer trips"}, LowerTrips},
    {{"lower_sizes", "size", "buffers are smaller"}, LowerSizes},
};

}  // namespace

std::span<const ReductionInfo> ProgramReductions() {
  static const auto infos = InfosOf(std::span<const Row>(kRows));
  return infos;
}

std::unique_ptr<Edits> ProgramEditsOf(size_t reduction, const Program& base) { return kRows[reduction].list(base); }

Fingerprint FingerprintOfProgram(const Program& program) {
  Fingerprinter print;
  const auto add_shape = [&](const std::vector<uint64_t>& shape) {
    print.Add(shape.size());
    for (const uint64_t n : shape) print.Add(n);
  };
  const auto add = [&](const std::optional<uint64_t>& number) {
    print.Add(uint64_t{number.has_value()});
    print.Add(number.value_or(0));
  };
  print.Add(static_cast<uint64_t>(program.target) << 24 | static_cast<uint64_t>(program.core) << 16 |
            static_cast<uint64_t>(program.tiling) << 8 | static_cast<uint64_t>(program.wording));
  print.Add(program.limits.size());
  for (const SpaceLimit& limit : program.limits) {
    print.Add(static_cast<uint64_t>(limit.space));
    add(limit.first_word), add(limit.last_word);
  }
  print.Add(program.buffers.size());
  for (const Buffer& buffer : program.buffers) {
    print.Add(static_cast<uint64_t>(buffer.space) << 16 | static_cast<uint64_t>(buffer.type) << 8 | uint64_t{buffer.tile.has_value()});
    add_shape(buffer.shape);
    if (buffer.tile) add_shape(*buffer.tile);
    print.Add(std::string_view(buffer.name)), print.Add(std::string_view(buffer.place)), print.Add(std::string_view(buffer.value));
  }
  print.Add(program.statements.size());
  for (const Statement& statement : program.statements) {
    print.Add(static_cast<uint64_t>(statement.kind) << 32 | statement.buffer);
    print.Add(statement.trips);
  }
  return print.Get();
}

}  // namespace oomph::sparsecore
