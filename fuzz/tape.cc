// See tape.h.
#include "fuzz/tape.h"

#include <algorithm>

namespace oomph {

Tape RecordTape(const Family& family, Choices choices, const GenerateOptions& options, Case& into) {
  Tape tape;
  choices.Record(&tape.bytes, &tape.spans);
  family.Generate(choices, options, into);
  // Only whole stretches that stand one after the other are of use: of those within one another, the first that ended.
  size_t end = 0;
  std::erase_if(tape.spans, [&](const TapeSpan& span) {
    const bool bad = span.begin < end || span.begin >= span.end || span.end > tape.bytes.size();
    if (!bad) end = span.end;
    return bad;
  });
  return tape;
}

std::string MutateTape(const Family& family, std::string_view bytes, size_t max_size, uint64_t seed) {
  const auto scratch = family.NewCase();
  // Decoding once gives the canonical tape: long inputs lose their tail.
  Tape tape = RecordTape(family, Choices::FromTape(bytes), {}, *scratch);
  Choices choices = Choices::FromSeed(seed, true);
  const uint64_t edits = 1 + choices.Below(4);
  for (uint64_t i = 0; i < edits && !tape.spans.empty(); ++i) {
    const TapeSpan from = tape.spans[choices.Below(tape.spans.size())];
    const TapeSpan to = tape.spans[choices.Below(tape.spans.size())];
    if (std::max(from.end, to.end) > tape.bytes.size()) break;
    const std::string piece = tape.bytes.substr(from.begin, from.end - from.begin);
    switch (choices.Below(4)) {
      case 0:
        tape.bytes.erase(from.begin, piece.size());
        break;
      case 1:
        tape.bytes.insert(to.begin, piece);
        break;
      case 2:
        tape.bytes.replace(to.begin, to.end - to.begin, piece);
        break;
      case 3:
        tape.bytes[from.begin + choices.Below(piece.size())] = static_cast<char>(choices.Below(256));
        break;
    }
  }
  if (tape.bytes.size() > max_size) tape.bytes.resize(max_size);
  return tape.bytes;
}

}  // namespace oomph
