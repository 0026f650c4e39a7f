// Reads fuzz bytes as the text of an HLO module. What is read must print and read back as the same; and everything
// that a module can be asked must answer, for any module that is read: valid or not, with whatever sizes. Some are
// judged as campaigns judge them.
// Does not cover: modules from choices (hlo_fuzz), verifiers of others.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/fuzz_one.h"
#include "models/base/choices.h"
#include "models/base/family.h"
#include "models/hlo/compare.h"
#include "models/hlo/damage.h"
#include "models/hlo/draw.h"
#include "models/hlo/explain.h"
#include "models/hlo/family.h"
#include "models/hlo/liveness.h"
#include "models/hlo/model.h"
#include "models/hlo/mutate.h"
#include "models/hlo/oracles.h"
#include "models/hlo/promises.h"
#include "models/hlo/reach.h"
#include "models/hlo/reduce.h"
#include "models/hlo/rewrite.h"
#include "models/hlo/specification.h"
#include "models/hlo/text.h"
#include "models/hlo/verify.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

using oomph::Choices;
using oomph::hlo::Module;

[[noreturn]] void Fail(std::string_view detail, std::string_view printed, std::string_view why) {
  fprintf(stderr, "%.*s\n%.*s\nSIG hlo/printed_is_read/text/%.*s\n", static_cast<int>(printed.size()), printed.data(),
          static_cast<int>(why.size()), why.data(), static_cast<int>(detail.size()), detail.data());
  abort();
}

void CheckText(const Module& module) {
  const std::string printed = Print(module);
  const absl::StatusOr<Module> again = oomph::hlo::Parse("printed", printed);
  if (!again.ok()) Fail("refused", printed, std::string(again.status().message()));
  if (!(*again == module)) Fail("another", printed, "read as another module");
  const std::string second = Print(*again);
  if (second != printed) Fail("changed", printed, second);
}

// Each promises a module with no more problems than before; and it has a text.
void CheckChanged(const Module& module, size_t problems, const char* what) {
  CheckText(module);
  const size_t now = Verify(module).size();
  if (now > problems) Fail("worse", Print(module), Describe(module, Verify(module).back()) + " after " + what);
}

// The model against the specification, with all oracles. What is too large to lay out has an answer, too.
void Judge(const Module& module) {
  oomph::hlo::Answer specified, answer;
  RunSpecification(module, specified);
  RunModel(module, answer);
  oomph::Reasons reasons;
  JudgeAnswer(module, specified, oomph::hlo::promise::kAll, reasons);
  JudgeAnswer(module, answer, oomph::hlo::promise::kAll, reasons);
  CompareAnswers(module, specified, answer, reasons);
  oomph::Reach reach;
  Reached(module, answer, reach);
  if (!reasons.empty()) Fail(reasons.list().front().oracle, Print(module), reasons.list().front().text);
}

// The rarer and slower questions are asked by few inputs each; which, the text itself says.
void Ask(const Module& module, Choices choices) {
  const size_t problems = Verify(module).size();
  for (const oomph::hlo::Problem& problem : Verify(module)) Describe(module, problem);
  oomph::hlo::LivenessOptions options;
  options.order = static_cast<oomph::hlo::Order>(choices.Below(3));
  const auto liveness = LivenessOf(module, options);
  if (liveness.ok() && choices.Chance(1, 4)) ProblemOf(module, *liveness);
  if (choices.Chance(1, 4)) oomph::hlo::Explain(module);
  if (choices.Chance(1, 8)) DrawSvg(module);
  if (choices.Chance(1, 4)) Judge(module);
  if (choices.Chance(1, 8)) {
    Module changed = module;
    if (Damage(choices, changed)) CheckText(changed);
  }
  if (choices.Chance(1, 4)) {
    Module changed = module;
    MutateModule(choices, {}, changed);
    CheckChanged(changed, problems, "mutating");
  }
  if (choices.Chance(1, 4)) {
    Module changed = module;
    Apply(static_cast<oomph::hlo::Rewrite>(choices.Below(oomph::hlo::kRewrites)), choices, changed);
    CheckChanged(changed, problems, "rewriting");
  }
  if (choices.Chance(1, 16)) {
    const size_t reduction = choices.Below(oomph::hlo::Reductions().size());
    const auto edits = oomph::hlo::ReductionEdits(reduction, module);
    std::vector<uint64_t> amounts;
    for (const uint64_t most : edits == nullptr ? std::vector<uint64_t>() : edits->most()) {
      amounts.push_back(choices.Below(2) == 0 ? 0 : 1 + choices.Below(most));
    }
    oomph::CaseOf<Module> reduced;
    if (edits != nullptr && edits->Apply(amounts, reduced)) {
      if (!(MeasureOf(reduced.value) < MeasureOf(module))) Fail("larger", Print(module), Print(reduced.value));
      CheckChanged(reduced.value, problems, "reducing");
    }
  }
}

