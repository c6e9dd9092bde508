// Version 1 had no rule for units in keys, and several names for one thing. Its files are read by
// giving their keys today's names first; readers know those alone.

#include "rooflab/base/schema.hpp"

#include <algorithm>
#include <array>
#include <ostream>

#include "rooflab/base/error.hpp"
#include "rooflab/base/figure_key.hpp"
#include "rooflab/base/file.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/json_fields.hpp"

namespace rooflab {
namespace {

constexpr std::int64_t oldest_schema_version = 1;
constexpr const char* version_key = "schema_version";

/// Objects whose keys are names and not words of the vocabulary.
constexpr std::array named_maps = std::to_array<std::string_view>(
    {"libraries", "peaks", "sustained", "ridge_points", "flops_by_path", "facts"});

constexpr std::array renamed = std::to_array<RenamedKey>({
    {"identity", "command", "command_line"},
    {"environment", "command", "command_line"},
    {"memory", "saved_bytes", "saved_activation_bytes"},
    {"cases", "command", "command_line"},
    {"cases", "time", "timing"},
    {"cases", "flops_per_s", "flop_per_s"},
    {"cases", "fraction_of_peak", "peak_share"},
    {"cases", "energy_j", "step_energy_j"},
    {"cases", "samples", "sample_summary"},
    {"cases.time", "cv", "variation"},
    {"cases.time", "steps", "timed_steps"},
    {"cases.time", "data_s", "median_data_s"},
    {"cases.time", "copy_s", "median_copy_s"},
    {"cases.predicted_memory", "allocated_peak_bytes", "predicted_peak_bytes"},
    {"cases.predicted_memory", "reserved_bytes", "predicted_reserved_bytes"},
    {"cases.predicted_memory", "saved_activations", "predicted_saved_bytes"},
    {"cases.prediction", "time_s", "predicted_s"},
    {"cases.prediction", "low_s", "predicted_low_s"},
    {"cases.prediction", "high_s", "predicted_high_s"},
    {"cases.prediction", "device_s", "predicted_device_s"},
    {"cases.prediction", "host_s", "predicted_host_s"},
    {"cases.limit", "time_s", "limit_s"},
    {"cases.limit", "ideal_time_s", "ideal_s"},
    {"cases.limit", "ridge_point", "ridge_point_flop_per_byte"},
    {"cases.limit", "ratio", "limit_ratio"},
    {"cases.limit", "headroom", "headroom_share"},
    {"cases.limit", "flops", "flop"},
    {"cases.limit", "coverage", "coverage_share"},
    {"cases.samples", "samples", "sample_count"},
    {"cases.samples", "power_w", "mean_power_w"},
    {"cases.samples", "core_utilization", "mean_core_utilization_share"},
    {"cases.samples", "memory_utilization", "mean_memory_utilization_share"},
    {"cases.samples", "memory_used_bytes", "mean_memory_used_bytes"},
    {"cases.samples", "sm_clock_hz", "mean_sm_clock_hz"},
    {"cases.samples", "temperature_c", "mean_temperature_c"},
    {"cases.samples", "resident_bytes", "mean_resident_bytes"},
    {"cases.op_classes", "class", "op_class"},
    {"cases.op_classes", "layers", "layer_count"},
    {"cases.op_classes", "share", "time_share"},
    {"cases.layers", "name", "node"},
    {"cases.layers", "class", "op_class"},
    {"cases.layers", "flops", "flop"},
    {"cases.layers", "bytes", "compulsory_bytes"},
    {"cases.layer_sum", "synchronisation_s", "synchronization_s"},
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
    {"cases.layers", "matrix_flops", "matrix_flop"},
    {"cases.layers", "vector_flops", "vector_flop"},
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
    {"summary/totals", "coverage", "coverage_share"},
    {"", "limited", "memory_limited"},
    {"points", "step_s", "predicted_s"},
    {"points", "found_step_s", "median_s"},
    {"points", "ratio", "count_ratio"},
    {"try", "step_s", "median_s"},
    {"vector_addition", "memory", "memory_kind"},
    {"vector_additions", "memory", "memory_kind"},
    {"tries", "step_s", "median_s"},
    {"", "measured_step_s", "median_s"},
    {"", "ratio", "time_ratio"},
    {"plan", "pipelined_s", "predicted_s"},
    {"plan", "bubble", "bubble_share"},
    {"plan", "idle", "idle_share"},
    {"plan.stages", "time_s", "predicted_s"},
    {"plan.stages", "measured_s", "median_s"},
    {"plan.stages", "margin", "margin_share"},
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
    {"kernels", "launch", "launch_id"},
    {"step", "launch", "launch_id"},
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
    {"step", "flops", "flop"},
    {"kernels", "flops", "flop"},
    {"counters.layers", "flops", "flop"},
    {"coverage", "flops", "flop"},
    {"coverage", "intensity", "intensity_flop_per_byte"},
    {"totals", "flops_per_s", "flop_per_s"},
    {"step", "flops_per_s", "flop_per_s"},
    {"kernels", "flops_per_s", "flop_per_s"},
    {"counters.layers", "flops_per_s", "flop_per_s"},
    {"step", "intensity", "intensity_flop_per_byte"},
    {"kernels", "intensity", "intensity_flop_per_byte"},
    {"counters.layers", "intensity", "intensity_flop_per_byte"},
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
    {"counters.layers", "name", "node"},
    {"counters.layers", "class", "op_class"},
    {"counters.layers", "kernels", "launches"},
    {"counters.layers", "bytes_per_s", "dram_bytes_per_s"},
    {"counters.layers", "sm_busy", "sm_busy_share"},
    {"counters.layers", "occupancy", "occupancy_share"},
    {"counters.layers", "flops_ratio", "flop_ratio"},
    {"counters.layers", "flops_gap", "flop_gap"},
    {"counters.layers", "model_bytes", "compulsory_bytes"},
    {"counters", "model_bytes", "compulsory_bytes"},
    {"counters", "kernels_without_node", "launches_without_node"},
    {"counters", "nodes_without_kernel", "nodes_without_launch"},
    {"*", "reached_s", "time_to_target_s"},
    {"runs", "name", "run"},
    {"runs", "samples", "sample_series"},
    {"run", "samples", "sample_series"},
    {"groups", "final_accuracy", "final_accuracy_share"},
    {"groups", "shares", "epoch_shares"},
    {"groups", "accuracy", "models_accuracy_share"},
    {"shares", "wait", "wait_share"},
    {"shares", "issue", "issue_share"},
    {"shares", "validation", "validation_share"},
    {"accuracy_milestones", "accuracy", "accuracy_share"},
    {"accuracy_milestones", "time_s", "time_to_accuracy_s"},
    {"accuracy_milestones", "epochs", "epochs_to_accuracy"},
    {"comparisons", "a", "first_device"},
    {"comparisons", "b", "second_device"},
    {"advice", "limit", "limiter"},
    {"evaluations", "accuracy", "accuracy_share"},
    {"configuration", "images to train on", "train_images"},
    {"configuration", "classes", "class_count"},
    {"configuration", "data workers", "data_workers"},
    {"configuration", "channels-last", "channels_last"},
    {"configuration", "target", "target_accuracy_share"},
    {"configuration", "learning rate", "learning_rate"},
    {"configuration", "weight decay", "weight_decay"},
    {"configuration", "Nesterov", "nesterov"},
    {"configuration", "label smoothing", "label_smoothing"},
    {"configuration", "augmentation", "augment"},
    {"configuration", "rise", "rise_share"},
    {"configuration", "warm-up epochs", "warmup_epochs"},
    {"configuration", "step factor", "step_factor"},
    {"configuration", "images an epoch", "epoch_images"},
    {"", "images", "image_transform"},
    {"images", "mean", "channel_means"},
    {"images", "deviation", "channel_deviations"},
    {"place", "batch", "batches_done"},
    {"trials", "command", "command_line"},
    {"trials", "images_per_s", "runs_samples_per_s"},
    {"trials", "core_utilization", "core_utilization_share"},
    {"trials", "memory_utilization", "memory_utilization_share"},
    {"trials", "failure", "message"},
    {"study_case/", "command", "command_line"},
    {"study_case/", "version", "rooflab_version"},
    {"study_case/", "seconds", "took_s"},
    {"study_folder/", "command", "command_line"},
    {"study_folder/machine", "counters", "can_count"},
    {"study_folder/machine.gpus", "model", "device_name"},
    {"series", "prediction", "basis"},
    {"series.prediction", "link_bytes_per_s", "bandwidth_bytes_per_s"},
    {"series.prediction", "link_latency_s", "latency_s"},
    {"series.rows", "gpus", "device_count"},
    {"series.rows", "devices", "device_count"},
    {"series.rows", "batch_per_gpu", "batch_per_device"},
    {"series.rows", "measured", "run"},
    {"series.rows", "predicted", "prediction"},
    {"series.rows", "imbalance", "load_imbalance_share"},
    {"series.rows", "step_s", "median_s"},
    {"series.rows", "efficiency", "efficiency_share"},
    {"series.rows", "communication_of_step", "communication_share"},
    {"series.rows", "hidden", "hidden_share"},
    {"", "scaled_cases", "series"},
    {"scaled_cases", "steps", "rows"},
    {"scaled_cases.steps", "gpus", "device_count"},
    {"scaled_cases.steps", "step_s", "predicted_s"},
    {"scaled_cases.steps", "step_low_s", "predicted_low_s"},
    {"scaled_cases.steps", "step_high_s", "predicted_high_s"},
    {"scaled_cases.steps", "efficiency", "efficiency_share"},
    {"rows.measured", "step_s", "median_s"},
    {"rows.measured", "compute_s", "alone_s"},
    {"rows.measured", "efficiency", "efficiency_share"},
    {"rows.measured", "communication_of_step", "communication_share"},
    {"rows.measured", "hidden", "hidden_share"},
    {"rows.predicted", "step_s", "predicted_s"},
    {"rows.predicted", "step_low_s", "predicted_low_s"},
    {"rows.predicted", "step_high_s", "predicted_high_s"},
    {"rows.predicted", "compute_s", "alone_s"},
    {"rows.predicted", "efficiency", "efficiency_share"},
    {"series.rows", "command", "command_line"},
    {"series", "command", "command_line"},
    {"rows.ranks", "busy", "busy_share"},
    {"rows.ranks", "communication_of_kernels", "communication_kernel_share"},
    {"rows.ranks", "communication_of_step", "communication_share"},
    {"rows.ranks", "exchange_s", "communication_s"},
    {"rows.ranks", "hidden", "hidden_share"},
    {"rows.ranks", "step_s", "median_s"},
    {"rows.ranks", "compute_s", "alone_s"},
    {"rows.ranks", "utilization", "core_utilization_share"},
    {"rows.ranks", "sm_efficiency", "sm_efficiency_share"},
    {"rows.ranks", "occupancy", "occupancy_share"},
    {"", "detected", "devices"},
    {"confusions", "prediction", "predicted_class"},
    {"progress", "stage", "activity"},
    {"progress", "done", "done_share"},
    {"*", "images_per_s", "samples_per_s"},
});

/// An object in a file.
struct Place {
  std::string writer;  ///< kind of the file, else the command that wrote it; empty: it says neither
  std::string path;    ///< the former keys on the way to it, joined by dots

