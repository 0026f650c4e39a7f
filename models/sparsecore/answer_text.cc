// See answer_text.h.
#include "models/sparsecore/answer_text.h"

#include <cstdint>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "models/base/pack.h"
#include "models/base/words.h"
#include "models/sparsecore/text.h"

namespace oomph::sparsecore {
namespace {

std::string SpaceText(Space space) { return std::string(SparseCoreSpaceName(space)); }

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
bool GetSpace(Unpacker& unpacker, Space& into) {
  uint64_t space = 0;
  if (!unpacker.Number(space) || space >= kSparseCoreSpaces) return false;
  into = static_cast<Space>(space);
  return true;
}
bool GetIndex(Unpacker& unpacker, uint32_t& into) {
  uint64_t index = 0;
  if (!unpacker.Number(index) || index > UINT32_MAX) return false;
  into = static_cast<uint32_t>(index);
  return true;
}

}  // namespace

std::string Summary(const Answer& answer) {
  std::string text(StatusWord(static_cast<int>(answer.status)));
  if (answer.overrun) {
    const Overrun& over = *answer.overrun;
    absl::StrAppend(&text, ": ", over.words, " words end at ", over.bound, ", the last of ", SpaceText(over.space), " is ", over.limit);
  }
  std::string_view between = ": ";
  for (size_t s = 0; s < kSparseCoreSpaces; ++s) {
    if (!answer.high_water[s] || *answer.high_water[s] == 0) continue;
    absl::StrAppend(&text, std::string(between), SpaceText(static_cast<Space>(s)), " ", *answer.high_water[s]);
    between = ", ";
  }
  if (!answer.why.empty()) absl::StrAppend(&text, ": ", OneLine(answer.why));
  return text;
}

std::string NameOf(const Program& program, uint32_t buffer) {
  if (buffer >= program.buffers.size()) return "the semaphore of a copy";
  return absl::StrCat(program.buffers[buffer].name, ": ", PrintBuffer(program.buffers[buffer]));
}

std::string PrintAnswer(const Program& program, const Answer& answer) {
  std::string text = absl::StrCat(Summary(answer), "\n");
  for (const Placed& placed : answer.placed) {
    absl::StrAppendFormat(&text, "  %-10s %12u + %-12u %s\n", SpaceText(placed.space), placed.base, placed.words,
                          NameOf(program, placed.buffer));
  }
  if (!answer.message.empty()) absl::StrAppend(&text, OneLine(answer.message), "\n");
  return text;
}

std::string PackAnswer(const Answer& answer) {
  Packer packer;
  packer.Number(static_cast<uint64_t>(answer.status));
  packer.Number(answer.overrun.has_value());
  if (answer.overrun) {
    packer.Number(static_cast<uint64_t>(answer.overrun->space));
    for (const uint64_t n : {answer.overrun->bound, answer.overrun->limit, answer.overrun->words, uint64_t{answer.overrun->buffer}}) {
      packer.Number(n);
    }
  }
  for (const std::optional<uint64_t>& words : answer.high_water) Put(words, packer);
  packer.Number(answer.placed.size());
  for (const Placed& placed : answer.placed) {
    packer.Number(placed.buffer);
    packer.Number(placed.statement);
    packer.Number(static_cast<uint64_t>(placed.space));
    packer.Number(placed.base);
    packer.Number(placed.words);
  }
  packer.Text(answer.message);
  packer.Text(answer.why);
  return packer.bytes();
}

bool UnpackAnswer(std::string_view bytes, Answer& into) {
  into = {};
  Unpacker unpacker(bytes);
  uint64_t status = 0, has = 0, count = 0;
  if (!unpacker.Number(status) || status >= kStatuses || !unpacker.Number(has) || has > 1) return false;
  into.status = static_cast<Status>(status);
  if (has == 1) {
    Overrun& over = into.overrun.emplace();
    if (!GetSpace(unpacker, over.space) || !unpacker.Number(over.bound) || !unpacker.Number(over.limit) ||
        !unpacker.Number(over.words) || !GetIndex(unpacker, over.buffer)) {
      return false;
    }
  }
  for (std::optional<uint64_t>& words : into.high_water) {
    if (!Get(unpacker, words)) return false;
  }
  if (!unpacker.Number(count) || count > bytes.size() / 40) return false;
  for (; count > 0; --count) {
    Placed& placed = into.placed.emplace_back();
    if (!GetIndex(unpacker, placed.buffer) || !GetIndex(unpacker, placed.statement) || !GetSpace(unpacker, placed.space) ||
        !unpacker.Number(placed.base) || !unpacker.Number(placed.words)) {
      return false;
    }
  }
  return unpacker.Text(into.message) && unpacker.Text(into.why) && unpacker.AtEnd();
}

}  // namespace oomph::sparsecore
