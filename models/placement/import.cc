// See import.h. The tables are read with tolerance: people cut them, and quote them in reports.
#include "models/placement/import.h"

#include <algorithm>
#include <charconv>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"

namespace oomph::placement {
namespace {

using std::string_view;

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

string_view Trim(string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

string_view NextLine(string_view& rest) {
  const size_t end = std::min(rest.find('\n'), rest.size());
  const string_view line = Trim(rest.substr(0, end));
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

// Takes a number off the front of `text`; blanks before it do not count.
std::optional<uint64_t> TakeNumber(string_view& text) {
  text = Trim(text);
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(end - text.data());
  return number;
}

bool TakeWord(string_view word, string_view& text) {
  text = Trim(text);
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

// ---- XLA's tables ----

struct Value {
  string_view name;  // "fusion.1", "tuple{0}"
  uint64_t size = 0, offset = 0;
};

struct Allocation {
  uint64_t number = 0, size = 0;
  string_view kind;  // "preallocated-temp:"
  std::vector<Value> values;
};

struct Life {
  int64_t start = 0, end = 0;  // half-open
};

// allocation 5: size 20971776, preallocated-temp:
std::optional<Allocation> ReadAllocation(string_view line) {
  Allocation allocation;
  if (!TakeWord("allocation ", line)) return std::nullopt;
  const std::optional<uint64_t> number = TakeNumber(line);
  if (!number || !TakeWord(":", line) || !TakeWord("size ", line)) return std::nullopt;
  const std::optional<uint64_t> size = TakeNumber(line);
  // A rounded size ("3.88MiB", in the report of memory usage) is none that can be placed.
  if (!size || (!line.empty() && line.front() != ',' && !IsBlank(line.front()))) return std::nullopt;
  allocation.number = *number;
  allocation.size = *size;
  allocation.kind = Trim(line.substr(line.starts_with(',') ? 1 : 0));
  return allocation;
}

// value: <4196 multiply_add_fusion.1 @0> (size=393216,offset=0): f32[32768,3]{1,0}
std::optional<Value> ReadValue(string_view line) {
  if (!TakeWord("value:", line)) return std::nullopt;
  const size_t facts = line.find("(size=");
  if (facts == string_view::npos) return std::nullopt;
  Value value;
  string_view name = Trim(line.substr(0, facts));
  if (name.starts_with('<') && name.ends_with('>')) {
    name = name.substr(1, name.size() - 2);
    const size_t after_number = std::min(name.find(' '), name.size());
    name.remove_prefix(after_number);
    name = Trim(name.substr(0, name.rfind('@')));
  }
  value.name = name;
  line.remove_prefix(facts);
  if (!TakeWord("(size=", line)) return std::nullopt;
  const std::optional<uint64_t> size = TakeNumber(line);
  if (!size || !TakeWord(",", line) || !TakeWord("offset=", line)) return std::nullopt;
  const std::optional<uint64_t> offset = TakeNumber(line);
  if (!offset) return std::nullopt;
  value.size = *size;
  value.offset = *offset;
  return value;
}

// multiply{}:2-3
std::optional<std::pair<string_view, Life>> ReadLife(string_view line) {
  const size_t colon = line.rfind(':');
  if (colon == string_view::npos || colon == 0) return std::nullopt;
  string_view times = line.substr(colon + 1);
  const std::optional<uint64_t> first = TakeNumber(times);
  if (!first || !TakeWord("-", times)) return std::nullopt;
  const std::optional<uint64_t> last = TakeNumber(times);
  if (!last || !times.empty() || *first >= INT64_MAX || *last >= INT64_MAX) return std::nullopt;
  return std::pair(line.substr(0, colon),
                   Life{static_cast<int64_t>(*first), static_cast<int64_t>(*last) + 1});
}

struct Tables {
  std::vector<Allocation> allocations;
  absl::flat_hash_map<std::string, Life> lives;  // by name with its index: "fusion{}"
  size_t num_values = 0;
};

Tables ReadTables(string_view text) {
  Tables tables;
  bool in_lives = false;
  while (!text.empty() &&
         tables.num_values + tables.allocations.size() + tables.lives.size() < kMaxImported) {
    const string_view line = NextLine(text);
    if (line == "BufferLiveRange:") {
      in_lives = true;
    } else if (auto allocation = ReadAllocation(line)) {
      in_lives = false;
      tables.allocations.push_back(*std::move(allocation));
    } else if (auto value = ReadValue(line); value && !tables.allocations.empty()) {
      tables.allocations.back().values.push_back(*value);
      ++tables.num_values;
    } else if (in_lives) {
      const auto life = ReadLife(line);
      in_lives = life.has_value();
      if (life) tables.lives[std::string(life->first)] = life->second;
    }
  }
  return tables;
}

// The life of a value: the tables of values leave out an empty index.
const Life* FindLife(const Tables& tables, string_view name) {
  std::string key(name);
  if (!name.ends_with('}')) key += "{}";
  const auto it = tables.lives.find(key);
  return it == tables.lives.end() ? nullptr : &it->second;
}

size_t AllocationOfMostValues(const Tables& tables) {
  size_t most = 0;
  for (size_t i = 0; i < tables.allocations.size(); ++i) {
    if (tables.allocations[i].values.size() > tables.allocations[most].values.size()) most = i;
  }
  return most;
}

// Values of one offset and size whose lives overlap get one group.
void GroupShared(const std::vector<uint64_t>& offsets, Problem& problem) {
  std::vector<size_t> order(problem.buffers.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto key = [&](size_t i) {
    const Buffer& b = problem.buffers[i];
    return std::tuple(offsets[i], b.size, b.start, i);
  };
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return key(a) < key(b); });
  uint32_t groups = 0;
  for (size_t k = 0; k < order.size();) {
    const Buffer& first = problem.buffers[order[k]];
    int64_t end = first.end;
    size_t next = k + 1;
    while (next < order.size() && offsets[order[next]] == offsets[order[k]] &&
           problem.buffers[order[next]].size == first.size && problem.buffers[order[next]].start < end) {
      end = std::max(end, problem.buffers[order[next]].end);
      ++next;
    }
    if (next > k + 1) {
      ++groups;
      for (size_t i = k; i < next; ++i) problem.buffers[order[i]].group = groups;
    }
    k = next;
  }
}

Imported AllocationsAtOnce(const Tables& tables) {
  Imported imported;
  for (const Allocation& allocation : tables.allocations) {
    Buffer& buffer = imported.problem.buffers.emplace_back();
    buffer.id = absl::StrCat("allocation ", allocation.number);
    buffer.size = allocation.size;
    buffer.end = 1;
  }
  imported.notes.push_back(
      "the text has no BufferLiveRange, so when a value lives is not known: its allocations are the buffers, "
      "all live at "
      "once; append the -live-range.txt that XLA dumps beside the table");
  return imported;
}

Imported ValuesOf(const Tables& tables, size_t index) {
  const Allocation& allocation = tables.allocations[index];
  Imported imported;
  imported.problem.extra_columns = "planned";
  std::vector<uint64_t> offsets;
  for (const Value& value : allocation.values) {
    const Life* life = FindLife(tables, value.name);
    if (life == nullptr) continue;
    Buffer& buffer = imported.problem.buffers.emplace_back();
    buffer.id = value.name;
    buffer.size = value.size;
    buffer.start = life->start;
    buffer.end = life->end;
    buffer.extra = absl::StrCat(value.offset);
    offsets.push_back(value.offset);
  }
  GroupShared(offsets, imported.problem);
  imported.notes.push_back(absl::StrCat("allocation ", allocation.number, " (", index + 1, " of ",
                                        tables.allocations.size(), "): ", allocation.size,
                                        " bytes; planned: the offset in it"));
  const size_t without = allocation.values.size() - imported.problem.buffers.size();
  if (without > 0)
    imported.notes.push_back(absl::StrCat(without, " of its values have no live range and are left out"));
  return imported;
}

}  // namespace

bool LooksLikeBufferAssignment(string_view text) {
  while (!text.empty()) {
    if (ReadAllocation(NextLine(text))) return true;
  }
  return false;
}

absl::StatusOr<Imported> ImportBufferAssignment(string_view file_name, string_view text,
                                                const ImportOptions& options) {
  const Tables tables = ReadTables(text);
  const std::string name(file_name);
  if (tables.allocations.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(name, ":1:1: expected \"allocation N: size BYTES\""));
  }
  if (options.part > tables.allocations.size()) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": has ", tables.allocations.size(),
                                                   " allocations, no allocation ", options.part,
                                                   " (from 1)"));
  }
  Imported imported =
      tables.lives.empty()
          ? AllocationsAtOnce(tables)
          : ValuesOf(tables, options.part > 0 ? options.part - 1 : AllocationOfMostValues(tables));
  if (tables.num_values + tables.allocations.size() + tables.lives.size() >= kMaxImported) {
    imported.notes.push_back(
        absl::StrCat("only the first ", kMaxImported, " lines with something in them were read"));
  }
  imported.problem.capacity = options.capacity;
  return imported;
}

