#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/import/import_options.hpp"
#include "rooflab/record/record.hpp"

namespace rooflab::import {

/// Reads what `ncu --csv` printed: raw or details page, old and new headers, mixed with the
/// program's own output and ncu's messages, of one or several processes. docs/formats/ncu.md
/// describes the input. The record's `kernels` hold a row per launch; `lost` counts what could not
/// be read; `warnings` hold remarks for readers of the figures (derived counters, unknown units).
///
/// The file is streamed: memory grows with the number of launches, not with the file.
/// Throws Error (input) where the file cannot be read or holds no table of ncu, with line and hint.
[[nodiscard]] record::Record read_ncu_csv(const std::filesystem::path& path,
                                          const ImportOptions& options = {});

/// The same for a text in memory; `file` names it in messages.
[[nodiscard]] record::Record read_ncu_csv_text(std::string_view text, const std::string& file);

}  // namespace rooflab::import