// --- mutations that leave much of a text readable

using Stretch = std::pair<size_t, size_t>;  // of bytes, from and to

bool InToken(char c) {
  return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '-' || c == '_' || c == '.';
}

// The name, number or word at or after a drawn place; empty at the end.
Stretch Token(const std::string& text, Choices& choices) {
  size_t begin = choices.Below(text.size() + 1);
  while (begin < text.size() && !InToken(text[begin])) ++begin;
  while (begin > 0 && begin < text.size() && InToken(text[begin - 1])) --begin;
  size_t end = begin;
  while (end < text.size() && InToken(text[end])) ++end;
  return {begin, end};
}

// A line with its end.
Stretch Line(const std::string& text, Choices& choices) {
  const size_t at = choices.Below(text.size() + 1);
  const size_t before = at == 0 ? std::string::npos : text.rfind('\n', at - 1), after = text.find('\n', at);
  return {before == std::string::npos ? 0 : before + 1, after == std::string::npos ? text.size() : after + 1};
}

std::string Word(Choices& choices) {
  using namespace oomph::hlo;
  constexpr std::string_view kOthers[] = {
      "HloModule ", "ENTRY ", "ROOT ", "f32[2]{0}", "(f32[], s32[])", "pred[]", "s4[3]{0:E(4)}", "{1,0:T(8,128)S(1)}",
      "token[]", "u32[<=4]", "f32[?]", "b(f32[])", "/*index=5*/", "-start", "-update", "-done", "={", "},", "index=",
      "opaque[]", "c128[1,1]", "FileNames\n1 \"a\"\n", "StackFrames\n1 {file_location_id=1}\n", "devices=[2]<=[2]",
      "last_tile_dim_replicate", "maximal device=0", "is_scheduled=true", "S(1)", "T(8,128)(2,1)", "T(*,128)"};
  constexpr std::string_view kNumbers[] = {
      "0", "1", "2", "-1", "3", "127", "128", "255", "2147483647", "2147483648", "-2147483648", "4294967295", "4294967296",
      "9223372036854775807", "-9223372036854775808", "18446744073709551615", "1e400", "-nan", "inf"};
  switch (choices.Below(4)) {
    case 0: return std::string(RowOf(static_cast<Opcode>(choices.Below(kOpcodes))).name);
    case 1: return std::string(RowOf(static_cast<Key>(choices.Below(kKeys - 1))).name);
    case 2: return std::string(kNumbers[choices.Below(std::size(kNumbers))]);
    default: return std::string(kOthers[choices.Below(std::size(kOthers))]);
  }
}

void Mutate(std::string& text, Choices& choices) {
  const auto put = [&](Stretch at, const std::string& what) { text.replace(at.first, at.second - at.first, what); };
  const auto copy = [&](Stretch from) { return text.substr(from.first, from.second - from.first); };
  switch (choices.Below(6)) {
    case 0: return put(Token(text, choices), Word(choices));
    case 1: {
      const size_t at = choices.Below(text.size() + 1);
      return put({at, at}, Word(choices));
    }
    case 2: return put(Token(text, choices), copy(Token(text, choices)));
    case 3: return put(Line(text, choices), "");
    case 4: return put(Line(text, choices), copy(Line(text, choices)));
    default: {
      const std::string line = copy(Line(text, choices));
      const size_t at = Line(text, choices).first;
      return put({at, at}, line);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  oomph::FuzzText(oomph::HloFamily(), {data, size});
  const absl::StatusOr<Module> module = oomph::hlo::Parse("input", text);
  if (!module.ok()) return 0;
  CheckText(*module);
  Ask(*module, Choices::FromSeed(std::hash<std::string>()(text), false));
  return 0;
}

// Every second mutation is one of words and lines, from the tables of the grammar and the text itself; the others are
// libFuzzer's own.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  Choices choices = Choices::FromSeed(seed, false);
  if (choices.Chance(1, 2)) return LLVMFuzzerMutate(data, size, max_size);
  std::string text(reinterpret_cast<const char*>(data), size);
  for (uint64_t i = choices.Below(4) + 1; i > 0; --i) Mutate(text, choices);
  text.resize(std::min(text.size(), max_size));
  std::copy(text.begin(), text.end(), data);
  return text.size();
}
