// See plan_text.h.
#include "models/hlo/plan_text.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "models/base/units.h"
#include "models/base/words.h"
#include "models/hlo/explain.h"

namespace oomph::hlo {
namespace {

std::string IndexText(const std::vector<int64_t>& index, char open = '{', char close = '}') {
  std::string text(1, open);
  for (size_t i = 0; i < index.size(); ++i) absl::StrAppend(&text, i == 0 ? "" : ",", index[i]);
  return text += close;
}

void PrintPlan(const Plan& plan, std::string& text) {
  absl::StrAppend(&text, "plan ", plan.planner, " module ", plan.module,
                  plan.rule == ByteRule::kPadded ? " padded" : "", plan.reuses_operands ? " reuses_operands" : "",
                  plan.places_constants ? "" : " no_constants", plan.complete ? " complete" : "");
  if (plan.peak) absl::StrAppend(&text, " peak ", *plan.peak);
  if (plan.minimum) absl::StrAppend(&text, " minimum ", *plan.minimum);
  text += '\n';
  for (const PlanMemory& memory : plan.memories) {
    absl::StrAppend(&text, "memory ", memory.space);
    if (memory.capacity) absl::StrAppend(&text, " capacity ", *memory.capacity);
    if (memory.alignment != 1) absl::StrAppend(&text, " alignment ", memory.alignment);
    text += '\n';
  }
  for (const std::string& name : plan.sequence) absl::StrAppend(&text, "step ", name, "\n");
  for (const Allocation& allocation : plan.allocations) {
    absl::StrAppend(&text, "allocation ", allocation.bytes, " space ", allocation.space);
    if (allocation.parameter)
      absl::StrAppend(&text, " parameter ", *allocation.parameter, " ", IndexText(allocation.parameter_index));
    absl::StrAppend(&text, allocation.constant ? " constant" : "", allocation.output ? " output" : "",
                    allocation.thread_local_ ? " thread_local" : "", "\n");
    for (const PlacedValue& value : allocation.values) {
      absl::StrAppend(&text, "value ", value.name, " ", IndexText(value.index), " at ", value.offset, " bytes ",
                      value.bytes);
      if (value.live) absl::StrAppend(&text, " live ", value.live->begin, " ", value.live->end);
      text += '\n';
    }
  }
  for (const ScopedMemory& scoped : plan.scoped) {
    absl::StrAppend(&text, "scoped ", scoped.name, " space ", scoped.space, " at ", scoped.offset, " reserved ",
                    scoped.reserved);
    if (scoped.used) absl::StrAppend(&text, " used ", *scoped.used);
    if (scoped.asked) absl::StrAppend(&text, " asked ", *scoped.asked);
    text += '\n';
  }
}

// Words of one line after another. After the first that is not as expected nothing is, and Ok is false.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool NextLine() {
    if (!ok_ || rest_.empty()) return false;
    if (!line_.empty()) return Fail("the end of the line");
    const size_t end = rest_.find('\n');
    if (end == std::string_view::npos) return Fail("a line feed at the end");
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    ++number_;
    return true;
  }
  // So many bytes after the line, and a line feed.
  std::string Bytes(uint64_t bytes) {
    if (!ok_) return "";
    if (rest_.size() <= bytes || rest_[bytes] != '\n') return Fail("as many bytes"), "";
    std::string taken(rest_.substr(0, bytes));
    number_ += static_cast<size_t>(std::count(taken.begin(), taken.end(), '\n')) + 1;
    rest_.remove_prefix(bytes + 1);
    return taken;
  }
  std::string_view Word() {
    const std::string_view word = line_.substr(0, line_.find(' '));
    line_.remove_prefix(std::min(word.size() + 1, line_.size()));
    if (word.empty()) Fail("a word");
    return word;
  }
  bool Try(std::string_view word) {
    if (!ok_ || !line_.starts_with(word) || (line_.size() > word.size() && line_[word.size()] != ' ')) return false;
    return Word(), true;
  }
  void Keyword(std::string_view word) {
    if (!Try(word)) Fail(word);
  }
  template <typename Integer>
  Integer Number() {
    const std::string_view word = Word();
    Integer number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc() || end != word.data() + word.size()) Fail("a number");
    return ok_ ? number : 0;
  }
  std::vector<int64_t> Index(char open, char close) {
    std::string_view word = Word();
    std::vector<int64_t> index;
    if (word.size() < 2 || word.front() != open || word.back() != close) return Fail("numbers in brackets"), index;
    for (word = word.substr(1, word.size() - 2); !word.empty();) {
      const std::string_view one = word.substr(0, word.find(','));
      int64_t& number = index.emplace_back();
      const auto [end, error] = std::from_chars(one.data(), one.data() + one.size(), number);
      if (error != std::errc() || end != one.data() + one.size()) return Fail("numbers in brackets"), index;
      word.remove_prefix(std::min(one.size() + 1, word.size()));
    }
    return index;
  }
  bool Fail(std::string_view what) {
    if (ok_) status_ = absl::InvalidArgumentError(absl::StrCat("line ", number_, ": expected ", std::string(what)));
    return ok_ = false;
  }
  bool ok() const { return ok_; }
  bool AtEnd() const { return ok_ && rest_.empty() && line_.empty(); }
  const absl::Status& status() const { return status_; }

 private:
  std::string_view rest_, line_;
  size_t number_ = 0;
  bool ok_ = true;
  absl::Status status_;
};

