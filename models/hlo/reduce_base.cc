// What is looked up once for the base of a reduction, and the measure. See reduce_draft.h and reduce.h.
#include <algorithm>
#include <bit>
#include <string>

#include "models/hlo/bytes.h"
#include "models/hlo/generate_scope.h"
#include "models/hlo/mutate_edit.h"
#include "models/hlo/reduce_draft.h"
#include "models/hlo/reduce_lists.h"
#include "models/hlo/verify.h"

namespace oomph::hlo {
namespace reduce {
namespace {

// Copies what a module uses into the tables of another, each row once.
class Copying {
 public:
  Copying(const Module& from, Module& to)
      : from_(from),
        to_(to),
        strings_(from.strings.size(), kNone),
        shapes_(from.shapes.size(), kNone),
        attributes_(from.attribute_table.size(), kNone) {}

  StringId String(StringId id) {
    if (strings_[id] == kNone) strings_[id] = to_.strings.Add(from_.strings[id]);
    return strings_[id];
  }

  ShapeId Shape(ShapeId id) {
    if (shapes_[id] != kNone) return shapes_[id];
    const hlo::Shape& shape = from_.shapes[id];
    ShapeId now = 0;
    if (shape.type == Type::kTuple || shape.type == Type::kBuffer) {
      std::vector<ShapeId> elements;
      for (const ShapeId element : from_.shapes.Elements(id)) elements.push_back(Shape(element));
      now = shape.type == Type::kTuple ? to_.shapes.AddTuple(elements) : to_.shapes.AddBuffer(elements[0]);
    } else if (shape.type != Type::kNone) {
      std::optional<LayoutId> layout;
      if (shape.has_layout) {
        Layout copy = from_.shapes.layout(shape.layout);
        if (copy.physical.has_value()) copy.physical = Shape(*copy.physical);
        layout = to_.shapes.AddLayout(copy);
      }
      now = to_.shapes.AddArray(shape.type, from_.shapes.Dimensions(id), layout);
    }
    return shapes_[id] = now;
  }

  AttributeId Attribute(AttributeId id) {
    if (attributes_[id] != kNone) return attributes_[id];
    references_.clear();
    for (Reference reference : from_.attribute_table.References(id)) {
      if (reference.kind == Reference::kString) reference.id = String(reference.id);
      if (reference.kind == Reference::kShape) reference.id = Shape(reference.id);
      references_.push_back(reference);
    }
    const hlo::Attribute& row = from_.attribute_table[id];
    return attributes_[id] = to_.attribute_table.Add(row.key, row.form, from_.attribute_table.Numbers(id), references_);
  }

  ListRange Attributes(ListRange range) {
    const ListRange now = {static_cast<uint32_t>(to_.attribute_lists.size()), range.count};
    for (const AttributeId id : from_.Attributes(range)) to_.attribute_lists.push_back(Attribute(id));
    return now;
  }

