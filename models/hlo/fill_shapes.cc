// Asks the verifier's rules for the shapes that are not written.
#include "models/hlo/fill_shapes.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "models/hlo/infer.h"
#include "models/hlo/verify.h"

namespace oomph::hlo {
namespace {

bool IsMissing(const Module& module, const Instruction& instruction) {
  return module.shapes[instruction.shape].type == Type::kNone;
}

bool SaysNothing(Opcode opcode) { return RuleOf(opcode).match == Match::kReplaced; }

Signature SignatureOf(const Computation& computation, std::span<const ShapeId> results) {
  Signature signature;
  signature.result = results[computation.root];
  for (size_t i = 0; i < results.size(); ++i) {
    const Instruction& instruction = computation.instructions[i];
    if (instruction.opcode != Opcode::kParameter) continue;
    if (signature.parameters.size() <= instruction.payload) signature.parameters.resize(instruction.payload + 1);
    signature.parameters[instruction.payload] = results[i];
  }
  return signature;
}

// How deep shapes are nested. Grows with the table: what a shape is made of stands before it.
class Depths {
 public:
  int Of(const ShapeTable& shapes, ShapeId id) {
    for (ShapeId next = static_cast<ShapeId>(depth_.size()); next <= id; ++next) {
      int depth = 0;
      for (const ShapeId element : shapes.Elements(next)) depth = std::max(depth, depth_[element] + 1);
      depth_.push_back(depth);
    }
    return depth_[id];
  }

 private:
  std::vector<int> depth_;
};

class Filling {
 public:
  explicit Filling(const Module& module)
      : module_(module), facts_{.module = module, .shapes = ShapeBook(module.shapes), .signatures = {}, .results = {}} {}

  absl::Status Run() {
    for (uint32_t c = 0; c < module_.computations.size(); ++c) {
      const Computation& computation = module_.computations[c];
      facts_.results.emplace_back();
      for (uint32_t i = 0; i < computation.instructions.size(); ++i) {
        facts_.results[c].push_back(computation.instructions[i].shape);
        Infer(c, i);
      }
      facts_.signatures.push_back(SignatureOf(computation, facts_.results[c]));
    }
    return status_;
  }
  bool changed() const { return changed_; }

  // The book's table is the module's with more after it: its ids mean what they meant.
  void Store(Module& module) const {
    module.shapes = facts_.shapes.table();
    for (uint32_t c = 0; c < module.computations.size(); ++c) {
      std::vector<Instruction>& instructions = module.computations[c].instructions;
      for (uint32_t i = 0; i < instructions.size(); ++i) instructions[i].shape = facts_.results[c][i];
    }
  }

 private:
  void Infer(uint32_t c, uint32_t i) {
    const Instruction& instruction = module_.computations[c].instructions[i];
    const bool missing = IsMissing(module_, instruction);
    if (!missing && !SaysNothing(instruction.opcode)) return;
    Context context(facts_, c, i);
    const Check bad = CheckInstruction(context);
    std::string why = bad.has_value() ? bad->text : "";
    ShapeId& shape = facts_.results[c][i];
    if (!bad.has_value() && context.result != shape) {
      if (depths_.Of(facts_.shapes.table(), context.result) > kMaxShapeDepth) {
        why = "its tuples are nested too deep";
      } else if (missing || !facts_.shapes.Compatible(context.result, shape)) {
        shape = context.result;
        changed_ = true;
      }
    }
    if (facts_.shapes.TypeOf(shape) != Type::kNone || !status_.ok()) return;
    status_ = absl::InvalidArgumentError(absl::StrCat("the shape of instruction ",
                                                      std::string(module_.Name(instruction)),
                                                      " is not given, and cannot be inferred: ", why));
  }

  const Module& module_;
  Facts facts_;
  Depths depths_;
  absl::Status status_;
  bool changed_ = false;
};

absl::Status CanInfer(const Module& module) {
  Problems problems;
  if (VerifyStructure(module, problems)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("no shapes can be inferred: ", problems.empty() ? "" : Describe(module, problems.front())));
}

}  // namespace

bool MayLackShapes(const Module& module) {
  for (const Computation& computation : module.computations) {
    for (const Instruction& instruction : computation.instructions) {
      if (instruction.shape >= module.shapes.size()) return false;  // no sound module: nothing to fill in
      if (IsMissing(module, instruction) || SaysNothing(instruction.opcode)) return true;
    }
  }
  return false;
}

absl::Status FillShapes(Module& module) {
  if (!MayLackShapes(module)) return absl::OkStatus();
  if (absl::Status status = CanInfer(module); !status.ok()) return status;
  Filling filling(module);
  absl::Status status = filling.Run();
  if (filling.changed()) filling.Store(module);
  return status;
}

absl::Status FillShapes(const Module& module, std::shared_ptr<const Module>& filled) {
  filled.reset();
  if (!MayLackShapes(module)) return absl::OkStatus();
  if (absl::Status status = CanInfer(module); !status.ok()) return status;
  Filling filling(module);
  absl::Status status = filling.Run();
  if (!filling.changed()) return status;
  auto copy = std::make_shared<Module>(module);
  filling.Store(*copy);
  filled = std::move(copy);
  return status;
}

}  // namespace oomph::hlo
