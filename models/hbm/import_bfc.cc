// See import_bfc.h.
#include "models/hbm/import_bfc.h"

#include <algorithm>
#include <charconv>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "models/base/units.h"

namespace oomph::hbm {
namespace {

constexpr uint64_t kGranule = 256;                // of the allocator: every chunk is a multiple
constexpr uint64_t kWaste = uint64_t{128} << 20;  // a rest of so much is always split off
constexpr size_t kMaxChunks = size_t{1} << 20;

constexpr std::string_view kInUse[] = {"InUse at ", "Chunk at "};
constexpr std::string_view kFree = "Free ";
constexpr std::string_view kOfSize = " of size ";
constexpr std::string_view kRounded = "(rounded to ";

bool IsHexDigit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == 'x';
}

// What a line says of a chunk: where its address begins, and whether it is in use.
struct Told {
  size_t at = 0;
  bool in_use = false;
};
std::optional<Told> ChunkIn(std::string_view line) {
  if (line.find(kOfSize) == line.npos) return std::nullopt;  // nearly every line
  for (const std::string_view words : kInUse) {
    const size_t at = line.find(words);
    if (at != line.npos) return Told{at + words.size(), true};
  }
  const size_t free = line.find(kFree);
  if (free == line.npos) return std::nullopt;
  size_t at = free + kFree.size();
  while (at < line.size() && line[at] == ' ') ++at;
  if (line.substr(at, 3) != "at ") return std::nullopt;
  return Told{at + 3, false};
}

std::optional<uint64_t> NumberAt(std::string_view line, size_t at) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(line.data() + at, line.data() + line.size(), number);
  if (error != std::errc() || end == line.data() + at) return std::nullopt;
  return number;
}

class DumpReader {
 public:
  explicit DumpReader(std::string_view file_name) : file_name_(file_name) {}

  absl::StatusOr<BfcDump> Read(std::string_view text) {
    for (line_ = 1; !text.empty(); ++line_) {
      const size_t end = text.find('\n');
      const absl::Status status = ReadLine(text.substr(0, end));
      if (!status.ok()) return status;
      text.remove_prefix(end == text.npos ? text.size() : end + 1);
    }
    if (dump_.regions.empty())
      return absl::InvalidArgumentError(
          absl::StrCat(std::string(file_name_), ":1:1: expected a line \"InUse at ADDRESS of size BYTES\""));
    return std::move(dump_);
  }

 private:
  absl::Status Refuse(std::string_view line, size_t at, std::string_view expected) const {
    return absl::InvalidArgumentError(
        absl::StrCat(std::string(file_name_), ":", line_, ":", at + 1, ": expected ", std::string(expected),
                     ", found \"", std::string(line.substr(std::min(at, line.size()), 40)), "\""));
  }

  absl::Status ReadLine(std::string_view line) {
    const size_t rounded = line.find(kRounded);
    if (rounded != line.npos) dump_.wanted = NumberAt(line, rounded + kRounded.size()).value_or(0);
    const std::optional<Told> told = ChunkIn(line);
    if (!told) {
      if (line.find("Next region of size") != line.npos) new_region_ = true;
      return absl::OkStatus();
    }
    size_t end = told->at;
    while (end < line.size() && IsHexDigit(line[end])) ++end;
    const std::optional<uint64_t> address = ReadHex(line.substr(told->at, end - told->at));
    if (!address) return Refuse(line, told->at, "an address in hexadecimal");
    const size_t size_at =
        line.find(kOfSize, end) == line.npos ? line.size() : line.find(kOfSize, end) + kOfSize.size();
    const std::optional<uint64_t> size = NumberAt(line, size_at);
    if (!size || *size == 0 || *size > kMaxBytes - *address)
      return Refuse(line, size_at, "the bytes of a chunk within 2^64");
    if (++num_chunks_ > kMaxChunks) return Refuse(line, 0, absl::StrCat("at most ", kMaxChunks, " chunks"));
    Add(*address, {0, *size, told->in_use});
    return absl::OkStatus();
  }

  void Add(uint64_t address, BfcRegion::Chunk chunk) {
    auto& regions = dump_.regions;
    if (regions.empty() || new_region_ || address != regions.back().address + regions.back().size()) {
      regions.push_back({address, {}});
    }
    new_region_ = false;
    chunk.offset = address - regions.back().address;
    regions.back().chunks.push_back(chunk);
  }

  const std::string_view file_name_;
  size_t line_ = 1;
  size_t num_chunks_ = 0;
  bool new_region_ = false;
  BfcDump dump_;
};

// Fills memory from the bottom, chunk by chunk, each from the one free chunk that is left; then frees what is
// free.
//
//     [ u0 | f1 | u2 |  rest, free    ]      a chunk that would swallow the rest, because that is too small
//     to be [ u0 | f1 | u2 | p | p |p| rest ]      split off, is made of pieces that are split off, freed and
//     taken whole
class Builder {
 public:
  explicit Builder(Trace& trace) : trace_(trace) {}

