// Changes a program by a few edits that a planner may trip over. See generate.h.
#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "models/base/units.h"
#include "models/sparsecore/draw_parts.h"
#include "models/sparsecore/generate.h"
#include "models/sparsecore/promises.h"
#include "models/sparsecore/structure.h"
#include "models/sparsecore/text.h"

namespace oomph::sparsecore {
namespace {

constexpr size_t kMostStatements = 120;

class Mutator {
 public:
  Mutator(Choices& choices, const GenerateOptions& options, Program& program, const Program& other)
      : choices_(choices), options_(options), program_(program), other_(other) {}

  // An edit that asks for what the subject does not have is taken back.
  void Run() {
    for (uint64_t edits = 1 + choices_.Below(4); edits > 0; --edits) {
      const Program before = program_;
      FindStructure(program_, structure_);
      Edit();
      Normalize(program_);
      if ((FeaturesOf(program_) & ~options_.features) != 0) program_ = before;
    }
    if (choices_.Chance(1, 4)) AimAtTheLimit(choices_, program_);
    if ((FeaturesOf(program_) & ~options_.features) != 0) GenerateProgram(choices_, options_, program_);
  }

 private:
  void Edit() {
    switch (choices_.Below(9)) {
      case 0: return EditShape();
      case 1: return EditBuffer();
      case 2: return Insert();
      case 3: return Erase();
      case 4: return Move();
      case 5: return Repeat();
      case 6: return Take();
      case 7: return Wrap();
      default: return EditHeader();
    }
  }
  Buffer* AnyBuffer() { return program_.buffers.empty() ? nullptr : &program_.buffers[choices_.Below(program_.buffers.size())]; }
  size_t AnyPlace() { return choices_.Below(program_.statements.size() + 1); }
  bool IsFull() const { return program_.statements.size() >= kMostStatements; }
  void InsertAt(size_t at, const Statement& statement) {
    program_.statements.insert(program_.statements.begin() + static_cast<ptrdiff_t>(at), statement);
  }
  // A statement, or all of a block; false: there is none.
  bool AnyBlock(const Program& program, const Structure& structure, size_t& first, size_t& last);
  uint32_t AddCopyOf(const Buffer& buffer);
  std::vector<Statement> CopyOf(const Program& from, size_t first, size_t last);

  void EditShape();
  void EditBuffer();
  void Insert();
  void Erase();
  void Move();
  void Repeat();
  void Take();
  void Wrap();
  void EditHeader();

