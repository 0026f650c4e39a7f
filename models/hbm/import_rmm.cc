// See import_rmm.h.
#include "models/hbm/import_rmm.h"

#include <array>
#include <charconv>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace oomph::hbm {
namespace {

constexpr uint64_t kGranule = 256;  // what rmm aligns every size to
constexpr size_t kMaxColumns = 64;

enum Column : size_t { kAction, kPointer, kSize, kNumColumns };
constexpr std::array<std::string_view, kNumColumns> kColumns = {"Action", "Pointer", "Size"};

struct Field {
  std::string_view text;
  size_t column = 1;  // of its first character, from 1
};

std::string_view NextLine(std::string_view& text) {
  const size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::vector<Field> Split(std::string_view line) {
  std::vector<Field> fields;
  size_t at = 0;
  while (fields.size() < kMaxColumns) {
    const size_t comma = line.find(',', at);
    fields.push_back({line.substr(at, comma == line.npos ? line.npos : comma - at), at + 1});
    if (comma == line.npos) break;
    at = comma + 1;
  }
  return fields;
}

class Reader {
 public:
  explicit Reader(std::string_view file_name) : file_name_(file_name) {}

  absl::StatusOr<std::vector<LoggedEvent>> Read(std::string_view text) {
    absl::Status status = ReadHeader(NextLine(text));
    for (line_ = 2; status.ok() && !text.empty(); ++line_) {
      const std::string_view line = NextLine(text);
      if (line.find_first_not_of(" \t") == line.npos) continue;
      if (log_.size() == kMaxLoggedEvents)
        return Refuse(1, absl::StrCat("at most ", kMaxLoggedEvents, " calls"), line);
      status = ReadLine(Split(line), line);
    }
    if (!status.ok()) return status;
    return std::move(log_);
  }

 private:
  absl::Status Refuse(size_t column, std::string_view expected, std::string_view found) const {
    return absl::InvalidArgumentError(absl::StrCat(std::string(file_name_), ":", line_, ":", column,
                                                   ": expected ", std::string(expected), ", found \"",
                                                   std::string(found.substr(0, 60)), "\""));
  }

  absl::Status ReadHeader(std::string_view line) {
    const std::vector<Field> fields = Split(line);
    for (size_t column = 0; column < kNumColumns; ++column) {
      size_t at = 0;
      while (at < fields.size() && fields[at].text != kColumns[column]) ++at;
      if (at == fields.size())
        return Refuse(1, absl::StrCat("a column ", std::string(kColumns[column])), line);
      place_[column] = at;
    }
    num_fields_ = fields.size();
    return absl::OkStatus();
  }

  absl::Status ReadLine(const std::vector<Field>& fields, std::string_view line) {
    if (fields.size() != num_fields_) return Refuse(1, absl::StrCat(num_fields_, " columns"), line);
    const Field action = fields[place_[kAction]], pointer = fields[place_[kPointer]],
                size = fields[place_[kSize]];
    LoggedEvent event = {};
    if (action.text == "allocate") {
      event.call = LoggedCall::kAllocated;
    } else if (action.text == "free") {
      event.call = LoggedCall::kFreed;
    } else if (action.text == "allocate failure") {
      event.call = LoggedCall::kRefused;
    } else {
      return Refuse(action.column, "allocate, free or allocate failure", action.text);
    }
    const auto [end, error] =
        std::from_chars(size.text.data(), size.text.data() + size.text.size(), event.size);
    if (error != std::errc() || end != size.text.data() + size.text.size()) {
      return Refuse(size.column, "a size in bytes below 2^64", size.text);
    }
    const std::optional<uint64_t> address = ReadHex(pointer.text);
    if (!address && event.call != LoggedCall::kRefused)
      return Refuse(pointer.column, "an address", pointer.text);
    event.pointer = address.value_or(0);
    log_.push_back(event);
    return absl::OkStatus();
  }

  const std::string_view file_name_;
  size_t line_ = 1;
  std::array<size_t, kNumColumns> place_ = {};
  size_t num_fields_ = 0;
  std::vector<LoggedEvent> log_;
};

}  // namespace

bool LooksLikeRmmLog(std::string_view text) {
  return text.substr(0, text.find('\n')).find("Action,Pointer,Size") != text.npos;
}

absl::StatusOr<Imported> ImportRmmLog(std::string_view file_name, std::string_view text,
                                      const ImportOptions& options) {
  const auto log = Reader(file_name).Read(text);
  if (!log.ok()) return log.status();
  return TraceOfLog(*log, kGranule, options);
}

}  // namespace oomph::hbm
