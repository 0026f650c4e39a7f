// See compile_oom.h. The message is first made one line, every gap one blank; then each form is a few literals in a row.
#include "models/message/compile_oom.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "models/base/units.h"

namespace oomph {
namespace {

constexpr size_t kWindow = 256 * kKiB;
constexpr size_t kLongestField = 1000;
constexpr size_t kMostParts = 20;

// Gaps are blanks, line ends, and "\n" of a text in quotes; of other escapes the backslash goes.
std::string OneLine(std::string_view text) {
  std::string line;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && text[end] == '\\') ++end;
    const bool escaped = end > at && end < text.size() && (text[end] == 'n' || text[end] == 't' || text[end] == 'r');
    if (escaped || absl::ascii_isspace(static_cast<unsigned char>(text[at]))) {
      if (!line.empty() && line.back() != ' ') line += ' ';
      at = escaped ? end + 1 : at + 1;
    } else if (end > at) {
      at = end;
    } else {
      line += text[at++];
    }
  }
  return line;
}

// A place in the line.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool Seek(std::string_view literal) {
    const size_t found = text_.find(literal, at_);
    if (found == text_.npos) return false;
    at_ = found + literal.size();
    return true;
  }
  bool Take(std::string_view literal) {
    if (!text_.substr(at_).starts_with(literal)) return false;
    at_ += literal.size();
    return true;
  }
  // "8.00M", which may end a sentence or stand in parentheses.
  std::optional<PrintedBytes> Size() {
    size_t end = at_ + (text_.substr(at_).starts_with('-') ? 1 : 0);
    while (end < text_.size() && end - at_ < 40 &&
           (absl::ascii_isalnum(static_cast<unsigned char>(text_[end])) || text_[end] == '.'))
      ++end;
    std::string_view word = text_.substr(at_, end - at_);
    if (word.ends_with('.')) word.remove_suffix(1);
    const auto size = ParseBytes(word);
    if (!size.ok()) return std::nullopt;
    at_ += word.size();
    return *size;
  }
  std::optional<PrintedBytes> Exact() {
    const ScannedNumber number = ScanNumber(text_.substr(at_));
    if (number.length == 0 || number.too_large) return std::nullopt;
    at_ += number.length;
    return ExactlyBytes(number.value);
  }
  std::string_view Word() {
    const std::string_view word = text_.substr(at_, text_.find(' ', at_) - at_);
    at_ += word.size();
    return word.substr(0, kLongestField);
  }
  // What stands between brackets that begin here, with them, is passed by.
  void SkipParentheses() {
    if (at_ >= text_.size() || text_[at_] != '(') return;
    size_t depth = 0;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '(') ++depth;
      if (text_[at_] == ')' && --depth == 0) {
        ++at_;
        return;
      }
    }
  }
  size_t at() const { return at_; }
  void MoveTo(size_t at) { at_ = at; }

 private:
  const std::string_view text_;
  size_t at_ = 0;
};

// " reserved 258.00M program 1.00M HLO temp 54.99G (100.0% ...)": as long as names and sizes alternate.
std::vector<MemoryPart> ReadParts(Reader reader) {
  std::vector<MemoryPart> parts;
  std::string name;
  for (int words = 0; words < 4 && parts.size() < kMostParts;) {
    if (!reader.Take(" ")) break;
    if (const auto size = name.empty() ? std::nullopt : reader.Size()) {
      parts.push_back({std::exchange(name, ""), *size});
      words = 0;
      const size_t before = reader.at();
      if (!reader.Take(" (")) continue;
      reader.MoveTo(before + 1);
      reader.SkipParentheses();
      continue;
    }
    const std::string_view word = reader.Word();
    const bool heading = name.empty() && (word == "Output" || word == "Program" || word == "Largest");
    if (word.empty() || heading || word.back() == ':' || word.back() == ';') break;
    if (name.ends_with(" unknown") && word == "size") {
      name.clear();
      words = 0;
      continue;
    }
    if (!name.empty()) name += ' ';
    name.append(word);
    ++words;
  }
  return parts;
}

// The value of a field goes on to the next of the keys.
std::string FieldOf(std::string_view entry, std::string_view key) {
  constexpr std::array<std::string_view, 9> kKeys = {
      " Operator: ",  " Shape: ",           " Unpadded size: ", " Extra memory due to padding: ",
      " XLA label: ", " Allocation type: ", " =====",           " Size: ",
      " Tag: "};
  const size_t begin = entry.find(key);
  if (begin == entry.npos) return "";
  const std::string_view value = entry.substr(begin + key.size());
  size_t end = value.size();
  for (const std::string_view next : kKeys) end = std::min(end, value.find(next));
  return std::string(value.substr(0, std::min(end, kLongestField)));
}

