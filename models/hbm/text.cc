// The text form of an HBM trace. Not for what an allocator answered.

#include "models/hbm/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "models/base/scanner.h"
#include "models/base/units.h"
#include "models/hbm/trace.h"

namespace oomph::hbm {
namespace {

using std::string_view;

// --- the memory line ---

constexpr string_view kMemory = "memory";

// In the order of the enums in trace.h.
constexpr string_view kAllocators[] = {"hbm", "bfc"};
constexpr string_view kFits[] = {"best", "first", "worst"};
constexpr string_view kEnds[] = {"high", "low", "two"};
constexpr string_view kOrders[] = {"wait,defragment,evict", "wait,evict,defragment", "defragment,wait,evict",
                                   "defragment,evict,wait", "evict,wait,defragment", "evict,defragment,wait"};
constexpr string_view kWaitings[] = {"oldest", "all", "never"};
constexpr string_view kDefragmentations[] = {"auto", "never"};
constexpr string_view kPrograms[] = {"fixed", "movable"};
constexpr string_view kEvictions[] = {"buffers", "all", "never"};
constexpr string_view kVictims[] = {"least_recently_used", "oldest", "newest", "largest", "smallest"};
constexpr string_view kUndos[] = {"no", "yes"};
constexpr string_view kDonated[] = {"kept", "lost"};
constexpr string_view kZeros[] = {"granule", "refused"};
constexpr string_view kSwitch[] = {"off", "on"};
constexpr string_view kTimestamps[] = {"off", "on", "loose"};
constexpr string_view kBfcEnds[] = {"one", "two"};

template <auto Member>
struct OfPolicy {
  static uint64_t Get(const Policy& policy) { return static_cast<uint64_t>(policy.*Member); }
  static void Set(Policy& policy, uint64_t value) {
    policy.*Member = static_cast<std::remove_reference_t<decltype(policy.*Member)>>(value);
  }
};

template <auto Member>
struct OfBfc {
  static uint64_t Get(const Policy& policy) { return static_cast<uint64_t>(policy.bfc.*Member); }
  static void Set(Policy& policy, uint64_t value) {
    policy.bfc.*Member = static_cast<std::remove_reference_t<decltype(policy.bfc.*Member)>>(value);
  }
};

template <auto Member>
struct OfDeviations {
  static uint64_t Get(const Policy& policy) { return static_cast<uint64_t>(policy.bfc.deviations.*Member); }
  static void Set(Policy& policy, uint64_t value) { policy.bfc.deviations.*Member = value != 0; }
};

template <typename Field>
constexpr PolicyKey Choice(string_view name, KeyOf of, std::span<const string_view> values) {
  return {name, of, values, false, 0, values.size() - 1, Field::Get, Field::Set};
}

template <typename Field>
constexpr PolicyKey Bytes(string_view name, KeyOf of, uint64_t lowest) {
  return {name, of, {}, true, lowest, kMaxBytes, Field::Get, Field::Set};
}

template <typename Field>
constexpr PolicyKey Count(string_view name, KeyOf of) {
  return {name, of, {}, false, 0, UINT32_MAX, Field::Get, Field::Set};
}

// In the order in which they are printed.
constexpr PolicyKey kPolicyKeys[] = {
    Bytes<OfPolicy<&Policy::capacity>>("capacity", KeyOf::kBoth, 0),
    Bytes<OfPolicy<&Policy::granule>>("granule", KeyOf::kTpu, 1),
    Choice<OfPolicy<&Policy::fit>>("fit", KeyOf::kTpu, kFits),
    Choice<OfPolicy<&Policy::ends>>("ends", KeyOf::kTpu, kEnds),
    Choice<OfPolicy<&Policy::order>>("order", KeyOf::kTpu, kOrders),
    Choice<OfPolicy<&Policy::waiting>>("waiting", KeyOf::kTpu, kWaitings),
    Count<OfPolicy<&Policy::retry_limit>>("retry_limit", KeyOf::kTpu),
    Choice<OfPolicy<&Policy::defragmentation>>("defragmentation", KeyOf::kTpu, kDefragmentations),
    Choice<OfPolicy<&Policy::programs>>("programs", KeyOf::kTpu, kPrograms),
    Choice<OfPolicy<&Policy::eviction>>("eviction", KeyOf::kTpu, kEvictions),
    Choice<OfPolicy<&Policy::victims>>("victims", KeyOf::kTpu, kVictims),
    Choice<OfPolicy<&Policy::undo>>("undo", KeyOf::kTpu, kUndos),
    Choice<OfPolicy<&Policy::donated>>("donated", KeyOf::kTpu, kDonated),
    Choice<OfPolicy<&Policy::zero>>("zero", KeyOf::kTpu, kZeros),
    Choice<OfPolicy<&Policy::report>>("report", KeyOf::kTpu, kSwitch),
    Choice<OfBfc<&BfcPolicy::growth>>("growth", KeyOf::kBfc, kSwitch),
    Choice<OfBfc<&BfcPolicy::coalescing>>("coalescing", KeyOf::kBfc, kSwitch),
    Choice<OfBfc<&BfcPolicy::garbage_collection>>("garbage_collection", KeyOf::kBfc, kSwitch),
    Choice<OfBfc<&BfcPolicy::timestamps>>("timestamps", KeyOf::kBfc, kTimestamps),
    Choice<OfBfc<&BfcPolicy::ends>>("bfc_ends", KeyOf::kBfc, kBfcEnds),
    Count<OfBfc<&BfcPolicy::waste_percent>>("waste_percent", KeyOf::kBfc),
    Choice<OfDeviations<&bfc::Deviations::alignment_ignored>>("alignment_ignored", KeyOf::kBfc, kSwitch),
    Choice<OfDeviations<&bfc::Deviations::size_wraps>>("size_wraps", KeyOf::kBfc, kSwitch),
    Choice<OfDeviations<&bfc::Deviations::growth_without_end>>("growth_without_end", KeyOf::kBfc, kSwitch),
    Choice<OfDeviations<&bfc::Deviations::region_size_wraps>>("region_size_wraps", KeyOf::kBfc, kSwitch),
    Choice<OfDeviations<&bfc::Deviations::collects_unlanded>>("collects_unlanded", KeyOf::kBfc, kSwitch),
    Choice<OfDeviations<&bfc::Deviations::forgets_remainder>>("forgets_remainder", KeyOf::kBfc, kSwitch),
    Bytes<OfBfc<&BfcPolicy::backing>>("backing", KeyOf::kBfc, 0),
};

constexpr size_t kNumPolicyKeys = std::size(kPolicyKeys);

constexpr std::array<string_view, kNumPolicyKeys> kPolicyKeyNames = [] {
  std::array<string_view, kNumPolicyKeys> names;
  for (size_t i = 0; i < kNumPolicyKeys; ++i) names[i] = kPolicyKeys[i].name;
  return names;
}();

// "best, first or worst".
std::string ListWords(std::span<const string_view> words) {
  std::string list;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) list += i + 1 == words.size() ? " or " : ", ";
    list += words[i];
  }
  return list;
}

