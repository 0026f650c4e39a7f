// See driver.h.
#include "subjects/plugin/driver.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "models/base/units.h"
#include "models/hbm/text.h"
#include "subjects/plugin/answer.h"
#include "subjects/plugin/contents.h"
#include "subjects/plugin/rows.h"

namespace oomph::hbm {
namespace {

// Names are dense, but a reduced trace keeps the high ones.
constexpr uint64_t kMaxName = uint64_t{1} << 22;
constexpr size_t kMaxAnswer = size_t{64} << 20;  // bytes

struct StatBit {
  uint64_t given;
  uint32_t known;
};
constexpr StatBit kStatBits[] = {
    {OOMPH_STAT_BYTES_IN_USE, stat::kBytesInUse},
    {OOMPH_STAT_PEAK_BYTES_IN_USE, stat::kPeakBytesInUse},
    {OOMPH_STAT_NUM_LIVE, stat::kNumLive},
    {OOMPH_STAT_NUM_ALLOCS, stat::kNumAllocs},
    {OOMPH_STAT_LARGEST_ALLOC_SIZE, stat::kLargestAllocSize},
};

uint32_t KnownStats(uint64_t valid) {
  uint32_t known = 0;
  for (const StatBit& bit : kStatBits) {
    if ((valid & bit.given) != 0) known |= bit.known;
  }
  return known;
}

Damaged DamagedOf(int code) {
  switch (code) {
    case OOMPH_NOT_ZEROED: return Damaged::kNotZeroed;
    case OOMPH_SLACK_DAMAGED: return Damaged::kSlack;
    case OOMPH_THREAD_DAMAGED: return Damaged::kOtherThread;
    default: return Damaged::kContents;
  }
}

bool EndsTheCase(Result result) { return result >= Result::kOutOfFuel; }

uint32_t EndOf(const Trace& trace, const Step& step) {
  if (trace.policy.ends != Ends::kTwo) return 0;
  return step.end == End::kLow ? 1 : 2;
}

std::string NameOf(const Trace& trace, uint32_t name) {
  return name < trace.names.size() ? trace.names[name] : absl::StrCat("b", name);
}

}  // namespace

Driver::Driver(std::shared_ptr<const Plugin> plugin, DriverOptions options, Journal* journal)
    : plugin_(std::move(plugin)),
      calls_(plugin_->calls()),
      options_(std::move(options)),
      caps_(Probe()),
      journal_(journal) {}

void* Driver::Create(uint64_t capacity) const {
  const oomph_config config = {capacity, options_.seed, options_.fuel, options_.options.c_str()};
  return options_.create ? options_.create(config) : calls_.create(&config);
}

// Asks a fresh instance for what the plugin claims and this variant may not have.
uint64_t Driver::Probe() const {
  uint64_t caps = plugin_->info().caps;
  if (!plugin_->online() || (caps & OOMPH_CAP_FREE_LATER) == 0) return caps;
  void* self = Create(kMiB);
  if (self == nullptr) return caps;
  if (calls_.fence(self, 1) == OOMPH_UNSUPPORTED) caps &= ~OOMPH_CAP_FREE_LATER;
  calls_.destroy(self);
  return caps;
}

void Driver::Run(const Trace& trace, TraceOutcome& outcome) {
  trace_ = &trace;
  outcome_ = &outcome;
  outcome.clear();
  if (!plugin_->online()) return RunWholeCase();
  if (!Begin(trace)) return RefuseAll("names are not dense");
  self_ = Create(trace.policy.capacity);
  if (self_ == nullptr) {
    return RefuseAll(absl::StrCat("the subject does not take capacity ", trace.policy.capacity,
                                  " with options \"", options_.options, "\""));
  }
  RunSteps();
  End();
}

void Driver::RunWholeCase() {
  const std::string text = PrintTrace(*trace_);
  std::string answer(64 * (trace_->steps.size() + 1), '\0');
  for (int attempt = 0;; ++attempt) {
    size_t bytes = answer.size();
    const int code = calls_.run_case(text.data(), text.size(), options_.options.c_str(), answer.data(), &bytes);
    if (code != OOMPH_OK) return RefuseAll(absl::StrCat("oomph_run_case answered ", code));
    if (bytes <= answer.size()) {
      answer.resize(bytes);
      break;
    }
    if (attempt > 0 || bytes > kMaxAnswer) return RefuseAll("oomph_run_case wants ever more room");
    answer.resize(bytes);
  }
  const absl::Status status = ReadAnswer(answer, *trace_, *outcome_);
  if (!status.ok()) RefuseAll(absl::StrCat("not an outcome: ", std::string(status.message())));
}

// Between two cases every name is dead and every block unused.
bool Driver::Begin(const Trace& trace) {
  uint32_t last_name = 0;
  for (const Step& step : trace.steps) last_name = std::max(last_name, step.name);
  if (last_name >= std::max<uint64_t>(kMaxName, 4 * trace.steps.size())) return false;
  if (by_name_.size() <= last_name) by_name_.resize(last_name + 1, kNobody);
  outcome_->rows.reserve(trace.steps.size());
  outcome_->lists_free = Can(OOMPH_CAP_ENUM_FREE);
  outcome_->tells_hash = Can(OOMPH_CAP_STATE_HASH);
  outcome_->grows = Can(OOMPH_CAP_GROWS);
  outcome_->stats_known = calls_.get_stats != nullptr ? stat::kAll : 0;
  passed_fence_ = 0;
  queue_order_ = 0;
  return true;
}

void Driver::RunSteps() {
  if (times_ != nullptr) times_->Start(trace_->steps.size());
  for (size_t i = 0; i < trace_->steps.size(); ++i) {
    if (journal_ != nullptr) journal_->Step(i);
    Row& row = outcome_->rows.emplace_back();
    row.first_event = static_cast<uint32_t>(outcome_->events.size());
    row.result = Do(trace_->steps[i], row);
    if (!EndsTheCase(row.result)) Observe(row);
    row.num_events = static_cast<uint32_t>(outcome_->events.size()) - row.first_event;
    if (journal_ != nullptr) RecordLastRow(*outcome_, *journal_);
    if (times_ != nullptr) times_->Next();
    if (EndsTheCase(row.result)) return;
  }
}

void Driver::End() {
  Result last = Result::kOk;
  if (!outcome_->rows.empty()) {
    Row& row = outcome_->rows.back();
    for (const Block& block : blocks_) {
      if (EndsTheCase(row.result)) break;
      if (block.occupied && CheckBlock(block, block.contents, block.size) == Result::kCorrupt) {
        row.result = Result::kCorrupt;
      }
    }
    last = row.result;
  } else {
    outcome_->stats_known = 0;  // nothing was asked
  }
  // Taking down a damaged instance may crash and hide what was found. A child need not: it retires.
  if ((last == Result::kCorrupt || last == Result::kInconsistent) && journal_ != nullptr) {
    journal_->Retire();
  } else {
    calls_.destroy(self_);
  }
  self_ = nullptr;
  for (const Step& step : trace_->steps) Named(step) = kNobody;
  blocks_.clear();
  unused_blocks_.clear();
  queue_.clear();
}

Result Driver::Do(const Step& step, Row& row) {
  switch (step.kind) {
    case StepKind::kAllocate:
      return Allocate(step, row);
    case StepKind::kReallocate:
      return Reallocate(step, row);
    case StepKind::kFree:
      return Free(step);
    case StepKind::kFreeLater:
      return FreeLater(step);
    case StepKind::kFence:
      return Fence(step);
    case StepKind::kQuery:
      return Query(row);
    case StepKind::kLoad:
    case StepKind::kUnload:
    case StepKind::kExecute:
    case StepKind::kOutput:
    case StepKind::kDefragment:
    case StepKind::kEvict:
      break;
  }
  return Result::kUnsupported;
}

Result Driver::Allocate(const Step& step, Row& row) {
  if (step.alignment > 1 && !Can(OOMPH_CAP_ALIGN)) return Result::kUnsupported;
  const uint32_t end = Can(OOMPH_CAP_TWO_ENDED) ? EndOf(*trace_, step) : 0;
  const oomph_request request = {step.size, step.alignment, end, 0};
  oomph_block given = {};
  const int code = Timed([&] { return calls_.alloc(self_, &request, &given); });
  if (code != OOMPH_OK) return Answer(code, "oomph_alloc");
  const uint32_t index = NewBlock(step.name);
  Named(step) = index;  // a block of that name stays in blocks_, out of reach
  Block& block = blocks_[index];
  block.handle = given.handle;
  block.offset = row.offset = given.offset;
  block.reserved = row.reserved = given.reserved;
  block.size = step.size;
  block.alignment = step.alignment;
  if (Can(OOMPH_CAP_INBAND)) FillBlock(block);
  return Result::kOk;
}

Result Driver::Reallocate(const Step& step, Row& row) {
  if (!Can(OOMPH_CAP_REALLOC)) return Result::kUnsupported;
  if (step.alignment > 1 && !Can(OOMPH_CAP_ALIGN)) return Result::kUnsupported;
  const uint32_t index = Named(step);
  if (index == kNobody) return Result::kNoOp;
  Block& block = blocks_[index];
  if (CheckBlock(block, block.contents, block.size) != Result::kOk) return Result::kCorrupt;
  const uint64_t alignment = step.alignment != 0 ? step.alignment : block.alignment;
  const oomph_request request = {step.size, alignment, 0, 0};
  oomph_block given = {};
  const int code = Timed([&] { return calls_.realloc(self_, block.handle, &request, &given); });
  if (code != OOMPH_OK) return Answer(code, "oomph_realloc");

  row.offset = given.offset;
  row.reserved = given.reserved;
  Block now = {.handle = given.handle,
               .offset = given.offset,
               .size = step.size,
               .reserved = given.reserved,
               .alignment = alignment,
               .name = block.name,
               .occupied = true};
  if (Can(OOMPH_CAP_INBAND)) {
    now.contents = calls_.address(self_, now.handle);
    if (block.contents != nullptr && now.contents != nullptr) {
      const Result kept = CheckBlock(block, now.contents, step.size);
      if (kept != Result::kOk) return kept;
    }
    FillBlock(now);
  }
  block = now;
  return Result::kOk;
}

Result Driver::Free(const Step& step) {
  const uint32_t index = Named(step);
  if (index == kNobody) return Result::kNoOp;
  const Result result = FreeBlock(index);
  if (result == Result::kOk) Named(step) = kNobody;
  return result;
}

Result Driver::FreeLater(const Step& step) {
  if (!Can(OOMPH_CAP_FREE_LATER)) return Result::kUnsupported;
  const uint32_t index = Named(step);
  if (index == kNobody) return Result::kNoOp;
  if (step.fence <= passed_fence_) {
    const Block block = blocks_[index];
    const Result result = FreeBlock(index);
    if (result != Result::kOk) return result;
    Named(step) = kNobody;
    Landed(block);
    return result;
  }
  const int code = Timed([&] { return calls_.free_after(self_, blocks_[index].handle, step.fence); });
  if (code != OOMPH_OK) return Answer(code, "oomph_free_after");
  Named(step) = kNobody;
  queue_.push_back({step.fence, index, queue_order_++});
  std::push_heap(queue_.begin(), queue_.end());
  return Result::kOk;
}

Result Driver::Fence(const Step& step) {
  if (!Can(OOMPH_CAP_FREE_LATER)) return Result::kUnsupported;
  if (step.fence <= passed_fence_) return Result::kOk;
  // Until now the blocks were the caller's, contents and all.
  for (const Queued& queued : queue_) {
    const Block& block = blocks_[queued.block];
    if (queued.fence > step.fence || block.contents == nullptr) continue;
    if (CheckBlock(block, block.contents, block.size) != Result::kOk) return Result::kCorrupt;
  }
  const int code = Timed([&] { return calls_.fence(self_, step.fence); });
  if (code != OOMPH_OK) return Answer(code, "oomph_fence");
  passed_fence_ = step.fence;
  while (!queue_.empty() && queue_.front().fence <= step.fence) {
    const uint32_t index = queue_.front().block;
    std::pop_heap(queue_.begin(), queue_.end());
    queue_.pop_back();
    Landed(blocks_[index]);
    ReleaseBlock(index);
  }
  return Result::kOk;
}

Result Driver::Query(Row& row) {
  if (!Can(OOMPH_CAP_ENUM_FREE)) {
    return calls_.get_stats != nullptr ? Result::kOk : Result::kUnsupported;
  }
  struct Ranges {
    TraceOutcome* outcome;
    Row* row;
  } ranges = {outcome_, &row};
  const auto add = [](void* context, uint64_t offset, uint64_t size) {
    auto* to = static_cast<Ranges*>(context);
    to->outcome->events.push_back({.kind = EventKind::kFreeRange, .offset = offset, .size = size});
    to->row->free_bytes = SaturatingAdd(to->row->free_bytes, size);
    to->row->largest_free = std::max(to->row->largest_free, size);
    return 0;
  };
  const int code = calls_.enumerate_free(self_, add, &ranges);
  if (code != OOMPH_OK) outcome_->lists_free = false;
  return Answer(code, "oomph_enumerate_free");
}

void Driver::Observe(Row& row) {
  if (calls_.get_stats != nullptr) FetchStats(row);
  if (Can(OOMPH_CAP_STATE_HASH)) row.state_hash = calls_.state_hash(self_);
  if (!Can(OOMPH_CAP_VALIDATE)) return;
  char message[256];
  message[0] = '\0';
  const int code = calls_.validate(self_, message, sizeof message);
  message[sizeof message - 1] = '\0';
  if (code == OOMPH_OK) return;
  outcome_->damaged = DamagedOf(code);
  const bool own_check = outcome_->damaged == Damaged::kContents;
  row.result = Damage(absl::StrCat("oomph_validate: ", message), own_check ? Result::kInconsistent : Result::kCorrupt);
}

void Driver::FetchStats(Row& row) {
  oomph_stats stats = {};
  if (calls_.get_stats(self_, &stats) != OOMPH_OK) stats.valid = 0;
  outcome_->stats_known &= KnownStats(stats.valid);
  row.stats.bytes_in_use = stats.bytes_in_use;
  row.stats.peak_bytes_in_use = stats.peak_bytes_in_use;
  row.stats.num_live = static_cast<uint32_t>(std::min<uint64_t>(stats.num_live, UINT32_MAX));
  row.stats.num_allocs = stats.num_allocs;
  row.stats.largest_alloc_size = stats.largest_alloc_size;
}

Result Driver::FreeBlock(uint32_t index) {
  const Block& block = blocks_[index];
  if (CheckBlock(block, block.contents, block.size) != Result::kOk) return Result::kCorrupt;
  const int code = Timed([&] { return calls_.free(self_, block.handle); });
  if (code != OOMPH_OK) return Answer(code, "oomph_free");
  ReleaseBlock(index);
  return Result::kOk;
}

Result Driver::Answer(int code, const char* call) {
  switch (code) {
    case OOMPH_OK:
      return Result::kOk;
    case OOMPH_NOMEM:
      return Result::kFailed;
    case OOMPH_INVALID:
      return Result::kInvalid;
    case OOMPH_UNSUPPORTED:
      return Result::kUnsupported;
    case OOMPH_CORRUPT:
      return Damage(absl::StrCat(call, " found damage"), Result::kInconsistent);
    case OOMPH_FUEL:
      outcome_->note = absl::StrCat(call, " did not end within ", options_.fuel, " units of fuel");
      return Result::kOutOfFuel;
    default:
      return Damage(absl::StrCat(call, " returned ", code, ", which has no meaning"));
  }
}

Result Driver::Damage(std::string note, Result result) {
  outcome_->note = std::move(note);
  return result;
}

uint32_t Driver::NewBlock(uint32_t name) {
  uint32_t index = static_cast<uint32_t>(blocks_.size());
  if (unused_blocks_.empty()) {
    blocks_.emplace_back();
  } else {
    index = unused_blocks_.back();
    unused_blocks_.pop_back();
    blocks_[index] = {};
  }
  blocks_[index].name = name;
  blocks_[index].occupied = true;
  return index;
}

void Driver::ReleaseBlock(uint32_t index) {
  blocks_[index].occupied = false;
  unused_blocks_.push_back(index);
}

void Driver::Landed(const Block& block) {
  outcome_->events.push_back({.kind = EventKind::kLanded,
                              .name = block.name,
                              .offset = block.offset,
                              .size = block.reserved});
}

void Driver::FillBlock(Block& block) {
  block.contents = nullptr;
  // A block outside of the memory is for the oracles to see; writing there would hide it.
  const std::optional<uint64_t> end = CheckedAdd(block.offset, block.size);
  if (!end || (*end > trace_->policy.capacity && !Can(OOMPH_CAP_GROWS))) return;
  block.contents = calls_.address(self_, block.handle);
  if (block.contents == nullptr) return;
  WriteContents(block.contents, block.size, ContentsSeed(block.name, block.offset));
}

Result Driver::CheckBlock(const Block& block, const void* contents, uint64_t kept) {
  if (block.contents == nullptr) return Result::kOk;
  const std::optional<uint64_t> changed = FirstChangedByte(
      contents, block.size, kept, ContentsSeed(block.name, block.offset));
  if (!changed) return Result::kOk;
  return Damage(absl::StrCat("byte ", *changed, " of ", NameOf(*trace_, block.name), " (",
                             block.size, " bytes at offset ", block.offset,
                             ") is not what was written there"));
}

void Driver::RefuseAll(std::string_view note) {
  outcome_->clear();
  outcome_->rows.resize(trace_->steps.size());
  for (Row& row : outcome_->rows) row.result = Result::kUnsupported;
  outcome_->note = note;
}

}  // namespace oomph::hbm
