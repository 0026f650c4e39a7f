// Room for the thread-local memory of libraries that are loaded late: glibc sets it aside when a program starts, and
// some allocators (jemalloc) ask for more than its default. Not for: loading them (see calls.h).
#ifndef OOMPH_SUBJECTS_MALLOC_STATIC_TLS_H_
#define OOMPH_SUBJECTS_MALLOC_STATIC_TLS_H_

namespace oomph {

// Called first in main: starts this program again, in the same process, with GLIBC_TUNABLES asking for the room.
// Returns if it is there already, or if starting again fails; then the subjects that need it are absent.
void MakeRoomForThreadLocals(char** argv);

}  // namespace oomph

#endif  // OOMPH_SUBJECTS_MALLOC_STATIC_TLS_H_
