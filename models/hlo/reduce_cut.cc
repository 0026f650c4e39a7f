// The keep-alive cut: instructions go, and what is live at those that stay remains so.
//
//   a = add(p, q)            a = f32[..] parameter(..)           `a` is used by what stays: a parameter
//   b = tanh(a)              k = custom-call(a)                  b is live at k, as c reads it: a parameter and an output
//   k = custom-call(a)       b = f32[..] parameter(..)
//   c = multiply(b, k)       root = tuple(k, b)
//
// Each instruction is live from where it stands to the last that reads it, in the order of the text. If an instruction
// that stays, a step, is in between, and nobody who stays reads it afterwards, the root tuple does.
// In other computations than the entry what goes gives way to a constant; nothing is kept alive there.
#include <algorithm>

#include "models/hlo/reduce_lists.h"

namespace oomph::hlo::reduce {
namespace {

// Below that an edit for each is as quick.
constexpr size_t kFewPlaces = 64;

bool StartsPair(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kAllReduceStart:
    case Opcode::kAllGatherStart:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kCopyStart:
    case Opcode::kSend:
    case Opcode::kRecv:
      return true;
    default:
      return false;
  }
}

// Its result holds its operands, so that these live on in it.
bool PassesOn(Opcode opcode) {
  return StartsPair(opcode) || opcode == Opcode::kTuple || opcode == Opcode::kGetTupleElement ||
         opcode == Opcode::kBitcast || opcode == Opcode::kOptBarrier || opcode == Opcode::kAddDependency;
}

// Its operand is of the same edit: one cannot be without the other.
bool EndsPair(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAsyncUpdate:
    case Opcode::kAsyncDone:
    case Opcode::kAllReduceDone:
    case Opcode::kAllGatherDone:
    case Opcode::kCollectivePermuteDone:
    case Opcode::kCopyDone:
    case Opcode::kSendDone:
    case Opcode::kRecvDone:
      return true;
    default:
      return false;
  }
}
// Takes no step of its own: where it stands nothing is at its peak.
bool IsStep(Opcode opcode) {
  return opcode != Opcode::kParameter && opcode != Opcode::kConstant && opcode != Opcode::kTuple &&
         opcode != Opcode::kGetTupleElement && opcode != Opcode::kBitcast;
}

// Of each instruction of a computation the last that reads it, or what it has become a part of; 0: none, and all
// numbers are one too large, so that the root's reader is at size + 1.
class Ends {
 public:
  Ends(const Module& module, const Computation& computation) : module_(module), computation_(computation) {}

  // Among the readers for which `counts` holds.
  template <typename Counts>
  std::vector<uint32_t> Find(const std::vector<uint32_t>& outputs, const Counts& counts) const {
    const uint32_t n = static_cast<uint32_t>(computation_.instructions.size());
    std::vector<uint32_t> ends(n);
    for (const uint32_t output : outputs) ends[output] = n + 1;
    for (uint32_t i = n; i-- > 0;) {
      if (!counts(i)) continue;
      const Instruction& reader = computation_.instructions[i];
      const uint32_t end = PassesOn(reader.opcode) ? std::max(ends[i], i + 1) : i + 1;
      for (const uint32_t operand : module_.Operands(reader)) ends[operand] = std::max(ends[operand], end);
    }
    return ends;
  }

 private:
  const Module& module_;
  const Computation& computation_;
};

// The cut of the entry, prepared.
class EntryCut {
 public:
  explicit EntryCut(const Base& base) : base_(base), entry_(base.entry()) {
    const Module& module = base.module();
    dissolved_ = entry_.instructions[entry_.root].opcode == Opcode::kTuple && !base.RootIsUsed();
    if (dissolved_) {
      const std::span<const uint32_t> outputs = module.Operands(entry_.instructions[entry_.root]);
      outputs_.assign(outputs.begin(), outputs.end());
    } else {
      outputs_ = {entry_.root};
    }
    ends_ = Ends(module, entry_).Find(outputs_, [&](uint32_t i) { return !(dissolved_ && i == entry_.root); });
  }

  bool HasEdit(uint32_t i) const {
    if (dissolved_ && i == entry_.root) return false;
    return entry_.instructions[i].opcode != Opcode::kParameter || base_.IsIdle({base_.module().entry, i});
  }

