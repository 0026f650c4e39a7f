// See mlir.h: reading. One walk over the operations, with those that are open on a stack; no calls in one another.
//
// Of an operation it is asked whether it allocates, opens a region, only names a part of a buffer or computes (nothing of it
// stays by itself), reads a buffer, or does something else, with or without a buffer. In a dump of the compiler the kernel
// stands in what was put around it: in the function of the scalar core, whose allocations are the kernel's own scratch, a
// sc_tpu.tile_task, in it a scope, a loop over the cores and a branch. That is taken away again.
#include "models/sparsecore/mlir.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "models/mlir/read.h"
#include "models/mlir/values.h"
#include "models/sparsecore/text.h"

namespace oomph::sparsecore {
namespace {

using mlir::Index;
using mlir::kNone;
using mlir::Module;
using mlir::Operation;

constexpr size_t kMostLeftOut = 100;
constexpr size_t kMostDimensions = 16;

// What an operation with regions is. Where MLIR gives an operation a scope of allocations of its own, it is a frame.
struct RegionRow {
  std::string_view name;
  Kind kind;
};
constexpr std::array<RegionRow, 9> kRegions = {{{"memref.alloca_scope", Kind::kScope},
                                                {"scf.for", Kind::kFor},
                                                {"scf.parallel", Kind::kFor},
                                                {"scf.forall", Kind::kFor},
                                                {"affine.for", Kind::kFor},
                                                {"affine.parallel", Kind::kFor},
                                                {"scf.while", Kind::kWhile},
                                                {"scf.if", Kind::kIf},
                                                {"affine.if", Kind::kIf}}};

// Operations that leave nothing behind, by their names' beginnings. What they are given of a buffer is a part of it.
constexpr std::array<std::string_view, 33> kPure = {
    "arith.", "math.", "index.", "complex.", "affine.apply", "affine.min", "affine.max", "oomph.value", "vector.broadcast",
    "vector.shape_cast", "vector.extract", "vector.insert", "memref.cast", "memref.subview", "memref.view", "memref.reinterpret_cast",
    "memref.collapse_shape", "memref.expand_shape", "memref.memory_space_cast", "memref.transpose", "memref.dim", "memref.extract_",
    "memref.dealloc", "memref.assume_alignment", "sc_tpu.view", "sc_tpu.core_index", "sc_tpu.tile_index", "sc_tpu.replica_id",
    "sc_tpu.partition_id", "sc_tpu.chip_id", "sc_tpu.allocate_at_offset", "builtin.unrealized_", "tpu.erase_memref_layout"};
constexpr std::array<std::string_view, 9> kPureXir = {"xir.assume_multiple", "xir.reinterpret_cast", "xir.memref_", "xir.bitcast", "xir.extract",
                                                      "xir.broadcast", "xir.iota", "xir.constant", "unrealized_conversion_cast"};
constexpr std::array<std::string_view, 7> kReads = {"memref.load", "vector.load", "affine.load", "sc_tpu.vector_load", "vector.transfer_read",
                                                    "memref.prefetch", "oomph.load"};
constexpr std::array<std::string_view, 8> kEnds = {"yield", "return", "terminator", "condition", "unreachable", "in_parallel", "br", "cond_br"};

template <typename Names>
bool BeginsWithOneOf(std::string_view name, const Names& names) {
  return std::any_of(names.begin(), names.end(), [&](std::string_view n) { return name.starts_with(n); });
}
bool IsPure(std::string_view name) { return BeginsWithOneOf(name, kPure) || BeginsWithOneOf(name, kPureXir); }
bool IsRead(std::string_view name) { return std::find(kReads.begin(), kReads.end(), name) != kReads.end(); }
bool IsEnd(std::string_view name) {
  const std::string_view last = name.substr(name.rfind('.') + 1);
  return std::any_of(kEnds.begin(), kEnds.end(), [&](std::string_view end) {
    return last == end || (last.size() > end.size() && last.ends_with(end) && last[last.size() - end.size() - 1] == '_');
  });
}
bool IsFunction(std::string_view name) { return name.ends_with(".func") || name == "func"; }
bool IsAllocation(std::string_view name) { return name == "memref.alloca" || name == "memref.alloc"; }
bool IsTask(std::string_view name) { return name == "sc_tpu.tile_task"; }

const RegionRow* RegionOf(std::string_view name) {
  const auto row = std::find_if(kRegions.begin(), kRegions.end(), [&](const RegionRow& r) { return r.name == name; });
  return row == kRegions.end() ? nullptr : &*row;
}

std::optional<Type> ElementType(std::string_view element) {
  if (element == "index") return Type::kS32;  // as it is lowered for these cores
  if (element == "complex<f32>") return Type::kC64;
  if (element == "complex<f64>") return Type::kC128;
  if (element.starts_with("!tpu.") && element.find("semaphore") != element.npos) return Type::kS32;
  std::string name = absl::AsciiStrToLower(absl::string_view(element.data(), element.size()));
  if (name.starts_with("si") || name.starts_with("ui")) {
    name.erase(1, 1);
  } else if (name.starts_with('i')) {
    name[0] = 's';
  }
  const Type type = hlo::TypeNamed(name);
  if (type == Type::kNone || !hlo::IsArrayType(type)) return std::nullopt;
  return type;
}

std::optional<Space> SpaceNamed(std::string_view name) {
  for (size_t i = 0; i < kSparseCoreSpaces; ++i) {
    if (SparseCoreSpaceName(static_cast<Space>(i)) == name) return static_cast<Space>(i);
  }
  return std::nullopt;
}

// The memory of a type: by name, by number, or not told, which is number 0.
struct MemorySpace {
  std::optional<Space> named;
  std::optional<int64_t> number;
};

// (8,128)(2,1),[2,1] -> {8, 128}
std::optional<std::vector<uint64_t>> TileIn(std::string_view body) {
  if (!body.starts_with('(')) return std::nullopt;
  const auto parts = mlir::Elements(body.substr(0, mlir::EndOfBrackets(body, 0)));
  if (!parts) return std::nullopt;
  std::vector<uint64_t> tile;
  for (const std::string_view part : *parts) {
    const auto size = mlir::Integer(part);
    if (!size || *size < 1) return std::nullopt;
    tile.push_back(static_cast<uint64_t>(*size));
  }
  return tile;
}

class Reader {
 public:
  Reader(std::string_view name, const Module& module, Target target) : name_(name), module_(module), target_(target) {
    numbers_.resize(module.values.size());
    aliases_.assign(module.values.size(), kNoBuffer);
    const size_t slash = name.rfind('/');
    file_ = name.substr(slash == name.npos ? 0 : slash + 1);
    if (file_.ends_with(".mlir")) file_.remove_suffix(5);
    place_at_ = line_begin_ = module.text->data();
  }

