// Each operation's rule on one instruction that it accepts and one that it refuses.
// Not for rules over several instructions (verify_test.cc).
#include "models/hlo/infer.h"

#include <gtest/gtest.h>

#include <ostream>
#include <set>

#include "absl/strings/str_cat.h"
#include "models/hlo/text.h"

namespace oomph::hlo {
namespace {

// Computations that the rows call.
constexpr std::string_view kCalled = R"(
sum { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT z = f32[] add(x, y) }
sums { x = f32[] parameter(0)  y = s32[] parameter(1)  v = f32[] parameter(2)  w = s32[] parameter(3)
  ROOT z = (f32[], s32[]) tuple(x, y) }
less { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT z = pred[] compare(x, y), direction=LT }
twice { x = f32[2] parameter(0)  ROOT z = f32[2] add(x, x) }
negative { x = f32[] parameter(0)  ROOT z = f32[] negate(x) }
below { x = f32[2] parameter(0)  ROOT z = pred[] constant(true) }
fused { x = f32[2] parameter(0)  ROOT z = f32[2] negate(x) }
wrapped { x = f32[2] parameter(0)  ROOT z = f32[2] negate(x) }
scanned { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT z = (f32[], f32[]) tuple(x, y) }
)";

// Operands that the rows use: a scalar, vectors, matrices and so on of several types.
constexpr std::string_view kOperands = R"(
f = f32[] parameter(0)       f2 = f32[2] parameter(1)    f3 = f32[3] parameter(2)    f23 = f32[2,3] parameter(3)
f33 = f32[3,3] parameter(4)  s = s32[] parameter(5)      s2 = s32[2] parameter(6)    u2 = u32[2] parameter(7)
p = pred[] parameter(8)      p2 = pred[2] parameter(9)   b2 = bf16[2] parameter(10)  c2 = c64[2] parameter(11)
t = token[] parameter(12)    pair = (f32[2], s32[]) parameter(13)    f4 = f32[4] parameter(14)
image = f32[1,4,4,2] parameter(15)   kernel = f32[3,3,2,5] parameter(16)   s31 = s32[3,1] parameter(17)
u64 = u64[2] parameter(18)   s6 = s64[] parameter(19)    f5 = f64[] parameter(20)
)";

struct Row {
  Opcode opcode;
  std::string_view good, bad;
  Rule rule;  // that refuses the bad one
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.good; }