  void Make(Draft& draft, std::vector<uint8_t> dropped) const {
    const Module& module = base_.module();
    const uint32_t c = module.entry, n = static_cast<uint32_t>(entry_.instructions.size());
    if (dissolved_) dropped[entry_.root] = 1;
    const std::vector<uint8_t> used = Settle(dropped);
    const auto kept = [&](uint32_t i) { return dropped[i] == 0; };
    const std::vector<uint32_t> now = Ends(module, entry_).Find({}, kept);
    // The first step after each place.
    std::vector<uint32_t> step(n + 1, kNone);
    for (uint32_t i = n; i-- > 0;) step[i] = kept(i) && IsStep(entry_.instructions[i].opcode) ? i : step[i + 1];

    std::vector<uint32_t> more;
    std::vector<uint8_t> there(n);
    for (uint32_t i = 0; i < n; ++i) {
      const Instruction& instruction = entry_.instructions[i];
      const bool leafable = base_.IsAllArrays(instruction.shape);
      const bool parameter = instruction.opcode == Opcode::kParameter;
      // Places in `ends` are one too large.
      const auto step_within = [&](uint32_t from, uint32_t end) { return end > 0 && step[from] < end; };
      const bool stays = dropped[i] == 0;
      if (!stays && used[i] == 0) {
        const bool lives = leafable && !PassesOn(instruction.opcode) && step_within(i + 1, ends_[i]);
        if (!lives) {
          draft.Drop({c, i});
          continue;
        }
      }
      there[i] = 1;
      if (!stays && !parameter) draft.at({c, i}) = Leaf(draft, instruction);
      const bool unread = !parameter && now[i] == 0 && ends_[i] > 0;
      const bool ends_early = ends_[i] > now[i] && step_within(now[i] > 0 ? now[i] : i + 1, ends_[i]);
      if (leafable && (unread || ends_early)) more.push_back(i);
    }
    Outputs(draft, there, more);
  }

 private:
  // Those stay that somebody who stays needs and that nothing can stand for. Returns what those that stay use.
  std::vector<uint8_t> Settle(std::vector<uint8_t>& dropped) const {
    const Module& module = base_.module();
    std::vector<uint8_t> used(dropped.size());
    std::vector<uint32_t> ask;
    for (uint32_t i = 0; i < dropped.size(); ++i) {
      if (dropped[i] == 0) ask.push_back(i);
    }
    while (!ask.empty()) {
      const uint32_t at = ask.back();
      ask.pop_back();
      for (const uint32_t operand : module.Operands(entry_.instructions[at])) {
        used[operand] = 1;
        const Instruction& instruction = entry_.instructions[operand];
        const bool pair = EndsPair(entry_.instructions[at].opcode);
        if (dropped[operand] == 0 || (base_.IsAllArrays(instruction.shape) && !pair)) continue;
        dropped[operand] = 0;
        ask.push_back(operand);
      }
    }
    return used;
  }

  static Instruction Leaf(Draft& draft, const Instruction& instruction) {
    return Plain(instruction, Opcode::kParameter, draft.NextParameter(draft.base().module().entry));
  }

  // What was an output and is still there, then what has become one.
  void Outputs(Draft& draft, const std::vector<uint8_t>& there, const std::vector<uint32_t>& more) const {
    std::vector<uint32_t> outputs, was;
    for (uint32_t k = 0; k < outputs_.size(); ++k) {
      if (there[outputs_[k]] != 0) outputs.push_back(outputs_[k]), was.push_back(k);
    }
    const size_t old = outputs.size();
    std::vector<uint8_t> among(there.size());
    for (const uint32_t output : outputs) among[output] = 1;
    for (const uint32_t node : more) {
      if (among[node] == 0) outputs.push_back(node), was.push_back(kNone);
    }
    if (outputs.size() == outputs_.size() && old == outputs_.size()) return;
    draft.SetOutputs(outputs, dissolved_ ? std::span<const uint32_t>(was) : std::span<const uint32_t>(), false);
  }

  const Base& base_;
  const Computation& entry_;
  bool dissolved_ = false;
  std::vector<uint32_t> outputs_, ends_;
};

