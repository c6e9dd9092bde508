#pragma once

#include "commands.hpp"
#include "rooflab/task/result_reader.hpp"

namespace rooflab::cli {
using task::read_recordings;
using task::read_result_set;
using task::result_files;
using task::ResultFile;
}  // namespace rooflab::cli
