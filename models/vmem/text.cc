// The printing of kernels, and their one form. See text.h; what is read stands in text_read.cc.
#include "models/vmem/text.h"

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "models/vmem/text_words.h"

namespace oomph::vmem {
namespace {

void AppendSizes(const std::vector<uint64_t>& sizes, std::string& out) {
  out += '[';
  for (size_t i = 0; i < sizes.size(); ++i) absl::StrAppend(&out, i == 0 ? "" : ",", sizes[i]);
  out += ']';
}

void AppendBuffer(const Buffer& buffer, std::string& out) {
  out += hlo::RowOf(buffer.type).name;
  AppendSizes(buffer.shape, out);
}

void AppendAxis(uint32_t axis, std::string& out) {
  if (axis < kAxisLetters.size()) {
    out += kAxisLetters[axis];
  } else {
    absl::StrAppend(&out, "i", axis);
  }
}

void AppendTerm(const Term& term, std::string& out) {
  if (term.kind == TermKind::kConstant) {
    absl::StrAppend(&out, term.amount);
    return;
  }
  if (term.kind == TermKind::kPrefetched) absl::StrAppend(&out, "p", term.amount, "[");
  if (term.kind == TermKind::kAtMost) out += "min(";
  AppendAxis(term.axis, out);
  switch (term.kind) {
    case TermKind::kConstant:
      break;
    case TermKind::kTimes:
      if (term.amount != 1) absl::StrAppend(&out, "*", term.amount);
      break;
    case TermKind::kModulo:
      absl::StrAppend(&out, "%", term.amount);
      break;
    case TermKind::kDivided:
      absl::StrAppend(&out, "//", term.amount);
      break;
    case TermKind::kAtMost:
      absl::StrAppend(&out, ",", term.amount, ")");
      break;
    case TermKind::kPrefetched:
      out += ']';
      break;
  }
}

void AppendPlace(const Place& place, std::string& out) {
  if (place.empty()) out += '0';
  for (size_t i = 0; i < place.size(); ++i) {
    if (i > 0) out += '+';
    AppendTerm(place[i], out);
  }
}

void AppendMap(const std::vector<Place>& map, std::string& out) {
  out += '(';
  for (size_t i = 0; i < map.size(); ++i) {
    if (i > 0) out += ',';
    AppendPlace(map[i], out);
  }
  out += ')';
}

void AppendBlock(const std::vector<BlockDimension>& block, std::string& out) {
  for (size_t i = 0; i < block.size(); ++i) {
    out += i == 0 ? '/' : 'x';
    if (block[i].kind == BlockKind::kSqueezed) {
      out += '_';
    } else {
      absl::StrAppend(&out, block[i].kind == BlockKind::kElement ? "e" : "", block[i].size);
    }
  }
}

void AppendOperand(const Operand& operand, std::string& out) {
  out += hlo::RowOf(operand.type).name;
  AppendSizes(operand.array, out);
  if (operand.in_vmem) out += "S(1)";
  AppendBlock(operand.block, out);
  if (!operand.map.empty()) {
    out += '@';
    AppendMap(operand.map, out);
  }
  if (operand.space != Space::kVmem) {
    out += '@';
    out += SpaceWord(operand.space);
  }
  if (operand.buffers != 0) absl::StrAppend(&out, "*", operand.buffers);
  if (operand.fused) out += " fused";
}

void AppendGrid(const std::vector<GridDimension>& grid, std::string& out) {
  out += "grid(";
  for (size_t i = 0; i < grid.size(); ++i) {
    absl::StrAppend(&out, i == 0 ? "" : ",", grid[i].dynamic ? "?" : "", grid[i].size);
  }
  out += ')';
}

// Up to the last dimension that says something.
void AppendSemantics(const std::vector<GridDimension>& grid, std::string& out) {
  size_t count = grid.size();
  while (count > 0 && grid[count - 1].semantics == Semantics::kNone) --count;
  if (count == 0) return;
  out += " sem(";
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) out += ',';
    out += kSemanticsLetters[static_cast<size_t>(grid[i].semantics)];
  }
  out += ')';
}

void AppendKernelLine(const Kernel& kernel, std::string& out) {
  out += "kernel ";
  out += RowOf(kernel.target).name;
  if (kernel.option_kib) absl::StrAppend(&out, " option ", *kernel.option_kib);
  if (kernel.limit_bytes) absl::StrAppend(&out, " limit ", *kernel.limit_bytes);
}

