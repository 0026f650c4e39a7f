// See read_mosaic.h.
#include "models/vmem/read_mosaic.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "models/mlir/values.h"
#include "models/vmem/index_map.h"

namespace oomph::vmem {
namespace {

using mlir::Index;
using mlir::kNone;

constexpr int64_t kDynamic = INT64_MIN;  // MLIR's mark of a size that is not known

struct TypeName {
  std::string_view mlir;
  Type type;
};
// MLIR's names of element types that a kernel's buffers can have; its integers have no sign.
constexpr TypeName kTypeNames[] = {
    {"i1", Type::kPred},  {"i2", Type::kS2},   {"i4", Type::kS4},   {"i8", Type::kS8},       {"i16", Type::kS16},
    {"i32", Type::kS32},  {"i64", Type::kS64}, {"ui8", Type::kU8},  {"ui16", Type::kU16},    {"ui32", Type::kU32},
    {"f16", Type::kF16},  {"f32", Type::kF32}, {"f64", Type::kF64}, {"bf16", Type::kBf16},   {"index", Type::kS32},
    {"f8E4M3FN", Type::kF8e4m3fn},             {"f8E5M2", Type::kF8e5m2},                    {"f8E4M3B11FNUZ", Type::kF8e4m3b11fnuz},
    {"f8E4M3", Type::kF8e4m3},                 {"f8E3M4", Type::kF8e3m4},                    {"f8E8M0FNU", Type::kF8e8m0fnu},
    {"f4E2M1FN", Type::kF4e2m1fn},             {"f8E4M3FNUZ", Type::kF8e4m3fnuz},            {"f8E5M2FNUZ", Type::kF8e5m2fnuz},
};

std::optional<Type> TypeNamed(std::string_view name) {
  for (const TypeName& row : kTypeNames) {
    if (row.mlir == name) return row.type;
  }
  return std::nullopt;
}

// Operations of which the compiler was measured to need no scratch of its own, whatever the shapes (docs/FACTS.md). Those
// whose results are no vectors are so by themselves.
constexpr std::string_view kLight[] = {
    "arith.addf",         "arith.addi",          "arith.cmpi",        "arith.constant",      "arith.extf",
    "arith.extsi",
    "arith.extui",        "arith.fptosi",        "arith.sitofp",      "arith.truncf",        "arith.trunci",
    "func.return",        "math.exp",            "scf.if",            "scf.yield",           "tpu.enqueue_dma",
    "tpu.memref_slice",   "tpu.memref_squeeze",  "tpu.region",        "tpu.sem_alloc",       "tpu.vector_load",
    "tpu.vector_store",   "tpu.wait_dma",        "tpu.wait_dma2",     "tpu.yield",           "vector.broadcast",
    "vector.load",        "vector.store",        "memref.alloca",     "memref.load",         "memref.store",
    "return",
};

bool IsVector(std::string_view type) { return mlir::Trimmed(type).starts_with("vector<"); }

std::vector<int64_t> WithoutOnes(std::vector<int64_t> sizes) {
  std::erase(sizes, 1);
  return sizes;
}

// A buffer's type in the module: memref<8x128xf32, #tpu.memory_space<vmem>>.
struct BufferType {
  std::string_view element;
  std::vector<int64_t> sizes;
  std::string_view space;  // "vmem", "smem", "any", "hbm", "semaphore_mem", ...
};

std::optional<BufferType> ReadBufferType(const mlir::Module& module, std::string_view text) {
  const auto shaped = mlir::ReadShaped(module.Resolve(mlir::Trimmed(text)));
  if (!shaped || shaped->kind != "memref") return std::nullopt;
  BufferType type{shaped->element, shaped->sizes, ""};
  for (const std::string_view rest : shaped->rest) {
    const auto named = mlir::ReadNamed(module.Resolve(rest));
    if (named && named->name.ends_with("memory_space")) type.space = named->body;
  }
  return type;
}

std::optional<Buffer> BufferOf(const BufferType& type) {
  Buffer buffer;
  const std::optional<Type> element = TypeNamed(type.element);
  if (!element) return std::nullopt;
  buffer.type = *element;
  for (const int64_t size : type.sizes) {
    if (size < 0) return std::nullopt;
    buffer.shape.push_back(static_cast<uint64_t>(size));
  }
  return buffer;
}

class Reader {
 public:
  Reader(const mlir::Module& module, const Call* call) : module_(module), call_(call), uses_(module.values.size()) {}

