// One network on one device: summary, predict, measure.
//
// FLOPs and bytes are modelled in all three. Rates and intensities are made of the figures beside
// them, so that one case never holds two that contradict each other. Of a measured case that did
// not end well only what the allocator told until then is there: counts and limit of work that was
// not done would pass for results.

#include <optional>

#include "json_part.hpp"
#include "mode_figures.hpp"
#include "rooflab/base/arithmetic_path.hpp"
#include "rooflab/base/quotient.hpp"

namespace rooflab::study {
namespace {

/// nullopt where a path is not known, or none was given.
std::optional<double> flops_outside_matrix_units(const Json& by_path) {
  if (!by_path.is_object()) return std::nullopt;
  double sum = 0.0;
  for (const auto& [name, flop] : by_path.items()) {
    const std::optional<ArithmeticPath> path = from_name<ArithmeticPath>(name);
    if (!path || !flop.is_number()) return std::nullopt;
    if (!is_matrix_unit(*path)) sum += flop.get<double>();
  }
  return sum;
}

std::optional<double> sum_of(std::optional<double> a, std::optional<double> b) {
  return a && b ? std::optional(*a + *b) : std::nullopt;
}

void add_measured_memory(FigureList& figures, const Json& measured) {
  const Json& memory = part(measured, "memory");
  figures.add("memory", memory, "allocated_peak_bytes");
  figures.add("reserved_memory", memory, "reserved_peak_bytes");
  figures.add("total_memory",
              sum_of(number_of(memory, "reserved_peak_bytes"), number_of(memory, "context_bytes")));
  figures.add("saved_activations", memory, "saved_activation_bytes");
  figures.add("device_memory", part(part(measured, "environment"), "device"), "memory_bytes");
}

}  // namespace

void add_summary(FigureList& figures, const Json& result) {
  const Json& totals = part(result, "totals");
  figures.add("parameters", totals, "parameters");
  figures.add("macs", totals, "macs");
  figures.add("flops", totals, "flop");
  figures.add("matrix_flops", totals, "matrix_flop");
  figures.add("vector_flops", totals, "vector_flop");
  figures.add("bytes", totals, "compulsory_bytes");
  figures.add("intensity", totals, "intensity_flop_per_byte");
  figures.add("saved_activations", totals, "saved_activation_bytes");
  // Of version 1 they stood apart.
  const Json& memory = result.contains("memory") ? part(result, "memory") : totals;
  figures.add("parameter_memory", memory, "parameter_bytes");
  figures.add("input_memory", memory, "input_bytes");
  figures.add("activation_memory", memory, "activation_bytes");
}

void add_predict(FigureList& figures, const Json& result) {
  if (part(result, "series").is_array()) return add_scaling(figures, result);
  const Json& predicted = first_of(result, "cases");
  std::optional<double> time = number_of(predicted, "predicted_s");
  if (!time) time = number_of(predicted, "ppp_s");
  if (!time) time = number_of(predicted, "limit_s");
  figures.add("time", time, number_of(predicted, "predicted_low_s"),
              number_of(predicted, "predicted_high_s"));
  figures.add("limit", predicted, "limit_s");
  const Json& prediction = part(predicted, "prediction");
  figures.add("issue_time", prediction, "predicted_host_s");
  figures.add("device_time", prediction, "predicted_device_s");
  figures.add_rate("throughput", number_of(predicted, "flop"));
  figures.add_rate("samples_per_s", number_of(predicted, "batch"));

  figures.add("parameters", predicted, "parameters");
  figures.add("macs", predicted, "macs");
  figures.add("flops", predicted, "flop");
  figures.add("matrix_flops", predicted, "matrix_flop");
  figures.add("vector_flops", predicted, "vector_flop");
  figures.add("flops_outside_tensor_cores",
              flops_outside_matrix_units(part(predicted, "path_flop")));
  figures.add("bytes", predicted, "compulsory_bytes");
  figures.add("intensity", predicted, "intensity_flop_per_byte");
  figures.add("ridge_point", predicted, "ridge_point_flop_per_byte");

  const Json& memory = part(predicted, "memory");
  figures.add("memory", memory, "allocated_peak_bytes");
  figures.add("reserved_memory", memory, "reserved_peak_bytes");
  figures.add("total_memory", memory, "total_bytes");
  figures.add("device_memory", predicted, "device_memory_bytes");
  figures.add("parameter_memory", memory, "parameter_bytes");
  figures.add("input_memory", memory, "input_bytes");
  figures.add("saved_activations", memory, "saved_activation_bytes");
}

void add_measure(FigureList& figures, const Json& result) {
  const Json& measured = first_of(result, "cases");
  add_measured_memory(figures, measured);
  if (string_of(measured, "status") != "ok") return;

  const Json& time = part(measured, "timing");
  const std::optional<double> median = number_of(time, "median_s");
  figures.add("time", median, number_of(time, "median_low_s"), number_of(time, "median_high_s"));
  figures.add("variation", time, "variation");
  figures.add("setup", time, "setup_s");
  figures.add("first_call", time, "first_call_s");
  figures.add("issue_time", time, "issue_s");
  figures.add("device_time", time, "device_s");
  const Json& layers = part(measured, "layer_sum");
  figures.add("forward_time", layers, "forward_whole_s");
  figures.add("layer_sum", layers, "forward_sum_s");
  figures.add("waited_layer_sum", layers, "synchronized_sum_s");

  const Json& prediction = part(measured, "prediction");
  figures.add("predicted_time", number_of(prediction, "predicted_s"),
              number_of(prediction, "predicted_low_s"), number_of(prediction, "predicted_high_s"));
  const Json& limit = part(measured, "limit");
  const std::optional<double> flops = number_of(limit, "flop");
  figures.add("limit", limit, "limit_s");
  figures.add("ridge_point", limit, "ridge_point_flop_per_byte");
  figures.add("macs", limit, "macs");
  figures.add("flops", flops);
  figures.add("bytes", limit, "compulsory_bytes");
  figures.add("intensity", quotient(flops, number_of(limit, "compulsory_bytes")));
  figures.add_rate("throughput", flops);
  figures.add_rate("samples_per_s", number_of(measured, "batch"));
  const std::optional<double> fraction = number_of(measured, "peak_share");
  if (fraction && median) figures.add_rate("fraction_of_peak", *fraction * *median);

  figures.add("energy", measured, "step_energy_j");
  const Json& samples = part(measured, "sample_summary");
  figures.add("power", samples, "mean_power_w");
  figures.add("utilization", samples, "mean_core_utilization_share");
  figures.add("memory_utilization", samples, "mean_memory_utilization_share");

  const Json& counters = part(measured, "counters");
  const Json& totals = part(counters, "totals");
  add_counted(figures, totals, part(counters, "step"));
  if (figures.find("counted_flops") != nullptr) {
    figures.add("counted_throughput", totals, "flop_per_s");
  }
}

}  // namespace rooflab::study
