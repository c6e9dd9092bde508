// Which metrics to sample.
//
// Samples cannot take passes, each over the same work: all metrics must be counted at once. A
// multiprocessor has a few counters, of several kinds, so that one name of a figure finds room
// where another does not. Each figure has its names here, the best first; figures are added by
// their importance, each by its first name that still fits. Asked of CUPTI 13.0's host library for
// all chips (tests/unit/counters/sampling_plan_chips_test.cpp).
//
// `_realtime` metrics are counted by other counters than those without the ending, and mean the
// same. `.avg.pct_of_peak_sustained_elapsed` is a mean over all units and all cycles of a sample,
// so that the mean over samples weighted by time is the mean of the whole.

#include "sampling_plan.hpp"

#include <algorithm>
#include <array>

namespace rooflab::profile {
namespace {

using record::HardwareSamples;

constexpr std::string_view sum = ".sum";
constexpr std::string_view percent = ".avg.pct_of_peak_sustained_elapsed";

struct FigureNames {
  HardwareSamples::Column HardwareSamples::*column;
  std::string_view title;
  std::string_view rollup;
  std::array<std::string_view, 5> names;  ///< without rollup; empty ones at the end
};

constexpr std::array<FigureNames, 8> figures = {{
    {&HardwareSamples::read_bytes, "DRAM read", sum, {"dram__bytes_read", "dram__bytes_op_read"}},
    {&HardwareSamples::write_bytes,
     "DRAM written",
     sum,
     {"dram__bytes_write", "dram__bytes_op_write"}},
    {&HardwareSamples::tensor_share,
     "tensor pipe",
     percent,
     {"sm__pipe_tensor_cycles_active_realtime", "sm__pipe_tensor_cycles_active"}},
    {&HardwareSamples::warps_share,
     "warps in flight",
     percent,
     {"tpc__warps_active_shader_cs_realtime", "sm__warps_active_realtime", "sm__warps_active"}},
    {&HardwareSamples::fp32_share,
     "FP32 pipe",
     percent,
     {"sm__pipe_fma_cycles_active", "sm__pipe_fma_cycles_active_realtime",
      "sm__pipe_fmaheavy_cycles_active", "sm__inst_executed_pipe_fmaheavy_realtime",
      "sm__inst_executed_pipe_fma"}},
    {&HardwareSamples::sm_share, "SMs in use", percent, {"sm__cycles_active"}},
    {&HardwareSamples::fp64_share,
     "FP64 pipe",
     percent,
     {"sm__pipe_fp64_cycles_active", "sm__inst_executed_pipe_fp64"}},
    {&HardwareSamples::fp16_share,
     "FP16 pipe",
     percent,
     {"sm__inst_executed_pipe_fp16", "sm__inst_executed_pipe_fma_type_fp16"}},
}};

}  // namespace

SamplingList sampling_metrics(const MetricsExist& fit) {
  SamplingList list;
  for (const FigureNames& figure : figures) {
    const bool added = std::ranges::any_of(figure.names, [&](std::string_view name) {
      if (name.empty()) return false;
      list.metrics.push_back(std::string(name).append(figure.rollup));
      if (fit(list.metrics)) return true;
      list.metrics.pop_back();
      return false;
    });
    if (!added) list.left_out.emplace_back(figure.title);
  }
  return list;
}

std::optional<SampledMetric> sampled_metric(std::string_view name) {
  for (const FigureNames& figure : figures) {
    if (!name.ends_with(figure.rollup)) continue;
    const std::string_view base = name.substr(0, name.size() - figure.rollup.size());
    if (base.empty() || std::ranges::find(figure.names, base) == figure.names.end()) continue;
    return SampledMetric{figure.column, figure.rollup == percent ? 0.01 : 1.0};
  }
  return std::nullopt;
}

bool samples_by_time(std::string_view chip) {
  return chip != "GA100" && !chip.starts_with("TU") && !chip.starts_with("GV");
}

}  // namespace rooflab::profile
