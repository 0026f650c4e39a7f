// See csv.h.
#include "models/placement/csv.h"

#include <algorithm>
#include <functional>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace oomph::placement {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr size_t kMaxFoundBytes = 40;
constexpr size_t kMaxDirectives = 1000;  // more are not looked at

constexpr bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

// How many characters the cell in quotes at the start of `text` takes; 0 where it is not closed.
size_t QuotedLength(std::string_view text) {
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] != '"') continue;
    if (i + 1 == text.size() || text[i + 1] != '"') return i + 1;
    ++i;
  }
  return 0;
}

std::string Found(std::string_view text) {
  if (text.empty()) return "nothing";
  const std::string_view shown = text.substr(0, kMaxFoundBytes);
  return absl::StrCat("'", absl::CHexEscape({shown.data(), shown.size()}),
                      shown.size() < text.size() ? "...'" : "'");
}

}  // namespace

bool SplitCells(std::string_view line, std::vector<std::string_view>& cells) {
  cells.clear();
  for (;;) {
    while (!line.empty() && IsBlank(line.front())) line.remove_prefix(1);
    size_t length = 0;
    if (line.starts_with('"')) {
      length = QuotedLength(line);
      size_t next = length;
      while (next < line.size() && IsBlank(line[next])) ++next;
      if (length == 0 || (next < line.size() && line[next] != ',')) {
        cells.push_back(line);
        return false;
      }
      cells.push_back(line.substr(0, length));
      length = next;
    } else {
      length = std::min(line.find(','), line.size());
      cells.push_back(Trim(line.substr(0, length)));
    }
    if (length == line.size()) return true;
    line.remove_prefix(length + 1);
  }
}

std::string_view CellText(std::string_view cell, std::string& scratch) {
  if (cell.size() < 2 || cell.front() != '"') return cell;
  cell = cell.substr(1, cell.size() - 2);
  if (cell.find('"') == std::string_view::npos) return cell;
  scratch.clear();
  for (size_t i = 0; i < cell.size(); ++i) {
    scratch += cell[i];
    if (cell[i] == '"') ++i;  // the second of two
  }
  return scratch;
}

void AppendCell(std::string_view text, std::string& into) {
  const bool plain = text.find_first_of(std::string_view(",\"\n\0", 4)) == std::string_view::npos &&
                     Trim(text).size() == text.size() && !text.starts_with('#');
  if (plain) {
    into += text;
    return;
  }
  into += '"';
  for (char c : text) {
    if (c == '"') into += '"';
    into += c == '\n' || c == '\0' ? '?' : c;
  }
  into += '"';
}

CsvReader::CsvReader(std::string_view name, std::string_view text) : name_(name), rest_(text) {
  if (text.size() > kMaxCsvBytes) {
    Fail(1, 1, absl::StrCat("at most ", kMaxCsvBytes, " bytes"), absl::StrCat(text.size()));
  }
  if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
}

bool CsvReader::NextRow() {
  while (ok() && !rest_.empty()) {
    const size_t end = rest_.find('\n');
    line_ = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
    ++line_number_;
    if (line_number_ > kMaxCsvLines) {
      Fail(line_number_, 1, absl::StrCat("at most ", kMaxCsvLines, " lines"), "more");
    } else if (line_.size() > kMaxCsvLineBytes) {
      Fail(line_number_, 1, absl::StrCat("a line of at most ", kMaxCsvLineBytes, " bytes"),
           absl::StrCat(line_.size()));
    } else if (const size_t nul = line_.find('\0'); nul != std::string_view::npos) {
      Fail(line_number_, nul + 1, "text", "a NUL byte");
    }
    if (!ok()) return false;
    const std::string_view content = Trim(line_);
    if (content.empty()) continue;
    if (content.front() == '#') {
      const bool tells = Trim(content.substr(1)).starts_with("oomph");
      if (tells && directives_.size() < kMaxDirectives) directives_.push_back({line_, line_number_});
      continue;
    }
    if (SplitCells(line_, cells_)) return true;
    Refuse("a cell that ends with its quote", cells_.back());
  }
  cells_.clear();
  return false;
}

void CsvReader::Refuse(std::string_view what, std::string_view piece, Line in) {
  const std::less_equal<const char*> below;
  const char* const begin = in.text.data();
  const bool inside = below(begin, piece.data()) && below(piece.data(), begin + in.text.size());
  Fail(in.number, 1 + (inside ? piece.data() - begin : in.text.size()), what, Found(piece));
}

void CsvReader::Fail(size_t line, size_t column, std::string_view what, std::string_view found) {
  if (!ok()) return;
  std::string text(name_);
  absl::StrAppend(&text, ":", line, ":", column, ": expected ");
  text.append(what).append(", found ").append(found);
  status_ = absl::InvalidArgumentError(text);
  rest_ = line_ = {};
  cells_.clear();
}

}  // namespace oomph::placement
