// Who uses what, over instructions: fusions, what is started and must be finished, channels, threads,
// buffers. Not for the rule of a single instruction (infer_*.cc).
#include <algorithm>
#include <array>
#include <map>

#include "absl/strings/str_cat.h"
#include "models/hlo/infer.h"

namespace oomph::hlo {
namespace {

// The users of each instruction of a computation, each once. The third operand of a dot is none: it says
// nothing.
class Users {
 public:
  Users(const Module& module, const Computation& computation) : of_(computation.instructions.size()) {
    for (uint32_t i = 0; i < computation.instructions.size(); ++i) {
      std::span<const uint32_t> operands = module.Operands(computation.instructions[i]);
      if (computation.instructions[i].opcode == Opcode::kDot)
        operands = operands.first(std::min<size_t>(operands.size(), 2));
      for (const uint32_t operand : operands) {
        if (of_[operand].empty() || of_[operand].back() != i) of_[operand].push_back(i);
      }
    }
  }
  const absl::InlinedVector<uint32_t, 2>& operator[](uint32_t i) const { return of_[i]; }

 private:
  std::vector<absl::InlinedVector<uint32_t, 2>> of_;
};

// Which computations are called by an operation, and how often.
struct Callers {
  std::vector<uint32_t> fusions, asyncs;
};

Callers FindCallers(const Module& module) {
  Callers callers;
  callers.fusions.resize(module.computations.size());
  callers.asyncs.resize(module.computations.size());
  for (const Computation& computation : module.computations) {
    for (const Instruction& instruction : computation.instructions) {
      const bool fusion = instruction.wrapped == Opcode::kFusion &&
                          instruction.opcode != Opcode::kAsyncDone &&
                          instruction.opcode != Opcode::kAsyncUpdate;
      const bool async = instruction.wrapped == Opcode::kAsyncStart;  // not in its short form
      if (!fusion && !async) continue;
      for (const uint32_t called : Called(module, instruction))
        ++(fusion ? callers.fusions : callers.asyncs)[called];
    }
  }
  return callers;
}

std::string_view ThreadOf(const Module& module, const Computation& computation) {
  const std::optional<AttributeId> id = module.Find(computation.attributes, Key::kExecutionThread);
  if (!id.has_value() || module.attribute_table.References(*id).empty()) return "main";
  return module.strings[module.attribute_table.References(*id).front().id];
}

// --- fusions
// --------------------------------------------------------------------------------------------------

// What may stand in a fusion without a user.
bool HasSideEffect(const Module& module, const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kSend:
    case Opcode::kSendDone:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
    case Opcode::kRng:
    case Opcode::kRngGetAndUpdateState:
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
    case Opcode::kAllReduceStart:
    case Opcode::kAllReduceDone:
    case Opcode::kAllGatherStart:
    case Opcode::kAllGatherDone:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kCollectivePermuteDone:
      return true;
    case Opcode::kAllReduce:
    case Opcode::kAllGather:
    case Opcode::kAllToAll:
    case Opcode::kReduceScatter:
      return module.Find(instruction, Key::kChannelId).has_value() ||
             module.Number(instruction, Key::kConstrainLayout) != 0;
    case Opcode::kCustomCall:
      return module.Number(instruction, Key::kCustomCallHasSideEffect) != 0;
    default:
      return false;
  }
}

void VerifyFused(const Module& module, uint32_t c, const Users& users, uint32_t callers, Problems& problems) {
  const Computation& computation = module.computations[c];
  if (callers > 1) Report(problems, c, kNoIndex, Wrong(Rule::kFusion, "more than one fusion calls it"));
  if (c == module.entry)
    Report(problems, c, kNoIndex, Wrong(Rule::kEntry, "a fusion calls the entry computation"));
  for (uint32_t i = 0; i < computation.instructions.size(); ++i) {
    const Instruction& instruction = computation.instructions[i];
    if (i == computation.root && !users[i].empty()) {
      Report(problems, c, i, Wrong(Rule::kFusion, "the root of a fused computation has a user"));
    } else if (i != computation.root && users[i].empty() && !HasSideEffect(module, instruction)) {
      Report(problems, c, i, Wrong(Rule::kFusion, "nothing in the fused computation uses it"));
    }
  }
}

// --- what is started and finished
// -----------------------------------------------------------------------------

struct PairRow {
  Opcode opcode;
  std::initializer_list<Opcode> users;     // it has one user, one of these; empty: any
  std::initializer_list<Opcode> operands;  // its operand is one of these; empty: any
};

using enum Opcode;
constexpr PairRow kPairs[] = {
    {kAsyncStart, {kAsyncUpdate, kAsyncDone}, {}},
    {kAsyncUpdate, {kAsyncUpdate, kAsyncDone}, {kAsyncStart, kAsyncUpdate}},
    {kAsyncDone, {}, {kAsyncStart, kAsyncUpdate}},
    {kAllReduceStart, {kAllReduceDone}, {}},
    {kAllReduceDone, {}, {kAllReduceStart}},
    {kAllGatherStart, {kAllGatherDone}, {}},
    {kAllGatherDone, {}, {kAllGatherStart}},
    {kCopyStart, {kCopyDone}, {}},
    {kCopyDone, {}, {kCopyStart}},
    {kCollectivePermuteStart, {kCollectivePermuteDone}, {}},
    {kCollectivePermuteDone, {}, {kCollectivePermuteStart}},
    {kSend, {kSendDone, kTuple}, {}},  // a tuple carries it into the next round of a loop
    {kSendDone, {}, {kSend, kGetTupleElement}},
    {kRecv, {kRecvDone, kTuple}, {}},
    {kRecvDone, {}, {kRecv, kGetTupleElement}},
};

constexpr std::array<bool, kOpcodes> kInPairs = [] {
  std::array<bool, kOpcodes> in = {};
  for (const PairRow& row : kPairs) in[static_cast<size_t>(row.opcode)] = true;
  return in;
}();

bool IsControlDependency(const Module& module, const Instruction& instruction) {
  const std::optional<AttributeId> id = module.Find(instruction, Key::kCustomCallTarget);
  if (!id.has_value() || module.attribute_table.References(*id).empty()) return false;
  return module.strings[module.attribute_table.References(*id).front().id] == "control_dep";
}

Check CheckPair(const Module& module, const Computation& computation, uint32_t i, const Users& users,
                bool async_computation) {
  const Instruction& instruction = computation.instructions[i];
  if (!kInPairs[static_cast<size_t>(instruction.opcode)]) return std::nullopt;
  const PairRow* row = std::ranges::find(kPairs, instruction.opcode, &PairRow::opcode);
  const auto among = [](std::initializer_list<Opcode> list, const Instruction& other) {
    return std::ranges::find(list, other.opcode) != list.end();
  };
  const std::span<const uint32_t> operands = module.Operands(instruction);
  if (row->operands.size() != 0 &&
      (operands.empty() || !among(row->operands, computation.instructions[operands.front()]))) {
    return Wrong(Rule::kPair, "the operand is not what starts this");
  }
  const bool transfer = instruction.opcode == kSend || instruction.opcode == kRecv;
  if (row->users.size() == 0 || (transfer && async_computation && i == computation.root)) return std::nullopt;
  size_t count = 0;
  for (const uint32_t user : users[i]) {
    if (IsControlDependency(module, computation.instructions[user])) continue;
    if (!among(row->users, computation.instructions[user]))
      return Wrong(Rule::kPair, "what uses it does not finish it");
    ++count;
  }
  if (count == 1) return std::nullopt;
  return Wrong(Rule::kPair, absl::StrCat("it has ", count, " users and must have one"));
}

// --- channels
// -------------------------------------------------------------------------------------------------

Check CheckChannel(const Module& module, const Computation& computation, uint32_t i) {
  const Instruction& done = computation.instructions[i];
  if (done.opcode != kSendDone && done.opcode != kRecvDone) return std::nullopt;
  const Instruction& start = computation.instructions[module.Operands(done).front()];
  if (start.opcode != kSend && start.opcode != kRecv) return std::nullopt;
  const auto channel = [&](const Instruction& end) {
    return std::pair(module.Find(end, Key::kChannelId).has_value(), module.Number(end, Key::kChannelId));
  };
  if (channel(start) != channel(done))
    return Wrong(Rule::kChannel, "uses another channel than what starts it");
  const bool checked = channel(start).first && (start.opcode == kSend) == (done.opcode == kSendDone);
  if (checked && module.Number(start, Key::kIsHostTransfer) != module.Number(done, Key::kIsHostTransfer)) {
    return Wrong(Rule::kChannel, "is a transfer to the host where what starts it is none, or the other way");
  }
  return std::nullopt;
}

// Transfers to the host over one channel are one operation on one shape.
class HostChannels {
 public:
  explicit HostChannels(const Module& module) : module_(module) {}

