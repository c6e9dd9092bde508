#pragma once

#include <span>
#include <string>

#include "command_spec.hpp"

namespace rooflab::cli {

/// Parses the command line, runs the command, maps errors to exit codes: 0 done, 1 a requested
/// check failed, 2 usage or input, 3 a needed capability is missing. An unexpected exception gives
/// 2 and is reported as a fault of Rooflab.
[[nodiscard]] int run_program(int argc, char** argv);

/// Makes an exception that leaves a thread end the program with exit code 2 and a report.
void say_faults_of_threads();

/// Runs the program with other commands, without changes to this process. `words`: the words after
/// the program's name.
[[nodiscard]] int run_program(std::span<const CommandSpec> commands,
                              std::span<const std::string> words);

}  // namespace rooflab::cli
