// The machine, and its two counts. Written to be compared with liveness.cc: nothing of it is used here.
#include "models/hlo/interpreter.h"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace oomph::hlo {
namespace {

constexpr int kMaxDepth = 100;  // of calls

// What was written at a time into some memory, and when it was last there to be read.
struct Version {
  uint64_t bytes = 0;
  uint32_t space = 0;
  uint32_t made = 0, last = 0;
};
// The versions of a value: of a tuple its table of pointers, then the trees of its elements.
using Tree = std::vector<uint32_t>;

class Machine {
 public:
  Machine(const Module& module, const InterpreterOptions& options) : module_(module), options_(options) {}

  absl::StatusOr<InterpretedPeak> Run() {
    std::vector<Tree> arguments;
    for (const Instruction& instruction : module_.computations[module_.entry].instructions) {
      if (instruction.opcode != Opcode::kParameter) continue;
      if (instruction.payload > 10000) return absl::InvalidArgumentError("a parameter's number is too large");
      if (arguments.size() <= instruction.payload) arguments.resize(instruction.payload + 1);
      arguments[instruction.payload] = Make(instruction.shape);
    }
    arguments_ = versions_.size();
    const Tree result = Call(module_.entry, arguments, 0);
    if (!why_.empty()) return absl::ResourceExhaustedError(why_);
    Touch(result, now_);
    KeepArguments(arguments, result);
    return Count();
  }

 private:
  const Instruction& At(uint32_t computation, uint32_t index) const {
    return module_.computations[computation].instructions[index];
  }

  // --- trees ---

  size_t Size(ShapeId shape) {
    if (++looked_ > 50 * options_.max_events) why_ = "the shapes are too large";
    if (!why_.empty() || module_.shapes[shape].type != Type::kTuple) return 1;
    size_t size = 1;
    for (const ShapeId element : module_.shapes.Elements(shape)) size += Size(element);
    return size;
  }

  void MakeInto(ShapeId shape, Tree& tree) {
    if (module_.shapes[shape].type == Type::kNone) why_ = "a shape is not given";
    if (versions_.size() > options_.max_events) why_ = "too much happens";
    if (!why_.empty()) return;
    Version version;
    version.made = version.last = now_;
    if (const Layout* layout = module_.shapes.LayoutOf(shape)) {
      version.space = static_cast<uint32_t>(std::clamp<int64_t>(layout->memory_space, 0, UINT32_MAX));
    }
    version.bytes = Bytes(shape);
    tree.push_back(static_cast<uint32_t>(versions_.size()));
    versions_.push_back(version);
    if (module_.shapes[shape].type != Type::kTuple) return;
    for (const ShapeId element : module_.shapes.Elements(shape)) MakeInto(element, tree);
  }

  Tree Make(ShapeId shape) {
    Tree tree;
    MakeInto(shape, tree);
    return tree;
  }

  uint64_t Bytes(ShapeId shape) const {
    const Shape& row = module_.shapes[shape];
    if (row.type == Type::kTuple) return options_.pointer_bytes * row.count;
    if (row.type == Type::kOpaque || row.type == Type::kBuffer) return options_.pointer_bytes;
    if (row.type == Type::kToken || row.type == Type::kNone) return 0;
    if (options_.array_bytes) return options_.array_bytes(module_.shapes, shape);
    unsigned __int128 bits = 8 * RowOf(row.type).bytes;
    const Layout* layout = module_.shapes.LayoutOf(shape);
    if (layout != nullptr && layout->element_bits > 0) bits = static_cast<uint64_t>(layout->element_bits);
    for (const Dimension& dimension : module_.shapes.Dimensions(shape)) {
      if (dimension.size <= 0) return 0;
      if (bits > (static_cast<unsigned __int128>(1) << 60)) continue;  // beyond any memory
      bits *= static_cast<uint64_t>(dimension.size);
    }
    bits = (bits + 7) / 8;
    return bits > UINT64_MAX / 4 ? UINT64_MAX / 4 : static_cast<uint64_t>(bits);
  }

