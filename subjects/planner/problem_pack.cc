// See problem_pack.h.
#include "subjects/planner/problem_pack.h"

#include <cstdint>
#include <limits>
#include <optional>

#include "models/base/pack.h"

namespace oomph::placement {
namespace {

uint64_t Unsigned(int64_t value) { return static_cast<uint64_t>(value); }

void PackOptional(const std::optional<uint64_t>& value, Packer& packer) {
  packer.Number(value ? 1 : 0);
  if (value) packer.Number(*value);
}

void PackBuffer(const Buffer& buffer, Packer& packer) {
  packer.Text(buffer.id);
  packer.Number(buffer.size);
  packer.Number(buffer.alignment);
  packer.Number(Unsigned(buffer.start));
  packer.Number(Unsigned(buffer.end));
  PackOptional(buffer.fixed, packer);
  PackOptional(buffer.hint, packer);
  packer.Number(buffer.space);
  packer.Number(buffer.group);
  packer.Number(buffer.gaps.size());
  for (const Gap& gap : buffer.gaps) {
    packer.Number(Unsigned(gap.lower));
    packer.Number(Unsigned(gap.upper));
    packer.Number(gap.window_lower);
    packer.Number(gap.window_upper);
  }
  packer.Number(buffer.slices.size());
  for (const Slice& slice : buffer.slices) {
    packer.Number(slice.size);
    packer.Number(Unsigned(slice.start));
  }
  packer.Text(buffer.extra);
}

bool Time(Unpacker& unpacker, int64_t& into) {
  uint64_t value = 0;
  if (!unpacker.Number(value)) return false;
  into = static_cast<int64_t>(value);
  return true;
}

bool Small(Unpacker& unpacker, uint32_t& into) {
  uint64_t value = 0;
  if (!unpacker.Number(value) || value > std::numeric_limits<uint32_t>::max()) return false;
  into = static_cast<uint32_t>(value);
  return true;
}

bool Optional(Unpacker& unpacker, std::optional<uint64_t>& into) {
  uint64_t has = 0, value = 0;
  into.reset();
  if (!unpacker.Number(has) || has > 1) return false;
  if (has == 0) return true;
  if (!unpacker.Number(value)) return false;
  into = value;
  return true;
}

// Elements are added as their bytes are found: a count that lies takes no memory.
bool Gaps(Unpacker& unpacker, std::vector<Gap>& into) {
  uint64_t count = 0;
  into.clear();
  if (!unpacker.Number(count)) return false;
  for (; count > 0; --count) {
    Gap gap;
    if (!Time(unpacker, gap.lower) || !Time(unpacker, gap.upper) || !unpacker.Number(gap.window_lower) ||
        !unpacker.Number(gap.window_upper)) {
      return false;
    }
    into.push_back(gap);
  }
  return true;
}

bool Slices(Unpacker& unpacker, std::vector<Slice>& into) {
  uint64_t count = 0;
  into.clear();
  if (!unpacker.Number(count)) return false;
  for (; count > 0; --count) {
    Slice slice;
    if (!unpacker.Number(slice.size) || !Time(unpacker, slice.start)) return false;
    into.push_back(slice);
  }
  return true;
}

bool UnpackBuffer(Unpacker& unpacker, Buffer& buffer) {
  return unpacker.Text(buffer.id) && unpacker.Number(buffer.size) && unpacker.Number(buffer.alignment) &&
         Time(unpacker, buffer.start) && Time(unpacker, buffer.end) && Optional(unpacker, buffer.fixed) &&
         Optional(unpacker, buffer.hint) && Small(unpacker, buffer.space) && Small(unpacker, buffer.group) &&
         Gaps(unpacker, buffer.gaps) && Slices(unpacker, buffer.slices) && unpacker.Text(buffer.extra);
}

}  // namespace

void PackProblem(const Problem& problem, std::string& into) {
  Packer packer;
  PackOptional(problem.capacity, packer);
  packer.Text(problem.extra_columns);
  packer.Number(problem.buffers.size());
  for (const Buffer& buffer : problem.buffers) PackBuffer(buffer, packer);
  into = packer.bytes();
}

bool UnpackProblem(std::string_view bytes, Problem& into) {
  Unpacker unpacker(bytes);
  uint64_t count = 0;
  into.buffers.clear();
  if (!Optional(unpacker, into.capacity) || !unpacker.Text(into.extra_columns) || !unpacker.Number(count)) {
    return false;
  }
  for (; count > 0; --count) {
    Buffer buffer;
    if (!UnpackBuffer(unpacker, buffer)) return false;
    into.buffers.push_back(std::move(buffer));
  }
  return unpacker.AtEnd();
}

}  // namespace oomph::placement
