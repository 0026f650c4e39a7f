// The printing of SparseCore programs, and their one form. See text.h; what is read stands in text_read.cc.
#include "models/sparsecore/text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "models/base/units.h"
#include "models/sparsecore/text_words.h"

namespace oomph::sparsecore {
namespace {

constexpr size_t kDeepestIndent = 40;  // what is deeper is not indented more: texts grow no faster than programs

void AppendBuffer(const Buffer& buffer, std::string& out) {
  absl::StrAppend(&out, std::string(SparseCoreSpaceName(buffer.space)), " ",
                  std::string(hlo::RowOf(buffer.type).name), "[");
  for (size_t i = 0; i < buffer.shape.size(); ++i) absl::StrAppend(&out, i == 0 ? "" : ",", buffer.shape[i]);
  out += ']';
  if (!buffer.tile) return;
  for (size_t i = 0; i < buffer.tile->size(); ++i) absl::StrAppend(&out, i == 0 ? "/" : "x", (*buffer.tile)[i]);
}

void AppendPlace(const Buffer& buffer, std::string& out) {
  if (buffer.place.empty() && buffer.value.empty()) return;
  absl::StrAppend(&out, " at ", buffer.place.empty() ? "?" : buffer.place);
  if (!buffer.value.empty()) absl::StrAppend(&out, " ", buffer.value);
}

void AppendHead(const Program& program, std::string& out) {
  absl::StrAppend(&out, std::string(kHeadWord), " ", std::string(TargetName(program.target)));
  const auto option = [&out](std::string_view name, std::string_view word, bool is_default) {
    if (!is_default) absl::StrAppend(&out, " ", std::string(name), " ", std::string(word));
  };
  option("core", kCoreWords[static_cast<size_t>(program.core)], program.core == Core::kVector);
  option("tiling", kTilingWords[static_cast<size_t>(program.tiling)], program.tiling == Tiling::kCompact);
  option("wording", kWordingWords[static_cast<size_t>(program.wording)], program.wording == Wording::kNamed);
  out += '\n';
  for (const SpaceLimit& limit : program.limits) {
    absl::StrAppend(&out, std::string(kLimitWord), " ", std::string(SparseCoreSpaceName(limit.space)));
    if (limit.last_word) absl::StrAppend(&out, " ", *limit.last_word);
    if (limit.first_word) absl::StrAppend(&out, " first ", *limit.first_word);
    out += '\n';
  }
}

void AppendStatement(const Program& program, const Statement& statement, std::string& out) {
  out += KindWord(statement.kind);
  if (statement.kind == Kind::kFor) {
    out += ' ';
    if (statement.trips == kUnknownTrips) {
      out += '?';
    } else {
      absl::StrAppend(&out, statement.trips);
    }
  }
  if (!Names(statement.kind) || statement.buffer >= program.buffers.size()) return;
  const Buffer& buffer = program.buffers[statement.buffer];
  absl::StrAppend(&out, " ", buffer.name);
  if (statement.kind != Kind::kScratch && statement.kind != Kind::kAllocate) return;
  out += ' ';
  AppendBuffer(buffer, out);
  AppendPlace(buffer, out);
}

// What a text takes as one word, or several.
void NormalizeWord(std::string& word) {
  for (char& c : word) {
    if (c <= ' ' || c > '~' || c == '#') c = '_';
  }
}

void NormalizePlace(Buffer& buffer) {
  NormalizeWord(buffer.place);
  NormalizeWord(buffer.value);
  if (buffer.place == "?") buffer.place.clear();
  if (buffer.place.starts_with('%')) buffer.place[0] = '_';
  if (!buffer.value.empty() && !buffer.value.starts_with('%')) buffer.value.insert(0, 1, '%');
}

void NormalizeShape(Buffer& buffer) {
  if (!hlo::IsArrayType(buffer.type)) buffer.type = Type::kF32;
  std::vector<uint64_t>& shape = buffer.shape;
  if (shape.size() > kMaxDimensions) {
    const size_t more = shape.size() - kMaxDimensions;
    for (size_t i = 0; i < more; ++i) shape[more] = SaturatingMul(shape[more], shape[i]);
    shape.erase(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(more));
  }
  if (!buffer.tile) return;
  std::vector<uint64_t>& tile = *buffer.tile;
  if (tile.size() > kMaxDimensions) tile.erase(tile.begin(), tile.end() - kMaxDimensions);
  if (tile.empty()) tile.push_back(1);
  for (uint64_t& size : tile) size = std::max<uint64_t>(size, 1);
}

bool IsName(std::string_view name) {
  if (name.empty() || (name[0] >= '0' && name[0] <= '9') || IsStatementWord(name)) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

void NormalizeNames(std::vector<Buffer>& buffers) {
  absl::flat_hash_set<std::string> taken;
  std::vector<Buffer*> unnamed;
  for (Buffer& buffer : buffers) {
    if (!IsName(buffer.name) || !taken.insert(buffer.name).second) unnamed.push_back(&buffer);
  }
  size_t number = 0;
  for (Buffer* const buffer : unnamed) {
    do buffer->name = absl::StrCat("b", number++);
    while (!taken.insert(buffer->name).second);
  }
}

void NormalizeLimits(std::vector<SpaceLimit>& limits) {
  std::array<size_t, kSparseCoreSpaces> last = {};
  for (size_t i = 0; i < limits.size(); ++i) last[static_cast<size_t>(limits[i].space)] = i;
  size_t kept = 0;
  for (size_t i = 0; i < limits.size(); ++i) {
    const SpaceLimit limit = limits[i];
    const bool says = limit.first_word || limit.last_word;
    if (says && last[static_cast<size_t>(limit.space)] == i) limits[kept++] = limit;
  }
  limits.resize(kept);
}

// Statements one after another, with what is open and visible.
class Statements {
 public:
  explicit Statements(Program& program)
      : program_(program), scratch_(program.buffers.size()), number_(program.buffers.size(), kNoBuffer) {}

  void Normalize();

 private:
  struct Region {
    bool is_if = false, has_else = false;
    size_t visible = 0;  // of shown_, where it began
  };
  bool IsThere(uint32_t buffer) const { return buffer < program_.buffers.size(); }
  // Whether the buffers of statements are theirs: the first that allocates counts.
  void FindScratch();
  bool Keep(Statement& statement);
  bool Allocate(uint32_t buffer, bool scratch);
  void Hide(size_t from);

  Program& program_;
  std::vector<char> scratch_;  // by buffer, as it was: allocated first by a kScratch
  std::vector<char> visible_ = std::vector<char>(scratch_.size(), 0);
  std::vector<uint32_t> number_;  // by buffer, as it was: what it is now
  std::vector<uint32_t> shown_;   // visible ones that a region hides at its end
  std::vector<Region> open_;
};

void Statements::FindScratch() {
  std::vector<char> seen(scratch_.size());
  for (const Statement& statement : program_.statements) {
    const bool scratch = statement.kind == Kind::kScratch;
    if ((!scratch && statement.kind != Kind::kAllocate) || !IsThere(statement.buffer)) continue;
    if (!std::exchange(seen[statement.buffer], 1)) scratch_[statement.buffer] = scratch;
  }
}

void Statements::Hide(size_t from) {
  for (size_t i = from; i < shown_.size(); ++i) visible_[shown_[i]] = 0;
  shown_.resize(from);
}

bool Statements::Allocate(uint32_t buffer, bool scratch) {
  if (!IsThere(buffer) || number_[buffer] != kNoBuffer) return false;
  number_[buffer] = 0;  // any: it is there
  visible_[buffer] = 1;
  if (!scratch) shown_.push_back(buffer);
  return true;
}

// Whether it means something; its buffer is as it was.
bool Statements::Keep(Statement& statement) {
  if (statement.kind != Kind::kFor) statement.trips = 0;
  if (!Names(statement.kind)) statement.buffer = kNoBuffer;
  switch (statement.kind) {
    case Kind::kScratch:
    case Kind::kAllocate:
      return Allocate(statement.buffer, statement.kind == Kind::kScratch);
    case Kind::kUse:
    case Kind::kLoad:
    case Kind::kCopy:
      if (!IsThere(statement.buffer) || (!visible_[statement.buffer] && !scratch_[statement.buffer])) {
        statement.buffer = kNoBuffer;
      }
      return statement.buffer != kNoBuffer || statement.kind == Kind::kCopy;
    case Kind::kWork:
      return true;
    case Kind::kScope:
    case Kind::kFor:
    case Kind::kWhile:
    case Kind::kIf:
      open_.push_back({statement.kind == Kind::kIf, false, shown_.size()});
      return true;
    case Kind::kElse:
      if (open_.empty() || !open_.back().is_if || open_.back().has_else) return false;
      open_.back().has_else = true;
      Hide(open_.back().visible);
      return true;
    case Kind::kEnd:
      if (open_.empty()) return false;
      Hide(open_.back().visible);
      open_.pop_back();
      return true;
  }
  return false;
}

void Statements::Normalize() {
  FindScratch();
  std::vector<Statement> scratch, others;
  for (Statement& statement : program_.statements) {
    if (Keep(statement)) (statement.kind == Kind::kScratch ? scratch : others).push_back(statement);
  }
  others.insert(others.end(), open_.size(), Statement{Kind::kEnd, kNoBuffer, 0});
  program_.statements = std::move(scratch);
  program_.statements.insert(program_.statements.end(), others.begin(), others.end());
  // Numbers in the order of the statements that allocate.
  std::vector<Buffer> buffers;
  for (const Statement& statement : program_.statements) {
    if (statement.kind > Kind::kAllocate) continue;
    number_[statement.buffer] = static_cast<uint32_t>(buffers.size());
    buffers.push_back(std::move(program_.buffers[statement.buffer]));
  }
  for (Statement& statement : program_.statements) {
    if (statement.buffer != kNoBuffer) statement.buffer = number_[statement.buffer];
  }
  program_.buffers = std::move(buffers);
}

}  // namespace

std::string_view KindWord(Kind kind) { return kKindWords[static_cast<size_t>(kind)]; }

std::string_view StatusWord(int status) {
  constexpr std::string_view kWords[] = {"not_run",  "planned", "over_bound", "over_high_water", "not_here",
                                         "declined", "died",    "hung",       "rubbish"};
  return status >= 0 && static_cast<size_t>(status) < std::size(kWords) ? kWords[status] : "unknown";
}

std::string PrintBuffer(const Buffer& buffer) {
  std::string out;
  AppendBuffer(buffer, out);
  return out;
}

std::string PrintProgram(const Program& program) {
  std::string out;
  AppendHead(program, out);
  size_t depth = 0;
  for (const Statement& statement : program.statements) {
    const bool closes = statement.kind == Kind::kEnd || statement.kind == Kind::kElse;
    if (closes && depth > 0) --depth;
    out.append(2 * std::min(depth, kDeepestIndent), ' ');
    AppendStatement(program, statement, out);
    out += '\n';
    if (Opens(statement.kind) || statement.kind == Kind::kElse) ++depth;
  }
  return out;
}

void Normalize(Program& program) {
  Statements(program).Normalize();
  NormalizeLimits(program.limits);
  NormalizeNames(program.buffers);
  for (Buffer& buffer : program.buffers) {
    NormalizePlace(buffer);
    NormalizeShape(buffer);
  }
}

}  // namespace oomph::sparsecore
