// Round trips of every family: text, tapes, outcomes as bytes. What is cut stays valid.
// Does not cover: refusing what is no text of the family (see the text_test.cc of each).
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "fuzz/tape.h"
#include "models/families.h"
#include "props/engine.h"

namespace oomph {
namespace {

// Why a text is no case; empty if it is one that prints and reads back as the same.
std::string Unreadable(const Family& family, std::string_view text) {
  const auto first = family.NewCase(), second = family.NewCase();
  if (const absl::Status status = family.Parse("text", text, *first); !status.ok()) return status.ToString();
  const std::string printed = family.Print(*first);
  if (const absl::Status status = family.Parse("printed", printed, *second); !status.ok())
    return status.ToString();
  if (family.Size(*first) != family.Size(*second)) return "another number of steps";
  return family.Print(*second) == printed ? "" : "prints otherwise once it is read";
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin) + 1;
    lines.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return lines;
}

TEST(RoundTrips, WhatIsPrintedReadsBackAsTheSame) {
  for (const Family* family : Families()) {
    CheckCases(
        *family, "printed_reads_back", {.cases = 5'000, .generate = {}, .subject = ""}, [&](const Case& c) {
          const std::string printed = family->Print(c);
          if (!family->Recognizes(printed)) return std::string("its family does not recognize it");
          const auto read = family->NewCase();
          if (!family->Parse("printed", printed, *read).ok()) return std::string("it is refused");
          return family->Print(*read) == printed ? "" : std::string("prints otherwise once it is read");
        });
  }
}

TEST(RoundTrips, AnyLineCanBeDeleted) {
  for (const Family* family : Families()) {
    if (family->line_rule() == LineRule::kNeedOneAnother) continue;
    CheckCases(*family, "any_line_can_be_deleted", {.cases = 300, .generate = {}, .subject = ""},
               [&](const Case& c) {
                 const std::vector<std::string> lines = Lines(family->Print(c));
                 const auto is_comment = [&](const std::string& line) { return line.starts_with(family->comment()); };
                 size_t header = lines.size();  // the one that cannot go; past the end: there is none
                 if (family->line_rule() == LineRule::kAllButTheHeader)
                   header = std::find_if_not(lines.begin(), lines.end(), is_comment) - lines.begin();
                 for (size_t gone = 0; gone < lines.size(); ++gone) {
                   if (gone == header) continue;
                   std::string text;
                   for (size_t i = 0; i < lines.size(); ++i) text += i == gone ? "" : lines[i];
                   const std::string why = Unreadable(*family, text);
                   if (!why.empty()) return absl::StrCat("without line ", gone + 1, ": ", why);
                 }
                 return std::string();
               });
  }
}

TEST(RoundTrips, ARecordedTapeReplaysToTheSameCase) {
  for (const Family* family : Families()) {
    CheckTapes(*family, "tapes_replay", 5'000, [&](std::string_view bytes) -> std::string {
      const auto first = family->NewCase(), second = family->NewCase();
      const Tape tape = RecordTape(*family, Choices::FromTape(bytes), {}, *first);
      const Tape again = RecordTape(*family, Choices::FromTape(tape.bytes), {}, *second);
      if (family->Print(*first) != family->Print(*second)) return "the recording gives another case";
      if (again.bytes != tape.bytes || again.spans != tape.spans)
        return "the recording of a recording differs";
      return "";
    });
  }
}

TEST(RoundTrips, ARandomCaseReplaysFromItsTape) {
  for (const Family* family : Families()) {
    for (uint64_t seed = 0; seed < 2'000; ++seed) {
      const auto first = family->NewCase(), second = family->NewCase();
      const Tape tape = RecordTape(*family, Choices::FromSeed(seed, seed % 2 == 0), {}, *first);
      Choices choices = Choices::FromTape(tape.bytes);
      family->Generate(choices, {}, *second);
      ASSERT_EQ(family->Print(*first), family->Print(*second)) << seed;
    }
  }
}

