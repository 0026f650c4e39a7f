// A CSV text row by row, with where each cell stands. Cells may stand in quotes ("a, ""b"""), which no cell
// ends a line in; lines that begin with # and empty lines are passed over. Errors read `name:line:column:
// expected X, found Y`. Not for: what the cells mean (see text.h).
#ifndef OOMPH_MODELS_PLACEMENT_CSV_H_
#define OOMPH_MODELS_PLACEMENT_CSV_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace oomph::placement {

inline constexpr size_t kMaxCsvBytes = size_t{256} << 20;
inline constexpr size_t kMaxCsvLines = 10'000'000;
inline constexpr size_t kMaxCsvLineBytes = size_t{1} << 20;
inline constexpr size_t kMaxCsvColumns = 1000;

// The cells of one line, without blanks around them, quotes kept. False where a quote is not closed or
// something follows it: then the last cell is where.
bool SplitCells(std::string_view line, std::vector<std::string_view>& cells);
// A cell as the reader means it: without its quotes. May use `scratch`.
std::string_view CellText(std::string_view cell, std::string& scratch);
// A cell that reads back to `text`, in quotes if it must be. A line end or a NUL in it becomes a question
// mark.
void AppendCell(std::string_view text, std::string& into);

class CsvReader {
 public:
  // Both must outlive the reader. A text over the limit fails at once. Skips a UTF-8 byte order mark.
  CsvReader(std::string_view name, std::string_view text);

  // Goes to the next row; false at the end and after an error.
  bool NextRow();
  const std::vector<std::string_view>& cells() const { return cells_; }
  size_t line() const { return line_number_; }

  struct Line {
    std::string_view text;
    size_t number = 0;  // from 1
  };
  // The comment lines passed so far that begin with "oomph".
  const std::vector<Line>& directives() const { return directives_; }

  // Fails at a piece of the current line, or of another one; a view that does not lie in it stands for its
  // end.
  void Refuse(std::string_view what, std::string_view piece) { Refuse(what, piece, {line_, line_number_}); }
  void Refuse(std::string_view what, std::string_view piece, Line in);
  bool ok() const { return status_.ok(); }
  const absl::Status& status() const { return status_; }

 private:
  void Fail(size_t line, size_t column, std::string_view what, std::string_view found);

  const std::string_view name_;
  std::string_view rest_, line_;
  size_t line_number_ = 0;
  std::vector<std::string_view> cells_;
  std::vector<Line> directives_;
  absl::Status status_;
};

}  // namespace oomph::placement

#endif  // OOMPH_MODELS_PLACEMENT_CSV_H_