// Braces as the depths say: what is deeper than the buffer before it stands inside it.
void AppendScoped(const std::vector<ScopedBuffer>& scoped, bool lines, std::string& out) {
  std::vector<uint32_t> open;  // depths of the buffers around
  for (size_t i = 0; i < scoped.size(); ++i) {
    const size_t before = open.size();
    while (!open.empty() && open.back() >= scoped[i].depth) open.pop_back();
    if (before > 0) out.append(before - open.size() - (before > open.size() ? 1 : 0), '}');
    const bool inside = i > 0 && open.size() == before;
    if (inside) {
      out += '{';
    } else if (i == 0 || (lines && open.empty())) {
      out += i == 0 ? "scoped " : "\nscoped ";
    } else {
      out += ' ';
    }
    AppendBuffer(scoped[i].buffer, out);
    open.push_back(scoped[i].depth);
  }
  if (!open.empty()) out.append(open.size() - 1, '}');
}

// `gap` stands between statements, and between the items of one where each has a line of its own.
class Printer {
 public:
  Printer(bool lines, std::string& out) : lines_(lines), out_(out) {}

  void Begin() {
    if (!out_.empty()) out_ += lines_ ? '\n' : ' ';
  }
  template <typename Item, typename Append>
  void List(std::string_view word, const std::vector<Item>& items, Append append) {
    for (size_t i = 0; i < items.size(); ++i) {
      if (lines_ || i == 0) {
        Begin();
        out_ += word;
      }
      out_ += ' ';
      append(items[i], out_);
    }
  }
  void Statements(const Kernel& kernel);

 private:
  const bool lines_;
  std::string& out_;
};

void Printer::Statements(const Kernel& kernel) {
  if (!kernel.grid.empty()) {
    Begin();
    AppendGrid(kernel.grid, out_);
    AppendSemantics(kernel.grid, out_);
  }
  List("prefetch", kernel.prefetched, AppendBuffer);
  List("in", kernel.inputs, AppendOperand);
  List("out", kernel.outputs, AppendOperand);
  List("scratch", kernel.scratch, AppendBuffer);
  if (!kernel.scoped.empty()) {
    Begin();
    AppendScoped(kernel.scoped, lines_, out_);
  }
  if (kernel.body != Body::kCopies) {
    Begin();
    absl::StrAppend(&out_, "body ", std::string(BodyWord(kernel.body)));
  }
  if (kernel.internal_bytes != 0) {
    Begin();
    absl::StrAppend(&out_, "internal ", kernel.internal_bytes);
  }
}

void NormalizeOperand(Operand& operand) {
  for (BlockDimension& dimension : operand.block) {
    if (dimension.kind == BlockKind::kSqueezed) dimension.size = 1;
  }
  for (Place& place : operand.map) {
    for (Term& term : place) {
      if (term.kind == TermKind::kConstant) term.axis = 0;
    }
    if (place.size() == 1 && place[0] == Term{}) place.clear();
  }
}

}  // namespace

std::string_view BodyWord(Body body) { return kBodyWords[static_cast<size_t>(body)]; }
std::string_view SpaceWord(Space space) { return kSpaceWords[static_cast<size_t>(space)]; }

std::string PrintOperand(const Operand& operand) {
  std::string out;
  AppendOperand(operand, out);
  return out;
}

std::string PrintBuffer(const Buffer& buffer) {
  std::string out;
  AppendBuffer(buffer, out);
  return out;
}

std::string PrintMap(const std::vector<Place>& map) {
  std::string out;
  AppendMap(map, out);
  return out;
}

std::string PrintKernel(const Kernel& kernel) {
  std::string out;
  AppendKernelLine(kernel, out);
  Printer(true, out).Statements(kernel);
  out += '\n';
  return out;
}

std::string PrintKernelShort(const Kernel& kernel) {
  std::string out;
  Printer(false, out).Statements(kernel);
  return out;
}

void Normalize(Kernel& kernel) {
  for (Operand& operand : kernel.inputs) NormalizeOperand(operand);
  for (Operand& operand : kernel.outputs) NormalizeOperand(operand);
  std::vector<uint32_t> open;
  for (ScopedBuffer& scoped : kernel.scoped) {
    while (!open.empty() && open.back() >= scoped.depth) open.pop_back();
    open.push_back(scoped.depth);
    scoped.depth = static_cast<uint32_t>(open.size() - 1);
  }
}

}  // namespace oomph::vmem
