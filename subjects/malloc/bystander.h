// Bystander: allocates, fills, checks, grows, hands on and frees blocks of its own while a trace runs, so that a
// block that is handed out twice, or kept by nobody's lock, is seen. Not for: the steps of the trace.
//
// What it does follows from its seed and from the words of the steps. Blocks go round: some that one allocates are
// freed by the next.
#ifndef OOMPH_SUBJECTS_MALLOC_BYSTANDER_H_
#define OOMPH_SUBJECTS_MALLOC_BYSTANDER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "subjects/malloc/calls.h"
#include "subjects/malloc/fill.h"

namespace oomph::malloc_family {

// The first that anyone has to say, for another thread to read.
class FirstWord {
 public:
  void Say(std::string text) {
    const std::lock_guard lock(mutex_);
    if (text_.empty()) text_ = std::move(text);
  }
  std::string text() const {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  mutable std::mutex mutex_;
  std::string text_;
};

class Bystander {
 public:
  Bystander(const Calls& calls, uint64_t seed, FirstWord& damage) : calls_(calls), state_(seed), damage_(damage) {}
  // Frees what is left, from whatever thread that is.
  ~Bystander() {
    for (Own& own : slots_) Free(own);
    for (Own& own : inbox_) Free(own);
  }
  Bystander(const Bystander&) = delete;
  Bystander& operator=(const Bystander&) = delete;

  void HandsOnTo(Bystander* next) { next_ = next; }

  // A step's share.
  void Work(uint64_t word) {
    state_ ^= word;
    for (int i = 0; i < kOperations; ++i) {
      if (std::optional<Own> own = TakeFromInbox()) {
        Check(*own, own->size, "was handed on and");
        Free(*own);
      }
      Own& own = slots_[Draw() % kSlots];
      if (own.block == nullptr) {
        Allocate(own);
      } else {
        Check(own, own.size, "");
        Use(own);
      }
    }
  }

 private:
  static constexpr int kOperations = 4;  // a share
  static constexpr size_t kSlots = 24;

  struct Own {
    void* block = nullptr;
    size_t size = 0;
    uint64_t seed = 0;
  };

  uint64_t Draw() {  // splitmix64
    uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

  // Small ones mostly: those go through the caches of threads.
  size_t DrawSize() {
    const uint64_t draw = Draw();
    const int bits = draw % 32 == 0 ? 16 : draw % 4 == 0 ? 11 : 7;
    return static_cast<size_t>(1 + (draw >> 8) % (uint64_t{1} << bits));
  }

  void Allocate(Own& own) {
    const size_t size = DrawSize();
    switch (Draw() % 4) {
      case 0: {
        own.block = calls_.calloc(1, size);
        const std::optional<size_t> at = own.block == nullptr ? std::nullopt : FirstNotZero(own.block, size);
        if (at) damage_.Say("byte " + std::to_string(*at) + " of " + std::to_string(size) + " from calloc is not 0");
        break;
      }
      case 1: {
        const size_t alignment = size_t{16} << (Draw() % 6);
        own.block = calls_.aligned_alloc(alignment, (size + alignment - 1) & ~(alignment - 1));
        break;
      }
      default: own.block = calls_.malloc(size);
    }
    if (own.block != nullptr) Write(own, size);
  }

  void Write(Own& own, size_t size) {
    own.size = size;
    own.seed = Draw();
    Fill(own.block, own.size, own.seed);
  }

  void Use(Own& own) {
    const uint64_t draw = Draw() % 8;
    if (draw == 0) {
      const size_t size = DrawSize();
      void* const block = calls_.realloc(own.block, size);
      if (block == nullptr) return;
      own.block = block;
      Check(own, std::min(size, own.size), "was reallocated and");
      Write(own, size);
    } else if (draw < 4 && next_ != nullptr) {
      next_->Give(own);
      own = {};
    } else if (draw < 7) {
      Free(own);
    }
  }

  void Check(const Own& own, size_t kept, const char* what) {
    const std::optional<size_t> at = FirstChanged(own.block, own.size, own.seed, kept);
    if (!at) return;
    damage_.Say("a block of another thread (" + std::to_string(own.size) + " bytes) " + what +
                " lost what was written at byte " + std::to_string(*at));
  }

  void Free(Own& own) {
    if (own.block != nullptr) calls_.free(own.block);
    own = {};
  }

  void Give(const Own& own) {
    const std::lock_guard lock(inbox_mutex_);
    inbox_.push_back(own);
  }
  std::optional<Own> TakeFromInbox() {
    const std::lock_guard lock(inbox_mutex_);
    if (inbox_.empty()) return std::nullopt;
    const Own own = inbox_.back();
    inbox_.pop_back();
    return own;
  }

  const Calls calls_;
  uint64_t state_;
  FirstWord& damage_;
  Bystander* next_ = nullptr;
  std::array<Own, kSlots> slots_;
  std::mutex inbox_mutex_;
  std::vector<Own> inbox_;
};

}  // namespace oomph::malloc_family

#endif  // OOMPH_SUBJECTS_MALLOC_BYSTANDER_H_
