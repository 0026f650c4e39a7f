// Any text as a case: its lines are its steps. For tests by command of what no family reads, dumps and sources of all
// languages.
// Not for: subjects and campaigns; it is in no table of families, generates nothing and judges nothing.
#ifndef OOMPH_FUZZ_MINIMIZE_TEXT_SOURCE_H_
#define OOMPH_FUZZ_MINIMIZE_TEXT_SOURCE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/family.h"

namespace oomph {

// With their ends, so that together they are the text.
using TextLines = std::vector<std::string>;

class TextFamily final : public Family {
 public:
  // `extension` of the file, with the dot, or empty: compilers look at it.
  explicit TextFamily(std::string extension) : extension_(std::move(extension)) {}

  std::string_view name() const override { return "text"; }
  std::string_view title() const override { return "lines of any text, for minimize --test"; }
  std::string_view extension() const override { return extension_; }
  std::string_view comment() const override { return ""; }
  std::span<const PromiseInfo> promises() const override { return {}; }
  std::span<const std::string_view> features() const override { return {}; }
  std::span<const OracleInfo> oracles() const override { return {}; }
  std::span<const RelationInfo> relations() const override { return {}; }
  std::span<const std::string_view> reach_names() const override { return {}; }
  Reach expected_reach() const override { return {}; }
  std::unique_ptr<Case> NewCase() const override { return std::make_unique<CaseOf<TextLines>>(); }
  std::unique_ptr<Outcome> NewOutcome() const override { return std::make_unique<OutcomeOf<TextLines>>(); }
  std::unique_ptr<Case> Clone(const Case& c) const override;

  // Blocks, whole: a line with a "{" that a later line closes, and what is between them, the longest first. Then lines.
  std::span<const ReductionInfo> reductions() const override;
  std::unique_ptr<Edits> EditsOf(size_t reduction, const Case& base) const override;
  size_t Size(const Case& c) const override;
  std::string_view counted() const override { return "line"; }
  bool Recognizes(std::string_view) const override { return false; }
  absl::Status Parse(std::string_view name, std::string_view text, Case& into) const override;
  std::string Print(const Case& c) const override;

  void Generate(Choices&, const GenerateOptions&, Case&) const override {}
  void Mutate(Choices&, const GenerateOptions&, Case&, const Case&) const override {}
  std::string PrintOutcome(const Case&, const Outcome&) const override { return ""; }
  std::string PackOutcome(const Outcome&) const override { return ""; }
  bool UnpackOutcome(std::string_view, Outcome&) const override { return false; }
  void MarkEnded(Outcome&, size_t, Ending, std::string_view) const override {}
  void Judge(const Case&, const Outcome&, Bits64, Reasons&) const override {}
  void Compare(const Case&, const Outcome&, const Outcome&, Reasons&) const override {}
  bool Relate(size_t, const Case&, Case&) const override { return false; }
  void JudgeRelation(size_t, const Case&, const Outcome&, const Case&, const Outcome&, Reasons&) const override {}
  void Reached(const Case&, const Outcome&, Reach&) const override {}
  std::string Draw(const Case&, const Outcome&, const Verdict&, const DrawOptions&) const override { return ""; }
  std::string Explain(const Case&, const Outcome&) const override { return ""; }

 private:
  const std::string extension_;
};

}  // namespace oomph

#endif  // OOMPH_FUZZ_MINIMIZE_TEXT_SOURCE_H_