  // The part of a tree that is its element; empty where there is none.
  Tree Element(ShapeId shape, const Tree& tree, int64_t element) {
    if (module_.shapes[shape].type != Type::kTuple) return {};
    size_t at = 1;
    for (size_t i = 0; i < module_.shapes[shape].count; ++i) {
      const size_t size = Size(module_.shapes.Elements(shape)[i]);
      if (static_cast<int64_t>(i) == element && at + size <= tree.size()) {
        return {tree.begin() + static_cast<std::ptrdiff_t>(at),
                tree.begin() + static_cast<std::ptrdiff_t>(at + size)};
      }
      at += size;
    }
    return {};
  }

  void Touch(const Tree& tree, uint32_t when) {
    for (const uint32_t version : tree) versions_[version].last = std::max(versions_[version].last, when);
  }
  void OneMemory(uint32_t a, uint32_t b) {
    if (a != b) links_.emplace_back(a, b);
  }
  void OneMemory(const Tree& a, const Tree& b) {
    for (size_t i = 0; i < a.size() && a.size() == b.size(); ++i) OneMemory(a[i], b[i]);
  }

  // `tree` with the arrays of `from` in the places of its own, where they have the same form.
  void TakeArrays(ShapeId shape, Tree& tree, const Tree& from) {
    if (tree.size() != from.size()) return;
    size_t at = 0;
    TakeArraysFrom(shape, tree, from, at);
  }
  void TakeArraysFrom(ShapeId shape, Tree& tree, const Tree& from, size_t& at) {
    const size_t self = at++;
    if (module_.shapes[shape].type != Type::kTuple) {
      tree[self] = from[self];
      return;
    }
    for (const ShapeId element : module_.shapes.Elements(shape)) TakeArraysFrom(element, tree, from, at);
  }
  // Replaces the element of a tuple.
  void Put(ShapeId shape, Tree& tree, int64_t element, const Tree& part) {
    size_t at = 1;
    for (size_t i = 0; i < module_.shapes[shape].count && static_cast<int64_t>(i) < element; ++i) {
      at += Size(module_.shapes.Elements(shape)[i]);
    }
    for (size_t i = 0; i < part.size() && at + i < tree.size(); ++i) tree[at + i] = part[i];
  }

  // --- running ---

  // Runs a computation; what it returns is still there at the next step, whoever runs that.
  Tree Call(uint32_t computation, const std::vector<Tree>& arguments, int depth) {
    if (depth > kMaxDepth) why_ = "calls are nested too deeply";
    std::vector<Tree> values(module_.computations[computation].instructions.size());
    for (uint32_t i = 0; i < values.size() && why_.empty(); ++i) {
      values[i] = Execute(computation, i, values, arguments, depth);
      DropUnused(values[i]);
      Touch(values[i], now_);
      Read(computation, i, values);
      for (auto& [start, seen] : running_) seen.insert(seen.end(), values[i].begin(), values[i].end());
      ++now_;
    }
    if (!why_.empty()) return {};
    const Tree result = values[module_.computations[computation].root];
    Touch(result, now_);
    return result;
  }

  // What was made at this step and then replaced by what is there already, has never been.
  void DropUnused(const Tree& result) {
    const std::set<uint32_t> used(result.begin(), result.end());
    for (size_t v = versions_.size(); v-- > 0 && versions_[v].made == now_;) {
      const bool argument = now_ == 0 && v < arguments_;
      if (!argument && used.count(static_cast<uint32_t>(v)) == 0) versions_[v].bytes = 0;
    }
  }

  void Read(uint32_t computation, uint32_t index, const std::vector<Tree>& values) {
    const Instruction& instruction = At(computation, index);
    for (const uint32_t operand : module_.Operands(instruction)) {
      switch (instruction.opcode) {
        case Opcode::kTuple:
        case Opcode::kCall:
        case Opcode::kWhile:  // it has read what it began with when its body began
          break;
        case Opcode::kGetTupleElement:
        case Opcode::kCopy:
          if (!values[operand].empty()) Touch({values[operand][0]}, now_);
          break;
        default:
          Touch(values[operand], now_);
      }
    }
  }

  std::vector<uint32_t> Calls(const Instruction& instruction, std::initializer_list<Key> keys) const {
    std::vector<uint32_t> calls;
    for (const Key key : keys) {
      const std::optional<AttributeId> id = module_.Find(instruction, key);
      if (!id.has_value()) continue;
      for (const Reference& reference : module_.attribute_table.References(*id)) {
        if (reference.kind == Reference::kComputation) calls.push_back(reference.id);
      }
    }
    return calls;
  }

