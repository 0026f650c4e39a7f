// The attributes of instructions, computations and modules as typed values: `dimensions={0,1}`,
// `window={size=3x3 pad=1_1x1_1}`, `to_apply=%add`, `metadata={op_name="x"}`.
// Not for which attribute an operation must have (the verifier's business).
//
// An attribute is an immutable row: its key, its form, some numbers and some references. To change one, add
// another row and put its id in the instruction's list. What is called, named or shaped by an attribute is
// found in its references without knowing the form.
#ifndef OOMPH_MODELS_HLO_ATTRIBUTE_H_
#define OOMPH_MODELS_HLO_ATTRIBUTE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace oomph::hlo {

using AttributeId = uint32_t;

// The order is that of the table in attribute.cc.
enum class Key : uint8_t {
  kIndex,
  kChannelId,
  kIndexVectorDim,
  kIotaDimension,
  kMantissaBits,
  kExponentBits,
  kFeatureIndex,
  kFeatureGroupCount,
  kBatchGroupCount,
  kDelta,
  kCrossProgramPrefetchIndex,
  kK,
  kNumCarries,
  kReplicaCount,
  kNumPartitions,
  kUseGlobalDeviceIds,
  kIndicesAreSorted,
  kUniqueIndices,
  kIsStable,
  kIsHostTransfer,
  kConstrainLayout,
  kIsComposite,
  kCustomCallHasSideEffect,
  kLower,
  kUnitDiagonal,
  kLeftSide,
  kLargest,
  kIsAssociative,
  kIsReverse,
  kIsScheduled,
  kAliasPassthroughParams,
  kEpsilon,
  kDirection,
  kApiVersion,
  kDimLabels,
  kKind,
  kType,
  kAlgorithm,
  kDistribution,
  kFftType,
  kSchedule,
  kTransposeA,
  kPaddingType,
  kSparsity,
  kCustomCallTarget,
  kAsyncExecutionThread,
  kExecutionThread,
  kOutfeedConfig,
  kInfeedConfig,
  kDimensions,
  kLhsContractingDims,
  kRhsContractingDims,
  kLhsBatchDims,
  kRhsBatchDims,
  kDynamicSliceSizes,
  kUpdateWindowDims,
  kScatterDimsToOperandDims,
  kInsertedWindowDims,
  kSliceSizes,
  kStartIndexMap,
  kOffsetDims,
  kCollapsedSliceDims,
  kScatterIndicesBatchingDims,
  kInputBatchingDims,
  kOperandBatchingDims,
  kStartIndicesBatchingDims,
  kFftLength,
  kRhsGroupDims,
  kLhsGroupDims,
  kLhsRaggedDims,
  kParameterReplication,
  kAllowSpmdShardingPropagationToParameters,
  kAllowSpmdShardingPropagationToOutput,
  kOperandPrecision,
  kToApply,
  kCalls,
  kCondition,
  kBody,
  kTrueComputation,
  kFalseComputation,
  kSelect,
  kScatter,
  kCalledComputations,
  kBranchComputations,
  kControlPredecessors,
  kOutfeedShape,
  kShape,
  kOperandLayoutConstraints,
  kEntryComputationLayout,
  kWindow,
  kPadding,
  kSlice,
  kReplicaGroups,
  kSourceTargetPairs,
  kOutputToOperandAliasing,
  kInputOutputAlias,
  kBufferDonor,
  kMetadata,
  kFrontendAttributes,
  kBackendConfig,
  kSharding,
  kLiteral,
  kStatistics,
  kOrigin,
  kResultAccuracy,
  kDomain,
  kOriginRecoveryTable,
  kDebugAttributes,
  kUnknown,  // a key that the table has not: its name is the first reference
};
inline constexpr size_t kKeys = static_cast<size_t>(Key::kUnknown) + 1;

// What an attribute's numbers (n) and references (r) are.
enum class Form : uint8_t {
  kInt,           // n: the value
  kBool,          // n: 0 or 1
  kWord,          // r: the word, as LT or dot_bf16_bf16_f32 or 1e-05
  kString,        // r: the text between the quotes, escapes as written
  kInts,          // n: the values
  kBools,         // n: 0 or 1 each
  kWords,         // r: the words
  kComputation,   // r: a computation
  kComputations,  // r: computations
  kInstructions,  // r: instructions of the same computation
  kShape,         // r: a shape
  kShapes,        // r: shapes
  kProgramShape,  // r: the shapes of the parameters, then that of the result
  kWindow,        // n: see Window
  kPadding,       // n: low, high, interior for each dimension
  kSlices,        // n: start, limit, stride for each dimension
  kGroups,        // n: for each group its size and its members
  kIotaGroups,    // n: three lists, each after its length: [2,4]<=[4,2]T(1,0)
  kAliases,       // n: see Alias
  kDonors,        // n: for each: parameter, length of the index, the index
  kMetadata,      // for each field: r its key, n its FieldKind; then the number in n, or the text in r
  kMap,           // r: key and value, the value as written with its quotes or braces
  kJson,          // r: the text as written, with its quotes or braces
  kSharding,      // n: see Sharding in attribute.cc
  kLiteral,       // r: the text
  kVerbatim,      // r: the text: a form or a key that we do not understand
};

