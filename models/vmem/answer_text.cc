// See answer_text.h.
#include "models/vmem/answer_text.h"

#include <array>
#include <cstdint>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "models/base/pack.h"
#include "models/base/words.h"

namespace oomph::vmem {
namespace {

constexpr std::array<std::string_view, kStatuses> kStatusWords = {"not_run",  "accepted", "over_limit", "over_capacity",
                                                                  "declined", "died",     "hung",       "rubbish"};
constexpr std::string_view kPartWords[] = {"scratch", "in", "out", "stack"};

std::string BytesText(uint64_t bytes) { return absl::StrCat(bytes, " (", FormatBytes(bytes), ")"); }

std::string ShapeText(Type type, const std::vector<uint64_t>& shape) {
  return absl::StrCat(std::string(hlo::RowOf(type).name), "[", absl::StrJoin(shape, ","), "]");
}

std::string PrintedText(const PrintedBytes& printed) {
  const std::string sign = printed.negative ? "-" : "";
  if (printed.lowest == printed.highest) return absl::StrCat(sign, printed.lowest);
  return absl::StrCat(sign, printed.lowest, "..", printed.highest);
}

void Put(const std::optional<PrintedBytes>& printed, Packer& packer) {
  packer.Number(printed.has_value());
  if (!printed) return;
  packer.Number(printed->lowest);
  packer.Number(printed->highest);
  packer.Number(printed->negative);
}
bool Get(Unpacker& unpacker, std::optional<PrintedBytes>& into) {
  uint64_t has = 0, negative = 0;
  PrintedBytes printed;
  if (!unpacker.Number(has) || has > 1) return false;
  if (has == 0) return true;
  if (!unpacker.Number(printed.lowest) || !unpacker.Number(printed.highest) || !unpacker.Number(negative)) return false;
  printed.negative = negative != 0;
  into = printed;
  return true;
}
void Put(std::optional<uint64_t> number, Packer& packer) {
  packer.Number(number.has_value());
  if (number) packer.Number(*number);
}
bool Get(Unpacker& unpacker, std::optional<uint64_t>& into) {
  uint64_t has = 0, number = 0;
  if (!unpacker.Number(has) || has > 1) return false;
  if (has == 0) return true;
  if (!unpacker.Number(number)) return false;
  into = number;
  return true;
}

}  // namespace

std::string_view StatusWord(Status status) { return kStatusWords[static_cast<size_t>(status)]; }
std::string_view PartWord(Part part) { return kPartWords[static_cast<size_t>(part)]; }

std::string Summary(const Answer& answer) {
  std::string text(StatusWord(answer.status));
  if (answer.used) {
    const std::string_view how = answer.exact() ? "" : answer.at_least ? "at least " : answer.at_most ? "at most " : "about ";
    absl::StrAppend(&text, ": ", std::string(how), BytesText(*answer.used));
  }
  if (answer.limit) absl::StrAppend(&text, " under a limit of ", *answer.limit, " (", FormatSignedBytes(*answer.limit), ")");
  if (answer.printed_size) absl::StrAppend(&text, ", prints ", PrintedText(*answer.printed_size));
  if (answer.printed_limit) absl::StrAppend(&text, " of ", PrintedText(*answer.printed_limit));
  if (!answer.why.empty()) absl::StrAppend(&text, ": ", OneLine(answer.why));
  return text;
}

std::string NameOf(const Kernel& kernel, const PartBytes& part) {
  std::string name(PartWord(part.part));
  if (part.part == Part::kStack) return name;
  absl::StrAppend(&name, " ", part.index);
  if (part.part == Part::kScratch) {
    if (part.index >= kernel.scratch.size()) return name;
    const Buffer& buffer = kernel.scratch[part.index];
    return absl::StrCat(name, ": ", ShapeText(buffer.type, buffer.shape));
  }
  const std::vector<Operand>& operands = part.part == Part::kInput ? kernel.inputs : kernel.outputs;
  if (part.index >= operands.size()) return name;
  const Operand& operand = operands[part.index];
  std::vector<uint64_t> block;
  for (const BlockDimension& dimension : operand.block) block.push_back(dimension.size);
  return absl::StrCat(name, ": ", ShapeText(operand.type, operand.block.empty() ? operand.array : block));
}

std::string PrintAnswer(const Kernel& kernel, const Answer& answer) {
  std::string text = absl::StrCat(Summary(answer), "\n");
  size_t width = 0;
  for (const PartBytes& part : answer.parts) width = std::max(width, NameOf(kernel, part).size());
  for (const PartBytes& part : answer.parts) {
    std::string name = NameOf(kernel, part);
    name.append(width - name.size(), ' ');
    absl::StrAppendFormat(&text, "  %s %12u = %u x %u\n", name, part.bytes, part.levels, part.padded);
  }
  if (!answer.message.empty()) absl::StrAppend(&text, OneLine(answer.message), "\n");
  return text;
}

std::string PackAnswer(const Answer& answer) {
  Packer packer;
  packer.Number(static_cast<uint64_t>(answer.status));
  packer.Number(uint64_t{answer.at_least} << 1 | uint64_t{answer.at_most});
  Put(answer.used, packer);
  Put(answer.limit ? std::optional(static_cast<uint64_t>(*answer.limit)) : std::nullopt, packer);
  Put(answer.printed_size, packer);
  Put(answer.printed_limit, packer);
  packer.Number(answer.parts.size());
  for (const PartBytes& part : answer.parts) {
    packer.Number(static_cast<uint64_t>(part.part));
    packer.Number(part.index);
    packer.Number(part.padded);
    packer.Number(part.levels);
    packer.Number(part.bytes);
  }
  packer.Text(answer.message);
  packer.Text(answer.why);
  return packer.bytes();
}

bool UnpackAnswer(std::string_view bytes, Answer& into) {
  into = {};
  Unpacker unpacker(bytes);
  uint64_t status = 0, bounds = 0, count = 0;
  if (!unpacker.Number(status) || status >= kStatuses || !unpacker.Number(bounds) || bounds > 3) return false;
  into.status = static_cast<Status>(status);
  into.at_least = (bounds & 2) != 0;
  into.at_most = (bounds & 1) != 0;
  std::optional<uint64_t> limit;
  if (!Get(unpacker, into.used) || !Get(unpacker, limit)) return false;
  if (limit) into.limit = static_cast<int64_t>(*limit);
  if (!Get(unpacker, into.printed_size) || !Get(unpacker, into.printed_limit) || !unpacker.Number(count)) return false;
  if (count > bytes.size() / 40) return false;
  for (; count > 0; --count) {
    PartBytes& part = into.parts.emplace_back();
    uint64_t which = 0, index = 0;
    if (!unpacker.Number(which) || which > static_cast<uint64_t>(Part::kStack) || !unpacker.Number(index)) return false;
    part.part = static_cast<Part>(which);
    part.index = static_cast<uint32_t>(index);
    if (!unpacker.Number(part.padded) || !unpacker.Number(part.levels) || !unpacker.Number(part.bytes)) return false;
  }
  return unpacker.Text(into.message) && unpacker.Text(into.why) && unpacker.AtEnd();
}

}  // namespace oomph::vmem
