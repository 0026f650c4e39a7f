// See fingerprint.h.
#include "models/base/fingerprint.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace oomph {
namespace {

Fingerprint Of(XXH128_hash_t hash) { return {hash.low64, hash.high64}; }

}  // namespace

struct Fingerprinter::State {
  XXH3_state_t xxh;
};

Fingerprinter::Fingerprinter() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->xxh); }
Fingerprinter::~Fingerprinter() = default;
void Fingerprinter::AddBytes(const void* bytes, size_t count) { XXH3_128bits_update(&state_->xxh, bytes, count); }
Fingerprint Fingerprinter::Get() const { return Of(XXH3_128bits_digest(&state_->xxh)); }

Fingerprint FingerprintOfText(std::string_view text) { return Of(XXH3_128bits(text.data(), text.size())); }

}  // namespace oomph
