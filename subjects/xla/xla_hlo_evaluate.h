// What a module computes, by XLA's HloEvaluator, the interpreter that its own tests hold compilers against. Only for
// xla_hlo_plugin.cc. Not for modules that XLA's verifier refuses, nor for those that models/hlo/inputs.h does not run.
#ifndef OOMPH_SUBJECTS_XLA_XLA_HLO_EVALUATE_H_
#define OOMPH_SUBJECTS_XLA_XLA_HLO_EVALUATE_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "subjects/abi/hlo.h"
#include "xla/hlo/evaluator/hlo_evaluator.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/layout_util.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace oomph::xla_hlo {

// Of one loop: the host lets none be run that takes so many, but a plugin believes nobody.
inline constexpr int64_t kMostIterations = 1000;

// The parameter with its arrays from `next` on, which lie in the default layouts.
inline absl::StatusOr<xla::Literal> ArgumentOf(const xla::Shape& declared, const oomph_hlo_request& request, size_t& next) {
  xla::Shape shape = declared;
  xla::LayoutUtil::SetToDefaultLayout(&shape);
  xla::Literal literal(shape);
  absl::Status status;
  xla::ShapeUtil::ForEachSubshape(shape, [&](const xla::Shape& part, const xla::ShapeIndex& index) {
    if (part.IsTuple() || !status.ok()) return;
    if (!part.IsArray() || next >= request.num_arguments ||
        static_cast<size_t>(literal.size_bytes(index)) != request.argument_bytes[next]) {
      status = absl::FailedPreconditionError("the arguments are not those of the parameters");
      return;
    }
    if (request.argument_bytes[next] != 0) {
      std::memcpy(literal.untyped_data(index), request.arguments[next], request.argument_bytes[next]);
    }
    ++next;
  });
  if (!status.ok()) return status;
  return xla::LayoutUtil::HasLayout(declared) ? literal.Relayout(declared) : std::move(literal);
}

// The arrays of the result as lines of models/hlo/plan_text.h.
inline void AppendResults(const xla::Literal& result, std::string& text) {
  xla::ShapeUtil::ForEachSubshape(result.shape(), [&](const xla::Shape& part, const xla::ShapeIndex& index) {
    if (!part.IsArray()) return;
    xla::Shape plain = part;
    xla::LayoutUtil::SetToDefaultLayout(&plain);
    const xla::Literal array = xla::LiteralSlice(result, index).Relayout(plain);
    text += "result " + xla::primitive_util::LowercasePrimitiveTypeName(part.element_type()) + " [";
    for (int i = 0; i < part.dimensions().size(); ++i) text += (i == 0 ? "" : ",") + std::to_string(part.dimensions(i));
    const size_t bytes = static_cast<size_t>(array.size_bytes());
    text += "] " + std::to_string(bytes) + "\n";
    if (bytes != 0) text.append(static_cast<const char*>(array.untyped_data()), bytes);
    text += "\n";
  });
}

inline absl::StatusOr<std::string> Evaluate(const xla::HloModule& module, const oomph_hlo_request& request) {
  std::vector<xla::Literal> arguments;
  size_t next = 0;
  for (const xla::HloInstruction* parameter : module.entry_computation()->parameter_instructions()) {
    absl::StatusOr<xla::Literal> argument = ArgumentOf(parameter->shape(), request, next);
    if (!argument.ok()) return argument.status();
    arguments.push_back(*std::move(argument));
  }
  if (next != request.num_arguments) return absl::FailedPreconditionError("there are more arguments than parameters");
  std::vector<const xla::Literal*> pointers;
  for (const xla::Literal& argument : arguments) pointers.push_back(&argument);
  xla::HloEvaluator evaluator(kMostIterations);
  const absl::StatusOr<xla::Literal> result = evaluator.Evaluate(*module.entry_computation(), pointers);
  if (!result.ok()) return result.status();
  std::string text;
  AppendResults(*result, text);
  return text;
}

}  // namespace oomph::xla_hlo

#endif  // OOMPH_SUBJECTS_XLA_XLA_HLO_EVALUATE_H_
