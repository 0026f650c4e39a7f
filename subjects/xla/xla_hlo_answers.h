// The answers of XLA's classes to the questions of hlo_questions.h. Only for xla_hlo_plugin.cc.
#ifndef OOMPH_SUBJECTS_XLA_XLA_HLO_ANSWERS_H_
#define OOMPH_SUBJECTS_XLA_XLA_HLO_ANSWERS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "subjects/xla/hlo_answer_text.h"
#include "subjects/xla/hlo_questions.h"
#include "xla/comparison_util.h"
#include "xla/hlo/ir/hlo_casting_utils.h"
#include "xla/hlo/ir/hlo_computation.h"
#include "xla/hlo/ir/hlo_instructions.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/ir/hlo_schedule.h"
#include "xla/literal.h"
#include "xla/primitive_util.h"
#include "xla/shape_util.h"

namespace oomph::xla_hlo {

using hlo_questions::Braced;
using hlo_questions::Joined;
using hlo_questions::Lines;
using hlo_questions::Question;
using xla::HloComputation;
using xla::HloInstruction;
using xla::HloModule;
using xla::HloOpcode;
using xla::Shape;

// Parameters and a root that an async-start calls.
inline bool MayBeShort(const HloComputation& computation) {
  for (const HloInstruction* instruction : computation.instructions()) {
    if (instruction != computation.root_instruction() && instruction->opcode() != HloOpcode::kParameter) return false;
  }
  return true;
}

class Answerer {
 public:
  explicit Answerer(const HloModule& module) : module_(module) {
    for (const HloComputation* computation : module.computations()) {
      int64_t place = 0;
      for (const HloInstruction* instruction : computation->instructions()) {
        places_[instruction] = place++;
        if (instruction->opcode() != HloOpcode::kAsyncStart) continue;
        for (const HloComputation* called : instruction->called_computations()) {
          if (MayBeShort(*called)) unspoken_.insert(called);
        }
      }
    }
    for (const HloComputation* computation : module.computations()) {
      const size_t place = computation_places_.size();
      if (Speaks(*computation)) computation_places_[computation] = "c" + std::to_string(place);
    }
  }

  bool Speaks(const HloComputation& computation) const { return unspoken_.count(&computation) == 0; }
  // Where it stands among those that are spoken of.
  const std::string& Place(const HloComputation& computation) const { return computation_places_.at(&computation); }
  // Where it stands in its computation.
  std::string Place(const HloInstruction& instruction) const { return std::to_string(places_.at(&instruction)); }
  template <typename List>
  std::string Places(const List& instructions, bool sorted) const {
    std::vector<std::string> places;
    for (const HloInstruction* each : instructions) places.push_back(Place(*each));
    return Joined(std::move(places), sorted);
  }

  std::string Answer(Question question) const;

  const HloModule& module() const { return module_; }

