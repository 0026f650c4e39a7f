// A toy family for tests of the frame: a stack machine with three steps and subjects with planted
// faults. It shows that engines, store, report and minimizer know nothing of memory.
// Not for: anything but tests.
#ifndef OOMPH_FUZZ_TESTING_TOY_FAMILY_H_
#define OOMPH_FUZZ_TESTING_TOY_FAMILY_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "fuzz/subject_table.h"
#include "models/base/limit.h"
#include "models/base/pack.h"
#include "models/base/scanner.h"

namespace oomph::toy {

enum class Kind : uint8_t { kPush, kPop, kAdd };
struct Step {
  Kind kind = Kind::kPush;
  uint64_t value = 0;
  bool operator==(const Step&) const = default;
};
using Program = std::vector<Step>;
struct Row {
  uint64_t depth = 0, top = 0;
  bool operator==(const Row&) const = default;
};
using Rows = std::vector<Row>;

inline constexpr std::string_view kWords[] = {"push", "pop", "add"};
inline constexpr PromiseInfo kPromises[] = {{"even", "the top is always even", true}};
inline constexpr OracleInfo kOracles[] = {{"depth_is_bounded", "a step pushes at most one", 0},
                                          {"top_is_even", "a promise for tests", 1}};
inline constexpr RelationInfo kRelations[] = {{"prefix_is_stable", "steps do not see those after them", 0}};
inline constexpr ReductionInfo kReductions[] = {{"drop_steps", "step", "steps go"}, {"lower_values", "value", "a value is lower"}};
inline constexpr std::string_view kReach[] = {"step:push", "step:pop", "step:add", "deep", "never"};

class ToyFamily final : public Family {
 public:
  static const Program& Of(const Case& c) { return static_cast<const CaseOf<Program>&>(c).value; }
  static Program& Of(Case& c) { return static_cast<CaseOf<Program>&>(c).value; }
  static const Rows& Of(const Outcome& o) { return static_cast<const OutcomeOf<Rows>&>(o).value; }
  static Rows& Of(Outcome& o) { return static_cast<OutcomeOf<Rows>&>(o).value; }

  std::string_view name() const override { return "toy"; }
  std::string_view title() const override { return "a stack machine, for tests"; }
  std::string_view extension() const override { return ".toy"; }
  std::string_view comment() const override { return "#"; }
  std::span<const PromiseInfo> promises() const override { return kPromises; }
  std::span<const std::string_view> features() const override { return {}; }
  std::span<const OracleInfo> oracles() const override { return kOracles; }
  std::span<const RelationInfo> relations() const override { return kRelations; }
  std::span<const std::string_view> reach_names() const override { return kReach; }
  Reach expected_reach() const override { return Reach(0b11111); }
  std::unique_ptr<Case> NewCase() const override { return std::make_unique<CaseOf<Program>>(); }
  std::unique_ptr<Outcome> NewOutcome() const override { return std::make_unique<OutcomeOf<Rows>>(); }
  std::unique_ptr<Case> Clone(const Case& c) const override { return std::make_unique<CaseOf<Program>>(Of(c)); }

  void Generate(Choices& choices, const GenerateOptions& options, Case& into) const override {
    Program& program = Of(into);
    program.clear();
    const size_t steps = options.steps > 0 ? options.steps : choices.Between(1, 60);
    for (size_t i = 0; i < steps; ++i) {
      choices.BeginSpan();
      const auto kind = static_cast<Kind>(choices.Below(3));
      program.push_back({kind, kind == Kind::kPush ? choices.Below(256) : 0});
      choices.EndSpan();
    }
  }
  void Mutate(Choices& choices, const GenerateOptions&, Case& c, const Case& other) const override {
    Program& program = Of(c);
    if (!Of(other).empty()) program.push_back(Of(other)[choices.Below(Of(other).size())]);
    if (!program.empty() && choices.Chance(1, 2)) program.erase(program.begin());
  }
  std::span<const ReductionInfo> reductions() const override { return kReductions; }
  std::unique_ptr<Edits> EditsOf(size_t reduction, const Case& base) const override {
    const Program& program = Of(base);
    if (reduction == 0) {
      return EditsOn(program, std::vector<uint64_t>(program.size(), 1),
                     [](const Program& from, std::span<const uint64_t> amounts, Program& into) {
                       into.clear();
                       for (size_t i = 0; i < from.size(); ++i) {
                         if (amounts[from.size() - 1 - i] == 0) into.push_back(from[i]);
                       }
                       return true;
                     });
    }
    std::vector<uint64_t> most;
    std::vector<size_t> places;
    for (size_t i = 0; i < program.size(); ++i) {
      if (program[i].value > 0) most.push_back(program[i].value), places.push_back(i);
    }
    return EditsOn(program, most, [places](const Program& from, std::span<const uint64_t> amounts, Program& into) {
      into = from;
      for (size_t i = 0; i < places.size(); ++i) into[places[i]].value -= amounts[i];
      return true;
    });
  }
  size_t Size(const Case& c) const override { return Of(c).size(); }

