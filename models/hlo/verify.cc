// The verifier's driver: the table of rules, and asking each part of the verifier.
// Not for the rules of operations (infer_*.cc), nor for those of the module as a whole (verify_*.cc).
#include "models/hlo/verify.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "models/hlo/infer.h"

namespace oomph::hlo {
namespace {

constexpr std::array<RuleRow, kRules> kRows = {{
    {"entry", "there is an entry computation, and no fusion calls it"},
    {"call_order", "a computation stands after those that it calls"},
    {"parameters", "the parameters of a computation are numbered from 0 without a gap"},
    {"root", "a computation has instructions, and one is its root"},
    {"names", "no two computations, and no two instructions of one computation, share a name"},
    {"operand_order", "an instruction stands after its operands and its control predecessors"},
    {"operand_count", "an operation has as many operands as it takes"},
    {"operand_type", "an operation takes the types of its operands"},
    {"operand_shape", "the shapes of the operands fit one another"},
    {"result_shape", "the written shape is the one that the operation gives"},
    {"attribute_missing", "an operation has the attributes that it needs"},
    {"attribute_unexpected", "an operation has no attribute of another one, and none twice"},
    {"attribute_value", "the value of an attribute has a meaning for these operands"},
    {"signature", "a called computation takes and gives what its caller gives and takes"},
    {"literal", "a constant has the elements of its shape, within the range of its type"},
    {"layout", "a layout orders the dimensions of its shape"},
    {"unbounded", "each dimension has a bound, and an array has less than 2^63 elements and bytes"},
    {"fusion", "a fused computation belongs to one fusion and computes nothing for nobody"},
    {"async", "an async operation and what it wraps have the same operands and result"},
    {"pair", "what is started is finished once"},
    {"channel", "both ends of a transfer use one channel in one way"},
    {"replica_groups", "each device is in one group; a transfer has one source and one target"},
    {"sharding", "a sharding is one of this shape on the devices there are"},
    {"thread", "a caller and what it calls run on one thread, as far as the operation demands"},
    {"alias", "what is said to share memory exists, has one shape, and does so once"},
    {"entry_layout", "entry_computation_layout is that of the entry computation"},
    {"buffer", "a buffer is pinned, passed on and unpinned, and nothing else"},
    {"constrain_layout", "all all-reduces constrain their layout, or none does"},
    {"custom_call", "a custom call fits what it says of itself"},
}};

// Layouts and bounds, all through the shape. Elements have smaller ids than their tuple, so each is seen
// once.
struct BadShapes {
  std::vector<Check> of;  // by id

  explicit BadShapes(const ShapeTable& shapes) : of(shapes.size()) {
    for (ShapeId id = 0; id < shapes.size(); ++id) of[id] = Find(shapes, id);
  }

  Check Find(const ShapeTable& shapes, ShapeId id) const {
    for (const ShapeId element : shapes.Elements(id)) {
      if (element < id && of[element].has_value()) return of[element];
    }
    for (const Dimension& dimension : shapes.Dimensions(id)) {
      if (dimension.extent == Extent::kUnbounded) return Wrong(Rule::kUnbounded, "a dimension has no bound");
      if (dimension.size < 0) return Wrong(Rule::kUnbounded, "a dimension has a negative size");
    }
    if (HasTooManyBytes(shapes, id)) {
      return Wrong(Rule::kUnbounded, "an array has 2^63 bytes or more, or as many in the dimensions before one of 0");
    }
    const Layout* layout = shapes.LayoutOf(id);
    if (layout == nullptr || !IsArrayType(shapes[id].type)) return std::nullopt;
    if (IsPermutation(layout->minor_to_major, shapes.Dimensions(id).size())) return std::nullopt;
    return Wrong(Rule::kLayout, absl::StrCat("the layout ", List(layout->minor_to_major), " is none for ",
                                             shapes.Dimensions(id).size(), " dimensions"));
  }