uint64_t ScanWordOf(std::span<const string_view> words, Scanner& scanner) {
  if (scanner.AtEndOfLine()) {
    scanner.Expected(ListWords(words));
    return 0;
  }
  const auto found = std::find(words.begin(), words.end(), scanner.Word());
  if (found != words.end()) return static_cast<uint64_t>(found - words.begin());
  scanner.Refuse(ListWords(words));
  return 0;
}

uint64_t ScanNumberIn(uint64_t lowest, uint64_t highest, Scanner& scanner) {
  const uint64_t value = scanner.Number();
  if (scanner.ok() && (value < lowest || value > highest)) {
    scanner.Refuse("a number from " + std::to_string(lowest) + " to " + std::to_string(highest));
    return lowest;
  }
  return value;
}

void ScanPolicy(Scanner& scanner, Policy& policy) {
  policy.allocator = static_cast<Allocator>(ScanWordOf(kAllocators, scanner));
  while (scanner.ok() && !scanner.AtEndOfLine()) {
    const PolicyKey& key = kPolicyKeys[scanner.OneOf(kPolicyKeyNames)];
    if (!scanner.ok()) return;
    const uint64_t value =
        key.values.empty() ? ScanNumberIn(key.lowest, key.highest, scanner) : ScanWordOf(key.values, scanner);
    if (scanner.ok()) key.set(policy, value);
  }
}

