// See import_instances.h.
#include "tools/import_instances.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "models/base/units.h"
#include "nlohmann/json.hpp"

namespace oomph::placement {
namespace {

using nlohmann::json;

constexpr size_t kMaxLineBytes = 8 * kMiB;
constexpr int kMaxNesting = 8;
constexpr uint64_t kMaxCopies = 10000;  // of one operand's buffer

// What is wrong with an instance; caught where it is read, in this file.
struct Wrong {
  std::string what;
};

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// Discarded where it is no JSON object, or nested deeper than any instance is.
json Parse(std::string_view line) {
  if (line.size() > kMaxLineBytes) return json(json::value_t::discarded);
  bool deep = false;
  const auto watch = [&deep](int depth, json::parse_event_t, json&) {
    deep = deep || depth > kMaxNesting;
    return !deep;
  };
  json parsed = json::parse(line.begin(), line.end(), watch, /*allow_exceptions=*/false);
  return deep || !parsed.is_object() ? json(json::value_t::discarded) : parsed;
}

const json& Get(const json& object, const char* key) {
  static const json none;
  if (!object.is_object()) return none;
  const auto it = object.find(key);
  return it == object.end() ? none : *it;
}

uint64_t BytesOf(const json& value, const char* what) {
  if (!value.is_number_unsigned()) throw Wrong{absl::StrCat("a whole number of bytes as ", what)};
  return value.get<uint64_t>();
}

int64_t TimeOf(const json& value, bool inclusive_end, const char* what) {
  if (value.is_number_integer() &&
      !(value.is_number_unsigned() && value.get<uint64_t>() >= uint64_t{INT64_MAX})) {
    return value.get<int64_t>() + (inclusive_end ? 1 : 0);
  }
  throw Wrong{absl::StrCat("a whole number below 2^63 - 1 as ", what)};
}

const json& ListOf(const json& value, const char* what) {
  if (!value.is_array() || value.size() > kMaxImported) throw Wrong{absl::StrCat("a list ", what)};
  return value;
}

// ---- Lists of buffers ----

// Where each of `fields` stands in a row.
size_t FieldOf(const json& fields, const char* name) {
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i] == name) return i;
  }
  throw Wrong{absl::StrCat("\"", name, "\" among the fields")};
}

Imported FromBuffers(const json& instance) {
  Imported imported;
  const json& fields = ListOf(Get(instance, "fields"), "\"fields\" of names");
  const size_t size = FieldOf(fields, "size"), start = FieldOf(fields, "start"), end = FieldOf(fields, "end");
  const json& time = Get(instance, "time");
  const bool inclusive = time.is_string() && time.get<std::string>().find("inclusive") != std::string::npos;
  for (const json& row : ListOf(Get(instance, "buffers"), "\"buffers\"")) {
    if (!row.is_array() || row.size() < fields.size()) throw Wrong{"a list of numbers for each buffer"};
    Buffer& buffer = imported.problem.buffers.emplace_back();
    buffer.id = absl::StrCat("b", imported.problem.buffers.size() - 1);
    buffer.size = BytesOf(row[size], "size");
    buffer.start = TimeOf(row[start], false, "start");
    buffer.end = TimeOf(row[end], inclusive, "end");
  }
  imported.notes.push_back(inclusive ? "its ends were the last times in use"
                                     : "its ends were taken as the first times out of use");
  return imported;
}

// ---- Repacker blocks ----

std::vector<Slice> SlicesOf(const json& block) {
  struct Read {
    Slice slice;
    int64_t offset;
    size_t index;
  };
  std::vector<Read> read;
  for (const json& row : ListOf(block, "\"slices\"")) {
    if (!row.is_array() || row.size() != 3) throw Wrong{"[size, offset, start] for each slice"};
    read.push_back({{BytesOf(row[0], "size of a slice"), TimeOf(row[2], false, "start of a slice")},
                    TimeOf(row[1], false, "offset of a slice"),
                    read.size()});
  }
  // Where offsets are told, the slices lie in their order; else in that of the list.
  std::sort(read.begin(), read.end(), [](const Read& a, const Read& b) {
    return std::pair(a.offset, a.index) < std::pair(b.offset, b.index);
  });
  std::vector<Slice> slices;
  for (const Read& one : read) slices.push_back(one.slice);
  return slices;
}

