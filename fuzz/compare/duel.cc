// See duel.h.
#include "fuzz/compare/duel.h"

#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"

namespace oomph {

absl::StatusOr<std::unique_ptr<Duel>> Duel::Make(const SubjectTable& table, const Pair& base, const Pair& head) {
  auto first = table.Load(base);
  if (!first.ok()) return first.status();
  auto second = table.Load(head);
  if (!second.ok()) return second.status();
  return std::unique_ptr<Duel>(new Duel(base.family(), *std::move(first), *std::move(second)));
}

Duel::Duel(const Family& family, Loaded base, Loaded head) : family_(family) {
  Take(base_, std::move(base));
  Take(head_, std::move(head));
}

void Duel::Take(Side& side, Loaded loaded) {
  side.loaded = std::move(loaded);
  side.judge = std::make_unique<Judge>(family_, *side.loaded.subject, side.loaded.reference.get());
  side.prepared = family_.NewCase();
  side.outcome = family_.NewOutcome();
}

GenerateOptions Duel::options() const {
  GenerateOptions options;
  options.features = base().info().Drawn() & head().info().Drawn();
  return options;
}

void Duel::Prepare(const Case& c) {
  base_.prepared = family_.Clone(c);
  head().Prepare(*base_.prepared);
  base().Prepare(*base_.prepared);
  head_.prepared = family_.Clone(c);
  base().Prepare(*head_.prepared);
  head().Prepare(*head_.prepared);
}

void Duel::RunSide(Side& side, Did& did) {
  did.verdict = side.judge->Run(*side.prepared);
  did.key.clear();
  if (did.verdict.found()) {
    const Reason& reason = did.verdict.all.front();
    did.key = absl::StrCat(std::string(family_.name()), "/", std::string(reason.oracle), "/", std::string(reason.detail));
  }
  did.values.assign(family_.metrics().size(), std::numeric_limits<double>::quiet_NaN());
  did.complete = side.judge->ran() && family_.Measure(*side.prepared, side.judge->outcome(), did.values);
  did.breaks = side.judge->broke();
}

void Duel::MeasureSide(Side& side, Did& did) {
  did = {};
  side.loaded.subject->Run(*side.prepared, *side.outcome);
  did.values.assign(family_.metrics().size(), std::numeric_limits<double>::quiet_NaN());
  did.complete = family_.Measure(*side.prepared, *side.outcome, did.values);
}

const Duel::Answer& Duel::Measure(const Case& c) {
  Prepare(c);
  MeasureSide(base_, answer_.base);
  MeasureSide(head_, answer_.head);
  answer_.otherwise.clear();
  return answer_;
}

const Duel::Answer& Duel::Run(const Case& c) {
  Prepare(c);
  RunSide(base_, answer_.base);
  RunSide(head_, answer_.head);
  answer_.otherwise.clear();
  if (answer_.base.key != answer_.head.key || !answer_.base.complete || !answer_.head.complete) return answer_;
  if (family_.Print(*base_.prepared) != family_.Print(*head_.prepared)) return answer_;
  Reasons reasons;
  family_.Compare(*base_.prepared, base_.judge->outcome(), head_.judge->outcome(), reasons);
  const Verdict verdict = MakeVerdict(family_.name(), head().info().name, reasons);
  if (verdict.found()) answer_.otherwise = verdict.text;
  return answer_;
}

bool Duel::BaseAnswersAs(const Duel& other) const {
  Reasons reasons;
  family_.Compare(*base_.prepared, other.base_outcome(), base_outcome(), reasons);
  return !MakeVerdict(family_.name(), "", reasons).found();
}

}  // namespace oomph