  Check Judge(const Instruction& instruction) {
    if ((instruction.opcode != kSend && instruction.opcode != kRecv) ||
        module_.Number(instruction, Key::kIsHostTransfer) == 0 ||
        !module_.Find(instruction, Key::kChannelId).has_value()) {
      return std::nullopt;
    }
    const int64_t channel = module_.Number(instruction, Key::kChannelId);
    const auto [first, added] = first_.emplace(channel, &instruction);
    if (added || (first->second->opcode == instruction.opcode && first->second->shape == instruction.shape)) {
      return std::nullopt;
    }
    return Wrong(Rule::kChannel,
                 absl::StrCat("channel ", channel, " serves another transfer to the host too"));
  }

 private:
  const Module& module_;
  std::map<int64_t, const Instruction*> first_;
};

// --- threads and async computations
// ---------------------------------------------------------------------------

// What an async-start calls runs on the thread of the async-start, whatever it says itself.
std::vector<std::string_view> Threads(const Module& module) {
  std::vector<std::string_view> threads;
  for (const Computation& computation : module.computations) threads.push_back(ThreadOf(module, computation));
  for (const Computation& computation : module.computations) {
    for (const Instruction& instruction : computation.instructions) {
      if (instruction.wrapped != kAsyncStart) continue;
      const std::optional<AttributeId> id = module.Find(instruction, Key::kAsyncExecutionThread);
      const bool given = id.has_value() && !module.attribute_table.References(*id).empty();
      const std::string_view thread =
          given ? module.strings[module.attribute_table.References(*id).front().id] : "main";
      for (const uint32_t called : Called(module, instruction)) threads[called] = thread;
    }
  }
  return threads;
}

Check CheckThread(const Module& module, const Instruction& instruction, std::string_view thread,
                  std::span<const std::string_view> threads) {
  const Opcode caller = instruction.opcode;
  if (caller != kFusion && caller != kWhile && caller != kConditional) return std::nullopt;
  for (const uint32_t called : Called(module, instruction)) {
    if (threads[called] == thread) continue;
    return Wrong(Rule::kThread, absl::StrCat("runs on ", std::string(thread), " and calls a computation of ",
                                             std::string(threads[called])));
  }
  return std::nullopt;
}

// An async computation is one operation on its parameters, a group of transfers, or passes on what it gets.
// Groups of collectives say so in an attribute of the async-start, which is not looked at.
bool IsAsyncComputation(const Computation& computation) {
  bool single = true, transfers = true, passes = true;
  for (uint32_t i = 0; i < computation.instructions.size(); ++i) {
    const Opcode opcode = computation.instructions[i].opcode;
    const bool parameter = opcode == kParameter, root = i == computation.root;
    single &= parameter || root;
    transfers &= parameter || opcode == kSend || opcode == kRecv || opcode == kTuple || opcode == kBitcast;
    passes &= parameter || root || opcode == kGetTupleElement;
  }
  return single || transfers || passes;
}

// --- buffers
// --------------------------------------------------------------------------------------------------

// Only custom calls, loops, tuples, updates in place and async operations touch buffers; the entry
// computation has none among its parameters.
Check CheckBuffers(Facts& facts, const Context& context, bool entry) {
  switch (context.opcode) {
    case kParameter:
      if (!entry) return std::nullopt;
      break;
    case kCustomCall:
    case kWhile:
    case kTuple:
    case kGetTupleElement:
    case kDynamicUpdateSlice:
    case kAsyncStart:
    case kAsyncUpdate:
    case kAsyncDone:
      return std::nullopt;
    case kCall:
      if (context.FrontendAttribute("_xla_stream_annotation").has_value()) return std::nullopt;
      break;
    default:
      break;
  }
  bool has = facts.shapes.HasBuffer(context.result);
  for (const ShapeId operand : context.operands) has |= facts.shapes.HasBuffer(operand);
  if (!has) return std::nullopt;
  return Wrong(Rule::kBuffer, "a buffer has no place here");
}

bool AnyBuffer(const ShapeTable& shapes) {
  for (ShapeId id = 0; id < shapes.size(); ++id) {
    if (shapes[id].type == Type::kBuffer) return true;
  }
  return false;
}

}  // namespace

