// The text of attributes, form by form, as XLA writes them.
#include <algorithm>

#include "models/hlo/print.h"

namespace oomph::hlo {
namespace {

void AppendList(std::span<const int64_t> numbers, char open, char close, std::string& out) {
  out.push_back(open);
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) out.push_back(',');
    AppendInteger(numbers[i], out);
  }
  out.push_back(close);
}

class AttributePrinter {
 public:
  AttributePrinter(const Module& module, AttributeId id, const Computation* computation,
                   const TextStyle& style, std::string& out)
      : module_(module),
        attribute_(module.attribute_table[id]),
        numbers_(module.attribute_table.Numbers(id)),
        references_(module.attribute_table.References(id)),
        computation_(computation),
        style_(style),
        out_(out) {}

  void Print() {
    // The name of a key that we do not know is the first reference.
    if (attribute_.key == Key::kUnknown && !references_.empty()) {
      out_.append(module_.strings[references_.front().id]);
      references_ = references_.subspan(1);
    } else {
      out_.append(RowOf(attribute_.key).name);
    }
    out_.push_back('=');
    PrintValue();
  }

 private:
  void PrintValue();
  void PrintReference(const Reference& reference);
  void PrintReferences(std::string_view separator);
  void PrintFlag(int64_t flag) { out_.append(flag != 0 ? "true" : "false"); }
  void PrintFlags();
  void PrintProgramShape();
  void PrintWindow();
  void PrintPart(std::string_view name, const std::vector<int64_t>& low, const std::vector<int64_t>* high);
  void PrintPadding();
  void PrintSlices();
  void PrintGroups();
  void PrintIota(NumberReader& reader);
  void PrintAliases();
  void PrintDonors();
  void PrintMetadata();
  void PrintMap();
  void PrintSharding(const Sharding& sharding);

  const Module& module_;
  const Attribute& attribute_;
  std::span<const int64_t> numbers_;
  std::span<const Reference> references_;
  const Computation* computation_;
  const TextStyle& style_;
  std::string& out_;
};

void AttributePrinter::PrintValue() {
  switch (attribute_.form) {
    case Form::kInt:
      if (!numbers_.empty()) AppendInteger(numbers_.front(), out_);
      return;
    case Form::kBool:
      if (!numbers_.empty()) PrintFlag(numbers_.front());
      return;
    case Form::kString:
      out_.push_back('"');
      PrintReferences("");
      out_.push_back('"');
      return;
    case Form::kInts:
      return AppendList(numbers_, '{', '}', out_);
    case Form::kBools:
      return PrintFlags();
    case Form::kWord:
    case Form::kComputation:
    case Form::kShape:
    case Form::kJson:
    case Form::kLiteral:
    case Form::kVerbatim:
      return PrintReferences("");
    case Form::kWords:
      out_.push_back('{');
      PrintReferences(",");
      out_.push_back('}');
      return;
    case Form::kComputations:
    case Form::kInstructions:
    case Form::kShapes:
      out_.push_back('{');
      PrintReferences(", ");
      out_.push_back('}');
      return;
    case Form::kProgramShape:
      return PrintProgramShape();
    case Form::kWindow:
      return PrintWindow();
    case Form::kPadding:
      return PrintPadding();
    case Form::kSlices:
      return PrintSlices();
    case Form::kGroups:
      return PrintGroups();
    case Form::kIotaGroups: {
      NumberReader reader(numbers_);
      AppendList(reader.List(), '[', ']', out_);
      return PrintIota(reader);
    }
    case Form::kAliases:
      return PrintAliases();
    case Form::kDonors:
      return PrintDonors();
    case Form::kMetadata:
      return PrintMetadata();
    case Form::kMap:
      return PrintMap();
    case Form::kSharding:
      return PrintSharding(ShardingOf(numbers_));
  }
}

void AttributePrinter::PrintReference(const Reference& reference) {
  switch (reference.kind) {
    case Reference::kString:
      out_.append(module_.strings[reference.id]);
      return;
    case Reference::kShape:
      return AppendShape(module_.shapes, reference.id, {.layouts = true, .index_comments = false}, out_);
    case Reference::kComputation:
      if (style_.percent) out_.push_back('%');
      if (reference.id < module_.computations.size())
        out_.append(module_.Name(module_.computations[reference.id]));
      return;
    case Reference::kInstruction:
      if (style_.percent) out_.push_back('%');
      if (computation_ != nullptr && reference.id < computation_->instructions.size()) {
        out_.append(module_.Name(computation_->instructions[reference.id]));
      }
      return;
  }
}