  Tree Execute(uint32_t computation, uint32_t index, std::vector<Tree>& values, const std::vector<Tree>& arguments,
               int depth) {
    const Instruction& instruction = At(computation, index);
    std::vector<Tree> operands;
    for (const uint32_t operand : module_.Operands(instruction)) operands.push_back(values[operand]);
    const auto operand_shape = [&](size_t k) {
      return At(computation, module_.Operands(instruction)[k]).shape;
    };
    switch (instruction.opcode) {
      case Opcode::kParameter:
        if (instruction.payload < arguments.size() && !arguments[instruction.payload].empty()) {
          return arguments[instruction.payload];
        }
        return Make(instruction.shape);
      case Opcode::kWhile:
        if (!operands.empty()) return Loop(instruction, operands[0], depth);
        break;
      case Opcode::kConditional:
        return Branch(instruction, operands, depth);
      case Opcode::kCall:
        if (const auto calls = Calls(instruction, {Key::kToApply}); !calls.empty()) {
          return Call(calls[0], operands, depth + 1);
        }
        break;
      case Opcode::kAsyncStart:
        return Start(instruction, operands, operand_shape, depth);
      case Opcode::kGetTupleElement: {
        Tree part;
        if (!operands.empty()) part = Element(operand_shape(0), operands[0], module_.Number(instruction, Key::kIndex, -1));
        if (part.size() == Size(instruction.shape)) return part;
        break;
      }
      case Opcode::kBitcast:
      case Opcode::kOptBarrier:
      case Opcode::kDomain:
      case Opcode::kAddDependency:
      case Opcode::kAllReduceDone:
        if (!operands.empty() && operands[0].size() == Size(instruction.shape)) return operands[0];
        break;
      default:
        break;
    }
    Tree result = Make(instruction.shape);
    if (why_.empty()) Fill(instruction, operands, operand_shape, result);
    if (instruction.opcode == Opcode::kAsyncDone || instruction.opcode == Opcode::kAsyncUpdate) {
      GoOn(computation, instruction);
    }
    return result;
  }

  // What of a new result is not new.
  template <typename OperandShape>
  void Fill(const Instruction& instruction, const std::vector<Tree>& operands,
            const OperandShape& operand_shape, Tree& result) {
    const ShapeId shape = instruction.shape;
    const bool tuple = module_.shapes[shape].type == Type::kTuple;
    const auto put = [&](int64_t element, const Tree& part) {
      if (tuple && element < static_cast<int64_t>(module_.shapes[shape].count) &&
          part.size() == Size(module_.shapes.Elements(shape)[static_cast<size_t>(element)])) {
        Put(shape, result, element, part);
      }
    };
    if (operands.empty()) return;
    switch (instruction.opcode) {
      case Opcode::kTuple:
        for (size_t i = 0; i < operands.size(); ++i) put(static_cast<int64_t>(i), operands[i]);
        break;
      case Opcode::kCopy:  // the elements of a tuple stay where they are
        for (size_t i = 1; i < result.size() && result.size() == operands[0].size(); ++i) result[i] = operands[0][i];
        break;
      case Opcode::kCopyStart:
        put(1, operands[0]);
        break;
      case Opcode::kSend:
        put(0, operands[0]);
        break;
      case Opcode::kCopyDone:
      case Opcode::kRecvDone: {
        const Tree part = Element(operand_shape(0), operands[0], 0);
        if (instruction.opcode == Opcode::kRecvDone) {
          put(0, part);
        } else if (part.size() == result.size()) {
          result = part;
        }
        break;
      }
      case Opcode::kAllGatherStart:
      case Opcode::kCollectivePermuteStart:
        PutOperands(shape, operands, result);
        break;
      case Opcode::kAllGatherDone:
      case Opcode::kCollectivePermuteDone:
      case Opcode::kAsyncDone:
        TakeArrays(shape, result, Element(operand_shape(0), operands[0], 1));
        break;
      case Opcode::kAsyncUpdate:
        TakeArrays(shape, result, operands[0]);
        break;
      default:
        break;
    }
    InPlace(instruction, operands, operand_shape, result);
  }

