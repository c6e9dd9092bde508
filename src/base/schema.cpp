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
    std::to_array<std::string_view>({"libraries", "peaks", "flops_by_path", "facts"});

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
    {"counters", "sm_busy", "sm_busy_share"},
    {"counters", "occupancy", "occupancy_share"},
    {"*", "tensor_fp64", "tensor_fp64_flop"},
    {"*", "tensor_tf32", "tensor_tf32_flop"},
    {"*", "tensor_bf16", "tensor_bf16_flop"},
    {"*", "tensor_fp16", "tensor_fp16_flop"},
    {"*", "tensor_fp16_fp16", "tensor_fp16_fp16_flop"},
    {"*", "tensor_fp16_bf16_tf32", "tensor_fp16_bf16_tf32_flop"},
    {"*", "tensor_fp8", "tensor_fp8_flop"},
    {"*", "tensor_fp4", "tensor_fp4_flop"},
    {"*", "fp64_flops", "fp64_flop"},
    {"*", "fp32_flops", "fp32_flop"},
    {"*", "fp16_flops", "fp16_flop"},
    {"*", "fp16_move_flops", "fp16_move_flop"},
    {"*", "tensor_flops", "tensor_flop"},
    {"*", "collected_flops", "collected_flop"},
    {"*", "cuda_core_flops", "cuda_core_flop"},
    {"*", "model_flops", "model_flop"},
    {"*", "model_matrix_flops", "model_matrix_flop"},
    {"*", "model_vector_flops", "model_vector_flop"},
    {"*", "flops", "flop"},
    {"*", "flops_per_s", "flop_per_s"},
    {"*", "intensity", "intensity_flop_per_byte"},
    {"check", "network", "checked_network"},
    {"check", "passes", "passes_check"},
    {"totals", "kernels", "launches"},
    {"totals", "bytes_per_s", "dram_bytes_per_s"},
    {"totals", "sm_busy", "sm_busy_share"},
    {"totals", "occupancy", "occupancy_share"},
    {"step", "kernels", "launches"},
    {"step", "bytes_per_s", "dram_bytes_per_s"},
    {"step", "sm_busy", "sm_busy_share"},
    {"step", "occupancy", "occupancy_share"},
    {"layers", "kernels", "launches"},
    {"layers", "bytes_per_s", "dram_bytes_per_s"},
    {"layers", "sm_busy", "sm_busy_share"},
    {"layers", "occupancy", "occupancy_share"},
    {"layers", "flops_ratio", "flop_ratio"},
    {"layers", "flops_gap", "flop_gap"},
    {"layers", "model_bytes", "compulsory_bytes"},
    {"counters", "model_bytes", "compulsory_bytes"},
    {"counters", "kernels_without_node", "launches_without_node"},
    {"counters", "nodes_without_kernel", "nodes_without_launch"},
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
  const bool named = std::ranges::find(named_maps, parent) != named_maps.end();
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

std::span<const RenamedKey> renamed_keys() { return renamed; }

Json with_new_keys(const Json& json) { return renamed_in(json, ""); }

}  // namespace rooflab
