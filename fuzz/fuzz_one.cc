// See fuzz_one.h.
#include "fuzz/fuzz_one.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "fuzz/judge.h"
#include "fuzz/subject_table.h"
#include "fuzz/tape.h"
#include "models/base/words.h"

// Counters that libFuzzer reads as coverage; its interface is this section, hence a global.
#ifdef __linux__
__attribute__((section("__libfuzzer_extra_counters"), used))
#endif
static uint8_t reach_counters[oomph::kMaxReach];

// Of the ASan builds of the targets. Uses of a stack that has been left are looked for by the tests of the preset dev;
// here they would cost a third of the executions. ASAN_OPTIONS goes before this.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "detect_stack_use_after_return=0"; }

namespace oomph {
namespace {

std::string_view TextOf(std::span<const uint8_t> data) {
  return {reinterpret_cast<const char*>(data.data()), data.size()};
}

[[noreturn]] void Die(std::string_view text, std::string_view signature) {
  std::fprintf(stderr, "%.*s\nSIG %.*s\n", static_cast<int>(text.size()), text.data(),
               static_cast<int>(signature.size()), signature.data());
  std::abort();
}

// Each relation is one more run of the case. An input asks one of them or, mostly, none; which, it says
// itself, so that it does so whenever it is replayed.
constexpr uint64_t kInputsForOneRelation = 4;

Bits64 RelationsAskedBy(const Family& family, std::span<const uint8_t> data) {
  const uint64_t drawn = (StableHash(TextOf(data)) >> 32) % (family.relations().size() * kInputsForOneRelation + 1);
  return drawn < family.relations().size() ? Bits64{1} << drawn : 0;
}

// How long a case is: for measurements, 0 = the tape says it.
size_t StepsWanted() {
  const char* const steps = std::getenv("OOMPH_FUZZ_STEPS");
  return steps == nullptr ? 0 : std::strtoul(steps, nullptr, 10);
}

std::string SubjectWanted() {
  const char* const subject = std::getenv("OOMPH_FUZZ_SUBJECT");
  return subject == nullptr ? "model" : subject;
}

// What is kept from one input to the next.
struct Setup {
  explicit Setup(const Family& family) : scratch(family.NewCase()) {
    auto pairs = SubjectTable::All().Find(SubjectWanted(), &family);
    if (!pairs.ok()) Die(pairs.status().ToString(), "harness/no_subject");
    auto made = SubjectTable::All().Load(pairs->front(), /*in_child=*/false);
    if (!made.ok()) Die(made.status().ToString(), "harness/no_subject");
    loaded = *std::move(made);
    judge = std::make_unique<Judge>(family, *loaded.subject, loaded.reference.get());
    options.features = loaded.subject->info().Drawn();
    options.steps = StepsWanted();
  }
  GenerateOptions options;
  Loaded loaded;
  std::unique_ptr<Judge> judge;
  std::unique_ptr<Case> scratch;
};

}  // namespace

int FuzzOne(const Family& family, std::span<const uint8_t> data) {
  static Setup setup(family);
  Choices choices = Choices::FromTape(TextOf(data));
  family.Generate(choices, setup.options, *setup.scratch);
  setup.loaded.subject->Prepare(*setup.scratch);
  const Verdict verdict = setup.judge->Run(*setup.scratch, RelationsAskedBy(family, data));
  Reach reach;
  if (setup.judge->ran()) family.Reached(*setup.scratch, setup.judge->outcome(), reach);
  for (size_t i = 0; i < kMaxReach; ++i) reach_counters[i] = reach[i] ? 1 : 0;
  if (verdict.found()) Die(family.Print(*setup.scratch) + "\n" + verdict.text, verdict.signature);
  return 0;
}

size_t MutateOne(const Family& family, uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  const std::string mutated = MutateTape(family, TextOf({data, size}), max_size, seed);
  std::copy(mutated.begin(), mutated.end(), data);
  return mutated.size();
}

std::optional<TextFault> JudgeText(const Family& family, std::string_view text) {
  const auto first = family.NewCase();
  (void)family.Recognizes(text);
  if (!family.Parse("input", text, *first).ok()) return std::nullopt;
  const std::string printed = family.Print(*first);
  const auto second = family.NewCase();
  const absl::Status status = family.Parse("printed", printed, *second);
  if (!status.ok()) return TextFault{"refused", printed + "\n" + status.ToString()};
  const std::string again = family.Print(*second);
  if (again != printed) return TextFault{"changed", printed + "\n" + again};
  return std::nullopt;
}

int FuzzText(const Family& family, std::span<const uint8_t> data) {
  const auto fault = JudgeText(family, TextOf(data));
  if (fault) Die(fault->text, std::string(family.name()) + "/printed_is_read/text/" + fault->detail);
  return 0;
}

}  // namespace oomph