  // Element 0 of a start: its operand, or a new table with all operands.
  void PutOperands(ShapeId shape, const std::vector<Tree>& operands, Tree& result) {
    if (module_.shapes[shape].type != Type::kTuple || module_.shapes[shape].count == 0) return;
    const ShapeId first = module_.shapes.Elements(shape)[0];
    Tree part = Element(shape, result, 0);
    if (!operands.empty() && operands[0].size() == part.size()) {
      const bool tables = module_.shapes[first].type == Type::kTuple;
      if (tables) {
        TakeArrays(first, part, operands[0]);
        part[0] = operands[0][0];
      } else {
        part = operands[0];
      }
    } else if (module_.shapes[first].type == Type::kTuple) {
      for (size_t i = 0; i < operands.size() && i < module_.shapes[first].count; ++i) {
        if (operands[i].size() == Size(module_.shapes.Elements(first)[i])) {
          Put(first, part, static_cast<int64_t>(i), operands[i]);
        }
      }
    }
    Put(shape, result, 0, part);
  }

  template <typename OperandShape>
  void InPlace(const Instruction& instruction, const std::vector<Tree>& operands,
               const OperandShape& operand_shape, const Tree& result) {
    const auto whole = [&](size_t operand, size_t element) {
      if (operand >= operands.size() || operands[operand].empty()) return;
      if (module_.shapes[instruction.shape].type != Type::kTuple) {
        OneMemory(operands[operand][0], result[0]);
      } else if (const Tree part = Element(instruction.shape, result, static_cast<int64_t>(element)); !part.empty()) {
        OneMemory(operands[operand][0], part[0]);
      }
    };
    switch (instruction.opcode) {
      case Opcode::kDynamicUpdateSlice:
      case Opcode::kSetDimensionSize:
        whole(0, 0);
        break;
      case Opcode::kScatter:
        for (size_t i = 0; i < operands.size() / 2; ++i) whole(i, i);
        break;
      case Opcode::kAllReduceStart:
        if (HasBuffersOfItsOwn(instruction)) break;
        for (size_t i = 0; i < operands.size(); ++i) whole(i, i);
        break;
      case Opcode::kCollectivePermute:
        if (operands.size() == 4 && operands[1].size() == 1) OneMemory(operands[1], result);
        break;
      case Opcode::kCollectivePermuteStart:
        if (operands.size() == 4) OneMemory(operands[1], Element(instruction.shape, result, 1));
        break;
      case Opcode::kRaggedAllToAll:
        whole(1, 0);
        break;
      default:
        break;
    }
    Declared(instruction, operands, operand_shape, result);
    if (instruction.opcode == Opcode::kFusion) InPlaceFusion(instruction, operands, result);
  }

  // What an instruction says itself; `slice-start` says it of the slice, whose result is its element 1.
  template <typename OperandShape>
  void Declared(const Instruction& instruction, const std::vector<Tree>& operands, const OperandShape& operand_shape,
                const Tree& result) {
    const std::optional<AttributeId> id = module_.Find(instruction, Key::kOutputToOperandAliasing);
    if (!id.has_value()) return;
    const bool start = instruction.opcode == Opcode::kAsyncStart && instruction.wrapped != instruction.opcode;
    for (const Alias& alias : AliasesOf(module_.attribute_table.Numbers(*id))) {
      if (alias.parameter < 0 || static_cast<size_t>(alias.parameter) >= operands.size()) continue;
      const size_t k = static_cast<size_t>(alias.parameter);
      std::vector<int64_t> output = alias.output;
      if (start) output.insert(output.begin(), 1);
      const Tree from = Walk(operand_shape(k), operands[k], alias.index);
      const Tree to = Walk(instruction.shape, result, output);
      if (!from.empty() && !to.empty()) OneMemory(from[0], to[0]);
    }
  }

  // Of a collective over NVSHMEM.
  bool HasBuffersOfItsOwn(const Instruction& instruction) const {
    const std::optional<AttributeId> id = module_.Find(instruction, Key::kBackendConfig);
    if (!id.has_value() || module_.attribute_table.References(*id).empty()) return false;
    const Reference text = module_.attribute_table.References(*id)[0];
    return text.kind == Reference::kString && module_.strings[text.id].find("\"NVSHMEM\"") != std::string_view::npos;
  }