// " 1. Size: 1.00M Shape: u8[1048576]{0} ... =====": each up to its rule, or to the next.
std::vector<LargeAllocation> ReadLargest(std::string_view line) {
  std::vector<LargeAllocation> largest;
  constexpr std::string_view kSize = " Size: ";
  for (size_t at = line.find(kSize); at != line.npos && largest.size() < kMostLargest;) {
    const size_t next = line.find(kSize, at + kSize.size());
    const std::string_view entry = line.substr(at, std::min(next, line.size()) - at);
    Reader reader(entry);
    reader.Take(kSize);
    if (const auto size = reader.Size()) {
      largest.push_back({*size, FieldOf(entry, " Shape: "), FieldOf(entry, " XLA label: "),
                         FieldOf(entry, " Allocation type: "), FieldOf(entry, " Tag: ")});
    }
    at = next;
  }
  return largest;
}

void ReadBreakdown(std::string_view line, CompileOom& oom) {
  Reader reader(line);
  // "Total hbm usage >= 8.13G:"
  if (reader.Seek("Total ") && !reader.Word().empty() && reader.Take(" usage >= ") && reader.Size() &&
      reader.Take(":")) {
    oom.total = ReadParts(reader);
  }
  reader.MoveTo(0);
  if (reader.Seek("Output size ")) {
    oom.outputs = reader.Size();
    if (reader.Take("; shares ")) oom.shared = reader.Size();
  }
  reader.MoveTo(0);
  if (reader.Seek("Program ") && !reader.Word().empty() && reader.Take(" requirement ") && reader.Size() &&
      reader.Take(":")) {
    oom.program = ReadParts(reader);
  }
  oom.largest = ReadLargest(line);
}

// " :: #allocation3 [shape = 'u8[8]{0}', space=vmem, size = 0x8, scoped, tag = 'scratch operand'] :: f.1"
void ReadAllocation(std::string_view line, size_t at, CompileOom& oom) {
  const auto between = [&](std::string_view begin, std::string_view end) {
    const size_t found = line.find(begin, at);
    if (found == line.npos) return std::string();
    const std::string_view rest = line.substr(found + begin.size());
    return std::string(rest.substr(0, std::min(rest.find(end), kLongestField)));
  };
  LargeAllocation allocation;
  allocation.bytes = *oom.needed;
  allocation.shape = between("[shape = '", "'");
  if (allocation.shape.empty()) return;
  allocation.tag = between(", tag = '", "']");
  allocation.label = between("] :: ", " ");
  if (const std::string fields = between("space=", "tag ="); fields.find(" scoped,") != fields.npos) {
    allocation.type = "scoped";
  }
  oom.largest.push_back(std::move(allocation));
}

bool ReadForms(std::string_view line, CompileOom& oom) {
  Reader reader(line);
  const auto restart = [&reader] {
    reader.MoveTo(0);
    return true;
  };
  if (reader.Seek("total memory required for HLO temporaries (") && (oom.needed = reader.Size())) {
    oom.form = CompileOomForm::kTemporaries;
    if (reader.Take(") exceeds available HBM (")) oom.available = reader.Size();
    if (reader.Take("). HLO module: ")) {
      std::string_view module = reader.Word();
      if (module.ends_with('.')) module.remove_suffix(1);
      oom.module = module;
    }
    return true;
  }
  if (restart() && reader.Seek("Scoped allocation with size ") && (oom.needed = reader.Size())) {
    oom.form = CompileOomForm::kStack;
    if (reader.Take(" and limit ")) oom.available = reader.Size();
    if (reader.Take(" exceeded scoped vmem limit by ")) oom.exceeded_by = reader.Size();
    return true;
  }
  if (restart() && reader.Seek("Ran out of memory in memory space ") && reader.Seek(" Used ") &&
      (oom.needed = reader.Size())) {
    oom.form = CompileOomForm::kCapacity;
    if (reader.Take(" of ")) oom.available = reader.Size();
    if (reader.Seek(" capacity by ")) oom.exceeded_by = reader.Size();
    ReadBreakdown(line, oom);
    return true;
  }
  if (restart() && reader.Seek("Allocation (size=") && (oom.needed = reader.Exact())) {
    oom.form = CompileOomForm::kAllocation;
    if (reader.Take(") would exceed memory (size=")) oom.available = reader.Exact();
    ReadAllocation(line, reader.at(), oom);
    if (oom.words.memory.empty() && reader.Seek(" space=")) {
      const std::string_view word = reader.Word();
      oom.words.memory = word.substr(0, std::min<size_t>(word.find(','), 200));
    }
    return true;
  }
  if (restart() && reader.Seek("TPU TensorCore Hbm usage: ") && (oom.needed = reader.Size())) {
    oom.form = CompileOomForm::kDevices;
    oom.words.memory = "hbm";
    if (reader.Take(", SparseCore Hbm usage ")) oom.sparse_core = reader.Size();
    if (reader.Take(", exceeding available bytes: ")) oom.available = reader.Size();
    return true;
  }
  if (restart() && reader.Seek("unlikely to have enough memory. Requires ") && (oom.needed = reader.Size())) {
    oom.form = CompileOomForm::kEarly;
    oom.words.memory = "hbm";
    if (reader.Take(", has ")) oom.available = reader.Size();
    return true;
  }
  oom.needed.reset();
  oom.form = CompileOomForm::kBare;
  return !oom.words.memory.empty() || oom.words.code == "E1000" || oom.words.code == "E1001";
}

