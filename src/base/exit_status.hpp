#pragma once

#include "rooflab/base/error.hpp"

namespace rooflab {

/// Exit status of a Rooflab process that an Error (system) ended. The process that started it ends
/// with the same error, because a full disk is not a result of the work. EX_IOERR of <sysexits.h>.
inline constexpr int system_exit_status = 74;

/// Exit status of a worker that an error ends.
[[nodiscard]] inline int worker_exit_status(const Error& error) {
  return error.kind() == ErrorKind::system ? system_exit_status : 1;
}

}  // namespace rooflab
