// See from_problem.h.
#include "models/hlo/from_problem.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "models/hlo/builder.h"
#include "models/hlo/generate.h"
#include "models/placement/generate.h"

namespace oomph::hlo {
namespace {

using placement::Buffer;
using placement::Problem;

// Of a one-dimensional array of f32: 1024 elements.
constexpr int64_t kTileElements = 1024;
constexpr uint64_t kTile = 4 * kTileElements;

absl::Status Refuse(const Buffer& buffer, size_t index, const char* what) {
  return absl::UnimplementedError(absl::StrCat("buffer ", index, " (", buffer.id, "): a module has no ", what));
}

absl::Status CheckBuffer(const Buffer& buffer, size_t index, uint64_t alignment) {
  if (!buffer.gaps.empty()) return Refuse(buffer, index, "gaps in the life of a value");
  if (!buffer.slices.empty()) return Refuse(buffer, index, "slices of values that come to life one after the other");
  if (buffer.fixed) return Refuse(buffer, index, "fixed offsets");
  if (buffer.group != 0) return Refuse(buffer, index, "groups of values at one offset");
  if (std::max<uint64_t>(buffer.alignment, 1) != alignment)
    return Refuse(buffer, index, "alignment of its own for each value");
  if (buffer.size > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) - kTile)
    return Refuse(buffer, index, "array of 2^63 bytes");
  return absl::OkStatus();
}

bool TakesMemory(const Buffer& buffer) { return buffer.size != 0 && buffer.start < buffer.end; }

class Writer {
 public:
  Writer(const Problem& problem, const FromProblemOptions& options, FromProblem& into)
      : problem_(problem), options_(options), into_(into), build_(into.module) {}

  absl::Status Run() {
    // Ends before starts: ranges are half-open.
    std::map<int64_t, std::vector<uint32_t>> starts, ends;
    size_t left_out = 0;
    for (uint32_t i = 0; i < problem_.buffers.size(); ++i) {
      const Buffer& buffer = problem_.buffers[i];
      if (!TakesMemory(buffer)) {
        ++left_out;
        continue;
      }
      starts[buffer.start].push_back(i);
      ends[buffer.end].push_back(i);
    }
    if (left_out != 0) into_.notes.push_back(absl::StrCat(left_out, " buffers without bytes or time are left out"));
    build_.Begin("main");
    const int64_t one_tile[] = {kTileElements};
    tile_ = shapes().AddArray(Type::kF32, one_tile);
    if (options_.for_tpu) {
      sum_ = Add("sum", build_.Add(Opcode::kParameter, tile_, {}, {}, 0));
      into_.notes.push_back("beside the problem up to three arrays of 4 KiB: the sum, the next sum, and a slice");
    }
    made_.resize(problem_.buffers.size());
    std::vector<uint32_t> over;  // to be read before the next start
    auto end = ends.begin();
    for (const auto& [time, buffers] : starts) {
      for (; end != ends.end() && end->first <= time; ++end)
        over.insert(over.end(), end->second.begin(), end->second.end());
      Read(over);
      for (const uint32_t buffer : buffers) {
        if (absl::Status status = Make(buffer); !status.ok()) return status;
      }
    }
    for (; end != ends.end(); ++end) over.insert(over.end(), end->second.begin(), end->second.end());
    Read(over);
    // The last sum is read once more, so that there is one where the problem is empty.
    const uint32_t root = options_.for_tpu ? Add("result", build_.Add(Opcode::kNegate, tile_, {sum_}))
                                           : Add("nothing", build_.Add(Opcode::kTuple, shapes().AddTuple({}), {}));
    const AttributeId header[] = {build_.Numbers(Key::kIsScheduled, {1})};
    build_.Finish(build_.End(root), "problem", header);
    return absl::OkStatus();
  }

 private:
  ShapeTable& shapes() { return into_.module.shapes; }
  uint32_t Add(const std::string& name, uint32_t index) {
    build_.instruction(index).name = into_.module.strings.Add(name);
    return index;
  }

