// See answer_text.h.
#include "models/hlo/answer_text.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "models/base/pack.h"
#include "models/base/words.h"
#include "models/hlo/explain.h"
#include "models/hlo/plan_text.h"

namespace oomph::hlo {
namespace {

constexpr std::array<std::string_view, kStatuses> kWords = {"not_run", "valid", "invalid", "unread",
                                                            "died",    "hung",  "rubbish", "declined"};
constexpr uint64_t kMagic = 0x3441'4c48'6d6f'6f6f;  // to be changed with any field

}  // namespace

std::string_view StatusWord(Status status) { return kWords[static_cast<size_t>(status)]; }

std::string Summary(const Answer& answer) {
  const std::string word(StatusWord(answer.status));
  // Who watched it begins with the word as well, and ends with all that was written.
  // A compiler's message has its name in the first line and says why in the next.
  std::string message = answer.why;
  if (answer.status == Status::kDeclined) std::replace(message.begin(), message.end(), '\n', ' ');
  const std::string_view why = std::string_view(message).substr(0, message.find('\n'));
  if (why.starts_with(word)) return OneLine(why);
  return why.empty() ? word : absl::StrCat(word, ": ", OneLine(why));
}

std::string PrintAnswer(const Answer& answer) {
  std::string text = Summary(answer) + "\n";
  if (answer.total_peak) absl::StrAppend(&text, "peak: ", *answer.total_peak, " bytes\n");
  for (const SpacePeak& peak : answer.peaks) {
    absl::StrAppend(&text, "  ", SpaceName(peak.space), ": ", peak.bytes, " bytes\n");
  }
  absl::StrAppend(&text, DescribePlans(answer));
  return text + answer.text;
}

std::string PackAnswer(const Answer& answer) {
  Packer packer;
  packer.Number(kMagic);
  packer.Number(static_cast<uint64_t>(answer.status));
  packer.Number(static_cast<uint64_t>(answer.order));
  packer.Number(answer.rule ? 1 + static_cast<uint64_t>(*answer.rule) : 0);
  packer.Text(answer.why);
  packer.Text(answer.text);
  packer.Number(answer.total_peak.has_value());
  packer.Number(answer.total_peak.value_or(0));
  packer.Number(answer.peaks.size());
  for (const SpacePeak& peak : answer.peaks) packer.Number(peak.space), packer.Number(peak.bytes);
  packer.Text(PrintPlans(answer));
  return packer.bytes();
}

bool UnpackAnswer(std::string_view bytes, Answer& into) {
  into = {};
  Unpacker unpacker(bytes);
  uint64_t magic = 0, status = 0, order = 0, rule = 0, told = 0, total = 0, peaks = 0;
  if (!unpacker.Number(magic) || magic != kMagic || !unpacker.Number(status) || status >= kStatuses) return false;
  if (!unpacker.Number(order) || order >= std::size(kOrderNames)) return false;
  if (!unpacker.Number(rule) || rule > kRules || !unpacker.Text(into.why) || !unpacker.Text(into.text)) return false;
  if (!unpacker.Number(told) || told > 1 || !unpacker.Number(total) || (told == 0 && total != 0)) return false;
  if (!unpacker.Number(peaks) || peaks > bytes.size() / (2 * sizeof(uint64_t))) return false;
  for (; peaks > 0; --peaks) {
    uint64_t space = 0;
    SpacePeak& peak = into.peaks.emplace_back();
    if (!unpacker.Number(space) || space > UINT32_MAX || !unpacker.Number(peak.bytes)) return false;
    peak.space = static_cast<uint32_t>(space);
  }
  std::string plans;
  if (!unpacker.Text(plans) || !ReadPlans(plans, into).ok()) return false;
  into.status = static_cast<Status>(status);
  into.order = static_cast<Order>(order);
  if (rule > 0) into.rule = static_cast<Rule>(rule - 1);
  if (told == 1) into.total_peak = total;
  return unpacker.AtEnd();
}

}  // namespace oomph::hlo