 private:
  const HloModule& module_;
  std::set<const HloComputation*> unspoken_;
  std::unordered_map<const HloInstruction*, int64_t> places_;
  std::unordered_map<const HloComputation*, std::string> computation_places_;
};

// --- of the module ---

inline std::string ShapeText(const Shape& shape) {
  if (shape.IsTuple()) {
    std::string text = "(";
    for (const Shape& element : shape.tuple_shapes()) text += (text.size() > 1 ? "," : "") + ShapeText(element);
    return text + ")";
  }
  if (shape.IsBuffer()) return "b(" + ShapeText(shape.buffer_shape()) + ")";
  std::string text = xla::primitive_util::LowercasePrimitiveTypeName(shape.element_type()) + "[";
  if (!shape.IsArray()) return text + "]";
  for (int i = 0; i < shape.dimensions().size(); ++i) {
    text += i > 0 ? "," : "";
    if (shape.is_unbounded_dynamic_dimension(i)) {
      text += "?";
    } else {
      text += (shape.is_dynamic_dimension(i) ? "<=" : "") + std::to_string(shape.dimensions(i));
    }
  }
  return text + "]";
}

template <typename Each>
void ForEachArray(const Shape& shape, const Each& each) {
  if (shape.IsTuple()) {
    for (const Shape& element : shape.tuple_shapes()) ForEachArray(element, each);
  } else if (shape.IsBuffer()) {
    ForEachArray(shape.buffer_shape(), each);
  } else if (shape.IsArray()) {
    each(shape);
  }
}

inline std::string LayoutsText(const Shape& shape) {
  std::string text;
  ForEachArray(shape, [&](const Shape& array) {
    text += array.has_layout() ? Braced(array.layout().minor_to_major()) : "none";
  });
  return text;
}

inline std::string TilesText(const Shape& shape) {
  std::string text;
  ForEachArray(shape, [&](const Shape& array) {
    if (!array.has_layout()) return;
    const xla::Layout& layout = array.layout();
    for (const xla::Tile& tile : layout.tiles()) text += "T" + Braced(tile.dimensions());
    text += "E" + std::to_string(layout.element_size_in_bits()) + "S" + std::to_string(layout.memory_space()) + "L" +
            std::to_string(layout.tail_padding_alignment_in_elements()) + ";";
  });
  return text;
}

inline std::string BoundsText(const Shape& shape) {
  std::string text;
  int64_t number = 0;
  ForEachArray(shape, [&](const Shape& array) {
    for (int i = 0; i < array.dimensions().size(); ++i) {
      if (!array.is_dynamic_dimension(i)) continue;
      text += std::to_string(number) + "." + std::to_string(i) + (array.is_unbounded_dynamic_dimension(i) ? "? " : " ");
    }
    ++number;
  });
  return text;
}

inline void Opcodes(const Answerer& answerer, Lines& lines) {
  std::map<std::string, int64_t> counts;
  for (const HloComputation* computation : answerer.module().computations()) {
    if (!answerer.Speaks(*computation)) continue;
    for (const HloInstruction* each : computation->instructions()) ++counts[std::string(HloOpcodeString(each->opcode()))];
  }
  for (const auto& [opcode, count] : counts) lines.Add(opcode, std::to_string(count));
}

inline void Computations(const Answerer& answerer, Lines& lines) {
  for (const HloComputation* computation : answerer.module().computations()) {
    if (!answerer.Speaks(*computation)) continue;
    lines.Add(answerer.Place(*computation), hlo_questions::WithoutNumber(std::string(computation->name())) + " " + std::to_string(computation->instruction_count()) + " " +
                                       answerer.Place(*computation->root_instruction()) +
                                       (computation == answerer.module().entry_computation() ? " entry" : ""));
  }
}

inline void EntryResult(const Answerer& answerer, Lines& lines) {
  const Shape& shape = answerer.module().entry_computation()->root_instruction()->shape();
  lines.Add("entry", ShapeText(shape) + LayoutsText(shape));
}

inline void Aliases(const Answerer& answerer, Lines& lines) {
  answerer.module().input_output_alias_config().ForEachAlias(
      [&](const xla::ShapeIndex& output, const xla::HloInputOutputAliasConfig::Alias& alias) {
        lines.Add(Braced(output), std::to_string(alias.parameter_number) + Braced(alias.parameter_index) +
                                      (alias.must_alias() ? " must" : " may"));
      });
}

inline void Donors(const Answerer& answerer, Lines& lines) {
  for (const auto& donor : answerer.module().buffer_donor_config().buffer_donor()) {
    lines.Add(std::to_string(donor.param_number), Braced(donor.param_index));
  }
}

inline void Schedule(const Answerer& answerer, Lines& lines) {
  if (!answerer.module().has_schedule()) return lines.Add("schedule", "none");
  for (const HloComputation* computation : answerer.module().computations()) {
    if (!answerer.Speaks(*computation) || !answerer.module().schedule().is_computation_scheduled(computation)) continue;
    lines.Add(answerer.Place(*computation),
              answerer.Places(answerer.module().schedule().sequence(computation).instructions(), /*sorted=*/false));
  }
}

// --- of an instruction ---

inline std::string Called(const Answerer& answerer, const HloInstruction& instruction) {
  if (instruction.opcode() == HloOpcode::kAsyncUpdate || instruction.opcode() == HloOpcode::kAsyncDone) return "";
  std::vector<std::string> names;
  for (const HloComputation* called : instruction.called_computations()) {
    if (answerer.Speaks(*called)) names.push_back(answerer.Place(*called));
  }
  return Joined(std::move(names), /*sorted=*/true);
}

inline std::string Dimensions(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kBroadcast:
    case HloOpcode::kConcatenate:
    case HloOpcode::kReduce:
    case HloOpcode::kReverse:
    case HloOpcode::kSort:
    case HloOpcode::kTranspose:
    case HloOpcode::kMap:
    case HloOpcode::kAllGather:
    case HloOpcode::kAllGatherStart:
    case HloOpcode::kReduceScatter:
    case HloOpcode::kIota:
      return Braced(instruction.dimensions());
    case HloOpcode::kGetDimensionSize:
    case HloOpcode::kSetDimensionSize:
      return Braced(std::vector<int64_t>{instruction.dimension()});
    case HloOpcode::kAllToAll: {
      const std::optional<int64_t> split = xla::Cast<xla::HloAllToAllInstruction>(&instruction)->split_dimension();
      return split ? Braced(std::vector<int64_t>{*split}) : "";
    }
    default:
      return "";
  }
}