constexpr std::array<std::string_view, 7> kBegins = {"Ran out of memory in memory space",
                                                     "Ran out of memory on",
                                                     "Scoped allocation with size",
                                                     "Allocation (size=",
                                                     "TPU TensorCore Hbm usage:",
                                                     "Aborting compilation early because",
                                                     "Ran out of memory"};

std::string Enveloped(std::string_view code, std::string_view name, OomEnvelope envelope, const std::string& text) {
  if (envelope == OomEnvelope::kNone) return text;
  return absl::StrCat(std::string(code), ": ", std::string(name), envelope == OomEnvelope::kFactory ? ":\n" : ": ",
                      text, "\nSee https://openxla.org/xla/errors/error_", std::string(code.substr(1)),
                      " for more details.");
}

// "1.3" for 5 / 4: tenths, rounded.
std::string Expansion(uint64_t padded, uint64_t unpadded) {
  const uint64_t tenths = static_cast<uint64_t>(static_cast<double>(padded) / static_cast<double>(unpadded) * 10 + 0.5);
  return absl::StrCat(tenths / 10, ".", tenths % 10);
}

constexpr std::string_view kHbm = "E1000", kHbmName = "CompileTimeHbmOom";
constexpr std::string_view kScoped = "E1001", kScopedName = "CompileTimeScopedVmemOom";

}  // namespace

absl::StatusOr<CompileOom> ReadCompileOom(std::string_view text) {
  if (text.size() > kMaxMessageTextBytes) return absl::InvalidArgumentError("the text is too long for a message");
  CompileOom oom;
  oom.words = WordsOfMessage(text);
  size_t begin = text.npos;
  for (const std::string_view each : kBegins) begin = std::min(begin, text.find(each));
  if (oom.words.code == "E1000" || oom.words.code == "E1001") begin = std::min(begin, oom.words.begin);
  if (begin == text.npos) return absl::NotFoundError("no message of a compiler that memory ran out");
  if (ReadForms(OneLine(text.substr(begin, kWindow)), oom)) return oom;
  return absl::NotFoundError("no message of a compiler that memory ran out");
}

bool SumsUp(const CompileOom& oom) {
  if (!oom.needed || !oom.available || !oom.exceeded_by) return true;
  if (oom.needed->negative || oom.exceeded_by->negative) return false;
  // needed = available + exceeded_by for some of what each stands for; a negative term changes sides.
  const bool negative = oom.available->negative;
  const PrintedBytes& sum = negative ? *oom.exceeded_by : *oom.needed;
  const PrintedBytes& term = negative ? *oom.needed : *oom.exceeded_by;
  return SaturatingAdd(oom.available->lowest, term.lowest) <= sum.highest &&
         SaturatingAdd(oom.available->highest, term.highest) >= sum.lowest;
}

std::string PrintTemporariesOom(const TemporariesOom& oom, OomEnvelope envelope) {
  return Enveloped(kHbm, kHbmName, envelope,
                   absl::StrCat("Ran out of memory on HBM, the total memory required for HLO temporaries (",
                                FormatBytes(oom.needed), ") exceeds available HBM (", FormatBytes(oom.available),
                                "). HLO module: ", std::string(oom.module), "."));
}

// Behind the dash stood "please file a bug against XLA." before libtpu named the page of the error there.
std::string PrintStackOom(const StackOom& oom, OomEnvelope envelope) {
  const uint64_t below_zero = oom.limit < 0 ? uint64_t{0} - static_cast<uint64_t>(oom.limit) : 0;
  const uint64_t exceeded = oom.limit < 0 ? SaturatingAdd(oom.needed, below_zero)
                                          : SaturatingSub(oom.needed, static_cast<uint64_t>(oom.limit));
  return Enveloped(kScoped, kScopedName, envelope,
                   absl::StrCat("Ran out of memory in memory space vmem while allocating on stack for ",
                                std::string(oom.instruction), ". Scoped allocation with size ", FormatBytes(oom.needed),
                                " and limit ", FormatSignedBytes(oom.limit), " exceeded scoped vmem limit by ",
                                FormatBytes(exceeded), ". It should not be possible to run out of scoped vmem - ",
                                envelope == OomEnvelope::kNone ? "please file a bug against XLA." : ""));
}

