// See oracles.h.
#include "models/hlo/oracles.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "models/base/words.h"
#include "models/base/chips.h"
#include "models/hlo/answer_text.h"
#include "models/hlo/crash_site.h"
#include "models/hlo/fill_shapes.h"
#include "models/hlo/liveness_bytes.h"
#include "models/hlo/plan_oracles.h"
#include "models/hlo/program_memory.h"
#include "models/hlo/promises.h"
#include "models/hlo/text.h"
#include "models/message/compile_oom.h"

namespace oomph::hlo {
namespace {

// A module with more steps may be left uncounted.
constexpr uint64_t kManySteps = 4096;

size_t Last(const Module& module) {
  const size_t count = InstructionCount(module);
  return count == 0 ? 0 : count - 1;
}

// A module, the answer to it, and what several oracles ask of the two.
struct Look {
  const Module& module;
  const Answer& answer;
  Reasons& reasons;
  std::optional<absl::StatusOr<Module>> read = {};
  std::unique_ptr<PlanLooks> plans = {};

  bool Valid() const { return answer.status == Status::kValid; }
  bool TellsPeak() const { return Valid() && answer.total_peak.has_value(); }
  // What it printed, read.
  const absl::StatusOr<Module>& Read() {
    if (!read) read.emplace(Parse("printed", answer.text));
    return *read;
  }
  std::vector<PlanLook>& Plans() {
    if (plans == nullptr) plans = std::make_unique<PlanLooks>(answer, Last(module));
    return plans->looks();
  }
};

template <typename... Args>
void Say(Look& look, std::string_view oracle, std::string_view detail, const absl::FormatSpec<Args...>& text,
         const Args&... args) {
  look.reasons.Add(oracle, detail, Last(look.module), absl::StrFormat(text, args...));
}

// A module with the shapes that its text leaves out, or writes where they say nothing.
class Filled {
 public:
  explicit Filled(const Module& written) : written_(written), told_(FillShapes(written, filled_).ok()) {}
  const Module& operator*() const { return filled_ == nullptr ? written_ : *filled_; }
  const Module* operator->() const { return &**this; }
  bool told() const { return told_; }  // all of them

