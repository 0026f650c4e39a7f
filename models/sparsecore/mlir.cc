// See mlir.h: printing. Reading is in mlir_read.cc.
#include "models/sparsecore/mlir.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "models/mlir/read.h"
#include "models/sparsecore/text.h"
#include "models/sparsecore/words.h"

namespace oomph::sparsecore {
namespace {

constexpr std::string_view kNoSegments = " <{operandSegmentSizes = array<i32: 0, 0>}> ";

Space FlagsOf(Core core) { return core == Core::kVector ? Space::kSflagTile : Space::kSflagScs; }
// The memory that a number means on a core.
bool IsMeantByItsNumber(Space space, Core core) {
  if (NumberOf(space) == 0) return space == (core == Core::kVector ? Space::kSmemTile : Space::kSmemScs);
  return NumberOf(space) != 204 || space == FlagsOf(core);
}

class Printer {
 public:
  explicit Printer(const Program& program) : program_(program) {
    Normalize(program_);
    program_.wording = Wording::kNumbered;  // of the types
    is_scratch_.resize(program_.buffers.size());
    for (const Statement& s : program_.statements) {
      if (s.kind == Kind::kScratch) is_scratch_[s.buffer] = true;
    }
  }

  std::string Run() {
    out_ = "\"builtin.module\"() ({\n  \"func.func\"() <{function_type = () -> (), sym_name = \"kernel\"}> ({\n";
    depth_ = 2;
    const bool is_vector = program_.core == Core::kVector;
    for (const Statement& statement : program_.statements) {
      if (statement.kind == Kind::kScratch) Allocate(statement.buffer, is_vector ? "" : "oomph.scratch");
    }
    if (is_vector) BeginTask();
    for (const Statement& statement : program_.statements) Print(statement);
    while (!open_.empty()) Close();
    if (is_vector) EndTask();
    Line("\"func.return\"() : () -> ()");
    absl::StrAppend(&out_, "  }) ", Attributes(), " : () -> ()\n}) : () -> ()\n");
    return std::move(out_);
  }

 private:
  void Line(const std::string& text) { absl::StrAppend(&out_, std::string(2 * depth_, ' '), text, "\n"); }

  std::string Attributes() const {
    std::string all = absl::StrCat("{oomph.target = \"", std::string(TargetName(program_.target)), "\", oomph.core = \"",
                                   program_.core == Core::kVector ? "vector" : "scalar", "\"");
    std::string limits;
    for (const SpaceLimit& limit : program_.limits) {
      absl::StrAppend(&limits, limits.empty() ? "" : ", ", "\"", std::string(SparseCoreSpaceName(limit.space)));
      if (limit.last_word) absl::StrAppend(&limits, " ", *limit.last_word);
      if (limit.first_word) absl::StrAppend(&limits, " first ", *limit.first_word);
      limits += "\"";
    }
    if (!limits.empty()) absl::StrAppend(&all, ", oomph.limits = [", limits, "]");
    return all + "}";
  }

  // What stands around a kernel of the vector subcores in the compiler's dumps.
  void BeginTask() {
    Line("\"sc_tpu.tile_task\"() ({");
    ++depth_;
    Open({Kind::kScope, kNoBuffer, 0});
    Open({Kind::kFor, kNoBuffer, kUnknownTrips});
    Open({Kind::kIf, kNoBuffer, 0});
    open_.clear();
  }
  void EndTask() {
    open_ = {Kind::kScope, Kind::kFor, Kind::kIf};
    Close();
    Close();
    Line("\"oomph.work\"() : () -> ()");
    Close();
    Line("\"oomph.work\"() : () -> ()");
    Line("\"sc_tpu.terminator\"() : () -> ()");
    --depth_;
    Line("}) : () -> ()");
  }

  std::string ValueOf(uint32_t buffer) const { return "%" + program_.buffers[buffer].name; }
  std::string TypeOf(uint32_t buffer) const {
    return MemRefOf(program_, program_.buffers[buffer], is_scratch_[buffer]);
  }

  void Allocate(uint32_t buffer, const char* mark) {
    const Buffer& b = program_.buffers[buffer];
    std::string marks = mark;
    if (!IsMeantByItsNumber(b.space, program_.core)) {
      absl::StrAppend(&marks, marks.empty() ? "" : ", ", "oomph.space = \"", std::string(SparseCoreSpaceName(b.space)), "\"");
    }
    if (!marks.empty()) marks = absl::StrCat("{", marks, "} ");
    Line(absl::StrCat(ValueOf(buffer), " = \"memref.alloca\"()", std::string(kNoSegments), marks, ": () -> ", TypeOf(buffer)));
  }

  void Print(const Statement& statement) {
    switch (statement.kind) {
      case Kind::kScratch:
        return;
      case Kind::kAllocate:
        return Allocate(statement.buffer, "");
      case Kind::kUse:
      case Kind::kLoad:
        return Use(statement.kind == Kind::kUse ? "oomph.use" : "oomph.load", statement.buffer);
      case Kind::kCopy:
        return Copy(statement.buffer);
      case Kind::kWork:
        return Line("\"oomph.work\"() : () -> ()");
      case Kind::kElse:
        if (open_.empty() || open_.back() != Kind::kIf) return;
        return Else();
      case Kind::kEnd:
        if (!open_.empty()) Close();
        return;
      default:
        return Open(statement);
    }
  }