  // Without padding, from the first dimension on, as XLA's verifier multiplies.
  static bool HasTooManyBytes(const ShapeTable& shapes, ShapeId id) {
    int64_t count = 1;
    for (const Dimension& dimension : shapes.Dimensions(id)) {
      if (__builtin_mul_overflow(count, dimension.size, &count)) return true;
    }
    return __builtin_mul_overflow(count, int64_t{(RowOf(shapes[id].type).bits + 7) / 8}, &count);
  }
};

Signature SignatureOf(const Computation& computation, std::span<const ShapeId> results) {
  Signature signature;
  signature.result = results[computation.root];
  for (size_t i = 0; i < results.size(); ++i) {
    const Instruction& instruction = computation.instructions[i];
    if (instruction.opcode != Opcode::kParameter) continue;
    if (signature.parameters.size() <= instruction.payload)
      signature.parameters.resize(instruction.payload + 1);
    signature.parameters[instruction.payload] = results[i];
  }
  return signature;
}

int64_t HeaderNumber(const Module& module, Key key) {
  const std::optional<AttributeId> id = module.Find(module.attributes, key);
  if (!id.has_value() || module.attribute_table.Numbers(*id).empty()) return 1;
  return module.attribute_table.Numbers(*id).front();
}

// In the order of the text, in which what is called and what is used come first.
void VerifyInstructions(Facts& facts, const Known* known, Problems& problems) {
  const BadShapes bad(facts.module.shapes);
  for (uint32_t c = 0; c < facts.module.computations.size(); ++c) {
    const Computation& computation = facts.module.computations[c];
    facts.results.emplace_back();
    for (uint32_t i = 0; i < computation.instructions.size(); ++i) {
      const ShapeId written = computation.instructions[i].shape;
      facts.results[c].push_back(written);
      if (known != nullptr && (*known)[c][i] != 0) continue;
      Context context(facts, c, i);
      Check check = bad.of[written];
      if (!check.has_value()) check = CheckInstruction(context);
      facts.results[c][i] = context.result;
      if (!check.has_value()) check = CheckSharding(context);
      if (check.has_value()) Report(problems, c, i, *std::move(check));
    }
    facts.signatures.push_back(SignatureOf(computation, facts.results[c]));
  }
}

std::vector<Problem> VerifyAllBut(const Module& module, const Known* known) {
  Problems problems;
  if (!VerifyStructure(module, problems)) return problems;
  Facts facts = {.module = module,
                 .shapes = ShapeBook(module.shapes),
                 .signatures = {},
                 .results = {},
                 .replicas = HeaderNumber(module, Key::kReplicaCount),
                 .partitions = HeaderNumber(module, Key::kNumPartitions)};
  VerifyInstructions(facts, known, problems);
  VerifyFlow(facts, problems);
  VerifySharding(facts, problems);
  VerifyHeader(facts, problems);
  return problems;
}

}  // namespace

const RuleRow& RowOf(Rule rule) { return kRows[static_cast<size_t>(rule)]; }

void Report(Problems& problems, uint32_t computation, uint32_t instruction, Failure failure) {
  if (problems.size() < kMaxProblems) {
    problems.push_back({failure.rule, computation, instruction, std::move(failure.text)});
  }
}

std::vector<Problem> Verify(const Module& module) { return VerifyAllBut(module, nullptr); }
std::vector<Problem> Verify(const Module& module, const Known& known) { return VerifyAllBut(module, &known); }

bool CanBeKnown(const Module& module, const Instruction& instruction) {
  const bool async = instruction.opcode == Opcode::kAsyncStart || instruction.opcode == Opcode::kAsyncUpdate ||
                     instruction.opcode == Opcode::kAsyncDone;
  return !async && instruction.shape != 0 && RuleOf(instruction.opcode).match != Match::kReplaced &&
         Called(module, instruction).empty();
}

std::string Describe(const Module& module, const Problem& problem) {
  std::string place;
  if (problem.computation < module.computations.size()) {
    const Computation& computation = module.computations[problem.computation];
    place = absl::StrCat(std::string(module.Name(computation)));
    if (problem.instruction < computation.instructions.size()) {
      absl::StrAppend(&place, "/", std::string(module.Name(computation.instructions[problem.instruction])));
    }
    place += ": ";
  }
  return absl::StrCat(place, problem.text, " (", std::string(RowOf(problem.rule).name), ")");
}

}  // namespace oomph::hlo
