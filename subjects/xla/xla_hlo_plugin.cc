// XLA's own parser, verifier and printer of HLO, the peak of its heap simulator, and the plans of all its memory planners,
// from the tensorflow-cpu wheel. Options: one of hlo_variants.h. Layouts are not compared and mixed precision is allowed, as before layouts are assigned. Not for: what XLA aborts on (the host
// runs this in a child), nor for texts of a single instruction, which XLA reads as modules too.
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <string_view>

#include "absl/log/internal/globals.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "subjects/abi/hlo.h"
#include "subjects/xla/hlo_questions.h"
#include "subjects/xla/hlo_variants.h"
#include "subjects/xla/xla_hlo_answers.h"
#include "subjects/xla/xla_hlo_evaluate.h"
#include "subjects/xla/xla_hlo_peak.h"
#include "subjects/xla/xla_hlo_planners.h"
#include "xla/hlo/ir/hlo_module.h"
#include "xla/hlo/parser/hlo_parser.h"
#include "xla/service/hlo_verifier.h"

namespace {

// What the last call gave out; the interface says that it lives so long.
struct Kept {
  std::string text, why, results;
  oomph::xla_hlo::PlanWriter plans;
  std::string answers[oomph::hlo_questions::kQuestions];
};
Kept& LastAnswer() {
  static Kept& kept = *new Kept;  // never destroyed: at exit nothing of XLA's must run
  return kept;
}

void Note(absl::string_view text, oomph_hlo_answer& answer) {
  // The attributes that its reader would take come in the order of a hash table, another one each time.
  text = text.substr(0, text.find(" Allowed attributes:"));
  std::string line(text.substr(0, sizeof answer.note - 1));
  std::replace_if(line.begin(), line.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  std::snprintf(answer.note, sizeof answer.note, "%s", line.c_str());
}

int Refuse(int code, absl::string_view why, oomph_hlo_answer& answer) {
  Note(why, answer);
  return code;
}

absl::StatusOr<std::unique_ptr<xla::HloModule>> Read(const char* text, size_t bytes) {
  return xla::ParseAndReturnUnverifiedModule(absl::string_view(text, bytes));
}

void Print(const xla::HloModule& module, uint32_t prints, oomph_hlo_answer& answer) {
  std::string& text = LastAnswer().text;
  for (uint32_t i = 0; i < std::max(prints, 1u); ++i) text = module.ToString();
  answer.text = text.data();
  answer.text_bytes = text.size();
}

void Plan(xla::HloModule& module, const oomph::xla_hlo::Ready& ready, const oomph::xla_hlo::Setting& setting,
          oomph_hlo_answer& answer) {
  oomph::xla_hlo::PlanWriter& writer = LastAnswer().plans;
  writer.Clear();
  std::string note;
  const absl::Status status = oomph::xla_hlo::WritePlans(module, ready, setting, writer, note);
  if (!status.ok()) return Note("no plans: " + std::string(status.message()), answer);
  answer.plans = writer.text().data();
  answer.plans_bytes = writer.text().size();
  Note(note, answer);
}

// What it does not evaluate is declined: nothing is wrong with the module.
int Run(const xla::HloModule& module, const oomph_hlo_request& request, oomph_hlo_answer& answer) {
  absl::StatusOr<std::string> results = oomph::xla_hlo::Evaluate(module, request);
  if (!results.ok()) return Refuse(OOMPH_HLO_DECLINED, results.status().message(), answer);
  std::string& text = LastAnswer().results = *std::move(results);
  answer.plans = text.data();
  answer.plans_bytes = text.size();
  return OOMPH_HLO_VALID;
}

int Ask(const oomph_hlo_request& request, oomph_hlo_answer& answer) {
  const oomph::xla_hlo::Setting* setting = oomph::xla_hlo::FindSetting(request.options);
  if (setting == nullptr) return Refuse(OOMPH_HLO_REFUSED, "it has no such option", answer);
  const auto module = Read(request.text, request.text_bytes);
  if (!module.ok()) return Refuse(OOMPH_HLO_UNREAD, module.status().message(), answer);
  if ((request.wanted & OOMPH_HLO_PRINT) != 0) Print(**module, request.prints, answer);
  if ((request.wanted & OOMPH_HLO_VERIFY) == 0) return OOMPH_HLO_VALID;
  xla::HloVerifier verifier(/*layout_sensitive=*/false, /*allow_mixed_precision=*/true);
  const absl::Status status = verifier.Run(module->get()).status();
  if (!status.ok()) return Refuse(OOMPH_HLO_INVALID, status.message(), answer);
  if (request.options == oomph::xla_hlo::kEvaluate) {
    return (request.wanted & OOMPH_HLO_RUN) == 0 ? OOMPH_HLO_VALID : Run(**module, request, answer);
  }
  if ((request.wanted & (OOMPH_HLO_PEAK | OOMPH_HLO_PLAN)) == 0) return OOMPH_HLO_VALID;
  const auto ready = oomph::xla_hlo::MakeReady(**module);
  if (!ready.ok()) return Refuse(OOMPH_HLO_VALID, ready.status().message(), answer);
  if ((request.wanted & OOMPH_HLO_PEAK) != 0) {
    const absl::StatusOr<int64_t> peak = oomph::xla_hlo::PeakOf(**module, **ready);
    if (!peak.ok()) return Refuse(OOMPH_HLO_VALID, peak.status().message(), answer);
    answer.total_peak = static_cast<uint64_t>(*peak);
    answer.valid |= OOMPH_HLO_HAS_PEAK;
  }
  if ((request.wanted & OOMPH_HLO_PLAN) != 0) Plan(**module, **ready, *setting, answer);
  return OOMPH_HLO_VALID;
}

// Not reading: it refuses what its shape inference does not take. Not faithfulness: it fills in layouts, and the
// instructions of a module without a schedule come in an order of its own. Not determinism: which of several attributes
// that are missing its reader names is up to a hash table. Not peaks: see xla_hlo_peak.h.
constexpr oomph_hlo_promise kPromises[] = {
    {"reasons", "hlo_parser.h and hlo_verifier.h: both give a Status, which has a message"},
    {"printing", "hlo_parser.h, ParseAndReturnUnverifiedModule: reads a string in the HloModule::ToString() format"},
    {"planning", "buffer_assignment.h, BufferAssigner::Run: a buffer assignment for the given module; hlo_verifier.h: run between passes"},
};
constexpr const char* kFeatures[] = {"layouts",     "tiles",     "schedule",     "wide_types",     "narrow_types",
                                     "zero_sized",  "fusions",   "control_flow", "dynamic_shapes", "async",
                                     "collectives", "transfers", "custom_calls", "random_numbers", "linear_algebra",
                                     "invalid"};

}  // namespace

extern "C" int oomph_hlo_query(oomph_hlo_info* info) {
  // The names in the stack trace of a failed check come out of 800 MB of symbols and take longer than most cases.
  absl::log_internal::EnableSymbolizeLogStackTrace(false);
  info->abi = OOMPH_HLO_ABI_VERSION;
  info->struct_bytes = sizeof *info;
  info->name = "xla::HloVerifier";
  info->version = OOMPH_XLA_VERSION;
  info->features = kFeatures;
  info->num_features = std::size(kFeatures);
  info->promises = kPromises;
  info->num_promises = std::size(kPromises);
  static const char* const* variants = [] {
    static const char* names[std::size(oomph::xla_hlo::kSettings)];
    for (size_t i = 0; i < std::size(names); ++i) names[i] = oomph::xla_hlo::kSettings[i].name;
    return names;
  }();
  info->variants = variants;
  info->num_variants = std::size(oomph::xla_hlo::kSettings);
  return 0;
}

extern "C" int oomph_hlo_ask(const oomph_hlo_request* request, oomph_hlo_answer* answer) {
  // Nobody is to blame for too little memory. XLA itself catches nothing: of anything else that is thrown, such as by
  // absl::StatusOr where there is no value, the process of its users dies, and so does this one.
  try {
    return Ask(*request, *answer);
  } catch (const std::bad_alloc& error) {
    return Refuse(OOMPH_HLO_REFUSED, error.what(), *answer);
  } catch (const std::exception& error) {
    if (absl::string_view(error.what()).find("RESOURCE_EXHAUSTED") == absl::string_view::npos) throw;
    return Refuse(OOMPH_HLO_REFUSED, error.what(), *answer);
  }
}

extern "C" __attribute__((visibility("default"))) int oomph_xla_hlo_questions(const char* text, size_t text_bytes,
                                                                              const char** answers,
                                                                              size_t* answer_bytes, const char** why) {
  const auto module = Read(text, text_bytes);
  Kept& kept = LastAnswer();
  if (!module.ok()) {
    kept.why = std::string(module.status().message());
    *why = kept.why.c_str();
    return 1;
  }
  for (size_t i = 0; i < oomph::hlo_questions::kQuestions; ++i) {
    kept.answers[i] = oomph::xla_hlo::AnswerOf(**module, static_cast<oomph::hlo_questions::Question>(i));
    answers[i] = kept.answers[i].data();
    answer_bytes[i] = kept.answers[i].size();
  }
  return 0;
}
