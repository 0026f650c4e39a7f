// Settles buffers once all is known of all values.
#include "models/hlo/alias_join.h"

#include <utility>

namespace oomph::hlo {

void Joins::Finish(bool copies, uint32_t end, Aliases& aliases) {
  UniteSameValues(aliases);
  // A parameter that is nobody else's to overwrite stays the caller's to the end.
  std::vector<bool> given(aliases.values.size(), false);
  for (const uint32_t value : given_) given[same_.Find(value)] = true;
  for (uint32_t v = 0; v < aliases.values.size(); ++v) {
    if (aliases.values[v].parameter && !given[v]) aliases.values[v].last = end;
  }
  UnionFind buffers;
  buffers.AddAll(aliases.values.size());
  for (const Together& pair : together_) {
    const uint32_t value = same_.Find(pair.value), other = same_.Find(pair.other);
    const bool read_only = aliases.values[value].constant && copies;
    if (pair.until == kAnyStep || (aliases.values[value].last <= pair.until && !read_only)) {
      buffers.Join(value, other);
    }
  }
  Compact(buffers, aliases);
}

// The first definition stands for all nodes that hold the same.
void Joins::UniteSameValues(Aliases& aliases) {
  for (uint32_t v = 0; v < aliases.values.size(); ++v) {
    Value& first = aliases.values[same_.Find(v)];
    const Value& value = aliases.values[v];
    first.last = std::max(first.last, value.last);
    first.output = first.output || value.output;
  }
}

void Joins::Compact(UnionFind& buffers, Aliases& aliases) {
  std::vector<uint32_t> new_value(aliases.values.size(), UINT32_MAX), new_buffer(aliases.values.size(), UINT32_MAX);
  std::vector<Value> values;
  for (uint32_t v = 0; v < aliases.values.size(); ++v) {
    if (same_.Find(v) != v) continue;
    uint32_t& buffer = new_buffer[buffers.Find(v)];
    if (buffer == UINT32_MAX) buffer = aliases.buffers++;
    aliases.values[v].buffer = buffer;
    new_value[v] = static_cast<uint32_t>(values.size());
    values.push_back(aliases.values[v]);
  }
  for (uint32_t& value : aliases.value_of_node) value = new_value[same_.Find(value)];
  aliases.values = std::move(values);
}

}  // namespace oomph::hlo