  std::vector<FromMlir> Run() {
    FindSpaces();
    PushList(module_.first_operation);
    while (!stack_.empty()) Step();
    Finish();
    return std::move(made_);
  }

 private:
  // A list of operations that is walked, and what is done behind it.
  struct Level {
    Index next = kNone;       // operation
    Index operation = kNone;  // whose region it is
    Index region = kNone, block = kNone;
    bool opened = false;      // a statement that kEnd closes
    bool is_if = false;       // the second region follows an kElse
    bool mute = false;        // what it does itself is none of the program
    Index last_opener = kNone;  // the last operation in it that has regions
    bool ends_function = false, ends_task = false;
  };

  // --- the walk ---

  void PushList(Index first) {
    Level level;
    level.next = first;
    stack_.push_back(level);
  }

  void Step() {
    Level& level = stack_.back();
    if (level.next != kNone) {
      const Index operation = level.next;
      level.next = module_.operations[operation].next;
      return Visit(operation);
    }
    if (level.block != kNone && module_.blocks[level.block].next != kNone) {
      level.block = module_.blocks[level.block].next;
      level.next = module_.blocks[level.block].first_operation;
      return;
    }
    if (level.region != kNone && module_.regions[level.region].next != kNone) return NextRegion(level);
    const Level done = level;
    stack_.pop_back();
    if (done.opened) Emit(Kind::kEnd);
    if (done.ends_task) is_behind_task_ = true;
    if (done.ends_function) Finish();
  }

