// The operations of HLO: their names in texts and how many operands they take.
// Not for what they compute or which shapes they give (the verifier's business).
#ifndef OOMPH_MODELS_HLO_OPCODE_H_
#define OOMPH_MODELS_HLO_OPCODE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace oomph::hlo {

// In the order of their names, which is that of the table in opcode.cc.
enum class Opcode : uint8_t {
  kAbs,
  kAcos,
  kAcosh,
  kAdd,
  kAddDependency,
  kAfterAll,
  kAllGather,
  kAllGatherDone,
  kAllGatherStart,
  kAllReduce,
  kAllReduceDone,
  kAllReduceStart,
  kAllToAll,
  kAnd,
  kAsin,
  kAsinh,
  kAsyncDone,
  kAsyncStart,
  kAsyncUpdate,
  kAtan2,
  kAtanh,
  kBatchNormGrad,
  kBatchNormInference,
  kBatchNormTraining,
  kBitcast,
  kBitcastConvert,
  kBroadcast,
  kCall,
  kCbrt,
  kCeil,
  kCholesky,
  kClamp,
  kCollectiveBroadcast,
  kCollectivePermute,
  kCollectivePermuteDone,
  kCollectivePermuteStart,
  kCompare,
  kComplex,
  kConcatenate,
  kConditional,
  kConstant,
  kConvert,
  kConvolution,
  kCopy,
  kCopyDone,
  kCopyStart,
  kCosh,
  kCosine,
  kCountLeadingZeros,
  kCustomCall,
  kDivide,
  kDomain,
  kDot,
  kDynamicReshape,
  kDynamicSlice,
  kDynamicUpdateSlice,
  kErf,
  kExponential,
  kExponentialMinusOne,
  kFft,
  kFloor,
  kFusion,
  kGather,
  kGetDimensionSize,
  kGetTupleElement,
  kImag,
  kInfeed,
  kIota,
  kIsFinite,
  kLog,
  kLogPlusOne,
  kLogistic,
  kMap,
  kMaximum,
  kMinimum,
  kMulhi,
  kMultiply,
  kNegate,
  kNot,
  kOptBarrier,
  kOr,
  kOutfeed,
  kPad,
  kParameter,
  kPartitionId,
  kPopcnt,
  kPower,
  kRaggedAllToAll,
  kRaggedDot,
  kReal,
  kRecv,
  kRecvDone,
  kReduce,
  kReducePrecision,
  kReduceScatter,
  kReduceWindow,
  kRemainder,
  kReplicaId,
  kReshape,
  kReverse,
  kRng,
  kRngBitGenerator,
  kRngGetAndUpdateState,
  kRoundNearestAfz,
  kRoundNearestEven,
  kRsqrt,
  kScaledDot,
  kScan,
  kScatter,
  kSelect,
  kSelectAndScatter,
  kSend,
  kSendDone,
  kSetDimensionSize,
  kShiftLeft,
  kShiftRightArithmetic,
  kShiftRightLogical,
  kSign,
  kSine,
  kSinh,
  kSlice,
  kSort,
  kSqrt,
  kStochasticConvert,
  kSubtract,
  kTan,
  kTanh,
  kTopk,
  kTranspose,
  kTriangularSolve,
  kTuple,
  kWhile,
  kXor,
};
inline constexpr size_t kOpcodes = static_cast<size_t>(Opcode::kXor) + 1;

struct OpcodeRow {
  std::string_view name;
  int operands;  // -1: any number
};
const OpcodeRow& RowOf(Opcode opcode);

// `copy-start` is an operation of its own; `slice-start` is `async-start` around a `slice`, written short:
// {kAsyncStart, kSlice}. Where nothing is wrapped, `wrapped` is the opcode itself.
struct OpcodeName {
  Opcode opcode = Opcode::kParameter;
  Opcode wrapped = Opcode::kParameter;
  bool operator==(const OpcodeName&) const = default;
};
std::optional<OpcodeName> OpcodeNamed(std::string_view name);

// What `wrapped` adds to a name: "-start", "-update" or "-done"; empty for other opcodes.
std::string_view AsyncSuffix(Opcode opcode);

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_OPCODE_H_
