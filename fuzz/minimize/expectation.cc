// See expectation.h. Patterns are RE2's: the output may be of any size and from anywhere, and neither time nor stack of
// RE2 grows faster than it, which holds of neither std::regex nor regexec.
#include "fuzz/minimize/expectation.h"

#include <re2/re2.h>
#include <string.h>

#include <algorithm>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "fuzz/exit_code.h"
#include "fuzz/report/show.h"
#include "models/families.h"
#include "models/message/compile_oom.h"
#include "models/message/oom.h"
#include "nlohmann/json.hpp"

namespace oomph {
namespace {

// How long a name may be.
constexpr size_t kLongestName = 200;

bool IsSpace(char c) { return absl::ascii_isspace(static_cast<unsigned char>(c)); }

// ---- Signatures ----

// family/oracle/subject/detail, then ": ".
std::string SignatureOf(std::string_view line) {
  const std::string_view word = line.substr(0, line.find(": "));
  if (word.size() == line.size() || word.size() > 4 * kLongestName || word.find(' ') != word.npos) return "";
  if (std::count(word.begin(), word.end(), '/') < 3) return "";
  const std::string_view family = word.substr(0, word.find('/'));
  const auto families = Families();
  const bool known = std::any_of(families.begin(), families.end(), [&](const Family* each) { return each->name() == family; });
  return known ? Printable(word) : "";
}

std::string FirstSignature(std::string_view output) {
  while (!output.empty()) {
    const size_t end = std::min(output.find('\n'), output.size());
    if (std::string signature = SignatureOf(output.substr(0, end)); !signature.empty()) return signature;
    output.remove_prefix(std::min(end + 1, output.size()));
  }
  return "";
}

std::string LastLine(const std::string& output) {
  std::string_view text = output;
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  const size_t at = text.rfind('\n');
  if (at != text.npos) text.remove_prefix(at + 1);
  return text.empty() ? "" : absl::StrCat("; it says: ", Printable(text.substr(0, kLongestName)));
}

}  // namespace

std::vector<std::string> IdentityOf(std::string_view output) {
  std::vector<std::string> identity;
  const MessageWords words = WordsOfMessage(output);
  if (!words.code.empty()) {
    identity.push_back("code " + words.code);
  } else if (const auto message = ReadOom(output); message.ok()) {
    identity.push_back(absl::StrCat("code ", std::string(OomCode(message->kind))));
  }
  if (!words.memory.empty()) identity.push_back("memory " + words.memory);
  if (!words.opcode.empty()) identity.push_back("operation " + words.opcode);
  if (!words.target.empty()) identity.push_back("target " + Printable(words.target));
  if (const std::string signature = FirstSignature(output); !signature.empty()) identity.push_back("signature " + signature);
  return identity;
}

std::string StatusWords(int status) {
  if (!IsSignal(status)) return absl::StrCat("exit status ", status);
  const char* name = sigabbrev_np(status - 128);
  return absl::StrCat("signal ", status - 128, " (SIG", name == nullptr ? "?" : name, ")");
}

// ---- Expectation ----

struct Expectation::Pattern {
  std::string text;
  std::unique_ptr<RE2> re;  // null: it is none, only a word
};

void Expectation::SetPattern(const std::string& pattern) {
  auto made = std::make_shared<Pattern>();
  made->text = pattern;
  RE2::Options options;
  options.set_log_errors(false);
  made->re = std::make_unique<RE2>("(?m)" + pattern, options);
  if (!made->re->ok()) made->re = nullptr;
  pattern_ = std::move(made);
}

bool Expectation::Meets(const CommandRan& ran) const {
  if (ran.timed_out || ran.stopped || ran.status == kOtherReason) return false;
  if (status_ != kAnyStatus && ran.status != status_) return false;
  return (pattern_ == nullptr || Matches(ran.output)) && IdentityOf(ran.output) == identity_;
}

bool Expectation::Matches(const std::string& output) const {
  if (output.find(pattern_->text) != std::string::npos) return true;
  return pattern_->re != nullptr && RE2::PartialMatch(output, *pattern_->re);
}

absl::StatusOr<Expectation> Expectation::Of(const CommandRan& first, const std::string& pattern) {
  if (first.stopped) return absl::CancelledError("interrupted before the test had ended once");
  if (first.timed_out) {
    return absl::InvalidArgumentError(absl::StrFormat("the test had not ended after %.3g s; more: --timeout", first.seconds));
  }
  const std::string how = StatusWords(first.status) + LastLine(first.output);
  if (first.status == kOtherReason) {
    return absl::InvalidArgumentError(absl::StrCat("the test says of the case itself that it is of interest for another "
                                                   "reason (", how, "); nothing to minimize"));
  }
  if (first.status == 126 || first.status == 127) {
    return absl::InvalidArgumentError(absl::StrCat("the test cannot be run: ", how));
  }
  Expectation made;
  made.identity_ = IdentityOf(first.output);
  if (pattern.empty()) {
    made.status_ = first.status;
    // A test that is broken fails as well, and of every case.
    const bool speaks = first.status == 0 || first.status == kFindings || IsSignal(first.status) || !made.identity_.empty();
    if (speaks) return made;
    return absl::InvalidArgumentError(absl::StrCat(
        "the test ended with ", how, "\n  that is a broken test, or a failure that is not known here: name what it prints by --expect"));
  }
  made.SetPattern(pattern);
  if (made.Matches(first.output)) return made;
  const bool broken = made.pattern_->re == nullptr;
  return absl::InvalidArgumentError(absl::StrCat("what the test prints has no ", Printable(pattern), " in it (--expect",
                                                 broken ? ", which is no regular expression" : "", "): ", how));
}

std::string Expectation::Words() const {
  std::vector<std::string> words = {pattern_ != nullptr ? absl::StrCat("output with ", Printable(pattern_->text)) : StatusWords(status_)};
  for (const std::string& each : identity_) words.push_back(Printable(each));
  return absl::StrJoin(words, ", ");
}

std::string Expectation::Text() const {
  nlohmann::json json = {{"status", status_}, {"identity", identity_}};
  if (pattern_ != nullptr) json["pattern"] = pattern_->text;
  return json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

absl::StatusOr<Expectation> Expectation::FromText(const std::string& text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  const absl::Status damaged = absl::DataLossError("what an earlier run expected of the test is damaged");
  if (!json.is_object() || !json.contains("status") || !json["status"].is_number_integer()) return damaged;
  Expectation made;
  made.status_ = json["status"];
  for (const auto& each : json.value("identity", nlohmann::json::array())) {
    if (!each.is_string()) return damaged;
    made.identity_.push_back(each);
  }
  if (json.contains("pattern") && json["pattern"].is_string()) made.SetPattern(json["pattern"]);
  return made;
}

}  // namespace oomph