  void NextRegion(Level& level) {
    level.region = module_.regions[level.region].next;
    level.block = module_.regions[level.region].first_block;
    level.next = level.block == kNone ? kNone : module_.blocks[level.block].first_operation;
    if (!level.opened) return;
    if (level.is_if) {
      level.is_if = false;
      return Emit(Kind::kElse);
    }
    if (module_.operations[level.operation].name == "scf.while") return;
    Emit(Kind::kEnd);
    Emit(Kind::kIf);
  }

  Level& Enter(Index operation) {
    Level level;
    level.operation = operation;
    level.region = module_.operations[operation].first_region;
    level.block = module_.regions[level.region].first_block;
    level.next = level.block == kNone ? kNone : module_.blocks[level.block].first_operation;
    stack_.push_back(level);
    return stack_.back();
  }

  void Visit(Index index) {
    const Operation& operation = module_.operations[index];
    if (IsAllocation(operation.name)) return Allocate(operation);
    if (operation.first_region != kNone) {
      stack_.back().last_opener = index;
      return Region(index);
    }
    if (IsEnd(operation.name)) return End(operation);
    if (IsPure(operation.name)) return Compute(operation);
    Effect(operation, IsRead(operation.name) ? Kind::kLoad : Kind::kUse);
  }

  // What a region gives, computed behind the last that it opens, stands behind that: it is not the last of the region.
  void End(const Operation& operation) {
    const Level& level = stack_.back();
    if (level.mute || !is_open_ || level.last_opener == kNone) return;
    if (level.operation != kNone && module_.operations[level.operation].name == "scf.while") return;  // the model knows its counter
    for (const mlir::Use& use : module_.Operands(operation)) {
      const Index by = use.value == kNone ? kNone : module_.values[use.value].operation;
      if (by == kNone || by <= level.last_opener || module_.operations[by].block != operation.block) continue;
      return Emit(Kind::kWork);
    }
  }

  void Region(Index index) {
    const Operation& operation = module_.operations[index];
    if (IsFunction(operation.name)) {
      Finish();
      Begin(operation);
      Enter(index).ends_function = true;
      return;
    }
    if (operation.name == "builtin.module" || operation.name.ends_with(".module")) {
      Enter(index);
      return;
    }
    if (IsTask(operation.name)) return EnterTask(index);
    const bool is_transparent = std::find(around_.begin(), around_.end(), index) != around_.end();
    if (is_transparent) {
      Enter(index).mute = index != around_.back();
      return;
    }
    const RegionRow* const row = RegionOf(operation.name);
    if (row == nullptr) {
      Effect(operation, Kind::kUse);
      Emit(Kind::kIf);
      Enter(index).opened = true;
      return;
    }
    if (row->kind == Kind::kIf && operation.operands.count > 0) {
      if (const auto condition = NumberOfUse(operation, 0)) return EnterBranch(index, *condition != 0);
    }
    Emit(row->kind, kNoBuffer, row->kind == Kind::kFor ? TripsOf(operation) : 0);
    Level& level = Enter(index);
    level.opened = true;
    level.is_if = row->kind == Kind::kIf;
  }

  // The branch that is taken stands in the place of the if.
  void EnterBranch(Index index, bool first) {
    const Index region = module_.operations[index].first_region, second = module_.regions[region].next;
    if (!first && second == kNone) return;
    const Index taken = first ? region : second, block = module_.regions[taken].first_block;
    Level level;
    level.operation = index;
    level.block = block;
    level.next = block == kNone ? kNone : module_.blocks[block].first_operation;
    stack_.push_back(level);
  }

  // --- what the compiler puts around a kernel ---