  absl::Status Make(uint32_t index) {
    const Buffer& buffer = problem_.buffers[index];
    uint64_t bytes = buffer.size;
    Layout layout;
    layout.minor_to_major = {0};
    layout.memory_space = buffer.space;
    if (options_.for_tpu && bytes % kTile != 0) {
      if (!options_.round_up) {
        return absl::UnimplementedError(absl::StrCat("buffer ", index, " (", buffer.id, "): ", bytes,
                                                     " bytes are no multiple of ", kTile, ", a tile"));
      }
      bytes = (bytes + kTile - 1) / kTile * kTile;
      into_.notes.push_back(absl::StrCat("buffer.", index, " takes ", bytes, " bytes, not ", buffer.size));
    }
    const int64_t sizes[] = {static_cast<int64_t>(options_.for_tpu ? bytes / 4 : bytes)};
    const ShapeId shape = shapes().AddArray(options_.for_tpu ? Type::kF32 : Type::kU8, sizes,
                                            buffer.space == 0 ? std::optional<LayoutId>() : shapes().AddLayout(layout));
    made_[index] = Add(absl::StrCat("buffer.", index),
                       build_.Add(Opcode::kIota, shape, {}, {build_.Numbers(Key::kIotaDimension, {0})}));
    return absl::OkStatus();
  }

  // What ends is read, all of it before anything else starts.
  void Read(std::vector<uint32_t>& buffers) {
    if (buffers.empty()) return;
    if (options_.for_tpu) {
      for (const uint32_t buffer : buffers) AddUp(made_[buffer]);
    } else {
      std::vector<uint32_t> operands;
      for (const uint32_t buffer : buffers) operands.push_back(made_[buffer]);
      const AttributeId attributes[] = {build_.Text(Key::kCustomCallTarget, "OomphReads"),
                                        build_.Numbers(Key::kCustomCallHasSideEffect, {1})};
      Add(absl::StrCat("reads.", reads_++),
          build_.Add(Opcode::kCustomCall, shapes().AddTuple({}), operands, attributes));
    }
    buffers.clear();
  }

  void AddUp(uint32_t made) {
    const std::string number = absl::StrCat(reads_++);
    if (shapes().Dimensions(build_.ShapeOf(made))[0].size != kTileElements) {
      made = Add("slice." + number,
                 build_.Add(Opcode::kSlice, tile_, {made}, {build_.Numbers(Key::kSlice, {0, kTileElements, 1})}));
    }
    sum_ = Add("sum." + number, build_.Add(Opcode::kAdd, tile_, {sum_, made}));
  }

  const Problem& problem_;
  const FromProblemOptions& options_;
  FromProblem& into_;
  Builder build_;
  std::vector<uint32_t> made_;  // the instruction of a buffer
  size_t reads_ = 0;
  ShapeId tile_ = 0;
  uint32_t sum_ = 0;
};

}  // namespace

bool MayBeOfProblem(const GenerateOptions& options) { return (options.features >> feature::kSchedule & 1) != 0; }

void GenerateOfProblem(Choices& choices, const GenerateOptions& options, Module& into) {
  GenerateOptions plain = options;
  plain.features = 0;  // nothing that a module cannot have
  Problem problem;
  placement::GenerateProblem(choices, plain, problem);
  // Without a layout custom calls and arrays of bytes are all that it has beyond a schedule.
  const bool custom =
      (options.features >> feature::kCustomCalls & 1) != 0 && (options.features >> feature::kNarrowTypes & 1) != 0;
  FromProblemOptions from;
  from.for_tpu = from.round_up = !custom || choices.Chance(1, 2);
  // The arrays of a problem may be larger than any memory, which is nothing to do with it.
  for (Buffer& buffer : problem.buffers) buffer.size = std::min(buffer.size, uint64_t{1} << 40);
  if (absl::StatusOr<FromProblem> made = ModuleFromProblem(problem, from); made.ok()) into = std::move(made->module);
}

absl::StatusOr<FromProblem> ModuleFromProblem(const Problem& problem, const FromProblemOptions& options) {
  std::optional<uint64_t> alignment;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    if (!alignment) alignment = std::max<uint64_t>(problem.buffers[i].alignment, 1);
    if (absl::Status status = CheckBuffer(problem.buffers[i], i, *alignment); !status.ok()) return status;
  }
  FromProblem made;
  if (alignment.value_or(1) != 1)
    made.notes.push_back(absl::StrCat("the alignment of ", *alignment, " is the planner's to know"));
  if (absl::Status status = Writer(problem, options, made).Run(); !status.ok()) return status;
  return made;
}

}  // namespace oomph::hlo
