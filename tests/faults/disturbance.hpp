#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/child_run.hpp"

namespace faults {

/// What happens to one run of a command. Its text form is what --replay takes:
///
///     kill@0.125s     SIGKILL after that time
///     hang@0.125s     the same, while a worker of the command waits for ever
///     kill@57         SIGKILL before the 57th call on a watched file
///     ENOSPC@57       that call fails; ENOSPC@57+: so does each later one that can
///     stdout=full     a standard stream: closed, full (/dev/full) or cut (its reader leaves)
///     pair            the same command runs at the same time
///     none
struct Disturbance {
  std::optional<std::chrono::microseconds> kill_after{};
  bool hangs = false;
  std::optional<long> call{};  ///< the call that is killed at or that fails
  int error = 0;               ///< the call fails with it; 0: the program is killed
  bool stays = false;
  sandbox::Stream in = sandbox::Stream::usual;
  sandbox::Stream out = sandbox::Stream::usual;
  sandbox::Stream err = sandbox::Stream::usual;
  bool pair = false;

  [[nodiscard]] bool kills() const { return kill_after || (call && error == 0); }
};

[[nodiscard]] std::string to_text(const Disturbance& disturbance);

/// Disturbances of runs that follow each other, separated by commas; throws std::runtime_error.
[[nodiscard]] std::vector<Disturbance> read_disturbances(const std::string& text);
[[nodiscard]] std::string to_text(const std::vector<Disturbance>& runs);

}  // namespace faults
