#pragma once

#include <filesystem>
#include <iosfwd>

#include "rooflab/base/json.hpp"
#include "rooflab/record/record.hpp"

namespace rooflab::record {

/// Of record files. It grows when a key changes its meaning or goes.
inline constexpr int schema_version = 1;

/// The record as JSON, described in docs/formats/record.md; absent figures are null.
[[nodiscard]] Json to_json(const Record& record);
/// The same text piece by piece, for records of millions of kernels and ranges: memory holds one
/// row at a time. The keys of `more` come first.
void write_json(std::ostream& stream, const Record& record, const Json& more = Json::object());
[[nodiscard]] Json to_json(const Environment& environment);
[[nodiscard]] Json to_json(const DeviceIdentity& device);
[[nodiscard]] Json to_json(const CaseIdentity& identity);
[[nodiscard]] Json to_json(const MemoryUse& memory);
[[nodiscard]] Json to_json(const std::vector<SampleSeries>& samples);
/// All but the totals of the step and what kernels were launched for.
[[nodiscard]] Json to_json(const Counting& counting);

/// Throws Error (input) that names the key at fault; `file` stands for the text in messages.
[[nodiscard]] Record record_from_json(const Json& json, const std::string& file);
[[nodiscard]] CaseIdentity identity_from_json(const Json& json, const std::string& file);
[[nodiscard]] DeviceIdentity device_identity_from_json(const Json& json, const std::string& file);
[[nodiscard]] Environment environment_from_json(const Json& json, const std::string& file);
/// A list of series; errors name `samples`.
[[nodiscard]] std::vector<SampleSeries> samples_from_json(const Json& json,
                                                          const std::string& file);

/// Throws Error (input) when the file cannot be read or is no record.
[[nodiscard]] Record read_record(const std::filesystem::path& path);

/// Atomically: a reader never sees a part of it.
void write_record(const std::filesystem::path& path, const Record& record);

}  // namespace rooflab::record