// --- steps ---

// What may follow the name and size of a step, in the order in which it is printed.
enum Extra : unsigned { kNone = 0, kAlign = 1, kEnd = 2, kPinned = 4, kDonating = 8, kAfter = 16 };

struct ExtraWord {
  Extra extra;
  string_view word;
};
constexpr ExtraWord kExtraWords[] = {
    {kAlign, "align"}, {kEnd, "end"}, {kPinned, "pinned"}, {kDonating, "donating"}, {kAfter, "after"}};
constexpr string_view kFenceWord = "fence";
constexpr string_view kEndWords[] = {"low", "high"};  // Of End, from kLow.

// The line of a step: keyword, name, size, fence, extras.
struct StepForm {
  StepKind kind;
  string_view word;     // One word for the kind.
  string_view keyword;  // What its line begins with.
  bool name, size, fence;
  unsigned extras;
};
constexpr StepForm kStepForms[kNumStepKinds] = {
    {StepKind::kAllocate, "allocate", "allocate", true, true, false, kAlign | kEnd | kPinned},
    {StepKind::kReallocate, "reallocate", "reallocate", true, true, false, kAlign},
    {StepKind::kFree, "free", "free", true, false, false, kAfter},
    {StepKind::kFreeLater, "free_later", "free", true, false, false, kAfter},
    {StepKind::kLoad, "load", "load", true, true, false, kPinned},
    {StepKind::kUnload, "unload", "unload", true, false, false, kNone},
    {StepKind::kExecute, "execute", "execute", true, false, false, kNone},
    {StepKind::kOutput, "output", "output", true, true, false, kAlign | kEnd | kDonating},
    {StepKind::kFence, "fence", "fence", false, false, true, kNone},
    {StepKind::kDefragment, "defragment", "defragment", false, false, false, kNone},
    {StepKind::kEvict, "evict", "evict", true, false, false, kNone},
    {StepKind::kQuery, "query", "query", false, false, false, kNone},
};

constexpr const StepForm& FormOf(StepKind kind) {
  const size_t i = static_cast<size_t>(kind);
  return kStepForms[i < kNumStepKinds ? i : static_cast<size_t>(StepKind::kQuery)];
}

static_assert([] {
  for (size_t i = 0; i < kNumStepKinds; ++i) {
    if (static_cast<size_t>(kStepForms[i].kind) != i) return false;
  }
  return true;
}());

// What a line may begin with: `memory`, then the keyword of each form but that of kFreeLater, which begins
// as kFree does.
constexpr size_t kNumFirstWords = kNumStepKinds;
constexpr size_t FormOfFirstWord(size_t word) {
  return word <= static_cast<size_t>(StepKind::kFreeLater) ? word - 1 : word;
}
constexpr std::array<string_view, kNumFirstWords> kFirstWords = [] {
  std::array<string_view, kNumFirstWords> words{kMemory};
  for (size_t i = 1; i < kNumFirstWords; ++i) words[i] = kStepForms[FormOfFirstWord(i)].keyword;
  return words;
}();

constexpr bool MeansProgram(StepKind kind) {
  return kind == StepKind::kLoad || kind == StepKind::kUnload || kind == StepKind::kExecute ||
         kind == StepKind::kEvict;
}

// --- names ---

