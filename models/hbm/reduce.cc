// See reduce.h. Lists go from the last step to the first: a trace fails at one step, what comes after it can go.
#include "models/hbm/reduce.h"

#include <algorithm>
#include <bit>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "models/base/family.h"
#include "models/base/rows.h"
#include "models/base/units.h"
#include "models/hbm/text.h"

namespace oomph::hbm {
namespace {

using Amounts = std::span<const uint64_t>;
using List = std::unique_ptr<Edits> (*)(const Trace&);

bool IsNamed(const Step& step) {
  return step.kind != StepKind::kFence && step.kind != StepKind::kDefragment && step.kind != StepKind::kQuery;
}

template <typename Make>
std::unique_ptr<Edits> OneEdit(const Trace& base, Make make) {
  return EditsOn(base, {1}, [make](const Trace& from, Amounts, Trace& into) {
    into = from;
    make(into);
    return true;
  });
}

// ---- Steps and names ----

// Texts of names carry no meaning, but a test of the user's may look for one.
std::unique_ptr<Edits> ForgetNames(const Trace& base) {
  if (base.names.empty()) return nullptr;
  return OneEdit(base, [](Trace& trace) { trace.names.clear(); });
}

template <typename Gone>
void CopyWithout(const Trace& from, Gone gone, Trace& into) {
  into.policy = from.policy;
  into.names = from.names;
  into.steps.clear();
  for (size_t i = 0; i < from.steps.size(); ++i) {
    if (!gone(i)) into.steps.push_back(from.steps[i]);
  }
}

std::unique_ptr<Edits> DropSteps(const Trace& base) {
  return EditsOn(base, std::vector<uint64_t>(base.steps.size(), 1), [](const Trace& from, Amounts amounts, Trace& into) {
    CopyWithout(from, [&](size_t i) { return amounts[from.steps.size() - 1 - i] > 0; }, into);
    return true;
  });
}

// All steps of a name together, where there are several.
std::unique_ptr<Edits> DropNames(const Trace& base) {
  absl::flat_hash_map<uint32_t, size_t> uses;
  for (const Step& step : base.steps) {
    if (IsNamed(step)) ++uses[step.name];
  }
  absl::flat_hash_map<uint32_t, size_t> edit_of;
  std::vector<uint64_t> most;
  for (size_t i = base.steps.size(); i-- > 0;) {
    const Step& step = base.steps[i];
    if (!IsNamed(step) || uses[step.name] < 2 || !edit_of.try_emplace(step.name, most.size()).second) continue;
    most.push_back(1);
  }
  return EditsOn(base, std::move(most), [edit_of](const Trace& from, Amounts amounts, Trace& into) {
    CopyWithout(from,
                [&](size_t i) {
                  if (!IsNamed(from.steps[i])) return false;
                  const auto edit = edit_of.find(from.steps[i].name);
                  return edit != edit_of.end() && amounts[edit->second] > 0;
                },
                into);
    return true;
  });
}

// Dense numbers in the order of their first appearance; those of fences in their own order, from 1 on.
void RenameAll(Trace& trace) {
  absl::flat_hash_map<uint32_t, uint32_t> dense;
  const auto rename = [&](uint32_t& name) { name = dense.try_emplace(name, dense.size()).first->second; };
  std::vector<uint32_t> fences;
  for (Step& step : trace.steps) {
    if (IsNamed(step)) rename(step.name);
    if (step.donor != kNobody) rename(step.donor);
    if (step.fence > 0) fences.push_back(step.fence);
  }
  std::sort(fences.begin(), fences.end());
  fences.erase(std::unique(fences.begin(), fences.end()), fences.end());
  for (Step& step : trace.steps) {
    if (step.fence == 0) continue;
    step.fence = std::lower_bound(fences.begin(), fences.end(), step.fence) - fences.begin() + 1;
  }
}

std::unique_ptr<Edits> Rename(const Trace& base) {
  if (!base.names.empty()) return nullptr;
  Trace renamed{base.policy, base.steps, {}};
  RenameAll(renamed);
  if (renamed == base) return nullptr;
  return OneEdit(base, RenameAll);
}

// ---- Policy ----

// Capacity and granule are numbers: see ScaleDown. Where there is no backing, it is the capacity.
bool IsSetting(const PolicyKey& key) { return !key.is_bytes || key.name == "backing"; }

std::unique_ptr<Edits> SimplifyPolicy(const Trace& base) {
  const Policy simplest;
  std::vector<const PolicyKey*> keys;
  for (const PolicyKey& key : PolicyKeys()) {
    if (IsSetting(key) && key.get(base.policy) != key.get(simplest)) keys.push_back(&key);
  }
  std::vector<uint64_t> most(keys.size(), 1);
  return EditsOn(base, std::move(most), [keys](const Trace& from, Amounts amounts, Trace& into) {
    const Policy simplest;
    into = from;
    for (size_t i = 0; i < keys.size(); ++i) {
      if (amounts[i] > 0) keys[i]->set(into.policy, keys[i]->get(simplest));
    }
    return true;
  });
}

void Shift(uint64_t& number, uint64_t bits) {
  if (number > 0) number = bits > 63 ? 1 : std::max<uint64_t>(number >> bits, 1);
}

// All numbers together, by a power of two, so that what fits goes on fitting.
std::unique_ptr<Edits> ScaleDown(const Trace& base) {
  const uint64_t bits = std::bit_width(base.policy.capacity);
  if (bits < 4) return nullptr;
  return EditsOn(base, {bits - 3}, [](const Trace& from, Amounts amounts, Trace& into) {
    into = from;
    Shift(into.policy.capacity, amounts[0]);
    Shift(into.policy.granule, amounts[0]);
    Shift(into.policy.bfc.backing, amounts[0]);
    for (Step& step : into.steps) {
      Shift(step.size, amounts[0]);
      Shift(step.alignment, amounts[0]);
    }
    return true;
  });
}

// In whole granules, to 1 byte at last.
std::unique_ptr<Edits> LowerCapacity(const Trace& base) {
  const uint64_t granule = std::max<uint64_t>(base.policy.granule, 1), granules = CeilDiv(base.policy.capacity, granule);
  std::vector<uint64_t> most;
  const bool has_granule = granule > 1, has_capacity = base.policy.capacity > 1;
  if (has_granule) most.push_back(1);
  if (has_capacity) most.push_back(granule == 1 ? granules - 1 : granules);
  return EditsOn(base, std::move(most), [=](const Trace& from, Amounts amounts, Trace& into) {
    into = from;
    if (has_granule && amounts[0] > 0) into.policy.granule = 1;
    const uint64_t by = has_capacity ? amounts[has_granule ? 1 : 0] : 0;
    if (by > 0) into.policy.capacity = std::max<uint64_t>((granules - by) * granule, 1);
    return true;
  });
}

// ---- What a step has ----

enum class Part : uint8_t { kPinned, kEnd, kDonor, kKind, kFence, kAlignment };
constexpr Part kParts[] = {Part::kPinned, Part::kEnd, Part::kDonor, Part::kKind, Part::kFence, Part::kAlignment};

// How far it can be made simpler.
uint64_t MostOf(const Step& step, Part part) {
  switch (part) {
    case Part::kPinned: return step.pinned ? 1 : 0;
    case Part::kEnd: return step.end != End::kAny ? 1 : 0;
    case Part::kDonor: return step.donor != kNobody ? 1 : 0;
    case Part::kKind: return step.kind == StepKind::kFreeLater || step.kind == StepKind::kReallocate ? 1 : 0;
    case Part::kFence: return step.fence > 1 ? 1 : 0;
    case Part::kAlignment: return std::bit_width(step.alignment);
  }
  return 0;
}

void Simplify(Part part, uint64_t amount, Step& step) {
  switch (part) {
    case Part::kPinned: step.pinned = false; break;
    case Part::kEnd: step.end = End::kAny; break;
    case Part::kDonor: step.donor = kNobody; break;
    case Part::kKind:
      if (step.kind == StepKind::kFreeLater) step.fence = 0;
      step.kind = step.kind == StepKind::kFreeLater ? StepKind::kFree : StepKind::kAllocate;
      break;
    case Part::kFence: step.fence = std::min<uint32_t>(step.fence, 1); break;
    case Part::kAlignment: step.alignment = amount > 63 ? 0 : step.alignment >> amount; break;
  }
}

std::unique_ptr<Edits> SimplifySteps(const Trace& base) {
  struct Place {
    size_t step;
    Part part;
  };
  std::vector<Place> places;
  std::vector<uint64_t> most;
  for (size_t i = base.steps.size(); i-- > 0;) {
    for (const Part part : kParts) {
      const uint64_t amount = MostOf(base.steps[i], part);
      if (amount > 0) places.push_back({i, part}), most.push_back(amount);
    }
  }
  return EditsOn(base, std::move(most), [places](const Trace& from, Amounts amounts, Trace& into) {
    into = from;
    for (size_t i = 0; i < places.size(); ++i) {
      if (amounts[i] > 0) Simplify(places[i].part, amounts[i], into.steps[places[i].step]);
    }
    return true;
  });
}

// One request for two neighbours.
std::unique_ptr<Edits> MergeSteps(const Trace& base) {
  std::vector<size_t> places;
  for (size_t i = base.steps.size(); i-- > 1;) {
    const Step &step = base.steps[i - 1], &next = base.steps[i];
    if (step.kind != StepKind::kAllocate || next.kind != StepKind::kAllocate) continue;
    if (CheckedAdd(step.size, next.size)) places.push_back(i - 1);
  }
  std::vector<uint64_t> most(places.size(), 1);
  return EditsOn(base, std::move(most), [places](const Trace& from, Amounts amounts, Trace& into) {
    std::vector<bool> merged(from.steps.size());
    for (size_t i = 0; i < places.size(); ++i) merged[places[i]] = amounts[i] > 0;
    CopyWithout(from, [&](size_t i) { return merged[i]; }, into);
    size_t at = 0;
    uint64_t carried = 0;
    for (size_t i = 0; i < from.steps.size(); ++i) {
      const auto sum = CheckedAdd(carried, from.steps[i].size);
      if (!sum) return false;
      carried = merged[i] ? *sum : 0;
      if (!merged[i]) into.steps[at++].size = *sum;
    }
    return true;
  });
}

// ---- Sizes ----

// By whole granules; to a whole granule; or, where it is none, to fewer bytes of the last one.
enum class Lowering : uint8_t { kGranules, kToWhole, kBytes };

std::unique_ptr<Edits> LowerSizes(const Trace& base) {
  struct Place {
    size_t step;
    Lowering how;
  };
  const uint64_t granule = std::max<uint64_t>(base.policy.granule, 1);
  std::vector<Place> places;
  std::vector<uint64_t> most;
  const auto add = [&](size_t step, Lowering how, uint64_t amount) {
    if (amount > 0) places.push_back({step, how}), most.push_back(amount);
  };
  for (size_t i = base.steps.size(); i-- > 0;) {
    const uint64_t size = base.steps[i].size, rest = size % granule;
    if (size == 0) continue;
    add(i, Lowering::kGranules, CeilDiv(size, granule) - 1);
    if (rest == 0) continue;
    add(i, Lowering::kToWhole, CheckedRoundUp(size, granule) ? 1 : 0);
    add(i, Lowering::kBytes, rest - 1);
  }
  return EditsOn(base, std::move(most), [places, granule](const Trace& from, Amounts amounts, Trace& into) {
    into = from;
    for (size_t i = 0; i < places.size(); ++i) {
      if (amounts[i] == 0) continue;
      uint64_t& size = into.steps[places[i].step].size;
      switch (places[i].how) {
        case Lowering::kGranules: size -= amounts[i] * granule; break;
        case Lowering::kToWhole: size = CeilDiv(size, granule) * granule; break;
        case Lowering::kBytes: size -= size % granule == 0 ? 0 : amounts[i]; break;
      }
    }
    return true;
  });
}

// What lay there all the time took its room with it.
std::unique_ptr<Edits> DropWithCapacity(const Trace& base) {
  std::vector<size_t> places;
  for (size_t i = base.steps.size(); i-- > 0;) {
    const uint64_t size = base.steps[i].size;
    if (size > 0 && size < base.policy.capacity) places.push_back(i);
  }
  std::vector<uint64_t> most(places.size(), 1);
  return EditsOn(base, std::move(most), [places](const Trace& from, Amounts amounts, Trace& into) {
    std::vector<bool> gone(from.steps.size());
    uint64_t capacity = from.policy.capacity;
    for (size_t i = 0; i < places.size(); ++i) {
      if (amounts[i] == 0) continue;
      gone[places[i]] = true;
      const uint64_t room = CheckedRoundUp(from.steps[places[i]].size, from.policy.granule).value_or(kMaxBytes);
      if (room >= capacity) return false;
      capacity -= room;
    }
    CopyWithout(from, [&](size_t i) { return gone[i]; }, into);
    into.policy.capacity = capacity;
    return true;
  });
}

// A size and the capacity by the same amount, in whole granules: what is tight stays tight.
std::unique_ptr<Edits> LowerWithCapacity(const Trace& base) {
  const uint64_t granule = std::max<uint64_t>(base.policy.granule, 1), granules = base.policy.capacity / granule;
  std::vector<size_t> places;
  std::vector<uint64_t> most;
  for (size_t i = base.steps.size(); i-- > 0;) {
    const uint64_t by = std::min(SaturatingSub(CeilDiv(base.steps[i].size, granule), 1), SaturatingSub(granules, 1));
    if (by > 0) places.push_back(i), most.push_back(by);
  }
  return EditsOn(base, std::move(most), [places, granule](const Trace& from, Amounts amounts, Trace& into) {
    into = from;
    for (size_t i = 0; i < places.size(); ++i) {
      const uint64_t by = amounts[i] * granule;
      if (by >= into.policy.capacity) return false;
      into.policy.capacity -= by;
      into.steps[places[i]].size -= by;
    }
    return true;
  });
}

// ---- The table ----

struct Row {
  ReductionInfo info;
  List list;
};
// Those that take steps away are settled first.
constexpr Row kRows[] = {
    {{"forget_names", "name text", "names become numbers", false, true}, ForgetNames},
    {{"drop_steps", "step", "steps go, the last first", false, true}, DropSteps},
    {{"drop_names", "name", "all steps of a buffer or program go together", false, true}, DropNames},
    {{"rename", "numbering", "numbers of names and fences have no gaps"}, Rename},
    {{"simplify_policy", "setting", "settings of the policy are the default"}, SimplifyPolicy},
    {{"scale_down", "halving", "capacity, granule, sizes and alignments are halved together"}, ScaleDown},
    {{"simplify_steps", "step part", "a step is not pinned, has no end, donor, later fence or alignment, or is of a simpler kind"}, SimplifySteps},
    {{"merge_steps", "neighbour", "one request in place of two neighbours"}, MergeSteps},
    {{"drop_with_capacity", "step", "a request goes, and the memory is smaller by it"}, DropWithCapacity},
    {{"lower_with_capacity", "size", "a request and the memory are smaller by the same"}, LowerWithCapacity},
    {{"lower_capacity", "number", "the memory is smaller"}, LowerCapacity},
    {{"lower_sizes", "size", "a request is smaller"}, LowerSizes},
};

}  // namespace

std::span<const ReductionInfo> TraceReductions() {
  static const auto infos = InfosOf(std::span<const Row>(kRows));
  return infos;
}

std::unique_ptr<Edits> TraceEditsOf(size_t reduction, const Trace& base) { return kRows[reduction].list(base); }

Fingerprint FingerprintOfTrace(const Trace& trace) {
  Fingerprinter print;
  print.Add(static_cast<uint64_t>(trace.policy.allocator));
  for (const PolicyKey& key : PolicyKeys()) print.Add(key.get(trace.policy));
  std::vector<uint64_t> numbers;
  numbers.reserve(trace.steps.size() * 4);
  for (const Step& step : trace.steps) {
    const uint64_t small = static_cast<uint64_t>(step.kind) << 16 | static_cast<uint64_t>(step.end) << 8 | step.pinned;
    numbers.push_back(small << 32 | step.name);
    numbers.push_back(uint64_t{step.fence} << 32 | step.donor);
    numbers.push_back(step.size);
    numbers.push_back(step.alignment);
  }
  print.Add(std::string_view(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(uint64_t)));
  for (const std::string& name : trace.names) print.Add(name);
  return print.Get();
}

}  // namespace oomph::hbm
