// The table of attribute keys, and the numbers of windows, aliases, shardings and groups.
#include "models/hlo/attribute.h"

#include <algorithm>
#include <array>

namespace oomph::hlo {
namespace {

// The keys that XLA's texts have, with the form of each; the order is that of the enum.
constexpr std::array<KeyRow, kKeys> kRows = {{
    {"index", Form::kInt},
    {"channel_id", Form::kInt},
    {"index_vector_dim", Form::kInt},
    {"iota_dimension", Form::kInt},
    {"mantissa_bits", Form::kInt},
    {"exponent_bits", Form::kInt},
    {"feature_index", Form::kInt},
    {"feature_group_count", Form::kInt},
    {"batch_group_count", Form::kInt},
    {"delta", Form::kInt},
    {"cross_program_prefetch_index", Form::kInt},
    {"k", Form::kInt},
    {"num_carries", Form::kInt},
    {"replica_count", Form::kInt},
    {"num_partitions", Form::kInt},
    {"use_global_device_ids", Form::kBool},
    {"indices_are_sorted", Form::kBool},
    {"unique_indices", Form::kBool},
    {"is_stable", Form::kBool},
    {"is_host_transfer", Form::kBool},
    {"constrain_layout", Form::kBool},
    {"is_composite", Form::kBool},
    {"custom_call_has_side_effect", Form::kBool},
    {"lower", Form::kBool},
    {"unit_diagonal", Form::kBool},
    {"left_side", Form::kBool},
    {"largest", Form::kBool},
    {"is_associative", Form::kBool},
    {"is_reverse", Form::kBool},
    {"is_scheduled", Form::kBool},
    {"alias_passthrough_params", Form::kBool},
    {"epsilon", Form::kWord},
    {"direction", Form::kWord},
    {"api_version", Form::kWord},
    {"dim_labels", Form::kWord},
    {"kind", Form::kWord},
    {"type", Form::kWord},
    {"algorithm", Form::kWord},
    {"distribution", Form::kWord},
    {"fft_type", Form::kWord},
    {"schedule", Form::kWord},
    {"transpose_a", Form::kWord},
    {"padding_type", Form::kWord},
    {"sparsity", Form::kWord},
    {"custom_call_target", Form::kString},
    {"async_execution_thread", Form::kString},
    {"execution_thread", Form::kString},
    {"outfeed_config", Form::kString},
    {"infeed_config", Form::kString},
    {"dimensions", Form::kInts},
    {"lhs_contracting_dims", Form::kInts},
    {"rhs_contracting_dims", Form::kInts},
    {"lhs_batch_dims", Form::kInts},
    {"rhs_batch_dims", Form::kInts},
    {"dynamic_slice_sizes", Form::kInts},
    {"update_window_dims", Form::kInts},
    {"scatter_dims_to_operand_dims", Form::kInts},
    {"inserted_window_dims", Form::kInts},
    {"slice_sizes", Form::kInts},
    {"start_index_map", Form::kInts},
    {"offset_dims", Form::kInts},
    {"collapsed_slice_dims", Form::kInts},
    {"scatter_indices_batching_dims", Form::kInts},
    {"input_batching_dims", Form::kInts},
    {"operand_batching_dims", Form::kInts},
    {"start_indices_batching_dims", Form::kInts},
    {"fft_length", Form::kInts},
    {"rhs_group_dims", Form::kInts},
    {"lhs_group_dims", Form::kInts},
    {"lhs_ragged_dims", Form::kInts},
    {"parameter_replication", Form::kBools},
    {"allow_spmd_sharding_propagation_to_parameters", Form::kBools},
    {"allow_spmd_sharding_propagation_to_output", Form::kBools},
    {"operand_precision", Form::kWords},
    {"to_apply", Form::kComputation},
    {"calls", Form::kComputation},
    {"condition", Form::kComputation},
    {"body", Form::kComputation},
    {"true_computation", Form::kComputation},
    {"false_computation", Form::kComputation},
    {"select", Form::kComputation},
    {"scatter", Form::kComputation},
    {"called_computations", Form::kComputations},
    {"branch_computations", Form::kComputations},
    {"control-predecessors", Form::kInstructions},
    {"outfeed_shape", Form::kShape},
    {"shape", Form::kShape},
    {"operand_layout_constraints", Form::kShapes},
    {"entry_computation_layout", Form::kProgramShape},
    {"window", Form::kWindow},
    {"padding", Form::kPadding},
    {"slice", Form::kSlices},
    {"replica_groups", Form::kGroups},
    {"source_target_pairs", Form::kGroups},
    {"output_to_operand_aliasing", Form::kAliases},
    {"input_output_alias", Form::kAliases},
    {"buffer_donor", Form::kDonors},
    {"metadata", Form::kMetadata},
    {"frontend_attributes", Form::kMap},
    {"backend_config", Form::kJson},
    {"sharding", Form::kSharding},
    {"literal", Form::kLiteral},
    {"statistics", Form::kVerbatim},
    {"origin", Form::kVerbatim},
    {"result_accuracy", Form::kVerbatim},
    {"domain", Form::kVerbatim},
    {"origin_recovery_table", Form::kVerbatim},
    {"debug_attributes", Form::kVerbatim},
    {"", Form::kVerbatim},
}};

constexpr size_t kSlots = 512;
constexpr size_t HashOf(std::string_view name) {
  uint32_t hash = 2166136261u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return (hash ^ (hash >> 15)) % kSlots;
}

constexpr std::array<uint8_t, kSlots> MakeSlots() {
  std::array<uint8_t, kSlots> slots{};  // 0 is free, else the key + 1
  for (size_t i = 0; i + 1 < kRows.size(); ++i) {
    size_t at = HashOf(kRows[i].name);
    while (slots[at] != 0) at = (at + 1) % kSlots;
    slots[at] = static_cast<uint8_t>(i + 1);
  }
  return slots;
}
constexpr std::array<uint8_t, kSlots> kSlotOf = MakeSlots();
static_assert(kKeys < 255);

void Append(std::vector<int64_t>& numbers, std::span<const int64_t> list) {
  numbers.push_back(static_cast<int64_t>(list.size()));
  numbers.insert(numbers.end(), list.begin(), list.end());
}

std::vector<int64_t> ToVector(std::span<const int64_t> list) { return {list.begin(), list.end()}; }

// kind, then the lists and numbers of a single sharding, or the count of elements and each of them.
void AppendSharding(std::vector<int64_t>& numbers, const Sharding& sharding) {
  numbers.push_back(sharding.kind);
  Append(numbers, sharding.dimensions);
  Append(numbers, sharding.devices);
  Append(numbers, sharding.iota);
  Append(numbers, sharding.order);
  Append(numbers, sharding.last_dims);
  numbers.push_back(sharding.last_replicated ? 1 : 0);
  numbers.push_back(sharding.group_kind);
  numbers.push_back(sharding.group);
}

Sharding ReadSharding(NumberReader& reader) {
  Sharding sharding;
  sharding.kind = reader.Next();
  sharding.dimensions = ToVector(reader.List());
  sharding.devices = ToVector(reader.List());
  sharding.iota = ToVector(reader.List());
  sharding.order = ToVector(reader.List());
  sharding.last_dims = ToVector(reader.List());
  sharding.last_replicated = reader.Next() != 0;
  sharding.group_kind = reader.Next();
  sharding.group = reader.Next();
  return sharding;
}

}  // namespace

const KeyRow& RowOf(Key key) { return kRows[static_cast<size_t>(key)]; }

Key KeyNamed(std::string_view name) {
  for (size_t at = HashOf(name); kSlotOf[at] != 0; at = (at + 1) % kSlots) {
    const size_t i = kSlotOf[at] - 1;
    if (kRows[i].name == name) return static_cast<Key>(i);
  }
  return Key::kUnknown;
}

AttributeId AttributeTable::Add(Key key, Form form, std::span<const int64_t> numbers,
                                std::span<const Reference> references) {
  Attribute row = {.key = key, .form = form};
  if (numbers_.empty() || numbers_.back().capacity() - numbers_.back().size() < numbers.size()) {
    const size_t before = numbers_.empty() ? 0 : numbers_.back().capacity();
    numbers_.emplace_back().reserve(std::max(numbers.size(), std::clamp<size_t>(2 * before, 64, 65536)));
  }
  std::vector<int64_t>& chunk = numbers_.back();
  row.numbers_chunk = static_cast<uint32_t>(numbers_.size() - 1);
  row.numbers_begin = static_cast<uint32_t>(chunk.size());
  row.numbers_count = static_cast<uint32_t>(numbers.size());
  row.references_begin = static_cast<uint32_t>(references_.size());
  row.references_count = static_cast<uint32_t>(references.size());
  chunk.insert(chunk.end(), numbers.begin(), numbers.end());
  if (references_.capacity() - references_.size() < references.size()) {
    // Not reserve(): `references` may be a part of this table.
    std::vector<Reference> grown;
    grown.reserve(references_.size() + references_.size() / 2 + references.size() + 16);
    grown.insert(grown.end(), references_.begin(), references_.end());
    grown.insert(grown.end(), references.begin(), references.end());
    references_.swap(grown);
  } else {
    references_.insert(references_.end(), references.begin(), references.end());
  }
  rows_.push_back(row);
  return static_cast<AttributeId>(rows_.size() - 1);
}

int64_t NumberReader::Next() {
  if (rest_.empty()) return 0;
  const int64_t value = rest_.front();
  rest_ = rest_.subspan(1);
  return value;
}

std::span<const int64_t> NumberReader::List() {
  const int64_t length = Next();
  const size_t taken = length < 0 ? 0 : std::min(rest_.size(), static_cast<size_t>(length));
  const std::span<const int64_t> list = rest_.first(taken);
  rest_ = rest_.subspan(taken);
  return list;
}

std::vector<int64_t> NumbersOf(const Window& window) {
  std::vector<int64_t> numbers;
  for (const auto* part : {&window.size, &window.stride, &window.pad_low, &window.pad_high,
                           &window.lhs_dilate, &window.rhs_dilate, &window.rhs_reversal}) {
    Append(numbers, *part);
  }
  return numbers;
}

Window WindowOf(std::span<const int64_t> numbers) {
  Window window;
  NumberReader reader(numbers);
  for (auto* part : {&window.size, &window.stride, &window.pad_low, &window.pad_high, &window.lhs_dilate,
                     &window.rhs_dilate, &window.rhs_reversal}) {
    *part = ToVector(reader.List());
  }
  return window;
}

std::vector<int64_t> NumbersOf(std::span<const Alias> aliases) {
  std::vector<int64_t> numbers;
  for (const Alias& alias : aliases) {
    Append(numbers, alias.output);
    numbers.push_back(alias.parameter);
    Append(numbers, alias.index);
    numbers.push_back(alias.kind);
  }
  return numbers;
}

std::vector<Alias> AliasesOf(std::span<const int64_t> numbers) {
  std::vector<Alias> aliases;
  for (NumberReader reader(numbers); !reader.done();) {
    Alias alias;
    alias.output = ToVector(reader.List());
    alias.parameter = reader.Next();
    alias.index = ToVector(reader.List());
    alias.kind = reader.Next();
    aliases.push_back(std::move(alias));
  }
  return aliases;
}

std::vector<int64_t> NumbersOf(const Sharding& sharding) {
  std::vector<int64_t> numbers;
  AppendSharding(numbers, sharding);
  for (const Sharding& element : sharding.elements) AppendSharding(numbers, element);
  return numbers;
}

Sharding ShardingOf(std::span<const int64_t> numbers) {
  NumberReader reader(numbers);
  Sharding sharding = ReadSharding(reader);
  while (!reader.done()) sharding.elements.push_back(ReadSharding(reader));
  return sharding;
}

std::string_view WordOf(int64_t sharding_kind) {
  constexpr std::array<std::string_view, 5> kWords = {"replicated", "maximal", "manual", "unknown",
                                                      "unreduced"};
  return sharding_kind >= 0 && sharding_kind < 5 ? kWords[static_cast<size_t>(sharding_kind)] : "";
}

namespace {

// The devices 0, 1, 2, … laid out as `iota`, its dimensions reordered by `order`, read row by row.
std::optional<std::vector<int64_t>> Iota(std::span<const int64_t> iota, std::span<const int64_t> order,
                                         size_t limit) {
  const size_t rank = iota.size();
  if (!order.empty() && order.size() != rank) return std::nullopt;
  size_t total = 1;
  for (const int64_t size : iota) {
    if (size <= 0 || static_cast<size_t>(size) > limit / total) return std::nullopt;
    total *= static_cast<size_t>(size);
  }
  std::vector<size_t> stride(rank, 1);
  for (size_t i = rank; i-- > 1;) stride[i - 1] = stride[i] * static_cast<size_t>(iota[i]);
  std::vector<size_t> sizes(rank), strides(rank);
  for (size_t i = 0; i < rank; ++i) {
    const int64_t from = order.empty() ? static_cast<int64_t>(i) : order[i];
    if (from < 0 || static_cast<size_t>(from) >= rank) return std::nullopt;
    sizes[i] = static_cast<size_t>(iota[static_cast<size_t>(from)]);
    strides[i] = stride[static_cast<size_t>(from)];
  }
  size_t product = 1;  // Of an order that names a dimension twice it is another one.
  for (const size_t size : sizes) {
    if (size > limit / product) return std::nullopt;
    product *= size;
  }
  std::vector<int64_t> devices;
  for (size_t i = 0; i < product; ++i) {
    size_t rest = i, device = 0;
    for (size_t d = rank; d-- > 0;) {
      device += rest % sizes[d] * strides[d];
      rest /= sizes[d];
    }
    devices.push_back(static_cast<int64_t>(device));
  }
  return devices;
}

}  // namespace

std::optional<std::vector<std::vector<int64_t>>> GroupsOf(Form form, std::span<const int64_t> numbers,
                                                          size_t limit) {
  std::vector<std::vector<int64_t>> groups;
  NumberReader reader(numbers);
  if (form == Form::kGroups) {
    while (!reader.done()) groups.push_back(ToVector(reader.List()));
    return groups;
  }
  if (form != Form::kIotaGroups) return std::nullopt;
  const std::span<const int64_t> sizes = reader.List();
  const std::span<const int64_t> iota = reader.List();
  const std::span<const int64_t> order = reader.List();
  const std::optional<std::vector<int64_t>> devices = Iota(iota, order, limit);
  if (!devices.has_value() || sizes.size() != 2 || sizes[0] < 0 || sizes[1] <= 0) return std::nullopt;
  const size_t in_group = static_cast<size_t>(sizes[1]);
  if (static_cast<size_t>(sizes[0]) != devices->size() / in_group || devices->size() % in_group != 0) {
    return std::nullopt;
  }
  for (size_t i = 0; i < devices->size(); i += in_group) {
    groups.emplace_back(devices->begin() + static_cast<std::ptrdiff_t>(i),
                        devices->begin() + static_cast<std::ptrdiff_t>(i + in_group));
  }
  return groups;
}

}  // namespace oomph::hlo
