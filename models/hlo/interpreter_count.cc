// What is there until the end, and the count from there back to the beginning.
#include <algorithm>
#include <set>

#include "models/hlo/interpreter_machine.h"

namespace oomph::hlo {

// A caller keeps its arguments, but those that it has given away.
void Machine::KeepArguments(const std::vector<Tree>& arguments, const Tree& result) {
  std::map<int64_t, ShapeId> shapes;
  for (const Instruction& instruction : module_.computations[module_.entry].instructions) {
    if (instruction.opcode == Opcode::kParameter) shapes.emplace(instruction.payload, instruction.shape);
  }
  std::set<uint32_t> given;
  const auto give = [&](int64_t number, std::span<const int64_t> path) -> std::optional<uint32_t> {
    const auto shape = shapes.find(number);
    if (shape == shapes.end()) return std::nullopt;
    const Tree tree = Walk(shape->second, arguments[static_cast<size_t>(number)], path);
    if (tree.empty()) return std::nullopt;
    given.insert(tree[0]);
    return tree[0];
  };
  if (const std::optional<AttributeId> id = module_.Find(module_.attributes, Key::kInputOutputAlias);
      id.has_value() && module_.attribute_table[*id].form == Form::kAliases) {
    const Computation& entry = module_.computations[module_.entry];
    for (const Alias& alias : AliasesOf(module_.attribute_table.Numbers(*id))) {
      const std::optional<uint32_t> argument = give(alias.parameter, alias.index);
      const Tree output = Walk(entry.instructions[entry.root].shape, result, alias.output);
      if (argument.has_value() && !output.empty()) OneMemory(*argument, output[0], links_);
    }
  }
  if (const std::optional<AttributeId> id = module_.Find(module_.attributes, Key::kBufferDonor);
      id.has_value() && module_.attribute_table[*id].form == Form::kDonors) {
    for (NumberReader reader(module_.attribute_table.Numbers(*id)); !reader.done();) {
      const int64_t number = reader.Next();
      give(number, reader.List());
    }
  }
  for (const Tree& argument : arguments) {
    for (const uint32_t version : argument) {
      if (given.count(version) == 0) Touch({version}, now_);
    }
  }
}

// Which memory each version is in, by the first version there: what can be reached by any number of links.
std::vector<uint32_t> Machine::Memories() const {
  std::vector<std::vector<uint32_t>> linked(versions_.size());
  for (const auto& [a, b] : links_) {
    linked[a].push_back(b);
    linked[b].push_back(a);
  }
  std::vector<uint32_t> memory(versions_.size(), UINT32_MAX), open;
  for (uint32_t first = 0; first < memory.size(); ++first) {
    if (memory[first] != UINT32_MAX) continue;
    open = {first};
    memory[first] = first;
    while (!open.empty()) {
      const uint32_t at = open.back();
      open.pop_back();
      for (const uint32_t next : linked[at]) {
        if (memory[next] == UINT32_MAX) memory[next] = first, open.push_back(next);
      }
    }
  }
  return memory;
}

// From the end to the beginning: a version is live from its last reading back to its making. In 128 bits, where no
// sum overflows.
InterpretedPeak Machine::Count() const {
  using Sum = unsigned __int128;
  const std::vector<uint32_t> memory = Memories();
  std::vector<uint64_t> bytes(versions_.size(), 0);
  std::vector<uint32_t> holds(versions_.size(), 0);
  std::vector<std::vector<uint32_t>> ends(now_ + 1), begins(now_ + 1);
  for (uint32_t v = 0; v < versions_.size(); ++v) {
    bytes[memory[v]] = std::max(bytes[memory[v]], versions_[v].bytes);
    ends[versions_[v].last].push_back(v);
    begins[versions_[v].made].push_back(v);
  }
  std::map<uint32_t, Sum> live, highest;
  Sum total = 0, highest_total = 0;
  for (uint32_t step = now_ + 1; step-- > 0;) {
    for (const uint32_t v : ends[step]) {
      if (holds[memory[v]]++ > 0) continue;
      live[versions_[memory[v]].space] += bytes[memory[v]];
      total += bytes[memory[v]];
    }
    highest_total = std::max(highest_total, total);
    // Only what has just come can make a peak.
    for (const uint32_t v : ends[step]) {
      const uint32_t space = versions_[memory[v]].space;
      highest[space] = std::max(highest[space], live[space]);
    }
    for (const uint32_t v : begins[step]) {
      if (--holds[memory[v]] > 0) continue;
      live[versions_[memory[v]].space] -= bytes[memory[v]];
      total -= bytes[memory[v]];
    }
  }
  const auto fit = [](Sum sum) { return sum > UINT64_MAX ? UINT64_MAX : static_cast<uint64_t>(sum); };
  InterpretedPeak peak;
  peak.total = fit(highest_total);
  for (const auto& [space, most] : highest) peak.by_space[space] = fit(most);
  return peak;
}

}  // namespace oomph::hlo
