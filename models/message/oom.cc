// Printing of E0100 and E0101. Reading them is in oom_read.cc.

#include "models/message/oom.h"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "models/message/number.h"

namespace oomph {
namespace {

struct Code {
  std::string_view code;
  std::string_view name;
};

constexpr std::array<Code, 2> kCodes = {{
    {"E0100", "RuntimeBufferAllocationFailure"},
    {"E0101", "RuntimeProgramAllocationFailure"},
}};

// The address has the code without its E.
std::string Enveloped(OomKind kind, OomEnvelope envelope, std::string text) {
  if (envelope == OomEnvelope::kNone) return text;
  std::string whole(OomCode(kind));
  whole.append(": ").append(OomName(kind));
  whole.append(envelope == OomEnvelope::kFactory ? ":\n" : ": ").append(text);
  whole.append("\nSee https://openxla.org/xla/errors/error_").append(OomCode(kind).substr(1));
  return whole.append(" for more details.");
}

}  // namespace

std::string_view OomCode(OomKind kind) { return kCodes[static_cast<size_t>(kind)].code; }

std::string_view OomName(OomKind kind) { return kCodes[static_cast<size_t>(kind)].name; }

std::string PrintBufferOom(const BufferOom& oom, OomEnvelope envelope) {
  std::string text =
      absl::StrCat("Error allocating device buffer: Attempting to allocate ", FormatBytes(oom.requested),
                   ". That was not possible. There are ", FormatBytes(oom.free), " free.");
  if (oom.free >= oom.requested) {
    absl::StrAppend(&text, " Due to fragmentation, the largest contiguous region of free memory is ",
                    FormatBytes(oom.largest_free), ".");
  }
  text.append("; (").append(oom.location).append(")");
  return Enveloped(OomKind::kBuffer, envelope, std::move(text));
}

std::string PrintProgramOom(const ProgramOom& oom, OomEnvelope envelope) {
  std::string text("Error loading program '");
  text.append(oom.program);
  absl::StrAppend(&text, "': Attempting to reserve ", FormatBytes(oom.requested),
                  " at the bottom of memory. That was not possible. There are ", FormatBytes(oom.free),
                  " free, ", FormatBytes(oom.reserved), " reserved, and ", FormatBytes(oom.reservable),
                  " reservable.");
  if (oom.running.has_value()) {
    absl::StrAppend(&text, " Scope: unknown..: while running replica ", oom.running->replica,
                    " and partition ", oom.running->partition,
                    " of a replicated computation (other replicas may have failed as well).");
  }
  return Enveloped(OomKind::kProgram, envelope, std::move(text));
}

}  // namespace oomph
