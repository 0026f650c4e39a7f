// See explain_message.h.
#include "tools/explain_message.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "fuzz/report/show.h"
#include "models/message/compile_oom.h"
#include "models/message/oom.h"

namespace oomph {
namespace {

constexpr size_t kMostMessages = 100;
constexpr size_t kMostRows = 10;  // of a list in a message

std::string Bytes(const PrintedBytes& bytes) {
  const std::string sign = bytes.negative ? "-" : "";
  if (bytes.lowest == bytes.highest) return absl::StrCat(sign, WithThousands(bytes.lowest), " bytes");
  return absl::StrCat(sign, WithThousands(bytes.lowest), " to ", WithThousands(bytes.highest), " bytes");
}

void Line(std::string& out, const std::string& what, const std::string& value) {
  absl::StrAppend(&out, absl::StrFormat("  %-14s %s\n", what, value));
}
void Line(std::string& out, const std::string& what, const std::optional<PrintedBytes>& bytes) {
  if (bytes) Line(out, what, Bytes(*bytes));
}

std::string_view CauseText(OomCause cause) {
  switch (cause) {
    case OomCause::kTooLarge:
      return "more was asked for than was free";
    case OomCause::kFragmentation:
      return "enough was free, but no block of it was large enough: fragmentation";
    case OomCause::kUnknown:
      return "the numbers in the message do not decide it";
  }
  return "";
}

std::string ExplainRunTime(const OomMessage& m) {
  std::string out = absl::StrCat(std::string(OomCode(m.kind)), " ", std::string(OomName(m.kind)), "\n");
  if (!m.program.empty()) Line(out, "program", Printable(m.program));
  if (!m.location.empty()) Line(out, "location", Printable(m.location));
  Line(out, "requested", Bytes(m.requested) + (m.at_bottom ? " at the bottom of memory" : ""));
  Line(out, "free", m.free);
  Line(out, "largest free", m.largest_free);
  Line(out, "reserved", m.reserved);
  Line(out, "reservable", m.reservable);
  Line(out, "cause", std::string(CauseText(CauseOf(m))));
  return out;
}

// What can be done, by openxla.org's page of the error.
std::string_view Advice(const CompileOom& oom) {
  // A message that is cut may have lost its target.
  const bool kernel = oom.words.target == "tpu_custom_call" || (oom.words.target.empty() && oom.words.opcode == "custom-call");
  if (oom.form == CompileOomForm::kStack && kernel) {
    return "smaller blocks, Buffered(1) where the next block need not be fetched early, or a larger vmem_limit_bytes; "
           "`explain` of the module or kernel says which";
  }
  if (oom.form == CompileOomForm::kStack) {
    return "the compiler chose the windows itself: a larger xla_tpu_scoped_vmem_limit_kib, or a report to the compiler";
  }
  if (oom.words.memory != "hbm") return "more than the chip has: smaller blocks or scratch";
  return "fewer bytes live at once: `explain` and `draw` of the module show what is";
}

// Messages without a code are older, or cut; which one they would have, their form tells.
std::string_view Title(const CompileOom& oom) {
  const bool of_vmem = oom.words.memory == "vmem";
  const bool of_one = of_vmem && oom.form == CompileOomForm::kBare && !oom.words.opcode.empty();
  if (oom.words.code == "E1001" || oom.form == CompileOomForm::kStack || of_one) return "E1001 CompileTimeScopedVmemOom";
  if (oom.words.code == "E1000" || oom.words.memory == "hbm") return "E1000 CompileTimeHbmOom";
  return of_vmem ? "out of VMEM at compile time" : "out of memory at compile time";
}

std::string ExplainCompileTime(const CompileOom& oom) {
  const bool scoped = oom.form == CompileOomForm::kStack;
  std::string out = absl::StrCat(std::string(Title(oom)), "\n");
  if (!oom.module.empty()) Line(out, "module", Printable(oom.module));
  if (!oom.words.name.empty()) Line(out, "instruction", Printable(oom.words.name));
  if (!oom.words.opcode.empty()) Line(out, "operation", Printable(oom.words.opcode));
  if (!oom.words.target.empty()) Line(out, "target", Printable(oom.words.target));
  if (!oom.words.memory.empty()) Line(out, "memory", Printable(oom.words.memory));
  Line(out, "needed", oom.needed);
  Line(out, scoped ? "limit" : "available", oom.available);
  Line(out, "too much by", oom.exceeded_by);
  Line(out, "SparseCore", oom.sparse_core);
  for (size_t i = 0; i < std::min(oom.total.size(), kMostRows); ++i) Line(out, Printable(oom.total[i].name), Bytes(oom.total[i].bytes));
  for (size_t i = 0; i < std::min(oom.largest.size(), kMostRows); ++i) {
    const LargeAllocation& one = oom.largest[i];
    Line(out, i == 0 ? "largest" : "", absl::StrCat(Bytes(one.bytes), "  ", Printable(one.shape), "  ", Printable(one.label)));
  }
  if (!SumsUp(oom)) Line(out, "note", std::string("needed, available and the difference are no one sum"));
  if (oom.form != CompileOomForm::kBare) Line(out, "what helps", std::string(Advice(oom)));
  return out;
}

}  // namespace

std::string ExplainMessagesIn(std::string_view text) {
  std::string out;
  if (const auto messages = ReadAllOoms(text, kMostMessages); messages.ok()) {
    for (const OomMessage& message : *messages) absl::StrAppend(&out, ExplainRunTime(message));
  }
  if (const auto oom = ReadCompileOom(text); oom.ok()) absl::StrAppend(&out, ExplainCompileTime(*oom));
  return out;
}

}  // namespace oomph