inline std::string Groups(const HloInstruction& instruction) {
  std::string text;
  if (const auto* collective = xla::DynCast<xla::HloCollectiveInstruction>(&instruction)) {
    for (const xla::ReplicaGroup& group : collective->replica_groups()) text += Braced(group.replica_ids());
  } else if (const auto* permute = xla::DynCast<xla::HloCollectivePermuteInstruction>(&instruction)) {
    for (const auto& [source, target] : permute->source_target_pairs()) {
      text += Braced(std::vector<int64_t>{source, target});
    }
  }
  return text;
}

inline std::string Channels(const HloInstruction& instruction) {
  const auto* channel = xla::DynCast<xla::HloChannelInstruction>(&instruction);
  if (channel == nullptr) return "";
  std::string text = channel->channel_id() ? std::to_string(*channel->channel_id()) : "";
  const auto* reduce = xla::DynCast<xla::HloAllReduceInstructionBase>(&instruction);
  const auto* gather = xla::DynCast<xla::HloAllGatherInstruction>(&instruction);
  const bool global = (reduce && reduce->use_global_device_ids()) || (gather && gather->use_global_device_ids());
  return text + (global ? " global" : "");
}

inline std::string Element(const xla::LiteralBase& literal, absl::Span<const int64_t> index) {
  const auto type = literal.shape().element_type();
  if (xla::primitive_util::IsComplexType(type)) {
    const auto number = literal.GetAsComplex128(index);
    return hlo_questions::OfNumber(number->real()) + "_" + hlo_questions::OfNumber(number->imag());
  }
  if (xla::primitive_util::IsFloatingPointType(type)) return hlo_questions::OfNumber(*literal.GetAsDouble(index));
  return std::to_string(*literal.GetIntegralAsS64(index));
}

inline std::string Constant(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kConstant || !instruction.shape().IsArray()) return "";
  const xla::Literal& literal = instruction.literal();
  const Shape& shape = literal.shape();
  std::string text = std::to_string(literal.element_count());
  std::vector<int64_t> index(shape.dimensions().size(), 0);
  const int64_t shown = std::min<int64_t>(literal.element_count(), hlo_questions::kConstantElements);
  for (int64_t i = 0; i < shown; ++i) {
    text += " " + Element(literal, index);
    for (size_t d = index.size(); d-- > 0;) {
      if (++index[d] < shape.dimensions(d)) break;
      index[d] = 0;
    }
  }
  return text;
}

inline std::string FrontendAttributes(const HloInstruction& instruction) {
  std::vector<std::string> words;
  for (const auto& [key, value] : instruction.frontend_attributes().map()) words.push_back(key + "=" + value);
  return Joined(std::move(words), /*sorted=*/true);
}

inline std::string Metadata(const HloInstruction& instruction) {
  const xla::OpMetadata& metadata = instruction.metadata();
  std::string text = metadata.op_name();
  if (!metadata.source_file().empty()) text += " " + metadata.source_file();
  if (metadata.source_line() != 0) text += ":" + std::to_string(metadata.source_line());
  return text;
}

inline std::string CustomCall(const HloInstruction& instruction) {
  std::string text;
  if (instruction.opcode() == HloOpcode::kCustomCall) text = instruction.custom_call_target();
  const std::string& config = instruction.raw_backend_config_string();
  return config.empty() ? text : text + " " + config;
}

inline std::string OutputAliases(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kCustomCall && instruction.opcode() != HloOpcode::kFusion) return "";
  std::string text;
  for (const auto& [output, operand] : instruction.output_operand_aliasing()) {
    text += Braced(output) + std::to_string(operand.first) + Braced(operand.second) + " ";
  }
  return text;
}

inline std::string Slices(const HloInstruction& instruction) {
  if (instruction.opcode() == HloOpcode::kSlice) {
    return Braced(instruction.slice_starts()) + Braced(instruction.slice_limits()) + Braced(instruction.slice_strides());
  }
  if (instruction.opcode() == HloOpcode::kDynamicSlice) return Braced(instruction.dynamic_slice_sizes());
  return "";
}

inline std::string Padding(const HloInstruction& instruction) {
  std::string text;
  if (instruction.opcode() != HloOpcode::kPad) return text;
  for (const auto& dimension : instruction.padding_config().dimensions()) {
    text += Braced(std::vector<int64_t>{dimension.edge_padding_low(), dimension.edge_padding_high(),
                                        dimension.interior_padding()});
  }
  return text;
}

inline std::string Windows(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kConvolution:
    case HloOpcode::kReduceWindow:
    case HloOpcode::kSelectAndScatter:
      break;
    default:
      return "";
  }
  std::string text;
  for (const xla::WindowDimension& d : instruction.window().dimensions()) {
    text += hlo_questions::OfWindow(d.size(), d.stride(), d.padding_low(), d.padding_high(), d.base_dilation(),
                                    d.window_dilation(), d.window_reversal());
  }
  return text;
}

