// Questions about a module whose answers are texts: once from XLA's own classes, in the plugin xla_hlo, and once from
// hlo::Module. Where both answer alike, our reader has understood the text as XLA's has. Not for the verdict, the
// printed text and the peak, which are answers of the subject (see subjects/abi/hlo.h).
//
// An answer has a line for each instruction or computation that the question is about. Both are named by their places,
// from 0, because XLA gives a new number to a name that there is twice:
//
//   c1/2: 0 1                       the operands of the third instruction of the second computation are the first
//                                   and the second
//
// What XLA fills in where the text is silent is filled in here by the same rule: a layout is the descending one. A shape
// that the text leaves out is "?", which a comparison takes for any; so is a literal with {...} in it. A computation of
// nothing but parameters and a root, which an async-start calls, may be written in short, slice-start(...), and is then
// no computation of ours: neither side speaks of it.
#ifndef OOMPH_SUBJECTS_XLA_HLO_QUESTIONS_H_
#define OOMPH_SUBJECTS_XLA_HLO_QUESTIONS_H_

#include <stddef.h>

#include <cstdint>
#include <string_view>

namespace oomph::hlo_questions {

enum class Question : uint8_t {
  kOpcodes,
  kComputations,
  kEntryResult,
  kNames,
  kShapes,
  kOperands,
  kUsers,
  kCalled,
  kControlPredecessors,
  kParameters,
  kAliases,
  kDonors,
  kSchedule,
  kLayouts,
  kTiles,
  kBounds,
  kDimensions,
  kGroups,
  kChannels,
  kConstants,
  kFrontendAttributes,
  kMetadata,
  kCustomCalls,
  kOutputAliases,
  kSlices,
  kPaddings,
  kWindows,
  kDots,
  kWords,
  kShardings,
};
inline constexpr size_t kQuestions = static_cast<size_t>(Question::kShardings) + 1;

inline constexpr std::string_view kNames[kQuestions] = {
    "opcodes: how many instructions of each",
    "computations: name, how many instructions, which is the root, which computation is the entry",
    "entry_result: shape and layout of the entry's root",
    "names: of each instruction, without the number at its end",
    "shapes: of each instruction, without layout",
    "operands: in order",
    "users: the instructions that have it as an operand",
    "called: the computations that an instruction calls",
    "control_predecessors: what must run before it",
    "parameters: the number of each",
    "aliases: which output may or must share the memory of which parameter",
    "donors: parameters whose memory may be reused",
    "schedule: the order of each computation, in a module that has one",
    "layouts: minor to major, of each array in the result",
    "tiles: tiles, bits of an element, memory space, padding of the tail",
    "bounds: dimensions that are bounds, or have none",
    "dimensions: what broadcast, reduce, transpose, concatenate, ... have as dimensions",
    "groups: replica groups and source-target pairs, written out",
    "channels: channel ids, and whether ids of devices are global",
    "constants: number of elements, and the first 64 of them",
    "frontend_attributes: keys and values",
    "metadata: op_name, source file and line",
    "custom_calls: target and backend config",
    "output_aliases: which part of the output is which operand",
    "slices: start, limit, stride; sizes of dynamic slices",
    "paddings: low, high, interior",
    "windows: size, stride, padding, dilation, reversal of each dimension",
    "dots: contracting and batch dimensions",
    "words: comparison direction, kind of fusion, index of a tuple's element",
    "shardings: kind, tiles and devices",
};

}  // namespace oomph::hlo_questions

extern "C" {

// Reads a module and answers all questions. answers[i] and answer_bytes[i], room for kQuestions, are the plugin's own
// until the next call. 0: answered; else *why is one line.
int oomph_xla_hlo_questions(const char* text, size_t text_bytes, const char** answers, size_t* answer_bytes,
                            const char** why);
}

#endif  // OOMPH_SUBJECTS_XLA_HLO_QUESTIONS_H_