  void Use(const char* name, uint32_t buffer) {
    if (buffer == kNoBuffer) return Line("\"oomph.work\"() : () -> ()");
    Line(absl::StrCat("\"", name, "\"(", ValueOf(buffer), ") : (", TypeOf(buffer), ") -> ()"));
  }

  void Copy(uint32_t buffer) {
    const std::string flag = absl::StrCat("%copy.", ++values_), type = "memref<i32, 204>";
    Line("\"memref.alloca_scope\"() ({");
    ++depth_;
    Line(absl::StrCat(flag, " = \"memref.alloca\"()", std::string(kNoSegments), ": () -> ", type));
    if (buffer == kNoBuffer) {
      Line(absl::StrCat("\"oomph.use\"(", flag, ") : (", type, ") -> ()"));
    } else {
      Line(absl::StrCat("\"oomph.use\"(", ValueOf(buffer), ", ", flag, ") : (", TypeOf(buffer), ", ", type, ") -> ()"));
    }
    Line("\"memref.alloca_scope.return\"() : () -> ()");
    --depth_;
    Line("}) : () -> ()");
  }

  std::string Value(const std::string& type) {
    std::string value = absl::StrCat("%value.", ++values_);
    Line(absl::StrCat(value, " = \"oomph.value\"() : () -> ", type));
    return value;
  }
  std::string Constant(uint64_t number) {
    std::string value = absl::StrCat("%constant.", ++values_);
    const uint64_t most = std::min<uint64_t>(number, INT64_MAX);
    Line(absl::StrCat(value, " = \"arith.constant\"() <{value = ", most, " : index}> : () -> index"));
    return value;
  }

  void Open(const Statement& statement) {
    if (statement.kind == Kind::kScope) {
      Line("\"memref.alloca_scope\"() ({");
    } else if (statement.kind == Kind::kFor) {
      const std::string low = Constant(0);
      const std::string high = statement.trips == kUnknownTrips ? Value("index") : Constant(statement.trips), step = Constant(1);
      Line(absl::StrCat("\"scf.for\"(", low, ", ", high, ", ", step, ") ({"));
      Line(absl::StrCat("^bb0(%index.", ++values_, ": index):"));
    } else if (statement.kind == Kind::kWhile) {
      OpenWhile();
    } else {
      const std::string condition = Value("i1");
      Line(absl::StrCat("\"scf.if\"(", condition, ") ({"));
    }
    open_.push_back(statement.kind);
    ++depth_;
  }

  // With a counter, as every one has that ends. It is computed behind all else.
  void OpenWhile() {
    const std::string first = Constant(0), counter = absl::StrCat("%counter.", ++values_);
    Line(absl::StrCat(counter, " = \"scf.while\"(", first, ") ({"));
    Line(absl::StrCat("^bb0(", counter, ".before: index):"));
    ++depth_;
    const std::string condition = Value("i1");
    Line(absl::StrCat("\"scf.condition\"(", condition, ", ", counter, ".before) : (i1, index) -> ()"));
    --depth_;
    Line("}, {");
    Line(absl::StrCat("^bb0(", counter, ".inside: index):"));
  }

  void Else() {
    Line("\"scf.yield\"() : () -> ()");
    --depth_;
    Line("}, {");
    ++depth_;
    open_.back() = Kind::kElse;
  }

  void Close() {
    const Kind kind = open_.back();
    open_.pop_back();
    if (kind == Kind::kWhile) {
      const std::string next = Value("index");
      Line(absl::StrCat("\"scf.yield\"(", next, ") : (index) -> ()"));
    } else {
      Line(kind == Kind::kScope ? "\"memref.alloca_scope.return\"() : () -> ()" : "\"scf.yield\"() : () -> ()");
    }
    --depth_;
    // An if has two regions, the second may be empty.
    const char* const end = kind == Kind::kFor ? "}) : (index, index, index) -> ()"
                            : kind == Kind::kWhile ? "}) : (index) -> index"
                            : kind == Kind::kIf ? "}, {}) : (i1) -> ()"
                            : kind == Kind::kElse ? "}) : (i1) -> ()"
                                                  : "}) : () -> ()";
    Line(end);
  }

  Program program_;
  std::vector<bool> is_scratch_;
  std::string out_;
  size_t depth_ = 0, values_ = 0;  // values are named with a dot, buffers without
  std::vector<Kind> open_;  // kElse: an if in its second region
};

}  // namespace

int NumberOf(Space space) {
  switch (space) {
    case Space::kSmemTile:
    case Space::kSmemScs:
      return 0;
    case Space::kTileSpmem:
      return 201;
    case Space::kSpmem:
      return 202;
    case Space::kHbm:
      return 203;
    case Space::kSflagTile:
    case Space::kSflagScs:
      return 204;
  }
  return 0;
}

bool LooksLikeMlir(std::string_view text) {
  if (!mlir::LooksLikeModule(text) || text.find("memref.alloc") == text.npos) return false;
  if (text.find("#sc_tpu.memory_space<") != text.npos || text.find("oomph.core") != text.npos) return true;
  for (const std::string_view number : {", 201", ", 202", ", 203", ", 204"}) {
    for (size_t at = 0; (at = text.find(number, at)) != text.npos; at += number.size()) {
      const size_t behind = at + number.size();
      if (behind < text.size() && (text[behind] == '>' || text[behind] == ' ')) return true;
    }
  }
  return false;
}

std::string PrintMlir(const Program& program) { return Printer(program).Run(); }

}  // namespace oomph::sparsecore
