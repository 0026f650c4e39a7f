// The planted faults of the HLO family: the specification with one of its steps replaced.
// Not for: faults in the reader and in the live ranges, which the comparison of the model with it catches.
#include "fuzz/faults/hlo.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "models/hlo/family.h"
#include "models/hlo/liveness.h"
#include "models/hlo/oracles.h"
#include "models/hlo/promises.h"
#include "models/hlo/specification.h"
#include "models/hlo/text.h"

namespace oomph {
namespace hlo {
namespace {

// What the faults share: questions about the module, and other answers that are as well made.
class Fault : public Specification {
 public:
  using Specification::Specification;
  // The last step: what it tells.
  virtual void Amend(Answer& answer) const { (void)answer; }

 protected:
  template <typename Holds>
  bool Any(Holds holds) const {
    for (const Computation& computation : module_.computations) {
      if (std::any_of(computation.instructions.begin(), computation.instructions.end(), holds)) return true;
    }
    return false;
  }
  bool Has(Opcode opcode) const {
    return Any([&](const Instruction& instruction) { return instruction.opcode == opcode; });
  }
  const std::vector<Instruction>& Entry() const { return module_.computations[module_.entry].instructions; }
  // Some instruction but the root that nobody uses, in what no fusion and no reduction calls.
  bool HasDeadCode() const;
  // Another peak that no single answer betrays: a byte more in the first memory space, where there is room for it.
  void Inflate(Answer& answer) const {
    if (answer.peaks.empty() || *answer.total_peak >= BytesOfEverything(module_)) return;
    ++*answer.total_peak;
    ++answer.peaks[0].bytes;
  }
  static void Refuse(Answer& answer) {
    answer = {};
    answer.status = Status::kInvalid;
    answer.rule = Rule::kCustomCall;
    answer.why = "refused";
  }
};

bool Fault::HasDeadCode() const {
  for (size_t c = 0; c < module_.computations.size(); ++c) {
    const Computation& computation = module_.computations[c];
    std::vector<uint8_t> used(computation.instructions.size());
    used[computation.root] = 1;
    for (const Instruction& instruction : computation.instructions) {
      for (const uint32_t operand : module_.Operands(instruction)) used[operand] = 1;
    }
    for (size_t i = 0; i < used.size(); ++i) {
      if (used[i] == 0 && computation.instructions[i].opcode != Opcode::kParameter) return true;
    }
  }
  return false;
}

// Refuses in some cases what is valid.
class Picky : public Fault {
 public:
  using Fault::Fault;
  virtual bool Dislikes() const = 0;
  void Amend(Answer& answer) const override {
    if (answer.status == Status::kValid && Dislikes()) Refuse(answer);
  }
};
// Counts a byte more in some cases.
class Wasteful : public Fault {
 public:
  using Fault::Fault;
  virtual bool Wastes() const = 0;
  void Amend(Answer& answer) const override {
    if (answer.total_peak && Wastes()) Inflate(answer);
  }
};

// Spoils the plan of some modules: one thing in it that no other rule of plans speaks of.
class PlanFault : public Fault {
 public:
  using Fault::Fault;
  virtual void Spoil(Answer& answer, Plan& plan) const = 0;
  void Amend(Answer& answer) const override {
    if (!answer.plans.empty()) Spoil(answer, answer.plans[0]);
  }