  absl::StatusOr<MosaicKernel> Run() {
    const Index function = FindKernel();
    if (function == kNone) return absl::InvalidArgumentError("no function of a TensorCore kernel in its Mosaic module");
    const mlir::Operation& operation = module_.operations[function];
    if (operation.first_region == kNone) return absl::InvalidArgumentError("the kernel's function has no body");
    if (IsSparseCore(operation)) return absl::InvalidArgumentError("a SparseCore kernel: it has no scoped VMEM");
    if (const auto name = module_.Find(operation, "sym_name")) made_.name = mlir::Quoted(*name).value_or("");
    CountUses(function);
    ReadGrid(operation);
    if (absl::Status status = ReadArguments(operation); !status.ok()) return status;
    ReadBody(function);
    return std::move(made_);
  }

 private:
  void Note(std::string note) {
    if (std::find(made_.notes.begin(), made_.notes.end(), note) == made_.notes.end()) made_.notes.push_back(std::move(note));
  }

  bool IsFunction(const mlir::Operation& operation) const { return PlainName(operation) == "func.func"; }

  // The one with a kernel's attributes, else the first.
  Index FindKernel() const {
    Index first = kNone;
    for (Index o = 0; o < module_.operations.size(); ++o) {
      if (!IsFunction(module_.operations[o])) continue;
      for (const std::string_view attribute : {"window_params", "iteration_bounds", "scratch_operands", "dimension_semantics"}) {
        if (module_.Find(module_.operations[o], attribute)) return o;
      }
      if (first == kNone) first = o;
    }
    return first;
  }

  bool IsSparseCore(const mlir::Operation& function) const {
    const auto core = mlir::ReadNamed(module_.Resolve(module_.Find(function, "tpu.core_type").value_or("")));
    return core && core->body.starts_with("sc");
  }

  // How often each value of the kernel is used, but as the place that a vector store writes to, or by a load whose result
  // nobody uses (Pallas reads what it overwrites).
  void CountUses(Index function) {
    std::vector<Index> loads;
    ForEachInside(function, [&](const mlir::Operation& operation) {
      const std::string_view name = PlainName(operation);
      const auto operands = module_.Operands(operation);
      for (size_t i = 0; i < operands.size(); ++i) {
        const bool target = i == 1 && (name == "tpu.vector_store" || name == "vector.store");
        if (operands[i].value != kNone && !target) ++uses_[operands[i].value];
      }
    });
    ForEachInside(function, [&](const mlir::Operation& operation) {
      const std::string_view name = PlainName(operation);
      if (name != "vector.load" && name != "tpu.vector_load") return;
      if (operation.results.count != 1 || uses_[operation.results.begin] != 0 || operation.operands.count == 0) return;
      if (const Index buffer = module_.Operands(operation)[0].value; buffer != kNone) --uses_[buffer];
    });
  }

  // The operations in those of an operation's regions, in their order. What stands deeper comes right behind its owner.
  template <typename Visit>
  void ForEachInside(Index owner, Visit visit) const {
    std::vector<Index> inside = {owner};
    for (Index o = owner + 1; o < module_.operations.size(); ++o) {
      const mlir::Operation& operation = module_.operations[o];
      while (!inside.empty() && !IsIn(operation, inside.back())) inside.pop_back();
      if (inside.empty()) return;
      visit(operation);
      inside.push_back(o);
    }
  }

