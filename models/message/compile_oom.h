// The texts in which the TPU compiler reports that memory runs out, both ways: E1000 (HBM) and E1001 (scoped VMEM). Also
// what every message of an error says of itself: its code, the memory, the operation.
// Not for run-time errors (oom.h), nor for SparseCore's (E3000).
//
// Sources: libtpu 0.0.52 (measured: docs/FACTS.md), openxla.org errors 1000 and 1001, texts that users published. Forms:
//
//   temporaries  Ran out of memory on HBM, the total memory required for HLO temporaries (N) exceeds available HBM (A).
//                HLO module: M.
//                  after buffer assignment: N is the sum of all allocations in HBM, arguments and outputs too
//   capacity     XLA:TPU compile permanent error. Ran out of memory in memory space hbm. Used N of A hbm. Exceeded hbm
//                capacity by X.     then a breakdown
//                  at the end, with the program itself; of every memory; older versions have this form alone
//   stack        Ran out of memory in memory space vmem while allocating on stack for %name = shape opcode(...), ....
//                Scoped allocation with size N and limit A exceeded scoped vmem limit by X.
//   allocation   Allocation (size=N) would exceed memory (size=A) :: #allocation7 [shape = '...', space=hbm, ...,
//                tag = 'T'] :: name
//                N and A in full; it is the only one of `largest`
//   devices      TPU TensorCore Hbm usage: N, SparseCore Hbm usage N2, exceeding available bytes: A
//   early        Aborting compilation early because it's unlikely to have enough memory. Requires N, has A available
//   bare         Ran out of memory in memory space vmem. ..., no numbers
#ifndef OOMPH_MODELS_MESSAGE_COMPILE_OOM_H_
#define OOMPH_MODELS_MESSAGE_COMPILE_OOM_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "models/message/number.h"
#include "models/message/oom.h"

namespace oomph {

// ---- Any message ------------------------------------------------------------------------------------------

// What an output says about which failure it is, without names and numbers of the case; empty where it does not say.
struct MessageWords {
  std::string code;       // "E1001", of the first message that has one: "E1001:", "E1001 "
  std::string memory;     // "vmem": which ran out; in lower case
  std::string opcode;     // "custom-call": what could not be served, "for %name = shape opcode(", else one in its first line
  std::string name;       // of that instruction, without %
  std::string target;     // custom_call_target="..." of it
  size_t begin = std::string_view::npos;  // where the message begins
  bool operator==(const MessageWords&) const = default;
};
// Takes time linear in the text. Each word has at most 200 bytes, any bytes.
MessageWords WordsOfMessage(std::string_view output);

// ---- Reading ----------------------------------------------------------------------------------------------

enum class CompileOomForm : uint8_t { kTemporaries, kCapacity, kStack, kAllocation, kDevices, kEarly, kBare };
constexpr std::string_view CompileOomWord(CompileOomForm form) {
  constexpr std::string_view kWords[] = {"temporaries", "capacity", "stack", "allocation", "devices", "early", "bare"};
  return kWords[static_cast<size_t>(form)];
}

// A line of the breakdown: "program  1.00M", "HLO temp  29.46G".
struct MemoryPart {
  std::string name;
  PrintedBytes bytes;
  bool operator==(const MemoryPart&) const = default;
};

// One of the largest allocations. Absent is what the text does not say.
struct LargeAllocation {
  PrintedBytes bytes;
  std::string shape;  // "s8[8454144000]{0:T(1024)(128)(4,1)}"
  std::string label;  // "Argument 0 index {}"
  std::string type;   // "HLO temp"
  std::string tag = {};  // "scratch operand": what it is of a kernel
  bool operator==(const LargeAllocation&) const = default;
};

struct CompileOom {
  CompileOomForm form = CompileOomForm::kBare;
  MessageWords words;
  std::string module;                        // "HLO module: temps."
  std::optional<PrintedBytes> needed = {};
  std::optional<PrintedBytes> available = {};
  std::optional<PrintedBytes> exceeded_by = {};
  std::optional<PrintedBytes> sparse_core = {};  // what SparseCore needs
  std::vector<MemoryPart> total;             // under "Total hbm usage"
  std::vector<MemoryPart> program;           // under "Program hbm requirement"
  std::optional<PrintedBytes> outputs = {};  // "Output size"
  std::optional<PrintedBytes> shared = {};   // "shares N with arguments"
  std::vector<LargeAllocation> largest = {};  // at most kMostLargest
  bool operator==(const CompileOom&) const = default;
};
inline constexpr size_t kMostLargest = 200;

// The first message in a text of any kind, wrapped or escaped lines too. NotFound where there is none, InvalidArgument
// for a text over kMaxMessageTextBytes. Looks at 256 KiB of the message.
absl::StatusOr<CompileOom> ReadCompileOom(std::string_view text);

// Whether needed, available and exceeded_by can be one sum; true where one is missing. A limit can be negative.
bool SumsUp(const CompileOom& oom);

// ---- Printing ---------------------------------------------------------------------------------------------

// Sizes in bytes.
struct TemporariesOom {
  uint64_t needed = 0, available = 0;
  std::string_view module;
};
struct StackOom {
  std::string_view instruction;  // "%k.1 = bf16[8,128]{1,0} custom-call(...), custom_call_target=\"tpu_custom_call\""
  uint64_t needed = 0;
  int64_t limit = 0;  // negative ones are held to as well
};
// Of a kernel: one of its buffers, and where it belongs.
struct ScopedAllocation {
  uint64_t bytes = 0, unpadded = 0;
  std::string shape;  // "u8[8388608]{0}" of a window, "f32[9,128]{1,0:T(8,128)}" of a scratch operand
  std::string tag;
};
// Scoped memory that does not fit VMEM, whatever its limit; `allocations` in the order in which they are made.
struct VmemOom {
  std::string_view instruction;  // "k.1 = custom-call(a), custom_call_target=..."; up to " = " it is its name
  uint64_t used = 0, capacity = 0;
  std::vector<ScopedAllocation> allocations;
  std::string_view op_name = {};  // of its metadata
};
// One buffer that alone is larger than its memory.
struct AllocationOom {
  std::string_view memory = "vmem", instruction;
  uint64_t available = 0;
  size_t number = 0;  // "#allocation3"
  ScopedAllocation allocation;
};
struct CapacityOom {
  std::string_view memory = "hbm";
  uint64_t used = 0, capacity = 0, reserved = 0, program = 0, arguments = 0, outputs = 0, shared = 0;
};
std::string PrintTemporariesOom(const TemporariesOom& oom, OomEnvelope envelope = OomEnvelope::kNone);
std::string PrintStackOom(const StackOom& oom, OomEnvelope envelope = OomEnvelope::kNone);
std::string PrintVmemOom(const VmemOom& oom);
std::string PrintAllocationOom(const AllocationOom& oom);
// "input window allocation for operator input 0. The window shape is f32[8,128], ...": shapes as `f32[8,128]`.
std::string WindowTag(bool input, size_t index, std::string_view window, std::string_view whole, uint64_t levels);
std::string ScopedTag(std::string_view instruction);  // of what the kernel has on its stack
inline constexpr std::string_view kScratchTag = "scratch operand";
// Without the lists of the largest.
std::string PrintCapacityOom(const CapacityOom& oom, OomEnvelope envelope = OomEnvelope::kNone);

}  // namespace oomph

#endif  // OOMPH_MODELS_MESSAGE_COMPILE_OOM_H_
