// See text.h. The columns stand in one table; what minimalloc reads and writes is a part of it (its converter
// takes the same synonyms, and counts the bound under `end`, and of gaps beside it, as the last time in use).
#include "models/placement/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "models/base/scanner.h"
#include "models/base/units.h"
#include "models/placement/csv.h"

namespace oomph::placement {
namespace {

using std::string_view;

enum Column : uint8_t {
  kId,
  kLower,
  kUpper,
  kSize,
  kAlignment,
  kHint,
  kGaps,
  kOffset,
  kSpace,
  kGroup,
  kSlices,
  kNumColumns
};

struct ColumnName {
  string_view name;
  Column column;
  bool inclusive = false;  // upper bounds are the last time in use
};
// The first of a column is what is printed.
constexpr ColumnName kColumnNames[] = {
    {"id", kId},       {"buffer", kId},     {"buffer_id", kId},        {"lower", kLower},
    {"start", kLower}, {"begin", kLower},   {"upper", kUpper},         {"end", kUpper, true},
    {"size", kSize},   {"gaps", kGaps},     {"alignment", kAlignment}, {"hint", kHint},
    {"space", kSpace}, {"offset", kOffset}, {"group", kGroup},         {"slices", kSlices},
};
constexpr Column kRequired[] = {kLower, kUpper, kSize};

string_view NameOf(Column column) {
  for (const ColumnName& name : kColumnNames) {
    if (name.column == column) return name.name;
  }
  return "";
}

char Small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Large letters are as good as small ones.
const ColumnName* FindColumn(string_view name) {
  const auto equal = [](char a, char b) { return a == Small(b); };
  for (const ColumnName& known : kColumnNames) {
    if (std::equal(known.name.begin(), known.name.end(), name.begin(), name.end(), equal)) return &known;
  }
  return nullptr;
}

// One letter more, less or other, or two in each other's place.
bool IsOneSlipFrom(string_view known, string_view name) {
  size_t same = 0;
  while (same < std::min(known.size(), name.size()) && known[same] == Small(name[same])) ++same;
  known.remove_prefix(same), name.remove_prefix(same);
  const auto equal = [](string_view a, string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return x == Small(y); });
  };
  const string_view known_rest = known.empty() ? known : known.substr(1), rest = name.empty() ? name : name.substr(1);
  if (equal(known_rest, name) || equal(known, rest) || equal(known_rest, rest)) return true;
  return known.size() > 1 && name.size() > 1 && known[0] == Small(name[1]) && known[1] == Small(name[0]) &&
         equal(known.substr(2), name.substr(2));
}

// The column that was meant by an unknown name, empty if none. Short names are one slip from too much.
string_view MeantColumn(string_view name) {
  constexpr size_t kShort = 4;
  for (const ColumnName& known : kColumnNames) {
    if (known.name.size() >= kShort && IsOneSlipFrom(known.name, name)) return known.name;
  }
  return "";
}

// What may follow `# oomph` in a problem's comment: the capacity is ours, the others fuzz/store/case_file.h reads.
constexpr string_view kDirectives[] = {"capacity", "subject", "expect", "limit", "owner", "upstream"};

// ---- Numbers ----

// Decimal or 0x hex, with KiB, MiB, GiB or TiB: the whole text.
std::optional<uint64_t> ParseBytes(string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return value;
  const ScannedNumber number = ScanNumber(text);
  if (number.length == 0 || number.length != text.size() || number.too_large) return std::nullopt;
  return number.value;
}

std::optional<int64_t> ParseTime(string_view text, bool inclusive) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!inclusive) return value;
  if (value == INT64_MAX) return std::nullopt;
  return value + 1;
}

constexpr string_view kBytesExpected = "a number of bytes below 2^64";
constexpr string_view kTimeExpected = "a whole number from -2^63 to 2^63 - 1";
constexpr string_view kEndExpected = "a whole number from -2^63 to 2^63 - 2";
constexpr string_view kSmallExpected = "a number below 2^32";
// Rectangles that gaps and slices cut a buffer into, and all buffers.
constexpr size_t kMaxPieces = size_t{1} << 16, kMaxAllPieces = size_t{1} << 25;

