// See minimize_modules.h. The insertions are made in the text: there names hold whatever stands between them.
#include "fuzz/bench/minimize_modules.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "models/base/choices.h"
#include "models/base/units.h"
#include "models/hlo/answer.h"
#include "models/hlo/generate.h"
#include "models/hlo/limit.h"
#include "models/hlo/model.h"
#include "models/hlo/text.h"
#include "models/hlo/verify.h"

namespace oomph {
namespace {

using hlo::Module;

constexpr std::string_view kOperation = "oomph.alloc";
constexpr uint64_t kLeastBig = 1 << 20;
// What the generator makes is at most so much beside a big buffer, and so are the medium ones.
constexpr uint64_t kSmallShare = 32;

// --- what the generator makes ------------------------------------------------------------------------------------

uint64_t BytesOfAll(const hlo::Liveness& liveness) {
  uint64_t bytes = 0;
  for (const hlo::LiveBuffer& buffer : liveness.buffers) bytes = SaturatingAdd(bytes, buffer.bytes);
  return bytes;
}

// Without the header's list of the entry's shapes, which new parameters would belie.
void ForgetEntryLayout(Module& module) {
  std::vector<hlo::AttributeId> kept;
  for (const hlo::AttributeId id : module.Attributes(module.attributes)) {
    if (module.attribute_table[id].key != hlo::Key::kEntryComputationLayout) kept.push_back(id);
  }
  module.attributes = module.AddAttributes(kept);
}

std::optional<Module> Base(uint64_t seed, size_t instructions) {
  GenerateOptions options;
  options.features &= ~(Bits64{1} << hlo::feature::kInvalid);
  options.steps = instructions;
  Choices choices = Choices::FromSeed(seed, false);
  Module module;
  hlo::GenerateModule(choices, options, module);
  ForgetEntryLayout(module);
  hlo::GiveSchedule(hlo::Order::kText, module);
  if (!hlo::IsScheduled(module) || !hlo::Verify(module).empty()) return std::nullopt;
  return module;
}

// --- what is put into it -----------------------------------------------------------------------------------------

std::string Array(uint64_t bytes) { return absl::StrCat("f32[", bytes / 4, "]{0}"); }

// The entry computation's lines, and what is to stand before each.
class Entry {
 public:
  explicit Entry(std::vector<std::string> lines) : lines_(std::move(lines)), before_(lines_.size() + 1) {
    for (const std::string& line : lines_) parameters_ += absl::StrContains(line, " parameter(");
  }

  size_t size() const { return lines_.size(); }
  void Insert(size_t slot, std::string line) { before_[slot].push_back(absl::StrCat("  ", line)); }
  std::string Parameter() { return absl::StrCat("parameter(", parameters_++, ")"); }

  // A value of the generator that stands before the slot and that anybody may read: an array of no pair of operations.
  std::string ValueBefore(size_t slot, Choices& choices) const {
    for (int tries = 0; tries < 20 && slot > 0; ++tries) {
      absl::string_view line = absl::StripLeadingAsciiWhitespace(lines_[choices.Below(slot)]);
      absl::ConsumePrefix(&line, "ROOT ");
      const size_t equals = line.find(" = ");
      if (equals == line.npos || line.substr(equals + 3, 1) == "(" || absl::StrContains(line, "token[]")) continue;
      const bool of_pair = absl::StrContains(line, "-start(") || absl::StrContains(line, "-update(");
      if (of_pair || absl::StrContains(line, " = b(")) continue;
      return std::string(line.substr(0, equals));
    }
    return "";
  }

  void AppendTo(std::vector<std::string>& all) const {
    for (size_t i = 0; i <= lines_.size(); ++i) {
      all.insert(all.end(), before_[i].begin(), before_[i].end());
      if (i < lines_.size()) all.push_back(lines_[i]);
    }
  }

 private:
  const std::vector<std::string> lines_;
  std::vector<std::vector<std::string>> before_;
  size_t parameters_ = 0;
};

class Insertion {
 public:
  Insertion(Choices& choices, Entry& entry, uint64_t big) : choices_(choices), entry_(entry), big_(big) {}

  void Run(OomModule& into) {
    DrawSizes(into);
    operation_ = entry_.size() / 3 + choices_.Below(entry_.size() / 3 + 1);
    for (size_t i = 0; i < into.buffers.size(); ++i) AddBig(i, into.buffers);
    AddMedium();
    AddTraps(into.result);
    AddOperation(into);
    for (size_t i = 0; i < into.buffers.size(); ++i) AddReader(i, into.buffers[i]);
  }

 private:
  // Unequal: no two are the same.
  void DrawSizes(OomModule& into) {
    const uint64_t count = choices_.Between(4, 8), spread = big_ / (2 * (count - 1));
    for (uint64_t i = 0; i < count; ++i) {
      into.buffers.push_back((big_ + spread / count * i + choices_.Below(spread / count / 4) * 4) / 4 * 4);
    }
    for (size_t i = count - 1; i > 0; --i) std::swap(into.buffers[i], into.buffers[choices_.Below(i + 1)]);
    into.result = (choices_.Chance(1, 2) ? big_ / 4 : choices_.Between(big_ / 2, big_)) / 4 * 4;
  }