 protected:
  static PlacedValue* Largest(Plan& plan) {
    PlacedValue* largest = nullptr;
    for (Allocation& allocation : plan.allocations) {
      for (PlacedValue& value : allocation.values) {
        if (largest == nullptr || value.bytes > largest->bytes) largest = &value;
      }
    }
    return largest;
  }
};

// ---- The answer ----

struct DiesOfLoops : Fault {
  using Fault::Fault;
  void Amend(Answer& answer) const override {
    if (!Has(Opcode::kWhile)) return;
    answer = {};
    answer.status = Status::kDied;
  }
};
struct HangsOnSorts : Fault {
  using Fault::Fault;
  void Amend(Answer& answer) const override {
    if (!Has(Opcode::kSort)) return;
    answer = {};
    answer.status = Status::kHung;
  }
};
struct MumblesOnConstants : Fault {
  using Fault::Fault;
  void Amend(Answer& answer) const override {
    if (!Has(Opcode::kConstant)) return;
    answer = {};
    answer.status = Status::kRubbish;
  }
};
struct DoubtsItsCalls : Fault {
  using Fault::Fault;
  void Amend(Answer& answer) const override {
    if (Has(Opcode::kCall) && answer.status == Status::kValid) answer.why = "broken: two values of a call overlap";
  }
};
struct CannotReadFusions : Fault {
  using Fault::Fault;
  void Amend(Answer& answer) const override {
    if (!Has(Opcode::kFusion)) return;
    answer = {};
    answer.status = Status::kUnread;
    answer.why = "1:1: expected an operation, found 'fusion'";
  }
};
struct RefusesInSilence : Fault {
  using Fault::Fault;
  void Amend(Answer& answer) const override {
    if (answer.status == Status::kInvalid) answer.why.clear();
  }
};

// ---- The text ----

struct PrintsABlankTooMany : Fault {
  using Fault::Fault;
  std::string Text() const override { return Print(module_) + " "; }
};
struct ForgetsABrace : Fault {
  using Fault::Fault;
  std::string Text() const override {
    std::string text = Print(module_);
    text.erase(text.find_last_of('}'));
    return text;
  }
};
// Confined to subjects that need not print the module itself.
struct PrintsTheRootsShapeForAll : Fault {
  using Fault::Fault;
  std::string Text() const override {
    Module other = module_;
    std::vector<Instruction>& entry = other.computations[other.entry].instructions;
    entry[0].shape = entry[other.computations[other.entry].root].shape;
    return Print(other);
  }
};
struct ForgetsTheSchedule : Fault {
  using Fault::Fault;
  std::string Text() const override {
    Module other = module_;
    std::vector<AttributeId> header;
    for (const AttributeId id : module_.Attributes(module_.attributes)) {
      if (module_.attribute_table[id].key != Key::kIsScheduled) header.push_back(id);
    }
    other.attributes = other.AddAttributes(header);
    return Print(other);
  }
};

// ---- Memory ----

struct DoesNotCountCalls : Fault {
  using Fault::Fault;
  void Count(Answer& answer) const override {
    if (!Has(Opcode::kCall)) Specification::Count(answer);
  }
};
struct ForgetsTheLargest : Fault {
  using Fault::Fault;
  void Amend(Answer& answer) const override {
    const uint64_t largest = BytesOfTheLargest(module_);
    if (answer.peaks.size() != 1 || largest == 0) return;
    answer.total_peak = answer.peaks[0].bytes = largest - 1;
  }
};
struct CountsWhatIsNotThere : Fault {
  using Fault::Fault;
  void Amend(Answer& answer) const override {
    const uint64_t everything = BytesOfEverything(module_);
    if (answer.peaks.size() == 1 && everything < UINT64_MAX) answer.total_peak = answer.peaks[0].bytes = everything + 1;
  }
};
struct AddsUpTheSpacesWrongly : Fault {
  using Fault::Fault;
  void Amend(Answer& answer) const override {
    if (answer.total_peak && *answer.total_peak < BytesOfEverything(module_)) ++*answer.total_peak;
  }
};
struct InventsAMemory : Fault {
  using Fault::Fault;
  void Amend(Answer& answer) const override {
    if (answer.total_peak && *answer.total_peak > 0) answer.peaks.push_back({77, 1});
  }
};
// Legal, and another convention: operands make room for results.
struct ReusesOperands : Fault {
  using Fault::Fault;
  void Count(Answer& answer) const override {
    LivenessOptions options = CountedOptions();
    options.in_place = InPlace::kWhereDying;
    const absl::StatusOr<Liveness> liveness = LivenessOf(module_, options);
    if (!liveness.ok()) return;
    answer.total_peak = liveness->total_peak;
    for (const Peak& peak : liveness->peaks) {
      if (peak.bytes > 0) answer.peaks.push_back({peak.space, peak.bytes});
    }
  }
};

// ---- What two answers must have in common ----

struct AnswersByTheHour : Wasteful {
  using Wasteful::Wasteful;
  bool Wastes() const override { return (calls_++ & 1) != 0; }
  static thread_local uint64_t calls_;
};
thread_local uint64_t AnswersByTheHour::calls_ = 0;

struct LooksAtTheNameOfTheEntry : Wasteful {
  using Wasteful::Wasteful;
  bool Wastes() const override { return module_.Name(module_.computations[module_.entry]) != "main"; }
};
struct WantsParametersInOrder : Picky {
  using Picky::Picky;
  bool Dislikes() const override {
    uint32_t next = 0;
    for (const Instruction& instruction : Entry()) {
      if (instruction.opcode == Opcode::kParameter && instruction.payload != next++) return true;
    }
    return false;
  }
};
struct RefusesDeadCode : Picky {
  using Picky::Picky;
  bool Dislikes() const override { return HasDeadCode(); }
};
struct WantsACall : Picky {
  using Picky::Picky;
  bool Dislikes() const override { return module_.computations.size() == 1; }
};
struct RefusesCalls : Picky {
  using Picky::Picky;
  bool Dislikes() const override { return Has(Opcode::kCall); }
};
struct RefusesBarriers : Picky {
  using Picky::Picky;
  bool Dislikes() const override { return Has(Opcode::kOptBarrier); }
};
struct WantsACopy : Picky {
  using Picky::Picky;
  bool Dislikes() const override { return !Has(Opcode::kCopy) && !Has(Opcode::kReshape); }
};
bool Commutes(Opcode opcode) {
  constexpr Opcode kCommuting[] = {Opcode::kAdd, Opcode::kMultiply, Opcode::kAnd,    Opcode::kOr,
                                   Opcode::kXor, Opcode::kMaximum,  Opcode::kMinimum};
  return std::find(std::begin(kCommuting), std::end(kCommuting), opcode) != std::end(kCommuting);
}
// A byte less, so that what makes it a byte more is what may raise the peak anyway; of two that have no operands
// themselves, which no other rewrite replaces.
struct LooksWhichOperandIsFirst : Fault {
  using Fault::Fault;
  void Amend(Answer& answer) const override {
    if (answer.peaks.size() != 1 || *answer.total_peak <= BytesOfTheLargest(module_)) return;
    const auto falls = [&](const Instruction& instruction) {
      const std::span<const uint32_t> operands = module_.Operands(instruction);
      if (!Commutes(instruction.opcode) || operands.size() != 2) return false;
      const auto is_source = [&](uint32_t operand) { return module_.Operands(Entry()[operand]).empty(); };
      return operands[0] > operands[1] && is_source(operands[0]) && is_source(operands[1]);
    };
    if (std::any_of(Entry().begin(), Entry().end(), falls)) --*answer.total_peak, --answer.peaks[0].bytes;
  }
};

// ---- The table ----

struct RefusesForMemory : Fault {
  using Fault::Fault;
  void Amend(Answer& answer) const override {
    if (answer.status != Status::kValid) return;
    answer = {};
    answer.status = Status::kDeclined;
    answer.chip = "v5e";
    answer.why = "E1000: CompileTimeHbmOom: Ran out of memory on HBM, the total memory required for HLO temporaries (16.00G) exceeds available HBM (15.75G). HLO module: m.";
  }
};

// ---- Plans ----

struct CutsTheModuleOff : PlanFault {
  using PlanFault::PlanFault;
  void Spoil(Answer& answer, Plan&) const override {
    if (Has(Opcode::kConstant)) answer.planned[0].resize(answer.planned[0].size() / 2);
  }
};
// Two parameters of one number would change who takes what; a number that leaves a gap does not, unless an alias names it.
struct LeavesAnInvalidModule : PlanFault {
  using PlanFault::PlanFault;
  void Spoil(Answer& answer, Plan&) const override {
    const std::string last = absl::StrCat("parameter(", ParametersOfEntry() - 1, ")");
    const size_t entry = answer.planned[0].find("\nENTRY"), at = answer.planned[0].find(last, entry);
    const bool named = answer.planned[0].find("_alias=") != std::string::npos;
    if (!named && entry != std::string::npos && at != std::string::npos) answer.planned[0].replace(at, last.size(), "parameter(777)");
  }