  void EnterTask(Index index) {
    Program& program = Made().program;
    program.core = Core::kVector;
    // What the function of the scalar core did before is none of the tile's; what it allocated is kernel-level scratch.
    std::vector<Statement> scratch;
    for (const Statement& s : program.statements) {
      if (s.kind == Kind::kAllocate) scratch.push_back({Kind::kScratch, s.buffer, 0});
      if (s.kind == Kind::kScratch) scratch.push_back(s);
    }
    if (!is_behind_task_) program.statements = std::move(scratch);
    is_behind_task_ = false;
    has_task_ = true;
    FindAround(index);
    Level& level = Enter(index);
    level.ends_task = true;
    level.mute = !around_.empty();
  }

  // The only operation of a block that has regions and is called so, of those whose names have an entry in kRegions; kNone:
  // there is none, or an allocation beside it.
  Index OnlyRegionOf(Index operation, std::string_view name) const {
    const Index region = module_.operations[operation].first_region;
    const Index block = module_.regions[region].first_block;
    Index only = kNone;
    for (Index o = block == kNone ? kNone : module_.blocks[block].first_operation; o != kNone; o = module_.operations[o].next) {
      const Operation& each = module_.operations[o];
      if (IsAllocation(each.name)) return kNone;
      if (each.first_region == kNone) continue;
      if (only != kNone || each.name != name) return kNone;
      only = o;
    }
    return only;
  }

  void FindAround(Index task) {
    around_.clear();
    const Index scope = OnlyRegionOf(task, "memref.alloca_scope");
    const Index loop = scope == kNone ? kNone : OnlyRegionOf(scope, "scf.for");
    const Index branch = loop == kNone ? kNone : OnlyRegionOf(loop, "scf.if");
    if (branch != kNone) around_ = {scope, loop, branch};
  }

  // --- the program ---

  FromMlir& Made() {
    if (!is_open_) {
      made_.emplace_back();
      made_.back().program.target = target_;
      made_.back().program.tiling = Tiling::kNone;
      made_.back().program.wording = has_names_ ? Wording::kNamed : Wording::kNumbered;
      is_open_ = true;
      is_behind_task_ = false;
      names_.clear();
      is_own_ = has_task_ = false;
    }
    return made_.back();
  }

  void Begin(const Operation& function) {
    FromMlir& made = Made();
    made.function = std::string(module_.SymbolOf(function));
    const auto quoted = [&](std::string_view name) {
      const auto value = module_.Find(function, name);
      return value ? mlir::Quoted(*value) : std::nullopt;
    };
    is_own_ = quoted("sc.sequencer").has_value();
    if (const auto target = quoted("oomph.target")) made.program.target = FindTarget(*target).value_or(target_);
    // A sequencer's function without a task is a kernel of the scalar core.
    made.program.core = is_own_ || quoted("oomph.core") == "scalar" ? Core::kScalar : Core::kVector;
    if (const auto limits = module_.Find(function, "oomph.limits")) ReadLimits(*limits, made.program);
  }

  void ReadLimits(std::string_view list, Program& program) {
    for (const std::string_view each : mlir::Elements(list).value_or(std::vector<std::string_view>())) {
      std::string_view text = mlir::Quoted(each).value_or("");
      SpaceLimit limit;
      const auto space = SpaceNamed(text.substr(0, text.find(' ')));
      if (!space) continue;
      limit.space = *space;
      if (const size_t first = text.find(" first "); first != text.npos) {
        limit.first_word = Word(text.substr(first + 7));
        text = text.substr(0, first);
      }
      if (const size_t blank = text.find(' '); blank != text.npos) limit.last_word = Word(text.substr(blank + 1));
      program.limits.push_back(limit);
    }
  }
  static std::optional<uint64_t> Word(std::string_view digits) {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return value;
  }

  void Finish() {
    if (!is_open_) return;
    is_open_ = false;
    FromMlir& made = made_.back();
    if (!has_task_) StandInFunction(made.program);
    if (made.program.buffers.empty() && made.left_out.empty()) made_.pop_back();
  }

