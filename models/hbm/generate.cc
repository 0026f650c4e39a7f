// See generate.h. The order of draws is the format of tapes: a change here makes old tapes mean something
// else, which is why stored cases are text.
#include "models/hbm/generate.h"

#include <algorithm>
#include <array>

#include "models/base/units.h"
#include "models/hbm/promises.h"
#include "models/hbm/text.h"

namespace oomph::hbm {
namespace {

bool Can(const GenerateOptions& options, int feature) { return (options.features >> feature & 1) != 0; }
bool Can(const GenerateOptions& options, StepKind kind) {
  return Can(options, static_cast<int>(kind));
}

// What a case draws once: how it mixes steps and sizes.
enum Action : uint8_t {
  kNew, kNewAgain, kGrow, kRelease, kReleaseLater, kLoadProgram, kUnloadProgram, kLaunch, kPass,
  kCompact, kPushOut, kAsk, kStray, kNumActions
};
constexpr std::array<uint32_t, kNumActions> kActionWeights = {60, 12, 8, 40, 10, 9, 2, 14, 8, 2, 3, 4, 1};
constexpr std::array<StepKind, kNumActions> kNeeds = {
    StepKind::kAllocate, StepKind::kAllocate, StepKind::kReallocate, StepKind::kFree,
    StepKind::kFreeLater, StepKind::kLoad, StepKind::kUnload, StepKind::kExecute, StepKind::kFence,
    StepKind::kDefragment, StepKind::kEvict, StepKind::kQuery, StepKind::kFree};

static_assert(kNumActions <= Weights::kMost);

enum SizeClass : uint8_t { kTypical, kGranules, kHalf, kSame, kLarge, kNearCapacity, kEdge, kNumSizeClasses };
constexpr std::array<uint32_t, kNumSizeClasses> kSizeWeights = {40, 12, 6, 8, 4, 3, 1};

constexpr size_t kManyLive = 4096;

class Generator {
 public:
  Generator(Choices& choices, const GenerateOptions& options, Trace& trace)
      : choices_(choices), options_(options), trace_(trace) {
    buffers_.reserve(64);
    programs_.reserve(16);
  }

  void Run() {
    trace_.steps.clear();
    trace_.names.clear();
    DrawPolicy();
    DrawProfile();
    const size_t steps = options_.steps != 0 ? options_.steps : 1 + choices_.Below(choices_.Chance(1, 8) ? 160 : 64);
    trace_.steps.reserve(steps + 4);
    while (trace_.steps.size() < steps && !choices_.exhausted()) {
      choices_.BeginSpan();
      DrawStep();
      choices_.EndSpan();
    }
  }

  void DrawPolicy();
  uint64_t DrawSize();

 private:
  void DrawProfile();
  void DrawStep();
  uint64_t DrawAlignment();
  void DrawRequest(Step& step);
  void DrawLaunch();
  uint32_t Pick(std::vector<uint32_t>& names, bool take);
  uint32_t NewName() { return choices_.Below(64) == 63 && next_name_ > 0 ? choices_.Below(next_name_) : next_name_++; }
  Step& Add(StepKind kind, uint32_t name = 0) {
    Step& step = trace_.steps.emplace_back();
    step.kind = kind;
    step.name = name;
    return step;
  }

