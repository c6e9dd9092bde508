#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "rooflab/import/import_options.hpp"
#include "rooflab/record/record.hpp"

namespace rooflab::import {

/// Reads a trace of the PyTorch profiler (.json, or compressed with gzip) into the record's `trace`
/// and `kernels`. Events are framed one by one and parsed in batches, so memory holds a few batches
/// and the columns. Bad bytes, over-long integers, events without a time and the like are counted
/// in `lost` with the byte (of the uncompressed text) where the first one begins; a file that ends
/// early gives its content, and a loss. docs/formats/kineto.md says what is kept. Throws Error
/// (input) where the file cannot be read or has no list of events.
[[nodiscard]] record::Record read_kineto_trace(const std::filesystem::path& path,
                                               const ImportOptions& options = {});

/// The same for a text in memory; `file` names it in messages.
[[nodiscard]] record::Record read_kineto_text(std::string_view text, const std::string& file);

}  // namespace rooflab::import