void AppendNumber(uint64_t number, std::string& into) {
  char digits[20];
  into.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

bool IsNameText(string_view text) {
  const auto starts = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto continues = [&](char c) { return starts(c) || (c >= '0' && c <= '9') || c == '.' || c == '-'; };
  return !text.empty() && text.size() <= kMaxNameLength && starts(text[0]) &&
         std::all_of(text.begin(), text.end(), continues);
}

void AppendDefaultName(uint32_t name, bool is_program, std::string& into) {
  into += is_program ? 'p' : 'b';
  AppendNumber(name, into);
}

// Gives names their numbers while a text is read.
class NameTable {
 public:
  uint32_t NumberOf(string_view text) {
    const auto [found, inserted] =
        numbers_.try_emplace(absl::string_view(text.data(), text.size()), texts_.size());
    if (inserted) texts_.push_back(text);
    return found->second;
  }

  bool AllDefault(const Names& names) const {
    std::string text;
    for (uint32_t i = 0; i < texts_.size(); ++i) {
      text.clear();
      AppendDefaultName(i, names.IsProgram(i), text);
      if (text != texts_[i]) return false;
    }
    return true;
  }

  void CopyTo(std::vector<std::string>& names) const { names.assign(texts_.begin(), texts_.end()); }

 private:
  absl::flat_hash_map<absl::string_view, uint32_t> numbers_;
  std::vector<string_view> texts_;
};

// --- reading a step ---

uint32_t ScanName(Scanner& scanner, NameTable& names) {
  const string_view text = scanner.Name();
  if (!scanner.ok()) return 0;
  if (text.size() > kMaxNameLength) {
    scanner.Refuse("a name of at most " + std::to_string(kMaxNameLength) + " characters");
    return 0;
  }
  return names.NumberOf(text);
}

uint32_t ScanFence(Scanner& scanner) { return static_cast<uint32_t>(ScanNumberIn(1, UINT32_MAX, scanner)); }

void ScanAfterFence(Scanner& scanner, Step& step) {
  scanner.Keyword(kFenceWord);
  step.kind = StepKind::kFreeLater;
  step.fence = ScanFence(scanner);
}

// "align, end, pinned or the end of the line".
std::string ListExtras(unsigned extras) {
  std::vector<string_view> words;
  for (const ExtraWord& extra : kExtraWords) {
    if (extras & extra.extra) words.push_back(extra.word);
  }
  words.push_back("the end of the line");
  return ListWords(words);
}

Extra ScanExtraWord(unsigned extras, Scanner& scanner) {
  for (const ExtraWord& extra : kExtraWords) {
    if ((extras & extra.extra) && scanner.TryKeyword(extra.word)) return extra.extra;
  }
  scanner.Expected(ListExtras(extras));
  return kNone;
}

void ScanExtra(unsigned extras, Scanner& scanner, NameTable& names, Step& step) {
  switch (ScanExtraWord(extras, scanner)) {
    case kNone:
      return;
    case kAlign:
      step.alignment = scanner.Number();
      return;
    case kEnd:
      step.end = static_cast<End>(1 + ScanWordOf(kEndWords, scanner));
      return;
    case kPinned:
      step.pinned = true;
      return;
    case kDonating:
      step.donor = ScanName(scanner, names);
      return;
    case kAfter:
      ScanAfterFence(scanner, step);
      return;
  }
}

void ScanStep(const StepForm& form, Scanner& scanner, NameTable& names, Step& step) {
  step.kind = form.kind;
  if (form.name) step.name = ScanName(scanner, names);
  if (form.size) step.size = scanner.Number();
  if (form.fence) step.fence = ScanFence(scanner);
  while (scanner.ok() && !scanner.AtEndOfLine()) ScanExtra(form.extras, scanner, names, step);
}

void ScanLine(Scanner& scanner, NameTable& names, Trace& into) {
  const size_t word = scanner.OneOf(kFirstWords);
  if (!scanner.ok()) return;
  if (word == 0) return ScanPolicy(scanner, into.policy);
  Step step;
  ScanStep(kStepForms[FormOfFirstWord(word)], scanner, names, step);
  if (scanner.ok()) into.steps.push_back(step);
}

}  // namespace

std::span<const string_view> AllocatorWords() { return kAllocators; }

std::span<const PolicyKey> PolicyKeys() { return kPolicyKeys; }

string_view StepWord(StepKind kind) { return FormOf(kind).word; }

