// The planted faults of the family vmem: the specification with one of its steps replaced. First each rule switched off, which
// only another answer betrays; then what each oracle and relation must see by itself.
// Not for: faults in the fast model, which the comparison catches.
#include "fuzz/faults/vmem.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "models/base/units.h"
#include "models/vmem/compilable.h"
#include "models/vmem/family.h"
#include "models/vmem/promises.h"
#include "models/vmem/specification.h"
#include "models/vmem/target.h"

namespace oomph {
namespace vmem {
namespace {

class Fault : public Specification {
 public:
  // The last step: what it tells.
  virtual void Amend(const Kernel& kernel, Answer& answer) const { (void)kernel, (void)answer; }

 protected:
  static bool IsFirst(const Kernel& kernel, const Operand& operand) {
    return !kernel.inputs.empty() && &operand == &kernel.inputs[0];
  }
  // Not because the grid has one step, nor because one was asked for.
  static bool MayHaveTwo(const Kernel& kernel, const Operand& operand) {
    return !kernel.grid.empty() && !operand.block.empty() && operand.buffers != 1;
  }
  static size_t CountOf(const Kernel& kernel) { return kernel.inputs.size() + kernel.outputs.size() + kernel.scratch.size(); }
};

// ---- Each rule switched off ----

struct PadsNoLanes : Fault {
  uint64_t PaddedElements(const std::vector<uint64_t>& shape, uint64_t packing) const override {
    if (shape.size() < 2) return Specification::PaddedElements(shape, packing);
    const uint64_t padded = Specification::PaddedElements(shape, packing), lanes = (SaturatingAdd(shape.back(), 127)) / 128 * 128;
    return lanes == 0 ? padded : SaturatingMul(padded / lanes, shape.back());
  }
};
struct PadsNoRows : Fault {
  uint64_t Sublanes(uint64_t, uint64_t) const override { return 1; }
};
struct TilesOfEightRows : Fault {
  uint64_t Sublanes(uint64_t, uint64_t packing) const override { return std::max<uint64_t>(8, packing); }
};
struct TilesNeverGrow : Fault {
  uint64_t Sublanes(uint64_t, uint64_t packing) const override { return packing; }
};
struct PackedTilesAreHigher : Fault {  // as in HBM
  uint64_t Sublanes(uint64_t second_minor, uint64_t packing) const override {
    uint64_t rows = packing;
    while (rows < std::min<uint64_t>(second_minor, 8 * packing)) rows *= 2;
    return rows;
  }
};
struct OneDimensionByLanes : Fault {
  uint64_t RankOneGranule(uint64_t) const override { return 128; }
};
struct PredIsAByte : Fault {
  uint64_t BitsOf(Type type) const override { return type == Type::kPred ? 8 : Specification::BitsOf(type); }
};
struct FourBitScratchIsPacked : Fault {
  uint64_t ScratchBits(Type type) const override { return BitsOf(type); }
};
struct ScopedRowsArePadded : Fault {
  bool KeepsRows(const Buffer&) const override { return false; }
};
struct WindowsAreNotRounded : Fault {
  uint64_t RoundWindow(uint64_t bytes) const override { return bytes; }
};
struct ScratchByWindows : Fault {
  uint64_t RoundScratch(uint64_t bytes) const override { return RoundWindow(bytes); }
};
struct ScopedIsNotRounded : Fault {
  uint64_t RoundScoped(uint64_t bytes) const override { return bytes; }
};
struct NeverTwoBuffers : Fault {
  uint64_t Levels(const Kernel&, const Operand&) const override { return 1; }
};
struct AlwaysTwoBuffers : Fault {
  uint64_t Levels(const Kernel& kernel, const Operand& operand) const override { return MayHaveTwo(kernel, operand) ? 2 : 1; }
};
struct OneStepVaries : Fault {
  uint64_t StepsOf(const Kernel& kernel, uint32_t axis) const override {
    const uint64_t steps = Specification::StepsOf(kernel, axis);
    return axis < kernel.grid.size() && kernel.grid[axis].size == 1 && steps == 1 ? 2 : steps;
  }
};
struct FoldsNothing : Fault {
  bool TermVaries(const Kernel& kernel, const Term& term) const override {
    return term.kind != TermKind::kConstant && StepsOf(kernel, term.axis) != 1;
  }
};
struct FoldsTooMuch : Fault {
  bool TermVaries(const Kernel& kernel, const Term& term) const override {
    if (term.axis < kernel.grid.size() && term.kind == TermKind::kAtMost && term.amount == 0) return false;
    if (term.axis < kernel.grid.size() && term.kind == TermKind::kDivided && term.amount >= kernel.grid[term.axis].size) return false;
    return Specification::TermVaries(kernel, term);
  }
};
struct OneBufferIsNotHeard : Fault {
  uint64_t Levels(const Kernel& kernel, const Operand& operand) const override {
    Operand plain = operand;
    plain.buffers = 0;
    return Specification::Levels(kernel, plain);
  }
};
struct TwoBuffersOfAConstant : Fault {
  uint64_t Levels(const Kernel& kernel, const Operand& operand) const override {
    return operand.buffers == 2 ? 2 : Specification::Levels(kernel, operand);
  }
};
struct ArraysInVmemAreFetched : Fault {
  bool IsThereAlready(const Operand&) const override { return false; }
};
struct OtherMemoriesTakeWindows : Fault {
  bool TakesWindow(const Operand&) const override { return true; }
};
struct SiblingsAdd : Fault {
  uint64_t Together(uint64_t sibling, uint64_t other) const override { return SaturatingAdd(sibling, other); }
};
struct NestsInTheSameBytes : Fault {
  uint64_t Nested(uint64_t outer, uint64_t inner) const override { return std::max(outer, inner); }
};
struct ForgetsInternal : Fault {
  uint64_t StackBytes(const Kernel& kernel) const override { return ScopeBytes(kernel, 0, kernel.scoped.size()); }
};
struct OptionWins : Fault {
  int64_t Limit(const Kernel& kernel) const override { return OptionLimit(kernel).value_or(Specification::Limit(kernel)); }
};
struct LowerLimitWins : Fault {
  int64_t Limit(const Kernel& kernel) const override {
    return std::min(Specification::Limit(kernel), OptionLimit(kernel).value_or(INT64_MAX));
  }
};
struct NeverClamps : Fault {
  int64_t Clamp(const Kernel&, int64_t limit) const override { return limit; }
};
struct OneDefaultForAll : Fault {
  int64_t DefaultLimit(const Kernel&) const override { return 64 * kMiB; }
};
struct MinusOneIsALimit : Fault {
  std::optional<int64_t> OptionLimit(const Kernel& kernel) const override {
    return kernel.option_kib == -1 ? std::optional<int64_t>(-1024) : Specification::OptionLimit(kernel);
  }
};
struct WindowsFirst : Fault {
  std::vector<uint64_t> RunningTotals(const Kernel& kernel, const Answer& answer) const override {
    std::vector<uint64_t> totals = Specification::RunningTotals(kernel, answer);
    totals[0] = totals[1] - totals[0];
    return totals;
  }
};
struct ChecksTheWholeOnly : Fault {
  std::vector<uint64_t> RunningTotals(const Kernel&, const Answer& answer) const override { return {0, *answer.used}; }
};
struct ChecksTheStackAsOne : Fault {
  void AddStackTotals(const Kernel&, size_t, size_t, uint64_t, std::vector<uint64_t>&) const override {}
};
struct LimitBeforeCapacity : Fault {
  void Check(const Kernel& kernel, Answer& answer) const override {
    for (const uint64_t total : RunningTotals(kernel, answer)) {
      if (*answer.limit >= 0 && total <= static_cast<uint64_t>(*answer.limit)) continue;
      answer.status = Status::kOverLimit;
      answer.printed_size = ExactlyBytes(total);
      answer.printed_limit = ExactlyBytes(static_cast<uint64_t>(std::max<int64_t>(*answer.limit, 0)));
      return;
    }
    Specification::Check(kernel, answer);
  }
};
struct CapacityIsTwice : Fault {
  bool IsOverCapacity(const Kernel& kernel, const Answer& answer) const override {
    return *answer.used > 2 * RowOf(kernel.target).usable;
  }
};
struct OneCoreTakesAll : Fault {
  bool IsSplit(const Kernel&, uint32_t) const override { return false; }
};

// ---- What each oracle must see by itself ----

struct DiesOfNoGrid : Fault {
  void Amend(const Kernel& kernel, Answer& answer) const override {
    if (!kernel.grid.empty()) return;
    answer = {};
    answer.status = Status::kDied;
  }
};
struct SpeaksToo : Fault {
  void Amend(const Kernel& kernel, Answer& answer) const override {
    if (answer.status == Status::kAccepted && !kernel.scoped.empty()) answer.message = "Scoped allocation with size 1B";
  }
};
struct DeclinesElements : Fault {
  void Amend(const Kernel& kernel, Answer& answer) const override {
    if ((FeaturesOf(kernel) & feature::Bit(feature::kElements)) == 0) return;
    answer = {};
    answer.status = Status::kDeclined;
    answer.why = "pl.Element is not known";
  }
};
struct ForgetsTheDefault : Fault {
  void Amend(const Kernel& kernel, Answer& answer) const override {
    if (!kernel.limit_bytes && !kernel.option_kib) answer.limit.reset();
  }
};
// Confined to what takes nothing, so that the sum is right.
struct LeavesOutTheFree : Fault {
  void Amend(const Kernel&, Answer& answer) const override {
    std::erase_if(answer.parts, [](const PartBytes& part) { return part.bytes == 0; });
  }
};
struct LosesWideColumns : Fault {
  uint64_t PaddedElements(const std::vector<uint64_t>& shape, uint64_t packing) const override {
    std::vector<uint64_t> narrow = shape;
    if (!narrow.empty()) narrow.back() = std::min<uint64_t>(narrow.back(), 512);
    return Specification::PaddedElements(narrow, packing);
  }
};
struct HalfLanes : Fault {
  uint64_t PaddedElements(const std::vector<uint64_t>& shape, uint64_t packing) const override {
    const uint64_t padded = Specification::PaddedElements(shape, packing);
    return shape.size() >= 2 && shape.back() <= 64 && shape.back() > 0 && padded != kMaxBytes ? padded / 2 : padded;
  }
};
struct ForgetsTheStack : Fault {
  void Amend(const Kernel&, Answer& answer) const override {
    if (!answer.parts.empty() && answer.parts.back().part == Part::kStack) answer.parts.pop_back();
  }
};
struct OneByteMore : Fault {
  void Amend(const Kernel&, Answer& answer) const override {
    if (answer.status != Status::kOverLimit || *answer.limit < 0) return;
    if (*answer.used > SaturatingAdd(static_cast<uint64_t>(*answer.limit), 1)) return;
    answer.status = Status::kAccepted;
    answer.printed_size.reset();
    answer.printed_limit.reset();
    answer.message.clear();
  }
};
struct BlamesCapacity : Fault {
  void Amend(const Kernel&, Answer& answer) const override {
    if (answer.status == Status::kOverLimit) answer.status = Status::kOverCapacity;
  }
};
struct PrintsMore : Fault {
  void Check(const Kernel& kernel, Answer& answer) const override {
    Specification::Check(kernel, answer);
    if (answer.status != Status::kOverLimit || *answer.limit < 0) return;
    answer.printed_size = ExactlyBytes(SaturatingAdd(*answer.used, *answer.used / 2));
  }
};
struct PrintsLessWhenNear : Fault {
  void Check(const Kernel& kernel, Answer& answer) const override {
    Specification::Check(kernel, answer);
    if (answer.status != Status::kOverLimit || *answer.limit < 0) return;
    const uint64_t limit = static_cast<uint64_t>(*answer.limit);
    answer.printed_size = ExactlyBytes(limit < *answer.used / 3 ? *answer.used : limit + 1);
  }
};
struct SaysAnotherUnit : Fault {
  void Amend(const Kernel&, Answer& answer) const override {
    for (size_t at = 0; (at = answer.message.find('M', at)) != std::string::npos; ++at) answer.message[at] = 'G';
  }
};

// ---- What only two runs betray ----

struct AnswersInTurn : Fault {
  void Amend(const Kernel&, Answer& answer) const override {
    static std::atomic<uint64_t> runs = 0;
    if (++runs % 2 == 0) answer.why = "again";
  }
};
struct FirstComesFirst : Fault {
  uint64_t Levels(const Kernel& kernel, const Operand& operand) const override {
    return IsFirst(kernel, operand) && MayHaveTwo(kernel, operand) ? 2 : Specification::Levels(kernel, operand);
  }
};
struct OuterLoopsVary : Fault {
  uint64_t StepsOf(const Kernel& kernel, uint32_t axis) const override {
    const bool outer = axis == 0 && kernel.grid.size() > 1 && kernel.grid[0].size == 1 && kernel.grid[1].size > 1;
    return outer ? 2 : Specification::StepsOf(kernel, axis);
  }
};
struct IntegersAreWider : Fault {
  uint64_t BitsOf(Type type) const override { return type == Type::kS16 || type == Type::kU8 ? 32 : Specification::BitsOf(type); }
};
struct DeepGridsVary : Fault {
  bool BlockVaries(const Kernel& kernel, const Operand& operand) const override {
    return (kernel.grid.size() > 2 && !operand.block.empty()) || Specification::BlockVaries(kernel, operand);
  }
};
struct TakesWhatThereIs : Fault {
  uint64_t StackBytes(const Kernel& kernel) const override {
    return SaturatingAdd(Specification::StackBytes(kernel), Limit(kernel) % 3 == 1 ? 1024 : 0);
  }
};
struct JustBelowIsMore : Fault {
  uint64_t PaddedElements(const std::vector<uint64_t>& shape, uint64_t packing) const override {
    std::vector<uint64_t> longer = shape;
    if (!longer.empty() && longer.back() % 128 == 127) longer.back() += 2;
    return Specification::PaddedElements(longer, packing);
  }
};
struct EvenCountsAreMore : Fault {
  uint64_t StackBytes(const Kernel& kernel) const override {
    const uint64_t odd = (kernel.scoped.size() + kernel.scratch.size()) % 2;
    return SaturatingAdd(Specification::StackBytes(kernel), odd == 0 ? 1024 : 0);
  }
};
struct ManyDimensionsAreMore : Fault {
  uint64_t PaddedElements(const std::vector<uint64_t>& shape, uint64_t packing) const override {
    const uint64_t padded = Specification::PaddedElements(shape, packing);
    return shape.size() < 5 ? padded : SaturatingMul(padded, 3);
  }
};

// ---- The table ----

class FaultySubject final : public Subject {
 public:
  FaultySubject(std::string_view name, std::unique_ptr<const Fault> fault) : fault_(std::move(fault)) {
    info_.family = &VmemFamily();
    info_.name = absl::StrCat("fault:", std::string(name));
    info_.version = "built in";
    info_.promises = promise::kAll;
  }
  const SubjectInfo& info() const override { return info_; }
  void Run(const Case& c, Outcome& outcome) override {
    const Kernel& kernel = static_cast<const CaseOf<Kernel>&>(c).value;
    Answer& answer = static_cast<OutcomeOf<Answer>&>(outcome).value;
    fault_->Run(kernel, answer);
    if (answer.status != Status::kDeclined) fault_->Amend(kernel, answer);
  }