// In another computation a constant stands for what goes.
void CutInside(Draft& draft, uint32_t c, const std::vector<uint8_t>& dropped) {
  const Computation& computation = draft.base().module().computations[c];
  for (uint32_t i = 0; i < dropped.size(); ++i) {
    if (dropped[i] == 0) continue;
    const Instruction& instruction = computation.instructions[i];
    // A constant that is used stays.
    if (!draft.base().IsIdle({c, i}) && IsConstant(draft.base().module(), computation, instruction)) continue;
    // A tuple of constants is simpler only where nothing is, or what calls others was.
    const Module& module = draft.base().module();
    const bool tuple = i == computation.root ? instruction.opcode != Opcode::kTuple : !Called(module, instruction).empty();
    if (!draft.base().IsIdle({c, i})) {
      const std::optional<uint32_t> zero =
          tuple ? draft.AddZeros(c, i, instruction.shape) : draft.AddZero(c, i, instruction.shape);
      if (zero.has_value()) draft.Replace({c, i}, *zero);
    }
    draft.Drop({c, i});
  }
}

// What can go of a computation, the last first. What starts goes with what ends it, and with what is between.
std::vector<Place> PlacesOf(const Base& base, const EntryCut& entry, uint32_t c) {
  const Module& module = base.module();
  const std::vector<Instruction>& instructions = module.computations[c].instructions;
  std::vector<Place> places;
  std::vector<uint8_t> started(instructions.size());
  for (uint32_t i = static_cast<uint32_t>(instructions.size()); i-- > 0;) {
    const Opcode opcode = instructions[i].opcode;
    if (EndsPair(opcode)) {
      for (const uint32_t operand : module.Operands(instructions[i])) started[operand] |= StartsPair(instructions[operand].opcode);
    }
    const bool can = c == module.entry ? entry.HasEdit(i) : opcode != Opcode::kParameter;
    if (can && started[i] == 0) places.push_back({c, i});
  }
  return places;
}

template <typename Chosen>
void DropPlaces(Draft& draft, const EntryCut& entry, const std::vector<Place>& places, const Chosen& chosen) {
  const Module& from = draft.base().module();
  std::vector<std::vector<uint8_t>> dropped(from.computations.size());
  for (size_t k = 0; k < places.size(); ++k) {
    if (!chosen(k)) continue;
    const auto [c, node] = places[k];
    const Computation& computation = from.computations[c];
    if (dropped[c].empty()) dropped[c].resize(computation.instructions.size());
    // Down to what starts it.
    for (uint32_t at = node;;) {
      dropped[c][at] = 1;
      const Instruction& instruction = computation.instructions[at];
      if (!EndsPair(instruction.opcode) || instruction.operands.count == 0) break;
      const uint32_t operand = from.Operands(instruction)[0];
      if (!StartsPair(computation.instructions[operand].opcode) || dropped[c][operand] != 0) break;
      at = operand;
    }
  }
  for (uint32_t c = 0; c < dropped.size(); ++c) {
    if (!dropped[c].empty() && c != from.entry) CutInside(draft, c, dropped[c]);
  }
  if (!dropped[from.entry].empty()) entry.Make(draft, dropped[from.entry]);
}

// So many of the entry at one of its ends, in one edit.
List CutEnd(const Base& base, bool last) {
  const EntryCut entry(base);
  std::vector<Place> places = PlacesOf(base, entry, base.module().entry);
  List list;
  if (places.size() > kFewPlaces) list.most = {places.size()};
  list.make = [entry, last, places = std::move(places)](Draft& draft, std::span<const uint64_t> amounts) {
    DropPlaces(draft, entry, places, [&](size_t k) { return (last ? k : places.size() - 1 - k) < amounts[0]; });
  };
  return list;
}

}  // namespace

// A module fails at one step. What comes after it can go, whatever that is; and then what comes before it, the first first:
// parameters in the place of what is live there are live from the beginning, which makes no step after them worse.
List CutAfter(const Base& base) { return CutEnd(base, true); }
List CutBefore(const Base& base) { return CutEnd(base, false); }

List Cut(const Base& base) {
  const Module& module = base.module();
  const EntryCut entry(base);
  std::vector<Place> places = PlacesOf(base, entry, module.entry);
  for (uint32_t c = static_cast<uint32_t>(module.computations.size()); c-- > 0;) {
    if (c == module.entry) continue;
    const std::vector<Place> more = PlacesOf(base, entry, c);
    places.insert(places.end(), more.begin(), more.end());
  }
  List list;
  list.most.assign(places.size(), 1);
  list.make = [entry, places = std::move(places)](Draft& draft, std::span<const uint64_t> amounts) {
    DropPlaces(draft, entry, places, [&](size_t k) { return amounts[k] > 0; });
  };
  return list;
}

}  // namespace oomph::hlo::reduce