// Rings of colocated blocks: [i, the next of i].
void Group(const json& pairs, std::vector<Buffer>& buffers) {
  std::vector<size_t> leader(buffers.size());
  std::iota(leader.begin(), leader.end(), size_t{0});
  const auto find = [&](size_t i) {
    while (leader[i] != i) i = leader[i] = leader[leader[i]];
    return i;
  };
  for (const json& pair : ListOf(pairs, "\"next_colocated\"")) {
    if (!pair.is_array() || pair.size() != 2) throw Wrong{"[block, next block] in \"next_colocated\""};
    const uint64_t a = BytesOf(pair[0], "block"), b = BytesOf(pair[1], "block");
    if (a >= buffers.size() || b >= buffers.size())
      throw Wrong{"blocks that are there in \"next_colocated\""};
    leader[find(a)] = find(b);
  }
  std::vector<size_t> members(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) ++members[find(i)];
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (members[find(i)] > 1) buffers[i].group = static_cast<uint32_t>(find(i) + 1);
  }
}

Imported FromBlocks(const json& instance) {
  Imported imported;
  const json& expected = Get(instance, "expect_offset");
  const bool has_expected = expected.is_object() && !expected.empty();
  const uint64_t alignment =
      Get(instance, "alignment").is_null() ? 1 : BytesOf(Get(instance, "alignment"), "\"alignment\"");
  bool sliced = false;
  for (const json& block : ListOf(Get(instance, "blocks"), "\"blocks\"")) {
    Buffer& buffer = imported.problem.buffers.emplace_back();
    const std::string number = absl::StrCat(imported.problem.buffers.size() - 1);
    buffer.id = "block " + number;
    buffer.size = BytesOf(Get(block, "size"), "\"size\"");
    buffer.alignment = alignment;
    buffer.start = TimeOf(Get(block, "start"), false, "\"start\"");
    buffer.end = TimeOf(Get(block, "end"), true, "\"end\"");
    if (Get(block, "initial_offset").is_number_unsigned())
      buffer.hint = Get(block, "initial_offset").get<uint64_t>();
    if (!Get(block, "slices").is_null()) buffer.slices = SlicesOf(Get(block, "slices"));
    sliced = sliced || !buffer.slices.empty();
    if (has_expected)
      buffer.extra = Get(expected, number.c_str()).is_null() ? "" : Get(expected, number.c_str()).dump();
  }
  if (!Get(instance, "next_colocated").is_null())
    Group(Get(instance, "next_colocated"), imported.problem.buffers);
  if (has_expected) imported.problem.extra_columns = "expected";
  if (!Get(instance, "memory_size").is_null())
    imported.problem.capacity = BytesOf(Get(instance, "memory_size"), "\"memory_size\"");
  imported.notes.push_back("its ends were the last times in use; a hint is where a block lay before");
  if (sliced)
    imported.notes.push_back(
        "its repacker may also change the order in which slices start, which here is fixed");
  return imported;
}

// ---- Calls of a heap simulator ----

HeapCall CallOf(const json& event) {
  const auto word = [&](size_t i) {
    if (!event.is_array() || event.size() <= i || !event[i].is_string()) {
      throw Wrong{"[\"alloc\", name, size], [\"share\", name, of, size] or [\"free\", name] as an event"};
    }
    return event[i].get<std::string>();
  };
  HeapCall call;
  const std::string kind = word(0);
  call.buffer = word(1);
  if (kind == "free") {
    call.kind = HeapCall::kFree;
    return call;
  }
  if (kind != "alloc" && kind != "share") throw Wrong{"alloc, share or free as an event"};
  const bool share = kind == "share";
  call.kind = share ? HeapCall::kShare : HeapCall::kAlloc;
  if (share) call.with = word(2);
  if (event.size() != (share ? 4u : 3u)) throw Wrong{"a size in each alloc and share"};
  call.size = BytesOf(event.back(), "size");
  return call;
}

Imported FromEvents(const json& instance) {
  std::vector<HeapCall> calls;
  for (const json& event : ListOf(Get(instance, "events"), "\"events\"")) calls.push_back(CallOf(event));
  const uint64_t alignment =
      Get(instance, "alignment").is_null() ? 1 : BytesOf(Get(instance, "alignment"), "\"alignment\"");
  Imported imported = ProblemOfHeapCalls(calls, alignment);
  const json& limit = Get(instance, "size_limit_per_heap");
  if (!limit.is_null()) {
    imported.problem.capacity = BytesOf(limit, "\"size_limit_per_heap\"");
    imported.notes.push_back(
        "its heap opens another heap where one is full; here what is above the capacity does not fit");
  }
  const json& offsets = Get(Get(instance, "expect"), "offset");
  if (offsets.is_object() && !offsets.empty()) {
    imported.problem.extra_columns = "expected";
    for (Buffer& buffer : imported.problem.buffers) {
      const json& offset = Get(offsets, buffer.id.c_str());
      if (offset.is_number_unsigned()) buffer.extra = offset.dump();
    }
  }
  const json& size = Get(Get(instance, "expect"), "heap_size");
  if (!size.is_null()) imported.notes.push_back("expected heap size: " + size.dump().substr(0, 100));
  return imported;
}