 private:
  const std::unique_ptr<const Fault> fault_;
  SubjectInfo info_;
};

template <typename F>
FaultRow Row(std::string_view name, std::string_view what, std::string_view oracle) {
  return {&VmemFamily(), name, what, oracle, [=] { return std::make_unique<FaultySubject>(name, std::make_unique<F>()); }};
}
template <typename F>
FaultRow Off(std::string_view name, std::string_view what) {
  return Row<F>(name, what, kEqualsReference);
}

std::vector<FaultRow> Rows() {
  return {
      Off<PadsNoLanes>("pads_no_lanes", "the minor dimension is not padded to 128"),
      Off<PadsNoRows>("pads_no_rows", "the second minor dimension is not padded"),
      Off<TilesOfEightRows>("tiles_of_eight_rows", "few rows take a whole tile of 8"),
      Off<TilesNeverGrow>("tiles_never_grow", "a tile has the rows of 32 bits, however many there are"),
      Off<PackedTilesAreHigher>("packed_tiles_are_higher", "tiles of 16, 8 and 4 bits have 16, 32 and 64 rows, as in HBM"),
      Off<OneDimensionByLanes>("one_dimension_by_lanes", "one dimension is padded to 128, whatever the type"),
      Off<PredIsAByte>("pred_is_a_byte", "a pred has 8 bits in VMEM"),
      Off<FourBitScratchIsPacked>("four_bit_scratch_is_packed", "scratch of 4 bits takes 4 bits an element"),
      Off<ScopedRowsArePadded>("scoped_rows_are_padded", "narrow scoped buffers of 32 bits are padded as others"),
      Row<WindowsAreNotRounded>("windows_are_not_rounded", "windows are not rounded to 1,024", "bytes_are_granules"),
      Off<ScratchByWindows>("scratch_by_windows", "scratch is rounded to 1,024, as windows are"),
      Off<ScopedIsNotRounded>("scoped_is_not_rounded", "scoped buffers are not rounded to 1,024"),
      Off<NeverTwoBuffers>("never_two_buffers", "no window has two buffers"),
      Off<AlwaysTwoBuffers>("always_two_buffers", "every window in a grid has two buffers"),
      Off<OneStepVaries>("one_step_varies", "a grid dimension of one step counts as one that varies"),
      Off<FoldsNothing>("folds_nothing", "i*0 and i%1 are taken to vary"),
      Off<FoldsTooMuch>("folds_too_much", "min(i,0) and i//8 of 4 steps are taken to be constant"),
      Row<OneBufferIsNotHeard>("one_buffer_is_not_heard", "pl.Buffered(1) has no effect", "levels_have_a_reason"),
      Off<TwoBuffersOfAConstant>("two_buffers_of_a_constant", "pl.Buffered(2) of a block that never changes has two buffers"),
      Off<ArraysInVmemAreFetched>("arrays_in_vmem_are_fetched", "an array that is in VMEM already has a window"),
      Row<OtherMemoriesTakeWindows>("other_memories_take_windows", "operands in other memories have windows", "other_memories_take_nothing"),
      Off<SiblingsAdd>("siblings_add", "scoped buffers that follow one another add up"),
      Off<NestsInTheSameBytes>("nests_in_the_same_bytes", "a scoped buffer inside another shares its bytes"),
      Off<ForgetsInternal>("forgets_internal", "what the compiler is said to add is not counted"),
      Row<OptionWins>("option_wins", "the option wins over the limit of the kernel", "limit_is_what_is_asked"),
      Off<LowerLimitWins>("lower_limit_wins", "the lower of option and limit wins"),
      Off<NeverClamps>("never_clamps", "a limit above VMEM is taken as it is"),
      Off<OneDefaultForAll>("one_default_for_all", "the default limit is 64 MiB"),
      Off<MinusOneIsALimit>("minus_one_is_a_limit", "an option of -1 is a limit"),
      Off<WindowsFirst>("windows_first", "windows are checked before scratch"),
      Off<ChecksTheWholeOnly>("checks_the_whole_only", "only the whole is checked, so that is what is printed"),
      Off<ChecksTheStackAsOne>("checks_the_stack_as_one", "scoped buffers are held against the limit together only"),
      Off<LimitBeforeCapacity>("limit_before_capacity", "the limit is checked before capacity"),
      Off<CapacityIsTwice>("capacity_is_twice_vmem", "twice VMEM is taken to be there"),
      Off<OneCoreTakesAll>("one_core_takes_all", "no grid is split over two cores"),
      Row<DiesOfNoGrid>("dies_of_no_grid", "crashes where there is no grid", "ends"),
      Row<SpeaksToo>("speaks_too", "prints a refusal of what it accepts", "answer_is_readable"),
      Row<DeclinesElements>("declines_elements", "does not know pl.Element", "takes_what_it_promised"),
      Row<ForgetsTheDefault>("forgets_the_default", "tells no limit where none is given", "sizes_are_told"),
      Row<LeavesOutTheFree>("leaves_out_the_free", "what takes nothing is not told", "parts_are_the_kernels"),
      Row<LosesWideColumns>("loses_wide_columns", "columns above 512 do not count", "a_part_holds_its_block"),
      Row<HalfLanes>("half_lanes", "up to 64 columns take half a row", "a_part_is_whole_rows"),
      Row<ForgetsTheStack>("forgets_the_stack", "what is on the stack is used and not told", "used_is_the_sum"),
      Row<OneByteMore>("one_byte_over_the_limit", "a byte above the limit is accepted", "limit_decides"),
      Row<BlamesCapacity>("blames_capacity", "what is over its limit is told to be over capacity", "capacity_is_the_reason"),
      Row<PrintsMore>("prints_more", "half as much again is printed", "prints_what_is_over"),
      Off<PrintsLessWhenNear>("prints_less_when_near", "near the need a limit is told to be exceeded by one byte"),
      Row<SaysAnotherUnit>("says_another_unit", "M is printed as G", "text_reads_back"),
      Row<AnswersInTurn>("answers_in_turn", "every other answer is another one", "the_same_twice"),
      Row<FirstComesFirst>("first_comes_first", "the first input always has two buffers", "operands_have_no_order"),
      Row<OuterLoopsVary>("outer_loops_vary", "the first grid dimension varies, even of one step", "grid_dimensions_have_no_order"),
      Row<IntegersAreWider>("integers_are_wider", "s16 and u8 take 32 bits", "a_type_is_its_bits"),
      Row<DeepGridsVary>("deep_grids_vary", "in a grid of three dimensions every block varies", "one_step_is_none"),
      Row<TakesWhatThereIs>("takes_what_there_is", "needs more under some limits", "a_higher_limit_is_no_worse"),
      Row<JustBelowIsMore>("just_below_is_more", "127 columns take more than 128", "a_smaller_buffer_is_no_worse"),
      Row<EvenCountsAreMore>("even_counts_are_more", "an even number of buffers takes more", "fewer_buffers_are_no_worse"),
      Row<ManyDimensionsAreMore>("many_dimensions_are_more", "five dimensions are padded threefold", "twice_the_tiles_take_twice"),
  };
}

}  // namespace
}  // namespace vmem

std::span<const FaultRow> VmemFaults() {
  static const std::vector<FaultRow> rows = vmem::Rows();
  return rows;
}

}  // namespace oomph
