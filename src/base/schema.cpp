// Version 1 had no rule for units in keys, and several names for one thing. Its files are read by
// giving their keys today's names first; readers know those alone.

#include "rooflab/base/schema.hpp"

#include <algorithm>
#include <array>
#include <ostream>

#include "rooflab/base/error.hpp"
#include "rooflab/base/file.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/json_fields.hpp"

namespace rooflab {
namespace {

/// Objects whose keys are names and not words of the vocabulary.
constexpr std::array named_maps = std::to_array<std::string_view>(
    {"libraries", "peaks", "flops_by_path", "tensor_by_type", "coverage", "facts"});

constexpr std::array renamed = std::to_array<RenamedKey>({
    {"identity", "command", "command_line"},
    {"environment", "command", "command_line"},
    {"memory", "saved_bytes", "saved_activation_bytes"},
    {"", "energy_j", "step_energy_j"},
    {"samples", "energy_j", "energy_counter_j"},
    {"samples", "core_utilization", "core_utilization_share"},
    {"samples", "memory_utilization", "memory_utilization_share"},
    {"", "samples", "sample_series"},
    {"ranks", "samples", "sample_series"},
    {"kernels", "busy", "busy_share"},
    {"kernels", "sm_efficiency", "sm_efficiency_share"},
    {"kernels", "occupancy", "occupancy_share"},
    {"copies", "name", "name_id"},
    {"allocations", "total_allocated", "total_allocated_bytes"},
    {"allocations", "total_reserved", "total_reserved_bytes"},
    {"*", "target_accuracy", "target_accuracy_share"},
    {"recipe", "rise", "rise_share"},
    {"epochs", "accuracy", "accuracy_share"},
    {"epochs", "train_accuracy", "train_accuracy_share"},
});

std::string_view new_key(std::string_view parent, std::string_view key) {
  const auto* const found = std::ranges::find_if(renamed, [&](const RenamedKey& each) {
    return each.before == key && (each.parent == parent || each.parent == "*");
  });
  return found == renamed.end() ? key : found->now;
}

Json renamed_in(const Json& json, std::string_view parent) {
  if (json.is_array()) {
    // Lists of numbers can be long and have no keys.
    if (json.empty() || (!json.front().is_object() && !json.front().is_array())) return json;
    Json list = Json::array();
    for (const Json& each : json) list.push_back(renamed_in(each, parent));
    return list;
  }
  if (!json.is_object()) return json;
  const bool named = has_free_keys(parent);
  Json object = Json::object();
  for (const auto& [key, value] : json.items()) {
    object[named ? std::string_view(key) : new_key(parent, key)] = renamed_in(value, key);
  }
  return object;
}

}  // namespace

Json with_head(const FileKind& kind, const Json& content) {
  Json json = {{"schema_version", schema_version}, {"kind", kind.name}};
  json.update(content);
  return json;
}

std::optional<Json> renewed(const Json& json, const FileKind& kind, const std::string& file) {
  const JsonFields fields(json, file);
  const Location place = {file, {}, {}, {}};
  if (fields.optional_text("kind") != kind.name) {
    throw Error(ErrorKind::input, format("this is not a {} of Rooflab", kind.title),
                std::string(kind.hint), place);
  }
  const std::int64_t version = fields.integer("schema_version");
  if (version > schema_version) {
    throw Error(ErrorKind::input,
                format("this {} has schema version {}, this Rooflab reads versions up to {}",
                       kind.title, version, schema_version),
                "use the Rooflab that wrote it, or a newer one", place);
  }
  if (version == schema_version) return std::nullopt;
  return with_new_keys(json);
}

Json read_json_file(const std::filesystem::path& path) {
  return parse_json(read_file(path), path.string());
}

void write_json_file(const std::filesystem::path& path, const Json& json) {
  write_file_atomically(path, [&json](std::ostream& stream) { stream << json.dump(1) << '\n'; });
}

bool has_free_keys(std::string_view key) {
  return std::ranges::find(named_maps, key) != named_maps.end();
}

std::span<const RenamedKey> renamed_keys() { return renamed; }

Json with_new_keys(const Json& json) { return renamed_in(json, ""); }

}  // namespace rooflab
