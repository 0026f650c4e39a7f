// See tape_edits.h.
#include "fuzz/minimize/tape_edits.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace oomph {
namespace {

enum TapeReduction : size_t { kDrop, kZero, kLower };

constexpr ReductionInfo kReductions[] = {
    {"drop_stretches", "span", "stretches of the tape go"},
    {"zero_stretches", "span", "all choices of a stretch are the simplest"},
    {"lower_bytes", "byte", "a byte is lower"}};

bool AllZero(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](char c) { return c == '\0'; });
}

// The stretches that an edit is about, last first: what is dropped there hurts least.
std::vector<TapeSpan> SpansOf(size_t reduction, const Tape& tape) {
  std::vector<TapeSpan> spans;
  for (size_t i = tape.spans.size(); i-- > 0;) {
    const TapeSpan& span = tape.spans[i];
    const std::string_view bytes = std::string_view(tape.bytes).substr(span.begin, span.end - span.begin);
    if (reduction == kDrop || !AllZero(bytes)) spans.push_back(span);
  }
  return spans;
}

// The bytes that can be lower, by their places.
std::vector<size_t> BytesToLower(const Tape& tape) {
  std::vector<size_t> places;
  for (const TapeSpan& span : tape.spans) {
    for (size_t i = span.begin; i < span.end && i < tape.bytes.size(); ++i) {
      if (tape.bytes[i] != '\0') places.push_back(i);
    }
  }
  return places;
}

class TapeEdits final : public Edits {
 public:
  TapeEdits(size_t reduction, const Tape& base, const DecodeTape& decode, std::vector<uint64_t> most)
      : Edits(std::move(most)), reduction_(reduction), base_(base), decode_(decode) {}
  bool Apply(std::span<const uint64_t> amounts, Case& into) const override {
    const std::string bytes = EditTape(reduction_, base_, amounts);
    if (bytes == base_.bytes) return false;
    decode_(bytes, into);
    return true;
  }

 private:
  const size_t reduction_;
  const Tape& base_;
  const DecodeTape& decode_;
};

}  // namespace

std::span<const ReductionInfo> TapeReductions() { return kReductions; }

std::unique_ptr<Edits> TapeEditsOf(size_t reduction, const Tape& base, const DecodeTape& decode) {
  std::vector<uint64_t> most;
  if (reduction == kLower) {
    for (const size_t place : BytesToLower(base)) most.push_back(static_cast<unsigned char>(base.bytes[place]));
  } else {
    most.assign(SpansOf(reduction, base).size(), 1);
  }
  if (most.empty()) return nullptr;
  return std::make_unique<TapeEdits>(reduction, base, decode, std::move(most));
}

std::string EditTape(size_t reduction, const Tape& base, std::span<const uint64_t> amounts) {
  std::string bytes = base.bytes;
  if (reduction == kLower) {
    const std::vector<size_t> places = BytesToLower(base);
    for (size_t i = 0; i < places.size(); ++i) {
      bytes[places[i]] = static_cast<char>(static_cast<unsigned char>(bytes[places[i]]) - amounts[i]);
    }
    return bytes;
  }
  const std::vector<TapeSpan> spans = SpansOf(reduction, base);  // last first, so that places stay true
  for (size_t i = 0; i < spans.size(); ++i) {
    if (amounts[i] == 0) continue;
    const size_t begin = spans[i].begin, count = spans[i].end - begin;
    if (reduction == kDrop) {
      bytes.erase(begin, count);
    } else {
      bytes.replace(begin, count, count, '\0');
    }
  }
  return bytes;
}

}  // namespace oomph