 private:
  const Module& written_;
  std::shared_ptr<const Module> filled_;
  const bool told_;
};

uint64_t StepsOf(const Module& module) {
  const std::vector<uint64_t> runs = RunsOf(module);
  uint64_t steps = 0;
  for (size_t c = 0; c < runs.size(); ++c) {
    steps = SaturatingAdd(steps, SaturatingMul(runs[c], module.computations[c].instructions.size()));
  }
  return steps;
}

// ---- The answer as such ----

// It ends, by itself and in time.
void Ends(Look& look) {
  if (look.answer.status == Status::kDied) Say(look, "ends", DeathOf(look.answer.why), "%s", Summary(look.answer));
  if (look.answer.status == Status::kHung) Say(look, "ends", "hung", "%s", Summary(look.answer));
}

// What it answers can be read.
void AnswerIsReadable(Look& look) {
  if (look.answer.status == Status::kRubbish) Say(look, "answer_is_readable", "rubbish", "%s", Summary(look.answer));
}

// Its reader takes the text of every module, be it invalid.
void EveryTextIsRead(Look& look) {
  if (look.answer.status == Status::kUnread) Say(look, "every_text_is_read", "unread", "%s", Summary(look.answer));
}

// A refusal says why.
void RefusalSaysWhy(Look& look) {
  if (look.answer.status != Status::kInvalid && look.answer.status != Status::kUnread) return;
  if (look.answer.why.empty()) Say(look, "refusal_says_why", "silent", "the module is refused without a word");
}

// What it checks of its own work holds.
void OwnChecksPass(Look& look) {
  if (!look.Valid() || !look.answer.why.starts_with(kBroken)) return;
  std::string word = MessageWord(std::string_view(look.answer.why).substr(kBroken.size()));
  Say(look, "own_checks_pass", KeptWord(word.empty() ? "broken" : std::move(word)), "%s", OneLine(look.answer.why));
}

// ---- The text ----

// What it prints is the text of a module, in the canonical form: read and printed again it is the same.
void TextComesBack(Look& look) {
  if (!look.Valid() || look.answer.text.empty()) return;
  const absl::StatusOr<Module>& read = look.Read();
  if (!read.ok()) {
    Say(look, "text_comes_back", "refused", "%s", std::string(read.status().message()));
    return;
  }
  const std::string again = Print(*read);
  if (again == look.answer.text) return;
  const auto differs = std::mismatch(again.begin(), again.end(), look.answer.text.begin(), look.answer.text.end());
  Say(look, "text_comes_back", "changed", "read and printed again the text differs from byte %d on",
      differs.first - again.begin());
}

// What it prints is as valid as it says the module is.
void TextIsAsValid(Look& look) {
  if (!look.Valid() || look.answer.text.empty()) return;
  const absl::StatusOr<Module>& read = look.Read();
  if (!read.ok()) return;
  const std::vector<Problem> problems = Verify(*read);
  if (problems.empty() || !Verify(look.module).empty()) return;
  Say(look, "text_is_as_valid", RowOf(problems[0].rule).name, "a valid module is printed as an invalid one: %s",
      Describe(*read, problems[0]));
}

// What it prints is the module.
void TextIsTheModule(Look& look) {
  if (!look.Valid()) return;
  const absl::StatusOr<Module>& read = look.Read();
  if (!read.ok() || *read == look.module) return;
  Say(look, "text_is_the_module", "changed", "the text that is printed is of another module");
}

// ---- Memory ----

// The memory of a valid module is counted, unless it is large.
void PeakIsTold(Look& look) {
  if (!look.Valid() || look.answer.total_peak || !Filled(look.module).told()) return;
  if (StepsOf(look.module) > kManySteps || BytesOfEverything(look.module) == kMostBytes) return;
  Say(look, "peak_is_told", "missing", "no peak is told of a valid module");
}

// At its peak there is room for any array that it makes.
void PeakHoldsEachArray(Look& look) {
  if (!look.TellsPeak()) return;
  const uint64_t largest = BytesOfTheLargest(look.module);
  if (*look.answer.total_peak >= largest) return;
  Say(look, "peak_holds_each_array", "below", "a peak of %d bytes, and an array of %d", *look.answer.total_peak, largest);
}

// It never needs more than everything that it makes, side by side.
void PeakIsWithinEverything(Look& look) {
  if (!look.TellsPeak()) return;
  const uint64_t everything = BytesOfEverything(look.module);
  if (*look.answer.total_peak <= everything) return;
  Say(look, "peak_is_within_everything", "above", "a peak of %d bytes, and everything takes %d", *look.answer.total_peak,
      everything);
}

// The peaks of the memory spaces make the peak of all: none is above it, and together they are not below it.
void SpacesMakeTheTotal(Look& look) {
  if (!look.TellsPeak() || look.answer.peaks.empty()) return;
  uint64_t sum = 0;
  for (const SpacePeak& peak : look.answer.peaks) {
    sum = SaturatingAdd(sum, peak.bytes);
    if (peak.bytes <= *look.answer.total_peak) continue;
    Say(look, "spaces_make_the_total", "above", "memory space %d needs %d bytes, all together %d", peak.space, peak.bytes,
        *look.answer.total_peak);
    return;
  }
  if (sum >= *look.answer.total_peak) return;
  Say(look, "spaces_make_the_total", "below", "a peak of %d bytes, and the memory spaces need %d together",
      *look.answer.total_peak, sum);
}

// A memory space that holds anything is named in the module, or is the default one.
void SpacesAreTheModules(Look& look) {
  for (const SpacePeak& peak : look.answer.peaks) {
    bool known = peak.space == 0;
    const ShapeTable& shapes = look.module.shapes;
    for (ShapeId shape = 0; shape < shapes.size() && !known; ++shape) known = SpaceOf(shapes, shape) == peak.space;
    if (known) continue;
    Say(look, "spaces_are_the_modules", "unknown", "%d bytes in memory space %d, which nothing in the module names",
        peak.bytes, peak.space);
    return;
  }
}

// ---- A compiler's verdict on memory ----

// It refuses for lack of HBM what needs more than there is, and nothing else; what it says is needed is within our bracket.
void MemoryVerdictIsPredicted(Look& look) {
  const Chip* chip = look.answer.chip.empty() ? nullptr : FindChip(look.answer.chip);
  if (chip == nullptr || (look.answer.status != Status::kValid && look.answer.status != Status::kDeclined)) return;
  std::optional<CompileOom> oom;
  if (look.answer.status == Status::kDeclined) {
    absl::StatusOr<CompileOom> read = ReadCompileOom(look.answer.why);
    if (!read.ok() || read->words.memory != "hbm") return;  // it has another reason
    oom = *std::move(read);
  }
  const absl::StatusOr<ProgramMemory> predicted = PredictProgramMemory(look.module, *chip);
  if (!predicted.ok()) return;
  if (!oom && predicted->verdict == MemoryVerdict::kRefuse) {
    Say(look, "memory_verdict_is_predicted", "accepted", "%s takes a module that needs at least %d bytes of HBM, and has %d", look.answer.chip, predicted->lower, predicted->available);
  } else if (oom && predicted->verdict == MemoryVerdict::kAccept) {
    Say(look, "memory_verdict_is_predicted", "refused", "%s refuses a module that needs at most %d bytes of HBM, and has %d", look.answer.chip, predicted->upper, predicted->available);
  } else if (oom && oom->form == CompileOomForm::kTemporaries && oom->needed && (oom->needed->highest < predicted->lower || oom->needed->lowest > predicted->upper)) {
    Say(look, "memory_verdict_is_predicted", "total", "%s says that %d bytes or more are needed; they lie between %d and %d", look.answer.chip, oom->needed->lowest, predicted->lower, predicted->upper);
  }
}

// ---- Plans ----

// An oracle of plan_oracles.h, asked of each plan.
template <void (*Oracle)(PlanLook&)>
void OfEachPlan(Look& look) {
  if (look.answer.plans.empty()) return;
  for (PlanLook& plan : look.Plans()) {
    plan.reasons = &look.reasons;
    Oracle(plan);
  }
}

struct Row {
  OracleInfo info;
  void (*look)(Look&);
};
constexpr std::array kRows = {
    Row{{"ends", "every reader's contract: bad input is refused"}, Ends},
    Row{{"answer_is_readable", "a status, and texts (answer.h)"}, AnswerIsReadable},
    Row{{"own_checks_pass", "who checks its own work is right when it complains of it (subjects/abi/hlo.h, note)"}, OwnChecksPass},
    Row{{"every_text_is_read", "promise reading: what is wrong with a module is for the verifier to say", promise::kReading}, EveryTextIsRead},
    Row{{"refusal_says_why", "promise reasons: a person must mend it", promise::kReasons}, RefusalSaysWhy},
    Row{{"text_comes_back", "promise printing: dumps are read again", promise::kPrinting}, TextComesBack},
    Row{{"text_is_as_valid", "promise printing: printing changes nothing", promise::kPrinting}, TextIsAsValid},
    Row{{"text_is_the_module", "promise faithfulness: printing changes nothing", promise::kFaithfulness}, TextIsTheModule},
    Row{{"peak_is_told", "promise peaks", promise::kPeaks}, PeakIsTold},
    Row{{"peak_holds_each_array", "an array is in one piece of memory when it is made"}, PeakHoldsEachArray},
    Row{{"peak_is_within_everything", "what shares no memory at all needs the sum"}, PeakIsWithinEverything},
    Row{{"spaces_make_the_total", "what is live at once is live in some memory space"}, SpacesMakeTheTotal},
    Row{{"spaces_are_the_modules", "layouts say where an array lies: S(n)"}, SpacesAreTheModules},
    Row{{"memory_verdict_is_predicted", "E1000: who is refused must make it smaller, and who is not must be able to load it"}, MemoryVerdictIsPredicted},
    Row{{"planned_module_is_read", "a plan is of use only with its module"}, OfEachPlan<PlannedModuleIsRead>},
    Row{{"planned_module_is_valid", "promise planning: what plans memory keeps a module valid", promise::kPlanning}, OfEachPlan<PlannedModuleIsValid>},
    Row{{"plan_names_what_is_there", "a plan is of its module's values"}, OfEachPlan<PlanNamesWhatIsThere>},
    Row{{"plan_stays_inside", "the bytes behind an allocation and behind a memory are somebody else's, or nobody's"}, OfEachPlan<PlanStaysInside>},
    Row{{"plan_is_aligned", "the planner was told the alignment"}, OfEachPlan<PlanIsAligned>},
    Row{{"plan_has_the_bytes", "an array takes what its shape and layout say (bytes.h)"}, OfEachPlan<PlanHasTheBytes>},
    Row{{"plan_keeps_live_values_apart", "a value that is written over before its last use is a wrong result"}, OfEachPlan<PlanKeepsLiveValuesApart>},
    Row{{"plan_keeps_its_own_ranges_apart", "by its own account the planner gave one byte to two"}, OfEachPlan<PlanKeepsItsOwnRangesApart>},
    Row{{"plan_ranges_cover_the_uses", "a value is needed from where it is made to its last use"}, OfEachPlan<PlanRangesCoverTheUses>},
    Row{{"plan_is_whole", "promise planning: each value has a place", promise::kPlanning}, OfEachPlan<PlanIsWhole>},
    Row{{"plan_peak_is_its_sum", "a peak is told to compare plans by it"}, OfEachPlan<PlanPeakIsItsSum>},
    Row{{"plan_minimum_is_a_bound", "a bound is what no plan is below"}, OfEachPlan<PlanMinimumIsABound>},
    Row{{"plan_minimum_is_the_live_peak", "the bytes live at once are a bound, and the best without fragmentation"}, OfEachPlan<PlanMinimumIsTheLivePeak>},
    Row{{"scoped_memory_is_kept_apart", "E1001: a stack of one instruction, while it runs"}, OfEachPlan<ScopedMemoryIsKeptApart>},
    Row{{"reservation_is_whole", "E1001: who asks for memory and silently gets less writes beyond it"}, OfEachPlan<ReservationIsWhole>},
};

// One oracle alone.
template <size_t I>
void Ask(const Module& module, const Answer& answer, Reasons& reasons) {
  Look look{module, answer, reasons};
  kRows[I].look(look);
}
template <size_t... I>
constexpr std::array<OracleRow, sizeof...(I)> MakeOracles(std::index_sequence<I...>) {
  return {OracleRow{kRows[I].info, Ask<I>}...};
}

}  // namespace

std::vector<uint64_t> RunsOf(const Module& module) {
  std::vector<uint64_t> runs(module.computations.size());
  if (module.entry >= runs.size()) return runs;
  runs[module.entry] = 1;
  // Callees stand before their callers, so each number is whole when it is passed on.
  for (size_t c = runs.size(); c-- > 0;) {
    if (runs[c] == 0) continue;
    for (const Instruction& instruction : module.computations[c].instructions) {
      for (const FrameCall& call : FrameCalls(module, instruction)) {
        if (call.computation < c) runs[call.computation] = SaturatingAdd(runs[call.computation], runs[c]);
      }
    }
  }
  return runs;
}

uint64_t BytesOfEverything(const Module& written) {
  const Filled module(written);
  const std::vector<uint64_t> runs = RunsOf(*module), bytes = PlainTreeBytes(module->shapes);
  uint64_t sum = 0;
  for (size_t c = 0; c < runs.size(); ++c) {
    if (runs[c] == 0) continue;
    for (const Instruction& instruction : module->computations[c].instructions) {
      sum = SaturatingAdd(sum, SaturatingMul(runs[c], bytes[instruction.shape]));
    }
  }
  return sum;
}

uint64_t BytesOfTheLargest(const Module& written) {
  const Filled module(written);
  const std::vector<uint64_t> runs = RunsOf(*module);
  // Of each shape and all in it: elements have smaller ids than their tuple.
  std::vector<uint64_t> bytes(module->shapes.size());
  for (ShapeId shape = 0; shape < bytes.size(); ++shape) {
    bytes[shape] = PlainBytes(module->shapes, shape);
    for (const ShapeId element : module->shapes.Elements(shape)) bytes[shape] = std::max(bytes[shape], bytes[element]);
  }
  uint64_t largest = 0;
  for (size_t c = 0; c < runs.size(); ++c) {
    if (runs[c] == 0) continue;
    for (const Instruction& instruction : module->computations[c].instructions) {
      if (instruction.opcode == Opcode::kBitcast) continue;  // makes nothing: it names what is there, maybe as more
      largest = std::max(largest, bytes[instruction.shape]);
    }
  }
  return largest;
}

std::span<const OracleRow> Oracles() {
  static constexpr auto kOracles = MakeOracles(std::make_index_sequence<kRows.size()>());
  return kOracles;
}

void JudgeAnswer(const Module& module, const Answer& answer, Bits64 promises, Reasons& reasons) {
  if (answer.status == Status::kNotRun) return;
  Look look{module, answer, reasons};
  for (const Row& row : kRows) {
    if (row.info.promise == 0 || (row.info.promise & promises) != 0) row.look(look);
  }
}

}  // namespace oomph::hlo
