// See specification.h. Where no other source is named, a rule is measured with libtpu 0.0.52 (docs/FACTS.md, scoped
// VMEM).
#include "models/vmem/specification.h"

#include <algorithm>
#include <limits>

#include "absl/numeric/int128.h"
#include "models/base/units.h"
#include "models/vmem/refusal.h"

namespace oomph::vmem {
namespace {

uint64_t RoundUp(uint64_t n, uint64_t multiple) { return CheckedRoundUp(n, multiple).value_or(kMaxBytes); }

// Of 2^64 - 1 elements that stand for more, too, nobody knows the bytes.
uint64_t BytesOfBits(uint64_t elements, uint64_t bits) {
  if (elements == kMaxBytes) return kMaxBytes;
  const absl::uint128 bytes = absl::uint128(elements) * bits / 8;
  return bytes > kMaxBytes ? kMaxBytes : static_cast<uint64_t>(bytes);
}

uint64_t SizeOf(const BlockDimension& dimension) { return dimension.kind == BlockKind::kSqueezed ? 1 : dimension.size; }

}  // namespace

void Specification::Run(const Kernel& kernel, Answer& into) const {
  into = Answer();
  for (size_t i = 0; i < kernel.scratch.size(); ++i) {
    const uint64_t padded = ScratchBlock(kernel.scratch[i]);
    into.parts.push_back({Part::kScratch, static_cast<uint32_t>(i), padded, 1, RoundScratch(padded)});
  }
  for (const Part part : {Part::kInput, Part::kOutput}) {
    const std::vector<Operand>& operands = part == Part::kInput ? kernel.inputs : kernel.outputs;
    for (size_t i = 0; i < operands.size(); ++i) {
      PartBytes window = WindowOf(kernel, operands[i]);
      window.part = part;
      window.index = static_cast<uint32_t>(i);
      into.parts.push_back(window);
    }
  }
  if (const uint64_t stack = StackBytes(kernel); stack > 0) into.parts.push_back({Part::kStack, 0, stack, 1, stack});
  into.used = 0;
  for (const PartBytes& part : into.parts) into.used = SaturatingAdd(*into.used, part.bytes);
  into.limit = Limit(kernel);
  into.at_least = IsAtLeast(kernel);
  into.at_most = IsAtMost(kernel);
  Check(kernel, into);
  into.message = PrintRefusal(kernel, into);
}

// --- one buffer ---

// A bool is a 32-bit mask in VMEM (pred[8,128] as a window: 4096 bytes).
uint64_t Specification::BitsOf(Type type) const { return type == Type::kPred ? 32 : hlo::RowOf(type).bits; }

uint64_t Specification::Packing(Type type) const {
  const uint64_t bits = BitsOf(type);
  return bits == 0 || bits > 32 ? 1 : 32 / bits;
}

// Rows pack in 32 bits; few rows take a smaller tile: bf16 (2,128) 512 bytes, (8,128) 2048, s8 (8,128) 1024, s8 (9,128)
// 2048.
uint64_t Specification::Sublanes(uint64_t second_minor, uint64_t packing) const {
  uint64_t rows = packing;
  while (rows < std::min<uint64_t>(second_minor, 8)) rows *= 2;
  return rows;
}

// f32 (129): 1024 bytes, bf16 (100): 512.
uint64_t Specification::RankOneGranule(uint64_t packing) const { return 128 * packing; }

uint64_t Specification::PaddedElements(const std::vector<uint64_t>& shape, uint64_t packing) const {
  if (shape.empty()) return RankOneGranule(packing);  // one element: assumed
  if (shape.size() == 1) return RoundUp(shape[0], RankOneGranule(packing));
  const size_t rank = shape.size();
  uint64_t elements =
      SaturatingMul(RoundUp(shape[rank - 2], Sublanes(shape[rank - 2], packing)), RoundUp(shape[rank - 1], 128));
  for (size_t i = 0; i + 2 < rank; ++i) elements = SaturatingMul(elements, shape[i]);
  return elements;
}

uint64_t Specification::BytesOf(uint64_t elements, uint64_t bits) const { return BytesOfBits(elements, bits); }

// --- windows ---

std::vector<uint64_t> Specification::WindowShape(const Operand& operand) const {
  if (operand.block.empty()) return operand.array;
  std::vector<uint64_t> shape;
  for (const BlockDimension& dimension : operand.block) shape.push_back(SizeOf(dimension));
  return shape;
}

uint64_t Specification::WindowBlock(const Operand& operand) const {
  return BytesOf(PaddedElements(WindowShape(operand), Packing(operand.type)), BitsOf(operand.type));
}

// v5p and v4 megacore: where the grid is two steps in all, of a parallel or core_parallel dimension, each core takes
// one, and buffers are single. So grid (2) and (1,2); not (3), (4), (2,2), (2,4), and none that is dynamic.
bool Specification::IsSplit(const Kernel& kernel, uint32_t axis) const {
  const GridDimension& dimension = kernel.grid[axis];
  const bool parallel = dimension.semantics == Semantics::kParallel || dimension.semantics == Semantics::kCoreParallel;
  if (RowOf(kernel.target).cores != 2 || !parallel || dimension.dynamic || dimension.size != 2) return false;
  for (size_t i = 0; i < kernel.grid.size(); ++i) {
    if (i != axis && (kernel.grid[i].dynamic || kernel.grid[i].size > 1)) return false;
  }
  return true;
}

uint64_t Specification::StepsOf(const Kernel& kernel, uint32_t axis) const {
  if (axis >= kernel.grid.size()) return 1;  // a constant
  if (kernel.grid[axis].dynamic) return 0;
  if (IsSplit(kernel, axis)) return 1;
  return std::max<uint64_t>(kernel.grid[axis].size, 1);
}

// What the compiler folds to a constant: i*0, i%1, a grid index that has one value. It folds neither i//8 nor min(i,0).
bool Specification::TermVaries(const Kernel& kernel, const Term& term) const {
  const bool axis_varies = StepsOf(kernel, term.axis) != 1;
  switch (term.kind) {
    case TermKind::kConstant:
      return false;
    case TermKind::kTimes:
      return axis_varies && term.amount != 0;
    case TermKind::kModulo:
      return axis_varies && term.amount > 1;
    case TermKind::kDivided:
    case TermKind::kAtMost:
      return axis_varies;
    case TermKind::kPrefetched:
      return axis_varies && term.amount < kernel.prefetched.size();
  }
  return false;
}

bool Specification::PlaceVaries(const Kernel& kernel, const Place& place) const {
  for (const Term& term : place) {
    if (TermVaries(kernel, term)) return true;
  }
  return false;
}

bool Specification::BlockVaries(const Kernel& kernel, const Operand& operand) const {
  for (size_t i = 0; i < std::min(operand.map.size(), operand.block.size()); ++i) {
    if (PlaceVaries(kernel, operand.map[i])) return true;
  }
  return false;
}

bool Specification::TakesWindow(const Operand& operand) const { return operand.space == Space::kVmem; }

// Buffered(1) makes one of two; Buffered(2) of a block that stays makes none more. Whole arrays are fetched once.
uint64_t Specification::Levels(const Kernel& kernel, const Operand& operand) const {
  if (!BlockVaries(kernel, operand)) return 1;
  return operand.buffers == 0 ? 2 : operand.buffers;
}

// Rows of an array lie together, columns do not: f32[256,256] by 64x256 is one piece, f32[256,512] by 256x128 is not.
bool Specification::IsContiguous(const Operand& operand) const {
  if (operand.block.empty()) return true;
  if (operand.block.size() != operand.array.size()) return false;
  size_t whole = operand.block.size();  // dimensions from here on are whole
  while (whole > 0 && SizeOf(operand.block[whole - 1]) == operand.array[whole - 1]) --whole;
  for (size_t i = 0; i + 1 < whole; ++i) {
    if (SizeOf(operand.block[i]) != 1) return false;
  }
  // What cuts the minor dimension is one piece only of an array that has no other.
  return whole < operand.array.size() || operand.array.size() <= 1;
}

bool Specification::IsThereAlready(const Operand& operand) const { return operand.in_vmem && IsContiguous(operand); }

uint64_t Specification::RoundWindow(uint64_t bytes) const { return RoundUp(bytes, 1024); }

PartBytes Specification::WindowOf(const Kernel& kernel, const Operand& operand) const {
  PartBytes part;
  part.padded = WindowBlock(operand);
  part.levels = !TakesWindow(operand) || IsThereAlready(operand) ? 0 : Levels(kernel, operand);
  part.bytes = RoundWindow(SaturatingMul(part.padded, part.levels));
  return part;
}

// --- scratch and stack ---

// s4 (8,128) as a scratch operand takes 1024 bytes, as a window 512.
uint64_t Specification::ScratchBits(Type type) const { return std::max<uint64_t>(BitsOf(type), 8); }

uint64_t Specification::ScratchBlock(const Buffer& buffer) const {
  return BytesOf(PaddedElements(buffer.shape, Packing(buffer.type)), ScratchBits(buffer.type));
}

uint64_t Specification::RoundScratch(uint64_t bytes) const { return RoundUp(bytes, 512); }

// f32 (9,128): 9 rows of 512 bytes, not 16; f32 (9,129) and bf16 (9,128) are padded.
bool Specification::KeepsRows(const Buffer& buffer) const {
  return BitsOf(buffer.type) == 32 && buffer.shape.size() >= 2 && buffer.shape.back() <= 128;
}

uint64_t Specification::ScopedBlock(const Buffer& buffer) const {
  if (!KeepsRows(buffer)) {
    return BytesOf(PaddedElements(buffer.shape, Packing(buffer.type)), BitsOf(buffer.type));
  }
  uint64_t rows = 1;
  for (size_t i = 0; i + 1 < buffer.shape.size(); ++i) rows = SaturatingMul(rows, buffer.shape[i]);
  return BytesOf(SaturatingMul(rows, RoundUp(buffer.shape.back(), 128)), 32);
}

uint64_t Specification::RoundScoped(uint64_t bytes) const { return RoundUp(bytes, 1024); }

uint64_t Specification::Together(uint64_t sibling, uint64_t other) const { return std::max(sibling, other); }
uint64_t Specification::Nested(uint64_t outer, uint64_t inner) const { return SaturatingAdd(outer, inner); }

uint64_t Specification::ScopeBytes(const Kernel& kernel, size_t begin, size_t end) const {
  uint64_t most = 0;
  while (begin < end) {
    size_t next = begin + 1;  // the sibling: the first that is no deeper
    while (next < end && kernel.scoped[next].depth > kernel.scoped[begin].depth) ++next;
    const uint64_t outer = RoundScoped(ScopedBlock(kernel.scoped[begin].buffer));
    most = Together(most, Nested(outer, ScopeBytes(kernel, begin + 1, next)));
    begin = next;
  }
  return most;
}

uint64_t Specification::StackBytes(const Kernel& kernel) const {
  return SaturatingAdd(ScopeBytes(kernel, 0, kernel.scoped.size()), kernel.internal_bytes);
}

// --- verdict ---

int64_t Specification::DefaultLimit(const Kernel& kernel) const {
  return static_cast<int64_t>(RowOf(kernel.target).default_limit);
}

// In KiB. -1 is as if it was not given; 0 is 0, and -2 is a limit of -2.0K.
std::optional<int64_t> Specification::OptionLimit(const Kernel& kernel) const {
  if (!kernel.option_kib || *kernel.option_kib == -1) return std::nullopt;
  int64_t bytes = 0;
  if (!__builtin_mul_overflow(*kernel.option_kib, int64_t{1024}, &bytes)) return bytes;
  return *kernel.option_kib < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
}

int64_t Specification::Clamp(const Kernel& kernel, int64_t limit) const {
  return std::min(limit, static_cast<int64_t>(RowOf(kernel.target).clamp));
}

// The limit that the kernel states wins, be it larger or smaller than the option.
int64_t Specification::Limit(const Kernel& kernel) const {
  if (kernel.limit_bytes) return Clamp(kernel, *kernel.limit_bytes);
  return OptionLimit(kernel).value_or(DefaultLimit(kernel));
}

// An array that fits into what the limit leaves of VMEM may be moved there, and its window then takes nothing: at a
// limit of all VMEM nothing is moved. A kernel takes arrays in tiles, and a pred 32 bits wide.
bool Specification::MayBePromoted(const Kernel& kernel, const Operand& operand) const {
  if (!TakesWindow(operand) || IsThereAlready(operand)) return false;
  const uint64_t limit = static_cast<uint64_t>(std::max<int64_t>(Limit(kernel), 0));
  const uint64_t usable = RowOf(kernel.target).usable;
  const uint64_t bytes = BytesOf(PaddedElements(operand.array, Packing(operand.type)), BitsOf(operand.type));
  return limit < usable && bytes <= usable - limit;
}

// f32[1,1], bf16[1], s8[1,1,1] as inputs, of every chip: no bytes where they are not read, 512 where they are, and not
// 1024. An output f32[1,1] takes 1024.
bool Specification::IsScalar(const Operand& input) const {
  return TakesWindow(input) && !input.in_vmem &&
         std::all_of(input.array.begin(), input.array.end(), [](uint64_t size) { return size == 1; });
}

bool Specification::IsAtLeast(const Kernel& kernel) const {
  for (const std::vector<Operand>* operands : {&kernel.inputs, &kernel.outputs}) {
    for (const Operand& operand : *operands) {
      if (MayBePromoted(kernel, operand)) return false;
      if (operand.buffers > 2) return false;  // no kernel has them but those that pipeline by themselves
    }
  }
  for (const Operand& input : kernel.inputs) {
    if (IsScalar(input)) return false;
  }
  return true;
}

// u4[1,64,243] in VMEM by 16 rows takes its windows: the array may lie in tiles of more rows. Of 32 bits all have 8.
bool Specification::MayBeInLargerTiles(const Operand& operand) const {
  return BitsOf(operand.type) < 32 && WindowShape(operand) != operand.array;
}

// A heavy body adds spills and scratch of its own, unless it is said how much; a producer that is fused into an input
// adds the windows of what it reads.
bool Specification::IsAtMost(const Kernel& kernel) const {
  if (IsHeavy(kernel.body) && kernel.internal_bytes == 0) return false;
  for (const std::vector<Operand>* operands : {&kernel.inputs, &kernel.outputs}) {
    for (const Operand& operand : *operands) {
      if (operand.fused || operand.buffers > 2) return false;
      if (TakesWindow(operand) && IsThereAlready(operand) && MayBeInLargerTiles(operand)) return false;
    }
  }
  return true;
}

// A core_parallel dimension has a step for each core; there is one at most.
std::string Specification::Declined(const Kernel& kernel) const {
  const uint64_t cores = RowOf(kernel.target).cores;
  size_t before = 0;
  for (size_t i = 0; i < kernel.grid.size(); ++i) {
    const GridDimension& dimension = kernel.grid[i];
    if (dimension.semantics != Semantics::kCoreParallel) continue;
    ++before;
    const bool fits = before == 1 && !dimension.dynamic && dimension.size == cores;
    if (!fits) return DeclinedForCores(dimension, i, before, cores);
  }
  return "";
}

std::optional<PartBytes> Specification::TooLargeAlone(const Kernel& kernel, const Answer& answer) const {
  for (const PartBytes& part : answer.parts) {
    if (part.bytes > RowOf(kernel.target).memory) return part;
  }
  return std::nullopt;
}

bool Specification::IsOverCapacity(const Kernel& kernel, const Answer& answer) const {
  return *answer.used > RowOf(kernel.target).usable;
}

// Of siblings the last is placed first: with windows of 24 KiB and a limit of 24 KiB, scoped f32[64,256] f32[8,256]
// prints 32.0K, the other order 88.0K.
void Specification::AddStackTotals(const Kernel& kernel, size_t begin, size_t end, uint64_t around,
                                   std::vector<uint64_t>& totals) const {
  std::vector<size_t> siblings;
  for (size_t at = begin; at < end;) {
    siblings.push_back(at);
    const uint32_t depth = kernel.scoped[at].depth;
    do ++at;
    while (at < end && kernel.scoped[at].depth > depth);
  }
  for (size_t i = siblings.size(); i-- > 0;) {
    const size_t next = i + 1 < siblings.size() ? siblings[i + 1] : end;
    totals.push_back(Nested(around, RoundScoped(ScopedBlock(kernel.scoped[siblings[i]].buffer))));
    AddStackTotals(kernel, siblings[i] + 1, next, totals.back(), totals);
  }
}

std::vector<uint64_t> Specification::RunningTotals(const Kernel& kernel, const Answer& answer) const {
  uint64_t scratch = 0, windows = 0;
  for (const PartBytes& part : answer.parts) {
    if (part.part == Part::kScratch) scratch = SaturatingAdd(scratch, part.bytes);
    if (part.part == Part::kInput || part.part == Part::kOutput) windows = SaturatingAdd(windows, part.bytes);
  }
  std::vector<uint64_t> totals = {scratch, SaturatingAdd(scratch, windows)};
  // Of two cores a limit of -1 prints 0 and not the scratch.
  if (RowOf(kernel.target).cores == 2) totals.insert(totals.begin(), 0);
  AddStackTotals(kernel, 0, kernel.scoped.size(), SaturatingAdd(scratch, windows), totals);
  totals.push_back(*answer.used);
  return totals;
}

// Capacity before limit: a kernel of 160 MiB on v6e (127.94 MiB) is over capacity at every limit, -1 too. A limit of -1
// is exceeded by the scratch, be it 0.
void Specification::Check(const Kernel& kernel, Answer& answer) const {
  answer.why = Declined(kernel);
  if (!answer.why.empty()) {
    answer.status = Status::kDeclined;
    return;
  }
  if (const std::optional<PartBytes> part = TooLargeAlone(kernel, answer)) {
    answer.status = Status::kOverCapacity;
    answer.printed_size = ExactlyBytes(part->bytes);
    answer.printed_limit = ExactlyBytes(RowOf(kernel.target).memory);
    return;
  }
  if (IsOverCapacity(kernel, answer)) {
    answer.status = Status::kOverCapacity;
    answer.printed_size = ExactlyBytes(*answer.used);
    answer.printed_limit = ExactlyBytes(RowOf(kernel.target).usable);
    return;
  }
  for (const uint64_t total : RunningTotals(kernel, answer)) {
    if (*answer.limit >= 0 && total <= static_cast<uint64_t>(*answer.limit)) continue;
    answer.status = Status::kOverLimit;
    answer.printed_size = ExactlyBytes(total);
    answer.printed_limit = PrintedLimit(*answer.limit);
    return;
  }
  answer.status = Status::kAccepted;
}

}  // namespace oomph::vmem