  bool IsIn(const mlir::Operation& operation, Index owner) const {
    return operation.block != kNone && module_.regions[module_.blocks[operation.block].region].operation == owner;
  }

  void ReadGrid(const mlir::Operation& function) {
    const auto bounds = mlir::Integers(module_.Find(function, "iteration_bounds").value_or("array<i64>"));
    if (!bounds) return Unclear("the grid (iteration_bounds) is not understood: taken as none");
    for (const int64_t bound : *bounds) {
      GridDimension dimension;
      dimension.dynamic = bound == kDynamic;
      dimension.size = dimension.dynamic ? 2 : static_cast<uint64_t>(std::max<int64_t>(bound, 0));
      made_.kernel.grid.push_back(dimension);
    }
    const auto semantics = mlir::Elements(module_.Find(function, "dimension_semantics").value_or("[]"));
    for (size_t i = 0; semantics && i < std::min(semantics->size(), made_.kernel.grid.size()); ++i) {
      const auto named = mlir::ReadNamed(module_.Resolve((*semantics)[i]));
      made_.kernel.grid[i].semantics = SemanticsNamed(named ? named->body : "");
    }
  }

  static Semantics SemanticsNamed(std::string_view word) {
    if (word == "arbitrary") return Semantics::kArbitrary;
    if (word == "parallel") return Semantics::kParallel;
    if (word == "core_parallel") return Semantics::kCoreParallel;
    return Semantics::kNone;
  }

  void Unclear(std::string note) {
    made_.at_least = made_.at_most = false;
    Note(std::move(note));
  }

  int64_t CountOf(const mlir::Operation& function, std::string_view attribute) const {
    return std::max<int64_t>(0, mlir::Integer(module_.Find(function, attribute).value_or("0")).value_or(0));
  }

  // Grid indices, prefetched arrays, windows, scratch: the arguments in this order.
  absl::Status ReadArguments(const mlir::Operation& function) {
    const mlir::Block& block = module_.blocks[module_.regions[function.first_region].first_block];
    const auto arguments = module_.Arguments(block);
    const size_t grid = made_.kernel.grid.size();
    const size_t prefetched = static_cast<size_t>(std::min<int64_t>(CountOf(function, "scalar_prefetch"), 1 << 20));
    const size_t scratch = static_cast<size_t>(std::min<int64_t>(CountOf(function, "scratch_operands"), 1 << 20));
    if (grid + prefetched + scratch > arguments.size()) {
      return absl::InvalidArgumentError(absl::StrCat("the kernel's function has ", arguments.size(), " arguments, and ", grid,
                                                     " grid dimensions, ", prefetched, " prefetched arrays and ", scratch,
                                                     " scratch operands"));
    }
    for (const mlir::Value& value : arguments.subspan(grid, prefetched)) ReadPrefetched(value);
    ReadWindows(function, arguments.subspan(grid + prefetched, arguments.size() - grid - prefetched - scratch));
    for (const mlir::Value& value : arguments.last(scratch)) ReadScratch(value);
    return absl::OkStatus();
  }

  void ReadPrefetched(const mlir::Value& value) {
    const auto type = ReadBufferType(module_, value.type);
    const auto buffer = type ? BufferOf(*type) : std::nullopt;
    made_.kernel.prefetched.push_back(buffer.value_or(Buffer{Type::kS32, {}}));
  }

  // What stands before the inputs among the operands of the call: bounds of the grid, and prefetched arrays.
  size_t FirstInput() const {
    const auto is_dynamic = [](const GridDimension& d) { return d.dynamic; };
    const auto& grid = made_.kernel.grid;
    return static_cast<size_t>(std::count_if(grid.begin(), grid.end(), is_dynamic)) + made_.kernel.prefetched.size();
  }