  // The kernel of a vector subcore stands in a branch in a loop, and what is last in it is hoisted. What stands in a function of
  // its own is not: a scope around it, with something behind it, says the same.
  static void StandInFunction(Program& program) {
    std::vector<Statement>& all = program.statements;
    if (program.core != Core::kVector || all.empty() || all.back().kind != Kind::kEnd) return;
    all.insert(all.begin(), Statement{Kind::kScope, kNoBuffer, 0});
    all.push_back({Kind::kEnd, kNoBuffer, 0});
    all.push_back({Kind::kWork, kNoBuffer, 0});
  }

  void Emit(Kind kind, uint32_t buffer = kNoBuffer, uint64_t trips = 0) {
    if (is_behind_task_) return;
    Made().program.statements.push_back({kind, buffer, trips});
  }

  // Something that stays, with the buffers it is given.
  void Effect(const Operation& operation, Kind kind) {
    if (!is_open_ || stack_.back().mute) return;
    std::array<uint32_t, 8> seen;
    size_t count = 0;
    for (const mlir::Use& use : module_.Operands(operation)) {
      const uint32_t buffer = use.value == kNone ? kNoBuffer : aliases_[use.value];
      const bool is_new = buffer != kNoBuffer && std::find(seen.begin(), seen.begin() + count, buffer) == seen.begin() + count;
      if (!is_new || count == seen.size()) continue;
      seen[count++] = buffer;
      Emit(kind, buffer);
    }
    // What only gives values is computed where they are used.
    const bool stays = operation.results.count == 0 || operation.name.ends_with("call");
    if (count == 0 && kind != Kind::kLoad && operation.first_region == kNone && stays) Emit(Kind::kWork);
  }

  // --- what is computed before it runs ---

  void Compute(const Operation& operation) {
    if (operation.results.count == 0) return;
    const Index result = operation.results.begin;
    if (!operation.name.starts_with("arith.")) {
      for (const mlir::Use& use : module_.Operands(operation)) {
        if (use.value == kNone || aliases_[use.value] == kNoBuffer) continue;
        for (uint32_t i = 0; i < operation.results.count; ++i) aliases_[result + i] = aliases_[use.value];
        break;
      }
      return;
    }
    numbers_[result] = Evaluate(operation);
  }

  std::optional<int64_t> NumberOfUse(const Operation& operation, size_t operand) const {
    const auto uses = module_.Operands(operation);
    if (operand >= uses.size() || uses[operand].value == kNone) return std::nullopt;
    return numbers_[uses[operand].value];
  }

  std::optional<int64_t> Evaluate(const Operation& operation) const {
    const std::string_view name = operation.name.substr(6);
    if (name == "constant") return ConstantOf(operation);
    const auto a = NumberOfUse(operation, 0), b = NumberOfUse(operation, 1);
    if (name == "index_cast" || name == "extsi") return a;
    int64_t value = 0;
    if (!a || !b) return std::nullopt;
    if (name == "addi" && !__builtin_add_overflow(*a, *b, &value)) return value;
    if (name == "subi" && !__builtin_sub_overflow(*a, *b, &value)) return value;
    if (name == "muli" && !__builtin_mul_overflow(*a, *b, &value)) return value;
    if (name == "maxsi") return std::max(*a, *b);
    if (name == "minsi") return std::min(*a, *b);
    return std::nullopt;
  }

  // "value = 7 : index" of the generic form, "arith.constant 7 : index" of its own.
  std::optional<int64_t> ConstantOf(const Operation& operation) const {
    if (const auto value = module_.Find(operation, "value")) return mlir::Integer(*value);
    const size_t begin = static_cast<size_t>(operation.name.data() - module_.text->data()) + operation.name.size();
    const std::string_view rest = std::string_view(*module_.text).substr(begin, 64);
    const std::string_view number = mlir::Trimmed(rest.substr(0, rest.find_first_of(":\n")));
    return mlir::Integer(number);
  }

  uint64_t TripsOf(const Operation& loop) const {
    const auto low = NumberOfUse(loop, 0), high = NumberOfUse(loop, 1), step = NumberOfUse(loop, 2);
    if (loop.name != "scf.for" || !low || !high || !step || *step <= 0) return kUnknownTrips;
    if (*high <= *low) return 0;
    const uint64_t distance = static_cast<uint64_t>(*high) - static_cast<uint64_t>(*low), by = static_cast<uint64_t>(*step);
    return distance / by + (distance % by == 0 ? 0 : 1);
  }

