#pragma once

#include <filesystem>

#include "file_descriptor.hpp"

// Locks of flock(2): the kernel frees them when their process ends for any reason. A process that
// opens a file just before another removes it locks a file without a name, so a lock is valid only
// while the name still belongs to the file.

namespace rooflab {

/// Locks the file without waiting for it. False: another process has the lock (`errno` is
/// EWOULDBLOCK), or the file system has no locks (any other `errno`).
[[nodiscard]] bool lock_now(const FileDescriptor& file);

/// Whether the path, which may not be a link, is the name of this open file. False: it is not
/// (`errno` is ENOENT), or the system cannot tell (any other `errno`).
[[nodiscard]] bool is_name_of(const std::filesystem::path& path, const FileDescriptor& file);

}  // namespace rooflab
