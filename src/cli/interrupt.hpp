#pragma once

namespace rooflab::cli {

/// From here on Ctrl-C (SIGINT) and SIGTERM are asked for with interrupted() instead of ending the
/// program. The second one ends it as usual.
void watch_interrupts();
[[nodiscard]] bool interrupted();
/// 128 + the signal, as a shell reports it; 0 when there was none.
[[nodiscard]] int interrupt_exit_code();

}  // namespace rooflab::cli
