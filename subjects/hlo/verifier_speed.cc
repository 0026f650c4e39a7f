// See verifier_speed.h.
#include "subjects/hlo/verifier_speed.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <string_view>

#include "models/base/pack.h"
#include "models/hlo/answer.h"
#include "subjects/hlo/verifier_library.h"

namespace oomph {
namespace {

// So that one reading and many printings tell the two apart.
constexpr uint32_t kPrints = 8;

double SecondsOf(const VerifierLibrary& library, std::string_view text, uint32_t prints) {
  const auto start = std::chrono::steady_clock::now();
  library.ReadAndPrint(text, prints);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

VerifierSpeed Measure(const VerifierLibrary& library, std::span<const std::string> texts) {
  VerifierSpeed speed;
  hlo::Answer answer;
  for (const std::string& text : texts) {
    library.Ask(text, "", OOMPH_HLO_PRINT, answer);  // also what is only slow the first time
    if (answer.status != hlo::Status::kValid) continue;
    ++speed.texts;
    speed.bytes_read += text.size();
    speed.bytes_printed += answer.text.size();
    speed.read_seconds += SecondsOf(library, text, 0);
    const double once = SecondsOf(library, text, 1), often = SecondsOf(library, text, kPrints + 1);
    speed.print_seconds += std::max(0.0, often - once) / kPrints;
  }
  return speed;
}

}  // namespace

absl::StatusOr<VerifierSpeed> MeasureVerifier(const std::string& path, std::span<const std::string> texts,
                                              const ChildLimits& limits) {
  const auto ask = [&]() -> absl::StatusOr<std::string> {
    const auto library = VerifierLibrary::Load(path);
    if (!library.ok()) return library.status();
    const VerifierSpeed speed = Measure(**library, texts);
    Packer packer;
    for (const uint64_t number : {speed.texts, speed.bytes_read, speed.bytes_printed,
                                  std::bit_cast<uint64_t>(speed.read_seconds),
                                  std::bit_cast<uint64_t>(speed.print_seconds)}) {
      packer.Number(number);
    }
    return packer.bytes();
  };
  const absl::StatusOr<std::string> bytes = AskInChild(path, ask, limits, "when its speed was measured");
  if (!bytes.ok()) return bytes.status();
  Unpacker unpacker(*bytes);
  VerifierSpeed speed;
  uint64_t read = 0, print = 0;
  if (!unpacker.Number(speed.texts) || !unpacker.Number(speed.bytes_read) || !unpacker.Number(speed.bytes_printed) ||
      !unpacker.Number(read) || !unpacker.Number(print) || !unpacker.AtEnd()) {
    return absl::DataLossError(path + ": its speed came back damaged");
  }
  speed.read_seconds = std::bit_cast<double>(read);
  speed.print_seconds = std::bit_cast<double>(print);
  return speed;
}

}  // namespace oomph
