// Reading and writing whole files the careful way: refuses what is huge or binary without reading it
// all, writes so that a reader or a crash sees the old file or the new one.
// Not for: what is in a case file (see case_file.h).
#ifndef OOMPH_FUZZ_STORE_FILES_H_
#define OOMPH_FUZZ_STORE_FILES_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace oomph {

// The text of a file, or of standard input for "-". At most 64 MiB, no NUL bytes.
absl::StatusOr<std::string> ReadTextFile(const std::string& path);

// The same for any bytes, NUL among them.
absl::StatusOr<std::string> ReadBytes(const std::string& path);

// By a temporary file beside it, fsync and rename; a device or pipe is written to as it is, a link is followed.
// ResourceExhausted: the disk is full.
absl::Status WriteFileAtomically(const std::string& path, std::string_view text);

// Makes a folder and those above it; an error if it cannot be written to.
absl::Status MakeWritableFolder(const std::string& path);

}  // namespace oomph

#endif  // OOMPH_FUZZ_STORE_FILES_H_
