#pragma once

#include "flag_table.hpp"
#include "rooflab/study/study.hpp"

namespace rooflab::cli {

/// Throws Error (input) at the study's line for flags that the command of a case does not take, or
/// not so: with a value or without. `commands` are all of the program.
void check_flags(const study::Study& study, const std::vector<CommandRow>& commands);

}  // namespace rooflab::cli
