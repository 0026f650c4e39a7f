// See plan_text.h.
#include "models/placement/plan_text.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "models/base/words.h"
#include "models/placement/text.h"

namespace oomph::placement {
namespace {

constexpr size_t kColumns = 4;
using Cells = std::array<std::string, kColumns>;

Cells CellsOf(const Buffer& buffer, const Plan& plan, size_t i) {
  const bool has = i < plan.offsets.size() && plan.offsets[i].has_value();
  return {OneLine(buffer.id), absl::StrCat("[", buffer.start, ",", buffer.end, ")"),
          absl::StrCat(buffer.size), has ? absl::StrCat(*plan.offsets[i]) : "-"};
}

std::string Summary(const Plan& plan) {
  std::string text(StatusWord(plan.status));
  const auto tell = [&](const char* what, const std::optional<uint64_t>& value) {
    if (value) absl::StrAppend(&text, ", ", what, " ", *value);
  };
  tell("peak", plan.peak);
  tell("lower bound", plan.lower_bound);
  tell("nodes", plan.nodes);
  if (plan.budget_spent) text += ", budget spent";
  if (plan.offsets.empty()) text += ", no offsets";
  return text;
}

// ---- Bytes ----

// An optional number: whether it is there, then the number, 0 where it is not.
constexpr size_t kOptionalBytes = 9;
constexpr uint64_t kMagic = 0x3150'4c50'6d6f'6f6f;  // to be changed with any field

void Put(uint64_t number, std::string& bytes) {
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(number >> (8 * i));
}
void Put(const std::optional<uint64_t>& number, std::string& bytes) {
  bytes += static_cast<char>(number.has_value());
  Put(number.value_or(0), bytes);
}

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}

  uint64_t Number() {
    if (!Has(8)) return 0;
    uint64_t number = 0;
    for (int i = 0; i < 8; ++i)
      number |= static_cast<uint64_t>(static_cast<unsigned char>(rest_[i])) << (8 * i);
    rest_.remove_prefix(8);
    return number;
  }
  uint64_t Below(uint64_t bound) {
    if (!Has(1)) return 0;
    const uint64_t value = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    ok_ = ok_ && value < bound;
    return value;
  }
  std::optional<uint64_t> Optional() {
    const bool there = Below(2) == 1;
    const uint64_t number = Number();
    ok_ = ok_ && (there || number == 0);
    return there ? std::optional(number) : std::nullopt;
  }
  std::string_view rest() const { return rest_; }
  bool ok() const { return ok_; }

 private:
  bool Has(size_t bytes) {
    ok_ = ok_ && rest_.size() >= bytes;
    return ok_;
  }
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace

std::string PrintPlan(const Problem& problem, const Plan& plan) {
  std::vector<Cells> rows = {{"buffer", "live", "size", "offset"}};
  rows.reserve(problem.buffers.size() + 1);
  if (!plan.offsets.empty()) {
    for (size_t i = 0; i < problem.buffers.size(); ++i) rows.push_back(CellsOf(problem.buffers[i], plan, i));
  }
  std::array<size_t, kColumns> widths{};
  for (const Cells& row : rows) {
    for (size_t c = 0; c < kColumns; ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text = Summary(plan) + "\n";
  if (!plan.note.empty()) absl::StrAppend(&text, "note: ", OneLine(plan.note), "\n");
  if (plan.offsets.empty()) return text;
  for (const Cells& row : rows) {
    text.append(row[0]).append(widths[0] - row[0].size(), ' ');  // names to the left, numbers to the right
    for (size_t c = 1; c < kColumns; ++c) text.append(widths[c] - row[c].size() + 2, ' ').append(row[c]);
    text += '\n';
  }
  return text;
}

std::string PackPlan(const Plan& plan) {
  std::string bytes;
  bytes.reserve(64 + kOptionalBytes * plan.offsets.size() + plan.note.size());
  Put(kMagic, bytes);
  bytes += static_cast<char>(plan.status);
  bytes += static_cast<char>(plan.budget_spent);
  Put(plan.peak, bytes);
  Put(plan.lower_bound, bytes);
  Put(plan.nodes, bytes);
  Put(plan.offsets.size(), bytes);
  for (const std::optional<uint64_t>& offset : plan.offsets) Put(offset, bytes);
  Put(plan.note.size(), bytes);
  bytes += plan.note;
  return bytes;
}

bool UnpackPlan(std::string_view bytes, Plan& into) {
  into = {};
  Unpacker unpacker(bytes);
  if (unpacker.Number() != kMagic) return false;
  into.status = static_cast<Status>(unpacker.Below(kNumStatuses));
  into.budget_spent = unpacker.Below(2) == 1;
  into.peak = unpacker.Optional();
  into.lower_bound = unpacker.Optional();
  into.nodes = unpacker.Optional();
  const uint64_t count = unpacker.Number();
  if (!unpacker.ok() || count > unpacker.rest().size() / kOptionalBytes) return false;
  into.offsets.reserve(count);
  for (uint64_t i = 0; i < count; ++i) into.offsets.push_back(unpacker.Optional());
  const uint64_t length = unpacker.Number();
  into.note = unpacker.rest();
  return unpacker.ok() && length == into.note.size();
}

}  // namespace oomph::placement
