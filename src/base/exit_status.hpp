#pragma once

#include "rooflab/base/error.hpp"

namespace rooflab {

/// Status of a process of ours that an Error (system) ended. Whoever started it ends with the same
/// error: a full disk is not an outcome of the work. EX_IOERR of <sysexits.h>.
inline constexpr int system_exit_status = 74;

/// Status of a worker that this ends.
[[nodiscard]] inline int worker_exit_status(const Error& error) {
  return error.kind() == ErrorKind::system ? system_exit_status : 1;
}

}  // namespace rooflab