void ReadPlan(Reader& reader, Answer& into) {
  Plan& plan = into.plans.emplace_back();
  plan.planner = reader.Word();
  reader.Keyword("module");
  plan.module = reader.Number<uint32_t>();
  if (plan.module >= into.planned.size()) reader.Fail("a module that stands above");
  if (reader.Try("padded")) plan.rule = ByteRule::kPadded;
  plan.reuses_operands = reader.Try("reuses_operands");
  plan.places_constants = !reader.Try("no_constants");
  plan.complete = reader.Try("complete");
  if (reader.Try("peak")) plan.peak = reader.Number<uint64_t>();
  if (reader.Try("minimum")) plan.minimum = reader.Number<uint64_t>();
}

void ReadAllocation(Reader& reader, Plan& plan) {
  Allocation& allocation = plan.allocations.emplace_back();
  allocation.bytes = reader.Number<uint64_t>();
  reader.Keyword("space");
  allocation.space = reader.Number<uint32_t>();
  if (reader.Try("parameter")) {
    allocation.parameter = reader.Number<uint64_t>();
    allocation.parameter_index = reader.Index('{', '}');
  }
  allocation.constant = reader.Try("constant");
  allocation.output = reader.Try("output");
  allocation.thread_local_ = reader.Try("thread_local");
}

void ReadValue(Reader& reader, Plan& plan) {
  if (plan.allocations.empty()) {
    reader.Fail("an allocation before its values");
    return;
  }
  PlacedValue& value = plan.allocations.back().values.emplace_back();
  value.name = reader.Word();
  value.index = reader.Index('{', '}');
  reader.Keyword("at");
  value.offset = reader.Number<uint64_t>();
  reader.Keyword("bytes");
  value.bytes = reader.Number<uint64_t>();
  if (!reader.Try("live")) return;
  const uint32_t begin = reader.Number<uint32_t>();
  value.live = StepRange{begin, reader.Number<uint32_t>()};
}

void ReadScoped(Reader& reader, Plan& plan) {
  ScopedMemory& scoped = plan.scoped.emplace_back();
  scoped.name = reader.Word();
  reader.Keyword("space");
  scoped.space = reader.Number<uint32_t>();
  reader.Keyword("at");
  scoped.offset = reader.Number<uint64_t>();
  reader.Keyword("reserved");
  scoped.reserved = reader.Number<uint64_t>();
  if (reader.Try("used")) scoped.used = reader.Number<uint64_t>();
  if (reader.Try("asked")) scoped.asked = reader.Number<uint64_t>();
}

void ReadStats(Reader& reader, Answer& into) {
  CompiledStats& stats = into.stats.emplace();
  const std::pair<std::string_view, uint64_t*> figures[] = {
      {"code", &stats.code},       {"arguments", &stats.arguments},     {"outputs", &stats.outputs},
      {"aliases", &stats.aliases}, {"temporaries", &stats.temporaries}, {"peak", &stats.peak}};
  for (const auto& [word, figure] : figures) {
    reader.Keyword(word);
    *figure = reader.Number<uint64_t>();
  }
}

void ReadResult(Reader& reader, Answer& into) {
  if (!into.results) into.results.emplace();
  if (reader.Try("none")) return;
  ResultArray& result = into.results->emplace_back();
  result.type = reader.Word();
  result.dimensions = reader.Index('[', ']');
  result.bytes = reader.Bytes(reader.Number<uint64_t>());
}

void ReadMemory(Reader& reader, Plan& plan) {
  PlanMemory& memory = plan.memories.emplace_back();
  memory.space = reader.Number<uint32_t>();
  if (reader.Try("capacity")) memory.capacity = reader.Number<uint64_t>();
  if (reader.Try("alignment")) memory.alignment = reader.Number<uint64_t>();
}

}  // namespace

std::string NameOf(const PlacedValue& value) {
  return value.index.empty() ? value.name : absl::StrCat(value.name, IndexText(value.index));
}

std::string PrintPlans(const Answer& answer) {
  std::string text;
  for (const std::string& module : answer.planned) absl::StrAppend(&text, "module ", module.size(), "\n", module, "\n");
  for (const Plan& plan : answer.plans) PrintPlan(plan, text);
  if (!answer.chip.empty()) absl::StrAppend(&text, "chip ", answer.chip, "\n");
  if (answer.stats) {
    const CompiledStats& stats = *answer.stats;
    absl::StrAppend(&text, "stats code ", stats.code, " arguments ", stats.arguments, " outputs ", stats.outputs,
                    " aliases ");
    absl::StrAppend(&text, stats.aliases, " temporaries ", stats.temporaries, " peak ", stats.peak, "\n");
  }
  if (answer.results && answer.results->empty()) text += "result none\n";  // of an empty tuple
  for (const ResultArray& result : answer.results.value_or(std::vector<ResultArray>())) {
    absl::StrAppend(&text, "result ", result.type, " ", IndexText(result.dimensions, '[', ']'), " ",
                    result.bytes.size(), "\n");
    absl::StrAppend(&text, result.bytes, "\n");
  }
  return text;
}

