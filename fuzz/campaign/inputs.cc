// See inputs.h.
#include "fuzz/campaign/inputs.h"

#include <chrono>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "fuzz/campaign/pair_runner.h"
#include "fuzz/campaign/wire.h"
#include "fuzz/fuzz_one.h"
#include "fuzz/store/case_file.h"
#include "subjects/child/child.h"

namespace oomph {
namespace {

using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kJudgeTime{10'000}, kShrinkTime{60'000};

// The text of an input of X_text_fuzz, as it was: a header could change how it reads.
std::optional<Finding> FindingOfText(const Family& family, const std::string& input) {
  const auto fault = JudgeText(family, input);
  if (!fault) return std::nullopt;
  Finding finding;
  finding.family = std::string(family.name());
  finding.oracle = "printed_is_read";
  finding.subject = "text";
  finding.detail = fault->detail;
  finding.signature = SignatureOf(finding);
  finding.reason = fault->detail == "refused" ? "what was read is printed as a text that is refused"
                                              : "what was read is printed as a text that reads as something else";
  finding.case_text = input;
  finding.minimized = true;  // no reducer works on texts
  return finding;
}

struct Answer {
  std::optional<Finding> finding;
  uint64_t steps = 0;
};

std::string Pack(const Answer& answer) {
  json j = {{"steps", answer.steps}};
  if (answer.finding) j["finding"] = ToJson(*answer.finding);
  const auto bytes = json::to_cbor(j);
  return {bytes.begin(), bytes.end()};
}

absl::StatusOr<Answer> Unpack(const std::string& bytes) {
  try {
    const json j = json::from_cbor(bytes);
    Answer answer;
    answer.steps = j.at("steps");
    if (j.contains("finding")) answer.finding = FindingFromJson(j.at("finding"));
    return answer;
  } catch (const json::exception&) {
    return absl::DataLossError("the answer of a child is damaged");
  }
}

}  // namespace

InputJudge::InputJudge(const SubjectTable& table, const Pair& pair, InputKind kind)
    : table_(table), pair_(pair), kind_(kind) {}

PairKey InputJudge::Key() const {
  return kind_ == InputKind::kTape ? KeyOf(pair_) : PairKey{std::string(pair_.family().name()), "text", ""};
}

absl::StatusOr<std::optional<Finding>> InputJudge::InChild(const std::string& input, bool shrink) {
  const auto ask = [&]() -> absl::StatusOr<std::string> {
    Answer answer;
    if (kind_ == InputKind::kText) {
      answer.finding = FindingOfText(pair_.family(), input);
      return Pack(answer);
    }
    const auto runner = PairRunner::Make(table_, pair_, 0, {}, {});
    if (!runner.ok()) return runner.status();
    answer.finding = (*runner)->RunTape(input);
    answer.steps = (*runner)->steps();
    if (answer.finding && shrink) answer.finding = (*runner)->Shrink(*answer.finding, [] { return false; });
    return Pack(answer);
  };
  ChildLimits limits;
  limits.start_time = shrink ? kShrinkTime : kJudgeTime;
  const auto reply = AskInChild("the process", ask, limits, "over its input");
  if (!reply.ok()) return reply.status();
  auto answer = Unpack(*reply);
  if (!answer.ok()) return answer.status();
  if (!shrink) steps_ += answer->steps;
  return std::move(answer->finding);
}

// The process that judged it came to an end: the subject runs in it and took it along, or the harness is at fault.
Finding InputJudge::Ended(const std::string& input, const absl::Status& how) const {
  Finding finding;
  finding.family = std::string(pair_.family().name());
  finding.oracle = "harness_survives";
  finding.subject = Key().subject;
  finding.variant = Key().variant;
  finding.detail = absl::IsDeadlineExceeded(how) ? "hung" : "died";
  finding.signature = SignatureOf(finding);
  finding.reason = std::string(how.message());
  finding.minimized = true;  // shrinking would kill the shrinker
  if (kind_ == InputKind::kText) {
    finding.case_text = input;
    return finding;
  }
  // Making the case is not running it.
  const auto value = pair_.family().NewCase();
  Choices choices = Choices::FromTape(input);
  pair_.family().Generate(choices, {}, *value);
  finding.tape = absl::BytesToHexString(input);
  finding.steps = pair_.family().Size(*value);
  finding.case_text =
      CaseText(pair_.family(), pair_.Spec(), finding.signature, pair_.family().Print(*value));
  return finding;
}

absl::StatusOr<std::optional<Finding>> InputJudge::Judge(const std::string& input) {
  const auto start = Clock::now();
  auto answer = InChild(input, /*shrink=*/false);
  if (absl::IsInvalidArgument(answer.status()) || absl::IsNotFound(answer.status())) return answer.status();
  std::optional<Finding> finding;
  answer.ok() ? void(finding = *std::move(answer)) : void(finding = Ended(input, answer.status()));
  ++inputs_;
  seconds_ += std::chrono::duration<double>(Clock::now() - start).count();
  if (!finding) return finding;
  ++counts_[finding->signature];
  const auto known = smallest_.find(finding->signature);
  if (known == smallest_.end() || finding->steps < known->second.finding.steps) {
    smallest_[finding->signature] = {*finding, input};
  }
  return finding;
}

std::vector<Finding> InputJudge::Shrunk() {
  std::vector<Finding> findings;
  for (auto& [signature, each] : smallest_) {
    if (!each.finding.minimized) {
      const auto shrunk = InChild(each.input, /*shrink=*/true);
      if (shrunk.ok() && *shrunk && (*shrunk)->signature == signature) each.finding = **shrunk;
    }
    findings.push_back(each.finding);
    findings.back().count = 0;  // comes with the chunk
  }
  return findings;
}

absl::Status InputJudge::Keep(Store& store, const std::vector<Finding>& findings,
                              const std::map<std::string, Trophy>& trophies) const {
  const auto campaign = store.BeginOrResume(
      absl::StrCat("inputs as ", kind_ == InputKind::kTape ? "tapes of " + pair_.Spec() : "texts"), 0);
  if (!campaign.ok()) return campaign.status();
  for (Finding finding : findings) {
    NoteTrophy(trophies, finding);
    const auto stored = store.FindFinding(finding.signature);
    if (!stored.ok()) return stored.status();
    if (stored->has_value() && (*stored)->minimized && (*stored)->steps <= finding.steps) continue;
    const absl::Status status = store.SaveFinding(finding, std::string(pair_.family().extension()));
    if (!status.ok()) return status;
  }
  ChunkRecord chunk;
  chunk.key = Key();
  chunk.count = inputs_;
  chunk.steps = steps_;
  chunk.seconds = seconds_;
  for (const auto& [signature, count] : counts_) chunk.found += count;
  chunk.findings = counts_;
  if (absl::Status status = store.Commit(campaign->id, chunk); !status.ok()) return status;
  return store.SetState(campaign->id, "finished", seconds_);
}

}  // namespace oomph
