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
constexpr std::array named_maps =
    std::to_array<std::string_view>({"libraries", "peaks", "sustained", "ridge_points",
                                     "flops_by_path", "tensor_by_type", "coverage", "facts"});

constexpr std::array renamed = std::to_array<RenamedKey>({
    {"identity", "command", "command_line"},
    {"environment", "command", "command_line"},
    {"memory", "saved_bytes", "saved_activation_bytes"},
    {"memory", "parameters", "parameter_bytes"},
    {"memory", "buffers", "buffer_bytes"},
    {"memory", "gradients", "gradient_bytes"},
    {"memory", "optimizer", "optimizer_bytes"},
    {"memory", "input", "input_bytes"},
    {"memory", "saved_activations", "saved_activation_bytes"},
    {"memory", "peak_activations", "peak_activation_bytes"},
    {"memory", "workspace", "workspace_bytes"},
    {"memory", "context", "context_bytes"},
    {"memory", "reserved_bytes", "reserved_peak_bytes"},
    {"cases", "limit_time_s", "limit_s"},
    {"cases", "ideal_time_s", "ideal_s"},
    {"cases", "predicted_time_s", "predicted_s"},
    {"cases", "low_s", "predicted_low_s"},
    {"cases", "high_s", "predicted_high_s"},
    {"cases", "ppp_time_s", "ppp_s"},
    {"ppp", "compute", "compute_share"},
    {"ppp", "memory", "bandwidth_share"},
    {"cases", "explain", "prediction"},
    {"explain", "device_s", "predicted_device_s"},
    {"explain", "host_s", "predicted_host_s"},
    {"kinds", "share", "time_share"},
    {"kinds", "deviation", "deviation_share"},
    {"cases", "intensity", "intensity_flop_per_byte"},
    {"cases", "ridge_point", "ridge_point_flop_per_byte"},
    {"cases", "flops", "flop"},
    {"cases", "matrix_flops", "matrix_flop"},
    {"cases", "vector_flops", "vector_flop"},
    {"cases", "flops_by_path", "path_flop"},
    {"cases", "margin", "margin_share"},
    {"cases", "coverage", "coverage_share"},
    {"cases.layers", "name", "node"},
    {"cases.layers", "matrix_flops", "matrix_flop"},
    {"cases.layers", "vector_flops", "vector_flop"},
    {"cases.layers", "bytes", "compulsory_bytes"},
    {"cases.layers", "intensity", "intensity_flop_per_byte"},
    {"cases.layers", "data_gradient_flops", "data_gradient_flop"},
    {"cases.layers", "weight_gradient_flops", "weight_gradient_flop"},
    {"cases.layers", "time_s", "limit_s"},
    {"cases.layers", "predicted_time_s", "predicted_s"},
    {"totals", "flops", "flop"},
    {"totals", "intensity", "intensity_flop_per_byte"},
    {"totals", "matrix_flops", "matrix_flop"},
    {"totals", "vector_flops", "vector_flop"},
    {"totals", "saved_bytes", "saved_activation_bytes"},
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

/// Whether the keys on the way to an object end in `parent`.
bool is_within(const std::string& path, std::string_view parent) {
  return parent == "*" || path == parent ||
         (!parent.empty() && path.ends_with(parent) &&
          path[path.size() - parent.size() - 1] == '.');
}

std::string_view new_key(const std::string& path, std::string_view key) {
  const auto* const found = std::ranges::find_if(renamed, [&](const RenamedKey& each) {
    return each.before == key && is_within(path, each.parent);
  });
  return found == renamed.end() ? key : found->now;
}

/// `path`: the former keys on the way to it, joined by dots.
Json renamed_in(const Json& json, const std::string& path) {
  if (json.is_array()) {
    // Lists of numbers can be long and have no keys.
    if (json.empty() || (!json.front().is_object() && !json.front().is_array())) return json;
    Json list = Json::array();
    for (const Json& each : json) list.push_back(renamed_in(each, path));
    return list;
  }
  if (!json.is_object()) return json;
  const bool named =
      std::ranges::find(named_maps, path.substr(path.rfind('.') + 1)) != named_maps.end();
  Json object = Json::object();
  for (const auto& [key, value] : json.items()) {
    object[named ? std::string_view(key) : new_key(path, key)] =
        renamed_in(value, path.empty() ? key : path + "." + key);
  }
  return object;
}

constexpr FigureKey schema_version_key = "schema_version";
constexpr FigureKey command_key = "command";

void check_version(std::int64_t version, std::string_view what, const Location& place) {
  if (version <= schema_version) return;
  throw Error(ErrorKind::input,
              format("this {} has schema version {}, this Rooflab reads versions up to {}", what,
                     version, schema_version),
              "use the Rooflab that wrote it, or a newer one", place);
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
  check_version(version, kind.title, place);
  if (version == schema_version) return std::nullopt;
  return with_new_keys(json);
}

Json command_json(std::string_view command, const Json& content) {
  Json json = {{schema_version_key.key(), schema_version}, {command_key.key(), command}};
  json.update(content);
  return json;
}

Json renewed_command_json(const Json& json, const std::string& file) {
  const JsonFields fields(json, file);
  const std::int64_t version = fields.optional_integer(schema_version_key.key()).value_or(1);
  check_version(version, "result", {file, {}, {}, {}});
  return version == schema_version ? json : with_new_keys(json);
}

Json read_json_file(const std::filesystem::path& path) {
  return parse_json(read_file(path), path.string());
}

void write_json_file(const std::filesystem::path& path, const Json& json) {
  write_file_atomically(path, [&json](std::ostream& stream) { stream << json.dump(1) << '\n'; });
}

std::span<const RenamedKey> renamed_keys() { return renamed; }

Json with_new_keys(const Json& json) { return renamed_in(json, ""); }

}  // namespace rooflab
