// See from_module.h.
#include "models/vmem/from_module.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "models/hlo/attribute.h"
#include "models/hlo/opcode.h"
#include "models/hlo/shape.h"
#include "models/mlir/read.h"

namespace oomph::vmem {
namespace {

using nlohmann::json;

constexpr int64_t kVmemSpace = 1;  // S(1) of layouts, memory_space of backend configs
constexpr std::string_view kTarget = "tpu_custom_call";

// Numbers are written as numbers or, by protobuf, as strings.
std::optional<int64_t> NumberIn(const json& object, const char* key) {
  if (!object.is_object() || !object.contains(key)) return std::nullopt;
  const json& value = object[key];
  if (value.is_number_integer()) return value.get<int64_t>();
  int64_t number = 0;
  if (value.is_string() && absl::SimpleAtoi(value.get<std::string>(), &number)) return number;
  return std::nullopt;
}

const json& In(const json& object, const char* key) {
  static const json nothing;
  return object.is_object() && object.contains(key) ? object[key] : nothing;
}

// [{"memory_space":"1","offset":"0","size":"41943040"}]
std::optional<int64_t> VmemSize(const json& configs) {
  if (!configs.is_array()) return std::nullopt;
  for (const json& config : configs) {
    if (NumberIn(config, "memory_space") == kVmemSpace) return NumberIn(config, "size");
  }
  return std::nullopt;
}

json ConfigOf(const hlo::Module& module, const hlo::Instruction& instruction) {
  const auto id = module.Find(instruction, hlo::Key::kBackendConfig);
  if (!id) return json();
  const auto references = module.attribute_table.References(*id);
  if (references.empty() || references[0].kind != hlo::Reference::kString) return json();
  std::string text(module.strings[references[0].id]);
  if (!text.empty() && text.front() == '"') text = text.substr(1, text.size() - 2);
  if (!text.empty() && text.front() != '{') return json();
  json config = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!config.is_discarded()) return config;
  std::string plain;  // "{\"custom_call_config\": ...}": the text of a quoted one
  if (!absl::CUnescape(text, &plain)) return json();
  config = json::parse(plain, nullptr, /*allow_exceptions=*/false);
  return config.is_discarded() ? json() : config;
}

bool IsKernel(const hlo::Module& module, const hlo::Instruction& instruction) {
  return instruction.opcode == hlo::Opcode::kCustomCall && hlo::CustomCallTarget(module, instruction) == kTarget;
}

CallArray ArrayOf(const hlo::ShapeTable& shapes, hlo::ShapeId id) {
  CallArray array;
  array.type = shapes[id].type;
  for (const hlo::Dimension& dimension : shapes.Dimensions(id)) {
    array.sizes.push_back(dimension.size < 0 ? 0 : static_cast<uint64_t>(dimension.size));
  }
  if (const hlo::Layout* layout = shapes.LayoutOf(id)) array.in_vmem = layout->memory_space == kVmemSpace;
  return array;
}

// {"operand_index":0,"color":1}: what the compiler is told to keep where.
void ApplyColours(const json& colours, const char* index_key, std::vector<CallArray>& arrays) {
  if (!colours.is_array()) return;
  for (const json& colour : colours) {
    const auto index = NumberIn(colour, index_key), color = NumberIn(colour, "color");
    if (index && color == kVmemSpace && *index >= 0 && static_cast<size_t>(*index) < arrays.size()) {
      arrays[static_cast<size_t>(*index)].in_vmem = true;
    }
  }
}

Call CallOf(const hlo::Module& module, const hlo::Computation& computation, const hlo::Instruction& instruction,
            const json& config) {
  Call call;
  for (const uint32_t operand : module.Operands(instruction)) {
    call.operands.push_back(ArrayOf(module.shapes, computation.instructions[operand].shape));
  }
  if (module.shapes[instruction.shape].type == hlo::Type::kTuple) {
    for (const hlo::ShapeId element : module.shapes.Elements(instruction.shape)) {
      call.results.push_back(ArrayOf(module.shapes, element));
    }
  } else {
    call.results.push_back(ArrayOf(module.shapes, instruction.shape));
  }
  ApplyColours(In(config, "input_memory_space_colors"), "operand_index", call.operands);
  // Of one result the index may be left out.
  const json& results = In(config, "output_memory_space_colors");
  ApplyColours(results, "shape_index", call.results);
  const json& fused = In(config, "allow_input_fusion");
  for (size_t i = 0; fused.is_array() && i < std::min(fused.size(), call.operands.size()); ++i) {
    call.operands[i].fused = fused[i].is_boolean() && fused[i].get<bool>();
  }
  return call;
}

absl::StatusOr<std::string> MlirOf(const json& config, const BytecodeReader& bytecode) {
  const json& body = In(config, "body");
  if (!body.is_string()) return absl::InvalidArgumentError("its backend_config has no body");
  std::string bytes;
  const std::string encoded = body.get<std::string>();
  if (!absl::Base64Unescape(encoded, &bytes)) return absl::InvalidArgumentError("its body is no base64 text");
  if (!mlir::LooksLikeBytecode(bytes)) return bytes;
  if (bytecode == nullptr) return absl::UnavailableError("its body is MLIR bytecode, which is not read here");
  return bytecode(bytes);
}

absl::StatusOr<MosaicKernel> Read(const hlo::Module& module, const hlo::Computation& computation,
                                  const hlo::Instruction& instruction, const json& config, const BytecodeReader& bytecode) {
  const json& custom = In(config, "custom_call_config");
  absl::StatusOr<std::string> text = MlirOf(custom, bytecode);
  if (!text.ok()) return text.status();
  const std::string name(module.Name(instruction));
  absl::StatusOr<mlir::Module> mosaic = mlir::Read(absl::StrCat("the body of ", name), *std::move(text));
  if (!mosaic.ok()) return mosaic.status();
  const Call call = CallOf(module, computation, instruction, custom);
  return ReadMosaic(*mosaic, &call);
}

std::string FirstLine(absl::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

}  // namespace

std::vector<ModuleKernel> KernelsOf(const hlo::Module& module, Target target, const BytecodeReader& bytecode) {
  std::vector<ModuleKernel> kernels;
  for (const hlo::Computation& computation : module.computations) {
    for (const hlo::Instruction& instruction : computation.instructions) {
      if (!IsKernel(module, instruction)) continue;
      const json config = ConfigOf(module, instruction);
      ModuleKernel made;
      made.instruction = std::string(module.Name(instruction));
      const auto kept = VmemSize(In(config, "scoped_memory_configs"));
      if (kept && *kept >= 0) made.kept = static_cast<uint64_t>(*kept);
      if (const auto used = VmemSize(In(config, "used_scoped_memory_configs"))) {
        if (*used >= 0) made.used = static_cast<uint64_t>(*used);
      }
      absl::StatusOr<MosaicKernel> mosaic = Read(module, computation, instruction, config, bytecode);
      if (mosaic.ok()) {
        mosaic->kernel.target = target;
        mosaic->kernel.limit_bytes = kept;
        made.mosaic = *std::move(mosaic);
      } else {
        made.missing = FirstLine(mosaic.status().message());
      }
      kernels.push_back(std::move(made));
    }
  }
  return kernels;
}

bool HasKernels(const hlo::Module& module) {
  for (const hlo::Computation& computation : module.computations) {
    for (const hlo::Instruction& instruction : computation.instructions) {
      if (IsKernel(module, instruction)) return true;
    }
  }
  return false;
}

}  // namespace oomph::vmem