void AppendSize(uint64_t bytes, std::string& into) {
  if (bytes != 0 && bytes % kMiB == 0) {
    into += ExactBytes(bytes);
  } else {
    AppendNumber(bytes, into);
  }
}

Names::Names(const Trace& trace) : trace_(trace) {
  for (const Step& step : trace.steps) {
    if (MeansProgram(step.kind)) programs_.push_back(step.name);
  }
  std::sort(programs_.begin(), programs_.end());
  programs_.erase(std::unique(programs_.begin(), programs_.end()), programs_.end());
}

bool Names::IsProgram(uint32_t name) const {
  return std::binary_search(programs_.begin(), programs_.end(), name);
}

void Names::Append(uint32_t name, std::string& into) const {
  if (name < trace_.names.size() && IsNameText(trace_.names[name])) {
    into += trace_.names[name];
  } else {
    AppendDefaultName(name, IsProgram(name), into);
  }
}

std::string Names::operator()(uint32_t name) const {
  std::string text;
  Append(name, text);
  return text;
}

std::string PrintPolicy(const Policy& policy) {
  const Policy normal;
  const size_t allocator = static_cast<size_t>(policy.allocator);
  std::string text(kMemory);
  text.append(" ").append(kAllocators[allocator < std::size(kAllocators) ? allocator : 0]);
  for (const PolicyKey& key : kPolicyKeys) {
    const uint64_t value = key.get(policy);
    if (value == key.get(normal) && key.set != OfPolicy<&Policy::capacity>::Set) continue;
    text.append(" ").append(key.name).append(" ");
    if (key.is_bytes) {
      AppendSize(value, text);
    } else if (key.values.empty()) {
      AppendNumber(value, text);
    } else {
      text += key.values[std::min<uint64_t>(value, key.highest)];
    }
  }
  return text;
}

void AppendStep(const Step& step, const Names& names, std::string& into) {
  const StepForm& form = FormOf(step.kind);
  into += form.keyword;
  if (form.name) names.Append(step.name, into += ' ');
  if (form.size) AppendSize(step.size, into += ' ');
  if (form.fence) AppendNumber(step.fence, into += ' ');
  if ((form.extras & kAlign) && step.alignment != 0) AppendSize(step.alignment, into += " align ");
  if ((form.extras & kEnd) && step.end != End::kAny) {
    into.append(" end ").append(kEndWords[step.end == End::kLow ? 0 : 1]);
  }
  if ((form.extras & kPinned) && step.pinned) into += " pinned";
  if ((form.extras & kDonating) && step.donor != kNobody) names.Append(step.donor, into += " donating ");
  if (step.kind == StepKind::kFreeLater) AppendNumber(step.fence, into += " after fence ");
}

std::string PrintTrace(const Trace& trace) {
  const Names names(trace);
  std::string text = PrintPolicy(trace.policy);
  text.reserve(text.size() + 1 + trace.steps.size() * 24);
  text += '\n';
  for (const Step& step : trace.steps) {
    if (step.kind == StepKind::kOutput) text += "  ";
    AppendStep(step, names, text);
    text += '\n';
  }
  return text;
}

absl::Status ParseTrace(string_view file_name, string_view text, Trace& into) {
  into.policy = Policy();
  into.steps.clear();
  into.names.clear();
  NameTable names;
  Scanner scanner(file_name, text, {.max_bytes = kMaxTraceBytes});
  while (scanner.NextLine()) {
    if (scanner.line() > kMaxTraceLines) {
      scanner.Expected("at most " + std::to_string(kMaxTraceLines) + " lines");
      break;
    }
    ScanLine(scanner, names, into);
  }
  if (scanner.ok() && !names.AllDefault(Names(into))) names.CopyTo(into.names);
  return scanner.status();
}

bool LooksLikeTrace(string_view text) {
  Scanner scanner("", text, {.max_bytes = SIZE_MAX});
  if (!scanner.NextLine()) return false;
  scanner.OneOf(kFirstWords);
  return scanner.ok();
}

}  // namespace oomph::hbm