  Tree Walk(ShapeId shape, Tree tree, std::span<const int64_t> path) {
    for (const int64_t element : path) {
      if (module_.shapes[shape].type != Type::kTuple || element < 0 ||
          element >= static_cast<int64_t>(module_.shapes[shape].count)) {
        return {};
      }
      tree = Element(shape, tree, element);
      shape = module_.shapes.Elements(shape)[static_cast<size_t>(element)];
    }
    return tree;
  }

  // A place in a fused computation: an instruction, and the way to a part of its result.
  struct Place {
    uint32_t instruction = 0;
    std::vector<int64_t> path;
  };

  // Back from a part of a tuple to what was put there.
  Place Origin(uint32_t fused, Place place) const {
    for (int steps = 0; steps < 1000; ++steps) {
      const Instruction& instruction = At(fused, place.instruction);
      const std::span<const uint32_t> operands = module_.Operands(instruction);
      if (instruction.opcode == Opcode::kGetTupleElement && operands.size() == 1) {
        place.path.insert(place.path.begin(), module_.Number(instruction, Key::kIndex, -1));
        place.instruction = operands[0];
      } else if (instruction.opcode == Opcode::kTuple && !place.path.empty() && place.path[0] >= 0 &&
                 place.path[0] < static_cast<int64_t>(operands.size())) {
        place.instruction = operands[static_cast<size_t>(place.path[0])];
        place.path.erase(place.path.begin());
      } else {
        break;
      }
    }
    return place;
  }

  // A fusion of which a part of the root is an update of a parameter updates its operand.
  void InPlaceFusion(const Instruction& fusion, const std::vector<Tree>& operands, const Tree& result) {
    const std::vector<uint32_t> calls = Calls(fusion, {Key::kCalls});
    if (!calls.empty()) Updates(calls[0], fusion.shape, {}, operands, result);
  }
  void Updates(uint32_t fused, ShapeId shape, const std::vector<int64_t>& path, const std::vector<Tree>& operands,
               const Tree& part) {
    if (part.empty()) return;
    for (size_t i = 0; module_.shapes[shape].type == Type::kTuple && i < module_.shapes[shape].count; ++i) {
      std::vector<int64_t> further = path;
      further.push_back(static_cast<int64_t>(i));
      Updates(fused, module_.shapes.Elements(shape)[i], further, operands,
              Element(shape, part, static_cast<int64_t>(i)));
    }
    const Place written = Origin(fused, {module_.computations[fused].root, path});
    const Instruction& update = At(fused, written.instruction);
    const std::span<const uint32_t> inner = module_.Operands(update);
    size_t operand = 0;
    switch (update.opcode) {
      case Opcode::kDynamicUpdateSlice:
      case Opcode::kSetDimensionSize:
        if (!written.path.empty()) return;
        break;
      case Opcode::kScatter:
        if (written.path.empty() != (inner.size() == 3) || written.path.size() > 1) return;
        if (!written.path.empty()) operand = static_cast<size_t>(written.path[0]);
        break;
      default:
        return;
    }
    if (operand >= inner.size()) return;
    const Place from = Origin(fused, {inner[operand], {}});
    const Instruction& parameter = At(fused, from.instruction);
    if (parameter.opcode != Opcode::kParameter || parameter.payload >= operands.size()) return;
    const Tree there = Walk(parameter.shape, operands[parameter.payload], from.path);
    if (!there.empty()) OneMemory(there[0], part[0]);
  }

  // Twice round, so that the second round finds what the first has left.
  Tree Loop(const Instruction& instruction, const Tree& init, int depth) {
    const std::vector<uint32_t> condition = Calls(instruction, {Key::kCondition});
    const std::vector<uint32_t> body = Calls(instruction, {Key::kBody});
    Tree state = init;
    for (int round = 0; round < 2 && why_.empty(); ++round) {
      if (!condition.empty()) Call(condition[0], {state}, depth + 1);
      if (body.empty()) break;
      const Tree next = Call(body[0], {state}, depth + 1);
      OneMemory(state, next);
      if (next.size() != state.size()) break;
      state = next;
    }
    return state;
  }