std::string WindowTag(bool input, size_t index, std::string_view window, std::string_view whole, uint64_t levels) {
  const char* const side = input ? "input" : "output";
  return absl::StrCat(side, " window allocation for operator ", side, " ", index, ". The window shape is ",
                      std::string(window), ", while the full shape is ", std::string(whole),
                      ". The u8 shape/size shown above represents the raw byte size of this window in VMEM. "
                      "This allocation ",
                      levels == 1 ? "is single buffered." : absl::StrCat("has ", levels, " buffering levels."));
}

std::string ScopedTag(std::string_view instruction) {
  return absl::StrCat("scoped memory for ", std::string(instruction.substr(0, instruction.find(' '))));
}

std::string PrintVmemOom(const VmemOom& oom) {
  const std::string used = FormatBytes(oom.used);
  std::string text = absl::StrCat("XLA:TPU compile permanent error. Ran out of memory in memory space vmem. Used ",
                                  used, " of ", FormatBytes(oom.capacity), " vmem. Exceeded vmem capacity by ",
                                  FormatBytes(SaturatingSub(oom.used, oom.capacity)), ".\n\nProgram vmem requirement ",
                                  used, ":\n    scoped", std::string(SaturatingSub(17, used.size()), ' '), used,
                                  "\n\n  Largest program allocations in vmem:\n\n");
  std::vector<size_t> order(oom.allocations.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const uint64_t one = oom.allocations[a].bytes, two = oom.allocations[b].bytes;
    return one != two ? one > two : a < b;
  });
  for (size_t i = 0; i < std::min(order.size(), kMostLargest); ++i) {
    const ScopedAllocation& each = oom.allocations[order[i]];
    absl::StrAppend(&text, "  ", i + 1, ". Size: ", FormatBytes(each.bytes), "\n");
    if (!oom.op_name.empty()) absl::StrAppend(&text, "     Operator: op_name=\"", std::string(oom.op_name), "\"\n");
    absl::StrAppend(&text, "     Shape: ", each.shape, "\n     Unpadded size: ", FormatBytes(each.unpadded), "\n");
    if (each.bytes > each.unpadded && each.unpadded > 0) {
      absl::StrAppend(&text, "     Extra memory due to padding: ", FormatBytes(each.bytes - each.unpadded), " (",
                      Expansion(each.bytes, each.unpadded), "x expansion)\n");
    }
    absl::StrAppend(&text, "     Tag: ", each.tag, "\n     XLA label: ", std::string(oom.instruction),
                    "\n     Allocation type: scoped\n     ==========================\n\n");
  }
  return text;
}

std::string PrintAllocationOom(const AllocationOom& oom) {
  const ScopedAllocation& allocation = oom.allocation;
  return absl::StrCat("Allocation (size=", allocation.bytes, ") would exceed memory (size=", oom.available,
                      ") :: #allocation", oom.number, " [shape = '", allocation.shape,
                      "', space=", std::string(oom.memory), ", size = 0x", absl::Hex(allocation.bytes),
                      ", scoped, tag = '", allocation.tag,
                      "'] :: ", std::string(oom.instruction.substr(0, oom.instruction.find(' '))));
}

std::string PrintCapacityOom(const CapacityOom& oom, OomEnvelope envelope) {
  const std::string memory(oom.memory);
  const auto part = [](std::string_view name, uint64_t bytes) {
    const std::string size = FormatBytes(bytes);
    std::string line = absl::StrCat("    ", std::string(name));
    line.append(SaturatingSub(24, line.size() + size.size() - 3), ' ');
    return absl::StrCat(line, size, " \n");
  };
  const uint64_t total = SaturatingAdd(SaturatingAdd(oom.reserved, oom.program),
                                       SaturatingAdd(oom.arguments, SaturatingSub(oom.outputs, oom.shared)));
  return Enveloped(
      oom.memory == "hbm" ? kHbm : kScoped, oom.memory == "hbm" ? kHbmName : kScopedName, envelope,
      absl::StrCat("XLA:TPU compile permanent error. Ran out of memory in memory space ", memory, ". Used ",
                   FormatBytes(oom.used), " of ", FormatBytes(oom.capacity), " ", memory, ". Exceeded ", memory,
                   " capacity by ", FormatBytes(SaturatingSub(oom.used, oom.capacity)), ".\n\nTotal ", memory,
                   " usage >= ", FormatBytes(total), ":\n", part("reserved", oom.reserved),
                   part("program", oom.program), part("arguments", oom.arguments), "\nOutput size ",
                   FormatBytes(oom.outputs), "; shares ", FormatBytes(oom.shared), " with arguments.\n"));
}

}  // namespace oomph
