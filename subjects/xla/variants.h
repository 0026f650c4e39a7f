// The variants of the subject xla: one list for the plugin and for its row, so that the row costs no loading of XLA
// (some 300 ms and 300 MB in each command). Not for: what they mean (see xla_plugin.cc).
#ifndef OOMPH_SUBJECTS_XLA_VARIANTS_H_
#define OOMPH_SUBJECTS_XLA_VARIANTS_H_

namespace oomph::xla_heap {

inline constexpr const char* kVariants[] = {"order=spatial", "order=temporal", "order=spatial,heap=constrained"};

}  // namespace oomph::xla_heap

#endif  // OOMPH_SUBJECTS_XLA_VARIANTS_H_