  // Nobody knows which branch runs: memory must be there for each, one after another.
  Tree Branch(const Instruction& instruction, const std::vector<Tree>& operands, int depth) {
    std::vector<Tree> results;
    size_t branch = 0;
    for (const uint32_t call :
         Calls(instruction, {Key::kTrueComputation, Key::kFalseComputation, Key::kBranchComputations})) {
      ++branch;
      results.push_back(Call(call, {branch < operands.size() ? operands[branch] : Tree()}, depth + 1));
    }
    Tree result = Make(instruction.shape);
    for (size_t i = 0; i < result.size() && !results.empty() && why_.empty(); ++i) {
      bool same = true;
      for (const Tree& other : results) {
        if (other.size() != result.size()) return result;
        same = same && other[i] == results[0][i];
      }
      if (same) {
        result[i] = results[0][i];
      } else {
        for (const Tree& other : results) OneMemory(other[i], result[i]);
      }
    }
    return result;
  }

  // --- what runs beside the schedule ---

  template <typename OperandShape>
  Tree Start(const Instruction& instruction, const std::vector<Tree>& operands, const OperandShape& operand_shape,
             int depth) {
    const std::vector<uint32_t> calls = Calls(instruction, {Key::kCalls});
    std::vector<uint32_t> seen;
    Tree computed;
    if (!calls.empty()) {
      running_.emplace_back(&instruction, std::vector<uint32_t>());
      computed = Call(calls[0], operands, depth + 1);
      seen = std::move(running_.back().second);
      running_.pop_back();
    }
    Tree result = Make(instruction.shape);
    if (!why_.empty()) return result;
    if (module_.shapes[instruction.shape].type == Type::kTuple && module_.shapes[instruction.shape].count > 0) {
      const ShapeId first = module_.shapes.Elements(instruction.shape)[0];
      Tree part = Element(instruction.shape, result, 0);
      if (module_.shapes[first].type == Type::kTuple) {
        for (size_t i = 0; i < operands.size() && i < module_.shapes[first].count; ++i) {
          if (operands[i].size() == Size(module_.shapes.Elements(first)[i])) {
            Put(first, part, static_cast<int64_t>(i), operands[i]);
          }
        }
      }
      Put(instruction.shape, result, 0, part);
      if (module_.shapes[instruction.shape].count > 1) {
        Tree second = Element(instruction.shape, result, 1);
        TakeArrays(module_.shapes.Elements(instruction.shape)[1], second, computed);
        Put(instruction.shape, result, 1, second);
      }
    }
    Declared(instruction, operands, operand_shape, result);
    Touch(seen, now_);
    std::erase_if(beside_, [&](const auto& earlier) { return earlier.first == &instruction; });  // of another round
    if (!seen.empty()) beside_.emplace_back(&instruction, std::move(seen));
    return result;
  }

  // An update or a done: what its start runs is still running until now.
  void GoOn(uint32_t computation, const Instruction& instruction) {
    const Instruction* start = &instruction;
    for (int steps = 0; steps < 1000 && start->opcode != Opcode::kAsyncStart; ++steps) {
      if ((start->opcode != Opcode::kAsyncUpdate && start->opcode != Opcode::kAsyncDone) ||
          module_.Operands(*start).empty()) {
        return;
      }
      start = &At(computation, module_.Operands(*start)[0]);
    }
    for (const auto& [of, seen] : beside_) {
      if (of == start) Touch(seen, now_);
    }
  }

  // --- the end ---