// What a tape without some of its bytes gives; empty if it is a case that the model can run.
std::string Broken(const Family& family, Subject& model, const std::string& bytes) {
  const auto c = family.NewCase();
  const auto outcome = family.NewOutcome();
  Choices choices = Choices::FromTape(bytes);
  family.Generate(choices, {}, *c);
  model.Run(*c, *outcome);
  Reasons reasons;
  family.Judge(*c, *outcome, model.info().promises, reasons);
  if (!reasons.empty()) return reasons.list()[0].text;
  return Unreadable(family, family.Print(*c));
}

TEST(RoundTrips, AnyPartOfATapeCanBeDeleted) {
  for (const Family* family : Families()) {
    const auto model = SubjectNamed(*family, "model");
    CheckTapes(*family, "tapes_can_be_cut", 60, [&](std::string_view bytes) -> std::string {
      const auto c = family->NewCase();
      const Tape tape = RecordTape(*family, Choices::FromTape(bytes), {}, *c);
      for (const TapeSpan& span : tape.spans) {
        std::string cut = tape.bytes;
        cut.erase(span.begin, span.end - span.begin);
        if (std::string why = Broken(*family, *model, cut); !why.empty()) return "without a stretch: " + why;
      }
      for (size_t i = 0; i < tape.bytes.size(); ++i) {
        std::string cut = tape.bytes;
        cut.erase(i, 1);
        if (std::string why = Broken(*family, *model, cut); !why.empty()) return "without a byte: " + why;
      }
      return "";
    });
  }
}

TEST(RoundTrips, AMutatedTapeIsATape) {
  for (const Family* family : Families()) {
    const auto model = SubjectNamed(*family, "model");
    CheckTapes(*family, "tapes_can_be_mutated", 2'000, [&](std::string_view bytes) -> std::string {
      const std::string mutated = MutateTape(*family, bytes, 4'096, bytes.size());
      if (mutated.size() > 4'096) return "the tape grew beyond its limit";
      return Broken(*family, *model, mutated);
    });
  }
}

TEST(RoundTrips, OutcomesPackAndUnpack) {
  for (const Family* family : Families()) {
    const auto model = SubjectNamed(*family, "model");
    const auto outcome = family->NewOutcome(), back = family->NewOutcome();
    CheckCases(*family, "outcomes_pack", {.cases = 3'000, .generate = {}, .subject = ""},
               [&](const Case& c) -> std::string {
                 model->Run(c, *outcome);
                 const std::string packed = family->PackOutcome(*outcome);
                 if (!family->UnpackOutcome(packed, *back)) return "it does not unpack";
                 if (family->PackOutcome(*back) != packed) return "it packs otherwise once it is unpacked";
                 if (family->PrintOutcome(c, *back) != family->PrintOutcome(c, *outcome))
                   return "it prints otherwise";
                 Reasons reasons;
                 family->Compare(c, *outcome, *back, reasons);
                 return reasons.empty() ? "" : reasons.list()[0].text;
               });
  }
}

// Cut short or with a byte changed, it is refused, or an outcome that everyone survives.
TEST(RoundTrips, DamagedOutcomesHarmNobody) {
  for (const Family* family : Families()) {
    const auto model = SubjectNamed(*family, "model");
    const auto outcome = family->NewOutcome(), back = family->NewOutcome();
    CheckCases(*family, "damaged_outcomes", {.cases = 500, .generate = {}, .subject = ""},
               [&](const Case& c) -> std::string {
                 model->Run(c, *outcome);
                 const std::string packed = family->PackOutcome(*outcome);
                 if (family->UnpackOutcome(std::string_view(packed).substr(0, packed.size() - 1), *back))
                   return "cut, and taken";
                 if (family->UnpackOutcome(packed + "x", *back)) return "lengthened, and taken";
                 Choices choices = Choices::FromSeed(packed.size(), false);
                 for (int i = 0; i < 40; ++i) {
                   std::string damaged = packed;
                   damaged[choices.Below(damaged.size())] = static_cast<char>(choices.Below(256));
                   if (!family->UnpackOutcome(damaged, *back)) continue;
                   Reasons reasons;
                   family->Judge(c, *back, ~Bits64{0}, reasons);
                   family->Compare(c, *outcome, *back, reasons);
                   Reach reach;
                   family->Reached(c, *back, reach);
                   if (family->PrintOutcome(c, *back).empty()) return "nothing is printed";
                 }
                 return "";
               });
  }
}

}  // namespace
}  // namespace oomph