  Choices& choices_;
  const GenerateOptions& options_;
  Program& program_;
  const Program& other_;
  Structure structure_;
};

void Mutator::EditShape() {
  Buffer* const buffer = AnyBuffer();
  if (buffer == nullptr) return;
  if (buffer->shape.empty() || choices_.Chance(1, 6)) {
    if (choices_.Below(2) == 0) return DrawShape(choices_, options_, program_, DrawWords(choices_, program_, buffer->space), *buffer);
    buffer->shape.insert(buffer->shape.begin(), 1 + choices_.Below(3));
    return;
  }
  uint64_t& n = buffer->shape[choices_.Below(buffer->shape.size())];
  switch (choices_.Below(7)) {
    case 0: n = SaturatingAdd(n, 1); return;
    case 1: n = std::max<uint64_t>(SaturatingSub(n, 1), 1); return;
    case 2: n = SaturatingMul(n, 2); return;
    case 3: n = std::max<uint64_t>(n / 2, 1); return;
    case 4: n = 1 + choices_.Below(9); return;
    case 5: n = 128 * (1 + choices_.Below(4)); return;
    default: buffer->shape.erase(buffer->shape.begin()); return;
  }
}

void Mutator::EditBuffer() {
  Buffer* const buffer = AnyBuffer();
  if (buffer == nullptr) return;
  const uint32_t index = static_cast<uint32_t>(buffer - program_.buffers.data());
  const uint64_t kind = choices_.Below(3);
  if (kind == 0) {
    buffer->type = DrawType(choices_, options_, buffer->space);
  } else if (kind == 1) {
    Space space = buffer->space;
    if (!DrawSpace(choices_, options_, program_, structure_.IsScratch(program_, index), space)) return;
    std::string name = buffer->name;
    *buffer = DrawBuffer(choices_, options_, program_, space, 0);
    buffer->name = std::move(name);
  } else if (structure_.allocated[index] != kNowhere) {  // the kernel's level, or just there
    Kind& where = program_.statements[structure_.allocated[index]].kind;
    where = where == Kind::kScratch ? Kind::kAllocate : Kind::kScratch;
  }
}

bool Mutator::AnyBlock(const Program& program, const Structure& structure, size_t& first, size_t& last) {
  if (program.statements.empty()) return false;
  first = last = choices_.Below(program.statements.size());
  const Kind kind = program.statements[first].kind;
  if (kind == Kind::kEnd || kind == Kind::kElse) {
    if (structure.partner[first] == kNowhere) return false;
    first = structure.partner[first];
  }
  if (Opens(program.statements[first].kind)) last = std::min<size_t>(structure.partner[first], program.statements.size() - 1);
  return true;
}

uint32_t Mutator::AddCopyOf(const Buffer& buffer) {
  program_.buffers.push_back(buffer);
  program_.buffers.back().name = absl::StrCat("m", program_.buffers.size());
  return static_cast<uint32_t>(program_.buffers.size() - 1);
}

// What it allocates is allocated anew; what it only uses is what was used there, or the same number here.
std::vector<Statement> Mutator::CopyOf(const Program& from, size_t first, size_t last) {
  std::vector<Statement> copy(from.statements.begin() + static_cast<ptrdiff_t>(first), from.statements.begin() + static_cast<ptrdiff_t>(last) + 1);
  std::vector<uint32_t> renamed(from.buffers.size());
  for (uint32_t b = 0; b < renamed.size(); ++b) renamed[b] = b;
  const std::vector<Buffer> buffers = from.buffers;  // may be those that grow
  for (Statement& statement : copy) {
    if (!Names(statement.kind) || statement.buffer >= renamed.size()) continue;
    const bool allocates = statement.kind == Kind::kAllocate || statement.kind == Kind::kScratch;
    if (allocates) renamed[statement.buffer] = AddCopyOf(buffers[statement.buffer]);
    statement.buffer = renamed[statement.buffer];
  }
  return copy;
}

void Mutator::Insert() {
  if (IsFull()) return;
  const size_t at = AnyPlace();
  switch (choices_.Below(5)) {
    case 0: return InsertAt(at, {Kind::kWork});
    case 1:
      if (!program_.buffers.empty()) InsertAt(at, {Kind::kUse, static_cast<uint32_t>(choices_.Below(program_.buffers.size()))});
      return;
    case 2: return InsertAt(at, {Kind::kCopy, choices_.Below(2) == 0 || program_.buffers.empty() ? kNoBuffer : static_cast<uint32_t>(choices_.Below(program_.buffers.size()))});
    default: {
      const bool scratch = choices_.Chance(1, 4);
      Space space = Space::kTileSpmem;
      if (!DrawSpace(choices_, options_, program_, scratch, space)) return;
      const uint32_t buffer = AddCopyOf(DrawBuffer(choices_, options_, program_, space, 0));
      InsertAt(at, {Kind::kUse, buffer});
      InsertAt(at, {scratch ? Kind::kScratch : Kind::kAllocate, buffer});
    }
  }
}

void Mutator::Erase() {
  size_t first = 0, last = 0;
  if (!AnyBlock(program_, structure_, first, last)) return;
  const bool unwraps = last > first && choices_.Below(2) == 0;
  const auto begin = program_.statements.begin();
  if (unwraps && program_.statements[first].kind != Kind::kIf) {
    program_.statements.erase(begin + static_cast<ptrdiff_t>(last));
    program_.statements.erase(program_.statements.begin() + static_cast<ptrdiff_t>(first));
  } else {
    program_.statements.erase(begin + static_cast<ptrdiff_t>(first), begin + static_cast<ptrdiff_t>(last) + 1);
  }
}

void Mutator::Move() {
  size_t first = 0, last = 0;
  if (!AnyBlock(program_, structure_, first, last)) return;
  const auto begin = program_.statements.begin();
  const std::vector<Statement> block(begin + static_cast<ptrdiff_t>(first), begin + static_cast<ptrdiff_t>(last) + 1);
  program_.statements.erase(begin + static_cast<ptrdiff_t>(first), begin + static_cast<ptrdiff_t>(last) + 1);
  const size_t at = AnyPlace();
  program_.statements.insert(program_.statements.begin() + static_cast<ptrdiff_t>(at), block.begin(), block.end());
}

void Mutator::Repeat() {
  size_t first = 0, last = 0;
  if (IsFull() || !AnyBlock(program_, structure_, first, last)) return;
  const std::vector<Statement> block = CopyOf(program_, first, last);
  program_.statements.insert(program_.statements.begin() + static_cast<ptrdiff_t>(last) + 1, block.begin(), block.end());
}

void Mutator::Take() {
  Structure structure;
  FindStructure(other_, structure);
  size_t first = 0, last = 0;
  if (IsFull() || !AnyBlock(other_, structure, first, last) || last - first > kMostStatements) return;
  const std::vector<Statement> block = CopyOf(other_, first, last);
  const size_t at = AnyPlace();
  program_.statements.insert(program_.statements.begin() + static_cast<ptrdiff_t>(at), block.begin(), block.end());
}

// A block stands in another, or is one of another kind.
void Mutator::Wrap() {
  static constexpr Kind kBlocks[] = {Kind::kScope, Kind::kIf, Kind::kFor, Kind::kWhile};
  const Kind kind = kBlocks[choices_.Below(4)];
  const uint64_t trips = kind == Kind::kFor ? DrawTrips(choices_, options_) : 0;
  size_t first = 0, last = 0;
  if (IsFull() || !AnyBlock(program_, structure_, first, last)) return;
  Statement& opening = program_.statements[first];
  if (last > first && choices_.Below(2) == 0) {
    opening.kind = kind, opening.trips = trips;
    return;
  }
  InsertAt(last + 1, {Kind::kEnd});
  InsertAt(first, {kind, kNoBuffer, trips});
}

void Mutator::EditHeader() {
  switch (choices_.Below(5)) {
    case 0: program_.target = static_cast<Target>(choices_.Below(kTargets)); return;
    case 1: program_.tiling = static_cast<Tiling>(choices_.Below(3)); return;
    case 2: program_.core = program_.core == Core::kVector ? Core::kScalar : Core::kVector; return;
    case 3:
      if (!program_.limits.empty() && choices_.Below(2) == 0) return program_.limits.pop_back();
      program_.limits.push_back({static_cast<Space>(choices_.Below(kSparseCoreSpaces)), std::nullopt, choices_.Below(70000)});
      return;
    default: program_.wording = static_cast<Wording>(choices_.Below(2)); return;
  }
}

}  // namespace

void MutateProgram(Choices& choices, const GenerateOptions& options, Program& program, const Program& other) {
  Mutator(choices, options, program, other).Run();
}

}  // namespace oomph::sparsecore
