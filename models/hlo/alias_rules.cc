// The tables of what operations pass on, change in place and may overwrite.
// "Measured" is: asked from the alias analysis of XLA as tensorflow-cpu 2.21.0 ships it, see docs/FACTS.md.
#include "models/hlo/alias_rules.h"

#include <array>

namespace oomph::hlo {
namespace {

constexpr PassedOn kNothing = {kNowhere, 0, kAll};
constexpr PassedOn kOperand = {kAll, 0, kAll};

constexpr FlowRow kFlowRows[] = {
    {Opcode::kTuple, kNothing, Reads::kNone, Tables::kSame, "a tuple is a table of pointers to its operands"},
    {Opcode::kGetTupleElement, kNothing, Reads::kTop, Tables::kSame, "an element is what the table of pointers says"},
    {Opcode::kBitcast, kOperand, Reads::kTree, Tables::kSame, "a bitcast is another view of the same bytes"},
    {Opcode::kOptBarrier, kOperand, Reads::kTree, Tables::kSame, "a barrier only orders; measured"},
    {Opcode::kDomain, kOperand, Reads::kTree, Tables::kSame, "a domain only annotates; measured"},
    {Opcode::kAddDependency, kOperand, Reads::kTree, Tables::kSame, "orders its first operand after its token; measured"},
    {Opcode::kCopy, kNothing, Reads::kTop, Tables::kSame, "a copy of a tuple copies the table of pointers only; measured"},
    {Opcode::kCopyStart, {1, 0, kAll}, Reads::kTree, Tables::kSame, "(destination, source, context): the source is the operand"},
    {Opcode::kCopyDone, {kAll, 0, 0}, Reads::kTree, Tables::kSame, "gives the destination of its start"},
    {Opcode::kAllGatherStart, {0, 0, kAll}, Reads::kTree, Tables::kNew, "(operands, results)"},
    {Opcode::kAllGatherDone, {kAll, 0, 1}, Reads::kTree, Tables::kNew, "gives the results of its start"},
    {Opcode::kAllReduceDone, kOperand, Reads::kTree, Tables::kSame, "gives what its start reduces"},
    {Opcode::kCollectivePermuteStart, {0, 0, kAll}, Reads::kTree, Tables::kSame, "(source, destination, contexts)"},
    {Opcode::kCollectivePermuteDone, {kAll, 0, 1}, Reads::kTree, Tables::kNew, "gives the destination of its start"},
    {Opcode::kAsyncStart, kNothing, Reads::kTree, Tables::kNew, "((operands), result, context); the result is its computation's"},
    {Opcode::kAsyncUpdate, kOperand, Reads::kTree, Tables::kNew, "the same operation, further on"},
    {Opcode::kAsyncDone, {kAll, 0, 1}, Reads::kTree, Tables::kNew, "gives the result of its start"},
    {Opcode::kSend, {0, 0, kAll}, Reads::kTree, Tables::kSame, "(operand, context, token): sent from where it lies"},
    {Opcode::kRecvDone, {0, 0, 0}, Reads::kTree, Tables::kSame, "(result, token): the result is that of its recv"},
    {Opcode::kCall, kNothing, Reads::kNone, Tables::kSame, "the computation reads; the call passes on its root"},
};

constexpr FlowRow kNoFlow = {Opcode::kParameter, kNothing, Reads::kTree, Tables::kSame, "computes a result of its own"};

constexpr InPlaceRow kInPlaceRows[] = {
    {Opcode::kDynamicUpdateSlice, "writes the update into operand 0; measured"},
    {Opcode::kScatter, "writes the updates into each of its first operands; measured"},
    {Opcode::kSetDimensionSize, "the data stay where they are; by XLA's in-place pairs"},
    {Opcode::kAllReduceStart, "reduces where the operand lies; measured. A plain all-reduce does not"},
    {Opcode::kCollectivePermute, "with four operands the second is the destination; measured"},
    {Opcode::kCollectivePermuteStart, "with four operands the second is the destination; measured"},
    {Opcode::kRaggedAllToAll, "operand 1 is the destination; measured"},
    {Opcode::kCustomCall, "output_to_operand_aliasing says which; measured"},
    {Opcode::kFusion, "output_to_operand_aliasing, and a root that works in place on a parameter; measured"},
    {Opcode::kAsyncStart, "output_to_operand_aliasing says which"},
    {Opcode::kAsyncUpdate, "output_to_operand_aliasing says which; measured, of SparseCore kernels"},
};

// Each element from the element at the same place. Measured: XLA takes the operand's buffer for the result.
constexpr Opcode kElementwise[] = {
    Opcode::kAbs, Opcode::kAcos, Opcode::kAcosh, Opcode::kAdd, Opcode::kAnd, Opcode::kAsin, Opcode::kAsinh,
    Opcode::kAtan2, Opcode::kAtanh, Opcode::kBitcastConvert, Opcode::kCbrt, Opcode::kCeil, Opcode::kClamp,
    Opcode::kCompare, Opcode::kComplex, Opcode::kConvert, Opcode::kCopy, Opcode::kCosine, Opcode::kCosh,
    Opcode::kCountLeadingZeros, Opcode::kDivide, Opcode::kErf, Opcode::kExponential,
    Opcode::kExponentialMinusOne, Opcode::kFloor, Opcode::kImag, Opcode::kIsFinite, Opcode::kLog,
    Opcode::kLogPlusOne, Opcode::kLogistic, Opcode::kMap, Opcode::kMaximum, Opcode::kMinimum, Opcode::kMulhi,
    Opcode::kMultiply, Opcode::kNegate, Opcode::kNot, Opcode::kOr, Opcode::kPopcnt, Opcode::kPower,
    Opcode::kReal, Opcode::kReducePrecision, Opcode::kRemainder, Opcode::kRoundNearestAfz,
    Opcode::kRoundNearestEven, Opcode::kRsqrt, Opcode::kSelect, Opcode::kShiftLeft,
    Opcode::kShiftRightArithmetic, Opcode::kShiftRightLogical, Opcode::kSign, Opcode::kSine, Opcode::kSinh,
    Opcode::kSqrt, Opcode::kStochasticConvert, Opcode::kSubtract, Opcode::kTan, Opcode::kTanh, Opcode::kXor,
};

constexpr std::array<bool, kOpcodes> ElementwiseTable() {
  std::array<bool, kOpcodes> table{};
  for (const Opcode opcode : kElementwise) table[static_cast<size_t>(opcode)] = true;
  return table;
}
constexpr std::array<bool, kOpcodes> kIsElementwise = ElementwiseTable();

constexpr std::array<const FlowRow*, kOpcodes> FlowTable() {
  std::array<const FlowRow*, kOpcodes> table{};
  for (const FlowRow*& row : table) row = &kNoFlow;
  for (const FlowRow& row : kFlowRows) table[static_cast<size_t>(row.opcode)] = &row;
  return table;
}
constexpr std::array<const FlowRow*, kOpcodes> kFlowOf = FlowTable();

}  // namespace

std::span<const FlowRow> FlowRows() { return kFlowRows; }
const FlowRow& FlowOf(Opcode opcode) { return *kFlowOf[static_cast<size_t>(opcode)]; }
std::span<const InPlaceRow> InPlaceRows() { return kInPlaceRows; }
bool IsElementwiseOpcode(Opcode opcode) { return kIsElementwise[static_cast<size_t>(opcode)]; }

}  // namespace oomph::hlo