 private:
  const Module& from_;
  Module& to_;
  std::vector<uint32_t> strings_, shapes_, attributes_;
  std::vector<Reference> references_;
};

uint64_t Size(const ShapeTable& shapes, ShapeId id) {
  const absl::StatusOr<uint64_t> bytes = UnpaddedBytes(shapes, id);
  return bytes.ok() ? *bytes : 0;
}

std::vector<CallSites> FindSites(const Module& module) {
  std::vector<CallSites> sites(module.computations.size());
  for (const Computation& computation : module.computations) {
    for (const Instruction& instruction : computation.instructions) {
      if (instruction.attributes.count == 0) continue;
      const bool call = instruction.opcode == Opcode::kCall || instruction.opcode == Opcode::kFusion;
      for (const uint32_t called : Called(module, instruction)) {
        ++sites[called].count;
        const std::vector<Instruction>& body = module.computations[called].instructions;
        const auto parameters =
            std::ranges::count_if(body, [](const Instruction& each) { return each.opcode == Opcode::kParameter; });
        sites[called].simple &= call && static_cast<size_t>(parameters) == instruction.operands.count;
      }
    }
  }
  return sites;
}

}  // namespace

Module Compact(const Module& module) {
  Module now;
  Copying copy(module, now);
  now.name = copy.String(module.name);
  now.attributes = copy.Attributes(module.attributes);
  for (const StringId name : module.file_names) now.file_names.push_back(copy.String(name));
  for (const StringId name : module.function_names) now.function_names.push_back(copy.String(name));
  now.file_locations = module.file_locations;
  now.stack_frames = module.stack_frames;
  now.entry = module.entry;
  now.style = module.style;
  for (const Computation& computation : module.computations) {
    Computation& target = now.computations.emplace_back();
    target.name = copy.String(computation.name);
    target.root = computation.root;
    target.attributes = copy.Attributes(computation.attributes);
    target.instructions.reserve(computation.instructions.size());
    for (Instruction instruction : computation.instructions) {
      const std::span<const uint32_t> operands = module.Operands(instruction);
      instruction.operands.begin = static_cast<uint32_t>(now.operand_lists.size());
      now.operand_lists.insert(now.operand_lists.end(), operands.begin(), operands.end());
      instruction.name = copy.String(instruction.name);
      instruction.shape = copy.Shape(instruction.shape);
      instruction.attributes = copy.Attributes(instruction.attributes);
      if (instruction.opcode == Opcode::kConstant) instruction.payload = copy.String(instruction.payload);
      target.instructions.push_back(instruction);
    }
  }
  return now;
}

Base::Base(const Module& from)
    : module_(Compact(from)),
      measure_(MeasureOf(module_)),
      reached_(ReachedFromEntry(module_)),
      sites_(FindSites(module_)) {
  const std::vector<Problem> problems = Verify(module_);
  problems_ = problems.size();
  if (problems_ < kMaxProblems) {
    for (const Computation& computation : module_.computations) {
      std::vector<uint8_t>& known = known_.emplace_back();
      for (const Instruction& instruction : computation.instructions) known.push_back(CanBeKnown(module_, instruction));
    }
    // Where the structure is wrong nothing else was looked at.
    const bool looked = std::ranges::none_of(problems, [](const Problem& each) {
      return each.instruction == kNoIndex || each.rule == Rule::kOperandOrder || each.rule == Rule::kOperandCount ||
             each.rule == Rule::kCallOrder;
    });
    if (!looked) known_.clear();
    for (const Problem& each : problems) {
      if (looked) known_[each.computation][each.instruction] = 0;
    }
  }
  const std::vector<uint8_t> effects = EffectsOf(module_);
  for (const Computation& computation : module_.computations) {
    std::vector<uint8_t>& effect = effects_.emplace_back();
    std::vector<uint8_t>& idle = idle_.emplace_back(computation.instructions.size(), uint8_t{1});
    effect.reserve(computation.instructions.size());
    for (const Instruction& instruction : computation.instructions) {
      effect.push_back(hlo::HasEffect(module_, effects, instruction));
      for (const uint32_t operand : module_.Operands(instruction)) idle[operand] = 0;
    }
    if (&computation == &entry()) root_used_ = idle[computation.root] == 0;
    idle[computation.root] = 0;
  }
  for (AttributeId id = 0; id < module_.attribute_table.size(); ++id) {
    has_control_ |= module_.attribute_table[id].key == Key::kControlPredecessors;
  }
  for (ShapeId id = 0; id < module_.shapes.size(); ++id) {
    bytes_.push_back(Size(module_.shapes, id));
    const std::span<const ShapeId> elements = module_.shapes.Elements(id);
    const bool tuple = module_.shapes[id].type == Type::kTuple;
    all_arrays_.push_back(tuple ? std::ranges::all_of(elements, [&](ShapeId each) { return all_arrays_[each] != 0; })
                                : IsArrayType(module_.shapes[id].type));
  }
}

bool IsStaticArray(const ShapeTable& shapes, ShapeId shape) {
  if (!IsArrayType(shapes[shape].type)) return false;
  return std::ranges::all_of(shapes.Dimensions(shape), [](const Dimension& each) { return each.extent == Extent::kStatic; });
}

std::string_view SimplestLiteral(Type type) {
  switch (type) {
    case Type::kPred:
      return "false";
    case Type::kF8e8m0fnu:  // has no zero
      return "1";
    case Type::kC64:
    case Type::kC128:
      return "(0, 0)";
    default:
      return "0";
  }
}

bool IsConstant(const Module& module, const Computation& computation, const Instruction& instruction) {
  if (instruction.opcode == Opcode::kConstant) return true;
  return instruction.opcode == Opcode::kBroadcast && instruction.operands.count == 1 &&
         computation.instructions[module.Operands(instruction)[0]].opcode == Opcode::kConstant;
}

Instruction Plain(const Instruction& of, Opcode opcode, uint32_t payload) {
  Instruction plain;
  plain.name = of.name;
  plain.shape = of.shape;
  plain.opcode = plain.wrapped = opcode;
  plain.payload = payload;
  return plain;
}

}  // namespace reduce

// ---- the measure ----

namespace {

// What stands in a shape: bits of its dimensions, what its layouts say, tuples. A tuple may name one element often, so
// that these sums are bounded.
struct ShapeMeasure {
  uint64_t sizes = 0, layouts = 0, tuples = 0;
};
constexpr uint64_t kMany = uint64_t{1} << 40;

ShapeMeasure MeasureOf(const ShapeTable& shapes, ShapeId id, const std::vector<ShapeMeasure>& before) {
  ShapeMeasure measure;
  measure.tuples = shapes[id].type == Type::kTuple ? 1 : 0;
  for (const ShapeId element : shapes.Elements(id)) {  // has a smaller number
    const ShapeMeasure& inner = before[element];
    measure.sizes = std::min(kMany, measure.sizes + inner.sizes);
    measure.layouts = std::min(kMany, measure.layouts + inner.layouts);
    measure.tuples = std::min(kMany, measure.tuples + inner.tuples);
  }
  for (const Dimension& each : shapes.Dimensions(id)) measure.sizes += std::bit_width(static_cast<uint64_t>(each.size));
  if (const Layout* layout = shapes.LayoutOf(id)) {
    const bool space = layout->memory_space != 0, ordered = std::ranges::is_sorted(layout->minor_to_major, std::greater<>());
    const bool plain = reduce::WithoutTiles(*layout) == *layout;
    measure.layouts += 1u + (space ? 1 : 0) + (ordered ? 0 : 1) + (plain ? 0 : 1);
  }
  return measure;
}

uint64_t CallsOf(const Module& module, const Instruction& instruction) {
  uint64_t calls = 0;
  for (const AttributeId id : module.Attributes(instruction)) {
    for (const Reference& reference : module.attribute_table.References(id)) calls += reference.kind == Reference::kComputation;
  }
  const bool control = instruction.opcode == Opcode::kWhile || instruction.opcode == Opcode::kConditional;
  return control ? 2 * calls : calls;
}

bool IsWork(const Module& module, uint32_t c, uint32_t i) {
  const Computation& computation = module.computations[c];
  const Instruction& instruction = computation.instructions[i];
  if (instruction.opcode == Opcode::kParameter) return false;
  if (i == computation.root && instruction.opcode == Opcode::kTuple) return false;
  return c == module.entry || !reduce::IsConstant(module, computation, instruction);
}

}  // namespace

Measure reduce::MeasureWithoutNames(const Module& module) {
  Measure sum;
  std::vector<ShapeMeasure> shapes;
  shapes.reserve(module.shapes.size());
  for (ShapeId id = 0; id < module.shapes.size(); ++id) shapes.push_back(MeasureOf(module.shapes, id, shapes));
  sum.texts = module.attributes.count + module.file_names.size() + module.function_names.size() +
              module.file_locations.size() + module.stack_frames.size();
  for (uint32_t c = 0; c < module.computations.size(); ++c) {
    const Computation& computation = module.computations[c];
    sum.lines += 1 + computation.instructions.size();
    sum.texts += computation.attributes.count;
    for (uint32_t i = 0; i < computation.instructions.size(); ++i) {
      const Instruction& instruction = computation.instructions[i];
      if (instruction.attributes.count > 0) sum.calls += CallsOf(module, instruction);
      sum.work += IsWork(module, c, i);
      if (c == module.entry && instruction.opcode == Opcode::kParameter) sum.tuples += shapes[instruction.shape].tuples;
      sum.operands += instruction.operands.count;
      sum.sizes += shapes[instruction.shape].sizes;
      sum.layouts += shapes[instruction.shape].layouts;
      sum.texts += instruction.attributes.count + (reduce::HasSimplerLiteral(module, instruction) ? 1 : 0);
    }
  }
  return sum;
}

Measure MeasureOf(const Module& module) {
  Measure sum = reduce::MeasureWithoutNames(module);
  sum.names = reduce::OtherNames(module);
  return sum;
}

}  // namespace oomph::hlo
