// See import_pytorch.h.
#include "tools/import_pytorch.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"

namespace oomph::hbm {
namespace {

using nlohmann::json;

constexpr uint64_t kGranule = 512;  // what the caching allocator rounds sizes to
constexpr size_t kMaxNesting = 64;
// In the file: the root, "device_traces", a device, an entry.
constexpr int kDeviceDepth = 2, kEntryDepth = 3;

constexpr std::string_view kWithoutCalls[] = {"segment_alloc", "segment_free", "segment_map", "segment_unmap",
                                              "snapshot"};

// "file:line:column", both from 1, of a byte.
std::string PlaceOf(std::string_view file_name, std::string_view text, size_t byte) {
  const std::string_view before = text.substr(0, byte);
  const size_t line_start = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
  return absl::StrCat(std::string(file_name), ":", 1 + std::count(before.begin(), before.end(), '\n'), ":",
                      before.size() - line_start + 1);
}

// Takes the entries as they are parsed, so that nothing of the file stays in memory but what a trace needs.
class SnapshotReader {
 public:
  explicit SnapshotReader(std::string_view file_name) : file_name_(file_name) {}

  absl::Status Read(std::string_view text) {
    try {
      const auto take = [this](int depth, json::parse_event_t event, json& parsed) {
        return Take(depth, event, parsed);
      };
      const json rest = json::parse(text.begin(), text.end(), take);
      if (error_.empty() && !seen_) error_ = ": expected an object with \"device_traces\", a list of lists";
    } catch (const json::parse_error& error) {
      const size_t byte = error.byte == 0 ? 0 : error.byte - 1;
      return absl::InvalidArgumentError(absl::StrCat(
          PlaceOf(file_name_, text, byte), ": expected JSON, found ",
          byte >= text.size() ? "the end" : absl::StrCat("\"", std::string(text.substr(byte, 20)), "\"")));
    } catch (const Stop&) {
    }
    if (!error_.empty()) return absl::InvalidArgumentError(absl::StrCat(std::string(file_name_), error_));
    return absl::OkStatus();
  }

  std::vector<std::vector<LoggedEvent>>& devices() { return devices_; }

 private:
  struct Stop {};

  // Whether the value is kept.
  bool Take(int depth, json::parse_event_t event, json& parsed) {
    if (depth > static_cast<int>(kMaxNesting)) Fail(": nested deeper than 64");
    switch (event) {
      case json::parse_event_t::key:
        if (depth == 1) in_traces_ = parsed == "device_traces";
        // Of an entry only what is read here; stacks are long.
        return depth != kEntryDepth + 1 || !in_traces_ || parsed == "action" || parsed == "addr" ||
               parsed == "size";
      case json::parse_event_t::array_start:
        if (in_traces_ && depth == kDeviceDepth - 1) seen_ = true;
        if (in_traces_ && depth == kDeviceDepth) devices_.emplace_back();
        return true;
      case json::parse_event_t::object_end:
        if (in_traces_ && depth == kEntryDepth && !devices_.empty()) {
          TakeEntry(parsed);
          return false;
        }
        return depth == 0 || in_traces_;
      case json::parse_event_t::array_end:
      case json::parse_event_t::value:
        return in_traces_ && depth > kEntryDepth;
      case json::parse_event_t::object_start:
        return true;
    }
    return true;
  }

  void TakeEntry(const json& entry) {
    const size_t number = devices_.back().size() + skipped_++;
    const auto action = entry.find("action");
    const std::string word = action != entry.end() && action->is_string() ? action->get<std::string>() : "";
    if (std::find(std::begin(kWithoutCalls), std::end(kWithoutCalls), word) != std::end(kWithoutCalls))
      return;
    LoggedEvent event = {};
    if (word == "alloc") {
      event = {LoggedCall::kAllocated, NumberOf(entry, "addr", number), NumberOf(entry, "size", number)};
    } else if (word == "free_requested") {
      event = {LoggedCall::kFreeBegun, NumberOf(entry, "addr", number), 0};
    } else if (word == "free_completed") {
      event = {LoggedCall::kFreeEnded, NumberOf(entry, "addr", number), 0};
    } else if (word == "free") {
      event = {LoggedCall::kFreed, NumberOf(entry, "addr", number), 0};
    } else if (word == "oom") {
      event = {LoggedCall::kRefused, 0, NumberOf(entry, "size", number)};
    } else {
      Fail(absl::StrCat(Entry(number), "expected a known action, found \"", word.substr(0, 40), "\""));
    }
    if (++num_events_ > kMaxLoggedEvents)
      Fail(absl::StrCat(": expected at most ", kMaxLoggedEvents, " entries"));
    devices_.back().push_back(event);
    --skipped_;
  }

  std::string Entry(size_t number) const {
    return absl::StrCat(": device ", devices_.size() - 1, ", entry ", number, ": ");
  }

  uint64_t NumberOf(const json& entry, const char* key, size_t number) {
    const auto it = entry.find(key);
    if (it == entry.end() || !it->is_number_unsigned())
      Fail(absl::StrCat(Entry(number), "expected a whole number \"", key, "\" below 2^64"));
    return it->get<uint64_t>();
  }

  [[noreturn]] void Fail(std::string error) {
    error_ = std::move(error);
    throw Stop();
  }

  const std::string_view file_name_;
  bool in_traces_ = false, seen_ = false;
  size_t skipped_ = 0, num_events_ = 0;
  std::string error_;
  std::vector<std::vector<LoggedEvent>> devices_;
};

}  // namespace

bool LooksLikePickle(std::string_view bytes) {
  return bytes.starts_with('\x80') || bytes.starts_with("PK\x03\x04");
}

absl::Status RefusePickle(std::string_view file_name) {
  const std::string name(file_name);
  return absl::InvalidArgumentError(
      absl::StrCat(name,
                   ": a pickle runs code when it is read, so it is not; if you trust it: python3 -c 'import "
                   "json, pickle, sys; "
                   "d = pickle.load(sys.stdin.buffer)[\"device_traces\"]; json.dump({\"device_traces\": "
                   "[[{k: v for k, v in e.items() if k != "
                   "\"frames\"} for e in t] for t in d]}, sys.stdout, default=str)' < ",
                   name, " > snapshot.json"));
}

absl::StatusOr<Imported> ImportPytorchSnapshot(std::string_view file_name, std::string_view text,
                                               const ImportOptions& options) {
  SnapshotReader reader(file_name);
  const absl::Status status = reader.Read(text);
  if (!status.ok()) return status;
  const auto& devices = reader.devices();
  size_t part = options.part;
  for (size_t i = 0; part == 0 && i < devices.size(); ++i) part = devices[i].empty() ? 0 : i + 1;
  if (part == 0 || part > devices.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(std::string(file_name), ": has ", devices.size(), " devices, ",
                     part == 0 ? "none with an entry" : absl::StrCat("no device ", part, " (from 1)")));
  }
  Imported imported = TraceOfLog(devices[part - 1], kGranule, options);
  imported.notes.insert(imported.notes.begin(), absl::StrCat("device ", part, " of ", devices.size(), ", ",
                                                             devices[part - 1].size(), " calls"));
  return imported;
}

}  // namespace oomph::hbm
