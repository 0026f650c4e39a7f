// Whether this build runs under a sanitizer: some limits and loader flags do not go with one.
// Not for: choosing what is tested.
#ifndef OOMPH_SUBJECTS_CHILD_SANITIZED_H_
#define OOMPH_SUBJECTS_CHILD_SANITIZED_H_

namespace oomph {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_CHILD_SANITIZED_H_