using enum Opcode;
constexpr Row kRows[] = {
    {kAbs, "f32[2] abs(c2)", "c64[2] abs(c2)", Rule::kResultShape},
    {kAcos, "f32[2] acos(f2)", "s32[2] acos(s2)", Rule::kOperandType},
    {kAcosh, "f32[2] acosh(f2)", "s32[2] acosh(s2)", Rule::kOperandType},
    {kAsin, "c64[2] asin(c2)", "s32[2] asin(s2)", Rule::kOperandType},
    {kAsinh, "f32[2] asinh(f2)", "s32[2] asinh(s2)", Rule::kOperandType},
    {kAtanh, "f32[2] atanh(f2)", "s32[2] atanh(s2)", Rule::kOperandType},
    {kCbrt, "f32[2] cbrt(f2)", "c64[2] cbrt(c2)", Rule::kOperandType},
    {kCeil, "f32[2] ceil(f2)", "s32[2] ceil(s2)", Rule::kOperandType},
    {kCosine, "f32[2] cosine(f2)", "f32[3] cosine(f2)", Rule::kResultShape},
    {kCosh, "f32[2] cosh(f2)", "s32[2] cosh(s2)", Rule::kOperandType},
    {kCountLeadingZeros, "s32[2] count-leading-zeros(s2)", "f32[2] count-leading-zeros(f2)",
     Rule::kOperandType},
    {kErf, "f32[2] erf(f2)", "c64[2] erf(c2)", Rule::kOperandType},
    {kExponential, "bf16[2] exponential(f2)", "s32[2] exponential(s2)", Rule::kOperandType},
    {kExponentialMinusOne, "f32[2] exponential-minus-one(f2)", "token[] exponential-minus-one(t)",
     Rule::kOperandType},
    {kFloor, "f32[2] floor(f2)", "u32[2] floor(u2)", Rule::kOperandType},
    {kImag, "f32[2] imag(c2)", "s32[2] imag(s2)", Rule::kOperandType},
    {kIsFinite, "pred[2] is-finite(f2)", "f32[2] is-finite(f2)", Rule::kResultShape},
    {kLog, "f32[2] log(f2)", "s32[2] log(s2)", Rule::kOperandType},
    {kLogPlusOne, "f32[2] log-plus-one(f2)", "s32[2] log-plus-one(s2)", Rule::kOperandType},
    {kLogistic, "f32[2] logistic(f2)", "s32[2] logistic(s2)", Rule::kOperandType},
    {kNegate, "u32[2] negate(u2)", "pred[2] negate(p2)", Rule::kOperandType},
    {kNot, "pred[2] not(p2)", "f32[2] not(f2)", Rule::kOperandType},
    {kPopcnt, "u32[2] popcnt(u2)", "pred[2] popcnt(p2)", Rule::kOperandType},
    {kReal, "f32[2] real(c2)", "c64[2] real(c2)", Rule::kResultShape},
    {kRoundNearestAfz, "f32[2] round-nearest-afz(f2)", "s32[2] round-nearest-afz(s2)", Rule::kOperandType},
    {kRoundNearestEven, "f32[2] round-nearest-even(f2)", "s32[2] round-nearest-even(s2)", Rule::kOperandType},
    {kRsqrt, "f32[2] rsqrt(f2)", "s32[2] rsqrt(s2)", Rule::kOperandType},
    {kSign, "s32[2] sign(s2)", "u32[2] sign(u2)", Rule::kOperandType},
    {kSine, "f32[2] sine(f2)", "s32[2] sine(s2)", Rule::kOperandType},
    {kSinh, "f32[2] sinh(f2)", "s32[2] sinh(s2)", Rule::kOperandType},
    {kSqrt, "f32[2] sqrt(f2)", "s32[2] sqrt(s2)", Rule::kOperandType},
    {kTan, "f32[2] tan(f2)", "s32[2] tan(s2)", Rule::kOperandType},
    {kTanh, "f32[2] tanh(f2)", "f32[2] tanh(f2), dimensions={0}", Rule::kAttributeUnexpected},
    {kCopy, "(f32[2], s32[]) copy(pair)", "f32[3] copy(f2)", Rule::kResultShape},
    {kAdd, "f32[2] add(f2, b2)", "f32[2] add(f2, f3)", Rule::kOperandShape},
    {kAnd, "s32[2] and(s2, s2)", "f32[2] and(f2, f2)", Rule::kOperandType},
    {kAtan2, "f32[2] atan2(f2, f2)", "s32[2] atan2(s2, s2)", Rule::kOperandType},
    {kDivide, "s32[2] divide(s2, s2)", "s32[2] divide(s2, u2)", Rule::kOperandType},
    {kMaximum, "pred[2] maximum(p2, p2)", "s32[2] maximum(p2, p2)", Rule::kResultShape},
    {kMinimum, "f32[2] minimum(f2, f2)", "f32[2] minimum(f2)", Rule::kOperandCount},
    {kMulhi, "u32[2] mulhi(u2, u2)", "f32[2] mulhi(f2, f2)", Rule::kOperandType},
    {kMultiply, "pred[2] multiply(p2, p2)", "f32[2] multiply(f2, f)", Rule::kOperandShape},
    {kOr, "pred[2] or(p2, p2)", "f32[2] or(f2, f2)", Rule::kOperandType},
    {kPower, "f32[2] power(f2, f2)", "pred[2] power(p2, p2)", Rule::kOperandType},
    {kRemainder, "s32[2] remainder(s2, s2)", "pred[2] remainder(p2, p2)", Rule::kOperandType},
    {kShiftLeft, "u32[2] shift-left(u2, u2)", "pred[2] shift-left(p2, p2)", Rule::kOperandType},
    {kShiftRightArithmetic, "s32[2] shift-right-arithmetic(s2, s2)", "s64[2] shift-right-arithmetic(s2, s2)",
     Rule::kResultShape},
    {kShiftRightLogical, "u32[2] shift-right-logical(u2, u2)", "pred[2] shift-right-logical(p2, p2)",
     Rule::kOperandType},
    {kSubtract, "f32[2] subtract(f2, f2)", "pred[2] subtract(p2, p2)", Rule::kOperandType},
    {kXor, "u32[2] xor(u2, u2)", "c64[2] xor(c2, c2)", Rule::kOperandType},
    {kCompare, "pred[2] compare(f2, f2), direction=LT, type=TOTALORDER",
     "pred[2] compare(s2, s2), direction=LT, type=FLOAT", Rule::kAttributeValue},
    {kCompare, "pred[2] compare(u2, u2), direction=EQ", "pred[2] compare(u2, u2)", Rule::kAttributeMissing},
    {kComplex, "c64[2] complex(f2, f2)", "c64[2] complex(b2, b2)", Rule::kOperandType},
    {kClamp, "f32[2] clamp(f, f2, f2)", "f32[2] clamp(f3, f2, f2)", Rule::kOperandShape},
    {kSelect, "f32[2] select(p, f2, f2)", "f32[2] select(s2, f2, f2)", Rule::kOperandType},
    {kSelect, "f32[2] select(p2, f2, b2)", "f32[3] select(p2, f3, f3)", Rule::kOperandShape},
    {kConvert, "s8[2] convert(f2)", "s8[3] convert(f2)", Rule::kResultShape},
    {kBitcastConvert, "u8[2,4] bitcast-convert(f2)", "u8[2,2] bitcast-convert(f2)", Rule::kResultShape},
    {kBitcastConvert, "u64[] bitcast-convert(u2)", "c64[] bitcast-convert(u2)", Rule::kOperandType},
    {kBitcast, "s8[7] bitcast(f2)", "s8[7] bitcast(f2, f2)", Rule::kOperandCount},
    {kStochasticConvert, "bf16[2] stochastic-convert(f2, u2)", "bf16[2] stochastic-convert(f2, s2)",
     Rule::kOperandType},
    {kReducePrecision, "f32[2] reduce-precision(f2), exponent_bits=5, mantissa_bits=10",
     "f32[2] reduce-precision(f2), exponent_bits=0, mantissa_bits=10", Rule::kAttributeValue},

    {kBroadcast, "f32[2,5] broadcast(f2), dimensions={0}", "f32[5,2] broadcast(f2), dimensions={0}",
     Rule::kResultShape},
    {kReshape, "f32[3,2] reshape(f23)", "f32[7] reshape(f23)", Rule::kResultShape},
    {kDynamicReshape, "f32[<=3,2] dynamic-reshape(f23, s, s)", "f32[<=3,2] dynamic-reshape(f23, s)",
     Rule::kOperandCount},
    {kTranspose, "f32[3,2] transpose(f23), dimensions={1,0}", "f32[3,2] transpose(f23), dimensions={1,1}",
     Rule::kAttributeValue},
    {kReverse, "f32[2,3] reverse(f23), dimensions={1}", "f32[2,3] reverse(f23), dimensions={2}",
     Rule::kAttributeValue},
    {kSlice, "f32[2] slice(f3), slice={[0:3:2]}", "f32[4] slice(f3), slice={[0:4]}", Rule::kAttributeValue},
    {kPad, "f32[7] pad(f3, f), padding=1_1_1", "f32[6] pad(f3, s), padding=1_2", Rule::kOperandType},
    {kConcatenate, "f32[5] concatenate(f2, f3), dimensions={0}",
     "f32[2,6] concatenate(f23, f33), dimensions={1}", Rule::kOperandShape},
    {kIota, "s32[2,3] iota(), iota_dimension=1", "s32[2,3] iota(), iota_dimension=2", Rule::kAttributeValue},
    {kConstant, "f32[2,2] constant({{1, 2}, {3, nan}})", "f32[2,2] constant({{1, 2}, {3}})", Rule::kLiteral},
    {kConstant, "s8[2] constant({127, -128})", "s8[2] constant({127, -129})", Rule::kLiteral},
    {kConstant, "(f32[], pred[2]) constant((1, {true, false}))", "u4[] constant(16)", Rule::kLiteral},
    {kConstant, "f16[2] constant({65519, -1e-30})", "f16[2] constant({65520, 0})", Rule::kLiteral},
    {kConstant, "c64[] constant((1, 2))", "c64[] constant((1 2))", Rule::kLiteral},
    {kConstant, "pred[] constant(-2)", "pred[] constant(9223372036854775808)", Rule::kLiteral},
    {kConstant, "f64[2] constant({1e308, 1e-400})", "f64[] constant(-1e400)", Rule::kLiteral},
    {kConstant, "f4e2m1fn[] constant(1e308)", "f4e2m1fn[] constant(1e400)", Rule::kLiteral},
    {kConstant, "f32[2] constant({-.5, 5.})", "f32[2] constant({.5, 5.})", Rule::kLiteral},
    {kConstant, "f32[] constant(18446744073709551615)", "f32[] constant(18446744073709551616)", Rule::kLiteral},
    {kParameter, "f32[2] parameter(21)", "f32[2] parameter(22)", Rule::kParameters},
    {kTuple, "(f32[2], s32[]) tuple(f2, s)", "(f32[2], s32[]) tuple(s, f2)", Rule::kResultShape},
    {kGetTupleElement, "s32[] get-tuple-element(pair), index=1", "s32[] get-tuple-element(pair), index=2",
     Rule::kAttributeValue},
    {kGetDimensionSize, "s32[] get-dimension-size(f2), dimensions={0}",
     "s32[] get-dimension-size(f2), dimensions={1}", Rule::kAttributeValue},
    {kSetDimensionSize, "f32[<=2] set-dimension-size(f2, s), dimensions={0}",
     "f32[<=2] set-dimension-size(f2, f), dimensions={0}", Rule::kOperandType},
    {kTopk, "(f32[2], s32[2]) topk(f3), k=2", "(f32[4], s32[4]) topk(f3), k=4", Rule::kAttributeValue},

    {kDynamicSlice, "f32[1,3] dynamic-slice(f23, s, s), dynamic_slice_sizes={1,3}",
     "f32[1,4] dynamic-slice(f23, s, s), dynamic_slice_sizes={1,4}", Rule::kAttributeValue},
    {kDynamicUpdateSlice, "f32[3] dynamic-update-slice(f3, f2, s)", "f32[2] dynamic-update-slice(f2, f3, s)",
     Rule::kOperandShape},
    {kDynamicUpdateSlice, "f32[3] dynamic-update-slice(f3, f2, s6)", "f32[3] dynamic-update-slice(f3, f2, f)",
     Rule::kOperandType},
    {kGather,
     "f32[3,3] gather(f23, s31), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
     "index_vector_dim=1, slice_sizes={1,3}",
     "f32[3,3] gather(f23, s31), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
     "index_vector_dim=1, slice_sizes={2,3}",
     Rule::kAttributeValue},
    {kScatter,
     "f32[2,3] scatter(f23, s31, f33), update_window_dims={1}, inserted_window_dims={0}, "
     "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum",
     "f32[2,3] scatter(f23, s31, f23), update_window_dims={1}, inserted_window_dims={0}, "
     "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum",
     Rule::kOperandShape},

    {kReduce, "f32[3] reduce(f23, f), dimensions={0}, to_apply=sum",
     "f32[3] reduce(f23, f), dimensions={0,0}, to_apply=sum", Rule::kAttributeValue},
    {kReduce, "(f32[], s32[]) reduce(f2, s2, f, s), dimensions={0}, to_apply=sums",
     "f32[] reduce(f2, s), dimensions={0}, to_apply=sum", Rule::kSignature},
    {kReduceWindow, "f32[3] reduce-window(f4, f), window={size=2}, to_apply=sum",
     "f32[2] reduce-window(f4, f), window={size=2}, to_apply=sum", Rule::kResultShape},
    {kSelectAndScatter,
     "f32[4] select-and-scatter(f4, f2, f), window={size=2 stride=2}, select=less, scatter=sum",
     "f32[4] select-and-scatter(f4, f3, f), window={size=2 stride=2}, select=less, scatter=sum",
     Rule::kOperandShape},
    {kMap, "f32[2] map(f2, f2), dimensions={0}, to_apply=sum", "f32[2] map(f2), dimensions={0}, to_apply=sum",
     Rule::kSignature},
    {kSort, "f32[2,3] sort(f23), dimensions={1}, to_apply=less",
     "f32[2,3] sort(f23), dimensions={2}, to_apply=less", Rule::kAttributeValue},
    {kSort, "f32[3] sort(f3), dimensions={0}, is_stable=true, to_apply=less",
     "f32[3] sort(f3), dimensions={0}, to_apply=sum", Rule::kSignature},
    {kScan, "(f32[3], f32[]) scan(f3, f), dimensions={0}, num_carries=1, to_apply=scanned",
     "(f32[2], f32[]) scan(f3, f), dimensions={0}, num_carries=1, to_apply=scanned", Rule::kSignature},

    {kDot, "f32[2,3] dot(f23, f33), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
     "f32[3,3] dot(f23, f33), lhs_contracting_dims={0}, rhs_contracting_dims={0}", Rule::kOperandShape},
    {kDot, "f64[2] dot(f2, f2), lhs_batch_dims={0}, rhs_batch_dims={0}",
     "f32[] dot(f2, f2), lhs_contracting_dims={0}", Rule::kAttributeValue},
    {kRaggedDot,
     "f32[2,3] ragged-dot(f23, f233, s2), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
     "lhs_ragged_dims={0}, rhs_group_dims={0}",
     "f32[2,3] ragged-dot(f23, f233, s2), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
     "lhs_ragged_dims={0}",
     Rule::kAttributeValue},
    {kScaledDot,
     "f32[2,3] scaled-dot(f23, f33, f23, f33), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
     "f32[2,3] scaled-dot(f23, f33, f33, f33), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
     Rule::kOperandShape},
    {kConvolution, "f32[1,2,2,5] convolution(image, kernel), window={size=3x3}, dim_labels=b01f_01io->b01f",
     "f32[1,2,2,5] convolution(image, kernel), window={size=3x2}, dim_labels=b01f_01io->b01f",
     Rule::kAttributeValue},
    {kConvolution,
     "f32[1,5,2,2] convolution(image, kernel), window={size=3x3 stride=2x2 pad=1_0x1_0}, "
     "dim_labels=b01f_01io->bf01",
     "f32[1,5,2,2] convolution(image, kernel), window={size=3x3}, dim_labels=b01f_01oi->bf01",
     Rule::kOperandShape},
    {kFft, "c64[3] fft(f4), fft_type=RFFT, fft_length={4}", "c64[4] fft(f4), fft_type=FFT, fft_length={4}",
     Rule::kOperandType},
    {kFft, "f32[2] fft(c2), fft_type=IRFFT, fft_length={2}", "f32[4] fft(c2), fft_type=IRFFT, fft_length={4}",
     Rule::kAttributeValue},
    {kTriangularSolve, "f32[2,3] triangular-solve(f33, f23), transpose_a=NO_TRANSPOSE",
     "f32[2,3] triangular-solve(f33, f23), left_side=true, transpose_a=NO_TRANSPOSE", Rule::kOperandShape},
    {kCholesky, "f32[3,3] cholesky(f33), lower=true", "f32[2,3] cholesky(f23)", Rule::kOperandShape},
    {kBatchNormTraining,
     "(f32[2,3], f32[3], f32[3]) batch-norm-training(f23, f3, f3), epsilon=0.1, feature_index=1",
     "(f32[2,3], f32[3], f32[3]) batch-norm-training(f23, f3, f2), epsilon=0.1, feature_index=1",
     Rule::kOperandShape},
    {kBatchNormInference, "f32[2,3] batch-norm-inference(f23, f3, f3, f3, f3), epsilon=0.1, feature_index=1",
     "f32[2,3] batch-norm-inference(f23, f3, f3, f3, f3), epsilon=0.1, feature_index=2",
     Rule::kAttributeValue},
    {kBatchNormGrad,
     "(f32[2,3], f32[3], f32[3]) batch-norm-grad(f23, f3, f3, f3, f23), epsilon=0.1, feature_index=1",
     "(f32[2,3], f32[3], f32[3]) batch-norm-grad(f23, f3, f3, f3, f33), epsilon=0.1, feature_index=1",
     Rule::kOperandShape},

    {kCall, "f32[2] call(f2), to_apply=twice", "f32[2] call(f3), to_apply=twice", Rule::kSignature},
    {kFusion, "f32[2] fusion(f2), kind=kLoop, calls=fused", "f32[3] fusion(f2), kind=kLoop, calls=fused",
     Rule::kResultShape},
    {kWhile, "f32[2] while(f2), condition=below, body=twice", "f32[2] while(f2), condition=twice, body=twice",
     Rule::kSignature},
    {kConditional, "f32[2] conditional(p, f2, f2), true_computation=twice, false_computation=twice",
     "f32[2] conditional(p, f2), true_computation=twice, false_computation=twice", Rule::kOperandCount},
    {kConditional, "f32[2] conditional(s, f2), branch_computations={twice}",
     "f32[2] conditional(p, f2), branch_computations={twice}", Rule::kAttributeMissing},
    {kCustomCall, "f32[9] custom-call(f2), custom_call_target=\"x\", operand_layout_constraints={f32[2]{0}}",
     "f32[9] custom-call(f2), custom_call_target=\"x\", operand_layout_constraints={f32[3]{0}}",
     Rule::kCustomCall},
    {kCustomCall,
     "f32[2] custom-call(pair), custom_call_target=\"x\", output_to_operand_aliasing={{}: (0, {0})}",
     "f32[2] custom-call(pair), custom_call_target=\"x\", output_to_operand_aliasing={{}: (0, {1})}",
     Rule::kAlias},

    {kAfterAll, "token[] after-all(f2)", "token[] after-all(f2), dimensions={}", Rule::kAttributeUnexpected},
    {kAddDependency, "f32[2] add-dependency(f2, t)", "f32[2] add-dependency(f2, f2)", Rule::kOperandType},
    {kOptBarrier, "f32[2] opt-barrier(f2)", "bf16[2] opt-barrier(f2)", Rule::kResultShape},
    {kDomain, "f32[2] domain(f2), domain={kind=\"sharding\", entry={maximal device=0}, exit={}}",
     "f32[3] domain(f2), domain={kind=\"sharding\", entry={}, exit={}}", Rule::kResultShape},
    {kInfeed, "(f32[2], token[]) infeed(t)", "(f32[2], token[]) infeed(f)", Rule::kOperandType},
    {kOutfeed, "token[] outfeed(f2, t), outfeed_shape=f32[2]", "token[] outfeed(f2, t), outfeed_shape=f32[3]",
     Rule::kAttributeValue},
    {kRng, "f32[7] rng(f, f), distribution=rng_normal", "s32[7] rng(s, s), distribution=rng_normal",
     Rule::kOperandType},
    {kRngBitGenerator, "(u64[2], u32[5]) rng-bit-generator(u64), algorithm=rng_default",
     "(u64[3], u32[5]) rng-bit-generator(u64), algorithm=rng_default", Rule::kResultShape},
    {kRngGetAndUpdateState, "u64[2] rng-get-and-update-state(), delta=1",
     "u64[3] rng-get-and-update-state(), delta=1", Rule::kResultShape},
    {kPartitionId, "u32[] partition-id()", "s32[] partition-id()", Rule::kResultShape},
    {kReplicaId, "u32[] replica-id()", "u32[1] replica-id()", Rule::kResultShape},

    {kAllGather, "f32[8] all-gather(f4), replica_groups={{0,1}}, dimensions={0}",
     "f32[12] all-gather(f4), replica_groups={{0,1}}, dimensions={0}", Rule::kResultShape},
    {kAllReduce, "f32[2] all-reduce(f2), replica_groups={{0},{1,2}}, to_apply=sum",
     "f32[2] all-reduce(f2), replica_groups={{0},{1,1}}, to_apply=sum", Rule::kReplicaGroups},
    {kReduceScatter, "f32[2] reduce-scatter(f4), replica_groups={{0,1}}, dimensions={0}, to_apply=sum",
     "f32[2] reduce-scatter(f4), replica_groups={{0,1}}, dimensions={1}, to_apply=sum",
     Rule::kAttributeValue},
    {kAllToAll, "f32[4] all-to-all(f4), replica_groups={{0,1}}, dimensions={0}",
     "f32[3] all-to-all(f3), replica_groups={{0,1}}, dimensions={0}", Rule::kOperandShape},
    {kAllToAll, "(f32[2], f32[2]) all-to-all(f2, f2), replica_groups={{0,1}}",
     "(f32[2], f32[2]) all-to-all(f2, f2), replica_groups={{0}}", Rule::kOperandCount},
    {kRaggedAllToAll, "f32[4] ragged-all-to-all(f2, f4, s2, s2, s2, s2), replica_groups={{0,1}}",
     "f32[4] ragged-all-to-all(f2, f4, s2, s2, s2, s31), replica_groups={{0,1}}", Rule::kOperandShape},
    {kCollectiveBroadcast, "f32[2] collective-broadcast(f2), replica_groups={{0,1}}",
     "f32[2] collective-broadcast(f2)", Rule::kAttributeMissing},
    {kCollectivePermute, "f32[2] collective-permute(f2), source_target_pairs={{0,1},{1,0}}",
     "f32[2] collective-permute(f2), source_target_pairs={{0,1},{1,1}}", Rule::kReplicaGroups},
};