  // --- allocations ---

  // Whether the text names the memories or numbers them, and whether it has any of a SparseCore at all.
  void FindSpaces() {
    for (const Operation& operation : module_.operations) {
      if (!IsAllocation(operation.name) || operation.results.count != 1) continue;
      const auto type = mlir::ReadShaped(module_.Resolve(module_.Results(operation)[0].type));
      if (!type) continue;
      const MemorySpace space = SpaceOf(*type);
      has_names_ = has_names_ || space.named.has_value();
      is_ours_ = is_ours_ || space.named || (space.number && *space.number >= 201 && *space.number <= 204);
    }
    for (const Operation& operation : module_.operations) is_ours_ = is_ours_ || module_.Find(operation, "oomph.core").has_value();
  }

  MemorySpace SpaceOf(const mlir::ShapedType& type) const {
    MemorySpace space;
    for (const std::string_view each : type.rest) {
      const std::string_view text = module_.Resolve(each);
      if (const auto number = mlir::Integer(text)) space.number = number;
      const auto named = mlir::ReadNamed(text);
      if (named && named->name == "sc_tpu.memory_space") space.named = SpaceNamed(named->body);
    }
    if (type.rest.empty()) space.number = 0;  // as MLIR prints number 0
    return space;
  }

  std::optional<Space> MemoryOf(const MemorySpace& space, const Program& program) const {
    if (space.named) return space.named;
    if (!space.number) return std::nullopt;
    const bool vector = program.core == Core::kVector;
    switch (*space.number) {
      case 0:
        return vector ? Space::kSmemTile : Space::kSmemScs;
      case 201:
        return Space::kTileSpmem;
      case 202:
        return Space::kSpmem;
      case 203:
        return Space::kHbm;
      case 204:
        return vector ? Space::kSflagTile : Space::kSflagScs;
      default:
        return std::nullopt;
    }
  }

  void Allocate(const Operation& operation) {
    if (operation.results.count != 1 || is_behind_task_) return;
    const mlir::Value& result = module_.Results(operation)[0];
    const auto type = mlir::ReadShaped(module_.Resolve(result.type));
    FromMlir& made = Made();
    Buffer buffer;
    bool is_added = false;
    const std::string why = type && type->kind == "memref" ? Fill(operation, *type, made.program, buffer, is_added) : "is no memref";
    if (!why.empty()) return LeaveOut(result, why);
    if (is_added) return;
    buffer.place = PlaceOf(result.name);
    buffer.value = std::string(result.name);
    buffer.name = NameOf(result.name);
    const uint32_t index = static_cast<uint32_t>(made.program.buffers.size());
    made.program.buffers.push_back(std::move(buffer));
    aliases_[operation.results.begin] = index;
    Emit(module_.Find(operation, "oomph.scratch") ? Kind::kScratch : Kind::kAllocate, index);
  }

  // What the buffer is; a reason where it is none. Added: by the compiler, of its own, which the model knows without it.
  std::string Fill(const Operation& operation, const mlir::ShapedType& type, const Program& program, Buffer& buffer,
                   bool& is_added) const {
    auto space = is_ours_ ? MemoryOf(SpaceOf(type), program) : std::nullopt;
    if (const auto named = module_.Find(operation, "oomph.space")) space = SpaceNamed(mlir::Quoted(*named).value_or(""));
    if (!space) return "is in no memory of a SparseCore";
    const auto element = ElementType(type.element);
    if (!element) return absl::StrCat("has elements of a type that is not known: ", std::string(type.element.substr(0, 60)));
    if (type.sizes.size() > kMostDimensions) return "has more than 16 dimensions";
    buffer.space = *space;
    buffer.type = *element;
    for (const int64_t size : type.sizes) {
      if (size < 0) return "has a size that is not known";
      buffer.shape.push_back(static_cast<uint64_t>(size));
    }
    bool has_layout = false;
    for (const std::string_view each : type.rest) {
      const auto named = mlir::ReadNamed(module_.Resolve(each));
      if (!named || !named->name.ends_with(".tiled")) continue;
      has_layout = true;
      buffer.tile = TileIn(named->body);
    }
    // Those of the function of the scalar core that have no layout the compiler added: see docs/FACTS.md, implicit words.
    is_added = is_own_ && !has_layout && stack_.back().ends_function;
    return "";
  }

