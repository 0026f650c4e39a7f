// A number that stands for what a case says, of 128 bits, the same on every machine.
// Not for: hash tables of a run (absl::HashOf), nor where somebody may want two to be equal.
#ifndef OOMPH_MODELS_BASE_FINGERPRINT_H_
#define OOMPH_MODELS_BASE_FINGERPRINT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

namespace oomph {

using Fingerprint = std::pair<uint64_t, uint64_t>;

Fingerprint FingerprintOfText(std::string_view text);

// Takes what a case says piece by piece. Pieces of different cut are different: "ab", "c" and "a", "bc".
class Fingerprinter {
 public:
  Fingerprinter();
  ~Fingerprinter();
  void Add(uint64_t number) { AddBytes(&number, sizeof(number)); }
  void Add(std::string_view text) {
    Add(text.size());
    AddBytes(text.data(), text.size());
  }
  Fingerprint Get() const;

 private:
  void AddBytes(const void* bytes, size_t count);
  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace oomph

#endif  // OOMPH_MODELS_BASE_FINGERPRINT_H_