 private:
  size_t ParametersOfEntry() const {
    return static_cast<size_t>(std::count_if(Entry().begin(), Entry().end(), [](const Instruction& i) { return i.opcode == Opcode::kParameter; }));
  }
};
struct PlacesAGhost : PlanFault {
  using PlanFault::PlanFault;
  void Spoil(Answer&, Plan& plan) const override {
    if (!plan.allocations.empty() && Has(Opcode::kTuple)) plan.allocations[0].values.push_back({"ghost", {}, 0, 0, {}});
  }
};
struct AllocatesAByteLess : PlanFault {
  using PlanFault::PlanFault;
  void Spoil(Answer&, Plan& plan) const override {
    if (plan.allocations.empty() || plan.allocations[0].bytes == 0 || *plan.peak <= *plan.minimum) return;
    --plan.allocations[0].bytes;
    --*plan.peak;
  }
};
struct ForgetsToAlign : PlanFault {
  using PlanFault::PlanFault;
  void Spoil(Answer&, Plan& plan) const override {
    for (PlanMemory& memory : plan.memories) memory.alignment = 4096;
  }
};
struct LeavesAByteOut : PlanFault {
  using PlanFault::PlanFault;
  void Spoil(Answer&, Plan& plan) const override {
    if (PlacedValue* value = Largest(plan); value != nullptr && value->bytes > 0) --value->bytes;
  }
};
// Its ranges are not told, so only the module's own can show it.
struct PutsAllAtZero : PlanFault {
  using PlanFault::PlanFault;
  void Spoil(Answer&, Plan& plan) const override {
    for (Allocation& allocation : plan.allocations) {
      for (PlacedValue& value : allocation.values) value.offset = 0, value.live.reset();
    }
  }
};
struct TellsRangesThatMeet : PlanFault {
  using PlanFault::PlanFault;
  void Spoil(Answer&, Plan& plan) const override {
    const uint32_t end = static_cast<uint32_t>(plan.sequence.size()) + 1;
    for (Allocation& allocation : plan.allocations) {
      for (PlacedValue& value : allocation.values) value.live = StepRange{0, end};
    }
  }
};
struct ForgetsTheLastUse : PlanFault {
  using PlanFault::PlanFault;
  void Spoil(Answer&, Plan& plan) const override {
    for (Allocation& allocation : plan.allocations) {
      for (PlacedValue& value : allocation.values) {
        if (value.live->end <= plan.sequence.size() && value.live->end - value.live->begin > 1) --value.live->end;
      }
    }
  }
};
struct HasNoPlaceForConstants : PlanFault {
  using PlanFault::PlanFault;
  void Spoil(Answer&, Plan& plan) const override {
    for (Allocation& allocation : plan.allocations) {
      std::erase_if(allocation.values, [](const PlacedValue& value) { return value.name.starts_with("constant"); });
    }
  }
};
struct AddsAllocationsUpWrongly : PlanFault {
  using PlanFault::PlanFault;
  void Spoil(Answer&, Plan& plan) const override { ++*plan.peak; }
};
struct KnowsNoBound : PlanFault {
  using PlanFault::PlanFault;
  void Spoil(Answer&, Plan& plan) const override {
    if (*plan.minimum > 0) --*plan.minimum;
  }
};
struct AsksForMoreThanItNeeds : PlanFault {
  using PlanFault::PlanFault;
  void Spoil(Answer&, Plan& plan) const override {
    plan.reuses_operands = true;  // so that no count of ours is the same
    plan.minimum = *plan.peak + 1;
  }
};
struct GivesScopedMemoryTwice : PlanFault {
  using PlanFault::PlanFault;
  void Spoil(Answer&, Plan& plan) const override {
    const std::string& last = plan.sequence.back();
    for (const Allocation& allocation : plan.allocations) plan.scoped.push_back({last, allocation.space, 0, allocation.bytes, {}, {}});
  }
};
struct CutsAReservation : PlanFault {
  using PlanFault::PlanFault;
  void Spoil(Answer&, Plan& plan) const override { plan.scoped.push_back({plan.sequence.back(), 99, 0, 40, {}, 64}); }
};

class FaultySubject final : public Subject {
 public:
  using RunModule = Answer (*)(const Module&);
  FaultySubject(std::string_view name, Bits64 promises, RunModule run) : run_(run) {
    info_.family = &HloFamily();
    info_.name = absl::StrCat("fault:", std::string(name));
    info_.version = "built in";
    info_.promises = promises;
  }
  const SubjectInfo& info() const override { return info_; }
  void Run(const Case& c, Outcome& outcome) override {
    static_cast<OutcomeOf<Answer>&>(outcome).value = run_(static_cast<const CaseOf<Module>&>(c).value);
  }