Imported ProblemOfHeapCalls(std::span<const HeapCall> calls, uint64_t alignment) {
  Imported imported;
  std::vector<Buffer>& buffers = imported.problem.buffers;
  absl::flat_hash_map<std::string, size_t> known;  // the last of its name
  size_t left_out = 0;
  uint32_t groups = 0;
  const int64_t end = static_cast<int64_t>(calls.size());
  for (int64_t time = 0; time < end; ++time) {
    const HeapCall& call = calls[time];
    const auto it = known.find(call.kind == HeapCall::kShare ? call.with : call.buffer);
    if (call.kind != HeapCall::kAlloc && it == known.end()) {
      ++left_out;
      continue;
    }
    if (call.kind == HeapCall::kFree) {
      buffers[it->second].end = time + 1;
      continue;
    }
    uint32_t group = 0;
    if (call.kind == HeapCall::kShare) {
      Buffer& other = buffers[it->second];
      if (other.group == 0) other.group = ++groups;
      group = other.group;
    }
    Buffer& buffer = buffers.emplace_back();
    buffer.id = call.buffer;
    buffer.size = call.size;
    buffer.alignment = alignment;
    buffer.start = time;
    buffer.end = end;
    buffer.group = group;
    known[call.buffer] = buffers.size() - 1;
  }
  if (left_out > 0) {
    imported.notes.push_back(
        absl::StrCat(left_out, " calls name a buffer that was not made, and are left out"));
  }
  return imported;
}

}  // namespace oomph::placement
