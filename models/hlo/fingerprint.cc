// See fingerprint.h. A module becomes a row of numbers: what a table holds once is written where it is first met, and
// by its turn afterwards, so that the numbers of the tables say nothing.
#include "models/hlo/fingerprint.h"

#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace oomph::hlo {
namespace {

class Writing {
 public:
  explicit Writing(const Module& module)
      : module_(module), strings_(module.strings.size()), shapes_(module.shapes.size()) {
    words_.reserve(8 * module.strings.size() + 1024);
  }

  Fingerprint Get() {
    // A field more in these types does not compile here, so that none is forgotten. How the text was written says
    // nothing.
    const auto& [name, attributes, files, functions, locations, frames, computations, entry, style, strings, shapes,
                 table, operands, lists] = module_;
    (void)style, (void)strings, (void)shapes, (void)table, (void)operands, (void)lists;
    String(name);
    Attributes(attributes);
    Strings(files);
    Strings(functions);
    Put(locations.size());
    for (const auto& [file, function, line, end_line, column, end_column] : locations) {
      for (const int64_t number : {file, function, line, end_line, column, end_column}) Put(number);
    }
    Put(frames.size());
    for (const auto& [location, parent] : frames) Put(location), Put(parent);
    Put(entry);
    Put(computations.size());
    for (const Computation& computation : computations) Add(computation);
    return FingerprintOfText(std::string_view(reinterpret_cast<const char*>(words_.data()), words_.size() * sizeof(words_[0])));
  }

 private:
  template <typename Number>
  void Put(Number number) {
    words_.push_back(static_cast<uint64_t>(number));
  }

  void Bytes(std::string_view text) {
    Put(text.size());
    const size_t at = words_.size();
    words_.resize(at + (text.size() + sizeof(words_[0]) - 1) / sizeof(words_[0]));
    if (!text.empty()) memcpy(words_.data() + at, text.data(), text.size());
  }

  // Equal ones have one number within a table. 0 says that it is new.
  bool IsKnown(std::vector<uint32_t>& turns, uint32_t id, uint32_t& next) {
    Put(turns[id]);
    if (turns[id] != 0) return true;
    turns[id] = ++next;
    return false;
  }
  void String(StringId id) {
    if (!IsKnown(strings_, id, next_string_)) Bytes(module_.strings[id]);
  }
  void Strings(std::span<const StringId> ids) {
    Put(ids.size());
    for (const StringId id : ids) String(id);
  }

  void Numbers(std::span<const int64_t> numbers) {
    Put(numbers.size());
    for (const int64_t number : numbers) Put(number);
  }

  void Shape(ShapeId id) {
    if (IsKnown(shapes_, id, next_shape_)) return;
    Put(module_.shapes[id].type);
    const std::span<const ShapeId> elements = module_.shapes.Elements(id);
    Put(elements.size());
    for (const ShapeId element : elements) Shape(element);
    const std::span<const Dimension> dimensions = module_.shapes.Dimensions(id);
    Put(dimensions.size());
    for (const auto& [size, extent] : dimensions) Put(size), Put(extent);
    const hlo::Layout* layout = module_.shapes.LayoutOf(id);
    Put(layout != nullptr);
    if (layout != nullptr) Add(*layout);
  }

  void Add(const Layout& layout) {
    const auto& [order, levels, tiles, tail, index_type, pointer_type, bits, space, splits, physical, metadata] = layout;
    Numbers(order);
    Bytes(levels);
    Put(tiles.size());
    for (const std::vector<int64_t>& tile : tiles) Numbers(tile);
    Put(tail), Put(index_type), Put(pointer_type), Put(bits), Put(space), Put(metadata);
    Put(splits.size());
    for (const auto& [dimension, indices] : splits) Put(dimension), Numbers(indices);
    Put(physical.has_value());
    if (physical.has_value()) Shape(*physical);
  }

  void Attributes(ListRange list) {
    Put(list.count);
    for (const AttributeId id : module_.Attributes(list)) {
      const Attribute& row = module_.attribute_table[id];
      Put(static_cast<uint64_t>(row.key) << 8 | static_cast<uint64_t>(row.form));
      Numbers(module_.attribute_table.Numbers(id));
      const std::span<const Reference> references = module_.attribute_table.References(id);
      Put(references.size());
      for (const Reference& reference : references) {
        Put(uint32_t{reference.kind});
        if (reference.kind == Reference::kString) {
          String(reference.id);
        } else if (reference.kind == Reference::kShape) {
          Shape(reference.id);
        } else {
          Put(uint32_t{reference.id});
        }
      }
    }
  }

  void Add(const Computation& computation) {
    const auto& [name, root, attributes, instructions] = computation;
    String(name);
    Put(root);
    Attributes(attributes);
    Put(instructions.size());
    for (const Instruction& instruction : instructions) Add(instruction);
  }

  void Add(const Instruction& instruction) {
    const auto& [name, shape, operands, attributes, opcode, wrapped, payload] = instruction;
    Put(static_cast<uint64_t>(operands.count) << 16 | static_cast<uint64_t>(opcode) << 8 | static_cast<uint64_t>(wrapped));
    String(name);
    Shape(shape);
    for (const uint32_t operand : module_.Operands(instruction)) Put(operand);
    Attributes(attributes);
    if (opcode == Opcode::kConstant) {
      String(payload);
    } else {
      Put(payload);
    }
  }

  const Module& module_;
  std::vector<uint32_t> strings_, shapes_;
  uint32_t next_string_ = 0, next_shape_ = 0;
  std::vector<uint64_t> words_;
};

}  // namespace

Fingerprint FingerprintOf(const Module& module) { return Writing(module).Get(); }

}  // namespace oomph::hlo
