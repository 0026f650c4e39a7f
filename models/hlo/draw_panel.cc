// Chooses and stacks the buffers of a panel. In doubles: a picture needs no more.
#include "models/hlo/draw_panel.h"

#include <algorithm>
#include <utility>

namespace oomph::hlo {
namespace {

constexpr size_t kMaxBlocks = 4000;

bool Meet(const std::vector<StepRange>& a, const std::vector<StepRange>& b) {
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i].end <= b[j].begin) {
      ++i;
    } else if (b[j].end <= a[i].begin) {
      ++j;
    } else {
      return true;
    }
  }
  return false;
}

std::vector<StepRange> WithoutSmallGaps(const std::vector<StepRange>& ranges, double gap) {
  std::vector<StepRange> kept;
  for (const StepRange& range : ranges) {
    if (!kept.empty() && static_cast<double>(range.begin - kept.back().end) < gap) {
      kept.back().end = range.end;
    } else {
      kept.push_back(range);
    }
  }
  return kept;
}

// Each in turn at the lowest offset that is free as long as it lives.
void Stack(const Liveness& liveness, std::vector<Block>& chosen) {
  const auto bytes = [&](const Block& block) { return static_cast<double>(liveness.buffers[block.buffer].bytes); };
  std::vector<Block> stacked;
  for (Block& block : chosen) {
    for (const Block& other : stacked) {
      if (other.offset >= block.offset + bytes(block)) break;
      if (!Meet(block.ranges, other.ranges)) continue;
      block.offset = std::max(block.offset, other.offset + bytes(other));
    }
    const auto place = std::upper_bound(stacked.begin(), stacked.end(), block,
                                        [](const Block& x, const Block& y) { return x.offset < y.offset; });
    stacked.insert(place, std::move(block));
  }
  chosen = std::move(stacked);
}

std::vector<double> LiveBytes(const Liveness& liveness, uint32_t space, size_t columns) {
  const size_t steps = liveness.flat.steps.size() + 1;
  std::vector<double> change(steps + 1, 0), most(std::min(columns, steps), 0);
  for (const LiveBuffer& buffer : liveness.buffers) {
    if (buffer.space != space) continue;
    for (const StepRange& range : buffer.ranges) {
      change[range.begin] += static_cast<double>(buffer.bytes);
      change[range.end] -= static_cast<double>(buffer.bytes);
    }
  }
  double live = 0;
  for (size_t step = 0; step < steps; ++step) {
    live += change[step];
    double& at = most[step * most.size() / steps];
    at = std::max(at, live);
  }
  return most;
}

std::vector<double> Ticks(double end, double step) {
  std::vector<double> ticks;
  for (int i = 0; i < 12 && i * step <= end * (1 + 1e-9); ++i) ticks.push_back(i * step);
  return ticks;
}

}  // namespace

Panel PanelOf(const Liveness& liveness, const Peak& peak, size_t most, size_t columns) {
  Panel panel;
  panel.peak = &peak;
  std::vector<uint32_t> buffers;
  for (uint32_t b = 0; b < liveness.buffers.size(); ++b) {
    const LiveBuffer& buffer = liveness.buffers[b];
    if (buffer.space == peak.space && buffer.bytes > 0 && !buffer.ranges.empty()) buffers.push_back(b);
  }
  panel.buffers = buffers.size();
  std::sort(buffers.begin(), buffers.end(), [&](uint32_t a, uint32_t b) {
    const uint64_t x = liveness.buffers[a].bytes, y = liveness.buffers[b].bytes;
    return x != y ? x > y : a < b;
  });
  std::vector<bool> at_peak(liveness.buffers.size(), false);
  for (const uint32_t b : peak.buffers) at_peak[b] = true;
  most = std::clamp<size_t>(most, 1, kMaxBlocks);
  const double gap = static_cast<double>(liveness.flat.steps.size()) / static_cast<double>(2 * columns);
  size_t ranges = 0;
  for (size_t i = 0; i < buffers.size() && i < most && ranges < 4 * most; ++i) {
    Block block;
    block.buffer = buffers[i];
    block.at_peak = at_peak[buffers[i]];
    block.ranges = WithoutSmallGaps(liveness.buffers[buffers[i]].ranges, gap);
    ranges += block.ranges.size();
    if (block.at_peak) panel.drawn_at_peak = SaturatingAdd(panel.drawn_at_peak, liveness.buffers[buffers[i]].bytes);
    panel.blocks.push_back(std::move(block));
  }
  Stack(liveness, panel.blocks);
  panel.live = LiveBytes(liveness, peak.space, columns);
  panel.extent = std::max(1.0, static_cast<double>(peak.bytes));
  for (const Block& block : panel.blocks) {
    panel.extent = std::max(panel.extent, block.offset + static_cast<double>(liveness.buffers[block.buffer].bytes));
  }
  return panel;
}

std::vector<double> RoundSteps(double end) {
  double step = 1;
  for (int i = 0; end / step > 6 && i < 60; ++i) step *= i % 3 == 1 ? 2.5 : 2;  // 1, 2, 5, 10, …
  return Ticks(end, step);
}

std::vector<double> RoundBytes(double end) {
  double step = 1;
  while (end / step > 5) step *= 2;
  return Ticks(end, step);
}

}  // namespace oomph::hlo
