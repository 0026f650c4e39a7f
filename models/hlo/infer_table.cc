// The table of operations: the rule of each, the types it takes, the attributes it needs and may have.
// Not for what the rules say (the other infer_*.cc).
#include <array>

#include "absl/strings/str_cat.h"
#include "models/hlo/infer.h"

namespace oomph::hlo {
namespace {

using enum Key;

// Any instruction may have these.
constexpr KeySet kCommon = {
    kSharding, kFrontendAttributes, kStatistics,   kParameterReplication, kControlPredecessors,
    kOrigin,   kMetadata,           kBackendConfig};
// What async operations have beside the attributes of the operation that they wrap.
constexpr KeySet kAsyncKeys = {kAsyncExecutionThread, kOutputToOperandAliasing};

constexpr Match kExact = Match::kExact;
constexpr Match kFree = Match::kAnyFloat;
constexpr Match kReplaced = Match::kReplaced;

constexpr KeySet kAccuracy = {kResultAccuracy};
constexpr KeySet kDotKeys = {kLhsContractingDims, kRhsContractingDims, kLhsBatchDims,
                             kRhsBatchDims,       kOperandPrecision,   kAlgorithm};
constexpr KeySet kRaggedKeys = {kLhsContractingDims, kRhsContractingDims, kLhsBatchDims, kRhsBatchDims,
                                kOperandPrecision,   kLhsRaggedDims,      kRhsGroupDims};
constexpr KeySet kGroupKeys = {kReplicaGroups, kChannelId, kConstrainLayout, kUseGlobalDeviceIds};
constexpr KeySet kTransferKeys = {kChannelId, kIsHostTransfer};
constexpr KeySet kCustomKeys = {kWindow,
                                kDimLabels,
                                kFeatureGroupCount,
                                kBatchGroupCount,
                                kOperandLayoutConstraints,
                                kCustomCallHasSideEffect,
                                kToApply,
                                kCalledComputations,
                                kOutputToOperandAliasing,
                                kPaddingType,
                                kLiteral,
                                kOperandPrecision,
                                kSchedule,
                                kApiVersion};

constexpr std::array<OpcodeRule, kOpcodes> kRows = {{
    // Element by element. Which types XLA takes was measured for every pair of operation and type.
    {Opcode::kAbs, InferPart, kSigned | kFloats | kComplexes},
    {Opcode::kAcos, InferUnary, kFloats | kComplexes, kFree, {}, kAccuracy},
    {Opcode::kAcosh, InferUnary, kFloats | kComplexes, kFree, {}, kAccuracy},
    {Opcode::kAsin, InferUnary, kFloats | kComplexes, kFree, {}, kAccuracy},
    {Opcode::kAsinh, InferUnary, kFloats | kComplexes, kFree, {}, kAccuracy},
    {Opcode::kAtanh, InferUnary, kFloats | kComplexes, kFree, {}, kAccuracy},
    {Opcode::kCbrt, InferUnary, kFloats, kFree, {}, kAccuracy},
    {Opcode::kCeil, InferUnary, kFloats},
    {Opcode::kCosine, InferUnary, kFloats | kComplexes, kFree, {}, kAccuracy},
    {Opcode::kCosh, InferUnary, kFloats | kComplexes, kFree, {}, kAccuracy},
    {Opcode::kCountLeadingZeros, InferUnary, kIntegers},
    {Opcode::kErf, InferUnary, kFloats, kFree, {}, kAccuracy},
    {Opcode::kExponential, InferUnary, kFloats | kComplexes, kFree, {}, kAccuracy},
    {Opcode::kExponentialMinusOne, InferUnary, kFloats | kComplexes, kFree, {}, kAccuracy},
    {Opcode::kFloor, InferUnary, kFloats},
    {Opcode::kImag, InferPart, kFloats | kComplexes},
    {Opcode::kIsFinite, InferIsFinite, kFloats},
    {Opcode::kLog, InferUnary, kFloats | kComplexes, kFree, {}, kAccuracy},
    {Opcode::kLogPlusOne, InferUnary, kFloats | kComplexes, kFree, {}, kAccuracy},
    {Opcode::kLogistic, InferUnary, kFloats | kComplexes, kFree, {}, kAccuracy},
    {Opcode::kNegate, InferUnary, kNumbers},
    {Opcode::kNot, InferUnary, kPreds | kIntegers},
    {Opcode::kPopcnt, InferUnary, kIntegers},
    {Opcode::kReal, InferPart, kFloats | kComplexes},
    {Opcode::kRoundNearestAfz, InferUnary, kFloats},
    {Opcode::kRoundNearestEven, InferUnary, kFloats},
    {Opcode::kRsqrt, InferUnary, kFloats | kComplexes, kFree, {}, kAccuracy},
    {Opcode::kSign, InferUnary, kSigned | kFloats | kComplexes},
    {Opcode::kSine, InferUnary, kFloats | kComplexes, kFree, {}, kAccuracy},
    {Opcode::kSinh, InferUnary, kFloats | kComplexes, kFree, {}, kAccuracy},
    {Opcode::kSqrt, InferUnary, kFloats | kComplexes, kFree, {}, kAccuracy},
    {Opcode::kTan, InferUnary, kFloats | kComplexes, kFree, {}, kAccuracy},
    {Opcode::kTanh, InferUnary, kFloats | kComplexes, kFree, {}, kAccuracy},
    {Opcode::kCopy, InferCopy},
    {Opcode::kAdd, InferBinary},
    {Opcode::kAnd, InferBinary, kPreds | kIntegers},
    {Opcode::kAtan2, InferBinary, kFloats | kComplexes},
    {Opcode::kDivide, InferBinary, kNumbers},
    {Opcode::kMaximum, InferBinary},
    {Opcode::kMinimum, InferBinary},
    {Opcode::kMulhi, InferBinary, kIntegers},
    {Opcode::kMultiply, InferBinary},
    {Opcode::kOr, InferBinary, kPreds | kIntegers},
    {Opcode::kPower, InferBinary, kNumbers},
    {Opcode::kRemainder, InferBinary, kNumbers},
    {Opcode::kShiftLeft, InferBinary, kNumbers},
    {Opcode::kShiftRightArithmetic, InferBinary, kNumbers},
    {Opcode::kShiftRightLogical, InferBinary, kNumbers},
    {Opcode::kSubtract, InferBinary, kNumbers},
    {Opcode::kXor, InferBinary, kPreds | kIntegers},
    {Opcode::kCompare, InferCompare, kAllTypes, kFree, {kDirection}, {kType}},
    {Opcode::kComplex, InferComplex},
    {Opcode::kClamp, InferClamp},
    {Opcode::kSelect, InferSelect},
    {Opcode::kConvert, InferConvert},
    {Opcode::kBitcastConvert, InferBitcastConvert},
    {Opcode::kBitcast, InferAnything},
    {Opcode::kStochasticConvert, InferStochasticConvert},
    {Opcode::kReducePrecision, InferReducePrecision, kFloats, kFree, {kExponentBits, kMantissaBits}},

    // Arrays and tuples.
    {Opcode::kBroadcast, InferBroadcast, kAllTypes, kFree, {}, {kDimensions}},
    {Opcode::kReshape, InferReshape},
    {Opcode::kDynamicReshape, InferDynamicReshape},
    {Opcode::kTranspose, InferTranspose, kAllTypes, kFree, {kDimensions}},
    {Opcode::kReverse, InferReverse, kAllTypes, kFree, {kDimensions}},
    {Opcode::kSlice, InferSlice, kAllTypes, kFree, {kSlice}},
    {Opcode::kPad, InferPad, kAllTypes, kFree, {kPadding}},
    {Opcode::kConcatenate, InferConcatenate, kAllTypes, kFree, {kDimensions}},
    {Opcode::kIota, InferIota, kNumbers, kFree, {kIotaDimension}},
    {Opcode::kConstant, InferConstant, kAllTypes, kExact},
    {Opcode::kParameter, InferAnything},
    {Opcode::kTuple, InferTuple, kAllTypes, kExact},
    {Opcode::kGetTupleElement, InferGetTupleElement, kAllTypes, kExact, {kIndex}},
    {Opcode::kGetDimensionSize, InferGetDimensionSize, kAllTypes, kFree, {kDimensions}},
    {Opcode::kSetDimensionSize, InferSetDimensionSize, kAllTypes, kFree, {kDimensions}},
    {Opcode::kTopk, InferTopk, kAllTypes, kFree, {kK}, {kLargest, kIsStable}},

    // By index.
    {Opcode::kDynamicSlice, InferDynamicSlice, kAllTypes, kFree, {kDynamicSliceSizes}},
    {Opcode::kDynamicUpdateSlice, InferDynamicUpdateSlice, kAllTypes, kExact},
    {Opcode::kGather,
     InferGather,
     kAllTypes,
     kFree,
     {kOffsetDims, kCollapsedSliceDims, kStartIndexMap, kIndexVectorDim, kSliceSizes},
     {kIndicesAreSorted, kOperandBatchingDims, kStartIndicesBatchingDims}},
    {Opcode::kScatter,
     InferScatter,
     kAllTypes,
     kFree,
     {kUpdateWindowDims, kInsertedWindowDims, kScatterDimsToOperandDims, kIndexVectorDim, kToApply},
     {kIndicesAreSorted, kUniqueIndices, kInputBatchingDims, kScatterIndicesBatchingDims}},

    // With a computation for the elements.
    {Opcode::kReduce, InferReduce, kAllTypes, kFree, {kToApply, kDimensions}},
    {Opcode::kReduceWindow, InferReduceWindow, kAllTypes, kFree, {kToApply}, {kWindow}},
    {Opcode::kSelectAndScatter, InferSelectAndScatter, kAllTypes, kFree, {kSelect, kScatter}, {kWindow}},
    {Opcode::kMap, InferMap, kAllTypes, kFree, {kToApply}, {kDimensions}},
    {Opcode::kSort, InferSort, kAllTypes, kFree, {kToApply, kDimensions}, {kIsStable}},
    {Opcode::kScan,
     InferScan,
     kAllTypes,
     kFree,
     {kToApply, kDimensions, kNumCarries},
     {kIsReverse, kIsAssociative}},

    // Products, transforms, solvers.
    {Opcode::kDot, InferDot, kAllTypes, kFree, {}, kDotKeys},
    {Opcode::kRaggedDot, InferRaggedDot, kAllTypes, kFree, {}, kRaggedKeys},
    {Opcode::kScaledDot, InferScaledDot, kAllTypes, kFree, {}, kDotKeys},
    {Opcode::kConvolution,
     InferConvolution,
     kAllTypes,
     kFree,
     {kDimLabels},
     {kWindow, kFeatureGroupCount, kBatchGroupCount, kOperandPrecision, kSparsity}},
    {Opcode::kFft, InferFft, kAllTypes, kFree, {kFftType, kFftLength}},
    {Opcode::kCholesky, InferCholesky, kAllTypes, kFree, {}, {kLower}},
    {Opcode::kTriangularSolve,
     InferTriangularSolve,
     kAllTypes,
     kFree,
     {kTransposeA},
     {kLeftSide, kLower, kUnitDiagonal}},
    {Opcode::kBatchNormTraining, InferBatchNormTraining, kAllTypes, kFree, {kEpsilon, kFeatureIndex}},
    {Opcode::kBatchNormInference, InferBatchNormInference, kAllTypes, kFree, {kEpsilon, kFeatureIndex}},
    {Opcode::kBatchNormGrad, InferBatchNormGrad, kAllTypes, kFree, {kEpsilon, kFeatureIndex}},

    // Calls.
    {Opcode::kCall, InferCall, kAllTypes, kExact, {kToApply}, {kIsComposite}},
    {Opcode::kFusion, InferFusion, kAllTypes, kExact, {kCalls, kKind}, {kOutputToOperandAliasing}},
    {Opcode::kWhile, InferWhile, kAllTypes, kExact, {kCondition, kBody}},
    {Opcode::kConditional,
     InferConditional,
     kAllTypes,
     kExact,
     {},
     {kTrueComputation, kFalseComputation, kBranchComputations}},
    {Opcode::kCustomCall, InferCustomCall, kAllTypes, kExact, {kCustomCallTarget}, kCustomKeys},
    {Opcode::kAsyncStart, InferAsync, kAllTypes, kExact, {kCalls}},
    {Opcode::kAsyncUpdate, InferAsync, kAllTypes, kExact, {}, {kCalls}},
    {Opcode::kAsyncDone, InferAsync, kAllTypes, kExact, {}, {kCalls}},

    // Order, transfers, random numbers, devices.
    {Opcode::kAfterAll, InferAfterAll, kAllTypes, kReplaced},
    {Opcode::kAddDependency, InferAddDependency, kAllTypes, kReplaced},
    {Opcode::kOptBarrier, InferCopy, kAllTypes, kExact},
    {Opcode::kDomain, InferCopy, kAllTypes, kFree, {kDomain}},
    {Opcode::kCopyStart, InferCopyStart, kAllTypes, kExact, {}, {kCrossProgramPrefetchIndex}},
    {Opcode::kCopyDone, InferCopyDone, kAllTypes, kExact},
    {Opcode::kSend, InferSend, kAllTypes, kReplaced, {}, kTransferKeys},
    {Opcode::kSendDone, InferSendDone, kAllTypes, kReplaced, {}, kTransferKeys},
    {Opcode::kRecv, InferRecv, kAllTypes, kReplaced, {}, kTransferKeys},
    {Opcode::kRecvDone, InferRecvDone, kAllTypes, kReplaced, {}, kTransferKeys},
    {Opcode::kInfeed, InferInfeed, kAllTypes, kReplaced, {}, {kInfeedConfig}},
    {Opcode::kOutfeed, InferOutfeed, kAllTypes, kReplaced, {}, {kOutfeedConfig, kOutfeedShape}},
    {Opcode::kRng, InferRng, kAllTypes, kFree, {kDistribution}},
    {Opcode::kRngBitGenerator, InferRngBitGenerator, kAllTypes, kFree, {kAlgorithm}},
    {Opcode::kRngGetAndUpdateState, InferRngState, kAllTypes, kExact, {kDelta}},
    {Opcode::kPartitionId, InferIndexOfDevice},
    {Opcode::kReplicaId, InferIndexOfDevice},

    // Together with other devices.
    {Opcode::kAllGather, InferAllGather, kAllTypes, kFree, {kDimensions}, kGroupKeys},
    {Opcode::kAllGatherStart, InferAllGather, kAllTypes, kFree, {kDimensions}, kGroupKeys},
    {Opcode::kAllGatherDone, InferAllGatherDone},
    {Opcode::kAllReduce, InferAllReduce, kAllTypes, kFree, {kToApply}, kGroupKeys},
    {Opcode::kAllReduceStart, InferAllReduce, kAllTypes, kFree, {kToApply}, kGroupKeys},
    {Opcode::kAllReduceDone, InferCopy},
    {Opcode::kReduceScatter, InferReduceScatter, kAllTypes, kFree, {kToApply, kDimensions}, kGroupKeys},
    {Opcode::kAllToAll,
     InferAllToAll,
     kAllTypes,
     kFree,
     {},
     {kReplicaGroups, kChannelId, kDimensions, kConstrainLayout}},
    {Opcode::kRaggedAllToAll,
     InferRaggedAllToAll,
     kAllTypes,
     kFree,
     {},
     {kReplicaGroups, kChannelId, kDimensions}},
    {Opcode::kCollectiveBroadcast,
     InferCollectiveBroadcast,
     kAllTypes,
     kFree,
     {kReplicaGroups},
     {kChannelId}},
    {Opcode::kCollectivePermute,
     InferCollectivePermute,
     kAllTypes,
     kFree,
     {kSourceTargetPairs},
     {kChannelId, kSliceSizes}},
    {Opcode::kCollectivePermuteStart,
     InferCollectivePermuteStart,
     kAllTypes,
     kFree,
     {kSourceTargetPairs},
     {kChannelId, kSliceSizes}},
    {Opcode::kCollectivePermuteDone, InferCollectivePermuteDone},
}};

// Where each opcode stands in the table above.
constexpr std::array<uint8_t, kOpcodes> kRowOf = [] {
  std::array<uint8_t, kOpcodes> rows{};
  for (size_t i = 0; i < kOpcodes; ++i) rows[static_cast<size_t>(kRows[i].opcode)] = static_cast<uint8_t>(i);
  return rows;
}();
constexpr bool EachOnce() {
  for (size_t i = 0; i < kOpcodes; ++i) {
    if (static_cast<size_t>(kRows[kRowOf[i]].opcode) != i) return false;
  }
  return true;
}
static_assert(EachOnce(), "an operation has no row, or two");

std::string NameOf(Key key) { return std::string(RowOf(key).name); }

// A form that the reader did not understand says nothing that a rule could use.
bool Understood(const AttributeTable& table, AttributeId id, Opcode opcode) {
  const Attribute& attribute = table[id];
  if (attribute.form == Form::kComputation) {  // a rule may follow it unasked
    const std::span<const Reference> called = table.References(id);
    return !called.empty() && called.front().kind == Reference::kComputation;
  }
  if (attribute.form != Form::kVerbatim || RowOf(attribute.key).form == Form::kVerbatim) return true;
  const bool nested_list = opcode == Opcode::kCollectivePermute || opcode == Opcode::kCollectivePermuteStart;
  return attribute.key == kSliceSizes && nested_list;
}

}  // namespace

const OpcodeRule& RuleOf(Opcode opcode) { return kRows[kRowOf[static_cast<size_t>(opcode)]]; }

Check CheckAttributes(const Context& context) {
  const OpcodeRule& rule = RuleOf(context.opcode);
  const bool async = !AsyncSuffix(context.self().opcode).empty();
  // The short form of an async-start has the attributes of what it wraps: they are checked with that.
  if (context.IsShortAsync()) return std::nullopt;
  KeySet seen;
  for (const AttributeId id : context.facts.module.Attributes(context.attributes)) {
    const Attribute& attribute = context.facts.module.attribute_table[id];
    const Key key = attribute.key;
    if (key == Key::kUnknown) continue;  // of another version: not ours to judge
    const bool known = kCommon.Has(key) || rule.required.Has(key) || rule.optional.Has(key);
    if (!known && !(async && kAsyncKeys.Has(key))) {
      return Wrong(Rule::kAttributeUnexpected, absl::StrCat("has the attribute ", NameOf(key)));
    }
    if (seen.Has(key))
      return Wrong(Rule::kAttributeUnexpected, absl::StrCat("has the attribute ", NameOf(key), " twice"));
    if (!Understood(context.facts.module.attribute_table, id, context.opcode)) {
      return Wrong(Rule::kAttributeValue, absl::StrCat("the value of ", NameOf(key), " is not understood"));
    }
    seen.Add(key);
  }
  if (seen.HasAllOf(rule.required)) return std::nullopt;
  for (size_t i = 0; i < kKeys; ++i) {
    const Key key = static_cast<Key>(i);
    if (!rule.required.Has(key) || seen.Has(key)) continue;
    return Wrong(Rule::kAttributeMissing, absl::StrCat("lacks the attribute ", NameOf(key)));
  }
  return std::nullopt;
}

}  // namespace oomph::hlo
