#include "metric_use.hpp"

#include <algorithm>
#include <array>

namespace rooflab::import::ncu {
namespace {

using record::CounterMetric;
using record::KernelFigure;
using record::MetricDimension;
using record::MetricForm;

struct Named {
  std::string_view name;
  MetricUse use;
};

constexpr MetricUse counter(KernelFigure figure, MetricDimension dimension, std::string_view base,
                            MetricForm form = MetricForm::total) {
  return {Role::counter, {figure, dimension, form, 1.0, base}, 0};
}

constexpr MetricUse fact(Role role, MetricDimension dimension = MetricDimension::count,
                         int rank = 0) {
  return {role, {KernelFigure::time_s, dimension, MetricForm::total, 1.0, {}}, rank};
}

constexpr std::string_view static_memory = "shared_mem_per_block_static";
constexpr std::string_view dynamic_memory = "shared_mem_per_block_dynamic";
constexpr std::string_view registers = "registers_per_thread";

// What ncu adds to the counters of the hardware. The driver's own shared memory is left out: a
// trace does not have it either.
constexpr auto metrics = std::to_array<Named>({
    {"launch__registers_per_thread",
     counter(KernelFigure::registers_per_thread, MetricDimension::count, registers)},
    {"launch__shared_mem_per_block_static",
     counter(KernelFigure::shared_memory_bytes, MetricDimension::bytes, static_memory)},
    {"launch__shared_mem_per_block_dynamic",
     counter(KernelFigure::shared_memory_bytes, MetricDimension::bytes, dynamic_memory)},
    {"launch__grid_dim_x", fact(Role::grid_x)},
    {"launch__grid_dim_y", fact(Role::grid_y)},
    {"launch__grid_dim_z", fact(Role::grid_z)},
    {"launch__block_dim_x", fact(Role::block_x)},
    {"launch__block_dim_y", fact(Role::block_y)},
    {"launch__block_dim_z", fact(Role::block_z)},
    {"launch__sm_count", fact(Role::multiprocessors)},
    {"device__attribute_multiprocessor_count", fact(Role::multiprocessors)},
    {"device__attribute_display_name", fact(Role::device_name)},
    {"device__attribute_total_memory", fact(Role::device_memory)},
    {"device__attribute_compute_capability_major", fact(Role::capability_major)},
    {"device__attribute_compute_capability_minor", fact(Role::capability_minor)},
    {"smsp__cycles_elapsed.max", fact(Role::cycles, MetricDimension::count, 0)},
    {"sm__cycles_elapsed.max", fact(Role::cycles, MetricDimension::count, 1)},
    {"smsp__cycles_elapsed.avg", fact(Role::cycles, MetricDimension::count, 2)},
    {"sm__cycles_elapsed.avg", fact(Role::cycles, MetricDimension::count, 3)},
});

constexpr auto labels = std::to_array<Named>({
    {"Duration", counter(KernelFigure::time_s, MetricDimension::time, "time_duration")},
    {"SM Frequency",
     counter(KernelFigure::sm_clock_hz, MetricDimension::frequency, "cycles_elapsed")},
    {"Achieved Occupancy",
     counter(KernelFigure::occupancy, MetricDimension::fraction, "warps_active")},
    {"Memory Throughput",
     counter(KernelFigure::dram_bytes, MetricDimension::bytes, "bytes", MetricForm::per_second)},
    {"Registers Per Thread",
     counter(KernelFigure::registers_per_thread, MetricDimension::count, registers)},
    {"Static Shared Memory Per Block",
     counter(KernelFigure::shared_memory_bytes, MetricDimension::bytes, static_memory)},
    {"Dynamic Shared Memory Per Block",
     counter(KernelFigure::shared_memory_bytes, MetricDimension::bytes, dynamic_memory)},
    {"Elapsed Cycles", fact(Role::cycles, MetricDimension::count, 1)},
    {"# SMs", fact(Role::multiprocessors)},
});

}  // namespace

std::optional<MetricUse> use_of_metric(std::string_view name) {
  if (const std::optional<CounterMetric> found = record::counter_metric(name)) {
    return MetricUse{Role::counter, *found, 0};
  }
  const auto* const found = std::ranges::find(metrics, name, &Named::name);
  if (found == metrics.end()) return std::nullopt;
  return found->use;
}

std::optional<MetricUse> use_of_label(std::string_view label, std::string_view unit) {
  const auto* const found = std::ranges::find(labels, label, &Named::name);
  if (found == labels.end()) return std::nullopt;
  if (found->use.counter.form == MetricForm::per_second && unit == "%") return std::nullopt;
  return found->use;
}

}  // namespace rooflab::import::ncu