// Operations that need a partner: verify_test.cc has them.
constexpr Opcode kWithPartner[] = {kAllGatherStart,
                                   kAllGatherDone,
                                   kAllReduceStart,
                                   kAllReduceDone,
                                   kAsyncStart,
                                   kAsyncUpdate,
                                   kAsyncDone,
                                   kCollectivePermuteStart,
                                   kCollectivePermuteDone,
                                   kCopyStart,
                                   kCopyDone,
                                   kSend,
                                   kSendDone,
                                   kRecv,
                                   kRecvDone};

std::vector<Problem> VerifyLine(std::string_view line) {
  const std::string text =
      absl::StrCat("HloModule m\n", std::string(kCalled), "ENTRY e {", std::string(kOperands),
                   "f233 = f32[2,3,3] constant({...})\n  ROOT it = ", std::string(line), "\n}\n");
  const absl::StatusOr<Module> module = Parse("row", text);
  EXPECT_TRUE(module.ok()) << module.status();
  if (!module.ok()) return {};
  std::vector<Problem> problems = Verify(*module);
  for (const Problem& problem : problems) EXPECT_FALSE(Describe(*module, problem).empty());
  return problems;
}

class InferTest : public testing::TestWithParam<Row> {};

TEST_P(InferTest, AcceptsAndRefuses) {
  const std::vector<Problem> none = VerifyLine(GetParam().good);
  EXPECT_TRUE(none.empty()) << GetParam().good << ": " << none.front().text;
  const std::vector<Problem> problems = VerifyLine(GetParam().bad);
  ASSERT_EQ(problems.size(), 1u) << GetParam().bad;
  EXPECT_EQ(RowOf(problems[0].rule).name, RowOf(GetParam().rule).name)
      << GetParam().bad << ": " << problems[0].text;
}