 private:
  const RunModule run_;
  SubjectInfo info_;
};

template <typename F>
FaultRow Row(std::string_view name, std::string_view what, std::string_view oracle, Bits64 promises = promise::kAll) {
  return {&HloFamily(), name, what, oracle, [=] {
            return std::make_unique<FaultySubject>(name, promises, [](const Module& module) {
              const F fault(module);
              Answer answer = fault.Run();
              fault.Amend(answer);
              return answer;
            });
          }};
}

std::vector<FaultRow> Rows() {
  return {
      Row<DiesOfLoops>("dies_of_loops", "crashes on every while", "ends"),
      Row<HangsOnSorts>("hangs_on_sorts", "does not end on a sort", "ends"),
      Row<MumblesOnConstants>("mumbles_on_constants", "its answer to a module with a constant cannot be read", "answer_is_readable"),
      Row<DoubtsItsCalls>("doubts_its_calls", "its own checks find calls planned wrong", "own_checks_pass"),
      Row<CannotReadFusions>("cannot_read_fusions", "its reader does not know fusions", "every_text_is_read"),
      Row<RefusesInSilence>("refuses_in_silence", "gives no reason for what it refuses", "refusal_says_why"),
      Row<PrintsABlankTooMany>("prints_a_blank_too_many", "a blank after the end", "text_comes_back"),
      Row<ForgetsABrace>("forgets_a_brace", "the last closing brace is missing", "text_comes_back"),
      Row<PrintsTheRootsShapeForAll>("prints_the_shape_of_the_root", "the first instruction has the shape of the root", "text_is_as_valid", promise::kAll & ~promise::kFaithfulness),
      Row<ForgetsTheSchedule>("forgets_the_schedule", "is_scheduled is not printed", "text_is_the_module"),
      Row<DoesNotCountCalls>("does_not_count_calls", "tells no peak where there is a call", "peak_is_told"),
      Row<ForgetsTheLargest>("forgets_the_largest", "the peak is a byte below the largest array", "peak_holds_each_array"),
      Row<CountsWhatIsNotThere>("counts_what_is_not_there", "the peak is a byte above everything", "peak_is_within_everything"),
      Row<AddsUpTheSpacesWrongly>("adds_up_the_spaces_wrongly", "the peak of all is a byte too high", "spaces_make_the_total"),
      Row<InventsAMemory>("invents_a_memory", "tells a peak of a memory space that is not there", "spaces_are_the_modules"),
      Row<RefusesForMemory>("refuses_for_memory", "no module fits a memory of 15.75 GiB", "memory_verdict_is_predicted"),
      Row<CutsTheModuleOff>("cuts_the_module_off", "half of the module that its plan is about", "planned_module_is_read"),
      Row<LeavesAnInvalidModule>("leaves_an_invalid_module", "a parameter that has another number after planning", "planned_module_is_valid"),
      Row<PlacesAGhost>("places_a_ghost", "a place for what is not in the module", "plan_names_what_is_there"),
      Row<AllocatesAByteLess>("allocates_a_byte_less", "the highest value reaches a byte beyond its allocation", "plan_stays_inside"),
      Row<ForgetsToAlign>("forgets_to_align", "says that it aligns to 4096, and does not", "plan_is_aligned"),
      Row<LeavesAByteOut>("leaves_a_byte_out", "the largest value gets a byte too few", "plan_has_the_bytes"),
      Row<PutsAllAtZero>("puts_all_at_zero", "every value lies at 0", "plan_keeps_live_values_apart"),
      Row<TellsRangesThatMeet>("tells_ranges_that_meet", "by its own account all is live all the time", "plan_keeps_its_own_ranges_apart"),
      Row<ForgetsTheLastUse>("forgets_the_last_use", "ranges end a step early", "plan_ranges_cover_the_uses"),
      Row<HasNoPlaceForConstants>("has_no_place_for_constants", "a plan that is whole leaves the constants out", "plan_is_whole"),
      Row<AddsAllocationsUpWrongly>("adds_allocations_up_wrongly", "the plan's peak is a byte above its allocations", "plan_peak_is_its_sum"),
      Row<KnowsNoBound>("knows_no_bound", "says that a byte less would do", "plan_minimum_is_the_live_peak"),
      Row<AsksForMoreThanItNeeds>("asks_for_more_than_it_needs", "the bound is a byte above the plan", "plan_minimum_is_a_bound"),
      Row<GivesScopedMemoryTwice>("gives_scoped_memory_twice", "the last instruction's memory is full of values", "scoped_memory_is_kept_apart"),
      Row<CutsAReservation>("cuts_a_reservation", "64 bytes are asked for and 40 reserved", "reservation_is_whole"),
      Row<ReusesOperands>("copies_for_updates", "counts the copies that in-place updates may need: legal, and another convention", kEqualsReference),
      Row<AnswersByTheHour>("counts_by_the_hour", "every other answer counts a byte more", "the_same_twice"),
      Row<LooksAtTheNameOfTheEntry>("looks_at_the_name_of_the_entry", "the peak depends on the name of the entry", "names_mean_nothing"),
      Row<WantsParametersInOrder>("wants_parameters_in_order", "refuses parameters that stand in another order than their numbers", "legal_orders_are_valid"),
      Row<RefusesDeadCode>("refuses_dead_code", "refuses what has a value that nobody uses", "dead_code_is_valid"),
      Row<WantsACall>("wants_a_call", "refuses a module of one computation", "calls_can_be_inlined"),
      Row<RefusesCalls>("refuses_calls", "refuses every call", "parts_can_be_outlined"),
      Row<RefusesBarriers>("refuses_barriers", "refuses every opt-barrier", "identities_can_be_added"),
      Row<WantsACopy>("wants_a_copy", "refuses what has neither copy nor reshape", "identities_can_be_removed"),
      Row<LooksWhichOperandIsFirst>("looks_which_operand_is_first", "the peak depends on the order of two operands that may change places", "operands_can_be_swapped"),
  };
}

}  // namespace
}  // namespace hlo

std::span<const FaultRow> HloFaults() {
  static const std::vector<FaultRow> rows = hlo::Rows();
  return rows;
}

}  // namespace oomph
