// The planted faults of the family sparsecore: the specification with one of its steps replaced. First each rule switched off, which
// only another answer betrays; then what each oracle and relation must see by itself.
// Not for: faults in the fast model, which the comparison catches.
#include "fuzz/faults/sparsecore.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "models/base/units.h"
#include "models/sparsecore/family.h"
#include "models/sparsecore/memory.h"
#include "models/sparsecore/promises.h"
#include "models/sparsecore/specification.h"

namespace oomph {
namespace sparsecore {
namespace {

class Fault : public Specification {
 public:
  // The first step: what it takes the program to be.
  virtual Program Asked(const Program& program) const { return program; }
  // The last step: what it tells.
  virtual void Amend(const Program& program, Answer& answer) const { (void)program, (void)answer; }
  // Of a compiler that tells less.
  virtual Bits64 promises() const { return promise::kAll; }
};

size_t IndexOf(Space space) { return static_cast<size_t>(space); }

// ---- Each rule switched off: words ----

struct PadsNothing : Fault {
  uint64_t PaddedElements(const Program&, const Buffer& buffer, bool) const override {
    uint64_t elements = 1;
    for (const uint64_t n : buffer.shape) elements = SaturatingMul(elements, n);
    return elements;
  }
};
struct PadsNoRows : Fault {
  uint64_t Sublanes(uint64_t, uint64_t) const override { return 1; }
};
struct TilesNeverGrow : Fault {
  uint64_t Sublanes(uint64_t, uint64_t packing) const override { return packing; }
};
struct TilesOfEightRows : Fault {
  uint64_t Sublanes(uint64_t, uint64_t packing) const override { return std::max<uint64_t>(8, packing); }
};
struct PackedTilesAreHigher : Fault {
  uint64_t Sublanes(uint64_t rows, uint64_t packing) const override {
    uint64_t sublanes = packing;
    while (sublanes < std::min<uint64_t>(rows, 8 * packing)) sublanes *= 2;
    return sublanes;
  }
};
struct NothingIsPacked : Fault {
  uint64_t BitsOf(Type type) const override { return std::max<uint64_t>(Specification::BitsOf(type), 32); }
  uint64_t Packing(Type) const override { return 1; }
};
struct ATruthValueIsAByte : Fault {
  uint64_t BitsOf(Type type) const override { return type == Type::kPred ? 8 : Specification::BitsOf(type); }
};
struct ScopedRowsArePaddedToo : Fault {
  bool KeepsRows(const Buffer&, bool) const override { return false; }
};
struct ScratchKeepsRows : Fault {
  bool KeepsRows(const Buffer& buffer, bool) const override { return Specification::KeepsRows(buffer, false); }
};
struct LinearIsNotPadded : Fault {
  uint64_t LinearGranule(uint64_t) const override { return 1; }
};
struct LinearByLanes : Fault {
  uint64_t LinearGranule(uint64_t packing) const override { return 128 * packing; }
};
struct LinearByElements : Fault {
  uint64_t LinearGranule(uint64_t) const override { return 8; }
};
struct HbmByFourBytes : Fault {
  uint64_t WordsOf(const Program& program, const Buffer& buffer, bool scratch) const override {
    const uint64_t words = Specification::WordsOf(program, buffer, scratch);
    return buffer.space == Space::kHbm ? SaturatingMul(words, 8) : words;
  }
};

// ---- Canonical form ----

struct UnusedIsKept : Fault {
  bool IsUsed(const Tree&, uint32_t) const override { return true; }
};
struct LoadsAreUses : Fault {
  Program Asked(const Program& program) const override {
    Program asked = program;
    for (Statement& statement : asked.statements) {
      if (statement.kind == Kind::kLoad) statement.kind = Kind::kUse;
    }
    return asked;
  }
};
struct NoTripIsALoop : Fault {
  bool Vanishes(const Node&) const override { return false; }
};
struct OneTripIsALoop : Fault {
  bool Folds(const Node&) const override { return false; }
};
struct EmptyBlocksStay : Fault {
  bool IsEmpty(const Tree&, const Node&) const override { return false; }
};
struct ALoopIsNoFrame : Fault {
  bool IsFrame(Kind kind) const override { return kind != Kind::kFor && Specification::IsFrame(kind); }
};
struct ABranchIsAFrame : Fault {
  bool IsFrame(Kind kind) const override { return kind == Kind::kIf || Specification::IsFrame(kind); }
};
struct AWhileIsAFrame : Fault {
  bool IsFrame(Kind kind) const override { return kind == Kind::kWhile || Specification::IsFrame(kind); }
};
struct TheBodyIsBare : Fault {
  bool BodyIsInIf(const Program&) const override { return false; }
};
struct HoistsNothing : Fault {
  bool MayHoist(const Tree&, uint32_t) const override { return false; }
};
struct HoistsInOrder : Fault {
  std::vector<uint32_t> HoistingOrder(const Tree& tree) const override {
    std::vector<uint32_t> order = Specification::HoistingOrder(tree);
    std::reverse(order.begin(), order.end());
    return order;
  }
};
struct HoistsOnlyItsOwn : Fault {
  bool MovesNested(const Node&) const override { return false; }
};
// What a copy allocates is taken out before anything is hoisted.
struct CopiesTakeNothing : Fault {
  void Hoist(Tree& tree) const override {
    const auto is_semaphore = [&](uint32_t node) { return tree.nodes[node].of_copy && tree.nodes[node].kind == Kind::kAllocate; };
    for (Node& node : tree.nodes) {
      for (std::vector<uint32_t>& region : node.regions) std::erase_if(region, is_semaphore);
    }
    Specification::Hoist(tree);
  }
};

// ---- Planning ----

struct ScratchOfOneTile : Fault {
  uint64_t ScratchWords(Space space, uint64_t words) const override {
    return space == Space::kTileSpmem ? Specification::ScratchWords(Space::kSpmem, words) : Specification::ScratchWords(space, words);
  }
};
struct ScratchIsNotRounded : Fault {
  uint64_t Granule(Space) const override { return 1; }
};
struct FramesFirst : Fault {
  bool DirectFirst() const override { return false; }
};
struct SpmemIsEverywhere : Fault {
  bool IsHere(const Program&, Space) const override { return true; }
};
struct TilesBeginAtNothing : Fault {
  uint64_t TileBase(uint64_t) const override { return 0; }
};
struct TilesBeginHigher : Fault {
  uint64_t TileBase(uint64_t spmem_top) const override { return spmem_top / 8; }
};
struct MemoriesBeginAtZero : Fault {
  uint64_t FirstWord(const Program& program, Space space) const override {
    const uint64_t first = Specification::FirstWord(program, space);
    return program.limits.empty() ? 0 : first;
  }
};
struct TheLastWordIsTaken : Fault {
  bool Exceeds(uint64_t bound, uint64_t limit) const override { return bound >= limit; }
};
struct OneWordMore : Fault {
  bool Exceeds(uint64_t bound, uint64_t limit) const override { return bound > SaturatingAdd(limit, 1); }
};
struct OneLimitForAll : Fault {
  uint64_t LastWord(const Program& program, Space space) const override {
    return program.limits.empty() ? sparsecore::LimitOf(Target::kV6e, space).last_word : Specification::LastWord(program, space);
  }
};
struct AlignsToEight : Fault {
  uint64_t Align(Space space, uint64_t base) const override { return space == Space::kHbm ? base : RoundDown(SaturatingAdd(base, 7), 8); }
};
struct AddsNothing : Fault {
  uint64_t ImplicitWords(const Program&, Space) const override { return 0; }
};
struct ChecksBoundsOnly : Fault {
  std::optional<uint64_t> HighWaterLimit(const Program&, Space) const override { return std::nullopt; }
};

// ---- What each oracle must see by itself ----

struct DiesOfDepth : Fault {
  void Amend(const Program& program, Answer& answer) const override {
    int depth = 0, deepest = 0;
    for (const Statement& statement : program.statements) {
      if (Opens(statement.kind)) deepest = std::max(deepest, ++depth);
      if (statement.kind == Kind::kEnd) --depth;
    }
    if (deepest < 3) return;
    answer = {};
    answer.status = Status::kDied;
  }
};
struct RefusesToo : Fault {
  void Amend(const Program& program, Answer& answer) const override {
    if (answer.status == Status::kPlanned && program.core == Core::kScalar) answer.message = "E3000: CompileTimeSparseCoreAllocationFailure";
  }
};
struct DeclinesWhiles : Fault {
  void Amend(const Program& program, Answer& answer) const override {
    if ((FeaturesOf(program) & feature::Bit(feature::kWhile)) == 0) return;
    answer = {};
    answer.status = Status::kDeclined;
    answer.why = "scf.while is not known";
  }
};
struct SaysOnlyNo : Fault {
  void Amend(const Program&, Answer& answer) const override {
    if (answer.status == Status::kOverBound && answer.overrun && answer.overrun->space == Space::kSpmem) answer.overrun.reset();
  }
};
struct CountsNoSmem : Fault {
  void Amend(const Program&, Answer& answer) const override { answer.high_water[IndexOf(Space::kSmemTile)].reset(); }
};
struct PutsTheSecondOnTheFirst : Fault {
  void Amend(const Program& program, Answer& answer) const override {
    for (size_t i = 1; i < answer.placed.size(); ++i) {
      Placed &placed = answer.placed[i], &before = answer.placed[i - 1];
      const bool both = placed.space == Space::kSpmem && before.space == Space::kSpmem && placed.words <= before.words;
      if (both && placed.buffer < program.buffers.size()) placed.base = before.base;
    }
  }
};
struct UsesWhatIsReserved : Fault {
  void Amend(const Program& program, Answer& answer) const override {
    for (Placed& placed : answer.placed) {
      const bool first = placed.space == Space::kSmemScs && placed.base > 0 && placed.base == FirstWordOf(program, placed.space);
      if (first) --placed.base;
    }
  }
};
struct HalvesTheRoom : Fault {
  void Amend(const Program&, Answer& answer) const override {
    for (Placed& placed : answer.placed) {
      if (placed.space == Space::kTileSpmem) placed.words = CeilDiv(placed.words, 64);
    }
  }
};
struct ForgetsTheLast : Fault {
  void Amend(const Program&, Answer& answer) const override {
    if (answer.status == Status::kPlanned && answer.placed.size() > 2) answer.placed.pop_back();
  }
};
struct TellsOneWordLess : Fault {
  uint64_t LastWord(const Program& program, Space space) const override {
    const uint64_t last = Specification::LastWord(program, space);
    return space == Space::kTileSpmem ? SaturatingSub(last, 1) : last;
  }
};
struct CountsOneLess : Fault {
  void Amend(const Program&, Answer& answer) const override {
    std::optional<uint64_t>& high = answer.high_water[IndexOf(Space::kHbm)];
    if (answer.status == Status::kPlanned && high && *high > 0) --*high;
  }
};
struct SizesWrap : Fault {
  Bits64 promises() const override { return promise::kTotal | promise::kDeterminism; }
  void Amend(const Program& program, Answer& answer) const override {
    if ((FeaturesOf(program) & feature::Bit(feature::kLarge)) == 0) return;
    answer = {};
    answer.status = Status::kPlanned;
  }
};
struct LeavesGaps : Fault {
  uint64_t Align(Space space, uint64_t base) const override {
    return space == Space::kSmemTile ? SaturatingAdd(base, 1 << 16) : Specification::Align(space, base);
  }
};
struct SaysAnotherUnit : Fault {
  void Amend(const Program&, Answer& answer) const override {
    for (size_t at = 0; (at = answer.message.find("words", at)) != std::string::npos; ++at) answer.message.replace(at, 5, "bytes");
  }
};

// ---- What only two runs betray ----

struct AnswersInTurns : Fault {
  void Amend(const Program&, Answer& answer) const override {
    static std::atomic<uint64_t> runs = 0;
    if (++runs % 2 == 0) answer.why = "again";
  }
};
struct SomeIntegersAreWider : Fault {
  uint64_t WordsOf(const Program& program, const Buffer& buffer, bool scratch) const override {
    const uint64_t words = Specification::WordsOf(program, buffer, scratch);
    return buffer.type == Type::kS16 || buffer.type == Type::kU32 ? SaturatingMul(words, 2) : words;
  }
};
struct WorkTakesWords : Fault {
  void Amend(const Program& program, Answer& answer) const override {
    std::optional<uint64_t>& high = answer.high_water[IndexOf(Space::kTileSpmem)];
    if (answer.status != Status::kPlanned || !high || *high > 1000) return;
    for (const Statement& statement : program.statements) *high += statement.kind == Kind::kWork;
  }
};
struct SiblingScopesAdd : Fault {
  uint64_t AfterFrame(uint64_t, uint64_t top_inside) const override { return top_inside; }
};
struct ThreeTripsAreOne : Fault {
  bool Folds(const Node& loop) const override { return loop.trips == 3 || Specification::Folds(loop); }
};
struct ScratchTakesTwice : Fault {
  uint64_t ScratchWords(Space space, uint64_t words) const override {
    const uint64_t taken = Specification::ScratchWords(space, words);
    return space == Space::kTileSpmem ? SaturatingMul(taken, 2) : taken;
  }
};
struct OneLessIsMore : Fault {
  uint64_t PaddedElements(const Program& program, const Buffer& buffer, bool scratch) const override {
    const uint64_t padded = Specification::PaddedElements(program, buffer, scratch);
    return !buffer.shape.empty() && buffer.shape.back() % 128 == 127 ? SaturatingAdd(padded, 1024) : padded;
  }
};
struct BeginsWhereItLikes : Fault {
  uint64_t FirstWord(const Program& program, Space space) const override {
    const uint64_t first = Specification::FirstWord(program, space);
    return !program.limits.empty() && LastWord(program, space) % 3 == 1 ? SaturatingAdd(first, 128) : first;
  }
};

// ---- The table ----

class FaultySubject final : public Subject {
 public:
  FaultySubject(std::string_view name, std::unique_ptr<const Fault> fault) : fault_(std::move(fault)) {
    info_.family = &SparseCoreFamily();
    info_.name = absl::StrCat("fault:", std::string(name));
    info_.version = "built in";
    info_.promises = fault_->promises();
  }
  const SubjectInfo& info() const override { return info_; }
  void Run(const Case& c, Outcome& outcome) override {
    const Program& program = static_cast<const CaseOf<Program>&>(c).value;
    Answer& answer = static_cast<OutcomeOf<Answer>&>(outcome).value;
    fault_->Run(fault_->Asked(program), answer);
    fault_->Amend(program, answer);
  }

