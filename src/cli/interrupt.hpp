#pragma once

namespace rooflab::cli {

/// From here on Ctrl-C (SIGINT), SIGTERM and SIGHUP are asked for with interrupted() instead of
/// ending the program. A second one ends it as usual, unless it belongs to the first: timeout(1),
/// shells and batch systems send one twice within a moment. SIGUSR1 and SIGUSR2, which batch
/// systems send before the time of a job is up, do nothing.
void watch_interrupts();
/// The same where a user's command is to run: it has ignored what it would have ignored without
/// this program, so that stays ignored here.
void watch_interrupts_beside_command();
[[nodiscard]] bool interrupted();
/// 128 + the signal, as a shell reports it; 0 when there was none.
[[nodiscard]] int interrupt_exit_code();

}  // namespace rooflab::cli