  // A caller keeps its arguments, but those that it has given away.
  void KeepArguments(const std::vector<Tree>& arguments, const Tree& result) {
    const auto shape_of = [&](int64_t number) -> std::optional<ShapeId> {
      for (const Instruction& instruction : module_.computations[module_.entry].instructions) {
        if (instruction.opcode == Opcode::kParameter && instruction.payload == number) return instruction.shape;
      }
      return std::nullopt;
    };
    std::vector<uint32_t> given;
    const auto give = [&](int64_t number, std::span<const int64_t> path) -> std::optional<uint32_t> {
      const std::optional<ShapeId> shape = shape_of(number);
      if (!shape.has_value()) return std::nullopt;
      const Tree tree = Walk(*shape, arguments[static_cast<size_t>(number)], path);
      if (tree.empty()) return std::nullopt;
      given.push_back(tree[0]);
      return tree[0];
    };
    if (const std::optional<AttributeId> id = module_.Find(module_.attributes, Key::kInputOutputAlias)) {
      const Computation& entry = module_.computations[module_.entry];
      for (const Alias& alias : AliasesOf(module_.attribute_table.Numbers(*id))) {
        const std::optional<uint32_t> argument = give(alias.parameter, alias.index);
        const Tree output = Walk(entry.instructions[entry.root].shape, result, alias.output);
        if (argument.has_value() && !output.empty()) OneMemory(*argument, output[0]);
      }
    }
    if (const std::optional<AttributeId> id = module_.Find(module_.attributes, Key::kBufferDonor)) {
      for (NumberReader reader(module_.attribute_table.Numbers(*id)); !reader.done();) {
        const int64_t number = reader.Next();
        give(number, reader.List());
      }
    }
    for (const Tree& argument : arguments) {
      for (const uint32_t version : argument) {
        if (std::find(given.begin(), given.end(), version) == given.end()) Touch({version}, now_);
      }
    }
  }

  // Which memory each version is in: versions in one memory get one number, however long that takes.
  std::vector<uint32_t> Memories() const {
    std::vector<uint32_t> memory(versions_.size());
    for (uint32_t v = 0; v < memory.size(); ++v) memory[v] = v;
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [a, b] : links_) {
        const uint32_t least = std::min(memory[a], memory[b]);
        changed = changed || memory[a] != least || memory[b] != least;
        memory[a] = memory[b] = least;
      }
    }
    return memory;
  }

  // From the end to the beginning: a version is live from its last reading back to its making.
  InterpretedPeak Count() const {
    const std::vector<uint32_t> memory = Memories();
    std::vector<uint64_t> bytes(versions_.size(), 0);
    std::vector<uint32_t> holds(versions_.size(), 0);
    std::vector<std::vector<uint32_t>> ends(now_ + 1), begins(now_ + 1);
    for (uint32_t v = 0; v < versions_.size(); ++v) {
      bytes[memory[v]] = std::max(bytes[memory[v]], versions_[v].bytes);
      ends[versions_[v].last].push_back(v);
      begins[versions_[v].made].push_back(v);
    }
    InterpretedPeak peak;
    std::map<uint32_t, uint64_t> live;
    uint64_t total = 0;
    for (uint32_t step = now_ + 1; step-- > 0;) {
      for (const uint32_t v : ends[step]) {
        if (holds[memory[v]]++ > 0) continue;
        live[versions_[memory[v]].space] += bytes[memory[v]];
        total += bytes[memory[v]];
      }
      peak.total = std::max(peak.total, total);
      for (const auto& [space, now] : live) peak.by_space[space] = std::max(peak.by_space[space], now);
      for (const uint32_t v : begins[step]) {
        if (--holds[memory[v]] > 0) continue;
        live[versions_[memory[v]].space] -= bytes[memory[v]];
        total -= bytes[memory[v]];
      }
    }
    return peak;
  }

  const Module& module_;
  const InterpreterOptions& options_;
  uint32_t now_ = 0;
  size_t looked_ = 0;
  size_t arguments_ = 0;  // the first versions are those of the entry's arguments
  std::string why_;
  std::vector<Version> versions_;
  std::vector<std::pair<uint32_t, uint32_t>> links_;
  std::vector<std::pair<const Instruction*, std::vector<uint32_t>>> running_, beside_;
};

}  // namespace

absl::StatusOr<InterpretedPeak> InterpretPeak(const Module& module, const InterpreterOptions& options) {
  if (module.entry >= module.computations.size()) return absl::InvalidArgumentError("the module has no entry");
  for (const Computation& computation : module.computations) {
    if (computation.root >= computation.instructions.size()) {
      return absl::InvalidArgumentError("a computation has no root");
    }
    for (uint32_t i = 0; i < computation.instructions.size(); ++i) {
      for (const uint32_t operand : module.Operands(computation.instructions[i])) {
        if (operand >= i) return absl::InvalidArgumentError("an operand stands after its user");
      }
    }
  }
  return Machine(module, options).Run();
}

}  // namespace oomph::hlo
