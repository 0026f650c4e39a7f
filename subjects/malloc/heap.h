// Heap: one case's blocks in a malloc, asked for with the calls that a variant names, from one thread or several.
// Not for: judging. What only this side can see (memory of calloc that is not zero, bytes beyond the size that do not
// stay, a bystander's block) it tells when it is asked to validate.
//
// Limits, so that a campaign does not eat the machine and a refusal is never the allocator's fault:
//   - what would bring the live bytes above the capacity is refused here, before the call where that can be told;
//   - an alignment above the capacity is invalid here; from kImpossible on the allocator is asked first;
//   - sizes from kImpossible on no machine has: those do go to the allocator, which must refuse.
#ifndef OOMPH_SUBJECTS_MALLOC_HEAP_H_
#define OOMPH_SUBJECTS_MALLOC_HEAP_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "subjects/abi/oomph.h"
#include "subjects/malloc/bystander.h"
#include "subjects/malloc/calls.h"
#include "subjects/malloc/crew.h"
#include "subjects/malloc/fill.h"

namespace oomph::malloc_family {

// Which calls a step becomes. kC: malloc, and aligned_alloc where an alignment is asked for. kCalloc: the same with
// calloc. The others ask for an alignment each time.
enum class Asking : uint8_t { kC, kCalloc, kAlignedAlloc, kPosixMemalign, kMemalign };

struct Options {
  Asking asking = Asking::kC;
  bool free_sized = false;
  size_t threads = 1;  // 2 and more: two of them take the steps in turn, the others are bystanders
};

inline constexpr size_t kMaxThreads = 16;

// "calls=calloc,free=sized,threads=4", in any order, each with a default. False: not understood.
inline bool ParseOptions(std::string_view text, Options* options) {
  constexpr std::pair<std::string_view, Asking> kAskings[] = {{"calls=c", Asking::kC},
                                                              {"calls=calloc", Asking::kCalloc},
                                                              {"calls=aligned_alloc", Asking::kAlignedAlloc},
                                                              {"calls=posix_memalign", Asking::kPosixMemalign},
                                                              {"calls=memalign", Asking::kMemalign}};
  constexpr std::string_view kThreads = "threads=";
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const auto asking = std::find_if(std::begin(kAskings), std::end(kAskings),
                                     [&](const auto& row) { return row.first == word; });
    if (asking != std::end(kAskings)) {
      options->asking = asking->second;
    } else if (word == "free=sized" || word == "free=plain") {
      options->free_sized = word == "free=sized";
    } else if (word.substr(0, kThreads.size()) == kThreads && word.size() > kThreads.size()) {
      options->threads = 0;
      for (const char digit : word.substr(kThreads.size())) {
        if (digit < '0' || digit > '9' || options->threads > kMaxThreads) return false;
        options->threads = 10 * options->threads + static_cast<size_t>(digit - '0');
      }
      if (options->threads < 1 || options->threads > kMaxThreads) return false;
    } else {
      return false;
    }
  }
  return true;
}

class Heap {
 public:
  // Above the address space of any process here (47 bits).
  static constexpr uint64_t kImpossible = uint64_t{1} << 48;

  Heap(const Calls& calls, const Options& options, uint64_t capacity, uint64_t seed)
      : calls_(calls), options_(options), capacity_(capacity) {
    const size_t steppers = std::min<size_t>(options.threads == 1 ? 0 : 2, options.threads);
    std::vector<Crew::Share> shares;
    for (size_t i = steppers; i < options.threads && options.threads > 1; ++i) {
      bystanders_.push_back(std::make_unique<Bystander>(calls, seed + i, bystander_damage_));
      shares.emplace_back([own = bystanders_.back().get()](uint64_t word) { own->Work(word); });
    }
    for (size_t i = 0; i < bystanders_.size() && bystanders_.size() > 1; ++i) {
      bystanders_[i]->HandsOnTo(bystanders_[(i + 1) % bystanders_.size()].get());
    }
    crew_ = std::make_unique<Crew>(steppers, std::move(shares));
  }
  ~Heap() {
    crew_.reset();
    for (const Block& block : blocks_) {
      if (block.address != nullptr) calls_.free(block.address);
    }
  }
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  int Allocate(const oomph_request& request, oomph_block* given) {
    if (!TakesAlignment(request.alignment)) return OOMPH_INVALID;
    if (BeyondLimit(request.size)) return OOMPH_NOMEM;
    Block block = {.size = request.size, .alignment = request.alignment};
    Step(request, [&] { block.address = Ask(block); });
    if (block.address == nullptr) return Refused(request.alignment);
    block.reserved = calls_.malloc_usable_size(block.address);
    if (block.size < kImpossible && block.reserved > Room() && block.reserved >= block.size) {
      Step(request, [&] { calls_.free(block.address); });
      return OOMPH_NOMEM;
    }
    if (options_.asking == Asking::kCalloc && block.alignment == 0) CheckZero(block);
    Keep(block, Unused(), given);
    return OOMPH_OK;
  }