absl::Status ReadPlans(std::string_view text, Answer& into) {
  Reader reader(text);
  while (reader.NextLine()) {
    if (reader.Try("module")) {
      into.planned.push_back(reader.Bytes(reader.Number<uint64_t>()));
    } else if (reader.Try("plan")) {
      ReadPlan(reader, into);
    } else if (reader.Try("chip")) {
      into.chip = reader.Word();
    } else if (reader.Try("stats")) {
      ReadStats(reader, into);
    } else if (reader.Try("result")) {
      ReadResult(reader, into);
    } else if (into.plans.empty()) {
      reader.Fail("a plan first");
    } else if (reader.Try("value")) {
      ReadValue(reader, into.plans.back());
    } else if (reader.Try("allocation")) {
      ReadAllocation(reader, into.plans.back());
    } else if (reader.Try("step")) {
      into.plans.back().sequence.emplace_back(reader.Word());
    } else if (reader.Try("memory")) {
      ReadMemory(reader, into.plans.back());
    } else if (reader.Try("scoped")) {
      ReadScoped(reader, into.plans.back());
    } else {
      reader.Fail("module, plan, memory, step, allocation, value, scoped, chip, stats or result");
    }
  }
  if (reader.ok() && !reader.AtEnd()) reader.Fail("the end of the line");
  if (reader.ok()) return absl::OkStatus();
  into.planned.clear();
  into.plans.clear();
  into.chip.clear();
  into.stats.reset();
  into.results.reset();
  return reader.status();
}

std::string DescribePlans(const Answer& answer, size_t max_lines) {
  std::vector<std::string> lines;
  if (answer.stats) {
    const CompiledStats& stats = *answer.stats;
    std::string& line = lines.emplace_back(
        absl::StrCat("compiled", answer.chip.empty() ? "" : " for ", answer.chip, ": peak ", stats.peak, " bytes"));
    const std::pair<std::string_view, uint64_t> figures[] = {{"code", stats.code},
                                                             {"arguments", stats.arguments},
                                                             {"outputs", stats.outputs},
                                                             {"aliases", stats.aliases},
                                                             {"temporaries", stats.temporaries}};
    for (const auto& [name, bytes] : figures) {
      if (bytes > 0) absl::StrAppend(&line, ", ", std::string(name), " ", bytes);
    }
  }
  for (const Plan& plan : answer.plans) {
    std::string& head = lines.emplace_back(absl::StrCat("plan of ", plan.planner));
    if (plan.peak) absl::StrAppend(&head, ", peak ", ExactBytes(*plan.peak));
    if (plan.minimum) absl::StrAppend(&head, ", at least ", ExactBytes(*plan.minimum));
    for (const Allocation& allocation : plan.allocations) {
      std::string& line =
          lines.emplace_back(absl::StrCat("  ", SpaceName(allocation.space), ": ", ExactBytes(allocation.bytes)));
      if (allocation.parameter)
        absl::StrAppend(&line, ", parameter ", *allocation.parameter,
                        allocation.parameter_index.empty() ? "" : IndexText(allocation.parameter_index));
      absl::StrAppend(&line, allocation.constant ? ", constant" : "", allocation.output ? ", output" : "");
      std::vector<const PlacedValue*> values;
      for (const PlacedValue& value : allocation.values) values.push_back(&value);
      std::sort(values.begin(), values.end(), [](const PlacedValue* a, const PlacedValue* b) {
        return std::tie(a->offset, a->name, a->index) < std::tie(b->offset, b->name, b->index);
      });
      for (const PlacedValue* value : values) {
        std::string& row = lines.emplace_back(absl::StrCat(
            "    [", value->offset, ", ", SaturatingAdd(value->offset, value->bytes), ")  ", OneLine(NameOf(*value))));
        if (value->live) absl::StrAppend(&row, "  steps [", value->live->begin, ", ", value->live->end, ")");
      }
    }
    for (const ScopedMemory& scoped : plan.scoped) {
      std::string& line = lines.emplace_back(absl::StrCat("  ", SpaceName(scoped.space), ": [", scoped.offset, ", ",
                                                          SaturatingAdd(scoped.offset, scoped.reserved),
                                                          ")  reserved for ", OneLine(scoped.name)));
      if (scoped.used) absl::StrAppend(&line, ", which uses ", ExactBytes(*scoped.used));
    }
  }
  std::string text;
  for (size_t i = 0; i < std::min(lines.size(), max_lines); ++i) absl::StrAppend(&text, lines[i], "\n");
  if (lines.size() > max_lines) absl::StrAppend(&text, "  and ", lines.size() - max_lines, " lines more\n");
  return text;
}

}  // namespace oomph::hlo
