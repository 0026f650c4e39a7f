// Verifiers behind the C interface: what they answer, what their faults become, which files are none.
#include "subjects/hlo/verifier_row.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "models/hlo/answer.h"
#include "models/hlo/family.h"
#include "models/hlo/generate.h"
#include "models/hlo/oracles.h"
#include "models/hlo/promises.h"
#include "models/hlo/text.h"
#include "subjects/hlo/text_child.h"
#include "subjects/hlo/verifier_library.h"
#include "subjects/plugin/plugin_row.h"

namespace oomph {
namespace {

using hlo::Answer;
using hlo::Module;
using hlo::Status;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

VerifierRowSpec SpecFor(const std::string& plugin) {
  VerifierRowSpec spec;
  spec.family = &HloFamily();
  spec.name = plugin;
  spec.path = PluginPath(plugin);
  spec.limits.case_time = std::chrono::milliseconds(500);
  return spec;
}

Module Named(const std::string& name) {
  const auto module = hlo::Parse("test", "HloModule " + name + "\n\nENTRY %e (p: f32[3]) -> f32[3] {\n"
                                             "  ROOT %p = f32[3]{0} parameter(0)\n}\n\n");
  EXPECT_TRUE(module.ok()) << module.status();
  return *module;
}

std::unique_ptr<Subject> Start(const std::string& plugin, const std::string& variant, bool in_child = true) {
  const SubjectRow row = VerifierRow(SpecFor(plugin));
  EXPECT_EQ(row.absent, "");
  if (!row.absent.empty()) return nullptr;
  auto subject = row.make(variant, in_child);
  EXPECT_TRUE(subject.ok()) << subject.status();
  return subject.ok() ? *std::move(subject) : nullptr;
}

Answer Ask(Subject& subject, const Module& module) {
  OutcomeOf<Answer> outcome;
  subject.Run(CaseOf<Module>(module), outcome);
  return outcome.value;
}

TEST(VerifierRowTest, TheExampleAnswersInAChildAndHere) {
  for (const bool in_child : {true, false}) {
    const auto subject = Start("yes_verifier", "", in_child);
    ASSERT_NE(subject, nullptr);
    EXPECT_EQ(subject->info().version, "1");
    EXPECT_EQ(subject->info().in_child, in_child);
    EXPECT_EQ(subject->info().promises, hlo::promise::kDeterminism);
    EXPECT_THAT(subject->info().promise_sources, ElementsAre(StartsWith("determinism: yes_verifier_plugin.c")));
    EXPECT_EQ(subject->info().features, Bits64{1} << hlo::feature::kLayouts | Bits64{1} << hlo::feature::kSchedule |
                                            Bits64{1} << hlo::feature::kFusions);
    for (const char* name : {"one", "another", "one"}) {
      const Answer answer = Ask(*subject, Named(name));
      EXPECT_EQ(answer.status, Status::kValid);
      EXPECT_EQ(answer.text, hlo::Print(Named(name)));
      EXPECT_EQ(answer.why, "");
      EXPECT_EQ(answer.total_peak, std::nullopt);
    }
  }
}

// What the oracles name it, too: a fault that the harness cannot tell from another helps nobody.
TEST(VerifierRowTest, FaultsAreNamedAsWhatTheyAre) {
  const struct {
    const char *variant, *why, *oracle;
    Status status;
  } faults[] = {
      {"none", "", "", Status::kValid},
      {"invalid", "x xxx", "", Status::kInvalid},
      {"unread", "x xxx", "", Status::kUnread},
      {"crashes", "signal 6 (SIGABRT)", "ends", Status::kDied},
      {"exits", "exit 3, after writing: nothing more to say", "ends", Status::kDied},
      {"hangs", "no answer within 500 ms", "ends", Status::kHung},
      {"no_status", "gave 99, which is no status", "answer_is_readable", Status::kRubbish},
      {"no_text", "counts the bytes of a text that is not there", "answer_is_readable", Status::kRubbish},
      {"too_long", "gave a text of 1099511627776 bytes", "answer_is_readable", Status::kRubbish},
      {"tells_off", "no memory", "", Status::kNotRun},
  };
  for (const auto& fault : faults) {
    SCOPED_TRACE(fault.variant);
    const auto subject = Start("faulty_verifier", fault.variant);
    ASSERT_NE(subject, nullptr);
    const Module module = Named("m");
    const Answer answer = Ask(*subject, module);
    EXPECT_EQ(answer.status, fault.status);
    EXPECT_THAT(answer.why, HasSubstr(fault.why));
    EXPECT_EQ(answer.text, "");
    EXPECT_EQ(answer.total_peak.has_value(), answer.status == Status::kValid);
    Reasons reasons;
    hlo::JudgeAnswer(module, answer, subject->info().promises, reasons);
    EXPECT_EQ(reasons.empty() ? "" : reasons.list().front().oracle, fault.oracle);
    // The next case meets a living verifier.
    EXPECT_EQ(Ask(*subject, Named("harmless")).total_peak, 12u);
  }
}

TEST(VerifierRowTest, OptionsThatItDoesNotKnowAreRefused) {
  const SubjectRow row = VerifierRow(SpecFor("faulty_verifier"));
  EXPECT_EQ(row.variants.size(), 10u);
  EXPECT_EQ(row.title, "faulty_verifier ");
  const auto subject = row.make("nonsense", true);
  ASSERT_FALSE(subject.ok());
  EXPECT_THAT(std::string(subject.status().message()),
              AllOf(HasSubstr("does not take the options \"nonsense\""), HasSubstr("crashes")));
}

TEST(VerifierRowTest, WhatIsNoVerifierIsRefusedInOneLine) {
  const auto of = [](const std::string& plugin) { return FindVerifier(SpecFor(plugin)).status(); };
  EXPECT_TRUE(absl::IsUnimplemented(of("first_fit_planner"))) << of("first_fit_planner");
  EXPECT_TRUE(absl::IsUnimplemented(of("no_query"))) << of("no_query");
  EXPECT_TRUE(absl::IsNotFound(of("there_is_none"))) << of("there_is_none");
  EXPECT_TRUE(absl::IsAborted(of("dies_at_load"))) << of("dies_at_load");
  VerifierRowSpec spec = SpecFor("there_is_none");
  spec.how_to_get = "write it";
  EXPECT_THAT(VerifierRow(spec).absent, HasSubstr("is not there: write it"));
}

int GoodQuery(oomph_hlo_info* info) {
  info->abi = OOMPH_HLO_ABI_VERSION;
  info->struct_bytes = sizeof *info;
  info->name = "it";
  return 0;
}
int OldQuery(oomph_hlo_info* info) { return GoodQuery(info), info->abi = 7, 0; }
int ShortQuery(oomph_hlo_info* info) { return GoodQuery(info), info->struct_bytes = 8, 0; }
int SorryQuery(oomph_hlo_info* info) { return GoodQuery(info), info->version = "no licence", 5; }

// Everything that is asked arrives, and everything that is answered comes back.
int Echo(const oomph_hlo_request* request, oomph_hlo_answer* answer) {
  static std::string& said = *new std::string;
  const std::string text(request->text, request->text_bytes);
  said = std::to_string(request->wanted) + " " + std::to_string(request->prints) + " " + request->options + " " + text;
  answer->text = said.data();
  answer->text_bytes = said.size();
  answer->total_peak = 77;
  answer->valid = OOMPH_HLO_HAS_PEAK;
  std::snprintf(answer->note, sizeof answer->note, "two\nlines");
  return request->struct_bytes == sizeof *request && request->reserved == 0 ? OOMPH_HLO_VALID : OOMPH_HLO_REFUSED;
}

TEST(VerifierLibraryTest, ADescriptionIsCheckedBeforeItIsBelieved) {
  const auto said = [](decltype(&oomph_hlo_query) query, decltype(&oomph_hlo_ask) ask) {
    return std::string(VerifierLibrary::Of("x.so", {query, ask}).status().message());
  };
  EXPECT_EQ(said(GoodQuery, Echo), "");
  EXPECT_THAT(said(OldQuery, Echo), HasSubstr("built for hlo interface version 7"));
  EXPECT_THAT(said(ShortQuery, Echo), HasSubstr("its oomph_hlo_info has 8 bytes"));
  EXPECT_THAT(said(SorryQuery, Echo), HasSubstr("oomph_hlo_query returned 5: no licence"));
  EXPECT_THAT(said(GoodQuery, nullptr), HasSubstr("does not define oomph_hlo_ask"));
  EXPECT_THAT(said(nullptr, nullptr), HasSubstr("not a verifier"));
}

TEST(VerifierLibraryTest, AWholeRequestGoesThereAndAWholeAnswerComesBack) {
  const auto library = VerifierLibrary::Of("x.so", {GoodQuery, Echo});
  ASSERT_TRUE(library.ok()) << library.status();
  Answer answer;
  (*library)->Ask("the text", "a=b", OOMPH_HLO_VERIFY | OOMPH_HLO_PEAK, answer);
  EXPECT_EQ(answer.status, Status::kValid);
  EXPECT_EQ(answer.text, "5 1 a=b the text");
  EXPECT_EQ(answer.why, "two lines");
  EXPECT_EQ(answer.total_peak, 77u);
  EXPECT_TRUE((*library)->ReadAndPrint("t", 3));
  EXPECT_THAT((*library)->Variants(), ElementsAre(""));
}

TEST(TextChildTest, ADeathCostsOneAnswer) {
  TextChild child("child", []() -> absl::StatusOr<TextChild::Function> {
    return [](std::string_view text) {
      if (text == "die") std::abort();
      while (text == "hang") pause();
      return std::string(text) + "!";
    };
  }, {.case_time = std::chrono::milliseconds(300)});
  EXPECT_EQ(*child.Ask("a"), "a!");
  EXPECT_EQ(*child.Ask(""), "!");
  EXPECT_EQ(child.starts(), 1u);
  EXPECT_TRUE(absl::IsAborted(child.Ask("die").status()));
  EXPECT_EQ(*child.Ask("b"), "b!");
  EXPECT_TRUE(absl::IsDeadlineExceeded(child.Ask("hang").status()));
  EXPECT_EQ(*child.Ask("c"), "c!");
  EXPECT_EQ(child.starts(), 3u);
  TextChild none("child", []() -> absl::StatusOr<TextChild::Function> { return absl::NotFoundError("nothing"); });
  EXPECT_TRUE(absl::IsUnavailable(none.Ask("a").status()));
  EXPECT_THAT(std::string(none.Ask("a").status().message()), HasSubstr("nothing"));
}

}  // namespace
}  // namespace oomph
