// See by_command.h.
#include "fuzz/minimize/by_command.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "fuzz/report/show.h"
#include "fuzz/store/files.h"
#include "models/base/fingerprint.h"
#include "nlohmann/json.hpp"

namespace oomph {
namespace {

// A new file each time: the command may have made anything of the last one.
bool WriteNew(const std::string& path, const std::string& text) {
  std::error_code error;
  std::filesystem::remove_all(path, error);
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  return !out.fail();
}

}  // namespace

CommandTest::CommandTest(const Family& family, const CommandTestOptions& options, std::unique_ptr<CommandSlots> slots)
    : family_(family), options_(options), slots_(std::move(slots)), case_name_("case" + std::string(family.extension())) {
  for (size_t slot = 0; slot < slots_->count(); ++slot) {
    const std::string path = absl::StrCat(slots_->Folder(slot), "/", case_name_);
    commands_.push_back(absl::StrReplaceAll(options_.command, {{"{}", ShellWord(path)}}));
  }
  limits_.seconds = options_.timeout;
  limits_.memory_bytes = options_.memory_bytes;
}

absl::StatusOr<std::unique_ptr<CommandTest>> CommandTest::Make(const Family& family, const CommandTestOptions& options) {
  if (options.command.find("{}") == std::string::npos) {
    return absl::InvalidArgumentError("--test: expected {} where the case file goes, as in --test 'mytest {}'");
  }
  auto slots = CommandSlots::Make(std::max<size_t>(options.jobs, 1));
  if (!slots.ok()) return slots.status();
  return std::unique_ptr<CommandTest>(new CommandTest(family, options, *std::move(slots)));
}

std::vector<CommandRan> CommandTest::Run(std::span<const std::string> texts) {
  for (size_t i = 0; i < texts.size(); ++i) {
    if (!WriteNew(absl::StrCat(slots_->Folder(i), "/", case_name_), texts[i])) return std::vector<CommandRan>(texts.size());
  }
  return slots_->Run(std::span(commands_).first(texts.size()), case_name_, limits_, options_.stop);
}

absl::Status CommandTest::First(const Case& c) {
  std::string text = Text(c);
  absl::Status status;
  // A test that says now this and now that may begin with a no.
  for (int i = 0; i < kFirstTries; ++i) {
    const CommandRan ran = Run(std::span(&text, 1))[0];
    if (ran.status < 0) return absl::ResourceExhaustedError("the test cannot be started: no space, or no processes left");
    auto expectation = Expectation::Of(ran, options_.expect);
    if (!expectation.ok() && i == 0) status = expectation.status();
    if (ran.stopped || ran.timed_out) break;
    if (!expectation.ok()) continue;
    expectation_ = *std::move(expectation);
    if (limits_.seconds == 0) limits_.seconds = std::max(kLeastTimeout, 10 * ran.seconds);
    first_ = std::move(text);
    return absl::OkStatus();
  }
  return status;
}

std::string CommandTest::Fixed() const {
  return nlohmann::json{{"expectation", expectation_->Text()}, {"timeout", limits_.seconds}}.dump();
}

absl::Status CommandTest::GoOnWith(const std::string& fixed) {
  const nlohmann::json json = nlohmann::json::parse(fixed, nullptr, false);
  const bool whole = json.is_object() && json.contains("expectation") && json["expectation"].is_string() &&
                     json.contains("timeout") && json["timeout"].is_number();
  if (!whole) {
    return absl::DataLossError("what an earlier run expected of the test is damaged");
  }
  auto expectation = Expectation::FromText(json["expectation"]);
  if (!expectation.ok()) return expectation.status();
  expectation_ = *std::move(expectation);
  if (limits_.seconds == 0) limits_.seconds = std::clamp<double>(json["timeout"], kLeastTimeout, 1e9);
  return absl::OkStatus();
}

std::vector<bool> CommandTest::Ask(std::span<const Case* const> cases) {
  std::vector<std::string> texts;
  for (const Case* c : cases) texts.push_back(Text(*c));
  if (first_ && texts.size() == 1) {  // it has just been run
    const bool again = texts[0] == *first_;
    first_.reset();
    if (again) return {true};
  }
  const std::vector<CommandRan> runs = Run(texts);
  std::vector<bool> answers;
  for (size_t i = 0; i < runs.size(); ++i) {
    const CommandRan& ran = runs[i];
    answers.push_back(ran.status >= 0 && expectation_->Meets(ran));
    if (ran.stopped) continue;
    if (ran.timed_out) {
      ++timed_out_;
    } else if (IsSignal(ran.status) && !answers.back()) {
      ++crashed_;
    } else if (ran.status == kOtherReason) {
      KeepAside(texts[i]);
    }
  }
  return answers;
}

void CommandTest::KeepAside(const std::string& text) {
  if (!others_.insert(FingerprintOfText(text)).second) return;
  if (options_.others.empty() || other_files_.size() >= options_.most_others) return;
  const std::string path = absl::StrCat(options_.others, "-", other_files_.size() + 1, std::string(family_.extension()));
  if (WriteFileAtomically(path, text).ok()) other_files_.push_back(path);
}

}  // namespace oomph
