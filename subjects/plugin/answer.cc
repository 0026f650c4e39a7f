// See answer.h.
#include "subjects/plugin/answer.h"

#include <string>

#include "models/base/scanner.h"
#include "models/hbm/outcome_text.h"

namespace oomph::hbm {
namespace {

constexpr Result kMaySay[] = {Result::kOk, Result::kFailed, Result::kInvalid, Result::kNoOp, Result::kUnsupported};

Result ReadResult(Scanner& scanner) {
  const std::string_view word = scanner.Word();
  for (Result result : kMaySay) {
    if (word == ResultWord(result)) return result;
  }
  scanner.Refuse("ok, failed, invalid, no_op or unsupported");
  return Result::kUnknown;
}

bool GivesABlock(StepKind kind) { return kind == StepKind::kAllocate || kind == StepKind::kReallocate; }

}  // namespace

absl::Status ReadAnswer(std::string_view text, const Trace& trace, TraceOutcome& into) {
  into.clear();
  Scanner scanner("answer", text);
  while (scanner.NextLine()) {
    if (into.rows.size() == trace.steps.size()) {
      scanner.Expected("no more lines than steps");
      break;
    }
    const StepKind kind = trace.steps[into.rows.size()].kind;
    Row& row = into.rows.emplace_back();
    row.result = ReadResult(scanner);
    if (row.result == Result::kOk && GivesABlock(kind)) {
      row.offset = scanner.Number();
      row.reserved = scanner.Number();
    }
    scanner.ExpectEndOfLine();
  }
  return scanner.status();
}

}  // namespace oomph::hbm