  void LeaveOut(const mlir::Value& result, const std::string& why) {
    FromMlir& made = Made();
    if (made.left_out.size() >= kMostLeftOut) return;
    std::string type(result.type.substr(0, 100));
    made.left_out.push_back(absl::StrCat(std::string(name_), ":", LineAndColumn(result.name), ": ", type, " ", why));
  }

  std::string PlaceOf(std::string_view view) { return absl::StrCat(std::string(file_), ":", LineAndColumn(view)); }
  // Views come in the order of the text.
  std::string LineAndColumn(std::string_view view) {
    if (view.data() < place_at_) {
      place_at_ = line_begin_ = module_.text->data();
      line_ = 1;
    }
    for (const char* at = place_at_; (at = std::find(at, view.data(), '\n')) != view.data(); ++at) {
      ++line_;
      line_begin_ = at + 1;
    }
    place_at_ = view.data();
    return absl::StrCat(line_, ":", static_cast<size_t>(view.data() - line_begin_) + 1);
  }

  // "%alloca_42" -> "alloca_42", "%232" -> "v232"; with a number behind it where another has it.
  std::string NameOf(std::string_view value) {
    std::string name;
    for (const char c : value.substr(1)) name += absl::ascii_isalnum(static_cast<unsigned char>(c)) ? absl::ascii_tolower(c) : '_';
    if (name.empty() || absl::ascii_isdigit(static_cast<unsigned char>(name[0]))) name.insert(0, "v");
    uint32_t number = ++names_[name];
    if (number == 1) return name;
    while (true) {
      const std::string other = absl::StrCat(name, "_n", number++);
      if (!names_.try_emplace(other, 1).second) continue;
      names_[name] = number - 1;
      return other;
    }
  }

  const std::string_view name_;
  std::string_view file_;
  const Module& module_;
  const Target target_;
  std::vector<FromMlir> made_;
  std::vector<Level> stack_;
  std::vector<std::optional<int64_t>> numbers_;  // of values, where they are known
  std::vector<uint32_t> aliases_;                // the buffers that values are or are part of
  std::vector<Index> around_;                    // scope, loop and branch around the kernel
  absl::flat_hash_map<std::string, uint32_t> names_;
  const char* place_at_ = nullptr;    // the last place that was told, and its line
  const char* line_begin_ = nullptr;
  size_t line_ = 1;
  bool is_open_ = false;          // made_.back() is being filled
  bool is_own_ = false;           // its function is one of the compiler's dumps
  bool is_behind_task_ = false, has_task_ = false;
  bool has_names_ = false, is_ours_ = false;
};

}  // namespace

absl::StatusOr<std::vector<FromMlir>> ReadPrograms(std::string_view name, const mlir::Module& module, Target target) {
  std::vector<FromMlir> made = Reader(name, module, target).Run();
  if (made.empty()) return absl::NotFoundError(absl::StrCat(std::string(name), ": it allocates nothing (memref.alloca, memref.alloc)"));
  return made;
}

absl::Status ReadFirstProgram(std::string_view name, std::string_view text, Target target, Program& into) {
  const auto module = mlir::Read(name, std::string(text));
  if (!module.ok()) return module.status();
  auto programs = ReadPrograms(name, *module, target);
  if (!programs.ok()) return programs.status();
  for (FromMlir& made : *programs) {
    if (made.program.buffers.empty()) continue;
    into = std::move(made.program);
    Normalize(into);
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(programs->front().left_out.front(), ", and nothing else is allocated"));
}

}  // namespace oomph::sparsecore
