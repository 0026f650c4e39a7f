// See planner_answer.h.
#include "subjects/command/planner_answer.h"

#include <sys/wait.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "subjects/child/last_words.h"

namespace oomph::placement {
namespace {

constexpr size_t kMaxQuoted = 200;
constexpr size_t kNoColumn = ~size_t{0};

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == text.npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// One line of plain characters, for a note.
std::string Quoted(std::string_view text) {
  std::string quoted;
  for (const char c : text.substr(0, kMaxQuoted)) quoted += c >= 0x20 && c < 0x7f ? c : '?';
  return quoted;
}

bool TakeLine(std::string_view& text, std::string_view& line) {
  if (text.empty()) return false;
  const size_t end = text.find('\n');
  line = Trim(text.substr(0, end));
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  return true;
}

std::string_view Cell(std::string_view line, size_t column) {
  for (; column > 0; --column) {
    const size_t comma = line.find(',');
    if (comma == line.npos) return "";
    line.remove_prefix(comma + 1);
  }
  return Trim(line.substr(0, line.find(',')));
}

struct Columns {
  size_t id = kNoColumn, offset = kNoColumn;
};

Columns ReadHeader(std::string_view line) {
  Columns columns;
  for (size_t i = 0;; ++i) {
    const size_t comma = line.find(',');
    const std::string_view name = Trim(line.substr(0, comma));
    if (name == "id") columns.id = i;
    if (name == "offset") columns.offset = i;
    if (comma == line.npos) return columns;
    line.remove_prefix(comma + 1);
  }
}

absl::Status Refuse(size_t line, std::string_view what, std::string_view found) {
  return absl::InvalidArgumentError(
      absl::StrCat("line ", line, " of its output: ", std::string(what), ": '", Quoted(found), "'"));
}

bool Number(std::string_view text, uint64_t& into) {
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  return digits && absl::SimpleAtoi(std::string(text), &into);
}

absl::Status ReadRow(std::string_view line, size_t line_number, const Columns& columns, Plan& plan) {
  const std::string_view id = Cell(line, columns.id), cell = Cell(line, columns.offset);
  uint64_t index = 0, offset = 0;
  if (id.size() < 2 || id[0] != 'b' || !Number(id.substr(1), index) || index >= plan.offsets.size()) {
    return Refuse(line_number, "no such buffer", id);
  }
  if (cell.empty()) return absl::OkStatus();
  if (!Number(cell, offset)) return Refuse(line_number, "the offset is no number from 0 to 2^64 - 1", cell);
  if (plan.offsets[index] && *plan.offsets[index] != offset) {
    return Refuse(line_number, "a second offset for the same buffer", line);
  }
  plan.offsets[index] = offset;
  return absl::OkStatus();
}

struct Claim {
  std::string_view word;
  Status status;
};
// The weakest claim first: a solver may say INFEASIBLE of a part and TIMEOUT of the whole.
constexpr Claim kClaims[] = {
    {"TIMEOUT", Status::kTimeout},    {"DEADLINE", Status::kTimeout},
    {"NOT_FOUND", Status::kNotFound}, {"NOT FOUND", Status::kNotFound},
    {"INFEASIBLE", Status::kInfeasible},
};

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

// Not as part of another word; DEADLINE_EXCEEDED holds DEADLINE.
bool HasWord(std::string_view text, std::string_view word) {
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !IsLetter(text[at - 1])) && (end == text.size() || !IsLetter(text[end]))) return true;
  }
  return false;
}

// The signal that ended the program, 0 if none did. A shell in between exits with 128 and the signal.
int SignalOf(const ProgramEnd& end) {
  if (WIFSIGNALED(end.wait_status)) return WTERMSIG(end.wait_status);
  const int code = WEXITSTATUS(end.wait_status);
  return code > 128 && sigabbrev_np(code - 128) != nullptr ? code - 128 : 0;
}

std::string HowItEnded(const ProgramEnd& end) {
  std::string how = absl::StrCat("exit ", WEXITSTATUS(end.wait_status));
  if (const int number = SignalOf(end); number != 0) {
    const char* name = sigabbrev_np(number);
    how = absl::StrCat("signal ", number, " (SIG", name == nullptr ? "?" : name, ")");
    if (number == SIGXFSZ) how += ": it wrote too much";
  }
  const std::string_view last = LastWords(end.said);
  return last.empty() ? how : absl::StrCat(how, ", after writing: ", Quoted(last));
}

void End(Status status, std::string note, Plan& plan) {
  plan = {};
  plan.status = status;
  plan.note = std::move(note);
}

}  // namespace

std::string NameForPlanner(size_t index) { return absl::StrCat("b", index); }

absl::Status ReadOffsets(std::string_view text, size_t num_buffers, Plan& plan) {
  plan.offsets.assign(num_buffers, std::nullopt);
  Columns columns;
  bool has_header = false;
  size_t line_number = 0;
  for (std::string_view line; TakeLine(text, line);) {
    ++line_number;
    if (line.empty() || line.front() == '#') continue;
    if (!has_header) {
      columns = ReadHeader(line);
      has_header = true;
      if (columns.id == kNoColumn || columns.offset == kNoColumn) {
        return Refuse(line_number, "the header lacks id or offset", line);
      }
      continue;
    }
    if (absl::Status status = ReadRow(line, line_number, columns, plan); !status.ok()) return status;
  }
  return has_header ? absl::OkStatus() : absl::InvalidArgumentError("its output has no header");
}

std::optional<Status> ClaimOf(std::string_view said) {
  for (const Claim& claim : kClaims) {
    if (HasWord(said, claim.word)) return claim.status;
  }
  return std::nullopt;
}

void ReadAnswer(const ProgramEnd& end, size_t num_buffers, Plan& plan) {
  plan = {};
  const bool ended_well = WIFEXITED(end.wait_status) && WEXITSTATUS(end.wait_status) == 0;
  if (SignalOf(end) != 0) return End(Status::kDied, HowItEnded(end), plan);
  if (ended_well && end.offsets && !Trim(*end.offsets).empty()) {
    const absl::Status status = ReadOffsets(*end.offsets, num_buffers, plan);
    if (!status.ok()) return End(Status::kRubbish, std::string(status.message()), plan);
    plan.status = Status::kFeasible;
    return;
  }
  if (const auto claim = ClaimOf(end.said)) return End(*claim, HowItEnded(end), plan);
  if (!ended_well) return End(Status::kDied, HowItEnded(end), plan);
  const std::string what = num_buffers == 0 ? "no header" : "no offsets";
  End(Status::kRubbish, absl::StrCat("it wrote ", what, " and none of the words for that; ", HowItEnded(end)), plan);
}

}  // namespace oomph::placement