void VerifyFlow(Facts& facts, Problems& problems) {
  const Module& module = facts.module;
  const Callers callers = FindCallers(module);
  const bool buffers = AnyBuffer(module.shapes);
  const std::vector<std::string_view> threads = Threads(module);
  HostChannels host_channels(module);
  for (uint32_t c = 0; c < module.computations.size() && problems.size() < kMaxProblems; ++c) {
    const Computation& computation = module.computations[c];
    const Users users(module, computation);
    if (callers.fusions[c] > 0) VerifyFused(module, c, users, callers.fusions[c], problems);
    const bool async = callers.asyncs[c] > 0;
    if (callers.asyncs[c] > 1)
      Report(problems, c, kNoIndex, Wrong(Rule::kAsync, "more than one async-start calls it"));
    if (async && callers.fusions[c] > 0)
      Report(problems, c, kNoIndex, Wrong(Rule::kAsync, "a fusion calls it as well"));
    if (async && !IsAsyncComputation(computation)) {
      Report(problems, c, kNoIndex, Wrong(Rule::kAsync, "an async computation must be a single operation"));
    }
    for (uint32_t i = 0; i < computation.instructions.size(); ++i) {
      Check bad = CheckPair(module, computation, i, users, async);
      if (!bad.has_value()) bad = CheckChannel(module, computation, i);
      if (!bad.has_value()) bad = host_channels.Judge(computation.instructions[i]);
      if (!bad.has_value()) bad = CheckThread(module, computation.instructions[i], threads[c], threads);
      if (!bad.has_value() && buffers && !async)
        bad = CheckBuffers(facts, Context(facts, c, i), c == module.entry);
      if (bad.has_value()) Report(problems, c, i, *std::move(bad));
    }
  }
}

}  // namespace oomph::hlo