INSTANTIATE_TEST_SUITE_P(Rows, InferTest, testing::ValuesIn(kRows));

TEST(InferTableTest, EveryOperationHasARow) {
  std::set<Opcode> seen(std::begin(kWithPartner), std::end(kWithPartner));
  for (const Row& row : kRows) seen.insert(row.opcode);
  for (size_t i = 0; i < kOpcodes; ++i) {
    EXPECT_TRUE(seen.contains(static_cast<Opcode>(i))) << RowOf(static_cast<Opcode>(i)).name;
  }
}

// What a text leaves out follows from the operands, and is what later instructions get.
TEST(InferTableTest, ShapesThatTheTextLeavesOut) {
  const auto problems = [](std::string_view line) {
    const auto module = Parse("m", absl::StrCat("HloModule m\nENTRY e { a = f32[2,3] parameter(0)\n",
                                                "b = negate(a)\n", std::string(line), " }"));
    EXPECT_TRUE(module.ok()) << module.status();
    return module.ok() ? Verify(*module).size() : 99;
  };
  EXPECT_EQ(problems("ROOT c = bf16[2,3] add(a, b)"), 0u);
  EXPECT_EQ(problems("ROOT c = f32[3,2] add(a, b)"), 1u);
  EXPECT_EQ(problems("ROOT c = dot(a, b), lhs_contracting_dims={0,1}, rhs_contracting_dims={0,1}"), 0u);
  EXPECT_EQ(problems("ROOT c = reshape(a)"), 1u);
}

}  // namespace
}  // namespace oomph::hlo