  void ReadWindows(const mlir::Operation& function, std::span<const mlir::Value> arguments) {
    const auto params = mlir::Elements(module_.Find(function, "window_params").value_or("[]"));
    size_t inputs = arguments.empty() ? 0 : arguments.size() - 1;
    bool has_arrays = false;
    if (call_ != nullptr) {
      const size_t first = FirstInput();
      has_arrays = call_->operands.size() >= first &&
                   call_->operands.size() - first + call_->results.size() == arguments.size();
      if (has_arrays) inputs = call_->operands.size() - first;
      if (!has_arrays) Note("the call has other operands than the kernel's function: their arrays are taken to be as large as the windows");
    }
    if (!params) Unclear("window_params are not understood: whole arrays are taken for windows");
    for (size_t i = 0; i < arguments.size(); ++i) {
      const bool is_input = i < inputs;
      const CallArray* array = nullptr;
      if (has_arrays) array = is_input ? &call_->operands[FirstInput() + i] : &call_->results[i - inputs];
      const std::string what = absl::StrCat(is_input ? "input " : "output ", is_input ? i : i - inputs);
      const std::string_view param = params && i < params->size() ? (*params)[i] : std::string_view();
      ReadWindow(what, arguments[i], param, array, is_input ? made_.kernel.inputs : made_.kernel.outputs);
    }
  }

  void ReadWindow(const std::string& what, const mlir::Value& value, std::string_view param, const CallArray* array,
                  std::vector<Operand>& into) {
    Operand operand;
    const auto type = ReadBufferType(module_, value.type);
    const auto buffer = type ? BufferOf(*type) : std::nullopt;
    if (type) operand.space = SpaceOf(what, *type, buffer.has_value());
    if (buffer) {
      operand.type = buffer->type;
      operand.array = buffer->shape;
    } else if (!type || operand.space == Space::kVmem) {
      Unclear(absl::StrCat(what, ": its type is not understood: ", std::string(value.type.substr(0, 80))));
    }
    const bool same = array != nullptr && (!buffer || array->sizes.size() == buffer->shape.size());
    if (same) {
      operand.array = array->sizes;
      if (hlo::RowOf(array->type).bits == hlo::RowOf(operand.type).bits || array->type == Type::kPred) operand.type = array->type;
      operand.in_vmem = array->in_vmem;
      operand.fused = array->fused;
    }
    if (operand.space == Space::kVmem && buffer) ReadBlock(what, param, *buffer, operand);
    into.push_back(std::move(operand));
  }

  Space SpaceOf(const std::string& what, const BufferType& type, bool is_buffer) {
    if (type.space == "vmem" || type.space.empty()) return Space::kVmem;
    if (type.space == "smem") return Space::kSmem;
    if (type.space == "any") return Space::kAny;
    if (type.space == "hbm") return Space::kHbm;
    if (!is_buffer || type.space == "semaphore_mem") return Space::kSmem;  // semaphores: none of VMEM
    Unclear(absl::StrCat(what, " is in memory space ", std::string(type.space), ": taken for none of VMEM"));
    return Space::kAny;
  }

  void ReadBlock(const std::string& what, std::string_view param, const Buffer& window, Operand& operand) {
    const auto bounds = mlir::Integers(mlir::Entry(param, "window_bounds").value_or(""));
    const auto function = mlir::Symbol(mlir::Entry(param, "transform_indices").value_or(""));
    if (!bounds && !function) {  // no window: the whole array
      operand.array = window.shape;
      return;
    }
    const auto kind = mlir::ReadNamed(module_.Resolve(mlir::Entry(param, "window_kind").value_or("")));
    const auto mode = mlir::ReadNamed(module_.Resolve(mlir::Entry(param, "pipeline_mode").value_or("")));
    const bool element = kind && kind->name == "tpu.element_window";
    if (kind && !element) Unclear(absl::StrCat(what, ": its kind of window is not understood"));
    const std::vector<uint64_t> sizes = bounds ? NotNegative(*bounds) : window.shape;
    if (sizes != window.shape) Unclear(absl::StrCat(what, ": its window is not the block that the kernel sees"));
    for (const uint64_t size : sizes) operand.block.push_back({element ? BlockKind::kElement : BlockKind::kBlocked, size});
    if (mode) ReadMode(what, mode->body, operand);
    const Index transform = function ? FunctionNamed(*function) : kNone;
    if (transform == kNone) return Unclear(absl::StrCat(what, ": its index map is missing"));
    IndexMap map = ReadIndexMap(module_, module_.operations[transform], made_.kernel.grid);
    if (map.places.size() != sizes.size()) Unclear(absl::StrCat(what, ": its index map does not fit its block"));
    if (!map.exact && Varies(map)) {
      // Who folds it to a constant needs one buffer instead of two.
      if (operand.buffers != 1) made_.at_least = false;
      Note(absl::StrCat(what, ": its index map is more than our terms can say: it is taken to vary with the grid dimensions that it reads"));
    }
    operand.map = std::move(map.places);
  }

