#pragma once

namespace rooflab::cli {

/// Parses the command line, runs the command, maps errors to exit codes: 0 done, 1 a check that the
/// user asked for failed, 2 usage or input, 3 a needed capability is missing here.
[[nodiscard]] int run_program(int argc, char** argv);

}  // namespace rooflab::cli
