// Small values as bytes for the other end of a socket: numbers and strings, one after the other.
// Not for: files (no byte order, no version), outcomes (see Family::PackOutcome).
#ifndef OOMPH_MODELS_BASE_PACK_H_
#define OOMPH_MODELS_BASE_PACK_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace oomph {

class Packer {
 public:
  void Number(uint64_t value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void Text(std::string_view text) {
    Number(text.size());
    bytes_.append(text);
  }
  void Texts(const std::vector<std::string>& texts) {
    Number(texts.size());
    for (const std::string& text : texts) Text(text);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Each call is false once the bytes do not hold what is asked of them.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}
  bool Number(uint64_t& value) {
    if (bytes_.size() < sizeof value) return Spoil();
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_.remove_prefix(sizeof value);
    return true;
  }
  bool Text(std::string& text) {
    uint64_t size = 0;
    if (!Number(size) || size > bytes_.size()) return Spoil();
    text = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return true;
  }
  bool Texts(std::vector<std::string>& texts) {
    uint64_t count = 0;
    if (!Number(count)) return false;
    for (texts.clear(); count > 0; --count) {
      if (!Text(texts.emplace_back())) return false;
    }
    return true;
  }
  bool AtEnd() const { return !spoiled_ && bytes_.empty(); }

 private:
  bool Spoil() {
    spoiled_ = true;
    return false;
  }

  std::string_view bytes_;
  bool spoiled_ = false;
};

}  // namespace oomph

#endif  // OOMPH_MODELS_BASE_PACK_H_