constexpr string_view kGapExpected = "gaps as 3-5 or 3-5@0:16, with a blank between them";
constexpr string_view kSlicesExpected = "slices as 16@3, with a blank between them";

template <typename Number>
void AppendNumber(Number number, std::string& into) {
  char digits[24];
  into.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

// ---- Gaps and slices ----

// Splits at the first `separator` after the first character (a sign is not one). False: there is none.
bool SplitAt(char separator, string_view text, string_view& left, string_view& right) {
  const size_t at = text.find(separator, 1);
  if (at == string_view::npos) return false;
  left = text.substr(0, at);
  right = text.substr(at + 1);
  return true;
}

bool ParseGap(string_view text, bool inclusive, Gap& gap) {
  string_view times = text, window, lower, upper;
  if (text.find('@') != string_view::npos) {
    if (!SplitAt('@', text, times, window) || !SplitAt(':', window, lower, upper)) return false;
    const std::optional<uint64_t> from = ParseBytes(lower), to = ParseBytes(upper);
    if (!from || !to) return false;
    gap.window_lower = *from;
    gap.window_upper = *to;
  }
  if (!SplitAt('-', times, lower, upper)) return false;
  const std::optional<int64_t> from = ParseTime(lower, false), to = ParseTime(upper, inclusive);
  if (!from || !to) return false;
  gap.lower = *from;
  gap.upper = *to;
  return true;
}

bool ParseSlice(string_view text, bool, Slice& slice) {
  string_view size, start;
  if (!SplitAt('@', text, size, start)) return false;
  const std::optional<uint64_t> bytes = ParseBytes(size);
  const std::optional<int64_t> time = ParseTime(start, false);
  if (!bytes || !time) return false;
  slice = {*bytes, *time};
  return true;
}

// ---- Reading ----

class ProblemReader {
 public:
  ProblemReader(string_view name, string_view text, Problem& into)
      : csv_(name, text), name_(name), into_(into) {
    into_ = {};
    into_.buffers.reserve(std::min<size_t>(text.size() / 16, size_t{1} << 20));
  }

  absl::Status Read() {
    if (!csv_.NextRow()) {
      if (csv_.ok()) csv_.Refuse("a header with lower, upper and size", "");
      return csv_.status();
    }
    ReadHeader();
    while (csv_.NextRow()) ReadRow();
    ReadCapacity();
    return csv_.status();
  }

 private:
  static constexpr int kUnknown = -1;

  void ReadHeader();
  void ReadRow();
  void ReadCapacity();
  void ReadCell(Column column, string_view cell, Buffer& buffer);
  uint64_t Bytes(string_view text, string_view piece) {
    const std::optional<uint64_t> bytes = ParseBytes(text);
    if (!bytes) csv_.Refuse(kBytesExpected, piece);
    return bytes.value_or(0);
  }
  uint32_t Small(string_view text, string_view piece) {
    const std::optional<uint64_t> number = ParseBytes(text);
    if (!number || *number > UINT32_MAX) csv_.Refuse(kSmallExpected, piece);
    return static_cast<uint32_t>(number.value_or(0));
  }
  int64_t Time(string_view text, string_view piece, bool inclusive) {
    const std::optional<int64_t> time = ParseTime(text, inclusive);
    if (!time) csv_.Refuse(inclusive ? kEndExpected : kTimeExpected, piece);
    return time.value_or(0);
  }
  template <typename Part>
  void Parts(string_view text, string_view expected, bool (*parse)(string_view, bool, Part&),
             std::vector<Part>& into) {
    while (csv_.ok() && !text.empty()) {
      const size_t end = std::min(text.find(' '), text.size());
      Part part;
      if (end > 0 && !parse(text.substr(0, end), inclusive_, part))
        csv_.Refuse(expected, text.substr(0, end));
      if (end > 0) into.push_back(part);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  CsvReader csv_;
  const string_view name_;
  Problem& into_;
  std::vector<int> columns_;  // of each cell
  bool has_id_ = false, inclusive_ = false;
  size_t pieces_ = 0;  // of the buffers so far
  std::string scratch_;
};

void ProblemReader::ReadHeader() {
  std::array<bool, kNumColumns> has{};
  std::string extra_columns;
  const std::vector<string_view> cells = csv_.cells();  // a copy: an error empties the reader's
  if (cells.size() > kMaxCsvColumns) {
    return csv_.Refuse("at most " + std::to_string(kMaxCsvColumns) + " columns", cells[kMaxCsvColumns]);
  }
  for (string_view cell : cells) {
    const string_view name = CellText(cell, scratch_);
    const ColumnName* known = FindColumn(name);
    if (name.empty()) return csv_.Refuse("the name of a column", cell);
    if (known == nullptr) {
      if (cells.size() == 1 && name.find_first_of(";\t") != string_view::npos) {
        return csv_.Refuse("commas between the columns", cell);
      }
      if (const string_view meant = MeantColumn(name); !meant.empty()) {
        return csv_.Refuse(std::string("the column ").append(meant).append(", or a name less like it"), cell);
      }
      // Twice the same would be kept, but whoever reads by name could not tell them apart.
      for (string_view other : cells) {
        if (other.data() < cell.data() && other == cell) return csv_.Refuse("a column once", cell);
      }
      if (!extra_columns.empty()) extra_columns += ',';
      extra_columns += cell;
      columns_.push_back(kUnknown);
      continue;
    }
    if (has[known->column]) return csv_.Refuse("a column once", cell);
    has[known->column] = true;
    columns_.push_back(known->column);
    inclusive_ = inclusive_ || known->inclusive;
  }
  for (Column column : kRequired) {
    if (!has[column]) return csv_.Refuse(std::string("a column ").append(NameOf(column)), "");
  }
  has_id_ = has[kId];
  into_.extra_columns = extra_columns;
}

void ProblemReader::ReadRow() {
  if (csv_.cells().size() != columns_.size()) {
    const bool more = csv_.cells().size() > columns_.size();
    const std::string expected = std::to_string(columns_.size()) + " cells, as the header has";
    return csv_.Refuse(expected, more ? csv_.cells()[columns_.size()] : string_view());
  }
  Buffer& buffer = into_.buffers.emplace_back();
  if (!has_id_) buffer.id = std::to_string(into_.buffers.size() - 1);
  bool first_extra = true;
  for (size_t i = 0; i < columns_.size() && csv_.ok(); ++i) {
    const string_view cell = csv_.cells()[i];
    if (columns_[i] != kUnknown) {
      ReadCell(static_cast<Column>(columns_[i]), cell, buffer);
    } else {
      if (!first_extra) buffer.extra += ',';
      buffer.extra += cell;
      first_extra = false;
    }
  }
  // Slices times gaps: a line of a few kilobytes must not become gigabytes of rectangles.
  const size_t pieces = (2 * buffer.gaps.size() + buffer.slices.size() + 1) * (buffer.slices.size() + 1);
  pieces_ += pieces;
  if (csv_.ok() && ((!buffer.slices.empty() && pieces > kMaxPieces) || pieces_ > kMaxAllPieces)) {
    csv_.Refuse("gaps and slices that cut all buffers into fewer pieces (at most " + std::to_string(kMaxPieces) +
                " of one, " + std::to_string(kMaxAllPieces) + " in all)", "");
  }
  if (!csv_.ok()) into_.buffers.pop_back();
}

void ProblemReader::ReadCell(Column column, string_view cell, Buffer& buffer) {
  const string_view text = CellText(cell, scratch_);
  const bool may_be_empty = column != kLower && column != kUpper && column != kSize;
  if (text.empty() && may_be_empty) return;
  switch (column) {
    case kId:
      buffer.id = text;
      return;
    case kLower:
      buffer.start = Time(text, cell, false);
      return;
    case kUpper:
      buffer.end = Time(text, cell, inclusive_);
      return;
    case kSize:
      buffer.size = Bytes(text, cell);
      return;
    case kAlignment:
      buffer.alignment = Bytes(text, cell);
      return;
    case kHint:
      buffer.hint = Bytes(text, cell);
      return;
    case kOffset:
      buffer.fixed = Bytes(text, cell);
      return;
    case kSpace:
      buffer.space = Small(text, cell);
      return;
    case kGroup:
      buffer.group = Small(text, cell);
      return;
    case kGaps:
      Parts(text, kGapExpected, ParseGap, buffer.gaps);
      return;
    case kSlices:
      Parts(text, kSlicesExpected, ParseSlice, buffer.slices);
      return;
    case kNumColumns:
      return;
  }
}

// N of `path/NAME.N.csv`, minimalloc's way to say the capacity.
std::optional<uint64_t> CapacityOfName(string_view name) {
  constexpr string_view kExtension = ".csv";
  if (!name.ends_with(kExtension)) return std::nullopt;
  name.remove_suffix(kExtension.size());
  const size_t dot = name.rfind('.');
  if (dot == string_view::npos || dot == 0 || name[dot - 1] == '/') return std::nullopt;
  const string_view digits = name.substr(dot + 1);
  if (digits.find_first_not_of("0123456789") != string_view::npos) return std::nullopt;
  return ParseBytes(digits);
}

void ProblemReader::ReadCapacity() {
  if (!csv_.ok()) return;
  into_.capacity = CapacityOfName(name_);
  for (const CsvReader::Line& line : csv_.directives()) {
    for (const Directive& directive : FindDirectives(line.text)) {
      if (std::find(std::begin(kDirectives), std::end(kDirectives), directive.key) == std::end(kDirectives)) {
        return csv_.Refuse("oomph capacity, subject, expect, owner or upstream", directive.key, line);
      }
      if (directive.key != "capacity") continue;
      into_.capacity = ParseBytes(directive.value);
      if (!into_.capacity) return csv_.Refuse(kBytesExpected, directive.value, line);
    }
  }
}

// ---- Printing ----

struct PrintedColumn {
  Column column;
  bool (*needed)(const Buffer& buffer);
  void (*print)(const Buffer& buffer, std::string& into);
};

bool Always(const Buffer&) { return true; }

void PrintGaps(const Buffer& buffer, std::string& into) {
  for (const Gap& gap : buffer.gaps) {
    if (&gap != buffer.gaps.data()) into += ' ';
    AppendNumber(gap.lower, into);
    into += '-';
    AppendNumber(gap.upper, into);
    if (gap.window_lower == 0 && gap.window_upper == 0) continue;
    AppendNumber(gap.window_lower, into += '@');
    AppendNumber(gap.window_upper, into += ':');
  }
}

void PrintSlices(const Buffer& buffer, std::string& into) {
  for (const Slice& slice : buffer.slices) {
    if (&slice != buffer.slices.data()) into += ' ';
    AppendNumber(slice.size, into);
    AppendNumber(slice.start, into += '@');
  }
}

// In the order in which they are printed: minimalloc's, then ours.
constexpr PrintedColumn kPrinted[] = {
    {kId, Always, [](const Buffer& b, std::string& into) { AppendCell(b.id, into); }},
    {kLower, Always, [](const Buffer& b, std::string& into) { AppendNumber(b.start, into); }},
    {kUpper, Always, [](const Buffer& b, std::string& into) { AppendNumber(b.end, into); }},
    {kSize, Always, [](const Buffer& b, std::string& into) { AppendNumber(b.size, into); }},
    {kAlignment, [](const Buffer& b) { return b.alignment != 1; },
     [](const Buffer& b, std::string& into) { AppendNumber(b.alignment, into); }},
    {kHint, [](const Buffer& b) { return b.hint.has_value(); },
     [](const Buffer& b, std::string& into) {
       if (b.hint) AppendNumber(*b.hint, into);
     }},
    {kGaps, [](const Buffer& b) { return !b.gaps.empty(); }, PrintGaps},
    {kSpace, [](const Buffer& b) { return b.space != 0; },
     [](const Buffer& b, std::string& into) { AppendNumber(b.space, into); }},
    {kGroup, [](const Buffer& b) { return b.group != 0; },
     [](const Buffer& b, std::string& into) { AppendNumber(b.group, into); }},
    {kSlices, [](const Buffer& b) { return !b.slices.empty(); }, PrintSlices},
    {kOffset, [](const Buffer& b) { return b.fixed.has_value(); },
     [](const Buffer& b, std::string& into) {
       if (b.fixed) AppendNumber(*b.fixed, into);
     }},
};

// The cells of `extra`, as many as there are columns of that kind.
void PrintExtra(size_t count, string_view extra, std::vector<string_view>& cells, std::string& into) {
  SplitCells(extra, cells);
  for (size_t i = 0; i < count; ++i) {
    into += ',';
    if (i >= cells.size()) continue;
    for (char c : cells[i]) into += c == '\n' || c == '\0' ? '?' : c;
  }
}

std::string Print(const Problem& problem, const Plan* plan) {
  std::vector<const PrintedColumn*> columns;
  for (const PrintedColumn& column : kPrinted) {
    bool needed = column.column == kOffset && plan != nullptr;
    for (size_t i = 0; i < problem.buffers.size() && !needed; ++i) needed = column.needed(problem.buffers[i]);
    if (needed || column.needed == Always) columns.push_back(&column);
  }
  std::vector<string_view> cells;
  size_t extras = 0;
  if (!problem.extra_columns.empty()) {
    SplitCells(problem.extra_columns, cells);
    extras = cells.size();
  }
  std::string text;
  text.reserve(64 + 32 * problem.buffers.size());
  if (problem.capacity) {
    AppendNumber(*problem.capacity, text += "# oomph capacity ");
    text += '\n';
  }
  for (const PrintedColumn* column : columns) {
    if (column != columns.front()) text += ',';
    text += NameOf(column->column);
  }
  PrintExtra(extras, problem.extra_columns, cells, text);
  text += '\n';
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const Buffer& buffer = problem.buffers[i];
    for (const PrintedColumn* column : columns) {
      if (column != columns.front()) text += ',';
      if (column->column != kOffset || plan == nullptr) {
        column->print(buffer, text);
      } else if (i < plan->offsets.size() && plan->offsets[i]) {
        AppendNumber(*plan->offsets[i], text);
      }
    }
    if (extras > 0) PrintExtra(extras, buffer.extra, cells, text);
    text += '\n';
  }
  return text;
}

}  // namespace

bool LooksLikeProblem(string_view text) {
  CsvReader csv("", text.substr(0, kMaxCsvBytes));
  if (!csv.NextRow()) return false;
  std::array<bool, kNumColumns> has{};
  std::string scratch;
  for (string_view cell : csv.cells()) {
    if (const ColumnName* known = FindColumn(CellText(cell, scratch))) has[known->column] = true;
  }
  return has[kLower] && has[kUpper] && has[kSize];
}

absl::Status ParseProblem(string_view name, string_view text, Problem& into) {
  return ProblemReader(name, text, into).Read();
}

std::string PrintProblem(const Problem& problem) { return Print(problem, nullptr); }
std::string PrintPlanned(const Problem& problem, const Plan& plan) { return Print(problem, &plan); }

string_view StatusWord(Status status) {
  static constexpr string_view kWords[kNumStatuses] = {"not_run",    "optimal", "feasible", "not_found",
                                                       "infeasible", "timeout", "invalid",  "died",
                                                       "hung",       "rubbish"};
  const size_t i = static_cast<size_t>(status);
  return i < kNumStatuses ? kWords[i] : "not_run";
}

}  // namespace oomph::placement