  bool Recognizes(std::string_view text) const override { return text.find("push ") != text.npos; }
  absl::Status Parse(std::string_view name, std::string_view text, Case& into) const override {
    Scanner scanner(name, text);
    Of(into).clear();
    while (scanner.NextLine()) {
      Step step;
      step.kind = static_cast<Kind>(scanner.OneOf(kWords));
      if (step.kind == Kind::kPush) step.value = scanner.Number();
      scanner.ExpectEndOfLine();
      if (scanner.ok()) Of(into).push_back(step);
    }
    return scanner.status();
  }
  std::string Print(const Case& c) const override {
    std::string text;
    for (const Step& step : Of(c)) {
      absl::StrAppend(&text, std::string(kWords[static_cast<size_t>(step.kind)]),
                      step.kind == Kind::kPush ? absl::StrCat(" ", step.value) : "", "\n");
    }
    return text;
  }
  std::string PrintOutcome(const Case&, const Outcome& outcome) const override {
    std::string text;
    for (const Row& row : Of(outcome)) absl::StrAppend(&text, row.depth, " ", row.top, "\n");
    return text;
  }
  std::string PackOutcome(const Outcome& outcome) const override {
    Packer packer;
    for (const Row& row : Of(outcome)) {
      packer.Number(row.depth);
      packer.Number(row.top);
    }
    return packer.bytes();
  }
  bool UnpackOutcome(std::string_view bytes, Outcome& into) const override {
    Rows& rows = Of(into);
    rows.clear();
    Unpacker unpacker(bytes);
    while (!unpacker.AtEnd()) {
      Row& row = rows.emplace_back();
      if (!unpacker.Number(row.depth) || !unpacker.Number(row.top)) return false;
    }
    return true;
  }

  void MarkEnded(Outcome& outcome, size_t step, Ending, std::string_view) const override { Of(outcome).resize(step + 1); }

  void Judge(const Case&, const Outcome& outcome, Bits64 promises, Reasons& reasons) const override {
    uint64_t before = 0;
    for (size_t i = 0; i < Of(outcome).size() && reasons.empty(); ++i) {
      const Row& row = Of(outcome)[i];
      if (row.depth > before + 1) reasons.Add("depth_is_bounded", "step", i, absl::StrCat("step ", i + 1, " leaps"));
      if ((promises & 1) != 0 && row.top % 2 != 0) {
        reasons.Add("top_is_even", "step", i, absl::StrCat("step ", i + 1, " leaves ", row.top));
      }
      before = row.depth;
    }
  }
  void Compare(const Case&, const Outcome& reference, const Outcome& outcome, Reasons& reasons) const override {
    for (size_t i = 0; i < Of(reference).size() && reasons.empty(); ++i) {
      if (Of(reference)[i] == Of(outcome)[i]) continue;
      // 77 on top is what nobody has published.
      if (Of(reference)[i].top == 77) {
        reasons.Add(kIncomparable, "unpublished_77", i, "");
      } else {
        reasons.Add(kEqualsReference, "step", i,
                    absl::StrFormat("step %d gives %d, not %d", i + 1, Of(outcome)[i].top, Of(reference)[i].top));
      }
    }
  }
  bool Relate(size_t, const Case& c, Case& into) const override {
    if (Of(c).size() < 2) return false;
    Of(into).assign(Of(c).begin(), Of(c).end() - 1);
    return true;
  }
  void JudgeRelation(size_t, const Case&, const Outcome& outcome, const Case&, const Outcome& related,
                     Reasons& reasons) const override {
    for (size_t i = 0; i < Of(related).size(); ++i) {
      if (Of(related)[i] == Of(outcome)[i]) continue;
      return reasons.Add("prefix_is_stable", "step", i, absl::StrCat("step ", i + 1, " sees the future"));
    }
  }
  void Reached(const Case& c, const Outcome& outcome, Reach& reach) const override {
    for (const Step& step : Of(c)) reach.set(static_cast<size_t>(step.kind));
    for (const Row& row : Of(outcome)) {
      if (row.depth > 5) reach.set(3);
    }
  }
  // A number on the stack takes a byte.
  bool CountsMemory() const override { return true; }
  std::optional<OverLimit> ExceedsLimit(const Case& c, const Outcome& outcome, uint64_t limit) const override {
    constexpr uint64_t kOwn = 2;  // where a toy of its own would refuse
    if (limit == kOwnLimit) limit = kOwn;
    const Rows& rows = Of(outcome);
    for (size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].depth <= limit) continue;
      OverLimit over;
      over.step = i;
      // Steps that push an even number have an odd name, those of an odd number none.
      const bool even = Of(c)[i].value % 2 == 0;
      if (even) over.identity = absl::StrCat("push / ", Of(c)[i].value);
      over.text = absl::StrCat(rows[i].depth, " numbers, the limit is ", limit);
      return over;
    }
    return std::nullopt;
  }

  using Family::Draw;
  std::string Draw(const Case&, const Outcome&, const Verdict&, const DrawOptions&) const override { return "<svg/>"; }
  std::string Explain(const Case& c, const Outcome&) const override {
    return absl::StrCat(Of(c).size(), " steps\n");
  }
};

