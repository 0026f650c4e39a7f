// See verifier_library.h.
#include "subjects/hlo/verifier_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "models/hlo/plan_text.h"
#include "models/hlo/text.h"
#include "subjects/plugin/description.h"
#include "subjects/plugin/plugin.h"

namespace oomph {
namespace {

// Beyond it plans are damage: those of a module of hlo::kMaxTextBytes have their place.
constexpr size_t kMaxPlansBytes = size_t{1} << 30;

oomph_hlo_request RequestOf(std::string_view text, const char* options, uint32_t wanted, uint32_t prints) {
  oomph_hlo_request request = {};
  request.struct_bytes = sizeof request;
  request.wanted = wanted;
  request.text = text.data();
  request.text_bytes = text.size();
  request.prints = prints;
  request.options = options;
  return request;
}

hlo::Status StatusOf(int code) {
  switch (code) {
    case OOMPH_HLO_VALID:
      return hlo::Status::kValid;
    case OOMPH_HLO_INVALID:
      return hlo::Status::kInvalid;
    case OOMPH_HLO_UNREAD:
      return hlo::Status::kUnread;
    case OOMPH_HLO_REFUSED:
      return hlo::Status::kNotRun;
    case OOMPH_HLO_DECLINED:
      return hlo::Status::kDeclined;
    default:
      return hlo::Status::kRubbish;
  }
}

void Rubbish(std::string why, hlo::Answer& answer) {
  answer = {};
  answer.status = hlo::Status::kRubbish;
  answer.why = std::move(why);
}

void TakeAnswer(int code, const oomph_hlo_answer& from, hlo::Answer& answer) {
  answer.status = StatusOf(code);
  if (answer.status == hlo::Status::kRubbish) {
    return Rubbish(absl::StrCat("oomph_hlo_ask gave ", code, ", which is no status"), answer);
  }
  answer.why = std::string(from.note, strnlen(from.note, sizeof from.note));
  std::replace_if(answer.why.begin(), answer.why.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  const bool read = answer.status == hlo::Status::kValid || answer.status == hlo::Status::kInvalid;
  if (read && from.text_bytes != 0) {
    if (from.text == nullptr) return Rubbish("oomph_hlo_ask counts the bytes of a text that is not there", answer);
    if (from.text_bytes > hlo::kMaxTextBytes) {
      return Rubbish(absl::StrCat("oomph_hlo_ask gave a text of ", from.text_bytes, " bytes"), answer);
    }
    answer.text.assign(from.text, from.text_bytes);
  }
  if (answer.status != hlo::Status::kValid) return;
  if ((from.valid & OOMPH_HLO_HAS_PEAK) != 0) answer.total_peak = from.total_peak;
  if (from.plans_bytes == 0) return;
  if (from.plans == nullptr) return Rubbish("oomph_hlo_ask counts the bytes of plans that are not there", answer);
  if (from.plans_bytes > kMaxPlansBytes) {
    return Rubbish(absl::StrCat("oomph_hlo_ask gave plans of ", from.plans_bytes, " bytes"), answer);
  }
  const absl::Status read_plans = hlo::ReadPlans({from.plans, from.plans_bytes}, answer);
  if (!read_plans.ok()) Rubbish(absl::StrCat("the plans of oomph_hlo_ask: ", std::string(read_plans.message())), answer);
}

}  // namespace

absl::StatusOr<std::shared_ptr<const VerifierLibrary>> VerifierLibrary::Load(const std::string& path) {
  const auto library = LoadLibrary(path);
  if (!library.ok()) return library.status();
  Calls calls;
  calls.query = reinterpret_cast<decltype(calls.query)>(dlsym(*library, "oomph_hlo_query"));
  calls.ask = reinterpret_cast<decltype(calls.ask)>(dlsym(*library, "oomph_hlo_ask"));
  auto loaded = Of(path, calls);
  if (!loaded.ok()) dlclose(*library);
  return loaded;
}

absl::StatusOr<std::shared_ptr<const VerifierLibrary>> VerifierLibrary::Of(const std::string& name,
                                                                           const Calls& calls) {
  if (calls.query == nullptr) {
    return absl::UnimplementedError(absl::StrCat(name, ": not a verifier: does not define oomph_hlo_query"));
  }
  if (calls.ask == nullptr) return RefusePlugin(name, "does not define oomph_hlo_ask");
  const auto info = QueryDescription<oomph_hlo_info>(name, "hlo", OOMPH_HLO_ABI_VERSION, calls.query);
  if (!info.ok()) return info.status();
  return std::shared_ptr<const VerifierLibrary>(new VerifierLibrary(name, calls, *info));
}

std::vector<std::string> VerifierLibrary::Variants() const { return ListedVariants(info_.variants, info_.num_variants); }

void VerifierLibrary::Ask(std::string_view text, const std::string& options, uint32_t wanted,
                          hlo::Answer& answer, std::span<const hlo::ResultArray> arguments) const {
  answer = {};
  oomph_hlo_request request = RequestOf(text, options.c_str(), wanted, 1);
  std::vector<const void*> places;
  std::vector<size_t> sizes;
  for (const hlo::ResultArray& argument : arguments) {
    places.push_back(argument.bytes.data());
    sizes.push_back(argument.bytes.size());
  }
  request.arguments = places.data();
  request.argument_bytes = sizes.data();
  request.num_arguments = places.size();
  oomph_hlo_answer from = {};
  const int code = calls_.ask(&request, &from);
  TakeAnswer(code, from, answer);
}

bool VerifierLibrary::ReadAndPrint(std::string_view text, uint32_t prints) const {
  const oomph_hlo_request request = RequestOf(text, "", prints == 0 ? 0 : OOMPH_HLO_PRINT, prints);
  oomph_hlo_answer answer = {};
  return calls_.ask(&request, &answer) == OOMPH_HLO_VALID;
}

}  // namespace oomph
