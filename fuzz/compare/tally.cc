// See tally.h.
#include "fuzz/compare/tally.h"

#include <algorithm>

#include "fuzz/compare/statistics.h"

namespace oomph {
namespace {

constexpr size_t kKept = 50'000;      // numbers for quantiles
constexpr double kCertain = 0.01;     // the sign test's p for a trend
constexpr double kCertainInNoise = 0.0001;
constexpr uint64_t kNoisy = 5;        // one unsteady case in so many that differ

Distribution Spread(const std::vector<double>& values, double sum, uint64_t count) {
  if (count == 0) return {};
  return {sum / static_cast<double>(count), Quantile(values, 0.1), Quantile(values, 0.5), Quantile(values, 0.9),
          Quantile(values, 1)};
}

Trend TrendOf(const MetricTally& tally, double p, double mean_change) {
  const bool lower = tally.info.lower_is_better;
  const bool mean_worse = lower ? mean_change > 0 : mean_change < 0;
  const bool mean_better = lower ? mean_change < 0 : mean_change > 0;
  if (tally.better + tally.worse == 0) return Trend::kSame;
  const bool noisy = tally.unsteady * kNoisy > tally.better + tally.worse;
  if (noisy && p >= kCertainInNoise) return Trend::kSame;
  const bool certain = p < kCertain || tally.better == 0 || tally.worse == 0;
  if (certain && tally.worse > tally.better && mean_worse) return Trend::kWorse;
  if (certain && tally.better > tally.worse && mean_better) return Trend::kBetter;
  return noisy ? Trend::kSame : Trend::kMixed;
}

}  // namespace

void Offer(std::vector<Candidate>& kept, const Candidate& candidate) {
  const auto at = std::upper_bound(kept.begin(), kept.end(), candidate,
                                   [](const Candidate& a, const Candidate& b) { return a.size < b.size; });
  kept.insert(at, candidate);
  if (kept.size() > kCandidates) kept.pop_back();
}

void MetricTally::Add(double b, double h, bool steady, const Candidate& candidate) {
  if (!std::isfinite(b) || !std::isfinite(h)) return;
  ++cases;
  base_sum += b;
  head_sum += h;
  const double larger = std::max(std::abs(b), std::abs(h));
  base_parts += larger > 0 ? b / larger : 1;
  head_parts += larger > 0 ? h / larger : 1;
  if (base.size() < kKept) {
    base.push_back(b);
    head.push_back(h);
  }
  if (!Differ(b, h)) return;
  if (!steady) return void(++unsteady);
  change_sum += h - b;
  if (change.size() < kKept) change.push_back(h - b);
  const bool is_worse = (h > b) == info.lower_is_better;
  ++(is_worse ? worse : better);
  Offer(is_worse ? worse_cases : better_cases, candidate);
}

MetricChange MetricTally::Finish() const {
  MetricChange result;
  result.name = std::string(info.name);
  result.unit = std::string(info.unit);
  result.means = std::string(info.means);
  result.lower_is_better = info.lower_is_better;
  result.cases = cases;
  result.better = better;
  result.worse = worse;
  result.p = SignTest(better, worse);
  result.base = Spread(base, base_sum, cases);
  result.head = Spread(head, head_sum, cases);
  result.change = Spread(change, change_sum, better + worse);
  const bool scaled = info.unit == "bytes";
  result.base_weight = scaled ? base_parts : base_sum;
  result.head_weight = scaled ? head_parts : head_sum;
  result.trend = TrendOf(*this, result.p, scaled ? head_parts - base_parts : change_sum);
  return result;
}

void AddSignatures(const Duel::Answer& answer, const Candidate& candidate, SignatureTallies& tallies) {
  const bool differ = answer.base.key != answer.head.key;
  const auto add = [&](const Duel::Did& did, SignatureTally::Side SignatureTally::*of) {
    if (did.key.empty()) return;
    SignatureTally::Side& side = tallies[did.key].*of;
    side.signature = did.verdict.signature;
    ++side.cases;
    side.only += differ;
    if (differ) Offer(side.only_cases, candidate);
  };
  add(answer.base, &SignatureTally::base);
  add(answer.head, &SignatureTally::head);
}

}  // namespace oomph