  [[nodiscard]] Place of_member(const std::string& key) const {
    return {writer, path.empty() ? key : format("{}.{}", path, key)};
  }
};

/// Whether the keys on the way to an object end in `parent`.
bool is_within(const Place& place, std::string_view parent) {
  const std::size_t slash = parent.find('/');
  if (slash != std::string_view::npos) {
    if (place.writer != parent.substr(0, slash)) return false;
    parent.remove_prefix(slash + 1);
  }
  const std::string& path = place.path;
  return parent == "*" || path == parent ||
         (!parent.empty() && path.ends_with(parent) &&
          path[path.size() - parent.size() - 1] == '.');
}

std::string_view new_key(const Place& place, std::string_view key) {
  const auto* const found = std::ranges::find_if(renamed, [&](const RenamedKey& each) {
    return each.before == key && is_within(place, each.parent);
  });
  return found == renamed.end() ? key : found->now;
}

Json renamed_in(const Json& json, const Place& place) {
  if (json.is_array()) {
    // Lists of numbers can be long and have no keys.
    if (json.empty() || (!json.front().is_object() && !json.front().is_array())) return json;
    Json list = Json::array();
    for (const Json& each : json) list.push_back(renamed_in(each, place));
    return list;
  }
  if (!json.is_object()) return json;
  const std::string_view last = std::string_view(place.path).substr(place.path.rfind('.') + 1);
  const bool named = std::ranges::find(named_maps, last) != named_maps.end();
  Json object = Json::object();
  for (const auto& [key, value] : json.items()) {
    object[named ? std::string_view(key) : new_key(place, key)] =
        renamed_in(value, place.of_member(key));
  }
  return object;
}

constexpr FigureKey schema_version_key = "schema_version";
constexpr FigureKey command_key = "command";

}  // namespace

Json with_head(const FileKind& kind, const Json& content) {
  Json json = {{"schema_version", schema_version}, {kind.key, kind.name}};
  json.update(content);
  return json;
}

std::optional<Json> renewed(const Json& json, const FileKind& kind, const std::string& file) {
  const JsonFields fields(json, file);
  const Location place = {file, {}, {}, {}};
  if (fields.optional_text(kind.key) != kind.name) {
    throw Error(ErrorKind::input, format("this is not a {} of Rooflab", kind.title),
                std::string(kind.hint), place);
  }
  const std::int64_t version = fields.integer("schema_version");
  if (version > schema_version || version < kind.oldest_version) {
    const bool one = kind.oldest_version == schema_version;
    throw Error(ErrorKind::input,
                format("this {} has schema version {}, this Rooflab reads {}{}", kind.title,
                       version, one ? "" : format("{} to ", kind.oldest_version), schema_version),
                one ? std::string(kind.hint) : "use the Rooflab that wrote it, or a newer one",
                place);
  }
  if (version == schema_version) return std::nullopt;
  return with_new_keys(json);
}

std::optional<Json> renewed_result(const Json& json, const std::string& file) {
  const std::int64_t version =
      JsonFields(json, file).require_version(schema_version, "result", oldest_schema_version);
  if (version == schema_version) return std::nullopt;
  return with_new_keys(json);
}

Json command_json(std::string_view command, const Json& content) {
  Json json = {{schema_version_key.key(), schema_version}, {command_key.key(), command}};
  json.update(content);
  return json;
}

Json read_json_file(const std::filesystem::path& path) {
  return parse_json(read_file(path), path.string());
}

void write_json_file(const std::filesystem::path& path, const Json& json) {
  write_file_atomically(path, [&json](std::ostream& stream) { stream << json.dump(1) << '\n'; });
}

std::span<const RenamedKey> renamed_keys() { return renamed; }

Json with_new_keys(const Json& json) {
  if (!json.is_object()) return renamed_in(json, {});
  const JsonFields fields(json, {});
  const std::optional<std::string> kind = fields.optional_text("kind");
  const std::string writer = kind ? *kind : fields.optional_text("command").value_or("");
  Json renamed_json = renamed_in(json, {writer, ""});
  if (renamed_json.contains(version_key)) renamed_json[version_key] = schema_version;
  return renamed_json;
}

}  // namespace rooflab