  static bool Varies(const IndexMap& map) {
    return std::any_of(map.places.begin(), map.places.end(), [](const Place& place) { return !place.empty(); });
  }

  static std::vector<uint64_t> NotNegative(std::span<const int64_t> values) {
    std::vector<uint64_t> sizes;
    for (const int64_t value : values) sizes.push_back(static_cast<uint64_t>(std::max<int64_t>(value, 0)));
    return sizes;
  }

  void ReadMode(const std::string& what, std::string_view mode, Operand& operand) {
    if (mode == "synchronous") {
      operand.buffers = 1;
    } else if (mode == "double_buffered") {
      operand.buffers = 2;
    } else {
      Unclear(absl::StrCat(what, ": its pipeline mode is not understood: ", std::string(mode.substr(0, 40))));
    }
  }

  Index FunctionNamed(std::string_view name) const {
    for (Index o = 0; o < module_.operations.size(); ++o) {
      if (!IsFunction(module_.operations[o])) continue;
      const auto symbol = module_.Find(module_.operations[o], "sym_name");
      if (symbol && mlir::Quoted(*symbol) == name) return o;
    }
    return kNone;
  }

  // Scratch and scoped buffers that nobody reads take nothing (measured).
  void NeverRead(std::string_view type) {
    Note(absl::StrCat("a buffer that the kernel never reads is left out, it takes nothing: ", std::string(type.substr(0, 60))));
  }

  void ReadScratch(const mlir::Value& value) {
    const auto type = ReadBufferType(module_, value.type);
    if (!type) return Unclear(absl::StrCat("a scratch operand's type is not understood: ", std::string(value.type.substr(0, 80))));
    if (type->space != "vmem" && !type->space.empty()) return;
    const auto buffer = BufferOf(*type);
    if (!buffer) return Unclear(absl::StrCat("a scratch operand's type is not understood: ", std::string(value.type.substr(0, 80))));
    if (uses_[static_cast<size_t>(&value - module_.values.data())] == 0) return NeverRead(value.type);
    made_.kernel.scratch.push_back(*buffer);
  }

  // --- what the kernel does ---

  // Scoped buffers are live up to the end of the region that they stand in.
  void ReadBody(Index function) {
    std::vector<Index> inside = {function};
    std::vector<uint32_t> live = {0};  // by those: how many scoped buffers are live in it so far
    bool exp = false;
    for (Index o = function + 1; o < module_.operations.size(); ++o) {
      const mlir::Operation& operation = module_.operations[o];
      while (!inside.empty() && !IsIn(operation, inside.back())) {
        inside.pop_back();
        live.pop_back();
      }
      if (inside.empty()) break;
      // In each region of an operation as many are live as where the operation stands.
      if (IsFirstOfRegion(operation, o)) live.back() = live.size() > 1 ? live[live.size() - 2] : 0;
      const std::string_view name = PlainName(operation);
      if (name == "memref.alloca" || name == "memref.alloc") ReadScoped(operation, live.back());
      exp = exp || name == "math.exp";
      Weigh(name, operation);
      inside.push_back(o);
      live.push_back(live.back());
    }
    if (heavy_ == Body::kCopies && exp) heavy_ = Body::kExp;
    made_.kernel.body = heavy_;
    if (IsHeavy(heavy_)) made_.at_most = false;
  }

