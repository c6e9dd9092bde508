#pragma once

#include <CLI/App.hpp>

#include "rooflab/study/study.hpp"

namespace rooflab::cli {

/// Throws Error (input) at the study's line for flags that the command of a case does not take, or
/// not so: with a value or without. `program` has all commands.
void check_flags(const study::Study& study, const CLI::App& program);

}  // namespace rooflab::cli
