// One network on one device: summary, predict, measure.
//
// FLOPs and bytes are modelled in all three. Rates and intensities are made of the figures of
// the same case, so that one case never holds two that contradict each other. Of a measured case
// that did not end well only what the allocator told until then is there: counts and limit of work
// that was not done would pass for results.

#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "mode_figures.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/graph/op_kinds.hpp"

namespace rooflab::study {
namespace {

using graph::OpClass;
using graph::WorkClass;

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

/// Shares of the classes in the FLOPs of all layers; nothing where one is not counted.
void add_class_shares(FigureList& figures, const Json& layers) {
  std::map<WorkClass, double> flops;
  double sum = 0.0;
  for (const Json& layer : layers) {
    const std::optional<OpClass> op_class = from_name<OpClass>(string_of(layer, "op_class"));
    const std::optional<double> own = number_of(layer, "flop");
    if (!op_class || !own) return;
    flops[work_class_of(*op_class)] += *own;
    sum += *own;
  }
  if (sum <= 0.0) return;
  constexpr std::pair<WorkClass, std::string_view> shares[] = {
      {WorkClass::convolution, "convolution_share"},
      {WorkClass::product, "product_share"},
      {WorkClass::normalisation, "normalisation_share"},
      {WorkClass::elementwise, "elementwise_share"},
      {WorkClass::copy, "copy_share"},
      {WorkClass::other, "other_share"}};
  static_assert(std::size(shares) == values_of<WorkClass>.size());
  for (const auto& [work_class, quantity] : shares) figures.add(quantity, flops[work_class] / sum);
}

void add_measured_memory(FigureList& figures, const Json& measured) {
  const Json& memory = part(measured, "memory");
  figures.add(memory, {"memory", "reserved_memory", "device_used_memory", "saved_activations"});
  figures.add("total_memory",
              sum_of(number_of(memory, "reserved_peak_bytes"), number_of(memory, "context_bytes")));
  figures.add("device_memory", part(part(measured, "environment"), "device_properties"),
              "memory_bytes");
}

}  // namespace

void add_total_memory(FigureList& figures, const Json& memory) {
  if (number_of(memory, "context_bytes")) figures.add(memory, {"total_memory"});
}

void add_summary(FigureList& figures, const Json& result) {
  const Json& totals = part(result, "totals");
  figures.add(totals, {"parameters", "macs", "flops", "matrix_flops", "vector_flops", "bytes",
                       "intensity", "saved_activations", "forward_flops", "backward_flops",
                       "forward_bytes", "backward_bytes", "parameter_memory", "input_memory",
                       "activation_memory", "torchsummary_memory", "torchinfo_memory"});
  add_class_shares(figures, list_of(result, "layers"));
}

void add_predict(FigureList& figures, const Json& result) {
  if (part(result, "series").is_array()) return add_scaling(figures, result);
  const Json& predicted = first_of(result, "cases");
  std::optional<double> time = number_of(predicted, "predicted_s");
  if (!time) time = number_of(predicted, "ppp_s");
  if (!time) time = number_of(predicted, "limit_s");
  figures.add("time", time, number_of(predicted, "predicted_low_s"),
              number_of(predicted, "predicted_high_s"));
  const Json& prediction = part(predicted, "prediction");
  figures.add("issue_time", prediction, "predicted_host_s");
  figures.add("device_time", prediction, "predicted_device_s");
  figures.add_rate("throughput", number_of(predicted, "flop"));
  figures.add_rate("samples_per_s", number_of(predicted, "batch"));

  figures.add(predicted, {"limit", "ideal", "parameters", "macs", "flops", "matrix_flops",
                          "vector_flops", "bytes", "intensity", "ridge_point", "device_memory",
                          "forward_flops", "backward_flops", "forward_bytes", "backward_bytes"});
  figures.add("flops_outside_tensor_cores",
              flops_outside_matrix_units(part(predicted, "path_flop")));
  const Json& memory = part(predicted, "memory");
  figures.add(memory, {"memory", "reserved_memory", "parameter_memory", "input_memory",
                       "saved_activations"});
  add_total_memory(figures, memory);
}

void add_measure(FigureList& figures, const Json& result) {
  const Json& measured = first_of(result, "cases");
  add_measured_memory(figures, measured);
  if (string_of(measured, "status") != "ok") return;

  const Json& time = part(measured, "timing");
  const std::optional<double> median = number_of(time, "median_s");
  figures.add("time", median, number_of(time, "median_low_s"), number_of(time, "median_high_s"));
  figures.add("variation", time, "variation");
  figures.add(time, {"setup", "first_call", "issue_time", "device_time"});
  figures.add(part(measured, "layer_sum"), {"forward_time", "layer_sum", "waited_layer_sum"});

  const Json& prediction = part(measured, "prediction");
  figures.add("predicted_time", number_of(prediction, "predicted_s"),
              number_of(prediction, "predicted_low_s"), number_of(prediction, "predicted_high_s"));
  const Json& limit = part(measured, "limit");
  const std::optional<double> flops = number_of(limit, "flop");
  figures.add(limit, {"limit", "ideal", "ridge_point", "macs", "flops", "matrix_flops",
                      "vector_flops", "bytes", "parameters", "parameter_memory", "input_memory"});
  figures.add("flops_outside_tensor_cores", flops_outside_matrix_units(part(limit, "path_flop")));
  figures.add("intensity", quotient(flops, number_of(limit, "compulsory_bytes")));
  figures.add_rate("throughput", flops);
  figures.add_rate("samples_per_s", number_of(measured, "batch"));
  const std::optional<double> fraction = number_of(measured, "peak_share");
  if (fraction && median) figures.add_rate("fraction_of_peak", *fraction * *median);

  figures.add(measured, {"energy"});
  figures.add(part(measured, "sample_summary"), {"power", "utilization", "memory_utilization"});

  const Json& counters = part(measured, "counters");
  const Json& totals = part(counters, "totals");
  add_counted(figures, totals, part(counters, "step"));
  if (figures.find("counted_flops") != nullptr) {
    figures.add("counted_throughput", totals, "flop_per_s");
  }
}

}  // namespace rooflab::study