void AttributePrinter::PrintReferences(std::string_view separator) {
  for (size_t i = 0; i < references_.size(); ++i) {
    if (i > 0) out_.append(separator);
    PrintReference(references_[i]);
  }
}

void AttributePrinter::PrintFlags() {
  out_.push_back('{');
  for (size_t i = 0; i < numbers_.size(); ++i) {
    if (i > 0) out_.push_back(',');
    PrintFlag(numbers_[i]);
  }
  out_.push_back('}');
}

void AttributePrinter::PrintProgramShape() {
  out_.append("{(");
  const ShapePrinting how = {.layouts = true, .index_comments = style_.index_comments};
  for (size_t i = 0; i + 1 < references_.size(); ++i) {
    if (style_.layout_blanks) {
      AppendListComma(i, style_.index_comments, out_);
    } else if (i > 0) {
      out_.push_back(',');
    }
    AppendShape(module_.shapes, references_[i].id, how, out_);
  }
  out_.append(")->");
  if (!references_.empty()) AppendShape(module_.shapes, references_.back().id, how, out_);
  out_.push_back('}');
}

void AttributePrinter::PrintWindow() {
  const Window window = WindowOf(numbers_);
  out_.push_back('{');
  PrintPart("size", window.size, nullptr);
  PrintPart("stride", window.stride, nullptr);
  PrintPart("pad", window.pad_low, &window.pad_high);
  PrintPart("lhs_dilate", window.lhs_dilate, nullptr);
  PrintPart("rhs_dilate", window.rhs_dilate, nullptr);
  PrintPart("rhs_reversal", window.rhs_reversal, nullptr);
  out_.push_back('}');
}

void AttributePrinter::PrintPart(std::string_view name, const std::vector<int64_t>& low,
                                 const std::vector<int64_t>* high) {
  if (low.empty()) return;
  if (out_.back() != '{') out_.push_back(' ');
  out_.append(name);
  out_.push_back('=');
  for (size_t i = 0; i < low.size(); ++i) {
    if (i > 0) out_.push_back('x');
    AppendInteger(low[i], out_);
    if (high == nullptr) continue;
    out_.push_back('_');
    AppendInteger(i < high->size() ? (*high)[i] : 0, out_);
  }
}

// The interior is written for all dimensions or for none.
void AttributePrinter::PrintPadding() {
  bool interior = false;
  for (size_t i = 2; i < numbers_.size(); i += 3) interior |= numbers_[i] != 0;
  for (size_t i = 0; i + 2 < numbers_.size(); i += 3) {
    if (i > 0) out_.push_back('x');
    AppendInteger(numbers_[i], out_);
    out_.push_back('_');
    AppendInteger(numbers_[i + 1], out_);
    if (!interior) continue;
    out_.push_back('_');
    AppendInteger(numbers_[i + 2], out_);
  }
}

// Strides are written for all dimensions or for none.
void AttributePrinter::PrintSlices() {
  bool strides = false;
  for (size_t i = 2; i < numbers_.size(); i += 3) strides |= numbers_[i] != 1;
  out_.push_back('{');
  for (size_t i = 0; i + 2 < numbers_.size(); i += 3) {
    out_.append(i > 0 ? ", [" : "[");
    AppendInteger(numbers_[i], out_);
    out_.push_back(':');
    AppendInteger(numbers_[i + 1], out_);
    if (strides) {
      out_.push_back(':');
      AppendInteger(numbers_[i + 2], out_);
    }
    out_.push_back(']');
  }
  out_.push_back('}');
}

void AttributePrinter::PrintGroups() {
  out_.push_back('{');
  bool first = true;
  for (NumberReader reader(numbers_); !reader.done();) {
    if (!first) out_.push_back(',');
    first = false;
    AppendList(reader.List(), '{', '}', out_);
  }
  out_.push_back('}');
}

void AttributePrinter::PrintIota(NumberReader& reader) {
  out_.append("<=");
  AppendList(reader.List(), '[', ']', out_);
  const std::span<const int64_t> order = reader.List();
  if (order.empty()) return;
  out_.push_back('T');
  AppendList(order, '(', ')', out_);
}

