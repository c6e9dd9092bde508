#pragma once

namespace rooflab::cli {

/// Makes Ctrl-C (SIGINT), SIGTERM and SIGHUP visible in interrupted() instead of ending the
/// program. A second signal ends it as usual, unless it comes immediately after the first:
/// timeout(1), shells and batch systems send a signal twice. SIGUSR1 and SIGUSR2, which batch
/// systems send before the time of a job is over, are ignored.
void watch_interrupts();
/// Watches signals like watch_interrupts() for a program that runs a user's command: signals that
/// were ignored before remain ignored, as they would be for the command without this program.
void watch_interrupts_beside_command();
[[nodiscard]] bool interrupted();
/// Exit code 128 + signal, as a shell reports it; 0: no signal.
[[nodiscard]] int interrupt_exit_code();

}  // namespace rooflab::cli
