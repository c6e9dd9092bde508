// The table behind the words of a study; docs/methods/quantities.md says what each is.

#include "study_quantity.hpp"

#include <algorithm>
#include <array>

#include "rooflab/base/text.hpp"
#include "rooflab/describe/figure.hpp"

namespace rooflab::study {
namespace {

constexpr std::array table = std::to_array<Quantity>({
    // The network
    {"parameters", "parameters", "parameters", "elements"},
    {"macs", "multiply-accumulates", "macs", "MAC"},
    {"flops", "FLOPs of a step", "flop"},
    {"forward_flops", "FLOPs of the forward pass", "forward_flop"},
    {"backward_flops", "FLOPs of the backward pass", "backward_flop"},
    {"matrix_flops", "matrix FLOPs", "matrix_flop"},
    {"vector_flops", "other FLOPs", "vector_flop"},
    {"flops_outside_tensor_cores", "FLOPs outside tensor cores", "flop"},
    {"bytes", "compulsory bytes", "compulsory_bytes"},
    {"forward_bytes", "bytes of the forward pass", "forward_bytes"},
    {"backward_bytes", "bytes of the backward pass", "backward_bytes"},
    {"intensity", "arithmetic intensity", "intensity_flop_per_byte"},
    {"ridge_point", "ridge point", "ridge_point_flop_per_byte"},
    {"convolution_share", "share of convolutions", "flop_share"},
    {"product_share", "share of matrix products", "flop_share"},
    {"normalisation_share", "share of normalisation", "flop_share"},
    {"elementwise_share", "share of element-wise ops", "flop_share"},
    {"copy_share", "share of copies", "flop_share"},
    {"other_share", "share of other ops", "flop_share"},
    // Time
    {"time", "time of a step", "s"},
    {"predicted_time", "predicted time", "predicted_s"},
    {"limit", "limit", "limit_s"},
    {"ideal", "ideal", "ideal_s"},
    {"forward_time", "forward pass", "forward_whole_s"},
    {"layer_sum", "sum of layers", "forward_sum_s"},
    {"waited_layer_sum", "sum of layers with waits", "synchronized_sum_s"},
    {"setup", "set-up", "setup_s"},
    {"first_call", "first step", "first_call_s"},
    {"issue_time", "issue time", "issue_s"},
    {"device_time", "device time", "device_s"},
    {"throughput", "throughput", "flop_per_s"},
    {"attainable", "attainable throughput", "flop_per_s"},
    {"samples_per_s", "samples per second", "samples_per_s"},
    {"fraction_of_peak", "fraction of peak", "peak_share"},
    // Memory
    {"memory", "allocated memory", "allocated_peak_bytes"},
    {"reserved_memory", "reserved memory", "reserved_peak_bytes"},
    {"total_memory", "memory with context", "total_bytes"},
    {"memory_of_all", "allocated memory of all devices", "all_allocated_peak_bytes"},
    {"total_memory_of_all", "memory with context of all devices", "all_device_used_bytes"},
    {"device_memory", "memory of the device", "device_memory_bytes"},
    {"parameter_memory", "memory of parameters", "parameter_bytes"},
    {"input_memory", "memory of the input", "input_bytes"},
    {"activation_memory", "memory of all outputs", "activation_bytes"},
    {"torchsummary_memory", "pass size of torchsummary", "torchsummary_pass_bytes"},
    {"torchinfo_memory", "pass size of torchinfo", "torchinfo_pass_bytes"},
    {"device_used_memory", "memory used on the device", "device_used_bytes"},
    {"saved_activations", "saved activations", "saved_activation_bytes"},
    // Hardware counters
    {"counted_flops", "counted FLOPs", "flop"},
    {"counted_tensor_flops", "counted tensor FLOPs", "flop"},
    {"dram_bytes", "DRAM traffic", "dram_bytes"},
    {"achieved_bandwidth", "achieved bandwidth", "dram_bytes_per_s"},
    {"pcie_bytes", "PCIe traffic", "pcie_bytes"},
    {"counted_intensity", "counted intensity", "flop_per_byte"},
    {"counted_throughput", "counted throughput", "flop_per_s"},
    // The device while it runs
    {"energy", "energy of a step", "step_energy_j"},
    {"power", "power", "mean_power_w"},
    {"utilization", "core utilisation", "mean_core_utilization_share"},
    {"memory_utilization", "memory utilisation", "mean_memory_utilization_share"},
    {"sm_efficiency", "SM efficiency", "sm_efficiency_share"},
    {"occupancy", "occupancy", "occupancy_share"},
    // Several devices
    {"gpus", "devices", "device_count"},
    {"speed_up", "speed-up", "speedup", "x"},
    {"efficiency", "efficiency", "efficiency_share"},
    {"communication", "communication", "communication_share"},
    {"hidden", "hidden communication", "hidden_share"},
    {"idle", "idle share", "idle_share"},
    // Training to a goal
    {"accuracy", "accuracy", "share"},
    {"accuracy_deviation", "deviation of accuracy", "share"},
    {"time_to_accuracy", "time to accuracy", "s"},
    {"epochs", "epochs", ""},
    {"variation", "coefficient of variation", "share"},
    // What fits
    {"largest", "largest that fits", ""},
    {"predicted_largest", "predicted largest", ""},
    // What a device can do
    {"bandwidth", "memory bandwidth", "bytes_per_s"},
    {"peak_flops", "arithmetic peak", "flop_per_s"},
    {"tensor_peak_flops", "tensor peak", "flop_per_s"},
    // By pen: published rows only
    {"estimated_time", "estimated time", "s"},
    {"estimated_flops", "estimated FLOPs", "flop"},
    {"estimated_bytes", "estimated bytes", "bytes"},
});

}  // namespace

std::string_view Quantity::unit() const {
  return own_unit.empty() ? symbol_of(unit_of_key(key)) : own_unit;
}

std::span<const Quantity> quantities() { return table; }

std::vector<std::string> quantity_names() {
  std::vector<std::string> names;
  for (const Quantity& each : table) names.emplace_back(each.name);
  return names;
}

const Quantity* find_quantity(std::string_view name) {
  const auto* const found = std::ranges::find(table, name, &Quantity::name);
  return found == table.end() ? nullptr : found;
}

const Quantity* find_quantity_of_key(std::string_view key) {
  const auto* const found = std::ranges::find(table, key, &Quantity::key);
  return found == table.end() ? nullptr : found;
}

std::string text_of(const Quantity& quantity, double value) {
  if (quantity.own_unit == "x") return text_in(Unit::none, value, NumberStyle::factor);
  if (quantity.own_unit == "elements") return text_in(Unit::none, value, NumberStyle::scaled);
  if (!quantity.own_unit.empty()) return si(value, quantity.own_unit);
  return text_in(unit_of_key(quantity.key), value);
}

}  // namespace rooflab::study