  Choices& choices_;
  const GenerateOptions& options_;
  Trace& trace_;
  std::array<uint32_t, kNumActions> actions_ = kActionWeights;
  std::array<uint32_t, kNumSizeClasses> sizes_ = kSizeWeights;
  Weights action_weights_{kActionWeights}, size_weights_{kSizeWeights};  // of the two above
  uint64_t typical_ = 1;       // bytes
  size_t live_target_ = 1;
  uint32_t alignment_chance_ = 0;  // of 8
  uint32_t next_name_ = 0;
  uint32_t next_fence_ = 1;
  uint64_t last_size_ = 0;
  size_t last_request_ = SIZE_MAX;  // index of the last allocate
  std::vector<uint32_t> buffers_, programs_;
};

void Generator::DrawPolicy() {
  Policy& policy = trace_.policy;
  policy = {};
  policy.granule = uint64_t{1} << choices_.Below(10);
  uint64_t granules = 4 + choices_.Below(choices_.Chance(1, 2) ? 32 : 1024);
  if (options_.live != 0) granules = 64 * options_.live;
  policy.capacity = granules * policy.granule;
  const uint64_t odd = options_.live != 0 ? 0 : choices_.Below(32);
  if (odd == 31) policy.capacity = choices_.Below(2 * policy.granule);  // hardly any
  if (odd == 30) policy.capacity += choices_.Below(policy.granule);     // no whole granules
  if (!Can(options_, feature::kPolicy)) return;
  if (Can(options_, feature::kBfc) && choices_.Chance(1, 8)) {
    policy.allocator = Allocator::kBfc;
    policy.capacity = policy.capacity * 256 / policy.granule;
  }
  for (const PolicyKey& key : PolicyKeys()) {
    const bool bfc = policy.allocator == Allocator::kBfc;
    if (key.of != KeyOf::kBoth && (key.of == KeyOf::kBfc) != bfc) continue;
    if (key.values.empty()) continue;  // numbers are drawn above and below
    key.set(policy, choices_.Below(key.values.size()));
  }
  const uint64_t limit = choices_.Below(4);
  policy.retry_limit = limit == 3 ? 1 + choices_.Below(3) : 0;
  // The deviations of the shipped allocator are faults; a model is right without them.
  if (policy.allocator == Allocator::kBfc) policy.bfc.deviations = bfc::kRight;
  if (policy.allocator == Allocator::kBfc && policy.bfc.growth && choices_.Chance(1, 2)) {
    policy.bfc.backing = choices_.Below(policy.capacity + 1);
  }
}

void Generator::DrawProfile() {
  SwarmWeights(choices_, actions_);
  SwarmWeights(choices_, sizes_);
  for (size_t i = 0; i < kNumActions; ++i) {
    if (!Can(options_, kNeeds[i])) actions_[i] = 0;
  }
  if (choices_.Chance(1, 8)) {  // nothing but buffers, about which relations say most
    for (Action action : {kGrow, kLoadProgram, kUnloadProgram, kLaunch, kCompact, kPushOut}) actions_[action] = 0;
  }
  if (actions_[kNew] == 0) actions_[kNew] = 8;
  live_target_ = options_.live != 0 ? options_.live : 1 + choices_.Below(choices_.Chance(1, 4) ? 64 : 12);
  if (options_.live != 0) {  // traffic at a level: what fails or looks at everything would measure itself
    for (SizeClass size : {kHalf, kLarge, kNearCapacity, kEdge}) sizes_[size] = 0;
    sizes_[kTypical] = std::max<uint32_t>(sizes_[kTypical], 1);
    if (options_.live > kManyLive) actions_[kAsk] = actions_[kCompact] = actions_[kStray] = 0;
  }
  action_weights_ = Weights(actions_);
  size_weights_ = Weights(sizes_);
  // How full memory gets, in eighths of the capacity.
  const uint64_t fullness = options_.live != 0 ? 3 : 2 + choices_.Below(14);
  typical_ = std::max<uint64_t>(trace_.policy.capacity / 8 * fullness / live_target_, 1);
  alignment_chance_ = Can(options_, feature::kAlign) ? choices_.Below(4) : 0;
}

uint64_t Generator::DrawSize() {
  const uint64_t capacity = trace_.policy.capacity, granule = trace_.policy.granule;
  switch (choices_.Weighted(size_weights_)) {
    case kTypical: return 1 + choices_.Below(2 * typical_);
    case kGranules: return granule * (1 + choices_.Below(4));
    case kHalf: return capacity >> (1 + choices_.Below(5));
    case kSame: return last_size_;
    case kLarge: return choices_.Below(capacity + 1);
    case kNearCapacity: return capacity + choices_.Below(2 * granule + 1) - std::min(granule, capacity);
    default: break;
  }
  // The edges of the number format and of rounding.
  const uint64_t power = uint64_t{1} << choices_.Below(64);
  switch (choices_.Below(5)) {
    case 0: return choices_.Below(2);
    case 1: return power;
    case 2: return power - 1;
    case 3: return power + 1;
    default: return kMaxBytes - choices_.Below(2 * granule + 512);
  }
}

uint64_t Generator::DrawAlignment() {
  if (choices_.Below(8) >= alignment_chance_) return 0;
  const uint64_t draw = choices_.Below(64);
  // No power of two: to be refused. Only asked of who follows the policy's word on it.
  if (draw == 63 && Can(options_, feature::kPolicy)) return 3 + 2 * choices_.Below(100);
  if (draw == 62) return uint64_t{1} << choices_.Below(64);
  return trace_.policy.granule << choices_.Below(5);
}

void Generator::DrawRequest(Step& step) {
  step.size = DrawSize();
  step.alignment = DrawAlignment();
  if (trace_.policy.ends == Ends::kTwo && Can(options_, feature::kEnd)) {
    step.end = static_cast<End>(choices_.Below(3));
  }
  last_size_ = step.size;
}

uint32_t Generator::Pick(std::vector<uint32_t>& names, bool take) {
  const size_t i = choices_.Below(names.size());
  const uint32_t name = names[i];
  if (take) {
    names[i] = names.back();
    names.pop_back();
  }
  return name;
}

void Generator::DrawLaunch() {
  Add(StepKind::kExecute, Pick(programs_, false));
  for (uint64_t outputs = Can(options_, StepKind::kOutput) ? choices_.Below(4) : 0; outputs > 0; --outputs) {
    Step step;
    step.kind = StepKind::kOutput;
    DrawRequest(step);
    if (!buffers_.empty() && choices_.Chance(1, 3)) {
      step.donor = Pick(buffers_, choices_.Chance(3, 4));
      if (choices_.Chance(1, 2)) step.size = 1 + choices_.Below(trace_.policy.granule);
    }
    step.name = NewName();
    buffers_.push_back(step.name);
    trace_.steps.push_back(step);
  }
}

void Generator::DrawStep() {
  Action action = static_cast<Action>(choices_.Weighted(action_weights_));
  if (options_.live != 0 && trace_.steps.size() < options_.live) action = kNew;  // up to the level
  if (buffers_.size() > live_target_ && (action == kNew || action == kNewAgain)) action = kRelease;
  if (action == kRelease && !Can(options_, StepKind::kFree)) action = kNew;
  const bool wants_buffer = action == kGrow || action == kRelease || action == kReleaseLater;
  if (wants_buffer && buffers_.empty()) action = kNew;
  const bool wants_program = action == kUnloadProgram || action == kLaunch || action == kPushOut;
  if (wants_program && programs_.empty()) action = actions_[kLoadProgram] > 0 ? kLoadProgram : kNew;
  if (action == kNewAgain && last_request_ == SIZE_MAX) action = kNew;

  switch (action) {
    case kNew: {
      last_request_ = trace_.steps.size();
      Step& step = Add(StepKind::kAllocate, NewName());
      DrawRequest(step);
      step.pinned = Can(options_, feature::kPinned) && choices_.Chance(1, 16);
      buffers_.push_back(step.name);
      break;
    }
    case kNewAgain: {  // the same request under a new name
      Step step = trace_.steps[last_request_];
      last_request_ = trace_.steps.size();
      step.name = NewName();
      trace_.steps.push_back(step);
      buffers_.push_back(step.name);
      break;
    }
    case kGrow: {
      Step& step = Add(StepKind::kReallocate, Pick(buffers_, false));
      step.size = DrawSize();
      step.alignment = DrawAlignment();
      break;
    }
    case kRelease: Add(StepKind::kFree, Pick(buffers_, true)); break;
    case kReleaseLater:
      Add(StepKind::kFreeLater, Pick(buffers_, true)).fence = next_fence_ + choices_.Below(3);
      break;
    case kLoadProgram: {
      Step& step = Add(StepKind::kLoad, NewName());
      step.size = DrawSize();
      step.pinned = Can(options_, feature::kPinned) && choices_.Chance(1, 8);
      programs_.push_back(step.name);
      break;
    }
    case kUnloadProgram: Add(StepKind::kUnload, Pick(programs_, true)); break;
    case kLaunch: DrawLaunch(); break;
    case kPass:  // sometimes over the head of others
      next_fence_ += choices_.Below(4) / 2;
      Add(StepKind::kFence).fence = next_fence_++;
      break;
    case kCompact: Add(StepKind::kDefragment); break;
    case kPushOut: {  // and often straight back
      const uint32_t program = Pick(programs_, false);
      Add(StepKind::kEvict, program);
      if (Can(options_, StepKind::kExecute) && choices_.Chance(1, 2)) Add(StepKind::kExecute, program);
      break;
    }
    case kAsk: Add(StepKind::kQuery); break;
    default:  // names something that may not be live
      Add(choices_.Chance(1, 2) ? StepKind::kQuery : StepKind::kFree, choices_.Below(next_name_ + 1));
      if (trace_.steps.back().name == next_name_ && trace_.steps.back().kind == StepKind::kFree) ++next_name_;
      if (trace_.steps.back().kind == StepKind::kQuery) trace_.steps.back() = {};
      if (!Can(options_, trace_.steps.back().kind)) trace_.steps.pop_back();
      break;
  }
}

// ---- Mutation ----

void MutateNumber(Choices& choices, uint64_t granule, uint64_t& size) {
  switch (choices.Below(6)) {
    case 0: size = SaturatingAdd(size, 1); break;
    case 1: size = SaturatingSub(size, 1); break;
    case 2: size = SaturatingMul(size, 2); break;
    case 3: size /= 2; break;
    case 4: size = SaturatingAdd(size, granule); break;
    default: size = SaturatingSub(size, granule); break;
  }
}

}  // namespace

void GenerateTrace(Choices& choices, const GenerateOptions& options, Trace& into) {
  Generator(choices, options, into).Run();
}

void MutateTrace(Choices& choices, const GenerateOptions& options, Trace& trace, const Trace& other) {
  std::vector<Step>& steps = trace.steps;
  for (uint64_t edits = 1 + choices.Below(4); edits > 0; --edits) {
    const size_t n = steps.size();
    const size_t i = choices.Below(n), j = choices.Below(n);
    switch (choices.Below(9)) {
      case 0:  // drop a stretch
        if (n > 0) steps.erase(steps.begin() + i, steps.begin() + std::min(n, i + 1 + choices.Below(8)));
        break;
      case 1:  // repeat a stretch
        if (n > 0 && n < 4096) {
          const std::vector<Step> copy(steps.begin() + i, steps.begin() + std::min(n, i + 1 + choices.Below(8)));
          steps.insert(steps.begin() + j, copy.begin(), copy.end());
        }
        break;
      case 2:
        if (n > 0) std::swap(steps[i], steps[j]);
        break;
      case 3:
        if (n > 0) MutateNumber(choices, trace.policy.granule, steps[i].size);
        break;
      case 4:
        if (n > 0 && Can(options, feature::kAlign)) {
          steps[i].alignment = choices.Below(2) == 0 ? 0 : trace.policy.granule << choices.Below(6);
        }
        break;
      case 5: MutateNumber(choices, trace.policy.granule, trace.policy.capacity); break;
      case 6: {  // a policy of the other
        const auto keys = PolicyKeys();
        const PolicyKey& key = keys[choices.Below(keys.size())];
        if (Can(options, feature::kPolicy) && !key.values.empty()) key.set(trace.policy, key.get(other.policy));
        break;
      }
      case 7:  // the end of the other
        if (!other.steps.empty()) {
          const size_t from = choices.Below(other.steps.size());
          steps.resize(i);
          steps.insert(steps.end(), other.steps.begin() + from, other.steps.end());
          trace.names.clear();
        }
        break;
      default: {  // a free, so that something else may take its place
        Step step;
        step.kind = n > 0 && choices.Chance(1, 3) ? StepKind::kQuery : StepKind::kFree;
        if (n > 0) step.name = step.kind == StepKind::kFree ? steps[i].name : 0;
        if (Can(options, step.kind)) steps.insert(steps.begin() + j, step);
        break;
      }
    }
  }
  std::erase_if(steps, [&](const Step& step) { return !Can(options, step.kind); });
  // As drawn: a model is right without the deviations, whatever the other trace came from.
  if (Can(options, feature::kPolicy)) trace.policy.bfc.deviations = bfc::kRight;
}

}  // namespace oomph::hbm