  int Reallocate(uint64_t handle, const oomph_request& request, oomph_block* given) {
    if (!TakesAlignment(request.alignment)) return OOMPH_INVALID;
    Block& old = blocks_[handle];
    CheckSlack(old);
    // Of realloc(p, 0) the C standard says nothing any more.
    Block block = {.size = std::max<uint64_t>(request.size, 1),
                   .alignment = request.alignment == 0 ? old.alignment : request.alignment};
    if (BeyondLimit(block.size)) return OOMPH_NOMEM;  // old and new may be there at once
    Step(request, [&] { block.address = AskAgain(old, block); });
    if (block.address == nullptr) return Refused(block.alignment);
    block.reserved = calls_.malloc_usable_size(block.address);
    // It cannot be taken back any more: of the bytes beyond the size we claim no more than there is room for.
    if (block.reserved > Room()) block.reserved = std::max(std::min(block.size, block.reserved), Room());
    live_ -= old.reserved;
    old.address = nullptr;
    Keep(block, handle, given);
    return OOMPH_OK;
  }

  int Free(uint64_t handle) {
    Block& block = blocks_[handle];
    CheckSlack(block);
    const oomph_request request = {block.size, block.alignment, 0, 0};
    Step(request, [&] {
      if (options_.free_sized && calls_.free_sized != nullptr && block.fresh) {
        calls_.free_sized(block.address, AskedSize(block), AskedAlignment(block));
      } else {
        calls_.free(block.address);
      }
    });
    live_ -= block.reserved;
    block = {};
    unused_.push_back(handle);
    return OOMPH_OK;
  }

  // What nobody else can see; the slack of a few blocks each time.
  int Validate(char* message, size_t message_bytes) {
    crew_->Rest();
    for (int i = 0; i < 4 && !blocks_.empty(); ++i) CheckSlack(blocks_[next_to_check_++ % blocks_.size()]);
    if (damage_ == OOMPH_OK && !bystander_damage_.text().empty()) {
      Damage(OOMPH_THREAD_DAMAGED, bystander_damage_.text());
    }
    if (damage_ != OOMPH_OK && message_bytes > 0) {
      message[damage_text_.copy(message, message_bytes - 1)] = '\0';
    }
    return damage_;
  }

  // nullptr where it is smaller than it was asked to be: nothing may be written there.
  void* Address(uint64_t handle) const {
    const Block& block = blocks_[handle];
    return block.reserved < block.size ? nullptr : block.address;
  }

 private:
  struct Block {
    void* address = nullptr;
    uint64_t size = 0;       // asked for
    uint64_t alignment = 0;  // asked for; 0: none
    uint64_t reserved = 0;
    bool fresh = true;       // never reallocated
  };

  static constexpr uint64_t kFundamental = alignof(std::max_align_t);

  bool TakesAlignment(uint64_t alignment) const {
    return (alignment & (alignment - 1)) == 0 && (alignment <= capacity_ || alignment >= kImpossible);
  }
  int Refused(uint64_t alignment) const { return alignment > capacity_ ? OOMPH_INVALID : OOMPH_NOMEM; }
  bool BeyondLimit(uint64_t size) const { return size < kImpossible && size > Room(); }
  uint64_t Room() const { return capacity_ > live_ ? capacity_ - live_ : 0; }

  // On the thread whose turn it is.
  void Step(const oomph_request& request, const std::function<void()>& call) {
    crew_->Do(request.size * 31 + request.alignment, call);
  }

  bool AsksAligned(const Block& block) const {
    return block.alignment != 0 || (options_.asking != Asking::kC && options_.asking != Asking::kCalloc);
  }
  // As the call gets it.
  uint64_t AskedAlignment(const Block& block) const {
    if (!AsksAligned(block)) return 0;
    if (block.alignment == 0) return kFundamental;
    return options_.asking == Asking::kPosixMemalign ? std::max<uint64_t>(block.alignment, sizeof(void*))
                                                     : block.alignment;
  }
  // aligned_alloc takes multiples of the alignment only, by C11 and by the manuals that follow it.
  uint64_t AskedSize(const Block& block) const {
    if (!AsksAligned(block) || options_.asking == Asking::kPosixMemalign || options_.asking == Asking::kMemalign) {
      return block.size;
    }
    const uint64_t mask = AskedAlignment(block) - 1;
    return block.size > UINT64_MAX - mask ? ~mask : (block.size + mask) & ~mask;
  }