inline const Family& Toy() {
  static const ToyFamily family;
  return family;
}

// How a subject is wrong.
struct Faults {
  bool adds_wrong = false;      // equals_reference: an add of two numbers above 100 is off by one
  bool leaps = false;           // depth_is_bounded: the third push in a row counts twice
  bool sees_future = false;     // prefix_is_stable: the last step changes the first
  bool odd_77 = false;          // incomparable: 77 on top becomes 78
  bool dies = false;            // the process ends at a push of 13
  Bits64 promises = 0;
};

class ToySubject final : public Subject {
 public:
  ToySubject(std::string name, std::string variant, Faults faults) : faults_(faults) {
    info_.family = &Toy();
    info_.name = std::move(name);
    info_.variant = std::move(variant);
    info_.version = "1";
    info_.promises = faults.promises;
  }
  const SubjectInfo& info() const override { return info_; }
  void Run(const Case& c, Outcome& outcome) override {
    const Program& program = ToyFamily::Of(c);
    Rows& rows = ToyFamily::Of(outcome);
    rows.clear();
    std::vector<uint64_t>& stack = stack_;
    stack.clear();
    int pushes = 0;
    for (const Step& step : program) {
      pushes = step.kind == Kind::kPush ? pushes + 1 : 0;
      if (step.kind == Kind::kPush) stack.push_back(step.value);
      if (step.kind == Kind::kPop && !stack.empty()) stack.pop_back();
      if (step.kind == Kind::kAdd && stack.size() > 1) {
        const uint64_t top = stack.back();
        stack.pop_back();
        const bool wrong = faults_.adds_wrong && top > 100 && stack.back() > 100;
        stack.back() += top + (wrong ? 1 : 0);
      }
      Row row{stack.size(), stack.empty() ? 0 : stack.back()};
      if (faults_.leaps && pushes == 3) row.depth += 2;
      if (faults_.odd_77 && row.top == 77) row.top = 78;
      if (faults_.dies && step.kind == Kind::kPush && step.value == 13) __builtin_trap();
      rows.push_back(row);
    }
    if (faults_.sees_future && program.size() > 4 && program.back().value == 200) rows.front().depth = 0;
  }

 private:
  SubjectInfo info_;
  const Faults faults_;
  std::vector<uint64_t> stack_;
};

inline SubjectRow ToyRow(std::string name, std::vector<std::string> variants, Faults faults) {
  SubjectRow row;
  row.family = &Toy();
  row.name = name;
  row.variants = std::move(variants);
  row.title = "toy";
  row.reference = name == "model" ? "" : "model";
  row.make = [name, faults](const std::string& variant, bool) -> absl::StatusOr<std::unique_ptr<Subject>> {
    if (variant == "bad") return absl::InvalidArgumentError("no variant bad");
    return std::make_unique<ToySubject>(name, variant, faults);
  };
  return row;
}

inline std::vector<SubjectRow> ToyRows() {
  std::vector<SubjectRow> rows = {ToyRow("model", {""}, {}),
                                  ToyRow("real", {"a", "b"}, {.odd_77 = true}),
                                  ToyRow("fault:adds_wrong", {""}, {.adds_wrong = true}),
                                  ToyRow("fault:leaps", {""}, {.leaps = true}),
                                  ToyRow("fault:sees_future", {""}, {.sees_future = true}),
                                  ToyRow("fault:dies", {""}, {.dies = true}),
                                  ToyRow("fault:breaks_promise", {""}, {.promises = 1}),
                                  ToyRow("gone", {""}, {})};
  rows.back().absent = "not installed: install it";
  return rows;
}

}  // namespace oomph::toy

#endif  // OOMPH_FUZZ_TESTING_TOY_FAMILY_H_