enum FieldKind : int64_t { kFieldText = 0, kFieldNumber = 1, kFieldRaw = 2 };

// What an attribute speaks of.
struct Reference {
  enum Kind : uint32_t { kString, kShape, kComputation, kInstruction };
  uint32_t kind : 2;
  uint32_t id : 30;
  bool operator==(const Reference&) const = default;
};

struct Attribute {
  Key key = Key::kUnknown;
  Form form = Form::kVerbatim;
  uint32_t numbers_chunk = 0, numbers_begin = 0, numbers_count = 0;
  uint32_t references_begin = 0, references_count = 0;
};

class AttributeTable {
 public:
  AttributeId Add(Key key, Form form, std::span<const int64_t> numbers,
                  std::span<const Reference> references);

  const Attribute& operator[](AttributeId id) const { return rows_[id]; }
  size_t size() const { return rows_.size(); }
  std::span<const int64_t> Numbers(AttributeId id) const {
    const Attribute& row = rows_[id];
    return std::span(numbers_[row.numbers_chunk]).subspan(row.numbers_begin, row.numbers_count);
  }
  std::span<const Reference> References(AttributeId id) const {
    return std::span(references_).subspan(rows_[id].references_begin, rows_[id].references_count);
  }

 private:
  std::vector<Attribute> rows_;
  // In chunks that do not grow: groups of devices are most of some texts, and a vector that grows holds them
  // twice.
  std::vector<std::vector<int64_t>> numbers_;
  std::vector<Reference> references_;
};

struct KeyRow {
  std::string_view name;
  Form form;  // kGroups may turn out kIotaGroups, kInts kGroups, some forms kVerbatim
};
const KeyRow& RowOf(Key key);
Key KeyNamed(std::string_view name);  // kUnknown where the table has no such key

// --- what the numbers of some forms mean
// ---------------------------------------------------------------------

// window={size=3x3 stride=2x2 pad=0_1x0_1 lhs_dilate=1x1 rhs_dilate=1x1 rhs_reversal=0x1}
// A part that the text leaves out is empty here; the others have one value for each dimension.
struct Window {
  std::vector<int64_t> size, stride, pad_low, pad_high, lhs_dilate, rhs_dilate, rhs_reversal;
  bool operator==(const Window&) const = default;
};
std::vector<int64_t> NumbersOf(const Window& window);
Window WindowOf(std::span<const int64_t> numbers);

// {1}: (0, {2}, must-alias): element {1} of the output is element {2} of parameter or operand 0.
enum AliasKind : int64_t { kPlainAlias = 0, kMayAlias = 1, kMustAlias = 2 };
struct Alias {
  std::vector<int64_t> output;
  int64_t parameter = 0;
  std::vector<int64_t> index;
  int64_t kind = kPlainAlias;
  bool operator==(const Alias&) const = default;
};
std::vector<int64_t> NumbersOf(std::span<const Alias> aliases);
std::vector<Alias> AliasesOf(std::span<const int64_t> numbers);

// How an array lies on devices. A sharding of a tuple has elements.
struct Sharding {
  enum Kind : int64_t { kReplicated, kMaximal, kManual, kUnknownPlace, kUnreduced, kTiled, kTuple };
  int64_t kind = kReplicated;
  std::vector<int64_t> dimensions;    // devices=[2,4]
  std::vector<int64_t> devices;       // 0,1,2,...: kTiled; or the one of kMaximal
  std::vector<int64_t> iota, order;   // <=[4,2]T(1,0)
  std::vector<int64_t> last_dims;     // last_tile_dims={...}: kinds
  bool last_replicated = false;       // last_tile_dim_replicate
  int64_t group_kind = 0, group = 0;  // 1: shard_as group, 2: shard_like group
  std::vector<Sharding> elements;
  bool operator==(const Sharding&) const = default;
};
std::vector<int64_t> NumbersOf(const Sharding& sharding);
Sharding ShardingOf(std::span<const int64_t> numbers);
// "replicated" and so on, by Sharding::Kind; empty for kTiled and kTuple.
std::string_view WordOf(int64_t sharding_kind);

// All replica groups or pairs, an iota form written out; none where they would be more than `limit` numbers.
std::optional<std::vector<std::vector<int64_t>>> GroupsOf(Form form, std::span<const int64_t> numbers,
                                                          size_t limit = 1 << 20);

// Takes lists apart that stand in numbers, each after its length. Stops at the end, whatever the lengths say.
class NumberReader {
 public:
  explicit NumberReader(std::span<const int64_t> numbers) : rest_(numbers) {}
  bool done() const { return rest_.empty(); }
  int64_t Next();
  std::span<const int64_t> List();

 private:
  std::span<const int64_t> rest_;
};

}  // namespace oomph::hlo

#endif  // OOMPH_MODELS_HLO_ATTRIBUTE_H_