  bool IsFirstOfRegion(const mlir::Operation& operation, Index index) const {
    const mlir::Block& block = module_.blocks[operation.block];
    return block.first_operation == index && module_.regions[block.region].first_block == operation.block;
  }

  void ReadScoped(const mlir::Operation& operation, uint32_t& live) {
    if (operation.results.count != 1) return;
    const mlir::Value& value = module_.Results(operation)[0];
    const auto type = ReadBufferType(module_, value.type);
    if (type && type->space != "vmem" && !type->space.empty()) return;
    const auto buffer = type ? BufferOf(*type) : std::nullopt;
    if (!buffer) return Unclear(absl::StrCat("a scoped buffer's type is not understood: ", std::string(value.type.substr(0, 80))));
    if (uses_[operation.results.begin] == 0) return NeverRead(value.type);
    made_.kernel.scoped.push_back({*buffer, live++});
  }

  // Whether the compiler may need scratch of its own for it.
  void Weigh(std::string_view name, const mlir::Operation& operation) {
    bool makes_vector = false;
    for (const mlir::Value& value : module_.Results(operation)) makes_vector = makes_vector || IsVector(value.type);
    if (makes_vector && operation.results.count == 1 && uses_[operation.results.begin] > 1) {
      Heavy(name, "is used more than once");  // one value stored twice was measured to spill
    }
    if (IsLight(name, operation, makes_vector)) return;
    const bool dot = name == "tpu.matmul" || name == "vector.contract";
    const bool transposes = name == "tpu.transpose" || name == "vector.transpose";
    Heavy(name, "", dot ? Body::kDot : transposes ? Body::kTranspose : Body::kChain);
  }

  bool IsLight(std::string_view name, const mlir::Operation& operation, bool makes_vector) const {
    if (std::find(std::begin(kLight), std::end(kLight), name) != std::end(kLight)) return true;
    if (name == "scf.for" && operation.results.count == 0) return true;
    if (name == "vector.shape_cast") return OnlyOnesChange(operation);
    const bool scalar = name.starts_with("arith.") || name.starts_with("memref.") || name.starts_with("tpu.sem_");
    return scalar && !makes_vector;
  }

  bool OnlyOnesChange(const mlir::Operation& operation) const {
    const auto type = mlir::ReadFunction(operation.type);
    if (!type || type->operands.size() != 1 || type->results.size() != 1) return false;
    const auto from = mlir::ReadShaped(type->operands[0]), to = mlir::ReadShaped(type->results[0]);
    return from && to && WithoutOnes(from->sizes) == WithoutOnes(to->sizes);
  }

  void Heavy(std::string_view name, std::string_view why, Body body = Body::kChain) {
    // The most telling word of all that there are.
    const auto rank = [](Body b) { return b == Body::kDot ? 3 : b == Body::kTranspose ? 2 : IsHeavy(b) ? 1 : 0; };
    if (rank(body) > rank(heavy_)) heavy_ = body;
    if (!told_.insert(std::string(name)).second || told_.size() > kMostTold) return;
    Note(absl::StrCat(std::string(name), why.empty() ? "" : " ", std::string(why),
                      ": the compiler may need scratch of its own for it, how much nobody knows"));
  }

  static constexpr size_t kMostTold = 6;

  const mlir::Module& module_;
  const Call* const call_;
  MosaicKernel made_;
  std::vector<uint32_t> uses_;  // by value
  Body heavy_ = Body::kCopies;
  std::set<std::string> told_;
};

}  // namespace

absl::StatusOr<MosaicKernel> ReadMosaic(const mlir::Module& module, const Call* call) { return Reader(module, call).Run(); }

}  // namespace oomph::vmem