  void* Ask(const Block& block) const {
    const uint64_t size = AskedSize(block), alignment = AskedAlignment(block);
    if (alignment == 0) return options_.asking == Asking::kCalloc ? calls_.calloc(1, size) : calls_.malloc(size);
    if (options_.asking == Asking::kMemalign) return calls_.memalign(alignment, size);
    if (options_.asking != Asking::kPosixMemalign) return calls_.aligned_alloc(alignment, size);
    void* address = nullptr;
    return calls_.posix_memalign(&address, alignment, size) == 0 ? address : nullptr;
  }

  // realloc keeps the fundamental alignment only, and for small objects only their own; a program that needs more
  // and has no call for it allocates, copies and frees.
  void* AskAgain(Block& old, Block& block) const {
    block.fresh = false;
    if (block.alignment <= std::min(kFundamental, block.size)) return calls_.realloc(old.address, block.size);
    if (calls_.realloc_aligned != nullptr) return calls_.realloc_aligned(old.address, block.size, block.alignment);
    block.fresh = true;
    void* const address = Ask(block);
    if (address == nullptr) return nullptr;
    std::memcpy(address, old.address, std::min(old.size, block.size));
    calls_.free(old.address);
    return address;
  }

  uint64_t Unused() {
    if (unused_.empty()) {
      blocks_.emplace_back();
      return blocks_.size() - 1;
    }
    const uint64_t handle = unused_.back();
    unused_.pop_back();
    return handle;
  }

  void Keep(const Block& block, uint64_t handle, oomph_block* given) {
    live_ += block.reserved;
    blocks_[handle] = block;
    if (block.reserved > block.size) Fill(Slack(block), block.reserved - block.size, SlackSeed(block));
    *given = {handle, Offset(block.address), block.reserved};
  }

  // Most blocks of a case lie within a window of 2^40 bytes around the first; those begin near 0, the others above.
  // Either way an offset is a multiple of what the address is a multiple of, up to 2^32.
  uint64_t Offset(const void* address) {
    constexpr uint64_t kWindow = uint64_t{1} << 40, kGrain = uint64_t{1} << 32;
    const auto at = reinterpret_cast<uint64_t>(address);
    if (!base_) base_ = std::max(at & ~(kGrain - 1), kGrain) - kGrain;
    return at - *base_ < kWindow ? at - *base_ : at + kWindow;
  }

  static void* Slack(const Block& block) { return static_cast<char*>(block.address) + block.size; }
  static uint64_t SlackSeed(const Block& block) { return reinterpret_cast<uint64_t>(block.address); }

  void CheckSlack(const Block& block) {
    if (block.address == nullptr || block.reserved <= block.size) return;
    const uint64_t bytes = block.reserved - block.size;
    const std::optional<size_t> at = FirstChanged(Slack(block), bytes, SlackSeed(block), bytes);
    if (!at) return;
    Damage(OOMPH_SLACK_DAMAGED, "byte " + std::to_string(block.size + *at) + " of a block of " +
                                    std::to_string(block.size) + " bytes, " + std::to_string(block.reserved) +
                                    " usable, is not what was written there");
  }

  void CheckZero(const Block& block) {
    if (block.reserved < block.size) return;
    if (const std::optional<size_t> at = FirstNotZero(block.address, block.size)) {
      Damage(OOMPH_NOT_ZEROED,
             "byte " + std::to_string(*at) + " of " + std::to_string(block.size) + " from calloc is not 0");
    }
  }

  void Damage(int code, std::string text) {
    if (damage_ != OOMPH_OK) return;
    damage_ = code;
    damage_text_ = std::move(text);
  }

  const Calls calls_;
  const Options options_;
  const uint64_t capacity_;
  std::vector<Block> blocks_;  // by handle
  std::vector<uint64_t> unused_;
  uint64_t live_ = 0;  // reserved bytes
  std::optional<uint64_t> base_;
  size_t next_to_check_ = 0;
  int damage_ = OOMPH_OK;
  std::string damage_text_;
  FirstWord bystander_damage_;
  std::vector<std::unique_ptr<Bystander>> bystanders_;
  std::unique_ptr<Crew> crew_;
};

}  // namespace oomph::malloc_family

#endif  // OOMPH_SUBJECTS_MALLOC_HEAP_H_