// The header's list has blanks inside its braces, that of an instruction has none.
void AttributePrinter::PrintAliases() {
  const bool header = attribute_.key == Key::kInputOutputAlias;
  const std::vector<Alias> aliases = AliasesOf(numbers_);
  out_.append(header ? "{ " : "{");
  for (size_t i = 0; i < aliases.size(); ++i) {
    if (i > 0) out_.append(", ");
    AppendList(aliases[i].output, '{', '}', out_);
    out_.append(": (");
    AppendInteger(aliases[i].parameter, out_);
    out_.append(", ");
    AppendList(aliases[i].index, '{', '}', out_);
    if (aliases[i].kind == kMayAlias) out_.append(", may-alias");
    if (aliases[i].kind == kMustAlias) out_.append(", must-alias");
    out_.push_back(')');
  }
  out_.append(header ? " }" : "}");
}

void AttributePrinter::PrintDonors() {
  out_.append("{ ");
  bool first = true;
  for (NumberReader reader(numbers_); !reader.done();) {
    out_.append(first ? "(" : ", (");
    first = false;
    AppendInteger(reader.Next(), out_);
    out_.append(", ");
    AppendList(reader.List(), '{', '}', out_);
    out_.push_back(')');
  }
  out_.append(" }");
}

void AttributePrinter::PrintMetadata() {
  out_.push_back('{');
  NumberReader reader(numbers_);
  for (size_t i = 0; i < references_.size() && !reader.done();) {
    if (i > 0) out_.push_back(' ');
    PrintReference(references_[i++]);
    out_.push_back('=');
    const int64_t kind = reader.Next();
    if (kind == kFieldNumber) {
      AppendInteger(reader.Next(), out_);
      continue;
    }
    if (i == references_.size()) break;
    if (kind == kFieldText) out_.push_back('"');
    PrintReference(references_[i++]);
    if (kind == kFieldText) out_.push_back('"');
  }
  out_.push_back('}');
}

void AttributePrinter::PrintMap() {
  out_.push_back('{');
  for (size_t i = 0; i + 1 < references_.size(); i += 2) {
    if (i > 0) out_.push_back(',');
    PrintReference(references_[i]);
    out_.push_back('=');
    PrintReference(references_[i + 1]);
  }
  out_.push_back('}');
}

void AttributePrinter::PrintSharding(const Sharding& sharding) {
  out_.push_back('{');
  for (size_t i = 0; i < sharding.elements.size(); ++i) {
    if (i > 0) out_.append(", ");
    PrintSharding(sharding.elements[i]);
  }
  out_.append(WordOf(sharding.kind));
  if (sharding.kind == Sharding::kMaximal && !sharding.devices.empty()) {
    out_.append(" device=");
    AppendInteger(sharding.devices.front(), out_);
  }
  if (sharding.kind == Sharding::kTiled) {
    out_.append("devices=");
    AppendList(sharding.dimensions, '[', ']', out_);
    if (!sharding.devices.empty()) {
      for (size_t i = 0; i < sharding.devices.size(); ++i) {
        if (i > 0) out_.push_back(',');
        AppendInteger(sharding.devices[i], out_);
      }
    } else {
      out_.append("<=");
      AppendList(sharding.iota, '[', ']', out_);
      if (!sharding.order.empty()) {
        out_.push_back('T');
        AppendList(sharding.order, '(', ')', out_);
      }
    }
  }
  if (sharding.last_replicated) out_.append(" last_tile_dim_replicate");
  if (!sharding.last_dims.empty()) out_.append(" last_tile_dims={");
  for (size_t i = 0; i < sharding.last_dims.size(); ++i) {
    if (i > 0) out_.append(", ");
    out_.append(WordOf(sharding.last_dims[i]));
  }
  if (!sharding.last_dims.empty()) out_.push_back('}');
  if (sharding.group_kind != 0) {
    out_.append(sharding.group_kind == 1 ? " shard_as " : " shard_like ");
    AppendInteger(sharding.group, out_);
  }
  out_.push_back('}');
}

}  // namespace

void AppendAttribute(const Module& module, AttributeId attribute, const Computation* computation,
                     const TextStyle& style, std::string& out) {
  AttributePrinter(module, attribute, computation, style, out).Print();
}

}  // namespace oomph::hlo