  std::string Big(size_t i) const { return absl::StrCat("%big.", i); }

  void AddBig(size_t i, const std::vector<uint64_t>& sizes) {
    // Ascending places, the last right up to the operation at the latest, so that one can be made of another.
    const size_t from = i == 0 ? 0 : places_.back();
    places_.push_back(from + choices_.Below((operation_ - from) / (sizes.size() - i) + 1));
    const std::string is = absl::StrCat(Big(i), " = ", Array(sizes[i]), " ");
    const auto insert = [&](std::string line) { entry_.Insert(places_.back(), std::move(line)); };
    const size_t kind = choices_.Below(5);
    if (kind == 0) return insert(absl::StrCat(is, entry_.Parameter()));
    if (kind == 1) {
      insert(absl::StrCat("%zero.", i, " = f32[] constant(0)"));
      return insert(absl::StrCat(is, "broadcast(%zero.", i, "), dimensions={}"));
    }
    // One more of its size is live as it is made: not of the last two.
    if (kind == 2 && i + 2 < sizes.size()) {
      insert(absl::StrCat("%count.", i, " = ", Array(sizes[i]), " iota(), iota_dimension=0"));
      return insert(absl::StrCat(is, "negate(%count.", i, ")"));
    }
    if (kind == 3 && i > 0 && sizes[i] < sizes[i - 1]) {
      return insert(absl::StrCat(is, "slice(", Big(i - 1), "), slice={[0:", sizes[i] / 4, "]}"));
    }
    insert(absl::StrCat(is, "iota(), iota_dimension=0"));
  }

  // All together below big_ / kSmallShare.
  void AddMedium() {
    const uint64_t count = choices_.Between(3, 6);
    for (uint64_t i = 0; i < count; ++i) {
      const size_t from = choices_.Below(entry_.size()), to = choices_.Between(from, entry_.size());
      const std::string name = absl::StrCat("%medium.", i);
      entry_.Insert(from, absl::StrCat(name, " = ", Array(big_ / kSmallShare / 8 / (i + 1)), " iota(), iota_dimension=0"));
      entry_.Insert(to, absl::StrCat("%look.", i, " = f32[] custom-call(", name, "), custom_call_target=\"Look\""));
    }
  }

  // Results as large as the operation's before the last big buffer is there, and after the operation; small ones anywhere.
  void AddTraps(uint64_t result) {
    const uint64_t count = choices_.Between(2, 5);
    for (uint64_t i = 0; i < count; ++i) {
      const bool large = i % 2 == 0, after = choices_.Chance(1, 2);
      const size_t end = places_.back();
      size_t slot = choices_.Below(entry_.size() + 1);
      if (large && !after) slot = choices_.Below(end + 1);
      if (large && after) slot = choices_.Between(operation_ + 1, entry_.size());
      // At the slot of the last big buffer it would come after it.
      const bool fits = !large || after || slot < end;
      const std::string value = entry_.ValueBefore(slot, choices_);
      entry_.Insert(slot, absl::StrCat("%trap.", i, " = ", large && fits ? Array(result) : "f32[]", " custom-call(", value,
                                       "), custom_call_target=\"", i % 2 == 0 ? "OomphAllocate" : "Trap", "\""));
    }
  }

  void AddOperation(const OomModule& into) {
    std::vector<std::string> operands;
    for (size_t i = 0; i < into.buffers.size(); ++i) {
      if (choices_.Chance(1, 3)) operands.push_back(Big(i));
    }
    const std::string value = entry_.ValueBefore(operation_, choices_);
    if (!value.empty() && choices_.Chance(1, 2)) operands.push_back(value);
    if (choices_.Chance(1, 4)) operands.clear();
    entry_.Insert(operation_, absl::StrCat("%", std::string(kOperation), " = ", Array(into.result), " custom-call(",
                                           absl::StrJoin(operands, ", "), "), custom_call_target=\"OomphAlloc\""));
    if (!choices_.Chance(1, 2)) return;
    entry_.Insert(choices_.Between(operation_, entry_.size()), Reader("%after", "%" + std::string(kOperation)));
  }

  std::string Reader(const std::string& name, const std::string& of) const {
    return absl::StrCat(name, " = f32[] custom-call(", of, "), custom_call_target=\"Read\"");
  }

  // What keeps it alive past the operation: one that reads it, or one more of its size that nobody needs.
  void AddReader(size_t i, uint64_t bytes) {
    const size_t slot = choices_.Between(operation_ + 1, entry_.size());
    if (choices_.Chance(2, 3)) return entry_.Insert(slot, Reader(absl::StrCat("%read.", i), Big(i)));
    entry_.Insert(slot, absl::StrCat("%unread.", i, " = ", Array(bytes), " sine(", Big(i), ")"));
  }