  void Build(const std::vector<BfcRegion::Chunk>& chunks, uint64_t capacity) {
    uint64_t rest = capacity;
    std::vector<std::vector<uint32_t>> pieces(chunks.size());
    for (size_t i = 0; i < chunks.size(); ++i) {
      for (uint64_t left = chunks[i].size; left > 0;) {
        const uint64_t piece = PieceOf(left, rest);
        pieces[i].push_back(Allocate(piece));
        left -= piece;
        rest -= piece;
      }
    }
    // All is taken: a chunk whose pieces are freed is the only free one, and the whole of it is asked for.
    for (size_t i = 0; i < chunks.size(); ++i) {
      if (!chunks[i].in_use || pieces[i].size() == 1) continue;
      for (const uint32_t name : pieces[i]) Free(name);
      Allocate(chunks[i].size);
    }
    for (size_t i = 0; i < chunks.size(); ++i) {
      if (chunks[i].in_use) continue;
      for (const uint32_t name : pieces[i]) Free(name);
    }
  }

 private:
  // What can be cut from the front of a free chunk of `rest` bytes, `wanted` at most.
  static uint64_t PieceOf(uint64_t wanted, uint64_t rest) {
    if (wanted == rest || rest - wanted >= wanted || rest - wanted >= kWaste) return wanted;
    return rest / 2 / kGranule * kGranule;
  }
  uint32_t Allocate(uint64_t size) {
    Step step;
    step.kind = StepKind::kAllocate;
    step.name = next_name_;
    step.size = size;
    trace_.steps.push_back(step);
    return next_name_++;
  }
  void Free(uint32_t name) {
    Step step;
    step.kind = StepKind::kFree;
    step.name = name;
    trace_.steps.push_back(step);
  }

  Trace& trace_;
  uint32_t next_name_ = 0;
};

// Chunks as the model can have them: whole granules, no two free ones side by side.
std::vector<BfcRegion::Chunk> Tidy(const BfcRegion& region, std::vector<std::string>& notes) {
  std::vector<BfcRegion::Chunk> tidy;
  uint64_t merged = 0, end = 0;
  for (BfcRegion::Chunk chunk : region.chunks) {
    chunk.size = std::max(RoundDown(chunk.size, kGranule), kGranule);
    chunk.offset = end;
    end += chunk.size;
    if (!tidy.empty() && !chunk.in_use && !tidy.back().in_use) {
      ++merged;
      tidy.back().size += chunk.size;
      continue;
    }
    tidy.push_back(chunk);
  }
  if (end != region.size())
    notes.push_back(absl::StrCat("sizes that are no multiple of ", kGranule, " were changed"));
  if (merged > 0)
    notes.push_back(absl::StrCat(merged, " free chunks that touch another are one with it here"));
  return tidy;
}

}  // namespace

bool LooksLikeBfcDump(std::string_view text) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    if (ChunkIn(text.substr(0, end))) return true;
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return false;
}

absl::StatusOr<BfcDump> ReadBfcDump(std::string_view file_name, std::string_view text) {
  return DumpReader(file_name).Read(text);
}

absl::StatusOr<Imported> ImportBfcDump(std::string_view file_name, std::string_view text,
                                       const ImportOptions& options) {
  const auto dump = ReadBfcDump(file_name, text);
  if (!dump.ok()) return dump.status();
  const size_t part = options.part == 0 ? 1 : options.part;
  if (part > dump->regions.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(std::string(file_name), ": has ", dump->regions.size(), " regions, no region ", part));
  }
  const BfcRegion& region = dump->regions[part - 1];
  Imported imported;
  imported.notes.push_back(absl::StrCat("region ", part, " of ", dump->regions.size(), ", ",
                                        region.chunks.size(), " chunks shown from address 0x",
                                        absl::Hex(region.address), ", ", region.size(), " bytes"));
  const std::vector<BfcRegion::Chunk> chunks = Tidy(region, imported.notes);
  Trace& trace = imported.trace;
  trace.policy.allocator = Allocator::kBfc;
  trace.policy.capacity = chunks.back().offset + chunks.back().size;
  if (options.capacity != 0) imported.notes.push_back("the capacity is that of the region");
  Builder(trace).Build(chunks, trace.policy.capacity);
  Step query;
  query.kind = StepKind::kQuery;
  trace.steps.push_back(query);
  if (dump->wanted > 0) {
    imported.notes.push_back("the last step is the request that was refused");
    Step step;
    step.kind = StepKind::kAllocate;
    step.name = static_cast<uint32_t>(trace.steps.size());
    step.size = dump->wanted;
    trace.steps.push_back(step);
  }
  return imported;
}

}  // namespace oomph::hbm
