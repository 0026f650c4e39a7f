// Family: what every engine, the store, the report and the command line know of a kind of case.
// A new family is a folder in models/ and one row in models/families.cc.
// Not for: what is tested (see subjects/subject.h) or how faults are found (see fuzz/).
#ifndef OOMPH_MODELS_BASE_FAMILY_H_
#define OOMPH_MODELS_BASE_FAMILY_H_

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "models/base/choices.h"
#include "models/base/fingerprint.h"
#include "models/base/reduction.h"
#include "models/base/verdict.h"

namespace oomph {

// Holders that hide the type of a family's case and outcome from the engines. The value inside is a
// plain aggregate; only its family looks into it.
class Case {
 public:
  virtual ~Case() = default;
};
class Outcome {
 public:
  virtual ~Outcome() = default;
};

template <typename Value>
class CaseOf final : public Case {
 public:
  CaseOf() = default;
  explicit CaseOf(Value v) : value(std::move(v)) {}
  Value value;
};
template <typename Value>
class OutcomeOf final : public Outcome {
 public:
  Value value;
};

// A set of promises (or of features), one bit each; the family names the bits.
using Bits64 = uint64_t;

// How a run ended that did not end by itself.
enum class Ending : uint8_t {
  kDied,      // the subject crashed, exited or threw in this step
  kTimedOut,  // the step did not end within the time limit
  kNotRun,    // the harness could not run the case; nobody is to blame for it
};

// What happened in a case that is worth a counter: kinds of steps, values of policies, fallbacks that
// ran. Also the domain features that guide mutation.
inline constexpr size_t kMaxReach = 256;
using Reach = std::bitset<kMaxReach>;

// A statement that an outcome can break.
struct OracleInfo {
  std::string_view name;      // snake_case, a sentence that can be false
  std::string_view because;   // why it holds
  Bits64 promise = 0;         // asked only of subjects that made one of these promises; 0 = of everyone
};

// A statement about two runs: a changed case must behave as the original did, but for what changed.
struct RelationInfo {
  std::string_view name;
  std::string_view because;
  Bits64 promise = 0;
};

struct PromiseInfo {
  std::string_view name;
  std::string_view means;
  // Worth knowing of a subject that did not promise it: how often it does not hold is a property.
  bool measured = false;
};

// A case that nobody complains of, and that needs more than the memory it may have.
struct OverLimit {
  // What stays the same while the case shrinks: which kind of operation it is that does not fit,
  // "custom-call:OomphAlloc". Empty where the outcome does not tell.
  std::string identity;
  std::string text;  // one sentence with the numbers
  size_t step = 0;
};

// A number that says how well an outcome did, not whether it was right: what a change can make better or
// worse without breaking anything.
struct MetricInfo {
  std::string_view name;   // snake_case, short: "peak"
  std::string_view unit;   // "bytes", "share" (0 to 1), "count"
  std::string_view means;  // how it is computed, one line
  bool lower_is_better = true;
};

struct GenerateOptions {
  Bits64 features = ~Bits64{0};  // what the subject can do; the family names the bits
  size_t steps = 0;              // how long; 0 = the generator draws it
  size_t live = 0;               // how many buffers live at a time; 0 = the generator draws it
};

// Which lines of a case's text can be left out so that the rest is a case.
enum class LineRule : uint8_t {
  kAnyCanGo,
  kAllButTheHeader,  // the first that is no comment says how to read the others
  kNeedOneAnother,   // what one line defines, others use
};

struct DrawOptions {
  size_t max_blocks = 2000;  // more are not drawn; the picture says so
  // One of many in a page: less high, and without what the page has once, see Family::DrawStyle.
  bool in_page = false;
};

// Edits of a case that is a plain value, from a function (const Value& base, amounts, Value& into) -> bool, as Apply.
template <typename Value, typename Make>
std::unique_ptr<Edits> EditsOn(const Value& base, std::vector<uint64_t> most, Make make) {
  class Made final : public Edits {
   public:
    Made(const Value& base, std::vector<uint64_t> most, Make make)
        : Edits(std::move(most)), base_(base), make_(std::move(make)) {}
    bool Apply(std::span<const uint64_t> amounts, Case& into) const override {
      return make_(base_, amounts, static_cast<CaseOf<Value>&>(into).value);
    }

   private:
    const Value& base_;
    const Make make_;
  };
  if (most.empty()) return nullptr;
  return std::make_unique<Made>(base, std::move(most), std::move(make));
}

class Family {
 public:
  virtual ~Family() = default;

  virtual std::string_view name() const = 0;
  virtual std::string_view title() const = 0;      // one line for `oomph list families`
  virtual std::string_view extension() const = 0;  // of case files, with the dot
  virtual std::string_view comment() const = 0;    // what begins a comment line

  // Rows, each a closed list. Bit i of a Bits64 is row i.
  virtual std::span<const PromiseInfo> promises() const = 0;
  virtual std::span<const std::string_view> features() const = 0;
  virtual std::span<const OracleInfo> oracles() const = 0;
  virtual std::span<const RelationInfo> relations() const = 0;
  virtual std::span<const std::string_view> reach_names() const = 0;  // "step:allocate", "fit:best"
  // Reach rows that a default campaign on the built-in model must meet in at least 1 % of its cases.
  virtual Reach expected_reach() const = 0;

  virtual std::unique_ptr<Case> NewCase() const = 0;
  virtual std::unique_ptr<Outcome> NewOutcome() const = 0;
  virtual std::unique_ptr<Case> Clone(const Case& c) const = 0;

