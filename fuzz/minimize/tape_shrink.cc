// See tape_shrink.h.
#include "fuzz/minimize/tape_shrink.h"

#include <algorithm>

namespace oomph {
namespace {

class Shrinker {
 public:
  Shrinker(Tape& tape, const TapeTest& test, size_t budget) : tape_(tape), test_(test), left_(budget) {}

  void Run() {
    DeleteSpans();
    LowerSpans();
  }

 private:
  bool Try(const std::string& bytes) {
    if (left_ == 0) return false;
    --left_;
    Tape canonical;
    if (!test_(bytes, canonical)) return false;
    tape_ = std::move(canonical);
    return true;
  }

  // The bytes without the stretches [first, last).
  std::string Without(size_t first, size_t last) const {
    std::string bytes = tape_.bytes;
    for (size_t i = last; i-- > first;) {
      const TapeSpan& span = tape_.spans[i];
      bytes.erase(span.begin, span.end - span.begin);
    }
    return bytes;
  }

  // Chunks of half of all, a quarter and so on, from the end, where what is dropped hurts least.
  void DeleteSpans() {
    for (size_t chunk = std::max<size_t>(tape_.spans.size() / 2, 1); left_ > 0; chunk /= 2) {
      size_t end = tape_.spans.size();
      while (end > 0 && left_ > 0) {
        const size_t begin = end > chunk ? end - chunk : 0;
        Try(Without(begin, end));
        end = std::min(begin, tape_.spans.size());
      }
      if (chunk <= 1) break;
    }
  }

  // Stretches whose bytes are all zero are the simplest; else each byte halved once.
  void LowerSpans() {
    for (size_t i = 0; i < tape_.spans.size() && left_ > 0; ++i) {
      const TapeSpan span = tape_.spans[i];
      std::string zero = tape_.bytes;
      std::fill(zero.begin() + static_cast<long>(span.begin), zero.begin() + static_cast<long>(span.end), '\0');
      if (zero == tape_.bytes || Try(zero)) continue;
      for (size_t at = span.begin; at < span.end && at < tape_.bytes.size() && left_ > 0; ++at) {
        const auto byte = static_cast<unsigned char>(tape_.bytes[at]);
        if (byte < 2) continue;
        std::string lower = tape_.bytes;
        lower[at] = static_cast<char>(byte / 2);
        Try(lower);
      }
    }
  }

  Tape& tape_;
  const TapeTest& test_;
  size_t left_;
};

}  // namespace

void ShrinkTape(Tape& tape, const TapeTest& test, size_t budget) { Shrinker(tape, test, budget).Run(); }

}  // namespace oomph
