// See dump_assignment.h. Memory grows with the text alone: an element for a line.
#include "subjects/pjrt/dump_assignment.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "models/base/scanner.h"
#include "subjects/pjrt/dump.h"

namespace oomph {
namespace {

constexpr ScannerOptions kOptions = {.comment = "", .max_bytes = kMaxDumpBytes, .max_line_bytes = 16 * kMiB};

// "fusion", "copy-start{1,0}", "while.3{}": the index at the end. False where it is none.
bool SplitName(std::string_view text, std::string& name, std::vector<int64_t>& index) {
  index.clear();
  const size_t open = text.find('{');
  name = text.substr(0, open);
  if (open == text.npos) return !name.empty();
  if (name.empty() || text.back() != '}') return false;
  std::string_view rest = text.substr(open + 1, text.size() - open - 2);
  if (rest.empty()) return true;
  for (;;) {
    const ScannedNumber number = ScanNumber(rest);
    if (number.length == 0 || number.too_large || number.value > std::numeric_limits<int32_t>::max()) return false;
    index.push_back(static_cast<int64_t>(number.value));
    rest.remove_prefix(number.length);
    if (rest.empty()) return true;
    if (rest.front() != ',') return false;
    rest.remove_prefix(1);
  }
}

// The shape between two |, which has blanks in it.
void SkipShape(Scanner& scanner) {
  if (!scanner.Symbol("|")) return;
  while (scanner.ok()) {
    const std::string_view word = scanner.Word();
    if (word.find('|') != word.npos) return;
  }
}

uint32_t Space(Scanner& scanner) {
  const uint64_t space = scanner.Number();
  if (space > std::numeric_limits<uint32_t>::max()) scanner.Refuse("a memory space");
  return static_cast<uint32_t>(space);
}

// "{1,0}:", "{},": what stands behind it is taken with it.
void Index(Scanner& scanner, std::vector<int64_t>& index) {
  std::string_view word = scanner.Word();
  while (!word.empty() && (word.back() == ':' || word.back() == ',')) word.remove_suffix(1);
  std::string name;
  const std::string text = absl::StrCat("x", std::string(word));
  if (scanner.ok() && (word.empty() || word.front() != '{' || !SplitName(text, name, index))) scanner.Refuse("a shape index");
}

// allocation 3: size 512, color 1, page 0, parameter 1, shape |f32[2]| at ShapeIndex {}, output shape is |f32[2]|,
// constant, thread-local, maybe-live-out, preallocated-temp:
void ReadAllocation(Scanner& scanner, std::vector<hlo::Allocation>& allocations) {
  hlo::Allocation allocation;
  const uint64_t number = scanner.Number();
  if (scanner.ok() && number != allocations.size()) scanner.Refuse(absl::StrCat("allocation ", allocations.size()));
  scanner.Symbol(":");
  scanner.Keyword("size");
  allocation.bytes = scanner.Number();
  bool more = scanner.TrySymbol(",");
  if (!more) scanner.Symbol(":");
  while (more && scanner.ok()) {
    if (scanner.TryKeyword("color")) {
      allocation.space = Space(scanner);
    } else if (scanner.TryKeyword("page")) {
      scanner.Number();
    } else if (scanner.TryKeyword("parameter")) {
      allocation.parameter = scanner.Number();
      scanner.Symbol(",");
      scanner.Keyword("shape");
      SkipShape(scanner);
      scanner.Keyword("at");
      scanner.Keyword("ShapeIndex");
      Index(scanner, allocation.parameter_index);
      // The index's word has the comma or the colon.
      if (scanner.AtEndOfLine()) break;
      continue;
    } else if (scanner.TryKeyword("output")) {
      scanner.Keyword("shape");
      scanner.Keyword("is");
      SkipShape(scanner);
      if (scanner.AtEndOfLine()) break;
      continue;
    } else if (scanner.TryKeyword("constant")) {
      allocation.constant = true;
    } else if (scanner.TryKeyword("thread-local")) {
      allocation.thread_local_ = true;
    } else if (scanner.TryKeyword("maybe-live-out")) {
      allocation.output = true;
    } else if (!scanner.TryKeyword("preallocated-temp")) {
      scanner.Expected("one of color, page, parameter, output, constant, thread-local, maybe-live-out, preallocated-temp");
    }
    more = scanner.TrySymbol(",");
    if (!more) scanner.Symbol(":");
  }
  scanner.ExpectEndOfLine();
  allocations.push_back(std::move(allocation));
}

// value: <12 copy-start{2} (phi) @2> (size=4,offset=0): u32[]{:S(2)}
void ReadValue(Scanner& scanner, std::vector<hlo::Allocation>& allocations) {
  if (allocations.empty()) return scanner.Refuse("an allocation");
  hlo::PlacedValue value;
  scanner.Symbol(":");
  scanner.Symbol("<");
  scanner.Number();
  const std::string_view name = scanner.Word();
  if (scanner.ok() && !SplitName(name, value.name, value.index)) scanner.Refuse("the name of a value");
  scanner.TrySymbol("(phi)");
  scanner.Symbol("@");
  const uint32_t space = Space(scanner);
  if (scanner.ok() && space != allocations.back().space) scanner.Refuse("the allocation's color");
  scanner.Symbol(">");
  scanner.Symbol("(");
  scanner.Keyword("size");
  scanner.Symbol("=");
  value.bytes = scanner.Number();
  scanner.Symbol(",");
  scanner.Keyword("offset");
  scanner.Symbol("=");
  value.offset = scanner.Number();
  scanner.Symbol(")");
  scanner.Symbol(":");
  scanner.RestOfLine();
  allocations.back().values.push_back(std::move(value));
}

// "p0{}:0-5", the ends of which are found from behind.
void ReadRange(Scanner& scanner, std::vector<DumpedRange>& ranges) {
  DumpedRange range;
  const std::string_view word = scanner.Word();
  const size_t colon = word.rfind(':');
  const std::string_view numbers = colon == word.npos ? std::string_view() : word.substr(colon + 1);
  const ScannedNumber first = ScanNumber(numbers);
  const std::string_view rest = numbers.substr(first.length);
  const ScannedNumber last = ScanNumber(rest.empty() ? rest : rest.substr(1));
  const bool good = first.length > 0 && !first.too_large && rest.size() > 1 && rest.front() == '-' && !last.too_large &&
                    last.length > 0 && last.length + 1 == rest.size() && first.value <= last.value &&
                    SplitName(word.substr(0, colon), range.name, range.index);
  if (!good) return scanner.Refuse("a value and the steps where it is live, as a{}:0-5");
  range.first = first.value;
  range.last = last.value;
  ranges.push_back(std::move(range));
  scanner.ExpectEndOfLine();
}

// "p1{}: 16 bytes (cumulative: 32 bytes)"
void ReadLiveAtPeak(Scanner& scanner, DumpedLiveRanges& live) {
  scanner.Word();
  scanner.Number();
  scanner.Keyword("bytes");
  scanner.Symbol("(");
  scanner.Keyword("cumulative");
  scanner.Symbol(":");
  live.peak = scanner.Number();
  scanner.Keyword("bytes");
  scanner.Symbol(")");
  scanner.ExpectEndOfLine();
}

// From behind the word HloLiveRange on.
DumpedLiveRanges ReadLive(Scanner& scanner) {
  DumpedLiveRanges live;
  scanner.Symbol("(");
  scanner.Keyword("max");
  scanner.Number();
  scanner.Symbol(")");
  scanner.Symbol(":");
  scanner.ExpectEndOfLine();
  enum { kNone, kSequence, kRanges, kPeak } part = kNone;
  while (scanner.NextLine()) {
    // The names of values are no headings: those end with "}:0-5", and the numbers of steps stand before a colon.
    if (part == kNone && scanner.TrySymbol("InstructionSequence:")) {
      part = kSequence;
    } else if (part == kSequence && scanner.TrySymbol("BufferLiveRange:")) {
      part = kRanges;
    } else if (part == kRanges && scanner.TrySymbol("Live ranges at ")) {
      part = kPeak;
      scanner.RestOfLine();
    } else if (part == kPeak && scanner.TrySymbol("Stack trace breakdown")) {
      return live;  // what follows are pictures
    } else if (part == kSequence) {
      const uint64_t number = scanner.Number();
      if (scanner.ok() && number != live.sequence.size()) scanner.Refuse(absl::StrCat("step ", live.sequence.size()));
      scanner.Symbol(":");
      live.sequence.emplace_back(scanner.Word());
      scanner.ExpectEndOfLine();
    } else if (part == kRanges) {
      ReadRange(scanner, live.ranges);
    } else if (part == kPeak) {
      ReadLiveAtPeak(scanner, live);
    } else {
      scanner.Expected("InstructionSequence:");
    }
  }
  if (part == kNone || part == kSequence) scanner.Expected("the live ranges of values");
  return live;
}

}  // namespace

absl::StatusOr<DumpedAssignment> ReadBufferAssignment(std::string_view name, std::string_view text) {
  Scanner scanner(name, text, kOptions);
  DumpedAssignment read;
  if (!scanner.NextLine() || !scanner.Symbol("BufferAssignment:")) {
    if (scanner.ok()) scanner.Expected("BufferAssignment:");
    return scanner.status();
  }
  bool assigned = false;  // the list of uses follows, or live ranges
  while (scanner.NextLine()) {
    if (!assigned && scanner.TryKeyword("allocation")) {
      ReadAllocation(scanner, read.allocations);
    } else if (!assigned && scanner.TryKeyword("value")) {
      ReadValue(scanner, read.allocations);
    } else if (!assigned && scanner.TrySymbol("Total bytes used:")) {
      assigned = true;
    } else if (scanner.TryKeyword("HloLiveRange")) {
      read.live = ReadLive(scanner);
      break;
    } else if (!assigned) {
      scanner.Expected("an allocation or a value");
    }
  }
  if (!scanner.ok()) return scanner.status();
  return read;
}

absl::StatusOr<DumpedLiveRanges> ReadLiveRanges(std::string_view name, std::string_view text) {
  Scanner scanner(name, text, kOptions);
  scanner.NextLine();
  scanner.Keyword("HloLiveRange");
  DumpedLiveRanges live = ReadLive(scanner);
  if (!scanner.ok()) return scanner.status();
  return live;
}

absl::StatusOr<std::vector<DumpedUsage>> ReadMemoryUsage(std::string_view name, std::string_view text) {
  Scanner scanner(name, text, kOptions);
  std::vector<DumpedUsage> usages;
  bool totalled = true;
  while (scanner.NextLine()) {
    if (scanner.TrySymbol("Memory Space:")) {
      if (!totalled) scanner.Expected("Total bytes:");
      DumpedUsage usage;
      scanner.Word();
      scanner.Symbol("(");
      scanner.Keyword("color");
      scanner.Symbol("=");
      usage.space = Space(scanner);
      scanner.Symbol(")");
      scanner.ExpectEndOfLine();
      usages.push_back(usage);
      totalled = false;
    } else if (!totalled && scanner.TrySymbol("Total bytes:")) {
      usages.back().bytes = scanner.Number();
      usages.back().line = scanner.line();
      totalled = true;
    }
  }
  if (!scanner.ok()) return scanner.status();
  return usages;
}

}  // namespace oomph
