#pragma once

#include <span>

#include "command_spec.hpp"
#include "rooflab/study/study.hpp"

namespace rooflab::cli {

/// Throws Error (input), at its place in the study file, for a key that the command of its mode has
/// no flag for, and for a value where the flag takes none (or the other way round).
void check_flags(const study::Study& study, std::span<const CommandSpec> commands);

}  // namespace rooflab::cli
