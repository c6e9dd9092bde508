#pragma once

#include <filesystem>

#include "rooflab/import/import_options.hpp"
#include "rooflab/record/record.hpp"

namespace rooflab::import {

/// Reads a report of Nsight Compute (.ncu-rep) through `ncu` itself, which must be on PATH: the
/// format is the tool's own and changes with it. Throws Error (capability) with the command that
/// converts the file if ncu is missing, and Error (input) with ncu's words where it refuses.
[[nodiscard]] record::Record read_ncu_report(const std::filesystem::path& path,
                                             const ImportOptions& options = {});

}  // namespace rooflab::import
