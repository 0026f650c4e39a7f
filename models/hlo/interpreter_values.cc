// Trees of versions: the value of each instruction, part by part.
#include <algorithm>

#include "models/hlo/interpreter_machine.h"

namespace oomph::hlo {

Machine::Machine(const Module& module, const InterpreterOptions& options) : module_(module), options_(options) {
  // What a shape is made of stands before it.
  constexpr size_t kMany = size_t{1} << 40;
  for (ShapeId id = 0; id < module.shapes.size(); ++id) {
    size_t size = 1;
    for (size_t i = 0; i < ElementCount(id); ++i) size = std::min(kMany, size + sizes_[ElementShape(id, i)]);
    sizes_.push_back(size);
  }
}

bool Machine::Spend(size_t visits) {
  spent_ += visits;
  if (spent_ > 20 * options_.max_events && why_.empty()) why_ = "too much happens";
  return why_.empty();
}

size_t Machine::Offset(ShapeId tuple, size_t element) {
  std::vector<size_t>& offsets = offsets_[tuple];
  if (offsets.empty()) {
    size_t at = 1;
    for (size_t i = 0; i < ElementCount(tuple); ++i) {
      offsets.push_back(at);
      at += Size(ElementShape(tuple, i));
    }
  }
  return offsets[element];
}

uint64_t Machine::Bytes(ShapeId shape) const {
  const Shape& row = module_.shapes[shape];
  if (row.type == Type::kTuple) return options_.pointer_bytes * row.count;
  if (row.type == Type::kOpaque) return options_.pointer_bytes;
  if (row.type == Type::kToken || row.type == Type::kNone) return 0;
  if (row.type == Type::kBuffer) {
    const ShapeId held = module_.shapes.Elements(shape)[0];
    return module_.shapes[held].type == Type::kBuffer ? options_.pointer_bytes : Bytes(held);
  }
  if (options_.array_bytes) return options_.array_bytes(module_.shapes, shape);
  unsigned __int128 bits = 8 * RowOf(row.type).bytes;
  const Layout* layout = module_.shapes.LayoutOf(shape);
  if (layout != nullptr && layout->element_bits > 0) bits = static_cast<uint64_t>(layout->element_bits);
  bool empty = false, beyond = false;
  for (const Dimension& dimension : module_.shapes.Dimensions(shape)) {
    empty = empty || dimension.size <= 0;
    const unsigned __int128 size = static_cast<uint64_t>(std::max<int64_t>(dimension.size, 1));
    beyond = beyond || __builtin_mul_overflow(bits, size, &bits);
  }
  if (empty) return 0;
  const unsigned __int128 bytes = bits / 8 + (bits % 8 != 0 ? 1 : 0);
  return beyond || bytes > UINT64_MAX ? UINT64_MAX : static_cast<uint64_t>(bytes);
}

void Machine::MakeInto(ShapeId shape, Tree& tree) {
  if (module_.shapes[shape].type == Type::kNone) why_ = "a shape is not given";
  if (!why_.empty()) return;
  Version version;
  version.made = version.last = now_;
  const bool buffer = module_.shapes[shape].type == Type::kBuffer;
  if (const Layout* layout = module_.shapes.LayoutOf(buffer ? module_.shapes.Elements(shape)[0] : shape)) {
    version.space = static_cast<uint32_t>(std::clamp<int64_t>(layout->memory_space, 0, UINT32_MAX));
  }
  version.bytes = Bytes(shape);
  tree.push_back(static_cast<uint32_t>(versions_.size()));
  versions_.push_back(version);
  for (size_t i = 0; i < ElementCount(shape); ++i) MakeInto(ElementShape(shape, i), tree);
}

Tree Machine::Make(ShapeId shape) {
  if (versions_.size() + Size(shape) > options_.max_events) why_ = "too much happens";
  Tree tree;
  if (why_.empty()) MakeInto(shape, tree);
  return tree;
}

Tree Machine::Element(ShapeId shape, const Tree& tree, int64_t element) {
  if (element < 0 || element >= static_cast<int64_t>(ElementCount(shape))) return {};
  const size_t i = static_cast<size_t>(element), at = Offset(shape, i), size = Size(ElementShape(shape, i));
  if (at + size > tree.size() || !Spend(size)) return {};
  const auto begin = tree.begin() + static_cast<std::ptrdiff_t>(at);
  return {begin, begin + static_cast<std::ptrdiff_t>(size)};
}

Tree Machine::Walk(ShapeId shape, Tree tree, std::span<const int64_t> path) {
  for (const int64_t element : path) {
    if (element < 0 || element >= static_cast<int64_t>(ElementCount(shape))) return {};
    tree = Element(shape, tree, element);
    shape = ElementShape(shape, static_cast<size_t>(element));
  }
  return tree;
}

void Machine::PutFitting(ShapeId shape, Tree& tree, int64_t element, const Tree& part) {
  if (element < static_cast<int64_t>(ElementCount(shape)) &&
      part.size() == Size(ElementShape(shape, static_cast<size_t>(element)))) {
    Put(shape, tree, element, part);
  }
}

void Machine::Put(ShapeId shape, Tree& tree, int64_t element, const Tree& part) {
  const size_t at = Offset(shape, static_cast<size_t>(element));
  for (size_t i = 0; i < part.size() && at + i < tree.size(); ++i) tree[at + i] = part[i];
}

void Machine::TakeArrays(ShapeId shape, Tree& tree, const Tree& from) {
  if (tree.size() != from.size() || tree.empty()) return;
  size_t at = 0;
  TakeArraysFrom(shape, tree, from, at);
}

void Machine::TakeArraysFrom(ShapeId shape, Tree& tree, const Tree& from, size_t& at) {
  if (at >= tree.size()) return;
  const size_t self = at++;
  if (!IsTuple(shape)) {
    tree[self] = from[self];
    return;
  }
  for (size_t i = 0; i < ElementCount(shape); ++i) TakeArraysFrom(ElementShape(shape, i), tree, from, at);
}

void Machine::Touch(const Tree& tree, uint32_t when) {
  for (const uint32_t version : tree) versions_[version].last = std::max(versions_[version].last, when);
}

void Machine::OneMemory(uint32_t from, uint32_t to, Links& links) {
  if (from != to && Spend(1)) links.emplace_back(from, to);
}

void Machine::OneMemory(const Tree& from, const Tree& to, Links& links) {
  for (size_t i = 0; i < from.size() && from.size() == to.size(); ++i) OneMemory(from[i], to[i], links);
}

}  // namespace oomph::hlo
