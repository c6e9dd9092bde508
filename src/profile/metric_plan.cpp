// Which metrics to count.
//
// A multiprocessor has few counters, and what needs more of them than there are is counted in
// passes, each over the same work again. Nothing is replayed here: a training step repeats itself,
// so that each step takes one pass, and the metrics are decoded after the last. Which metrics share
// a pass is CUPTI's business; it even splits a metric that needs more counters than one pass has
// (fp16 on GH100) and adds up what different steps counted. One configuration holds all that CUPTI
// takes together, because the first pass of each takes long (160 to 420 ms on an H200; every
// further one 2 ms). It takes counters of PCIe with no others (error 27, not supported, on all
// chips).
//
// Left to decide is what is worth its passes. Alone, floating-point tensor types take 1 (GV100) to
// 9 (GB202), CUDA-core instructions one more, as they are counted by patching the code; bytes,
// clock, busy cycles and occupancy share a pass, and peaks are properties of the chip and need
// none, save the memory's clock. Integer tensor types are left out: no FLOPs, up to 5 passes.

#include "metric_plan.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "base/format.hpp"
#include "record/counter_metric.hpp"

namespace rooflab::profile {
namespace {

using Names = std::vector<std::string>;

/// Peaks that Nsight Compute's roofline sections use.
constexpr std::array<const char*, 3> core_peaks = {
    "sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained",
    "sm__sass_thread_inst_executed_op_dfma_pred_on.sum.peak_sustained",
    "sm__sass_thread_inst_executed_op_hfma_pred_on.sum.peak_sustained",
};

/// Figures of hardware counters for a step or a kernel. `missing` is what the tables already know
/// the chip has not, or do not know.
MetricList volumes_of(std::string_view chip, std::span<const record::KernelFigure> absent) {
  MetricList list;
  list.metrics = record::dram_metrics_of(chip);
  if (list.metrics.empty()) list.missing = {"dram__bytes_read.sum", "dram__bytes_write.sum"};
  if (!record::is_known_chip(chip)) list.missing.emplace_back("sm__ops_path_tensor_src_*.sum");
  for (const std::string_view base : record::tensor_metrics_of(chip)) {
    const std::optional<record::KernelFigure> figure = record::tensor_figure_of(base);
    if (figure && std::ranges::find(absent, *figure) != absent.end()) continue;
    list.metrics.push_back(format("{}.sum", base));
  }
  std::ranges::move(record::state_metrics(), std::back_inserter(list.metrics));
  return list;
}

void add_peaks(Names& metrics, std::string_view chip) {
  metrics.insert(metrics.end(), core_peaks.begin(), core_peaks.end());
  for (const std::string_view base : record::tensor_metrics_of(chip)) {
    metrics.push_back(format("{}.sum.peak_sustained", base));
  }
  if (record::dram_metrics_of(chip).empty()) return;
  metrics.emplace_back("dram__bytes.sum.peak_sustained");
  metrics.emplace_back("dram__cycles_elapsed.avg.per_second");
}

/// Without what does not exist. CUPTI does not say which name of many it was that it did not know.
MetricList existing(MetricList wanted, const MetricsExist& exist) {
  if (exist(wanted.metrics)) return wanted;
  MetricList found;
  found.missing = std::move(wanted.missing);
  for (std::string& metric : wanted.metrics) {
    Names& kind = exist({&metric, 1}) ? found.metrics : found.missing;
    kind.push_back(std::move(metric));
  }
  return found;
}

}  // namespace

std::optional<std::string> peaked_metric(std::string_view metric) {
  constexpr std::string_view suffix = ".peak_sustained";
  if (!metric.ends_with(suffix)) return std::nullopt;
  metric.remove_suffix(suffix.size());
  return std::string(metric);
}

MetricList totals_metrics(std::string_view chip, const MetricsExist& exist, bool peaks) {
  MetricList wanted = volumes_of(chip, {});
  if (peaks) add_peaks(wanted.metrics, chip);
  return existing(std::move(wanted), exist);
}

MetricList kernel_metrics(std::string_view chip, const MetricsExist& exist,
                          std::span<const record::KernelFigure> absent) {
  MetricList wanted = volumes_of(chip, absent);
  Names metrics = record::core_metrics_of(chip);
  std::ranges::move(wanted.metrics, std::back_inserter(metrics));
  wanted.metrics = std::move(metrics);
  return existing(std::move(wanted), exist);
}

MetricList launch_metrics(std::string_view chip, const MetricsExist& exist) {
  std::vector<record::KernelFigure> types;
  for (const std::string_view base : record::tensor_metrics_of(chip)) {
    if (const auto figure = record::tensor_figure_of(base)) types.push_back(*figure);
  }
  MetricList list = kernel_metrics(chip, exist, types);
  if (types.empty()) return list;
  for (const auto figure :
       {record::KernelFigure::tensor_pipe_instructions, record::KernelFigure::tensor_pipe_moves}) {
    std::string metric = record::metric_of(figure);
    if (exist({&metric, 1})) list.metrics.push_back(std::move(metric));
  }
  return list;
}

MetricList tensor_metrics(std::string_view chip, const MetricsExist& exist) {
  MetricList wanted;
  for (const std::string_view base : record::tensor_metrics_of(chip)) {
    wanted.metrics.push_back(format("{}.sum", base));
  }
  return wanted.metrics.empty() ? wanted : existing(std::move(wanted), exist);
}

MetricList apart_metrics(std::string_view chip, const MetricsExist& exist) {
  MetricList wanted{record::apart_metrics_of(chip), {}};
  return wanted.metrics.empty() ? wanted : existing(std::move(wanted), exist);
}

}  // namespace rooflab::profile
