#pragma once

#include <filesystem>
#include <iosfwd>

#include "rooflab/base/json.hpp"
#include "rooflab/record/record.hpp"

namespace rooflab::record {

/// The file of a record piece by piece, for records of millions of kernels and ranges: memory holds
/// one row at a time. The members of `more` come first. docs/formats/record.md.
void write_json(std::ostream& stream, const Record& record, const Json& more = Json::object());

/// Atomically: a reader never sees a part of it.
void write_record(const std::filesystem::path& path, const Record& record);

}  // namespace rooflab::record
