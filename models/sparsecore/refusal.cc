// See refusal.h. The texts are those of libtpu 0.0.52 (measured: docs/FACTS.md).
#include "models/sparsecore/refusal.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "absl/strings/str_cat.h"
#include "models/base/units.h"
#include "models/message/number.h"
#include "models/message/sparsecore_oom.h"
#include "models/sparsecore/words.h"

namespace oomph::sparsecore {
namespace {

// Texts have 63 bits.
int64_t Printed(uint64_t words) {
  constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(std::min(words, kMost));
}

std::string NameOf(Space space) { return std::string(SparseCoreSpaceName(space)); }

std::string SpaceIn(const Program& program, Space space) {
  if (program.wording == Wording::kNamed) return NameOf(space);
  constexpr int kNumbers[] = {202, 201, 0, 204, 0, 204, 203};  // in the order of SparseCoreSpace
  return absl::StrCat(kNumbers[static_cast<size_t>(space)]);
}

// What is allocated where: of a buffer from elsewhere as it is called there; else the line of a text that has one
// statement a line, under the first.
struct Operation {
  std::string place, value, type;
};

Operation OperationOf(const Program& program, Space space, uint32_t statement) {
  if (statement == kNoStatement || statement >= program.statements.size()) {
    return {"main.1:1:1", "%11", "memref<1xi32, #sc_tpu.memory_space<sflag>>"};
  }
  Operation operation = {absl::StrCat("program:", statement + 2, ":1"), absl::StrCat("%", statement), ""};
  const Statement& of = program.statements[statement];
  if (of.kind == Kind::kCopy || of.buffer >= program.buffers.size()) {
    Buffer semaphore;
    semaphore.space = space;
    semaphore.type = Type::kS32;
    operation.type = MemRefOf(program, semaphore, false);
    return operation;
  }
  const Buffer& buffer = program.buffers[of.buffer];
  if (!buffer.place.empty()) operation.place = buffer.place;
  if (!buffer.value.empty()) {
    operation.value = buffer.value;
  } else if (!buffer.name.empty()) {
    operation.value = "%" + buffer.name;
  }
  operation.type = MemRefOf(program, buffer, of.kind == Kind::kScratch);
  return operation;
}

}  // namespace

std::string PrintOverBound(const Program& program, const Overrun& overrun, uint32_t statement) {
  const Operation operation = OperationOf(program, overrun.space, statement);
  SparseCoreOom oom;
  oom.bound = Printed(overrun.bound);
  oom.limit = Printed(overrun.limit);
  oom.words = Printed(overrun.words);
  oom.space = SpaceIn(program, overrun.space);
  oom.place = operation.place;
  oom.value = operation.value;
  oom.type = operation.type;
  oom.numbered = program.wording == Wording::kNumbered;
  return PrintSparseCoreOom(oom);
}

std::string PrintNotHere(const Program& program, uint32_t statement) {
  Space space = Space::kSpmem;
  if (statement < program.statements.size() && program.statements[statement].buffer < program.buffers.size()) {
    space = program.buffers[program.statements[statement].buffer].space;
  }
  const Operation operation = OperationOf(program, space, statement);
  return absl::StrCat("INTERNAL: Failed to run MLO pass pipeline.", operation.place,
                      ": error: 'memref.alloca' op execute core allocation doesn't refer to a core or tile-view memory "
                      "space: ",
                      NameOf(space), "\n", operation.place, ": note: see current operation: ", operation.value,
                      " = \"memref.alloca\"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> ", operation.type,
                      "\nmain.1:1:1: error: NOTE: Failed in pass AllocationAssignment\n");
}

std::string PrintOverHighWater(const Program& program, Space space, uint64_t words, uint64_t limit) {
  constexpr std::string_view kPipeline = "INTERNAL: Failed to run MLO pass pipeline.main.1:2:1: error: 'llvm.func' op ";
  if (space == Space::kSmemTile) {
    return absl::StrCat(std::string(kPipeline), "Smem high-water mark exceeds memory capacity\n");
  }
  const uint64_t last = LimitOf(program.target, space).last_word;
  if (space == Space::kSmemScs || (space == Space::kSflagScs && words > last)) {
    return absl::StrCat(std::string(kPipeline), space == Space::kSmemScs ? "SCS Smem" : "SCS Sflag", " usage (", words,
                        ") exceeds the user allocatable high limit (", space == Space::kSmemScs ? limit : last, ")\n");
  }
  // Of a tile 6 words more, of 32 or 64; of the scalar core 8 kept words and 128 more than its last word.
  const std::string memory = space == Space::kSflagTile ? "sparse_core_tile_sflag" : "sparse_core_sequencer_sflag";
  const uint64_t beyond = SaturatingSub(words, limit);
  const uint64_t capacity = space == Space::kSflagTile ? limit + 6 : 28 * kKiB / 4;
  return absl::StrCat("RESOURCE_EXHAUSTED: XLA:TPU compile permanent error. Ran out of memory in memory space ", memory,
                      ". Used ", FormatBytes(SaturatingMul(SaturatingAdd(capacity, beyond), 4)), " of ",
                      FormatBytes(capacity * 4), " ", memory, ". Exceeded ", memory, " capacity by ",
                      FormatBytes(SaturatingMul(beyond, 4)), ".");
}

std::string WhyDeclined(const Program& program, uint32_t buffer) {
  return absl::StrCat("INTERNAL: Failed to convert memory space of ", program.buffers[buffer].name, ": ",
                      NameOf(program.buffers[buffer].space), " is no memory of the scalar core");
}

}  // namespace oomph::sparsecore
