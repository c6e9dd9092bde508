#pragma once

#include <span>
#include <string>

#include "command_spec.hpp"

namespace rooflab::cli {

/// Parses the command line, runs the command, maps errors to exit codes: 0 done, 1 a check that the
/// user asked for failed, 2 usage or input, 3 a needed capability is missing here. An exception
/// that no code expected is 2 and told as a fault of Rooflab.
[[nodiscard]] int run_program(int argc, char** argv);

/// From here on an exception that leaves a thread ends the program with 2, too, and is told.
void say_faults_of_threads();

/// run_program() with other commands, and with this process as it is. `words` are those behind the
/// program's name.
[[nodiscard]] int run_program(std::span<const CommandSpec> commands,
                              std::span<const std::string> words);

}  // namespace rooflab::cli