  Choices& choices_;
  Entry& entry_;
  const uint64_t big_;
  size_t operation_ = 0;        // its slot
  std::vector<size_t> places_;  // slots of the big buffers
};

std::string WithInsertions(const std::string& text, Choices& choices, uint64_t big, OomModule& into) {
  const std::vector<std::string> lines = absl::StrSplit(text, '\n');
  size_t begin = 0;
  while (!absl::StartsWith(lines[begin], "ENTRY ")) ++begin;
  size_t end = begin;
  while (lines[end] != "}") ++end;
  const auto first = lines.begin() + static_cast<ptrdiff_t>(begin) + 1, last = lines.begin() + static_cast<ptrdiff_t>(end);
  Entry entry(std::vector<std::string>(first, last));
  Insertion(choices, entry, big).Run(into);
  std::vector<std::string> all(lines.begin(), first - 1);
  all.push_back("ENTRY %main {");  // the signature of the text is made anew
  entry.AppendTo(all);
  all.insert(all.end(), last, lines.end());
  return absl::StrJoin(all, "\n");
}

// --- the limit ---------------------------------------------------------------------------------------------------

// Sets the limit as the head of minimize_modules.h says. False: there is none.
bool SetLimit(Choices& choices, OomModule& into) {
  const absl::StatusOr<hlo::Liveness> liveness = hlo::LivenessOf(into.module, hlo::CountedOptions());
  if (!liveness.ok()) return false;
  into.small = 0;
  for (const hlo::LiveBuffer& buffer : liveness->buffers) into.small += buffer.bytes < into.result ? buffer.bytes : 0;
  const uint64_t largest = *std::max_element(into.buffers.begin(), into.buffers.end());
  const uint64_t sum = std::accumulate(into.buffers.begin(), into.buffers.end(), uint64_t{0});
  const uint64_t low = std::max((into.buffers.size() - 1) * largest + into.result, sum) + into.small;
  const uint64_t high = sum + into.result - 1;
  if (low > high) return false;
  into.limit = choices.Between(low, high);
  const std::optional<uint32_t> step = hlo::FirstStepOver(*liveness, into.limit);
  return step && *step < liveness->flat.steps.size() &&
         into.module.Name(hlo::InstructionOf(into.module, liveness->flat, *step)) == kOperation;
}

std::optional<OomModule> Try(uint64_t seed, size_t instructions) {
  const std::optional<Module> base = Base(seed, instructions);
  if (!base) return std::nullopt;
  const absl::StatusOr<hlo::Liveness> liveness = hlo::LivenessOf(*base, hlo::CountedOptions());
  if (!liveness.ok()) return std::nullopt;
  const uint64_t small = BytesOfAll(*liveness);
  if (small > kGiB) return std::nullopt;  // more are no everyday sizes
  Choices choices = Choices::FromSeed(MixSeed(seed, instructions), false);
  const uint64_t big = std::max(kLeastBig, small * kSmallShare) * choices.Between(1, 4) / 64 * 64;
  OomModule made;
  absl::StatusOr<Module> module = hlo::Parse("made", WithInsertions(hlo::Print(*base), choices, big, made));
  if (!module.ok() || !hlo::Verify(*module).empty()) return std::nullopt;
  made.module = *std::move(module);
  made.text = hlo::Print(made.module);
  if (!SetLimit(choices, made)) return std::nullopt;
  return made;
}

}  // namespace

size_t LinesOf(std::string_view text) {
  size_t lines = 0;
  for (const absl::string_view line : absl::StrSplit(absl::string_view(text.data(), text.size()), '\n')) {
    lines += !absl::StripAsciiWhitespace(line).empty();
  }
  return lines;
}

OomModule MakeOomModule(uint64_t seed, size_t instructions) {
  constexpr uint64_t kTries = 1000;
  for (uint64_t i = 0; i < kTries; ++i) {
    std::optional<OomModule> made = Try(MixSeed(seed, i), instructions);
    if (made) return *std::move(made);
  }
  std::abort();  // no figure, a fault
}

std::vector<OomModule> OomModules(size_t count) {
  constexpr size_t kLeast = 500, kMost = 5000;   // lines
  constexpr size_t kInstructions = 13, kOfLines = 15;  // as the generator's modules have them
  std::vector<OomModule> modules;
  for (size_t i = 0; i < std::min(count, kOomModules); ++i) {
    const size_t which = count == 1 ? kOomModules - 1 : i * (kOomModules - 1) / (std::min(count, kOomModules) - 1);
    const size_t lines = kLeast + (kMost - kLeast) * which / (kOomModules - 1);
    modules.push_back(MakeOomModule(which, lines * kInstructions / kOfLines));
  }
  return modules;
}

std::string MinimumOf(const OomModule& module, std::optional<size_t> without) {
  std::string text = "HloModule minimum, is_scheduled=true\n\nENTRY %main {\n";
  size_t number = 0;
  for (size_t i = 0; i < module.buffers.size(); ++i) {
    if (without == i) continue;
    absl::StrAppend(&text, "  %big.", i, " = ", Array(module.buffers[i]), " parameter(", number++, ")\n");
  }
  return absl::StrCat(text, "  ROOT %alloc = ", Array(module.result), " custom-call(), custom_call_target=\"OomphAlloc\"\n}\n");
}

}  // namespace oomph