// ---- Operands of a kernel: blocks that are all there at once ----

Imported FromOperands(const json& instance) {
  Imported imported;
  const uint64_t element = BytesOf(Get(instance, "elem_bytes"), "\"elem_bytes\"");
  for (const json& operand : ListOf(Get(instance, "operands"), "\"operands\"")) {
    uint64_t bytes = element;
    for (const json& dimension : ListOf(Get(operand, "block"), "\"block\" of dimensions")) {
      const auto product = CheckedMul(bytes, BytesOf(dimension, "dimension"));
      if (!product) throw Wrong{"a block below 2^64 bytes"};
      bytes = *product;
    }
    const auto copies =
        CheckedMul(BytesOf(Get(operand, "n"), "\"n\""), BytesOf(Get(operand, "buffers"), "\"buffers\""));
    if (!copies || *copies > kMaxCopies)
      throw Wrong{absl::StrCat("at most ", kMaxCopies, " buffers of an operand")};
    for (uint64_t i = 0; i < *copies; ++i) {
      Buffer& buffer = imported.problem.buffers.emplace_back();
      buffer.id = absl::StrCat("b", imported.problem.buffers.size() - 1);
      buffer.size = bytes;
      buffer.end = 1;
    }
    if (imported.problem.buffers.size() > kMaxImported) throw Wrong{"fewer operands"};
  }
  const json& limit = Get(instance, "fits_limit");
  if (limit.is_number_unsigned()) imported.problem.capacity = limit.get<uint64_t>();
  imported.notes.push_back("a kernel's blocks have no lives of their own: all are live at once");
  return imported;
}

struct Form {
  const char* list;  // the key that tells it
  Imported (*read)(const json& instance);
};
constexpr Form kForms[] = {
    {"buffers", FromBuffers}, {"blocks", FromBlocks}, {"events", FromEvents}, {"operands", FromOperands}};

const Form* FormOf(const json& instance) {
  for (const Form& form : kForms) {
    if (Get(instance, form.list).is_array()) return &form;
  }
  return nullptr;
}

std::string NameOf(const json& instance) {
  for (const char* key : {"name", "test"}) {
    if (Get(instance, key).is_string()) return Get(instance, key).get<std::string>();
  }
  return "an instance";
}

}  // namespace

bool LooksLikeInstances(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return false;
  text.remove_prefix(first);
  const json instance = Parse(text.substr(0, text.find('\n')));
  return !instance.is_discarded() && FormOf(instance) != nullptr;
}

absl::StatusOr<Imported> ImportInstance(std::string_view file_name, std::string_view text,
                                        const ImportOptions& options) {
  const std::vector<std::string_view> lines = LinesOf(text);
  const std::string name(file_name);
  const size_t part = std::max<size_t>(options.part, 1);
  if (part > lines.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": has ", lines.size(), " instances, no instance ", part, " (from 1)"));
  }
  const size_t number = 1 + std::count(text.data(), lines[part - 1].data(), '\n');
  const auto expected = [&](const std::string& what) {
    return absl::InvalidArgumentError(absl::StrCat(name, ":", number, ":1: expected ", what));
  };
  const json instance = Parse(lines[part - 1]);
  if (instance.is_discarded()) return expected("a JSON object");
  const Form* form = FormOf(instance);
  if (form == nullptr) return expected("an object with a list of buffers, blocks, events or operands");
  try {
    Imported imported = form->read(instance);
    const std::string title = absl::StrCat(NameOf(instance), ", instance ", part, " of ", lines.size());
    imported.notes.insert(imported.notes.begin(), title);
    for (const char* key : {"optimum", "expected_size", "expected_bytes", "expect_success", "verdict"}) {
      if (!Get(instance, key).is_null())
        imported.notes.push_back(absl::StrCat(key, ": ", Get(instance, key).dump().substr(0, 100)));
    }
    if (options.capacity) imported.problem.capacity = options.capacity;
    return imported;
  } catch (const Wrong& wrong) {
    return expected(wrong.what);
  }
}

}  // namespace oomph::placement
