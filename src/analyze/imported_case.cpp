#include "rooflab/analyze/imported_case.hpp"

#include <filesystem>
#include <utility>

#include "rooflab/analyze/counted_layers.hpp"
#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/record/counter_metric.hpp"

namespace rooflab::analyze {
namespace {

using record::KernelFigure;

/// Peaks of the counting are a clock's, of instructions for CUDA cores (with FLOPs as in
/// kernel_work.hpp) and of operations for tensor cores.
std::vector<ChipPeak> peaks_of(const record::Counting& counting, double clock_hz) {
  struct Instruction {
    std::string_view metric;
    std::string_view type;
    double flops;
  };
  constexpr Instruction instructions[] = {
      {"op_dfma", "fp64", 2.0}, {"op_ffma", "fp32", 2.0}, {"op_hfma", "fp16", 4.0}};
  std::vector<ChipPeak> peaks;
  for (const Instruction& instruction : instructions) {
    for (const auto& [metric, peak] : counting.peaks) {
      if (metric.find(instruction.metric) == std::string::npos) continue;
      peaks.push_back({std::string(instruction.type), instruction.flops * peak * clock_hz});
    }
  }
  for (const auto& [metric, peak] : counting.peaks) {
    if (const auto figure = record::tensor_figure_of(metric)) {
      peaks.push_back(
          {format("tensor {}", facts_of(*figure).word.figure().title), peak * clock_hz});
    }
  }
  return peaks;
}

}  // namespace

record::KernelSums ImportedCase::shown_totals() const {
  record::KernelSums shown = totals;
  const bool counted = shown.at(KernelFigure::dram_bytes) || shown.at(KernelFigure::tensor_flops) ||
                       shown.at(KernelFigure::fp32_flops);
  if (step && !counted) shown.stand_in(*step);
  return shown;
}

ImportedCase imported_case_of(record::Record record, std::string source,
                              const device::Catalog& catalog,
                              const std::optional<device::Device>& roofs) {
  ImportedCase imported;
  imported.source = std::move(source);
  imported.title = std::filesystem::path(imported.source).filename().string();
  imported.record = std::move(record);
  imported.device =
      roofs ? roofs
            : find_device(catalog, imported.record.environment.device, imported.device_note);
  const bool tensor_cores =
      record::may_have_tensor_cores(imported.record.environment.device.compute_capability);
  // Tensor types without any work in the whole step are not asked of every kernel: theirs is zero.
  if (imported.record.kernels && imported.record.counting) {
    imported.record.kernels = with_known_zeros(*imported.record.kernels, *imported.record.counting);
  }
  if (const auto& kernels = imported.record.kernels) {
    imported.totals = record::sums_of(*kernels, tensor_cores);
    imported.kernels = kernel_groups(*kernels, tensor_cores);
  }
  if (const auto& counting = imported.record.counting) {
    imported.step_s = median_of(counting->steps_s);
    if (counting->step && !counting->step->empty()) {
      imported.step = record::sums_of(*counting->step, tensor_cores);
      if (const auto clock_hz = imported.step->at(KernelFigure::sm_clock_hz)) {
        imported.peaks = peaks_of(*counting, *clock_hz);
      }
    }
  }
  if (imported.record.trace) imported.trace = trace::analyze_trace(imported.record);
  return imported;
}

}  // namespace rooflab::analyze