 private:
  const std::unique_ptr<const Fault> fault_;
  SubjectInfo info_;
};

template <typename F>
FaultRow Row(std::string_view name, std::string_view what, std::string_view oracle) {
  return {&SparseCoreFamily(), name, what, oracle, [=] { return std::make_unique<FaultySubject>(name, std::make_unique<F>()); }};
}
template <typename F>
FaultRow Off(std::string_view name, std::string_view what) {
  return Row<F>(name, what, kEqualsReference);
}

std::vector<FaultRow> Rows() {
  return {
      Off<PadsNothing>("pads_nothing", "shapes take what their elements take"),
      Off<PadsNoRows>("pads_no_rows_of_sc", "the second minor dimension is not padded"),
      Off<TilesNeverGrow>("sc_tiles_never_grow", "a tile has the rows of one word, however many there are"),
      Off<TilesOfEightRows>("sc_tiles_of_eight_rows", "few rows take a whole tile of 8"),
      Off<PackedTilesAreHigher>("packed_sc_tiles_are_higher", "tiles of 16 and 8 bits have 16 and 32 rows, as in HBM"),
      Off<NothingIsPacked>("nothing_is_packed", "every element takes a word"),
      Off<ATruthValueIsAByte>("a_truth_value_is_a_byte", "a pred has 8 bits"),
      Off<ScopedRowsArePaddedToo>("scoped_rows_are_padded_too", "what is allocated in the kernel is padded as scratch is"),
      Off<ScratchKeepsRows>("scratch_keeps_rows", "kernel-level scratch keeps its rows as others do"),
      Off<LinearIsNotPadded>("linear_is_not_padded", "without TensorCore tiles nothing is padded"),
      Off<LinearByLanes>("linear_by_lanes", "without TensorCore tiles the last dimension is padded to 128 words"),
      Off<LinearByElements>("linear_by_elements", "without TensorCore tiles the last dimension is padded to 8 elements, not words"),
      Off<HbmByFourBytes>("hbm_by_four_bytes", "a word of HBM has 4 bytes"),
      Off<UnusedIsKept>("unused_is_kept", "buffers that nothing writes are planned"),
      Off<LoadsAreUses>("loads_are_uses", "buffers that are only read are planned"),
      Off<NoTripIsALoop>("no_trip_is_a_loop", "a loop of no trips is a loop"),
      Off<OneTripIsALoop>("one_trip_is_a_loop", "a loop of one trip is a loop"),
      Off<EmptyBlocksStay>("empty_blocks_stay", "branches and loops with nothing in them stay"),
      Off<ALoopIsNoFrame>("a_loop_is_no_frame", "what a loop allocates belongs to what it stands in"),
      Off<ABranchIsAFrame>("a_branch_is_a_frame", "branches give back what they take"),
      Off<AWhileIsAFrame>("a_while_is_a_frame", "a while gives back what it takes"),
      Off<HoistsNothing>("hoists_nothing", "no scope gives its allocations to the frame"),
      Off<HoistsInOrder>("hoists_in_order", "scopes are hoisted in the order of the text"),
      Off<HoistsOnlyItsOwn>("hoists_only_its_own", "what is in frames of a hoisted scope stays there"),
      Off<TheBodyIsBare>("the_body_is_bare", "the kernel stands in no branch of the tiles' loop"),
      Off<CopiesTakeNothing>("copies_take_nothing", "a copy has no semaphore"),
      Off<ScratchOfOneTile>("scratch_of_one_tile", "kernel-level scratch takes the words of one tile"),
      Off<ScratchIsNotRounded>("scratch_is_not_rounded", "in spmem nothing is rounded to 128 words"),
      Off<FramesFirst>("frames_first", "a frame plans the frames in it before its own"),
      Off<SpmemIsEverywhere>("spmem_is_everywhere", "a vector subcore's kernel may allocate in spmem"),
      Off<TilesBeginAtNothing>("tiles_begin_at_nothing", "tiles begin at 0, whatever spmem takes"),
      Off<TilesBeginHigher>("tiles_begin_higher", "tiles begin at an eighth of spmem"),
      Off<MemoriesBeginAtZero>("memories_begin_at_zero", "no memory has reserved words"),
      Row<TheLastWordIsTaken>("the_last_word_is_taken", "what ends at the last word does not fit", "overrun_is_over"),
      Off<OneWordMore>("one_word_more", "what ends behind the last word fits"),
      Off<OneLimitForAll>("one_limit_for_all", "every chip has the memories of v6e"),
      Off<AlignsToEight>("aligns_to_eight", "buffers begin at multiples of 8 words"),
      Off<AddsNothing>("adds_nothing", "the compiler adds nothing of its own"),
      Off<ChecksBoundsOnly>("checks_bounds_only", "what passes E3000 compiles"),
      Row<DiesOfDepth>("dies_of_depth", "crashes where blocks nest", "ends"),
      Row<RefusesToo>("refuses_too", "prints a refusal of what it plans", "answer_is_readable"),
      Row<DeclinesWhiles>("declines_whiles", "does not know scf.while", "takes_what_it_promised"),
      Row<SaysOnlyNo>("says_only_no", "does not tell which allocation of spmem does not fit", "overrun_is_told"),
      Row<CountsNoSmem>("counts_no_smem", "tells no high-water mark of smem", "high_water_is_told"),
      Row<PutsTheSecondOnTheFirst>("puts_the_second_on_the_first", "scratch lies on other scratch", "live_buffers_are_apart"),
      Row<UsesWhatIsReserved>("uses_what_is_reserved", "begins a word too low", "places_are_in_their_memory"),
      Row<HalvesTheRoom>("halves_the_room", "buffers of a tile have a fraction of their room", "a_buffer_has_room"),
      Row<ForgetsTheLast>("forgets_the_last", "does not tell the last buffer", "written_buffers_are_placed"),
      Row<TellsOneWordLess>("tells_one_word_less", "the last word of a tile is taken to be the one before", "limit_is_the_memorys"),
      Row<CountsOneLess>("counts_one_less", "a high-water mark is the last word, not how many", "high_water_is_the_highest"),
      Row<SizesWrap>("sizes_wrap", "buffers of 2^58 words and more take nothing", "what_lives_fits"),
      Row<LeavesGaps>("leaves_gaps", "65,536 words lie before each buffer of smem", "a_refusal_has_a_reason"),
      Row<SaysAnotherUnit>("says_bytes", "words are printed as bytes", "text_reads_back"),
      Row<AnswersInTurns>("answers_in_turns", "every other answer is another one", "the_same_twice"),
      Row<SomeIntegersAreWider>("some_integers_are_wider", "s16 and u32 take twice their words", "a_type_is_its_bits"),
      Row<WorkTakesWords>("work_takes_words", "every operation takes a word of a tile", "work_takes_nothing"),
      Row<SiblingScopesAdd>("sibling_scopes_add", "what a scope took stays taken behind it", "a_scope_leaves_nothing"),
      Row<ThreeTripsAreOne>("three_trips_are_one", "a loop of three trips is folded", "trips_do_not_count"),
      Row<ScratchTakesTwice>("scratch_takes_twice", "kernel-level scratch of the tiles takes twice its words", "scratch_can_be_scoped"),
      Row<OneLessIsMore>("one_less_is_more", "127 columns take more than 128", "a_smaller_buffer_is_no_worse"),
      Row<BeginsWhereItLikes>("begins_where_it_likes", "the first word depends on the last", "a_higher_limit_is_no_worse"),
  };
}

}  // namespace
}  // namespace sparsecore

std::span<const FaultRow> SparseCoreFaults() {
  static const std::vector<FaultRow> rows = sparsecore::Rows();
  return rows;
}

}  // namespace oomph