  virtual void Generate(Choices& choices, const GenerateOptions& options, Case& into) const = 0;
  // Changes `c` in place by a few step-aware edits; may take steps from `other`.
  virtual void Mutate(Choices& choices, const GenerateOptions& options, Case& c,
                      const Case& other) const = 0;
  // The ways to make a case smaller, the one that takes most away first: see reduction.h.
  virtual std::span<const ReductionInfo> reductions() const = 0;
  // The edits of reductions()[reduction] on `base`, which must outlive them; null: there are none. Deterministic.
  virtual std::unique_ptr<Edits> EditsOf(size_t reduction, const Case& base) const = 0;
  // Two hashes of what the case says: equal for equal cases; equal for others by a chance of 2^-128 at best. The answers
  // of tests are kept by it.
  virtual Fingerprint FingerprintOf(const Case& c) const { return FingerprintOfText(Print(c)); }
  virtual size_t Size(const Case& c) const = 0;  // steps
  virtual std::string_view counted() const { return "step"; }  // what Size counts, singular, for people
  // What a subject must be able to do, by features(), to be asked this case; where it cannot, its answer says nothing
  // about it. Generators keep to the features of the subject; files and people do not.
  virtual Bits64 FeaturesOf(const Case& c) const { return (void)c, 0; }

  // True if `text` is of this family by its content.
  virtual bool Recognizes(std::string_view text) const = 0;
  // `name` is for messages: "name:line:column: expected ...".
  virtual absl::Status Parse(std::string_view name, std::string_view text, Case& into) const = 0;
  virtual LineRule line_rule() const { return LineRule::kAnyCanGo; }
  virtual std::string Print(const Case& c) const = 0;
  // Puts this capacity in the place of the case's own. False: cases of this family have none that could be replaced.
  virtual bool SetCapacity(Case& c, uint64_t capacity) const { return (void)c, (void)capacity, false; }
  // The same of the chip. False: cases of this family have none, or not this one.
  virtual bool SetChip(Case& c, std::string_view chip) const { return (void)c, (void)chip, false; }
  virtual std::string PrintOutcome(const Case& c, const Outcome& outcome) const = 0;
  // What is worth a word of an outcome that breaks nothing, in one line: "invalid: no root". Empty: nothing.
  virtual std::string Remark(const Case& c, const Outcome& outcome) const { return (void)c, (void)outcome, ""; }
  // What a person who asks a subject about one case wants to see beside the verdict: a compiler's memory map. Lines, each
  // ended; empty: nothing.
  virtual std::string Figures(const Case& c, const Outcome& outcome) const { return (void)c, (void)outcome, ""; }
  // The outcome as bytes for another process of the same build, and back. False: damaged.
  virtual std::string PackOutcome(const Outcome& outcome) const = 0;
  virtual bool UnpackOutcome(std::string_view bytes, Outcome& into) const = 0;
  // Makes `step` the last step that `outcome` tells of: rows up to it stay, missing ones are unknown,
  // later ones go; the row of `step` itself is replaced by one that says `how`, without events. `note`
  // replaces the outcome's note. `step` is below Size of the case, or 0 where the case has no steps.
  virtual void MarkEnded(Outcome& outcome, size_t step, Ending how, std::string_view note) const = 0;

  // Asks every oracle whose promise is in `promises`; stops at the first bad step.
  virtual void Judge(const Case& c, const Outcome& outcome, Bits64 promises,
                     Reasons& reasons) const = 0;
  // Step by step: is `outcome` what the reference gave? Oracle name: equals_reference.
  virtual void Compare(const Case& c, const Outcome& reference, const Outcome& outcome,
                       Reasons& reasons) const = 0;
  // Makes the second case of relations()[relation]; false if it does not apply to this case.
  virtual bool Relate(size_t relation, const Case& c, Case& into) const = 0;
  virtual void JudgeRelation(size_t relation, const Case& c, const Outcome& outcome,
                             const Case& related, const Outcome& related_outcome,
                             Reasons& reasons) const = 0;
  virtual void Reached(const Case& c, const Outcome& outcome, Reach& reach) const = 0;

  // What is measured of an outcome, a closed list; a family without metrics has none to compare.
  virtual std::span<const MetricInfo> metrics() const { return {}; }
  // Fills values[i] for metrics()[i], NaN where this outcome does not tell. False: the outcome ends early, so
  // its numbers say nothing.
  virtual bool Measure(const Case& c, const Outcome& outcome, std::span<double> values) const {
    return (void)c, (void)outcome, (void)values, false;
  }

  // Whether outcomes say how much memory a case needs, so that a limit can be set to it.
  virtual bool CountsMemory() const { return false; }
  // Whether that is more than `limit` bytes, and what it is that does not fit. None also where this outcome does not tell.
  virtual std::optional<OverLimit> ExceedsLimit(const Case& c, const Outcome& outcome, uint64_t limit) const {
    return (void)c, (void)outcome, (void)limit, std::nullopt;
  }

  // SVG in one element; all text of the case is escaped in it.
  virtual std::string Draw(const Case& c, const Outcome& outcome, const Verdict& verdict,
                           const DrawOptions& options) const = 0;
  std::string Draw(const Case& c, const Outcome& outcome, const Verdict& verdict) const {
    return Draw(c, outcome, verdict, DrawOptions());
  }
  // What the pictures of a page share, as content of an <svg>: rules that match nothing else, patterns.
  virtual std::string DrawStyle() const { return ""; }
  virtual std::string Explain(const Case& c, const Outcome& outcome) const = 0;
};

}  // namespace oomph

#endif  // OOMPH_MODELS_BASE_FAMILY_H_
