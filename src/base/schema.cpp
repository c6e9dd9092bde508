// Version 1 had no rule for units in keys, and several names for one thing. Its files are read by
// giving their keys today's names first; readers know those alone.

#include "schema.hpp"

#include <algorithm>
#include <array>
#include <ostream>

#include "json_fields.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/figure.hpp"
#include "rooflab/base/figure_key.hpp"
#include "rooflab/base/file.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab {
namespace {

constexpr std::int64_t oldest_schema_version = 1;
constexpr const char* version_key = "schema_version";

/// Objects whose keys are names and not words of the vocabulary, placed as in RenamedKey; under the
/// keys of both versions.
constexpr std::array free_objects = std::to_array<std::string_view>({
    "libraries",
    "peaks",
    "facts",
    "workers",
    "origins",
    "path_flop",
    "peak_flop_per_s",
    "sustained_flop_per_s",
    "ridge_point_flop_per_byte",
    "roles_s",
    "optimizer_fixed_s",
    "optimizer_per_tensor_s",
    "hosts.ops",
    "issue_costs.ops",
    "probe/environment",
    "request/request",
    "sustained",
    "ridge_points",
    "flops_by_path",
    "roles_ns",
    "mean_roles_ns",
});

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
    {"compare/", "only_a", "only_first"},
    {"compare/", "only_b", "only_second"},
    {"pairs.a", "energy_j", "step_energy_j"},
    {"pairs.b", "energy_j", "step_energy_j"},
    {"comparisons", "median_a", "first_median"},
    {"comparisons", "median_b", "second_median"},
    {"train/*", "n", "count"},
    {"train/*", "min", "least"},
    {"train/*", "max", "most"},
    {"train/*", "variation", "variation_share"},
    {"train/*", "mean_interval.low", "mean_low"},
    {"train/*", "mean_interval.high", "mean_high"},
    {"train/*", "variation_interval.low", "variation_low_share"},
    {"train/*", "variation_interval.high", "variation_high_share"},
    {"evaluate/*", "n", "count"},
    {"devices/devices", "memory", "memory_bytes"},
    {"devices/devices", "bandwidth", "bandwidth_bytes_per_s"},
    {"devices/devices", "sm_count", "multiprocessors"},
    {"devices/devices", "base_clock", "base_clock_hz"},
    {"devices/devices", "boost_clock", "boost_clock_hz"},
    {"devices/devices", "sustained_clock", "sustained_clock_hz"},
    {"devices/devices", "l2", "l2_size_bytes"},
    {"devices/devices", "tdp", "tdp_w"},
    {"devices/devices", "gpu_link", "gpu_link_bytes_per_s"},
    {"devices/devices", "peaks", "peak_flop_per_s"},
    {"devices/devices", "sustained", "sustained_flop_per_s"},
    {"devices/devices", "ridge_points", "ridge_point_flop_per_byte"},
    {"devices/", "host.system", "host"},
    {"devices/", "host.cpu", "cpu"},
    {"devices/", "host.logical_cpus", "logical_cpus"},
    {"devices/", "host.memory_bytes", "host_memory_bytes"},
    {"doctor/checks", "what", "name"},
    {"doctor/checks", "found", "state"},
    {"summary/layers", "name", "node"},
    {"summary/layers", "bytes", "compulsory_bytes"},
    {"summary/layers", "flops", "flop"},
    {"summary/layers", "matrix_flops", "matrix_flop"},
    {"summary/layers", "vector_flops", "vector_flop"},
    {"summary/layers", "intensity", "intensity_flop_per_byte"},
    {"probe/", "made_by", "command_line"},
    {"probe/ops", "error", "log_error"},
    {"probe/links", "ranks", "group_size"},
    {"probe/links", "bus_bandwidth", "bus_bytes_per_s"},
    {"probe/links", "fraction", "datasheet_share"},
    {"ops.published", "rows", "published_rows"},
    {"ops.published", "spread", "spread_share"},
    {"ops.published", "error_of_all", "error_of_all_share"},
    {"ops.published", "error_of_kept", "error_of_kept_share"},
    {"result", "spread", "spread_share"},
    {"request", "network", "graph"},
    {"request", "names", "count_names"},
    {"", "try", "result"},
    {"imports", "energy_j", "step_energy_j"},
    {"imports", "samples", "sample_series"},
    {"import/*", "steps.marked", "marked"},
    {"import/*", "steps.dropped", "dropped_steps"},
    {"import/*", "steps.list", "trace_steps"},
    {"panes.kernels", "list", "rows"},
    {"import/*", "total_ns", "total_s", 1e-9},
    {"import/*", "roles_ns", "roles_s", 1e-9},
    {"import/*", "computation_only_ns", "computation_only_s", 1e-9},
    {"import/*", "communication_only_ns", "communication_only_s", 1e-9},
    {"import/*", "overlap_ns", "hidden_s", 1e-9},
    {"import/*", "other_ns", "other_s", 1e-9},
    {"import/*", "device_self_ns", "device_self_s", 1e-9},
    {"import/*", "device_total_ns", "device_total_s", 1e-9},
    {"import/*", "host_self_ns", "host_self_s", 1e-9},
    {"import/*", "host_total_ns", "host_total_s", 1e-9},
    {"import/*", "unattributed_ns", "unattributed_s", 1e-9},
    {"import/*", "modelled_flops_device_ns", "modelled_device_s", 1e-9},
    {"import/*", "modelled_flops", "modelled_flop"},
    {"import/*", "modelled_flops_per_s", "modelled_flop_per_s"},
    {"kernels.list", "mean_ns", "mean_s", 1e-9},
    {"kernels.list", "min_ns", "shortest_s", 1e-9},
    {"kernels.list", "max_ns", "longest_s", 1e-9},
    {"kernels.list", "occupancy", "occupancy_share"},
    {"kernels.list", "plugin_occupancy", "plugin_occupancy_share"},
    {"panes.collectives", "time_ns", "time_s", 1e-9},
    {"import/*", "utilization", "busy_share"},
    {"import/*", "sm_efficiency", "sm_efficiency_share"},
    {"import/*", "sm_efficiency_busy", "sm_efficiency_busy_share"},
    {"ours.devices", "occupancy", "occupancy_share"},
    {"plugin.devices", "occupancy", "occupancy_share"},
    {"job", "load_imbalance", "load_imbalance_share"},
    {"job.ranks", "import", "import_index"},
    {"job.ranks", "step_ns", "step_s", 1e-9},
    {"job.ranks", "collective_ns", "collective_s", 1e-9},
    {"job.ranks", "wait_ns", "wait_s", 1e-9},
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

bool has_free_keys(const Place& place) {
  return std::ranges::any_of(free_objects,
                             [&](std::string_view each) { return is_within(place, each); });
}

/// The row of a former key; nullptr: it has the same name still.
const RenamedKey* row_of(const Place& place, std::string_view key) {
  const auto* const found = std::ranges::find_if(renamed, [&](const RenamedKey& each) {
    return each.before == key && is_within(place, each.parent);
  });
  return found == renamed.end() ? nullptr : found;
}

/// A number, or every number of a list or object, times the factor.
Json scaled(const Json& json, double factor) {
  if (factor == 1.0) return json;
  if (json.is_number()) return json.get<double>() * factor;
  if (!json.is_array() && !json.is_object()) return json;  // its reader says what it must be
  Json parts = json;
  for (Json& each : parts) each = scaled(each, factor);
  return parts;
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
  const bool named = has_free_keys(place);
  Json object = Json::object();
  const auto put = [&](const std::string& key, const Json& value) {
    const RenamedKey* const row = named ? nullptr : row_of(place, key);
    const Json renewed = renamed_in(value, place.of_member(key));
    object[row != nullptr ? row->now : std::string_view(key)] =
        row != nullptr ? scaled(renewed, row->factor) : renewed;
  };
  for (const auto& [key, value] : json.items()) {
    Json rest = value;
    bool moved = false;
    for (const RenamedKey& row : renamed) {
      if (!row.before.starts_with(key) || !row.before.substr(key.size()).starts_with('.') ||
          !is_within(place, row.parent)) {
        continue;
      }
      const std::string_view inner = row.before.substr(key.size() + 1);
      if (value.is_object() && !value.contains(inner)) continue;
      put(std::string(row.before), value.is_object() ? value.at(inner) : Json());
      if (value.is_object()) rest.erase(inner);
      moved = value.is_object() || value.is_null();
    }
    if (!moved || rest.size() > 0) put(key, rest);
  }
  return object;
}

Place place_of_file(const Json& json) {
  if (!json.is_object()) return {};
  const JsonFields fields(json, {});
  const std::optional<std::string> kind = fields.optional_text("kind");
  return {kind ? *kind : fields.optional_text("command").value_or(""), ""};
}

void collect_unknown(const Json& json, const Place& place, std::vector<std::string>& unknown) {
  if (json.is_array()) {
    for (const Json& each : json) collect_unknown(each, place, unknown);
    return;
  }
  if (!json.is_object()) return;
  const bool free = has_free_keys(place);
  for (const auto& [key, value] : json.items()) {
    const Place member = place.of_member(key);
    if (!free && find_figure(key) == nullptr &&
        std::ranges::find(unknown, member.path) == unknown.end()) {
      unknown.push_back(member.path);
    }
    collect_unknown(value, member, unknown);
  }
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
  if (fields.optional_text(kind.key) != kind.name) {
    const bool vowel = std::string_view("aeiou").find(kind.title.front()) != std::string_view::npos;
    throw Error(ErrorKind::input,
                format("this is not {} {} of Rooflab", vowel ? "an" : "a", kind.title),
                std::string(kind.hint), {file, {}, {}, {}});
  }
  // What only this version reads goes from program to program.
  const bool one = kind.oldest_version == schema_version;
  const std::int64_t version =
      fields.require_version(schema_version, kind.title, kind.oldest_version,
                             one ? std::string(kind.hint) : std::string());
  return version == schema_version ? std::nullopt : std::optional(with_new_keys(json));
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

std::vector<std::string> unknown_keys(const Json& json) {
  std::vector<std::string> unknown;
  collect_unknown(json, place_of_file(json), unknown);
  return unknown;
}

std::span<const RenamedKey> renamed_keys() { return renamed; }

Json with_new_keys(const Json& json) {
  Json renamed_json = renamed_in(json, place_of_file(json));
  if (json.is_object() && json.contains(version_key)) renamed_json[version_key] = schema_version;
  return renamed_json;
}

}  // namespace rooflab