inline std::string Dot(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kDot) return "";
  const xla::DotDimensionNumbers& numbers = instruction.dot_dimension_numbers();
  return Braced(numbers.lhs_contracting_dimensions()) + Braced(numbers.rhs_contracting_dimensions()) +
         Braced(numbers.lhs_batch_dimensions()) + Braced(numbers.rhs_batch_dimensions());
}

inline std::string Words(const HloInstruction& instruction) {
  switch (instruction.opcode()) {
    case HloOpcode::kCompare:
      return xla::ComparisonDirectionToString(instruction.comparison_direction());
    case HloOpcode::kFusion:
      return std::string(xla::ToString(instruction.fusion_kind()));
    case HloOpcode::kGetTupleElement:
      return std::to_string(instruction.tuple_index());
    default:
      return "";
  }
}

inline std::string ShardingText(const xla::HloSharding& sharding) {
  if (sharding.IsTuple()) {
    std::string text = "(";
    for (const xla::HloSharding& element : sharding.tuple_elements()) text += ShardingText(element) + ";";
    return text + ")";
  }
  if (sharding.IsReplicatedLeaf()) return "replicated";
  if (sharding.IsManualLeaf()) return "manual";
  if (sharding.IsUnknownLeaf()) return "unknown";
  if (sharding.IsUnreducedLeaf()) return "unreduced";
  const auto& devices = sharding.tile_assignment().array();
  std::string text = sharding.IsTileMaximalLeaf() ? "maximal" : Braced(sharding.tile_assignment().dimensions());
  text += Braced(std::vector<int64_t>(devices.begin(), devices.end()));
  return text + (sharding.ReplicateOnLastTileDim() ? " last replicated" : "");
}

inline std::string OfInstruction(const Answerer& answerer, const HloInstruction& instruction, Question question) {
  switch (question) {
    case Question::kNames:
      return hlo_questions::WithoutNumber(std::string(instruction.name()));
    case Question::kShapes:
      return ShapeText(instruction.shape());
    case Question::kOperands:
      return answerer.Places(instruction.operands(), /*sorted=*/false);
    case Question::kUsers:
      return answerer.Places(instruction.users(), /*sorted=*/true);
    case Question::kCalled:
      return Called(answerer, instruction);
    case Question::kControlPredecessors:
      return answerer.Places(instruction.control_predecessors(), /*sorted=*/true);
    case Question::kParameters:
      return instruction.opcode() == HloOpcode::kParameter ? std::to_string(instruction.parameter_number()) : "";
    case Question::kLayouts:
      return LayoutsText(instruction.shape());
    case Question::kTiles:
      return TilesText(instruction.shape());
    case Question::kBounds:
      return BoundsText(instruction.shape());
    case Question::kDimensions:
      return Dimensions(instruction);
    case Question::kGroups:
      return Groups(instruction);
    case Question::kChannels:
      return Channels(instruction);
    case Question::kConstants:
      return Constant(instruction);
    case Question::kFrontendAttributes:
      return FrontendAttributes(instruction);
    case Question::kMetadata:
      return Metadata(instruction);
    case Question::kCustomCalls:
      return CustomCall(instruction);
    case Question::kOutputAliases:
      return OutputAliases(instruction);
    case Question::kSlices:
      return Slices(instruction);
    case Question::kPaddings:
      return Padding(instruction);
    case Question::kWindows:
      return Windows(instruction);
    case Question::kDots:
      return Dot(instruction);
    case Question::kWords:
      return Words(instruction);
    case Question::kShardings:
      return instruction.has_sharding() ? ShardingText(instruction.sharding()) : "";
    default:
      return "";
  }
}

inline std::string Answerer::Answer(Question question) const {
  Lines lines;
  switch (question) {
    case Question::kOpcodes:
      Opcodes(*this, lines);
      return lines.Text();
    case Question::kComputations:
      Computations(*this, lines);
      return lines.Text();
    case Question::kEntryResult:
      EntryResult(*this, lines);
      return lines.Text();
    case Question::kAliases:
      Aliases(*this, lines);
      return lines.Text();
    case Question::kDonors:
      Donors(*this, lines);
      return lines.Text();
    case Question::kSchedule:
      Schedule(*this, lines);
      return lines.Text();
    default:
      break;
  }
  for (const HloComputation* computation : module_.computations()) {
    if (!Speaks(*computation)) continue;
    for (const HloInstruction* instruction : computation->instructions()) {
      lines.Add(Place(*computation) + "/" + Place(*instruction), OfInstruction(*this, *instruction, question));
    }
  }
  return lines.Text();
}

inline std::string AnswerOf(const HloModule& module, Question question) { return Answerer(module).Answer(question); }

}  // namespace oomph::xla_hlo

#endif  // OOMPH_SUBJECTS_XLA_XLA_HLO_ANSWERS_H_
